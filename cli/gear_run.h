/* slipstick gear run. */
#ifndef SLIP_CLI_GEAR_RUN_H
#define SLIP_CLI_GEAR_RUN_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Runs the gears of the model into the folder and prints what came of it. Returns an exit code. */
int run_gears(cli_job *job, const slip_reduce_options *reduce);

#endif
