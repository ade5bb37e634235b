/* Bodies in motion: u = sum of vectors times coordinates, the vectors of each body by flex/reduction.h.
 *
 * With these coordinates the mass matrix is 1, the stiffness matrix diagonal (omega^2; not so of vectors that
 * were turned to keep the meaning of coordinates, slip_reduction_align), and a contact row is B times the
 * vectors. A body that is whole has no coordinates: its displacements themselves, with sparse
 * matrices, are part of a field, in which whole bodies stand one after the other. */
#ifndef SLIP_FLEX_PLANE_MOTION_H
#define SLIP_FLEX_PLANE_MOTION_H

#include "fem/plane/plane.h"
#include "flex/reduction.h"

/* Of a body without reduction: with more unknowns it is whole, with fewer it has all its eigenmodes. */
enum { slip_plane_motion_dense_most = 1000 };

typedef struct slip_plane_motion {
    slip_arena arena;   /* of the lists */
    int count;          /* coordinates of all bodies */
    int64_t field_size; /* unknowns of whole bodies */
    int body_count;
    int *first;                      /* coordinate of each body, and of none: the count */
    int64_t *first_unknown;          /* likewise */
    slip_reduction **bodies;         /* NULL of those that are whole */
    slip_sparse **masses;            /* of each body, over its unknowns */
    slip_sparse **stiffnesses;       /* likewise */
    slip_sparse **dashpots;          /* likewise, of its springs; NULL without */
    struct slip_brick_body **bricks; /* of those with large strains (fem/explicit/body.h), else NULL */
    double **lumps;       /* of whole ones, over its unknowns: lumped masses; NULL of matrices that are not
                           * diagonal */
    int64_t **groups;     /* of whole ones: the node of each unknown */
    int64_t *first_field; /* where the unknowns of each body begin in the field */
    /* Of bodies that turn, about what their supports hold them on: the inertia of each, d . M d; of each
     * coordinate its part in the angular momentum, vector . M d; of each row and body the rotation along it.
     */
    double *turn_inertia, *turn_momentum, *turn_rows;
    double **turn_mass; /* M d over the unknowns of a body, or NULL */
    double *square;     /* omega^2 of each coordinate */
    double *rows;       /* of each row of contacts `count` numbers: slip_plane_row by coordinates */
} slip_plane_motion;

/* One of `options` and of `turns` for each body, and the parameters that loads depend on. The plane is not
 * finished. Vectors are those of `alike`, the motion of the same model with other values (or NULL), where
 * they can be. */
int slip_plane_motion_create(slip_context *ctx, slip_plane *plane, const double *parameters,
                             const slip_reduction_options *options, const slip_turn *turns,
                             const slip_plane_motion *alike, slip_plane_motion **motion);
void slip_plane_motion_destroy(slip_plane_motion *motion);
SLIP_OWNED(slip_plane_motion, slip_plane_motion_destroy)

/* Where an unknown is in the field; -1 where its body is not whole. */
int64_t slip_plane_motion_place(const slip_plane_motion *motion, int64_t unknown);

/* What row k of slip_plane_row has in the field: how many entries. */
int slip_plane_motion_tail(const slip_plane_motion *motion, const slip_plane *plane, int row,
                           int64_t places[slip_plane_row_max], double values[slip_plane_row_max]);

/* A field over the unknowns, as far as bodies are whole: the numbers of these. */
void slip_plane_motion_field(const slip_plane_motion *motion, const double *field, double *whole);

/* Damping by the springs of a body that is not whole, over its coordinates (of those with inertia); NULL of
 * one that has no dashpots. *matrix is allocated, own->count numbers in each row. */
int slip_plane_motion_dashpots(slip_context *ctx, const slip_plane_motion *motion, int body, double **matrix);

/* What forces on the unknowns are on the coordinates. */
void slip_plane_motion_load(const slip_plane_motion *motion, const double *force, double *load);

/* The displacements of a body that is not whole, over its unknowns. */
void slip_plane_motion_unfold(const slip_plane_motion *motion, int body, const double *coordinates,
                              double *displacements);

/* The coordinates of a field over the unknowns: those by which it is met best, in the norm of the mass. */
int slip_plane_motion_meet(slip_context *ctx, const slip_plane_motion *motion, const double *field,
                           double *coordinates);

/* The displacement of one component (dimension times node, + direction) as a row of `count` numbers: zero
 * where it is held.
 */
void slip_plane_motion_component(const slip_plane_motion *motion, const slip_plane *plane, int64_t component,
                                 double *row);

#endif
