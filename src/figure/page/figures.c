/* Figures of a page: what the pictures of a result show, as JSON. Curves over columns of the result name
 * them, so that the page has their numbers once and knows which curves go together. */
#include "figure/page/types.h"

enum { value_bits = 20 };
static const int64_t exact_points = 20000; /* a curve of its own with more points does not have all bits */
static const int64_t most_points = 150000; /* and with more still is thinned out */

static int find_column(const slip_page *page, const double *values, int64_t count)
{
    const slip_table *t = &page->result->main;
    for (int k = 0; k < t->column_count && count == t->count; k++)
        if (t->columns[k].values == values)
            return k;
    return -1;
}

/* Of very many points every so many-th. */
static int write_own(slip_page *page, slip_json_writer *json, const double *values, int64_t count)
{
    const int64_t every =
        page->kept && count == page->result->main.count ? 1 : (count + most_points - 1) / most_points;
    const double step = count > exact_points ? slip_page_step(values, count, value_bits) : 0;
    if (every <= 1)
        return slip_page_pack_kept(page, json, values, count, step);
    const int64_t some = (count + every - 1) / every;
    SLIP_FREED double *thin = slip_alloc(some, sizeof *thin);
    SLIP_PASS(slip_allocated(page->ctx, thin));
    for (int64_t i = 0; i < some; i++)
        thin[i] = values[i * every];
    return slip_page_pack(page, json, thin, some, step);
}

static int write_values(slip_page *page, slip_json_writer *json, const char *key, const double *values,
                        int64_t count)
{
    const int column = find_column(page, values, count);
    slip_json_object(json, key);
    if (column >= 0)
        slip_json_integer(json, "column", column);
    else
        SLIP_PASS(write_own(page, json, values, count));
    slip_json_end_object(json);
    return SLIP_OK;
}

static void write_text(slip_json_writer *json, const char *key, const char *text)
{
    if (text)
        slip_json_string(json, key, text);
}

static int write_curve(slip_page *page, slip_json_writer *json, const slip_curve *curve)
{
    static const char *const styles[] = {"line", "dashed", "points", "dashdot", "cells", "dots"};
    slip_json_object(json, NULL);
    slip_page_label(json, "label", curve->label);
    write_text(json, "x_name", curve->x_name);
    write_text(json, "y_name", curve->y_name);
    slip_json_integer(json, "color", curve->color);
    slip_json_string(json, "style", styles[curve->style]);
    if (curve->style == SLIP_CURVE_CELLS) {
        slip_json_list(json, "cell");
        for (int k = 0; k < 2; k++)
            slip_json_number(json, NULL, curve->cell[k]);
        slip_json_end_list(json);
    }
    SLIP_PASS(write_values(page, json, "x", curve->x, curve->count));
    SLIP_PASS(write_values(page, json, "y", curve->y, curve->count));
    slip_json_end_object(json);
    return SLIP_OK;
}

static int write_surface(slip_page *page, slip_json_writer *json, const slip_figure_surface *s)
{
    const double *const values[3] = {s->x, s->y, s->z};
    static const char *const keys[3] = {"x", "y", "z"};
    slip_json_object(json, "surface");
    slip_json_integer(json, "rows", s->rows);
    slip_json_integer(json, "columns", s->columns);
    for (int k = 0; k < 3; k++) {
        slip_json_object(json, keys[k]);
        SLIP_PASS(slip_page_pack(page, json, values[k], (int64_t)s->rows * s->columns, 0));
        slip_json_end_object(json);
    }
    slip_json_end_object(json);
    return SLIP_OK;
}

static int write_panel(slip_page *page, slip_json_writer *json, const slip_panel *panel)
{
    slip_json_object(json, NULL);
    slip_page_label(json, "title", panel->title);
    slip_page_label(json, "x_label", panel->x_label);
    slip_page_label(json, "y_label", panel->y_label);
    slip_page_label(json, "z_label", panel->z_label);
    slip_json_number(json, "y_low", panel->y_low);
    slip_json_number(json, "y_high", panel->y_high);
    slip_json_bool(json, "log_x", panel->log_x);
    slip_json_bool(json, "log_y", panel->log_y);
    slip_json_bool(json, "map", panel->map);
    slip_json_list(json, "notes");
    for (int k = 0; k < panel->note_count; k++) {
        slip_json_object(json, NULL);
        slip_json_number(json, "x", panel->notes[k].x);
        slip_json_number(json, "y", panel->notes[k].y);
        slip_json_string(json, "text", panel->notes[k].text);
        slip_json_end_object(json);
    }
    slip_json_end_list(json);
    slip_json_list(json, "curves");
    for (int k = 0; k < panel->curve_count; k++)
        SLIP_PASS(write_curve(page, json, &panel->curves[k]));
    slip_json_end_list(json);
    if (panel->surface)
        SLIP_PASS(write_surface(page, json, panel->surface));
    slip_json_end_object(json);
    return SLIP_OK;
}

/* Pictures of bodies: the page has these in space. */
static bool is_of_bodies(const slip_figure *figure)
{
    const slip_panel *panel = figure->panels;
    return figure->panel_count > 0 && (panel->image || panel->light);
}

static int take_figures(void *user, slip_context *ctx, const slip_figure *figures, int count)
{
    slip_page *page = user;
    slip_json_writer *json = &page->figure_list;
    (void)ctx;
    for (int f = 0; f < count; f++) {
        if (is_of_bodies(&figures[f]))
            continue;
        slip_json_object(json, NULL);
        slip_json_string(json, "name", figures[f].name);
        slip_page_label(json, "title", figures[f].title);
        slip_json_integer(json, "columns", figures[f].columns > 0 ? figures[f].columns : 1);
        slip_json_bool(json, "stacked", figures[f].stacked);
        slip_json_list(json, "panels");
        for (int k = 0; k < figures[f].panel_count; k++)
            SLIP_PASS(write_panel(page, json, &figures[f].panels[k]));
        slip_json_end_list(json);
        slip_json_end_object(json);
    }
    return SLIP_OK;
}

slip_figure_collector slip_page_figures(slip_page *page)
{
    return (slip_figure_collector){take_figures, page};
}
