/* Slip against a load: z and L with L z = b - K t(z), where t = B^T T(B z) is the friction of slip along z
 * (see within.c for B) and K a matrix. L > 0 exists where b is more than friction can hold.
 *
 * Newton's method for the part of b - K t across z; where that fails, z moves along it, z' = b - K t - L z,
 * which leads to the largest L where K t is the gradient of a convex function. */
#include "math/vector.h"
#include "patch/patch.h"

#include <math.h>
#include <string.h>

typedef struct slide {
    const slip_patch *patch;
    int rank;
    const double *basis, *K, *b;
    double size; /* of b and K */
} slide;

/* f = b - K t(z) and, unless NULL, its derivative; returns L = f . z */
static double left_over(const slide *s, const double *z, double f[3], double *derivative)
{
    const int n = s->rank;
    double q[3] = {0, 0, 0}, T[3], D[9], t[3], Dt[9];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            q[i] += z[k] * s->basis[3 * k + i];
    slip_patch_surface(s->patch, q, T, derivative ? D : NULL);
    for (int k = 0; k < n; k++) {
        t[k] = slip_dot(3, s->basis + 3 * k, T);
        for (int l = 0; derivative && l < n; l++) {
            Dt[n * k + l] = 0;
            for (int i = 0; i < 3; i++)
                Dt[n * k + l] += s->basis[3 * k + i] * slip_dot(3, D + 3 * i, s->basis + 3 * l);
        }
    }
    for (int k = 0; k < n; k++) {
        f[k] = s->b[k] - slip_dot(n, s->K + n * k, t);
        for (int l = 0; derivative && l < n; l++) {
            derivative[n * k + l] = 0;
            for (int i = 0; i < n; i++)
                derivative[n * k + l] -= s->K[n * k + i] * Dt[n * i + l];
        }
    }
    return slip_dot(n, f, z);
}

static void unit(int n, double *z)
{
    double length = sqrt(slip_dot(n, z, z));
    for (int k = 0; k < n; k++)
        z[k] /= length;
}

/* Unit vectors at right angles to z and each other, n - 1 of them. */
static void tangents(int n, const double *z, double tangent[2][3])
{
    if (n == 3) {
        slip_tangents(z, tangent[0], tangent[1]);
    } else {
        tangent[0][0] = -z[1];
        tangent[0][1] = z[0];
    }
}

/* One Newton step; returns the component across z before it, relative to the sizes of the terms, or -1. */
static double newton_step(const slide *s, double *z)
{
    const int n = s->rank, m = n - 1;
    double f[3], D[9], tangent[2][3], g[2] = {0, 0}, J[4] = {1, 0, 0, 1}, x, y, length;
    double growth = left_over(s, z, f, D);
    tangents(n, z, tangent);
    for (int j = 0; j < m; j++) {
        g[j] = slip_dot(n, tangent[j], f);
        for (int i = 0; i < m; i++) {
            /* the tangents turn with z */
            J[2 * j + i] = i == j ? -growth : 0;
            for (int k = 0; k < n; k++)
                J[2 * j + i] += tangent[j][k] * slip_dot(n, D + n * k, tangent[i]);
        }
    }
    x = (J[3] * g[0] - J[1] * g[1]) / (J[0] * J[3] - J[1] * J[2]);
    y = (J[0] * g[1] - J[2] * g[0]) / (J[0] * J[3] - J[1] * J[2]);
    length = hypot(x, y);
    if (!isfinite(length))
        return -1;
    if (length > 0.3)
        x *= 0.3 / length, y *= 0.3 / length;
    for (int k = 0; k < n; k++)
        z[k] -= x * tangent[0][k] + (m == 2 ? y * tangent[1][k] : 0);
    unit(n, z);
    return hypot(g[0], g[1]) / s->size;
}

static bool newton(const slide *s, double *z)
{
    double before = INFINITY;
    for (int step = 0; step < 25; step++) {
        double error = newton_step(s, z);
        if (error < 0)
            return false;
        if (error <= 1e-15 || (error < 1e-12 && error >= 0.5 * before))
            return true;
        before = error;
    }
    return false;
}

static void drift(const slide *s, double *z)
{
    double step = 0.2, before = -INFINITY;
    for (int turn = 0; turn < 500; turn++) {
        double f[3], growth = left_over(s, z, f, NULL), across = 0;
        if (growth < before)
            step *= 0.7;
        before = growth;
        for (int k = 0; k < s->rank; k++) {
            double part = f[k] - growth * z[k];
            across += part * part;
            z[k] += step * part / s->size;
        }
        unit(s->rank, z);
        if (sqrt(across) < 1e-6 * s->size)
            return;
    }
}

/* Starts from directions all around, in the order of growth L: approximations have no potential: one start
 * may fail. */
static bool scan(const slide *s, double *z)
{
    enum { around = 64 };
    const double pi = 3.14159265358979323846;
    double best = 0, f[3];
    for (int k = 0; k < around; k++)
        for (int tilt = s->rank == 3 ? -8 : 0; tilt <= (s->rank == 3 ? 8 : 0); tilt++) {
            double u = 2 * pi * k / around, w = 0.5 * pi * tilt / 9;
            double trial[3] = {cos(u) * cos(w), sin(u) * cos(w), sin(w)};
            if (!(left_over(s, trial, f, NULL) > best) || !newton(s, trial) ||
                !(left_over(s, trial, f, NULL) > best))
                continue;
            best = left_over(s, trial, f, NULL);
            memcpy(z, trial, (size_t)s->rank * sizeof *z);
        }
    return best > 0;
}

bool slip_patch_slide(const slip_patch *patch, int rank, const double *basis, const double *K,
                      const double *b, double sign, double *z, double *L)
{
    slide s = {.patch = patch, .rank = rank, .basis = basis, .K = K, .b = b};
    double f[3], start[3] = {0, 0, 0};
    for (int k = 0; k < rank; k++) {
        s.size += fabs(b[k]) + fabs(K[rank * k + k]);
        start[k] = z[k];
    }
    if (rank == 1) {
        if (sign > 0)
            z[0] = b[0] < 0 ? -1 : 1;
        *L = left_over(&s, z, f, NULL);
        return *L * sign >= -1e-8 * s.size;
    }
    bool found = newton(&s, z);
    *L = left_over(&s, z, f, NULL);
    if (!(found && *L * sign >= -1e-8 * s.size) && sign > 0) {
        memcpy(z, start, (size_t)rank * sizeof *z);
        drift(&s, z);
        found = (newton(&s, z) && left_over(&s, z, f, NULL) > 0) || scan(&s, z);
        *L = left_over(&s, z, f, NULL);
    }
    return found && *L * sign >= -1e-8 * s.size;
}
