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
 * Of a body whose rotation is prescribed y = q. More vectors with unit mass, orthogonal to the modes, may
 * take part after them for a while, with their own w^2 and r. They may be damped otherwise, b_more; then V^T
 * D V is not diagonal, and its diagonal is taken: for light damping what is left out is of second order.
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
    int size;               /* of q: modes, and what takes part after them */
    int count;              /* of coordinates: size, and one more unless driven */
    int coupled;            /* of q: what the rotation moves */
    int *order;             /* of q: the coupled ones first */
    double *vectors, *mass; /* columns of V of these, the rotation first; coupled + 1 square; scratch */
    int64_t vector_capacity, mass_capacity;
    double *square;         /* w^2 of each coordinate */
    double *damping;        /* of each coordinate: b w^2 */
    double *own, *rotation; /* of q: Lambda, r */
} slip_free_modes;

/* At most `more` vectors take part after the modes; none at first. The frame has to stay. */
int slip_free_modes_create(slip_context *ctx, const slip_floating *frame, bool driven, int more,
                           slip_free_modes **free_modes);
void slip_free_modes_destroy(slip_free_modes *free_modes);

/* Coordinates of the modes, damped by b, and `more` vectors after them, damped by b_more. */
int slip_free_modes_set(slip_context *ctx, slip_free_modes *free_modes, int more, const double *square,
                        const double *rotation, const double damping[2]);

/* Coordinates (or their rates) to modes, returns the angle (rate), which is 0 where driven. */
double slip_free_modes_expand(const slip_free_modes *free_modes, const double *y, double *q);
/* (theta, q) to M (theta, q): the momenta of rates. Returns that of the rotation; q is overwritten. */
double slip_free_modes_momenta(const slip_free_modes *free_modes, double angle, double *q);
/* p = V^T (moment, Q). Of momenta: coordinates. */
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

/* count may be made smaller later. */
int slip_propagator_create(slip_context *ctx, int count, slip_propagator **propagator);
void slip_propagator_destroy(slip_propagator *propagator);
/* After square and damping are set, and step = -1 where they are others. Does nothing where the step is that
 * of last time. An infinite one: at rest under p1, and what has no stiffness goes on being held. */
void slip_propagator_set(slip_propagator *propagator, double step);

#endif
