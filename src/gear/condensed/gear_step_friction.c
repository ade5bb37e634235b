/* Friction in a step of reduced gears: the slip of the contacts, its response to their forces, and the
 * forces. The equations are in gear_step.h, the solver is gear_friction.h. */
#include "contact/problem.h"
#include "gear/condensed/gear_friction.h"
#include "gear/condensed/gear_step.h"
#include "gear/geometry/vector.h"
#include "math/columns.h"
#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* b of gear_step.h for slow coordinates that nothing else damps. */
static const double end_share = 0.1;

int slip_gear_step_make_friction(slip_context *ctx, slip_gear_step *s)
{
    slip_gear_rub *r = &s->rub;
    double **own[] = {&r->by_mean, &r->by_end, &r->by_load};
    for (int m = 0; m < s->mesh_count; m++)
        r->on = r->on || s->group->meshes[m].options->friction;
    if (!r->on)
        return SLIP_OK;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!(*own[i] = slip_arena_array(&s->arena, s->capacity, sizeof(double))))
            return slip_fail_memory(ctx);
    r->law = slip_arena_array(&s->arena, s->mesh_count, sizeof *r->law);
    SLIP_PASS(slip_allocated(ctx, r->law));
    for (int m = 0; m < s->mesh_count; m++)
        if (s->group->meshes[m].options->friction)
            SLIP_PASS(slip_law_prepare(ctx, s->group->meshes[m].options->friction, &r->law[m]));
    return SLIP_OK;
}

void slip_gear_step_free_friction(slip_gear_step *s)
{
    slip_gear_rub *r = &s->rub;
    double *all[] = {r->direction, r->normal, r->force, r->slip, r->rows, r->answer, r->numbers};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(r->index);
    free(r->laws);
    free(r->pivots);
}

void slip_gear_step_prepare_friction(slip_gear_step *s)
{
    const slip_propagator *p = s->propagator;
    slip_gear_rub *r = &s->rub;
    double most = end_share;
    for (int g = 0; g < s->gear_count; g++)
        most = s->gear[g].kept.flexibility ? 0 : most;
    for (int i = 0; i < s->count; i++) {
        double x = sqrt(p->square[i]) * p->step, share = most * (x > 0 ? fmax(sin(x) / x, 0) : 1);
        r->by_mean[i] = (1 - share) / p->step;
        r->by_end[i] = share;
        r->by_load[i] = r->by_mean[i] * (p->y_begin[i] + p->y_end[i]) + share * (p->v_begin[i] + p->v_end[i]);
    }
}

/* ---- Who rubs. */

static bool make_room(slip_gear_step *s, int64_t n)
{
    slip_gear_rub *r = &s->rub;
    int64_t *c = r->capacity;
    return SLIP_ROOM(r->index, c[0], n) && SLIP_ROOM(r->direction, c[1], 6 * n) &&
           SLIP_ROOM(r->normal, c[2], n) && SLIP_ROOM(r->force, c[3], 2 * n) &&
           SLIP_ROOM(r->slip, c[4], 2 * n) && SLIP_ROOM(r->rows, c[5], 2 * n * s->count) &&
           SLIP_ROOM(r->answer, c[6], 4 * n * n) &&
           SLIP_ROOM(r->numbers, c[7], slip_friction_numbers((int)n) + 2 * n * s->count) &&
           SLIP_ROOM(r->pivots, c[8], 2 * n) && SLIP_ROOM(r->laws, c[9], n);
}

/* Two directions across a normal. */
static void tangents(const double normal[3], double first[3], double second[3])
{
    const double axis[3] = {0, 0, 1};
    cross(axis, normal, first); /* normals of flanks are across the axis, or nearly */
    scale(1 / sqrt(dot(first, first)), first);
    cross(normal, first, second);
}

static const slip_condensed_node *node_of(const slip_gear_step *s, int i)
{
    return &s->contact->node[s->rub.index[i]];
}

static void list_contacts(slip_gear_step *s)
{
    slip_gear_rub *r = &s->rub;
    r->count = 0;
    for (int i = 0; i < s->contact->count; i++) {
        const slip_condensed_node *node = &s->contact->node[i];
        const slip_gear_load *l = slip_gear_step_loaded(s, node, node->slave);
        double mean = (l->bearing[0][node->own] + fmax(s->contact->force[i], 0)) / 2;
        if (!(mean > 0) || !s->group->meshes[node->mesh].options->friction)
            continue;
        r->index[r->count] = i;
        r->laws[r->count] = &r->law[node->mesh];
        r->normal[r->count] = mean;
        memcpy(r->force + 2 * r->count, l->grip + 2 * node->own, 2 * sizeof(double));
        tangents(node->normal, r->direction + 6 * r->count, r->direction + 6 * r->count + 3);
        r->count++;
    }
}

