/* Lyapunov exponents: what others of this folder see. */
#ifndef SLIP_STUDY_LYAPUNOV_H
#define SLIP_STUDY_LYAPUNOV_H

#include "result/result.h"
#include "study/sweep/sweep.h"

extern const slip_sweep_task slip_lyapunov_task; /* exponents over axes */

int slip_lyapunov_draw(slip_context *ctx, slip_result *result, const char *folder,
                       const slip_plot_options *options);

#endif
