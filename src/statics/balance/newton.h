/* Newton's method for a set of modes of a balance. */
#ifndef SLIP_STATICS_BALANCE_NEWTON_H
#define SLIP_STATICS_BALANCE_NEWTON_H

#include "statics/balance/balance.h"

/* Room for Newton's method. */
typedef struct slip_balance_room {
    slip_arena arena;
    int capacity;                            /* unknowns, and one more */
    double *matrix, *inverse, *left, *right; /* capacity^2 each */
    double *values, *rows, *columns;         /* capacity each: singular values, scales */
    double *f, *step, *trial, *next;         /* capacity each */
    double *margins_gradient;                /* slip_balance_margins_max contact_count rows of capacity */
    slip_balance_margin *margins;
    int *pivots;
} slip_balance_room;
int slip_balance_room_create(slip_context *ctx, const slip_balance *balance, slip_balance_room *room);
void slip_balance_room_free(slip_balance_room *room);

/* x of matrix x = right (both kept), the least one where the matrix is singular up to rounding, and the
 * number of its null vectors (room->right has them as its last columns, times room->columns); *sign: of the
 * determinant, 0 where it is singular. */
int slip_balance_solve(slip_balance_room *room, int size, const double *matrix, const double *right,
                       double *x, int *sign);

/* What Newton's method ended with. */
typedef struct slip_balance_end {
    bool found;
    int sign;    /* of the determinant */
    int nullity; /* of the derivatives: 0 where the state is isolated with these modes */
    bool moves;  /* some of the states beside it have other coordinates, not only other forces */
} slip_balance_end;

/* Newton's method with damping, from y; y becomes the solution of the equations of the modes. Says nothing
 * about margins. */
slip_balance_end slip_balance_newton(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                                     double *y);

/* The same by way of the problem that is linear about y, deformed into the one at hand. */
slip_balance_end slip_balance_deform(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                                     double *y);

/* Every margin is at least -tolerance times its size. */
bool slip_balance_holds(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                        const double *y, double tolerance);

/* Fills e and r of contacts that slip in more than one direction from the displacements where there are any,
 * else from the forces. y has room for all unknowns. */
void slip_balance_aim(slip_balance *balance, const slip_mode *modes, double *y);

#endif
