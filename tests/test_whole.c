/* Whole bodies: sparse matrices in the place of modes. They move as the same bodies by all their eigenmodes
 * do, and reduced ones come near to them. */
#include "motion_test.h"
#include "slipstick/modes.h"
#include "slipstick/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char text[4000];

/* The largest difference of a series, over the largest number in it. */
static double differ(const slip_result *a, const slip_result *b, const char *name)
{
    int64_t count = 0, other = 0;
    const double *x = slip_result_series(a, name, &count), *y = slip_result_series(b, name, &other);
    double largest = 0, size = 1e-300;
    if (!x || !y)
        print_error("no series %s\n", name);
    assert_true(x && y && count == other && count > 10);
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return largest / size;
}

/* What energies and works do not explain. The largest energy, of which it is given as a part, is looked for
 * in fewer places where a body is whole. */
static double drift(const slip_result *result)
{
    return slip_result_number(result, "energy.balance") * slip_result_number(result, "energy.largest");
}

/* The same body twice: with `reduce: none`, and with all its eigenmodes. Every `|` of the text stands for
 * that.
 */
static void compare(const char *body, const char *const *series, double tolerance)
{
    slip_result *results[2];
    for (int k = 0; k < 2; k++) {
        size_t used = 0;
        for (const char *c = body; *c && used + 30 < sizeof text; c++)
            if (*c == '|')
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, "%s", k ? "" : "    reduce: none\n");
            else
                text[used++] = *c;
        text[used] = 0;
        results[k] = run_text_as_said(text);
    }
    for (int k = 0; series[k]; k++) {
        const double off = differ(results[0], results[1], series[k]);
        if (!(off < tolerance))
            print_error("%s: off by %.2e\n", series[k], off);
        assert_true(off < tolerance);
    }
    assert_true(slip_result_event_count(results[0]) == slip_result_event_count(results[1]));
    print_message("%lld events, balance %.1e, laws to %.1e\n", (long long)slip_result_event_count(results[0]),
                  slip_result_number(results[0], "energy.balance"),
                  slip_result_number(results[0], "residual"));
    near(drift(results[0]), drift(results[1]), 1e-11, "balance of energy");
    for (int k = 0; k < 2; k++)
        slip_result_destroy(results[k]);
}

#define BELT(law, more)                                                                                      \
    "slipstick: 1\nparameters: {mu: 0.5, vb: 0.2, w: 3}\n" more "bodies:\n  pad:\n"                          \
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"                                        \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"                              \
    "    tractions: {top: [0, -1 - 0.3*sin(w*t)]}\n    body_force: [0, -0.1]\n"                              \
    "    damping: {stiffness: 0.01, mass: 0.2}\n    probes: {heel: [0, 0], toe: [1, 0]}\n|"                  \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         velocity: vb*cos(t), law: " law "}\n"
#define STEPS "simulate: {method: moreau, step: 2e-3, time: [0, 1], record: {every: 0.007}"

/* The transient has impacts, lift-off, slip both ways and stick. */
static void a_whole_body_moves_as_its_eigenmodes_do(void **state)
{
    static const char *const series[] = {
        "pad.heel.x",    "pad.toe.y", "belt[1].normal", "belt[5].force", "belt[9].normal",
        "belt[9].force", NULL};
    (void)state;
    compare(BELT("{type: coulomb, mu: mu}", "") STEPS "}\n", series, 1e-9);
    compare(BELT("{type: coulomb, mu: mu}", "") STEPS ", theta: 0.7}\n", series, 1e-9);
    compare(BELT("{type: stribeck, mu: mu, static_ratio: 1.4, velocity: 0.05}", "") STEPS "}\n", series,
            1e-8);
    compare(BELT("{type: tanh, mu: mu, velocity: 0.01}", "") STEPS "}\n", series, 1e-8);
}

/* Coordinates and states stand beside it, and restitution throws its nodes back; after some seven hundred
 * impacts rounding decides. */
