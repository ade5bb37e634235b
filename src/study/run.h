/* One run: settings put together, a method opened, a result filled. */
#ifndef SLIP_STUDY_RUN_H
#define SLIP_STUDY_RUN_H

#include "method/method.h"
#include "model/model.h"
#include "result/result.h"

/* Everything a run needs, options before model before defaults; checked. */
typedef struct slip_settings {
    const slip_method_type *method;
    slip_run_options values; /* complete: what has no default is there or is NAN where it may be */
    bool steady;
} slip_settings;

int slip_settings_resolve(slip_context *ctx, const slip_model *model, const slip_run_options *options,
                          slip_settings *settings);

/* Fails and suggests the method with the nearest spelling. */
int slip_settings_unknown_method(slip_context *ctx, const char *name);

/* The judge over a result: the largest residual of the contact laws over all records, 0 when there are none.
 */
int slip_result_residual(slip_context *ctx, const slip_system *system, const slip_result *result,
                         double *residual);

/* A run under way. */
typedef struct slip_job {
    slip_context *ctx;
    const slip_system *system;
    const slip_settings *settings;
    void *method; /* opened */
    slip_result *result;
} slip_job;

/* Runs to `end` with a recorder for from .. end. */
int slip_job_record(slip_job *job, double from, double end, bool steady);

/* Period by period until the state repeats, then records two periods of the motion. */
int slip_job_settle(slip_job *job);

#endif
