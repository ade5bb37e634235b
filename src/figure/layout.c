#include "figure/layout.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    margin_left = 190,
    margin_right = 45,
    margin_bottom = 125,
    margin_top = 40,
    panel_title = 45,
    stack_panel = 310,
    lone_panel = 700,
    key_line = 44,    /* of a legend at the right */
    widest_key = 560, /* at the right, before the picture is made wider */
    x_tic = 72,       /* between numbers at the x axis at least, */
    x_gap = 25,       /* and what is left free */
    digit_width = 19,
    sign_width = 24,
    color_count = 8
};

/* True where all curves are cells: they fill the panel. */
static bool widen(slip_axis_range *r, const slip_panel *panel, int axis)
{
    bool cells = panel->curve_count > 0;
    for (int k = 0; k < panel->curve_count; k++) {
        const slip_curve *c = &panel->curves[k];
        slip_axis_range own = {INFINITY, -INFINITY, r->rising, r->log};
        slip_range_widen(&own, axis ? c->y : c->x, axis ? c->x : c->y, c->count);
        const double half = c->style == SLIP_CURVE_CELLS ? 0.5 * c->cell[axis] : 0;
        *r = (slip_axis_range){fmin(r->low, own.low - half), fmax(r->high, own.high + half), own.rising,
                               r->log};
        cells = cells && c->style == SLIP_CURVE_CELLS;
    }
    return cells;
}

/* Of a surface, and of what is drawn over a map. */
static slip_axis_range surface_range(const slip_panel *panel, int axis)
{
    const slip_figure_surface *s = panel->surface;
    slip_axis_range r = {INFINITY, -INFINITY, false, panel->map && (axis ? panel->log_y : panel->log_x)};
    const double *values = axis ? s->y : s->x;
    slip_range_widen(&r, values, values, (int64_t)s->rows * s->columns);
    if (panel->map)
        widen(&r, panel, axis);
    return slip_range_finish(r, panel->map && panel->stretched);
}

slip_axis_range slip_layout_x(const slip_figure *figure, int index)
{
    const slip_panel *own = &figure->panels[index];
    if (own->surface)
        return surface_range(own, 0);
    slip_axis_range x = {INFINITY, -INFINITY, true, own->log_x};
    bool cells = true, lines = false; /* marks alone are not cut in half by the frame */
    for (int p = 0; p < figure->panel_count; p++) {
        const slip_panel *panel = &figure->panels[p];
        if (p != index && (!figure->stacked || panel->surface)) /* stacked ones have their numbers once */
            continue;
        cells = widen(&x, panel, 0) && cells;
        for (int c = 0; c < panel->curve_count; c++)
            lines = lines || panel->curves[c].style != SLIP_CURVE_POINTS;
    }
    return slip_range_finish(x, cells || (lines && x.rising && !x.log));
}

slip_axis_range slip_layout_y(const slip_figure *figure, int index)
{
    const slip_panel *panel = &figure->panels[index];
    const int row = figure->rows_share_y ? figure->columns : 1, first = index / row * row;
    slip_axis_range y = {INFINITY, -INFINITY, true, panel->log_y};
    if (panel->surface)
        return surface_range(panel, 1);
    if (panel->y_low < panel->y_high)
        return (slip_axis_range){panel->y_low, panel->y_high, false, panel->log_y};
    bool cells = true;
    for (int p = first; p < first + row && p < figure->panel_count; p++)
        cells = widen(&y, &figure->panels[p], 1) && cells;
    return slip_range_finish(y, cells);
}

/* Pixels taken by the longest number at an axis. */
static int tic_width(slip_axis_range r, double step)
{
    int longest = slip_layout_character;
    const int power = r.log ? 0 : slip_range_power(r, step), extra = power ? 48 + 2 * 14 : 0; /* "·10⁻⁵" */
    if (r.log)
        return 4 * slip_layout_character; /* "10⁻⁵" */
    for (double k = ceil(r.low / step); k <= floor(r.high / step) && longest < 12 * slip_layout_character;
         k++) {
        char label[32];
        int width = 0;
        snprintf(label, sizeof label, "%g", k * step / pow(10, power));
        for (const char *at = label; *at; at++)
            width += *at == '.' ? 10 : *at == '-' || *at == '+' ? sign_width : digit_width;
        longest = width > longest ? width : longest;
    }
    return longest + extra;
}

