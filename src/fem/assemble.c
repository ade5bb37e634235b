/* Stiffness and mass of a mesh. */
#include "fem/assemble.h"

#include "base/memory.h"

/* A matrix while it is put together. An item is an element with all of its unknowns, or one direction of it
 * where directions are not coupled, or a node. */
typedef struct job {
    const slip_mesh *mesh;
    const slip_elastic *elastic;
    const double *lumps; /* of each node */
    int each, per_item;  /* unknowns of a node; of them in an item */
} job;

static int node_count_of(const job *j, int64_t item)
{
    return j->lumps ? 1 : slip_mesh_group_of(j->mesh, (int)(item * j->per_item / j->each))->cell->node_count;
}

static void stiffness_of(const void *user, int64_t item, double *matrix)
{
    const job *j = user;
    const slip_element_type *type = slip_element_find(slip_mesh_group_of(j->mesh, (int)item)->cell);
    double points[slip_element_unknowns_max];
    slip_element_points(j->mesh, (int)item, points);
    type->stiffness(type, points, j->elastic, matrix);
}

static void mass_of(const void *user, int64_t item, double *matrix)
{
    const job *j = user;
    const int element = (int)(item / j->each);
    const slip_cell *cell = slip_mesh_group_of(j->mesh, element)->cell;
    const double density = j->elastic->density * j->elastic->thickness;
    double points[slip_element_unknowns_max];
    slip_element_points(j->mesh, element, points);
    slip_element_mass(slip_element_find(cell), points, matrix);
    for (int i = 0; i < cell->node_count * cell->node_count; i++)
        matrix[i] *= density;
}

static void lump_of(const void *user, int64_t item, double *matrix)
{
    const job *j = user;
    *matrix = j->lumps[item / j->each];
}

static int assemble(slip_context *ctx, const job *j, const int *number, int count,
                    slip_element_function function, slip_sparse **matrix)
{
    const int64_t items =
        (j->lumps ? j->mesh->node_count : j->mesh->element_count) * (int64_t)(j->each / j->per_item);
    int64_t total = 0;
    SLIP_FREED int64_t *start = slip_alloc(items + 1, sizeof *start);
    SLIP_FREED_BY(slip_assembly_drop) slip_assembly *assembly = NULL;
    *matrix = NULL;
    SLIP_PASS(slip_allocated(ctx, start));
    for (int64_t i = 0; i < items; i++)
        start[i + 1] = total += node_count_of(j, i) * j->per_item;
    SLIP_FREED int64_t *unknowns = slip_alloc(total, sizeof *unknowns);
    SLIP_PASS(slip_allocated(ctx, unknowns));
    for (int64_t i = 0; i < items; i++) {
        const int64_t first = i * j->per_item; /* unknown of the item, counted over nodes or elements */
        const int own = (int)(first / j->each), *nodes = j->lumps ? &own : slip_mesh_nodes(j->mesh, own);
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            const int at = (int)(k - start[i]), node = nodes[at / j->per_item];
            const int64_t free_node = number ? number[node] : node;
            unknowns[k] = free_node < 0 ? -1 : free_node * j->each + first % j->each + at % j->per_item;
        }
    }
    SLIP_PASS(slip_assembly_create(ctx, (int64_t)count * j->each, items, start, unknowns, &assembly));
    SLIP_PASS(slip_sparse_create(ctx, assembly, matrix));
    return slip_sparse_assemble(ctx, assembly, function, j, *matrix);
}

int slip_assemble_stiffness(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic,
                            const int *number, int count, slip_sparse **stiffness)
{
    const job j = {mesh, elastic, NULL, mesh->dimension, mesh->dimension};
    return assemble(ctx, &j, number, count, stiffness_of, stiffness);
}

int slip_assemble_mass(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic, int each,
                       const int *number, int count, slip_sparse **mass)
{
    const job j = {mesh, elastic, NULL, each, 1};
    return assemble(ctx, &j, number, count, mass_of, mass);
}

static int assemble_lumps(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic,
                          slip_sparse **mass)
{
    SLIP_FREED double *lumps = slip_alloc(mesh->node_count, sizeof *lumps);
    SLIP_PASS(slip_allocated(ctx, lumps));
    for (int e = 0; e < mesh->element_count; e++) {
        const slip_cell *cell = slip_mesh_group_of(mesh, e)->cell;
        double points[slip_element_unknowns_max], own[slip_cell_nodes_max];
        slip_element_points(mesh, e, points);
        slip_element_lumps(slip_element_find(cell), points, own);
        for (int a = 0; a < cell->node_count; a++)
            lumps[slip_mesh_nodes(mesh, e)[a]] += elastic->density * elastic->thickness * own[a];
    }
    const job j = {mesh, elastic, lumps, mesh->dimension, 1};
    return assemble(ctx, &j, NULL, mesh->node_count, lump_of, mass);
}

int slip_mesh_matrices(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic, bool lumped,
                       slip_sparse **stiffness, slip_sparse **mass)
{
    const int n = mesh->node_count;
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *k = NULL, *m = NULL;
    if (stiffness)
        SLIP_PASS(slip_assemble_stiffness(ctx, mesh, elastic, NULL, n, &k));
    if (mass)
        SLIP_PASS(lumped ? assemble_lumps(ctx, mesh, elastic, &m)
                         : slip_assemble_mass(ctx, mesh, elastic, mesh->dimension, NULL, n, &m));
    if (stiffness)
        SLIP_HAND(stiffness, k);
    if (mass)
        SLIP_HAND(mass, m);
    return SLIP_OK;
}
