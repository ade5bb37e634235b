/* The static contact problem, condensed to the directions in which contacts act.
 *
 *     d = w + C lambda
 *
 * d: displacements in the contact directions, lambda: forces in them, C: compliance (need not be symmetric),
 * w: displacements by the loads alone. A contact has a normal direction (d_n its gap, lambda_n its pressure),
 * a tangential one (d_t its slip, read as a displacement, lambda_t the force along it), or both:
 *
 *     d_n >= 0,  lambda_n >= 0,  d_n lambda_n = 0;
 *     |lambda_t| <= mu lambda_n, and lambda_t = -mu lambda_n sign(d_t) where d_t is not zero.
 *
 * Without a normal direction the normal force is given. The last `held_count` directions belong to no
 * contact, and their d is always zero. They are the null vectors of a singular stiffness (d: the resultant of
 * all forces along such a motion, lambda: its amplitude) or, where the stiffness depends on the parameter and
 * may become singular, all coordinates. */
#ifndef SLIP_STATICS_PROBLEM_H
#define SLIP_STATICS_PROBLEM_H

#include "base/context.h"
#include "slipstick/model.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct slip_static_contact {
    int normal, tangent; /* directions; -1: none */
} slip_static_contact;

/* The part of a problem that does not depend on the parameter. */
typedef struct slip_static_shape {
    int contact_count, direction_count, held_count;
    int observed_count; /* directions without forces, before the held ones, whose d is only reported */
    const slip_static_contact *contacts;
    int sign; /* of the determinant of the structure: 1 or -1 */
    /* 0: the structure is condensed. Else the held directions are its coordinates: lambda is the coordinate
     * over `motion`, d the resultant of all forces on it times `motion`. */
    double motion;
} slip_static_shape;

/* The problem at one value of the parameter. */
typedef struct slip_static_values {
    double *compliance; /* direction_count^2, row by row */
    double *free;       /* w */
    double *friction;   /* mu of each contact */
    double *normal;     /* given normal force of each contact without normal direction, else 0 */
} slip_static_values;

typedef struct slip_static_problem {
    slip_static_shape shape;
    slip_static_values at;
} slip_static_problem;

/* Directions of contacts: those before the observed and held ones. */
static inline int slip_static_contact_directions(const slip_static_shape *shape)
{
    return shape->direction_count - shape->held_count - shape->observed_count;
}

/* Writes the possible modes of a contact into modes[4]; returns their number. Fewest unknowns first. */
int slip_static_modes_of(const slip_static_contact *contact, slip_mode modes[4]);

/* +1 for slip+, -1 for slip-, else 0. */
static inline int slip_static_slip_sign(slip_mode mode)
{
    return (mode == SLIP_MODE_SLIP_PLUS) - (mode == SLIP_MODE_SLIP_MINUS);
}

/* The inequalities of a mode: every margin must be >= 0. Each is coefficient[0] lambda_n + coefficient[1]
 * lambda_t + coefficient[2] d_n + coefficient[3] d_t + coefficient[4] mu (lambda_n, or the given force). */
typedef struct slip_static_margin {
    signed char coefficient[5];
} slip_static_margin;
enum { slip_static_margins_max = 3 };
int slip_static_margins(const slip_static_contact *contact, slip_mode mode,
                        slip_static_margin margins[slip_static_margins_max]);

/* The conditions of a mode: its equations (`equal`, of the form of a margin) and its margins. */
typedef struct slip_static_condition {
    slip_static_margin form;
    bool equal;
} slip_static_condition;
enum { slip_static_conditions_max = slip_static_margins_max + 2 };
int slip_static_conditions(const slip_static_contact *contact, slip_mode mode,
                           slip_static_condition conditions[slip_static_conditions_max]);

/* The value of a margin. */
double slip_static_margin_value(const slip_static_contact *contact, const slip_static_margin *margin,
                                const double *lambda, const double *d, double mu, double normal);

/* Reference sizes of forces and displacements, for residuals and rounding errors. */
typedef struct slip_static_scale {
    double force, displacement;
} slip_static_scale;
slip_static_scale slip_static_scale_of(const slip_static_problem *problem, const double *lambda,
                                       const double *d);

/* The reference size of a margin of a contact with this mu. */
double slip_static_margin_size(const slip_static_margin *margin, const slip_static_scale *scale, double mu);

/* A hash of a set of modes. */
uint64_t slip_static_hash(const slip_mode *modes, int count);

/* Writes the modes of a contact that a solution satisfies (several on a boundary between modes) into
 * modes[4]; returns their number. tolerance: relative to the scale. */
int slip_static_agreeing(const slip_static_problem *problem, int contact, const double *lambda,
                         const double *d, const slip_static_scale *scale, double tolerance,
                         slip_mode modes[4]);

/* The judge: the largest violation of d = w + C lambda and of the contact laws, relative to the scale. It
 * does not use modes. */
double slip_static_residual(const slip_static_problem *problem, const double *lambda, const double *d);

/* Allocates the arrays of `values` in the arena; false when out of memory. */
bool slip_static_values_create(slip_arena *arena, const slip_static_shape *shape, slip_static_values *values);

#endif
