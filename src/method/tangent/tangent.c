#include "method/tangent/types.h"

#include "math/vector.h"
#include "method/flow/switch.h"
#include "system/evaluate.h"
#include "system/friction/friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creating. */

static bool allocate(slip_tangent *tangent)
{
    const int64_t m = tangent->m, count = tangent->count;
    slip_arena *arena = &tangent->arena;
    tangent->columns = slip_arena_array(arena, m * count, sizeof(double));
    tangent->size = slip_arena_array(arena, m, sizeof(double));
    tangent->tau = slip_arena_array(arena, count, sizeof(double));
    tangent->rates = slip_arena_array(arena, m, sizeof(double));
    tangent->q = slip_arena_array(arena, m, sizeof(double));
    tangent->a = slip_arena_array(arena, m, sizeof(double));
    tangent->values = slip_arena_array(arena, 2 * m, sizeof(double));
    tangent->bounces =
        slip_arena_array(arena, 3 * (count + 1) * tangent->system->contact_count + 1, sizeof(double));
    tangent->left = slip_arena_array(arena, tangent->system->contact_count + 1, sizeof(double));
    tangent->forces = slip_arena_array(arena, 6 * tangent->system->contact_count + 1, sizeof(double));
    tangent->matrix = slip_arena_array(arena, slip_tangent_nodes * m * m, sizeof(double));
    tangent->stages = slip_arena_array(arena, slip_tangent_nodes * m * count, sizeof(double));
    tangent->block = slip_arena_array(arena, slip_tangent_nodes * slip_tangent_nodes * m * m, sizeof(double));
    tangent->pivots = slip_arena_array(arena, slip_tangent_nodes * m, sizeof(int));
    tangent->steep = slip_arena_array(arena, tangent->system->contact_count + 1, sizeof(int));
    tangent->near = slip_arena_array(arena, 4 * (int64_t)tangent->parameter_count + 1, sizeof *tangent->near);
    tangent->unfolded =
        slip_arena_array(arena, tangent->system->contact_count + 1, sizeof *tangent->unfolded);
    tangent->v = tangent->q + tangent->n;
    return tangent->columns && tangent->size && tangent->tau && tangent->rates && tangent->q && tangent->a &&
           tangent->values && tangent->bounces && tangent->left && tangent->forces && tangent->matrix &&
           tangent->stages && tangent->block && tangent->pivots && tangent->steep && tangent->near &&
           tangent->unfolded;
}

int slip_tangent_bind_near(slip_context *ctx, double step, slip_tangent_parameter *parameter,
                           int (*bind)(void *user, int k, double by, const slip_system **near), void *user)
{
    static const double places[3][4] = {{-2, -1, 1, 2}, {1, 2, 3, 4}, {-4, -3, -2, -1}},
                        weights[3][4] = {{1, -8, 8, -1}, {-52, 114, -84, 22}, {-22, 84, -114, 52}};
    int status = SLIP_ERROR_MODEL;
    for (int way = 0; way < 3 && status == SLIP_ERROR_MODEL; way++) {
        status = SLIP_OK;
        for (int k = 0; k < 4 && status >= 0; k++) {
            parameter->weights[k] = weights[way][k] / (12 * step);
            status = bind(user, k, places[way][k] * step, &parameter->near[k]);
        }
        if (way > 0 && status >= 0)
            slip_context_clear(ctx);
    }
    return status;
}

int slip_tangent_create(slip_context *ctx, const slip_system *system, int parameter_count,
                        const slip_tangent_parameter *parameters, slip_tangent **result)
{
    slip_tangent *tangent;
    *result = NULL;
    tangent = slip_alloc(1, sizeof *tangent);
    SLIP_PASS(slip_allocated(ctx, tangent));
    tangent->ctx = ctx;
    tangent->system = system;
    tangent->n = system->n;
    tangent->m = 2 * system->n;
    tangent->parameter_count = parameter_count;
    tangent->parameters = parameters;
    tangent->count = tangent->m + 1 + parameter_count + 1;
    if (!allocate(tangent)) {
        slip_tangent_destroy(tangent);
        return slip_fail_memory(ctx);
    }
    *result = tangent;
    return SLIP_OK;
}

void slip_tangent_take_loads(slip_tangent *tangent, const slip_tangent_loads *loads)
{
    tangent->loads = loads;
}

static void release(slip_tangent_near *near)
{
    slip_workspace_destroy(near->work);
    slip_frozen_destroy(near->frozen);
    *near = (slip_tangent_near){0};
}

