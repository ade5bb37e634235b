/* Works over a part of a segment.
 *
 * A power is a sum of products of two rows times y, and its work the integral of a quadratic form S of y,
 *
 *     W(d) = int_0^d y . S y = y0 . P(d) y0,   P(d) = sum_k L^k S d^(k+1)/(k+1)!,   L S = A^T S + S A,
 *     P(2 d) = P(d) + exp(A d)^T P(d) exp(A d):
 *
 * a series below the lowest rung, and a ladder beside that of exp(A h). For small sets mostly a form exists
 * whose rate is S, up to a constant (primitive.c): then the states at both ends suffice, unless they cancel.
 * Wide sets, without matrices, use Gauss's rule over parts of about a radian. */
#include "method/exact/reduce.h"
#include "method/exact/types.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    largest_form = slip_exact_narrow,
    most_products = largest_form * (largest_form + 1) / 2,
    most_terms = 24
};

/* The integral of a . y times b . y is a part of a work. */
typedef struct part {
    int work;
    double *a, *b;
} part;

struct slip_exact_forms {
    part *parts;
    int part_count;
    int count, *to, *minus;     /* works that are not zero: their number, indices, and the work that is its
                                   opposite (-1: none) */
    int products, terms, rungs; /* 0 rungs: neither rungs nor terms after the first were needed yet */
    double *taylor, *ladder;    /* for each term or rung, for each work: factors of y_i y_j, i <= j */
    /* For each power a form whose rate it is, up to a constant (`drift`); NULL: these do not exist. */
    double *primitive, *drift;
    /* Rows of the quantities that slip_exact_see returns, column by column: q, v and a, and for each contact
     * normal force, friction force and their first and second derivatives. */
    double *seen;
    int seen_rows; /* an even number */
};

/* ---- The powers of a set. */

static bool is_zero(int count, const double *row)
{
    for (int j = 0; j < count; j++)
        if (row[j] != 0)
            return false;
    return true;
}

/* Adds a part: row a, and the sum of `count` rows b with factors. */
static bool add_part(slip_exact_set *set, int work, const double *a, int count, const double *factors,
                     const double *b)
{
    slip_exact_forms *forms = set->forms;
    double *rows = slip_arena_array(&set->arena, 2 * (int64_t)set->size, sizeof *rows);
    if (!rows)
        return false;
    memcpy(rows, a, (size_t)set->size * sizeof *rows);
    slip_exact_multiply_add(1, count, set->size, 1, factors, b, rows + set->size);
    if (is_zero(set->size, rows) || is_zero(set->size, rows + set->size))
        return true;
    forms->parts[forms->part_count++] = (part){forms->count, rows, rows + set->size};
    forms->to[forms->count] = work;
    return true;
}

/* Completes a work: it has the parts that were added since the last call. */
static void end_work(slip_exact_forms *forms, int minus)
{
    forms->minus[forms->count] = minus;
    forms->count += forms->part_count > 0 && forms->parts[forms->part_count - 1].work == forms->count;
}

/* Adds the works of loads, f . q', with the skew part of the stiffness, and of damping, q' . C q'. */
static bool add_coordinates(const slip_exact *exact, slip_exact_set *set)
{
    const slip_system *system = exact->system;
    const int n = system->n, size = set->size, m = exact->loads.count;
    const double *velocity = set->position + n * size, one = 1;
    SLIP_FREED double *load = slip_alloc(size, sizeof *load);
    bool complete = load != NULL;
    for (int i = 0; i < slip_system_coordinates(system) && complete; i++) {
        memset(load, 0, (size_t)size * sizeof *load);
        memcpy(load + size - m, exact->loads.forces + i * m, (size_t)m * sizeof *load);
        if (system->load_q) {
            slip_exact_multiply_add(1, n, size, 1, system->load_q + i * n, set->position, load);
            slip_exact_multiply_add(1, n, size, 1, system->load_v + i * n, velocity, load);
        }
        for (int j = 0; j < n; j++) {
            const double skew = 0.5 * (system->stiffness[j * n + i] - system->stiffness[i * n + j]);
            slip_exact_multiply_add(1, 1, size, skew, &one, set->position + j * size, load);
        }
        complete = add_part(set, SLIP_WORK_LOADS, load, 1, &one, velocity + i * size);
    }
    end_work(set->forms, -1);
    for (int i = 0; i < n && complete; i++)
        complete =
            add_part(set, SLIP_WORK_DAMPING, velocity + i * size, n, system->damping + i * n, velocity);
    end_work(set->forms, -1);
    return complete;
}

