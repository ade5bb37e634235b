/* Contact points: every node of the first edge against the nearest point of the second edge (node to segment)
 * or against a rigid plane. Middle nodes of edges of second order are contact points too: a constant pressure
 * has the nodal forces 1/6, 4/6, 1/6 of a segment's, which all press.
 *
 * The normal n of a pair is the reversed outward normal of the second side at the nearest point: that of the
 * segment, or the mean of two segments where the point is their common node. Matching meshes are the case in
 * which the nearest point is a node. A node that has nothing in front of it (it is beyond the end of the
 * other edge, or its own edge looks another way there) is no contact point. */
#include "fem/plane/types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Outward normals of the two sides: less than about 100 degrees between them is no contact. */
static const double facing = -0.2;
/* Places along a segment, relative to its length, that are taken for its ends. */
static const double snap = 1e-6;

/* The nearest point of an edge. */
typedef struct nearest {
    double distance;
    double place[2];
    double normal[2];                              /* outwards */
    int node_count, nodes[slip_segment_nodes_max]; /* of the segment, in the mesh */
    double weights[slip_segment_nodes_max];        /* of these nodes */
    bool beyond;                                   /* the point looked from is beyond the end of the edge */
} nearest;

/* One surface while its points are found. */
typedef struct side {
    const slip_plane_body *body;
    slip_edge edge;
} side;

typedef struct finder {
    slip_context *ctx;
    slip_plane *plane;
    int surface;
    side first, second;
    double normal[2]; /* of the rigid plane, of unit length */
    int number;       /* of points so far */
    int beyond, away; /* nodes left out: beyond the end, looking another way */
    bool dropped;     /* a pair was held on both sides */
} finder;

/* ---- sides ---- */

static int find_side(finder *f, const char *body_name, const char *edge, side *s)
{
    const char *contact = f->plane->surfaces[f->surface].name;
    char owner[160];
    for (int i = 0; i < f->plane->body_count; i++)
        if (strcmp(f->plane->bodies[i].name, body_name) == 0)
            s->body = &f->plane->bodies[i];
    if (!s->body)
        return slip_fail(f->ctx, SLIP_ERROR_MODEL, "contact `%s`: there is no body `%s`", contact, body_name);
    snprintf(owner, sizeof owner, "contact `%.60s`: body `%.60s`", contact, body_name);
    return slip_edge_create(f->ctx, owner, s->body->mesh, s->body->boundary, edge, &s->edge);
}

/* ---- nearest points ---- */

/* Where the segment is nearest to a place, at -1 to 1 inside, more or less beyond its ends: Newton for (place
 * - x) . tangent = 0, which is exact at once for a straight segment. From the nearest of its nodes on, and in
 * steps of at most half the segment. */
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
        /* Beyond the centre of curvature the second derivative is negative: Gauss and Newton's then. */
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

/* Looks at segment k of a chain. */
static void look_at_segment(const side *s, const slip_chain *chain, int k, const double place[2],
                            nearest *best)
{
    const int last = slip_chain_segment_count(&s->edge, chain) - 1;
    double points[2 * slip_segment_nodes_max], at, distance;
    int nodes[slip_segment_nodes_max], end = -1;
    slip_chain_segment(&s->edge, chain, s->body->mesh, k, nodes, points);
    at = nearest_at(&s->edge, points, place);
    const bool before = at < -1 - 2 * snap && k == 0 && !chain->closed;
    const bool behind = at > 1 + 2 * snap && k == last && !chain->closed;
    if (at < -1 + 2 * snap)
        end = 0;
    else if (at > 1 - 2 * snap)
        end = 1;
    const slip_segment_point p = slip_segment_at(&s->edge, points, end < 0 ? at : 2 * end - 1);
    distance = hypot(place[0] - p.place[0], place[1] - p.place[1]);
    if (!(distance < best->distance))
        return;
    *best = (nearest){.distance = distance,
                      .place = {p.place[0], p.place[1]},
                      .node_count = s->edge.segment->cell->node_count,
                      .beyond = before || behind};
    memcpy(best->nodes, nodes, sizeof best->nodes);
    memcpy(best->weights, p.value, sizeof best->weights);
    slip_chain_normal(chain, p.tangent, best->normal);
    for (int i = 0; i < 2; i++)
        best->normal[i] /= hypot(p.tangent[0], p.tangent[1]);
    if (end >= 0)
        memcpy(best->normal,
               s->edge.normals + 2 * (int64_t)(chain->first + slip_chain_place(&s->edge, chain, k, end)),
               sizeof best->normal);
}

