/* Pictures of a mesh cycle: transmission error, mesh stiffness and load sharing over the cycle; load of a
 * pair of teeth over its path of contact, and across the width. */
#include "figure/album.h"
#include "figure/pictures.h"

#include <math.h>
#include <stdlib.h>

enum { lines_max = 8 };

typedef struct cycle_plot {
    slip_album *album;
    slip_result *result;
    int64_t points, pair_count; /* positions; pairs of teeth at all of them */
    double width;
    const double *position, *pair_position, *tooth, *share; /* of the table of pairs */
} cycle_plot;

/* A series of the folder; a folder that lacks it is not one of a mesh cycle. */
static int find(cycle_plot *p, const char *name, int64_t expected, const double **values)
{
    int64_t count;
    *values = slip_result_series(p->result, name, &count);
    if (*values && count == expected)
        return SLIP_OK;
    return slip_fail(p->album->ctx, SLIP_ERROR_IO, "result.h5: expected the series `%s` of a mesh cycle",
                     name);
}

/* ---- Series over the cycle. */

/* `name` times a unit, over the cycle. */
static int add_series(cycle_plot *p, const char *name, double unit, const char *label, slip_curve_style style)
{
    const double *values;
    const int status = find(p, name, p->points, &values);
    double *y = slip_album_numbers(p->album, p->points);
    for (int64_t i = 0; status >= 0 && y && i < p->points; i++)
        y[i] = unit * values[i];
    slip_curve *curve = slip_album_curve(p->album, p->position, y, p->points, label);
    curve->y_name = name;
    curve->style = style;
    return status;
}

/* ---- Pairs of teeth. */

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* A curve from pairs (x, y), sorted. */
static slip_curve *add_sorted(cycle_plot *p, double *pairs, int64_t count, const char *label)
{
    slip_pen pen = slip_album_pen(p->album, count);
    if (pairs)
        qsort(pairs, (size_t)count, 2 * sizeof *pairs, ascending);
    for (int64_t i = 0; pairs && i < count; i++)
        slip_pen_to(&pen, pairs[2 * i], pairs[2 * i + 1]);
    return slip_pen_curve(&pen, label);
}

/* The share of each tooth of the first gear: where it touches; zero where it begins and ends to. */
static void add_shares(cycle_plot *p)
{
    int64_t changes;
    const double *at = slip_result_series(p->result, "changes.position", &changes);
    const double *of = slip_result_series(p->result, "changes.first_tooth", NULL);
    for (double tooth = -INFINITY;;) {
        double next = INFINITY;
        int64_t count = 0;
        for (int64_t i = 0; i < p->pair_count; i++)
            if (p->tooth[i] > tooth)
                next = fmin(next, p->tooth[i]);
        double *pairs = isinf(next) ? NULL : slip_album_numbers(p->album, 2 * (p->pair_count + changes));
        if (!pairs)
            return;
        for (int64_t i = 0; i < p->pair_count; i++)
            if (p->tooth[i] == next) {
                pairs[2 * count] = p->pair_position[i];
                pairs[2 * count++ + 1] = p->share[i];
            }
        for (int64_t i = 0; of && i < changes; i++)
            if (of[i] == next)
                pairs[2 * count++] = at[i];
        add_sorted(p, pairs, count, slip_album_text(p->album, "tooth %.0f", next))->y_name = "share";
        tooth = next;
    }
}

static int add_path(cycle_plot *p)
{
    const double *path;
    const int status = find(p, "teeth.path", p->pair_count, &path);
    double *pairs = slip_album_numbers(p->album, 2 * p->pair_count);
    for (int64_t i = 0; status >= 0 && pairs && i < p->pair_count; i++) {
        pairs[2 * i] = 1e3 * path[i];
        pairs[2 * i + 1] = p->share[i];
    }
    add_sorted(p, pairs, p->pair_count, NULL)->style = SLIP_CURVE_POINTS;
    return status;
}

/* Line loads at four positions of the cycle; `*highest` of all. */
static int add_lines(cycle_plot *p, double *highest)
{
    const slip_array *load = slip_result_array(p->result, "line/load"),
                     *z = slip_result_array(p->result, "line/z");
    int count = 0;
    if (!load || !z || load->count != p->pair_count || z->count * z->width != load->width)
        return slip_fail(p->album->ctx, SLIP_ERROR_IO, "result.h5: expected the line loads of a mesh cycle");
    double *places = slip_album_numbers(p->album, load->width);
    for (int64_t l = 0; places && l < load->width; l++)
        places[l] = 1e3 * z->values[l];
    for (int quarter = 0; quarter < 4; quarter++) {
        const double position = p->position[quarter * (p->points - 1) / 4];
        for (int64_t i = 0; i < p->pair_count && count < lines_max; i++) {
            if (p->pair_position[i] != position)
                continue;
            double *line = slip_album_numbers(p->album, load->width);
            for (int64_t l = 0; line && l < load->width; l++) {
                line[l] = 1e-3 * load->values[i * load->width + l];
                *highest = fmax(*highest, line[l]);
            }
            slip_album_curve(p->album, places, line, load->width,
                             slip_album_text(p->album, "position %.2f, tooth %.0f", position, p->tooth[i]))
                ->style = quarter % 2 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE;
            count++;
        }
    }
    return SLIP_OK;
}

/* ---- Figures. */

static int compose(cycle_plot *p)
{
    static const char position[] = "position in the mesh cycle [pitches]", share[] = "share of the torque";
    const double stiffness = 1e-9 / p->width;
    double highest = 0;
    slip_figure *figure = slip_album_figure(p->album, "cycle");
    figure->stacked = true;
    figure->height = 1750;
    slip_album_panel(p->album, position, "transmission error [µm]");
    SLIP_PASS(add_series(p, "error", 1e6, "under load", SLIP_CURVE_LINE));
    SLIP_PASS(add_series(p, "unloaded_error", 1e6, "without load", SLIP_CURVE_DASHED));
    slip_album_panel(p->album, position, "mesh stiffness [N/(mm µm)]");
    SLIP_PASS(add_series(p, "stiffness", stiffness, "secant", SLIP_CURVE_LINE));
    SLIP_PASS(add_series(p, "tangent", stiffness, "tangent", SLIP_CURVE_DASHED));
    slip_album_panel(p->album, position, share)->y_high = 1.1;
    add_shares(p);
    slip_album_figure(p->album, "cycle-load");
    slip_panel *panel =
        slip_album_panel(p->album, "along the line of action, from the pitch point [mm]", share);
    panel->title = "load of a pair of teeth over its path of contact";
    panel->y_high = 1.1;
    SLIP_PASS(add_path(p));
    panel = slip_album_panel(p->album, "z [mm]", "line load [N/mm]");
    panel->title = "line load across the width";
    SLIP_PASS(add_lines(p, &highest));
    panel->y_high = 1.1 * highest;
    return SLIP_OK;
}

int slip_cycle_draw(slip_album *a)
{
    slip_result *result = a->result;
    cycle_plot p = {.album = a, .result = result, .points = result->main.count};
    slip_result_series(result, "teeth.position", &p.pair_count);
    p.width = slip_result_number(result, "width");
    SLIP_PASS(find(&p, "position", p.points, &p.position));
    SLIP_PASS(find(&p, "teeth.position", p.pair_count, &p.pair_position));
    SLIP_PASS(find(&p, "teeth.first_tooth", p.pair_count, &p.tooth));
    SLIP_PASS(find(&p, "teeth.share", p.pair_count, &p.share));
    if (p.points == 0)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there is no position of the cycle to draw",
                         a->folder);
    return compose(&p);
}
