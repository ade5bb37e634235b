#include "fem/edge.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets ---- */

/* "there is no set `botom`; did you mean `bottom`?", or all names. */
static int fail_missing(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set)
{
    const char **names = slip_alloc(mesh->set_count + 1, sizeof *names);
    const char *nearest;
    slip_text all = {0};
    int status, count = 0;
    if (!names)
        return slip_fail_memory(ctx);
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
    slip_text_free(&all);
    free(names);
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
    bool *taken = slip_alloc(mesh->node_count, sizeof *taken);
    int64_t capacity = 0;
    int status = SLIP_OK, nodes[slip_face_nodes_max];
    *faces = NULL;
    *count = 0;
    for (int i = 0; taken && i < set->count; i++)
        taken[set->items[i]] = true;
    for (int item = 0; taken && item < mesh->element_count * slip_cell_faces_max && status >= 0; item++) {
        bool all = boundary[item];
        if (!all)
            continue;
        for (int k = 0, n = slip_mesh_face_nodes(mesh, item, nodes); k < n; k++)
            all = all && taken[nodes[k]];
        if (!all)
            continue;
        if (slip_array_reserve(faces, &capacity, *count + 1, sizeof **faces))
            (*faces)[(*count)++] = item;
        else
            status = slip_fail_memory(ctx);
    }
    if (!taken)
        status = slip_fail_memory(ctx);
    free(taken);
    return status;
}

int slip_set_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                   const char *set, int **faces, int *count)
{
    const slip_mesh_set *found = slip_mesh_find(mesh, set, SLIP_SET_FACES);
    const slip_mesh_set *nodes = slip_mesh_find(mesh, set, SLIP_SET_NODES);
    int status;
    *faces = NULL;
    *count = 0;
    if (!found && !nodes)
        return fail_missing(ctx, owner, mesh, set);
    if (!found) {
        status = faces_of_nodes(ctx, mesh, boundary, nodes, faces, count);
        if (status >= 0 && *count == 0)
            status = slip_fail(ctx, SLIP_ERROR_MODEL,
                               "%s: the nodes of set `%s` are no edge: expected all nodes of some edge",
                               owner, set);
        return status;
    }
    status = check_boundary(ctx, owner, mesh, boundary, found);
    if (status < 0)
        return status;
    *faces = slip_alloc(found->count, sizeof **faces);
    if (!*faces)
        return slip_fail_memory(ctx);
    memcpy(*faces, found->items, (size_t)found->count * sizeof **faces);
    *count = found->count;
    return SLIP_OK;
}

/* ---- chains ---- */

/* The nodes before and after each node along the edge, with the body on the left; -1 for none. */
typedef struct links {
    int *before, *after;
} links;

static int link_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set,
                      const int *faces, int count, links *l)
{
    l->before = slip_alloc(mesh->node_count, sizeof *l->before);
    l->after = slip_alloc(mesh->node_count, sizeof *l->after);
    if (!l->before || !l->after)
        return slip_fail_memory(ctx);
    for (int i = 0; i < mesh->node_count; i++)
        l->before[i] = l->after[i] = -1;
    for (int i = 0; i < count; i++) {
        int nodes[slip_face_nodes_max];
        slip_mesh_face_nodes(mesh, faces[i], nodes);
        if (l->after[nodes[0]] == nodes[1])
            continue; /* listed twice */
        if (l->after[nodes[0]] >= 0 || l->before[nodes[1]] >= 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: set `%s` branches at (%.6g, %.6g), expected a line",
                             owner, set, mesh->points[2 * nodes[0]], mesh->points[2 * nodes[0] + 1]);
        l->after[nodes[0]] = nodes[1];
        l->before[nodes[1]] = nodes[0];
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

/* Of a closed chain, the node with the smallest x. */
static int leftmost(const slip_mesh *mesh, const links *l, int start)
{
    int best = start;
    for (int node = l->after[start]; node != start; node = l->after[node])
        if (is_before(mesh, node, best))
            best = node;
    return best;
}

static void take_chains(const slip_mesh *mesh, slip_edge *edge, links *l)
{
    for (int node = 0; node < mesh->node_count; node++)
        if (l->after[node] >= 0 && l->before[node] < 0)
            take_chain(edge, l, node);
    for (int node = 0; node < mesh->node_count; node++)
        if (l->after[node] >= 0)
            take_chain(edge, l, leftmost(mesh, l, node));
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

int slip_chain_segment_count(const slip_chain *chain)
{
    return chain->closed ? chain->count : chain->count - 1;
}

/* The segment's normal times its length. */
static void segment_normal(const slip_edge *edge, const slip_chain *chain, const slip_mesh *mesh, int k,
                           int nodes[2], double normal[2])
{
    const double side = chain->reversed ? -1 : 1;
    const double *from, *to;
    nodes[0] = edge->nodes[chain->first + k];
    nodes[1] = edge->nodes[chain->first + (k + 1) % chain->count];
    from = mesh->points + 2 * (int64_t)nodes[0];
    to = mesh->points + 2 * (int64_t)nodes[1];
    normal[0] = side * (to[1] - from[1]);
    normal[1] = -side * (to[0] - from[0]);
}

void slip_chain_segment(const slip_edge *edge, const slip_chain *chain, const slip_mesh *mesh, int k,
                        int nodes[2], double normal[2])
{
    double length;
    segment_normal(edge, chain, mesh, k, nodes, normal);
    length = hypot(normal[0], normal[1]);
    normal[0] /= length;
    normal[1] /= length;
}

static void find_normals(const slip_mesh *mesh, slip_edge *edge)
{
    for (int c = 0; c < edge->chain_count; c++) {
        const slip_chain *chain = &edge->chains[c];
        for (int k = 0; k < slip_chain_segment_count(chain); k++) {
            const int ends[2] = {k, (k + 1) % chain->count};
            double normal[2];
            int nodes[2];
            segment_normal(edge, chain, mesh, k, nodes, normal);
            edge->longest = fmax(edge->longest, hypot(normal[0], normal[1]));
            for (int e = 0; e < 2; e++)
                for (int i = 0; i < 2; i++)
                    edge->normals[2 * (chain->first + ends[e]) + i] += normal[i];
        }
    }
    for (int i = 0; i < edge->node_count; i++) {
        const double length = hypot(edge->normals[2 * i], edge->normals[2 * i + 1]);
        for (int k = 0; k < 2 && length > 0; k++)
            edge->normals[2 * i + k] /= length;
    }
}

int slip_edge_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_edge *edge)
{
    int *faces = NULL, count, status;
    links l = {0};
    *edge = (slip_edge){0};
    SLIP_TRY(slip_set_faces(ctx, owner, mesh, boundary, set, &faces, &count));
    SLIP_TRY(link_faces(ctx, owner, mesh, set, faces, count, &l));
    edge->nodes = slip_alloc(2 * (int64_t)count, sizeof *edge->nodes);
    edge->normals = slip_alloc(4 * (int64_t)count, sizeof *edge->normals);
    edge->chains = slip_alloc(count, sizeof *edge->chains);
    if (!edge->nodes || !edge->normals || !edge->chains) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    take_chains(mesh, edge, &l);
    for (int c = 0; c < edge->chain_count; c++)
        orient(mesh, edge, &edge->chains[c]);
    sort_chains(mesh, edge);
    find_normals(mesh, edge);
done:
    free(l.before);
    free(l.after);
    free(faces);
    if (status < 0)
        slip_edge_free(edge);
    return status;
}

void slip_edge_free(slip_edge *edge)
{
    free(edge->nodes);
    free(edge->normals);
    free(edge->chains);
    *edge = (slip_edge){0};
}
