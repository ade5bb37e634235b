/* Two reduced gears. Frames and attachment vectors are told in the header. */
#include "gear/body/gear_pair.h"

#include "flex/reduced.h"
#include "gear/body/gear_reduce.h"
#include "gear/body/gear_start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- Making. */

/* Frequencies that differ by less are a pair. */
static const double equal = 1e-6;

static int choose_modes(slip_context *ctx, const slip_reduced *body, const slip_gear_side *side,
                        slip_gear_wheel *g)
{
    int all = slip_reduced_mode_count(body);
    const slip_reduced_mode *mode = slip_reduced_modes(body);
    g->modes = side->modes < 0 ? all : side->modes;
    if (g->modes > all || g->modes < 1)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: found %d modes, expected 1 to the %d of its reduced body", g->name, side->modes,
                         all);
    if (g->modes < all && mode[g->modes].frequency < (1 + equal) * mode[g->modes - 1].frequency)
        g->modes++;
    return SLIP_OK;
}

static int find_flank(slip_context *ctx, const slip_gear_wheel *g, int flank, int *found)
{
    char name[slip_gear_flank_name_size];
    slip_gear_flank_name(flank, name);
    /* Where the body is cyclic they are in this very order. */
    for (int i = 0, count = slip_reduced_surface_count(g->body); i < count; i++) {
        *found = (flank + i) % count;
        if (strcmp(slip_reduced_surface_at(g->body, *found).name, name) == 0)
            return SLIP_OK;
    }
    return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: its reduced body has no flank %s", g->name, name);
}

static int take_flanks(slip_context *ctx, slip_gear_wheel *g)
{
    slip_reduced_surface first = {0};
    for (int f = 0; f < g->flanks; f++) {
        int index = 0;
        SLIP_PASS(find_flank(ctx, g, f, &index));
        slip_reduced_surface s = slip_reduced_surface_at(g->body, index);
        if (f == 0) {
            first = s;
            g->across = s.across;
            g->along = s.along;
            g->nodes = s.node_count;
            g->size = 3 * g->nodes;
        }
        if (s.across < 2 || s.along < 2 || s.along != first.along || s.across != first.across)
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s: flank %s is no grid of nodes like that of %s: gears in contact need the "
                             "program's own mesh, reduced with symmetry",
                             g->name, s.name, first.name);
        g->turn[f] = s.turn;
        g->points[f] = (double *)(uintptr_t)s.points;
        g->surface[f] = index;
    }
    return SLIP_OK;
}

static int make_wheel(slip_context *ctx, slip_arena *arena, const slip_gear_options *gear,
                      const slip_reduced *body, const slip_gear_side *side, slip_gear_wheel *g)
{
    g->name = slip_arena_string(arena, gear->name);
    g->body = body;
    g->flanks = 2 * gear->teeth;
    g->turn = slip_arena_array(arena, g->flanks, sizeof *g->turn);
    g->rows = slip_arena_array(arena, g->flanks, sizeof *g->rows);
    g->points = slip_arena_array(arena, g->flanks, sizeof *g->points);
    g->surface = slip_arena_array(arena, g->flanks, sizeof *g->surface);
    SLIP_PASS(slip_allocated(ctx, g->name && g->turn && g->rows && g->points && g->surface));
    if (!body)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: no reduced body was given", g->name);
    SLIP_PASS(slip_gear_check_body(ctx, gear, body));
    SLIP_PASS(choose_modes(ctx, body, side, g));
    SLIP_PASS(slip_floating_create(ctx, body, g->modes, side->inertia, &g->frame));
    SLIP_PASS(take_flanks(ctx, g));
    /* Pages that are not written cost nothing: rows of all flanks have a place, those that meet are filled.
     */
    g->shape = slip_alloc((int64_t)g->flanks * g->size * g->modes, sizeof(double));
    return slip_allocated(ctx, g->shape);
}

