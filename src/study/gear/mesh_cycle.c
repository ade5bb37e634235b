/* The mesh cycle of a model's two gears. */
#include "model/model.h"
#include "slipstick/gear_cycle.h"

int slip_gear_cycle_options_of(slip_context *ctx, const slip_model *model, slip_gear_cycle_options *options)
{
    SLIP_NEED(ctx, model, options);
    const slip_gear_run_options *run = slip_model_gear_run(model);
    if (!run)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "found %d gears in the model, expected two for a mesh cycle",
                         slip_model_gear_count(model));
    *options = slip_gear_cycle_options_default();
    options->torque = run->side[1].torque;
    options->distance = run->distance;
    options->penalty = run->penalty;
    options->two_pass = run->two_pass;
    return SLIP_OK;
}

int slip_gear_cycle_model(slip_context *ctx, const slip_model *model, const slip_gear_cycle_options *options,
                          slip_result **result)
{
    SLIP_NEED_FOR(result, ctx, model);
    slip_gear_cycle_options own;
    slip_reduced *bodies[2] = {NULL};
    slip_gear_cycle *cycle = NULL;
    int status;
    slip_context_clear(ctx);
    SLIP_TRY(slip_gear_cycle_options_of(ctx, model, &own));
    const slip_gear_options gears[2] = {*slip_model_gear(model, 0), *slip_model_gear(model, 1)};
    options = options ? options : &own;
    SLIP_TRY(slip_gear_cycle_check(ctx, gears, options));
    for (int k = 0; k < 2; k++)
        SLIP_TRY(slip_gear_reduce(ctx, &gears[k], NULL, &bodies[k]));
    status = slip_gear_cycle_run(ctx, gears, (const slip_reduced *const[2]){bodies[0], bodies[1]}, options,
                                 &cycle);
    if (cycle) {
        const int made = slip_gear_cycle_result(ctx, cycle, result);
        status = made < 0 ? made : status;
    }
done:
    slip_gear_cycle_destroy(cycle);
    slip_reduced_destroy(bodies[0]);
    slip_reduced_destroy(bodies[1]);
    return status;
}
