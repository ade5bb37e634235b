#include "method/flow/jumps.h"

#include "ode/root.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- Opening and closing. */

static bool allocate(slip_flow *flow, slip_jumps *jumps)
{
    slip_arena *arena = &flow->arena;
    int64_t count = jumps->count, contacts = flow->contact_count + 1, n = flow->n;
    int most = 0;
    for (int64_t k = 0; k < count; k++) {
        int needed = slip_expression_bounds_scratch(jumps->frozen->switches.list[k].guard);
        most = needed > most ? needed : most;
    }
    jumps->form = slip_arena_array(arena, count, sizeof(double));
    jumps->low = slip_arena_array(arena, count, sizeof(double));
    jumps->high = slip_arena_array(arena, count, sizeof(double));
    jumps->stride = slip_arena_array(arena, count, sizeof(double));
    jumps->passages = slip_arena_array(arena, count, sizeof *jumps->passages);
    jumps->scratch = slip_arena_array(arena, most, sizeof *jumps->scratch);
    jumps->gaps = slip_arena_array(arena, contacts, sizeof(double));
    jumps->trial = slip_arena_array(arena, contacts, sizeof *jumps->trial);
    jumps->q = slip_arena_array(arena, 3 * n, sizeof(double));
    if (!jumps->form || !jumps->low || !jumps->high || !jumps->stride || !jumps->passages ||
        !jumps->scratch || !jumps->gaps || !jumps->trial || !jumps->q)
        return false;
    jumps->v = jumps->q + n;
    jumps->a = jumps->v + n;
    return true;
}

int slip_flow_jumps_create(slip_flow *flow)
{
    slip_frozen *frozen = NULL;
    slip_jumps *jumps;
    /* An implicit method passes kinks in the state, such as those of a penalty, without ending a step; but
     * when a contact opens, its law may lose its memory. */
    int status = slip_system_freeze(flow->ctx, flow->system,
                                    flow->kind->retake != NULL || slip_flow_forgets(flow), &frozen);
    if (status < 0 || !frozen)
        return status;
    jumps = slip_arena_alloc(&flow->arena, sizeof *jumps);
    if (!jumps) {
        slip_frozen_destroy(frozen);
        return slip_fail_memory(flow->ctx);
    }
    jumps->frozen = frozen;
    jumps->count = (int)frozen->switches.count;
    flow->jumps = jumps;
    SLIP_PASS(slip_allocated(flow->ctx, allocate(flow, jumps)));
    for (int k = 0; k < jumps->count; k++)
        jumps->state_count += slip_flow_switch_of(flow, k)->reads_state;
    flow->system = frozen->system;
    return SLIP_OK;
}

void slip_flow_jumps_destroy(slip_jumps *jumps)
{
    if (jumps)
        slip_frozen_destroy(jumps->frozen);
}

/* ---- Guards and forms. */

static void set_form(slip_flow *flow, int k, double form)
{
    slip_jumps *jumps = flow->jumps;
    jumps->form[k] = form;
    slip_switch_bounds(slip_flow_switch_of(flow, k), form, &jumps->low[k], &jumps->high[k]);
    if (!slip_flow_switch_of(flow, k)->levels && form == 0) {
        /* the guard rests at zero until it leaves a small interval */
        jumps->low[k] = -1e-3 * flow->options.tolerance;
        jumps->high[k] = 1e-3 * flow->options.tolerance;
    }
    slip_frozen_set(jumps->frozen, flow->work, k, form);
}

/* Bounds of guard k and of its *rate, with rounding errors, for times in `during` and fixed q and v. */
static slip_interval range_of(slip_flow *flow, int k, slip_interval during, slip_interval *rate)
{
    slip_interval value;
    slip_expression_bounds(slip_flow_switch_of(flow, k)->guard, flow->work->slots, slip_slot_time(), during,
                           flow->jumps->scratch, &value, rate);
    return value;
}

/* The form of the switch for all guard values in the range; false when there is more than one. */
static bool form_of(const slip_switch *one, slip_interval range, double *form)
{
    *form = slip_switch_form(one, range.low);
    return *form == slip_switch_form(one, range.high) && (one->levels || *form != 0);
}

