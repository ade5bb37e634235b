#include "fem/plane/slide.h"

#include "base/memory.h"
#include "fem/boxes.h"
#include "fem/plane/side.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_slide {
    slip_arena arena;
    int dimension, passes, first, count; /* points of all passes */
    slip_side sides[2];
    slip_boxes boxes[2];
    int *nodes, *own; /* listed nodes, numbered over all bodies and in their meshes; first those of side 0 */
    int node_count, nodes_of_first;
};

struct slip_slide_search {
    slip_arena arena;
    double *points[2], *normals[2], *bounds[2]; /* of each side */
    int *last;                                  /* the part that each point was nearest to */
};

/* ---- pairs ---- */

bool slip_pair_faces(const double normal[3], const double other[3])
{
    const double facing = -0.2; /* less than about 100 degrees between them is no contact */
    return slip_dot(3, normal, other) <= facing;
}

/* Sets the tangents. In the plane: the normal rotated by 90 degrees, with the body on the left of the chain
 * unless it is reversed. In space: the projection of x (or y) on the surface, and the direction across. */
static void set_tangents(int dimension, bool reversed, slip_pair *pair)
{
    const double turn = reversed ? -1 : 1, *n = pair->directions[0], near_x = 0.9;
    double *tangent = pair->directions[1], *across = pair->directions[2];
    if (dimension == 2) {
        tangent[0] = -turn * n[1];
        tangent[1] = turn * n[0];
        return;
    }
    const int axis = fabs(n[0]) > near_x;
    for (int k = 0; k < 3; k++)
        tangent[k] = (k == axis) - n[axis] * n[k];
    slip_normalise(tangent);
    slip_cross(tangent, n, across);
}

void slip_pair_make(int dimension, const slip_surface_point *point, const double *place, int first_node,
                    const slip_nearest *to, int second_node, slip_pair *pair)
{
    *pair = (slip_pair){.near = true};
    for (int k = 0; k < dimension; k++) {
        pair->directions[0][k] = -to->normal[k];
        pair->gap += (to->place[k] - place[k]) * pair->directions[0][k];
    }
    set_tangents(dimension, point->reversed, pair);
    for (int i = 0; i < point->node_count; i++) {
        pair->nodes[pair->node_count] = first_node + point->nodes[i];
        pair->weights[pair->node_count++] = point->weights[i];
    }
    for (int i = 0; i < to->node_count; i++) {
        if (to->weights[i] == 0)
            continue;
        pair->nodes[pair->node_count] = second_node + to->nodes[i];
        pair->weights[pair->node_count++] = -to->weights[i];
    }
}

/* ---- what can meet ---- */

static bool is_searched(const slip_slide *slide, int side)
{
    return side == 1 || slide->passes == 2;
}

static int make_boxes(slip_context *ctx, slip_slide *slide, int side)
{
    const slip_side *s = &slide->sides[side];
    const int count = slip_side_part_count(s), d = slide->dimension;
    SLIP_FREED double *centres = slip_alloc(3 * (int64_t)count, sizeof *centres);
    SLIP_PASS(slip_allocated(ctx, centres));
    for (int p = 0; p < count; p++) {
        int nodes[slip_face_nodes_max];
        const int corners = slip_side_part(s, p, nodes);
        for (int i = 0; i < corners; i++)
            for (int k = 0; k < d; k++)
                centres[3 * (int64_t)p + k] += s->mesh->points[d * (int64_t)nodes[i] + k] / corners;
    }
    return slip_boxes_create(ctx, count, centres, &slide->boxes[side]);
}

/* Lists the nodes of a side; `taken` has one flag for each node of its mesh. */
static void list_nodes(slip_slide *slide, int side, bool *taken)
{
    const slip_side *s = &slide->sides[side];
    int nodes[slip_face_nodes_max];
    for (int i = 0; i < s->skin.point_count && (side == 0 || slide->passes == 2); i++)
        for (int k = 0; k < s->skin.points[i].node_count; k++)
            taken[s->skin.points[i].nodes[k]] = true;
    for (int p = 0; p < slip_side_part_count(s) && is_searched(slide, side); p++)
        for (int k = slip_side_part(s, p, nodes) - 1; k >= 0; k--)
            taken[nodes[k]] = true;
    for (int i = 0; i < s->mesh->node_count && !s->line; i++)
        if (taken[i]) {
            slide->own[slide->node_count] = i;
            slide->nodes[slide->node_count++] = s->first_node + i;
        }
}

