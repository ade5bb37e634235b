/* The picture of branches: largest and smallest coordinates over the parameter, dashed where the motion is
 * unstable. */
#include "figure/figure.h"
#include "study/branch/branch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panels_max = 4, kinds = 4, first_of_coordinates = 6, notes_max = 60 };

int slip_branch_draw(slip_context *ctx, slip_result *result, const char *folder,
                     const slip_plot_options *options)
{
    const slip_table *table = &result->main;
    const int64_t count = table->count, gaps = 2 * count + 2;
    const int panels = (table->column_count - first_of_coordinates) / 2 < panels_max
                           ? (table->column_count - first_of_coordinates) / 2
                           : panels_max;
    slip_panel panel[panels_max] = {{0}};
    slip_curve curves[panels_max][kinds] = {{{0}}};
    slip_figure_note notes[panels_max][notes_max];
    char names[panels_max][200];
    double *numbers = slip_alloc((int64_t)panels_max * kinds * 2 * gaps + 1, sizeof *numbers);
    int status;
    SLIP_TRY(numbers ? SLIP_OK : slip_fail_memory(ctx));
    if (panels < 1 || count < 1) {
        status = slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there are no points to draw", folder);
        goto done;
    }
    const double *branch = table->columns[0].values, *value = table->columns[1].values,
                 *stable = table->columns[3].values;
    for (int k = 0; k < panels; k++) {
        for (int kind = 0; kind < kinds; kind++) {
            const double *y = table->columns[first_of_coordinates + 2 * k + kind % 2].values;
            double *to = numbers + (int64_t)(k * kinds + kind) * 2 * gaps;
            int64_t used = 0;
            for (int64_t i = 0; i < count; i++) {
                /* a gap between branches, and where stability changes; there both lines have the point */
                const bool mine = (stable[i] > 0) == (kind < 2), parted = i > 0 && branch[i] != branch[i - 1];
                const bool joins = i > 0 && !parted && (stable[i - 1] > 0) == (kind < 2);
                if (parted)
                    to[used] = to[gaps + used] = NAN, used++;
                to[used] = value[i];
                to[gaps + used] = mine || joins ? y[i] : NAN;
                used++;
            }
            curves[k][kind] = (slip_curve){.x = to,
                                           .y = to + gaps,
                                           .count = used,
                                           .label = kind == 0   ? "stable"
                                                    : kind == 2 ? "unstable"
                                                                : NULL,
                                           .style = kind < 2 ? SLIP_CURVE_LINE : SLIP_CURVE_DASHED,
                                           .color = kind < 2 ? 1 : 2};
        }
        const char *name = table->columns[first_of_coordinates + 2 * k].name;
        snprintf(names[k], sizeof names[k], "%.*s", (int)(strrchr(name, '.') - name),
                 name); /* without .max */
        panel[k] = (slip_panel){.x_label = table->columns[1].name,
                                .y_label = names[k],
                                .curves = curves[k],
                                .curve_count = kinds,
                                .notes = notes[k]};
        for (int64_t l = 0; l < result->label_count && panel[k].note_count < notes_max; l++) {
            const slip_label *label = &result->labels[l];
            int64_t nearest = 0;
            for (int64_t i = 0; i < count; i++)
                if (branch[i] == label->branch &&
                    (branch[nearest] != label->branch ||
                     fabs(value[i] - label->value) < fabs(value[nearest] - label->value)))
                    nearest = i;
            notes[k][panel[k].note_count++] = (slip_figure_note){
                value[nearest], table->columns[first_of_coordinates + 2 * k].values[nearest], label->type};
        }
    }
    const slip_figure figure = {
        .name = "branch", .title = result->title, .panels = panel, .panel_count = panels, .stacked = true};
    status = slip_figure_draw(ctx, &figure, folder, options->written, options->user);
done:
    free(numbers);
    return status;
}
