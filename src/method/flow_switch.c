/* Set-valued friction and unilateral contacts in a flow: modes at the start, and what happens at their
 * events.
 *
 * Every event ends in one call of slip_flow_switch_decide: velocities and gaps are made exact for what is at
 * rest or touches, then all modes are found together. An impact comes before that. */
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
    flow->landed = slip_arena_array(&flow->arena, count, sizeof *flow->landed);
    flow->landing_time = slip_arena_array(&flow->arena, count, sizeof(double));
    flow->basis = slip_arena_array(&flow->arena, 2 * (int64_t)flow->n * flow->n, sizeof(double));
    if (!flow->standing || !flow->at_stop || !flow->came_to_rest || !flow->normal_size || !flow->bounces ||
        !flow->basis)
        return slip_fail_memory(flow->ctx);
    if (!flow->landed || !flow->landing_time)
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

/* What is left where all but nothing is left is rounding: zero, or it would look like a motion. */
static void shift(int n, const double *response, double amount, double *x)
{
    for (int i = 0; i < n; i++) {
        double change = response[i] * amount;
        x[i] += change;
        if (fabs(x[i]) <= 4 * DBL_EPSILON * fabs(change))
            x[i] = 0;
    }
}

/* ---- Onto the constraints, all together: what one correction has put right the next must leave alone. Each
 * direction is made orthogonal, in the sense of the mass, to those before it. */

/* Adds the direction in flow->row to the `count` that are in flow->basis; the new one is left in flow->row,
 * M^-1 times it in flow->response, and their product is returned: zero when the direction depends on the
 * others. */
static double orthogonalise(const slip_flow *flow, int *count)
{
    const int n = flow->n;
    double product = 0, before = 0;
    for (int i = 0; i < n; i++)
        before += fabs(flow->row[i]);
    for (int k = 0; k < *count; k++) {
        const double *other = flow->basis + 2 * k * n;
        double overlap = 0, square = 0;
        for (int i = 0; i < n; i++) {
            overlap += flow->row[i] * other[n + i];
            square += other[i] * other[n + i];
        }
        for (int i = 0; i < n; i++)
            flow->row[i] -= overlap / square * other[i];
    }
    for (int i = 0; i < n; i++) {
        flow->response[i] = 0;
        for (int j = 0; j < n; j++)
            flow->response[i] += flow->system->inverse_mass[i * n + j] * flow->row[j];
    }
    double after = 0;
    for (int i = 0; i < n; i++) {
        after += fabs(flow->row[i]);
        product += flow->row[i] * flow->response[i];
    }
    if (after <= 1e-10 * before || *count == n)
        return 0;
    memcpy(flow->basis + 2 * *count * n, flow->row, (size_t)n * sizeof(double));
    memcpy(flow->basis + (2 * *count + 1) * n, flow->response, (size_t)n * sizeof(double));
    ++*count;
    return product;
}

static bool is_closed(const slip_flow *flow, int c)
{
    return flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL &&
           flow->branches[c].mode != SLIP_MODE_OPEN;
}

/* Slip velocity that should not be there: stick is exactly at rest; slip has its sign, also where
 * interpolation and rounding make it a little less than nothing, at its ends. */
static double wrong_slip(const slip_flow *flow, int c, double t, const double *q, const double *v)
{
    slip_mode mode = flow->branches[c].mode;
    double slip;
    if (mode == SLIP_MODE_OPEN || mode == SLIP_MODE_CLOSED || !slip_flow_decided(flow, c) ||
        !flow->system->contacts[c].law.type->info.set_valued)
        return 0;
    slip = slip_system_slip(flow->system, flow->work, c, t, q, v);
    return (mode == SLIP_MODE_SLIP_PLUS && slip > 0) || (mode == SLIP_MODE_SLIP_MINUS && slip < 0) ? 0 : slip;
}

/* ---- Patches: up to three slip velocities each. */

static bool patch_is_clean(const slip_flow *flow, int c, double t, const double *q, const double *v)
{
    double target[3], slip[3];
    if (!slip_flow_patch_target(flow, c, target))
        return true;
    slip_system_patch_slip(flow->system, flow->work, c, t, q, v, slip);
    for (int part = 0; part < 3; part++) {
        const double *row = slip_system_patch_row(flow->system, flow->work, c, part);
        if (fabs(slip[part] - target[part]) > 4 * DBL_EPSILON * size_of(flow->n, row, v))
            return false;
    }
    return true;
}

