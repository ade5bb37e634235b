/* The standard pictures of a run, and of any two series. */
#include "figure/axis.h"
#include "figure/pictures.h"

#include <math.h>
#include <string.h>

/* Beyond this many coordinates a picture with one panel for each cannot be read; nor can more panels one
 * above the other, or more curves in one. */
enum { most_panels = 12, most_patches = 3, most_stacked = 16, most_curves = 8, most_loops = 3 };

typedef struct plot {
    slip_album *album;
    const slip_result *result;
    int64_t first, count; /* the records in the time span */
} plot;

int slip_plot_span(const slip_album *a, int64_t *first, int64_t *count)
{
    const double *t = slip_series_values(a->result, 0), from = a->options->from, to = a->options->to;
    const int64_t all = a->result->main.count;
    int64_t begin = 0, end = all;
    if (all == 0)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: nothing was recorded, so there is nothing to draw",
                         a->folder);
    while (begin < end && t[begin] < from)
        begin++;
    while (end > begin && t[end - 1] > to)
        end--;
    *first = begin;
    *count = end - begin;
    if (*count == 0)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE,
                         "%s: nothing was recorded from %g to %g; the records are from %g to %g", a->folder,
                         isnan(from) ? t[0] : from, isnan(to) ? t[all - 1] : to, t[0], t[all - 1]);
    return SLIP_OK;
}

static const double *values_of(const plot *p, int series)
{
    return slip_series_values(p->result, series) + p->first;
}

/* A curve in the last panel, of one series over another. */
static slip_curve *add_curve(plot *p, int x, int y, const char *label)
{
    slip_curve *curve = slip_album_curve(p->album, values_of(p, x), values_of(p, y), p->count, label);
    curve->x_name = p->result->main.columns[x].name;
    curve->y_name = p->result->main.columns[y].name;
    return curve;
}

/* A curve with a gap at each instant at which both jump: at an impact nothing between is passed. */
static slip_curve *add_path(plot *p, int x_series, const double *y, const char *label)
{
    const double *t = values_of(p, 0), *x = values_of(p, x_series);
    slip_pen pen = slip_album_pen(p->album, 2 * p->count);
    for (int64_t i = 0; y && i < p->count; i++) {
        if (i > 0 && t[i] == t[i - 1] && x[i] != x[i - 1] && y[i] != y[i - 1])
            slip_pen_to(&pen, x[i - 1], NAN);
        slip_pen_to(&pen, x[i], y[i]);
    }
    slip_curve *curve = pen.count == p->count ? slip_album_curve(p->album, x, y, p->count, label)
                                              : slip_pen_curve(&pen, label);
    curve->x_name = p->result->main.columns[x_series].name;
    return curve;
}

static const char *unit_of(const plot *p, int series)
{
    return p->result->main.columns[series].unit;
}

static const char *label_of(plot *p, const char *what, const char *name, int series)
{
    return slip_album_label(p->album, what, name, unit_of(p, series));
}

static double range_of(const plot *p, int series)
{
    const slip_axis_range r = slip_range_of(values_of(p, series), p->count);
    return r.high > r.low ? r.high - r.low : 0;
}

static bool is_zero(const plot *p, int series)
{
    const slip_axis_range r = slip_range_of(values_of(p, series), p->count);
    return r.low == 0 && r.high == 0;
}

/* Whether a series has one value, up to rounding. */
static bool is_constant(const plot *p, int series)
{
    return range_of(p, series) <= 1e-12 * fabs(values_of(p, series)[0]);
}

/* ---- Angles. */

/* A coordinate without a unit is an angle where its name is that of a Greek letter that is used for angles.
 */
static bool is_angle(const plot *p, int i)
{
    static const char *const units[] = {"rad", "deg", "degree", "°"};
    static const char *const letters[] = {"alpha", "beta", "gamma", "theta", "phi", "varphi", "psi", "angle"};
    const char *unit = unit_of(p, slip_series_coordinate(i, 0)), *name = p->result->names[i];
    if (slip_text_find(units, sizeof units / sizeof *units, unit) >= 0)
        return true;
    for (size_t k = 0; k < sizeof letters / sizeof *letters && !*unit; k++) {
        const size_t length = strlen(letters[k]); /* of phi, phi1, phi_2, not of phirate */
        if (strncmp(name, letters[k], length) == 0 && (name[length] < 'a' || name[length] > 'z'))
            return true;
    }
    return false;
}

