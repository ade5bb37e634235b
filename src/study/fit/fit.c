/* slip_fit: options, the result and its picture. */
#include "study/fit/fit.h"

#include "figure/album.h"
#include "io/file.h"
#include "io/json.h"
#include "io/number.h"
#include "model/names.h"
#include "model/study.h"
#include "study/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { parameters_most = 50 };

SLIP_OPTIONS_FILL(slip_fit_options, .confidence = -1, .iterations = -1)

/* ---- Options. */

static int read_bound(slip_fit_job *job, const char *text, const char *whole, double *bound)
{
    const char *end;
    if (!*text || *text == ':')
        return SLIP_OK;
    if (slip_number_read(text, &end, bound) && (!*end || *end == ':'))
        return SLIP_OK;
    return slip_fail(job->ctx, SLIP_ERROR_USAGE, "fit: vary: found `%.80s`, expected NAME or NAME=LOW:HIGH",
                     whole);
}

/* NAME, NAME=LOW:HIGH, with either bound left out. */
static int read_parameter(slip_fit_job *job, const slip_model *ready, const char *text,
                          slip_fit_parameter *to)
{
    const char *equals = strchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    to->name = equals ? slip_arena_string_bytes(&job->arena, text, (size_t)(equals - text))
                      : slip_arena_string(&job->arena, text);
    SLIP_PASS(slip_allocated(job->ctx, to->name));
    const int index = slip_model_parameter(ready, to->name);
    if (index < 0)
        return slip_model_fail_parameter(job->ctx, ready, to->name);
    to->value = to->start = ready->parameters[index].value;
    to->low = -INFINITY;
    to->high = INFINITY;
    if (equals && !colon)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "fit: vary: found `%.80s`, expected NAME or NAME=LOW:HIGH", text);
    if (equals) {
        SLIP_PASS(read_bound(job, equals + 1, text, &to->low));
        SLIP_PASS(read_bound(job, colon + 1, text, &to->high));
    }
    if (!(to->low < to->high) || !(to->start >= to->low && to->start <= to->high))
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "fit: vary: `%s` starts at %g, expected a start within its bounds, %g to %g",
                         to->name, to->start, to->low, to->high);
    return SLIP_OK;
}

static int read_vary(slip_fit_job *job, const slip_model *ready)
{
    const char *const *vary = job->options.vary;
    while (vary && vary[job->count])
        job->count++;
    if (job->count == 0 || job->count > parameters_most)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "fit: found %d parameters that are varied, expected 1 to %d", job->count,
                         parameters_most);
    job->parameters = slip_arena_array(&job->arena, job->count, sizeof *job->parameters);
    job->names = slip_arena_array(&job->arena, job->count + 1, sizeof *job->names);
    SLIP_PASS(slip_allocated(job->ctx, job->parameters && job->names));
    for (int k = 0; k < job->count; k++) {
        SLIP_PASS(read_parameter(job, ready, vary[k], &job->parameters[k]));
        job->names[k] = job->parameters[k].name;
        for (int other = 0; other < k; other++)
            if (strcmp(job->names[other], job->names[k]) == 0)
                return slip_fail(job->ctx, SLIP_ERROR_USAGE, "fit: vary: `%s` stands there twice",
                                 job->names[k]);
    }
    return SLIP_OK;
}

static int complete(slip_fit_job *job, const slip_model *ready)
{
    slip_fit_options *o = &job->options;
    const slip_fit_options *section = slip_model_section(ready, &slip_study_fit);
    SLIP_FREED char *path = NULL;
    int status = SLIP_OK;
    if (!o->data && section->data) {
        path = slip_path_beside(ready->file, section->data);
        SLIP_PASS(slip_allocated(job->ctx, path));
        o->data = path;
    }
    o->vary = o->vary ? o->vary : section->vary;
    o->series = o->series ? o->series : section->series;
    o->confidence = o->confidence > 0 ? o->confidence : section->confidence > 0 ? section->confidence : 0.95;
    o->iterations = o->iterations > 0 ? o->iterations : section->iterations > 0 ? section->iterations : 50;
    if (!o->data)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "fit: there are no data: --data FILE, or `data` of a section `fit`");
    if (!(o->confidence < 1))
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "fit: the confidence is %g, expected less than 1",
                         o->confidence);
    SLIP_PASS(read_vary(job, ready));
    SLIP_PASS(slip_fit_read(job->ctx, ready, o->data, o->series, &job->data));
    if (job->data.count <= job->count)
        status = slip_fail(job->ctx, SLIP_ERROR_USAGE,
                           "fit: %s has %lld numbers that count, expected more than the %d parameters",
                           o->data, (long long)job->data.count, job->count);
    o->data = NULL; /* the file has been read */
    return status;
}

