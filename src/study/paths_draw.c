/* The picture of a quantity over the parameter, by mode. */
#include "study/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { first_quantity = 3, kind_count = 3, marks = kind_count, notes_max = 40, word_size = 24 };

/* Which line a mode gets. */
static int kind_of(slip_mode mode)
{
    return mode == SLIP_MODE_OPEN ? 0 : mode == SLIP_MODE_STICK ? 1 : 2;
}

/* The column of the mode of the contact that a quantity is of; of the only contact otherwise; -1: none
 * decides. */
static int mode_of(const slip_result *p, const char *quantity)
{
    const slip_table *table = &p->main;
    const char *dot = strrchr(quantity, '.');
    int only = -1, count = 0;
    for (int k = 0; k < table->column_count; k++) {
        const char *name = table->columns[k].name, *end = strrchr(name, '.');
        if (!end || strcmp(end, ".mode") != 0)
            continue;
        only = k;
        count++;
        if (dot && dot - quantity == end - name && strncmp(name, quantity, (size_t)(end - name)) == 0)
            return k;
    }
    return count == 1 ? only : -1;
}

/* The contact with the largest normal force anywhere; where there are none the first quantity. */
static const char *likely_quantity(const slip_result *p)
{
    static const char ending[] = ".normal";
    const slip_table *table = &p->main;
    double largest = -1;
    const char *likely = table->column_count > first_quantity ? table->columns[first_quantity].name : "";
    for (int k = first_quantity; k < table->column_count; k++) {
        const char *name = table->columns[k].name;
        const size_t length = strlen(name), after = strlen(ending);
        if (length < after || strcmp(name + length - after, ending) != 0)
            continue;
        for (int64_t i = 0; i < table->count; i++)
            if (table->columns[k].values[i] > largest) {
                largest = table->columns[k].values[i];
                likely = name;
            }
    }
    return likely;
}

typedef struct window {
    const double *branch, *value, *y;
    const double *mode;  /* of the contact whose lines differ by mode; NULL: of none */
    const char *contact; /* its series, "NAME.mode" */
    int64_t count;
    double low, high;
} window;

/* A row of numbers for x, then one for each kind of line (and for marks), with gaps where it is another kind,
 * another branch, or outside. */
static int64_t fill(const window *w, double *x, double *y[kind_count + 1])
{
    int64_t at = 0;
    double branch = 0;
    for (int64_t i = 0; i < w->count; i++) {
        const int kind = w->mode ? kind_of((slip_mode)w->mode[i]) : 0;
        if (!(w->value[i] >= w->low && w->value[i] <= w->high)) {
            branch = 0; /* what follows is not joined to what was */
            continue;
        }
        if (w->branch[i] != branch) {
            x[at] = w->value[i];
            for (int k = 0; k <= kind_count; k++)
                y[k][at] = NAN;
            at++;
        }
        branch = w->branch[i];
        x[at] = w->value[i];
        for (int k = 0; k < kind_count; k++)
            y[k][at] = k == kind ? w->y[i] : NAN;
        y[marks][at++] = w->y[i];
    }
    return at;
}

/* Too close to a word that is there already to be read. */
static bool is_crowded(const slip_figure_note *notes, int count, double x, double y, double width,
                       double height)
{
    for (int k = 0; k < count; k++)
        if (fabs(notes[k].x - x) < 0.12 * width && fabs(notes[k].y - y) < 0.06 * height)
            return true;
    return false;
}

/* Width and height of what is drawn. */
static void size_of(const window *w, double *width, double *height)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < w->count; i++) {
        const double at[2] = {w->value[i], w->y[i]};
        for (int k = 0; k < 2 && w->value[i] >= w->low && w->value[i] <= w->high; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    *width = high[0] - low[0];
    *height = high[1] - low[1];
}

/* Words beside folds and branch points, and changes of the contact that is drawn. */
static void add_notes(const slip_result *p, const window *w, bool every_label, slip_paths_panel *to)
{
    int64_t at = 0;
    int count = 0;
    double width, height;
    size_of(w, &width, &height);
    for (int64_t k = 0; k < p->label_count && count < notes_max; k++) {
        const slip_label *label = &p->labels[k];
        const size_t length = strlen(label->contact);
        const bool own = w->mode && strncmp(w->contact, label->contact, length) == 0 &&
                         strcmp(w->contact + length, ".mode") == 0;
        if (strcmp(label->type, "EP") == 0 || (strcmp(label->type, "MC") == 0 && !own && !every_label))
            continue;
        /* Labels are in the order of the points. */
        while (at < w->count && !(w->branch[at] == label->branch && w->value[at] == label->value))
            at++;
        if (at == w->count)
            break;
        if (!(label->value >= w->low && label->value <= w->high) ||
            is_crowded(to->notes, count, w->value[at], w->y[at], width, height))
            continue;
        snprintf(to->words + count * word_size, word_size, "%s%d", label->type, label->number);
        to->notes[count] = (slip_figure_note){w->value[at], w->y[at], to->words + count * word_size};
        count++;
    }
    to->panel.notes = to->notes;
    to->panel.note_count = count;
}

static bool occurs(const double *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isnan(y[i]))
            return true;
    return false;
}

