/* Slipstick: parameters from measurements, by least squares. */
#ifndef SLIPSTICK_FIT_H
#define SLIPSTICK_FIT_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"
#include "slipstick/run.h"

SLIP_BEGIN_C

/* What is NULL or negative is taken from the model's `fit` section, and when it is not there either from the
 * default that stands here. */
typedef struct slip_fit_options {
    size_t size; /* of this struct; the default function sets it */
    /* A CSV file whose first row names its columns. Measured series: a column t (or time) that rises, and one
     * for each series by its name ("x", "pad.force"); an empty field was not measured. Or times of events,
     * as events.csv of a run has them: time, contact, from, to. */
    const char *data;
    /* Parameters that are varied, each with bounds where it has some: "mu", "mu=0.1:0.9", "mu=0:"; a NULL
     * ends the list. They start from the numbers of the model. */
    const char *const *vary;
    const char *const *series;   /* columns that are fitted; a NULL ends the list. Default NULL: all columns
                                    that are series of the model */
    double confidence;           /* of the intervals, above 0 and below 1; default 0.95 */
    int iterations;              /* at most; default 50 */
    const slip_run_options *run; /* method, tolerances; default NULL: as the model says. The end is the last
                                  * time of the data */
} slip_fit_options;
SLIP_OPTIONS_DEFAULT(slip_fit_options)

/* Finds the values of the parameters with which the model comes closest to the data, by least squares
 * (Levenberg and Marquardt, within the bounds). Each series (and the events together) is weighted by the
 * standard deviation of its residuals. On SLIP_OK and SLIP_INTERRUPTED there is a result, for
 * slip_result_destroy. `options` NULL: all as the model says.
 *
 * Its table "parameters": "parameters.name", "parameters.value", "parameters.error" (a standard deviation),
 * "parameters.low" and "parameters.high" (the interval of confidence, cut at the bounds), "parameters.start".
 * Its series: "t", of each measured series NAME "NAME.data", "NAME.model"; of events "event.data",
 * "event.model". slip_result_number: "rms" (of all that counts, weighed), "iterations", "points", "converged"
 * (1 or 0), "value.NAME", "error.NAME", "noise.SERIES". */
SLIP_API int slip_fit(slip_context *ctx, const slip_model *model, const slip_fit_options *options,
                      slip_result **result);

SLIP_END_C

#endif
