/* The picture of a quantity over the parameter, by mode. */
#include "study/paths.h"

#include "result/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kind_count = 3 };

/* Which line a mode gets. */
static int kind_of(slip_mode mode)
{
    return mode == SLIP_MODE_OPEN ? 0 : mode == SLIP_MODE_STICK ? 1 : 2;
}

/* The contact that a quantity belongs to; -1: none, then the largest normal force decides. */
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

typedef struct drawing {
    double *y[kind_count], *x;
    slip_figure_note *notes;
    char *words;
    int note_count;
} drawing;

/* A curve for each kind of line, with gaps where it is another one or another branch. */
static bool fill(const slip_paths *p, const double *value, const double *y, int contact, drawing *to)
{
    const int64_t count = p->point_count, room = 2 * count + 1;
    const int64_t mode = slip_paths_fixed_columns + p->coordinate_count +
                         slip_paths_contact_columns * (int64_t)contact + slip_paths_contact_columns - 1;
    int64_t at = 0;
    to->x = slip_alloc((1 + kind_count) * room, sizeof(double));
    if (!to->x)
        return false;
    for (int k = 0; k < kind_count; k++)
        to->y[k] = to->x + (k + 1) * room;
    for (int64_t i = 0; i < count; i++) {
        const double *row = p->points + i * p->width;
        const int kind = contact >= 0 ? kind_of((slip_mode)row[mode]) : 0;
        if (i > 0 && row[0] != row[-p->width]) { /* another branch */
            to->x[at] = value[i];
            for (int k = 0; k < kind_count; k++)
                to->y[k][at] = NAN;
            at++;
        }
        to->x[at] = value[i];
        for (int k = 0; k < kind_count; k++)
            to->y[k][at] = k == kind ? y[i] : NAN;
        at++;
    }
    for (; at < room; at++) {
        to->x[at] = value[count - 1];
        for (int k = 0; k < kind_count; k++)
            to->y[k][at] = NAN;
    }
    return true;
}

/* Words beside folds, branch points and ends, and changes of the contact that is drawn: where there are few.
 */
static bool add_notes(const slip_paths *p, const double *value, const double *y, int contact, drawing *to)
{
    const int most = 40;
    enum { word = 24 };
    int64_t at = 0;
    to->notes = slip_alloc(most, sizeof *to->notes);
    to->words = slip_alloc(most * word, 1);
    if (!to->notes || !to->words)
        return false;
    for (int64_t k = 0; k < p->label_count && to->note_count < most; k++) {
        const slip_path_label *label = &p->labels[k];
        const bool own = contact >= 0 && strcmp(label->contact, p->contact_names[contact]) == 0;
        if (strcmp(label->type, "EP") == 0 || (strcmp(label->type, "MC") == 0 && !own))
            continue;
        /* Labels are in the order of the points. */
        while (at < p->point_count &&
               !(p->points[at * p->width] == label->branch && value[at] == label->value))
            at++;
        if (at == p->point_count)
            break;
        snprintf(to->words + to->note_count * word, word, "%s%d", label->type, label->number);
        to->notes[to->note_count] = (slip_figure_note){value[at], y[at], to->words + to->note_count * word};
        to->note_count++;
    }
    return true;
}

int slip_paths_draw(slip_context *ctx, const slip_paths *p, const char *quantity, const char *folder,
                    void (*written)(void *user, const char *path), void *user)
{
    static const char *const labels[kind_count] = {"open", "stick", "slip"};
    static const slip_curve_style styles[kind_count] = {SLIP_CURVE_LINE, SLIP_CURVE_DASHED,
                                                        SLIP_CURVE_DASHDOT};
    const char *name = quantity ? quantity : p->quantity;
    slip_curve curves[kind_count];
    drawing made = {0};
    int64_t count;
    int status = SLIP_OK;
    if (p->point_count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "there is no path to draw");
    if (!name)
        name = likely_quantity(p);
    const double *value = slip_paths_series(p, "value", &count), *y = slip_paths_series(p, name, NULL);
    if (!value || !y)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "there is no quantity `%s`, expected a coordinate or NAME.normal, NAME.tangential, "
                         "NAME.gap or NAME.slip of a contact, such as `%s`",
                         name, likely_quantity(p));
    const int contact = contact_of(p, name);
    if (!fill(p, value, y, contact, &made) || !add_notes(p, value, y, contact, &made)) {
        status = slip_fail_memory(ctx);
        goto done;
    }
    for (int k = 0; k < kind_count; k++)
        curves[k] = (slip_curve){.x = made.x,
                                 .y = made.y[k],
                                 .count = 2 * count + 1,
                                 .label = contact >= 0 ? labels[k] : NULL,
                                 .color = k == 0   ? 1
                                          : k == 1 ? 3
                                                   : 2,
                                 .style = styles[k]};
    const slip_panel panel = {.x_label = p->parameter,
                              .y_label = name,
                              .curves = curves,
                              .curve_count = contact >= 0 ? kind_count : 1,
                              .notes = made.notes,
                              .note_count = made.note_count};
    const slip_figure figure = {
        .name = "path", .title = p->title[0] ? p->title : NULL, .panels = &panel, .panel_count = 1};
    SLIP_TRY(slip_figure_draw(ctx, &figure, folder, written, user));
done:
    free(made.x);
    free(made.notes);
    free(made.words);
    return status;
}
