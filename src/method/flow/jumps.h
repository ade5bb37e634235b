/* Switches of expressions in a flow: times and places at which a load, belt, stop or normal force is not
 * smooth.
 *
 * The flow runs on a frozen system (system/freeze.h). Its segments end where a guard reaches its bound:
 *
 *  - a guard of time alone: the time is known before the step is taken, from interval bounds of the guard and
 *    of its rate, which cannot pass over one;
 *  - a guard of the state: found in the step, like every other condition (find.c).
 *
 * Then its form changes, contact modes are decided anew, and the next segment starts. At a guard of the state
 * both forms are tried, and the guard is evaluated a short time ahead. The form under which it moves to its
 * own side is taken. If it does under neither and does not move, it stays at zero. If both forms drive it
 * back, that is a sliding mode of the expression: a set-valued law in disguise, and an error.
 */
#ifndef SLIP_METHOD_FLOW_JUMPS_H
#define SLIP_METHOD_FLOW_JUMPS_H

#include "math/expression/interval.h"
#include "method/flow/flow.h"
#include "system/freeze.h"

#include <string.h>

/* Passages of one guard that come faster and faster. */
typedef struct slip_passages {
    double last, interval, before; /* time of the last one, its interval, and the interval before it */
    int64_t shrinking;             /* number of successive intervals that became shorter */
} slip_passages;

struct slip_jumps {
    slip_frozen *frozen;
    int count, state_count;
    double *form, *low, *high; /* of each switch: its form, and bounds of its guard */
    double *stride;            /* of each switch: length of the last stretch of time without a switch */
    slip_passages *passages;
    slip_interval *scratch;
    double *gaps;       /* of each contact before a jump */
    slip_branch *trial; /* scratch of modes */
    double *q, *v, *a;  /* scratch of a state a short time ahead */
    bool started;
    double until; /* no guard of time reaches its bound before this time */
    bool due;     /* one does at that time */
};

int slip_flow_jumps_create(slip_flow *flow); /* leaves flow->jumps NULL where nothing switches */
void slip_flow_jumps_destroy(slip_jumps *jumps);

/* Sets the forms of guards of time at the present time; at the start (`first`) of all guards. */
void slip_flow_jumps_place(slip_flow *flow, bool first);
/* Before a step: sets the forms at the start of a run, and applies the switches that are due (contacts.c). */
int slip_flow_jumps_ready(slip_flow *flow, const slip_observer *observer);

/* Describes the first due switch of time as a crossing of its guard, since its time may depend on parameters.
 * False: no guard crosses its bound with a rate. */
bool slip_flow_jumps_due(slip_flow *flow, slip_flow_crossing *crossing);

/* The largest time that a step may reach: `end`, or the time of the next switch. */
double slip_flow_jumps_limit(slip_flow *flow, double end);

/* At the start of a segment: decides whether guards of the state that rest at zero leave it. */
int slip_flow_jumps_resolve(slip_flow *flow, const slip_observer *observer);

/* Chooses the form of a guard of the state that has reached its bound in the last step. */
int slip_flow_jumps_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer);

/* After an impact, in which velocities jump: sets the forms of guards of the state that are clear of their
 * bounds. */
void slip_flow_jumps_strike(slip_flow *flow);

/* Copies the forms from another flow with the same switches; times of switching are searched anew. */
void slip_flow_jumps_adopt(slip_flow *flow, const slip_flow *from);

static inline const slip_switch *slip_flow_switch_of(const slip_flow *flow, int k)
{
    return &flow->jumps->frozen->switches.list[k];
}
/* Sets the variables that expressions read to a state; returns the guard of a switch there. */
static inline void slip_flow_fill_slots(const slip_flow *flow, double t, const double *q, const double *v)
{
    double *slots = flow->work->slots;
    const size_t size = (size_t)flow->n * sizeof(double);
    slots[slip_slot_time()] = t;
    memcpy(slots + slip_slot_coordinate(0), q, size);
    memcpy(slots + slip_slot_velocity(flow->n, 0), v, size);
}
static inline double slip_flow_guard_value(const slip_flow *flow, int k, double t, const double *q,
                                           const double *v)
{
    slip_flow_fill_slots(flow, t, q, v);
    return slip_expression_value(slip_flow_switch_of(flow, k)->guard, flow->work->slots, flow->work->scratch);
}

/* find.c: the distance of a guard from its lower or upper bound; its rate where `a` is given. */
double slip_flow_guard(slip_flow *flow, int which, slip_flow_boundary boundary, double t, const double *q,
                       const double *v, const double *a, double *rate);

/* contacts.c: after a jump of velocities: puts contacts whose laws have breaks into the piece of their new
 * slip velocity; reports reversals. */
int slip_flow_place_again(slip_flow *flow, const slip_observer *observer);

#endif
