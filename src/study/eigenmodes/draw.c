/* Pictures of eigenmodes: in the plane of eigenvalues, or frequency and growth over a parameter. */
#include "figure/figure.h"
#include "study/eigenmodes/eigenmodes.h"
#include "study/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { notes_max = 40, word_size = 24 };

typedef struct drawing {
    const double *value, *mode, *frequency, *real;
    int64_t count;
    double low, high;
    double *numbers;
    slip_curve *curves; /* of two panels */
    int curve_count;
    slip_figure_note *notes;
    char *words;
} drawing;

static bool is_inside(const drawing *d, double value)
{
    return !(value < d->low) && !(value > d->high);
}

/* Two curves for each branch: frequency and growth. */
static bool fill_curves(drawing *d)
{
    int branches = 0;
    int64_t at = 0;
    for (int64_t k = 0; k < d->count; k++)
        branches = (int)fmax(branches, d->mode[k]);
    d->numbers = slip_alloc(3 * d->count + 1, sizeof(double));
    d->curves = slip_alloc(2 * (int64_t)branches + 1, sizeof *d->curves);
    d->notes = slip_alloc(2 * notes_max, sizeof *d->notes);
    d->words = slip_alloc(notes_max * word_size, 1);
    if (!d->numbers || !d->curves || !d->notes || !d->words)
        return false;
    double *x = d->numbers, *frequency = x + d->count, *real = frequency + d->count;
    for (int b = 1; b <= branches; b++) {
        const int64_t first = at;
        for (int64_t k = 0; k < d->count; k++)
            if (d->mode[k] == b && is_inside(d, d->value[k])) {
                x[at] = d->value[k];
                frequency[at] = d->frequency[k];
                real[at++] = d->real[k];
            }
        if (at == first)
            continue;
        const slip_curve curve = {.x = x + first, .count = at - first, .color = (b - 1) % 8 + 1};
        d->curves[d->curve_count] = d->curves[branches + d->curve_count] = curve;
        d->curves[d->curve_count].y = frequency + first;
        d->curves[branches + d->curve_count++].y = real + first;
    }
    for (int k = 0; k < d->curve_count; k++)
        d->curves[d->curve_count + k] = d->curves[branches + k];
    return true;
}

/* A label beside the point of its branch that is nearest. */
static int add_notes(const slip_result *result, drawing *d)
{
    int count = 0;
    for (int64_t l = 0; l < result->label_count && count < notes_max; l++) {
        const slip_label *label = &result->labels[l];
        int64_t best = -1;
        for (int64_t k = 0; k < d->count; k++)
            if (d->mode[k] == label->branch &&
                (best < 0 || fabs(d->value[k] - label->value) < fabs(d->value[best] - label->value)))
                best = k;
        if (best < 0 || !is_inside(d, label->value))
            continue;
        char *word = d->words + count * word_size;
        snprintf(word, word_size, "%s%d", label->type, label->number);
        d->notes[count] = (slip_figure_note){label->value, d->frequency[best], word};
        d->notes[notes_max + count++] = (slip_figure_note){label->value, 0, word};
    }
    return count;
}

static int draw_branches(slip_context *ctx, slip_result *result, drawing *d, const char *folder,
                         const slip_plot_options *options)
{
    if (!fill_curves(d))
        return slip_fail_memory(ctx);
    if (d->curve_count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there is no mode from %g to %g", folder, d->low,
                         d->high);
    const int notes = add_notes(result, d);
    const char *parameter = slip_result_text(result, "parameter");
    const slip_panel panels[] = {{.y_label = "frequency",
                                  .x_label = parameter,
                                  .curves = d->curves,
                                  .curve_count = d->curve_count,
                                  .notes = d->notes,
                                  .note_count = notes},
                                 {.y_label = "growth rate",
                                  .x_label = parameter,
                                  .curves = d->curves + d->curve_count,
                                  .curve_count = d->curve_count,
                                  .notes = d->notes + notes_max,
                                  .note_count = notes}};
    const slip_figure figure = {.name = "modes",
                                .title = result->title && result->title[0] ? result->title : NULL,
                                .panels = panels,
                                .panel_count = 2,
                                .stacked = true};
    return slip_figure_draw(ctx, &figure, folder, options->written, options->user);
}

/* Without a parameter: eigenvalues as points. */
static int draw_plane(slip_context *ctx, const slip_result *result, drawing *d, const char *folder,
                      const slip_plot_options *options)
{
    const int words = (int)fmin((double)d->count, notes_max);
    d->notes = slip_alloc(notes_max, sizeof *d->notes);
    d->words = slip_alloc(notes_max * word_size, 1);
    if (!d->notes || !d->words)
        return slip_fail_memory(ctx);
    for (int k = 0; k < words; k++) {
        snprintf(d->words + k * word_size, word_size, "%d", (int)d->mode[k]);
        d->notes[k] = (slip_figure_note){d->real[k], d->frequency[k], d->words + k * word_size};
    }
    const slip_curve points = {
        .x = d->real, .y = d->frequency, .count = d->count, .style = SLIP_CURVE_POINTS, .color = 1};
    const slip_panel panel = {.x_label = "growth rate",
                              .y_label = "frequency",
                              .curves = &points,
                              .curve_count = 1,
                              .notes = d->notes,
                              .note_count = words};
    const slip_figure figure = {.name = "modes",
                                .title = result->title && result->title[0] ? result->title : NULL,
                                .panels = &panel,
                                .panel_count = 1};
    return slip_figure_draw(ctx, &figure, folder, options->written, options->user);
}

int slip_eigenmodes_draw(slip_context *ctx, slip_result *result, const char *folder,
                         const slip_plot_options *options)
{
    drawing d = {.low = options->from, .high = options->to};
    int status;
    d.value = slip_result_series(result, "value", &d.count);
    d.mode = slip_result_series(result, "mode", NULL);
    d.frequency = slip_result_series(result, "frequency", NULL);
    d.real = slip_result_series(result, "real", NULL);
    if (!d.value || !d.mode || !d.frequency || !d.real)
        return slip_fail(ctx, SLIP_ERROR_IO,
                         "expected a result with the series `value`, `mode`, `frequency` and "
                         "`real` of modes");
    if (d.count == 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there is no mode to draw", folder);
    status = slip_result_text(result, "parameter") ? draw_branches(ctx, result, &d, folder, options)
                                                   : draw_plane(ctx, result, &d, folder, options);
    free(d.numbers);
    free(d.curves);
    free(d.notes);
    free(d.words);
    return status < 0 ? status : slip_modes_draw_shapes(ctx, result, folder, options);
}
