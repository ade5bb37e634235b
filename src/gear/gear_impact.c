/* Two elastic gears that hit each other. Conventions are in the header. */
#include "gear/gear_impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* How deep the gears are put into each other to see what stiffness the contact can reach: more than they ever
 * press, so that more nodes touch. */
static const double trial_depth = 2e-5;

slip_gear_impact_options slip_gear_impact_options_default(void)
{
    return (slip_gear_impact_options){.speed = {5, 0}, .flanks = slip_flank_options_default()};
}

/* ---- Forces. */

/* A touching node takes a force F at x; the facet takes what balances it, which is -F at x. */
static void add_moments(const slip_gear_impact *g, int body, const slip_flank_surface *surface, int index,
                        const double *position, double moment[2])
{
    const slip_flank_touch *touch = slip_flank_contact_touches(g->contact, body, index);
    for (int i = 0; i < surface->rows * surface->columns; i++) {
        const double *x = position + 3 * (size_t)surface->nodes[i], *f = touch[i].force;
        for (int k = 0; touch[i].depth > 0 && k < 2; k++) {
            const double *c = g->wheels[k].centre;
            moment[k] += (k == body ? 1 : -1) * ((x[0] - c[0]) * f[1] - (x[1] - c[1]) * f[0]);
        }
    }
}

static int contact_force(void *user, slip_context *ctx, const slip_explicit *model, double *force,
                         slip_explicit_load *load)
{
    slip_gear_impact *g = user;
    slip_flank_pair pairs[slip_tooth_pairs_max];
    slip_flank_state state[2];
    const double *mass[2], *position = slip_explicit_positions(model);
    (void)ctx;
    for (int k = 0; k < 2; k++) {
        size_t first = (size_t)slip_explicit_first_node(model, k);
        state[k] = (slip_flank_state){position + 3 * first, slip_explicit_velocities(model) + 3 * first,
                                      force + 3 * first};
        mass[k] = slip_explicit_masses(model) + first;
        g->wheels[k].angle = slip_explicit_angle(model, k);
        if (slip_explicit_time(model) > g->time)
            g->impulse[k] += slip_explicit_step(model) * g->moment[k];
        g->moment[k] = 0;
    }
    g->time = slip_explicit_time(model);
    int count = slip_tooth_pairs_find(g->wheels, pairs);
    slip_flank_contact_apply(g->contact, count, pairs, state, &g->totals);
    load->energy = g->totals.energy;
    load->lost = g->totals.lost;
    if (g->totals.touching == 0)
        return SLIP_OK;
    slip_flank_bounds bounds = slip_flank_contact_bounds(g->contact, mass);
    load->eigenvalue = bounds.stiffness;
    load->damping = bounds.damping;
    for (int p = 0; p < count; p++)
        for (int k = 0; k < 2; k++)
            add_moments(g, k, &g->surfaces[k][pairs[p].surface[k]], pairs[p].surface[k], state[k].position,
                        g->moment);
    return SLIP_OK;
}

/* ---- Where the gears start. */

/* Undeformed gears, to be turned. */
typedef struct trial {
    double *position[2], *rest[2], *force[2]; /* rest: velocities that are zero */
    slip_flank_pair pairs[slip_tooth_pairs_max];
    slip_flank_totals totals;
} trial;

static void turn_to(const slip_gear_impact *g, int k, double angle, double *position)
{
    const slip_mesh *mesh = g->mesh[k]->mesh;
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < mesh->node_count; i++) {
        const double *from = mesh->points + 3 * (size_t)i;
        double *to = position + 3 * (size_t)i;
        to[0] = g->wheels[k].centre[0] + c * from[0] - s * from[1];
        to[1] = g->wheels[k].centre[1] + s * from[0] + c * from[1];
        to[2] = from[2];
    }
}

static void touch_at(slip_gear_impact *g, trial *t, double angle)
{
    g->wheels[0].angle = angle;
    turn_to(g, 0, angle, t->position[0]);
    slip_flank_state state[2];
    for (int k = 0; k < 2; k++)
        state[k] = (slip_flank_state){t->position[k], t->rest[k], t->force[k]};
    for (int k = 0; k < 2; k++)
        memset(t->force[k], 0, 3 * sizeof(double) * (size_t)g->mesh[k]->mesh->node_count);
    int count = slip_tooth_pairs_find(g->wheels, t->pairs);
    slip_flank_contact_apply(g->contact, count, t->pairs, state, &t->totals);
}

/* Turns the first gear from the middle of its play towards contact. */
static int find_touch(slip_context *ctx, slip_gear_impact *g, double sense, trial *t)
{
    double middle = g->wheels[0].angle, low = 0, high = pi / 2 / g->wheels[0].teeth;
    touch_at(g, t, middle);
    int status = slip_tooth_check_apart(ctx, &t->totals, t->pairs, 0);
    if (status < 0)
        return status;
    while (high - low > 1e-12) {
        double half = (low + high) / 2;
        touch_at(g, t, middle + sense * half);
        *(t->totals.touching ? &high : &low) = half;
    }
    g->wheels[0].angle = middle + sense * low;
    return SLIP_OK;
}