static void clean_patch(const slip_flow *flow, int c, double t, const double *q, double *v, int *count)
{
    double target[3], slip[3];
    if (!slip_flow_patch_target(flow, c, target))
        return;
    for (int part = 0; part < 3; part++) {
        double product;
        slip_system_patch_slip(flow->system, flow->work, c, t, q, v, slip);
        memcpy(flow->row, slip_system_patch_row(flow->system, flow->work, c, part),
               (size_t)flow->n * sizeof(double));
        product = orthogonalise(flow, count);
        if (product > 0)
            shift(flow->n, flow->response, (target[part] - slip[part]) / product, v);
    }
}

static bool clean_already(const slip_flow *flow, double t, const double *q, const double *v)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const double *row = flow->system->contacts[c].gap.row;
        if (!patch_is_clean(flow, c, t, q, v))
            return false;
        if (wrong_slip(flow, c, t, q, v) != 0 ||
            (is_closed(flow, c) && fabs(slip_system_gap_rate(flow->system, flow->work, c, t, v)) >
                                       4 * DBL_EPSILON * size_of(flow->n, row, v)))
            return false;
    }
    return true;
}

static void clean_once(const slip_flow *flow, double t, const double *q, double *v)
{
    int count = 0;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        double product, wrong = wrong_slip(flow, c, t, q, v);
        if (flow->branches[c].mode == SLIP_MODE_STICK)
            clean_patch(flow, c, t, q, v, &count);
        if (is_closed(flow, c)) {
            memcpy(flow->row, contact->gap.row, (size_t)flow->n * sizeof(double));
            product = orthogonalise(flow, &count);
            if (product > 0)
                shift(flow->n, flow->response,
                      -slip_system_gap_rate(flow->system, flow->work, c, t, v) / product, v);
            wrong = wrong_slip(flow, c, t, q, v);
        }
        if (wrong != 0 || (flow->branches[c].mode == SLIP_MODE_STICK && slip_flow_decided(flow, c))) {
            slip_system_direction(flow->system, flow->work, c, t, q, v, flow->row, flow->response);
            product = orthogonalise(flow, &count);
            if (product > 0)
                shift(flow->n, flow->response, -wrong / product, v);
        }
    }
    /* Last what slips, since it must not move what sticks; the slowest first, whose slip is known best. */
    for (int k = 0; k < flow->patch_count; k++)
        clean_patch(flow, flow->patches[slip_flow_patch_by_size(flow, k)].contact, t, q, v, &count);
}

void slip_flow_clean(const slip_flow *flow, double t, const double *q, double *v)
{
    /* the second time for what rounding of the first has left */
    for (int k = 0; k < 3 && !clean_already(flow, t, q, v); k++)
        clean_once(flow, t, q, v);
    /* Where everything comes to rest there is nothing left to measure rounding against. */
    for (int i = 0; i < flow->n; i++)
        if (fabs(v[i]) <= 1e-24 * flow->fastest)
            v[i] = 0;
}

