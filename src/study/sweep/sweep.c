/* Sweeps: options, axes, what is collected, and all of it in order. */
#include "study/sweep/sweep.h"

#include "card/card.h"
#include "io/deflate.h"
#include "io/file.h"
#include "model/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { runs_max = 100000000 };

SLIP_OPTIONS_FILL(slip_sweep_options, .carry = -1, .part = 1, .parts = 1)

/* ---- Axes. */

static int check_axes(slip_sweep_job *job)
{
    const slip_sweep_options *o = &job->options;
    if (!o->axes || o->axis_count < 1)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "%s: found nothing to vary, expected at least one axis: --over "
                         "NAME=FROM:TO:COUNT, or a section `%s` in the model",
                         job->task->kind, job->task->kind);
    job->places = slip_arena_array(&job->arena, o->axis_count, sizeof *job->places);
    SLIP_PASS(slip_allocated(job->ctx, job->places));
    job->run_count = 1;
    for (int k = 0; k < o->axis_count; k++) {
        SLIP_PASS(slip_axis_check(job->ctx, job->model, &o->axes[k], &job->places[k]));
        for (int i = 0; i < k; i++)
            if (strcmp(o->axes[i].name, o->axes[k].name) == 0)
                return slip_fail(job->ctx, SLIP_ERROR_USAGE, "%s: `%s` is on two axes", job->task->kind,
                                 o->axes[k].name);
        if (k == slip_sweep_outer(&job->info, o->axis_count))
            continue;
        if (job->run_count > runs_max / o->axes[k].count)
            return slip_fail(job->ctx, SLIP_ERROR_USAGE, "%s: more than %d runs", job->task->kind, runs_max);
        job->run_count *= o->axes[k].count;
        job->binds = job->binds || job->places[k].kind == SLIP_AXIS_PARAMETER;
    }
    job->line_length = 1;
    if (o->carry > 0 &&
        (job->places[o->axis_count - 1].kind != SLIP_AXIS_PARAMETER || slip_model_gear_run(job->model)))
        return slip_fail(
            job->ctx, SLIP_ERROR_USAGE,
            "sweep: states are carried along the last axis, `%s`: expected a parameter of a model "
            "with coordinates",
            o->axes[o->axis_count - 1].name);
    if (o->carry > 0) {
        job->line_length = 2 * o->axes[o->axis_count - 1].count;
        job->run_count *= 2;
    }
    return SLIP_OK;
}

/* ---- What is collected. */

int slip_sweep_collect(slip_sweep_job *job, const char *group, const char *name, const char *mark)
{
    slip_text text = {0};
    slip_text_printf(&text, "%s%s%s", group, name, mark);
    char *copy = text.failed ? NULL : slip_arena_string(&job->arena, text.data);
    slip_text_free(&text);
    SLIP_PASS(slip_allocated(job->ctx, copy));
    job->collect[job->collect_count++] = copy;
    return SLIP_OK;
}

static int collect_default(slip_sweep_job *job, bool steady)
{
    const slip_system *system = job->model->system;
    const int coordinates = slip_system_coordinates(system), outputs = job->model->outputs.count;
    if (slip_model_gear_run(job->model))
        return slip_fail(job->ctx, SLIP_ERROR_USAGE,
                         "sweep: found no numbers to collect; of gears, name them: --collect force.max, ...");
    job->collect =
        slip_arena_array(&job->arena, 5 * (int64_t)coordinates + outputs + 4, sizeof *job->collect);
    SLIP_PASS(slip_allocated(job->ctx, job->collect));
    for (int i = 0; i < coordinates; i++) {
        SLIP_PASS(slip_sweep_collect(job, "max.", system->names[i], ""));
        SLIP_PASS(slip_sweep_collect(job, "max.", system->names[i], "'"));
    }
    for (int k = 0; k < outputs; k++)
        SLIP_PASS(slip_sweep_collect(job, "max.", job->model->outputs.list[k].name, ""));
    SLIP_PASS(slip_sweep_collect(job, "events.total", "", ""));
    if (!steady)
        return SLIP_OK;
    SLIP_PASS(slip_sweep_collect(job, "steady.settled", "", ""));
    SLIP_PASS(slip_sweep_collect(job, "steady.period", "", ""));
    for (int i = 0; i < coordinates; i++) {
        SLIP_PASS(slip_sweep_collect(job, "steady.max.", system->names[i], ""));
        SLIP_PASS(slip_sweep_collect(job, "steady.amplitude.", system->names[i], ""));
        SLIP_PASS(slip_sweep_collect(job, "steady.phase_lag.", system->names[i], ""));
    }
    return SLIP_OK;
}