static void lumped_masses_stand_beside_whole_bodies(void **state)
{
    static const char *const series[] = {"pad.heel.x", "belt[9].normal", "x", "x'", "s", "rub.force", NULL};
    (void)state;
    compare("slipstick: 1\ncoordinates: [x]\nmass: 2\nstiffness: 30\nforces: {x: cos(2*t) - s}\n"
            "states: {s: {rate: x - s, initial: 0.3}}\nbodies:\n  pad:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4], element: quad8}}\n"
            "    material: {young: 100, poisson: 0.3, density: 1}\n    body_force: [0.1, -1]\n"
            "    velocity: [0.1*y, -x/10]\n    probes: {heel: [0, 0]}\n|"
            "contacts:\n"
            "  rub: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.2}}\n"
            "  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}], gap: 0.001*x,\n"
            "         restitution: 0.5, impact_friction: coulomb, law: {type: coulomb, mu: 0.3}}\n"
            "simulate: {method: moreau, step: 2e-3, time: [0, 0.4], record: {every: 0.007}"
            ", initial: {x: 0.2}}\n",
            series, 1e-7);
}

/* Two bodies that touch each other: both whole, or one of them reduced, of which rows have both. */
static void whole_bodies_touch_each_other(void **state)
{
    static const char *const series[] = {"upper.tip.x", "upper.tip.y", "joint[1].normal", "joint[4].slip",
                                         NULL};
    static const char *const reduce[] = {"|", "    reduce: {modes: 12}\n"};
    char body[3000];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(body, sizeof body,
                 "slipstick: 1\nbodies:\n  upper:\n"
                 "    mesh: {block: {x: [0, 2], y: [1, 1.5], elements: [7, 3]}}\n"
                 "    material: {young: 50, poisson: 0.3, density: 1}\n    fix: [left]\n"
                 "    tractions: {top: [0.5*sin(3*t), -1]}\n    probes: {tip: [2, 1]}\n|"
                 "  lower:\n    mesh: {block: {x: [0, 2], y: [0, 1], elements: [9, 4]}}\n"
                 "    material: {young: 100, poisson: 0.3, density: 2}\n    fix: [bottom]\n%s"
                 "contacts:\n  joint: {kind: surface, between: [upper.bottom, lower.top], gap: 0.002,\n"
                 "          law: {type: coulomb, mu: 0.4}}\n" STEPS "}\n",
                 reduce[k]);
        compare(body, series, 1e-8);
    }
}

/* ---- truncation ---- */

#define SHOE(reduce, simulate)                                                                               \
    "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"         \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [top]\n    tractions: {left: [1, 0]}\n"  \
    "    body_force: [0, -5]\n    probes: {heel: [0, 0]}\n" reduce                                           \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         velocity: 0.2, law: {type: coulomb, mu: 0.4}}\n"                                               \
    "simulate: {" simulate ", time: [0, 0.25], record: {every: 1e-3, events: false}}\n"

/* Reduced by `event` it comes near to the whole body by `moreau`, the nearer the more modes there are; what
 * is left with many is the error of the steps. */
static void truncation_falls_with_the_modes(void **state)
{
    static const int modes[] = {1, 16, 44};
    slip_result *whole = run_text_as_said(SHOE("    reduce: none\n", "method: moreau, step: 2.5e-5"));
    double before = INFINITY;
    (void)state;
    assert_true(slip_result_event_count(whole) > 20);
    for (int k = 0; k < 3; k++) {
        char reduce[50], shoe[1500];
        snprintf(reduce, sizeof reduce, "    reduce: {modes: %d}\n", modes[k]);
        snprintf(shoe, sizeof shoe, SHOE("%s", "method: event"), reduce);
        slip_result *result = run_text_as_said(shoe);
        const double error = differ(result, whole, "pad.heel.x");
        print_message("%d modes: %.3e\n", modes[k], error);
        assert_true(error < 0.8 * before);
        before = error;
        slip_result_destroy(result);
    }
    assert_true(before < 1e-2);
    slip_result_destroy(whole);
}

/* ---- waves ---- */

/* A bar of 4000 unknowns, whole without being told: in contact for 2 L/c, and its energy stays. The pulse
 * that a blow on its end makes runs with c = sqrt(E/rho). */
