/* Reduction of a linear body, K and M sparse, to a few vectors: its lowest eigenmodes, and vectors that
 * represent what forces at its contact points do beyond them.
 *
 * attachment: eigenmodes Phi of the body as it is held, and attachment vectors, (K^-1 - Phi
 * Lambda^-1 Phi^T) B^T, which make static responses to contact forces exact (MacNeal 1971, Rubin 1975).
 * craig_bampton: eigenmodes of the body with all contact unknowns held, and the static displacement for a
 * unit displacement of each of these (Craig, Bampton 1968).
 * condensed: as attachment, but only the eigenmodes have inertia: the attachment vectors follow their forces
 * at once, so that contact points yield by their residual flexibility.
 *
 * A body that may move as a whole has a singular K: K + s M is factored instead, s far below every elastic
 * eigenvalue. Its rigid motions are the first of its eigenmodes. */
#ifndef SLIP_FLEX_REDUCTION_H
#define SLIP_FLEX_REDUCTION_H

#include "math/sparse.h"

typedef enum slip_reduction_contact {
    SLIP_REDUCTION_ATTACHMENT,
    SLIP_REDUCTION_CRAIG_BAMPTON,
    SLIP_REDUCTION_NONE, /* eigenmodes alone */
    SLIP_REDUCTION_CONDENSED
} slip_reduction_contact;

typedef struct slip_reduction_options {
    int64_t modes; /* eigenmodes; 0: all, nothing is reduced */
    slip_reduction_contact contact;
    bool loads; /* attachment vectors of the loads too, so that static responses to them are exact */
    bool whole; /* neither modes nor coordinates: the displacements themselves */
} slip_reduction_options;

/* Directions in which forces act: row k has entries start[k] to start[k + 1] - 1. */
typedef struct slip_directions {
    int64_t count;
    const int64_t *start, *unknown;
    const double *value;
} slip_directions;

typedef struct slip_reduction {
    slip_arena arena; /* of what is neither vectors nor squares */
    int64_t size;
    int count;
    double *vectors; /* one after the other, M-orthonormal, and K is diagonal in those that were found */
    double *square;  /* omega^2, ascending; 0 of rigid motions */
    /* NULL: the vectors are those that were found. Else vector j is the sum of mix[j count + i] times vector
     * i that was found (slip_reduction_align), an orthogonal matrix. */
    double *mix;
    slip_reduction_options options;
    /* What it was made for: a copy of the directions. */
    int64_t direction_count, *start, *unknown;
    double *value;
    int moving; /* so many of them have inertia: the first ones; the others follow their forces */
} slip_reduction;

/* Fails with SLIP_ERROR_MODEL where there are fewer modes than asked for. The caller frees it. */
int slip_reduction_create(slip_context *ctx, const slip_sparse *stiffness, const slip_sparse *mass,
                          const slip_directions *directions, const slip_reduction_options *options,
                          slip_reduction **reduction);
/* The vectors of another reduction, where both matrices are multiples of those that it was made from (another
 * Young's modulus, density or thickness) and options and directions are the same: coordinates of both mean
 * the same motion then, which those of vectors that are found anew need not. NULL where they are not. */
int slip_reduction_rescale(slip_context *ctx, const slip_reduction *from, const slip_sparse *from_stiffness,
                           const slip_sparse *from_mass, const slip_sparse *stiffness,
                           const slip_sparse *mass, const slip_directions *directions,
                           const slip_reduction_options *options, slip_reduction **reduction);
/* Vectors of a reduction that was found anew, turned among themselves so that they are as near to those of
 * another one as they can be in the norm of the mass (the polar factor of their products): so coordinates go
 * smoothly with a parameter that changes the shapes of modes, also where frequencies cross. As they were
 * where the two have not the same number of vectors, or next to nothing in common. */
int slip_reduction_align(slip_context *ctx, const slip_reduction *from, const slip_sparse *mass,
                         slip_reduction *reduction);
/* Adds to `matrix` (rows of `stride` numbers) the matrix that is diagonal in the vectors that were found,
 * with these `count` values there. */
void slip_reduction_spread(const slip_reduction *reduction, const double *values, int64_t stride,
                           double *matrix);
/* Between the files: notes what a reduction was made for. */
int slip_reduction_note(slip_context *ctx, const slip_directions *directions,
                        const slip_reduction_options *options, slip_reduction *reduction);
void slip_reduction_destroy(slip_reduction *reduction);
SLIP_OWNED(slip_reduction, slip_reduction_destroy)

#endif
