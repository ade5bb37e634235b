/* Elastic bodies that move.
 *
 * The bodies and their surfaces alone are a model of their own, which is read as one for statics is, from a
 * tree with the sections that it needs. From its matrices come the coordinates of the bodies, NAME_1, NAME_2,
 * ...: those of vectors with unit mass (flex/plane_motion.h). In the model that moves they stand behind the
 * coordinates that are given, and a contact point of a surface is a contact with a gap. */
#include "flex/plane_motion.h"
#include "model/names.h"
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Dense matrices of more coordinates take too long to step with. */
enum { motion_coordinates_max = 1000 };

bool slip_read_moves(const slip_reader *r)
{
    return slip_read_child(r->root, "bodies") && !slip_read_child(r->root, "gears") &&
           (slip_tree_find(r->root, "simulate") || slip_tree_find(r->root, "coordinates"));
}

/* ---- the model of the bodies alone ---- */

slip_tree *slip_read_clone(slip_arena *arena, const slip_tree *node)
{
    slip_tree *copy = slip_tree_copy(arena, node);
    const int items = node->kind == SLIP_TREE_MAPPING ? 2 * node->count : node->count;
    if (!copy)
        return NULL;
    copy->compiled = NULL;
    for (int i = 0; i < items && node->kind != SLIP_TREE_SCALAR; i++) {
        copy->item[i] = slip_read_clone(arena, node->item[i]);
        if (!copy->item[i])
            return NULL;
    }
    return copy;
}

/* What statics does not know: laws, impacts, the velocity of a rigid plane, springs of contacts. */
static slip_tree *surface_alone(slip_arena *arena, const slip_tree *contact)
{
    static const char *const others[] = {"law", "restitution", "impact_friction", "velocity", "normal"};
    slip_tree *copy = slip_tree_copy(arena, contact);
    for (size_t k = 0; k < sizeof others / sizeof *others && copy; k++)
        slip_tree_remove(copy, others[k]);
    return copy;
}

static slip_tree *surfaces_alone(slip_arena *arena, const slip_tree *contacts)
{
    slip_tree *copy = slip_tree_mapping(arena);
    for (int i = 0; copy && contacts->kind == SLIP_TREE_MAPPING && i < contacts->count; i++)
        if (slip_read_kind_is(slip_tree_value(contacts, i), SLIP_KIND_OF_BODIES) &&
            !slip_tree_append(arena, copy, slip_tree_key(contacts, i),
                              surface_alone(arena, slip_tree_value(contacts, i))))
            return NULL;
    return copy;
}

static slip_tree *bodies_alone(slip_arena *arena, const slip_tree *root)
{
    slip_tree *tree = slip_tree_mapping(arena);
    const slip_tree *contacts = slip_tree_find(root, "contacts"),
                    *parameters = slip_tree_find(root, "parameters");
    bool complete = tree && slip_tree_put(arena, tree, "slipstick", slip_tree_scalar(arena, "1")) &&
                    slip_tree_put(arena, tree, "bodies", slip_tree_find(root, "bodies"));
    if (parameters)
        complete = complete && slip_tree_put(arena, tree, "parameters", slip_read_clone(arena, parameters));
    if (contacts)
        complete = complete && slip_tree_put(arena, tree, "contacts", surfaces_alone(arena, contacts));
    return complete ? tree : NULL;
}

static int read_alone(slip_reader *r, slip_model **bodies)
{
    slip_reader own = {.ctx = r->ctx, .problems = r->problems};
    const int status = slip_model_allocate(r->ctx, bodies);
    if (status < 0)
        return status;
    own.model = *bodies;
    own.root = bodies_alone(&(*bodies)->arena, r->root);
    if (!own.root)
        return slip_fail_memory(r->ctx);
    own.model->in_motion = true;
    own.model->document = own.root;
    own.model->file = (char *)r->problems->file;
    slip_read_model(&own);
    own.model->finished = true;
    return SLIP_OK;
}

/* Bound to the values of this model, which has the same parameters. */
static int bind_alone(slip_reader *r, slip_model **bodies)
{
    const slip_model *origin = r->model->origin->bodies;
    slip_values *values = NULL;
    int status;
    SLIP_TRY(slip_values_create(r->ctx, origin, &values));
    for (int i = 0; i < (int)origin->parameter_count; i++)
        if (slip_values_are_set(r->values, i))
            SLIP_TRY(
                slip_values_set(r->ctx, values, origin->parameters[i].name, slip_values_at(r->values, i)));
    status = slip_model_bind(r->ctx, origin, values, bodies);
done:
    slip_values_destroy(values);
    return status;
}

/* In place of a whole body; one with few unknowns has all its eigenmodes. */
static slip_reduction_options reduce_whole(const slip_reader *r, int64_t size)
{
    enum { dense_most = 300 };
    const int64_t most = size / 4;
    return (slip_reduction_options){.modes = size <= dense_most      ? 0
                                             : r->whole_modes < most ? r->whole_modes
                                                                     : most,
                                    .loads = true};
}