static nearest look_for(const side *s, const double place[2])
{
    nearest best = {.distance = INFINITY};
    for (int c = 0; c < s->edge.chain_count; c++)
        for (int k = 0; k < slip_chain_segment_count(&s->edge, &s->edge.chains[c]); k++)
            look_at_segment(s, &s->edge.chains[c], k, place, &best);
    return best;
}

/* ---- rows ---- */

static void add_entry(slip_contact_row *row, int node, const double direction[2], double factor)
{
    for (int k = 0; k < 2; k++) {
        row->components[row->count] = 2 * node + k;
        row->values[row->count++] = factor * direction[k];
    }
}

/* The row of (u1 - u2) . direction. Entries of weight zero are left out. */
static slip_contact_row make_row(const finder *f, int node, const nearest *to, const double direction[2])
{
    slip_contact_row row = {0};
    add_entry(&row, f->first.body->first_node + node, direction, 1);
    for (int i = 0; i < to->node_count; i++)
        if (to->weights[i] != 0)
            add_entry(&row, f->second.body->first_node + to->nodes[i], direction, -to->weights[i]);
    return row;
}

/* True when no unknown moves what the row measures. */
static bool is_empty(const slip_plane *plane, const slip_contact_row *row)
{
    const double rounding = 1e-9;
    for (int i = 0; i < row->count; i++)
        if (plane->unknown_of[row->components[i]] >= 0 && fabs(row->values[i]) > rounding)
            return false;
    return true;
}

/* ---- points ---- */

static bool reserve(slip_plane *plane)
{
    const int64_t needed = plane->contact_count + 1;
    return slip_array_reserve(&plane->contacts, &plane->contact_capacity, needed, sizeof *plane->contacts) &&
           slip_array_reserve(&plane->gaps, &plane->gap_capacity, needed, sizeof *plane->gaps) &&
           slip_array_reserve(&plane->rows[0], &plane->row_capacity[0], needed, sizeof *plane->rows[0]) &&
           slip_array_reserve(&plane->rows[1], &plane->row_capacity[1], needed, sizeof *plane->rows[1]);
}

static int add_point(finder *f, const slip_chain *chain, int node, const nearest *to)
{
    slip_plane *plane = f->plane;
    const double *place = f->first.body->mesh->points + 2 * (int64_t)node;
    /* Along the chain the body is on the left unless it is reversed: t is n turned by 90 degrees then. */
    const double turn = chain->reversed ? -1 : 1;
    slip_plane_contact c = {.surface = f->surface, .node = f->first.body->first_node + node};
    slip_contact_row rows[2];
    for (int k = 0; k < 2; k++) {
        c.place[k] = place[k];
        c.normal[k] = -to->normal[k];
    }
    c.tangent[0] = -turn * c.normal[1];
    c.tangent[1] = turn * c.normal[0];
    rows[0] = make_row(f, node, to, c.normal);
    rows[1] = make_row(f, node, to, c.tangent);
    if (is_empty(plane, &rows[0])) {
        f->dropped = true;
        return SLIP_OK;
    }
    if (!reserve(plane))
        return slip_fail_memory(f->ctx);
    c.slides = !is_empty(plane, &rows[1]);
    c.number = ++f->number;
    snprintf(c.name, sizeof c.name, "%.60s[%d]", plane->surfaces[f->surface].name, c.number);
    plane->gaps[plane->contact_count] =
        (to->place[0] - place[0]) * c.normal[0] + (to->place[1] - place[1]) * c.normal[1] + 0.0; /* no -0 */
    plane->contacts[plane->contact_count] = c;
    plane->rows[0][plane->contact_count] = rows[0];
    plane->rows[1][plane->contact_count++] = rows[1];
    return SLIP_OK;
}

