/* The public simulation object: open, advance, query, change, save and restore, close. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_simulation_options, .start = NAN, .tolerance = NAN, .step = NAN, .theta = NAN)

/* ---- Opening and closing. */

int slip_simulation_open_with(slip_context *ctx, const slip_model *model, const slip_values *values,
                              const slip_opening *opening, slip_simulation **result)
{
    SLIP_FREED_BY(slip_simulation_drop) slip_simulation *s = slip_alloc(1, sizeof *s);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    s->ctx = ctx;
    s->model = model;
    s->stopped_at = NAN;
    SLIP_PASS(slip_model_ready(ctx, model, values, &s->bound, &s->ready));
    if (values)
        SLIP_PASS(slip_values_copy(ctx, values, &s->values));
    SLIP_PASS(slip_course_open(s, opening));
    SLIP_HAND(result, s);
    return SLIP_OK;
}

int slip_simulation_open_run(slip_context *ctx, const slip_model *model, const slip_values *values,
                             const slip_run_options *options, slip_simulation **simulation)
{
    return slip_simulation_open_with(ctx, model, values, &(slip_opening){.run = *options, .whole = true},
                                     simulation);
}

int slip_simulation_open(slip_context *ctx, const slip_model *model, const slip_values *values,
                         const slip_simulation_options *given, slip_simulation **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_simulation_options, all, given);
    slip_opening opening = {
        .run = slip_run_options_default(),
        .gears = {.given = {all->bodies[0], all->bodies[1]}, .threads = all->threads, .device = all->device}};
    slip_run_options *run = &opening.run;
    slip_context_clear(ctx);
    run->method = all->method;
    run->segments = all->segments;
    run->start = all->start;
    run->tolerance = all->tolerance;
    run->step = all->step;
    run->theta = all->theta;
    run->step_observer = all->step_observer;
    run->event_observer = all->event_observer;
    run->observer_user = all->observer_user;
    return slip_simulation_open_with(ctx, model, values, &opening, result);
}

void slip_simulation_close(slip_simulation *s)
{
    if (!s)
        return;
    if (s->course)
        slip_course_close(s);
    slip_model_destroy(s->bound);
    slip_values_destroy(s->values);
    free(s);
}

/* ---- Advancing. */

/* Checks the arguments of a public call; what: its name. */
static int check_call(slip_context *ctx, const slip_simulation *s, const char *what, double time)
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

/* Applies parameters that the caller has set since the last call. */
static int take_values(slip_simulation *s)
{
    int status = s->rebind ? slip_course_rebind(s) : SLIP_OK;
    s->rebind = s->rebind && status < 0;
    return status;
}

static int advance(slip_context *ctx, slip_simulation *s, const char *what, double time, slip_watch *watch)
{
    SLIP_PASS(check_call(ctx, s, what, time));
    if (time < s->t)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: the time is %.17g, before that of the simulation, %.17g; "
                         "slip_simulation_set_state goes back",
                         what, time, s->t);
    if (time == s->t)
        return SLIP_OK;
    SLIP_PASS(take_values(s));
    return slip_course_advance(s, time, watch);
}

int slip_simulation_advance(slip_context *ctx, slip_simulation *s, double time)
{
    SLIP_NEED(ctx, s);
    return advance(ctx, s, "slip_simulation_advance", time, NULL);
}

bool slip_watch_passes(slip_watch *w, double now)
{
    w->largest = fmax(w->largest, fabs(now));
    const bool left = !w->through ? now != 0 : fabs(now) > 1e-12 * w->largest,
               passes = w->before != 0 && now * w->before <= 0 && (left || !w->through);
    if (!passes && left)
        w->before = now;
    return passes;
}

int slip_watch_open(slip_simulation *s, const char *text, slip_watch *w)
{
    slip_arena arena = {0};
    slip_expression_error error;
    int slots = 0, status;
    const slip_symbol *symbols = slip_course_symbols(s, &arena, &slots);
    status = symbols ? slip_expression_compile(text, symbols, &w->condition, &error) : SLIP_ERROR_MEMORY;
    slip_arena_free(&arena);
    if (status == SLIP_ERROR_MODEL)
        return slip_fail(s->ctx, SLIP_ERROR_USAGE, "condition `%.100s`: at character %d: %s", text,
                         error.position + 1, error.message);
    if (status >= 0) {
        w->slots = slip_alloc(slots, sizeof(double));
        w->scratch = slip_alloc(slip_expression_scratch(w->condition) + 1, sizeof(double));
    }
    return w->slots && w->scratch ? SLIP_OK : slip_fail_memory(s->ctx);
}

void slip_watch_close(slip_watch *w)
{
    slip_expression_destroy(w->condition);
    free(w->slots);
    free(w->scratch);
}

