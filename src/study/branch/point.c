/* Points of a branch: the model at a value of the parameter; tangent, tests and extrema of its motion. */
#include "study/branch/branch.h"
#include "study/returns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void slip_branch_point_free(slip_branch_point *point)
{
    slip_orbit_free(&point->orbit);
    free(point->signature);
    free(point->tangent);
    free(point->held);
    *point = (slip_branch_point){0};
}

void slip_branch_unbind(slip_orbit_branch *b)
{
    slip_arc_flow_close(&b->flow);
    slip_seen_destroy(b->balance.here);
    b->balance.here = NULL;
    for (int k = 0; k < 5; k++) {
        slip_model_destroy(b->bound[k]);
        b->bound[k] = NULL;
    }
    b->bound_at = NAN;
}

void slip_branch_close(slip_orbit_branch *b)
{
    slip_branch_unbind(b);
    slip_harmonic_free(&b->balance);
    slip_simulation_close(b->simulation);
    slip_values_destroy(b->values);
    slip_arena_free(&b->arena);
}

static int period_at(slip_orbit_branch *b, int k, double *period)
{
    int status = slip_section_period(b->ctx, b->bound[k], "branch", b->plan.options.period, period);
    *period *= b->plan.options.multiple;
    if (status == SLIP_OK && !(*period > 0 && *period < b->longest))
        status = slip_fail(b->ctx, SLIP_ERROR_MODEL, "branch: found the period %g, expected one below %g",
                           *period, b->longest);
    return status;
}

/* Binds the model at a value of the parameter, as number k of the bound models. */
static int bind_at(slip_orbit_branch *b, int k, double p)
{
    for (int i = 0; i < 1 + (b->parameters[1] != NULL); i++)
        SLIP_PASS(slip_values_set(b->ctx, b->values, b->parameters[i], b->base[i] + p * b->along[i]));
    slip_model_destroy(b->bound[k]);
    b->bound[k] = NULL;
    return slip_model_bind(b->ctx, b->model, b->values, &b->bound[k]);
}

static int condense_bound(slip_orbit_branch *b, int k, slip_seen **to)
{
    double period;
    const int status = period_at(b, k, &period);
    return status < 0 ? status
                      : slip_seen_create(b->ctx, b->bound[k]->system, period, b->options.harmonics, to);
}

static int condense_at(void *user, double p, slip_seen **to)
{
    const int status = bind_at(user, 1, p);
    return status < 0 ? status : condense_bound(user, 1, to);
}

/* Makes the flow the map of harmonic balance. */
static int set_balance(slip_orbit_branch *b, double p)
{
    slip_harmonic_balance *balance = &b->balance;
    SLIP_PASS(bind_at(b, 0, p));
    balance->ctx = b->ctx;
    balance->settings = slip_simulation_settings(b->simulation);
    balance->tolerance = b->plan.options.tolerance;
    balance->multiple = b->plan.options.multiple;
    balance->user = b;
    balance->condense = condense_at;
    balance->p = p;
    balance->range = b->high - b->low;
    balance->held = b->held;
    SLIP_PASS(condense_bound(b, 0, &balance->here));
    slip_harmonic_hold(balance);
    SLIP_PASS(slip_arc_flow_open_plain(b->ctx, b->bound[0]->system, balance->settings, balance->tolerance,
                                       &b->flow));
    b->flow.count = slip_harmonic_count(balance);
    b->flow.map = slip_harmonic_map;
    b->flow.map_user = balance;
    return SLIP_OK;
}

static int bind_next_to(void *user, int k, double by, const slip_system **near)
{
    slip_orbit_branch *b = user;
    SLIP_PASS(bind_at(b, k + 1, b->bound_at + by));
    slip_held_raise(b->bound[k + 1]->system, b->held);
    *near = b->bound[k + 1]->system;
    return SLIP_OK;
}

