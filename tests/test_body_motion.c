/* Elastic bodies in the plane that move: frequencies, reductions, contact, loads over time. */
#include "flex/plane_motion.h"
#include "motion_test.h"
#include "slipstick/simulation.h"

#include <math.h>

/* A bar along x, without lateral strain, in `n` elements. */
#define BAR(n, more)                                                                                         \
    "slipstick: 1\nparameters: {E: 1, p: 1, v0: 0.1}\nbodies:\n  bar:\n"                                     \
    "    mesh: {block: {x: [0, 1], y: [0, 0.1], elements: [" n ", 1]}}\n"                                    \
    "    material: {young: E, poisson: 0, density: 1}\n    plane: stress\n" more

/* Of linear elements with consistent mass: omega^2 = 6/h^2 (1 - cos kh)/(2 + cos kh). The bar's modes are
 * among those of the plane. */
static void frequencies_are_those_of_the_elements(void **state)
{
    static const char *const reduce[] = {"", "    reduce: {modes: 14, contact: none}\n",
                                         "    reduce: {modes: 14, contact: craig_bampton}\n"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 BAR("40", "    fix: {left: x, bottom: y}\n%s") "simulate: {time: [0, 1]}\n", reduce[k]);
        slip_model *model = parse(text);
        const slip_plane_motion *motion = model->bodies->motion;
        for (int mode = 1; mode <= 6; mode++) {
            const double kh = (2 * mode - 1) * 3.14159265358979324 / 80;
            const double square = 1600 * 6 * (1 - cos(kh)) / (2 + cos(kh));
            double nearest = INFINITY;
            for (int i = 0; i < motion->count; i++)
                nearest = fmin(nearest, fabs(motion->square[i] - square));
            assert_true(nearest < 1e-9 * square);
        }
        slip_model_destroy(model);
    }
}

/* A body that nothing holds has three rigid motions, whatever the size of its numbers. */
static void loose_bodies_have_rigid_motions(void **state)
{
    static const char *const youngs[] = {"1e-6", "1", "2e11"};
    (void)state;
    for (int large = 0; large < 2; large++)
        for (int k = 0; k < 3; k++) {
            char text[600];
            snprintf(text, sizeof text,
                     "slipstick: 1\nbodies:\n  a:\n    mesh: {block: {x: [0, 2], y: [0, 1], elements: %s}}\n"
                     "    material: {young: %s, poisson: 0.3, density: 7850}\n    reduce: {modes: 8}\n"
                     "simulate: {time: [0, 1]}\n",
                     large ? "[24, 12]" : "[6, 3]", youngs[k]);
            slip_model *model = parse(text);
            const double *square = model->bodies->motion->square;
            assert_true(square[0] == 0 && square[1] == 0 && square[2] == 0);
            assert_true(square[3] > 0 && square[7] < 100 * square[3]);
            slip_model_destroy(model);
        }
}

/* ---- reductions ---- */

#define SHOE(reduce, more)                                                                                   \
    "slipstick: 1\nparameters: {mu: 0.4, p: 1}\nbodies:\n  pad:\n"                                           \
    "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [8, 4]}}\n"                                        \
    "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [top]\n"                                 \
    "    tractions: {left: [p, 0]}\n" reduce                                                                 \
    "contacts:\n  belt: {kind: surface, between: [pad.bottom, {point: [0, 0], normal: [0, 1]}],\n"           \
    "         law: {type: coulomb, mu: mu}" more "}\n"

