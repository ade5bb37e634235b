#include "math/dense.h"

#include "base/memory.h"
#include "slipstick/base.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

bool slip_dense_invert_spd(int n, double *matrix)
{
    if (LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, matrix, n) != 0 ||
        LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, matrix, n) != 0)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            matrix[i * n + j] = matrix[j * n + i];
    return true;
}

bool slip_dense_invert(int n, double *matrix, int *pivots)
{
    if (n == 0) /* which LAPACK does not take */
        return true;
    if (n == 1) {
        matrix[0] = 1 / matrix[0];
        return isfinite(matrix[0]);
    }
    /* The inverse of the transpose is the transpose of the inverse: which order the rows have is the same. */
    return LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, matrix, n, pivots) == 0 &&
           LAPACKE_dgetri(LAPACK_COL_MAJOR, n, matrix, n, pivots) == 0;
}

int slip_dense_invert_signed(int n, double *matrix, int *pivots, double *inverse_size)
{
    int sign = 1;
    *inverse_size = 0;
    if (n == 0)
        return 1;
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, matrix, n, pivots) != 0)
        return 0;
    for (int i = 0; i < n; i++) {
        sign *= matrix[(int64_t)i * n + i] > 0 ? 1 : -1;
        sign *= pivots[i] == i + 1 ? 1 : -1;
    }
    if (LAPACKE_dgetri(LAPACK_COL_MAJOR, n, matrix, n, pivots) != 0)
        return 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(matrix[(int64_t)i * n + j]);
        *inverse_size = sum > *inverse_size || !isfinite(sum) ? sum : *inverse_size;
    }
    return isfinite(*inverse_size) ? sign : 0;
}

/* Small matrices need no memory: what fails then is the matrix. */
enum { few_numbers = 512 };

bool slip_dense_singular(int n, double *matrix, double *values, double *left, double *right)
{
    double few[few_numbers], *superdiagonal = n <= few_numbers ? few : malloc(sizeof(double) * (size_t)n);
    bool good = superdiagonal && LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', n, n, matrix, n, values, left, n,
                                                right, n, superdiagonal) == 0;
    if (superdiagonal != few)
        free(superdiagonal);
    for (int i = 0; i < n && good; i++)
        for (int j = 0; j < i; j++) {
            const double swap = right[(int64_t)i * n + j];
            right[(int64_t)i * n + j] = right[(int64_t)j * n + i];
            right[(int64_t)j * n + i] = swap;
        }
    return good;
}

bool slip_dense_eigenvalues(int n, double *matrix, double *values)
{
    return LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, matrix, n, values) == 0;
}

bool slip_dense_eigenvectors(int n, double *matrix, double *values)
{
    return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, matrix, n, values) == 0;
}

bool slip_dense_eigenvectors_pair(int n, double *a, double *b, double *values)
{
    return LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'U', n, a, n, b, n, values) == 0;
}

/* Row by row, the matrix is its transpose column by column: right subspaces of that are left ones of this. */
int slip_dense_invariant(int n, double *matrix, double *scale, double *part,
                         void (*choose)(void *user, int n, const double *real, const double *imaginary,
                                        int *wanted),
                         void *user)
{
    double condition, separation;
    SLIP_FREED double *values = calloc(3 * (size_t)n + 1, sizeof *values);
    int low, high, count = -1;
    SLIP_FREED int *wanted = calloc((size_t)n + 1, sizeof *wanted);
    if (values && wanted && LAPACKE_dgebal(LAPACK_COL_MAJOR, 'S', n, matrix, n, &low, &high, scale) == 0 &&
        LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, matrix, n, &low, values, values + n, part, n) ==
            0) {
        choose(user, n, values, values + n, wanted);
        /* LAPACKE_dtrsen lets LAPACK write to an array that it does not allocate here: with our own */
        if (LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', wanted, n, matrix, n, part, n, values, values + n,
                                &count, &condition, &separation, values + 2 * n, n, &low, 1) != 0)
            count = -1;
    }
    return count;
}

int slip_dense_decompose(int rows, int columns, double *matrix, double *values, double *left, double *right)
{
    const int least = rows < columns ? rows : columns;
    SLIP_FREED double *rest = slip_alloc((int64_t)least + 1, sizeof *rest);
    if (!rest)
        return SLIP_ERROR_MEMORY;
    /* By columns it is the transpose: what is left and what is right change places. */
    const int found = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'A', columns, rows, matrix, columns, values,
                                     right, columns, left, rows, rest);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < i; k++) {
            const double swap = left[i * rows + k];
            left[i * rows + k] = left[k * rows + i];
            left[k * rows + i] = swap;
        }
    return found == 0 ? SLIP_OK : SLIP_ERROR_SOLVER;
}

int slip_dense_eigenvectors_any(int n, double *matrix, double *real, double *imaginary, double *vectors)
{
    int low, high;
    double norm;
    SLIP_FREED double *numbers = calloc(3 * (size_t)n + 1, sizeof *numbers);
    if (!numbers)
        return SLIP_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            const double swap = matrix[i * n + k];
            matrix[i * n + k] = matrix[k * n + i];
            matrix[k * n + i] = swap;
        }
    const int found =
        LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'N', 'V', 'N', n, matrix, n, real, imaginary, NULL, n, vectors,
                       n, &low, &high, numbers, &norm, numbers + n, numbers + 2 * n);
    return found == 0                                                                    ? SLIP_OK
           : found == LAPACK_WORK_MEMORY_ERROR || found == LAPACK_TRANSPOSE_MEMORY_ERROR ? SLIP_ERROR_MEMORY
                                                                                         : SLIP_ERROR_SOLVER;
}

