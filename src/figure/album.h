/* An album: a set of figures under construction. All memory is in one arena until the album is drawn. A
 * failed allocation is recorded and reported then, so the functions that add need not be checked. */
#ifndef SLIP_FIGURE_ALBUM_H
#define SLIP_FIGURE_ALBUM_H

#include "base/memory.h"
#include "figure/figure.h"
#include "result/result.h"

enum { slip_album_figures = 8 };

typedef struct slip_album {
    slip_context *ctx;
    slip_result *result; /* its title stands above the figures; may be NULL */
    const char *folder;  /* in which the pictures are written */
    const slip_plot_options *options;
    const char *base; /* name of script and data; NULL: that of the first figure */
    slip_arena arena;
    slip_figure figures[slip_album_figures];
    int count;
    bool failed; /* out of memory */
    slip_panel spare_panel;
    slip_curve spare_curve;
} slip_album;

/* Add a figure, a panel to the last figure, a curve to the last panel. The pointer, through which the caller
 * may change the object, is valid until the next one is added. */
slip_figure *slip_album_figure(slip_album *album, const char *name);
slip_panel *slip_album_panel(slip_album *album, const char *x_label, const char *y_label);
slip_curve *slip_album_curve(slip_album *album, const double *x, const double *y, int64_t count,
                             const char *label);
/* A curve built point by point: reserve `room` points, add points, add the curve to the last panel. Without
 * points, or out of memory, slip_pen_curve has no effect. */
typedef struct slip_pen {
    slip_album *album;
    double *x, *y;
    int64_t room, count;
} slip_pen;
slip_pen slip_album_pen(slip_album *album, int64_t room);
void slip_pen_to(slip_pen *pen, double x, double y);
slip_curve *slip_pen_curve(const slip_pen *pen, const char *label);
/* Makes the last panel an image; returns its pixels, which the caller fills; NULL: out of memory. */
unsigned char *slip_album_image(slip_album *album, int width, int height);
/* Makes the last panel a surface in space or, with `map`, a map. */
slip_panel *slip_album_surface(slip_album *album, const slip_figure_surface *surface, const char *z_label,
                               bool map);
void slip_album_note(slip_album *album, double x, double y, const char *text);

/* Allocate in the album's arena; out of memory gives NULL, or "" for texts. */
double *slip_album_numbers(slip_album *album, int64_t count);
const char *slip_album_text(slip_album *album, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "displacement x [mm]": parts that are NULL or "" are left out. */
const char *slip_album_label(slip_album *album, const char *what, const char *name, const char *unit);
/* "(3 of 9)"; NULL if all are shown. */
const char *slip_album_part(slip_album *album, int shown, int all);
/* Adds "(3 of 9 WHAT)" to the title of the last figure, unless all are shown. */
void slip_album_title_part(slip_album *album, int shown, int all, const char *what);
/* The name and unit of a column; a panel of one over another. */
const char *slip_album_column(slip_album *album, const slip_column *column);
slip_panel *slip_album_columns(slip_album *album, const slip_column *x, const slip_column *y);

/* ---- Data of results. */

/* A series of the result. *count: required length; 0: any, and *count is set. Fails without such a series. */
int slip_album_series(slip_album *album, const char *name, int64_t *count, const double **values);
/* Numbers times a factor. */
double *slip_album_scaled(slip_album *album, const double *values, int64_t count, double factor);
/* The index of the point nearest to a label on its branch; branch, value: of all points. -1: none. */
int64_t slip_album_labelled(const slip_label *label, const double *branch, const double *value,
                            int64_t count);
/* Chooses the `most` largest numbers; their indices, ascending, are stored in chosen. Returns how many. */
int slip_album_largest(const double *sizes, int count, int most, int *chosen);

/* Draws the album unless `status` is an error, and frees its contents. Returns the status. */
int slip_album_draw(slip_album *album, int status);

#endif
