/* Two elastic gears that hit each other. Conventions are in the header. */
#include "gear/gear_impact.h"

#include "gear/gear_start.h"

#include <stdlib.h>

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
static int expect_stiffness(slip_context *ctx, slip_gear_impact *g, double sense, slip_gear_start *start)
{
    const double *mass[2];
    double touching = g->wheels[0].angle;
    for (int k = 0; k < 2; k++)
        mass[k] = slip_explicit_masses(g->model) + slip_explicit_first_node(g->model, k);
    slip_gear_start_touch(start, g->contact, g->wheels,
                          touching + sense * trial_depth / g->wheels[0].tip_radius);
    g->wheels[0].angle = touching;
    return slip_explicit_expect(ctx, g->model, slip_flank_contact_bounds(g->contact, mass).stiffness);
}

int slip_gear_impact_create(slip_context *ctx, const slip_gear_options gears[2],
                            const slip_gear_impact_options *options, slip_gear_impact **impact)
{
    int status;
    slip_gear_start *start = NULL;
    slip_gear_impact *g = slip_alloc(1, sizeof *g);
    *impact = NULL;
    if (!g)
        return slip_fail_memory(ctx);
    SLIP_TRY(make_gears(ctx, g, gears, options));
    const slip_mesh *mesh[2] = {g->mesh[0]->mesh, g->mesh[1]->mesh};
    const double *const points[2] = {mesh[0]->points, mesh[1]->points};
    const int counts[2] = {mesh[0]->node_count, mesh[1]->node_count};
    double sense = slip_gear_sense(g->wheels, options->speed);
    SLIP_TRY(slip_gear_start_create(ctx, points, counts, &start));
    SLIP_TRY(slip_gear_start_find(ctx, start, g->contact, g->wheels, options->phase, sense));
    SLIP_TRY(make_model(ctx, g, gears, options));
    SLIP_TRY(expect_stiffness(ctx, g, sense, start));
    *impact = g;
done:
    slip_gear_start_destroy(start);
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