/* The shift of the parameter for difference quotients; close to zero it is relative to the range. */
static double step_of(const slip_orbit_branch *b, double p)
{
    const double range = b->high - b->low;
    return b->parameters[1] ? 1e-5 * range : 3e-5 * fmax(fabs(p), 1e-4 * range);
}

static int set_shooting(slip_orbit_branch *b, double p)
{
    slip_tangent_parameter near = {.weights = {0}};
    SLIP_PASS(bind_at(b, 0, p));
    slip_held_raise(b->bound[0]->system, b->held);
    b->bound_at = p;
    SLIP_PASS(slip_tangent_bind_near(b->ctx, step_of(b, p), &near, bind_next_to, b));
    SLIP_PASS(slip_arc_flow_open(b->ctx, b->bound[0]->system, slip_simulation_settings(b->simulation),
                                 b->plan.options.tolerance, &near, &b->flow));
    b->flow.raised = b->held;
    return SLIP_OK;
}

int slip_branch_bind(void *user, double p, slip_arc_flow *flow, slip_orbit *orbit)
{
    slip_orbit_branch *b = user;
    const bool balanced = b->options.harmonics > 0;
    double near;
    int status;
    (void)flow;
    if (b->bound_at != p) {
        slip_branch_unbind(b);
        SLIP_TRY(balanced ? set_balance(b, p) : set_shooting(b, p));
        b->bound_at = p;
    }
    status = SLIP_OK;
    if (orbit && !b->plan.own_period)
        SLIP_TRY(period_at(b, 0, &orbit->period));
    if (orbit)
        orbit->period_rate = 0;
    for (int k = 0; k < 4 && orbit && !b->plan.own_period && !balanced; k++) {
        SLIP_TRY(period_at(b, k + 1, &near));
        orbit->period_rate += b->flow.parameter.weights[k] * (near - orbit->period);
    }
done:
    if (status < 0)
        slip_branch_unbind(b);
    return status;
}

/* ---- Tangent, tests and extrema. */

/* Bounds below which the change of the parameter along the tangent is rounding: then there are motions of all
 * amplitudes at one value of the parameter, as in an undamped resonance. */
static const double least_move = 1e-10, little_turn = 1e-4;

/* The norm of the derivative of the return map by the parameter, in units of the scales. */
static double parameter_size(const slip_orbit_branch *b, const slip_orbit *orbit)
{
    double sum = 0;
    for (int k = 0; k < orbit->arcs; k++)
        for (int i = 0; i < orbit->count; i++) {
            const int at = k * orbit->count + i;
            const double rate = orbit->by_parameter[at] + orbit->period_rate / orbit->arcs * orbit->rates[at];
            sum += rate * rate / (orbit->scale[i] * orbit->scale[i]);
        }
    return sqrt(sum) * (b->high - b->low);
}

/* Finds the tangent: the change of x_0, period and parameter for which the motion stays periodic, with the
 * direction of `along`. */
static int find_tangent(slip_orbit_branch *b, slip_branch_point *point, const double *along)
{
    const slip_orbit *orbit = &point->orbit;
    const int n = orbit->count;
    slip_orbit_row row = {.row = point->tangent, .right = 1, .p_scale = b->high - b->low};
    double size = 0;
    SLIP_FREED double *step = slip_alloc((int64_t)n * orbit->arcs + 2, sizeof(double));
    SLIP_PASS(slip_allocated(b->ctx, step));
    memcpy(point->tangent, along, (size_t)(n + 2) * sizeof(double));
    int status = slip_branch_keep_across(b, point, point->tangent);
    if (status == SLIP_OK)
        status = slip_orbit_change(b->ctx, orbit, &row, NULL, step);
    if (status == SLIP_OK) {
        const int all = n * orbit->arcs;
        memcpy(point->tangent, step, (size_t)n * sizeof(double));
        point->tangent[n] = orbit->own_period ? step[all] : 0;
        point->tangent[n + 1] = step[all + orbit->own_period];
        for (int i = 0; i < n + 2; i++)
            size += point->tangent[i] * point->tangent[i];
        for (int i = 0; i < n + 2; i++)
            point->tangent[i] /= sqrt(size);
        const double turn = fabs(point->tangent[n + 1]);
        point->still = !b->flow.map && turn < little_turn && turn * parameter_size(b, orbit) < least_move;
    }
    return status;
}

