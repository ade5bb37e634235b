/* Reports of a flow: changes of contact modes, progress, and errors. */
#include "method/flow/jumps.h"

#include <math.h>
#include <stdio.h>

int slip_flow_report(slip_flow *flow, int contact, slip_mode mode, double time, const slip_observer *observer)
{
    slip_event event = {time, contact, flow->modes[contact], mode};
    bool known = flow->mode_known[contact];
    flow->modes[contact] = mode;
    flow->mode_known[contact] = true;
    /* initial modes are no events, nor are later modes before time advances */
    if (!known || event.from == mode || (time <= flow->opened_at && !flow->options.memory))
        return SLIP_OK;
    flow->events++;
    return observer->event ? observer->event(observer->user, &event) : SLIP_OK;
}

/* Whether the equation is defined here but not ahead, so that steps become ever shorter. */
static bool undefined_ahead(slip_flow *flow)
{
    flow->failure.t = flow->t + 1e-9 * (slip_flow_time_scale(flow) + fabs(flow->t));
    memcpy(flow->failure.q, flow->q, (size_t)flow->n * sizeof(double));
    memcpy(flow->failure.v, flow->v, (size_t)flow->n * sizeof(double));
    return !slip_system_acceleration(flow->given, flow->work, NULL, flow->failure.t, flow->failure.q,
                                     flow->failure.v, flow->a_last);
}

int slip_flow_explain(slip_flow *flow, int status)
{
    if (status == SLIP_ERROR_MEMORY)
        return slip_fail_memory(flow->ctx);
    if (status != SLIP_STEP_UNDEFINED && status != SLIP_STEP_TOO_SMALL)
        return status;
    if (flow->failure.found || undefined_ahead(flow))
        return slip_system_diagnose(flow->ctx, flow->given, flow->work, flow->failure.t, flow->failure.q,
                                    flow->failure.v);
    return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                     "at t = %.9g the step became too small to go on (method `%s`); a jump in a force, a "
                     "motion that grows without bound, or one that is stiffer than the method can follow: "
                     "try `%s`, or a larger tolerance",
                     flow->t, flow->kind == &slip_stepper_cvode ? "smooth" : "event",
                     flow->kind == &slip_stepper_cvode ? "event" : "smooth");
}

void slip_flow_culprit(const slip_flow *flow, char *text, size_t size)
{
    if (flow->pace.contact < 0)
        slip_frozen_describe(flow->jumps->frozen, -1 - flow->pace.contact, text, size);
    else
        snprintf(text, size, "contact `%s`", flow->system->contacts[flow->pace.contact].name);
}
