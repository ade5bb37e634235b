/* The picture of a quantity over the parameter, by mode. */
#include "study/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kind_count = 3, marks = kind_count, notes_max = 40, word_size = 24 };

/* Which line a mode gets. */
static int kind_of(slip_mode mode)
{
    return mode == SLIP_MODE_OPEN ? 0 : mode == SLIP_MODE_STICK ? 1 : 2;
}

/* The contact whose mode decides; -1: none. */
static int contact_of(const slip_paths *p, const char *quantity)
{
    for (int c = 0; c < p->contact_count; c++) {
        const size_t length = strlen(p->contact_names[c]);
        if (strncmp(quantity, p->contact_names[c], length) == 0 && quantity[length] == '.')
            return c;
    }
    return p->contact_count == 1 ? 0 : -1;
}

/* The contact with the largest normal force anywhere. */
static const char *likely_quantity(const slip_paths *p)
{
    double largest = -1;
    const char *name = p->names[slip_paths_fixed_columns];
    for (int c = 0; c < p->contact_count; c++) {
        const int64_t k =
            slip_paths_fixed_columns + p->coordinate_count + slip_paths_contact_columns * (int64_t)c;
        for (int64_t i = 0; i < p->point_count; i++)
            if (p->points[i * p->width + k] > largest) {
                largest = p->points[i * p->width + k];
                name = p->names[k];
            }
    }
    return name;
}

typedef struct window {
    const double *value, *y;
    int contact;
    double low, high;
} window;

/* A row of numbers for x, then one for each kind of line (and for marks), with gaps where it is another kind,
 * another branch, or outside. */
static int64_t fill(const slip_paths *p, const window *w, double *x, double *y[kind_count + 1])
{
    const int64_t mode = slip_paths_fixed_columns + p->coordinate_count +
                         slip_paths_contact_columns * (int64_t)w->contact + slip_paths_contact_columns - 1;
    int64_t at = 0;
    double branch = 0;
    for (int64_t i = 0; i < p->point_count; i++) {
        const double *row = p->points + i * p->width;
        const int kind = w->contact >= 0 ? kind_of((slip_mode)row[mode]) : 0;
        if (!(w->value[i] >= w->low && w->value[i] <= w->high)) {
            branch = 0; /* what follows is not joined to what was */
            continue;
        }
        if (row[0] != branch) {
            x[at] = w->value[i];
            for (int k = 0; k <= kind_count; k++)
                y[k][at] = NAN;
            at++;
        }
        branch = row[0];
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
static void size_of(const slip_paths *p, const window *w, double *width, double *height)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int64_t i = 0; i < p->point_count; i++) {
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
static void add_notes(const slip_paths *p, const window *w, bool every_label, slip_paths_panel *to)
{
    int64_t at = 0;
    int count = 0;
    double width, height;
    size_of(p, w, &width, &height);
    for (int64_t k = 0; k < p->label_count && count < notes_max; k++) {
        const slip_path_label *label = &p->labels[k];
        const bool own = w->contact >= 0 && strcmp(label->contact, p->contact_names[w->contact]) == 0;
        if (strcmp(label->type, "EP") == 0 || (strcmp(label->type, "MC") == 0 && !own && !every_label))
            continue;
        /* Labels are in the order of the points. */
        while (at < p->point_count &&
               !(p->points[at * p->width] == label->branch && w->value[at] == label->value))
            at++;
        if (at == p->point_count)
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

int slip_paths_check_quantity(slip_context *ctx, const slip_paths *p, const char *quantity)
{
    if (slip_paths_has(p, quantity))
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_USAGE,
                     "there is no quantity `%s`, expected a coordinate or NAME.normal, NAME.tangential, "
                     "NAME.gap or NAME.slip of a contact, such as `%s`",
                     quantity, likely_quantity(p));
}

int slip_paths_panel_make(slip_context *ctx, const slip_paths *p, const slip_paths_view *view,
                          slip_paths_panel *to)
{
    const char *name = view->quantity ? view->quantity : likely_quantity(p);
    const int64_t room = 2 * p->point_count + 1;
    double *y[kind_count + 1];
    window w = {.low = isnan(view->low) ? -INFINITY : view->low,
                .high = isnan(view->high) ? INFINITY : view->high};
    *to = (slip_paths_panel){0};
    w.value = slip_paths_series(p, "value", NULL);
    w.y = slip_paths_series(p, name, NULL);
    w.contact = contact_of(p, name);
    if (!w.value || !w.y) {
        const int status = slip_paths_check_quantity(ctx, p, name);
        return status < 0 ? status : slip_fail_memory(ctx);
    }
    to->numbers = slip_alloc((2 + kind_count) * room, sizeof(double));
    to->notes = slip_alloc(notes_max, sizeof *to->notes);
    to->words = slip_alloc(notes_max * word_size, 1);
    if (!to->numbers || !to->notes || !to->words)
        return slip_fail_memory(ctx);
    for (int k = 0; k <= kind_count; k++)
        y[k] = to->numbers + (k + 1) * room;
    const int64_t count = fill(p, &w, to->numbers, y);
    to->panel = (slip_panel){.x_label = p->parameter, .y_label = name};
    add_curves(to, to->numbers, y, count, w.contact >= 0, view->marks);
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

int slip_paths_draw(slip_context *ctx, const slip_paths *p, const char *quantity, const char *folder,
                    void (*written)(void *user, const char *path), void *user)
{
    SLIP_NEED(ctx, p, folder);
    const slip_paths_view view = {.quantity = quantity ? quantity : p->quantity, .low = NAN, .high = NAN};
    slip_paths_panel made = {0};
    int status;
    if (p->point_count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no path to draw");
    SLIP_TRY(slip_paths_panel_make(ctx, p, &view, &made));
    const slip_figure figure = {
        .name = "path", .title = p->title[0] ? p->title : NULL, .panels = &made.panel, .panel_count = 1};
    SLIP_TRY(slip_figure_draw(ctx, &figure, folder, written, user));
done:
    slip_paths_panel_free(&made);
    return status;
}
