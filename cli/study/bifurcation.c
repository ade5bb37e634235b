/* slipstick bifurcation: points of a return map over a parameter. */
#include "job.h"
#include "report.h"
#include "show/pictures.h"
#include "show/summary.h"
#include "verb.h"

#include "slipstick/bifurcation.h"

#include <stdio.h>

enum { rows_shown = 24 };

/* Ranges of values at which the motion repeats after the same number of returns. */
static void print_ranges(const slip_result *result)
{
    const char *parameter = slip_result_series_name(result, 0);
    char name[200];
    int64_t count = 0;
    int shown = 0;
    snprintf(name, sizeof name, "values.%s", parameter);
    const double *value = slip_result_series(result, name, &count),
                 *multiple = slip_result_series(result, "values.multiple", NULL),
                 *points = slip_result_series(result, "values.points", NULL);
    printf("%14s %14s  %-9s  %s\n", "from", "to", "direction", "returns to itself after");
    for (int64_t first = 0, k = 0; k < count && shown < rows_shown; first = k) {
        const char *way = slip_result_word(result, "values.direction", first);
        while (k < count && multiple[k] == multiple[first] && (points[k] > 0) == (points[first] > 0) &&
               slip_result_word(result, "values.direction", k)[0] == way[0])
            k++;
        printf("%14.7g %14.7g  %-9s  ", value[first], value[k - 1], way);
        if (points[first] == 0)
            printf("(no return)\n");
        else if (multiple[first] == 0)
            printf("(it does not)\n");
        else
            printf("%d\n", (int)multiple[first]);
        shown++;
        if (shown == rows_shown && k < count)
            printf("(values.csv has the rest)\n");
    }
}

static void print_points(slip_result *points)
{
    print_ranges(points);
    if (slip_result_number(points, "failed") > 0)
        warn("%.0f values gave no points; the column `message` of values.csv says why",
             slip_result_number(points, "failed"));
    print_together(points, "values");
}

static int read_options(cli_job *job, slip_axis *axis, slip_bifurcation_options *options)
{
    cli_arguments *arguments = job->arguments;
    const char *over = argument_text(arguments, "over", NULL);
    int transient = -1, points = -1, threads = 0;
    if (over && slip_axis_parse(job->ctx, over, axis) < 0)
        return fail_usage(arguments->verb, "--over: %s", slip_context_message(job->ctx));
    if (over && axis->count == 0)
        return fail_usage(arguments->verb, "--over: found `%s`, expected NAME=FROM:TO:COUNT", over);
    options->axis = over ? axis : NULL;
    options->period = argument_text(arguments, "period", NULL);
    options->section = argument_text(arguments, "section", NULL);
    options->maxima = argument_text(arguments, "maxima", NULL);
    argument_count(arguments, "transient", 8, 1000000000, &transient);
    argument_count(arguments, "points", 1, 1000000000, &points);
    argument_count(arguments, "threads", 0, 1000000000, &threads);
    options->transient = transient;
    options->points = points;
    options->threads = threads < 1024 ? threads : 1024;
    if (argument_given(arguments, "fresh"))
        options->carry = 0;
    options->device = argument_text(arguments, "device", NULL);
    options->folder = job->folder;
    options->restart = argument_given(arguments, "restart");
    return arguments->code;
}

static int work(cli_job *job)
{
    slip_bifurcation_options options = slip_bifurcation_options_default();
    slip_axis axis = {0};
    slip_result *points = NULL;
    int code = read_options(job, &axis, &options);
    if (code == exit_done)
        code = job_ended(job, slip_bifurcation(job->ctx, job->model, &options, &points));
    code = keep_result(job, points, job->folder, points && !(slip_result_number(points, "points") > 0),
                       print_points, code);
    if (code == exit_interrupted && options.carry == 0)
        printf("The same command goes on from there.\n");
    slip_axis_free(&axis);
    return code;
}

static const cli_option options[] = {
    {"over", 0, "NAME=FROM:TO:COUNT", "the parameter and its values"},
    {"period", 0, "EXPR",
     "a point at every multiple of this time, such as 2*pi/w;\ndefault: the period of `steady`, else of the "
     "loads"},
    {"section", 0, "EXPR",
     "or wherever this expression of t, coordinates and velocities\npasses zero upwards"},
    {"maxima", 0, "NAME", "or at every maximum of this coordinate"},
    {"transient", 0, "COUNT", "returns that are left out at each value, at most; default 200"},
    {"points", 0, "COUNT", "returns that are kept at each value, at most; default 100"},
    {"fresh", 0, NULL,
     "starts every value from the model's own state, on all\nprocessors, and not from the last one's"},
    {"threads", 0, "COUNT", "of --fresh; default: as many as there are processors"},
    {"device", 0, "NAME",
     "of --fresh with a period: moves the values together on `cpu`\n(vector units) or `cuda` (a graphics "
     "card); `auto` (default)\nchooses, `none` runs one by one"},
    {"restart", 0, NULL, "of --fresh: forgets what an unfinished job has left in the folder"},
    {"output", 'o', "DIR", "folder for the results"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_bifurcation = {
    .name = "bifurcation",
    .summary = "points of a section over a parameter, up and back",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary | shares_work,
    .options = options,
    .about = "Takes points of the motion of the model FILE at every value of a parameter, where the\n"
             "motion has settled: once a period of the load, where an expression passes zero, or at\n"
             "the maxima of a coordinate. The state is carried from value to value, up and back.\n"
             "What repeats is not waited for: a transient ends when the bound of what is still to\n"
             "come is within the tolerance; what still decays or grows gets up to ten times --transient.\n"
             "With --fresh every finished value is kept at once, in bifurcation.journal of the folder:\n"
             "a job that was interrupted or killed goes on when the same command is given again.\n"
             "\n"
             "The results go to a folder, called like FILE with `.bifurcation` for its ending:\n"
             "points.csv (a row for each point), values.csv (for each value: after how many returns\n"
             "the motion repeats; 0: it does not), result.h5, summary.json, model.yaml, a picture.\n",
    .example = "slipstick new stop --template impact-oscillator\n"
               "slipstick bifurcation stop.yaml --over w=2.4:2.8:41 --period '2*pi/w'\n",
    .ending = ".bifurcation",
    .work = work};
