/* Values of a bifurcation diagram that are moved together give the points of those that run one by one. */
#include "model_test.h"
#include "slipstick/bifurcation.h"

static const char stop[] =
    "slipstick: 1\nparameters: {w: 2.6}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\n"
    "stiffness: [[1]]\nforces: {x: cos(w*t)}\ncontacts: {stop: {kind: unilateral, gap: 0.1 - x, "
    "restitution: 0.8}}\nsimulate: {time: [0, 50], steady: {period: 2*pi/w}}\n";
static const char pads[] =
    "slipstick: 1\nparameters: {w: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\ndamping: [[0.05, 0], [0, "
    "0.05]]\n"
    "stiffness: [[2, -1], [-1, 2]]\nforces: {x: cos(w*t)}\ncontacts: {a: {kind: friction, slip: x', law: "
    "{type: "
    "coulomb, mu: 0.2, static_ratio: 1.3}}, b: {kind: friction, slip: y' - 0.1, law: {type: coulomb, mu: "
    "0.15}}}\nsimulate: {time: [0, 50]}\n";
/* By Dormand-Prince. */
static const char belts[] =
    "slipstick: 1\nparameters: {w: 1}\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\ndamping: [[0.05, 0], [0, "
    "0.05]]\n"
    "stiffness: [[2, -1], [-1, 2]]\nforces: {x: cos(w*t) - 0.1*x^3}\ncontacts: {a: {kind: friction, slip: "
    "x', "
    "law: {type: stribeck, mu: 0.2, static_ratio: 1.3, velocity: 0.3}}, b: {kind: friction, slip: y' - 0.1, "
    "law: "
    "{type: coulomb, mu: 0.15, static_ratio: 1.2}}}\nsimulate: {time: [0, 50], tolerance: 1e-11}\n";

/* Once a period: that of the model where it has one. */
static slip_result *diagram(const slip_model *model, const char *over, const char *device)
{
    slip_bifurcation_options options = slip_bifurcation_options_default();
    slip_axis axis = {0};
    slip_result *result = NULL;
    assert_int_equal(slip_axis_parse(ctx, over, &axis), SLIP_OK);
    options.axis = &axis;
    options.period = isfinite(model->simulate.steady_period) ? NULL : "2*pi/w";
    options.transient = 60;
    options.points = 12;
    options.carry = 0;
    options.device = device;
    if (slip_bifurcation(ctx, model, &options, &result) < 0)
        print_error("%s\n", slip_context_message(ctx));
    slip_axis_free(&axis);
    return result;
}

/* The same multiples and, where the motion repeats, the same points. */
static void compare(const char *text, const char *over, double share)
{
    slip_model *model = parse(text);
    slip_result *alone = diagram(model, over, "none"), *together = diagram(model, over, "cpu");
    int64_t count[2], points[2];
    assert_non_null(alone);
    assert_non_null(together);
    const double *a = slip_result_series(alone, "values.multiple", &count[0]),
                 *b = slip_result_series(together, "values.multiple", &count[1]),
                 *number = slip_result_series(alone, "values.points", NULL),
                 *taken[2] = {slip_result_series(alone, "values.returns", NULL),
                              slip_result_series(together, "values.returns", NULL)},
                 *x[2] = {slip_result_series(alone, "x", &points[0]),
                          slip_result_series(together, "x", &points[1])},
                 *v[2] = {slip_result_series(alone, "x'", NULL), slip_result_series(together, "x'", NULL)};
    assert_int_equal(count[0], count[1]);
    assert_int_equal(points[0], points[1]);
    assert_true(slip_result_number(together, "together") >= share * (double)count[0]);
    assert_int_equal((int)(slip_result_number(together, "together") + slip_result_number(together, "alone")),
                     (int)count[0]);
    for (int64_t k = 0, p = 0; k < count[0]; k++) {
        assert_int_equal((int)a[k], (int)b[k]);
        /* of chaos rounding is soon another motion, which may seem to settle for some returns more */
        if (a[k] > 0)
            assert_int_equal((int)taken[0][k], (int)taken[1][k]);
        for (int64_t i = 0; i < (int64_t)number[k]; i++, p++)
            if (a[k] > 0) {
                assert_close(x[1][p], x[0][p], 1e-9);
                assert_close(v[1][p], v[0][p], 1e-9);
            }
    }
    slip_result_destroy(alone);
    slip_result_destroy(together);
    slip_model_destroy(model);
}

static void points_are_those_of_single_runs(void **state)
{
    (void)state;
    compare(stop, "w=2.3:2.9:40", 0.9);
    compare(pads, "w=0.6:1.4:40", 0.9);
    compare(belts, "w=1:1.4:12", 0.9);
    compare(belts, "w=0.6:1.4:20", 0.9);
}

static void says_why_values_run_one_by_one(void **state)
{
    (void)state;
    slip_model *model = parse("slipstick: 1\nparameters: {w: 1}\ncoordinates: [x]\nmass: [[1]]\nstiffness: "
                              "[[1]]\ndamping: [[0.3]]\n"
                              "forces: {x: cos(w*t)}\ncontacts: {pad: {kind: friction, slip: x', law: {type: "
                              "jenkins, mu: 0.2, stiffness: "
                              "10}}}\nsimulate: {time: [0, 50]}\n");
    slip_result *result = diagram(model, "w=0.8:1.2:3", NULL);
    assert_non_null(result);
    assert_int_equal((int)slip_result_number(result, "together"), 0);
    assert_int_equal((int)slip_result_number(result, "alone"), 3);
    assert_non_null(strstr(slip_result_text(result, "alone_because"), "contact `pad` has a law with memory"));
    slip_result_destroy(result);
    result = diagram(model, "w=0.8:1.2:3", "card");
    assert_null(result);
    assert_non_null(
        strstr(slip_context_message(ctx), "the device is `card`, expected cpu, cuda, auto or none"));
    slip_bifurcation_options options = slip_bifurcation_options_default();
    slip_axis axis = {0};
    assert_int_equal(slip_axis_parse(ctx, "w=0.8:1.2:3", &axis), SLIP_OK);
    options.axis = &axis;
    options.period = "2*pi/w";
    options.device = "cpu";
    assert_int_equal(slip_bifurcation(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "device `cpu` with a state that is carried"));
    slip_axis_free(&axis);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(points_are_those_of_single_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(says_why_values_run_one_by_one, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
