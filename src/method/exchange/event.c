/* What happens at an event of model exchange, where the importer has stopped its integration. */
#include "method/exchange/types.h"

static const slip_observer nobody = {0};

/* A state a short time ahead, in x->ahead. False where the equation is not defined here. */
static bool look_ahead(slip_exchange *x, double t, const double *y, double time)
{
    if (!slip_exchange_evaluate(x, t, y, x->f))
        return false;
    for (int i = 0; i < 2 * x->flow->n; i++)
        x->ahead[i] = y[i] + time * x->f[i];
    return true;
}

/* What each contact does from now on. Of those that no decision is made for, slip and normal force a short
 * time ahead tell. */
static void note_modes(slip_exchange *x)
{
    slip_flow *flow = x->flow;
    const double time = slip_flow_short_time(flow);
    slip_sample sample = {.mode = x->seen};
    if (!look_ahead(x, flow->t, x->y, time) || !slip_exchange_evaluate(x, flow->t + time, x->ahead, x->f))
        return;
    slip_flow_fill(flow, x->ahead, x->ahead + flow->n, x->f + flow->n, &sample);
    for (int c = 0; c < flow->contact_count; c++)
        x->modes[c] = (slip_mode)x->seen[c];
}

/* As start_segment of flow.c. */
int slip_exchange_begin(slip_exchange *x)
{
    slip_flow *flow = x->flow;
    int status = SLIP_OK;
    flow->stepper = NULL;
    if (flow->has_breaks)
        SLIP_TRY(slip_flow_settle(flow, &nobody));
    if (flow->jumps)
        SLIP_TRY(slip_flow_jumps_resolve(flow, &nobody));
    slip_flow_forget(flow);
    slip_flow_look_start(flow);
    slip_exchange_put(x, flow->q, flow->v, x->y);
    note_modes(x);
    if (!slip_exchange_evaluate(x, flow->t, x->y, x->f)) /* what comes next starts from here */
        status = SLIP_STEP_UNDEFINED;
done:
    return slip_flow_explain(flow, status);
}

/* The indicator that has passed zero first: one that falls, and is zero now as far as times can be told
 * apart, or below. -1: none. */
static int find_passed(slip_exchange *x, double t, const double *y)
{
    slip_flow *flow = x->flow;
    const double noise = 1e-11 * (slip_flow_time_scale(flow) + fabs(t)), time = slip_flow_short_time(flow);
    double *here = x->values, *there = here + x->count, first = INFINITY;
    int found = -1;
    if (!look_ahead(x, t, y, time) || !slip_exchange_find(x, t + time, x->ahead, x->f, there) ||
        !slip_exchange_find(x, t, y, x->f, here))
        return -1;
    for (int k = 0; k < x->count; k++) {
        const double rate = (there[k] - here[k]) / time;
        if (!(rate < 0) || x->passes[k] == passes_most || here[k] > -rate * noise ||
            here[k] / -rate >= first || slip_exchange_reverses(x, &x->list[k]))
            continue;
        first = here[k] / -rate;
        found = k;
    }
    return found;
}

/* Where the flow stands becomes this state, exact for what is closed or sticks. */
static void stand(slip_exchange *x, double t, const double *y)
{
    slip_flow *flow = x->flow;
    const int n = flow->n;
    flow->t = t;
    memcpy(flow->q, y, (size_t)n * sizeof(double));
    memcpy(flow->v, y + n, (size_t)n * sizeof(double));
    if (!flow->switching)
        return;
    slip_flow_close_gaps(flow, t, flow->q);
    slip_flow_clean(flow, t, flow->q, flow->v);
    slip_flow_note_speed(flow);
    for (int k = 0; k < flow->system->gap_count; k++) {
        const int c = flow->system->gaps[k];
        flow->gaps.now[c] =
            slip_flow_is_closed(flow, c) ? 0 : slip_system_gap(flow->system, flow->work, c, t, flow->q);
        flow->gaps.largest[c] = fmax(flow->gaps.largest[c], flow->gaps.now[c]);
    }
}

/* Crosses what has passed zero, one after the other, until nothing is left at this instant. *crossed:
 * something was. */
