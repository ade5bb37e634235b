/* The result of a mesh cycle (opaque to its users). */
#ifndef SLIP_GEAR_STATICS_GEAR_CYCLE_H
#define SLIP_GEAR_STATICS_GEAR_CYCLE_H

#include "base/context.h"
#include "slipstick/gear_cycle.h"

struct slip_gear_cycle {
    slip_arena arena;
    char *names[2];
    int teeth[2];
    double torque, width;
    double contact_ratio;
    int points_wanted; /* in a cycle */
    int point_count;
    slip_gear_cycle_point *points;
    int layer_count;
    double *layers;
    int64_t change_capacity;
    int change_count;
    slip_gear_cycle_change *changes;
};

#endif
