/* Runs over parameters and initial values.
 *
 * Runs are numbered with the last axis fastest. A line is what must go one after the other: a single run or,
 * where states are carried, the runs along the last axis and back. Threads take lines; parts are every
 * parts-th line. */
#ifndef SLIP_STUDY_SWEEP_H
#define SLIP_STUDY_SWEEP_H

#include "io/journal.h"
#include "result/result.h"
#include "slipstick/sweep.h"
#include "model/axis.h"

typedef enum slip_sweep_state { SLIP_SWEEP_OPEN, SLIP_SWEEP_DONE, SLIP_SWEEP_FAILED } slip_sweep_state;

typedef struct slip_sweep_run {
    slip_sweep_state state;
    double *numbers; /* the collected ones, then with `carry` the state at the end: n of q, n of v */
    char *message;   /* why it failed; NULL */
} slip_sweep_run;

typedef struct slip_sweep_job {
    slip_context *ctx;
    slip_arena arena;
    const slip_model *model;
    slip_sweep_options options; /* complete */
    slip_run_options how;
    slip_axis_place *places; /* of each axis */
    const char **collect;
    int collect_count, n, width; /* numbers of a run */
    int64_t run_count, line_length;
    slip_sweep_run *runs;
    int64_t finished, failed;
    slip_journal journal; /* where options.folder is given */
} slip_sweep_job;

/* The value of an axis in a run. */
double slip_sweep_value(const slip_sweep_job *job, int64_t run, int axis);
static inline bool slip_sweep_goes_back(const slip_sweep_job *job, int64_t run)
{
    return job->line_length > 1 && 2 * (run % job->line_length) >= job->line_length;
}

/* All runs that are not finished (sweep_run.c). */
int slip_sweep_run_all(slip_sweep_job *job);

/* Keeps a finished run (and takes one back) as a record of the journal (sweep_run.c). */
int slip_sweep_take(void *job, const char *record);

/* The result of what is finished, whose run ended with `status` (sweep_result.c). */
int slip_sweep_make_result(slip_sweep_job *job, int status, slip_result **result);

/* Curves over one axis, a map over two (sweep_draw.c). */
int slip_sweep_draw(slip_context *ctx, slip_result *result, const char *folder,
                    const slip_plot_options *options);

#endif
