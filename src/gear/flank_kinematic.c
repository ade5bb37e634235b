/* Contact of flanks without a penalty. The theory is in flank_contact.h. */
#include "gear/flank_types.h"
#include "gear/vector.h"

#include <string.h>

enum { sweeps_max = 1000 };

/* Two flanks that are kept apart. */
typedef struct correction {
    slip_flank_contact *contact;
    const slip_flank_pair *pair;
    const slip_flank_motion *motion;
    double step;
    bool passes[2];             /* whose nodes are slaves */
    slip_flank_touch *touch[2]; /* of each flank */
    int count[2];
} correction;

/* Where the nodes of a surface would be at the end of the step. */
static void predict(slip_flank_contact *c, int body, int surface, const slip_flank_state *state,
                    const slip_flank_motion *motion, double step)
{
    const slip_flank_surface *s = &c->surfaces[body][surface];
    for (int i = 0; i < s->rows * s->columns; i++) {
        size_t node = (size_t)s->nodes[i];
        for (size_t k = 3 * node; k < 3 * node + 3; k++)
            c->predicted[body][k] =
                state->position[k] +
                step * (state->velocity[k] + step * motion->force[k] / motion->mass[node]);
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

/* One Gauss-Seidel step: the force of a node such that it is on its facet, given the others. Returns by how
 * much the gap changed. */
static double settle_node(const correction *w, int body, int i)
{
    slip_flank_contact *c = w->contact;
    slip_flank_touch *touch = &w->touch[body][i];
    const slip_flank_surface *slaves = &c->surfaces[body][w->pair->surface[body]];
    size_t slave = (size_t)slaves->nodes[i];
    double shape[4], gap = -touch->depth, square = w->step * w->step;
    int nodes[4];
    slip_flank_corners(&c->surfaces[1 - body][touch->master], touch->row, touch->column, nodes);
    slip_facet_shape(touch->at, shape, NULL);
    const double *mass = w->motion[1 - body].mass;
    double *shift = c->shift[1 - body], *own = c->shift[body] + 3 * slave;
    double inverse = 1 / w->motion[body].mass[slave], soft = inverse;
    gap += dot(own, touch->normal);
    for (int k = 0; k < 4; k++) {
        gap -= shape[k] * dot(shift + 3 * (size_t)nodes[k], touch->normal);
        soft += shape[k] * shape[k] / mass[nodes[k]];
    }
    double before = touch->normal_force;
    touch->normal_force = fmax(before - gap / (square * soft), 0);
    double by = square * (touch->normal_force - before);
    add_scaled(by * inverse, touch->normal, own);
    for (int k = 0; k < 4; k++)
        add_scaled(-by * shape[k] / mass[nodes[k]], touch->normal, shift + 3 * (size_t)nodes[k]);
    return fabs(by) * soft;
}

static void settle(const correction *w)
{
    double deepest = 0, change = INFINITY;
    clear_shifts(w);
    for (int body = 0; body < 2; body++)
        for (int i = 0; i < w->count[body] && w->passes[body]; i++)
            deepest = fmax(deepest, w->touch[body][i].depth);
    for (int sweep = 0; sweep < sweeps_max && change > 1e-12 * deepest; sweep++) {
        change = 0;
        for (int body = 0; body < 2; body++)
            for (int i = 0; i < w->count[body] && w->passes[body]; i++)
                if (w->touch[body][i].depth > 0)
                    change = fmax(change, settle_node(w, body, i));
    }
}

/* Most of the slip that friction takes in a step: a node may be held by some contacts. */
static const double held_share = 0.25;

/* 1/mass of the slip of a node over its facet. */
static double softness(const correction *w, int body, const slip_flank_event *e)
{
    double sum = 1 / w->motion[body].mass[e->slave];
    for (int k = 0; k < 4; k++)
        sum += fabs(e->value[k]) / w->motion[1 - body].mass[e->nodes[k]];
    return sum;
}

static void press(const correction *w, int body, const slip_flank_state state[2], slip_flank_totals *totals)
{
    for (int i = 0; i < w->count[body]; i++) {
        slip_flank_touch *touch = &w->touch[body][i];
        if (!(touch->normal_force > 0)) {
            touch->depth = 0; /* the others have lifted it */
            continue;
        }
        slip_flank_event e =
            slip_flank_event_of(w->contact, body, w->pair, state, w->contact->predicted[1 - body], i);
        e.hold = held_share / (w->step * softness(w, body, &e));
        slip_flank_press(w->contact, &e, touch->normal_force, touch, totals);
    }
}

/* Power that the forces of contact take, half by the velocities before and half by those after them. */
static void add_lost(const slip_flank_contact *c, int body, int surface, const slip_flank_state *state,
                     const slip_flank_motion *motion, double step, double lost[2])
{
    const slip_flank_surface *s = &c->surfaces[body][surface];
    for (int i = 0; i < s->rows * s->columns; i++) {
        size_t node = (size_t)s->nodes[i];
        for (size_t k = 3 * node; k < 3 * node + 3; k++) {
            double after =
                state->velocity[k] + step * (motion->force[k] + state->force[k]) / motion->mass[node];
            lost[0] -= state->force[k] * state->velocity[k] / 2;
            lost[1] -= state->force[k] * after / 2;
        }
    }
}

static void resolve_pair(slip_flank_contact *c, const slip_flank_pair *pair, const slip_flank_state state[2],
                         const slip_flank_motion motion[2], double step, slip_flank_totals *totals)
{
    const double *const predicted[2] = {c->predicted[0], c->predicted[1]};
    correction w = {.contact = c,
                    .pair = pair,
                    .motion = motion,
                    .step = step,
                    .passes = {c->options.two_pass > 0, c->options.two_pass < 1}};
    for (int body = 0; body < 2; body++) {
        const slip_flank_surface *s = &c->surfaces[body][pair->surface[body]];
        w.touch[body] = c->touches[body][pair->surface[body]];
        w.count[body] = s->rows * s->columns;
        predict(c, body, pair->surface[body], &state[body], &motion[body], step);
        slip_flank_watch(c, body, pair->surface[body], predicted[body]);
    }
    for (int body = 0; body < 2; body++)
        if (w.passes[body])
            slip_flank_find(c, body, pair, predicted);
    settle(&w);
    for (int body = 0; body < 2; body++)
        if (w.passes[body])
            press(&w, body, state, totals);
}

void slip_flank_contact_resolve(slip_flank_contact *c, int pair_count, const slip_flank_pair *pairs,
                                const slip_flank_state state[2], const slip_flank_motion motion[2],
                                double step, slip_flank_totals *totals)
{
    double lost[2] = {0};
    *totals = (slip_flank_totals){.deepest_pair = -1};
    slip_flank_forget(c, pair_count, pairs);
    for (int p = 0; p < pair_count; p++) {
        double before = totals->deepest;
        resolve_pair(c, &pairs[p], state, motion, step, totals);
        for (int body = 0; body < 2; body++)
            add_lost(c, body, pairs[p].surface[body], &state[body], &motion[body], step, lost);
        if (totals->deepest > before)
            totals->deepest_pair = p;
    }
    totals->lost = lost[0] + lost[1];
    totals->lost_before = lost[0];
}
