/* Linear elastic bodies, element by element. */
#include "slipstick/pieces.h"

#include "fem/plane/plane.h"
#include "fem/solid.h"
#include "gear/geometry/gear_mesh.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

typedef struct part {
    const slip_mesh *mesh;
    slip_elastic elastic;
    int64_t first_node, first_element;
} part;

struct slip_pieces {
    slip_pieces_counts counts;
    part *parts;
    int part_count;
    int64_t *unknowns;    /* of the displacements of all nodes */
    slip_plane *plane;    /* of the model; NULL of a gear */
    slip_gear_mesh *gear; /* owned, as its mesh file is; NULL */
    slip_mesh *file;
};

/* ---- Making. */

static int allocate(slip_context *ctx, slip_pieces *p, int parts)
{
    p->parts = slip_alloc(parts, sizeof *p->parts);
    p->part_count = p->parts ? parts : 0;
    return p->parts ? SLIP_OK : slip_fail_memory(ctx);
}

static void add_part(slip_pieces *p, part *to, const slip_mesh *mesh, const slip_elastic *elastic)
{
    *to = (part){mesh, *elastic, p->counts.nodes, p->counts.elements};
    p->counts.dimension = mesh->dimension;
    p->counts.nodes += mesh->node_count;
    p->counts.elements += mesh->element_count;
}

static int take_bodies(slip_context *ctx, const slip_model *model, slip_pieces *p)
{
    p->plane = model->plane ? model->plane : model->bodies ? model->bodies->plane : NULL;
    if (!p->plane || slip_plane_body_count(p->plane) == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "the model has no section `bodies`; of a gear give its name");
    const int count = slip_plane_body_count(p->plane);
    SLIP_PASS(allocate(ctx, p, count));
    SLIP_PASS(slip_plane_number(ctx, p->plane));
    for (int k = 0; k < count; k++) {
        if (slip_plane_body_stiffness(p->plane, k))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "body `%s` is given by its matrices, expected elements",
                             slip_plane_body_name(p->plane, k));
        if (slip_plane_body_springs(p->plane, k) || slip_plane_body_dashpots(p->plane, k))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "body `%s` is on springs, which are no elements; expected supports (fix) alone",
                             slip_plane_body_name(p->plane, k));
        add_part(p, &p->parts[k], slip_plane_body_mesh(p->plane, k), slip_plane_body_elastic(p->plane, k));
    }
    const int64_t all = p->counts.dimension * p->counts.nodes;
    p->unknowns = slip_alloc(all + 1, sizeof *p->unknowns);
    SLIP_PASS(slip_allocated(ctx, p->unknowns));
    for (int64_t c = 0; c < all; c++)
        p->unknowns[c] = slip_plane_unknown(p->plane, c);
    p->counts.unknowns = slip_plane_unknown_count(p->plane);
    return SLIP_OK;
}

static int take_gear(slip_context *ctx, const slip_gear_options *gear, slip_pieces *p)
{
    const slip_solid_options solid = {gear->young, gear->poisson, gear->density,
                                      strcmp(gear->element, "full") == 0, false};
    const slip_elastic elastic = slip_solid_elastic(&solid);
    const char *bore = gear->mesh_file ? gear->bore_set : "bore";
    SLIP_PASS(allocate(ctx, p, 1));
    SLIP_PASS(gear->mesh_file ? slip_mesh_read(ctx, gear->mesh_file, &p->file)
                              : slip_gear_mesh_create(ctx, gear, &p->gear));
    const slip_mesh *mesh = p->file ? p->file : p->gear->mesh;
    SLIP_PASS(slip_solid_check(ctx, gear->name, mesh));
    const slip_mesh_set *held = slip_mesh_find(mesh, bore, SLIP_SET_NODES);
    if (!held)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: the mesh has no set of nodes `%s`", gear->name, bore);
    add_part(p, &p->parts[0], mesh, &elastic);
    p->unknowns = slip_alloc(3 * p->counts.nodes + 1, sizeof *p->unknowns);
    SLIP_PASS(slip_allocated(ctx, p->unknowns));
    for (int i = 0; i < held->count; i++)
        for (int d = 0; d < 3; d++)
            p->unknowns[3 * (int64_t)held->items[i] + d] = -1;
    for (int64_t c = 0; c < 3 * p->counts.nodes; c++)
        if (p->unknowns[c] == 0)
            p->unknowns[c] = p->counts.unknowns++;
    return SLIP_OK;
}

