/* Slipstick: status codes, context, log and progress. */
#ifndef SLIPSTICK_BASE_H
#define SLIPSTICK_BASE_H

#include <stddef.h>
#include <stdint.h>

#define SLIP_API __attribute__((visibility("default")))

/* Around declarations: their names are those of C in C++ too. */
#ifdef __cplusplus
#define SLIP_BEGIN_C extern "C" {
#define SLIP_END_C }
#else
#define SLIP_BEGIN_C
#define SLIP_END_C
#endif

SLIP_BEGIN_C

/* Every function that can fail returns one of these as an int. Negative is an error (its message is in the
 * context), zero is done, positive is news. */
typedef enum slip_status {
    SLIP_STOPPED = 1,       /* an observer asked to stop; what was computed is kept */
    SLIP_OK = 0,            /* done */
    SLIP_ERROR_USAGE = -1,  /* the call itself was wrong: an unknown name, an argument out of range */
    SLIP_ERROR_MODEL = -2,  /* the model is wrong: the message has file, line, what was found and expected */
    SLIP_ERROR_SOLVER = -3, /* the solver could not go on; what was computed is kept */
    SLIP_ERROR_IO = -4,     /* a file could not be read or written */
    SLIP_ERROR_MEMORY = -5, /* out of memory */
    SLIP_INTERRUPTED = -6   /* slip_context_interrupt was called; what was computed is kept */
} slip_status;

/* Options are structs that know their size, so that a program which was compiled with an older header goes on
 * working: fields that it does not know have their defaults. Start from the default function. Options that
 * stand in other structs or in arrays (laws, areas, gears) have room at their end instead, which their
 * default function sets. */
#define SLIP_OPTIONS_DEFAULT(type)                                                                           \
    SLIP_API void type##_fill(type *options, size_t size);                                                   \
    static inline type type##_default(void)                                                                  \
    {                                                                                                        \
        type options;                                                                                        \
        type##_fill(&options, sizeof options);                                                               \
        return options;                                                                                      \
    }

/* Rules for all functions. A pointer that is not said to be optional is needed: NULL is SLIP_ERROR_USAGE
 * where there is a status. A function without a status returns NULL, "", NAN or 0 for an object that is NULL;
 * only patches, pieces and reduced bodies, and arrays that are read or filled in, may not be NULL. Options of
 * runs and studies may be NULL, which means the default, unless a field in them has to be given. An object
 * that `create`, `load`, `parse`, `open`, `solve` or a study returns through its last argument belongs to the
 * caller, who ends it by the `destroy` or `close` of its type, which takes NULL. It is NULL after an error,
 * unless the function says that it returns a part of the result. Strings and arrays that are returned belong
 * to the object that they came from and live as long. Arguments are copied, unless the comment says that they
 * outlive an object. Units are those of the model, SI units for gears, seconds for wall clocks. */

/* A context carries the last message, the callbacks and the interrupt flag. One thread uses one context at a
 * time; different contexts are independent of each other. */
typedef struct slip_context slip_context;

/* Makes a context, which the caller ends by slip_context_destroy; NULL when out of memory. */
SLIP_API slip_context *slip_context_create(void);
/* Ends a context, but no objects that were made with it; NULL is fine. */
SLIP_API void slip_context_destroy(slip_context *ctx);

/* The message of the last error, or "" when there was none. Valid until the next call with this context. Of
 * NULL: "". */
SLIP_API const char *slip_context_message(const slip_context *ctx);

/* Asks the call that runs with this context to end soon and keep the results so far. Safe in a signal handler
 * and from another thread; NULL is fine. */
SLIP_API void slip_context_interrupt(slip_context *ctx);

/* Takes back an interrupt: the next call with this context runs, and an interrupted simulation continues. */
SLIP_API void slip_context_resume(slip_context *ctx);

typedef enum slip_log_level { SLIP_LOG_DEBUG, SLIP_LOG_INFO, SLIP_LOG_WARNING } slip_log_level;
/* Takes a line of the log, without its end; valid during the call only. */
typedef void (*slip_log_function)(void *user, slip_log_level level, const char *message);
/* Sets the function that gets the lines of the log; NULL: none, the default. `user` is passed to it. */
SLIP_API void slip_context_set_log(slip_context *ctx, slip_log_function function, void *user);

/* How far a long job has come. Strings are valid during the call only. */
typedef struct slip_progress {
    const char *what;  /* the job, for example "run" */
    double fraction;   /* 0 to 1, or negative when unknown */
    double time;       /* simulated time now, in units of the model; NAN of a job of many runs */
    int64_t steps;     /* accepted steps so far */
    int64_t events;    /* events so far */
    const char *modes; /* what each contact is doing, for example "pad: slip+"; may be ""; of a job of
                        * many runs how many are done; NULL: a job without time and contacts */
} slip_progress;

/* Called about ten times a second while a long job runs. */
typedef void (*slip_progress_function)(void *user, const slip_progress *progress);
/* Sets the function that gets the progress; NULL: none, the default. */
SLIP_API void slip_context_set_progress(slip_context *ctx, slip_progress_function function, void *user);

/* Processes that share the work of one study, on one machine or on many: all of them make the same calls with
 * the same model and options, number 0 hands the runs out and keeps the files, and all get the same result. A
 * message is `length` bytes. Functions return a negative number where they fail.
 *
 * Sends a message to process `to`; the message is the library's. */
typedef int (*slip_send_function)(void *user, int to, const char *message, size_t length);
/* Receives a message from any process, sets *from to its number and returns 1. If there is no message it
 * returns 0 or, with `wait`, waits. *message is from malloc, with a zero byte behind it; the library frees
 * it. */
typedef int (*slip_receive_function)(void *user, int wait, int *from, char **message, size_t *length);
typedef struct slip_crew {
    int rank, count; /* the number of this process, from 0, and how many there are */
    slip_send_function send;
    slip_receive_function receive;
    void *user;
} slip_crew;
/* Sets the processes that share the work of studies (sweep, basin, bifurcation without carry, lyapunov over
 * axes); NULL: this process alone, the default. The crew is not copied and outlives its use. */
SLIP_API void slip_context_set_crew(slip_context *ctx, const slip_crew *crew);

/* Takes the path of a file that was written; a line of a printed table, without its end. Both are valid
 * during the call only. */
typedef void (*slip_path_function)(void *user, const char *path);
typedef void (*slip_line_function)(void *user, const char *line);

/* Returns how many letters must be inserted, removed, replaced or swapped with their neighbour to turn one
 * name into the other, for "did you mean" messages. `length` is that of `name`, which need not end with a
 * zero byte. Names of more than 40 letters are far from everything. */
SLIP_API int slip_name_distance(const char *name, size_t length, const char *other);

/* The version of the library, "0.2.0"; static. */
SLIP_API const char *slip_version(void);

/* Makes a folder and those above it; one that is there already is fine. */
SLIP_API int slip_folder_create(slip_context *ctx, const char *path);

SLIP_END_C

#endif
