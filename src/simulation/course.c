/* The course of a simulation: a method of the table (method/method.h) opened at a state.
 *
 * Methods do not handle changes: when a parameter or the state is set, the model is bound anew or the method
 * is opened again. Methods of structures with more state than q and v (gears) accept new loads only, refuse
 * every other change, and are never opened again. */
#include "simulation/course.h"

#include "gear/train/train.h"
#include "io/hdf5.h"
#include "result/result.h"
#include "simulation/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A state of a method that keeps its own state belongs to one run, which is identified by its settings. */

/* The first lines of two texts that differ; "nothing" where one has ended. */
typedef struct setting_pair {
    char found[120], expected[120];
} setting_pair;

static void copy_line(char to[120], const char *from)
{
    const size_t length = strcspn(from, "\n");
    if (length == 0)
        snprintf(to, 120, "nothing");
    else
        snprintf(to, 120, "%.*s", length < 119 ? (int)length : 119, from);
}

static bool differ(const char *found, const char *expected, setting_pair *pair)
{
    const char *a = found, *b = expected;
    if (strcmp(a, b) == 0)
        return false;
    for (size_t length = strcspn(a, "\n"); a[length] && strncmp(a, b, length + 1) == 0;
         length = strcspn(a, "\n")) {
        a += length + 1;
        b += length + 1;
    }
    copy_line(pair->found, a);
    copy_line(pair->expected, b);
    return true;
}

/* Writes the settings of a run. loads: include those that may change during the run. */
static int write(const slip_simulation *s, const slip_model *model, bool loads, slip_text *text)
{
    const slip_method_options options = slip_course_method_options(s, NULL);
    slip_model_gear_settings(model, slip_gear_effective(&model->gear_run, &options), loads, text);
    return text->failed ? slip_fail_memory(s->ctx) : SLIP_OK;
}

static int check_settings(const slip_simulation *s, const slip_model *model)
{
    SLIP_FREED_BY(slip_text_free) slip_text before = {0}, after = {0};
    setting_pair pair;
    SLIP_PASS(write(s, s->ready, false, &before));
    SLIP_PASS(write(s, model, false, &after));
    if (differ(after.data, before.data, &pair))
        return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                         "found `%s`, expected `%s`, as when the simulation was opened: of gears in motion "
                         "only `torque` follows a parameter; open another simulation",
                         pair.found, pair.expected);
    return SLIP_OK;
}

/* Saves the settings with the state; a state is restored only if they agree. */
static void keep_settings(const slip_simulation *s, slip_keeper *k)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    SLIP_FREED_BY(slip_text_free) slip_text own = {0};
    setting_pair pair;
    k->status = write(s, s->ready, k->file != NULL, &own);
    char *text = own.data;
    int64_t length = (int64_t)own.length;
    if (k->status >= 0 && k->file)
        k->status = k->back ? slip_h5_read_text(k->file, "/", "settings", &arena, &text)
                            : slip_h5_write_text(k->file, "/", "settings", text);
    if (k->status >= 0 && !k->file) {
        SLIP_KEEP(k, length);
        if (k->back && !(text = slip_arena_alloc(&arena, (size_t)length + 1)))
            k->status = slip_fail_memory(k->ctx);
        slip_keep_bytes(k, text, (size_t)length);
    }
    if (slip_kept_back(k) && differ(text ? text : "", own.data, &pair))
        k->status =
            k->file ? slip_fail(
                          k->ctx, SLIP_ERROR_MODEL,
                          "the checkpoint is of another run: found `%s` in it, expected `%s`; go on with the "
                          "settings of that run, or begin again with `--restart`",
                          pair.found, pair.expected)
                    : slip_fail(k->ctx, SLIP_ERROR_USAGE,
                                "slip_simulation_restore: found a state with `%s`, expected one with `%s`",
                                pair.found, pair.expected);
}

typedef struct slip_course course;

/* ---- Opening and closing. */

