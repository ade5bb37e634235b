/* The work done in the steps of a flow. The powers of loads, damping and contacts are integrated by the
 * stepper, with the weights of its own stages: nothing is evaluated for them alone. The contact forces at the
 * stages only serve to find out whether a step can have larger forces than before. */
#include "method/flow/jumps.h"
#include "system/structure/structure.h"

#include <math.h>

/* Lists the non-zero elements of the damping matrix. */
static bool list_damping(slip_flow *flow)
{
    const int n = flow->n;
    slip_flow_works *w = &flow->works;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(w->damping = slip_arena_array(&flow->arena, w->damping_count, sizeof *w->damping)))
            return false;
        w->damping_count = 0;
        for (int at = 0; at < n * n; at++)
            if (flow->system->damping[at] != 0) {
                if (pass)
                    w->damping[w->damping_count] = at;
                w->damping_count++;
            }
    }
    return true;
}

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
    const slip_system *system = flow->system;
    const bool loads = system->force_count > 0 || system->force_function;
    w->loaded = loads && !system->state_loads && flow->moving == flow->n;
    w->damped = slip_system_damped(system);
    w->skew = slip_system_skew(system);
    w->other = (loads && !w->loaded) || system->structure->powers || w->skew;
    slip_flow_works_reset(flow);
    return !w->damped || list_damping(flow);
}

void slip_flow_works_reset(slip_flow *flow)
{
    for (int k = 0; k < 2 * flow->contact_count; k++) {
        flow->works.low[k] = INFINITY;
        flow->works.high[k] = -INFINITY;
    }
}

/* The loads on all coordinates at the last evaluation. */
static const double *state_loads(slip_flow *flow, double t, const double *q, const double *v)
{
    slip_system_given_loads(flow->system, flow->work, t, q, v, flow->works.loads);
    flow->work->evaluations--;
    return flow->works.loads;
}

static double skew_power(const slip_flow *flow, const double *q, const double *v)
{
    const double *stiffness = flow->system->stiffness;
    return 0.5 * (slip_system_form(flow->n, q, stiffness, v) - slip_system_form(flow->n, v, stiffness, q));
}

void slip_flow_other_powers(slip_flow *flow, double t, const double *q, const double *v, double *powers)
{
    const slip_system *system = flow->system;
    double driven = 0, dissipated = 0;
    if (!flow->works.loaded && (system->force_count > 0 || system->force_function)) {
        const double *loads = system->state_loads ? state_loads(flow, t, q, v) : flow->work->loads;
        for (int i = 0; i < flow->moving; i++) /* the rates of states of first order do no work */
            powers[SLIP_WORK_LOADS] += loads[i] * v[i];
    }
    if (system->structure->powers)
        system->structure->powers(system, flow->work, t, q, v, &driven, &dissipated);
    powers[SLIP_WORK_LOADS] += flow->works.skew ? driven + skew_power(flow, q, v) : driven;
    powers[SLIP_WORK_DAMPING] += dissipated;
}

void slip_flow_moving_powers(slip_flow *flow, int c, double t, const double *q, const double *v,
                             double *powers)
{
    double power[2];
    slip_system_contact_power(flow->system, flow->work, c, t, q, v, &flow->work->contacts[c], NULL, power);
    powers[c] = power[0];
    powers[flow->contact_count + c] = power[1];
}

/* Whether a force may exceed the largest one so far, between stages by as much as these differ. */
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
