/* `event`: motion between events that are located exactly. Segments are propagated in closed form where they
 * have one (event_exact.c), and integrated by the Dormand-Prince method otherwise (flow/flow.c). */
#include "method/exact/exact.h"
#include "method/types.h"

#include <stdlib.h>
#include <string.h>

typedef struct event_method {
    slip_flow *flow;
    slip_exact_drive *drive; /* closed-form segments; NULL: Dormand-Prince steps */
} event_method;

static void close_event(void *self)
{
    SLIP_FREED event_method *event = self;
    if (!event)
        return;
    if (event->drive && event->flow)
        slip_exact_drive_leave(event->drive);
    else
        slip_exact_drive_destroy(event->drive);
    slip_flow_close(event->flow);
}

/* Decides whether segments are in closed form, and takes the drive that an earlier motion has left; an error
 * where closed form is required but does not exist. */
static int choose_segments(slip_context *ctx, const slip_system *system, const char *segments, bool *exact,
                           slip_exact_drive **left)
{
    char reason[300];
    bool demanded = segments && strcmp(segments, "exact") == 0;
    *exact = false;
    *left = NULL;
    if (segments && strcmp(segments, "rk") == 0)
        return SLIP_OK;
    *left = slip_exact_drive_take(ctx, system);
    *exact = *left != NULL;
    if (*left)
        return SLIP_OK;
    const int applies = slip_exact_applies(system, reason, sizeof reason);
    if (applies < 0)
        return slip_fail_memory(ctx);
    *exact = applies > 0;
    if (demanded && !*exact)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "segments: `exact` is not possible here: %s; try `auto`",
                         reason);
    return SLIP_OK;
}

static int open_event(slip_context *ctx, const slip_system *system, const slip_method_options *options,
                      double t, const double *q, const double *v, void **self)
{
    int status = SLIP_OK;
    bool exact;
    slip_exact_drive *left = NULL;
    event_method *event = calloc(1, sizeof *event);
    *self = NULL;
    SLIP_PASS(slip_allocated(ctx, event));
    SLIP_TRY(choose_segments(ctx, system, options->segments, &exact, &left));
    SLIP_TRY(slip_flow_open(ctx, system, options, &slip_stepper_dopri, t, q, v, &event->flow));
    if (left)
        slip_exact_drive_move(left, event->flow);
    event->drive = left;
    left = NULL;
    if (exact && !event->drive)
        SLIP_TRY(slip_exact_drive_create(ctx, event->flow, &event->drive));
done:
    slip_exact_drive_destroy(left);
    if (status < 0)
        close_event(event);
    else
        *self = event;
    return status;
}

/* The closed-form drive of an earlier motion is kept unless expressions switch: then it reads the forms of
 * its own flow. */
static int restart_event(void *self, double span, const slip_method_memory *memory, double t, const double *q,
                         const double *v)
{
    event_method *event = self;
    SLIP_FREED_BY(slip_flow_drop) slip_flow *before = event->flow;
    slip_method_options options = before->options;
    options.span = span;
    options.memory = memory;
    event->flow = NULL;
    SLIP_PASS(
        slip_flow_open(before->ctx, before->given, &options, &slip_stepper_dopri, t, q, v, &event->flow));
    if (event->drive && before->jumps) {
        slip_exact_drive_destroy(event->drive);
        event->drive = NULL;
        SLIP_PASS(slip_exact_drive_create(before->ctx, event->flow, &event->drive));
    } else if (event->drive) {
        slip_exact_drive_move(event->drive, event->flow);
    }
    return SLIP_OK;
}

static int advance_event(void *self, double end, const slip_observer *observer)
{
    event_method *event = self;
    return event->drive ? slip_exact_drive_advance(event->drive, end, observer)
                        : slip_flow_advance(event->flow, end, observer);
}

static void state_of_event(const void *self, double *t, double *q, double *v)
{
    const event_method *event = self;
    slip_flow_state(event->flow, t, q, v);
}

static void remember_event(const void *self, slip_method_memory *memory)
{
    const event_method *event = self;
    slip_flow_keep(event->flow, memory);
}

static void counters_of_event(const void *self, slip_method_counters *counters)
{
    const event_method *event = self;
    slip_flow_counters(event->flow, counters);
    if (event->drive)
        counters->resolution = 0;
}

const slip_method_type slip_method_event = {
    .info = {"event", "exact location of events; closed forms or Dormand-Prince in between; the default", 0,
             0},
    .open = open_event,
    .advance = advance_event,
    .state = state_of_event,
    .remember = remember_event,
    .counters = counters_of_event,
    .close = close_event,
    .restart = restart_event};