/* An angle that only grows, or only falls, from the beginning to the end, but for a hundredth: a shaft. Its
 * rate says all. */
static bool only_grows(const plot *p, int i)
{
    const double *q = values_of(p, slip_series_coordinate(i, 0));
    const double whole = q[p->count - 1] - q[0], half = q[p->count / 2] - q[0];
    if (!is_angle(p, i) || p->count < 10 || !(half / whole > 0.25 && half / whole < 0.75))
        return false;
    double back = 0;
    for (int64_t k = 1; k < p->count; k++)
        back += (q[k] - q[k - 1]) * whole < 0 ? fabs(q[k] - q[k - 1]) : 0;
    return back < 0.01 * fabs(whole);
}

static bool is_patch(const slip_result *r, int contact)
{
    for (int k = 0; k < r->patch_count; k++)
        if (r->patch_contacts[k] == contact)
            return true;
    return false;
}

/* ---- The history: series of one kind and one unit share a panel. */

/* Series of one kind: `count` of them, `step` apart from `first` on. */
typedef struct kind {
    const char *what;     /* "displacement"; NULL: their names say it */
    const char *of_angle; /* "angle": of coordinates that are angles; else NULL */
    const char *what_of;  /* "friction of": where it is one of several contacts; else NULL */
    int first, step, count;
    int part;                /* of coordinates: 0, 1, 2 for q, v, a; else -1 */
    bool varying;            /* without those that never change */
    bool acting;             /* without those that are zero all the time */
    bool lines;              /* of contacts: without patches */
    const struct kind *over; /* what they are drawn over; NULL: time */
} kind;

/* Whether two of a kind may share a panel: rates have the units that their coordinates have, over time. */
static bool belong_together(const plot *p, const kind *of, int a, int b)
{
    const int one = of->first + a * of->step, other = of->first + b * of->step;
    if (strcmp(unit_of(p, one), unit_of(p, other)) != 0 || (of->over && !belong_together(p, of->over, a, b)))
        return false;
    return of->part < 0 || (is_angle(p, a) == is_angle(p, b) &&
                            strcmp(unit_of(p, one - of->part), unit_of(p, other - of->part)) == 0);
}

/* The name of a curve: that of the series, or of its contact. */
static const char *curve_name(const plot *p, const kind *of, int k)
{
    return of->what_of ? p->result->contact_names[k] : p->result->main.columns[of->first + k * of->step].name;
}

/* The coordinates that are drawn: those of vectors of elastic bodies only where there is nothing else to look
 * at. */
static int drawn_coordinates(const slip_result *r)
{
    const int given = r->n - r->vector_count;
    return given > 0 || r->output_count > 0 ? given : r->n;
}

/* A coordinate that does not move: its rates say nothing. */
static bool rests(const plot *p, int k)
{
    return range_of(p, slip_series_coordinate(k, 0)) == 0 && range_of(p, slip_series_coordinate(k, 1)) == 0;
}

static bool is_left_out(const plot *p, const kind *of, int k)
{
    const int series = of->first + k * of->step;
    return (of->part == 0 && only_grows(p, k)) || (of->lines && is_patch(p->result, k)) ||
           (of->part > 0 && rests(p, k)) || (of->varying && range_of(p, series) == 0) ||
           (of->acting && is_zero(p, series));
}

/* Which series go with number `k`, where that is the first of them: of many those that can be seen, and of
 * these some that are spread over all. Returns how many there are; `*all`: with those that are left out. */
static int choose_curves(const plot *p, const kind *of, int k, int most, int chosen[most_curves], int *all)
{
    double largest = 0;
    int seen = 0, at = 0, shown = 0;
    *all = 0;
    if (is_left_out(p, of, k))
        return 0;
    for (int i = 0; i < of->count; i++) {
        if (!belong_together(p, of, k, i) || is_left_out(p, of, i))
            continue;
        if (i < k)
            return 0;
        largest = fmax(largest, range_of(p, of->first + i * of->step));
        ++*all;
    }
    for (int pass = 0; pass < 2; pass++) {
        const int wanted = seen < most ? seen : most;
        for (int i = k; i < of->count; i++) {
            if (!belong_together(p, of, k, i) || is_left_out(p, of, i) ||
                (*all > most_curves && range_of(p, of->first + i * of->step) < 2e-3 * largest))
                continue;
            if (pass == 0)
                seen++;
            else if (wanted == 1 || (int64_t)at++ * (wanted - 1) >= (int64_t)shown * (seen - 1))
                chosen[shown++] = i;
            if (shown == most)
                break;
        }
    }
    return shown;
}

