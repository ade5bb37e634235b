/* Mode coupling by friction: critical coefficients and complex eigenvalues to 1e-10, branches over a
 * parameter, and the same in time. The numbers come from the characteristic polynomials, worked out with 30
 * digits. */
#include "model_test.h"
#include "slipstick/modes.h"
#include "slipstick/simulation.h"
#include "slipstick/slipstick.h"

#include <math.h>
#include <string.h>

static slip_result *solve_model(slip_model *model, const slip_modes_options *options)
{
    slip_result *result = NULL;
    if (slip_modes_solve(ctx, model, options, &result) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(result);
    return result;
}

static slip_result *over(const char *text, const char *const *settings, const char *parameter, double low,
                         double high, int points)
{
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(text, settings);
    options.parameter = parameter;
    options.low = low;
    options.high = high;
    options.points = points;
    slip_result *result = solve_model(model, &options);
    slip_model_destroy(model);
    return result;
}

static slip_result *squeal_at(const char *const *settings)
{
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(slip_example_text("squeal"), settings);
    options.about = "sliding";
    slip_result *result = solve_model(model, &options);
    slip_model_destroy(model);
    return result;
}

static void expect_modes(const slip_result *r, int count, const double (*expected)[2], double tolerance)
{
    int64_t found;
    const double *re = slip_result_series(r, "real", &found), *im = slip_result_series(r, "imaginary", NULL);
    assert_int_equal((int)found, count);
    for (int k = 0; k < count; k++) {
        assert_close(re[k], expected[k][0], tolerance);
        assert_close(im[k], expected[k][1], tolerance);
    }
}

/* ---- Two degrees of freedom. */

static void eigenvalues(void **state)
{
    (void)state;
    static const struct {
        const char *mu, *c1, *c2;
        double s[2][2];
    } table[] = {
        {"mu=0", "c1=0", "c2=0", {{0, 1}, {0, 1.7320508075688772}}},
        {"mu=0.375", "c1=0", "c2=0", {{0, 1.137054624375387}, {0, 1.6453287760160726}}},
        {"mu=0.675", "c1=0", "c2=0", {{0, 1.2976024945965394}, {0, 1.5219158209365056}}},
        {"mu=0.825",
         "c1=0",
         "c2=0",
         {{-0.11145777929704745, 1.4185988991134277}, {0.11145777929704745, 1.4185988991134277}}},
        {"mu=1.125",
         "c1=0",
         "c2=0",
         {{-0.24629285775235402, 1.435499972755075}, {0.24629285775235402, 1.435499972755075}}},
        {"mu=0.9",
         "c1=0.02",
         "c2=0.02",
         {{-0.16715050636381823, 1.422883087836244}, {0.1471505063638182, 1.422883087836244}}},
        {"mu=0.9",
         "c1=0.02",
         "c2=0.1",
         {{-0.18844795149509835, 1.422411432755967}, {0.12844795149509833, 1.4225179164534636}}},
        {"mu=0.9",
         "c1=0.1",
         "c2=0.02",
         {{-0.18844795149509835, 1.422411432755967}, {0.12844795149509833, 1.4225179164534636}}},
        {"mu=0.9",
         "c1=0.06",
         "c2=0.06",
         {{-0.18718118930197367, 1.422605330466037}, {0.12718118930197367, 1.422605330466037}}},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const char *const settings[] = {table[k].mu, table[k].c1, table[k].c2, NULL};
        slip_result *r = squeal_at(settings);
        expect_modes(r, 2, table[k].s, 1e-13);
        slip_result_destroy(r);
    }
}

/* Where the first label stands, and the imaginary part of the mode that begins to grow there. */
static void expect_onset(const char *text, const char *const *settings, double mu, double omega,
                         double omega_tolerance)
{
    slip_result *r = over(text, settings, "mu", 0, 2, 21);
    assert_true(slip_result_label_count(r) >= 1);
    const slip_label *label = slip_result_label(r, 0);
    assert_string_equal(label->type, "FL");
    assert_string_equal(label->from, "stable");
    assert_string_equal(label->to, "flutter");
    assert_close(label->value, mu, 1e-10);
    int64_t rows; /* it is the branch of the label that grows behind it */
    const double *value = slip_result_series(r, "value", &rows), *real = slip_result_series(r, "real", NULL),
                 *mode = slip_result_series(r, "mode", NULL);
    for (int64_t k = 0; k < rows; k++)
        assert_int_equal(real[k] > 1e-9, value[k] > mu && mode[k] == label->branch);
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(text, settings);
    options.parameter = "mu";
    options.low = label->value;
    options.high = 2;
    options.points = 2;
    slip_result *there = solve_model(model, &options);
    double least = INFINITY;
    const double *im = slip_result_series(there, "imaginary", NULL);
    for (int k = 0; k < (int)slip_result_number(r, "count"); k++)
        least = fmin(least, fabs(im[k] - omega));
    assert_true(least <= omega_tolerance);
    slip_result_destroy(there);
    slip_model_destroy(model);
    slip_result_destroy(r);
}

static void critical_friction(void **state)
{
    (void)state;
    const char *text = slip_example_text("squeal");
    static const struct {
        const char *c1, *c2;
        double mu;
    } damped[] = {{"c1=0.02", "c2=0.02", 0.7506},
                  {"c1=0.02", "c2=0.1", 0.753},
                  {"c1=0.1", "c2=0.02", 0.753},
                  {"c1=0.06", "c2=0.06", 0.7554}};
    const char *const undamped[] = {"c1=0", "c2=0", NULL};
    /* Two frequencies meet there: they are as the square root of the distance. */
    expect_onset(text, undamped, 0.75, sqrt(2), 1e-7);
    for (size_t k = 0; k < sizeof damped / sizeof *damped; k++) {
        const char *const settings[] = {damped[k].c1, damped[k].c2, NULL};
        expect_onset(text, settings, damped[k].mu, sqrt(2), 1e-10);
    }
}

static void critical_friction_asymmetric(void **state)
{
    (void)state;
    const char *text = slip_example_text("squeal");
    static const struct {
        const char *c1, *c2;
        double mu;
    } table[] = {{"c1=0", "c2=0", 0.8796965370177612},
                 {"c1=0.02", "c2=0.02", 0.8807793673498974},
                 {"c1=0.02", "c2=0.1", 0.8540578373324056},
                 {"c1=0.1", "c2=0.02", 0.8533413163385494},
                 {"c1=0.06", "c2=0.06", 0.8894420100069872}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const char *const settings[] = {table[k].c1,
                                        table[k].c2,
                                        "k11=2.913030214988503",
                                        "k12=0.8899236889081994",
                                        "k22=2.386969785011497",
                                        "k3=1.1",
                                        NULL};
        slip_result *r = over(text, settings, "mu", 0, 1.5, 16);
        assert_int_equal(slip_result_label_count(r), 1);
        assert_close(slip_result_label(r, 0)->value, table[k].mu, 1e-10);
        slip_result_destroy(r);
    }
}

/* Damping that vanishes is not the same as none, where the two motions do not have the same share of it. */
static void destabilised_by_damping(void **state)
{
    (void)state;
    const char *const settings[] = {"k11=2.913030214988503",
                                    "k12=0.8899236889081994",
                                    "k22=2.386969785011497",
                                    "k3=1.1",
                                    "c1=5e-6",
                                    "c2=1e-6",
                                    NULL};
    slip_result *r = over(slip_example_text("squeal"), settings, "mu", 0, 1.5, 16);
    assert_close(slip_result_label(r, 0)->value, 0.8482854251747963, 1e-6);
    slip_result_destroy(r);
}

/* ---- Three coordinates. */

static const char three[] = "slipstick: 1\nparameters: {mu: 1}\ncoordinates: [a, b, c]\n"
                            "mass: {diagonal: [1, 1.2, 0.8]}\n"
                            "damping: [[0.06, -0.02, 0], [-0.02, 0.08, -0.03], [0, -0.03, 0.05]]\n"
                            "stiffness: [[4, -1, -0.5], [-1, 5, -1.5], [-0.5, -1.5, 3.5]]\n"
                            "forces: {a: 1.8*mu*b, c: -0.6*mu*b}\n";

static void three_coordinates(void **state)
{
    (void)state;
    static const struct {
        const char *mu;
        double s[3][2];
    } table[] = {{"mu=0",
                  {{-0.01446243414683549, 1.4630871277149085},
                   {-0.030997985490403737, 2.1362748052717517},
                   {-0.04912291369609411, 2.4153073504096945}}},
                 {"mu=0.6",
                  {{-0.014705493622434928, 1.4046407167614061},
                   {-0.027453045549151654, 2.1968373869474127},
                   {-0.05242479416174675, 2.395626999040686}}},
                 {"mu=1",
                  {{-0.014743278806362638, 1.3686302900696528},
                   {-0.02200327464076152, 2.240187731380976},
                   {-0.05783677988620917, 2.376315876489826}}},
                 {"mu=1.7",
                  {{-0.014682343192121097, 1.3094983960774218},
                   {0.024028590347067866, 2.3086291543020923},
                   {-0.1039295804882801, 2.345519167848416}}}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const char *const settings[] = {table[k].mu, NULL};
        slip_model *model = parse_with(three, settings);
        slip_result *r = solve_model(model, NULL);
        expect_modes(r, 3, table[k].s, 1e-12);
        slip_result_destroy(r);
        slip_model_destroy(model);
    }
    expect_onset(three, NULL, 1.4187117437181704, 2.2898558926271377, 1e-10);
}

/* ---- Branches. */

/* Two oscillators that do not know each other: their frequencies cross, each branch keeps its shape. */
static void crossing(void **state)
{
    (void)state;
    slip_result *r = over("slipstick: 1\nparameters: {p: 0}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
                          "stiffness: [[1 + p, 0], [0, 3 - p]]\n",
                          NULL, "p", 0, 2, 12);
    int64_t count;
    const double *value = slip_result_series(r, "value", &count), *mode = slip_result_series(r, "mode", NULL),
                 *im = slip_result_series(r, "imaginary", NULL);
    assert_int_equal((int)count, 24);
    for (int64_t k = 0; k < count; k++)
        assert_close(im[k], sqrt(mode[k] == 1 ? 1 + value[k] : 3 - value[k]), 1e-14);
    assert_int_equal(slip_result_label_count(r), 0);
    slip_result_destroy(r);
    /* The least coupling: frequencies come close and part, and the branches do not cross. */
    r = over("slipstick: 1\nparameters: {p: 0}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
             "stiffness: [[1 + p, 0.01], [0.01, 3 - p]]\n",
             NULL, "p", 0, 2, 12);
    value = slip_result_series(r, "value", &count);
    mode = slip_result_series(r, "mode", NULL);
    im = slip_result_series(r, "imaginary", NULL);
    for (int64_t k = 0; k < count; k++) {
        const double half = hypot(1 - value[k], 0.01);
        assert_close(im[k], sqrt(mode[k] == 1 ? 2 - half : 2 + half), 1e-14);
    }
    slip_result_destroy(r);
}

/* A column under a load: divergence where the stiffness vanishes, and back. */
static void divergence(void **state)
{
    (void)state;
    static const char *const damping[] = {"0", "0.3"};
    for (int d = 0; d < 2; d++) {
        char text[300];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {p: 0}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
                 "damping: [[%s, 0], [0, 0]]\nstiffness: [[(p - 1.3)*(p - 2.9), 0], [0, 30]]\n",
                 damping[d]);
        slip_result *r = over(text, NULL, "p", 0, 4, 17);
        assert_int_equal(slip_result_label_count(r), 2);
        for (int k = 0; k < 2; k++) {
            const slip_label *label = slip_result_label(r, k);
            assert_string_equal(label->type, "DV");
            assert_string_equal(k == 0 ? label->to : label->from, "divergence");
            assert_close(label->value, k == 0 ? 1.3 : 2.9, 1e-10);
        }
        slip_result_destroy(r);
    }
}

