/* Solutions of problems of any size. */
#ifndef SLIP_STATICS_NEWTON_H
#define SLIP_STATICS_NEWTON_H

#include "statics/solutions.h"

/* Newton's method on the projection equations
 *
 *     lambda_n = max(0, lambda_n - r d_n),   lambda_t = P_[-mu lambda_n, mu lambda_n](lambda_t - r d_t),
 *
 * which are piecewise linear: each step solves the linear system of a set of modes and reads the next set off
 * the result. `modes` is where to start, and on return the set that holds. Returns SLIP_OK with a solution,
 * or SLIP_STOPPED when it does not converge (it may cycle). */
int slip_static_newton(slip_context *ctx, const slip_static_problem *problem, slip_mode *modes,
                       double *lambda, double *d);

/* As many solutions as can be found: the path over a factor on friction from 0 to beyond 1, every crossing of
 * 1 being a solution, and Newton from `restarts` random sets of modes. Adds to the list. */
int slip_static_seek(slip_context *ctx, const slip_static_problem *problem, int restarts,
                     slip_static_solutions *list);

/* Only the second part: Newton from the starts that physics suggests and `restarts` random ones. */
int slip_static_restart(slip_context *ctx, const slip_static_problem *problem, int restarts,
                        slip_static_solutions *list);

#endif
