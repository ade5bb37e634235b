/* Lines through an area: where they enter and leave, and where that changes. */
#include "math/order.h"
#include "patch/area.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void sort(double *list, int count)
{
    for (int i = 1; i < count; i++) {
        double item = list[i];
        int k = i;
        for (; k > 0 && list[k - 1] > item; k--)
            list[k] = list[k - 1];
        list[k] = item;
    }
}

/* A corner counts as above the line or not, never as on it: so the crossings of a closed polygon are even in
 * number, whatever rounding does. */
static int polygon_chords(const slip_region *region, const slip_line *line, double *ends)
{
    const double *last = region->corners + 2 * (region->corner_count - 1);
    double side0 = line->ex * (last[1] - line->y) - line->ey * (last[0] - line->x);
    double along0 = line->ex * (last[0] - line->x) + line->ey * (last[1] - line->y);
    int count = 0;
    for (int i = 0; i < region->corner_count; i++) {
        double x = region->corners[2 * i] - line->x, y = region->corners[2 * i + 1] - line->y;
        double side = line->ex * y - line->ey * x, along = line->ex * x + line->ey * y;
        if ((side >= 0) != (side0 >= 0))
            ends[count++] = (along0 * side - along * side0) / (side - side0);
        side0 = side;
        along0 = along;
    }
    if (count > 2)
        sort(ends, count);
    else if (count == 2 && ends[0] > ends[1]) {
        double swap = ends[0];
        ends[0] = ends[1];
        ends[1] = swap;
    }
    return count / 2;
}

/* In the coordinates x/a, y/b the ellipse is a unit circle: |p + t e|^2 = 1 has the discriminant e.e - (p x
 * e)^2, which does not cancel for points near the edge. */
static bool ellipse_chord(double a, double b, const slip_line *line, double *ends)
{
    double px = line->x / a, py = line->y / b, ex = line->ex / a, ey = line->ey / b;
    double ee = ex * ex + ey * ey, cross = px * ey - py * ex, discriminant = ee - cross * cross;
    double middle = -(px * ex + py * ey) / ee, half;
    if (!(discriminant > 0))
        return false;
    half = sqrt(discriminant) / ee;
    ends[0] = middle - half;
    ends[1] = middle + half;
    return true;
}

int slip_region_chords(const slip_region *region, const slip_line *line, double *ends)
{
    double inner[2];
    if (region->polygon)
        return polygon_chords(region, line, ends);
    if (!ellipse_chord(region->a, region->b, line, ends))
        return 0;
    if (!(region->hole > 0) || !ellipse_chord(region->hole, region->hole, line, inner))
        return 1;
    ends[3] = ends[1];
    ends[1] = inner[0];
    ends[2] = inner[1];
    return 2;
}

/* The angle of a line, in [0, pi). */
static double line_angle(double x, double y)
{
    double angle = atan2(y, x);
    if (angle < 0)
        angle += pi;
    return angle >= pi ? 0 : angle;
}

/* Directions of the tangents from an outer point: with p in units of the half axes and q = sqrt(p.p - 1) they
 * are -q p +- p', where p' is p turned by a right angle. From inside there are none, but chords change
 * fastest where they are parallel to the nearest edge; and from the edge itself that is the tangent. */
static int ellipse_angles(double a, double b, double x, double y, double *angles)
{
    double px = x / a, py = y / b, outside = (px * px + py * py) - 1, q = sqrt(fmax(0, outside));
    angles[0] = line_angle(a * (-q * px - py), b * (-q * py + px));
    if (!(outside > 0))
        return 1;
    angles[1] = line_angle(a * (-q * px + py), b * (-q * py - px));
    return 2;
}

int slip_region_angles(const slip_region *region, double x, double y, double *angles)
{
    int count = 0, kept = 1;
    if (region->polygon) {
        for (int i = 0; i < region->corner_count; i++) {
            double dx = region->corners[2 * i] - x, dy = region->corners[2 * i + 1] - y;
            if (dx != 0 || dy != 0)
                angles[count++] = line_angle(dx, dy);
        }
    } else {
        count = ellipse_angles(region->a, region->b, x, y, angles);
        if (region->hole > 0)
            count += ellipse_angles(region->hole, region->hole, x, y, angles + count);
    }
    qsort(angles, (size_t)count, sizeof *angles, slip_order_numbers);
    for (int i = 1; i < count; i++)
        if (angles[i] - angles[kept - 1] > 1e-15)
            angles[kept++] = angles[i];
    angles[kept] = angles[0] + pi;
    return kept + 1;
}

int slip_region_offsets(const slip_region *region, double *offsets)
{
    int count = 0, kept = 1;
    if (region->polygon) {
        for (int i = 0; i < region->corner_count; i++)
            offsets[count++] = region->corners[2 * i];
    } else {
        offsets[count++] = -region->a;
        offsets[count++] = region->a;
        if (region->hole > 0) {
            offsets[count++] = -region->hole;
            offsets[count++] = region->hole;
        }
    }
    qsort(offsets, (size_t)count, sizeof *offsets, slip_order_numbers);
    for (int i = 1; i < count; i++)
        if (offsets[i] - offsets[kept - 1] > 1e-15)
            offsets[kept++] = offsets[i];
    return kept;
}

bool slip_region_inside(const slip_region *region, double x, double y)
{
    double ends[slip_region_ends_max];
    slip_line line = {x, y, 1, 0};
    int count = slip_region_chords(region, &line, ends);
    for (int i = 0; i < count; i++)
        if (ends[2 * i] <= 0 && ends[2 * i + 1] >= 0)
            return true;
    return false;
}