static void detach(slip_tangent *tangent)
{
    tangent->own.frozen = NULL; /* the flow's */
    release(&tangent->own);
    for (int k = 0; k < 4 * tangent->parameter_count; k++)
        release(&tangent->near[k]);
    tangent->flow = NULL;
}

void slip_tangent_destroy(slip_tangent *tangent)
{
    if (!tangent)
        return;
    if (tangent->near)
        detach(tangent);
    slip_arena_free(&tangent->arena);
    free(tangent);
}

int slip_tangent_attach(slip_tangent *tangent, slip_flow *flow)
{
    const bool same = tangent->own.work && tangent->own.system == flow->system && !flow->jumps;
    if (!same)
        detach(tangent);
    tangent->flow = flow;
    tangent->steep_count = 0;
    tangent->started = tangent->pending = tangent->failed = tangent->late = false;
    for (int c = 0; c < flow->contact_count; c++)
        tangent->left[c] = NAN;
    tangent->exact = NULL;
    tangent->graze = 1;
    tangent->time = 0;
    memset(tangent->size, 0, (size_t)tangent->m * sizeof(double));
    if (same)
        return SLIP_OK;
    tangent->own.system = flow->system;
    SLIP_PASS(slip_workspace_create(tangent->ctx, flow->system, &tangent->own.work));
    for (int k = 0; k < 4 * tangent->parameter_count; k++) {
        slip_tangent_near *near = &tangent->near[k];
        near->system = tangent->parameters[k / 4].near[k % 4];
        if (!near->system)
            continue;
        if (flow->jumps) {
            SLIP_PASS(slip_system_freeze(tangent->ctx, near->system, true, &near->frozen));
            near->system = near->frozen->system;
        }
        SLIP_PASS(slip_workspace_create(tangent->ctx, near->system, &near->work));
    }
    return SLIP_OK;
}

/* ---- Evaluating. */

void slip_tangent_take_forms(slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    const int first = slip_slot_parameter(tangent->n);
    for (int k = -1; k < 4 * tangent->parameter_count && flow->jumps; k++) {
        slip_workspace *work = k < 0 ? tangent->own.work : tangent->near[k].work;
        if (!work)
            continue;
        memcpy(work->slots + first, flow->work->slots + first,
               (size_t)flow->system->switch_count * sizeof(double));
        work->load_time = NAN;
    }
    tangent->own.frozen = flow->jumps ? flow->jumps->frozen : NULL;
}

bool slip_tangent_accelerate(const slip_tangent *tangent, const slip_tangent_near *with, bool unfold,
                             double t, const double *q, const double *v, double *a)
{
    const slip_flow *flow = tangent->flow;
    const slip_branch *branches = flow->branches;
    if (unfold && (flow->charts.count > 0 || flow->areas.count > 0)) {
        memcpy(tangent->unfolded, branches, (size_t)flow->contact_count * sizeof *branches);
        for (int c = 0; c < flow->contact_count; c++) {
            tangent->unfolded[c].direction = NULL;
            if (slip_flow_charted(flow, c))
                tangent->unfolded[c].chart = -1;
        }
        branches = tangent->unfolded;
    }
    return slip_system_acceleration(with->system, with->work, flow->has_breaks ? branches : NULL, t, q, v,
                                    a) &&
           (!flow->switching || slip_system_constrain(with->system, with->work, branches, t, q, v, a));
}

void slip_tangent_find_rates(slip_tangent *tangent, double *rates)
{
    const slip_flow *flow = tangent->flow;
    for (int i = 0; i < tangent->n; i++)
        rates[i] = i < flow->moving ? flow->v[i] : 0;
    if (flow->areas.count > 0 &&
        flow->areas.shifted) /* at a start of slip the direction is that at the end of the moment */
        memcpy(rates + tangent->n, flow->areas.moment->a0, (size_t)tangent->n * sizeof(double));
    else if (!slip_tangent_accelerate(tangent, &tangent->own, false, flow->t, flow->q, flow->v,
                                      rates + tangent->n))
        tangent->failed = true;
}

static bool find_acceleration(const slip_tangent_map *map, const slip_tangent_near *with, double t,
                              const double *q, const double *v, double *values)
{
    return slip_tangent_accelerate(map->tangent, with, false, t, q, v, values);
}

void slip_tangent_by_parameter(slip_tangent *tangent, int parameter, double t, const double *q,
                               const double *v, double *a)
{
    const slip_tangent_map map = {.tangent = tangent, .count = tangent->n, .find = find_acceleration};
    memset(a, 0, (size_t)tangent->n * sizeof(double));
    slip_tangent_add_parameter(&map, parameter, t, q, v, a);
}