/* The test of tori, the product of two multipliers less one: where it passes zero, a complex pair passes the
 * unit circle, or two real multipliers are m and 1/m (a neutral saddle), which is no bifurcation. */
static void find_pairs(slip_branch_point *point, int trivial)
{
    const slip_orbit *orbit = &point->orbit;
    double nearest = INFINITY;
    for (int i = 0; i < orbit->count; i++)
        for (int j = i + 1; j < orbit->count && i != trivial; j++) {
            const double a = orbit->imaginary[i], b = orbit->imaginary[j],
                         product = orbit->real[i] * orbit->real[j] - a * b - 1;
            const bool pair = a != 0 && a == -b && orbit->real[i] == orbit->real[j];
            if (j == trivial || (!pair && (a != 0 || b != 0)))
                continue; /* products of conjugate pairs are equal: one is enough */
            point->tests[2] *= product > slip_orbit_neutral ? -1 : 1;
            point->smooth[2] *= product;
            if (fabs(product) < nearest)
                point->torus = pair;
            nearest = fmin(nearest, fabs(product));
        }
}

/* Test functions: products that change sign where a multiplier passes -1 or 1, or a pair the unit circle. */
static void find_tests(slip_branch_point *point, int resonance)
{
    const slip_orbit *orbit = &point->orbit;
    const int n = orbit->count, trivial = orbit->own_period ? slip_orbit_nearest_one(orbit, -1) : -1,
              along = point->still ? slip_orbit_nearest_one(orbit, trivial) : -1;
    point->multiplier = 0;
    for (int k = 0; k < 3; k++)
        point->tests[k] = point->smooth[k] = 1;
    for (int i = 0; i < n; i++) {
        if (i == trivial)
            continue;
        point->multiplier = fmax(point->multiplier, hypot(orbit->real[i], orbit->imaginary[i]));
        if (i == along)
            continue; /* motions of all amplitudes at one value */
        point->smooth[0] *= hypot(orbit->real[i] + 1, orbit->imaginary[i]);
        point->smooth[1] *= hypot(orbit->real[i] - 1, orbit->imaginary[i]);
        if (orbit->imaginary[i] == 0) {
            point->tests[0] *= orbit->real[i] + 1 < -slip_orbit_neutral ? -1 : 1;
            point->tests[1] *= orbit->real[i] - 1 < slip_orbit_neutral ? -1 : 1;
        }
    }
    point->smooth[0] *= point->tests[0];
    point->smooth[1] *= point->tests[1];
    find_pairs(point, trivial);
    point->tests[3] = resonance >= 0 && cos(point->lag[resonance]) < 0 ? -1 : 1;
}

static int look_half(slip_orbit_branch *b, slip_branch_point *point)
{
    slip_orbit *orbit = &point->orbit;
    const slip_arc arc = {orbit->ends, orbit->by_state, orbit->rates, orbit->by_start, orbit->by_parameter};
    const int status = slip_arc_flow_run(&b->flow, orbit->time, orbit->x, 0.5 * orbit->period, &arc);
    for (int i = 0; i < orbit->count && status == SLIP_OK; i++)
        point->half[i] = (orbit->ends[i] - orbit->x[i]) / orbit->scale[i];
    return status;
}

