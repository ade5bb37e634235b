#include "flex/sliding.h"

#include "base/memory.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The displacement of a surface node along one axis: a row over its body's coordinates (reduced), or an
 * unknown of the field (whole); neither where a support holds it. */
typedef struct shift {
    int first, count; /* coordinates of the system */
    const double *row;
    int64_t place; /* behind them, in the field; -1: not there */
} shift;

typedef struct sliding {
    slip_arena arena;
    const slip_slide *slide;
    int dimension, count, node_count, n;
    int *index_of; /* of each node of all bodies its number among the listed ones */
    shift *shifts; /* `dimension` for each of these */
    double *added; /* to the gap of each point */
    int64_t *unknowns;
    int64_t unknown_count;
} sliding;

/* ---- made once ---- */

static int body_of(const slip_plane *plane, int node)
{
    int body = 0;
    while (body + 1 < slip_plane_body_count(plane) && node >= slip_plane_body_first_node(plane, body + 1))
        body++;
    return body;
}

/* `row` is scratch of motion->count numbers. */
static bool set_shift(sliding *s, const slip_plane *plane, const slip_plane_motion *motion, int node,
                      int axis, int first, double *row, shift *to)
{
    const int64_t component = s->dimension * (int64_t)node + axis,
                  unknown = slip_plane_unknown(plane, component);
    const int body = body_of(plane, node);
    *to = (shift){.place = -1};
    if (unknown < 0)
        return true;
    if (!motion->bodies[body]) {
        to->place = slip_plane_motion_place(motion, unknown);
        s->unknowns[s->unknown_count++] = to->place;
        return true;
    }
    to->first = first + motion->first[body];
    to->count = motion->first[body + 1] - motion->first[body];
    double *own = slip_arena_array(&s->arena, to->count, sizeof *own);
    if (!own)
        return false;
    slip_plane_motion_component(motion, plane, component, row);
    if (to->count > 0)
        memcpy(own, row + motion->first[body], (size_t)to->count * sizeof *own);
    to->row = own;
    return true;
}

static void destroy(void *self)
{
    SLIP_FREED sliding *s = self;
    if (s)
        slip_arena_free(&s->arena);
}

static bool fill(sliding *s, const slip_plane *plane, const slip_plane_motion *motion, int first,
                 const double *added)
{
    const int *nodes;
    const int all = slip_plane_node_count(plane);
    s->node_count = slip_slide_nodes(s->slide, &nodes);
    s->index_of = slip_arena_array(&s->arena, all, sizeof *s->index_of);
    s->shifts = slip_arena_array(&s->arena, (int64_t)s->dimension * s->node_count, sizeof *s->shifts);
    s->added = slip_arena_array(&s->arena, s->count, sizeof *s->added);
    s->unknowns = slip_arena_array(&s->arena, (int64_t)s->dimension * s->node_count, sizeof *s->unknowns);
    SLIP_FREED double *row = slip_alloc(motion->count, sizeof *row);
    bool complete = s->index_of && s->shifts && s->added && s->unknowns && row;
    if (complete)
        memcpy(s->added, added, (size_t)s->count * sizeof *added);
    for (int i = 0; i < s->node_count && complete; i++) {
        s->index_of[nodes[i]] = i;
        for (int k = 0; k < s->dimension && complete; k++)
            complete = set_shift(s, plane, motion, nodes[i], k, first, row, &s->shifts[s->dimension * i + k]);
    }
    return complete;
}

/* ---- in motion ---- */

typedef struct search {
    slip_slide_search *of_slide;
    slip_pair *pairs;
    double *moved;
} search;

static void close_search(void *memory)
{
    SLIP_FREED search *own = memory;
    if (own) {
        slip_slide_close(own->of_slide);
        free(own->pairs);
        free(own->moved);
    }
}

static void *open_search(const void *self)
{
    const sliding *s = self;
    search *own = slip_alloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->of_slide = slip_slide_open(s->slide);
    own->pairs = slip_alloc(s->count, sizeof *own->pairs);
    own->moved = slip_alloc((int64_t)s->dimension * s->node_count, sizeof *own->moved);
    if (own->of_slide && own->pairs && own->moved)
        return own;
    close_search(own);
    return NULL;
}

/* Adds value times a displacement to a row; false where a support holds the node. */
static bool add_shift(const shift *from, double value, slip_found_row *to)
{
    for (int i = 0; i < from->count; i++)
        to->row[from->first + i] += value * from->row[i];
    if (from->place >= 0) {
        to->unknown[to->count] = from->place;
        to->value[to->count++] = value;
    }
    return from->row || from->place >= 0;
}

/* Row k of a pair, from the displacements along its direction k; the row of the gap has the opposite sign. */
static bool add_row(const sliding *s, const slip_pair *pair, int k, slip_found_row *to)
{
    const double *direction = pair->directions[k], rounding = 1e-14;
    bool moves = false;
    for (int a = 0; a < pair->node_count; a++)
        for (int axis = 0; axis < s->dimension; axis++) {
            const shift *from = &s->shifts[s->dimension * s->index_of[pair->nodes[a]] + axis];
            if (fabs(direction[axis]) > rounding)
                moves |= add_shift(from, (k == 0 ? -1 : 1) * pair->weights[a] * direction[axis], to);
        }
    return moves;
}

static void find(const void *self, void *memory, const double *q, slip_found_contact *found)
{
    const sliding *s = self;
    search *own = memory;
    for (int i = 0; i < s->dimension * s->node_count; i++) {
        const shift *from = &s->shifts[i];
        own->moved[i] = from->place >= 0 ? q[s->n + from->place]
                        : from->row      ? slip_dot(from->count, from->row, q + from->first)
                                         : 0;
    }
    slip_slide_find(s->slide, own->of_slide, own->moved, own->pairs);
    for (int c = 0; c < s->count; c++) {
        const slip_pair *pair = &own->pairs[c];
        found[c].near = pair->near;
        found[c].number = 0;
        for (int k = 0; k < s->dimension && found[c].rows[k].row && found[c].near; k++) {
            const bool moves = add_row(s, pair, k, &found[c].rows[k]);
            found[c].near = moves || k > 0; /* what is held on both sides cannot press */
        }
        const slip_found_row *gap = &found[c].rows[0];
        if (found[c].near)
            found[c].number = pair->gap + s->added[c] - slip_dot(s->n, gap->row, q) -
                              slip_tail_dot(&(slip_tail){gap->count, gap->unknown, gap->value}, s->n, q);
    }
}

static const slip_detector_type type = {
    .name = "sliding surfaces", .open = open_search, .close = close_search, .find = find, .destroy = destroy};

int slip_sliding_create(slip_context *ctx, const slip_plane *plane, const slip_plane_motion *motion,
                        const slip_slide *slide, int n, int first, const double *added, slip_detector *to)
{
    sliding *s = slip_alloc(1, sizeof *s);
    SLIP_PASS(slip_allocated(ctx, s));
    s->slide = slide;
    s->dimension = slip_plane_dimension(plane);
    s->count = slip_slide_count(slide);
    s->n = n;
    if (!fill(s, plane, motion, first, added)) {
        destroy(s);
        return slip_fail_memory(ctx);
    }
    *to = (slip_detector){.type = &type,
                          .self = s,
                          .count = s->count,
                          .entries = slip_plane_row_max,
                          .unknowns = s->unknowns,
                          .unknown_count = s->unknown_count};
    return SLIP_OK;
}
