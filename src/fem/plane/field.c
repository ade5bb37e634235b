/* The whole field: energy, stresses, reactions, VTU. */
#include "fem/brick_stress.h"
#include "fem/hex8.h"
#include "fem/plane/types.h"

#include "io/vtu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An element with its displacements. */
typedef struct element_view {
    const slip_plane_body *body;
    const slip_element_type *type;
    int node_count;
    double points[slip_plane_unknowns_max], displacements[slip_plane_unknowns_max];
    int components[slip_plane_unknowns_max];
} element_view;

static element_view view_element(const slip_plane *plane, int element, const double *u)
{
    element_view v;
    v.type = slip_plane_element(plane, element, &v.body, v.points, v.components);
    v.node_count = v.type->cell->node_count;
    for (int i = 0; i < plane->dimension * v.node_count; i++)
        v.displacements[i] = u[v.components[i]];
    return v;
}

/* Forces that the element's nodes need for its displacements. */
static void element_forces(const element_view *v, double *forces)
{
    double matrix[slip_plane_unknowns_max * slip_plane_unknowns_max];
    const int n = v->type->cell->dimension * v->node_count;
    v->type->stiffness(v->type, v->points, &v->body->elastic, matrix);
    for (int i = 0; i < n; i++) {
        forces[i] = 0;
        for (int j = 0; j < n; j++)
            forces[i] += matrix[i * n + j] * v->displacements[j];
    }
}

int slip_plane_energy(slip_context *ctx, const slip_plane *plane, const double *u, double *energy)
{
    double forces[slip_plane_unknowns_max];
    (void)ctx;
    for (int b = 0; b < plane->body_count; b++)
        energy[b] = 0;
    for (int e = 0; e < plane->element_count; e++) {
        const element_view v = view_element(plane, e, u);
        element_forces(&v, forces);
        for (int i = 0; i < plane->dimension * v.node_count; i++)
            energy[v.body - plane->bodies] += forces[i] * v.displacements[i] / 2;
    }
    return SLIP_OK;
}

/* Cauchy stresses at the nodes of a brick with large strains, xx, yy, zz, xy, yz, zx of each. */
static void large_stresses(const element_view *v, double *stress)
{
    static const int order[6] = {0, 1, 2, 5, 3, 4};
    const slip_elastic *elastic = &v->body->elastic;
    const slip_hex8_material material = slip_hex8_material_make(elastic->young, elastic->poisson, false);
    double moved[24], nodal[8][6];
    for (int i = 0; i < 24; i++)
        moved[i] = v->points[i] + v->displacements[i];
    slip_brick_nodal_stresses(v->points, moved, v->body->hourglass > 0, material.lambda, material.mu, nodal);
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 6; k++)
            stress[6 * a + k] = nodal[a][order[k]];
}

int slip_plane_stress_count(const slip_plane *plane)
{
    return plane->dimension == 3 ? 6 : 4;
}

int slip_plane_stresses(slip_context *ctx, const slip_plane *plane, const double *u, double *stress)
{
    const int d = plane->dimension, stress_count = slip_plane_stress_count(plane);
    SLIP_FREED int *around = slip_alloc(plane->node_count, sizeof *around);
    double own[slip_plane_nodes_max * slip_element_strains_max];
    SLIP_PASS(slip_allocated(ctx, around));
    memset(stress, 0, (size_t)stress_count * (size_t)plane->node_count * sizeof *stress);
    for (int e = 0; e < plane->element_count; e++) {
        const element_view v = view_element(plane, e, u);
        if (v.body->large)
            large_stresses(&v, own);
        else
            slip_element_stresses(v.type, v.points, &v.body->elastic, v.displacements, own);
        for (int a = 0; a < v.node_count; a++) {
            const int node = v.components[d * a] / d, strains = v.body->elastic.strain_count;
            double *at = stress + stress_count * (int64_t)node;
            for (int k = 0; k < strains; k++)
                at[k] += own[strains * a + k];
            if (d == 2)
                at[3] += slip_elastic_stress_zz(&v.body->elastic, own[3 * a], own[3 * a + 1]);
            around[node]++;
        }
    }
    for (int64_t i = 0; i < (int64_t)stress_count * plane->node_count; i++)
        stress[i] /= around[i / stress_count] > 0 ? around[i / stress_count] : 1;
    return SLIP_OK;
}

/* The forces of its springs on the free components of a body, added up by direction. */
static int add_spring_forces(slip_context *ctx, const slip_plane *plane, const slip_plane_body *body,
                             const double *u, double *reaction)
{
    const int d = plane->dimension;
    const int64_t first = d * (int64_t)body->first_node, count = d * (int64_t)body->mesh->node_count;
    if (!body->spring_stiffness)
        return SLIP_OK;
    SLIP_FREED double *force = slip_alloc(count, sizeof *force);
    SLIP_PASS(slip_allocated(ctx, force));
    slip_sparse_multiply(body->spring_stiffness, u + first, force);
    for (int64_t i = 0; i < count; i++)
        if (plane->unknown_of[first + i] >= 0)
            reaction[i % d] -= force[i];
    return SLIP_OK;
}

