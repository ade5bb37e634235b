/* Contact of flanks. The theory is in the header. */
#include "gear/flank/flank_types.h"
#include "gear/geometry/vector.h"

#include <string.h>

slip_flank_options slip_flank_options_default(void)
{
    return (slip_flank_options){.penalty = NAN, .two_pass = 0.5, .overhang = 0.1, .depth = INFINITY};
}

/* ---- Making. */

static int check_options(slip_context *ctx, const slip_flank_options *o)
{
    if (!o->kinematic && (!(o->penalty > 0) || !isfinite(o->penalty)))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "penalty %g: expected a positive number of N/m", o->penalty);
    if (!(o->two_pass >= 0 && o->two_pass <= 1))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "two_pass %g: expected 0 to 1", o->two_pass);
    if (!(o->overhang >= 0 && o->overhang <= 1))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "overhang %g: expected 0 to 1", o->overhang);
    if (!(o->depth > 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "depth %g: expected a positive number of metres", o->depth);
    if (!(o->margin >= 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "margin %g: expected no negative number of metres",
                         o->margin);
    return SLIP_OK;
}

/* The slope of the law at zero slip. Where it is infinite (the elliptic law), the slope of the chord to a
 * hundredth of the law's velocity: only one point is steep, and errors there are bounded. */
static double slope_at_rest(const slip_law_kernel *law)
{
    double force, slope, near = slip_law_velocity_scale(law) / 100;
    slip_law_force(law, slip_law_piece(law, 0), 0, &force, &slope);
    if (isfinite(slope) || !isfinite(near))
        return fabs(slope);
    slip_law_force(law, slip_law_piece(law, near), near, &force, &slope);
    return force / near;
}

static int prepare_friction(slip_context *ctx, const slip_law *law, slip_flank_contact *c)
{
    int status = slip_law_prepare(ctx, law, &c->law);
    if (status >= 0 && (c->law.type->info.set_valued || c->law.type->remember))
        status = slip_fail(ctx, SLIP_ERROR_MODEL,
                           "friction on flanks: the law `%s` %s; expected a smooth one, for example "
                           "tanh {mu, velocity} or sqrt {mu, epsilon}",
                           c->law.type->info.name, c->law.type->remember ? "has memory" : "is set-valued");
    c->friction = true;
    c->steepest = slope_at_rest(&c->law);
    return status;
}

static int copy_surface(slip_context *ctx, slip_flank_contact *c, int body, int index,
                        const slip_flank_surface *from)
{
    if (from->rows < 2 || from->columns < 2)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "flank %d of body %d has %d x %d nodes: expected at least 2 x 2", index + 1,
                         body + 1, from->rows, from->columns);
    int count = from->rows * from->columns;
    int *nodes = slip_arena_array(&c->arena, count, sizeof *nodes);
    slip_flank_touch *touches = slip_arena_array(&c->arena, count, sizeof *touches);
    double *last = slip_arena_array(&c->arena, 3 * (int64_t)count, sizeof *last);
    SLIP_PASS(slip_allocated(ctx, nodes && touches && last));
    memcpy(nodes, from->nodes, sizeof *nodes * (size_t)count);
    for (int i = 0; i < count; i++) {
        touches[i].master = -1;
        if (nodes[i] >= c->node_count[body])
            c->node_count[body] = nodes[i] + 1;
    }
    c->surfaces[body][index] = *from;
    c->surfaces[body][index].nodes = nodes;
    c->touches[body][index] = touches;
    c->last[body][index] = last;
    return SLIP_OK;
}

