/* Points of a return map over a parameter, up and back. */
#include "study/bifurcation/bifurcation.h"
#include "study/describe.h"

#include "batch/batch.h"
#include "model/axis.h"
#include "study/returns.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_bifurcation_options, .transient = -1, .points = -1, .tolerance = NAN, .carry = -1)

static const char *const directions[] = {"up", "back", NULL};
typedef slip_bifurcation_visit visit;

typedef struct job {
    slip_context *ctx;
    const slip_model *model;
    slip_bifurcation_options options; /* complete */
    slip_section section;
    char *condition; /* that of maxima */
    slip_run_options run;
    int n; /* coordinates and states */
    int64_t visit_count, finished;
    visit *visits;
    slip_bifurcation_together together;
    slip_result *result;
    slip_table *values;
} job;

/* ---- Options. */

static int choose_section(job *j)
{
    slip_bifurcation_options *o = &j->options;
    const slip_system *system = j->model->system;
    const int given = (o->period != NULL) + (o->section != NULL) + (o->maxima != NULL);
    slip_text text = {0};
    if (given > 1)
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found more than one of period, section and maxima, expected one of them");
    if (given == 0 && !isfinite(j->model->simulate.steady_period))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found no section, expected a period of the load (--period '2*pi/w'), an "
            "expression that passes zero (--section x) or maxima of a coordinate (--maxima x)");
    j->section = (slip_section){.period = o->period, .condition = o->section};
    if (!o->maxima)
        return SLIP_OK;
    for (int i = 0; i < slip_system_coordinates(system); i++)
        if (strcmp(system->names[i], o->maxima) == 0) {
            slip_text_printf(&text, "%s'", o->maxima);
            j->condition = text.data;
            j->section.condition = text.data;
            j->section.falling = true;
            return text.failed ? slip_fail_memory(j->ctx) : SLIP_OK;
        }
    return slip_fail(j->ctx, SLIP_ERROR_USAGE,
                     "bifurcation: maxima of `%s`, expected a coordinate such as `%s`", o->maxima,
                     system->names[0]);
}

/* The given options before the model's section before the defaults. */
static void take_section(slip_bifurcation_options *o, const slip_model *model)
{
    const slip_bifurcation_options *own = &model->bifurcation;
    const bool given = o->period || o->section || o->maxima;
    o->axis = o->axis ? o->axis : own->axis;
    if (!given) {
        o->period = own->period;
        o->section = own->section;
        o->maxima = own->maxima;
    }
    o->transient = o->transient >= 0 ? o->transient : own->transient >= 0 ? own->transient : 200;
    o->points = o->points >= 0 ? o->points : own->points >= 0 ? own->points : 100;
    o->tolerance = !isnan(o->tolerance) ? o->tolerance : !isnan(own->tolerance) ? own->tolerance : 1e-7;
    o->carry = o->carry >= 0 ? o->carry : own->carry >= 0 ? own->carry : 1;
}

static int check_options(job *j)
{
    const slip_bifurcation_options *o = &j->options;
    slip_axis_place place;
    int status;
    SLIP_TRY(slip_model_check_lumped(j->ctx, j->model));
    if (slip_system_coordinates(j->model->system) == 0) {
        status =
            slip_fail(j->ctx, SLIP_ERROR_MODEL,
                      "bifurcation: the model has no coordinates, of which points are taken: whole bodies "
                      "have none; give every body `reduce: {modes: 20}`");
        goto done;
    }
    if (!o->axis)
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found nothing to vary, expected --over NAME=FROM:TO:COUNT, or a section "
            "`bifurcation` in the model");
    SLIP_TRY(slip_axis_check(j->ctx, j->model, o->axis, &place));
    if (place.kind != SLIP_AXIS_PARAMETER)
        return slip_fail(j->ctx, SLIP_ERROR_USAGE,
                         "bifurcation: `%s` is an initial value, expected a parameter", o->axis->name);
    if (o->transient < 8 || o->points < 1 || !(o->tolerance > 0 && o->tolerance < 0.1))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found transient %lld, points %lld, tolerance %g; expected at least 8, at least "
            "1, and more than 0 and less than 0.1",
            (long long)o->transient, (long long)o->points, o->tolerance);
    if (!slip_batch_knows(o->device))
        return slip_fail(j->ctx, SLIP_ERROR_USAGE,
                         "bifurcation: the device is `%s`, expected cpu, cuda, auto or none", o->device);
    SLIP_TRY(choose_section(j));
    if (o->device && o->device[0] == 'c' && (o->carry > 0 || j->section.condition))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: device `%s` with %s, expected --fresh and a period: only values that do not "
            "wait for each other, with returns at known times, are moved together",
            o->device, o->carry > 0 ? "a state that is carried" : "a section");
