/* Bodies in space: patch test, statics, frequencies, a bar that hits a wall, a block that slides. */
#include "flex/plane_motion.h"
#include "motion_test.h"
#include "slipstick/modes.h"
#include "slipstick/simulation.h"
#include "slipstick/statics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char text[4000];

static const char *const types[] = {"hex8", "hex20", "tet4", "tet10"};

/* ---- statics ---- */

/* A block on a rigid plane under a constant pressure: u_z = -p z/E, and every point carries p times its area;
 * of each type, which is the patch test of elements and contact points. */
static void pressure_is_constant(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {p: 3}\nbodies:\n  a:\n"
            "    mesh: {block: {x: [0, 2], y: [0, 1], z: [0, 1], elements: [4, 3, 2], element: %s}}\n"
            "    material: {young: 200, poisson: 0.3}\n"
            "    fix: {left: x, front: y, top: z}\n    tractions: {bottom: [0, 0, p]}\n"
            "  b:\n"
            "    mesh: {block: {x: [0, 2], y: [0, 1], z: [-1, 0], elements: [4, 3, 2], element: %s}}\n"
            "    material: {young: 200, poisson: 0.3}\n"
            "    fix: {left: x, front: y, bottom: z}\n    tractions: {top: [0, 0, p]}\n"
            "contacts:\n  c: {kind: surface, between: [b.top, {point: [0, 0, 0], normal: [0, 0, -1]}]}\n",
            types[k], types[k]);
        slip_model *model = parse(text);
        slip_statics *statics = NULL;
        slip_statics_options options = slip_statics_options_default();
        good(slip_statics_solve(ctx, model, &options, &statics));
        assert_int_equal(slip_statics_count(statics), 1);
        const slip_statics_solution *s = slip_statics_at(statics, 0);
        double sum = 0, least = INFINITY;
        for (int c = 0; c < slip_statics_contact_count(statics); c++) {
            sum += s->state.normal[c];
            least = fmin(least, s->state.normal[c]);
        }
        print_message("%s: %d points, least %.3e\n", types[k], slip_statics_contact_count(statics), least);
        near(sum, 6, 1e-12, "force of all points");
        assert_true(least > -1e-12);
        /* the first is free: u_z = p (1 - z)/E and what poisson makes of it; the second does not move */
        near(s->bodies[0].max_displacement, 0.015 * sqrt(1 + 0.09 * 5), 1e-13, "displacement");
        near(s->bodies[0].strain_energy, 9.0 / 400 * 2, 1e-12, "strain energy");
        near(s->bodies[0].reaction[2], -6, 1e-11, "reaction");
        near(s->bodies[1].max_displacement, 0, 1e-13, "the body on the plane");
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* ---- frequencies ---- */

/* A slender bar along x, without lateral strain: those of linear elements with consistent mass. Nothing holds
 * it: six rigid motions. */
static void frequencies_are_those_of_the_elements(void **state)
{
    static const char *const reduce[] = {"", "    reduce: {modes: 30, contact: none}\n"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  bar:\n"
                 "    mesh: {block: {x: [0, 1], y: [0, 0.1], z: [0, 0.1], elements: [20, 1, 1]}}\n"
                 "    material: {young: 1, poisson: 0, density: 1}\n%s"
                 "simulate: {time: [0, 1]}\n",
                 reduce[k]);
        slip_model *model = parse(text);
        const slip_plane_motion *motion = model->bodies->motion;
        for (int i = 0; i < 7; i++)
            assert_true(i < 6 ? motion->square[i] == 0 : motion->square[i] > 0);
        for (int mode = 1; mode <= 2; mode++) {
            const double kh = mode * acos(-1) / 20, square = 400 * 6 * (1 - cos(kh)) / (2 + cos(kh));
            double nearest = INFINITY;
            for (int i = 0; i < motion->count; i++)
                nearest = fmin(nearest, fabs(motion->square[i] - square));
            assert_true(nearest < 1e-9 * square);
        }
        slip_model_destroy(model);
    }
}

/* ---- motion ---- */

