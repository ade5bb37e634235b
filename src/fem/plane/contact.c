/* Contact points: every node of the first edge against the nearest point of the second edge (node to segment)
 * or against a rigid plane; in space points of a surface against the nearest point of another one
 * (fem/skin.h). Middle nodes of edges of second order are contact points too: a constant pressure has the
 * nodal forces 1/6, 4/6, 1/6 of a segment's, which all press. With two passes the points of the second side
 * follow, against the first one.
 *
 * The normal n of a pair is the reversed outward normal of the second side at the nearest point: that of the
 * segment, or the mean of two segments where the point is their common node. Matching meshes are the case in
 * which the nearest point is a node. A node without a partner (beyond the end of the other edge, or with a
 * normal that does not oppose it) is no contact point. */
#include "fem/plane/side.h"
#include "fem/plane/slide.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct finder {
    slip_context *ctx;
    slip_plane *plane;
    int surface;
    slip_side sides[2];
    const slip_side *first, *second; /* sides of the present pass; the second is NULL for the rigid plane */
    const slip_side *second_side;    /* that of points of the second pass, or NULL */
    double normal[3];                /* of the rigid plane, of unit length */
    int number;                      /* of points so far */
    int beyond, away;                /* nodes left out: beyond the end, looking another way */
    bool dropped;                    /* a pair was held on both sides */
} finder;

/* ---- rows ---- */

static void add_entry(int d, slip_contact_row *row, int node, const double *direction, double factor)
{
    const double rounding =
        1e-14; /* smaller entries are dropped: they would count where all others are held */
    for (int k = 0; k < d; k++)
        if (fabs(direction[k]) > rounding) {
            row->components[row->count] = d * node + k;
            row->values[row->count++] = factor * direction[k];
        }
}

/* The row of (u1 - u2) . direction. */
static slip_contact_row make_row(int d, const slip_pair *pair, const double *direction)
{
    slip_contact_row row = {0};
    for (int i = 0; i < pair->node_count; i++)
        add_entry(d, &row, pair->nodes[i], direction, pair->weights[i]);
    return row;
}

/* Whether a row is zero on all unknowns. */
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
    bool complete = SLIP_ROOM(plane->contacts, plane->contact_capacity, needed) &&
                    SLIP_ROOM(plane->gaps, plane->gap_capacity, needed);
    for (int k = 0; k < plane->dimension; k++)
        complete = complete && SLIP_ROOM(plane->rows[k], plane->row_capacity[k], needed);
    return complete;
}

/* Adds a contact point with its pair. With large sliding also points without a partner, with empty rows. */
static int add_point(finder *f, const slip_side *side, const slip_surface_point *point, const slip_pair *pair,
                     bool far)
{
    slip_plane *plane = f->plane;
    slip_plane_contact c = {.surface = f->surface,
                            .node = side->first_node + point->nodes[0],
                            .second = side == f->second_side,
                            .area = point->area * side->body->elastic.thickness,
                            .slides = far};
    slip_contact_row rows[3] = {{0}};
    memcpy(c.place, point->place, sizeof c.place);
    memcpy(c.normal, pair->directions[0], sizeof c.normal);
    memcpy(c.tangent, pair->directions[1], sizeof c.tangent);
    memcpy(c.across, pair->directions[2], sizeof c.across);
    for (int k = 0; k < plane->dimension && pair->near; k++) {
        rows[k] = make_row(plane->dimension, pair, pair->directions[k]);
        c.slides |= k > 0 && !is_empty(plane, &rows[k]);
    }
    if (!far && is_empty(plane, &rows[0])) {
        f->dropped = true;
        return SLIP_OK;
    }
    if (!reserve(plane))
        return slip_fail_memory(f->ctx);
    c.number = ++f->number;
    snprintf(c.name, sizeof c.name, "%.60s[%d]", plane->surfaces[f->surface].name, c.number);
    plane->gaps[plane->contact_count] = pair->gap + 0.0; /* no -0 */
    plane->contacts[plane->contact_count] = c;
    for (int k = 0; k < plane->dimension; k++)
        plane->rows[k][plane->contact_count] = rows[k];
    plane->contact_count++;
    return SLIP_OK;
}

/* The partner of a point: the nearest point of the other side, or of the rigid plane. The latter is taken
 * through the origin here; gap_at adds the distance by its point, which depends on the parameters. */
static slip_nearest look_from(const finder *f, const double place[3])
{
    slip_nearest to = {.normal = {f->normal[0], f->normal[1], f->normal[2]}};
    if (f->second)
        return slip_side_nearest(f->second, place);
    for (int k = 0; k < 3; k++)
        to.place[k] = place[k] - slip_dot(3, place, f->normal) * f->normal[k];
    return to;
}

static int check_depth(finder *f, const double place[3], double depth)
{
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    if (!f->second || depth <= fmax(slip_side_longest(f->first), slip_side_longest(f->second)))
        return SLIP_OK;
    return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                     "contact `%s`: %s.%s and %s.%s do not face each other: the point (%.6g, %.6g%s) is %.3g "
                     "behind the second edge",
                     s->name, s->first_body, s->first_edge, s->second_body, s->second_edge, place[0],
                     place[1], f->plane->dimension == 3 ? ", ..." : "", depth);
}

/* Whether the body has large strains, so that it may rotate and touch a rigid plane with any of its sides. */
static bool tumbles(const finder *f)
{
    return f->first->body->large && !f->plane->surfaces[f->surface].second_body;
}