/* ---- Slip. */

/* The slip by the coordinates, with the present normal forces and without friction. */
static void slip_of_rows(slip_gear_step *s)
{
    const slip_propagator *p = s->propagator;
    slip_gear_rub *r = &s->rub;
    for (int i = 0; i < s->count; i++) {
        double load = s->next.press[i] + s->inertia[i];
        double y = s->free_y[i] + p->y_end[i] * load + p->y_begin[i] * s->inertia[i];
        double v = s->free_v[i] + p->v_end[i] * load + p->v_begin[i] * s->inertia[i];
        s->slip_rate[i] = r->by_mean[i] * (y - s->now.y[i]) + r->by_end[i] * v;
    }
    for (int row = 0; row < 2 * r->count; row++) {
        double *to = r->rows + (size_t)row * (size_t)s->count;
        r->slip[row] = slip_gear_step_row(s, node_of(s, row / 2), r->direction + 3 * row, to);
        r->slip[row] += slip_dense_dot(s->count, to, s->slip_rate);
    }
}

/* The side of its mesh, 0 or 1, on which contact i is on the flank of a load; -1: on neither. */
static int side_on(const slip_gear_step *s, int i, int gear, const slip_gear_load *l)
{
    const slip_condensed_node *node = node_of(s, i);
    for (int k = 0; k < 2; k++)
        if (slip_gear_step_side(s, node, k) == gear && slip_condensed_flank(s->contact, node, k) == l->flank)
            return k;
    return -1;
}

/* The nodes of a flank that are in contacts that rub, in s->near. */
static int list_nodes(slip_gear_step *s, int gear, const slip_gear_load *l)
{
    int count = 0;
    for (int i = 0; i < s->rub.count; i++) {
        const slip_condensed_node *node = node_of(s, i);
        const int k = side_on(s, i, gear, l);
        for (int j = 0; k >= 0 && j < node->count[k]; j++) {
            int known = 0;
            while (known < count && s->near[known] != node->node[k][j])
                known++;
            s->near[known] = node->node[k][j];
            count += known == count;
        }
    }
    return count;
}

/* A displacement of the flank along a direction of a contact. */
static double along(const slip_gear_step *s, const slip_condensed_node *node, int k,
                    const double direction[3], const double *displacement)
{
    double local[3], sum = 0;
    slip_condensed_direct(s->contact, node, k, direction, local);
    for (int j = 0; j < node->count[k]; j++)
        sum += node->share[k][j] * dot(local, displacement + 3 * node->node[k][j]);
    return sum;
}

/* Adds the part of G_r' on one flank to the slip and its response. e is that without friction. */
static void add_flank(slip_gear_step *s, int gear, slip_gear_load *l)
{
    slip_gear_rub *r = &s->rub;
    const double *flexibility = s->gear[gear].kept.flexibility;
    int size = s->gear[gear].wheel->size, count = list_nodes(s, gear, l), n = 2 * r->count;
    slip_gear_lag lag = slip_gear_step_lag(s, gear);
    double h = s->propagator->step, answer = (1 + slip_gear_step_ahead(s)) * lag.end / h;
    if (count == 0)
        return;
    memset(s->trial, 0, sizeof(double) * (size_t)size);
    for (int i = 0; i < l->count; i++)
        for (int d = 3 * l->nodes[i]; d < 3 * l->nodes[i] + 3; d++)
            s->trial[d] = (l->lagged[1][d] - l->lagged[0][d]) / h;
    slip_condensed_multiply(size, flexibility, l->flank, l->count, l->nodes, s->trial, count, s->near,
                            s->displacement);
    for (int row = 0; row < n; row++) {
        const int k = side_on(s, row / 2, gear, l);
        if (k >= 0)
            r->slip[row] += along(s, node_of(s, row / 2), k, r->direction + 3 * row, s->displacement);
    }
    memset(s->trial, 0, sizeof(double) * (size_t)size);
    for (int row = 0; row < n; row++) {
        const slip_condensed_node *own = node_of(s, row / 2);
        const int k = side_on(s, row / 2, gear, l);
        if (k < 0)
            continue;
        slip_condensed_spread(s->contact, own, k, r->direction + 3 * row, answer, s->trial);
        slip_condensed_multiply(size, flexibility, l->flank, own->count[k], own->node[k], s->trial, count,
                                s->near, s->displacement);
        for (int j = 0; j < own->count[k]; j++)
            memset(s->trial + 3 * own->node[k][j], 0, 3 * sizeof(double));
        for (int column = 0; column < n; column++) {
            const int there = side_on(s, column / 2, gear, l);
            if (there >= 0)
                r->answer[(size_t)row * (size_t)n + (size_t)column] +=
                    along(s, node_of(s, column / 2), there, r->direction + 3 * column, s->displacement);
        }
    }
}