static bool allocate(course *l, const slip_system *system)
{
    const int64_t n = slip_system_size(system), contacts = system->contact_count;
    slip_sample *sample = &l->sample;
    double **const of_coordinates[] = {&l->q, &l->v, &sample->q, &sample->v, &sample->a};
    double **const of_contacts[] = {&sample->slip, &sample->normal, &sample->force, &sample->mode};
    bool complete = slip_method_memory_make(&l->arena, contacts, &l->memory);
    for (int k = 0; k < 5; k++) {
        *of_coordinates[k] = slip_arena_array(&l->arena, n, sizeof(double));
        complete = complete && *of_coordinates[k];
    }
    for (int k = 0; k < 4; k++) {
        *of_contacts[k] = slip_arena_array(&l->arena, contacts, sizeof(double));
        complete = complete && *of_contacts[k];
    }
    sample->patches = slip_arena_array(&l->arena, system->patch_count + 1, sizeof *sample->patches);
    sample->own = slip_arena_array(&l->arena, system->series_count, sizeof *sample->own);
    return complete && sample->patches && sample->own;
}

/* Replaces numbers of the model by given ones; NULL and NAN leave them unchanged. */
static void overlay(double *to, const double *given, int count)
{
    for (int i = 0; given && i < count; i++)
        to[i] = isnan(given[i]) ? to[i] : given[i];
}

static int set_initial(slip_simulation *s, const slip_run_options *run)
{
    const slip_model *model = s->ready;
    course *l = s->course;
    const size_t size = (size_t)slip_system_size(model->system) * sizeof(double);
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    slip_equilibrium rest = {.q = model->initial_q, .v = model->initial_v};
    if (model->initial_static && !l->settings.method->rests)
        SLIP_PASS(slip_equilibrium_find(s->ctx, model, &arena, &rest));
    memcpy(l->q, rest.q, size);
    memcpy(l->v, rest.v, size);
    overlay(l->q, run->start_q, slip_system_coordinates(model->system));
    overlay(l->v, run->start_v, model->system->n);
    return SLIP_OK;
}

/* Takes over the contact modes of the run that is continued. */
static void take_modes(slip_simulation *s, const slip_mode *modes)
{
    course *l = s->course;
    for (int64_t c = 0; modes && c < s->ready->system->contact_count; c++) {
        l->memory.modes[c] = modes[c];
        l->memory.known[c] = modes[c] == SLIP_MODE_STICK || modes[c] == SLIP_MODE_CLOSED;
        l->memory.gaps[c] = NAN;
        l->forget &= !l->memory.known[c];
    }
}

slip_method_options slip_course_method_options(const slip_simulation *s, const slip_method_memory *memory)
{
    course *l = s->course;
    const slip_run_options *v = &l->settings.values;
    return (slip_method_options){.name = l->settings.method->info.name,
                                 .tolerance = v->tolerance,
                                 .step = v->step,
                                 .theta = v->theta,
                                 .segments = v->segments,
                                 .span = l->span,
                                 .memory = memory,
                                 .rest = s->ready->initial_static && !l->method && !l->reopen,
                                 .tangent = l->tangent,
                                 .threads = l->gears.threads,
                                 .gears = &l->gears};
}

/* A method at the state where the simulation stands. */
static int open_method(slip_simulation *s, const slip_method_memory *memory, slip_motion **method)
{
    course *l = s->course;
    const slip_method_options options = slip_course_method_options(s, memory);
    return slip_motion_open(s->ctx, l->settings.method, s->ready->system, &options, s->t, l->q, l->v, method);
}

static void close_method(course *l)
{
    slip_motion_close(l->method);
    l->method = NULL;
}

/* Warns of a law with sliders under a method whose steps do not end where sliders begin or cease to slip. */
static void warn_of_sliders(const slip_simulation *s)
{
    const slip_system *system = s->ready->system;
    if (strcmp(s->course->settings.method->info.name, "rk4") != 0 || system->slider_count == 0)
        return;
    const slip_contact *contact = &system->contacts[system->sliders[0].contact];
    if (!contact->law.type->sliders)
        return;
    slip_log(
        s->ctx, SLIP_LOG_WARNING,
        "contact `%s`: law `%s` yields and turns at instants that the steps of `rk4` do not stop at, so that "
        "their errors go with the step and not with its fourth power; `event` has them exactly",
        contact->name, contact->law.type->info.name);
}

