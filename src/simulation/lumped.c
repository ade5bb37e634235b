/* The engine of lumped systems: a method of the table (method/method.h) opened at a state.
 *
 * Methods know nothing of changes: where a parameter gets another number or the state is set, the model is
 * bound anew or the method is opened again. */
#include "method/motion.h"
#include "result/result.h"
#include "simulation/equilibrium.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct lumped {
    slip_settings settings;
    double span; /* of the whole run; infinite where that is not known */
    slip_motion *method;
    slip_arena arena;
    double *q, *v; /* where it stands */
    slip_method_memory memory;
    slip_sample sample;           /* of the instant sampled_at */
    double sampled_at;            /* NAN: of none */
    bool reopen;                  /* the method must be opened again before the next step, */
    bool forget;                  /* without memory: the state was set */
    struct slip_tangent *tangent; /* that the method has; NULL: none */
} lumped;

/* ---- Opening and closing. */

static bool takes(const slip_model *model)
{
    (void)model;
    return true;
}

static bool allocate(lumped *l, const slip_system *system)
{
    const int64_t n = slip_system_size(system), contacts = system->contact_count;
    slip_sample *sample = &l->sample;
    double **const of_coordinates[] = {&l->q, &l->v, &sample->q, &sample->v, &sample->a};
    double **const of_contacts[] = {&sample->slip, &sample->normal, &sample->force, &sample->mode,
                                    &l->memory.gaps};
    bool complete = true;
    for (int k = 0; k < 5; k++) {
        *of_coordinates[k] = slip_arena_array(&l->arena, n, sizeof(double));
        *of_contacts[k] = slip_arena_array(&l->arena, contacts, sizeof(double));
        complete = complete && *of_coordinates[k] && *of_contacts[k];
    }
    l->memory.modes = slip_arena_array(&l->arena, contacts, sizeof *l->memory.modes);
    l->memory.known = slip_arena_array(&l->arena, contacts, sizeof *l->memory.known);
    sample->patches = slip_arena_array(&l->arena, system->patch_count + 1, sizeof *sample->patches);
    return complete && l->memory.modes && l->memory.known && sample->patches;
}

/* Numbers in place of the model's; NULL and NAN leave those. */
static void overlay(double *to, const double *given, int count)
{
    for (int i = 0; given && i < count; i++)
        to[i] = isnan(given[i]) ? to[i] : given[i];
}

static int set_initial(slip_simulation *s, const slip_run_options *run)
{
    const slip_model *model = s->ready;
    lumped *l = s->self;
    const size_t size = (size_t)slip_system_size(model->system) * sizeof(double);
    slip_arena arena = {0};
    slip_equilibrium rest = {.q = model->initial_q, .v = model->initial_v};
    int status = SLIP_OK;
    if (model->initial_static)
        SLIP_TRY(slip_equilibrium_find(s->ctx, model, &arena, &rest));
    memcpy(l->q, rest.q, size);
    memcpy(l->v, rest.v, size);
    overlay(l->q, run->start_q, slip_system_coordinates(model->system));
    overlay(l->v, run->start_v, model->system->n);
done:
    slip_arena_free(&arena);
    return status;
}

/* A method at the state where the simulation stands. */
static int open_method(const slip_simulation *s, const slip_method_memory *memory, slip_motion **method)
{
    const lumped *l = s->self;
    const slip_run_options *v = &l->settings.values;
    const slip_method_options options = {.tolerance = v->tolerance,
                                         .step = v->step,
                                         .theta = v->theta,
                                         .segments = v->segments,
                                         .span = l->span,
                                         .memory = memory,
                                         .tangent = l->tangent};
    return slip_motion_open(s->ctx, l->settings.method, s->ready->system, &options, s->t, l->q, l->v, method);
}

static void close_method(lumped *l)
{
    slip_motion_close(l->method);
    l->method = NULL;
}

/* Steps that do not end where sliders yield and turn. */
static void warn_of_sliders(const slip_simulation *s)
{
    const slip_system *system = s->ready->system;
    if (strcmp(((const lumped *)s->self)->settings.method->info.name, "rk4") != 0 ||
        system->slider_count == 0)
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
    const char *method = ((const lumped *)s->self)->settings.method->info.name;
    if (contact && strcmp(method, "event") == 0)
        slip_log(s->ctx, SLIP_LOG_WARNING,
                 "contact `%s`: law `%s` is stiff, and method `smooth` is made for it; `event` takes "
                 "explicit steps "
                 "until they are too short",
                 contact->name, contact->law.type->info.name);
}