int slip_pieces_create(slip_context *ctx, const slip_model *model, const char *gear, slip_pieces **pieces)
{
    SLIP_NEED_FOR(pieces, ctx, model);
    slip_pieces *p = slip_alloc(1, sizeof *p);
    const slip_gear_options *found = NULL;
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(slip_allocated(ctx, p));
    for (int k = 0; gear && k < model->gear_count; k++)
        if (strcmp(model->gears[k].name, gear) == 0)
            found = &model->gears[k];
    if (gear && !found)
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "the model has no gear `%s`", gear);
    else
        status = found ? take_gear(ctx, found, p) : take_bodies(ctx, model, p);
done:
    if (status < 0)
        slip_pieces_destroy(p);
    else
        *pieces = p;
    return status;
}

void slip_pieces_destroy(slip_pieces *p)
{
    if (!p)
        return;
    slip_gear_mesh_destroy(p->gear);
    slip_mesh_destroy(p->file);
    free(p->unknowns);
    free(p->parts);
    free(p);
}

/* ---- Access. */

slip_pieces_counts slip_pieces_size(const slip_pieces *p)
{
    return p ? p->counts : (slip_pieces_counts){0};
}

int64_t slip_pieces_unknown(const slip_pieces *p, int64_t node, int direction)
{
    return p->unknowns[p->counts.dimension * node + direction];
}

static const part *part_of(const slip_pieces *p, int64_t number, bool element)
{
    int k = 0;
    while (k + 1 < p->part_count &&
           number >= (element ? p->parts[k + 1].first_element : p->parts[k + 1].first_node))
        k++;
    return &p->parts[k];
}

void slip_pieces_place(const slip_pieces *p, int64_t node, double *place)
{
    const part *own = part_of(p, node, false);
    const int d = p->counts.dimension;
    memcpy(place, own->mesh->points + d * (node - own->first_node), (size_t)d * sizeof *place);
}

int slip_pieces_element(const slip_pieces *p, int64_t element, int64_t nodes[slip_pieces_nodes_max],
                        double *stiffness, double *mass)
{
    const part *own = part_of(p, element, true);
    const int at = (int)(element - own->first_element), *of_mesh = slip_mesh_nodes(own->mesh, at);
    const slip_element_type *type = slip_element_find(slip_mesh_group_of(own->mesh, at)->cell);
    const int count = slip_mesh_group_of(own->mesh, at)->cell->node_count;
    double points[slip_element_unknowns_max];
    for (int k = 0; k < count; k++)
        nodes[k] = own->first_node + of_mesh[k];
    slip_element_points(own->mesh, at, points);
    if (stiffness)
        type->stiffness(type, points, &own->elastic, stiffness);
    if (mass)
        slip_element_mass(type, points, mass);
    for (int k = 0; k < count * count && mass; k++)
        mass[k] *= own->elastic.density * own->elastic.thickness;
    return count;
}

int slip_pieces_force(slip_context *ctx, slip_pieces *pieces, double *force)
{
    SLIP_NEED(ctx, pieces, force);
    slip_pieces *p = pieces;
    const slip_expression *history;
    double place[3];
    slip_context_clear(ctx);
    memset(force, 0, (size_t)p->counts.unknowns * sizeof *force);
    if (!p->plane)
        return SLIP_OK;
    if (slip_plane_load_count(p->plane) > 1)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "a load of the bodies changes with time: expected constant loads");
    return slip_plane_load(ctx, p->plane, slip_plane_parameter_values(p->plane), 0, force, place, &history);
}
