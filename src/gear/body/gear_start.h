/* Where two gears start: undeformed, the first turned until its flanks are about to touch. */
#ifndef SLIP_GEAR_BODY_GEAR_START_H
#define SLIP_GEAR_BODY_GEAR_START_H

#include "gear/flank/tooth_pairs.h"
#include "slipstick/gear_run.h"

/* Finds the angles at which two undeformed gears are about to touch (to 1e-12 rad), tooth 1 of the first one
 * `phase` pitches before the line of centres, and stores them in the wheels. points: of the nodes of each
 * gear, about its own axis. *sense: 1 where the first gear turns towards contact on its left flanks, else -1;
 * it follows from the speeds or, where these close neither side, from the torques. Fails where the gears
 * penetrate each other. */
int slip_gear_start_find(slip_context *ctx, const double *const points[2], const int counts[2],
                         slip_flank_contact *contact, const slip_gear_run_options *options,
                         slip_tooth_wheel wheels[2], double *sense);

/* For a shaft that keeps its angle at a static start: fails where its torque (N m) differs from that of the
 * contact forces, `brought`, by more than the error that facets cause in a torque ratio. */
int slip_gear_check_loads(slip_context *ctx, const char *gear, double torque, double brought);

#endif
