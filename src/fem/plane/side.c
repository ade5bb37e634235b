/* The two sides of a surface: their contact points, and the point of one that is nearest to a place. */
#include "fem/plane/side.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double snap = slip_surface_snap;

/* ---- sides ---- */

/* The nodes of an edge as points, and the length that each stands for. */
static bool list_points(slip_side *s)
{
    slip_surface_point *points = s->skin.points =
        slip_arena_array(&s->skin.arena, s->edge.node_count, sizeof *points);
    s->skin.point_count = s->edge.node_count;
    for (int c = 0; c < s->edge.chain_count && points; c++) {
        const slip_chain *chain = &s->edge.chains[c];
        for (int i = chain->first; i < chain->first + chain->count; i++) {
            points[i] = (slip_surface_point){
                .node_count = 1, .nodes = {s->edge.nodes[i]}, .weights = {1}, .reversed = chain->reversed};
            memcpy(points[i].place, s->body->mesh->points + 2 * (int64_t)s->edge.nodes[i],
                   2 * sizeof(double));
            memcpy(points[i].normal, s->edge.normals + 2 * (int64_t)i, 2 * sizeof(double));
        }
        for (int k = 0; k < slip_chain_segment_count(&s->edge, chain); k++) {
            slip_shape_sums own = {.count = s->edge.segment->cell->node_count};
            double at[2 * slip_segment_nodes_max];
            int nodes[slip_segment_nodes_max];
            slip_chain_segment(&s->edge, chain, s->body->mesh->points, k, nodes, at);
            slip_element_integrate(s->edge.segment, 2, at, slip_shape_sums_add, &own);
            for (int i = 0; i < own.count; i++)
                points[chain->first + slip_chain_place(&s->edge, chain, k, i)].area += own.of[i];
        }
    }
    return points != NULL;
}

/* The interface of a body given by matrices: points without faces, hence without a normal of their own. */
static int list_interface(slip_context *ctx, const char *owner, const char *set, slip_side *s)
{
    const slip_mesh *mesh = s->body->mesh;
    SLIP_FREED bool *taken = slip_alloc(mesh->node_count, sizeof *taken);
    s->skin.points = slip_arena_array(&s->skin.arena, mesh->node_count, sizeof *s->skin.points);
    SLIP_PASS(taken && s->skin.points ? SLIP_OK : slip_fail_memory(ctx));
    SLIP_PASS(slip_set_nodes(ctx, owner, mesh, set, taken));
    for (int i = 0; i < mesh->node_count; i++) {
        slip_surface_point *point = &s->skin.points[s->skin.point_count];
        if (!taken[i])
            continue;
        *point = (slip_surface_point){.node_count = 1, .nodes = {i}, .weights = {1}};
        memcpy(point->place, mesh->points + mesh->dimension * (int64_t)i,
               (size_t)mesh->dimension * sizeof *point->place);
        s->skin.point_count++;
    }
    return SLIP_OK;
}