static void a_bar_hits_a_wall(void **state)
{
    slip_result *result =
        run_text_as_said("slipstick: 1\nbodies:\n  bar:\n"
                         "    mesh: {block: {x: [0, 2], y: [0, 0.1], elements: [400, 4]}}\n"
                         "    material: {young: 9, poisson: 0, density: 1}\n    plane: stress\n"
                         "    fix: {bottom: y}\n    velocity: [-0.1, 0]\n"
                         "    probes: {end: [2, 0]}\n"
                         "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [0, 0], "
                         "normal: [1, 0]}]}\n"
                         "simulate: {method: moreau, step: 1e-3, time: [0, 1.6]}\n");
    double to = NAN, turns = NAN;
    int64_t count = 0;
    const double *t = slip_result_series(result, "t", &count),
                 *x = slip_result_series(result, "bar.end.x", NULL);
    (void)state;
    for (int64_t i = 0; i < slip_result_event_count(result); i++) {
        const slip_event *event = slip_result_event(result, i);
        to = event->to == SLIP_MODE_OPEN ? event->time : to;
    }
    for (int64_t i = 1; i < count && isnan(turns); i++)
        if (x[i] > x[i - 1])
            turns = t[i - 1];
    print_message("in contact for %g, the end turns at %g\n", to, turns);
    near(to, 4.0 / 3, 0.02, "time in contact");
    near(turns, 2.0 / 3, 0.01, "the wave at the end");
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-11);
    assert_true(slip_result_number(result, "energy.kinetic_end") +
                    slip_result_number(result, "energy.potential_end") <=
                slip_result_number(result, "energy.kinetic_start") * (1 + 1e-11));
    slip_result_destroy(result);
}

/* ---- simulations ---- */

/* Saved and restored, it goes on with the same bits; another value of a parameter is taken over. */
static void a_state_is_kept(void **state)
{
    size_t used = 0;
    for (const char *c = BELT("{type: coulomb, mu: mu}", "") STEPS "}\n"; *c; c++)
        if (*c != '|')
            text[used++] = *c;
        else
            used += (size_t)snprintf(text + used, sizeof text - used, "    reduce: none\n");
    text[used] = 0;
    slip_model *model = parse(text);
    slip_simulation *s = NULL;
    slip_saved_state *kept = NULL;
    double found[2][2];
    (void)state;
    good(slip_simulation_open(ctx, model, NULL, NULL, &s));
    good(slip_simulation_advance(ctx, s, 0.3));
    good(slip_simulation_save(ctx, s, &kept));
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            good(slip_simulation_restore(ctx, s, kept));
        good(slip_simulation_advance(ctx, s, 0.5));
        found[k][0] = slip_simulation_number(s, "pad.heel.x");
        found[k][1] = slip_simulation_number(s, "belt[9].normal");
    }
    assert_true(found[0][0] == found[1][0] && found[0][1] == found[1][1] && found[0][0] != 0);
    good(slip_simulation_input(s, "mu", 0.1));
    good(slip_simulation_advance(ctx, s, 0.6));
    assert_true(isfinite(slip_simulation_number(s, "pad.heel.x")));
    slip_saved_state_destroy(kept);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* ---- equilibria and modes ---- */

#define SQUEAL(elements, reduce, initial)                                                                    \
    "slipstick: 1\nparameters: {mu: 0.3}\nbodies:\n  pad:\n"                                                 \
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: " elements "}}\n"                                  \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"                              \
    "    tractions: {top: [0, -1 - x]}\n    body_force: [0.1, 0]\n"                                          \
    "    probes: {heel: [0, 0], toe: [1, 0]}\n" reduce                                                       \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         velocity: 0.2, law: {type: coulomb, mu: mu}}\n"                                                \
    "simulate: {method: moreau, step: 1e-3, time: [0, 0.05], record: {every: 0.001}" initial "}\n"

/* Steady sliding is found and lasts, but for what a body that nothing holds is shifted by (flex/reduction.h).
 */
static void it_starts_from_steady_sliding(void **state)
{
    slip_result *result = run_text_as_said(SQUEAL("[14, 10]", "    reduce: none\n", ", initial: static"));
    int64_t count = 0;
    const double *x = slip_result_series(result, "pad.heel.x", &count),
                 *y = slip_result_series(result, "pad.toe.y", NULL),
                 *normal = slip_result_series(result, "belt[8].normal", NULL);
    (void)state;
    assert_true(count > 20 && fabs(x[0]) > 1e-4 && normal[0] > 0.01);
    for (int64_t i = 1; i < count; i++) {
        near(x[i], x[0], 1e-9, "heel");
        near(y[i], y[0], 1e-9, "toe");
        near(normal[i], normal[1], 1e-6 * normal[1], "normal force");
    }
    assert_true(slip_result_event_count(result) == 0);
    slip_result_destroy(result);
}

