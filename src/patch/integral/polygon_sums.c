/* The integral model of a polygon with bilinear pressure, in closed form: as signed triangles between the
 * instantaneous centre c and its edges.
 *
 * An edge is X(u) = d n + u t with its unit vector t, the normal n, the distance d of its line from c and u1
 * < u < u2. The triangle is l X(u), 0 < l < 1, with area element l d dl du. The pressure from c is
 *
 *     s(l X) = s0 + l g.X + l^2 k Xx Xy = s0 + l (gn d + gt u) + l^2 (e0 d^2 + e1 d u + e2 u^2),
 *
 * so that l integrates to polynomials in u, and what is left are integrals over the edge of u^k R and, with
 * R = sqrt(d^2 + u^2),
 *
 *     K_k = int u^k/R = ([u^(k-1) R] - (k-1) d^2 K_(k-2))/k,    K_0 = ln ((u2 + R2)/(u1 + R1)),
 *     int u^k R = d^2 K_k + K_(k+2),
 *     M_k = int u^k/R^3,   d^2 M_0 = [u/R],   M_1 = -[1/R],   M_(k+2) = K_k - d^2 M_k.
 *
 * Each has a factor d, which takes the singularities away: an edge whose line goes through c adds nothing. */
#include "patch/patch.h"

#include <math.h>

/* The sums are differences of terms of the size of the load per area times the square of the distance. */
bool slip_polygon_closed(const slip_region *region)
{
    return region->polygon && region->density == slip_density_bilinear &&
           fabs(region->coefficients[0]) * region->reach * region->reach < 1e3;
}

/* K_0, without cancellation. */
static double logarithm(double d, double u1, double u2, double R1, double R2)
{
    if (u1 >= 0)
        return log((u2 + R2) / (u1 + R1));
    if (u2 <= 0)
        return log((R1 - u1) / (R2 - u2));
    return log((u2 + R2) / fabs(d) * ((R1 - u1) / fabs(d)));
}

/* Pressure at c: value, gradient, and the coefficient of x y. */
typedef struct pressure {
    double s0, gx, gy, k;
} pressure;

static void add_edge(const pressure *p, const double from[2], const double to[2], bool all, double *sums)
{
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double tx = (to[0] - from[0]) / length, ty = (to[1] - from[1]) / length, nx = ty, ny = -tx;
    const double d = (from[0] * to[1] - from[1] * to[0]) / length, dd = d * d;
    const double u1 = from[0] * tx + from[1] * ty, u2 = u1 + length;
    const double R1 = sqrt(dd + u1 * u1), R2 = sqrt(dd + u2 * u2);
    const double gn = p->gx * nx + p->gy * ny, gt = p->gx * tx + p->gy * ty;
    const double e0 = p->k * nx * ny, e1 = p->k * (nx * ty + tx * ny), e2 = p->k * tx * ty;
    double K[5], a[3], across, along;
    if (fabs(d) < 1e-100)
        return;
    K[0] = logarithm(d, u1, u2, R1, R2);
    K[1] = R2 - R1;
    K[2] = (u2 * R2 - u1 * R1 - dd * K[0]) / 2;
    K[3] = (u2 * u2 * R2 - u1 * u1 * R1 - 2 * dd * K[1]) / 3;
    K[4] = (u2 * u2 * u2 * R2 - u1 * u1 * u1 * R1 - 3 * dd * K[2]) / 4;

    a[0] = p->s0 / 2 + gn * d / 3 + e0 * dd / 4;
    a[1] = gt / 3 + e1 * d / 4;
    a[2] = e2 / 4;
    across = dd * (a[0] * K[0] + a[1] * K[1] + a[2] * K[2]);
    along = d * (a[0] * K[1] + a[1] * K[2] + a[2] * K[3]);
    sums[0] += across * nx + along * tx;
    sums[1] += across * ny + along * ty;

    a[0] = p->s0 / 3 + gn * d / 4 + e0 * dd / 5;
    a[1] = gt / 4 + e1 * d / 5;
    a[2] = e2 / 5;
    sums[2] += d * (a[0] * (dd * K[0] + K[2]) + a[1] * (dd * K[1] + K[3]) + a[2] * (dd * K[2] + K[4]));

    if (all) {
        const double turn = u2 / R2 - u1 / R1, M1 = 1 / R1 - 1 / R2, M2 = K[0] - turn, M3 = K[1] - dd * M1;
        double nn, nt, tt;
        a[0] = p->s0 + gn * d / 2 + e0 * dd / 3;
        a[1] = gt / 2 + e1 * d / 3;
        a[2] = e2 / 3;
        nn = d * (a[0] * turn + dd * (a[1] * M1 + a[2] * M2));
        nt = dd * (a[0] * M1 + a[1] * M2 + a[2] * M3);
        tt = d * (a[0] * M2 + a[1] * M3 + a[2] * (K[2] - dd * M2));
        sums[3] += nn * nx * nx + 2 * nt * nx * tx + tt * tx * tx;
        sums[4] += nn * nx * ny + nt * (nx * ty + tx * ny) + tt * tx * ty;
        sums[5] += nn * ny * ny + 2 * nt * ny * ty + tt * ty * ty;
    }
}

void slip_polygon_sums(const slip_region *region, const double c[2], bool all, double *sums)
{
    const double *k = region->coefficients, dx = c[0] - region->centre[0], dy = c[1] - region->centre[1];
    const double *last = region->corners + 2 * (region->corner_count - 1);
    const pressure p = {k[0] + k[1] * dx + k[2] * dy + k[3] * dx * dy, k[1] + k[3] * dy, k[2] + k[3] * dx,
                        k[3]};
    double from[2] = {last[0] - c[0], last[1] - c[1]};
    for (int i = 0; i < region->corner_count; i++) {
        double to[2] = {region->corners[2 * i] - c[0], region->corners[2 * i + 1] - c[1]};
        add_edge(&p, from, to, all, sums);
        from[0] = to[0];
        from[1] = to[1];
    }
}
