/* The standard pictures of a run. */
#include "result/figure.h"
#include "result/pictures.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many coordinates a picture with one panel for each cannot be read. */
enum { most_panels = 12, most_patches = 3, most_figures = 5 };

typedef struct plot {
    slip_context *ctx;
    const slip_result *result;
    slip_arena arena;
    int64_t first, count; /* the records in the time span */
    slip_figure figures[most_figures];
    int figure_count;
} plot;

int slip_plot_span(slip_context *ctx, const slip_plot_options *options, const char *folder, const double *t,
                   int64_t all, int64_t *first, int64_t *count)
{
    int64_t begin = 0, end = all;
    if (all == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: nothing was recorded, so there is nothing to draw",
                         folder);
    while (begin < end && t[begin] < options->from)
        begin++;
    while (end > begin && t[end - 1] > options->to)
        end--;
    *first = begin;
    *count = end - begin;
    if (*count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: nothing was recorded from %g to %g; the records are from %g to %g", folder,
                         isnan(options->from) ? t[0] : options->from,
                         isnan(options->to) ? t[all - 1] : options->to, t[0], t[all - 1]);
    return SLIP_OK;
}

static slip_curve curve_of(const plot *p, int x, int y)
{
    const slip_result *r = p->result;
    return (slip_curve){.x = slip_series_values(r, x) + p->first,
                        .y = slip_series_values(r, y) + p->first,
                        .count = p->count,
                        .x_name = r->main.columns[x].name,
                        .y_name = r->main.columns[y].name};
}

/* "displacement x" for one curve, "displacement" where a legend names them. */
static const char *axis_label(plot *p, const char *what, const char *name)
{
    size_t size = strlen(what) + (name ? strlen(name) : 0) + 2;
    char *label = slip_arena_alloc(&p->arena, size);
    if (label)
        snprintf(label, size, "%s%s%s", what, name ? " " : "", name ? name : "");
    return label;
}

static slip_panel *new_figure(plot *p, const char *name, int panel_count)
{
    slip_figure *figure = &p->figures[p->figure_count++];
    slip_panel *panels = slip_arena_array(&p->arena, panel_count, sizeof *panels);
    *figure =
        (slip_figure){.name = name, .title = p->result->title, .panels = panels, .panel_count = panel_count};
    return panels;
}

/* A panel whose curves the caller fills in. */
static slip_curve *new_curves(plot *p, slip_panel *panel, int count)
{
    slip_curve *curves = slip_arena_array(&p->arena, count, sizeof *curves);
    panel->curves = curves;
    panel->curve_count = count;
    return curves;
}

/* Returns the curves, or NULL when out of memory. */
static slip_curve *history_panel(plot *p, slip_panel *panel, const char *what, int count,
                                 int (*series)(int, int, int), int part)
{
    slip_curve *curves = new_curves(p, panel, count);
    panel->x_label = "time t";
    panel->y_label =
        axis_label(p, what, count == 1 ? p->result->main.columns[series(p->result->n, 0, part)].name : NULL);
    if (!curves || !panel->y_label)
        return NULL;
    for (int i = 0; i < count; i++) {
        curves[i] = curve_of(p, 0, series(p->result->n, i, part));
        curves[i].label = count > 1 ? curves[i].y_name : NULL;
    }
    return curves;
}

static int coordinate_series(int n, int i, int part)
{
    (void)n;
    return slip_series_coordinate(i, part);
}

/* ---- Contacts: part 1 is the normal force, part 2 friction. */

/* Does any contact have a value that is not `zero`, or (NAN) not that of the first record? */
static bool contacts_show(const plot *p, int part, double zero)
{
    for (int c = 0; c < p->result->contact_count; c++) {
        const double *values =
            slip_series_values(p->result, slip_series_contact(p->result->n, c, part)) + p->first;
        for (int64_t i = 0; i < p->count; i++)
            if (values[i] != (isnan(zero) ? values[0] : zero))
                return true;
    }
    return false;
}

static bool has_friction(const plot *p)
{
    return contacts_show(p, 2, 0);
}

