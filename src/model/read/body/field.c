/* Whole bodies: their displacements are the field of the system (system/field.h). */
#include "system/field.h"
#include "fem/explicit/body.h"
#include "flex/plane_motion.h"
#include "model/read/read.h"

#include <string.h>

static bool note_memory(slip_reader *r)
{
    r->problems->memory = true;
    return false;
}

/* Matrices of the motion, which the model of the bodies owns. */
static bool take_bodies(slip_reader *r, slip_field *field)
{
    const slip_model *bodies = r->model->bodies;
    const slip_plane_motion *motion = bodies->motion;
    field->bodies = slip_arena_array(&r->model->arena, motion->body_count, sizeof *field->bodies);
    if (!field->bodies)
        return note_memory(r);
    for (int b = 0; b < motion->body_count; b++) {
        const slip_body_motion *own = &bodies->moves[b];
        if (motion->bodies[b])
            continue;
        if (own->ratio > 0)
            return slip_problem(
                r->problems, slip_read_child(r->root, "bodies"),
                "body `%s`: damping: ratio is that of eigenmodes, which a whole body does not have; "
                "expected mass and stiffness, or `reduce: {modes: 20}`",
                slip_plane_body_name(bodies->plane, b));
        field->bodies[field->body_count++] =
            (slip_field_body){.name = slip_plane_body_name(bodies->plane, b),
                              .first = motion->first_field[b],
                              .size = motion->masses[b]->size,
                              .mass = motion->masses[b],
                              .lumps = motion->lumps[b],
                              .elastic = motion->bricks[b] ? &slip_brick_elastic : NULL,
                              .of = motion->bricks[b],
                              .stiffness = motion->stiffnesses[b],
                              .dashpots = motion->dashpots[b],
                              .group = motion->groups[b],
                              .damping = {own->damping[0], own->damping[1]},
                              .turn_mass = motion->turn_mass[b],
                              .turn = slip_read_turn_of(r, b)};
    }
    return true;
}

static int take_loads(slip_reader *r, slip_field *field)
{
    const slip_model *bodies = r->model->bodies;
    const int count = slip_plane_load_count(bodies->plane);
    SLIP_FREED double *values = slip_alloc(bodies->parameter_count, sizeof *values);
    SLIP_FREED double *all = slip_alloc(slip_plane_unknown_count(bodies->plane), sizeof *all);
    int status = values && all ? SLIP_OK : slip_fail_memory(r->ctx);
    field->loads = slip_arena_array(&r->model->arena, count, sizeof *field->loads);
    if (!field->loads)
        status = slip_fail_memory(r->ctx);
    for (int64_t i = 0; i < bodies->parameter_count && status >= 0; i++)
        values[i] = bodies->parameters[i].value;
    for (int k = 0; k < count && status >= 0; k++) {
        slip_field_load *load = &field->loads[k];
        double *force = slip_arena_array(&r->model->arena, field->size, sizeof *force), place[3];
        const slip_expression *history;
        SLIP_PASS(status = slip_allocated(r->ctx, force));
        SLIP_PASS(status = slip_plane_load(r->ctx, bodies->plane, values, k, all, place, &history));
        slip_plane_motion_field(bodies->motion, all, force);
        load->force = force;
        field->load_count++;
        if (history)
            SLIP_PASS(status = slip_read_compose_load(r, history, place, 1, &load->history));
    }
    return status;
}

/* Enlarges an array of coordinates and states for `more` entries. */
static bool lengthen(slip_reader *r, int64_t more, double **numbers)
{
    double *longer = slip_arena_array(&r->model->arena, r->n + more, sizeof *longer);
    if (!longer)
        return note_memory(r);
    if (r->n > 0)
        memcpy(longer, *numbers, (size_t)r->n * sizeof *longer);
    *numbers = longer;
    return true;
}

bool slip_read_field(slip_reader *r)
{
    slip_field field = {.size = r->model->bodies->motion->field_size};
    if (field.size == 0)
        return true;
    if (!take_bodies(r, &field) || !lengthen(r, field.size, &r->model->initial_q) ||
        !lengthen(r, field.size, &r->model->initial_v))
        return false;
    const int status = take_loads(r, &field);
    if (status >= 0 && slip_system_set_field(r->ctx, r->model->system, &field) >= 0)
        return true;
    for (int k = 0; status < 0 && k < field.load_count; k++)
        slip_expression_destroy(field.loads[k].history);
    return slip_problem(r->problems, slip_read_child(r->root, "bodies"), "%s", slip_context_message(r->ctx));
}

void slip_read_probe_tail(slip_reader *r, int64_t component, slip_tail *tail)
{
    const slip_model *bodies = r->model->bodies;
    const int64_t unknown = slip_plane_unknown(bodies->plane, component),
                  place = unknown < 0 ? -1 : slip_plane_motion_place(bodies->motion, unknown);
    int64_t *at = slip_arena_array(&r->model->arena, 1, sizeof *at);
    double *value = slip_arena_array(&r->model->arena, 1, sizeof *value);
    if (!at || !value) {
        note_memory(r);
        return;
    }
    *at = place;
    *value = 1;
    *tail = (slip_tail){place >= 0, at, value};
}
