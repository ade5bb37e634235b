/* Bodies that move: the separate model of the bodies.
 *
 * The bodies and their surfaces form a separate model, which is read like one for statics, from a tree with
 * only the sections that it needs. The coordinates of the bodies are computed from its matrices (motion.c).
 */
#include "flex/plane_motion.h"
#include "model/read/read.h"

/* Dense matrices of more coordinates take too long to step with. */
enum { motion_coordinates_max = 1000 };

bool slip_read_moves(const slip_reader *r)
{
    return slip_read_child(r->root, "bodies") && !slip_read_child(r->root, "gears") &&
           (slip_tree_find(r->root, "simulate") || slip_tree_find(r->root, "coordinates"));
}

static slip_tree *surfaces_alone(slip_arena *arena, const slip_tree *contacts)
{
    slip_tree *copy = slip_tree_mapping(arena);
    for (int i = 0; copy && contacts->kind == SLIP_TREE_MAPPING && i < contacts->count; i++)
        if (slip_read_kind_is(slip_tree_value(contacts, i), SLIP_KIND_OF_BODIES) &&
            !slip_tree_append(arena, copy, slip_tree_key(contacts, i), slip_tree_value(contacts, i)))
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
        complete = complete && slip_tree_put(arena, tree, "parameters", slip_tree_clone(arena, parameters));
    if (contacts)
        complete = complete && slip_tree_put(arena, tree, "contacts", surfaces_alone(arena, contacts));
    return complete ? tree : NULL;
}

/* Its sections: what statics has. */
static void read_sections(slip_reader *own)
{
    own->model->of_bodies = own->model->in_motion = true;
    if (slip_model_set_coordinates(own->ctx, own->model, 0, 0, NULL) < 0)
        own->problems->memory = true;
    slip_read_parameters(own);
    if (slip_problems_full(own->problems))
        return;
    slip_read_bodies(own);
    slip_read_contacts(own);
    own->model->finished = true;
}

static int read_alone(slip_reader *r, slip_model **bodies)
{
    slip_reader own = {.ctx = r->ctx, .problems = r->problems};
    SLIP_PASS(slip_model_allocate(r->ctx, bodies));
    own.model = *bodies;
    own.root = bodies_alone(&(*bodies)->arena, r->root);
    SLIP_PASS(slip_allocated(r->ctx, own.root));
    own.model->document = own.root;
    own.model->file = (char *)r->problems->file;
    read_sections(&own);
    return SLIP_OK;
}

/* Bound to the values of this model, which has the same parameters. */
static int bind_alone(slip_reader *r, slip_model **bodies)
{
    const slip_model *origin = r->model->origin->bodies;
    slip_reader own = {.ctx = r->ctx, .problems = r->problems};
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_values_create(r->ctx, origin, &values));
    for (int i = 0; i < (int)origin->parameter_count; i++)
        if (slip_values_are_set(r->values, i))
            SLIP_PASS(
                slip_values_set(r->ctx, values, origin->parameters[i].name, slip_values_at(r->values, i)));
    status = slip_reader_bind(&own, origin, values);
    *bodies = own.model;
    if (status >= 0)
        read_sections(&own);
    return status;
}

/* The reduction that replaces a whole body; one with few unknowns gets all its eigenmodes. */
static slip_reduction_options reduce_whole(const slip_reader *r, int64_t size)
{
    enum { dense_most = 300 };
    const int64_t most = size / 4;
    return (slip_reduction_options){.modes = size <= dense_most             ? 0
                                             : r->model->whole_modes < most ? r->model->whole_modes
                                                                            : most,
                                    .loads = true};
}

/* Makes coordinates and matrices of the bodies. before: the motion with whole bodies not reduced, else NULL.
 */
static int make_motion(slip_reader *r, slip_model *bodies, const slip_plane_motion *before)
{
    const int count = slip_plane_body_count(bodies->plane);
    SLIP_FREED slip_reduction_options *options = slip_alloc(count, sizeof *options);
    SLIP_FREED slip_turn *turns = slip_alloc(count, sizeof *turns);
    SLIP_FREED double *values = slip_alloc(bodies->parameter_count, sizeof *values);
    int status = options && turns && values ? SLIP_OK : slip_fail_memory(r->ctx);
    for (int b = 0; b < count && status >= 0; b++) {
        options[b] = before && !before->bodies[b] ? reduce_whole(r, before->masses[b]->size)
                                                  : bodies->moves[b].reduction;
        if (before && options[b].contact == SLIP_REDUCTION_CONDENSED)
            options[b].contact = SLIP_REDUCTION_ATTACHMENT;
        turns[b] = bodies->moves[b].rotation;
    }
    for (int64_t i = 0; i < bodies->parameter_count && status >= 0; i++)
        values[i] = bodies->parameters[i].value;
    bodies->motion = NULL;
    bodies->motion_shared = false;
    if (status >= 0)
        status = slip_plane_motion_create(r->ctx, bodies->plane, values, options, turns,
                                          r->model->origin ? r->model->origin->bodies->motion : NULL,
                                          &bodies->motion);
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
    r->model->whole_modes = r->model->origin ? r->model->origin->whole_modes : r->whole_modes;
    if (status >= 0 && !bodies->motion) { /* else they are those of the origin, and as reduced as these */
        status = make_motion(r, bodies, NULL);
        if (status >= 0 && r->model->whole_modes > 0) {
            slip_plane_motion *whole = bodies->motion;
            status = make_motion(r, bodies, whole);
            slip_plane_motion_destroy(whole);
        }
    }
    if (status < 0)
        return slip_problem(r->problems, section, "%s", slip_context_message(r->ctx));
    if (bodies->train && !slip_read_train(r, bodies))
        return false;
    if (bodies->motion->count > motion_coordinates_max)
        return slip_problem(
            r->problems, section,
            "the bodies have %d coordinates, expected at most %d: `reduce: {modes: 20}` leaves fewer",
            bodies->motion->count, motion_coordinates_max);
    return true;
}