static bool contact_panel(plot *p, slip_panel *panel, const char *what, const char *what_of, int part)
{
    const int contacts = p->result->contact_count;
    slip_curve *curves = history_panel(p, panel, what, contacts, slip_series_contact, part);
    if (!curves)
        return false;
    for (int c = 0; contacts > 1 && c < contacts; c++)
        curves[c].label = p->result->contact_names[c];
    if (contacts == 1)
        panel->y_label = axis_label(p, what_of, p->result->contact_names[0]);
    return panel->y_label != NULL;
}

/* Friction where there is any; normal forces where they are not just given numbers. */
static bool add_history(plot *p)
{
    static const char *const what[3] = {"displacement", "velocity", "acceleration"};
    const bool friction = has_friction(p), normal = contacts_show(p, 1, NAN);
    slip_panel *panels = new_figure(p, "history", 3 + friction + normal);
    p->figures[p->figure_count - 1].stacked = true;
    if (!panels)
        return false;
    for (int part = 0; part < 3; part++)
        if (!history_panel(p, &panels[part], what[part], p->result->n, coordinate_series, part))
            return false;
    return (!friction || contact_panel(p, &panels[3], "friction force", "friction of", 2)) &&
           (!normal || contact_panel(p, &panels[3 + friction], "normal force", "normal force of", 1));
}

/* The friction that the slip meets: the negative of the force on the coordinates along it. Where stick begins
 * or ends the force may jump, and the pen is lifted. */
static const double *friction_met(plot *p, int c)
{
    const slip_result *r = p->result;
    const double *force = slip_series_values(r, slip_series_contact(r->n, c, 2)) + p->first;
    const double *mode = slip_series_values(r, slip_series_contact(r->n, c, 3)) + p->first;
    double *met = slip_arena_array(&p->arena, p->count, sizeof *met);
    for (int64_t i = 0; met && i < p->count; i++) {
        bool stick = mode[i] == SLIP_MODE_STICK, before = i > 0 ? mode[i - 1] == SLIP_MODE_STICK : stick;
        met[i] = stick == before ? 0 - force[i] : NAN;
    }
    return met;
}

static bool is_patch(const slip_result *r, int contact)
{
    for (int k = 0; k < r->patch_count; k++)
        if (r->patch_contacts[k] == contact)
            return true;
    return false;
}

/* Contacts that have one slip velocity; patches have pictures of their own. */
static bool add_force_slip(plot *p)
{
    const slip_result *r = p->result;
    int count = r->contact_count - r->patch_count, at = 0;
    if (count == 0)
        return true;
    slip_panel *panel = new_figure(p, "force-slip", 1);
    slip_curve *curves = panel ? new_curves(p, panel, count) : NULL;
    const char *one = r->contact_count == 1 ? r->contact_names[0] : NULL;
    if (!curves)
        return false;
    panel->x_label = one ? axis_label(p, "slip velocity of", one) : "slip velocity";
    panel->y_label =
        one ? axis_label(p, "friction force against the slip of", one) : "friction force against the slip";
    if (!panel->x_label || !panel->y_label)
        return false;
    for (int c = 0; c < r->contact_count; c++) {
        if (is_patch(r, c))
            continue;
        slip_curve *curve = &curves[at++];
        *curve = curve_of(p, slip_series_contact(r->n, c, 0), slip_series_contact(r->n, c, 2));
        curve->y_name = axis_label(p, "minus", curve->y_name);
        curve->y = friction_met(p, c);
        curve->label = r->contact_count > 1 ? r->contact_names[c] : NULL;
        if (!curve->y || !curve->y_name)
            return false;
    }
    return true;
}

/* ---- patches ---- */

static bool is_zero(const plot *p, int series)
{
    const double *values = slip_series_values(p->result, series) + p->first;
    for (int64_t i = 0; i < p->count; i++)
        if (values[i] != 0)
            return false;
    return true;
}

