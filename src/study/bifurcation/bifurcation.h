/* Points of a return map over a parameter. */
#ifndef SLIP_STUDY_BIFURCATION_BIFURCATION_H
#define SLIP_STUDY_BIFURCATION_BIFURCATION_H

#include "figure/album.h"
#include "result/result.h"
#include "slipstick/bifurcation.h"
#include "study/returns.h"

/* The points found at one value of the parameter. */
typedef struct slip_bifurcation_visit {
    double value;
    bool back, done;
    int multiple;
    int64_t returns, count;
    double *points; /* of each point: the time since the last return, q, v; reduced by the symmetry */
    slip_symmetry *symmetry; /* of the model with this value; NULL: not determined */
    double *end;             /* the state at the end; NULL: the run failed */
    char *message;           /* why there are no points; NULL where there are */
} slip_bifurcation_visit;

/* How points are taken. */
typedef struct slip_bifurcation_how {
    const slip_model *model;
    slip_bifurcation_options options; /* complete */
    slip_section section;
    int n; /* coordinates and states */
} slip_bifurcation_how;

/* Runs the model with the settings and values in `run`, which include the value of the parameter, and takes
 * the points of the settled motion (visit.c). SLIP_ERROR_SOLVER where the motion does not return. */
int slip_bifurcation_visit_value(const slip_bifurcation_how *how, slip_context *ctx,
                                 const slip_run_options *run, slip_bifurcation_visit *visit);

/* A motion that was judged to repeat after several returns may do so after fewer, which gives each point more
 * than once: keeps each point once (visit.c). */
int slip_bifurcation_take_shortest(const slip_bifurcation_how *how, slip_context *ctx,
                                   slip_bifurcation_visit *visit);

/* The number of values moved in lanes, and the reason for the first that was not ("": none). */
typedef struct slip_bifurcation_together {
    int64_t count;
    int64_t left_by_card; /* of these, finished on the processor */
    char reason[300];
} slip_bifurcation_together;

/* Takes the points of all values, each from the initial state of the model, once a period, with a batch
 * (batch/batch.h) on options->device. On return, visits that are done have their points; the others are
 * unchanged and need a run of their own. SLIP_INTERRUPTED: the user has interrupted before all were done. The
 * options are complete. */
int slip_bifurcation_move_together(slip_context *ctx, const slip_model *model,
                                   const slip_bifurcation_options *options, const slip_section *section,
                                   const slip_run_options *run, int64_t count, slip_bifurcation_visit *visits,
                                   slip_bifurcation_together *together);

int slip_bifurcation_draw(slip_album *album);

#endif
