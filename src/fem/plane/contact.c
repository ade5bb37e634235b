/* Contact points: every node of the first edge against the nearest point of the second edge (node to segment)
 * or against a rigid plane; in space points of a surface against the nearest point of another one
 * (fem/skin.h). Middle nodes of edges of second order are contact points too: a constant pressure has the
 * nodal forces 1/6, 4/6, 1/6 of a segment's, which all press. With two passes the points of the second side
 * follow, against the first one.
 *
 * The normal n of a pair is the reversed outward normal of the second side at the nearest point: that of the
 * segment, or the mean of two segments where the point is their common node. Matching meshes are the case in
 * which the nearest point is a node. A node that has nothing in front of it (it is beyond the end of the
 * other edge, or its own edge looks another way there) is no contact point. */
#include "fem/plane/types.h"
#include "fem/skin.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Outward normals of the two sides: less than about 100 degrees between them is no contact. */
static const double facing = -0.2;
static const double snap = slip_surface_snap;

/* One side of a surface while its points are found. */
typedef struct side {
    const slip_plane_body *body;
    slip_edge edge; /* in the plane */
    slip_skin skin; /* in space; of both the points */
} side;

typedef struct finder {
    slip_context *ctx;
    slip_plane *plane;
    int surface;
    side sides[2];
    const side *first, *second; /* of these in the pass at hand; the second is NULL for the rigid plane */
    double normal[3];           /* of the rigid plane, of unit length */
    int number;                 /* of points so far */
    int beyond, away;           /* nodes left out: beyond the end, looking another way */
    bool dropped;               /* a pair was held on both sides */
} finder;

/* ---- sides ---- */

typedef struct lengths {
    double of[slip_segment_nodes_max];
    int count;
} lengths;

static void add_length(void *user, const double *value, const double *place, double length)
{
    lengths *to = user;
    (void)place;
    for (int i = 0; i < to->count; i++)
        to->of[i] += value[i] * length;
}

/* The nodes of an edge as points, and the length that each stands for. */
static bool list_points(side *s)
{
    slip_surface_point *points = s->skin.points = slip_alloc(s->edge.node_count, sizeof *points);
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
            lengths own = {.count = s->edge.segment->cell->node_count};
            double at[2 * slip_segment_nodes_max];
            int nodes[slip_segment_nodes_max];
            slip_chain_segment(&s->edge, chain, s->body->mesh, k, nodes, at);
            slip_element_integrate(s->edge.segment, 2, at, add_length, &own);
            for (int i = 0; i < own.count; i++)
                points[chain->first + slip_chain_place(&s->edge, chain, k, i)].area += own.of[i];
        }
    }
    return points != NULL;
}

/* The interface of a body by matrices: places without faces, which look wherever the other side is. */
static int list_interface(slip_context *ctx, const char *owner, const char *set, side *s)
{
    const slip_mesh *mesh = s->body->mesh;
    bool *taken = slip_alloc(mesh->node_count, sizeof *taken);
    int status;
    s->skin.points = slip_alloc(mesh->node_count, sizeof *s->skin.points);
    SLIP_TRY(taken && s->skin.points ? SLIP_OK : slip_fail_memory(ctx));
    SLIP_TRY(slip_set_nodes(ctx, owner, mesh, set, taken));
    for (int i = 0; i < mesh->node_count; i++) {
        slip_surface_point *point = &s->skin.points[s->skin.point_count];
        if (!taken[i])
            continue;
        *point = (slip_surface_point){.node_count = 1, .nodes = {i}, .weights = {1}};
        memcpy(point->place, mesh->points + mesh->dimension * (int64_t)i,
               (size_t)mesh->dimension * sizeof *point->place);
        s->skin.point_count++;
    }
done:
    free(taken);
    return status;
}

static int find_side(finder *f, const char *body_name, const char *edge, side *s)
{
    const char *contact = f->plane->surfaces[f->surface].name;
    char owner[160];
    int status;
    for (int i = 0; i < f->plane->body_count; i++)
        if (strcmp(f->plane->bodies[i].name, body_name) == 0)
            s->body = &f->plane->bodies[i];
    if (!s->body)
        return slip_fail(f->ctx, SLIP_ERROR_MODEL, "contact `%s`: there is no body `%s`", contact, body_name);
    snprintf(owner, sizeof owner, "contact `%.60s`: body `%.60s`", contact, body_name);
    if (s->body->mass && s != &f->sides[0])
        return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                         "contact `%s`: body `%s` is given by matrices, which have points and no surface: "
                         "expected it as the first side",
                         contact, body_name);
    if (s->body->mass)
        return list_interface(f->ctx, owner, edge, s);
    if (s->body->mesh->dimension == 3)
        return slip_skin_create(f->ctx, owner, s->body->mesh, s->body->boundary, edge, &s->skin);
    SLIP_TRY(slip_edge_create(f->ctx, owner, s->body->mesh, s->body->boundary, edge, &s->edge));
    SLIP_TRY(list_points(s) ? SLIP_OK : slip_fail_memory(f->ctx));
