/* What methods share. */
#ifndef SLIP_METHOD_TYPES_H
#define SLIP_METHOD_TYPES_H

#include "method/flow/flow.h"

/* The one that others name; method.c lists all. */
extern const slip_method_type slip_method_event;

/* event_exact.c: drives a flow by closed-form segments, where slip_exact_applies. The flow stays the
 * caller's. */
typedef struct slip_exact_drive slip_exact_drive;
int slip_exact_drive_create(slip_context *ctx, slip_flow *flow, slip_exact_drive **drive);
int slip_exact_drive_advance(slip_exact_drive *drive, double end, const slip_observer *observer);
void slip_exact_drive_destroy(slip_exact_drive *drive);
SLIP_OWNED(slip_exact_drive, slip_exact_drive_destroy)
/* Moves another flow of the same system, in which nothing switches, from where that stands. */
void slip_exact_drive_move(slip_exact_drive *drive, slip_flow *flow);
/* The one that was left by the last flow of this system, whose mode sets are made already; NULL where there
 * is none. It has to be moved. What is left instead of being destroyed waits with the system. */
slip_exact_drive *slip_exact_drive_take(slip_context *ctx, const slip_system *system);
void slip_exact_drive_leave(slip_exact_drive *drive);

#endif
