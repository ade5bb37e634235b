/* The best m and b of an approximation: least squares of its distance from the integral model over directions
 *
 *     q = (cos theta cos phi, cos theta sin phi, sin theta),  theta uniform in [0, pi/2], phi uniform in [0,
 * 2 pi).
 *
 * These are half of all directions; the other half has the same errors with opposite signs. For circular
 * areas one phi is enough. Equal steps in phi, Gauss points in theta between the edges: where the
 * instantaneous centre meets one, higher derivatives of the integral model are not continuous.
 * Levenberg-Marquardt in ln(m - m0) and ln b, m0 = max(n1, n2)/n being the lower limit of m. */
#include "patch/patch.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

enum { plain_panels = 4 }; /* of theta, where no edges are known */

typedef struct sample {
    double q[3], T[3], weight; /* weights sum to 1 */
} sample;

typedef struct problem {
    slip_pade pade;
    double least_m;
    sample *samples;
    int count;
} problem;

/* Where theta is divided for one phi: ascending angles from 0 to pi/2 into breaks[]; returns the number of
 * panels. The instantaneous centre is cot theta (-sin phi, cos phi); on an edge of the area the integral
 * model is not smooth. */
static int divide(const slip_patch *patch, double phi, double *breaks)
{
    double ends[slip_region_ends_max];
    int count = 0, pairs = 0;
    if (patch->load == SLIP_PATCH_REGION)
        pairs = slip_region_chords(
            &patch->region, &(slip_line){-patch->region.pole[0], -patch->region.pole[1], -sin(phi), cos(phi)},
            ends);
    breaks[count++] = 0;
    for (int k = 2 * pairs - 1; k >= 0; k--)
        if (ends[k] > 0)
            breaks[count++] = atan2(1, ends[k]);
    if (count == 1)
        for (int k = 1; k < plain_panels; k++)
            breaks[count++] = pi / 2 * k / plain_panels;
    breaks[count] = pi / 2;
    return count;
}

static int take_samples(slip_context *ctx, const slip_patch *patch, problem *p)
{
    const int phis = patch->circular ? 1 : 48;
    double breaks[slip_region_ends_max + 2];
    slip_rule rule;
    slip_rule_legendre(&rule, patch->circular ? 24 : 12);
    for (int i = 0; i < phis; i++)
        p->count += rule.count * divide(patch, 2 * pi * i / phis, breaks);
    sample *s = p->samples = slip_alloc(p->count, sizeof *p->samples);
    SLIP_PASS(slip_allocated(ctx, s));
    for (int i = 0; i < phis; i++) {
        const double phi = 2 * pi * i / phis;
        const int panels = divide(patch, phi, breaks);
        for (int k = 0; k < panels * rule.count; k++, s++) {
            const double *ends = breaks + k / rule.count, width = ends[1] - ends[0];
            const double theta = ends[0] + width * (1 + rule.node[k % rule.count]) / 2;
            s->q[0] = cos(theta) * cos(phi);
            s->q[1] = cos(theta) * sin(phi);
            s->q[2] = sin(theta);
            s->weight = rule.weight[k % rule.count] / 2 * width / (pi / 2) / phis;
            slip_patch_integral_direct(patch, s->q, s->T, NULL);
        }
        if (slip_interrupted(ctx))
            return slip_fail(ctx, SLIP_INTERRUPTED, "interrupted while fitting m and b");
    }
    return SLIP_OK;
}

static void set(problem *p, const double x[2])
{
    slip_pade_set(&p->pade, p->least_m + exp(x[0]), exp(x[1]));
}

static double objective(problem *p, const double x[2])
{
    double sum = 0;
    set(p, x);
    for (int i = 0; i < p->count; i++) {
        const sample *s = &p->samples[i];
        double T[3];
        slip_pade_evaluate(&p->pade, s->q, T, NULL);
        for (int k = 0; k < 3; k++)
            sum += s->weight * (T[k] - s->T[k]) * (T[k] - s->T[k]);
    }
    return sum;
}

/* Gradient and Gauss-Newton matrix (three numbers) of half the objective, by central differences. */
static void linearise(problem *p, const double x[2], double gradient[2], double matrix[3])
{
    static const double step = 1e-5;
    slip_pade at[5];
    for (int k = 0; k < 5; k++) {
        double shifted[2] = {x[0] + (k == 1   ? step
                                     : k == 2 ? -step
                                              : 0),
                             x[1] + (k == 3   ? step
                                     : k == 4 ? -step
                                              : 0)};
        set(p, shifted);
        at[k] = p->pade;
    }
    gradient[0] = gradient[1] = matrix[0] = matrix[1] = matrix[2] = 0;
    for (int i = 0; i < p->count; i++) {
        const sample *s = &p->samples[i];
        double T[5][3];
        for (int k = 0; k < 5; k++)
            slip_pade_evaluate(&at[k], s->q, T[k], NULL);
        for (int c = 0; c < 3; c++) {
            double by_m = (T[1][c] - T[2][c]) / (2 * step), by_b = (T[3][c] - T[4][c]) / (2 * step);
            double residual = T[0][c] - s->T[c];
            gradient[0] += s->weight * residual * by_m;
            gradient[1] += s->weight * residual * by_b;
            matrix[0] += s->weight * by_m * by_m;
            matrix[1] += s->weight * by_m * by_b;
            matrix[2] += s->weight * by_b * by_b;
        }
    }
}