static int open(slip_simulation *s, const slip_opening *opening)
{
    lumped *l = s->self = slip_alloc(1, sizeof *l);
    const slip_run_options *v;
    int status;
    if (!l)
        return slip_fail_memory(s->ctx);
    l->sampled_at = NAN;
    l->forget = true; /* until it has moved */
    SLIP_TRY(slip_settings_resolve(s->ctx, s->ready, &opening->run, &l->settings));
    if (opening->whole)
        SLIP_TRY(slip_settings_check_span(s->ctx, &l->settings));
    SLIP_TRY(allocate(l, s->ready->system) ? SLIP_OK : slip_fail_memory(s->ctx));
    v = &l->settings.values;
    s->t = v->start;
    l->span = l->settings.steady && isfinite(v->steady_period) ? (double)v->steady_within * v->steady_period
                                                               : v->end - v->start;
    if (isnan(l->span))
        l->span = INFINITY;
    SLIP_TRY(set_initial(s, &opening->run));
    SLIP_TRY(slip_model_check_initial(s->ctx, s->ready, s->t, l->q));
    SLIP_TRY(slip_system_check_states(s->ctx, s->ready->system, l->v));
    warn_of_stiff_laws(s);
    warn_of_sliders(s);
    SLIP_TRY(open_method(s, NULL, &l->method));
done:
    return status;
}

static void close(slip_simulation *s)
{
    lumped *l = s->self;
    close_method(l);
    slip_arena_free(&l->arena);
    free(l);
}

const slip_settings *slip_simulation_settings(const slip_simulation *s)
{
    return &((const lumped *)s->self)->settings;
}

void slip_simulation_counters(const slip_simulation *s, slip_method_counters *counters)
{
    const lumped *l = s->self;
    slip_motion_counters(l->method, counters);
}

/* ---- Changes. */

/* A number of a contact at this state, by the old model and by the new one. */
typedef struct moved {
    double before, after, size; /* size: of the parts that it is a sum of */
} moved;

static bool has_moved(moved m)
{
    return fabs(m.after - m.before) > 1e-12 * m.size;
}

/* What the memory says of a contact whose belt, plate or stop has changed at a jump no longer holds: it is
 * decided anew, and flies on where it was open. A stop that would be inside the body is refused. */
static int adopt_contact(slip_simulation *s, const slip_system *to, slip_workspace *const work[2], int c)
{
    lumped *l = s->self;
    const slip_system *const systems[2] = {s->ready->system, to};
    const bool unilateral = to->contacts[c].has_gap;
    moved slip, gap = {0}, rate = {0};
    double numbers[3][2];
    for (int k = 0; k < 2; k++) {
        numbers[0][k] = slip_system_slip(systems[k], work[k], c, s->t, l->q, l->v);
        numbers[1][k] = unilateral ? slip_system_gap(systems[k], work[k], c, s->t, l->q) : 0;
        numbers[2][k] = unilateral ? slip_system_gap_rate(systems[k], work[k], c, s->t, l->q, l->v) : 0;
    }
    slip = (moved){numbers[0][0], numbers[0][1],
                   to->contacts[c].patch ? fabs(numbers[0][1])
                                         : slip_system_slip_size(to, work[1], c, s->t, l->q, l->v)};
    if (unilateral) {
        gap = (moved){numbers[1][0], numbers[1][1], slip_system_gap_size(to, work[1], c, s->t, l->q)};
        rate = (moved){numbers[2][0], numbers[2][1],
                       slip_system_gap_rate_size(to, work[1], c, s->t, l->q, l->v)};
    }
    if (has_moved(gap) && gap.after < -1e-9 * gap.size)
        return slip_fail(
            s->ctx, SLIP_ERROR_USAGE,
            "slip_simulation_input: the gap of `%s` would be %.9g at t = %.9g, expected a stop that does not "
            "jump into the body",
            to->contacts[c].name, gap.after, s->t);
    if (has_moved(gap) && l->memory.modes[c] == SLIP_MODE_OPEN)
        l->memory.gaps[c] += gap.after - gap.before;
    else if (has_moved(slip) || has_moved(gap) || has_moved(rate)) {
        l->memory.known[c] = false;
        l->memory.gaps[c] = NAN;
    }
    return SLIP_OK;
}

static int adopt_contacts(slip_simulation *s, const slip_system *to)
{
    slip_workspace *work[2] = {NULL};
    int status;
    SLIP_TRY(slip_workspace_create(s->ctx, s->ready->system, &work[0]));
    SLIP_TRY(slip_workspace_create(s->ctx, to, &work[1]));
    for (int c = 0; c < (int)to->contact_count; c++)
        SLIP_TRY(adopt_contact(s, to, work, c));
done:
    slip_workspace_destroy(work[0]);
    slip_workspace_destroy(work[1]);
    return status;
}

