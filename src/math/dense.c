#include "math/dense.h"

#include <lapacke.h>
#include <math.h>

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
    if (n == 1) {
        matrix[0] = 1 / matrix[0];
        return isfinite(matrix[0]);
    }
    /* The inverse of the transpose is the transpose of the inverse: which order the rows have is the same. */
    return LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, matrix, n, pivots) == 0 &&
           LAPACKE_dgetri(LAPACK_COL_MAJOR, n, matrix, n, pivots) == 0;
}

bool slip_dense_eigenvalues(int n, double *matrix, double *values)
{
    return LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, matrix, n, values) == 0;
}
