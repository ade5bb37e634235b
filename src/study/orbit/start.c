/* The start of the search for a periodic motion: the end of a run, and its first return close to that
 * state. */
#include "study/orbit/orbit.h"

#include "model/study.h"
#include "study/returns.h"

#include <math.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_orbit_options, .guess = NAN, .tolerance = NAN)

int slip_orbit_plan_make(slip_context *ctx, const slip_model *model, const slip_orbit_options *given,
                         slip_orbit_plan *plan)
{
    const slip_orbit_options *own = slip_model_section(model, &slip_study_orbit);
    slip_orbit_options *o = &plan->options;
    *plan = (slip_orbit_plan){.options = *given, .period = NAN};
    o->period = o->period ? o->period : own->period;
    o->multiple = o->multiple > 0 ? o->multiple : own->multiple > 0 ? own->multiple : 1;
    o->guess = !isnan(o->guess) ? o->guess : own->guess;
    o->from = o->from ? o->from : own->from ? own->from : "run";
    o->arcs = o->arcs > 0 ? o->arcs : own->arcs > 0 ? own->arcs : -1;
    o->tolerance = !isnan(o->tolerance) ? o->tolerance : own->tolerance;
    SLIP_PASS(slip_fields_check(ctx, &slip_study_orbit.fields, o));
    if (strcmp(o->from, "run") != 0 && strcmp(o->from, "initial") != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "orbit.from: found `%.60s`, expected run or initial",
                         o->from);
    plan->own_period = o->period && strcmp(o->period, "auto") == 0;
    if (!plan->own_period)
        SLIP_PASS(slip_section_period(ctx, model, "orbit", o->period, &plan->period));
    plan->own_period = isnan(plan->period);
    plan->period *= o->multiple;
    return SLIP_OK;
}

/* ---- The motion from the start on. */

typedef struct look {
    int n, coordinates, count;
    bool started;
    double *start, *rates, *low, *high, *now, *apart; /* numbers of states; the last two on the way */
    const slip_symmetry *symmetry;
    const double *scale; /* NULL: returns are not looked for */
    slip_passage passage;
    double began; /* time at the start */
    double best, distance;
} look;

static void take(const look *l, const double *q, const double *v, double *x)
{
    memcpy(x, q, (size_t)l->coordinates * sizeof(double));
    memcpy(x + l->coordinates, v, (size_t)l->n * sizeof(double));
}

/* Sets l->apart to the difference of l->now from the start, up to symmetries of the system. */
static void set_apart(const look *l)
{
    for (int i = 0; i < l->count; i++)
        l->apart[i] = l->now[i] - l->start[i];
    slip_symmetry_reduce(l->symmetry, l->apart);
}

/* Distance of a state from the start along the rates at the start. */
static double place_of(void *user, const double *q, const double *v)
{
    const look *l = user;
    double sum = 0;
    take(l, q, v, l->now);
    set_apart(l);
    for (int i = 0; i < l->count; i++)
        sum -= l->rates[i] / l->scale[i] * l->apart[i] / l->scale[i];
    return sum;
}

/* Called where the motion passes the start: compares its distance with the least one so far. */
static int pass_start(void *user, const slip_step *step, double t)
{
    look *l = user;
    double far = 0;
    step->state(step->self, t, l->passage.q, l->passage.v);
    take(l, l->passage.q, l->passage.v, l->now);
    set_apart(l);
    for (int i = 0; i < l->count; i++)
        far = fmax(far, fabs(l->apart[i]) / l->scale[i]);
    if (far < l->distance) {
        l->distance = far;
        l->best = t - l->began;
    }
    return far < 0.02 ? SLIP_STOPPED : SLIP_OK;
}

static int see_step(void *user, const slip_step *step)
{
    look *l = user;
    if (!l->started) {
        l->started = true;
        l->began = step->t0;
        take(l, step->q0, step->v0, l->start);
        take(l, step->v0, step->a0, l->rates);
        slip_symmetry_wrap(l->symmetry, l->start);
        slip_symmetry_hold(l->symmetry, l->rates);
    }
    for (int end = 0; end < 2; end++) {
        take(l, end ? step->q1 : step->q0, end ? step->v1 : step->v0, l->now);
        set_apart(l);
        for (int i = 0; i < l->count; i++) {
            const bool held = i < l->coordinates && l->symmetry->held[i];
            const double place = l->symmetry->count == 0 ? l->now[i] : l->apart[i] + (held ? 0 : l->start[i]);
            l->low[i] = fmin(l->low[i], place);
            l->high[i] = fmax(l->high[i], place);
        }
    }
    return l->scale ? slip_passage_see(&l->passage, step, 0) : SLIP_OK;
}

static int see_nothing(void *user, const slip_event *event)
{
    (void)user;
    (void)event;
    return SLIP_OK;
}

/* Runs from the present state of the simulation, which is restored afterwards. */
static int watch(slip_context *ctx, slip_simulation *s, look *l, double time)
{
    const slip_observer observer = {.user = l, .step = see_step, .event = see_nothing};
    SLIP_FREED_BY(slip_saved_state_drop) slip_saved_state *saved = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_simulation_save(ctx, s, &saved));
    status = slip_simulation_observe(s, slip_simulation_time(s) + time, &observer);
    if (status >= 0) {
        const int restored = slip_simulation_restore(ctx, s, saved);
        status = restored < 0 ? restored : status;
    }
    return status;
}

