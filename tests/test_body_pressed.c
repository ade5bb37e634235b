/* Compliant contacts of whole bodies: springs in the rows of the implicit step. They move as the same bodies
 * by all their eigenmodes do, for which springs are loads, and as a rigid block where they are stiff. */
#include "motion_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[4000];

/* As a part of the largest number. */
static double differ(const slip_result *a, const slip_result *b, const char *name)
{
    double size;
    const double most = difference(a, b, name, &size);
    return most / fmax(size, 1e-300);
}

/* ---- whole and by all eigenmodes ---- */

static void compare(const char *format, const char *law, const char *normal, double step,
                    const char *const *series, double tolerance)
{
    slip_result *of[2];
    for (int w = 0; w < 2; w++) {
        snprintf(text, sizeof text, format, w ? "" : "    reduce: none\n", law, normal, step);
        of[w] = run_text_as_said(text);
    }
    print_message("%s, %s: %lld events, balance %.1e\n", law, normal,
                  (long long)slip_result_event_count(of[0]), slip_result_number(of[0], "energy.balance"));
    for (int k = 0; series[k]; k++) {
        const double off = differ(of[0], of[1], series[k]);
        if (!(off < tolerance))
            print_error("%s: off by %.2e\n", series[k], off);
        assert_true(off < tolerance);
    }
    assert_true(slip_result_number(of[0], "energy.balance") < 1e-10);
    for (int w = 0; w < 2; w++)
        slip_result_destroy(of[w]);
}

/* A pad that is pressed on a belt, lifts off and lands: plain springs, Hertz's exponent, damping. */
static void whole_bodies_move_as_their_eigenmodes_do(void **state)
{
    static const char *const format =
        "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n%s"
        "    tractions: {top: [0, -0.5 - 1.5*sin(9*t)]}\n    damping: {mass: 0.2, stiffness: 1e-3}\n"
        "    probes: {heel: [0, 0], toe: [1, 0]}\n"
        "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
        "         velocity: 0.2, law: %s, normal: %s}\n"
        "simulate: {method: moreau, step: %g, time: [0, 0.6], record: {every: 0.01, events: false}}\n";
    static const char *const series[] = {"pad.heel.x",     "pad.toe.y",     "belt[1].normal",
                                         "belt[3].normal", "belt[5].force", NULL};
    (void)state;
    compare(format, "{type: coulomb, mu: 0.4}", "{stiffness: 20}", 1e-3, series, 1e-8);
    compare(format, "{type: coulomb, mu: 0.4}", "{stiffness: 100, exponent: 1.5}", 1e-3, series, 1e-8);
    compare(format, "{type: coulomb, mu: 0.4}", "{stiffness: 100, exponent: 1.5, damping: 2}", 1e-3, series,
            1e-8);
    compare(format, "{type: stribeck, mu: 0.3, static_ratio: 1.4, velocity: 0.05}",
            "{stiffness: 20, damping: 1}", 1e-3, series, 1e-7);
    compare(format, "{type: tanh, mu: 0.4, velocity: 0.02}", "{stiffness: 20}", 1e-3, series, 1e-8);
}

static void bodies_in_space_too(void **state)
{
    static const char *const format =
        "slipstick: 1\nbodies:\n  pad:\n"
        "    mesh: {block: {x: [0, 0.6], y: [0, 0.4], z: [0, 0.3], elements: [2, 2, 1]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: xy}\n%s"
        "    tractions: {top: [0, 0, -0.5 - sin(9*t)]}\n    damping: {stiffness: 1e-3}\n"
        "    probes: {corner: [0, 0, 0]}\n"
        "contacts:\n  disc: {kind: surface, between: [pad.bottom, {point: [0, 0, 0], normal: [0, 0, 1]}],\n"
        "         velocity: [-0.2*y, 0.1 + 0.2*x, 0], law: %s, normal: %s}\n"
        "simulate: {method: moreau, step: %g, time: [0, 0.5], record: {every: 0.01, events: false}}\n";
    static const char *const series[] = {"pad.corner.x", "pad.corner.z", "disc[1].normal", "disc[5].force_x",
                                         NULL};
    (void)state;
    compare(format, "{type: coulomb, mu: 0.4}", "{stiffness: 20}", 1e-3, series, 1e-7);
    compare(format, "{type: coulomb, mu: 0.4}", "{stiffness: 90, exponent: 1.5, damping: 1}", 1e-3, series,
            1e-7);
}

/* ---- stiff blocks ---- */

/* A block of mass 0.5 that falls on springs of 7 x 40: whole and stiff, and as a mass on one spring. The
 * springs at its corners are as those between, so that it yields a little less there. */
static slip_result *drop(double young, double step, const char *normal, double scale)
{
    char spring[100];
    snprintf(spring, sizeof spring, normal, scale);
    if (young > 0)
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  block:\n"
                 "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
                 "    material: {young: %g, poisson: 0, density: 1}\n    reduce: none\n"
                 "    velocity: [0.3, -1]\n    probes: {p: [0.5, 0]}\n    fix: {left: x}\n"
                 "contacts:\n"
                 "  floor: {kind: surface, between: [block.bottom, {point: [0, 0], normal: [0, 1]}],\n"
                 "          normal: %s}\n"
                 "outputs: {y: block.p.y}\n"
                 "simulate: {method: moreau, step: %.17g, time: [0, 0.3], record: {every: 0.005}}\n",
                 young, spring, step);
    else
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [y]\nmass: 0.5\ncontacts:\n"
                 "  floor: {kind: unilateral, gap: y, normal: %s}\n"
                 "simulate: {method: moreau, step: %.17g, time: [0, 0.3], record: {every: 0.005},\n"
                 "           initial: {y': -1}}\n",
                 spring, step);
    return run_text_as_said(text);
}

