/* Making a system and taking it apart; the symbols of its expressions. */
#include "base/shelf.h"
#include "system/detector.h"
#include "system/field.h"
#include "system/massless/massless.h"
#include "system/structure/structure.h"

#include <stdlib.h>
#include <string.h>

int slip_system_create(slip_context *ctx, int n, int state_count, const char *const *names,
                       slip_system **result)
{
    slip_system *system = calloc(1, sizeof *system);
    size_t square = (size_t)n * (size_t)n;
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, system));
    system->n = n;
    system->structure = &slip_structure_linear;
    system->state_count = state_count;
    system->names = slip_arena_array(&system->arena, n, sizeof *system->names);
    system->mass = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->damping = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->stiffness = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->inverse_mass = slip_arena_alloc(&system->arena, square * sizeof(double));
    system->shelf = slip_arena_alloc(&system->arena, sizeof *system->shelf);
    bool complete = system->shelf && system->names && system->mass && system->damping && system->stiffness &&
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

void slip_system_destroy(slip_system *system)
{
    if (!system)
        return;
    if (system->shelf)
        slip_shelf_put(system->shelf, NULL);
    for (int64_t i = 0; i < system->force_count; i++)
        slip_force_free(&system->forces[i]);
    for (int64_t i = 0; i < system->contact_count; i++)
        slip_contact_free(&system->contacts[i]);
    if (system->structure->destroy)
        system->structure->destroy(system);
    for (int k = 0; system->field && k < system->field->load_count; k++)
        slip_expression_destroy(system->field->loads[k].history);
    slip_massless_destroy(system->massless);
    slip_detectors_destroy(system);
    free(system->forces);
    free(system->contacts);
    free(system->gaps);
    free(system->vectors);
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
    while (parameters && parameters[parameter_count].name)
        parameter_count++;
    slip_symbol *symbols =
        slip_arena_array(arena, 2 + 2 * (int64_t)n + parameter_count + input_count, sizeof *symbols);
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