/* Contact points of attachment and of Craig-Bampton vectors yield as those of the whole body do. */
static void static_flexibility_is_kept(void **state)
{
    static const char *const reduce[] = {"    reduce: {modes: 3}\n",
                                         "    reduce: {modes: 3, contact: craig_bampton}\n",
                                         "    reduce: {modes: 3, contact: none}\n", ""};
    char text[1000];
    slip_model *whole = parse(SHOE("", ""));
    good(slip_plane_finish(ctx, whole->plane));
    const double *compliance = slip_plane_compliance(whole->plane);
    const int rows = 2 * slip_plane_contact_count(whole->plane);
    (void)state;
    for (int k = 0; k < 4; k++) {
        double largest = 0, size = 0;
        snprintf(text, sizeof text, SHOE("%s", "") "simulate: {time: [0, 1]}\n", reduce[k]);
        slip_model *model = parse(text);
        const slip_plane_motion *motion = model->bodies->motion;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                double sum = 0;
                for (int c = 0; c < motion->count; c++)
                    sum += motion->rows[i * motion->count + c] * motion->rows[j * motion->count + c] /
                           motion->square[c];
                largest = fmax(largest, fabs(sum - compliance[i * rows + j]));
                size = fmax(size, fabs(compliance[i * rows + j]));
            }
        print_message("%d coordinates: flexibility to %.1e\n", motion->count, largest / size);
        assert_true(k == 2 ? largest > 0.1 * size : largest < 1e-10 * size);
        slip_model_destroy(model);
    }
    slip_model_destroy(whole);
}

/* The largest distance of the heel's motions over a short time, in which it slips and sticks. */
static slip_result *heel(const char *reduce)
{
    char text[1000];
    snprintf(text, sizeof text,
             SHOE("%s    probes: {heel: [0, 0]}\n    body_force: [0, -5]\n",
                  ", velocity: 0.2") "simulate: {method: moreau, step: 1e-3, time: [0, 0.25], record: "
                                     "{every: 1e-3}}\n",
             reduce);
    slip_model *model = parse(text);
    slip_result *result = run_as_said(model);
    slip_model_destroy(model);
    return result;
}

static double distance(const slip_result *a, const slip_result *b)
{
    int64_t count = 0;
    const double *x = slip_result_series(a, "pad.heel.x", &count),
                 *y = slip_result_series(b, "pad.heel.x", NULL);
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

static void truncation_falls_with_the_modes(void **state)
{
    static const char *const reduce[] = {"    reduce: {modes: 1}\n", "    reduce: {modes: 16}\n",
                                         "    reduce: {modes: 44}\n"};
    slip_result *whole = heel(""), *nothing = heel("    reduce: {modes: 1, contact: none}\n");
    double before = distance(nothing, whole);
    assert_true(slip_result_event_count(whole) > 20);
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_result *result = heel(reduce[k]);
        const double error = distance(result, whole);
        print_message("%s %.3e after %.3e\n", reduce[k], error, before);
        assert_true(error < 0.8 * before);
        before = error;
        slip_result_destroy(result);
    }
    slip_result_destroy(whole);
    slip_result_destroy(nothing);
}

/* ---- contact ---- */

/* A bar that hits a wall stays there while a wave runs to its end and back, 2 L/c, and keeps its energy. */
static void a_bar_hits_a_wall(void **state)
{
    slip_model *model = parse(BAR(
        "100",
        "    fix: {bottom: y}\n    velocity: [-v0, 0]\n"
        "    reduce: {modes: 60}\n    probes: {end: [1, 0]}\n") "contacts:\n  wall: {kind: surface, between: "
                                                                "[bar.left, {point: [-0.01, 0], normal: "
                                                                "[1, 0]}]}\n"
                                                                "simulate: {method: moreau, step: 1e-3, "
                                                                "time: [0, 3]}\n");
    slip_result *result = run_as_said(model);
    double from = NAN, to = NAN;
    (void)state;
    for (int64_t i = 0; i < slip_result_event_count(result); i++) {
        const slip_event *event = slip_result_event(result, i);
        from = event->to != SLIP_MODE_OPEN && isnan(from) ? event->time : from;
        to = event->to == SLIP_MODE_OPEN ? event->time : to;
    }
    print_message("in contact from %g for %g\n", from, to - from);
    assert_close(from, 0.1, 2e-3);
    assert_close(to - from, 2, 0.03);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-11);
    assert_true(slip_result_number(result, "energy.kinetic_end") +
                    slip_result_number(result, "energy.potential_end") <=
                slip_result_number(result, "energy.kinetic_start") * (1 + 1e-11));
    /* it leaves as it came, but for the waves that the elements disperse */
    assert_close(slip_result_number(result, "final.bar_1'"), -slip_result_series(result, "bar_1'", NULL)[0],
                 0.02);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* The same by `event`: nodes land at the same time, at which no force says that they stay, and modes that
 * have not moved have nothing but rounding. `to`: the end of the run. */