static int copy_body(slip_context *ctx, slip_flank_contact *c, int body, int count,
                     const slip_flank_surface *surfaces)
{
    c->surface_count[body] = count;
    c->surfaces[body] = slip_arena_array(&c->arena, count, sizeof **c->surfaces);
    c->touches[body] = slip_arena_array(&c->arena, count, sizeof **c->touches);
    c->paired[body] = slip_arena_array(&c->arena, count, sizeof **c->paired);
    c->last[body] = slip_arena_array(&c->arena, count, sizeof **c->last);
    c->travel[body] = slip_arena_array(&c->arena, count, sizeof **c->travel);
    SLIP_PASS(slip_allocated(ctx, c->surfaces[body] && c->touches[body] && c->paired[body] && c->last[body] &&
                                      c->travel[body]));
    for (int s = 0; s < count; s++)
        SLIP_PASS(copy_surface(ctx, c, body, s, &surfaces[s]));
    int64_t scratch = 3 * (int64_t)c->node_count[body];
    c->sums[body] = slip_arena_array(&c->arena, c->node_count[body], sizeof **c->sums);
    c->predicted[body] = slip_arena_array(&c->arena, scratch, sizeof **c->predicted);
    c->shift[body] = slip_arena_array(&c->arena, scratch, sizeof **c->shift);
    c->depths[body] = slip_arena_array(&c->arena, scratch, sizeof **c->depths);
    c->rubbing[body] = slip_arena_array(&c->arena, scratch, sizeof **c->rubbing);
    SLIP_PASS(slip_allocated(ctx, c->sums[body] && c->predicted[body] && c->shift[body] && c->depths[body] &&
                                      c->rubbing[body]));
    return SLIP_OK;
}

/* Room for all nodes of any two flanks. */
static int reserve_grips(slip_context *ctx, slip_flank_contact *c)
{
    int64_t most[2] = {0, 0};
    for (int body = 0; body < 2; body++)
        for (int s = 0; s < c->surface_count[body]; s++) {
            const int64_t count = (int64_t)c->surfaces[body][s].rows * c->surfaces[body][s].columns;
            most[body] = count > most[body] ? count : most[body];
        }
    c->grips = slip_arena_array(&c->arena, most[0] + most[1], sizeof *c->grips);
    return slip_allocated(ctx, c->grips);
}

int slip_flank_contact_create(slip_context *ctx, const slip_flank_options *options,
                              const int surface_count[2], const slip_flank_surface *const surfaces[2],
                              slip_flank_contact **contact)
{
    SLIP_FREED_BY(slip_flank_contact_drop) slip_flank_contact *c = slip_alloc(1, sizeof *c);
    *contact = NULL;
    SLIP_PASS(check_options(ctx, options));
    SLIP_PASS(slip_allocated(ctx, c));
    c->options = *options;
    if (options->kinematic)
        c->options.penalty = 1; /* without a penalty only the search is used, not the force */
    if (options->friction)
        SLIP_PASS(prepare_friction(ctx, options->friction, c));
    for (int body = 0; body < 2; body++)
        SLIP_PASS(copy_body(ctx, c, body, surface_count[body], surfaces[body]));
    SLIP_PASS(reserve_grips(ctx, c));
    SLIP_HAND(contact, c);
    return SLIP_OK;
}

SLIP_DESTROY(slip_flank_contact)

double slip_flank_contact_weight(const slip_flank_contact *c)
{
    return c->options.two_pass;
}

const slip_flank_touch *slip_flank_contact_touches(const slip_flank_contact *c, int body, int surface)
{
    return c->touches[body][surface];
}

/* ---- Forces. */

static void add_force(const slip_flank_event *e, const double force[3], slip_flank_touch *touch)
{
    add_scaled(1, force, e->slave_state->force + 3 * (size_t)e->slave);
    for (int k = 0; k < 4; k++)
        add_scaled(-e->value[k], force, e->master_state->force + 3 * (size_t)e->nodes[k]);
    add_scaled(1, force, touch->force);
}

/* Dual basis of the facet's tangents in the plane across the normal. */
static void dual_basis(const slip_flank_event *e, const slip_flank_touch *touch, double dual[2][3])
{
    double t[2][3];
    slip_facet_tangents(&e->facet, touch->at, t[0], t[1]);
    for (int k = 0; k < 2; k++)
        add_scaled(-dot(t[k], touch->normal), touch->normal, t[k]);
    double a = dot(t[0], t[0]), b = dot(t[0], t[1]), d = dot(t[1], t[1]), det = a * d - b * b;
    for (int i = 0; i < 3; i++) {
        dual[0][i] = (d * t[0][i] - b * t[1][i]) / det;
        dual[1][i] = (a * t[1][i] - b * t[0][i]) / det;
    }
}

