/* Plane bodies in motion: u = sum of vectors times coordinates, the vectors of each body by flex/reduction.h.
 *
 * With these coordinates the mass matrix is 1, the stiffness matrix diagonal (omega^2), and a contact row is
 * B times the vectors. */
#ifndef SLIP_FLEX_PLANE_MOTION_H
#define SLIP_FLEX_PLANE_MOTION_H

#include "fem/plane.h"
#include "flex/reduction.h"

typedef struct slip_plane_motion {
    int count; /* coordinates of all bodies */
    int body_count;
    int *first;             /* coordinate of each body, and of none: the count */
    int64_t *first_unknown; /* likewise */
    slip_reduction **bodies;
    slip_sparse **masses; /* of each body, over its unknowns */
    double *square;       /* omega^2 of each coordinate */
    double *rows;         /* 2m rows of `count` numbers: slip_plane_row by coordinates */
} slip_plane_motion;

/* One of `options` for each body. The plane is not finished. */
int slip_plane_motion_create(slip_context *ctx, slip_plane *plane, const slip_reduction_options *options,
                             slip_plane_motion **motion);
void slip_plane_motion_destroy(slip_plane_motion *motion);

/* What forces on the unknowns are on the coordinates. */
void slip_plane_motion_load(const slip_plane_motion *motion, const double *force, double *load);

/* The coordinates of a field over the unknowns: those by which it is met best, in the norm of the mass. */
int slip_plane_motion_meet(slip_context *ctx, const slip_plane_motion *motion, const double *field,
                           double *coordinates);

/* The displacement of one component (2 node + direction) as a row of `count` numbers: zero where it is held.
 */
void slip_plane_motion_component(const slip_plane_motion *motion, const slip_plane *plane, int64_t component,
                                 double *row);

#endif