/* Flanks of a gear as surfaces, and where they are. */
static int make_side(slip_context *ctx, slip_gear_pair *pair, int k)
{
    const slip_gear_wheel *g = pair->gear[k];
    const int64_t nodes = (int64_t)g->flanks * g->nodes;
    int *number = slip_arena_array(&pair->arena, nodes, sizeof *number);
    double **const arrays[] = {&pair->position[k],       &pair->velocity[k],    &pair->force[k],
                               &pair->judge.position[k], &pair->judge.force[k], &pair->judge.soft[k]};
    bool complete = number != NULL;
    for (int i = 0; i < 6; i++) {
        *arrays[i] = slip_arena_array(&pair->arena, i < 4 ? 3 * nodes : nodes, sizeof(double));
        complete = complete && *arrays[i];
    }
    pair->surfaces[k] = slip_arena_array(&pair->arena, g->flanks, sizeof *pair->surfaces[k]);
    SLIP_PASS(slip_allocated(ctx, complete && pair->surfaces[k]));
    for (int i = 0; i < nodes; i++)
        number[i] = i;
    for (int i = 0; i < g->flanks; i++)
        pair->surfaces[k][i] =
            (slip_flank_surface){g->across, g->along, number + (size_t)i * (size_t)g->nodes, i % 2};
    return SLIP_OK;
}

static int make_gear(slip_context *ctx, slip_gear_pair *pair, int k, const slip_gear_options *gear,
                     const slip_reduced *body, const slip_gear_side *side, slip_gear_wheel *known)
{
    slip_gear_geometry geometry;
    pair->owned[k] = !known;
    pair->gear[k] = known ? known : slip_arena_array(&pair->arena, 1, sizeof *known);
    SLIP_PASS(slip_allocated(ctx, pair->gear[k]));
    if (!known)
        SLIP_PASS(make_wheel(ctx, &pair->arena, gear, body, side, pair->gear[k]));
    SLIP_PASS(slip_gear_measure(ctx, gear, &geometry));
    pair->wheels[k] = (slip_tooth_wheel){.teeth = gear->teeth, .tip_radius = geometry.tip_radius};
    return make_side(ctx, pair, k);
}

/* All flanks undeformed, about the gear's own axis. */
static void undeformed_points(const slip_gear_wheel *g, double *to)
{
    for (int f = 0; f < g->flanks; f++) {
        double c = cos(g->turn[f]), s = sin(g->turn[f]);
        for (int i = 0; i < g->nodes; i++, to += 3) {
            const double *x = g->points[f] + 3 * i;
            to[0] = c * x[0] - s * x[1];
            to[1] = s * x[0] + c * x[1];
            to[2] = x[2];
        }
    }
}

static int find_start(slip_context *ctx, slip_gear_pair *pair, const slip_gear_run_options *options)
{
    const int counts[2] = {pair->gear[0]->flanks * pair->gear[0]->nodes,
                           pair->gear[1]->flanks * pair->gear[1]->nodes};
    SLIP_FREED double *first = slip_alloc(3 * (int64_t)counts[0], sizeof *first);
    SLIP_FREED double *second = slip_alloc(3 * (int64_t)counts[1], sizeof *second);
    SLIP_PASS(slip_allocated(ctx, first && second));
    undeformed_points(pair->gear[0], first);
    undeformed_points(pair->gear[1], second);
    return slip_gear_start_find(ctx, (const double *const[2]){first, second}, counts, pair->contact, options,
                                pair->wheels, &pair->sense);
}

int slip_gear_pair_create(slip_context *ctx, const slip_gear_options gears[2],
                          const slip_reduced *const bodies[2], const slip_gear_run_options *options,
                          slip_gear_wheel *const known[2], slip_gear_pair **pair)
{
    int counts[2] = {2 * gears[0].teeth, 2 * gears[1].teeth};
    double distance;
    SLIP_FREED_BY(slip_gear_pair_drop) slip_gear_pair *p = slip_alloc(1, sizeof *p);
    slip_flank_options flanks = slip_flank_options_default();
    *pair = NULL;
    SLIP_PASS(slip_allocated(ctx, p));
    SLIP_PASS(slip_gear_distance(ctx, &gears[0], &gears[1], &distance, NULL));
    for (int k = 0; k < 2; k++)
        SLIP_PASS(make_gear(ctx, p, k, &gears[k], bodies ? bodies[k] : NULL, &options->side[k],
                            known ? known[k] : NULL));
    p->wheels[1].centre[0] = options->distance > 0 ? options->distance : distance;
    flanks.penalty = isfinite(options->penalty) ? options->penalty : 1; /* geometry does not depend on it */
    flanks.two_pass = options->two_pass;
    flanks.friction = options->friction;
    const slip_flank_surface *const surfaces[2] = {p->surfaces[0], p->surfaces[1]};
    SLIP_PASS(slip_flank_contact_create(ctx, &flanks, counts, surfaces, &p->contact));
    flanks.friction = NULL;
    SLIP_PASS(slip_flank_contact_create(ctx, &flanks, counts, surfaces, &p->judge.search));
    SLIP_PASS(find_start(ctx, p, options));
    SLIP_HAND(pair, p);
    return SLIP_OK;
}

