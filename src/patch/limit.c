/* The limit surface. A load u lies on xi times the surface of all friction forces: u = -xi T(q), where q is
 * the velocity in which slip starts.
 *
 * Approximation (0,0): T = A q/L, so that q = -A^-1 u and xi = L(q).
 *
 * Integral model: T is the gradient of the convex Phi, so q is the minimum of Phi(q) under -u.q = |u|, and xi
 * = |u|/ Phi. In the plane of the constraint the Hessian is positive definite (its null direction is q
 * itself, which is not in that plane): Newton's method with a line search. No angles are used, so there is no
 * singular direction. For point loads Phi is a sum of norms, whose minimum may be at a kink (the body rotates
 * about one of the points): the norms are regularised, with a parameter that is reduced step by step.
 *
 * Other approximations, and sums of areas some of which are approximated, are no gradients: Newton's method
 * on T(q) = -u/xi with |q| = 1; where that does not converge the load is approached step by step from one
 * whose q is known. */
#include "patch/patch.h"

#include "math/dense.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

static double norm(const double *a)
{
    return sqrt(slip_dot(3, a, a));
}

/* q = -A^-1 u of the (0,0) approximation. */
static bool linear_guess(const slip_patch *patch, double b, const double u[3], double q[3])
{
    double A[9];
    if (patch->part_count > 0)
        slip_patch_linear(patch, A);
    else
        slip_patch_matrix(&patch->moments, b, A);
    for (int i = 0; i < 3; i++)
        q[i] = -u[i];
    return slip_dense_solve(3, A, q);
}

/* ---- integral model ---- */

/* Phi, its gradient and its Hessian; with point loads rounded off: sqrt(|u|^2 + delta^2). */
static double dissipation(const slip_patch *patch, const double q[3], double delta, double T[3], double H[9])
{
    double phi = 0;
    if (patch->part_count > 0) {
        slip_patch_sum_evaluate(patch, q, T, H);
        return slip_dot(3, q, T);
    }
    if (patch->load != SLIP_PATCH_POINTS) {
        slip_patch_integral_about_pole(patch, 1e-11, q, T, H);
        return slip_dot(3, q, T);
    }
    memset(T, 0, 3 * sizeof *T);
    memset(H, 0, 9 * sizeof *H);
    for (int n = 0; n < patch->point_count; n++) {
        double x = patch->point_x[n], y = patch->point_y[n], p = patch->point_p[n];
        double ux = q[0] - y * q[2], uy = q[1] + x * q[2], h = sqrt(ux * ux + uy * uy + delta * delta);
        double xx = (h * h - ux * ux) / (h * h * h), xy = -ux * uy / (h * h * h),
               yy = (h * h - uy * uy) / (h * h * h);
        double xw = x * xy - y * xx, yw = x * yy - y * xy;
        const double add[9] = {xx, xy, xw, xy, yy, yw, xw, yw, x * yw - y * xw};
        phi += p * h;
        T[0] += p * ux / h;
        T[1] += p * uy / h;
        T[2] += p * (x * uy - y * ux) / h;
        for (int i = 0; i < 9; i++)
            H[i] += p * add[i];
    }
    return phi;
}