void slip_flow_close_gaps(const slip_flow *flow, double t, double *q)
{
    int count = 0;
    for (int c = 0; c < flow->contact_count; c++)
        if (is_closed(flow, c)) {
            double product;
            memcpy(flow->row, flow->system->contacts[c].gap.row, (size_t)flow->n * sizeof(double));
            product = orthogonalise(flow, &count);
            if (product > 0)
                shift(flow->n, flow->response, -slip_system_gap(flow->system, flow->work, c, t, q) / product,
                      q);
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

/* The gap of one contact exactly zero. */
static void close_gap(slip_flow *flow, int c)
{
    double product = gap_response(flow, c);
    shift(flow->n, flow->response, -slip_system_gap(flow->system, flow->work, c, flow->t, flow->q) / product,
          flow->q);
}

/* Gaps and gap rates of all that touch. */
static void close_touching(slip_flow *flow)
{
    int count = 0;
    for (int c = 0; c < flow->contact_count; c++) {
        double product;
        if (!flow->standing[c].touching)
            continue;
        memcpy(flow->row, flow->system->contacts[c].gap.row, (size_t)flow->n * sizeof(double));
        product = orthogonalise(flow, &count);
        if (!(product > 0))
            continue;
        shift(flow->n, flow->response,
              -slip_system_gap(flow->system, flow->work, c, flow->t, flow->q) / product, flow->q);
        shift(flow->n, flow->response,
              -slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v) / product, flow->v);
    }
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
        const double *row = contact->slip.row;
        if (!row) {
            row = flow->row;
            slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v, flow->row,
                                  flow->response);
        }
        size = size_of(flow->n, row, flow->v);
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

double slip_flow_short_time(const slip_flow *flow)
{
    double step = flow->natural_step > 0 ? flow->natural_step : 1e-3;
    return fmax(1e-4 * step, 1e-11 * (1 + fabs(flow->t)));
}

/* Finds all modes; reports those that changed, except of contacts that have landed, which `land` reports. */
int slip_flow_switch_decide(slip_flow *flow, const slip_observer *observer)
{
    int status, trouble = 0;
    for (int i = 0; i < flow->n; i++)
        flow->fastest = fmax(flow->fastest, fabs(flow->v[i]));
    find_resting(flow);
    status = flow->patch_count > 0
                 ? slip_flow_patch_decide(flow, &trouble)
                 : slip_modes_decide(flow->decider, flow->t, flow->q, flow->v, flow->standing,
                                     slip_flow_short_time(flow), flow->branches, &trouble);
    if (status < 0)
        return explain_trouble(flow, status, trouble);
    for (int c = 0; c < flow->contact_count; c++) {
        slip_mode mode = flow->branches[c].mode;
        if (!slip_flow_decided(flow, c))
            continue;
        flow->standing[c].touching = flow->standing[c].touching && mode != SLIP_MODE_OPEN;
        flow->normal_size[c] = fmax(flow->normal_size[c], fabs(flow->work->contacts[c].normal));
        if (flow->landed[c])
            continue;
        status = slip_flow_report(flow, c, mode, flow->t, observer);
        if (status != SLIP_OK)
            return status;
    }
    return flow->patch_count > 0 ? slip_flow_patch_report(flow, observer) : SLIP_OK;
}

/* ---- Impacts. */

/* An open contact that lands at this time, as far as times can be told apart. */
static bool at_stop_now(slip_flow *flow, int c)
{
    const slip_contact *contact = &flow->system->contacts[c];
    double gap = slip_system_gap(flow->system, flow->work, c, flow->t, flow->q);
    double rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v);
    double size = size_of(flow->n, contact->gap.row, flow->q) + fabs(contact->gap.constant);
    return rate < 0 && gap <= 1e-12 * size - 4e-13 * (1 + fabs(flow->t)) * rate;
}

/* All contacts whose gap is zero: those that are closed, the one that lands, and others that land at the same
 * time. */
static void collect_stops(slip_flow *flow, int landing)
{
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        flow->at_stop[c] = contact->kind == SLIP_CONTACT_UNILATERAL &&
                           (flow->standing[c].touching || c == landing || at_stop_now(flow, c));
        flow->landed[c] |= flow->at_stop[c] && flow->branches[c].mode == SLIP_MODE_OPEN;
    }
}

/* What a contact can be thrown against in the same instant: another stop that it touches, or the one that it
 * came from, where there is no play. */
static bool strikes_again(slip_flow *flow, double speed)
{
    bool again = false;
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL)
            flow->standing[c].touching = flow->at_stop[c];
    collect_stops(flow, -1);
    for (int c = 0; c < flow->contact_count; c++)
        again |= flow->at_stop[c] &&
                 slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v) < -1e-11 * speed;
    return again;
}

