/* Points of a return map over a parameter. */
#ifndef SLIP_STUDY_BIFURCATION_BIFURCATION_H
#define SLIP_STUDY_BIFURCATION_BIFURCATION_H

#include "figure/album.h"
#include "result/result.h"
#include "slipstick/bifurcation.h"
#include "study/returns.h"

/* What one value of the parameter gave. */
typedef struct slip_bifurcation_visit {
    double value;
    bool back, done;
    int multiple;
    int64_t returns, count;
    double *points; /* of each: the time since the last return, q, v; what is the same is in one place */
    slip_symmetry *symmetry; /* of the model with this value; NULL: it was not looked for */
    double *end;             /* the state at the end; NULL: it failed */
    char *message;           /* why there are no points; NULL */
} slip_bifurcation_visit;

/* How points are taken. */
typedef struct slip_bifurcation_how {
    const slip_model *model;
    slip_bifurcation_options options; /* complete */
    slip_section section;
    int n; /* coordinates and states */
} slip_bifurcation_how;

/* Runs as `run` says, whose values have that of the parameter, and takes the points (visit.c). Where there is
 * no return the status is SLIP_ERROR_SOLVER. */
int slip_bifurcation_visit_value(const slip_bifurcation_how *how, slip_context *ctx,
                                 const slip_run_options *run, slip_bifurcation_visit *visit);

/* A decay that is seen over two periods and not over one makes twice the points that are there: takes them
 * once (visit.c). */
int slip_bifurcation_take_shortest(const slip_bifurcation_how *how, slip_context *ctx,
                                   slip_bifurcation_visit *visit);

/* How many values were moved together, and why the first of the others was not ("" where none was left). */
typedef struct slip_bifurcation_together {
    int64_t count;
    int64_t left_by_card; /* of these, finished on the processor */
    char reason[300];
} slip_bifurcation_together;

/* Takes the points of all values from the model's own state, once a period, with a batch (batch/batch.h) on
 * options->device. Visits that are done afterwards have their points; the others are left as they were.
 * SLIP_INTERRUPTED: some are left for that reason. The options are complete. */
int slip_bifurcation_move_together(slip_context *ctx, const slip_model *model,
                                   const slip_bifurcation_options *options, const slip_section *section,
                                   const slip_run_options *run, int64_t count, slip_bifurcation_visit *visits,
                                   slip_bifurcation_together *together);

int slip_bifurcation_draw(slip_album *album);

#endif