/* ---- Projection by sticking contacts and closed gaps. */

static bool find_gap(const slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                     const double *v, double *value)
{
    (void)v;
    *value = slip_system_gap(with->system, with->work, map->contact, t, q);
    return true;
}

static bool find_gap_rate(const slip_tangent_map *map, const slip_tangent_near *with, double t,
                          const double *q, const double *v, double *value)
{
    *value = slip_system_gap_rate(with->system, with->work, map->contact, t, q, v);
    return true;
}

static bool find_slip(const slip_tangent_map *map, const slip_tangent_near *with, double t, const double *q,
                      const double *v, double *value)
{
    double slip[3];
    if (with->system->contacts[map->contact].patch) {
        slip_system_patch_slip(with->system, with->work, map->contact, t, q, v, slip);
        *value = slip[map->part];
    } else {
        *value = slip_system_slip(with->system, with->work, map->contact, t, q, v);
    }
    return true;
}

static double gap_rate_along(slip_tangent *tangent, int c, const double *column)
{
    const slip_flow *flow = tangent->flow;
    slip_system_gap_rate_gradient(flow->system, tangent->own.work, c, flow->t, flow->q, flow->v,
                                  tangent->values);
    return slip_dot(tangent->m, tangent->values, column);
}

/* Projects all columns so that a quantity does not change, along flow->scratch.response; `first`: 0 for
 * coordinates, n for velocities. Late columns have the quantity at their own time. */
static void take_away(slip_tangent *tangent, const slip_tangent_map *map, int first, double product)
{
    for (int k = 0; k < tangent->count - 1; k++) {
        double *column = slip_tangent_of(tangent, k), change = 0;
        slip_tangent_along(map, NULL, tangent->late ? tangent->tau[k] : 0,
                           slip_tangent_parameter_of(tangent, k), &change);
        change += map->find == find_gap ? slip_tangent_gap_along(tangent, map->contact, column)
                  : map->find == find_gap_rate
                      ? gap_rate_along(tangent, map->contact, column)
                      : slip_tangent_slip_along(tangent, map->contact, map->part, column);
        for (int i = 0; i < tangent->n && change != 0; i++)
            column[first + i] -= change / product * tangent->flow->scratch.response[i];
    }
}

/* Projects the columns onto the constraint of a closed gap. */
static void hold_gap(slip_tangent *tangent, slip_tangent_map *map, int first, int *count)
{
    slip_flow *flow = tangent->flow;
    const int c = map->contact;
    if (!slip_contact_closed(&flow->system->contacts[c], flow->branches[c].mode))
        return;
    memcpy(flow->scratch.row, slip_system_gap_row(flow->system, flow->work, c, flow->t, flow->q),
           (size_t)tangent->n * sizeof(double));
    const double product = slip_flow_orthogonalise(flow, count);
    map->find = first == 0 ? find_gap : find_gap_rate;
    if (product > 0)
        take_away(tangent, map, first, product);
}

static void hold_slip(slip_tangent *tangent, slip_tangent_map *map, int *count)
{
    slip_flow *flow = tangent->flow;
    const int c = map->contact;
    map->find = find_slip;
    for (map->part = 0;
         map->part < flow->system->contacts[c].dimension && flow->branches[c].mode == SLIP_MODE_STICK;
         map->part++) {
        slip_system_direction_of(flow->system, flow->work, c, map->part, flow->t, flow->q, flow->v,
                                 flow->scratch.row, flow->scratch.response);
        const double product = slip_flow_orthogonalise(flow, count);
        if (product > 0)
            take_away(tangent, map, tangent->n, product);
    }
}

/* Projects the coordinates first, on which rates of gaps and slips may depend, then the velocities. */
static void hold(slip_tangent *tangent)
{
    slip_flow *flow = tangent->flow;
    slip_system_place(flow->system, flow->work, flow->t, flow->q);
    for (int first = 0; first <= tangent->n; first += tangent->n) {
        int count = 0;
        for (int c = 0; c < flow->contact_count; c++) {
            slip_tangent_map map = {.tangent = tangent, .contact = c, .count = 1, .share = 1e-3};
            if (!slip_flow_decided(flow, c) && !flow->areas.of[c])
                continue;
            hold_gap(tangent, &map, first, &count);
            if (first > 0)
                hold_slip(tangent, &map, &count);
        }
    }
}

