/* The integral model: T = (Tx, Ty, M) of the velocity q = (vx, vy, w),
 *
 *     T = integral of s B^T n,    n = B q/|B q|,    B = [1 0 -y; 0 1 x],
 *
 * the gradient of the dissipation function Phi = integral of s |B q|, and its derivative, the Hessian
 *
 *     H = integral of s B^T (1 - n n^T) B/|B q| = integral of s g g^T/|B q|,   g = (ex, ey, x ey - y ex),
 *
 * where e is n rotated by a right angle.
 *
 * Near: the instantaneous centre c = (-vy, vx)/w is at most three radii away. In polar coordinates r, phi
 * about it, n = sign(w) (-sin phi, cos phi) and |B q| = |w| r, so that the singularity is gone:
 *
 *     integral of s (x-c)/r = integral dphi e(phi) I1,    integral of s r = integral dphi I2,
 *     H = 1/|w| integral dphi g g^T I0,    Ik = integral of s r^k dr along the ray.
 *
 * Both halves of a line through c are taken together, with r negative on one of them: the signs of e, r and
 * dr combine such that Ik is the integral of s r^k over the whole chord. That is smooth in phi also with c
 * inside.
 *
 * Polygons with bilinear pressure have closed forms of these (polygon_sums.c); thin slivers, of which
 * these would be small differences, and all other areas are swept.
 *
 * Far: n is smooth over the area; parallel lines and no cancellation for c at infinity. */
#include "patch/patch.h"

#include <math.h>
#include <string.h>

/* ---- near ---- */

static void ray_forces(const void *user, const slip_line *line, double x, double y, double along,
                       double weight, double *sums)
{
    double moment = weight * along;
    (void)user;
    (void)x;
    (void)y;
    sums[0] += line->ex * moment;
    sums[1] += line->ey * moment;
    sums[2] += moment * along;
}

static void ray_all(const void *user, const slip_line *line, double x, double y, double along, double weight,
                    double *sums)
{
    ray_forces(user, line, x, y, along, weight, sums);
    sums[3] += weight * line->ex * line->ex;
    sums[4] += weight * line->ex * line->ey;
    sums[5] += weight * line->ey * line->ey;
}

static void near_integral(const slip_region *region, double tolerance, const double q[3], double T[3],
                          double *derivative)
{
    double sums[slip_sums_max] = {0}, w = q[2], sign = slip_sign(w), c[2] = {-q[1] / w, q[0] / w};
    if (region->closed)
        slip_polygon_sums(region, c, derivative != NULL, sums);
    else
        slip_region_by_rays(region, c, derivative ? ray_all : ray_forces, NULL, derivative ? 6 : 3, tolerance,
                            sums);
    T[0] -= sign * sums[1];
    T[1] += sign * sums[0];
    T[2] += sign * (sums[2] + c[0] * sums[0] + c[1] * sums[1]);
    if (derivative) {
        /* g = (ex, ey, cx ey - cy ex): the distance along the ray drops out of the third. */
        double xx = sums[3] / fabs(w), xy = sums[4] / fabs(w), yy = sums[5] / fabs(w);
        double xw = c[0] * xy - c[1] * xx, yw = c[0] * yy - c[1] * xy, ww = c[0] * yw - c[1] * xw;
        const double add[9] = {xx, xy, xw, xy, yy, yw, xw, yw, ww};
        for (int i = 0; i < 9; i++)
            derivative[i] += add[i];
    }
}

/* ---- far ---- */

/* The part of one point with load p; also what point loads are made of. At rest the point adds nothing. */
static void point_part(const double q[3], double x, double y, double p, double *sums, bool all)
{
    double ux = q[0] - y * q[2], uy = q[1] + x * q[2], speed = sqrt(ux * ux + uy * uy), nx, ny, factor, third;
    if (!(speed > 0))
        return;
    nx = ux / speed;
    ny = uy / speed;
    sums[0] += p * nx;
    sums[1] += p * ny;
    sums[2] += p * (x * ny - y * nx);
    if (!all)
        return;
    factor = p / speed; /* e = (ny, -nx), third component of g is -(x nx + y ny) */
    third = -(x * nx + y * ny);
    sums[3] += factor * ny * ny;
    sums[4] -= factor * nx * ny;
    sums[5] += factor * nx * nx;
    sums[6] += factor * ny * third;
    sums[7] -= factor * nx * third;
    sums[8] += factor * third * third;
}

static void add_sums(const double *sums, double T[3], double *derivative)
{
    for (int i = 0; i < 3; i++)
        T[i] += sums[i];
    if (derivative) {
        const double add[9] = {sums[3], sums[4], sums[6], sums[4], sums[5],
                               sums[7], sums[6], sums[7], sums[8]};
        for (int i = 0; i < 9; i++)
            derivative[i] += add[i];
    }
}

