/* slipstick gear select. */
#ifndef SLIP_CLI_GEAR_SELECT_H
#define SLIP_CLI_GEAR_SELECT_H

#include "arguments.h"
#include "terminal.h"

#include "slipstick/slipstick.h"

/* Finds how many modes and which penalty the gears of the model need, and prints the table that led there.
 * Returns an exit code. */
int select_gears(slip_context *ctx, const cli_arguments *arguments, const slip_model *model,
                 const slip_reduce_options *reduce, cli_terminal *terminal, const char *folder);

#endif
