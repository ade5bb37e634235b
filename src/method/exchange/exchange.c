/* Model exchange: a flow that an external solver integrates. Opening, evaluating, closing. */
#include "method/exchange/types.h"

#include <stdlib.h>

static const slip_observer nobody = {0};

/* ---- Opening and closing. */

int slip_exchange_check(slip_context *ctx, const slip_system *system)
{
    if (system->massless)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "coordinates without mass have no equation that others could integrate; give each "
                         "of them a mass");
    if (system->condensed)
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "bodies with `reduce: {contact: condensed}` are moved by `exponential` only; use `reduce: "
            "{contact: attachment}`");
    if (system->field)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "whole bodies are moved by `moreau` only; give every body `reduce: {modes: 20}`");
    for (int c = 0; c < (int)system->contact_count; c++)
        if (system->contacts[c].dimension > 1 && system->contacts[c].set_valued)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: friction in a plane that is set-valued comes to rest along a "
                             "direction that only `event` follows; give it a smooth law",
                             system->contacts[c].name);
    return SLIP_OK;
}

static int make_room(slip_exchange *x)
{
    const int64_t n = x->flow->n, contacts = x->flow->contact_count;
    slip_exchange_list(x);
    x->list = slip_arena_array(&x->arena, x->count + 1, sizeof *x->list);
    x->modes = slip_arena_array(&x->arena, contacts + 1, sizeof *x->modes);
    x->seen = slip_arena_array(&x->arena, contacts + 1, sizeof *x->seen);
    x->y = slip_arena_array(&x->arena, 2 * n, sizeof *x->y);
    x->f = slip_arena_array(&x->arena, 2 * n, sizeof *x->f);
    x->ahead = slip_arena_array(&x->arena, 2 * n, sizeof *x->ahead);
    x->values = slip_arena_array(&x->arena, 2 * (int64_t)x->count + 1, sizeof *x->values);
    x->passes = slip_arena_array(&x->arena, x->count + 1, sizeof *x->passes);
    SLIP_PASS(slip_allocated(x->ctx, x->list && x->modes && x->seen && x->y && x->f && x->ahead &&
                                         x->values && x->passes));
    slip_exchange_list(x);
    return SLIP_OK;
}

/* Steps are those of somebody else. Singular laws are as they are: no contact has a place for the variable of
 * a chart. */
static void hand_over(slip_flow *flow)
{
    flow->impacts.driven = true;
    flow->impacts.least_flight = fmax(flow->impacts.least_flight, 10 * flow->options.tolerance);
    for (int c = 0; c < flow->contact_count; c++)
        flow->charts.slot[c] = -1;
    flow->charts.slots = 0;
}

int slip_exchange_open(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                       double t, const double *q, const double *v, slip_exchange **result)
{
    SLIP_FREED_BY(slip_exchange_drop) slip_exchange *x = slip_alloc(1, sizeof *x);
    int status = SLIP_OK;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, x));
    x->ctx = ctx;
    x->last = t;
    SLIP_PASS(status = slip_exchange_check(ctx, system));
    SLIP_PASS(slip_flow_open(ctx, system, options, &slip_stepper_dopri, t, q, v, &x->flow));
    hand_over(x->flow);
    SLIP_PASS(make_room(x));
    if (x->flow->jumps)
        SLIP_PASS(slip_flow_explain(x->flow, slip_flow_jumps_ready(x->flow, &nobody)));
    SLIP_PASS(status = slip_exchange_begin(x));
    SLIP_HAND(result, x);
    return status;
}

void slip_exchange_close(slip_exchange *x)
{
    if (!x)
        return;
    slip_flow_close(x->flow);
    slip_arena_free(&x->arena);
    free(x);
}

/* Everything that the old flow knows of its contacts, whatever the parameters are. */
static void adopt_contacts(slip_flow *to, const slip_flow *from)
{
    const size_t count = (size_t)from->contact_count;
    for (size_t c = 0; c < count; c++) {
        const signed char *sliders = to->branches[c].sliders;
        to->branches[c] = from->branches[c];
        to->branches[c].sliders = sliders;
    }
    memcpy(to->modes, from->modes, count * sizeof *to->modes);
    memcpy(to->mode_known, from->mode_known, count * sizeof *to->mode_known);
    memcpy(to->charts.hold, from->charts.hold, count * sizeof *to->charts.hold);
    memcpy(to->gaps.now, from->gaps.now, count * sizeof *to->gaps.now);
    memcpy(to->gaps.largest, from->gaps.largest, count * sizeof *to->gaps.largest);
    if (from->sliders)
        memcpy(to->sliders, from->sliders, (size_t)from->system->slider_count);
    if (!from->switching)
        return;
    memcpy(to->decision.standing, from->decision.standing, count * sizeof *to->decision.standing);
    memcpy(to->decision.from_zero, from->decision.from_zero, count * sizeof *to->decision.from_zero);
    memcpy(to->decision.normal_size, from->decision.normal_size,
           3 * count * sizeof *to->decision.normal_size); /* and two more lists */
    memcpy(to->impacts.bounces, from->impacts.bounces, count * sizeof *to->impacts.bounces);
}

