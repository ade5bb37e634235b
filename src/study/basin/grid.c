/* The grid of starts: its cells, which of them are divided, and the volume of each attractor.
 *
 * A cell lies between neighbours along the axes that are ranges. Axes that are lists or have a single value
 * divide the grid into slices, which are independent of each other. On a grid that is refined, neighbours of
 * the first level are 2^refine runs apart; a cell is divided where the run in its middle was asked for. */
#include "study/basin/basin.h"

#include <math.h>

enum { dimensions_max = 8, corners_max = 1 << dimensions_max };

/* The axes that are ranges: their counts, and how far their neighbours are apart in the numbers of runs. */
typedef struct grid {
    int dimensions;
    int64_t count[dimensions_max], stride[dimensions_max];
    int64_t slices; /* values of the other axes */
    int64_t slice_count[dimensions_max], slice_stride[dimensions_max];
    int slice_dimensions;
} grid;

static bool make_grid(const slip_axis *axes, int axis_count, grid *g)
{
    int64_t stride = 1;
    *g = (grid){.slices = 1};
    for (int k = axis_count - 1; k >= 0; k--) {
        const bool range = !axes[k].list && axes[k].count > 1;
        if ((range ? g->dimensions : g->slice_dimensions) == dimensions_max)
            return false;
        if (range) {
            g->count[g->dimensions] = axes[k].count;
            g->stride[g->dimensions++] = stride;
        } else {
            g->slice_count[g->slice_dimensions] = axes[k].count;
            g->slice_stride[g->slice_dimensions++] = stride;
            g->slices *= axes[k].count;
        }
        stride *= axes[k].count;
    }
    return true;
}

/* The first run of a slice. */
static int64_t slice_origin(const grid *g, int64_t slice)
{
    int64_t at = 0;
    for (int d = 0; d < g->slice_dimensions; d++) {
        at += slice % g->slice_count[d] * g->slice_stride[d];
        slice /= g->slice_count[d];
    }
    return at;
}

static int64_t cell_count(const grid *g, int64_t width)
{
    int64_t cells = 1;
    for (int d = 0; d < g->dimensions; d++)
        cells *= (g->count[d] - 1) / width;
    return cells;
}

/* The lowest corner of a cell of a slice. */
static int64_t cell_origin(const grid *g, int64_t width, int64_t cell)
{
    int64_t at = 0;
    for (int d = 0; d < g->dimensions; d++) {
        const int64_t cells = (g->count[d] - 1) / width;
        at += cell % cells * width * g->stride[d];
        cell /= cells;
    }
    return at;
}

/* Point `k` of the 3^d points of a cell: corners, middles of edges and so on. */
static int64_t point_of(const grid *g, int64_t origin, int64_t half, int k)
{
    for (int d = 0; d < g->dimensions; d++, k /= 3)
        origin += k % 3 * half * g->stride[d];
    return origin;
}

static int point_count(const grid *g)
{
    int count = 1;
    for (int d = 0; d < g->dimensions; d++)
        count *= 3;
    return count;
}

/* ---- What is asked for. */

void slip_basin_open_grid(slip_sweep_job *job, int refine)
{
    const int64_t width = INT64_C(1) << refine;
    grid g;
    if (!make_grid(job->options.axes, job->options.axis_count, &g))
        return;
    for (int64_t at = 0; at < job->run_count; at++) {
        bool asked = true;
        for (int d = 0; d < g.dimensions; d++)
            asked = asked && at / g.stride[d] % g.count[d] % width == 0;
        if (!asked && job->runs[at].state == SLIP_SWEEP_OPEN)
            job->runs[at].state = SLIP_SWEEP_UNASKED;
    }
}

/* Whether the known points of the cell (corners and others) lead to different attractors. */
static bool differs(const grid *g, int64_t origin, int64_t half, const int16_t *label)
{
    const int points = point_count(g);
    int first = -2;
    for (int k = 0; k < points; k++) {
        const int one = label[point_of(g, origin, half, k)];
        if (one != -2 && first != -2 && one != first)
            return true;
        first = one != -2 ? one : first;
    }
    return false;
}