/* The form of a guard of time from t on. It is evaluated a little later, beyond rounding, so that guards with
 * the same switching time switch together. */
static double form_after(slip_flow *flow, int k, double t)
{
    const slip_switch *one = slip_flow_switch_of(flow, k);
    const double span = isfinite(flow->options.span) ? flow->options.span : 1;
    double form;
    slip_interval rate;
    for (double ahead = 64 * DBL_EPSILON * fmax(fabs(t), 1e-9 * span); ahead < 1e-3 * span; ahead *= 2) {
        double at = t + ahead;
        if (form_of(one, range_of(flow, k, (slip_interval){at, at}, &rate), &form))
            return form;
    }
    return slip_switch_form(one, slip_flow_guard_value(flow, k, t, flow->q, flow->v));
}

/* Sets the form of a guard of the state; true when the guard is at a bound, where both are possible. */
static bool place_guard(slip_flow *flow, int k)
{
    slip_interval rate, range;
    double form;
    slip_flow_fill_slots(flow, flow->t, flow->q, flow->v);
    range = range_of(flow, k, (slip_interval){flow->t, flow->t}, &rate);
    if (form_of(slip_flow_switch_of(flow, k), range, &form)) {
        set_form(flow, k, form);
        return false;
    }
    return true;
}

void slip_flow_jumps_place(slip_flow *flow, bool first)
{
    slip_jumps *jumps = flow->jumps;
    for (int k = 0; k < jumps->count; k++) {
        const slip_switch *one = slip_flow_switch_of(flow, k);
        if (!one->reads_state) {
            slip_flow_fill_slots(flow, flow->t, flow->q, flow->v);
            set_form(flow, k, form_after(flow, k, flow->t));
        } else if (place_guard(flow, k) && first) {
            set_form(flow, k,
                     slip_switch_form(one, slip_flow_guard_value(flow, k, flow->t, flow->q, flow->v)));
        }
    }
    jumps->until = flow->t;
    jumps->due = false;
}

bool slip_flow_jumps_due(slip_flow *flow, slip_flow_crossing *crossing)
{
    const slip_jumps *jumps = flow->jumps;
    slip_flow_fill_slots(flow, flow->t, flow->q, flow->v);
    for (int k = 0; k < jumps->count; k++) {
        double value, rate = 0;
        if (slip_flow_switch_of(flow, k)->reads_state || form_after(flow, k, flow->t) == jumps->form[k])
            continue;
        value = slip_flow_guard_value(flow, k, flow->t, flow->q, flow->v);
        *crossing = (slip_flow_crossing){
            .boundary = fabs(value - jumps->low[k]) < fabs(value - jumps->high[k]) ? SLIP_FLOW_GUARD_LOWER
                                                                                   : SLIP_FLOW_GUARD_UPPER,
            .contact = k};
        slip_flow_guard(flow, k, crossing->boundary, flow->t, flow->q, flow->v, flow->v, &rate);
        return rate != 0 && isfinite(rate);
    }
    return false;
}

void slip_flow_jumps_adopt(slip_flow *flow, const slip_flow *from)
{
    for (int k = 0; k < flow->jumps->count; k++)
        set_form(flow, k, from->jumps->form[k]);
    flow->jumps->started = from->jumps->started;
    flow->jumps->until = flow->t;
}

void slip_flow_jumps_strike(slip_flow *flow)
{
    for (int k = 0; k < flow->jumps->count; k++)
        if (slip_flow_switch_of(flow, k)->reads_state)
            place_guard(flow, k);
}

/* ---- Times of switching. */

typedef struct time_probe {
    slip_flow *flow;
    int which;
    double sign, bound;
} time_probe;

static double inside_by(void *user, double t)
{
    time_probe *p = user;
    return p->sign * (slip_flow_guard_value(p->flow, p->which, t, p->flow->q, p->flow->v) - p->bound);
}

