#include "simulation/simulation.h"

#include "simulation/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_simulation_options, .start = NAN, .tolerance = NAN, .step = NAN, .theta = NAN)

/* ---- Opening and closing. */

static bool allocate(slip_simulation *s)
{
    const int64_t n = s->ready->system->n, contacts = s->ready->system->contact_count;
    slip_sample *sample = &s->sample;
    double **const of_coordinates[] = {&s->q, &s->v, &sample->q, &sample->v, &sample->a};
    double **const of_contacts[] = {&sample->slip, &sample->normal, &sample->force, &sample->mode,
                                    &s->memory.gaps};
    bool complete = true;
    for (int k = 0; k < 5; k++) {
        *of_coordinates[k] = slip_arena_array(&s->arena, n, sizeof(double));
        *of_contacts[k] = slip_arena_array(&s->arena, contacts, sizeof(double));
        complete = complete && *of_coordinates[k] && *of_contacts[k];
    }
    s->memory.modes = slip_arena_array(&s->arena, contacts, sizeof *s->memory.modes);
    s->memory.known = slip_arena_array(&s->arena, contacts, sizeof *s->memory.known);
    sample->patches = slip_arena_array(&s->arena, s->ready->system->patch_count + 1, sizeof *sample->patches);
    return complete && s->memory.modes && s->memory.known && sample->patches;
}

static int set_initial(slip_simulation *s)
{
    const slip_model *model = s->ready;
    const size_t size = (size_t)model->system->n * sizeof(double);
    if (model->initial_static)
        return slip_scene_initial(s->ctx, model, s->q);
    memcpy(s->q, model->initial_q, size);
    memcpy(s->v, model->initial_v, size);
    return SLIP_OK;
}

/* A method at the state where the simulation stands. */
static int open_method(const slip_simulation *s, const slip_method_memory *memory, void **method)
{
    const slip_run_options *v = &s->settings.values;
    const slip_method_options options = {.tolerance = v->tolerance,
                                         .step = v->step,
                                         .theta = v->theta,
                                         .segments = v->segments,
                                         .span = s->span,
                                         .memory = memory};
    return s->settings.method->open(s->ctx, s->ready->system, &options, s->t, s->q, s->v, method);
}

static void close_method(slip_simulation *s)
{
    if (s->method)
        s->settings.method->close(s->method);
    s->method = NULL;
}

static int open_simulation(slip_context *ctx, const slip_model *model, const slip_values *values,
                           const slip_run_options *options, bool whole, slip_simulation **result)
{
    slip_simulation *s = slip_alloc(1, sizeof *s);
    const slip_run_options *v;
    int status;
    *result = NULL;
    if (!s)
        return slip_fail_memory(ctx);
    s->ctx = ctx;
    s->model = model;
    s->sampled_at = s->stopped_at = NAN;
    s->forget = true; /* until it has moved */
    SLIP_TRY(slip_model_ready(ctx, model, values, &s->bound, &s->ready));
    if (values)
        SLIP_TRY(slip_values_copy(ctx, values, &s->values));
    SLIP_TRY(slip_settings_resolve(ctx, s->ready, options, &s->settings));
    if (whole)
        SLIP_TRY(slip_settings_check_span(ctx, &s->settings));
    if (!allocate(s)) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    v = &s->settings.values;
    s->t = v->start;
    s->span = s->settings.steady ? (double)v->steady_within * v->steady_period : v->end - v->start;
    if (isnan(s->span))
        s->span = INFINITY;
    SLIP_TRY(set_initial(s));
    SLIP_TRY(slip_model_check_initial(ctx, s->ready, s->t, s->q));
    SLIP_TRY(open_method(s, NULL, &s->method));
    *result = s;
    s = NULL;
done:
    slip_simulation_close(s);
    return status;
}

int slip_simulation_open_run(slip_context *ctx, const slip_model *model, const slip_values *values,
                             const slip_run_options *options, slip_simulation **simulation)
{
    return open_simulation(ctx, model, values, options, true, simulation);
}

