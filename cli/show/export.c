/* slipstick export: writes a run folder's series for other programs. */
#include "job.h"
#include "report.h"
#include "verb.h"

#include "slipstick/result.h"

#include <stdio.h>
#include <string.h>

static int write_series(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    const char *folder = arguments->operands[0];
    const char *format = argument_text(arguments, "format", NULL);
    const char *path = argument_text(arguments, "output", NULL);
    if (!format)
        return fail_usage(arguments->verb,
                          "the format is missing: `--format csv`, `mat` or, of bodies, `vtu`");
    char own[4096];
    const int code = report_status(job->ctx, slip_export(job->ctx, folder, format, path));
    if (code != exit_done)
        return code;
    if (!path && strcmp(format, "vtu") == 0) {
        path = folder;
    } else if (!path) {
        snprintf(own, sizeof own, "%.4000s/result.%.40s", folder, format);
        path = own;
    }
    printf("%s\n", path);
    json_list(&job->json, "files");
    json_text(&job->json, NULL, path);
    return code;
}

static const cli_option options[] = {
    {"format", 'f', "FORMAT",
     "csv: one column a series, for any program;\nmat: MATLAB level 5, also for Octave and SciPy;\nvtu: "
     "bodies, for ParaView: solutions, frames, modes"},
    {"output", 'o', "FILE",
     "the file to write; default: result.csv or result.mat\nin DIR; of vtu a folder, default: DIR"},
    {0}};

const cli_verb verb_export = {
    .name = "export",
    .summary = "writes the series of a run folder as CSV or MATLAB file",
    .operands = "DIR",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = has_summary,
    .options = options,
    .about = "Writes every series of the run folder DIR to one file for other programs, and\n"
             "prints its path.\n",
    .example = "slipstick new first\n"
               "slipstick run first.yaml --no-plot\n"
               "slipstick export first.run --format csv\n"
               "slipstick export first.run --format mat -o first.mat\n",
    .work = write_series};
