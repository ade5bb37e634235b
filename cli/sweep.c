/* slipstick sweep, slipstick merge: runs over parameters and initial values. */
#include "job.h"
#include "pictures.h"
#include "report.h"
#include "verb.h"

#include "slipstick/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows_shown = 20, columns_shown = 6 };

/* ---- What is printed. */

/* The first and the last runs, with as many numbers as a line has room for. */
static void print_table(const slip_result *result)
{
    const int series = slip_result_series_count(result), last = series - 2;
    const int shown = last < columns_shown ? last : columns_shown;
    int64_t count = 0;
    slip_result_series(result, "run", &count);
    for (int c = 0; c < shown; c++)
        printf(c == 0 ? "%7s" : " %14.14s", slip_result_series_name(result, c));
    printf("\n");
    for (int64_t row = 0; row < count; row++) {
        if (count > rows_shown && row == rows_shown / 2) {
            printf("%7s\n", "...");
            row = count - rows_shown / 2;
        }
        for (int c = 0; c < shown; c++) {
            const char *name = slip_result_series_name(result, c),
                       *word = slip_result_word(result, name, row);
            const double value = slip_result_series(result, name, NULL)[row];
            if (word)
                printf(" %14s", word);
            else
                printf(c == 0 ? "%7.0f" : " %14.7g", value);
        }
        const char *message = slip_result_word(result, "message", row);
        printf("%s%.60s\n", message && *message ? "  " : "", message ? message : "");
    }
    if (last > shown)
        printf("(table.csv has %d more numbers of each run)\n", last - shown);
}

static int keep(cli_job *job, slip_result *sweep, const char *folder, int ended)
{
    const int code = report_status(job->ctx, slip_result_save(job->ctx, sweep, folder));
    int pictures = 0;
    if (code != exit_done)
        return code;
    json_whole(&job->json, slip_result_summary(job->ctx, sweep));
    const int failed = (int)slip_result_number(sweep, "failed"),
              finished = (int)slip_result_number(sweep, "finished");
    if (!argument_given(job->arguments, "no-plot") && ended == exit_done && finished > failed &&
        slip_result_number(sweep, "parts") == 1 && !draw_pictures(job->ctx, folder, &pictures))
        ended = exit_interrupted;
    print_table(sweep);
    if (failed > 0)
        warn("%d of %d runs failed; the column `message` of table.csv says why", failed, finished);
    print_results_in(folder, ended, pictures);
    if (ended == exit_interrupted)
        printf("The same command goes on from there.\n");
    return ended;
}

/* ---- Options. */

typedef struct request {
    slip_sweep_options options;
    slip_axis *axes;
    const char **over; /* as given */
    char *names;       /* of --collect, cut at commas */
    const char **collect;
} request;

static int read_axes(cli_job *job, request *r)
{
    int count = 0;
    r->over = argument_list(job->arguments, "over");
    while (r->over && r->over[count])
        count++;
    r->axes = calloc((size_t)count + 1, sizeof *r->axes);
    if (!r->over || !r->axes)
        return fail_memory();
    for (int k = 0; k < count; k++) {
        if (slip_axis_parse(job->ctx, r->over[k], &r->axes[k]) < 0)
            return fail_usage(job->arguments->verb, "--over: %s", slip_context_message(job->ctx));
        if (r->axes[k].count == 0)
            return fail_usage(job->arguments->verb, "--over: found `%s`, expected NAME=FROM:TO:COUNT",
                              r->over[k]);
    }
    r->options.axes = count > 0 ? r->axes : NULL;
    r->options.axis_count = count;
    return exit_done;
}

static int read_names(cli_job *job, request *r)
{
    const char *text = argument_text(job->arguments, "collect", NULL);
    int count = 0;
    if (!text)
        return exit_done;
    r->names = strdup(text);
    r->collect = calloc(strlen(text) + 2, sizeof *r->collect);
    if (!r->names || !r->collect)
        return fail_memory();
    for (char *name = strtok(r->names, ", "); name; name = strtok(NULL, ", "))
        r->collect[count++] = name;
    r->options.collect = r->collect;
    return exit_done;
}

static int read_part(cli_job *job, request *r)
{
    const char *text = argument_text(job->arguments, "part", NULL);
    char after;
    if (text && sscanf(text, "%d/%d%c", &r->options.part, &r->options.parts, &after) != 2)
        return fail_usage(job->arguments->verb, "--part: found `%s`, expected K/N such as 1/4", text);
    return exit_done;
}

static int read_request(cli_job *job, request *r)
{
    double threads = 0;
    int code = read_axes(job, r);
    if (code == exit_done)
        code = read_names(job, r);
    if (code == exit_done)
        code = read_part(job, r);
    if (code == exit_done)
        code = argument_number(job->arguments, "threads", &threads);
    if (code == exit_done && !(threads >= 0 && threads <= 1024 && threads == floor(threads)))
        code = fail_usage(job->arguments->verb, "--threads: found %g, expected a whole number from 0 to 1024",
                          threads);
    r->options.threads = (int)threads;
    r->options.carry = argument_given(job->arguments, "carry") ? 1 : -1;
    r->options.restart = argument_given(job->arguments, "restart");
    r->options.folder = job->folder;
    return code;
}

