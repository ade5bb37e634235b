#include "study/patch/map.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

enum { across_max = 64, along_count = 49, outline_points = 361 };

/* ---- filling the surface ---- */

typedef struct maker {
    const slip_patch *patch;
    double *x, *y, *z;
    int64_t capacity, count; /* of points */
    int columns;
} maker;

static bool open_maker(maker *m, slip_arena *arena, int64_t rows, int columns)
{
    m->columns = columns;
    m->capacity = rows * columns;
    m->x = slip_arena_array(arena, m->capacity, sizeof(double));
    m->y = slip_arena_array(arena, m->capacity, sizeof(double));
    m->z = slip_arena_array(arena, m->capacity, sizeof(double));
    return m->x && m->y && m->z;
}

static void add_point(maker *m, double x, double y, double z)
{
    m->x[m->count] = x;
    m->y[m->count] = y;
    m->z[m->count++] = z;
}

/* Between pieces that do not hang together. */
static void add_gap(maker *m)
{
    for (int j = 0; j < m->columns; j++)
        add_point(m, NAN, NAN, NAN);
}

static slip_figure_surface close_maker(const maker *m)
{
    return (slip_figure_surface){
        .x = m->x, .y = m->y, .z = m->z, .rows = (int)(m->count / m->columns), .columns = m->columns};
}

/* ---- one region, by lines x = const: between two of the offsets where something changes, the chords do not
 * change in number. Points are denser towards all ends, where pressures are steepest. ---- */

static double towards_ends(int i, int count)
{
    return -cos(pi * i / (count - 1)) * (1 - 1e-9);
}

static int chord_count(const slip_region *region, double x, double *ends)
{
    const slip_line line = {x, 0, 0, 1};
    return slip_region_chords(region, &line, ends);
}

static void add_piece(maker *m, const double slab[2], int rows, int chord)
{
    const slip_region *region = &m->patch->region;
    double ends[slip_region_ends_max], size = m->patch->size, per_area = 1 / (size * size);
    for (int i = 0; i < rows; i++) {
        double x = (slab[0] + slab[1]) / 2 + (slab[1] - slab[0]) / 2 * towards_ends(i, rows);
        if (chord >= chord_count(region, x, ends)) {
            add_gap(m);
            continue;
        }
        const double *c = ends + 2 * (size_t)chord;
        for (int j = 0; j < along_count; j++) {
            double y = (c[0] + c[1]) / 2 + (c[1] - c[0]) / 2 * towards_ends(j, along_count);
            add_point(m, x * size, y * size, per_area * region->density(region, x, y));
        }
    }
    add_gap(m);
}

static int slab_rows(const double slab[2], double width)
{
    double rows = ceil(across_max * (slab[1] - slab[0]) / width);
    return rows > 3 ? (int)rows : 3;
}

static bool map_region(slip_arena *arena, maker *m)
{
    const slip_region *region = &m->patch->region;
    double offsets[slip_region_breaks_max], ends[slip_region_ends_max];
    int count = slip_region_offsets(region, offsets);
    int64_t rows = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && !open_maker(m, arena, rows, along_count))
            return false;
        for (int k = 0; k + 1 < count; k++) {
            const double slab[2] = {offsets[k], offsets[k + 1]};
            int chords = chord_count(region, (slab[0] + slab[1]) / 2, ends);
            int own = slab_rows(slab, offsets[count - 1] - offsets[0]);
            rows += pass == 0 ? (int64_t)chords * (own + 1) : 0;
            for (int c = 0; c < chords && pass == 1 && slab[1] > slab[0]; c++)
                add_piece(m, slab, own, c);
        }
    }
    return true;
}

/* ---- tables ---- */

static bool map_grid(slip_arena *arena, maker *m)
{
    const slip_patch *p = m->patch;
    double per_area = 1 / (p->size * p->size);
    if (!open_maker(m, arena, p->rows, p->columns))
        return false;
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < p->columns; j++)
            add_point(m, p->grid_x[j] * p->size, p->grid_y[i] * p->size,
                      p->grid_p[(int64_t)i * p->columns + j] * per_area);
    return true;
}

