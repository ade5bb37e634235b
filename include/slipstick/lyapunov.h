/* Slipstick: Lyapunov exponents, with the jumps at events taken into account. */
#ifndef SLIPSTICK_LYAPUNOV_H
#define SLIPSTICK_LYAPUNOV_H

#include "slipstick/axis.h"
#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"
#include "slipstick/run.h"

SLIP_BEGIN_C

/* What is NULL, NAN or negative is taken from the model's `lyapunov` section, and when it is not there either
 * from the default that stands here. */
typedef struct slip_lyapunov_options {
    size_t size;          /* of this struct; the default function sets it */
    const char *interval; /* time after which the vectors are made orthogonal again, an expression of
                           * parameters; default: the period of `simulate.steady`, else a fiftieth of the span
                           * of `simulate.time` */
    double transient;     /* time before the exponents are looked at; default: the span of `simulate.time`,
                           * else 200 intervals */
    int64_t intervals; /* how many are averaged, at least 64; default 2000. A tenth as many are run before, in
                          which the vectors align with the growing directions */
    const slip_run_options *run; /* tolerances, values, state at the start; default NULL: as the model says */
    const slip_axis *axes; /* the exponents at every point of these axes, parameters or initial values; */
    int axis_count;        /* the last one changes fastest. Default NULL: of one motion */
    int threads;           /* over axes; default 0: as many as there are processors */
    int part, parts;       /* only every parts-th point, beginning with number `part`; default 1 of 1 */
    const char *folder;    /* keeps finished points in its file exponents.journal until the result is saved
                            * there; default NULL: nothing is kept */
    int restart;           /* not zero: what is in the folder does not count; default 0 */
    const char *device; /* over axes: "cpu" moves points together in vector units, as far as these take them;
                         * "none": one by one; default NULL, as "auto": together from 16 points on */
} slip_lyapunov_options;
SLIP_OPTIONS_DEFAULT(slip_lyapunov_options)

/* The exponents of the motion of the model, all of them, by method `event`. On SLIP_OK and SLIP_INTERRUPTED
 * (where there are 64 intervals) there is a result, for slip_result_destroy. `options` NULL: all as the model
 * says. Exponents are over the model's time.
 *
 * Its series: "time", "exponent1", ...: their averages up to then. slip_result_number: "largest", "sum" (both
 * of those that are finite), "time", "dimension", "lost": how many are minus infinity: deviations in the slip
 * of contacts that stick or close vanish (so do those of sliders that yield and of coordinates without mass).
 * Table "exponents": "exponents.value" (minus infinity where lost), "exponents.error" (a standard deviation,
 * from averages over blocks).
 *
 * Over axes the result is of kind "exponents", a record for each point in their order: "run", one series for
 * each axis, "exponent1", ..., "dimension", "lost", "time", "skipped", "error1", ..., "status" and "message".
 * Parts are joined by slip_sweep_merge. The bits are the same for any number of threads. slip_result_number:
 * "together" and "alone", how many were moved side by side, where `device` asks for that. */
SLIP_API int slip_lyapunov(slip_context *ctx, const slip_model *model, const slip_lyapunov_options *options,
                           slip_result **result);

SLIP_END_C

#endif
