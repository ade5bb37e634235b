/* What is wrong with a model file: collected, put into the order of the file, and reported in one go. */
#ifndef SLIP_MODEL_PROBLEMS_H
#define SLIP_MODEL_PROBLEMS_H

#include "base/context.h"
#include "model/tree.h"

enum {
    slip_problems_shown = 20, /* in the message */
    slip_problems_kept = 100  /* then reading stops: more of them help nobody */
};

typedef struct slip_problem_line {
    int line, column, order;
    const char *text;
} slip_problem_line;

typedef struct slip_problems {
    slip_arena arena;
    const char *file; /* NULL: a model that is built in C, which has no places */
    slip_problem_line lines[slip_problems_kept];
    int count;
    bool memory;             /* something could not be allocated */
    int64_t memory_failures; /* of the context, before */
} slip_problems;

/* None yet; NULL with a failure of memory. `file`: NULL for a model that is built in C. */
slip_problems *slip_problems_create(slip_context *ctx, const char *file);
void slip_problems_destroy(slip_problems *problems); /* NULL does nothing */
SLIP_OWNED(slip_problems, slip_problems_destroy)

/* Notes that something is wrong at a node, or `offset` characters into its text. This and what follows return
 * false, for a reading function to return. */
bool slip_problem(slip_problems *problems, const slip_tree *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool slip_problem_inside(slip_problems *problems, const slip_tree *at, int offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same at a line and column (0: of the whole file). */
bool slip_problem_at(slip_problems *problems, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Notes an unknown name: `what` ("unknown key", ...), the nearest known one or else all of them. */
bool slip_problem_unknown(slip_problems *problems, const slip_tree *at, const char *what, const char *name,
                          const char *const *known);

bool slip_problems_full(const slip_problems *problems);

/* SLIP_OK when there are none; else fails with all of them, one a line. Where memory ran out since they were
 * created, in whatever words it was noted, that is the failure. */
int slip_problems_report(slip_problems *problems, slip_context *ctx);

#endif
