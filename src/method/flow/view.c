/* What an observer sees of a flow: steps, samples inside them, changes of modes. */
#include "method/flow/jumps.h"

#include "ode/root.h"
#include "system/friction/friction.h"

#include <math.h>
#include <string.h>

/* ---- Steps. */

/* The stepper's x at time t inside the last step. */
typedef struct clock_probe {
    slip_stepper *stepper;
    int index;
    double target;
} clock_probe;

static double clock_distance(void *user, double x)
{
    clock_probe *p = user;
    double clock;
    slip_stepper_interpolate(p->stepper, x, p->index, 1, &clock);
    return clock - p->target;
}

static double position_of(const slip_flow *flow, double t)
{
    slip_stepper *stepper = flow->stepper;
    clock_probe p = {stepper, 2 * flow->n, t - flow->charts.origin};
    double low, high;
    if (!slip_flow_in_chart(flow))
        return fmin(fmax(t, fmin(stepper->x0, stepper->x1)), fmax(stepper->x0, stepper->x1));
    low = stepper->y0[p.index] - p.target;
    high = stepper->y1[p.index] - p.target;
    if (low >= 0)
        return stepper->x0;
    if (high <= 0)
        return stepper->x1;
    return slip_root_bracketed(clock_distance, &p, stepper->x0, low, stepper->x1, high);
}

static void view_state(const void *self, double t, double *q, double *v)
{
    const slip_flow *flow = self;
    slip_stepper_interpolate(flow->stepper, position_of(flow, t), 0, 2 * flow->n, flow->scratch.inside);
    memcpy(q, flow->scratch.inside, (size_t)flow->n * sizeof(double));
    memcpy(v, flow->scratch.inside + flow->n, (size_t)flow->n * sizeof(double));
}

/* Whether a contact is closed and its law has no stick: then its mode follows from its slip velocity. */
static bool follows_slip(const slip_flow *flow, int c)
{
    const slip_contact *contact = &flow->system->contacts[c];
    return slip_contact_closed(contact, flow->branches[c].mode) && !contact->frictionless &&
           contact->dimension == 1 && !contact->set_valued;
}

/* The mode by the sign of a slip velocity; `decided` where that is zero. */
static slip_mode mode_of_slip(double slip, slip_mode decided)
{
    return slip > 0 ? SLIP_MODE_SLIP_PLUS : slip < 0 ? SLIP_MODE_SLIP_MINUS : decided;
}

void slip_flow_fill(slip_flow *flow, const double *q, const double *v, const double *a, slip_sample *sample)
{
    for (int i = 0; i < flow->n; i++) {
        if (sample->q)
            sample->q[i] = q[i];
        if (sample->v)
            sample->v[i] = v[i];
        if (sample->a)
            sample->a[i] = a[i];
    }
    if (sample->patches || sample->force)
        slip_flow_patch_share(flow);
    if (sample->patches)
        memcpy(sample->patches, flow->work->patches,
               (size_t)flow->system->patch_count * sizeof *sample->patches);
    for (int k = 0; k < flow->areas.count && sample->patches; k++) {
        int c = flow->areas.list[k].contact;
        if (flow->branches[c].mode == SLIP_MODE_STICK)
            memset(sample->patches[flow->system->contacts[c].vector].slip, 0, 3 * sizeof(double));
    }
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact_state *state = &flow->work->contacts[c];
        const slip_contact *contact = &flow->system->contacts[c];
        bool decided = slip_flow_decided(flow, c) || flow->areas.of[c];
        if (sample->slip)
            sample->slip[c] = decided && flow->branches[c].mode == SLIP_MODE_STICK ? 0 : state->slip;
        if (sample->normal)
            sample->normal[c] = state->normal;
        if (sample->force)
            sample->force[c] = contact->friction->force(contact, state, flow->work->patches);
        if (sample->mode)
            sample->mode[c] = slip_flow_sliders_tell(flow, c) ? slip_flow_slider_mode(flow, c)
                              : follows_slip(flow, c)         ? mode_of_slip(state->slip, SLIP_MODE_STICK)
                              : decided                       ? flow->branches[c].mode
                              : state->slip != 0              ? contact->friction->sliding(state->slip)
                                                              : SLIP_MODE_STICK;
        if (sample->mode)
            sample->mode[c] = slip_shown_mode(contact, state->normal, sample->mode[c]);
    }
}

/* Evaluating the equation here overwrites branches and contact states of the step; the next step sets them
 * anew. */