/* What stands in front of a node: the nearest point of the other edge, or the plane. The rigid plane goes
 * through its point, which depends on the parameters: here it goes through the origin, and gap_at adds the
 * rest. */
static nearest look_from(const finder *f, int node)
{
    const double *place = f->first.body->mesh->points + 2 * (int64_t)node;
    nearest to = {.normal = {f->normal[0], f->normal[1]}};
    double height;
    if (f->second.body)
        return look_for(&f->second, place);
    height = place[0] * f->normal[0] + place[1] * f->normal[1];
    for (int k = 0; k < 2; k++)
        to.place[k] = place[k] - height * f->normal[k];
    return to;
}

static int check_depth(finder *f, const double *place, const nearest *to)
{
    const double depth =
        (place[0] - to->place[0]) * -to->normal[0] + (place[1] - to->place[1]) * -to->normal[1];
    const double allowed = fmax(f->first.edge.longest, f->second.edge.longest);
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    if (!f->second.body || depth <= allowed)
        return SLIP_OK;
    return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                     "contact `%s`: %s.%s and %s.%s do not face each other: the point (%.6g, %.6g) is %.3g "
                     "behind the second edge",
                     s->name, s->first_body, s->first_edge, s->second_body, s->second_edge, place[0],
                     place[1], depth);
}

static int look_at_node(finder *f, const slip_chain *chain, int k)
{
    const int node = f->first.edge.nodes[chain->first + k];
    const double *own = f->first.edge.normals + 2 * (int64_t)(chain->first + k);
    const nearest to = look_from(f, node);
    int status;
    if (to.beyond) {
        f->beyond++;
        return SLIP_OK;
    }
    if (own[0] * to.normal[0] + own[1] * to.normal[1] > facing) {
        f->away++;
        return SLIP_OK;
    }
    status = check_depth(f, f->first.body->mesh->points + 2 * (int64_t)node, &to);
    return status < 0 ? status : add_point(f, chain, node, &to);
}

static int check_found(const finder *f)
{
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    char other[140];
    if (f->number > 0)
        return SLIP_OK;
    if (s->second_body)
        snprintf(other, sizeof other, "%.60s.%.60s", s->second_body, s->second_edge);
    else
        snprintf(other, sizeof other, "the rigid plane");
    if (f->dropped)
        return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: every pair of %s.%s and %s is held on both sides", s->name,
                         s->first_body, s->first_edge, other);
    return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                     "contact `%s`: %s.%s and %s do not face each other: of %d nodes %d look another way and "
                     "%d are beyond the end",
                     s->name, s->first_body, s->first_edge, other, f->first.edge.node_count, f->away,
                     f->beyond);
}

static int find_surface(finder *f)
{
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    const double length = hypot(s->normal[0], s->normal[1]);
    int status;
    SLIP_TRY(find_side(f, s->first_body, s->first_edge, &f->first));
    if (s->second_body)
        SLIP_TRY(find_side(f, s->second_body, s->second_edge, &f->second));
    for (int k = 0; k < 2 && !s->second_body; k++)
        f->normal[k] = s->normal[k] / length;
    for (int c = 0; c < f->first.edge.chain_count; c++)
        for (int k = 0; k < f->first.edge.chains[c].count; k++)
            SLIP_TRY(look_at_node(f, &f->first.edge.chains[c], k));
    SLIP_TRY(check_found(f));
done:
    slip_edge_free(&f->first.edge);
    slip_edge_free(&f->second.edge);
    return status;
}

int slip_plane_find_contacts(slip_context *ctx, slip_plane *plane, int surface)
{
    finder f = {.ctx = ctx, .plane = plane, .surface = surface};
    return find_surface(&f);
}