static double quadratic(const double H[9], const double a[3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += a[i] * slip_dot(3, H + 3 * i, b);
    return sum;
}

typedef struct descent {
    const slip_patch *patch;
    double s[3], t[3]; /* the plane */
    double delta;
} descent;

/* Newton with a line search from q, which satisfies the constraint. Returns Phi. */
static double minimise(const descent *d, double q[3])
{
    double T[3], H[9], phi = dissipation(d->patch, q, d->delta, T, H);
    for (int step = 0; step < 100; step++) {
        double g0 = slip_dot(3, d->s, T), g1 = slip_dot(3, d->t, T), h00 = quadratic(H, d->s, d->s),
               h01 = quadratic(H, d->s, d->t);
        double h11 = quadratic(H, d->t, d->t), lift = 1e-15 * (h00 + h11), size = hypot(g0, g1);
        double determinant, x, y, slope, length = 1, trial[3], value = phi, next_size = size;
        h00 += lift;
        h11 += lift;
        determinant = h00 * h11 - h01 * h01;
        if (size < 1e-14 || !(determinant > 0))
            break;
        x = -(h11 * g0 - h01 * g1) / determinant;
        y = -(h00 * g1 - h01 * g0) / determinant;
        slope = g0 * x + g1 * y;
        for (int back = 0; back < 40; back++, length /= 2) {
            for (int i = 0; i < 3; i++)
                trial[i] = q[i] + length * (x * d->s[i] + y * d->t[i]);
            value = dissipation(d->patch, trial, d->delta, T, H);
            next_size = hypot(slip_dot(3, d->s, T), slip_dot(3, d->t, T));
            if (value <= phi + 1e-4 * length * slope || (next_size < 0.5 * size && value < phi + 1e-11 * phi))
                break;
        }
        if (value > phi + 1e-11 * phi || (next_size >= size && value >= phi - 1e-15 * phi))
            break; /* nothing left but rounding */
        memcpy(q, trial, sizeof trial);
        phi = value;
        if (next_size < 1e-13)
            break;
    }
    return phi;
}

/* Computed about the pole of the area: about a distant origin every load would be almost a pure moment. */
static int integral_limit(slip_context *ctx, const slip_patch *patch, const double u[3], double *ratio,
                          double q[3])
{
    const double *pole = patch->region.pole, back[2] = {-pole[0], -pole[1]};
    const double load[3] = {u[0], u[1], u[2] - (pole[0] * u[1] - pole[1] * u[0])};
    double a[3], length = norm(load), along, T[3], H[9], phi = 0, guess[3];
    /* At the kink of a point load the gradient changes its direction within delta. Its rounding error does
     * not matter, since Phi changes by at most delta there. */
    const double still = patch->load == SLIP_PATCH_POINTS ? 1e-3 : 1e-6;
    descent d = {.patch = patch};
    for (int i = 0; i < 3; i++)
        a[i] = -load[i] / length;
    slip_tangents(a, d.s, d.t);
    if (linear_guess(patch, 1, u, guess))
        slip_pole_velocity(pole, guess, q);
    if (!(slip_dot(3, a, q) > 1e-3 * norm(q)))
        memcpy(q, a, sizeof a);
    along = slip_dot(3, a, q);
    for (int i = 0; i < 3; i++)
        q[i] /= along;
    if (patch->load == SLIP_PATCH_POINTS)
        for (d.delta = 0.1; d.delta > 1e-11; d.delta /= 10)
            minimise(&d, q);
    d.delta = patch->load == SLIP_PATCH_POINTS ? 1e-11 : 0;
    phi = minimise(&d, q);
    dissipation(patch, q, d.delta, T, H);
    if (!(phi > 0) || !isfinite(phi) || hypot(slip_dot(3, d.s, T), slip_dot(3, d.t, T)) > still)
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "limit surface: no slip direction found for the load %g, %g, %g", u[0], u[1], u[2]);
    *ratio = length / phi;
    memcpy(guess, q, sizeof guess);
    slip_pole_velocity(back, guess, q);
    return SLIP_OK;
}

/* ---- approximations and sums ---- */

/* T(q) - kappa a = 0, |q| = 1, by Newton with a line search on the residual. */
static bool newton(const slip_patch *patch, const double a[3], double q[3], double *kappa)
{
    double T[3], H[9], size;
    slip_patch_surface(patch, q, T, H);
    *kappa = slip_dot(3, T, a);
    size = INFINITY;
    for (int step = 0; step < 60; step++) {
        double matrix[16] = {0}, right[4] = {0}, length = 1, trial[3], residual[3], next = INFINITY,
               value = 0;
        for (int i = 0; i < 3; i++) {
            memcpy(matrix + 4 * i, H + 3 * i, 3 * sizeof *H);
            matrix[4 * i + 3] = -a[i];
            matrix[12 + i] = q[i];
            right[i] = residual[i] = *kappa * a[i] - T[i];
        }
        size = norm(residual);
        if (size < 1e-13)
            return true;
        if (!slip_dense_solve(4, matrix, right))
            return size < 1e-10;
        for (int back = 0; back < 30; back++, length /= 2) {
            for (int i = 0; i < 3; i++)
                trial[i] = q[i] + length * right[i];
            double scale = norm(trial);
            for (int i = 0; i < 3; i++)
                trial[i] /= scale;
            slip_patch_surface(patch, trial, T, H);
            value = *kappa + length * right[3];
            for (int i = 0; i < 3; i++)
                residual[i] = value * a[i] - T[i];
            next = norm(residual);
            if (next < (1 - 0.1 * length) * size)
                break;
        }
        if (!(next < size))
            return size < 1e-10;
        memcpy(q, trial, sizeof trial);
        *kappa = value;
    }
    return size < 1e-10;
}

static void unit(double a[3])
{
    double length = norm(a);
    for (int i = 0; i < 3; i++)
        a[i] /= length;
}

/* Newton's method from `start` and from points around it. For even n the derivative jumps where v or w
 * changes its sign, and with n2 = 0 the moment is quadratic in w near 0, so a start on the other side may
 * converge when one on this side does not. */
