/* Factorisation of sparse symmetric positive definite matrices: supernodal L L^T by CHOLMOD, ordered by
 * minimum degree or METIS, whichever it expects to fill less. */
#ifndef SLIP_MATH_FACTOR_H
#define SLIP_MATH_FACTOR_H

#include "math/sparse.h"

typedef struct slip_factor slip_factor;

/* Fails with SLIP_ERROR_SOLVER where the matrix is not positive definite; then *unknown (may be NULL) is the
 * unknown whose pivot is not positive, or -1 after any other error. */
int slip_factor_create(slip_context *ctx, const slip_sparse *matrix, slip_factor **factor, int64_t *unknown);
void slip_factor_destroy(slip_factor *factor);

/* Solves for `count` right-hand sides, one after the other in memory; solution and right may be the same.
 * Blocks of some 64 cost far less each than one at a time. Uses scratch memory of the factor: one thread at
 * a time. */
int slip_factor_solve(slip_context *ctx, slip_factor *factor, int64_t count, const double *right,
                      double *solution);

/* An estimate of 1/condition from the pivots; 0 where singular. Cheap, and never too small by much. */
double slip_factor_reciprocal_condition(const slip_factor *factor);

/* Numbers of the factor in memory. */
int64_t slip_factor_entries(const slip_factor *factor);

#endif
