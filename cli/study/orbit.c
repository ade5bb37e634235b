/* slipstick orbit: a periodic motion and its stability. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include "slipstick/orbit.h"

#include <math.h>
#include <stdio.h>

enum { multipliers_shown = 12 };

static void print_orbit(slip_result *orbit)
{
    int64_t count = 0;
    const double *real = slip_result_series(orbit, "multipliers.real", &count),
                 *imaginary = slip_result_series(orbit, "multipliers.imaginary", NULL);
    const double period = slip_result_number(orbit, "period"),
                 least = slip_result_number(orbit, "least_period");
    printf("period      %.15g\n", period);
    if (least < 0.9 * period)
        printf("            %.0f times %.15g, after which the motion repeats already\n", period / least,
               least);
    printf("residual    %.3g\n", slip_result_number(orbit, "residual"));
    printf("events      %s\n", slip_result_text(orbit, "signature"));
    printf("%s\n", slip_result_number(orbit, "stable") > 0 ? "stable" : "unstable");
    printf("\n%22s %22s %14s\n", "multiplier: real", "imaginary", "size");
    for (int64_t k = 0; k < count && k < multipliers_shown; k++)
        printf("%22.15g %22.15g %14.9g\n", real[k], imaginary[k], hypot(real[k], imaginary[k]));
    if (count > multipliers_shown)
        printf("(%d in all; multipliers.csv has them)\n", (int)count);
}

static int read_options(cli_arguments *arguments, slip_orbit_options *options)
{
    options->period = argument_text(arguments, "period", NULL);
    options->from = argument_text(arguments, "from", NULL);
    argument_count(arguments, "multiple", 1, 1000, &options->multiple);
    argument_count(arguments, "arcs", 1, 32, &options->arcs);
    return argument_number(arguments, "guess", &options->guess);
}

static int find(cli_job *job)
{
    slip_orbit_options options = slip_orbit_options_default();
    slip_result *orbit = NULL;
    int code = read_options(job->arguments, &options);
    if (code == exit_done)
        code = job_ended(job, slip_orbit_find(job->ctx, job->model, &options, &orbit));
    return keep_result(job, orbit, job->folder, false, print_orbit, code);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "folder for the results"},
    {"period", 0, "EXPR", "of the load, such as 2*pi/w; auto: the motion's own, which\nis found"},
    {"multiple", 0, "N", "periods of the load after which the motion repeats; default 1"},
    {"guess", 0, "TIME", "of auto: the period, roughly"},
    {"from", 0, "STATE", "where the search starts: run (default), the end of\nsimulate.time, or initial"},
    {"arcs", 0, "N", "into which the period is cut; default: as many as it takes"},
    {"no-plot", 0, NULL, "draws no pictures"},
    {0}};

const cli_verb verb_orbit = {
    .name = "orbit",
    .summary = "finds a periodic motion, its multipliers and whether it is stable",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Finds a periodic motion of the model FILE, stable or not, by Newton's method on the\n"
             "map from a state to that one period later, across all events of contacts. It starts\n"
             "from the end of the run that `simulate.time` says, or from the initial state.\n"
             "\n"
             "The results go to a folder, called like FILE with `.orbit` for its ending: one period\n"
             "of the motion as of `run`, orbit.json (period, state, residual, multipliers,\n"
             "signature, stable), multipliers.csv and pictures.\n",
    .example = "slipstick new belt --template stribeck-belt\n"
               "slipstick orbit belt.yaml --period auto\n",
    .ending = ".orbit",
    .work = find};
