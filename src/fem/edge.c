#include "fem/edge.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets ---- */

/* "there is no set `botom`; did you mean `bottom`?", or all names. */
static int fail_missing(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set)
{
    SLIP_FREED const char **names = slip_alloc(mesh->set_count + 1, sizeof *names);
    const char *nearest;
    SLIP_FREED_BY(slip_text_free) slip_text all = {0};
    int status, count = 0;
    SLIP_PASS(slip_allocated(ctx, names));
    for (int i = 0; i < mesh->set_count; i++) {
        bool known = mesh->sets[i].kind == SLIP_SET_ELEMENTS; /* of no use here */
        for (int j = 0; j < count && !known; j++)
            known = strcmp(mesh->sets[i].name, names[j]) == 0;
        if (known)
            continue;
        names[count++] = mesh->sets[i].name;
        if (all.length < 400)
            slip_text_printf(&all, "%s`%s`", all.length ? ", " : "", mesh->sets[i].name);
    }
    nearest = slip_text_nearest(set, names);
    if (nearest)
        status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s: there is no set `%s`; did you mean `%s`?", owner, set,
                           nearest);
    else
        status = slip_fail(ctx, SLIP_ERROR_MODEL, "%s: there is no set `%s`; expected one of %s", owner, set,
                           all.length ? all.data : "none: the mesh has no sets of nodes or edges");
    return status;
}

int slip_set_nodes(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set, bool *taken)
{
    const slip_mesh_set *nodes = slip_mesh_find(mesh, set, SLIP_SET_NODES);
    const slip_mesh_set *faces = slip_mesh_find(mesh, set, SLIP_SET_FACES);
    int of_face[slip_face_nodes_max];
    if (!nodes && !faces)
        return fail_missing(ctx, owner, mesh, set);
    for (int i = 0; nodes && i < nodes->count; i++)
        taken[nodes->items[i]] = true;
    for (int i = 0; faces && i < faces->count; i++) {
        const int count = slip_mesh_face_nodes(mesh, faces->items[i], of_face);
        for (int k = 0; k < count; k++)
            taken[of_face[k]] = true;
    }
    return SLIP_OK;
}

static int check_boundary(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                          const slip_mesh_set *set)
{
    for (int i = 0; i < set->count; i++)
        if (!boundary[set->items[i]])
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "%s: set `%s` has a face of element %lld that is inside the body, expected faces "
                "of its boundary",
                owner, set->name, slip_mesh_element_label(mesh, set->items[i] / slip_cell_faces_max));
    return SLIP_OK;
}

/* The boundary faces all of whose nodes are in the set. */
static int faces_of_nodes(slip_context *ctx, const slip_mesh *mesh, const bool *boundary,
                          const slip_mesh_set *set, int **faces, int *count)
{
    SLIP_FREED bool *taken = slip_alloc(mesh->node_count, sizeof *taken);
    int64_t capacity = 0;
    int nodes[slip_face_nodes_max];
    SLIP_PASS(slip_allocated(ctx, taken));
    for (int i = 0; i < set->count; i++)
        taken[set->items[i]] = true;
    for (int item = 0; item < mesh->element_count * slip_cell_faces_max; item++) {
        bool all = boundary[item];
        if (!all)
            continue;
        for (int k = 0, n = slip_mesh_face_nodes(mesh, item, nodes); k < n; k++)
            all = all && taken[nodes[k]];
        if (!all)
            continue;
        SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(*faces, capacity, *count + 1)));
        (*faces)[(*count)++] = item;
    }
    return SLIP_OK;
}

