/* Statics of two gears in mesh. The theory is in the header. */
#include "gear/statics/gear_static.h"

#include "gear/geometry/vector.h"
#include "gear/statics/gear_balance.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { most_samples = 32, most_iterations = 60, few_iterations = 10 };

/* D of rigid flanks, relative to the mean diagonal of W. */
static const double rigid = 1e-9;

/* The stiffness of a unit of width is near E/20. */
double slip_gear_static_reach(const slip_gear_options gears[2], double second_base_radius, double torque)
{
    const double width = fmin(gears[0].width, gears[1].width), young = fmin(gears[0].young, gears[1].young);
    return 60 * fabs(torque) / (second_base_radius * width * young);
}

double slip_gear_static_rounding(double distance)
{
    return 4 * DBL_EPSILON * distance;
}

/* ---- Making. */

static int make_curves(slip_context *ctx, slip_gear_static *s, int k, const slip_gear_options *gear,
                       bool smooth)
{
    const slip_gear_wheel *g = s->pair->gear[k];
    const slip_flank_surface *surface = s->pair->surfaces[k];
    slip_profile profile;
    double(*bulge)[3] = slip_arena_array(&s->arena, surface->columns - 1, sizeof *bulge);
    SLIP_PASS(bulge ? slip_profile_make(ctx, gear, &profile) : slip_fail_memory(ctx));
    s->base_radius[k] = profile.radii.base_radius;
    slip_flank_curve_measure(&profile, surface->columns - 1, g->points[0], bulge);
    for (int i = 0; i < surface->columns - 1; i++)
        s->sag = fmax(s->sag, bulge[i][0]);
    for (int left = 0; left < 2; left++)
        s->curve[k][left] = (slip_flank_curve){.rows = surface->rows,
                                               .columns = surface->columns,
                                               .flipped = left,
                                               .overhang = 0.1,
                                               .beyond = {smooth ? 0.5 : 0.1, 0.1},
                                               .bulge = smooth ? bulge : NULL};
    return SLIP_OK;
}

static int make_memory(slip_context *ctx, slip_gear_static *s, int k)
{
    const slip_gear_wheel *g = s->pair->gear[k];
    int64_t nodes = (int64_t)g->flanks * g->nodes;
    s->displacement[k] = slip_arena_array(&s->arena, 3 * nodes, sizeof(double));
    s->nodal[k] = slip_arena_array(&s->arena, 3 * nodes, sizeof(double));
    s->slot[k] = slip_arena_array(&s->arena, nodes, sizeof(int));
    s->used[k] = slip_arena_array(&s->arena, nodes, sizeof(int));
    s->answer[k] = slip_arena_array(&s->arena, g->size, sizeof(double));
    SLIP_PASS(
        slip_allocated(ctx, s->displacement[k] && s->nodal[k] && s->slot[k] && s->used[k] && s->answer[k]));
    for (int64_t i = 0; i < nodes; i++)
        s->slot[k][i] = -1;
    return SLIP_OK;
}

int slip_gear_static_create(slip_context *ctx, slip_gear_pair *pair, const slip_gear_options gears[2],
                            const slip_gear_static_options *options, slip_gear_static **statics)
{
    SLIP_FREED_BY(slip_gear_static_drop) slip_gear_static *s = slip_alloc(1, sizeof *s);
    *statics = NULL;
    SLIP_PASS(slip_allocated(ctx, s));
    s->pair = pair;
    s->penalty = options->penalty;
    s->two_pass = options->two_pass;
    s->torque = options->torque;
    for (int k = 0; k < 2; k++) {
        SLIP_PASS(slip_gear_flexibility_create(ctx, pair->gear[k], &s->flexibility[k]));
        SLIP_PASS(make_curves(ctx, s, k, &gears[k], options->smooth));
        SLIP_PASS(make_memory(ctx, s, k));
    }
    s->load_reach = slip_gear_static_reach(gears, s->base_radius[1], s->torque);
    /* The contact line is at most h/(4 samples) from a contact point of some pass, h the length of a facet.
     * The gap at that distance is the sag h^2/(8 R) over samples^2, or twice that with the curvature of both
     * flanks. `samples` is chosen to make it about 1 % of the deflection of a pair. */
    double wanted = sqrt(s->sag / (0.005 * s->load_reach));
    s->samples = options->smooth ? (int)fmax(1, fmin(most_samples, ceil(wanted))) : 1;
    SLIP_HAND(statics, s);
    return SLIP_OK;
}

