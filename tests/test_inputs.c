/* Inputs of a model: motion against closed forms in every method, what may call them, files, messages, and
 * model.yaml. */
#include "model_test.h"

#include "slipstick/simulation.h"
#include "test_folder.h"

#include <math.h>
#include <stdio.h>

/* Of the first two methods, which choose their steps, and of the others. */
static double step_of(int method)
{
    return method < 2 ? NAN : 1e-3;
}

/* x and x' at the end of a run by one method. */
static void run(const slip_model *model, int method, const char *segments, double tolerance, double end,
                double *x, double *v)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    options.method = slip_method_at(method)->name;
    options.step = step_of(method);
    options.segments = method == 0 ? segments : NULL;
    options.tolerance = tolerance;
    if (slip_simulation_open(ctx, model, NULL, &options, &s) < 0 ||
        slip_simulation_advance(ctx, s, end) < 0) {
        print_error("%s: %s\n", options.method, slip_context_message(ctx));
        fail();
    }
    *x = slip_simulation_number(s, "x");
    *v = slip_simulation_number(s, "x'");
    slip_simulation_close(s);
}

#define OSCILLATOR(points, between, call)                                                                    \
    "slipstick: 1\ncoordinates: [x]\nparameters: {w: 2, a: 3}\nmass: [[1]]\nstiffness: [[w^2]]\ninputs:\n"   \
    "  load: {points: " points ", between: " between "}\nforces: {x: a*" call "}\n"

/* x'' + w^2 x = p(t) over a time h, with p = p0 + p1 u + p2 u^2 + p3 u^3. */
static void oscillate(double w, const double *p, double h, double *x, double *v)
{
    /* particular solution: a polynomial with w^2 c_k + (k+1)(k+2) c_(k+2) = p_k */
    const double c3 = p[3] / (w * w), c2 = p[2] / (w * w), c1 = (p[1] - 6 * c3) / (w * w),
                 c0 = (p[0] - 2 * c2) / (w * w);
    const double a = *x - c0, b = (*v - c1) / w;
    *x = c0 + h * (c1 + h * (c2 + h * c3)) + a * cos(w * h) + b * sin(w * h);
    *v = c1 + h * (2 * c2 + h * 3 * c3) - a * w * sin(w * h) + b * w * cos(w * h);
}

/* Closed forms, Dormand-Prince, CVODE and the fixed steps, each to its own accuracy. Points at 0,
 * 1, 1.5, 2.25 and 3; the run ends at 4, with the end value. */
static void every_method_takes_them(void **state)
{
    static const char *const texts[] = {
        OSCILLATOR("[[0, 1], [1, -1], [1.5, 2], [2.25, 0], [3, 1]]", "linear", "load(t)"),
        OSCILLATOR("[[0, 1], [1, -1], [1.5, 2], [2.25, 0], [3, 1]]", "hold", "load(t)"),
        /* 1 + t - t^2 + t^3/3, which the spline gives back */
        OSCILLATOR("[[0, 1], [1, 4/3], [1.5, 1.375], [2.25, 1.984375], [3, 4]]", "cubic", "load(t)")};
    static const double times[] = {0, 1, 1.5, 2.25, 3, 4}, values[] = {1, -1, 2, 0, 1, 1};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_model *model = parse(texts[k]);
        double x = 0, v = 0;
        for (int i = 0; i < 5; i++) {
            double h = times[i + 1] - times[i], p[4] = {3 * values[i], 0, 0, 0}, t = times[i];
            if (k == 0)
                p[1] = 3 * (values[i + 1] - values[i]) / h;
            if (k == 2) {
                p[0] = i == 4 ? 12 : 3 + t * (3 + t * (-3 + t));
                p[1] = i == 4 ? 0 : 3 + t * (-6 + 3 * t);
                p[2] = i == 4 ? 0 : -3 + 3 * t;
                p[3] = i == 4 ? 0 : 1;
            }
            oscillate(2, p, h, &x, &v);
        }
        for (int m = 0; m < slip_method_count() && !slip_method_at(m)->gears; m++) {
            double found, speed;
            const bool fixed = isfinite(step_of(m));
            run(model, m, "rk", fixed ? NAN : 1e-11, 4, &found, &speed);
            assert_close(found, x, m == 0 ? 1e-9 : !fixed ? 2e-8 : k == 1 ? 1e-2 : 2e-5);
            assert_close(speed, v, m == 0 ? 1e-9 : !fixed ? 2e-8 : k == 1 ? 1e-2 : 2e-5);
        }
        double found, speed;
        run(model, 0, "exact", NAN, 4, &found, &speed);
        assert_close(found, x, 1e-14);
        assert_close(speed, v, 1e-14);
        slip_model_destroy(model);
    }
}

