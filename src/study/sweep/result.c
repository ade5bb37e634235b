/* The result of a sweep: its table and summary, and how parts become one. */
#include "model/study.h"
#include "study/describe.h"
#include "study/sweep/sweep.h"

#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const directions[] = {"up", "back", NULL};
static const char *const states[] = {"done", "failed", NULL};
/* ---- Writing. */

static void write_axis(slip_json_writer *json, const slip_axis *axis)
{
    slip_json_object(json, NULL);
    slip_json_string(json, "name", axis->name);
    slip_json_number(json, "from", axis->from);
    slip_json_number(json, "to", axis->to);
    slip_json_integer(json, "count", axis->count);
    slip_json_bool(json, "logarithmic", axis->logarithmic != 0);
    if (axis->list) {
        slip_json_list(json, "list");
        for (int64_t k = 0; k < axis->count; k++)
            slip_json_number(json, NULL, axis->list[k]);
        slip_json_end_list(json);
    }
    slip_json_end_object(json);
}

void slip_sweep_write_together(const slip_sweep_info *info, slip_json_writer *json)
{
    if (!info->together)
        return;
    slip_json_integer(json, "together", info->together->count);
    slip_json_integer(json, "left_by_card", info->together->left_by_card);
    slip_json_integer(json, "alone", info->finished - info->together->count);
    if (info->together->reason[0])
        slip_json_string(json, "alone_because", info->together->reason);
}

/* `result` NULL: without what the task says of all runs. */
static int write_summary(slip_context *ctx, const slip_sweep_info *info, int ended, slip_result *result,
                         slip_text *text)
{
    int status = SLIP_OK;
    slip_json_writer json = {.text = text};
    slip_json_object(&json, NULL);
    slip_summary_write_ending(&json, ended, ended < 0 ? slip_context_message(ctx) : NULL);
    slip_json_list(&json, "axes");
    for (int k = 0; k < info->axis_count; k++)
        write_axis(&json, &info->axes[k]);
    slip_json_end_list(&json);
    slip_json_list(&json, "collect");
    for (int k = 0; k < info->collect_count; k++)
        slip_json_string(&json, NULL, info->collect[k]);
    slip_json_end_list(&json);
    if (info->setting_count > 0)
        slip_json_object(&json, "settings");
    for (int k = 0; k < info->setting_count; k++)
        slip_json_number(&json, info->settings[k].name, info->settings[k].value);
    if (info->setting_count > 0)
        slip_json_end_object(&json);
    slip_json_bool(&json, "carry", info->carries);
    if (info->lines)
        slip_json_bool(&json, "lines", true);
    slip_json_integer(&json, "runs", info->runs);
    slip_json_integer(&json, "part", info->part);
    slip_json_integer(&json, "parts", info->parts);
    slip_json_integer(&json, "finished", info->finished);
    slip_json_integer(&json, "failed", info->failed);
    if (result && info->task->conclude)
        status = info->task->conclude(ctx, info, result, &json);
    slip_json_end_object(&json);
    return status >= 0 && text->failed ? slip_fail_memory(ctx) : status;
}

/* ---- The table. */

static int add_columns(slip_context *ctx, slip_table *table, const slip_sweep_info *info)
{
    SLIP_PASS(slip_table_add(ctx, table, &(slip_column_info){.name = "run"}));
    for (int k = 0; k < slip_sweep_outer(info, info->axis_count); k++)
        SLIP_PASS(slip_table_add(ctx, table, &(slip_column_info){.name = info->axes[k].name}));
    if (info->carries)
        SLIP_PASS(slip_table_add(ctx, table, &(slip_column_info){.name = "direction", .words = directions}));
    for (int k = 0; k < info->collect_count; k++)
        SLIP_PASS(slip_table_add(
            ctx, table,
            &(slip_column_info){.name = info->collect[k],
                                .words = info->task->words ? info->task->words(info->collect[k]) : NULL}));
    if (info->task->word)
        SLIP_PASS(slip_table_add(ctx, table,
                                 &(slip_column_info){.name = info->task->word, .words = slip_words_to_come}));
    SLIP_PASS(slip_table_add(ctx, table, &(slip_column_info){.name = "status", .words = states}));
    return slip_table_add(ctx, table, &(slip_column_info){.name = "message", .words = slip_words_to_come});
}

