/* Derivatives of a motion in the coordinates that were given, some of which may have no mass.
 *
 * Coordinates without mass are no states: a reduced system is integrated in place of the given one
 * (system/massless/massless.h), with y = E(t, x) at the start and x = L(t, y) at the end. So the derivative
 * by the start is L_y Y_y E_x, where Y_y is that of the reduced system; likewise by time and parameters. A
 * slider that slips is at its limit for every x: its row of E_x is zero. A velocity without mass is no part
 * of the state: here it is zero, and so is its derivative.
 *
 * Where all coordinates have a mass the columns are those of the tangent itself. */
#ifndef SLIP_METHOD_TANGENT_GIVEN_H
#define SLIP_METHOD_TANGENT_GIVEN_H

#include "method/tangent/tangent.h"

typedef struct slip_given_tangent slip_given_tangent;

/* Like slip_tangent_create; the parameters have the given systems, not reduced ones. */
int slip_given_tangent_create(slip_context *ctx, const slip_system *system, int parameter_count,
                              const slip_tangent_parameter *parameters, slip_given_tangent **tangent);
void slip_given_tangent_destroy(slip_given_tangent *tangent);
/* The tangent of the reduced system, for slip_method_options.tangent. */
slip_tangent *slip_given_tangent_inside(slip_given_tangent *tangent);

/* Sets the state from which the motion starts; to be called before the method is opened. */
void slip_given_tangent_start(slip_given_tangent *tangent, double t, const double *q, const double *v);
/* Like slip_tangent_column and slip_tangent_rates, in the given coordinates. */
const double *slip_given_tangent_column(slip_given_tangent *tangent, int k);
const double *slip_given_tangent_rates(slip_given_tangent *tangent);

/* The index, among all of q followed by v, of number i of a state (coordinates, their velocities, states). */
static inline int slip_state_place(const slip_system *system, int i)
{
    const int coordinates = slip_system_coordinates(system);
    return i < coordinates ? i : system->n + i - coordinates;
}

/* The derivatives of such a state of `count` numbers by itself (count x count, row by row), by the time of
 * the start, of the end, and by the parameters (count x parameter_count); NULL: not needed. False: a
 * derivative is not finite. */
typedef struct slip_state_derivatives {
    double *by_state, *by_start, *by_end, *by_parameter;
} slip_state_derivatives;
bool slip_given_tangent_read(slip_given_tangent *tangent, const slip_system *system, int count,
                             int parameter_count, const slip_state_derivatives *to);
/* Where coordinates have no mass: the present state in given coordinates, as these derivatives have it. */
void slip_given_tangent_state(slip_given_tangent *tangent, double *q, double *v);

#endif
