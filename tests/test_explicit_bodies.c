/* Method `explicit`: whole bodies by central differences with lumped masses. */
#include "motion_test.h"
#include "slipstick/simulation.h"
#include "test_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[6000], folder[test_path_size];

static slip_result *run_file(const char *whole)
{
    char path[test_path_size];
    slip_model *model = NULL;
    test_path(path, folder, "model.yaml");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(whole, file);
    fclose(file);
    good(slip_model_load(ctx, path, &model));
    slip_result *result = run_as_said(model);
    slip_model_destroy(model);
    return result;
}

static int open_folder(void **state)
{
    test_folder_make(folder);
    return setup(state);
}

static int close_folder(void **state)
{
    test_folder_remove(folder);
    return teardown(state);
}

/* That a model cannot be run, and what the message says. */
static void assert_refused(const char *whole, const char *part)
{
    slip_model *model = parse(whole);
    slip_result *result = NULL;
    assert_true(slip_run(ctx, model, NULL, &result) < 0);
    if (!strstr(slip_context_message(ctx), part))
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(strstr(slip_context_message(ctx), part));
    slip_model_destroy(model);
}

/* ---- linear bodies ---- */

/* A chain of springs by matrices with a diagonal mass: the same system for both methods, whose errors are of
 * the second order. */
static void write_chain(int nodes, bool diagonal)
{
    char path[test_path_size];
    test_path(path, folder, "K.mtx");
    FILE *file = fopen(path, "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", 2 * nodes, 2 * nodes,
            3 * nodes - 1);
    for (int i = 0; i < nodes; i++) {
        fprintf(file, "%d %d %d\n%d %d 30\n", 2 * i + 1, 2 * i + 1, i == 0 || i + 1 == nodes ? 100 : 200,
                2 * i + 2, 2 * i + 2);
        if (i + 1 < nodes)
            fprintf(file, "%d %d -100\n", 2 * i + 3, 2 * i + 1);
    }
    fclose(file);
    test_path(path, folder, "M.mtx");
    file = fopen(path, "w");
    fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", 2 * nodes, 2 * nodes,
            2 * nodes + !diagonal);
    for (int i = 0; i < 2 * nodes; i++)
        fprintf(file, "%d %d %g\n", i + 1, i + 1, 1 + 0.1 * i);
    if (!diagonal)
        fprintf(file, "3 1 0.1\n");
    fclose(file);
}

#define CHAIN                                                                                                \
    "slipstick: 1\nbodies:\n  chain:\n    mass: {file: M.mtx}\n    stiffness: {file: K.mtx}\n"               \
    "    reduce: none\n    damping: {mass: %g, stiffness: %g}\n    interface:\n"                             \
    "      root: [{unknowns: [1, 2], place: [0, 0]}]\n      tip: [{unknowns: [13, 14], place: [1, 0]}]\n"    \
    "    fix: [root]\n    forces: {tip: [2*sin(3*t), cos(2*t)]}\n    probes: {tip: [1, 0]}\n%s"              \
    "simulate: {method: %s, step: %g, time: [0, 4], record: {every: 0.08}}\n"

static double chains_differ(double mass, double stiffness, const char *contacts, double step)
{
    slip_result *of[2];
    double most = 0;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, CHAIN, mass, stiffness, contacts, k ? "moreau" : "explicit", step);
        of[k] = run_file(text);
    }
    for (int k = 0; k < 2; k++) {
        double size;
        const double off = difference(of[0], of[1], k ? "chain.tip.y" : "chain.tip.x", &size);
        most = fmax(most, off / size);
    }
    assert_true(fabs(slip_result_number(of[0], "energy.balance")) < 1e-12);
    for (int k = 0; k < 2; k++)
        slip_result_destroy(of[k]);
    return most;
}