int slip_simulation_open(slip_context *ctx, const slip_model *model, const slip_values *values,
                         const slip_simulation_options *given, slip_simulation **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, model, result);
    SLIP_TAKE(slip_simulation_options, all, given);
    slip_run_options run = slip_run_options_default();
    slip_context_clear(ctx);
    run.method = all->method;
    run.segments = all->segments;
    run.start = all->start;
    run.tolerance = all->tolerance;
    run.step = all->step;
    run.theta = all->theta;
    run.step_observer = all->step_observer;
    run.event_observer = all->event_observer;
    run.observer_user = all->observer_user;
    return open_simulation(ctx, model, values, &run, false, result);
}

void slip_simulation_close(slip_simulation *s)
{
    if (!s)
        return;
    close_method(s);
    slip_model_destroy(s->bound);
    slip_values_destroy(s->values);
    slip_arena_free(&s->arena);
    free(s);
}

/* ---- Advancing. */

/* The model with the numbers that were given meanwhile. */
static int bind_again(slip_simulation *s)
{
    slip_model *bound = NULL;
    int status = slip_model_bind(s->ctx, s->model, s->values, &bound);
    if (status < 0)
        return status;
    close_method(s);
    slip_model_destroy(s->bound);
    s->bound = bound;
    s->ready = bound;
    s->rebind = false;
    return SLIP_OK;
}

int slip_simulation_make_ready(slip_simulation *s)
{
    int status = SLIP_OK;
    if (!s->rebind && !s->reopen)
        return SLIP_OK;
    if (s->rebind)
        SLIP_TRY(bind_again(s));
    close_method(s);
    SLIP_TRY(open_method(s, s->forget ? NULL : &s->memory, &s->method));
    s->reopen = false;
done:
    return status;
}

int slip_simulation_observe(slip_simulation *s, double end, const slip_observer *observer)
{
    const slip_method_type *method = s->settings.method;
    int status = slip_simulation_make_ready(s);
    if (status < 0)
        return status;
    status = method->advance(s->method, end, observer);
    method->state(s->method, &s->t, s->q, s->v);
    method->remember(s->method, &s->memory);
    s->forget = false;
    return status;
}

int slip_simulation_check(slip_context *ctx, const slip_simulation *s, const char *what, double time)
{
    slip_context_clear(ctx);
    if (ctx != s->ctx)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: found another context, expected the one that the simulation was opened with",
                         what);
    if (!isfinite(time))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: the time is %g, expected a finite number", what, time);
    return SLIP_OK;
}

/* ---- Looking. */

double slip_simulation_time(const slip_simulation *s)
{
    return s ? s->t : NAN;
}

void slip_simulation_state(const slip_simulation *s, double *q, double *v)
{
    const size_t size = s ? (size_t)s->ready->system->n * sizeof(double) : 0;
    if (q && s)
        memcpy(q, s->q, size);
    if (v && s)
        memcpy(v, s->v, size);
}

static int see_first(void *user, const slip_step *step)
{
    slip_simulation *s = user;
    step->sample(step->self, step->t0, &s->sample);
    s->sampled_at = s->t;
    return SLIP_STOPPED;
}

/* Accelerations and contact forces of this instant: those of the step that ended here, or else of the one
 * that would come. */
static bool look(slip_simulation *s)
{
    const slip_observer observer = {.user = s, .step = see_first};
    const double t = s->t, ahead = isfinite(s->span) ? s->span : 1;
    void *method = NULL;
    if (s->sampled_at == t && !s->rebind && !s->reopen)
        return true;
    s->sampled_at = NAN;
    if (s->rebind && bind_again(s) < 0)
        return false;
    if (open_method(s, s->forget ? NULL : &s->memory, &method) < 0)
        return false;
    s->settings.method->advance(method, t + ahead, &observer);
    s->settings.method->close(method);
    if (!s->method) /* it was closed with the old numbers */
        s->reopen = true;
    return s->sampled_at == t;
}

/* An output of this instant; not a number where there is none of that name. */
static double output_number(slip_simulation *s, const char *name)
{
    const slip_outputs *outputs = &s->ready->outputs;
    const slip_system *system = s->ready->system;
    slip_output_room room;
    slip_arena arena = {0};
    double value = NAN, *values;
    int k = 0;
    while (k < outputs->count && strcmp(name, outputs->list[k].name) != 0)
        k++;
    if (k == outputs->count || !look(s))
        return NAN;
    outputs = &s->ready->outputs; /* perhaps with other parameters */
    slip_sample sample = s->sample;
    sample.q = s->q;
    sample.v = s->v;
    values = slip_arena_array(&arena, outputs->count, sizeof *values);
    if (values && slip_output_room_create(&room, &arena, outputs)) {
        slip_outputs_find(outputs, &room, system->n, (int)system->contact_count, system->patch_count, s->t,
                          &sample, values);
        value = values[k];
    }
    slip_arena_free(&arena);
    return value;
}

