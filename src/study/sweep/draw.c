/* Pictures of a sweep: its numbers over one axis, or each as a map over two. */
#include "figure/album.h"
#include "io/json.h"
#include "study/sweep/sweep.h"

#include <math.h>

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
    /* of exponents those behind the dimension are accounts */
    const int last = slip_table_find(p->table, "dimension");
    for (int c = 1 + p->axis_count; c < p->table->column_count - 2 && p->count < panels_max; c++)
        if (c != p->direction && (last < 0 || c <= last))
            p->numbers[p->count++] = c;
    return SLIP_OK;
}

/* Up and back are curves of their own. */
static void add_curves(slip_album *a, const picture *p)
{
    const slip_table *table = p->table;
    const slip_column *x = &table->columns[p->axes[0]];
    const double *back = p->direction >= 0 ? table->columns[p->direction].values : NULL;
    for (int k = 0; k < p->count; k++) {
        const slip_column *column = &table->columns[p->numbers[k]];
        slip_album_columns(a, x, column)->log_x = p->log[0];
        for (int way = 0; way < (back ? 2 : 1); way++) {
            double *y = slip_album_numbers(a, table->count);
            for (int64_t i = 0; i < table->count && y; i++)
                y[i] =
                    (!back || (int)back[i] == way) && isfinite(column->values[i]) ? column->values[i] : NAN;
            slip_curve *curve = slip_album_curve(a, x->values, y, table->count,
                                                 !back ? NULL
                                                 : way ? "back"
                                                       : "up");
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
        const slip_column *of = p->table->columns;
        const double *z = values_up(a, p, p->numbers[k], &count);
        slip_album_columns(a, &of[p->axes[0]], &of[p->axes[1]]);
        slip_panel *panel =
            slip_album_surface(a, &(slip_figure_surface){x, y, z, (int)(count / columns), (int)columns},
                               slip_album_column(a, &of[p->numbers[k]]), true);
        panel->stretched = true;
        panel->log_x = p->log[0];
        panel->log_y = p->log[1];
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
