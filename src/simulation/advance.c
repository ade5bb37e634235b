/* Advancing a simulation: to a time, or to where a condition passes zero. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the observer of an advance needs. */
typedef struct watch {
    slip_simulation *s;
    double end;
    const slip_expression *condition; /* NULL: none */
    double *slots, *scratch;
    double before; /* of the condition, at the start of the step; 0: it has not left zero */
    double found;  /* when it passes zero; NAN: it does not */
} watch;

static double condition_at(const watch *w, double t, const double *q, const double *v)
{
    const size_t n = (size_t)w->s->ready->system->n;
    w->slots[0] = t;
    memcpy(w->slots + 1, q, n * sizeof(double));
    memcpy(w->slots + 1 + n, v, n * sizeof(double));
    return slip_expression_value(w->condition, w->slots, w->scratch);
}

static double condition_inside(const watch *w, const slip_step *step, double t)
{
    slip_sample *at = &w->s->sample;
    step->state(step->self, t, at->q, at->v);
    return condition_at(w, t, at->q, at->v);
}

/* Bisection to the last bit: the instant at which the condition has passed zero. */
static double locate(const watch *w, const slip_step *step, double low, double high, double sign)
{
    for (;;) {
        const double middle = low + 0.5 * (high - low);
        if (!(middle > low && middle < high))
            return high;
        if (condition_inside(w, step, middle) * sign > 0)
            low = middle;
        else
            high = middle;
    }
}

/* Looks at some instants of the step, so that a condition that passes zero twice in it is mostly seen. */
static bool passes(watch *w, const slip_step *step)
{
    enum { parts = 8 };
    double low = step->t0;
    for (int k = 1; k <= parts; k++) {
        const double t = k == parts ? step->t1 : step->t0 + (step->t1 - step->t0) * k / parts;
        const double now = k == parts ? condition_at(w, t, step->q1, step->v1) : condition_inside(w, step, t);
        if (w->before != 0 && now * w->before <= 0) {
            w->found = locate(w, step, low, t, w->before);
            return true;
        }
        if (now != 0)
            w->before = now;
        low = t;
    }
    return false;
}

/* Where the condition is met inside a step, the simulation is taken back to the start of that step. */
static int take_back(watch *w, const slip_step *step)
{
    slip_simulation *s = w->s;
    const size_t size = (size_t)s->ready->system->n * sizeof(double);
    step->sample(step->self, step->t0, &s->sample);
    s->t = step->t0;
    memcpy(s->q, step->q0, size);
    memcpy(s->v, step->v0, size);
    for (int c = 0; c < (int)s->ready->system->contact_count; c++) {
        s->memory.modes[c] = (slip_mode)s->sample.mode[c];
        s->memory.known[c] = true;
        s->memory.gaps[c] = NAN;
    }
    s->reopen = true;
    return SLIP_STOPPED;
}

static int see_step(void *user, const slip_step *step)
{
    watch *w = user;
    slip_simulation *s = w->s;
    const slip_run_options *v = &s->settings.values;
    if (w->condition && passes(w, step) && w->found < step->t1)
        return take_back(w, step);
    if (step->t1 >= w->end || !isnan(w->found)) {
        step->sample(step->self, step->t1, &s->sample);
        s->sampled_at = step->t1;
    }
    if (v->step_observer && v->step_observer(v->observer_user, step->t1, step->q1, step->v1) != 0)
        return SLIP_STOPPED;
    return isnan(w->found) ? SLIP_OK : SLIP_STOPPED;
}

static int see_event(void *user, const slip_event *event)
{
    const watch *w = user;
    const slip_run_options *v = &w->s->settings.values;
    return v->event_observer && v->event_observer(v->observer_user, event) != 0 ? SLIP_STOPPED : SLIP_OK;
}

static int check_advance(slip_context *ctx, const slip_simulation *s, const char *what, double time)
{
    const int status = slip_simulation_check(ctx, s, what, time);
    if (status >= 0 && time < s->t)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: the time is %.17g, before that of the simulation, %.17g; "
                         "slip_simulation_set_state goes back",
                         what, time, s->t);
    return status;
}

/* Goes to `time` with what the watch looks for. */
static int go(slip_simulation *s, double time, watch *w)
{
    const slip_observer observer = {.user = w, .step = see_step, .event = see_event};
    w->s = s;
    w->end = time;
    w->found = NAN;
    if (time == s->t)
        return SLIP_OK;
    int status = slip_simulation_make_ready(s);
    if (status < 0)
        return status;
    status = s->settings.method->advance(s->method, time, &observer);
    s->forget = false;
    if (s->reopen) /* taken back */
        return status;
    s->settings.method->state(s->method, &s->t, s->q, s->v);
    s->settings.method->remember(s->method, &s->memory);
    return status;
}

int slip_simulation_advance(slip_context *ctx, slip_simulation *s, double time)
{
    SLIP_NEED(ctx, s);
    const int status = check_advance(ctx, s, "slip_simulation_advance", time);
    return status < 0 ? status : go(s, time, &(watch){0});
}

/* Compiles a condition with the parameters as they are now. */
static int compile(const slip_simulation *s, const char *text, slip_expression **expression)
{
    const slip_system *system = s->ready->system;
    slip_arena arena = {0};
    slip_expression_error error;
    const slip_symbol *symbols = slip_system_symbols(&arena, system->n, (const char *const *)system->names,
                                                     s->ready->parameters, &s->ready->inputs);
    const int status =
        symbols ? slip_expression_compile(text, symbols, expression, &error) : SLIP_ERROR_MEMORY;
    slip_arena_free(&arena);
    if (status == SLIP_ERROR_MODEL)
        return slip_fail(s->ctx, SLIP_ERROR_USAGE, "condition `%.100s`: at character %d: %s", text,
                         error.position + 1, error.message);
    return status < 0 ? slip_fail_memory(s->ctx) : SLIP_OK;
}

int slip_simulation_advance_until(slip_context *ctx, slip_simulation *s, double time, const char *condition)
{
    SLIP_NEED(ctx, s, condition);
    slip_expression *expression = NULL;
    watch w = {.s = s};
    int status;
    SLIP_TRY(check_advance(ctx, s, "slip_simulation_advance_until", time));
    if (s->rebind)
        SLIP_TRY(slip_simulation_make_ready(s)); /* the condition may read parameters */
    SLIP_TRY(compile(s, condition, &expression));
    w.condition = expression;
    w.slots = slip_alloc(1 + 2 * (int64_t)s->ready->system->n, sizeof(double));
    w.scratch = slip_alloc(slip_expression_scratch(expression) + 1, sizeof(double));
    if (!w.slots || !w.scratch) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    /* Where it stopped before, the condition is zero whatever rounding makes of it. */
    w.before = s->stopped_at == s->t ? 0 : condition_at(&w, s->t, s->q, s->v);
    status = go(s, time, &w);
    if (status == SLIP_STOPPED && s->reopen && !isnan(w.found)) {
        status = go(s, w.found, &(watch){0});
        status = status == SLIP_OK ? SLIP_STOPPED : status;
    }
    if (status == SLIP_STOPPED && !isnan(w.found))
        s->stopped_at = s->t;
done:
    slip_expression_destroy(expression);
    free(w.slots);
    free(w.scratch);
    return status;
}
