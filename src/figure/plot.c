/* The standard pictures of a run, and of any two series. */
#include "figure/axis.h"
#include "figure/pictures.h"

#include <math.h>
#include <string.h>

/* Limits of a readable picture: panels, patches, panels one above the other, curves in a panel, loops. */
enum { most_panels = 12, most_patches = 3, most_stacked = 16, most_curves = 8, most_loops = 3 };

typedef struct plot {
    slip_album *album;
    const slip_result *result;
    int64_t first, count;    /* the records in the time span */
    slip_axis_range *ranges; /* of each series there */
    int *together;           /* room for the numbers of series */
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

static const slip_column *column_of(const plot *p, int series)
{
    return &p->result->main.columns[series];
}

/* A curve in the last panel, of one series over another. */
static slip_curve *add_curve(plot *p, int x, int y, const char *label)
{
    slip_curve *curve = slip_album_curve(p->album, values_of(p, x), values_of(p, y), p->count, label);
    curve->x_name = column_of(p, x)->name;
    curve->y_name = column_of(p, y)->name;
    return curve;
}

/* A curve that is interrupted where both series jump, since an impact passes no states between. */
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
    curve->x_name = column_of(p, x_series)->name;
    return curve;
}

static const char *label_of(plot *p, const char *what, const char *name, int series)
{
    return slip_album_label(p->album, what, name, column_of(p, series)->unit);
}

/* The extent of a series in the span. */
static double size_of(const plot *p, int series)
{
    return p->ranges[series].high > p->ranges[series].low ? p->ranges[series].high - p->ranges[series].low
                                                          : 0;
}

static bool is_zero(const plot *p, int series)
{
    return p->ranges[series].low == 0 && p->ranges[series].high == 0;
}

/* ---- Angles. */

/* A coordinate without a unit is an angle where its name is that of a Greek letter that is used for angles.
 */
static bool is_angle(const plot *p, int i)
{
    static const char *const units[] = {"rad", "deg", "degree", "°"};
    static const char *const letters[] = {"alpha", "beta", "gamma", "theta", "phi", "varphi", "psi", "angle"};
    const char *unit = column_of(p, slip_series_coordinate(i, 0))->unit, *name = p->result->names[i];
    if (slip_text_find(units, sizeof units / sizeof *units, unit) >= 0)
        return true;
    for (size_t k = 0; k < sizeof letters / sizeof *letters && !*unit; k++) {
        const size_t length = strlen(letters[k]); /* of phi, phi1, phi_2, not of phirate */
        if (strncmp(name, letters[k], length) == 0 && (name[length] < 'a' || name[length] > 'z'))
            return true;
    }
    return false;
}

/* Whether an angle only increases or only decreases, up to one per cent: a shaft, which is drawn by its rate.
 */
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

/* ---- Series of one kind and one unit share a panel. */

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

/* What the parts of coordinates are called, and those of angles. */
static const char *const motion[2][3] = {{"displacement", "velocity", "acceleration"},
                                         {"angle", "angular velocity", "angular acceleration"}};

/* The number of coordinates that are drawn: amplitudes of elastic bodies only if there are no others. */
static int drawn_coordinates(const slip_result *r)
{
    const int given = r->n - r->vector_count;
    return given > 0 || r->output_count > 0 ? given : r->n;
}

static bool is_left_out(const plot *p, const kind *of, int k)
{
    const int series = of->first + k * of->step;
    for (int i = 0; i < p->result->patch_count && of->lines; i++)
        if (p->result->patch_contacts[i] == k)
            return true;
    if (of->part == 0
            ? only_grows(p, k) /* of a coordinate that does not move rates say nothing */
            : of->part > 0 && size_of(p, series - of->part) == 0 && size_of(p, series - of->part + 1) == 0)
        return true;
    return (of->varying && size_of(p, series) == 0) || (of->acting && is_zero(p, series));
}

