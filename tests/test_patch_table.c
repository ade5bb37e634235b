/* Tables of areas: what they say of their error is true, wherever the origin of the coordinates is; and the
 * motion does not depend on where that is. */
#include "patch_run.h"
#include "patch_test.h"

#include <time.h>

enum { corners_most = 8, rows_most = 25 };

/* An area about its own middle, which can be moved. */
typedef struct sample_area {
    slip_patch_options options;
    double places[3 * rows_most];
    int stride; /* of places: 2 for corners, 3 for rows of a table; 0: the area has its origin in its middle
                 */
    double radius;
} sample_area;

static void move(sample_area *a, const double by[2])
{
    for (int i = 0; a->stride > 0 && i < a->options.point_count; i++)
        for (int k = 0; k < 2; k++)
            a->places[a->stride * i + k] += by[k];
    a->options.points = a->stride > 0 ? a->places : NULL;
}

static void random_polygon(uint64_t *seed, sample_area *a)
{
    int count = 3 + (int)test_random(seed, 0, corners_most - 2.001);
    double turn = test_random(seed, 0, test_pi), stretch = exp(test_random(seed, 0, 3));
    a->options.shape = "polygon";
    a->options.point_count = count;
    a->stride = 2;
    for (int i = 0; i < count; i++) {
        double angle = 2 * test_pi * (i + test_random(seed, 0, 0.8)) / count, r = test_random(seed, 0.3, 1.2);
        double x = stretch * r * cos(angle), y = r * sin(angle);
        a->places[2 * i] = cos(turn) * x - sin(turn) * y;
        a->places[2 * i + 1] = sin(turn) * x + cos(turn) * y;
    }
    a->radius = 1.2 * stretch;
}

static void random_grid(uint64_t *seed, sample_area *a)
{
    a->options.shape = "table";
    a->options.point_count = 12;
    a->stride = 3;
    for (int i = 0; i < 12; i++) {
        a->places[3 * i] = 0.5 * (i % 4) - 0.75;
        a->places[3 * i + 1] = 0.7 * (i / 4) - 0.7;
        a->places[3 * i + 2] = test_random(seed, 0, 1);
    }
    a->radius = 1;
}

/* Shapes and pressures in turn. */
static sample_area random_area(uint64_t *seed, int n)
{
    sample_area a = {.options = slip_patch_options_default(), .radius = 1};
    const double ratio = exp(test_random(seed, -2.5, 0));
    a.options.surface = "integral";
    if (n % 8 < 4) {
        random_polygon(seed, &a);
    } else if (n % 8 == 4) {
        random_grid(seed, &a);
    } else if (n % 8 == 5) {
        a.options.shape = "rectangle";
        a.options.sides[0] = 2;
        a.options.sides[1] = 2 * ratio;
        a.options.pressure = n % 16 < 8 ? "uniform" : "parabolic";
    } else if (n % 8 == 6) {
        a.options.shape = "ellipse";
        a.options.semi_axes[0] = 1;
        a.options.semi_axes[1] = ratio;
        a.options.pressure = n % 16 < 8 ? "uniform" : "hertz";
    } else {
        a.options.shape = "annulus";
        a.options.inner = ratio / 2;
        a.options.outer = 1;
        a.options.pressure = n % 16 < 8 ? "linear" : "uniform";
        a.options.linear[0] = test_random(seed, -1, 1);
    }
    return a;
}

/* All directions alike, or turning about places all over the area and around it. */
static void random_velocity(uint64_t *seed, const sample_area *a, const double middle[2], double size,
                            double q[3])
{
    double r = a->radius * (test_random(seed, 0, 1) < 0.7 ? sqrt(test_random(seed, 0, 1.5))
                                                          : exp(test_random(seed, -1, 5)));
    double angle = test_random(seed, 0, 2 * test_pi), at[3];
    random_direction(seed, at);
    at[2] /= size;
    if (test_random(seed, 0, 1) < 0.7) {
        at[2] = test_random(seed, 0, 1) < 0.5 ? 1 : -1;
        at[0] = r * sin(angle) * at[2];
        at[1] = -r * cos(angle) * at[2];
    }
    q[0] = at[0] + middle[1] * at[2];
    q[1] = at[1] - middle[0] * at[2];
    q[2] = at[2];
}