static void warn_of_stiff_laws(const slip_simulation *s)
{
    const slip_contact *contact = slip_method_stiff_contact(s->ready->system);
    const char *method = s->course->settings.method->info.name;
    if (contact && strcmp(method, "event") == 0)
        slip_log(s->ctx, SLIP_LOG_WARNING,
                 "contact `%s`: law `%s` is stiff, and method `smooth` is made for it; `event` takes "
                 "explicit steps "
                 "until they are too short",
                 contact->name, contact->law.type->info.name);
}

/* Warns of gears with too few modes (slip_train_lacks_modes). */
static void warn_of_few_modes(const slip_simulation *s)
{
    const slip_train *train = s->ready->bodies ? s->ready->bodies->train : NULL;
    char why[300];
    for (int b = 0; train && b < train->body_count; b++)
        if (slip_train_lacks_modes(&train->bodies[b], why, sizeof why))
            slip_log(s->ctx, SLIP_LOG_WARNING,
                     "body `%s`: %s; forces and speeds are off by some per cent, take more `modes`",
                     train->bodies[b].name, why);
}

int slip_course_open(slip_simulation *s, const slip_opening *opening)
{
    course *l = s->course = slip_alloc(1, sizeof *l);
    const slip_run_options *v;
    SLIP_PASS(slip_allocated(s->ctx, l));
    l->sampled_at = NAN;
    l->forget = true; /* until it has moved */
    l->gears = opening->gears;
    SLIP_PASS(slip_settings_resolve(s->ctx, s->ready, &opening->run, &l->settings));
    if (opening->whole)
        SLIP_PASS(slip_settings_check_span(s->ctx, &l->settings));
    SLIP_PASS(slip_allocated(s->ctx, allocate(l, s->ready->system)));
    v = &l->settings.values;
    s->t = v->start;
    l->span = l->settings.steady && isfinite(v->steady_period) ? (double)v->steady_within * v->steady_period
                                                               : v->end - v->start;
    if (isnan(l->span))
        l->span = INFINITY;
    SLIP_PASS(set_initial(s, &opening->run));
    SLIP_PASS(slip_model_check_initial(s->ctx, s->ready, s->t, l->q));
    SLIP_PASS(slip_system_check_states(s->ctx, s->ready->system, l->v));
    take_modes(s, opening->run.start_modes);
    warn_of_stiff_laws(s);
    warn_of_sliders(s);
    warn_of_few_modes(s);
    return open_method(s, l->forget ? NULL : &l->memory, &l->method);
}

void slip_course_close(slip_simulation *s)
{
    SLIP_FREED course *l = s->course;
    close_method(l);
    slip_gear_setup_free(&l->gears);
    slip_arena_free(&l->arena);
}

const slip_settings *slip_simulation_settings(const slip_simulation *s)
{
    return &s->course->settings;
}

int slip_simulation_numbers(slip_simulation *s, const slip_number_sink *sink)
{
    slip_motion *method = s->course->method; /* NULL: it could not be opened again */
    return method ? slip_motion_numbers(method, sink) : SLIP_OK;
}

void slip_simulation_counters(const slip_simulation *s, slip_method_counters *counters)
{
    const course *l = s->course;
    if (l->method)
        slip_motion_counters(l->method, counters);
}

double slip_simulation_resolution(const slip_simulation *s)
{
    slip_method_counters counters;
    slip_simulation_counters(s, &counters);
    return counters.resolution;
}

/* ---- Changes. */

/* Binds the model to the present parameters. */
int slip_course_rebind(slip_simulation *s)
{
    course *l = s->course;
    SLIP_FREED_BY(slip_model_drop) slip_model *bound = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_model_bind(s->ctx, s->model, s->values, &bound));
    if (slip_course_keeps(l)) {
        l->sampled_at = NAN;
        SLIP_PASS(check_settings(s, bound));
        return slip_motion_adopt(l->method, bound->system);
    }
    if (!l->forget)
        SLIP_PASS(status = slip_change_contacts(
                      s->ctx, &(slip_change){s->ready->system, bound->system, s->t, l->q, l->v, &l->memory}));
    close_method(l);
    slip_model_destroy(s->bound);
    s->bound = bound;
    s->ready = bound;
    bound = NULL;
    l->reopen = true;
    return status;
}

