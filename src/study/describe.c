#include "study/describe.h"

int slip_describe(slip_context *ctx, slip_result *result, const slip_model *model, const char *method)
{
    slip_text text = {0};
    int status;
    SLIP_TRY(slip_model_write(ctx, model, method, &text));
    SLIP_TRY(slip_result_describe(ctx, result, model->title, text.data ? text.data : ""));
done:
    slip_text_free(&text);
    return status;
}
