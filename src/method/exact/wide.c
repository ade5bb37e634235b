/* Mode sets with many entries of y: hundreds of coordinates and contacts.
 *
 * Matrices exp(A h) would take size^3 operations for every set of modes, and modes change at every event. But
 * A has few non-zero entries, and a segment needs only products with one vector. So a wide set stores A, and
 * the rows of all recorded quantities, as sparse rows, and no dense matrix.
 *
 *     y(t + d) = sum of A^k y d^k/k!   in parts of at most one radian,
 *
 * costs some twenty products with A for a radian, and is good to rounding. The same vectors A^k y, k <= K =
 * 9, times the row of a condition are its Taylor coefficients. Its remainder over a step H is at most |row|
 * times
 *
 *     sum over k > K of |A|^k |y| H^k/k!,
 *
 * summed up to a term below 1e-13 of y; the later terms are bounded by weights w > 0 with |A| w <= g w: |x|
 * <= c w makes |A|^j |x| <= c g^j w. Half the step has at most 2^-(K+1) of that remainder. */
#include "method/exact/types.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { degree = slip_exact_degree };

bool slip_exact_is_wide(const slip_system *system)
{
    return 2 * system->n > slip_exact_narrow;
}

/* ---- Sparse rows. */

bool slip_exact_sparse_take(slip_arena *arena, int count, int size, const double *rows,
                            slip_exact_sparse *result)
{
    const int64_t all = (int64_t)count * size;
    int64_t entries = 0;
    for (int64_t k = 0; k < all; k++)
        entries += rows[k] != 0;
    result->count = count;
    result->first = slip_arena_array(arena, count + 1, sizeof(int));
    result->column = slip_arena_array(arena, entries + 1, sizeof(int));
    result->value = slip_arena_array(arena, entries + 1, sizeof(double));
    if (!result->first || !result->column || !result->value)
        return false;
    entries = 0;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < size; j++, rows++)
            if (*rows != 0) {
                result->column[entries] = j;
                result->value[entries++] = *rows;
            }
        result->first[i + 1] = (int)entries;
    }
    return true;
}

void slip_exact_sparse_give(const slip_exact_sparse *rows, int size, double *dense)
{
    for (int i = 0; i < rows->count; i++, dense += size) {
        memset(dense, 0, (size_t)size * sizeof *dense);
        for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
            dense[rows->column[k]] = rows->value[k];
    }
}

void slip_exact_sparse_apply(const slip_exact_sparse *rows, const double *y, double *result)
{
    for (int i = 0; i < rows->count; i++) {
        double sum = 0;
        for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
            sum += rows->value[k] * y[rows->column[k]];
        result[i] = sum;
    }
}

static void apply_sizes(const slip_exact_sparse *rows, double factor, const double *y, double *result)
{
    for (int i = 0; i < rows->count; i++) {
        double sum = 0;
        for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
            sum += fabs(rows->value[k]) * y[rows->column[k]];
        result[i] = factor * sum;
    }
}

double slip_exact_sparse_size(const slip_exact_sparse *row, const double *sizes)
{
    double sum = 0;
    for (int k = 0; k < row->first[1]; k++)
        sum += fabs(row->value[k]) * sizes[row->column[k]];
    return sum;
}

/* ---- The set. */

static double largest(int size, const double *x)
{
    double most = 0;
    for (int i = 0; i < size; i++)
        most = fmax(most, x[i]);
    return most;
}

/* The spectral radius of |A| from above: the 64th root of the largest entry of |A|^64 times a vector of ones.
 * */
static double find_rate(const slip_exact_sparse *a, double *x, double *next)
{
    double logarithm = 0;
    for (int i = 0; i < a->count; i++)
        x[i] = 1;
    for (int k = 0; k < 64; k++) {
        apply_sizes(a, 1, x, next);
        const double norm = largest(a->count, next);
        if (norm == 0)
            return 0;
        logarithm += log(norm);
        for (int i = 0; i < a->count; i++)
            x[i] = next[i] / norm;
    }
    return exp(logarithm / 64);
}