int slip_set_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                   const char *set, int **faces, int *count)
{
    const slip_mesh_set *found = slip_mesh_find(mesh, set, SLIP_SET_FACES);
    const slip_mesh_set *nodes = slip_mesh_find(mesh, set, SLIP_SET_NODES);
    *faces = NULL;
    *count = 0;
    if (!found && !nodes)
        return fail_missing(ctx, owner, mesh, set);
    if (!found) {
        SLIP_PASS(faces_of_nodes(ctx, mesh, boundary, nodes, faces, count));
        return *count > 0
                   ? SLIP_OK
                   : slip_fail(ctx, SLIP_ERROR_MODEL,
                               "%s: the nodes of set `%s` are no edge: expected all nodes of some edge",
                               owner, set);
    }
    SLIP_PASS(check_boundary(ctx, owner, mesh, boundary, found));
    *faces = slip_alloc(found->count, sizeof **faces);
    SLIP_PASS(slip_allocated(ctx, *faces));
    memcpy(*faces, found->items, (size_t)found->count * sizeof **faces);
    *count = found->count;
    return SLIP_OK;
}

int slip_set_cover(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                   const char *set, int **faces, int *count)
{
    const slip_mesh_set *nodes = slip_mesh_find(mesh, set, SLIP_SET_NODES);
    int of_face[slip_face_nodes_max];
    *faces = NULL;
    *count = 0;
    if (slip_mesh_find(mesh, set, SLIP_SET_FACES))
        return slip_set_faces(ctx, owner, mesh, boundary, set, faces, count);
    if (!nodes)
        return fail_missing(ctx, owner, mesh, set);
    SLIP_FREED bool *covered = slip_alloc(mesh->node_count, sizeof *covered);
    SLIP_PASS(slip_allocated(ctx, covered));
    if (boundary)
        SLIP_PASS(faces_of_nodes(ctx, mesh, boundary, nodes, faces, count));
    for (int i = 0; i < *count; i++)
        for (int k = 0, n = slip_mesh_face_nodes(mesh, (*faces)[i], of_face); k < n; k++)
            covered[of_face[k]] = true;
    for (int i = 0; i < nodes->count; i++)
        if (!covered[nodes->items[i]])
            *count = 0;
    return SLIP_OK;
}

/* ---- chains ---- */

/* The nodes before and after each node along the edge, with the body on the left; -1 for none. */
typedef struct links {
    int *before, *after;
} links;

static int link_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set,
                      const int *faces, int count, slip_arena *arena, links *l)
{
    l->before = slip_arena_array(arena, mesh->node_count, sizeof *l->before);
    l->after = slip_arena_array(arena, mesh->node_count, sizeof *l->after);
    SLIP_PASS(slip_allocated(ctx, l->before && l->after));
    for (int i = 0; i < mesh->node_count; i++)
        l->before[i] = l->after[i] = -1;
    for (int i = 0; i < count; i++) {
        int nodes[slip_face_nodes_max];
        const int order = slip_mesh_face_nodes(mesh, faces[i], nodes) - 1;
        const int first = order == 2 ? nodes[2] : nodes[1]; /* the next along the edge */
        if (l->after[nodes[0]] == first)
            continue; /* listed twice */
        if (l->after[nodes[0]] >= 0 || l->before[nodes[1]] >= 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: set `%s` branches at (%.6g, %.6g), expected a line",
                             owner, set, mesh->points[2 * nodes[0]], mesh->points[2 * nodes[0] + 1]);
        l->after[nodes[0]] = first;
        l->before[first] = nodes[0];
        l->after[first] = order == 2 ? nodes[1] : l->after[first];
        l->before[nodes[1]] = order == 2 ? first : nodes[0];
    }
    return SLIP_OK;
}

static bool is_before(const slip_mesh *mesh, int a, int b)
{
    const double *p = mesh->points + 2 * (int64_t)a, *q = mesh->points + 2 * (int64_t)b;
    return p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]);
}

/* Takes the nodes from `start` on into a new chain, and out of the links. */
static void take_chain(slip_edge *edge, links *l, int start)
{
    slip_chain *chain = &edge->chains[edge->chain_count++];
    int node = start;
    *chain = (slip_chain){.first = edge->node_count, .closed = l->before[start] >= 0};
    while (node >= 0) {
        const int next = l->after[node];
        edge->nodes[edge->node_count++] = node;
        chain->count++;
        l->after[node] = -1;
        l->before[node] = -1;
        node = next == start ? -1 : next;
    }
}

