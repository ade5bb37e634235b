/* Points of a return map over a parameter. */
#ifndef SLIP_STUDY_BIFURCATION_H
#define SLIP_STUDY_BIFURCATION_H

#include "result/result.h"
#include "slipstick/bifurcation.h"

int slip_bifurcation_draw(slip_context *ctx, slip_result *result, const char *folder,
                          const slip_plot_options *options);

#endif
