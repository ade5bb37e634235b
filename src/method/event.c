/* `event`: motion between events that are located exactly. In this version the events are those of smooth
 * laws: reversals, and the velocities at which a law is not smooth; segments are integrated by the
 * Dormand-Prince method. */
#include "method/types.h"

#include <string.h>

static int open_event(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                      double t, const double *q, const double *v, void **self)
{
    slip_flow *flow = NULL;
    int status = SLIP_OK;
    if (options->segments && strcmp(options->segments, "exact") == 0)
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "segments: `exact` is not available in this version; expected `auto` or `rk`");
    if (status >= 0)
        status = slip_flow_open(ctx, system, options, &slip_stepper_dopri, t, q, v, &flow);
    *self = flow;
    return status;
}

const slip_method_type slip_method_event = {
    .info = {"event", "exact location of events, Dormand-Prince in between; the default", 0},
    .open = open_event,
    .advance = slip_method_flow_advance,
    .state = slip_method_flow_state,
    .counters = slip_method_flow_counters,
    .close = slip_method_flow_close};
