/* slipstick fit: parameters from measurements. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "verb.h"

#include "slipstick/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_fit(slip_result *result)
{
    int64_t count = 0;
    const double *value = slip_result_series(result, "parameters.value", &count),
                 *error = slip_result_series(result, "parameters.error", NULL),
                 *low = slip_result_series(result, "parameters.low", NULL),
                 *high = slip_result_series(result, "parameters.high", NULL);
    printf("%-16s %16s %12s   %.6g %% of confidence\n", "parameter", "value", "error",
           100 * slip_result_number(result, "confidence"));
    for (int64_t k = 0; k < count; k++) {
        printf("%-16s %16.9g", slip_result_word(result, "parameters.name", k), value[k]);
        if (isfinite(error[k]))
            printf(" %12.3g   %.9g to %.9g\n", error[k], low[k], high[k]);
        else
            printf(" %12s   at a bound, or the data do not tell it apart\n", "");
    }
    printf("%.0f numbers, %.0f iterations, derivatives: %s\n", slip_result_number(result, "points"),
           slip_result_number(result, "iterations"), slip_result_text(result, "derivatives"));
    if (slip_result_number(result, "converged") == 0)
        warn("the iterations have not come to an end: more of them, or a start that is closer");
}

static int work(cli_job *job)
{
    slip_fit_options options = slip_fit_options_default();
    slip_result *result = NULL;
    const char **vary = NULL, **series = NULL;
    char *texts[2] = {NULL, NULL};
    argument_count(job->arguments, "iterations", 1, 100000, &options.iterations);
    argument_number(job->arguments, "confidence", &options.confidence);
    argument_words(job->arguments, "vary", &texts[0], &vary);
    int code = argument_words(job->arguments, "series", &texts[1], &series);
    if (code == exit_done) {
        options.data = argument_text(job->arguments, "data", NULL);
        options.vary = vary;
        options.series = series;
        code = job_ended(job, slip_fit(job->ctx, job->model, &options, &result));
    }
    code = keep_result(job, result, job->folder, false, print_fit, code);
    for (int k = 0; k < 2; k++)
        free(texts[k]);
    free(vary);
    free(series);
    return code;
}

static const cli_option options[] = {
    {"data", 'd', "FILE",
     "CSV file: a column t and measured series by their names, or\nevents as events.csv has them"},
    {"vary", 0, "NAMES", "parameters that are sought, with bounds where they have\nsome: mu,c=0:1"},
    {"series", 0, "NAMES", "columns that count; default: all that are series"},
    {"confidence", 0, "NUMBER", "of the intervals; default 0.95"},
    {"iterations", 0, "COUNT", "at most; default 50"},
    {"output", 'o', "DIR", "folder for the results"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_fit = {
    .name = "fit",
    .summary = "finds parameters from measured series or events",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Finds the numbers of parameters with which runs of the model FILE come closest to what\n"
             "was measured: least squares by the method of Levenberg and Marquardt, within bounds,\n"
             "from the numbers in FILE on. Coordinates, velocities and states by method `event`\n"
             "have derivatives across events; all else, and times of events, differences of runs.\n"
             "Each series is weighed by the noise that is left in it. Errors are standard\n"
             "deviations, with intervals of confidence.\n"
             "\n"
             "The results go to a folder, called like FILE with `.fit` for its ending:\n"
             "parameters.csv, fit.csv (data and model), result.h5, summary.json, model.yaml, and a\n"
             "picture.\n",
    .example = "slipstick new belt\n"
               "slipstick run belt.yaml --no-plot\n"
               "slipstick export belt.run --format csv -o belt.csv\n"
               "slipstick fit belt.yaml --set mu=0.25 --data belt.csv --vary mu,c=0:1 --series \"x,x'\"\n"
               "slipstick fit belt.yaml --set mu=0.28 --data belt.run/events.csv --vary mu -o events.fit\n",
    .ending = ".fit",
    .work = work};
