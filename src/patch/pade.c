/* Approximations of order (n1, n2), n = n1 + n2 + 1: T = P/L with
 *
 *     L = (v^(mn) + b^m |w|^(mn))^(1/m),    P = sum of a_i v^(n-i) w^i,    v = |(vx, vy)|.
 *
 * About pure sliding (w = 0) the integral model is F0 + F1 w/v + ..., about pure spin (v = 0) it is sign(w)
 * (G0 + G1 v/w + ...). Value and first n2 derivatives agree at w = 0 with a_i = F_i, i <= n2 (v >= 0, so
 * there is no sign), value and first n1 derivatives at v = 0 with a_(n-j) = b sign(w)^(n+1) G_j, j <= n1: for
 * odd n without signs, for even n with one. L itself contributes to these expansions from the order mn on,
 * hence mn > max(n1, n2). With
 *
 *     F0 v = (vx, vy, c100 vy - c010 vx),            G0 = (-c011, c101, c00-1),
 *     F1 v^2 = (-k vy, k vx, c200 vx^2 + 2 c110 vx vy + c020 vy^2),   k = c100 vx + c010 vy,
 *     G1 v = (c203 vx + c113 vy, c113 vx + c023 vy, 0)
 *
 * the numerators are
 *
 *     (0,0)  F0v + b w G0                    (1,0)  v F0v + b |w| G1v + b w |w| G0
 *     (0,1)  v F0v + (w/v) F1vv + b w |w| G0 (1,1)  v^2 F0v + w F1vv + b w^2 G1v + b w^3 G0. */
#include "patch/patch.h"

#include <math.h>
#include <string.h>

void slip_pade_set(slip_pade *pade, double m, double b)
{
    pade->m = m;
    pade->b = b;
    pade->b_power = pow(b, m);
}

int slip_pade_prepare(slip_context *ctx, slip_pade *pade)
{
    int larger = pade->n1 > pade->n2 ? pade->n1 : pade->n2;
    if (pade->n1 < 0 || pade->n1 > 1 || pade->n2 < 0 || pade->n2 > 1)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "surface: order [%d, %d]: expected two numbers that are 0 or 1", pade->n1, pade->n2);
    pade->n = pade->n1 + pade->n2 + 1;
    if (!(pade->b > 0) || !isfinite(pade->b) || !(pade->m > 0) || !isfinite(pade->m))
        return slip_fail(ctx, SLIP_ERROR_MODEL, "surface: m %g, b %g: expected two positive numbers", pade->m,
                         pade->b);
    if (!(pade->m * pade->n > larger))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "surface: m %g for order [%d, %d]: expected m > %g, or derivatives at rest of one motion "
            "would not be those of the area",
            pade->m, pade->n1, pade->n2, (double)larger / pade->n);
    if (pade->n1 > 0 && !(isfinite(pade->c.c203) && isfinite(pade->c.c113) && isfinite(pade->c.c023)))
        return slip_fail(
            ctx, SLIP_ERROR_MODEL,
            "surface: order [1, %d] needs the moments c203, c113, c023, which are infinite with a point "
            "load on the origin",
            pade->n2);
    slip_pade_set(pade, pade->m, pade->b);
    return SLIP_OK;
}

/* ---- numerator ---- */

/* The building blocks with their derivatives (3 x 3, row by row). */
typedef struct blocks {
    double f0[3], f1[3], g1[3], g0[3];
    double df0[9], df1[9], dg1[9];
} blocks;

static void fill(const slip_patch_moments *c, const double q[3], blocks *k)
{
    double x = q[0], y = q[1], along = c->c100 * x + c->c010 * y;
    *k = (blocks){
        .f0 = {x, y, c->c100 * y - c->c010 * x},
        .f1 = {-along * y, along * x, c->c200 * x * x + 2 * c->c110 * x * y + c->c020 * y * y},
        .g1 = {c->c203 * x + c->c113 * y, c->c113 * x + c->c023 * y, 0},
        .g0 = {-c->c011, c->c101, c->c00_1},
        .df0 = {1, 0, 0, 0, 1, 0, -c->c010, c->c100, 0},
        .df1 = {-c->c100 * y, -along - c->c010 * y, 0, along + c->c100 * x, c->c010 * x, 0,
                2 * (c->c200 * x + c->c110 * y), 2 * (c->c110 * x + c->c020 * y), 0},
        .dg1 = {c->c203, c->c113, 0, c->c113, c->c023, 0, 0, 0, 0},
    };
}

/* P += factor block, with the factor's gradient. */
static void add(const double *block, const double *slope, double factor, const double gradient[3],
                double P[3], double *dP)
{
    for (int i = 0; i < 3; i++) {
        P[i] += factor * block[i];
        if (dP)
            for (int j = 0; j < 3; j++)
                dP[3 * i + j] += (slope ? factor * slope[3 * i + j] : 0) + block[i] * gradient[j];
    }
}