static bool add_contact(const slip_exact *exact, slip_exact_set *set, int c)
{
    const slip_system *system = exact->system;
    const slip_contact *contact = &system->contacts[c];
    const int n = system->n, m = (int)system->contact_count, size = set->size;
    const double *velocity = set->position + n * size, *slip = set->slip + c * size,
                 *normal = slip + m * size, *force = normal + m * size, one = 1, minus = -1;
    const int done = SLIP_WORK_CONTACTS + c, taken = done + m;
    bool complete;
    if (!contact->slip.rest && contact->slip.constant == 0 && !contact->gap.rest) {
        complete = add_part(set, done, force, 1, &one, slip); /* zero in stick */
        end_work(set->forms, taken);
        return complete;
    }
    complete = add_part(set, done, force, n, contact->slip.row, velocity) &&
               (!contact->gap.rest || add_part(set, done, normal, n, contact->gap.row, velocity));
    end_work(set->forms, -1);
    complete = complete && add_part(set, taken, force, 1, &minus, slip);
    end_work(set->forms, -1);
    return complete;
}

/* ---- Their integrals. */

/* As in propagate.c, inner loops are compiled for each of the smallest sizes. */
#define SLIP_INLINE static inline __attribute__((always_inline))
#define SLIP_SIZED(size, function, ...)                                                                      \
    switch (size) {                                                                                          \
    case 4:                                                                                                  \
        function(4, __VA_ARGS__);                                                                            \
        break;                                                                                               \
    case 5:                                                                                                  \
        function(5, __VA_ARGS__);                                                                            \
        break;                                                                                               \
    default:                                                                                                 \
        function(size, __VA_ARGS__);                                                                         \
    }

typedef double pair __attribute__((vector_size(slip_exact_alignment), may_alias));

SLIP_INLINE int count_products(int size) /* an even number */
{
    const int count = size * (size + 1) / 2;
    return count + count % 2;
}

/* Factors of y_i y_j to a symmetric matrix. */
SLIP_INLINE void unpack(const int size, const double *factors, double *matrix)
{
    for (int i = 0; i < size; i++)
        for (int j = i; j < size; j++, factors++)
            matrix[i * size + j] = matrix[j * size + i] = i == j ? *factors : 0.5 * *factors;
}

/* The next term of the series: A^T S + S A, times a number. */
SLIP_INLINE void differentiate(const int size, const double *generator, double factor, const double *from,
                               double *to)
{
    double matrix[largest_form * largest_form], product[largest_form * largest_form];
    unpack(size, from, matrix);
    memset(product, 0, (size_t)(size * size) * sizeof *product);
    for (int k = 0; k < size; k++)
        for (int i = 0; i < size; i++) {
            const double entry = generator[k * size + i];
            for (int j = 0; j < size && entry != 0; j++)
                product[i * size + j] += entry * matrix[k * size + j];
        }
    for (int i = 0; i < size; i++)
        for (int j = i; j < size; j++)
            *to++ = factor * (product[i * size + j] + (i == j ? 0 : product[j * size + i]));
}

/* P(2 d) in place of P(d), with exp(A d). */
SLIP_INLINE void redouble(const int size, int padded, const double *columns, double *factors)
{
    double half[largest_form * largest_form];
    unpack(size, factors, half);
    for (int i = 0; i < size; i++, columns += padded) {
        double product[largest_form] = {0};
        for (int k = 0; k < size; k++)
            for (int j = 0; j < size; j++)
                product[j] += columns[k] * half[k * size + j];
        for (int j = i; j < size; j++, factors++) {
            double sum = 0;
            for (int k = 0; k < size; k++)
                sum += product[k] * columns[(j - i) * padded + k];
            *factors += i == j ? sum : 2 * sum;
        }
    }
}

