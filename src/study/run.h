/* One run: settings put together, a method opened, a result filled. */
#ifndef SLIP_STUDY_RUN_H
#define SLIP_STUDY_RUN_H

#include "gear/gear_film.h"
#include "result/gear_result.h"
#include "result/result.h"
#include "simulation/simulation.h"

/* The judge over a result: the largest residual of the contact laws over all records, 0 when there are none.
 */
int slip_result_residual(slip_context *ctx, const slip_system *system, const slip_result *result,
                         double *residual);

/* The same over every so many of them. */
int slip_result_judge(slip_context *ctx, const slip_system *system, const slip_result *result, int64_t every,
                      double *residual);

/* A checkpoint file: a run continues from it if it exists, and writes it at intervals and when it is
 * interrupted. A file of another run is an error that says what differs. */
typedef struct slip_checkpoint {
    const char *path;
    double every;               /* seconds on the clock between two of them */
    slip_gear_history *history; /* of these gears, or NULL */
    int gear_count;
    const slip_gear_flanked *gears;
    slip_gear_film *film; /* or NULL */
    /* Set by the run: */
    slip_simulation *simulation;
    slip_recorder *recorder;
    slip_result *result;
    double end;   /* of the run */
    double saved; /* when the state was written last, on the clock */
} slip_checkpoint;

/* A run under way. */
typedef struct slip_job {
    slip_context *ctx;
    const slip_system *system;
    const slip_settings *settings;
    slip_simulation *simulation;
    slip_result *result;
    slip_checkpoint *checkpoint; /* that is to be kept; NULL: none */
    slip_gear_film *film;        /* frames of its gears; NULL: none */
    double started;              /* by the clock */
} slip_job;

/* A run that has not moved yet; slip_job_close is due in any case. */
int slip_job_open(slip_context *ctx, const slip_model *model, const slip_opening *opening, slip_job *job);
void slip_job_close(slip_job *job);
/* Completes the result of a run that ended with `status`, also early; returns that status. */
int slip_job_conclude(slip_job *job, int status);

/* Runs as its settings say: to its end, or until it is steady. */
int slip_job_go(slip_job *job);

/* Runs to `end` with a recorder for from .. end. */
int slip_job_record(slip_job *job, double from, double end, bool steady);

/* Hands the result over if a run that ended with `status` has one. */
void slip_job_hand_over(slip_job *job, int status, slip_result **result);

/* Runs a model with gears, with what such a run has beside the motion: bodies in files, frames, histories of
 * flanks, checkpoint. */
int slip_run_gears(slip_context *ctx, const slip_model *model, const slip_run_options *options,
                   slip_result **result);

/* Period by period until the state repeats, then records two periods of the motion. */
int slip_job_settle(slip_job *job);

#endif