/* Order (0,0), the one that simulations use most: P = A q. */
static void linear_numerator(const slip_pade *pade, const double q[3], double P[3], double *dP)
{
    const slip_patch_moments *c = &pade->c;
    double w = pade->b * q[2], b = pade->b;
    P[0] = q[0] - c->c011 * w;
    P[1] = q[1] + c->c101 * w;
    P[2] = c->c100 * q[1] - c->c010 * q[0] + c->c00_1 * w;
    if (dP) {
        const double A[9] = {1, 0, -b * c->c011, 0, 1, b * c->c101, -c->c010, c->c100, b * c->c00_1};
        memcpy(dP, A, sizeof A);
    }
}

static void numerator(const slip_pade *pade, const double q[3], double v, double P[3], double *dP)
{
    double w = q[2], size = fabs(w), sign = slip_sign(w), b = pade->b;
    double tx = v > 0 ? q[0] / v : 0, ty = v > 0 ? q[1] / v : 0;
    blocks k;
    if (pade->n == 1) {
        linear_numerator(pade, q, P, dP);
        return;
    }
    fill(&pade->c, q, &k);
    memset(P, 0, 3 * sizeof *P);
    if (dP)
        memset(dP, 0, 9 * sizeof *dP);
    if (pade->n == 3) {
        add(k.f0, k.df0, v * v, (double[3]){2 * q[0], 2 * q[1], 0}, P, dP);
        add(k.f1, k.df1, w, (double[3]){0, 0, 1}, P, dP);
        add(k.g1, k.dg1, b * w * w, (double[3]){0, 0, 2 * b * w}, P, dP);
        add(k.g0, NULL, b * w * w * w, (double[3]){0, 0, 3 * b * w * w}, P, dP);
        return;
    }
    add(k.f0, k.df0, v, (double[3]){tx, ty, 0}, P, dP);
    add(k.g0, NULL, b * w * size, (double[3]){0, 0, 2 * b * size}, P, dP);
    if (pade->n1 == 1)
        add(k.g1, k.dg1, b * size, (double[3]){0, 0, b * sign}, P, dP);
    else if (v > 0)
        add(k.f1, k.df1, w / v, (double[3]){-w * tx / (v * v), -w * ty / (v * v), 1 / v}, P, dP);
}

/* ---- denominator ---- */

/* x^y for x in [0, 1], by products where y is a small whole number. */
static double quick_power(double x, double y)
{
    if (y == 2)
        return x * x;
    if (y == 1)
        return x;
    if (y == 6)
        return x * x * x * (x * x * x);
    if (y == 4)
        return x * x * (x * x);
    return pow(x, y);
}

/* x^(1/m) for x >= 1 */
static double root(double x, double m)
{
    return m == 2 ? sqrt(x) : m == 1 ? x : pow(x, 1 / m);
}

/* L, and the derivatives of ln L with respect to v and w. From the larger of the two terms, so that nothing
 * overflows. */
static double denominator(const slip_pade *pade, double v, double w, double *by_v, double *by_w)
{
    double size = fabs(w), n = pade->n, exponent = pade->m * n, q, L;
    if (v >= size) {
        q = pade->b_power * quick_power(size / v, exponent);
        L = root(1 + q, pade->m);
        *by_v = n / (v * (1 + q));
        *by_w = size > 0 ? slip_sign(w) * n * q / (size * (1 + q)) : 0;
        return L * (pade->n == 1 ? v : pade->n == 2 ? v * v : v * v * v);
    }
    q = quick_power(v / size, exponent) / pade->b_power;
    L = pade->b * root(1 + q, pade->m);
    *by_w = slip_sign(w) * n / (size * (1 + q));
    *by_v = v > 0 ? n * q / (v * (1 + q)) : 0;
    return L * (pade->n == 1 ? size : pade->n == 2 ? size * size : size * size * size);
}

/* ---- together ---- */

/* Values of a unit velocity: T = P/L, its derivative, L and the gradient of ln L. */
typedef struct parts {
    double T[3], dT[9], L, log_gradient[3];
} parts;

static void unit_parts(const slip_pade *pade, const double q[3], bool derivative, parts *out)
{
    double v = sqrt(q[0] * q[0] + q[1] * q[1]), by_v, by_w;
    numerator(pade, q, v, out->T, derivative ? out->dT : NULL);
    out->L = denominator(pade, v, q[2], &by_v, &by_w);
    out->log_gradient[0] = v > 0 ? by_v * q[0] / v : 0;
    out->log_gradient[1] = v > 0 ? by_v * q[1] / v : 0;
    out->log_gradient[2] = by_w;
    for (int i = 0; i < 3; i++)
        out->T[i] /= out->L;
    if (derivative)
        for (int i = 0; i < 9; i++)
            out->dT[i] = out->dT[i] / out->L - out->T[i / 3] * out->log_gradient[i % 3];
}