/* A block that its floor holds, pushed from the left: the value of the load at which the first point sticks.
 */
static double first_label(const char *reduce)
{
    snprintf(
        text, sizeof text,
        "slipstick: 1\nparameters: {F: 0}\nbodies:\n  block:\n"
        "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: y}\n    body_force: [0, -1]\n"
        "    tractions: {left: [F, 0]}\n    reduce: %s\n    probes: {toe: [1, 0]}\n"
        "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0.002], normal: [0, 1]}],\n"
        "          law: {type: coulomb, mu: 0.4}}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n"
        "continue: {parameter: F, range: [0, 0.1], start: 0, restarts: 0, quantity: block.toe.x}\n",
        reduce);
    slip_model *model = parse(text);
    slip_continue_options options = slip_continue_options_default();
    slip_result *result = NULL;
    options.parameter = "F";
    options.low = 0;
    options.high = 0.1;
    options.restarts = 0;
    good(slip_continue(ctx, model, &options, &result));
    assert_int_equal((int)slip_result_label_count(result), 3);
    const double value = slip_result_label(result, 1)->value;
    assert_string_equal(slip_result_label(result, 1)->type, "MC");
    slip_result_destroy(result);
    slip_model_destroy(model);
    return value;
}

static void paths_are_followed_over_a_parameter(void **state)
{
    (void)state;
    const double reduced = first_label("{modes: 20, loads: true}"), whole = first_label("none");
    assert_true(reduced > 0.01 && reduced < 0.02);
    near(whole, reduced, 1e-7 * reduced, "load at which a point sticks");
}

/* Over Young's modulus displacements go with 1/young, and contact forces stay as they are: vectors of the
 * body keep their meaning, so that a path has few points. */
static void paths_over_young_are_followed(void **state)
{
    static const char *const reduce[] = {"{modes: 4}", "none"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {E: 100}\nbodies:\n  pad:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"
            "    material: {young: E, poisson: 0.3, density: 1}\n    fix: [top]\n    body_force: [0, -5]\n"
            "    tractions: {left: [1, 0]}\n    reduce: %s\n    probes: {heel: [0, 0]}\n"
            "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "         velocity: 0.2, law: {type: coulomb, mu: 0.4}}\n"
            "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n",
            reduce[k]);
        slip_model *model = parse(text);
        slip_continue_options options = slip_continue_options_default();
        slip_result *result = NULL;
        int64_t count = 0;
        options.parameter = "E";
        options.low = 50;
        options.high = 150;
        good(slip_continue(ctx, model, &options, &result));
        const double *young = slip_result_series(result, "value", &count),
                     *x = slip_result_series(result, "pad_1", NULL),
                     *normal = slip_result_series(result, "belt[3].normal", NULL);
        assert_true(young && x && normal && count > 2 && count < 400);
        near(slip_result_label(result, 0)->value, 50, 1e-9, "start");
        near(slip_result_label(result, 1)->value, 150, 1e-9, "end");
        for (int64_t i = 0; i < count; i++) {
            near(young[i] * x[i], young[0] * x[0], 1e-8 * fabs(young[0] * x[0]), "displacement");
            near(normal[i], normal[0], 1e-8 * normal[0], "force");
        }
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* Poisson's ratio changes the shapes of the vectors: they are turned among themselves, so that coordinates go
 * on smoothly. Contact forces and the place where a point opens are those of whole bodies. */
static void paths_over_poisson_are_followed(void **state)
{
    static const char *const reduce[] = {"none", "{modes: 4, loads: true}",
                                         "{modes: 6, contact: craig_bampton}",
                                         "{modes: 6, contact: condensed, loads: true}"};
    double opens[4], end[4];
    (void)state;
    for (int k = 0; k < 4; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {nu: 0.3}\nbodies:\n  pad:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"
            "    material: {young: 100, poisson: nu, density: 1}\n    fix: [top]\n    body_force: [0, -5]\n"
            "    tractions: {left: [1, 0]}\n    reduce: %s\n"
            "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "         velocity: 0.2, law: {type: coulomb, mu: 0.4}}\n"
            "simulate: {method: %s, step: 1e-3, time: [0, 1]}\n",
            reduce[k], k == 3 ? "exponential" : "moreau");
        slip_model *model = parse(text);
        slip_continue_options options = slip_continue_options_default();
        slip_result *result = NULL;
        int64_t count = 0;
        options.parameter = "nu";
        options.low = 0.1;
        options.high = 0.45;
        good(slip_continue(ctx, model, &options, &result));
        const double *normal = slip_result_series(result, "belt[3].normal", &count);
        assert_int_equal(slip_result_label_count(result), 3);
        assert_string_equal(slip_result_label(result, 1)->type, "MC");
        assert_true(count < 400);
        opens[k] = slip_result_label(result, 1)->value;
        end[k] = normal[count - 1];
        print_message("%lld points, opens at %.12f, %.12f at the end\n", (long long)count, opens[k], end[k]);
        near(opens[k], opens[0], 1e-9, "where a point opens");
        near(end[k], end[0], 1e-9 * end[0], "force");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