/* In contact for 2 L/c, and its energy stays; of each type. */
static void a_bar_hits_a_wall(void **state)
{
    static const char *const elements[] = {"[60, 1, 1]", "[30, 1, 1]", "[60, 1, 1]", "[30, 1, 1]"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        double to = NAN;
        snprintf(text, sizeof text,
                 "slipstick: 1\nbodies:\n  bar:\n"
                 "    mesh: {block: {x: [0, 2], y: [0, 0.1], z: [0, 0.1], elements: %s, element: %s}}\n"
                 "    material: {young: 9, poisson: 0, density: 1}\n    velocity: [-0.1, 0, 0]\n"
                 "    reduce: none\n    probes: {end: [2, 0, 0]}\n"
                 "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [0, 0, 0], "
                 "normal: [1, 0, 0]}]}\n"
                 "simulate: {method: moreau, step: 2e-3, time: [0, 1.6]}\n",
                 elements[k], types[k]);
        slip_result *result = run_text_as_said(text);
        for (int64_t i = 0; i < slip_result_event_count(result); i++) {
            const slip_event *event = slip_result_event(result, i);
            to = event->to == SLIP_MODE_OPEN ? event->time : to;
        }
        print_message("%s: in contact for %g, balance %.1e\n", types[k], to,
                      slip_result_number(result, "energy.balance"));
        near(to, 4.0 / 3, 0.04, "time in contact");
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-11);
        assert_true(slip_result_number(result, "residual") < 1e-12);
        slip_result_destroy(result);
    }
}

/* A stiff block slides down a plane as a rigid one does, along any direction of the plane: x = g (sin a - mu
 * cos a) t^2/2. Reduced and whole, and the distance falls with the stiffness. */
static void a_stiff_block_slides_as_a_rigid_one(void **state)
{
    static const char *const youngs[] = {"1e3", "1e5"}, *const reduce[] = {"reduce: {modes: 6}",
                                                                           "reduce: none"};
    const double exact = 10 * (sin(0.5) - 0.3 * cos(0.5)) / 2, along[2] = {0.8, 0.6};
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            snprintf(
                text, sizeof text,
                "slipstick: 1\nparameters: {a: 0.5, g: 10, rho: 1}\nbodies:\n  block:\n"
                "    mesh: {block: {x: [0, 1], y: [0, 1], z: [0, 0.5], elements: [2, 2, 1]}}\n"
                "    material: {young: %s, poisson: 0.2, density: rho}\n"
                "    body_force: [0.8*rho*g*sin(a), 0.6*rho*g*sin(a), -rho*g*cos(a)]\n"
                "    damping: {mass: 0, stiffness: %s}\n"
                "    %s\n    probes: {corner: [0, 0, 0.5]}\n"
                "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0, 0], normal: [0, "
                "0, 1]}],\n"
                "          law: {type: coulomb, mu: 0.3}}\n"
                "simulate: {method: moreau, step: 2e-4, theta: 1, time: [0, 1]}\n",
                youngs[k], k ? "4e-4" : "4e-3", reduce[whole]);
            slip_result *result = run_text_as_said(text);
            const double x = last_of(result, "block.corner.x"), y = last_of(result, "block.corner.y");
            error[k] = hypot(x - along[0] * exact, y - along[1] * exact) / exact;
            assert_true(slip_result_number(result, "residual") < 1e-9);
            slip_result_destroy(result);
        }
        print_message("errors %.2e, %.2e\n", error[0], error[1]);
        assert_true(error[1] < 2e-3 && error[1] < 0.2 * error[0]);
    }
}