int slip_exchange_adopt(slip_exchange *x, const slip_system *system)
{
    const slip_flow *from = x->flow;
    SLIP_FREED_BY(slip_flow_drop) slip_flow *to = NULL;
    int status = SLIP_OK;
    SLIP_PASS(
        slip_flow_open(x->ctx, system, &from->options, &slip_stepper_dopri, from->t, from->q, from->v, &to));
    hand_over(to);
    if (to->contact_count != from->contact_count || !to->jumps != !from->jumps ||
        (to->jumps && to->jumps->count != from->jumps->count) ||
        to->system->slider_count != from->system->slider_count) {
        status =
            slip_fail(x->ctx, SLIP_ERROR_MODEL,
                      "parameters at t = %.9g change which expressions switch; expected numbers with which "
                      "the same ones do",
                      from->t);
        return status;
    }
    adopt_contacts(to, from);
    if (to->jumps)
        slip_flow_jumps_adopt(to, from);
    to->placed = from->placed;
    to->charts.held = from->charts.held;
    to->opened_at = from->opened_at;
    to->decision.time = from->decision.time;
    to->natural_step = from->natural_step;
    to->sizes.fastest = from->sizes.fastest;
    to->impacts.struck = from->impacts.struck;
    slip_flow_close(x->flow);
    x->flow = to;
    to = NULL;
    return status;
}

void slip_exchange_state(const slip_exchange *x, double *t, double *q, double *v)
{
    slip_flow_state(x->flow, t, q, v);
}

void slip_exchange_remember(const slip_exchange *x, slip_method_memory *memory)
{
    slip_flow_keep(x->flow, memory);
}

/* ---- Between events. */

void slip_exchange_put(slip_exchange *x, const double *q, const double *v, double *y)
{
    const size_t size = (size_t)x->flow->n * sizeof(double);
    memcpy(y, q, size);
    memcpy(y + x->flow->n, v, size);
}

bool slip_exchange_evaluate(slip_exchange *x, double t, const double *y, double *f)
{
    return slip_flow_plain_ode(x->flow)->rhs(x->flow, t, y, f);
}

int slip_exchange_fail(slip_exchange *x)
{
    return slip_flow_explain(x->flow, SLIP_STEP_UNDEFINED);
}

int slip_exchange_rates(slip_exchange *x, double t, const double *q, const double *v, double *a)
{
    slip_exchange_put(x, q, v, x->y);
    if (!slip_exchange_evaluate(x, t, x->y, x->f))
        return slip_exchange_fail(x);
    memcpy(a, x->f + x->flow->n, (size_t)x->flow->n * sizeof(double));
    return SLIP_OK;
}

int slip_exchange_sample(slip_exchange *x, double t, const double *q, const double *v, slip_sample *sample)
{
    slip_exchange_put(x, q, v, x->y);
    if (!slip_exchange_evaluate(x, t, x->y, x->f))
        return slip_exchange_fail(x);
    slip_flow_fill(x->flow, x->y, x->y + x->flow->n, x->f + x->flow->n, sample);
    for (int c = 0; c < x->flow->contact_count && sample->mode; c++)
        sample->mode[c] = x->modes[c];
    return SLIP_OK;
}

int slip_exchange_variation(slip_exchange *x, double t, const double *q, const double *v, const double *size,
                            double *matrix)
{
    const int n = x->flow->n;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double speed, *whole = slip_arena_array(&arena, 4 * (int64_t)n * n, sizeof *whole);
    int status = whole ? SLIP_OK : slip_fail_memory(x->ctx);
    slip_exchange_put(x, q, v, x->ahead);
    if (whole && !slip_flow_variation(x->flow, t, x->ahead, size, whole, &speed))
        status = slip_exchange_fail(x);
    if (status == SLIP_OK)
        memcpy(matrix, whole + 2 * (size_t)n * (size_t)n, 2 * (size_t)n * (size_t)n * sizeof(double));
    return status;
}
