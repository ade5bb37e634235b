/* Where two gears start: undeformed, the first turned until its flanks are about to touch. */
#ifndef SLIP_GEAR_BODY_GEAR_START_H
#define SLIP_GEAR_BODY_GEAR_START_H

#include "gear/flank/tooth_pairs.h"

typedef struct slip_gear_start {
    const double *points[2]; /* of the nodes, about each gear's own axis */
    int counts[2];
    double *position[2], *rest[2], *force[2]; /* rest: velocities that are zero */
    slip_flank_pair pairs[slip_tooth_pairs_max];
    int pair_count;
    slip_flank_totals totals; /* of the last touch */
} slip_gear_start;

/* The points are used, not copied. */
int slip_gear_start_create(slip_context *ctx, const double *const points[2], const int counts[2],
                           slip_gear_start **start);
void slip_gear_start_destroy(slip_gear_start *start);
SLIP_OWNED(slip_gear_start, slip_gear_start_destroy)

/* In which sense the first gear turns towards contact: 1, or -1 where the flanks move apart on the left.
 * Where the speeds close neither side, the torques say which. */
double slip_gear_sense(const slip_tooth_wheel wheels[2], const double speed[2], const double torque[2]);

/* Places both gears, `phase` pitches before the line of centres, and sets the angles of the wheels to those
 * at which they are about to touch (to 1e-12). Fails where they are one inside the other. */
int slip_gear_start_find(slip_context *ctx, slip_gear_start *start, slip_flank_contact *contact,
                         slip_tooth_wheel wheels[2], double phase, double sense);

/* Of a shaft that stays at a static start: fails where its torque is not what the flanks bring to it, by more
 * than facets make of the ratio of two torques. */
int slip_gear_check_loads(slip_context *ctx, const char *gear, double torque, double brought);

/* Turns the first gear to an angle and sees what touches. */
void slip_gear_start_touch(slip_gear_start *start, slip_flank_contact *contact, slip_tooth_wheel wheels[2],
                           double angle);

#endif
