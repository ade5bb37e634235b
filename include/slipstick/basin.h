/* Slipstick: which attractor each start leads to. */
#ifndef SLIPSTICK_BASIN_H
#define SLIPSTICK_BASIN_H

#include "slipstick/axis.h"
#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"
#include "slipstick/run.h"

SLIP_BEGIN_C

/* What is NULL, NAN or negative is taken from the model's `basin` section, and when it is not there either
 * from the default that stands here. */
typedef struct slip_basin_options {
    size_t size;           /* of this struct; the default function sets it */
    const slip_axis *axes; /* initial values, or parameters; the last one changes fastest. Default NULL: */
    int axis_count;        /* the axes of the model's `basin` section */
    const char *period;  /* of the load, an expression of parameters; default: that of `simulate.steady`, else
                            of the loads. Without a period, where the model does not depend on time, states are
                            compared where the motion passes the section */
    const char *section; /* a coordinate, whose maxima are the section; default: the first one on which the
                            equations depend. Not used with a period */
    double tolerance;    /* largest relative error of the motion to which a start leads; default 1e-6 */
    int64_t within;      /* gives up after so many periods or, without a period, so many times the span of
                            `simulate.time`; default 500 */
    int refine;          /* how often cells between different attractors are halved; default 0 */
    int threads;         /* default 0: as many as there are processors */
    int part, parts;     /* only every parts-th start, beginning with number `part`; default 1 of 1 */
    const char *folder;  /* keeps finished starts in its file basin.journal until the result is saved there;
                          * default NULL: nothing is kept */
    int restart;         /* not zero: ignores finished starts in the folder; default 0 */
    const slip_run_options *run; /* of every start; default NULL: as the model says */
    const char *device; /* where there is a period and no axis is a parameter: the device that moves many
                           starts at once, "cpu", "cuda" or "auto" (slipstick/device.h); starts that it cannot
                           take run one by one, and the numbers "together" and "alone" say how many. Default
                           NULL, or "none": one by one */
    int labels; /* not zero: nothing but the number of the attractor is kept for each start, line by line
                   along the last axis. Default -1: as the model says, else 0 */
} slip_basin_options;
SLIP_OPTIONS_DEFAULT(slip_basin_options)

/* Follows the motion from every start until its attractor is known. On SLIP_OK and SLIP_INTERRUPTED there is
 * a result with the starts that are finished, in their order, the same bits for any number of threads. Parts
 * are joined by slip_sweep_merge. The caller ends it by slip_result_destroy. `options` NULL: all as the model
 * says.
 *
 * Its series: "run" (number of the start, from 1), one for each axis, "attractor" (its name), "kind" (stick
 * set, sliding, equilibrium, cycle, cycle set, chaotic, undecided, failed), "multiple" (periods of the load,
 * or passages of the section, in a period of the motion), "period", "time" (at which the attractor was
 * known), "end.x", "end.x'", ... (the state then), "size.x", ... (sizes to which errors are relative),
 * "signature", "status" and "message". slip_result_number: "runs", "finished", "failed", "attractors". The
 * file attractors.json describes the attractors.
 *
 * With `labels` a row is a line of starts along the last axis: "run", the other axes, "starts", "failed",
 * "together" and "left_by_card" (how many), "labels", "status" and "message". The word of "labels" has behind
 * its last `|` the attractors of the starts in their order, as COUNT*NUMBER: numbers from 0 in the order of
 * attractors.json, -1 of one that failed. The text before it describes each attractor of the line. */
SLIP_API int slip_basin(slip_context *ctx, const slip_model *model, const slip_basin_options *options,
                        slip_result **result);

SLIP_END_C

#endif
