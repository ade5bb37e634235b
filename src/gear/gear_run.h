/* Methods that run two gears: one file a method, one table (gear_run.c). */
#ifndef SLIP_GEAR_GEAR_RUN_H
#define SLIP_GEAR_GEAR_RUN_H

#include "gear/gear_record.h"

/* Everything that a method needs; checked. */
typedef struct slip_gear_task {
    const slip_gear_options *gears; /* two */
    const slip_reduced *const *bodies;
    const slip_gear_run_options *options;
    const char *method;
    slip_gear_result *result; /* to be filled; slip_gear_record_finish and wall_seconds are done afterwards */
} slip_gear_task;

typedef struct slip_gear_method {
    const char *name;
    bool reduced;   /* needs reduced bodies */
    bool condensed; /* is for the reduction "condensed" (and "none"), else for the others */
    int (*run)(slip_context *ctx, const slip_gear_task *task);
} slip_gear_method;

extern const slip_gear_method slip_gear_method_rk4, slip_gear_method_exponential, slip_gear_method_explicit;

/* Time of sample i of the options' samples, from 0 to the end. */
static inline double slip_gear_sample_time(const slip_gear_run_options *options, int64_t i)
{
    return options->time * (double)i / (double)(options->samples - 1);
}

#endif
