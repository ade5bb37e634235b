/* Event indicators: where the motion of a flow would have to end its steps. */
#include "method/exchange/types.h"

#include <stdio.h>

static void add(slip_exchange *x, slip_exchange_part what, int which)
{
    if (x->list)
        x->list[x->count] = (slip_exchange_indicator){what, which};
    x->count++;
}

void slip_exchange_list(slip_exchange *x)
{
    const slip_flow *flow = x->flow;
    const slip_system *system = flow->system;
    x->count = 0;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const bool decided = slip_flow_decided(flow, c);
        if (contact->has_gap)
            add(x, SLIP_EXCHANGE_GAP, c);
        if (!contact->frictionless && contact->dimension == 1)
            add(x, SLIP_EXCHANGE_FRICTION, c);
        if (decided && flow->contact_count > 1)
            add(x, SLIP_EXCHANGE_SHARE, c);
        if (slip_contact_may_pull(contact))
            add(x, SLIP_EXCHANGE_NORMAL, c);
        if (!decided && contact->law.break_count > 0)
            add(x, SLIP_EXCHANGE_PIECE, c);
        for (int k = 0; flow->sliders && k < contact->slider_count; k++)
            add(x, SLIP_EXCHANGE_SLIDER, contact->slider + k);
    }
    for (int k = 0; flow->jumps && k < flow->jumps->count; k++)
        if (flow->jumps->frozen->switches.list[k].reads_state)
            add(x, SLIP_EXCHANGE_SWITCH, k);
}

int slip_exchange_indicator_count(const slip_exchange *x)
{
    return x->count;
}

void slip_exchange_indicator_name(const slip_exchange *x, int index, char *name, size_t size)
{
    static const char *const parts[] = {"gap", "friction", "share", "normal", "piece", "slider"};
    const slip_system *system = x->flow->system;
    const slip_exchange_indicator *own = &x->list[index];
    if (own->part == SLIP_EXCHANGE_SWITCH) {
        snprintf(name, size, "switch.%d", own->which + 1);
        return;
    }
    const int c = own->part == SLIP_EXCHANGE_SLIDER ? system->sliders[own->which].contact : own->which;
    const slip_contact *contact = &system->contacts[c];
    if (own->part == SLIP_EXCHANGE_SLIDER && contact->slider_count > 1)
        snprintf(name, size, "%s.slider.%d", contact->name, own->which - contact->slider + 1);
    else
        snprintf(name, size, "%s.%s", contact->name, parts[own->part]);
}

static double of_gap(slip_exchange *x, int c, double t, const double *q)
{
    slip_flow *flow = x->flow;
    if (flow->branches[c].mode == SLIP_MODE_OPEN)
        return slip_system_gap(flow->system, flow->work, c, t, q);
    return flow->branches[c].clip & SLIP_CLIP_NORMAL ? 1 : slip_flow_force_reserve(flow, c, SLIP_FLOW_LIFT);
}

static double of_friction(slip_exchange *x, int c)
{
    slip_flow *flow = x->flow;
    const bool decided = slip_flow_decided(flow, c) && flow->system->contacts[c].law.type->info.set_valued;
    const slip_mode mode = decided ? flow->branches[c].mode : x->modes[c];
    const double slip = flow->work->contacts[c].slip;
    if (decided && mode == SLIP_MODE_STICK)
        return slip_clip_at_apex(flow->branches[c].clip)
                   ? 1
                   : slip_flow_force_reserve(flow, c, SLIP_FLOW_UNSTICK);
    return mode == SLIP_MODE_SLIP_PLUS ? slip : mode == SLIP_MODE_SLIP_MINUS ? -slip : 1;
}

static double of_share(slip_exchange *x, int c)
{
    slip_flow *flow = x->flow;
    return flow->branches[c].clip & ~(unsigned)SLIP_CLIP_WEDGED
               ? slip_flow_force_reserve(flow, c, SLIP_FLOW_YIELD)
               : 1;
}

/* The nearer one of two ends; 1 where there is none. */
static double nearer(double lower, double upper)
{
    const double least = fmin(lower, upper);
    return isfinite(least) ? least : 1;
}

static double of_piece(slip_exchange *x, int c)
{
    const slip_flow *flow = x->flow;
    const double slip = flow->work->contacts[c].slip;
    return nearer(slip_flow_distance(flow, c, SLIP_FLOW_LOWER, slip, 0),
                  slip_flow_distance(flow, c, SLIP_FLOW_UPPER, slip, 0));
}