slip_gear_group slip_gear_group_pair(const slip_gear_options *gears, const slip_reduced *const *bodies,
                                     const slip_gear_meshing *mesh)
{
    static const int own[2] = {0, 1};
    return (slip_gear_group){.gear_count = 2,
                             .shaft_count = 2,
                             .mesh_count = 1,
                             .gears = gears,
                             .bodies = bodies,
                             .sides = mesh->options->side,
                             .shaft = own,
                             .meshes = mesh};
}

int slip_gear_group_pairs(slip_context *ctx, const slip_gear_group *group, slip_gear_wheel **known,
                          slip_gear_pair **pairs)
{
    for (int i = 0; i < group->mesh_count; i++) {
        const slip_gear_meshing *mesh = &group->meshes[i];
        const int a = mesh->gear[0], b = mesh->gear[1];
        const slip_gear_options gears[2] = {group->gears[a], group->gears[b]};
        const slip_reduced *const bodies[2] = {group->bodies ? group->bodies[a] : NULL,
                                               group->bodies ? group->bodies[b] : NULL};
        slip_gear_wheel *const wheels[2] = {known[a], known[b]};
        SLIP_PASS(slip_gear_pair_create(ctx, gears, bodies, mesh->options, wheels, &pairs[i]));
        for (int k = 0; k < 2; k++) {
            known[mesh->gear[k]] = pairs[i]->gear[k];
            if (mesh->centre)
                memcpy(pairs[i]->wheels[k].centre, mesh->centre[k], sizeof mesh->centre[k]);
            if (group->offset)
                pairs[i]->wheels[k].angle = group->offset[mesh->gear[k]];
        }
    }
    return SLIP_OK;
}

void slip_gear_pair_destroy(slip_gear_pair *p)
{
    if (!p)
        return;
    for (int k = 0; k < 2; k++)
        if (p->owned[k] && p->gear[k]) {
            slip_floating_destroy(p->gear[k]->frame);
            free(p->gear[k]->shape);
        }
    slip_flank_contact_destroy(p->contact);
    slip_flank_contact_destroy(p->judge.search);
    slip_arena_free(&p->arena);
    free(p);
}

/* ---- Residuals. */

/* to += rows diag(1/omega^(2 power)) rows^T over the modes that are left out. */
static void add_left_out(const slip_gear_wheel *g, const double *rows, int power, double *to)
{
    int all = slip_reduced_mode_count(g->body);
    const slip_reduced_mode *mode = slip_reduced_modes(g->body);
    for (int m = g->modes; m < all; m++) {
        double factor = pow(2 * pi * mode[m].frequency, -2 * power);
        for (int i = 0; i < g->size; i++) {
            double left = factor * rows[(size_t)i * (size_t)all + (size_t)m];
            for (int k = 0; k < g->size; k++)
                to[(size_t)i * (size_t)g->size + (size_t)k] +=
                    left * rows[(size_t)k * (size_t)all + (size_t)m];
        }
    }
}

