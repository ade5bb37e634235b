/* Follows the motion from one start until its attractor is known.
 *
 * Marks are instants at which the motion can be compared with itself: the ends of the periods of the load or,
 * where nothing changes with time, the maxima of a coordinate: its velocity passes zero from above, also by a
 * jump. The states at the marks follow a return map, and the judge of steady motions (settling.h) says when
 * they repeat, after how many marks, to within the tolerance. Then the motion is followed for one period
 * more, in which it has to repeat (a chaotic motion can stay close to an unstable cycle for some periods).
 * The contact modes and events of that period are its signature. A period in which nothing moves is a state
 * of rest.
 *
 * The coordinate is the first one that moves and whose maxima recur. Where no marks come, since the
 * coordinate has come to rest or turns one way, the next coordinate is tried, and after all of them the
 * angles that turn (system/symmetry.h), whose marks are quarter turns. If a coordinate of lower number moves
 * in the last period, it is taken instead. So all starts that lead to one motion end with the same
 * coordinate.
 *
 * A motion that creeps to rest passes no mark. Where nothing changes with time, states at equal distances are
 * judged too; whenever there are 64 of them every second one is kept, so that their distance grows with the
 * time that the motion takes. A system that stands still exactly, as in stick, is at rest. */
#include "study/basin/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { samples_kept = 64, samples_judged = 40, sections_of_samples = 8, first_look = 8 };

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Numbers that decay to zero are compared with a thousandth of their former size. */
static void set_scales(const slip_basin_motion *w, slip_settling *s, bool at_rest)
{
    const double absolute = slip_simulation_resolution(w->simulation);
    const slip_settling_sizes sizes = {.width = w->m,
                                       .now = at_rest ? w->now : w->size,
                                       .before = at_rest ? NULL : w->before,
                                       .largest = w->largest,
                                       .share = 1e-3,
                                       .error = 2 * absolute};
    s->noise = larger(1e-15, 0.01 * absolute);
    slip_settling_compare(s, &sizes, w->how->options.tolerance);
}

/* Sets w->now to the state, less turns and drifts, so that states equal up to a symmetry are equal. */
static void set_now(slip_basin_motion *w, const double *q, const double *v)
{
    memcpy(w->now, q, (size_t)w->coordinates * sizeof(double));
    slip_symmetry_reduce(w->symmetry, w->now);
    memcpy(w->now + w->coordinates, v, (size_t)w->n * sizeof(double));
}

static void set_inside(slip_basin_motion *w, const slip_step *step, double t)
{
    step->state(step->self, larger(t, step->t0), w->q, w->v);
    set_now(w, w->q, w->v);
}

/* Updates the largest values with w->now. For angles and drifts, ranges are measured from the first mark. */
static void note_sizes(slip_basin_motion *w)
{
    for (int i = 0; i < w->m; i++) {
        w->size[i] = larger(w->size[i], fabs(w->now[i]));
        w->largest[i] = larger(w->largest[i], w->size[i]);
        w->apart[i] = w->now[i] - w->states[i];
    }
    if (w->multiple == 0)
        return;
    slip_symmetry_wrap(w->symmetry, w->apart);
    for (int i = 0; i < w->m; i++) {
        w->low[i] = fmin(w->low[i], w->states[i] + w->apart[i]);
        w->high[i] = fmax(w->high[i], w->states[i] + w->apart[i]);
    }
}

static void take_modes(slip_basin_motion *w, const slip_step *step, double t)
{
    slip_sample sample = {.mode = w->modes + w->passed * w->contacts};
    if (w->contacts > 0)
        step->sample(step->self, t, &sample);
    w->want_modes = false;
}

static void keep_state(const slip_basin_motion *w, slip_settling *s)
{
    memcpy(slip_settling_next(s), w->now, (size_t)w->m * sizeof(double));
    slip_settling_keep(s);
}

/* ---- Marks. */

static void begin_period(slip_basin_motion *w, double t, int multiple)
{
    w->multiple = multiple;
    w->from = t;
    w->time = t - w->start;
    w->want_modes = true;
    memcpy(w->states, w->now, (size_t)w->m * sizeof(double));
    for (int i = 0; i < w->m; i++)
        w->low[i] = w->high[i] = w->now[i];
}

