#include "gear/gear_frames.h"

#include "fem/brick_stress.h"
#include "fem/solid.h"
#include "gear/geometry/gear_mesh.h"
#include "math/factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Nodes of two meshes of one gear are the same where they are so near, in parts of its radius. */
static const double same_place = 1e-7;

/* One gear. Numbers of nodes are those of the mesh; 3 numbers a node. */
typedef struct frame_gear {
    slip_gear_mesh *mesh;
    slip_solid *solid;
    slip_factor *factor;
    int *of_body;    /* the node of each node of the reduced body */
    int *flank_node; /* of each node of each flank */
    slip_gear_subject of;
    double angle, centre[2];
    double *q;        /* modes, less what the loads have of them */
    double *load;     /* B a, in the gear's frame */
    double *unknowns; /* of the solid */
    double *shape;    /* of the reduced body */
    double *displacement, *position, *mises;
} frame_gear;

struct slip_gear_frames {
    slip_arena arena;
    int gear_count;
    frame_gear *gear;
};

/* ---- Nodes by their places. */

typedef struct placed_node {
    double x;
    int node;
} placed_node;

static int by_x(const void *a, const void *b)
{
    const double x = ((const placed_node *)a)->x, y = ((const placed_node *)b)->x;
    return (x > y) - (x < y);
}

/* The node at a place; -1: none. */
static int find_node(const slip_mesh *mesh, const placed_node *sorted, const double at[3], double near)
{
    int low = 0, high = mesh->node_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle].x < at[0] - near)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < mesh->node_count && sorted[low].x <= at[0] + near; low++) {
        const double *p = mesh->points + 3 * (size_t)sorted[low].node;
        if (fabs(p[1] - at[1]) <= near && fabs(p[2] - at[2]) <= near)
            return sorted[low].node;
    }
    return -1;
}

static void turn(double angle, const double from[3], double to[3])
{
    const double c = cos(angle), s = sin(angle), x = from[0], y = from[1];
    to[0] = c * x - s * y;
    to[1] = s * x + c * y;
    to[2] = from[2];
}

/* Which nodes of the mesh those of the reduced body and of its flanks are. */
static bool match(frame_gear *g, const placed_node *sorted, double near)
{
    const slip_mesh *mesh = g->mesh->mesh;
    const slip_gear_wheel *wheel = g->of.wheel;
    bool all = true;
    slip_reduced_points(g->of.body, g->shape);
    for (int i = 0; i < mesh->node_count && all; i++) {
        g->of_body[i] = find_node(mesh, sorted, g->shape + 3 * (size_t)i, near);
        all = g->of_body[i] >= 0;
    }
    for (int f = 0; wheel && f < wheel->flanks; f++) {
        const slip_reduced_surface s = slip_reduced_surface_at(wheel->body, wheel->surface[f]);
        for (int i = 0; i < wheel->nodes && all; i++) {
            double place[3];
            turn(s.turn, s.points + 3 * (size_t)i, place);
            g->flank_node[f * wheel->nodes + i] = find_node(mesh, sorted, place, near);
            all = g->flank_node[f * wheel->nodes + i] >= 0;
        }
    }
    return all;
}

static int match_nodes(slip_context *ctx, frame_gear *g)
{
    const slip_mesh *mesh = g->mesh->mesh;
    SLIP_FREED placed_node *sorted = slip_alloc(mesh->node_count, sizeof *sorted);
    double radius = 0;
    SLIP_PASS(slip_allocated(ctx, sorted));
    for (int i = 0; i < mesh->node_count; i++) {
        sorted[i] = (placed_node){mesh->points[3 * (size_t)i], i};
        radius = fmax(radius, fabs(sorted[i].x));
    }
    qsort(sorted, (size_t)mesh->node_count, sizeof *sorted, by_x);
    if (slip_reduced_node_count(g->of.body) != mesh->node_count || !match(g, sorted, same_place * radius))
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: frames need a reduced body with the nodes of the gear's mesh",
                         g->of.gear->name);
    return SLIP_OK;
}

