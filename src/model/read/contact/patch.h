/* Shared by the readers of a patch (patch.c) and of its area (area.c). */
#ifndef SLIP_MODEL_READ_PATCH_H
#define SLIP_MODEL_READ_PATCH_H

#include "model/read/read.h"

/* The patch being read, and the nodes at which problems of slip_patch_create are recorded. */
typedef struct slip_patch_reading {
    slip_reader *r;
    const char *contact;
    const slip_tree *node, *area_node, *law_node, *surface_node;
    slip_patch_options area;
    double mu;
    slip_law law; /* only its list of varying parameters is used */
    slip_expression *slip[3], *normal_force, *gap;
    double restitution;
    bool impact_friction;
} slip_patch_reading;

/* Numbers of a list of two or three. */
bool slip_read_numbers(slip_reader *r, const slip_tree *node, const char *what, int count, slip_range range,
                       double *numbers);

/* The section `area` into p->area (area.c). */
bool slip_read_area(slip_patch_reading *p);

#endif
