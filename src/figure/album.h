/* Figures as they are put together. Everything lives in one arena until it is drawn, and that there was no
 * memory is remembered: whoever adds need not look. */
#ifndef SLIP_FIGURE_ALBUM_H
#define SLIP_FIGURE_ALBUM_H

#include "base/memory.h"
#include "figure/figure.h"
#include "result/result.h"

enum { slip_album_figures = 8 };

typedef struct slip_album {
    slip_context *ctx;
    slip_result *result; /* its title stands above the figures; may be NULL */
    const char *folder;  /* into which they are drawn, */
    const slip_plot_options *options;
    const char *base; /* and how script and data are called; NULL: as the first figure */
    slip_arena arena;
    slip_figure figures[slip_album_figures];
    int count;
    bool failed; /* out of memory */
    slip_panel spare_panel;
    slip_curve spare_curve;
} slip_album;

/* What is added next to the last figure, or panel. The pointer holds until the next is added; what it points
 * to may be changed. */
slip_figure *slip_album_figure(slip_album *album, const char *name);
slip_panel *slip_album_panel(slip_album *album, const char *x_label, const char *y_label);
slip_curve *slip_album_curve(slip_album *album, const double *x, const double *y, int64_t count,
                             const char *label);
/* A curve that is drawn point by point: room for so many points, the points, the curve in the last panel.
 * Where there are none, or no memory is left, the last has no effect. */
typedef struct slip_pen {
    slip_album *album;
    double *x, *y;
    int64_t room, count;
} slip_pen;
slip_pen slip_album_pen(slip_album *album, int64_t room);
void slip_pen_to(slip_pen *pen, double x, double y);
slip_curve *slip_pen_curve(const slip_pen *pen, const char *label);
/* Pixels that fill the last panel, to be painted; NULL when out of memory. */
unsigned char *slip_album_image(slip_album *album, int width, int height);
/* The surface of the last panel, as a map where `map`. */
slip_panel *slip_album_surface(slip_album *album, const slip_figure_surface *surface, const char *z_label,
                               bool map);
void slip_album_note(slip_album *album, double x, double y, const char *text);

/* Memory of the album: numbers are NULL, and texts "", when there is none. */
double *slip_album_numbers(slip_album *album, int64_t count);
const char *slip_album_text(slip_album *album, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "displacement x [mm]": parts that are NULL or "" are left out. */
const char *slip_album_label(slip_album *album, const char *what, const char *name, const char *unit);
/* "(3 of 9)"; NULL: that is all. */
const char *slip_album_part(slip_album *album, int shown, int all);
/* The title of the last figure says that it shows 3 of 9 WHAT, where it does not show all. */
void slip_album_title_part(slip_album *album, int shown, int all, const char *what);
/* The name and unit of a column; a panel of one over another. */
const char *slip_album_column(slip_album *album, const slip_column *column);
slip_panel *slip_album_columns(slip_album *album, const slip_column *x, const slip_column *y);

/* ---- What pictures look for. */

/* A series of the result, of so many values (*count; 0: any, and *count is set); fails where there is none.
 */
int slip_album_series(slip_album *album, const char *name, int64_t *count, const double **values);
/* Numbers times a factor. */
double *slip_album_scaled(slip_album *album, const double *values, int64_t count, double factor);
/* The point of its branch, by their numbers and values, that is next to a label; -1: its branch is not there.
 */
int64_t slip_album_labelled(const slip_label *label, const double *branch, const double *value,
                            int64_t count);
/* Which are the largest of some numbers, at most so many, in their order; returns how many. */
int slip_album_largest(const double *sizes, int count, int most, int *chosen);

/* Draws what was put together where `status` is not an error, and frees it all: the album is empty again. */
int slip_album_draw(slip_album *album, int status);

#endif