bool slip_dense_eigenvectors_pair_below(int n, double *a, double *b, double limit, double *values,
                                        double *vectors, int *count, int *room)
{
    return LAPACKE_dsygvx(LAPACK_COL_MAJOR, 1, 'V', 'V', 'U', n, a, n, b, n, -DBL_MAX, limit, 0, 0,
                          2 * LAPACKE_dlamch('S'), count, values, vectors, n, room) == 0;
}

bool slip_dense_triangle(int n, double *matrix)
{
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, matrix, n) != 0)
        return false;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            matrix[i * n + k] = 0;
    return true;
}

bool slip_dense_solve(int m, double *matrix, double *right)
{
    return slip_dense_solve_above(m, matrix, right, 1e-13);
}

static void swap_numbers(double *a, double *b)
{
    const double swap = *a;
    *a = *b;
    *b = swap;
}

/* Gauss's elimination with partial pivoting: the factors take the place of what they eliminate. Of right,
 * scales and pivots any may be NULL. */
static bool eliminate(int m, double *matrix, double *right, double *scales, int *pivots, double least)
{
    /* Every row to size one: then a pivot at rounding is one below a number, even where all that elimination
     * has left is rounding. */
    for (int i = 0; i < m; i++) {
        double size = 0;
        for (int k = 0; k < m; k++)
            size = fabs(matrix[i * m + k]) > size ? fabs(matrix[i * m + k]) : size;
        if (!(size > 0) || !isfinite(size))
            return false;
        for (int k = 0; k < m; k++)
            matrix[i * m + k] /= size;
        if (right)
            right[i] /= size;
        if (scales)
            scales[i] = size;
    }
    for (int i = 0; i < m; i++) {
        int pivot = i;
        for (int j = i; j < m; j++)
            if (fabs(matrix[j * m + i]) > fabs(matrix[pivot * m + i]))
                pivot = j;
        if (!(fabs(matrix[pivot * m + i]) > least))
            return false;
        for (int k = 0; k < m && pivot != i; k++)
            swap_numbers(&matrix[i * m + k], &matrix[pivot * m + k]);
        if (right)
            swap_numbers(&right[i], &right[pivot]);
        if (pivots)
            pivots[i] = pivot;
        for (int j = i + 1; j < m; j++) {
            const double factor = matrix[j * m + i] / matrix[i * m + i];
            if (factor == 0)
                continue;
            for (int k = i + 1; k < m; k++)
                matrix[j * m + k] -= factor * matrix[i * m + k];
            matrix[j * m + i] = factor;
            if (right)
                right[j] -= factor * right[i];
        }
    }
    return true;
}

static void substitute_back(int m, const double *matrix, double *right)
{
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            right[i] -= matrix[i * m + k] * right[k];
        right[i] /= matrix[i * m + i];
    }
}

bool slip_dense_solve_above(int m, double *matrix, double *right, double least)
{
    if (!eliminate(m, matrix, right, NULL, NULL, least))
        return false;
    substitute_back(m, matrix, right);
    return true;
}

bool slip_dense_factor_above(int m, double *matrix, double *scales, int *pivots, double least)
{
    return eliminate(m, matrix, NULL, scales, pivots, least);
}

void slip_dense_solve_factored(int m, const double *matrix, const double *scales, const int *pivots,
                               double *right)
{
    for (int i = 0; i < m; i++)
        right[i] /= scales[i];
    for (int i = 0; i < m; i++)
        swap_numbers(&right[i], &right[pivots[i]]);
    for (int j = 1; j < m; j++)
        for (int i = 0; i < j; i++)
            right[j] -= matrix[j * m + i] * right[i];
    substitute_back(m, matrix, right);
}

int slip_dense_dependent(int n, double *matrix, double rounding)
{
    const int failed = (int)LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, matrix, n);
    const int known = failed > 0 ? failed - 1 : n;
    for (int64_t i = 0; i < known; i++)
        if (matrix[i * n + i] * matrix[i * n + i] < rounding)
            return (int)i;
    return known < n ? known : -1;
}

/* Not by LAPACK: its threads cost more than they bring here, and the bits depend on them. */
bool slip_dense_factor(int m, double *restrict matrix, int *pivots)
{
    for (int i = 0; i < m; i++) {
        double *own = matrix + (int64_t)i * m;
        pivots[i] = i;
        for (int j = i + 1; j < m; j++)
            if (fabs(matrix[(int64_t)j * m + i]) > fabs(matrix[(int64_t)pivots[i] * m + i]))
                pivots[i] = j;
        for (int k = 0; k < m && pivots[i] != i; k++) {
            double swap = own[k];
            own[k] = matrix[(int64_t)pivots[i] * m + k];
            matrix[(int64_t)pivots[i] * m + k] = swap;
        }
        if (!(fabs(own[i]) > 0))
            return false;
        for (int j = i + 1; j < m; j++) {
            double *other = matrix + (int64_t)j * m, factor = other[i] / own[i];
            other[i] = factor;
            for (int k = i + 1; k < m && factor != 0; k++)
                other[k] -= factor * own[k];
        }
    }
    return true;
}

void slip_dense_substitute(int m, const double *factors, const int *pivots, double *right)
{
    for (int i = 0; i < m; i++) {
        double value = right[pivots[i]];
        right[pivots[i]] = right[i];
        right[i] = value;
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < i; k++)
            right[i] -= factors[(int64_t)i * m + k] * right[k];
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            right[i] -= factors[(int64_t)i * m + k] * right[k];
        right[i] /= factors[(int64_t)i * m + i];
    }
}
