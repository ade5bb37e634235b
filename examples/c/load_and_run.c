/* Loads a model file, runs it and prints what came out.
 *
 *     load_and_run FILE [NAME=VALUE ...]
 */
#include <slipstick/slipstick.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: load_and_run FILE [NAME=VALUE ...]\n");
        return 1;
    }
    slip_context *ctx = slip_context_create();
    if (!ctx)
        return 1;
    slip_model *model = NULL;
    slip_result *result = NULL;
    /* What follows the file name is already what the library expects: settings with a NULL at the end. */
    int status = slip_model_load_with(ctx, argv[1], (const char *const *)(argv + 2), &model);
    if (status == SLIP_OK) {
        slip_run_options options = slip_run_options_default(); /* everything as the file says */
        status = slip_run(ctx, model, &options, &result);
    }
    if (status < 0)
        fprintf(stderr, "%s\n", slip_context_message(ctx));

    /* Also a run that failed has a result: what was computed until then. */
    if (result) {
        const char *name = slip_model_coordinate_name(model, 0);
        int64_t count = 0;
        const double *t = slip_result_series(result, "t", &count);
        const double *q = slip_result_series(result, name, &count);
        printf("%s: %lld samples by method %s\n", slip_model_title(model), (long long)count,
               slip_result_method(result));
        if (count > 0)
            printf("%s(%g) = %.10g\n", name, t[count - 1], q[count - 1]);
        printf("%.0f steps, %lld events\n", slip_result_number(result, "steps"),
               (long long)slip_result_event_count(result));
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return status < 0;
}
