/* slipstick gear run. */
#ifndef SLIP_CLI_GEAR_RUN_H
#define SLIP_CLI_GEAR_RUN_H

#include "arguments.h"
#include "terminal.h"

#include "slipstick/slipstick.h"

/* Runs the gears of the model into the folder and prints what came of it. Returns an exit code. */
int run_gears(slip_context *ctx, const cli_arguments *arguments, const slip_model *model,
              const slip_reduce_options *reduce, cli_terminal *terminal, const char *folder);

#endif
