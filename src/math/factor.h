/* Factorisation of sparse symmetric positive definite matrices: supernodal L L^T by CHOLMOD, ordered by
 * minimum degree or, where large, by METIS. */
#ifndef SLIP_MATH_FACTOR_H
#define SLIP_MATH_FACTOR_H

#include "math/sparse.h"

typedef struct slip_factor slip_factor;

/* `group` says which unknowns have the same neighbours, such as those of one node: group[i] is a number from
 * 0 on, the same for all of them. The groups are ordered then, a smaller graph. NULL: no groups. Fails with
 * SLIP_ERROR_SOLVER where the matrix is not positive definite; then *unknown (may be NULL) is the unknown
 * whose pivot is not positive, or -1 after any other error. */
int slip_factor_create(slip_context *ctx, const slip_sparse *matrix, const int64_t *group,
                       slip_factor **factor, int64_t *unknown);

/* The same in two steps. After the first slip_factor_entries says what the factor will need, before any of it
 * is allocated. */
int slip_factor_analyse(slip_context *ctx, const slip_sparse *matrix, const int64_t *group,
                        slip_factor **factor);
int slip_factor_compute(slip_context *ctx, const slip_sparse *matrix, slip_factor *factor, int64_t *unknown);
/* Numbers of the factor in memory. */
int64_t slip_factor_entries(const slip_factor *factor);
/* Additions and multiplications that the factorisation takes. */
double slip_factor_flops(const slip_factor *factor);

void slip_factor_destroy(slip_factor *factor);

/* Solves for `count` right-hand sides, one after the other in memory; solution and right may be the same.
 * Blocks of some 32 cost far less each than one at a time. Uses scratch memory of the factor, as large as the
 * solution: one thread at a time. */
int slip_factor_solve(slip_context *ctx, slip_factor *factor, int64_t count, const double *right,
                      double *solution);

/* Half of the work is saved where right-hand sides are zero but for a few unknowns that are near each other
 * (solve_from), or where the solution is wanted there only (solve_at: the rest of it is not the solution). */
typedef struct slip_unknowns {
    int64_t count;
    const int64_t *list;
} slip_unknowns;
int slip_factor_solve_from(slip_context *ctx, slip_factor *factor, slip_unknowns unknowns, int64_t count,
                           const double *right, double *solution);
int slip_factor_solve_at(slip_context *ctx, slip_factor *factor, slip_unknowns unknowns, int64_t count,
                         const double *right, double *solution);

/* The factor itself: P A P^T = L L^T. Row i of P A P^T is unknown order[i]. Columns with the same structure
 * are a supernode: number k has columns first[k] to first[k + 1] - 1 and the rows row[row_start[k]] to
 * row[row_start[k + 1] - 1], in ascending order, its own columns first. Its entries are a dense block, column
 * by column, from value[value_start[k]] on. */
typedef struct slip_supernodes {
    int64_t size, count;
    const int64_t *order, *first, *row_start, *value_start, *row;
    const double *value;
} slip_supernodes;
slip_supernodes slip_factor_supernodes(const slip_factor *factor);

/* How many negative eigenvalues a symmetric matrix has, by the signs of the pivots of L D L^T. Slower than a
 * factorisation by far; fails with SLIP_ERROR_SOLVER where a pivot is zero. */
int slip_factor_negatives(slip_context *ctx, const slip_sparse *matrix, int64_t *count);

#endif
