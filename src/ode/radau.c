/* The implicit Runge-Kutta method Radau IIA with three stages, of order 5: a one-step method that follows
 * slow motion with long steps however fast the rest decays. E. Hairer, G. Wanner: Solving Ordinary
 * Differential Equations II, 2nd ed., section IV.8, from which the error estimate and the choice of steps are
 * taken.
 *
 * The stages z_i = Y_i - y0 solve z_i = h sum a_ij f(Y_j), all 3 m numbers at once by Newton's method with
 * the Jacobian of each stage. The usual Jacobian of the beginning for all of them is cheaper in large
 * systems, but fails where stiffness changes within a step: slip that comes to rest is infinitely stiff at
 * the end. */
#include "math/dense.h"
#include "ode/stepper.h"

#include <float.h>
#include <math.h>

static const double c1 = 0.15505102572168219, c2 = 0.64494897427831781; /* (4 -+ sqrt 6)/10; c3 = 1 */
static const double A[3][3] = {{0.19681547722366043, -0.065535425850198388, 0.023770974348220152},
                               {0.39442431473908728, 0.29207341166522847, -0.041548752125997930},
                               {0.37640306270046728, 0.51248582618842162, 1.0 / 9}};
/* The error estimate: the real eigenvalue of the inverse of A; -(13 +- 7 sqrt 6)/3, -1/3. */
static const double gamma_of = 3.6378342527444957;
static const double d1 = -10.048809399827414, d2 = 1.3821427331607479, d3 = -1.0 / 3;

typedef struct radau {
    double *jacobian;          /* m x m, where the step begins and at a stage */
    double *stages, *estimate; /* factors of the stages' system, 3 m x 3 m, and of the estimate's, m x m */
    int *stage_pivots, *estimate_pivots;
    double *z, *f, *change; /* 3 m each: stages, right sides, what Newton's method changes */
    double *trial, *error, *scale;
    double *dense; /* 3 m: divided differences of the collocation polynomial */
    double next;
    double last_step, last_error; /* of the last accepted step: what the next one is predicted from */
    bool has_dense;               /* the polynomial is that of the last step, and may be continued */
    bool after_reject, fresh;
} radau;

static int radau_create(slip_context *ctx, slip_stepper *stepper)
{
    const int64_t m = stepper->ode.m;
    radau *own = stepper->own = slip_arena_alloc(&stepper->arena, sizeof *own);
    double *numbers = slip_arena_array(&stepper->arena, 11 * m * m + 15 * m, sizeof(double));
    int *pivots = slip_arena_array(&stepper->arena, 4 * m, sizeof *pivots);
    SLIP_PASS(slip_allocated(ctx, own && numbers && pivots));
    own->jacobian = numbers;
    own->estimate = numbers + m * m;
    own->stages = numbers + 2 * m * m;
    numbers += 11 * m * m;
    own->z = numbers;
    own->f = numbers + 3 * m;
    own->change = numbers + 6 * m;
    own->dense = numbers + 9 * m;
    own->trial = numbers + 12 * m;
    own->error = numbers + 13 * m;
    own->scale = numbers + 14 * m;
    own->estimate_pivots = pivots;
    own->stage_pivots = pivots + m;
    return SLIP_OK;
}

static void radau_destroy(slip_stepper *stepper)
{
    (void)stepper; /* all memory is the stepper's arena */
}

/* ---- One step. */

/* z: the collocation polynomial of the step before, continued; or nothing. */
static void predict(slip_stepper *stepper, double h)
{
    radau *own = stepper->own;
    const int m = stepper->ode.m;
    const double r = h / own->last_step, at[3] = {c1 * r, c2 * r, r};
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < m; i++) {
            const double *part = own->dense + 3 * i;
            own->z[s * m + i] =
                own->has_dense ? at[s] * (part[0] + (at[s] + 1 - c2) * (part[1] + (at[s] + 1 - c1) * part[2]))
                               : 0;
        }
}

/* Right sides of the stages and, with `anew`, the factors of I - h a_ij J_j. */
static bool evaluate_stages(slip_stepper *stepper, double h, bool anew)
{
    const slip_ode *ode = &stepper->ode;
    radau *own = stepper->own;
    const int m = ode->m;
    const double at[3] = {stepper->x0 + c1 * h, stepper->x0 + c2 * h, stepper->x1};
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < m; i++)
            own->trial[i] = stepper->y0[i] + own->z[s * m + i];
        if (!ode->rhs(ode->user, at[s], own->trial, own->f + s * m))
            return false;
        if (!anew)
            continue;
        stepper->jacobians++;
        if (!ode->jacobian(ode->user, at[s], own->trial, own->jacobian))
            return false;
        for (int r = 0; r < 3; r++)
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    own->stages[(r * m + i) * 3 * m + s * m + j] =
                        -h * A[r][s] * own->jacobian[i * m + j] + (r == s && i == j);
    }
    return !anew || slip_dense_factor(3 * m, own->stages, own->stage_pivots);
}

