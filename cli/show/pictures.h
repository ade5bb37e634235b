/* Saving, drawing and printing of results, shared by verbs. */
#ifndef SLIP_CLI_PICTURES_H
#define SLIP_CLI_PICTURES_H

#include "job.h"

#include "slipstick/result.h"

#include <stdbool.h>

/* Draws the pictures and counts them. A failure (no gnuplot) is a warning. False only after an interrupt. */
bool draw_pictures(slip_context *ctx, const char *folder, int *count);

/* Prints where the results are. ended: exit code of the run. */
void print_results_in(const char *folder, int ended, int pictures);

/* Saves the result of a study (NULL: there is none) in a folder, writes its --json, draws its pictures
 * (unless it is empty), prints it (unless print is NULL) and its folder, and destroys it. ended: exit code of
 * the study. Returns an exit code. */
int keep_result(cli_job *job, slip_result *result, const char *folder, bool empty,
                void (*print)(slip_result *result), int ended);

#endif
