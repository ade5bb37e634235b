/* The life of a result, and its series by name. */
#include "result/result.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool name_table(slip_arena *arena, slip_table *table, const char *name, const char *file)
{
    *table = (slip_table){.arena = arena,
                          .name = slip_arena_string(arena, name),
                          .file = slip_arena_string(arena, file ? file : "")};
    return table->name && table->file;
}

int slip_result_create(slip_context *ctx, const char *kind, const char *file, slip_result **result)
{
    slip_result *fresh = calloc(1, sizeof *fresh);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, fresh));
    fresh->kind = slip_arena_string(&fresh->arena, kind);
    fresh->method = "";
    if (!fresh->kind || !name_table(&fresh->arena, &fresh->main, "", file)) {
        slip_result_destroy(fresh);
        return slip_fail_memory(ctx);
    }
    *result = fresh;
    return SLIP_OK;
}

void slip_result_destroy(slip_result *result)
{
    if (!result)
        return;
    slip_table_free(&result->main);
    for (int k = 0; k < result->table_count; k++)
        slip_table_free(result->tables[k]);
    free(result->tables);
    for (int k = 0; k < result->array_count; k++)
        free(result->arrays[k].values);
    free(result->arrays);
    free(result->documents);
    free(result->events);
    free(result->numbers);
    slip_text_free(&result->summary);
    if (result->note.self)
        result->note.destroy(result->note.self);
    slip_arena_free(&result->arena);
    free(result);
}

int slip_result_describe(slip_context *ctx, slip_result *result, const char *title, const char *model_text)
{
    result->title = title ? slip_arena_string(&result->arena, title) : NULL;
    result->model_text = model_text ? slip_arena_string(&result->arena, model_text) : NULL;
    return (title && !result->title) || (model_text && !result->model_text) ? slip_fail_memory(ctx) : SLIP_OK;
}

int slip_result_model_text(slip_context *ctx, slip_result *result, const char **text)
{
    SLIP_FREED_BY(slip_text_free) slip_text written = {0};
    if (!result->model_text && result->note.self) {
        SLIP_PASS(result->note.write(ctx, result->note.self, &written));
        result->model_text = slip_arena_string(&result->arena, written.data ? written.data : "");
        SLIP_PASS(slip_allocated(ctx, result->model_text));
    }
    *text = result->model_text;
    return SLIP_OK;
}

/* ---- Parts. */

slip_table *slip_result_add_table(slip_context *ctx, slip_result *result, const char *name, const char *file)
{
    slip_table *table = slip_arena_alloc(&result->arena, sizeof *table);
    if (!table || !name_table(&result->arena, table, name, file) ||
        !SLIP_ROOM(result->tables, result->table_capacity, result->table_count + 1)) {
        slip_fail_memory(ctx);
        return NULL;
    }
    result->tables[result->table_count++] = table;
    return table;
}

slip_table *slip_result_table(const slip_result *result, const char *name)
{
    for (int k = 0; k < result->table_count; k++)
        if (strcmp(result->tables[k]->name, name) == 0)
            return result->tables[k];
    return NULL;
}

int slip_result_add_array(slip_context *ctx, slip_result *result, const slip_array *array)
{
    slip_array to = *array;
    to.place = slip_arena_string(&result->arena, array->place);
    if (!to.place || !SLIP_ROOM(result->arrays, result->array_capacity, result->array_count + 1)) {
        free(to.values);
        return slip_fail_memory(ctx);
    }
    result->arrays[result->array_count++] = to;
    return SLIP_OK;
}

const slip_array *slip_result_array(const slip_result *result, const char *place)
{
    for (int k = 0; result && k < result->array_count; k++)
        if (strcmp(result->arrays[k].place, place) == 0)
            return &result->arrays[k];
    return NULL;
}

int slip_result_add_document(slip_context *ctx, slip_result *result, const char *name, const char *text)
{
    const slip_document to = {slip_arena_string(&result->arena, name),
                              slip_arena_string(&result->arena, text)};
    SLIP_PASS(slip_allocated(
        ctx, to.name && to.text &&
                 SLIP_ROOM(result->documents, result->document_capacity, result->document_count + 1)));
    result->documents[result->document_count++] = to;
    return SLIP_OK;
}

int slip_result_add_json(slip_context *ctx, slip_result *result, const char *name, slip_text *text)
{
    slip_text_append(text, "\n");
    const int status =
        text->failed ? slip_fail_memory(ctx) : slip_result_add_document(ctx, result, name, text->data);
    slip_text_free(text);
    return status;
}

