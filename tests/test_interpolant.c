/* Tables: the three ways between points, and what expressions that call them know about themselves: value,
 * derivatives, bounds, pieces, harmonics. */
#include "math/expression/freeze.h"
#include "math/expression/interval.h"
#include "math/interpolant.h"
#include "test.h"

#include <string.h>

enum { most = 400 };

static slip_arena arena;

static int teardown(void **state)
{
    (void)state;
    slip_arena_free(&arena);
    return 0;
}

static slip_interpolant *table_of(slip_between between, int count, const double *x, double (*f)(double))
{
    double points[2 * most];
    slip_interpolant *table;
    for (int i = 0; i < count; i++) {
        points[2 * i] = x[i];
        points[2 * i + 1] = f(x[i]);
    }
    table = slip_interpolant_create(&arena, "f", between, count, points);
    assert_non_null(table);
    return table;
}

static double at(const slip_interpolant *table, double x)
{
    return slip_interpolant_value(table, slip_interpolant_find(table, x), x);
}

static double cubic(double x)
{
    return 2 - x + 0.5 * x * x - 0.3 * x * x * x;
}

static double parabola(double x)
{
    return 1 + 3 * x - 2 * x * x;
}

static double line(double x)
{
    return 3 - 2 * x;
}

static double wave(double x)
{
    return sin(x);
}

static const double uneven[] = {-1, -0.2, 0.1, 0.15, 1, 2.5, 2.6, 4};
enum { uneven_count = 8 };

/* A spline without knots next to its ends gives cubic polynomials back, with three points parabolas, with two
 * lines; and so do their derivatives. */
static void polynomials_come_back(void **state)
{
    (void)state;
    const slip_interpolant *three = table_of(SLIP_BETWEEN_CUBIC, uneven_count, uneven, cubic);
    const slip_interpolant *four = table_of(SLIP_BETWEEN_CUBIC, 4, uneven, cubic);
    const slip_interpolant *two = table_of(SLIP_BETWEEN_CUBIC, 3, uneven, parabola);
    const slip_interpolant *one = table_of(SLIP_BETWEEN_CUBIC, 2, uneven, line);
    const slip_interpolant *lines = table_of(SLIP_BETWEEN_LINEAR, uneven_count, uneven, line);
    for (double x = -1; x < 4; x += 0.013) {
        const int k = slip_interpolant_find(three, x);
        assert_close(at(three, x), cubic(x), 1e-13);
        assert_close(slip_interpolant_slope(three, k, x), -1 + x - 0.9 * x * x, 1e-12);
        assert_close(slip_interpolant_curve(three, k, x), 1 - 1.8 * x, 1e-11);
        assert_close(at(lines, x), line(x), 1e-14);
        if (x < 0.15)
            assert_close(at(four, x), cubic(x), 1e-14);
        if (x < 0.1)
            assert_close(at(two, x), parabola(x), 1e-14);
        if (x < -0.2)
            assert_close(at(one, x), line(x), 1e-14);
    }
}

/* The points themselves come back to the bit; outside, the end values; at a point its own piece. */
static void points_and_ends(void **state)
{
    (void)state;
    for (int b = 0; b < 3; b++) {
        const slip_interpolant *table = table_of((slip_between)b, uneven_count, uneven, wave);
        for (int i = 0; i < uneven_count; i++) {
            assert_true(at(table, uneven[i]) == wave(uneven[i]));
            assert_int_equal(slip_interpolant_find(table, uneven[i]), i + 1);
            assert_int_equal(slip_interpolant_find(table, nextafter(uneven[i], -9)), i);
        }
        assert_true(at(table, -100) == wave(-1));
        assert_true(at(table, 100) == wave(4));
        assert_true(slip_interpolant_slope(table, slip_interpolant_find(table, 5), 5) == 0);
        assert_true(isnan(at(table, NAN)));
        assert_true(isnan(slip_interpolant_value(table, NAN, 1)) &&
                    isnan(slip_interpolant_value(table, -1, 1)) &&
                    isnan(slip_interpolant_value(table, uneven_count + 1, 1)));
    }
    const slip_interpolant *hold = table_of(SLIP_BETWEEN_HOLD, uneven_count, uneven, wave);
    assert_true(at(hold, 0.9999) == wave(0.15));
}

