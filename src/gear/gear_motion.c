/* Gears in motion: the table of methods, and what they share. */
#include "gear/gear_motion.h"

#include "gear/train/train_motion.h"
#include "math/columns.h"
#include "system/structure/structure.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const slip_gear_method *const methods[] = {&slip_gear_method_rk4, &slip_gear_method_exponential,
                                                  &slip_gear_method_explicit};
enum { method_count = sizeof methods / sizeof *methods };

/* Energies below this, over Young's modulus and the cube of the module, are rounding errors of positions. */
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

static void begin_work(const slip_gear_motion *m)
{
    if (m->method->serial)
        slip_columns_hold();
}

static void end_work(const slip_gear_motion *m)
{
    if (m->method->serial)
        slip_columns_give_back();
}

static void close_motion(void *self)
{
    SLIP_FREED slip_gear_motion *m = self;
    if (m->self)
        m->method->close(m);
    slip_arena_free(&m->arena);
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

/* Measures energies and contact forces at the start, and shows them to the observer. */
static int begin(slip_gear_motion *m)
{
    if (m->method->check) {
        SLIP_PASS(m->method->check(m));
    } else {
        SLIP_PASS(m->method->measure(m, slip_gear_motion_next_sample(m)));
        slip_gear_motion_check(m);
    }
    for (int i = 0; !m->options.initial && i < m->group.mesh_count; i++)
        m->sample.normal[i] = 0;
    slip_gear_motion_watch(m, m->time, m->options.initial ? m->seen[1].normal : m->sample.normal);
    m->in_step = false;
    slip_gear_motion_show(m, m->time);
    m->in_step = m->method->between != NULL;
    return m->shown < 0 ? m->shown : SLIP_OK;
}

int slip_gear_motion_go(slip_gear_motion *m)
{
    int status = SLIP_OK;
    m->shown = m->failed = SLIP_OK;
    if (m->observer && isnan(m->watched_at))
        SLIP_PASS(begin(m));
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

static double energy_of(const slip_gear_sample *s)
{
    return s->kinetic + s->strain + s->contact;
}

/* The new sample overwrites the older one of the two. */
slip_gear_sample *slip_gear_motion_next_sample(slip_gear_motion *m)
{
    return &m->seen[0];
}

bool slip_gear_motion_check(slip_gear_motion *m)
{
    const slip_gear_sample now = m->seen[0];
    m->seen[0] = m->seen[1];
    m->seen[1] = now;
    m->start = isnan(m->start) ? fabs(energy_of(&now)) : m->start; /* of central differences that may be
                                                                     below 0 at rest */
    m->put_in = fmax(m->put_in, fabs(now.work));
    return !(energy_of(&now) <= 2 * (m->start + m->put_in) + m->rounding);
}

int slip_gear_motion_unbounded(const slip_gear_motion *m, const char *when, const char *who)
{
    return slip_fail(
        m->ctx, SLIP_ERROR_SOLVER,
        "%sthe motion grows without bound: it has %.3g J, while %.3g J were there at the start and "
        "put in since; most moves %s; expected lower speeds, a lower penalty, or a smaller step or "
        "tolerance",
        when, energy_of(&m->seen[1]), m->start + m->put_in, who);
}

/* The series of two gears. */
typedef struct gear_series {
    const char *name, *unit, *group;
    int gear;  /* -1: of both */
    size_t at; /* in a sample */
} gear_series;
#define OF(field) offsetof(slip_gear_sample, field)
#define OF_GEAR(k)                                                                                           \
    {"angle", "rad", "gear", k, OF(angle)}, {"speed", "rad/s", "gear", k, OF(speed)},                        \
    {                                                                                                        \
        "moment", "N m", "gear", k, OF(moment)                                                               \
    }
static const gear_series series[] = {OF_GEAR(0),
                                     OF_GEAR(1),
                                     {"force", "N", "contact", -1, OF(force)},
                                     {"touching", "", "contact", -1, OF(touching)},
                                     {"depth", "m", "contact", -1, OF(depth)},
                                     {"kinetic", "J", "energy", -1, OF(kinetic)},
                                     {"strain", "J", "energy", -1, OF(strain)},
                                     {"contact", "J", "energy", -1, OF(contact)},
                                     {"lost", "J", "energy", -1, OF(lost)},
                                     {"work", "J", "energy", -1, OF(work)},
                                     {"balance", "J", "energy", -1, 0}};
enum { series_count = sizeof series / sizeof *series };

static double value_of(const slip_gear_sample *s, int i)
{
    const char *at = (const char *)s + series[i].at;
    if (i == series_count - 1)
        return energy_of(s) + s->lost - s->work;
    return series[i].gear >= 0 ? (*(double *const *)at)[series[i].gear] : *(const double *)at;
}

/* Converts a sample of the gears into one of the system: the structure `gears` has series of its own and one
 * contact, a train has coordinates and contacts. */
static void give_sample(slip_gear_motion *m, const slip_gear_sample *s, slip_sample *to)
{
    for (int i = 0; to->own && !m->train && i < series_count; i++)
        to->own[i] = value_of(s, i);
    if (m->train)
        slip_train_motion_give(m, s, to);
    for (int i = 0; i < m->group.mesh_count; i++) {
        const int contact = m->train ? m->train->contact[i] : i;
        if (to->normal)
            to->normal[contact] = s->normal[i];
        if (to->mode)
            to->mode[contact] = s->normal[i] > 0 ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN;
    }
}

/* Measures the present energies, unless that has been done at this time. */
static void see_now(slip_gear_motion *m)
{
    if (m->seen[1].time != m->time && m->failed >= 0)
        m->failed = m->method->check(m);
}

/* A sample of a train needs no energies. */
static void sample_step(const void *self, double t, slip_sample *sample)
{
    slip_gear_motion *m = (slip_gear_motion *)self; /* it looks into its scratch memory */
    const bool cheap = m->train && m->method->measure_cheaply;
    const slip_gear_sample *s = m->in_step || cheap ? &m->sample : &m->seen[1];
    if (m->in_step)
        m->method->between(m, t, &m->sample);
    else if (cheap)
        m->method->measure_cheaply(m, &m->sample);
    else
        see_now(m);
    sample->at = m->in_step ? sample->at : s->time;
    give_sample(m, s, sample);
}

static void sample_state(const void *self, double t, double *q, double *v)
{
    sample_step(self, t, &(slip_sample){.q = q, .v = v});
}

/* Writes a row of the participation history; fails where the motion grows without bound. */
static int take_record(const void *self, double t, int64_t row)
{
    slip_gear_motion *m = (slip_gear_motion *)self;
    const bool known = m->in_step || !m->method->between; /* before its first step a method has no history */
    if (m->train && !m->in_step && m->method->check)
        see_now(m);
    return m->failed < 0 || !m->setup->participation || !known ? m->failed : m->method->history(m, t, row);
}

static int set_scene(const void *self, double t, slip_gear_scene *scene)
{
    slip_gear_motion *m = (slip_gear_motion *)self;
    return m->method->scene(m, t, scene);
}

/* The energy ledger is known at the ends of a step and at the last sample in it, else in the present state.
 */
static bool tell_ledger(const void *self, double t, slip_ledger *ledger)
{
    const slip_gear_motion *m = self;
    const bool end = !m->in_step || t >= m->shown_to, start = t == m->seen[0].time;
    const slip_gear_sample *s = end ? &m->seen[1] : start ? &m->seen[0] : &m->sample;
    *ledger = (slip_ledger){s->kinetic, s->strain + s->contact, s->work, s->lost, m->rounding};
    return m->in_step ? end || s->time == t : s->time == m->time;
}

/* Updates the state of a train at the end of the shown step. */
static void show_end(slip_gear_motion *m, double until)
{
    if (m->in_step)
        m->method->between(m, until, &m->sample);
    else if (m->method->measure_cheaply)
        m->method->measure_cheaply(m, &m->sample);
    else
        m->method->measure(m, &m->sample);
    slip_train_motion_end(m, &m->sample);
}

void slip_gear_motion_show(slip_gear_motion *m, double until)
{
    slip_step step = {.t0 = m->shown_to,
                      .t1 = until,
                      .told = true,
                      .larger = m->train != NULL,
                      .self = m,
                      .state = sample_state,
                      .sample = sample_step,
                      .ledger = tell_ledger,
                      .recorded = take_record,
                      .scene = set_scene};
    if (!(until > m->shown_to || until == 0))
        return;
    m->shown_to = until;
    if (!m->observer || !m->observer->step)
        return;
    if (m->train) {
        for (int k = until > step.t0; k < 2; k++) /* at first both ends are one */
            show_end(m, until);
        const double *const *end = (const double *const *)m->train->ends;
        step.q0 = end[0], step.v0 = end[1], step.a0 = end[2];
        step.q1 = end[3], step.v1 = end[4], step.a1 = end[5];
    }
    const int status = m->observer->step(m->observer->user, &step);
    m->shown = m->shown < 0 ? m->shown : status;
}

static void tell_change(slip_gear_motion *m, int contact, bool closes, double time)
{
    const slip_event event = {time, contact, closes ? SLIP_MODE_OPEN : SLIP_MODE_CLOSED,
                              closes ? SLIP_MODE_CLOSED : SLIP_MODE_OPEN};
    const int status = m->observer->event ? m->observer->event(m->observer->user, &event) : SLIP_OK;
    m->shown = m->shown == SLIP_OK ? status : m->shown;
}

void slip_gear_motion_watch(slip_gear_motion *m, double time, const double *normal)
{
    const slip_works *works = m->observer ? m->observer->works : NULL;
    const bool counts = works && time >= works->from && time <= works->end, first = isnan(m->watched_at);
    for (int i = 0; i < m->group.mesh_count; i++) {
        const int contact = m->train ? m->train->contact[i] : i;
        const double before = m->normal[i], now = normal[i];
        if (counts) {
            double *largest = works->forces + contact, *along = largest + m->contact_count;
            *largest = now > *largest ? now : *largest;
            *along = 0 > *along ? 0 : *along;
        }
        if (!first && m->observer && (before > 0) != (now > 0))
            tell_change(m, contact, now > 0,
                        m->watched_at + (time - m->watched_at) * before / (before - now));
        m->normal[i] = now;
    }
    m->watched_at = time;
}

int slip_gear_motion_place(const slip_gear_motion *m, int gear)
{
    return m->train ? m->train->body[gear] : gear;
}

int slip_gear_motion_participation(slip_gear_motion *m, int gear, int surface, bool begins, int64_t row,
                                   int size, const double *amplitude, const unsigned char *active,
                                   double force)
{
    return m->setup->participation(m->setup->participation_user, m->ctx, slip_gear_motion_place(m, gear),
                                   surface, begins, row, size, amplitude, active, force);
}

/* ---- Numbers. */

static const char *shaft_name(const slip_gear_motion *m, int shaft)
{
    return m->train ? m->train->name[shaft] : m->group.gears[shaft].name;
}

static int hand_numbers(void *self, const slip_number_sink *sink)
{
    slip_gear_motion *m = self;
    SLIP_PASS(m->method->numbers(m, sink));
    SLIP_PASS(m->method->measure(m, &m->sample));
    for (int k = 0; !m->train && k < m->group.shaft_count; k++) { /* of coordinates every run has them */
        char name[slip_gear_name_size];
        snprintf(name, sizeof name, "final.%.80s.speed", shaft_name(m, k));
        SLIP_PASS(sink->number(sink->user, m->ctx, name, m->sample.speed[k]));
    }
    return SLIP_OK;
}

int slip_gear_motion_number_momentum(slip_gear_motion *m, const slip_number_sink *sink, int shaft, double off)
{
    char name[slip_gear_name_size];
    snprintf(name, sizeof name, "momentum.%.80s", shaft_name(m, shaft));
    return sink->number(sink->user, m->ctx, name, off);
}

int slip_gear_motion_number_step(slip_gear_motion *m, const slip_number_sink *sink, double step, double first)
{
    SLIP_PASS(sink->number(sink->user, m->ctx, "step", step));
    return step < first ? sink->number(sink->user, m->ctx, "first_step", first) : SLIP_OK;
}

/* ---- The structure `gears`: no coordinates, the columns of a sample as its series. */

void slip_gear_setup_free(slip_gear_setup *setup)
{
    slip_reduced_destroy(setup->made[0]);
    slip_reduced_destroy(setup->made[1]);
}

static int add_series(slip_context *ctx, slip_system *system, const slip_gear_options *gears)
{
    slip_series_info *all = slip_arena_array(&system->arena, series_count, sizeof *all);
    for (int i = 0; all && i < series_count; i++) {
        const gear_series *s = &series[i];
        const char *gear = s->gear < 0 ? "" : gears[s->gear].name;
        char name[slip_gear_name_size], place[2 * slip_gear_name_size];
        snprintf(name, sizeof name, "%.80s%s%s", gear, *gear ? "." : "", s->name);
        snprintf(place, sizeof place, "%s/%.80s%s%s", s->group, gear, *gear ? "/" : "", s->name);
        all[i] = (slip_series_info){slip_arena_string(&system->arena, name), s->unit,
                                    slip_arena_string(&system->arena, place)};
        SLIP_PASS(slip_allocated(ctx, all[i].name && all[i].place));
    }
    system->series = all;
    system->series_count = series_count;
    return all ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_gear_attach(slip_context *ctx, slip_system *system, const slip_gear_options *gears,
                     const slip_gear_run_options *options)
{
    slip_gear_task *own = slip_arena_alloc(&system->arena, sizeof *own);
    SLIP_PASS(slip_allocated(ctx, own));
    *own = (slip_gear_task){gears, options};
    system->structure = &slip_structure_gears;
    system->bodies = own;
    SLIP_PASS(add_series(ctx, system, gears));
    return slip_system_finish(ctx, system);
}

/* ---- The methods, as rows of the table of methods. */

static int find_bodies(slip_context *ctx, const slip_gear_options *gears, slip_gear_setup *of,
                       const slip_reduced *bodies[2])
{
    slip_reduce_options reduce = slip_reduce_options_default();
    reduce.threads = of->threads;
    for (int k = 0; k < 2; k++) {
        if (!of->given[k] && !of->made[k])
            SLIP_PASS(slip_gear_reduce(ctx, &gears[k], &reduce, &of->made[k]));
        bodies[k] = of->given[k] ? of->given[k] : of->made[k];
    }
    return SLIP_OK;
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
    return how;
}

/* Two gears: what moves, and its bodies. */
static int take_gears(slip_gear_motion *m, const slip_gear_task *of, const slip_method_options *o)
{
    m->options = slip_gear_effective(of->options, o);
    m->method = slip_gear_method_find(&m->options);
    m->meshing = (slip_gear_meshing){.gear = {0, 1}, .options = &m->options};
    m->group = slip_gear_group_pair(of->gears, m->bodies, &m->meshing);
    SLIP_PASS(slip_gear_run_check(m->ctx, of->gears, &m->options));
    if (m->method->reduced)
        SLIP_PASS(find_bodies(m->ctx, of->gears, o->gears, m->bodies));
    return SLIP_OK;
}

static int begin_motion(slip_gear_motion *m)
{
    const slip_gear_options *first = &m->group.gears[0];
    slip_gear_sample *const samples[] = {&m->seen[0], &m->seen[1], &m->sample};
    const int64_t shafts = m->group.shaft_count, meshes = m->group.mesh_count;
    double *room = slip_arena_array(&m->arena, 9 * shafts + 4 * meshes, sizeof *room);
    SLIP_PASS(slip_allocated(m->ctx, room));
    for (int i = 0; i < 3; i++, room += 3 * shafts + meshes)
        *samples[i] = (slip_gear_sample){.time = NAN,
                                         .angle = room,
                                         .speed = room + shafts,
                                         .moment = room + 2 * shafts,
                                         .normal = room + 3 * shafts};
    m->normal = room;
    m->in_step = m->method->between != NULL;
    m->start = m->watched_at = NAN;
    m->rounding = rounding * first->young * pow(first->module, 3);
    m->what = "gears";
    m->share = 1;
    begin_work(m);
    const int status = m->method->open(m);
    end_work(m);
    return status;
}

static int open_motion(slip_context *ctx, const slip_system *system, const slip_method_options *o, double t,
                       const double *q, const double *v, void **self)
{
    slip_gear_motion *m;
    *self = NULL;
    if (t != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the start time is %g; expected 0 for gears", t);
    *self = m = slip_alloc(1, sizeof *m);
    SLIP_PASS(slip_allocated(ctx, m));
    m->ctx = ctx;
    m->setup = o->gears;
    m->contact_count = (int)system->contact_count;
    if (system->structure == &slip_structure_gears)
        SLIP_PASS(take_gears(m, system->bodies, o));
    else
        SLIP_PASS(slip_train_motion_take(m, system, o, q, v));
    return begin_motion(m);
}

static int look(void *self, slip_sample *now)
{
    slip_gear_motion *m = self;
    SLIP_PASS(m->method->measure(m, &m->sample));
    give_sample(m, &m->sample, now);
    return SLIP_OK;
}

static int advance(void *self, double end, const slip_observer *observer)
{
    slip_gear_motion *m = self;
    begin_work(m);
    m->observer = observer;
    m->end = end;
    m->past = observer->past && !m->train; /* a train is wanted at the end exactly */
    const int status = slip_gear_motion_go(m);
    if (status == SLIP_OK && !m->past)
        m->time = end; /* the method's own is rounded */
    end_work(m);
    return status;
}

static void tell_state(const void *self, double *t, double *q, double *v)
{
    slip_gear_motion *m = (slip_gear_motion *)self;
    *t = m->time;
    if (m->train && m->method->measure(m, &m->sample) >= 0)
        slip_train_motion_give(m, &m->sample, &(slip_sample){.q = q, .v = v});
}

static void count(const void *self, slip_method_counters *counters)
{
    const slip_gear_motion *m = self;
    *counters =
        (slip_method_counters){.steps = m->steps, .evaluations = m->evaluations, .residual = m->residual};
}

/* Saves or restores what the energy check and the detection of contact events need from earlier steps. */
static void keep_watch(slip_gear_motion *m, slip_keeper *k)
{
    double n[] = {m->start, m->put_in, m->watched_at};
    slip_keep(k, "watch", n, sizeof n / sizeof *n);
    slip_keep(k, "watched", m->normal, m->group.mesh_count);
    if (slip_kept_back(k))
        m->start = n[0], m->put_in = n[1], m->watched_at = n[2];
}

static void keep(void *self, slip_keeper *k)
{
    slip_gear_motion *m = self;
    if (!k->file)
        SLIP_KEEP_ALL(k, SLIP_BLOCK(m->time), SLIP_BLOCK(m->steps), SLIP_BLOCK(m->evaluations),
                      SLIP_BLOCK(m->step), SLIP_BLOCK(m->touching), SLIP_BLOCK(m->shown_to),
                      SLIP_BLOCK(m->residual));
    m->method->keep(m, k);
    if (m->train)
        slip_train_motion_keep(m, k);
    keep_watch(m, k);
    if (k->back)
        m->seen[0].time = m->seen[1].time = NAN;
    if (k->back && k->file)
        m->shown_to = fmin(m->time + m->step / 2, m->options.time);
}

/* Takes over the torques of another system, which must be equal in everything else. */
static int adopt(void *self, const slip_system *system)
{
    slip_gear_motion *m = self;
    const slip_gear_task *to = system->bodies;
    if (m->train)
        SLIP_PASS(slip_train_motion_adopt(m, system));
    for (int k = 0; k < m->group.gear_count && !m->train; k++)
        m->options.side[k].torque = to->options->side[k].torque;
    m->method->set_torques(m);
    return SLIP_OK;
}

#define SHARED                                                                                               \
    .solves_laws = true, .tells_contacts = true, .open = open_motion, .advance = advance,                    \
    .state = tell_state, .counters = count, .close = close_motion, .keep = keep, .look = look,               \
    .adopt = adopt, .numbers = hand_numbers

static const slip_method_type of_rk4 = {
    .info = {"rk4", "classical Runge-Kutta of order 4 with fixed steps", 0, 1}, SHARED};
const slip_method_type slip_gear_exponential = {
    .info = {"exponential", "gears with condensed flanks: modes are propagated exactly", 0, 1},
    .tolerance = 1e-4,
    .rests = true,
    SHARED};
const slip_method_type slip_gear_explicit = {
    .info = {"explicit", "gears as nonlinear finite elements: central differences", 0, 1},
    .checkpoints = true,
    .rests = true,
    SHARED};

const slip_structure slip_structure_gears = {
    .name = "gears",
    .methods = (const slip_method_type *const[]){&of_rk4, &slip_gear_exponential, &slip_gear_explicit, NULL}};