static bool newton_around(const slip_patch *patch, const double a[3], const double start[3], double q[3],
                          double *kappa)
{
    static const double distances[] = {0, 0.1, 0.3, 0.7};
    double s[3], t[3];
    slip_tangents(start, s, t);
    for (int n = 0; n < 4; n++)
        for (int k = 0; k < (n == 0 ? 1 : 4); k++) {
            double d = k < 2 ? distances[n] : -distances[n];
            for (int i = 0; i < 3; i++)
                q[i] = start[i] + d * (k % 2 ? s[i] : t[i]);
            unit(q);
            if (newton(patch, a, q, kappa) && *kappa > 0)
                return true;
        }
    return false;
}

/* From the load of a known velocity to the wanted one along the shorter arc. */
static bool follow(const slip_patch *patch, const double a[3], double q[3], double *kappa)
{
    double from[3], done = 0, step = 0.1;
    slip_patch_surface(patch, q, from, NULL);
    unit(from);
    while (done < 1 && step > 1e-6) {
        double next = fmin(1, done + step), goal[3], trial[3] = {q[0], q[1], q[2]};
        for (int i = 0; i < 3; i++)
            goal[i] = (1 - next) * from[i] + next * a[i];
        unit(goal);
        if (newton(patch, goal, trial, kappa) && *kappa > 0) {
            memcpy(q, trial, sizeof trial);
            done = next;
            step *= 1.5;
        } else {
            step /= 2;
        }
    }
    return done >= 1;
}

static int pade_limit(slip_context *ctx, const slip_patch *patch, const double u[3], double *ratio,
                      double q[3])
{
    double a[3], length = norm(u), kappa, start[3], ignored;
    for (int i = 0; i < 3; i++)
        a[i] = -u[i] / length;
    if (patch->part_count == 0 && patch->pade.n == 1) {
        double A[9];
        slip_patch_matrix(&patch->moments, patch->pade.b, A);
        memcpy(q, a, sizeof a);
        if (!slip_dense_solve(3, A, q))
            return slip_fail(ctx, SLIP_ERROR_SOLVER,
                             "limit surface: the matrix of the approximation is singular");
        /* L(q) = |A q|/|T(q)| and A q = a, a unit vector. */
        slip_pade_evaluate(&patch->pade, q, start, NULL);
        *ratio = length / norm(start);
        return SLIP_OK;
    }
    if (patch->part_count > 0 && linear_guess(patch, 1, u, q)) {
        unit(q);
        if (newton(patch, a, q, &kappa) && kappa > 0) {
            *ratio = length / kappa;
            return SLIP_OK;
        }
    }
    if (integral_limit(ctx, patch, u, &ignored, start) < 0)
        memcpy(start, a, sizeof a);
    unit(start);
    bool found = newton_around(patch, a, start, q, &kappa);
    if (!found) {
        memcpy(q, start, sizeof start);
        found = follow(patch, a, q, &kappa);
    }
    if (!found)
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "limit surface: no slip direction found for the load %g, %g, %g", u[0], u[1], u[2]);
    *ratio = length / kappa;
    return SLIP_OK;
}

int slip_patch_limit_find(slip_context *ctx, const slip_patch *patch, const double u[3], double *ratio,
                          double q[3])
{
    *ratio = 0;
    memset(q, 0, 3 * sizeof *q);
    if (!isfinite(u[0]) || !isfinite(u[1]) || !isfinite(u[2]))
        return slip_fail(ctx, SLIP_ERROR_USAGE, "limit surface: load %g, %g, %g: expected finite numbers",
                         u[0], u[1], u[2]);
    if (norm(u) == 0)
        return SLIP_OK;
    int status =
        patch->integral ? integral_limit(ctx, patch, u, ratio, q) : pade_limit(ctx, patch, u, ratio, q);
    if (status == SLIP_OK)
        unit(q);
    return status;
}

bool slip_patch_limit_newton(const slip_patch *patch, const double u[3], double *ratio, double q[3])
{
    double a[3], length = norm(u), kappa;
    for (int i = 0; i < 3; i++)
        a[i] = -u[i] / length;
    if (!(length > 0) || !(norm(q) > 0) || !newton(patch, a, q, &kappa) || !(kappa > 0))
        return false;
    *ratio = length / kappa;
    return true;
}

/* Of the integral model no force is longer than 1 and no moment than that of pure spin. Approximations may
 * exceed this: they are sampled in all directions, with a margin for directions between the samples. */
double slip_patch_reach(const slip_patch *patch)
{
    enum { around = 24, up = 24 };
    const double pi = 3.14159265358979323846, margin = 1.5;
    double most = 0;
    if (patch->integral)
        return hypot(1, patch->moments.c00_1);
    for (int k = 0; k < around; k++)
        for (int l = -up; l <= up; l++) {
            double phi = 2 * pi * k / around, theta = 0.5 * pi * l / up, T[3];
            const double q[3] = {cos(phi) * cos(theta), sin(phi) * cos(theta), sin(theta)};
            slip_pade_evaluate(&patch->pade, q, T, NULL);
            most = fmax(most, norm(T));
        }
    return margin * most;
}
