/* States of a model: z' = g(t, q, q', z) in every method, record, result and call. */
#include "motion_test.h"
#include "slipstick/simulation.h"
#include "test_folder.h"

#include <math.h>

static double final_of(const slip_result *result, const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "final.%s", name);
    return slip_result_number(result, path);
}

/* A first-order filter of sin(w t): y = A sin(w t) - B cos(w t) + C exp(-t/T), A = 1/(1 + (wT)^2), B = wT A.
 */
#define FILTER                                                                                               \
    "slipstick: 1\ncoordinates: [x]\nparameters: {T: 0.3, w: 2}\nmass: [[2]]\nstiffness: [[3]]\n"            \
    "states: {y: {rate: (sin(w*t) - y)/T, initial: 0.5}, s: y}\nforces: {x: y}\n"                            \
    "outputs: {z: y + s}\nsimulate: {time: [0, 7], record: {points: 50}}\n"

static double filter_at(double t, double *integral)
{
    const double T = 0.3, w = 2, a = 1 / (1 + w * T * w * T), b = w * T * a, c = 0.5 + b;
    *integral = a * (1 - cos(w * t)) / w - b * sin(w * t) / w + c * T * (1 - exp(-t / T));
    return a * sin(w * t) - b * cos(w * t) + c * exp(-t / T);
}

static const way ways[] = {{"event", "exact", NAN, NAN, 2e-14},
                           {"event", "rk", NAN, 1e-10, 2e-9},
                           {"smooth", NULL, NAN, 1e-11, 2e-9},
                           {"rk4", NULL, 0.01, NAN, 1e-7},
                           {"moreau", NULL, 0.001, NAN, 2e-6},
                           {"midpoint", NULL, 0.001, NAN, 2e-6},
                           {"midpoint_stabilised", NULL, 0.001, NAN, 2e-6}};
enum { way_count = sizeof ways / sizeof *ways };