/* Order 4 up to the ends, and two continuous derivatives. */
static void spline_converges(void **state)
{
    (void)state;
    double x[most], error[2] = {0};
    for (int round = 0; round < 2; round++) {
        const int n = round ? 101 : 51;
        for (int i = 0; i < n; i++)
            x[i] = 5.0 * i / (n - 1);
        const slip_interpolant *table = table_of(SLIP_BETWEEN_CUBIC, n, x, wave);
        for (double u = 0; u < 5; u += 0.0037)
            error[round] = fmax(error[round], fabs(at(table, u) - sin(u)));
        for (int i = 1; i < n - 1; i++)
            for (int d = 0; d < 2; d++) {
                double (*f)(const slip_interpolant *, double, double) =
                    d ? slip_interpolant_curve : slip_interpolant_slope;
                assert_close(f(table, i, x[i]), f(table, i + 1, x[i]), 1e-11);
            }
    }
    assert_true(error[0] < 1e-5 && error[0] / error[1] > 14 && error[0] / error[1] < 36);
}

/* Every place is found, equally spaced or not, by comparison with a walk. */
static void places_are_found(void **state)
{
    (void)state;
    double x[most];
    unsigned seed = 1;
    for (int round = 0; round < 20; round++) {
        const int n = 2 + round * 20;
        x[0] = -3;
        for (int i = 1; i < n; i++) {
            seed = seed * 1103515245u + 12345u;
            x[i] = x[i - 1] + (round % 2 ? 0.1 : exp(10.0 * (seed >> 8 & 0xffff) / 65536 - 5));
        }
        const slip_interpolant *table = table_of(SLIP_BETWEEN_LINEAR, n, x, wave);
        for (int i = 0; i < 500; i++) {
            seed = seed * 1103515245u + 12345u;
            const double u = x[0] - 1 + (x[n - 1] - x[0] + 2) * (seed >> 8 & 0xffff) / 65536;
            int k = 0;
            while (k < n && x[k] <= u)
                k++;
            assert_int_equal(slip_interpolant_find(table, u), k);
        }
    }
}

/* ---- In expressions. */

enum { slot_t, slot_x, slot_count };

static slip_expression *compile(const char *text, const slip_interpolant *table)
{
    const slip_symbol symbols[] = {{"t", slot_t, 0, NULL, 0},
                                   {"x", slot_x, 0, NULL, 0},
                                   {"f", -1, 0, table, 0},
                                   {"p", -1, 2, NULL, 0},
                                   {NULL, 0, 0, NULL, 0}};
    slip_expression *e = NULL;
    slip_expression_error error;
    if (slip_expression_compile(text, symbols, &e, &error) < 0) {
        print_error("%s: %s\n", text, error.message);
        fail();
    }
    return e;
}

static const char *const texts[] = {"f(t)", "f(t - x)*x", "p*f(2*t) + f(x)^2", "sin(f(t*x))",
                                    "f(f(t)) - f(1)"};

/* Gradient and curve against differences, away from points. */
static void derivatives(void **state)
{
    (void)state;
    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 5; k++) {
            slip_expression *e = compile(texts[k], table_of((slip_between)b, uneven_count, uneven, cubic));
            double scratch[200], g[slot_count];
            const double h = 1e-6, s[] = {0.67, 0.443};
            slip_expression_gradient(e, s, slot_count, g, scratch);
            for (int i = 0; i < slot_count; i++) {
                double up[] = {s[0], s[1]}, down[] = {s[0], s[1]}, gu[slot_count], gd[slot_count];
                up[i] += h;
                down[i] -= h;
                const double vu = slip_expression_gradient(e, up, slot_count, gu, scratch);
                const double vd = slip_expression_gradient(e, down, slot_count, gd, scratch);
                assert_close(g[i], (vu - vd) / (2 * h), 1e-7 * (1 + fabs(g[i])));
                assert_close(slip_expression_curve(e, s, i, scratch), (gu[i] - gd[i]) / (2 * h),
                             1e-6 * (1 + fabs(g[i])));
                const double curve = slip_expression_curve(e, s, i, scratch);
                slip_expression *first, *second;
                double more[2000];
                assert_int_equal(slip_expression_derivative(e, i, &first), SLIP_OK);
                assert_int_equal(slip_expression_derivative(first, i, &second), SLIP_OK);
                assert_true(slip_expression_scratch(second) <= 2000);
                assert_close(slip_expression_value(first, s, more), g[i], 1e-12 * (1 + fabs(g[i])));
                assert_close(slip_expression_value(second, s, more), curve, 1e-11 * (1 + fabs(curve)));
                slip_expression_destroy(first);
                slip_expression_destroy(second);
            }
            slip_expression_destroy(e);
        }
}

