/* The bifurcation diagram: coordinates at the points of the section over the parameter. */
#include "figure/album.h"
#include "figure/axis.h"
#include "study/bifurcation/bifurcation.h"

#include <string.h>

/* Points that coincide are drawn once: they are sorted into cells finer than any screen. */
enum { panels_max = 4, wide = 3000, high = 1200, drawn = 4 };
enum { both_ways = 2 }; /* beside 0, up, and 1, back */

typedef struct picture {
    const slip_table *table;
    const double *value, *back;
    unsigned char *seen;
} picture;

/* The cell of a picture in which a point is. */
static int64_t cell_of(const picture *p, const double *y, const slip_axis_range range[2], int64_t i)
{
    const double size[2] = {range[0].high - range[0].low, range[1].high - range[1].low};
    return (int64_t)((wide - 1) * (p->value[i] - range[0].low) / (size[0] > 0 ? size[0] : 1)) * high +
           (int64_t)((high - 1) * (y[i] - range[1].low) / (size[1] > 0 ? size[1] : 1));
}

/* Whether points of a way, up or back, are in a cell or next to it. */
static bool is_there(const picture *p, int64_t cell, int way)
{
    bool there = false;
    for (int across = -1; across <= 1; across++)
        for (int up = -1; up <= 1; up++) {
            const int64_t at = cell + across * high + up;
            there = there || (at >= 0 && at < (int64_t)wide * high && (p->seen[at] & 1 << way));
        }
    return there;
}

/* The points of one way (up, back) that the other does not have, or of both ways, one in each cell. */
static void add_points(slip_album *a, picture *p, int column, int kind, const char *label)
{
    const double *y = p->table->columns[column].values;
    const int way = kind == both_ways ? 0 : kind;
    const slip_axis_range range[2] = {slip_range_of(p->value, p->table->count),
                                      slip_range_of(y, p->table->count)};
    slip_pen pen = slip_album_pen(a, p->table->count);
    memset(p->seen, 0, (size_t)wide * high);
    for (int64_t i = 0; i < p->table->count; i++)
        p->seen[cell_of(p, y, range, i)] |= (unsigned char)(1 << (int)p->back[i]);
    for (int64_t i = 0; i < p->table->count && !a->failed; i++) {
        const int64_t cell = cell_of(p, y, range, i);
        if ((int)p->back[i] != way || (p->seen[cell] & drawn) ||
            is_there(p, cell, 1 - way) != (kind == both_ways))
            continue;
        p->seen[cell] |= drawn;
        slip_pen_to(&pen, p->value[i], y[i]);
    }
    slip_curve *curve = slip_pen_curve(&pen, label);
    curve->style = SLIP_CURVE_DOTS;
    curve->color = kind == both_ways ? 1 : 2 + kind;
}

int slip_bifurcation_draw(slip_album *a)
{
    picture p = {.table = &a->result->main};
    static const char *const names[] = {"up and back", "up only", "back only"};
    bool both = false;
    if (p.table->column_count < 4 || p.table->count < 1)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there are no points to draw", a->folder);
    p.value = p.table->columns[0].values;
    p.back = p.table->columns[1].values;
    for (int64_t i = 0; i < p.table->count; i++)
        both = both || p.back[i] != 0;
    p.seen = slip_arena_array(&a->arena, wide, high);
    a->failed = !p.seen;
    slip_figure *figure = slip_album_figure(a, "bifurcation");
    for (int c = 3; c < p.table->column_count && figure->panel_count < panels_max && !a->failed; c++) {
        const slip_column *column = &p.table->columns[c];
        if (strchr(column->name, '\''))
            continue; /* coordinates only */
        slip_album_columns(a, p.table->columns, column);
        for (int k = 0; k < (both ? 3 : 1); k++)
            add_points(a, &p, c, both ? (both_ways + k) % 3 : 0, both ? names[k] : NULL);
    }
    figure->stacked = true;
    return SLIP_OK;
}