/* Whether two of a kind may share a panel: rates have the units that their coordinates have, over time. */
static bool belong_together(const plot *p, const kind *of, int a, int b)
{
    const int one = of->first + a * of->step, other = of->first + b * of->step;
    if (strcmp(column_of(p, one)->unit, column_of(p, other)->unit) != 0 ||
        (of->over && !belong_together(p, of->over, a, b)))
        return false;
    return of->part < 0 ||
           (is_angle(p, a) == is_angle(p, b) &&
            strcmp(column_of(p, one - of->part)->unit, column_of(p, other - of->part)->unit) == 0);
}

/* Chooses the series that share a panel with number k, the first of them: of many only those that are not
 * constant, and of these a selection spread over all. Returns their number; *all: with those left out. */
static int choose_curves(const plot *p, const kind *of, int k, int most, int chosen[most_curves], int *all)
{
    double largest = 0;
    int seen = 0;
    *all = 0;
    if (is_left_out(p, of, k))
        return 0;
    for (int i = 0; i < of->count; i++)
        if (belong_together(p, of, k, i) && !is_left_out(p, of, i)) {
            if (i < k)
                return 0;
            largest = fmax(largest, size_of(p, of->first + i * of->step));
            p->together[(*all)++] = i;
        }
    for (int i = 0; i < *all; i++)
        if (*all <= most_curves || size_of(p, of->first + p->together[i] * of->step) >= 2e-3 * largest)
            p->together[seen++] = p->together[i];
    const int shown = seen < most ? seen : most;
    for (int i = 0; i < shown; i++)
        chosen[i] = p->together[shown > 1 ? (i * (seen - 1) + shown - 2) / (shown - 1) : 0];
    return shown;
}

static void add_history_panel(plot *p, const kind *of, int k)
{
    int chosen[most_curves], all;
    const int shown = choose_curves(p, of, k, most_curves, chosen, &all), own = of->first + k * of->step;
    const char *what = of->part >= 0 && is_angle(p, k) ? of->of_angle : of->what, *name = NULL;
    if (shown == 0)
        return;
    slip_panel *panel = slip_album_panel(p->album, label_of(p, "time t", NULL, 0), NULL);
    for (int i = 0; i < shown; i++) {
        const int series = of->first + chosen[i] * of->step;
        name = of->what_of ? p->result->contact_names[chosen[i]] : column_of(p, series)->name;
        add_curve(p, 0, series, all > 1 ? name : NULL)->color = of->count == 1            ? 0
                                                                : of->count > most_curves ? i + 1
                                                                                          : chosen[i] + 1;
    }
    if (all > 1)
        panel->y_label = label_of(p, what ? what : "outputs", slip_album_part(p->album, shown, all), own);
    else /* with a unit the name of one says enough: "x'' [mm/s^2]" */
        panel->y_label = label_of(p, of->what_of || *column_of(p, own)->unit ? of->what_of : what, name, own);
}

