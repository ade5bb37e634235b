/* What an evaluation writes: made for a system, one for each thread. */
#include "system/share.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdlib.h>

/* Of a mass matrix that varies. */
static bool make_place(const slip_system *system, slip_workspace *work)
{
    const int64_t n = system->n;
    work->mass = slip_arena_array(&work->arena, 4 * n * n + n, sizeof(double));
    if (!work->mass)
        return false;
    work->inverse_mass = work->own_inverse = work->mass + n * n;
    work->mass_structure = work->own_structure = work->own_inverse + n * n;
    work->placed = work->own_structure + 2 * n * n;
    work->placed_at = NAN;
    return true;
}

int slip_workspace_create(slip_context *ctx, const slip_system *system, slip_workspace **result)
{
    slip_workspace *work = calloc(1, sizeof *work);
    int64_t n = system->n, slots = 1 + 2 * n;
    *result = NULL;
    if (!work)
        return slip_fail_memory(ctx);
    work->slots = slip_arena_array(&work->arena, slots + system->switch_count, sizeof(double));
    work->scratch = slip_arena_array(&work->arena, system->scratch_count + 1, sizeof(double));
    work->force = slip_arena_array(&work->arena, n, sizeof(double));
    work->gradient = slip_arena_array(&work->arena, 2 * slots, sizeof(double));
    work->matrix = slip_arena_array(&work->arena, 2 * n * n + 4 * n, sizeof(double));
    work->contacts = slip_arena_array(&work->arena, system->contact_count + 1, sizeof *work->contacts);
    work->loads = slip_arena_array(&work->arena, n, sizeof(double));
    work->memory = slip_arena_array(&work->arena, 4 * (int64_t)system->state_count + 1, sizeof(double));
    work->patches = slip_arena_array(&work->arena, system->patch_count + 1, sizeof *work->patches);
    work->patch_friction = slip_arena_array(&work->arena, 3 * system->patch_count + 1, sizeof(double));
    work->patch_rows = slip_arena_array(&work->arena, 3 * n * system->patch_count + 1, sizeof(double));
    work->patch_gradients = slip_arena_array(&work->arena, 5 * slots, sizeof(double));
    work->patch_mu = slip_arena_array(&work->arena, system->patch_count + 1, sizeof(double));
    work->laws =
        slip_arena_array(&work->arena, system->varying_laws ? system->contact_count : 1, sizeof *work->laws);
    work->gap_rows = slip_arena_array(&work->arena, n * system->contact_count + 1, sizeof(double));
    work->tangent = slip_arena_array(&work->arena, n, sizeof(double));
    work->along = slip_arena_array(&work->arena, slots, sizeof(double));
    work->drift = slip_arena_array(&work->arena, slots + n, sizeof(double));
    work->field = slip_arena_array(&work->arena, slip_system_size(system) - n, sizeof *work->field);
    work->load_time = NAN;
    work->inverse_mass = system->inverse_mass;
    work->mass_structure = system->mass_structure;
    if (system->varying_mass && !make_place(system, work)) {
        slip_workspace_destroy(work);
        return slip_fail_memory(ctx);
    }
    int64_t most = 2 * system->contact_count + 3 * system->patch_count + 1;
    work->rows = slip_arena_array(&work->arena, most * n, sizeof(double));
    work->responses = slip_arena_array(&work->arena, most * n, sizeof(double));
    work->gram = slip_arena_array(&work->arena, most * most, sizeof(double));
    work->multipliers = slip_arena_array(&work->arena, 2 * most, sizeof(double));
    work->constraints = slip_arena_array(&work->arena, 2 * most, sizeof(int));
    work->pivots = work->constraints + most;
    work->scales = slip_arena_array(&work->arena, most, sizeof(double));
    work->kept = slip_arena_array(&work->arena, most, sizeof *work->kept);
    if (!work->scales || !work->kept || !work->slots || !work->scratch || !work->force || !work->gradient ||
        !work->matrix || !work->contacts || !work->loads || !work->memory || !work->rows ||
        !work->responses || !work->gram || !work->multipliers || !work->constraints || !work->patches ||
        !work->patch_rows || !work->patch_friction || !work->patch_gradients || !work->patch_mu ||
        !work->laws || !work->field || !work->gap_rows || !work->tangent || !work->along || !work->drift ||
        !slip_share_create(ctx, system, work) || !slip_system_start_laws(system, work)) {
        slip_workspace_destroy(work);
        return slip_fail_memory(ctx);
    }
    if (system->structure->open) {
        const int status = system->structure->open(ctx, system, work);
        if (status < 0) {
            slip_workspace_destroy(work);
            return status;
        }
        work->structure = system->structure;
    }
    *result = work;
    return SLIP_OK;
}

void slip_workspace_destroy(slip_workspace *work)
{
    if (!work)
        return;
    if (work->structure)
        work->structure->close(work);
    slip_arena_free(&work->arena);
    free(work);
}