/* ---- In time. */

/* s from four samples of Re(A exp(s t)) at equal distances: x2 = p x1 - q x0, x3 = p x2 - q x1. */
static void fit(const double x[4], double step, double *growth, double *omega)
{
    const double det = -x[1] * x[1] + x[2] * x[0], p = (-x[2] * x[1] + x[3] * x[0]) / det,
                 q = (x[1] * x[3] - x[2] * x[2]) / det;
    *growth = log(q) / (2 * step);
    *omega = acos(p / (2 * sqrt(q))) / step;
}

/* Just above the critical coefficient a small disturbance grows as the eigenvalue says; just below it dies
 * out. */
static void growth_in_time(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        char mu[40];
        snprintf(mu, sizeof mu, "mu=%.3f", side ? 0.775 : 0.755); /* critical: 0.765 */
        const char *const settings[] = {mu, "simulate.tolerance=1e-12", NULL};
        slip_model *model = parse_with(slip_example_text("squeal"), settings);
        slip_result *modes = solve_model(model, NULL);
        slip_simulation *s = NULL;
        double x[4], growth, omega;
        assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
        const double rest = slip_simulation_number(s, "x"), step = 0.8;
        for (int k = 0; k < 4; k++) { /* the other mode has died out */
            assert_int_equal(slip_simulation_advance(ctx, s, 120 + k * step), SLIP_OK);
            x[k] = slip_simulation_number(s, "x") - rest;
        }
        fit(x, step, &growth, &omega);
        const double *re = slip_result_series(modes, "real", NULL),
                     *im = slip_result_series(modes, "imaginary", NULL);
        const int last = re[1] > re[0];
        assert_true((re[last] > 0) == (side == 1));
        assert_close_relative(growth, re[last], 0.01);
        assert_close_relative(omega, im[last], 1e-4);
        slip_simulation_close(s);
        slip_result_destroy(modes);
        slip_model_destroy(model);
    }
}

