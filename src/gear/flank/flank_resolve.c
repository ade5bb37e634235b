/* Contact of flanks in a step of central differences. The theory is in flank_contact.h. */
#include "contact/problem.h"
#include "gear/condensed/gear_friction.h"
#include "gear/flank/flank_types.h"
#include "gear/geometry/vector.h"

#include <string.h>

enum { sweeps_max = 1000 };

/* Two flanks that meet. */
typedef struct correction {
    slip_flank_contact *contact;
    const slip_flank_pair *pair;
    const slip_flank_state *state;
    const slip_flank_motion *motion;
    double before, step;        /* the step that led here, the one to come */
    double weight;              /* for which the forces act: half of both */
    bool passes[2];             /* whose nodes are slaves */
    double stiffness[2];        /* of these passes; 0: without a penalty */
    slip_flank_touch *touch[2]; /* of each flank */
    int count[2];
    slip_flank_grip *grips; /* of the nodes that are near, body by body */
    int near_count;
} correction;

/* ---- Where nodes are before and after the step. */

typedef slip_flank_grip grip;

static grip grip_of(const correction *w, int body, int i)
{
    const slip_flank_contact *c = w->contact;
    const slip_flank_touch *touch = &w->touch[body][i];
    grip g = {.body = body, .index = i, .slave = c->surfaces[body][w->pair->surface[body]].nodes[i]};
    slip_flank_corners(&c->surfaces[1 - body][touch->master], touch->row, touch->column, g.nodes);
    slip_facet_shape(touch->at, g.shape, NULL);
    g.soft = 1 / w->motion[body].mass[g.slave];
    for (int k = 0; k < 4; k++)
        g.soft += g.shape[k] * g.shape[k] / w->motion[1 - body].mass[g.nodes[k]];
    g.left = c->options.kinematic
                 ? 1
                 : slip_flank_contact_rim(c, body, w->pair, w->state[1 - body].position, i).left;
    return g;
}

/* Adds the displacements over the step by a force on the slave and by its reaction on the corners. */
static void shift_nodes(const correction *w, const grip *g, double force, const double along[3])
{
    const int body = g->body;
    double by = w->step * w->weight * force;
    add_scaled(by / w->motion[body].mass[g->slave], along, w->contact->shift[body] + 3 * (size_t)g->slave);
    for (int k = 0; k < 4; k++)
        add_scaled(-by * g->shape[k] / w->motion[1 - body].mass[g->nodes[k]], along,
                   w->contact->shift[1 - body] + 3 * (size_t)g->nodes[k]);
}

/* Where the nodes of a surface would be at the end of the step. */
static void predict(const correction *w, int body)
{
    slip_flank_contact *c = w->contact;
    const slip_flank_state *state = &w->state[body];
    const slip_flank_motion *motion = &w->motion[body];
    const slip_flank_surface *s = &c->surfaces[body][w->pair->surface[body]];
    for (int i = 0; i < s->rows * s->columns; i++) {
        size_t node = (size_t)s->nodes[i];
        for (size_t k = 3 * node; k < 3 * node + 3; k++)
            c->predicted[body][k] =
                state->position[k] +
                w->step * (state->velocity[k] + w->weight * motion->force[k] / motion->mass[node]);
    }
}

static void clear_shifts(const correction *w)
{
    for (int body = 0; body < 2; body++) {
        const slip_flank_surface *s = &w->contact->surfaces[body][w->pair->surface[body]];
        for (int i = 0; i < s->rows * s->columns; i++)
            memset(w->contact->shift[body] + 3 * (size_t)s->nodes[i], 0, 3 * sizeof(double));
    }
}

/* The motion of a node along n: to the previous step (side 0), or to its predicted position (side 1). */
static double motion_along(const correction *w, int body, int side, int node, const double n[3])
{
    size_t at = 3 * (size_t)node;
    double by[3];
    if (side == 0)
        return -w->before * dot(w->state[body].velocity + at, n);
    difference(w->contact->predicted[body] + at, w->state[body].position + at, by);
    return dot(by, n);
}

static slip_flank_touch *touch_of(const correction *w, const grip *g)
{
    return &w->touch[g->body][g->index];
}

/* Whether a node may take a force: with a penalty also one that is in front now, since it may have been
 * behind or may be so soon. */
static bool counts(const correction *w, const slip_flank_touch *touch)
{
    return w->contact->options.kinematic ? touch->depth > 0 : touch->near;
}

