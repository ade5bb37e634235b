/* How far functions of time alone (loads, given normal forces, moving stops) can vary between two instants of
 * a step at which a condition is evaluated.
 *
 * The motion need not show a short pulse: a contact that sticks does not move until its limit is exceeded,
 * and a body in flight does not feel the floor. So the functions themselves are bounded, by interval
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

/* The reserves of a contact: of stick, of its normal force, and of a force that is kept at its limit. */
enum { slip_look_slots = 3 };

typedef struct slip_look {
    bool loads;  /* some load is a function of time */
    bool forces; /* and changes constraint forces; the derivatives below are those of this segment */
    bool *timed; /* of each contact: its given normal force is a function of time */
    double *of_normal, *of_hold; /* of each contact: derivatives of the normal force and of the reserve of
                                  * stick by the load on each coordinate */
    double *of_yield;            /* and of the reserve of a force kept at its limit */
    double *states;              /* scratch: forces of contacts, an acceleration */
    slip_interval *scratch;
    bool carried;                 /* some stop or belt moves as a function of time */
    double resolved;              /* length of a step that was short enough */
    double *reserve, *reserve_at; /* reserves at the end of the last step, and its time */
    bool *left;                   /* the reserve exceeded rounding in some step */
} slip_look;

int slip_flow_look_create(slip_flow *flow);
void slip_flow_look_start(slip_flow *flow); /* of a segment */

/* The end of the next step, at most `limit`, by which the step resolves the motion of stops and belts that
 * carry bodies along: the error control does not see that motion. */
double slip_flow_look_limit(slip_flow *flow, double limit);

/* Bounds how far a condition of one contact deviates from its chord between two times of the last step. */
slip_deviation slip_flow_deviation(slip_flow *flow, int contact, slip_flow_boundary boundary, double from,
                                   double to);

#endif