static int choose_numbers(slip_sweep_job *job)
{
    const char *const *given = job->options.collect;
    int count = 0;
    if (!given || !given[0])
        return collect_default(job,
                               !isnan(job->how.steady_period) || !isnan(job->model->simulate.steady_period));
    while (given[count])
        count++;
    job->collect = slip_arena_array(&job->arena, count, sizeof *job->collect);
    SLIP_PASS(slip_allocated(job->ctx, job->collect));
    for (job->collect_count = 0; job->collect_count < count; job->collect_count++) {
        const char *name = given[job->collect_count];
        for (int k = 0; k < job->collect_count; k++)
            if (strcmp(job->collect[k], name) == 0)
                return slip_fail(job->ctx, SLIP_ERROR_USAGE, "sweep: `%s` is collected twice", name);
        job->collect[job->collect_count] = name;
    }
    return SLIP_OK;
}

/* ---- The journal. */

typedef struct digest {
    slip_context *ctx;
    slip_text *text;
} digest;

/* Adds the contents of a file that the model reads. A name that cannot be read is no file: a parameter may be
 * called `file`. */
static int add_file(void *user, const char *path, const char *name)
{
    const digest *to = user;
    slip_text bytes = {0};
    const int status = slip_file_read(to->ctx, path, (size_t)1 << 30, &bytes);
    if (status >= 0)
        slip_text_printf(to->text, "file %s %zu bytes %08x\n", name, bytes.length,
                         slip_crc32(bytes.data ? bytes.data : "", bytes.length));
    slip_text_free(&bytes);
    if (status < 0 && status != SLIP_ERROR_MEMORY)
        slip_context_clear(to->ctx);
    return status == SLIP_ERROR_MEMORY ? status : SLIP_OK;
}

static int add_files(slip_context *ctx, const slip_model *model, slip_text *text)
{
    digest to = {ctx, text};
    slip_text packed = {0};
    const int status = model->document ? slip_model_pack(ctx, model, add_file, &to, &packed) : SLIP_OK;
    slip_text_free(&packed);
    return status;
}

/* Writes all settings that the numbers of a run depend on, line by line. */
static int write_settings(slip_sweep_job *job, slip_text *text)
{
    const slip_sweep_options *o = &job->options;
    const slip_run_options *how = &job->how;
    SLIP_PASS(slip_model_write(job->ctx, job->model, NULL, text));
    SLIP_PASS(add_files(job->ctx, job->model, text));
    for (int k = 0; k < o->axis_count; k++) {
        slip_text_printf(text, "axis %s %.17g %.17g %lld %d", o->axes[k].name, o->axes[k].from, o->axes[k].to,
                         (long long)o->axes[k].count, o->axes[k].logarithmic);
        for (int64_t i = 0; o->axes[k].list && i < o->axes[k].count; i++)
            slip_text_printf(text, " %.17g", o->axes[k].list[i]);
        slip_text_append(text, "\n");
    }
    for (int k = 0; k < job->collect_count; k++)
        slip_text_printf(text, "collect %s\n", job->collect[k]);
    for (int k = 0; k < job->info.setting_count; k++)
        slip_text_printf(text, "%s %.17g\n", job->info.settings[k].name, job->info.settings[k].value);
    slip_text_printf(text, "carry %d\npart %d/%d\n", o->carry > 0, o->part, o->parts);
    if (job->task->lanes)
        slip_text_printf(text, "runs %s\n",
                         job->lanes ? "together (--device)" : "one by one (--device none)");
    slip_text_printf(text, "run %s %s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %lld\n",
                     how->method ? how->method : "", how->segments ? how->segments : "", how->start, how->end,
                     how->tolerance, how->step, how->theta, how->steady_period, how->steady_tolerance,
                     (long long)how->steady_within);
    return text->failed ? slip_fail_memory(job->ctx) : SLIP_OK;
}

