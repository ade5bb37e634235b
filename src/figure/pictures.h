/* The pictures of each kind of result. A new kind of result is one row of the table in
 * study/view.c, or belongs to a study (model/study.h). */
#ifndef SLIP_FIGURE_PICTURES_H
#define SLIP_FIGURE_PICTURES_H

#include "figure/album.h"

/* The range of records that pictures show (by options->from, to); fails if it is empty. */
int slip_plot_span(const slip_album *album, int64_t *first, int64_t *count);

/* One series of a result over another, as options->xy names them. */
int slip_xy_draw(slip_album *album);

/* Add the pictures of the album's result: of a run in time, of gears in motion, of a mesh cycle. */
int slip_run_draw(slip_album *album);
int slip_gears_draw(slip_album *album);
int slip_cycle_draw(slip_album *album);

#endif
