/* The course of a simulation: how it advances to a time or to where a condition passes zero. */
#include "simulation/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct slip_course course;

/* ---- Conditions. */

/* The symbols of the system, followed by the series of its structure. */
const slip_symbol *slip_course_symbols(slip_simulation *s, slip_arena *arena, int *slots)
{
    const slip_system *system = s->ready->system;
    const int first = 1 + 2 * system->n;
    const slip_symbol *given =
        slip_system_symbols(arena, system->n, system->state_count, (const char *const *)system->names,
                            s->ready->parameters, &s->ready->inputs);
    int count = 0;
    *slots = first + system->series_count;
    while (given && given[count].name)
        count++;
    slip_symbol *all = slip_arena_array(arena, count + system->series_count + 1, sizeof *all);
    if (!given || !all)
        return NULL;
    memcpy(all, given, (size_t)count * sizeof *all);
    for (int k = 0; k < system->series_count; k++)
        all[count + k] = (slip_symbol){.name = system->series[k].name, .slot = first + k};
    return all;
}

static void fill_slots(int n, double t, const double *q, const double *v, double *slots)
{
    slots[0] = t;
    memcpy(slots + 1, q, (size_t)n * sizeof(double));
    memcpy(slots + 1 + n, v, (size_t)n * sizeof(double));
}

int slip_course_fill(slip_simulation *s, double *slots)
{
    course *l = s->course;
    const slip_system *system = s->ready->system;
    int status = SLIP_OK;
    fill_slots(system->n, s->t, l->q, l->v, slots);
    if (system->series_count > 0 && l->sampled_at != s->t)
        SLIP_PASS(status = slip_motion_look(l->method, &l->sample));
    l->sampled_at = system->series_count > 0 ? s->t : l->sampled_at;
    for (int k = 0; k < system->series_count; k++)
        slots[1 + 2 * system->n + k] = l->sample.own[k];
    return status;
}

/* ---- Advancing. */

void slip_simulation_follow(slip_simulation *s, struct slip_tangent *tangent)
{
    course *l = s->course;
    l->tangent = tangent;
    l->reopen = true;
    l->sampled_at = NAN;
}

/* What the observer of an advance needs. */
typedef struct observation {
    slip_simulation *s;
    double end;
    slip_watch *watch;  /* NULL: none */
    slip_keeper before; /* copy of the method's own state before the step, if there is a watch */
    double low;         /* its time */
} observation;

static double condition_at(const observation *o, double t, const double *q, const double *v)
{
    fill_slots(o->s->ready->system->n, t, q, v, o->watch->slots);
    return slip_watch_value(o->watch);
}

static double condition_inside(const observation *o, const slip_step *step, double t)
{
    slip_sample *at = &o->s->course->sample;
    step->state(step->self, t, at->q, at->v);
    return condition_at(o, t, at->q, at->v);
}

/* Finds the time at which the condition passes zero, by bisection to the last bit. */
static double locate(const observation *o, const slip_step *step, double low, double high)
{
    for (;;) {
        const double middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high))
            return high;
        if (condition_inside(o, step, middle) * o->watch->before > 0)
            low = middle;
        else
            high = middle;
    }
}

/* Evaluates the condition at several times of the step, so that two zeros in one step are usually found. */
static bool passes(const observation *o, const slip_step *step)
{
    enum { parts = 8 };
    double low = step->t0;
    for (int k = 1; k <= parts; k++) {
        const double t = k == parts ? step->t1 : step->t0 + (step->t1 - step->t0) * k / parts;
        const double now = k == parts ? condition_at(o, t, step->q1, step->v1) : condition_inside(o, step, t);
        if (slip_watch_passes(o->watch, now)) {
            o->watch->found = locate(o, step, low, t);
            return true;
        }
        low = t;
    }
    return false;
}

/* Takes the simulation back to the start of the step in which the condition is met. */
static int take_back(slip_simulation *s, const slip_step *step)
{
    course *l = s->course;
    const size_t size = (size_t)slip_system_size(s->ready->system) * sizeof(double);
    step->sample(step->self, step->t0, &l->sample);
    s->t = step->t0;
    memcpy(l->q, step->q0, size);
    memcpy(l->v, step->v0, size);
    for (int c = 0; c < (int)s->ready->system->contact_count; c++) {
        l->memory.modes[c] = (slip_mode)l->sample.mode[c];
        l->memory.known[c] = true;
        l->memory.gaps[c] = NAN;
    }
    l->reopen = true;
    return SLIP_STOPPED;
}

/* ---- The same for methods that keep their own state, which is not available inside a step. */

