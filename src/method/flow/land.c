/* Impacts: contacts that land, bounce, and come to rest. */
#include "method/flow/jumps.h"
#include "method/flow/switch.h"
#include "system/friction/friction.h"

/* The rounding error of time: instants closer than this are the same. */
static double time_noise(const slip_flow *flow)
{
    return 4e-13 * (fabs(flow->t) + flow->t - flow->opened_at);
}

/* An open contact that lands at this time, as far as times can be told apart. */
static bool at_stop_now(slip_flow *flow, int c)
{
    double rate = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    return rate < 0 && flow->gaps.now[c] <= -rate * time_noise(flow);
}

/* All contacts whose gap is zero: those that are closed, the one that lands, and others that land at the same
 * time. */
static void collect_stops(slip_flow *flow, int landing)
{
    for (int k = 0; k < flow->system->gap_count; k++) {
        const int c = flow->system->gaps[k];
        const bool touched = flow->decision.standing[c].touching;
        flow->impacts.at_stop[c] = touched || c == landing || at_stop_now(flow, c);
        if (flow->impacts.at_stop[c] && !touched && flow->branches[c].mode == SLIP_MODE_OPEN &&
            !flow->impacts.landed[c]) {
            flow->impacts.landed[c] = true;
            flow->gaps.now[c] = 0;
            flow->impacts.struck = c;
            flow->impacts.speed[c] =
                fabs(slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v));
        }
    }
}

/* Whether a second impact follows at the same instant: a body thrown against another closed stop, or back
 * onto the stop that it came from, where there is no play. */
static bool strikes_again(slip_flow *flow, double speed)
{
    bool again = false;
    for (int k = 0; k < flow->system->gap_count; k++)
        flow->decision.standing[flow->system->gaps[k]].touching =
            flow->impacts.at_stop[flow->system->gaps[k]];
    collect_stops(flow, -1);
    for (int c = 0; c < flow->contact_count; c++)
        again |= flow->impacts.at_stop[c] && slip_system_gap_rate(flow->system, flow->work, c, flow->t,
                                                                  flow->q, flow->v) < -1e-11 * speed;
    return again;
}

/* Solves one impact of all contacts at their stops; `plastic`: without restitution. */
static bool solve_impact(slip_flow *flow, bool plastic)
{
    if (flow->tangent)
        memcpy(flow->a_last, flow->v, (size_t)flow->n * sizeof(double));
    const bool solved = (plastic ? slip_impact_plastic : slip_impact_solve)(
        flow->impacts.solver, flow->t, flow->q, flow->v, flow->impacts.at_stop, flow->impacts.impulses);
    if (flow->tangent && solved)
        slip_tangent_strike(flow->tangent, flow->a_last);
    return solved;
}

/* The impact of `landing`, and those that follow at the same instant; if they do not end, a plastic one. */
static bool strike(slip_flow *flow, int landing)
{
    double speed = 0;
    bool solved;
    memset(flow->impacts.impulses, 0, (size_t)flow->contact_count * sizeof(double));
    collect_stops(flow, landing);
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->impacts.at_stop[c])
            speed =
                fmax(speed, slip_dot_size(flow->n,
                                          slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
                                          flow->v));
    solved = solve_impact(flow, false);
    for (int round = 0; solved && strikes_again(flow, speed); round++) {
        if (round == 40)
            return solve_impact(flow, true);
        solved = solve_impact(flow, false);
    }
    /* contacts at zero gap, not merely close to it */
    for (int c = 0; c < flow->contact_count; c++)
        flow->impacts.at_stop[c] = flow->impacts.at_stop[c] && flow->decision.standing[c].touching;
    return solved;
}

/* The second time derivative of a gap, in the present modes. */
static double curve_of(slip_flow *flow, int c)
{
    slip_modes_violation(flow->decision.modes, flow->t, flow->q, flow->v, flow->decision.standing,
                         flow->branches);
    memcpy(flow->a_last, slip_modes_acceleration(flow->decision.modes), (size_t)flow->n * sizeof(double));
    return slip_system_gap_curve(flow->system, flow->work, c, flow->t, flow->q, flow->v, flow->a_last);
}