/* Friction where there is any; normal forces where they are not just given numbers. */
static void add_history(plot *p)
{
    const slip_result *r = p->result;
    const int contacts = slip_series_contact(r->n, 0, 0), n = drawn_coordinates(r);
    const kind kinds[] = {
        {.what = motion[0][0], .of_angle = motion[1][0], .first = 1, .step = 3, .count = n},
        {.what = motion[0][1], .of_angle = motion[1][1], .first = 2, .step = 3, .count = n, .part = 1},
        {.what = motion[0][2], .of_angle = motion[1][2], .first = 3, .step = 3, .count = n, .part = 2},
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

/* ---- Friction over slip. */

/* The friction force against the slip: minus the force on the coordinates along it. The curve is interrupted
 * where stick begins or ends, since the force may jump, and while the contact is open. *moves: the curve is
 * more than a point. */
static const double *friction_met(plot *p, int c, bool *moves)
{
    const double *force = values_of(p, slip_series_contact(p->result->n, c, 2));
    const double *mode = values_of(p, slip_series_contact(p->result->n, c, 3));
    double *met = slip_album_numbers(p->album, p->count);
    slip_axis_range slip = {INFINITY, -INFINITY, true, false};
    for (int64_t i = 0; met && i < p->count; i++) {
        bool stick = mode[i] == SLIP_MODE_STICK, before = i > 0 ? mode[i - 1] == SLIP_MODE_STICK : stick;
        met[i] = stick == before && mode[i] != SLIP_MODE_OPEN ? 0 - force[i] : NAN;
    }
    if (met)
        slip_range_widen(&slip, values_of(p, slip_series_contact(p->result->n, c, 0)), met, p->count);
    *moves = *moves || slip.high > slip.low;
    return met;
}

/* Contacts that have one slip velocity, those of the same units in one panel; patches have pictures of their
 * own. */
static void add_force_slip(plot *p)
{
    const slip_result *r = p->result;
    const char *one = r->contact_count == 1 ? r->contact_names[0] : NULL;
    const int most = r->contact_count > most_curves ? most_loops : most_curves;
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
        const int shown = choose_curves(p, &forces, lead, most, chosen, &all);
        const int slip = slip_series_contact(r->n, lead, 0);
        const double *met[most_curves];
        bool moves = false;
        for (int k = 0; k < shown; k++)
            met[k] = friction_met(p, chosen[k], &moves);
        if (!moves)
            continue;
        const char *part = slip_album_part(p->album, shown, all);
        slip_album_panel(
            p->album, label_of(p, one ? "slip velocity of" : "slip velocity", one, slip),
            label_of(p, one ? "friction force against the slip of" : "friction force against the slip",
                     part ? part : one, slip + 2));
        for (int k = 0; k < shown; k++) {
            const int x = slip_series_contact(r->n, chosen[k], 0);
            slip_curve *curve = add_path(p, x, met[k], one ? NULL : r->contact_names[chosen[k]]);
            curve->color = (part ? k : chosen[k]) + 1;
            curve->y_name = slip_album_text(p->album, "minus %s", column_of(p, x + 2)->name);
        }
    }
    p->album->count -= figure->panel_count == 0;
}

/* ---- Patches. */

/* Spin and moment are those of areas: of points in a plane they are zero all the time. */
static bool is_row_shown(const plot *p, int part, int parts, int count, const int *patches)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < parts; i++)
            if (!is_zero(p, slip_series_patch(p->result, patches[k], part + i)))
                return true;
    return false;
}

/* Slip, spin, force and moment over time, a column for each patch; of many patches those whose friction
 * changes most. Series that are always zero are left out, except the last one of a panel. */
