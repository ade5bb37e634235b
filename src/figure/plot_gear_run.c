/* The pictures of a run of two gears. */
#include "figure/axis.h"
#include "figure/pictures.h"

#include <math.h>
#include <stdlib.h>

enum { shown_modes = 6 };

/* Below this part of the largest, an amplitude is rounding and does not belong into a logarithmic picture. */
static const double least_part = 1e-9;

typedef struct gear_plot {
    slip_album *album;
    const slip_result *result;
    const char *gears[2];
    const slip_array *participation[2]; /* NULL: there is no history */
    int64_t first, count;               /* the samples in the time span */
    const double *time;                 /* of them, in the unit of `time_label` */
    const char *time_label;
} gear_plot;

static void add_curve(gear_plot *p, const double *values, const char *name, const char *legend)
{
    slip_curve *curve = slip_album_curve(p->album, p->time, values, p->count, legend);
    curve->x_name = p->time_label;
    curve->y_name = name;
}

/* The samples of a series in the span; NULL: the result has none. */
static const double *samples_of(const gear_plot *p, const char *name)
{
    const double *values = slip_result_series(p->result, name, NULL);
    return values ? values + p->first : NULL;
}

/* A panel of one series, and the next curve of a panel. */
static slip_panel *add_series(gear_plot *p, const char *label, const char *name, const char *legend)
{
    slip_panel *panel = label ? slip_album_panel(p->album, p->time_label, label) : NULL;
    if (samples_of(p, name))
        add_curve(p, samples_of(p, name), name, legend);
    return panel;
}

static double largest(const gear_plot *p, const char *name)
{
    const double *values = slip_result_series(p->result, name, NULL);
    const slip_axis_range r = slip_range_of(values, values ? p->result->main.count : 0);
    return values ? fmax(fabs(r.low), fabs(r.high)) : 0;
}

/* The error of the energy balance, relative to the largest kinetic energy. */
static const double *balance_error(gear_plot *p)
{
    const double *balance = slip_result_series(p->result, "balance", NULL), kinetic = largest(p, "kinetic");
    double *error = slip_album_numbers(p->album, p->count);
    for (int64_t i = 0; balance && error && i < p->count; i++)
        error[i] = (balance[p->first + i] - balance[0]) / (kinetic > 0 ? kinetic : 1);
    return balance ? error : NULL;
}

/* Forces, speeds and energies: panels that share the time axis. */
static void add_series_figures(gear_plot *p)
{
    static const char *const energies[] = {"kinetic", "strain", "contact", "lost", "work"};
    slip_album_figure(p->album, "force")->stacked = true;
    add_series(p, "contact force [N]", "force", NULL);
    slip_panel *panel = add_series(p, "nodes in contact", "touching", NULL);
    if (largest(p, "touching") < 5) { /* else there would be halves of nodes at the axis */
        panel->y_low = -0.3;
        panel->y_high = 5.3;
    }
    slip_album_figure(p->album, "speed")->stacked = true;
    for (int k = 0; k < 2; k++)
        add_series(p, slip_album_label(p->album, "speed of", p->gears[k], "rad/s"),
                   slip_album_text(p->album, "%s.speed", p->gears[k]), NULL);
    slip_album_figure(p->album, "energy")->stacked = true;
    for (int k = 0; k < 5; k++)
        if (k == 0 || largest(p, energies[k]) > 0)
            add_series(p, k ? NULL : "energy [J]", energies[k], energies[k]);
    slip_album_panel(p->album, p->time_label, "drift of the energy");
    add_curve(p, balance_error(p), "error", NULL);
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

static void add_mode(gear_plot *p, bool log, int gear, ranked mode, double most)
{
    const int size = (int)p->participation[gear]->width;
    const double *a = p->participation[gear]->values + p->first * size + mode.mode;
    double *values = slip_album_numbers(p->album, p->count);
    const char *name = slip_album_text(p->album, "node %d %c", mode.mode / 3 + 1, "xyz"[mode.mode % 3]);
    for (int64_t i = 0; values && i < p->count; i++) {
        values[i] = log ? fabs(a[i * size]) : a[i * size];
        if (log && values[i] < least_part * most)
            values[i] = NAN;
    }
    add_curve(p, values, name, name);
}

/* Amplitudes of attachment modes. Linear panel: the largest ones. Logarithmic panel: a selection at equal
 * distances of rank, from the largest to the smallest, to show the decay away from the contact. */
static void participation_of(gear_plot *p, int gear, ranked *modes)
{
    const int used = rank_modes(p, gear, modes), shown = used < shown_modes ? used : shown_modes;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? slip_album_text(p->album, "|%s|", p->gears[gear]) : p->gears[gear];
        slip_album_panel(p->album, p->time_label, slip_album_label(p->album, NULL, name, "N"))->log_y =
            k == 1;
        for (int i = 0; i < shown; i++)
            add_mode(p, k == 1, gear, modes[k && shown > 1 ? i * (used - 1) / (shown - 1) : i],
                     modes[0].largest);
    }
}

static void add_participation(gear_plot *p)
{
    int64_t size = 0;
    for (int i = 0; i < 2; i++)
        size += p->participation[i] ? p->participation[i]->width : 0;
    ranked *modes = slip_arena_array(&p->album->arena, size, sizeof *modes);
    p->album->failed = p->album->failed || !modes;
    if (size == 0 || !modes)
        return;
    slip_figure *figure = slip_album_figure(p->album, "participation");
    figure->title = "Participation of residual attachment modes";
    figure->stacked = true;
    for (int i = 0; i < 2; i++)
        if (p->participation[i] && p->participation[i]->width > 0)
            participation_of(p, i, modes);
}

/* Gears are called as the series of their angles are, and have a history where they were asked for one. */
static int find_gears(gear_plot *p)
{
    slip_album *a = p->album;
    const slip_table *table = &p->result->main;
    int count = 0;
    for (int k = 0; k < table->column_count && count < 2; k++) {
        const int length = (int)slip_text_stem(table->columns[k].name, ".angle");
        if (length == 0)
            continue;
        const char *gear = slip_album_text(a, "%.*s", length, table->columns[k].name);
        const char *place = slip_album_text(a, "participation/%s/amplitude", gear);
        const slip_array *history = slip_result_array(p->result, place);
        if (history && history->count != table->count)
            return slip_fail(a->ctx, SLIP_ERROR_IO, "result.h5: %s has %lld rows where t has %lld", place,
                             (long long)history->count, (long long)table->count);
        p->participation[count] = history;
        p->gears[count++] = gear;
    }
    if (count < 2)
        return slip_fail(a->ctx, SLIP_ERROR_IO,
                         "result.h5: found %d series GEAR.angle, expected those of two gears", count);
    return SLIP_OK;
}

int slip_gears_draw(slip_album *a)
{
    gear_plot p = {.album = a, .result = a->result};
    SLIP_PASS(find_gears(&p));
    SLIP_PASS(slip_plot_span(a, &p.first, &p.count));
    a->base = "plot";
    /* Impacts take fractions of a millisecond, whose numbers in seconds are hard to read. */
    const double *t = slip_series_values(p.result, 0) + p.first;
    const bool short_one = t[p.count - 1] < 0.5;
    p.time = slip_album_scaled(a, t, p.count, short_one ? 1e3 : 1);
    p.time_label = short_one ? "time t [ms]" : "time t [s]";
    add_series_figures(&p);
    add_participation(&p);
    return SLIP_OK;
}
