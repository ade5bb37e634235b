/* What verbs that compute have in common: a context whose progress and warnings go to the terminal, an answer
 * to Ctrl-C, the summary for --json, and for most of them a model file and a folder. */
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
    slip_model *model;  /* NULL where the verb takes none */
    char *own;          /* the folder that the model's name stands for */
    const char *folder; /* that of --output, or `own` */
};

typedef int (*job_work)(cli_job *job); /* returns an exit code, as the functions below do */

/* How a call of the library ended that showed its progress: clears that, says what is wrong; an exit code. */
int job_ended(cli_job *job, int status);

/* Calls `work`. */
int run_job(cli_arguments *arguments, job_work work);

/* Loads the model file that is the operand of this index (`-`: standard input) with the overrides of --set,
 * and calls `work`. `ending` is that of the folder into which the results go, which is looked at first; NULL:
 * nothing is written. Before `work` begins there is nothing to keep, and a signal ends the program
 * at once.
 */
int run_job_on_model(cli_arguments *arguments, int operand, const char *ending, job_work work);

#endif