/* Products of the entries of y, two at once as they are read; the last is zero where their number is odd. */
SLIP_INLINE void multiply(const int size, const double *y, pair *values)
{
    const int pairs = count_products(size) / 2;
#pragma GCC unroll 8
    for (int p = 0, i = 0, j = 0; p < pairs; p++) {
        const double first = y[i] * y[j];
        if (++j == size)
            j = ++i;
        const double second = i < size ? y[i] * y[j] : 0;
        if (++j == size)
            j = ++i;
        values[p] = (pair){first, second};
    }
}

/* sums = the works over a time, from y at its beginning and end. *known becomes false where their terms
 * cancel. */
SLIP_INLINE void subtract_ends(const int size, const slip_exact_forms *forms, double time,
                               const double *begin, const double *end, double *sums, bool *known)
{
    typedef long long bits __attribute__((vector_size(slip_exact_alignment)));
    const bits positive = {INT64_MAX, INT64_MAX};
    const int pairs = count_products(size) / 2;
    const pair *x = (const pair *)forms->primitive, *r = (const pair *)forms->drift;
    pair before[most_products / 2 + 1], after[most_products / 2 + 1];
    multiply(size, begin, before);
    multiply(size, end, after);
    for (int w = 0; w < forms->count; w++, x += pairs, r += pairs) {
        pair sum = {0, 0}, terms = {0, 0};
        for (int i = 0; i < pairs; i++) {
            const pair last = x[i] * after[i], first = (time * r[i] - x[i]) * before[i];
            sum += last + first;
            terms += (pair)((bits)last & positive) + (pair)((bits)first & positive);
        }
        sums[w] = sum[0] + sum[1];
        *known &= terms[0] + terms[1] <= 4096 * fabs(sums[w]);
    }
}

/* sums += factors[k] times the forms of y of the blocks k < count */
SLIP_INLINE void add_values(const int size, int works, const double *y, int count, const double *factors,
                            const double *forms, double *sums)
{
    const int pairs = count_products(size) / 2;
    pair values[most_products / 2 + 1];
    multiply(size, y, values);
    for (int k = 0; k < count; k++)
        for (int w = 0; w < works; w++, forms += 2 * pairs) {
            pair sum = {0, 0};
            for (int i = 0; i < pairs; i++)
                sum += ((const pair *)forms)[i] * values[i];
            sums[w] += factors[k] * (sum[0] + sum[1]);
        }
}

/* Fills the first term: the forms S times the step. */
static void fill_forms(slip_exact_set *set)
{
    slip_exact_forms *forms = set->forms;
    const int size = set->size;
    double matrix[largest_form * largest_form], *to;
    for (int w = 0; w < forms->count; w++) {
        memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
        for (int k = 0; k < forms->part_count; k++)
            if (forms->parts[k].work == w)
                slip_exact_multiply_add(size, 1, size, set->step, forms->parts[k].a, forms->parts[k].b,
                                        matrix);
        to = forms->taylor + w * forms->products;
        for (int i = 0; i < size; i++)
            for (int j = i; j < size; j++)
                *to++ = matrix[i * size + j] + (i == j ? 0 : matrix[j * size + i]);
    }
}

/* Fills the terms of the series in d/step; their sum is the lowest rung. */
static void fill_terms(slip_exact_set *set)
{
    slip_exact_forms *forms = set->forms;
    const int size = set->size, block = forms->products * forms->count;
    for (int w = 0; w < forms->count; w++) {
        double *term = forms->taylor + w * forms->products, *sum = forms->ladder + w * forms->products;
        for (int k = 1; k < forms->terms; k++, term += block) {
            const double factor = 2 * set->step / (k + 1);
            SLIP_SIZED(size, differentiate, set->generator, factor, term, term + block);
        }
        for (int k = 0; k < forms->terms; k++, term -= block)
            for (int i = 0; i < forms->products; i++)
                sum[i] += term[i]; /* added from the smallest on */
    }
    forms->rungs = 1;
}

