/* slipstick run: simulates a model and keeps the results in a run folder. */
#include "run/run.h"

#include "gear/run.h"
#include "help/methods.h"
#include "report.h"
#include "show/pictures.h"
#include "show/summary.h"
#include "verb.h"

#include <stdio.h>
#include <unistd.h>

enum { path_size = 4096 };

/* Two that are the whole model. */
static bool is_pair(const cli_job *job)
{
    return slip_model_gear_run(job->model) != NULL;
}

static bool has_checkpoint(const char *folder)
{
    char path[path_size];
    snprintf(path, sizeof path, "%.4000s/checkpoint.h5", folder);
    return access(path, R_OK) == 0;
}

/* Saves, draws and prints the result. ended: exit code of the integration. */
static int keep(cli_job *job, slip_result *result, int ended)
{
    const char *summary = slip_result_summary(job->ctx, result);
    const int code = report_status(job->ctx, slip_result_save(job->ctx, result, job->folder));
    if (code != exit_done)
        return code;
    if (!summary)
        return fail_memory();
    json_whole(&job->json, summary);
    /* After an interrupt no pictures are drawn, since the user wants the program to end. */
    const bool wants_pictures = !argument_given(job->arguments, "no-plot") && ended != exit_interrupted;
    int pictures = 0;
    if (wants_pictures && !draw_pictures(job->ctx, job->folder, &pictures))
        ended = exit_interrupted;
    if (is_pair(job))
        print_gear_summary(job->model, result);
    else
        print_summary(job->model, result);
    print_results_in(job->folder, ended, pictures);
    if (argument_given(job->arguments, "report") && ended != exit_interrupted) {
        const int page = report_status(job->ctx, slip_report(job->ctx, job->folder, NULL));
        if (page == exit_done)
            printf("The page for a browser: %s/report.html\n", job->folder);
        ended = ended == exit_done ? page : ended;
    }
    if (ended != exit_done && has_checkpoint(job->folder))
        printf("The same command with --resume goes on from the checkpoint.\n");
    return ended;
}

static void say_reduced(void *user, const slip_reduced *body, const char *path, int reused)
{
    terminal_clear(user);
    printf("%s: %d modes, %d surfaces; %s %s\n", slip_reduced_name(body), slip_reduced_mode_count(body),
           slip_reduced_surface_count(body), reused ? "kept" : "wrote", path);
    fflush(stdout);
}

/* Options that only a model with gears has a use for. */
static int check_gears(const cli_job *job)
{
    static const char *const own[] = {"resume", "restart", "threads", "device"};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        if (argument_given(job->arguments, own[k]) && !slip_model_has_gears(job->model))
            return fail_usage(job->arguments->verb, "`--%s` is for a model with gears, and `%s` has none",
                              own[k], job->arguments->operands[job->arguments->operand_count - 1]);
    if (argument_given(job->arguments, "resume") && argument_given(job->arguments, "restart"))
        return fail_usage(job->arguments->verb, "found `--resume` and `--restart`, expected one of them");
    return exit_done;
}

int run_model(cli_job *job, const slip_reduce_options *reduce)
{
    slip_run_options options = slip_run_options_default();
    slip_run_gears_options gears = slip_run_gears_options_default();
    slip_result *result = NULL;
    int code = check_gears(job);
    if (code != exit_done)
        return code;
    gears.folder = job->folder;
    gears.reduce = *reduce;
    gears.resume = argument_given(job->arguments, "resume");
    gears.restart = argument_given(job->arguments, "restart");
    gears.pictures = !argument_given(job->arguments, "no-plot");
    gears.reduced = say_reduced;
    gears.user = &job->terminal;
    gears.device = argument_text(job->arguments, "device", NULL);
    options.method = argument_text(job->arguments, "method", NULL);
    options.gears = &gears;
    code = job_ended(job, slip_run(job->ctx, job->model, &options, &result));
    int64_t count = 0;
    if (result)
        slip_result_series(result, "t", &count);
    /* A run of gears that failed before its start has no result to save. */
    if (result && (count > 0 || !is_pair(job)))
        code = keep(job, result, code);
    slip_result_destroy(result);
    return code;
}

static int simulate(cli_job *job)
{
    slip_reduce_options reduce = slip_reduce_options_default();
    const int code = argument_count(job->arguments, "threads", 0, 1024, &reduce.threads);
    if (code != exit_done)
        return code;
    return run_model(job, &reduce);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"method", 'm', "NAME", "overrides the method of the model file"},
    {"no-plot", 0, NULL, "draws no pictures"},
    {"report", 0, NULL, "also writes report.html, for a browser"},
    {"resume", 'r', NULL, "gears, method explicit: goes on from the checkpoint"},
    {"restart", 0, NULL, "gears, method explicit: forgets the checkpoint"},
    {"threads", 't', "N", "gears: threads to use; default: as many as there are\nprocessors"},
    {"device", 0, "NAME",
     "gears, method explicit: cpu (default), cuda (a graphics card),\nauto (a card where there is one)"},
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
             "Two gears run as any model does: their reduced bodies GEAR.h5 are made in the folder\n"
             "where they are not there yet (see `slipstick help gear`). Method explicit keeps a\n"
             "checkpoint there until it has come to its end.\n"
             "\n"
             "Ctrl-C ends the run and keeps what was computed (a second Ctrl-C kills). The same\n"
             "holds when the solver cannot go on.\n",
    .list = list_methods,
    .example = "slipstick new belt --template stick-slip-belt\n"
               "slipstick run belt.yaml\n"
               "slipstick run belt.yaml --set vb=0.4 --set simulate.tolerance=1e-6 -o fast.run\n"
               "slipstick run - --json --no-plot <belt.yaml\n",
    .ending = ".run",
    .work = simulate};
