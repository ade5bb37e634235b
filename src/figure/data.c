#include "figure/data.h"

#include "figure/thin.h"
#include "io/file.h"
#include "io/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const slip_curve *owner_of(const slip_curve *curve)
{
    const bool points = curve->style == SLIP_CURVE_POINTS || curve->style > SLIP_CURVE_CELLS;
    return curve->style == SLIP_CURVE_CELLS || (curve->count > slip_thin_limit && !points) ? curve : NULL;
}

static bool same_block(const slip_figure_column *column, const slip_curve *curve)
{
    return column->count == curve->count && column->owner == owner_of(curve);
}

const slip_figure_column *slip_figure_data_find(const slip_figure_data *data, const slip_curve *curve,
                                                const double *values)
{
    for (int64_t k = 0; k < data->column_count; k++)
        if (data->columns[k].values == values && same_block(&data->columns[k], curve))
            return &data->columns[k];
    return NULL;
}

/* One more column of a curve. */
static int collect(slip_context *ctx, slip_figure_data *data, const slip_curve *curve, const double *values,
                   const char *name)
{
    int block = data->block_count, place = 1;
    if (slip_figure_data_find(data, curve, values))
        return SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(data->columns, data->column_capacity, data->column_count + 1)));
    for (int64_t k = 0; k < data->column_count; k++) {
        if (same_block(&data->columns[k], curve)) {
            block = data->columns[k].block;
            place++;
        }
    }
    if (block == data->block_count)
        data->block_count++;
    slip_figure_column *column = &data->columns[data->column_count++];
    *column = (slip_figure_column){values, curve->count, owner_of(curve), name ? name : "-", block, place};
    return SLIP_OK;
}

int slip_figure_data_surface(const slip_figure_data *data, const slip_panel *panel)
{
    int64_t k = 0;
    while (data->surfaces[k] != panel)
        k++;
    return data->block_count + (int)k;
}

/* x and y, and of arrows how far they go. */
static int collect_curve(slip_context *ctx, slip_figure_data *data, const slip_panel *panel,
                         const slip_curve *curve)
{
    const char *const names[2] = {curve->x_name ? curve->x_name : panel->x_label,
                                  curve->y_name ? curve->y_name : panel->y_label};
    const double *const values[2] = {curve->x, curve->y};
    for (int k = 0; k < (curve->style == SLIP_CURVE_ARROWS ? 4 : 2) && curve->count > 0; k++)
        SLIP_PASS(collect(ctx, data, curve, values[k % 2] + (k < 2 ? 0 : curve->count), names[k % 2]));
    return SLIP_OK;
}

int slip_figure_data_collect(slip_context *ctx, slip_figure_data *data, const slip_figure *figures,
                             int figure_count)
{
    for (int f = 0; f < figure_count; f++)
        for (int p = 0; p < figures[f].panel_count; p++) {
            const slip_panel *panel = &figures[f].panels[p];
            SLIP_PASS(slip_allocated(
                ctx, SLIP_ROOM(data->surfaces, data->surface_capacity, data->surface_count + 1)));
            if (panel->surface)
                data->surfaces[data->surface_count++] = panel;
            for (int c = 0; c < panel->curve_count; c++)
                SLIP_PASS(collect_curve(ctx, data, panel, &panel->curves[c]));
        }
    return SLIP_OK;
}

void slip_figure_data_free(slip_figure_data *data)
{
    free(data->columns);
    free(data->surfaces);
    *data = (slip_figure_data){0};
}

/* The end of a run of cells that touch along one axis of their grid. */
static int64_t end_of_run(const slip_curve *curve, int64_t first)
{
    const double *const at[2] = {curve->x, curve->y};
    int64_t end = first + 1;
    for (int k = 0; k < 2 && end == first + 1 && end < curve->count; k++) {
        const double step = at[k][end] - at[k][first];
        while (end < curve->count && at[1 - k][end] == at[1 - k][first] && step != 0 &&
               fabs(step) <= (1 + 1e-6) * curve->cell[k] &&
               fabs(at[k][end] - at[k][end - 1] - step) <= 1e-6 * fabs(step))
            end++;
    }
    return end;
}

