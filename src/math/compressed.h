/* Sparse matrices of any kind by compressed columns. */
#ifndef SLIP_MATH_COMPRESSED_H
#define SLIP_MATH_COMPRESSED_H

#include "math/sparse.h"

/* Column j has the rows row[start[j]] to row[start[j + 1] - 1], in any order; entries that are there twice
 * are added. */
typedef struct slip_compressed {
    int64_t size;
    const int64_t *start, *row;
    const double *value;
} slip_compressed;

/* Fails with SLIP_ERROR_USAGE, and names the matrix, where the lists are not those of a matrix of this size
 * or a number is not finite. */
int slip_compressed_check(slip_context *ctx, const slip_compressed *matrix, int64_t size, const char *name);

/* product = A x or A^T x for `count` vectors, one after the other in memory; threads share the vectors. */
void slip_compressed_multiply(const slip_compressed *matrix, bool transposed, int64_t count, const double *x,
                              double *product);

/* What A and its transpose have in common, plus shift times B, which is symmetric: of two entries a_ij and
 * a_ji the smaller one, zero where their signs differ. Of a stiffness with friction, K + mu k t n^T, that is
 * K without friction where normal and tangent are along unknowns; (A + A^T)/2 need not be positive definite
 * there. */
int slip_compressed_symmetric(slip_context *ctx, const slip_compressed *a, double shift,
                              const slip_compressed *b, slip_sparse **symmetric);

#endif