static int add_row(const slip_sweep_job *job, slip_table *table, int64_t at, double *row)
{
    const slip_sweep_run *run = &job->runs[at];
    const bool failed = run->state == SLIP_SWEEP_FAILED;
    int column = 0, word;
    row[column++] = (double)(at + 1);
    for (int k = 0; k < slip_sweep_outer(&job->info, job->options.axis_count); k++)
        row[column++] = slip_sweep_value(job, at, k);
    if (job->line_length > 1)
        row[column++] = slip_sweep_goes_back(job, at);
    for (int k = 0; k < job->collect_count; k++) {
        row[column] = run->numbers[k];
        if (table->columns[column].words && isnan(row[column]))
            row[column] = 0;
        column++;
    }
    if (job->task->word) {
        if ((word = slip_table_word(job->ctx, table, column, !failed && run->text ? run->text : "")) < 0)
            return word;
        row[column++] = word;
    }
    row[column++] = failed;
    if ((word = slip_table_word(job->ctx, table, column, failed && run->text ? run->text : "")) < 0)
        return word;
    row[column] = word;
    return slip_table_append(job->ctx, table, row);
}

static bool is_finished(const slip_sweep_run *run)
{
    return run->state == SLIP_SWEEP_DONE || run->state == SLIP_SWEEP_FAILED;
}

int slip_sweep_make_result(slip_sweep_job *job, int status, slip_result **result)
{
    const int ended = status;
    slip_sweep_info info = job->info;
    info.task = job->task;
    info.model = job->model;
    info.run = &job->how;
    info.axis_count = job->options.axis_count;
    info.axes = job->options.axes;
    info.collect_count = job->collect_count;
    info.collect = job->collect;
    info.carries = job->line_length > 1;
    info.part = job->options.part;
    info.parts = job->options.parts;
    info.runs = job->run_count;
    double *row = slip_alloc(job->options.axis_count + job->collect_count + 5, sizeof *row);
    SLIP_TRY(slip_allocated(job->ctx, row));
    SLIP_TRY(slip_result_create(job->ctx, job->task->kind, job->task->file, result));
    for (int64_t at = 0; at < job->run_count; at++) {
        info.finished += is_finished(&job->runs[at]);
        info.failed += job->runs[at].state == SLIP_SWEEP_FAILED;
        if (info.together)
            info.together->count += is_finished(&job->runs[at]) && job->runs[at].together;
    }
    SLIP_TRY(add_columns(job->ctx, &(*result)->main, &info));
    for (int64_t at = 0; at < job->run_count; at++)
        if (is_finished(&job->runs[at]))
            SLIP_TRY(add_row(job, &(*result)->main, at, row));
    SLIP_TRY(write_summary(job->ctx, &info, ended, *result, &(*result)->summary));
    SLIP_TRY(slip_describe(job->ctx, *result, job->model, NULL));
done:
    free(row);
    return slip_result_or_none(result, status);
}

/* ---- Parts. */

static int64_t read_count(const slip_json *json, const char *key)
{
    const double number = slip_json_get(json, key);
    return number >= 0 && number < 1e15 ? (int64_t)number : 0;
}

static int length_of(const slip_json *list)
{
    int count = 0;
    for (const slip_json *at = list ? list->child : NULL; at; at = at->next)
        count++;
    return count;
}

/* The axes as the summary has them; false when out of memory. */
static bool read_axes(const slip_json *list, slip_arena *arena, slip_sweep_info *info)
{
    slip_axis *axes = slip_arena_array(arena, length_of(list) + 1, sizeof *axes);
    info->axes = axes;
    for (const slip_json *at = list ? list->child : NULL; axes && at; at = at->next) {
        const slip_json *name = slip_json_find(at, "name"), *values = slip_json_find(at, "list");
        slip_axis *axis = &axes[info->axis_count++];
        *axis = (slip_axis){.name = name && name->string ? name->string : "",
                            .from = slip_json_get(at, "from"),
                            .to = slip_json_get(at, "to"),
                            .count = read_count(at, "count"),
                            .logarithmic = slip_json_is(at, "logarithmic")};
        if (!values)
            continue;
        double *numbers = slip_arena_array(arena, length_of(values) + 1, sizeof *numbers);
        axis->list = numbers;
        axis->count = 0;
        for (const slip_json *one = values->child; numbers && one; one = one->next)
            numbers[axis->count++] = one->number;
        axes = numbers ? axes : NULL;
    }
    return axes != NULL;
}

