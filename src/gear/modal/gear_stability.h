/* The largest step of the classical Runge-Kutta method for two gears in contact.
 *
 * For x'' + delta x' + omega^2 x = 0 with the roots z/h the method multiplies by R(z) = 1 + z + z^2/2 + z^3/6
 * + z^4/24 in a step: stable where |R| <= 1. Frequencies and damping of modes and attachment modes are known.
 * The largest stiffness and damping of the gears with their present contacts are found by power iteration
 * with finite differences of accelerations: the largest eigenvalues of -da/dx and, with friction, of -da/dv.
 * Damping by friction is the normal force times the slope of the law: at the present slip, or at zero slip,
 * where it is largest. */
#ifndef SLIP_GEAR_MODAL_GEAR_STABILITY_H
#define SLIP_GEAR_MODAL_GEAR_STABILITY_H

#include "gear/modal/gear_modal.h"

/* The largest stable step h (s) for omega^2 = square and delta = damping; infinite where both are zero. */
double slip_rk4_limit(double square, double damping);

typedef struct slip_gear_stability {
    double *vector[2]; /* of the iteration for stiffness and for damping: as many numbers as coordinates */
    double *state, *slope, *base;
} slip_gear_stability;

int slip_gear_stability_create(slip_context *ctx, slip_gear_modal *modal, slip_gear_stability *s);

/* Saves or restores the vectors that are reused from call to call. */
void slip_gear_stability_keep(slip_gear_stability *s, const slip_gear_modal *modal, slip_keeper *keeper);

/* Which damping by friction counts: none (where load and slip are not those of the run), at the present slip,
 * or at zero slip. */
typedef enum slip_gear_damping {
    SLIP_DAMPING_NONE,
    SLIP_DAMPING_NOW,
    SLIP_DAMPING_AT_REST
} slip_gear_damping;

/* The limit for the present state. More iterations make a better estimate; vectors are kept from call to
 * call. The state has to be evaluated again afterwards. */
double slip_gear_stability_limit(slip_gear_stability *s, slip_gear_modal *modal, slip_gear_damping friction,
                                 int iterations);

#endif