int slip_slide_create(slip_context *ctx, int passes, slip_side *sides, slip_slide **result)
{
    SLIP_FREED_BY(slip_slide_drop) slip_slide *slide = slip_alloc(1, sizeof *slide);
    *result = NULL;
    if (!slide) {
        slip_side_free(&sides[0]);
        slip_side_free(&sides[1]);
        return slip_fail_memory(ctx);
    }
    memcpy(slide->sides, sides, sizeof slide->sides);
    memset(sides, 0, sizeof slide->sides);
    slide->passes = passes;
    slide->dimension = slide->sides[0].mesh->dimension;
    const int64_t most = (int64_t)slide->sides[0].mesh->node_count + slide->sides[1].mesh->node_count;
    slide->nodes = slip_arena_array(&slide->arena, most, sizeof *slide->nodes);
    slide->own = slip_arena_array(&slide->arena, most, sizeof *slide->own);
    SLIP_FREED bool *taken = slip_alloc(most, sizeof *taken);
    SLIP_PASS(slip_allocated(ctx, slide->nodes && slide->own && taken));
    for (int side = 0; side < 2; side++) {
        list_nodes(slide, side, taken + side * slide->sides[0].mesh->node_count);
        if (side == 0)
            slide->nodes_of_first = slide->node_count;
        if (is_searched(slide, side))
            SLIP_PASS(make_boxes(ctx, slide, side));
        if (side < passes)
            slide->count += slide->sides[side].skin.point_count;
    }
    SLIP_HAND(result, slide);
    return SLIP_OK;
}

void slip_slide_destroy(slip_slide *slide)
{
    if (!slide)
        return;
    for (int side = 0; side < 2; side++) {
        slip_side_free(&slide->sides[side]);
        slip_boxes_free(&slide->boxes[side]);
    }
    slip_arena_free(&slide->arena);
    free(slide);
}

const slip_slide *slip_plane_slide(const slip_plane *plane, int k)
{
    return k < plane->slide_count ? plane->slides[k] : NULL;
}

int slip_slide_first(const slip_slide *slide)
{
    return slide->first;
}

void slip_slide_set_first(slip_slide *slide, int contact)
{
    slide->first = contact;
}

int slip_slide_count(const slip_slide *slide)
{
    return slide->count;
}

int slip_slide_nodes(const slip_slide *slide, const int **nodes)
{
    *nodes = slide->nodes;
    return slide->node_count;
}

const slip_surface_point *slip_slide_point(const slip_slide *slide, int i, int *side)
{
    const int of_first = slide->sides[0].skin.point_count;
    *side = i >= of_first;
    return &slide->sides[*side].skin.points[i - *side * of_first];
}

/* ---- a search ---- */

slip_slide_search *slip_slide_open(const slip_slide *slide)
{
    slip_slide_search *search = slip_alloc(1, sizeof *search);
    if (!search)
        return NULL;
    slip_arena *arena = &search->arena;
    search->last = slip_arena_array(arena, slide->count, sizeof *search->last);
    bool complete = search->last != NULL;
    for (int side = 0; side < 2 && complete; side++) {
        const slip_side *s = &slide->sides[side];
        const int64_t numbers = slide->dimension * (int64_t)s->mesh->node_count;
        search->points[side] = slip_arena_array(arena, numbers, sizeof(double));
        search->normals[side] = slip_arena_array(arena, slip_side_normal_count(s), sizeof(double));
        search->bounds[side] = slip_arena_array(arena, slip_boxes_size(&slide->boxes[side]), sizeof(double));
        complete = search->points[side] && search->normals[side] && search->bounds[side];
        if (complete)
            memcpy(search->points[side], s->mesh->points, (size_t)numbers * sizeof(double));
    }
    if (complete)
        return search;
    slip_slide_close(search);
    return NULL;
}

void slip_slide_close(slip_slide_search *search)
{
    if (search)
        slip_arena_free(&search->arena);
    free(search);
}