/* w = sum of (|A|/r)^k times ones, r a little more than the rate: |A| w = r (w - 1 + the next term). */
static void find_weights(slip_exact_set *set, double *term, double *next)
{
    const slip_exact_sparse *a = &set->sparse;
    for (int i = 0; i < set->size; i++)
        set->weights[i] = term[i] = 1;
    for (int k = 0; k < 40; k++) {
        apply_sizes(a, 1 / (1.25 * set->rate), term, next);
        for (int i = 0; i < set->size; i++)
            set->weights[i] += term[i] = next[i];
    }
    apply_sizes(a, 1, set->weights, next);
    for (int i = 0; i < set->size; i++)
        set->growth = fmax(set->growth, next[i] / set->weights[i]);
}

bool slip_exact_wide_build(slip_exact_set *set, int n, int contacts)
{
    SLIP_FREED double *work = slip_alloc(2 * (int64_t)set->size, sizeof *work);
    set->weights = slip_arena_array(&set->arena, set->size, sizeof *set->weights);
    const bool complete =
        work && set->weights &&
        slip_exact_sparse_take(&set->arena, set->size, set->size, set->generator, &set->sparse) &&
        slip_exact_sparse_take(&set->arena, 3 * n, set->size, set->position, &set->sparse_motion) &&
        slip_exact_sparse_take(&set->arena, 4 * contacts, set->size, set->slip, &set->sparse_contacts);
    if (complete) {
        set->rate = find_rate(&set->sparse, work, work + set->size);
        set->step = set->rate > 0 ? exp2(floor(-6 - log2(set->rate))) : 1;
        slip_exact_forget_level(set);
        set->slow_tried = set->size > slip_exact_decaying; /* the search needs the eigenvalues of A */
        if (set->rate > 0)
            find_weights(set, work, work + set->size);
    }
    return complete;
}

/* ---- Propagation. */

bool slip_exact_series_create(slip_exact *exact, int64_t size)
{
    enum { terms = degree + 1, sizes = degree + 2, all = terms + sizes + 4 };
    slip_exact_series *series = exact->series = slip_arena_array(&exact->arena, 1, sizeof *series);
    double *numbers = slip_arena_array(&exact->arena, all * size, sizeof *numbers);
    if (!series || !numbers)
        return false;
    for (int k = 0; k < terms; k++, numbers += size)
        series->terms[k] = numbers;
    for (int k = 0; k < sizes; k++, numbers += size)
        series->sizes[k] = numbers;
    series->remainder = numbers;
    series->rows = numbers + size; /* two of them */
    series->anchor = numbers + 3 * size;
    series->damped = slip_system_damped(exact->system);
    series->skew = slip_system_skew(exact->system);
    return true;
}

/* The last term is below 2^-6 of rounding (see count_terms in propagate.c). */
static int count_terms(const slip_exact_set *set, double distance)
{
    const double x = set->rate * fabs(distance);
    int count = 1;
    if (set->rate == 0)
        return degree;
    for (double term = x; term > 3.46e-18; term *= x / ++count)
        ;
    return count + set->late_terms;
}

void slip_exact_wide_propagate(const slip_exact *exact, const double *y, double distance, double *result)
{
    const slip_exact_set *set = exact->set;
    const int64_t parts = (int64_t)fmax(ceil(set->rate * fabs(distance)), 1);
    const double part = distance / (double)parts;
    const int count = count_terms(set, part);
    double *term = exact->term, *next = exact->swap;
    memcpy(result, y, (size_t)set->padded * sizeof(double));
    for (int64_t p = 0; p < parts && distance != 0; p++) {
        memcpy(term, result, (size_t)set->size * sizeof(double));
        for (int k = 1; k <= count; k++) {
            slip_exact_sparse_apply(&set->sparse, term, next);
            for (int i = 0; i < set->size; i++)
                result[i] += term[i] = next[i] * (part / k);
        }
    }
}

double slip_exact_wide_nearest(const slip_exact *exact, double t, const double **y)
{
    slip_exact_series *series = exact->series;
    const double far = ldexp(exact->set->step, slip_exact_wide_top),
                 times[] = {exact->t0, exact->walked_at, exact->arrival, series->anchor_at},
                 *const states[] = {exact->y0, exact->walked, exact->arrived, series->anchor};
    int nearest = 0;
    for (int k = 1; k < 4; k++)
        if (fabs(t - times[k]) < fabs(t - times[nearest]))
            nearest = k;
    *y = states[nearest];
    if (fabs(t - times[nearest]) <= far || exact->set->rate == 0)
        return times[nearest];
    /* for times in succession the last one is near */
    if (!(series->anchor_at <= t)) {
        memcpy(series->anchor, exact->y0, (size_t)exact->set->padded * sizeof(double));
        series->anchor_at = exact->t0;
    }
    for (; t - series->anchor_at > far; series->anchor_at += far) {
        slip_exact_wide_propagate(exact, series->anchor, far, exact->seen);
        memcpy(series->anchor, exact->seen, (size_t)exact->set->padded * sizeof(double));
    }
    *y = series->anchor;
    return series->anchor_at;
}

