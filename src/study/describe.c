#include "study/describe.h"

#include <string.h>

/* The unit of a series of the model, or of a number of one such as `max.x` and `x.max`; "": there is none. */
static const char *unit_of(const slip_outputs *outputs, const char *column)
{
    static const char *const before[] = {"", "max.", "min.", "final.", "end."}, *const after[] = {
                                                                                    "",      ".max",
                                                                                    ".min",  ".amplitude",
                                                                                    ".data", ".model"};
    for (size_t b = 0; b < sizeof before / sizeof *before; b++)
        for (size_t a = 0;
             a < sizeof after / sizeof *after && strncmp(column, before[b], strlen(before[b])) == 0; a++) {
            const char *name = column + strlen(before[b]);
            const size_t length = strlen(name), end = strlen(after[a]);
            if (length <= end || strcmp(name + length - end, after[a]) != 0)
                continue;
            for (int k = 0; k < outputs->series_count; k++)
                if (outputs->units[k] && strlen(outputs->names[k]) == length - end &&
                    strncmp(outputs->names[k], name, length - end) == 0)
                    return outputs->units[k];
        }
    return "";
}

int slip_describe(slip_context *ctx, slip_result *result, const slip_model *model, const char *method)
{
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_model_note *note;
    int status = SLIP_OK;
    SLIP_PASS(slip_model_note_take(ctx, model, method, &note));
    result->note = (slip_result_note){note, slip_model_note_write, slip_model_note_destroy};
    if (!note)
        SLIP_PASS(slip_model_write(ctx, model, method, &text));
    SLIP_PASS(slip_result_describe(ctx, result, model->title, text.data));
    for (int k = 0; k < result->main.column_count && status >= 0; k++) {
        slip_column *column = &result->main.columns[k];
        if (!*column->unit)
            column->unit = slip_arena_string(&result->arena, unit_of(&model->outputs, column->name));
        status = slip_allocated(ctx, column->unit);
    }
    return status;
}
