/* Derivatives across an event: of its time, and of the jump of the state. */
#include "math/vector.h"
#include "method/exact/exact.h"
#include "method/flow/area/patch.h"
#include "method/tangent/types.h"
#include "system/evaluate.h"
#include "system/vibration/linearise.h"

#include <math.h>
#include <string.h>

/* ---- Differences of fourth order. */

/* A tenth of the angle by which a column turns the direction of slip of a patch; 0 where it does not slip. */
static double turning(const slip_tangent *tangent, slip_flow_patch *p, const double *column)
{
    slip_flow *flow = tangent->flow;
    const int m = tangent->m;
    double slip[3], change[3] = {0, 0, 0};
    if (!slip_flow_patch_slips(flow, p) || (flow->areas.shifted && slip_flow_patch_starts(flow, p)))
        return 0;
    slip_flow_patch_slip(flow, p, flow->t, flow->q, flow->v, slip);
    slip_flow_patch_gradients(flow, p, flow->t, flow->q, flow->v, p->gradients);
    for (int part = 0; part < 3; part++)
        for (int j = 0; j < m; j++)
            change[part] += p->gradients[part * m + j] * column[j];
    const double size = p->charted ? exp(p->log_size) : slip_area_norm(slip);
    return size > 0 ? 0.1 * slip_area_norm(change) / size : 0;
}

/* The step of a difference along a column, from the sizes of the state so far and the time scale of the
 * motion. Closed forms are linear in the state, so that steps may be long; only loads depend on time, none
 * faster than the fastest eigenvalue. */
static double reach_of(const slip_tangent_map *map, const double *column, double rate)
{
    const slip_tangent *tangent = map->tangent;
    const slip_flow *flow = tangent->flow;
    const bool exact = tangent->exact != NULL;
    double most = fabs(rate) / slip_tangent_time(tangent);
    if (exact && rate != 0)
        most = fmax(fabs(rate) * slip_exact_rate(tangent->exact), most * 1e-3);
    for (int i = 0; i < tangent->m && column; i++)
        most = fmax(most, column[i] != 0 ? fabs(column[i]) / tangent->size[i] : 0);
    for (int k = 0; k < flow->areas.count && column; k++)
        most = fmax(most, turning(tangent, &tangent->flow->areas.list[k], column));
    return most > 0 ? (!exact ? map->share : rate == 0 ? 0.1 : 1e-3) / most : 0;
}

/* Adds the part of two samples at distances +-`distance` to a difference of fourth order; exactly zero where
 * they are equal. */
static void add_pair(const slip_tangent *tangent, int count, int distance, double step, double *result)
{
    const double weight = (distance == 1 ? 8.0 / 12 : -1.0 / 12) / step;
    for (int i = 0; i < count; i++)
        result[i] += weight * (tangent->values[tangent->m + i] - tangent->values[i]);
}

/* Adds the derivative of the map along a column (NULL: none), and `rate` times that by time. */
static void add_along(const slip_tangent_map *map, const double *column, double rate, double *result)
{
    slip_tangent *tangent = map->tangent;
    const slip_flow *flow = tangent->flow;
    const int n = tangent->n;
    const double reach = reach_of(map, column, rate);
    for (int distance = 1; distance <= 2 && reach > 0; distance++) {
        for (int up = 0; up < 2; up++) {
            const double step = (up ? distance : -distance) * reach;
            for (int i = 0; i < n; i++) {
                tangent->q[i] = flow->q[i] + (column ? step * column[i] : 0);
                tangent->v[i] = flow->v[i] + (column ? step * column[n + i] : 0);
            }
            if (!map->find(map, &tangent->own, flow->t + step * rate, tangent->q, tangent->v,
                           tangent->values + up * tangent->m))
                tangent->failed = true;
        }
        add_pair(tangent, map->count, distance, reach, result);
    }
}

void slip_tangent_add_parameter(const slip_tangent_map *map, int parameter, double t, const double *q,
                                const double *v, double *result)
{
    slip_tangent *tangent = map->tangent;
    slip_tangent_near *near = slip_tangent_near_of(tangent, parameter);
    const double *of = tangent->parameters[(near - tangent->near) / 4].weights;
    double *first = tangent->values, *other = first + tangent->m;
    const double factor = slip_tangent_factor(tangent, parameter, t);
    for (int k = 0; k < 4; k++) {
        if (k > 0 && of[k] == 0)
            continue;
        if (!map->find(map, &near[k], t, q, v, k == 0 ? first : other))
            tangent->failed = true;
        for (int i = 0; i < map->count && k > 0; i++) /* exactly zero where both are equal */
            result[i] += factor * of[k] * (other[i] - first[i]);
    }
}