/* Of a node: its depths one step ago, one step ahead without contact, and one step ahead. */
static double *depths_of(const correction *w, int body, int i)
{
    slip_flank_contact *c = w->contact;
    return c->depths[body] + 3 * (size_t)c->surfaces[body][w->pair->surface[body]].nodes[i];
}

/* How deep a node was one step ago and would be one step ahead without contact, both behind the plane that
 * its facet has now. Returns the larger one. */
static double set_depths(const correction *w, const grip *g)
{
    const int body = g->body, i = g->index;
    const slip_flank_touch *touch = &w->touch[body][i];
    double *depth = depths_of(w, body, i);
    depth[0] = depth[1] = touch->depth;
    if (w->contact->options.kinematic)
        return touch->depth;
    for (int side = 0; side < 2; side++) {
        depth[side] -= motion_along(w, body, side, g->slave, touch->normal);
        for (int k = 0; k < 4; k++)
            depth[side] += g->shape[k] * motion_along(w, 1 - body, side, g->nodes[k], touch->normal);
    }
    return fmax(depth[0], depth[1]);
}

/* ---- Forces. */

/* k (P(after) - P(before))/(after - before) with P(d) = max(d, 0)^2/2 and after = free - soft force. It grows
 * with `after`, so there is one solution. */
static double mean_force(double k, double before, double free, double soft)
{
    double half = 1 + k * soft / 2;
    if (before <= 0) {
        if (free <= 0)
            return 0;
        double sum = free + before, after = (sum + sqrt(sum * sum - 4 * half * free * before)) / (2 * half);
        return k * after * after / (2 * (after - before));
    }
    double force = k * (before + free) / (2 * half);
    if (free - soft * force >= 0)
        return force;
    double away = before - free;
    return k * before * before / (away + sqrt(away * away + 2 * soft * k * before * before));
}

/* How deep a node is at the end of the step, by the forces of all. */
static double depth_ahead(const correction *w, const grip *g)
{
    const slip_flank_contact *c = w->contact;
    const int body = g->body, i = g->index;
    const double *normal = w->touch[body][i].normal;
    double depth = depths_of(w, body, i)[1] - dot(c->shift[body] + 3 * (size_t)g->slave, normal);
    for (int k = 0; k < 4; k++)
        depth += g->shape[k] * dot(c->shift[1 - body] + 3 * (size_t)g->nodes[k], normal);
    return depth;
}

/* One Gauss-Seidel step: the force of a node given the others, by its spring or such that it is on its facet.
 * Returns by how much the gap changed. */
static double settle_node(const correction *w, const grip *g)
{
    const int body = g->body, i = g->index;
    slip_flank_touch *touch = &w->touch[body][i];
    double *depth = depths_of(w, body, i), soft = w->step * w->weight * g->soft;
    double before = touch->normal_force,
           free = depth_ahead(w, g) + soft * before; /* without the node's own force */
    touch->normal_force = w->stiffness[body] > 0
                              ? mean_force(g->left * w->stiffness[body], depth[0], free, soft)
                              : fmax(free / soft, 0);
    depth[2] = free - soft * touch->normal_force;
    shift_nodes(w, g, touch->normal_force - before, touch->normal);
    return soft * fabs(touch->normal_force - before);
}

/* Lists the near nodes of both flanks, the only ones that the solver of this step considers. */
static int list_near(const correction *w)
{
    int count = 0;
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < w->count[body] && w->passes[body]; i++)
            if (w->touch[body][i].near)
                w->grips[count++] = grip_of(w, body, i);
    return count;
}

static void settle(const correction *w)
{
    double deepest = 0, change = INFINITY;
    if (w->near_count > 0)
        clear_shifts(w);
    for (int k = 0; k < w->near_count; k++)
        if (counts(w, touch_of(w, &w->grips[k])))
            deepest = fmax(deepest, set_depths(w, &w->grips[k]));
    for (int sweep = 0; sweep < sweeps_max && change > 1e-12 * deepest; sweep++) {
        change = 0;
        for (int k = 0; k < w->near_count; k++)
            if (counts(w, touch_of(w, &w->grips[k])))
                change = fmax(change, settle_node(w, &w->grips[k]));
    }
}

/* The judge's residual of the normal forces of a pass. With a penalty: the deviation of a spring from its
 * mean force between one step ago and one ahead. Without: the depth of a node behind its facet, or the gap of
 * a node that carries force. */
