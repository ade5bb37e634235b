/* The linear motion of a shaft that turns with bodies that vibrate (floating.h), in uncoupled
 * coordinates, which math/propagator.h propagates exactly.
 *
 * With the rotation theta and the modes q of the bodies held at their bores
 *
 *     [J r^T; r 1] (theta, q)'' + diag(0, b Lambda) (theta, q)' + diag(0, Lambda) (theta, q) = (moment, Q).
 *
 * The eigenvectors V of these matrices, (theta, q) = V y, are the bodies with free bores: one rigid rotation
 * and vibrations. V^T M V = 1, V^T K V = diag(w^2), so that
 *
 *     y'' + b w^2 y' + w^2 y = p = V^T (moment, Q).
 *
 * Modes with r = 0 (all but those without nodal diameters) are their own; V is a small matrix for the others.
 * Of a shaft whose rotation is prescribed y = q. Which vectors take part, of unit mass and orthogonal to each
 * other on a body, may change. Where they are not all damped alike V^T D V is not diagonal, and its diagonal
 * is taken: for light damping what is left out is of second order. */
#ifndef SLIP_FLEX_FREE_MODES_H
#define SLIP_FLEX_FREE_MODES_H

#include "flex/floating.h"
#include "math/propagator.h"

#include <stdbool.h>

/* A vector that takes part. */
typedef struct slip_free_vector {
    int place;                        /* in q */
    double square, rotation, damping; /* Lambda, r, b */
} slip_free_vector;

typedef struct slip_free_modes {
    slip_arena arena;
    bool driven;
    double moment;          /* J */
    int size;               /* how many vectors take part */
    int count;              /* of coordinates: size, and one more unless driven */
    int coupled;            /* of the vectors: those that the rotation moves */
    int *order;             /* their places in q: the coupled ones first */
    double *vectors, *mass; /* columns of V of these, the rotation first; coupled + 1 square; scratch */
    int64_t vector_capacity, mass_capacity;
    double *square;                  /* w^2 of each coordinate */
    double *damping;                 /* of each coordinate: b w^2 */
    double *own, *rotation, *damped; /* by their places in q: Lambda, r, b */
} slip_free_modes;

/* q has room for `places` vectors; none takes part at first, and there is no moment of inertia. */
int slip_free_modes_create(slip_context *ctx, int places, bool driven, slip_free_modes **free_modes);
void slip_free_modes_destroy(slip_free_modes *free_modes);

/* From now on these vectors take part. */
int slip_free_modes_set(slip_context *ctx, slip_free_modes *free_modes, double moment, int size,
                        const slip_free_vector *vectors);

/* Coordinates (or their rates) to q at the places that take part, returns the angle (rate), which is 0 where
 * driven. */
double slip_free_modes_expand(const slip_free_modes *free_modes, const double *y, double *q);
/* (theta, q) to M (theta, q): the momenta of rates. Returns that of the rotation; q is overwritten. */
double slip_free_modes_momenta(const slip_free_modes *free_modes, double angle, double *q);
/* p = V^T (moment, Q). Of momenta: coordinates. */
void slip_free_modes_project(const slip_free_modes *free_modes, double moment, const double *load, double *p);
/* The rates (or coordinates) of a rigid rotation. */
void slip_free_modes_turn(const slip_free_modes *free_modes, double angle, double *y);

#endif