void slip_tangent_along(const slip_tangent_map *map, const double *column, double rate, int parameter,
                        double *result)
{
    slip_tangent *tangent = map->tangent;
    const slip_flow *flow = tangent->flow;
    const bool apart = tangent->exact && rate != 0; /* the steps in time are short */
    memset(result, 0, (size_t)map->count * sizeof(double));
    if (column)
        add_along(map, column, apart ? 0 : rate, result);
    if (rate != 0 && (apart || !column))
        add_along(map, NULL, rate, result);
    if (parameter >= 0)
        slip_tangent_add_parameter(map, parameter, flow->t, flow->q, flow->v, result);
}

/* ---- Conditions. */

/* A copy of the flow that refers to the neighbouring system. */
static slip_flow flow_with(const slip_tangent *tangent, const slip_tangent_near *with, slip_jumps *jumps)
{
    slip_flow flow = *tangent->flow;
    flow.system = with->system;
    flow.work = with->work;
    if (flow.jumps) {
        *jumps = *flow.jumps;
        jumps->frozen = with->frozen;
        flow.jumps = jumps;
    }
    return flow;
}

/* The slip of a patch along its direction. */
static double slip_along(const slip_flow_patch *p, const slip_tangent_near *with, double t, const double *q,
                         const double *v)
{
    double slip[3];
    slip_system_patch_slip(with->system, with->work, p->contact, t, q, v, slip);
    slip[2] *= with->system->contacts[p->contact].patch->size;
    return slip_area_dot(p->direction, slip);
}

/* The reserve of stick of a patch, with the forces of the last evaluation. */
static double patch_reserve(const slip_tangent *tangent, const slip_tangent_near *with, int c)
{
    slip_jumps jumps;
    slip_flow flow = flow_with(tangent, with, &jumps);
    const slip_flow_patch kept = *flow.areas.of[c];
    const double reserve = slip_flow_patch_reserve(&flow, c);
    *flow.areas.of[c] = kept;
    return reserve;
}

static bool find_condition(const slip_tangent_map *map, const slip_tangent_near *with, double t,
                           const double *q, const double *v, double *value)
{
    const slip_flow_crossing *crossing = map->crossing;
    const int c = crossing->contact;
    slip_jumps jumps;
    slip_flow flow;
    switch (crossing->boundary) {
    case SLIP_FLOW_LOWER:
    case SLIP_FLOW_UPPER:
        *value = slip_system_slip(with->system, with->work, c, t, q, v);
        return true;
    case SLIP_FLOW_REST:
        *value = slip_along(map->tangent->flow->areas.of[c], with, t, q, v);
        return true;
    case SLIP_FLOW_LAND:
        *value = slip_system_gap(with->system, with->work, c, t, q);
        return true;
    case SLIP_FLOW_SLIDER_UPPER:
    case SLIP_FLOW_SLIDER_LOWER:
    case SLIP_FLOW_SLIDER_TURN:
        flow = flow_with(map->tangent, with, &jumps);
        *value = slip_flow_slider_distance(&flow, c, crossing->boundary, t, q, v);
        return true;
    case SLIP_FLOW_GUARD_LOWER:
    case SLIP_FLOW_GUARD_UPPER:
        flow = flow_with(map->tangent, with, &jumps);
        *value = slip_flow_guard(&flow, c, crossing->boundary, t, q, v, NULL, NULL);
        return true;
    default:
        break;
    }
    const bool found = slip_tangent_accelerate(map->tangent, with, true, t, q, v, map->tangent->a);
    if (crossing->boundary == SLIP_FLOW_UNSTICK && map->tangent->flow->areas.of[c]) {
        *value = patch_reserve(map->tangent, with, c);
        return found;
    }
    const slip_contact_state *state = &with->work->contacts[c];
    *value = crossing->boundary == SLIP_FLOW_LIFT
                 ? state->normal
                 : state->normal * slip_law_hold(slip_contact_law(with->system, with->work, c)) -
                       (crossing->hold > 0 ? state->force : -state->force);
    return found;
}

/* Whether the event can change derivatives: not where a force that is not unique leaves its limit, or a
 * contact held at a singular break is released, since accelerations do not jump there. */
