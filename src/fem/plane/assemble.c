/* Unknowns, supports, stiffness. */
#include "fem/plane/types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- supports ---- */

enum { motions_max = 6 };

/* Rotates the basis of the `left` remaining rigid motions (Householder) so that only the last one has a
 * component along `row`, and drops that one. Returns the number of remaining motions. */
static int drop_motion(int all, double motion[][motions_max], int left, const double *row)
{
    const double rounding = 1e-8;
    double v[motions_max], length = 0, norm = 0;
    for (int i = 0; i < left; i++) {
        v[i] = 0;
        for (int j = 0; j < all; j++)
            v[i] += row[j] * motion[i][j];
        length += v[i] * v[i];
    }
    length = sqrt(length);
    if (length < rounding)
        return left;
    v[left - 1] += copysign(length, v[left - 1]);
    for (int i = 0; i < left; i++)
        norm += v[i] * v[i];
    for (int j = 0; j < all; j++) {
        double dot = 0;
        for (int i = 0; i < left; i++)
            dot += v[i] * motion[i][j];
        for (int i = 0; i < left; i++)
            motion[i][j] -= 2 * v[i] * dot / norm;
    }
    return left - 1;
}

/* The component k of a place p, from the middle and over the size, in each motion of a rigid body: d
 * translations, then the turn about z, in space those about x and y too. */
static void motion_row(int d, int k, const double *p, double *row)
{
    for (int i = 0; i < d; i++)
        row[i] = i == k;
    row[d] = k == 0 ? -p[1] : k == 1 ? p[0] : 0;
    if (d == 3) {
        row[4] = k == 1 ? -p[2] : k == 2 ? p[1] : 0;
        row[5] = k == 2 ? -p[0] : k == 0 ? p[2] : 0;
    }
}

/* The rigid motions (in the plane three, in space six) that the held components still allow, as orthonormal
 * rows, about the middle of the body. Returns their number. */
static int motions_left(const slip_plane_body *body, const int64_t *held, const double *middle, double size,
                        double motion[][motions_max])
{
    const int d = body->mesh->dimension, all = 3 * (d - 1);
    int left = all;
    for (int i = 0; i < all; i++)
        for (int j = 0; j < all; j++)
            motion[i][j] = i == j;
    for (int node = 0; node < body->mesh->node_count; node++)
        for (int k = 0; k < d && left > 0; k++) {
            double p[3], row[motions_max];
            for (int i = 0; i < d; i++)
                p[i] = (body->mesh->points[d * (int64_t)node + i] - middle[i]) / size;
            motion_row(d, k, p, row);
            if (held[d * (int64_t)node + k] < 0)
                left = drop_motion(all, motion, left, row);
        }
    return left;
}

/* Fails because a rigid motion is allowed; the message has its centre of rotation or its direction. */
static int fail_loose(slip_context *ctx, const slip_plane_body *body, const double *middle, double size,
                      int left, double motion[][motions_max])
{
    const double *m = motion[0];
    char text[120];
    if (left == 3 * (body->mesh->dimension - 1))
        snprintf(text, sizeof text, "nothing holds it");
    else if (body->mesh->dimension == 3)
        snprintf(text, sizeof text, "%d of the six motions of a rigid body are left", left);
    else if (left == 2)
        snprintf(text, sizeof text, "it can both slide and turn");
    else if (fabs(m[2]) > 1e-6)
        snprintf(text, sizeof text, "it can turn about (%.6g, %.6g)", middle[0] - size * m[1] / m[2],
                 middle[1] + size * m[0] / m[2]);
    else
        snprintf(text, sizeof text, "it can move along (%.3g, %.3g)", m[0], m[1]);
    return slip_fail(ctx, SLIP_ERROR_MODEL,
                     "body `%s` is not held: %s; expected supports (fix) or springs that keep it from moving "
                     "as a whole without the contacts",
                     body->name, text);
}

