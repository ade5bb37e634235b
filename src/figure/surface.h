/* Panels with a surface: their part of the script. */
#ifndef SLIP_FIGURE_SURFACE_H
#define SLIP_FIGURE_SURFACE_H

#include "base/text.h"
#include "figure/data.h"

/* Where a panel stands, in parts of the whole picture; and the picture's size in pixels. */
typedef struct slip_panel_box {
    double left, right, bottom, top;
    int width, height;
} slip_panel_box;

/* Appends everything from the axes to the plot command. */
void slip_surface_write_script(slip_text *text, const slip_panel *panel, const slip_panel_box *box,
                               const slip_figure_data *data);

#endif