/* Values and rates inside the bounds, over short and long stretches that cross points; bounds are tight: a
 * stretch of 1e-9 inside a piece has a range of that order. */
static void bounds(void **state)
{
    (void)state;
    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 5; k++) {
            slip_expression *e = compile(texts[k], table_of((slip_between)b, uneven_count, uneven, cubic));
            slip_interval work[400], value, rate;
            double scratch[200], g[slot_count];
            for (double from = -2; from < 5; from += 0.31)
                for (double length = 1e-9; length < 10; length *= 17) {
                    double s[] = {from, 0.443};
                    slip_expression_bounds(e, s, slot_t, (slip_interval){from, from + length}, work, &value,
                                           &rate);
                    for (int i = 0; i <= 20; i++) {
                        s[slot_t] = from + length * i / 20;
                        const double v = slip_expression_gradient(e, s, slot_count, g, scratch);
                        assert_true(v >= value.low && v <= value.high);
                        assert_true(g[slot_t] >= rate.low && g[slot_t] <= rate.high);
                    }
                }
            double s[] = {0.67, 0.443};
            slip_expression_bounds(e, s, slot_t, (slip_interval){0.67, 0.67 + 1e-9}, work, &value, &rate);
            assert_true(slip_interval_width(value) < 1e-7 && slip_interval_width(rate) < 1e-6);
            slip_expression_destroy(e);
        }
}

/* Frozen in the piece where it is: the same value, and beyond it the same polynomial. */
static void pieces(void **state)
{
    (void)state;
    for (int b = 0; b < 3; b++) {
        const slip_interpolant *table = table_of((slip_between)b, uneven_count, uneven, cubic);
        slip_expression *e = compile("p*f(t) + f(t)*f(2*t)", table), *frozen = NULL;
        slip_switches all = {0};
        double scratch[200], low, high, up, down;
        assert_int_equal(slip_expression_freeze(e, slot_t, slot_count, true, 0, &all, &frozen), SLIP_OK);
        assert_non_null(frozen);
        assert_int_equal(all.count, 2); /* f(t) once */
        for (double t = -2; t < 5; t += 0.07) {
            double s[] = {t, 0, 0, 0};
            for (int k = 0; k < 2; k++)
                s[slot_count + k] =
                    slip_switch_form(&all.list[k], slip_expression_value(all.list[k].guard, s, scratch));
            assert_true(slip_expression_value(frozen, s, scratch) == slip_expression_value(e, s, scratch));
            slip_switch_bounds(&all.list[0], s[slot_count], &low, &high);
            assert_true(low <= t && t < high);
            if (isfinite(low)) {
                slip_switch_sides(&all.list[0], low + 1e-12, &down, &up);
                assert_true(up == s[slot_count] && down == up - 1);
                slip_switch_sides(&all.list[0], low - 1e-12, &down, &up);
                assert_true(up == s[slot_count] && down == up - 1);
            }
        }
        slip_expression_destroy(e);
        slip_expression_destroy(frozen);
        slip_switches_free(&all);
    }
}

/* t^p (a cos + b sin), summed. */
static double sum_of(const slip_harmonic *terms, int count, double t)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += pow(t, terms[i].power) *
               (terms[i].cosine * cos(terms[i].frequency * t) + terms[i].sine * sin(terms[i].frequency * t));
    return sum;
}

/* Piece by piece, expressions that switch in time are sums of harmonics, counted from any time; and what they
 * can have in all is known beforehand. */