static void line_forces(const void *user, const slip_line *line, double x, double y, double along,
                        double weight, double *sums)
{
    (void)line;
    (void)along;
    point_part(user, x, y, weight, sums, false);
}

static void line_all(const void *user, const slip_line *line, double x, double y, double along, double weight,
                     double *sums)
{
    (void)line;
    (void)along;
    point_part(user, x, y, weight, sums, true);
}

bool slip_patch_is_quick(const slip_patch *patch)
{
    return patch->load == SLIP_PATCH_REGION && patch->region.closed;
}

/* Distance of the instantaneous centre from the middle of the region, in units of the region's radius. */
static double remoteness(const slip_region *region, const double q[3])
{
    double ux = q[0] - region->centre[1] * q[2], uy = q[1] + region->centre[0] * q[2];
    return hypot(ux, uy) / (fabs(q[2]) * region->reach);
}

void slip_patch_region_integral(const slip_region *region, double tolerance, const double q[3], double T[3],
                                double *derivative)
{
    double sums[slip_sums_max] = {0};
    if (remoteness(region, q) < 3) {
        near_integral(region, tolerance, q, T, derivative);
        return;
    }
    slip_region_by_lines(region, derivative ? line_all : line_forces, q, derivative ? 9 : 3, tolerance, sums);
    add_sums(sums, T, derivative);
}

/* ---- grids and points ---- */

/* A product rule over a cell whose integrand is smooth: n points with the centre at d radii err by about
 * (d - 1 + sqrt((d-1)^2 + 1))^(-2n), 1e-14 of the cell's load or less. */
static void far_cell(const slip_region *cell, const slip_rule *rule, const double q[3], double *sums,
                     bool all)
{
    double half_x = (cell->corners[2] - cell->corners[0]) / 2,
           half_y = (cell->corners[5] - cell->corners[3]) / 2;
    for (int i = 0; i < rule->count; i++)
        for (int k = 0; k < rule->count; k++) {
            double x = cell->centre[0] + half_x * rule->node[i], y = cell->centre[1] + half_y * rule->node[k];
            double weight = half_x * half_y * rule->weight[i] * rule->weight[k];
            point_part(q, x, y, weight * cell->density(cell, x, y), sums, all);
        }
}

static void grid_integral(const slip_patch *patch, double tolerance, const double q[3], double T[3],
                          double *derivative)
{
    double sums[slip_sums_max] = {0}, corners[8];
    slip_region cell;
    for (int i = 0; i < slip_patch_cell_count(patch); i++) {
        slip_patch_cell(patch, i, &cell, corners);
        double far = remoteness(&cell, q);
        if (far < (cell.closed ? 9 : 3))
            near_integral(&cell, tolerance, q, T, derivative);
        else
            far_cell(&cell, &patch->cell_rules[far < 40 ? 0 : 1], q, sums, derivative != NULL);
    }
    add_sums(sums, T, derivative);
}

static void points_integral(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    double sums[slip_sums_max] = {0};
    for (int i = 0; i < patch->point_count; i++)
        point_part(q, patch->point_x[i], patch->point_y[i], patch->point_p[i], sums, derivative != NULL);
    add_sums(sums, T, derivative);
}

void slip_patch_integral_about_pole(const slip_patch *patch, double tolerance, const double q[3], double T[3],
                                    double *derivative)
{
    double scale = fmax(hypot(q[0], q[1]), fabs(q[2])), unit[3];
    memset(T, 0, 3 * sizeof *T);
    if (derivative)
        memset(derivative, 0, 9 * sizeof *derivative);
    if (!(scale > 0))
        return;
    for (int i = 0; i < 3; i++)
        unit[i] = q[i] / scale;
    if (patch->closed != SLIP_PATCH_NO_CLOSED_FORM) {
        slip_circular c = slip_patch_circular(patch, hypot(unit[0], unit[1]), unit[2]);
        slip_circular_vector(&c, unit, T, derivative);
    } else if (patch->load == SLIP_PATCH_POINTS)
        points_integral(patch, unit, T, derivative);
    else if (patch->load == SLIP_PATCH_GRID)
        grid_integral(patch, tolerance, unit, T, derivative);
    else
        slip_patch_region_integral(&patch->region, tolerance, unit, T, derivative);
    if (derivative)
        for (int i = 0; i < 9; i++)
            derivative[i] /= scale;
}

void slip_patch_integral_direct(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    double at_pole[3];
    slip_pole_velocity(patch->region.pole, q, at_pole);
    slip_patch_integral_about_pole(patch, 1e-11, at_pole, T, derivative);
    slip_pole_force(patch->region.pole, T, derivative);
}
