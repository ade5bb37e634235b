/* Small dense eliminations for the exact propagator. Matrices row by row. */
#ifndef SLIP_METHOD_EXACT_REDUCE_H
#define SLIP_METHOD_EXACT_REDUCE_H

#include <stdbool.h>

/* Reduced row echelon form of k rows of n numbers with complete pivoting: afterwards the first `rank` rows
 * (the result) have a one in their column pivot[i] and zeros in each other's. Pivots are chosen where |entry|
 * weight is largest. `transform` (k x k, or NULL): the matrix by which the new rows follow from the old ones.
 * `sizes` and `candidate` are scratch, k numbers. */
int slip_exact_echelon(int k, int n, double *rows, double *transform, const double *weight, int *pivot,
                       double *sizes, int *candidate);

/* Solves the m x m system for `count` right sides (m x count) in place; the matrix is overwritten. False when
 * it is singular. */
bool slip_exact_solve(int m, double *matrix, int count, double *right);

/* result (n x count) += factor * matrix (n x m) * other (m x count) */
void slip_exact_multiply_add(int n, int m, int count, double factor, const double *matrix,
                             const double *other, double *result);

#endif
