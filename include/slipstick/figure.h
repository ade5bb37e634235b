/* Slipstick: figures of a program's own numbers, drawn by gnuplot as those of results are.
 *
 * A figure is a table of what is drawn: panels with curves, surfaces or images. Fields that are 0 or NULL
 * have their defaults, so that a description starts from {0}. It is not used after the call. Texts are plain;
 * names of Greek letters, primes, powers such as "m/s^2" and minus signs are printed as such. */
#ifndef SLIPSTICK_FIGURE_H
#define SLIPSTICK_FIGURE_H

#include "slipstick/base.h"

SLIP_BEGIN_C

typedef enum slip_curve_style {
    SLIP_CURVE_LINE, /* a line that lies on another one of its panel is drawn dashed, so that both are seen */
    SLIP_CURVE_DASHED,
    SLIP_CURVE_POINTS,
    SLIP_CURVE_DASHDOT,
    SLIP_CURVE_CELLS, /* of a grid: rectangles that touch each other */
    SLIP_CURVE_DOTS,  /* very many points */
    SLIP_CURVE_ARROWS /* from x, y; components are the next `count` numbers after those of x and of y */
} slip_curve_style;

typedef struct slip_curve {
    const double *x, *y; /* numbers that are not finite leave a gap */
    int64_t count;
    const char *label;           /* in the legend; NULL: none */
    const char *x_name, *y_name; /* of the columns in the data file; NULL: the panel's axis labels */
    int color;                   /* 1 to 8; 0: by the curve's place in its panel. Over a map: 0 is dark */
    slip_curve_style style;
    double cell[2]; /* of cells: width and height */
    int thin;       /* not zero: a hairline */
} slip_curve;

/* Points over a grid, row by row. A row of numbers that are not finite parts it into pieces. */
typedef struct slip_figure_surface {
    const double *x, *y, *z;
    int rows, columns;
} slip_figure_surface;

/* Pixels of three bytes, red, green and blue, from the top. */
typedef struct slip_figure_image {
    const unsigned char *pixels;
    int width, height;
} slip_figure_image;

/* A word beside a point. */
typedef struct slip_figure_note {
    double x, y;
    const char *text;
} slip_figure_note;

typedef struct slip_panel {
    const char *title;
    const char *x_label, *y_label;
    const slip_curve *curves;
    int curve_count;
    const slip_figure_note *notes;
    int note_count;
    double y_low, y_high;  /* the range to show; both 0: that of the curves */
    double x_step, y_step; /* between numbers at the axes; 0: by their sizes */
    int log_x, log_y;      /* not zero: logarithmic axes, without what is not positive */
    /* A panel with a surface: in space (its curves are not drawn), or as a map, z by colours under the
     * curves. All axes have the same unit of length; of a map x and y, unless it is stretched: then its cells
     * are drawn as they are. */
    const slip_figure_surface *surface; /* NULL: curves only */
    int map, stretched;
    int light; /* of a map: not zero: colours from white to blue, so that lines are seen on all of them */
    const char *z_label;
    const slip_figure_image *image; /* NULL: none. Fills the panel in place of all else */
} slip_panel;

typedef struct slip_figure {
    const char *name;  /* of the picture files, without ending */
    const char *title; /* above all panels; NULL: none */
    const slip_panel *panels;
    int panel_count;
    int columns;       /* of the grid, filled row by row; 0 is 1 */
    int stacked;       /* not zero: one column whose panels share the x axis: numbers below the last only */
    int rows_share_y;  /* not zero: panels side by side have the same range of y */
    int width, height; /* of the PNG in pixels; 0: by the number of panels */
    /* Of images: a scale of their colours beside them, from 0 to scale_high. NULL: none */
    const char *scale;
    double scale_high;
} slip_figure;

/* Draws a figure: writes NAME.gp and NAME.dat, and with gnuplot NAME.png and NAME.svg, into the folder (made
 * when it is not there). Both pictures are new or, after a failure, none is; script and data are written also
 * where gnuplot is missing. `written` is called with the path of each picture; may be NULL. */
SLIP_API int slip_figure_plot(slip_context *ctx, const slip_figure *figure, const char *folder,
                              slip_path_function written, void *user);

SLIP_END_C

#endif
