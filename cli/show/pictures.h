/* What verbs do with a result and its folder. */
#ifndef SLIP_CLI_PICTURES_H
#define SLIP_CLI_PICTURES_H

#include "job.h"

#include "slipstick/result.h"

#include <stdbool.h>

/* Draws the pictures and counts them. They are a help, not the result: without gnuplot there is a warning,
 * and the run has still succeeded. Only an interrupt makes it false. */
bool draw_pictures(slip_context *ctx, const char *folder, int *count);

/* Says where the results are. `ended` is the exit code of the run. */
void print_results_in(const char *folder, int ended, int pictures);

/* Keeps the result of a study (NULL: there is none) in a folder: saves it, hands it to --json, draws its
 * pictures (of an empty one none), has it printed (unless `print` is NULL), says where it is, and destroys
 * it. `ended` is the exit code of the study. Returns an exit code. */
int keep_result(cli_job *job, slip_result *result, const char *folder, bool empty,
                void (*print)(slip_result *result), int ended);

#endif
