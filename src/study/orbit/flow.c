/* Arcs of motion with their derivatives. */
#include "method/motion.h"
#include "method/types.h"
#include "study/orbit/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { held_instants = 6 }; /* of which `held` has values: three of a step, three about an extremum */

int slip_arc_flow_open_plain(slip_context *ctx, const slip_system *system, const slip_settings *settings,
                             double tolerance, slip_arc_flow *flow)
{
    const int64_t n = system->n, contacts = system->contact_count;
    *flow = (slip_arc_flow){.ctx = ctx, .system = system, .harmonics = 1};
    flow->count = 2 * slip_system_coordinates(system) + system->state_count;
    flow->options = (slip_method_options){
        .tolerance = tolerance, .segments = settings->values.segments, .step = NAN, .theta = NAN};
    flow->q = slip_arena_array(&flow->arena, 2 * n + 1, sizeof(double));
    flow->held = slip_arena_array(
        &flow->arena, 2 * held_instants * (int64_t)slip_arc_flow_held(flow) + contacts + 1, sizeof(double));
    flow->slots = slip_arena_array(&flow->arena, slip_held_room(system), sizeof(double));
    flow->samples = slip_arena_array(&flow->arena, slip_arc_flow_sample_room(flow) + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, flow->q && flow->samples && flow->held && flow->slots &&
                                      slip_method_memory_make(&flow->arena, contacts, &flow->end) &&
                                      slip_method_memory_make(&flow->arena, contacts, &flow->between)));
    flow->v = flow->q + n;
    flow->shown = slip_motion_shows(system);
    return slip_symmetry_create(ctx, system, &flow->symmetry);
}

int slip_arc_flow_open(slip_context *ctx, const slip_system *system, const slip_settings *settings,
                       double tolerance, const slip_tangent_parameter *near, slip_arc_flow *flow)
{
    SLIP_PASS(slip_arc_flow_open_plain(ctx, system, settings, tolerance, flow));
    flow->has_parameter = near != NULL;
    if (near)
        flow->parameter = *near;
    SLIP_PASS(slip_given_tangent_create(ctx, system, near ? 1 : 0, &flow->parameter, &flow->tangent));
    flow->options.tangent = slip_given_tangent_inside(flow->tangent);
    return SLIP_OK;
}

static void close_method(slip_arc_flow *flow)
{
    if (flow->method)
        slip_method_event.close(flow->method);
    flow->method = NULL;
}

void slip_arc_flow_close(slip_arc_flow *flow)
{
    close_method(flow);
    slip_given_tangent_destroy(flow->tangent);
    slip_symmetry_destroy(flow->symmetry);
    slip_arena_free(&flow->arena);
    free(flow->events);
    *flow = (slip_arc_flow){0};
}

void slip_arc_flow_forget(slip_arc_flow *flow)
{
    flow->event_count = 0;
    flow->graze = 1;
    for (int i = 0; i < slip_system_coordinates(flow->system) && flow->low; i++) {
        flow->low[i] = INFINITY;
        flow->high[i] = -INFINITY;
    }
    for (int i = 0; i < slip_arc_flow_held(flow) && flow->ranges; i++) {
        double *range = flow->ranges + (int64_t)slip_held_numbers * i;
        range[slip_held_low] = INFINITY;
        range[slip_held_high] = -INFINITY;
        range[slip_held_limit] = 0;
    }
    if (flow->fourier)
        memset(flow->fourier, 0, (size_t)slip_arc_flow_integrals(flow) * sizeof(double));
}

static int see_event(void *user, const slip_event *event)
{
    slip_arc_flow *flow = user;
    SLIP_PASS(
        slip_allocated(flow->ctx, SLIP_ROOM(flow->events, flow->event_capacity, flow->event_count + 1)));
    flow->events[flow->event_count++] = *event;
    return SLIP_OK;
}

static int read_derivatives(slip_arc_flow *flow, const slip_arc *to)
{
    if (!slip_given_tangent_read(flow->tangent, flow->system, flow->count, flow->has_parameter,
                                 &(slip_state_derivatives){.by_state = to->by_state,
                                                           .by_start = to->by_start,
                                                           .by_end = to->rates,
                                                           .by_parameter = to->by_parameter}))
        return slip_fail(flow->ctx, SLIP_ERROR_SOLVER, "a derivative of the motion is not finite: it grazes");
    flow->graze = fmin(flow->graze, slip_tangent_graze(flow->options.tangent));
    return SLIP_OK;
}

