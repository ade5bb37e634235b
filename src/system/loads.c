/* Loads of a system, and what it has to know of the expressions of all its parts. */
#include "system/system.h"

#include <string.h>

void slip_force_free(slip_force_term *term)
{
    slip_expression_destroy(term->expression);
    slip_expression_destroy(term->rest);
}

bool slip_system_note(slip_system *system, const slip_expression *expression)
{
    bool time_only = true;
    if (!expression)
        return true;
    system->scratch_count = slip_expression_most_scratch(system->scratch_count, expression);
    for (int slot = 1; slot <= 2 * system->n; slot++)
        time_only &= !slip_expression_reads(expression, slot);
    system->reads_state |= !time_only;
    return time_only;
}

/* Finds out whether a load is a single harmonic, which has a quicker form. */
static int recognise(slip_context *ctx, slip_force_term *term)
{
    slip_harmonic wave;
    const int count =
        term->time_only ? slip_expression_harmonics(term->expression, slip_slot_time(), &wave, 1) : 0;
    if (count == SLIP_ERROR_MEMORY)
        return slip_fail_memory(ctx);
    if (count != 1 || wave.power != 0 || (wave.cosine != 0 && wave.sine != 0))
        return SLIP_OK;
    term->form = wave.cosine != 0 ? SLIP_LOAD_COSINE : SLIP_LOAD_SINE;
    term->amplitude = wave.cosine + wave.sine;
    term->frequency = wave.frequency;
    return SLIP_OK;
}

/* The constant coefficients of `count` slots from `first` on. */
int slip_system_coefficients(slip_context *ctx, slip_system *system, const slip_expression *expression,
                             int first, int count, double **row)
{
    int slots = 1 + 2 * system->n;
    SLIP_FREED double *point =
        slip_alloc(2 * (int64_t)slots + slip_expression_scratch(expression), sizeof(double));
    *row = slip_arena_array(&system->arena, count, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, point && *row));
    slip_expression_gradient(expression, point, slots, point + slots, point + 2 * slots);
    memcpy(*row, point + slots + first, (size_t)count * sizeof(double));
    return SLIP_OK;
}

/* The coefficients and the rest of a term that is linear in coordinates, velocities and states. */
static int find_linear(slip_context *ctx, slip_system *system, slip_force_term *term)
{
    const int n = system->n;
    double value = 1, *row;
    if (slip_expression_dependence(term->expression, slip_moving_slots(n)) != SLIP_LINEAR_CONSTANT)
        return SLIP_OK;
    SLIP_PASS(slip_system_coefficients(ctx, system, term->expression, slip_slot_coordinate(0), 2 * n, &row));
    if (slip_expression_restrict(term->expression, slip_moving_slots(n), &term->rest) < 0)
        return slip_fail_memory(ctx);
    if (slip_expression_is_constant(term->rest, &value) && value == 0) {
        slip_expression_destroy(term->rest);
        term->rest = NULL;
    }
    slip_system_note(system, term->rest);
    term->linear = row;
    return SLIP_OK;
}

int slip_system_add_force(slip_context *ctx, slip_system *system, int coordinate, slip_expression *expression)
{
    double value;
    if (slip_expression_is_constant(expression, &value) && value == 0) {
        slip_expression_destroy(expression);
        return SLIP_OK;
    }
    if (!SLIP_ROOM(system->forces, system->force_capacity, system->force_count + 1)) {
        slip_expression_destroy(expression);
        return slip_fail_memory(ctx);
    }
    slip_force_term *term = &system->forces[system->force_count++];
    *term = (slip_force_term){.coordinate = coordinate, .expression = expression};
    term->time_only = slip_system_note(system, expression);
    return term->time_only ? recognise(ctx, term) : find_linear(ctx, system, term);
}

int slip_system_set_force(slip_context *ctx, slip_system *system, int coordinate, slip_expression *expression)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < system->force_count; i++)
        if (system->forces[i].coordinate == coordinate && system->forces[i].set)
            slip_force_free(&system->forces[i]);
        else
            system->forces[kept++] = system->forces[i];
    system->force_count = kept;
    SLIP_PASS(slip_system_add_force(ctx, system, coordinate, expression));
    if (system->force_count > kept)
        system->forces[kept].set = true;
    return SLIP_OK;
}

int slip_system_add_push(slip_context *ctx, slip_system *system, slip_expression *normal_force,
                         const double *row)
{
    const int64_t before = system->force_count;
    const int n = system->n;
    double *own = slip_arena_array(&system->arena, n, sizeof *own);
    int first = 0;
    if (!own) {
        slip_expression_destroy(normal_force);
        return slip_fail_memory(ctx);
    }
    memcpy(own, row, (size_t)n * sizeof *own);
    while (first + 1 < n && row[first] == 0)
        first++;
    const int status = slip_system_add_force(ctx, system, first, normal_force);
    for (int64_t k = before; k < system->force_count; k++) {
        system->forces[k].row = own;
        system->forces[k].of_contact = true;
    }
    return status;
}
