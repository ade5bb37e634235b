/* Tables of x, y, pressure: a grid of cells with bilinear pressure where the rows form one (every x with
 * every y), otherwise point loads in proportion to the pressure. */
#include "patch/patch.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct row {
    double x, y, p;
} row;

typedef struct box {
    double low[2], high[2];
} box;

static int by_y(const void *left, const void *right)
{
    const row *a = left, *b = right;
    return (a->y > b->y) - (a->y < b->y);
}

static int by_x(const void *left, const void *right)
{
    const row *a = left, *b = right;
    return (a->x > b->x) - (a->x < b->x);
}

static int check_rows(slip_context *ctx, const slip_patch_options *o, box *around)
{
    double total = 0;
    if (!o->points || o->point_count < 2)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "area: a table of %d rows: expected 2 or more rows x, y, pressure", o->point_count);
    if (strcmp(o->pressure, "uniform") != 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: a table brings its own pressure, `%s` cannot be given",
                         o->pressure);
    *around = (box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int i = 0; i < o->point_count; i++) {
        const double *p = o->points + 3 * (size_t)i;
        if (!isfinite(p[0]) || !isfinite(p[1]) || !(p[2] >= 0) || !isfinite(p[2]))
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "area: row %d of the table is %g, %g, %g: expected finite numbers and pressure >= 0", i + 1,
                p[0], p[1], p[2]);
        total += p[2];
        for (int k = 0; k < 2; k++) {
            around->low[k] = fmin(around->low[k], p[k]);
            around->high[k] = fmax(around->high[k], p[k]);
        }
    }
    if (!(total > 0))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: all pressures of the table are 0");
    return SLIP_OK;
}

/* Sorts the rows line by line. Returns the number of columns of a full grid, or 0. Coordinates agree when
 * they do to 1e-9 of the box. */
static int sort_grid(row *rows, int count, const box *around)
{
    double tolerance_x = 1e-9 * (around->high[0] - around->low[0]);
    double tolerance_y = 1e-9 * (around->high[1] - around->low[1]);
    int columns = 0;
    qsort(rows, (size_t)count, sizeof *rows, by_y);
    while (columns < count && rows[columns].y - rows[0].y <= tolerance_y)
        columns++;
    if (columns < 2 || columns == count || count % columns != 0)
        return 0;
    for (int i = 0; i < count; i += columns) {
        if (rows[i + columns - 1].y - rows[i].y > tolerance_y ||
            (i > 0 && rows[i].y - rows[i - 1].y <= tolerance_y))
            return 0;
        qsort(rows + i, (size_t)columns, sizeof *rows, by_x);
        for (int k = 0; k < columns; k++)
            if (fabs(rows[i + k].x - rows[k].x) > tolerance_x ||
                (k > 0 && rows[i + k].x - rows[i + k - 1].x <= tolerance_x))
                return 0;
    }
    return columns;
}

/* The integral of a bilinear function over its cell is the mean of the corners times the area. */
static double grid_total(const slip_patch *patch)
{
    double total = 0;
    int n = patch->columns;
    for (int k = 0; k + 1 < patch->rows; k++)
        for (int i = 0; i + 1 < n; i++) {
            const double *p = patch->grid_p + k * n + i;
            total += (p[0] + p[1] + p[n] + p[n + 1]) / 4 * (patch->grid_x[i + 1] - patch->grid_x[i]) *
                     (patch->grid_y[k + 1] - patch->grid_y[k]);
        }
    return total;
}

static int make_grid(slip_context *ctx, const row *rows, int count, int columns, slip_patch *patch)
{
    static const int points[2] = {6, 4};
    patch->load = SLIP_PATCH_GRID;
    patch->columns = columns;
    patch->rows = count / columns;
    patch->grid_x = slip_alloc(columns, sizeof(double));
    patch->grid_y = slip_alloc(patch->rows, sizeof(double));
    patch->grid_p = slip_alloc(count, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, patch->grid_x && patch->grid_y && patch->grid_p));
    for (int i = 0; i < columns; i++)
        patch->grid_x[i] = rows[i].x / patch->size - patch->region.pole[0];
    for (int k = 0; k < patch->rows; k++)
        patch->grid_y[k] = rows[k * columns].y / patch->size - patch->region.pole[1];
    for (int i = 0; i < count; i++)
        patch->grid_p[i] = rows[i].p;
    double total = grid_total(patch);
    for (int i = 0; i < count; i++)
        patch->grid_p[i] /= total;
    for (int i = 0; i < 2; i++)
        slip_rule_legendre(&patch->cell_rules[i], points[i]);
    patch->region.polygon = true;
    patch->region.corner_count = 4;
    patch->region.density = slip_density_bilinear;
    slip_rule_legendre(&patch->region.near_rule, 3);
    slip_rule_legendre(&patch->region.far_rule, 14);
    return SLIP_OK;
}

static int make_points(slip_context *ctx, const row *rows, int count, slip_patch *patch)
{
    double total = 0;
    patch->load = SLIP_PATCH_POINTS;
    patch->point_x = slip_alloc(count, sizeof(double));
    patch->point_y = slip_alloc(count, sizeof(double));
    patch->point_p = slip_alloc(count, sizeof(double));
    SLIP_PASS(slip_allocated(ctx, patch->point_x && patch->point_y && patch->point_p));
    for (int i = 0; i < count; i++)
        total += rows[i].p;
    for (int i = 0; i < count; i++) {
        patch->point_x[i] = rows[i].x / patch->size - patch->region.pole[0];
        patch->point_y[i] = rows[i].y / patch->size - patch->region.pole[1];
        patch->point_p[i] = rows[i].p / total;
    }
    patch->point_count = count;
    return SLIP_OK;
}

