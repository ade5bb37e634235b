/* Between vibration.c and problem.c. */
#ifndef SLIP_SYSTEM_VIBRATION_TYPES_H
#define SLIP_SYSTEM_VIBRATION_TYPES_H

#include "system/vibration/vibration.h"

/* The motion in units of its own: coordinates q = scale x with unit mass, time in 1/rate; constraints that do
 * not depend on each other, with directions of length one. */
typedef struct slip_vibration_problem {
    slip_context *ctx;
    const slip_system *system;
    const slip_linear_motion *motion;
    slip_vibration *to;
    slip_arena arena;
    int n, coordinates;
    double *scale, rate;
    double *mass, *damping, *stiffness;
    int held; /* constraints that are left */
    double *rows, *rates, *columns;
    bool *of_place;
    double *forces; /* count x held: forces of the constraints from those of the ones that are left */
} slip_vibration_problem;

/* Memory for so many numbers, zeros, as long as the problem lives; NULL when there is none. */
double *slip_vibration_numbers(slip_vibration_problem *problem, int64_t count);

/* Puts the motion into units of its own, takes constraints together that hold the same, and makes room for
 * the modes. */
int slip_vibration_prepare(slip_vibration_problem *problem);

/* The size of the stiffness, by which eigenvalues that are zero but for rounding are known. */
double slip_vibration_stiffness(const slip_vibration_problem *problem);

/* Fails: the forces of the constraints do not follow from the motion. */
int slip_vibration_refuse(const slip_vibration_problem *problem);

#endif