/* In the last period nothing has moved. */
static bool stood_still(const slip_basin_motion *w)
{
    const double share = isnan(w->period) ? slip_basin_close * w->how->options.tolerance : 1e-9;
    bool still = w->event_count == 0;
    for (int i = 0; i < w->m && still; i++)
        still = w->high[i] - w->low[i] <= share * w->marks.scale[i];
    for (int i = 0; i < w->coordinates && still; i++) {
        const double low = slip_symmetry_relative(w->symmetry, w->low + w->coordinates, i),
                     high = slip_symmetry_relative(w->symmetry, w->high + w->coordinates, i);
        still = larger(high, -low) <= share * w->largest[w->coordinates + i];
    }
    return still;
}

/* A transient that oscillates about a periodic motion can seem to repeat after two periods before one. */
static void shorten_period(slip_basin_motion *w)
{
    for (int i = 0; i < w->m; i++)
        w->size[i] = slip_basin_close * w->how->options.tolerance * w->marks.scale[i];
    const slip_return_states states = {
        .states = w->states, .stride = w->m, .m = w->m, .symmetry = w->symmetry};
    const int marks = slip_returns_shortest(&states, w->multiple, w->size, w->apart);
    w->length *= (double)marks / w->multiple;
    w->multiple = marks;
    while (w->event_count > 0 && w->events[w->event_count - 1].mark >= marks)
        w->event_count--;
}

/* Whether marks follow each other ever faster, as at bounces that accumulate. A motion that seems to repeat
 * there is still a transient. */
static bool hurries(const slip_basin_motion *w, double t)
{
    const double mean = (t - w->start) / (double)w->marks.periods;
    return isnan(w->period) && w->event_count > 0 && w->length < 1e-3 * w->passed * mean;
}

/* Whether the motion decays to a place that is not zero. Such a remainder repeats to within the tolerance
 * relative to the place; of a cycle the error is small relative to its amplitude. */
static bool fades(const slip_basin_motion *w)
{
    double moves = 0;
    for (int i = 0; i < w->m; i++) {
        const int place = i < w->coordinates ? i : i - w->coordinates;
        const bool held = place < w->coordinates && w->symmetry->held[place];
        if (i < w->coordinates || held || place >= w->coordinates)
            moves = larger(moves, (w->high[i] - w->low[i]) / w->marks.scale[i]);
    }
    return isnan(w->period) && w->event_count == 0 && !(w->error <= 0.1 * moves);
}

static void leave_period(slip_basin_motion *w)
{
    w->multiple = w->passed = 0;
    w->event_count = 0;
    w->want_modes = false;
}

static void forget_marks(slip_basin_motion *w)
{
    leave_period(w);
    w->marks.periods = -1;
    w->marks.look = first_look;
}

static void take_section(slip_basin_motion *w, int section, double t)
{
    w->section = section;
    w->passage.side = -1;
    w->marked = t;
    forget_marks(w);
}

/* Whether coordinate i may define the marks: the user's one, or any on which the equations depend. */
static bool may_be_section(const slip_basin_motion *w, int i)
{
    return w->how->options.section ? i == w->how->section : !w->symmetry->held[i];
}

/* The first coordinate that oscillates in the last period, among those from the first candidate to the one
 * that defines the marks. */
static int first_section(const slip_basin_motion *w)
{
    int i = w->how->section;
    for (; i < w->section && i < w->coordinates; i++)
        if (may_be_section(w, i) && slip_symmetry_relative(w->symmetry, w->low + w->coordinates, i) < 0 &&
            slip_symmetry_relative(w->symmetry, w->high + w->coordinates, i) > 0 &&
            w->high[i] - w->low[i] > slip_basin_close * w->how->options.tolerance * w->marks.scale[i])
            return i;
    return w->section;
}

/* No marks come: takes another coordinate or angle and, when all have been tried, waits longer. */
static void change_section(slip_basin_motion *w, double t)
{
    const int sections = w->coordinates + w->symmetry->count - w->symmetry->free;
    int next = w->section;
    do {
        next = (next + 1) % sections;
        w->patience *= next == w->how->section ? 2 : 1;
    } while (next < w->coordinates && !may_be_section(w, next) && next != w->section);
    if (next != w->section)
        take_section(w, next, t);
    w->marked = t;
}

