/* Making a system: its coordinates, loads and symbols; and taking it apart. */
#include "base/shelf.h"
#include "patch/patch.h"
#include "system/field.h"
#include "system/massless/massless.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int slip_system_create(slip_context *ctx, int n, int state_count, const char *const *names,
                       slip_system **result)
{
    slip_system *system = calloc(1, sizeof *system);
    size_t square = (size_t)n * (size_t)n;
    bool complete;
    *result = NULL;
    if (!system)
        return slip_fail_memory(ctx);
    system->n = n;
    system->structure = &slip_structure_linear;
    system->state_count = state_count;
    system->names = slip_arena_array(&system->arena, n, sizeof *system->names);
    system->mass = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->damping = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->stiffness = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->inverse_mass = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->shelf = slip_arena_alloc(&system->arena, sizeof *system->shelf);
    complete = system->shelf && system->names && system->mass && system->damping && system->stiffness &&
               system->inverse_mass;
    for (int i = 0; i < n && complete; i++)
        complete = (system->names[i] = slip_arena_string(&system->arena, names[i])) != NULL;
    if (!complete) {
        slip_system_destroy(system);
        return slip_fail_memory(ctx);
    }
    for (int i = n - state_count; i < n; i++)
        system->mass[(size_t)i * (size_t)n + (size_t)i] = 1;
    *result = system;
    return SLIP_OK;
}

void slip_patch_form_free(slip_patch_form *patch)
{
    for (int part = 0; patch && part < 3; part++)
        slip_expression_destroy(patch->slip[part].rest);
    if (patch && !patch->shared)
        slip_patch_destroy(patch->law);
}

static void destroy_term(slip_force_term *term)
{
    slip_expression_destroy(term->expression);
    slip_expression_destroy(term->rest);
}

void slip_system_destroy(slip_system *system)
{
    if (!system)
        return;
    if (system->shelf)
        slip_shelf_put(system->shelf, NULL);
    for (int64_t i = 0; i < system->force_count; i++)
        destroy_term(&system->forces[i]);
    for (int64_t i = 0; i < system->contact_count; i++) {
        slip_expression_destroy(system->contacts[i].slip.rest);
        slip_expression_destroy(system->contacts[i].normal_force);
        slip_expression_destroy(system->contacts[i].gap.rest);
        for (int k = 0; k < system->contacts[i].varying_count; k++)
            slip_expression_destroy(system->contacts[i].varying[k]);
        slip_expression_destroy(system->contacts[i].creep.balance);
        slip_patch_form_free(system->contacts[i].patch);
    }
    if (system->structure->destroy)
        system->structure->destroy(system);
    for (int k = 0; system->field && k < system->field->load_count; k++)
        slip_expression_destroy(system->field->loads[k].history);
    slip_massless_destroy(system->massless);
    free(system->forces);
    free(system->contacts);
    free(system->sliders);
    slip_arena_free(&system->arena);
    free(system);
}

void slip_massless_destroy(slip_massless *to)
{
    if (!to)
        return;
    for (int i = 0; to->q && i < 3 * to->coordinates; i++)
        slip_expression_destroy(to->q[i]);
    for (int c = 0; to->contacts && c < to->contact_count; c++)
        slip_expression_destroy(to->contacts[c].force);
    slip_system_destroy(to->system);
    slip_arena_free(&to->arena);
    free(to);
}