/* The same body twice, whole and with all its eigenmodes, on a disc that turns. */
static void a_whole_body_moves_as_its_eigenmodes_do(void **state)
{
    static const char *const series[] = {"pad.heel.x",     "pad.heel.y",      "pad.heel.z",
                                         "disc[3].normal", "disc[5].force_x", "disc[9].force_y"};
    slip_result *results[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {mu: 0.5, w: 0.4}\nbodies:\n  pad:\n"
                 "    mesh: {block: {x: [0.5, 1.5], y: [0, 1], z: [0, 0.5], elements: [2, 2, 2]}}\n"
                 "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: xy}\n"
                 "    tractions: {top: [0, 0, -1 - 0.3*sin(3*t)]}\n    body_force: [0, 0, -0.1]\n"
                 "    damping: {stiffness: 0.01, mass: 0.2}\n    probes: {heel: [0.5, 0, 0]}\n%s"
                 "contacts:\n  disc: {kind: surface, between: [pad.bottom, {point: [0, 0, 0], normal: [0, 0, "
                 "1]}],\n"
                 "         velocity: [-w*y, w*x, 0], law: {type: coulomb, mu: mu}}\n"
                 "simulate: {method: moreau, step: 2e-3, time: [0, 0.6], record: {every: 0.007}}\n",
                 k ? "" : "    reduce: none\n");
        results[k] = run_text_as_said(text);
        assert_true(slip_result_number(results[k], "residual") < 1e-9);
    }
    for (int i = 0; i < 6; i++) {
        int64_t count = 0;
        const double *a = slip_result_series(results[0], series[i], &count),
                     *b = slip_result_series(results[1], series[i], NULL);
        double largest = 0, size = 1e-300;
        assert_true(a && b && count > 10);
        for (int64_t j = 0; j < count; j++) {
            largest = fmax(largest, fabs(a[j] - b[j]));
            size = fmax(size, fabs(b[j]));
        }
        print_message("%s: %.1e of %.3g\n", series[i], largest / size, size);
        assert_true(largest < 1e-7 * size && size > 1e-6);
    }
    for (int k = 0; k < 2; k++)
        slip_result_destroy(results[k]);
}

/* ---- equilibria and modes ---- */

#define SQUEAL(reduce, initial)                                                                              \
    "slipstick: 1\nparameters: {mu: 0.3}\nbodies:\n  pad:\n"                                                 \
    "    mesh: {block: {x: [0, 1], y: [0, 0.6], z: [0, 0.4], elements: [4, 3, 2]}}\n"                        \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: xy}\n"                             \
    "    tractions: {top: [0, 0, -1 - x]}\n    probes: {heel: [0, 0, 0], toe: [1, 0, 0]}\n" reduce           \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0, 0], normal: [0, 0, 1]}],\n"     \
    "         velocity: [0.2, 0.1, 0], law: {type: coulomb, mu: mu}}\n"                                      \
    "simulate: {method: moreau, step: 1e-3, time: [0, 0.05], record: {every: 0.001}" initial "}\n"

/* Steady sliding along a direction of the plane is found and lasts: the friction of every point is mu times
 * its normal force, against the slip. */
static void it_starts_from_steady_sliding(void **state)
{
    slip_result *result = run_text_as_said(SQUEAL("    reduce: none\n", ", initial: static"));
    int64_t count = 0;
    const double *x = slip_result_series(result, "pad.heel.x", &count),
                 *normal = slip_result_series(result, "belt[7].normal", NULL),
                 *fx = slip_result_series(result, "belt[7].force_x", NULL),
                 *fy = slip_result_series(result, "belt[7].force_y", NULL);
    (void)state;
    assert_true(x && normal && fx && fy && count > 20 && fabs(x[0]) > 1e-4 && normal[0] > 0.01);
    for (int64_t i = 1; i < count; i++) {
        near(x[i], x[0], 1e-8, "heel");
        near(normal[i], normal[1], 1e-5 * normal[1], "normal force");
        near(fx[i], 0.3 * normal[i] * 2 / sqrt(5), 1e-5 * normal[i], "friction along x");
        near(fy[i], 0.3 * normal[i] / sqrt(5), 1e-5 * normal[i], "friction along y");
    }
    assert_true(slip_result_event_count(result) == 0);
    slip_result_destroy(result);
}

