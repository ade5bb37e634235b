/* The bifurcation diagram: coordinates at the points of the section over the parameter. */
#include "figure/figure.h"
#include "study/bifurcation/bifurcation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points that fall on each other are drawn once: cells of a picture that is finer than any screen. */
enum { panels_max = 4, wide = 3000, high = 1200 };

typedef struct picture {
    const slip_table *table;
    const double *value, *back;
    double *numbers; /* of each curve: x, y */
    int64_t used;
    unsigned char *seen;
    slip_curve curves[2 * panels_max];
    slip_panel panels[panels_max];
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

static slip_curve pick(picture *p, int column, int way)
{
    const double *y = p->table->columns[column].values;
    double *to = p->numbers + p->used, x_low, x_size, y_low, y_size;
    int64_t room = 0, count = 0; /* x, and y behind the room for all of them */
    find_range(p->value, p->table->count, &x_low, &x_size);
    find_range(y, p->table->count, &y_low, &y_size);
    memset(p->seen, 0, (size_t)wide * high);
    for (int64_t i = 0; i < p->table->count; i++)
        room += (int)p->back[i] == way;
    for (int64_t i = 0; i < p->table->count; i++) {
        if ((int)p->back[i] != way)
            continue;
        const int64_t cell = (int64_t)((wide - 1) * (p->value[i] - x_low) / x_size) * high +
                             (int64_t)((high - 1) * (y[i] - y_low) / y_size);
        if (p->seen[cell])
            continue;
        p->seen[cell] = 1;
        to[count] = p->value[i];
        to[room + count++] = y[i];
    }
    p->used += 2 * room;
    return (slip_curve){.x = to, .y = to + room, .count = count, .style = SLIP_CURVE_DOTS, .color = way + 1};
}

int slip_bifurcation_draw(slip_context *ctx, slip_result *result, const char *folder,
                          const slip_plot_options *options)
{
    static const char *const labels[] = {"up", "back"};
    picture p = {.table = &result->main};
    bool both = false;
    int count = 0, status;
    if (p.table->column_count < 4 || p.table->count < 1)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there are no points to draw", folder);
    p.value = p.table->columns[0].values;
    p.back = p.table->columns[1].values;
    for (int64_t i = 0; i < p.table->count; i++)
        both = both || p.back[i] != 0;
    p.numbers = slip_alloc(2 * panels_max * p.table->count, sizeof *p.numbers);
    p.seen = slip_alloc((int64_t)wide * high, 1);
    SLIP_TRY(p.numbers && p.seen ? SLIP_OK : slip_fail_memory(ctx));
    for (int c = 3; c < p.table->column_count && count < panels_max; c++) {
        if (strchr(p.table->columns[c].name, '\''))
            continue; /* coordinates only */
        slip_curve *curves = &p.curves[2 * count];
        for (int way = 0; way < 2; way++) {
            curves[1 - way] = pick(&p, c, way); /* the way up on top */
            curves[1 - way].label = both ? labels[way] : NULL;
        }
        p.panels[count++] = (slip_panel){.x_label = p.table->columns[0].name,
                                         .y_label = p.table->columns[c].name,
                                         .curves = both ? curves : curves + 1,
                                         .curve_count = both ? 2 : 1};
    }
    const slip_figure figure = {.name = "bifurcation",
                                .title = result->title && result->title[0] ? result->title : NULL,
                                .panels = p.panels,
                                .panel_count = count,
                                .stacked = true,
                                .height = count == 1 ? 900 : 0};
    status = slip_figure_draw(ctx, &figure, folder, options->written, options->user);
done:
    free(p.numbers);
    free(p.seen);
    return status;
}