static void end_period(slip_basin_motion *w, double t)
{
    w->length = t - w->from;
    if (hurries(w, t)) {
        forget_marks(w);
        return;
    }
    if (isnan(w->period) && first_section(w) != w->section) {
        take_section(w, first_section(w), t);
        return;
    }
    if (fades(w) && !stood_still(w)) {
        forget_marks(w);
        return;
    }
    shorten_period(w);
    w->done = true;
    w->rests = stood_still(w);
}

/* w->now is the state at a mark. */
static void pass_mark(slip_basin_motion *w, double t)
{
    slip_settling_estimate estimate;
    double *swap = w->before;
    note_sizes(w);
    w->marked = t;
    keep_state(w, &w->marks);
    set_scales(w, &w->marks, false);
    w->before = w->size;
    w->size = swap;
    for (int i = 0; i < w->m; i++)
        w->size[i] = fabs(w->now[i]);
    if (w->multiple > 0 && !slip_settling_repeats(&w->marks, w->multiple, w->how->options.tolerance))
        leave_period(w);
    if (w->multiple > 0) {
        if (++w->passed == w->multiple) {
            end_period(w, t);
            return;
        }
        memcpy(w->states + (ptrdiff_t)w->passed * w->m, w->now, (size_t)w->m * sizeof(double));
        w->want_modes = true;
        return;
    }
    if (!slip_settling_is_due(&w->marks))
        return;
    const int multiple = slip_settling_find(&w->marks, w->how->options.tolerance, &estimate);
    if (multiple > 0) {
        w->error = estimate.error;
        begin_period(w, t, multiple);
    }
}

/* ---- The section. */

/* Velocity of the coordinate, or cosine of the angle, which passes zero at a quarter turn either way. */
static double speed_of(void *user, const double *q, const double *v)
{
    const slip_basin_motion *w = user;
    if (w->section < w->coordinates)
        return slip_symmetry_relative(w->symmetry, v, w->section);
    return cos(2 * acos(-1) * slip_symmetry_turns(w->symmetry, w->section - w->coordinates, q));
}

static double rate_of(void *user, const double *v, const double *a)
{
    const slip_basin_motion *w = user;
    (void)v; /* a turn that goes one way has no rate that changes its sign within a step */
    return w->section < w->coordinates ? slip_symmetry_relative(w->symmetry, a, w->section) : 0;
}

static int pass_section(void *user, const slip_step *step, double t)
{
    slip_basin_motion *w = user;
    if (t <= step->t0)
        set_now(w, step->q0, step->v0);
    else if (t >= step->t1)
        set_now(w, step->q1, step->v1);
    else
        set_inside(w, step, t);
    pass_mark(w, t);
    if (w->want_modes && !w->done)
        take_modes(w, step, t);
    return w->done ? SLIP_STOPPED : SLIP_OK;
}

/* ---- Rest. */

static void come_to_rest(slip_basin_motion *w, const slip_step *step)
{
    w->time =
        step->t1 - w->start; /* replaces an earlier time at which bounces that accumulate seemed to repeat */
    set_now(w, step->q1, step->v1);
    set_scales(w, &w->marks, true);
    w->passed = 0;
    take_modes(w, step, step->t1);
    memcpy(w->states, w->now, (size_t)w->m * sizeof(double));
    w->event_count = 0;
    w->done = w->rests = true;
}

static bool stands_still(const slip_basin_motion *w, const slip_step *step)
{
    bool still = !step->event1;
    for (int i = 0; i < w->n && still; i++)
        still = step->a0[i] == 0 && step->a1[i] == 0 &&
                (i >= w->coordinates || (slip_symmetry_relative(w->symmetry, step->v0, i) == 0 &&
                                         slip_symmetry_relative(w->symmetry, step->v1, i) == 0));
    return still;
}

