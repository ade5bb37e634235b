/* slipstick gear cycle. */
#ifndef SLIP_CLI_GEAR_CYCLE_H
#define SLIP_CLI_GEAR_CYCLE_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Takes the gears of the model through a mesh cycle under load. Returns an exit code. */
int run_cycle(cli_job *job, const slip_reduce_options *reduce);

#endif
