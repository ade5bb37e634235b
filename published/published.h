/* The published examples of `slipstick reproduce`: one file a work, one table that lists them. They are
 * programs on the public interface, like those of examples/c. */
#ifndef SLIP_PUBLISHED_PUBLISHED_H
#define SLIP_PUBLISHED_PUBLISHED_H

#include "slipstick/slipstick.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct paper_figure {
    const char *name, *summary;
} paper_figure;

/* The callback for the lines of a table. */
typedef struct paper_printer {
    slip_line_function line; /* may be NULL */
    void *user;
} paper_printer;

typedef struct paper {
    const char *name;
    const char *summary;
    const paper_figure *figures; /* a NULL name ends the list */
    const char
        *full; /* what the published size is, and how long it takes; NULL where there is only one size */
    const char *publication; /* "AUTHORS: TITLE, YEAR"; a name of ours where these could not be checked */
    /* Prints its table, and puts pictures and run folders into the folder. `figure` is one of its figures, or
     * NULL: all; `full` asks for the published size. */
    int (*run)(slip_context *ctx, const char *figure, const char *folder, bool full,
               const paper_printer *out);
} paper;

enum { paper_count = 8 };
extern const paper *const papers[paper_count];

/* Runs PAPER or PAPER/FIGURE; NULL runs them all. Fails where there is none of that name. */
int paper_reproduce(slip_context *ctx, const char *name, const char *folder, bool full,
                    const paper_printer *out);

/* The message of an error outside the library; else "". */
const char *paper_message(void);

/* ---- Helpers of all works (case.c). */

/* Fails a call whose variable `status` and label `done` are there. */
#define TRY(call)                                                                                            \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status < 0)                                                                                      \
            goto done;                                                                                       \
    } while (0)

/* Keep the message, and return the status. */
int paper_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int paper_fail_memory(void);

/* Zeros; NULL when out of memory. */
static inline void *paper_alloc(int64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

void paper_say(const paper_printer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For slip_figure_plot; `out` is a paper_printer. */
void paper_picture(void *out, const char *path);
int paper_draw(slip_context *ctx, const slip_figure *figure, const char *folder, const paper_printer *out);

/* Settings of a run whose steady maxima are printed: what the models ask for by themselves is 1e-8. */
#define PAPER_STEADY_TO_10_DIGITS "simulate.tolerance=1e-14", "simulate.steady.tolerance=1e-10"

/* One run of a work. */
typedef struct paper_case {
    const char *example;         /* of the library */
    const char *const *settings; /* "name=value", NULL ends the list */
    slip_run_options options;
    const char *name; /* of its run folder, without .run; NULL: none is written */
} paper_case;

/* Runs it and writes the run folder; also when the run ended early, with what there is, and then fails. The
 * residual of the contact laws over all records is found where it is asked for. */
int paper_case_run(slip_context *ctx, const paper_case *which, const char *folder, slip_result **result,
                   double *residual);

/* Saves a result in folder/name and draws its pictures with the options; NULL: the defaults. */
int paper_case_keep(slip_context *ctx, slip_result *result, const char *folder, const char *name,
                    const slip_plot_options *options, const paper_printer *out);

/* The elliptic law's oscillator for several widths beside their limit; a part of `jack-plane`. */
int paper_draw_widths(slip_context *ctx, const char *folder, const paper_printer *out);

#endif
