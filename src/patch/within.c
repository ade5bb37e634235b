/* The limit surface where only some velocities are possible: a body on a guide, or slip velocities that
 * depend on each other. With q = B z only the forces B^T T(B z) matter, and the load along B is -xi times one
 * of them. With one direction there is nothing to solve. With two, z = (cos s, sin s), the force must be
 * opposite to the load: a root of one function of the angle s. */
#include "patch/patch.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct plane {
    const slip_patch *patch;
    const double *basis;
    double u[2];
} plane;

static void combine(const double *basis, const double z[2], double q[3])
{
    for (int i = 0; i < 3; i++)
        q[i] = z[0] * basis[i] + z[1] * basis[3 + i];
}

/* The force across the load, and its slope in the angle; *along is the force against the load. */
static double across(const plane *p, const double z[2], double *along, double *slope)
{
    const double turned[2] = {-z[1], z[0]};
    double q[3], dq[3], T[3], D[9], t[2] = {0, 0}, dt[2] = {0, 0};
    combine(p->basis, z, q);
    combine(p->basis, turned, dq);
    slip_patch_surface(p->patch, q, T, slope ? D : NULL);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            t[k] += p->basis[3 * k + i] * T[i];
            for (int j = 0; j < 3 && slope; j++)
                dt[k] += p->basis[3 * k + i] * D[3 * i + j] * dq[j];
        }
    *along = -(t[0] * p->u[0] + t[1] * p->u[1]);
    if (slope)
        *slope = dt[0] * p->u[1] - dt[1] * p->u[0];
    return t[0] * p->u[1] - t[1] * p->u[0];
}

/* The direction of the (0,0) approximation, exact where that is the surface. */
static bool guess(const plane *p, double z[2])
{
    const slip_patch *patch = p->patch;
    double A[9], a[4] = {0, 0, 0, 0}, determinant, length;
    slip_patch_linear(patch, A);
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    a[2 * k + l] += p->basis[3 * k + i] * A[3 * i + j] * p->basis[3 * l + j];
    determinant = a[0] * a[3] - a[1] * a[2];
    z[0] = -(a[3] * p->u[0] - a[1] * p->u[1]) / determinant;
    z[1] = -(a[0] * p->u[1] - a[2] * p->u[0]) / determinant;
    length = hypot(z[0], z[1]);
    z[0] /= length;
    z[1] /= length;
    return isfinite(length) && length > 0;
}

static bool newton(const plane *p, double z[2], double *along)
{
    double slope, value = across(p, z, along, &slope);
    for (int step = 0; step < 20; step++) {
        double angle = -value / slope, c, s, next;
        if (fabs(value) <= 4 * DBL_EPSILON)
            return *along > 0;
        angle = fmin(fmax(angle, -0.5), 0.5);
        if (isnan(angle))
            return false;
        c = cos(angle), s = sin(angle);
        const double trial[2] = {c * z[0] - s * z[1], s * z[0] + c * z[1]};
        next = across(p, trial, along, &slope);
        if (fabs(next) >= fabs(value) && fabs(value) < 1e-13)
            return *along > 0;
        memcpy(z, trial, sizeof trial);
        value = next;
    }
    return fabs(value) < 1e-12 && *along > 0;
}

/* Samples all angles, and bisects the first interval in which the force passes the direction of the load. */
static bool scan(const plane *p, double z[2], double *along)
{
    enum { parts = 256 };
    const double pi = 3.14159265358979323846, full = 2 * pi / parts;
    double before = 0, ignored;
    for (int k = 0; k <= parts; k++) {
        double low = full * (k - 1), high = full * k, value;
        z[0] = cos(high), z[1] = sin(high);
        value = across(p, z, along, NULL);
        if (k > 0 && before * value <= 0 && *along > 0) {
            for (int half = 0; half < 60; half++) {
                double middle = 0.5 * (low + high);
                z[0] = cos(middle), z[1] = sin(middle);
                if (across(p, z, &ignored, NULL) * value > 0)
                    high = middle;
                else
                    low = middle;
            }
            across(p, z, along, NULL);
            return *along > 0;
        }
        before = value;
    }
    return false;
}

static int limit_in_plane(slip_context *ctx, const slip_patch *patch, const double *basis, const double u[2],
                          double *ratio, double *z)
{
    double length = hypot(u[0], u[1]), along;
    plane p = {patch, basis, {u[0] / length, u[1] / length}};
    if (!(guess(&p, z) && newton(&p, z, &along)) && !scan(&p, z, &along))
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "limit surface: no slip direction found for the load %g, %g",
                         u[0], u[1]);
    *ratio = length / along;
    return SLIP_OK;
}

int slip_patch_limit_within(slip_context *ctx, const slip_patch *patch, int rank, const double *basis,
                            const double *u, double *ratio, double *z)
{
    double T[3], q[3], load[3] = {0, 0, 0}, along = 0, size = 0;
    *ratio = 0;
    memset(z, 0, (size_t)rank * sizeof *z);
    for (int k = 0; k < rank; k++)
        size += fabs(u[k]);
    if (size == 0)
        return SLIP_OK;
    if (rank == 1) {
        z[0] = u[0] < 0 ? 1 : -1;
        slip_patch_surface(patch, basis, T, NULL);
        for (int i = 0; i < 3; i++)
            along += basis[i] * T[i];
        *ratio = fabs(u[0]) / along;
        return SLIP_OK;
    }
    if (rank == 2)
        return limit_in_plane(ctx, patch, basis, u, ratio, z);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            load[i] += u[k] * basis[3 * k + i];
    int status = slip_patch_limit_find(ctx, patch, load, ratio, q);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            z[k] += basis[3 * k + i] * q[i];
    return status;
}

bool slip_patch_limit_near(const slip_patch *patch, const double *basis, const double u[3], double *ratio,
                           double z[3])
{
    double q[3] = {0, 0, 0}, load[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            load[i] += u[k] * basis[3 * k + i];
            q[i] += z[k] * basis[3 * k + i];
        }
    if (!slip_patch_limit_newton(patch, load, ratio, q))
        return false;
    for (int k = 0; k < 3; k++)
        z[k] = basis[3 * k] * q[0] + basis[3 * k + 1] * q[1] + basis[3 * k + 2] * q[2];
    return true;
}
