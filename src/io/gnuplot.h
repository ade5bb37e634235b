/* Runs gnuplot. */
#ifndef SLIP_IO_GNUPLOT_H
#define SLIP_IO_GNUPLOT_H

#include "base/context.h"

/* Runs `gnuplot script` inside the folder, for at most `seconds`; ends it early when the context is
 * interrupted. What gnuplot says goes into the message of a failure, else to the log as a warning. */
int slip_gnuplot_run(slip_context *ctx, const char *folder, const char *script, double seconds);

#endif
