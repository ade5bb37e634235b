/* Sums over vectors of any length, term by term in their order: the same bits wherever they are called. */
#ifndef SLIP_MATH_VECTOR_H
#define SLIP_MATH_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double slip_dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The sum of the sizes of the terms of a . b: what its rounding is measured by. */
static inline double slip_dot_size(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += fabs(a[i] * b[i]);
    return sum;
}

/* The largest |x_i|, without those that are not numbers; 0 of none. */
static inline double slip_largest(int64_t n, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Widens the box from low to high of that dimension so that the points are in it; an empty one goes from
 * infinity to minus infinity. */
static inline void slip_box_widen(int dimension, int64_t count, const double *points, double *low,
                                  double *high)
{
    for (int64_t i = 0; i < dimension * count; i++) {
        low[i % dimension] = fmin(low[i % dimension], points[i]);
        high[i % dimension] = fmax(high[i % dimension], points[i]);
    }
}

/* Not fmin and fmax, which are calls. Where one is not a number it is the second. */
static inline double slip_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double slip_larger(double a, double b)
{
    return a > b ? a : b;
}

/* Copies a few numbers. A loop would become a call of memcpy, or more work to set it up than to copy. */
static inline void slip_copy_few(int n, const double *from, double *to)
{
    if (n == 2)
        memcpy(to, from, 2 * sizeof *to);
    else if (n == 1)
        *to = *from;
    else if (n == 4)
        memcpy(to, from, 4 * sizeof *to);
    else if (n == 6)
        memcpy(to, from, 6 * sizeof *to);
    else
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* In space: the vector product a x b into c, and a over its length (zero stays zero). */
static inline void slip_cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline void slip_normalise(double a[3])
{
    const double length = sqrt(slip_dot(3, a, a));
    for (int k = 0; length > 0 && k < 3; k++)
        a[k] /= length;
}

/* Two unit vectors at right angles to the unit vector a and to each other. */
static inline void slip_tangents(const double a[3], double s[3], double t[3])
{
    int smallest = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(a[i]) < fabs(a[smallest]))
            smallest = i;
    for (int i = 0; i < 3; i++)
        s[i] = (i == smallest) - a[smallest] * a[i];
    slip_normalise(s);
    slip_cross(a, s, t);
}

/* Numbers from -0.5 to 0.5 that go on from a seed (the linear congruences of Knuth's MMIX). */
static inline void slip_fill_random(uint64_t *seed, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
    }
}

#endif