done:
    return status;
}

/* ---- One value. */

static int keep_points(job *j, slip_returns *returns, visit *v)
{
    const int64_t wanted = v->multiple > 0 ? v->multiple : j->options.points;
    const int width = 1 + 2 * j->n;
    int status = SLIP_OK;
    v->points = slip_alloc(wanted * width, sizeof *v->points);
    if (!v->points)
        return slip_fail_memory(returns->simulation->ctx);
    while (v->count < wanted) {
        double *point = v->points + v->count * width;
        status = slip_returns_next(returns);
        if (status != SLIP_OK)
            return status;
        point[0] = slip_simulation_time(returns->simulation) - returns->last;
        slip_simulation_whole_state(returns->simulation, point + 1, point + 1 + j->n);
        v->count++;
    }
    return status;
}

static double largest_of(const job *j, const visit *v, int column)
{
    double largest = 0;
    for (int64_t k = 0; k < v->count; k++)
        largest = fmax(largest, fabs(v->points[k * (1 + 2 * j->n) + column]));
    return largest;
}

/* Whether the points repeat after `part` of them already. Sizes as in returns.c. */
static bool repeats(const job *j, const visit *v, int part)
{
    const int width = 1 + 2 * j->n, coordinates = slip_system_coordinates(j->model->system);
    const double rate = 2 * acos(-1) / largest_of(j, v, 0);
    for (int i = 0; i < 2 * j->n; i++) {
        double size = largest_of(j, v, 1 + i), change = 0;
        if (i % j->n < coordinates)
            size = i < j->n ? fmax(size, largest_of(j, v, 1 + i + j->n) / rate)
                            : fmax(size, largest_of(j, v, 1 + i - j->n) * rate);
        for (int64_t k = 0; k < v->count; k++)
            change = fmax(change, fabs(v->points[k * width + 1 + i] -
                                       v->points[(k + part) % v->count * width + 1 + i]));
        if (change > 10 * j->options.tolerance * size)
            return false;
    }
    return true;
}

/* A decay that is seen over two periods and not over one makes twice the points that are there. */
static void take_shortest(const job *j, visit *v)
{
    for (int part = 1; part < v->multiple; part++)
        if (v->multiple % part == 0 && repeats(j, v, part))
            v->multiple = part;
    v->count = v->multiple > 0 && v->multiple < v->count ? v->multiple : v->count;
}

/* Runs at a value from a state (NULL: the model's). What went wrong with the motion is the message of the
 * visit. */
static int visit_value(job *j, slip_context *ctx, const double *from, visit *v)
{
    slip_run_options run = j->run;
    slip_values *values = NULL;
    slip_simulation *s = NULL;
    slip_returns returns = {0};
    int status;
    SLIP_TRY(slip_values_create(ctx, j->model, &values));
    SLIP_TRY(slip_values_set(ctx, values, j->options.axis->name, v->value));
    run.start_q = from;
    run.start_v = from ? from + j->n : NULL;
    SLIP_TRY(slip_simulation_open_run(ctx, j->model, values, &run, &s));
    const slip_run_options *span = &slip_simulation_settings(s)->values;
    SLIP_TRY(slip_returns_open(s, &j->section, span->end - span->start, &returns));
    SLIP_TRY(slip_returns_settle(&returns, j->options.tolerance, j->options.transient, &v->multiple));
    if (status == SLIP_OK)
        SLIP_TRY(keep_points(j, &returns, v));
    take_shortest(j, v);
    v->end = slip_alloc(2 * (int64_t)j->n, sizeof *v->end);
    SLIP_TRY(v->end ? SLIP_OK : slip_fail_memory(ctx));
    slip_simulation_whole_state(s, v->end, v->end + j->n);
    if (v->count == 0)
        slip_fail(ctx, SLIP_OK, "no return within %.9g", returns.within);
done:
    v->returns = returns.count;
    if (status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MODEL || (status >= 0 && v->count == 0)) {
        v->message = slip_alloc((int64_t)strlen(slip_context_message(ctx)) + 1, 1);
        status = v->message ? SLIP_OK : slip_fail_memory(ctx);
        if (v->message)
            strcpy(v->message, slip_context_message(ctx));
    }
    v->done = status >= 0;
    slip_returns_close(&returns);
    slip_simulation_close(s);
    slip_values_destroy(values);
    return status < 0 ? status : SLIP_OK;
}