/* Whether the samples converge while velocities between them stay small. */
static bool approaches_rest(slip_basin_motion *w)
{
    bool slow = true;
    set_scales(w, &w->samples, true);
    for (int i = 0; i < w->coordinates; i++) {
        slow = slow &&
               w->speed[i] <= slip_basin_close * w->how->options.tolerance * w->largest[w->coordinates + i];
        w->speed[i] = 0;
    }
    return slow && slip_settling_estimate_error(&w->samples, 1).error <= w->how->options.tolerance;
}

static bool take_samples(slip_basin_motion *w, const slip_step *step)
{
    slip_settling *s = &w->samples;
    bool at_rest = false;
    for (int i = 0; i < w->coordinates; i++)
        w->speed[i] = larger(w->speed[i], larger(fabs(slip_symmetry_relative(w->symmetry, step->v0, i)),
                                                 fabs(slip_symmetry_relative(w->symmetry, step->v1, i))));
    for (double t; (t = w->start + (double)(s->periods + 1) * w->spacing) <= step->t1 && !at_rest;) {
        set_inside(w, step, t);
        keep_state(w, s);
        if (s->periods >= samples_judged && s->periods % sections_of_samples == 0) {
            set_now(w, step->q1, step->v1);
            at_rest = approaches_rest(w);
        }
        if (s->periods == samples_kept) {
            slip_settling_halve(s);
            w->spacing *= 2;
        }
    }
    return at_rest;
}

/* ---- Observing. */

static int see_step(void *user, const slip_step *step)
{
    slip_basin_motion *w = user;
    if (w->want_modes)
        take_modes(w, step, step->t0);
    if (isnan(w->period)) {
        slip_passage_see(&w->passage, step,
                         w->section < w->coordinates ? 1e-12 * w->largest[w->coordinates + w->section] : 0);
        if (!w->done && (stands_still(w, step) || (w->multiple == 0 && take_samples(w, step))))
            come_to_rest(w, step);
        if (w->done)
            return SLIP_STOPPED;
        if (step->t1 - w->marked > w->patience)
            change_section(w, step->t1);
    }
    set_now(w, step->q1, step->v1);
    note_sizes(w);
    return SLIP_OK;
}

static int see_event(void *user, const slip_event *event)
{
    slip_basin_motion *w = user;
    if (w->multiple == 0)
        return SLIP_OK;
    SLIP_PASS(slip_allocated(
        w->ctx, slip_array_reserve(&w->events, &w->event_capacity, w->event_count + 1, sizeof *w->events)));
    w->events[w->event_count++] = (slip_basin_event){w->passed, *event};
    return SLIP_OK;
}

static int follow(slip_basin_motion *w)
{
    const slip_observer observer = {.user = w, .step = see_step, .event = see_event};
    const int64_t within = w->how->options.within;
    slip_returns returns = {
        .simulation = w->simulation, .observer = &observer, .period = w->period, .start = w->start};
    int status = SLIP_OK;
    if (isnan(w->period))
        return slip_simulation_observe(w->simulation, w->start + (double)within * w->unit, &observer);
    for (int64_t k = 0; k < within + slip_settling_longest && !w->done && status == SLIP_OK; k++) {
        if (k >= within && w->multiple == 0)
            break;
        status = slip_returns_next(&returns);
        slip_simulation_whole_state(w->simulation, w->q, w->v);
        set_now(w, w->q, w->v);
        pass_mark(w, w->start + (double)(k + 1) * w->period);
    }
    return status;
}

/* ---- Opening. */

int slip_basin_period(slip_context *ctx, const slip_model *model, const slip_basin_options *options,
                      double *period)
{
    double own = NAN;
    if (!options->period)
        SLIP_PASS(slip_system_period(ctx, model->system, &own));
    if (own != 0)
        return slip_section_period(ctx, model, "basin", options->period, period);
    *period = NAN; /* also if `steady` has a period */
    return SLIP_OK;
}

/* The time at which the runs of the study start. */
static double first_time(const slip_model *model, const slip_run_options *run)
{
    return !isnan(run->start) ? run->start : isnan(model->simulate.start) ? 0 : model->simulate.start;
}

