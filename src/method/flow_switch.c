/* Set-valued friction and unilateral contacts in a flow: modes at the start, and what happens at their
 * events.
 *
 * Every event ends in one call of decide_modes: velocities and gaps are made exact for what is at rest or
 * touches, then all modes are found together. An impact comes before that. */
#include "method/flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

int slip_flow_switch_create(slip_flow *flow)
{
    int64_t count = flow->contact_count;
    int status = SLIP_OK;
    flow->standing = slip_arena_array(&flow->arena, count, sizeof *flow->standing);
    flow->at_stop = slip_arena_array(&flow->arena, count, sizeof *flow->at_stop);
    flow->came_to_rest = slip_arena_array(&flow->arena, count, sizeof *flow->came_to_rest);
    flow->normal_size = slip_arena_array(&flow->arena, count, sizeof(double));
    flow->bounces = slip_arena_array(&flow->arena, count, sizeof *flow->bounces);
    if (!flow->standing || !flow->at_stop || !flow->came_to_rest || !flow->normal_size || !flow->bounces)
        return slip_fail_memory(flow->ctx);
    SLIP_TRY(slip_modes_create(flow->ctx, flow->system, flow->work, &flow->decider));
    SLIP_TRY(slip_impact_create(flow->ctx, flow->system, flow->work, &flow->impact));
done:
    return status;
}

/* ---- Making things exact. */

/* The size that rounding in row . x is measured against. */
static double size_of(int n, const double *row, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(row[i] * x[i]);
    return sum;
}

static void shift(int n, const double *response, double amount, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] += response[i] * amount;
}

/* Makes the slip velocities what the modes say. */
void slip_flow_clean(const slip_flow *flow, double t, const double *q, double *v)
{
    for (int c = 0; c < flow->contact_count; c++) {
        slip_mode mode = flow->branches[c].mode;
        double slip, product;
        if (mode == SLIP_MODE_OPEN || mode == SLIP_MODE_CLOSED || !slip_flow_decided(flow, c))
            continue;
        /* Stick is exactly at rest; slip has its sign, also where interpolation and rounding make it a little
         * less than nothing, at its ends. */
        slip = slip_system_slip(flow->system, flow->work, c, t, q, v);
        if (slip == 0 || (mode == SLIP_MODE_SLIP_PLUS && slip > 0) ||
            (mode == SLIP_MODE_SLIP_MINUS && slip < 0) ||
            !flow->system->contacts[c].law.type->info.set_valued)
            continue;
        product = slip_system_direction(flow->system, flow->work, c, t, q, v, flow->row, flow->response);
        shift(flow->n, flow->response, -slip / product, v);
    }
}

static double gap_response(const slip_flow *flow, int c)
{
    const slip_system *system = flow->system;
    const double *row = system->contacts[c].gap.row;
    double product = 0;
    for (int i = 0; i < flow->n; i++) {
        flow->response[i] = 0;
        for (int j = 0; j < flow->n; j++)
            flow->response[i] += system->inverse_mass[i * flow->n + j] * row[j];
        product += row[i] * flow->response[i];
    }
    return product;
}

/* Gap exactly zero, and where asked for its rate too. */
static void close_gap(slip_flow *flow, int c, bool rate_too)
{
    double product = gap_response(flow, c);
    shift(flow->n, flow->response, -slip_system_gap(flow->system, flow->work, c, flow->t, flow->q) / product,
          flow->q);
    if (rate_too)
        shift(flow->n, flow->response,
              -slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v) / product, flow->v);
}

/* What is at rest: what is known to be, and what is to rounding. (Where everything comes to rest at once
 * nothing is left to measure rounding against.) */
static void find_resting(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        double slip, size;
        if (!slip_flow_decided(flow, c) || contact->frictionless)
            continue;
        slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, flow->row,
                              flow->response);
        size = size_of(flow->n, flow->row, flow->v);
        flow->standing[c].resting =
            fabs(slip) <= 1e-13 * (size + fabs(slip - size)) || slip == 0 || flow->came_to_rest[c];
        flow->came_to_rest[c] = false;
    }
}

