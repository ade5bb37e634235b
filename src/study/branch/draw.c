/* Pictures of branches: largest and smallest coordinates over the parameter; of forced motions amplitude and
 * phase, as responses are drawn. Dashed where the motion is unstable. */
#include "figure/axis.h"
#include "study/branch/branch.h"

#include <math.h>
#include <string.h>

enum { panels_max = 4, notes_max = 60, coordinates_max = 6 };

static const double degrees = 57.29577951308232;

/* The table of points, and what its columns are. */
typedef struct points {
    slip_album *album;
    const slip_result *result;
    const slip_table *table;
    bool curve; /* over two parameters */
    const double *branch, *value, *stable;
    int *columns[2]; /* room for all of them, twice */
} points;

/* Columns of a kind (".max") in the order of the table; returns how many. */
static int find_columns(const slip_table *table, const char *ending, int *columns)
{
    int count = 0;
    for (int c = 0; c < table->column_count; c++)
        if (slip_text_stem(table->columns[c].name, ending) > 0)
            columns[count++] = c;
    return count;
}

/* "x" of "x.max" */
static const char *name_of(points *p, int column)
{
    const char *full = p->table->columns[column].name;
    return slip_album_text(p->album, "%.*s", (int)(strrchr(full, '.') - full), full);
}

/* Adds the stable points (with those of unknown stability) or the unstable points of a column, times a
 * factor. A curve has a gap between branches, where the value jumps by more than `jump`, and where stability
 * changes; a point of changing stability belongs to both curves. */
static slip_curve *add_curve(points *p, int column, bool stable, double factor, double jump,
                             const char *label)
{
    const double *y = p->table->columns[column].values;
    slip_pen pen = slip_album_pen(p->album, 2 * p->table->count);
    for (int64_t i = 0; i < p->table->count; i++) {
        const bool mine = p->curve || (p->stable[i] != 0) == stable,
                   parted =
                       i > 0 && (p->branch[i] != p->branch[i - 1] || fabs(y[i] - y[i - 1]) * factor > jump);
        const bool joins = i > 0 && !parted && (p->stable[i - 1] != 0) == stable;
        if (parted)
            slip_pen_to(&pen, NAN, NAN);
        slip_pen_to(&pen, p->value[i], mine || joins ? factor * y[i] : NAN);
    }
    slip_curve *curve = slip_pen_curve(&pen, label);
    curve->style = stable ? SLIP_CURVE_LINE : SLIP_CURVE_DASHED;
    return curve;
}

/* Writes labels beside the closest points of a column. Ends get no label; several labels of a kind at one
 * place are one note with their number. */
static void add_notes(points *p, int column)
{
    struct {
        const char *type;
        int64_t point;
        int count;
    } notes[notes_max];
    const slip_axis_range range = slip_range_of(p->value, p->table->count);
    int count = 0;
    for (int64_t l = 0; l < p->result->label_count; l++) {
        const slip_label *label = &p->result->labels[l];
        const int64_t point = slip_album_labelled(label, p->branch, p->value, p->table->count);
        int k = 0;
        if (point < 0 || strcmp(label->type, "EP") == 0)
            continue;
        while (k < count &&
               (strcmp(notes[k].type, label->type) != 0 ||
                fabs(p->value[notes[k].point] - p->value[point]) >= 0.01 * (range.high - range.low)))
            k++;
        if (k == notes_max)
            continue;
        if (k == count) {
            notes[count].type = label->type;
            notes[count].point = point;
            notes[count++].count = 0;
        }
        notes[k].count++;
    }
    for (int k = 0; k < count; k++)
        slip_album_note(p->album, p->value[notes[k].point], p->table->columns[column].values[notes[k].point],
                        notes[k].count > 1
                            ? slip_album_text(p->album, "%s x%d", notes[k].type, notes[k].count)
                            : notes[k].type);
}

static void add_extrema(points *p)
{
    const int all = find_columns(p->table, ".max", p->columns[0]),
              panels = all < panels_max ? all : panels_max;
    find_columns(p->table, ".min", p->columns[1]);
    slip_album_figure(p->album, "branch")->stacked = true;
    slip_album_title_part(p->album, panels, all, "coordinates");
    for (int k = 0; k < panels; k++) {
        const int high = p->columns[0][k], low = p->columns[1][k];
        slip_album_panel(
            p->album, slip_album_column(p->album, &p->table->columns[1]),
            slip_album_label(p->album, "extremes of", name_of(p, high), p->table->columns[high].unit));
        for (int kind = 0; kind < 4; kind++)
            add_curve(p, kind % 2 ? low : high, kind < 2, 1, INFINITY,
                      kind == 0   ? "stable"
                      : kind == 2 ? "unstable"
                                  : NULL)
                ->color = kind < 2 ? 1 : 2;
        add_notes(p, high);
    }
}