/* ---- Making. */

static int factorise(slip_context *ctx, frame_gear *g, const slip_gear_options *gear)
{
    const slip_solid_options options = {.young = gear->young,
                                        .poisson = gear->poisson,
                                        .density = gear->density,
                                        .compatible = strcmp(gear->element, "full") == 0,
                                        .lumped = true};
    const slip_mesh *mesh = g->mesh->mesh;
    SLIP_PASS(slip_solid_create(ctx, gear->name, mesh, slip_mesh_find(mesh, "bore", SLIP_SET_NODES), &options,
                                &g->solid));
    SLIP_FREED int64_t *group = slip_alloc(3 * (int64_t)g->solid->free_count, sizeof *group);
    SLIP_PASS(slip_allocated(ctx, group));
    for (int64_t i = 0; i < 3 * (int64_t)g->solid->free_count; i++)
        group[i] = i / 3;
    SLIP_PASS(slip_factor_analyse(ctx, g->solid->stiffness, group, &g->factor));
    const double need = 8.0 * (double)slip_factor_entries(g->factor), free_memory = slip_memory_available();
    if (need > free_memory)
        return slip_fail(ctx, SLIP_ERROR_MEMORY,
                         "%s: its frames need %.3g GB of memory for the stiffness of the whole mesh, but "
                         "only %.3g GB are free; use a coarser mesh, or none with `frames: 0`",
                         gear->name, 1e-9 * need, 1e-9 * free_memory);
    return slip_factor_compute(ctx, g->solid->stiffness, g->factor, NULL);
}

static int make_gear(slip_context *ctx, slip_arena *arena, frame_gear *g, const slip_gear_subject *of)
{
    g->of = *of;
    SLIP_PASS(slip_gear_mesh_create(ctx, of->gear, &g->mesh));
    const int64_t nodes = g->mesh->mesh->node_count,
                  flanks = of->wheel ? (int64_t)of->wheel->flanks * of->wheel->nodes : 0;
    g->of_body = slip_arena_array(arena, nodes, sizeof *g->of_body);
    g->flank_node = slip_arena_array(arena, flanks, sizeof *g->flank_node);
    g->q = slip_arena_array(arena, of->modes, sizeof(double));
    double **const lists[] = {&g->load, &g->unknowns, &g->shape, &g->displacement, &g->position};
    bool good = g->of_body && g->flank_node && g->q;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = slip_arena_array(arena, 3 * nodes, sizeof(double));
        good = good && *lists[i];
    }
    g->mises = slip_arena_array(arena, nodes, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, good && g->mises));
    SLIP_PASS(match_nodes(ctx, g));
    return factorise(ctx, g, of->gear);
}

int slip_gear_frames_create(slip_context *ctx, int count, const slip_gear_subject *subjects,
                            slip_gear_frames **frames)
{
    SLIP_FREED_BY(slip_gear_frames_drop) slip_gear_frames *f = slip_alloc(1, sizeof *f);
    *frames = NULL;
    SLIP_PASS(slip_allocated(ctx, f));
    f->gear = slip_arena_array(&f->arena, count, sizeof *f->gear);
    SLIP_PASS(slip_allocated(ctx, f->gear));
    f->gear_count = count;
    for (int k = 0; k < count; k++)
        SLIP_PASS(make_gear(ctx, &f->arena, &f->gear[k], &subjects[k]));
    SLIP_HAND(frames, f);
    return SLIP_OK;
}

void slip_gear_frames_destroy(slip_gear_frames *f)
{
    if (!f)
        return;
    for (int k = 0; k < f->gear_count; k++) {
        slip_factor_destroy(f->gear[k].factor);
        slip_solid_destroy(f->gear[k].solid);
        slip_gear_mesh_destroy(f->gear[k].mesh);
    }
    slip_arena_free(&f->arena);
    free(f);
}

/* ---- A frame. */

