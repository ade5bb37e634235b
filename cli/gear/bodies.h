/* The reduced bodies that verbs on two gears need. */
#ifndef SLIP_CLI_GEAR_BODIES_H
#define SLIP_CLI_GEAR_BODIES_H

#include "terminal.h"

#include "slipstick/slipstick.h"

/* Makes FOLDER/GEAR.h5 for the first two gears of the model, or reads it if its settings agree. Prints a line
 * for each unless terminal is NULL. The caller destroys bodies[], also after a failure. */
int reduce_gears(slip_context *ctx, const slip_model *model, const slip_reduce_options *reduce,
                 cli_terminal *terminal, const char *folder, slip_reduced *bodies[2]);

#endif