/* The model with the numbers that were given meanwhile. */
static int rebind(slip_simulation *s)
{
    lumped *l = s->self;
    slip_model *bound = NULL;
    int status;
    SLIP_TRY(slip_model_bind(s->ctx, s->model, s->values, &bound));
    if (!l->forget)
        SLIP_TRY(adopt_contacts(s, bound->system));
    close_method(l);
    slip_model_destroy(s->bound);
    s->bound = bound;
    s->ready = bound;
    bound = NULL;
    l->reopen = true;
done:
    slip_model_destroy(bound);
    return status;
}

static int make_ready(slip_simulation *s)
{
    lumped *l = s->self;
    int status = SLIP_OK;
    if (!l->reopen)
        return SLIP_OK;
    close_method(l);
    SLIP_TRY(open_method(s, l->forget ? NULL : &l->memory, &l->method));
    l->reopen = false;
done:
    return status;
}

static int set_state(slip_simulation *s, double time, const double *q, const double *v)
{
    lumped *l = s->self;
    const int n = slip_system_coordinates(s->ready->system);
    int status;
    for (int i = 0; i < n; i++)
        if ((q && !isfinite(q[i])) || (v && !isfinite(v[i])))
            return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                             "slip_simulation_set_state: `%s` is not finite, expected a number",
                             s->ready->system->names[i]);
    SLIP_TRY(slip_model_check_initial(s->ctx, s->ready, time, q ? q : l->q));
    if (q)
        memcpy(l->q, q, (size_t)n * sizeof(double));
    if (v)
        memcpy(l->v, v, (size_t)n * sizeof(double));
    l->reopen = l->forget = true;
    l->sampled_at = NAN;
done:
    return status;
}

static int set_states(slip_simulation *s, const double *states)
{
    lumped *l = s->self;
    const slip_system *system = s->ready->system;
    const int first = slip_system_coordinates(system);
    for (int k = 0; k < system->state_count; k++)
        if (!isfinite(states[k]))
            return slip_fail(s->ctx, SLIP_ERROR_USAGE,
                             "slip_simulation_set_states: `%s` is not finite, expected a number",
                             system->names[first + k]);
    const int status = slip_system_check_states(s->ctx, system, states - first);
    if (status < 0)
        return status;
    memcpy(l->v + first, states, (size_t)system->state_count * sizeof(double));
    l->reopen = l->forget = true;
    l->sampled_at = NAN;
    return SLIP_OK;
}

/* Whoever goes on, after saving or after restoring, opens the method again: both then have the same history,
 * none. */
static void keep(slip_simulation *s, slip_keeper *k)
{
    lumped *l = s->self;
    const size_t n = (size_t)slip_system_size(s->ready->system),
                 contacts = (size_t)s->ready->system->contact_count;
    slip_keep_bytes(k, l->q, n * sizeof(double));
    slip_keep_bytes(k, l->v, n * sizeof(double));
    slip_keep_bytes(k, l->memory.modes, contacts * sizeof *l->memory.modes);
    slip_keep_bytes(k, l->memory.known, contacts * sizeof *l->memory.known);
    slip_keep_bytes(k, l->memory.gaps, contacts * sizeof *l->memory.gaps);
    SLIP_KEEP(k, l->forget);
    l->reopen = true;
    if (k->back)
        l->sampled_at = NAN;
}

/* ---- Looking. */

static void give_state(const slip_simulation *s, int first, int count, double *q, double *v)
{
    const lumped *l = s->self;
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
    lumped *l = s->self;
    step->sample(step->self, step->t0, &l->sample);
    l->sampled_at = s->t;
    return SLIP_STOPPED;
}

/* Accelerations and contact forces of this instant: those of the step that ended here, or else of the one
 * that would come. */
static bool look(slip_simulation *s)
{
    lumped *l = s->self;
    const slip_observer observer = {.user = s, .step = see_first};
    const double t = s->t, ahead = isfinite(l->span) ? l->span : 1;
    slip_motion *method = NULL;
    if (l->sampled_at == t && !s->rebind && !l->reopen)
        return true;
    l->sampled_at = NAN;
    if (s->rebind && rebind(s) < 0)
        return false;
    s->rebind = false;
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
    const lumped *l = s->self;
    slip_output_room room;
    slip_arena arena = {0};
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
    slip_arena_free(&arena);
    return value;
}

