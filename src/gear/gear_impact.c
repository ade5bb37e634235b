/* Elastic gears that hit each other. Conventions are in the header. */
#include "gear/gear_impact.h"

#include "gear/body/gear_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The margin of the search, in modules: nodes in front of a flank by less may be behind it in the previous or
 * next step. Steps are near 1e-8 s, so it suffices for tens of metres per second. */
static const double margin_modules = 2e-4;

/* ---- Forces. */

/* Sets the contact forces to zero on the flanks that may touch: a call of the contact adds to them. */
static void clear_forces(const slip_gear_impact *g, slip_impact_mesh *m)
{
    for (int p = 0; p < m->pair_count; p++)
        for (int k = 0; k < 2; k++) {
            const slip_flank_surface *s = &g->surfaces[m->gear[k]][m->pairs[p].surface[k]];
            for (int i = 0; i < s->rows * s->columns; i++)
                memset(m->force[k] + 3 * (size_t)s->nodes[i], 0, 3 * sizeof(double));
        }
}

static void add_forces(slip_gear_impact *g, const slip_impact_mesh *m, int k, const slip_flank_surface *s,
                       const double *position, double *force)
{
    const double *c = m->wheels[k].centre;
    double *moment = &g->moment[m->gear[k]];
    for (int i = 0; i < s->rows * s->columns; i++) {
        size_t at = 3 * (size_t)s->nodes[i];
        const double *x = position + at, *f = m->force[k] + at;
        for (size_t d = 0; d < 3; d++)
            force[at + d] += f[d];
        *moment += (x[0] - c[0]) * f[1] - (x[1] - c[1]) * f[0];
    }
}

static void touch(const slip_gear_impact *g, slip_impact_mesh *m, const slip_explicit *model,
                  const slip_flank_state state[2], const slip_flank_motion motion[2],
                  slip_explicit_load *load)
{
    const double steps[2] = {slip_explicit_state_of(model).step_before, slip_explicit_state_of(model).step};
    if (slip_explicit_state_of(model).started)
        slip_flank_contact_resolve(m->contact, m->pair_count, m->pairs, state, motion, steps, &m->totals);
    else if (!m->kinematic) /* there is no step to look ahead to */
        slip_flank_contact_apply(m->contact, m->pair_count, m->pairs, state, &m->totals);
    if (m->totals.touching > 0) {
        const double *const mass[2] = {motion[0].mass, motion[1].mass};
        load->damping = fmax(load->damping, slip_flank_contact_damping(m->contact, mass, g->chosen));
    }
    load->energy += m->totals.energy;
    load->lost += m->totals.lost;
    load->lost_before += m->totals.lost_before;
}

static void push_mesh(slip_gear_impact *g, slip_impact_mesh *m, const slip_explicit *model, double *force,
                      slip_explicit_load *load)
{
    slip_flank_state state[2];
    slip_flank_motion motion[2];
    size_t first[2];
    for (int k = 0; k < 2; k++) {
        first[k] = (size_t)slip_explicit_rotor_of(model, m->gear[k]).first_node;
        state[k] = (slip_flank_state){slip_explicit_state_of(model).position + 3 * first[k],
                                      slip_explicit_state_of(model).velocity + 3 * first[k], m->force[k]};
        motion[k] = (slip_flank_motion){slip_explicit_state_of(model).mass + first[k], force + 3 * first[k]};
        m->wheels[k].angle = slip_explicit_rotor_of(model, m->gear[k]).angle;
    }
    m->pair_count = slip_tooth_pairs_find(m->wheels, m->pairs);
    clear_forces(g, m);
    touch(g, m, model, state, motion, load);
    for (int p = 0; p < m->pair_count && m->totals.touching > 0; p++)
        for (int k = 0; k < 2; k++)
            add_forces(g, m, k, &g->surfaces[m->gear[k]][m->pairs[p].surface[k]], state[k].position,
                       force + 3 * first[k]);
}

static void add_totals(const slip_flank_totals *t, slip_flank_totals *sum)
{
    sum->touching += t->touching;
    sum->normal_force += t->normal_force;
    sum->deepest = fmax(sum->deepest, t->deepest);
    sum->residual = fmax(sum->residual, t->residual);
}

static int contact_force(void *user, slip_context *ctx, const slip_explicit *model, double *force,
                         slip_explicit_load *load)
{
    slip_gear_impact *g = user;
    (void)ctx;
    for (int k = 0; k < g->group->gear_count; k++) {
        if (slip_explicit_state_of(model).time > g->time)
            g->impulse[k] += slip_explicit_state_of(model).weight * g->moment[k];
        g->moment[k] = 0;
    }
    g->time = slip_explicit_state_of(model).time;
    g->totals = (slip_flank_totals){0};
    for (int i = 0; i < g->group->mesh_count; i++) {
        push_mesh(g, &g->meshes[i], model, force, load);
        add_totals(&g->meshes[i].totals, &g->totals);
    }
    return SLIP_OK;
}