/* Adds the contact forces to all components, held ones included. */
static void add_contact_forces(const slip_plane *plane, const double *lambda, double sign, double *force)
{
    for (int kind = 0; kind < plane->dimension && lambda; kind++)
        for (int c = 0; c < plane->contact_count; c++) {
            const slip_contact_row *row = &plane->rows[kind][c];
            for (int i = 0; i < row->count; i++)
                force[row->components[i]] += sign * row->values[i] * lambda[kind * plane->contact_count + c];
        }
}

int slip_plane_reactions(slip_context *ctx, slip_plane *plane, const double *parameters, const double *lambda,
                         const double *u, double *reaction)
{
    const int d = plane->dimension;
    const int64_t components = d * (int64_t)plane->node_count;
    SLIP_FREED double *need = slip_alloc(components, sizeof *need);
    double forces[slip_plane_unknowns_max];
    SLIP_PASS(slip_allocated(ctx, need));
    SLIP_PASS(slip_plane_load_vector(ctx, plane, parameters, NULL, plane->force, NULL));
    for (int e = 0; e < plane->element_count; e++) {
        const element_view v = view_element(plane, e, u);
        element_forces(&v, forces);
        for (int i = 0; i < d * v.node_count; i++)
            need[v.components[i]] += forces[i];
    }
    add_contact_forces(plane, lambda, -1, need);
    for (int b = 0; b < plane->body_count; b++) {
        const slip_plane_body *body = &plane->bodies[b];
        memset(reaction + d * b, 0, (size_t)d * sizeof *reaction);
        for (int64_t i = d * (int64_t)body->first_node;
             i < d * (int64_t)(body->first_node + body->mesh->node_count); i++)
            if (plane->unknown_of[i] < 0)
                reaction[d * b + i % d] += need[i] - plane->force[i];
        SLIP_PASS(add_spring_forces(ctx, plane, body, u, reaction + d * b));
    }
    return SLIP_OK;
}

/* ---- VTU ---- */

/* sqrt(((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2)/2 + 3 (xy^2 + yz^2 + zx^2)) */
double slip_plane_von_mises(const slip_plane *plane, const double *s)
{
    const bool solid = plane->dimension == 3;
    const double zz = solid ? s[2] : s[3], a = s[0] - s[1], b = s[1] - zz, c = zz - s[0];
    const double shear = solid ? s[3] * s[3] + s[4] * s[4] + s[5] * s[5] : s[2] * s[2];
    return sqrt((a * a + b * b + c * c) / 2 + 3 * shear);
}

/* Fields of all nodes, body after body. */
typedef struct fields {
    double *stress, *mises, *force, *body;
} fields;

static int fill_fields(slip_context *ctx, const slip_plane *plane, const double *u, const double *lambda,
                       slip_arena *arena, fields *f)
{
    const int n = plane->node_count, stress_count = slip_plane_stress_count(plane);
    f->stress = slip_arena_array(arena, (int64_t)stress_count * n, sizeof(double));
    f->mises = slip_arena_array(arena, n, sizeof(double));
    f->force = slip_arena_array(arena, plane->dimension * (int64_t)n, sizeof(double));
    f->body = slip_arena_array(arena, plane->element_count, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, f->stress && f->mises && f->force && f->body));
    SLIP_PASS(slip_plane_stresses(ctx, plane, u, f->stress));
    add_contact_forces(plane, lambda, 1, f->force);
    for (int i = 0; i < n; i++)
        f->mises[i] = slip_plane_von_mises(plane, f->stress + stress_count * (int64_t)i);
    for (int b = 0; b < plane->body_count; b++)
        for (int e = 0; e < plane->bodies[b].mesh->element_count; e++)
            f->body[plane->bodies[b].first_element + e] = b + 1;
    return SLIP_OK;
}

int slip_plane_write_vtu(slip_context *ctx, slip_plane *plane, const double *u, const double *lambda,
                         const char *path)
{
    enum { field_count = 5 };
    const int d = slip_plane_dimension(plane), stress_count = slip_plane_stress_count(plane);
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    slip_vtu_piece *pieces = slip_arena_array(&room, plane->body_count, sizeof *pieces);
    slip_vtu_field(*all)[field_count] = slip_arena_array(&room, plane->body_count, sizeof *all);
    fields f;
    SLIP_PASS(slip_allocated(ctx, pieces && all));
    SLIP_PASS(fill_fields(ctx, plane, u, lambda, &room, &f));
    for (int b = 0; b < plane->body_count; b++) {
        const slip_plane_body *body = &plane->bodies[b];
        const int64_t first = body->first_node;
        all[b][0] = (slip_vtu_field){"displacement", d, u + d * first, false};
        all[b][1] = (slip_vtu_field){d == 3 ? "stress (xx, yy, zz, xy, yz, zx)" : "stress (xx, yy, xy, zz)",
                                     stress_count, f.stress + stress_count * first, false};
        all[b][2] = (slip_vtu_field){"von Mises stress", 1, f.mises + first, false};
        all[b][3] = (slip_vtu_field){"contact force", d, f.force + d * first, false};
        all[b][4] = (slip_vtu_field){"body", 1, f.body + body->first_element, true};
        pieces[b] = (slip_vtu_piece){body->mesh, all[b], field_count};
    }
    return slip_vtu_write(ctx, path, pieces, plane->body_count);
}