static void add_patches(plot *p)
{
    static const struct {
        const char *what;
        int part, count;
    } rows[4] = {
        {"slip velocity", 0, 2}, {"spin", 2, 1}, {"friction force", 3, 2}, {"friction moment", 5, 1}};
    const slip_result *r = p->result;
    int chosen[most_patches];
    double *change = slip_album_numbers(p->album, r->patch_count);
    for (int k = 0; k < r->patch_count && change; k++)
        change[k] = size_of(p, slip_series_contact(r->n, r->patch_contacts[k], 2));
    const int count = change ? slip_album_largest(change, r->patch_count, most_patches, chosen) : 0;
    if (count == 0)
        return;
    slip_figure *figure = slip_album_figure(p->album, "patch");
    slip_album_title_part(p->album, count, r->patch_count, "contacts");
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

/* ---- Portraits. */

/* Phase portraits, one panel a coordinate: part `y` over part `x`; of many coordinates those that move. The
 * title says what is left out. */
static void add_portrait(plot *p, const char *name, int x, int y)
{
    double largest = 0;
    const int all = drawn_coordinates(p->result);
    int count = 0, turning = 0, resting = 0;
    for (int i = 0; i < all; i++)
        largest = fmax(largest, size_of(p, slip_series_coordinate(i, y)));
    slip_figure *figure = slip_album_figure(p->album, name);
    for (int i = 0; i < all && count < most_panels; i++) {
        const int across = slip_series_coordinate(i, x), up = slip_series_coordinate(i, y);
        const char *const *const words = motion[is_angle(p, i)];
        const bool turns = x == 0 && only_grows(p, i), /* rests: up to rounding */
            rests = !turns && size_of(p, across) <= 1e-12 * fabs(values_of(p, across)[0]);
        turning += turns;
        resting += rests;
        if (turns || rests || (all > most_panels && size_of(p, up) < 1e-9 * largest))
            continue;
        slip_album_panel(p->album, label_of(p, words[x], column_of(p, across)->name, across),
                         label_of(p, words[y], column_of(p, up)->name, up));
        slip_curve *curve = add_path(p, across, values_of(p, up), NULL);
        curve->y_name = column_of(p, up)->name;
        curve->color = i + 1;
        count++;
    }
    slip_album_title_part(p->album, count, all,
                          turning > 0              ? "coordinates; growing angles: rates in the history"
                          : resting == all - count ? "coordinates; the others do not move"
                                                   : "coordinates");
    p->album->count -= count == 0;
    figure->columns = count == 1 ? 1 : count <= 4 ? 2 : 3;
}

int slip_run_draw(slip_album *a)
{
    plot p = {.album = a, .result = a->result};
    const int series = p.result->main.column_count;
    SLIP_PASS(slip_plot_span(a, &p.first, &p.count));
    p.ranges = slip_arena_array(&a->arena, series, sizeof *p.ranges);
    p.together = slip_arena_array(&a->arena, series, sizeof *p.together);
    SLIP_PASS(slip_allocated(a->ctx, p.ranges && p.together));
    for (int k = 0; k < series; k++)
        p.ranges[k] = slip_range_of(values_of(&p, k), p.count);
    a->base = "plot";
    add_history(&p);
    add_force_slip(&p);
    add_patches(&p);
    add_portrait(&p, "phase", 0, 1);
    add_portrait(&p, "acceleration-velocity", 1, 2);
    return SLIP_OK;
}

/* ---- Any two series. */

static int find_series(slip_album *a, const char *name, int length, int *series)
{
    const slip_table *table = &a->result->main;
    const char *wanted = slip_album_text(a, "%.*s", length, name);
    const char **names = slip_arena_array(&a->arena, table->column_count + 1, sizeof *names);
    SLIP_PASS(slip_allocated(a->ctx, names && !a->failed));
    for (int k = 0; k < table->column_count; k++)
        names[k] = table->columns[k].name;
    *series = slip_table_find(table, wanted);
    if (*series >= 0)
        return SLIP_OK;
    const char *nearest = slip_text_nearest(wanted, names);
    return slip_fail(a->ctx, SLIP_ERROR_USAGE, "there is no series `%s` to draw, expected one such as `%s`",
                     wanted, nearest ? nearest : names[0]);
}

int slip_xy_draw(slip_album *a)
{
    plot p = {.album = a, .result = a->result};
    const char *xy = a->options->xy, *comma = strchr(xy, ',');
    int x, y;
    if (!comma)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE,
                         "found `%s` to draw, expected the names of two series, such as `pad.slip,pad.force`",
                         xy);
    SLIP_PASS(slip_plot_span(a, &p.first, &p.count));
    SLIP_PASS(find_series(a, xy, (int)(comma - xy), &x));
    SLIP_PASS(find_series(a, comma + 1, (int)strlen(comma + 1), &y));
    slip_album_figure(a, "xy");
    slip_album_columns(a, column_of(&p, x), column_of(&p, y));
    add_curve(&p, x, y, NULL);
    return SLIP_OK;
}