static void widen(slip_arc_flow *flow, const double *q)
{
    for (int i = 0; i < slip_system_coordinates(flow->system); i++) {
        flow->low[i] = fmin(flow->low[i], q[i]);
        flow->high[i] = fmax(flow->high[i], q[i]);
    }
}

/* Of every contact and slider force + limit and force - limit at an instant of the step. */
static void take_held(slip_arc_flow *flow, const slip_step *step, double t, double *to)
{
    const slip_system *system = flow->system;
    const int contacts = (int)system->contact_count;
    double *normal = flow->held + (int64_t)2 * held_instants * slip_arc_flow_held(flow);
    step->sample(step->self, fmin(fmax(t, step->t0), step->t1),
                 &(slip_sample){.q = flow->q, .v = flow->v, .force = to, .normal = normal});
    for (int i = slip_arc_flow_held(flow) - 1; i >= 0; i--) {
        const slip_contact *contact = i < contacts ? &system->contacts[i] : NULL;
        const slip_slider *slider = contact ? NULL : &system->sliders[i - contacts];
        /* limits that vary with the motion are not covered here */
        const double own = slip_held_limit_of(system, flow->raised, i),
                     limit = !contact                      ? own
                             : contact->varying_count == 0 ? normal[i] * own
                                                           : 0,
                     value = contact ? to[i] : flow->v[slider->state];
        double *range = flow->ranges + (int64_t)slip_held_numbers * i;
        range[slip_held_limit] = fmax(range[slip_held_limit], limit > 0 ? limit : fabs(value));
        to[2 * i] = value + limit;
        to[2 * i + 1] = value - limit;
    }
}

/* Number k of a list of pairs: the first of a pair has a least value, the second a largest. */
static void widen_range(slip_arc_flow *flow, int k, double value)
{
    double *to =
        flow->ranges + (int64_t)slip_held_numbers * (k / 2) + (k % 2 ? slip_held_high : slip_held_low);
    *to = k % 2 ? fmax(*to, value) : fmin(*to, value);
}

/* Whether the value widens the range by more than rounding. */
static bool widens(const slip_arc_flow *flow, int k, double value)
{
    const double *range = flow->ranges + (int64_t)slip_held_numbers * (k / 2);
    return (k % 2 ? value - range[slip_held_high] : range[slip_held_low] - value) >
           1e-14 * range[slip_held_limit];
}

/* Where the parabola through three values, a step apart, has its extremum, in steps from the middle one, and
 * its value there. */
static double extremum(double a, double b, double c, double *value)
{
    const double bend = a - 2 * b + c;
    *value = bend != 0 ? b - (c - a) * (c - a) / (8 * bend) : b;
    return bend != 0 ? (a - c) / (2 * bend) : INFINITY;
}

/* An extremum of number k close to t: by a parabola through instants close to it. */
static void look_closely(slip_arc_flow *flow, const slip_step *step, double t, double apart, int k)
{
    const int64_t size = 2 * (int64_t)slip_arc_flow_held(flow);
    double *close = flow->held + 3 * size, value;
    const double middle = fmin(fmax(t, step->t0 + apart), step->t1 - apart);
    for (int j = 0; j < 3; j++)
        take_held(flow, step, middle + (j - 1) * apart, close + j * size);
    for (int j = 0; j < 3; j++)
        widen_range(flow, k, close[j * size + k]);
    if (fabs(extremum(close[k], close[size + k], close[2 * size + k], &value)) <= 1)
        widen_range(flow, k, value);
}

/* Ranges of forces and deflections: at instants of the step, and of parabolas through three of them. */
static void see_held(slip_arc_flow *flow, const slip_step *step)
{
    const int size = 2 * slip_arc_flow_held(flow),
              pieces = 2 + (int)(96 * (step->t1 - step->t0) / flow->options.span);
    const double apart = (step->t1 - step->t0) / pieces;
    for (int k = 0; k <= pieces; k++) {
        double *now = flow->held + (int64_t)(k % 3) * size, value;
        const double *a = flow->held + (int64_t)((k + 1) % 3) * size,
                     *b = flow->held + (int64_t)((k + 2) % 3) * size;
        take_held(flow, step, step->t0 + apart * k, now);
        for (int i = 0; i < size; i++)
            widen_range(flow, i, now[i]);
        for (int i = 0; i < size && k >= 2; i++) {
            const double at = extremum(a[i], b[i], now[i], &value);
            if (at >= (k == 2 ? -1 : -0.5) && at <= (k == pieces ? 1 : 0.5) && widens(flow, i, value))
                look_closely(flow, step, step->t0 + apart * (k - 1 + at), apart / 16, i);
        }
    }
}

