/* Two elastic gears that hit each other. Conventions are in the header. */
#include "gear/gear_impact.h"

#include "gear/body/gear_start.h"

#include <stdlib.h>
#include <string.h>

/* Nodes in front of a flank by less than this, in modules, may be behind it a step before or after. A step is
 * some 1e-8 s: that is enough for tens of metres a second. */
static const double margin_modules = 2e-4;

slip_gear_impact_options slip_gear_impact_options_default(void)
{
    return (slip_gear_impact_options){.speed = {5, 0}, .flanks = slip_flank_options_default()};
}

/* ---- Forces. */

/* Calls of the contact need its forces alone, on the flanks that may meet. */
static void clear_forces(slip_gear_impact *g)
{
    for (int p = 0; p < g->pair_count; p++)
        for (int k = 0; k < 2; k++) {
            const slip_flank_surface *s = &g->surfaces[k][g->pairs[p].surface[k]];
            for (int i = 0; i < s->rows * s->columns; i++)
                memset(g->force[k] + 3 * (size_t)s->nodes[i], 0, 3 * sizeof(double));
        }
}

static void add_forces(slip_gear_impact *g, int k, const slip_flank_surface *s, const double *position,
                       double *force)
{
    const double *c = g->wheels[k].centre;
    for (int i = 0; i < s->rows * s->columns; i++) {
        size_t at = 3 * (size_t)s->nodes[i];
        const double *x = position + at, *f = g->force[k] + at;
        for (size_t d = 0; d < 3; d++)
            force[at + d] += f[d];
        g->moment[k] += (x[0] - c[0]) * f[1] - (x[1] - c[1]) * f[0];
    }
}

static void touch(slip_gear_impact *g, const slip_explicit *model, const slip_flank_state state[2],
                  const slip_flank_motion motion[2], slip_explicit_load *load)
{
    const double steps[2] = {slip_explicit_step_before(model), slip_explicit_step(model)};
    if (slip_explicit_started(model))
        slip_flank_contact_resolve(g->contact, g->pair_count, g->pairs, state, motion, steps, &g->totals);
    else if (!g->kinematic) /* there is no step to look ahead to */
        slip_flank_contact_apply(g->contact, g->pair_count, g->pairs, state, &g->totals);
    if (g->totals.touching > 0) {
        const double *const mass[2] = {motion[0].mass, motion[1].mass};
        load->damping = slip_flank_contact_damping(g->contact, mass, g->chosen);
    }
    load->energy = g->totals.energy;
    load->lost = g->totals.lost;
    load->lost_before = g->totals.lost_before;
}

static int contact_force(void *user, slip_context *ctx, const slip_explicit *model, double *force,
                         slip_explicit_load *load)
{
    slip_gear_impact *g = user;
    slip_flank_state state[2];
    slip_flank_motion motion[2];
    (void)ctx;
    for (int k = 0; k < 2; k++) {
        size_t first = (size_t)slip_explicit_first_node(model, k);
        state[k] = (slip_flank_state){slip_explicit_positions(model) + 3 * first,
                                      slip_explicit_velocities(model) + 3 * first, g->force[k]};
        motion[k] = (slip_flank_motion){slip_explicit_masses(model) + first, force + 3 * first};
        g->wheels[k].angle = slip_explicit_angle(model, k);
        if (slip_explicit_time(model) > g->time)
            g->impulse[k] += slip_explicit_weight(model) * g->moment[k];
        g->moment[k] = 0;
    }
    g->time = slip_explicit_time(model);
    g->pair_count = slip_tooth_pairs_find(g->wheels, g->pairs);
    clear_forces(g);
    touch(g, model, state, motion, load);
    for (int p = 0; p < g->pair_count && g->totals.touching > 0; p++)
        for (int k = 0; k < 2; k++)
            add_forces(g, k, &g->surfaces[k][g->pairs[p].surface[k]], state[k].position,
                       force + 3 * (size_t)slip_explicit_first_node(model, k));
    return SLIP_OK;
}