/* Fills `seen`: the rows of the motion, those of normal and friction forces, these times A, and times A^2. */
static bool fill_seen(slip_exact_set *set, int motion, int count)
{
    slip_exact_forms *forms = set->forms;
    const int size = set->size, all = motion + 3 * count;
    SLIP_FREED double *rows = slip_alloc((int64_t)all * size, sizeof *rows);
    double *forces = rows + motion * size;
    forms->seen_rows = all + all % 2;
    forms->seen = slip_arena_array(&set->arena, (int64_t)forms->seen_rows * size + 1, sizeof(double));
    if (!rows || !forms->seen)
        return false;
    memcpy(rows, set->position, (size_t)(motion * size) * sizeof *rows);
    memcpy(forces, set->slip + count / 2 * size, (size_t)(count * size) * sizeof *rows);
    for (int k = 0; k < 2; k++)
        slip_exact_multiply_add(count, size, size, 1, forces + k * count * size, set->generator,
                                forces + (k + 1) * count * size);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < size; j++)
            forms->seen[j * forms->seen_rows + i] = rows[i * size + j];
    return true;
}

static bool fill(const slip_exact *exact, slip_exact_set *set)
{
    const slip_system *system = exact->system;
    const int64_t n = system->n, m = system->contact_count, size = set->size;
    slip_exact_forms *forms = set->forms = slip_arena_array(&set->arena, 1, sizeof *forms);
    if (!forms)
        return false;
    forms->parts = slip_arena_array(&set->arena, 2 * n + 3 * m, sizeof *forms->parts);
    forms->to = slip_arena_array(&set->arena, 2 * (SLIP_WORK_CONTACTS + 2 * m + 1), sizeof *forms->to);
    if (!forms->parts || !forms->to)
        return false;
    forms->minus = forms->to + SLIP_WORK_CONTACTS + 2 * m + 1;
    bool complete = fill_seen(set, 3 * (int)n, 2 * (int)m) && add_coordinates(exact, set);
    for (int c = 0; c < (int)m && complete; c++)
        complete = add_contact(exact, set, c);
    if (!complete)
        return false;
    forms->products = count_products((int)size);
    /* (2 rate step)^k / (k+1)! is below rounding; polynomials are of twice the degree of the motion's */
    forms->terms = set->rate > 0 ? 9 + 2 * set->late_terms : most_terms;
    const int64_t block = (int64_t)forms->products * forms->count;
    forms->taylor = slip_arena_array(&set->arena, block * forms->terms + 1, sizeof(double));
    forms->ladder = slip_arena_array(&set->arena, block * slip_exact_rungs + 1, sizeof(double));
    double *primitive = slip_arena_array(&set->arena, 2 * block + 1, sizeof *primitive);
    if (!forms->taylor || !forms->ladder || !primitive)
        return false;
    fill_forms(set);
    if (forms->count > 0 && slip_exact_primitive(set, forms->count, forms->products, forms->taylor, primitive,
                                                 primitive + block)) {
        for (int64_t i = 0; i < 2 * block; i++)
            primitive[i] /= set->step;
        forms->primitive = primitive;
        forms->drift = primitive + block;
    }
    return true;
}

/* Allocates and fills the forms of a set; on failure nothing is left allocated. */
static bool create(const slip_exact *exact, slip_exact_set *set)
{
    if (fill(exact, set))
        return true;
    set->forms = NULL;
    return false;
}

static void extend(slip_exact_set *set, int rung)
{
    slip_exact_forms *forms = set->forms;
    const int size = set->size, block = forms->products * forms->count;
    for (; forms->rungs <= rung; forms->rungs++) {
        const double *columns = set->ladder + (ptrdiff_t)(forms->rungs - 1) * size * set->padded;
        double *to = forms->ladder + forms->rungs * block;
        memcpy(to, to - block, (size_t)block * sizeof *to);
        for (int w = 0; w < forms->count; w++, to += forms->products)
            SLIP_SIZED(size, redouble, set->padded, columns, to);
    }
}

/* Lists powers of distance/step for the terms of the series that matter over a distance below the lowest rung
 * (or any distance of a polynomial motion, without rungs); returns their number. */