done:
    return status;
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
                            slip_nearest *best)
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
    *best = (slip_nearest){.distance = distance,
                           .place = {p.place[0], p.place[1]},
                           .node_count = s->edge.segment->cell->node_count,
                           .beyond = before || behind};
    memcpy(best->nodes, nodes, sizeof nodes);
    memcpy(best->weights, p.value, sizeof p.value);
    slip_chain_normal(chain, p.tangent, best->normal);
    for (int i = 0; i < 2; i++)
        best->normal[i] /= hypot(p.tangent[0], p.tangent[1]);
    if (end >= 0)
        memcpy(best->normal,
               s->edge.normals + 2 * (int64_t)(chain->first + slip_chain_place(&s->edge, chain, k, end)),
               2 * sizeof *best->normal);
}

static slip_nearest look_for(const side *s, const double *place)
{
    slip_nearest best = {.distance = INFINITY};
    if (s->body->mesh->dimension == 3)
        return slip_skin_look(&s->skin, place);
    for (int c = 0; c < s->edge.chain_count; c++)
        for (int k = 0; k < slip_chain_segment_count(&s->edge, &s->edge.chains[c]); k++)
            look_at_segment(s, &s->edge.chains[c], k, place, &best);
    return best;
}

/* ---- rows ---- */

static void add_entry(int d, slip_contact_row *row, int node, const double *direction, double factor)
{
    const double rounding = 1e-14; /* what is less would be taken for a direction where the rest is held */
    for (int k = 0; k < d; k++)
        if (fabs(direction[k]) > rounding) {
            row->components[row->count] = d * node + k;
            row->values[row->count++] = factor * direction[k];
        }
}

/* The row of (u1 - u2) . direction. Entries of weight zero are left out. */
static slip_contact_row make_row(const finder *f, const slip_surface_point *point, const slip_nearest *to,
                                 const double *direction)
{
    const int d = f->plane->dimension;
    slip_contact_row row = {0};
    for (int i = 0; i < point->node_count; i++)
        add_entry(d, &row, f->first->body->first_node + point->nodes[i], direction, point->weights[i]);
    for (int i = 0; i < to->node_count; i++)
        if (to->weights[i] != 0)
            add_entry(d, &row, f->second->body->first_node + to->nodes[i], direction, -to->weights[i]);
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
    bool complete =
        slip_array_reserve(&plane->contacts, &plane->contact_capacity, needed, sizeof *plane->contacts) &&
        slip_array_reserve(&plane->gaps, &plane->gap_capacity, needed, sizeof *plane->gaps);
    for (int k = 0; k < plane->dimension; k++)
        complete = complete && slip_array_reserve(&plane->rows[k], &plane->row_capacity[k], needed,
                                                  sizeof *plane->rows[k]);
    return complete;
}

/* In the plane the normal turned by 90 degrees: along a chain the body is on the left unless it is reversed.
 * In space x along the surface, or y, and what is across. */
static void set_tangents(const finder *f, const slip_surface_point *point, slip_plane_contact *c)
{
    const double turn = point->reversed ? -1 : 1, *n = c->normal, near_x = 0.9;
    if (f->plane->dimension == 2) {
        c->tangent[0] = -turn * n[1];
        c->tangent[1] = turn * n[0];
        return;
    }
    const int axis = fabs(n[0]) > near_x;
    double length = 0;
    for (int k = 0; k < 3; k++)
        c->tangent[k] = (k == axis) - n[axis] * n[k];
    length = sqrt(slip_dot(3, c->tangent, c->tangent));
    for (int k = 0; k < 3; k++)
        c->tangent[k] /= length;
    for (int k = 0; k < 3; k++)
        c->across[k] = c->tangent[(k + 1) % 3] * n[(k + 2) % 3] - c->tangent[(k + 2) % 3] * n[(k + 1) % 3];
}

