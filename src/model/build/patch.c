/* A plane contact area as what a file would say of it. */
#include "model/build/build.h"

#include <math.h>
#include <string.h>

static void put_pair(slip_draft *d, slip_tree *to, const char *key, const double values[2])
{
    if (!isnan(values[0]) || !isnan(values[1]))
        slip_draft_put(d, to, key, slip_tree_numbers(d->arena, 2, values));
}

static slip_tree *points_node(slip_draft *d, const slip_patch_options *area, int columns)
{
    slip_tree *points = slip_tree_sequence(d->arena, area->point_count);
    for (int i = 0; i < area->point_count && points; i++)
        if (!(points->item[i] = slip_tree_numbers(d->arena, columns, area->points + (ptrdiff_t)columns * i)))
            return NULL;
    return points;
}

static slip_tree *pressure_node(slip_draft *d, const slip_patch_options *area)
{
    const bool linear = strcmp(area->pressure, "linear") == 0;
    if (!linear && strcmp(area->pressure, "expression") != 0)
        return slip_tree_scalar(d->arena, area->pressure);
    slip_tree *node = slip_tree_mapping(d->arena);
    if (linear)
        slip_draft_put(d, node, "linear", slip_tree_numbers(d->arena, 2, area->linear));
    else
        slip_draft_text(d, node, "expression", area->expression);
    return node;
}

static slip_tree *area_node(slip_draft *d, const slip_patch_options *area)
{
    slip_tree *node = slip_tree_mapping(d->arena);
    const bool table = strcmp(area->shape, "table") == 0;
    slip_draft_text(d, node, "shape", area->shape);
    slip_draft_number(d, node, "radius", area->radius);
    slip_draft_number(d, node, "inner", area->inner);
    slip_draft_number(d, node, "outer", area->outer);
    put_pair(d, node, "semi_axes", area->semi_axes);
    put_pair(d, node, "sides", area->sides);
    if (area->points)
        slip_draft_put(d, node, "points", points_node(d, area, table ? 3 : 2));
    slip_draft_text(d, node, "file", area->file);
    slip_draft_number(d, node, "size", area->size);
    if (!table && area->pressure)
        slip_draft_put(d, node, "pressure", pressure_node(d, area));
    return node;
}

static slip_tree *surface_node(slip_draft *d, const slip_patch_options *area)
{
    const bool integral = area->surface && strcmp(area->surface, "integral") == 0;
    slip_tree *node = slip_tree_mapping(d->arena);
    slip_draft_text(d, node, "type", area->surface);
    if (!integral || area->order[0] != 0 || area->order[1] != 0)
        slip_draft_put(d, node, "order",
                       slip_tree_numbers(d->arena, 2, (double[]){area->order[0], area->order[1]}));
    if (area->fit)
        slip_draft_text(d, node, "fit", "true");
    slip_draft_number(d, node, "m", area->m);
    slip_draft_number(d, node, "b", area->b);
    if (integral && area->table_tolerance >= 0)
        slip_draft_number(d, node, "tolerance", area->table_tolerance);
    return node;
}

static slip_tree *law_node(slip_draft *d, const slip_patch_options *area, const slip_law *law)
{
    slip_tree *node = slip_tree_mapping(d->arena);
    slip_draft_text(d, node, "type", area->epsilon > 0 ? "sqrt" : "coulomb");
    if (slip_build_law_expression(law, "mu"))
        slip_draft_text(d, node, "mu", slip_build_law_expression(law, "mu"));
    else
        slip_draft_number(d, node, "mu", law->mu);
    if (area->epsilon != 0)
        slip_draft_number(d, node, "epsilon", area->epsilon);
    slip_draft_number(d, node, "static_ratio", area->static_ratio);
    slip_draft_number(d, node, "eta_prime", area->eta_prime);
    slip_draft_put(d, node, "surface", surface_node(d, area));
    return node;
}

void slip_build_area(slip_draft *d, slip_tree *node, const slip_patch_options *area, const slip_law *law)
{
    slip_draft_put(d, node, "area", area_node(d, area));
    slip_draft_put(d, node, "law", law_node(d, area, law));
}
