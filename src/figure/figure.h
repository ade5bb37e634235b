/* Figures: a grid of panels with curves, drawn by gnuplot as PNG and SVG. The script and its data stay beside
 * the pictures, for a user to edit. */
#ifndef SLIP_FIGURE_FIGURE_H
#define SLIP_FIGURE_FIGURE_H

#include "base/context.h"

#include <stdint.h>

typedef enum slip_curve_style {
    SLIP_CURVE_LINE,
    SLIP_CURVE_DASHED,
    SLIP_CURVE_POINTS,
    SLIP_CURVE_DASHDOT,
    SLIP_CURVE_CELLS, /* of a grid: rectangles that touch each other */
    SLIP_CURVE_DOTS   /* very many points */
} slip_curve_style;

typedef struct slip_curve {
    const double *x, *y; /* numbers that are not finite leave a gap */
    int64_t count;
    const char *label;           /* in the legend; NULL: none */
    const char *x_name, *y_name; /* of the columns in the data file; NULL: the panel's axis labels */
    int color;                   /* 1 to 8; 0: by the curve's place in its panel */
    slip_curve_style style;
    double cell[2]; /* of cells: width and height */
} slip_curve;

/* Points over a grid, row by row. A row of numbers that are not finite parts it into pieces. */
typedef struct slip_surface {
    const double *x, *y, *z;
    int rows, columns;
} slip_surface;

/* A word beside a point. */
typedef struct slip_figure_note {
    double x, y;
    const char *text;
} slip_figure_note;

typedef struct slip_panel {
    const char *title; /* this and the labels may be NULL */
    const char *x_label, *y_label;
    const slip_curve *curves;
    int curve_count;
    const slip_figure_note *notes;
    int note_count;
    double y_low, y_high; /* the range to show; both 0: that of the curves */
    double x_step;        /* between numbers at the x axis; 0: by its size */
    bool log_x, log_y;    /* logarithmic axes, without what is not positive */
    /* A panel with a surface: in space (its curves are not drawn), or as a map, z by colours under the
     * curves. All axes have the same unit of length; of a map x and y, unless it is stretched: then its cells
     * are drawn as they are. */
    const slip_surface *surface; /* NULL: curves only */
    bool map, stretched;
    const char *z_label;
} slip_panel;

typedef struct slip_figure {
    const char *name;  /* of the picture files, without ending */
    const char *title; /* above all panels; NULL: none */
    const slip_panel *panels;
    int panel_count;
    int columns;       /* of the grid, filled row by row; 0 is 1 */
    bool stacked;      /* one column whose panels share the x axis: numbers below the last only */
    bool rows_share_y; /* panels side by side have the same range of y */
    int width, height; /* of the PNG in pixels; 0: by the number of panels */
} slip_figure;

/* Draws the figures: writes BASE.gp and BASE.dat, and NAME.png and NAME.svg for each, into the folder (made
 * when it is not there). All pictures are new or, after a failure, none is. Script and data are written also
 * where gnuplot is missing. `written` is called with the path of each picture; may be NULL. */
int slip_figures_draw(slip_context *ctx, const slip_figure *figures, int figure_count, const char *folder,
                      const char *base, void (*written)(void *user, const char *path), void *user);

/* Whoever wants the figures themselves and no pictures hands slip_figures_collect as `written` and a
 * collector as `user`: then nothing is written, pictures that are no figures (bodies) are left out, and
 * `take` gets the figures, whose numbers are there as long as it runs. */
typedef struct slip_figure_collector {
    int (*take)(void *user, slip_context *ctx, const slip_figure *figures, int count);
    void *user;
} slip_figure_collector;
void slip_figures_collect(void *collector, const char *path);

/* One figure, with its own name as the base. */
int slip_figure_draw(slip_context *ctx, const slip_figure *figure, const char *folder,
                     void (*written)(void *user, const char *path), void *user);

#endif
