#include "result/thin.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

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

static void mark_pieces(const double *y, int64_t count, unsigned char *keep)
{
    enum { pieces = 2000 };
    for (int64_t k = 0; k < pieces; k++) {
        int64_t first = count / pieces * k + count % pieces * k / pieces;
        int64_t end = count / pieces * (k + 1) + count % pieces * (k + 1) / pieces;
        extent e = extent_of(y, first, end);
        if (first < end)
            keep[first] = keep[end - 1] = keep[e.low_at] = keep[e.high_at] = 1;
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
 * not turn back. `scale` makes x and y comparable. Returns the number of points kept; marks when keep is not
 * NULL. */
static int64_t walk(const double *x, const double *y, int64_t count, vector scale, double tolerance,
                    unsigned char *keep)
{
    int64_t anchor = 0, kept = 1;
    double reach = 0;
    vector left = {0, 0}, right = {0, 0};
    if (keep)
        keep[0] = 1;
    for (int64_t i = 1; i < count; i++) {
        vector d = {(x[i] - x[anchor]) * scale.x, (y[i] - y[anchor]) * scale.y};
        double r = sqrt(d.x * d.x + d.y * d.y), sine = tolerance / r, cosine;
        bool open = reach > 0, good = isfinite(r);
        if (good && open && (r < reach - tolerance || cross(right, d) < 0 || cross(d, left) < 0))
            good = false;
        if (!good) {
            anchor = i > anchor + 1 ? i - 1 : i;
            kept++;
            if (keep)
                keep[anchor] = 1;
            reach = 0;
            i = anchor;
            continue;
        }
        if (r <= tolerance)
            continue;
        cosine = sqrt(1 - sine * sine);
        vector to_left = {d.x * cosine - d.y * sine, d.x * sine + d.y * cosine};
        vector to_right = {d.x * cosine + d.y * sine, d.y * cosine - d.x * sine};
        if (!open || cross(left, to_left) < 0)
            left = to_left;
        if (!open || cross(right, to_right) > 0)
            right = to_right;
        reach = r > reach ? r : reach;
    }
    if (keep)
        keep[count - 1] = 1;
    return kept;
}

static void mark_path(const double *x, const double *y, int64_t count, unsigned char *keep)
{
    enum { most = 60000 };
    extent ex = extent_of(x, 0, count), ey = extent_of(y, 0, count);
    vector scale = {ex.high > ex.low ? 1 / (ex.high - ex.low) : 0,
                    ey.high > ey.low ? 1 / (ey.high - ey.low) : 0};
    double tolerance = 1.0 / 6000;
    while (tolerance < 0.01 && walk(x, y, count, scale, tolerance, NULL) > most)
        tolerance *= 2;
    walk(x, y, count, scale, tolerance, keep);
    keep[ex.low_at] = keep[ex.high_at] = keep[ey.low_at] = keep[ey.high_at] = 1;
}

void slip_thin_mark(const double *x, const double *y, int64_t count, unsigned char *keep)
{
    if (count <= slip_thin_limit) {
        for (int64_t i = 0; i < count; i++)
            keep[i] = 1;
    } else if (rises(x, count)) {
        mark_pieces(y, count, keep);
    } else {
        mark_path(x, y, count, keep);
    }
}