/* Late times and shifted arguments do not cost digits: the same load a day later. */
static void late_times(void **state)
{
    (void)state;
    static const char early[] = OSCILLATOR("[[0, 1], [1, -1], [1.5, 2], [2.25, 0.5]]", "cubic", "load(t)");
    static const char late[] = OSCILLATOR("[[0, 1], [1, -1], [1.5, 2], [2.25, 0.5]]", "cubic",
                                          "load(t - 65536)") "simulate: {time: [65536, 65540]}\n";
    slip_model *a = parse(early), *b = parse(late);
    double x[2], v[2];
    run(a, 0, "exact", NAN, 4, &x[0], &v[0]);
    run(b, 0, "exact", NAN, 65540, &x[1], &v[1]);
    assert_close(x[1], x[0], 1e-13);
    assert_close(v[1], v[0], 1e-13);
    slip_model_destroy(a);
    slip_model_destroy(b);
}

/* Belt, normal force, stop, and the place of a coordinate, against the same functions written out. */
static void everywhere_in_a_model(void **state)
{
    static const char *const pairs[][2] = {
        {"contacts:\n  pad: {kind: friction, slip: x' - f(t), law: {type: coulomb, mu: 0.5}}\n",
         "contacts:\n  pad: {kind: friction, slip: \"x' - min(max(t, 0), 2)\", law: {type: coulomb, mu: "
         "0.5}}\n"},
        {"contacts:\n  pad: {kind: friction, slip: x' - 1, normal_force: 1 + f(t), law: {type: coulomb, mu: "
         "0.5}}\n",
         "contacts:\n  pad: {kind: friction, slip: x' - 1, normal_force: \"1 + min(max(t, 0), 2)\", law: "
         "{type: "
         "coulomb, mu: 0.5}}\n"},
        {"contacts:\n  stop: {kind: unilateral, gap: x + 1 - f(t), restitution: 0.5}\n",
         "contacts:\n  stop: {kind: unilateral, gap: \"x + 1 - min(max(t, 0), 2)\", restitution: 0.5}\n"},
        {"forces: {x: -10*f(x)}\n", "forces: {x: \"-10*min(max(x, 0), 2)\"}\n"},
        {"contacts:\n  pad: {kind: friction, slip: x', normal_force: 1 + f(x), law: {type: tanh, mu: 0.5, "
         "velocity: "
         "0.01}}\n",
         "contacts:\n  pad: {kind: friction, slip: x', normal_force: \"1 + min(max(x, 0), 2)\", law: {type: "
         "tanh, "
         "mu: 0.5, velocity: 0.01}}\n"}};
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        double x[2], v[2];
        for (int i = 0; i < 2; i++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[2]]\n"
                     "inputs: {f: {points: [[0, 0], [2, 2]]}}\nsimulate: {initial: {x: 0.5, x': 0.3}}\n%s",
                     pairs[k][i]);
            slip_model *model = parse(text);
            run(model, 0, NULL, 1e-11, 5, &x[i], &v[i]);
            slip_model_destroy(model);
        }
        assert_close(x[0], x[1], k < 3 ? 1e-12 : 1e-9);
        assert_close(v[0], v[1], k < 3 ? 1e-12 : 1e-9);
    }
}

/* A track profile of many points: x'' = -f(x) with f the points of 4 x is an oscillator. */
static void a_profile_of_the_place(void **state)
{
    char text[20000];
    size_t used = (size_t)snprintf(
        text, sizeof text, HEAD "forces: {x: -f(x)}\nsimulate: {initial: {x': 1.7}}\ninputs: {f: {points: [");
    (void)state;
    for (int i = -100; i <= 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%d/100, %d/25]", i > -100 ? ", " : "",
                                 i, i);
    snprintf(text + used, sizeof text - used, "]}}\n");
    slip_model *model = parse(text);
    double x, v;
    run(model, 0, NULL, 1e-11, 3, &x, &v);
    assert_close(x, 0.85 * sin(6), 1e-9);
    assert_close(v, 1.7 * cos(6), 1e-9);
    slip_model_destroy(model);
}