int slip_course_make_ready(slip_simulation *s)
{
    course *l = s->course;
    int status = SLIP_OK;
    if (!l->reopen)
        return SLIP_OK;
    close_method(l);
    SLIP_PASS(status = open_method(s, l->forget ? NULL : &l->memory, &l->method));
    l->reopen = false;
    return status;
}

int slip_course_set_state(slip_simulation *s, double time, const double *q, const double *v)
{
    course *l = s->course;
    const int n = slip_system_coordinates(s->ready->system);
    if (slip_course_keeps(l))
        return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                         "slip_simulation_set_state: gears have no coordinates that can be set; "
                         "slip_simulation_restore puts back a state that was saved");
    for (int i = 0; i < n; i++)
        if ((q && !isfinite(q[i])) || (v && !isfinite(v[i])))
            return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                             "slip_simulation_set_state: `%s` is not finite, expected a number",
                             s->ready->system->names[i]);
    SLIP_PASS(slip_model_check_initial(s->ctx, s->ready, time, q ? q : l->q));
    if (q)
        memcpy(l->q, q, (size_t)n * sizeof(double));
    if (v)
        memcpy(l->v, v, (size_t)n * sizeof(double));
    l->reopen = l->forget = true;
    l->sampled_at = NAN;
    return SLIP_OK;
}

int slip_course_set_states(slip_simulation *s, const double *states)
{
    course *l = s->course;
    const slip_system *system = s->ready->system;
    const int first = slip_system_coordinates(system);
    for (int k = 0; k < system->state_count; k++)
        if (!isfinite(states[k]))
            return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                             "slip_simulation_set_states: `%s` is not finite, expected a number",
                             system->names[first + k]);
    SLIP_PASS(slip_system_check_states(s->ctx, system, states - first));
    memcpy(l->v + first, states, (size_t)system->state_count * sizeof(double));
    l->reopen = l->forget = true;
    l->sampled_at = NAN;
    return SLIP_OK;
}

/* The method is opened again after saving and after restoring, so that both continue without history. */
void slip_course_keep(slip_simulation *s, slip_keeper *k)
{
    course *l = s->course;
    const size_t n = (size_t)slip_system_size(s->ready->system),
                 contacts = (size_t)s->ready->system->contact_count;
    l->sampled_at = k->back ? NAN : l->sampled_at;
    if (slip_course_keeps(l)) {
        keep_settings(s, k);
        if (k->status >= 0)
            slip_motion_keep(l->method, k);
        if (slip_kept_back(k))
            slip_motion_state(l->method, &s->t, l->q, l->v);
        return;
    }
    slip_keep_bytes(k, l->q, n * sizeof(double));
    slip_keep_bytes(k, l->v, n * sizeof(double));
    slip_keep_bytes(k, l->memory.modes, contacts * sizeof *l->memory.modes);
    slip_keep_bytes(k, l->memory.known, contacts * sizeof *l->memory.known);
    slip_keep_bytes(k, l->memory.gaps, contacts * sizeof *l->memory.gaps);
    SLIP_KEEP(k, l->forget);
    l->reopen = true;
}

/* ---- Looking. */

static void give_state(const slip_simulation *s, int first, int count, double *q, double *v)
{
    const course *l = s->course;
    const size_t size = (size_t)count * sizeof(double);
    if (q && count > 0)
        memcpy(q, l->q + first, size);
    if (v && count > 0)
        memcpy(v, l->v + first, size);
}

void slip_simulation_whole_state(const slip_simulation *s, double *q, double *v)
{
    give_state(s, 0, s->ready->system->n, q, v);
}

void slip_simulation_state(const slip_simulation *s, double *q, double *v)
{
    if (s)
        give_state(s, 0, slip_system_coordinates(s->ready->system), q, v);
}

void slip_simulation_states(const slip_simulation *s, double *states)
{
    if (s)
        give_state(s, slip_system_coordinates(s->ready->system), s->ready->system->state_count, NULL, states);
}