static int make_room(slip_fit_job *job)
{
    const int64_t count = job->data.count;
    job->model_values = slip_arena_array(&job->arena, count, sizeof(double));
    job->jacobian = slip_arena_array(&job->arena, count * job->count, sizeof(double));
    job->noise = slip_arena_array(&job->arena, job->data.series_count, sizeof(double));
    return job->model_values && job->jacobian && job->noise ? SLIP_OK : slip_fail_memory(job->ctx);
}

/* ---- Confidence. */

/* The number that a normal variable stays below with this probability, above one half: Newton's method. */
static double normal_quantile(double probability)
{
    double x = 1;
    for (int k = 0; k < 60; k++)
        x -= (0.5 * erfc(-x / sqrt(2)) - probability) / (exp(-0.5 * x * x) / sqrt(2 * acos(-1)));
    return x;
}

/* The same of Student's distribution, by the expansion of Cornish and Fisher: to 1e-3 from 4 degrees of
 * freedom on. */
static double student_quantile(double probability, double freedom)
{
    const double x = normal_quantile(probability), x2 = x * x;
    return x + x * (x2 + 1) / (4 * freedom) + x * ((5 * x2 + 16) * x2 + 3) / (96 * freedom * freedom) +
           x * (((3 * x2 + 19) * x2 + 17) * x2 - 15) / (384 * freedom * freedom * freedom);
}

/* ---- The result. */

static void write_numbers(const slip_fit_job *job, slip_json_writer *json)
{
    slip_json_object(json, "value");
    for (int k = 0; k < job->count; k++)
        slip_json_number(json, job->parameters[k].name, job->parameters[k].value);
    slip_json_end_object(json);
    slip_json_object(json, "error");
    for (int k = 0; k < job->count; k++)
        slip_json_number(json, job->parameters[k].name, job->parameters[k].error);
    slip_json_end_object(json);
    slip_json_object(json, "noise");
    for (int k = 0; k < (job->data.events ? 1 : job->data.series_count); k++)
        slip_json_number(json, job->data.events ? "event" : job->data.series[k], job->noise[k]);
    slip_json_end_object(json);
    slip_json_number(json, "rms", job->rms);
    slip_json_number(json, "confidence", job->options.confidence);
    slip_json_integer(json, "points", job->data.count);
    slip_json_integer(json, "iterations", job->iterations);
    slip_json_bool(json, "converged", job->converged);
    slip_json_string(json, "derivatives", job->exact ? "across events" : "differences of runs");
}

static int add_parameters(const slip_fit_job *job, slip_result *result)
{
    static const char *const columns[] = {"value", "error", "low", "high", "start"};
    slip_table *table = slip_result_add_table(job->ctx, result, "parameters", "parameters.csv");
    const double factor =
        student_quantile(0.5 + 0.5 * job->options.confidence, (double)(job->data.count - job->count));
    SLIP_PASS(slip_allocated(job->ctx, table));
    SLIP_PASS(
        slip_table_add(job->ctx, table, &(slip_column_info){.name = "name", .words = slip_words_to_come}));
    for (int k = 0; k < 5; k++)
        SLIP_PASS(slip_table_add(job->ctx, table, &(slip_column_info){.name = columns[k]}));
    for (int k = 0; k < job->count; k++) {
        const slip_fit_parameter *p = &job->parameters[k];
        const int word = slip_table_word(job->ctx, table, 0, p->name);
        SLIP_PASS(word);
        const double row[] = {word,
                              p->value,
                              p->error,
                              fmax(p->value - factor * p->error, p->low),
                              fmin(p->value + factor * p->error, p->high),
                              p->start};
        SLIP_PASS(slip_table_append(job->ctx, table, row));
    }
    return SLIP_OK;
}

/* A row for each time; what was not measured then is not a number. */
static int add_series(const slip_fit_job *job, slip_table *table)
{
    const slip_fit_data *data = &job->data;
    const int series = data->events ? 1 : data->series_count;
    SLIP_FREED_BY(slip_arena_free) slip_arena arena = {0};
    double *row = slip_arena_array(&arena, 1 + 2 * (int64_t)series, sizeof *row);
    char name[slip_name_length_max + 40];
    SLIP_PASS(slip_allocated(job->ctx, row));
    SLIP_PASS(slip_table_add(job->ctx, table, &(slip_column_info){.name = data->events ? "event" : "t"}));
    for (int k = 0; k < 2 * series; k++) {
        snprintf(name, sizeof name, "%s.%s", data->events ? "event" : data->series[k / 2],
                 k % 2 ? "model" : "data");
        SLIP_PASS(slip_table_add(job->ctx, table, &(slip_column_info){.name = name}));
    }
    for (int64_t k = 0; k < data->count;) {
        const double time = data->points[k].time;
        row[0] = data->events ? (double)k : time;
        for (int c = 1; c <= 2 * series; c++)
            row[c] = NAN;
        do {
            const int c = data->events ? 0 : data->points[k].series;
            row[1 + 2 * c] = data->points[k].value;
            row[2 + 2 * c] = job->model_values[k];
            k++;
        } while (!data->events && k < data->count && data->points[k].time == time &&
                 data->points[k].series > data->points[k - 1].series);
        SLIP_PASS(slip_table_append(job->ctx, table, row));
    }
    return SLIP_OK;
}