static slip_result *modes_of(const char *whole, const char *about, int wanted)
{
    slip_model *model = parse(whole);
    slip_modes_options options = slip_modes_options_default();
    slip_result *result = NULL;
    options.about = about;
    options.count = wanted;
    good(slip_modes_solve(ctx, model, &options, &result));
    slip_model_destroy(model);
    return result;
}

/* The modes of a model with whole bodies (every `|` is where a body says so), by sparse matrices, are those
 * of all their eigenmodes, by dense ones: the lowest `wanted` of them, with what contacts add to their
 * growth. */
static void compare_modes(const char *body, const char *about, int wanted, double tolerance)
{
    slip_result *of[2];
    for (int k = 0; k < 2; k++) {
        size_t used = 0;
        for (const char *c = body; *c && used + 30 < sizeof text; c++)
            if (*c == '|')
                used +=
                    (size_t)snprintf(text + used, sizeof text - used, "%s", k ? "" : "    reduce: none\n");
            else
                text[used++] = *c;
        text[used] = 0;
        of[k] = modes_of(text, about, wanted);
    }
    int64_t count = 0, all = 0, parts = 0, all_parts = 0;
    const double *real = slip_result_series(of[0], "real", &count),
                 *imaginary = slip_result_series(of[0], "imaginary", NULL),
                 *true_real = slip_result_series(of[1], "real", &all),
                 *true_imaginary = slip_result_series(of[1], "imaginary", NULL),
                 *growth = slip_result_series(of[0], "contacts.growth", &parts),
                 *true_growth = slip_result_series(of[1], "contacts.growth", &all_parts);
    if (wanted < all)
        assert_true(count >= wanted && count <= wanted + 2 && all > count);
    else
        assert_int_equal(count, all);
    assert_true(slip_result_number(of[0], "error") < 1e-7);
    double largest = 0;
    for (int64_t k = 0; k < count; k++)
        largest = fmax(largest, hypot(real[k], imaginary[k]));
    for (int64_t k = 0; k < count; k++) {
        const double size = hypot(real[k], imaginary[k]);
        int64_t nearest = 0;
        for (int64_t i = 0; i < all; i++)
            if (hypot(real[k] - true_real[i], imaginary[k] - true_imaginary[i]) <
                hypot(real[k] - true_real[nearest], imaginary[k] - true_imaginary[nearest]))
                nearest = i;
        const double off = hypot(real[k] - true_real[nearest], imaginary[k] - true_imaginary[nearest]);
        if (!(off <= tolerance * (size + 1e-3 * largest)))
            print_error("mode %d: %.12g + %.12g i, off by %.2e\n", (int)k + 1, real[k], imaginary[k], off);
        assert_true(off <= tolerance * (size + 1e-3 * largest));
        for (int64_t c = 0; c < parts / count; c++)
            near(growth[k * (parts / count) + c], true_growth[nearest * (all_parts / all) + c],
                 100 * tolerance * (size + 1e-3 * largest), "growth by a contact");
    }
    /* none is left out: as many as there are up to the last but two */
    int below = 0, of_all = 0;
    for (int64_t k = 0; k < all; k++)
        of_all += hypot(true_real[k], true_imaginary[k]) < 0.9 * largest;
    for (int64_t k = 0; k < count; k++)
        below += hypot(real[k], imaginary[k]) < 0.9 * largest;
    assert_int_equal(below, of_all);
    slip_result_destroy(of[0]);
    slip_result_destroy(of[1]);
}

