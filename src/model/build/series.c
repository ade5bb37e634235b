/* Building a model in C: functions of time, outputs and units. */
#include "model/build/build.h"

#include <math.h>

/* ---- inputs ---- */

int slip_model_set_input(slip_context *ctx, slip_model *model, const char *name, const char *between,
                         int count, const double *times, const double *values)
{
    SLIP_NEED(ctx, model, name, times, values);
    slip_draft draft = {&model->arena, true};
    slip_tree *node, *list, *section;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    node = slip_tree_mapping(&model->arena);
    list = slip_tree_sequence(&model->arena, count < 0 ? 0 : count);
    for (int i = 0; list && i < list->count; i++) {
        const double point[2] = {times[i], values[i]};
        if (!isfinite(point[0]) || !isfinite(point[1]))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "input `%.60s`: point %d is (%g, %g), expected finite numbers", name, i + 1,
                             point[0], point[1]);
        if (!(list->item[i] = slip_tree_numbers(&model->arena, 2, point)))
            list = NULL;
    }
    slip_draft_put(&draft, node, "points", list);
    slip_draft_text(&draft, node, "between", between);
    SLIP_PASS(slip_allocated(ctx, draft.good));
    SLIP_PASS(slip_build_part(ctx, model, slip_read_input, name, node));
    section = slip_build_section(model, "inputs");
    SLIP_PASS(slip_allocated(ctx, section && slip_tree_put(&model->arena, section, name, node)));
    return SLIP_OK;
}

/* ---- outputs and units: what they name may come later, so that they are read when the model runs ---- */

static int put_text(slip_context *ctx, slip_model *model, const char *section_name, const char *key,
                    const char *text)
{
    slip_tree *section;
    SLIP_PASS(slip_build_for_motion(ctx, model));
    section = slip_build_section(model, section_name);
    SLIP_PASS(slip_allocated(
        ctx, section && slip_tree_put(&model->arena, section, key, slip_tree_scalar(&model->arena, text))));
    return SLIP_OK;
}

int slip_model_set_output(slip_context *ctx, slip_model *model, const char *name, const char *expression)
{
    SLIP_NEED(ctx, model, name, expression);
    return put_text(ctx, model, "outputs", name, expression);
}

int slip_model_set_unit(slip_context *ctx, slip_model *model, const char *series, const char *unit)
{
    SLIP_NEED(ctx, model, series, unit);
    return put_text(ctx, model, "units", series, unit);
}
