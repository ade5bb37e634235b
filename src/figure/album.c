#include "figure/album.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Appends an item to a list of `count` items, which is doubled when its length is a power of two. */
static void *append(slip_album *a, const void *list, int count, size_t size)
{
    void *copy = (void *)(uintptr_t)list; /* ours until it is drawn */
    if (count == 0 || (count & (count - 1)) == 0) {
        copy = slip_arena_array(&a->arena, count > 0 ? 2 * (int64_t)count : 1, size);
        if (copy && count > 0)
            memcpy(copy, list, (size_t)count * size);
    }
    a->failed = a->failed || !copy;
    return copy;
}

slip_figure *slip_album_figure(slip_album *a, const char *name)
{
    slip_figure *figure = &a->figures[a->count < slip_album_figures ? a->count++ : slip_album_figures - 1];
    *figure = (slip_figure){.name = name, .title = a->result ? a->result->title : NULL};
    return figure;
}

slip_panel *slip_album_panel(slip_album *a, const char *x_label, const char *y_label)
{
    slip_figure *figure = &a->figures[a->count - 1];
    slip_panel *panels = append(a, figure->panels, figure->panel_count, sizeof *panels);
    if (!panels)
        return &a->spare_panel;
    figure->panels = panels;
    panels += figure->panel_count++;
    *panels = (slip_panel){.x_label = x_label, .y_label = y_label};
    return panels;
}

static slip_panel *last_panel(slip_album *a)
{
    const slip_figure *figure = &a->figures[a->count - 1];
    return figure->panel_count > 0 ? (slip_panel *)(uintptr_t)&figure->panels[figure->panel_count - 1]
                                   : &a->spare_panel;
}

slip_curve *slip_album_curve(slip_album *a, const double *x, const double *y, int64_t count,
                             const char *label)
{
    slip_panel *panel = last_panel(a);
    slip_curve *curves = append(a, panel->curves, panel->curve_count, sizeof *curves);
    if (!curves || (count > 0 && (!x || !y)))
        return &a->spare_curve;
    panel->curves = curves;
    curves += panel->curve_count++;
    *curves = (slip_curve){.x = x, .y = y, .count = count, .label = label};
    return curves;
}

slip_pen slip_album_pen(slip_album *a, int64_t room)
{
    double *x = slip_album_numbers(a, room), *y = slip_album_numbers(a, room);
    return (slip_pen){a, x, y, x && y ? room : 0, 0};
}

void slip_pen_to(slip_pen *pen, double x, double y)
{
    if (pen->count == pen->room)
        return;
    pen->x[pen->count] = x;
    pen->y[pen->count++] = y;
}

slip_curve *slip_pen_curve(const slip_pen *pen, const char *label)
{
    return pen->count > 0 ? slip_album_curve(pen->album, pen->x, pen->y, pen->count, label)
                          : &pen->album->spare_curve;
}

void slip_album_note(slip_album *a, double x, double y, const char *text)
{
    slip_panel *panel = last_panel(a);
    slip_figure_note *notes = append(a, panel->notes, panel->note_count, sizeof *notes);
    if (!notes || !text)
        return;
    panel->notes = notes;
    notes[panel->note_count++] = (slip_figure_note){x, y, text};
}

unsigned char *slip_album_image(slip_album *a, int width, int height)
{
    unsigned char *pixels = slip_arena_array(&a->arena, 3 * (int64_t)width, (size_t)height);
    slip_figure_image *image = slip_arena_array(&a->arena, 1, sizeof *image);
    a->failed = a->failed || !pixels || !image;
    if (a->failed)
        return NULL;
    *image = (slip_figure_image){pixels, width, height};
    last_panel(a)->image = image;
    return pixels;
}