/* Steady sliding on a belt: modes couple. Without damping, and with damping that is proportional. */
static void complex_modes_are_those_of_all_eigenmodes(void **state)
{
    (void)state;
    compare_modes(SQUEAL("[12, 8]", "|", ""), "sliding", 14, 1e-8);
    compare_modes(SQUEAL("[8, 5]", "|    damping: {stiffness: 1e-3, mass: 0.1}\n", ""), "sliding", 14, 1e-8);
    slip_result *modes = modes_of(SQUEAL("[8, 5]", "    reduce: none\n", ""), "sliding", 10);
    int coupled = 0;
    for (int k = 0; k < 10; k++)
        coupled += slip_result_series(modes, "real", NULL)[k] > 0.1;
    assert_true(coupled > 0 && slip_result_number(modes, "unstable") == coupled);
    slip_result_destroy(modes);
}

/* Damping of any kind: friction that falls with speed, another one for each body, a damper between
 * coordinates; one body is reduced. */
static void modes_with_damping_of_any_kind(void **state)
{
    (void)state;
    compare_modes(
        "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\nstiffness: [[90, -40], [-40, 40]]\n"
        "damping: [[0.3, -0.2], [-0.2, 0.2]]\nbodies:\n  pad:\n"
        "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [6, 3]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"
        "    tractions: {top: [0, -1]}\n    damping: {stiffness: 1e-3}\n|"
        "  plate:\n    mesh: {block: {x: [-0.2, 1.3], y: [-0.5, 0], elements: [7, 2]}}\n"
        "    material: {young: 300, poisson: 0.2, density: 2}\n    fix: [bottom]\n"
        "    damping: {mass: 0.2}\n|"
        "  block:\n    mesh: {block: {x: [2, 3], y: [0, 0.5], elements: [6, 4]}}\n"
        "    material: {young: 80, poisson: 0.3, density: 1}\n    fix: [top]\n    reduce: {modes: 5}\n"
        "contacts:\n  belt: {kind: surface, between: [pad.bottom, plate.top], velocity: 0.2,\n"
        "         law: {type: stribeck, mu: 0.3, static_ratio: 1.5, velocity: 0.3}}\n"
        "  rail: {kind: friction, slip: x' - 1, normal_force: 1, law: {type: stribeck, mu: 0.2, "
        "static_ratio: 2, "
        "velocity: 1}}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n",
        "sliding", 12, 1e-7);
}

/* Where more modes are asked for than a small body has, these are all of them: what contacts hold is none. */
static void all_modes_of_a_small_body(void **state)
{
#define SMALL(law)                                                                                           \
    "slipstick: 1\ncoordinates: [phi]\nmass: [[0.3]]\nstiffness: [[20]]\nbodies:\n  pad:\n"                  \
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [3, 2]}}\n"                                        \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"                              \
    "    tractions: {top: [0, -1]}\n|"                                                                       \
    "  arm:\n    mesh: {block: {x: [2, 3], y: [0, 0.5], elements: [2, 2]}}\n"                                \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [left]\n    turn: phi\n|"                \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}]" law "}\n"    \
    "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n"
    (void)state;
    compare_modes(SMALL(""), "static", 60, 1e-8);
    compare_modes(SMALL(", law: {type: coulomb, mu: 0.4}"), "static", 60, 1e-8);
    compare_modes(SMALL(", velocity: 0.1, law: {type: coulomb, mu: 0.4}"), "sliding", 60, 1e-8);
    compare_modes(SMALL(", velocity: 0.1, law: {type: tanh, mu: 0.3, velocity: 0.1}"), "sliding", 60, 1e-8);
}

/* Bodies that nothing holds: three motions of each are rigid, and their frequencies are zero. */
static void free_bodies_have_rigid_motions(void **state)
{
#define FREE                                                                                                 \
    "slipstick: 1\nbodies:\n  a:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: [7, 6]}}\n"             \
    "    material: {young: 10, poisson: 0.3, density: 1}\n|"                                                 \
    "  b:\n    mesh: {block: {x: [3, 5], y: [0, 1], elements: [8, 5]}}\n"                                    \
    "    material: {young: 20, poisson: 0.2, density: 2}\n|"                                                 \
    "simulate: {method: moreau, step: 1e-2, time: [0, 1]}\n"
    (void)state;
    compare_modes(FREE, "rest", 14, 1e-8);
    slip_result *modes =
        modes_of("slipstick: 1\nbodies:\n  a:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: [7, 6]}}\n"
                 "    material: {young: 10, poisson: 0.3, density: 1}\n    reduce: none\n"
                 "simulate: {method: moreau, step: 1e-2, time: [0, 1]}\n",
                 "rest", 8);
    const double *imaginary = slip_result_series(modes, "imaginary", NULL);
    for (int k = 0; k < 8; k++)
        assert_true(k < 3 ? imaginary[k] == 0 : imaginary[k] > 0.1);
    slip_result_destroy(modes);
}

