/* Elastic bodies that move.
 *
 * From the matrices of the model of the bodies alone (alone.c) come their coordinates, NAME_1, NAME_2, ...:
 * those of vectors with unit mass (flex/plane_motion.h). In the model they follow after the lumped
 * coordinates, and each contact point of a surface is a contact with a gap. */
#include "flex/plane_motion.h"
#include "math/vector.h"
#include "model/names.h"
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- coordinates ---- */

bool slip_read_motion_names(slip_reader *r, int count, const char **names)
{
    const slip_model *bodies = r->model->bodies;
    const int *first = bodies->motion->first;
    bool good = true;
    for (int b = 0; b < bodies->motion->body_count && good; b++)
        good = slip_read_body_names(r, slip_plane_body_name(bodies->plane, b), count + first[b],
                                    first[b + 1] - first[b], names);
    return good && (!bodies->train || slip_read_train_names(r, count + bodies->motion->count, names));
}

/* ---- matrices and loads ---- */

int slip_read_turn_of(const slip_reader *r, int body)
{
    const char *name = r->model->bodies->moves[body].turn;
    return name ? slip_text_find(r->names, r->given, name) : -1;
}

/* Checks that the coordinates of rotations are among the lumped coordinates. */
static bool check_turns(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const slip_tree *section = slip_read_child(r->root, "bodies");
    bool good = true;
    for (int b = 0; b < bodies->motion->body_count; b++) {
        const char *name = slip_plane_body_name(bodies->plane, b);
        if (!bodies->moves[b].turn || slip_read_turn_of(r, b) >= 0)
            continue;
        slip_problem(r->problems, slip_read_child(slip_read_child(section, name), "turn"),
                     "turn: found `%s`, expected one of the model's `coordinates`", bodies->moves[b].turn);
        good = false;
    }
    return good;
}

/* A body rotates by phi (field d) and deforms relative to that by its vectors v_i, so the mass matrix gets d
 * . M d and d . M v_i. */
void slip_read_turns(slip_reader *r)
{
    const slip_plane_motion *motion = r->model->bodies->motion;
    double *mass = r->model->system ? r->model->system->mass : NULL;
    for (int b = 0; mass && b < motion->body_count; b++) {
        const int64_t at = slip_read_turn_of(r, b);
        if (at < 0)
            continue;
        r->model->mass_given = true;
        mass[at * (r->n + 1)] += motion->turn_inertia[b];
        for (int i = motion->first[b]; i < motion->first[b + 1]; i++) {
            mass[at * r->n + r->given + i] += motion->turn_momentum[i];
            mass[(r->given + i) * (int64_t)r->n + at] += motion->turn_momentum[i];
        }
    }
}

/* Dashpots of the springs of bodies. */
static int add_dashpots(slip_reader *r)
{
    const slip_plane_motion *motion = r->model->bodies->motion;
    for (int b = 0; b < motion->body_count; b++) {
        const int first = r->given + motion->first[b], count = motion->first[b + 1] - motion->first[b];
        double *own;
        SLIP_PASS(slip_plane_motion_dashpots(r->ctx, motion, b, &own));
        for (int i = 0; own && i < count; i++)
            for (int j = 0; j < count; j++)
                r->model->system->damping[(int64_t)(first + i) * r->n + first + j] +=
                    own[(int64_t)i * count + j];
        free(own);
    }
    return SLIP_OK;
}

static void add_matrices(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const slip_plane_motion *motion = bodies->motion;
    slip_system *system = r->model->system;
    system->kin = slip_arena_array(&system->arena, r->n, sizeof *system->kin);
    for (int i = 0; i < r->n && system->kin; i++)
        system->kin[i] = -1;
    slip_reader_room(r, system->kin);
    for (int b = 0; b < motion->body_count && system->kin; b++) {
        const slip_body_motion *own = &bodies->moves[b];
        const int count = motion->first[b + 1] - motion->first[b];
        const int64_t first = (int64_t)(r->given + motion->first[b]) * (r->n + 1);
        const double *square = motion->square + motion->first[b];
        double *damping = count > 0 ? slip_arena_array(&system->arena, count, sizeof *damping) : NULL;
        if (count > 0 && !damping) {
            r->problems->memory = true;
            return;
        }
        for (int i = 0; i < count; i++) {
            system->kin[r->given + motion->first[b] + i] = b;
            if (i >= motion->bodies[b]->moving) { /* it follows its forces */
                system->condensed = true;
                continue;
            }
            system->mass[first + (int64_t)i * (r->n + 1)] = 1;
            damping[i] = own->damping[0] + own->damping[1] * square[i] + 2 * own->ratio * sqrt(square[i]);
        }
        if (count == 0)
            continue;
        slip_reduction_spread(motion->bodies[b], square, r->n, system->stiffness + first);
        slip_reduction_spread(motion->bodies[b], damping, r->n, system->damping + first);
    }
}

