/* Two gears in motion: the table of methods, and what they share. */
#include "gear/gear_motion.h"

#include "base/clock.h"
#include "math/columns.h"
#include "system/structure/structure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const slip_gear_method *const methods[] = {&slip_gear_method_rk4, &slip_gear_method_exponential,
                                                  &slip_gear_method_explicit};
enum { method_count = sizeof methods / sizeof *methods };

/* Energies below this, over Young's modulus and the cube of the module, come from places that are rounded. */
static const double rounding = 1e-20;

const slip_gear_method *slip_gear_method_find(const slip_gear_run_options *o)
{
    const bool condensed =
        strcmp(o->side[0].reduction, "condensed") == 0 || strcmp(o->side[1].reduction, "condensed") == 0;
    const char *name = o->method ? o->method : condensed ? "exponential" : "rk4";
    for (int i = 0; i < method_count; i++)
        if (strcmp(name, methods[i]->name) == 0)
            return methods[i];
    return NULL;
}

/* ---- Opening and closing. */

static int begin_work(const slip_gear_motion *m)
{
    return m->method->serial ? slip_columns_threads(1) : 0;
}

static void end_work(const slip_gear_motion *m, int threads)
{
    if (m->method->serial)
        slip_columns_threads(threads);
}

static void close_motion(void *self)
{
    slip_gear_motion *m = self;
    if (m->self)
        m->method->close(m);
    free(m);
}

/* ---- Advancing. */

static void report(slip_gear_motion *m)
{
    if (slip_progress_due(m->ctx))
        slip_progress_report(m->ctx,
                             &(slip_progress){.what = m->what,
                                              .fraction = m->done + m->share * m->time / m->options.time,
                                              .time = m->time,
                                              .steps = m->steps,
                                              .modes = m->touching ? "contact" : "free"});
}

/* The start counts for energies and contact, and is shown before there is a step. */
static int begin(slip_gear_motion *m)
{
    slip_gear_sample start;
    int status;
    if (m->method->see) {
        SLIP_TRY(m->method->see(m));
    } else {
        SLIP_TRY(m->method->look(m, &start));
        slip_gear_motion_see(m, &start);
    }
    slip_gear_motion_watch(m, m->time, m->options.initial ? m->seen[1].force : 0);
    m->in_step = false;
    slip_gear_motion_show(m, m->time);
    m->in_step = m->method->between != NULL;
done:
    return status;
}

int slip_gear_motion_go(slip_gear_motion *m)
{
    int status = SLIP_OK;
    m->shown = m->failed = SLIP_OK;
    if (m->observer && !m->account.watching)
        SLIP_TRY(begin(m));
    while (status == SLIP_OK) {
        const double before = m->time;
        if (slip_interrupted(m->ctx))
            return slip_fail(m->ctx, SLIP_INTERRUPTED, "interrupted at t = %g s", m->time);
        status = m->method->step(m);
        if (status == SLIP_STOPPED)
            return SLIP_OK;
        if (status == SLIP_OK)
            status = m->failed < 0 ? m->failed : m->shown;
        if (status == SLIP_OK && m->time > before && m->observer && m->observer->arrived)
            status = m->observer->arrived(m->observer->arrived_user, m->time);
        report(m);
    }
done:
    return status;
}

double slip_gear_next_step(const slip_gear_motion *m, double time, double step)
{
    static const double share = 1e-9; /* times of steps are rounded: within this share of one it is there */
    const double left = m->end - time, steps = ceil(left / step - share);
    if (!(left > (m->past ? 0.5 : share) * step))
        return 0;
    return m->past || steps > 2 || fabs(left - steps * step) <= share * step ? step : left / steps;
}

/* ---- What is seen of a step. */

bool slip_gear_motion_see(slip_gear_motion *m, const slip_gear_sample *sample)
{
    m->seen[0] = m->seen[1];
    m->seen[1] = *sample;
    return slip_gear_account_balance(&m->account, sample);
}

/* The gears as a sample, their flanks as its one contact. */
static void give_sample(const slip_gear_sample *s, slip_sample *to)
{
    for (int i = 1; to->own && i < slip_gear_columns; i++)
        to->own[i - 1] = slip_gear_column_value(s, i);
    if (to->normal)
        to->normal[0] = s->force;
    if (to->mode)
        to->mode[0] = s->force > 0 ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN;
}

static void sample_step(const void *self, double t, slip_sample *sample)
{
    slip_gear_motion *m = (slip_gear_motion *)self; /* it looks into its scratch memory */
    slip_gear_sample s;
    if (m->in_step) {
        m->method->between(m, t, &s);
    } else {
        if (m->seen[1].time != m->time && m->failed >= 0)
            m->failed = m->method->see(m);
        s = m->seen[1];
        sample->at = s.time;
    }
    give_sample(&s, sample);
}

/* A sample of a motion that grows without bound is none. */
static int take_record(const void *self, double t, int64_t row)
{
    slip_gear_motion *m = (slip_gear_motion *)self;
    const bool known = m->in_step || !m->method->between; /* before its first step a method has no history */
    return m->failed < 0 || !m->setup->participation || !known ? m->failed : m->method->history(m, t, row);
}

