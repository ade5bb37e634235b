/* Taking the steps of a flow. */
#include "method/flow/jumps.h"
#include "method/flow/look.h"
#include "method/flow/switch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Several contacts leave their singular breaks at the same instant. The clock is not smooth there, so the
 * first moment is integrated by a formula. w = rate t gives s = sqrt(2 rate t / r); the smallest s that any
 * gets is 1e-6, hence t ~ 1e-12. */
static void leave_together(slip_flow *flow)
{
    int n = flow->n, count = 0;
    double first = INFINITY;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c) && flow->branches[c].s == 0 && flow->ends.rate1[c] != 0) {
            const slip_law_kernel *law = &flow->system->contacts[c].law;
            count++;
            first = fmin(first,
                         0.5e-12 * law->breaks[flow->branches[c].chart].radius / fabs(flow->ends.rate1[c]));
        }
    if (count < 2 || !(first < 1e-9 * flow->options.span))
        return;
    for (int i = 0; i < n; i++) {
        flow->scratch.y[i] += first * flow->v[i];
        flow->scratch.y[n + i] += first * flow->a_last[i];
    }
    flow->scratch.y[2 * n] = first;
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_flow_charted(flow, c) && flow->branches[c].s == 0) {
            const slip_law_kernel *law = &flow->system->contacts[c].law;
            double radius = law->breaks[flow->branches[c].chart].radius;
            flow->scratch.y[2 * n + 1 + flow->charts.slot[c]] =
                flow->charts.side[c] * sqrt(2 * fabs(flow->ends.rate1[c]) * first / radius);
        }
}

/* Checks that given normal forces are not negative at the last evaluation. */
static int check_normals(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (slip_contact_may_pull(&flow->system->contacts[c])) {
            const double normal = flow->work->contacts[c].normal;
            flow->decision.normal_seen[c] = fmax(flow->decision.normal_seen[c], fabs(normal));
            if (normal < -1e-12 * flow->decision.normal_seen[c])
                return slip_system_refuse_pull(flow->ctx, &flow->system->contacts[c], flow->t);
        }
    return SLIP_OK;
}

/* Checks that nonlinear gaps are defined at the present coordinates. */
static int check_gaps(slip_flow *flow)
{
    for (int k = 0; k < flow->system->gap_count; k++) {
        const int c = flow->system->gaps[k];
        if (!flow->system->contacts[c].gap.row && !isfinite(flow->gaps.now[c]))
            return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                             "contact `%s`: at t = %.9g the gap is not defined (%g); expected a function "
                             "that has a value wherever the motion goes",
                             flow->system->contacts[c].name, flow->t, flow->gaps.now[c]);
    }
    return SLIP_OK;
}

/* Gaps of open contacts behind the `first` unknowns of the stepper. The implicit stepper goes without. */
static void add_gaps(slip_flow *flow, int first)
{
    flow->gaps.first = first;
    flow->gaps.since = flow->t;
    flow->gaps.count = 0;
    for (int c = 0; c < flow->contact_count; c++)
        flow->gaps.slot[c] = -1;
    for (int k = 0; k < flow->system->gap_count && flow->stepper != flow->stiff; k++) {
        const int c = flow->system->gaps[k];
        if (slip_flow_is_closed(flow, c) || !flow->system->contacts[c].gap.row)
            continue;
        flow->gaps.slot[c] = first + flow->gaps.count;
        flow->gaps.open[flow->gaps.count++] = c;
        flow->scratch.y[flow->gaps.slot[c]] = slip_flow_gap_moved(flow, c, flow->scratch.y);
        flow->gaps.from[c] = flow->gaps.now[c];
    }
    flow->stepper->ode.m = first + flow->gaps.count;
}