/* Lists the nodes of the flanks that could touch at the present angles, which contact reads. */
static int watch(void *user, const slip_explicit *model, const int **nodes)
{
    slip_gear_impact *g = user;
    int count = 0;
    for (int m = 0; m < g->group->mesh_count; m++) {
        slip_impact_mesh *mesh = &g->meshes[m];
        slip_flank_pair pairs[slip_tooth_pairs_max];
        for (int k = 0; k < 2; k++)
            mesh->wheels[k].angle = slip_explicit_rotor_of(model, mesh->gear[k]).angle;
        const int pair_count = slip_tooth_pairs_find(mesh->wheels, pairs);
        for (int p = 0; p < pair_count; p++)
            for (int k = 0; k < 2; k++) {
                const slip_flank_surface *s = &g->surfaces[mesh->gear[k]][pairs[p].surface[k]];
                for (int i = 0; i < s->rows * s->columns; i++)
                    g->watched[count++] =
                        slip_explicit_rotor_of(model, mesh->gear[k]).first_node + s->nodes[i];
            }
    }
    *nodes = g->watched;
    return count;
}

/* ---- Making. */

static int make_gear(slip_context *ctx, slip_gear_impact *g, int k)
{
    const slip_gear_options *gear = &g->group->gears[k];
    if (gear->mesh_file)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: found the mesh file %s: gears in contact need the program's own mesh",
                         gear->name, gear->mesh_file);
    SLIP_PASS(slip_gear_mesh_create(ctx, gear, &g->mesh[k]));
    g->surfaces[k] = slip_arena_array(&g->arena, 2 * (int64_t)gear->teeth, sizeof *g->surfaces[k]);
    SLIP_PASS(slip_allocated(ctx, g->surfaces[k]));
    return slip_tooth_surfaces(ctx, g->mesh[k], g->surfaces[k]);
}

static int make_contact(slip_context *ctx, slip_gear_impact *g, int index)
{
    const slip_gear_meshing *meshing = &g->group->meshes[index];
    const slip_gear_run_options *o = meshing->options;
    const slip_gear_options *gears[2];
    const slip_flank_surface *surfaces[2];
    slip_impact_mesh *m = &g->meshes[index];
    slip_flank_options flanks = slip_flank_options_default();
    slip_gear_geometry geometry;
    double distance;
    int counts[2];
    for (int k = 0; k < 2; k++) {
        m->gear[k] = meshing->gear[k];
        gears[k] = &g->group->gears[m->gear[k]];
        surfaces[k] = g->surfaces[m->gear[k]];
        counts[k] = 2 * gears[k]->teeth;
        SLIP_PASS(slip_gear_measure(ctx, gears[k], &geometry));
        m->wheels[k] = (slip_tooth_wheel){.teeth = gears[k]->teeth, .tip_radius = geometry.tip_radius};
        m->force[k] = slip_arena_array(&g->arena, 3 * (int64_t)g->mesh[m->gear[k]]->mesh->node_count,
                                       sizeof *m->force[k]);
        SLIP_PASS(slip_allocated(ctx, m->force[k]));
    }
    SLIP_PASS(slip_gear_distance(ctx, gears[0], gears[1], &distance, NULL));
    m->wheels[1].centre[0] = o->distance > 0 ? o->distance : distance;
    m->kinematic = flanks.kinematic = isinf(o->penalty);
    flanks.penalty = o->penalty;
    flanks.two_pass = o->two_pass;
    flanks.friction = o->friction;
    flanks.margin = margin_modules * gears[0]->module;
    return slip_flank_contact_create(ctx, &flanks, counts, surfaces, &m->contact);
}

/* Of a pair alone: the angles of its wheels. */
static int find_start(slip_context *ctx, const slip_gear_impact *g, slip_impact_mesh *m,
                      const slip_gear_run_options *o)
{
    const slip_mesh *mesh[2] = {g->mesh[m->gear[0]]->mesh, g->mesh[m->gear[1]]->mesh};
    const double *const points[2] = {mesh[0]->points, mesh[1]->points};
    const int counts[2] = {mesh[0]->node_count, mesh[1]->node_count};
    double sense;
    return slip_gear_start_find(ctx, points, counts, m->contact, o, m->wheels, &sense);
}

