/* What `run` and `gear run` do with a run folder that is there. */
#ifndef SLIP_CLI_PICTURES_H
#define SLIP_CLI_PICTURES_H

#include "slipstick/base.h"

/* Draws the pictures and returns their number. They are a help, not the result: without gnuplot there is a
 * warning, and the run has still succeeded. */
int draw_pictures(slip_context *ctx, const char *folder);

/* Says where the results are. `ended` is the exit code of the run. */
void print_results_in(const char *folder, int ended, int pictures);

#endif
