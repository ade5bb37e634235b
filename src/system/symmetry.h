/* Symmetries: shifts of the coordinates that leave the system unchanged.
 *
 * q -> q + d leaves all forces, gaps, slips and laws as they are, at all times and states, for d from a
 * group: sums of any multiples of some vectors (nothing depends on where a block on a table is, or on how far
 * two coupled discs have turned together) and of whole multiples of others, the turns (a pendulum after 2
 * pi). States that differ by such a shift are equivalent, and whether a motion repeats or is at rest is
 * decided up to this equivalence. The group is found from the form of expressions and matrices of the system
 * (math/expression/expression.h: slip_expression_shifts), so it may be smaller than the true one, but not
 * larger. States of first order and those of laws are not shifted. */
#ifndef SLIP_SYSTEM_SYMMETRY_H
#define SLIP_SYSTEM_SYMMETRY_H

#include "system/system.h"

typedef struct slip_symmetry {
    slip_arena arena;
    int n;           /* coordinates */
    int free, count; /* number of vectors with arbitrary multiples, the first; of all */
    double *shift;   /* count x n: the vectors. At the pivot of a free vector it is 1 and all others are 0 */
    int *pivot;      /* count: coordinates */
    double *inverse; /* inverse of the turns at their pivots: converts a difference to numbers of turns */
    double *extent;  /* n: half of the shift of a coordinate by turns; infinite if it does not turn */
    bool *held;      /* n: it is the pivot of a free vector */
} slip_symmetry;

/* Finds the symmetries of a finished system, whose parameters must be numbers (a bound model). The system
 * need not outlive the result. */
int slip_symmetry_create(slip_context *ctx, const slip_system *system, slip_symmetry **symmetry);
void slip_symmetry_destroy(slip_symmetry *symmetry);
SLIP_OWNED(slip_symmetry, slip_symmetry_destroy)

/* The same of time: the shift after which loads, belts, gaps and laws of the system are what they were (a
 * common multiple of their periods; perhaps of the least one). 0: nothing changes with time by itself; NAN:
 * no period is found, or functions that are no expressions act. */
int slip_system_period(slip_context *ctx, const slip_system *system, double *period);

/* The following functions accept NULL as a symmetry without shifts. q: positions, velocities or differences,
 * n numbers. Subtracts multiples of the free vectors such that q is zero at their pivots. */
void slip_symmetry_hold(const slip_symmetry *symmetry, double *q);
/* The same of each column of a matrix whose rows belong to the coordinates, `width` numbers each. */
void slip_symmetry_hold_rows(const slip_symmetry *symmetry, int width, double *rows);
/* Subtracts whole turns, so that at most half a turn remains. */
void slip_symmetry_wrap(const slip_symmetry *symmetry, double *q);
/* Both: gives the representative of a class of equivalent states or, for a difference, the smallest one. */
void slip_symmetry_reduce(const slip_symmetry *symmetry, double *q);

/* Component i of v after slip_symmetry_hold. */
double slip_symmetry_relative(const slip_symmetry *symmetry, const double *v, int i);
/* The number of turns of kind k = 0, ..., count - free - 1 in a position; for a velocity per unit of time. */
double slip_symmetry_turns(const slip_symmetry *symmetry, int k, const double *q);
/* A size of coordinate i, limited to half a turn if it turns. */
double slip_symmetry_bound(const slip_symmetry *symmetry, int i, double size);

#endif