/* Evaluates the motion again, with extrema, the integrals `fourier` and multipliers. */
static int look_at(slip_orbit_branch *b, slip_branch_point *point, double *fourier, double *ranges)
{
    slip_orbit *orbit = &point->orbit;
    b->flow.low = point->low;
    b->flow.high = point->high;
    b->flow.ranges = b->flow.system->patch_count == 0 ? ranges : NULL;
    b->flow.fourier = orbit->own_period ? NULL : fourier;
    b->flow.frequency = 6.283185307179586476925 * b->plan.options.multiple / orbit->period;
    const int status = slip_orbit_evaluate(&b->flow, orbit);
    b->flow.low = b->flow.high = b->flow.fourier = b->flow.ranges = NULL;
    return status < 0 || b->flow.map ? status : slip_orbit_judge(b->ctx, orbit);
}

/* The count of numbers of a point that are allocated in one piece. */
static int64_t room_of(const slip_orbit_branch *b, const slip_branch_point *point)
{
    const int coordinates = slip_system_coordinates(b->simulation->ready->system);
    return 2 * (int64_t)point->orbit.count + 2 + 4 * coordinates + 2 * b->probe_count;
}

static int make_room(slip_orbit_branch *b, slip_branch_point *point)
{
    const int coordinates = slip_system_coordinates(b->simulation->ready->system);
    point->tangent = slip_alloc(room_of(b, point), sizeof(double));
    SLIP_PASS(slip_allocated(b->ctx, point->tangent));
    point->low = point->tangent + point->orbit.count + 2;
    point->high = point->low + coordinates;
    point->amplitude = point->high + coordinates;
    point->lag = point->amplitude + coordinates + b->probe_count;
    point->half = point->lag + coordinates + b->probe_count;
    return SLIP_OK;
}

static int finish_point(slip_orbit_branch *b, slip_branch_point *point, const double *along)
{
    const int integrals = slip_arc_flow_integrals(&b->flow);
    SLIP_FREED double *fourier =
        slip_alloc(integrals + slip_held_numbers * (int64_t)slip_arc_flow_held(&b->flow) + 1, sizeof(double));
    double *ranges = fourier ? fourier + integrals : NULL;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    int status = SLIP_OK;
    SLIP_PASS(status = fourier ? SLIP_OK : slip_fail_memory(b->ctx));
    SLIP_PASS(status = make_room(b, point));
    SLIP_PASS(status = slip_branch_copy_held(b, b->held, &point->held));
    if (b->origin_count > 0)
        SLIP_PASS(status = look_half(b, point));
    SLIP_PASS(status = look_at(b, point, fourier, ranges));
    if (slip_branch_centre(b, point, ranges, &status))
        SLIP_PASS(status = look_at(b, point, fourier, ranges));
    SLIP_PASS(status);
    SLIP_PASS(status = slip_branch_find_response(b, point, fourier));
    SLIP_PASS(status = find_tangent(b, point, along));
    find_tests(point, b->resonance);
    if (b->flow.map)
        point->multiplier = NAN;  /* the map of harmonic balance has other multipliers than the motion */
    for (int k = 0; k < 2; k++) { /* the ends of the range, but for rounding */
        const double end = k ? b->high : b->low;
        point->p = fabs(point->p - end) < 1e-12 * (b->high - b->low) ? end : point->p;
    }
    for (int i = 0; i < 2; i++)
        point->values[i] = b->base[i] + point->p * b->along[i];
    SLIP_PASS(status = slip_orbit_signature(&b->flow, &text));
    point->signature = text.data;
    text = (slip_text){0};
    point->events = b->flow.event_count;
    for (int64_t k = 0; k < point->events; k++)
        point->landings += b->flow.events[k].from == SLIP_MODE_OPEN;
    return status;
}

/* With a late start the phase of the load changes fast with its frequency: the start is moved to the earliest
 * instant with the same phase of the load, unless the motion is another one there. */
