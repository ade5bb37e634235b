/* Between switch.c, clean.c and land.c: contacts that stick, touch and land. */
#ifndef SLIP_METHOD_FLOW_SWITCH_H
#define SLIP_METHOD_FLOW_SWITCH_H

#include "math/vector.h"
#include "method/flow/look.h"

#include <float.h>
#include <math.h>

/* x += amount response. Components that cancel but for rounding become zero: they are no motion. */
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

/* Makes the gap of one contact exactly zero; close_touching: gaps and gap rates of all closed contacts. */
void slip_flow_close_gap(slip_flow *flow, int contact);
/* The change of the gap rate by a unit impulse along the gap; that of the velocities is in
 * flow->scratch.response. */
double slip_flow_gap_response(const slip_flow *flow, int contact);
void slip_flow_close_touching(slip_flow *flow);
/* Whether the direction of a slip vanishes here, as that of a piston does at the dead centres of its crank:
 * the slip is zero whatever the velocities are, and no force holds it. */
bool slip_flow_is_dead(const slip_flow *flow, int c, double t, const double *q, const double *v);

/* ---- switch.c */

/* Notes for the next decision which contacts stick or are closed, except one whose own limit is reached (-1:
 * none). */
void slip_flow_remember(slip_flow *flow, int ended);

/* Marks contacts that stick as at rest, unless a jump has moved them. */
void slip_flow_keep_resting(slip_flow *flow);

/* Writes one row of a contact's slip (part 0 to 2 of a patch) to flow->scratch.row, and M^-1 times it to
 * flow->scratch.response; for a patch, the rows of its last evaluation. */
void slip_flow_respond(slip_flow *flow, int contact, int part);

/* Finds all modes and reports those that changed; changes of contacts that have landed are left to `land`. */
int slip_flow_decide_modes(slip_flow *flow, const slip_observer *observer);

#endif
