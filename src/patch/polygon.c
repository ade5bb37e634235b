/* Polygons: area, and whether they are simple. */
#include "patch/area.h"

#include <math.h>
#include <stdio.h>

static double cross(const double *o, const double *a, const double *b)
{
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/* Relative to the first corner, so that a polygon far from the origin loses nothing. */
double slip_polygon_area(const double *corners, int count)
{
    double sum = 0;
    for (int i = 1; i + 1 < count; i++)
        sum += cross(corners, corners + 2 * i, corners + 2 * (i + 1));
    return sum / 2;
}

static double length(const double *a, const double *b)
{
    return hypot(b[0] - a[0], b[1] - a[1]);
}

/* Which side of a-b the point is on, 0 when it is on the line to rounding. */
static int side(const double *a, const double *b, const double *p)
{
    double value = cross(a, b, p), limit = 1e-14 * length(a, b) * (length(a, p) + length(b, p));
    return (value > limit) - (value < -limit);
}

static bool between(const double *a, const double *b, const double *p)
{
    return fmin(a[0], b[0]) <= p[0] && p[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= p[1] &&
           p[1] <= fmax(a[1], b[1]);
}

/* Whether two edges without a common corner meet. */
static bool meet(const double *a, const double *b, const double *c, const double *d)
{
    int s1 = side(a, b, c), s2 = side(a, b, d), s3 = side(c, d, a), s4 = side(c, d, b);
    if (s1 * s2 < 0 && s3 * s4 < 0)
        return true;
    return (s1 == 0 && between(a, b, c)) || (s2 == 0 && between(a, b, d)) || (s3 == 0 && between(c, d, a)) ||
           (s4 == 0 && between(c, d, b));
}

/* Edge i goes from corner i to the next one. Messages count corners from 1. */
bool slip_polygon_simple(const double *corners, int count, char *why, size_t size)
{
    for (int i = 0; i < count; i++) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % count);
        const double *c = corners + 2 * ((i + 2) % count);
        if (!(length(a, b) > 0)) {
            snprintf(why, size, "corners %d and %d are the same point", i + 1, (i + 1) % count + 1);
            return false;
        }
        if (side(a, b, c) == 0 && (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0) {
            snprintf(why, size, "the edge turns back on itself at corner %d", (i + 1) % count + 1);
            return false;
        }
        for (int k = i + 2; k < count - (i == 0); k++)
            if (meet(a, b, corners + 2 * k, corners + 2 * ((k + 1) % count))) {
                snprintf(why, size, "the edges that begin at corners %d and %d meet", i + 1, k + 1);
                return false;
            }
    }
    return true;
}