static int make_result(const slip_fit_job *job, int ended, slip_result **result)
{
    int status;
    SLIP_TRY(slip_result_create(job->ctx, "fit", "fit.csv", result));
    slip_json_writer json = {.text = &(*result)->summary};
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(job->ctx) : NULL);
    write_numbers(job, &json);
    slip_json_end_object(&json);
    SLIP_TRY((*result)->summary.failed ? slip_fail_memory(job->ctx) : SLIP_OK);
    SLIP_TRY(add_series(job, &(*result)->main));
    SLIP_TRY(add_parameters(job, *result));
    SLIP_TRY(slip_describe(job->ctx, *result, job->model, NULL));
done:
    return slip_result_or_none(result, status);
}

int slip_fit(slip_context *ctx, const slip_model *model, const slip_fit_options *given, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_fit_options, options, given);
    SLIP_TAKE_INNER(slip_run_options, options, run);
    slip_fit_job job = {.ctx = ctx, .model = model, .options = *options};
    slip_model *bound = NULL;
    const slip_model *ready = NULL;
    const int64_t memory = slip_context_memory_failures(ctx);
    int status;
    slip_context_clear(ctx);
    job.run = options->run ? *options->run : slip_run_options_default();
    SLIP_TRY(slip_model_check_lumped(ctx, model));
    SLIP_TRY(slip_model_ready(ctx, model, job.run.values, &bound, &ready));
    SLIP_TRY(complete(&job, ready));
    SLIP_TRY(make_room(&job));
    status = slip_memory_since(ctx, memory, slip_fit_solve(&job));
    if (status >= 0 || (status == SLIP_INTERRUPTED && job.iterations > 0)) {
        const int made = make_result(&job, status, result);
        status = made < 0 ? made : status;
    }
done:
    slip_fit_data_free(&job.data);
    slip_model_destroy(bound);
    slip_arena_free(&job.arena);
    return status;
}

/* ---- The picture: each series as it was measured and as the model has it. */

static int draw(slip_album *album)
{
    enum { panels_most = 8 };
    const slip_table *table = &album->result->main;
    const slip_column *t = &table->columns[0];
    slip_album_figure(album, "fit")->stacked = true;
    for (int k = 0; 2 * k + 2 < table->column_count && k < panels_most; k++) {
        const slip_column *data = &table->columns[1 + 2 * k]; /* "x.data", and behind it "x.model" */
        const int length = (int)(strrchr(data->name, '.') - data->name);
        slip_album_panel(
            album, slip_album_label(album, "time", t->name, t->unit),
            slip_album_label(album, NULL, slip_album_text(album, "%.*s", length, data->name), data->unit));
        slip_album_curve(album, t->values, data->values, table->count, "data")->style = SLIP_CURVE_POINTS;
        slip_album_curve(album, t->values, data[1].values, table->count, "model");
    }
    return SLIP_OK;
}

/* ---- The study. */

static const slip_field section_fields[] = {
    SLIP_FIELD(slip_fit_options, data, TEXT, SLIP_ANY, NULL,
               "the CSV file with what was measured, beside the model file",
               "must be given, unless `--data` is", NULL),
    SLIP_FIELD(slip_fit_options, confidence, NUMBER, {0.01, 0.999999, false}, NULL,
               "of the intervals of the parameters", "0.95", NULL),
    SLIP_FIELD(slip_fit_options, iterations, COUNT, {1, 100000, false}, NULL, "at most so many", "50", NULL),
};

static const char *const other_keys[] = {"vary", "series", NULL};

SLIP_STUDY_FUNCTIONS(slip_fit_options, slip_fit)

const slip_study slip_study_fit = {
    .fields = SLIP_FIELDS("fit", "fit.", section_fields),
    .size = sizeof(slip_fit_options),
    .start = start_section,
    .others = other_keys,
    .read = slip_read_fit,
    .run = run_section,
    .view = {.kind = "fit", .draw = draw},
};
