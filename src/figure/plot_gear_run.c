/* The pictures of a run of two gears. */
#include "figure/figure.h"
#include "figure/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { figures_max = 4, curves_max = 6, label_size = 100, shown_modes = 6 };

/* Below this part of the largest, an amplitude is rounding and does not belong into a logarithmic picture. */
static const double least_part = 1e-9;

typedef struct gear_plot {
    slip_context *ctx;
    const slip_result *result;
    const char *gears[2];
    const slip_array *participation[2]; /* NULL: there is no history */
    slip_arena arena;
    int64_t first, count; /* the samples in the time span */
    const double *time;   /* of them, in the unit of `time_label` */
    const char *time_label;
    slip_figure figures[figures_max];
    int figure_count;
    bool failed; /* out of memory */
} gear_plot;

/* ---- Parts. */

static double *numbers(gear_plot *p)
{
    double *values = slip_arena_array(&p->arena, p->count, sizeof *values);
    p->failed = p->failed || !values;
    return values;
}

static const char *label(gear_plot *p, const char *format, const char *name)
{
    char text[label_size];
    const char *kept;
    snprintf(text, sizeof text, format, name);
    kept = slip_arena_string(&p->arena, text);
    p->failed = p->failed || !kept;
    return kept;
}

/* A figure whose panels share the time axis; the caller adds curves. */
static slip_panel *new_figure(gear_plot *p, const char *name, int panel_count)
{
    slip_panel *panels = slip_arena_array(&p->arena, panel_count, sizeof *panels);
    p->failed = p->failed || !panels;
    p->figures[p->figure_count++] = (slip_figure){.name = name,
                                                  .title = p->result->title,
                                                  .panels = panels,
                                                  .panel_count = panels ? panel_count : 0,
                                                  .stacked = true};
    for (int k = 0; panels && k < panel_count; k++)
        panels[k].x_label = p->time_label;
    return panels;
}

static void add_curve(gear_plot *p, slip_panel *panel, const double *values, const char *name,
                      const char *legend)
{
    slip_curve *curves = (slip_curve *)panel->curves; /* ours until the figure is drawn */
    if (!curves)
        panel->curves = curves = slip_arena_array(&p->arena, curves_max, sizeof *curves);
    p->failed = p->failed || !curves;
    if (curves && values && panel->curve_count < curves_max)
        curves[panel->curve_count++] = (slip_curve){.x = p->time,
                                                    .y = values,
                                                    .count = p->count,
                                                    .label = legend,
                                                    .x_name = p->time_label,
                                                    .y_name = name};
}

static void add_series(gear_plot *p, slip_panel *panel, const char *name, const char *legend)
{
    const double *values = slip_result_series(p->result, name, NULL);
    if (values)
        add_curve(p, panel, values + p->first, name, legend);
}

/* Impacts take fractions of a millisecond, whose numbers in seconds are hard to read. */
static void choose_time(gear_plot *p)
{
    const double *t = slip_series_values(p->result, 0) + p->first;
    const bool short_one = t[p->count - 1] < 0.5;
    double *time = numbers(p);
    for (int64_t i = 0; time && i < p->count; i++)
        time[i] = short_one ? 1e3 * t[i] : t[i];
    p->time = time;
    p->time_label = short_one ? "time in ms" : "time in s";
}

/* ---- Figures. */

