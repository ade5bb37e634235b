/* Derivatives of the state at the end of an advance, from method/tangent/tangent.h, in the order of the
 * public state. */
#include "method/tangent/given.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_derivatives, .by_state = NULL)

int slip_simulation_state_size(const slip_simulation *s)
{
    if (!s || slip_model_gear_run(s->ready))
        return 0;
    return 2 * slip_system_coordinates(s->ready->system) + s->ready->system->state_count;
}

/* ---- The model bound to neighbouring values of a parameter. */

/* The step of finite differences by a parameter. Their error is of fourth order, or of first order at a kink
 * of a law. */
static double step_of(const slip_system *system, double value)
{
    return (slip_system_kinked(system) ? 3e-7 : 3e-5) * (value != 0 ? fabs(value) : 1);
}

typedef struct neighbour {
    slip_simulation *s;
    slip_values *values;
    const char *name;
    double value;
    slip_model **bound;
} neighbour;

static int bind_one(void *user, int k, double by, const slip_system **near)
{
    neighbour *n = user;
    SLIP_PASS(slip_values_set(n->s->ctx, n->values, n->name, n->value + by));
    slip_model_destroy(n->bound[k]);
    n->bound[k] = NULL;
    SLIP_PASS(slip_model_bind(n->s->ctx, n->s->model, n->values, &n->bound[k]));
    *near = n->bound[k]->system;
    return SLIP_OK;
}

static int bind_near(slip_simulation *s, const char *name, slip_tangent_parameter *to, slip_model *bound[4])
{
    neighbour n = {.s = s, .name = name, .bound = bound};
    int status;
    if (s->values)
        SLIP_TRY(slip_values_copy(s->ctx, s->values, &n.values));
    else
        SLIP_TRY(slip_values_create(s->ctx, s->model, &n.values));
    n.value = slip_values_number(n.values, name);
    status = slip_tangent_bind_near(s->ctx, step_of(s->ready->system, n.value), to, bind_one, &n);
done:
    slip_values_destroy(n.values);
    return status;
}

/* ---- All of it. */

static int check(slip_simulation *s)
{
    if (slip_model_gear_run(s->ready))
        return slip_fail(s->ctx, SLIP_ERROR_MODEL, "derivatives of motions are not there for gears");
    if (strcmp(slip_simulation_settings(s)->method->info.name, "event") != 0)
        return slip_fail(s->ctx, SLIP_ERROR_MODEL,
                         "derivatives of motions are those of method `event`, not of `%s`",
                         slip_simulation_settings(s)->method->info.name);
    return SLIP_OK;
}

static int follow(slip_simulation *s, slip_given_tangent *tangent)
{
    const int n = s->ready->system->n;
    SLIP_FREED double *q = slip_alloc(2 * n + 1, sizeof *q);
    SLIP_PASS(slip_allocated(s->ctx, q));
    slip_simulation_whole_state(s, q, q + n);
    slip_given_tangent_start(tangent, s->t, q, q + n);
    slip_simulation_follow(s, slip_given_tangent_inside(tangent));
    return SLIP_OK;
}

static int give(slip_simulation *s, slip_given_tangent *tangent, const slip_derivatives *to, int parameters)
{
    return slip_given_tangent_read(tangent, s->ready->system, slip_simulation_state_size(s), parameters,
                                   &(slip_state_derivatives){.by_state = to->by_state,
                                                             .by_start = to->by_start,
                                                             .by_end = to->by_end,
                                                             .by_parameter = to->by_parameter})
               ? SLIP_OK
               : slip_fail(s->ctx, SLIP_ERROR_SOLVER,
                           "a derivative of the motion up to t = %.9g is not finite: it grazes a stop, or "
                           "begins or ends to slip with no acceleration",
                           s->t);
}

/* ---- Along a motion. */

/* The derivative of the initial state by a parameter. */
static int find_start(slip_simulation *s, slip_model *const bound[4], const double weights[4],
                      double *by_parameter, int stride)
{
    const int n = slip_system_coordinates(s->ready->system), count = slip_simulation_state_size(s);
    slip_simulation_options options = slip_simulation_options_default();
    SLIP_FREED double *state = slip_alloc(count, sizeof *state);
    int status = state ? SLIP_OK : slip_fail_memory(s->ctx);
    options.method = "event";
    options.start = s->t;
    for (int k = 0; k < 4 && status >= 0; k++) {
        slip_simulation *near = NULL;
        status = slip_simulation_open(s->ctx, bound[k], NULL, &options, &near);
        if (status >= 0) {
            slip_simulation_state(near, state, state + n);
            slip_simulation_states(near, state + 2 * n);
        }
        for (int i = 0; i < count && status >= 0; i++)
            by_parameter[i * stride] += weights[k] * state[i];
        slip_simulation_close(near);
    }
    return status;
}