/* A run of cells is one rectangle: a map of a million cells has some thousand. */
static void write_cells(FILE *stream, const slip_curve *curve, int block, const char *x_name,
                        const char *y_name)
{
    char buffer[4][slip_number_size];
    fprintf(stream, "%s# index %d: rectangles. Columns: 1 %s, 2 %s, 3 half width, 4 half height\n",
            block > 0 ? "\n\n" : "", block, x_name, y_name);
    for (int64_t i = 0, end; i < curve->count; i = end) {
        end = end_of_run(curve, i);
        const double x[2] = {curve->x[i], curve->x[end - 1]}, y[2] = {curve->y[i], curve->y[end - 1]};
        if (isfinite(x[0] + y[0]))
            fprintf(stream, "%s %s %s %s\n", slip_number_write_short(buffer[0], 0.5 * (x[0] + x[1])),
                    slip_number_write_short(buffer[1], 0.5 * (y[0] + y[1])),
                    slip_number_write_short(buffer[2], 0.5 * (fabs(x[1] - x[0]) + curve->cell[0])),
                    slip_number_write_short(buffer[3], 0.5 * (fabs(y[1] - y[0]) + curve->cell[1])));
    }
}

/* The columns of a block, long curves thinned. */
static int write_block(slip_context *ctx, FILE *stream, const slip_figure_data *data, int block)
{
    char buffer[slip_number_size];
    const slip_figure_column *first = data->columns, *end = data->columns + data->column_count;
    while (first->block != block)
        first++;
    const int64_t count = first->count;
    int64_t rows = 0;
    SLIP_PASS(slip_interrupt_check(ctx));
    if (first->owner && first->owner->style == SLIP_CURVE_CELLS) {
        write_cells(stream, first->owner, block, first->name, first[1].name);
        return SLIP_OK;
    }
    SLIP_FREED unsigned char *keep = slip_alloc(count, 1);
    SLIP_PASS(slip_allocated(ctx, keep));
    memset(keep, slip_thin_keep, (size_t)count);
    if (first->owner)
        SLIP_PASS(slip_allocated(ctx, slip_thin_mark(first->owner->x, first->owner->y, count, keep)));
    for (int64_t i = 0; i < count; i++)
        rows += keep[i] != slip_thin_drop;
    fprintf(stream, "%s# index %d: %lld", block > 0 ? "\n\n" : "", block, (long long)rows);
    if (rows < count)
        fprintf(stream, " of %lld", (long long)count);
    fputs(" records. Columns:", stream);
    for (const slip_figure_column *c = first; c < end; c++)
        if (c->block == block)
            fprintf(stream, "%s %d %s", c > first ? "," : "", c->place, c->name);
    putc('\n', stream);
    for (int64_t i = 0; i < count; i++) {
        for (const slip_figure_column *c = first; c < end && keep[i]; c++)
            if (c->block == block)
                fprintf(stream, "%s%s", c > first ? " " : "", slip_number_write_short(buffer, c->values[i]));
        if (keep[i])
            fputs(keep[i] == slip_thin_keep_and_lift ? "\n\n" : "\n", stream);
    }
    return SLIP_OK;
}

/* One block: x, y, z of each point of a surface, a blank line after each row. */
static void write_surface(FILE *stream, const slip_panel *panel, int block)
{
    const slip_figure_surface *surface = panel->surface;
    char buffer[3][slip_number_size];
    fprintf(stream, "%s# index %d: %d rows of %d points. Columns: 1 %s, 2 %s, 3 %s\n",
            block > 0 ? "\n\n" : "", block, surface->rows, surface->columns,
            panel->x_label ? panel->x_label : "x", panel->y_label ? panel->y_label : "y",
            panel->z_label ? panel->z_label : "z");
    for (int64_t i = 0; i < (int64_t)surface->rows * surface->columns; i++)
        fprintf(stream, "%s%s %s %s\n", i > 0 && i % surface->columns == 0 ? "\n" : "",
                slip_number_write_short(buffer[0], surface->x[i]),
                slip_number_write_short(buffer[1], surface->y[i]),
                slip_number_write_short(buffer[2], surface->z[i]));
}

int slip_figure_data_write(slip_context *ctx, const slip_figure_data *data, const char *path)
{
    slip_file file;
    int status = SLIP_OK;
    SLIP_PASS(slip_file_create(ctx, path, &file));
    for (int block = 0; block < data->block_count && status == SLIP_OK; block++)
        status = write_block(ctx, file.stream, data, block);
    for (int64_t k = 0; k < data->surface_count; k++)
        write_surface(file.stream, data->surfaces[k], data->block_count + (int)k);
    if (status == SLIP_OK)
        return slip_file_commit(ctx, &file);
    slip_file_discard(&file);
    return status;
}

int slip_figure_data_write_images(slip_context *ctx, const slip_figure *figures, int figure_count,
                                  const char *path)
{
    slip_file file;
    SLIP_PASS(slip_file_create(ctx, path, &file));
    for (int f = 0; f < figure_count; f++)
        for (int p = 0; p < figures[f].panel_count; p++) {
            const slip_figure_image *image = figures[f].panels[p].image;
            if (image)
                fwrite(image->pixels, 3, (size_t)image->width * (size_t)image->height, file.stream);
        }
    return slip_file_commit(ctx, &file);
}
