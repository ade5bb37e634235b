/* The lowest eigenvalues of (s^2 M + s C + K) x = 0, large and sparse; M symmetric positive definite, C and K
 * any.
 *
 * Real modes first: block Lanczos on P, what K and its transpose have in common (eigen.h). The problem is
 * projected on them, and for each mode wanted the residual r = (s^2 M + s C + K) x says how good that is: t =
 * P^-1 r, the factor of P is there, is the error to first order. Where it is not small, t - s^2 P^-1 M t
 * joins the basis, and the problem is projected again (E. R. Davidson, J. Comput. Phys. 17, 1975; F. Tisseur,
 * K. Meerbergen, SIAM Review 43, 2001). All solves are in blocks. What friction couples is reached in a few
 * rounds. */
#ifndef SLIP_MATH_QUADRATIC_H
#define SLIP_MATH_QUADRATIC_H

#include "math/compressed.h"

typedef struct slip_quadratic {
    int64_t size;
    const slip_compressed *mass, *damping, *stiffness; /* damping may be NULL */
} slip_quadratic;

typedef struct slip_quadratic_options {
    int64_t count;      /* of modes wanted: pairs of eigenvalues, or real ones */
    double tolerance;   /* |P^-1 r| over |x| in the norm of M; default 1e-9 */
    int64_t real_modes; /* that it begins with; default 2 count + 20 */
    int64_t basis;      /* most vectors in it; default real_modes + 8 count + 40 */
} slip_quadratic_options;
slip_quadratic_options slip_quadratic_options_default(void);

typedef struct slip_quadratic_modes {
    int64_t count;            /* by rising |s| */
    double *real, *imaginary; /* not negative */
    double *error;            /* as the tolerance measures it */
    double *vectors; /* 2 size numbers each: real part, then imaginary part; |x| = 1 in the norm of M */
    int64_t rounds, solves;
    double *before; /* the errors of the projection on real modes alone */
} slip_quadratic_modes;
void slip_quadratic_free(slip_quadratic_modes *modes);

/* *modes is {0}. Fails with SLIP_ERROR_SOLVER where it does not converge, SLIP_ERROR_USAGE where there are
 * not that many. */
int slip_quadratic_lowest(slip_context *ctx, const slip_quadratic *problem,
                          const slip_quadratic_options *options, slip_quadratic_modes *modes);

#endif
