/* Pictures of a sweep: its numbers over one axis, or each as a map over two. */
#include "figure/album.h"
#include "io/json.h"
#include "study/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>

enum { panels_max = 6 };

typedef struct picture {
    const slip_table *table;
    int axes[2], axis_count; /* columns */
    int direction;           /* its column; -1: there is none */
    int numbers[panels_max], count;
    bool log[2];
} picture;

int slip_sweep_axes(slip_album *a, slip_axis axes[2], int *count, const slip_json **summary)
{
    const slip_text *text = &a->result->summary;
    SLIP_PASS(slip_json_parse(a->ctx, &a->arena, "summary", text->data, text->length, summary));
    const slip_json *axis = slip_json_find(*summary, "axes");
    *count = 0;
    for (axis = axis ? axis->child : NULL; axis; axis = axis->next, ++*count)
        if (*count < 2)
            axes[*count] = (slip_axis){.from = slip_json_get(axis, "from"),
                                       .to = slip_json_get(axis, "to"),
                                       .count = (int64_t)slip_json_get(axis, "count"),
                                       .logarithmic = slip_json_is(axis, "logarithmic")};
    return SLIP_OK;
}

/* Which columns are axes and which are numbers. */
static int choose(slip_album *a, picture *p)
{
    const slip_json *summary;
    slip_axis axes[2];
    SLIP_PASS(slip_sweep_axes(a, axes, &p->axis_count, &summary));
    for (int k = 0; k < 2 && k < p->axis_count; k++) {
        p->axes[k] = 1 + k;
        p->log[k] = axes[k].logarithmic && axes[k].from > 0;
    }
    p->direction = slip_table_find(p->table, "direction");
    /* of exponents, columns behind the dimension are not drawn */
    const int last = slip_table_find(p->table, "dimension");
    for (int c = 1 + p->axis_count; c < p->table->column_count - 2 && p->count < panels_max; c++)
        if (c != p->direction && (last < 0 || c <= last))
            p->numbers[p->count++] = c;
    return SLIP_OK;
}

typedef struct run_at {
    double at;
    int64_t row;
} run_at;

static int compare(const void *one, const void *other)
{
    const run_at *a = one, *b = other;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : (a->row > b->row) - (a->row < b->row);
}

/* The runs, or every so many of them, as their values rise: those of a list are in its order. */
static run_at *sort_runs(slip_album *a, const double *values, int64_t stride, int64_t count)
{
    run_at *order = slip_arena_array(&a->arena, count, sizeof *order);
    for (int64_t i = 0; i < count && order; i++)
        order[i] = (run_at){values[i * stride], i};
    if (order)
        qsort(order, (size_t)count, sizeof *order, compare);
    a->failed = a->failed || !order;
    return order;
}

/* Up and back are curves of their own. */
static void add_curves(slip_album *a, const picture *p)
{
    const slip_table *table = p->table;
    const slip_column *x = &table->columns[p->axes[0]];
    const run_at *order = sort_runs(a, x->values, 1, table->count);
    const double *back = p->direction >= 0 ? table->columns[p->direction].values : NULL;
    for (int k = 0; k < p->count && order; k++) {
        const slip_column *column = &table->columns[p->numbers[k]];
        slip_album_columns(a, x, column)->log_x = p->log[0];
        for (int way = 0; way < (back ? 2 : 1); way++) {
            slip_pen pen = slip_album_pen(a, table->count);
            for (int64_t i = 0; i < table->count; i++) {
                const double value = column->values[order[i].row];
                if (!back || (int)back[order[i].row] == way)
                    slip_pen_to(&pen, order[i].at, isfinite(value) ? value : NAN);
            }
            slip_curve *curve = slip_pen_curve(&pen, !back ? NULL : way ? "back" : "up");
            curve->color = way + 1;
            curve->style = way ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE;
        }
    }
}

