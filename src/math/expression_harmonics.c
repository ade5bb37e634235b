/* Expressions in time alone, written as sums of t^p (a cos wt + b sin wt).
 *
 * Such sums are closed under +, -, * (product to sum), division by numbers and powers; sin and cos of a
 * linear function of t begin them. Each value of the tape gets its sum, in the tape's order.
 *
 * Rounding: a frequency that arises as a difference, or on two ways, may be off by some units in the last
 * place. A frequency of 1e-16 in place of 0 would ruin who divides by it, so frequencies that agree to
 * `same_frequency` are one, and amplitudes below `rounding` of what was added up for them are zero. */
#include "base/memory.h"
#include "math/expression_node.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double same_frequency = 16 * DBL_EPSILON, rounding = 4 * DBL_EPSILON;

/* Bounds of time and memory, far beyond what is useful. */
enum { most_terms = 1000, most_pairs = 4000, most_work = 500000, largest_power = 1000 };

typedef struct term {
    int power;
    double frequency, cosine, sine;
    double size; /* sum of the absolute values that were added up in cosine and sine */
} term;

typedef struct sum {
    term *terms; /* sorted by power, then frequency; no two alike; none zero */
    int count;
} sum;

typedef struct workshop {
    slip_arena arena;
    int64_t work; /* terms handled so far */
} workshop;

static int compare_terms(const void *left, const void *right)
{
    const term *a = left, *b = right;
    if (a->power != b->power)
        return a->power < b->power ? -1 : 1;
    return (a->frequency > b->frequency) - (a->frequency < b->frequency);
}

static bool alike(const term *a, const term *b)
{
    return a->power == b->power &&
           fabs(a->frequency - b->frequency) <= same_frequency * fmax(a->frequency, b->frequency);
}

static bool is_finite(const term *t)
{
    return isfinite(t->frequency) && isfinite(t->cosine) && isfinite(t->sine) && isfinite(t->size);
}

/* Sorts, merges like terms and drops zeros, in place. False when a number is not finite. */
static bool tidy(sum *s)
{
    int count = 0;
    if (s->count > 1)
        qsort(s->terms, (size_t)s->count, sizeof *s->terms, compare_terms);
    for (int i = 0; i < s->count;) {
        term merged = s->terms[i++];
        for (; i < s->count && alike(&merged, &s->terms[i]); i++) {
            merged.cosine += s->terms[i].cosine;
            merged.sine += s->terms[i].sine;
            merged.size += s->terms[i].size;
        }
        if (!is_finite(&merged))
            return false;
        if (fabs(merged.cosine) <= rounding * merged.size)
            merged.cosine = 0;
        if (fabs(merged.sine) <= rounding * merged.size || merged.frequency == 0)
            merged.sine = 0;
        if (merged.cosine != 0 || merged.sine != 0)
            s->terms[count++] = merged;
    }
    s->count = count;
    return count <= most_terms;
}

static bool allocate(workshop *w, int count, sum *s)
{
    w->work += count + 1;
    if (count > 2 * most_pairs || w->work > most_work)
        return false;
    s->count = count;
    s->terms = slip_arena_array(&w->arena, count + 1, sizeof *s->terms);
    return s->terms != NULL;
}

static bool single(workshop *w, int power, double value, sum *result)
{
    if (!allocate(w, 1, result))
        return false;
    result->terms[0] = (term){power, 0, value, 0, fabs(value)};
    return tidy(result);
}

/* a + factor*b, the factor being 1 or -1. */
static bool add(workshop *w, const sum *a, double factor, const sum *b, sum *result)
{
    if (!allocate(w, a->count + b->count, result))
        return false;
    for (int i = 0; i < a->count; i++)
        result->terms[i] = a->terms[i];
    for (int i = 0; i < b->count; i++) {
        term *t = &result->terms[a->count + i];
        *t = b->terms[i];
        t->cosine *= factor;
        t->sine *= factor;
    }
    return tidy(result);
}

/* A term of frequency 0 has no sine; a negative frequency turns the sine around. */
static term oriented(term t)
{
    if (t.frequency < 0) {
        t.frequency = -t.frequency;
        t.sine = -t.sine;
    }
    return t;
}

/* (a cos + b sin)(f) times (c cos + d sin)(g): one term of frequency f + g and one of f - g. */
static void multiply_terms(const term *a, const term *b, term *out)
{
    const double difference = a->frequency - b->frequency;
    const double cc = a->cosine * b->cosine, ss = a->sine * b->sine;
    const double cs = a->cosine * b->sine, sc = a->sine * b->cosine;
    const bool same = fabs(difference) <= same_frequency * fmax(a->frequency, b->frequency);
    out[0] = (term){a->power + b->power, a->frequency + b->frequency, (cc - ss) / 2, (cs + sc) / 2,
                    a->size * b->size / 2};
    out[1] = oriented((term){a->power + b->power, same ? 0 : difference, (cc + ss) / 2, (sc - cs) / 2,
                             a->size * b->size / 2});
    if (a->frequency == 0 || b->frequency == 0) { /* one term in fact, without the rounding of halves */
        out[0] = (term){a->power + b->power, a->frequency + b->frequency, cc, cs + sc, a->size * b->size};
        out[1] = (term){0};
    }
}

