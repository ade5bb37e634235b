/* Pictures of a sweep: its numbers over one axis, or each as a map over two. */
#include "figure/figure.h"
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
    double *scratch;
    slip_panel panels[panels_max];
} picture;

/* Which columns are axes and which are numbers. */
static int choose(slip_context *ctx, const slip_result *result, picture *p)
{
    slip_arena arena = {0};
    const slip_json *json, *axis;
    int status;
    SLIP_TRY(slip_json_parse(ctx, &arena, "summary", result->summary.data, result->summary.length, &json));
    axis = slip_json_find(json, "axes");
    for (axis = axis ? axis->child : NULL; axis; axis = axis->next) {
        if (p->axis_count < 2) {
            p->axes[p->axis_count] = 1 + p->axis_count;
            p->log[p->axis_count] = slip_json_is(axis, "logarithmic") && slip_json_get(axis, "from") > 0;
        }
        p->axis_count++;
    }
    p->direction = slip_table_find(p->table, "direction");
    for (int c = 1 + p->axis_count; c < p->table->column_count - 2 && p->count < panels_max; c++)
        if (c != p->direction)
            p->numbers[p->count++] = c;
done:
    slip_arena_free(&arena);
    return status;
}

/* Up and back are curves of their own. */
static void fill_curves(picture *p, slip_curve *curves)
{
    const slip_table *table = p->table;
    const int64_t all = table->count;
    const double *back = p->direction >= 0 ? table->columns[p->direction].values : NULL;
    for (int k = 0; k < p->count; k++) {
        const double *from = table->columns[p->numbers[k]].values;
        for (int way = 0; way < (back ? 2 : 1); way++) {
            double *y = p->scratch + (2 * k + way) * all;
            for (int64_t i = 0; i < all; i++)
                y[i] = !back || (int)back[i] == way ? from[i] : NAN;
            curves[2 * k + way] = (slip_curve){.x = table->columns[p->axes[0]].values,
                                               .y = y,
                                               .count = all,
                                               .label = !back ? NULL
                                                        : way ? "back"
                                                              : "up",
                                               .color = way + 1,
                                               .style = way ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE};
        }
        p->panels[k] = (slip_panel){.x_label = table->columns[p->axes[0]].name,
                                    .y_label = table->columns[p->numbers[k]].name,
                                    .curves = &curves[2 * k],
                                    .curve_count = back ? 2 : 1,
                                    .log_x = p->log[0]};
    }
}

/* Rows over the first axis; the runs that came back are left out. */
static bool fill_maps(picture *p, slip_surface *surfaces)
{
    const slip_table *table = p->table;
    const double *x = table->columns[p->axes[0]].values, *y = table->columns[p->axes[1]].values;
    const double *back = p->direction >= 0 ? table->columns[p->direction].values : NULL;
    int64_t used = 0, columns = 0;
    for (int64_t i = 0; i < table->count; i++) {
        if (back && back[i] != 0)
            continue;
        columns += used == columns && x[i] == x[0];
        p->scratch[used] = x[i];
        p->scratch[table->count + used] = y[i];
        for (int k = 0; k < p->count; k++)
            p->scratch[(2 + k) * table->count + used] = table->columns[p->numbers[k]].values[i];
        used++;
    }
    if (columns < 2 || used % columns != 0 || used / columns < 2)
        return false;
    for (int k = 0; k < p->count; k++) {
        surfaces[k] =
            (slip_surface){p->scratch, p->scratch + table->count, p->scratch + (2 + k) * table->count,
                           (int)(used / columns), (int)columns};
        p->panels[k] = (slip_panel){.x_label = table->columns[p->axes[0]].name,
                                    .y_label = table->columns[p->axes[1]].name,
                                    .z_label = table->columns[p->numbers[k]].name,
                                    .surface = &surfaces[k],
                                    .map = true,
                                    .stretched = true,
                                    .log_x = p->log[0],
                                    .log_y = p->log[1]};
    }
    return true;
}

int slip_sweep_draw(slip_context *ctx, slip_result *result, const char *folder,
                    const slip_plot_options *options)
{
    picture p = {.table = &result->main};
    slip_curve curves[2 * panels_max];
    slip_surface surfaces[panels_max];
    int status;
    if (p.table->column_count < 4 || p.table->count < 2)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there are fewer than two runs to draw", folder);
    SLIP_TRY(choose(ctx, result, &p));
    if (p.axis_count > 2 || p.count == 0)
        return slip_fail(
            ctx, SLIP_ERROR_USAGE,
            "%s: found %d axes and %d numbers; pictures are of one or two axes, table.csv has it all", folder,
            p.axis_count, p.count);
    p.scratch = slip_alloc((2 * panels_max + 2) * p.table->count, sizeof *p.scratch);
    if (!p.scratch)
        return slip_fail_memory(ctx);
    const bool map = p.axis_count == 2;
    if (map && !fill_maps(&p, surfaces)) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE,
                           "%s: the runs of a map are not all there: finish the sweep, or merge its parts",
                           folder);
        goto done;
    }
    if (!map)
        fill_curves(&p, curves);
    const slip_figure figure = {.name = "sweep",
                                .title = result->title && result->title[0] ? result->title : NULL,
                                .panels = p.panels,
                                .panel_count = p.count,
                                .columns = 1,
                                .stacked = !map};
    status = slip_figure_draw(ctx, &figure, folder, options->written, options->user);
done:
    free(p.scratch);
    return status;
}