static int start_early(slip_orbit_branch *b, slip_orbit *orbit)
{
    const double time = orbit->time;
    orbit->time = slip_simulation_settings(b->simulation)->values.start;
    const int status = slip_orbit_evaluate(&b->flow, orbit);
    if (status == SLIP_OK && orbit->residual < 1e-7)
        return SLIP_OK;
    orbit->time = time;
    return status == SLIP_ERROR_SOLVER ? SLIP_OK : status;
}

static int search_balance(slip_orbit_branch *b, slip_branch_point *point)
{
    SLIP_FREED_BY(slip_orbit_free) slip_orbit whole = {0};
    int status = SLIP_OK;
    SLIP_PASS(status = slip_orbit_start(b->ctx, b->simulation, &b->plan, &whole));
    SLIP_PASS(status = slip_harmonic_start(&b->balance, b->bound[0]->system, &whole, &point->orbit));
    SLIP_PASS(status = slip_branch_bind(b, point->p, &b->flow, &point->orbit));
    status = slip_branch_solve(b, &point->orbit, NULL);
    if (status == SLIP_STOPPED)
        status =
            slip_fail(b->ctx, SLIP_ERROR_SOLVER,
                      "branch: Newton's method found no balanced motion close to where the run ends: the "
                      "residual stays at %.3g; give a longer simulate.time, or other harmonics",
                      point->orbit.residual);
    return status;
}

static int search_orbit(slip_orbit_branch *b, slip_branch_point *point)
{
    int status = SLIP_OK;
    SLIP_PASS(status = slip_orbit_start(b->ctx, b->simulation, &b->plan, &point->orbit));
    SLIP_PASS(status = slip_branch_bind(b, point->p, &b->flow, &point->orbit));
    SLIP_PASS(status = slip_orbit_search(&b->flow, &b->plan, &point->orbit));
    status = slip_branch_solve(b, &point->orbit, NULL);
    if (status == SLIP_STOPPED) /* the start stays as it was found */
        status = slip_branch_bind(b, point->p, &b->flow, &point->orbit);
    return status;
}

int slip_branch_find(slip_orbit_branch *b, slip_branch_point *point)
{
    SLIP_FREED double *along = NULL;
    bool entered;
    *point = (slip_branch_point){.p = b->options.start};
    b->held = slip_arena_array(&b->arena, slip_held_count(b->simulation->ready->system) + 1, sizeof *b->held);
    SLIP_PASS(b->held ? SLIP_OK : slip_fail_memory(b->ctx));
    SLIP_PASS(slip_branch_bind(b, point->p, NULL, NULL));
    SLIP_PASS(b->options.harmonics > 0 ? search_balance(b, point) : search_orbit(b, point));
    SLIP_PASS(start_early(b, &point->orbit));
    b->earliest = point->orbit.time;
    SLIP_PASS(slip_branch_enter(b, point, &entered));
    along = slip_alloc(point->orbit.count + 2, sizeof(double));
    SLIP_PASS(along ? SLIP_OK : slip_fail_memory(b->ctx));
    along[point->orbit.count + 1] = 1;
    SLIP_PASS(slip_branch_bind(b, point->p, &b->flow, &point->orbit));
    return finish_point(b, point, along);
}

static int copy_orbit(slip_context *ctx, const slip_orbit *from, slip_orbit *to)
{
    const size_t n = (size_t)from->count * sizeof(double);
    *to = (slip_orbit){.own_period = from->own_period,
                       .time = from->time,
                       .period = from->period,
                       .period_rate = from->period_rate};
    const int status = slip_orbit_create(ctx, from->count, from->arcs, to);
    if (status < 0)
        return status;
    memcpy(to->x, from->x, n * (size_t)from->arcs);
    memcpy(to->scale, from->scale, n);
    memcpy(to->phase, from->phase, n);
    memcpy(to->drifts, from->drifts, (size_t)from->count * sizeof *to->drifts);
    return SLIP_OK;
}

