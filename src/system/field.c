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

const slip_field_body *slip_field_find_large(const slip_system *system)
{
    for (int b = 0; system->field && b < system->field->body_count; b++)
        if (system->field->bodies[b].elastic)
            return &system->field->bodies[b];
    return NULL;
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

void slip_field_add_energies(const slip_system *system, slip_workspace *work, const double *q,
                             const double *v, double *kinetic, double *potential)
{
    const slip_field *field = system->field;
    for (int b = 0; b < field->body_count; b++) {
        const slip_field_body *body = &field->bodies[b];
        const int64_t first = system->n + body->first;
        *kinetic += 0.5 * slip_sparse_form(body->mass, v + first, work->field);
        *potential += 0.5 * slip_sparse_form(body->stiffness, q + first, work->field);
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
            sum += body->damping[0] * slip_sparse_form(body->mass, v + body->first, work->field);
        if (body->damping[1] != 0)
            sum += body->damping[1] * slip_sparse_form(body->stiffness, v + body->first, work->field);
        if (body->dashpots)
            sum += slip_sparse_form(body->dashpots, v + body->first, work->field);
    }
    return sum;
}

/* ---- With lumped masses. */

/* The instances of elastic forces of a workspace, ended by one with body NULL. */
struct slip_field_state {
    const slip_field_body *of;
    void *self;
};

int slip_field_open_elastic(slip_context *ctx, const slip_system *system, slip_workspace *work, int threads)
{
    const slip_field *field = system->field;
    if (work->elastic)
        return SLIP_OK;
    work->elastic = slip_arena_array(&work->arena, field->body_count + 1, sizeof *work->elastic);
    SLIP_PASS(slip_allocated(ctx, work->elastic));
    struct slip_field_state *state = work->elastic;
    for (int b = 0; b < field->body_count; b++) {
        const slip_field_body *body = &field->bodies[b];
        if (!body->elastic)
            continue;
        SLIP_PASS(body->elastic->open(ctx, body->of, threads, &state->self));
        state++->of = body;
    }
    return SLIP_OK;
}

void slip_field_close_elastic(slip_workspace *work)
{
    for (struct slip_field_state *state = work->elastic; state && state->of; state++)
        state->of->elastic->close(state->self);
}

static void *find_state(const slip_workspace *work, const slip_field_body *body)
{
    const struct slip_field_state *state = work->elastic;
    while (state->of != body)
        state++;
    return state->self;
}

void slip_field_elastic_forces(slip_workspace *work, const slip_field_body *body, const double *displacement,
                               double *force, double *energy)
{
    if (body->elastic) {
        body->elastic->forces(find_state(work, body), displacement, force, energy);
        return;
    }
    slip_sparse_multiply(body->stiffness, displacement, force);
    if (energy)
        *energy = 0.5 * slip_dot(body->size, displacement, force);
}

/* The start vector of power iteration: a fixed sequence with components along all eigenvectors. */
static void begin_iteration(int64_t size, double *x)
{
    uint64_t seed = 1;
    for (int64_t i = 0; i < size; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
}

int slip_field_find_eigenvalue(slip_context *ctx, slip_workspace *work, const slip_field_body *body,
                               double *eigenvalue)
{
    enum { turns = 1000, watched = 10 };
    double *x = work->field, *y = work->field + body->size, found = 0, before = 0;
    if (body->elastic)
        return body->elastic->eigenvalue(ctx, find_state(work, body), eigenvalue);
    begin_iteration(body->size, x);
    for (int turn = 1; turn <= turns; turn++) {
        double square = 0;
        SLIP_PASS(slip_interrupt_check(ctx));
        for (int64_t i = 0; i < body->size; i++)
            square += body->lumps[i] * x[i] * x[i];
        slip_sparse_multiply(body->stiffness, x, y);
        found = slip_dot(body->size, x, y) / square;
        for (int64_t i = 0; i < body->size; i++)
            x[i] = y[i] / (body->lumps[i] * found);
        if (turn % watched == 0) {
            if (found - before < 1e-3 * found)
                break;
            before = found;
        }
    }
    *eigenvalue = 1.02 * found;
    return SLIP_OK;
}

/* With x_+- = q +- h/2 v: U = (U_+ + U_-)/2 - (x_+ - x_-) . (F_+ - F_-)/4. In central differences the force
 * at x between two steps does half of the work (x_1 - x_-1) . F in either step; U changes by this work up to
 * third order in the displacement of a step, and exactly for linear F. */
static double potential_of(slip_workspace *work, const slip_field_body *body, double h, const double *q,
                           const double *v)
{
    double *x = work->field, *force = work->field + body->size, energy, sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        for (int64_t i = 0; i < body->size; i++)
            x[i] = q[i] + side * 0.5 * h * v[i];
        slip_field_elastic_forces(work, body, x, force, &energy);
        sum += 0.5 * energy - side * 0.25 * h * slip_dot(body->size, v, force);
    }
    return sum;
}

void slip_field_add_lumped_energies(const slip_system *system, slip_workspace *work, double h,
                                    const double *q, const double *v, double *kinetic, double *potential)
{
    const slip_field *field = system->field;
    for (int b = 0; b < field->body_count; b++) {
        const slip_field_body *body = &field->bodies[b];
        const int64_t first = system->n + body->first;
        for (int64_t i = 0; i < body->size; i++)
            *kinetic += 0.5 * body->lumps[i] * v[first + i] * v[first + i];
        *potential += potential_of(work, body, h, q + first, v + first);
    }
}
