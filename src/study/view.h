/* Pictures and exports of a result in a folder: one row of the table in view.c for each kind of result. */
#ifndef SLIP_STUDY_VIEW_H
#define SLIP_STUDY_VIEW_H

#include "figure/album.h"

/* The pictures of static solutions (of bodies) and of a map of their numbers; VTU files of the bodies. */
int slip_statics_draw(slip_album *album);
int slip_statics_write_vtu(slip_context *ctx, const slip_result *result, const char *folder,
                           const char *path);
/* Bodies in motion (body_frames.c): at most 200 frames of a run with the contact forces; a period of the
 * modes that grow, or of the lowest ones, and their pictures. */
int slip_run_write_vtu(slip_context *ctx, const slip_result *result, const char *folder, const char *path);
int slip_modes_write_vtu(slip_context *ctx, const slip_result *result, const char *folder, const char *path);
int slip_modes_draw_shapes(slip_context *ctx, const slip_result *result, const char *folder,
                           const slip_plot_options *options);
/* Finds rows of the growing (else lowest) modes at the last value of the parameter; returns how many. Of
 * whole bodies the result has their shapes as an array: the mode, real parts and imaginary parts of all
 * unknowns. */
enum { slip_shapes_most = 6 };
#define SLIP_SHAPES_PLACE "body/shapes"
int slip_shapes_choose(const slip_result *result, int64_t rows[slip_shapes_most]);
int slip_map_draw(slip_album *album);

#endif
