/* Propagates y along a segment: by rungs of the ladder, and a series for the remaining distance.
 *
 * Most systems are so small that loops of unknown length cost more than the arithmetic in them: the functions
 * are compiled for the smallest sizes one by one. There the series uses the powers (A step)^k / k!, whose
 * products with y are independent of each other; larger systems have A step only, by which the terms are
 * multiplied one after the other. */
#include "method/exact/types.h"

#include <math.h>
#include <string.h>

#define SLIP_INLINE static inline __attribute__((always_inline))

/* result = A y. The first `upper` entries, an even number, have no influence on the others (the loads, which
 * come last): that block of A is zero and is skipped. */
SLIP_INLINE void apply(const int size, const int upper, const double *restrict columns,
                       const double *restrict x, double *restrict result)
{
    const int padded = size + size % 2;
    columns = __builtin_assume_aligned(columns, slip_exact_alignment);
    for (int i = 0; i < upper; i++)
        result[i] = columns[i] * x[0];
    for (int j = 1; j < upper; j++)
        for (int i = 0; i < upper; i++)
            result[i] += columns[j * padded + i] * x[j];
    for (int i = 0; i < upper; i++)
        result[i] += columns[upper * padded + i] * x[upper];
    for (int i = upper; i < padded; i++)
        result[i] = columns[upper * padded + i] * x[upper];
    for (int j = upper + 1; j < size; j++)
        for (int i = 0; i < padded; i++)
            result[i] += columns[j * padded + i] * x[j];
}

/* The number of terms of the series: the last one, (rate d)^k / k! of y, is below 2^-6 of rounding. (One term
 * more than needed if powers of A grew like powers of its rate; at first they may grow faster.) A load t^p
 * acts on a coordinate p terms later than others. */
static int count_terms(const slip_exact_set *set, double distance)
{
    static const double limit[] = {0, 3.46e-18, 2.63e-9, 2.75e-6, 9.55e-5, 8.39e-4, 3.68e-3, 1.08e-2};
    double reach = set->rate * fabs(distance);
    int count = 8;
    while (count > 1 && reach <= limit[count - 1])
        count--;
    count += set->late_terms;
    return count < slip_exact_degree && set->rate > 0 ? count : slip_exact_degree;
}

SLIP_INLINE void add_powers(const int size, const int upper, const slip_exact_set *set, double distance,
                            double *restrict y)
{
    const int padded = size + size % 2;
    int terms = count_terms(set, distance);
    const double x = distance / set->step, *power = set->powers + (terms - 1) * size * padded;
    double sum[slip_exact_small], term[slip_exact_small];
    apply(size, upper, power, y, sum);
    for (int k = terms - 1; k > 0; k--) {
        power -= size * padded;
        apply(size, upper, power, y, term);
        for (int i = 0; i < padded; i++)
            sum[i] = sum[i] * x + term[i];
    }
    for (int i = 0; i < padded; i++)
        y[i] += sum[i] * x;
}

static void add_terms(const slip_exact *exact, double distance, double *y)
{
    const slip_exact_set *set = exact->set;
    int terms = count_terms(set, distance);
    double *term = exact->swap, *next = exact->term, x = distance / set->step;
    memcpy(term, y, (size_t)set->padded * sizeof(double));
    for (int k = 1; k <= terms; k++) {
        apply(set->size, 0, set->powers, term, next);
        for (int i = 0; i < set->padded; i++) {
            term[i] = next[i] * (x / k);
            y[i] += term[i];
        }
    }
}

/* Propagates y over the rungs of the distance, in place; returns the remaining distance. */
SLIP_INLINE double climb(const int size, const int upper, slip_exact_set *set, double distance,
                         double *restrict y, double *restrict spare)
{
    const int padded = size + size % 2, top = slip_exact_rungs - 1;
    const size_t length = (size_t)padded * sizeof(double);
    if (set->rate == 0 || distance < set->step)
        return distance;
    int64_t parts = (int64_t)(distance / set->step), rungs = parts & ((1 << top) - 1);
    if (parts >> set->rungs > 0)
        slip_exact_ladder_extend(set, parts >> top > 0 ? top : 63 - __builtin_clzll((uint64_t)parts));
    for (int64_t longest = parts >> top; longest > 0; longest--) {
        apply(size, upper, set->ladder + (ptrdiff_t)top * size * padded, y, spare);
        memcpy(y, spare, length);
    }
    for (; rungs != 0; rungs &= rungs - 1) {
        apply(size, upper, set->ladder + (ptrdiff_t)__builtin_ctzll((uint64_t)rungs) * size * padded, y,
              spare);
        memcpy(y, spare, length);
    }
    return distance - (double)parts * set->step;
}

