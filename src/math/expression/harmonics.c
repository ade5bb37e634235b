/* Expressions in time alone, written as sums of t^p (a cos wt + b sin wt).
 *
 * Such sums are closed under +, -, * (product to sum), division by numbers and powers; sin and cos of a
 * linear function of t begin them. Each value of the tape gets its sum, in the tape's order.
 *
 * Rounding: a frequency that arises as a difference, or on two ways, may be off by some units in the last
 * place. A frequency of 1e-16 in place of 0 would ruin who divides by it, so frequencies that agree to
 * `same_frequency` are one, and amplitudes below `rounding` of what was added up for them are zero. */
#include "base/memory.h"
#include "math/expression/node.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const double same_frequency = 16 * DBL_EPSILON, rounding = 4 * DBL_EPSILON;

/* Bounds of time and memory, far beyond what is useful. */
enum { most_terms = 1000, most_pairs = 4000, most_work = 500000, largest_power = 1000 };

typedef struct term {
    int power;
    double frequency, cosine, sine;
    double size; /* sum of the absolute values that were added up in cosine and sine */
    bool open;   /* the amplitude is not known: then cosine, sine and size are 1, and nothing cancels */
} term;

typedef struct sum {
    term *terms; /* sorted by power, then frequency; no two alike; none zero */
    int count;   /* -1: not of this form */
} sum;

typedef struct workshop {
    slip_arena arena;
    int64_t work; /* terms handled so far */
    bool memory;  /* ran out */
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
            merged.open |= s->terms[i].open;
        }
        if (merged.open)
            merged.cosine = merged.sine = merged.size = 1;
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
    w->memory |= !s->terms;
    return s->terms != NULL;
}

static bool single(workshop *w, int power, double value, sum *result)
{
    if (!allocate(w, 1, result))
        return false;
    result->terms[0] = (term){power, 0, value, 0, fabs(value), false};
    return tidy(result);
}

static void set_open(sum *s)
{
    for (int i = 0; i < s->count; i++)
        s->terms[i].open = true;
}

/* A number that is not known. */
static bool unknown(workshop *w, sum *result)
{
    if (!single(w, 0, 1, result))
        return false;
    set_open(result);
    return true;
}

