/* Friction on contact areas: what mechanics demands of any area. Power, potential, convexity, limits,
 * invariance, and derivatives. */
#include "patch_test.h"

enum { zoo_size = 12 };

static const double crooked[] = {-1, -0.6, 0.9, -0.8, 1.2, 0.3, 0.1, 0.2, -0.4, 1};
static const double scattered[] = {0.9, 0.1, 1, -0.3, 0.8, 2, -0.7, -0.6, 1.5, 0.2, -0.9, 0.5, 0.1, 0.05, 1};
static const double grid[] = {-1, -1,  1, 0, -1, 2,   1.5, -1, 0,   -1, 0,   3,   0,  0,
                              1,  1.5, 0, 2, -1, 0.7, 1,   0,  0.7, 1,  1.5, 0.7, 0.5};

/* One area of every kind, some off centre and in odd units. */
static slip_patch *zoo(int index)
{
    slip_patch_options o = slip_patch_options_default();
    static const char *const shapes[zoo_size] = {"disc",      "disc",    "disc",    "annulus",
                                                 "annulus",   "ellipse", "ellipse", "rectangle",
                                                 "rectangle", "polygon", "table",   "table"};
    static const char *const pressures[zoo_size] = {"uniform",   "hertz",  "expression", "uniform",
                                                    "parabolic", "hertz",  "linear",     "parabolic",
                                                    "uniform",   "linear", "uniform",    "uniform"};
    o.shape = shapes[index];
    o.pressure = pressures[index];
    o.surface = "integral";
    o.radius = 2.5;
    o.inner = 0.4;
    o.outer = 0.8;
    o.semi_axes[0] = 0.5;
    o.semi_axes[1] = 2;
    o.sides[0] = 3;
    o.sides[1] = 1;
    o.linear[0] = 0.3;
    o.linear[1] = -0.2;
    o.expression = "1 + 0.3*sin(x) + y^2/10";
    if (index == 9) {
        o.points = crooked;
        o.point_count = 5;
    } else if (index == 10) {
        o.points = grid;
        o.point_count = 9;
    } else if (index == 11) {
        o.points = scattered;
        o.point_count = 5;
    }
    return make_patch(&o);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void integral(const void *user, const double q[3], double T[3])
{
    slip_patch_integral(user, q, T, NULL);
}

/* Phi from neighbouring velocities: the gradient is T, the derivative of T is symmetric, and q is its null
 * vector. */
static void potential(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int z = 0; z < zoo_size; z++) {
        slip_patch *patch = zoo(z);
        for (int n = 0; n < 12; n++) {
            double q[3], T[3], H[9];
            random_direction(&seed, q);
            slip_patch_integral(patch, q, T, H);
            assert_true(dot(q, T) > 0); /* friction takes power */
            for (int j = 0; j < 3; j++) {
                double h = 1e-3, slope = 0;
                static const double weights[3] = {0.75, -0.15, 1.0 / 60};
                for (int k = -3; k <= 3; k++) {
                    double at[3] = {q[0], q[1], q[2]}, there[3];
                    if (k == 0)
                        continue;
                    at[j] += k * h;
                    slip_patch_integral(patch, at, there, NULL);
                    slope += (k > 0 ? 1 : -1) * weights[abs(k) - 1] * dot(at, there) / h;
                }
                assert_close(slope, T[j], z == 11 ? 1e-3 : 2e-6);
                assert_close(dot(H + 3 * j, q), 0, 1e-8);
                for (int i = 0; i < 3; i++)
                    assert_close(H[3 * i + j], H[3 * j + i], 1e-12);
            }
        }
        slip_patch_destroy(patch);
    }
}

/* Away from where the instantaneous centre crosses an edge; there the derivative itself has infinite slope.
 */
static void integral_derivatives(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int z = 0; z < zoo_size; z++) {
        slip_patch *patch = zoo(z);
        for (int n = 0; n < 10; n++) {
            double q[3], T[3], H[9];
            random_direction(&seed, q);
            slip_patch_integral(patch, q, T, H);
            check_derivative(integral, patch, q, H, 1e-5, 1e-4);
        }
        slip_patch_destroy(patch);
    }
}

/* Forces of two velocities: (T1 - T2).(q1 - q2) >= 0, and T of one is worth no more against the other:
 * Phi(q2) >= T1.q2. That is convexity of Phi and of the limit surface. */
static void convex(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int z = 0; z < zoo_size; z++) {
        slip_patch *patch = zoo(z);
        for (int n = 0; n < 30; n++) {
            double q1[3], q2[3], T1[3], T2[3];
            random_direction(&seed, q1);
            random_direction(&seed, q2);
            slip_patch_integral(patch, q1, T1, NULL);
            slip_patch_integral(patch, q2, T2, NULL);
            assert_true(dot(T2, q2) >= dot(T1, q2) - 1e-12);
            assert_true(hypot(T1[0], T1[1]) <= 1 + 1e-13);
        }
        slip_patch_destroy(patch);
    }
}

