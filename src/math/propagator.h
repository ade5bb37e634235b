/* Oscillators that do not see each other, propagated exactly:
 *
 *     y'' + d y' + w^2 y = p.
 *
 * Over a step h in which p goes linearly from p0 to p1
 *
 *     y1 = yy y0 + yv v0 + y_begin p0 + y_end p1,    v1 = vy y0 + vv v0 + v_begin p0 + v_end p1.
 *
 * A load that is constant over the step is p0 = p1. */
#ifndef SLIP_MATH_PROPAGATOR_H
#define SLIP_MATH_PROPAGATOR_H

#include "base/context.h"

typedef struct slip_propagator {
    slip_arena arena;
    int count;
    double step;
    double *square, *damping; /* w^2, and d */
    double *yy, *yv, *vy, *vv, *y_begin, *y_end, *v_begin, *v_end;
} slip_propagator;

/* count may be made smaller later. */
int slip_propagator_create(slip_context *ctx, int count, slip_propagator **propagator);
void slip_propagator_destroy(slip_propagator *propagator);
/* After square and damping are set, and step = -1 where they are others. Does nothing where the step is that
 * of last time. An infinite one: at rest under p1, and what has no stiffness goes on being held. */
void slip_propagator_set(slip_propagator *propagator, double step);

#endif
