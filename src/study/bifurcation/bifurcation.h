/* Points of a return map over a parameter. */
#ifndef SLIP_STUDY_BIFURCATION_BIFURCATION_H
#define SLIP_STUDY_BIFURCATION_BIFURCATION_H

#include "result/result.h"
#include "slipstick/bifurcation.h"
#include "study/returns.h"

/* What one value of the parameter gave. */
typedef struct slip_bifurcation_visit {
    double value;
    bool back, done;
    int multiple;
    int64_t returns, count;
    double *points; /* of each: the time since the last return, q, v */
    double *end;    /* the state at the end; NULL: it failed */
    char *message;  /* why there are no points; NULL */
} slip_bifurcation_visit;

/* How many values were moved together, and why the first of the others was not ("" where none was left). */
typedef struct slip_bifurcation_together {
    int64_t count;
    char reason[300];
} slip_bifurcation_together;

/* Takes the points of all values from the model's own state, once a period, with a batch (batch/batch.h) on
 * options->device. Visits that are done afterwards have their points; the others are left as they were.
 * SLIP_INTERRUPTED: some are left for that reason. The options are complete. */
int slip_bifurcation_move_together(slip_context *ctx, const slip_model *model,
                                   const slip_bifurcation_options *options, const slip_section *section,
                                   const slip_run_options *run, int64_t count, slip_bifurcation_visit *visits,
                                   slip_bifurcation_together *together);

int slip_bifurcation_draw(slip_context *ctx, slip_result *result, const char *folder,
                          const slip_plot_options *options);

#endif
