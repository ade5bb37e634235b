#include "system/field.h"

#include "math/vector.h"

#include <string.h>

int slip_system_set_field(slip_context *ctx, slip_system *system, const slip_field *field)
{
    slip_field *own = slip_arena_alloc(&system->arena, sizeof *own);
    if (!own) {
        for (int k = 0; k < field->load_count; k++)
            slip_expression_destroy(field->loads[k].history);
        return slip_fail_memory(ctx);
    }
    *own = *field;
    for (int k = 0; k < own->load_count; k++)
        slip_system_note(system, own->loads[k].history);
    system->field = own;
    system->field_size = own->size;
    return SLIP_OK;
}

void slip_field_add_turn(const slip_system *system, const slip_field_body *body, double factor,
                         const double *x, double *to)
{
    const int64_t first = system->n + body->first;
    if (!body->turn_mass)
        return;
    to[body->turn] += factor * slip_dot(body->size, body->turn_mass, x + first);
    for (int64_t i = 0; i < body->size; i++)
        to[first + i] += factor * x[body->turn] * body->turn_mass[i];
}

void slip_field_find_loads(const slip_system *system, slip_workspace *work, double t, double *force)
{
    const slip_field *field = system->field;
    memset(force, 0, (size_t)field->size * sizeof *force);
    work->slots[slip_slot_time()] = t;
    for (int k = 0; k < field->load_count; k++) {
        const slip_field_load *load = &field->loads[k];
        const double s = load->history ? slip_expression_value(load->history, work->slots, work->scratch) : 1;
        for (int64_t i = 0; i < field->size; i++)
            force[i] += s * load->force[i];
    }
}

/* x . A x, A of a body. */
static double form(const slip_sparse *matrix, const double *x, double *scratch)
{
    slip_sparse_multiply(matrix, x, scratch);
    return slip_dot(matrix->size, x, scratch);
}

void slip_field_add_energies(const slip_system *system, slip_workspace *work, const double *q,
                             const double *v, double *kinetic, double *potential)
{
    const slip_field *field = system->field;
    for (int b = 0; b < field->body_count; b++) {
        const slip_field_body *body = &field->bodies[b];
        const int64_t first = system->n + body->first;
        *kinetic += 0.5 * form(body->mass, v + first, work->field);
        *potential += 0.5 * form(body->stiffness, q + first, work->field);
        if (body->turn_mass)
            *kinetic += v[body->turn] * slip_dot(body->size, body->turn_mass, v + first);
    }
}

double slip_field_power(const slip_system *system, slip_workspace *work, double t, const double *v)
{
    slip_field_find_loads(system, work, t, work->field);
    return slip_dot(system->field_size, work->field, v);
}

double slip_field_dissipation(const slip_system *system, slip_workspace *work, const double *v)
{
    const slip_field *field = system->field;
    double sum = 0;
    for (int b = 0; b < field->body_count; b++) {
        const slip_field_body *body = &field->bodies[b];
        if (body->damping[0] != 0)
            sum += body->damping[0] * form(body->mass, v + body->first, work->field);
        if (body->damping[1] != 0)
            sum += body->damping[1] * form(body->stiffness, v + body->first, work->field);
        if (body->dashpots)
            sum += form(body->dashpots, v + body->first, work->field);
    }
    return sum;
}