/* ---- All values. */

static int run_chain(job *j)
{
    const double *from = NULL;
    int status = SLIP_OK;
    for (int64_t k = 0; k < j->visit_count && status >= 0; k++) {
        status = visit_value(j, j->ctx, from, &j->visits[k]);
        from = j->visits[k].end;
        j->finished++;
        slip_progress_count(j->ctx, "bifurcation", j->finished, j->visit_count, "values");
    }
    return status;
}

/* All values that can be moved together. */
static int run_together(job *j)
{
    const char *device = j->options.device;
    const slip_run_options *run = &j->run;
    if ((device && strcmp(device, "none") == 0) || j->section.condition || run->start_q || run->start_v ||
        run->values || run->step_observer || run->event_observer)
        return SLIP_OK;
    const int status = slip_bifurcation_move_together(j->ctx, j->model, &j->options, &j->section, run,
                                                      j->visit_count, j->visits, &j->together);
    for (int64_t k = 0; k < j->visit_count; k++)
        if (j->visits[k].done)
            take_shortest(j, &j->visits[k]);
    j->finished = j->together.count;
    return status;
}

static int run_apart(job *j)
{
    const int threads = j->options.threads > 0 ? j->options.threads : omp_get_num_procs();
    int ended = run_together(j);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t k = 0; k < j->visit_count; k++) {
        int stop;
#pragma omp atomic read
        stop = ended;
        if (stop < 0 || j->visits[k].done)
            continue;
        slip_context *own = slip_context_create_for(j->ctx);
        const int status = own ? visit_value(j, own, NULL, &j->visits[k]) : SLIP_ERROR_MEMORY;
#pragma omp critical(slip_bifurcation)
        {
            j->finished++;
            if (status < 0 && ended >= 0)
                ended = own ? slip_fail(j->ctx, status, "%s", slip_context_message(own))
                            : slip_fail_memory(j->ctx);
        }
        slip_context_destroy(own);
        if (omp_get_thread_num() == 0)
            slip_progress_count(j->ctx, "bifurcation", j->finished, j->visit_count, "values");
    }
    return ended;
}

/* ---- The result. */

static int open_tables(job *j)
{
    const slip_system *system = j->model->system;
    const char *name = j->options.axis->name;
    const slip_column_info first[] = {{.name = name},
                                      {.name = "direction", .words = directions},
                                      {.name = "time"},
                                      {0}},
                           values[] = {{.name = name},
                                       {.name = "direction", .words = directions},
                                       {.name = "multiple"},
                                       {.name = "returns"},
                                       {.name = "points"},
                                       {.name = "message", .words = slip_words_to_come},
                                       {0}};
    int status;
    SLIP_TRY(slip_result_create(j->ctx, "bifurcation", "points.csv", &j->result));
    SLIP_TRY(slip_table_add_all(j->ctx, &j->result->main, first));
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < (part == 0 ? slip_system_coordinates(system) : system->n); i++) {
            char column[100];
            snprintf(column, sizeof column, "%.90s%s", system->names[i],
                     part == 1 && i < slip_system_coordinates(system) ? "'" : "");
            SLIP_TRY(slip_table_add(j->ctx, &j->result->main, &(slip_column_info){.name = column}));
        }
    j->values = slip_result_add_table(j->ctx, j->result, "values", "values.csv");
    SLIP_TRY(j->values ? SLIP_OK : SLIP_ERROR_MEMORY);
    SLIP_TRY(slip_table_add_all(j->ctx, j->values, values));
done:
    return status;
}