/* xi is a gauge: homogeneous and convex, 1 on the surface, and the slip direction gives the load back. */
static void gauge(void **state)
{
    uint64_t seed = 5;
    slip_context *ctx = slip_context_create();
    (void)state;
    for (int z = 0; z < zoo_size; z++) {
        slip_patch *patch = zoo(z);
        for (int n = 0; n < 6; n++) {
            double u[3], v[3], middle[3], q[3], T[3], a, b, c;
            for (int i = 0; i < 3; i++) {
                u[i] = test_random(&seed, -1, 1);
                v[i] = test_random(&seed, -1, 1);
                middle[i] = (u[i] + v[i]) / 2;
            }
            assert_int_equal(slip_patch_limit(ctx, patch, v, &b, q), SLIP_OK);
            assert_int_equal(slip_patch_limit(ctx, patch, middle, &c, q), SLIP_OK);
            assert_int_equal(slip_patch_limit(ctx, patch, u, &a, q), SLIP_OK);
            assert_true(c <= (a + b) / 2 + 1e-11);
            slip_patch_evaluate(patch, q, T, NULL);
            assert_close(-dot(u, q), a * dot(T, q), 1e-9);
            if (z != 11) /* about a point load the force is a whole set */
                for (int i = 0; i < 3; i++)
                    assert_close(-a * T[i], u[i], 1e-8);
            for (int i = 0; i < 3; i++)
                T[i] = -T[i];
            assert_int_equal(slip_patch_limit(ctx, patch, T, &b, q), SLIP_OK);
            if (z != 11)
                assert_close(b, 1, 1e-9);
        }
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* A vanishing radius: point friction, and no moment. Pure spin: c00-1 times the size. */
static void limits(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_patch_options o = slip_patch_options_default();
    double q[3] = {0.3, -0.4, 2}, T[3];
    slip_patch *patch;
    (void)state;
    o.radius = 1e-9;
    for (int integral_too = 0; integral_too < 2; integral_too++) {
        o.surface = integral_too ? "integral" : "pade";
        patch = make_patch(&o);
        slip_patch_evaluate(patch, q, T, NULL);
        assert_close(T[0], 0.6, 1e-14);
        assert_close(T[1], -0.8, 1e-14);
        assert_close(T[2], 0, 1e-17);
        slip_patch_destroy(patch);
    }
    for (int z = 0; z < zoo_size; z++) {
        double spin[3] = {0, 0, -0.3}, c;
        patch = zoo(z);
        slip_patch_integral(patch, spin, T, NULL);
        assert_int_equal(slip_patch_moment(ctx, patch, 0, 0, -1, &c), SLIP_OK);
        assert_close_relative(T[2], -c * slip_patch_describe(patch).size, 1e-12);
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* A turned polygon with a turned velocity has the turned force; and moving the origin moves the moment. */
static void invariance(void **state)
{
    uint64_t seed = 6;
    slip_patch_options o = slip_patch_options_default();
    slip_patch *plain, *turned;
    double corners[10], angle = 0.7, shift[2] = {0.4, -0.2};
    (void)state;
    o.shape = "polygon";
    o.points = crooked;
    o.point_count = 5;
    plain = make_patch(&o);
    for (int i = 0; i < 5; i++) {
        double x = crooked[2 * i], y = crooked[2 * i + 1];
        corners[2 * i] = x * cos(angle) - y * sin(angle) + shift[0];
        corners[2 * i + 1] = x * sin(angle) + y * cos(angle) + shift[1];
    }
    o.points = corners;
    turned = make_patch(&o);
    for (int n = 0; n < 40; n++) {
        double q[3], r[3], T[3], S[3];
        random_direction(&seed, q);
        r[0] = q[0] * cos(angle) - q[1] * sin(angle) + shift[1] * q[2];
        r[1] = q[0] * sin(angle) + q[1] * cos(angle) - shift[0] * q[2];
        r[2] = q[2];
        slip_patch_integral(plain, q, T, NULL);
        slip_patch_integral(turned, r, S, NULL);
        assert_close(S[0], T[0] * cos(angle) - T[1] * sin(angle), 1e-11);
        assert_close(S[1], T[0] * sin(angle) + T[1] * cos(angle), 1e-11);
        assert_close(S[2], T[2] + shift[0] * S[1] - shift[1] * S[0], 1e-11);
    }
    slip_patch_destroy(plain);
    slip_patch_destroy(turned);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(potential), cmocka_unit_test(integral_derivatives),
        cmocka_unit_test(convex),    cmocka_unit_test(gauge),
        cmocka_unit_test(limits),    cmocka_unit_test(invariance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