static void slip_velocity(const slip_flank_event *e, const slip_flank_touch *touch, double dual[2][3],
                          double slip[3])
{
    const double *velocity = e->master_state->velocity;
    memcpy(slip, e->slave_state->velocity + 3 * (size_t)e->slave, 3 * sizeof *slip);
    for (int k = 0; k < 4; k++) {
        const double *v = velocity + 3 * (size_t)e->nodes[k];
        double along = dot(v, touch->normal);
        add_scaled(-e->value[k], v, slip);
        for (int i = 0; i < 2; i++)
            add_scaled(-e->arm * e->slope[i][k] * along, dual[i], slip);
    }
    add_scaled(-dot(slip, touch->normal), touch->normal, slip);
}

/* Returns the power that is lost. */
static double rub(const slip_flank_contact *c, const slip_flank_event *e, double normal_force,
                  slip_flank_touch *touch)
{
    double dual[2][3], force[3], coefficient, slope;
    dual_basis(e, touch, dual);
    slip_velocity(e, touch, dual, force);
    double speed = sqrt(dot(force, force));
    touch->worst = normal_force * c->steepest;
    if (!(speed > 0))
        return 0;
    if (c->stiff)
        coefficient = (slope = c->steepest) * speed;
    else
        slip_law_force(&c->law, slip_law_piece(&c->law, speed), speed, &coefficient, &slope);
    touch->damping = normal_force * fmax(fabs(slope), coefficient / speed); /* along the slip, across it */
    scale(-coefficient * normal_force / speed, force);
    add_force(e, force, touch);
    for (int k = 0; k < 4; k++) {
        double along =
            -e->arm * (dot(force, dual[0]) * e->slope[0][k] + dot(force, dual[1]) * e->slope[1][k]);
        add_scaled(along, touch->normal, e->master_state->force + 3 * (size_t)e->nodes[k]);
    }
    return coefficient * normal_force * speed;
}

void slip_flank_press(const slip_flank_contact *c, const slip_flank_event *e, double normal_force,
                      slip_flank_touch *touch, slip_flank_totals *totals)
{
    double force[3] = {0};
    add_scaled(normal_force, touch->normal, force);
    add_force(e, force, touch);
    touch->normal_force = normal_force;
    totals->touching++;
    totals->normal_force += normal_force;
    totals->deepest = fmax(totals->deepest, touch->depth);
    if (e->friction)
        add_force(e, e->friction, touch);
    else if (c->friction)
        totals->lost += rub(c, e, normal_force, touch);
}

slip_flank_event slip_flank_event_of(const slip_flank_contact *c, int body, const slip_flank_pair *pair,
                                     const slip_flank_state state[2], const double *position, int i)
{
    const slip_flank_touch *touch = &c->touches[body][pair->surface[body]][i];
    const slip_flank_surface *master = &c->surfaces[1 - body][touch->master];
    slip_flank_event e = {.slave = c->surfaces[body][pair->surface[body]].nodes[i],
                          .facet = slip_flank_facet(master, touch->row, touch->column, position),
                          .slave_state = &state[body],
                          .master_state = &state[1 - body]};
    slip_flank_corners(master, touch->row, touch->column, e.nodes);
    slip_facet_shape(touch->at, e.value, e.slope);
    return e;
}

/* The factor w of a spring in the outer half of the overhang, and its derivatives by xi and eta. Within a
 * flank |xi| <= 1. */
static double fade(const slip_flank_contact *c, const slip_flank_touch *touch, double slope[2])
{
    const double half = c->options.overhang / 2;
    double left[2] = {1, 1};
    slope[0] = slope[1] = 0;
    for (int k = 0; k < 2; k++) {
        const double x = fmin((fabs(touch->at[k]) - 1 - half) / half, 1);
        if (!(x > 0))
            continue;
        left[k] = 1 - x * x * (3 - 2 * x);
        slope[k] = (touch->at[k] < 0 ? -1 : 1) * 6 * x * (x - 1) / half;
    }
    slope[0] *= left[1];
    slope[1] *= left[0];
    return left[0] * left[1];
}

/* The gradient of w, by which a fading spring pushes the node off the flank. The nearest point moves with A
 * xi' = x_k . (v_s - v_c) + g n . dv_c/dxi_k, where A_kl = x_k . x_l
 * - g n . x_kl; on an edge between facets it only moves along that. */
