/* slipstick branch: periodic motions followed over a parameter. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include "slipstick/branch.h"

#include <stdio.h>
#include <stdlib.h>

static void print_labels(slip_result *branch)
{
    const int count = (int)slip_result_label_count(branch),
              branches = (int)slip_result_number(branch, "branches");
    printf("%d points, %d branch%s over %s from %g to %g\n\n", (int)slip_result_number(branch, "points"),
           branches, branches == 1 ? "" : "es", slip_result_text(branch, "parameter"),
           slip_result_number(branch, "low"), slip_result_number(branch, "high"));
    printf("%6s %6s %5s %22s  %s\n", "label", "branch", "type", slip_result_text(branch, "parameter"),
           "what");
    for (int k = 0; k < count; k++) {
        const slip_label *label = slip_result_label(branch, k);
        printf("%6d %6d %5s %22.15g  %s%s%s%s%s\n", label->number, label->branch, label->type, label->value,
               label->from, *label->to ? " to " : "", label->to, *label->note && *label->from ? ": " : "",
               label->note);
    }
}

/* At most two --over. */
static int read_axes(cli_job *job, slip_axis *axis)
{
    const char **texts = argument_list(job->arguments, "over");
    int code = texts ? exit_done : fail_memory();
    for (int k = 0; code == exit_done && texts[k]; k++) {
        if (k == 2)
            code = fail_usage(job->arguments->verb,
                              "--over: found a third one, `%s`, expected one, and of a curve two", texts[k]);
        else if (slip_axis_parse(job->ctx, texts[k], &axis[k]) < 0)
            code = fail_usage(job->arguments->verb, "--over: %s", slip_context_message(job->ctx));
        else if (axis[k].count > 0)
            code = fail_usage(job->arguments->verb,
                              "--over: found `%s`, expected NAME=FROM:TO: how far points are apart says "
                              "--spacing",
                              texts[k]);
    }
    free(texts);
    return code;
}

static int read_options(cli_job *job, slip_axis *axis, slip_branch_options *options,
                        slip_orbit_options *orbit)
{
    cli_arguments *arguments = job->arguments;
    const int code = read_axes(job, axis);
    if (code != exit_done)
        return code;
    options->axis = axis[0].name ? &axis[0] : NULL;
    options->second = axis[1].name ? &axis[1] : NULL;
    options->curve = argument_text(arguments, "curve", NULL);
    options->resonance = argument_text(arguments, "resonance", NULL);
    options->orbit = orbit;
    orbit->period = argument_text(arguments, "period", NULL);
    orbit->from = argument_text(arguments, "from", NULL);
    argument_number(arguments, "start", &options->start);
    argument_number(arguments, "spacing", &options->spacing);
    argument_number(arguments, "guess", &orbit->guess);
    argument_count(arguments, "multiple", 1, 1000, &orbit->multiple);
    argument_count(arguments, "points", 1, 1000000, &options->points);
    argument_count(arguments, "harmonics", 0, 60, &options->harmonics);
    return argument_count(arguments, "doublings", 0, 10, &options->doublings);
}

static int follow(cli_job *job)
{
    slip_branch_options options = slip_branch_options_default();
    slip_orbit_options orbit = slip_orbit_options_default();
    slip_axis axis[2] = {{0}};
    slip_result *branch = NULL;
    int code = read_options(job, axis, &options, &orbit);
    if (code == exit_done)
        code = job_ended(job, slip_branch_follow(job->ctx, job->model, &options, &branch));
    code = keep_result(job, branch, job->folder, false, print_labels, code);
    slip_axis_free(&axis[0]);
    slip_axis_free(&axis[1]);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"over", 0, "NAME=FROM:TO", "the parameter and its range; of a curve two of them"},
    {"curve", 0, "LABEL", "follows LP, PD, NS, BP, GR, SL or PR over both parameters"},
    {"resonance", 0, "NAME", "labels PR where a coordinate lags a quarter period"},
    {"start", 0, "VALUE", "of the parameter, where the first motion is found"},
    {"spacing", 0, "PART", "largest distance of points, over the range and the motion;\ndefault 0.05"},
    {"points", 0, "COUNT", "most points in each direction; default 400"},
    {"doublings", 0, "N", "follows branches that double the period, so many times"},
    {"harmonics", 0, "N", "harmonic balance, condensed on the contacts, in place of shooting"},
    {"period", 0, "EXPR", "of the load, such as 2*pi/w; auto: the motion's own"},
    {"multiple", 0, "N", "periods of the load after which the motion repeats"},
    {"guess", 0, "TIME", "of auto: the period at the start, roughly"},
    {"from", 0, "STATE", "where the first motion is sought: run (default) or initial"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_branch = {
    .name = "branch",
    .summary = "follows a periodic motion over a parameter, stable or not",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Finds a periodic motion of the model FILE, as `orbit` does, and follows it over a\n"
             "parameter in both directions, also where it is unstable and through changes of its\n"
             "signature. Labels say where it folds (LP), doubles its period (PD), becomes a torus\n"
             "(NS) or branches (BP), where it grazes a stop (GR) or a phase of stick or an event\n"
             "appears or vanishes (SL), and where and why it ends (EP).\n"
             "\n"
             "With --curve and two --over labels of a kind are followed over both parameters: curves\n"
             "of folds, doublings, grazing; --curve PR --resonance x is the backbone, along which x\n"
             "lags a quarter period behind the load.\n"
             "\n"
             "The results go to a folder, called like FILE with `.branch` for its ending:\n"
             "branch.csv, labels.csv, result.h5, summary.json, model.yaml and pictures; of forced\n"
             "motions amplitude and phase of each coordinate too (response).\n",
    .example = "slipstick new stop --template impact-branch\n"
               "slipstick branch stop.yaml --over w=1.6:2.2\n",
    .ending = ".branch",
    .work = follow};
