/* Friction on contact areas against reference numbers: integrals, moments, limit surface, fits. */
#include "patch_test.h"

#include "slipstick/law.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* The integral model without closed forms. */
static void swept(const slip_patch *patch, const double q[3], double T[3], double *derivative)
{
    slip_region region = patch->region;
    region.closed = false;
    slip_patch_region_integral(&region, 1e-11, q, T, derivative);
}

static void integral_reference(void **state)
{
    slip_patch *patches[reference_area_count];
    (void)state;
    for (int a = 0; a < reference_area_count; a++) {
        slip_patch_options o = reference_options(a);
        patches[a] = make_patch(&o);
    }
    for (int i = 0; i < COUNT(reference_integral); i++) {
        const reference_row *row = &reference_integral[i];
        double q[3], T[3], R[3] = {0, 0, 0};
        direction(row->theta, row->phi, q);
        slip_patch_integral(patches[row->area], q, T, NULL);
        swept(patches[row->area], q, R, NULL);
        for (int k = 0; k < 3; k++) {
            assert_close(T[k], row->T[k], 1e-13);
            assert_close(R[k], row->T[k], 1e-12); /* the same without closed forms */
        }
    }
    for (int a = 0; a < reference_area_count; a++)
        slip_patch_destroy(patches[a]);
}