/* Whether the cell of this width exists: it is one of the first, or its parent has a run in its middle. */
static bool is_there(const grid *g, int64_t origin, int64_t width, const int16_t *label)
{
    for (int k = 0; k < 1 << g->dimensions; k++) {
        int64_t at = origin;
        for (int d = 0; d < g->dimensions; d++)
            at += (k >> d & 1) * width * g->stride[d];
        if (label[at] == -2)
            return false;
    }
    return true;
}

int64_t slip_basin_open_cells(slip_sweep_job *job, int level, const int16_t *label)
{
    const int64_t width = INT64_C(1) << level, half = width / 2;
    int64_t opened = 0;
    grid g;
    if (!make_grid(job->options.axes, job->options.axis_count, &g))
        return 0;
    for (int64_t slice = 0; slice < g.slices; slice++)
        for (int64_t cell = 0; cell < cell_count(&g, width); cell++) {
            const int64_t origin = slice_origin(&g, slice) + cell_origin(&g, width, cell);
            if (!is_there(&g, origin, width, label) || !differs(&g, origin, half, label))
                continue;
            for (int k = 0; k < point_count(&g); k++) {
                slip_sweep_run *run = &job->runs[point_of(&g, origin, half, k)];
                opened += run->state == SLIP_SWEEP_UNASKED;
                if (run->state == SLIP_SWEEP_UNASKED)
                    run->state = SLIP_SWEEP_OPEN;
            }
        }
    return opened;
}

/* ---- Volumes. */

typedef struct measure {
    const grid *g;
    const int16_t *label;
    slip_attractor *list;
    double known; /* the volume of all cells whose corners are known */
} measure;

/* A cell whose corners differ gives each attractor a share of its volume. The error of a share is taken as
 * uniformly distributed between plus and minus half of the volume: its variance is a twelfth of the
 * square. */
static void add_cell(measure *s, int64_t origin, int64_t width, double volume)
{
    const grid *g = s->g;
    const int corners = 1 << g->dimensions;
    int labels[corners_max], mixed = 0;
    if (width > 1 && s->label[point_of(g, origin, width / 2, (point_count(g) - 1) / 2)] != -2) {
        for (int k = 0; k < corners; k++) {
            int64_t at = origin;
            for (int d = 0; d < g->dimensions; d++)
                at += (k >> d & 1) * (width / 2) * g->stride[d];
            add_cell(s, at, width / 2, volume / corners);
        }
        return;
    }
    for (int k = 0; k < corners; k++) {
        int64_t at = origin;
        for (int d = 0; d < g->dimensions; d++)
            at += (k >> d & 1) * width * g->stride[d];
        labels[k] = s->label[at];
        if (labels[k] == -2)
            return;
        mixed += labels[k] != labels[0];
    }
    s->known += volume;
    for (int k = 0; k < corners; k++) {
        bool first = labels[k] >= 0;
        for (int i = 0; i < k; i++)
            first = first && labels[i] != labels[k];
        if (labels[k] >= 0)
            s->list[labels[k]].fraction += volume / corners;
        if (first && mixed > 0)
            s->list[labels[k]].error += volume * volume / 12;
    }
}

void slip_basin_measure(const slip_sweep_info *info, int refine, const int16_t *label, slip_attractor *list,
                        int count)
{
    const int64_t width = INT64_C(1) << refine;
    double starts = 0;
    grid g;
    const bool cells = make_grid(info->axes, info->axis_count, &g) && g.dimensions > 0;
    measure s = {.g = &g, .label = label, .list = list};
    for (int64_t slice = 0; cells && slice < g.slices; slice++)
        for (int64_t cell = 0; cell < cell_count(&g, width); cell++)
            add_cell(&s, slice_origin(&g, slice) + cell_origin(&g, width, cell), width, 1);
    for (int64_t at = 0; at < slip_basin_starts(info); at++)
        starts += label[at] != -2;
    for (int k = 0; k < count; k++) {
        slip_attractor *a = &list[k];
        const double share = (double)a->count / starts;
        a->fraction = s.known > 0 ? a->fraction / s.known : share;
        a->error = s.known > 0 ? sqrt(a->error) / s.known : sqrt(share * (1 - share) / starts);
    }
}
