#include "model/problems.h"

#include "base/text.h"

#include <stdlib.h>

slip_problems *slip_problems_create(slip_context *ctx, const char *file)
{
    slip_problems *problems = slip_alloc(1, sizeof *problems);
    if (!problems) {
        slip_fail_memory(ctx);
        return NULL;
    }
    problems->file = file;
    problems->memory_failures = slip_context_memory_failures(ctx);
    return problems;
}

SLIP_DESTROY(slip_problems)

/* Keeps `place: message`. Control characters of the file must not reach a terminal. */
static void keep(slip_problems *problems, int line, int column, slip_text *text)
{
    if (text->failed || !text->data) {
        problems->memory = true;
        return;
    }
    for (char *c = text->data; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = ' ';
    char *copy = slip_arena_string(&problems->arena, text->data);
    if (!copy) {
        problems->memory = true;
        return;
    }
    problems->lines[problems->count] = (slip_problem_line){line, column, problems->count, copy};
    problems->count++;
}

static void add(slip_problems *problems, const slip_tree *at, int line, int column, const char *format,
                va_list args)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    if (slip_problems_full(problems))
        return;
    if (at && at->setting) {
        line = column = 0;
        slip_text_printf(&text, "--set %.100s: ", at->setting);
    } else if (line > 0) {
        slip_text_printf(&text, "%s:%d:%d: ", problems->file, line, column);
    } else if (problems->file) {
        slip_text_printf(&text, "%s: ", problems->file);
    }
    slip_text_vprintf(&text, format, args);
    keep(problems, line, column, &text);
}

bool slip_problem(slip_problems *problems, const slip_tree *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(problems, at, at->line, at->column, format, args);
    va_end(args);
    return false;
}

bool slip_problem_inside(slip_problems *problems, const slip_tree *at, int offset, const char *format, ...)
{
    va_list args;
    int column = at->column;
    if (at->exact)
        column += offset + (at->quoted ? 1 : 0);
    va_start(args, format);
    add(problems, at, at->line, column, format, args);
    va_end(args);
    return false;
}

bool slip_problem_at(slip_problems *problems, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(problems, NULL, line, column, format, args);
    va_end(args);
    return false;
}

bool slip_problem_unknown(slip_problems *problems, const slip_tree *at, const char *what, const char *name,
                          const char *const *known)
{
    enum { listed = 30 };
    SLIP_FREED_BY(slip_text_free) slip_text list = {0};
    int i = 0;
    if (slip_problems_full(problems))
        return false;
    const char *nearest = slip_text_nearest(name, known);
    if (nearest)
        return slip_problem(problems, at, "%s `%.60s`; did you mean `%s`?", what, name, nearest);
    for (; known[i] && i < listed; i++)
        slip_text_printf(&list, "%s`%.60s`", i > 0 ? ", " : "", known[i]);
    if (known[0] && known[i])
        slip_text_append(&list, ", ...");
    if (known[0])
        return slip_problem(problems, at, "%s `%.60s`, expected %s%s", what, name, known[1] ? "one of " : "",
                            list.data ? list.data : "");
    return slip_problem(problems, at, "%s `%.60s`: there are none", what, name);
}

bool slip_problems_full(const slip_problems *problems)
{
    return problems->memory || problems->count >= slip_problems_kept;
}

static int compare(const void *a, const void *b)
{
    const slip_problem_line *left = a, *right = b;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->column != right->column)
        return left->column < right->column ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

int slip_problems_report(slip_problems *problems, slip_context *ctx)
{
    int more = problems->count - slip_problems_shown, status = SLIP_ERROR_MODEL;
    if (problems->memory || slip_context_memory_failures(ctx) > problems->memory_failures)
        return slip_fail_memory(ctx);
    if (problems->count == 0)
        return SLIP_OK;
    qsort(problems->lines, (size_t)problems->count, sizeof *problems->lines, compare);
    slip_context_clear(ctx);
    for (int i = 0; i < problems->count && i < slip_problems_shown; i++)
        status = slip_fail_more(ctx, SLIP_ERROR_MODEL, "%s", problems->lines[i].text);
    if (more > 0)
        status = slip_fail_more(ctx, SLIP_ERROR_MODEL, "%s: and %d%s more errors",
                                problems->file ? problems->file : "the model", more,
                                problems->count >= slip_problems_kept ? " or" : "");
    return status;
}