static int place_gears(slip_context *ctx, slip_gear_impact *g, const double *angle)
{
    const slip_gear_group *group = g->group;
    for (int i = 0; i < group->mesh_count; i++) {
        slip_impact_mesh *m = &g->meshes[i];
        if (!group->offset)
            SLIP_PASS(find_start(ctx, g, m, group->meshes[i].options));
        for (int k = 0; k < 2 && group->offset; k++)
            m->wheels[k].angle = group->offset[m->gear[k]] + angle[group->shaft[m->gear[k]]];
        if (group->meshes[i].centre)
            for (int k = 0; k < 2; k++)
                memcpy(m->wheels[k].centre, group->meshes[i].centre[k], sizeof m->wheels[k].centre);
    }
    return SLIP_OK;
}

static int make_model(slip_context *ctx, slip_gear_impact *g, const slip_gear_run_options *how,
                      const double *speed, struct slip_card *card)
{
    const slip_gear_group *group = g->group;
    slip_explicit_body *bodies = slip_arena_array(&g->arena, group->gear_count, sizeof *bodies);
    slip_explicit_options o = slip_explicit_options_default();
    SLIP_PASS(slip_allocated(ctx, bodies));
    for (int k = 0; k < group->gear_count; k++) {
        const slip_gear_options *gear = &group->gears[k];
        const slip_gear_side *side = &group->sides[k];
        int first = 0;
        while (group->shaft[first] != group->shaft[k])
            first++;
        bodies[k] = (slip_explicit_body){.name = gear->name,
                                         .mesh = g->mesh[k]->mesh,
                                         .rigid = slip_mesh_find(g->mesh[k]->mesh, "bore", SLIP_SET_NODES),
                                         .young = gear->young,
                                         .poisson = gear->poisson,
                                         .density = gear->density,
                                         .speed = speed ? speed[group->shaft[k]] : side->speed,
                                         .hourglass = how->hourglass,
                                         .inertia = side->inertia,
                                         .torque = side->torque,
                                         .driven = side->driven != 0,
                                         .shaft = first < k ? first + 1 : 0};
    }
    for (int i = 0; i < group->mesh_count; i++)
        for (int k = 0; k < 2; k++) {
            const slip_impact_mesh *m = &g->meshes[i];
            memcpy(bodies[m->gear[k]].centre, m->wheels[k].centre, sizeof m->wheels[k].centre);
            bodies[m->gear[k]].angle = m->wheels[k].angle;
        }
    o.step = how->step;
    o.threads = how->threads;
    o.force = contact_force;
    o.user = g;
    o.card = card;
    o.watch = watch;
    return slip_explicit_create(ctx, group->gear_count, bodies, &o, &g->model);
}

/* Gears and contacts, without motion. */
static int make_parts(slip_context *ctx, const slip_gear_group *group, slip_gear_impact **impact)
{
    slip_gear_impact *g = *impact = slip_alloc(1, sizeof *g);
    SLIP_PASS(slip_allocated(ctx, g));
    g->mesh = slip_arena_array(&g->arena, group->gear_count, sizeof *g->mesh);
    g->surfaces = slip_arena_array(&g->arena, group->gear_count, sizeof *g->surfaces);
    g->moment = slip_arena_array(&g->arena, 4 * (int64_t)group->gear_count + 1, sizeof(double));
    g->meshes = slip_arena_array(&g->arena, group->mesh_count, sizeof *g->meshes);
    SLIP_PASS(slip_allocated(ctx, g->mesh && g->surfaces && g->moment && g->meshes));
    g->impulse = g->moment + group->gear_count;
    g->kept = g->impulse + group->gear_count;
    g->group = group;
    for (int k = 0; k < group->gear_count; k++)
        SLIP_PASS(make_gear(ctx, g, k));
    int64_t most = 0;
    for (int i = 0; i < group->mesh_count; i++) {
        SLIP_PASS(make_contact(ctx, g, i));
        for (int k = 0; k < 2; k++) {
            const slip_flank_surface *s = g->surfaces[g->meshes[i].gear[k]];
            most += (int64_t)slip_tooth_pairs_max * s->rows * s->columns;
        }
    }
    g->watched = slip_arena_array(&g->arena, most, sizeof *g->watched);
    return slip_allocated(ctx, g->watched);
}

int slip_gear_impact_create(slip_context *ctx, const slip_gear_group *group, const slip_gear_run_options *how,
                            const double *angle, const double *speed, struct slip_card *card,
                            slip_gear_impact **impact)
{
    SLIP_FREED_BY(slip_gear_impact_drop) slip_gear_impact *g = NULL;
    *impact = NULL;
    SLIP_PASS(make_parts(ctx, group, &g));
    g->chosen = !(how->step > 0);
    SLIP_PASS(place_gears(ctx, g, angle));
    SLIP_PASS(make_model(ctx, g, how, speed, card));
    SLIP_HAND(impact, g);
    return SLIP_OK;
}

