/* Which flanks of two gears can meet, from the angles of rotation alone.
 *
 * On the working pitch circles (radii r_1, r_2 in the ratio of the teeth, r_1 + r_2 = distance of the axes)
 * the middle of a tooth of either gear has a place along the common tangent, y = r_1 phi of the first, y =
 * -r_2 psi of the second gear, phi and psi from the line of centres. A left flank (at a tooth's higher angle)
 * faces the left flank of the other gear's next tooth towards higher y, at less than a pitch; a right one
 * that towards lower y. So each flank has at most one partner. A tooth takes part while it can be within the
 * other gear's tip circle. */
#ifndef SLIP_GEAR_FLANK_TOOTH_PAIRS_H
#define SLIP_GEAR_FLANK_TOOTH_PAIRS_H

#include "gear/flank/flank_contact.h"
#include "gear/geometry/gear_mesh.h"

typedef struct slip_tooth_wheel {
    int teeth;
    double tip_radius;
    double centre[2]; /* place of the axis, which is along z */
    double angle;     /* of rotation: the middle of the first tooth is at this angle from the x axis */
} slip_tooth_wheel;

enum { slip_tooth_pairs_max = 64 };

/* Surface 2 k of a gear is the right flank of its tooth k (from 0), surface 2 k + 1 the left one. Returns how
 * many pairs there are, at most slip_tooth_pairs_max; pairs are by ascending tooth of the first gear. Of
 * angles that are not finite there are none. */
int slip_tooth_pairs_find(const slip_tooth_wheel wheels[2], slip_flank_pair pairs[slip_tooth_pairs_max]);

/* The flanks of a gear's mesh in that order: 2 x teeth surfaces, whose nodes are the mesh's sets. Fails where
 * a set is missing. */
int slip_tooth_surfaces(slip_context *ctx, const slip_gear_mesh *gear, slip_flank_surface *surfaces);

/* Fails where the gears penetrate each other by more than `tolerance` (m): names the teeth and the depth. */
int slip_tooth_check_apart(slip_context *ctx, const slip_flank_totals *totals, const slip_flank_pair *pairs,
                           double tolerance);

#endif