static slip_result *bar_by_event(const char *elements, int modes, double to)
{
    char text[1000];
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  bar:\n    mesh: {block: {x: [0, 1], y: [0, 0.1], elements: %s}}\n"
             "    material: {young: 1, poisson: 0, density: 1}\n    plane: stress\n"
             "    fix: {bottom: y}\n    velocity: [-0.1, 0]\n    reduce: {modes: %d}\n"
             "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [-0.01, 0], normal: [1, 0]}]}\n"
             "simulate: {method: event, time: [0, %g]}\n",
             elements, modes, to);
    slip_model *model = parse(text);
    slip_result *result = run_as_said(model);
    slip_model_destroy(model);
    assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-10);
    assert_true(slip_result_number(result, "energy.kinetic_end") +
                    slip_result_number(result, "energy.potential_end") <=
                slip_result_number(result, "energy.kinetic_start") * (1 + 1e-11));
    assert_close(slip_result_event(result, 0)->time, 0.1, 1e-9);
    return result;
}

static void several_nodes_hit_a_wall_by_event(void **state)
{
    static const char *const many[] = {"[20, 3]", "[30, 5]"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *result = bar_by_event("[20, 1]", k == 0 ? 8 : 20, 3);
        const int64_t count = slip_result_event_count(result);
        const double stay = slip_result_event(result, count - 1)->time - slip_result_event(result, 0)->time;
        print_message("in contact for %g\n", stay);
        assert_true(count == 4);
        assert_close(stay, 2, k == 0 ? 0.06 : 0.015);
        slip_result_destroy(result);
        result = bar_by_event(many[k], 20, 1);
        assert_true(slip_result_event(result, slip_result_event_count(result) - 1)->to == SLIP_MODE_CLOSED);
        slip_result_destroy(result);
    }
}

/* An edge that is straight to the last bit lets go with all its nodes at once: forces that are zero to
 * rounding say nothing about which is first. Nothing is made of it, and all are open in the end. */
static void many_nodes_let_go_at_once(void **state)
{
    static const char *const meshes[] = {"[12, 4]", "[10, 7]", "[14, 9]"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  bar:\n    mesh: {block: {x: [0, 1], y: [0, 0.1], elements: %s}}\n"
            "    material: {young: 1, poisson: 0, density: 1}\n    velocity: [-0.5, 0]\n    reduce: {modes: "
            "20}\n"
            "contacts:\n  wall: {kind: surface, between: [bar.left, {point: [-0.05, 0], normal: [1, 0]}]}\n"
            "simulate: {method: event, time: [0, 3]}\n",
            meshes[k]);
        slip_model *model = parse(text);
        slip_result *result = run_as_said(model);
        const int64_t count = slip_result_event_count(result);
        const double stay = slip_result_event(result, count - 1)->time - slip_result_event(result, 0)->time;
        assert_true(fabs(slip_result_number(result, "energy.balance")) < 1e-12);
        assert_close(stay, 2, 0.08);
        for (int64_t e = count / 2; e < count; e++)
            assert_true(slip_result_event(result, e)->to == SLIP_MODE_OPEN);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* A stiff block slides down an incline as a rigid one does: x' = g (sin a - mu cos a) t. */
static void a_stiff_block_slides_as_a_rigid_one(void **state)
{
    static const char *const youngs[] = {"1e3", "1e5"};
    const double exact = 10 * (sin(0.5) - 0.3 * cos(0.5));
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {a: 0.5, g: 10, rho: 1}\nbodies:\n  block:\n"
            "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [4, 2]}}\n"
            "    material: {young: %s, poisson: 0.2, density: rho}\n"
            "    body_force: [rho*g*sin(a), -rho*g*cos(a)]\n    damping: {ratio: 0.2}\n"
            "    reduce: {modes: 3}\n    probes: {corner: [0, 0.5]}\n"
            "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "          law: {type: coulomb, mu: 0.3}}\n"
            "simulate: {method: moreau, step: 2e-4, theta: 1, time: [0, 1]}\n",
            youngs[k]);
        slip_model *model = parse(text);
        slip_result *result = run_as_said(model);
        error[k] = fabs(last_of(result, "block.corner.x") / (exact / 2) - 1);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    print_message("errors %.2e, %.2e\n", error[0], error[1]);
    assert_true(error[1] < 2e-3 && error[1] < 0.1 * error[0]);
}

