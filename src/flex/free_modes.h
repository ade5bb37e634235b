/* The linear motion of a shaft with elastic bodies on it (floating.h), in uncoupled coordinates, which
 * math/propagator.h propagates exactly.
 *
 * With the rotation theta and the amplitudes q of the modes of the bodies held at their bores
 *
 *     [J r^T; r 1] (theta, q)'' + diag(0, b Lambda) (theta, q)' + diag(0, Lambda) (theta, q) = (moment, Q).
 *
 * The eigenvectors V of these matrices, (theta, q) = V y, are the eigenmodes of the shaft with free bores:
 * one rigid rotation and vibrations. V^T M V = 1, V^T K V = diag(w^2), so that
 *
 *     y'' + b w^2 y' + w^2 y = p = V^T (moment, Q).
 *
 * Modes with r = 0 (all with nodal diameters) are not coupled to the rotation and are eigenvectors already; V
 * is a small matrix for the others. For a shaft whose rotation is prescribed y = q. The set of active
 * vectors, of unit mass and orthogonal on each body, may change. Where their damping differs V^T D V is not
 * diagonal; only its diagonal is used, an error of second order for light damping. */
#ifndef SLIP_FLEX_FREE_MODES_H
#define SLIP_FLEX_FREE_MODES_H

#include "flex/floating.h"
#include "math/propagator.h"

#include <stdbool.h>

/* An active vector: an eigenmode or a kept attachment vector. */
typedef struct slip_free_vector {
    int place;                        /* index in q */
    double square, rotation, damping; /* Lambda, r, b */
} slip_free_vector;

typedef struct slip_free_modes {
    slip_arena arena;
    bool driven;
    double moment;          /* J */
    int size;               /* number of active vectors */
    int count;              /* of coordinates: size, and one more unless driven */
    int coupled;            /* number of active vectors that are coupled to the rotation */
    int *order;             /* places of the active vectors in q, the coupled ones first */
    double *vectors, *mass; /* V for the rotation and the coupled vectors, coupled + 1 square; scratch */
    int64_t vector_capacity, mass_capacity;
    double *square;                  /* w^2 of each coordinate */
    double *damping;                 /* of each coordinate: b w^2 */
    double *own, *rotation, *damped; /* by places in q: Lambda, r, b */
} slip_free_modes;

/* places: length of q. At first no vector is active and the moment of inertia is zero. */
int slip_free_modes_create(slip_context *ctx, int places, bool driven, slip_free_modes **free_modes);
void slip_free_modes_destroy(slip_free_modes *free_modes);

/* Sets the moment of inertia (kg m^2) and the active vectors, and solves for V. */
int slip_free_modes_set(slip_context *ctx, slip_free_modes *free_modes, double moment, int size,
                        const slip_free_vector *vectors);

/* Converts coordinates y (or their rates) to q at the places of active vectors. Returns the angle (or its
 * rate), 0 where the shaft is driven. */
double slip_free_modes_expand(const slip_free_modes *free_modes, const double *y, double *q);
/* Multiplies (theta, q) by the mass matrix; of rates that gives momenta. Overwrites q, returns the entry of
 * the rotation. */
double slip_free_modes_momenta(const slip_free_modes *free_modes, double angle, double *q);
/* p = V^T (moment, Q). For momenta in place of loads the result is the rates of y. */
void slip_free_modes_project(const slip_free_modes *free_modes, double moment, const double *load, double *p);
/* The coordinates y (or their rates) of a rigid rotation by this angle (or at this speed). */
void slip_free_modes_turn(const slip_free_modes *free_modes, double angle, double *y);

#endif