/* Puts a point, without a tangent, at a distance from another along a direction. */
static int place_at(slip_orbit_branch *b, const slip_branch_point *from, const double *direction,
                    double distance, slip_branch_point *to)
{
    const int n = from->orbit.count;
    *to = (slip_branch_point){.p = from->p + distance * direction[n + 1] * (b->high - b->low)};
    SLIP_PASS(copy_orbit(b->ctx, &from->orbit, &to->orbit));
    for (int i = 0; i < n; i++)
        to->orbit.x[i] += distance * direction[i] * to->orbit.scale[i];
    if (to->orbit.own_period)
        to->orbit.period *= 1 + distance * direction[n];
    slip_branch_hold(b, from->held);
    return slip_branch_bind(b, to->p, &b->flow, &to->orbit);
}

int slip_branch_miss(slip_orbit_branch *b, const slip_branch_point *from, const double *direction,
                     double distance, slip_branch_point *to, double *miss)
{
    int status = place_at(b, from, direction, distance, to);
    const slip_orbit *orbit = &to->orbit;
    if (status >= 0)
        status = slip_orbit_evaluate(&b->flow, &to->orbit);
    for (int i = 0; i < orbit->count && status == SLIP_OK; i++)
        miss[i] = (orbit->ends[i] - orbit->x[i]) / orbit->scale[i];
    return status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MODEL ? SLIP_STOPPED : status;
}

static int reach_once(slip_orbit_branch *b, const slip_branch_point *from, const double *direction,
                      double distance, const double *across, slip_branch_point *to)
{
    const int n = from->orbit.count;
    slip_orbit_row row = {.p_scale = b->high - b->low, .user = b, .set = slip_branch_bind};
    int status = place_at(b, from, direction, distance, to);
    row.p = to->p;
    row.row = slip_alloc(n + 2, sizeof(double));
    if (!row.row)
        status = slip_fail_memory(b->ctx);
    if (status >= 0) {
        memcpy(row.row, across ? across : direction, (size_t)(n + 2) * sizeof(double));
        status = slip_branch_solve(b, &to->orbit, &row);
    }
    to->p = row.p;
    if (status == SLIP_OK)
        status = finish_point(b, to, direction);
    if (status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MODEL)
        status = SLIP_STOPPED;
    if (status != SLIP_OK)
        slip_branch_point_free(to);
    free(row.row);
    return status;
}

int slip_branch_reach(slip_orbit_branch *b, const slip_branch_point *from, const double *direction,
                      double distance, const double *across, slip_branch_point *to)
{
    b->balance.begun = b->balance.inherited = false;
    int status = reach_once(b, from, direction, distance, across, to);
    if (status == SLIP_STOPPED && b->balance.inherited) {
        b->balance.slopes->known = false; /* again, with new derivatives */
        status = reach_once(b, from, direction, distance, across, to);
    }
    return status;
}

int slip_branch_copy(slip_orbit_branch *b, const slip_branch_point *from, slip_branch_point *to)
{
    int status;
    *to = *from;
    to->signature = NULL;
    to->tangent = NULL;
    to->held = NULL;
    SLIP_TRY(copy_orbit(b->ctx, &from->orbit, &to->orbit));
    to->orbit.stable = from->orbit.stable;
    to->orbit.residual = from->orbit.residual;
    to->signature = strdup(from->signature);
    SLIP_TRY(to->signature ? SLIP_OK : slip_fail_memory(b->ctx));
    SLIP_TRY(make_room(b, to));
    memcpy(to->tangent, from->tangent, (size_t)room_of(b, to) * sizeof(double));
    SLIP_TRY(slip_branch_copy_held(b, from->held, &to->held));
done:
    if (status < 0)
        slip_branch_point_free(to);
    return status;
}

bool slip_branch_same_side(const slip_branch_point *a, const slip_branch_point *b, int test)
{
    const int n = a->orbit.count;
    return test < 0    ? strcmp(a->signature, b->signature) == 0
           : test == 4 ? a->tangent[n + 1] * b->tangent[n + 1] > 0
                       : a->tests[test] == b->tests[test];
}

