/* See plane.h. */
#include "contact/plane.h"

#include "math/dense.h"
#include "math/vector.h"

#include <string.h>

/* The slip velocity y along the basis. */
static void combine(const slip_plane *plane, const double *y, double w[3])
{
    memset(w, 0, 3 * sizeof *w);
    for (int k = 0; k < plane->rank; k++)
        for (int i = 0; i < 3; i++)
            w[i] += y[k] * plane->basis[3 * k + i];
}

bool slip_plane_divide(const slip_plane *plane, const double slip[3], double *along, double across[3])
{
    double apart = 0;
    memcpy(across, slip, 3 * sizeof *across);
    for (int k = 0; k < plane->rank; k++) {
        along[k] = slip_dot(3, plane->basis + 3 * k, slip);
        for (int i = 0; i < 3; i++)
            across[i] -= along[k] * plane->basis[3 * k + i];
    }
    for (int i = 0; i < 3; i++)
        apart += fabs(across[i]);
    if (!(apart <= 1e-13 * (fabs(slip[0]) + fabs(slip[1]) + fabs(slip[2]))))
        return false;
    memset(across, 0, 3 * sizeof *across);
    return true;
}

/* The surface in units of *strength, of the plane or of its group. */
static const slip_patch *surface_of(const slip_plane *plane, const slip_block *rows, const double *p,
                                    bool held, double *strength)
{
    const bool leads = slip_plane_leads(plane);
    int k = 0;
    *strength = 0;
    for (const slip_plane *member = plane; member; member = leads ? member->next : NULL, k++) {
        const slip_block *block = &rows[member->row];
        const double own = (held ? block->hold : block->slide) * slip_block_load(block, p);
        *strength += own;
        if (leads)
            plane->sum->parts[k].weight = own;
    }
    for (k = 0; leads && k < plane->sum->part_count; k++)
        plane->sum->parts[k].weight =
            *strength > 0 ? plane->sum->parts[k].weight / *strength : 1.0 / plane->sum->part_count;
    return leads ? plane->sum : plane->surface;
}

/* Friction of a slip w, and its derivative along the basis, rank x rank. */
static void evaluate(const slip_plane *plane, const slip_patch *law, double a, const double w[3], double T[3],
                     double *along)
{
    double D[9] = {0};
    if (plane->law) {
        plane->law(plane->user, a, w, T, along ? D : NULL);
    } else if (plane->set_valued) {
        slip_patch_surface(law, w, T, along ? D : NULL);
    } else {
        const double size = law->size, velocity[3] = {w[0], w[1], w[2] / size};
        slip_patch_evaluate(law, velocity, T, along ? D : NULL);
        T[2] /= size;
        for (int i = 0; i < 9; i++)
            D[i] /= (i / 3 == 2 ? size : 1) * (i % 3 == 2 ? size : 1);
    }
    for (int k = 0; along && k < plane->rank; k++)
        for (int l = 0; l < plane->rank; l++) {
            along[plane->rank * k + l] = 0;
            for (int i = 0; i < 3; i++)
                along[plane->rank * k + l] +=
                    plane->basis[3 * k + i] * slip_dot(3, D + 3 * i, plane->basis + 3 * l);
        }
}

bool slip_plane_resolves(const slip_plane *plane, const slip_block *rows, const double *p, const double *gram)
{
    const int n = plane->rank;
    double strength, T[3], D[9], square = 0;
    const slip_patch *law = surface_of(plane, rows, p, false, &strength);
    if (plane->law)
        return plane->a < 1;
    if (plane->a == 1 || !(slip_dot(3, plane->start, plane->start) > 0))
        return false;
    evaluate(plane, law, 1, plane->start, T, D);
    /* by a norm that is the same in every basis of the plane */
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double product = 0;
            for (int i = 0; i < n; i++)
                product += gram[n * k + i] * D[n * i + l];
            square += product * product;
        }
    return (1 - plane->a) * strength * sqrt(square) <= 0.5;
}

/* ---- Slip. */

/* Newton's method with a line search for y = b - strength G t(across + y), for laws that are smooth on the
 * way. across: the part of the slip that impulses cannot change. Gives w = across + y and its friction. */
