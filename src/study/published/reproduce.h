/* The published examples: one file a work, one table that lists them. */
#ifndef SLIP_STUDY_PUBLISHED_REPRODUCE_H
#define SLIP_STUDY_PUBLISHED_REPRODUCE_H

#include "slipstick/run.h"

#include <stdbool.h>

typedef struct slip_paper {
    slip_reproduce_info info;
    /* `figure` is one of the info's, or NULL: all. */
    int (*run)(slip_context *ctx, const char *figure, const char *folder, bool full, slip_line_function line,
               void *user);
} slip_paper;

extern const slip_paper slip_paper_elliptic, slip_paper_jack_plane, slip_paper_one_point,
    slip_paper_two_blocks, slip_paper_disk_on_belt, slip_paper_gears, slip_paper_impact;

/* ---- What the works share (case.c). */

/* Where the lines of a table go. */
typedef struct slip_printer {
    slip_line_function line; /* may be NULL */
    void *user;
} slip_printer;

void slip_printer_say(const slip_printer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For slip_figure_draw; `out` is a slip_printer. */
void slip_printer_picture(void *out, const char *path);

/* Settings of a run whose steady maxima are printed: what the models ask for by themselves is 1e-8. */
#define SLIP_STEADY_TO_10_DIGITS "simulate.tolerance=1e-14", "simulate.steady.tolerance=1e-10"

/* One run of a work. */
typedef struct slip_case {
    const char *example;         /* of the library */
    const char *const *settings; /* "name=value", NULL ends the list */
    slip_run_options options;
    const char *name; /* of its run folder, without .run; NULL: none is written */
} slip_case;

/* Runs it and writes the run folder; also when the run ended early, with what there is, and then fails. The
 * residual of the contact laws over all records is found where it is asked for. */
int slip_case_run(slip_context *ctx, const slip_case *which, const char *folder, slip_result **result,
                  double *residual);

/* Saves a result in a folder of the folder and draws its pictures; quantity: of paths, may be NULL. */
int slip_case_keep(slip_context *ctx, slip_result *result, const char *folder, const char *name,
                   const char *quantity, const slip_printer *out);

/* The elliptic law's oscillator for several widths beside their limit; a part of `jack-plane`. */
int slip_reproduce_widths(slip_context *ctx, const char *folder, const slip_printer *out);

#endif