/* Complex modes about steady sliding of the whole body, by projection, are those of all its eigenmodes. */
static void complex_modes_are_those_of_all_eigenmodes(void **state)
{
    static const char *const texts[] = {SQUEAL("    reduce: none\n", ""), SQUEAL("", "")};
    slip_result *results[2] = {NULL, NULL};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_model *model = parse(texts[k]);
        slip_modes_options options = slip_modes_options_default();
        options.about = "sliding";
        good(slip_modes_solve(ctx, model, &options, &results[k]));
        slip_model_destroy(model);
    }
    int64_t count = 0, all = 0;
    const double *real = slip_result_series(results[0], "real", &count),
                 *imaginary = slip_result_series(results[0], "imaginary", NULL),
                 *true_real = slip_result_series(results[1], "real", &all),
                 *true_imaginary = slip_result_series(results[1], "imaginary", NULL);
    assert_true(count > 8 && all > 8);
    for (int k = 0; k < 6; k++) {
        double off = INFINITY;
        for (int64_t i = 0; i < all; i++)
            off = fmin(off, hypot(real[k] - true_real[i], imaginary[k] - true_imaginary[i]));
        assert_true(off < 1e-5 * hypot(real[k], imaginary[k]));
    }
    slip_result_destroy(results[0]);
    slip_result_destroy(results[1]);
}

/* ---- two bodies ---- */

static slip_result *press(const char *between, int passes, const char *cells)
{
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n  upper:\n"
        "    mesh: {block: {x: [0, 1], y: [0, 1], z: [1, 1.5], elements: %s}}\n"
        "    material: {young: 50, poisson: 0.15, density: 1}\n    fix: {left: x, front: y}\n"
        "    tractions: {top: [0, 0, -1]}\n    reduce: none\n    damping: {mass: 20}\n"
        "    probes: {a: [0, 0, 1.5], c: [1, 1, 1.5], i: [0.5, 0.5, 1]}\n"
        "  lower:\n    mesh: {block: {x: [0, 1], y: [0, 1], z: [0, 1], elements: [2, 3, 2]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    reduce: none\n    damping: {mass: 20}\n"
        "    fix: {left: x, front: y, bottom: z}\n    probes: {b: [0.5, 0.5, 1]}\n"
        "contacts:\n  joint: {kind: surface, between: [%s], passes: %d}\n"
        "simulate: {method: moreau, theta: 1, step: 0.05, time: [0, 12]}\n",
        cells, between, passes);
    return run_text_as_said(text);
}

/* Two blocks under pressure, whose faces widen alike (equal poisson/young): u = -p (0.5/50 + 1/100) when they
 * have come to rest. Meshes that match pass the pressure on exactly; of those that do not, two passes are
 * nearer than one, and it does not matter which side is named first. */
static void two_bodies_press_each_other(void **state)
{
    slip_result *match = press("upper.bottom, lower.top", 1, "[2, 3, 1]"),
                *one = press("upper.bottom, lower.top", 1, "[3, 2, 1]"),
                *two = press("upper.bottom, lower.top", 2, "[3, 2, 1]"),
                *other = press("lower.top, upper.bottom", 2, "[3, 2, 1]");
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "upper.c.z" : "upper.a.z";
        const double errors[] = {last_of(one, name) + 0.02, last_of(two, name) + 0.02};
        print_message("%s: %.1e, %.1e with two passes\n", name, errors[0], errors[1]);
        near(last_of(match, name), -0.02, 1e-9, "meshes that match");
        assert_true(fabs(errors[0]) < 3e-3 && fabs(errors[1]) < 0.1 * fabs(errors[0]));
        near(last_of(two, name), last_of(other, name), 1e-12, "the other side first");
    }
    slip_result_destroy(match);
    slip_result_destroy(one);
    slip_result_destroy(two);
    slip_result_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_constant),
        cmocka_unit_test(frequencies_are_those_of_the_elements),
        cmocka_unit_test(a_bar_hits_a_wall),
        cmocka_unit_test_of_numbers(a_stiff_block_slides_as_a_rigid_one),
        cmocka_unit_test(a_whole_body_moves_as_its_eigenmodes_do),
        cmocka_unit_test(it_starts_from_steady_sliding),
        cmocka_unit_test_of_numbers(complex_modes_are_those_of_all_eigenmodes),
        cmocka_unit_test(two_bodies_press_each_other),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
