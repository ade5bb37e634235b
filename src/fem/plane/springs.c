/* Springs and dashpots between a body and the ground.
 *
 * Stiffness and damping are those of a whole set: a displacement u of the body gives the restoring force
 * stiffness times u, whatever the mesh. Over an edge (in space: a surface) of area A they are distributed
 * evenly, k/A times the integral of N_a N_b, consistent with the shape functions; over nodes that form no
 * edge in equal parts. */
#include "fem/plane/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The share of the spring's stiffness that couples two nodes; the sum over all pairs is 1. */
typedef struct share {
    int nodes[2];
    double part;
} share;

typedef struct share_list {
    share *shares;
    int64_t count, capacity;
    int node_count, nodes[slip_plane_nodes_max]; /* of the face that is visited */
    double area;
    bool failed;
} share_list;

static void add_share(share_list *list, int a, int b, double part)
{
    if (!SLIP_ROOM(list->shares, list->capacity, list->count + 1)) {
        list->failed = true;
        return;
    }
    list->shares[list->count++] = (share){{a, b}, part};
}

static void visit_point(void *user, const double *value, const double *place, double size)
{
    share_list *list = user;
    (void)place;
    list->area += size;
    for (int a = 0; a < list->node_count && !list->failed; a++)
        for (int b = 0; b <= a; b++)
            add_share(list, list->nodes[a], list->nodes[b], value[a] * value[b] * size);
}

static void share_faces(const slip_plane_body *body, const int *faces, int count, share_list *list)
{
    const slip_mesh *mesh = body->mesh;
    const int d = mesh->dimension;
    double points[slip_plane_unknowns_max];
    for (int i = 0; i < count; i++) {
        const slip_cell *cell = slip_mesh_group_of(mesh, faces[i] / slip_cell_faces_max)->cell->face;
        list->node_count = slip_mesh_face_nodes(mesh, faces[i], list->nodes);
        for (int a = 0; a < list->node_count; a++)
            memcpy(points + d * a, mesh->points + d * (int64_t)list->nodes[a], (size_t)d * sizeof *points);
        slip_element_integrate(slip_element_find(cell), d, points, visit_point, list);
    }
    for (int64_t i = 0; i < list->count; i++)
        list->shares[i].part /= list->area;
}

static int share_nodes(slip_context *ctx, const char *owner, const slip_plane_body *body, const char *set,
                       share_list *list)
{
    const int count = body->mesh->node_count;
    SLIP_FREED bool *taken = slip_alloc(count, sizeof *taken);
    SLIP_PASS(slip_allocated(ctx, taken));
    SLIP_PASS(slip_set_nodes(ctx, owner, body->mesh, set, taken));
    for (int i = 0; i < count; i++)
        if (taken[i])
            add_share(list, i, i, 1);
    for (int64_t i = 0; i < list->count; i++)
        list->shares[i].part /= (double)list->count;
    return SLIP_OK;
}

static int find_shares(slip_context *ctx, const slip_plane_body *body, const char *set, share_list *list)
{
    int count;
    SLIP_FREED int *faces = NULL;
    char owner[100];
    snprintf(owner, sizeof owner, "springs of body `%.60s`", body->name);
    SLIP_PASS(slip_set_cover(ctx, owner, body->mesh, body->boundary, set, &faces, &count));
    if (count > 0)
        share_faces(body, faces, count, list);
    else
        SLIP_PASS(share_nodes(ctx, owner, body, set, list));
    return slip_allocated(ctx, !list->failed);
}

/* Entries of a matrix by row and column. */
typedef struct entry_list {
    int64_t *row, *column, count, capacity[3];
    double *value;
} entry_list;

static bool add_entry(entry_list *list, int64_t row, int64_t column, double value)
{
    const int64_t count = list->count + 1;
    if (!SLIP_ROOM(list->row, list->capacity[0], count) ||
        !SLIP_ROOM(list->column, list->capacity[1], count) ||
        !SLIP_ROOM(list->value, list->capacity[2], count))
        return false;
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count++] = value;
    return true;
}

/* One number for each direction, by the shares of a set. */
static int add_shares(slip_context *ctx, int d, const share_list *shares, const double *numbers,
                      entry_list *entries)
{
    for (int k = 0; k < d; k++)
        for (int64_t i = 0; i < shares->count && numbers[k] != 0; i++) {
            const share *one = &shares->shares[i];
            if (!add_entry(entries, d * (int64_t)one->nodes[0] + k, d * (int64_t)one->nodes[1] + k,
                           numbers[k] * one->part))
                return slip_fail_memory(ctx);
        }
    return SLIP_OK;
}

static void free_shares(share_list *list)
{
    free(list->shares);
}

static void free_entries(entry_list *list)
{
    free(list->row);
    free(list->column);
    free(list->value);
}

static int gather(slip_context *ctx, const slip_plane_body *body, const entry_list *entries,
                  slip_sparse **matrix)
{
    if (entries->count == 0)
        return SLIP_OK;
    return slip_sparse_gather(ctx, body->mesh->dimension * (int64_t)body->mesh->node_count, entries->count,
                              entries->row, entries->column, entries->value, matrix);
}

int slip_plane_prepare_springs(slip_context *ctx, slip_plane_body *body)
{
    SLIP_FREED_BY(free_entries) entry_list stiffness = {0}, damping = {0};
    for (int i = 0; i < body->spring_count; i++) {
        const slip_spring *spring = &body->springs[i];
        SLIP_FREED_BY(free_shares) share_list shares = {0};
        SLIP_PASS(find_shares(ctx, body, spring->set, &shares));
        SLIP_PASS(add_shares(ctx, body->mesh->dimension, &shares, spring->stiffness, &stiffness));
        SLIP_PASS(add_shares(ctx, body->mesh->dimension, &shares, spring->damping, &damping));
    }
    SLIP_PASS(gather(ctx, body, &stiffness, &body->spring_stiffness));
    return gather(ctx, body, &damping, &body->spring_damping);
}

void slip_plane_hold_springs(const slip_plane_body *body, int64_t *held)
{
    for (int64_t i = 0; body->spring_stiffness && i < body->spring_stiffness->size; i++)
        if (body->spring_stiffness->value[body->spring_stiffness->start[i]] > 0)
            held[i] = -1;
}

const slip_sparse *slip_plane_body_springs(const slip_plane *plane, int body)
{
    return plane->bodies[body].spring_stiffness;
}

const slip_sparse *slip_plane_body_dashpots(const slip_plane *plane, int body)
{
    return plane->bodies[body].spring_damping;
}
