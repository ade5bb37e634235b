/* Closed forms of the integral model: uniform disc and annulus, Hertzian disc.
 *
 * Circular areas depend on d = v/|w|, the distance of the instantaneous centre. With the elliptic integrals
 * E, B, C, D (see elliptic) the uniform unit disc has
 *
 *     d <= 1, modulus d:    T = 4 d/(3 pi) (B + E),  M = 4/(9 pi) ((3 - 2 d^2) E + d^2 B),  dT/dd = 4 E/pi -
 * T/d, d >= 1, modulus 1/d:  T = 4/(3 pi) (B + E),    M = 4/(9 pi d) (3 B + C - D),          dT/dd = 4 (D -
 * C)/(3 pi d^3),
 *
 * where no term cancels for small or large d (the forms in K and E that are usually printed do). Everything
 * else follows from homogeneity: with h = dT/dv, dT/dw = dM/dv = -h v/w and dM/dw = h v^2/w^2. */
#include "patch/patch.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Arithmetic-geometric mean a, b with c_{n+1} = (a_n - b_n)/2 = c_n^2/(4 a_{n+1}) (M. Abramowitz, I. Stegun:
 * Handbook of mathematical functions, 17.6): K = pi/(2 a), K - E = K sum 2^(n-1) c_n^2 with c_0 = k. Since
 * c_1 = k^2/(2 (1 + k')), the factors k^2 and k^4 can be divided out before anything is summed. */
static void elliptic(double k, double k1, double *K, double *D, double *C)
{
    double a = (1 + k1) / 2, b = sqrt(k1), c = 1 / (2 * (1 + k1)); /* c_n/k^2 */
    double power = 2, sum = 0, kk = k * k;
    for (int i = 0; i < 12; i++) {
        sum += power * c * c;
        double next = (a + b) / 2;
        c = kk * c * c / (4 * next); /* (c_n/k^2)^2 k^2 is c_n^2/k^2 */
        b = sqrt(a * b);
        a = next;
        power *= 2;
        if (c < 1e-9)
            break;
    }
    *K = pi / (2 * a);
    *C = *K * sum; /* (2D - K)/k^2 */
    *D = (*K + kk * *C) / 2;
}

/* Unit disc, uniform. */
static slip_circular disc(double v, double w)
{
    double K, D, C, B, E, spin = fabs(w), sign = w < 0 ? -1 : 1;
    slip_circular out;
    if (v <= spin) {
        double d = v / spin, slope;
        elliptic(d, sqrt(fmax(1e-32, (1 - d) * (1 + d))), &K, &D, &C);
        B = K - D;
        E = K - d * d * D;
        out.force = 4 * d / (3 * pi) * (B + E);
        out.force_over_v = 4 / (3 * pi) * (B + E) / spin;
        out.moment = sign * 4 / (9 * pi) * ((3 - 2 * d * d) * E + d * d * B);
        slope = 4 / pi * E - 4 / (3 * pi) * (B + E);
        out.vv = slope / spin;
        out.vw = -sign * d * slope / spin;
        out.ww = d * d * slope / spin;
    } else {
        double k = spin / v, slope;
        elliptic(k, sqrt(fmax(1e-32, (1 - k) * (1 + k))), &K, &D, &C);
        B = K - D;
        E = K - k * k * D;
        out.force = 4 / (3 * pi) * (B + E);
        out.force_over_v = out.force / v;
        out.moment = sign * 4 * k / (9 * pi) * (3 * B + C - D);
        slope = 4 / (3 * pi) * (D - C);
        out.ww = slope / v;
        out.vw = -sign * k * slope / v;
        out.vv = k * k * slope / v;
    }
    return out;
}

/* For x = 1/d below one half the closed forms of the Hertzian disc cancel. With asin x = sum alpha_k x^(2k+1)
 * and sqrt(1-x^2) = sum beta_k x^(2k) they become T = 3/16 sum (4 alpha_k - alpha_{k+1} + beta_{k+1} + 2
 * beta_k) x^(2k), M = sum (3/8 (alpha_k - alpha_{k+1} + 3/8 alpha_{k+2}) + 9/64 (2 beta_{k+1} - beta_{k+2}))
 * x^(2k+1), and the slope dM/dx comes from the latter. */
static void hertz_series(double x, double *T, double *M, double *slope)
{
    double alpha[3] = {1, 1.0 / 6, 3.0 / 40}, beta[3] = {1, -0.5, -0.125}, power = 1;
    *T = *M = *slope = 0;
    for (int k = 0; k < 28; k++) {
        double t = 3.0 / 16 * (4 * alpha[0] - alpha[1] + beta[1] + 2 * beta[0]);
        double m = 3.0 / 8 * (alpha[0] - alpha[1] + 3.0 / 8 * alpha[2]) + 9.0 / 64 * (2 * beta[1] - beta[2]);
        int next = k + 3;
        *T += t * power;
        *M += m * power * x;
        *slope += (2 * k + 1) * m * power;
        power *= x * x;
        alpha[0] = alpha[1];
        alpha[1] = alpha[2];
        alpha[2] *= (double)((2 * next - 1) * (2 * next - 1)) / (2 * next * (2 * next + 1));
        beta[0] = beta[1];
        beta[1] = beta[2];
        beta[2] *= (2 * next - 3) / (2.0 * next);
    }
}

/* Unit disc, Hertzian. */
static slip_circular hertz(double v, double w)
{
    double spin = fabs(w), sign = w < 0 ? -1 : 1;
    slip_circular out;
    if (v <= spin) {
        double d = v / spin, slope = 3 * pi / 16 * (2 - 1.5 * d * d);
        out.force_over_v = 3 * pi / 16 * (2 - d * d / 2) / spin;
        out.force = out.force_over_v * v;
        out.moment = sign * 3 * pi / 16 * (1 - d * d + 0.375 * d * d * d * d);
        out.vv = slope / spin;
        out.vw = -sign * d * slope / spin;
        out.ww = d * d * slope / spin;
    } else {
        double x = spin / v, T, M, slope; /* slope = dM/dx = d^3 dT/dd */
        if (x < 0.5)
            hertz_series(x, &T, &M, &slope);
        else {
            double root = sqrt((1 - x) * (1 + x)); /* in both a and q: at x = 1 its error drops out */
            double d = 1 / x, a = atan2(x, root), q = root / x, dd = d * d;
            T = 3.0 / 16 * ((4 * d - d * dd) * a + (dd + 2) * q / d);
            M = 3.0 / 8 * (1 - dd + 0.375 * dd * dd) * a + 9.0 / 64 * (2 - dd) * q;
            slope = d * dd * 3.0 / 16 * ((4 - 3 * dd) * a + (3 - 2 / dd) * q);
        }
        out.force = T;
        out.force_over_v = T / v;
        out.moment = sign * M;
        out.ww = slope / v;
        out.vw = -sign * x * slope / v;
        out.vv = x * x * slope / v;
    }
    return out;
}

/* A disc of radius r: spin counts r times, moment too. */
static slip_circular scaled(slip_circular (*unit)(double v, double w), double r, double v, double w)
{
    slip_circular c = unit(v, r * w);
    c.moment *= r;
    c.vw *= r;
    c.ww *= r * r;
    return c;
}

slip_circular slip_patch_circular(const slip_patch *patch, double v, double w)
{
    double outer = patch->region.a, inner = patch->region.hole, share;
    slip_circular big, small;
    if (patch->closed == SLIP_PATCH_HERTZ)
        return scaled(hertz, outer, v, w);
    big = scaled(disc, outer, v, w);
    if (!(inner > 0))
        return big;
    small = scaled(disc, inner, v, w);
    share = inner * inner / (outer * outer - inner * inner); /* of the hole's load, over that of the ring */
    big.force += share * (big.force - small.force);
    big.force_over_v += share * (big.force_over_v - small.force_over_v);
    big.moment += share * (big.moment - small.moment);
    big.vv += share * (big.vv - small.vv);
    big.vw += share * (big.vw - small.vw);
    big.ww += share * (big.ww - small.ww);
    return big;
}

void slip_circular_vector(const slip_circular *c, const double q[3], double T[3], double *derivative)
{
    double v = hypot(q[0], q[1]), tx = v > 0 ? q[0] / v : 1, ty = v > 0 ? q[1] / v : 0;
    T[0] = c->force_over_v * q[0];
    T[1] = c->force_over_v * q[1];
    T[2] = c->moment;
    if (derivative) {
        double across = c->force_over_v;
        const double value[9] = {c->vv * tx * tx + across * ty * ty,
                                 (c->vv - across) * tx * ty,
                                 c->vw * tx,
                                 (c->vv - across) * tx * ty,
                                 c->vv * ty * ty + across * tx * tx,
                                 c->vw * ty,
                                 c->vw * tx,
                                 c->vw * ty,
                                 c->ww};
        for (int i = 0; i < 9; i++)
            derivative[i] = value[i];
    }
}
