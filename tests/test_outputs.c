/* Outputs and units: what they may say, their values in simulations and records, files, pictures, summary. */
#include "model_test.h"

#include "slipstick/simulation.h"
#include "slipstick/statics.h"
#include "test_folder.h"

#include <math.h>
#include <stdio.h>

#define TWO                                                                                                  \
    "slipstick: 1\ncoordinates: [x, y]\nparameters: {a: 2}\nmass: {diagonal: [1, 2]}\n"                      \
    "stiffness: [[2, -1], [-1, 2]]\ncontacts:\n"                                                             \
    "  belt: {kind: friction, slip: x' - 0.2, law: {type: coulomb, mu: 0.3}}\n"
#define RUN "simulate: {time: [0, 20], initial: {y: 0.5}}\n"
#define OUTPUTS                                                                                              \
    "outputs: {twist: a*(x - y), power: belt.force*belt.slip, twice: 2*twist + y'', speed: x'*step(t - "     \
    "1)}\n"

/* ---- Reading. */

static void what_is_wrong(void **state)
{
    static const refusal refusals[] = {
        {TWO "outputs: {b: x - z}\n", "m.yaml:8:18: output `b`: unknown name `z`"},
        {TWO "outputs: {b: belt.forse}\n",
         "m.yaml:8:14: output `b`: unknown name `belt.forse`; did you mean `belt.force`?"},
        {TWO "outputs: {b: c, c: x}\n", "m.yaml:8:14: output `b`: unknown name `c`"},
        {TWO "outputs: {x: y}\n", "m.yaml:8:11: output `x` is a coordinate too, expected another name"},
        {TWO "outputs: {a: y}\n", "m.yaml:8:11: output `a` is a parameter too, expected another name"},
        {TWO "inputs: {f: {points: [[0, 1], [1, 2]]}}\noutputs: {f: y}\n",
         "m.yaml:9:11: output `f` is an input too, expected another name"},
        {TWO "outputs: {sin: y}\n", "m.yaml:8:11: output `sin` is a function of expressions"},
        {TWO "outputs: {x.y: y}\n", "m.yaml:8:11: output `x.y` is no name"},
        {TWO "outputs: {b: [1]}\n",
         "m.yaml:8:14: output `b`: found a list, expected a number or an expression"},
        {TWO "outputs: [x]\n", "m.yaml:8:10: outputs: found a list, expected a mapping such as"},
        {TWO "outputs: {b: x - , c: 2*b}\n", "m.yaml:8:"},
        {TWO "units: {x: mm, z: mm}\n", "m.yaml:8:16: units: unknown series `z`"},
        {TWO "units: {belt.forec: N}\n",
         "m.yaml:8:9: units: unknown series `belt.forec`; did you mean `belt.force`?"},
        {TWO "units: {x: [mm]}\n", "m.yaml:8:12: unit of `x`: found a list, expected text such as mm"},
        {TWO "units: {x: }\n", "m.yaml:8:9: unit of `x`: found nothing, expected text such as mm"},
        {TWO "units: {x: a unit that is very much longer than any unit should be}\n",
         "m.yaml:8:12: unit of `x`: found a unit that is very ..., expected one line of at most 40 "
         "characters"},
        {TWO "units: mm\n", "m.yaml:8:8: units: found `mm`, expected a mapping such as {x: mm}"},
        {TWO "forces: {x: belt.force}\n", "m.yaml:8:13: force on `x`: unknown name `belt.force`"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void what_is_right(void **state)
{
    slip_model *model =
        parse(TWO OUTPUTS "units: {t: s, x: mm, y: rad, y'': g, belt.force: N, power: 5e3}\n" RUN);
    const char *text = slip_model_describe(ctx, model);
    (void)state;
    assert_non_null(
        strstr(text, "outputs       twist: a*(x - y)\n              power: belt.force*belt.slip, in 5e3\n"));
    assert_non_null(
        strstr(text, "units         t s, x mm, x' mm/s, x'' mm/s^2, y rad, y' rad/s, y'' g, belt.force N\n"));
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

/* ---- Looking. */

static void numbers_of_a_simulation(void **state)
{
    slip_model *model = parse(TWO OUTPUTS RUN);
    slip_simulation *s = NULL;
    (void)state;
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
    for (int k = 0; k < 20; k++) {
        if (k == 10)
            assert_int_equal(slip_simulation_input(s, "a", 3), SLIP_OK);
        const double a = k < 10 ? 2 : 3,
                     twist = a * (slip_simulation_number(s, "x") - slip_simulation_number(s, "y"));
        assert_true(slip_simulation_number(s, "twist") == twist);
        assert_true(slip_simulation_number(s, "power") ==
                    slip_simulation_number(s, "belt.force") * slip_simulation_number(s, "belt.slip"));
        assert_true(slip_simulation_number(s, "twice") == 2 * twist + slip_simulation_number(s, "y''"));
        assert_true(slip_simulation_number(s, "speed") == (k < 2 ? 0 : slip_simulation_number(s, "x'")));
        assert_true(isnan(slip_simulation_number(s, "twis")));
        assert_int_equal(slip_simulation_advance(ctx, s, 0.5 * (k + 1)), SLIP_OK);
    }
    slip_simulation_close(s);
    slip_model_destroy(model);
}

static void built_in_c(void **state)
{
    static const char *const names[] = {"x"};
    const double one = 1;
    slip_model *model = NULL;
    slip_simulation *s = NULL;
    (void)state;
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_stiffness(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_initial(ctx, model, &one, NULL), SLIP_OK);
    assert_int_equal(slip_model_set_output(ctx, model, "energy", "x'^2/2 + x^2/2"), SLIP_OK);
    assert_int_equal(slip_model_set_unit(ctx, model, "energy", "J"), SLIP_OK);
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
    assert_int_equal(slip_simulation_advance(ctx, s, 7), SLIP_OK);
    assert_close(slip_simulation_number(s, "energy"), 0.5, 1e-14);
    slip_simulation_close(s);
    s = NULL;
    assert_int_equal(slip_model_set_unit(ctx, model, "enrgy", "J"), SLIP_OK);
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_ERROR_MODEL);
    expect_message("", "units: unknown series `enrgy`; did you mean `energy`?");
    slip_model_destroy(model);
}

/* ---- Records. */

static slip_result *run_text(const char *text, const char *method)
{
    slip_model *model = parse(text);
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.step = 1e-3;
    if (slip_run(ctx, model, &options, &result) < 0) {
        print_error("%s\n", slip_context_message(ctx));
        fail();
    }
    slip_model_destroy(model);
    return result;
}

static const double *series(const slip_result *result, const char *name)
{
    const double *values = slip_result_series(result, name, NULL);
    if (!values)
        print_error("no series %s\n", name);
    assert_non_null(values);
    return values;
}

/* In every record, of every method, both sides of events included: the expression of the other series. */
static void records_of_every_method(void **state)
{
    static const char *const methods[] = {"event", "moreau", "midpoint", "midpoint_stabilised"};
    (void)state;
    for (int m = 0; m < 4; m++) {
        slip_result *r = run_text(TWO OUTPUTS RUN, methods[m]);
        const double *t = series(r, "t"), *x = series(r, "x"), *y = series(r, "y"), *v = series(r, "x'"),
                     *a = series(r, "y''"), *force = series(r, "belt.force"), *slip = series(r, "belt.slip"),
                     *twist = series(r, "twist"), *power = series(r, "power"), *twice = series(r, "twice"),
                     *speed = series(r, "speed");
        int64_t count;
        double largest = 0;
        slip_result_series(r, "t", &count);
        assert_true(count > 2001);
        for (int64_t i = 0; i < count; i++) {
            assert_true(twist[i] == 2 * (x[i] - y[i]));
            assert_true(power[i] == force[i] * slip[i]);
            assert_true(twice[i] == 2 * twist[i] + a[i]);
            assert_true(speed[i] == (t[i] < 1 ? 0 : v[i]));
            largest = fmax(largest, fabs(power[i]));
        }
        assert_true(slip_result_number(r, "max.power") >= largest);
        assert_close(slip_result_number(r, "max.power"), largest, 1e-3);
        slip_result_destroy(r);
    }
}

/* The largest value lies between two records: x = sin t, recorded at 0, 5 and 10; x^2 x' is largest where
 * tan^2 t = 2, with 2/(3 sqrt 3). Undefined outputs are no error. */
static void largest_between_records(void **state)
{
    slip_result *r = run_text("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
                              "outputs: {p: x^2*x', shifted: 3 - x, root: sqrt(x), none: 1/(x - x)}\n"
                              "simulate: {time: [0, 10], initial: {x': 1}, record: {every: 5}}\n",
                              "event");
    (void)state;
    assert_close(slip_result_number(r, "max.p"), 2 / (3 * sqrt(3)), 1e-9);
    assert_close(slip_result_number(r, "max.shifted"), 4, 1e-9);
    assert_close(slip_result_number(r, "max.root"), 1, 1e-6);
    assert_true(isnan(slip_result_number(r, "max.none")));
    slip_result_destroy(r);
}

/* ---- Folders, pictures. */

static void folder_and_pictures(void **state)
{
    char folder[test_path_size], run[test_path_size], path[test_path_size];
    slip_result *r = run_text(TWO OUTPUTS "units: {t: s, x: mm, y: rad, belt.force: N, power: W}\n" RUN,
                              "event"),
                *back = NULL;
    slip_plot_options options = slip_plot_options_default();
    (void)state;
    test_folder_make(folder);
    test_path(run, folder, "a.run");
    assert_int_equal(slip_result_save(ctx, r, run), SLIP_OK);
    assert_int_equal(slip_result_load(ctx, run, &back), SLIP_OK);
    int64_t count, again;
    const double *power = slip_result_series(r, "power", &count),
                 *read = slip_result_series(back, "power", &again);
    assert_int_equal(count, again);
    assert_memory_equal(power, read, (size_t)count * sizeof *power);
    assert_string_equal(slip_result_unit(back, "power"), "W");
    assert_string_equal(slip_result_unit(back, "x'"), "mm/s");
    assert_string_equal(slip_result_unit(back, "belt.force"), "N");
    assert_string_equal(slip_result_unit(back, "belt.slip"), "");
    assert_string_equal(slip_result_unit(back, "twist"), "");
    assert_true(slip_result_number(back, "max.power") == slip_result_number(r, "max.power"));
    assert_int_equal(slip_plot(ctx, run, &options), SLIP_OK);
    slip_text script = {0};
    FILE *file = fopen(test_path(path, run, "plot.gp"), "r");
    char line[2000];
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        slip_text_append(&script, line);
    fclose(file);
    static const char *const labels[] = {"\"x [mm]\"",           "y [rad]",   "\"x′′ [mm/s²]\"",
                                         "friction of belt [N]", "power [W]", "time t [s]",
                                         "velocity x′ [mm/s]"};
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        if (!strstr(script.data, labels[k])) {
            print_error("no label %s in\n%s\n", labels[k], script.data);
            fail();
        }
    slip_text_free(&script);
    slip_result_destroy(r);
    slip_result_destroy(back);
    test_folder_remove(folder);
}

/* One unit, one panel; two units, two. */
static void panels_go_by_units(void **state)
{
    static const char *const units[] = {"", "units: {x: mm, y: mm}\n", "units: {x: mm, y: rad}\n",
                                        "units: {x: mm}\n"};
    static const int panels[] = {1, 1, 2, 2}; /* the last: one of x, and one of what has no unit */
    (void)state;
    for (int k = 0; k < 4; k++) {
        char folder[test_path_size], path[test_path_size], text[2000], line[2000];
        int found = 0;
        snprintf(text, sizeof text, TWO RUN "%s", units[k]);
        slip_result *r = run_text(text, "event");
        test_folder_make(folder);
        assert_int_equal(slip_result_save(ctx, r, folder), SLIP_OK);
        assert_int_equal(slip_plot(ctx, folder, NULL), SLIP_OK);
        FILE *file = fopen(test_path(path, folder, "plot.gp"), "r");
        assert_non_null(file);
        bool history = false;
        while (fgets(line, sizeof line, file)) {
            if (strstr(line, "set output"))
                history = strstr(line, "\"history\"") != NULL;
            found +=
                history && strstr(line, "set label 98") &&
                (strstr(line, "displacement") || strstr(line, "\"x [mm]\"") || strstr(line, "\"y [rad]\""));
        }
        fclose(file);
        assert_int_equal(found, panels[k]);
        slip_result_destroy(r);
        test_folder_remove(folder);
    }
}

/* ---- Static states. Pushed with P along the floor, the foot is held up to P = 0.4, and slips from there on:
 * its friction is 0.4 of a normal force 1 + x/2 with x = (P - 0.4)/2.2. */
#define PUSHED                                                                                               \
    "slipstick: 1\nparameters: {P: 0.3}\ncoordinates: [x, y]\nstiffness: [[2, 0.5], [0.5, 1]]\n"             \
    "forces: {x: P, y: -1}\ncontacts:\n"                                                                     \
    "  foot: {kind: unilateral, gap: y, slip: x', law: {type: coulomb, mu: 0.4}}\n"                          \
    "outputs: {ratio: foot.force/foot.normal, power: P*x, mode: foot.mode}\nunits: {power: J}\n"

static void static_states_have_outputs(void **state)
{
    (void)state;
    slip_model *model = parse(PUSHED);
    slip_statics *statics = NULL;
    slip_result *path = NULL;
    slip_continue_options options = slip_continue_options_default();
    assert_int_equal(slip_statics_solve(ctx, model, NULL, &statics), SLIP_OK);
    assert_int_equal(slip_statics_count(statics), 1);
    assert_close(slip_statics_at(statics, 0)->state.outputs[0], -0.3, 1e-14);
    assert_true(slip_statics_at(statics, 0)->state.outputs[2] == SLIP_MODE_STICK);
    slip_statics_destroy(statics);
    options.parameter = "P";
    options.low = 0;
    options.high = 2;
    assert_int_equal(slip_continue(ctx, model, &options, &path), SLIP_OK);
    int64_t count, others;
    const double *value = slip_result_series(path, "value", &count);
    const double *ratio = slip_result_series(path, "ratio", &others);
    const double *power = slip_result_series(path, "power", &others);
    assert_true(value && ratio && power && count == others && count > 20);
    for (int64_t k = 0; k < count; k++) {
        const double P = value[k];
        assert_close(ratio[k], P < 0.4 ? -P : -0.4, 1e-12);
        assert_close(power[k], P < 0.4 ? 0 : P * (P - 0.4) / 2.2, 1e-12);
    }
    slip_result_destroy(path);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(what_is_right),
        cmocka_unit_test(numbers_of_a_simulation),
        cmocka_unit_test(built_in_c),
        cmocka_unit_test(records_of_every_method),
        cmocka_unit_test(largest_between_records),
        cmocka_unit_test(static_states_have_outputs),
        cmocka_unit_test(folder_and_pictures),
        cmocka_unit_test(panels_go_by_units),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
