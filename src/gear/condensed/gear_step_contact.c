/* Contact of two reduced gears in a step: where their flanks are at its end, and the forces there. The
 * equations are in gear_step.h.
 */
#include "gear/condensed/gear_step.h"

#include "gear/geometry/vector.h"
#include "math/dense.h"

#include <string.h>

/* ---- Residual parts. */

slip_gear_lag slip_gear_step_lag(const slip_gear_step *s, int k)
{
    double time = s->options->side[k].static_damping, h = s->propagator->step;
    if (!(time > 0))
        return (slip_gear_lag){.end = 1};
    double x = h / time, keep = exp(-x), once = -expm1(-x) / x;
    /* Where contact begins the force jumps, by what the damping takes of the velocity. A force that rises
     * linearly instead would go up and down from step to step for long, where steps are short. */
    if (s->now.force == 0 && x < 0.1)
        return (slip_gear_lag){keep, 0, -expm1(-x), true};
    /* 1 - (1 - exp(-x))/x loses its digits for small x. */
    double end = x > 1e-2 ? 1 - once : x * (1.0 / 2 - x * (1.0 / 6 - x * (1.0 / 24 - x / 120)));
    return (slip_gear_lag){keep, once - keep, end, false};
}

double slip_gear_step_ahead(const slip_gear_step *s)
{
    return s->before > 0 ? s->propagator->step / (s->propagator->step + s->before) : 0;
}

static void follow(const slip_gear_step *s, int k, slip_gear_load *l)
{
    slip_gear_lag g = slip_gear_step_lag(s, k);
    double ahead = slip_gear_step_ahead(s);
    l->count = 0;
    for (int i = 0; i < s->pair->gear[k]->nodes; i++) {
        bool used = false;
        for (int d = 3 * i; d < 3 * i + 3; d++) {
            l->held[1][d] = l->rub[1][d] + ahead * (l->rub[1][d] - l->rub[0][d]);
            double begin_force = l->press[0][d] + l->held[0][d], end_force = l->press[1][d] + l->held[1][d];
            l->lagged[1][d] = g.keep * l->lagged[0][d] + g.begin * begin_force + g.end * end_force;
            used = used || l->lagged[1][d] != 0 || l->lagged[0][d] != 0 || begin_force != 0;
        }
        if (used)
            l->nodes[l->count++] = i;
    }
}

void slip_gear_step_follow(slip_gear_step *s)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < s->load_count[k]; i++)
            follow(s, k, &s->loads[k][i]);
}

/* ---- Flanks in space. */

/* Where the kept vectors of a flank begin in q. */
static int first_kept(const slip_gear_step *s, int k, int flank)
{
    int index = (int)(slip_gear_step_load(s, k, flank) - s->loads[k]);
    return s->pair->gear[k]->modes + index * s->kept[k].count;
}

static void place_flank(slip_gear_step *s, int k, int flank)
{
    const slip_gear_wheel *g = s->pair->gear[k];
    const bool *near = slip_condensed_near(s->contact, k, flank);
    const double *q = s->next.q + s->first_mode[k];
    slip_gear_load *l = slip_gear_step_load(s, k, flank);
    int count = 0;
    memset(s->displacement, 0, sizeof(double) * (size_t)g->size);
    for (int i = 0; i < g->nodes; i++)
        if (near[i])
            s->near[count++] = i;
    const slip_gear_kept *kept = &s->kept[k];
    if (kept->flexibility) {
        slip_condensed_multiply(g->size, kept->flexibility, flank, l->count, l->nodes, l->lagged[1], count,
                                s->near, s->displacement);
        slip_condensed_multiply(g->size, kept->flexibility, flank, l->count, l->nodes, l->press[1], count,
                                s->near, l->answer);
        l->strain[1] = 0;
        for (int i = 0; i < l->count; i++)
            l->strain[1] += dot(l->lagged[1] + 3 * l->nodes[i], s->displacement + 3 * l->nodes[i]) / 2;
        slip_gear_kept_displace(kept, flank, count, s->near, q + first_kept(s, k, flank), s->displacement);
    }
    for (int i = 0; i < count; i++)
        for (int d = 3 * s->near[i]; d < 3 * s->near[i] + 3; d++)
            s->displacement[d] += slip_dense_dot(g->modes, g->rows[flank] + (size_t)d * (size_t)g->modes, q);
    slip_gear_pair_place(s->pair, k, flank, s->displacement, 0, NULL);
}

