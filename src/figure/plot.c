/* The standard pictures of a run. */
#include "figure/figure.h"
#include "figure/pictures.h"
#include "result/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many coordinates a picture with one panel for each cannot be read. */
enum { most_panels = 12, most_patches = 3, most_figures = 5 };

/* Panels of the history, one above the other, that can still be read, and curves that a legend beside one has
 * room for. */
enum { most_stacked = 16, most_curves = 7 };

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

/* "displacement x [mm]" for one curve, "displacement [mm]" where a legend names them; the unit is that of a
 * series (-1: none). */
static const char *axis_label(plot *p, const char *what, const char *name, int series)
{
    const char *unit = series >= 0 ? p->result->main.columns[series].unit : "";
    size_t size = strlen(what) + (name ? strlen(name) : 0) + strlen(unit) + 5;
    char *label = slip_arena_alloc(&p->arena, size);
    if (label)
        snprintf(label, size, "%s%s%s%s%s%s", what, name && *what ? " " : "", name ? name : "",
                 *unit ? " [" : "", unit, *unit ? "]" : "");
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

/* ---- The history: series of one kind and one unit share a panel. */

/* Series of one kind: `count` of them, `step` apart from `first` on. */
typedef struct kind {
    const char *what;    /* "displacement" */
    const char *what_of; /* "friction of": where it is one of several contacts; else NULL */
    int first, step, count;
} kind;

static bool same_unit(const plot *p, int a, int b)
{
    const slip_column *columns = p->result->main.columns;
    return strcmp(columns[a].unit, columns[b].unit) == 0;
}

/* Whether series `k` of the kind is the first of its unit. */
static bool opens_panel(const plot *p, const kind *of, int k)
{
    for (int i = 0; i < k; i++)
        if (same_unit(p, of->first + i * of->step, of->first + k * of->step))
            return false;
    return true;
}

/* The name of a curve: that of the series, or of its contact. */
static const char *curve_name(const plot *p, const kind *of, int k)
{
    return of->what_of ? p->result->contact_names[k] : p->result->main.columns[of->first + k * of->step].name;
}

/* The panel of all series of the kind that have the unit of series `k`. False when out of memory. */
static bool history_panel(plot *p, slip_panel *panel, const kind *of, int k)
{
    const int own = of->first + k * of->step;
    slip_curve *curves = new_curves(p, panel, of->count);
    int all = 0, seen = 0;
    if (!curves)
        return false;
    for (int i = k; i < of->count; i++)
        all += same_unit(p, own, of->first + i * of->step);
    const int shown = all < most_curves ? all : most_curves;
    panel->curve_count = 0;
    for (int i = k; i < of->count; i++) {
        const int series = of->first + i * of->step;
        if (!same_unit(p, own, series))
            continue;
        /* of many, some that are spread over all of them */
        const bool skipped = (int64_t)seen++ * (shown - 1) < (int64_t)panel->curve_count * (all - 1);
        if (skipped)
            continue;
        slip_curve *curve = &curves[panel->curve_count++];
        *curve = curve_of(p, 0, series);
        curve->label = curve_name(p, of, i);
        curve->color = of->count == 1 ? 0 : shown < all ? panel->curve_count : i + 1;
    }
    panel->x_label = axis_label(p, "time t", NULL, 0);
    if (panel->curve_count > 1) {
        char part[60];
        snprintf(part, sizeof part, "(%d of %d)", shown, all);
        panel->y_label = axis_label(p, of->what, shown < all ? part : NULL, own);
    } else {
        /* with a unit the name says enough: "x'' [mm/s^2]" */
        const bool short_of = !of->what_of && *p->result->main.columns[own].unit;
        curves[0].label = NULL;
        panel->y_label = axis_label(p,
                                    short_of      ? ""
                                    : of->what_of ? of->what_of
                                                  : of->what,
                                    curve_name(p, of, k), own);
    }
    return panel->x_label && panel->y_label;
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

/* Friction where there is any; normal forces where they are not just given numbers. */
static bool add_history(plot *p)
{
    const slip_result *r = p->result;
    const int contacts = slip_series_contact(r->n, 0, 0);
    const kind kinds[] = {
        {"displacement", NULL, 1, 3, r->n},
        {"velocity", NULL, 2, 3, r->n},
        {"acceleration", NULL, 3, 3, r->n},
        {"friction force", "friction of", contacts + 2, 4, has_friction(p) ? r->contact_count : 0},
        {"normal force", "normal force of", contacts + 1, 4, contacts_show(p, 1, NAN) ? r->contact_count : 0},
        {"output", NULL, slip_series_output(r, 0), 1, r->output_count}};
    slip_panel *panels = new_figure(p, "history", most_stacked);
    slip_figure *figure = &p->figures[p->figure_count - 1];
    if (!panels)
        return false;
    figure->stacked = true;
    figure->panel_count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < kinds[i].count && figure->panel_count < most_stacked; k++)
            if (opens_panel(p, &kinds[i], k) &&
                !history_panel(p, &panels[figure->panel_count++], &kinds[i], k))
                return false;
    if (figure->panel_count == most_stacked)
        slip_log(p->ctx, SLIP_LOG_INFO, "the history shows the first %d panels", (int)most_stacked);
    return true;
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
    const int slip = slip_series_contact(r->n, 0, 0);
    panel->x_label = axis_label(p, one ? "slip velocity of" : "slip velocity", one, slip);
    panel->y_label = axis_label(
        p, one ? "friction force against the slip of" : "friction force against the slip", one, slip + 2);
    if (!panel->x_label || !panel->y_label)
        return false;
    for (int c = 0; c < r->contact_count; c++) {
        if (is_patch(r, c))
            continue;
        slip_curve *curve = &curves[at++];
        *curve = curve_of(p, slip_series_contact(r->n, c, 0), slip_series_contact(r->n, c, 2));
        curve->y_name = axis_label(p, "minus", curve->y_name, -1);
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
        panels[i].x_label = axis_label(p, what[x], curve->x_name, slip_series_coordinate(i, x));
        panels[i].y_label = axis_label(p, what[y], curve->y_name, slip_series_coordinate(i, y));
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