/* The impact, and those that follow at once. What is thrown to and fro without end comes to rest. */
static bool strike(slip_flow *flow, int landing)
{
    double speed = 0;
    bool solved;
    collect_stops(flow, landing);
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->at_stop[c])
            speed = fmax(speed, size_of(flow->n, flow->system->contacts[c].gap.row, flow->v));
    solved = slip_impact_solve(flow->impact, flow->t, flow->q, flow->v, flow->at_stop, NULL);
    for (int round = 0; solved && strikes_again(flow, speed); round++) {
        if (round == 40)
            return slip_impact_plastic(flow->impact, flow->t, flow->q, flow->v, flow->at_stop);
        solved = slip_impact_solve(flow->impact, flow->t, flow->q, flow->v, flow->at_stop, NULL);
    }
    /* collected anew: touching, not merely close */
    for (int c = 0; c < flow->contact_count; c++)
        flow->at_stop[c] = flow->at_stop[c] && flow->standing[c].touching;
    return solved;
}

/* The second rate of a gap, with the modes as they are. */
static double curve_of(slip_flow *flow, int c)
{
    slip_modes_violation(flow->decider, flow->t, flow->q, flow->v, flow->standing, flow->branches);
    memcpy(flow->a_last, slip_modes_acceleration(flow->decider), (size_t)flow->n * sizeof(double));
    return slip_system_gap_curve(flow->system, flow->work, c, flow->t, flow->a_last);
}

/* A contact that would leave its stop no further than rounding lets us see, and come back. */
static bool stays(slip_flow *flow, int c, double speed, double curve)
{
    return curve < 0 &&
           speed * speed <= -2 * curve * 1e-13 * size_of(flow->n, flow->system->contacts[c].gap.row, flow->q);
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

/* What becomes of a contact that has landed: it stays, or it leaves again, for a while or not to any effect.
 * Returns the time that its event is given. */
static double settle_landed(slip_flow *flow, int c)
{
    double when = flow->t, speed;
    if (flow->at_stop[c]) {
        flow->bounces[c].count = 0;
        return when;
    }
    speed = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->v);
    if (accumulates(flow, c, speed, &when)) {
        flow->standing[c].touching = true;
        flow->accumulations++;
        flow->bounces[c].count = 0;
        slip_log(flow->ctx, SLIP_LOG_INFO, "contact `%s`: infinitely many bounces end at t = %.9g",
                 flow->system->contacts[c].name, when);
    } else if (stays(flow, c, speed, curve_of(flow, c))) {
        flow->standing[c].touching = true;
    }
    return when;
}

/* One row for each contact that has landed: to the mode after it, or a bounce. */
static int report_landed(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int c = 0; c < flow->contact_count && status == SLIP_OK; c++) {
        slip_event event = {flow->landing_time[c], c, SLIP_MODE_OPEN, flow->branches[c].mode};
        if (!flow->landed[c])
            continue;
        flow->landed[c] = false;
        flow->modes[c] = event.to;
        flow->mode_known[c] = true;
        flow->events++;
        status = observer->event ? observer->event(observer->user, &event) : SLIP_OK;
    }
    return status;
}

int slip_flow_land(slip_flow *flow, int landing, const slip_observer *observer)
{
    int status = SLIP_OK;
    close_gap(flow, landing);
    slip_flow_patch_forget(flow);
    memset(flow->landed, 0, (size_t)flow->contact_count * sizeof *flow->landed);
    if (!strike(flow, landing))
        return slip_fail(
            flow->ctx, SLIP_ERROR_SOLVER,
            "contact `%s`: at t = %.9g no impulses obey the impact law, or too many contacts impact at once "
            "(or stops close in on a body from both sides); try `impact_friction: none`, or `moreau`",
            flow->system->contacts[landing].name, flow->t);
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL) {
            flow->standing[c].touching = flow->at_stop[c];
            if (!flow->at_stop[c])
                flow->branches[c].mode = SLIP_MODE_OPEN;
        }
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->landed[c])
            flow->landing_time[c] = settle_landed(flow, c);
    close_touching(flow);
    SLIP_TRY(slip_flow_switch_decide(flow, observer));
    if (status == SLIP_OK)
        status = report_landed(flow, observer);