static int add_visit(job *j, const visit *v, double *row)
{
    const int coordinates = slip_system_coordinates(j->model->system);
    const int word = slip_table_word(j->ctx, j->values, 5, v->message ? v->message : "");
    int status;
    SLIP_TRY(word);
    SLIP_TRY(slip_table_append(
        j->ctx, j->values,
        (const double[]){v->value, v->back, v->multiple, (double)v->returns, (double)v->count, word}));
    for (int64_t k = 0; k < v->count; k++) {
        const double *point = v->points + k * (1 + 2 * j->n);
        row[0] = v->value;
        row[1] = v->back;
        row[2] = point[0];
        memcpy(row + 3, point + 1, (size_t)coordinates * sizeof *row);
        memcpy(row + 3 + coordinates, point + 1 + j->n, (size_t)j->n * sizeof *row);
        SLIP_TRY(slip_table_append(j->ctx, &j->result->main, row));
    }
done:
    return status;
}

static int write_summary(job *j, int ended)
{
    const slip_bifurcation_options *o = &j->options;
    slip_json_writer json = {.text = &j->result->summary};
    int64_t failed = 0;
    for (int64_t k = 0; k < j->visit_count; k++)
        failed += j->visits[k].message != NULL;
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(j->ctx) : NULL);
    slip_json_string(&json, "parameter", o->axis->name);
    slip_json_number(&json, "from", o->axis->from);
    slip_json_number(&json, "to", o->axis->to);
    slip_json_integer(&json, "count", o->axis->count);
    slip_json_string(&json,
                     o->section  ? "section"
                     : o->maxima ? "maxima"
                                 : "period",
                     o->section  ? o->section
                     : o->maxima ? o->maxima
                     : o->period ? o->period
                                 : "that of simulate.steady");
    slip_json_bool(&json, "carry", o->carry > 0);
    slip_json_integer(&json, "finished", j->finished);
    slip_json_integer(&json, "failed", failed);
    slip_json_integer(&json, "points", j->result->main.count);
    if (o->carry == 0) {
        slip_json_integer(&json, "together", j->together.count);
        slip_json_integer(&json, "alone", j->finished - j->together.count);
        if (j->together.reason[0])
            slip_json_string(&json, "alone_because", j->together.reason);
    }
    slip_json_end_object(&json);
    return j->result->summary.failed ? slip_fail_memory(j->ctx) : SLIP_OK;
}

static int make_result(job *j, int ended)
{
    double *row = slip_alloc(3 + 2 * (int64_t)j->n, sizeof *row);
    int status;
    SLIP_TRY(row ? SLIP_OK : slip_fail_memory(j->ctx));
    SLIP_TRY(open_tables(j));
    for (int64_t k = 0; k < j->visit_count; k++)
        if (j->visits[k].done)
            SLIP_TRY(add_visit(j, &j->visits[k], row));
    SLIP_TRY(write_summary(j, ended));
    SLIP_TRY(slip_describe(j->ctx, j->result, j->model, NULL));
done:
    free(row);
    return status;
}

/* ---- All of it. */

static int plan(job *j)
{
    const slip_axis *axis = j->options.axis;
    j->n = j->model->system->n;
    j->visit_count = axis->count * (j->options.carry > 0 ? 2 : 1);
    j->visits = slip_alloc(j->visit_count, sizeof *j->visits);
    if (!j->visits)
        return slip_fail_memory(j->ctx);
    for (int64_t k = 0; k < j->visit_count; k++) {
        const bool back = k >= axis->count;
        j->visits[k] =
            (visit){.value = slip_axis_value(axis, back ? j->visit_count - 1 - k : k), .back = back};
    }
    j->run = j->options.run ? *j->options.run : slip_run_options_default();
    return SLIP_OK;
}

int slip_bifurcation(slip_context *ctx, const slip_model *model,
                     const slip_bifurcation_options *given_options, slip_result **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, model, result);
    SLIP_TAKE(slip_bifurcation_options, options, given_options);
    job j = {.ctx = ctx, .model = model, .options = *options};
    int status;
    slip_context_clear(ctx);
    take_section(&j.options, model);
    SLIP_TRY(check_options(&j));
    SLIP_TRY(plan(&j));
    status = j.options.carry > 0 ? run_chain(&j) : run_apart(&j);
    if (status >= 0 || status == SLIP_INTERRUPTED) {
        const int made = make_result(&j, status);
        status = made < 0 ? made : status;
        *result = made < 0 ? NULL : j.result;
        j.result = made < 0 ? j.result : NULL;
    }
done:
    slip_result_destroy(j.result);
    for (int64_t k = 0; j.visits && k < j.visit_count; k++) {
        free(j.visits[k].points);
        free(j.visits[k].end);
        free(j.visits[k].message);
    }
    free(j.visits);
    free(j.condition);
    return status;
}