static void add_history_panel(plot *p, const kind *of, int k)
{
    int chosen[most_curves], all;
    const int shown = choose_curves(p, of, k, most_curves, chosen, &all);
    if (shown == 0)
        return;
    const int own = of->first + chosen[0] * of->step;
    slip_panel *panel = slip_album_panel(p->album, label_of(p, "time t", NULL, 0), NULL);
    for (int i = 0; i < shown; i++)
        add_curve(p, 0, of->first + chosen[i] * of->step, all > 1 ? curve_name(p, of, chosen[i]) : NULL)
            ->color = of->count == 1            ? 0
                      : of->count > most_curves ? i + 1
                                                : chosen[i] + 1;
    /* with a unit the name of one says enough: "x'' [mm/s^2]" */
    const char *what = of->part >= 0 && is_angle(p, chosen[0]) ? of->of_angle : of->what;
    if (all == 1 && (of->what_of || *unit_of(p, own)))
        what = of->what_of;
    panel->y_label = label_of(p,
                              what      ? what
                              : all > 1 ? "outputs"
                                        : NULL,
                              shown < all ? slip_album_text(p->album, "(%d of %d)", shown, all)
                              : all == 1  ? curve_name(p, of, k)
                                          : NULL,
                              own);
}

/* ---- Contacts: part 1 is the normal force, part 2 friction. */

/* Friction where there is any; normal forces where they are not just given numbers. */
static void add_history(plot *p)
{
    const slip_result *r = p->result;
    const int contacts = slip_series_contact(r->n, 0, 0);
    const kind kinds[] = {
        {.what = "displacement", .of_angle = "angle", .first = 1, .step = 3, .count = drawn_coordinates(r)},
        {.what = "velocity",
         .of_angle = "angular velocity",
         .first = 2,
         .step = 3,
         .count = drawn_coordinates(r),
         .part = 1},
        {.what = "acceleration",
         .of_angle = "angular acceleration",
         .first = 3,
         .step = 3,
         .count = drawn_coordinates(r),
         .part = 2},
        {.what = "friction force",
         .what_of = "friction of",
         .first = contacts + 2,
         .step = 4,
         .count = r->contact_count,
         .part = -1,
         .acting = true},
        {.what = "normal force",
         .what_of = "normal force of",
         .first = contacts + 1,
         .step = 4,
         .count = r->contact_count,
         .part = -1,
         .varying = true},
        {.first = slip_series_output(r, 0), .step = 1, .count = r->output_count, .part = -1}};
    slip_figure *figure = slip_album_figure(p->album, "history");
    figure->stacked = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 0; k < kinds[i].count && figure->panel_count < most_stacked; k++)
            add_history_panel(p, &kinds[i], k);
    if (figure->panel_count == most_stacked)
        slip_log(p->album->ctx, SLIP_LOG_INFO, "the history shows the first %d panels", (int)most_stacked);
}

/* The friction that the slip meets: the negative of the force on the coordinates along it. Where stick begins
 * or ends the force may jump, and the pen is lifted; an open contact has none. */
static const double *friction_met(plot *p, int c)
{
    const double *force = values_of(p, slip_series_contact(p->result->n, c, 2));
    const double *mode = values_of(p, slip_series_contact(p->result->n, c, 3));
    double *met = slip_album_numbers(p->album, p->count);
    for (int64_t i = 0; met && i < p->count; i++) {
        bool stick = mode[i] == SLIP_MODE_STICK, before = i > 0 ? mode[i - 1] == SLIP_MODE_STICK : stick;
        met[i] = stick == before && mode[i] != SLIP_MODE_OPEN ? 0 - force[i] : NAN;
    }
    return met;
}

/* Contacts that have one slip velocity, those of the same units in one panel; patches have pictures of their
 * own. */
