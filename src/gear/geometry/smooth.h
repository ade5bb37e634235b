/* Moves the inner nodes of a plane mesh of quadrilaterals to where its elements are least distorted. */
#ifndef SLIP_GEAR_GEOMETRY_SMOOTH_H
#define SLIP_GEAR_GEOMETRY_SMOOTH_H

#include "base/context.h"

#include <stdbool.h>

typedef struct slip_smoothing {
    int node_count, quad_count;
    const int *quads; /* four corners each, counterclockwise; + node_count: the same node one pitch further */
    const bool *fixed; /* nodes that stay */
    double pitch;      /* angle by which the mesh goes on about the origin */
    double *points;    /* x, y of each node: a mesh without folded elements, in and out */
} slip_smoothing;

int slip_mesh_smooth(slip_context *ctx, const slip_smoothing *smoothing);

#endif
