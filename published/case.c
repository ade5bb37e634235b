/* Helpers of the published examples: run a case, print its row. */
#include "published.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char message[600];

const char *paper_message(void)
{
    return message;
}

int paper_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return status;
}

int paper_fail_memory(void)
{
    return paper_fail(SLIP_ERROR_MEMORY, "out of memory");
}

void paper_say(const paper_printer *out, const char *format, ...)
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

void paper_picture(void *out, const char *path)
{
    paper_say(out, "  picture: %s", path);
}

int paper_draw(slip_context *ctx, const slip_figure *figure, const char *folder, const paper_printer *out)
{
    return slip_figure_plot(ctx, figure, folder, paper_picture, (void *)(uintptr_t)out);
}

/* Saves the partial result of a run that was interrupted or failed; the message stays that of the run. */
static void save_quietly(slip_result *result, const char *path)
{
    slip_context *quiet = slip_context_create();
    if (quiet)
        slip_result_save(quiet, result, path);
    slip_context_destroy(quiet);
}

int paper_case_run(slip_context *ctx, const paper_case *which, const char *folder, slip_result **result,
                   double *residual)
{
    char path[4096];
    slip_model *model = NULL;
    int status, ended;
    *result = NULL;
    if (snprintf(path, sizeof path, "%s/%s.run", folder, which->name ? which->name : "") >= (int)sizeof path)
        return paper_fail(SLIP_ERROR_USAGE, "the folder's name is too long: %s", folder);
    TRY(slip_model_parse(ctx, slip_example_text(which->example), which->example, which->settings, &model));
    ended = slip_run(ctx, model, &which->options, result);
    if (ended < 0) {
        if (*result && which->name)
            save_quietly(*result, path);
        status = ended;
        goto done;
    }
    if (residual)
        TRY(slip_run_residual(ctx, model, *result, residual));
    if (which->name)
        TRY(slip_result_save(ctx, *result, path));
done:
    if (status < 0) {
        slip_result_destroy(*result);
        *result = NULL;
    }
    slip_model_destroy(model);
    return status;
}

int paper_case_keep(slip_context *ctx, slip_result *result, const char *folder, const char *name,
                    const slip_plot_options *options, const paper_printer *out)
{
    slip_plot_options how = options ? *options : slip_plot_options_default();
    char own[4096];
    int status;
    if (!how.written) {
        how.written = paper_picture;
        how.user = (void *)(uintptr_t)out;
    }
    if (snprintf(own, sizeof own, "%s/%s", folder, name) >= (int)sizeof own)
        return paper_fail(SLIP_ERROR_USAGE, "the folder's name is too long: %s", folder);
    TRY(slip_result_save(ctx, result, own));
    TRY(slip_plot(ctx, own, &how));
done:
    return status;
}
