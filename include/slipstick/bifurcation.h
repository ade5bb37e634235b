/* Slipstick: points of a return map over a parameter. */
#ifndef SLIPSTICK_BIFURCATION_H
#define SLIPSTICK_BIFURCATION_H

#include "slipstick/axis.h"
#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"
#include "slipstick/run.h"

SLIP_BEGIN_C

/* What is NULL, NAN or negative is as the model's `bifurcation` section says, else the default that stands
 * here. A model that does not change with time needs a section or maxima. */
typedef struct slip_bifurcation_options {
    size_t size;           /* of this struct; the default function sets it */
    const slip_axis *axis; /* the parameter and its values */
    const char *period;    /* a point at every multiple of this time, an expression of parameters; default:
                            * the period of `steady`, else of the loads */
    const char *section;   /* or wherever this expression of t, coordinates, velocities and parameters passes
                            * zero upwards */
    const char *maxima;    /* or at every maximum of this coordinate */
    int64_t transient;     /* returns that are left out at each value, at most: what has settled before is not
                            * waited for; what still decays then is, up to ten times as many. Default 200 */
    int64_t points;   /* returns that are kept at each value, at most: of a motion that repeats those of one
                       * period. Default 100 */
    double tolerance; /* relative: returns that differ by less are the same. Default 1e-7 */
    int carry;        /* each value starts from the state that the last one ended with, up and back; 0: from
                       * the model's own state, on several threads. Default 1 */
    int threads;      /* where nothing is carried; default 0: as many as there are processors */
    const slip_run_options *run; /* method, tolerances; default NULL: as the model says. The time span is the
                                  * longest that is waited for a return to a section */
    /* Where nothing is carried and points are taken once a period: which device moves the values together,
     * "cpu" (vector units), "cuda" (a graphics card), "auto" (default NULL: a card where there is one and
     * there is enough to do) or "none" (one by one). What it cannot take goes one by one. */
    const char *device;
    const char *folder; /* where nothing is carried: keeps finished values in its file bifurcation.journal
                         * until the result is saved there; default NULL: nothing is kept */
    int restart;        /* not zero: what is in the folder does not count; default 0 */
} slip_bifurcation_options;
SLIP_OPTIONS_DEFAULT(slip_bifurcation_options)

/* Runs the model at each value. On SLIP_OK and SLIP_INTERRUPTED there is a result with what was computed,
 * for slip_result_destroy. `options` NULL: all as the model says.
 *
 * Its series, a record for each point: the name of the parameter, "direction" (up, back), "time" since the
 * last return, coordinates, velocities and states. Table "values": "values.NAME", "values.direction",
 * "values.multiple" (returns after which the motion repeats; 0: it does not), "values.returns" (that were
 * taken in all), "values.points", "values.message" (why there are none). slip_result_number: "points",
 * "failed", "together" (values that were moved together), "alone" (values that were run by themselves). The
 * text "alone_because" says why, of the first of these. */
SLIP_API int slip_bifurcation(slip_context *ctx, const slip_model *model,
                              const slip_bifurcation_options *options, slip_result **result);

SLIP_END_C

#endif
