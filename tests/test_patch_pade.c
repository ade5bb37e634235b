/* Approximations on contact areas: contact orders, derivatives, smoothing, tables. */
#include "patch_test.h"

static const double crooked[] = {-1, -0.6, 0.9, -0.8, 1.2, 0.3, 0.1, 0.2, -0.4, 1};

static slip_patch_options area(int kind)
{
    slip_patch_options o = slip_patch_options_default();
    if (kind == 1) {
        o.pressure = "linear";
        o.linear[0] = 0.5;
        o.linear[1] = -0.3;
    } else if (kind == 2) {
        o.shape = "polygon";
        o.points = crooked;
        o.point_count = 5;
    }
    return o;
}

/* Polynomial of degree 4 through five points of [0, h] (from one side: across zero the even orders change
 * sign): the slope at 0. */
static double one_sided_slope(const double f[5], double h)
{
    return (-25.0 / 12 * f[0] + 4 * f[1] - 3 * f[2] + 4.0 / 3 * f[3] - 0.25 * f[4]) / h;
}

/* Difference of approximation and integral model at the distance t from pure sliding (w = t) or pure spin (v
 * = t). */
static void difference(const slip_patch *patch, double phi, double sign, bool spin, double t, double out[3])
{
    double q[3] = {cos(phi) * (spin ? t : 1), sin(phi) * (spin ? t : 1), sign * (spin ? 1 : t)}, T[3], S[3];
    slip_patch_evaluate(patch, q, T, NULL);
    slip_patch_integral(patch, q, S, NULL);
    for (int k = 0; k < 3; k++)
        out[k] = T[k] - S[k];
}

/* Value and n derivatives agree at w = 0 (n = n2) and at v = 0 (n = n1), in all quadrants of directions and
 * both signs of the spin. m is large, so that L stays out of the way of the one-sided differences. */
static void contact_orders(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int order = 0; order < 4; order++) {
            slip_patch_options o = area(kind);
            slip_patch *patch;
            o.order[0] = order / 2;
            o.order[1] = order % 2;
            o.m = 6;
            o.b = 0.7;
            patch = make_patch(&o);
            for (int n = 0; n < 16; n++) {
                double phi = 0.3 + test_pi / 4 * (n % 8), sign = n < 8 ? 1 : -1, h = 2e-4;
                for (int spin = 0; spin < 2; spin++) {
                    double f[5][3];
                    for (int k = 0; k < 5; k++)
                        difference(patch, phi, sign, spin, h * k, f[k]);
                    for (int c = 0; c < 3; c++) {
                        double line[5] = {f[0][c], f[1][c], f[2][c], f[3][c], f[4][c]};
                        assert_close(f[0][c], 0, 1e-12);
                        if (o.order[spin ? 0 : 1] == 1)
                            assert_close(one_sided_slope(line, h), 0, 1e-6);
                    }
                }
            }
            slip_patch_destroy(patch);
        }
}

/* With the signs of the other parity the slopes would not agree: order (1,0), spin backwards. */
static void signs_matter(void **state)
{
    slip_patch_options o = area(0);
    double q[3] = {1e-4, 0, -1}, T[3], S[3];
    slip_patch *patch;
    (void)state;
    o.order[0] = 1;
    patch = make_patch(&o);
    slip_patch_evaluate(patch, q, T, NULL);
    slip_patch_integral(patch, q, S, NULL);
    assert_close(T[0], S[0], 2e-8);
    assert_true(T[0] > 0.9e-4);
    slip_patch_destroy(patch);
}

static void evaluate(const void *user, const double q[3], double T[3])
{
    slip_patch_evaluate(user, q, T, NULL);
}

static void derivatives(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int n = 0; n < 72; n++) {
        static const double exponents[3] = {2, 1.3, 0.9};
        slip_patch_options o = area(n % 3);
        slip_patch *patch;
        o.order[0] = n / 3 % 2;
        o.order[1] = n / 6 % 2;
        o.m = exponents[n / 12 % 3];
        o.b = 0.6;
        o.epsilon = n / 36 ? 0.3 : 0;
        o.static_ratio = n / 36 ? 1.8 : 1;
        patch = make_patch(&o);
        for (int k = 0; k < 10; k++) {
            double q[3], T[3], H[9], scale = exp(test_random(&seed, -1, 1));
            random_direction(&seed, q);
            for (int i = 0; i < 3; i++)
                q[i] *= scale;
            if (hypot(q[0], q[1]) < 0.02 || fabs(q[2]) < 0.02)
                continue;
            slip_patch_evaluate(patch, q, T, H);
            check_derivative(evaluate, patch, q, H, 1e-4, 2e-7);
        }
        slip_patch_destroy(patch);
    }
}