/* A table of 20001 points under closed forms: its own cost is a few microseconds a point, and what it
 * approaches is the load itself. */
static void many_points(void **state)
{
    enum { count = 20001 };
    static double t[count], f[count];
    static const char *const names[] = {"x"};
    const double one = 1, four = 4;
    slip_model *model = NULL;
    double x, v;
    (void)state;
    for (int i = 0; i < count; i++) {
        t[i] = i * 5e-4;
        f[i] = sin(3 * t[i]);
    }
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, &one), SLIP_OK);
    assert_int_equal(slip_model_set_stiffness(ctx, model, &four), SLIP_OK);
    assert_int_equal(slip_model_set_input(ctx, model, "f", "cubic", count, t, f), SLIP_OK);
    assert_int_equal(slip_model_set_force(ctx, model, "x", "f(t)"), SLIP_OK);
    run(model, 0, "exact", NAN, 10, &x, &v);
    assert_close(x, (3.0 / 2 * sin(20) - sin(30)) / 5, 1e-12);
    assert_close(v, 3 * (cos(20) - cos(30)) / 5, 1e-12);
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

/* A state that is kept, at a point of the table or between points, goes on with the same bits. */
static void kept_states_go_on(void **state)
{
    static const double at[] = {0.6, 1, 1.2, 1.5, 2, 2.5, 3.1};
    (void)state;
    for (int b = 0; b < 3; b++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            char text[600];
            snprintf(text, sizeof text,
                     "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[4]]\ninputs:\n"
                     "  f: {points: [[0, 0], [0.5, 1], [1, 3], [1.5, -2], [2, 0.1], [2.5, 4]], between: %s}\n"
                     "forces: {x: f(t)}\ncontacts:\n"
                     "  pad: {kind: friction, slip: x', law: {type: coulomb, mu: 0.7, static_ratio: 1.2}}\n",
                     slip_between_names[b]);
            slip_model *model = parse(text);
            slip_simulation *one = NULL, *other = NULL;
            slip_saved_state *kept = NULL;
            assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &one), SLIP_OK);
            assert_int_equal(slip_simulation_advance(ctx, one, at[k]), SLIP_OK);
            assert_int_equal(slip_simulation_save(ctx, one, &kept), SLIP_OK);
            assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &other), SLIP_OK);
            assert_int_equal(slip_simulation_restore(ctx, other, kept), SLIP_OK);
            assert_int_equal(slip_simulation_advance(ctx, one, 5), SLIP_OK);
            assert_int_equal(slip_simulation_advance(ctx, other, 5), SLIP_OK);
            assert_true(slip_simulation_number(one, "x") == slip_simulation_number(other, "x"));
            assert_true(slip_simulation_number(one, "x'") == slip_simulation_number(other, "x'"));
            slip_simulation_close(one);
            slip_simulation_close(other);
            slip_saved_state_destroy(kept);
            slip_model_destroy(model);
        }
}

/* ---- Building in C. */

