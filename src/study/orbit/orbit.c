/* A periodic motion as a result: one period of it, its multipliers and its signature. */
#include "study/orbit/orbit.h"

#include "figure/pictures.h"
#include "model/study.h"
#include "study/run.h"

#include <math.h>
#include <string.h>

typedef struct job {
    slip_context *ctx;
    slip_simulation *simulation; /* the model that is run, and its settings */
    slip_orbit_plan plan;
    slip_arc_flow flow;
    slip_orbit orbit;
    slip_text signature;
    slip_result *result;
} job;

/* ---- The motion over one period. */

static int record(job *j)
{
    const slip_system *system = j->simulation->ready->system;
    const slip_settings *settings = slip_simulation_settings(j->simulation);
    const int coordinates = slip_system_coordinates(system);
    slip_run_options run = slip_run_options_default();
    SLIP_FREED_BY(slip_job_close) slip_job motion = {0};
    int status = SLIP_OK;
    run.method = "event";
    run.segments = settings->values.segments;
    run.start = j->orbit.time;
    if (!settings->steady) /* `record_from` is refused beside `steady` */
        run.record_from = run.start;
    run.end = j->orbit.time + j->orbit.period;
    run.tolerance = j->flow.options.tolerance;
    run.record_points = 1001;
    run.start_q = j->orbit.x;
    run.start_v = j->orbit.x + coordinates;
    SLIP_PASS(
        slip_job_open(j->ctx, j->simulation->ready, &(slip_opening){.run = run, .whole = true}, &motion));
    status = slip_job_record(&motion, run.start, run.end, false);
    status = slip_job_conclude(&motion, status);
    j->result = motion.result;
    motion.result = NULL;
    return status;
}

/* ---- Numbers, tables and texts of the result. */

static void write_state(const job *j, slip_json_writer *json)
{
    const slip_system *system = j->flow.system;
    const int coordinates = slip_system_coordinates(system);
    slip_json_object(json, "state");
    for (int i = 0; i < j->orbit.count; i++) {
        slip_text name = {0};
        slip_text_printf(&name, "%s%s", system->names[i < coordinates ? i : i - coordinates],
                         i >= coordinates && i < 2 * coordinates ? "'" : "");
        json->text->failed |= name.failed;
        slip_json_number(json, name.data ? name.data : "", j->orbit.x[i]);
        slip_text_free(&name);
    }
    slip_json_end_object(json);
}

static void write_multipliers(const job *j, slip_json_writer *json)
{
    slip_json_list(json, "multipliers");
    for (int i = 0; i < j->orbit.count; i++) {
        slip_json_list(json, NULL);
        slip_json_number(json, NULL, j->orbit.real[i]);
        slip_json_number(json, NULL, j->orbit.imaginary[i]);
        slip_json_end_list(json);
    }
    slip_json_end_list(json);
}

static void write_orbit(const job *j, slip_json_writer *json)
{
    const slip_orbit *orbit = &j->orbit;
    slip_json_bool(json, "own_period", orbit->own_period);
    slip_json_number(json, "period", orbit->period);
    slip_json_integer(json, "multiple", j->plan.options.multiple);
    slip_json_number(json, "least_period", orbit->period / orbit->repeats);
    slip_json_number(json, "time", orbit->time);
    write_state(j, json);
    slip_json_number(json, "residual", orbit->residual);
    slip_json_integer(json, "iterations", orbit->iterations);
    slip_json_integer(json, "arcs", orbit->arcs);
    write_multipliers(j, json);
    slip_json_string(json, "signature", j->signature.data ? j->signature.data : "");
    slip_json_bool(json, "stable", orbit->stable);
}

static int add_document(job *j)
{
    slip_text text = {0};
    slip_json_writer json = {.text = &text};
    slip_json_object(&json, NULL);
    write_orbit(j, &json);
    slip_json_end_object(&json);
    return slip_result_add_json(j->ctx, j->result, "orbit.json", &text);
}

static int add_multipliers(job *j)
{
    static const char *const names[] = {"real", "imaginary"};
    slip_table *table = slip_result_add_table(j->ctx, j->result, "multipliers", "multipliers.csv");
    int status = table ? SLIP_OK : SLIP_ERROR_MEMORY;
    for (int k = 0; k < 2 && status >= 0; k++)
        status = slip_table_add(j->ctx, table, &(slip_column_info){.name = names[k]});
    for (int i = 0; i < j->orbit.count && status >= 0; i++)
        status = slip_table_append(j->ctx, table, (double[]){j->orbit.real[i], j->orbit.imaginary[i]});
    return status;
}