static bool read_names(const slip_json *list, slip_arena *arena, slip_sweep_info *info)
{
    const char **names = slip_arena_array(arena, length_of(list) + 1, sizeof *names);
    for (const slip_json *at = list ? list->child : NULL; names && at; at = at->next)
        names[info->collect_count++] = at->string ? at->string : "";
    info->collect = names;
    return names != NULL;
}

static void read_settings(const slip_json *list, slip_sweep_info *info)
{
    for (const slip_json *at = list ? list->child : NULL; at && info->setting_count < slip_sweep_settings_max;
         at = at->next)
        info->settings[info->setting_count++] =
            (slip_sweep_setting){at->key, at->type == SLIP_JSON_NUMBER ? at->number : NAN};
}

static int read_info(slip_context *ctx, slip_result *part, const char *folder, slip_arena *arena,
                     slip_sweep_info *info)
{
    const slip_json *json;
    *info = (slip_sweep_info){0};
    for (int k = 0; slip_studies[k] && !info->task; k++) {
        const slip_sweep_task *task = slip_studies[k]->task;
        info->task = task && strcmp(part->kind, task->kind) == 0 ? task : NULL;
    }
    if (!info->task)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "%s holds a result of kind `%s`, expected part of a sweep, of a basin or of exponents over axes",
            folder, part->kind);
    SLIP_PASS(slip_json_parse(ctx, arena, folder, part->summary.data, part->summary.length, &json));
    SLIP_PASS(slip_allocated(ctx, read_axes(slip_json_find(json, "axes"), arena, info) &&
                                      read_names(slip_json_find(json, "collect"), arena, info)));
    read_settings(slip_json_find(json, "settings"), info);
    info->carries = slip_json_is(json, "carry");
    info->lines = info->task->lines && slip_json_is(json, "lines");
    info->task = info->lines ? info->task->lines : info->task;
    info->part = (int)read_count(json, "part");
    info->parts = (int)read_count(json, "parts");
    info->runs = read_count(json, "runs");
    info->finished = read_count(json, "finished");
    info->failed = read_count(json, "failed");
    return SLIP_OK;
}

/* How many runs of a part were moved together is added to those of the others. */
static void add_together(slip_result *part, slip_sweep_together *sum, slip_sweep_info *whole)
{
    const double count = slip_result_number(part, "together");
    const char *reason = slip_result_text(part, "alone_because");
    if (isnan(count))
        return;
    sum->count += (int64_t)count;
    sum->left_by_card += (int64_t)slip_result_number(part, "left_by_card");
    if (sum->reason[0] == 0 && reason)
        snprintf(sum->reason, sizeof sum->reason, "%s", reason);
    whole->together = sum;
}

/* What all parts have in common. */
static int write_identity(slip_context *ctx, const slip_result *part, slip_sweep_info info, slip_text *text)
{
    info.part = 0;
    info.finished = info.failed = 0;
    slip_text_append(text, part->model_text ? part->model_text : "");
    slip_text_append(text, info.task->kind);
    return write_summary(ctx, &info, SLIP_OK, NULL, text);
}

typedef struct part_row {
    const slip_table *table;
    int64_t row;
    double run;
} part_row;

static int compare_rows(const void *a, const void *b)
{
    const part_row *x = a, *y = b;
    return x->run < y->run ? -1 : x->run > y->run;
}

static int copy_row(slip_context *ctx, slip_table *to, const part_row *from, double *row)
{
    const slip_table *table = from->table;
    for (int c = 0; c < to->column_count; c++) {
        row[c] = table->columns[c].values[from->row];
        if (table->columns[c].words) { /* each part has its own list */
            const int word = slip_table_word(ctx, to, c, table->columns[c].words[(int)row[c]]);
            if (word < 0)
                return word;
            row[c] = word;
        }
    }
    return slip_table_append(ctx, to, row);
}