static void built_in_c(void **state)
{
    static const char *const names[] = {"x"};
    static const double t[] = {0, 1, 1}, f[] = {1, 2, 3};
    slip_model *model = NULL;
    (void)state;
    assert_int_equal(slip_model_create(ctx, 1, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_parameter(ctx, model, "k", 1), SLIP_OK);
    assert_int_equal(slip_model_set_input(ctx, model, "f", NULL, 3, t, f), SLIP_ERROR_MODEL);
    expect_message("", "input `f`: point 3: found the time 1 after 1, expected times that rise");
    assert_int_equal(slip_model_set_input(ctx, model, "x", NULL, 2, t, f), SLIP_ERROR_MODEL);
    expect_message("", "input `x` is a coordinate too");
    assert_int_equal(slip_model_set_input(ctx, model, "k", NULL, 2, t, f), SLIP_ERROR_MODEL);
    expect_message("", "input `k` is a parameter too");
    assert_int_equal(slip_model_set_input(ctx, model, "f", "linaer", 2, t, f), SLIP_ERROR_MODEL);
    expect_message("", "did you mean `linear`?");
    assert_int_equal(slip_model_set_input(ctx, model, "f", NULL, 2, (const double[]){0, NAN}, f),
                     SLIP_ERROR_MODEL);
    expect_message("", "input `f`: point 2 is (nan, 2), expected finite numbers");
    assert_int_equal(slip_model_set_input(ctx, model, "f", "hold", 2, t, f), SLIP_OK);
    assert_int_equal(slip_model_set_input(ctx, model, "f", "hold", 2, t, f), SLIP_ERROR_MODEL);
    expect_message("", "input `f` is an input too");
    assert_int_equal(slip_model_set_parameter(ctx, model, "f", 1), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_input(ctx, NULL, "f", "hold", 2, t, f), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_model_describe(ctx, model), "f: 2 points from 0 to 1, between them hold"));
    slip_model_destroy(model);
}

/* ---- Files. */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define FROM_FILE(options) HEAD "inputs: {f: {file: in.csv" options "}}\nforces: {x: f(t)}\n"

/* Which columns are taken; model.yaml of a run in another folder finds the file. */
static void files(void **state)
{
    static const char *const good[][2] = {
        {"t,z\n0,1\n1,2\n2,4\n", FROM_FILE("")},
        {"0,1\n1,2\n2,4\n", FROM_FILE("")},
        {"# measured on a Monday\n\n z ,\"the time, s\", y\r\n1,0,9\r\n2,1,9\r\n\r\n4,2,9\r\n",
         FROM_FILE(", time: \"the time, s\", value: z")},
        {"\xef\xbb\xbft, z\n+0, 1e0\n1., 2 \n 2,4", FROM_FILE(", value: z")}};
    char folder[test_path_size], file[test_path_size], yaml[test_path_size], elsewhere[test_path_size];
    (void)state;
    test_folder_make(folder);
    test_path(file, folder, "in.csv");
    test_path(yaml, folder, "m.yaml");
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        slip_model *model = NULL, *again = NULL;
        slip_text text = {0};
        write_file(file, good[k][0]);
        write_file(yaml, good[k][1]);
        if (slip_model_load(ctx, yaml, &model) < 0) {
            print_error("%s", slip_context_message(ctx));
            fail();
        }
        const slip_interpolant *table = model->inputs.list[0];
        assert_int_equal(table->count, 3);
        assert_true(slip_interpolant_value(table, 2, 1.5) == 3 && slip_interpolant_value(table, 3, 9) == 4);
        assert_int_equal(slip_model_write(ctx, model, NULL, &text), SLIP_OK);
        test_path(elsewhere, folder, "run");
        if (k == 0)
            assert_int_equal(slip_folder_create(ctx, elsewhere), SLIP_OK);
        test_path(elsewhere, folder, "run/model.yaml");
        write_file(elsewhere, text.data);
        assert_int_equal(slip_model_load(ctx, elsewhere, &again), SLIP_OK);
        assert_true(slip_interpolant_value(again->inputs.list[0], 2, 1.5) == 3);
        slip_text_free(&text);
        slip_model_destroy(model);
        slip_model_destroy(again);
    }
    static const char *const bad[][3] = {
        {"t,z\n0,1\n1,2\n", FROM_FILE(", value: w"), "in.csv:1: there is no column `w`; "},
        {"t,zeta\n0,1\n1,2\n", FROM_FILE(", value: zetta"), "no column `zetta`; did you mean `zeta`?"},
        {"0,1\n1,2\n", FROM_FILE(", value: w"), "in.csv:1: found numbers, expected the names of the columns"},
        {"t,z\n0,1\n1,nan\n", FROM_FILE(""), "in.csv:3: column 2: found `nan`, expected a finite number"},
        {"t,z\n0,1\n1,\n", FROM_FILE(""), "in.csv:3: column 2: found nothing, expected a finite number"},
        {"t,z\n0,1\n1\n", FROM_FILE(""), "in.csv:3: column 2: found nothing, expected a finite number"},
        {"t;z\n0;1\n1;2\n", FROM_FILE(""),
         "in.csv:1: found one column, expected two with a comma between them"},
        {"t,z\n0,1\n2,1\n1,2\n", FROM_FILE(""), "row 3: found the time 1 after 2, expected times that rise"},
        {"t,z\n0,1\n", FROM_FILE(""), "input `f`: found 1 row, expected at least 2"},
        {"", FROM_FILE(""), "input `f`: found 0 rows, expected at least 2"},
        {"t,\"z\n0,1\n", FROM_FILE(""), "in.csv:1: a quote is not closed"},
        {"0,1\n1,2\n", HEAD "inputs: {f: {file: no.csv}}\n", "no.csv"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        slip_model *model = NULL;
        write_file(file, bad[k][0]);
        write_file(yaml, bad[k][1]);
        assert_int_equal(slip_model_load(ctx, yaml, &model), SLIP_ERROR_MODEL);
        expect_message(bad[k][1], bad[k][2]);
        expect_message(bad[k][1], "m.yaml:4:");
        assert_int_equal(line_count(slip_context_message(ctx)), 1);
    }
    test_folder_remove(folder);
}