/* Whether the flight after an impact is negligible: its duration is below rounding of time, or its speed
 * below the error of velocities (the tolerance, after a Runge-Kutta segment). A contact that lands repeatedly
 * while time does not advance flies lower than the rounding error of its gap. */
enum { idle_most = 20 };
static bool stays(const slip_flow *flow, int c, double speed, double curve)
{
    const double *row = slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q);
    const double known = flow->stepper ? fmax(1e-11, 0.1 * flow->options.tolerance) : 1e-11;
    double fastest = 0;
    for (int i = 0; i < flow->n; i++)
        fastest += fabs(row[i]) * flow->sizes.fastest;
    return curve < 0 && (speed <= -2 * curve * time_noise(flow) || speed <= known * fastest ||
                         flow->pace.idle > idle_most);
}

/* Or its height is negligible beside the largest gap so far. This is for bodies that bounce between each
 * other: their bounces can accumulate within bounces that accumulate. */
static bool hardly_leaves(const slip_flow *flow, int c, double speed, double curve)
{
    return stays(flow, c, speed, curve) ||
           (curve < 0 && speed * speed <= -2 * curve * flow->impacts.least_flight * flow->gaps.largest[c]);
}

/* Follows a series of bounces. While flights are short, speeds and flights shrink by the same ratio r each
 * time, and after a flight T the rest lasts T r/(1 - r). Friction and other contacts make r differ from the
 * restitution, so it is measured. */
static void follow(slip_flow *flow, int c, double speed)
{
    slip_bounces *series = &flow->impacts.bounces[c];
    const double ratio = speed / series->speed, flight = flow->t - series->last;
    const bool steady = series->count > 1 && fabs(ratio - series->ratio) <= 0.01 * (1 - ratio);
    if (series->count == 0 || !(ratio < 1)) {
        *series =
            (slip_bounces){.count = 1, .since = flow->t, .last = flow->t, .speed = speed, .limit = INFINITY};
        return;
    }
    series->count++;
    series->last = flow->t;
    series->speed = speed;
    series->ratio = ratio;
    series->limit = steady ? flow->t + flight * ratio / (1 - ratio) : INFINITY;
}

/* Whether infinitely many bounces remain within a time so short that its square, the order of the error, is
 * negligible. With a shorter time rounding would hide the ratio. Most of the series must be over: a periodic
 * motion has a ratio that differs from 1 by rounding only. */
static bool accumulates(const slip_flow *flow, int c)
{
    const slip_bounces *series = &flow->impacts.bounces[c];
    const double rise = 1 - series->ratio, left = series->limit - flow->t, over = flow->t - series->since;
    return series->count >= 6 && left <= over && left <= fmax(1e-8 * over, time_noise(flow) / (rise * rise));
}

/* Speeds along a gap below this are rounding errors. */
static double no_speed(const slip_flow *flow, int c)
{
    const double *row = slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q);
    double size = 0;
    for (int i = 0; i < flow->n; i++)
        size += fabs(row[i]) * flow->sizes.fastest;
    return 1e-13 * size;
}

/* Whether a contact that has just opened, with all its rates next to zero, touches its stop again by rounding
 * only. */
static bool hardly_landed(const slip_flow *flow, int c)
{
    return flow->branches[c].mode == SLIP_MODE_OPEN && flow->impacts.speed[c] <= no_speed(flow, c);
}

/* Ends the bounces of a contact; it counts as closed from the time `limit` on. */
static void rest_at(slip_flow *flow, int c, double limit)
{
    flow->decision.standing[c].touching = true;
    flow->gaps.now[c] = 0;
    flow->impacts.landed[c] = true;
    flow->impacts.time[c] = limit;
    flow->impacts.bounces[c].count = 0;
    if (hardly_landed(flow, c))
        return;
    flow->impacts.accumulations++;
    slip_log(flow->ctx, SLIP_LOG_INFO, "contact `%s`: infinitely many bounces end at t = %.9g",
             flow->system->contacts[c].name, limit);
}