static int list_powers(const slip_exact_set *set, double distance, double *powers)
{
    static const double inverse[] = {0, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8, 1. / 9};
    const double x = distance / set->step, z = 2 * set->rate * distance;
    double power = x, size = 1;
    int count = 0;
    for (; count < set->forms->terms && size > 16 * DBL_EPSILON; power *= x) {
        powers[count++] = power;
        if (count > 2 * set->late_terms && set->rate > 0)
            size *= z * (count < 9 ? inverse[count] : 1. / 9);
    }
    return count;
}

/* sums = the works, from the states at both ends alone. False where that is not possible. */
static bool take_ends(const slip_exact *exact, double from, double to, double *sums)
{
    const slip_exact_set *set = exact->set;
    bool known = set->forms->primitive;
    double y[largest_form];
    if (!known)
        return false;
    slip_copy_few(set->padded, slip_exact_at(exact, from), y);
    SLIP_SIZED(set->size, subtract_ends, set->forms, to - from, y, slip_exact_at(exact, to), sums, &known);
    return known;
}

/* sums = the works, by the ladder. */
static void sum_rungs(const slip_exact *exact, double from, double to, double *sums)
{
    slip_exact_set *set = exact->set;
    slip_exact_forms *forms = set->forms;
    const int works = forms->count, block = forms->products * works;
    double y[largest_form], next[largest_form], powers[most_terms], distance = to - from;
    const double one = 1;
    for (int w = 0; w < works; w++)
        sums[w] = 0;
    if (forms->rungs == 0)
        fill_terms(set);
    slip_copy_few(set->padded, slip_exact_at(exact, from), y);
    int64_t left = set->rate > 0 ? (int64_t)(distance / set->step) : 0;
    distance -= (double)left * set->step;
    while (left > 0) {
        const int high = 63 - __builtin_clzll((uint64_t)left),
                  rung = high < slip_exact_rungs ? high : slip_exact_rungs - 1;
        slip_exact_climb(exact, rung, y, next);
        if (rung >= forms->rungs)
            extend(set, rung);
        SLIP_SIZED(set->size, add_values, works, y, 1, &one, forms->ladder + rung * block, sums);
        slip_copy_few(set->padded, next, y);
        left -= (int64_t)1 << rung;
    }
    const int terms = list_powers(set, distance, powers);
    SLIP_SIZED(set->size, add_values, works, y, terms, powers, forms->taylor, sums);
}

/* ---- Wide sets. */

/* Adds the powers at y, times a weight, to the works. */
static void add_powers(const slip_exact *exact, const double *y, double weight, double *works)
{
    const slip_system *system = exact->system;
    const slip_exact_set *set = exact->set;
    const int n = system->n, m = exact->loads.count, count = (int)system->contact_count;
    const double *s = y + set->size - m, *q = exact->shown, *v = q + n, *slip = q + 3 * n,
                 *normal = slip + count, *force = normal + count;
    slip_exact_sparse_apply(&set->sparse_motion, y, exact->shown);
    slip_exact_sparse_apply(&set->sparse_contacts, y, exact->shown + 3 * n);
    for (int i = 0; i < slip_system_coordinates(system); i++) {
        double load = 0, damping = 0;
        if (v[i] == 0)
            continue;
        for (int j = 0; j < m; j++)
            load += exact->loads.forces[i * m + j] * s[j];
        for (int j = 0; j < n && system->load_q; j++)
            load += system->load_q[i * n + j] * q[j] + system->load_v[i * n + j] * v[j];
        for (int j = 0; j < n && exact->series->skew; j++)
            load += 0.5 * (system->stiffness[j * n + i] - system->stiffness[i * n + j]) * q[j];
        for (int j = 0; j < n && exact->series->damped; j++)
            damping += system->damping[i * n + j] * v[j];
        works[SLIP_WORK_LOADS] += weight * load * v[i];
        works[SLIP_WORK_DAMPING] += weight * damping * v[i];
    }
    for (int c = 0; c < count; c++) {
        const slip_contact *contact = &system->contacts[c];
        double done = force[c] * slip[c];
        works[SLIP_WORK_CONTACTS + count + c] -= weight * done;
        if (contact->slip.rest || contact->slip.constant != 0 || contact->gap.rest) {
            done = 0;
            for (int j = 0; j < n; j++)
                done += v[j] * (force[c] * contact->slip.row[j] +
                                (contact->gap.rest ? normal[c] * contact->gap.row[j] : 0));
        }
        works[SLIP_WORK_CONTACTS + c] += weight * done;
    }
}

