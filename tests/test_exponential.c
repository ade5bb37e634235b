/* The method `exponential` of the engine: structures propagated exactly, contact points that yield. Against
 * closed forms, whole bodies by `moreau`, and the other methods. */
#include "motion_test.h"

#include <stdio.h>
#include <string.h>

/* The largest difference of a series, over the largest number in it. */
static double differ(const slip_result *a, const slip_result *b, const char *name)
{
    int64_t count = 0, other = 0;
    const double *x = slip_result_series(a, name, &count), *y = slip_result_series(b, name, &other);
    double largest = 0, size = 1e-300;
    assert_true(x && y && count == other && count > 10);
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return largest / size;
}

#define SHOE(reduce, simulate)                                                                               \
    "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"         \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [top]\n    tractions: {left: [1, 0]}\n"  \
    "    body_force: [0, -5]\n    probes: {heel: [0, 0]}\n" reduce                                           \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         velocity: 0.2, law: {type: coulomb, mu: 0.4}}\n"                                               \
    "simulate: {" simulate ", time: [0, 0.25], record: {every: 1e-3, events: false}}\n"

/* The same body, whole by `moreau` and condensed: the same motion within the truncation, which falls with the
 * modes. Contact points land, slip, stick and lift off; no energy is made, whatever the step. */
static void truncation_falls_with_the_modes(void **state)
{
    static const int modes[] = {4, 16, 24, 44};
    slip_result *whole = run_text_as_said(SHOE("    reduce: none\n", "method: moreau, step: 2.5e-4"));
    double before = INFINITY;
    (void)state;
    assert_true(slip_result_event_count(whole) > 20);
    for (int k = 0; k < 4; k++) {
        char reduce[80], shoe[1500];
        snprintf(reduce, sizeof reduce, "    reduce: {modes: %d, contact: condensed}\n", modes[k]);
        snprintf(shoe, sizeof shoe, SHOE("%s", "method: exponential"), reduce);
        slip_result *result = run_text_as_said(shoe);
        const double error = differ(result, whole, "pad.heel.x");
        print_message("%d modes: %.3e, balance %.1e, %g steps\n", modes[k], error,
                      slip_result_number(result, "energy.balance"), slip_result_number(result, "steps"));
        assert_true(error < 0.8 * before);
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-11);
        assert_true(slip_result_number(result, "residual") < 1e-12);
        assert_true(slip_result_event_count(result) > 20);
        before = error;
        slip_result_destroy(result);
    }
    assert_true(before < 0.025);
    slip_result_destroy(whole);
}

/* With coordinates of a coarser tolerance the motion is that of a finer one: of second order in the step. */
static void the_tolerance_is_kept(void **state)
{
    slip_result *finest = run_text_as_said(
        SHOE("    reduce: {modes: 16, contact: condensed}\n", "method: exponential, tolerance: 1e-5"));
    static const double tolerances[] = {1e-2, 1e-3};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char shoe[1500];
        snprintf(shoe, sizeof shoe,
                 SHOE("    reduce: {modes: 16, contact: condensed}\n", "method: exponential, tolerance: %g"),
                 tolerances[k]);
        slip_result *result = run_text_as_said(shoe);
        const double error = differ(result, finest, "pad.heel.x");
        print_message("tolerance %g: %.2e\n", tolerances[k], error);
        assert_true(error < 10 * tolerances[k]);
        slip_result_destroy(result);
    }
    slip_result_destroy(finest);
}

/* A bar that hits a wall is there for 2 L/c and keeps its energy. */
static void a_bar_hits_a_wall(void **state)
{
    static const int modes[] = {5, 10, 20};
    double before = INFINITY;
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  bar:\n    mesh: {block: {x: [0, 2], y: [0, 0.1], elements: [80, 1]}}\n"
            "    material: {young: 9, poisson: 0, density: 1}\n    plane: stress\n    fix: {bottom: y, top: "
            "y}\n"
            "    velocity: [-0.1, 0]\n    reduce: {modes: %d, contact: condensed}\n"
            "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [0, 0], normal: [1, 0]}]}\n"
            "simulate: {method: exponential, time: [0, 2]}\n",
            modes[k]);
        slip_result *result = run_text_as_said(text);
        double to = NAN;
        for (int64_t i = 0; i < slip_result_event_count(result); i++)
            if (slip_result_event(result, i)->to == SLIP_MODE_OPEN)
                to = slip_result_event(result, i)->time;
        print_message("%d modes: in contact for %g, balance %.1e, %g steps\n", modes[k], to,
                      slip_result_number(result, "energy.balance"), slip_result_number(result, "steps"));
        const double error = fabs(to - 4.0 / 3);
        before = error;
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-9);
        slip_result_destroy(result);
    }
    near(before, 0, 0.03, "time in contact");
}