int slip_side_create(slip_context *ctx, const slip_plane *plane, const char *contact, const char *body_name,
                     const char *edge, bool first, slip_side *s)
{
    char owner[160];
    *s = (slip_side){0};
    for (int i = 0; i < plane->body_count; i++)
        if (strcmp(plane->bodies[i].name, body_name) == 0)
            s->body = &plane->bodies[i];
    if (!s->body)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "contact `%s`: there is no body `%s`", contact, body_name);
    s->mesh = s->body->mesh;
    s->first_node = s->body->first_node;
    snprintf(owner, sizeof owner, "contact `%.60s`: body `%.60s`", contact, body_name);
    if (s->body->mass && !first)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: body `%s` is given by matrices, which have points and no surface: "
                         "expected it as the first side",
                         contact, body_name);
    if (s->body->mass)
        return list_interface(ctx, owner, edge, s);
    if (s->body->mesh->dimension == 3)
        return slip_skin_create(ctx, owner, s->body->mesh, s->body->boundary, edge, &s->skin);
    SLIP_PASS(slip_edge_create(ctx, owner, s->body->mesh, s->body->boundary, edge, &s->edge));
    return list_points(s) ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_side_create_line(slip_context *ctx, const double *points, int count, slip_side *s)
{
    slip_edge *edge = &s->edge;
    *s = (slip_side){0};
    SLIP_PASS(slip_mesh_create(ctx, 2, count, &s->line));
    s->mesh = s->line;
    memcpy(s->line->points, points, 2 * (size_t)count * sizeof *points);
    edge->segment = slip_element_find(&slip_cell_line2);
    edge->nodes = slip_arena_array(&edge->arena, count, sizeof *edge->nodes);
    edge->normals = slip_arena_array(&edge->arena, 2 * (int64_t)count, sizeof *edge->normals);
    edge->chains = slip_arena_array(&edge->arena, 1, sizeof *edge->chains);
    SLIP_PASS(slip_allocated(ctx, edge->nodes && edge->normals && edge->chains));
    for (int i = 0; i < count; i++)
        edge->nodes[i] = i;
    for (int i = 0; i + 1 < count; i++)
        edge->longest = fmax(edge->longest,
                             hypot(points[2 * i + 2] - points[2 * i], points[2 * i + 3] - points[2 * i + 1]));
    edge->node_count = count;
    edge->chain_count = 1;
    edge->chains[0] = (slip_chain){.count = count, .reversed = true};
    slip_edge_normals(edge, points, edge->normals);
    return SLIP_OK;
}

void slip_side_free(slip_side *s)
{
    slip_mesh_destroy(s->line);
    slip_edge_free(&s->edge);
    slip_skin_free(&s->skin);
    *s = (slip_side){0};
}

slip_shape slip_side_shape(const slip_side *s)
{
    return (slip_shape){s->mesh->points, s->edge.normals ? s->edge.normals : s->skin.normals};
}

double slip_side_longest(const slip_side *s)
{
    return fmax(s->edge.longest, s->skin.longest);
}

/* ---- nearest points ---- */

/* The coordinate of the point of a segment nearest to a place: -1 to 1 inside, else beyond its ends. Newton's
 * method for (place - x) . tangent = 0, exact in one step for a straight segment. It starts at the nearest
 * node, with steps of at most half the segment. */
static double nearest_at(const slip_edge *edge, const double *points, const double place[2])
{
    const double tiny = 1e-14;
    double at = 0, best = INFINITY;
    for (int i = 0; i < edge->segment->cell->node_count; i++) {
        const double distance = hypot(place[0] - points[2 * i], place[1] - points[2 * i + 1]);
        at = distance < best ? edge->segment->nodes[i][0] : at;
        best = fmin(best, distance);
    }
    if (edge->segment->cell->node_count == 2)
        at = 0;
    for (int i = 0; i < 50; i++) {
        const slip_segment_point p = slip_segment_at(edge, points, at);
        const double away[2] = {place[0] - p.place[0], place[1] - p.place[1]};
        const double length = p.tangent[0] * p.tangent[0] + p.tangent[1] * p.tangent[1];
        const double curved = length - (away[0] * p.bend[0] + away[1] * p.bend[1]);
        /* Beyond the centre of curvature the second derivative is negative: a Gauss-Newton step then. */
        double step =
            (away[0] * p.tangent[0] + away[1] * p.tangent[1]) / (curved > length / 4 ? curved : length);
        if (edge->segment->cell->node_count > 2)
            step = fmin(fmax(step, -1), 1);
        at += step;
        if (fabs(step) < tiny || fabs(at) > 3 || edge->segment->cell->node_count == 2)
            break;
    }
    return at;
}

