/* The outline of a tooth: involute, trochoid fillet, root circle.
 *
 * The teeth are those that a rack generates: the involute by its straight flank, the fillet by the round tip
 * of its tooth (radius rho, centre C), which leaves the envelope of that circle. In the rack's frame, x along
 * the pitch line from the middle of its tooth, y outwards from the gear, the normal of the contact point has
 * the direction e = (cos beta, -sin beta), beta from pi/2 (the very tip) to the pressure angle alpha (the
 * straight flank), and passes through the pitch point P = (p, 0):
 *
 *     p = C_x + C_y cot beta,    A = C + rho e,
 *
 * while the gear, centre (p, -r), has rolled by p/r. So A is at the angle p/r + atan2(A_x - p, A_y + r) from
 * the middle of the space, at the distance |A - (p, -r)| from the axis.
 *
 * Everything is in polar coordinates about the axis, angles from the middle of a tooth, where both sides are
 * alike. */
#ifndef SLIP_GEAR_GEOMETRY_PROFILE_H
#define SLIP_GEAR_GEOMETRY_PROFILE_H

#include "base/context.h"
#include "slipstick/gear.h"

typedef struct slip_profile {
    int teeth;
    double alpha;
    slip_gear_geometry radii;
    double half_thickness; /* angle of half a tooth on the pitch circle */
    double tool[2];        /* C */
    double tool_radius;    /* rho */
    double chamfer;
} slip_profile;

/* A point of the outline. */
typedef struct slip_profile_point {
    double radius, angle;
} slip_profile_point;

/* Checks the options and fills the profile. */
int slip_profile_make(slip_context *ctx, const slip_gear_options *options, slip_profile *profile);

/* Involute at a radius between form and tip radius. */
slip_profile_point slip_profile_involute(const slip_profile *profile, double radius);

/* Fillet for beta between alpha (the foot of the involute) and pi/2 (the root circle). */
slip_profile_point slip_profile_fillet(const slip_profile *profile, double beta);

/* `count` + 1 points at equal distances along the involute, from its foot to the tip or the chamfer. */
void slip_profile_flank_points(const slip_profile *profile, int count, slip_profile_point *points);

/* `count` + 1 points at equal distances from the middle of the space, along the root circle and the fillet,
 * to the foot of the involute. */
void slip_profile_foot_points(const slip_profile *profile, int count, slip_profile_point *points);

#endif
