/* The data file of figures: blocks of columns, one block for each length of curves. */
#ifndef SLIP_RESULT_FIGURE_DATA_H
#define SLIP_RESULT_FIGURE_DATA_H

#include "base/memory.h"
#include "result/figure.h"

typedef struct slip_figure_column {
    const double *values;
    int64_t count; /* columns of the same count share a block */
    const char *name;
    int block, place; /* gnuplot's `index`, and the column in it, from 1 */
} slip_figure_column;

typedef struct slip_figure_data {
    slip_figure_column *columns;
    int64_t column_count, column_capacity;
    int block_count;
} slip_figure_data;

/* Collects the columns of all curves. An array that serves several curves is one column. */
int slip_figure_data_collect(slip_context *ctx, slip_figure_data *data, const slip_figure *figures,
                             int figure_count);
void slip_figure_data_free(slip_figure_data *data);

const slip_figure_column *slip_figure_data_find(const slip_figure_data *data, const double *values,
                                                int64_t count);

/* Writes the blocks, long curves thinned. */
int slip_figure_data_write(slip_context *ctx, const slip_figure_data *data, const slip_figure *figures,
                           int figure_count, const char *path);

#endif