static void view_sample(const void *self, double t, slip_sample *sample)
{
    slip_flow *flow = (slip_flow *)(uintptr_t)self;
    const slip_stepper *stepper = flow->stepper;
    const double *y = flow->scratch.inside, *dy = flow->scratch.y;
    int n = flow->n;
    double x = position_of(flow, t);
    if (flow->contact_count == 0 && !sample->a && x != stepper->x1) { /* the equation need not be evaluated */
        slip_stepper_interpolate(flow->stepper, x, 0, 2 * n, flow->scratch.inside);
        slip_flow_fill(flow, y, y + n, NULL, sample);
        return;
    }
    if (x == stepper->x1 && stepper->lazy && !flow->ends.at_end) {
        stepper->ode.rhs(flow, x, stepper->y1, stepper->f1);
        flow->ends.at_end = true;
        flow->ends.rough1 = false;
    }
    if (x == stepper->x1 && flow->ends.at_end) {
        y = stepper->y1;
        dy = stepper->f1;
    } else {
        slip_stepper_interpolate(flow->stepper, x, 0, stepper->ode.m, flow->scratch.inside);
        if (slip_flow_in_chart(flow))
            slip_flow_patch_read(flow, flow->scratch.inside);
        if (flow->switching) {
            slip_flow_close_gaps(flow, t, flow->scratch.inside);
            slip_flow_clean(flow, t, flow->scratch.inside, flow->scratch.inside + n);
        }
        stepper->ode.rhs(flow, x, flow->scratch.inside, flow->scratch.y);
        flow->ends.at_end = false;
    }
    slip_flow_fill(flow, y, y + n, slip_flow_in_chart(flow) ? flow->a_last : dy + n, sample);
}

bool slip_flow_loads(const void *self, double t, const double *q, const double *v, double *loads)
{
    const slip_flow *flow = self;
    return slip_system_given_loads(flow->system, flow->work, t, q, v, loads);
}

int slip_flow_show(slip_flow *flow, double t0, bool event, const slip_observer *observer)
{
    const slip_stepper *stepper = flow->stepper;
    bool charted = slip_flow_in_chart(flow);
    slip_step view = {.t0 = t0,
                      .t1 = flow->t,
                      .q0 = stepper->y0,
                      .v0 = stepper->y0 + flow->n,
                      .a0 = charted ? flow->ends.a0 : stepper->f0 + flow->n,
                      .q1 = stepper->y1,
                      .v1 = stepper->y1 + flow->n,
                      .a1 = charted ? flow->ends.a1 : stepper->f1 + flow->n,
                      .event1 = event,
                      .rough0 = flow->ends.rough0,
                      .rough1 = flow->ends.rough1,
                      .self = flow,
                      .state = view_state,
                      .sample = view_sample,
                      .loads = slip_flow_loads};
    const int64_t evaluations = flow->work->evaluations;
    if (flow->tangent)
        slip_tangent_step(flow->tangent);
    if (observer->works)
        slip_flow_works_tell(flow, observer->works, &view);
    const int status = observer->step ? observer->step(observer->user, &view) : SLIP_OK;
    flow->work->evaluations = evaluations; /* evaluations for an observer do not count as the method's */
    slip_flow_works_reset(flow);
    return status;
}

/* ---- Events. */

slip_mode slip_flow_mode_now(const slip_flow *flow, int c)
{
    const slip_mode decided = flow->branches[c].mode;
    if (slip_flow_sliders_tell(flow, c))
        return slip_flow_slider_mode(flow, c);
    return follows_slip(flow, c)
               ? mode_of_slip(slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v),
                              decided)
               : decided;
}

typedef struct slip_probe {
    slip_flow *flow;
    int contact;
} slip_probe;

static double slip_at(void *user, double x)
{
    slip_probe *p = user;
    slip_flow *flow = p->flow;
    double *y = flow->scratch.inside;
    slip_stepper_interpolate(flow->stepper, x, 0, flow->stepper->ode.m, y);
    return slip_system_slip(flow->system, flow->work, p->contact, slip_flow_time(flow, x, y), y, y + flow->n);
}

int slip_flow_report_reversals(slip_flow *flow, const slip_observer *observer)
{
    for (int c = 0; c < flow->contact_count; c++) {
        double before = flow->ends.slip0[c], after = flow->ends.slip1[c];
        slip_mode mode = flow->system->contacts[c].friction->sliding(after);
        double time = flow->t;
        if (after == 0 || (flow->mode_known[c] && flow->modes[c] == mode))
            continue;
        if (flow->areas.of[c] || slip_flow_sliders_tell(flow, c) ||
            (slip_flow_decided(flow, c)
                 ? !follows_slip(flow, c)
                 : flow->has_breaks && flow->system->contacts[c].law.break_count > 0 && flow->mode_known[c]))
            continue;
        if (before * after < 0) {
            slip_probe p = {flow, c};
            double x = slip_root_bracketed(slip_at, &p, flow->stepper->x0, before, flow->stepper->x1, after);
            slip_stepper_interpolate(flow->stepper, x, 0, flow->stepper->ode.m, flow->scratch.inside);
            time = slip_flow_time(flow, x, flow->scratch.inside);
        }
        SLIP_PASS_ALL(slip_flow_report(flow, c, mode, time, observer));
    }
    return SLIP_OK;
}
