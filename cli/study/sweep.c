/* slipstick sweep, slipstick merge: runs over parameters and initial values. */
#include "job.h"
#include "report.h"
#include "study/over.h"
#include "verb.h"

#include "slipstick/sweep.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options. */

typedef struct request {
    slip_sweep_options options;
    cli_over over;
    char *names; /* of --collect, cut at commas */
    const char **collect;
} request;

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

static int read_request(cli_job *job, request *r)
{
    slip_sweep_options *o = &r->options;
    int code = over_read(job, &r->over);
    if (code == exit_done)
        code = read_names(job, r);
    o->carry = argument_given(job->arguments, "carry") ? 1 : -1;
    OVER_GIVE(o, &r->over, job);
    o->device = argument_text(job->arguments, "device", NULL);
    return code;
}

static void free_request(request *r)
{
    over_free(&r->over);
    free(r->names);
    free(r->collect);
}

/* ---- sweep. */

static int work(cli_job *job)
{
    request r = {.options = slip_sweep_options_default()};
    slip_result *sweep = NULL;
    int code = read_request(job, &r);
    if (code == exit_done)
        code = job_ended(job, slip_sweep(job->ctx, job->model, &r.options, &sweep));
    code = over_keep(job, sweep, job->folder, code);
    free_request(&r);
    return code;
}

static const cli_option options[] = {
    OPTION_OVER,
    {"collect", 0, "A,B,...",
     "numbers of each run by their path in summary.json: max.x,\nfinal.x, events.total"},
    {"carry", 0, NULL, "starts each run where the last one ended, along the last\naxis and back: hysteresis"},
    OPTION_THREADS,
    {"device", 0, "NAME",
     "moves the runs together on `cpu` (vector units) or `cuda` (a\ngraphics card), as far as it takes them; "
     "`auto` "
     "(default)\nchooses from 1000 runs on, `none` runs one by one"},
    OPTION_PART,
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
    .common = takes_model | has_summary | shares_work,
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
    .ending = ".sweep",
    .work = work};

/* ---- merge. */

static int join(cli_job *job)
{
    cli_arguments *arguments = job->arguments;
    const char *folder = argument_text(arguments, "output", NULL);
    slip_result *sweep = NULL;
    if (!folder)
        return fail_usage(arguments->verb, "expected a folder for the whole: -o DIR");
    const int status = slip_sweep_merge(job->ctx, arguments->operand_count, arguments->operands, &sweep);
    return over_keep(job, sweep, folder, report_status(job->ctx, status));
}

static const cli_option merge_options[] = {
    {"output", 'o', "DIR", "folder for the whole"}, {"no-plot", 0, NULL, "draws no picture"}, {0}};

const cli_verb verb_merge = {
    .name = "merge",
    .summary = "joins the parts of a sweep, a basin or of exponents",
    .operands = "DIR...",
    .operand_minimum = 1,
    .operand_maximum = 100000,
    .common = has_summary,
    .options = merge_options,
    .about = "Joins the folders of all parts of one study (`--part K/N` of sweep, basin or lyapunov) to the\n"
             "result that one job would have had, bit for bit.\n",
    .example = "slipstick new belt --template stick-slip-belt\n"
               "slipstick sweep belt.yaml --over vb=0.1:1:10 --part 1/2 -o one.sweep -q\n"
               "slipstick sweep belt.yaml --over vb=0.1:1:10 --part 2/2 -o two.sweep -q\n"
               "slipstick merge one.sweep two.sweep -o all.sweep\n",
    .work = join};
