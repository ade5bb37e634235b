/* Points of a return map over a parameter, up and back. */
#include "study/bifurcation/bifurcation.h"
#include "study/describe.h"

#include "card/card.h"
#include "io/number.h"
#include "model/axis.h"
#include "model/study.h"
#include "study/returns.h"
#include "study/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SLIP_OPTIONS_FILL(slip_bifurcation_options, .transient = -1, .points = -1, .tolerance = NAN, .carry = -1)

static const char *const directions[] = {"up", "back", NULL};
typedef slip_bifurcation_visit visit;

typedef struct job {
    slip_context *ctx;
    slip_bifurcation_how how;
    char *condition; /* that of maxima */
    slip_run_options run;
    int64_t visit_count, finished;
    visit *visits;
    slip_bifurcation_together together;
    int64_t alone; /* values that were run one by one in this call, not those from the journal */
    slip_result *result;
    slip_table *values;
} job;

/* ---- Options. */

static int choose_section(job *j)
{
    slip_bifurcation_options *o = &j->how.options;
    const slip_system *system = j->how.model->system;
    const int given = (o->period != NULL) + (o->section != NULL) + (o->maxima != NULL);
    slip_text text = {0};
    double load;
    if (given > 1)
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found more than one of period, section and maxima, expected one of them");
    SLIP_PASS(slip_system_period(j->ctx, system, &load));
    if (given == 0 && load == 0 && !isfinite(j->how.model->simulate.steady_period))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found no section, and nothing in the model changes with time; expected an "
            "expression that passes zero (--section x) or maxima of a coordinate (--maxima x)");
    j->how.section = (slip_section){.period = o->period, .condition = o->section};
    if (!o->maxima)
        return SLIP_OK;
    for (int i = 0; i < slip_system_coordinates(system); i++)
        if (strcmp(system->names[i], o->maxima) == 0) {
            slip_text_printf(&text, "%s'", o->maxima);
            j->condition = text.data;
            j->how.section.condition = text.data;
            j->how.section.falling = true;
            return text.failed ? slip_fail_memory(j->ctx) : SLIP_OK;
        }
    return slip_fail(j->ctx, SLIP_ERROR_USAGE,
                     "bifurcation: maxima of `%s`, expected a coordinate such as `%s`", o->maxima,
                     system->names[0]);
}

/* Options of the caller have precedence over the model's section, and that over the defaults. */
static void take_section(slip_bifurcation_options *o, const slip_model *model)
{
    const slip_bifurcation_options *own = slip_model_section(model, &slip_study_bifurcation);
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
    const slip_bifurcation_options *o = &j->how.options;
    slip_axis_place place;
    SLIP_PASS(slip_model_check_lumped(j->ctx, j->how.model));
    if (slip_system_coordinates(j->how.model->system) == 0)
        return slip_fail(j->ctx, SLIP_ERROR_MODEL,
                         "bifurcation: the model has no coordinates, of which points are taken: whole bodies "
                         "have none; give every body `reduce: {modes: 20}`");
    if (!o->axis)
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: found nothing to vary, expected --over NAME=FROM:TO:COUNT, or a section "
            "`bifurcation` in the model");
    SLIP_PASS(slip_axis_check(j->ctx, j->how.model, o->axis, &place));
    if (place.kind != SLIP_AXIS_PARAMETER)
        return slip_fail(j->ctx, SLIP_ERROR_USAGE,
                         "bifurcation: `%s` is an initial value, expected a parameter", o->axis->name);
    SLIP_PASS(slip_fields_check(j->ctx, &slip_study_bifurcation.fields, o));
    SLIP_PASS(slip_card_check_name(j->ctx, "bifurcation", o->device));
    SLIP_PASS(choose_section(j));
    if (o->device && o->device[0] == 'c' && (o->carry > 0 || j->how.section.condition))
        return slip_fail(
            j->ctx, SLIP_ERROR_USAGE,
            "bifurcation: device `%s` with %s, expected --fresh and a period: only values that do not "
            "wait for each other, with returns at known times, are moved together",
            o->device, o->carry > 0 ? "a state that is carried" : "a section");
    return SLIP_OK;
}

/* ---- All values, one after the other. */