static bool matters(const slip_flow_crossing *crossing)
{
    return crossing->boundary != SLIP_FLOW_YIELD && crossing->boundary != SLIP_FLOW_RELEASE;
}

static bool meets_slip(const slip_tangent *tangent, const slip_flow_crossing *crossing)
{
    const slip_contact *contact = &tangent->flow->system->contacts[crossing->contact];
    return (crossing->boundary == SLIP_FLOW_LOWER || crossing->boundary == SLIP_FLOW_UPPER) &&
           contact->dimension == 1;
}

double slip_tangent_gap_along(slip_tangent *tangent, int c, const double *column)
{
    const slip_flow *flow = tangent->flow;
    return slip_dot(tangent->n, slip_system_gap_row(flow->system, tangent->own.work, c, flow->t, flow->q),
                    column);
}

double slip_tangent_slip_along(slip_tangent *tangent, int c, int part, const double *column)
{
    const slip_flow *flow = tangent->flow;
    const slip_contact *contact = &flow->system->contacts[c];
    slip_fill_slots(tangent->n, tangent->own.work, flow->t, flow->q, flow->v);
    slip_system_slip_gradient(flow->system, tangent->own.work, &contact->slips[part], tangent->a);
    return slip_dot(tangent->m, tangent->a, column);
}

/* The change of the condition along a column; exact for gaps and slips, since differences would be lost in
 * rounding where bounces accumulate. */
static double change_of(const slip_tangent_map *map, int k)
{
    slip_tangent *tangent = map->tangent;
    const double *column = slip_tangent_of(tangent, k);
    const int parameter = slip_tangent_parameter_of(tangent, k);
    const bool slip = meets_slip(tangent, map->crossing), gap = map->crossing->boundary == SLIP_FLOW_LAND;
    double change = 0;
    if (!slip && !gap)
        slip_tangent_along(map, column, 0, parameter, &change);
    else if (parameter >= 0)
        slip_tangent_along(map, NULL, 0, parameter, &change);
    return change + (slip  ? slip_tangent_slip_along(tangent, map->crossing->contact, 0, column)
                     : gap ? slip_tangent_gap_along(tangent, map->crossing->contact, column)
                           : 0);
}

/* In closed form: the rate of a normal force, or of the reserve of stick. */
static double force_rate(slip_tangent *tangent, const slip_flow_crossing *crossing)
{
    const slip_flow *flow = tangent->flow;
    const int c = crossing->contact, count = flow->contact_count;
    slip_exact_forces(tangent->exact, flow->t, tangent->forces);
    const double normal = tangent->forces[2 * count + c], friction = tangent->forces[3 * count + c];
    return crossing->boundary == SLIP_FLOW_LIFT
               ? normal
               : normal * slip_law_hold(slip_contact_law(flow->system, tangent->own.work, c)) -
                     (crossing->hold > 0 ? friction : -friction);
}

/* The rate of the condition along the motion, by differences only where no formula exists. */
static double rate_of(const slip_tangent_map *map, const double *rates)
{
    slip_tangent *tangent = map->tangent;
    slip_flow *flow = tangent->flow;
    const slip_flow_boundary boundary = map->crossing->boundary;
    const int c = map->crossing->contact;
    double rate;
    if (meets_slip(tangent, map->crossing))
        return slip_system_slip_rate(flow->system, tangent->own.work, c, flow->t, flow->q, flow->v,
                                     rates + tangent->n);
    if (boundary == SLIP_FLOW_REST) {
        double along[3];
        slip_flow_patch_rate(flow, flow->areas.of[c], flow->t, flow->q, flow->v, rates + tangent->n, along);
        return slip_area_dot(flow->areas.of[c]->direction, along);
    }
    if (boundary == SLIP_FLOW_LAND)
        return slip_system_gap_rate(flow->system, tangent->own.work, c, flow->t, flow->q, flow->v);
    if (boundary >= SLIP_FLOW_GUARD_LOWER) {
        slip_flow_guard(flow, c, boundary, flow->t, flow->q, flow->v, rates + tangent->n, &rate);
        return rate;
    }
    if (boundary >= SLIP_FLOW_SLIDER_UPPER)
        return slip_flow_slider_slope(flow, c, boundary, flow->t, flow->q, flow->v, rates + tangent->n);
    if (tangent->exact)
        return force_rate(tangent, map->crossing);
    slip_tangent_along(map, rates, 1, -1, &rate);
    return rate;
}

