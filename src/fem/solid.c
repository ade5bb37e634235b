/* An elastic body in space. Conventions are in the header. */
#include "fem/solid.h"

#include "base/memory.h"
#include "fem/hex8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void element_points(const slip_mesh *mesh, int64_t element, double points[24])
{
    const int *nodes = slip_mesh_nodes(mesh, (int)element);
    for (int k = 0; k < 8; k++)
        memcpy(points + 3 * k, &mesh->points[3 * (size_t)nodes[k]], 3 * sizeof *points);
}

/* ---- Checks. */

int slip_solid_check(slip_context *ctx, const char *name, const slip_mesh *mesh)
{
    static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    for (int g = 0; g < mesh->group_count; g++)
        if (strcmp(mesh->groups[g].cell->name, "hex8") != 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: the mesh has elements of type %s: expected hex8 only", name,
                             mesh->groups[g].cell->name);
    if (mesh->element_count == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: the mesh has no elements", name);
    for (int e = 0; e < mesh->element_count; e++) {
        double points[24], value[8], slope[24];
        element_points(mesh, e, points);
        for (int k = 0; k < 8; k++)
            if (!(slip_hex8_gradient(points, corner[k], value, slope) > 0))
                return slip_fail(
                    ctx, SLIP_ERROR_MODEL,
                    "%s: element %lld of the mesh is inside out at its node %d (number %lld, at %g, %g, %g)",
                    name, slip_mesh_element_label(mesh, e), k + 1,
                    slip_mesh_node_label(mesh, slip_mesh_nodes(mesh, e)[k]), points[3 * k], points[3 * k + 1],
                    points[3 * k + 2]);
    }
    return SLIP_OK;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Every node belongs to an element, and every part is held somewhere. `parent` is scratch, one for each node.
 */
static int check_connected(slip_context *ctx, const char *name, const slip_mesh *mesh,
                           const slip_mesh_set *held, int *parent)
{
    int n = mesh->node_count, status = SLIP_OK;
    bool *good = slip_alloc(n, sizeof *good);
    if (!good)
        return slip_fail_memory(ctx);
    for (int i = 0; i < n; i++)
        parent[i] = i;
    for (int e = 0; e < mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(mesh, e);
        for (int k = 0; k < 8; k++) {
            parent[root_of(parent, nodes[k])] = root_of(parent, nodes[0]);
            good[nodes[k]] = true;
        }
    }
    for (int i = 0; i < n && status >= 0; i++)
        if (!good[i])
            status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s: node %lld of the mesh belongs to no element", name,
                               slip_mesh_node_label(mesh, i));
    memset(good, 0, sizeof(bool) * (size_t)n);
    for (int i = 0; i < held->count; i++)
        good[root_of(parent, held->items[i])] = true;
    for (int i = 0; i < n && status >= 0; i++)
        if (!good[root_of(parent, i)])
            status =
                slip_fail(ctx, SLIP_ERROR_MODEL,
                          "%s: the part of the mesh around node %lld (at %g, %g, %g) is not connected with "
                          "anything that is held",
                          name, slip_mesh_node_label(mesh, i), mesh->points[3 * i], mesh->points[3 * i + 1],
                          mesh->points[3 * i + 2]);
    free(good);
    return status;
}

/* ---- Assembly. */

typedef struct slip_solid_job {
    const slip_mesh *mesh;
    slip_hex8_material material;
    double density;
} slip_solid_job;

static void stiffness_of(const void *user, int64_t element, double *matrix)
{
    const slip_solid_job *job = user;
    double points[24];
    element_points(job->mesh, element, points);
    slip_hex8_stiffness(&job->material, points, matrix);
}

static void mass_of(const void *user, int64_t element, double *matrix)
{
    const slip_solid_job *job = user;
    double points[24];
    element_points(job->mesh, element, points);
    slip_hex8_mass(points, matrix);
    for (int i = 0; i < 64; i++)
        matrix[i] *= job->density;
}

/* The matrix of all elements, with `each` unknowns a node. */
static int assemble(slip_context *ctx, const slip_solid *s, int each, slip_element_function function,
                    const slip_solid_job *job, slip_sparse **matrix)
{
    int64_t elements = s->mesh->element_count;
    int status;
    slip_assembly *assembly = NULL;
    int64_t *start = slip_alloc(elements + 1, sizeof *start);
    int64_t *unknowns = slip_alloc(elements * 8 * each, sizeof *unknowns);
    if (!start || !unknowns) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    for (int64_t e = 0; e < elements; e++) {
        const int *nodes = slip_mesh_nodes(s->mesh, (int)e);
        start[e + 1] = (e + 1) * 8 * each;
        for (int k = 0; k < 8; k++)
            for (int d = 0; d < each; d++) {
                int64_t free_node = s->free[nodes[k]];
                unknowns[(e * 8 + k) * each + d] = free_node < 0 ? -1 : free_node * each + d;
            }
    }
    SLIP_TRY(slip_assembly_create(ctx, (int64_t)s->free_count * each, elements, start, unknowns, &assembly));
    SLIP_TRY(slip_sparse_create(ctx, assembly, matrix));
    SLIP_TRY(slip_sparse_assemble(ctx, assembly, function, job, *matrix));
done:
    free(start);
    free(unknowns);
    slip_assembly_destroy(assembly);
    return status;
}

static void lump(slip_solid *s)
{
    for (int e = 0; e < s->mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(s->mesh, e);
        double points[24], lumps[8];
        element_points(s->mesh, e, points);
        slip_hex8_lumps(points, lumps);
        for (int k = 0; k < 8; k++)
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

int slip_solid_create(slip_context *ctx, const char *name, const slip_mesh *mesh, const slip_mesh_set *held,
                      const slip_solid_options *options, slip_solid **solid)
{
    int status;
    slip_solid *s = *solid = slip_alloc(1, sizeof *s);
    if (!s)
        return slip_fail_memory(ctx);
    s->mesh = mesh;
    s->options = *options;
    s->free = slip_alloc(mesh->node_count, sizeof *s->free);
    s->node = slip_alloc(mesh->node_count, sizeof *s->node);
    s->lumps = slip_alloc(mesh->node_count, sizeof *s->lumps);
    if (!s->free || !s->node || !s->lumps) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (!held || held->count == 0) {
        status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s: no node of the body is held", name);
        goto done;
    }
    SLIP_TRY(slip_solid_check(ctx, name, mesh));
    SLIP_TRY(check_connected(ctx, name, mesh, held, s->node));
    SLIP_TRY(number_nodes(ctx, s, held));
    const slip_solid_job job = {
        mesh, slip_hex8_material_make(options->young, options->poisson, !options->compatible),
        options->density};
    SLIP_TRY(assemble(ctx, s, 3, stiffness_of, &job, &s->stiffness));
    if (!options->lumped)
        SLIP_TRY(assemble(ctx, s, 1, mass_of, &job, &s->mass));
    lump(s);
done:
    if (status < 0) {
        slip_solid_destroy(s);
        *solid = NULL;
    }
    return status;
}

void slip_solid_destroy(slip_solid *s)
{
    if (!s)
        return;
    slip_sparse_destroy(s->stiffness);
    slip_sparse_destroy(s->mass);
    free(s->free);
    free(s->node);
    free(s->lumps);
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
        double points[24], matrix[64];
        element_points(s->mesh, e, points);
        slip_hex8_mass(points, matrix);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                double value = s->options.density * matrix[8 * a + b];
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
    memset(load, 0, sizeof *load * 3 * (size_t)s->free_count);
    for (int e = 0; e < s->mesh->element_count; e++) {
        const int *nodes = slip_mesh_nodes(s->mesh, e);
        double points[24], matrix[64];
        element_points(s->mesh, e, points);
        slip_hex8_mass(points, matrix);
        for (int a = 0; a < 8; a++)
            for (int b = 0; b < 8; b++) {
                int to = s->free[nodes[a]];
                const double *at = points + 3 * (s->options.lumped ? a : b);
                double value = s->options.density * matrix[8 * a + b];
                if (to < 0)
                    continue;
                load[3 * to] += value * (spread ? at[0] : -at[1]);
                load[3 * to + 1] += value * (spread ? at[1] : at[0]);
            }
    }
}
