/* Pictures of branches: largest and smallest coordinates over the parameter; of forced motions amplitude and
 * phase, as responses are drawn. Dashed where the motion is unstable. */
#include "figure/figure.h"
#include "study/branch/branch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { panels_max = 4, kinds = 4, notes_max = 60, coordinates_max = 6, names_size = 200 };

static const double degrees = 57.29577951308232;

/* The table of points, and what its columns are. */
typedef struct points {
    slip_result *result;
    const slip_table *table;
    int64_t count, gaps; /* gaps: room for a curve with gaps in it */
    bool curve;          /* over two parameters */
    const double *branch, *value, *stable;
    double *numbers; /* of all curves */
    int64_t used;    /* of these */
} points;

/* Columns of a kind ("max") in the order of the table; at most `most`. */
static int find_columns(const slip_table *table, const char *ending, int most, int *columns)
{
    int count = 0;
    for (int c = 0; c < table->column_count && count < most; c++) {
        const char *dot = strrchr(table->columns[c].name, '.');
        if (dot && strcmp(dot + 1, ending) == 0)
            columns[count++] = c;
    }
    return count;
}

static void take_name(const points *p, int column, char *name)
{
    const char *full = p->table->columns[column].name;
    snprintf(name, names_size, "%.*s", (int)(strrchr(full, '.') - full), full);
}

static bool open(points *p, slip_result *result, int curves)
{
    *p = (points){.result = result, .table = &result->main, .count = result->main.count};
    p->gaps = 2 * p->count + 2;
    p->branch = p->table->columns[0].values;
    p->value = p->table->columns[1].values;
    p->curve = strcmp(p->table->columns[2].name, "period") != 0;
    p->stable = p->table->columns[p->curve ? 4 : 3].values;
    p->numbers = slip_alloc(2 * p->gaps * curves, sizeof(double));
    return p->numbers != NULL;
}

/* The stable points (and those of which it is not known) or the unstable ones of a column, times a factor.
 * There is a gap between branches, where the value jumps by more than `jump`, and where stability changes;
 * there both curves have the point. */
static slip_curve make_curve(points *p, int column, bool stable, double factor, double jump)
{
    const double *y = p->table->columns[column].values;
    double *x_to = p->numbers + p->used, *y_to = x_to + p->gaps;
    int64_t used = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const bool mine = p->curve || (p->stable[i] != 0) == stable,
                   parted =
                       i > 0 && (p->branch[i] != p->branch[i - 1] || fabs(y[i] - y[i - 1]) * factor > jump);
        const bool joins = i > 0 && !parted && (p->stable[i - 1] != 0) == stable;
        if (parted)
            x_to[used] = y_to[used] = NAN, used++;
        x_to[used] = p->value[i];
        y_to[used] = mine || joins ? factor * y[i] : NAN;
        used++;
    }
    p->used += 2 * p->gaps;
    return (slip_curve){
        .x = x_to, .y = y_to, .count = used, .style = stable ? SLIP_CURVE_LINE : SLIP_CURVE_DASHED};
}

/* Labels beside the points of a column that are next to them; ends are seen without, and of several of a kind
 * at one place the first is enough. */
static int make_notes(const points *p, int column, slip_figure_note *notes)
{
    double low = INFINITY, high = -INFINITY;
    int count = 0;
    for (int64_t i = 0; i < p->count; i++) {
        low = fmin(low, p->value[i]);
        high = fmax(high, p->value[i]);
    }
    for (int64_t l = 0; l < p->result->label_count && count < notes_max; l++) {
        const slip_label *label = &p->result->labels[l];
        int64_t nearest = 0;
        for (int64_t i = 0; i < p->count; i++)
            if (p->branch[i] == label->branch &&
                (p->branch[nearest] != label->branch ||
                 fabs(p->value[i] - label->value) < fabs(p->value[nearest] - label->value)))
                nearest = i;
        bool there = strcmp(label->type, "EP") == 0;
        for (int k = 0; k < count; k++)
            there = there || (strcmp(notes[k].text, label->type) == 0 &&
                              fabs(notes[k].x - p->value[nearest]) < 0.01 * (high - low));
        if (there)
            continue;
        notes[count++] =
            (slip_figure_note){p->value[nearest], p->table->columns[column].values[nearest], label->type};
    }
    return count;
}

static int draw_extrema(slip_context *ctx, slip_result *result, const char *folder,
                        const slip_plot_options *options)
{
    slip_panel panel[panels_max] = {{0}};
    slip_curve curves[panels_max][kinds] = {{{0}}};
    slip_figure_note notes[panels_max][notes_max];
    char names[panels_max][names_size];
    int high[panels_max], low[panels_max], status;
    const int panels = find_columns(&result->main, "max", panels_max, high);
    points p;
    find_columns(&result->main, "min", panels_max, low);
    SLIP_TRY(open(&p, result, panels_max * kinds) ? SLIP_OK : slip_fail_memory(ctx));
    for (int k = 0; k < panels; k++) {
        for (int kind = 0; kind < kinds; kind++) {
            curves[k][kind] = make_curve(&p, kind % 2 ? low[k] : high[k], kind < 2, 1, INFINITY);
            curves[k][kind].color = kind < 2 ? 1 : 2;
            curves[k][kind].label = kind == 0 ? "stable" : kind == 2 ? "unstable" : NULL;
        }
        take_name(&p, high[k], names[k]);
        panel[k] = (slip_panel){.x_label = p.table->columns[1].name,
                                .y_label = names[k],
                                .curves = curves[k],
                                .curve_count = kinds,
                                .notes = notes[k],
                                .note_count = make_notes(&p, high[k], notes[k])};
    }
    const slip_figure figure = {
        .name = "branch", .title = result->title, .panels = panel, .panel_count = panels, .stacked = true};
    status = slip_figure_draw(ctx, &figure, folder, options->written, options->user);
done:
    free(p.numbers);
    return status;
}

