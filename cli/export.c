/* slipstick export: writes a run folder's series for other programs. */
#include "report.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/result.h"

#include <stdio.h>

static int export(const cli_arguments *arguments)
{
    const char *folder = arguments->operands[0];
    const char *format = argument_text(arguments, "format", NULL);
    const char *path = argument_text(arguments, "output", NULL);
    if (!format)
        return fail_usage(arguments->verb, "the format is missing: `--format csv` or `--format mat`");
    slip_context *ctx = slip_context_create();
    if (!ctx)
        return fail_memory();
    cli_terminal terminal;
    terminal_open(&terminal, ctx, true);
    const int code = report_status(ctx, slip_export(ctx, folder, format, path));
    if (code == exit_done && path)
        printf("%s\n", path);
    else if (code == exit_done)
        printf("%s/result.%s\n", folder, format);
    slip_context_destroy(ctx);
    return code;
}

static const cli_option options[] = {
    {"format", 'f', "FORMAT",
     "csv: one column a series, for any program;\nmat: MATLAB level 5, also for Octave and SciPy"},
    {"output", 'o', "FILE", "the file to write; default: result.csv or result.mat\nin DIR"},
    {0}};

const cli_verb verb_export = {
    .name = "export",
    .summary = "writes the series of a run folder as CSV or MATLAB file",
    .operands = "DIR",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .options = options,
    .about = "Writes every series of the run folder DIR to one file for other programs, and\n"
             "prints its path.\n",
    .example = "slipstick new first\n"
               "slipstick run first.yaml --no-plot\n"
               "slipstick export first.run --format csv\n"
               "slipstick export first.run --format mat -o first.mat\n",
    .run = export};
