/* A job: the common environment of verbs that compute. It has a context whose progress and warnings go to the
 * terminal, handles Ctrl-C and the summary for --json, and for most verbs has a model and a folder. */
#ifndef SLIP_CLI_JOB_H
#define SLIP_CLI_JOB_H

#include "arguments.h"
#include "json.h"
#include "terminal.h"
#include "verb.h"

#include "slipstick/model.h"

struct cli_job {
    cli_arguments *arguments;
    slip_context *ctx;
    cli_terminal terminal;
    cli_json json;
    slip_model *model;  /* NULL if the verb takes none */
    char *own;          /* the default folder, from the model's name */
    const char *folder; /* that of --output, or `own` */
};

typedef int (*job_work)(cli_job *job); /* returns an exit code, as the functions below do */

/* To be called after a library call with progress: removes the bar, prints an error. Returns an exit code. */
int job_ended(cli_job *job, int status);

/* Sets up a job without a model and calls `work`. */
int run_job(cli_arguments *arguments, job_work work);

/* Loads the model file given by operand `operand` (`-`: standard input) with the overrides of --set, and
 * calls `work`. ending: of the result folder, which is checked first; NULL: nothing is written. Before `work`
 * begins a signal ends the program at once, since there are no results yet. */
int run_job_on_model(cli_arguments *arguments, int operand, const char *ending, job_work work);

#endif
