/* The eigenvalues of largest size of an operator that need not be symmetric, by a block Arnoldi process with
 * full orthogonalisation in the plain inner product: W. E. Arnoldi, Quart. Appl. Math. 9, 1951; R. B. Morgan,
 * Math. Comput. 65, 1996 for blocks. Meant for shift and invert, where a basis of a few times the number of
 * eigenvalues that are wanted is enough, so that there are no restarts. A multiple eigenvalue is found as
 * many times as the block is wide, at least. */
#ifndef SLIP_MATH_ARNOLDI_H
#define SLIP_MATH_ARNOLDI_H

#include "base/context.h"

typedef struct slip_arnoldi_problem {
    int64_t size;
    void *user;
    /* The operator on `count` vectors, one after the other in memory. */
    int (*apply)(void *user, int64_t count, const double *x, double *product);
} slip_arnoldi_problem;

typedef struct slip_arnoldi_options {
    int64_t count;    /* wanted: real eigenvalues and pairs of conjugate ones */
    double tolerance; /* |A x - value x| over |value x|; default 1e-10 */
    int64_t block;    /* vectors in a block; default 8 */
    int64_t basis;    /* most vectors in it; default 12 count + 8 blocks */
    const char *what; /* for the progress report */
} slip_arnoldi_options;
slip_arnoldi_options slip_arnoldi_options_default(void);

typedef struct slip_arnoldi_values {
    int64_t count;            /* as many as were wanted, or as there are; by falling size */
    double *real, *imaginary; /* not negative: one of a pair */
    double *error;            /* as the tolerance measures it */
    double *vectors;          /* 2 size numbers each: real part, then imaginary part; of length one */
    int64_t applied;          /* to so many vectors */
} slip_arnoldi_values;
void slip_arnoldi_free(slip_arnoldi_values *values);

/* *values is {0}. Fails with SLIP_ERROR_SOLVER where the basis is full before they have converged. */
int slip_arnoldi_largest(slip_context *ctx, const slip_arnoldi_problem *problem,
                         const slip_arnoldi_options *options, slip_arnoldi_values *values);

#endif
