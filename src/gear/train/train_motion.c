/* Gear trains by methods with a state of their own. */
#include "gear/train/train_motion.h"

#include <string.h>

/* ---- What such a method cannot move. */

static int refuse(slip_context *ctx, const char *method, const char *found, const char *name)
{
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "method `%s` moves gears on shafts that turn freely, with torques that are numbers; found "
        "%s%s%s%s; use `event`",
        method, found, *name ? " `" : "", name, *name ? "`" : "");
}

/* Whether a load is constant; *value: that number. */
static bool constant_of(const slip_force_term *term, double *value)
{
    const bool wave = term->form == SLIP_LOAD_COSINE && term->frequency == 0;
    *value = term->amplitude;
    return !term->row && (wave || slip_expression_is_constant(term->expression, value));
}

static int check_system(slip_context *ctx, const slip_system *system, const slip_train *train,
                        const char *method)
{
    const int64_t n = system->n;
    double value;
    for (int64_t i = 0; i < train->lumped; i++) {
        bool shaft = false;
        for (int b = 0; b < train->body_count; b++)
            shaft = shaft || train->bodies[b].turn == i;
        if (!shaft)
            return refuse(ctx, method, "a coordinate that turns no gear,", system->names[i]);
        for (int64_t j = 0; j < train->lumped; j++)
            if (system->stiffness[i * n + j] != 0 || system->damping[i * n + j] != 0 ||
                (i != j && system->mass[i * n + j] != 0))
                return refuse(ctx, method, "a spring, a damper or a mass that acts on", system->names[i]);
    }
    if (system->state_count > 0)
        return refuse(ctx, method, "a state,", system->names[n - 1]);
    if (system->force_function)
        return refuse(ctx, method, "a force that a function gives", "");
    for (int64_t i = 0; i < system->force_count; i++)
        if (!constant_of(&system->forces[i], &value) || system->forces[i].coordinate >= train->lumped)
            return refuse(ctx, method, "a load that varies, on", system->names[system->forces[i].coordinate]);
    for (int c = 0; c < (int)system->contact_count; c++) {
        int mesh = 0;
        while (mesh < train->mesh_count && train->meshes[mesh].contact != c)
            mesh++;
        if (mesh == train->mesh_count)
            return refuse(ctx, method, "contact", system->contacts[c].name);
    }
    for (int b = 0; b < train->body_count; b++)
        if (train->bodies[b].modal < 0)
            return refuse(ctx, method, "a gear that meets no other,", train->bodies[b].name);
    return SLIP_OK;
}

/* "condensed" and "none" go by `exponential`, whole gears by `explicit`. */
static int check_bodies(slip_context *ctx, const slip_train *train, const slip_gear_method *method)
{
    for (int b = 0; b < train->body_count; b++) {
        const slip_train_body *body = &train->bodies[b];
        if (!method->reduced && body->reduced)
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "body `%s` is reduced, and method `%s` moves whole gears: expected `reduce: none`",
                body->name, method->name);
        if (method->reduced && (body->attachment || !body->reduced))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "body `%s`: method `%s` expects `reduce: {contact: condensed}` or `none`",
                             body->name, method->name);
    }
    return SLIP_OK;
}

/* ---- The group. */

static void take_torques(const slip_train_motion *t, const slip_gear_group *group, const slip_system *system,
                         slip_gear_side *sides)
{
    for (int g = group->gear_count - 1; g >= 0; g--) {
        sides[g].torque = 0;
        for (int64_t i = 0; i < system->force_count; i++) {
            double value = 0;
            bool first = system->forces[i].coordinate == t->coordinate[group->shaft[g]];
            for (int other = 0; other < g;
                 other++) /* torque and inertia of a shaft are those of its first gear */
                first = first && group->shaft[other] != group->shaft[g];
            if (first && constant_of(&system->forces[i], &value))
                sides[g].torque += value;
        }
    }
}

/* Gears in the order of the modal model, shafts in that of their first gears. */
static void number_shafts(slip_gear_motion *m, slip_train_motion *t, int *shaft)
{
    const slip_train *train = t->train;
    for (int b = 0; b < train->body_count; b++)
        t->body[train->bodies[b].modal] = b;
    for (int g = 0; g < m->group.gear_count; g++) {
        const slip_train_body *body = &train->bodies[t->body[g]];
        int known = 0;
        while (known < m->group.shaft_count && t->coordinate[known] != body->turn)
            known++;
        shaft[g] = known;
        t->coordinate[known] = body->turn;
        t->name[known] = body->turns;
        m->group.shaft_count += known == m->group.shaft_count;
    }
}

static void fill_gears(slip_gear_motion *m, slip_train_motion *t, const slip_system *system,
                       slip_gear_options *gears, const slip_reduced **bodies, slip_gear_side *sides,
                       double *offset)
{
    const slip_gear_group *group = &m->group;
    const int64_t n = system->n;
    for (int g = 0; g < group->gear_count; g++) {
        const slip_train_body *body = &t->train->bodies[t->body[g]];
        bool first = true;
        for (int other = 0; other < g; other++)
            first = first && group->shaft[other] != group->shaft[g];
        gears[g] = body->gear;
        bodies[g] = body->reduced;
        offset[g] = body->offset;
        sides[g] = (slip_gear_side){.modes = -1,
                                    .reduction = body->condensed ? "condensed" : "none",
                                    .damping = body->damping[0],
                                    .static_damping = body->damping[1],
                                    .speed = t->v[body->turn],
                                    .inertia = first ? system->mass[body->turn * (n + 1)] : 0};
    }
    take_torques(t, group, system, sides);
}

