/* A flank as a surface. The theory is in the header. */
#include "gear/flank/flank_curve.h"

#include "gear/flank/facet.h"
#include "gear/geometry/vector.h"

#include <string.h>

/* ---- The bulge. */

/* By how much the involute is ahead of the chord from a to b, at `share` of it from a. */
static double ahead(const slip_profile *profile, const double a[2], const double b[2], double share)
{
    double chord[2] = {b[0] - a[0], b[1] - a[1]}, length = hypot(chord[0], chord[1]);
    double low = hypot(a[0], a[1]), high = hypot(b[0], b[1]), result = 0;
    while (true) {
        double radius = (low + high) / 2;
        slip_profile_point p = slip_profile_involute(profile, radius);
        double away[2] = {p.radius * cos(p.angle) - a[0], -p.radius * sin(p.angle) - a[1]};
        double along = (away[0] * chord[0] + away[1] * chord[1]) / length;
        result = (away[0] * chord[1] - away[1] * chord[0]) / length;
        if (radius <= low || radius >= high)
            return result;
        *(along < share * length ? &low : &high) = radius;
    }
}

void slip_flank_curve_measure(const slip_profile *profile, int count, const double *points,
                              double (*bulge)[3])
{
    for (int k = 0; k < count; k++, points += 3) {
        double before = ahead(profile, points, points + 3, 0.25) / 0.75;
        double middle = ahead(profile, points, points + 3, 0.5);
        double after = ahead(profile, points, points + 3, 0.75) / 0.75;
        bulge[k][0] = middle;
        bulge[k][1] = after - before;
        bulge[k][2] = 2 * (after + before - 2 * middle);
    }
}

static void bulge_at(const slip_flank_curve *curve, int column, double xi, double *value, double *slope)
{
    *value = *slope = 0;
    if (!curve->bulge)
        return;
    const double *c = curve->bulge[column];
    double factor = 1 - xi * xi, sum = c[0] + xi * (c[1] + xi * c[2]);
    *value = factor * sum;
    *slope = -2 * xi * sum + factor * (c[1] + 2 * xi * c[2]);
}

/* ---- Places. */

/* What is needed of the facet below a point. */
typedef struct local {
    slip_facet facet;
    double tangent[2][3], normal[3]; /* of the facet; normal outwards */
    double bulge, slope;
} local;

static local look(const slip_flank_curve *curve, const double *position, const slip_flank_point *p)
{
    local l;
    int nodes[4];
    const double *corners[4];
    slip_facet_nodes(curve->columns, p->row, p->column, nodes);
    for (int k = 0; k < 4; k++)
        corners[k] = position + 3 * nodes[k];
    l.facet = slip_facet_make(corners);
    slip_facet_tangents(&l.facet, p->at, l.tangent[0], l.tangent[1]);
    slip_facet_normal(&l.facet, p->at, l.normal);
    scale(curve->flipped ? -1 : 1, l.normal);
    bulge_at(curve, p->column, p->at[0], &l.bulge, &l.slope);
    return l;
}

/* Place and normal; the surface's tangents. */
static void raise(const slip_flank_curve *curve, const local *l, slip_flank_point *p, double tangent[2][3])
{
    slip_facet_place(&l->facet, p->at, p->place);
    add_scaled(l->bulge, l->normal, p->place);
    memcpy(tangent, l->tangent, sizeof l->tangent);
    add_scaled(l->slope, l->normal, tangent[0]);
    cross(tangent[0], tangent[1], p->normal);
    scale((curve->flipped ? -1 : 1) / sqrt(dot(p->normal, p->normal)), p->normal);
}

void slip_flank_curve_place(const slip_flank_curve *curve, const double *position, slip_flank_point *point)
{
    double tangent[2][3];
    local l = look(curve, position, point);
    raise(curve, &l, point, tangent);
}

/* ---- The nearest point. */

/* By how much a coordinate may leave a facet before its neighbour takes over: at an edge each may point to
 * the other. Across the width nodes of one flank are at edges of the other, whose facets are in one plane but
 * for their strain. */
static const double slack[2] = {1e-6, 1e-2};