/* The same without damping, and with a weight that comes at once: its nodes strike again and again, and what
 * they strike with rubs. */
static void a_rattling_block_slides_as_a_rigid_one(void **state)
{
    static const struct {
        const char *young, *keys, *method;
        double error;
    } cases[] = {{"1e6", "", "moreau, step: 1e-3", 8e-3},
                 {"1e8", "", "moreau, step: 1e-3", 4e-4},
                 {"1e8", "    reduce: {modes: 12}\n", "moreau, step: 1e-3", 2e-3},
                 {"1e8", "    reduce: none\n", "explicit", 1e-3}};
    const double exact = 9.81 * (sin(0.6) - 0.4 * cos(0.6));
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {a: 0.6, w: 9810}\nbodies:\n  block:\n"
            "    mesh: {block: {x: [0, 0.4], y: [0, 0.1], elements: [6, 2]}}\n"
            "    material: {young: %s, poisson: 0.3, density: 1000}\n"
            "    body_force: [w*sin(a), -w*cos(a)]\n    probes: {corner: [0, 0]}\n%s"
            "contacts:\n  floor: {kind: surface, between: [block.bottom, {point: [0, 0], normal: [0, 1]}],\n"
            "          law: {type: coulomb, mu: 0.4}}\nsimulate: {time: [0, 0.5], method: %s}\n",
            cases[k].young, cases[k].keys, cases[k].method);
        slip_result *result = run_text_as_said(text);
        const double error = fabs(last_of(result, "block.corner.x") / (exact / 8) - 1);
        print_message("error %.2e\n", error);
        assert_true(error < cases[k].error);
        slip_result_destroy(result);
    }
}

/* ---- loads ---- */

/* A loose body under a force sin(w t): v = (1 - cos w t)/(rho w), in closed form. */
static void loads_may_depend_on_time(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nparameters: {w: 2, rho: 3}\nbodies:\n  a:\n"
              "    mesh: {block: {x: [0, 1], y: [0, 1], elements: [2, 2]}}\n"
              "    material: {young: 10, poisson: 0.3, density: rho}\n    body_force: [sin(w*t), 0.5]\n"
              "    reduce: {modes: 5, contact: none}\n    probes: {middle: [0.5, 0.5]}\n"
              "simulate: {time: [0, 2]}\n");
    slip_result *result = run_as_said(model);
    (void)state;
    assert_close(last_of(result, "a.middle.x"), (2 - sin(4.0) / 2) / 2 / 3, 1e-12);
    assert_close(last_of(result, "a.middle.y"), 0.5 / 3 * 2, 1e-12);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static double end_after(const slip_model *model, const slip_values *values)
{
    slip_simulation *simulation;
    good(slip_simulation_open(ctx, model, values, NULL, &simulation));
    good(slip_simulation_advance(ctx, simulation, 1));
    const double end = slip_simulation_number(simulation, "bar.end.x");
    slip_simulation_close(simulation);
    return end;
}