static bool tell_ledger(const void *self, bool end, slip_ledger *ledger)
{
    const slip_gear_motion *m = self;
    const slip_gear_sample *s = &m->seen[end || !m->in_step];
    *ledger = (slip_ledger){s->kinetic, s->strain + s->contact, s->work, s->lost};
    return m->in_step || s->time == m->time;
}

void slip_gear_motion_show(slip_gear_motion *m, double until)
{
    const slip_step step = {.t0 = m->shown_to,
                            .t1 = until,
                            .told = true,
                            .self = m,
                            .sample = sample_step,
                            .ledger = tell_ledger,
                            .recorded = take_record};
    if (!(until > m->shown_to || until == 0))
        return;
    m->shown_to = until;
    if (m->observer && m->observer->step)
        m->shown = m->observer->step(m->observer->user, &step);
}

void slip_gear_motion_watch(slip_gear_motion *m, double time, double force)
{
    const double change = slip_gear_account_watch(&m->account, time, force);
    const bool closes = force > 0;
    const slip_event event = {change, 0, closes ? SLIP_MODE_OPEN : SLIP_MODE_CLOSED,
                              closes ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN};
    if (isnan(change) || !m->observer || !m->observer->event)
        return;
    const int status = m->observer->event(m->observer->user, &event);
    m->shown = m->shown == SLIP_OK ? status : m->shown;
}

int slip_gear_motion_participation(slip_gear_motion *m, int gear, int surface, bool begins, int64_t row,
                                   int size, const double *amplitude, const unsigned char *active,
                                   double force)
{
    return m->setup->participation(m->setup->participation_user, m->ctx, gear, surface, begins, row, size,
                                   amplitude, active, force);
}

/* ---- Numbers. */

static int hand_numbers(void *self, const slip_number_sink *sink)
{
    slip_gear_motion *m = self;
    const char *const names[2] = {m->task.gears[0].name, m->task.gears[1].name};
    const int status = m->method->numbers(m, sink);
    return status < 0 ? status : slip_gear_account_numbers(m->ctx, &m->account, names, sink);
}

int slip_gear_motion_number_momentum(slip_gear_motion *m, const slip_number_sink *sink, const double off[2])
{
    int status = SLIP_OK;
    for (int k = 0; k < 2 && status >= 0; k++) {
        char name[slip_gear_name_size];
        snprintf(name, sizeof name, "momentum.%.80s", m->task.gears[k].name);
        status = sink->number(sink->user, m->ctx, name, off[k]);
    }
    return status;
}

int slip_gear_motion_number_step(slip_gear_motion *m, const slip_number_sink *sink, double step, double first)
{
    int status = sink->number(sink->user, m->ctx, "step", step);
    if (status >= 0 && step < first)
        status = sink->number(sink->user, m->ctx, "first_step", first);
    return status;
}

/* ---- The structure `gears`: no coordinates, the columns of a sample as its series. */

void slip_gear_setup_free(slip_gear_setup *setup)
{
    slip_reduced_destroy(setup->made[0]);
    slip_reduced_destroy(setup->made[1]);
}

