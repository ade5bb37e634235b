/* A bilinear facet. The theory is in the header. */
#include "gear/flank/facet.h"

#include "gear/geometry/vector.h"

static const double sign_xi[4] = {-1, 1, 1, -1}, sign_eta[4] = {-1, -1, 1, 1};

slip_facet slip_facet_make(const double *const corners[4])
{
    slip_facet f;
    for (int d = 0; d < 3; d++) {
        double p = corners[0][d], q = corners[1][d], r = corners[2][d], s = corners[3][d];
        f.mean[d] = (p + q + r + s) / 4;
        f.by_xi[d] = (q + r - p - s) / 4;
        f.by_eta[d] = (r + s - p - q) / 4;
        f.twist[d] = (p + r - q - s) / 4;
    }
    return f;
}

void slip_facet_place(const slip_facet *f, const double at[2], double place[3])
{
    for (int d = 0; d < 3; d++)
        place[d] = f->mean[d] + at[0] * f->by_xi[d] + at[1] * f->by_eta[d] + at[0] * at[1] * f->twist[d];
}

void slip_facet_tangents(const slip_facet *f, const double at[2], double by_xi[3], double by_eta[3])
{
    for (int d = 0; d < 3; d++) {
        by_xi[d] = f->by_xi[d] + at[1] * f->twist[d];
        by_eta[d] = f->by_eta[d] + at[0] * f->twist[d];
    }
}

void slip_facet_normal(const slip_facet *f, const double at[2], double normal[3])
{
    double t[2][3];
    slip_facet_tangents(f, at, t[0], t[1]);
    cross(t[0], t[1], normal);
    scale(1 / sqrt(dot(normal, normal)), normal);
}

void slip_facet_shape(const double at[2], double value[4], double slope[2][4])
{
    for (int k = 0; k < 4; k++) {
        double x = 1 + sign_xi[k] * at[0], y = 1 + sign_eta[k] * at[1];
        value[k] = x * y / 4;
        if (slope) {
            slope[0][k] = sign_xi[k] * y / 4;
            slope[1][k] = sign_eta[k] * x / 4;
        }
    }
}

static void measure(const slip_facet *f, const double point[3], slip_facet_point *p)
{
    double away[3];
    slip_facet_place(f, p->at, p->place);
    difference(point, p->place, away);
    p->square = dot(away, away);
}

/* Newton's method for the vanishing gradient of half the squared distance. Gives up where the point leaves
 * the neighbourhood of the facet or where no minimum is: then the nearest point is on an edge. */
static bool descend(const slip_facet *f, const double low[2], const double high[2], const double point[3],
                    slip_facet_point *p)
{
    enum { turns = 30 };
    for (int turn = 0; turn < turns; turn++) {
        double t[2][3], away[3];
        slip_facet_tangents(f, p->at, t[0], t[1]);
        slip_facet_place(f, p->at, p->place);
        difference(p->place, point, away);
        double g[2] = {dot(away, t[0]), dot(away, t[1])};
        double h00 = dot(t[0], t[0]), h11 = dot(t[1], t[1]), h01 = dot(t[0], t[1]) + dot(away, f->twist);
        double det = h00 * h11 - h01 * h01;
        if (!(det > 1e-6 * h00 * h11))
            return false;
        double step[2] = {(h01 * g[1] - h11 * g[0]) / det, (h01 * g[0] - h00 * g[1]) / det};
        for (int k = 0; k < 2; k++) {
            p->at[k] += step[k];
            if (!(fabs(p->at[k]) < 4))
                return false;
        }
        if (fabs(step[0]) + fabs(step[1]) < 1e-13) {
            measure(f, point, p);
            return p->at[0] >= low[0] && p->at[0] <= high[0] && p->at[1] >= low[1] && p->at[1] <= high[1];
        }
    }
    return false;
}

/* The nearest point of the line at[fixed] = value. */
static void slide(const slip_facet *f, int fixed, double value, double low, double high,
                  const double point[3], slip_facet_point *p)
{
    double t[2][3], away[3];
    int along = 1 - fixed;
    p->at[fixed] = value;
    p->at[along] = 0;
    slip_facet_tangents(f, p->at, t[0], t[1]);
    slip_facet_place(f, p->at, p->place);
    difference(point, p->place, away);
    p->at[along] = fmin(fmax(dot(away, t[along]) / dot(t[along], t[along]), low), high);
    measure(f, point, p);
}

slip_facet_point slip_facet_nearest(const slip_facet *f, const double low[2], const double high[2],
                                    const double point[3], const double start[2])
{
    slip_facet_point best = {.at = {start[0], start[1]}};
    if (descend(f, low, high, point, &best)) {
        best.inside = true;
        return best;
    }
    best.square = INFINITY;
    for (int edge = 0; edge < 4; edge++) {
        slip_facet_point p = {.inside = false};
        int fixed = edge / 2;
        slide(f, fixed, edge % 2 ? high[fixed] : low[fixed], low[1 - fixed], high[1 - fixed], point, &p);
        if (p.square < best.square)
            best = p;
    }
    return best;
}