SLIP_INLINE void propagate(const int size, const int upper, slip_exact_set *set, const double *y,
                           double distance, double *result)
{
    const int padded = size + size % 2;
    double spare[slip_exact_small];
    memcpy(result, y, (size_t)padded * sizeof(double));
    distance = climb(size, upper, set, distance, result, spare);
    if (distance != 0)
        add_powers(size, upper, set, distance, result);
}

static __attribute__((noinline)) void propagate_large(const slip_exact *exact, const double *y,
                                                      double distance, double *result)
{
    slip_exact_set *set = exact->set;
    if (set->wide) {
        slip_exact_wide_propagate(exact, y, distance, result);
        return;
    }
    memcpy(result, y, (size_t)set->padded * sizeof(double));
    distance = climb(set->size, 0, set, distance, result, exact->swap);
    if (distance != 0)
        add_terms(exact, distance, result);
}

void slip_exact_propagate(const slip_exact *exact, const double *y, double distance, double *result)
{
    slip_exact_set *set = exact->set;
    switch (set->shape) {
    case -4:
        propagate(4, 2, set, y, distance, result);
        return;
    case -5:
        propagate(5, 2, set, y, distance, result);
        return;
    case 3:
        propagate(3, 0, set, y, distance, result);
        return;
    case 4:
        propagate(4, 0, set, y, distance, result);
        return;
    case 5:
        propagate(5, 0, set, y, distance, result);
        return;
    case 6:
        propagate(6, 0, set, y, distance, result);
        return;
    case 7:
        propagate(7, 0, set, y, distance, result);
        return;
    case 8:
        propagate(8, 0, set, y, distance, result);
        return;
    default:
        propagate_large(exact, y, distance, result);
    }
}

/* Products of `count` of the `rows` rows with y; the sums stay in registers. */
SLIP_INLINE void show(const int count, int rows, int size, const double *columns, const double *y,
                      double *result)
{
    double sum[slip_exact_small];
    columns = __builtin_assume_aligned(columns, slip_exact_alignment);
#pragma GCC unroll 8
    for (int i = 0; i < count; i++)
        sum[i] = columns[i] * y[0];
    for (int j = 1; j < size; j++) {
        columns = __builtin_assume_aligned(columns + rows, slip_exact_alignment);
#pragma GCC unroll 8
        for (int i = 0; i < count; i++)
            sum[i] += columns[i] * y[j];
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; i++)
        result[i] = sum[i];
}

SLIP_INLINE void show_all(int rows, const int size, const double *columns, const double *y, double *result)
{
    int at = 0;
    for (; at + 6 <= rows; at += 6)
        show(6, rows, size, columns + at, y, result + at);
    for (; at + 4 <= rows; at += 4)
        show(4, rows, size, columns + at, y, result + at);
    for (; at < rows; at += 2)
        show(2, rows, size, columns + at, y, result + at);
}

void slip_exact_show(int rows, int size, const double *columns, const double *y, double *result)
{
    switch (size) {
    case 4:
        show_all(rows, 4, columns, y, result);
        return;
    case 5:
        show_all(rows, 5, columns, y, result);
        return;
    default:
        show_all(rows, size, columns, y, result);
    }
}

void slip_exact_climb(const slip_exact *exact, int rung, const double *y, double *result)
{
    slip_exact_set *set = exact->set;
    if (set->wide) {
        slip_exact_wide_propagate(exact, y, ldexp(set->step, rung), result);
        return;
    }
    if (rung >= set->rungs)
        slip_exact_ladder_extend(set, rung);
    const double *columns = set->ladder + (ptrdiff_t)rung * set->size * set->padded;
    switch (set->shape) {
    case -4:
        apply(4, 2, columns, y, result);
        return;
    case -5:
        apply(5, 2, columns, y, result);
        return;
    default:
        apply(set->size, 0, columns, y, result);
    }
}