/* `before`: how the bodies move where whole ones are to be reduced, else NULL. */
static int make_motion(slip_reader *r, slip_model *bodies, const slip_plane_motion *before)
{
    const int count = slip_plane_body_count(bodies->plane);
    slip_reduction_options *options = slip_alloc(count, sizeof *options);
    double *values = slip_alloc(bodies->parameter_count, sizeof *values);
    int status = options && values ? SLIP_OK : slip_fail_memory(r->ctx);
    for (int b = 0; b < count && status >= 0; b++)
        options[b] = before && !before->bodies[b] ? reduce_whole(r, before->masses[b]->size)
                                                  : bodies->moves[b].reduction;
    for (int64_t i = 0; i < bodies->parameter_count && status >= 0; i++)
        values[i] = bodies->parameters[i].value;
    bodies->motion = NULL;
    bodies->motion_shared = false;
    if (status >= 0)
        status = slip_plane_motion_create(r->ctx, bodies->plane, values, options, &bodies->motion);
    free(options);
    free(values);
    return status;
}

bool slip_read_motion(slip_reader *r)
{
    const slip_tree *section = slip_read_child(r->root, "bodies");
    const int before = r->problems->count;
    slip_model *bodies = NULL;
    int status = r->model->origin ? bind_alone(r, &bodies) : read_alone(r, &bodies);
    r->model->bodies = bodies;
    if (r->problems->count > before || r->problems->memory)
        return false;
    if (status >= 0 && !bodies->motion)
        status = make_motion(r, bodies, NULL);
    if (status >= 0 && r->whole_modes > 0) {
        slip_plane_motion *own = bodies->motion_shared ? NULL : bodies->motion;
        status = make_motion(r, bodies, bodies->motion);
        slip_plane_motion_destroy(own);
    }
    if (status < 0) {
        slip_problem(r->problems, section, "%s", slip_context_message(r->ctx));
        return false;
    }
    if (bodies->train && !slip_read_train(r, bodies))
        return false;
    if (bodies->motion->count > motion_coordinates_max) {
        slip_problem(
            r->problems, section,
            "the bodies have %d coordinates, expected at most %d: `reduce: {modes: 20}` leaves fewer",
            bodies->motion->count, motion_coordinates_max);
        return false;
    }
    return true;
}

/* ---- coordinates ---- */

bool slip_read_body_names(slip_reader *r, const char *body, int first, int count, const char **names)
{
    for (int i = 0; i < count; i++) {
        char name[slip_name_length_max + 20];
        snprintf(name, sizeof name, "%.60s_%d", body, i + 1);
        names[first + i] = slip_arena_string(&r->model->arena, name);
        if (!names[first + i]) {
            r->problems->memory = true;
            return false;
        }
        for (int k = 0; k < first; k++)
            if (strcmp(names[k], name) == 0) {
                slip_problem(r->problems, slip_read_child(r->root, "bodies"),
                             "coordinate `%s` is one of body `%.60s`, and another one has this name", name,
                             body);
                return false;
            }
    }
    return true;
}

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

static void add_matrices(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const slip_plane_motion *motion = bodies->motion;
    slip_system *system = r->model->system;
    system->kin = slip_arena_array(&system->arena, r->n, sizeof *system->kin);
    for (int i = 0; i < r->n && system->kin; i++)
        system->kin[i] = -1;
    if (!system->kin)
        r->problems->memory = true;
    for (int b = 0; b < motion->body_count && system->kin; b++) {
        const slip_body_motion *own = &bodies->moves[b];
        for (int i = motion->first[b]; i < motion->first[b + 1]; i++) {
            const int64_t at = (int64_t)(r->given + i) * (r->n + 1);
            system->kin[r->given + i] = b;
            system->mass[at] = 1;
            system->stiffness[at] = motion->square[i];
            system->damping[at] = own->damping[0] + own->damping[1] * motion->square[i] +
                                  2 * own->ratio * sqrt(motion->square[i]);
        }
    }
}

int slip_read_compose(slip_reader *r, const char *expression, const double place[3], slip_expression **to)
{
    static const char *const names[] = {"x", "y", "z"};
    const slip_symbol *own = r->symbols + r->parameters;
    const int d = slip_plane_dimension(r->model->bodies->plane);
    slip_symbol *symbols;
    slip_expression_error error;
    int count = 0, status;
    while (own[count].name)
        count++;
    symbols = slip_alloc(count + d + 2, sizeof *symbols);
    if (!symbols)
        return slip_fail_memory(r->ctx);
    symbols[0] = (slip_symbol){"t", slip_slot_time(), 0, NULL, SLIP_RATE_ONE};
    for (int k = 0; k < d; k++)
        symbols[1 + k] = (slip_symbol){names[k], -1, place[k], NULL, 0};
    for (int i = 0; i < count; i++)
        symbols[1 + d + i] = own[i].table ? own[i] : (slip_symbol){own[i].name, -1, r->numbers[i], NULL, 0};
    status = slip_expression_compile(expression, symbols, to, &error);
    if (status == SLIP_ERROR_MODEL)
        status = slip_fail(r->ctx, status, "`%s`: %s", expression, error.message);
    else if (status == SLIP_ERROR_MEMORY)
        slip_fail_memory(r->ctx);
    free(symbols);
    return status;
}

