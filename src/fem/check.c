#include "fem/check.h"

#include "fem/element.h"
#include "math/groups.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Middle of an element, for messages. */
static const char *place_of(const slip_mesh *mesh, int element, char *buffer, size_t size)
{
    const slip_cell *cell = slip_mesh_group_of(mesh, element)->cell;
    const int *nodes = slip_mesh_nodes(mesh, element);
    double middle[3] = {0};
    for (int a = 0; a < cell->node_count; a++)
        for (int k = 0; k < mesh->dimension; k++)
            middle[k] += mesh->points[(int64_t)nodes[a] * mesh->dimension + k] / cell->node_count;
    if (mesh->dimension == 2)
        snprintf(buffer, size, "(%.6g, %.6g)", middle[0], middle[1]);
    else
        snprintf(buffer, size, "(%.6g, %.6g, %.6g)", middle[0], middle[1], middle[2]);
    return buffer;
}

/* ---- elements and nodes ---- */

static int check_points(slip_context *ctx, const char *owner, const slip_mesh *mesh)
{
    for (int64_t i = 0; i < (int64_t)mesh->node_count * mesh->dimension; i++)
        if (!isfinite(mesh->points[i]))
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: a coordinate of node %lld is %g", owner,
                             slip_mesh_node_label(mesh, (int)(i / mesh->dimension)), mesh->points[i]);
    return SLIP_OK;
}

static int check_element(slip_context *ctx, const char *owner, const slip_mesh *mesh, int element)
{
    const double smallest = 1e-10;
    const slip_cell *cell = slip_mesh_group_of(mesh, element)->cell;
    const slip_element_type *type = slip_element_find(cell);
    const int *nodes = slip_mesh_nodes(mesh, element);
    double points[slip_element_unknowns_max], quality;
    char place[80];
    if (!type || cell->dimension != mesh->dimension)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: element %lld is a %s, expected one of the plane or of space", owner,
                         slip_mesh_element_label(mesh, element), cell->name);
    for (int a = 0; a < cell->node_count; a++)
        if (nodes[a] < 0 || nodes[a] >= mesh->node_count)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: element %lld has node %d of %d", owner,
                             slip_mesh_element_label(mesh, element), nodes[a] + 1, mesh->node_count);
    slip_element_points(mesh, element, points);
    quality = slip_element_quality(type, points, NULL);
    if (quality > smallest)
        return SLIP_OK;
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "%s: element %lld at %s is inverted (smallest Jacobian %.3g of the mean): expected %s%s", owner,
        slip_mesh_element_label(mesh, element), place_of(mesh, element, place, sizeof place), quality,
        mesh->dimension == 2 ? "nodes that run counter-clockwise and corners of less than 180 degrees"
                             : "nodes in the order that the format says and edges that do not cross",
        cell->node_count > cell->corner_count ? ", and middle nodes near the middle of their edges" : "");
}

static int check_nodes(slip_context *ctx, const char *owner, const slip_mesh *mesh)
{
    SLIP_FREED bool *used = slip_alloc(mesh->node_count, sizeof *used);
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, used));
    for (int e = 0; e < mesh->element_count; e++)
        for (int a = 0; a < slip_mesh_group_of(mesh, e)->cell->node_count; a++)
            used[slip_mesh_nodes(mesh, e)[a]] = true;
    for (int i = 0; i < mesh->node_count && status >= 0; i++)
        if (!used[i])
            status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s: node %lld belongs to no element", owner,
                               slip_mesh_node_label(mesh, i));
    return status;
}

/* ---- faces and parts ---- */

static bool same_face(const slip_face *a, const slip_face *b)
{
    return memcmp(a->key, b->key, sizeof a->key) == 0;
}

/* Two faces with the same corners have the same middle nodes, in any order. */
static bool same_middles(const slip_mesh *mesh, int face, int other)
{
    const int corners = slip_mesh_group_of(mesh, face / slip_cell_faces_max)->cell->face->corner_count;
    int first[slip_face_nodes_max], second[slip_face_nodes_max];
    const int count = slip_mesh_face_nodes(mesh, face, first);
    bool same = slip_mesh_face_nodes(mesh, other, second) == count;
    for (int i = corners; i < count && same; i++) {
        same = false;
        for (int k = corners; k < count && !same; k++)
            same = first[i] == second[k];
    }
    return same;
}