/* The largest power of t: the terms are sorted. */
static int degree(const sum *s)
{
    return s->count ? s->terms[s->count - 1].power : 0;
}

/* The result may be one of the factors. */
static bool multiply(workshop *w, const sum *a, const sum *b, sum *result)
{
    sum product;
    if ((int64_t)a->count * b->count > most_pairs || degree(a) + degree(b) > largest_power)
        return false;
    if (!allocate(w, 2 * a->count * b->count, &product))
        return false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            multiply_terms(&a->terms[i], &b->terms[j], &product.terms[2 * (i * b->count + j)]);
    *result = product;
    return tidy(result);
}

/* The value of a sum without t. */
static bool number(const sum *s, double *value)
{
    *value = s->count ? s->terms[0].cosine : 0;
    return s->count == 0 || (s->count == 1 && s->terms[0].power == 0 && s->terms[0].frequency == 0);
}

static bool divide(workshop *w, const sum *a, const sum *b, sum *result)
{
    double divisor;
    if (!number(b, &divisor) || divisor == 0 || !allocate(w, a->count, result))
        return false;
    for (int i = 0; i < a->count; i++) {
        const term *t = &a->terms[i];
        result->terms[i] =
            (term){t->power, t->frequency, t->cosine / divisor, t->sine / divisor, t->size / fabs(divisor)};
    }
    return tidy(result);
}

static bool raise_to(workshop *w, const sum *base, int exponent, sum *result)
{
    sum square = *base;
    if (exponent < 0 || exponent > largest_power || !single(w, 0, 1, result))
        return false;
    for (; exponent; exponent >>= 1) {
        if ((exponent & 1) && !multiply(w, result, &square, result))
            return false;
        if (exponent > 1 && !multiply(w, &square, &square, &square))
            return false;
    }
    return true;
}

/* sin (or cos) of slope*t + phase. */
static bool oscillate(workshop *w, const sum *argument, bool sine, sum *result)
{
    double slope = 0, phase = 0;
    for (int i = 0; i < argument->count; i++) {
        const term *t = &argument->terms[i];
        if (t->frequency != 0 || t->power > 1)
            return false;
        *(t->power ? &slope : &phase) = t->cosine;
    }
    if (!allocate(w, 1, result))
        return false;
    result->terms[0] = oriented(sine ? (term){0, slope, sin(phase), cos(phase), 1}
                                     : (term){0, slope, cos(phase), -sin(phase), 1});
    return tidy(result);
}

static bool operate(workshop *w, const slip_operation *o, const sum *sums, sum *result)
{
    const sum *a = &sums[o->a], *b = &sums[o->b];
    const sum nothing = {NULL, 0};
    switch (o->op) {
    case SLIP_OP_ADD:
        return add(w, a, 1, b, result);
    case SLIP_OP_SUBTRACT:
        return add(w, a, -1, b, result);
    case SLIP_OP_NEGATE:
        return add(w, &nothing, -1, a, result);
    case SLIP_OP_MULTIPLY:
        return multiply(w, a, b, result);
    case SLIP_OP_DIVIDE:
        return divide(w, a, b, result);
    case SLIP_OP_INTEGER_POWER:
        return raise_to(w, a, o->c, result);
    case SLIP_OP_SIN:
        return oscillate(w, a, true, result);
    case SLIP_OP_COS:
        return oscillate(w, a, false, result);
    default:
        return false;
    }
}

static bool expand(workshop *w, const slip_expression *expression, sum *sums)
{
    const int leaves = expression->constant_count + expression->slot_count;
    for (int i = 0; i < expression->constant_count; i++)
        if (!single(w, 0, expression->constants[i], &sums[i]))
            return false;
    for (int i = expression->constant_count; i < leaves; i++)
        if (!single(w, 1, 1, &sums[i]))
            return false;
    for (int i = leaves; i < expression->value_count; i++)
        if (!operate(w, &expression->operations[i - leaves], sums, &sums[i]))
            return false;
    return true;
}

int slip_expression_harmonics(const slip_expression *expression, int time_slot, slip_harmonic *terms,
                              int capacity)
{
    workshop w = {0};
    sum *sums, *last;
    int count = -1;
    for (int i = 0; i < expression->slot_count; i++)
        if (expression->slots[i] != time_slot)
            return -1;
    sums = slip_alloc(expression->value_count, sizeof *sums);
    if (!sums)
        return -1;
    last = &sums[expression->value_count - 1];
    if (expand(&w, expression, sums) && last->count <= capacity) {
        count = last->count;
        for (int i = 0; i < count; i++)
            terms[i] = (slip_harmonic){last->terms[i].power, last->terms[i].frequency, last->terms[i].cosine,
                                       last->terms[i].sine};
    }
    slip_arena_free(&w.arena);
    free(sums);
    return count;
}