/* Decides for a contact that has landed whether it stays closed or bounces, and neglects flights that are too
 * low. */
static void settle_landed(slip_flow *flow, int c)
{
    slip_bounces *series = &flow->impacts.bounces[c];
    double speed, curve;
    flow->impacts.time[c] = flow->t;
    if (flow->impacts.at_stop[c]) {
        series->count = 0;
        return;
    }
    speed = slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    /* Repeated landings without speed (but for rounding, which grows with t): the contact is closed, and the
     * accelerations a short time ahead decide whether it opens. */
    if (flow->pace.idle > 2 && fmax(speed, flow->impacts.speed[c]) <= 100 * no_speed(flow, c)) {
        flow->decision.standing[c].touching = flow->decision.standing[c].leaving = true;
        flow->gaps.now[c] = 0;
        series->count = 0;
        return;
    }
    follow(flow, c, speed);
    curve = curve_of(flow, c);
    if (curve < 0) { /* the height of a flight; where contacts hold the body `curve` is almost 0 */
        const double landing = flow->impacts.speed[c];
        flow->gaps.largest[c] = fmax(flow->gaps.largest[c], fmin(landing * landing / (-2 * curve),
                                                                 landing * (flow->t - flow->opened_at)));
    }
    const bool regular = isfinite(series->limit) && !flow->impacts.driven;
    if (accumulates(flow, c) || (regular ? stays : hardly_leaves)(flow, c, speed, curve)) {
        flow->impacts.came_to_rest[c] |=
            slip_impact_stuck(flow->impacts.solver, c); /* each impact left it in stick */
        rest_at(flow, c, isfinite(series->limit) ? series->limit : flow->t);
    }
}

/* Whether the impact of another contact opens one that was closed. A body between stops can bounce with
 * decreasing height: that ends where the next flight would be negligible. */
static bool is_thrown_open(const slip_flow *flow, int c)
{
    return slip_contact_closed(&flow->system->contacts[c], flow->modes[c]) && flow->mode_known[c] &&
           !flow->decision.standing[c].touching;
}

/* Reports one event for each contact that has landed: the mode after it, or a bounce. */
static int report_landed(slip_flow *flow, const slip_observer *observer)
{
    int status = SLIP_OK;
    for (int c = 0; c < flow->contact_count && status == SLIP_OK; c++) {
        slip_event event = {flow->impacts.time[c], c, SLIP_MODE_OPEN, slip_flow_mode_now(flow, c)};
        if (!flow->impacts.landed[c])
            continue;
        flow->impacts.landed[c] = false;
        if (hardly_landed(flow, c))
            continue;
        flow->modes[c] = event.to;
        flow->mode_known[c] = true;
        flow->events++;
        status = observer->event ? observer->event(observer->user, &event) : SLIP_OK;
    }
    return status;
}

/* Bounces that accumulate are closed a little before their end, and the contact rubs from then on. During the
 * neglected bounces there would be no friction if impacts have none; if they have, the last speed is removed
 * by a tensile impulse, without friction. The slip velocity is increased in advance by what friction will
 * take too much. */
static void correct_friction(slip_flow *flow, int c, double left)
{
    const slip_contact *contact = &flow->system->contacts[c];
    double normal;
    if (!slip_mode_slips(flow->branches[c].mode))
        return;
    if (flow->tangent && left == 0 && contact->restitution == 0) /* there is, for small restitution */
        slip_tangent_settle(flow->tangent, c, 0);
    if (!(left > 0))
        return;
    slip_modes_violation(flow->decision.modes, flow->t, flow->q, flow->v, flow->decision.standing,
                         flow->branches);
    const double *force = contact->friction->forces(contact, &flow->work->contacts[c], flow->work->patches);
    normal = flow->work->contacts[c].normal;
    if (contact->impact_friction)
        left = normal > 0 ? flow->impacts.bounces[c].speed / (slip_flow_gap_response(flow, c) * normal) : 0;
    if (flow->tangent)
        slip_tangent_settle(flow->tangent, c, left);
    for (int part = 0; part < contact->dimension; part++) {
        slip_flow_respond(flow, c, part);
        slip_flow_shift(flow->n, flow->scratch.response, -force[part] * left, flow->v);
    }
    slip_flow_clean(flow, flow->t, flow->q, flow->v);
}

