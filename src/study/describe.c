#include "study/describe.h"

int slip_describe(slip_context *ctx, slip_result *result, const slip_model *model, const char *method)
{
    slip_text text = {0};
    slip_model_note *note;
    int status;
    SLIP_TRY(slip_model_note_take(ctx, model, method, &note));
    result->note = (slip_result_note){note, slip_model_note_write, slip_model_note_destroy};
    if (!note)
        SLIP_TRY(slip_model_write(ctx, model, method, &text));
    SLIP_TRY(slip_result_describe(ctx, result, model->title, text.data));
done:
    slip_text_free(&text);
    return status;
}
