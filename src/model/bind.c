/* A model bound to the numbers of its parameters: its document is read again with them. */
#include "model/read/read.h"

static int check_motion(slip_context *ctx, const slip_model *model)
{
    if (model->of_bodies)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "a model of elastic bodies is for statics where it has no section `simulate`: "
                         "nothing says how to "
                         "run it");
    if (slip_model_gear_run(model))
        return SLIP_OK;
    if (model->gear_count > 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s has %d gear%s, expected two that touch: `gear modes` has the modes of one",
                         model->file ? model->file : "the model", model->gear_count,
                         model->gear_count == 1 ? "" : "s");
    if (model->mass_given)
        return SLIP_OK;
    return model->file
               ? slip_fail(ctx, SLIP_ERROR_MODEL,
                           "%s:1:1: `mass` is missing, expected for example `mass: [[1]]`: only "
                           "statics can do without it",
                           model->file)
               : slip_fail(ctx, SLIP_ERROR_MODEL, "the model has no mass matrix: call slip_model_set_mass");
}

int slip_model_bind(slip_context *ctx, const slip_model *model, const slip_values *given, slip_model **bound)
{
    slip_problems *problems = slip_problems_create(ctx, model->file);
    slip_values *own = NULL;
    slip_reader reader = {.ctx = ctx, .problems = problems};
    int status = SLIP_OK;
    *bound = NULL;
    if (!problems)
        return SLIP_ERROR_MEMORY;
    if (!given)
        SLIP_TRY(slip_values_create(ctx, model, &own));
    SLIP_TRY(slip_reader_bind(&reader, model, given ? given : own));
    slip_read_model(&reader);
    SLIP_TRY(slip_problems_report(problems, ctx));
    reader.model->system->force_function = model->system->force_function;
    reader.model->system->force_user = model->system->force_user;
    SLIP_TRY(slip_model_finish(ctx, reader.model));
    *bound = reader.model;
    reader.model = NULL;
done:
    slip_values_destroy(own);
    slip_model_destroy(reader.model);
    slip_problems_destroy(problems);
    return status;
}

int slip_model_ready(slip_context *ctx, const slip_model *model, const slip_values *values,
                     slip_model **bound, const slip_model **ready)
{
    *bound = NULL;
    SLIP_PASS(check_motion(ctx, model));
    if (values || !model->finished)
        SLIP_PASS(slip_model_bind(ctx, model, values, bound));
    *ready = *bound ? *bound : model;
    return SLIP_OK;
}

int slip_model_bind_one(slip_context *ctx, const slip_model *model, const char *parameter, double value,
                        slip_model **bound)
{
    SLIP_FREED_BY(slip_values_drop) slip_values *values = NULL;
    *bound = NULL;
    SLIP_PASS(slip_values_create(ctx, model, &values));
    SLIP_PASS(slip_values_set(ctx, values, parameter, value));
    return slip_model_bind(ctx, model, values, bound);
}