static int join(slip_context *ctx, int count, slip_result *const *parts, const slip_sweep_info *info,
                slip_result *result)
{
    const int columns = parts[0]->main.column_count;
    SLIP_FREED part_row *rows = slip_alloc(info->runs + 1, sizeof *rows);
    SLIP_FREED double *row = slip_alloc(columns + 1, sizeof *row);
    int64_t found = 0;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, rows && row));
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < parts[k]->main.count && found < info->runs; i++)
            rows[found++] = (part_row){&parts[k]->main, i, parts[k]->main.columns[0].values[i]};
    qsort(rows, (size_t)found, sizeof *rows, compare_rows);
    for (int64_t i = 0; i < info->runs; i++)
        if (i >= found || rows[i].run != (double)(i + 1)) {
            status =
                slip_fail(ctx, SLIP_ERROR_USAGE,
                          "run %lld of %lld is in none of the folders, or twice: expected all %d parts, each "
                          "finished",
                          (long long)i + 1, (long long)info->runs, info->parts);
            return status;
        }
    SLIP_PASS(add_columns(ctx, &result->main, info));
    for (int64_t i = 0; i < info->runs; i++)
        SLIP_PASS(copy_row(ctx, &result->main, &rows[i], row));
    return status;
}

int slip_sweep_merge(slip_context *ctx, int count, const char *const *folders, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, folders);
    slip_arena arena = {0};
    slip_text first = {0}, other = {0};
    slip_sweep_info whole = {0}, info;
    slip_sweep_together together = {0};
    slip_result **parts = slip_alloc(count, sizeof *parts);
    slip_model *model = NULL;
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(slip_allocated(ctx, parts));
    SLIP_TRY(count > 0 ? SLIP_OK : slip_fail(ctx, SLIP_ERROR_USAGE, "merge: found no folder"));
    for (int k = 0; k < count; k++) {
        SLIP_TRY(slip_result_load(ctx, folders[k], &parts[k]));
        SLIP_TRY(read_info(ctx, parts[k], folders[k], &arena, &info));
        slip_text_clear(&other);
        SLIP_TRY(write_identity(ctx, parts[k], info, k == 0 ? &first : &other));
        if (k == 0)
            whole = info;
        else if (strcmp(first.data, other.data) != 0 ||
                 parts[k]->main.column_count != parts[0]->main.column_count) {
            status = slip_fail(ctx, SLIP_ERROR_USAGE,
                               "%s is of another %s than %s: expected parts of one model with the same axes, "
                               "numbers and options",
                               folders[k], info.task->kind, folders[0]);
            goto done;
        }
        whole.failed += k > 0 ? info.failed : 0;
        add_together(parts[k], &together, &whole);
    }
    if (whole.task->models)
        SLIP_TRY(slip_model_parse(ctx, parts[0]->model_text, folders[0], NULL, &model));
    whole.model = model;
    SLIP_TRY(slip_result_create(ctx, whole.task->kind, whole.task->file, result));
    SLIP_TRY(join(ctx, count, parts, &whole, *result));
    whole.part = whole.parts = 1;
    whole.finished = whole.runs;
    SLIP_TRY(write_summary(ctx, &whole, SLIP_OK, *result, &(*result)->summary));
    SLIP_TRY(slip_result_describe(ctx, *result, parts[0]->title, parts[0]->model_text));
done:
    for (int k = 0; parts && k < count; k++)
        slip_result_destroy(parts[k]);
    free(parts);
    slip_model_destroy(model);
    slip_text_free(&first);
    slip_text_free(&other);
    slip_arena_free(&arena);
    return slip_result_or_none(result, status);
}

/* Along a line that goes and comes back. */
static int64_t place_on_line(const slip_sweep_job *job, int64_t at)
{
    return 2 * at < job->line_length ? at : job->line_length - 1 - at;
}

double slip_sweep_value(const slip_sweep_job *job, int64_t run, int axis)
{
    const slip_sweep_options *o = &job->options;
    const bool carries = job->line_length > 1;
    int64_t rest = run / job->line_length;
    if (carries && axis == o->axis_count - 1)
        return slip_axis_value(&o->axes[axis], place_on_line(job, run % job->line_length));
    for (int k = slip_sweep_outer(&job->info, o->axis_count) - 1 - carries; k > axis; k--)
        rest /= o->axes[k].count;
    return slip_axis_value(&o->axes[axis], rest % o->axes[axis].count);
}