/* Searches segment k of a chain. A point nearer to an end than `snapped` is moved onto it. */
static void look_at_segment(const slip_side *s, slip_shape shape, const slip_chain *chain, int k,
                            double snapped, const double place[2], slip_nearest *best)
{
    const int last = slip_chain_segment_count(&s->edge, chain) - 1;
    double points[2 * slip_segment_nodes_max], at, distance;
    int nodes[slip_segment_nodes_max], end = -1;
    slip_chain_segment(&s->edge, chain, shape.points, k, nodes, points);
    at = nearest_at(&s->edge, points, place);
    const bool before = at < -1 - 2 * snap && k == 0 && !chain->closed;
    const bool behind = at > 1 + 2 * snap && k == last && !chain->closed;
    if (at < -1 + 2 * snapped)
        end = 0;
    else if (at > 1 - 2 * snapped)
        end = 1;
    const slip_segment_point p = slip_segment_at(&s->edge, points, end < 0 ? at : 2 * end - 1);
    distance = hypot(place[0] - p.place[0], place[1] - p.place[1]);
    if (!(distance < best->distance))
        return;
    *best = (slip_nearest){.distance = distance,
                           .place = {p.place[0], p.place[1]},
                           .node_count = s->edge.segment->cell->node_count,
                           .beyond = before || behind,
                           .corner = end >= 0};
    memcpy(best->nodes, nodes, sizeof nodes);
    memcpy(best->weights, p.value, sizeof p.value);
    slip_chain_normal(chain, p.tangent, best->normal);
    for (int i = 0; i < 2; i++)
        best->normal[i] /= hypot(p.tangent[0], p.tangent[1]);
    if (end >= 0)
        memcpy(best->normal,
               shape.normals + 2 * (int64_t)(chain->first + slip_chain_place(&s->edge, chain, k, end)),
               2 * sizeof *best->normal);
}

slip_nearest slip_side_nearest(const slip_side *s, const double *place)
{
    const slip_shape shape = slip_side_shape(s);
    slip_nearest best = {.distance = INFINITY};
    if (s->skin.faces)
        return slip_skin_nearest(&s->skin, shape, place);
    for (int c = 0; c < s->edge.chain_count; c++)
        for (int k = 0; k < slip_chain_segment_count(&s->edge, &s->edge.chains[c]); k++)
            look_at_segment(s, shape, &s->edge.chains[c], k, snap, place, &best);
    return best;
}

/* ---- parts ---- */

int slip_side_part_count(const slip_side *s)
{
    int count = s->skin.face_count;
    for (int c = 0; c < s->edge.chain_count; c++)
        count += slip_chain_segment_count(&s->edge, &s->edge.chains[c]);
    return count;
}

/* The chain of a segment, and its number in it. */
static const slip_chain *chain_of(const slip_side *s, int *part)
{
    const slip_chain *chain = s->edge.chains;
    for (int count; *part >= (count = slip_chain_segment_count(&s->edge, chain)); chain++)
        *part -= count;
    return chain;
}

int slip_side_part(const slip_side *s, int part, int nodes[slip_face_nodes_max])
{
    if (s->skin.faces)
        return slip_skin_face(&s->skin, part, nodes);
    const slip_chain *chain = chain_of(s, &part);
    const int count = s->edge.segment->cell->node_count;
    for (int i = 0; i < count; i++)
        nodes[i] = s->edge.nodes[chain->first + slip_chain_place(&s->edge, chain, part, i)];
    return count;
}

void slip_side_nearest_in_part(const slip_side *s, slip_shape shape, int part, const double place[3],
                               slip_nearest *best)
{
    if (s->skin.faces) {
        slip_skin_nearest_in_face(&s->skin, shape, part, place, best);
        return;
    }
    const slip_chain *chain = chain_of(s, &part);
    look_at_segment(s, shape, chain, part, 0, place, best);
}

int slip_side_normal_count(const slip_side *s)
{
    return s->skin.faces ? 3 * s->skin.mesh->node_count : 2 * s->edge.node_count;
}

void slip_side_normals(const slip_side *s, const double *points, double *normals)
{
    if (s->skin.faces)
        slip_skin_normals(&s->skin, points, normals);
    else
        slip_edge_normals(&s->edge, points, normals);
}