/* Stores the error message of the motion in the visit. */
static int keep_message(slip_context *ctx, int status, visit *v)
{
    if (status == SLIP_ERROR_SOLVER || status == SLIP_ERROR_MODEL) {
        v->message = slip_alloc((int64_t)strlen(slip_context_message(ctx)) + 1, 1);
        status = v->message ? SLIP_OK : slip_fail_memory(ctx);
        if (v->message)
            strcpy(v->message, slip_context_message(ctx));
    }
    v->done = status >= 0;
    return status;
}

static int visit_from(job *j, const double *from, visit *v)
{
    slip_run_options how = j->run;
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    SLIP_PASS(j->run.values ? slip_values_copy(j->ctx, j->run.values, &values)
                            : slip_values_create(j->ctx, j->how.model, &values));
    SLIP_PASS(slip_values_set(j->ctx, values, j->how.options.axis->name, v->value));
    how.values = values;
    if (from) {
        how.start_q = from;
        how.start_v = from + j->how.n;
    }
    return keep_message(j->ctx, slip_bifurcation_visit_value(&j->how, j->ctx, &how, v), v);
}

static int run_chain(job *j)
{
    const double *from = NULL;
    int status = SLIP_OK;
    for (int64_t k = 0; k < j->visit_count && status >= 0; k++) {
        status = visit_from(j, from, &j->visits[k]);
        from = j->visits[k].end;
        j->finished++;
        slip_progress_count(j->ctx, "bifurcation", j->finished, j->visit_count, "values");
    }
    return status;
}

/* ---- All values, each from the model's own state: a task of a sweep (study/sweep/sweep.h), so that threads
 * and processes share them and what is finished is kept. The word of a run is its points. */

enum { of_multiple, of_returns, of_count, number_count };

static void write_points(const job *j, const visit *v, double *numbers, slip_text *word)
{
    char number[slip_number_size];
    numbers[of_multiple] = v->multiple;
    numbers[of_returns] = (double)v->returns;
    numbers[of_count] = (double)v->count;
    for (int64_t k = 0; k < v->count * (1 + 2 * j->how.n); k++)
        slip_text_printf(word, "%s%s", k > 0 ? " " : "", slip_number_write(number, v->points[k]));
}

static int read_visit(const job *j, const slip_sweep_run *run, visit *v)
{
    const char *at = run->text;
    v->done = true;
    v->returns = run->numbers[of_returns] > 0 ? (int64_t)run->numbers[of_returns] : 0;
    if (run->state == SLIP_SWEEP_FAILED) {
        v->message = slip_alloc((int64_t)strlen(at) + 1, 1);
        if (v->message)
            strcpy(v->message, at);
        return v->message ? SLIP_OK : slip_fail_memory(j->ctx);
    }
    v->multiple = (int)run->numbers[of_multiple];
    v->count = (int64_t)run->numbers[of_count];
    v->points = slip_alloc(v->count * (1 + 2 * j->how.n) + 1, sizeof *v->points);
    SLIP_PASS(slip_allocated(j->ctx, v->points));
    for (int64_t k = 0; k < v->count * (1 + 2 * j->how.n); k++)
        if (!at || !slip_number_read(at + strspn(at, " "), &at, &v->points[k]))
            return slip_fail(j->ctx, SLIP_ERROR_IO, "bifurcation: a record has too few numbers");
    return SLIP_OK;
}

static void free_visit(visit *v)
{
    free(v->points);
    slip_symmetry_destroy(v->symmetry);
    free(v->end);
    free(v->message);
}

static int run_value(const slip_sweep_job *sweep, slip_context *ctx, const slip_run_options *how,
                     double *numbers, slip_text *word)
{
    const job *j = sweep->user;
    SLIP_FREED_BY(free_visit) visit v = {0};
    const int status = slip_bifurcation_visit_value(&j->how, ctx, how, &v);
    write_points(j, &v, numbers, word);
    return status;
}