void slip_gear_static_destroy(slip_gear_static *s)
{
    if (!s)
        return;
    for (int k = 0; k < 2; k++)
        slip_gear_flexibility_free(&s->flexibility[k]);
    void *const lists[] = {s->rows,    s->old,     s->old_force, s->matrix, s->numbers,
                           s->vectors, s->indices, s->active,    s->force};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    slip_arena_free(&s->arena);
    free(s);
}

/* ---- Without load. */

/* Puts all facing flanks into space, deformed or not. */
static void place(slip_gear_static *s, const double angle[2], bool deformed)
{
    slip_gear_pair_turn(s->pair, angle);
    for (int k = 0; k < 2; k++) {
        size_t size = (size_t)s->pair->gear[k]->size;
        for (int p = 0; p < s->pair->pair_count; p++) {
            double *u = s->displacement[k] + (size_t)s->pair->pairs[p].surface[k] * size;
            if (!deformed)
                memset(u, 0, sizeof *u * size);
            slip_gear_pair_place(s->pair, k, s->pair->pairs[p].surface[k], u, 0, NULL);
        }
    }
}

/* The gap below which contact points are listed. Points that the deformation brings nearer are found in the
 * next iteration at the new positions, so the margin may be small. */
static double reach_of(const slip_gear_static *s, double share)
{
    return share * s->load_reach + 4 * s->sag / (s->samples * s->samples);
}

/* The angle by which the second gear can turn with the torque before the first contact point closes. */
static double free_way(const slip_gear_static *s)
{
    double sense = s->torque > 0 ? 1 : -1, least = INFINITY;
    for (int i = 0; i < s->row_count; i++) {
        double closing = -sense * s->rows[i].arm[1];
        if (closing > 0)
            least = fmin(least, s->rows[i].gap / closing);
    }
    return least;
}

int slip_gear_static_touch(slip_context *ctx, slip_gear_static *s, double angle[2])
{
    double sense = s->torque > 0 ? 1 : -1, reach = reach_of(s, 0.1), way;
    for (int turn = 0; turn < most_iterations; turn++) {
        place(s, angle, false);
        SLIP_PASS(slip_gear_static_find(ctx, s, reach));
        way = free_way(s);
        if (isinf(way)) { /* a gap between two pairs of teeth */
            reach *= 4;
            continue;
        }
        angle[1] += sense * way;
        if (fabs(way) < 1e-14)
            return SLIP_OK;
    }
    return slip_fail(ctx, SLIP_ERROR_MODEL,
                     "at the angles %.9g and %.9g no flanks of %s and %s are near each other: is the "
                     "distance of the axes right?",
                     angle[0], angle[1], s->pair->gear[0]->name, s->pair->gear[1]->name);
}

/* ---- The contact problem. */

static int reserve(slip_context *ctx, slip_gear_static *s)
{
    int64_t n = s->row_count, more = n + 1;
    int64_t used = 3 * (int64_t)(s->pair->gear[0]->nodes + s->pair->gear[1]->nodes) * s->pair->pair_count;
    return slip_allocated(ctx, SLIP_ROOM(s->matrix, s->square_capacity, n * n) &&
                                   SLIP_ROOM(s->numbers, s->number_capacity, more * more + 6 * more) &&
                                   SLIP_ROOM(s->indices, s->index_capacity, 2 * more) &&
                                   SLIP_ROOM(s->active, s->active_capacity, n) &&
                                   SLIP_ROOM(s->vectors, s->vector_capacity, used) &&
                                   SLIP_ROOM(s->force, s->force_capacity, n));
}

/* Number of a node of a gear: flank by flank. */
static int node_number(const slip_gear_static *s, const slip_static_row *row, int k, int i)
{
    return s->pair->pairs[row->pair].surface[k] * s->pair->gear[k]->nodes + row->node[k][i];
}

/* Lists the nodes of gear k that the rows pull at. */
static int list_used(slip_gear_static *s, int k)
{
    int count = 0;
    for (int r = 0; r < s->row_count; r++)
        for (int i = 0; i < 4; i++) {
            int node = node_number(s, &s->rows[r], k, i);
            if (s->slot[k][node] < 0) {
                s->slot[k][node] = count;
                s->used[k][count++] = node;
            }
        }
    return count;
}

static void unlist_used(slip_gear_static *s, int k, int count)
{
    for (int i = 0; i < count; i++)
        s->slot[k][s->used[k][i]] = -1;
}

/* W += B_k^T G_k B_k: the displacement of the used nodes by the force of each row, projected onto all rows.
 */