static void add_force_slip(plot *p)
{
    const slip_result *r = p->result;
    const char *one = r->contact_count == 1 ? r->contact_names[0] : NULL;
    const kind slips = {.first = slip_series_contact(r->n, 0, 0), .step = 4, .part = -1};
    const kind forces = {.first = slip_series_contact(r->n, 0, 2),
                         .step = 4,
                         .count = r->contact_count,
                         .part = -1,
                         .lines = true,
                         .acting = true,
                         .over = &slips};
    slip_figure *figure = slip_album_figure(p->album, "force-slip");
    for (int lead = 0; lead < r->contact_count; lead++) {
        int chosen[most_curves], all;
        const int most = r->contact_count > most_curves ? most_loops : most_curves;
        const int shown = choose_curves(p, &forces, lead, most, chosen, &all);
        const int slip = slip_series_contact(r->n, lead, 0);
        const double *met[most_curves];
        bool moves = false;
        for (int k = 0; k < shown; k++) {
            slip_axis_range slip_range = {INFINITY, -INFINITY, true, false};
            met[k] = friction_met(p, chosen[k]);
            if (met[k])
                slip_range_widen(&slip_range, values_of(p, slip_series_contact(r->n, chosen[k], 0)), met[k],
                                 p->count);
            moves = moves || slip_range.high > slip_range.low;
        }
        if (!moves)
            continue;
        slip_album_panel(
            p->album, label_of(p, one ? "slip velocity of" : "slip velocity", one, slip),
            label_of(p, one ? "friction force against the slip of" : "friction force against the slip",
                     shown < all ? slip_album_text(p->album, "(%d of %d)", shown, all) : one, slip + 2));
        for (int k = 0; k < shown; k++) {
            const int c = chosen[k];
            slip_curve *curve =
                add_path(p, slip_series_contact(r->n, c, 0), met[k], one ? NULL : r->contact_names[c]);
            curve->color = (shown < all ? k : c) + 1;
            curve->y_name =
                slip_album_text(p->album, "minus %s", r->main.columns[slip_series_contact(r->n, c, 2)].name);
        }
    }
    p->album->count -= figure->panel_count == 0;
}

/* ---- patches ---- */

/* The patches that are drawn, of many those whose friction changes most: how many. */
static int choose_patches(plot *p, int chosen[most_patches])
{
    const slip_result *r = p->result;
    double *change = slip_album_numbers(p->album, r->patch_count);
    int count = 0;
    for (int k = 0; k < r->patch_count && change; k++)
        change[k] = range_of(p, slip_series_contact(r->n, r->patch_contacts[k], 2));
    for (int k = 0; k < r->patch_count && change; k++) {
        int before = 0;
        for (int i = 0; i < r->patch_count; i++)
            before += change[i] > change[k] || (change[i] == change[k] && i < k);
        if (before < most_patches)
            chosen[count++] = k;
    }
    return count;
}

/* Spin and moment are those of areas: of points in a plane they are zero all the time. */
static bool is_row_shown(const plot *p, int part, int parts, int count, const int *patches)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts; i++)
            if (!is_zero(p, slip_series_patch(p->result, patches[k], part + i)))
                return true;
    return false;
}

/* Slip, spin, force and moment over time, a column for each patch: those that are not zero all the time, the
 * last of a panel if all are. */
static void add_patches(plot *p)
{
    static const struct {
        const char *what;
        int part, count;
    } rows[4] = {
        {"slip velocity", 0, 2}, {"spin", 2, 1}, {"friction force", 3, 2}, {"friction moment", 5, 1}};
    const slip_result *r = p->result;
    int chosen[most_patches];
    const int count = choose_patches(p, chosen);
    if (count == 0)
        return;
    slip_figure *figure = slip_album_figure(p->album, "patch");
    if (r->patch_count > most_patches)
        figure->title = slip_album_text(p->album, "%s (%d of %d contacts)", r->title ? r->title : "", count,
                                        r->patch_count);
    figure->stacked = count == 1;
    figure->columns = count;
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < count && is_row_shown(p, rows[row].part, rows[row].count, count, chosen); k++) {
            const int first = slip_series_patch(r, chosen[k], rows[row].part);
            slip_panel *panel = slip_album_panel(p->album, label_of(p, "time t", NULL, 0),
                                                 label_of(p, rows[row].what, NULL, first));
            if (count > 1 && figure->panel_count <= count)
                panel->title = r->contact_names[r->patch_contacts[chosen[k]]];
            for (int i = 0; i < rows[row].count; i++)
                if (!is_zero(p, first + i) || (i == rows[row].count - 1 && panel->curve_count == 0))
                    add_curve(p, 0, first + i, rows[row].count > 1 ? (i ? "y" : "x") : NULL)->color = i + 1;
        }
    p->album->count -= figure->panel_count == 0;
}

