/* What the published examples share: running a case, printing its row. */
#include "study/published/reproduce.h"

#include "io/file.h"
#include "study/run.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void slip_printer_say(const slip_printer *out, const char *format, ...)
{
    char text[600];
    va_list args;
    if (!out->line)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out->line(out->user, text);
}

void slip_printer_picture(void *out, const char *path)
{
    slip_printer_say(out, "  picture: %s", path);
}

/* Interrupted or stuck: what there is is kept, and the message stays the run's. */
static void save_quietly(slip_result *result, const char *path)
{
    slip_context *quiet = slip_context_create();
    if (quiet)
        slip_result_save(quiet, result, path);
    slip_context_destroy(quiet);
}

int slip_case_run(slip_context *ctx, const slip_case *which, const char *folder, slip_result **result,
                  double *residual)
{
    char path[4096];
    slip_model *model = NULL;
    int status, ended;
    *result = NULL;
    if (snprintf(path, sizeof path, "%s/%s.run", folder, which->name ? which->name : "") >= (int)sizeof path)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the folder's name is too long: %s", folder);
    SLIP_TRY(
        slip_model_parse(ctx, slip_example_text(which->example), which->example, which->settings, &model));
    ended = slip_run(ctx, model, &which->options, result);
    if (ended < 0) {
        if (*result && which->name)
            save_quietly(*result, path);
        status = ended;
        goto done;
    }
    if (residual)
        SLIP_TRY(slip_result_residual(ctx, model->system, *result, residual));
    if (which->name)
        SLIP_TRY(slip_result_save(ctx, *result, path));
done:
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    slip_model_destroy(model);
    return status;
}

int slip_case_keep(slip_context *ctx, slip_result *result, const char *folder, const char *name,
                   const char *quantity, const slip_printer *out)
{
    slip_plot_options how = slip_plot_options_default();
    char *own = slip_path_join(folder, name);
    int status;
    how.quantity = quantity;
    how.written = slip_printer_picture;
    how.user = (void *)(uintptr_t)out;
    SLIP_TRY(own ? SLIP_OK : slip_fail_memory(ctx));
    SLIP_TRY(slip_result_save(ctx, result, own));
    SLIP_TRY(slip_plot(ctx, own, &how));
done:
    free(own);
    return status;
}