static int finish(job *j)
{
    slip_json_writer json = {.text = &j->result->summary};
    slip_text_free(&j->result->summary);
    j->result->kind = "orbit";
    slip_json_object(&json, NULL);
    write_orbit(j, &json);
    slip_summary_write_motion(j->result, &json);
    slip_json_end_object(&json);
    SLIP_PASS(j->result->summary.failed ? slip_fail_memory(j->ctx) : SLIP_OK);
    SLIP_PASS(add_multipliers(j));
    return add_document(j);
}

/* ---- All of it. */

static int check(const slip_simulation *s)
{
    const slip_settings *settings = slip_simulation_settings(s);
    if (strcmp(settings->method->info.name, "event") != 0)
        return slip_fail(s->ctx, SLIP_ERROR_USAGE, "orbit: found method `%s`, expected `event`",
                         settings->method->info.name);
    return SLIP_OK;
}

static int open(job *j, const slip_model *model, const slip_orbit_options *options)
{
    slip_simulation_options how = slip_simulation_options_default();
    SLIP_PASS(slip_model_check_lumped(j->ctx, model));
    how.method = "event";
    SLIP_PASS(slip_simulation_open(j->ctx, model, options->values, &how, &j->simulation));
    SLIP_PASS(check(j->simulation));
    SLIP_PASS(slip_orbit_plan_make(j->ctx, j->simulation->ready, options, &j->plan));
    const double tolerance = slip_simulation_settings(j->simulation)->values.tolerance;
    return slip_arc_flow_open(j->ctx, j->simulation->ready->system, slip_simulation_settings(j->simulation),
                              isnan(j->plan.options.tolerance) ? fmin(tolerance, 1e-10)
                                                               : j->plan.options.tolerance,
                              NULL, &j->flow);
}

int slip_orbit_find(slip_context *ctx, const slip_model *model, const slip_orbit_options *given,
                    slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_orbit_options, options, given);
    job j = {.ctx = ctx};
    const int64_t memory = slip_context_memory_failures(ctx);
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(open(&j, model, options));
    SLIP_TRY(slip_orbit_start(ctx, j.simulation, &j.plan, &j.orbit));
    SLIP_TRY(slip_orbit_search(&j.flow, &j.plan, &j.orbit));
    SLIP_TRY(slip_orbit_signature(&j.flow, &j.signature));
    SLIP_TRY(record(&j));
    SLIP_TRY(finish(&j));
    SLIP_TRY(slip_memory_since(ctx, memory, status));
    *result = j.result;
    j.result = NULL;
done:
    slip_result_destroy(j.result);
    slip_orbit_free(&j.orbit);
    slip_arc_flow_close(&j.flow);
    slip_simulation_close(j.simulation);
    slip_text_free(&j.signature);
    return status;
}

/* ---- The study. */

static const char *const own_period[] = {"auto", NULL};
static const char *const orbit_from[] = {"run", "initial", NULL};
static const slip_field section_fields[] = {
    SLIP_FIELD(
        slip_orbit_options, period, EXPRESSION, SLIP_POSITIVE, own_period,
        "of the load, an expression of parameters; or `auto`: the motion has a period of its own, which is "
        "found",
        "that of `steady`, else of the loads, else `auto`", NULL),
    SLIP_FIELD(slip_orbit_options, multiple, COUNT, {1, 1000, false}, NULL,
               "periods of the load after which the motion repeats", "1", NULL),
    SLIP_FIELD(slip_orbit_options, guess, NUMBER, SLIP_POSITIVE, NULL, "of `auto`: the period, roughly",
               "the first return", NULL),
    SLIP_FIELD(slip_orbit_options, from, WORD, SLIP_ANY, orbit_from,
               "where the search starts: the end of the run, or its start", "`run`", NULL),
    SLIP_FIELD(slip_orbit_options, arcs, COUNT, {1, 32, false}, NULL, "into which the period is cut",
               "as many as it takes", NULL),
    SLIP_FIELD(slip_orbit_options, tolerance, NUMBER, {1e-14, 0.1, false}, NULL, "of the motion, as of a run",
               "that of the run, at most 1e-10", NULL),
};

SLIP_STUDY_FUNCTIONS(slip_orbit_options, slip_orbit_find)

const slip_study slip_study_orbit = {
    .fields = SLIP_FIELDS("orbit", "orbit.", section_fields),
    .size = sizeof(slip_orbit_options),
    .start = start_section,
    .run = run_section,
    .view = {.kind = "orbit", .draw = slip_run_draw, .spans = true},
};
