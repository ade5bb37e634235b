/* Tasks of a sweep that use lanes otherwise than to move runs to their end. */
#ifndef SLIP_STUDY_SWEEP_TOGETHER_H
#define SLIP_STUDY_SWEEP_TOGETHER_H

#include "batch/batch.h"
#include "study/sweep/sweep.h"

/* A run that may become a lane: by any thread, so that all of them bind. */
typedef struct slip_sweep_candidate {
    int64_t at, returns, lane, group; /* group: -1 where it is in none */
    int status;                       /* negative: it failed */
    slip_batch_set set;
    double start, until, *state; /* n of q, n of v */
    bool whole;                  /* the lane does the whole run; else a single run does the rest */
    char reason[200];
    /* Of the task: */
    double interval;
    int64_t intervals;
    double *numbers; /* that are collected, once they are known; owned */
} slip_sweep_candidate;

typedef struct slip_sweep_lane_task {
    /* Sets `until`, to where the lane of a run is brought at first (from `start`), and what is the task's;
     * its model is bound. By any thread. */
    int (*aim)(const slip_sweep_job *job, slip_context *ctx, const slip_model *bound,
               const slip_run_options *how, slip_sweep_candidate *c);
    /* Lanes of one batch are there, each with a set of its own: finds the numbers of all, or leaves them and
     * says why in `reason`, where the lane has not come to a status that does. By any thread. */
    int (*follow)(const slip_sweep_job *job, slip_context *ctx, slip_batch *batch, int64_t count,
                  slip_sweep_candidate *const *list);
} slip_sweep_lane_task;

#endif