static int order_of(const slip_edge *edge)
{
    return edge->segment->cell->node_count - 1;
}

/* Of a closed chain, the corner with the smallest x; `start` is a corner. */
static int leftmost(const slip_mesh *mesh, const slip_edge *edge, const links *l, int start)
{
    int best = start, number = 1;
    for (int node = l->after[start]; node != start; node = l->after[node], number++)
        if (number % order_of(edge) == 0 && is_before(mesh, node, best))
            best = node;
    return best;
}

/* Open chains first: they start at a node that none is before. `faces` start at corners. */
static void take_chains(const slip_mesh *mesh, slip_edge *edge, links *l, const int *faces, int count)
{
    for (int node = 0; node < mesh->node_count; node++)
        if (l->after[node] >= 0 && l->before[node] < 0)
            take_chain(edge, l, node);
    for (int i = 0; i < count; i++) {
        int nodes[slip_face_nodes_max];
        slip_mesh_face_nodes(mesh, faces[i], nodes);
        if (l->after[nodes[0]] >= 0)
            take_chain(edge, l, leftmost(mesh, edge, l, nodes[0]));
    }
}

/* Turns an open chain so that it runs along +x, or along +y where it does not get ahead in x. */
static void orient(const slip_mesh *mesh, slip_edge *edge, slip_chain *chain)
{
    int *nodes = edge->nodes + chain->first;
    const double *from = mesh->points + 2 * (int64_t)nodes[0];
    const double *to = mesh->points + 2 * (int64_t)nodes[chain->count - 1];
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    const bool along_x = fabs(dx) > 1e-9 * hypot(dx, dy);
    if (chain->closed || (along_x ? dx > 0 : dy >= 0))
        return;
    chain->reversed = true;
    for (int i = 0, j = chain->count - 1; i < j; i++, j--) {
        const int swap = nodes[i];
        nodes[i] = nodes[j];
        nodes[j] = swap;
    }
}

/* Insertion sort by the first node: there are few chains. */
static void sort_chains(const slip_mesh *mesh, slip_edge *edge)
{
    for (int i = 1; i < edge->chain_count; i++)
        for (int j = i; j > 0 && is_before(mesh, edge->nodes[edge->chains[j].first],
                                           edge->nodes[edge->chains[j - 1].first]);
             j--) {
            const slip_chain swap = edge->chains[j];
            edge->chains[j] = edge->chains[j - 1];
            edge->chains[j - 1] = swap;
        }
}

int slip_chain_segment_count(const slip_edge *edge, const slip_chain *chain)
{
    return (chain->closed ? chain->count : chain->count - 1) / order_of(edge);
}

int slip_chain_place(const slip_edge *edge, const slip_chain *chain, int k, int i)
{
    const int order = order_of(edge);
    return (k * order + (i == 1 ? order : i / 2)) % chain->count;
}

void slip_chain_segment(const slip_edge *edge, const slip_chain *chain, const double *mesh_points, int k,
                        int nodes[slip_segment_nodes_max], double points[2 * slip_segment_nodes_max])
{
    for (int i = 0; i <= order_of(edge); i++) {
        nodes[i] = edge->nodes[chain->first + slip_chain_place(edge, chain, k, i)];
        memcpy(points + 2 * i, mesh_points + 2 * (int64_t)nodes[i], 2 * sizeof *points);
    }
}

