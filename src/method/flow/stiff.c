/* Smooth laws that are stiff. Near rest a law of width epsilon has the rate mu N/(m epsilon), and explicit
 * steps stay below some 3 over that rate however slowly the motion changes. Where all laws are smooth the
 * implicit stepper takes over, for the rest of the run. Where some are set-valued that is not possible: such
 * a run is ended once it is known that it would take hundreds of millions of steps. */
#include "method/flow/flow.h"

#include "system/friction/friction.h"

#include <math.h>

/* Size of the largest eigenvalue of da/dv at the end of the last step, by power iteration. */
static double fastest_rate(slip_flow *flow)
{
    enum { turns = 8 };
    const int n = flow->n;
    const slip_stepper *stepper = flow->stepper;
    double *a_v = flow->scratch.block + n * n, *x = flow->scratch.inside, *image = flow->scratch.inside + n,
           rate = 0;
    if (!slip_system_jacobian(flow->system, flow->work, flow->has_breaks ? flow->branches : NULL, stepper->x1,
                              stepper->y1, stepper->y1 + n, flow->a_last, flow->scratch.block, a_v, NULL,
                              NULL))
        return 0;
    for (int i = 0; i < n; i++)
        x[i] = 1;
    for (int turn = 0; turn < turns; turn++) {
        double before = 0, after = 0;
        for (int i = 0; i < n; i++) {
            image[i] = 0;
            for (int j = 0; j < n; j++)
                image[i] += a_v[i * n + j] * x[j];
            before += x[i] * x[i];
            after += image[i] * image[i];
        }
        rate = sqrt(after / before);
        if (!(rate > 0) || !isfinite(rate))
            return rate > 0 || isnan(rate) ? INFINITY : 0;
        for (int i = 0; i < n; i++)
            x[i] = image[i] / rate;
    }
    return rate;
}

/* True where stability, not the tolerance, limits the explicit steps. */
static bool limited(slip_flow *flow)
{
    const slip_stepper *stepper = flow->stepper;
    bool result = (stepper->x1 - stepper->x0) * fastest_rate(flow) > 2;
    /* restores contact states and forces */
    stepper->ode.rhs(flow, stepper->x1, stepper->y1, flow->scratch.inside);
    flow->ends.at_end = true;
    return result;
}

static bool rubs(const slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (!flow->system->contacts[c].frictionless)
            return true;
    return false;
}

bool slip_flow_turns_stiff(slip_flow *flow)
{
    enum { look_every = 100, patience = 20 };
    if (flow->kind != &slip_stepper_dopri || flow->switching || flow->stepper != flow->plain ||
        flow->steps % look_every != 0 || !rubs(flow))
        return false;
    /* at the limit of stability step sizes oscillate, and about half of them exceed the bound */
    flow->areas.stiff_steps = limited(flow)                 ? flow->areas.stiff_steps + 2
                              : flow->areas.stiff_steps > 0 ? flow->areas.stiff_steps - 1
                                                            : 0;
    flow->areas.use_stiff = flow->areas.stiff_steps >= patience;
    return flow->areas.use_stiff;
}

/* The contact whose smooth law has the smallest width. */
static const slip_contact *steepest(const slip_flow *flow)
{
    const slip_contact *found = NULL;
    double least = INFINITY;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        const double width = contact->friction->width(flow->system, flow->work, c);
        if (width > 0 && width < least) {
            least = width;
            found = contact;
        }
    }
    return found;
}

int slip_flow_refuse_stiff(slip_flow *flow, int64_t steps, double taken)
{
    const double share = 2e-3, left = flow->options.span - (flow->t - flow->opened_at);
    const slip_contact *contact = steepest(flow);
    if (flow->kind != &slip_stepper_dopri || flow->stepper != flow->plain || !contact ||
        !(taken < share * flow->options.span) || !isfinite(left) || !limited(flow))
        return SLIP_OK;
    return slip_fail(
        flow->ctx, SLIP_ERROR_SOLVER,
        "contact `%s`: at t = %.9g its smooth law is too steep for the explicit steps of `event`: "
        "%.2g more of them to the end; try a larger `epsilon` or `velocity`, law `coulomb`, or, "
        "with smooth laws in all contacts, simulate.method=smooth",
        contact->name, flow->t, (double)steps * left / taken);
}
