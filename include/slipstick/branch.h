/* Slipstick: periodic motions followed over a parameter. */
#ifndef SLIPSTICK_BRANCH_H
#define SLIPSTICK_BRANCH_H

#include "slipstick/axis.h"
#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/orbit.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

/* What is NULL, NAN or, of counts, not positive is taken from the model's `branch` section, and when it is
 * not there either from the default that stands here. */
typedef struct slip_branch_options {
    size_t size;           /* of this struct; the default function sets it */
    const slip_axis *axis; /* the parameter and its range; needed. Its count does not matter */
    double start;   /* its value at the motion that is found first; default: the model's where that is in the
                     * range, else the first of the range */
    double spacing; /* largest distance of points, over the range and the motion; default 0.05 */
    int points;     /* most points in each direction; default 400 */
    int doublings;  /* how many times branches that double the period are followed too; default 0 */
    const slip_orbit_options
        *orbit; /* how the first motion is found; default NULL: as the model's `orbit` section says */
    const slip_axis *second; /* of a curve: another parameter and its range */
    const char *curve; /* a type of labels: these are followed over both parameters; default NULL: branches
                        * are followed over the first */
    const char *resonance; /* a coordinate: labels "PR" mark where it lags a quarter or three quarters of a
                              period behind the load; default NULL: none */
    int harmonics; /* harmonic balance with so many harmonics in place of shooting, up to 60; default 0:
                    * shooting */
} slip_branch_options;
SLIP_OPTIONS_DEFAULT(slip_branch_options)

/* Follows a periodic motion, stable or not, by pseudo-arclength continuation in both directions from where it
 * is found, through changes of its signature. On SLIP_OK and SLIP_INTERRUPTED there is a result, for
 * slip_result_destroy. `options` NULL: all as the model says.
 *
 * Its series, a record for each point: "branch" (from 1), the parameter, "period", "stable" (1, 0),
 * "multiplier" (the size of the largest, without that along the motion), "events" (of a period), and of every
 * coordinate NAME.max and NAME.min over the period; of forced motions NAME.amplitude and NAME.lag of the
 * fundamental, of probes of bodies too: x ~ amplitude cos(phase of the load - lag). Labels
 * (slip_result_label): "LP" fold, "PD" doubling of the period, "NS" torus, "BP" branch point, "GR" a motion
 * that grazes a stop, "SL" another change of the signature (a phase of stick begins or ends, an event appears
 * or vanishes), "EP" end, with the reason. slip_result_number: "points", "branches".
 * Of harmonic balance "stable" and "multiplier" are NAN. */
SLIP_API int slip_branch_follow(slip_context *ctx, const slip_model *model,
                                const slip_branch_options *options, slip_result **result);

SLIP_END_C

#endif
