/* slipstick run: simulates a model and keeps the results in a run folder. */
#include "interrupt.h"
#include "methods.h"
#include "on_model.h"
#include "pictures.h"
#include "report.h"
#include "summary.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/slipstick.h"

#include <stdio.h>
#include <stdlib.h>

/* Everything after the integration. `ended` is the exit code that it alone would give. */
static int keep(slip_context *ctx, const cli_arguments *arguments, const slip_model *model,
                slip_result *result, const char *folder, int ended)
{
    const int code = report_status(ctx, slip_result_save(ctx, result, folder));
    if (code != exit_done)
        return code;
    /* Whoever interrupts a run wants to be out, not to wait for pictures. */
    const bool wants_pictures = !argument_given(arguments, "no-plot") && ended != exit_interrupted;
    const int pictures = wants_pictures ? draw_pictures(ctx, folder) : 0;
    if (argument_given(arguments, "quiet"))
        return ended;
    print_summary(model, result);
    print_results_in(folder, ended, pictures);
    return ended;
}

static int simulate(slip_context *ctx, const cli_arguments *arguments, slip_model *model, const char *own,
                    const char *folder)
{
    (void)own;
    slip_run_options options = slip_run_options_default();
    options.method = argument_text(arguments, "method", NULL);
    slip_result *result = NULL;
    cli_terminal terminal;
    terminal_open(&terminal, ctx, argument_given(arguments, "quiet"));
    interrupt_begin(ctx);
    const int status = slip_run(ctx, model, &options, &result);
    terminal_clear(&terminal);
    int code = report_status(ctx, status);
    if (result)
        code = keep(ctx, arguments, model, result, folder, code);
    interrupt_end();
    slip_result_destroy(result);
    return code;
}

static int run(const cli_arguments *arguments)
{
    return run_on_model(arguments, simulate);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"set", 's', "NAME=VALUE", "overrides a parameter, or any field by its path;\nmay be repeated"},
    {"method", 'm', "NAME", "overrides the method of the model file"},
    {"no-plot", 0, NULL, "draws no pictures"},
    {"quiet", 'q', NULL, "neither progress nor summary; warnings and errors only"},
    {0}};

const cli_verb verb_run = {
    .name = "run",
    .summary = "simulates a model and writes a run folder",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .options = options,
    .about = "Simulates the model FILE as its `simulate` section says and prints a summary. The\n"
             "results go to a run folder: model.yaml, result.h5, events.csv, summary.json and\n"
             "pictures. Unless -o names it, the folder stands in the current directory and is\n"
             "called like FILE, with `.run` for its ending; what an earlier run left there is\n"
             "replaced.\n"
             "\n"
             "Ctrl-C ends the run and keeps what was computed (a second Ctrl-C kills). The same\n"
             "holds when the solver cannot go on.\n",
    .list = list_methods,
    .example = "slipstick new belt --template stick-slip-belt\n"
               "slipstick run belt.yaml\n"
               "slipstick run belt.yaml --set vb=0.4 --set simulate.tolerance=1e-6 -o fast.run\n",
    .run = run};