/* ---- Bounces that accumulate. */

/* The accelerations by friction of a contact; for a unit normal force where impacts have friction, too. */
static bool find_friction(const slip_tangent_map *map, const slip_tangent_near *with, double t,
                          const double *q, const double *v, double *values)
{
    slip_flow *flow = map->tangent->flow;
    const slip_contact *contact = &flow->system->contacts[map->contact];
    const slip_contact_state *state = &with->work->contacts[map->contact];
    if (!slip_tangent_accelerate(map->tangent, with, true, t, q, v, map->tangent->a))
        return false;
    const double *force = contact->friction->forces(contact, state, with->work->patches);
    memset(values, 0, (size_t)map->count * sizeof(double));
    for (int part = 0; part < contact->dimension; part++) {
        slip_system_direction_of(flow->system, flow->work, map->contact, part, flow->t, flow->q, flow->v,
                                 flow->scratch.row, flow->scratch.response);
        for (int i = 0; i < map->count; i++)
            values[i] +=
                force[part] / (contact->impact_friction ? state->normal : 1) * flow->scratch.response[i];
    }
    return true;
}

void slip_tangent_settle(slip_tangent *tangent, int c, double left)
{
    tangent->left[c] = left;
}

/* The change of the time at which the bounces of a contact end, in column k. */
static double end_later(const slip_tangent *tangent, int c, int k)
{
    const int count = tangent->count;
    const double *landing = tangent->bounces + 3 * (int64_t)(count + 1) * c, *time = landing + 3 * count;
    const double ratio = tangent->flow->impacts.bounces[c].ratio, rise = 1 - ratio,
                 flight = time[0] - time[1], change = (landing[k] - landing[count + k]) / flight,
                 turn = change - (landing[count + k] - landing[2 * count + k]) / (time[1] - time[2]);
    return landing[k] + flight * ratio / rise * (change + turn / rise);
}

/* The derivative of the slip correction at the end of bounces (flow/land.c). The correction is friction times
 * the remaining time of the bounces or, with friction in impacts, times remaining speed over loss of speed
 * per time; all of these change, and so does the instant. Without restitution nothing remains, but for a
 * small restitution there is a flight that takes the speed away twice. */
static void settle(slip_tangent *tangent, int c)
{
    const bool rubs = tangent->system->contacts[c].impact_friction;
    const slip_tangent_map
        map = {.tangent = tangent, .contact = c, .count = tangent->n, .share = 1e-4, .find = find_friction},
        speed = {.tangent = tangent, .contact = c, .count = 1, .share = 1e-4, .find = find_gap_rate};
    const int n = tangent->n;
    const double left = tangent->left[c];
    double *friction = tangent->stages, *change = friction + n;
    if (!find_friction(&map, &tangent->own, tangent->flow->t, tangent->flow->q, tangent->flow->v, friction))
        tangent->failed = true;
    const double normal = tangent->own.work->contacts[c].normal, unit = rubs ? normal : 1,
                 loss = slip_flow_gap_response(tangent->flow, c) * normal;
    for (int k = 0; k < tangent->count - 1; k++) {
        const int parameter = slip_tangent_parameter_of(tangent, k);
        const double tau = tangent->tau[k], *column = slip_tangent_of(tangent, k);
        double faster, by;
        if (left == 0 && parameter < 0)
            continue; /* there is no remaining speed in any state */
        if (rubs || left == 0)
            slip_tangent_along(&speed, column, tau, parameter, &faster);
        by = rubs ? faster / loss : left == 0 ? 2 * faster / loss : end_later(tangent, c, k) - tau;
        slip_tangent_along(&map, column, tau, parameter, change);
        for (int i = 0; i < n; i++)
            slip_tangent_of(tangent, k)[n + i] -= unit * (friction[i] * by + change[i] * left);
    }
    tangent->left[c] = NAN;
}

/* Clears the changes of states of laws that open contacts have lost. */
static void forget(slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    for (int c = 0; c < flow->contact_count; c++) {
        const slip_contact *contact = &flow->system->contacts[c];
        if (contact->state_count == 0 || !contact->has_gap || flow->branches[c].mode != SLIP_MODE_OPEN)
            continue;
        for (int k = 0; k < tangent->count - 1; k++)
            for (int z = 0; z < contact->state_count; z++)
                slip_tangent_of(tangent, k)[tangent->n + contact->state + z] = 0;
    }
}

/* ---- Segments. */

/* At an equilibrium velocities are rounding errors: their size is then a part of coordinate sizes over the
 * time scale. */
