/* slipstick run, which `gear run` is another name of. */
#ifndef SLIP_CLI_RUN_H
#define SLIP_CLI_RUN_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Runs the model into the folder and prints what came of it; reduce: of gears. Returns an exit code. */
int run_model(cli_job *job, const slip_reduce_options *reduce);

#endif
