/* Small dense matrices, row by row. The only place that calls LAPACK and BLAS. */
#ifndef SLIP_MATH_DENSE_H
#define SLIP_MATH_DENSE_H

#include <stdbool.h>

/* Inverts a symmetric positive definite matrix in place. Returns false when it is not positive definite. */
bool slip_dense_invert_spd(int n, double *matrix);

/* Inverts any matrix in place; `pivots` has room for n numbers. Returns false when it is singular. */
bool slip_dense_invert(int n, double *matrix, int *pivots);

/* The same, with the sign of the determinant (0 where a pivot is zero, then there is no inverse) and the size
 * of the inverse, its largest sum of |.| over a row. Of size 0 the sign is 1. */
int slip_dense_invert_signed(int n, double *matrix, int *pivots, double *inverse_size);

/* Singular values (descending, values[n]) and vectors: matrix = left diag(values) right^T; the columns of
 * left and right are the vectors. The matrix is overwritten. Returns false when LAPACK does not converge. */
bool slip_dense_singular(int n, double *matrix, double *values, double *left, double *right);

/* Eigenvalues of a symmetric matrix, ascending, into values[n]; the matrix is overwritten. Returns false when
 * LAPACK does not converge or is out of memory. */
bool slip_dense_eigenvalues(int n, double *matrix, double *values);

/* The same with eigenvectors, which overwrite the matrix: n numbers each, one after the other. */
bool slip_dense_eigenvectors(int n, double *matrix, double *values);

/* Eigenvalues, ascending, and vectors of a x = value b x, b positive definite; vectors overwrite a and are
 * orthonormal in b, which is overwritten too. */
bool slip_dense_eigenvectors_pair(int n, double *a, double *b, double *values);
/* Only those with values up to a limit; a is overwritten too. vectors: room for n of them; room: n numbers.
 */
bool slip_dense_eigenvectors_pair_below(int n, double *a, double *b, double limit, double *values,
                                        double *vectors, int *count, int *room);

/* Eigenvalues of any matrix, and its fastest part. The matrix, row by row, is balanced by powers of two, D
 * matrix D^-1, and reduced to Schur's form; `scale` gets D. The caller says by choose(), which sees all
 * eigenvalues, which of them are wanted; then the rows of `part`, which has room for n x n numbers, are an
 * orthonormal basis of the left invariant subspace of the balanced matrix that belongs to them. Returns how
 * many these are; -1 when LAPACK does not converge. */
int slip_dense_invariant(int n, double *matrix, double *scale, double *part,
                         void (*choose)(void *user, int n, const double *real, const double *imaginary,
                                        int *wanted),
                         void *user);

/* matrix = sum of values[k] left_k right_k^T, of any shape; values descending, min(rows, columns) of them.
 * The vectors stand one after the other: `rows` left ones, `columns` right ones, all of a basis. The matrix
 * is overwritten. SLIP_ERROR_SOLVER where LAPACK fails, SLIP_ERROR_MEMORY. */
int slip_dense_decompose(int rows, int columns, double *matrix, double *values, double *left, double *right);

/* Eigenvalues and vectors of any matrix, which is balanced and overwritten. Vectors stand one after the
 * other; of a pair real +- i imaginary, which stand together with the positive one first, the first is the
 * real part and the second the imaginary part. SLIP_OK, SLIP_ERROR_MEMORY, or SLIP_ERROR_SOLVER where LAPACK
 * found none. */
int slip_dense_eigenvectors_any(int n, double *matrix, double *real, double *imaginary, double *vectors);

/* The triangle R with R^T R = matrix in place, by columns; below it zeros. False when not positive definite.
 */
bool slip_dense_triangle(int n, double *matrix);

/* Solves matrix x = right by elimination with partial pivoting, for the few unknowns of contact problems;
 * both are overwritten, x is in `right`. Returns false when the matrix is singular to rounding. */
bool slip_dense_solve(int m, double *matrix, double *right);

/* The same, and false where a pivot is not above `least` times the size of its row. */
bool slip_dense_solve_above(int m, double *matrix, double *right, double least);

/* The same in two parts: what is left in the matrix, in `scales` and in `pivots` (m numbers each) solves for
 * any right side, in place. */
bool slip_dense_factor_above(int m, double *matrix, double *scales, int *pivots, double least);
void slip_dense_solve_factored(int m, const double *matrix, const double *scales, const int *pivots,
                               double *right);

/* The same in two parts, for more than one right side and for many unknowns. */
bool slip_dense_factor(int m, double *matrix, int *pivots);
void slip_dense_substitute(int m, const double *factors, const int *pivots, double *right);

/* The first row of a symmetric positive semidefinite matrix with unit diagonal that depends on the rows
 * before it: what elimination leaves of its diagonal is below `rounding`. -1 when there is none. The matrix
 * is overwritten. */
int slip_dense_dependent(int n, double *matrix, double rounding);

/* a . b in eight sums side by side, which the processor can form at once; always in the same order. */
static inline double slip_dense_dot(int n, const double *a, const double *b)
{
    double sums[8] = {0}, rest = 0;
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        rest += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest;
}

#endif