static bool is_multiple(double value, double step)
{
    return fabs(value / step - round(value / step)) < 1e-9;
}

/* The smallest step whose numbers find room at an axis of so many pixels, or one not much larger that has
 * numbers at both ends; a quarter of a power of ten only for that. */
double slip_layout_x_step(slip_axis_range r, double pixels)
{
    static const double leads[] = {1, 2, 2.5, 5};
    const double size = r.high - r.low, power = pow(10, floor(log10(size)) - 1);
    double first = 0;
    if (r.log)
        return 10;
    for (int k = 0; k < 12; k++) {
        double step = leads[k % 4] * power * pow(10, k / 4);
        bool ends = is_multiple(r.low, step) && is_multiple(r.high, step);
        if (step / size * pixels < fmax(x_tic, tic_width(r, step) + x_gap) || (k % 4 == 2 && !ends))
            continue;
        if (first > 0 && step > 2.5 * first)
            break;
        if (ends)
            return step;
        first = first > 0 ? first : step;
    }
    return first > 0 ? first : slip_range_step(r, 3);
}

/* ---- Lines: which dashes a curve has. */

int slip_layout_color(const slip_panel *panel, int index)
{
    int color = panel->curves[index].color;
    return ((color > 0 ? color : index + 1) - 1) % color_count + 1;
}

const char *slip_layout_label(const slip_curve *curve)
{
    for (int64_t i = 0; i < curve->count; i++)
        if (isfinite(curve->x[i] + curve->y[i]))
            return curve->label;
    return NULL;
}

slip_curve_style slip_layout_style(const slip_curve *curve, slip_axis_range x, slip_axis_range y)
{
    int64_t first = -1;
    for (int64_t i = 0; i < curve->count && curve->style == SLIP_CURVE_LINE; i++) {
        if (!isfinite(curve->x[i] + curve->y[i]))
            continue;
        if (first < 0)
            first = i;
        if (fabs(curve->x[i] - curve->x[first]) > 1e-3 * (x.high - x.low) ||
            fabs(curve->y[i] - curve->y[first]) > 1e-3 * (y.high - y.low))
            return SLIP_CURVE_LINE;
    }
    return first < 0 ? curve->style : SLIP_CURVE_POINTS;
}

/* Whether two lines lie on each other, up to their width. */
static bool is_close(const slip_curve *a, const slip_curve *b, slip_axis_range x, slip_axis_range y)
{
    const double tolerance = 0.008;
    double sum = 0;
    int64_t count = 0;
    const int64_t step = a->count / 200 + 1;
    if (a->count != b->count || x.log || y.log || a->style != SLIP_CURVE_LINE || b->style != SLIP_CURVE_LINE)
        return false;
    for (int64_t i = 0; i < a->count; i += step) {
        const double away =
            fabs(a->x[i] - b->x[i]) / (x.high - x.low) + fabs(a->y[i] - b->y[i]) / (y.high - y.low);
        if (isfinite(away)) {
            sum += away;
            count++;
        }
    }
    return count > 2 && sum < tolerance * (double)count;
}

int slip_layout_dash(const slip_panel *panel, int index, slip_axis_range x, slip_axis_range y)
{
    const slip_curve *curve = &panel->curves[index];
    int dash = curve->style == SLIP_CURVE_DASHED ? 1 : curve->style == SLIP_CURVE_DASHDOT ? 2 : 0;
    if (curve->style != SLIP_CURVE_LINE)
        return dash;
    for (int k = 0; k < index; k++)
        dash += is_close(&panel->curves[k], curve, x, y) ||
                (panel->curves[k].style == SLIP_CURVE_LINE && panel->curves[k].label && curve->label &&
                 slip_layout_color(panel, k) == slip_layout_color(panel, index));
    return dash % slip_layout_dashes;
}

/* ---- Layout. */

