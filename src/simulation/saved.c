/* States of a simulation that are kept. */
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct slip_saved_state {
    slip_arena arena;
    int n, contacts;
    const slip_model *model;
    double t, *q, *v;
    slip_method_memory memory;
    slip_values *values;
    bool forget;
};

void slip_saved_state_destroy(slip_saved_state *state)
{
    if (!state)
        return;
    slip_values_destroy(state->values);
    slip_arena_free(&state->arena);
    free(state);
}

static void copy_state(int n, int contacts, double *q, double *v, slip_method_memory *to,
                       const double *from_q, const double *from_v, const slip_method_memory *from)
{
    memcpy(q, from_q, (size_t)n * sizeof(double));
    memcpy(v, from_v, (size_t)n * sizeof(double));
    memcpy(to->modes, from->modes, (size_t)contacts * sizeof *to->modes);
    memcpy(to->known, from->known, (size_t)contacts * sizeof *to->known);
    memcpy(to->gaps, from->gaps, (size_t)contacts * sizeof *to->gaps);
}

int slip_simulation_save(slip_context *ctx, slip_simulation *s, slip_saved_state **result)
{
    if (result)
        *result = NULL;
    SLIP_NEED(ctx, s, result);
    slip_saved_state *state = NULL;
    int status;
    SLIP_TRY(slip_simulation_check(ctx, s, "slip_simulation_save", 0));
    state = slip_alloc(1, sizeof *state);
    if (!state)
        return slip_fail_memory(ctx);
    state->model = s->model;
    state->n = s->ready->system->n;
    state->contacts = (int)s->ready->system->contact_count;
    state->q = slip_arena_array(&state->arena, state->n, sizeof(double));
    state->v = slip_arena_array(&state->arena, state->n, sizeof(double));
    state->memory.modes = slip_arena_array(&state->arena, state->contacts, sizeof *state->memory.modes);
    state->memory.known = slip_arena_array(&state->arena, state->contacts, sizeof *state->memory.known);
    state->memory.gaps = slip_arena_array(&state->arena, state->contacts, sizeof *state->memory.gaps);
    if (!state->q || !state->v || !state->memory.modes || !state->memory.known || !state->memory.gaps) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    if (s->values)
        SLIP_TRY(slip_values_copy(ctx, s->values, &state->values));
    state->t = s->t;
    state->forget = s->forget;
    copy_state(state->n, state->contacts, state->q, state->v, &state->memory, s->q, s->v, &s->memory);
    s->reopen = true; /* so that both go on alike */
    *result = state;
    state = NULL;
done:
    slip_saved_state_destroy(state);
    return status;
}

int slip_simulation_restore(slip_context *ctx, slip_simulation *s, const slip_saved_state *state)
{
    SLIP_NEED(ctx, s, state);
    slip_values *values = NULL;
    int status;
    SLIP_TRY(slip_simulation_check(ctx, s, "slip_simulation_restore", 0));
    if (state->model != s->model)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "slip_simulation_restore: found a state of another model, expected one of the same");
    if (state->values)
        SLIP_TRY(slip_values_copy(ctx, state->values, &values));
    s->rebind = s->rebind || s->values || values;
    if (s->rebind && !values)
        SLIP_TRY(slip_values_create(ctx, s->model, &values));
    slip_values_destroy(s->values);
    s->values = values;
    s->t = state->t;
    s->forget = state->forget;
    copy_state(state->n, state->contacts, s->q, s->v, &s->memory, state->q, state->v, &state->memory);
    s->reopen = true;
    s->sampled_at = s->stopped_at = NAN;
done:
    return status;
}
