/* Positions of panels, legends and titles, and line styles of curves. Sizes are in pixels of the PNG. */
#ifndef SLIP_FIGURE_LAYOUT_H
#define SLIP_FIGURE_LAYOUT_H

#include "figure/axis.h"
#include "figure/data.h"

enum {
    slip_layout_character = 17, /* width of one at the font's size */
    slip_layout_title = 65,     /* height of the figure's title, */
    slip_layout_gap = 45,       /* between panels one above the other, */
    slip_layout_sample = 120,   /* width of a line in a legend with what is free around it, */
    slip_layout_row = 50,       /* height of a row of a legend on top, */
    slip_layout_scale = 150,    /* width of the scale beside images */
    slip_layout_dashes = 5      /* kinds of lines */
};

/* The position of a panel, as fractions of the whole picture, and the size of the picture in pixels. */
typedef struct slip_panel_box {
    double left, right, bottom, top;
    int width, height;
} slip_panel_box;

/* A curve in the legend that all panels share. */
typedef struct slip_legend_entry {
    const char *label;
    int color, dash;
    slip_curve_style style;
} slip_legend_entry;

enum { slip_legend_max = 32 };

typedef struct slip_legend {
    slip_legend_entry entries[slip_legend_max];
    int count;
} slip_legend;

typedef struct slip_layout {
    int width, height, columns, rows;
    double title;       /* height taken by the figure's title */
    double left;        /* width left of a panel for its numbers and label */
    double right;       /* free width at its right */
    double key;         /* width taken by a legend at the right, or height by one on top */
    int key_columns;    /* of a legend on top */
    double panel;       /* height of a stacked one */
    slip_legend legend; /* of a grid, below the figure's title */
    bool panel_titles;
} slip_layout;

/* The layout of a figure; the position of one of its panels. */
slip_layout slip_layout_of(const slip_figure *figure);
slip_panel_box slip_layout_box(const slip_figure *figure, const slip_layout *layout, int panel);

/* Whether the panels of a figure are images. */
bool slip_layout_has_images(const slip_figure *figure);
/* How many entries of the common legend, from one on, fit beside each other, and how wide each is. */
int slip_layout_legend_row(const slip_layout *layout, int first, double *width);
double slip_layout_entry_width(const slip_legend_entry *entry);
/* How many labels a panel has, and the length of the longest of all seen so far. */
int slip_layout_labels(const slip_panel *panel, int *longest);

/* The ranges of a panel's axes, and the step between numbers at the x axis of so many pixels. */
slip_axis_range slip_layout_x(const slip_figure *figure, int panel);
slip_axis_range slip_layout_y(const slip_figure *figure, int panel);
double slip_layout_x_step(slip_axis_range range, double pixels);

/* The colour of a curve, 1 to 8. Its dashes (slip_layout_dash), from 0: a line that covers another one is
 * dashed, so that the other one is visible, and so is a line whose colour has been used before. */
int slip_layout_color(const slip_panel *panel, int curve);
/* The label of a curve; NULL: it has none, or none of its points is visible. */
const char *slip_layout_label(const slip_curve *curve);
/* The style of a curve: a line of zero length is drawn as a point. */
slip_curve_style slip_layout_style(const slip_curve *curve, slip_axis_range x, slip_axis_range y);
int slip_layout_dash(const slip_panel *panel, int curve, slip_axis_range x, slip_axis_range y);

#endif