/* The largest error of force, moment about the middle over size, and moment about the origin over size or a
 * hundredth of its distance. */
static double error_at(const slip_patch *patch, const double middle[2], const double q[3])
{
    const double size = patch->size, far = fmax(1, hypot(middle[0], middle[1]) / size / 100);
    double T[3], S[3], e[3], about_middle;
    slip_patch_evaluate(patch, q, T, NULL);
    slip_patch_integral(patch, q, S, NULL);
    for (int i = 0; i < 3; i++)
        e[i] = T[i] - S[i];
    about_middle = e[2] - (middle[0] * e[1] - middle[1] * e[0]);
    return fmax(fmax(fabs(e[0]), fabs(e[1])), fmax(fabs(about_middle) / size, fabs(e[2]) / size / far));
}

/* The error is within what is reported, and that within the tolerance. */
static void test_errors_are_bounds(void **state)
{
    static const double distances[] = {0, 1, 10, 1e3, 1e6};
    uint64_t seed = 21;
    double nearest = 0;
    (void)state;
    for (int n = 0; n < test_many(240); n++) {
        sample_area a = random_area(&seed, n);
        const double d = a.stride > 0 ? distances[n % 5] : 0, angle = test_random(&seed, 0, 2 * test_pi);
        const double middle[2] = {d * cos(angle), d * sin(angle)};
        slip_patch *patch;
        slip_patch_info info;
        double worst = 0;
        move(&a, middle);
        /* those without a closed form take their time */
        a.options.table_tolerance = pow(10, test_random(&seed, a.stride == 2 ? -5 : -4, -2.5));
        patch = make_patch(&a.options);
        info = slip_patch_describe(patch);
        assert_true(info.table_error > 0 && info.table_error <= a.options.table_tolerance);
        for (int k = 0; k < (a.stride == 2 ? 3000 : 500); k++) {
            double q[3];
            random_velocity(&seed, &a, middle, patch->size, q);
            worst = fmax(worst, error_at(patch, middle, q));
        }
        if (worst > info.table_error)
            print_error("area %d (%s, %s): reported %g, found %g\n", n, a.options.shape, a.options.pressure,
                        info.table_error, worst);
        assert_true(worst <= info.table_error + 1e-9);
        nearest = fmax(nearest, worst / info.table_error);
        slip_patch_destroy(patch);
    }
    assert_true(nearest > 0.5); /* and no wild overstatement */
}

/* Where the squares would be too many the integral model itself is taken: no tolerance is refused. */
static void test_thin_areas(void **state)
{
    uint64_t seed = 22;
    (void)state;
    for (int n = 0; n < 3; n++) {
        const double half = pow(10, n + 1), corners[8] = {-half, -1, half, -1, half, 1, -half, 1};
        const double middle[2] = {0, 0};
        sample_area a = {.options = slip_patch_options_default(), .radius = half};
        slip_patch *patch;
        a.options.shape = "polygon";
        a.options.surface = "integral";
        a.options.points = corners;
        a.options.point_count = 4;
        a.options.table_tolerance = 1e-4;
        patch = make_patch(&a.options);
        for (int k = 0; k < 2000; k++) {
            double q[3];
            random_velocity(&seed, &a, middle, patch->size, q);
            if (k % 2) { /* about places on it */
                q[0] = test_random(&seed, -1.5, 1.5) * q[2];
                q[1] = -test_random(&seed, -1.1, 1.1) * half * q[2];
            }
            assert_true(error_at(patch, middle, q) <= slip_patch_describe(patch).table_error + 1e-9);
        }
        slip_patch_destroy(patch);
    }
}

/* Pure sliding: every point has the same velocity, so that the force is exactly 1 along it and acts in the
 * centre of the load, tabulated or not. */