/* A panel with those of `count` series that are not zero all the time; the first of them if all are. */
static bool patch_panel(plot *p, slip_panel *panel, const char *what, int patch, int part, int count)
{
    slip_curve *curves = new_curves(p, panel, count);
    panel->x_label = "time t";
    panel->y_label = what;
    if (!curves)
        return false;
    panel->curve_count = 0;
    for (int k = 0; k < count; k++) {
        int series = slip_series_patch(p->result, patch, part + k);
        if (is_zero(p, series) && !(k == count - 1 && panel->curve_count == 0))
            continue;
        curves[panel->curve_count] = curve_of(p, 0, series);
        curves[panel->curve_count].label = count > 1 ? slip_patch_parts[part + k] : NULL;
        curves[panel->curve_count].color = k + 1;
        panel->curve_count++;
    }
    return true;
}

/* Slip, spin, force and moment over time, a column for each patch. */
static bool add_patches(plot *p)
{
    static const struct {
        const char *what;
        int part, count;
    } rows[4] = {
        {"slip velocity", 0, 2}, {"spin", 2, 1}, {"friction force", 3, 2}, {"friction moment", 5, 1}};
    const slip_result *r = p->result;
    int count = r->patch_count < most_patches ? r->patch_count : most_patches;
    slip_panel *panels = count > 0 ? new_figure(p, "patch", 4 * count) : NULL;
    if (r->patch_count > most_patches)
        slip_log(p->ctx, SLIP_LOG_INFO, "pictures show the first %d of %d patches", (int)most_patches,
                 r->patch_count);
    if (!panels)
        return count == 0;
    p->figures[p->figure_count - 1].stacked = count == 1;
    p->figures[p->figure_count - 1].columns = count;
    for (int k = 0; k < 4 * count; k++) {
        int row = k / count, patch = k % count;
        if (!patch_panel(p, &panels[k], rows[row].what, patch, rows[row].part, rows[row].count))
            return false;
        if (count > 1 && row == 0)
            panels[k].title = r->contact_names[r->patch_contacts[patch]];
    }
    return true;
}

/* One panel a coordinate: part `y` of it over part `x`. */
static bool add_portrait(plot *p, const char *name, int x, int y)
{
    static const char *const what[3] = {"displacement", "velocity", "acceleration"};
    int n = p->result->n < most_panels ? p->result->n : most_panels;
    slip_panel *panels = new_figure(p, name, n);
    p->figures[p->figure_count - 1].columns = n == 1 ? 1 : n <= 4 ? 2 : 3;
    if (!panels)
        return false;
    for (int i = 0; i < n; i++) {
        slip_curve *curve = new_curves(p, &panels[i], 1);
        if (!curve)
            return false;
        *curve = curve_of(p, slip_series_coordinate(i, x), slip_series_coordinate(i, y));
        curve->color = i + 1;
        panels[i].x_label = axis_label(p, what[x], curve->x_name);
        panels[i].y_label = axis_label(p, what[y], curve->y_name);
        if (!panels[i].x_label || !panels[i].y_label)
            return false;
    }
    return true;
}

static int describe(plot *p)
{
    if (p->result->n > most_panels)
        slip_log(p->ctx, SLIP_LOG_INFO, "phase pictures show the first %d of %d coordinates",
                 (int)most_panels, p->result->n);
    if (!add_history(p) || (has_friction(p) && !add_force_slip(p)) || !add_patches(p) ||
        (p->result->n > 0 &&
         (!add_portrait(p, "phase", 0, 1) || !add_portrait(p, "acceleration-velocity", 1, 2))))
        return slip_fail_memory(p->ctx);
    return SLIP_OK;
}

int slip_run_draw(slip_context *ctx, slip_result *result, const char *folder,
                  const slip_plot_options *options)
{
    plot p = {.ctx = ctx, .result = result};
    int status;
    SLIP_TRY(slip_plot_span(ctx, options, folder, slip_series_values(result, 0), result->main.count, &p.first,
                            &p.count));
    SLIP_TRY(describe(&p));
    SLIP_TRY(
        slip_figures_draw(ctx, p.figures, p.figure_count, folder, "plot", options->written, options->user));
done:
    slip_arena_free(&p.arena);
    return status;
}
