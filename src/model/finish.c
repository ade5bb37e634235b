/* From what was read to what can move: the numbers of the parameters are put in, and what a motion needs is
 * checked. */
#include "model/model.h"
#include "model/read/read.h"
#include "model/tree.h"
#include "system/structure/structure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Energies that are not defined, a mass matrix that is not positive definite. The velocities in the slots are
 * zero. */
static int check_structure(slip_context *ctx, const slip_system *system, slip_workspace *work, double t,
                           const double *q)
{
    char message[1000];
    if (!system->structure->diagnose)
        return SLIP_OK;
    work->slots[slip_slot_time()] = t;
    memcpy(work->slots + slip_slot_coordinate(0), q, (size_t)system->n * sizeof(double));
    if (system->structure->diagnose(ctx, system, work, t, q) == SLIP_OK)
        return SLIP_OK;
    snprintf(message, sizeof message, "%s", slip_context_message(ctx));
    return slip_fail(ctx, SLIP_ERROR_MODEL, "in the initial state: %s", message);
}

int slip_model_check_initial(slip_context *ctx, const slip_model *model, double t, const double *q)
{
    const double rounding = 1e-9;
    slip_workspace *work = NULL;
    int status;
    SLIP_TRY(slip_workspace_create(ctx, model->system, &work));
    SLIP_TRY(check_structure(ctx, model->system, work, t, q));
    for (int c = 0; c < (int)model->system->contact_count && status >= 0; c++) {
        double gap;
        if (!model->system->contacts[c].has_gap)
            continue;
        gap = slip_system_gap(model->system, work, c, t, q);
        if (!(gap >= -rounding))
            status =
                slip_fail(ctx, SLIP_ERROR_MODEL,
                          "contact `%s`: its gap `%s` is %.9g in the initial state, at t = %.9g; expected 0 "
                          "(closed) or more (open)",
                          model->system->contacts[c].name, model->contact_texts[c].gap, gap, t);
    }
done:
    slip_workspace_destroy(work);
    return status;
}

int slip_model_finish(slip_context *ctx, slip_model *model)
{
    int status = model->mass_given ? slip_system_finish(ctx, model->system) : SLIP_OK;
    model->finished = status >= 0;
    if (status == SLIP_ERROR_MODEL) { /* of the mass matrix: where is it? */
        const slip_model *from = model->origin ? model->origin : model;
        const bool energy = from->document && slip_tree_find(from->document, "energy");
        char *message = strdup(slip_context_message(ctx));
        status = message ? slip_model_fail_at(ctx, from, energy ? "energy" : "mass",
                                              energy ? "kinetic" : NULL, message)
                         : slip_fail_memory(ctx);
        free(message);
    }
    return status;
}

int slip_model_check_lumped(slip_context *ctx, const slip_model *model)
{
    if (model->gear_count == 0)
        return SLIP_OK;
    return slip_fail(
        ctx, SLIP_ERROR_MODEL,
        "a model of gears is not for this: `slipstick run` has its motion, `gear modes` its modes");
}

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
    slip_reader reader = {.ctx = ctx, .problems = problems, .root = model->document};
    int status = SLIP_OK;
    *bound = NULL;
    if (!problems)
        return SLIP_ERROR_MEMORY;
    SLIP_TRY(slip_model_allocate(ctx, &reader.model));
    if (!given)
        SLIP_TRY(slip_values_create(ctx, model, &own));
    reader.values = given ? given : own;
    reader.model->origin = model;
    reader.model->in_motion = model->in_motion;
    reader.model->parameter_set =
        slip_arena_array(&reader.model->arena, model->parameter_count, sizeof(bool));
    if (!reader.model->parameter_set) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    for (int i = 0; i < (int)model->parameter_count; i++)
        reader.model->parameter_set[i] = slip_values_are_set(reader.values, i);
    reader.model->document = model->document;
    reader.model->file = model->file;
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
    int status;
    *bound = NULL;
    SLIP_TRY(check_motion(ctx, model));
    if (values || !model->finished)
        SLIP_TRY(slip_model_bind(ctx, model, values, bound));
    *ready = *bound ? *bound : model;
done:
    return status;
}
