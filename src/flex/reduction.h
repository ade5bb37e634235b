/* Reduction of a linear body with sparse K and M to a few vectors: its lowest eigenmodes, and vectors for the
 * static response to contact forces that these eigenmodes do not represent.
 *
 * attachment: eigenmodes Phi of the body on its supports, and attachment vectors, (K^-1 - Phi Lambda^-1
 * Phi^T) B^T, which make static responses to contact forces exact (MacNeal 1971, Rubin 1975). craig_bampton:
 * eigenmodes of the body with all contact unknowns held, and the static displacement for a unit displacement
 * of each of these (Craig, Bampton 1968). condensed: as attachment, but attachment vectors have no inertia:
 * they follow the contact forces, and contact points have a residual flexibility.
 *
 * A body with rigid motions has a singular K; K + s M is factorised instead, s far below every elastic
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
    bool loads; /* also attachment vectors of external loads: exact static responses to these */
    bool whole; /* neither modes nor coordinates: the displacements themselves */
} slip_reduction_options;

/* Directions in which forces act: row k has entries start[k] to start[k + 1] - 1. */
typedef struct slip_directions {
    int64_t count;
    const int64_t *start, *unknown;
    const double *value;
} slip_directions;

typedef struct slip_reduction {
    slip_arena arena; /* memory of all but vectors and square */
    int64_t size;
    int count;
    double *vectors; /* one after the other, M-orthonormal; as computed (without `mix`) they diagonalise K */
    double *square;  /* omega^2, ascending; 0 of rigid motions */
    /* NULL: the vectors are eigenvectors as computed. Else slip_reduction_align has rotated them: vector j is
     * the sum over i of mix[j count + i] times computed vector i. An orthogonal matrix. */
    double *mix;
    slip_reduction_options options;
    /* A copy of the directions of its attachment vectors. */
    int64_t direction_count, *start, *unknown;
    double *value;
    int moving; /* number of vectors with inertia, the first ones; the others follow their forces */
} slip_reduction;

/* Reduces a body. Fails with SLIP_ERROR_MODEL where it has fewer modes than options ask for. The caller
 * destroys the result. */
int slip_reduction_create(slip_context *ctx, const slip_sparse *stiffness, const slip_sparse *mass,
                          const slip_directions *directions, const slip_reduction_options *options,
                          slip_reduction **reduction);
/* Scales the vectors of the reduction `from` for a body whose matrices are multiples of the old ones (other
 * Young's modulus, density or thickness), with the same options and directions. The coordinates of both then
 * have the same meaning, which vectors computed anew do not guarantee. *reduction is NULL where the matrices
 * are no multiples. */
int slip_reduction_rescale(slip_context *ctx, const slip_reduction *from, const slip_sparse *from_stiffness,
                           const slip_sparse *from_mass, const slip_sparse *stiffness,
                           const slip_sparse *mass, const slip_directions *directions,
                           const slip_reduction_options *options, slip_reduction **reduction);
/* Replaces the vectors of a reduction by orthogonal combinations of them that are nearest to the vectors of
 * `from` in the norm of the mass matrix (polar factor of their scalar products). So coordinates depend
 * smoothly on a parameter that changes the eigenmodes, also where frequencies cross. Nothing changes where
 * the two differ in the number of vectors, or are almost orthogonal to each other. */
int slip_reduction_align(slip_context *ctx, const slip_reduction *from, const slip_sparse *mass,
                         slip_reduction *reduction);
/* Adds to `matrix` (rows of `stride` numbers) the matrix that has these `count` values on its diagonal in the
 * basis of the vectors as computed, before slip_reduction_align. */
void slip_reduction_spread(const slip_reduction *reduction, const double *values, int64_t stride,
                           double *matrix);
/* For reduction.c and rescale.c: stores copies of options and directions in a reduction. */
int slip_reduction_note(slip_context *ctx, const slip_directions *directions,
                        const slip_reduction_options *options, slip_reduction *reduction);
void slip_reduction_destroy(slip_reduction *reduction);
SLIP_OWNED(slip_reduction, slip_reduction_destroy)

#endif
