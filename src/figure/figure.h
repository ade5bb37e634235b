/* Draws several figures (slipstick/figure.h) at once, in the formats that the user wants. */
#ifndef SLIP_FIGURE_FIGURE_H
#define SLIP_FIGURE_FIGURE_H

#include "base/context.h"
#include "slipstick/figure.h"
#include "slipstick/result.h"

/* Draws the figures by one script: BASE.gp, BASE.dat and NAME.png ... of each. Either all pictures are
 * replaced or, after a failure, none. Only `formats`, `written` and `user` of the options are used. */
int slip_figures_draw(slip_context *ctx, const slip_figure *figures, int figure_count, const char *folder,
                      const char *base, const slip_plot_options *options);

/* Draws frames of an animation: PNG only; script and data are kept only after a failure. */
int slip_figures_draw_frames(slip_context *ctx, const slip_figure *figures, int figure_count,
                             const char *folder, slip_path_function written, void *user);

/* To get the figures instead of pictures, pass slip_figures_collect as `written` and a collector as `user`.
 * Then nothing is drawn, and `take` is called with the figures, which are valid during the call. */
typedef struct slip_figure_collector {
    int (*take)(void *user, slip_context *ctx, const slip_figure *figures, int count);
    void *user;
} slip_figure_collector;
void slip_figures_collect(void *collector, const char *path);

#endif