static double judge(const correction *w, int body)
{
    static const slip_block press = {.kind = SLIP_BLOCK_NORMAL}, spring = {.kind = SLIP_BLOCK_LINEAR};
    double worst = 0;
    for (int n = 0; n < w->near_count; n++) {
        const grip *g = &w->grips[n];
        const slip_flank_touch *touch = touch_of(w, g);
        const double k = g->left * w->stiffness[body];
        if (g->body != body || !counts(w, touch) || g->left == 0)
            continue;
        const double before = depths_of(w, body, g->index)[0], after = depth_ahead(w, g),
                     soft = w->step * w->weight * g->soft, a = fmax(after, 0), b = fmax(before, 0),
                     mean = a > 0 && b > 0    ? (a + b) / 2
                            : after != before ? (a * a - b * b) / (2 * (after - before))
                                              : a;
        worst = fmax(worst, k > 0 ? slip_block_residual(&spring, 1 / k, 1, touch->normal_force - k * mean, 0)
                                  : slip_block_residual(&press, soft, 1, touch->normal_force, -after));
    }
    return worst;
}

/* The energy of a node's spring: mean of its potential now and one step ahead, plus half of its work between.
 */
static double spring_energy(double k, const slip_flank_touch *touch, double ahead)
{
    double now = fmax(touch->depth, 0), then = fmax(ahead, 0);
    return k * (now * now + then * then) / 4 - touch->normal_force * (ahead - touch->depth) / 2;
}

/* ---- Friction without a penalty.
 *
 * The force that stops a landing node is proportional to 1/h, so friction at the velocity before the step
 * would make a light node oscillate. Therefore friction follows the law at the slip w in the next step. For
 * each node, with the others fixed and w_0 the slip without its friction: |w| + h s lambda f(|w|) = |w_0|, s
 * the inverse mass of the slip. */

/* How far a node moves in the step, with the forces found so far. */
static void motion_of(const correction *w, int body, int node, double by[3])
{
    size_t at = 3 * (size_t)node;
    difference(w->contact->predicted[body] + at, w->state[body].position + at, by);
    add_scaled(1, w->contact->shift[body] + at, by);
}

/* One Gauss-Seidel step. Returns the change of the slip over the step, and in *size the slip. */
static double rub_node(const correction *w, int body, int i, double *size)
{
    const slip_flank_touch *touch = &w->touch[body][i];
    const grip g = grip_of(w, body, i);
    double *force = w->contact->rubbing[body] + 3 * (size_t)g.slave;
    double slip[3], by[3], soft = w->step * w->weight * g.soft;
    motion_of(w, body, g.slave, slip);
    for (int k = 0; k < 4; k++) {
        motion_of(w, 1 - body, g.nodes[k], by);
        add_scaled(-g.shape[k], by, slip);
    }
    add_scaled(-soft, force, slip);
    add_scaled(-dot(slip, touch->normal), touch->normal, slip);
    *size = sqrt(dot(slip, slip));
    double free = *size / w->step, push = soft / w->step * touch->normal_force, slope;
    double left = free > 0 ? slip_friction_slip(&w->contact->law, push, free, &slope) : 0;
    double share = free > 0 ? (left / free - 1) / soft : 0; /* of the slip over the step */
    for (int d = 0; d < 3; d++) {
        by[d] = share * slip[d] - force[d];
        force[d] = share * slip[d];
    }
    shift_nodes(w, &g, 1, by);
    return soft * sqrt(dot(by, by));
}

static void rub(const correction *w)
{
    double change = INFINITY, largest = 0;
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < w->count[body] && w->passes[body]; i++)
            memset(w->contact->rubbing[body] +
                       3 * (size_t)w->contact->surfaces[body][w->pair->surface[body]].nodes[i],
                   0, 3 * sizeof(double));
    for (int sweep = 0; sweep < sweeps_max && change > 1e-9 * largest; sweep++) {
        change = 0;
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < w->count[body] && w->passes[body]; i++)
                if (w->touch[body][i].normal_force > 0) {
                    double size;
                    change = fmax(change, rub_node(w, body, i, &size));
                    largest = fmax(largest, size);
                }
    }
}