static void add_curves(slip_paths_panel *to, const double *x, double *const y[kind_count + 1], int64_t count,
                       bool by_mode, bool marked)
{
    static const char *const labels[] = {"open", "stick", "slip", "point"};
    static const int colors[] = {1, 3, 2, 7};
    static const slip_curve_style styles[] = {SLIP_CURVE_LINE, SLIP_CURVE_DASHED, SLIP_CURVE_DASHDOT,
                                              SLIP_CURVE_POINTS};
    for (int k = 0; k <= kind_count; k++)
        if (k == marks ? marked : occurs(y[k], count))
            to->curves[to->panel.curve_count++] = (slip_curve){.x = x,
                                                               .y = y[k],
                                                               .count = count,
                                                               .label = by_mode ? labels[k] : NULL,
                                                               .color = colors[k],
                                                               .style = styles[k]};
    to->panel.curves = to->curves;
}

int slip_paths_check_quantity(slip_context *ctx, const slip_result *p, const char *quantity)
{
    if (slip_table_find(&p->main, quantity) >= 0)
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_USAGE,
                     "there is no quantity `%s`, expected a coordinate or NAME.normal, NAME.tangential, "
                     "NAME.gap or NAME.slip of a contact, such as `%s`",
                     quantity, likely_quantity(p));
}

int slip_paths_panel_make(slip_context *ctx, slip_result *p, const slip_paths_view *view,
                          slip_paths_panel *to)
{
    const char *name = view->quantity ? view->quantity : likely_quantity(p);
    const int64_t room = 2 * p->main.count + 1;
    const int mode = mode_of(p, name);
    double *y[kind_count + 1];
    window w = {.low = isnan(view->low) ? -INFINITY : view->low,
                .high = isnan(view->high) ? INFINITY : view->high};
    *to = (slip_paths_panel){0};
    w.branch = slip_result_series(p, "branch", &w.count);
    w.value = slip_result_series(p, "value", NULL);
    w.y = slip_result_series(p, name, NULL);
    if (mode >= 0) {
        w.mode = slip_series_values(p, mode);
        w.contact = p->main.columns[mode].name;
    }
    if (!w.branch || !w.value)
        return slip_fail(ctx, SLIP_ERROR_IO,
                         "expected a result with the series `branch` and `value` of paths");
    if (!w.y)
        return slip_paths_check_quantity(ctx, p, name);
    to->numbers = slip_alloc((2 + kind_count) * room, sizeof(double));
    to->notes = slip_alloc(notes_max, sizeof *to->notes);
    to->words = slip_alloc(notes_max * word_size, 1);
    if (!to->numbers || !to->notes || !to->words)
        return slip_fail_memory(ctx);
    for (int k = 0; k <= kind_count; k++)
        y[k] = to->numbers + (k + 1) * room;
    const int64_t count = fill(&w, to->numbers, y);
    if (count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no point of the paths from %g to %g", w.low,
                         w.high);
    to->panel = (slip_panel){.x_label = slip_result_text(p, "parameter"), .y_label = name};
    add_curves(to, to->numbers, y, count, w.mode != NULL, view->marks);
    add_notes(p, &w, view->every_label, to);
    return SLIP_OK;
}

void slip_paths_panel_free(slip_paths_panel *panel)
{
    free(panel->numbers);
    free(panel->notes);
    free(panel->words);
    *panel = (slip_paths_panel){0};
}

int slip_paths_draw(slip_context *ctx, slip_result *p, const char *folder, const slip_plot_options *options)
{
    const slip_paths_view view = {.quantity =
                                      options->quantity ? options->quantity : slip_result_text(p, "quantity"),
                                  .low = options->from,
                                  .high = options->to};
    slip_paths_panel made = {0};
    int status;
    if (p->main.count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there is no path to draw", folder);
    SLIP_TRY(slip_paths_panel_make(ctx, p, &view, &made));
    const slip_figure figure = {.name = "path",
                                .title = p->title && p->title[0] ? p->title : NULL,
                                .panels = &made.panel,
                                .panel_count = 1};
    SLIP_TRY(slip_figure_draw(ctx, &figure, folder, options->written, options->user));
done:
    slip_paths_panel_free(&made);
    return status;
}