/* ---- Messages. */

static void what_is_wrong(void **state)
{
    static const refusal refusals[] = {
        {HEAD "inputs: {f: {points: [[0, 1], [1, 2]], between: linaer}}\n",
         "m.yaml:4:49: input `f`: between: unknown word `linaer`; did you mean `linear`?"},
        {HEAD "inputs: {f: {points: [[0, 1], [0, 2]]}}\n",
         "m.yaml:4:31: input `f`: point 2: found the time 0 after 0, expected times that rise (a jump: "
         "`between: "
         "hold`)"},
        {HEAD "inputs: {f: {points: [[0, 1]]}}\n",
         "m.yaml:4:22: input `f`: found 1 point, expected at least 2"},
        {HEAD "inputs: {f: {points: [[0, 1], [1]]}}\n", "m.yaml:4:31: input `f`: point 2: "},
        {HEAD "inputs: {f: {points: 3}}\n", "m.yaml:4:22: input `f`: points: found `3`, expected a list"},
        {HEAD "inputs: {f: {points: [[0, 1], [1, .nan]]}}\n", "m.yaml:4:35: input `f`: point 2: "},
        {HEAD "parameters: {a: 2}\ninputs: {f: {points: [[0, 1], [1, a]]}}\n",
         "m.yaml:5:35: input `f`: point 2: found `a`, expected a number: a parameter goes before the call"},
        {HEAD "inputs: {f: {between: hold}}\n", "m.yaml:4:13: input `f`: found neither, expected one of"},
        {HEAD "inputs: {f: {file: a.csv, points: [[0, 1], [1, 2]]}}\n", "m.yaml:4:13: input `f`: found both"},
        {HEAD "inputs: {f: {points: [[0, 1], [1, 2]], time: t}}\n",
         "m.yaml:4:13: input `f`: found `points` with `time`, which names a column of a file"},
        {HEAD "inputs: {f: {pionts: [[0, 1], [1, 2]]}}\n",
         "m.yaml:4:14: unknown key `pionts`; did you mean `points`?"},
        {HEAD "inputs: {f: 3}\n", "m.yaml:4:13: input `f`: found `3`, expected a mapping"},
        {HEAD "inputs: [f]\n", "m.yaml:4:9: inputs: found a list, expected a mapping such as"},
        {HEAD "inputs: {x: {points: [[0, 1], [1, 2]]}}\n", "m.yaml:4:10: input `x` is a coordinate too"},
        {HEAD "inputs: {sin: {points: [[0, 1], [1, 2]]}}\n",
         "m.yaml:4:10: input `sin` is a function of expressions"},
        {HEAD "inputs: {t: {points: [[0, 1], [1, 2]]}}\n", "m.yaml:4:10: input `t` is the time"},
        {HEAD "parameters: {a: 2}\ninputs: {a: {points: [[0, 1], [1, 2]]}}\n",
         "m.yaml:5:10: input `a` is a parameter too"},
        {HEAD "inputs: {road: {points: [[0, 1], [1, 2]]}}\nforces: {x: raod(t)}\n",
         "m.yaml:5:13: force on `x`: unknown function `raod`; did you mean `road`?"},
        {HEAD "inputs: {road: {points: [[0, 1], [1, 2]]}}\nforces: {x: road}\n",
         "m.yaml:5:13: force on `x`: `road` is a function of one argument: write road(t)"},
        {HEAD "inputs: {f: {points: [[0, 1], [1, 2]]}}\nsimulate: {initial: {x: f(t)}}\n", "m.yaml:5:27: "},
        {"slipstick: 1\ngears: {a: {module: 1, teeth: 20, width: 1, bore: 5}}\ninputs: {f: {points: [[0, 1], "
         "[1, 2]]}}\n",
         "m.yaml:3:1: found `inputs` in a model with gears, expected it in one with coordinates"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

/* One wrong input is one message, however often it is used. */
static void one_message_each(void **state)
{
    static const refusal refusals[] = {{HEAD "inputs: {f: {points: [[0, 1]]}}\nforces: {x: f(t) + f(2*t)}\n",
                                        "m.yaml:4:22: input `f`: found 1 point"}};
    (void)state;
    REFUSE_EACH(refusals);
}

/* Inputs are in `check`, in conditions of a stop, and stay when parameters get other values. */
static void shown_and_bound(void **state)
{
    slip_model *model =
        parse(OSCILLATOR("[[0, 1], [2, 5]]", "linear", "load(t)") "simulate: {time: [0, 3]}\n");
    slip_simulation *s = NULL;
    slip_values *values = NULL;
    (void)state;
    assert_non_null(
        strstr(slip_model_describe(ctx, model),
               "inputs        load: 2 points from 0 to 2, between them linear; the end values beyond"));
    assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
    assert_int_equal(slip_values_set(ctx, values, "a", 0.5), SLIP_OK);
    assert_int_equal(slip_simulation_open(ctx, model, values, NULL, &s), SLIP_OK);
    assert_int_equal(slip_simulation_advance_until(ctx, s, 3, "load(t) - 3"), SLIP_STOPPED);
    assert_close(slip_simulation_time(s), 1, 1e-9);
    assert_int_equal(slip_simulation_advance(ctx, s, 2), SLIP_OK);
    double x = 0, v = 0;
    oscillate(2, (const double[]){0.5, 1, 0, 0}, 2, &x, &v);
    assert_close(slip_simulation_number(s, "x"), x, 1e-13);
    slip_simulation_close(s);
    slip_values_destroy(values);
    slip_model_destroy(model);
}

/* The argument of a table rests on one of its points while another one passes: time goes on. */
static void arguments_rest_on_points(void **state)
{
    static const char *const forces[] = {"f(max(t - 2.7, 0)) + f(3*t - 2.7)", "f(0*t) + abs(0.3*t - 2.5)",
                                         "f(f(t))*2 - 3*f(0.3*t)"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        slip_run_options options = slip_run_options_default();
        slip_model *model = NULL;
        slip_result *result = NULL;
        char text[500];
        snprintf(text, sizeof text,
                 "slipstick: 1\ninputs: {f: {points: [[0, 0], [0.5, 1], [1, 0]]}}\ncoordinates: [x]\nmass: "
                 "1\nstiffness: "
                 "5\nforces: {x: \"%s\"}\nsimulate: {time: [0, 9], segments: %s, record: {points: 2}}\n",
                 forces[k / 2], k % 2 ? "rk" : "auto");
        assert_int_equal(slip_model_parse(ctx, text, "model", NULL, &model), SLIP_OK);
        const int status = slip_run(ctx, model, &options, &result);
        if (status != SLIP_OK)
            print_error("%s: %s\n", forces[k / 2], slip_context_message(ctx));
        assert_int_equal(status, SLIP_OK);
        assert_true(slip_result_number(result, "final.t") == 9);
        assert_true(slip_result_number(result, "steps") < 2000);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_rest_on_points),
        cmocka_unit_test(every_method_takes_them),
        cmocka_unit_test(late_times),
        cmocka_unit_test(everywhere_in_a_model),
        cmocka_unit_test(a_profile_of_the_place),
        cmocka_unit_test(many_points),
        cmocka_unit_test(built_in_c),
        cmocka_unit_test(kept_states_go_on),
        cmocka_unit_test(files),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(one_message_each),
        cmocka_unit_test(shown_and_bound),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