/* ---- Responses. */

static double largest_of(const slip_table *table, int column)
{
    double most = 0;
    for (int64_t i = 0; i < table->count; i++)
        most = fmax(most, table->columns[column].values[i]);
    return most;
}

/* Probes of bodies, or where there are none the coordinates; those with the largest amplitudes, in the order
 * of the table. */
static int choose(const slip_table *table, int *columns)
{
    int *all = slip_alloc(2 * table->column_count + 1, sizeof(int)), count, kept = 0;
    if (!all)
        return SLIP_ERROR_MEMORY;
    count = find_columns(table, "amplitude", table->column_count, all);
    const int coordinates = find_columns(table, "max", table->column_count, all + table->column_count);
    if (count > coordinates) {
        count -= coordinates;
        memmove(all, all + coordinates, (size_t)count * sizeof(int));
    }
    for (int k = 0; k < count; k++) {
        int larger = 0;
        for (int i = 0; i < count; i++) {
            const double mine = largest_of(table, all[k]), other = largest_of(table, all[i]);
            larger += other > mine || (other == mine && i < k);
        }
        if (larger < coordinates_max)
            columns[kept++] = all[k];
    }
    free(all);
    return kept;
}

static int draw_response(slip_context *ctx, slip_result *result, const char *folder,
                         const slip_plot_options *options)
{
    slip_panel panel[2] = {{0}};
    slip_curve curves[2][2 * coordinates_max] = {{{0}}};
    slip_figure_note notes[notes_max];
    char names[coordinates_max][names_size];
    int columns[coordinates_max], status;
    const int count = choose(&result->main, columns);
    points p = {0};
    if (count == 0)
        return SLIP_OK;
    SLIP_TRY(count > 0 && open(&p, result, 4 * coordinates_max) ? SLIP_OK : slip_fail_memory(ctx));
    for (int k = 0; k < count; k++)
        take_name(&p, columns[k], names[k]);
    for (int k = 0; k < 2 * count; k++)
        for (int lag = 0; lag < 2; lag++) {
            slip_curve *curve = &curves[lag][k];
            *curve =
                make_curve(&p, columns[k / 2] + lag, k % 2 == 0, lag ? degrees : 1, lag ? 180 : INFINITY);
            curve->color = count == 1 ? 1 + k : 1 + k / 2;
            curve->label = count == 1 ? (k == 0 ? "stable" : "unstable") : k % 2 == 0 ? names[k / 2] : NULL;
        }
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, degrees * largest_of(p.table, columns[k] + 1));
    for (int lag = 0; lag < 2; lag++)
        panel[lag] = (slip_panel){.x_label = p.table->columns[1].name,
                                  .y_label = lag ? "lag in degrees" : "amplitude",
                                  .curves = curves[lag],
                                  .curve_count = 2 * count};
    panel[1].y_high = most > 180 ? 360 : 180;
    panel[0].notes = notes;
    panel[0].note_count = make_notes(&p, columns[0], notes);
    const slip_figure figure = {
        .name = "response", .title = result->title, .panels = panel, .panel_count = 2, .stacked = true};
    status = slip_figure_draw(ctx, &figure, folder, options->written, options->user);
done:
    free(p.numbers);
    return status;
}

/* Curves over two parameters: the second over the first, and the amplitudes of forced motions. */
static int draw_curves(slip_context *ctx, slip_result *result, const char *folder,
                       const slip_plot_options *options)
{
    slip_panel panel[2] = {{0}};
    slip_curve curves[1 + coordinates_max] = {{0}};
    char names[coordinates_max][names_size];
    int columns[coordinates_max], status;
    const int count = choose(&result->main, columns);
    points p = {0};
    SLIP_TRY(count >= 0 && open(&p, result, 1 + coordinates_max) ? SLIP_OK : slip_fail_memory(ctx));
    curves[0] = make_curve(&p, 2, true, 1, INFINITY);
    for (int k = 0; k < count; k++) {
        take_name(&p, columns[k], names[k]);
        curves[1 + k] = make_curve(&p, columns[k], true, 1, INFINITY);
        curves[1 + k].label = count > 1 ? names[k] : NULL;
    }
    panel[0] = (slip_panel){.x_label = p.table->columns[1].name,
                            .y_label = p.table->columns[2].name,
                            .curves = curves,
                            .curve_count = 1};
    panel[1] = (slip_panel){.x_label = p.table->columns[1].name,
                            .y_label = "amplitude",
                            .curves = curves + 1,
                            .curve_count = count};
    const slip_figure figure = {.name = "curve",
                                .title = result->title,
                                .panels = panel,
                                .panel_count = count > 0 ? 2 : 1,
                                .stacked = true};
    status = slip_figure_draw(ctx, &figure, folder, options->written, options->user);
done:
    free(p.numbers);
    return status;
}

int slip_branch_draw(slip_context *ctx, slip_result *result, const char *folder,
                     const slip_plot_options *options)
{
    int status;
    if (result->main.count < 1 || result->main.column_count < 5)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "%s: there are no points to draw", folder);
    if (strcmp(result->main.columns[2].name, "period") != 0)
        return draw_curves(ctx, result, folder, options);
    SLIP_TRY(draw_extrema(ctx, result, folder, options));
    SLIP_TRY(draw_response(ctx, result, folder, options));
done:
    return status;
}
