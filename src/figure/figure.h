/* Figures are described as slipstick/figure.h says; here several are drawn at once, in the formats that a
 * user asks for. */
#ifndef SLIP_FIGURE_FIGURE_H
#define SLIP_FIGURE_FIGURE_H

#include "base/context.h"
#include "slipstick/figure.h"
#include "slipstick/result.h"

/* Draws the figures by one script: BASE.gp, BASE.dat and NAME.png ... of each. All pictures are new or, after
 * a failure, none is. Of the options formats, written and user are looked at. */
int slip_figures_draw(slip_context *ctx, const slip_figure *figures, int figure_count, const char *folder,
                      const char *base, const slip_plot_options *options);

/* Frames of an animation: PNG alone, and script and data are not kept where all went well. */
int slip_figures_draw_frames(slip_context *ctx, const slip_figure *figures, int figure_count,
                             const char *folder, slip_path_function written, void *user);

/* Whoever wants the figures themselves and no pictures hands slip_figures_collect as `written` and a
 * collector as `user`: then nothing is written, and `take` gets the figures, whose numbers are there as long
 * as it runs. */
typedef struct slip_figure_collector {
    int (*take)(void *user, slip_context *ctx, const slip_figure *figures, int count);
    void *user;
} slip_figure_collector;
void slip_figures_collect(void *collector, const char *path);

#endif