static double scale_of(const double q[3], double unit[3])
{
    double scale = fmax(fmax(fabs(q[0]), fabs(q[1])), fabs(q[2]));
    for (int i = 0; i < 3; i++)
        unit[i] = scale > 0 ? q[i] / scale : 0;
    return scale;
}

/* Order (0,0) with m = 2, which simulations use most: T = numerator / sqrt(square). False where the square
 * might be out of range, or it is another approximation. */
static inline bool simplest(const slip_pade *pade, const double q[3], double T[3], double *square)
{
    const slip_patch_moments *c = &pade->c;
    const double w = pade->b * q[2];
    if (pade->n != 1 || pade->m != 2)
        return false;
    T[0] = q[0] - c->c011 * w;
    T[1] = q[1] + c->c101 * w;
    T[2] = c->c00_1 * w - c->c010 * q[0] + c->c100 * q[1];
    *square = q[0] * q[0] + q[1] * q[1] + w * w;
    return *square > 1e-200 && *square < 1e200;
}

void slip_pade_evaluate(const slip_pade *pade, const double q[3], double T[3], double *derivative)
{
    double unit[3], scale, square;
    parts p;
    if (!derivative && simplest(pade, q, T, &square)) {
        double factor = 1 / sqrt(square);
        T[0] *= factor;
        T[1] *= factor;
        T[2] *= factor;
        return;
    }
    scale = scale_of(q, unit);
    memset(T, 0, 3 * sizeof *T);
    if (derivative)
        memset(derivative, 0, 9 * sizeof *derivative);
    if (!(scale > 0))
        return;
    unit_parts(pade, unit, derivative != NULL, &p);
    memcpy(T, p.T, sizeof p.T);
    if (derivative)
        for (int i = 0; i < 9; i++)
            derivative[i] = p.dT[i] / scale;
}

/* g(s) = s/h + eta' s e^3/h^4, h = sqrt(s^2+e^2). */
void slip_smooth_factor(double s, double epsilon, double eta_prime, double *ratio, double *slope)
{
    double h = sqrt(s * s + epsilon * epsilon), c = epsilon / h, t = s / h, peak = eta_prime * c * c * c;
    *ratio = (1 + peak) / h;
    *slope = (c * c + peak * (c * c - 3 * t * t)) / h;
}

void slip_pade_rest(const slip_pade *pade, double epsilon, double eta_prime, double *derivative)
{
    static const double rest[3] = {0, 0, 0};
    double factor = (1 + eta_prime) / epsilon, spin = pow(pade->b, 1.0 / pade->n);
    blocks k;
    fill(&pade->c, rest, &k);
    for (int i = 0; i < 3; i++) {
        derivative[3 * i] = factor * k.df0[3 * i];
        derivative[3 * i + 1] = factor * k.df0[3 * i + 1];
        derivative[3 * i + 2] = factor * spin * k.g0[i];
    }
}

/* T g(l) with l = L^(1/n), a velocity. With q = scale times unit, l = scale times that of the unit velocity;
 * the scale drops out of the derivative, which therefore is finite however slow the motion is. */
void slip_pade_smooth(const slip_pade *pade, double epsilon, double eta_prime, const double q[3], double T[3],
                      double *derivative)
{
    double unit[3], scale, l, ratio, slope, square;
    parts p;
    if (!derivative && simplest(pade, q, T, &square)) {
        double h = sqrt(square + epsilon * epsilon), c = epsilon / h,
               factor = (1 + eta_prime * c * c * c) / h;
        T[0] *= factor;
        T[1] *= factor;
        T[2] *= factor;
        return;
    }
    scale = scale_of(q, unit);
    if (!(scale > 0)) {
        memset(T, 0, 3 * sizeof *T);
        if (derivative)
            slip_pade_rest(pade, epsilon, eta_prime, derivative);
        return;
    }
    unit_parts(pade, unit, derivative != NULL, &p);
    l = pade->n == 1 ? p.L : pade->n == 2 ? sqrt(p.L) : cbrt(p.L);
    slip_smooth_factor(scale * l, epsilon, eta_prime, &ratio, &slope);
    for (int i = 0; i < 3; i++)
        T[i] = p.T[i] * scale * l * ratio;
    if (derivative)
        for (int i = 0; i < 9; i++)
            derivative[i] = p.dT[i] * l * ratio + p.T[i / 3] * l * p.log_gradient[i % 3] / pade->n * slope;
}
