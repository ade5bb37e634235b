/* Sets of states of rest in stick: two states are of one set where contacts stick all along the straight line
 * between them. Where the structure is linear a set is convex, one for each combination of modes. */
#include "method/exact/exact.h"
#include "simulation/simulation.h"
#include "study/basin/basin.h"

#include <math.h>
#include <stdlib.h>

const slip_model *slip_basin_one_model(slip_context *ctx, const slip_sweep_info *info)
{
    const slip_model *model = info->model;
    slip_axis_place place;
    for (int k = 0; model && k < info->axis_count; k++)
        if (slip_axis_check(ctx, model, &info->axes[k], &place) < 0 || place.kind == SLIP_AXIS_PARAMETER)
            model = NULL;
    slip_context_clear(ctx);
    return model;
}

int slip_basin_open_sets(slip_context *ctx, const slip_sweep_info *info, slip_basin_sets *sets)
{
    const slip_model *model = slip_basin_one_model(ctx, info);
    const slip_run_options *run = info->run;
    const slip_system *system;
    int status = SLIP_OK;
    if (!model || slip_system_coordinates(model->system) == 0)
        return SLIP_OK;
    status = slip_exact_applies(model->system, NULL, 0);
    SLIP_PASS(slip_allocated(ctx, status >= 0));
    if (status > 0)
        return SLIP_OK;
    slip_simulation_options options = slip_simulation_options_default();
    options.start = run ? run->start : options.start;
    status = slip_simulation_open(ctx, model, run ? run->values : NULL, &options, &sets->simulation);
    if (status == SLIP_ERROR_MEMORY)
        return status;
    slip_context_clear(ctx);
    if (status < 0)
        return SLIP_OK;
    system = sets->simulation->ready->system;
    sets->coordinates = slip_system_coordinates(system);
    sets->m = sets->coordinates + system->n;
    sets->state = slip_alloc(sets->m, sizeof *sets->state);
    sets->modes = slip_alloc(system->contact_count + 1, sizeof *sets->modes);
    status = slip_allocated(ctx, sets->state && sets->modes);
    return status < 0 ? status : SLIP_OK;
}

void slip_basin_close_sets(slip_basin_sets *sets)
{
    slip_simulation_close(sets->simulation);
    free(sets->state);
    free(sets->modes);
    *sets = (slip_basin_sets){0};
}

/* Stores the contact modes of the simulation in `modes`; with `compare`, returns whether they are the
 * same. */
static bool take_modes(slip_context *ctx, slip_basin_sets *sets, bool compare)
{
    slip_simulation *s = sets->simulation;
    const slip_system *system = s->ready->system;
    bool same = slip_simulation_set_state(ctx, s, slip_simulation_time(s), sets->state,
                                          sets->state + sets->coordinates) >= 0 &&
                (system->state_count == 0 ||
                 slip_simulation_set_states(ctx, s, sets->state + 2 * sets->coordinates) >= 0);
    for (int64_t c = 0; c < system->contact_count && same; c++) {
        const slip_mode mode = slip_simulation_mode(s, system->contacts[c].name);
        same = !compare || mode == sets->modes[c];
        sets->modes[c] = mode;
    }
    return same;
}

bool slip_basin_one_set(slip_context *ctx, slip_basin_sets *sets, const double *a, const double *apart)
{
    enum { parts = 32 };
    bool same = true;
    for (int k = 0; k < parts && same && sets->simulation; k++) {
        const double part = k * 0.5 * (1 + sqrt(5)), from = part - floor(part); /* the gaps halve evenly */
        for (int i = 0; i < sets->m; i++)
            sets->state[i] = a[i] + from * apart[i];
        same = take_modes(ctx, sets, k > 0);
    }
    slip_context_clear(ctx);
    return same;
}