static int add_load(slip_reader *r, const slip_expression *history, const double place[3], double load,
                    int coordinate)
{
    slip_expression *expression = NULL;
    const int status = load == 0 ? SLIP_OK : slip_read_compose_load(r, history, place, load, &expression);
    return status < 0 || load == 0 ? status
                                   : slip_system_add_force(r->ctx, r->model->system, coordinate, expression);
}

static int add_loads(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const slip_plane_motion *motion = bodies->motion;
    SLIP_FREED double *values = slip_alloc(bodies->parameter_count, sizeof *values);
    SLIP_FREED double *force = slip_alloc(slip_plane_unknown_count(bodies->plane), sizeof *force);
    SLIP_FREED double *load = slip_alloc(motion->count, sizeof *load);
    int status = values && force && load ? SLIP_OK : slip_fail_memory(r->ctx);
    for (int64_t i = 0; i < bodies->parameter_count && status >= 0; i++)
        values[i] = bodies->parameters[i].value;
    for (int k = 0; k < slip_plane_load_count(bodies->plane) && status >= 0; k++) {
        const slip_expression *history;
        double place[3];
        SLIP_PASS(slip_plane_load(r->ctx, bodies->plane, values, k, force, place, &history));
        slip_plane_motion_load(motion, force, load);
        for (int i = 0; i < motion->count; i++)
            SLIP_PASS(add_load(r, history, place, load[i], r->given + i));
        for (int b = 0; b < motion->body_count; b++)
            if (slip_read_turn_of(r, b) >= 0)
                SLIP_PASS(add_load(r, history, place,
                                   slip_plane_load_torque(bodies->plane, b, &bodies->moves[b].rotation),
                                   slip_read_turn_of(r, b)));
    }
    return status;
}

/* The velocity of a body at the start at each of its nodes, by its coordinates. */
static int add_starts(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const int count = (int)bodies->parameter_count;
    SLIP_FREED double *field = slip_alloc(slip_plane_unknown_count(bodies->plane), sizeof *field);
    SLIP_FREED double *slots = slip_alloc(slip_plane_slot_parameter + count, sizeof *slots);
    int status = field && slots ? SLIP_OK : slip_fail_memory(r->ctx);
    for (int i = 0; i < count && status >= 0; i++)
        slots[slip_plane_slot_parameter + i] = bodies->parameters[i].value;
    for (int b = 0; b < bodies->motion->body_count && status >= 0; b++) {
        const slip_mesh *mesh = slip_plane_body_mesh(bodies->plane, b);
        const int d = mesh->dimension;
        for (int k = 0; k < d && bodies->moves[b].velocity[k] && status >= 0; k++) {
            const slip_expression *velocity = bodies->moves[b].velocity[k];
            double *scratch = slip_alloc(slip_expression_scratch(velocity), sizeof *scratch);
            if (!scratch)
                status = slip_fail_memory(r->ctx);
            for (int i = 0; i < mesh->node_count && scratch; i++) {
                const int64_t node = slip_plane_body_first_node(bodies->plane, b) + i;
                const int64_t unknown = slip_plane_unknown(bodies->plane, d * node + k);
                memcpy(slots + slip_plane_slot_x, mesh->points + d * (int64_t)i, (size_t)d * sizeof *slots);
                if (unknown >= 0)
                    field[unknown] = slip_expression_value(velocity, slots, scratch);
            }
            free(scratch);
        }
    }
    if (status >= 0)
        status = slip_plane_motion_project(r->ctx, bodies->motion, field, r->model->initial_v + r->given);
    if (status >= 0)
        slip_plane_motion_field(bodies->motion, field, r->model->initial_v + r->n);
    for (int64_t i = r->given; i < r->n + bodies->motion->field_size && status >= 0; i++)
        if (!isfinite(r->model->initial_v[i]))
            status =
                slip_fail(r->ctx, SLIP_ERROR_MODEL, "a velocity of a body is not finite at one of its nodes");
    return status;
}

