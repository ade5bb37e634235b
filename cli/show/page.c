/* slipstick report: writes one HTML file that shows a result in a browser. */
#include "job.h"
#include "report.h"
#include "verb.h"

#include "slipstick/result.h"

#include <stdio.h>

static int write_page(cli_job *job)
{
    const char *folder = job->arguments->operands[0];
    const char *path = argument_text(job->arguments, "output", NULL);
    char own[4096];
    const int code = report_status(job->ctx, slip_report(job->ctx, folder, path));
    if (code != exit_done)
        return code;
    if (!path)
        snprintf(own, sizeof own, "%.4000s/report.html", folder);
    printf("%s\n", path ? path : own);
    json_list(&job->json, "files");
    json_text(&job->json, NULL, path ? path : own);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "FILE", "the file to write; default: report.html in DIR"}, {0}};

const cli_verb verb_report = {
    .name = "report",
    .summary = "writes one HTML file that shows a run folder in a browser",
    .operands = "DIR",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = has_summary,
    .options = options,
    .about = "Writes one HTML file that shows the results in the folder DIR in any browser, also\n"
             "where there is no network, and prints its path: the model, its numbers and tables,\n"
             "events, energies, every series to zoom, pan and read values off, time histories\n"
             "linked with phase curves, modes of contacts as bands, bodies and gears in motion,\n"
             "diagrams of studies. A run of a million records stays below 5 MB: one can mail it.\n",
    .example = "slipstick new first\n"
               "slipstick run first.yaml --no-plot\n"
               "slipstick report first.run\n"
               "slipstick report first.run -o first.html\n",
    .work = write_page};