int slip_result_take_labels(slip_context *ctx, slip_result *result, const char *path)
{
    static const char *const expected[] = {"branch", "label", "type", "value", "contact", "from", "to"};
    enum { count = sizeof expected / sizeof *expected };
    const slip_table *table = slip_result_table(result, "labels"),
                     *notes = slip_result_table(result, "notes");
    if (!table)
        return SLIP_OK;
    for (int k = 0; k < count; k++)
        if (k >= table->column_count || strcmp(table->columns[k].name, expected[k]) != 0 ||
            (table->columns[k].words != NULL) != (k == 2 || k > 3))
            return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: labels: expected the column `%s`", path,
                             expected[k]);
    if (!notes || notes->count != table->count || notes->column_count != 1 || !notes->columns[0].words)
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: notes: expected a note for each label", path);
    result->labels = slip_arena_array(&result->arena, table->count + 1, sizeof *result->labels);
    SLIP_PASS(slip_allocated(ctx, result->labels));
    for (int64_t i = 0; i < table->count; i++) {
        const char *words[count];
        double numbers[count];
        for (int k = 0; k < count; k++) {
            numbers[k] = table->columns[k].values[i];
            words[k] = table->columns[k].words ? table->columns[k].words[(int)numbers[k]] : NULL;
        }
        if (!(fabs(numbers[0]) < INT_MAX && fabs(numbers[1]) < INT_MAX))
            return slip_fail(ctx, SLIP_ERROR_IO,
                             "cannot read %s: labels: expected numbers of branches and labels", path);
        result->labels[i] =
            (slip_label){(int)numbers[1], (int)numbers[0],
                         words[2],        numbers[3],
                         words[4],        words[5],
                         words[6],        notes->columns[0].words[(int)notes->columns[0].values[i]]};
    }
    result->label_count = table->count;
    return SLIP_OK;
}

/* ---- Looking. */

/* The column of "name" in the main table, or of "TABLE.name"; NULL where there is none. */
static const slip_column *find_column(const slip_result *result, const char *name, const slip_table **table)
{
    int column = slip_table_find(&result->main, name);
    *table = &result->main;
    for (int k = 0; column < 0 && k < result->table_count; k++) {
        const size_t length = strlen(result->tables[k]->name);
        *table = result->tables[k];
        if (strncmp(name, (*table)->name, length) == 0 && name[length] == '.')
            column = slip_table_find(*table, name + length + 1);
    }
    return column >= 0 ? &(*table)->columns[column] : NULL;
}

const double *slip_result_series(const slip_result *result, const char *name, int64_t *count)
{
    const slip_table *table = NULL;
    const slip_column *column = result && name ? find_column(result, name, &table) : NULL;
    if (count)
        *count = column ? table->count : 0;
    return column ? column->values : NULL;
}

const char *slip_result_word(const slip_result *result, const char *name, int64_t row)
{
    const slip_table *table = NULL;
    const slip_column *column = result && name ? find_column(result, name, &table) : NULL;
    if (!column || row < 0 || row >= table->count)
        return NULL;
    const double value = column->values[row];
    return value >= 0 && value < column->word_count ? column->words[(int)value] : NULL;
}

const char *slip_result_unit(const slip_result *result, const char *name)
{
    const slip_table *table = NULL;
    const slip_column *column = result && name ? find_column(result, name, &table) : NULL;
    return column ? column->unit : "";
}

const char *slip_result_kind(const slip_result *result)
{
    return result ? result->kind : "";
}

const char *slip_result_method(const slip_result *result)
{
    return result ? result->method : "";
}

int slip_result_series_count(const slip_result *result)
{
    return result ? result->main.column_count : 0;
}

const char *slip_result_series_name(const slip_result *result, int index)
{
    return result && index >= 0 && index < result->main.column_count ? result->main.columns[index].name
                                                                     : NULL;
}

int64_t slip_result_event_count(const slip_result *result)
{
    return result ? result->event_count : 0;
}

int64_t slip_result_label_count(const slip_result *result)
{
    return result ? result->label_count : 0;
}

const slip_label *slip_result_label(const slip_result *result, int64_t index)
{
    return result && index >= 0 && index < result->label_count ? &result->labels[index] : NULL;
}

const slip_event *slip_result_event(const slip_result *result, int64_t index)
{
    return result && index >= 0 && index < result->event_count ? &result->events[index] : NULL;
}

const char *slip_result_event_contact(const slip_result *result, int64_t index)
{
    const slip_event *event = slip_result_event(result, index);
    return event ? result->contact_names[event->contact] : NULL;
}
