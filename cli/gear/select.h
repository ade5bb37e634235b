/* slipstick gear select. */
#ifndef SLIP_CLI_GEAR_SELECT_H
#define SLIP_CLI_GEAR_SELECT_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Finds the numbers of modes and the penalty that the gears of the model need, and prints the table of
 * trials. Returns an exit code. */
int select_gears(cli_job *job, const slip_reduce_options *reduce);

#endif