static int check_held(slip_context *ctx, const slip_plane_body *body, const int64_t *by_supports)
{
    const int d = body->mesh->dimension, count = body->mesh->node_count;
    double middle[3] = {0, 0, 0}, size = 0, motion[motions_max][motions_max];
    SLIP_FREED int64_t *held = slip_alloc(d * (int64_t)count, sizeof *held);
    int left;
    SLIP_PASS(slip_allocated(ctx, held));
    memcpy(held, by_supports, (size_t)(d * (int64_t)count) * sizeof *held);
    slip_plane_hold_springs(body, held);
    for (int64_t i = 0; i < d * (int64_t)count; i++)
        middle[i % d] += body->mesh->points[i] / count;
    for (int64_t i = 0; i < d * (int64_t)count; i++)
        size = fmax(size, fabs(body->mesh->points[i] - middle[i % d]));
    left = motions_left(body, held, middle, size, motion);
    return left == 0 ? SLIP_OK : fail_loose(ctx, body, middle, size, left, motion);
}

int slip_plane_hold(slip_context *ctx, slip_plane *plane, const slip_plane_body *body)
{
    const int d = body->mesh->dimension;
    int64_t *held = plane->unknown_of + d * (int64_t)body->first_node;
    SLIP_FREED bool *taken = slip_alloc(body->mesh->node_count, sizeof *taken);
    char owner[100];
    SLIP_PASS(slip_allocated(ctx, taken));
    snprintf(owner, sizeof owner, "fix of body `%.60s`", body->name);
    for (int i = 0; i < body->support_count; i++) {
        memset(taken, 0, (size_t)body->mesh->node_count * sizeof *taken);
        SLIP_PASS(slip_set_nodes(ctx, owner, body->mesh, body->supports[i].set, taken));
        for (int node = 0; node < body->mesh->node_count; node++)
            for (int k = 0; k < d; k++)
                if (taken[node] && body->supports[i].held[k])
                    held[d * (int64_t)node + k] = -1;
    }
    return body->loose ? SLIP_OK : check_held(ctx, body, held);
}

/* ---- stiffness ---- */

const slip_element_type *slip_plane_body_element(const slip_plane_body *body, int element, double *points,
                                                 int *components)
{
    const slip_cell *cell = slip_mesh_group_of(body->mesh, element)->cell;
    const int *nodes = slip_mesh_nodes(body->mesh, element);
    slip_element_points(body->mesh, element, points);
    const int d = cell->dimension;
    for (int i = 0; i < d * cell->node_count; i++)
        components[i] = d * (body->first_node + nodes[i / d]) + i % d;
    return slip_element_find(cell);
}

const slip_element_type *slip_plane_element(const slip_plane *plane, int element,
                                            const slip_plane_body **body, double *points, int *components)
{
    const slip_plane_body *b = plane->bodies;
    while (element >= b->first_element + b->mesh->element_count)
        b++;
    *body = b;
    return slip_plane_body_element(b, element - b->first_element, points, components);
}

static void element_stiffness(const void *user, int64_t element, double *matrix)
{
    double points[slip_plane_unknowns_max];
    int components[slip_plane_unknowns_max];
    const slip_plane_body *body;
    const slip_element_type *type = slip_plane_element(user, (int)element, &body, points, components);
    type->stiffness(type, points, &body->elastic, matrix);
}

int slip_plane_number(slip_context *ctx, slip_plane *plane)
{
    const int64_t components = (int64_t)plane->dimension * plane->node_count;
    if (plane->solution && plane->unknown_count > 0)
        return SLIP_OK; /* they are numbered */
    if (!plane->component_of)
        plane->component_of = slip_arena_array(&plane->arena, components, sizeof *plane->component_of);
    if (!plane->force)
        plane->force = slip_arena_array(&plane->arena, components, sizeof *plane->force);
    if (!plane->solution)
        plane->solution = slip_arena_array(&plane->arena, components, sizeof *plane->solution);
    SLIP_PASS(slip_allocated(ctx, plane->component_of && plane->force && plane->solution));
    plane->unknown_count = 0;
    for (int64_t i = 0; i < components; i++)
        if (plane->unknown_of[i] >= 0) {
            plane->component_of[plane->unknown_count] = (int)i;
            plane->unknown_of[i] = plane->unknown_count++;
        }
    if (plane->unknown_count == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "every node of every body is held: nothing is left to compute");
    return SLIP_OK;
}

