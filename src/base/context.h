/* Inside of the context: how the library reports errors, warnings and progress. */
#ifndef SLIP_BASE_CONTEXT_H
#define SLIP_BASE_CONTEXT_H

#include "base/memory.h"
#include "slipstick/base.h"

#include <stdbool.h>
#include <string.h>

/* Passes an error up, by way of a tail labelled `done:` that does more than free; it has `int status`. */
#define SLIP_TRY(call)                                                                                       \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status < 0)                                                                                      \
            goto done;                                                                                       \
    } while (0)

/* The same where locals free themselves (base/memory.h): returns the error. */
#define SLIP_PASS(call)                                                                                      \
    do {                                                                                                     \
        const int slip_passed = (call);                                                                      \
        if (slip_passed < 0)                                                                                 \
            return slip_passed;                                                                              \
    } while (0)

/* The same for what may also end with news: returns all that is not SLIP_OK. */
#define SLIP_PASS_ALL(call)                                                                                  \
    do {                                                                                                     \
        const int slip_passed = (call);                                                                      \
        if (slip_passed != SLIP_OK)                                                                          \
            return slip_passed;                                                                              \
    } while (0)

/* In a function of the interface: returns SLIP_ERROR_USAGE, and says which, when the context or one of the
 * given pointers is NULL. */
#define SLIP_NEED(ctx, ...)                                                                                  \
    do {                                                                                                     \
        const void *const slip_needed[] = {__VA_ARGS__};                                                     \
        const int slip_found = slip_fail_null(ctx, (int)(sizeof slip_needed / sizeof *slip_needed),          \
                                              slip_needed, __func__, #__VA_ARGS__);                          \
        if (slip_found < 0)                                                                                  \
            return slip_found;                                                                               \
    } while (0)
int slip_fail_null(slip_context *ctx, int count, const void *const *pointers, const char *function,
                   const char *names);

/* The same in a function that makes something: *made is NULL until it is there. */
#define SLIP_NEED_FOR(made, ctx, ...)                                                                        \
    do {                                                                                                     \
        if (made)                                                                                            \
            *(made) = NULL;                                                                                  \
        SLIP_NEED(ctx, __VA_ARGS__, made);                                                                   \
    } while (0)

/* Defines TYPE_fill of slipstick/base.h: the defaults, as a list of initialisers. */
#define SLIP_OPTIONS_FILL(type, ...)                                                                         \
    void type##_fill(type *options, size_t size)                                                             \
    {                                                                                                        \
        const type all = {.size = size, __VA_ARGS__};                                                        \
        memcpy(options, &all, size < sizeof all ? size : sizeof all);                                        \
    }

/* Declares `options`, a pointer to a whole struct: what the caller gives (NULL: nothing), as far as it goes,
 * and else the defaults. */
#define SLIP_TAKE(type, options, given)                                                                      \
    type options##_taken = type##_default();                                                                 \
    if (given)                                                                                               \
        memcpy(&options##_taken, given,                                                                      \
               (given)->size > 0 && (given)->size < sizeof options##_taken ? (given)->size                   \
                                                                           : sizeof options##_taken);        \
    options##_taken.size = sizeof options##_taken;                                                           \
    const type *const options = &options##_taken

/* The same for options that stand in these by a pointer, which may be NULL: `field` points to a whole struct
 * too. */
#define SLIP_TAKE_INNER(type, options, field)                                                                \
    SLIP_TAKE(type, options##_##field, options##_taken.field);                                               \
    options##_taken.field = options##_taken.field ? options##_##field : NULL

/* Sets the message of the context (which may be NULL) and returns the status, so that `return slip_fail(...)`
 * reads well. */
int slip_fail(slip_context *ctx, int status, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* Adds a line to the message (several errors in one go) and returns the status. */
int slip_fail_more(slip_context *ctx, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int slip_fail_memory(slip_context *ctx) __attribute__((cold));
/* The same where not all that was asked for is there: for SLIP_PASS(slip_allocated(ctx, a && b)). */
static inline int slip_allocated(slip_context *ctx, bool all)
{
    return all ? SLIP_OK : slip_fail_memory(ctx);
}
/* How often that was called: whoever puts a failure into words of its own sees by it that memory was the
 * cause. */
int64_t slip_context_memory_failures(const slip_context *ctx);
/* `status`, or that of memory where there were more such failures than `before`: what was given up for want
 * of memory on the way would have made another answer. */
int slip_memory_since(slip_context *ctx, int64_t before, int status);

/* What a job will need, and for what; where that is too much its user is told what to do. */
typedef struct slip_memory_need {
    const char *name, *what, *advice;
    double bytes;
} slip_memory_need;
/* Says what a job will need and refuses it where that is more than `limit` (0: what the machine has). */
int slip_memory_check(slip_context *ctx, const slip_memory_need *need, double limit);
void slip_context_clear(slip_context *ctx);

void slip_log(slip_context *ctx, slip_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text that belongs to the context, for what is asked for as text. */
struct slip_text *slip_context_text(slip_context *ctx);

/* How many models were read from text with this context: studies are to read one. */
void slip_context_count_model(slip_context *ctx);
int64_t slip_context_model_count(const slip_context *ctx);

/* The processes that share the work; NULL: there is this one only. */
const slip_crew *slip_context_crew(const slip_context *ctx);

/* Whether this context, or the one that it belongs to, was interrupted. */
bool slip_interrupted(const slip_context *ctx);

/* The same as a status, with its message: for SLIP_TRY. Not for what keeps the results of an interrupted job.
 */
int slip_interrupt_check(slip_context *ctx);

/* A context for another thread of a job that runs with `owner`: it has its own message, no callbacks, and is
 * interrupted when the owner is. NULL when out of memory; `owner` must live as long. */
slip_context *slip_context_create_for(const slip_context *owner);

/* True when a progress callback is set and enough time has passed since the last report. Cheap: looks at the
 * clock only every few hundred calls. */
bool slip_progress_due(slip_context *ctx);
void slip_progress_report(slip_context *ctx, const slip_progress *progress);
/* Reports, where it is due, that so many of `all` `things` of a job are done: "3 of 20 runs". */
void slip_progress_count(slip_context *ctx, const char *what, int64_t done, int64_t all, const char *things);

#endif