static bool solve_smooth(const slip_plane *plane, const slip_patch *law, double a, const double *gram,
                         double strength, const double across[3], const double *b, double w[3], double T[3])
{
    const int n = plane->rank;
    double y[3] = {0, 0, 0}, residual[3], before = INFINITY, step[3] = {0, 0, 0}, length = 1, base[3];
    memcpy(y, b, (size_t)n * sizeof *y);
    memcpy(base, y, sizeof base);
    for (int turn = 0; turn < 200; turn++) {
        double D[9], J[9], error = 0, scale = 0, t[3];
        combine(plane, y, w);
        for (int i = 0; i < 3; i++)
            w[i] += across[i];
        evaluate(plane, law, a, w, T, D);
        for (int k = 0; k < n; k++)
            t[k] = slip_dot(3, plane->basis + 3 * k, T);
        for (int k = 0; k < n; k++) {
            residual[k] = y[k] - b[k] + strength * slip_dot(n, gram + n * k, t);
            error += residual[k] * residual[k];
            scale += fabs(b[k]) + strength * gram[n * k + k];
        }
        error = sqrt(error);
        if (error <= 4e-16 * scale)
            return true;
        if (error > (1 - 1e-4 * length) * before) {
            if (before <= 1e-13 * scale)
                return true; /* nothing is left but rounding */
            length /= 2;
            if (length < 1e-12)
                return false;
            for (int k = 0; k < n; k++)
                y[k] = base[k] - length * step[k];
            continue;
        }
        before = error;
        length = 1;
        memcpy(base, y, sizeof base);
        for (int k = 0; k < n; k++)
            for (int l = 0; l < n; l++) {
                J[n * k + l] = k == l;
                for (int m = 0; m < n; m++)
                    J[n * k + l] += strength * gram[n * k + m] * D[n * m + l];
            }
        memcpy(step, residual, sizeof step);
        if (!slip_dense_solve(n, J, step))
            return false;
        for (int k = 0; k < n; k++)
            y[k] = base[k] - step[k];
    }
    return false;
}

/* Distributes the impulse of a group among its planes, for slip in the direction w or for stick
 * (method/flow/area/group.c): -size times the share of each plane in the summed surface. */