static int start_segment(slip_flow *flow, double end, const slip_observer *observer)
{
    int n = flow->n, status = SLIP_OK;
    double limit = end, x = flow->t, first_step = 0;
    if (flow->has_breaks)
        SLIP_PASS(slip_flow_settle(flow, observer));
    if (flow->jumps)
        SLIP_PASS(slip_flow_jumps_resolve(flow, observer));
    slip_flow_forget(flow);
    if (flow->tangent)
        slip_tangent_begin(flow->tangent);
    if (flow->tangent && flow->areas.shifted)
        slip_tangent_moment(flow->tangent, false);
    slip_flow_look_start(flow);
    memcpy(flow->scratch.y, flow->q, (size_t)n * sizeof(double));
    memcpy(flow->scratch.y + n, flow->v, (size_t)n * sizeof(double));
    flow->stepper = flow->plain;
    if (flow->charts.count + flow->areas.charted > 0) {
        if (!flow->charted)
            SLIP_PASS(slip_flow_make_stepper(flow, flow->kind, &slip_flow_charted_ode,
                                             2 * n + 1 + flow->charts.slots + slip_flow_gap_most(flow),
                                             &flow->charted));
        flow->stepper = flow->charted;
        flow->charts.origin = flow->t;
        flow->scratch.y[2 * n] = x = 0;
        for (int c = 0; c < flow->contact_count; c++)
            if (flow->charts.slot[c] >= 0)
                flow->scratch.y[2 * n + 1 + flow->charts.slot[c]] = flow->branches[c].s;
        leave_together(flow);
        slip_flow_patch_write(flow, flow->scratch.y);
        flow->areas.shifted = false;
        limit = INFINITY;
    } else if (flow->areas.use_stiff) {
        if (!flow->stiff)
            SLIP_PASS(slip_flow_make_stepper(flow,
                                             flow->switching ? &slip_stepper_radau : &slip_stepper_cvode,
                                             slip_flow_plain_ode(flow), 2 * n, &flow->stiff));
        flow->stepper = flow->stiff;
        first_step = flow->natural_step;
        if (flow->areas.shifted) {
            memcpy(flow->scratch.y, flow->areas.shift, 2 * (size_t)n * sizeof(double));
            /* slip is so slow that the error of a long step would not be seen */
            first_step = flow->areas.shift[2 * n];
            x += first_step;
        }
        flow->areas.shifted = false;
    }
    add_gaps(flow, flow->stepper == flow->charted ? 2 * n + 1 + flow->charts.slots : 2 * n);
    if (!flow->stepper->ode.rhs(flow, x, flow->scratch.y, flow->scratch.inside))
        return SLIP_STEP_UNDEFINED;
    SLIP_PASS(check_normals(flow));
    memcpy(flow->ends.a1, slip_flow_in_chart(flow) ? flow->a_last : flow->scratch.inside + n,
           (size_t)n * sizeof(double));
    slip_flow_rates(flow, flow->t, flow->q, flow->v, flow->ends.a1, flow->ends.slip1, flow->ends.rate1);
    if (slip_flow_scales(flow))
        slip_flow_scale_loads(flow, flow->ends.a1);
    SLIP_PASS(status = slip_stepper_start(flow->stepper, x, flow->scratch.y, limit, first_step));
    flow->ends.rough1 = false;
    return status;
}

/* Slip velocities at the end of a step that was not evaluated there; smooth patches: until they slip. */
static void slip_at_end(slip_flow *flow)
{
    const slip_stepper *stepper = flow->stepper;
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].dimension == 1 || !flow->mode_known[c])
            flow->ends.slip1[c] = slip_system_slip(flow->system, flow->work, c, stepper->x1, stepper->y1,
                                                   stepper->y1 + flow->n);
}

/* Takes one step that the error control accepts, not further than `end`; events are searched later. */
static int take_step(slip_flow *flow, double end)
{
    slip_stepper *stepper = flow->stepper;
    bool charted = slip_flow_in_chart(flow);
    double limit = charted ? stepper->x1 + 1e9 : end;
    /* Nothing moves while contacts are held, and the step would grow past the release. */
    if (flow->charts.held > 0 && !charted && isfinite(flow->options.span))
        limit = slip_flow_look_limit(flow, fmin(limit, stepper->x1 + flow->options.span / 200));
    if (flow->areas.charted > 0)
        slip_flow_patch_weigh(flow);
    if (stepper == flow->stiff)
        limit = fmin(limit, slip_flow_patch_reach(flow));
    SLIP_PASS(slip_stepper_step(stepper, limit));
    slip_swap(&flow->ends.slip0, &flow->ends.slip1);
    if (flow->has_breaks) {
        slip_swap(&flow->ends.rate0, &flow->ends.rate1);
        slip_swap(&flow->ends.a0, &flow->ends.a1);
    }
    flow->ends.at_end = !stepper->lazy;
    flow->ends.rough0 = flow->ends.rough1;
    flow->ends.rough1 = stepper->lazy;
    if (stepper->lazy)
        slip_at_end(flow);
    else
        slip_flow_rates(flow, slip_flow_time(flow, stepper->x1, stepper->y1), stepper->y1,
                        stepper->y1 + flow->n, charted ? flow->a_last : stepper->f1 + flow->n,
                        flow->ends.slip1, flow->ends.rate1);
    return SLIP_OK;
}