int slip_gear_pair_need_remainder(slip_context *ctx, slip_gear_pair *pair, int k)
{
    slip_gear_wheel *g = pair->gear[k];
    slip_gear_remainder *r = &g->remainder;
    slip_reduced_surface surface = slip_reduced_surface_at(g->body, g->surface[0]);
    int all = slip_reduced_mode_count(g->body);
    const slip_reduced_mode *mode = slip_reduced_modes(g->body);
    if (r->flexibility)
        return SLIP_OK;
    if (surface.attachment < 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s: its reduced body has no attachment modes on %s; make it with them", g->name,
                         surface.name);
    slip_reduced_attachment stored = slip_reduced_attachment_at(g->body, surface.attachment);
    size_t size = (size_t)g->size;
    if (g->modes == all) {
        *r = (slip_gear_remainder){stored.flexibility, stored.mass, stored.rotation, stored.spread};
        return SLIP_OK;
    }
    double *mass = slip_arena_array(&pair->arena, (int64_t)(size * size), sizeof(double));
    double *rotation = slip_arena_array(&pair->arena, g->size, sizeof(double));
    double *spread = slip_arena_array(&pair->arena, g->size, sizeof(double));
    double *flexibility = slip_arena_array(&pair->arena, (int64_t)(size * size), sizeof(double));
    SLIP_FREED double *rows = slip_alloc((int64_t)size * all, sizeof *rows);
    SLIP_PASS(slip_allocated(ctx, flexibility && mass && rotation && spread && rows));
    memcpy(flexibility, stored.flexibility, sizeof(double) * size * size);
    memcpy(mass, stored.mass, sizeof(double) * size * size);
    memcpy(rotation, stored.rotation, sizeof(double) * size);
    memcpy(spread, stored.spread, sizeof(double) * size);
    slip_reduced_rows(g->body, g->surface[0], rows);
    add_left_out(g, rows, 1, flexibility);
    add_left_out(g, rows, 2, mass);
    for (size_t i = 0; i < size; i++)
        for (int m = g->modes; m < all; m++) {
            double factor = rows[i * (size_t)all + (size_t)m] * pow(2 * pi * mode[m].frequency, -2);
            rotation[i] += factor * mode[m].rotation;
            spread[i] += factor * mode[m].spread;
        }
    *r = (slip_gear_remainder){flexibility, mass, rotation, spread};
    return SLIP_OK;
}

/* ---- Use. */

static void fill_rows(slip_gear_pair *pair, int k, int flank)
{
    slip_gear_wheel *g = pair->gear[k];
    double *rows = g->shape + (size_t)flank * (size_t)g->size * (size_t)g->modes;
    slip_reduced_rows_of(g->body, g->surface[flank], g->modes, rows);
    g->rows[flank] = rows;
}

/* Rows of the flanks that face another one. */
static void need_rows(slip_gear_pair *pair, int pair_count, const slip_flank_pair *pairs)
{
    for (int p = 0; p < pair_count; p++)
        for (int k = 0; k < 2; k++)
            if (!pair->gear[k]->rows[pairs[p].surface[k]])
                fill_rows(pair, k, pairs[p].surface[k]);
}

int slip_gear_pair_facing(slip_gear_pair *pair, slip_flank_pair pairs[slip_tooth_pairs_max])
{
    const int count = slip_tooth_pairs_find(pair->wheels, pairs);
    need_rows(pair, count, pairs);
    return count;
}

void slip_gear_pair_turn(slip_gear_pair *pair, const double angle[2])
{
    for (int k = 0; k < 2; k++)
        pair->wheels[k].angle = angle[k];
    pair->pair_count = slip_gear_pair_facing(pair, pair->pairs);
}

void slip_gear_pair_keep(slip_gear_pair *pair, slip_keeper *k)
{
    SLIP_KEEP_ALL(k, SLIP_BLOCK(pair->pairs), SLIP_BLOCK(pair->pair_count), SLIP_BLOCK(pair->totals),
                  SLIP_BLOCK(pair->moment));
    for (int i = 0; i < 2; i++) {
        const size_t size = sizeof(double) * (size_t)pair->gear[i]->flanks * (size_t)pair->gear[i]->size;
        SLIP_KEEP(k, pair->wheels[i].angle);
        slip_keep_bytes(k, pair->position[i], size);
        slip_keep_bytes(k, pair->velocity[i], size);
        slip_keep_bytes(k, pair->force[i], size);
    }
    slip_flank_contact_keep(pair->contact, 0, k);
    need_rows(pair, pair->pair_count, pair->pairs);
}