static void test_pure_sliding(void **state)
{
    uint64_t seed = 23;
    (void)state;
    for (int n = 0; n < 16; n++) {
        sample_area a = random_area(&seed, n);
        const double by[2] = {n % 2 ? 7 : 0, n % 3 ? -4 : 0};
        slip_context *ctx = slip_context_create();
        slip_patch *patch;
        double mx, my;
        move(&a, by);
        a.options.table_tolerance = 1e-3;
        patch = make_patch(&a.options);
        assert_int_equal(slip_patch_moment(ctx, patch, 1, 0, 0, &mx), SLIP_OK);
        assert_int_equal(slip_patch_moment(ctx, patch, 0, 1, 0, &my), SLIP_OK);
        for (int k = 0; k < 50; k++) {
            double angle = test_random(&seed, 0, 2 * test_pi), speed = exp(test_random(&seed, -9, 9)), T[3];
            double c = cos(angle), s = sin(angle), q[3] = {speed * c, speed * s, 0};
            slip_patch_evaluate(patch, q, T, NULL);
            assert_close(T[0], c, 1e-12);
            assert_close(T[1], s, 1e-12);
            assert_close(T[2] / patch->size, mx * s - my * c, 1e-11 * fmax(1, hypot(mx, my)));
        }
        slip_patch_destroy(patch);
        slip_context_destroy(ctx);
    }
}

/* ---- Where the origin is. */

/* Integrals and limit surfaces of an area here and the same one far away, to rounding. */
static void test_integrals_do_not_know_the_origin(void **state)
{
    static const double distances[] = {3, 1e3, 1e6};
    slip_context *ctx = slip_context_create();
    uint64_t seed = 24;
    (void)state;
    for (int n = 0; n < 30; n++) {
        sample_area a = random_area(&seed, n % 5), b = a;
        const double d = distances[n % 3], angle = test_random(&seed, 0, 2 * test_pi),
                     rounding = 1e-12 + 1e-15 * d;
        const double by[2] = {round(d * cos(angle)), round(d * sin(angle))}, zero[2] = {0, 0};
        char text[80];
        slip_patch *here, *there;
        if (n % 5 < 4 && n % 2) {
            a.options.pressure = b.options.pressure = "expression";
            a.options.expression = "3 + x^2 + 0.2*y";
            snprintf(text, sizeof text, "3 + (x - (%.0f))^2 + 0.2*(y - (%.0f))", by[0], by[1]);
            b.options.expression = text;
            for (int i = 0; i < 2 * a.options.point_count; i++)
                b.places[i] = a.places[i] /= a.radius; /* small, or the pressure would be negative */
        }
        move(&a, zero);
        move(&b, by);
        here = make_patch(&a.options);
        there = make_patch(&b.options);
        assert_close_relative(there->size, here->size, 1e-15 + 1e-15 * d);
        for (int k = 0; k < (a.options.expression ? 4 : 40); k++) {
            double q[3], p[3], T[3], S[3], load[3], moved[3], ratio, other, start[3], turned[3];
            random_velocity(&seed, &a, zero, here->size, q);
            p[0] = q[0] + by[1] * q[2];
            p[1] = q[1] - by[0] * q[2];
            p[2] = q[2];
            slip_patch_integral(here, q, T, NULL);
            slip_patch_integral(there, p, S, NULL);
            S[2] -= by[0] * S[1] - by[1] * S[0];
            for (int i = 0; i < 3; i++)
                assert_close(S[i], T[i], (i == 2 ? here->size : 1) * 100 * rounding);
            random_direction(&seed, load);
            load[2] *= here->size;
            memcpy(moved, load, sizeof moved);
            moved[2] += by[0] * load[1] - by[1] * load[0];
            assert_int_equal(slip_patch_limit(ctx, here, load, &ratio, start), SLIP_OK);
            assert_int_equal(slip_patch_limit(ctx, there, moved, &other, turned), SLIP_OK);
            assert_close_relative(other, ratio, 1e-9 + 100 * rounding);
        }
        slip_patch_destroy(here);
        slip_patch_destroy(there);
    }
    slip_context_destroy(ctx);
}

/* A square that slides without spin decelerates by mu N/m = 1 wherever its origin is: x' = 1 - t, rest at t =
 * 1, x = 1/2; and mirrored. A table for it takes a moment. */