void slip_gear_frames_place(slip_gear_frames *f, int k, double angle, const double centre[2], const double *q)
{
    frame_gear *g = &f->gear[k];
    g->angle = angle;
    memcpy(g->centre, centre, sizeof g->centre);
    memcpy(g->q, q, sizeof *q * (size_t)g->of.modes);
    memset(g->load, 0, 3 * sizeof *g->load * (size_t)g->mesh->mesh->node_count);
}

void slip_gear_frames_load(slip_gear_frames *f, int k, int flank, const double *amplitude)
{
    frame_gear *g = &f->gear[k];
    const slip_gear_wheel *wheel = g->of.wheel;
    for (int i = 0; i < wheel->nodes; i++) {
        double *to = g->load + 3 * (size_t)g->flank_node[flank * wheel->nodes + i], load[3];
        turn(wheel->turn[flank], amplitude + 3 * (size_t)i, load);
        for (int d = 0; d < 3; d++)
            to[d] += load[d];
    }
}

/* displacement = K^-1 load; it is held at the bore. */
static int solve(slip_context *ctx, frame_gear *g)
{
    const slip_solid *s = g->solid;
    for (int i = 0; i < s->free_count; i++)
        memcpy(g->unknowns + 3 * (size_t)i, g->load + 3 * (size_t)s->node[i], 3 * sizeof(double));
    SLIP_PASS(slip_factor_solve(ctx, g->factor, 1, g->unknowns, g->unknowns));
    memset(g->displacement, 0, 3 * sizeof(double) * (size_t)s->mesh->node_count);
    for (int i = 0; i < s->free_count; i++)
        memcpy(g->displacement + 3 * (size_t)s->node[i], g->unknowns + 3 * (size_t)i, 3 * sizeof(double));
    return SLIP_OK;
}

/* displacement += Phi (q - Lambda^-1 Phi^T load). */
static void add_modes(frame_gear *g)
{
    const slip_reduced_mode *modes = slip_reduced_modes(g->of.body);
    const int nodes = g->mesh->mesh->node_count;
    for (int m = 0; m < g->of.modes; m++) {
        const double w = 2 * pi * modes[m].frequency;
        double share = 0;
        slip_reduced_shape(g->of.body, m, g->shape);
        for (int i = 0; i < nodes; i++)
            for (int d = 0; d < 3; d++)
                share += g->shape[3 * (size_t)i + (size_t)d] * g->load[3 * (size_t)g->of_body[i] + (size_t)d];
        for (int i = 0; i < nodes; i++)
            for (int d = 0; d < 3; d++)
                g->displacement[3 * (size_t)g->of_body[i] + (size_t)d] +=
                    (g->q[m] - share / (w * w)) * g->shape[3 * (size_t)i + (size_t)d];
    }
}

static void put_into_space(frame_gear *g)
{
    const slip_mesh *mesh = g->mesh->mesh;
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; i += 3) {
        double moved[3];
        for (int d = 0; d < 3; d++)
            moved[d] = mesh->points[i + (size_t)d] + g->displacement[i + (size_t)d];
        turn(g->angle, moved, g->position + i);
        g->position[i] += g->centre[0];
        g->position[i + 1] += g->centre[1];
    }
}

int slip_gear_frames_solve(slip_context *ctx, slip_gear_frames *f, int k, slip_gear_shown *to)
{
    frame_gear *g = &f->gear[k];
    const slip_gear_options *gear = g->of.gear;
    SLIP_PASS(solve(ctx, g));
    add_modes(g);
    put_into_space(g);
    SLIP_PASS(slip_brick_mises(ctx, g->mesh->mesh, g->position, gear->young, gear->poisson, false, g->mises));
    *to = (slip_gear_shown){.angle = g->angle,
                            .centre = {g->centre[0], g->centre[1]},
                            .node_count = g->mesh->mesh->node_count,
                            .position = g->position,
                            .stress = g->mises};
    return SLIP_OK;
}