/* Sets *span to the unit of time for a motion without a period of the load. */
static int find_span(slip_context *ctx, const slip_model *model, const slip_run_options *run, double *span)
{
    const slip_run_options *own = &model->simulate;
    *span = (isnan(run->end) ? own->end : run->end) - first_time(model, run);
    if (!(*span > 0))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "basin: the model does not change with time and says no time span, expected "
                         "`simulate: {time: [0, T]}` with the time of some oscillations");
    return SLIP_OK;
}

static int open_motion(slip_basin_motion *w, const slip_model *model, const slip_run_options *given)
{
    const slip_basin_options *o = &w->how->options;
    slip_run_options run = *given;
    SLIP_PASS(slip_basin_period(w->ctx, model, o, &w->period));
    w->unit = w->period;
    if (isnan(w->period))
        SLIP_PASS(find_span(w->ctx, model, given, &w->unit));
    run.steady_period = w->unit;
    run.steady_tolerance = o->tolerance;
    run.steady_within = o->within;
    SLIP_PASS(slip_simulation_open_run(w->ctx, model, NULL, &run, &w->simulation));
    w->system = w->simulation->ready->system;
    w->start = slip_simulation_time(w->simulation);
    w->n = w->system->n;
    w->coordinates = slip_system_coordinates(w->system);
    w->m = w->coordinates + w->n;
    w->contacts = (int)w->system->contact_count;
    w->section = w->how->section;
    w->passage =
        (slip_passage){.user = w, .value = speed_of, .rate = rate_of, .pass = pass_section, .side = -1};
    w->marked = w->start;
    w->patience = 2 * w->unit;
    w->spacing = slip_basin_golden * w->unit / 1024;
    double **const arrays[] = {&w->now, &w->size, &w->before, &w->largest, &w->speed,
                               &w->low, &w->high, &w->q,      &w->v,       &w->apart};
    bool complete = true;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = slip_arena_array(&w->arena, w->m, sizeof(double));
        complete = complete && *arrays[k];
    }
    w->states = slip_arena_array(&w->arena, (int64_t)slip_settling_longest * w->m, sizeof(double));
    w->modes = slip_arena_array(&w->arena, (int64_t)slip_settling_longest * w->contacts + 1, sizeof(double));
    const int64_t marks = isnan(w->period) ? INT64_C(1) << 20 : o->within;
    complete = complete && w->states && w->modes &&
               slip_settling_create(&w->marks, w->m, 0, marks, first_look, 16) &&
               slip_settling_create(&w->samples, w->m, 0, samples_kept, 0, 1);
    SLIP_PASS(slip_allocated(w->ctx, complete));
    w->passage.q = w->q;
    w->passage.v = w->v;
    SLIP_PASS(slip_symmetry_create(w->ctx, w->system, &w->symmetry));
    w->marks.symmetry = w->samples.symmetry = w->symmetry;
    w->marks.width = w->samples.width = w->m;
    slip_simulation_whole_state(w->simulation, w->q, w->v);
    set_now(w, w->q, w->v);
    note_sizes(w);
    keep_state(w, &w->samples);
    return SLIP_OK;
}

int slip_basin_follow(const slip_sweep_job *job, slip_context *ctx, const slip_run_options *how,
                      double *numbers, slip_text *signature)
{
    slip_basin_motion w = {.ctx = ctx, .how = job->user};
    slip_model *bound = NULL;
    const slip_model *ready = NULL;
    slip_run_options run = *how;
    int status;
    SLIP_TRY(slip_model_ready(ctx, job->model, how->values, &bound, &ready));
    run.values = NULL;
    SLIP_TRY(open_motion(&w, ready, &run));
    SLIP_TRY(follow(&w));
    if (!w.done) {
        set_scales(&w, &w.marks, false);
        SLIP_TRY(slip_basin_look_for_chaos(&w));
    }
    slip_basin_end_of(&w, numbers, signature);
    numbers[SLIP_BASIN_TIME] += w.start - first_time(ready, &job->how);
    status = SLIP_OK;
done:
    slip_simulation_close(w.simulation);
    slip_model_destroy(bound);
    slip_settling_free(&w.marks);
    slip_settling_free(&w.samples);
    free(w.events);
    slip_symmetry_destroy(w.symmetry);
    slip_arena_free(&w.arena);
    return status;
}
