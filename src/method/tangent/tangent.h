/* Derivatives of a motion of `event` with respect to where and when it starts, and to parameters, across its
 * events.
 *
 * Columns d of numbers (dq, dv) are small changes of the state at one and the same time. In a segment they
 * obey the linear equation d' = J d + f_p dp: propagated by exp(A t) where the segment has a closed form, by
 * collocation at Gauss's three points (of order 6, and stable whatever the rates are) over each step of the
 * others. At an event whose condition h(t, x) vanishes, after which the state is R(t, x) and the right side
 * f+ in place of f-,
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
 * Slip in the plane, or with spin, ends in all its directions at once: the component of its change across the
 * slip s vanishes together with s, and h = d . s with the last direction d of s (flow/area/chart.c has how
 * changes grow while d turns). Slip starts from rest in the direction of the force; then h is the distance of
 * the force from the static limit, and d+ has the slip -g d dtau, which grows at the rate g.
 *
 * h_x d, R_x d and the derivatives by parameters are differences of fourth order of h, of R (of the impact
 * law, with the contacts doing what they do in it) and of the right side, each at one instant; never of the
 * motion. */
#ifndef SLIP_METHOD_TANGENT_H
#define SLIP_METHOD_TANGENT_H

#include "system/system.h"

typedef struct slip_tangent slip_tangent;

/* A parameter with respect to which there is a column: the system with other numbers of it, which outlive the
 * tangent, and the weights of what they give in the derivative. */
typedef struct slip_tangent_parameter {
    double weights[4];
    const slip_system *near[4];
} slip_tangent_parameter;

/* Fills it by `bind`, which gives the system number `k` with the parameter changed by a number: two and one
 * steps less, one and two more; or, where there is no model with one of these (SLIP_ERROR_MODEL: a
 * coefficient of friction below zero), up to four steps more, or up to four less. */
int slip_tangent_bind_near(slip_context *ctx, double step, slip_tangent_parameter *parameter,
                           int (*bind)(void *user, int k, double by, const slip_system **near), void *user);

/* Loads on coordinates 0 to count - 1 that are sums of harmonics: of each load 2 harmonics + 1 parameters,
 * which multiply 1, cos w t, sin w t, cos 2 w t, ...; the first of them has the systems of a constant load,
 * the others NULL. And what integrals over the motion of these coordinates times the same functions change
 * by, 2 harmonics + 1 numbers of each coordinate and column: they are added to. Closed forms only. */
typedef struct slip_tangent_loads {
    int count, harmonics;
    double frequency, *integrals;
} slip_tangent_loads;

/* Columns for the 2 n numbers of the start (all of q, then of v), the time of the start, and parameters. It
 * is given to a method by slip_method_options.tangent, which starts it; one at a time. */
int slip_tangent_create(slip_context *ctx, const slip_system *system, int parameter_count,
                        const slip_tangent_parameter *parameters, slip_tangent **tangent);
void slip_tangent_destroy(slip_tangent *tangent);
/* All parameters are those of loads, which the tangent does not copy. */
void slip_tangent_take_loads(slip_tangent *tangent, const slip_tangent_loads *loads);

/* Before the method is closed. Column k of 2 n numbers at the time where the method stands, after what
 * happens there: k below 2 n by the start, then by its time, then by the parameters. NULL where something is
 * not finite. */
const double *slip_tangent_column(slip_tangent *tangent, int k);
/* The rates of the state there, 2 n numbers. */
const double *slip_tangent_rates(slip_tangent *tangent);
/* The smallest rate of a condition at an event so far, over what it would be by the accelerations there:
 * close to zero, the motion grazes, and derivatives are large and good for nothing but next to it. 1 where
 * there was none. */
double slip_tangent_graze(const slip_tangent *tangent);

/* ---- For the method that moves (method/flow/flow.h). */

struct slip_flow;
struct slip_exact;
struct slip_flow_crossing;

int slip_tangent_attach(slip_tangent *tangent, struct slip_flow *flow);
/* A segment begins: what the last event did is complete. */
void slip_tangent_begin(slip_tangent *tangent);
/* The segment that has begun goes on by a distance in closed form; the flow stands at its beginning. */
void slip_tangent_carry(slip_tangent *tangent, const struct slip_exact *exact, double distance);
/* The last step of the flow's stepper. */
void slip_tangent_step(slip_tangent *tangent);
/* The moment by hand (flow/patch_moment.c) with which the slip of a patch starts, or the last one; the flow
 * stands at its beginning. */
void slip_tangent_moment(slip_tangent *tangent, bool last);
/* A condition is met, and nothing has changed yet. */
void slip_tangent_cross(slip_tangent *tangent, const struct slip_flow_crossing *crossing);
/* Something happens at a time that the state does not move. */
void slip_tangent_jump(slip_tangent *tangent);
/* Bounces that accumulate are closed a little before their end, for which the slip gets in advance what
 * friction takes too much in a time. */
void slip_tangent_settle(slip_tangent *tangent, int contact, double left);
/* An impact was solved, from these velocities. */
void slip_tangent_strike(slip_tangent *tangent, const double *v);

#endif
