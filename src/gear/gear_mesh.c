/* The mesh of a whole gear. Numbering and sets are in the header. */
#include "gear/gear_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void place_nodes(slip_gear_mesh *gear, double width)
{
    const slip_section *s = gear->section;
    int layers = s->counts.width;
    for (int pitch = 0; pitch < s->teeth; pitch++) {
        double turn = 2 * pi * pitch / s->teeth, cosine = cos(turn), sine = sin(turn);
        for (int k = 0; k < s->node_count; k++)
            for (int layer = 0; layer <= layers; layer++) {
                double *p = &gear->mesh->points[3 * slip_gear_node(gear, pitch, k, layer)];
                const double *plane = &s->points[2 * k];
                p[0] = cosine * plane[0] - sine * plane[1];
                p[1] = sine * plane[0] + cosine * plane[1];
                p[2] = width * ((double)(2 * layer - layers) / (2 * layers));
            }
    }
}

/* Element (pitch, quad of the section, layer) in that order. */
static void join_nodes(slip_gear_mesh *gear)
{
    const slip_section *s = gear->section;
    int *nodes = gear->mesh->groups[0].nodes;
    for (int pitch = 0; pitch < s->teeth; pitch++)
        for (int quad = 0; quad < s->quad_count; quad++)
            for (int layer = 0; layer < s->counts.width; layer++)
                for (int k = 0; k < 8; k++)
                    *nodes++ = slip_gear_node(gear, pitch, s->quads[4 * quad + k % 4], layer + k / 4);
}

/* A new set of `count` nodes; NULL when out of memory. */
static int *add_set(slip_mesh *mesh, const char *name, int count)
{
    slip_mesh_set *set = &mesh->sets[mesh->set_count++];
    *set = (slip_mesh_set){.name = slip_arena_string(&mesh->arena, name),
                           .kind = SLIP_SET_NODES,
                           .count = count,
                           .items = slip_arena_array(&mesh->arena, count, sizeof *set->items)};
    return set->name ? set->items : NULL;
}

static bool add_bore(slip_gear_mesh *gear)
{
    const slip_section *s = gear->section;
    int layers = s->counts.width + 1;
    int *items = add_set(gear->mesh, "bore", s->teeth * s->columns * layers);
    for (int pitch = 0; items && pitch < s->teeth; pitch++)
        for (int c = 0; c < s->columns; c++)
            for (int layer = 0; layer < layers; layer++)
                items[(pitch * s->columns + c) * layers + layer] =
                    slip_gear_node(gear, pitch, slip_section_rim(s, 0, c), layer);
    return items != NULL;
}

static bool add_side(slip_gear_mesh *gear, const char *name, int layer)
{
    const slip_section *s = gear->section;
    int *items = add_set(gear->mesh, name, s->teeth * s->node_count);
    for (int i = 0; items && i < s->teeth * s->node_count; i++)
        items[i] = i * (s->counts.width + 1) + layer;
    return items != NULL;
}

static bool add_flank(slip_gear_mesh *gear, int tooth, bool left)
{
    const slip_section *s = gear->section;
    int along = s->counts.flank + 1, layers = s->counts.width + 1;
    char name[40];
    snprintf(name, sizeof name, "tooth%d_%s", tooth + 1, left ? "left" : "right");
    int *items = add_set(gear->mesh, name, along * layers);
    for (int layer = 0; items && layer < layers; layer++)
        for (int k = 0; k < along; k++)
            items[layer * along + k] = slip_gear_node(
                gear, tooth,
                slip_section_tooth(s, slip_section_flank_row(s, k), left ? s->counts.thickness : 0), layer);
    return items != NULL;
}

static bool add_sets(slip_gear_mesh *gear)
{
    const slip_section *s = gear->section;
    bool fine = add_bore(gear) && add_side(gear, "front", 0) && add_side(gear, "back", s->counts.width);
    for (int tooth = 0; fine && tooth < s->teeth; tooth++)
        fine = add_flank(gear, tooth, false) && add_flank(gear, tooth, true);
    return fine;
}

static int allocate(slip_context *ctx, slip_gear_mesh *gear)
{
    const slip_section *s = gear->section;
    slip_mesh *mesh = gear->mesh = slip_alloc(1, sizeof *mesh);
    if (!mesh)
        return slip_fail_memory(ctx);
    gear->sector_nodes = s->node_count * (s->counts.width + 1);
    gear->sector_elements = s->quad_count * s->counts.width;
    mesh->dimension = 3;
    mesh->node_count = s->teeth * gear->sector_nodes;
    mesh->element_count = s->teeth * gear->sector_elements;
    mesh->points = slip_arena_array(&mesh->arena, 3 * (int64_t)mesh->node_count, sizeof *mesh->points);
    mesh->groups = slip_arena_array(&mesh->arena, 1, sizeof *mesh->groups);
    mesh->sets = slip_arena_array(&mesh->arena, 3 + 2 * s->teeth, sizeof *mesh->sets);
    if (!mesh->points || !mesh->groups || !mesh->sets)
        return slip_fail_memory(ctx);
    mesh->group_count = 1;
    mesh->groups[0] = (slip_mesh_group){
        .cell = slip_cell_find("hex8"),
        .count = mesh->element_count,
        .nodes = slip_arena_array(&mesh->arena, 8 * (int64_t)mesh->element_count, sizeof(int))};
    return mesh->groups[0].nodes ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_gear_mesh_create(slip_context *ctx, const slip_gear_options *options, slip_gear_mesh **mesh)
{
    int status;
    slip_gear_mesh *gear = *mesh = slip_alloc(1, sizeof *gear);
    if (!gear)
        return slip_fail_memory(ctx);
    SLIP_TRY(slip_section_create(ctx, options, &gear->section));
    SLIP_TRY(allocate(ctx, gear));
    place_nodes(gear, options->width);
    join_nodes(gear);
    if (!add_sets(gear))
        status = slip_fail_memory(ctx);
done:
    if (status < 0) {
        slip_gear_mesh_destroy(gear);
        *mesh = NULL;
    }
    return status;
}

void slip_gear_mesh_destroy(slip_gear_mesh *mesh)
{
    if (!mesh)
        return;
    slip_section_destroy(mesh->section);
    slip_mesh_destroy(mesh->mesh);
    free(mesh);
}
