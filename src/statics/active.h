/* The linear system of a set of contact modes, represented by its inverse.
 *
 * A closed contact has the unknown lambda_n and the equation d_n = 0, a sticking one also the unknown
 * lambda_t and d_t = 0. A slipping contact has lambda_t = -s mu lambda_n, s = 1 or -1. So the unknowns x are
 * the lambda of the active directions, with
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
    const double *compliance; /* C and mu belong to the caller */
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
    double size; /* largest row sum of the absolute terms of A, the reference for "singular" */
    int sign;    /* of det A, 0 where A is singular */
    int updates; /* since the last factorisation */
} slip_static_active;

/* All memory is the arena's; false: out of memory. No mode is set yet. */
bool slip_static_active_create(slip_arena *arena, const slip_static_shape *shape, slip_static_active *active);

/* Sets modes, compliance and friction, and inverts A. False where A is singular: then modes, directions and
 * `matrix` (A, row by row, count x count) are valid, but there is no inverse. */
bool slip_static_active_factor(slip_static_active *active, const double *compliance, const double *friction,
                               const slip_mode *modes);

/* Changes the mode of one contact and updates the inverse. False where the new matrix is singular or the
 * update would lose digits: then slip_static_active_factor has to be called. */
bool slip_static_active_change(slip_static_active *active, int contact, slip_mode mode);

/* Copies everything except `matrix` to an object of the same shape. */
void slip_static_active_copy(const slip_static_active *from, slip_static_active *to);

/* x = A^-1 b. */
void slip_static_active_solve(const slip_static_active *active, const double *b, double *x);

/* Converts the unknowns x to forces: sets lambda of all active directions to x, and adds -s mu times the
 * normal force to lambda of slipping directions. */
void slip_static_active_scatter(const slip_static_active *active, const double *x, double *lambda);

#endif