/* Adds the integral by Gauss's rule with seven nodes, exact to rounding over a radian. */
static void add_nodes(const slip_exact *exact, double from, double to, double *works)
{
    static const double node[] = {0, 0.40584515137739718, 0.74153118559939446, 0.94910791234275849},
                        weight[] = {0.4179591836734694, 0.38183005050511892, 0.27970539148927664,
                                    0.1294849661688697};
    const slip_exact_set *set = exact->set;
    const int64_t parts = (int64_t)fmax(ceil((to - from) * set->rate), set->rate > 0 ? 1 : 4);
    const double half = 0.5 * (to - from) / (double)parts;
    double *y = exact->moved, *next = exact->magnitude, reached = 0;
    memmove(y, slip_exact_at(exact, from), (size_t)set->padded * sizeof *y);
    for (int64_t k = 0; k < 7 * parts; k++) {
        const int at = (int)(k % 7) - 3, place = abs(at);
        const double there = half * ((double)(2 * (k / 7) + 1) + (at < 0 ? -node[place] : node[place]));
        slip_exact_propagate(exact, y, there - reached, next);
        add_powers(exact, next, half * weight[place], works);
        double *swap = y;
        y = next;
        next = swap;
        reached = there;
    }
}

/* Normal and friction forces at y, then their first and second derivatives. */
static __attribute__((noinline)) void show_forces(const slip_exact *exact, const double *y, double *forces)
{
    const slip_exact_set *set = exact->set;
    const int count = (int)exact->system->contact_count;
    for (int order = 0; order < 3; order++) {
        double *next = order % 2 ? exact->term : exact->swap;
        slip_exact_sparse_apply(&set->sparse_contacts, y, exact->shown);
        memcpy(forces + 2 * order * count, exact->shown + count, 2 * (size_t)count * sizeof *forces);
        slip_exact_sparse_apply(&set->sparse, y, next);
        y = next;
    }
}

bool slip_exact_works(const slip_exact *exact, double from, double to, double *works)
{
    slip_exact_set *set = exact->set;
    double *sums = exact->sums;
    if (set->wide) {
        add_nodes(exact, from, to, works);
        return true;
    }
    if (!set->forms && !create(exact, set))
        return false;
    const slip_exact_forms *forms = set->forms;
    if (forms->count == 0)
        return true;
    if (!take_ends(exact, from, to, sums))
        sum_rungs(exact, from, to, sums);
    for (int w = 0; w < forms->count; w++) {
        works[forms->to[w]] += sums[w];
        if (forms->minus[w] >= 0)
            works[forms->minus[w]] -= sums[w];
    }
    return true;
}

void slip_exact_see(const slip_exact *exact, double t, double *seen)
{
    slip_exact_set *set = exact->set;
    const int n = exact->system->n;
    if (set->wide) {
        slip_exact_state(exact, t, seen, seen + n, seen + 2 * n);
        show_forces(exact, slip_exact_at(exact, t), seen + 3 * n);
    } else if (set->forms || create(exact, set)) {
        slip_exact_show(set->forms->seen_rows, set->size, set->forms->seen, slip_exact_at(exact, t), seen);
    } else {
        slip_fail_memory(exact->ctx); /* the method that advances checks for this error */
        for (int64_t i = 0; i < 3 * n + 6 * exact->system->contact_count; i++)
            seen[i] = NAN;
    }
}

void slip_exact_forces(const slip_exact *exact, double t, double *forces)
{
    const int64_t count = exact->system->contact_count;
    if (exact->set->wide) {
        show_forces(exact, slip_exact_at(exact, t), forces);
        return;
    }
    slip_exact_see(exact, t, exact->shown);
    memcpy(forces, exact->shown + 3 * exact->system->n, 6 * (size_t)count * sizeof(double));
}