static int cross_all(slip_exchange *x, double t, bool *crossed)
{
    slip_flow *flow = x->flow;
    int status = SLIP_OK;
    memset(x->passes, 0, (size_t)x->count * sizeof *x->passes);
    for (int k; (k = find_passed(x, t, x->y)) >= 0; x->passes[k]++) {
        const slip_flow_crossing crossing = slip_exchange_crossing(x, &x->list[k], t, x->y);
        stand(x, t, x->y);
        if (!slip_exchange_evaluate(x, t, x->y, x->f))
            return slip_exchange_fail(x);
        *crossed = true;
        SLIP_PASS(slip_flow_explain(flow, slip_flow_cross(flow, &crossing, &nobody)));
        SLIP_PASS(status = slip_exchange_begin(x));
    }
    return status;
}

/* How far functions of time are looked at for their switches; then it is asked again. */
static double next_switch(slip_flow *flow)
{
    const double span = isfinite(flow->options.span) ? flow->options.span : 1000 * slip_flow_time_scale(flow);
    return flow->jumps && flow->jumps->state_count < flow->jumps->count
               ? slip_flow_jumps_limit(flow, flow->t + span)
               : INFINITY;
}

/* Switches whose time has come, also those that cannot be told from it. */
static int switch_all(slip_exchange *x, double t)
{
    slip_flow *flow = x->flow;
    const double noise = 1e-13 * (slip_flow_time_scale(flow) + fabs(t));
    bool crossed;
    int status = SLIP_OK;
    for (double next = next_switch(flow); flow->jumps && flow->jumps->due && next - t <= noise;
         next = next_switch(flow)) {
        flow->t = fmax(next, flow->t);
        SLIP_PASS(slip_flow_explain(flow, slip_flow_jumps_ready(flow, &nobody)));
        SLIP_PASS(status = slip_exchange_begin(x));
        SLIP_PASS(status = cross_all(x, flow->t, &crossed));
    }
    return status;
}

int slip_exchange_event(slip_exchange *x, double t, const double *q, const double *v)
{
    slip_flow *flow = x->flow;
    bool crossed = false;
    if (t > x->last) {
        /* what steps of our own would be, between events that come faster and faster */
        flow->natural_step = fmin(1e-2 * slip_flow_time_scale(flow), 0.1 * (t - x->last));
        x->last = t;
    }
    slip_exchange_put(x, q, v, x->y);
    SLIP_PASS(cross_all(x, t, &crossed));
    if (!crossed) {
        stand(x, t, x->y);
        slip_exchange_put(x, flow->q, flow->v, x->y);
    }
    SLIP_PASS(switch_all(x, t));
    note_modes(x);
    return SLIP_OK;
}

/* A flight so low that errors of the steps have hidden its end. */
static bool falls_through(slip_flow *flow, int c, double t, const double *q, const double *v)
{
    return flow->branches[c].mode == SLIP_MODE_OPEN &&
           slip_system_gap(flow->system, flow->work, c, t, q) <
               -1e-12 * slip_system_gap_size(flow->system, flow->work, c, t, q) &&
           slip_system_gap_rate(flow->system, flow->work, c, t, q, v) < 0;
}

bool slip_exchange_step(slip_exchange *x, double t, const double *q, const double *v)
{
    slip_flow *flow = x->flow;
    bool begins = false;
    for (int i = 0; i < flow->n; i++)
        flow->sizes.fastest = fmax(flow->sizes.fastest, fabs(v[i]));
    for (int k = 0; k < x->count; k++) {
        const int c = x->list[k].which;
        begins |= slip_exchange_reverses(x, &x->list[k]) && x->modes[c] == SLIP_MODE_STICK &&
                  !slip_flow_sliders_tell(flow, c) &&
                  slip_system_slip(flow->system, flow->work, c, t, q, v) != 0;
        begins |= x->list[k].part == SLIP_EXCHANGE_GAP && falls_through(flow, c, t, q, v);
    }
    return begins;
}

/* While contacts hold a body nothing moves, so that steps grow beyond what loads, belts and stops do: a look
 * from time to time, as in take_step of flow.c. */
static double next_look(slip_flow *flow)
{
    const double span = isfinite(flow->options.span) ? flow->options.span : 100 * slip_flow_time_scale(flow);
    return flow->charts.held > 0 && (flow->look->loads || flow->look->carried) ? flow->t + span / 200
                                                                               : INFINITY;
}

double slip_exchange_next_time(slip_exchange *x)
{
    return fmin(next_look(x->flow), next_switch(x->flow));
}