static void free_request(request *r)
{
    for (int k = 0; r->axes && r->over[k]; k++)
        slip_axis_free(&r->axes[k]);
    free(r->axes);
    free(r->over);
    free(r->names);
    free(r->collect);
}

/* ---- sweep. */

static int work(cli_job *job)
{
    request r = {.options = slip_sweep_options_default()};
    slip_result *sweep = NULL;
    int code = read_request(job, &r);
    if (code == exit_done) {
        const int status = slip_sweep(job->ctx, job->model, &r.options, &sweep);
        terminal_clear(&job->terminal);
        code = report_status(job->ctx, status);
    }
    if (sweep)
        code = keep(job, sweep, job->folder, code);
    slip_result_destroy(sweep);
    free_request(&r);
    return code;
}

static int run(const cli_arguments *arguments)
{
    return run_job_on_model(arguments, 0, ".sweep", work);
}

static const cli_option options[] = {
    {"over", 0, "NAME=FROM:TO:COUNT",
     "varies a parameter, or an initial value such as x or x';\nNAME=FROM:TO:COUNT:log by equal ratios, "
     "NAME=A,B,C a "
     "list;\nmay be repeated: the last one changes fastest"},
    {"collect", 0, "A,B,...",
     "numbers of each run by their path in summary.json: max.x,\nfinal.x, events.total"},
    {"carry", 0, NULL, "starts each run where the last one ended, along the last\naxis and back: hysteresis"},
    {"threads", 0, "COUNT", "runs at a time; default: as many as there are processors"},
    {"part", 0, "K/N", "only part K of N, for batch systems; `merge` joins them"},
    {"restart", 0, NULL, "forgets what an unfinished sweep has left in the folder"},
    {"output", 'o', "DIR", "folder for the results"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_sweep = {
    .name = "sweep",
    .summary = "runs a model over one or more parameters or initial values",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary,
    .options = options,
    .about = "Runs the model FILE for every value of the axes, or every pair of values, and collects\n"
             "numbers of each run: largest values, number of events and, of steady motions, their\n"
             "values, or those of --collect. Without --over the axes are those of the model's\n"
             "`sweep` section.\n"
             "\n"
             "Every finished run is kept at once, in sweep.journal of the folder: a sweep that was\n"
             "interrupted or killed goes on where it stopped when the same command is given again.\n"
             "A run that fails is a row with its reason. The results go to a folder, called like\n"
             "FILE with `.sweep` for its ending: table.csv (one row a run), result.h5, summary.json,\n"
             "model.yaml, and a picture: curves over one axis, maps over two.\n",
    .example = "slipstick new belt --template stick-slip-belt\n"
               "slipstick sweep belt.yaml --over vb=0.05:1:20\n"
               "slipstick sweep belt.yaml --over vb=0.05:1:10 --over x=-1,0,1 --part 1/2 -o one.sweep\n"
               "slipstick sweep belt.yaml --over vb=0.05:1:10 --over x=-1,0,1 --part 2/2 -o two.sweep\n"
               "slipstick merge one.sweep two.sweep -o all.sweep\n",
    .run = run};

/* ---- merge. */

static int join(cli_job *job)
{
    const cli_arguments *arguments = job->arguments;
    const char *folder = argument_text(arguments, "output", NULL);
    slip_result *sweep = NULL;
    if (!folder)
        return fail_usage(arguments->verb, "expected a folder for the whole sweep: -o DIR");
    const int status = slip_sweep_merge(job->ctx, arguments->operand_count, arguments->operands, &sweep);
    int code = report_status(job->ctx, status);
    if (sweep)
        code = keep(job, sweep, folder, code);
    slip_result_destroy(sweep);
    return code;
}

static int merge(const cli_arguments *arguments)
{
    return run_job(arguments, join);
}

static const cli_option merge_options[] = {
    {"output", 'o', "DIR", "folder for the whole sweep"}, {"no-plot", 0, NULL, "draws no picture"}, {0}};

const cli_verb verb_merge = {
    .name = "merge",
    .summary = "joins the parts of a sweep",
    .operands = "DIR...",
    .operand_minimum = 1,
    .operand_maximum = 100000,
    .common = has_summary,
    .options = merge_options,
    .about = "Joins the folders of all parts of one sweep (`slipstick sweep --part K/N`) to the result\n"
             "that one sweep would have had, bit for bit.\n",
    .example = "slipstick new belt --template stick-slip-belt\n"
               "slipstick sweep belt.yaml --over vb=0.1:1:10 --part 1/2 -o one.sweep -q\n"
               "slipstick sweep belt.yaml --over vb=0.1:1:10 --part 2/2 -o two.sweep -q\n"
               "slipstick merge one.sweep two.sweep -o all.sweep\n",
    .run = merge};
