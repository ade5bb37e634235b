/* The pressure of a contact area as a surface over x and y, with the area's outlines. */
#ifndef SLIP_STUDY_PATCH_MAP_H
#define SLIP_STUDY_PATCH_MAP_H

#include "base/memory.h"
#include "figure/figure.h"
#include "patch/patch.h"

enum { slip_patch_outlines_max = 2 };

typedef struct slip_patch_outline {
    double *x, *y;
    int64_t count;
} slip_patch_outline;

typedef struct slip_patch_map {
    slip_figure_surface surface;
    slip_patch_outline outlines[slip_patch_outlines_max];
    int outline_count;
} slip_patch_map;

/* In the user's units. Everything lives in the arena. Of point loads: a square for each, as high as its share
 * of the load. */
int slip_patch_map_make(slip_context *ctx, const slip_patch *patch, slip_arena *arena, slip_patch_map *map);

#endif