/* A side while it is looked at. */
typedef struct looker {
    const slip_side *side;
    slip_shape shape;
    const double *place;
    slip_nearest best;
    int last;
} looker;

static double look_at_part(void *user, int part)
{
    looker *l = user;
    const double before = l->best.distance;
    slip_side_nearest_in_part(l->side, l->shape, part, l->place, &l->best);
    if (l->best.distance < before)
        l->last = part;
    return l->best.distance;
}

/* The box of the nodes of a part, enlarged for parts of second order, which are curved. */
static void box_of(const void *user, int part, double box[6])
{
    const looker *l = user;
    const int d = l->side->mesh->dimension;
    int nodes[slip_face_nodes_max];
    const int count = slip_side_part(l->side, part, nodes);
    for (int k = 0; k < 3; k++) {
        box[k] = k < d ? INFINITY : 0;
        box[3 + k] = k < d ? -INFINITY : 0;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < d; k++) {
            const double at = l->shape.points[d * (int64_t)nodes[i] + k];
            box[k] = fmin(box[k], at);
            box[3 + k] = fmax(box[3 + k], at);
        }
    double widest = 0;
    for (int k = 0; k < d && count > 2 * (d - 1); k++)
        widest = fmax(widest, box[3 + k] - box[k]);
    for (int k = 0; k < d; k++) {
        box[k] -= widest / 2;
        box[3 + k] += widest / 2;
    }
}

/* At a corner the normal is the direction from the corner to the place, unless they nearly coincide. */
static void turn_normal(const double place[3], double longest, slip_nearest *to)
{
    const double tiny = 1e-9;
    double away[3];
    if (!to->corner || to->distance <= tiny * longest)
        return;
    for (int k = 0; k < 3; k++)
        away[k] = place[k] - to->place[k];
    const double side = slip_dot(3, away, to->normal) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        to->normal[k] = side * away[k] / to->distance;
}

static void find_pair(const slip_slide *slide, slip_slide_search *search, int i, slip_pair *pair)
{
    int own;
    const slip_surface_point *point = slip_slide_point(slide, i, &own);
    const slip_side *first = &slide->sides[own], *second = &slide->sides[1 - own];
    const int d = slide->dimension;
    double place[3] = {0, 0, 0};
    for (int a = 0; a < point->node_count; a++)
        for (int k = 0; k < d; k++)
            place[k] += point->weights[a] * search->points[own][d * (int64_t)point->nodes[a] + k];
    looker l = {.side = second,
                .shape = {search->points[1 - own], search->normals[1 - own]},
                .place = place,
                .best = {.distance = INFINITY},
                .last = search->last[i]};
    look_at_part(&l, search->last[i]);
    slip_boxes_search(&slide->boxes[1 - own], search->bounds[1 - own], place, l.best.distance, &l,
                      look_at_part);
    search->last[i] = l.last;
    const double longest = fmax(slip_side_longest(first), slip_side_longest(second));
    turn_normal(place, longest, &l.best);
    if (second->line)
        l.best.node_count = 0;
    slip_pair_make(d, point, place, first->first_node, &l.best, second->first_node, pair);
    pair->near =
        !l.best.beyond && -pair->gap <= longest &&
        (slip_dot(3, point->normal, point->normal) == 0 || slip_pair_faces(point->normal, l.best.normal));
}

void slip_slide_find(const slip_slide *slide, slip_slide_search *search, const double *moved,
                     slip_pair *pairs)
{
    const int d = slide->dimension;
    for (int i = 0; i < slide->node_count; i++) {
        const int side = i >= slide->nodes_of_first;
        const int64_t at = d * (int64_t)slide->own[i];
        for (int k = 0; k < d; k++)
            search->points[side][at + k] =
                slide->sides[side].mesh->points[at + k] + moved[d * (int64_t)i + k];
    }
    for (int side = 0; side < 2; side++) {
        const looker l = {.side = &slide->sides[side], .shape = {search->points[side], NULL}};
        if (!is_searched(slide, side))
            continue;
        slip_side_normals(l.side, search->points[side], search->normals[side]);
        slip_boxes_fit(&slide->boxes[side], &l, box_of, search->bounds[side]);
    }
    for (int i = 0; i < slide->count; i++)
        find_pair(slide, search, i, &pairs[i]);
}