static int add_series(slip_context *ctx, slip_system *system, const slip_gear_options *gears)
{
    const char *const names[2] = {gears[0].name, gears[1].name};
    const int count = slip_gear_columns - 1; /* the first one is the time */
    slip_series_info *series = slip_arena_array(&system->arena, count, sizeof *series);
    for (int i = 0; series && i < count; i++) {
        char name[slip_gear_name_size], place[2 * slip_gear_name_size];
        slip_gear_column_name(i + 1, names, name);
        slip_gear_column_place(i + 1, names, place);
        series[i] = (slip_series_info){slip_arena_string(&system->arena, name), slip_gear_column_unit(i + 1),
                                       slip_arena_string(&system->arena, place)};
        if (!series[i].name || !series[i].place)
            return slip_fail_memory(ctx);
    }
    system->series = series;
    system->series_count = count;
    return series ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_gear_attach(slip_context *ctx, slip_system *system, const slip_gear_options *gears,
                     const slip_gear_run_options *options)
{
    slip_gear_task *task = slip_arena_alloc(&system->arena, sizeof *task);
    int status;
    if (!task)
        return slip_fail_memory(ctx);
    *task = (slip_gear_task){.gears = gears, .options = options};
    system->structure = &slip_structure_gears;
    system->bodies = task;
    SLIP_TRY(add_series(ctx, system, gears));
    status = slip_system_finish(ctx, system);
done:
    return status;
}

/* ---- Its methods, as rows of the table of methods. */

static int find_bodies(slip_context *ctx, const slip_gear_options *gears, slip_gear_setup *of,
                       const slip_reduced *bodies[2])
{
    slip_reduce_options reduce = slip_reduce_options_default();
    int status = SLIP_OK;
    reduce.threads = of->threads;
    for (int k = 0; k < 2; k++) {
        if (!of->given[k] && !of->made[k])
            SLIP_TRY(slip_gear_reduce(ctx, &gears[k], &reduce, &of->made[k]));
        bodies[k] = of->given[k] ? of->given[k] : of->made[k];
    }
done:
    return status;
}

slip_gear_run_options slip_gear_effective(const slip_gear_run_options *given, const slip_method_options *o)
{
    slip_gear_run_options how = *given;
    how.method = o->name;
    how.tolerance = o->tolerance;
    how.step = isnan(o->step) ? 0 : o->step;
    how.time = isfinite(o->span) ? o->span : how.time;
    how.threads = o->gears->threads;
    how.device = o->gears->device;
    how.frames = o->gears->frames;
    how.frame = o->gears->frame;
    how.frame_user = o->gears->frame_user;
    return how;
}

static int open_motion(slip_context *ctx, const slip_system *system, const slip_method_options *o, double t,
                       const double *q, const double *v, void **self)
{
    slip_gear_motion *m;
    int status;
    (void)q, (void)v;
    *self = NULL;
    if (system->structure != &slip_structure_gears)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "method `%s` moves two gears of the sections `gears` and `flanks`; use `event`",
                         o->name);
    if (t != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the start time is %g; expected 0 for gears", t);
    *self = m = slip_alloc(1, sizeof *m);
    if (!m)
        return slip_fail_memory(ctx);
    m->ctx = ctx;
    m->setup = o->gears;
    m->task = *(const slip_gear_task *)system->bodies;
    m->options = slip_gear_effective(m->task.options, o);
    m->method = slip_gear_method_find(&m->options);
    m->in_step = m->method->between != NULL;
    m->task.options = &m->options;
    m->task.bodies = m->bodies;
    const slip_gear_options *first = &m->task.gears[0];
    m->account = slip_gear_account_begin(rounding * first->young * pow(first->module, 3));
    m->seen[0].time = m->seen[1].time = NAN;
    m->what = "gears";
    m->share = 1;
    SLIP_TRY(slip_gear_run_check(ctx, m->task.gears, &m->options));
    if (m->method->reduced)
        SLIP_TRY(find_bodies(ctx, m->task.gears, o->gears, m->bodies));
    const int threads = begin_work(m);
    status = m->method->open(m);
    end_work(m, threads);
done:
    return status;
}

static int look(void *self, slip_sample *now)
{
    slip_gear_motion *m = self;
    slip_gear_sample s;
    int status;
    SLIP_TRY(m->method->look(m, &s));
    give_sample(&s, now);
done:
    return status;
}

static int advance(void *self, double end, const slip_observer *observer)
{
    slip_gear_motion *m = self;
    const int threads = begin_work(m);
    m->observer = observer;
    m->end = end;
    m->past = observer->past;
    const int status = slip_gear_motion_go(m);
    if (status == SLIP_OK && !m->past)
        m->time = end; /* the method's own is rounded */
    end_work(m, threads);
    return status;
}

static void tell_time(const void *self, double *t, double *q, double *v)
{
    (void)q, (void)v;
    *t = ((const slip_gear_motion *)self)->time;
}

static void count(const void *self, slip_method_counters *counters)
{
    const slip_gear_motion *m = self;
    *counters =
        (slip_method_counters){.steps = m->steps, .evaluations = m->evaluations, .residual = m->residual};
}

static void keep(void *self, slip_keeper *k)
{
    slip_gear_motion *m = self;
    if (!k->file)
        SLIP_KEEP_ALL(k, SLIP_BLOCK(m->time), SLIP_BLOCK(m->steps), SLIP_BLOCK(m->evaluations),
                      SLIP_BLOCK(m->step), SLIP_BLOCK(m->touching), SLIP_BLOCK(m->shown_to),
                      SLIP_BLOCK(m->residual));
    m->method->keep(m, k);
    slip_gear_account_keep(&m->account, k);
    if (k->back)
        m->seen[0].time = m->seen[1].time = NAN;
    if (k->back && k->file)
        m->shown_to = fmin(m->time + m->step / 2, m->options.time);
}

/* The torques of a system in which nothing else differs. */
static int adopt(void *self, const slip_system *system)
{
    slip_gear_motion *m = self;
    const slip_gear_task *to = system->bodies;
    for (int k = 0; k < 2; k++)
        m->options.side[k].torque = to->options->side[k].torque;
    m->method->load(m);
    return SLIP_OK;
}

#define SHARED                                                                                               \
    .solves_laws = true, .open = open_motion, .advance = advance, .state = tell_time, .counters = count,     \
    .close = close_motion, .keep = keep, .look = look, .adopt = adopt, .numbers = hand_numbers

static const slip_method_type of_rk4 = {
    .info = {"rk4", "classical Runge-Kutta of order 4 with fixed steps", 0, 1}, SHARED};
const slip_method_type slip_method_exponential = {
    .info = {"exponential", "two gears with condensed flanks: modes are propagated exactly", 0, 1}, SHARED};
const slip_method_type slip_method_explicit = {
    .info = {"explicit", "two gears as nonlinear finite elements: central differences", 0, 1},
    .checkpoints = true,
    SHARED};

const slip_structure slip_structure_gears = {
    .name = "gears",
    .methods =
        (const slip_method_type *const[]){&of_rk4, &slip_method_exponential, &slip_method_explicit, NULL}};