int slip_read_compose_load(slip_reader *r, const slip_expression *history, const double place[3],
                           double factor, slip_expression **load)
{
    slip_text text = {0};
    int status;
    if (!history) {
        status = slip_expression_constant(factor, load);
        return status == SLIP_ERROR_MEMORY ? slip_fail_memory(r->ctx) : status;
    }
    slip_text_printf(&text, "(%.17g)*(%s)", factor, slip_expression_text(history));
    status = text.failed ? slip_fail_memory(r->ctx) : slip_read_compose(r, text.data, place, load);
    slip_text_free(&text);
    return status;
}

static int add_loads(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const slip_plane_motion *motion = bodies->motion;
    double *values = slip_alloc(bodies->parameter_count, sizeof *values);
    double *force = slip_alloc(slip_plane_unknown_count(bodies->plane), sizeof *force);
    double *load = slip_alloc(motion->count, sizeof *load);
    int status = values && force && load ? SLIP_OK : slip_fail_memory(r->ctx);
    for (int64_t i = 0; i < bodies->parameter_count && status >= 0; i++)
        values[i] = bodies->parameters[i].value;
    for (int k = 0; k < slip_plane_load_count(bodies->plane) && status >= 0; k++) {
        const slip_expression *history;
        double place[3];
        SLIP_TRY(slip_plane_load(r->ctx, bodies->plane, values, k, force, place, &history));
        slip_plane_motion_load(motion, force, load);
        for (int i = 0; i < motion->count; i++) {
            slip_expression *expression = NULL;
            if (load[i] == 0)
                continue;
            SLIP_TRY(slip_read_compose_load(r, history, place, load[i], &expression));
            SLIP_TRY(slip_system_add_force(r->ctx, r->model->system, r->given + i, expression));
        }
    }
done:
    free(values);
    free(force);
    free(load);
    return status;
}

/* The velocity of a body at the start at each of its nodes, by its coordinates. */
static int add_starts(slip_reader *r)
{
    const slip_model *bodies = r->model->bodies;
    const int count = (int)bodies->parameter_count;
    double *field = slip_alloc(slip_plane_unknown_count(bodies->plane), sizeof *field);
    double *slots = slip_alloc(slip_plane_slot_parameter + count, sizeof *slots);
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
        status = slip_plane_motion_meet(r->ctx, bodies->motion, field, r->model->initial_v + r->given);
    if (status >= 0)
        slip_plane_motion_field(bodies->motion, field, r->model->initial_v + r->n);
    for (int64_t i = r->given; i < r->n + bodies->motion->field_size && status >= 0; i++)
        if (!isfinite(r->model->initial_v[i]))
            status =
                slip_fail(r->ctx, SLIP_ERROR_MODEL, "a velocity of a body is not finite at one of its nodes");
    free(field);
    free(slots);
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
    add_matrices(r);
    if (!slip_read_field(r))
        return;
    if (bodies->train)
        slip_read_train_structure(r);
    if (r->given == 0 || bodies->train)
        r->model->mass_given = true;
    if (add_loads(r) < 0 || add_starts(r) < 0)
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

void slip_read_probe(slip_reader *r, int index, slip_output *output)
{
    const slip_model *bodies = r->model->bodies;
    const int d = slip_plane_dimension(bodies->plane);
    int body = 0, at = index / d;
    while (at >= bodies->moves[body].probe_count)
        at -= bodies->moves[body++].probe_count;
    const slip_probe *probe = &bodies->moves[body].probes[at];
    const int64_t component = d * (int64_t)nearest_node(bodies->plane, body, probe->place) + index % d;
    double *row = slip_arena_array(&r->model->arena, r->n, sizeof *row);
    char name[2 * slip_name_length_max + 8];
    snprintf(name, sizeof name, "%.60s.%.60s.%c", slip_plane_body_name(bodies->plane, body), probe->name,
             "xyz"[index % d]);
    output->name = slip_arena_string(&r->model->arena, name);
    output->row = row;
    if (!row || !output->name) {
        r->problems->memory = true;
        return;
    }
    slip_plane_motion_component(bodies->motion, bodies->plane, component, row + r->given);
    slip_read_probe_tail(r, component, &output->tail);
}