/* Nodes of the flanks that could meet at the present angles: contact looks at no others. */
static int watch(void *user, const slip_explicit *model, const int **nodes)
{
    slip_gear_impact *g = user;
    slip_flank_pair pairs[slip_tooth_pairs_max];
    int count = 0;
    for (int k = 0; k < 2; k++)
        g->wheels[k].angle = slip_explicit_angle(model, k);
    const int pair_count = slip_tooth_pairs_find(g->wheels, pairs);
    for (int p = 0; p < pair_count; p++)
        for (int k = 0; k < 2; k++) {
            const slip_flank_surface *s = &g->surfaces[k][pairs[p].surface[k]];
            for (int i = 0; i < s->rows * s->columns; i++)
                g->watched[count++] = slip_explicit_first_node(model, k) + s->nodes[i];
        }
    *nodes = g->watched;
    return count;
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
        if (gears[k].mesh_file)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: found the mesh file %s: gears in contact need the program's own mesh",
                             gears[k].name, gears[k].mesh_file);
        SLIP_TRY(slip_gear_measure(ctx, &gears[k], &geometry));
        SLIP_TRY(slip_gear_mesh_create(ctx, &gears[k], &g->mesh[k]));
        g->wheels[k] = (slip_tooth_wheel){.teeth = gears[k].teeth, .tip_radius = geometry.tip_radius};
        counts[k] = 2 * gears[k].teeth;
        g->surfaces[k] = slip_alloc(counts[k], sizeof *g->surfaces[k]);
        g->force[k] = slip_alloc(3 * (int64_t)g->mesh[k]->mesh->node_count, sizeof *g->force[k]);
        if (!g->surfaces[k] || !g->force[k])
            return slip_fail_memory(ctx);
        SLIP_TRY(slip_tooth_surfaces(ctx, g->mesh[k], g->surfaces[k]));
    }
    int64_t most = 0;
    for (int k = 0; k < 2; k++)
        most += (int64_t)g->surfaces[k][0].rows * g->surfaces[k][0].columns;
    g->watched = slip_alloc(slip_tooth_pairs_max * most, sizeof *g->watched);
    if (!g->watched)
        return slip_fail_memory(ctx);
    g->wheels[1].centre[0] = options->distance > 0 ? options->distance : distance;
    const slip_flank_surface *const surfaces[2] = {g->surfaces[0], g->surfaces[1]};
    slip_flank_options flanks = options->flanks;
    flanks.margin = margin_modules * gears[0].module;
    SLIP_TRY(slip_flank_contact_create(ctx, &flanks, counts, surfaces, &g->contact));
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
                                         .speed = options->speed[k],
                                         .hourglass = options->hourglass,
                                         .inertia = options->inertia[k],
                                         .torque = options->torque[k],
                                         .driven = options->driven[k]};
    o.step = options->step;
    o.threads = options->threads;
    o.force = contact_force;
    o.user = g;
    o.card = options->card;
    o.watch = watch;
    return slip_explicit_create(ctx, 2, bodies, &o, &g->model);
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
    g->kinematic = options->flanks.kinematic;
    g->chosen = !(options->step > 0);
    SLIP_TRY(make_gears(ctx, g, gears, options));
    const slip_mesh *mesh[2] = {g->mesh[0]->mesh, g->mesh[1]->mesh};
    const double *const points[2] = {mesh[0]->points, mesh[1]->points};
    const int counts[2] = {mesh[0]->node_count, mesh[1]->node_count};
    double sense = slip_gear_sense(g->wheels, options->speed, options->torque);
    SLIP_TRY(slip_gear_start_create(ctx, points, counts, &start));
    SLIP_TRY(slip_gear_start_find(ctx, start, g->contact, g->wheels, options->phase, sense));
    SLIP_TRY(make_model(ctx, g, gears, options));
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
        free(g->force[k]);
    }
    free(g->watched);
    slip_flank_contact_destroy(g->contact);
    slip_explicit_destroy(g->model);
    free(g);
}

/* ---- States. */

void slip_gear_impact_keep(slip_gear_impact *g, slip_keeper *k, const char *path)
{
    double numbers[] = {g->time, g->moment[0], g->moment[1], g->impulse[0], g->impulse[1]};
    slip_explicit_keep(g->model, k, path);
    slip_flank_contact_keep(g->contact, k);
    slip_keep_finite(k, "impact", numbers, sizeof numbers / sizeof *numbers);
    g->time = numbers[0];
    for (int i = 0; i < 2; i++) {
        g->moment[i] = numbers[1 + i];
        g->impulse[i] = numbers[3 + i];
    }
}
