/* The picture of quantities over the parameter, by mode. */
#include "study/statics/paths.h"

#include "figure/album.h"
#include "figure/axis.h"

#include <math.h>
#include <string.h>

enum { first_quantity = 3, kind_count = 3, notes_max = 40, marked_max = 200 };

/* Which line a mode gets. */
static int kind_of(slip_mode mode)
{
    return mode == SLIP_MODE_OPEN ? 0 : mode == SLIP_MODE_STICK ? 1 : 2;
}

/* The column with the mode of the contact to which a quantity belongs, else of the only contact; -1: none. */
static int mode_of(const slip_table *table, const char *quantity)
{
    const char *dot = strrchr(quantity, '.');
    int only = -1, count = 0;
    for (int k = 0; k < table->column_count; k++) {
        const size_t contact = slip_text_stem(table->columns[k].name, ".mode");
        if (contact == 0)
            continue;
        only = k;
        count++;
        if (dot == quantity + contact && strncmp(table->columns[k].name, quantity, contact) == 0)
            return k;
    }
    return count == 1 ? only : -1;
}

/* The contact with the largest normal force anywhere; where there are none the first quantity. */
static const char *likely_quantity(const slip_table *table)
{
    double largest = -1;
    const char *likely = table->column_count > first_quantity ? table->columns[first_quantity].name : "";
    for (int k = first_quantity; k < table->column_count; k++) {
        const double high = slip_range_of(table->columns[k].values, table->count).high;
        if (slip_text_stem(table->columns[k].name, ".normal") > 0 && high > largest) {
            largest = high;
            likely = table->columns[k].name;
        }
    }
    return likely;
}

typedef struct window {
    slip_album *album;
    const double *branch, *value, *y;
    const double *mode;  /* mode of the contact that decides the line style; NULL: none */
    const char *contact; /* its series, "NAME.mode" */
    int64_t count;
    double low, high;
    bool close; /* a close view with few points: each point is marked, and every label is drawn */
} window;

static bool is_inside(const window *w, int64_t i)
{
    return w->value[i] >= w->low && w->value[i] <= w->high;
}

/* The points of a kind, or of all, as one curve with gaps where it is another kind, another branch, or
 * outside. */
static void add_kind(const window *w, int kind)
{
    static const char *const labels[] = {"open", "stick", "slip", "point"};
    static const int colors[] = {1, 3, 2, 7};
    static const slip_curve_style styles[] = {SLIP_CURVE_LINE, SLIP_CURVE_DASHED, SLIP_CURVE_DASHDOT,
                                              SLIP_CURVE_POINTS};
    slip_pen pen = slip_album_pen(w->album, 2 * w->count);
    double branch = 0;
    int64_t own = 0;
    for (int64_t i = 0; i < w->count; i++) {
        if (!is_inside(w, i)) {
            branch = 0; /* what follows is not joined to what was */
            continue;
        }
        if (w->branch[i] != branch)
            slip_pen_to(&pen, w->value[i], NAN);
        const bool mine = kind == kind_count || kind == (w->mode ? kind_of((slip_mode)w->mode[i]) : 0);
        branch = w->branch[i];
        slip_pen_to(&pen, w->value[i], mine ? w->y[i] : NAN);
        own += mine;
    }
    if (own == 0)
        return;
    slip_curve *curve = slip_pen_curve(&pen, w->mode ? labels[kind] : NULL);
    curve->color = colors[kind];
    curve->style = styles[kind];
}

/* Words beside folds and branch points, and changes of the contact that is drawn. */
static void add_notes(const slip_result *p, const window *w, const slip_panel *panel)
{
    int64_t at = 0;
    for (int64_t k = 0; k < p->label_count && panel->note_count < notes_max; k++) {
        const slip_label *label = &p->labels[k];
        const size_t length = w->mode ? slip_text_stem(w->contact, ".mode") : 0;
        const bool own = length > 0 && strlen(label->contact) == length &&
                         strncmp(w->contact, label->contact, length) == 0;
        if (strcmp(label->type, "EP") == 0 || (strcmp(label->type, "MC") == 0 && !own && !w->close))
            continue;
        /* Labels are in the order of the points. */
        while (at < w->count && !(w->branch[at] == label->branch && w->value[at] == label->value))
            at++;
        if (at == w->count)
            break;
        if (is_inside(w, at))
            slip_album_note(w->album, w->value[at], w->y[at],
                            slip_album_text(w->album, "%s%d", label->type, label->number));
    }
}

int slip_paths_check_quantity(slip_context *ctx, const slip_result *p, const char *quantity)
{
    if (slip_table_find(&p->main, quantity) >= 0)
        return SLIP_OK;
    return slip_fail(ctx, SLIP_ERROR_USAGE,
                     "there is no quantity `%s`, expected a coordinate or NAME.normal, NAME.tangential, "
                     "NAME.gap or NAME.slip of a contact, such as `%s`",
                     quantity, likely_quantity(&p->main));
}

static int add_quantity(slip_album *album, const char *name)
{
    const slip_plot_options *options = album->options;
    slip_result *p = album->result;
    const int mode = mode_of(&p->main, name);
    window w = {.album = album,
                .low = isnan(options->from) ? -INFINITY : options->from,
                .high = isnan(options->to) ? INFINITY : options->to};
    int64_t inside = 0;
    SLIP_PASS(slip_album_series(album, "branch", &w.count, &w.branch));
    SLIP_PASS(slip_album_series(album, "value", &w.count, &w.value));
    w.y = slip_result_series(p, name, NULL);
    if (mode >= 0) {
        w.mode = slip_series_values(p, mode);
        w.contact = p->main.columns[mode].name;
    }
    if (!w.y)
        return slip_paths_check_quantity(album->ctx, p, name);
    for (int64_t i = 0; i < w.count; i++)
        inside += is_inside(&w, i);
    if (inside == 0)
        return slip_fail(album->ctx, SLIP_ERROR_USAGE, "there is no point of the paths from %g to %g", w.low,
                         w.high);
    w.close = inside < w.count && inside <= marked_max;
    const slip_panel *panel =
        slip_album_panel(album, slip_result_text(p, "parameter"),
                         slip_album_label(album, NULL, name, slip_result_unit(p, name)));
    for (int kind = 0; kind < kind_count + w.close; kind++)
        add_kind(&w, kind);
    add_notes(p, &w, panel);
    return SLIP_OK;
}

int slip_paths_draw(slip_album *album)
{
    slip_result *p = album->result;
    const char *names = album->options->quantity ? album->options->quantity : slip_result_text(p, "quantity");
    if (p->main.count == 0)
        return slip_fail(album->ctx, SLIP_ERROR_USAGE, "%s: there is no path to draw", album->folder);
    slip_figure *figure = slip_album_figure(album, "path");
    for (names = names ? names : likely_quantity(&p->main); *names; names += *names == ',') {
        const int length = (int)strcspn(names, ",");
        SLIP_PASS(add_quantity(album, slip_album_text(album, "%.*s", length, names)));
        names += length;
    }
    const int count = figure->panel_count;
    figure->columns = count <= 1 ? 1 : count % 3 == 0 ? 3 : 2;
    return SLIP_OK;
}
