/* How far functions of time alone (loads, given normal forces, moving stops) can vary between two instants of
 * a step at which a condition is evaluated.
 *
 * Nothing of the motion need tell of a short pulse: a contact that sticks does not move until it is over its
 * limit, and a body in flight does not feel the floor. So the functions themselves are bounded, by interval
 * arithmetic, between the times at which a condition is evaluated. With rates in [r, R] over a stretch of
 * length h, a function differs from the chord between its ends by at most s (1 - s) bend, s from 0 to 1, with
 * bend = h (R - r); and by no more than its range. */
#ifndef SLIP_METHOD_FLOW_LOOK_H
#define SLIP_METHOD_FLOW_LOOK_H

#include "math/expression/interval.h"
#include "method/flow/flow.h"

typedef struct slip_deviation {
    double bend, range;
} slip_deviation;

/* Reserves of a contact: of stick, of its normal force, of being kept at a limit. */
enum { slip_look_slots = 3 };

typedef struct slip_look {
    bool loads;  /* some load is a function of time */
    bool forces; /* and moves forces of constraints: the influences are those of this segment */
    bool *timed; /* of each contact: its given normal force is a function of time */
    double *of_normal, *of_hold; /* by how much a unit load on each coordinate moves the normal force, and the
                                  * reserve of stick, of each contact */
    double *of_yield;            /* and what keeps it at a limit */
    double *states;              /* scratch: forces of contacts, an acceleration */
    slip_interval *scratch;
    bool carried;                 /* some stop or belt moves in time */
    double resolved;              /* length of a step that was short enough */
    double *reserve, *reserve_at; /* of limits at the end of the last step, and where that was */
    bool *left;                   /* it was more than rounding in any step */
} slip_look;

int slip_flow_look_create(slip_flow *flow);
void slip_flow_look_start(slip_flow *flow); /* of a segment */

/* As far as a step may go, at most to `limit`, so that it sees how stops and belts move that carry bodies
 * along: nothing else tells the error control of that. */
double slip_flow_look_limit(slip_flow *flow, double limit);

/* Of a condition of one contact, between two times of the last step. */
slip_deviation slip_flow_deviation(slip_flow *flow, int contact, slip_flow_boundary boundary, double from,
                                   double to);

#endif