/* A mass on a spring with a damper, one without spring, one with neither: in closed form, by steps of any
 * length. */
static void structures_are_exact(void **state)
{
    const double w = sqrt(4 - 0.09), e = exp(-0.3 * 10);
    slip_result *result = run_text_as_said(
        "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 2, 3]}\n"
        "stiffness: [[4, 0, 0], [0, 0, 0], [0, 0, 0]]\ndamping: [[0.6, 0, 0], [0, 3, 0], [0, 0, 0]]\n"
        "forces: {y: 1, z: 6*t}\nsimulate: {method: exponential, step: 2.5, time: [0, 10], initial: {x: "
        "1}}\n");
    (void)state;
    near(slip_result_number(result, "final.x"), e * (cos(w * 10) + 0.3 / w * sin(w * 10)), 1e-13, "x");
    near(slip_result_number(result, "final.y"), 10.0 / 3 - 2.0 / 9 * (1 - exp(-15)), 1e-13, "y");
    near(slip_result_number(result, "final.z"), 1000.0 / 3, 1e-10, "z");
    assert_true(slip_result_number(result, "steps") == 4);
    slip_result_destroy(result);
}

/* Loads that vary, dampers that couple motions, smooth friction: by `event` to its tolerance. */
static void loads_and_smooth_laws_are_followed(void **state)
{
    static const char text[] =
        "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\n"
        "stiffness: [[30, -10], [-10, 20]]\ndamping: [[0.5, -0.2], [-0.2, 0.3]]\n"
        "forces: {x: 2*cos(3*t), y: -x^3}\n"
        "contacts:\n  rub: {kind: friction, slip: y' - 0.1, normal_force: 1 + 0.2*sin(t), law: {type: tanh, "
        "mu: 0.3, "
        "velocity: 0.1}}\n"
        "simulate: {time: [0, 5], initial: {x: 0.5}, record: {every: 0.05, events: false}}\n";
    slip_model *model = parse(text);
    slip_result *exact = run_by(model, "event", NAN, 1e-11);
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *result = run_by(model, "exponential", NAN, k ? 1e-6 : 1e-4);
        const double error = fmax(differ(result, exact, "x"), differ(result, exact, "rub.force"));
        print_message("tolerance %g: %.2e, balance %.1e, %g steps\n", k ? 1e-6 : 1e-4, error,
                      slip_result_number(result, "energy.balance"), slip_result_number(result, "steps"));
        assert_true(error < (k ? 1e-5 : 1e-3));
        slip_result_destroy(result);
    }
    slip_result_destroy(exact);
    slip_model_destroy(model);
}

/* ---- Laws with memory. */

static const struct remembering {
    const char *law;
    bool plane; /* they are for a slip in the plane, too */
} remembering[] = {
    {"{type: dahl, mu: 0.5, stiffness: 100}", true},
    {"{type: lugre, mu: 0.5, static_ratio: 1.4, velocity: 0.1, stiffness: 100, damping: 2, viscous: 0.1}",
     true},
    {"{type: elastoplastic, mu: 0.5, static_ratio: 1.4, velocity: 0.1, stiffness: 100, damping: 2, viscous: "
     "0.1, breakaway: 0.002}",
     true},
    {"{type: jenkins, mu: 0.5, stiffness: 100}", true},
    {"{type: iwan, elements: [[40, 0.2], [60, 0.3]], stiffness: 5}", false},
    {"{type: boucwen, stiffness: 100, beta: 100, gamma: 50}", true},
    {"{type: rate_state, mu: 0.5, a: 0.05, b: 0.02, length: 0.01, velocity: 0.1, evolution: aging}", false}};
enum { remembering_count = sizeof remembering / sizeof *remembering };

#define ON_A_LAW(simulate)                                                                                   \
    "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 0.5]}\n"                                        \
    "stiffness: [[60, -20], [-20, 30]]\ndamping: [[0.2, 0], [0, 0.1]]\n"                                     \
    "forces: {x: %s, y: 0.3}\ncontacts: {pad: {kind: friction, slip: %s, normal_force: %s, law: %s}}\n"      \
    "simulate: {" simulate ", initial: {x: 0.05}, record: {every: 0.01, events: false}}\n"

