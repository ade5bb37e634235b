/* Runs gnuplot. */
#ifndef SLIP_IO_GNUPLOT_H
#define SLIP_IO_GNUPLOT_H

#include "base/context.h"

/* Runs `gnuplot script` inside the folder, for at most `seconds`; ends it early when the context is
 * interrupted. The output of gnuplot becomes part of the error message or, without an error, a warning in the
 * log. */
int slip_gnuplot_run(slip_context *ctx, const char *folder, const char *script, double seconds);

#endif