/* Extrema of the coordinates: the ends of steps, and where a velocity changes its sign inside. */
static int see_step(void *user, const slip_step *step)
{
    slip_arc_flow *flow = user;
    if (flow->fourier)
        slip_arc_flow_integrate(flow, step);
    if (flow->ranges)
        see_held(flow, step);
    widen(flow, step->q0);
    widen(flow, step->q1);
    for (int i = 0; i < slip_system_coordinates(flow->system); i++) {
        double low = step->t0, high = step->t1;
        if (!(step->v0[i] * step->v1[i] < 0))
            continue;
        for (int k = 0; k < 45; k++) {
            const double middle = 0.5 * (low + high);
            step->state(step->self, middle, flow->q, flow->v);
            *(flow->v[i] * step->v0[i] > 0 ? &low : &high) = middle;
        }
        widen(flow, flow->q);
    }
    return SLIP_OK;
}

/* Runs an arc of a system in which some coordinates have no mass, or with compliant contacts. */
static int run_given(slip_arc_flow *flow, double t, double length, const slip_observer *observer,
                     const slip_arc *to)
{
    SLIP_FREED_BY(slip_motion_drop) slip_motion *motion = NULL;
    double now;
    if (flow->system->massless)
        slip_given_tangent_start(flow->tangent, t, flow->q, flow->v);
    slip_method_options options = flow->options;
    options.memory = flow->from;
    SLIP_PASS(slip_motion_open(flow->ctx, &slip_method_event, flow->system, &options, t, flow->q, flow->v,
                               &motion));
    SLIP_PASS(slip_motion_advance(motion, t + length, observer));
    if (flow->tangent)
        SLIP_PASS(read_derivatives(flow, to));
    slip_motion_remember(motion, &flow->end);
    slip_motion_tell_modes(motion, flow->end.modes);
    if (flow->system->massless)
        slip_given_tangent_state(flow->tangent, flow->q, flow->v);
    else
        slip_motion_state(motion, &now, flow->q, flow->v);
    return SLIP_OK;
}

/* The same where all coordinates have mass. The method stays open for the next arc. */
static int run_moving(slip_arc_flow *flow, double t, double length, const slip_observer *observer,
                      const slip_arc *to)
{
    const slip_method_type *type = &slip_method_event;
    double now;
    int status;
    slip_method_options options = flow->options;
    options.memory = flow->from;
    SLIP_TRY(flow->method
                 ? type->restart(flow->method, length, flow->from, t, flow->q, flow->v)
                 : type->open(flow->ctx, flow->system, &options, t, flow->q, flow->v, &flow->method));
    SLIP_TRY(type->advance(flow->method, t + length, observer));
    if (flow->tangent)
        SLIP_TRY(read_derivatives(flow, to));
    type->state(flow->method, &now, flow->q, flow->v);
    type->remember(flow->method, &flow->end);
done:
    if (status < 0)
        close_method(flow);
    return status;
}

int slip_arc_flow_run(slip_arc_flow *flow, double t, const double *x, double length, const slip_arc *to)
{
    const slip_observer observer = {.user = flow, .event = see_event, .step = flow->low ? see_step : NULL};
    if (flow->map)
        return flow->map(flow->map_user, flow, t, x, length, to);
    memset(flow->q, 0, 2 * (size_t)flow->system->n * sizeof(double));
    for (int i = 0; i < flow->count; i++)
        flow->q[slip_state_place(flow->system, i)] = x[i];
    if (flow->raised)
        slip_held_stop(flow->system, flow->raised, t, flow->v, flow->slots);
    flow->options.span = length;
    const int status = (flow->shown ? run_given : run_moving)(flow, t, length, &observer, to);
    for (int i = 0; i < flow->count && status == SLIP_OK; i++)
        to->end[i] = flow->q[slip_state_place(flow->system, i)];
    return status;
}
