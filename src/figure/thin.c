#include "figure/thin.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool rises(const double *x, int64_t count)
{
    for (int64_t i = 1; i < count; i++)
        if (!(x[i] >= x[i - 1]))
            return false;
    return true;
}

/* Smallest and largest finite value of [first, end), and where they are (first where there is none). */
typedef struct extent {
    double low, high;
    int64_t low_at, high_at;
} extent;

static extent extent_of(const double *values, int64_t first, int64_t end)
{
    extent e = {INFINITY, -INFINITY, first, first};
    for (int64_t i = first; i < end; i++) {
        if (!isfinite(values[i]))
            continue;
        if (values[i] < e.low) {
            e.low = values[i];
            e.low_at = i;
        }
        if (values[i] > e.high) {
            e.high = values[i];
            e.high_at = i;
        }
    }
    return e;
}

/* Of each of the columns of pixels, in which x rises, the first and last, lowest and highest point. */
static void mark_columns(const double *x, const double *y, int64_t count, unsigned char *keep)
{
    enum { columns = 2000 };
    const double width = (x[count - 1] - x[0]) / columns;
    for (int64_t first = 0, end; first < count; first = end) {
        const double column = width > 0 ? floor((x[first] - x[0]) / width) : 0;
        for (end = first + 1; end < count && !(x[end] > x[0] + (column + 1) * width);)
            end++;
        const extent e = extent_of(y, first, end);
        keep[first] = keep[end - 1] = keep[e.low_at] = keep[e.high_at] = slip_thin_keep;
    }
}

typedef struct vector {
    double x, y;
} vector;

static double cross(vector a, vector b)
{
    return a.x * b.y - a.y * b.x;
}

/* Walks along the curve and leaves out points as long as one straight line from the last kept point passes
 * all of them within `tolerance` (the cone of such directions narrows with each point), and the curve does
 * not turn back. `scale` makes x and y comparable. */
static void walk(const double *x, const double *y, int64_t count, vector scale, unsigned char *keep)
{
    const double tolerance = 1.0 / 6000;
    int64_t anchor = 0;
    double reach = 0;
    vector left = {0, 0}, right = {0, 0};
    keep[0] = keep[count - 1] = slip_thin_keep;
    for (int64_t i = 1; i < count; i++) {
        vector d = {(x[i] - x[anchor]) * scale.x, (y[i] - y[anchor]) * scale.y}, to_left, to_right;
        double r = sqrt(d.x * d.x + d.y * d.y), sine = tolerance / r, cosine;
        bool open = reach > 0, good = isfinite(r);
        if (good && open && (r < reach - tolerance || cross(right, d) < 0 || cross(d, left) < 0))
            good = false;
        if (!good) {
            anchor = i > anchor + 1 ? i - 1 : i;
            keep[anchor] = slip_thin_keep;
            reach = 0;
            i = anchor;
            continue;
        }
        if (r <= tolerance)
            continue;
        cosine = sqrt(1 - sine * sine);
        to_left = (vector){d.x * cosine - d.y * sine, d.x * sine + d.y * cosine};
        to_right = (vector){d.x * cosine + d.y * sine, d.y * cosine - d.x * sine};
        if (!open || cross(left, to_left) < 0)
            left = to_left;
        if (!open || cross(right, to_right) > 0)
            right = to_right;
        reach = r > reach ? r : reach;
    }
}

/* A raster of about the picture's pixels, to see what has been drawn already. A periodic motion goes over its
 * own path a thousand times; gnuplot would take minutes for what the eye sees once. */
enum { raster_size = 1000 };

static bool visit(unsigned char *raster, vector from, vector to)
{
    double dx = to.x - from.x, dy = to.y - from.y;
    int steps = (int)fmax(fabs(dx), fabs(dy)) + 1;
    bool fresh = false;
    for (int k = 0; k <= steps; k++) {
        int column = (int)(from.x + dx * k / steps), row = (int)(from.y + dy * k / steps);
        unsigned char *cell = &raster[row * (raster_size + 1) + column];
        fresh = fresh || !*cell;
        *cell = 1;
    }
    return fresh;
}

/* Of the points kept so far drops those between which nothing new is seen. `extremes` are never dropped. */
static void drop_repeated(const double *x, const double *y, int64_t count, extent ex, extent ey, vector scale,
                          unsigned char *keep, unsigned char *raster)
{
    int64_t before = -1;
    bool drawing = false;
    vector from = {0, 0};
    for (int64_t i = 0; i < count; i++) {
        vector to = {(x[i] - ex.low) * scale.x * raster_size, (y[i] - ey.low) * scale.y * raster_size};
        bool extreme = i == ex.low_at || i == ex.high_at || i == ey.low_at || i == ey.high_at;
        bool segment = before >= 0 && isfinite(to.x) && isfinite(to.y);
        if (!keep[i])
            continue;
        /* An extreme point is drawn with the segments on both of its sides. */
        segment = segment && (visit(raster, from, to) || extreme || before == ex.low_at ||
                              before == ex.high_at || before == ey.low_at || before == ey.high_at);
        if (before >= 0 && !segment)
            keep[before] = drawing ? slip_thin_keep_and_lift : slip_thin_drop;
        drawing = segment;
        before = isfinite(to.x) && isfinite(to.y) ? i : -1;
        if (before < 0)
            keep[i] = slip_thin_drop;
        from = to;
    }
    if (before >= 0 && !drawing)
        keep[before] = slip_thin_drop;
}

static bool mark_path(const double *x, const double *y, int64_t count, unsigned char *keep)
{
    extent ex = extent_of(x, 0, count), ey = extent_of(y, 0, count);
    vector scale = {ex.high > ex.low ? 1 / (ex.high - ex.low) : 0,
                    ey.high > ey.low ? 1 / (ey.high - ey.low) : 0};
    SLIP_FREED unsigned char *raster = slip_alloc((raster_size + 1) * (raster_size + 1), 1);
    if (!raster)
        return false;
    walk(x, y, count, scale, keep);
    keep[ex.low_at] = keep[ex.high_at] = keep[ey.low_at] = keep[ey.high_at] = slip_thin_keep;
    drop_repeated(x, y, count, ex, ey, scale, keep, raster);
    return true;
}

bool slip_thin_mark(const double *x, const double *y, int64_t count, unsigned char *keep)
{
    memset(keep, count <= slip_thin_limit ? slip_thin_keep : slip_thin_drop, (size_t)count);
    if (count <= slip_thin_limit)
        return true;
    if (!rises(x, count))
        return mark_path(x, y, count, keep);
    mark_columns(x, y, count, keep);
    return true;
}