static void a_stiff_block_bounces_as_a_rigid_one(void **state)
{
    static const char *const springs[] = {"{stiffness: 40*%g}",
                                          "{stiffness: 300*%g, exponent: 1.5, damping: 0.3}"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *rigid = drop(0, 5e-4, springs[k], 7);
        double off[3];
        for (int e = 0; e < 3; e++) {
            slip_result *block = drop(1e4 * pow(10, e), 5e-4, springs[k], 1);
            off[e] = differ(block, rigid, "y");
            slip_result_destroy(block);
        }
        print_message("%s: off by %.2e, %.2e, %.2e\n", springs[k], off[0], off[1], off[2]);
        assert_true(off[2] < 2e-3 && off[1] < 0.5 * off[0] && off[2] < 0.5 * off[1]);
        slip_result_destroy(rigid);
    }
}

/* The spring gives back what it took, up to h^2: the speed of the mass after a bounce. */
static void springs_give_back_what_they_took(void **state)
{
    double lost[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_result *block = drop(1e5, 1e-3 / (1 << 2 * k), "{stiffness: 40*%g}", 1);
        double taken = 0;
        for (int c = 1; c <= 7; c++) {
            char name[40];
            snprintf(name, sizeof name, "contacts.floor[%d].dissipation", c);
            taken += slip_result_number(block, name);
        }
        lost[k] = fabs(taken) / 0.25;
        assert_true(slip_result_number(block, "energy.balance") < 1e-6);
        slip_result_destroy(block);
    }
    print_message("kept by the springs: %.1e, %.1e, %.1e of the energy\n", lost[0], lost[1], lost[2]);
    assert_true(lost[2] < 1e-5 && lost[2] < 0.2 * lost[0]);
}

/* Steps that are long for a stiff spring: it is implicit. */
static void stiff_springs_need_no_short_steps(void **state)
{
    slip_result *block = drop(1e4, 5e-3, "{stiffness: 1e7*%g}", 1), *rigid;
    (void)state;
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  block:\n"
             "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
             "    material: {young: 1e4, poisson: 0, density: 1}\n    reduce: none\n"
             "    velocity: [0.3, -1]\n    probes: {p: [0.5, 0]}\n    fix: {left: x}\n"
             "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0], normal: [0, 1]}]}\n"
             "outputs: {y: block.p.y}\n"
             "simulate: {method: moreau, step: 5e-3, time: [0, 0.3], record: {every: 0.005}}\n");
    rigid = run_text_as_said(text);
    const int64_t last = 60;
    near(slip_result_series(block, "y", NULL)[last], slip_result_series(rigid, "y", NULL)[last], 0.02,
         "height after the bounce");
    assert_true(slip_result_number(block, "energy.balance") < 1e-10);
    slip_result_destroy(block);
    slip_result_destroy(rigid);
}

/* ---- reduced by `event` ---- */

static slip_result *shoe(const char *reduce, const char *simulate)
{
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
             "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n    reduce: %s\n"
             "    body_force: [0, -2]\n    damping: {stiffness: 5e-3}\n    probes: {toe: [1, 0]}\n"
             "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
             "         velocity: 0.2, law: {type: tanh, mu: 0.3, velocity: 0.05}, normal: {stiffness: 30}}\n"
             "simulate: {%s, time: [0, 0.5], record: {every: 0.01, events: false}}\n",
             reduce, simulate);
    return run_text_as_said(text);
}

static void reduced_bodies_by_event_come_near(void **state)
{
    static const char *const modes[] = {"{modes: 3}", "{modes: 12}"};
    double off[2];
    (void)state;
    slip_result *whole = shoe("none", "method: moreau, step: 2e-4");
    for (int k = 0; k < 2; k++) {
        slip_result *reduced = shoe(modes[k], "method: event, tolerance: 1e-7");
        off[k] = differ(reduced, whole, "pad.toe.y");
        slip_result_destroy(reduced);
    }
    print_message("off by %.1e, %.1e with 3 and 12 modes\n", off[0], off[1]);
    assert_true(off[0] < 0.05 && off[1] < 0.5 * off[0]);
    slip_result_destroy(whole);
}

/* At rest on its springs from the start: nothing moves. */
static void static_starts_stay(void **state)
{
    (void)state;
    slip_result *whole = run_text_as_said(
        "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n    reduce: none\n"
        "    body_force: [0, -2]\n    probes: {toe: [1, 0]}\n"
        "contacts:\n  floor: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
        "         normal: {stiffness: 30}}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 0.5], initial: static, record: {every: 0.01, "
        "events: false}}\n");
    int64_t count = 0;
    const double *y = slip_result_series(whole, "pad.toe.y", &count);
    double sum = 0;
    for (int c = 1; c <= 7; c++) {
        char name[40];
        snprintf(name, sizeof name, "floor[%d].normal", c);
        sum += slip_result_series(whole, name, NULL)[count - 1];
    }
    assert_true(y[0] < -1e-3);
    for (int64_t i = 0; i < count; i++)
        near(y[i], y[0], 1e-7 * fabs(y[0]), "place");
    near(sum, 1, 1e-6, "weight");
    slip_result_destroy(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_bodies_move_as_their_eigenmodes_do, setup, teardown),
        cmocka_unit_test_setup_teardown(bodies_in_space_too, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stiff_block_bounces_as_a_rigid_one, setup, teardown),
        cmocka_unit_test_setup_teardown(springs_give_back_what_they_took, setup, teardown),
        cmocka_unit_test_setup_teardown(stiff_springs_need_no_short_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(reduced_bodies_by_event_come_near, setup, teardown),
        cmocka_unit_test_setup_teardown(static_starts_stay, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