static int look_at_point(finder *f, const slip_surface_point *point)
{
    slip_nearest to = look_from(f, point->place);
    slip_pair pair;
    if (to.beyond) {
        f->beyond++;
        return SLIP_OK;
    }
    if (!f->first->body->mass && !tumbles(f) && !slip_pair_faces(point->normal, to.normal)) {
        f->away++;
        return SLIP_OK;
    }
    if (f->second && f->second->line)
        to.node_count = 0;
    slip_pair_make(f->plane->dimension, point, point->place, f->first->first_node, &to,
                   f->second ? f->second->first_node : 0, &pair);
    SLIP_PASS(check_depth(f, point->place, -pair.gap));
    return add_point(f, f->first, point, &pair, false);
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

/* Finds the partners of all points of a surface at the displacements u of all nodes (NULL: none). */
static int find_pairs(slip_context *ctx, const slip_plane *plane, const slip_slide *slide, const double *u,
                      slip_pair **pairs)
{
    const int *nodes, d = plane->dimension, count = slip_slide_nodes(slide, &nodes);
    SLIP_FREED_BY(slip_slide_search_drop) slip_slide_search *search = slip_slide_open(slide);
    SLIP_FREED double *moved = slip_alloc(d * (int64_t)count, sizeof *moved);
    *pairs = slip_alloc(slip_slide_count(slide), sizeof **pairs);
    SLIP_PASS(slip_allocated(ctx, search && moved && *pairs));
    for (int64_t i = 0; i < d * (int64_t)count && u; i++)
        moved[i] = u[d * (int64_t)nodes[i / d] + i % d];
    slip_slide_find(slide, search, moved, *pairs);
    return SLIP_OK;
}

/* Adds all points of a surface with large sliding, with their present partners. */
static int find_far(finder *f, int passes)
{
    slip_plane *plane = f->plane;
    SLIP_FREED_BY(slip_slide_drop) slip_slide *slide = NULL;
    SLIP_FREED slip_pair *pairs = NULL;
    const slip_side before[2] = {f->sides[0], f->sides[1]};
    SLIP_PASS(slip_slide_create(f->ctx, passes, f->sides, &slide));
    SLIP_PASS(find_pairs(f->ctx, plane, slide, NULL, &pairs));
    SLIP_PASS(
        slip_allocated(f->ctx, SLIP_ROOM(plane->slides, plane->slide_capacity, plane->slide_count + 1)));
    slip_slide_set_first(slide, plane->contact_count);
    for (int i = 0; i < slip_slide_count(slide); i++) {
        int side;
        const slip_surface_point *point = slip_slide_point(slide, i, &side);
        f->second_side = side == 1 ? &before[1] : NULL;
        if (!pairs[i].near)
            pairs[i].gap = fmax(slip_side_longest(&before[0]), slip_side_longest(&before[1]));
        SLIP_PASS(add_point(f, &before[side], point, &pairs[i], true));
    }
    plane->slides[plane->slide_count++] = slide;
    slide = NULL;
    return SLIP_OK;
}

int slip_plane_pair_again(slip_context *ctx, slip_plane *plane, const double *u)
{
    for (int k = 0; k < plane->slide_count; k++) {
        const slip_slide *slide = plane->slides[k];
        SLIP_FREED slip_pair *pairs = NULL;
        SLIP_PASS(find_pairs(ctx, plane, slide, u, &pairs));
        for (int i = 0; i < slip_slide_count(slide); i++)
            for (int r = 0; r < plane->dimension; r++)
                plane->rows[r][slip_slide_first(slide) + i] =
                    pairs[i].near ? make_row(plane->dimension, &pairs[i], pairs[i].directions[r])
                                  : (slip_contact_row){0};
    }
    return SLIP_OK;
}

static int check_passes(const finder *f)
{
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    if (!s->both || !f->sides[0].body->mass)
        return SLIP_OK;
    return slip_fail(f->ctx, SLIP_ERROR_MODEL,
                     "contact `%s`: found two passes with body `%s`, which is given by matrices and has "
                     "no surface: expected one",
                     s->name, s->first_body);
}

static void free_finder(finder *f)
{
    slip_side_free(&f->sides[0]);
    slip_side_free(&f->sides[1]);
}

static int find_surface(finder *f)
{
    const slip_plane_surface *s = &f->plane->surfaces[f->surface];
    const double length = sqrt(slip_dot(3, s->normal, s->normal));
    const int passes = s->both && s->second_body ? 2 : 1;
    SLIP_PASS(slip_side_create(f->ctx, f->plane, s->name, s->first_body, s->first_edge, true, &f->sides[0]));
    if (s->line)
        SLIP_PASS(slip_side_create_line(f->ctx, s->line, s->line_count, &f->sides[1]));
    else if (s->second_body)
        SLIP_PASS(
            slip_side_create(f->ctx, f->plane, s->name, s->second_body, s->second_edge, false, &f->sides[1]));
    for (int k = 0; k < 3 && !s->second_body; k++)
        f->normal[k] = s->normal[k] / length;
    SLIP_PASS(check_passes(f));
    if (s->far && s->second_body)
        SLIP_PASS(find_far(f, passes));
    for (int pass = 0; pass < passes && !s->far; pass++) {
        f->first = &f->sides[pass];
        f->second = s->second_body ? &f->sides[1 - pass] : NULL;
        f->second_side = pass == 1 ? f->first : NULL;
        for (int i = 0; i < f->first->skin.point_count; i++)
            SLIP_PASS(look_at_point(f, &f->first->skin.points[i]));
    }
    return s->far ? SLIP_OK : check_found(f);
}

int slip_plane_find_contacts(slip_context *ctx, slip_plane *plane, int surface)
{
    SLIP_FREED_BY(free_finder) finder f = {.ctx = ctx, .plane = plane, .surface = surface};
    return find_surface(&f);
}