static const char *states_of(const char *law)
{
    return strstr(law, "iwan") ? "pad.z2" : strstr(law, "rate_state") ? "pad.theta" : "pad.z";
}

/* With loads and normal forces that vary: the motion of `event` within the tolerance, states and forces too.
 * And under constant ones the balance of energy is rounding, whatever the steps. */
static void laws_remember(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * remembering_count; k++) {
        const struct remembering *r = &remembering[k / 2];
        const bool plane = k % 2;
        const char *slip = plane ? "[x' - 0.1, y' + 0.05]" : "x' - 0.1";
        char text[1500];
        if (plane && !r->plane)
            continue;
        snprintf(text, sizeof text, ON_A_LAW("time: [0, 5]"), "2*cos(3*t)", slip,
                 plane ? "1" : "1 + 0.3*sin(t)", r->law);
        slip_model *model = parse(text);
        slip_result *exact = run_by(model, "event", NAN, 1e-10);
        for (int fine = 0; fine < 2; fine++) {
            const double tolerance = fine ? 1e-6 : 1e-4;
            slip_result *result = run_by(model, "exponential", NAN, tolerance);
            assert_true(differ(result, exact, "x") < 30 * tolerance);
            assert_true(differ(result, exact, "x'") < 30 * tolerance);
            assert_true(differ(result, exact, "y") < 30 * tolerance);
            /* between the ends of steps states and forces are linear, also over a kink */
            assert_true(differ(result, exact, plane ? "pad.zx" : states_of(r->law)) < 300 * tolerance);
            assert_true(differ(result, exact, "pad.force") < 300 * tolerance);
            slip_result_destroy(result);
        }
        slip_result_destroy(exact);
        slip_model_destroy(model);
        snprintf(text, sizeof text, ON_A_LAW("method: exponential, step: 2e-3, time: [0, 2]"), "1.4", slip,
                 "1", r->law);
        slip_result *result = run_text_as_said(text);
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-11);
        slip_result_destroy(result);
    }
}

/* A bar on springs in place of a rigid contact: as by `event`. */
static void springs_take_contact_points_with_a_mass(void **state)
{
    static const char text[] =
        "slipstick: 1\nbodies:\n  bar:\n    mesh: {block: {x: [0, 2], y: [0, 0.1], elements: [20, 1]}}\n"
        "    material: {young: 9, poisson: 0, density: 1}\n    plane: stress\n    fix: {bottom: y, top: y}\n"
        "    velocity: [-0.1, 0]\n    reduce: {modes: 8}\n    probes: {end: [2, 0]}\n"
        "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [0, 0], normal: [1, 0]}], normal: "
        "{stiffness: 5, "
        "exponent: 1.5}}\n"
        "simulate: {time: [0, 3], record: {every: 0.02, events: false}}\n";
    slip_model *model = parse(text);
    slip_result *exact = run_by(model, "event", NAN, 1e-10),
                *result = run_by(model, "exponential", NAN, 1e-6);
    (void)state;
    print_message("%.2e, balance %.1e, %g steps\n", differ(result, exact, "bar.end.x"),
                  slip_result_number(result, "energy.balance"), slip_result_number(result, "steps"));
    assert_true(differ(result, exact, "bar.end.x") < 1e-5);
    slip_result_destroy(result);
    slip_result_destroy(exact);
    slip_model_destroy(model);
}

#define CUBE(reduce, simulate)                                                                               \
    "slipstick: 1\nbodies:\n  cube:\n    mesh: {block: {x: [0, 1], y: [0, 1], z: [0, 0.5], elements: [3, "   \
    "3, 2]}}\n"                                                                                              \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [top]\n"                                 \
    "    tractions: {left: [sin(20*t), 0.3, 0]}\n    body_force: [0, 0, -5*(1 - cos(20*t))]\n    probes: "   \
    "{toe: [1, 1, 0]}\n" reduce                                                                              \
    "contacts:\n  disc: {kind: surface, between: [cube.bottom, {point: [0, 0, 0], normal: [0, 0, 1]}],\n"    \
    "         velocity: [-0.3*y, 0.3*x, 0], law: {type: coulomb, mu: 0.4}}\n"                                \
    "simulate: {" simulate ", time: [0, 0.2], record: {every: 1e-3, events: false}}\n"

