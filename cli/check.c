/* slipstick check: reads a model and says what was understood. */
#include "report.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int describe(slip_context *ctx, slip_model *model)
{
    const char *text = slip_model_describe(ctx, model);
    if (!text)
        return fail_memory();
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n')
        putchar('\n');
    return exit_done;
}

static int check(const cli_arguments *arguments)
{
    slip_context *ctx = slip_context_create();
    const char **settings = argument_list(arguments, "set");
    slip_model *model = NULL;
    cli_terminal terminal;
    int code = ctx && settings ? exit_done : fail_memory();
    if (code == exit_done) {
        terminal_open(&terminal, ctx, false);
        code = report_status(ctx, slip_model_load_with(ctx, arguments->operands[0], settings, &model));
    }
    if (code == exit_done)
        code = describe(ctx, model);
    slip_model_destroy(model);
    free(settings);
    slip_context_destroy(ctx);
    return code;
}

static const cli_option options[] = {
    {"set", 's', "NAME=VALUE", "overrides a parameter, or any field by its path;\nmay be repeated"}, {0}};

const cli_verb verb_check = {
    .name = "check",
    .summary = "reads a model, prints what it understood; runs nothing",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .options = options,
    .about = "Reads the model FILE and prints coordinates, matrices, loads, contacts and how it\n"
             "would be simulated, with every expression in the parameters worked out. Everything\n"
             "that is wrong with the file is listed in one go, as FILE:LINE:COLUMN: MESSAGE.\n",
    .example = "slipstick new first\n"
               "slipstick check first.yaml\n",
    .run = check};