/* A column of the runs that did not come back; *count says how many these are. */
static double *values_up(slip_album *a, const picture *p, int column, int64_t *count)
{
    const double *back = p->direction >= 0 ? p->table->columns[p->direction].values : NULL;
    double *values = slip_album_numbers(a, p->table->count);
    *count = 0;
    for (int64_t i = 0; i < p->table->count && values; i++)
        if (!back || back[i] == 0)
            values[(*count)++] = p->table->columns[column].values[i];
    return values;
}

/* Where cell number k of those about values begins: half way from the last one. */
static double edge_of(const run_at *values, int64_t count, int64_t k, bool logarithmic)
{
    const int64_t i = k < 1 ? 1 : k > count - 1 ? count - 1 : k;
    const double low = values[i - 1].at, high = values[i].at, part = (double)(k - i) + 0.5;
    return logarithmic ? low * pow(high / low, part) : low + part * (high - low);
}

/* A map has a cell about each run, as the four corners of that: where `fine`, the cells are too small for it
 * to matter, and the runs are the corners. */
static void add_map(slip_album *a, const picture *p, const double *x, const double *y, const double *z,
                    int64_t rows, int64_t columns, int number)
{
    enum { fine = 200 };
    const slip_column *of = p->table->columns;
    const bool cells = rows <= fine && columns <= fine;
    const int64_t across = cells ? 2 * columns : columns, count = cells ? 2 * rows * across : 0;
    const run_at *down = sort_runs(a, x, columns, rows), *along = sort_runs(a, y, 1, columns);
    double *corners[3] = {NULL};
    for (int k = 0; k < 3 && cells; k++)
        corners[k] = slip_album_numbers(a, count);
    for (int64_t m = 0; m < count && !a->failed; m++) {
        const int64_t i = m / across, j = m % across;
        corners[0][m] = edge_of(down, rows, (i + 1) / 2, p->log[0]);
        corners[1][m] = edge_of(along, columns, (j + 1) / 2, p->log[1]);
        corners[2][m] = z[down[i / 2].row * columns + along[j / 2].row];
    }
    slip_album_columns(a, &of[p->axes[0]], &of[p->axes[1]]);
    const slip_figure_surface runs = {x, y, z, (int)rows, (int)columns},
                              about = {corners[0], corners[1], corners[2], (int)(2 * rows), (int)across};
    slip_panel *panel =
        slip_album_surface(a, cells ? &about : &runs, slip_album_column(a, &of[p->numbers[number]]), true);
    panel->stretched = true;
    panel->log_x = p->log[0];
    panel->log_y = p->log[1];
}

/* Rows over the first axis. False: they are not whole. */
static bool add_maps(slip_album *a, const picture *p)
{
    int64_t count, columns = 0;
    const double *x = values_up(a, p, p->axes[0], &count), *y = values_up(a, p, p->axes[1], &count);
    while (x && columns < count && x[columns] == x[0])
        columns++;
    if (!a->failed && (columns < 2 || count % columns != 0 || count / columns < 2))
        return false;
    for (int k = 0; k < p->count && !a->failed; k++) {
        const double *z = values_up(a, p, p->numbers[k], &count);
        if (!a->failed)
            add_map(a, p, x, y, z, count / columns, columns, k);
    }
    return true;
}

int slip_sweep_draw(slip_album *a)
{
    picture p = {.table = &a->result->main};
    if (p.table->column_count < 4 || p.table->count < 2)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there are fewer than two runs to draw", a->folder);
    SLIP_PASS(choose(a, &p));
    if (p.axis_count > 2 || p.count == 0)
        return slip_fail(
            a->ctx, SLIP_ERROR_USAGE,
            "%s: found %d axes and %d numbers; pictures are of one or two axes, table.csv has it all",
            a->folder, p.axis_count, p.count);
    slip_album_figure(a, "sweep")->stacked = p.axis_count < 2;
    if (p.axis_count < 2)
        add_curves(a, &p);
    else if (!add_maps(a, &p))
        return slip_fail(a->ctx, SLIP_ERROR_USAGE,
                         "%s: the runs of a map are not all there: finish the sweep, or merge its parts",
                         a->folder);
    return SLIP_OK;
}