static int see_first(void *user, const slip_step *step)
{
    slip_simulation *s = user;
    course *l = s->course;
    step->sample(step->self, step->t0, &l->sample);
    l->sampled_at = s->t;
    return SLIP_STOPPED;
}

/* Takes a sample (accelerations and contact forces) of the present time: at the end of the last step, else at
 * the begin of the next one. */
static bool look(slip_simulation *s)
{
    course *l = s->course;
    const slip_observer observer = {.user = s, .step = see_first};
    const double t = s->t, ahead = isfinite(l->span) ? l->span : 1;
    slip_motion *method = NULL;
    if (l->sampled_at == t && !s->rebind && !l->reopen)
        return true;
    l->sampled_at = NAN;
    if (s->rebind && slip_course_rebind(s) < 0)
        return false;
    s->rebind = false;
    if (slip_course_keeps(l)) {
        l->sampled_at = slip_motion_look(l->method, &l->sample) < 0 ? NAN : t;
        return l->sampled_at == t;
    }
    if (open_method(s, l->forget ? NULL : &l->memory, &method) < 0)
        return false;
    slip_motion_advance(method, t + ahead, &observer);
    slip_motion_close(method);
    return l->sampled_at == t;
}

/* An output of this instant; not a number where there is none of that name. */
static double output_number(slip_simulation *s, const char *name)
{
    const slip_outputs *outputs = &s->ready->outputs;
    const slip_system *system = s->ready->system;
    const course *l = s->course;
    slip_output_room room;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double value = NAN, *values;
    int k = 0;
    while (k < outputs->count && strcmp(name, outputs->list[k].name) != 0)
        k++;
    if (k == outputs->count || !look(s))
        return NAN;
    outputs = &s->ready->outputs; /* perhaps with other parameters */
    slip_sample sample = l->sample;
    sample.q = l->q;
    sample.v = l->v;
    values = slip_arena_array(&arena, outputs->count, sizeof *values);
    if (values && slip_output_room_create(&room, &arena, outputs)) {
        slip_outputs_find(outputs, &room, slip_system_coordinates(system), (int)system->contact_count,
                          system->patch_count, s->t, &sample, values);
        value = values[k];
    }
    return value;
}

double slip_course_number(slip_simulation *s, const char *name)
{
    const slip_system *system = s->ready->system;
    const course *l = s->course;
    for (int i = 0; i < system->n; i++) {
        const size_t length = strlen(system->names[i]);
        const char *rest = name + length;
        if (strncmp(name, system->names[i], length) != 0)
            continue;
        if (i >= slip_system_coordinates(system)) {
            if (!*rest)
                return l->v[i];
            continue;
        }
        if (!*rest || strcmp(rest, "'") == 0)
            return *rest ? l->v[i] : l->q[i];
        if (strcmp(rest, "''") == 0)
            return look(s) ? l->sample.a[i] : NAN;
    }
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const size_t length = strlen(contact->name);
        const double *const values[] = {l->sample.slip, l->sample.normal, l->sample.force, l->sample.mode};
        if (strncmp(name, contact->name, length) != 0 || name[length] != '.')
            continue;
        const char *part = name + length + 1;
        for (int k = 0; k < 4; k++)
            if (strcmp(part, slip_contact_parts[k]) == 0)
                return look(s) ? values[k][c] : NAN;
        for (int k = 0; k < contact->shown; k++)
            if (strcmp(part, slip_patch_parts[k]) == 0) {
                const slip_patch_state *patch = &l->sample.patches[contact->vector];
                return look(s) ? (k < 3 ? patch->slip[k] : patch->force[k - 3]) : NAN;
            }
    }
    for (int k = 0; k < system->series_count; k++)
        if (strcmp(name, system->series[k].name) == 0)
            return look(s) ? l->sample.own[k] : NAN;
    return output_number(s, name);
}

slip_mode slip_course_mode(slip_simulation *s, const char *contact)
{
    const course *l = s->course;
    for (int c = 0; c < (int)s->ready->system->contact_count; c++)
        if (strcmp(contact, s->ready->system->contacts[c].name) == 0)
            return look(s) ? (slip_mode)l->sample.mode[c] : SLIP_MODE_OPEN;
    return SLIP_MODE_OPEN;
}