static void test_square_off_the_origin(void **state)
{
    static const char *const names[] = {"x"};
    static const double places[] = {0, 5, -5, 1e3, 1e6};
    (void)state;
    for (int n = 0; n < 10; n++) {
        const double c = places[n / 2], sign = n % 2 ? -1 : 1, q[1] = {0}, v[1] = {sign};
        const double corners[8] = {c, c, c + 1, c, c + 1, c + 1, c, c + 1};
        slip_patch_options area = slip_patch_options_default();
        bench b = build(1, names);
        clock_t start = clock();
        patch_outcome o;
        area.shape = "polygon";
        area.points = corners;
        area.point_count = 4;
        area.surface = "integral";
        area.table_tolerance = -1;
        add_patch(&b, "p", "x'", NULL, NULL, NULL, 1, &area);
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 15); /* 0.2 s; more under sanitizers */
        o = patch_run_event(&b, 1e-11, q, v, 0.75);
        assert_close(o.v[0], 0.25 * sign, 1e-11);
        assert_close(o.q[0], (0.75 - 0.28125) * sign, 1e-11);
        patch_finish(&o);
        o = patch_run_event(&b, 1e-11, q, v, 2);
        patch_check_event(&o, 0, 0, "slip>stick", 1, 1e-9);
        assert_true(o.v[0] == 0);
        assert_close(o.q[0], 0.5 * sign, 1e-9);
        patch_finish(&o);
        o = patch_run(b.ctx, b.system, "moreau", (slip_method_options){.step = 1e-2, .theta = NAN}, q, v, 2);
        assert_true(o.v[0] == 0);
        assert_close(o.q[0], 0.5 * sign, 1e-4);
        patch_finish(&o);
        clear(&b);
    }
}

/* A body that slides and turns to rest, with the origin of its area in its middle or elsewhere: with the slip
 * velocities of that origin the motion is the same. */
static void test_motion_does_not_know_the_origin(void **state)
{
    static const char *const names[] = {"x", "y", "phi"};
    static const double shape[] = {-0.5, -0.4, 0.6, -0.5, 0.4, 0.5, -0.5, 0.4};
    const double q[3] = {0, 0, 0}, v[3] = {1, 0.3, 2};
    (void)state;
    for (int tabulated = 0; tabulated < 2; tabulated++) {
        patch_outcome first = {0};
        for (int n = 0; n < 3; n++) {
            const double by[2] = {n == 0 ? 0 : n == 1 ? 5 : 300, n == 0 ? 0 : n == 1 ? -3 : 400};
            double corners[8];
            char x[60], y[60];
            slip_patch_options area = slip_patch_options_default();
            bench b = build(3, names);
            patch_outcome o;
            for (int i = 0; i < 8; i++)
                corners[i] = shape[i] + by[i % 2];
            area.shape = "polygon";
            area.points = corners;
            area.point_count = 4;
            area.surface = "integral";
            area.table_tolerance = tabulated ? 1e-5 : 0;
            snprintf(x, sizeof x, "x' + (%g)*phi'", by[1]);
            snprintf(y, sizeof y, "y' - (%g)*phi'", by[0]);
            b.system->mass[8] = 0.2;
            add_patch(&b, "foot", x, y, "phi'", NULL, 0.5, &area);
            o = patch_run_event(&b, 1e-9, q, v, 4);
            assert_int_equal(o.w->count, 1);
            for (int i = 0; i < 3 && n > 0; i++)
                assert_close(o.q[i], first.q[i], tabulated ? 1e-4 : 1e-6);
            if (n > 0)
                assert_close(o.w->events[0].time, first.w->events[0].time, tabulated ? 1e-4 : 1e-6);
            if (n == 0)
                first = o;
            else
                patch_finish(&o);
            clear(&b);
        }
        patch_finish(&first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_are_bounds),
        cmocka_unit_test(test_thin_areas),
        cmocka_unit_test(test_pure_sliding),
        cmocka_unit_test(test_integrals_do_not_know_the_origin),
        cmocka_unit_test_of_all(test_square_off_the_origin),
        cmocka_unit_test(test_motion_does_not_know_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