/* Both parameters stay within e^-12 .. e^6, where the approximation no longer depends on them. */
static double bounded(double x)
{
    return fmin(6, fmax(-12, x));
}

static double minimise(problem *p, double x[2])
{
    double value = objective(p, x), damping = 1e-3;
    for (int step = 0; step < 200; step++) {
        double g[2], a[3], next[2], trial, determinant, d0, d2;
        linearise(p, x, g, a);
        d0 = a[0] * (1 + damping) + 1e-14;
        d2 = a[2] * (1 + damping) + 1e-14;
        determinant = d0 * d2 - a[1] * a[1];
        next[0] = bounded(x[0] - (d2 * g[0] - a[1] * g[1]) / determinant);
        next[1] = bounded(x[1] - (d0 * g[1] - a[1] * g[0]) / determinant);
        trial = objective(p, next);
        if (trial <= value) {
            bool done = fabs(next[0] - x[0]) + fabs(next[1] - x[1]) < 1e-9;
            x[0] = next[0];
            x[1] = next[1];
            value = trial;
            damping = fmax(1e-9, damping / 10);
            if (done)
                break;
        } else if ((damping *= 5) > 1e9) {
            break;
        }
    }
    return value;
}

int slip_patch_fit_best(slip_context *ctx, const slip_patch *patch, slip_pade *pade, double *rms)
{
    static const double starts[][2] = {{2, 1}, {1, 0.5}, {0.8, 2}, {4, 0.7}};
    problem p = {.samples = NULL};
    double best = INFINITY, at[2] = {0, 0};
    int status, larger = pade->n1 > pade->n2 ? pade->n1 : pade->n2;
    pade->m = 2;
    pade->b = 1;
    SLIP_TRY(slip_pade_prepare(ctx, pade));
    p.pade = *pade;
    p.least_m = (double)larger / pade->n;
    SLIP_TRY(take_samples(ctx, patch, &p));
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        double x[2] = {log(starts[i][0]), log(starts[i][1])}, value = minimise(&p, x);
        if (value < best) {
            best = value;
            at[0] = x[0];
            at[1] = x[1];
        }
    }
    set(&p, at);
    *pade = p.pade;
    if (rms)
        *rms = sqrt(best);
done:
    free(p.samples);
    return status;
}

/* Error of the force (part 0) or the moment (part 1) in direction theta, phi. */
static double error_at(const slip_patch *patch, const slip_pade *pade, int part, const double at[2])
{
    const double q[3] = {cos(at[0]) * cos(at[1]), cos(at[0]) * sin(at[1]), sin(at[0])};
    double T[3], I[3];
    slip_pade_evaluate(pade, q, T, NULL);
    slip_patch_integral_direct(patch, q, I, NULL);
    return part == 0 ? hypot(T[0] - I[0], T[1] - I[1]) : fabs(T[2] - I[2]);
}

/* The largest error between samples, by ascent from the worst one. It is flat: steps of 1e-4 give it to about
 * 1e-8. */
static double largest_error(const slip_patch *patch, const slip_pade *pade, int part, const sample *worst)
{
    double at[2] = {asin(worst->q[2]), atan2(worst->q[1], worst->q[0])};
    double best = error_at(patch, pade, part, at);
    for (double step = 0.03; step > 1e-4; step /= 2)
        for (int k = 0; k < (patch->circular ? 2 : 4); k++) {
            double next[2] = {at[0] + (k == 0   ? step
                                       : k == 1 ? -step
                                                : 0),
                              at[1] + (k == 2   ? step
                                       : k == 3 ? -step
                                                : 0)};
            double error = next[0] < 0 || next[0] > pi / 2 ? 0 : error_at(patch, pade, part, next);
            if (error <= best)
                continue;
            best = error;
            at[0] = next[0];
            at[1] = next[1];
            k = -1;
        }
    return best;
}

int slip_patch_fit_error(slip_context *ctx, const slip_patch *patch, const slip_pade *pade, double *rms,
                         double *force, double *moment)
{
    problem p = {.samples = NULL};
    double sum = 0;
    int status;
    const sample *worst[2] = {NULL, NULL};
    *force = *moment = -1;
    SLIP_TRY(take_samples(ctx, patch, &p));
    for (int i = 0; i < p.count; i++) {
        const sample *s = &p.samples[i];
        double T[3], d[3];
        slip_pade_evaluate(pade, s->q, T, NULL);
        for (int k = 0; k < 3; k++)
            d[k] = T[k] - s->T[k];
        sum += s->weight * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (hypot(d[0], d[1]) > *force) {
            *force = hypot(d[0], d[1]);
            worst[0] = s;
        }
        if (fabs(d[2]) > *moment) {
            *moment = fabs(d[2]);
            worst[1] = s;
        }
    }
    *force = largest_error(patch, pade, 0, worst[0]);
    *moment = largest_error(patch, pade, 1, worst[1]);
    *rms = sqrt(sum);
done:
    free(p.samples);
    return status;
}