/* Changes z by one step of Newton's method; returns the size of the change over the tolerance. */
static double correct(slip_stepper *stepper, double h)
{
    radau *own = stepper->own;
    const int m = stepper->ode.m;
    const double *f1 = own->f, *f2 = own->f + m, *f3 = own->f + 2 * m;
    double sum = 0;
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < m; i++)
            own->change[s * m + i] =
                h * (A[s][0] * f1[i] + A[s][1] * f2[i] + A[s][2] * f3[i]) - own->z[s * m + i];
    slip_dense_substitute(3 * m, own->stages, own->stage_pivots, own->change);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < m; i++) {
            double part = own->change[s * m + i] * own->scale[i];
            own->z[s * m + i] += own->change[s * m + i];
            sum += part * part;
        }
    return sqrt(sum / (3 * m));
}

/* The stages by Newton's method, until what is left is well below what the step may be off by. Jacobians are
 * evaluated again where that has not become a tenth. */
static bool find_stages(slip_stepper *stepper, double h)
{
    enum { rounds = 10 };
    const double enough = 0.01;
    double before = INFINITY;
    bool anew = true;
    for (int round = 0; round < rounds; round++) {
        double change, ratio;
        if (!evaluate_stages(stepper, h, anew))
            return false;
        change = correct(stepper, h);
        if (!isfinite(change))
            return false;
        if (change <= 1e-3 * enough)
            return true;
        ratio = change / before;
        if (round > 0 && ratio < 0.5 && change * ratio <= enough)
            return true;
        if (round > 2 && ratio > 2)
            return false;
        anew = round > 0 && ratio > 0.1;
        before = change;
    }
    return false;
}

/* (gamma/h - J) error = f + (d1 z1 + d2 z2 + d3 z3)/h, of order h^4 */
static double estimate(slip_stepper *stepper, double h, const double *f)
{
    radau *own = stepper->own;
    const int m = stepper->ode.m;
    double sum = 0;
    for (int i = 0; i < m; i++)
        own->error[i] = f[i] + (d1 * own->z[i] + d2 * own->z[m + i] + d3 * own->z[2 * m + i]) / h;
    slip_dense_substitute(m, own->estimate, own->estimate_pivots, own->error);
    for (int i = 0; i < m; i++)
        sum += own->error[i] * own->scale[i] * own->error[i] * own->scale[i];
    return fmax(sqrt(sum / m), 1e-10);
}

/* The error of the step over the tolerance. Of a stiff component the first estimate is far too large: then
 * once more through the equation. */
static double error_of(slip_stepper *stepper, double h)
{
    radau *own = stepper->own;
    const slip_ode *ode = &stepper->ode;
    const int m = ode->m;
    stepper->jacobians++;
    if (!ode->jacobian(ode->user, stepper->x0, stepper->y0, own->jacobian))
        return INFINITY;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            own->estimate[i * m + j] = (i == j ? gamma_of / h : 0) - own->jacobian[i * m + j];
    if (!slip_dense_factor(m, own->estimate, own->estimate_pivots))
        return INFINITY;
    double error = estimate(stepper, h, stepper->f0);
    if (error < 1 || !(own->fresh || own->after_reject))
        return error;
    for (int i = 0; i < m; i++)
        own->trial[i] = stepper->y0[i] + own->error[i];
    return ode->rhs(ode->user, stepper->x0, own->trial, own->f) ? estimate(stepper, h, own->f) : error;
}

static void end_step(slip_stepper *stepper)
{
    radau *own = stepper->own;
    const int m = stepper->ode.m;
    for (int i = 0; i < m; i++) {
        const double z1 = own->z[i], z2 = own->z[m + i], z3 = own->z[2 * m + i];
        double *part = own->dense + 3 * i, lower = z1 / c1;
        stepper->y1[i] = stepper->y0[i] + z3;
        part[0] = (z2 - z3) / (c2 - 1);
        double middle = (z1 - z2) / (c1 - c2);
        part[1] = (middle - part[0]) / (c1 - 1);
        part[2] = part[1] - (middle - lower) / c2;
    }
}

