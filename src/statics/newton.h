/* Solutions of problems of any size. */
#ifndef SLIP_STATICS_NEWTON_H
#define SLIP_STATICS_NEWTON_H

#include "statics/solutions.h"

/* As many solutions as can be found: the path over a factor on friction from 0 to beyond 1, every crossing of
 * 1 being a solution, and Newton from `restarts` random sets of modes. Adds to the list. */
int slip_static_seek(slip_context *ctx, const slip_static_problem *problem, int restarts,
                     slip_static_solutions *list);

/* Only the second part: Newton from the starts that physics suggests and `restarts` random ones. */
int slip_static_restart(slip_context *ctx, const slip_static_problem *problem, int restarts,
                        slip_static_solutions *list);

#endif