slip_flank_rim slip_flank_contact_rim(const slip_flank_contact *c, int body, const slip_flank_pair *pair,
                                      const double *position, int node)
{
    const slip_flank_touch *touch = &c->touches[body][pair->surface[body]][node];
    double slope[2], t[2][3], y[2] = {0}, value[4], by[2][4];
    slip_flank_rim rim = {.left = fade(c, touch, slope)};
    if (!(rim.left < 1))
        return rim;
    const slip_facet facet =
        slip_flank_facet(&c->surfaces[1 - body][touch->master], touch->row, touch->column, position);
    slip_facet_tangents(&facet, touch->at, t[0], t[1]);
    slip_facet_shape(touch->at, value, by);
    const double a = dot(t[0], t[0]), d = dot(t[1], t[1]),
                 b = dot(t[0], t[1]) + touch->depth * dot(facet.twist, touch->normal);
    if (fabs(touch->at[0]) == 1)
        y[1] = slope[1] / d;
    else if (fabs(touch->at[1]) == 1)
        y[0] = slope[0] / a;
    else {
        y[0] = (d * slope[0] - b * slope[1]) / (a * d - b * b);
        y[1] = (a * slope[1] - b * slope[0]) / (a * d - b * b);
    }
    for (int k = 0; k < 2; k++)
        add_scaled(-y[k], t[k], rim.push);
    for (int k = 0; k < 4; k++)
        rim.couple[k] = touch->depth * (y[0] * by[0][k] + y[1] * by[1][k]);
    return rim;
}

void slip_flank_push_out(const slip_flank_event *e, double energy, const slip_flank_rim *rim,
                         slip_flank_touch *touch)
{
    double force[3] = {0};
    add_scaled(energy, rim->push, force);
    add_force(e, force, touch);
    for (int k = 0; k < 4; k++)
        add_scaled(energy * rim->couple[k], touch->normal, e->master_state->force + 3 * (size_t)e->nodes[k]);
}

/* One pass over one pair: the nodes of `body` against the surface of the other. */
static void pass(slip_flank_contact *c, int body, const slip_flank_pair *pair,
                 const slip_flank_state state[2], double weight, slip_flank_totals *totals)
{
    const slip_flank_surface *slave = &c->surfaces[body][pair->surface[body]];
    const double *const position[2] = {state[0].position, state[1].position};
    slip_flank_touch *touch = c->touches[body][pair->surface[body]];
    double stiffness = weight * c->options.penalty;
    slip_flank_find(c, body, pair, position);
    for (int i = 0; i < slave->rows * slave->columns; i++) {
        if (!(touch[i].depth > 0))
            continue;
        slip_flank_event e = slip_flank_event_of(c, body, pair, state, position[1 - body], i);
        const double depth = touch[i].depth, energy = stiffness * depth * depth / 2;
        const slip_flank_rim rim = slip_flank_contact_rim(c, body, pair, position[1 - body], i);
        e.arm = depth;
        touch[i].stiffness = rim.left * stiffness;
        totals->energy += rim.left * energy;
        slip_flank_press(c, &e, rim.left * stiffness * depth, &touch[i], totals);
        if (rim.left < 1)
            slip_flank_push_out(&e, energy, &rim, &touch[i]);
    }
}

void slip_flank_forget(slip_flank_contact *c, int pair_count, const slip_flank_pair *pairs)
{
    for (int body = 0; body < 2; body++) {
        memset(c->paired[body], 0, sizeof(bool) * (size_t)c->surface_count[body]);
        for (int p = 0; p < pair_count; p++)
            c->paired[body][pairs[p].surface[body]] = true;
        for (int s = 0; s < c->surface_count[body]; s++) {
            const slip_flank_surface *surface = &c->surfaces[body][s];
            slip_flank_touch *touch = c->touches[body][s];
            if (!c->paired[body][s] && touch->master >= 0)
                for (int i = 0; i < surface->rows * surface->columns; i++)
                    touch[i] = (slip_flank_touch){.master = -1};
        }
    }
}