static void small_motions_are_those_of_moreau(void **state)
{
    static const char stop[] =
        "contacts:\n  stop: {kind: surface, between: [chain.tip, {point: [0, -0.01], normal: [0, 1]}],\n"
        "         velocity: 0.3, law: {type: coulomb, mu: 0.5}}\n";
    (void)state;
    write_chain(7, true);
    const double coarse = chains_differ(0.3, 0, "", 0.02), fine = chains_differ(0.3, 0, "", 0.01);
    print_message("off from moreau by %.2e, with half the step %.2e\n", coarse, fine);
    assert_true(coarse < 2e-2 && fine < coarse / 3.8 && fine > coarse / 4.2);
    /* damping by stiffness is that of the velocity before: first order */
    const double slack = chains_differ(0.3, 2e-3, "", 0.01), less = chains_differ(0.3, 2e-3, "", 0.005);
    assert_true(slack < 1e-2 && less < slack / 1.9);
    const double struck = chains_differ(0.3, 0, stop, 0.002), closer = chains_differ(0.3, 0, stop, 0.0005);
    print_message("with contact %.2e, with a quarter of the step %.2e\n", struck, closer);
    assert_true(struck < 2e-2 && closer < struck / 3);
}

/* A bar strikes a wall with the whole of its left edge and stays for 2 L/c. Its first nodes lose their
 * energy, half an element of it, and nothing else is lost. */
static void a_bar_stays_at_a_wall_for_two_lengths_over_c(void **state)
{
    (void)state;
    for (int solid = 0; solid < 2; solid++) {
        const int elements = 100;
        const double length = 2, c = 10;
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  bar:\n    mesh: {block: {x: [0, 2], y: [0, 0.1], %s]}}\n"
            "    material: {young: 100, poisson: 0, density: 1}\n    reduce: none\n"
            "    velocity: [-1, 0%s]\n    probes: {tip: [0, 0%s]}\n"
            "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [0, 0%s], normal: [1, 0%s]}]}\n"
            "simulate: {method: explicit, time: [0, 1]}\n",
            solid ? "z: [0, 0.1], elements: [100, 1, 1" : "elements: [100, 1", solid ? ", 0" : "",
            solid ? ", 0" : "", solid ? ", 0" : "", solid ? ", 0" : "");
        slip_result *result = run_text_as_said(text);
        const double start = slip_result_number(result, "energy.kinetic_start"),
                     end = slip_result_number(result, "energy.kinetic_end") +
                           slip_result_number(result, "energy.potential_end");

        assert_true(slip_result_event_count(result) == (solid ? 4 : 2));
        const double left = slip_result_event(result, 0)->time;
        near(left, 2 * length / c, 0.015 * 2 * length / c, "time of contact");
        near(end / start, 1 - 0.5 / elements, 1e-12, "energy that is left");
        near(slip_result_number(result, "energy.balance"), 0, 1e-11, "balance");
        slip_result_destroy(result);
    }
}

#define INCLINE                                                                                              \
    "slipstick: 1\nparameters: {mu: %g, g: 10, a: 0.35}\nbodies:\n  block:\n"                                \
    "    mesh: {block: {x: [0, 1], y: [0, 1]%s}}\n"                                                          \
    "    material: {young: %g, poisson: 0.3, density: 1}\n    reduce: none\n    damping: {%s: %g}\n"         \
    "    body_force: [g*sin(a), %s-g*cos(a)]\n    velocity: [%g, 0%s]\n    probes: {p: [0.5, 0.5%s]}\n"      \
    "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0%s], normal: [0, %s1]}],\n"    \
    "          law: {type: coulomb, mu: mu}, impact_friction: coulomb}\n"                                    \
    "simulate: {method: %s, time: [0, %g], record: {every: 0.01, events: false}}\n"

static slip_result *slide(double mu, bool solid, double young, double damping, double start)
{
    snprintf(text, sizeof text, INCLINE, mu,
             solid ? ", z: [0, 0.5], elements: [4, 3, 2]" : ", elements: [6, 6]", young,
             damping < 0 ? "mass" : "stiffness", fabs(damping), solid ? "0, " : "", start, solid ? ", 0" : "",
             solid ? ", 0.2" : "", solid ? ", 0" : "", solid ? "0, " : "", "explicit", 0.6);
    return run_text_as_said(text);
}