static void share(slip_plane *leader, const double w[3], double size)
{
    int k = 0;
    for (slip_plane *plane = leader; plane; plane = plane->next, k++) {
        const slip_patch_part *part = &leader->sum->parts[k];
        double own[3], T[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            own[i] = slip_dot(3, part->map + 3 * i, w);
        if (size > 0)
            slip_patch_surface(plane->surface, own, T, NULL);
        for (int i = 0; i < 3; i++)
            plane->impulse[i] = -size * part->weight * T[i];
        plane->stuck = leader->stuck;
    }
}

/* The impulses of slip with the law at a w + (1 - a) start. With a < 1 the slip must not reverse. */
static bool slide(slip_plane *plane, const slip_block *rows, const double *p, const double *gram,
                  const double *y, double a)
{
    const int n = plane->rank;
    double r[3], across[3], at[3], w[3], T[3], K[9], strength, L = 0, forward = 0;
    const slip_patch *law = surface_of(plane, rows, p, false, &strength);
    combine(plane, y, at);
    for (int i = 0; i < 3; i++)
        at[i] = a * (at[i] + plane->across[i]) + (1 - a) * plane->start[i];
    bool free = slip_plane_divide(plane, at, r, across);
    if (free && plane->set_valued) {
        for (int k = 0; k < n * n; k++)
            K[k] = a * strength * gram[k];
        if (a < 1)
            for (int k = 0; k < n; k++)
                plane->z[k] = r[k] / sqrt(slip_dot(n, r, r));
        if (!slip_patch_slide(law, n, plane->basis, K, r, 1, plane->z, &L))
            return false;
        combine(plane, plane->z, w);
        slip_patch_surface(law, w, T, NULL);
        for (int i = 0; i < 3; i++)
            at[i] = L * w[i];
    } else {
        if (!solve_smooth(plane, law, a, gram, a * strength, across, r, w, T))
            return false;
        memcpy(at, w, sizeof at);
    }
    for (int i = 0; i < 3; i++)
        forward += (at[i] - (1 - a) * plane->start[i]) * plane->start[i];
    if (a < 1 && !(forward > 0) && !plane->law)
        return false;
    if (slip_plane_leads(plane))
        share(plane, w, strength);
    for (int i = 0; i < 3 && !slip_plane_leads(plane); i++)
        plane->impulse[i] = -strength * T[i];
    return true;
}

/* ---- Stick. */

/* Whether the impulses of stick are within the limit surface. Mostly their norm, or a quick test with the
 * previous direction z, decides; close to the limit the limit surface itself is evaluated. */
static bool within_limit(slip_plane *plane, const slip_patch *law, double limit, const double *y,
                         const double *u, double *ratio)
{
    const double close = 1e-3;
    double z[3] = {plane->z[0], plane->z[1], plane->z[2]};
    if (law->reach > 0 && sqrt(slip_dot(plane->rank, u, u)) > limit * law->reach) {
        for (int k = 0; k < plane->rank; k++)
            plane->z[k] = y[k] / sqrt(slip_dot(plane->rank, y, y));
        return false;
    }
    if (plane->rank == 3 && !slip_plane_leads(plane) &&
        slip_patch_limit_near(law, plane->basis, u, ratio, z) && fabs(*ratio - limit) > close * limit) {
        memcpy(plane->z, z, sizeof z);
        return *ratio <= limit;
    }
    if (slip_patch_limit_within(NULL, law, plane->rank, plane->basis, u, ratio, plane->z) < 0)
        return false;
    return *ratio <= limit * (1 + 1e-14);
}

/* Computes the impulses of stick. Returns whether they are within the limit. */
static bool holds(slip_plane *plane, const slip_block *rows, const double *p, const double *gram,
                  const double *y, double *impulse, double *ratio)
{
    double matrix[9], strength;
    const slip_patch *law = surface_of(plane, rows, p, true, &strength);
    *ratio = INFINITY;
    memcpy(matrix, gram, (size_t)(plane->rank * plane->rank) * sizeof *matrix);
    for (int k = 0; k < plane->rank; k++)
        impulse[k] = -y[k];
    if (!slip_dense_solve(plane->rank, matrix, impulse))
        return false;
    return within_limit(plane, law, strength, y, impulse, ratio);
}

bool slip_plane_solve(slip_plane *plane, const slip_block *rows, const double *gram, const double *y,
                      double *p)
{
    double slip[3], across[3], along[3], w[3], ratio;
    combine(plane, y, slip);
    for (int i = 0; i < 3; i++)
        slip[i] += plane->across[i];
    plane->stuck = slip_plane_divide(plane, slip, along, across) && plane->set_valued &&
                   holds(plane, rows, p, gram, y, along, &ratio);
    plane->inside = plane->inside && !plane->stuck && slide(plane, rows, p, gram, y, plane->a);
    if (!plane->stuck && !plane->inside && !slide(plane, rows, p, gram, y, 1))
        return false;
    if (plane->stuck && slip_plane_leads(plane)) {
        combine(plane, plane->z, w);
        share(plane, w, ratio);
    } else if (plane->stuck) {
        combine(plane, along, plane->impulse);
    }
    for (const slip_plane *member = plane; member; member = slip_plane_leads(plane) ? member->next : NULL)
        for (int k = 0; k < member->rank; k++)
            p[member->row + k] = slip_dot(3, member->basis + 3 * k, member->impulse);
    return true;
}

/* ---- The judge. */

double slip_plane_residual(const slip_plane *plane, double g, double hold, double slide, const double *p,
                           const double *y)
{
    const double a = plane->inside ? plane->a : 1;
    double w[3], at[3], T[3], ratio, z[3], length, slip = INFINITY;
    combine(plane, y, w);
    for (int i = 0; i < 3; i++) {
        w[i] += plane->across[i];
        at[i] = a * w[i] + (1 - a) * plane->start[i];
    }
    length = sqrt(slip_dot(3, w, w));
    if (!plane->set_valued || slip_dot(3, at, at) > 0) {
        double square = 0;
        evaluate(plane, plane->surface, a, at, T, NULL);
        for (int k = 0; k < plane->rank; k++) {
            const double off = p[k] + slide * slip_dot(3, plane->basis + 3 * k, T);
            square += off * off;
        }
        slip = g * sqrt(square);
    }
    if (!plane->set_valued || slip <= length ||
        slip_patch_limit_within(NULL, plane->surface, plane->rank, plane->basis, p, &ratio, z) < 0)
        return slip;
    return fmin(slip, fmax(length, g * (ratio - hold)));
}
