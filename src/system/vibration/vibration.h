/* Eigenmodes of a linear motion (linearise.h): dq = Re(shape exp(s t)), s = real + i imaginary.
 *
 * Three ways. A symmetric motion without damping has real shapes and imaginary s: a symmetric eigenproblem.
 * One that is not symmetric, without damping, has s^2 as the eigenvalues of a matrix of its own size: where
 * these are real the real part of s is zero to the last bit, and where two of them meet and leave the real
 * axis the motion begins to flutter. All other motions are written in first order, in coordinates, velocities
 * and states. Coordinates on whose position nothing depends are left out of the positions, so that the zero
 * eigenvalue of a free body is exact. Constraints and unknowns without mass are handled by math/pencil.h. */
#ifndef SLIP_SYSTEM_VIBRATION_H
#define SLIP_SYSTEM_VIBRATION_H

#include "system/vibration/linearise.h"

/* Slip velocity and force of a friction contact in an eigenmode, real and imaginary parts. */
typedef struct slip_mode_rub {
    double slip[2], force[2];
} slip_mode_rub;

/* An eigenmode. One with a positive imaginary part represents the conjugate pair. */
typedef struct slip_eigenmode {
    double real, imaginary;
    double rounding; /* rounding error of real and imaginary part; 0: set by slip_vibration_sort */
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
    int infinite;          /* number of infinite eigenvalues, of unknowns without mass */
    bool symmetric, damped;
    double error; /* for modes not computed by dense matrices: largest relative error of a shape */
} slip_vibration;

/* Sorts modes: by rising imaginary part; where two are equal up to rounding, by real part. */
void slip_vibration_sort(slip_vibration *vibration);

/* Fills *to, which is {0}; slip_arena_free(&to->arena) is due in any case. Fails with SLIP_ERROR_SOLVER where
 * the forces of the constraints are not determined by the motion. */
int slip_vibration_solve(slip_context *ctx, const slip_system *system, const slip_linear_motion *motion,
                         slip_vibration *to);

#endif