/* The end of the step becomes the state. */
static void keep_end(slip_flow *flow)
{
    const slip_stepper *stepper = flow->stepper;
    const int n = flow->n;
    flow->t = slip_flow_time(flow, stepper->x1, stepper->y1);
    if (flow->switching) {
        slip_flow_close_gaps(flow, flow->t, stepper->y1);
        slip_flow_clean(flow, flow->t, stepper->y1, stepper->y1 + n);
    }
    for (int i = 0; i < n; i++) {
        flow->q[i] = stepper->y1[i];
        flow->v[i] = stepper->y1[n + i];
    }
    if (slip_flow_scales(flow))
        slip_flow_scale_step(flow);
    if (flow->switching) {
        slip_flow_note_speed(flow);
        for (int k = 0; k < flow->system->gap_count; k++) {
            const int c = flow->system->gaps[k];
            flow->gaps.now[c] =
                slip_flow_is_closed(flow, c) ? 0 : slip_flow_gap(flow, c, flow->t, stepper->y1);
            flow->gaps.largest[c] = fmax(flow->gaps.largest[c], flow->gaps.now[c]);
        }
    }
    if (slip_flow_in_chart(flow)) {
        memcpy(flow->ends.a1, flow->a_last, (size_t)n * sizeof(double));
        for (int c = 0; c < flow->contact_count; c++)
            if (slip_flow_charted(flow, c))
                flow->branches[c].s = stepper->y1[2 * n + 1 + flow->charts.slot[c]];
        slip_flow_patch_read(flow, stepper->y1);
    }
    flow->steps++;
    flow->failure.found = false;
}

/* An error after ten thousand events, or half a million steps, within a millionth of the run: the whole run
 * would take ten thousand million events, which most likely accumulate towards an instant. */
static int check_pace(slip_flow *flow)
{
    enum { lot = 10000, many = 500000 };
    const int64_t events = flow->pace.crossings - flow->pace.before, steps = flow->steps - flow->pace.steps;
    const double taken = flow->t - flow->pace.time;
    bool slow;
    int other;
    double until;
    if (events < lot && steps < many)
        return SLIP_OK;
    if (events >= lot && slip_flow_squeezed(flow, flow->pace.contact, &other, &until))
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                         "contacts `%s` and `%s`: at t = %.9g they close in on a body from both sides, which "
                         "bounces between them faster and faster, without end before t = %.9g; let them stop "
                         "before they meet, or give them a restitution below 1",
                         flow->system->contacts[flow->pace.contact].name, flow->system->contacts[other].name,
                         flow->t, until);
    slow = flow->pace.steps > 0 && isfinite(flow->options.span) && taken < 1e-6 * flow->options.span;
    if (slow && events >= lot) {
        char culprit[400];
        slip_flow_culprit(flow, culprit, sizeof culprit);
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                         "%s: infinitely many switches: %lld events in the last %.3g before t = %.9g; try a "
                         "smooth law with `smooth`, or a fixed step with `moreau`",
                         culprit, (long long)events, taken, flow->t);
    }
    if (slow)
        return slip_fail(
            flow->ctx, SLIP_ERROR_SOLVER,
            "the run does not get on: %lld steps in the last %.3g before t = %.9g; does a force jump there, "
            "again and again, or is a mass next to nothing? Try a fixed step (`moreau`), a force without "
            "jumps, or a larger mass",
            (long long)steps, taken, flow->t);
    if (steps >= many)
        SLIP_PASS(slip_flow_refuse_stiff(flow, steps, taken));
    flow->pace.time = flow->t;
    flow->pace.before = flow->pace.crossings;
    flow->pace.steps = flow->steps;
    return SLIP_OK;
}

static void report_progress(slip_flow *flow)
{
    char modes[200] = "";
    size_t used = 0;
    const slip_progress progress = {
        .what = "run",
        .fraction = isfinite(flow->options.span) ? (flow->t - flow->opened_at) / flow->options.span : -1,
        .time = flow->t,
        .steps = flow->steps,
        .events = flow->events,
        .modes = modes};
    for (int c = 0; c < flow->contact_count && used < sizeof modes; c++)
        used += (size_t)snprintf(modes + used, sizeof modes - used, "%s%s: %s", c > 0 ? ", " : "",
                                 flow->system->contacts[c].name, slip_mode_name(flow->modes[c]));
    slip_progress_report(flow->ctx, &progress);
}

/* Restores contact states to the end of the step, after the search for events has evaluated inside. */
static void return_to_end(slip_flow *flow)
{
    if (!flow->watched || flow->ends.at_end)
        return;
    flow->stepper->ode.rhs(flow, flow->stepper->x1, flow->stepper->y1, flow->scratch.inside);
    flow->ends.at_end = true;
}

/* Whether modes may change at the end of the step: at a crossing, or where a load jumps. */
static bool ends_at_event(const slip_flow *flow, const slip_flow_crossing *crossing, double end, double last)
{
    if (crossing->boundary == SLIP_FLOW_NONE || crossing->boundary == SLIP_FLOW_END)
        return end < last && flow->t >= end;
    return true;
}

