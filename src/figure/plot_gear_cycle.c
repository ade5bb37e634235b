/* Pictures of a mesh cycle: transmission error, mesh stiffness and load sharing over the cycle; load of a
 * pair of teeth over its path of contact, and across the width. */
#include "figure/album.h"
#include "figure/pictures.h"

#include <math.h>
#include <stdlib.h>

enum { lines_max = 8 };

typedef struct cycle_plot {
    slip_album *album;
    int64_t points, pair_count;                             /* positions; pairs of teeth at all of them */
    const double *position, *pair_position, *tooth, *share; /* of the table of pairs */
} cycle_plot;

/* A series times a unit, over the cycle. */
static int add_series(cycle_plot *p, const char *name, double unit, const char *label, slip_curve_style style)
{
    const double *values;
    SLIP_PASS(slip_album_series(p->album, name, &p->points, &values));
    const double *y = slip_album_scaled(p->album, values, p->points, unit);
    slip_curve *curve = slip_album_curve(p->album, p->position, y, p->points, label);
    curve->y_name = name;
    curve->style = style;
    return SLIP_OK;
}

typedef struct part {
    double tooth, position, share; /* of the torque */
} part;

static int ascending(const void *a, const void *b)
{
    const part *x = a, *y = b;
    return x->tooth != y->tooth ? (x->tooth > y->tooth) - (x->tooth < y->tooth)
                                : (x->position > y->position) - (x->position < y->position);
}

/* The share of each tooth of the first gear: where it touches; zero where it begins and ends to. */
static void add_shares(cycle_plot *p)
{
    slip_album *a = p->album;
    int64_t changes, count = 0;
    const double *at = slip_result_series(a->result, "changes.position", &changes);
    const double *of = slip_result_series(a->result, "changes.first_tooth", NULL);
    part *all = slip_arena_array(&a->arena, p->pair_count + changes, sizeof *all);
    a->failed = a->failed || !all;
    if (!all)
        return;
    for (int64_t i = 0; i < p->pair_count; i++)
        all[count++] = (part){p->tooth[i], p->pair_position[i], p->share[i]};
    for (int64_t i = 0; of && i < changes; i++)
        all[count++] = (part){of[i], at[i], 0};
    qsort(all, (size_t)count, sizeof *all, ascending);
    for (int64_t first = 0, end; first < count; first = end) {
        slip_pen pen = slip_album_pen(a, count);
        for (end = first; end < count && all[end].tooth == all[first].tooth; end++)
            slip_pen_to(&pen, all[end].position, all[end].share);
        slip_pen_curve(&pen, slip_album_text(a, "tooth %.0f", all[first].tooth))->y_name = "share";
    }
}

/* Line loads at four positions of the cycle; `*highest` of all. */
static int add_lines(cycle_plot *p, double *highest)
{
    slip_album *a = p->album;
    const slip_array *load = slip_result_array(a->result, "line/load"),
                     *z = slip_result_array(a->result, "line/z");
    int count = 0;
    if (!load || !z || load->count != p->pair_count || z->count * z->width != load->width)
        return slip_fail(a->ctx, SLIP_ERROR_IO, "result.h5: expected the line loads of a mesh cycle");
    const double *places = slip_album_scaled(a, z->values, load->width, 1e3);
    for (int quarter = 0; quarter < 4; quarter++) {
        const double position = p->position[quarter * (p->points - 1) / 4];
        for (int64_t i = 0; i < p->pair_count && count < lines_max; i++) {
            if (p->pair_position[i] != position)
                continue;
            const double *line = slip_album_scaled(a, load->values + i * load->width, load->width, 1e-3);
            for (int64_t l = 0; line && l < load->width; l++)
                *highest = fmax(*highest, line[l]);
            slip_album_curve(a, places, line, load->width,
                             slip_album_text(a, "position %.2f, tooth %.0f", position, p->tooth[i]))
                ->style = quarter % 2 ? SLIP_CURVE_DASHED : SLIP_CURVE_LINE;
            count++;
        }
    }
    return SLIP_OK;
}

int slip_cycle_draw(slip_album *a)
{
    static const char position[] = "position in the mesh cycle [pitches]", share[] = "share of the torque";
    cycle_plot p = {.album = a, .points = a->result->main.count};
    const double stiffness = 1e-9 / slip_result_number(a->result, "width"), *path;
    double highest = 0;
    if (p.points == 0)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there is no position of the cycle to draw",
                         a->folder);
    SLIP_PASS(slip_album_series(a, "position", &p.points, &p.position));
    SLIP_PASS(slip_album_series(a, "teeth.position", &p.pair_count, &p.pair_position));
    SLIP_PASS(slip_album_series(a, "teeth.first_tooth", &p.pair_count, &p.tooth));
    SLIP_PASS(slip_album_series(a, "teeth.share", &p.pair_count, &p.share));
    SLIP_PASS(slip_album_series(a, "teeth.path", &p.pair_count, &path));
    slip_figure *figure = slip_album_figure(a, "cycle");
    figure->stacked = true;
    figure->height = 1750;
    slip_album_panel(a, position, "transmission error [µm]");
    SLIP_PASS(add_series(&p, "error", 1e6, "under load", SLIP_CURVE_LINE));
    SLIP_PASS(add_series(&p, "unloaded_error", 1e6, "without load", SLIP_CURVE_DASHED));
    slip_album_panel(a, position, "mesh stiffness [N/(mm µm)]");
    SLIP_PASS(add_series(&p, "stiffness", stiffness, "secant", SLIP_CURVE_LINE));
    SLIP_PASS(add_series(&p, "tangent", stiffness, "tangent", SLIP_CURVE_DASHED));
    slip_album_panel(a, position, share)->y_high = 1.1;
    add_shares(&p);
    slip_album_figure(a, "cycle-load");
    slip_panel *panel = slip_album_panel(a, "along the line of action, from the pitch point [mm]", share);
    panel->title = "load of a pair of teeth over its path of contact";
    panel->y_high = 1.1;
    slip_album_curve(a, slip_album_scaled(a, path, p.pair_count, 1e3), p.share, p.pair_count, NULL)->style =
        SLIP_CURVE_POINTS;
    panel = slip_album_panel(a, "z [mm]", "line load [N/mm]");
    panel->title = "line load across the width";
    SLIP_PASS(add_lines(&p, &highest));
    panel->y_high = 1.1 * highest;
    return SLIP_OK;
}
