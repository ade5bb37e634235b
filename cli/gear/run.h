/* What a run with gears prints. */
#ifndef SLIP_CLI_GEAR_RUN_H
#define SLIP_CLI_GEAR_RUN_H

#include "slipstick/slipstick.h"

void print_gear_summary(const slip_model *model, const slip_result *result);

#endif