/* Removes rows without pressure, which are needed as corners of a grid but have no meaning as point loads. */
static int drop_unloaded(row *rows, int count, box *around)
{
    int loaded = 0;
    for (int i = 0; i < count; i++)
        if (rows[i].p != 0)
            rows[loaded++] = rows[i];
    *around = (box){{rows[0].x, rows[0].y}, {rows[0].x, rows[0].y}};
    for (int i = 1; i < loaded; i++) {
        const double at[2] = {rows[i].x, rows[i].y};
        for (int k = 0; k < 2; k++) {
            around->low[k] = fmin(around->low[k], at[k]);
            around->high[k] = fmax(around->high[k], at[k]);
        }
    }
    return loaded;
}

/* Farther from the origin the distance between two loads has no correct digit. */
static const double most_sizes_away = 1e14;

/* The centre of point loads, about which velocities and moments are computed. A point with nearly all of the
 * load may be many sizes away from the middle of the box; about the middle its velocity would lose digits by
 * cancellation with the spin. */
static void find_centre(const row *rows, int count, double centre[2])
{
    double total = 0;
    centre[0] = centre[1] = 0;
    for (int i = 0; i < count; i++) {
        total += rows[i].p;
        centre[0] += rows[i].p * rows[i].x;
        centre[1] += rows[i].p * rows[i].y;
    }
    centre[0] /= total;
    centre[1] /= total;
}

/* Size and area of the box; the pole is given. */
static int set_scale(slip_context *ctx, const slip_patch_options *o, const box *around, const double pole[2],
                     slip_patch *patch)
{
    const double width = around->high[0] - around->low[0], height = around->high[1] - around->low[1];
    patch->area = width * height;
    const double natural = patch->area > 0 ? sqrt(patch->area / pi) : fmax(width, height) / 2;
    patch->size = isnan(o->size) ? natural : o->size;
    if (!(natural > 0))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "area: the table's load sits in one point, which resists no spin; expected two or more");
    if (!(patch->size > 0) || !isfinite(patch->size))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "area: size %g: expected a positive number", patch->size);
    for (int k = 0; k < 2; k++) {
        patch->region.pole[k] = pole[k] / patch->size;
        if (!(fabs(patch->region.pole[k]) < most_sizes_away))
            return slip_fail(
                ctx, SLIP_ERROR_MODEL,
                "area: the table's loads are %.9g apart and %.9g from the origin, so that rounding "
                "decides where they are; expected coordinates from a point nearer to them",
                2 * natural, fabs(around->high[k]));
    }
    return SLIP_OK;
}

/* The rows with pressures below 1, times a power of two: pressures of any size have a sum. */
static void copy_rows(const slip_patch_options *o, row *rows)
{
    double most = 0;
    int exponent;
    for (int i = 0; i < o->point_count; i++)
        most = fmax(most, o->points[3 * (size_t)i + 2]);
    frexp(most, &exponent);
    for (int i = 0; i < o->point_count; i++) {
        const double *p = o->points + 3 * (size_t)i;
        rows[i] = (row){p[0], p[1], ldexp(p[2], -exponent)};
    }
}

int slip_patch_table_area(slip_context *ctx, const slip_patch_options *o, slip_patch *patch)
{
    box around = {{0, 0}, {0, 0}};
    double pole[2];
    SLIP_FREED row *rows = slip_alloc(o->point_count, sizeof *rows);
    int count = o->point_count, columns;
    SLIP_PASS(slip_allocated(ctx, rows));
    SLIP_PASS(check_rows(ctx, o, &around));
    copy_rows(o, rows);
    columns = sort_grid(rows, count, &around);
    for (int k = 0; k < 2; k++)
        pole[k] = (around.low[k] + around.high[k]) / 2;
    if (columns == 0) {
        count = drop_unloaded(rows, count, &around);
        find_centre(rows, count, pole);
    }
    SLIP_PASS(set_scale(ctx, o, &around, pole, patch));
    return columns > 0 ? make_grid(ctx, rows, count, columns, patch) : make_points(ctx, rows, count, patch);
}

int slip_patch_cell_count(const slip_patch *patch)
{
    return patch->load == SLIP_PATCH_GRID ? (patch->columns - 1) * (patch->rows - 1) : 1;
}

void slip_patch_cell(const slip_patch *patch, int index, slip_region *cell, double *corners)
{
    int n = patch->columns, i, k;
    double x0, x1, y0, y1, dx, dy;
    *cell = patch->region;
    if (patch->load != SLIP_PATCH_GRID)
        return;
    i = index % (n - 1);
    k = index / (n - 1);
    const double *p = patch->grid_p + k * n + i;
    x0 = patch->grid_x[i];
    x1 = patch->grid_x[i + 1];
    y0 = patch->grid_y[k];
    y1 = patch->grid_y[k + 1];
    dx = x1 - x0;
    dy = y1 - y0;
    memcpy(corners, (double[8]){x0, y0, x1, y0, x1, y1, x0, y1}, 8 * sizeof *corners);
    cell->corners = corners;
    cell->centre[0] = (x0 + x1) / 2;
    cell->centre[1] = (y0 + y1) / 2;
    cell->reach = hypot(dx, dy) / 2;
    cell->coefficients[0] = (p[0] + p[1] + p[n] + p[n + 1]) / 4;
    cell->coefficients[1] = (p[1] + p[n + 1] - p[0] - p[n]) / (2 * dx);
    cell->coefficients[2] = (p[n] + p[n + 1] - p[0] - p[1]) / (2 * dy);
    cell->coefficients[3] = (p[0] + p[n + 1] - p[1] - p[n]) / (dx * dy);
    cell->closed = slip_polygon_closed(cell);
}