int slip_gear_step_place(slip_context *ctx, slip_gear_step *s)
{
    double energy[2] = {0};
    int status = SLIP_OK;
    for (int k = 0; k < 2; k++) {
        const double *q = s->next.q + s->first_mode[k], *square = s->modes[k]->own;
        for (int i = 0; i < s->modes[k]->size; i++)
            energy[k] += square[i] * q[i] * q[i] / 2;
        for (int i = 0; i < s->load_count[k]; i++) /* that of the repetition before, with some room */
            energy[k] += 2 * fmax(s->loads[k][i].strain[0], s->loads[k][i].strain[1]);
    }
    slip_condensed_approach(s->contact, s->next.angle, energy);
    for (int p = 0; p < s->contact->pair_count; p++)
        for (int k = 0; k < 2; k++)
            SLIP_TRY(slip_gear_step_need_load(ctx, s, k, s->contact->pairs[p].surface[k]));
    if (s->changed)
        goto done;
    slip_gear_step_follow(s);
    for (int p = 0; p < s->contact->pair_count; p++)
        for (int k = 0; k < 2; k++)
            place_flank(s, k, s->contact->pairs[p].surface[k]);
    SLIP_TRY(slip_condensed_see(ctx, s->contact));
    s->evaluations++;
done:
    return status;
}

/* ---- Contact forces. */

double slip_gear_step_row(slip_gear_step *s, const slip_condensed_node *node, const double direction[3],
                          double *row)
{
    double *load = s->scratch, given = 0;
    for (int k = 0; k < 2; k++) {
        double local[3], moment = slip_condensed_row(s->contact, node, k, direction, load);
        int flank = s->contact->pairs[node->pair].surface[k], modes = s->pair->gear[k]->modes;
        memset(load + modes, 0, sizeof(double) * (size_t)(s->modes[k]->size - modes));
        slip_condensed_direct(s->contact, node, k, direction, local);
        slip_gear_kept_row(&s->kept[k], flank, node->count[k], node->node[k], node->share[k], local,
                           load + first_kept(s, k, flank));
        slip_free_modes_project(s->modes[k], moment, load, row + s->first[k]);
        given += s->modes[k]->driven ? moment * s->next.speed[k] : 0;
    }
    return given;
}

/* The depth of a candidate without the contact forces at the end of the step. */
static double free_depth(const slip_gear_step *s, const slip_condensed_node *node, const double *row)
{
    double depth = node->depth;
    for (int i = 0; i < s->count; i++)
        depth += row[i] * s->propagator->y_end[i] * s->next.press[i];
    for (int k = 0; k < 2; k++) {
        double local[3];
        if (!s->kept[k].flexibility)
            continue;
        const slip_gear_load *l = slip_gear_step_load(s, k, s->contact->pairs[node->pair].surface[k]);
        slip_condensed_direct(s->contact, node, k, node->normal, local);
        for (int i = 0; i < node->count[k]; i++)
            depth += slip_gear_step_lag(s, k).end * node->share[k][i] *
                     dot(local, l->answer + 3 * node->node[k][i]);
    }
    return depth;
}

static int solve(slip_context *ctx, slip_gear_step *s)
{
    slip_condensed *c = s->contact;
    int status = SLIP_OK;
    s->approach = -INFINITY;
    if (!slip_array_reserve(&s->rows, &s->row_capacity, (int64_t)c->count * s->count, sizeof(double)) ||
        !slip_array_reserve(&s->depth, &s->depth_capacity, c->count, sizeof(double)))
        return slip_fail_memory(ctx);
    for (int i = 0; i < c->count; i++) {
        double *row = s->rows + (size_t)i * (size_t)s->count;
        slip_gear_step_row(s, &c->node[i], c->node[i].normal, row);
        s->depth[i] = free_depth(s, &c->node[i], row);
        s->approach = fmax(s->approach, s->depth[i]);
    }
    SLIP_TRY(slip_condensed_add_rows(ctx, c, s->count, s->rows, s->propagator->y_end));
    for (int k = 0; k < 2; k++)
        if (s->kept[k].flexibility)
            slip_condensed_add_flexibility(c, k, s->kept[k].flexibility, slip_gear_step_lag(s, k).end);
    SLIP_TRY(slip_condensed_solve(ctx, c, s->depth));
done:
    return status;
}

