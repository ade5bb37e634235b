/* Between switch.c, clean.c and land.c: contacts that stick, touch and land. */
#ifndef SLIP_METHOD_FLOW_SWITCH_H
#define SLIP_METHOD_FLOW_SWITCH_H

#include "math/vector.h"
#include "method/flow/look.h"

#include <float.h>
#include <math.h>

/* What is left where all but nothing is left is rounding: zero, or it would look like a motion. */
static inline void slip_flow_shift(int n, const double *response, double amount, double *x)
{
    for (int i = 0; i < n; i++) {
        double change = response[i] * amount;
        x[i] += change;
        if (fabs(x[i]) <= 4 * DBL_EPSILON * fabs(change))
            x[i] = 0;
    }
}

static inline bool slip_flow_is_closed(const slip_flow *flow, int c)
{
    return slip_contact_closed(&flow->system->contacts[c], flow->branches[c].mode);
}

/* ---- clean.c */

/* Adds the direction in flow->scratch.row to the `count` that are in flow->scratch.basis; the new one is left
 * in flow->scratch.row, M^-1 times it in flow->scratch.response, and their product is returned: zero when the
 * direction depends on the others. */
double slip_flow_orthogonalise(const slip_flow *flow, int *count);

/* The gap of one contact exactly zero; gaps and gap rates of all that touch. */
void slip_flow_close_gap(slip_flow *flow, int contact);
/* By how much an impulse of one along the gap changes its rate; the velocities are in flow->scratch.response.
 */
double slip_flow_gap_response(const slip_flow *flow, int contact);
void slip_flow_close_touching(slip_flow *flow);
/* Whether the direction of a slip vanishes here, as that of a piston does at the dead centres of its crank:
 * the slip is zero whatever the velocities are, and no force holds it. */
bool slip_flow_is_dead(const slip_flow *flow, int c, double t, const double *q, const double *v);

/* ---- switch.c */

/* Notes for the next decision what holds now: contacts that stick or are closed, but for one whose own limit
 * is reached (-1: none). */
void slip_flow_remember(slip_flow *flow, int ended);

/* What sticks is at rest, unless a jump has moved it. */
void slip_flow_keep_resting(slip_flow *flow);

/* One of the directions of a contact's slip (part 0 to 2 of a patch), and M^-1 times it: in flow->scratch.row
 * and flow->scratch.response. Of a patch those of its last evaluation. */
void slip_flow_respond(slip_flow *flow, int contact, int part);

/* Finds all modes; reports those that changed, except of contacts that have landed, which `land` reports. */
int slip_flow_decide_modes(slip_flow *flow, const slip_observer *observer);

#endif