static void find_slip(slip_gear_step *s)
{
    slip_gear_rub *r = &s->rub;
    int n = 2 * r->count;
    slip_of_rows(s);
    double *to = r->numbers;
    for (int row = 0; row < n; row++)
        for (int i = 0; i < s->count; i++)
            *to++ = r->by_load[i] * r->rows[(size_t)row * (size_t)s->count + (size_t)i];
    slip_columns_multiply(true, n, n, s->count, 1, (slip_columns){r->numbers, s->count},
                          (slip_columns){r->rows, s->count}, 0, (slip_columns){r->answer, n});
    slip_gear_step_follow(s); /* there is no friction yet: e without it */
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; s->gear[g].kept.flexibility && i < s->gear[g].load_count; i++)
            add_flank(s, g, &s->gear[g].loads[i]);
}

/* ---- Forces. */

static void take_force(slip_gear_step *s, int i)
{
    slip_gear_rub *r = &s->rub;
    const slip_condensed_node *node = node_of(s, i);
    memcpy(slip_gear_step_loaded(s, node, node->slave)->grip + 2 * node->own, r->force + 2 * i,
           2 * sizeof(double));
    for (int row = 2 * i; row < 2 * i + 2; row++) {
        const double *direction = r->direction + 3 * row, *own = r->rows + (size_t)row * (size_t)s->count;
        for (int m = 0; m < s->count; m++)
            s->next.rub[m] += r->force[row] * own[m];
        for (int k = 0; k < 2; k++) {
            slip_gear_load *l = slip_gear_step_loaded(s, node, k);
            const int shaft = s->gear[slip_gear_step_side(s, node, k)].shaft;
            double local[3];
            slip_condensed_spread(s->contact, node, k, direction, r->force[row], l->rub[1]);
            s->next.rubbing[shaft] +=
                r->force[row] * slip_condensed_direct(s->contact, node, k, direction, local);
        }
    }
}

/* The judge's residual: the difference between the forces and the law at the resulting slip, times the
 * response of a contact's slip to its own force, over the step. */
static double judge(const slip_gear_step *s)
{
    const slip_gear_rub *r = &s->rub;
    const int n = 2 * r->count;
    double worst = 0;
    for (int i = 0; i < r->count; i++) {
        double slip[2], force, slope;
        for (int d = 0; d < 2; d++)
            slip[d] =
                r->slip[2 * i + d] + slip_dense_dot(n, r->answer + (size_t)(2 * i + d) * (size_t)n, r->force);
        const double size = hypot(slip[0], slip[1]);
        const slip_block law = {.kind = SLIP_BLOCK_LINEAR};
        double off[2] = {r->force[2 * i], r->force[2 * i + 1]};
        slip_law_force(r->laws[i], slip_law_piece(r->laws[i], size), size, &force, &slope);
        for (int d = 0; d < 2 && size > 0; d++)
            off[d] += r->normal[i] * force * slip[d] / size;
        worst =
            fmax(worst,
                 slip_block_residual(&law, s->propagator->step * r->answer[(size_t)(2 * i) * (size_t)(n + 1)],
                                     1, hypot(off[0], off[1]), 0));
    }
    return worst;
}

int slip_gear_step_rub(slip_context *ctx, slip_gear_step *s)
{
    slip_gear_rub *r = &s->rub;
    r->found = true;
    r->residual = 0;
    SLIP_PASS(slip_allocated(ctx, make_room(s, s->contact->count)));
    list_contacts(s);
    if (r->count == 0)
        return SLIP_OK;
    find_slip(s);
    int bad = slip_friction_solve(r->laws, r->count, r->answer, r->normal, r->slip, r->force, r->numbers,
                                  r->pivots);
    if (bad >= 0) {
        const slip_condensed_node *node = node_of(s, bad);
        int flank = slip_condensed_flank(s->contact, node, node->slave);
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "%s: the friction on node %d of the %s flank of tooth %d is not a number",
                         s->gear[slip_gear_step_side(s, node, node->slave)].wheel->name, node->own + 1,
                         flank % 2 ? "left" : "right", flank / 2 + 1);
    }
    r->found = bad == SLIP_FRICTION_FOUND;
    r->residual = judge(s);
    for (int i = 0; i < r->count; i++)
        take_force(s, i);
    return SLIP_OK;
}
