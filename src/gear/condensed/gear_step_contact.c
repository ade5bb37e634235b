/* Contact of reduced gears in a step: where their flanks are at its end, and the forces there. The
 * equations are in gear_step.h.
 */
#include "gear/condensed/gear_step.h"

#include "gear/geometry/vector.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

/* ---- Residual parts. */

slip_gear_lag slip_gear_step_lag(const slip_gear_step *s, int gear)
{
    double time = s->gear[gear].side->static_damping, h = s->propagator->step;
    if (!(time > 0))
        return (slip_gear_lag){.end = 1};
    double x = h / time, keep = exp(-x), once = -expm1(-x) / x;
    /* Where contact begins the force jumps, because damping opposes the velocity of approach. A force that is
     * linear over the step would oscillate from step to step for a long time where steps are short. */
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
    for (int i = 0; i < s->gear[k].wheel->nodes; i++) {
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
    for (int k = 0; k < s->gear_count; k++)
        for (int i = 0; i < s->gear[k].load_count; i++)
            follow(s, k, &s->gear[k].loads[i]);
}

/* ---- Flanks in space. */

/* Where the kept vectors of a load begin, behind the first mode of its gear. */
static int first_kept(const slip_step_gear *own, const slip_gear_load *l)
{
    return own->wheel->modes + (int)(l - own->loads) * own->kept.count;
}

/* The flank of side k in a near pair of a mesh. */
static void place_flank(slip_gear_step *s, int mesh, int k, int flank)
{
    const slip_gear_meshing *meshing = &s->group->meshes[mesh];
    const slip_step_gear *own = &s->gear[meshing->gear[k]];
    const slip_gear_wheel *g = own->wheel;
    const bool *near = slip_condensed_near(&s->contact->mesh[mesh], k, flank);
    const double *q = s->next.q + own->first_mode;
    slip_gear_load *l = slip_gear_step_load(s, meshing->gear[k], flank);
    int count = 0;
    memset(s->displacement, 0, sizeof(double) * (size_t)g->size);
    for (int i = 0; i < g->nodes; i++)
        if (near[i])
            s->near[count++] = i;
    const slip_gear_kept *kept = &own->kept;
    if (kept->flexibility) {
        slip_condensed_multiply(g->size, kept->flexibility, flank, l->count, l->nodes, l->lagged[1], count,
                                s->near, s->displacement);
        slip_condensed_multiply(g->size, kept->flexibility, flank, l->count, l->nodes, l->straight, count,
                                s->near, l->answer);
        l->strain[1] = 0;
        for (int i = 0; i < l->count; i++)
            l->strain[1] += dot(l->lagged[1] + 3 * l->nodes[i], s->displacement + 3 * l->nodes[i]) / 2;
        slip_gear_kept_displace(kept, flank, count, s->near, q + first_kept(own, l), s->displacement);
    }
    for (int i = 0; i < count; i++)
        for (int d = 3 * s->near[i]; d < 3 * s->near[i] + 3; d++)
            s->displacement[d] += slip_dense_dot(g->modes, g->rows[flank] + (size_t)d * (size_t)g->modes, q);
    slip_gear_pair_place(s->pairs[mesh], k, flank, s->displacement, 0, NULL);
}

/* An upper bound of the strain energy of a gear at the end of the step; the energy of its loads is that of
 * the previous iteration, enlarged. */
static double strain_of(const slip_gear_step *s, int gear)
{
    const slip_step_gear *own = &s->gear[gear];
    const slip_step_shaft *shaft = &s->shaft[own->shaft];
    const double *q = s->next.q + own->first_mode,
                 *square = shaft->modes->own + (own->first_mode - shaft->first_mode);
    double energy = 0;
    for (int i = 0; i < own->wheel->modes + own->load_count * own->kept.count; i++)
        energy += square[i] * q[i] * q[i] / 2;
    for (int i = 0; i < own->load_count; i++)
        energy += 2 * fmax(own->loads[i].strain[0], own->loads[i].strain[1]);
    return energy;
}

int slip_gear_step_place(slip_context *ctx, slip_gear_step *s)
{
    slip_condensed *c = s->contact;
    for (int m = 0; m < s->mesh_count; m++) {
        double angle[2], energy[2];
        for (int k = 0; k < 2; k++) {
            const int gear = s->group->meshes[m].gear[k];
            angle[k] = s->next.angle[s->gear[gear].shaft] + s->gear[gear].offset;
            energy[k] = strain_of(s, gear);
        }
        slip_condensed_approach(c, m, angle, energy);
    }
    for (int m = 0; m < s->mesh_count; m++)
        for (int p = 0; p < c->mesh[m].pair_count; p++)
            for (int k = 0; k < 2; k++)
                SLIP_PASS(slip_gear_step_need_load(ctx, s, s->group->meshes[m].gear[k],
                                                   c->mesh[m].pairs[p].surface[k]));
    if (s->changed)
        return SLIP_OK;
    slip_gear_step_follow(s);
    for (int m = 0; m < s->mesh_count; m++)
        for (int p = 0; p < c->mesh[m].pair_count; p++)
            for (int k = 0; k < 2; k++)
                place_flank(s, m, k, c->mesh[m].pairs[p].surface[k]);
    SLIP_PASS(slip_condensed_list_candidates(ctx, c));
    s->evaluations++;
    return SLIP_OK;
}

/* ---- Contact forces. */

/* Zero on all vectors of a shaft that take part. */
static void clear_row(const slip_step_shaft *shaft, double *load)
{
    for (int i = 0; i < shaft->modes->size; i++)
        load[shaft->modes->order[i]] = 0;
}

double slip_gear_step_row(slip_gear_step *s, const slip_condensed_node *node, const double direction[3],
                          double *row)
{
    double given = 0;
    memset(row, 0, sizeof(double) * (size_t)s->count);
    for (int k = 0; k < 2; k++) {
        const slip_step_gear *own = &s->gear[slip_gear_step_side(s, node, k)];
        const slip_step_shaft *shaft = &s->shaft[own->shaft];
        const slip_gear_load *l = slip_gear_step_loaded(s, node, k);
        double *load = s->scratch, *at = load + (own->first_mode - shaft->first_mode), local[3];
        clear_row(shaft, load);
        const double moment = slip_condensed_row(s->contact, node, k, direction, at);
        slip_condensed_direct(s->contact, node, k, direction, local);
        slip_gear_kept_row(&own->kept, l->flank, node->count[k], node->node[k], node->share[k], local,
                           at + first_kept(own, l));
        slip_free_modes_project(shaft->modes, moment, load, row + shaft->first);
        given += shaft->modes->driven ? moment * s->next.speed[own->shaft] : 0;
    }
    return given;
}

/* The depth of a candidate without the contact forces at the end of the step. */
static double free_depth(const slip_gear_step *s, const slip_condensed_node *node, const double *row)
{
    double depth = node->depth;
    for (int i = 0; i < s->count; i++)
        depth += row[i] * s->propagator->y_end[i] * s->straight[i];
    for (int k = 0; k < 2; k++) {
        const int gear = slip_gear_step_side(s, node, k);
        double local[3];
        if (!s->gear[gear].kept.flexibility)
            continue;
        const slip_gear_load *l = slip_gear_step_loaded(s, node, k);
        const double end = slip_gear_step_lag(s, gear).end;
        slip_condensed_direct(s->contact, node, k, node->normal, local);
        for (int i = 0; i < node->count[k]; i++)
            depth += end * node->share[k][i] * dot(local, l->answer + 3 * node->node[k][i]);
    }
    return depth;
}

static int solve(slip_context *ctx, slip_gear_step *s)
{
    slip_condensed *c = s->contact;
    s->approach = -INFINITY;
    if (!SLIP_ROOM(s->rows, s->row_capacity, ((int64_t)c->count + 1) * s->count) ||
        !SLIP_ROOM(s->depth, s->depth_capacity, c->count))
        return slip_fail_memory(ctx);
    for (int i = 0; i < c->count; i++) {
        double *row = s->rows + (size_t)i * (size_t)s->count;
        slip_gear_step_row(s, &c->node[i], c->node[i].normal, row);
        s->depth[i] = free_depth(s, &c->node[i], row);
        s->approach = fmax(s->approach, s->depth[i]);
    }
    SLIP_PASS(slip_condensed_add_rows(ctx, c, s->count, s->rows, s->propagator->y_end));
    for (int m = 0; m < s->mesh_count; m++)
        for (int k = 0; k < 2; k++) {
            const int gear = s->group->meshes[m].gear[k];
            if (s->gear[gear].kept.flexibility)
                slip_condensed_add_flexibility(c, m, k, s->gear[gear].kept.flexibility,
                                               slip_gear_step_lag(s, gear).end);
        }
    return slip_condensed_solve(ctx, c, s->depth);
}

/* Adds a force of a candidate along a direction other than its normal. */
static void add_push(slip_gear_step *s, const slip_condensed_node *node, const double direction[3],
                     double amount)
{
    double *row = s->rows + (size_t)s->contact->count * (size_t)s->count, local[3];
    slip_gear_step_row(s, node, direction, row);
    for (int m = 0; m < s->count; m++)
        s->next.press[m] += amount * row[m];
    for (int k = 0; k < 2; k++) {
        const int shaft = s->gear[slip_gear_step_side(s, node, k)].shaft;
        slip_condensed_spread(s->contact, node, k, direction, amount,
                              slip_gear_step_loaded(s, node, k)->press[1]);
        s->next.moment[shaft] += amount * slip_condensed_direct(s->contact, node, k, direction, local);
    }
}

/* Adds the force that pushes a node off the rim of a flank. */
static void push_out(slip_gear_step *s, const slip_condensed_node *node, double force)
{
    slip_condensed_node beside = *node;
    add_push(s, node, node->push, force * force);
    beside.count[node->slave] = 0;
    memcpy(beside.share[1 - node->slave], node->couple, sizeof node->couple);
    add_push(s, &beside, node->normal, force * force);
}

static void press(slip_gear_step *s, const slip_condensed_node *node, int index)
{
    double force = s->contact->force[index], local[3], give = slip_condensed_spring(s->contact, index);
    const double *row = s->rows + (size_t)index * (size_t)s->count;
    for (int m = 0; m < s->count; m++)
        s->next.press[m] += force * row[m];
    for (int k = 0; k < 2; k++) {
        slip_gear_load *l = slip_gear_step_loaded(s, node, k);
        const int shaft = s->gear[slip_gear_step_side(s, node, k)].shaft;
        slip_condensed_spread(s->contact, node, k, node->normal, force, l->press[1]);
        l->normal[2] += force;
        if (k == node->slave)
            l->bearing[1][node->own] = force;
        s->next.moment[shaft] += force * slip_condensed_direct(s->contact, node, k, node->normal, local);
    }
    s->next.normal[node->mesh] += force;
    s->next.force += force;
    s->next.touching++;
    s->next.spring += force * force * give / 2;
    s->next.depth = fmax(s->next.depth, force * give);
}

/* The change of the forces of one load in an iteration. */
static double difference_of(int size, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += fabs(a[i] - b[i]);
    return sum;
}

/* Sets all forces at the end of the step to zero; the old nodal forces are stored for comparison. */
static void clear_forces(slip_gear_step *s)
{
    slip_gear_state *b = &s->next;
    const size_t size = sizeof(double) * (size_t)s->count, shafts = sizeof(double) * (size_t)s->shaft_count;
    memset(b->press, 0, size);
    memset(b->rub, 0, size);
    memset(b->moment, 0, shafts);
    memset(b->rubbing, 0, shafts);
    memset(b->normal, 0, sizeof(double) * (size_t)s->mesh_count);
    b->force = b->touching = b->depth = b->spring = 0;
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; i < s->gear[g].load_count; i++) {
            slip_gear_load *l = &s->gear[g].loads[i];
            size_t own = sizeof(double) * (size_t)s->gear[g].wheel->size;
            memcpy(l->old_press, l->press[1], own);
            memcpy(l->old_rub, l->rub[1], own);
            memset(l->press[1], 0, own);
            memset(l->rub[1], 0, own);
            memset(l->bearing[1], 0, own / 3);
            l->normal[2] = 0;
        }
}