static void add_flexibility(slip_gear_static *s, int k)
{
    int n = s->row_count, nodes = s->pair->gear[k]->nodes, count = list_used(s, k);
    for (int t = 0; t < n; t++) {
        const slip_static_row *by = &s->rows[t];
        int flank = s->pair->pairs[by->pair].surface[k];
        for (int u = 0; u < count; u++) {
            double *to = s->vectors + 3 * (size_t)u;
            memset(to, 0, 3 * sizeof *to);
            for (int i = 0; i < 4; i++)
                if (by->share[k][i][0] != 0 || by->share[k][i][1] != 0 || by->share[k][i][2] != 0)
                    slip_gear_flexibility_add(&s->flexibility[k], s->used[k][u] / nodes,
                                              s->used[k][u] % nodes, flank, by->node[k][i], by->share[k][i],
                                              to);
        }
        for (int r = 0; r <= t; r++) {
            const slip_static_row *row = &s->rows[r];
            double sum = 0;
            for (int i = 0; i < 4; i++)
                sum += dot(row->share[k][i], s->vectors + 3 * (size_t)s->slot[k][node_number(s, row, k, i)]);
            s->matrix[(size_t)r * (size_t)n + (size_t)t] += sum;
            if (r < t)
                s->matrix[(size_t)t * (size_t)n + (size_t)r] += sum;
        }
    }
    unlist_used(s, k, count);
}

static void add_springs(slip_gear_static *s)
{
    const double weight[2] = {s->two_pass, 1 - s->two_pass};
    size_t n = (size_t)s->row_count;
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += s->matrix[i * (n + 1)] / (double)n;
    double softness = isinf(s->penalty) ? rigid * mean : s->samples / s->penalty;
    for (size_t i = 0; i < n; i++)
        s->matrix[i * (n + 1)] += softness / weight[s->rows[i].slave];
}

/* b_s . u of the displacement as placed. */
static double displaced(const slip_gear_static *s, const slip_static_row *row)
{
    double sum = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++)
            sum += dot(row->share[k][i], s->displacement[k] + 3 * (size_t)node_number(s, row, k, i));
    return sum;
}

static bool same_place(const slip_static_row *a, const slip_static_row *b)
{
    return a->pair == b->pair && a->slave == b->slave && a->station == b->station && a->layer == b->layer;
}

/* Starts from the previous active set; rows of both lists are in the same order. */
static void guess_active(slip_gear_static *s)
{
    for (int i = 0; i < s->row_count; i++) {
        s->active[i] = false;
        for (int k = 0; k < s->old_count && !s->active[i]; k++)
            s->active[i] = s->old_force[k] > 0 && same_place(&s->rows[i], &s->old[k]);
    }
}

/* ---- With load. */

static void press(slip_gear_static *s, int k)
{
    size_t size = (size_t)s->pair->gear[k]->size;
    for (int p = 0; p < s->pair->pair_count; p++)
        memset(s->nodal[k] + (size_t)s->pair->pairs[p].surface[k] * size, 0, sizeof(double) * size);
    for (int r = 0; r < s->row_count; r++)
        for (int i = 0; s->force[r] > 0 && i < 4; i++)
            add_scaled(s->force[r], s->rows[r].share[k][i],
                       s->nodal[k] + 3 * (size_t)node_number(s, &s->rows[r], k, i));
}

/* Nodes of a flank that have a force. */
static int list_pressed(const slip_gear_static *s, int k, int flank, int *list)
{
    const slip_gear_wheel *g = s->pair->gear[k];
    const double *f = s->nodal[k] + (size_t)flank * (size_t)g->size;
    int count = 0;
    for (int i = 0; i < g->nodes; i++, f += 3)
        if (f[0] != 0 || f[1] != 0 || f[2] != 0)
            list[count++] = i;
    return count;
}

/* Computes the displacements by the present forces. Returns the largest change. */
static double answer(slip_gear_static *s, int k)
{
    const slip_gear_wheel *g = s->pair->gear[k];
    size_t size = (size_t)g->size;
    double change = 0, *sum = s->answer[k];
    press(s, k);
    for (int p = 0; p < s->pair->pair_count; p++) {
        int at = s->pair->pairs[p].surface[k];
        double *u = s->displacement[k] + (size_t)at * size;
        memset(sum, 0, sizeof *sum * size);
        for (int q = 0; q < s->pair->pair_count; q++) {
            int by = s->pair->pairs[q].surface[k], count = list_pressed(s, k, by, s->used[k]);
            if (count > 0)
                slip_gear_flexibility_answer(&s->flexibility[k], at, by, count, s->used[k],
                                             s->nodal[k] + (size_t)by * size, sum);
        }
        for (size_t i = 0; i < size; i++)
            change = fmax(change, fabs(sum[i] - u[i]));
        memcpy(u, sum, sizeof *u * size);
    }
    return change;
}

