/* The linear system of a set of modes, kept as its inverse.
 *
 * A closed contact has the unknown lambda_n and the equation d_n = 0, a sticking one also lambda_t and d_t =
 * 0; slip has lambda_t = -s mu lambda_n. So the unknowns x are the lambda of the active directions, with
 *
 *     A x = b,   A_ij = C_ij, or C_in - s mu C_it where j is the normal direction n of a slipping contact.
 *
 * When one contact changes its mode, A gains or loses a row and a column of the same direction, and the
 * inverse follows by one rank-one update: the cost is the square of the number of unknowns. The sign of the
 * determinant follows too. */
#ifndef SLIP_STATICS_ACTIVE_H
#define SLIP_STATICS_ACTIVE_H

#include "statics/problem.h"

typedef struct slip_static_active {
    const slip_static_shape *shape;
    const double *compliance; /* the caller's, like mu */
    const double *friction;
    slip_mode *modes;             /* of each contact */
    int count;                    /* unknowns */
    int *direction;               /* of unknown and equation k */
    int *place;                   /* of a direction among the unknowns, or -1 */
    int *owner;                   /* contact of a direction, -1 for those that are held */
    double *inverse;              /* rows of `direction_count` numbers; count x count of them are in use */
    double *column, *row, *image; /* scratch */
    double *matrix;               /* scratch of a factorisation */
    int *pivots;
    double size; /* largest sum over a row of the |.| that A is made of: singular is against this */
    int sign;    /* of det A, 0 where A is singular */
    int updates; /* since the last factorisation */
} slip_static_active;

/* Everything lives in the arena; false when out of memory. No mode is set yet. */
bool slip_static_active_create(slip_arena *arena, const slip_static_shape *shape, slip_static_active *active);

/* Modes, compliance and friction anew: inverts from scratch. False where the matrix is singular; then the
 * modes, directions and `matrix` (A itself, row by row, count x count) are there but no inverse is. */
bool slip_static_active_factor(slip_static_active *active, const double *compliance, const double *friction,
                               const slip_mode *modes);

/* One contact takes another mode. False where the new matrix is singular or the update would lose digits:
 * then the state is spoilt and must be factored anew. */
bool slip_static_active_change(slip_static_active *active, int contact, slip_mode mode);

/* Makes `to` (of the same shape) the same, except for `matrix`. */
void slip_static_active_copy(const slip_static_active *from, slip_static_active *to);

/* x = A^-1 b. */
void slip_static_active_solve(const slip_static_active *active, const double *b, double *x);

/* The forces that follow from those already in `lambda`: sets lambda of all active directions to x, and adds
 * to slipping directions -s mu times that of the normal. */
void slip_static_active_scatter(const slip_static_active *active, const double *x, double *lambda);

#endif
