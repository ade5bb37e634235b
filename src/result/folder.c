/* The folder of a result: model.yaml, result.h5, CSV files of its tables, documents, summary.json.
 *
 * 1. All files are written beside an earlier result of the same folder and replace it when they are complete,
 * so a failure does not destroy the earlier result. 2. Then summary.json is removed first and put in place
 * last: a folder that has one is complete, and all its
 *    files are of the same result.
 * 3. Pictures and exports of the earlier result are removed with it, so that they cannot be mistaken for
 * those of the new one. */
#include "io/file.h"
#include "io/hdf5.h"
#include "io/staging.h"
#include "result/result.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t largest_text = (size_t)1 << 30;
static const char summary_name[] = "summary.json";

/* ---- Saving. */

static int write_text(slip_context *ctx, const char *folder, const char *name, const char *text)
{
    SLIP_FREED char *path = slip_path_join(folder, name);
    return path ? slip_file_write(ctx, path, text, strlen(text)) : slip_fail_memory(ctx);
}

static int save_words(slip_context *ctx, slip_h5 *h5, const char *place, const slip_column *column)
{
    SLIP_FREED_BY(slip_text_free) slip_text words = {0};
    for (int k = 0; k < column->word_count; k++)
        slip_text_printf(&words, "%s\n", column->words[k]);
    return words.failed ? slip_fail_memory(ctx)
                        : slip_h5_write_text(h5, place, "names", words.data ? words.data : "");
}

static int save_number(slip_h5 *h5, const char *place, const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    return slip_h5_write_text(h5, place, name, text);
}

/* A dataset for each column. `name` is what the series is called, `column` its place in the table. */
static int save_column(slip_context *ctx, slip_h5 *h5, const slip_table *table, int index)
{
    const slip_column *column = &table->columns[index];
    const bool small = column->words && column->word_count <= CHAR_MAX;
    SLIP_FREED_BY(slip_text_free) slip_text place = {0};
    slip_text_printf(&place, "%s%s%s", table->name, *table->name ? "/" : "", column->place);
    SLIP_PASS(slip_allocated(ctx, !place.failed));
    SLIP_PASS(small ? slip_h5_write_small(h5, place.data, column->values, table->count)
                    : slip_h5_write(h5, place.data, column->values, table->count));
    SLIP_PASS(slip_h5_write_text(h5, place.data, "name", column->name));
    SLIP_PASS(save_number(h5, place.data, "column", index));
    if (*column->unit)
        SLIP_PASS(slip_h5_write_text(h5, place.data, "unit", column->unit));
    if (column->words)
        SLIP_PASS(save_words(ctx, h5, place.data, column));
    return SLIP_OK;
}

static int save_table(slip_context *ctx, slip_h5 *h5, const slip_table *table)
{
    for (int k = 0; k < table->column_count; k++)
        SLIP_PASS(save_column(ctx, h5, table, k));
    return *table->name ? slip_h5_write_text(h5, table->name, "table", table->file) : SLIP_OK;
}

static int save_array(slip_h5 *h5, const slip_array *array)
{
    SLIP_PASS(array->small ? slip_h5_write_small(h5, array->place, array->values, array->count * array->width)
                           : slip_h5_write(h5, array->place, array->values, array->count * array->width));
    return save_number(h5, array->place, "width", array->width);
}

/* How long the words of a column are together, of that with most of them. */
static size_t longest_words(const slip_table *table)
{
    size_t most = 0;
    for (int c = 0; c < table->column_count; c++) {
        size_t length = 0;
        for (int k = 0; k < table->columns[c].word_count; k++)
            length += strlen(table->columns[c].words[k]) + 1;
        most = length > most ? length : most;
    }
    return most;
}