void slip_gear_step_note_straight(slip_gear_step *s)
{
    memcpy(s->straight, s->next.press, sizeof(double) * (size_t)s->count);
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; i < s->gear[g].load_count; i++) {
            slip_gear_load *l = &s->gear[g].loads[i];
            memcpy(l->straight, l->press[1], sizeof(double) * (size_t)s->gear[g].wheel->size);
        }
}

int slip_gear_step_touch(slip_context *ctx, slip_gear_step *s, double *change)
{
    *change = 0;
    SLIP_PASS(solve(ctx, s));
    clear_forces(s);
    for (int i = 0; i < s->contact->count; i++)
        if (s->contact->force[i] > 0)
            press(s, &s->contact->node[i], i);
    slip_gear_step_note_straight(s);
    for (int i = 0; i < s->contact->count; i++)
        if (s->contact->force[i] > 0 && s->contact->node[i].give > 0)
            push_out(s, &s->contact->node[i], s->contact->force[i]);
    if (s->rub.on)
        SLIP_PASS(slip_gear_step_rub(ctx, s));
    for (int g = 0; g < s->gear_count; g++)
        for (int i = 0; s->gear[g].speaks && i < s->gear[g].load_count; i++) {
            const slip_gear_load *l = &s->gear[g].loads[i];
            const int size = s->gear[g].wheel->size;
            *change +=
                difference_of(size, l->press[1], l->old_press) + difference_of(size, l->rub[1], l->old_rub);
        }
    return SLIP_OK;
}

