/* Where two gears start: undeformed, the first turned until its flanks are about to touch. */
#ifndef SLIP_GEAR_BODY_GEAR_START_H
#define SLIP_GEAR_BODY_GEAR_START_H

#include "gear/flank/tooth_pairs.h"
#include "slipstick/gear_run.h"

/* Of gears by the points of their nodes about their own axes: places both, `phase` pitches before the line of
 * centres, and sets the angles of the wheels to those at which they are about to touch (to 1e-12). *sense: in
 * which the first gear turns towards contact, 1, or -1 where the flanks move apart on the left; where the
 * speeds close neither side, the torques say which. Fails where they are one inside the other. */
int slip_gear_start_find(slip_context *ctx, const double *const points[2], const int counts[2],
                         slip_flank_contact *contact, const slip_gear_run_options *options,
                         slip_tooth_wheel wheels[2], double *sense);

/* Of a shaft that stays at a static start: fails where its torque is not what the flanks bring to it, by more
 * than facets make of the ratio of two torques. */
int slip_gear_check_loads(slip_context *ctx, const char *gear, double torque, double brought);

#endif