/* A block at rest sticks, and does not creep; one that moves slides as the rigid one does. */
static void a_stiff_block_slides_down_as_the_rigid_one(void **state)
{
    const double time = 0.6, a = 10 * (sin(0.35) - 0.3 * cos(0.35)), far = time + 0.5 * a * time * time;
    (void)state;
    for (int solid = 0; solid < 2; solid++) {
        double off[2];
        for (int k = 0; k < 2; k++) {
            slip_result *moves = slide(0.3, solid, k ? 2e5 : 2e4, k ? 1e-5 : 1e-4, 1),
                        *rests = slide(0.8, solid, k ? 2e5 : 2e4, -150, 0);
            int64_t count = 0;
            const double *x = slip_result_series(moves, "block.p.x", &count),
                         *still = slip_result_series(rests, "block.p.x", NULL);
            off[k] = fabs(x[count - 1] - far);
            near(still[count - 1], still[count / 2], 1e-12, "creep of the one that sticks");
            assert_true(still[count - 1] > 0 && still[count - 1] < 1e-3);
            assert_true(slip_result_number(moves, "residual") < 1e-12);
            near(slip_result_number(moves, "energy.balance"), 0, 1e-9, "balance of the sliding block");
            near(slip_result_number(rests, "energy.balance"), 0, 1e-9, "balance of the one that sticks");
            slip_result_destroy(moves);
            slip_result_destroy(rests);
        }
        print_message("way of the sliding block: off by %.1e, of a stiffer one %.1e\n", off[0], off[1]);
        assert_true(off[0] < 3e-4 * far && off[1] < off[0] / 3);
    }
}

/* A stiff block on dashpots: m v' = -c v, also of elements of second order. And on springs at its contact
 * points it bounces as with `moreau`. */
static void dashpots_and_springs_act_on_the_whole(void **state)
{
    static const char *const elements[] = {"[4, 4]", "[4, 4], element: quad8"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double off[2];
        for (int fine = 0; fine < 2; fine++) {
            snprintf(
                text, sizeof text,
                "slipstick: 1\nbodies:\n  block:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: %s}}\n"
                "    material: {young: 3e3, poisson: 0, density: 1}\n    reduce: none\n"
                "    springs: {bottom: {damping: [3, 0]}, top: {damping: [3, 0]}}\n"
                "    velocity: [1, 0]\n    probes: {p: [0.5, 0.5]}\n"
                "simulate: {method: explicit, time: [0, 0.5], step: %g}\n",
                elements[k], fine ? 2.5e-4 : 5e-4);
            slip_result *result = run_text_as_said(text);
            int64_t count = 0;
            const double *x = slip_result_series(result, "block.p.x", &count);
            off[fine] = fabs(x[count - 1] / ((1 - exp(-6 * 0.5)) / 6) - 1);
            near(slip_result_number(result, "energy.balance"), 0, 1e-11, "balance");
            slip_result_destroy(result);
        }
        print_message("way on dashpots: off by %.1e and %.1e\n", off[0], off[1]);
        assert_true(off[0] < 3e-3 && off[1] < 3e-3);
    }
    double last[2];
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  block:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
            "    material: {young: 1e4, poisson: 0, density: 1}\n    reduce: none\n    fix: {left: x}\n"
            "    velocity: [0, -1]\n    probes: {p: [0.5, 0]}\n"
            "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "          normal: {stiffness: 300, exponent: 1.5, damping: 0.3}}\n"
            "simulate: {method: %s, step: 2e-4, time: [0, 0.3]}\n",
            k ? "moreau" : "explicit");
        slip_result *result = run_text_as_said(text);
        int64_t count = 0;
        last[k] = slip_result_series(result, "block.p.y", &count)[count - 1];
        slip_result_destroy(result);
    }
    near(last[0], last[1], 2e-3 * fabs(last[1]), "bounce on springs");
}

