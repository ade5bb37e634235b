/* Slipstick: Lyapunov exponents, with the jumps at events taken into account. */
#ifndef SLIPSTICK_LYAPUNOV_H
#define SLIPSTICK_LYAPUNOV_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"
#include "slipstick/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is NULL, NAN or negative is taken from the model's `lyapunov` section, and when it is not there either
 * from the default that stands here. */
typedef struct slip_lyapunov_options {
    size_t size;          /* of this struct; the default function sets it */
    const char *interval; /* time after which the vectors are made orthogonal again, an expression of
                           * parameters; default: the period of `simulate.steady`, else a fiftieth of the span
                           * of `simulate.time` */
    double transient;     /* time before the exponents are looked at; default: the span of `simulate.time`,
                           * else 200 intervals */
    int64_t intervals;    /* how many are averaged, at least 64; default 2000. A tenth as many go before, in
                           * which the vectors turn into place */
    const slip_run_options *run; /* tolerances, values, state at the start; default NULL: as the model says */
} slip_lyapunov_options;
SLIP_OPTIONS_DEFAULT(slip_lyapunov_options)

/* The exponents of the motion of the model, all of them, by method `event`. On SLIP_OK and SLIP_INTERRUPTED
 * (where there are 64 intervals) there is a result.
 *
 * Its series: "time", "exponent1", ...: their averages up to then. slip_result_number: "largest", "sum" (both
 * of those that are finite), "time", "dimension", "lost": how many are minus infinity, since contacts stick
 * or close: then what differs in their slip is forgotten. Table "exponents": "exponents.value" (minus
 * infinity where lost), "exponents.error" (a standard deviation, from averages over blocks). */
SLIP_API int slip_lyapunov(slip_context *ctx, const slip_model *model, const slip_lyapunov_options *options,
                           slip_result **result);

#ifdef __cplusplus
}
#endif

#endif
