/* Derivatives of a motion of `event` with respect to its initial state, initial time and parameters, across
 * its events.
 *
 * Columns d of numbers (dq, dv) are small changes of the state at one and the same time. In a segment they
 * obey the linear equation d' = J d + f_p dp: propagated by exp(A t) where the segment has a closed form, and
 * otherwise by collocation at Gauss's three points (of order 6, stable for all rates) over each step. At an
 * event whose condition h(t, x) vanishes, after which the state is R(t, x) and the right side f+ in place of
 * f-,
 *
 *     d+ = R_x d- + (R_x f- + R_t - f+) dtau,     dtau = -(h_x d- + h_p dp) / (h_x f- + h_t)
 *
 * (saltation; R. Leine, H. Nijmeijer 2004, and with jumps P. Mueller 1995). Sticking contacts and closed gaps
 * are constraints: the component of a column along them is projected out by the constraint forces, as an
 * impulse M^-1 W^T p of friction or of the stop does in the limit. The projection is done at the start and
 * after every event; the formula contains it already, except for accumulating bounces, after which the
 * contact is closed whatever the bounces were. They end T r/(1 - r) after a flight of duration T. The
 * derivative of that time follows from those of T and r in three landings. The flight is as short as the
 * neglected term, of order T^2, requires and not shorter, because the rounding error of dtau grows like 1/T.
 * With friction in the impacts, friction takes what the bounces lose, and that error cancels.
 *
 * Slip in the plane, or with spin, ends in all its directions at once: the component of its change normal to
 * the slip s vanishes together with s, and h = d . s with the last direction d of s (flow/area/chart.c has
 * the linearised equation while d turns). Slip starts from rest in the direction of the force; then h is the
 * distance of the force from the static limit, and d+ has the slip -g d dtau, which grows at the rate g.
 *
 * h_x d, R_x d and the derivatives by parameters are differences of fourth order of h, of R (of the impact
 * law, with the contacts doing what they do in it) and of the right side, each at one instant; never of the
 * motion. */
#ifndef SLIP_METHOD_TANGENT_H
#define SLIP_METHOD_TANGENT_H

#include "system/system.h"

typedef struct slip_tangent slip_tangent;

/* A parameter with a column of its own: systems with neighbouring values of the parameter, which must outlive
 * the tangent, and the weights of their results in the difference formula. */
typedef struct slip_tangent_parameter {
    double weights[4];
    const slip_system *near[4];
} slip_tangent_parameter;

/* Fills `parameter` by `bind`, which makes system number `k` with the parameter changed by a given amount: by
 * -2, -1, 1 and 2 steps; or, where one of these is no valid model (SLIP_ERROR_MODEL: a negative coefficient
 * of friction), by up to four steps upwards or downwards only. */
int slip_tangent_bind_near(slip_context *ctx, double step, slip_tangent_parameter *parameter,
                           int (*bind)(void *user, int k, double by, const slip_system **near), void *user);

/* Loads on coordinates 0 to count - 1 that are sums of harmonics: each load has 2 harmonics + 1 parameters,
 * the factors of 1, cos w t, sin w t, cos 2 w t, ...; the first one has the systems of a constant load, the
 * others NULL. The derivatives of the integrals of these coordinates times the same functions, 2 harmonics +
 * 1 numbers for each coordinate and column, are added to the arrays. Only for closed-form segments. */
typedef struct slip_tangent_loads {
    int count, harmonics;
    double frequency, *integrals;
} slip_tangent_loads;

/* Creates columns for the 2 n numbers of the initial state (q, then v), the initial time, and parameters. The
 * tangent is given to one method at a time by slip_method_options.tangent. */
int slip_tangent_create(slip_context *ctx, const slip_system *system, int parameter_count,
                        const slip_tangent_parameter *parameters, slip_tangent **tangent);
void slip_tangent_destroy(slip_tangent *tangent);
/* Declares that all parameters are those of these loads; the structure is not copied. */
void slip_tangent_take_loads(slip_tangent *tangent, const slip_tangent_loads *loads);

/* Column k, 2 n numbers, at the present time of the method (which must be open), after an event there:
 * derivatives by the initial state for k < 2 n, then by the initial time, then by the parameters. NULL where
 * a number is not finite. */
const double *slip_tangent_column(slip_tangent *tangent, int k);
/* The rates (v, a) of the present state, 2 n numbers. */
const double *slip_tangent_rates(slip_tangent *tangent);
/* The smallest rate of a condition at an event so far, relative to its usual size by the velocities or
 * accelerations there. Close to zero the motion grazes: derivatives are large, and valid only in a very small
 * neighbourhood. 1 where there was no event. */
double slip_tangent_graze(const slip_tangent *tangent);

/* ---- Called by the method that integrates the motion (method/flow/flow.h). */

struct slip_flow;
struct slip_exact;
struct slip_flow_crossing;

int slip_tangent_attach(slip_tangent *tangent, struct slip_flow *flow);
/* A segment begins: the changes by the last event are complete. */
void slip_tangent_begin(slip_tangent *tangent);
/* The segment is propagated by a time `distance` in closed form; the flow is still at its beginning. */
void slip_tangent_carry(slip_tangent *tangent, const struct slip_exact *exact, double distance);
/* Propagates the columns over the last step of the flow's stepper. */
void slip_tangent_step(slip_tangent *tangent);
/* The first moment (flow/area/moment.c) of the slip of a patch, or its last one; the flow is at its
 * beginning. */
void slip_tangent_moment(slip_tangent *tangent, bool last);
/* An event was located; modes and state have not changed yet. */
void slip_tangent_cross(slip_tangent *tangent, const struct slip_flow_crossing *crossing);
/* An event happens at a time that does not depend on the state. */
void slip_tangent_jump(slip_tangent *tangent);
/* Accumulating bounces are ended a time `left` early; the slip was changed for the excess friction in that
 * time. */
void slip_tangent_settle(slip_tangent *tangent, int contact, double left);
/* An impact was solved, from these velocities. */
void slip_tangent_strike(slip_tangent *tangent, const double *v);

#endif