/* The names of the numbers contain the section: a journal with points of another section is refused. */
static int choose_numbers(slip_sweep_job *sweep)
{
    const job *j = sweep->user;
    const slip_bifurcation_options *o = &j->how.options;
    const slip_sweep_setting settings[] = {
        {"transient", (double)o->transient}, {"points", (double)o->points}, {"tolerance", o->tolerance}};
    sweep->collect = slip_arena_array(&sweep->arena, number_count, sizeof *sweep->collect);
    SLIP_PASS(slip_allocated(sweep->ctx, sweep->collect));
    SLIP_PASS(slip_sweep_collect(sweep, "multiple of ", o->period ? o->period : "", ""));
    SLIP_PASS(slip_sweep_collect(sweep, "returns to ", o->section ? o->section : "", ""));
    SLIP_PASS(slip_sweep_collect(sweep, "points of ", o->maxima ? o->maxima : "", ""));
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        sweep->info.settings[sweep->info.setting_count++] = settings[k];
    return SLIP_OK;
}

static bool moves_together(const job *j)
{
    const char *device = j->how.options.device;
    const slip_run_options *run = &j->run;
    return !(device && strcmp(device, "none") == 0) && !j->how.section.condition && !run->start_q &&
           !run->start_v && !run->values && !run->step_observer && !run->event_observer;
}

/* Moves those of some runs in lanes for which this is possible. */
static int move_together(slip_sweep_job *sweep, job *j, int64_t count, const int64_t *runs)
{
    SLIP_FREED visit *open = slip_alloc(count + 1, sizeof *open);
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(j->ctx, open));
    for (int64_t k = 0; k < count; k++)
        open[k].value = slip_sweep_value(sweep, runs[k], 0);
    const int moved =
        count > 0 ? slip_bifurcation_move_together(j->ctx, j->how.model, &j->how.options, &j->how.section,
                                                   &j->run, count, open, &j->together)
                  : SLIP_OK;
    for (int64_t k = 0; k < count && status >= 0; k++) {
        slip_text word = {0};
        double *numbers = slip_arena_array(&sweep->arena, number_count, sizeof *numbers);
        if (!open[k].done)
            continue;
        status = slip_bifurcation_take_shortest(&j->how, j->ctx, &open[k]);
        if (numbers && status >= 0)
            write_points(j, &open[k], numbers, &word);
        status = status < 0 ? status
                 : !numbers || word.failed
                     ? slip_fail_memory(j->ctx)
                     : slip_sweep_finish(sweep, j->ctx, runs[k], SLIP_SWEEP_DONE, numbers, word.data);
        slip_text_free(&word);
    }
    for (int64_t k = 0; k < count; k++)
        free_visit(&open[k]);
    return status < 0 ? status : moved;
}

/* The result of a lane does not depend on the other lanes to the last bit, so that every process can move
 * some of the values in lanes, piece by piece. Values that lanes cannot take stay open. */
static int run_lanes(slip_sweep_job *sweep, job *j)
{
    enum { piece = 4096 };
    const slip_crew *crew = slip_context_crew(sweep->ctx);
    const int64_t processes = crew ? crew->count : 1, rank = crew ? crew->rank : 0;
    int64_t none, count = 0;
    SLIP_FREED int64_t *open = slip_alloc(sweep->run_count + 1, sizeof *open);
    int status = SLIP_OK;
    for (int64_t at = 0; at < sweep->run_count; at++)
        if (sweep->runs[at].state == SLIP_SWEEP_OPEN)
            *(open ? &open[count++] : (count++, &none)) = at;
    const int64_t share = count < piece * processes ? (count + processes - 1) / processes : piece;
    for (int64_t first = 0; first < count && status >= 0; first += processes * share) {
        const int64_t own = first + rank * share < count ? first + rank * share : count,
                      size = count - own < share ? count - own : share;
        /* the status is told to the other processes also after an error */
        status = open ? move_together(sweep, j, size, open + own) : slip_fail_memory(sweep->ctx);
        status = slip_sweep_gather(sweep, status, open ? size : 0, open ? open + own : &none);
    }
    return status;
}

static int run_apart(slip_sweep_job *sweep)
{
    job *j = (job *)sweep->user;
    const int64_t before = sweep->finished;
    int status = SLIP_OK;
    if (moves_together(j)) {
        SLIP_PASS(run_lanes(sweep, j));
        SLIP_PASS(slip_sweep_share_records(sweep, status));
        j->together.count = sweep->finished - before;
    }
    status = slip_sweep_run_all(sweep);
    j->alone = sweep->finished - before - j->together.count;
    return status;
}

