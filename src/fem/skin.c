/* Surfaces of bodies in space: contact points, and the nearest point of a place. */
#include "fem/skin.h"

#include "fem/edge.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A face with its nodes. */
typedef struct face {
    const slip_element_type *type;
    int node_count, nodes[slip_face_nodes_max];
    double points[3 * slip_face_nodes_max];
} face;

int slip_skin_face(const slip_skin *skin, int k, int nodes[slip_face_nodes_max])
{
    return slip_mesh_face_nodes(skin->mesh, skin->faces[k], nodes);
}

static face face_of(const slip_skin *skin, const double *points, int k)
{
    face f = {.type = slip_element_find(
                  slip_mesh_group_of(skin->mesh, skin->faces[k] / slip_cell_faces_max)->cell->face)};
    f.node_count = slip_skin_face(skin, k, f.nodes);
    for (int a = 0; a < f.node_count; a++)
        memcpy(f.points + 3 * a, points + 3 * (int64_t)f.nodes[a], 3 * sizeof(double));
    return f;
}

/* A place of a face: shape functions, place, two tangents. */
typedef struct face_point {
    double value[slip_face_nodes_max], place[3], tangent[2][3];
} face_point;

static face_point face_at(const face *f, const double at[2])
{
    face_point p = {0};
    double slope[2 * slip_face_nodes_max];
    f->type->shape(f->type, at, p.value, slope);
    for (int a = 0; a < f->node_count; a++)
        for (int k = 0; k < 3; k++) {
            p.place[k] += p.value[a] * f->points[3 * a + k];
            p.tangent[0][k] += slope[2 * a] * f->points[3 * a + k];
            p.tangent[1][k] += slope[2 * a + 1] * f->points[3 * a + k];
        }
    return p;
}

static bool is_triangle(const face *f)
{
    return f->type->cell->corner_count == 3;
}

/* ---- normals, rim ---- */

void slip_skin_normals(const slip_skin *skin, const double *points, double *normals)
{
    memset(normals, 0, 3 * (size_t)skin->mesh->node_count * sizeof *normals);
    for (int k = 0; k < skin->face_count; k++) {
        const face f = face_of(skin, points, k);
        for (int a = 0; a < f.node_count; a++) {
            const face_point p = face_at(&f, f.type->nodes[a]);
            double normal[3];
            slip_cross(p.tangent[0], p.tangent[1], normal);
            for (int i = 0; i < 3; i++)
                normals[3 * (int64_t)f.nodes[a] + i] += normal[i];
        }
    }
    for (int i = 0; i < skin->mesh->node_count; i++)
        slip_normalise(normals + 3 * (int64_t)i);
}

