/* Shared by vibration.c and problem.c only. */
#ifndef SLIP_SYSTEM_VIBRATION_TYPES_H
#define SLIP_SYSTEM_VIBRATION_TYPES_H

#include "system/vibration/vibration.h"

/* The linear motion in scaled units: coordinates q = scale x with unit mass, time in units of 1/rate, and
 * linearly independent constraints with directions of unit length. */
typedef struct slip_vibration_problem {
    slip_context *ctx;
    const slip_system *system;
    const slip_linear_motion *motion;
    slip_vibration *to;
    slip_arena arena;
    int n, coordinates;
    double *scale, rate;
    double *mass, *damping, *stiffness;
    int held; /* number of independent constraints */
    double *rows, *rates, *columns;
    bool *of_place;
    double *forces; /* count x held: forces of the constraints from those of the ones that are left */
} slip_vibration_problem;

/* Allocates `count` zeros for the lifetime of the problem; NULL: out of memory. */
double *slip_vibration_numbers(slip_vibration_problem *problem, int64_t count);

/* Scales the motion, removes linearly dependent constraints, and allocates the modes. */
int slip_vibration_prepare(slip_vibration_problem *problem);

/* The size of the stiffness, with which eigenvalues are compared to decide that they are zero. */
double slip_vibration_stiffness(const slip_vibration_problem *problem);

/* Fails because the constraint forces are not determined by the motion. */
int slip_vibration_refuse(const slip_vibration_problem *problem);

#endif