/* A pad of finite elements: a small disturbance of steady sliding dies out 1 % below the critical
 * coefficient, and grows 1 % above it, with the growth rate and the frequency of the mode that couples. */
static void a_pad_of_finite_elements(void **state)
{
    slip_modes_options options = slip_modes_options_default();
    slip_model *pad = parse_with(slip_example_text("pad-on-belt"), NULL);
    options.about = "sliding";
    options.parameter = "mu";
    options.low = 0.1;
    options.high = 0.2;
    options.points = 6;
    slip_result *branches = solve_model(pad, &options);
    (void)state;
    assert_true(slip_result_label_count(branches) == 1);
    const double critical = slip_result_label(branches, 0)->value;
    options.parameter = NULL;
    for (int side = test_all() ? 0 : 1; side < 2; side++) {
        char mu[40];
        snprintf(mu, sizeof mu, "mu=%.9g", critical * (side ? 1.01 : 0.99));
        const char *const settings[] = {mu, "simulate.method=event", "simulate.initial=static", NULL};
        slip_model *model = parse_with(slip_example_text("pad-on-belt"), settings);
        slip_result *modes = solve_model(model, &options);
        slip_simulation *s = NULL;
        slip_values *values = NULL;
        double x[4], growth, omega, unused, nearest = -INFINITY, frequency = 0;
        int64_t count;
        assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
        const double rest = slip_simulation_number(s, "pad.heel.x"), step = 0.03;
        slip_simulation_close(s);
        /* from the equilibrium of a pressure that is a little higher */
        assert_int_equal(slip_values_create(ctx, model, &values), SLIP_OK);
        assert_int_equal(slip_values_set(ctx, values, "p", 1 + 1e-6), SLIP_OK);
        assert_int_equal(slip_simulation_open(ctx, model, values, NULL, &s), SLIP_OK);
        assert_int_equal(slip_simulation_input(s, "p", 1), SLIP_OK);
        /* the other modes have died out: frequency by near looks, growth by looks far from each other */
        for (int far = 0; far < 2; far++) {
            for (int k = 0; k < 4; k++) {
                const double t = 60 + k * step + (far ? 1 + 5 * k : 0);
                assert_int_equal(slip_simulation_advance(ctx, s, t), SLIP_OK);
                x[k] = slip_simulation_number(s, "pad.heel.x") - rest;
            }
            fit(x, step + 5 * far, &growth, far ? &unused : &omega);
        }
        const double *re = slip_result_series(modes, "real", &count),
                     *im = slip_result_series(modes, "imaginary", NULL);
        for (int64_t k = 0; k < count; k++)
            if (re[k] > nearest) {
                nearest = re[k];
                frequency = im[k];
            }
        print_message("mu %.6f: growth %.6f of %.6f, frequency %.4f of %.4f\n",
                      critical * (side ? 1.01 : 0.99), growth, nearest, omega, frequency);
        assert_true((nearest > 0) == (side == 1) && (growth > 0) == (side == 1));
        assert_close_relative(growth, nearest, 0.05);
        assert_close_relative(omega, frequency, 1e-3);
        slip_simulation_close(s);
        slip_values_destroy(values);
        slip_result_destroy(modes);
        slip_model_destroy(model);
    }
    slip_result_destroy(branches);
    slip_model_destroy(pad);
}