/* ---- Conditions. */

static double norm_of(const slip_exact_set *set, const double *x)
{
    double most = 0;
    for (int i = 0; i < set->size; i++)
        most = x[i] > most * set->weights[i] ? x[i] / set->weights[i] : most;
    return most;
}

static void fill_bounds(const slip_exact *exact, const double *y)
{
    const slip_exact_set *set = exact->set;
    const slip_exact_series *series = exact->series;
    const int size = set->size;
    const double step = ldexp(set->step, slip_exact_wide_top);
    double *remainder = series->remainder, *term = series->rows, *next = series->rows + size;
    for (int i = 0; i < size; i++)
        series->sizes[0][i] = fabs(y[i]);
    for (int k = 1; k <= degree + 1; k++)
        apply_sizes(&set->sparse, set->step / k, series->sizes[k - 1], series->sizes[k]);
    if (set->rate == 0)
        return;
    const double limit = 1e-13 * norm_of(set, series->sizes[0]),
                 scale = ldexp(1, slip_exact_wide_top * (degree + 1));
    for (int i = 0; i < size; i++)
        remainder[i] = term[i] = scale * series->sizes[degree + 1][i];
    for (int k = degree + 2;; k++) {
        apply_sizes(&set->sparse, step / k, term, next);
        double *swap = term;
        term = next;
        next = swap;
        const double ratio = set->growth * step / (k + 1), last = norm_of(set, term),
                     rest = ratio < 1 ? last * ratio / (1 - ratio) : INFINITY;
        const bool ends = !(rest > limit) || !(last <= DBL_MAX);
        for (int i = 0; i < size; i++)
            remainder[i] += term[i] + (ends ? rest * set->weights[i] : 0);
        if (ends)
            return;
    }
}

void slip_exact_series_fill(const slip_exact *exact, const double *y, bool bounds)
{
    const slip_exact_set *set = exact->set;
    const slip_exact_series *series = exact->series;
    memcpy(series->terms[0], y, (size_t)set->size * sizeof *y);
    for (int k = 1; k <= degree; k++) {
        slip_exact_sparse_apply(&set->sparse, series->terms[k - 1], series->terms[k]);
        for (int i = 0; i < set->size; i++)
            series->terms[k][i] *= set->step / k;
    }
    if (bounds)
        fill_bounds(exact, y);
}

void slip_exact_series_expand(const slip_exact *exact, const slip_exact_watch *watch, double *c)
{
    for (int k = 0; k <= degree; k++)
        slip_exact_sparse_apply(&watch->row, exact->series->terms[k], &c[k]);
}

void slip_exact_series_rows(const slip_exact *exact, const slip_exact_watch *watch, int first, double *c,
                            double *sizes)
{
    const slip_exact_set *set = exact->set;
    const slip_exact_sparse *a = &set->sparse;
    const double *y = exact->y;
    double *row = exact->series->rows, *next = row + set->size;
    memset(row, 0, (size_t)set->size * sizeof *row);
    for (int k = 0; k < watch->row.first[1]; k++)
        row[watch->row.column[k]] = watch->row.value[k];
    for (int order = 0; order <= degree; order++) {
        double sum = 0;
        sizes[order] = 0;
        memset(next, 0, (size_t)set->size * sizeof *next);
        for (int i = 0; i < set->size; i++) {
            const double factor = row[i] * (set->step / (order + 1));
            if (row[i] == 0)
                continue;
            sum += row[i] * y[i];
            sizes[order] += fabs(row[i] * y[i]);
            for (int k = a->first[i]; k < a->first[i + 1]; k++)
                next[a->column[k]] += factor * a->value[k];
        }
        if (order >= first)
            c[order] = sum;
        double *swap = row;
        row = next;
        next = swap;
    }
}
