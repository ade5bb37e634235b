/* slipstick run: simulates a model and keeps the results in a run folder. */
#include "job.h"
#include "methods.h"
#include "pictures.h"
#include "report.h"
#include "summary.h"
#include "verb.h"

#include "slipstick/slipstick.h"

#include <stdio.h>
#include <stdlib.h>

/* Everything after the integration. `ended` is the exit code that it alone would give. */
static int keep(cli_job *job, slip_result *result, int ended)
{
    const char *summary = slip_result_summary(job->ctx, result);
    const int code = report_status(job->ctx, slip_result_save(job->ctx, result, job->folder));
    if (code != exit_done)
        return code;
    if (!summary)
        return fail_memory();
    json_whole(&job->json, summary);
    /* Whoever interrupts a run wants to be out, not to wait for pictures. */
    const bool wants_pictures = !argument_given(job->arguments, "no-plot") && ended != exit_interrupted;
    int pictures = 0;
    if (wants_pictures && !draw_pictures(job->ctx, job->folder, &pictures))
        ended = exit_interrupted;
    print_summary(job->model, result);
    print_results_in(job->folder, ended, pictures);
    return ended;
}

static int simulate(cli_job *job)
{
    slip_run_options options = slip_run_options_default();
    options.method = argument_text(job->arguments, "method", NULL);
    slip_result *result = NULL;
    const int status = slip_run(job->ctx, job->model, &options, &result);
    terminal_clear(&job->terminal);
    int code = report_status(job->ctx, status);
    if (result)
        code = keep(job, result, code);
    slip_result_destroy(result);
    return code;
}

static int run(const cli_arguments *arguments)
{
    return run_job_on_model(arguments, 0, ".run", simulate);
}

static const cli_option options[] = {{"output", 'o', "DIR", "folder for the results"},
                                     {"method", 'm', "NAME", "overrides the method of the model file"},
                                     {"no-plot", 0, NULL, "draws no pictures"},
                                     {0}};

const cli_verb verb_run = {
    .name = "run",
    .summary = "simulates a model and writes a run folder",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
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
               "slipstick run belt.yaml --set vb=0.4 --set simulate.tolerance=1e-6 -o fast.run\n"
               "slipstick run - --json --no-plot <belt.yaml\n",
    .run = run};