/* A reduced body, whose coordinates are stepped implicitly, is carried by a whole one. */
static void other_bodies_and_coordinates_stand_beside(void **state)
{
    slip_result *of[2];
    double size;
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: 2\nstates: {s: x - s}\n"
            "springs: [{between: [x, ground], stiffness: 1e7}]\nbodies:\n"
            "  upper:\n    mesh: {block: {x: [0, 1], y: [0.5, 1], elements: [5, 2]}}\n"
            "    material: {young: 200, poisson: 0.3, density: 1}\n    reduce: {modes: 12}\n"
            "    tractions: {top: [0.2, -1]}\n    damping: {ratio: 0.05}\n    probes: {p: [1, 1]}\n"
            "  lower:\n    mesh: {block: {x: [-0.5, 1.5], y: [0, 0.5], elements: [10, 3]}}\n"
            "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [bottom]\n    reduce: none\n"
            "    damping: {mass: 3}\n    probes: {p: [0.5, 0.5]}\n"
            "contacts:\n  joint: {kind: surface, between: [upper.bottom, lower.top],\n"
            "          law: {type: coulomb, mu: 0.5}}\n"
            "simulate: {method: %s, step: 5e-4, time: [0, 0.5], initial: {x: 1e-3}, record: {every: 0.01}}\n",
            k ? "moreau" : "explicit");
        of[k] = run_text_as_said(text);
        near(slip_result_number(of[k], "energy.balance"), 0, 1e-10, "balance");
    }
    assert_true(difference(of[0], of[1], "x", &size) < 1e-12 && size > 9e-4);
    const double off = difference(of[0], of[1], "upper.p.y", &size);
    print_message("reduced on whole: off by %.2e of %.2e\n", off, size);
    assert_true(off < 5e-2 * size);
    for (int k = 0; k < 2; k++)
        slip_result_destroy(of[k]);
}

static void what_it_does_not_take_is_said(void **state)
{
    (void)state;
    assert_refused("slipstick: 1\ncoordinates: [x]\nmass: 1\nsimulate: {method: explicit, time: [0, 1]}\n",
                   "method `explicit` chooses its step by the elements of whole bodies");
    snprintf(text, sizeof text, INCLINE, 0.3, ", elements: [6, 6]", 2e4, "mass", 0.0, "", 0.0, "", "", "", "",
             "explicit, step: 1e-2", 0.6);
    assert_refused(text, "simulate.step: found 0.01, expected at most 0.00099");
    assert_refused("slipstick: 1\ncoordinates: [phi]\nmass: 1\nbodies:\n  ring:\n"
                   "    mesh: {block: {x: [0, 1], y: [0, 1], elements: [2, 2]}}\n"
                   "    material: {young: 100, poisson: 0, density: 1}\n    fix: [left]\n    turn: phi\n"
                   "    reduce: none\nsimulate: {method: explicit, time: [0, 1]}\n",
                   "body `ring`: found `turn`");
    write_chain(7, false);
    snprintf(text, sizeof text, CHAIN, 0.0, 0.0, "", "explicit", 0.01);
    char path[test_path_size];
    slip_model *model = NULL;
    slip_result *result = NULL;
    test_path(path, folder, "model.yaml");
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    good(slip_model_load(ctx, path, &model));
    assert_true(slip_run(ctx, model, NULL, &result) < 0);
    assert_non_null(strstr(slip_context_message(ctx),
                           "body `chain`: found a mass matrix from a file that is not "
                           "diagonal"));
    slip_model_destroy(model);
}

/* Saved and restored: the same bits. */
static void a_state_goes_on_by_the_same_bits(void **state)
{
    slip_simulation *s = NULL;
    slip_saved_state *kept = NULL;
    double found[2][2];
    (void)state;
    snprintf(text, sizeof text, INCLINE, 0.3, ", z: [0, 0.5], elements: [3, 3, 2]", 2e3, "stiffness", 1e-4,
             "0, ", 0.1, ", 0", ", 0.2", ", 0", "0, ", "explicit", 0.6);
    slip_model *model = parse(text);
    good(slip_simulation_open(ctx, model, NULL, NULL, &s));
    good(slip_simulation_advance(ctx, s, 0.1));
    good(slip_simulation_save(ctx, s, &kept));
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            good(slip_simulation_restore(ctx, s, kept));
        good(slip_simulation_advance(ctx, s, 0.2));
        found[k][0] = slip_simulation_number(s, "block.p.x");
        found[k][1] = slip_simulation_number(s, "floor[5].normal");
    }
    assert_true(found[0][0] == found[1][0] && found[0][1] == found[1][1] && found[0][0] != 0);
    slip_saved_state_destroy(kept);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_motions_are_those_of_moreau),
        cmocka_unit_test(a_bar_stays_at_a_wall_for_two_lengths_over_c),
        cmocka_unit_test(a_stiff_block_slides_down_as_the_rigid_one),
        cmocka_unit_test(dashpots_and_springs_act_on_the_whole),
        cmocka_unit_test(other_bodies_and_coordinates_stand_beside),
        cmocka_unit_test(what_it_does_not_take_is_said),
        cmocka_unit_test(a_state_goes_on_by_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