/* ---- Deciding. */

static int explain_trouble(slip_flow *flow, int status, int c)
{
    const char *name = flow->system->contacts[c].name;
    if (status == SLIP_MODES_NONE)
        return slip_fail(
            flow->ctx, SLIP_ERROR_SOLVER,
            "contact `%s`: at t = %.9g no mode of the contacts is consistent with the laws (a Painleve "
            "paradox, "
            "or too much friction for rigid contact); try less friction, or a smooth law with `smooth`",
            name, flow->t);
    if (status == SLIP_MODES_SEVERAL)
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                         "contact `%s`: at t = %.9g more than one set of modes is consistent with the laws, "
                         "and the motions "
                         "differ; try less friction, or start from a state that is not ambiguous",
                         name, flow->t);
    return status == SLIP_MODES_UNDEFINED ? SLIP_STEP_UNDEFINED : status;
}

/* A time over which the motion changes little: far below a step, far above rounding. */
static double short_time(const slip_flow *flow)
{
    double step = flow->natural_step > 0 ? flow->natural_step : 1e-3;
    return fmax(1e-4 * step, 1e-11 * (1 + fabs(flow->t)));
}

/* Finds all modes; reports those that changed, except `silent`, which the caller reports. */
static int decide_modes(slip_flow *flow, int silent, const slip_observer *observer)
{
    int status, trouble = 0;
    find_resting(flow);
    status = slip_modes_decide(flow->decider, flow->t, flow->q, flow->v, flow->standing, short_time(flow),
                               flow->branches, &trouble);
    if (status < 0)
        return explain_trouble(flow, status, trouble);
    for (int c = 0; c < flow->contact_count; c++) {
        slip_mode mode = flow->branches[c].mode;
        if (!slip_flow_decided(flow, c))
            continue;
        flow->standing[c].touching = flow->standing[c].touching && mode != SLIP_MODE_OPEN;
        flow->normal_size[c] = fmax(flow->normal_size[c], fabs(flow->work->contacts[c].normal));
        if (c == silent)
            continue;
        status = slip_flow_report(flow, c, mode, flow->t, observer);
        if (status != SLIP_OK)
            return status;
    }
    return SLIP_OK;
}

/* ---- Impacts. */

/* All contacts whose gap is zero: those that are closed, the one that lands, and others that land at the same
 * time. */
static void collect_stops(slip_flow *flow, int landing)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        flow->at_stop[c] = false;
        if (contact->kind != SLIP_CONTACT_UNILATERAL)
            continue;
        if (flow->standing[c].touching || c == landing) {
            flow->at_stop[c] = true;
        } else {
            double gap = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q);
            double rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v);
            double size = size_of(flow->n, contact->gap.row, flow->q) + fabs(contact->gap.constant);
            flow->at_stop[c] = gap <= 1e-12 * size && rate < 0;
        }
    }
}

/* Follows a series of bounces. True when infinitely many are left within a time that no longer matters;
 * *limit is when they end. While flights are short, speeds and flights shrink by the same ratio r each time,
 * and after a flight T the rest lasts T r/(1 - r). Friction and other contacts make r differ from the
 * restitution, so it is measured. */
static bool accumulates(slip_flow *flow, int c, double speed, double *limit)
{
    slip_bounces *series = &flow->bounces[c];
    double ratio = speed / series->speed, flight = flow->t - series->last, left;
    bool steady = series->count > 1 && fabs(ratio - series->ratio) <= 0.01 * (1 - ratio);
    if (series->count == 0 || !(ratio < 1)) {
        *series = (slip_bounces){.count = 1, .since = flow->t, .last = flow->t, .speed = speed};
        return false;
    }
    series->count++;
    series->last = flow->t;
    series->speed = speed;
    series->ratio = ratio;
    if (!steady || series->count < 6)
        return false;
    left = flight * ratio / (1 - ratio);
    /* Much shorter flights would be no higher than the rounding of the gap. */
    if (left > 1e-6 * (flow->t - series->since))
        return false;
    *limit = flow->t + left;
    return true;
}

