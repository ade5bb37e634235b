/* Several methods on one model. The first is the reference for the others: its records are kept. */
#include "study/run.h"

#include <math.h>
#include <stdlib.h>

enum { default_points = 2001 };

typedef struct comparison {
    slip_context *ctx;
    const slip_model *model;
    slip_run_options options;
    slip_result *first; /* of the first method; NULL when it has none */
    double *difference; /* one for each coordinate */
    int count, failed, refused;
} comparison;

static int check_methods(slip_context *ctx, const char *const *methods)
{
    if (!methods || !methods[0])
        return slip_fail(ctx, SLIP_ERROR_USAGE, "compare: found no method, expected at least one");
    for (int k = 0; methods[k]; k++)
        if (!slip_method_find(methods[k]))
            return slip_settings_unknown_method(ctx, methods[k]);
    return SLIP_OK;
}

/* Chooses records at given times: accepted steps and events have other times in every method. */
static void choose_records(comparison *c)
{
    slip_run_options *o = &c->options;
    bool given = !isnan(o->record_every) || o->record_points > 0;
    o->record_events = 0;
    if (o->record_steps > 0 || (!given && c->model->simulate.record_steps > 0)) {
        o->record_steps = -1;
        o->record_points = default_points;
    }
}

/* Records are compared one by one as long as their times relative to the first record agree. (The first
 * recorded period of a steady motion may be another one for each method.) */
static void compare_records(const slip_result *a, const slip_result *b, double *difference)
{
    const int64_t of_a = a->main.count, of_b = b->main.count, count = of_a < of_b ? of_a : of_b;
    const double *s = slip_series_values(a, 0), *t = slip_series_values(b, 0);
    for (int i = 0; i < a->n; i++)
        difference[i] = NAN;
    for (int64_t at = 0; at < count; at++) {
        if (fabs((s[at] - s[0]) - (t[at] - t[0])) > 1e-9 * (1 + fabs(s[at])))
            return;
        for (int i = 0; i < a->n; i++) {
            const int series = slip_series_coordinate(i, 0);
            difference[i] = fmax(difference[i],
                                 fabs(slip_series_values(a, series)[at] - slip_series_values(b, series)[at]));
        }
    }
}

static int fill_row(comparison *c, const slip_result *result, slip_compare_row *row)
{
    row->steps = result->counters.steps;
    row->evaluations = result->counters.evaluations;
    row->events = result->event_count;
    row->wall_seconds = result->wall_seconds;
    if (c->first)
        compare_records(c->first, result, c->difference);
    return slip_result_residual(c->ctx, c->model->system, result, &row->residual);
}

/* One method; *stop when the caller has seen enough. */
static int compare_one(comparison *c, const char *method, slip_compare_function function, void *user,
                       bool *stop)
{
    slip_compare_row row = {.method = method,
                            .steps = -1,
                            .evaluations = -1,
                            .events = -1,
                            .wall_seconds = NAN,
                            .residual = NAN,
                            .difference = c->difference};
    slip_result *result = NULL;
    int status = SLIP_OK;
    for (int i = 0; i < slip_system_coordinates(c->model->system); i++)
        c->difference[i] = NAN;
    c->options.method = method;
    row.status = slip_run(c->ctx, c->model, &c->options, &result);
    row.message = slip_context_message(c->ctx);
    row.result = result;
    if (c->count++ == 0)
        c->first = result;
    if (result)
        SLIP_TRY(fill_row(c, result, &row));
    c->failed += row.status < 0;
    c->refused += row.status == SLIP_ERROR_MODEL || row.status == SLIP_ERROR_USAGE;
    *stop = function && function(user, &row) != 0;
    if (row.status == SLIP_INTERRUPTED || row.status == SLIP_ERROR_MEMORY)
        status = row.status;
done:
    if (result != c->first)
        slip_result_destroy(result);
    return status;
}

int slip_compare(slip_context *ctx, const slip_model *model, const char *const *methods,
                 const slip_run_options *given_options, slip_compare_function function, void *user)
{
    SLIP_NEED(ctx, model, methods);
    SLIP_TAKE(slip_run_options, options, given_options);
    comparison c = {.ctx = ctx};
    slip_model *bound = NULL;
    bool stop = false;
    int status;
    slip_context_clear(ctx);
    c.options = *options;
    SLIP_TRY(slip_model_check_lumped(ctx, model));
    SLIP_TRY(slip_model_ready(ctx, model, NULL, &bound, &c.model));
    SLIP_TRY(check_methods(ctx, methods));
    choose_records(&c);
    c.difference = slip_alloc(model->system->n, sizeof *c.difference);
    SLIP_TRY(slip_allocated(ctx, c.difference != NULL));
    for (int k = 0; methods[k] && !stop; k++)
        SLIP_TRY(compare_one(&c, methods[k], function, user, &stop));
    if (c.failed > 0)
        status = slip_fail(ctx, c.refused == c.count ? SLIP_ERROR_MODEL : SLIP_ERROR_SOLVER,
                           "%d of %d methods did not run to the end", c.failed, c.count);
    else if (stop)
        status = SLIP_STOPPED;
done:
    slip_result_destroy(c.first);
    free(c.difference);
    slip_model_destroy(bound);
    return status;
}
