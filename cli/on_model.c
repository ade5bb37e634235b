#include "on_model.h"

#include "files.h"
#include "report.h"

#include <stdlib.h>

int run_on_model(const cli_arguments *arguments, model_work work)
{
    const char *path = arguments->operands[0];
    slip_context *ctx = slip_context_create();
    const char **settings = argument_list(arguments, "set");
    char *own = folder_name(path, ".run");
    const char *folder = argument_text(arguments, "output", own);
    slip_model *model = NULL;
    int code = ctx && settings && own ? exit_done : fail_memory();
    if (code == exit_done)
        code = report_status(ctx, slip_model_load_with(ctx, path, settings, &model));
    if (code == exit_done)
        code = check_folder(folder);
    if (code == exit_done)
        code = work(ctx, arguments, model, own, folder);
    slip_model_destroy(model);
    free(own);
    free(settings);
    slip_context_destroy(ctx);
    return code;
}