/* ---- At rest. */

/* held: of each gear, whether its shaft keeps its angle: the first one of a connected set without a drive. */
static void find_held(const slip_gear_group *group, bool *held, int *train)
{
    bool changed = true;
    for (int k = 0; k < group->gear_count; k++)
        train[k] = group->shaft[k];
    while (changed) { /* train: of each gear the lowest shaft of its connected set */
        changed = false;
        for (int i = 0; i < group->mesh_count + group->gear_count; i++) {
            const int one = i < group->mesh_count ? group->meshes[i].gear[0] : i - group->mesh_count;
            int other = i < group->mesh_count ? group->meshes[i].gear[1] : 0;
            while (i >= group->mesh_count && group->shaft[other] != group->shaft[one])
                other++;
            const int least = train[one] < train[other] ? train[one] : train[other];
            changed = changed || train[one] != least || train[other] != least;
            train[one] = train[other] = least;
        }
    }
    for (int k = 0; k < group->gear_count; k++) {
        held[k] = group->shaft[k] == train[k];
        for (int other = 0; other < group->gear_count; other++)
            held[k] = held[k] && !(train[other] == train[k] && group->sides[other].driven);
    }
}

static int check_held(slip_context *ctx, const slip_gear_impact *g, const bool *held)
{
    for (int k = 0; k < g->group->gear_count; k++) {
        double given = 0, brought = 0;
        for (int other = 0; held[k] && other < g->group->gear_count; other++)
            if (g->group->shaft[other] == g->group->shaft[k]) {
                given += g->group->sides[other].torque;
                brought += g->moment[other];
            }
        SLIP_PASS(slip_gear_check_loads(ctx, g->group->gears[k].name, given, brought));
    }
    return SLIP_OK;
}

int slip_gear_impact_rest(slip_context *ctx, slip_gear_impact *g, double *left)
{
    const int gears = g->group->gear_count;
    SLIP_FREED bool *held = slip_alloc(gears, sizeof *held);
    SLIP_FREED int *train = slip_alloc(gears, sizeof *train);
    SLIP_PASS(slip_allocated(ctx, held && train));
    find_held(g->group, held, train);
    for (int i = 0; i < g->group->mesh_count; i++)
        slip_flank_contact_rub(g->meshes[i].contact, false);
    const int status = slip_explicit_rest(ctx, g->model, held, left);
    for (int i = 0; i < g->group->mesh_count; i++)
        slip_flank_contact_rub(g->meshes[i].contact, true);
    SLIP_PASS(status);
    return check_held(ctx, g, held);
}

int slip_gear_impact_start(slip_context *ctx, const slip_gear_options gears[2],
                           const slip_gear_run_options *options, double angle[2])
{
    const slip_gear_meshing mesh = {.gear = {0, 1}, .options = options};
    const slip_gear_group group = slip_gear_group_pair(gears, NULL, &mesh);
    SLIP_FREED_BY(slip_gear_impact_drop) slip_gear_impact *g = NULL;
    SLIP_PASS(make_parts(ctx, &group, &g));
    SLIP_PASS(find_start(ctx, g, &g->meshes[0], options));
    for (int k = 0; k < 2; k++)
        angle[k] = g->meshes[0].wheels[k].angle;
    return SLIP_OK;
}

void slip_gear_impact_destroy(slip_gear_impact *g)
{
    if (!g)
        return;
    for (int k = 0; g->group && k < g->group->gear_count; k++)
        slip_gear_mesh_destroy(g->mesh[k]);
    for (int i = 0; g->group && i < g->group->mesh_count; i++)
        slip_flank_contact_destroy(g->meshes[i].contact);
    slip_explicit_destroy(g->model);
    slip_arena_free(&g->arena);
    free(g);
}

/* ---- States. */

void slip_gear_impact_keep(slip_gear_impact *g, slip_keeper *k, const char *path)
{
    slip_explicit_keep(g->model, k, path);
    for (int i = 0; i < g->group->mesh_count; i++)
        slip_flank_contact_keep(g->meshes[i].contact, i, k);
    const int count = 2 * g->group->gear_count;
    g->kept[0] = g->time;
    memcpy(g->kept + 1, g->moment, sizeof(double) * (size_t)count); /* impulses are behind them */
    slip_keep_finite(k, "impact", g->kept, 1 + count);
    g->time = g->kept[0];
    memcpy(g->moment, g->kept + 1, sizeof(double) * (size_t)count);
}
