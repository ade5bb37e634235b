/* Eigenmodes of a linear motion (linearise.h): dq = Re(shape exp(s t)), s = real + i imaginary.
 *
 * Three ways. A symmetric motion without damping has real shapes and imaginary s: a symmetric eigenproblem.
 * One that is not symmetric, without damping, has s^2 as the eigenvalues of a matrix of its own size: where
 * these are real the real part of s is zero to the last bit, and where two of them meet and leave the real
 * axis the motion begins to flutter. Anything else is first order in coordinates, velocities and states.
 * Coordinates whose place nothing reads are left out of the places, so that a body that is free to go
 * anywhere does not spoil the accuracy of the zero that belongs to it. Constraints and unknowns without mass
 * are those of math/pencil.h. */
#ifndef SLIP_SYSTEM_VIBRATION_H
#define SLIP_SYSTEM_VIBRATION_H

#include "system/vibration/linearise.h"

/* What a friction of the motion has of a mode: slip velocity and force, real and imaginary parts. */
typedef struct slip_mode_rub {
    double slip[2], force[2];
} slip_mode_rub;

/* One with a positive imaginary part stands for its pair. */
typedef struct slip_eigenmode {
    double real, imaginary;
    double rounding; /* what rounding can make of either; 0: it is noted when the modes are sorted */
    double *shape;   /* 2 n: real parts, then imaginary parts, of coordinates and states (of a system with a
                      * field: and of its unknowns); the largest coordinate is 1 (where none moves, the largest
                      * state) */
    double *force;   /* 2 count: the same of the forces of constraints */
    slip_mode_rub *rub; /* of a system with a field: of each friction of the motion; else NULL */
} slip_eigenmode;

typedef struct slip_vibration {
    slip_arena arena;
    int count;
    slip_eigenmode *modes; /* by rising imaginary part, then by rising real part */
    int infinite;          /* eigenvalues that are not finite: unknowns that have no mass */
    bool symmetric, damped;
    double error; /* of modes that were not found by dense matrices: the largest, as a part of the shape */
} slip_vibration;

/* Sorts modes: by rising imaginary part; where two are equal up to rounding, by real part. */
void slip_vibration_sort(slip_vibration *vibration);

/* Fills *to, which is {0}; slip_arena_free(&to->arena) is due in any case. Fails with SLIP_ERROR_SOLVER where
 * the forces of the constraints are not determined by the motion. */
int slip_vibration_solve(slip_context *ctx, const slip_system *system, const slip_linear_motion *motion,
                         slip_vibration *to);

#endif