/* One panel a coordinate: part `y` of it over part `x`; of many those that move at all. What is left out is
 * said above. */
static void add_portrait(plot *p, const char *name, int x, int y)
{
    static const char *const what[2][3] = {{"displacement", "velocity", "acceleration"},
                                           {"angle", "angular velocity", "angular acceleration"}};
    const slip_result *r = p->result;
    double largest = 0;
    const int all = drawn_coordinates(r);
    int count = 0, turning = 0, resting = 0;
    for (int i = 0; i < all; i++)
        largest = fmax(largest, range_of(p, slip_series_coordinate(i, y)));
    slip_figure *figure = slip_album_figure(p->album, name);
    for (int i = 0; i < all && count < most_panels; i++) {
        const int across = slip_series_coordinate(i, x), up = slip_series_coordinate(i, y);
        if (x == 0 && only_grows(p, i)) {
            turning++;
            continue;
        }
        if (is_constant(p, across)) {
            resting++;
            continue;
        }
        if (all > most_panels && range_of(p, up) < 1e-9 * largest)
            continue;
        const char *const *const words = what[is_angle(p, i)];
        slip_album_panel(p->album, label_of(p, words[x], r->main.columns[across].name, across),
                         label_of(p, words[y], r->main.columns[up].name, up));
        slip_curve *curve = add_path(p, across, values_of(p, up), NULL);
        curve->y_name = r->main.columns[up].name;
        curve->color = i + 1;
        count++;
    }
    if (count == 0)
        p->album->count--;
    else if (count < all)
        figure->title =
            slip_album_text(p->album, "%s (%d of %d coordinates%s)", r->title ? r->title : "", count, all,
                            turning > 0              ? "; growing angles: rates in the history"
                            : resting == all - count ? "; the others do not move"
                                                     : "");
    figure->columns = count == 1 ? 1 : count <= 4 ? 2 : 3;
}

int slip_run_draw(slip_album *a)
{
    plot p = {.album = a, .result = a->result};
    SLIP_PASS(slip_plot_span(a, &p.first, &p.count));
    a->base = "plot";
    add_history(&p);
    add_force_slip(&p);
    add_patches(&p);
    add_portrait(&p, "phase", 0, 1);
    add_portrait(&p, "acceleration-velocity", 1, 2);
    return SLIP_OK;
}

/* ---- Any two series. */

static int find_series(plot *p, const char *name, size_t length, int *series)
{
    const slip_table *table = &p->result->main;
    const char *wanted = slip_arena_string_bytes(&p->album->arena, name, length);
    const char **names = slip_arena_array(&p->album->arena, table->column_count + 1, sizeof *names);
    SLIP_PASS(slip_allocated(p->album->ctx, wanted && names));
    for (int k = 0; k < table->column_count; k++)
        names[k] = table->columns[k].name;
    *series = slip_table_find(table, wanted);
    if (*series >= 0)
        return SLIP_OK;
    const char *nearest = slip_text_nearest(wanted, names);
    return slip_fail(p->album->ctx, SLIP_ERROR_USAGE,
                     "there is no series `%s` to draw, expected one such as `%s`", wanted,
                     nearest ? nearest : names[0]);
}

int slip_xy_draw(slip_album *a)
{
    plot p = {.album = a, .result = a->result};
    const char *xy = a->options->xy, *comma = strchr(xy, ',');
    const slip_table *table = &a->result->main;
    int x, y;
    if (!comma)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE,
                         "found `%s` to draw, expected the names of two series, such as `pad.slip,pad.force`",
                         xy);
    SLIP_PASS(slip_plot_span(a, &p.first, &p.count));
    SLIP_PASS(find_series(&p, xy, (size_t)(comma - xy), &x));
    SLIP_PASS(find_series(&p, comma + 1, strlen(comma + 1), &y));
    slip_album_figure(a, "xy");
    slip_album_panel(a, slip_album_column(a, &table->columns[x]), slip_album_column(a, &table->columns[y]));
    add_curve(&p, x, y, NULL);
    return SLIP_OK;
}
