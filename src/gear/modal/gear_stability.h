/* The largest step of the classical Runge-Kutta method for two gears in contact.
 *
 * For x'' + delta x' + omega^2 x = 0 with the roots z/h the method multiplies by R(z) = 1 + z + z^2/2 + z^3/6
 * + z^4/24 in a step: stable where |R| <= 1. Frequencies and damping of modes and attachment modes are known.
 * What contact adds is found by power iteration with differences of accelerations: it gives the largest
 * eigenvalues of -da/dx and, with friction, of -da/dv, of the gears as they touch now. Damping by friction is
 * the normal force times the slope of the law: at the present slip, or at rest, where it is largest. */
#ifndef SLIP_GEAR_MODAL_GEAR_STABILITY_H
#define SLIP_GEAR_MODAL_GEAR_STABILITY_H

#include "gear/modal/gear_modal.h"

/* Infinite without damping and stiffness. */
double slip_rk4_limit(double square, double damping);

typedef struct slip_gear_stability {
    double *vector[2]; /* of the iteration for stiffness and for damping: as many numbers as coordinates */
    double *state, *slope, *base;
} slip_gear_stability;

int slip_gear_stability_create(slip_context *ctx, slip_gear_modal *modal, slip_gear_stability *s);

/* What is kept from call to call. */
void slip_gear_stability_keep(slip_gear_stability *s, const slip_gear_modal *modal, slip_keeper *keeper);

/* Friction depends on the load and on the slip: it is left out where these are not those of the run. */
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