static void harmonics_of_pieces(void **state)
{
    (void)state;
    static const char *const switching[] = {"f(t)",
                                            "p*f(2*t - 1) + sin(3*t)",
                                            "f(t)*cos(2*t)",
                                            "step(t - 1)*sin(t) + abs(t - 2)",
                                            "max(sin(2*t), 0.3)/(1 + step(t - 2))",
                                            "mod(t, 1.3)^2 - sqrt(4 + 0*floor(t))",
                                            "if(t < 1, f(t), cos(t))",
                                            "f(sin(t))"};
    for (int b = 0; b < 3; b++)
        for (size_t k = 0; k < sizeof switching / sizeof *switching; k++) {
            const slip_interpolant *table = table_of((slip_between)b, uneven_count, uneven, cubic);
            slip_expression *e = compile(switching[k], table), *frozen = NULL;
            slip_switches all = {0};
            slip_harmonic can[64], has[64];
            double scratch[400], s[12] = {0};
            assert_int_equal(slip_expression_harmonics(e, slot_t, has, 64), -1);
            assert_int_equal(slip_expression_freeze(e, slot_t, slot_count, false, 0, &all, &frozen), SLIP_OK);
            assert_non_null(frozen);
            const int most_terms =
                slip_expression_harmonics_from(frozen, slot_t, 0, slot_count, NULL, can, 64);
            assert_true(most_terms > 0);
            for (double t = -1.51; t < 5; t += 0.17) {
                s[slot_t] = t;
                for (int64_t i = 0; i < all.count; i++)
                    s[slot_count + i] =
                        slip_switch_form(&all.list[i], slip_expression_value(all.list[i].guard, s, scratch));
                const int count =
                    slip_expression_harmonics_from(frozen, slot_t, t, slot_count, s + slot_count, has, 64);
                assert_true(count >= 0);
                for (int i = 0; i < count; i++) {
                    bool known = false;
                    for (int j = 0; j < most_terms; j++)
                        known |= has[i].power <= can[j].power &&
                                 fabs(has[i].frequency - can[j].frequency) <= 1e-14 * can[j].frequency;
                    assert_true(known);
                }
                for (double ahead = 0; ahead < 0.1; ahead += 0.05) {
                    s[slot_t] = t + ahead;
                    const double truth = slip_expression_value(frozen, s, scratch);
                    assert_close(sum_of(has, count, ahead), truth, 1e-13 * (1 + fabs(truth)));
                }
            }
            slip_expression_destroy(e);
            slip_expression_destroy(frozen);
            slip_switches_free(&all);
        }
}

/* A frequency that depends on a piece is none. */
static void frequencies_are_fixed(void **state)
{
    (void)state;
    static const char *const texts_without[] = {"sin(f(2)*t*step(t))", "sin(t*floor(t))", "exp(f(t))",
                                                "1/f(t)"};
    for (int k = 0; k < 4; k++) {
        slip_expression *e = compile(texts_without[k], table_of(SLIP_BETWEEN_LINEAR, 3, uneven, cubic)),
                        *frozen = NULL;
        slip_switches all = {0};
        slip_harmonic terms[64];
        assert_int_equal(slip_expression_freeze(e, slot_t, slot_count, false, 0, &all, &frozen), SLIP_OK);
        assert_non_null(frozen);
        assert_int_equal(slip_expression_harmonics_from(frozen, slot_t, 0, slot_count, NULL, terms, 64), -1);
        slip_expression_destroy(e);
        slip_expression_destroy(frozen);
        slip_switches_free(&all);
    }
}

/* What is written wrong. */
static void messages(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"f + 1", "`f` is a function of one argument: write f(t)"},
        {"f(t, 1)", "`f` takes 1 argument, not 2"},
        {"f()", "`f` takes 1 argument, not 0"},
        {"g(t)", "unknown function `g`; did you mean `f`?"},
    };
    const slip_interpolant *table = table_of(SLIP_BETWEEN_LINEAR, 3, uneven, cubic);
    const slip_symbol symbols[] = {{"t", slot_t, 0, NULL, 0}, {"f", -1, 0, table, 0}, {NULL, 0, 0, NULL, 0}};
    for (int k = 0; k < 4; k++) {
        slip_expression *e = NULL;
        slip_expression_error error;
        assert_int_equal(slip_expression_compile(wrong[k][0], symbols, &e, &error), SLIP_ERROR_MODEL);
        assert_string_equal(error.message, wrong[k][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_come_back),
        cmocka_unit_test(points_and_ends),
        cmocka_unit_test(spline_converges),
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(bounds),
        cmocka_unit_test(pieces),
        cmocka_unit_test(harmonics_of_pieces),
        cmocka_unit_test(frequencies_are_fixed),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
