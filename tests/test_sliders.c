/* Springs in series with Coulomb sliders: jenkins and iwan, in closed form by `event` and in all other
 * methods. */
#include "motion_test.h"
#include "slipstick/simulation.h"

#include <math.h>

static const way exact = {"event", "exact", NAN, NAN, 0};
static const double pi = 3.14159265358979323846;

static double at(slip_simulation *s, double t, const char *name)
{
    good(slip_simulation_advance(ctx, s, t));
    return slip_simulation_number(s, name);
}

static slip_simulation *open(const slip_model *model, way how)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    options.method = how.method;
    options.segments = how.segments;
    options.step = how.step;
    options.tolerance = how.tolerance;
    good(slip_simulation_open(ctx, model, NULL, &options, &s));
    return s;
}

/* ---- Loops under a slip velocity that is given. */

#define IWAN "{type: iwan, elements: [[1000, 1], [800, 1.6], [500, 2], [300, 3]]}"

static void loops_of_iwan(void **state)
{
    (void)state;
    static const struct {
        double X, tip, middle, energy, half, quarter;
    } cases[] = {{0.003, 5, 0.2, 0.0144, 3.8, -1.8}, {0.006, 6.4, 2, 0.0616, 5.5, -3.3}};
    for (int k = 0; k < 2; k++) {
        char text[700];
        slip_model *model;
        slip_simulation *s;
        slip_result *result;
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nparameters: {X: %g}\ncontacts: {seat: {kind: "
                 "friction, slip: X*cos(t), law: " IWAN "}}\nsimulate: {time: [0, 4*pi], record: {from: "
                 "2*pi, points: 3}}\n",
                 cases[k].X);
        model = parse(text);
        s = open(model, exact);
        assert_close(-at(s, 0.5 * pi, "seat.force"), cases[k].tip, 1e-13);
        assert_close(-at(s, 2 * pi - asin(1. / 3), "seat.force"), cases[k].middle, 1e-12);
        slip_simulation_close(s);
        result = run(model, exact);
        assert_close(slip_result_number(result, "contacts.seat.dissipation"), cases[k].energy, 1e-14);
        slip_result_destroy(result);
        slip_model_destroy(model);
        /* return-point memory: X, -X, X/2, -X/4, X/2 */
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nparameters: {X: %g}\ninputs: {v: {points: [[0, "
            "1], "
            "[1, -2], [2, 1.5], [3, -0.75], [4, 0.75], [5, 0]], between: hold}}\ncontacts: {seat: {kind: "
            "friction, slip: X*v(t), law: " IWAN "}}\nsimulate: {time: [0, 6]}\n",
            cases[k].X);
        model = parse(text);
        s = open(model, exact);
        assert_close(-at(s, 4, "seat.force"), cases[k].quarter, 1e-12);
        assert_close(-at(s, 5, "seat.force"), cases[k].half, 1e-12);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* ---- An oscillator with a Jenkins element: steady amplitudes over the frequency. */

#define OSCILLATOR(more)                                                                                     \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.04]]\nstiffness: [[1]]\nparameters: {P: 1, "  \
    "w: "                                                                                                    \
    "1}\nforces: {x: P*cos(w*t)}\ncontacts: {joint: {kind: friction, slip: x', law: {type: jenkins, mu: "    \
    "0.5, "                                                                                                  \
    "stiffness: 1}}}\n" more

static void steady_amplitudes(void **state)
{
    (void)state;
    static const double w[] = {0.7, 0.8, 0.9, 1, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.45, 1.6},
                        small[] = {0.13242756583299303, 0.14701813209987535, 0.1679903729491642,
                                   0.19984019174435788, 0.25277280145975367, 0.2945248588622666,
                                   0.3558380889434825,  0.4541863646429276,  0.6482255469646326,
                                   0.6727457025549091,  0.60722249180019,    0.35483309737728697},
                        large[] = {0.8316458270742682, 1.2199236932444482, 2.3795102624776066,
                                   9.46823312909054,   4.406199677002329,  3.236245468842158,
                                   2.559215802335581,  2.116416125008672,  1.8027209238268722,
                                   1.5678374482640844, 1.2374775046199606, 0.9272924534713292};
    for (int k = 0; k < 24; k++) {
        char text[2][40];
        const char *settings[] = {text[0], text[1], NULL};
        snprintf(text[0], sizeof text[0], "P=%g", k < 12 ? 0.2 : 1);
        snprintf(text[1], sizeof text[1], "w=%.17g", w[k % 12]);
        slip_model *one = parse_with(
            OSCILLATOR("simulate: {steady: {period: 2*pi/w, tolerance: 1e-10, within: 3000}}\n"), settings);
        slip_result *result = run(one, exact);
        const double expected = k < 12 ? small[k] : large[k - 12];
        /* of one that only sticks the slider may have stayed off centre */
        assert_close_relative(
            slip_result_number(result, expected < 0.5 ? "steady.amplitude.x" : "steady.max.x"), expected,
            1e-9);
        /* what it takes in two periods, of which loops consist: 4 mu (amplitude - mu/stiffness) each */
        if (expected > 0.5)
            assert_close_relative(slip_result_number(result, "contacts.joint.dissipation"),
                                  8 * 0.5 * (expected - 0.5), 1e-9);
        assert_close(slip_result_number(result, "energy.balance"), 0, 1e-11);
        slip_result_destroy(result);
        slip_model_destroy(one);
        if (k % 4 != 0)
            continue;
        /* the same as an Iwan model: of two halves, and the spring beside them */
        one = parse_with("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.04]]\nparameters: {P: 1, "
                         "w: 1}\nforces: "
                         "{x: P*cos(w*t)}\ncontacts: {joint: {kind: friction, slip: x', law: {type: iwan, "
                         "elements: [[0.5, "
                         "0.25], [0.5, 0.25]], stiffness: 1}}}\nsimulate: {steady: {period: 2*pi/w, "
                         "tolerance: 1e-10, within: "
                         "3000}}\n",
                         settings);
        result = run(one, exact);
        assert_close_relative(
            slip_result_number(result, expected < 0.5 ? "steady.amplitude.x" : "steady.max.x"), expected,
            1e-9);
        slip_result_destroy(result);
        slip_model_destroy(one);
    }
}

/* The same motion by all methods; fixed steps with their order. */
static void all_methods(void **state)
{
    (void)state;
    static const way ways[] = {
        {"event", "rk", NAN, 1e-11, 1e-8},   {"smooth", NULL, NAN, 1e-11, 1e-6},
        {"rk4", NULL, 1e-4, NAN, 3e-3},      {"moreau", NULL, 1e-3, NAN, 1e-4},
        {"midpoint", NULL, 1e-3, NAN, 1e-4}, {"midpoint_stabilised", NULL, 1e-3, NAN, 1e-4}};
    slip_model *model = parse(OSCILLATOR("simulate: {time: [0, 40], record: {points: 101}}\n"));
    slip_result *expected = run(model, exact);
    int64_t count;
    const double *x = slip_result_series(expected, "x", &count),
                 *z = slip_result_series(expected, "joint.z", NULL);
    assert_true(slip_result_event_count(expected) > 10);
    for (int k = 0; k < 6; k++) {
        slip_result *result = run(model, ways[k]);
        const double *y = slip_result_series(result, "x", NULL),
                     *u = slip_result_series(result, "joint.z", NULL);
        double worst = 0;
        for (int64_t i = 0, j = 0; k < 2 && i < count; i++, j++)
            worst = fmax(worst, fmax(fabs(x[i] - y[j]), fabs(z[i] - u[j])));
        worst = fmax(worst,
                     fabs(slip_result_number(result, "final.x") - slip_result_number(expected, "final.x")));
        worst = fmax(worst, fabs(slip_result_number(result, "final.joint.z") -
                                 slip_result_number(expected, "final.joint.z")));
        if (!(worst < ways[k].error))
            print_error("%s: %.3g\n", ways[k].method, worst);
        assert_true(worst < ways[k].error);
        if (k < 2)
            assert_int_equal(slip_result_event_count(result), slip_result_event_count(expected));
        slip_result_destroy(result);
    }
    slip_result_destroy(expected);
    slip_model_destroy(model);
}

/* ---- An Iwan model is its elements beside each other. */

#define TWO(contacts)                                                                                        \
    "slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 2]]\nstiffness: [[3, -1], [-1, 2]]\nforces: {x: " \
    "2*sin(1.3*t)}\ncontacts: {" contacts ", floor: {kind: friction, slip: y', normal_force: 2, law: "       \
    "{type: coulomb, mu: 0.2}}}\nsimulate: {time: "                                                          \
    "[0, 30], record: {points: 61, events: false}}\n"

static void iwan_is_its_elements(void **state)
{
    (void)state;
    slip_model *one = parse(
                   TWO("a: {kind: friction, slip: x' - y', normal_force: 3, law: {type: iwan, elements: "
                       "[[1, 0.1], [2, 0.4]], stiffness: 0.5, viscous: 0.1}}")),
               *many = parse(
                   TWO("a: {kind: friction, slip: x' - y', normal_force: 3, law: {type: jenkins, mu: 0.1, "
                       "stiffness: 1, viscous: 0.1}}, b: {kind: friction, slip: x' - y', normal_force: 3, "
                       "law: {type: jenkins, mu: 0.4, stiffness: 2}}, c: {kind: friction, slip: x' - y', "
                       "normal_force: 3, law: {type: jenkins, mu: 1e6, stiffness: 0.5}}"));
    slip_result *a = run(one, exact), *b = run(many, exact);
    int64_t count;
    const double *x = slip_result_series(a, "x", &count), *y = slip_result_series(b, "x", NULL);
    bool some = false, all = false;
    for (int64_t i = 0; i < count; i++)
        assert_close(x[i], y[i], 1e-11);
    for (int64_t e = 0; e < slip_result_event_count(a); e++) {
        some |= slip_result_event(a, e)->contact == 0 && slip_result_event(a, e)->to == SLIP_MODE_SLIP;
        all |= slip_result_event(a, e)->contact == 0 && slip_result_event(a, e)->to == SLIP_MODE_SLIP_PLUS;
    }
    assert_true(some && all);
    slip_result_destroy(a);
    slip_result_destroy(b);
    slip_model_destroy(one);
    slip_model_destroy(many);
}

/* ---- Random chains with sliders, dry friction and stops: closed forms against Dormand-Prince. */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static void random_chains(void **state)
{
    (void)state;
    const int cases = test_sanitized ? 10 : 60;
    uint64_t seed = 7;
    for (int k = 0; k < cases; k++) {
        char text[1500];
        double r[20];
        for (int i = 0; i < 20; i++)
            r[i] = uniform(&seed);
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, %.6g, %.6g]}\nsprings: [{between: "
            "[x, "
            "ground], stiffness: %.6g, damping: 0.05}, {between: [x, y], stiffness: %.6g}, {between: [y, z], "
            "stiffness: %.6g, damping: 0.1}]\nforces: {x: %.6g*sin(%.6g*t), z: %.6g*cos(%.6g*t)}\ncontacts:\n"
            "  a: {kind: friction, slip: x' - %.6g, normal_force: %.6g, law: {type: jenkins, mu: %.6g, "
            "stiffness: "
            "%.6g}}\n  b: {kind: friction, slip: y' - z', law: {type: iwan, elements: [[1, %.6g], [3, "
            "%.6g]]}}\n"
            "  c: {kind: friction, slip: z', law: {type: coulomb, mu: %.6g}}\n  d: {kind: unilateral, gap: "
            "1.5 - "
            "y, restitution: 0.5}\nsimulate: {time: [0, 20]}\n",
            0.5 + r[0], 0.5 + r[1], 1 + r[2], 1 + r[3], 1 + r[4], 1 + 2 * r[5], 0.5 + r[6], 2 * r[7],
            0.5 + r[8], r[9] < 0.5 ? 0 : 0.3 * r[9], 0.5 + r[10], 0.2 + r[11], 1 + 4 * r[12], 0.2 + r[13],
            0.5 + r[14], 0.05 + 0.3 * r[15]);
        slip_model *model = parse(text);
        slip_result *a = run(model, exact), *b = run(model, (way){"event", "rk", NAN, 1e-11, 0});
        const char *names[] = {"final.x", "final.y", "final.z", "final.a.z", "final.b.z1", "final.b.z2"};
        assert_true(slip_result_event_count(a) > 5);
        for (int i = 0; i < 6; i++)
            if (!(fabs(slip_result_number(a, names[i]) - slip_result_number(b, names[i])) < 1e-6)) {
                print_error("case %d, %s:\n%s", k, names[i], text);
                assert_close(slip_result_number(a, names[i]), slip_result_number(b, names[i]), 1e-6);
            }
        assert_close(slip_result_number(a, "energy.balance"), 0, 1e-10);
        slip_result_destroy(a);
        slip_result_destroy(b);
        slip_model_destroy(model);
    }
}

/* In pieces of odd length as in one; what was saved goes on with the same bits. */
static void pieces_are_the_whole(void **state)
{
    (void)state;
    static const way ways[] = {{"event", "exact", NAN, NAN, 1e-11},
                               {"event", "rk", NAN, 1e-11, 1e-8},
                               {"moreau", NULL, 1e-3, NAN, 1e-9}};
    slip_model *model = parse(OSCILLATOR("simulate: {time: [0, 20]}\n"));
    for (int k = 0; k < 3; k++) {
        slip_result *whole = run(model, ways[k]);
        slip_simulation *s = open(model, ways[k]);
        slip_saved_state *saved = NULL;
        double first, z;
        for (int i = 1; i * 0.37 < 20; i++)
            good(slip_simulation_advance(ctx, s, i * 0.37));
        good(slip_simulation_save(ctx, s, &saved));
        first = at(s, 20, "x");
        z = slip_simulation_number(s, "joint.z");
        assert_close(first, slip_result_number(whole, "final.x"), ways[k].error);
        assert_close(z, slip_result_number(whole, "final.joint.z"), ways[k].error);
        good(slip_simulation_restore(ctx, s, saved));
        assert_true(at(s, 20, "x") == first && slip_simulation_number(s, "joint.z") == z);
        slip_saved_state_destroy(saved);
        slip_simulation_close(s);
        slip_result_destroy(whole);
    }
    slip_model_destroy(model);
}

/* A load that jumps is no event of a slider that goes on sticking; a belt that turns at once is. */
static void jumps(void **state)
{
    (void)state;
    static const way ways[] = {{"event", "exact", NAN, NAN, 0}, {"event", "rk", NAN, 1e-10, 0}};
    slip_model *load = parse(
                   HEAD
                   "stiffness: [[1]]\nforces: {x: 0.01*step(t - 1)}\ncontacts: {joint: {kind: friction, "
                   "slip: x', law: {type: jenkins, mu: 0.5, stiffness: 1}}}\nsimulate: {time: [0, 5]}\n"),
               *belt = parse(
                   HEAD "stiffness: [[1]]\ncontacts: {joint: {kind: friction, slip: x' - 1 + 2*step(t - 1), "
                        "law: {type: jenkins, mu: 0.05, stiffness: 1}}}\nsimulate: {time: [0, 1.05]}\n");
    for (int k = 0; k < 2; k++) {
        slip_result *result = run(load, ways[k]);
        assert_int_equal(slip_result_event_count(result), 0);
        slip_result_destroy(result);
        result = run(belt, ways[k]);
        assert_int_equal(slip_result_event_count(result), 2);
        assert_int_equal(slip_result_event(result, 0)->to, SLIP_MODE_SLIP_MINUS);
        assert_int_equal(slip_result_event(result, 1)->to, SLIP_MODE_STICK);
        assert_close(slip_result_event(result, 1)->time, 1, 1e-12);
        slip_result_destroy(result);
    }
    slip_model_destroy(load);
    slip_model_destroy(belt);
}

static void built_in_c_and_written(void **state)
{
    (void)state;
    static const double elements[] = {1, 0.1, 2, 0.4};
    const char *names[] = {"x"};
    slip_model *model = NULL;
    slip_contact_options contact = slip_contact_options_default();
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    contact.name = "joint";
    contact.slip = "x'";
    contact.law = slip_law_default("iwan");
    contact.law.elements = elements;
    contact.law.element_count = 2;
    good(slip_model_create(ctx, 1, names, &model));
    good(slip_model_set_mass(ctx, model, (double[]){1}));
    good(slip_model_set_force(ctx, model, "x", "sin(t)"));
    good(slip_model_add_contact(ctx, model, &contact));
    assert_int_equal(slip_model_state_count(model), 2);
    assert_string_equal(slip_model_state_name(model, 1), "joint.z2");
    options.end = 10;
    good(slip_run(ctx, model, &options, &result));
    slip_model *file =
        parse(HEAD "forces: {x: sin(t)}\ncontacts: {joint: {kind: friction, slip: x', law: {type: iwan, "
                   "elements: [[1, 0.1], [2, 0.4]]}}}\nsimulate: {time: [0, 10]}\n");
    slip_result *expected = run(file, exact);
    assert_true(slip_result_number(result, "final.joint.z2") ==
                slip_result_number(expected, "final.joint.z2"));
    slip_result_destroy(result);
    slip_result_destroy(expected);
    slip_model_destroy(model);
    slip_model_destroy(file);
}

static void wrong_sliders_are_errors(void **state)
{
    (void)state;
    refuse_with(LAW("{type: jenkins, mu: 1}"), NULL, "`stiffness`");
    refuse_with(LAW("{type: iwan}"), NULL, "`elements` is missing");
    refuse_with(LAW("{type: iwan, elements: [[1, 2, 3]]}"), NULL, "element 1");
    refuse_with(LAW("{type: iwan, elements: [[1, -2]]}"), NULL, "mu of element 1");
    refuse_with(LAW("{type: iwan, elements: 3}"), NULL, "elements: found");
    refuse_with(LAW("{type: iwan, elements: []}"), NULL, "elements: found an empty list");
    /* one cause, one error: states of a law that is wrong are not said to be unknown */
    static const refusal once[] = {
        {LAW("{type: jenkinz, mu: 1, stiffness: 1}") "simulate: {time: [0, 1], initial: {pad.z: 0.1}}\n",
         "m.yaml:8:17: unknown law `jenkinz`; did you mean `jenkins`?"},
        {LAW("{type: iwan, elements: []}") "outputs: {f: 3*pad.z1}\nstates: {e: pad.z2^2}\n",
         "m.yaml:8:33: law `iwan`: elements"},
        {PAD "    slip: x'\nsimulate: {time: [0, 1], initial: {pad.z: 0.1}}\n",
         "m.yaml:8:36: unknown key `pad.z`"},
        {LAW("{type: coulomb, mu: 1}") "outputs: {f: 3*pad.z}\n",
         "m.yaml:9:16: output `f`: unknown name `pad.z`"}};
    refuse_each(once, sizeof once / sizeof *once);
    refuse_with(LAW("{type: rate_state, mu: 1, a: 1, b: 1, length: 1, velocity: 1, evolution: old}"), NULL,
                "unknown word `old`");
    refuse_with(HEAD
                "contacts: {pad: {kind: patch, slip: {x: x'}, area: {shape: disc}, law: {type: jenkins, mu: "
                "1, stiffness: 1}}}\n",
                NULL, "unknown law of a patch `jenkins`");
    slip_model *model =
        parse(LAW("{type: jenkins, mu: 1, stiffness: 10}") "simulate: {time: [0, 1], initial: {pad.z: "
                                                           "0.2}}\n");
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_ERROR_MODEL);
    expect_message("", "`pad.z` starts at 0.2");
    slip_model_destroy(model);
    model = parse(
        HEAD
        "contacts: {a: {kind: friction, slip: x', law: {type: jenkins, mu: 1, stiffness: 10}}, b: {kind: "
        "friction, slip: x', law: {type: jenkins, mu: 1, stiffness: 10}}}\nsimulate: {time: [0, 1], initial: "
        "{a.z: 1, b.z: 2}}\n");
    assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_ERROR_MODEL);
    expect_message(
        "", "`a.z` starts at 1; expected a number within the limits of law `jenkins`, -0.1 to 0.1\n`b.z` "
            "starts at 2");
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_iwan),
        cmocka_unit_test_of_numbers(steady_amplitudes),
        cmocka_unit_test_of_numbers(all_methods),
        cmocka_unit_test(iwan_is_its_elements),
        cmocka_unit_test(random_chains),
        cmocka_unit_test(built_in_c_and_written),
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(jumps),
        cmocka_unit_test(wrong_sliders_are_errors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