slip_segment_point slip_segment_at(const slip_edge *edge, const double points[2 * slip_segment_nodes_max],
                                   double at)
{
    slip_segment_point p = {0};
    double slope[slip_segment_nodes_max];
    edge->segment->shape(edge->segment, &at, p.value, slope);
    for (int i = 0; i <= order_of(edge); i++)
        for (int k = 0; k < 2; k++) {
            p.place[k] += p.value[i] * points[2 * i + k];
            p.tangent[k] += slope[i] * points[2 * i + k];
        }
    for (int k = 0; k < 2 && order_of(edge) == 2; k++) /* of a parabola it is constant */
        p.bend[k] = points[k] + points[2 + k] - 2 * points[4 + k];
    return p;
}

void slip_chain_normal(const slip_chain *chain, const double tangent[2], double normal[2])
{
    const double side = chain->reversed ? -1 : 1;
    normal[0] = side * tangent[1];
    normal[1] = -side * tangent[0];
}

void slip_edge_normals(const slip_edge *edge, const double *mesh_points, double *normals)
{
    memset(normals, 0, 2 * (size_t)edge->node_count * sizeof *normals);
    for (int c = 0; c < edge->chain_count; c++) {
        const slip_chain *chain = &edge->chains[c];
        for (int k = 0; k < slip_chain_segment_count(edge, chain); k++) {
            double points[2 * slip_segment_nodes_max] = {0}, normal[2];
            int nodes[slip_segment_nodes_max];
            slip_chain_segment(edge, chain, mesh_points, k, nodes, points);
            for (int i = 0; i <= order_of(edge); i++) {
                const int at = chain->first + slip_chain_place(edge, chain, k, i);
                slip_chain_normal(chain, slip_segment_at(edge, points, edge->segment->nodes[i][0]).tangent,
                                  normal);
                for (int d = 0; d < 2; d++)
                    normals[2 * at + d] += normal[d];
            }
        }
    }
    for (int i = 0; i < edge->node_count; i++) {
        const double length = hypot(normals[2 * i], normals[2 * i + 1]);
        for (int k = 0; k < 2 && length > 0; k++)
            normals[2 * i + k] /= length;
    }
}

static void find_longest(const slip_mesh *mesh, slip_edge *edge)
{
    for (int c = 0; c < edge->chain_count; c++)
        for (int k = 0; k < slip_chain_segment_count(edge, &edge->chains[c]); k++) {
            double points[2 * slip_segment_nodes_max];
            int nodes[slip_segment_nodes_max];
            slip_chain_segment(edge, &edge->chains[c], mesh->points, k, nodes, points);
            edge->longest = fmax(edge->longest, hypot(points[2] - points[0], points[3] - points[1]));
        }
}

int slip_edge_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_edge *edge)
{
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    SLIP_FREED int *faces = NULL;
    int count;
    links l;
    *edge = (slip_edge){0};
    SLIP_PASS(slip_set_faces(ctx, owner, mesh, boundary, set, &faces, &count));
    SLIP_PASS(link_faces(ctx, owner, mesh, set, faces, count, &room, &l));
    edge->segment = slip_element_find(slip_mesh_group_of(mesh, faces[0] / slip_cell_faces_max)->cell->face);
    edge->nodes =
        slip_arena_array(&edge->arena, slip_segment_nodes_max * (int64_t)count, sizeof *edge->nodes);
    edge->normals =
        slip_arena_array(&edge->arena, 2 * slip_segment_nodes_max * (int64_t)count, sizeof *edge->normals);
    edge->chains = slip_arena_array(&edge->arena, count, sizeof *edge->chains);
    if (!edge->nodes || !edge->normals || !edge->chains) {
        slip_edge_free(edge);
        return slip_fail_memory(ctx);
    }
    take_chains(mesh, edge, &l, faces, count);
    for (int c = 0; c < edge->chain_count; c++)
        orient(mesh, edge, &edge->chains[c]);
    sort_chains(mesh, edge);
    find_longest(mesh, edge);
    slip_edge_normals(edge, mesh->points, edge->normals);
    return SLIP_OK;
}

void slip_edge_free(slip_edge *edge)
{
    slip_arena_free(&edge->arena);
    *edge = (slip_edge){0};
}
