/* The linear motion of a body that turns and vibrates (floating.h), in coordinates that do not see each
 * other, and its exact propagation.
 *
 * With the rotation theta and the modes q of the body held at its bore
 *
 *     [J r^T; r 1] (theta, q)'' + diag(0, b Lambda) (theta, q)' + diag(0, Lambda) (theta, q) = (moment, Q).
 *
 * The eigenvectors V of these matrices, (theta, q) = V y, are the body with a free bore: one rigid rotation
 * and vibrations. V^T M V = 1, V^T K V = diag(w^2), so that
 *
 *     y'' + b w^2 y' + w^2 y = p = V^T (moment, Q).
 *
 * Modes with r = 0 (all but those without nodal diameters) are their own; V is a small matrix for the others.
 * Of a body whose rotation is prescribed y = q.
 *
 * Over a step h in which p goes linearly from p0 to p1
 *
 *     y1 = yy y0 + yv v0 + y_begin p0 + y_end p1,    v1 = vy y0 + vv v0 + v_begin p0 + v_end p1. */
#ifndef SLIP_FLEX_FREE_MODES_H
#define SLIP_FLEX_FREE_MODES_H

#include "flex/floating.h"

#include <stdbool.h>

typedef struct slip_free_modes {
    slip_arena arena;
    const slip_floating *frame;
    bool driven;
    int count;       /* of coordinates: modes, and one more unless driven */
    int coupled;     /* modes that the rotation moves */
    int *order;      /* of the modes: the coupled ones first */
    double *vectors; /* columns of V of these, the rotation first; coupled + 1 square */
    double *square;  /* w^2 of each coordinate */
} slip_free_modes;

/* The frame has to stay. */
int slip_free_modes_create(slip_context *ctx, const slip_floating *frame, bool driven,
                           slip_free_modes **free_modes);
void slip_free_modes_destroy(slip_free_modes *free_modes);

/* Coordinates (or their rates) to modes, returns the angle (rate), which is 0 where driven. */
double slip_free_modes_expand(const slip_free_modes *free_modes, const double *y, double *q);
/* p = V^T (moment, Q). */
void slip_free_modes_project(const slip_free_modes *free_modes, double moment, const double *load, double *p);
/* The rates (or coordinates) of a rigid rotation. */
void slip_free_modes_turn(const slip_free_modes *free_modes, double angle, double *y);

/* ---- Propagation. */

typedef struct slip_propagator {
    slip_arena arena;
    int count;
    double step;
    double *square, *damping; /* w^2, and b w^2 */
    double *yy, *yv, *vy, *vv, *y_begin, *y_end, *v_begin, *v_end;
} slip_propagator;

int slip_propagator_create(slip_context *ctx, int count, slip_propagator **propagator);
void slip_propagator_destroy(slip_propagator *propagator);
/* After square and damping are set. Does nothing where the step is that of last time. */
void slip_propagator_set(slip_propagator *propagator, double step);

#endif