/* a + factor*b, the factor being 1 or -1. The result may be one of them. */
static bool add(workshop *w, const sum *a, double factor, const sum *b, sum *result)
{
    sum total;
    if (!allocate(w, a->count + b->count, &total))
        return false;
    for (int i = 0; i < a->count; i++)
        total.terms[i] = a->terms[i];
    for (int i = 0; i < b->count; i++) {
        term *t = &total.terms[a->count + i];
        *t = b->terms[i];
        t->cosine *= factor;
        t->sine *= factor;
    }
    *result = total;
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
    const bool open = a->open || b->open;
    out[0] = (term){a->power + b->power, a->frequency + b->frequency, (cc - ss) / 2,
                    (cs + sc) / 2,       a->size * b->size / 2,       open};
    out[1] = oriented((term){a->power + b->power, same ? 0 : difference, (cc + ss) / 2, (sc - cs) / 2,
                             a->size * b->size / 2, open});
    if (a->frequency == 0 || b->frequency == 0) { /* one term in fact, without the rounding of halves */
        out[0] =
            (term){a->power + b->power, a->frequency + b->frequency, cc, cs + sc, a->size * b->size, open};
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

/* The value of a sum without t; it may be open. */
static bool number(const sum *s, double *value)
{
    *value = s->count > 0 ? s->terms[0].cosine : 0;
    return s->count == 0 || (s->count == 1 && s->terms[0].power == 0 && s->terms[0].frequency == 0);
}

static bool is_open(const sum *s)
{
    return s->count > 0 && s->terms[0].open;
}

static bool divide(workshop *w, const sum *a, const sum *b, sum *result)
{
    double divisor;
    if (!number(b, &divisor) || divisor == 0 || !allocate(w, a->count, result))
        return false;
    const bool open = is_open(b);
    for (int i = 0; i < a->count; i++) {
        const term *t = &a->terms[i];
        result->terms[i] = (term){
            t->power,       t->frequency, t->cosine / divisor, t->sine / divisor, t->size / fabs(divisor),
            t->open || open};
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
    bool open = false;
    for (int i = 0; i < argument->count; i++) {
        const term *t = &argument->terms[i];
        if (t->frequency != 0 || t->power > 1 || (t->power == 1 && t->open))
            return false;
        open |= t->open;
        *(t->power ? &slope : &phase) = t->cosine;
    }
    if (!allocate(w, 1, result))
        return false;
    result->terms[0] = oriented(sine ? (term){0, slope, sin(phase), cos(phase), 1, open}
                                     : (term){0, slope, cos(phase), -sin(phase), 1, open});
    return tidy(result);
}

/* if(condition, yes, no) with a condition that is a number; where that is not known, all that either has. */
static bool choose(workshop *w, const sum *condition, const sum *yes, const sum *no, sum *result)
{
    double value;
    if (!number(condition, &value))
        return false;
    if (!is_open(condition)) {
        *result = value != 0 ? *yes : *no;
        return result->count >= 0;
    }
    if (yes->count < 0 || no->count < 0 || !add(w, yes, 1, no, result))
        return false;
    set_open(result);
    return true;
}

/* The polynomial of a table's piece, by Horner's rule. */
static bool compose(workshop *w, const slip_interpolant *table, const sum *argument, const sum *level,
                    sum *result)
{
    static const int degrees[] = {1, 3, 0}; /* linear, cubic, hold */
    double piece, from = 0;
    sum shift, factor;
    if (argument->count < 0 || !number(level, &piece) || !(piece >= 0 && piece <= table->count))
        return false;
    const bool open = is_open(level);
    if (!open)
        from = table->x[piece < 1 ? 0 : (int)piece - 1];
    if (!(open ? unknown(w, &shift) : single(w, 0, from, &shift)) || !add(w, argument, -1, &shift, &shift) ||
        !single(w, 0, 0, result))
        return false;
    for (int k = degrees[table->between]; k >= 0; k--) {
        if (!(open ? unknown(w, &factor) : single(w, 0, table->piece[(int)piece][k], &factor)) ||
            !multiply(w, result, &shift, result) || !add(w, result, 1, &factor, result))
            return false;
    }
    return true;
}

/* Any other operation on numbers. */
static bool calculate(workshop *w, const slip_operation *o, const sum *a, const sum *b,
                      const slip_interpolants *tables, sum *result)
{
    double operands[3] = {0};
    if (!number(a, &operands[0]) || !number(b, &operands[1]))
        return false;
    if (is_open(a) || is_open(b))
        return unknown(w, result);
    return single(w, 0, slip_operation_value(o->op, operands, o->c, tables), result);
}

static bool operate(workshop *w, const slip_operation *o, const slip_interpolants *tables, const sum *sums,
                    sum *result)
{
    const sum *a = &sums[o->a], *b = &sums[o->b];
    const sum nothing = {NULL, 0};
    switch (o->op) {
    case SLIP_OP_IF:
        return choose(w, a, b, &sums[o->c], result);
    case SLIP_OP_DEFINED:
        *result = *a;
        return a->count >= 0;
    case SLIP_OP_INTERPOLANT_PIECE:
        return compose(w, tables->list[o->c], a, b, result);
    default:
        break;
    }
    if (a->count < 0 || b->count < 0)
        return false;
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
        return calculate(w, o, a, b, tables, result);
    }
}

/* What the slots stand for. */
typedef struct frame {
    int time, first;
    double origin;
    const double *forms;
} frame;

static bool expand_slot(workshop *w, const frame *f, int slot, sum *result)
{
    sum start;
    if (slot != f->time)
        return f->forms ? single(w, 0, f->forms[slot - f->first], result) : unknown(w, result);
    if (!single(w, 1, 1, result))
        return false;
    return f->origin == 0 || (single(w, 0, f->origin, &start) && add(w, result, 1, &start, result));
}

/* Where a value has not this form, it may be one that is not needed. */
static void expand(workshop *w, const slip_expression *expression, const frame *f, sum *sums)
{
    const int leaves = expression->constant_count + expression->slot_count;
    for (int i = 0; i < expression->value_count; i++) {
        const bool done =
            i < expression->constant_count ? single(w, 0, expression->constants[i], &sums[i])
            : i < leaves
                ? expand_slot(w, f, expression->slots[i - expression->constant_count], &sums[i])
                : operate(w, &expression->operations[i - leaves], &expression->tables, sums, &sums[i]);
        if (!done)
            sums[i].count = -1;
    }
}

int slip_expression_harmonics_from(const slip_expression *expression, int time_slot, double origin,
                                   int first_form, const double *forms, slip_harmonic *terms, int capacity)
{
    const frame f = {time_slot, first_form, origin, forms};
    workshop w = {0};
    sum *last;
    SLIP_FREED sum *sums = NULL;
    int count = -1;
    for (int i = 0; i < expression->slot_count; i++)
        if (expression->slots[i] != time_slot && expression->slots[i] < first_form)
            return -1;
    sums = slip_alloc(expression->value_count, sizeof *sums);
    if (!sums)
        return SLIP_ERROR_MEMORY;
    last = &sums[expression->value_count - 1];
    expand(&w, expression, &f, sums);
    if (last->count <= capacity) {
        count = last->count;
        for (int i = 0; i < count; i++) {
            const term *t = &last->terms[i];
            terms[i] =
                (slip_harmonic){t->power, t->frequency, t->open ? NAN : t->cosine, t->open ? NAN : t->sine};
        }
    }
    slip_arena_free(&w.arena);
    return w.memory ? SLIP_ERROR_MEMORY : count;
}

int slip_expression_harmonics(const slip_expression *expression, int time_slot, slip_harmonic *terms,
                              int capacity)
{
    return slip_expression_harmonics_from(expression, time_slot, 0, INT_MAX, NULL, terms, capacity);
}
