/* The data file of figures: blocks of columns. Curves of the same length share a block, which is a plain
 * table for the user. A curve long enough to be thinned has its own block. */
#ifndef SLIP_FIGURE_DATA_H
#define SLIP_FIGURE_DATA_H

#include "base/memory.h"
#include "figure/figure.h"

typedef struct slip_figure_column {
    const double *values;
    int64_t count;
    const slip_curve *owner; /* of a block that is not shared, else NULL */
    const char *name;
    int block, place; /* gnuplot's `index`, and the column in it, from 1 */
} slip_figure_column;

typedef struct slip_figure_data {
    slip_figure_column *columns;
    int64_t column_count, column_capacity;
    int block_count;             /* of columns; the blocks of surfaces follow */
    const slip_panel **surfaces; /* panels with one */
    int64_t surface_count, surface_capacity;
} slip_figure_data;

/* Collects the columns of all curves. An array used by several curves is one column. */
int slip_figure_data_collect(slip_context *ctx, slip_figure_data *data, const slip_figure *figures,
                             int figure_count);
void slip_figure_data_free(slip_figure_data *data);

/* The column with the x or the y (`values`) of a curve; NULL where the curve has no points. */
const slip_figure_column *slip_figure_data_find(const slip_figure_data *data, const slip_curve *curve,
                                                const double *values);

/* The block with the surface of a panel. */
int slip_figure_data_surface(const slip_figure_data *data, const slip_panel *panel);

/* Writes the pixels of all images, one after the other. */
int slip_figure_data_write_images(slip_context *ctx, const slip_figure *figures, int figure_count,
                                  const char *path);

/* Writes the blocks, long curves thinned. */
int slip_figure_data_write(slip_context *ctx, const slip_figure_data *data, const char *path);

#endif