/* The time at which a guard leaves its bounds, between a (inside) and b (beyond one). */
static double leaving_time(slip_flow *flow, int k, double a, double b)
{
    const slip_jumps *jumps = flow->jumps;
    time_probe p = {flow, k, 1, jumps->low[k]};
    double before, after;
    if (slip_flow_guard_value(flow, k, b, flow->q, flow->v) > jumps->high[k])
        p = (time_probe){flow, k, -1, jumps->high[k]};
    before = inside_by(&p, a);
    after = inside_by(&p, b);
    return before > 0 ? slip_root_far(inside_by, &p, a, before, b, after) : a;
}

/* Follows a guard of time from `from` on. True when it leaves its bounds, at *reached; else it stays inside
 * them up to *reached, which is `to` unless that would take too long to say. A stretch is clear when its
 * range is inside the bounds. Where the guard only rises or only falls its end decides, and so it does where
 * the stretch cannot be divided any more: next to a bound that is touched and not passed. */
static bool leaves(slip_flow *flow, int k, double from, double to, double *reached)
{
    enum { most = 400 };
    slip_jumps *jumps = flow->jumps;
    const double finest = 4 * DBL_EPSILON * fmax(fabs(from), fabs(to));
    double a = from, least = finest, stride = jumps->stride[k] > 0 ? 4 * jumps->stride[k] : to - from;
    slip_flow_fill_slots(flow, from, flow->q, flow->v);
    for (int tries = 0; tries < most && a < to; tries++) {
        double b = a + 1.1 * stride < to ? a + stride : to, value;
        slip_interval rate, range = range_of(flow, k, (slip_interval){a, b}, &rate);
        bool clear = range.low > jumps->low[k] && range.high < jumps->high[k];
        const bool divisible = b - a > 1.5 * least; /* b - a of the least stretch itself is rounded */
        if (!clear && !(rate.low > 0 || rate.high < 0) && divisible) {
            stride = fmax(0.5 * (b - a), least);
            continue;
        }
        value = clear ? 0 : slip_flow_guard_value(flow, k, b, flow->q, flow->v);
        if (!clear && (value < jumps->low[k] || value > jumps->high[k])) {
            *reached = leaving_time(flow, k, a, b);
            jumps->stride[k] = b - a;
            return true;
        }
        least = clear || divisible ? finest : 2 * least;
        jumps->stride[k] = b - a;
        stride = 2 * (b - a);
        a = b;
    }
    *reached = a;
    return false;
}

double slip_flow_jumps_limit(slip_flow *flow, double end)
{
    slip_jumps *jumps = flow->jumps;
    if (jumps->until <= flow->t && !jumps->due) {
        double until = INFINITY, to = end;
        /* A guard may read the forms of those before it, which hold until the first of their times. */
        for (int k = 0; k < jumps->count; k++) {
            double reached;
            if (slip_flow_switch_of(flow, k)->reads_state)
                continue;
            bool switches = leaves(flow, k, flow->t, to, &reached);
            if (switches && !(reached > flow->t))
                reached = nextafter(flow->t, INFINITY);
            if (reached < to || switches) {
                jumps->due = switches;
                until = to = reached;
            }
        }
        jumps->until = isinf(until) ? end : until;
    }
    return fmin(end, jumps->until);
}

/* ---- Guards of the state at their bounds. */

/* The change of guard k within a short time ahead, under this form of the switch and the modes that follow
 * from it; NaN where no modes are consistent. *noise: its rounding error. */
static double drift(slip_flow *flow, int k, double form, double ahead, double *noise)
{
    slip_jumps *jumps = flow->jumps;
    const int n = flow->n;
    slip_interval rate, range;
    double now;
    set_form(flow, k, form);
    *noise = 0;
    if (!slip_flow_try_modes(flow, jumps->trial, jumps->a))
        return NAN;
    now = slip_flow_guard_value(flow, k, flow->t, flow->q, flow->v);
    for (int i = 0; i < n; i++) {
        jumps->q[i] = flow->q[i] + ahead * (flow->v[i] + 0.5 * ahead * jumps->a[i]);
        jumps->v[i] = flow->v[i] + ahead * jumps->a[i];
    }
    slip_flow_fill_slots(flow, flow->t + ahead, jumps->q, jumps->v);
    range = range_of(flow, k, (slip_interval){flow->t + ahead, flow->t + ahead}, &rate);
    *noise = 2 * slip_interval_width(range) + 4 * DBL_EPSILON * fabs(now);
    return slip_flow_guard_value(flow, k, flow->t + ahead, jumps->q, jumps->v) - now;
}