/* In all methods: the closed form, at the end and at every record. */
static void a_filter_in_all_methods(void **state)
{
    (void)state;
    slip_model *model = parse(FILTER);
    for (int k = 0; k < way_count; k++) {
        slip_result *result = run(model, ways[k]);
        int64_t count;
        const double *t = slip_result_series(result, "t", &count), *y = slip_result_series(result, "y", NULL),
                     *s = slip_result_series(result, "s", NULL), *z = slip_result_series(result, "z", NULL);
        double integral, worst = 0;
        assert_true(y && s && z && count == 50);
        for (int64_t i = 0; i < 50; i++) {
            const double filtered = filter_at(t[i], &integral);
            worst = fmax(worst, fmax(fabs(y[i] - filtered), fabs(s[i] - integral)));
            assert_true(z[i] == y[i] + s[i]);
        }
        if (!(worst < ways[k].error))
            print_error("%s: error %.3g\n", ways[k].method, worst);
        assert_true(worst < ways[k].error);
        assert_close(final_of(result, "y"), filter_at(7, &integral), ways[k].error);
        assert_close(final_of(result, "s"), integral, ways[k].error);
        assert_null(slip_result_series(result, "y'", NULL));
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

static void fixed_steps_have_their_order(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double order;
    } methods[] = {{"rk4", 4}, {"moreau", 2}, {"midpoint", 2}};
    slip_model *model = parse(FILTER);
    for (int k = 0; k < 3; k++) {
        double error[2], integral;
        for (int i = 0; i < 2; i++) {
            slip_result *result = run(model, (way){methods[k].method, NULL, 0.035 / (1 + i), NAN, 0});
            filter_at(7, &integral);
            error[i] = fabs(final_of(result, "s") - integral);
            slip_result_destroy(result);
        }
        assert_close(log2(error[0] / error[1]), methods[k].order, 0.2);
    }
    slip_model_destroy(model);
}

/* PID control of a mass, x''' + 6 x'' + 11 x' + 6 (x - 1) = 0: with x(0) = x'(0) = 0, x''(0) = 11 the
 * solution is 1 + 2.5 e^-t - 8 e^-2t + 4.5 e^-3t. A force that is linear in coordinates, velocities and
 * states has closed forms. */
#define PID(end, more)                                                                                       \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstates: {i: 1 - x}\nforces: {x: 11*(1 - x) + 6*i - "       \
    "6*x'}\n" more "simulate: {time: [0, " end "]}\n"

static void a_controller_in_closed_form(void **state)
{
    (void)state;
    slip_model *model = parse(PID("4", ""));
    slip_result *result = run(model, (way){"event", "exact", NAN, NAN, 0});
    assert_close(final_of(result, "x"), 1 + 2.5 * exp(-4) - 8 * exp(-8) + 4.5 * exp(-12), 1e-14);
    assert_close(final_of(result, "x'"), -2.5 * exp(-4) + 16 * exp(-8) - 13.5 * exp(-12), 1e-14);
    /* the energy that the force brings is the mass's: the state has none */
    assert_close(slip_result_number(result, "energy.balance"), 0, 1e-12);
    assert_close(slip_result_number(result, "energy.kinetic_end"), 0.5 * pow(final_of(result, "x'"), 2),
                 1e-14);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* With dry friction it sticks and slips: the same events and the same end by all methods, and energies that
 * add up. */
static void a_controller_with_friction(void **state)
{
    (void)state;
    slip_model *model =
        parse(PID("8", "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 1, static_ratio: "
                       "1.4}}}\n"));
    slip_result *exact = run(model, (way){"event", "exact", NAN, NAN, 0});
    assert_true(slip_result_event_count(exact) >= 2);
    assert_close(slip_result_number(exact, "energy.balance"), 0, 1e-12);
    for (int k = 1; k < way_count; k++) {
        if (strcmp(ways[k].method, "smooth") == 0 || strcmp(ways[k].method, "rk4") == 0)
            continue;
        const double error = strcmp(ways[k].method, "event") == 0 ? 1e-8 : 1e-3;
        slip_result *result = run(model, ways[k]);
        assert_close(final_of(result, "x"), final_of(exact, "x"), error);
        assert_close(final_of(result, "i"), final_of(exact, "i"), error);
        assert_close(slip_result_number(result, "energy.balance"), 0, 1e-8);
        if (error < 1e-6)
            for (int64_t e = 0; e < slip_result_event_count(exact); e++)
                assert_close(slip_result_event(result, e)->time, slip_result_event(exact, e)->time, 1e-8);
        slip_result_destroy(result);
    }
    slip_result_destroy(exact);
    slip_model_destroy(model);
}

/* A belt whose speed is a state: friction drives the block and not the state. */
static void a_belt_that_is_a_state(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[4]]\nstates: {v: 1 - "
              "2*v}\ncontacts: {pad: "
              "{kind: friction, slip: x' - v, law: {type: coulomb, mu: 1}}}\nsimulate: {time: [0, 3]}\n");
    slip_model *other =
        parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[4]]\ncontacts: {pad: {kind: "
              "friction, slip: "
              "x' - (1 - exp(-2*t))/2, law: {type: coulomb, mu: 1}}}\nsimulate: {time: [0, 3]}\n");
    slip_result *expected = run(other, (way){"event", NULL, NAN, 1e-11, 0});
    for (int k = 1; k < way_count; k++) {
        if (strcmp(ways[k].method, "smooth") == 0 || strcmp(ways[k].method, "rk4") == 0)
            continue;
        slip_result *result = run(model, ways[k]);
        const double error = strcmp(ways[k].method, "event") == 0 ? 1e-8 : 2e-3;
        assert_close(final_of(result, "v"), 0.5 * (1 - exp(-6)), error);
        assert_close(final_of(result, "x"), final_of(expected, "x"), error);
        slip_result_destroy(result);
    }
    slip_result_destroy(expected);
    slip_model_destroy(model);
    slip_model_destroy(other);
}

/* Rates that are not linear, by all methods that take any: logistic growth, and a state in a normal force. */
static void rates_that_are_not_linear(void **state)
{
    (void)state;
    slip_model *model = parse(
        "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstates: {u: {rate: u*(1 - u), initial: 0.1}}\n"
        "contacts: {pad: {kind: friction, slip: x' - 1, normal_force: u, law: {type: tanh, mu: 1, velocity: "
        "0.1}}}\nsimulate: {time: [0, 5]}\n");
    double first = NAN;
    for (int k = 1; k < way_count; k++) {
        slip_result *result = run(model, ways[k]);
        assert_close(final_of(result, "u"), 1 / (1 + 9 * exp(-5)), ways[k].error);
        first = k == 1 ? final_of(result, "x") : first;
        assert_close(final_of(result, "x"), first, 3 * ways[k].error + 1e-8);
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

/* A stop condition, setting, saving and restoring; the same bits as before. */
static void simulations_know_states(void **state)
{
    (void)state;
    slip_model *model = parse(FILTER);
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    slip_saved_state *saved = NULL;
    double z[2], again[2], integral;
    good(slip_simulation_open(ctx, model, NULL, &options, &s));
    good(slip_simulation_advance(ctx, s, 1));
    slip_simulation_states(s, z);
    assert_close(z[0], filter_at(1, &integral), 1e-14);
    assert_true(z[0] == slip_simulation_number(s, "y") && z[1] == slip_simulation_number(s, "s"));
    good(slip_simulation_save(ctx, s, &saved));
    good(slip_simulation_advance(ctx, s, 2));
    slip_simulation_states(s, z);
    good(slip_simulation_restore(ctx, s, saved));
    good(slip_simulation_advance(ctx, s, 2));
    slip_simulation_states(s, again);
    assert_memory_equal(z, again, sizeof z);
    good(slip_simulation_set_states(ctx, s, (double[]){0.25, 3}));
    assert_true(slip_simulation_number(s, "s") == 3);
    assert_int_equal(slip_simulation_advance_until(ctx, s, 4, "s - 2.9"), SLIP_STOPPED);
    assert_close(slip_simulation_number(s, "s"), 2.9, 1e-12);
    assert_int_equal(slip_simulation_set_states(ctx, s, (double[]){NAN, 3}), SLIP_ERROR_USAGE);
    slip_saved_state_destroy(saved);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* A folder keeps them; names, order and numbers come back. */
static void results_keep_states(void **state)
{
    (void)state;
    char folder[test_path_size];
    slip_model *model = parse(FILTER);
    slip_result *result = run(model, ways[0]), *read = NULL;
    int64_t count, other;
    test_folder_make(folder);
    good(slip_result_save(ctx, result, folder));
    good(slip_result_load(ctx, folder, &read));
    assert_int_equal(slip_result_series_count(read), slip_result_series_count(result));
    for (int k = 0; k < slip_result_series_count(result); k++)
        assert_string_equal(slip_result_series_name(read, k), slip_result_series_name(result, k));
    const double *s = slip_result_series(result, "s", &count), *t = slip_result_series(read, "s", &other);
    assert_true(s && t && count == other);
    assert_memory_equal(s, t, (size_t)count * sizeof *s);
    slip_result_destroy(read);
    slip_result_destroy(result);
    slip_model_destroy(model);
    test_folder_remove(folder);
}

/* A periodic load: the states of the steady motion are periodic too. */
static void steady_motions_have_states(void **state)
{
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[0.5]]\nstates: {y: "
              "(x - y)/0.2}\nforces: {x: cos(2*t) - y}\nsimulate: {steady: {period: pi}}\n");
    slip_result *result = run(model, (way){"event", "exact", NAN, NAN, 0});
    /* x = Re X e^(2it): (-4 + i + 1 + 1/(1 + 0.4 i)) X = 1 */
    const double re = -3 + 1 / 1.16, im = 1 - 0.4 / 1.16;
    assert_close(slip_result_number(result, "steady.amplitude.x"), 1 / hypot(re, im), 1e-8);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* A belt whose speed is a state, s = -0.3 t: the block that sticks to it is held with 0.3 t - 0.06, and
 * static friction lets go where that is 0.36, at t = 1.4; in fixed steps too, beside another contact. */
static void static_friction_on_such_a_belt(void **state)
{
    static const way all[] = {{"event", NULL, NAN, 1e-10, 1e-9},
                              {"moreau", NULL, 1e-3, NAN, 2e-3},
                              {"midpoint_stabilised", NULL, 1e-3, NAN, 2e-3}};
    (void)state;
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, y]\nstates: {s: -0.3}\nmass: {diagonal: [1, "
              "1]}\nforces: {x: -0.3*t, y: sin(t)}\ncontacts:\n  a: {kind: friction, slip: x' - "
              "0.2*s, law: {type: coulomb, mu: 0.3, static_ratio: 1.2}}\n  b: {kind: friction, slip: "
              "y', law: {type: coulomb, mu: 0.2}}\nsimulate: {time: [0, 2]}\n");
    for (int k = 0; k < 3; k++) {
        slip_result *result = run(model, all[k]);
        for (int64_t i = 0; i < slip_result_event_count(result); i++)
            if (slip_result_event(result, i)->contact == 0) {
                near(slip_result_event(result, i)->time, 1.4, all[k].error, all[k].method);
                break;
            }
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

static void built_in_c(void **state)
{
    (void)state;
    const char *names[] = {"x"};
    slip_model *model = NULL, *file = parse(FILTER);
    good(slip_model_create(ctx, 1, names, &model));
    good(slip_model_set_parameter(ctx, model, "T", 0.3));
    good(slip_model_set_mass(ctx, model, (double[]){2}));
    good(slip_model_set_force(ctx, model, "x", "0.2/T"));
    good(slip_model_set_state(ctx, model, "y", "(sin(w*t) - y)/T", 0.5) == SLIP_ERROR_MODEL ? 0 : -1);
    assert_int_equal(slip_model_state_count(model), 0);
    good(slip_model_set_parameter(ctx, model, "w", 2));
    good(slip_model_set_state(ctx, model, "y", "(sin(w*t) - y)/T", 0.5));
    good(slip_model_set_state(ctx, model, "s", "y", 0));
    good(slip_model_set_stiffness(ctx, model, (double[]){3}));
    good(slip_model_set_force(ctx, model, "x", "y"));
    assert_int_equal(slip_model_set_state(ctx, model, "x", "1", 0), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_state(ctx, model, "y", "1", 0), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_parameter(ctx, model, "s", 1), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_state_count(model), 2);
    assert_string_equal(slip_model_state_name(model, 1), "s");
    slip_run_options options = slip_run_options_default();
    slip_result *found = NULL, *expected = run(file, ways[0]);
    options.end = 7;
    good(slip_run(ctx, model, &options, &found));
    assert_true(final_of(found, "x") == final_of(expected, "x"));
    assert_true(final_of(found, "s") == final_of(expected, "s"));
    slip_result_destroy(found);
    slip_result_destroy(expected);
    slip_model_destroy(model);
    slip_model_destroy(file);
}

/* States start where C says, those of laws too, whatever else is set before or after; observers see them. */
typedef struct seen {
    double t, x, v, y, z;
} seen;

static int see(void *user, double t, const double *q, const double *v)
{
    *(seen *)user = (seen){t, q[0], v[0], v[1], v[2]};
    return 0;
}

static void initial_states_in_c(void **state)
{
    (void)state;
    const char *names[] = {"x"};
    slip_model *model = NULL,
               *file = parse(
                   "slipstick: 1\ncoordinates: [x]\nmass: 2\nstates: {y: x - y}\ncontacts: {seat: {kind: "
                   "friction, slip: x', law: {type: dahl, mu: 0.3, stiffness: 10}}}\nsimulate: {time: "
                   "[0, 1], initial: {x': 0.5, y: 0.7, seat.z: 0.02}}\n");
    slip_contact_options seat = slip_contact_options_default();
    seat.name = "seat";
    seat.slip = "x'";
    seat.law = slip_law_default("dahl");
    seat.law.mu = 0.3;
    seat.law.stiffness = 10;
    good(slip_model_create(ctx, 1, names, &model));
    good(slip_model_set_mass(ctx, model, (double[]){2}));
    good(slip_model_set_state(ctx, model, "y", "x - y", 0.1));
    good(slip_model_set_initial_state(ctx, model, "y", 0.7));
    assert_int_equal(slip_model_set_initial_state(ctx, model, "seat.z", 0.02), SLIP_ERROR_MODEL);
    good(slip_model_add_contact(ctx, model, &seat));
    good(slip_model_set_initial_state(ctx, model, "seat.z", 0.02));
    good(slip_model_set_initial(ctx, model, NULL, (double[]){0.5}));
    assert_int_equal(slip_model_set_initial_state(ctx, model, "seat.z", NAN), SLIP_ERROR_MODEL);
    assert_int_equal(slip_model_set_initial_state(ctx, model, "x", 1), SLIP_ERROR_MODEL);
    expect_fixed_point(model, NULL);
    slip_run_options options = slip_run_options_default();
    slip_result *found = NULL, *expected = run_as_said(file);
    seen last;
    options.end = 1;
    options.step_observer = see;
    options.observer_user = &last;
    good(slip_run(ctx, model, &options, &found));
    assert_true(last.t == 1 && last.x == final_of(expected, "x") && last.v == final_of(expected, "x'"));
    assert_true(last.y == final_of(expected, "y") && last.z == final_of(expected, "seat.z"));
    assert_true(final_of(found, "seat.z") == last.z);
    slip_result_destroy(found);
    slip_result_destroy(expected);
    slip_model_destroy(model);
    slip_model_destroy(file);
}

/* rate(y) is the rate of y wherever it stands, in closed form too, and in models that are bound to other
 * numbers. */
static void rates_of_states(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "states: {y: {rate: (x - y)/T, initial: 1}, w: \"rate(y) + x'\", z: rate(w)*2}\nforces: {x: -x - "
        "0.3*rate(y)}\ncontacts: {pad: {kind: friction, slip: \"x' - 0.1*rate(y)\", law: {type: coulomb, mu: "
        "0.02}}}\noutputs: {r: rate(y), e: rate(x*y)}\n",
        "states: {y: {rate: (x - y)/T, initial: 1}, w: \"(x - y)/T + x'\", z: \"((x - y)/T + "
        "x')*2\"}\nforces: "
        "{x: -x - 0.3*(x - y)/T}\ncontacts: {pad: {kind: friction, slip: \"x' - 0.1*(x - y)/T\", law: {type: "
        "coulomb, mu: 0.02}}}\noutputs: {r: (x - y)/T, e: \"x*(x - y)/T + x'*y\"}\n"};
    static const char *const names[] = {"x", "y", "z", "r", "e"};
    for (int k = 0; k < 2; k++) {
        double numbers[2][5];
        for (int i = 0; i < 2; i++) {
            char text[900];
            snprintf(
                text, sizeof text,
                "slipstick: 1\ncoordinates: [x]\nparameters: {T: 0.5}\nmass: 1\n%ssimulate: {time: [0, 5], "
                "initial: {x: 1}}\n",
                texts[i]);
            slip_model *model = parse(text);
            slip_values *values = NULL;
            slip_simulation_options options = slip_simulation_options_default();
            slip_simulation *simulation = NULL;
            good(slip_values_create(ctx, model, &values));
            if (k > 0)
                good(slip_values_set(ctx, values, "T", 0.8));
            good(slip_simulation_open(ctx, model, values, &options, &simulation));
            good(slip_simulation_advance(ctx, simulation, 5));
            for (int j = 0; j < 5; j++)
                numbers[i][j] = slip_simulation_number(simulation, names[j]);
            slip_simulation_close(simulation);
            slip_values_destroy(values);
            slip_model_destroy(model);
        }
        for (int j = 0; j < 5; j++)
            assert_close(numbers[0][j], numbers[1][j], 1e-13);
    }
    refuse_with(HEAD "states: {a: rate(b), b: rate(a)}\n", NULL, "is a rate that depends on itself");
    refuse_with(HEAD "states: {a: 1}\nforces: {x: rate(rate(a))}\n", NULL,
                "rate() of a rate is not known here");
    refuse_with(
        HEAD "contacts: {c: {kind: friction, slip: x', law: {type: dahl, mu: 1, stiffness: 1}}}\nforces: {x: "
             "rate(y)}\n",
        NULL, "unknown name `y`");
}

static void wrong_states_are_errors(void **state)
{
    (void)state;
    refuse_with(HEAD "states: {x: 1}\n", NULL, "state `x` is a coordinate too");
    refuse_with(HEAD "parameters: {k: 1}\nstates: {k: 1}\n", NULL, "parameter `k` is a state too");
    refuse_with(HEAD "states: [s]\n", NULL, "states: found a list, expected a mapping");
    refuse_with(HEAD "states: {s: {initial: 1}}\n", NULL, "state `s`: `rate` is missing");
    refuse_with(HEAD "states: {s: q}\n", NULL, "rate of `s`: unknown name `q`");
    refuse_with(HEAD "states: {s: s'}\n", NULL, "unknown name `s'`");
    refuse_with(HEAD "states: {s: {rate: 1, start: 2}}\n", NULL, "unknown key `start`");
    refuse_with(HEAD "states: {sin: 1}\n", NULL, "state `sin` is a function");
    refuse_with(HEAD "states: {s: 1}\nforces: {s: 1}\n", NULL, "`s`");
    refuse_with(HEAD "states: {s: 1}\noutputs: {s: x}\n", NULL, "output `s` is a state too");
    refuse_with(HEAD "states: {s: 1}\nsimulate: {initial: {\"s'\": 1}}\n", NULL, "s'");
    refuse_with(HEAD "states: {s: x}\ncontacts: {pad: {kind: unilateral, gap: 1 - x - s}}\n", NULL,
                "gap: found the state s");
    refuse_with(HEAD
                "states: {s: x}\ncontacts: {pad: {kind: friction, slip: s, law: {type: coulomb, mu: 1}}}\n",
                NULL, "slip: found no velocity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_in_all_methods),
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(a_controller_in_closed_form),
        cmocka_unit_test(a_controller_with_friction),
        cmocka_unit_test(a_belt_that_is_a_state),
        cmocka_unit_test(rates_that_are_not_linear),
        cmocka_unit_test(simulations_know_states),
        cmocka_unit_test(results_keep_states),
        cmocka_unit_test(steady_motions_have_states),
        cmocka_unit_test(static_friction_on_such_a_belt),
        cmocka_unit_test(built_in_c),
        cmocka_unit_test(initial_states_in_c),
        cmocka_unit_test(wrong_states_are_errors),
        cmocka_unit_test(rates_of_states),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