done:
    memset(flow->landed, 0, (size_t)flow->contact_count * sizeof *flow->landed);
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
        flow->branches[c].mode = gap < 0 ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN;
        if (gap > 1e-12 * size)
            continue;
        if (rate < -1e-12 * size_of(flow->n, contact->gap.row, flow->v))
            landing = c;
        else
            flow->standing[c].touching = rate <= 1e-12 * size_of(flow->n, contact->gap.row, flow->v);
    }
    /* A gap that is a little less than nothing is nothing. */
    slip_flow_close_gaps(flow, flow->t, flow->q);
    for (int c = 0; c < flow->contact_count; c++) {
        flow->mode_known[c] = flow->mode_known[c] && !slip_flow_decided(flow, c);
        if (is_closed(flow, c))
            flow->branches[c].mode = SLIP_MODE_OPEN;
    }
    if (landing >= 0)
        return slip_flow_land(flow, landing, observer);
    return slip_flow_switch_decide(flow, observer);
}

int slip_flow_land_now(slip_flow *flow, const slip_observer *observer)
{
    int landing = -1;
    if (!flow->switching || !flow->placed)
        return SLIP_OK;
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->system->contacts[c].kind == SLIP_CONTACT_UNILATERAL && !flow->standing[c].touching &&
            at_stop_now(flow, c))
            landing = c;
    if (landing < 0)
        return SLIP_OK;
    flow->crossings++;
    flow->stepper = NULL;
    return slip_flow_land(flow, landing, observer);
}

/* What sticks is at rest, unless its belt has jumped. */
static void keep_resting(slip_flow *flow)
{
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->branches[c].mode == SLIP_MODE_STICK && (slip_flow_decided(flow, c) || flow->patch_of[c])) {
            const double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
            flow->came_to_rest[c] |= !flow->jumps || fabs(slip) <= 1e-10 * (flow->fastest + fabs(slip));
        }
}

/* What a contact most likely does next. */
static slip_mode successor(const slip_flow_crossing *crossing)
{
    switch (crossing->boundary) {
    case SLIP_FLOW_UNSTICK:
        return crossing->hold > 0 ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
    case SLIP_FLOW_LIFT:
        return SLIP_MODE_OPEN;
    default:
        return SLIP_MODE_STICK;
    }
}

int slip_flow_switch_cross(slip_flow *flow, const slip_flow_crossing *crossing, const slip_observer *observer)
{
    int c = crossing->contact;
    flow->crossings++;
    if (crossing->boundary == SLIP_FLOW_LAND)
        return slip_flow_land(flow, c, observer);
    if (crossing->boundary == SLIP_FLOW_REST) {
        flow->patch_of[c]->charted = false;
        flow->branches[c].mode = SLIP_MODE_STICK; /* until it is decided; with that its slip is made zero */
        slip_flow_clean(flow, flow->t, flow->q, flow->v);
    }
    if (crossing->boundary == SLIP_FLOW_LOWER || crossing->boundary == SLIP_FLOW_UPPER) {
        double slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
        double product = slip_system_direction(flow->system, flow->work, c, flow->t, flow->q, flow->v,
                                               flow->row, flow->response);
        shift(flow->n, flow->response, -slip / product, flow->v);
        flow->came_to_rest[c] = true;
    }
    keep_resting(flow);
    close_touching(flow);
    if (slip_flow_decided(flow, c))
        flow->branches[c].mode = successor(crossing);
    return slip_flow_switch_decide(flow, observer);
}

int slip_flow_switch_again(slip_flow *flow, const slip_observer *observer)
{
    keep_resting(flow);
    close_touching(flow);
    return slip_flow_switch_decide(flow, observer);
}

bool slip_flow_try_modes(slip_flow *flow, slip_branch *branches, double *a)
{
    const size_t size = (size_t)flow->contact_count * sizeof *branches;
    int trouble = 0;
    memcpy(branches, flow->branches, size);
    if (flow->switching) {
        keep_resting(flow);
        find_resting(flow);
        if (slip_modes_decide(flow->decider, flow->t, flow->q, flow->v, flow->standing,
                              slip_flow_short_time(flow), branches, &trouble) < 0)
            return false;
        slip_modes_violation(flow->decider, flow->t, flow->q, flow->v, flow->standing, branches);
        memcpy(a, slip_modes_acceleration(flow->decider), (size_t)flow->n * sizeof(double));
        return true;
    }
    return slip_system_acceleration(flow->system, flow->work, flow->has_breaks ? branches : NULL, flow->t,
                                    flow->q, flow->v, a) &&
           (flow->held_count == 0 ||
            slip_system_constrain(flow->system, flow->work, branches, flow->t, flow->q, flow->v, a));
}
