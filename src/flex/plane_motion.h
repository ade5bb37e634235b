/* Elastic bodies in motion: u = sum of vectors times coordinates, with the vectors of each body from
 * flex/reduction.h.
 *
 * In these coordinates the mass matrix is the identity, the stiffness matrix is diagonal (omega^2; except for
 * vectors rotated by slip_reduction_align), and a contact row is B times the vectors. A whole body has no
 * coordinates. Its nodal displacements, with sparse matrices, are part of a *field*, which lists the unknowns
 * of all whole bodies one after the other. */
#ifndef SLIP_FLEX_PLANE_MOTION_H
#define SLIP_FLEX_PLANE_MOTION_H

#include "fem/plane/plane.h"
#include "flex/reduction.h"

/* A body without reduction is whole above this number of unknowns; below its coordinates are all its
 * eigenmodes. */
enum { slip_plane_motion_dense_most = 1000 };

typedef struct slip_plane_motion {
    slip_arena arena;   /* of the lists */
    int count;          /* coordinates of all bodies */
    int64_t field_size; /* unknowns of whole bodies */
    int body_count;
    int *first;                      /* index of the first coordinate of each body; at the end the count */
    int64_t *first_unknown;          /* likewise of the first unknown */
    slip_reduction **bodies;         /* NULL of those that are whole */
    slip_sparse **masses;            /* of each body, over its unknowns */
    slip_sparse **stiffnesses;       /* likewise */
    slip_sparse **dashpots;          /* likewise, of its springs; NULL without */
    struct slip_brick_body **bricks; /* of bodies with large strains (fem/explicit/body.h), else NULL */
    double **lumps;   /* of whole bodies, over the unknowns: lumped masses; NULL where the mass matrix is not
                         diagonal */
    int64_t **groups; /* of whole bodies: the node of each unknown */
    int64_t *first_field; /* where the unknowns of each body begin in the field */
    /* For bodies that rotate about the axis of their supports, d being the field of a unit rotation: of each
     * body the inertia d . M d; of each coordinate the angular momentum vector . M d; of each contact row and
     * body the row times d. */
    double *turn_inertia, *turn_momentum, *turn_rows;
    double **turn_mass; /* M d over the unknowns of a body, or NULL */
    double *square;     /* omega^2 of each coordinate */
    double *rows;       /* of each contact row `count` numbers: slip_plane_row in terms of the coordinates */
} slip_plane_motion;

/* options, turns: one for each body; parameters: the values on which loads depend. The plane must not be
 * finished yet. alike: NULL, or the motion of the same model with other values, whose vectors are reused
 * where possible, so that coordinates keep their meaning. */
int slip_plane_motion_create(slip_context *ctx, slip_plane *plane, const double *parameters,
                             const slip_reduction_options *options, const slip_turn *turns,
                             const slip_plane_motion *alike, slip_plane_motion **motion);
void slip_plane_motion_destroy(slip_plane_motion *motion);
SLIP_OWNED(slip_plane_motion, slip_plane_motion_destroy)

/* The index of an unknown in the field; -1 where its body is not whole. */
int64_t slip_plane_motion_place(const slip_plane_motion *motion, int64_t unknown);

/* The entries of a contact row (slip_plane_row) in the field: their places and values. Returns their number.
 */
int slip_plane_motion_field_entries(const slip_plane_motion *motion, const slip_plane *plane, int row,
                                    int64_t places[slip_plane_row_max], double values[slip_plane_row_max]);

/* Copies the part of whole bodies from a vector over all unknowns (`field`) into `whole`. */
void slip_plane_motion_field(const slip_plane_motion *motion, const double *field, double *whole);

/* The damping matrix by dashpots of a reduced body, over its coordinates with inertia. *matrix is allocated
 * for the caller, own->count numbers in each row; NULL where the body has no dashpots. */
int slip_plane_motion_dashpots(slip_context *ctx, const slip_plane_motion *motion, int body, double **matrix);

/* The generalised forces on the coordinates by forces on the unknowns. */
void slip_plane_motion_load(const slip_plane_motion *motion, const double *force, double *load);

/* The displacements of a reduced body, over its unknowns, from its coordinates. */
void slip_plane_motion_unfold(const slip_plane_motion *motion, int body, const double *coordinates,
                              double *displacements);

/* The coordinates that approximate a vector of displacements over the unknowns best, in the norm of the mass.
 */
int slip_plane_motion_project(slip_context *ctx, const slip_plane_motion *motion, const double *field,
                              double *coordinates);

/* The row of `count` numbers that gives the displacement component (dimension times node, + direction) from
 * the coordinates; zero where a support holds it. */
void slip_plane_motion_component(const slip_plane_motion *motion, const slip_plane *plane, int64_t component,
                                 double *row);

#endif