/* Into the copy, or back. */
static int keep_before(observation *o, bool back)
{
    course *l = o->s->course;
    o->before.back = back;
    o->before.at = 0;
    l->sampled_at = NAN;
    slip_motion_keep(l->method, &o->before);
    return o->before.status;
}

/* Whether the condition passes zero in the step that ends here; else the next one begins here. */
static int watch_end(observation *o, double t)
{
    o->s->t = t;
    o->s->course->sampled_at = NAN;
    SLIP_PASS(slip_course_fill(o->s, o->watch->slots));
    if (slip_watch_passes(o->watch, slip_watch_value(o->watch))) {
        o->watch->found = t;
        return SLIP_STOPPED;
    }
    o->low = t;
    return keep_before(o, false);
}

/* Finds the zero of the condition in the step by bisection, each time with steps of the method from the start
 * of the step, and advances to it. */
static int locate_by_steps(observation *o)
{
    static const slip_observer nobody = {0};
    course *l = o->s->course;
    slip_watch *w = o->watch;
    const double resolution = 1e-9 * (w->found - o->low);
    double low = o->low;
    while (w->found - low > resolution && low + (w->found - low) / 2 > low) {
        const double middle = low + (w->found - low) / 2;
        SLIP_PASS(keep_before(o, true));
        SLIP_PASS(slip_motion_advance(l->method, middle, &nobody));
        o->s->t = middle;
        SLIP_PASS(slip_course_fill(o->s, w->slots));
        *(slip_watch_value(w) * w->before > 0 ? &low : &w->found) = middle;
    }
    return keep_before(o, true);
}

static int see_arrival(void *user, double t)
{
    observation *o = user;
    const slip_run_options *v = &o->s->course->settings.values;
    const int status = o->watch ? watch_end(o, t) : SLIP_OK;
    if (status != SLIP_OK)
        return status;
    return v->step_observer && v->step_observer(v->observer_user, t, NULL, NULL) != 0 ? SLIP_STOPPED
                                                                                      : SLIP_OK;
}

static int see_step(void *user, const slip_step *step)
{
    const observation *o = user;
    course *l = o->s->course;
    const slip_run_options *v = &l->settings.values;
    const bool found = o->watch && passes(o, step);
    if (found && o->watch->found < step->t1)
        return take_back(o->s, step);
    if (step->t1 >= o->end || found) {
        step->sample(step->self, step->t1, &l->sample);
        l->sampled_at = step->t1;
    }
    if (v->step_observer && v->step_observer(v->observer_user, step->t1, step->q1, step->v1) != 0)
        return SLIP_STOPPED;
    return found ? SLIP_STOPPED : SLIP_OK;
}

static int see_event(void *user, const slip_event *event)
{
    const observation *o = user;
    const slip_run_options *v = &o->s->course->settings.values;
    return v->event_observer && v->event_observer(v->observer_user, event) != 0 ? SLIP_STOPPED : SLIP_OK;
}

/* Copies the present state of the method. */
static void see_state(slip_simulation *s)
{
    course *l = s->course;
    slip_motion_state(l->method, &s->t, l->q, l->v);
    slip_motion_remember(l->method, &l->memory);
}

int slip_simulation_observe(slip_simulation *s, double end, const slip_observer *observer)
{
    course *l = s->course;
    SLIP_PASS(slip_course_make_ready(s));
    int status = slip_motion_advance(l->method, end, observer);
    l->forget = false;
    if (!l->reopen) /* else it was taken back */
        see_state(s);
    return status;
}

int slip_course_advance(slip_simulation *s, double end, slip_watch *watch)
{
    course *l = s->course;
    observation to = {.s = s, .end = end, .watch = watch, .before = {.ctx = s->ctx}};
    const slip_observer observer = {.user = &to,
                                    .step = slip_course_keeps(l) ? NULL : see_step,
                                    .event = see_event,
                                    .arrived = see_arrival,
                                    .arrived_user = &to};
    bool again = false;
    int status = SLIP_OK;
    if (slip_course_keeps(l) && watch) {
        to.low = s->t;
        SLIP_TRY(keep_before(&to, false));
    }
    l->sampled_at = slip_course_keeps(l) ? NAN : l->sampled_at;
    status = slip_simulation_observe(s, end, &observer);
    again = status >= 0 && l->reopen;
    if (status == SLIP_STOPPED && slip_course_keeps(l) && watch && !isnan(watch->found)) {
        SLIP_TRY(locate_by_steps(&to));
        again = true;
    }
    if (again) {
        status = slip_course_advance(s, watch->found, NULL);
        status = status == SLIP_OK ? SLIP_STOPPED : status;
    }
done:
    free(to.before.bytes);
    return status;
}