static int open_journal(slip_sweep_job *job, char **path)
{
    SLIP_FREED_BY(slip_text_free) slip_text settings = {0};
    char name[40];
    snprintf(name, sizeof name, "%s.journal", job->task->kind);
    *path = slip_path_join(job->options.folder, name);
    SLIP_PASS(slip_allocated(job->ctx, *path));
    SLIP_PASS(write_settings(job, &settings));
    return slip_journal_open(job->ctx, *path, settings.data, job->options.restart != 0, slip_sweep_take, job,
                             &job->journal);
}

/* ---- All of it. */

static int check_options(slip_sweep_job *job)
{
    const slip_sweep_options *o = &job->options;
    if (o->parts < 1 || o->part < 1 || o->part > o->parts)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "%s: found part %d/%d, expected K/N with K from 1 to N",
                         job->task->kind, o->part, o->parts);
    if (o->threads < 0 || o->threads > 1024)
        return slip_fail(job->ctx, SLIP_ERROR_USAGE, "%s: found %d threads, expected 0 to 1024",
                         job->task->kind, o->threads);
    return SLIP_OK;
}

/* Records only both ends of each run, since largest values do not depend on records. */
static void choose_records(slip_run_options *how)
{
    how->record_every = NAN;
    how->record_points = 2;
    how->record_steps = 0;
    how->record_events = 0;
}

/* All runs are in memory until the end: their numbers and words and, while the file is made, the columns of
 * the table once more. */
static int check_memory(const slip_sweep_job *job)
{
    enum { text = 64 };
    const double columns = job->options.axis_count + job->collect_count + 5.0,
                 each = 8.0 * job->width + text + 8 * columns + job->run_bytes, runs = (double)job->run_count;
    char what[60], advice[200];
    snprintf(what, sizeof what, "a job of %.9g runs", runs);
    snprintf(advice, sizeof advice,
             "ask for fewer runs, or for parts of them (--part K/N), each with a folder of its own%s",
             job->task->smaller ? job->task->smaller : "");
    const double bytes = runs * (sizeof *job->runs + each / job->options.parts);
    return slip_memory_check(job->ctx, &(slip_memory_need){job->task->kind, what, advice, bytes}, 0);
}

static int prepare(slip_sweep_job *job)
{
    SLIP_PASS(check_options(job));
    SLIP_PASS(check_axes(job));
    job->how = job->options.run ? *job->options.run : slip_run_options_default();
    choose_records(&job->how);
    SLIP_PASS(job->task->choose(job));
    job->n = job->model->system->n;
    job->width = job->collect_count + (job->line_length > 1 ? 2 * job->n : 0);
    SLIP_PASS(check_memory(job));
    job->runs = slip_alloc(job->run_count, sizeof *job->runs);
    SLIP_PASS(slip_allocated(job->ctx, job->runs));
    return job->task->lanes && job->info.together ? slip_sweep_plan_lanes(job) : SLIP_OK;
}

/* What is not given is as the model's section says. */
static void take_section(slip_sweep_options *o, const slip_sweep_options *section)
{
    if (!o->axes || o->axis_count == 0) {
        o->axes = section->axes;
        o->axis_count = section->axis_count;
    }
    if (!o->collect)
        o->collect = section->collect;
    if (o->carry < 0)
        o->carry = section->carry;
}