bool slip_branch_as_good(const slip_orbit_branch *b, const slip_branch_point *a,
                         const slip_branch_point *point)
{
    return b->flow.map || point->orbit.residual <= fmax(1e-12, 10 * a->orbit.residual);
}

void slip_branch_place_free(slip_branch_place *place)
{
    slip_branch_point_free(&place->before);
    slip_branch_point_free(&place->after);
}

/* The middle of the longest interval without events; with `leave`, the interval that contains the start is
 * left out. *nearest: the time between the start and the closest event. */
static double find_middle(const slip_arc_flow *flow, const slip_orbit *orbit, bool leave, double *nearest)
{
    double before = orbit->time, longest = 0, middle = orbit->time + 0.382 * orbit->period;
    *nearest = INFINITY;
    for (int64_t k = 0; k <= flow->event_count; k++) {
        const bool last = k == flow->event_count;
        const double at = last ? orbit->time + orbit->period : flow->events[k].time;
        if (!last)
            *nearest = fmin(*nearest, fmin(at - orbit->time, orbit->time + orbit->period - at));
        if (at - before > longest && !(leave && (k == 0 || last))) {
            longest = at - before;
            middle = 0.5 * (at + before);
        }
        before = at;
    }
    return middle;
}

int slip_branch_leave_start(slip_orbit_branch *b, slip_orbit *orbit, bool leave)
{
    const slip_arc arc = {orbit->ends, orbit->by_state, orbit->rates, orbit->by_start, orbit->by_parameter};
    double nearest;
    const double middle = find_middle(&b->flow, orbit, leave, &nearest);
    if ((!leave && !(nearest < 0.03 * orbit->period)) || orbit->arcs > 1)
        return SLIP_STOPPED;
    const int status = slip_arc_flow_run(&b->flow, orbit->time, orbit->x, middle - orbit->time, &arc);
    if (status == SLIP_OK) {
        memcpy(orbit->x, orbit->ends, (size_t)orbit->count * sizeof(double));
        if (!b->plan.own_period) /* as early as may be, see start_early */
            orbit->time = middle - floor((middle - b->earliest) / orbit->period) * orbit->period;
    }
    return status == SLIP_ERROR_SOLVER ? SLIP_STOPPED : status;
}

int slip_branch_move_start(slip_orbit_branch *b, slip_branch_point *point, bool leave)
{
    const int n = point->orbit.count;
    double *along = NULL;
    int status = slip_branch_leave_start(b, &point->orbit, leave);
    if (status != SLIP_OK)
        return status == SLIP_STOPPED && !leave ? SLIP_OK : status;
    along = slip_alloc(n + 2, sizeof(double));
    SLIP_TRY(along ? SLIP_OK : slip_fail_memory(b->ctx));
    along[n + 1] = point->tangent[n + 1] < 0 ? -1 : 1; /* the direction that it had */
    free(point->signature);
    free(point->tangent);
    free(point->held);
    point->signature = NULL;
    point->tangent = NULL;
    point->held = NULL;
    point->landings = 0;
    status = finish_point(b, point, along);
done:
    free(along);
    return status == SLIP_ERROR_SOLVER ? SLIP_STOPPED : status;
}

double slip_branch_distance(const slip_orbit_branch *b, const slip_branch_point *a,
                            const slip_branch_point *c)
{
    const double p = (c->p - a->p) / (b->high - b->low), t = log(c->orbit.period / a->orbit.period);
    double sum = p * p + (a->orbit.own_period ? t * t : 0);
    for (int i = 0; i < a->orbit.count; i++) {
        const double d = (c->orbit.x[i] - a->orbit.x[i]) / a->orbit.scale[i];
        sum += d * d;
    }
    return sqrt(sum);
}