static bool map_points(slip_arena *arena, maker *m)
{
    const slip_patch *p = m->patch;
    double half = 0.2 * sqrt(p->area / p->point_count);
    if (!open_maker(m, arena, 3 * (int64_t)p->point_count, 2))
        return false;
    for (int i = 0; i < p->point_count; i++) {
        for (int corner = 0; corner < 4; corner++)
            add_point(m, p->point_x[i] * p->size + (corner / 2 ? half : -half),
                      p->point_y[i] * p->size + (corner % 2 ? half : -half), p->point_p[i]);
        add_gap(m);
    }
    return true;
}

/* ---- outlines ---- */

static slip_patch_outline *new_outline(slip_arena *arena, slip_patch_map *map, int64_t count)
{
    slip_patch_outline *outline = &map->outlines[map->outline_count++];
    outline->count = count;
    outline->x = slip_arena_array(arena, count, sizeof(double));
    outline->y = slip_arena_array(arena, count, sizeof(double));
    return outline->x && outline->y ? outline : NULL;
}

static bool outline_ellipse(slip_arena *arena, slip_patch_map *map, double a, double b)
{
    slip_patch_outline *outline = new_outline(arena, map, outline_points);
    for (int i = 0; outline && i < outline_points; i++) {
        outline->x[i] = a * cos(2 * pi * i / (outline_points - 1));
        outline->y[i] = b * sin(2 * pi * i / (outline_points - 1));
    }
    return outline != NULL;
}

static bool outline_corners(slip_arena *arena, slip_patch_map *map, const double *corners, int count,
                            double size)
{
    slip_patch_outline *outline = new_outline(arena, map, count + 1);
    for (int i = 0; outline && i <= count; i++) {
        outline->x[i] = corners[2 * (i % count)] * size;
        outline->y[i] = corners[2 * (i % count) + 1] * size;
    }
    return outline != NULL;
}

static bool add_outlines(slip_arena *arena, const slip_patch *p, slip_patch_map *map)
{
    const slip_region *r = &p->region;
    if (p->load == SLIP_PATCH_POINTS)
        return true;
    if (p->load == SLIP_PATCH_GRID) {
        double x0 = p->grid_x[0], x1 = p->grid_x[p->columns - 1], y0 = p->grid_y[0],
               y1 = p->grid_y[p->rows - 1];
        const double box[8] = {x0, y0, x1, y0, x1, y1, x0, y1};
        return outline_corners(arena, map, box, 4, p->size);
    }
    if (r->polygon)
        return outline_corners(arena, map, r->corners, r->corner_count, p->size);
    return outline_ellipse(arena, map, r->a * p->size, r->b * p->size) &&
           (!(r->hole > 0) || outline_ellipse(arena, map, r->hole * p->size, r->hole * p->size));
}

static void shift(const slip_patch *p, int64_t count, double *x, double *y)
{
    for (int64_t i = 0; i < count; i++) {
        x[i] += p->region.pole[0] * p->size;
        y[i] += p->region.pole[1] * p->size;
    }
}

int slip_patch_map_make(slip_context *ctx, const slip_patch *patch, slip_arena *arena, slip_patch_map *map)
{
    maker m = {.patch = patch};
    bool good = patch->load == SLIP_PATCH_REGION ? map_region(arena, &m)
                : patch->load == SLIP_PATCH_GRID ? map_grid(arena, &m)
                                                 : map_points(arena, &m);
    SLIP_PASS(slip_allocated(ctx, good && add_outlines(arena, patch, map)));
    shift(patch, m.count, m.x, m.y); /* from the pole to the origin */
    for (int k = 0; k < map->outline_count; k++)
        shift(patch, map->outlines[k].count, map->outlines[k].x, map->outlines[k].y);
    map->surface = close_maker(&m);
    return SLIP_OK;
}
