/* Runs in other programs' formats: one row of the table for each. */
#include "io/csv.h"
#include "io/file.h"
#include "io/mat.h"
#include "result/gear_folder.h"
#include "result/result.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    int column_count;
    const char *const *names;
    const double *const *columns;
    int64_t row_count;
} table;

typedef struct format {
    const char *name;
    int (*write)(slip_context *ctx, const table *t, const char *path);
} format;

static int write_csv(slip_context *ctx, const table *t, const char *path)
{
    return slip_csv_export(ctx, path, t->column_count, t->names, t->columns, t->row_count);
}

/* ---- MATLAB's names: a letter, then letters, digits and underscores, at most 63 characters. */

enum { name_size = 64 };

static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {"break",  "case",   "catch",     "classdef", "continue",
                                           "else",   "elseif", "end",       "for",      "function",
                                           "global", "if",     "otherwise", "parfor",   "persistent",
                                           "return", "spmd",   "switch",    "try",      "while"};
    for (size_t k = 0; k < sizeof keywords / sizeof keywords[0]; k++)
        if (strcmp(name, keywords[k]) == 0)
            return true;
    return false;
}

/* Room for "_NNN" is left at the end. */
static void matlab_name(const char *name, char safe[name_size])
{
    enum { longest = name_size - 9 };
    size_t length = 0;
    if (!isalpha((unsigned char)name[0])) {
        memcpy(safe, "s_", 2);
        length = 2;
    }
    for (; *name && length < longest; name++) {
        if (*name == '\'') {
            if (name[-1] != '\'')
                safe[length++] = '_';
            safe[length++] = 'd';
        } else {
            safe[length++] = isalnum((unsigned char)*name) ? *name : '_';
        }
    }
    safe[length] = 0;
    if (is_keyword(safe))
        memcpy(safe + length, "_", 2);
}

static bool is_taken(char (*names)[name_size], int count, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return true;
    return false;
}

static int write_mat(slip_context *ctx, const table *t, const char *path)
{
    int count = t->column_count, status;
    char(*names)[name_size] = slip_alloc(count, sizeof *names);
    const char **pointers = slip_alloc(count, sizeof *pointers);
    if (!names || !pointers) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    for (int k = 0; k < count; k++) {
        char safe[name_size];
        size_t length;
        matlab_name(t->names[k], safe);
        length = strlen(safe);
        for (int again = 2; is_taken(names, k, safe); again++)
            snprintf(safe + length, name_size - length, "_%d", again);
        memcpy(names[k], safe, sizeof safe);
        pointers[k] = names[k];
    }
    status = slip_mat_write(ctx, path, count, pointers, t->columns, t->row_count);
done:
    free(names);
    free(pointers);
    return status;
}

static const format formats[] = {{"csv", write_csv}, {"mat", write_mat}};
enum { format_count = sizeof formats / sizeof formats[0] };

static int fail_format(slip_context *ctx, const char *name)
{
    static const char *const names[] = {"csv", "mat", NULL};
    const char *nearest = slip_text_nearest(name, names);
    if (strcmp(name, "vtu") == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "format `vtu` is for runs with meshes, and this run has none; expected csv or mat");
    if (nearest)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "unknown format `%s`; did you mean `%s`? Expected csv or mat",
                         name, nearest);
    return slip_fail(ctx, SLIP_ERROR_USAGE, "unknown format `%s`; expected csv or mat", name);
}

/* The series of a folder, of a run or of gears; they belong to one of the two. */
static int load(slip_context *ctx, const char *folder, slip_result **result, slip_gear_folder *gears,
                table *t)
{
    int status;
    if (slip_gear_folder_is(folder)) {
        status = slip_gear_folder_load(ctx, folder, gears);
        *t = (table){gears->series_count, (const char *const *)gears->names,
                     (const double *const *)gears->series, gears->count};
        return status;
    }
    status = slip_result_load(ctx, folder, result);
    if (status >= 0)
        *t = (table){(*result)->series_count, (const char *const *)(*result)->series_names,
                     (const double *const *)(*result)->series, (*result)->count};
    return status;
}

int slip_export(slip_context *ctx, const char *folder, const char *format_name, const char *path)
{
    SLIP_NEED(ctx, folder, format_name);
    const format *chosen = NULL;
    slip_result *result = NULL;
    slip_gear_folder gears = {0};
    slip_text name = {0};
    table series;
    char *own_path = NULL;
    int status;
    for (int k = 0; k < format_count; k++)
        if (strcmp(formats[k].name, format_name) == 0)
            chosen = &formats[k];
    if (!chosen) {
        if (strcmp(format_name, "vtu") == 0 && !slip_gear_folder_is(folder))
            SLIP_TRY(slip_folder_check(ctx, folder));
        return fail_format(ctx, format_name);
    }
    SLIP_TRY(load(ctx, folder, &result, &gears, &series));
    if (!path) {
        slip_text_printf(&name, "result.%s", chosen->name);
        own_path = name.failed ? NULL : slip_path_join(folder, name.data);
        if (!own_path) {
            status = slip_fail_memory(ctx);
            goto done;
        }
    }
    if (path)
        SLIP_TRY(slip_folder_make_for(ctx, path));
    status = chosen->write(ctx, &series, path ? path : own_path);
done:
    free(own_path);
    slip_text_free(&name);
    slip_gear_folder_free(&gears);
    slip_result_destroy(result);
    return status;
}
