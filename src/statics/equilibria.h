/* Equilibria of a balance: Newton's method for a set of modes, and the search over sets of modes and starts.
 */
#ifndef SLIP_STATICS_EQUILIBRIA_H
#define SLIP_STATICS_EQUILIBRIA_H

#include "statics/balance.h"

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

/* Every margin is at least -tolerance times its size. */
bool slip_balance_holds(slip_balance *balance, slip_balance_room *room, const slip_mode *modes,
                        const double *y, double tolerance);

/* Fills e and r of contacts that slip in more than one direction from the displacements where there are any,
 * else from the forces. y has room for all unknowns. */
void slip_balance_aim(slip_balance *balance, const slip_mode *modes, double *y);

/* A state that was found. */
typedef struct slip_equilibrium_state {
    double *y;              /* coordinates and states, then forces */
    slip_mode *modes;       /* one set that it has */
    unsigned char *allowed; /* of each contact: the bits of all modes that it was found with */
    int mode_sets, sign_low, sign_high, nullity;
    bool moves;
    double residual; /* by the judge */
} slip_equilibrium_state;

typedef struct slip_equilibria {
    slip_arena arena;
    slip_equilibrium_state *items;
    int64_t count, capacity;
    int64_t set_count, start_count; /* searched: sets of modes (0: those that suggested themselves), starts */
    bool complete; /* with the modes given all is linear, every set was tried, and none was singular */
} slip_equilibria;
void slip_equilibria_free(slip_equilibria *list);

/* Searches: every set of modes where there are few, Newton's method from the reference, from zero, from what
 * was found and from `restarts` random places. */
int slip_equilibria_search(slip_context *ctx, slip_balance *balance, int restarts, slip_equilibria *list);

/* The state of the list that has these coordinates and forces, or -1. */
int64_t slip_equilibria_find(const slip_equilibria *list, slip_balance *balance, const double *y);

#endif