static int land(slip_flow *flow, int landing, const slip_observer *observer)
{
    int status = SLIP_OK;
    double when = flow->t;
    close_gap(flow, landing, false);
    collect_stops(flow, landing);
    if (!slip_impact_solve(flow->impact, flow->t, flow->q, flow->v, flow->at_stop, NULL))
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER,
                         "contact `%s`: at t = %.9g no impulses obey the impact law, or too many contacts "
                         "impact at once; try "
                         "`impact_friction: none`",
                         flow->system->contacts[landing].name, flow->t);
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL) {
            flow->standing[c].touching = flow->at_stop[c];
            if (!flow->at_stop[c])
                flow->branches[c].mode = SLIP_MODE_OPEN;
        }
    if (!flow->at_stop[landing]) {
        double speed = slip_system_gap_rate(flow->system, flow->work, landing, flow->t, flow->v);
        if (accumulates(flow, landing, speed, &when)) {
            flow->standing[landing].touching = true;
            flow->accumulations++;
            flow->bounces[landing].count = 0;
            slip_log(flow->ctx, SLIP_LOG_INFO, "contact `%s`: infinitely many bounces end at t = %.9g",
                     flow->system->contacts[landing].name, when);
        }
    } else {
        flow->bounces[landing].count = 0;
    }
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->standing[c].touching)
            close_gap(flow, c, true);
    SLIP_TRY(decide_modes(flow, landing, observer));
    if (status == SLIP_OK) {
        slip_event event = {when, landing, SLIP_MODE_OPEN, flow->branches[landing].mode};
        flow->modes[landing] = event.to;
        flow->events++;
        status = observer->event ? observer->event(observer->user, &event) : SLIP_OK;
    }
done:
    return status;
}

/* ---- The start, and events. */

int slip_flow_switch_start(slip_flow *flow, const slip_observer *observer)
{
    int landing = -1;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        double gap, rate, size;
        if (!slip_flow_decided(flow, c) || contact->kind != SLIP_CONTACT_UNILATERAL)
            continue;
        gap = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q);
        rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v);
        size = size_of(flow->n, contact->gap.row, flow->q) + fabs(contact->gap.constant);
        if (gap < -1e-9 * fmax(1, size))
            return slip_fail(flow->ctx, SLIP_ERROR_MODEL,
                             "contact `%s`: its gap at the start, t = %.9g, is %.6g; expected at least 0",
                             contact->name, flow->t, gap);
        flow->branches[c].mode = SLIP_MODE_OPEN;
        if (gap > 1e-12 * size)
            continue;
        if (rate < -1e-12 * size_of(flow->n, contact->gap.row, flow->v))
            landing = c;
        else
            flow->standing[c].touching = rate <= 1e-12 * size_of(flow->n, contact->gap.row, flow->v);
    }
    for (int c = 0; c < flow->contact_count; c++)
        flow->mode_known[c] = flow->mode_known[c] && !slip_flow_decided(flow, c);
    if (landing >= 0)
        return land(flow, landing, observer);
    return decide_modes(flow, -1, observer);
}

int slip_flow_switch_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    int c = crossing->contact;
    if (crossing->boundary == SLIP_FLOW_LAND)
        return land(flow, c, observer);
    if (crossing->boundary == SLIP_FLOW_LOWER || crossing->boundary == SLIP_FLOW_UPPER) {
        double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                               flow->row, flow->response);
        shift(flow->n, flow->response, -slip / product, flow->v);
        flow->came_to_rest[c] = true;
    }
    for (int k = 0; k < flow->contact_count; k++) {
        flow->came_to_rest[k] |= flow->branches[k].mode == SLIP_MODE_STICK;
        if (flow->standing[k].touching)
            close_gap(flow, k, true);
    }
    return decide_modes(flow, -1, observer);
}