static int save_h5(slip_context *ctx, const slip_result *result, const char *folder)
{
    SLIP_FREED char *path = slip_path_join(folder, "result.h5");
    SLIP_FREED_BY(slip_h5_drop) slip_h5 *h5 = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, path));
    size_t longest = longest_words(&result->main);
    for (int k = 0; k < result->table_count; k++) {
        const size_t own = longest_words(result->tables[k]);
        longest = own > longest ? own : longest;
    }
    SLIP_PASS(slip_h5_create_for(ctx, path, longest, &h5));
    SLIP_PASS(slip_h5_write_text(h5, "/", "slipstick", slip_version()));
    SLIP_PASS(slip_h5_write_text(h5, "/", "kind", result->kind));
    SLIP_PASS(slip_h5_write_text(h5, "/", "method", result->method));
    SLIP_PASS(slip_h5_write_text(h5, "/", "title", result->title ? result->title : ""));
    if (result->vector_count > 0)
        SLIP_PASS(save_number(h5, "/", "vectors", result->vector_count));
    SLIP_PASS(save_table(ctx, h5, &result->main));
    for (int k = 0; k < result->table_count; k++)
        SLIP_PASS(save_table(ctx, h5, result->tables[k]));
    for (int k = 0; k < result->array_count; k++)
        SLIP_PASS(save_array(h5, &result->arrays[k]));
    status = slip_h5_commit(h5);
    h5 = NULL;
    return status;
}

static int save_csv(slip_context *ctx, const slip_table *table, const char *folder)
{
    if (!*table->file)
        return SLIP_OK;
    SLIP_FREED char *path = slip_path_join(folder, table->file);
    return path ? slip_table_write_csv(ctx, table, true, path) : slip_fail_memory(ctx);
}

static int save_files(slip_context *ctx, slip_result *result, const char *folder)
{
    const char *summary = slip_result_summary(ctx, result), *model;
    SLIP_PASS(slip_allocated(ctx, summary));
    SLIP_PASS(slip_result_model_text(ctx, result, &model));
    if (model)
        SLIP_PASS(write_text(ctx, folder, "model.yaml", model));
    for (int k = 0; k < result->document_count; k++)
        SLIP_PASS(write_text(ctx, folder, result->documents[k].name, result->documents[k].text));
    SLIP_PASS(save_csv(ctx, &result->main, folder));
    for (int k = 0; k < result->table_count; k++)
        SLIP_PASS(save_csv(ctx, result->tables[k], folder));
    SLIP_PASS(save_h5(ctx, result, folder));
    return write_text(ctx, folder, summary_name, summary);
}

int slip_result_save(slip_context *ctx, slip_result *result, const char *folder)
{
    SLIP_NEED(ctx, result, folder);
    slip_staging staging = {0};
    int status;
    if (result->contact_names && !slip_result_table(result, "events"))
        SLIP_TRY(slip_result_add_events(ctx, result));
    SLIP_TRY(slip_staging_begin(ctx, folder, "result", &staging));
    SLIP_TRY(save_files(ctx, result, staging.work));
    SLIP_TRY(slip_staging_publish(ctx, &staging, summary_name));
    if (result->served)
        unlink(result->served); /* there may be none */
done:
    return slip_staging_end(ctx, &staging, status);
}

/* ---- Loading. */

/* 1 or 0, or SLIP_ERROR_MEMORY. */
static int has_file(slip_context *ctx, const char *folder, const char *name)
{
    SLIP_FREED char *path = slip_path_join(folder, name);
    return path ? access(path, F_OK) == 0 : slip_fail_memory(ctx);
}

static int check_folder(slip_context *ctx, const char *folder)
{
    static const char *const needed[] = {"result.h5", summary_name};
    struct stat about;
    if (stat(folder, &about) != 0)
        return slip_fail_file(ctx, "cannot read the run folder", folder, errno);
    if (!S_ISDIR(about.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "%s is a file; expected a run folder", folder);
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
        const int found = has_file(ctx, folder, needed[k]);
        if (found < 0)
            return found;
        if (!found)
            return slip_fail(ctx, SLIP_ERROR_IO,
                             "%s is not a complete run folder: there is no %s in it (expected result.h5 and "
                             "summary.json, as `slipstick run` and the other verbs write them)",
                             folder, needed[k]);
    }
    return SLIP_OK;
}

typedef struct reader {
    slip_context *ctx;
    slip_h5 *h5;
    slip_result *result;
    const char *path;
    slip_arena arena;
} reader;