static void press(slip_gear_step *s, const slip_condensed_node *node, int index)
{
    double force = s->contact->force[index], local[3], give = slip_condensed_spring(s->contact, index);
    const double *row = s->rows + (size_t)index * (size_t)s->count;
    for (int m = 0; m < s->count; m++)
        s->next.press[m] += force * row[m];
    for (int k = 0; k < 2; k++) {
        slip_gear_load *l = slip_gear_step_load(s, k, s->contact->pairs[node->pair].surface[k]);
        slip_condensed_spread(s->contact, node, k, node->normal, force, l->press[1]);
        l->normal[2] += force;
        if (k == node->slave)
            l->bearing[1][node->own] = force;
        s->next.moment[k] += force * slip_condensed_direct(s->contact, node, k, node->normal, local);
    }
    s->next.force += force;
    s->next.touching++;
    s->next.spring += force * force * give / 2;
    s->next.depth = fmax(s->next.depth, force * give);
}

/* The part of the change of a repetition that one load sees. */
static double difference_of(const slip_gear_step *s, int k, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < s->pair->gear[k]->size; i++)
        sum += fabs(a[i] - b[i]);
    return sum;
}

/* No forces at the end of the step; nodal ones are remembered. */
static void clear_forces(slip_gear_step *s)
{
    slip_gear_state *b = &s->next;
    size_t size = sizeof(double) * (size_t)s->count;
    memset(b->press, 0, size);
    memset(b->rub, 0, size);
    b->force = b->touching = b->depth = b->spring = 0;
    for (int k = 0; k < 2; k++) {
        b->moment[k] = b->rubbing[k] = 0;
        for (int i = 0; i < s->load_count[k]; i++) {
            slip_gear_load *l = &s->loads[k][i];
            size_t own = sizeof(double) * (size_t)s->pair->gear[k]->size;
            memcpy(l->old_press, l->press[1], own);
            memcpy(l->old_rub, l->rub[1], own);
            memset(l->press[1], 0, own);
            memset(l->rub[1], 0, own);
            memset(l->bearing[1], 0, own / 3);
            l->normal[2] = 0;
        }
    }
}

int slip_gear_step_touch(slip_context *ctx, slip_gear_step *s, double *change)
{
    int status;
    *change = 0;
    SLIP_TRY(solve(ctx, s));
    clear_forces(s);
    for (int i = 0; i < s->contact->count; i++)
        if (s->contact->force[i] > 0)
            press(s, &s->contact->node[i], i);
    if (s->rub.on)
        SLIP_TRY(slip_gear_step_rub(ctx, s));
    for (int i = 0; i < s->load_count[0]; i++) {
        slip_gear_load *l = &s->loads[0][i];
        *change +=
            difference_of(s, 0, l->press[1], l->old_press) + difference_of(s, 0, l->rub[1], l->old_rub);
    }
done:
    return status;
}

/* ---- The judge. */

double slip_gear_step_judge(slip_gear_step *s)
{
    const slip_condensed *c = s->contact;
    slip_gear_pair *pair = s->pair;
    const double angle[2] = {pair->wheels[0].angle, pair->wheels[1].angle};
    slip_gear_pair_judge_begin(pair);
    for (int k = 0; k < 2; k++) {
        pair->wheels[k].angle = s->next.angle[k];
        for (int p = 0; p < c->pair_count; p++) {
            slip_gear_load *l = slip_gear_step_load(s, k, c->pairs[p].surface[k]);
            const double strain = l->strain[1]; /* that of the account stays */
            place_flank(s, k, l->flank);
            l->strain[1] = strain;
            slip_gear_pair_clear(pair, k, l->flank);
        }
    }
    for (int i = 0; i < c->count; i++) {
        const int k = c->node[i].slave,
                  at = c->pairs[c->node[i].pair].surface[k] * pair->gear[k]->nodes + c->node[i].own;
        pair->judge.force[k][at] = c->force[i];
        pair->judge.soft[k][at] = slip_condensed_spring(c, i);
    }
    const double worst = slip_gear_pair_judge(pair, c->pair_count, c->pairs);
    for (int k = 0; k < 2; k++)
        pair->wheels[k].angle = angle[k];
    return fmax(worst, s->rub.on ? s->rub.residual : 0);
}
