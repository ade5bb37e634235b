/* The mesh of a whole gear. Numbering and sets are in the header. */
#include "gear/geometry/gear_mesh.h"

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
static void join_nodes(const slip_gear_mesh *gear, int *nodes)
{
    const slip_section *s = gear->section;
    for (int pitch = 0; pitch < s->teeth; pitch++)
        for (int quad = 0; quad < s->quad_count; quad++)
            for (int layer = 0; layer < s->counts.width; layer++)
                for (int k = 0; k < 8; k++)
                    *nodes++ = slip_gear_node(gear, pitch, s->quads[4 * quad + k % 4], layer + k / 4);
}

static int add_bore(slip_context *ctx, slip_gear_mesh *gear)
{
    const slip_section *s = gear->section;
    int layers = s->counts.width + 1, *items;
    SLIP_PASS(
        slip_mesh_add_set(ctx, gear->mesh, "bore", SLIP_SET_NODES, s->teeth * s->columns * layers, &items));
    for (int pitch = 0; pitch < s->teeth; pitch++)
        for (int c = 0; c < s->columns; c++)
            for (int layer = 0; layer < layers; layer++)
                items[(pitch * s->columns + c) * layers + layer] =
                    slip_gear_node(gear, pitch, slip_section_rim(s, 0, c), layer);
    return SLIP_OK;
}

static int add_side(slip_context *ctx, slip_gear_mesh *gear, const char *name, int layer)
{
    const slip_section *s = gear->section;
    int *items;
    SLIP_PASS(slip_mesh_add_set(ctx, gear->mesh, name, SLIP_SET_NODES, s->teeth * s->node_count, &items));
    for (int i = 0; i < s->teeth * s->node_count; i++)
        items[i] = i * (s->counts.width + 1) + layer;
    return SLIP_OK;
}

void slip_gear_flank_name(int flank, char name[slip_gear_flank_name_size])
{
    snprintf(name, slip_gear_flank_name_size, "tooth%d_%s", flank / 2 + 1, flank % 2 ? "left" : "right");
}

static int add_flank(slip_context *ctx, slip_gear_mesh *gear, int tooth, bool left)
{
    const slip_section *s = gear->section;
    int along = s->counts.flank + 1, layers = s->counts.width + 1, *items;
    char name[slip_gear_flank_name_size];
    slip_gear_flank_name(2 * tooth + left, name);
    SLIP_PASS(slip_mesh_add_set(ctx, gear->mesh, name, SLIP_SET_NODES, along * layers, &items));
    for (int layer = 0; layer < layers; layer++)
        for (int k = 0; k < along; k++)
            items[layer * along + k] = slip_gear_node(
                gear, tooth,
                slip_section_tooth(s, slip_section_flank_row(s, k), left ? s->counts.thickness : 0), layer);
    return SLIP_OK;
}

static int add_sets(slip_context *ctx, slip_gear_mesh *gear)
{
    const slip_section *s = gear->section;
    SLIP_PASS(add_bore(ctx, gear));
    SLIP_PASS(add_side(ctx, gear, "front", 0));
    SLIP_PASS(add_side(ctx, gear, "back", s->counts.width));
    for (int tooth = 0; tooth < s->teeth; tooth++) {
        SLIP_PASS(add_flank(ctx, gear, tooth, false));
        SLIP_PASS(add_flank(ctx, gear, tooth, true));
    }
    return SLIP_OK;
}

int slip_gear_mesh_create(slip_context *ctx, const slip_gear_options *options, slip_gear_mesh **mesh)
{
    SLIP_FREED_BY(slip_gear_mesh_drop) slip_gear_mesh *gear = slip_alloc(1, sizeof *gear);
    *mesh = NULL;
    SLIP_PASS(slip_allocated(ctx, gear));
    SLIP_PASS(slip_section_create(ctx, options, &gear->section));
    const slip_section *s = gear->section;
    int *nodes;
    gear->sector_nodes = s->node_count * (s->counts.width + 1);
    gear->sector_elements = s->quad_count * s->counts.width;
    SLIP_PASS(slip_mesh_create(ctx, 3, s->teeth * gear->sector_nodes, &gear->mesh));
    SLIP_PASS(
        slip_mesh_add_group(ctx, gear->mesh, &slip_cell_hex8, s->teeth * gear->sector_elements, &nodes));
    place_nodes(gear, options->width);
    join_nodes(gear, nodes);
    SLIP_PASS(add_sets(ctx, gear));
    SLIP_HAND(mesh, gear);
    return SLIP_OK;
}

void slip_gear_mesh_destroy(slip_gear_mesh *mesh)
{
    if (!mesh)
        return;
    slip_section_destroy(mesh->section);
    slip_mesh_destroy(mesh->mesh);
    free(mesh);
}

/* ---- One sector. */

static void fill_sector(const slip_gear_mesh *gear, slip_gear_sector *sector, double *points, int *elements,
                        bool *held, bool *middle)
{
    const slip_section *s = gear->section;
    int high = sector->layers + 1, count = sector->mesh.node_count;
    for (int k = 0; k < s->node_count; k++)
        for (int layer = 0; layer < high; layer++) {
            int node = k * high + layer;
            const double *from = &gear->mesh->points[3 * slip_gear_node(gear, 0, k, layer)];
            for (int d = 0; d < 3; d++)
                points[3 * node + d] = from[d];
            held[node] = k < s->columns; /* the first row is the bore */
            middle[node] = layer == sector->layers;
        }
    for (int quad = 0; quad < s->quad_count; quad++)
        for (int layer = 0; layer < sector->layers; layer++)
            for (int k = 0; k < 8; k++) {
                int node = s->quads[4 * quad + k % 4], own = node % s->node_count;
                *elements++ = own * high + layer + k / 4 + (node == own ? 0 : count);
            }
}

int slip_gear_sector_create(slip_context *ctx, const slip_gear_mesh *gear, slip_gear_sector **sector)
{
    const slip_section *s = gear->section;
    SLIP_FREED_BY(slip_gear_sector_drop) slip_gear_sector *r = slip_alloc(1, sizeof *r);
    *sector = NULL;
    SLIP_PASS(slip_allocated(ctx, r));
    bool halved = s->counts.width % 2 == 0;
    r->layers = halved ? s->counts.width / 2 : s->counts.width;
    int nodes = s->node_count * (r->layers + 1), elements = s->quad_count * r->layers;
    double *points = slip_arena_array(&r->arena, 3 * (int64_t)nodes, sizeof *points);
    int *list = slip_arena_array(&r->arena, 8 * (int64_t)elements, sizeof *list);
    bool *held = slip_arena_array(&r->arena, nodes, sizeof *held);
    bool *middle = slip_arena_array(&r->arena, nodes, sizeof *middle);
    SLIP_PASS(slip_allocated(ctx, points && list && held && middle));
    r->mesh = (slip_sector_mesh){.sectors = s->teeth,
                                 .node_count = nodes,
                                 .points = points,
                                 .element_count = elements,
                                 .elements = list,
                                 .held = held,
                                 .middle = halved ? middle : NULL};
    fill_sector(gear, r, points, list, held, middle);
    SLIP_HAND(sector, r);
    return SLIP_OK;
}

SLIP_DESTROY(slip_gear_sector)