int slip_layout_labels(const slip_panel *panel, int *longest)
{
    int count = 0;
    for (int c = 0; c < panel->curve_count; c++) {
        if (slip_layout_label(&panel->curves[c])) {
            const int length = slip_script_length(panel->curves[c].label);
            count++;
            *longest = length > *longest ? length : *longest;
        }
    }
    return count;
}

/* Adds a curve to the common legend. False if its label or colour is already used for something else. A line
 * replaces points as the sample. */
static bool add_entry(slip_legend *all, const slip_panel *panel, int index, slip_axis_range x,
                      slip_axis_range y)
{
    const slip_curve *curve = &panel->curves[index];
    const int color = slip_layout_color(panel, index);
    const slip_curve_style style = slip_layout_style(curve, x, y);
    for (int k = 0; k < all->count; k++) {
        slip_legend_entry *e = &all->entries[k];
        const bool same = e->color == color;
        if ((strcmp(e->label, curve->label) == 0) != same)
            return false;
        if (same) {
            e->style = style < e->style ? style : e->style;
            return true;
        }
    }
    if (all->count == slip_legend_max)
        return false;
    all->entries[all->count++] =
        (slip_legend_entry){curve->label, color, slip_layout_dash(panel, index, x, y), style};
    return true;
}

/* Empty where there are no labels, or where they differ from panel to panel. */
static slip_legend find_legend(const slip_figure *figure)
{
    slip_legend all = {.count = 0};
    for (int p = 0; p < figure->panel_count; p++) {
        const slip_panel *panel = &figure->panels[p];
        for (int c = 0; c < panel->curve_count; c++)
            if (slip_layout_label(&panel->curves[c]) &&
                !add_entry(&all, panel, c, slip_layout_x(figure, p), slip_layout_y(figure, p)))
                return (slip_legend){.count = 0};
    }
    return all;
}

double slip_layout_entry_width(const slip_legend_entry *e)
{
    return slip_layout_sample + slip_layout_character * (double)slip_script_length(e->label);
}

int slip_layout_legend_row(const slip_layout *l, int first, double *width)
{
    int count = 0;
    *width = 0;
    while (first + count < l->legend.count &&
           (count == 0 || *width + slip_layout_entry_width(&l->legend.entries[first + count]) <
                              l->width - 2 * margin_right))
        *width += slip_layout_entry_width(&l->legend.entries[first + count++]);
    return count;
}

static double left_margin(const slip_figure *figure)
{
    double left = margin_left;
    for (int p = 0; p < figure->panel_count; p++) {
        slip_axis_range y = slip_layout_y(figure, p);
        left = fmax(left, 112 + tic_width(y, slip_range_step(y, 10)));
    }
    return left;
}

/* The last number at an x axis stands half beyond its end. */
static double right_margin(const slip_figure *figure, const slip_layout *l)
{
    double right = margin_right;
    for (int p = 0; p < figure->panel_count; p++) {
        const slip_axis_range x = slip_layout_x(figure, p);
        const double step = slip_layout_x_step(x, (double)l->width / l->columns - l->left - margin_right);
        if (!figure->panels[p].surface)
            right = fmax(right, 15 + 0.5 * tic_width(x, step));
    }
    return right;
}

/* The height of a stacked panel, with room for all names of its legend; or of so many from the first on, with
 * what is between them. */
static double heights(const slip_figure *figure, int first, int count)
{
    double sum = 0;
    int longest = 0;
    for (int p = first; p < first + count; p++)
        sum += fmax(figure->panel_count > 1 ? stack_panel : lone_panel,
                    (double)key_line * slip_layout_labels(&figure->panels[p], &longest) + 10) +
               (p > first ? slip_layout_gap : 0);
    return sum;
}

