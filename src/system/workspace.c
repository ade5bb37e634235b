/* Workspaces: the memory that evaluations of a system write, one for each thread. */
#include "system/detector.h"
#include "system/field.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdlib.h>

/* Memory for a mass matrix that varies. */
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

/* Numbers, then what is of other kinds. */
static bool make_room(const slip_system *system, slip_workspace *work)
{
    const int64_t n = system->n, slots = 1 + 2 * n, contacts = system->contact_count,
                  patches = system->patch_count, most = 2 * contacts + 3 * patches + 1;
    const slip_portion numbers[] = {{&work->slots, slots + system->switch_count},
                                    {&work->scratch, system->scratch_count},
                                    {&work->force, n},
                                    {&work->gradient, 2 * slots},
                                    {&work->matrix, 2 * n * n + 4 * n},
                                    {&work->loads, n},
                                    {&work->memory, 4 * (int64_t)system->state_count},
                                    {&work->patch_friction, 3 * patches},
                                    {&work->patch_rows, 3 * n * patches},
                                    {&work->patch_gradients, 5 * slots},
                                    {&work->patch_mu, patches},
                                    {&work->gap_rows, n * contacts},
                                    {&work->tangent, n},
                                    {&work->along, slots},
                                    {&work->drift, slots + n},
                                    {&work->rows, most * n},
                                    {&work->responses, most * n},
                                    {&work->gram, most * most},
                                    {&work->multipliers, 2 * most},
                                    {&work->scales, most}};
    slip_arena *arena = &work->arena;
    work->contacts = slip_arena_array(arena, contacts + 1, sizeof *work->contacts);
    work->patches = slip_arena_array(arena, patches + 1, sizeof *work->patches);
    work->laws = slip_arena_array(arena, system->varying_laws ? contacts : 1, sizeof *work->laws);
    work->field = slip_arena_array(arena, 2 * (slip_system_size(system) - n), sizeof *work->field);
    work->constraints = slip_arena_array(arena, 2 * most, sizeof(int));
    work->kept = slip_arena_array(arena, most, sizeof *work->kept);
    if (!slip_arena_divide(arena, sizeof numbers / sizeof *numbers, numbers) || !work->contacts ||
        !work->patches || !work->laws || !work->field || !work->constraints || !work->kept)
        return false;
    work->pivots = work->constraints + most;
    return !system->varying_mass || make_place(system, work);
}

int slip_workspace_create(slip_context *ctx, const slip_system *system, slip_workspace **result)
{
    slip_workspace *work = calloc(1, sizeof *work);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, work));
    work->load_time = NAN;
    work->inverse_mass = system->inverse_mass;
    work->mass_structure = system->mass_structure;
    if (!make_room(system, work) || !slip_share_create(ctx, system, work) ||
        !slip_system_start_laws(system, work) || !slip_detectors_open(system, work)) {
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
    slip_detectors_close(work);
    slip_field_close_elastic(work);
    slip_arena_free(&work->arena);
    free(work);
}