/* Other values of the parameters of loads and of materials: as a model that was read with them. */
static void values_reach_the_bodies(void **state)
{
    static const char text[] =
        BAR("10", "    fix: {left: x, bottom: y}\n    tractions: {right: [p*cos(t), 0]}\n"
                  "    reduce: {modes: 4}\n    probes: {end: [1, 0]}\n") "simulate: {time: [0, 1]}\n";
    static const char *const settings[] = {"parameters.E=4", "parameters.p=3", NULL};
    slip_model *model = parse(text), *other = parse_with(text, settings);
    const double plain = end_after(model, NULL);
    slip_values *values;
    (void)state;
    good(slip_values_create(ctx, model, &values));
    good(slip_values_set(ctx, values, "p", 3));
    assert_close(end_after(model, values), 3 * plain, 1e-12);
    good(slip_values_set(ctx, values, "E", 4));
    assert_true(end_after(model, values) == end_after(other, NULL));
    slip_values_destroy(values);
    slip_model_destroy(model);
    slip_model_destroy(other);
}

/* A body beside coordinates with contacts of their own; outputs read its points. */
static void bodies_stand_beside_coordinates(void **state)
{
    slip_model *model =
        parse(SHOE("    reduce: {modes: 2}\n",
                   ", velocity: 0.2") "  other: {kind: friction, slip: x', law: {type: coulomb, mu: 0.1}}\n"
                                      "coordinates: [x]\nmass: [[2]]\nforces: {x: 1}\n"
                                      "outputs: {press: 'belt[1].normal + belt[9].normal'}\n"
                                      "simulate: {method: moreau, step: 1e-2, time: [0, 1]}\n");
    slip_result *result = run_as_said(model);
    (void)state;
    assert_close(slip_result_number(result, "final.x'"), 0.45, 1e-12);
    assert_true(slip_result_number(result, "max.press") > 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* On springs in place of a rigid wall a stiff bar bounces as a mass does: it stays for pi sqrt(m/k), less
 * what its own spring makes of that, and leaves as fast as it came. */
static void a_bar_bounces_on_springs(void **state)
{
    static const way ways[] = {{"event", NULL, NAN, 1e-9, 1e-6},
                               {"smooth", NULL, NAN, 1e-9, 1e-6},
                               {"moreau", NULL, 5e-4, NAN, 1e-6},
                               {"midpoint", NULL, 5e-4, NAN, 1e-6}};
    const double stay = 3.14159265358979324 * sqrt(0.1), far = 0.1 * (2 - 0.1 - stay) - 0.01;
    double error[2];
    (void)state;
    for (int k = 0; k < 5; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 BAR("2",
                     "    fix: {bottom: y}\n    velocity: [-v0, 0]\n    reduce: {modes: 2}\n"
                     "    probes: {end: [1, 0]}\n") "contacts:\n  wall: {kind: surface, between: [bar.left, "
                                                    "{point: [-0.01, 0], normal: [1, 0]}],\n"
                                                    "         normal: {stiffness: 0.5}}\n"
                                                    "simulate: {time: [0, 2]}\n");
        slip_model *model = NULL;
        good(slip_model_parse(ctx, text, "m.yaml", (const char *const[]){k == 0 ? "E=1e3" : "E=1e5", NULL},
                              &model));
        slip_result *result = run(model, ways[k == 0 ? 0 : k - 1]);
        const double off = fabs(last_of(result, "bar.end.x") / far - 1);
        print_message("%s: off by %.2e, energy %.1e\n", ways[k == 0 ? 0 : k - 1].method, off,
                      slip_result_number(result, "energy.balance"));
        assert_true(fabs(slip_result_number(result, "energy.balance")) < ways[k == 0 ? 0 : k - 1].error);
        assert_true(k == 0 || off < 1e-3);
        if (k < 2)
            error[k] = off;
        assert_true(slip_result_event_count(result) == 4 &&
                    slip_result_event(result, 3)->to == SLIP_MODE_OPEN);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    assert_true(error[1] < 0.1 * error[0]);
}

/* A pad that is pressed on a belt by springs slides steadily from the start: they carry its load, with
 * friction in proportion, and a stiffer spring sinks in less, by just that. */
static void springs_carry_a_pad_on_a_belt(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        const bool solid = k == 2;
        char text[1500];
        double sum = 0, friction = 0;
        snprintf(
            text, sizeof text,
            "slipstick: 1\nbodies:\n  pad:\n    mesh: {block: {x: [0, 1], y: [0, 0.5], %s}}\n"
            "    material: {young: 100, poisson: 0, density: 1}\n    fix: {top: %s}\n"
            "    tractions: {top: %s}\n    reduce: {modes: 4}\n    damping: {ratio: 0.05}\n"
            "contacts:\n  belt: {kind: surface, between: [pad.bottom, %s],\n"
            "         velocity: %s, law: {type: coulomb, mu: 0.1}, normal: {stiffness: %s, exponent: %d, "
            "damping: 0.1}}\n"
            "simulate: {method: %s, time: [0, 0.1], step: 1e-3, initial: static}\n",
            solid ? "z: [0, 0.3], elements: [2, 1, 1]" : "elements: [4, 2]", solid ? "xy" : "x",
            solid ? "[0, 0, -1]" : "[0, -1]",
            solid ? "{point: [0, 0, 0], normal: [0, 0, 1]}" : "{point: [0, 0], normal: [0, 1]}",
            solid ? "[0.2, 0, 0]" : "0.2", k == 1 ? "1e4" : "100", k == 1 ? 2 : 1,
            k == 0 ? "event" : "moreau");
        slip_model *model = parse(text);
        slip_result *result = run_as_said(model);
        for (int i = 1; i <= (solid ? 6 : 5); i++) {
            char name[40];
            snprintf(name, sizeof name, "belt[%d].normal", i);
            sum += last_of(result, name);
            snprintf(name, sizeof name, solid ? "belt[%d].force_x" : "belt[%d].force", i);
            friction += last_of(result, name);
        }
        assert_close(sum, solid ? 0.5 : 1, 1e-6);
        assert_close(friction, 0.1 * sum, 1e-7);
        assert_int_equal(slip_result_event_count(result), 0);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* Points of two passes depend on each other, and how they share a force is not decided: a static solution is
 * found all the same. A run starts from it; where its first step shares friction in another way (rounding
 * decides how), it hardly moves. */
static void two_passes_start_at_rest(void **state)
{
    slip_model *model = parse(
        "slipstick: 1\nbodies:\n  upper:\n    mesh: {block: {x: [0, 1], y: [1, 2], elements: [6, 2]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: {top: x}\n"
        "    tractions: {top: [0, -1]}\n    reduce: {modes: 4}\n"
        "  lower:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: [8, 3]}}\n"
        "    material: {young: 100, poisson: 0.3, density: 1}\n    fix: [bottom]\n    reduce: {modes: 4}\n"
        "contacts:\n  joint: {kind: surface, between: [upper.bottom, lower.top], passes: 2,\n"
        "          law: {type: coulomb, mu: 0.3}}\n"
        "simulate: {method: moreau, step: 1e-3, time: [0, 0.02], initial: static}\n");
    slip_result *result = run_as_said(model);
    double sum = 0;
    (void)state;
    for (int i = 1; i <= 16; i++) {
        char name[40];
        snprintf(name, sizeof name, "joint[%d].normal", i);
        sum += last_of(result, name);
    }
    assert_close(sum, 1, 5e-3);
    assert_true(slip_result_number(result, "energy.kinetic_end") <
                1e-5 * slip_result_number(result, "energy.potential_end"));
    slip_result_destroy(result);
    slip_model_destroy(model);
}

#define ONE(material, more, tail)                                                                            \
    "slipstick: 1\nparameters: {q: 1}\nbodies:\n  a:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: "   \
    "[2, "                                                                                                   \
    "2]}}\n    material: {" material "}\n" more tail "simulate: {time: [0, 1]}\n"
#define STEEL "young: 1, poisson: 0.3, density: 1"

static void mistakes_are_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {ONE("young: 1, poisson: 0.3", "", ""), "m.yaml:6:15: material: `density` is missing"},
        {ONE("young: 1, poisson: 0.3, density: 0", "", ""),
         "m.yaml:6:49: density: found 0, expected more than 0"},
        {ONE(STEEL, "    reduce: {modes: 100}\n", ""),
         "body `a`: 100 modes are asked for, but there are only 18"},
        {ONE(STEEL, "    reduce: {contact: none}\n", ""), "reduce: `modes` is missing"},
        {ONE(STEEL, "    reduce: {modes: 3, contact: loose}\n", ""), "reduce: contact: unknown word `loose`"},
        {ONE(STEEL, "    reduce: {modes: 3, contact: switch}\n", ""),
         "m.yaml:7:33: reduce: contact: `switch` is of gears, whose flanks roll over ever other nodes"},
        {ONE(STEEL, "    body_force: [sin(x + t), 0]\n", ""),
         "load `sin(x + t)` is no product of a function of the place"},
        {ONE(STEEL, "    velocity: [t, 0]\n", ""), "velocity: unknown name `t`"},
        {ONE(STEEL, "    damping: {ratio: -1}\n", ""), "damping: ratio: found -1, expected at least 0"},
        {ONE(STEEL, "    probes: [tip]\n", ""), "probes: found a list"},
        {ONE(STEEL, "    probes: {tip: [500, 0]}\n", ""), "m.yaml:7:13: probes: `tip` is 49"},
        {ONE(STEEL, "", "energy: {kinetic: 1}\n"), "found `energy` in a model with bodies"},
        {ONE(STEEL, "", "coordinates: [a_3]\nmass: [[1]]\n"), "coordinate `a_3` is one of body `a`"},
        {ONE(STEEL, "",
             "contacts: {c: {kind: surface, between: [a.bottom, {point: [0, 0], normal: [0, 1]}], "
             "velocity: a_1, law: {type: coulomb, mu: 1}}}\n"),
         "velocity: found `a_1`, expected an expression of t and the parameters"},
        {ONE(STEEL, "",
             "contacts: {c: {kind: surface, between: [a.bottom, {point: [0, 0], normal: [0, 1]}], "
             "restitution: 1, normal: {stiffness: 1}}}\n"),
         "found `restitution` beside `normal`"},
        {ONE(STEEL, "",
             "contacts: {c: {kind: surface, between: [a.bottom, {point: [0, 0], normal: [0, 1]}], "
             "normal: {stiffness: -1}}}\n"),
         "normal: stiffness: found -1, expected more than 0"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        refuse_with(cases[k].text, NULL, cases[k].part);

    /* an overlap at the start */
    slip_model *model = parse(
        ONE(STEEL, "",
            "contacts: {c: {kind: surface, between: [a.bottom, {point: [0, 0.1], normal: [0, 1]}]}}\n"));
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = "moreau";
    options.step = 0.01;
    assert_true(slip_run(ctx, model, &options, &result) < 0);
    expect_message("",
                   "contact `c[1]`: its gap is -0.1 in the initial state, at t = 0; expected 0 (closed) or "
                   "more (open): begin with `initial: static`");
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_are_those_of_the_elements),
        cmocka_unit_test(loose_bodies_have_rigid_motions),
        cmocka_unit_test(static_flexibility_is_kept),
        cmocka_unit_test(truncation_falls_with_the_modes),
        cmocka_unit_test(a_bar_hits_a_wall),
        cmocka_unit_test(several_nodes_hit_a_wall_by_event),
        cmocka_unit_test(many_nodes_let_go_at_once),
        cmocka_unit_test(a_stiff_block_slides_as_a_rigid_one),
        cmocka_unit_test_of_numbers(a_rattling_block_slides_as_a_rigid_one),
        cmocka_unit_test(a_bar_bounces_on_springs),
        cmocka_unit_test(springs_carry_a_pad_on_a_belt),
        cmocka_unit_test(two_passes_start_at_rest),
        cmocka_unit_test(loads_may_depend_on_time),
        cmocka_unit_test(values_reach_the_bodies),
        cmocka_unit_test(bodies_stand_beside_coordinates),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