/* ---- The judge. */

static double judge_mesh(slip_gear_step *s, int mesh)
{
    const slip_condensed *c = s->contact;
    const slip_condensed_mesh *m = &c->mesh[mesh];
    slip_gear_pair *pair = s->pairs[mesh];
    const double angle[2] = {pair->wheels[0].angle, pair->wheels[1].angle};
    slip_gear_pair_judge_begin(pair);
    for (int k = 0; k < 2; k++) {
        const slip_step_gear *own = &s->gear[s->group->meshes[mesh].gear[k]];
        pair->wheels[k].angle = s->next.angle[own->shaft] + own->offset;
        for (int p = 0; p < m->pair_count; p++) {
            const int flank = m->pairs[p].surface[k];
            slip_gear_load *l = slip_gear_step_load(s, s->group->meshes[mesh].gear[k], flank);
            const double strain = l->strain[1]; /* that of the account stays */
            place_flank(s, mesh, k, flank);
            l->strain[1] = strain;
            slip_gear_pair_clear(pair, k, flank);
        }
    }
    for (int i = 0; i < c->count; i++) {
        const slip_condensed_node *node = &c->node[i];
        const int k = node->slave, at = slip_condensed_flank(c, node, k) * pair->gear[k]->nodes + node->own;
        if (node->mesh != mesh)
            continue;
        pair->judge.force[k][at] = c->force[i];
        pair->judge.soft[k][at] = slip_condensed_spring(c, i);
    }
    const double worst = slip_gear_pair_judge(pair, m->pair_count, m->pairs);
    for (int k = 0; k < 2; k++)
        pair->wheels[k].angle = angle[k];
    return worst;
}

double slip_gear_step_judge(slip_gear_step *s)
{
    double worst = s->rub.on ? s->rub.residual : 0;
    for (int m = 0; m < s->mesh_count; m++)
        worst = fmax(worst, judge_mesh(s, m));
    return worst;
}