/* The unknowns of every element. */
static int make_assembly(slip_context *ctx, const slip_plane *plane, slip_assembly **assembly)
{
    SLIP_FREED int64_t *start = slip_alloc(plane->element_count + 1, sizeof *start);
    SLIP_FREED int64_t *unknowns =
        slip_alloc((int64_t)plane->element_count * slip_plane_unknowns_max, sizeof *unknowns);
    double points[slip_plane_unknowns_max];
    int components[slip_plane_unknowns_max];
    SLIP_PASS(slip_allocated(ctx, start && unknowns));
    for (int e = 0; e < plane->element_count; e++) {
        const slip_plane_body *body;
        const slip_cell *cell = slip_plane_element(plane, e, &body, points, components)->cell;
        start[e + 1] = start[e] + plane->dimension * cell->node_count;
        for (int i = 0; i < plane->dimension * cell->node_count; i++)
            unknowns[start[e] + i] = plane->unknown_of[components[i]];
    }
    return slip_assembly_create(ctx, plane->unknown_count, plane->element_count, start, unknowns, assembly);
}

/* Says which body and node the unknown belongs to. */
static int fail_indefinite(slip_context *ctx, const slip_plane *plane, int64_t unknown)
{
    const int d = plane->dimension, component = plane->component_of[unknown], node = component / d;
    const slip_plane_body *body = plane->bodies;
    const double *place;
    while (node >= body->first_node + body->mesh->node_count)
        body++;
    place = body->mesh->points + d * (int64_t)(node - body->first_node);
    return slip_fail(ctx, SLIP_ERROR_SOLVER,
                     "body `%s`: its stiffness is not positive definite at node %lld at (%.6g, %.6g%s), "
                     "direction %c: are its supports enough and its elements well shaped?",
                     body->name, slip_mesh_node_label(body->mesh, node - body->first_node), place[0],
                     place[1], d == 3 ? ", ..." : "", "xyz"[component % d]);
}

/* The unknowns of a node have the same neighbours. */
static int64_t *group_by_node(const slip_plane *plane)
{
    const int d = plane->dimension;
    int64_t *group = slip_alloc(plane->unknown_count, sizeof *group);
    for (int64_t i = 1; i < plane->unknown_count && group; i++)
        group[i] = group[i - 1] + (plane->component_of[i] / d != plane->component_of[i - 1] / d);
    return group;
}

int slip_plane_assemble(slip_context *ctx, slip_plane *plane)
{
    SLIP_FREED_BY(slip_assembly_drop) slip_assembly *assembly = NULL;
    int64_t unknown = -1;
    SLIP_FREED int64_t *group = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_plane_number(ctx, plane));
    group = group_by_node(plane);
    SLIP_PASS(slip_allocated(ctx, group));
    SLIP_PASS(make_assembly(ctx, plane, &assembly));
    SLIP_PASS(slip_sparse_create(ctx, assembly, &plane->stiffness));
    SLIP_PASS(slip_sparse_assemble(ctx, assembly, element_stiffness, plane, plane->stiffness));
    for (int b = 0; b < plane->body_count; b++)
        if (plane->bodies[b].spring_stiffness)
            slip_sparse_add(plane->stiffness, 1, plane->bodies[b].spring_stiffness,
                            plane->unknown_of + plane->dimension * (int64_t)plane->bodies[b].first_node);
    status = slip_factor_create(ctx, plane->stiffness, group, &plane->factor, &unknown);
    if (unknown >= 0)
        return fail_indefinite(ctx, plane, unknown);
    return status;
}

/* ---- in motion ---- */

int64_t slip_plane_first_unknown(const slip_plane *plane, int body)
{
    const int64_t first = (body < plane->body_count ? plane->bodies[body].first_node : plane->node_count) *
                          (int64_t)plane->dimension;
    int64_t count = 0;
    while (count < plane->unknown_count && plane->component_of[count] < first)
        count++;
    return count;
}

int64_t slip_plane_unknown(const slip_plane *plane, int64_t component)
{
    return plane->unknown_of[component];
}

int slip_plane_row(const slip_plane *plane, int row, int64_t unknowns[slip_plane_row_max],
                   double values[slip_plane_row_max])
{
    const int m = plane->contact_count;
    const slip_contact_row *from = &plane->rows[row / m][row % m];
    int count = 0;
    for (int i = 0; i < from->count; i++) {
        unknowns[count] = plane->unknown_of[from->components[i]];
        values[count] = from->values[i];
        count += unknowns[count] >= 0;
    }
    return count;
}