/* Room for the legends: of a column of panels at the right, of a grid on top. */
static void place_legends(const slip_figure *figure, slip_layout *l)
{
    int longest = 0, most = 0;
    for (int p = 0; p < figure->panel_count; p++) {
        const int count = figure->panels[p].surface ? 0 : slip_layout_labels(&figure->panels[p], &longest);
        most = count > most ? count : most;
    }
    const double sample = slip_layout_sample + (double)slip_layout_character * longest;
    if (l->columns > 1)
        l->legend = find_legend(figure);
    if (l->legend.count > 0) {
        double width;
        for (int k = 0; k < l->legend.count; k += slip_layout_legend_row(l, k, &width))
            l->title += slip_layout_row;
        l->title += l->panel_titles ? 15 : 0;
    } else if (most > 0 && l->columns > 1) {
        l->key_columns = (int)fmax(1, ((double)l->width / l->columns - l->left) / sample);
        l->key = slip_layout_row * ceil((double)most / l->key_columns);
    } else if (most > 0) {
        l->key = sample;
        l->width += figure->width > 0 || sample < widest_key ? 0 : (int)sample - widest_key;
        l->panel = fmax(l->panel, (double)key_line * most + 10);
    }
}

bool slip_layout_has_images(const slip_figure *figure)
{
    return figure->panel_count > 0 && figure->panels[0].image;
}

slip_layout slip_layout_of(const slip_figure *figure)
{
    slip_layout l = {.columns = figure->columns > 1 ? figure->columns : 1, .panel = stack_panel};
    const bool images = slip_layout_has_images(figure);
    l.rows = (figure->panel_count + l.columns - 1) / l.columns;
    l.title = figure->title && figure->title[0] ? slip_layout_title : 0;
    for (int p = 0; p < figure->panel_count; p++)
        l.panel_titles = l.panel_titles || (figure->panels[p].title && figure->panels[p].title[0]);
    l.left = left_margin(figure);
    l.width = figure->width > 0 ? figure->width : l.columns > 2 ? 2400 : 1600;
    if (figure->width <= 0 && l.title > 0) /* the title fits */
        l.width = (int)fmax(l.width,
                            margin_right + slip_layout_character * (double)slip_script_length(figure->title));
    if (images)
        l.width = l.columns * figure->panels[0].image->width + (figure->scale ? slip_layout_scale : 0);
    l.right = images ? margin_right : right_margin(figure, &l);
    place_legends(figure, &l);
    if (images)
        l.height =
            (int)l.title + l.rows * (figure->panels[0].image->height + (l.panel_titles ? panel_title : 0));
    else if (figure->height > 0)
        l.height = figure->height;
    else if (figure->stacked)
        l.height = (int)(l.title + margin_top + margin_bottom + heights(figure, 0, figure->panel_count));
    else if (figure->panel_count == 1)
        l.height = (int)fmax(1200, l.title + l.panel + margin_top + margin_bottom);
    else
        l.height = (int)l.title + (l.columns == 1 ? (int)fmax(700, l.panel + margin_top + margin_bottom)
                                                  : 620 + (int)l.key) *
                                      l.rows;
    return l;
}

slip_panel_box slip_layout_box(const slip_figure *figure, const slip_layout *l, int index)
{
    int row = index / l->columns, column = index % l->columns;
    double width = (double)l->width / l->columns, height = ((double)l->height - l->title) / l->rows;
    bool grid = l->columns > 1;
    slip_panel_box b = {.left = column * width + l->left,
                        .right = (column + 1) * width - l->right - (grid ? 0 : l->key)};
    if (figure->panels[index].image) {
        const slip_figure_image *image = figure->panels[index].image;
        b.left = column * image->width;
        b.right = b.left + image->width;
        b.bottom = l->title + (row + 1) * height;
        b.top = b.bottom - image->height;
    } else if (figure->stacked) {
        const double usable = (double)l->height - l->title - margin_top - margin_bottom,
                     part = usable / heights(figure, 0, figure->panel_count);
        b.bottom = l->title + margin_top + part * heights(figure, 0, index + 1);
        b.top = b.bottom - part * heights(figure, index, 1);
    } else {
        b.top =
            l->title + row * height + margin_top + (l->panel_titles ? panel_title : 0) + (grid ? l->key : 0);
        b.bottom = l->title + (row + 1) * height - margin_bottom;
    }
    /* gnuplot counts from the bottom, in parts of the whole. */
    b.left /= l->width;
    b.right /= l->width;
    b.top = 1 - b.top / l->height;
    b.bottom = 1 - b.bottom / l->height;
    b.width = l->width;
    b.height = l->height;
    return b;
}
