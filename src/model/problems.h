/* Problems of a model file (error messages with line and column): collected, sorted by line, and reported at
 * once. "Noted" means recorded here. */
#ifndef SLIP_MODEL_PROBLEMS_H
#define SLIP_MODEL_PROBLEMS_H

#include "base/context.h"
#include "model/tree.h"

enum {
    slip_problems_shown = 20, /* in the message */
    slip_problems_kept = 100  /* then reading stops */
};

typedef struct slip_problem_line {
    int line, column, order;
    const char *text;
} slip_problem_line;

typedef struct slip_problems {
    slip_arena arena;
    const char *file; /* NULL: a model built in C, without lines and columns */
    slip_problem_line lines[slip_problems_kept];
    int count;
    bool memory;             /* something could not be allocated */
    int64_t memory_failures; /* count of the context at the start */
} slip_problems;

/* Makes an empty list; NULL: out of memory. file: NULL for a model built in C. */
slip_problems *slip_problems_create(slip_context *ctx, const char *file);
void slip_problems_destroy(slip_problems *problems); /* NULL does nothing */
SLIP_OWNED(slip_problems, slip_problems_destroy)

/* Records a problem at a node, or `offset` characters into its text. Like the following functions it returns
 * false, as the return value of a reading function. */
bool slip_problem(slip_problems *problems, const slip_tree *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool slip_problem_inside(slip_problems *problems, const slip_tree *at, int offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same at a line and column (0: of the whole file). */
bool slip_problem_at(slip_problems *problems, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Records an unknown name. what: for example "unknown key"; the message suggests a similar one, or lists all.
 */
bool slip_problem_unknown(slip_problems *problems, const slip_tree *at, const char *what, const char *name,
                          const char *const *known);

bool slip_problems_full(const slip_problems *problems);

/* SLIP_OK if there are no problems; else fails with all of them, one a line. If an allocation has failed
 * since slip_problems_create, that is the failure, whatever the recorded problems say. */
int slip_problems_report(slip_problems *problems, slip_context *ctx);

#endif
