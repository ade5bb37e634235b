/* slipstick basin: which attractor each start leads to. */
#include "job.h"
#include "report.h"
#include "study/over.h"
#include "verb.h"

#include "slipstick/basin.h"

static int read_options(cli_job *job, const cli_over *over, slip_basin_options *o)
{
    cli_arguments *arguments = job->arguments;
    int within = -1;
    argument_number(arguments, "tolerance", &o->tolerance);
    argument_count(arguments, "within", 1, 1000000000, &within);
    argument_count(arguments, "refine", 0, 12, &o->refine);
    o->within = within;
    o->period = argument_text(arguments, "period", NULL);
    o->section = argument_text(arguments, "section", NULL);
    o->device = argument_text(arguments, "device", NULL);
    o->labels = argument_given(arguments, "labels") ? 1 : -1;
    OVER_GIVE(o, over, job);
    return arguments->code;
}

static int work(cli_job *job)
{
    slip_basin_options options = slip_basin_options_default();
    cli_over over = {0};
    slip_result *basin = NULL;
    int code = over_read(job, &over);
    if (code == exit_done)
        code = read_options(job, &over, &options);
    if (code == exit_done)
        code = job_ended(job, slip_basin(job->ctx, job->model, &options, &basin));
    code = over_keep(job, basin, job->folder, code);
    over_free(&over);
    return code;
}

static const cli_option options[] = {
    OPTION_OVER,
    {"period", 0, "EXPR",
     "of the load, such as 2*pi/w; default: the model's. A model that\ndoes not change with time has none"},
    {"section", 0, "NAME",
     "where there is no period, motions are compared where this\ncoordinate has a maximum; default: the "
     "first\nthat moves"},
    {"tolerance", 0, "NUMBER", "relative error of the motions that are found; default 1e-6"},
    {"within", 0, "COUNT",
     "gives a start up after so many periods or, where there is\nnone, times the model's time span; default "
     "500"},
    {"refine", 0, "COUNT", "halves the cells between different attractors so often"},
    OPTION_THREADS,
    {"device", 0, "NAME",
     "where there is a period: moves the starts together on `cpu`\n(vector units) or `cuda` (a graphics "
     "card); "
     "`auto` chooses,\n`none` (default) runs one by one"},
    {"labels", 0, NULL,
     "keeps of each start the attractor and no more, line by line\nalong the last axis: for grids of many "
     "millions"},
    OPTION_PART,
    {"restart", 0, NULL, "forgets what an unfinished job has left in the folder"},
    {"output", 'o', "DIR", "folder for the results"},
    {"no-plot", 0, NULL, "draws no picture"},
    {0}};

const cli_verb verb_basin = {
    .name = "basin",
    .summary = "finds which attractor each start leads to",
    .operands = "FILE",
    .operand_minimum = 1,
    .operand_maximum = 1,
    .common = takes_model | has_summary | shares_work,
    .options = options,
    .about = "Follows the motion of the model FILE from every start, over one or more initial values\n"
             "or parameters, until it is known where it leads: rest in stick, steady sliding,\n"
             "equilibrium, a cycle. Attractors are told apart by their place and period, and named\n"
             "in the order of the starts; their signature is the sequence of modes and events of one\n"
             "period. All states of rest in which the same contacts stick are one attractor, a set.\n"
             "Without --over the axes are those of the model's `basin` section.\n"
             "\n"
             "Every finished start is kept at once, in basin.journal of the folder: a job that was\n"
             "interrupted or killed goes on where it stopped when the same command is given again.\n"
             "The results go to a folder, called like FILE with `.basin` for its ending: basin.csv\n"
             "(one row a start; with --labels a line of starts), attractors.json, result.h5,\n"
             "summary.json, model.yaml, and a picture.\n",
    .example = "slipstick new belt --template belt-basins\n"
               "slipstick basin belt.yaml --over x=-1.5:2.5:9 --over \"x'=-2:2:9\" --refine 1\n",
    .ending = ".basin",
    .work = work};