/* Where nodes of the pad leave the belt the modes jump, and that is labelled: FL, MC, MC, FL, then both at
 * once. */
static void contacts_that_open_are_labelled(void **state)
{
    static const char *const types[] = {"FL", "MC", "MC", "FL", "MC", "FL"};
    slip_modes_options options = slip_modes_options_default();
    slip_model *pad = parse_with(slip_example_text("pad-on-belt"), NULL);
    options.about = "sliding";
    options.parameter = "mu";
    options.low = 0.1;
    options.high = 0.5;
    options.points = 17;
    slip_result *r = solve_model(pad, &options);
    (void)state;
    assert_int_equal((int)slip_result_label_count(r), 6);
    for (int k = 0; k < 6; k++) {
        const slip_label *label = slip_result_label(r, k);
        assert_string_equal(label->type, types[k]);
        if (strcmp(label->type, "MC") != 0)
            continue;
        assert_true(strncmp(label->contact, "belt[", 5) == 0);
        assert_string_equal(label->from, "slip-");
        assert_string_equal(label->to, "open");
    }
    assert_true(slip_result_label(r, 4)->value == slip_result_label(r, 5)->value);
    slip_result_destroy(r);
    slip_model_destroy(pad);
}

/* The limit cycle: the block leaves the belt once in a period. */
static void limit_cycle(void **state)
{
    (void)state;
    const char *const settings[] = {"simulate.tolerance=1e-11", NULL};
    slip_model *model = parse_with(slip_example_text("squeal"), settings);
    slip_simulation *s = NULL;
    double times[3];
    assert_int_equal(slip_simulation_open(ctx, model, NULL, NULL, &s), SLIP_OK);
    assert_int_equal(slip_simulation_advance(ctx, s, 500), SLIP_OK);
    if (slip_simulation_number(s, "y") < 0) /* begin with the contact closed */
        assert_int_equal(slip_simulation_advance_until(ctx, s, 550, "y"), SLIP_STOPPED);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(slip_simulation_advance_until(ctx, s, 550, "y"), SLIP_STOPPED);
        times[k] = slip_simulation_time(s);
    }
    assert_close(times[2] - times[0], 4.5516946657429616, 1e-6);
    assert_close(times[1] - times[0], 1.392916296305162, 1e-6);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* On a slow belt the motion grows until the block sticks now and then, and leaves the belt. */
