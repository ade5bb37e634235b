/* The bifurcation diagram: coordinates at the points of the section over the parameter. */
#include "figure/album.h"
#include "study/bifurcation/bifurcation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points that fall on each other are drawn once: cells of a picture that is finer than any screen. */
enum { panels_max = 4, wide = 3000, high = 1200 };

typedef struct picture {
    const slip_table *table;
    const double *value, *back;
    unsigned char *seen;
} picture;

static void find_range(const double *values, int64_t count, double *low, double *size)
{
    double high_value = -INFINITY;
    *low = INFINITY;
    for (int64_t i = 0; i < count; i++) {
        *low = fmin(*low, values[i]);
        high_value = fmax(high_value, values[i]);
    }
    *size = high_value > *low ? high_value - *low : 1;
}

/* The points of one way, up or back. */
static void add_points(slip_album *a, picture *p, int column, int way, const char *label)
{
    const double *y = p->table->columns[column].values;
    double *to[2], x_low, x_size, y_low, y_size;
    int64_t count = 0;
    for (int k = 0; k < 2; k++)
        to[k] = slip_album_numbers(a, p->table->count);
    find_range(p->value, p->table->count, &x_low, &x_size);
    find_range(y, p->table->count, &y_low, &y_size);
    memset(p->seen, 0, (size_t)wide * high);
    for (int64_t i = 0; i < p->table->count && !a->failed; i++) {
        const int64_t cell = (int64_t)((wide - 1) * (p->value[i] - x_low) / x_size) * high +
                             (int64_t)((high - 1) * (y[i] - y_low) / y_size);
        if ((int)p->back[i] != way || p->seen[cell])
            continue;
        p->seen[cell] = 1;
        to[0][count] = p->value[i];
        to[1][count++] = y[i];
    }
    slip_curve *curve = slip_album_curve(a, to[0], to[1], count, label);
    curve->style = SLIP_CURVE_DOTS;
    curve->color = way + 1;
}

int slip_bifurcation_draw(slip_context *ctx, slip_result *result, const char *folder,
                          const slip_plot_options *options)
{
    slip_album a = {.ctx = ctx, .result = result};
    picture p = {.table = &result->main};
    bool both = false;
    if (p.table->column_count < 4 || p.table->count < 1)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there are no points to draw", folder);
    p.value = p.table->columns[0].values;
    p.back = p.table->columns[1].values;
    for (int64_t i = 0; i < p.table->count; i++)
        both = both || p.back[i] != 0;
    p.seen = slip_arena_array(&a.arena, wide, high);
    a.failed = !p.seen;
    slip_figure *figure = slip_album_figure(&a, "bifurcation");
    for (int c = 3; c < p.table->column_count && figure->panel_count < panels_max && !a.failed; c++) {
        const slip_column *column = &p.table->columns[c];
        if (strchr(column->name, '\''))
            continue; /* coordinates only */
        slip_album_panel(&a, p.table->columns[0].name,
                         slip_album_label(&a, NULL, column->name, column->unit));
        if (both)
            add_points(&a, &p, c, 1, "back");
        add_points(&a, &p, c, 0, both ? "up" : NULL); /* on top */
    }
    figure->stacked = true;
    return slip_album_draw(&a, SLIP_OK, folder, "bifurcation", options);
}
