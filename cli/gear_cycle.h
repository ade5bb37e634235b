/* slipstick gear cycle. */
#ifndef SLIP_CLI_GEAR_CYCLE_H
#define SLIP_CLI_GEAR_CYCLE_H

#include "arguments.h"
#include "terminal.h"

#include "slipstick/slipstick.h"

/* Takes the gears of the model through a mesh cycle under load. Returns an exit code. */
int run_cycle(slip_context *ctx, const cli_arguments *arguments, const slip_model *model,
              const slip_reduce_options *reduce, cli_terminal *terminal, const char *folder);

#endif