static void find_longest(slip_skin *skin)
{
    for (int k = 0; k < skin->face_count; k++) {
        const face f = face_of(skin, skin->mesh->points, k);
        const int corners = f.type->cell->corner_count;
        for (int a = 0; a < corners; a++) {
            const double *p = f.points + 3 * a, *q = f.points + 3 * ((a + 1) % corners);
            const double edge[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            skin->longest = fmax(skin->longest, sqrt(slip_dot(3, edge, edge)));
        }
    }
}

/* An edge of a face by its corners. */
typedef struct rim_edge {
    int low, high, item; /* item: slip_face_corners_max * face + edge */
} rim_edge;

static int compare_edges(const void *a, const void *b)
{
    const rim_edge *p = a, *q = b;
    return p->low != q->low ? (p->low > q->low) - (p->low < q->low)
                            : (p->high > q->high) - (p->high < q->high);
}

static bool find_rim(slip_skin *skin)
{
    SLIP_FREED rim_edge *edges = slip_alloc((int64_t)skin->face_count * slip_face_corners_max, sizeof *edges);
    int count = 0;
    if (!edges)
        return false;
    for (int k = 0; k < skin->face_count; k++) {
        const face f = face_of(skin, skin->mesh->points, k);
        const int corners = f.type->cell->corner_count;
        for (int a = 0; a < corners; a++) {
            const int p = f.nodes[a], q = f.nodes[(a + 1) % corners];
            edges[count++] = (rim_edge){p < q ? p : q, p < q ? q : p, slip_face_corners_max * k + a};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count; i++)
        skin->rim[edges[i].item] = (i == 0 || compare_edges(&edges[i - 1], &edges[i]) != 0) &&
                                   (i == count - 1 || compare_edges(&edges[i + 1], &edges[i]) != 0);
    return true;
}

/* ---- contact points ---- */

void slip_shape_sums_add(void *sums, const double *value, const double *place, double area)
{
    slip_shape_sums *to = sums;
    (void)place;
    for (int a = 0; a < to->count; a++)
        to->of[a] += value[a] * area;
}

static void set_place(const slip_mesh *mesh, slip_surface_point *point)
{
    for (int a = 0; a < point->node_count; a++)
        for (int k = 0; k < 3; k++)
            point->place[k] += point->weights[a] * mesh->points[3 * (int64_t)point->nodes[a] + k];
}

/* Adds the middle of a face of eight nodes as a contact point, with the negative shares of its corners. */
static void add_middle(slip_skin *skin, const face *f, slip_shape_sums *own)
{
    static const double middle[2] = {0, 0};
    const face_point p = face_at(f, middle);
    slip_surface_point *point = &skin->points[skin->point_count++];
    *point = (slip_surface_point){.node_count = f->node_count};
    memcpy(point->nodes, f->nodes, sizeof point->nodes);
    memcpy(point->weights, p.value, sizeof point->weights);
    slip_cross(p.tangent[0], p.tangent[1], point->normal);
    slip_normalise(point->normal);
    set_place(skin->mesh, point);
    for (int a = 0; a < 4; a++)
        point->area -= own->of[a];
    for (int a = 4; a < 8; a++)
        own->of[a] -= point->area / 2;
}

/* Nodes in their order, then middles of faces. */
static bool find_points(slip_skin *skin)
{
    const int nodes = skin->mesh->node_count;
    SLIP_FREED double *area = slip_alloc(nodes, sizeof *area);
    SLIP_FREED bool *taken = slip_alloc(nodes, sizeof *taken);
    skin->points = slip_arena_array(&skin->arena, (int64_t)nodes + skin->face_count, sizeof *skin->points);
    if (!area || !taken || !skin->points)
        return false;
    for (int k = 0; k < skin->face_count; k++) {
        const face f = face_of(skin, skin->mesh->points, k);
        slip_shape_sums own = {.count = f.node_count};
        slip_element_integrate(f.type, 3, f.points, slip_shape_sums_add, &own);
        if (f.node_count == 8)
            add_middle(skin, &f, &own);
        for (int a = f.node_count == 8 ? 4 : 0; a < f.node_count; a++) {
            taken[f.nodes[a]] = true;
            area[f.nodes[a]] += own.of[a];
        }
    }
    const int middles = skin->point_count;
    int first = 0;
    for (int i = 0; i < nodes; i++)
        first += taken[i];
    memmove(skin->points + first, skin->points, (size_t)middles * sizeof *skin->points);
    for (int i = 0, at = 0; i < nodes; i++) {
        if (!taken[i])
            continue;
        skin->points[at] =
            (slip_surface_point){.node_count = 1, .nodes = {i}, .weights = {1}, .area = area[i]};
        memcpy(skin->points[at].normal, skin->normals + 3 * (int64_t)i, 3 * sizeof(double));
        set_place(skin->mesh, &skin->points[at++]);
    }
    skin->point_count = first + middles;
    return true;
}

int slip_skin_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_skin *skin)
{
    SLIP_FREED_BY(slip_skin_free) slip_skin s = {.mesh = mesh};
    *skin = (slip_skin){.mesh = mesh};
    SLIP_PASS(slip_set_faces(ctx, owner, mesh, boundary, set, &s.faces, &s.face_count));
    s.normals = slip_arena_array(&s.arena, 3 * (int64_t)mesh->node_count, sizeof(double));
    s.rim = slip_arena_array(&s.arena, (int64_t)s.face_count * slip_face_corners_max, sizeof *s.rim);
    SLIP_PASS(slip_allocated(ctx, s.normals && s.rim));
    find_longest(&s);
    slip_skin_normals(&s, mesh->points, s.normals);
    SLIP_PASS(slip_allocated(ctx, find_rim(&s) && find_points(&s)));
    *skin = s;
    s = (slip_skin){0};
    return SLIP_OK;
}

void slip_skin_free(slip_skin *skin)
{
    free(skin->faces);
    slip_arena_free(&skin->arena);
    *skin = (slip_skin){0};
}

/* ---- the nearest point ---- */

/* How far a reference place is outside of edge e of the face, in units of the face: positive outside. */
static double outside(const face *f, int e, const double at[2])
{
    if (is_triangle(f))
        return e == 0 ? -at[1] : e == 1 ? at[0] + at[1] - 1 : -at[0];
    return e == 0 ? -at[1] - 1 : e == 1 ? at[0] - 1 : e == 2 ? at[1] - 1 : -at[0] - 1;
}

/* The ends of edge e in the reference face. */
static void edge_ends(const face *f, int e, double from[2], double along[2])
{
    const double *p = f->type->nodes[e], *q = f->type->nodes[(e + 1) % f->type->cell->corner_count];
    for (int k = 0; k < 2; k++) {
        from[k] = p[k];
        along[k] = q[k] - p[k];
    }
}

/* The nearest point of the unbounded surface of a face, by Gauss-Newton least squares: exact in one step on a
 * flat parallelogram. */
static void nearest_inside(const face *f, const double place[3], double at[2])
{
    const double tiny = 1e-14;
    at[0] = at[1] = is_triangle(f) ? 1.0 / 3 : 0;
    for (int i = 0; i < 30; i++) {
        const face_point p = face_at(f, at);
        const double away[3] = {place[0] - p.place[0], place[1] - p.place[1], place[2] - p.place[2]};
        const double a = slip_dot(3, p.tangent[0], p.tangent[0]), b = slip_dot(3, p.tangent[0], p.tangent[1]),
                     c = slip_dot(3, p.tangent[1], p.tangent[1]), det = a * c - b * b;
        const double g = slip_dot(3, away, p.tangent[0]), h = slip_dot(3, away, p.tangent[1]);
        const double step[2] = {(c * g - b * h) / det, (a * h - b * g) / det};
        for (int k = 0; k < 2; k++)
            at[k] += fmin(fmax(step[k], -1), 1);
        if (!(fabs(step[0]) + fabs(step[1]) > tiny) || fabs(at[0]) + fabs(at[1]) > 6)
            break;
    }
}

/* The nearest place of edge e. */
static void nearest_on_edge(const face *f, int e, const double place[3], double at[2])
{
    double from[2], along[2], s = 0.5;
    edge_ends(f, e, from, along);
    for (int i = 0; i < 30; i++) {
        for (int k = 0; k < 2; k++)
            at[k] = from[k] + s * along[k];
        const face_point p = face_at(f, at);
        double tangent[3], away[3];
        for (int k = 0; k < 3; k++) {
            tangent[k] = along[0] * p.tangent[0][k] + along[1] * p.tangent[1][k];
            away[k] = place[k] - p.place[k];
        }
        const double before = s;
        s = fmin(fmax(s + slip_dot(3, away, tangent) / slip_dot(3, tangent, tangent), 0), 1);
        if (fabs(s - before) < 1e-14)
            break;
    }
    for (int k = 0; k < 2; k++)
        at[k] = from[k] + s * along[k];
}

static double distance_at(const face *f, const double place[3], const double at[2])
{
    const face_point p = face_at(f, at);
    const double away[3] = {place[0] - p.place[0], place[1] - p.place[1], place[2] - p.place[2]};
    return sqrt(slip_dot(3, away, away));
}

/* The nearest point of the face; *far: how far outside of edge *edge that of the unbounded surface is. */
static void nearest_of(const face *f, const double place[3], double at[2], double *far, int *edge)
{
    const int corners = f->type->cell->corner_count;
    double best = INFINITY, most[2];
    nearest_inside(f, place, most);
    *far = -INFINITY;
    *edge = -1;
    for (int e = 0; e < corners; e++)
        *far = fmax(*far, outside(f, e, most));
    if (*far <= slip_surface_snap) {
        memcpy(at, most, sizeof most);
        return;
    }
    for (int e = 0; e < corners; e++) {
        double own[2];
        nearest_on_edge(f, e, place, own);
        const double distance = distance_at(f, place, own);
        /* at a corner of two edges: the one that the place is further outside of */
        if (distance < best * (1 - 1e-12) ||
            (distance <= best * (1 + 1e-12) && outside(f, e, most) > outside(f, *edge, most))) {
            best = fmin(best, distance);
            *edge = e;
            memcpy(at, own, sizeof own);
        }
    }
}

/* The mean normal of the nodes where the place is at an edge of the face (true), else that of the face. */
static bool normal_at(const double *normals, const face *f, const face_point *p, const double at[2],
                      double normal[3])
{
    bool border = false;
    for (int e = 0; e < f->type->cell->corner_count; e++)
        border |= outside(f, e, at) > -2 * slip_surface_snap;
    slip_cross(p->tangent[0], p->tangent[1], normal);
    for (int k = 0; k < 3 && border; k++) {
        normal[k] = 0;
        for (int a = 0; a < f->node_count; a++)
            normal[k] += p->value[a] * normals[3 * (int64_t)f->nodes[a] + k];
    }
    slip_normalise(normal);
    return border;
}

/* Whether a face can be nearer than the best so far: its nodes are in a ball about the first. */
static bool may_be_nearer(const face *f, const double place[3], double best)
{
    double radius = 0;
    const double away[3] = {place[0] - f->points[0], place[1] - f->points[1], place[2] - f->points[2]};
    for (int a = 1; a < f->node_count; a++) {
        const double own[3] = {f->points[3 * a] - f->points[0], f->points[3 * a + 1] - f->points[1],
                               f->points[3 * a + 2] - f->points[2]};
        radius = fmax(radius, sqrt(slip_dot(3, own, own)));
    }
    return sqrt(slip_dot(3, away, away)) - 1.5 * radius < best;
}

void slip_skin_nearest_in_face(const slip_skin *skin, slip_shape shape, int k, const double place[3],
                               slip_nearest *best)
{
    const double rounding = 1e-12;
    const face f = face_of(skin, shape.points, k);
    double at[2], far, sum = 0;
    int edge;
    if (!may_be_nearer(&f, place, best->distance))
        return;
    nearest_of(&f, place, at, &far, &edge);
    const double distance = distance_at(&f, place, at);
    const bool beyond = edge >= 0 && skin->rim[slip_face_corners_max * k + edge];
    /* of two faces that are as near, one inside of whose rim the place is */
    const bool same = fabs(distance - best->distance) <= rounding * skin->longest;
    if (same ? !(best->beyond && !beyond) : !(distance < best->distance))
        return;
    const face_point p = face_at(&f, at);
    *best = (slip_nearest){.distance = distance, .node_count = f.node_count, .beyond = beyond};
    memcpy(best->place, p.place, sizeof best->place);
    memcpy(best->nodes, f.nodes, sizeof best->nodes);
    for (int a = 0; a < f.node_count; a++) { /* snapped to nodes that it is at */
        best->weights[a] = fabs(p.value[a]) > slip_surface_snap ? p.value[a] : 0;
        sum += best->weights[a];
    }
    for (int a = 0; a < f.node_count; a++)
        best->weights[a] /= sum;
    best->corner = normal_at(shape.normals, &f, &p, at, best->normal);
}

slip_nearest slip_skin_nearest(const slip_skin *skin, slip_shape shape, const double place[3])
{
    slip_nearest best = {.distance = INFINITY};
    for (int k = 0; k < skin->face_count; k++)
        slip_skin_nearest_in_face(skin, shape, k, place, &best);
    return best;
}
