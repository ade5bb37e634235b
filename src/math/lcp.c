/* Lemke's method (R. W. Cottle, J.-S. Pang, R. E. Stone: The linear complementarity problem, SIAM 2009,
 * section 4.4). The problem is widened by one variable z0,
 *
 *     w - M z - d z0 = q,   d = (1, ..., 1),
 *
 * which has an obvious almost complementary basis; a path of pivots keeps all but one pair complementary
 * until z0 leaves.
 *
 * The tableau has n rows and the columns w (0 .. n-1), z (n .. 2n-1), z0 (2n), right side (2n+1). The columns
 * of w begin as the identity, so that they are the inverse of the basis at any time: they break ties in the
 * ratio test, lexicographically, and no basis comes back. */
#include "math/lcp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct tableau {
    int n, width;
    double *cells;
    int *basis; /* the column that is basic in each row */
} tableau;

int64_t slip_lcp_numbers(int n)
{
    return (int64_t)n * (2 * (int64_t)n + 2);
}

int64_t slip_lcp_indices(int n)
{
    return n;
}

static double *row_of(const tableau *t, int row)
{
    return t->cells + (int64_t)row * t->width;
}

/* The order of the columns in the lexicographic comparison: the right side, then those of w. */
static int compare_column(const tableau *t, int k)
{
    return k == 0 ? 2 * t->n + 1 : k - 1;
}

/* Entries of rows in order; what differs by rounding only is the same. Right sides are scaled to at most 1.
 */
static int compare(const tableau *t, int a, int b, int column, int entering)
{
    const double *x = row_of(t, a), *y = row_of(t, b);
    double left = x[column] / x[entering], right = y[column] / y[entering];
    if (fabs(left - right) <= 1e-11 * (1 + fabs(left) + fabs(right)))
        return 0;
    return left < right ? -1 : 1;
}

/* Is row a lexicographically before row b, each divided by its entry in the entering column? */
static bool before(const tableau *t, int a, int b, int entering)
{
    for (int k = 0; k <= t->n; k++) {
        int order = compare(t, a, b, compare_column(t, k), entering);
        if (order != 0)
            return order < 0;
    }
    return a < b;
}

static void pivot(tableau *t, int row, int column)
{
    double *own = row_of(t, row), factor = 1 / own[column];
    for (int k = 0; k < t->width; k++)
        own[k] *= factor;
    own[column] = 1;
    for (int i = 0; i < t->n; i++) {
        double *other = row_of(t, i), weight = other[column];
        if (i == row || weight == 0)
            continue;
        for (int k = 0; k < t->width; k++)
            other[k] -= weight * own[k];
        other[column] = 0;
    }
    t->basis[row] = column;
}

/* The row that leaves when the column enters; -1 where nothing stops it (a ray). z0 leaves wherever it may.
 */
static int leaving_row(const tableau *t, int entering)
{
    int best = -1, artificial = -1;
    double largest = 0;
    for (int i = 0; i < t->n; i++)
        largest = fmax(largest, fabs(row_of(t, i)[entering]));
    for (int i = 0; i < t->n; i++) {
        if (!(row_of(t, i)[entering] > 1e-12 * largest))
            continue;
        if (t->basis[i] == 2 * t->n)
            artificial = i;
        if (best < 0 || before(t, i, best, entering))
            best = i;
    }
    if (artificial >= 0 && compare(t, best, artificial, 2 * t->n + 1, entering) == 0)
        return artificial;
    return best;
}

static void fill(tableau *t, const double *matrix, const double *constant, double scale)
{
    int n = t->n;
    memset(t->cells, 0, (size_t)slip_lcp_numbers(n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        double *row = row_of(t, i);
        row[i] = 1;
        for (int j = 0; j < n; j++)
            row[n + j] = -matrix[i * n + j];
        row[2 * n] = -1;
        row[2 * n + 1] = constant[i] / scale;
        t->basis[i] = i;
    }
}

/* z0 enters at the most negative constant; of several the last one, which is the lexicographic minimum of the
 * rows (q_i, e_i): then every other row less this one is lexicographically positive. */
static int first_row(const tableau *t)
{
    int worst = 0;
    for (int i = 1; i < t->n; i++)
        if (row_of(t, i)[2 * t->n + 1] <= row_of(t, worst)[2 * t->n + 1])
            worst = i;
    return worst;
}

slip_lcp_outcome slip_lcp_lemke(int n, const double *matrix, const double *constant, double *z,
                                double *numbers, int *indices)
{
    tableau t = {n, 2 * n + 2, numbers, indices};
    int row, column, left, limit = 50 * (n + 1);
    double scale = 0;
    bool trivial = true;
    for (int i = 0; i < n; i++) {
        z[i] = 0;
        trivial &= constant[i] >= 0;
        scale = fmax(scale, fabs(constant[i]));
    }
    if (trivial)
        return SLIP_LCP_SOLVED;
    fill(&t, matrix, constant, scale);
    row = first_row(&t);
    column = 2 * n;
    for (int count = 0; count < limit; count++) {
        left = t.basis[row];
        pivot(&t, row, column);
        if (left == 2 * n) {
            for (int i = 0; i < n; i++)
                if (t.basis[i] >= n)
                    z[t.basis[i] - n] = fmax(0, scale * row_of(&t, i)[2 * n + 1]);
            return SLIP_LCP_SOLVED;
        }
        column = left < n ? left + n : left - n; /* the partner of what left */
        row = leaving_row(&t, column);
        if (row < 0)
            return SLIP_LCP_RAY;
    }
    return SLIP_LCP_LIMIT;
}