static int explain_sliding(slip_flow *flow, int k)
{
    char where[400];
    slip_frozen_describe(flow->jumps->frozen, k, where, sizeof where);
    return slip_fail(
        flow->ctx, SLIP_ERROR_SOLVER,
        "%s: at t = %.9g `%s` switches, and on either side it drives the motion back to the "
        "switch (a sliding mode); use a contact with a set-valued law instead (`kind: friction`, "
        "`law: {type: coulomb}`), or a smooth function such as tanh",
        where, flow->t, slip_flow_switch_of(flow, k)->text);
}

/* Chooses the form of a guard that is at its bound; `heading`: the sign of its rate where it crosses the
 * bound, else 0. */
static int resolve_guard(slip_flow *flow, int k, double heading)
{
    const slip_switch *one = slip_flow_switch_of(flow, k);
    const double value = slip_flow_guard_value(flow, k, flow->t, flow->q, flow->v),
                 rest = slip_switch_form(one, value);
    double up, down, change[3], noise[3];
    slip_switch_sides(one, value, &down, &up);
    const double forms[3] = {one->levels ? rest : 0, up, down}, ahead = slip_flow_short_time(flow);
    for (int i = 0; i < 3; i++)
        change[i] = drift(flow, k, forms[i], ahead, &noise[i]);
    bool rises = change[1] > noise[1], falls = change[2] < -noise[2], rests = fabs(change[0]) <= noise[0];
    if (rises && (!falls || heading > 0 || (heading == 0 && !rests)))
        set_form(flow, k, up);
    else if (falls && (!rises || heading < 0))
        set_form(flow, k, down);
    else if (rests)
        set_form(flow, k, forms[0]);
    else if (fabs(change[1]) <= noise[1] || (isnan(change[1]) && isnan(change[2])))
        set_form(flow, k, up);
    else if (fabs(change[2]) <= noise[2])
        set_form(flow, k, down);
    else
        return explain_sliding(flow, k);
    return SLIP_OK;
}

int slip_flow_jumps_resolve(slip_flow *flow, const slip_observer *observer)
{
    slip_jumps *jumps = flow->jumps;
    bool changed = false;
    if (jumps->state_count == 0)
        return SLIP_OK;
    for (int k = 0; k < jumps->count; k++) {
        const slip_switch *one = slip_flow_switch_of(flow, k);
        double before = jumps->form[k];
        if (!one->reads_state || one->levels || before != 0)
            continue;
        SLIP_PASS_ALL(resolve_guard(flow, k, 0));
        changed |= jumps->form[k] != before;
    }
    return changed && flow->switching ? slip_flow_switch_again(flow, observer) : SLIP_OK;
}

/* Passages of a guard through its bound whose intervals keep shrinking end in a sliding mode, too. Every
 * second interval is compared, since the two halves of an oscillation may differ. */
static int check_passages(slip_flow *flow, int k)
{
    slip_passages *p = &flow->jumps->passages[k];
    const double interval = flow->t - p->last;
    const double smallest = 1e-10 * (isfinite(flow->options.span) ? flow->options.span : 1);
    p->shrinking = interval < 0.99 * p->before ? p->shrinking + 1 : 0;
    p->before = p->interval;
    p->interval = interval;
    p->last = flow->t;
    return p->shrinking > 12 && interval < smallest ? explain_sliding(flow, k) : SLIP_OK;
}

int slip_flow_jumps_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    int k = crossing->contact, status;
    flow->pace.crossings++;
    status = resolve_guard(flow, k, crossing->boundary == SLIP_FLOW_GUARD_LOWER ? -1 : 1);
    if (status == SLIP_OK)
        status = check_passages(flow, k);
    if (status == SLIP_OK && flow->switching)
        status = slip_flow_switch_again(flow, observer);
    return status;
}
