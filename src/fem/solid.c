/* An elastic body in space. Conventions are in the header. */
#include "fem/solid.h"

#include "base/memory.h"
#include "fem/assemble.h"
#include "math/groups.h"

#include <stdlib.h>
#include <string.h>

/* ---- Checks. */

int slip_solid_check(slip_context *ctx, const char *name, const slip_mesh *mesh)
{
    if (mesh->dimension != 3)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found a plane mesh, expected one in space", name);
    if (mesh->element_count == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: the mesh has no elements", name);
    for (int e = 0; e < mesh->element_count; e++) {
        const slip_element_type *type = slip_element_find(slip_mesh_group_of(mesh, e)->cell);
        double points[slip_element_unknowns_max];
        int node;
        slip_element_points(mesh, e, points);
        if (slip_element_quality(type, points, &node) > 0)
            continue;
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "%s: element %lld of the mesh is inside out at its node %d (number %lld, at %g, %g, %g)", name,
            slip_mesh_element_label(mesh, e), node + 1,
            slip_mesh_node_label(mesh, slip_mesh_nodes(mesh, e)[node]), points[3 * node],
            points[3 * node + 1], points[3 * node + 2]);
    }
    return SLIP_OK;
}

int slip_solid_check_bricks(slip_context *ctx, const char *name, const slip_mesh *mesh)
{
    for (int g = 0; g < mesh->group_count; g++)
        if (mesh->groups[g].cell != &slip_cell_hex8)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: the mesh has elements of type %s: expected hex8 only", name,
                             mesh->groups[g].cell->name);
    return slip_solid_check(ctx, name, mesh);
}

/* Fails unless every node has an element and every connected part held nodes. parent: scratch, one a node. */
static int check_connected(slip_context *ctx, const char *name, const slip_mesh *mesh,
                           const slip_mesh_set *held, int *parent)
{
    int n = mesh->node_count;
    SLIP_FREED bool *good = slip_alloc(n, sizeof *good);
    SLIP_PASS(slip_allocated(ctx, good));
    for (int i = 0; i < n; i++)
        parent[i] = i;
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(mesh, e);
        for (int k = 0; k < slip_mesh_group_of(mesh, e)->cell->node_count; k++) {
            slip_group_join(parent, nodes[0], nodes[k]);
            good[nodes[k]] = true;
        }
    }
    for (int i = 0; i < n; i++)
        if (!good[i])
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: node %lld of the mesh belongs to no element", name,
                             slip_mesh_node_label(mesh, i));
    for (int i = 0; i < n; i++)
        good[i] = false;
    for (int i = 0; i < held->count; i++)
        good[slip_group_of(parent, held->items[i])] = true;
    for (int i = 0; i < n; i++)
        if (!good[slip_group_of(parent, i)])
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "%s: the part of the mesh around node %lld (at %g, %g, %g) is not connected with "
                "anything that is held",
                name, slip_mesh_node_label(mesh, i), mesh->points[3 * i], mesh->points[3 * i + 1],
                mesh->points[3 * i + 2]);
    return SLIP_OK;
}

/* ---- Assembly. */

static void lump(slip_solid *s)
{
    for (int e = 0; e < s->mesh->element_count; e++) {
        const slip_cell *cell = slip_mesh_group_of(s->mesh, e)->cell;
        const int *nodes = slip_mesh_nodes(s->mesh, e);
        double points[slip_element_unknowns_max], lumps[slip_cell_nodes_max];
        slip_element_points(s->mesh, e, points);
        slip_element_lumps(slip_element_find(cell), points, lumps);
        for (int k = 0; k < cell->node_count; k++)
            if (s->free[nodes[k]] >= 0)
                s->lumps[s->free[nodes[k]]] += s->options.density * lumps[k];
    }
}

static int number_nodes(slip_context *ctx, slip_solid *s, const slip_mesh_set *held)
{
    int n = s->mesh->node_count;
    for (int i = 0; i < held->count; i++)
        s->free[held->items[i]] = -1;
    for (int i = 0; i < n; i++)
        if (s->free[i] >= 0) {
            s->node[s->free_count] = i;
            s->free[i] = s->free_count++;
        }
    return s->free_count > 0 ? SLIP_OK : slip_fail(ctx, SLIP_ERROR_MODEL, "the whole body is held");
}

slip_elastic slip_solid_elastic(const slip_solid_options *options)
{
    slip_elastic elastic = slip_elastic_make(SLIP_SOLID, options->young, options->poisson, 1);
    elastic.density = options->density;
    elastic.incompatible = !options->compatible;
    return elastic;
}