/* One step: takes it, ends it at the first event, shows it to the observer, and changes modes and pieces. */
static int advance_once(slip_flow *flow, double last, const slip_observer *observer)
{
    int status = SLIP_OK;
    double t0 = flow->t, end = last;
    slip_flow_crossing crossing = {.contact = -1, .x = INFINITY};
    if (flow->jumps) {
        SLIP_PASS_ALL(slip_flow_jumps_ready(flow, observer));
        end = slip_flow_jumps_limit(flow, last);
    }
    if (!flow->stepper)
        SLIP_PASS(status = start_segment(flow, end, observer));
    SLIP_PASS(status = take_step(flow, end));
    if (flow->areas.count > 0 && slip_flow_patch_missed(flow)) {
        flow->stepper = NULL;
        return status;
    }
    if (flow->areas.charted == 0)
        flow->natural_step = flow->stepper->x1 - flow->stepper->x0;
    if (flow->watched) {
        crossing = slip_flow_find(flow, end);
        if (crossing.boundary != SLIP_FLOW_NONE && !slip_flow_shorten(flow, &crossing, end))
            return SLIP_STEP_UNDEFINED;
    }
    return_to_end(flow);
    keep_end(flow);
    if (crossing.boundary == SLIP_FLOW_END)
        flow->t = end;
    flow->pace.stalled = flow->t > t0 ? 0 : flow->pace.stalled + 1;
    SLIP_PASS(status = check_normals(flow));
    SLIP_PASS(status = check_gaps(flow));
    int told = slip_flow_report_reversals(flow, observer);
    SLIP_PASS(status = told);
    SLIP_PASS(status = slip_flow_show(flow, t0, ends_at_event(flow, &crossing, end, last), observer));
    status = status == SLIP_OK ? told : status;
    return_to_end(flow);
    if (flow->areas.count > 0 && crossing.boundary == SLIP_FLOW_NONE && status == SLIP_OK)
        SLIP_PASS(status = slip_flow_patch_finish(flow, end, observer, &crossing));
    if (crossing.boundary == SLIP_FLOW_END) {
        flow->stepper = NULL;
    } else if (crossing.boundary != SLIP_FLOW_NONE) {
        int crossed = slip_flow_cross(flow, &crossing, observer);
        flow->pace.contact = crossing.boundary >= SLIP_FLOW_GUARD_LOWER ? -1 - crossing.contact
                             : crossing.boundary >= SLIP_FLOW_SLIDER_UPPER
                                 ? flow->system->sliders[crossing.contact].contact
                                 : crossing.contact;
        flow->pace.idle = flow->pace.stalled == 0 ? 0 : flow->pace.idle + 1;
        flow->stepper = NULL;
        status = crossed < 0 || status == SLIP_OK ? crossed : status;
    } else if ((flow->charts.count > 0 && slip_flow_hold_new(flow)) ||
               (flow->areas.count > 0 && slip_flow_patch_change(flow)) || slip_flow_turns_stiff(flow)) {
        flow->stepper = NULL;
    }
    return status;
}

int slip_flow_attend(slip_flow *flow)
{
    SLIP_PASS(check_pace(flow));
    SLIP_PASS(slip_flow_scale_turns(flow));
    if (slip_progress_due(flow->ctx))
        report_progress(flow);
    if (slip_interrupted(flow->ctx))
        return slip_fail(flow->ctx, SLIP_INTERRUPTED, "interrupted at t = %.9g", flow->t);
    return SLIP_OK;
}

/* Handles the events that coincide with the end of the last step. */
static int switch_now(slip_flow *flow, const slip_observer *observer)
{
    if (!flow->switching || flow->areas.count > 0 || !flow->stepper || slip_flow_in_chart(flow))
        return SLIP_OK;
    slip_flow_crossing crossing = slip_flow_find_now(flow);
    return_to_end(flow);
    if (crossing.boundary == SLIP_FLOW_NONE)
        return SLIP_OK;
    flow->stepper = NULL;
    return slip_flow_cross(flow, &crossing, observer);
}

int slip_flow_advance(slip_flow *flow, double end, const slip_observer *observer)
{
    slip_flow_works_ask(flow, observer);
    while (flow->t < end) {
        int status = advance_once(flow, end, observer);
        if (status != SLIP_OK)
            return slip_flow_explain(flow, status);
        if (flow->pace.idle > 1000 || flow->pace.stalled > 1000000) {
            char culprit[400];
            slip_flow_culprit(flow, culprit, sizeof culprit);
            return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                             "%s: at t = %.9g it changes what it does again and again without time going on; "
                             "try method `%s`, or a smoother law",
                             culprit, flow->t, flow->kind == &slip_stepper_cvode ? "event" : "smooth");
        }
        status = slip_flow_attend(flow);
        if (status < 0)
            return status;
    }
    int status = switch_now(flow, observer);
    return slip_flow_explain(flow, status == SLIP_OK ? slip_flow_land_now(flow, observer) : status);
}