/* ---- Responses. */

/* Chooses the probes of bodies or, without probes, the coordinates with the largest amplitudes, in the order
 * of the table. *label says how many of how many are drawn. */
static int choose(points *p, int *columns, const char **label)
{
    const int *all = p->columns[0];
    int count = find_columns(p->table, ".amplitude", p->columns[0]);
    const int coordinates = find_columns(p->table, ".max", p->columns[1]);
    double *largest = slip_album_numbers(p->album, count);
    if (count > coordinates) {
        all += coordinates;
        count -= coordinates;
    }
    for (int k = 0; k < count && largest; k++)
        largest[k] = slip_range_of(p->table->columns[all[k]].values, p->table->count).high;
    const int kept = largest ? slip_album_largest(largest, count, coordinates_max, columns) : 0;
    for (int k = 0; k < kept; k++)
        columns[k] = all[columns[k]];
    *label = slip_album_label(p->album, "amplitude", slip_album_part(p->album, kept, count), NULL);
    return kept;
}

static void add_response(points *p, const int *columns, int count, const char *label)
{
    slip_axis_range lags = {INFINITY, -INFINITY, false, false};
    slip_album_figure(p->album, "response")->stacked = true;
    for (int k = 0; k < count; k++) {
        const double *lag = p->table->columns[columns[k] + 1].values;
        slip_range_widen(&lags, lag, lag, p->table->count);
    }
    for (int lag = 0; lag < 2; lag++) {
        slip_panel *panel = slip_album_panel(p->album, slip_album_column(p->album, &p->table->columns[1]),
                                             lag ? "lag [°]" : label);
        for (int k = 0; k < 2 * count; k++) {
            const bool stable = k % 2 == 0;
            add_curve(p, columns[k / 2] + lag, stable, lag ? degrees : 1, lag ? 180 : INFINITY,
                      count == 1 ? (stable ? "stable" : "unstable")
                      : stable   ? name_of(p, columns[k / 2])
                                 : NULL)
                ->color = count == 1 ? 1 + k : 1 + k / 2;
        }
        if (lag && lags.high - lags.low > 60 / degrees) {
            panel->y_high = degrees * lags.high > 180 ? 360 : 180;
            panel->y_step = panel->y_high / 4;
        }
        if (!lag)
            add_notes(p, columns[0]);
    }
}

/* Curves over two parameters: the second over the first, and the amplitudes of forced motions. */
static void add_curves(points *p, const int *columns, int count, const char *label)
{
    slip_album_figure(p->album, "curve")->stacked = true;
    slip_album_panel(p->album, p->table->columns[1].name, p->table->columns[2].name);
    add_curve(p, 2, true, 1, INFINITY, NULL);
    if (count > 0)
        slip_album_panel(p->album, p->table->columns[1].name, label);
    for (int k = 0; k < count; k++)
        add_curve(p, columns[k], true, 1, INFINITY, count > 1 ? name_of(p, columns[k]) : NULL);
}

int slip_branch_draw(slip_album *a)
{
    points p = {.album = a, .result = a->result, .table = &a->result->main};
    const char *label;
    int columns[coordinates_max];
    if (p.table->count < 1 || p.table->column_count < 5)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE, "%s: there are no points to draw", a->folder);
    p.branch = p.table->columns[0].values;
    p.value = p.table->columns[1].values;
    p.curve = strcmp(p.table->columns[2].name, "period") != 0;
    p.stable = p.table->columns[p.curve ? 4 : 3].values;
    for (int k = 0; k < 2; k++) {
        p.columns[k] = slip_arena_array(&a->arena, p.table->column_count, sizeof *p.columns[k]);
        SLIP_PASS(slip_allocated(a->ctx, p.columns[k]));
    }
    const int count = choose(&p, columns, &label);
    if (p.curve) {
        add_curves(&p, columns, count, label);
        return SLIP_OK;
    }
    add_extrema(&p);
    if (count > 0)
        add_response(&p, columns, count, label);
    return SLIP_OK;
}