void slip_flank_contact_apply(slip_flank_contact *c, int pair_count, const slip_flank_pair *pairs,
                              const slip_flank_state state[2], slip_flank_totals *totals)
{
    const double weight[2] = {c->options.two_pass, 1 - c->options.two_pass};
    *totals = (slip_flank_totals){.deepest_pair = -1};
    slip_flank_forget(c, pair_count, pairs);
    for (int p = 0; p < pair_count; p++) {
        double before = totals->deepest;
        for (int body = 0; body < 2; body++)
            slip_flank_watch(c, body, pairs[p].surface[body], state[body].position);
        for (int body = 0; body < 2; body++)
            if (weight[body] > 0)
                pass(c, body, &pairs[p], state, weight[body], totals);
        if (totals->deepest > before)
            totals->deepest_pair = p;
    }
    totals->lost_before = totals->lost / 2;
}

/* ---- Clearance. */

double slip_flank_contact_clearance(const slip_flank_contact *c, int body, int surface, int node)
{
    const slip_flank_touch *touch = &c->touches[body][surface][node];
    if (touch->master < 0)
        return INFINITY;
    return fmax(touch->clear_until - slip_flank_travel(c, body, surface, touch->master), 0);
}

void slip_flank_contact_renew(slip_flank_contact *c, double below)
{
    for (int body = 0; body < 2; body++)
        for (int s = 0; s < c->surface_count[body]; s++)
            for (int i = 0; i < c->surfaces[body][s].rows * c->surfaces[body][s].columns; i++)
                if (slip_flank_contact_clearance(c, body, s, i) < below)
                    c->touches[body][s][i].clear_until = 0;
}

/* ---- Stability. */

void slip_flank_contact_rub(slip_flank_contact *c, bool on)
{
    c->friction = on && c->options.friction;
}

void slip_flank_contact_stiffen(slip_flank_contact *c, bool stiff)
{
    c->stiff = stiff;
}

/* A touching node: calls `visit` with its stiffness or damping and the nodes of its facet. */
typedef double (*visitor)(slip_flank_contact *c, const double *const mass[2], int body, int slave,
                          double value, const int nodes[4], const double shape[4]);

typedef enum quantity { stiffness_of, damping_of, worst_of } quantity;

static double visit_touches(slip_flank_contact *c, const double *const mass[2], quantity what, visitor visit)
{
    double largest = 0;
    for (int body = 0; body < 2; body++)
        for (int s = 0; s < c->surface_count[body]; s++) {
            const slip_flank_surface *slave = &c->surfaces[body][s];
            for (int i = 0; i < slave->rows * slave->columns; i++) {
                const slip_flank_touch *touch = &c->touches[body][s][i];
                int nodes[4];
                double shape[4];
                if (!(touch->depth > 0))
                    continue;
                double value = what == stiffness_of ? touch->stiffness
                               : what == damping_of ? touch->damping
                                                    : touch->worst;
                slip_flank_corners(&c->surfaces[1 - body][touch->master], touch->row, touch->column, nodes);
                slip_facet_shape(touch->at, shape, NULL);
                largest = fmax(largest, visit(c, mass, body, slave->nodes[i], value, nodes, shape));
            }
        }
    return largest;
}

static double add_up(slip_flank_contact *c, const double *const mass[2], int body, int slave, double value,
                     const int nodes[4], const double shape[4])
{
    (void)mass;
    c->sums[body][slave] += value;
    for (int k = 0; k < 4; k++)
        c->sums[1 - body][nodes[k]] += value * fabs(shape[k]);
    return 0;
}

static double circle(slip_flank_contact *c, const double *const mass[2], int body, int slave, double value,
                     const int nodes[4], const double shape[4])
{
    (void)value;
    double sum = c->sums[body][slave] / mass[body][slave];
    for (int k = 0; k < 4; k++)
        sum += fabs(shape[k]) * c->sums[1 - body][nodes[k]] / mass[1 - body][nodes[k]];
    return sum;
}

static double bound(slip_flank_contact *c, const double *const mass[2], quantity what)
{
    for (int body = 0; body < 2; body++)
        memset(c->sums[body], 0, sizeof(double) * (size_t)c->node_count[body]);
    visit_touches(c, mass, what, add_up);
    return visit_touches(c, mass, what, circle);
}

double slip_flank_contact_stiffness(slip_flank_contact *c, const double *const mass[2])
{
    return bound(c, mass, stiffness_of);
}

double slip_flank_contact_damping(slip_flank_contact *c, const double *const mass[2], bool worst)
{
    return c->friction ? bound(c, mass, worst ? worst_of : damping_of) : 0;
}
