/* Complementarity with a positive definite matrix, by block principal pivoting (J. J. Judice, F. M. Pires:
 * Computers and Operations Research 21, 1994): solve with the unknowns that are free, exchange all that come
 * out with the wrong sign. That takes few rounds but may go in circles; where it does not get better, only
 * the last one is exchanged, which cannot (K. G. Murty 1974). */
#include "math/dense.h"
#include "math/lcp.h"
#include "math/vector.h"

#include <math.h>

/* Below this share of the largest number of its kind a wrong sign is rounding. */
static const double rounding = 1e-13;

/* How many rounds may be no better before it goes one by one. */
enum { patience = 4 };

int64_t slip_lcp_definite_numbers(int n)
{
    return (int64_t)n * n + 2 * (int64_t)n;
}

int64_t slip_lcp_definite_indices(int n)
{
    return n;
}

/* L L^T = the rows and columns of the matrix that are listed; false when not positive definite. */
static bool factor(int n, const double *matrix, int count, const int *list, double *lower)
{
    for (int i = 0; i < count; i++) {
        const double *row = matrix + (int64_t)list[i] * n;
        double *own = lower + (int64_t)i * count;
        for (int k = 0; k < i; k++) {
            const double *other = lower + (int64_t)k * count;
            own[k] = (row[list[k]] - slip_dense_dot(k, own, other)) / other[k];
        }
        double pivot = row[list[i]] - slip_dense_dot(i, own, own);
        if (!(pivot > 0))
            return false;
        own[i] = sqrt(pivot);
    }
    return true;
}

static void substitute(int count, const double *lower, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = (x[i] - slip_dense_dot(i, lower + (int64_t)i * count, x)) / lower[(int64_t)i * count + i];
    for (int i = count - 1; i >= 0; i--) {
        x[i] /= lower[(int64_t)i * count + i];
        for (int k = 0; k < i; k++)
            x[k] -= x[i] * lower[(int64_t)i * count + k];
    }
}

/* z of the free unknowns into `free_z`, w of the others into z. */
static bool solve(int n, const double *matrix, const double *constant, const bool *basic, int *list,
                  double *z, double *free_z, double *lower)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (basic[i])
            list[count++] = i;
    if (!factor(n, matrix, count, list, lower))
        return false;
    for (int i = 0; i < count; i++)
        free_z[i] = -constant[list[i]];
    substitute(count, lower, free_z);
    for (int i = 0; i < n; i++) {
        const double *row = matrix + (int64_t)i * n;
        z[i] = constant[i];
        for (int k = 0; k < count && !basic[i]; k++)
            z[i] += row[list[k]] * free_z[k];
    }
    for (int i = 0; i < count; i++)
        z[list[i]] = free_z[i];
    return true;
}

bool slip_lcp_definite(int n, const double *matrix, const double *constant, bool *basic, double *z,
                       double *numbers, int *indices)
{
    double *lower = numbers, *free_z = numbers + (int64_t)n * n, size = 0;
    int best = n + 1, left = patience;
    size = fmax(size, slip_largest(n, constant));
    for (int64_t round = 0; round < 100 + 20 * (int64_t)n; round++) {
        int wrong = 0, last = -1;
        double largest = 0;
        if (!solve(n, matrix, constant, basic, indices, z, free_z, lower))
            return false;
        for (int i = 0; i < n; i++)
            largest = basic[i] ? fmax(largest, z[i]) : largest;
        for (int i = 0; i < n; i++)
            if (z[i] < -rounding * (basic[i] ? largest : size)) {
                wrong++;
                last = i;
            }
        if (wrong == 0) {
            for (int i = 0; i < n; i++)
                z[i] = basic[i] ? fmax(z[i], 0) : 0;
            return true;
        }
        left = wrong < best ? patience : left - 1;
        best = wrong < best ? wrong : best;
        for (int i = 0; i < n; i++)
            if (left > 0 ? z[i] < -rounding * (basic[i] ? largest : size) : i == last)
                basic[i] = !basic[i];
    }
    return false;
}