/* Goes on to the neighbour where a coordinate has left the facet; at the rim it stays. Returns by how many
 * facets it moved, -1, 0 or 1. */
static int cross_edge(const slip_flank_curve *curve, int k, slip_flank_point *p)
{
    int *index = k == 0 ? &p->column : &p->row, last = (k == 0 ? curve->columns : curve->rows) - 2;
    double x = p->at[k];
    int step = x > 1 + slack[k] ? 1 : x < -1 - slack[k] ? -1 : 0;
    if (step == 0)
        return 0;
    if (*index + step < 0 || *index + step > last) {
        double limit = 1 + (k == 1 ? curve->overhang : curve->beyond[step > 0]);
        p->at[k] = fmax(-limit, fmin(limit, x));
        return 0;
    }
    *index += step;
    p->at[k] = fmax(-1, fmin(1, x - 2 * step));
    return step;
}

/* In front of the edge between two facets: there, with the mean of the normals. */
static void settle_on_edge(const slip_flank_curve *curve, const double *position, int side,
                           slip_flank_point *p)
{
    slip_flank_point other = *p;
    p->at[0] = side;
    other.column += side;
    other.at[0] = -side;
    slip_flank_curve_place(curve, position, p);
    slip_flank_curve_place(curve, position, &other);
    add_scaled(1, other.normal, p->normal);
    scale(1 / sqrt(dot(p->normal, p->normal)), p->normal);
}

bool slip_flank_curve_nearest(const slip_flank_curve *curve, const double *position, const double place[3],
                              slip_flank_point *p)
{
    enum { turns = 200, most_returns = 3 };
    int last = 0, returns = 0;
    for (int turn = 0; turn < turns; turn++) {
        double t[2][3], away[3], before[2];
        local l = look(curve, position, p);
        raise(curve, &l, p, t);
        difference(place, p->place, away);
        double g[2] = {dot(away, t[0]), dot(away, t[1])};
        double a = dot(t[0], t[0]), b = dot(t[0], t[1]), d = dot(t[1], t[1]), det = a * d - b * b;
        double step[2] = {(d * g[0] - b * g[1]) / det, (a * g[1] - b * g[0]) / det};
        memcpy(before, p->at, sizeof before);
        for (int k = 0; k < 2; k++)
            p->at[k] += fmax(-2, fmin(2, step[k]));
        int moved = cross_edge(curve, 0, p), layer = cross_edge(curve, 1, p);
        returns += moved != 0 && moved == -last;
        if (returns > most_returns) {
            settle_on_edge(curve, position, -moved, p);
            return true;
        }
        last = moved ? moved : last;
        if (moved || layer)
            continue;
        if (fabs(p->at[0] - before[0]) + fabs(p->at[1] - before[1]) >
            1e-12) /* rounding of places is near 1e-13 */
            continue;
        return fabs(step[0]) < 1e-9 && fabs(step[1]) < 1e-9; /* else it is held back at the rim */
    }
    return false;
}

/* ---- The gradient. */

void slip_flank_curve_gradient(const slip_flank_curve *curve, const double *position,
                               const slip_flank_point *point, const double direction[3], int nodes[4],
                               double gradient[4][3])
{
    local l = look(curve, position, point);
    double value[4], slope[2][4];
    double a = dot(l.tangent[0], l.tangent[0]), b = dot(l.tangent[0], l.tangent[1]);
    double d = dot(l.tangent[1], l.tangent[1]), det = a * d - b * b;
    double g[2] = {dot(direction, l.tangent[0]), dot(direction, l.tangent[1])};
    double dual[2] = {(d * g[0] - b * g[1]) / det, (a * g[1] - b * g[0]) / det}; /* direction . x^k */
    slip_facet_shape(point->at, value, slope);
    slip_facet_nodes(curve->columns, point->row, point->column, nodes);
    for (int i = 0; i < 4; i++) {
        memset(gradient[i], 0, sizeof gradient[i]);
        add_scaled(value[i], direction, gradient[i]);
        add_scaled(-l.bulge * (dual[0] * slope[0][i] + dual[1] * slope[1][i]), l.normal, gradient[i]);
    }
}
