/* slipstick run, which `gear run` is another name of. */
#ifndef SLIP_CLI_RUN_H
#define SLIP_CLI_RUN_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Runs the model, saves the result in the job's folder and prints a summary. reduce: options of the reduction
 * of gears. Returns an exit code. */
int run_model(cli_job *job, const slip_reduce_options *reduce);

#endif
