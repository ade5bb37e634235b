/* slipstick lyapunov: Lyapunov exponents. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "study/over.h"
#include "verb.h"

#include "slipstick/lyapunov.h"

#include <math.h>
#include <stdio.h>

static void print_exponents(slip_result *result)
{
    enum { shown_most = 20 };
    int64_t count = 0;
    const double *value = slip_result_series(result, "exponents.value", &count),
                 *error = slip_result_series(result, "exponents.error", NULL);
    const int lost = (int)slip_result_number(result, "lost");
    printf("%12s %16s %12s\n", "", "exponent", "error");
    for (int64_t k = 0; k < count && k < shown_most; k++)
        if (isinf(value[k]))
            printf("%12lld %16s\n", (long long)k + 1, "-inf");
        else
            printf("%12lld %16.9g %12.2g\n", (long long)k + 1, value[k], error[k]);
    if (count > shown_most)
        printf("(lyapunov.json has all %lld)\n", (long long)count);
    printf("%12s %16.9g\n%12s %16.6g\n", "time", slip_result_number(result, "time"), "dimension",
           slip_result_number(result, "dimension"));
    if (value[0] > 3 * error[0])
        printf("The motion is chaotic: deviations grow.\n");
    if (lost > 0)
        printf(
            "%d exponent%s minus infinity: what differs is forgotten at once where contacts stick, close or\n"
            "yield (`sticks` of lyapunov.json lists them), or a coordinate has no mass.\n",
            lost, lost > 1 ? "s are" : " is");
    if (slip_result_number(result, "skipped") > 0)
        warn("%.0f intervals have no derivative, since the motion grazes, and are left out",
             slip_result_number(result, "skipped"));
}

static int read_options(cli_job *job, const cli_over *over, slip_lyapunov_options *o)
{
    int intervals = -1;
    argument_count(job->arguments, "intervals", 64, 1000000000, &intervals);
    argument_number(job->arguments, "transient", &o->transient);
    o->intervals = intervals;
    o->interval = argument_text(job->arguments, "interval", NULL);
    o->device = argument_text(job->arguments, "device", NULL);
    OVER_GIVE(o, over, job);
    return job->arguments->code;
}

static int work(cli_job *job)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    cli_over over = {0};
    slip_result *result = NULL;
    int code = over_read(job, &over);
    if (code == exit_done)
        code = read_options(job, &over, &options);
    if (code == exit_done)
        code = job_ended(job, slip_lyapunov(job->ctx, job->model, &options, &result));
    code = over.axis_count > 0 ? over_keep(job, result, job->folder, code)
                               : keep_result(job, result, job->folder,
                                             result && !isfinite(slip_result_number(result, "largest")),
                                             print_exponents, code);
    over_free(&over);
    return code;
}

static const cli_option options[] = {
    {"interval", 0, "EXPR",
     "time after which the vectors are made orthogonal again, such as\n2*pi/w; default: the steady period, "
     "or a fiftieth "
     "of the time span"},
    {"transient", 0, "TIME", "before the exponents are looked at; default: the time span"},
    {"intervals", 0, "COUNT", "how many are averaged; default 2000"},
    OPTION_OVER,
    OPTION_THREADS,
    {"device", 0, "NAME",
     "over axes: moves the points together on `cpu` (vector units),\nas far as it takes them; `auto` "
     "(default) "
     "from 16 points on,\n`none` one by one"},
    OPTION_PART,
    {"restart", 0, NULL, "over axes: forgets what an unfinished job has left in the folder"},
    {"output", 'o', "DIR", "folder for the results"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_lyapunov = {
    .name = "lyapunov",
    .summary = "Lyapunov exponents, with the jumps at events taken into account",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary | shares_work,
    .options = options,
    .about = "Finds the Lyapunov exponents of the motion of the model FILE, all of them: the rates at\n"
             "which small deviations grow or shrink on the average. Deviations are followed by the\n"
             "derivative of the motion across its events, and made orthogonal after each interval.\n"
             "Errors are standard deviations, from averages over blocks. A contact that sticks makes\n"
             "an exponent minus infinity: what differs there is forgotten at once.\n"
             "\n"
             "With --over the exponents are found at every point of the axes, on all processors, and\n"
             "table.csv has a row for each. Every finished point is kept at once, in\n"
             "exponents.journal of the folder: a job that was interrupted or killed goes on where it\n"
             "stopped when the same command is given again.\n"
             "\n"
             "The results go to a folder, called like FILE with `.lyapunov` for its ending:\n"
             "lyapunov.json, lyapunov.csv (averages over time), result.h5, summary.json, model.yaml,\n"
             "and a picture of the averages.\n",
    .example = "slipstick new stop --template impact-diagram\n"
               "slipstick lyapunov stop.yaml --set w=2.8 --interval '2*pi/w'\n"
               "slipstick lyapunov stop.yaml --over w=2.6:3:5 --interval '2*pi/w' --intervals 200 -o chaos\n",
    .ending = ".lyapunov",
    .work = work};
