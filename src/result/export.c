/* Runs in other programs' formats: one row of the table for each. */
#include "io/mat.h"
#include "result/result.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_csv(slip_context *ctx, const slip_table *t, const char *path)
{
    return slip_table_write_csv(ctx, t, false, path);
}

/* ---- MATLAB's names: a letter, then letters, digits and underscores, at most 63 characters. */

enum { name_size = 64 };

static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {"break",  "case",   "catch",     "classdef", "continue",
                                           "else",   "elseif", "end",       "for",      "function",
                                           "global", "if",     "otherwise", "parfor",   "persistent",
                                           "return", "spmd",   "switch",    "try",      "while"};
    return slip_text_find(keywords, sizeof keywords / sizeof *keywords, name) >= 0;
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

static int write_mat(slip_context *ctx, const slip_table *t, const char *path)
{
    const int count = t->column_count;
    int status;
    char(*names)[name_size] = slip_alloc(count, sizeof *names);
    const char **pointers = slip_alloc(count, sizeof *pointers);
    const double **columns = slip_alloc(count, sizeof *columns);
    SLIP_TRY(slip_allocated(ctx, names && pointers && columns));
    for (int k = 0; k < count; k++) {
        char safe[name_size];
        matlab_name(t->columns[k].name, safe);
        size_t length = strlen(safe);
        for (int again = 2; is_taken(names, k, safe); again++)
            snprintf(safe + length, name_size - length, "_%d", again);
        memcpy(names[k], safe, sizeof safe);
        pointers[k] = names[k];
        columns[k] = t->columns[k].values;
    }
    SLIP_TRY(slip_mat_write(ctx, path, count, pointers, columns, t->count));
done:
    free(names);
    free(pointers);
    free(columns);
    return status;
}

const slip_series_format slip_series_formats[] = {{"csv", write_csv}, {"mat", write_mat}, {0}};