void slip_tangent_note_size(slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    const int n = tangent->n;
    if (flow->natural_step > 0) /* the step may be short after an event */
        tangent->time = fmax(tangent->time, slip_flow_time_scale(flow));
    const double time = slip_tangent_time(tangent), standing = slip_largest(n, flow->q) / time;
    double fastest = slip_largest(n, flow->v);
    fastest = fastest > 1e-9 * standing ? fastest : standing;
    for (int i = 0; i < n; i++) {
        const double least = flow->sizes.usual[i] > 0 ? flow->sizes.usual[i]
                             : fastest > 0            ? 1e-3 * fastest
                                                      : 1;
        tangent->size[n + i] = fmax(tangent->size[n + i], fmax(fabs(flow->v[i]), least));
        tangent->size[i] = fmax(tangent->size[i], fmax(fabs(flow->q[i]), tangent->size[n + i] * time));
    }
}

/* Computes the rates of the state after the event, exactly zero for sticking contacts. */
static void find_new_rates(slip_tangent *tangent)
{
    slip_flow *flow = tangent->flow;
    double *now = flow->v, *clean = tangent->values;
    memcpy(clean, now, (size_t)tangent->n * sizeof(double));
    if (flow->switching && flow->areas.count == 0) /* patches: see chart.c */
        slip_flow_clean(flow, flow->t, flow->q, clean);
    flow->v = clean;
    slip_tangent_find_rates(tangent, tangent->rates);
    flow->v = now;
}

void slip_tangent_meet(slip_tangent *tangent)
{
    if (!tangent->late)
        return;
    tangent->late = false;
    slip_tangent_find_rates(tangent, tangent->rates);
    for (int k = 0; k < tangent->count - 1; k++)
        if (tangent->tau[k] != 0)
            slip_tangent_shift(tangent, k, -tangent->tau[k], tangent->rates);
}

/* Whether slip begins where its law has an infinite slope. If it grows as t^2, small changes obey d' = d/t:
 * every multiple of t is a solution from rest, and only later times determine the right one. */
static bool begins_steep(const slip_tangent *tangent)
{
    const slip_flow *flow = tangent->flow;
    for (int c = 0; c < flow->contact_count && flow->decision.time == flow->t; c++) {
        const slip_law_kernel *law = slip_contact_law(flow->system, flow->work, c);
        for (int k = 0; k < law->break_count && slip_flow_decided(flow, c) && flow->decision.from_zero[c];
             k++)
            if (law->breaks[k].velocity == 0 && slip_flow_steep(flow, c, k))
                return true;
    }
    return false;
}

void slip_tangent_begin(slip_tangent *tangent)
{
    const int m = tangent->m;
    if (tangent->started && !tangent->pending)
        return;
    slip_tangent_take_forms(tangent);
    slip_tangent_note_size(tangent);
    find_new_rates(tangent);
    if (!tangent->started) {
        memset(tangent->columns, 0, (size_t)m * (size_t)tangent->count * sizeof(double));
        for (int i = 0; i < m; i++) {
            slip_tangent_of(tangent, i)[i] = i < tangent->n && i >= tangent->flow->moving ? 0 : 1;
            slip_tangent_of(tangent, m)[i] = -tangent->rates[i];
        }
    }
    for (int c = 0; c < tangent->flow->contact_count; c++)
        if (tangent->left[c] >= 0)
            settle(tangent, c);
    tangent->late = tangent->pending && begins_steep(tangent);
    for (int k = 0; k < tangent->count - 1 && tangent->pending && !tangent->late; k++)
        if (tangent->tau[k] != 0)
            slip_tangent_shift(tangent, k, -tangent->tau[k], tangent->rates);
    tangent->started = true;
    tangent->pending = false;
    if (tangent->flow->switching)
        hold(tangent);
    forget(tangent);
}

/* ---- Reading. */

const double *slip_tangent_column(slip_tangent *tangent, int k)
{
    const double *column = slip_tangent_of(tangent, k);
    slip_tangent_begin(tangent);
    slip_tangent_meet(tangent);
    for (int i = 0; i < tangent->m; i++)
        tangent->failed = tangent->failed || !isfinite(column[i]);
    return tangent->failed ? NULL : column;
}

const double *slip_tangent_rates(slip_tangent *tangent)
{
    slip_tangent_begin(tangent);
    slip_tangent_find_rates(tangent, tangent->rates);
    return tangent->rates;
}

double slip_tangent_graze(const slip_tangent *tangent)
{
    return tangent->graze;
}