int slip_sweep_execute(slip_sweep_job *job, slip_result **result)
{
    const slip_crew *crew = slip_context_crew(job->ctx);
    char *journal = NULL;
    int status;
    job->journal.file = -1;
    SLIP_TRY(prepare(job));
    if (job->options.folder && !(crew && crew->rank > 0))
        status = open_journal(job, &journal);
    SLIP_TRY(slip_sweep_share_records(job, status));
    status = job->task->run_all ? job->task->run_all(job) : slip_sweep_run_all(job);
    if (status >= 0 || status == SLIP_INTERRUPTED) {
        const int made = (job->task->make ? job->task->make : slip_sweep_make_result)(job, status, result);
        if (made < 0)
            status = made;
        else if (journal && status >= 0)
            status = ((*result)->served = slip_arena_string(&(*result)->arena, journal))
                         ? status
                         : slip_fail_memory(job->ctx);
    }
done:
    /* a refused job leaves no journal: the next command has other settings */
    if (status == SLIP_ERROR_USAGE || (status < 0 && status != SLIP_INTERRUPTED && job->finished == 0))
        slip_journal_discard(&job->journal);
    slip_journal_close(&job->journal);
    free(journal);
    free(job->runs);
    slip_arena_free(&job->arena);
    return status;
}

/* ---- The sweep itself. */

int slip_sweep_conclude(slip_context *ctx, const slip_sweep_info *info, slip_result *result,
                        slip_json_writer *json)
{
    (void)ctx, (void)result;
    slip_sweep_write_together(info, json);
    return SLIP_OK;
}

static const slip_sweep_task task = {.kind = "sweep",
                                     .file = "table.csv",
                                     .choose = choose_numbers,
                                     .run = slip_sweep_run_model,
                                     .lanes = true,
                                     .conclude = slip_sweep_conclude};

/* From this number of runs on they are moved in lanes unless the options decide. */
enum { runs_together = 1000 };

bool slip_sweep_asks_for_lanes(const slip_sweep_options *o, double from)
{
    double runs = 1;
    if (o->device && strcmp(o->device, "auto") != 0)
        return strcmp(o->device, "none") != 0;
    for (int k = 0; k < o->axis_count && o->axes; k++)
        runs *= (double)o->axes[k].count;
    return runs >= from;
}

int slip_sweep(slip_context *ctx, const slip_model *model, const slip_sweep_options *given_options,
               slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    SLIP_TAKE(slip_sweep_options, options, given_options);
    SLIP_TAKE_INNER(slip_run_options, options, run);
    slip_sweep_job job = {.ctx = ctx, .model = model, .task = &task, .options = *options};
    slip_sweep_together together = {0};
    slip_context_clear(ctx);
    take_section(&job.options, slip_model_section(model, &slip_study_sweep));
    SLIP_PASS(slip_card_check_name(ctx, "sweep", job.options.device));
    if (slip_context_crew(ctx) && job.options.device && strcmp(job.options.device, "cuda") == 0)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "sweep: the device is `cuda`, and several processes share the runs; expected cpu, auto or none");
    if (slip_sweep_asks_for_lanes(&job.options, runs_together))
        job.info.together = &together;
    return slip_sweep_execute(&job, result);
}

/* ---- The study. */

static const char *const other_keys[] = {"over", "collect", "carry", NULL};

SLIP_STUDY_FUNCTIONS(slip_sweep_options, slip_sweep)

const slip_study slip_study_sweep = {
    .fields = {.section = "sweep"},
    .size = sizeof(slip_sweep_options),
    .start = start_section,
    .others = other_keys,
    .read = slip_read_sweep,
    .of_gears = true,
    .run = run_section,
    .task = &task,
    .view = {.kind = "sweep", .draw = slip_sweep_draw},
};