/* Total derivatives at the time where the simulation stands. */
static bool add_up(slip_simulation *s, slip_given_tangent *tangent, int parameters, const double *start,
                   double *to)
{
    const slip_system *system = s->ready->system;
    const int count = slip_simulation_state_size(s), m = 2 * system->n;
    for (int p = 0; p < parameters; p++) {
        const double *column = slip_given_tangent_column(tangent, m + 1 + p);
        for (int i = 0; i < count && column; i++)
            to[i * parameters + p] = column[slip_state_place(system, i)];
        for (int k = 0; k < count && column; k++)
            if (start[k * parameters + p] != 0 &&
                (column = slip_given_tangent_column(tangent, slip_state_place(system, k))) != NULL)
                for (int i = 0; i < count; i++)
                    to[i * parameters + p] += column[slip_state_place(system, i)] * start[k * parameters + p];
        if (!column)
            return false;
    }
    return true;
}

int slip_simulation_sensitivities(slip_context *ctx, slip_simulation *s, const char *const *parameters,
                                  int64_t count, const double *times, slip_sensitivity_function see,
                                  void *user)
{
    slip_tangent_parameter *near = NULL;
    slip_model **bound = NULL;
    slip_given_tangent *tangent = NULL;
    slip_arena arena = {0};
    double *start = NULL, *now = NULL;
    int width = 0, status;
    while (parameters[width])
        width++;
    SLIP_TRY(check(s));
    const int64_t size = (int64_t)slip_simulation_state_size(s) * width;
    near = slip_arena_array(&arena, width + 1, sizeof *near);
    bound = slip_arena_array(&arena, 4 * (int64_t)width + 1, sizeof *bound);
    start = slip_arena_array(&arena, size + 1, sizeof *start);
    now = slip_arena_array(&arena, size + 1, sizeof *now);
    SLIP_TRY(slip_allocated(ctx, near && bound && start && now));
    for (int p = 0; p < width; p++) {
        SLIP_TRY(bind_near(s, parameters[p], &near[p], bound + 4 * p));
        SLIP_TRY(find_start(s, bound + 4 * p, near[p].weights, start + p, width));
    }
    SLIP_TRY(slip_given_tangent_create(ctx, s->ready->system, width, near, &tangent));
    SLIP_TRY(follow(s, tangent));
    for (int64_t k = 0; k < count; k++) {
        const bool moved = times[k] > s->t;
        if (moved)
            SLIP_TRY(slip_simulation_advance(ctx, s, times[k]));
        else if (k == 0)
            memcpy(now, start, (size_t)size * sizeof *now);
        if (moved && !add_up(s, tangent, width, start, now)) {
            status = slip_fail(ctx, SLIP_ERROR_SOLVER,
                               "a derivative of the motion up to t = %.9g is not finite", s->t);
            goto done;
        }
        SLIP_TRY(see(user, k, now));
    }
done:
    if (tangent)
        slip_simulation_follow(s, NULL);
    slip_given_tangent_destroy(tangent);
    for (int k = 0; bound && k < 4 * width; k++)
        slip_model_destroy(bound[k]);
    slip_arena_free(&arena);
    return status;
}

/* ---- Over one advance. */

int slip_simulation_differentiate(slip_context *ctx, slip_simulation *s, double time,
                                  const slip_derivatives *given)
{
    SLIP_NEED(ctx, s, given);
    SLIP_TAKE(slip_derivatives, to, given);
    slip_tangent_parameter *near = NULL;
    slip_model **bound = NULL;
    slip_given_tangent *tangent = NULL;
    slip_arena arena = {0};
    int count = 0, status;
    SLIP_TRY(check(s));
    if (!(time > s->t))
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "slip_simulation_differentiate: the time is %.17g, expected one after that of the "
                         "simulation, %.17g",
                         time, s->t);
    while (to->parameters && to->parameters[count])
        count++;
    if (count > 0 && !to->by_parameter)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "slip_simulation_differentiate: by_parameter is NULL, expected room");
    near = slip_arena_array(&arena, count + 1, sizeof *near);
    bound = slip_arena_array(&arena, 4 * (int64_t)count + 1, sizeof *bound);
    SLIP_TRY(slip_allocated(ctx, near && bound));
    for (int k = 0; k < count; k++)
        SLIP_TRY(bind_near(s, to->parameters[k], &near[k], bound + 4 * k));
    SLIP_TRY(slip_given_tangent_create(ctx, s->ready->system, count, near, &tangent));
    SLIP_TRY(follow(s, tangent));
    SLIP_TRY(slip_simulation_advance(ctx, s, time));
    s->graze = slip_tangent_graze(slip_given_tangent_inside(tangent));
    SLIP_TRY(give(s, tangent, to, count));
done:
    if (tangent)
        slip_simulation_follow(s, NULL);
    slip_given_tangent_destroy(tangent);
    for (int k = 0; bound && k < 4 * count; k++)
        slip_model_destroy(bound[k]);
    slip_arena_free(&arena);
    return status;
}