/* nodes NULL: all, in their order. */
void slip_gear_pair_place_nodes(slip_gear_pair *pair, int k, int flank, int count, const int *nodes,
                                const double *displacement, double speed, const double *rate)
{
    const slip_gear_wheel *g = pair->gear[k];
    const double *centre = pair->wheels[k].centre;
    double angle = pair->wheels[k].angle + g->turn[flank], c = cos(angle), s = sin(angle);
    size_t first = (size_t)flank * (size_t)g->size;
    for (int i = 0; i < count; i++, displacement += 3) {
        size_t at = 3 * (size_t)(nodes ? nodes[i] : i);
        const double *x = g->points[flank] + at;
        double *to = pair->position[k] + first + at, *velocity = pair->velocity[k] + first + at;
        double a = x[0] + displacement[0], b = x[1] + displacement[1];
        to[0] = centre[0] + c * a - s * b;
        to[1] = centre[1] + s * a + c * b;
        to[2] = x[2] + displacement[2];
        if (!rate)
            continue;
        double va = rate[3 * i] - speed * b, vb = rate[3 * i + 1] + speed * a;
        velocity[0] = c * va - s * vb;
        velocity[1] = s * va + c * vb;
        velocity[2] = rate[3 * i + 2];
    }
}

void slip_gear_pair_place(slip_gear_pair *pair, int k, int flank, const double *displacement, double speed,
                          const double *rate)
{
    slip_gear_pair_place_nodes(pair, k, flank, pair->gear[k]->nodes, NULL, displacement, speed, rate);
}

void slip_gear_pair_touch(slip_gear_pair *pair)
{
    slip_flank_state state[2];
    for (int k = 0; k < 2; k++) {
        size_t size = (size_t)pair->gear[k]->size;
        state[k] = (slip_flank_state){pair->position[k], pair->velocity[k], pair->force[k]};
        for (int p = 0; p < pair->pair_count; p++)
            memset(pair->force[k] + (size_t)pair->pairs[p].surface[k] * size, 0, sizeof(double) * size);
    }
    slip_flank_contact_apply(pair->contact, pair->pair_count, pair->pairs, state, &pair->totals);
    for (int k = 0; k < 2; k++) {
        const slip_gear_wheel *g = pair->gear[k];
        const double *centre = pair->wheels[k].centre;
        pair->moment[k] = 0;
        for (int p = 0; pair->totals.touching && p < pair->pair_count; p++) {
            size_t first = (size_t)pair->pairs[p].surface[k] * (size_t)g->size;
            const double *x = pair->position[k] + first, *f = pair->force[k] + first;
            for (int i = 0; i < g->size; i += 3)
                pair->moment[k] += (x[i] - centre[0]) * f[i + 1] - (x[i + 1] - centre[1]) * f[i];
        }
    }
}

/* nodes NULL: all, in their order. */
void slip_gear_pair_pull_nodes(const slip_gear_pair *pair, int k, int flank, int count, const int *nodes,
                               double *force)
{
    const slip_gear_wheel *g = pair->gear[k];
    double angle = pair->wheels[k].angle + g->turn[flank], c = cos(angle), s = sin(angle);
    for (int i = 0; i < count; i++, force += 3) {
        const double *f =
            pair->force[k] + (size_t)flank * (size_t)g->size + 3 * (size_t)(nodes ? nodes[i] : i);
        force[0] = c * f[0] + s * f[1];
        force[1] = -s * f[0] + c * f[1];
        force[2] = f[2];
    }
}

/* ---- The judge. */

static void exchange_positions(slip_gear_pair *pair)
{
    for (int k = 0; k < 2; k++) {
        double *own = pair->position[k];
        pair->position[k] = pair->judge.position[k];
        pair->judge.position[k] = own;
    }
}

void slip_gear_pair_judge_begin(slip_gear_pair *pair)
{
    exchange_positions(pair);
}

void slip_gear_pair_clear(slip_gear_pair *pair, int k, int flank)
{
    const size_t nodes = (size_t)pair->gear[k]->nodes, size = nodes * sizeof(double);
    memset(pair->judge.force[k] + (size_t)flank * nodes, 0, size);
    memset(pair->judge.soft[k] + (size_t)flank * nodes, 0, size);
}

double slip_gear_pair_judge(slip_gear_pair *pair, int pair_count, const slip_flank_pair *pairs)
{
    const double *const position[2] = {pair->position[0], pair->position[1]};
    const double *const force[2] = {pair->judge.force[0], pair->judge.force[1]};
    const double *const soft[2] = {pair->judge.soft[0], pair->judge.soft[1]};
    const double worst = slip_flank_judge(pair->judge.search, pair_count, pairs, position, force, soft);
    exchange_positions(pair);
    return worst;
}