static int check_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const slip_face *faces,
                       int64_t count)
{
    char place[80];
    for (int64_t i = 0; i + 1 < count; i++)
        if (same_face(&faces[i], &faces[i + 1]) && !same_middles(mesh, faces[i].item, faces[i + 1].item))
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "%s: elements %lld and %lld at %s share the corners of a face, but not its middle nodes: "
                "expected elements of one order beside each other",
                owner, slip_mesh_element_label(mesh, faces[i].item / slip_cell_faces_max),
                slip_mesh_element_label(mesh, faces[i + 1].item / slip_cell_faces_max),
                place_of(mesh, faces[i].item / slip_cell_faces_max, place, sizeof place));
    for (int64_t i = 0; i + 2 < count; i++)
        if (same_face(&faces[i], &faces[i + 2]))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: more than two elements share a face of element %lld at %s", owner,
                             slip_mesh_element_label(mesh, faces[i].item / slip_cell_faces_max),
                             place_of(mesh, faces[i].item / slip_cell_faces_max, place, sizeof place));
    return SLIP_OK;
}

/* Elements that touch in a node only could turn about it like a hinge, so that only faces count. */
static int check_parts(slip_context *ctx, const char *owner, const slip_mesh *mesh, const slip_face *faces,
                       int64_t count)
{
    SLIP_FREED int *parent = slip_alloc(mesh->element_count, sizeof *parent);
    char first[80], second[80];
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, parent));
    for (int e = 0; e < mesh->element_count; e++)
        parent[e] = e;
    for (int64_t i = 0; i + 1 < count; i++)
        if (same_face(&faces[i], &faces[i + 1]))
            slip_group_join(parent, faces[i].item / slip_cell_faces_max,
                            faces[i + 1].item / slip_cell_faces_max);
    for (int e = 1; e < mesh->element_count && status >= 0; e++)
        if (slip_group_of(parent, e) != 0)
            status =
                slip_fail(ctx, SLIP_ERROR_MODEL,
                          "%s: the mesh has parts that share no %s: element %lld at %s and element %lld at "
                          "%s; expected one connected mesh",
                          owner, mesh->dimension == 2 ? "edge" : "face", slip_mesh_element_label(mesh, 0),
                          place_of(mesh, 0, first, sizeof first), slip_mesh_element_label(mesh, e),
                          place_of(mesh, e, second, sizeof second));
    return status;
}

static bool *find_boundary(const slip_mesh *mesh, const slip_face *faces, int64_t count)
{
    bool *boundary = slip_alloc((int64_t)mesh->element_count * slip_cell_faces_max, sizeof *boundary);
    for (int64_t i = 0; i < count && boundary; i++)
        boundary[faces[i].item] = !slip_face_is_shared(faces, count, i);
    return boundary;
}

int slip_mesh_check(slip_context *ctx, const char *owner, const slip_mesh *mesh, bool **boundary)
{
    SLIP_FREED slip_face *faces = NULL;
    int64_t count;
    *boundary = NULL;
    if (mesh->element_count == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: the mesh has no elements", owner);
    SLIP_PASS(check_points(ctx, owner, mesh));
    for (int e = 0; e < mesh->element_count; e++)
        SLIP_PASS(check_element(ctx, owner, mesh, e));
    SLIP_PASS(check_nodes(ctx, owner, mesh));
    faces = slip_mesh_faces(mesh, &count);
    SLIP_PASS(slip_allocated(ctx, faces));
    SLIP_PASS(check_faces(ctx, owner, mesh, faces, count));
    SLIP_PASS(check_parts(ctx, owner, mesh, faces, count));
    *boundary = find_boundary(mesh, faces, count);
    return slip_allocated(ctx, *boundary);
}
