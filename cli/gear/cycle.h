/* slipstick gear cycle. */
#ifndef SLIP_CLI_GEAR_CYCLE_H
#define SLIP_CLI_GEAR_CYCLE_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Computes the mesh cycle of the model's two gears under load. Returns an exit code. */
int run_cycle(cli_job *job, const slip_reduce_options *reduce);

#endif
