/* Shifts of the coordinates that a system does not see.
 *
 * q -> q + d leaves all forces, gaps, slips and laws as they are, at all times and states, for d from a
 * group: sums of any multiples of some vectors (nothing depends on where a block on a table is, or on how far
 * two coupled discs have turned together) and of whole multiples of others, the turns (a pendulum after 2
 * pi). The motion then lives on the space in which such states are one, and so does every question whether it
 * repeats or rests. The group is found from the expressions and matrices of the system
 * (math/expression/expression.h: slip_expression_shifts), by their form: it may be smaller than that of the
 * functions which they are, never larger. States of first order and those of laws are not shifted. */
#ifndef SLIP_SYSTEM_SYMMETRY_H
#define SLIP_SYSTEM_SYMMETRY_H

#include "system/system.h"

typedef struct slip_symmetry {
    slip_arena arena;
    int n;           /* coordinates */
    int free, count; /* vectors of which any multiple is allowed come first, then the turns */
    double *shift;   /* count x n. Those of `free` are 1 at their pivot, the others 0 there */
    int *pivot;      /* count: coordinates */
    double *inverse; /* of the turns at their pivots: how many of each a difference is */
    double *extent;  /* n: half of how far turns carry a coordinate; infinite of one that does not turn */
    bool *held;      /* n: it is the pivot of a free vector */
} slip_symmetry;

/* Of a finished system; its parameters have to be numbers (a bound model), those that are not see every
 * shift. The system need not outlive it. */
int slip_symmetry_create(slip_context *ctx, const slip_system *system, slip_symmetry **symmetry);
void slip_symmetry_destroy(slip_symmetry *symmetry);
SLIP_OWNED(slip_symmetry, slip_symmetry_destroy)

/* The same of time: the shift after which loads, belts, gaps and laws of the system are what they were (a
 * common multiple of their periods; perhaps of the least one). 0: nothing changes with time by itself; NAN:
 * no period is found, or functions that are no expressions act. */
int slip_system_period(slip_context *ctx, const slip_system *system, double *period);

/* All of these take NULL for a symmetry without shifts. Of positions, velocities or differences, n numbers:
 * takes off the multiples of the free vectors that their pivots show, so that these are zero. */
void slip_symmetry_hold(const slip_symmetry *symmetry, double *q);
/* The same of each column of a matrix whose rows belong to the coordinates, `width` numbers each. */
void slip_symmetry_hold_rows(const slip_symmetry *symmetry, int width, double *rows);
/* Takes off whole turns, so that less than half a turn is left. */
void slip_symmetry_wrap(const slip_symmetry *symmetry, double *q);
/* Both: the one state that stands for all that are the same or, of a difference, the least one. */
void slip_symmetry_reduce(const slip_symmetry *symmetry, double *q);

/* Number i of what slip_symmetry_hold makes of v. */
double slip_symmetry_relative(const slip_symmetry *symmetry, const double *v, int i);
/* How many of the turn k = 0, ..., count - free - 1 a position is away from the origin, or a velocity makes
 * in a unit of time. */
double slip_symmetry_turns(const slip_symmetry *symmetry, int k, const double *q);
/* Where coordinate i turns, its size is at most half a turn. */
double slip_symmetry_bound(const slip_symmetry *symmetry, int i, double size);

#endif