static double number(slip_simulation *s, const char *name)
{
    const slip_system *system = s->ready->system;
    const lumped *l = s->self;
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
        for (int k = 0; k < 6 && contact->patch; k++)
            if (strcmp(part, slip_patch_parts[k]) == 0) {
                const slip_patch_state *patch = &l->sample.patches[contact->patch->index];
                return look(s) ? (k < 3 ? patch->slip[k] : patch->force[k - 3]) : NAN;
            }
    }
    return output_number(s, name);
}

static slip_mode mode(slip_simulation *s, const char *contact)
{
    const lumped *l = s->self;
    for (int c = 0; c < (int)s->ready->system->contact_count; c++)
        if (strcmp(contact, s->ready->system->contacts[c].name) == 0)
            return look(s) ? (slip_mode)l->sample.mode[c] : SLIP_MODE_OPEN;
    return SLIP_MODE_OPEN;
}

/* ---- Conditions. */

static const slip_symbol *symbols(slip_simulation *s, slip_arena *arena, int *slots)
{
    const slip_system *system = s->ready->system;
    *slots = 1 + 2 * system->n;
    return slip_system_symbols(arena, system->n, system->state_count, (const char *const *)system->names,
                               s->ready->parameters, &s->ready->inputs);
}

static void fill_slots(int n, double t, const double *q, const double *v, double *slots)
{
    slots[0] = t;
    memcpy(slots + 1, q, (size_t)n * sizeof(double));
    memcpy(slots + 1 + n, v, (size_t)n * sizeof(double));
}

static int fill(slip_simulation *s, double *slots)
{
    const lumped *l = s->self;
    fill_slots(s->ready->system->n, s->t, l->q, l->v, slots);
    return SLIP_OK;
}

/* ---- Advancing. */

void slip_simulation_follow(slip_simulation *s, struct slip_tangent *tangent)
{
    lumped *l = s->self;
    l->tangent = tangent;
    l->reopen = true;
    l->sampled_at = NAN;
}

/* What the observer of an advance needs. */
typedef struct observation {
    slip_simulation *s;
    double end;
    slip_watch *watch; /* NULL: none */
} observation;

static double condition_at(const observation *o, double t, const double *q, const double *v)
{
    fill_slots(o->s->ready->system->n, t, q, v, o->watch->slots);
    return slip_watch_value(o->watch);
}

static double condition_inside(const observation *o, const slip_step *step, double t)
{
    slip_sample *at = &((lumped *)o->s->self)->sample;
    step->state(step->self, t, at->q, at->v);
    return condition_at(o, t, at->q, at->v);
}

/* Bisection to the last bit: the instant at which the condition has passed zero. */
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

/* Looks at some instants of the step, so that a condition that passes zero twice in it is mostly seen. */
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

/* Where the condition is met inside a step, the simulation is taken back to the start of that step. */
static int take_back(slip_simulation *s, const slip_step *step)
{
    lumped *l = s->self;
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

static int see_step(void *user, const slip_step *step)
{
    const observation *o = user;
    lumped *l = o->s->self;
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
    const slip_run_options *v = &((const lumped *)o->s->self)->settings.values;
    return v->event_observer && v->event_observer(v->observer_user, event) != 0 ? SLIP_STOPPED : SLIP_OK;
}

/* Where the method is now. */
static void see_state(slip_simulation *s)
{
    lumped *l = s->self;
    slip_motion_state(l->method, &s->t, l->q, l->v);
    slip_motion_remember(l->method, &l->memory);
}

int slip_simulation_observe(slip_simulation *s, double end, const slip_observer *observer)
{
    lumped *l = s->self;
    int status = make_ready(s);
    if (status < 0)
        return status;
    status = slip_motion_advance(l->method, end, observer);
    l->forget = false;
    if (!l->reopen) /* else it was taken back */
        see_state(s);
    return status;
}

static int advance(slip_simulation *s, double end, slip_watch *watch)
{
    observation to = {.s = s, .end = end, .watch = watch};
    const slip_observer observer = {.user = &to, .step = see_step, .event = see_event};
    const lumped *l = s->self;
    int status = slip_simulation_observe(s, end, &observer);
    if (status < 0 || !l->reopen)
        return status;
    status = advance(s, watch->found, NULL);
    return status == SLIP_OK ? SLIP_STOPPED : status;
}

const slip_engine slip_engine_lumped = {.takes = takes,
                                        .open = open,
                                        .close = close,
                                        .advance = advance,
                                        .number = number,
                                        .mode = mode,
                                        .symbols = symbols,
                                        .fill = fill,
                                        .rebind = rebind,
                                        .set_state = set_state,
                                        .set_states = set_states,
                                        .keep = keep};
