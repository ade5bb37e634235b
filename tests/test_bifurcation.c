/* Bifurcation diagrams: periods of known motions, points of known maps, and the same bits for any number of
 * threads. */
#include "model_test.h"

#include "slipstick/bifurcation.h"
#include "slipstick/simulation.h"

#define STOP                                                                                                 \
    "slipstick: 1\nparameters: {z: 0, s: 0, r: 0.8, w: 2.6, F: 1}\ncoordinates: [x]\nmass: [[1]]\n"          \
    "damping: [[2*z]]\nstiffness: [[1]]\nforces: {x: F*cos(w*t)}\n"                                          \
    "contacts: {stop: {kind: unilateral, gap: s - x, restitution: r}}\n"
#define TIME "simulate: {time: [0, 50], initial: {x: s - 0.5}}\n"
#define TIME_ALONE "simulate: {time: [0, 50], initial: {x: 1}}\n"

static slip_result *find(const slip_model *model, const slip_bifurcation_options *options)
{
    slip_result *result = NULL;
    if (slip_bifurcation(ctx, model, options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

static slip_bifurcation_options over(const slip_axis *axis, const char *period)
{
    slip_bifurcation_options options = slip_bifurcation_options_default();
    options.axis = axis;
    options.period = period;
    return options;
}

/* The motion with one impact in a period loses its stability at w = 2.653347727855323 by doubling its period.
 */
static void a_period_doubles(void **state)
{
    static const double values[] = {2.60, 2.65, 2.652, 2.6548, 2.66, 2.68};
    const slip_axis axis = {.name = "w", .count = 6, .list = values, .from = 2.6, .to = 2.68};
    const slip_bifurcation_options options = over(&axis, "2*pi/w");
    slip_model *model = parse(STOP TIME);
    slip_result *result = find(model, &options);
    int64_t count;
    const double *multiple = slip_result_series(result, "values.multiple", &count),
                 *w = slip_result_series(result, "values.w", NULL),
                 *time = slip_result_series(result, "time", NULL);
    (void)state;
    assert_int_equal(count, 12);
    for (int64_t k = 0; k < count; k++)
        if (multiple[k] != (w[k] < 2.6533 ? 1 : 2))
            fail_msg("w = %g: %g returns", w[k], multiple[k]);
    assert_int_equal(slip_result_number(result, "points"), 2 * (3 * 1 + 3 * 2));
    for (int64_t k = 0; k < (int64_t)slip_result_number(result, "points"); k++)
        assert_true(fabs(time[k] * slip_result_series(result, "w", NULL)[k] - 2 * acos(-1)) < 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* A linear oscillator: x = A cos(w t - phi), seen once a period, at its maxima and where it passes x = 0
 * upwards. */
static void points_of_a_linear_motion(void **state)
{
    const slip_axis axis = {.name = "w", .from = 0.5, .to = 1.5, .count = 5};
    slip_model *model = parse("slipstick: 1\nparameters: {w: 1, z: 0.1}\ncoordinates: [x]\nmass: [[1]]\n"
                              "damping: [[2*z]]\nstiffness: [[1]]\nforces: {x: cos(w*t)}\n"
                              "simulate: {time: [0, 100]}\n");
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        slip_bifurcation_options options = over(&axis, kind == 0 ? "2*pi/w" : NULL);
        options.maxima = kind == 1 ? "x" : NULL;
        options.section = kind == 2 ? "x" : NULL;
        slip_result *result = find(model, &options);
        int64_t count;
        const double *w = slip_result_series(result, "w", &count), *x = slip_result_series(result, "x", NULL),
                     *v = slip_result_series(result, "x'", NULL),
                     *time = slip_result_series(result, "time", NULL);
        assert_int_equal(count, 10);
        for (int64_t k = 0; k < count; k++) {
            const double re = 1 - w[k] * w[k], im = 0.2 * w[k], size = 1 / hypot(re, im), lag = atan2(im, re);
            const double expected[3][2] = {
                {size * cos(lag), w[k] * size * sin(lag)}, {size, 0}, {0, w[k] * size}};
            assert_true(fabs(x[k] - expected[kind][0]) < 1e-6 && fabs(v[k] - expected[kind][1]) < 1e-6);
            assert_true(fabs(time[k] - 2 * acos(-1) / w[k]) < 1e-6);
        }
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

/* Points of chaotic and periodic motions are states of the motion itself, one return after the other. */
static void points_are_returns(void **state)
{
    const slip_axis axis = {.name = "w", .from = 2.7, .to = 2.9, .count = 5};
    slip_bifurcation_options options = over(&axis, "2*pi/w");
    slip_model *model = parse(STOP TIME);
    slip_values *values;
    slip_simulation *s = NULL;
    int compared = 0;
    (void)state;
    options.carry = 0;
    options.points = 20;
    slip_result *result = find(model, &options);
    int64_t count;
    const double *w = slip_result_series(result, "w", &count), *x = slip_result_series(result, "x", NULL),
                 *v = slip_result_series(result, "x'", NULL);
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    for (int64_t k = 0; k + 1 < count; k++) {
        double q, dq;
        if (w[k] != w[k + 1])
            continue;
        assert_int_equal(slip_values_set(ctx, values, "w", w[k]), SLIP_OK);
        assert_int_equal(slip_simulation_open(ctx, model, values, NULL, &s), SLIP_OK);
        assert_int_equal(slip_simulation_set_state(ctx, s, 0, &x[k], &v[k]), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s, 2 * acos(-1) / w[k]), SLIP_OK);
        slip_simulation_state(s, &q, &dq);
        assert_true(fabs(q - x[k + 1]) < 1e-8 && fabs(dq - v[k + 1]) < 1e-8);
        slip_simulation_close(s);
        compared++;
    }
    assert_true(compared > 20);
    slip_values_destroy(values);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void threads_change_nothing(void **state)
{
    const slip_axis axis = {.name = "w", .from = 2.7, .to = 2.9, .count = 11};
    slip_bifurcation_options options = over(&axis, "2*pi/w");
    slip_model *model = parse(STOP TIME);
    slip_result *first = NULL;
    (void)state;
    options.carry = 0;
    options.transient = 50;
    for (int threads = 1; threads <= 4; threads *= 2) {
        options.threads = threads;
        slip_result *result = find(model, &options);
        for (int c = 0; first && c < slip_result_series_count(result); c++) {
            const char *name = slip_result_series_name(result, c);
            int64_t a, b;
            const double *x = slip_result_series(first, name, &a), *y = slip_result_series(result, name, &b);
            assert_int_equal(a, b);
            assert_memory_equal(x, y, (size_t)a * sizeof *x);
        }
        if (first)
            slip_result_destroy(result);
        else
            first = result;
    }
    slip_result_destroy(first);
    slip_model_destroy(model);
}

/* A motion that comes to rest passes no section, and one whose bounces become ever lower ends there; a value
 * that the model refuses is named. */
static void values_without_points(void **state)
{
    static const double values[] = {-1, 0, 0.5};
    const slip_axis axis = {.name = "r", .count = 3, .list = values, .from = -1, .to = 0.5};
    slip_bifurcation_options options = slip_bifurcation_options_default();
    slip_model *model =
        parse("slipstick: 1\nparameters: {r: 0.5}\ncoordinates: [x]\nmass: [[1]]\n"
              "forces: {x: -1}\ncontacts: {floor: {kind: unilateral, gap: x, restitution: r}}\n"
              "simulate: {time: [0, 20], initial: {x: 1}}\n");
    (void)state;
    options.axis = &axis;
    options.maxima = "x";
    options.carry = 0;
    slip_result *result = find(model, &options);
    assert_int_equal(slip_result_number(result, "failed"), 2);
    assert_int_equal(slip_result_number(result, "points"), 1);
    assert_non_null(strstr(slip_result_word(result, "values.message", 0), "restitution"));
    assert_non_null(strstr(slip_result_word(result, "values.message", 1), "no return"));
    assert_true(slip_result_series(result, "values.returns", NULL)[2] > 10);
    assert_close(slip_result_series(result, "x", NULL)[0], 0, 1e-8);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* x'' + x = load - friction in small steps: how many maxima the last period has, and the largest. A rise that
 * stops in stick and goes on is none. */
static double count_maxima(double mu, int *count)
{
    enum { steps = 20000, periods = 100 };
    const double w = 0.4, h = 2 * acos(-1) / w / steps;
    double x = 0.3, v = 0, largest = -INFINITY;
    int side = 0, before = 0; /* of the slip now; of the last one */
    *count = 0;
    for (int k = 0; k < periods * steps; k++) {
        const double t = (k + 0.5) * h, force = cos(w * t) + 0.5 * cos(3 * w * t + 1) - x;
        if (side == 0 && fabs(force) <= mu)
            continue;
        if (side == 0)
            side = force > 0 ? 1 : -1;
        if (before > 0 && side < 0 && k >= (periods - 1) * steps) {
            ++*count;
            largest = fmax(largest, x);
        }
        before = side;
        v += h * (force - side * mu);
        if (v * side <= 0)
            v = side = 0;
        x += h * v;
    }
    return largest;
}

static void maxima_are_where_a_rise_ends(void **state)
{
    static const double values[] = {0.1, 0.45, 0.6, 0.8};
    const slip_axis axis = {.name = "mu", .count = 4, .list = values};
    slip_bifurcation_options options = over(&axis, NULL);
    slip_model *model = parse(
        "slipstick: 1\nparameters: {mu: 0.45, w: 0.4}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
        "forces: {x: cos(w*t) + 0.5*cos(3*w*t + 1)}\n"
        "contacts: {f: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"
        "simulate: {time: [0, 100], initial: {x: 0.3}}\n");
    (void)state;
    options.maxima = "x";
    options.carry = 0;
    slip_result *result = find(model, &options);
    const double *mu = slip_result_series(result, "mu", NULL), *x = slip_result_series(result, "x", NULL);
    const int64_t points = (int64_t)slip_result_number(result, "points");
    for (int k = 0; k < 4; k++) {
        int count, found = 0;
        double largest = -INFINITY;
        const double expected = count_maxima(values[k], &count);
        for (int64_t i = 0; i < points; i++)
            if (mu[i] == values[k]) {
                found++;
                largest = fmax(largest, x[i]);
            }
        if (found != count || fabs(largest - expected) > 2e-3)
            fail_msg("mu = %g: %d maxima up to %g, expected %d up to %g", values[k], found, largest, count,
                     expected);
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void wrong_requests_are_refused(void **state)
{
    const slip_axis good = {.name = "w", .from = 2, .to = 3, .count = 3},
                    start = {.name = "x", .to = 1, .count = 2};
    const struct {
        slip_bifurcation_options options;
        const char *message;
    } cases[] = {{{.period = "1"}, "nothing to vary"},
                 {{.axis = &start, .period = "1"}, "initial value"},
                 {{.axis = &good, .period = "1", .maxima = "x"}, "more than one"},
                 {{.axis = &good, .maxima = "y"}, "expected a coordinate"},
                 {{.axis = &good, .period = "2*pi/v"}, "period"},
                 {{.axis = &good, .period = "-w"}, "expected more than 0"},
                 {{.axis = &good, .section = "x +"}, "condition"}};
    slip_model *model = parse(STOP TIME);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_bifurcation_options options = slip_bifurcation_options_default();
        slip_result *result = NULL;
        options.axis = cases[k].options.axis;
        options.period = cases[k].options.period;
        options.maxima = cases[k].options.maxima;
        options.section = cases[k].options.section;
        assert_int_equal(slip_bifurcation(ctx, model, &options, &result), SLIP_ERROR_USAGE);
        expect_message("", cases[k].message);
    }
    slip_model_destroy(model);
    model = parse(
        "slipstick: 1\nparameters: {w: 1}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[w]]\n" TIME_ALONE);
    slip_bifurcation_options alone = slip_bifurcation_options_default();
    slip_result *none = NULL;
    alone.axis = &good;
    assert_int_equal(slip_bifurcation(ctx, model, &alone, &none), SLIP_ERROR_USAGE);
    expect_message("", "no section");
    slip_model_destroy(model);
    model = parse(STOP TIME "bifurcation: {over: {w: {from: 2.6, to: 2.7, count: 3}}, points: 5}\n");
    slip_result_destroy(find(model, NULL)); /* once a period of the load */
    slip_model_destroy(model);
    refuse_with(STOP TIME "bifurcation: {over: {w: {from: 2.6, to: 2.7, count: 3}, z: {list: [1]}}}\n", NULL,
                "expected one parameter");
    refuse_with(STOP TIME "bifurcation: {transients: 7}\n", NULL, "transient");
    refuse_with(STOP TIME "bifurcation: {transient: 7}\n", NULL, "8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_period_doubles),
        cmocka_unit_test(points_of_a_linear_motion),
        cmocka_unit_test(points_are_returns),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(maxima_are_where_a_rise_ends),
        cmocka_unit_test(values_without_points),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