/* ---- The result. */

static int open_tables(job *j)
{
    const slip_system *system = j->how.model->system;
    const char *name = j->how.options.axis->name;
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
    SLIP_PASS(slip_result_create(j->ctx, "bifurcation", "points.csv", &j->result));
    SLIP_PASS(slip_table_add_all(j->ctx, &j->result->main, first));
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < (part == 0 ? slip_system_coordinates(system) : system->n); i++) {
            char column[100];
            snprintf(column, sizeof column, "%.90s%s", system->names[i],
                     part == 1 && i < slip_system_coordinates(system) ? "'" : "");
            SLIP_PASS(slip_table_add(j->ctx, &j->result->main, &(slip_column_info){.name = column}));
        }
    j->values = slip_result_add_table(j->ctx, j->result, "values", "values.csv");
    SLIP_PASS(j->values ? SLIP_OK : SLIP_ERROR_MEMORY);
    return slip_table_add_all(j->ctx, j->values, values);
}

static int add_visit(job *j, const visit *v, double *row)
{
    const int coordinates = slip_system_coordinates(j->how.model->system);
    const int word = slip_table_word(j->ctx, j->values, 5, v->message ? v->message : "");
    SLIP_PASS(word);
    SLIP_PASS(slip_table_append(
        j->ctx, j->values,
        (const double[]){v->value, v->back, v->multiple, (double)v->returns, (double)v->count, word}));
    for (int64_t k = 0; k < v->count; k++) {
        const double *point = v->points + k * (1 + 2 * j->how.n);
        row[0] = v->value;
        row[1] = v->back;
        row[2] = point[0];
        memcpy(row + 3, point + 1, (size_t)coordinates * sizeof *row);
        memcpy(row + 3 + coordinates, point + 1 + j->how.n, (size_t)j->how.n * sizeof *row);
        SLIP_PASS(slip_table_append(j->ctx, &j->result->main, row));
    }
    return SLIP_OK;
}

static int write_summary(job *j, int ended)
{
    const slip_bifurcation_options *o = &j->how.options;
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
        slip_json_integer(&json, "left_by_card", j->together.left_by_card);
        slip_json_integer(&json, "alone", j->alone);
        if (j->together.reason[0])
            slip_json_string(&json, "alone_because", j->together.reason);
    }
    slip_json_end_object(&json);
    return j->result->summary.failed ? slip_fail_memory(j->ctx) : SLIP_OK;
}

static int make_result(job *j, int ended)
{
    SLIP_FREED double *row = slip_alloc(3 + 2 * (int64_t)j->how.n, sizeof *row);
    SLIP_PASS(slip_allocated(j->ctx, row));
    SLIP_PASS(open_tables(j));
    for (int64_t k = 0; k < j->visit_count; k++)
        if (j->visits[k].done)
            SLIP_PASS(add_visit(j, &j->visits[k], row));
    SLIP_PASS(write_summary(j, ended));
    return slip_describe(j->ctx, j->result, j->how.model, NULL);
}

static int make_apart(slip_sweep_job *sweep, int ended, slip_result **result)
{
    job *j = (job *)sweep->user;
    int status = SLIP_OK;
    for (int64_t k = 0; k < sweep->run_count && status >= 0; k++)
        if (sweep->runs[k].state == SLIP_SWEEP_DONE || sweep->runs[k].state == SLIP_SWEEP_FAILED) {
            status = read_visit(j, &sweep->runs[k], &j->visits[k]);
            j->finished++;
        }
    if (status >= 0)
        status = make_result(j, ended);
    *result = status >= 0 ? j->result : NULL;
    j->result = status >= 0 ? NULL : j->result;
    return status;
}

static const slip_sweep_task apart = {.kind = "bifurcation",
                                      .choose = choose_numbers,
                                      .run = run_value,
                                      .run_all = run_apart,
                                      .make = make_apart};

/* ---- All of it. */