static int add_point(finder *f, const slip_surface_point *point, const slip_nearest *to)
{
    slip_plane *plane = f->plane;
    slip_plane_contact c = {.surface = f->surface,
                            .node = f->first->body->first_node + point->nodes[0],
                            .second = f->first == &f->sides[1],
                            .area = point->area * f->first->body->elastic.thickness};
    slip_contact_row rows[3];
    double gap = 0;
    for (int k = 0; k < 3; k++) {
        c.place[k] = point->place[k];
        c.normal[k] = -to->normal[k];
        gap += (to->place[k] - point->place[k]) * c.normal[k];
    }
    set_tangents(f, point, &c);
    const double *const directions[] = {c.normal, c.tangent, c.across};
    for (int k = 0; k < plane->dimension; k++) {
        rows[k] = make_row(f, point, to, directions[k]);
        c.slides |= k > 0 && !is_empty(plane, &rows[k]);
    }
    if (is_empty(plane, &rows[0])) {
        f->dropped = true;
        return SLIP_OK;
    }
    if (!reserve(plane))
        return slip_fail_memory(f->ctx);
    c.number = ++f->number;
    snprintf(c.name, sizeof c.name, "%.60s[%d]", plane->surfaces[f->surface].name, c.number);
    plane->gaps[plane->contact_count] = gap + 0.0; /* no -0 */
    plane->contacts[plane->contact_count] = c;
    for (int k = 0; k < plane->dimension; k++)
        plane->rows[k][plane->contact_count] = rows[k];
    plane->contact_count++;
    return SLIP_OK;
}

/* What stands in front of a point: the nearest point of the other side, or the plane. The rigid plane goes
 * through its point, which depends on the parameters: here it goes through the origin, and gap_at adds the
 * rest. */
static slip_nearest look_from(const finder *f, const double place[3])
{
    slip_nearest to = {.normal = {f->normal[0], f->normal[1], f->normal[2]}};
    if (f->second)
        return look_for(f->second, place);
    for (int k = 0; k < 3; k++)
        to.place[k] = place[k] - slip_dot(3, place, f->normal) * f->normal[k];
    return to;
}

static double longest_of(const side *s)
{
    return fmax(s->edge.longest, s->skin.longest);
}

static int check_depth(finder *f, const double place[3], const slip_nearest *to)
{
    double depth = 0;
    for (int k = 0; k < 3; k++)
        depth -= (place[k] - to->place[k]) * to->normal[k];
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    if (!f->second || depth <= fmax(longest_of(f->first), longest_of(f->second)))
        return SLIP_OK;
    return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                     "contact `%s`: %s.%s and %s.%s do not face each other: the point (%.6g, %.6g%s) is %.3g "
                     "behind the second edge",
                     s->name, s->first_body, s->first_edge, s->second_body, s->second_edge, place[0],
                     place[1], f->plane->dimension == 3 ? ", ..." : "", depth);
}

static int look_at_point(finder *f, const slip_surface_point *point)
{
    const slip_nearest to = look_from(f, point->place);
    int status;
    if (to.beyond) {
        f->beyond++;
        return SLIP_OK;
    }
    if (!f->first->body->mass && slip_dot(3, point->normal, to.normal) > facing) {
        f->away++;
        return SLIP_OK;
    }
    status = check_depth(f, point->place, &to);
    return status < 0 ? status : add_point(f, point, &to);
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
                     s->name, s->first_body, s->first_edge, other, f->first->skin.point_count, f->away,
                     f->beyond);
}

static int find_surface(finder *f)
{
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    const double length = sqrt(slip_dot(3, s->normal, s->normal));
    int status;
    SLIP_TRY(find_side(f, s->first_body, s->first_edge, &f->sides[0]));
    if (s->second_body)
        SLIP_TRY(find_side(f, s->second_body, s->second_edge, &f->sides[1]));
    for (int k = 0; k < 3 && !s->second_body; k++)
        f->normal[k] = s->normal[k] / length;
    if (s->both && f->sides[0].body->mass)
        SLIP_TRY(
            slip_fail(f->ctx, SLIP_ERROR_MODEL,
                      "contact `%s`: found two passes with body `%s`, which is given by matrices and has "
                      "no surface: expected one",
                      s->name, s->first_body));
    for (int pass = 0; pass < (s->both && s->second_body ? 2 : 1); pass++) {
        f->first = &f->sides[pass];
        f->second = s->second_body ? &f->sides[1 - pass] : NULL;
        for (int i = 0; i < f->first->skin.point_count; i++)
            SLIP_TRY(look_at_point(f, &f->first->skin.points[i]));
    }
    SLIP_TRY(check_found(f));
done:
    for (int k = 0; k < 2; k++) {
        slip_edge_free(&f->sides[k].edge);
        slip_skin_free(&f->sides[k].skin);
    }
    return status;
}

int slip_plane_find_contacts(slip_context *ctx, slip_plane *plane, int surface)
{
    finder f = {.ctx = ctx, .plane = plane, .surface = surface};
    return find_surface(&f);
}