static int fail_dataset(const reader *r, const char *place, const char *what)
{
    return slip_fail(r->ctx, SLIP_ERROR_IO, "cannot read %s: %s: %s", r->path, place, what);
}

/* The words of a text, each ended by a line end, cut in place. NULL when out of memory. */
static const char **split_words(slip_arena *arena, char *text)
{
    int count = 0;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    const char **words = slip_arena_array(arena, count + 1, sizeof *words);
    for (int k = 0; words && k < count; k++) {
        words[k] = text;
        text = strchr(text, '\n');
        *text++ = 0;
    }
    return words;
}

/* A column as its dataset says; `number` is where it stood in its table. */
static int load_column(reader *r, slip_table *table, const char *place, char *name)
{
    const size_t group = *table->name ? strlen(table->name) + 1 : 0;
    slip_column_info info = {.name = name, .place = place + group};
    char *unit, *names;
    SLIP_FREED double *values = NULL;
    int64_t count;
    SLIP_PASS(slip_h5_read_text(r->h5, place, "unit", &r->arena, &unit));
    SLIP_PASS(slip_h5_read_text(r->h5, place, "names", &r->arena, &names));
    info.unit = unit;
    if (names)
        SLIP_PASS(slip_allocated(r->ctx, (info.words = split_words(&r->arena, names))));
    SLIP_PASS(slip_h5_read(r->h5, place, &values, &count));
    if (table->column_count == 0)
        table->count = table->capacity = count;
    if (count != table->count)
        return slip_fail(r->ctx, SLIP_ERROR_IO, "cannot read %s: %s has %lld records where %s has %lld",
                         r->path, place, (long long)count, table->columns[0].name, (long long)table->count);
    SLIP_PASS(slip_table_add(r->ctx, table, &info));
    slip_column *column = &table->columns[table->column_count - 1];
    if (column->words)
        SLIP_PASS(slip_h5_check_whole(r->h5, place, values, count, 0, column->word_count - 1));
    free(column->values);
    column->values = values;
    values = NULL;
    return SLIP_OK;
}

static int load_array(reader *r, const char *place, const char *width)
{
    slip_array array = {.width = strtol(width, NULL, 10)};
    int64_t count;
    SLIP_PASS(slip_h5_read(r->h5, place, &array.values, &count));
    if (array.width < 1 || count % array.width != 0) {
        free(array.values);
        return fail_dataset(r, place, "expected rows of as many numbers as its attribute `width` says");
    }
    array.place = (char *)place;
    array.count = count / array.width;
    return slip_result_add_array(r->ctx, r->result, &array);
}

/* A dataset of the file, with what it is. */
typedef struct dataset {
    char *place, *name, *width;
    slip_table *table;
    long column;
} dataset;

static int compare_datasets(const void *a, const void *b)
{
    const dataset *x = a, *y = b;
    const int tables = strcmp(x->table->name, y->table->name);
    if (tables != 0)
        return tables;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return strcmp(x->place, y->place);
}

/* The table whose group the dataset is in: the group has an attribute `table`, the root is the main one. */
static int find_table(reader *r, const char *place, slip_table **table)
{
    char group[200], *file = NULL;
    const size_t length = strcspn(place, "/");
    int status = SLIP_OK;
    *table = &r->result->main;
    if (!place[length] || length >= sizeof group)
        return SLIP_OK;
    snprintf(group, sizeof group, "%.*s", (int)length, place);
    status = slip_h5_read_text(r->h5, group, "table", &r->arena, &file);
    if (status < 0 || !file)
        return status;
    *table = slip_result_table(r->result, group);
    if (*table)
        return SLIP_OK;
    if (*file == '.' || strchr(file, '/'))
        return fail_dataset(r, group, "expected the name of a file of the folder in its attribute `table`");
    *table = slip_result_add_table(r->ctx, r->result, group, file);
    return *table ? SLIP_OK : SLIP_ERROR_MEMORY;
}

