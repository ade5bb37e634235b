/* Slipstick: runs over parameters and initial values. */
#ifndef SLIPSTICK_SWEEP_H
#define SLIPSTICK_SWEEP_H

#include "slipstick/axis.h"
#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"
#include "slipstick/run.h"

SLIP_BEGIN_C

typedef struct slip_sweep_options {
    size_t size; /* of this struct; the default function sets it */
    const slip_axis *
        axes; /* parameters and initial values; the last one changes fastest. Default NULL: the axes of the */
    int axis_count;             /* model's `sweep` section */
    const char *const *collect; /* numbers of each run by their path in summary.json, such as "max.x"; NULL
                                 * ends the list. Default NULL: those of the model's `sweep` section, else
                                 * largest values, number of events and, of steady motions, their values */
    int carry;   /* not zero: each run starts from the state in which the one before it has ended, along the
                  * last axis and back. Default -1: as the model says, else 0 */
    int threads; /* default 0: as many as there are processors */
    int part, parts;    /* only every parts-th run (with `carry` every parts-th line), beginning with number
                         * `part`, 1 to parts; default 1 of 1 */
    const char *folder; /* keeps finished runs in its file sweep.journal until the result is saved there, and
                         * takes those that are in it already; default NULL: nothing is kept */
    int restart;        /* not zero: ignores finished runs in the folder; default 0 */
    const slip_run_options *run; /* of every run; default NULL: as the model says */
    const char
        *device; /* the device that moves many runs at once, "cpu", "cuda" or "auto" (slipstick/device.h);
                    runs that it cannot take run one by one, and the numbers "together" and "alone" say how
                    many. Numbers of runs that were moved together agree with those of single runs to
                    rounding. "none": one by one. Default NULL, or "auto": together from 1000 runs on */
} slip_sweep_options;
SLIP_OPTIONS_DEFAULT(slip_sweep_options)

/* Runs the model for all values of the axes, in parallel. On SLIP_OK and SLIP_INTERRUPTED there is a result
 * with the runs that are finished, in their order, the same bits for any number of threads, for
 * slip_result_destroy. `options` NULL: all as the model says.
 *
 * Its series: "run" (number from 1), one for each axis, "direction" (with `carry`: up, back), the collected
 * numbers, "status" (done, failed) and "message": why a run failed; its numbers are NAN then.
 * slip_result_number: "runs", "finished", "failed". */
SLIP_API int slip_sweep(slip_context *ctx, const slip_model *model, const slip_sweep_options *options,
                        slip_result **result);

/* Joins the results of all parts of a sweep, which are in these `count` folders: the result of the whole
 * sweep, for slip_result_destroy. Those of basins and of exponents over axes too. */
SLIP_API int slip_sweep_merge(slip_context *ctx, int count, const char *const *folders, slip_result **result);

SLIP_END_C

#endif