/* The published form for n = 1, its peak, and values at and near rest. */
static void smoothing(void **state)
{
    slip_patch_options o = area(1);
    slip_patch *rough, *smooth;
    double e = 1e-3, eta = 2.7, eta_prime = 6.7085189151810976603, peak = 0, T[3], S[3], H[9];
    uint64_t seed = 8;
    (void)state;
    rough = make_patch(&o);
    o.epsilon = e;
    o.static_ratio = eta;
    smooth = make_patch(&o);
    for (int n = 0; n < 100; n++) {
        double q[3], L;
        random_direction(&seed, q);
        for (int i = 0; i < 3; i++)
            q[i] *= e * 3;
        L = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); /* m = 2, b = 1 */
        slip_patch_evaluate(rough, q, T, NULL);
        slip_patch_evaluate(smooth, q, S, NULL);
        for (int i = 0; i < 3; i++)
            assert_close(S[i],
                         T[i] * L * (1 / sqrt(L * L + e * e) + eta_prime * e * e * e / pow(L * L + e * e, 2)),
                         1e-13);
    }
    for (int n = 0; n < 4000; n++) {
        double q[3] = {e * 1e-3 * n, 0, 0};
        slip_patch_evaluate(smooth, q, S, NULL);
        peak = fmax(peak, S[0]);
    }
    assert_close(peak, eta, 1e-6);
    slip_patch_evaluate(smooth, (double[3]){0, 0, 0}, S, H);
    assert_close_relative(H[0], (1 + eta_prime) / e, 1e-13);
    for (int i = 0; i < 3; i++)
        assert_true(S[i] == 0);
    slip_patch_destroy(rough);
    slip_patch_destroy(smooth);
}

/* Every order and the integral model, at rest and at velocities down to 1e-300: finite, and continuous. */
static void near_rest(void **state)
{
    (void)state;
    for (int order = 0; order < 5; order++) {
        slip_patch_options o = area(2);
        slip_patch *patch;
        o.order[0] = order / 2 % 2;
        o.order[1] = order % 2;
        o.epsilon = 1e-2;
        o.static_ratio = 1.5;
        if (order == 4)
            o.surface = "integral";
        patch = make_patch(&o);
        for (int n = 0; n <= 300; n += 10) {
            double s = n == 300 ? 0 : pow(10, -n), q[3] = {s, -0.5 * s, 0.3 * s}, T[3], H[9];
            slip_patch_evaluate(patch, q, T, H);
            for (int i = 0; i < 9; i++)
                assert_true(isfinite(H[i]) && fabs(H[i]) < 1e4);
            for (int i = 0; i < 3; i++)
                assert_true(isfinite(T[i]) && fabs(T[i]) < 1e4 * s + 1e-300);
        }
        slip_patch_destroy(patch);
    }
}

