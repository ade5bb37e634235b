/* Newton's method for the equations of a balance with a given set of contact modes. */
#ifndef SLIP_STATICS_BALANCE_NEWTON_H
#define SLIP_STATICS_BALANCE_NEWTON_H

#include "statics/balance/balance.h"

/* Working memory of Newton's method. */
typedef struct slip_balance_room {
    slip_arena arena;
    int capacity;                            /* largest number of unknowns, plus one */
    double *matrix, *inverse, *left, *right; /* capacity^2 each */
    double *values, *rows, *columns;         /* capacity each: singular values, scales */
    double *f, *step, *trial, *next;         /* capacity each */
    double *margins_gradient;                /* slip_balance_margins_max contact_count rows of capacity */
    slip_balance_margin *margins;
    int *pivots;
} slip_balance_room;
int slip_balance_room_create(slip_context *ctx, const slip_balance *balance, slip_balance_room *room);
void slip_balance_room_free(slip_balance_room *room);

/* Solves matrix x = right; both are kept. Where the matrix is singular up to rounding, x is the solution of
 * least norm. Returns the number of null vectors, which are the last columns of room->right, each entry times
 * room->columns. *sign: of the determinant, 0 where it is singular. */
int slip_balance_solve(slip_balance_room *room, int size, const double *matrix, const double *right,
                       double *x, int *sign);

/* The result of Newton's method. */
typedef struct slip_balance_end {
    bool found;
    int sign;    /* of the determinant */
    int nullity; /* number of null vectors of the derivatives; 0: the solution is isolated for these modes */
    bool moves;  /* a null vector changes coordinates, not only forces */
} slip_balance_end;

/* Damped Newton's method, starting at y; y becomes the solution for these modes. Margins are not checked. */
slip_balance_end slip_balance_newton(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                                     double *y);

/* The same by a homotopy from the problem linearised about y to the nonlinear one. */
slip_balance_end slip_balance_deform(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                                     double *y);

/* Whether every margin is at least -tolerance times its size. */
bool slip_balance_holds(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                        const double *y, double tolerance);

/* Sets initial values of e and r of contacts that slip in more than one dimension, from the displacements or,
 * where these are zero, from the forces. y must have room for all unknowns. */
void slip_balance_aim(slip_balance *balance, const slip_mode *modes, double *y);

#endif