int slip_solid_create(slip_context *ctx, const char *name, const slip_mesh *mesh, const slip_mesh_set *held,
                      const slip_solid_options *options, slip_solid **solid)
{
    SLIP_FREED_BY(slip_solid_drop) slip_solid *s = slip_alloc(1, sizeof *s);
    *solid = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    s->mesh = mesh;
    s->options = *options;
    s->free = slip_arena_array(&s->arena, mesh->node_count, sizeof *s->free);
    s->node = slip_arena_array(&s->arena, mesh->node_count, sizeof *s->node);
    s->lumps = slip_arena_array(&s->arena, mesh->node_count, sizeof *s->lumps);
    SLIP_PASS(slip_allocated(ctx, s->free && s->node && s->lumps));
    if (!held || held->count == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: no node of the body is held", name);
    SLIP_PASS(slip_solid_check(ctx, name, mesh));
    SLIP_PASS(check_connected(ctx, name, mesh, held, s->node));
    SLIP_PASS(number_nodes(ctx, s, held));
    const slip_elastic elastic = slip_solid_elastic(options);
    SLIP_PASS(slip_assemble_stiffness(ctx, mesh, &elastic, s->free, s->free_count, &s->stiffness));
    if (!options->lumped)
        SLIP_PASS(slip_assemble_mass(ctx, mesh, &elastic, 1, s->free, s->free_count, &s->mass));
    lump(s);
    SLIP_HAND(solid, s);
    return SLIP_OK;
}

void slip_solid_destroy(slip_solid *s)
{
    if (!s)
        return;
    slip_sparse_destroy(s->stiffness);
    slip_sparse_destroy(s->mass);
    slip_arena_free(&s->arena);
    free(s);
}

/* ---- Use. */

static void multiply_lumped(const slip_solid *s, const double *x, double *product)
{
    for (int i = 0; i < s->free_count; i++)
        for (int d = 0; d < 3; d++)
            product[3 * i + d] = s->lumps[i] * x[3 * i + d];
}

/* `count` vectors (at most 4) at a time, since reading the matrix takes longer than the products. */
static inline void multiply_consistent(const slip_solid *s, int count, const double *x, double *product)
{
    const slip_sparse *m = s->mass;
    const int64_t n = 3 * m->size;
    memset(product, 0, sizeof(double) * (size_t)(n * count));
    for (int64_t j = 0; j < m->size; j++) {
        double sum[4][3] = {{0}};
        int64_t p = m->start[j];
        for (int k = 0; k < count; k++) /* the diagonal is first */
            for (int d = 0; d < 3; d++)
                sum[k][d] = m->value[p] * x[k * n + 3 * j + d];
        for (p++; p < m->start[j + 1]; p++) {
            const int64_t i = m->row[p];
            const double value = m->value[p];
            for (int k = 0; k < count; k++)
                for (int d = 0; d < 3; d++) {
                    product[k * n + 3 * i + d] += value * x[k * n + 3 * j + d];
                    sum[k][d] += value * x[k * n + 3 * i + d];
                }
        }
        for (int k = 0; k < count; k++)
            for (int d = 0; d < 3; d++)
                product[k * n + 3 * j + d] += sum[k][d];
    }
}

void slip_solid_mass(const slip_solid *s, int64_t count, const double *x, double *product)
{
    const int64_t n = 3 * (int64_t)s->free_count;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k += 4) {
        const int here = count - k < 4 ? (int)(count - k) : 4;
        if (!s->mass)
            for (int i = 0; i < here; i++)
                multiply_lumped(s, x + (k + i) * n, product + (k + i) * n);
        else if (here == 4)
            multiply_consistent(s, 4, x + k * n, product + k * n);
        else
            multiply_consistent(s, here, x + k * n, product + k * n);
    }
}

void slip_solid_inertia(const slip_solid *s, double *mass, double first[3], double second[6])
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    *mass = 0;
    memset(first, 0, 3 * sizeof *first);
    memset(second, 0, 6 * sizeof *second);
    for (int e = 0; e < s->mesh->element_count; e++) {
        const slip_cell *cell = slip_mesh_group_of(s->mesh, e)->cell;
        const int n = cell->node_count;
        double points[slip_element_unknowns_max], matrix[slip_cell_nodes_max * slip_cell_nodes_max];
        slip_element_points(s->mesh, e, points);
        slip_element_mass(slip_element_find(cell), points, matrix);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) {
                double value = s->options.density * matrix[n * a + b];
                *mass += value;
                for (int d = 0; d < 3; d++)
                    first[d] += value * points[3 * a + d];
                for (int d = 0; d < 6; d++)
                    second[d] += value * points[3 * a + pair[d][0]] * points[3 * b + pair[d][1]];
            }
    }
}

void slip_solid_plane_load(const slip_solid *s, bool spread, double *load)
{
    const bool lumped = s->options.lumped;
    memset(load, 0, sizeof *load * 3 * (size_t)s->free_count);
    for (int e = 0; e < s->mesh->element_count; e++) {
        const slip_cell *cell = slip_mesh_group_of(s->mesh, e)->cell;
        const int *nodes = slip_mesh_nodes(s->mesh, e), n = cell->node_count;
        double points[slip_element_unknowns_max], matrix[slip_cell_nodes_max * slip_cell_nodes_max];
        slip_element_points(s->mesh, e, points);
        if (lumped)
            slip_element_lumps(slip_element_find(cell), points, matrix);
        else
            slip_element_mass(slip_element_find(cell), points, matrix);
        for (int a = 0; a < n; a++)
            for (int b = lumped ? a : 0; b < (lumped ? a + 1 : n); b++) {
                int to = s->free[nodes[a]];
                double value = s->options.density * matrix[lumped ? a : n * a + b];
                if (to < 0)
                    continue;
                load[3 * to] += value * (spread ? points[3 * b] : -points[3 * b + 1]);
                load[3 * to + 1] += value * points[3 * b + spread];
            }
    }
}