/* The steps of a method whose estimate is of lower order: the 2/3 power, as in the publication's program. */
static double loosened(double tolerance)
{
    return fmax(tolerance, 0.1 * pow(tolerance, 2.0 / 3));
}

static void weigh(slip_stepper *stepper)
{
    radau *own = stepper->own;
    const double relative = loosened(stepper->tolerance);
    for (int i = 0; i < stepper->ode.m; i++)
        own->scale[i] = 1 / (relative * (stepper->absolute[i] / stepper->tolerance + fabs(stepper->y0[i])));
}

static int radau_start(slip_stepper *stepper, double first_step)
{
    radau *own = stepper->own;
    double state = 0, slope = 0;
    for (int i = 0; i < stepper->ode.m; i++) {
        state = fmax(state, fabs(stepper->y1[i]));
        slope = fmax(slope, fabs(stepper->f1[i]));
    }
    own->next = first_step > 0 ? first_step : 1e-3 * fmax(state, 1e-3) / fmax(slope, 1e-10);
    own->has_dense = own->after_reject = false;
    own->fresh = true;
    own->last_step = own->next;
    own->last_error = 1;
    return SLIP_OK;
}

static double next_step(radau *own, double h, double error)
{
    double factor = fmin(fmax(pow(error, 0.25) / 0.9, 0.125), 5), next;
    if (!own->fresh) {
        /* how the error changes from step to step goes on */
        double change = fabs(own->last_step) / h * pow(error * error / own->last_error, 0.25) / 0.9;
        factor = fmax(factor, fmin(fmax(change, 0.125), 5));
    }
    next = h / factor;
    own->last_error = fmax(1e-2, error);
    return own->after_reject ? fmin(next, h) : next;
}

static int radau_step(slip_stepper *stepper, double limit)
{
    radau *own = stepper->own;
    const slip_ode *ode = &stepper->ode;
    slip_stepper_begin(stepper);
    const double start = stepper->x0, distance = fabs(limit - start);
    const double smallest = 16 * DBL_EPSILON * fmax(fabs(start), DBL_MIN / DBL_EPSILON);
    bool defined = true;
    weigh(stepper);
    for (;;) {
        const bool last = own->next * (1 + 1e-10) >= distance;
        const double length = last ? distance : own->next, h = stepper->direction * length;
        stepper->x1 = last ? limit : start + h;
        predict(stepper, h);
        double error = find_stages(stepper, h) ? error_of(stepper, h) : INFINITY;
        if (error < 1) {
            double next = next_step(own, length, error);
            end_step(stepper);
            defined = ode->rhs(ode->user, stepper->x1, stepper->y1, stepper->f1);
            if (defined) {
                own->next = last && next < own->next ? fmin(own->next, 10 * next) : next;
                own->last_step = h;
                own->has_dense = true;
                own->after_reject = own->fresh = false;
                stepper->steps++;
                return SLIP_OK;
            }
            error = INFINITY;
        }
        stepper->rejected++;
        own->has_dense &= isfinite(error); /* or it misled */
        own->next = isfinite(error) ? length / fmin(fmax(pow(error, 0.25) / 0.9, 1.25), 8) : 0.4 * length;
        own->after_reject = true;
        if (own->next < smallest)
            return slip_stepper_give_up(stepper, defined ? SLIP_STEP_TOO_SMALL : SLIP_STEP_UNDEFINED);
    }
}

/* From the same beginning. */
static bool radau_retake(slip_stepper *stepper, double x1)
{
    radau *own = stepper->own;
    const double h = x1 - stepper->x0;
    stepper->x1 = x1;
    own->has_dense = false;
    predict(stepper, h);
    if (!find_stages(stepper, h))
        return false;
    end_step(stepper);
    own->last_step = h;
    own->has_dense = true;
    return stepper->ode.rhs(stepper->ode.user, x1, stepper->y1, stepper->f1);
}

static void radau_interpolate(slip_stepper *stepper, double x, int first, int count, double *y)
{
    radau *own = stepper->own;
    const double s = (x - stepper->x1) / (stepper->x1 - stepper->x0);
    for (int i = 0; i < count; i++) {
        const double *part = own->dense + 3 * (first + i);
        y[i] = stepper->y1[first + i] + s * (part[0] + (s + 1 - c2) * (part[1] + (s + 1 - c1) * part[2]));
    }
}

const slip_stepper_type slip_stepper_radau = {
    .name = "radau",
    .order = 5,
    .dense_order = 3,
    .adaptive = true,
    .create = radau_create,
    .destroy = radau_destroy,
    .start = radau_start,
    .step = radau_step,
    .retake = radau_retake,
    .interpolate = radau_interpolate,
};