/* Approximations are no gradients; their limit surface still gives the load back. */
static void limit_surface(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 9;
    (void)state;
    for (int n = 0; n < 12; n++) {
        slip_patch_options o = area(n % 3);
        slip_patch *patch;
        o.order[0] = n / 3 / 2;
        o.order[1] = n / 3 % 2;
        o.fit = 1;
        patch = make_patch(&o);
        for (int k = 0; k < 20; k++) {
            double u[3], q[3], T[3], ratio;
            for (int i = 0; i < 3; i++)
                u[i] = test_random(&seed, -1, 1);
            if (k < 6) /* along the axes too, where slip is pure */
                for (int i = 0; i < 3; i++)
                    u[i] = i == k / 2 ? 1 - 2 * (k % 2) : 0;
            assert_int_equal(slip_patch_limit(ctx, patch, u, &ratio, q), SLIP_OK);
            slip_patch_evaluate(patch, q, T, NULL);
            for (int i = 0; i < 3; i++)
                assert_close(-ratio * T[i], u[i], 1e-9);
        }
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* Higher orders fit better, and the optimum is one. */
static void fits(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        slip_patch_options o = area(kind);
        slip_patch *patch = make_patch(&o);
        double rms[4], m, b;
        for (int order = 0; order < 4; order++)
            assert_int_equal(slip_patch_fit(ctx, patch, (int[2]){order / 2, order % 2}, &m, &b, &rms[order]),
                             SLIP_OK);
        assert_true(rms[3] < rms[0] && rms[3] < rms[1] && rms[3] < rms[2]);
        assert_true(kind == 2 || (rms[1] < rms[0] && rms[2] < rms[0])); /* not always, off centre */
        assert_true(rms[0] < 0.12 && rms[3] < 0.05);
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

typedef struct direction_sample {
    double q[3], T[3];
} direction_sample;

enum { fine_thetas = 100, fine_phis = 96, fine_count = fine_thetas * fine_phis };

/* Mean square of the error by the midpoint rule in both angles: nothing of the fit's own quadrature. */
static double mean_square(const direction_sample *samples, slip_pade *pade, double m, double b)
{
    double sum = 0;
    slip_pade_set(pade, m, b);
    for (int i = 0; i < fine_count; i++) {
        double T[3];
        slip_pade_evaluate(pade, samples[i].q, T, NULL);
        for (int k = 0; k < 3; k++)
            sum += (T[k] - samples[i].T[k]) * (T[k] - samples[i].T[k]) / fine_count;
    }
    return sum;
}

/* Areas that are not circular: the way from a fit to the optimum of a much finer sampling, by Newton's
 * method, is shorter than 1e-5 in m and in b. */
static void fits_are_those_of_fine_sampling(void **state)
{
    static direction_sample samples[fine_count];
    const double h = 1e-4;
    slip_context *ctx = slip_context_create();
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        slip_patch_options o = slip_patch_options_default();
        o.shape = kind == 0 ? "rectangle" : "ellipse";
        o.sides[0] = 2, o.sides[1] = 1;
        o.semi_axes[0] = 1, o.semi_axes[1] = 0.5;
        slip_patch *patch = make_patch(&o);
        for (int i = 0; i < fine_count; i++) {
            direction(test_pi / 2 * (i / fine_phis + 0.5) / fine_thetas,
                      2 * test_pi * (i % fine_phis + 0.5) / fine_phis, samples[i].q);
            slip_patch_integral_direct(patch, samples[i].q, samples[i].T, NULL);
        }
        for (int order = 0; order < 4; order++) {
            slip_pade pade = {.n1 = order / 2, .n2 = order % 2, .c = patch->moments};
            double f[3][3], rms;
            assert_int_equal(slip_patch_fit_best(ctx, patch, &pade, &rms), SLIP_OK);
            const double m = pade.m, b = pade.b;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    f[i][j] = mean_square(samples, &pade, m + (i - 1) * h, b + (j - 1) * h);
            double g_m = (f[2][1] - f[0][1]) / (2 * h), g_b = (f[1][2] - f[1][0]) / (2 * h);
            double mm = (f[2][1] - 2 * f[1][1] + f[0][1]) / (h * h),
                   bb = (f[1][2] - 2 * f[1][1] + f[1][0]) / (h * h),
                   mb = (f[2][2] + f[0][0] - f[2][0] - f[0][2]) / (4 * h * h);
            assert_true(mm > 0 && mm * bb > mb * mb);
            assert_close((bb * g_m - mb * g_b) / (mm * bb - mb * mb), 0, 1e-5);
            assert_close((mm * g_b - mb * g_m) / (mm * bb - mb * mb), 0, 1e-5);
            assert_close(sqrt(f[1][1]), rms, 1e-5);
        }
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* Tables against direct integration: the stated bound holds at random directions, the derivative is that of
 * the table's own values, and the circular tables reach far smaller tolerances. */
static void tables(void **state)
{
    uint64_t seed = 10;
    (void)state;
    for (int n = 0; n < 5; n++) {
        slip_patch_options o = area(n < 3 ? n : 0);
        double tolerance = n == 0 ? 1e-9 : 1e-3, worst = 0;
        slip_patch *patch;
        if (n == 3) {
            o.shape = "rectangle";
            o.sides[0] = 2;
            o.sides[1] = 1;
            tolerance = 1e-5;
        } else if (n == 4) {
            o.shape = "annulus";
            o.inner = 0.5;
            o.outer = 1;
            o.pressure = "parabolic";
            tolerance = 1e-6;
        }
        o.surface = "integral";
        o.table_tolerance = tolerance;
        patch = make_patch(&o);
        assert_true(slip_patch_describe(patch).table_error <= tolerance);
        for (int k = 0; k < 1000; k++) {
            double q[3], T[3], S[3], H[9], G[9];
            random_direction(&seed, q);
            slip_patch_evaluate(patch, q, T, H);
            slip_patch_integral(patch, q, S, k < 20 ? G : NULL);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(T[i] - S[i]));
            for (int i = 0; i < 9 && k < 20; i++)
                assert_close(H[i], G[i], 60 * sqrt(tolerance));
            for (int i = 0; i < 3; i++)
                assert_close(H[3 * i] * q[0] + H[3 * i + 1] * q[1] + H[3 * i + 2] * q[2], 0, 1e-8);
        }
        assert_true(worst <= tolerance);
        slip_patch_destroy(patch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_orders), cmocka_unit_test(signs_matter),
        cmocka_unit_test(derivatives),    cmocka_unit_test(smoothing),
        cmocka_unit_test(near_rest),      cmocka_unit_test(limit_surface),
        cmocka_unit_test(fits),           cmocka_unit_test(fits_are_those_of_fine_sampling),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
