/* Pictures of basins: cells of a colour for each attractor over two axes, or the places that are reached over
 * one. */
#include "figure/album.h"
#include "io/json.h"
#include "study/basin/basin.h"

#include <math.h>

enum { colors = 8, levels_max = 13, columns_first = 1 };

typedef struct picture {
    const slip_table *table;
    int axis_count, refine;
    slip_axis axes[2];
    bool labelled[colors];
} picture;

/* The level of refinement at which this run was added to the grid. */
static int level_of(const picture *p, int64_t run)
{
    const int64_t at[2] = {run / p->axes[1].count, run % p->axes[1].count};
    int level = 0;
    for (int k = 0; k < 2; k++)
        for (int fine = 0; p->axes[k].count > 1 && fine < p->refine; fine++)
            if (at[k] >> fine & 1) {
                level = level > p->refine - fine ? level : p->refine - fine;
                break;
            }
    return level;
}

static double cell_of(const slip_axis *axis, int refine, int level)
{
    const double step = axis->count > 1 ? (axis->to - axis->from) / (double)(axis->count - 1) : 1;
    /* with about a pixel more, so that no seam shows */
    return fabs(step) * (double)(INT64_C(1) << (refine - level)) + 1e-3 * fabs(axis->to - axis->from);
}

/* The starts of one level that lead to one attractor. Of the attractors beyond the colours the last one
 * stands for all. */
static void add_curve(slip_album *a, picture *p, int attractor, int level)
{
    const slip_table *table = p->table;
    const bool map = p->axis_count == 2, cells = map && !p->axes[0].logarithmic && !p->axes[1].logarithmic;
    const slip_column *of = &table->columns[columns_first + p->axis_count];
    const int last = of->word_count < colors ? of->word_count : colors;
    const double *x = table->columns[columns_first].values,
                 *y = (map ? &table->columns[columns_first + 1] : of + SLIP_BASIN_STATE)->values;
    slip_pen pen = slip_album_pen(a, table->count);
    for (int64_t row = 0; row < table->count; row++) {
        const int word = (int)of->values[row] < last ? (int)of->values[row] : last - 1;
        if (word == attractor && (!map || level_of(p, (int64_t)table->columns[0].values[row] - 1) == level))
            slip_pen_to(&pen, x[row], y[row]);
    }
    if (pen.count == 0)
        return;
    const char *name = attractor == colors - 1 && of->word_count > colors ? "others"
                       : of->words[attractor][0]                          ? of->words[attractor]
                                                                          : "failed";
    slip_curve *curve = slip_pen_curve(&pen, p->labelled[attractor] ? NULL : name);
    curve->color = attractor + 1;
    curve->style = cells ? SLIP_CURVE_CELLS : SLIP_CURVE_POINTS;
    for (int k = 0; k < 2; k++)
        curve->cell[k] = cell_of(&p->axes[k], p->refine, level);
    p->labelled[attractor] = true;
}

/* ---- Labels without rows: a map of at most so many cells along each axis. */

enum { cells_most = 800 };

static void add_labels(slip_album *a, picture *p, const slip_column *names, const int16_t *labels,
                       int attractor)
{
    const int last = names->word_count < colors ? names->word_count : colors;
    int64_t step[2];
    for (int k = 0; k < 2; k++)
        step[k] = (p->axes[k].count + cells_most - 1) / cells_most;
    slip_pen pen = slip_album_pen(a, (p->axes[0].count / step[0] + 1) * (p->axes[1].count / step[1] + 1));
    for (int64_t i = 0; i < p->axes[0].count; i += step[0])
        for (int64_t j = 0; j < p->axes[1].count; j += step[1]) {
            const int label = labels[i * p->axes[1].count + j];
            if (label >= 0 && (label < last ? label : last - 1) == attractor)
                slip_pen_to(&pen, slip_axis_value(&p->axes[0], i), slip_axis_value(&p->axes[1], j));
        }
    if (pen.count == 0)
        return;
    slip_curve *curve = slip_pen_curve(
        &pen, attractor == colors - 1 && names->word_count > colors ? "others" : names->words[attractor]);
    curve->color = attractor + 1;
    curve->style = p->axes[0].logarithmic || p->axes[1].logarithmic ? SLIP_CURVE_POINTS : SLIP_CURVE_CELLS;
    for (int k = 0; k < 2; k++)
        curve->cell[k] = (double)step[k] * cell_of(&p->axes[k], 0, 0);
}

static int draw_labels(slip_album *a, picture *p, const slip_json *summary)
{
    const slip_json *axis = slip_json_find(summary, "axes"), *first = axis ? axis->child : NULL,
                    *second = first ? first->next : NULL;
    const slip_table *attractors = slip_result_table(a->result, "attractors");
    const slip_sweep_info info = {.axes = p->axes,
                                  .axis_count = p->axis_count,
                                  .runs = (int64_t)slip_json_get(summary, "runs"),
                                  .lines = true};
    if (p->axis_count != 2 || !attractors || slip_json_find(first, "list") ||
        slip_json_find(second, "list") || info.runs != p->axes[0].count)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE,
                         "%s: pictures of labels are of two axes that are ranges; basin.csv has them all",
                         a->folder);
    SLIP_FREED int16_t *labels = slip_basin_read_lines(&info, p->table);
    SLIP_PASS(slip_allocated(a->ctx, labels));
    slip_album_figure(a, "basin");
    const slip_column y = {.name = (char *)slip_json_find(second, "name")->string, .unit = (char *)""};
    slip_panel *panel = slip_album_columns(a, &p->table->columns[columns_first], &y);
    panel->log_x = p->axes[0].logarithmic && p->axes[0].from > 0;
    panel->log_y = p->axes[1].logarithmic && p->axes[1].from > 0;
    for (int k = 0; k < attractors->columns[0].word_count && k < colors; k++)
        add_labels(a, p, &attractors->columns[0], labels, k);
    return SLIP_OK;
}

int slip_basin_draw(slip_album *a)
{
    picture p = {.table = &a->result->main};
    const slip_json *summary;
    SLIP_PASS(slip_sweep_axes(a, p.axes, &p.axis_count, &summary));
    p.refine = (int)slip_json_get(slip_json_find(summary, "settings"), "refine");
    if (p.axis_count < 1 || p.axis_count > 2 || p.refine < 0 || p.refine >= levels_max || p.table->count < 1)
        return slip_fail(a->ctx, SLIP_ERROR_USAGE,
                         "%s: found %d axes; pictures are of one or two axes, basin.csv has it all",
                         a->folder, p.axis_count);
    if (slip_json_is(summary, "lines"))
        return draw_labels(a, &p, summary);
    const slip_column *of = &p.table->columns[columns_first + p.axis_count];
    slip_album_figure(a, "basin");
    slip_panel *panel = slip_album_columns(a, &p.table->columns[columns_first],
                                           p.axis_count == 2 ? of - 1 : of + SLIP_BASIN_STATE);
    panel->log_x = p.axes[0].logarithmic && p.axes[0].from > 0;
    panel->log_y = p.axis_count == 2 && p.axes[1].logarithmic && p.axes[1].from > 0;
    for (int level = 0; level <= (p.axis_count == 2 ? p.refine : 0); level++)
        for (int k = 0; k < of->word_count && k < colors; k++)
            add_curve(a, &p, k, level);
    return SLIP_OK;
}