static double of_slider(slip_exchange *x, int k, double t, const double *q, const double *v)
{
    const slip_flow *flow = x->flow;
    if (flow->sliders[k] != 0)
        return flow->system->sliders[k].mode == SLIP_LAW_SATURATES
                   ? 1 /* it turns with its piece */
                   : slip_flow_slider_distance(flow, k, SLIP_FLOW_SLIDER_TURN, t, q, v);
    if (!isfinite(flow->system->sliders[k].limit))
        return 1;
    return nearer(slip_flow_slider_distance(flow, k, SLIP_FLOW_SLIDER_LOWER, t, q, v),
                  slip_flow_slider_distance(flow, k, SLIP_FLOW_SLIDER_UPPER, t, q, v));
}

/* After an evaluation there. */
static double indicator_value(slip_exchange *x, const slip_exchange_indicator *own, double t, const double *q,
                              const double *v)
{
    slip_flow *flow = x->flow;
    switch (own->part) {
    case SLIP_EXCHANGE_GAP:
        return of_gap(x, own->which, t, q);
    case SLIP_EXCHANGE_FRICTION:
        return of_friction(x, own->which);
    case SLIP_EXCHANGE_SHARE:
        return of_share(x, own->which);
    case SLIP_EXCHANGE_NORMAL:
        return slip_system_normal_force(flow->given, flow->work, own->which, t, q, v);
    case SLIP_EXCHANGE_PIECE:
        return of_piece(x, own->which);
    case SLIP_EXCHANGE_SLIDER:
        return of_slider(x, own->which, t, q, v);
    default:
        return nearer(slip_flow_guard(flow, own->which, SLIP_FLOW_GUARD_LOWER, t, q, v, NULL, NULL),
                      slip_flow_guard(flow, own->which, SLIP_FLOW_GUARD_UPPER, t, q, v, NULL, NULL));
    }
}

bool slip_exchange_find(slip_exchange *x, double t, const double *y, double *f, double *values)
{
    if (!slip_exchange_evaluate(x, t, y, f))
        return false;
    for (int k = 0; k < x->count; k++)
        values[k] = indicator_value(x, &x->list[k], t, y, y + x->flow->n);
    return true;
}

int slip_exchange_indicators(slip_exchange *x, double t, const double *q, const double *v, double *values)
{
    slip_exchange_put(x, q, v, x->y);
    return slip_exchange_find(x, t, x->y, x->f, values) ? SLIP_OK : slip_exchange_fail(x);
}

slip_flow_crossing slip_exchange_crossing(slip_exchange *x, const slip_exchange_indicator *own, double t,
                                          const double *y)
{
    const slip_flow *flow = x->flow;
    const double *q = y, *v = y + flow->n;
    slip_flow_crossing crossing = {.contact = own->which, .x = t};
    switch (own->part) {
    case SLIP_EXCHANGE_GAP:
        crossing.boundary =
            flow->branches[own->which].mode == SLIP_MODE_OPEN ? SLIP_FLOW_LAND : SLIP_FLOW_LIFT;
        break;
    case SLIP_EXCHANGE_FRICTION:
        crossing.boundary = flow->branches[own->which].mode == SLIP_MODE_STICK       ? SLIP_FLOW_UNSTICK
                            : flow->branches[own->which].mode == SLIP_MODE_SLIP_PLUS ? SLIP_FLOW_LOWER
                                                                                     : SLIP_FLOW_UPPER;
        crossing.hold = flow->work->contacts[own->which].force;
        break;
    case SLIP_EXCHANGE_SHARE:
        crossing.boundary = SLIP_FLOW_YIELD;
        break;
    case SLIP_EXCHANGE_NORMAL:
        crossing.boundary = SLIP_FLOW_PULL;
        break;
    case SLIP_EXCHANGE_PIECE: {
        const double slip = flow->work->contacts[own->which].slip;
        crossing.boundary = slip_flow_distance(flow, own->which, SLIP_FLOW_LOWER, slip, 0) <
                                    slip_flow_distance(flow, own->which, SLIP_FLOW_UPPER, slip, 0)
                                ? SLIP_FLOW_LOWER
                                : SLIP_FLOW_UPPER;
        break;
    }
    case SLIP_EXCHANGE_SLIDER:
        crossing.boundary = flow->sliders[own->which] != 0 ? SLIP_FLOW_SLIDER_TURN : SLIP_FLOW_SLIDER_UPPER;
        break;
    default:
        crossing.boundary =
            slip_flow_guard(x->flow, own->which, SLIP_FLOW_GUARD_LOWER, t, q, v, NULL, NULL) <
                    slip_flow_guard(x->flow, own->which, SLIP_FLOW_GUARD_UPPER, t, q, v, NULL, NULL)
                ? SLIP_FLOW_GUARD_LOWER
                : SLIP_FLOW_GUARD_UPPER;
    }
    return crossing;
}

bool slip_exchange_reverses(const slip_exchange *x, const slip_exchange_indicator *own)
{
    return own->part == SLIP_EXCHANGE_FRICTION &&
           !(slip_flow_decided(x->flow, own->which) &&
             x->flow->system->contacts[own->which].law.type->info.set_valued);
}