int slip_simulation_advance_watched(slip_simulation *s, double time, slip_watch *w)
{
    SLIP_PASS(slip_course_fill(s, w->slots));
    w->found = NAN;
    /* At the time of the last stop the condition counts as zero, despite rounding. */
    w->before = s->stopped_at == s->t ? 0 : slip_watch_value(w);
    int status = advance(s->ctx, s, "slip_simulation_advance_until", time, w);
    if (status == SLIP_STOPPED && !isnan(w->found))
        s->stopped_at = s->t;
    return status;
}

int slip_simulation_advance_until(slip_context *ctx, slip_simulation *s, double time, const char *condition)
{
    SLIP_NEED(ctx, s, condition);
    SLIP_FREED_BY(slip_watch_close) slip_watch w = {0};
    SLIP_PASS(check_call(ctx, s, "slip_simulation_advance_until", time));
    SLIP_PASS(take_values(s)); /* the condition may read parameters */
    SLIP_PASS(slip_watch_open(s, condition, &w));
    return slip_simulation_advance_watched(s, time, &w);
}

/* ---- Looking. */

double slip_simulation_time(const slip_simulation *s)
{
    return s ? s->t : NAN;
}

double slip_simulation_number(slip_simulation *s, const char *name)
{
    if (!s || !name)
        return NAN;
    return strcmp(name, "t") == 0 ? s->t : slip_course_number(s, name);
}

slip_mode slip_simulation_mode(slip_simulation *s, const char *contact)
{
    return s && contact ? slip_course_mode(s, contact) : SLIP_MODE_OPEN;
}

/* ---- Changing. */

int slip_simulation_input(slip_simulation *s, const char *name, double value)
{
    if (!s)
        return SLIP_ERROR_USAGE;
    slip_context_clear(s->ctx);
    if (!s->values)
        SLIP_PASS(slip_values_create(s->ctx, s->model, &s->values));
    if (slip_values_number(s->values, name) == value)
        return SLIP_OK;
    SLIP_PASS(slip_values_set(s->ctx, s->values, name, value));
    s->rebind = true;
    return SLIP_OK;
}

int slip_simulation_set_state(slip_context *ctx, slip_simulation *s, double time, const double *q,
                              const double *v)
{
    SLIP_NEED(ctx, s);
    SLIP_PASS(check_call(ctx, s, "slip_simulation_set_state", time));
    SLIP_PASS(slip_course_set_state(s, time, q, v));
    s->t = time;
    s->stopped_at = NAN;
    return SLIP_OK;
}

int slip_simulation_set_states(slip_context *ctx, slip_simulation *s, const double *states)
{
    SLIP_NEED(ctx, s, states);
    SLIP_PASS(check_call(ctx, s, "slip_simulation_set_states", s->t));
    if (s->ready->system->state_count == 0)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "slip_simulation_set_states: the model has no states, expected a section `states` or "
            "a law with memory");
    SLIP_PASS(slip_course_set_states(s, states));
    s->stopped_at = NAN;
    return SLIP_OK;
}

/* ---- Keeping. */

struct slip_saved_state {
    const slip_model *model;
    slip_values *values;
    slip_keeper keeper;
};

void slip_saved_state_destroy(slip_saved_state *state)
{
    if (!state)
        return;
    slip_values_destroy(state->values);
    free(state->keeper.bytes);
    free(state);
}

int slip_simulation_save(slip_context *ctx, slip_simulation *s, slip_saved_state **result)
{
    SLIP_NEED_FOR(result, ctx, s);
    SLIP_FREED_BY(slip_saved_state_drop) slip_saved_state *state = NULL;
    SLIP_PASS(check_call(ctx, s, "slip_simulation_save", 0));
    state = slip_alloc(1, sizeof *state);
    SLIP_PASS(slip_allocated(ctx, state));
    state->model = s->model;
    state->keeper.ctx = ctx;
    if (s->values)
        SLIP_PASS(slip_values_copy(ctx, s->values, &state->values));
    slip_course_keep(s, &state->keeper);
    SLIP_KEEP(&state->keeper, s->t);
    SLIP_PASS(state->keeper.status);
    SLIP_HAND(result, state);
    return SLIP_OK;
}

int slip_simulation_restore(slip_context *ctx, slip_simulation *s, const slip_saved_state *state)
{
    SLIP_NEED(ctx, s, state);
    slip_keeper keeper = state->keeper;
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    SLIP_PASS(check_call(ctx, s, "slip_simulation_restore", 0));
    if (state->model != s->model)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "slip_simulation_restore: found a state of another model, expected one of the same");
    if (state->values)
        SLIP_PASS(slip_values_copy(ctx, state->values, &values));
    else if (s->rebind || s->values)
        SLIP_PASS(slip_values_create(ctx, s->model, &values));
    keeper.ctx = ctx;
    keeper.back = true;
    keeper.at = 0;
    slip_course_keep(s, &keeper);
    SLIP_KEEP(&keeper, s->t);
    SLIP_PASS(keeper.status);
    s->stopped_at = NAN;
    s->rebind = values != NULL;
    slip_values_destroy(s->values);
    s->values = values;
    values = NULL;
    return SLIP_OK;
}