/* Notes the rate of a condition relative to its usual size: for a landing, to the speeds along the gap. */
static void note_graze(slip_tangent *tangent, const slip_flow_crossing *crossing, double rate)
{
    const slip_flow *flow = tangent->flow;
    double size = 0;
    if (crossing->boundary == SLIP_FLOW_LAND) {
        const double *row =
            slip_system_gap_row(flow->system, tangent->own.work, crossing->contact, flow->t, flow->q);
        for (int i = 0; i < tangent->n; i++)
            size += fabs(row[i]) * tangent->size[tangent->n + i];
        tangent->graze = fmin(tangent->graze, fabs(rate) / size);
    }
}

/* ---- The event. */

static void enter_event(slip_tangent *tangent)
{
    slip_tangent_meet(tangent);
    slip_tangent_take_forms(tangent);
    slip_tangent_note_size(tangent);
    slip_tangent_find_rates(tangent, slip_tangent_of(tangent, tangent->count - 1));
    memset(tangent->tau, 0, (size_t)tangent->count * sizeof(double));
    tangent->pending = true;
}

void slip_tangent_jump(slip_tangent *tangent)
{
    if (tangent->started && !tangent->pending)
        enter_event(tangent);
}

/* Flights shorter than this part of their series of bounces are too inexact for derivatives of the series. */
static const double shortest_flight = 1e-6;

/* Stores the landing of a contact; the last one comes first. */
static void note_landing(slip_tangent *tangent, int contact)
{
    const slip_flow *flow = tangent->flow;
    const slip_bounces *series = &flow->impacts.bounces[contact];
    const int64_t count = tangent->count;
    double *landing = tangent->bounces + 3 * (count + 1) * contact, *time = landing + 3 * count;
    if (series->count > 1 && flow->t - series->last < shortest_flight * (flow->t - series->since))
        return;
    memmove(landing + count, landing, 2 * (size_t)count * sizeof(double));
    memcpy(landing, tangent->tau, (size_t)count * sizeof(double));
    memmove(time + 1, time, 2 * sizeof(double));
    time[0] = flow->t;
}

void slip_tangent_cross(slip_tangent *tangent, const slip_flow_crossing *crossing)
{
    const slip_tangent_map map = {
        .tangent = tangent, .crossing = crossing, .count = 1, .share = 1e-4, .find = find_condition};
    if (tangent->pending || !tangent->started)
        return;
    enter_event(tangent);
    if (!matters(crossing))
        return;
    const double rate = rate_of(&map, slip_tangent_of(tangent, tangent->count - 1));
    note_graze(tangent, crossing, rate);
    for (int k = 0; k < tangent->count - 1; k++) {
        const double change = change_of(&map, k);
        tangent->tau[k] = change != 0 ? -change / rate : 0;
        if (tangent->tau[k] != 0)
            slip_tangent_shift(tangent, k, tangent->tau[k], slip_tangent_of(tangent, tangent->count - 1));
    }
    if (crossing->boundary == SLIP_FLOW_LAND)
        note_landing(tangent, crossing->contact);
}

/* ---- Impacts. */

static bool find_impact(const slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                        const double *v, double *values)
{
    memcpy(values, v, (size_t)map->tangent->n * sizeof(double));
    return slip_impact_follow(map->tangent->flow->impacts.solver, with->system, with->work, t, q, values);
}

void slip_tangent_strike(slip_tangent *tangent, const double *v)
{
    /* masses and directions vary slowly: the step is near the optimum for rounding errors */
    const slip_tangent_map map = {
        .tangent = tangent, .count = tangent->n, .share = 1e-3, .find = find_impact};
    slip_flow *flow = tangent->flow;
    double *after = flow->v;
    if (!tangent->started)
        return;
    memcpy(tangent->rates, v, (size_t)tangent->n * sizeof(double));
    flow->v = tangent->rates;                                                     /* the state before */
    find_impact(&map, &tangent->own, flow->t, flow->q, flow->v, tangent->values); /* the impact itself */
    for (int k = 0; k < tangent->count - 1; k++) {
        double *column = slip_tangent_of(tangent, k);
        slip_tangent_along(&map, column, tangent->tau[k], slip_tangent_parameter_of(tangent, k),
                           tangent->matrix);
        memcpy(column + tangent->n, tangent->matrix, (size_t)tangent->n * sizeof(double));
    }
    flow->v = after;
}