/* Over a parameter of the material whole bodies are projected anew at each value: four times as stiff, twice
 * the frequency, which is that of the sparse matrices. */
static void modes_are_followed_over_a_parameter(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nparameters: {E: 100}\nbodies:\n  bar:\n"
              "    mesh: {block: {x: [0, 1], y: [0, 0.4], elements: [14, 11]}}\n"
              "    material: {young: E, poisson: 0.3, density: 1}\n    fix: [left]\n    reduce: none\n"
              "simulate: {method: moreau, step: 1e-3, time: [0, 0.5]}\n");
    slip_modes_options options = slip_modes_options_default();
    slip_result *over = NULL, *one = NULL;
    int64_t count = 0;
    (void)state;
    options.count = 2;
    good(slip_modes_solve(ctx, model, &options, &one));
    options.parameter = "E";
    options.low = 100;
    options.high = 400;
    options.points = 2;
    good(slip_modes_solve(ctx, model, &options, &over));
    const double *omega = slip_result_series(over, "imaginary", &count),
                 *lowest = slip_result_series(one, "imaginary", NULL);
    assert_true(count % 2 == 0 && slip_result_number(over, "projected") >= 80);
    for (int k = 0; k < 2; k++) {
        near(omega[k], lowest[k], 1e-9 * lowest[k], "frequency");
        near(omega[count / 2 + k], 2 * lowest[k], 1e-9 * lowest[k], "frequency of the stiff one");
    }
    slip_result_destroy(over);
    slip_result_destroy(one);
    slip_model_destroy(model);
}

/* On springs of its contacts a whole body is projected: as many modes as were asked for, which are right, and
 * none of the highest, which are those of the projection. */
static void projected_modes_are_the_lowest(void **state)
{
#define SPRUNG(reduce)                                                                                       \
    "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0.001, 0.5], elements: [14, 10]}}\n"   \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"                              \
    "    tractions: {top: [0, -1]}\n" reduce "contacts:\n"                                                   \
    "  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}], gap: -0.001, "          \
    "velocity: 0.3, normal: {stiffness: 50}, law: {type: coulomb, mu: 0.4}}\n"                               \
    "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n"
    enum { wanted = 10 };
    slip_result *few = modes_of(SPRUNG("    reduce: none\n"), "sliding", wanted),
                *all = modes_of(SPRUNG(""), "sliding", wanted);
    int64_t count = 0, of_all = 0;
    const double *real = slip_result_series(few, "real", &count),
                 *imaginary = slip_result_series(few, "imaginary", NULL),
                 *true_real = slip_result_series(all, "real", &of_all),
                 *true_imaginary = slip_result_series(all, "imaginary", NULL);
    double largest = 0;
    int lower = 0;
    (void)state;
    assert_true(slip_result_number(few, "projected") > 0 && of_all > 200);
    assert_true(count >= wanted && count <= wanted + 1);
    for (int64_t k = 0; k < count; k++) {
        double off = INFINITY;
        for (int64_t i = 0; i < of_all; i++)
            off = fmin(off, hypot(real[k] - true_real[i], imaginary[k] - true_imaginary[i]));
        largest = fmax(largest, hypot(real[k], imaginary[k]));
        near(off, 0, 1e-5 * hypot(real[k], imaginary[k]), "eigenvalue");
    }
    for (int64_t i = 0; i < of_all; i++)
        lower += hypot(true_real[i], true_imaginary[i]) < 0.999 * largest;
    assert_true(lower >= count - 2 && lower < count); /* a pair that grows and dies has the same size */
    slip_result_destroy(few);
    slip_result_destroy(all);
}