double slip_simulation_number(slip_simulation *s, const char *name)
{
    static const char *const parts[] = {".slip", ".normal", ".force", ".mode"};
    static const char *const patch_parts[] = {".slip_x",  ".slip_y",  ".spin",
                                              ".force_x", ".force_y", ".moment"};
    const slip_system *system = s ? s->ready->system : NULL;
    if (!s || !name)
        return NAN;
    if (strcmp(name, "t") == 0)
        return s->t;
    for (int i = 0; i < system->n; i++) {
        const size_t length = strlen(system->names[i]);
        const char *rest = name + length;
        if (strncmp(name, system->names[i], length) != 0)
            continue;
        if (!*rest || strcmp(rest, "'") == 0)
            return *rest ? s->v[i] : s->q[i];
        if (strcmp(rest, "''") == 0)
            return look(s) ? s->sample.a[i] : NAN;
    }
    for (int c = 0; c < (int)system->contact_count; c++) {
        const slip_contact *contact = &system->contacts[c];
        const size_t length = strlen(contact->name);
        const double *const values[] = {s->sample.slip, s->sample.normal, s->sample.force, s->sample.mode};
        if (strncmp(name, contact->name, length) != 0)
            continue;
        for (int k = 0; k < 4; k++)
            if (strcmp(name + length, parts[k]) == 0)
                return look(s) ? values[k][c] : NAN;
        for (int k = 0; k < 6 && contact->patch; k++)
            if (strcmp(name + length, patch_parts[k]) == 0) {
                const slip_patch_state *patch = &s->sample.patches[contact->patch->index];
                return look(s) ? (k < 3 ? patch->slip[k] : patch->force[k - 3]) : NAN;
            }
    }
    return output_number(s, name);
}

slip_mode slip_simulation_mode(slip_simulation *s, const char *contact)
{
    for (int c = 0; s && contact && c < (int)s->ready->system->contact_count; c++)
        if (strcmp(contact, s->ready->system->contacts[c].name) == 0)
            return look(s) ? (slip_mode)s->sample.mode[c] : SLIP_MODE_OPEN;
    return SLIP_MODE_OPEN;
}

void slip_simulation_counters(const slip_simulation *s, slip_method_counters *counters)
{
    s->settings.method->counters(s->method, counters);
}

/* ---- Changing. */

int slip_simulation_input(slip_simulation *s, const char *name, double value)
{
    int status;
    if (!s)
        return SLIP_ERROR_USAGE;
    slip_context_clear(s->ctx);
    if (!s->values)
        SLIP_TRY(slip_values_create(s->ctx, s->model, &s->values));
    if (slip_values_number(s->values, name) == value)
        return SLIP_OK;
    SLIP_TRY(slip_values_set(s->ctx, s->values, name, value));
    s->rebind = true;
done:
    return status;
}

int slip_simulation_set_state(slip_context *ctx, slip_simulation *s, double time, const double *q,
                              const double *v)
{
    SLIP_NEED(ctx, s);
    int status = slip_simulation_check(ctx, s, "slip_simulation_set_state", time), n;
    if (status < 0)
        return status;
    n = s->ready->system->n;
    for (int i = 0; i < n; i++)
        if ((q && !isfinite(q[i])) || (v && !isfinite(v[i])))
            return slip_fail(ctx, SLIP_ERROR_USAGE,
                             "slip_simulation_set_state: `%s` is not finite, expected a number",
                             s->ready->system->names[i]);
    SLIP_TRY(slip_model_check_initial(ctx, s->ready, time, q ? q : s->q));
    s->t = time;
    if (q)
        memcpy(s->q, q, (size_t)n * sizeof(double));
    if (v)
        memcpy(s->v, v, (size_t)n * sizeof(double));
    s->reopen = s->forget = true;
    s->sampled_at = s->stopped_at = NAN;
done:
    return status;
}