/* Whether a contact that stuck before the impact still sticks: its slip velocity is a rounding error of the
 * impact. */
static bool still_sticks(slip_flow *flow, int c)
{
    double slip, size = 0;
    if (!slip_flow_decided(flow, c) || !flow->mode_known[c] || flow->modes[c] != SLIP_MODE_STICK)
        return false;
    slip = slip_system_slip(flow->system, flow->work, c, flow->t, flow->q, flow->v);
    for (int part = 0; part < flow->system->contacts[c].dimension; part++) {
        slip_flow_respond(flow, c, part);
        for (int i = 0; i < flow->n; i++)
            size += fabs(flow->scratch.row[i]) * flow->sizes.fastest;
    }
    return fabs(slip) <= 1e-13 * size;
}

int slip_flow_land(slip_flow *flow, int landing, const slip_observer *observer)
{
    int status = SLIP_OK;
    slip_flow_remember(flow, -1);
    slip_flow_close_gap(flow, landing);
    if (flow->tangent)
        slip_tangent_cross(flow->tangent,
                           &(slip_flow_crossing){.boundary = SLIP_FLOW_LAND, .contact = landing});
    slip_flow_patch_forget(flow);
    memset(flow->impacts.landed, 0, (size_t)flow->contact_count * sizeof *flow->impacts.landed);
    if (!strike(flow, landing))
        return slip_impact_fail(flow->ctx, &flow->system->contacts[landing], flow->t);
    if (flow->jumps)
        slip_flow_jumps_strike(flow);
    SLIP_TRY(slip_flow_place_again(flow, observer));
    for (int c = 0; c < flow->contact_count; c++) {
        if (observer->impulse && flow->impacts.impulses[c] > 0)
            observer->impulse(observer->user, c, flow->impacts.impulses[c]);
    }
    for (int k = 0; k < flow->system->gap_count; k++) {
        const int c = flow->system->gaps[k];
        flow->decision.standing[c].touching = flow->impacts.at_stop[c];
        if (!flow->impacts.at_stop[c])
            flow->branches[c].mode = SLIP_MODE_OPEN;
        flow->impacts.came_to_rest[c] =
            flow->impacts.at_stop[c] && slip_impact_stuck(flow->impacts.solver, c);
    }
    for (int c = 0; c < flow->contact_count; c++)
        flow->impacts.came_to_rest[c] |= still_sticks(flow, c);
    for (int c = 0; c < flow->contact_count; c++) {
        if (flow->impacts.landed[c])
            settle_landed(flow, c);
        else if (is_thrown_open(flow, c) &&
                 hardly_leaves(flow, c,
                               slip_system_gap_rate(flow->system, flow->work, c, flow->t, flow->q, flow->v),
                               curve_of(flow, c)))
            flow->decision.standing[c].touching = true;
    }
    slip_flow_close_touching(flow);
    SLIP_TRY(slip_flow_decide_modes(flow, observer));
    for (int c = 0; c < flow->contact_count; c++)
        if (flow->impacts.landed[c])
            correct_friction(flow, c, flow->impacts.time[c] - flow->t);
    if (status == SLIP_OK)
        status = report_landed(flow, observer);
done:
    memset(flow->impacts.landed, 0, (size_t)flow->contact_count * sizeof *flow->impacts.landed);
    return status;
}

int slip_flow_land_now(slip_flow *flow, const slip_observer *observer)
{
    int landing = -1;
    if (!flow->switching || !flow->placed)
        return SLIP_OK;
    for (int k = 0; k < flow->system->gap_count; k++)
        if (!flow->decision.standing[flow->system->gaps[k]].touching &&
            at_stop_now(flow, flow->system->gaps[k]))
            landing = flow->system->gaps[k];
    if (landing < 0)
        return SLIP_OK;
    flow->pace.crossings++;
    flow->stepper = NULL;
    return slip_flow_land(flow, landing, observer);
}