static void moments_reference(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    for (int i = 0; i < COUNT(reference_moments); i++) {
        const reference_moment *row = &reference_moments[i];
        slip_patch_options o = reference_options(row->area);
        slip_patch *patch = make_patch(&o);
        double value;
        assert_int_equal(slip_patch_moment(ctx, patch, row->i, row->j, row->k, &value), SLIP_OK);
        assert_close(value, row->value, 1e-13);
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* Closed forms against quadrature, over all distances of the instantaneous centre, derivatives included. */
static void closed_forms(void **state)
{
    slip_patch_options list[5];
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 3; i++)
        list[i] = reference_options(i);
    list[3] = reference_options(DISC_UNIFORM);
    list[3].shape = "annulus";
    list[3].inner = 0.7;
    list[3].outer = 1.5;
    list[3].size = 0.8;
    list[4] = reference_options(RECT_2TO1);
    list[4].sides[0] = 0.1;
    list[4].sides[1] = 3;
    for (int p = 0; p < 5; p++) {
        slip_patch *patch = make_patch(&list[p]);
        assert_true(patch->closed != SLIP_PATCH_NO_CLOSED_FORM || patch->region.closed);
        for (int i = 0; i < 300; i++) {
            double d = exp(test_random(&seed, log(1e-6), log(1e6))), phi = test_random(&seed, 0, 2 * test_pi);
            double q[3] = {d * cos(phi), d * sin(phi), i % 2 ? 1 : -1}, T[3], H[9], R[3] = {0}, S[9] = {0};
            slip_patch_integral_direct(patch, q, T, H);
            swept(patch, q, R, S);
            for (int k = 0; k < 3; k++)
                assert_close(T[k], R[k], 2e-13);
            for (int k = 0; k < 9; k++)
                assert_close(H[k], S[k], 1e-9 * fmax(1, d));
        }
        slip_patch_destroy(patch);
    }
}

/* The instantaneous centre at 1e-1 to 1e-15 from an edge, inside and outside, and near a corner. */
static void near_edges(void **state)
{
    (void)state;
    for (int a = 0; a < 3; a++) {
        slip_patch_options o = reference_options(a);
        slip_patch *patch = make_patch(&o);
        for (int n = 0; n < 90; n++) {
            double off = (n % 2 ? -1 : 1) * pow(10, -(n / 6 + 1)), phi = 0.4 + n, T[3], R[3] = {0}, H[9],
                   S[9] = {0};
            double q[3] = {(1 + off) * cos(phi), (1 + off) * sin(phi), 1};
            if (a == RECT_2TO1) { /* centre (-vy, vx): beside the long edge, the short one, a corner */
                q[0] = n / 2 % 3 == 1 ? 0.2 : 0.5 + off;
                q[1] = n / 2 % 3 == 0 ? 0.3 : -1 - off;
            }
            slip_patch_integral_direct(patch, q, T, H);
            swept(patch, q, R, S);
            for (int k = 0; k < 3; k++)
                assert_close(R[k], T[k], 1e-11);
            for (int k = 0; k < 9; k++)
                assert_close(S[k], H[k], 1e-10);
        }
        slip_patch_destroy(patch);
    }
}

/* The edge of the disc, where the elliptic integrals have their logarithm, and the limits of small and large
 * d. */
static void disc_limits(void **state)
{
    slip_patch_options o = reference_options(DISC_UNIFORM);
    slip_patch *disc = make_patch(&o), *hertz;
    static const double x[] = {1e-2, 1e-4, 1e-8, 1e-12};
    (void)state;
    o = reference_options(DISC_HERTZ);
    hertz = make_patch(&o);
    for (int i = 0; i < COUNT(x); i++) {
        double d = x[i];
        slip_circular c = slip_patch_circular(disc, d, 1);
        assert_close_relative(c.force, d * (1 - d * d / 8 - d * d * d * d / 64), 1e-12);
        assert_close(c.moment, 2.0 / 3 - d * d / 2 + 3 * d * d * d * d / 32, 1e-13);
        c = slip_patch_circular(disc, 1, d);
        assert_close(c.force, 1 - d * d / 8 - d * d * d * d / 64, 1e-12);
        assert_close_relative(c.moment, d / 4 + d * d * d / 48, 1e-9);
        c = slip_patch_circular(hertz, 1, d);
        assert_close(c.force, 1 - d * d / 10, 1e-9);
        assert_close_relative(c.moment, d / 5 + d * d * d / 70, 1e-9);
    }
    for (int i = -1; i <= 1; i++) {
        slip_circular c = slip_patch_circular(disc, 1 + i * 1e-15, 1);
        assert_close(c.force, 8 / (3 * test_pi), 1e-13);
        assert_close(c.moment, 8 / (9 * test_pi), 1e-13);
    }
    slip_patch_destroy(disc);
    slip_patch_destroy(hertz);
}

static void limit_reference(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    for (int i = 0; i < COUNT(reference_loads); i++) {
        const reference_load *row = &reference_loads[i];
        for (int integral = 0; integral < 2; integral++) {
            slip_patch_options o = reference_options(row->area);
            double ratio, q[3], T[3];
            slip_patch *patch;
            o.surface = integral ? "integral" : "pade";
            patch = make_patch(&o);
            assert_int_equal(slip_patch_limit(ctx, patch, row->u, &ratio, q), SLIP_OK);
            assert_close(ratio, integral ? row->integral : row->pade, 1e-12);
            slip_patch_evaluate(patch, q, T, NULL);
            for (int k = 0; k < 3; k++)
                assert_close(-ratio * T[k], row->u[k], 1e-9);
            slip_patch_destroy(patch);
        }
    }
    slip_context_destroy(ctx);
}

static void fit_reference(void **state)
{
    static const int orders[2][2] = {{0, 0}, {1, 1}};
    static const double largest[2][2] = {{0.09881429569277039, 0.09109672789885995},
                                         {0.02885736807125483, 0.033341748395353143}};
    slip_context *ctx = slip_context_create();
    slip_patch_options o = reference_options(DISC_UNIFORM);
    slip_patch *patch = make_patch(&o);
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double *expected = i == 0 ? reference_fit_1 : reference_fit_3;
        double m, b, rms, force, moment;
        assert_int_equal(slip_patch_fit(ctx, patch, orders[i], &m, &b, &rms), SLIP_OK);
        assert_close(m, expected[0], 1e-6);
        assert_close(b, expected[1], 1e-6);
        assert_close(rms, expected[2], 1e-7);
        o.order[0] = orders[i][0];
        o.order[1] = orders[i][1];
        o.fit = 1;
        o.surface = "pade";
        slip_patch *fitted = make_patch(&o);
        assert_int_equal(slip_patch_fit_error(ctx, patch, &fitted->pade, &rms, &force, &moment), SLIP_OK);
        assert_close(rms, expected[2], 1e-7);
        assert_close(force, largest[i][0], 1e-7);
        assert_close(moment, largest[i][1], 1e-7);
        slip_patch_destroy(fitted);
    }
    slip_patch_destroy(patch);
    slip_context_destroy(ctx);
}

static void eta_prime_reference(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(reference_eta_prime); i++)
        assert_close_relative(slip_law_eta_prime(reference_eta_prime[i][0]), reference_eta_prime[i][1],
                              1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integral_reference), cmocka_unit_test(moments_reference),
        cmocka_unit_test(closed_forms),       cmocka_unit_test(near_edges),
        cmocka_unit_test(disc_limits),        cmocka_unit_test(limit_reference),
        cmocka_unit_test(fit_reference),      cmocka_unit_test(eta_prime_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