static double largest(const gear_plot *p, const char *name)
{
    const double *values = slip_result_series(p->result, name, NULL);
    double most = 0;
    for (int64_t i = 0; values && i < p->result->main.count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static void add_force(gear_plot *p)
{
    static const struct {
        const char *series, *axis;
    } rows[] = {{"force", "contact force in N"}, {"touching", "nodes in contact"}};
    slip_panel *panels = new_figure(p, "force", 2);
    for (int k = 0; panels && k < 2; k++) {
        panels[k].y_label = rows[k].axis;
        add_series(p, &panels[k], rows[k].series, NULL);
    }
    if (panels && largest(p, "touching") < 10) { /* else there would be halves of nodes at the axis */
        panels[1].y_low = -0.5;
        panels[1].y_high = 10.5;
    }
}

static void add_speed(gear_plot *p)
{
    slip_panel *panels = new_figure(p, "speed", 2);
    for (int k = 0; panels && k < 2; k++) {
        panels[k].y_label = "speed in rad/s";
        add_series(p, &panels[k], label(p, "%.60s.speed", p->gears[k]), p->gears[k]);
        if (panels[k].curve_count > 0)
            ((slip_curve *)panels[k].curves)[0].color = k + 1;
    }
}

/* What the ledger is wrong by, over the largest kinetic energy. */
static const double *balance_error(gear_plot *p)
{
    const double *balance = slip_result_series(p->result, "balance", NULL);
    const double kinetic = largest(p, "kinetic");
    double *error = numbers(p);
    if (!balance || !error)
        return NULL;
    for (int64_t i = 0; i < p->count; i++)
        error[i] = (balance[p->first + i] - balance[0]) / (kinetic > 0 ? kinetic : 1);
    return error;
}

static void add_energy(gear_plot *p)
{
    static const char *const names[] = {"kinetic", "strain", "contact", "lost", "work"};
    slip_panel *panels = new_figure(p, "energy", 2);
    if (!panels)
        return;
    panels[0].y_label = "energy in J";
    for (int k = 0; k < 5; k++)
        if (k == 0 || largest(p, names[k]) > 0)
            add_series(p, &panels[0], names[k], names[k]);
    panels[1].y_label = "error of balance";
    add_curve(p, &panels[1], balance_error(p), "error", NULL);
}

/* ---- Participation. */

typedef struct ranked {
    double largest;
    int mode;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->largest != y->largest ? (x->largest < y->largest ? 1 : -1) : x->mode - y->mode;
}

/* The modes of a gear that took part, by their largest amplitudes; returns how many. */
static int rank_modes(gear_plot *p, int gear, ranked *modes)
{
    const int size = (int)p->participation[gear]->width;
    const double *a = p->participation[gear]->values + p->first * size;
    int used = 0;
    for (int m = 0; m < size; m++) {
        modes[m] = (ranked){0, m};
        for (int64_t i = 0; i < p->count; i++)
            modes[m].largest = fmax(modes[m].largest, fabs(a[i * size + m]));
    }
    qsort(modes, (size_t)size, sizeof *modes, compare_ranked);
    while (used < size && modes[used].largest > least_part * modes[0].largest)
        used++;
    return used;
}

static void add_mode(gear_plot *p, slip_panel *panel, int gear, ranked mode, double most)
{
    const int size = (int)p->participation[gear]->width;
    const double *a = p->participation[gear]->values + p->first * size + mode.mode;
    double *values = numbers(p);
    char name[label_size];
    for (int64_t i = 0; values && i < p->count; i++) {
        values[i] = panel->log_y ? fabs(a[i * size]) : a[i * size];
        if (panel->log_y && values[i] < least_part * most)
            values[i] = NAN;
    }
    snprintf(name, sizeof name, "node %d %c", mode.mode / 3 + 1, "xyz"[mode.mode % 3]);
    add_curve(p, panel, values, label(p, "%s", name), label(p, "%s", name));
}

/* Linear: the largest. Logarithmic: from the largest to the smallest in equal distances of rank, so that it
 * shows how those away from the contact die out. */
static void participation_of(gear_plot *p, slip_panel *panels, int gear, ranked *modes)
{
    const int used = rank_modes(p, gear, modes), shown = used < shown_modes ? used : shown_modes;
    for (int k = 0; k < 2; k++) {
        panels[k].y_label = label(p, k ? "|%.60s| in N" : "%.60s in N", p->gears[gear]);
        panels[k].log_y = k == 1;
        for (int i = 0; i < shown; i++)
            add_mode(p, &panels[k], gear, modes[k && shown > 1 ? i * (used - 1) / (shown - 1) : i],
                     modes[0].largest);
    }
}

static void add_participation(gear_plot *p)
{
    int gears = 0, size = 0, at = 0;
    slip_panel *panels;
    ranked *modes;
    for (int i = 0; i < 2; i++) {
        const int own = p->participation[i] ? (int)p->participation[i]->width : 0;
        gears += own > 0;
        size = own > size ? own : size;
    }
    if (gears == 0)
        return;
    panels = new_figure(p, "participation", 2 * gears);
    p->figures[p->figure_count - 1].title = "Participation of residual attachment modes";
    modes = slip_arena_array(&p->arena, size, sizeof *modes);
    p->failed = p->failed || !modes;
    for (int i = 0; i < 2 && panels && modes; i++)
        if (p->participation[i])
            participation_of(p, &panels[2 * at++], i, modes);
}

/* Gears are called as the series of their angles are, and have a history where they were asked for one. */
static int find_gears(gear_plot *p)
{
    static const char ending[] = ".angle";
    const slip_table *table = &p->result->main;
    char place[200];
    int count = 0;
    for (int k = 0; k < table->column_count && count < 2; k++) {
        const char *name = table->columns[k].name;
        const size_t length = strlen(name), after = strlen(ending);
        if (length > after && strcmp(name + length - after, ending) == 0)
            p->gears[count++] = slip_arena_string_bytes(&p->arena, name, length - after);
    }
    for (int i = 0; i < count && p->gears[i]; i++) {
        snprintf(place, sizeof place, "participation/%.100s/amplitude", p->gears[i]);
        p->participation[i] = slip_result_array(p->result, place);
        if (p->participation[i] && p->participation[i]->count != table->count)
            return slip_fail(p->ctx, SLIP_ERROR_IO, "result.h5: %s has %lld rows where t has %lld", place,
                             (long long)p->participation[i]->count, (long long)table->count);
    }
    if (count < 2)
        return slip_fail(p->ctx, SLIP_ERROR_IO,
                         "result.h5: found %d series GEAR.angle, expected those of two gears", count);
    return p->gears[0] && p->gears[1] ? SLIP_OK : slip_fail_memory(p->ctx);
}

int slip_gears_draw(slip_context *ctx, slip_result *result, const char *folder,
                    const slip_plot_options *options)
{
    gear_plot p = {.ctx = ctx, .result = result};
    int status;
    SLIP_TRY(find_gears(&p));
    SLIP_TRY(slip_plot_span(ctx, options, folder, slip_series_values(result, 0), result->main.count, &p.first,
                            &p.count));
    choose_time(&p);
    add_force(&p);
    add_speed(&p);
    add_energy(&p);
    add_participation(&p);
    status = p.failed ? slip_fail_memory(ctx)
                      : slip_figures_draw(ctx, p.figures, p.figure_count, folder, "plot", options->written,
                                          options->user);
done:
    slip_arena_free(&p.arena);
    return status;
}
