#include "io/mesh/mesh.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

int slip_mesh_create(slip_context *ctx, int dimension, int node_count, slip_mesh **result)
{
    slip_mesh *mesh = slip_alloc(1, sizeof *mesh);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, mesh));
    mesh->dimension = dimension;
    mesh->node_count = node_count;
    mesh->points = slip_arena_array(&mesh->arena, (int64_t)node_count * dimension, sizeof *mesh->points);
    if (!mesh->points) {
        slip_mesh_destroy(mesh);
        return slip_fail_memory(ctx);
    }
    *result = mesh;
    return SLIP_OK;
}

void slip_mesh_destroy(slip_mesh *mesh)
{
    if (!mesh)
        return;
    free(mesh->groups);
    free(mesh->sets);
    free(mesh->unused_sets);
    slip_arena_free(&mesh->arena);
    free(mesh);
}

int slip_mesh_add_group(slip_context *ctx, slip_mesh *mesh, const slip_cell *cell, int count, int **nodes)
{
    *nodes = slip_arena_array(&mesh->arena, (int64_t)count * cell->node_count, sizeof **nodes);
    SLIP_PASS(
        slip_allocated(ctx, *nodes && SLIP_ROOM(mesh->groups, mesh->group_capacity, mesh->group_count + 1)));
    slip_mesh_group *group = &mesh->groups[mesh->group_count++];
    *group = (slip_mesh_group){cell, mesh->element_count, count, *nodes};
    mesh->element_count += count;
    return SLIP_OK;
}

int slip_mesh_add_set(slip_context *ctx, slip_mesh *mesh, const char *name, slip_set_kind kind, int count,
                      int **items)
{
    const char *copy = slip_arena_string(&mesh->arena, name);
    *items = slip_arena_array(&mesh->arena, count, sizeof **items);
    SLIP_PASS(slip_allocated(ctx, copy && *items &&
                                      SLIP_ROOM(mesh->sets, mesh->set_capacity, mesh->set_count + 1)));
    mesh->sets[mesh->set_count++] = (slip_mesh_set){copy, kind, count, *items};
    return SLIP_OK;
}

int slip_mesh_add_unused(slip_context *ctx, slip_mesh *mesh, const char *name)
{
    const char *copy = slip_arena_string(&mesh->arena, name);
    SLIP_PASS(slip_allocated(
        ctx, copy && SLIP_ROOM(mesh->unused_sets, mesh->unused_capacity, mesh->unused_count + 1)));
    mesh->unused_sets[mesh->unused_count++] = copy;
    return SLIP_OK;
}

/* ---- looking ---- */

const slip_mesh_set *slip_mesh_find(const slip_mesh *mesh, const char *name, slip_set_kind kind)
{
    for (int i = 0; i < mesh->set_count; i++)
        if (mesh->sets[i].kind == kind && strcmp(mesh->sets[i].name, name) == 0)
            return &mesh->sets[i];
    return NULL;
}

bool slip_mesh_is_unused(const slip_mesh *mesh, const char *name)
{
    return slip_text_find((const char *const *)mesh->unused_sets, mesh->unused_count, name) >= 0;
}

long long slip_mesh_node_label(const slip_mesh *mesh, int node)
{
    return mesh->node_labels && node < mesh->node_count ? mesh->node_labels[node] : node + 1LL;
}

long long slip_mesh_element_label(const slip_mesh *mesh, int element)
{
    return mesh->element_labels ? mesh->element_labels[element] : element + 1LL;
}

const slip_mesh_group *slip_mesh_group_of(const slip_mesh *mesh, int element)
{
    const slip_mesh_group *group = mesh->groups;
    while (element >= group->first + group->count)
        group++;
    return group;
}

const int *slip_mesh_nodes(const slip_mesh *mesh, int element)
{
    const slip_mesh_group *group = slip_mesh_group_of(mesh, element);
    return group->nodes + (int64_t)(element - group->first) * group->cell->node_count;
}

int slip_mesh_face_nodes(const slip_mesh *mesh, int face, int nodes[slip_face_nodes_max])
{
    const slip_mesh_group *group = slip_mesh_group_of(mesh, face / slip_cell_faces_max);
    const int *own = slip_mesh_nodes(mesh, face / slip_cell_faces_max);
    const int count = group->cell->face->node_count;
    for (int i = 0; i < count; i++)
        nodes[i] = own[group->cell->faces[face % slip_cell_faces_max][i]];
    return count;
}

/* ---- faces ---- */

static void sort_key(const int *corners, int count, int key[slip_face_corners_max])
{
    for (int i = 0; i < slip_face_corners_max; i++)
        key[i] = -1;
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && key[at - 1] > corners[i]; at--)
            key[at] = key[at - 1];
        key[at] = corners[i];
    }
}

static int compare_keys(const int *a, const int *b)
{
    for (int i = 0; i < slip_face_corners_max; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_faces(const void *left, const void *right)
{
    const slip_face *a = left, *b = right;
    const int by_corners = compare_keys(a->key, b->key);
    return by_corners ? by_corners : (a->item > b->item) - (a->item < b->item);
}

slip_face *slip_mesh_faces(const slip_mesh *mesh, int64_t *count)
{
    int64_t all = 0;
    for (int g = 0; g < mesh->group_count; g++)
        all += (int64_t)mesh->groups[g].count * mesh->groups[g].cell->face_count;
    slip_face *faces = slip_alloc(all, sizeof *faces);
    *count = 0;
    if (!faces)
        return NULL;
    for (int e = 0; e < mesh->element_count; e++) {
        const slip_cell *cell = slip_mesh_group_of(mesh, e)->cell;
        for (int f = 0; f < cell->face_count; f++) {
            int nodes[slip_face_nodes_max];
            slip_face *face = &faces[(*count)++];
            face->item = slip_cell_faces_max * e + f;
            slip_mesh_face_nodes(mesh, face->item, nodes);
            sort_key(nodes, cell->face->corner_count, face->key);
        }
    }
    qsort(faces, (size_t)*count, sizeof *faces, compare_faces);
    return faces;
}

int64_t slip_face_find(const slip_face *faces, int64_t count, const int *corners, int corner_count)
{
    int key[slip_face_corners_max];
    int64_t low = 0, high = count;
    sort_key(corners, corner_count, key);
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (compare_keys(faces[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && compare_keys(faces[low].key, key) == 0 ? low : -1;
}

bool slip_face_is_shared(const slip_face *faces, int64_t count, int64_t i)
{
    return (i > 0 && compare_keys(faces[i].key, faces[i - 1].key) == 0) ||
           (i + 1 < count && compare_keys(faces[i].key, faces[i + 1].key) == 0);
}
