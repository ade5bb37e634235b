/* The lowest eigenvalues of K x = lambda M x, K and M symmetric positive definite and large.
 *
 * Block Lanczos on K^-1 M, symmetric in the inner product of M, with every new block made orthogonal to all
 * before (by the three-term recurrence, and once more for what rounding errors leave), and thick restarts:
 * when the basis is full it is replaced by its best Ritz vectors, and goes on with the last block. The
 * projected matrix is kept whole, so a restart is nothing special. A multiple eigenvalue is found as many
 * times as the block is wide, at least. (Grimes, Lewis, Simon 1994; Wu, Simon 2000.) */
#ifndef SLIP_MATH_EIGEN_H
#define SLIP_MATH_EIGEN_H

#include "base/context.h"

typedef struct slip_eigen_problem {
    int64_t size;
    void *user;
    /* Both take `count` vectors, one after the other in memory. solution = K^-1 right; they may be the same.
     */
    int (*solve)(void *user, int64_t count, const double *right, double *solution);
    void (*mass)(void *user, int64_t count, const double *x, double *product);
} slip_eigen_problem;

typedef struct slip_eigen_options {
    int64_t count;    /* of eigenvalues wanted */
    double tolerance; /* |K^-1 M x - x/lambda| over 1/lambda, in the norm of M; default 1e-10 */
    int64_t block;    /* vectors in a block; default 16 */
    int64_t basis;    /* most vectors in it; default 2 count + 4 blocks. More need fewer solves */
    const char *what; /* for the progress report; default "eigenmodes" */
} slip_eigen_options;
slip_eigen_options slip_eigen_options_default(void);

typedef struct slip_eigen_report {
    int64_t solves, restarts;
    double residual; /* the largest, as the tolerance measures it */
} slip_eigen_report;

/* values[count] ascending. *vectors (unless NULL) gets `count` of them, one after the other, M-orthonormal,
 * in memory that the caller frees: that of the basis, since at large sizes there may be no room for both.
 * `report` may be NULL. Fails with SLIP_ERROR_SOLVER where it does not converge, SLIP_ERROR_USAGE where there
 * are not that many. */
int slip_eigen_lowest(slip_context *ctx, const slip_eigen_problem *problem, const slip_eigen_options *options,
                      double *values, double **vectors, slip_eigen_report *report);

#endif