/* The middle of a tooth of the first gear in the middle of a space of the second. */
static void place_gears(slip_gear_impact *g, double phase, double sense)
{
    double turn = -sense * phase * 2 * pi / g->wheels[0].teeth;
    g->wheels[0].angle = turn;
    g->wheels[1].angle = pi + pi / g->wheels[1].teeth - turn * g->wheels[0].teeth / g->wheels[1].teeth;
}

/* ---- Making. */

static int make_gears(slip_context *ctx, slip_gear_impact *g, const slip_gear_options gears[2],
                      const slip_gear_impact_options *options)
{
    int status, counts[2];
    slip_gear_geometry geometry;
    double distance;
    SLIP_TRY(slip_gear_distance(ctx, &gears[0], &gears[1], &distance, NULL));
    for (int k = 0; k < 2; k++) {
        SLIP_TRY(slip_gear_measure(ctx, &gears[k], &geometry));
        SLIP_TRY(slip_gear_mesh_create(ctx, &gears[k], &g->mesh[k]));
        g->wheels[k] = (slip_tooth_wheel){.teeth = gears[k].teeth, .tip_radius = geometry.tip_radius};
        counts[k] = 2 * gears[k].teeth;
        g->surfaces[k] = slip_alloc(counts[k], sizeof *g->surfaces[k]);
        if (!g->surfaces[k])
            return slip_fail_memory(ctx);
        SLIP_TRY(slip_tooth_surfaces(ctx, g->mesh[k], g->surfaces[k]));
    }
    g->wheels[1].centre[0] = options->distance > 0 ? options->distance : distance;
    const slip_flank_surface *const surfaces[2] = {g->surfaces[0], g->surfaces[1]};
    SLIP_TRY(slip_flank_contact_create(ctx, &options->flanks, counts, surfaces, &g->contact));
done:
    return status;
}

static int make_model(slip_context *ctx, slip_gear_impact *g, const slip_gear_options gears[2],
                      const slip_gear_impact_options *options)
{
    slip_explicit_body bodies[2];
    slip_explicit_options o = slip_explicit_options_default();
    for (int k = 0; k < 2; k++)
        bodies[k] = (slip_explicit_body){.name = gears[k].name,
                                         .mesh = g->mesh[k]->mesh,
                                         .rigid = slip_mesh_find(g->mesh[k]->mesh, "bore", SLIP_SET_NODES),
                                         .young = gears[k].young,
                                         .poisson = gears[k].poisson,
                                         .density = gears[k].density,
                                         .centre = {g->wheels[k].centre[0], g->wheels[k].centre[1]},
                                         .angle = g->wheels[k].angle,
                                         .speed = options->speed[k]};
    o.step = options->step;
    o.threads = options->threads;
    o.force = contact_force;
    o.user = g;
    return slip_explicit_create(ctx, 2, bodies, &o, &g->model);
}

/* Presses the undeformed gears into each other and tells the model how stiff that is. */
static int expect_stiffness(slip_context *ctx, slip_gear_impact *g, double sense, trial *t)
{
    const double *mass[2];
    double touching = g->wheels[0].angle;
    for (int k = 0; k < 2; k++)
        mass[k] = slip_explicit_masses(g->model) + slip_explicit_first_node(g->model, k);
    touch_at(g, t, touching + sense * trial_depth / g->wheels[0].tip_radius);
    g->wheels[0].angle = touching;
    return slip_explicit_expect(ctx, g->model, slip_flank_contact_bounds(g->contact, mass).stiffness);
}

int slip_gear_impact_create(slip_context *ctx, const slip_gear_options gears[2],
                            const slip_gear_impact_options *options, slip_gear_impact **impact)
{
    int status = SLIP_OK;
    trial t = {0};
    slip_gear_impact *g = slip_alloc(1, sizeof *g);
    *impact = NULL;
    if (!g)
        return slip_fail_memory(ctx);
    SLIP_TRY(make_gears(ctx, g, gears, options));
    for (int k = 0; k < 2; k++) {
        int64_t size = 3 * (int64_t)g->mesh[k]->mesh->node_count;
        t.position[k] = slip_alloc(size, sizeof(double));
        t.rest[k] = slip_alloc(size, sizeof(double));
        t.force[k] = slip_alloc(size, sizeof(double));
        if (!t.position[k] || !t.rest[k] || !t.force[k]) {
            status = slip_fail_memory(ctx);
            goto done;
        }
    }
    double sense = options->speed[0] * gears[0].teeth + options->speed[1] * gears[1].teeth < 0 ? -1 : 1;
    place_gears(g, options->phase, sense);
    turn_to(g, 1, g->wheels[1].angle, t.position[1]);
    SLIP_TRY(find_touch(ctx, g, sense, &t));
    SLIP_TRY(make_model(ctx, g, gears, options));
    SLIP_TRY(expect_stiffness(ctx, g, sense, &t));
    *impact = g;
done:
    for (int k = 0; k < 2; k++) {
        free(t.position[k]);
        free(t.rest[k]);
        free(t.force[k]);
    }
    if (status < 0)
        slip_gear_impact_destroy(g);
    return status;
}

void slip_gear_impact_destroy(slip_gear_impact *g)
{
    if (!g)
        return;
    for (int k = 0; k < 2; k++) {
        slip_gear_mesh_destroy(g->mesh[k]);
        free(g->surfaces[k]);
    }
    slip_flank_contact_destroy(g->contact);
    slip_explicit_destroy(g->model);
    free(g);
}