static void stick_and_lift(void **state)
{
    (void)state;
    const char *const settings[] = {"vb=0.2", NULL};
    slip_model *model = parse_with(slip_example_text("squeal"), settings);
    slip_result *run = NULL;
    int64_t count;
    bool stuck = false, open = false;
    assert_int_equal(slip_run(ctx, model, NULL, &run), SLIP_OK);
    const double *mode = slip_result_series(run, "belt.mode", &count);
    for (int64_t k = 0; k < count; k++) {
        stuck = stuck || mode[k] == SLIP_MODE_STICK;
        open = open || mode[k] == SLIP_MODE_OPEN;
    }
    assert_true(stuck && open);
    slip_result_destroy(run);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues),
        cmocka_unit_test(critical_friction),
        cmocka_unit_test(critical_friction_asymmetric),
        cmocka_unit_test(destabilised_by_damping),
        cmocka_unit_test(three_coordinates),
        cmocka_unit_test(crossing),
        cmocka_unit_test(divergence),
        cmocka_unit_test(growth_in_time),
        cmocka_unit_test_of_numbers(a_pad_of_finite_elements),
        cmocka_unit_test_of_numbers(contacts_that_open_are_labelled),
        cmocka_unit_test(limit_cycle),
        cmocka_unit_test(stick_and_lift),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