slip_symbol *slip_system_symbols(slip_arena *arena, int n, int state_count, const char *const *names,
                                 const slip_symbol *parameters, const slip_interpolants *inputs)
{
    const int64_t input_count = inputs ? inputs->count : 0;
    int parameter_count = 0, count = 0;
    slip_symbol *symbols;
    while (parameters && parameters[parameter_count].name)
        parameter_count++;
    symbols = slip_arena_array(arena, 2 + 2 * (int64_t)n + parameter_count + input_count, sizeof *symbols);
    if (!symbols)
        return NULL;
    symbols[count++] = (slip_symbol){"t", slip_slot_time(), 0, NULL, SLIP_RATE_ONE};
    for (int i = 0; i < n; i++) {
        size_t length = strlen(names[i]);
        char *velocity = slip_arena_alloc(arena, length + 2);
        if (!velocity)
            return NULL;
        memcpy(velocity, names[i], length);
        velocity[length] = i < n - state_count ? '\'' : '\0';
        symbols[count++] =
            (slip_symbol){names[i], i < n - state_count ? slip_slot_coordinate(i) : slip_slot_velocity(n, i),
                          0, NULL, i < n - state_count ? slip_slot_velocity(n, i) : 0};
        symbols[count++] = (slip_symbol){velocity, slip_slot_velocity(n, i), 0, NULL, 0};
    }
    for (int i = 0; i < parameter_count; i++)
        symbols[count++] = (slip_symbol){parameters[i].name, -1, parameters[i].value, NULL, 0};
    for (int64_t i = 0; i < input_count; i++)
        symbols[count++] = (slip_symbol){inputs->list[i]->name, -1, 0, inputs->list[i], 0};
    return symbols;
}

bool slip_system_note(slip_system *system, const slip_expression *expression)
{
    bool time_only = true;
    if (!expression)
        return true;
    if (slip_expression_scratch(expression) > system->scratch_count)
        system->scratch_count = slip_expression_scratch(expression);
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

void slip_system_remove_force(slip_system *system, int coordinate)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < system->force_count; i++)
        if (system->forces[i].coordinate == coordinate && !system->forces[i].structural &&
            !system->forces[i].of_contact)
            destroy_term(&system->forces[i]);
        else
            system->forces[kept++] = system->forces[i];
    system->force_count = kept;
}

/* The constant coefficients of `count` slots from `first` on. */
int slip_system_coefficients(slip_context *ctx, slip_system *system, const slip_expression *expression,
                             int first, int count, double **row)
{
    int slots = 1 + 2 * system->n;
    double *point = slip_alloc(2 * (int64_t)slots + slip_expression_scratch(expression), sizeof(double));
    *row = slip_arena_array(&system->arena, count, sizeof(double));
    if (!point || !*row) {
        free(point);
        return slip_fail_memory(ctx);
    }
    slip_expression_gradient(expression, point, slots, point + slots, point + 2 * slots);
    memcpy(*row, point + slots + first, (size_t)count * sizeof(double));
    free(point);
    return SLIP_OK;
}

/* The coefficients and the rest of a term that is linear in coordinates, velocities and states. */
static int find_linear(slip_context *ctx, slip_system *system, slip_force_term *term)
{
    const int n = system->n;
    double value = 1, *row;
    int status = SLIP_OK;
    if (slip_expression_dependence(term->expression, slip_moving_slots(n)) != SLIP_LINEAR_CONSTANT)
        goto done;
    SLIP_TRY(slip_system_coefficients(ctx, system, term->expression, slip_slot_coordinate(0), 2 * n, &row));
    if (slip_expression_restrict(term->expression, slip_moving_slots(n), &term->rest) < 0) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (slip_expression_is_constant(term->rest, &value) && value == 0) {
        slip_expression_destroy(term->rest);
        term->rest = NULL;
    }
    slip_system_note(system, term->rest);
    term->linear = row;
done:
    return status;
}

int slip_system_add_force(slip_context *ctx, slip_system *system, int coordinate, slip_expression *expression)
{
    slip_force_term *term;
    double value;
    if (slip_expression_is_constant(expression, &value) && value == 0) {
        slip_expression_destroy(expression);
        return SLIP_OK;
    }
    if (!slip_array_reserve(&system->forces, &system->force_capacity, system->force_count + 1,
                            sizeof *system->forces)) {
        slip_expression_destroy(expression);
        return slip_fail_memory(ctx);
    }
    term = &system->forces[system->force_count++];
    *term = (slip_force_term){.coordinate = coordinate, .expression = expression};
    term->time_only = slip_system_note(system, expression);
    return term->time_only ? recognise(ctx, term) : find_linear(ctx, system, term);
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