/* In space friction is a vector: the truncation falls too. */
static void friction_in_the_plane_is_solved(void **state)
{
    static const int modes[] = {6, 20};
    slip_result *whole = run_text_as_said(CUBE("    reduce: none\n", "method: moreau, step: 2e-4"));
    double before = INFINITY;
    (void)state;
    for (int k = 0; k < 2; k++) {
        char reduce[80], cube[1500];
        snprintf(reduce, sizeof reduce, "    reduce: {modes: %d, contact: condensed}\n", modes[k]);
        snprintf(cube, sizeof cube, CUBE("%s", "method: exponential"), reduce);
        slip_result *result = run_text_as_said(cube);
        const double error = fmax(differ(result, whole, "cube.toe.x"), differ(result, whole, "cube.toe.y"));
        print_message("%d modes: %.3e, balance %.1e, %g steps, %lld events\n", modes[k], error,
                      slip_result_number(result, "energy.balance"), slip_result_number(result, "steps"),
                      (long long)slip_result_event_count(result));
        assert_true(error < 0.8 * before);
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-5);
        before = error;
        slip_result_destroy(result);
    }
    slip_result_destroy(whole);
}

/* Steady sliding is at rest: from its static solution nothing moves. */
static void a_static_start_stays(void **state)
{
    slip_result *result = run_text_as_said(
        SHOE("    reduce: {modes: 8, contact: condensed}\n", "method: exponential, initial: static"));
    int64_t count = 0;
    const double *x = slip_result_series(result, "pad.heel.x", &count);
    (void)state;
    assert_true(fabs(x[0]) > 1e-3);
    for (int64_t i = 0; i < count; i++)
        near(x[i], x[0], 1e-9 * fabs(x[0]), "heel");
    assert_true(slip_result_event_count(result) == 0);
    slip_result_destroy(result);
}

/* ---- what is refused ---- */

static void refused(const char *text, const char *method, const char *expected)
{
    slip_model *model = parse(text);
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    assert_true(slip_run(ctx, model, &options, &result) < 0);
    if (!strstr(slip_context_message(ctx), expected))
        print_error("found `%s`, expected `%s`\n", slip_context_message(ctx), expected);
    assert_non_null(strstr(slip_context_message(ctx), expected));
    slip_model_destroy(model);
}

#define LUMP(more) "slipstick: 1\ncoordinates: [x]\n" more "simulate: {time: [0, 1]}\n"

static void what_makes_no_sense_is_said(void **state)
{
    static const char condensed[] = "    reduce: {modes: 8, contact: condensed}\n";
    char text[1500];
    (void)state;
    snprintf(text, sizeof text, SHOE("%s", "tolerance: 1e-4"), condensed);
    refused(text, "event", "use `exponential`, or `reduce: {contact: attachment}`");
    refused(text, "smooth", "use `exponential`");
    refused(SHOE("    reduce: {modes: 8}\n", "tolerance: 1e-4"), "exponential", "contact: condensed");
    refused(SHOE("    reduce: {modes: 68, contact: condensed}\n", "tolerance: 1e-4"), "exponential",
            "take fewer modes");
    refused(SHOE("    reduce: none\n", "tolerance: 1e-4"), "exponential", "does not take whole bodies");
    refused(LUMP("mass: 1\nstates: {s: x}\n"), "exponential", "`s` is a state with a rate of its own");
    refused(LUMP("mass: 1\nstates: {s: x}\n"
                 "contacts:\n  c: {kind: friction, slip: x', law: {type: dahl, mu: 1, stiffness: 1}}\n"),
            "exponential", "`s` is a state with a rate of its own");
    refused(LUMP("energy: {kinetic: x'^2*(1 + x^2)}\n"), "exponential", "use `event`");
    refused(LUMP("mass: 1\nstiffness: -1\n"), "exponential", "not positive");
    refused(LUMP("mass: 1\ncontacts:\n  c: {kind: unilateral, gap: x}\n"), "exponential",
            "use `event` or `moreau`");
    refused(LUMP("mass: 1\ncontacts:\n  c: {kind: friction, slip: x', law: {type: coulomb, mu: 1}}\n"),
            "exponential", "smooth law such as tanh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(truncation_falls_with_the_modes),
        cmocka_unit_test_of_numbers(the_tolerance_is_kept),
        cmocka_unit_test(a_bar_hits_a_wall),
        cmocka_unit_test(structures_are_exact),
        cmocka_unit_test(loads_and_smooth_laws_are_followed),
        cmocka_unit_test(laws_remember),
        cmocka_unit_test(a_static_start_stays),
        cmocka_unit_test(what_makes_no_sense_is_said),
        cmocka_unit_test(springs_take_contact_points_with_a_mass),
        cmocka_unit_test_of_numbers(friction_in_the_plane_is_solved),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
