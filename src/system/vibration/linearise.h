/* The linearised motion about a state, for fixed contact modes:
 *
 *     M dv' + C dv + K dq = G^T dl,     J dv + R dq = 0,     dq' = dv,
 *
 * where C and K include loads and contacts. States are velocities, as everywhere (system.h). Rows of J are
 * the constraints by contacts: closed gaps, sticking slips. Rows of G are the directions of their forces: for
 * a slipping closed contact the normal direction plus its friction, so G differs from J and the equations are
 * not symmetric. A sliding friction force rotates with the direction of slip, and the slope of its law acts
 * as damping. The present forces (`load`) rotate with rows that depend on the coordinates, which acts as
 * stiffness. */
#ifndef SLIP_SYSTEM_LINEARISE_H
#define SLIP_SYSTEM_LINEARISE_H

#include "system/system.h"

/* The state about which to linearise, and the branches of the contacts there. */
typedef struct slip_linear_point {
    double t;
    const double *q, *v;
    const slip_branch *branches;
    /* Accelerations and contact forces there; required for systems with coordinates without mass, whose mass
     * matrix has no inverse; NULL: they are computed. */
    const double *acceleration, *normal, *force;
    const slip_patch_state *patches;
} slip_linear_point;

/* The friction of a contact along one direction: dF = gradient . (dq, dv) + ratio dl + dl_own. */
typedef struct slip_linear_friction {
    int contact, part; /* of its slip: 0, in the plane also 1 and, of spin, 2 */
    double *row;       /* n: its slip velocity is row . dv + ... */
    double *slip;      /* 2 n: derivatives of the slip velocity with respect to q and v */
    double *gradient;  /* 2 n: of the force, without that of the forces dl */
    int normal;        /* the constraint that gives the normal force, or -1 */
    double ratio;      /* friction force over that normal force */
    int held;          /* in stick: the constraint whose force is the friction, or -1 */
} slip_linear_friction;

typedef struct slip_linear_motion {
    slip_arena arena;
    int n, coordinates;
    double *mass, *damping, *stiffness; /* n x n, row by row */
    int count;                          /* of constraints */
    int *contact;                       /* of each of them */
    int *of_friction;                   /* of each constraint: the friction that it holds; -1: a gap */
    double *rows, *rates, *columns;     /* J, R and G, count x n */
    bool *of_place;                     /* of each constraint: R is zero, so J dq = 0 holds too */
    double *load;                       /* of each constraint: the force at the state */
    double *acceleration;               /* n, at the state: not zero where that is no equilibrium */
    double scale;                       /* of the accelerations: sum of the sizes of their terms */
    int friction_count;
    slip_linear_friction *friction;
} slip_linear_motion;

/* Linearises a system. *motion must be {0}; the caller calls slip_arena_free(&motion->arena) in any case.
 * Fails with SLIP_ERROR_SOLVER where a number is not finite. */
int slip_system_linearise(slip_context *ctx, const slip_system *system, slip_workspace *work,
                          const slip_linear_point *point, slip_linear_motion *motion);

/* Derivatives of a slip velocity with respect to q and v, 2 n numbers; the slots are filled where it reads
 * them. */
void slip_system_slip_gradient(const slip_system *system, slip_workspace *work, const slip_slip_form *form,
                               double *gradient);

#endif