void slip_read_motion_structure(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const int energy = slip_tree_index(r->root, "energy");
    if (!r->model->system)
        return;
    if (energy >= 0) {
        slip_problem(r->problems, slip_tree_key(r->root, energy),
                     "found `energy` in a model with bodies, expected mass, damping and stiffness of the "
                     "coordinates");
        return;
    }
    if (!check_turns(r))
        return;
    add_matrices(r);
    if (!slip_read_field(r))
        return;
    if (bodies->train)
        slip_read_train_structure(r);
    if (r->given == 0 || bodies->train)
        r->model->mass_given = true;
    if (add_dashpots(r) < 0 || add_loads(r) < 0 || add_starts(r) < 0)
        slip_problem(r->problems, slip_read_child(r->root, "bodies"), "%s", slip_context_message(r->ctx));
}

/* ---- probes ---- */

int slip_read_probe_count(const slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    int count = 0;
    for (int b = 0; bodies && b < bodies->motion->body_count; b++)
        count += slip_plane_dimension(bodies->plane) * bodies->moves[b].probe_count;
    return count;
}

/* The node of a body that is nearest to a place, in the numbering of all bodies. */
static int nearest_node(const slip_plane *plane, int body, const double place[3])
{
    const slip_mesh *mesh = slip_plane_body_mesh(plane, body);
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < mesh->node_count; i++) {
        double distance = 0;
        for (int k = 0; k < mesh->dimension; k++)
            distance = hypot(distance, mesh->points[mesh->dimension * (int64_t)i + k] - place[k]);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return slip_plane_body_first_node(plane, body) + nearest;
}

/* Refuses a probe far outside its body, which is probably a mistake of units or signs. */
static void check_probe(slip_reader *r, const slip_plane *plane, int body, const slip_probe *probe)
{
    static const double far = 0.1; /* of the diagonal of the box around the body */
    const slip_mesh *mesh = slip_plane_body_mesh(plane, body);
    const slip_tree *node = slip_read_child(r->root, "bodies");
    double diagonal = 0, outside = 0, low[3] = {INFINITY, INFINITY, INFINITY},
           high[3] = {-INFINITY, -INFINITY, -INFINITY};
    slip_box_widen(mesh->dimension, mesh->node_count, mesh->points, low, high);
    for (int k = 0; k < mesh->dimension; k++) {
        diagonal = hypot(diagonal, high[k] - low[k]);
        outside = hypot(outside, fmax(0, fmax(low[k] - probe->place[k], probe->place[k] - high[k])));
    }
    if (!(outside > far * diagonal) || diagonal == 0)
        return;
    node = node ? slip_read_child(node, slip_plane_body_name(plane, body)) : NULL;
    node = node ? slip_read_child(node, "probes") : NULL;
    slip_problem(r->problems, node,
                 "probes: `%s` is %.3g outside of body `%s`, whose box has a diagonal of %.3g; expected a "
                 "place in the body: are units or signs mixed up?",
                 probe->name, outside, slip_plane_body_name(plane, body), diagonal);
}

void slip_read_probe(slip_reader *r, int index, slip_output *output)
{
    const slip_model *bodies = r->model->bodies;
    const int d = slip_plane_dimension(bodies->plane);
    int body = 0, at = index / d;
    while (at >= bodies->moves[body].probe_count)
        at -= bodies->moves[body++].probe_count;
    const slip_probe *probe = &bodies->moves[body].probes[at];
    const int64_t component = d * (int64_t)nearest_node(bodies->plane, body, probe->place) + index % d;
    if (index % d == 0)
        check_probe(r, bodies->plane, body, probe);
    double *row = slip_arena_array(&r->model->arena, r->n, sizeof *row);
    char name[2 * slip_name_length_max + 8];
    snprintf(name, sizeof name, "%.60s.%.60s.%c", slip_plane_body_name(bodies->plane, body), probe->name,
             "xyz"[index % d]);
    output->name = slip_arena_string(&r->model->arena, name);
    output->row = row;
    if (!slip_reader_room(r, row && output->name))
        return;
    slip_plane_motion_component(bodies->motion, bodies->plane, component, row + r->given);
    slip_read_probe_tail(r, component, &output->tail);
}
