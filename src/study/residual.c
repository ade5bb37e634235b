/* The judge of the contact laws over a whole result. It uses the recorded numbers alone. */
#include "study/run.h"
#include "system/structure/structure.h"

#include <math.h>
#include <stdlib.h>

typedef struct record {
    double *q, *v, *normal, *force;
    slip_patch_state *patches;
} record;

/* False when something in it is not finite. */
static bool read_record(const slip_result *result, int64_t at, record *r)
{
    double zero = 0; /* or not a number */
    for (int i = 0; i < result->n; i++) {
        r->q[i] = slip_series_values(result, slip_series_coordinate(i, 0))[at];
        r->v[i] = slip_series_values(result, slip_series_coordinate(i, 1))[at];
        zero += 0 * r->q[i] + 0 * r->v[i];
    }
    for (int k = 0; k < result->state_count; k++) {
        r->v[result->n + k] = slip_series_values(result, slip_series_output(result, k))[at];
        zero += 0 * r->v[result->n + k];
    }
    for (int c = 0; c < result->contact_count; c++) {
        r->normal[c] = slip_series_values(result, slip_series_contact(result->n, c, 1))[at];
        r->force[c] = slip_series_values(result, slip_series_contact(result->n, c, 2))[at];
        zero += 0 * r->normal[c] + 0 * r->force[c];
    }
    for (int p = 0; p < result->patch_count; p++)
        for (int part = 0; part < 3; part++) {
            r->patches[p].force[part] =
                slip_series_values(result, slip_series_patch(result, p, 3 + part))[at];
            zero += 0 * r->patches[p].force[part];
        }
    return zero == 0;
}

int slip_result_judge(slip_context *ctx, const slip_system *system, const slip_result *result, int64_t every,
                      double *residual)
{
    int n = result->n + result->state_count, contacts = result->contact_count, status;
    double *numbers = slip_alloc(2 * ((int64_t)n + contacts), sizeof *numbers);
    slip_workspace *work = NULL;
    record r = {numbers, numbers + n, numbers + 2 * n, numbers + 2 * n + contacts, NULL};
    const bool by_steps = system->field || system->structure->methods || system->detector_count > 0;
    *residual = by_steps ? result->counters.residual : 0;
    r.patches = slip_alloc(result->patch_count + 1, sizeof *r.patches);
    SLIP_TRY(slip_allocated(ctx, numbers && r.patches));
    SLIP_TRY(slip_workspace_create(ctx, system, &work));
    /* Records have no displacements of whole bodies, nor the flanks of gears that a method keeps, nor which
     * rows a step held: for these the residuals that the steps recorded are taken. */
    for (int64_t at = 0; at < result->main.count && contacts > 0 && !by_steps; at += every) {
        double now = INFINITY; /* a number that is not finite fulfils no law */
        if (read_record(result, at, &r)) {
            const double t = slip_series_values(result, 0)[at];
            now = slip_system_residual(system, work, t, r.q, r.v, r.normal, r.force, r.patches);
        }
        *residual = fmax(*residual, now);
    }
done:
    slip_workspace_destroy(work);
    free(r.patches);
    free(numbers);
    return status;
}

int slip_result_residual(slip_context *ctx, const slip_system *system, const slip_result *result,
                         double *residual)
{
    return slip_result_judge(ctx, system, result, 1, residual);
}

int slip_run_residual(slip_context *ctx, const slip_model *model, const slip_result *result, double *residual)
{
    SLIP_NEED(ctx, model, result, residual);
    SLIP_FREED_BY(slip_model_drop) slip_model *bound = NULL;
    const slip_model *ready = NULL;
    int status = SLIP_OK;
    SLIP_PASS(slip_model_ready(ctx, model, NULL, &bound, &ready));
    if (!ready->system || result->n != slip_model_coordinate_count(model))
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "the result is not one of a run of this model");
    else
        status = slip_result_residual(ctx, ready->system, result, residual);
    return status;
}