slip_panel *slip_album_surface(slip_album *a, const slip_figure_surface *surface, const char *z_label,
                               bool map)
{
    slip_panel *panel = last_panel(a);
    slip_figure_surface *own = slip_arena_array(&a->arena, 1, sizeof *own);
    a->failed = a->failed || !own;
    if (own)
        *own = *surface;
    panel->surface = own;
    panel->z_label = z_label;
    panel->map = map;
    return panel;
}

double *slip_album_numbers(slip_album *a, int64_t count)
{
    double *numbers = slip_arena_array(&a->arena, count + 1, sizeof *numbers);
    a->failed = a->failed || !numbers;
    return numbers;
}

const char *slip_album_text(slip_album *a, const char *format, ...)
{
    SLIP_FREED_BY(slip_text_free) slip_text made = {0};
    va_list args;
    va_start(args, format);
    slip_text_vprintf(&made, format, args);
    va_end(args);
    const char *copy = made.failed ? NULL : slip_arena_string(&a->arena, made.data ? made.data : "");
    a->failed = a->failed || !copy;
    return copy ? copy : "";
}

const char *slip_album_label(slip_album *a, const char *what, const char *name, const char *unit)
{
    const bool both = what && *what && name && *name, has_unit = unit && *unit;
    return slip_album_text(a, "%s%s%s%s%s%s", what ? what : "", both ? " " : "", name ? name : "",
                           has_unit ? " [" : "", has_unit ? unit : "", has_unit ? "]" : "");
}

const char *slip_album_part(slip_album *a, int shown, int all)
{
    return shown < all ? slip_album_text(a, "(%d of %d)", shown, all) : NULL;
}

void slip_album_title_part(slip_album *a, int shown, int all, const char *what)
{
    if (shown < all)
        a->figures[a->count - 1].title = slip_album_text(
            a, "%s (%d of %d %s)", a->result->title ? a->result->title : "", shown, all, what);
}

const char *slip_album_column(slip_album *a, const slip_column *column)
{
    return slip_album_label(a, NULL, column->name, column->unit);
}

slip_panel *slip_album_columns(slip_album *a, const slip_column *x, const slip_column *y)
{
    const char *x_label = slip_album_column(a, x);
    return slip_album_panel(a, x_label, slip_album_column(a, y));
}

int slip_album_series(slip_album *a, const char *name, int64_t *count, const double **values)
{
    int64_t found = 0;
    *values = slip_result_series(a->result, name, &found);
    if (!*values || (*count > 0 && found != *count))
        return slip_fail(a->ctx, SLIP_ERROR_IO, "%s: expected a result with the series `%s`", a->folder,
                         name);
    *count = found;
    return SLIP_OK;
}

double *slip_album_scaled(slip_album *a, const double *values, int64_t count, double factor)
{
    double *scaled = slip_album_numbers(a, count);
    for (int64_t i = 0; scaled && i < count; i++)
        scaled[i] = factor * values[i];
    return scaled;
}

int64_t slip_album_labelled(const slip_label *label, const double *branch, const double *value, int64_t count)
{
    int64_t best = -1;
    for (int64_t i = 0; i < count; i++)
        if (branch[i] == label->branch &&
            (best < 0 || fabs(value[i] - label->value) < fabs(value[best] - label->value)))
            best = i;
    return best;
}

int slip_album_largest(const double *sizes, int count, int most, int *chosen)
{
    int found = 0;
    for (int k = 0; k < count; k++) {
        int before = 0;
        for (int i = 0; i < count; i++)
            before += sizes[i] > sizes[k] || (sizes[i] == sizes[k] && i < k);
        if (before < most)
            chosen[found++] = k;
    }
    return found;
}

int slip_album_draw(slip_album *a, int status)
{
    if (a->failed)
        status = slip_fail_memory(a->ctx);
    else if (status >= 0 && a->count > 0)
        status = slip_figures_draw(a->ctx, a->figures, a->count, a->folder,
                                   a->base ? a->base : a->figures[0].name, a->options);
    slip_arena_free(&a->arena);
    a->count = 0;
    return status;
}