/* Adds the forces that were found. With a penalty the depth that is reported is that of the force. */
static void press(const correction *w, int body, slip_flank_totals *totals)
{
    slip_flank_contact *c = w->contact;
    double k = w->stiffness[body];
    const double *position = k > 0 ? w->state[1 - body].position : c->predicted[1 - body];
    for (int n = 0; n < w->near_count; n++) {
        slip_flank_touch *touch = touch_of(w, &w->grips[n]);
        const int i = w->grips[n].index;
        double depth = touch->depth;
        if (w->grips[n].body != body)
            continue;
        const double left = w->grips[n].left;
        if (k > 0)
            totals->energy += spring_energy(left * k, touch, depths_of(w, body, i)[2]);
        const slip_flank_rim rim = slip_flank_contact_rim(c, body, w->pair, position, i);
        touch->depth = 0;
        if (!(touch->normal_force > 0))
            continue;
        slip_flank_event e = slip_flank_event_of(c, body, w->pair, w->state, position, i);
        e.arm = k > 0 ? depth : 0;
        if (!(k > 0) && c->friction)
            e.friction = c->rubbing[body] + 3 * (size_t)e.slave;
        touch->depth = k > 0 ? touch->normal_force / (left * k) : depth;
        slip_flank_press(c, &e, touch->normal_force, touch, totals);
        if (left < 1 && depth > 0)
            slip_flank_push_out(&e, k * depth * depth / 2, &rim, touch);
    }
}

/* Adds the power lost to the contact forces: mean of that with the velocities before and after them. */
static void add_lost(const slip_flank_contact *c, int body, int surface, const slip_flank_state *state,
                     const slip_flank_motion *motion, double weight, double lost[2])
{
    const slip_flank_surface *s = &c->surfaces[body][surface];
    for (int i = 0; i < s->rows * s->columns; i++) {
        size_t node = (size_t)s->nodes[i];
        for (size_t k = 3 * node; k < 3 * node + 3; k++) {
            double after =
                state->velocity[k] + weight * (motion->force[k] + state->force[k]) / motion->mass[node];
            lost[0] -= state->force[k] * state->velocity[k] / 2;
            lost[1] -= state->force[k] * after / 2;
        }
    }
}

static void resolve_pair(slip_flank_contact *c, const slip_flank_pair *pair, const slip_flank_state state[2],
                         const slip_flank_motion motion[2], const double steps[2], slip_flank_totals *totals)
{
    const double weight[2] = {c->options.two_pass, 1 - c->options.two_pass};
    const double *const now[2] = {state[0].position, state[1].position};
    const double *const predicted[2] = {c->predicted[0], c->predicted[1]};
    const double *const *position = c->options.kinematic ? predicted : now;
    correction w = {.contact = c,
                    .pair = pair,
                    .state = state,
                    .motion = motion,
                    .before = steps[0],
                    .step = steps[1],
                    .weight = (steps[0] + steps[1]) / 2};
    for (int body = 0; body < 2; body++) {
        const slip_flank_surface *s = &c->surfaces[body][pair->surface[body]];
        w.passes[body] = weight[body] > 0;
        w.stiffness[body] = c->options.kinematic ? 0 : weight[body] * c->options.penalty;
        w.touch[body] = c->touches[body][pair->surface[body]];
        w.count[body] = s->rows * s->columns;
        predict(&w, body);
        slip_flank_watch(c, body, pair->surface[body], position[body]);
    }
    for (int body = 0; body < 2; body++)
        if (w.passes[body])
            slip_flank_find(c, body, pair, position);
    w.grips = c->grips;
    w.near_count = list_near(&w);
    settle(&w);
    for (int body = 0; body < 2; body++)
        if (w.passes[body])
            totals->residual = fmax(totals->residual, judge(&w, body));
    if (c->options.kinematic && c->friction)
        rub(&w);
    for (int body = 0; body < 2; body++)
        if (w.passes[body])
            press(&w, body, totals);
}

void slip_flank_contact_resolve(slip_flank_contact *c, int pair_count, const slip_flank_pair *pairs,
                                const slip_flank_state state[2], const slip_flank_motion motion[2],
                                const double steps[2], slip_flank_totals *totals)
{
    double lost[2] = {0};
    *totals = (slip_flank_totals){.deepest_pair = -1};
    slip_flank_forget(c, pair_count, pairs);
    for (int p = 0; p < pair_count; p++) {
        double before = totals->deepest;
        resolve_pair(c, &pairs[p], state, motion, steps, totals);
        for (int body = 0; body < 2 && c->options.kinematic; body++)
            add_lost(c, body, pairs[p].surface[body], &state[body], &motion[body], (steps[0] + steps[1]) / 2,
                     lost);
        if (totals->deepest > before)
            totals->deepest_pair = p;
    }
    if (c->options.kinematic)
        totals->lost = lost[0] + lost[1];
    totals->lost_before = c->options.kinematic ? lost[0] : totals->lost / 2;
}