/* A forced motion with stick, slip and lift-off settles to the same period, here twice that of the load. */
static void forced_motions_settle(void **state)
{
    double largest[2], multiple[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {w: 3}\nbodies:\n  bar:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 0.4], elements: [6, 3]}}\n"
            "    material: {young: 10, poisson: 0.3, density: 1}\n    fix: {top: y, left: x}\n"
            "    tractions: {right: [0.5*sin(w*t), 0]}\n    body_force: [0, -1]\n%s"
            "    damping: {mass: 0.8}\n    probes: {toe: [1, 0]}\n"
            "contacts:\n  floor: {kind: surface, between: [bar.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "          law: {type: coulomb, mu: 0.3}, impact_friction: none}\n"
            "simulate: {method: moreau, step: 0.01, time: [0, 1],\n"
            "           steady: {period: 2*pi/w, within: 80, tolerance: 1e-4}}\n",
            k ? "" : "    reduce: none\n");
        slip_result *result = run_text_as_said(text);
        int64_t count = 0;
        const double *x = slip_result_series(result, "bar.toe.x", &count);
        assert_true(x && count > 50 && slip_result_number(result, "steady.error") < 1e-4);
        multiple[k] = slip_result_number(result, "steady.multiple");
        largest[k] = 0;
        for (int64_t i = 0; i < count; i++)
            largest[k] = fmax(largest[k], fabs(x[i]));
        slip_result_destroy(result);
    }
    assert_true(multiple[0] == 2 && multiple[1] == 2);
    near(largest[0], largest[1], 2e-4 * largest[1], "largest displacement");
}

/* ---- what is refused ---- */

static void refused(const char *model_text, const char *part)
{
    slip_model *model = NULL;
    slip_result *result = NULL;
    int status = slip_model_parse(ctx, model_text, "test", NULL, &model);
    if (status >= 0) {
        slip_run_options options = slip_run_options_default();
        status = slip_run(ctx, model, &options, &result);
    }
    assert_true(status < 0);
    if (!strstr(slip_context_message(ctx), part))
        print_error("found: %s\n", slip_context_message(ctx));
    assert_non_null(strstr(slip_context_message(ctx), part));
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void what_it_does_not_take_is_said(void **state)
{
    (void)state;
    refused(SHOE("    reduce: none\n", "method: event"), "does not take whole bodies");
    refused(SHOE("    reduce: none\n", "method: midpoint, step: 1e-3"), "does not take whole bodies");
    refused(SHOE("    reduce: none\n    damping: {ratio: 0.1}\n", "method: moreau, step: 1e-3"),
            "ratio is that of eigenmodes");
    refused(SHOE("    reduce: {modes: 4, contact: none, loads: true}\n", "method: event"), "attachment");
    refused(SHOE("    reduce: all\n", "method: moreau, step: 1e-3"), "reduce");
    refused("slipstick: 1\ncoordinates: [x]\nmass: 0\nstiffness: 1\nbodies:\n  a:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 1], elements: [2, 2]}}\n    reduce: none\n"
            "    material: {young: 1, poisson: 0.3, density: 1}\n"
            "simulate: {method: moreau, step: 0.1, time: [0, 1]}\n",
            "without mass");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(a_whole_body_moves_as_its_eigenmodes_do),
        cmocka_unit_test(lumped_masses_stand_beside_whole_bodies),
        cmocka_unit_test(whole_bodies_touch_each_other),
        cmocka_unit_test_of_numbers(truncation_falls_with_the_modes),
        cmocka_unit_test(a_bar_hits_a_wall),
        cmocka_unit_test(a_state_is_kept),
        cmocka_unit_test(it_starts_from_steady_sliding),
        cmocka_unit_test(paths_are_followed_over_a_parameter),
        cmocka_unit_test(paths_over_young_are_followed),
        cmocka_unit_test(paths_over_poisson_are_followed),
        cmocka_unit_test_of_numbers(complex_modes_are_those_of_all_eigenmodes),
        cmocka_unit_test_of_numbers(modes_with_damping_of_any_kind),
        cmocka_unit_test_of_numbers(all_modes_of_a_small_body),
        cmocka_unit_test(free_bodies_have_rigid_motions),
        cmocka_unit_test(modes_are_followed_over_a_parameter),
        cmocka_unit_test_of_numbers(projected_modes_are_the_lowest),
        cmocka_unit_test_of_numbers(forced_motions_settle),
        cmocka_unit_test(what_it_does_not_take_is_said),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