static int classify(reader *r, char *place, dataset *to)
{
    char *column;
    *to = (dataset){.place = place};
    SLIP_PASS(slip_h5_read_text(r->h5, place, "name", &r->arena, &to->name));
    SLIP_PASS(slip_h5_read_text(r->h5, place, "width", &r->arena, &to->width));
    SLIP_PASS(slip_h5_read_text(r->h5, place, "column", &r->arena, &column));
    SLIP_PASS(find_table(r, place, &to->table));
    to->column = column ? strtol(column, NULL, 10) : 0;
    if (!to->width && (!to->name || !column))
        return fail_dataset(r, place,
                            "there is no attribute `name` and `column`, expected a result of this version of "
                            "the program: run the model again");
    return SLIP_OK;
}

static int load_h5(slip_context *ctx, const char *folder, slip_result **result)
{
    char *path = slip_path_join(folder, "result.h5"), **places, *kind, *method, *vectors;
    reader r = {.ctx = ctx, .path = path};
    dataset *list = NULL;
    int count, status;
    SLIP_PASS(slip_allocated(ctx, path));
    SLIP_TRY(slip_h5_open(ctx, path, &r.h5));
    SLIP_TRY(slip_h5_read_text(r.h5, "/", "kind", &r.arena, &kind));
    SLIP_TRY(slip_result_create(ctx, kind ? kind : "run", NULL, result));
    r.result = *result;
    SLIP_TRY(slip_h5_read_text(r.h5, "/", "title", &r.result->arena, &r.result->title));
    SLIP_TRY(slip_h5_read_text(r.h5, "/", "method", &r.result->arena, &method));
    r.result->method = method ? method : "";
    SLIP_TRY(slip_h5_datasets(r.h5, &r.arena, &places, &count));
    SLIP_TRY(slip_allocated(ctx, (list = slip_alloc(count, sizeof *list))));
    for (int k = 0; k < count; k++)
        SLIP_TRY(classify(&r, places[k], &list[k]));
    qsort(list, (size_t)count, sizeof *list, compare_datasets);
    for (int k = 0; k < count; k++)
        SLIP_TRY(list[k].width ? load_array(&r, list[k].place, list[k].width)
                               : load_column(&r, list[k].table, list[k].place, list[k].name));
    SLIP_TRY(slip_h5_read_text(r.h5, "/", "vectors", &r.arena, &vectors));
    r.result->vector_count = vectors ? (int)strtol(vectors, NULL, 10) : 0;
    if (strcmp(r.result->kind, "run") == 0 || strcmp(r.result->kind, "orbit") == 0)
        SLIP_TRY(slip_result_recognise_run(ctx, r.result, path));
    SLIP_TRY(slip_result_take_labels(ctx, r.result, path));
done:
    free(list);
    slip_h5_close(r.h5);
    slip_arena_free(&r.arena);
    free(path);
    return status;
}

static int load_summary(slip_context *ctx, const char *folder, slip_result *result)
{
    const slip_json *json;
    SLIP_FREED char *name = slip_path_join(folder, summary_name);
    SLIP_PASS(slip_allocated(ctx, name));
    SLIP_PASS(slip_file_read_in(ctx, folder, summary_name, largest_text, &result->summary));
    SLIP_PASS(slip_json_parse(ctx, &result->arena, name, result->summary.data ? result->summary.data : "",
                              result->summary.length, &json));
    if (json->type != SLIP_JSON_OBJECT)
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: expected an object with the numbers of the result", name);
    result->tree = json;
    return SLIP_OK;
}

/* A run of a model built in C may have none. */
static int load_model_text(slip_context *ctx, const char *folder, slip_result *result)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    SLIP_PASS(slip_file_read_in(ctx, folder, "model.yaml", largest_text, &text));
    if (text.data)
        result->model_text = slip_arena_string_bytes(&result->arena, text.data, text.length);
    return slip_allocated(ctx, !text.data || result->model_text);
}

int slip_result_load(slip_context *ctx, const char *folder, slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, folder);
    int status;
    SLIP_TRY(check_folder(ctx, folder));
    SLIP_TRY(load_h5(ctx, folder, result));
    SLIP_TRY(load_summary(ctx, folder, *result));
    SLIP_TRY(load_model_text(ctx, folder, *result));
done:
    return slip_result_or_none(result, status);
}
