/* Gears on shafts, and which of them mesh: what every method for gears moves. */
#ifndef SLIP_GEAR_BODY_GEAR_GROUP_H
#define SLIP_GEAR_BODY_GEAR_GROUP_H

#include "slipstick/gear_run.h"

/* Two gears that mesh, with the options of their contact, as slip_gear_pair_create takes them. */
typedef struct slip_gear_meshing {
    int gear[2];
    const slip_gear_run_options *options;
    const double (*centre)[2]; /* of both axes, m; NULL: the first at the origin, the second along x */
} slip_gear_meshing;

/* Any number of gears on shafts. Every gear meshes with another one. The caller's arrays must outlive the
 * group. */
typedef struct slip_gear_group {
    int gear_count, shaft_count, mesh_count;
    const slip_gear_options *gears;
    const slip_reduced *const *bodies; /* NULL where the method needs none */
    /* Of each gear. Torques of gears on one shaft add up; speed and drive are those of the shaft. */
    const slip_gear_side *sides;
    const int *shaft;     /* of each gear */
    const double *offset; /* of each gear: its angle where its shaft has the angle 0; NULL: a pair alone,
                             whose shafts have the angles of their gears */
    const slip_gear_meshing *meshes;
} slip_gear_group;

/* Two gears and their one mesh, each on a shaft of its own. */
slip_gear_group slip_gear_group_pair(const slip_gear_options *gears, const slip_reduced *const *bodies,
                                     const slip_gear_meshing *mesh);

#endif