/* Sizes of the motion over a time: how far each number moves, and at least a thousandth of the largest of its
 * kind. In an equilibrium: a part of the size of the coordinates, and of the velocities that would reach it
 * in this time. */
static void set_scale(const look *l, double time, double *scale)
{
    const double least = 1e-4;
    double standing = 0;
    for (int kind = 0; kind < 2; kind++) {
        const int first = kind ? l->coordinates : 0, last = kind ? l->count : l->coordinates;
        double most = 0, size = standing / time;
        for (int i = first; i < last; i++) {
            most = fmax(most, l->high[i] - l->low[i]);
            size = fmax(size, least * fmax(fabs(l->low[i]), fabs(l->high[i])));
        }
        standing = size;
        most = fmax(1e-3 * most, size);
        for (int i = first; i < last; i++)
            scale[i] = fmax(l->high[i] - l->low[i], most > 0 ? most : 1);
    }
}

static int make_look(slip_context *ctx, const slip_system *system, const slip_symmetry *symmetry,
                     slip_arena *arena, look *l)
{
    *l = (look){.n = system->n,
                .coordinates = slip_system_coordinates(system),
                .symmetry = symmetry,
                .distance = INFINITY};
    l->count = l->coordinates + l->n;
    double *room = slip_arena_array(arena, 6 * (int64_t)l->count + 2 * l->n + 1, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, room != NULL));
    l->start = room;
    l->rates = room + l->count;
    l->low = room + 2 * l->count;
    l->high = room + 3 * l->count;
    l->now = room + 4 * l->count;
    l->apart = room + 5 * l->count;
    double *q = room + 6 * l->count;
    l->passage =
        (slip_passage){.user = l, .value = place_of, .pass = pass_start, .side = -1, .q = q, .v = q + l->n};
    for (int i = 0; i < l->count; i++) {
        l->low[i] = INFINITY;
        l->high[i] = -INFINITY;
    }
    return SLIP_OK;
}

/* ---- The start. */

/* The time span of the run before the search; NAN: not given. */
static double span_of(const slip_simulation *s)
{
    const slip_run_options *v = &slip_simulation_settings(s)->values;
    return v->end - v->start;
}

static int approach(slip_context *ctx, slip_simulation *s, const slip_orbit_plan *plan)
{
    const double start = slip_simulation_time(s), span = span_of(s);
    if (strcmp(plan->options.from, "initial") == 0 || !(span > 0))
        return SLIP_OK;
    const double time = plan->own_period ? span : plan->period * floor(span / plan->period * (1 + 1e-12));
    return time > 0 ? slip_simulation_advance(ctx, s, start + time) : SLIP_OK;
}

static int find_return(slip_context *ctx, slip_simulation *s, const slip_orbit_plan *plan, double time,
                       const slip_orbit *orbit, const slip_symmetry *symmetry, slip_arena *arena,
                       double *period)
{
    look l;
    int status = SLIP_OK;
    SLIP_PASS(status = make_look(ctx, s->ready->system, symmetry, arena, &l));
    l.scale = orbit->scale;
    SLIP_PASS(status = watch(ctx, s, &l, time));
    status = SLIP_OK;
    *period = !isnan(plan->options.guess) ? plan->options.guess : l.best;
    if (isnan(plan->options.guess) && !(l.distance < 0.5))
        return slip_fail(
            ctx, SLIP_ERROR_SOLVER,
            "orbit: the motion does not come back within a time of %.6g to where it was at t = %.9g; give a "
            "longer simulate.time, or orbit.guess, its period",
            time, slip_simulation_time(s));
    return status;
}

int slip_orbit_start(slip_context *ctx, slip_simulation *s, const slip_orbit_plan *plan, slip_orbit *orbit)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    SLIP_FREED_BY(slip_symmetry_drop) slip_symmetry *symmetry = NULL;
    look l;
    double window = plan->period;
    int status = SLIP_OK;
    SLIP_PASS(status = slip_symmetry_create(ctx, s->ready->system, &symmetry));
    SLIP_PASS(status = approach(ctx, s, plan));
    if (plan->own_period) {
        window = !isnan(plan->options.guess) ? 1.5 * plan->options.guess : span_of(s);
        if (!(window > 0))
            return slip_fail(ctx, SLIP_ERROR_USAGE,
                             "orbit: found neither simulate.time nor orbit.guess, expected one of them to "
                             "find the period");
    }
    SLIP_PASS(status = make_look(ctx, s->ready->system, symmetry, &arena, &l));
    SLIP_PASS(status = watch(ctx, s, &l, window));
    SLIP_PASS(status = slip_orbit_create(ctx, l.count, 1, orbit));
    orbit->own_period = plan->own_period;
    orbit->time = slip_simulation_time(s);
    orbit->period = plan->period;
    memcpy(orbit->x, l.start, (size_t)l.count * sizeof(double));
    memcpy(orbit->phase, l.rates, (size_t)l.count * sizeof(double));
    set_scale(&l, window, orbit->scale);
    if (plan->own_period) {
        double fastest = 0;
        for (int i = 0; i < l.count; i++)
            fastest = fmax(fastest, l.high[i] - l.low[i] - 1e-9 * fabs(l.high[i]));
        if (!(fastest > 0)) {
            status =
                slip_fail(ctx, SLIP_ERROR_SOLVER,
                          "orbit: at t = %.9g nothing moves any more; start from another state", orbit->time);
            return status;
        }
        SLIP_PASS(status = find_return(ctx, s, plan, window, orbit, symmetry, &arena, &orbit->period));
    }
    return status;
}
