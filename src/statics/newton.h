/* Solutions of problems of any size. */
#ifndef SLIP_STATICS_NEWTON_H
#define SLIP_STATICS_NEWTON_H

#include "statics/solutions.h"

/* Searches solutions and adds them to the list: on the path over a factor on mu from 0 to beyond 1, where
 * every crossing of 1 is a solution, and by Newton's method from `restarts` random sets of modes.
 * Completeness is not guaranteed. */
int slip_static_seek(slip_context *ctx, const slip_static_problem *problem, int restarts,
                     slip_static_solutions *list);

/* Newton's method only, from plausible sets of modes (all open, all stick, slip as by the loads alone) and
 * `restarts` random ones. */
int slip_static_restart(slip_context *ctx, const slip_static_problem *problem, int restarts,
                        slip_static_solutions *list);

#endif
