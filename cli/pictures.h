/* What `run` and `gear run` do with a run folder that is there. */
#ifndef SLIP_CLI_PICTURES_H
#define SLIP_CLI_PICTURES_H

#include "slipstick/base.h"

#include <stdbool.h>

/* Draws the pictures and counts them. They are a help, not the result: without gnuplot there is a warning,
 * and the run has still succeeded. Only an interrupt makes it false. */
bool draw_pictures(slip_context *ctx, const char *folder, int *count);

/* Says where the results are. `ended` is the exit code of the run. */
void print_results_in(const char *folder, int ended, int pictures);

#endif