static void fill_meshes(slip_gear_motion *m, slip_train_motion *t, slip_gear_run_options *options,
                        slip_gear_meshing *meshes)
{
    for (int i = 0; i < m->group.mesh_count; i++) {
        const slip_train_mesh *mesh = &t->train->meshes[i];
        options[i] = mesh->options;
        t->contact[i] = mesh->contact;
        for (int k = 0; k < 2; k++) {
            meshes[i].gear[k] = t->train->bodies[mesh->side[k].body].modal;
            options[i].side[k] = m->group.sides[meshes[i].gear[k]];
            options[i].side[k].torque = 0;
            options[i].side[k].speed = k == 0 ? mesh->sense : 0; /* on which side the flanks touch */
        }
        meshes[i].options = &options[i];
        meshes[i].centre = mesh->centre;
    }
}

static int make_group(slip_gear_motion *m, slip_train_motion *t, const slip_system *system)
{
    const slip_train *train = t->train;
    slip_arena *arena = &m->arena;
    const int gears = train->body_count, meshes = train->mesh_count;
    slip_gear_options *options = slip_arena_array(arena, gears, sizeof *options);
    const slip_reduced **bodies = slip_arena_array(arena, gears, sizeof *bodies);
    slip_gear_side *sides = slip_arena_array(arena, gears, sizeof *sides);
    int *shaft = slip_arena_array(arena, gears, sizeof *shaft);
    double *offset = slip_arena_array(arena, gears, sizeof *offset);
    slip_gear_run_options *how = slip_arena_array(arena, meshes, sizeof *how);
    slip_gear_meshing *meshings = slip_arena_array(arena, meshes, sizeof *meshings);
    t->body = slip_arena_array(arena, gears, sizeof *t->body);
    t->coordinate = slip_arena_array(arena, gears, sizeof *t->coordinate);
    t->name = slip_arena_array(arena, gears, sizeof *t->name);
    t->contact = slip_arena_array(arena, meshes, sizeof *t->contact);
    t->turning = slip_arena_array(arena, gears, sizeof *t->turning);
    SLIP_PASS(slip_allocated(m->ctx, options && bodies && sides && shaft && offset && how && meshings &&
                                         t->body && t->coordinate && t->name && t->contact && t->turning));
    m->group = (slip_gear_group){.gear_count = gears,
                                 .mesh_count = meshes,
                                 .gears = options,
                                 .bodies = bodies,
                                 .sides = sides,
                                 .shaft = shaft,
                                 .offset = offset,
                                 .meshes = meshings};
    number_shafts(m, t, shaft);
    fill_gears(m, t, system, options, bodies, sides, offset);
    fill_meshes(m, t, how, meshings);
    return SLIP_OK;
}

int slip_train_motion_take(slip_gear_motion *m, const slip_system *system, const slip_method_options *o,
                           const double *q, const double *v)
{
    slip_gear_run_options usual = slip_gear_run_options_default();
    const size_t size = (size_t)system->n * sizeof(double);
    slip_train_motion *t;
    if (!slip_structure_is_train(system->structure))
        return slip_fail(m->ctx, SLIP_ERROR_MODEL, "method `%s` moves gears; use `event`", o->name);
    const slip_train *train = system->bodies;
    usual.hourglass = train->hourglass;
    m->options = slip_gear_effective(&usual, o);
    m->options.initial = o->rest ? "static" : NULL;
    m->method = slip_gear_method_find(&m->options);
    SLIP_PASS(check_system(m->ctx, system, train, o->name));
    SLIP_PASS(check_bodies(m->ctx, train, m->method));
    m->train = t = slip_arena_alloc(&m->arena, sizeof *t);
    SLIP_PASS(slip_allocated(m->ctx, t));
    t->train = train;
    t->n = system->n;
    t->q = slip_arena_array(&m->arena, 8 * (int64_t)system->n, sizeof(double));
    SLIP_PASS(slip_allocated(m->ctx, t->q));
    t->v = t->q + t->n;
    for (int k = 0; k < 6; k++)
        t->ends[k] = t->v + (k + 1) * t->n;
    memcpy(t->q, q, size);
    memcpy(t->v, v, size);
    return make_group(m, t, system);
}

/* ---- On the way. */

void slip_train_motion_give(slip_gear_motion *m, const slip_gear_sample *s, slip_sample *to)
{
    const slip_train_motion *t = m->train;
    if (!to->q && !to->v && !to->a)
        return;
    m->method->amplitudes(m, t->turning, to->q, to->v, to->a);
    for (int k = 0; k < m->group.shaft_count; k++) {
        const int at = t->coordinate[k];
        if (to->q)
            to->q[at] = s->angle[k];
        if (to->v)
            to->v[at] = s->speed[k];
        if (to->a)
            to->a[at] = t->turning[k];
    }
}

void slip_train_motion_end(slip_gear_motion *m, const slip_gear_sample *sample)
{
    slip_train_motion *t = m->train;
    for (int k = 0; k < 3; k++) {
        double *swap = t->ends[k];
        t->ends[k] = t->ends[3 + k];
        t->ends[3 + k] = swap;
    }
    slip_train_motion_give(m, sample, &(slip_sample){.q = t->ends[3], .v = t->ends[4], .a = t->ends[5]});
}

void slip_train_motion_keep(slip_gear_motion *m, slip_keeper *k)
{
    static const char *const names[] = {"train/q", "train/v", "train/a"};
    for (int i = 0; i < 3; i++)
        slip_keep_finite(k, names[i], m->train->ends[3 + i], m->train->n);
}

int slip_train_motion_adopt(slip_gear_motion *m, const slip_system *system)
{
    SLIP_PASS(check_system(m->ctx, system, m->train->train, m->method->name));
    take_torques(m->train, &m->group, system, (slip_gear_side *)(uintptr_t)m->group.sides);
    return SLIP_OK;
}
