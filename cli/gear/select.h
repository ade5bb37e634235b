/* slipstick gear select. */
#ifndef SLIP_CLI_GEAR_SELECT_H
#define SLIP_CLI_GEAR_SELECT_H

#include "job.h"

#include "slipstick/slipstick.h"

/* Finds how many modes and which penalty the gears of the model need, and prints the table that led there.
 * Returns an exit code. */
int select_gears(cli_job *job, const slip_reduce_options *reduce);

#endif
