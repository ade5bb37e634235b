/* Moments c_ijk: the integral of x^i y^j (x^2+y^2)^(-k/2) s.
 *
 * For odd k by rays from the origin: with x = r cos phi, both halves of a line together, the integrand is
 * cos^i sin^j r^(i+j-k) |r|, and for odd k that is r^(i+j-k+1) with the sign included: smooth along the whole
 * line. For even k <= 0 it is a polynomial, and parallel lines do; they do for all k where the origin is away
 * from the area, and rays through it would be all but parallel. */
#include "patch/patch.h"

#include <math.h>

typedef struct powers {
    int i, j, k;
    const double *pole;
} powers;

static double power(double x, int n)
{
    double result = 1;
    for (; n > 0; n--)
        result *= x;
    return result;
}

static void by_ray(const void *user, const slip_line *line, double x, double y, double along, double weight,
                   double *sums)
{
    const powers *p = user;
    (void)x;
    (void)y;
    sums[0] += weight * power(line->ex, p->i) * power(line->ey, p->j) * power(along, p->i + p->j - p->k + 1);
}

static void by_line(const void *user, const slip_line *line, double x, double y, double along, double weight,
                    double *sums)
{
    const powers *p = user;
    (void)line;
    (void)along;
    x += p->pole[0];
    y += p->pole[1];
    double r2 = x * x + y * y;
    sums[0] +=
        weight * power(x, p->i) * power(y, p->j) * (p->k % 2 ? pow(r2, -0.5 * p->k) : power(r2, -p->k / 2));
}

/* (x/r)^i (y/r)^j r^(i+j-k) of each load, so that no square under- or overflows. A load on the origin itself
 * is at rest in pure spin, so that homogeneous functions of degree 0 count 0 there (but c000 is the load); a
 * negative degree has no value. */
static double of_points(const slip_patch *patch, const powers *p)
{
    const int degree = p->i + p->j - p->k;
    double sum = 0;
    for (int n = 0; n < patch->point_count; n++) {
        const double x = patch->point_x[n] + p->pole[0], y = patch->point_y[n] + p->pole[1], r = hypot(x, y);
        if (r > 0)
            sum += patch->point_p[n] * power(x / r, p->i) * power(y / r, p->j) * pow(r, degree);
        else if (degree < 0)
            return NAN;
        else if (p->i + p->j == 0 && p->k == 0)
            sum += patch->point_p[n];
    }
    return sum;
}

double slip_patch_moment_value(const slip_patch *patch, int i, int j, int k)
{
    const double *pole = patch->region.pole, origin[2] = {-pole[0], -pole[1]};
    powers p = {i, j, k, pole};
    /* relative to what a distant origin makes of lengths */
    const double tolerance = 1e-13 * pow(fmax(1, hypot(pole[0], pole[1])), i + j - k);
    double sum = 0, corners[8];
    slip_region cell;
    if (patch->load == SLIP_PATCH_POINTS)
        return of_points(patch, &p);
    for (int n = 0; n < slip_patch_cell_count(patch); n++) {
        slip_patch_cell(patch, n, &cell, corners);
        if (k % 2 != 0 && hypot(origin[0] - cell.centre[0], origin[1] - cell.centre[1]) < 3 * cell.reach) {
            /* Rays are exact for a quadratic; higher powers of r need the richer rule. */
            if (i + j - k + 1 > 2)
                cell.near_rule = cell.far_rule;
            slip_region_by_rays(&cell, origin, by_ray, &p, 1, tolerance, &sum);
        } else {
            slip_region_by_lines(&cell, by_line, &p, 1, tolerance, &sum);
        }
    }
    return sum;
}

void slip_patch_moments_fill(slip_patch *patch)
{
    slip_patch_moments *c = &patch->moments;
    c->c100 = slip_patch_moment_value(patch, 1, 0, 0);
    c->c010 = slip_patch_moment_value(patch, 0, 1, 0);
    c->c200 = slip_patch_moment_value(patch, 2, 0, 0);
    c->c110 = slip_patch_moment_value(patch, 1, 1, 0);
    c->c020 = slip_patch_moment_value(patch, 0, 2, 0);
    c->c011 = slip_patch_moment_value(patch, 0, 1, 1);
    c->c101 = slip_patch_moment_value(patch, 1, 0, 1);
    c->c00_1 = slip_patch_moment_value(patch, 0, 0, -1);
    c->c203 = slip_patch_moment_value(patch, 2, 0, 3);
    c->c113 = slip_patch_moment_value(patch, 1, 1, 3);
    c->c023 = slip_patch_moment_value(patch, 0, 2, 3);
}

/* ---- about the pole ---- */

static void by_place(const void *user, const slip_line *line, double x, double y, double along, double weight,
                     double *sums)
{
    const double *centre = user;
    double dx = x - centre[0], dy = y - centre[1];
    (void)line;
    (void)along;
    sums[0] += weight * dx;
    sums[1] += weight * dy;
    sums[2] += weight * dx * dx;
    sums[3] += weight * dx * dy;
    sums[4] += weight * dy * dy;
}

void slip_patch_spread(const slip_patch *patch, double centre[2], double spread[3])
{
    centre[0] = centre[1] = 0;
    for (int turn = 0; turn < 2; turn++) { /* about the pole, then about the centre */
        double sums[slip_sums_max] = {0}, corners[8];
        slip_region cell;
        for (int n = 0; n < slip_patch_cell_count(patch) && patch->load != SLIP_PATCH_POINTS; n++) {
            slip_patch_cell(patch, n, &cell, corners);
            slip_region_by_lines(&cell, by_place, centre, 5, 1e-12, sums);
        }
        for (int n = 0; n < patch->point_count; n++)
            by_place(centre, NULL, patch->point_x[n], patch->point_y[n], 0, patch->point_p[n], sums);
        centre[0] += sums[0];
        centre[1] += sums[1];
        for (int i = 0; i < 3; i++)
            spread[i] = sums[2 + i];
    }
}
