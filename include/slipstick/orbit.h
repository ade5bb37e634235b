/* Slipstick: periodic motions, of forced systems and of those that excite themselves. */
#ifndef SLIPSTICK_ORBIT_H
#define SLIPSTICK_ORBIT_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

/* What is NULL, NAN or, of counts, not positive is taken from the model's `orbit` section, and when it is not
 * there either from the default that stands here. */
typedef struct slip_orbit_options {
    size_t size;        /* of this struct; the default function sets it */
    const char *period; /* of the load, an expression of parameters; "auto": the motion has a period of its
                         * own, which is found. Default: that of `steady`, else of the loads, else "auto" */
    int multiple;       /* of the load's period that the motion has; default 1 */
    double guess;       /* of "auto": the period, roughly; default: the first return to where the run ended */
    const char *from; /* where the search starts: "run", the end of `simulate.time` (default), or "initial" */
    int arcs;         /* into which the period is cut (multiple shooting); default 0: as many as it takes */
    double tolerance; /* of the motion, as of a run; default that of the run, at most 1e-10 */
    const slip_values *values; /* numbers of the parameters; default NULL: those of the model */
} slip_orbit_options;
SLIP_OPTIONS_DEFAULT(slip_orbit_options)

/* Finds a periodic motion of method `event` by Newton's method on the map from a state to that one period
 * later, with derivatives across events. SLIP_ERROR_SOLVER where it does not converge: there is no result
 * then. The caller ends it by slip_result_destroy. `options` NULL: all as the model says.
 *
 * The result is the motion over one period: series and events as of slip_run. Table "multipliers":
 * "multipliers.real", "multipliers.imaginary", eigenvalues of the derivative of the map, the largest first.
 * slip_result_number: "period", "least_period" (after which it repeats already; of "auto" the same),
 * "residual" (of the map, relative to the motion), "stable" (1 or 0), "iterations"; slip_result_text:
 * "signature", the events of a period in their order. The folder also has orbit.json.
 */
SLIP_API int slip_orbit_find(slip_context *ctx, const slip_model *model, const slip_orbit_options *options,
                             slip_result **result);

SLIP_END_C

#endif