static int plan(job *j)
{
    const slip_axis *axis = j->how.options.axis;
    j->how.n = j->how.model->system->n;
    j->visit_count = axis->count * (j->how.options.carry > 0 ? 2 : 1);
    j->visits = slip_alloc(j->visit_count, sizeof *j->visits);
    SLIP_PASS(slip_allocated(j->ctx, j->visits));
    for (int64_t k = 0; k < j->visit_count; k++) {
        const bool back = k >= axis->count;
        j->visits[k] =
            (visit){.value = slip_axis_value(axis, back ? j->visit_count - 1 - k : k), .back = back};
    }
    j->run = j->how.options.run ? *j->how.options.run : slip_run_options_default();
    return SLIP_OK;
}

int slip_bifurcation(slip_context *ctx, const slip_model *model,
                     const slip_bifurcation_options *given_options, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_bifurcation_options, options, given_options);
    SLIP_TAKE_INNER(slip_run_options, options, run);
    job j = {.ctx = ctx, .how = {.model = model, .options = *options}};
    int status;
    slip_context_clear(ctx);
    take_section(&j.how.options, model);
    SLIP_TRY(check_options(&j));
    SLIP_TRY(plan(&j));
    if (j.how.options.carry > 0) {
        status = run_chain(&j);
        if (status >= 0 || status == SLIP_INTERRUPTED) {
            const int made = make_result(&j, status);
            status = made < 0 ? made : status;
            *result = made < 0 ? NULL : j.result;
            j.result = made < 0 ? j.result : NULL;
        }
    } else {
        slip_sweep_job sweep = {.ctx = ctx, .model = model, .task = &apart, .user = &j};
        sweep.options = slip_sweep_options_default();
        sweep.options.axes = j.how.options.axis;
        sweep.options.axis_count = 1;
        sweep.options.carry = 0;
        sweep.options.threads = j.how.options.threads;
        sweep.options.folder = j.how.options.folder;
        sweep.options.restart = j.how.options.restart;
        sweep.options.run = &j.run;
        status = slip_sweep_execute(&sweep, result);
    }
done:
    slip_result_destroy(j.result);
    for (int64_t k = 0; j.visits && k < j.visit_count; k++)
        free_visit(&j.visits[k]);
    free(j.visits);
    free(j.condition);
    return status;
}

/* ---- The study. */

static const slip_field section_fields[] = {
    SLIP_FIELD(slip_bifurcation_options, period, EXPRESSION, SLIP_POSITIVE, NULL,
               "a point at every multiple of this time, an expression of parameters",
               "that of `steady`, else of the loads", NULL),
    SLIP_FIELD(slip_bifurcation_options, section, TEXT, SLIP_ANY, NULL,
               "or wherever this expression of t, coordinates, velocities and parameters passes zero upwards",
               "none", NULL),
    SLIP_FIELD(slip_bifurcation_options, maxima, TEXT, SLIP_ANY, NULL,
               "or at every maximum of this coordinate", "none", NULL),
    SLIP_FIELD(slip_bifurcation_options, transient, LONG, {8, 1e9, false}, NULL,
               "returns that are left out at each value, at most", "200", NULL),
    SLIP_FIELD(slip_bifurcation_options, points, LONG, {1, 1e9, false}, NULL,
               "returns that are kept at each value, at most", "100", NULL),
    SLIP_FIELD(slip_bifurcation_options, tolerance, NUMBER, {1e-14, 0.1, false}, NULL,
               "relative: returns that differ by less are the same", "1e-7", NULL),
    SLIP_FIELD(slip_bifurcation_options, carry, FLAG, SLIP_ANY, NULL,
               "each value starts from the state that the last one ended with, up and back", "`true`", NULL),
};

static const char *const other_keys[] = {"over", NULL};

SLIP_STUDY_FUNCTIONS(slip_bifurcation_options, slip_bifurcation)

const slip_study slip_study_bifurcation = {
    .fields = SLIP_FIELDS("bifurcation", "bifurcation.", section_fields),
    .size = sizeof(slip_bifurcation_options),
    .start = start_section,
    .others = other_keys,
    .read = slip_read_bifurcation,
    .run = run_section,
    .view = {.kind = "bifurcation", .draw = slip_bifurcation_draw},
};
