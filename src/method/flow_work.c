/* Works of the steps of a flow. The powers of loads, damping and contacts are integrated by the stepper, with
 * the weights of its own stages: nothing is evaluated for them alone. Of the contact forces the stages only
 * tell whether a step can have larger ones than were seen before. */
#include "method/flow_jumps.h"
#include "system/evaluate.h"
#include "system/structure.h"

#include <math.h>

bool slip_flow_works_create(slip_flow *flow)
{
    const int64_t count = flow->contact_count;
    slip_flow_works *w = &flow->works;
    w->moving = slip_arena_array(&flow->arena, count + 1, sizeof *w->moving);
    w->low = slip_arena_array(&flow->arena, 4 * count + flow->n + 1, sizeof(double));
    if (!w->low || !w->moving)
        return false;
    for (int c = 0; c < count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        w->moving[c] =
            !contact->slip.row || contact->slip.rest || contact->slip.constant != 0 || contact->has_gap;
    }
    w->high = w->low + 2 * count;
    w->loads = w->high + 2 * count;
    w->loaded = flow->system->force_count > 0 || flow->system->force_function;
    w->damped = slip_system_damped(flow->system);
    w->skew = slip_system_skew(flow->system);
    slip_flow_works_reset(flow);
    return true;
}

void slip_flow_works_reset(slip_flow *flow)
{
    for (int k = 0; k < 2 * flow->contact_count; k++) {
        flow->works.low[k] = INFINITY;
        flow->works.high[k] = -INFINITY;
    }
}

static inline void note(slip_flow_works *w, int k, double value)
{
    const double size = fabs(value);
    w->low[k] = size < w->low[k] ? size : w->low[k];
    w->high[k] = size > w->high[k] ? size : w->high[k];
}

/* Loads at the last evaluation. */
static __attribute__((noinline)) const double *state_loads(slip_flow *flow, double t, const double *q,
                                                           const double *v)
{
    slip_system_given_loads(flow->system, flow->work, t, q, v, flow->works.loads);
    flow->work->evaluations--;
    return flow->works.loads;
}

static __attribute__((noinline)) double skew_power(const slip_flow *flow, const double *q, const double *v)
{
    const double *stiffness = flow->system->stiffness;
    return 0.5 * (slip_system_form(flow->n, q, stiffness, v) - slip_system_form(flow->n, v, stiffness, q));
}

static __attribute__((noinline)) void add_energy_powers(slip_flow *flow, double t, const double *q,
                                                        const double *v, double *loads, double *damping)
{
    double driven, dissipated;
    flow->system->structure->powers(flow->system, flow->work, t, q, v, &driven, &dissipated);
    *loads += driven;
    *damping += dissipated;
}

static __attribute__((noinline)) void contact_powers(slip_flow *flow, double t, const double *q,
                                                     const double *v, double *powers)
{
    const int m = flow->contact_count;
    for (int c = 0; c < m; c++) {
        const slip_contact_state *state = &flow->work->contacts[c];
        double power[2] = {state->force * state->slip, -state->force * state->slip};
        if (flow->works.moving[c])
            slip_system_contact_power(flow->system, flow->work, c, t, q, v, state, NULL, power);
        powers[c] = power[0];
        powers[m + c] = power[1];
        note(&flow->works, c, state->normal);
        note(&flow->works, m + c, state->force);
    }
}

/* Compiled with n known for the smallest systems, like the evaluation itself. */
SLIP_INLINE void add_powers(const int n, slip_flow *flow, double t, const double *q, const double *v,
                            double *powers)
{
    const slip_flow_works *w = &flow->works;
    double of_loads = 0, of_damping = 0;
    if (w->loaded) {
        const double *loads = flow->system->state_loads ? state_loads(flow, t, q, v) : flow->work->loads;
        for (int i = 0; i < n; i++)
            of_loads += i < flow->moving ? loads[i] * v[i] : 0; /* not of the rates of states */
    }
    if (w->damped)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                of_damping += v[i] * flow->system->damping[i * n + j] * v[j];
    if (flow->system->structure->powers)
        add_energy_powers(flow, t, q, v, &of_loads, &of_damping);
    powers[SLIP_WORK_LOADS] = w->skew ? of_loads + skew_power(flow, q, v) : of_loads;
    powers[SLIP_WORK_DAMPING] = of_damping;
    if (flow->contact_count > 0)
        contact_powers(flow, t, q, v, powers + SLIP_WORK_CONTACTS);
}

void slip_flow_powers(slip_flow *flow, double t, const double *q, const double *v, double *powers)
{
    switch (flow->n) {
    case 1:
        add_powers(1, flow, t, q, v, powers);
        break;
    case 2:
        add_powers(2, flow, t, q, v, powers);
        break;
    default:
        add_powers(flow->n, flow, t, q, v, powers);
    }
}

/* The stages are not on the motion, only near it: what they differ by, a force may be larger between them. */
static bool may_be_larger(const slip_flow *flow, const double *largest)
{
    const slip_flow_works *w = &flow->works;
    for (int k = 0; k < 2 * flow->contact_count; k++)
        if (2 * w->high[k] - w->low[k] > largest[k])
            return true;
    return false;
}

void slip_flow_works_tell(slip_flow *flow, const slip_works *works, slip_step *step)
{
    const slip_stepper *stepper = flow->stepper;
    if (!flow->works.telling || stepper != flow->plain || step->t0 < works->from || step->t1 > works->end)
        return;
    for (int k = 0; k < stepper->ode.integrals; k++)
        works->works[k] += stepper->integral[k];
    step->told = true;
    step->larger = may_be_larger(flow, works->forces);
}

void slip_flow_works_ask(slip_flow *flow, const slip_observer *observer)
{
    const bool telling = observer->works && flow->kind->integrates && flow->system->patch_count == 0;
    slip_stepper *plain = flow->plain;
    if (telling == flow->works.telling)
        return;
    flow->works.telling = telling;
    plain->ode.integrals = telling ? slip_flow_work_count(flow) : 0;
    if (telling && flow->stepper == plain) /* the start of the next step has no powers yet */
        plain->ode.rhs(flow, plain->x1, plain->y1, plain->f1);
}