/* Moments of the nodal forces about the axes, where the nodes are now. */
static void measure_moments(slip_gear_static *s)
{
    for (int k = 0; k < 2; k++) {
        const slip_gear_wheel *g = s->pair->gear[k];
        s->moment[k] = 0;
        for (int p = 0; p < s->pair->pair_count; p++) {
            int flank = s->pair->pairs[p].surface[k];
            for (int i = 0; i < g->nodes; i++) {
                size_t at = 3 * ((size_t)flank * (size_t)g->nodes + (size_t)i);
                const double *x = g->points[flank] + 3 * i, *u = s->displacement[k] + at,
                             *f = s->nodal[k] + at;
                s->moment[k] += (x[0] + u[0]) * f[1] - (x[1] + u[1]) * f[0];
            }
        }
    }
}

/* One iteration: contact points, forces, displacements. *change: largest motion of a node, m. */
static int iterate(slip_context *ctx, slip_gear_static *s, double angle[2], double *change)
{
    SLIP_PASS(slip_gear_static_find(ctx, s, reach_of(s, s->iterations > 0 ? 0.1 : 0.4)));
    SLIP_PASS(reserve(ctx, s));
    size_t n = (size_t)s->row_count;
    double *numbers = s->numbers + (n + 1) * (n + 1) + 4 * (n + 1);
    memset(s->matrix, 0, sizeof(double) * n * n);
    for (int k = 0; k < 2; k++)
        add_flexibility(s, k);
    add_springs(s);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = s->rows[i].gap - displaced(s, &s->rows[i]);
        numbers[n + i] = s->rows[i].arm[1];
    }
    guess_active(s);
    slip_gear_balance b = {.count = s->row_count,
                           .matrix = s->matrix,
                           .constant = numbers,
                           .arm = numbers + n,
                           .load = -s->torque,
                           .tolerance = 1e-10 * s->load_reach,
                           .active = s->active,
                           .force = s->force,
                           .numbers = s->numbers,
                           .indices = s->indices};
    SLIP_PASS(slip_gear_balance_solve(ctx, &b));
    angle[1] += b.turn;
    s->tangent = -1 / b.yield;
    *change = fmax(answer(s, 0), answer(s, 1));
    *change = fmax(*change, fabs(b.turn) * s->base_radius[1]);
    return SLIP_OK;
}

static int keep_old(slip_context *ctx, slip_gear_static *s)
{

    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(s->old, s->old_capacity, s->row_count) &&
                                      SLIP_ROOM(s->old_force, s->old_force_capacity, s->row_count)));
    memcpy(s->old, s->rows, sizeof *s->old * (size_t)s->row_count);
    memcpy(s->old_force, s->force, sizeof *s->old_force * (size_t)s->row_count);
    s->old_count = s->row_count;
    return SLIP_OK;
}

int slip_gear_static_load(slip_context *ctx, slip_gear_static *s, double angle[2])
{
    const double *centre = s->pair->wheels[1].centre;
    const double rounding = slip_gear_static_rounding(hypot(centre[0], centre[1]));
    double change = INFINITY, enough = fmax(1e-10 * s->load_reach, rounding);
    int status = SLIP_OK;
    s->old_count = 0;
    place(s, angle, false);
    for (s->iterations = 0; s->iterations < most_iterations && change > enough; s->iterations++) {
        if (s->iterations > 0)
            place(s, angle, true);
        SLIP_PASS(iterate(ctx, s, angle, &change));
        SLIP_PASS(keep_old(ctx, s));
        /* A contact point that faces the edge of two facets may alternate between them. */
        if (s->iterations >= few_iterations)
            enough = fmax(1e-6 * s->load_reach, 4 * rounding);
    }
    if (change > enough)
        status = slip_fail(ctx, SLIP_ERROR_SOLVER,
                           "at the angle %.9g of %s the contact did not settle: nodes still move by %.3g m",
                           angle[0], s->pair->gear[0]->name, change);
    memcpy(s->angle, angle, sizeof s->angle);
    measure_moments(s);
    return status;
}
