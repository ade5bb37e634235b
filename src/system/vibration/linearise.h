/* The motion close to a state, for contact modes that stay as they are:
 *
 *     M dv' + C dv + K dq = G^T dl,     J dv + R dq = 0,     dq' = dv,
 *
 * with what loads and contacts add to C and K. States are velocities, as everywhere (system.h). Rows of J are
 * the directions that contacts hold: gaps that are closed, slips that stick; rows of G those along which
 * their forces act: of a closed gap that slips the normal direction and its friction, so that G is not J and
 * the equation is not symmetric. A sliding force turns with the direction of slip; the slope of its law is
 * damping. Forces that are there already (`load`) turn with rows that depend on the coordinates, which is
 * stiffness. */
#ifndef SLIP_SYSTEM_LINEARISE_H
#define SLIP_SYSTEM_LINEARISE_H

#include "system/system.h"

/* Where a state is looked at, and what each contact does there. */
typedef struct slip_linear_point {
    double t;
    const double *q, *v;
    const slip_branch *branches;
    /* Accelerations and contact forces there, of coordinates without mass, which have no inverse to find them
     * by; NULL: they are found. */
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
    int held;          /* the constraint that is the friction force itself, or -1 */
} slip_linear_friction;

typedef struct slip_linear_motion {
    slip_arena arena;
    int n, coordinates;
    double *mass, *damping, *stiffness; /* n x n, row by row */
    int count;                          /* of constraints */
    int *contact;                       /* of each of them */
    int *of_friction;                   /* of each of them: the friction that is held; -1: a gap */
    double *rows, *rates, *columns;     /* J, R and G, count x n */
    bool *of_place;                     /* of each constraint: R is zero, so that J dq = 0 holds as well */
    double *load;                       /* of each constraint: the force at the state */
    double *acceleration;               /* n, at the state: not zero where that is no equilibrium */
    double scale;                       /* of the accelerations: the sizes of what they are sums of */
    int friction_count;
    slip_linear_friction *friction;
} slip_linear_motion;

/* Fills *motion, which is {0}; slip_arena_free(&motion->arena) is due in any case. Fails with
 * SLIP_ERROR_SOLVER where something is not finite there. */
int slip_system_linearise(slip_context *ctx, const slip_system *system, slip_workspace *work,
                          const slip_linear_point *point, slip_linear_motion *motion);

/* Derivatives of a slip velocity with respect to q and v, 2 n numbers; the slots are filled where it reads
 * them. */
void slip_system_slip_gradient(const slip_system *system, slip_workspace *work, const slip_slip_form *form,
                               double *gradient);

#endif
