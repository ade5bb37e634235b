/* Shifts of the coordinates that a system does not see, found from its expressions; and motions that turn,
 * against closed forms, differences and single runs. */
#include "motion_test.h"
#include "slipstick/slipstick.h"
#include "study/basin/basin.h"

static const double pi = 3.14159265358979323846;

static slip_symmetry *symmetry_of(const char *text)
{
    slip_model *model = parse(text);
    slip_symmetry *y = NULL;
    good(slip_basin_symmetry(ctx, model, NULL, &y));
    slip_model_destroy(model);
    return y;
}

/* ---- The group. */

#define THREE                                                                                                \
    "slipstick: 1\nparameters: {k: 7, i: 0.782608695652173913, L: 0.3}\ncoordinates: [x, y, z]\n"            \
    "mass: [[2, 0, 0], [0, 1, 0], [0, 0, 3]]\n"

/* Numbers of free vectors and turns; then the turns, as long as they are not zeros, times 2 pi. */
static void groups_in_closed_form(void **state)
{
    static const struct {
        const char *text;
        int free, turns;
        double shift[2][3];
    } cases[] = {
        {"forces: {x: -x, y: -y, z: -z}\n", 0, 0, {{0}}},
        {"forces: {x: -x, z: -z}\n", 1, 0, {{0}}},
        {"forces: {x: -sin(x), y: -y, z: -z}\n", 0, 1, {{1, 0, 0}}},
        {"forces: {x: 'cos(x - 3*t)*x''', y: -y, z: -z}\n", 0, 1, {{1, 0, 0}}},
        {"forces: {x: cos(2*x) + sin(3*x), y: -y, z: -z}\n", 0, 1, {{1, 0, 0}}},
        {"forces: {x: cos(2*x), y: -y, z: -z}\n", 0, 1, {{0.5, 0, 0}}},
        {"forces: {x: cos(x)*cos(sqrt(2)*x), y: -y, z: -z}\n", 0, 0, {{0}}},
        {"forces: {x: cos(x) + cos(k/5*x), y: -y, z: -z}\n", 0, 1, {{5, 0, 0}}},
        {"forces: {x: sin(x) + cos(i*x), y: -y, z: -z}\n", 0, 1, {{23, 0, 0}}}, /* i = 18/23 */
        {"forces: {x: 'mod(x, 4*pi)', y: -y, z: -z}\n", 0, 1, {{2, 0, 0}}},
        {"forces: {x: tan(x), y: -y, z: -z}\n", 0, 1, {{0.5, 0, 0}}},
        {"forces: {x: 'x - floor(x)', y: -y, z: -z}\n", 0, 1, {{0.5 / 3.14159265358979323846, 0, 0}}},
        {"forces: {x: 'max(x, x + sin(x)) - x', y: -y, z: -z}\n", 0, 1, {{1, 0, 0}}},
        {"forces: {x: 'if(sin(x) > 0, 1, cos(2*x))', y: -y, z: -z}\n", 0, 1, {{1, 0, 0}}},
        {"forces: {x: 'step(x)', y: -y, z: -z}\n", 0, 0, {{0}}},
        {"forces: {x: 't*x', y: -y, z: -z}\n", 0, 0, {{0}}},
        {"forces: {x: 'sin(x*t)', y: -y, z: -z}\n", 0, 0, {{0}}},
        {"springs: [{between: [x, y], stiffness: k}, {between: [y, z], stiffness: 0.1*k}]\n", 1, 0, {{0}}},
        {"springs: [{between: [x, y], stiffness: k}, {between: [y, z], stiffness: 0.1*k}]\n"
         "forces: {y: -sin(y)}\n",
         0,
         1,
         {{1, 1, 1}}},
        {"springs: [{between: [x, y], stiffness: k}]\nforces: {y: 'x''*y'' - 2*t'}\n", 2, 0, {{0}}},
        {"forces: {x: -sin(x - 2*y), y: 2*sin(x - 2*y), z: -z}\n", 1, 1, {{0}}},
        {"forces: {x: -sin(x), y: -sin(y), z: -z + cos((x + y)/2)}\n", 0, 2, {{0}}},
        {"forces: {z: -z}\ncontacts: {c: {kind: friction, slip: \"x' - y'\", normal_force: 2 + cos(x - y), "
         "law: {type: coulomb, mu: 0.2}}}\n",
         1,
         1,
         {{0}}},
        {"forces: {z: -z}\ncontacts: {c: {kind: unilateral, gap: 1 - x, restitution: 0.5}}\n", 1, 0, {{0}}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text, THREE "%s", cases[k].text);
        slip_symmetry *y = symmetry_of(text);
        if (y->free != cases[k].free || y->count - y->free != cases[k].turns)
            fail_msg("%s: found %d and %d", cases[k].text, y->free, y->count - y->free);
        for (int turn = 0; turn < cases[k].turns && cases[k].shift[0][0] != 0; turn++)
            for (int i = 0; i < 3; i++)
                near(fabs(y->shift[(y->free + turn) * 3 + i]), 2 * pi * cases[k].shift[turn][i], 1e-13,
                     cases[k].text);
        slip_symmetry_destroy(y);
    }
}

/* An energy of two angles, of which the mass matrix depends on one difference; and on nothing but
 * differences.
 */
static void symmetries_of_energies(void **state)
{
    (void)state;
    slip_symmetry *y = symmetry_of("slipstick: 1\ncoordinates: [a, b]\nenergy: {kinetic: \"a'^2 + b'^2/2 + "
                                   "a'*b'*cos(a - b)\", potential: "
                                   "\"-2*cos(a) - cos(b)\"}\n");
    assert_true(y->free == 0 && y->count == 2);
    near(slip_symmetry_bound(y, 0, 100) * slip_symmetry_bound(y, 1, 100), pi * pi, 1e-12, "extents");
    slip_symmetry_destroy(y);
    y = symmetry_of("slipstick: 1\ncoordinates: [a, b]\nenergy: {kinetic: \"a'^2 + b'^2/2 + a'*b'*cos(a - "
                    "b)\", potential: \"-cos(a - b)\"}\n");
    assert_true(y->free == 1 && y->count == 2);
    double q[2] = {1000, 1000 + 2 * pi + 0.25};
    slip_symmetry_reduce(y, q);
    assert_true(q[0] == 0);
    near(q[1], 0.25, 1e-12, "difference");
    slip_symmetry_destroy(y);
}

/* Random expressions: shifts of the group change none of their values. */
static uint64_t seed;
static int any(int count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed >> 33) % (uint64_t)count);
}
static void write_random(slip_text *text, int depth)
{
    static const char *const leaves[] = {"x", "y", "z", "2", "0.5", "3", "t", "x'"},
                             *const one[] = {"sin", "cos", "tan", "abs", "floor", "exp", "sign", "ceil"},
                             *const two[] = {"+", "-", "*", "/", "<", ">="},
                             *const calls[] = {"min", "max", "mod", "hypot"};
    const int kind = depth == 0 ? 0 : any(8);
    if (kind == 0) {
        slip_text_append(text, leaves[any(8)]);
    } else if (kind < 4) {
        slip_text_printf(text, "%s(", one[any(kind == 1 ? 2 : 8)]);
        write_random(text, depth - 1);
        slip_text_append(text, ")");
    } else if (kind < 7) {
        slip_text_append(text, "(");
        write_random(text, depth - 1);
        slip_text_append(text, two[any(kind == 4 ? 6 : 2)]);
        write_random(text, depth - 1);
        slip_text_append(text, ")");
    } else {
        slip_text_printf(text, "%s(", calls[any(4)]);
        write_random(text, depth - 1);
        slip_text_append(text, ", ");
        write_random(text, depth - 1);
        slip_text_append(text, ")");
    }
}
static void shifts_change_no_random_expression(void **state)
{
    int turning = 0, drifting = 0;
    (void)state;
    seed = 18;
    for (int k = 0; k < 4000; k++) {
        slip_text text = {0}, force = {0};
        slip_model *model = NULL;
        slip_symmetry *y = NULL;
        write_random(&force, 1 + any(5));
        slip_text_printf(&text, THREE "forces: {x: \"%s\"}\n", force.data);
        if (slip_model_parse(ctx, text.data, "m.yaml", NULL, &model) >= 0) {
            good(slip_basin_symmetry(ctx, model, NULL, &y));
            const slip_expression *e = model->system->forces ? model->system->forces[0].expression : NULL;
            double slots[20], scratch[2000];
            turning += y->count > y->free;
            drifting += y->free > 0;
            for (int j = 0; j < 20 && e && slip_expression_scratch(e) < 2000; j++) {
                for (int i = 0; i < 20; i++)
                    slots[i] = 0.0137 * any(1000) - 6.3;
                const double before = slip_expression_value(e, slots, scratch),
                             size = slip_expression_size(e, slots, scratch);
                for (int v = 0; v < y->count; v++) {
                    const double times = v < y->free ? 0.37 * any(9) - 1.4 : any(7) - 3;
                    for (int i = 0; i < 3; i++)
                        slots[slip_slot_coordinate(i)] += times * y->shift[v * 3 + i];
                }
                const double after = slip_expression_value(e, slots, scratch);
                /* next to a jump rounding decides; such places are few, and moved away from by the offset */
                if (isfinite(before) && isfinite(after) && !(fabs(after - before) <= 1e-9 * (1 + size)))
                    fail_msg("%s: %.17g and %.17g", force.data, before, after);
            }
        } else {
            slip_context_clear(ctx);
        }
        slip_symmetry_destroy(y);
        slip_model_destroy(model);
        slip_text_free(&text);
        slip_text_free(&force);
    }
    assert_true(turning > 200 && drifting > 200);
}

/* ---- A pendulum under a constant torque, with a damper and dry friction in its hinge. */

#define WHIRL                                                                                                \
    "slipstick: 1\nparameters: {T: 0.5, c: 0.2, mu: 0.05}\ncoordinates: [x]\nmass: [[1]]\n"                  \
    "damping: [[c]]\nforces: {x: T - sin(x)}\ncontacts: {hinge: {kind: friction, slip: \"x'\", "             \
    "normal_force: 1, law: {type: coulomb, mu: mu}}}\n"

/* While it turns one way, the velocity as a function of the angle obeys v dv/dx = T - mu - sin x - c v. After
 * some turns of Runge and Kutta's steps that is periodic; its period is the integral of 1/v. */
static double slope(double x, double v)
{
    return (0.5 - 0.05 - sin(x)) / v - 0.2;
}
static double whirl_period(double *fastest)
{
    const int steps = 20000;
    const double h = 2 * pi / steps;
    double v = 2, time = 0;
    for (int turn = 0; turn < 40; turn++) {
        time = *fastest = 0;
        for (int k = 0; k < steps; k++) {
            const double x = k * h, a = slope(x, v), b = slope(x + h / 2, v + h / 2 * a),
                         c = slope(x + h / 2, v + h / 2 * b), d = slope(x + h, v + h * c),
                         next = v + h / 6 * (a + 2 * b + 2 * c + d);
            /* Simpson's rule; in the middle by Hermite's cubic */
            const double middle = 0.5 * (v + next) + h / 8 * (a - slope(x + h, next));
            time += h / 6 * (1 / v + 4 / middle + 1 / next);
            v = next;
            *fastest = fmax(*fastest, v);
        }
    }
    return time;
}

static void a_whirl_is_a_cycle(void **state)
{
    slip_model *model = parse(WHIRL "simulate: {time: [0, 100], initial: {x: 0, \"x'\": 2}}\norbit: {period: "
                                    "auto, tolerance: 1e-12}\n");
    slip_result *orbit = NULL;
    double fastest;
    const double period = whirl_period(&fastest);
    (void)state;
    good(slip_orbit_find(ctx, model, NULL, &orbit));
    near(slip_result_number(orbit, "period"), period, 1e-9, "period");
    const double *real = slip_result_series(orbit, "multipliers.real", NULL);
    near(real[0], 1, 1e-8, "multiplier along the motion");
    near(real[1], exp(-0.2 * period), 1e-9, "multiplier: damping alone");
    assert_string_equal(slip_result_text(orbit, "signature"), "hinge slip+");
    slip_result_destroy(orbit);
    slip_model_destroy(model);
}

static const double *series(const slip_result *result, const char *name)
{
    const double *values = slip_result_series(result, name, NULL);
    if (!values)
        fail_msg("no series %s", name);
    return values;
}

/* Where a single run ends up: 1: it turns for ever, 0: it has stopped. */
static int ends_turning(slip_context *c, const slip_model *model, double x, double v)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    good(slip_simulation_open(c, model, NULL, &options, &s));
    good(slip_simulation_set_state(c, s, 0, &x, &v));
    good(slip_simulation_advance(c, s, 150));
    const double before = slip_simulation_number(s, "x");
    good(slip_simulation_advance(c, s, 200));
    const double after = slip_simulation_number(s, "x");
    slip_simulation_close(s);
    return fabs(after - before) > 2 * pi;
}

/* Rest in one of two bands about the two points at which the torques cancel, each with a name of its own. */
static void expect_band(const slip_result *result, int k, double torque, double friction)
{
    const double *x = series(result, "end.x");
    assert_true(fabs(torque) <= friction + 1e-9);
    for (int other = 0; other < k; other++)
        if (strcmp(slip_result_word(result, "kind", other), "stick set") == 0)
            assert_true((cos(x[other]) * cos(x[k]) > 0) ==
                        (strcmp(slip_result_word(result, "attractor", other),
                                slip_result_word(result, "attractor", k)) == 0));
}

static void a_basin_of_whirls(void **state)
{
    slip_model *model = parse(WHIRL "simulate: {time: [0, 100]}\n");
    const slip_axis axes[] = {{.name = "x", .from = -3, .to = 9.1, .count = 13},
                              {.name = "x'", .from = -2.2, .to = 3, .count = 9}};
    slip_basin_options options = slip_basin_options_default();
    slip_result *result = NULL;
    double fastest, turning = 0;
    const double period = whirl_period(&fastest);
    (void)state;
    options.axes = axes;
    options.axis_count = 2;
    options.section = "x"; /* which has no maxima while it turns */
    good(slip_basin(ctx, model, &options, &result));
    assert_int_equal(slip_result_number(result, "attractors"), 3);
    slip_result_destroy(result);
    options.section = NULL;
    good(slip_basin(ctx, model, &options, &result));
    assert_int_equal(slip_result_number(result, "attractors"), 3); /* two bands of rest, about sin x = T */
    for (int k = 0; k < 13 * 9; k++) {
        const double x = series(result, "x")[k], v = series(result, "x'")[k];
        const char *kind = slip_result_word(result, "kind", k);
        const int turns = ends_turning(ctx, model, x, v);
        turning += turns;
        if (strcmp(kind, turns ? "cycle" : "stick set") != 0)
            fail_msg("from %g, %g: %s", x, v, kind);
        if (turns)
            near(series(result, "period")[k], period, 1e-5, "period");
        else
            expect_band(result, k, sin(series(result, "end.x")[k]) - 0.5, 0.05);
    }
    assert_true(turning > 20 && turning < 97);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- The same under a load that comes and goes: motions that turn and such that do not. */

#define DRIVEN                                                                                               \
    "slipstick: 1\nparameters: {w: 2/3, A: 1.36, c: 0.5, mu: 0.02, v: 0}\ncoordinates: [x]\n"                \
    "mass: [[1]]\ndamping: [[c]]\nforces: {x: A*cos(w*t) - sin(x)}\ncontacts: {hinge: {kind: "               \
    "friction, slip: \"x'\", normal_force: 1, law: {type: coulomb, mu: mu}}}\n"                              \
    "simulate: {time: [0, 300], initial: {x: 0, \"x'\": v}, tolerance: 1e-10}\n"

/* Of what has settled: by how much x grows in a period, in turns. */
static int turns_of(const slip_model *model, double x, double v, double *end)
{
    const double period = 3 * pi;
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    good(slip_simulation_open(ctx, model, NULL, &options, &s));
    good(slip_simulation_set_state(ctx, s, 0, &x, &v));
    good(slip_simulation_advance(ctx, s, 100 * period));
    const double before = slip_simulation_number(s, "x");
    good(slip_simulation_advance(ctx, s, 101 * period));
    const double turns = (slip_simulation_number(s, "x") - before) / (2 * pi);
    *end = slip_simulation_number(s, "x'");
    slip_simulation_close(s);
    near(turns, rint(turns), 1e-6, "turns");
    return (int)rint(turns);
}

/* Errors of steps do not grow with the angle: of 15 starts one was undecided after a thousand turns, while
 * its period told it from those about it. */
static void turns_that_take_long(void **state)
{
    slip_model *model = parse("slipstick: 1\nparameters: {w: 2.35}\ncoordinates: [x]\nmass: [[1]]\n"
                              "damping: [[0.028]]\nforces: {x: 0.074 + 0.65*cos(w*t) - sin(x)}\n"
                              "contacts: {hinge: {kind: friction, slip: \"x'\", normal_force: 1, "
                              "law: {type: coulomb, mu: 0.034}}}\nsimulate: {time: [0, 300]}\n"
                              "basin: {period: 2*pi/w}\n");
    const slip_axis axes[] = {{.name = "x", .from = -3, .to = 3, .count = 3},
                              {.name = "x'", .from = -2, .to = 6, .count = 5}};
    slip_basin_options options = slip_basin_options_default();
    slip_result *result = NULL;
    int twice = 0, turning = 0;
    (void)state;
    options.axes = axes;
    options.axis_count = 2;
    good(slip_basin(ctx, model, &options, &result));
    for (int k = 0; k < 15; k++) {
        assert_string_equal(slip_result_word(result, "kind", k), "cycle");
        twice += series(result, "multiple")[k] == 2;
        turning += strcmp(slip_result_word(result, "signature", k), "hinge slip+") == 0;
    }
    assert_int_equal(twice, 1);
    assert_int_equal(turning, 2);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void basins_of_driven_motions(void **state)
{
    slip_model *model = parse(DRIVEN "basin: {period: 2*pi/w}\n");
    const slip_axis axes[] = {{.name = "x", .from = -3, .to = 9.1, .count = 9},
                              {.name = "x'", .from = -2, .to = 2, .count = 5}};
    slip_basin_options options = slip_basin_options_default();
    slip_result *result = NULL, *together = NULL;
    int forward = 0, backward = 0;
    double v_of[3] = {NAN, NAN, NAN};
    (void)state;
    options.axes = axes;
    options.axis_count = 2;
    good(slip_basin(ctx, model, &options, &result));
    options.device = "cpu";
    good(slip_basin(ctx, model, &options, &together));
    assert_int_equal(slip_result_number(result, "attractors"), 2);
    assert_int_equal(slip_result_number(together, "together"), 45);
    for (int k = 0; k < 45; k++) {
        double v;
        const int turns = turns_of(model, series(result, "x")[k], series(result, "x'")[k], &v);
        assert_true(abs(turns) == 1);
        forward += turns > 0;
        backward += turns < 0;
        v_of[1 + turns] = isnan(v_of[1 + turns]) ? series(result, "end.x'")[k] : v_of[1 + turns];
        near(series(result, "end.x'")[k], v, 1e-5, "velocity at the end");
        near(series(result, "end.x'")[k], v_of[1 + turns], 1e-4, "the same attractor");
        near(series(together, "end.x'")[k], v, 1e-5, "velocity at the end, side by side");
        assert_string_equal(slip_result_word(result, "attractor", k),
                            slip_result_word(together, "attractor", k));
    }
    assert_true(forward > 5 && backward > 5);
    slip_result_destroy(result);
    slip_result_destroy(together);
    slip_model_destroy(model);
}

/* State after a period, from a state. */
static void map(const slip_model *model, const double *from, double *to)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    good(slip_simulation_open(ctx, model, NULL, &options, &s));
    good(slip_simulation_set_state(ctx, s, 0, from, from + 1));
    good(slip_simulation_advance(ctx, s, 3 * pi));
    to[0] = slip_simulation_number(s, "x");
    to[1] = slip_simulation_number(s, "x'");
    slip_simulation_close(s);
}

/* Trace and determinant of the derivative of the map, by central differences; steady runs and diagrams find
 * the same motion. */
static void orbits_of_driven_motions(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        char v[40];
        snprintf(v, sizeof v, "v=%d", 2 * side);
        const char *const settings[] = {v, NULL};
        slip_model *model = parse_with(DRIVEN "orbit: {period: 2*pi/w}\n", settings);
        slip_result *orbit = NULL, *run = NULL, *diagram = NULL;
        double jacobian[2][2], x[2], ahead[2], back[2];
        good(slip_orbit_find(ctx, model, NULL, &orbit));
        x[0] = series(orbit, "x")[0];
        x[1] = series(orbit, "x'")[0];
        assert_true(fabs(x[0]) <= pi * (1 + 1e-9));
        for (int j = 0; j < 2; j++) {
            const double h = 1e-5;
            double from[2] = {x[0], x[1]};
            from[j] += h;
            map(model, from, ahead);
            from[j] -= 2 * h;
            map(model, from, back);
            for (int i = 0; i < 2; i++)
                jacobian[i][j] = (ahead[i] - back[i]) / (2 * h);
        }
        map(model, x, ahead);
        near(fabs(ahead[0] - x[0]), 2 * pi, 1e-8, "a turn in each period");
        near(ahead[1], x[1], 1e-8, "velocity repeats");
        const double *real = series(orbit, "multipliers.real");
        near(real[0] + real[1], jacobian[0][0] + jacobian[1][1], 1e-6, "trace");
        near(real[0] * real[1], jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0], 1e-6,
             "determinant");

        slip_run_options options = slip_run_options_default();
        options.steady_period = 3 * pi;
        options.steady_tolerance = 1e-8;
        options.steady_within = 400;
        good(slip_run(ctx, model, &options, &run));
        assert_true(slip_result_number(run, "steady.settled") == 1);
        int64_t count;
        const double *speed = slip_result_series(run, "x'", &count);
        near(speed[count - 1], x[1], 1e-6, "steady velocity");

        const slip_axis axis = {.name = "A", .from = 1.36, .to = 1.37, .count = 2};
        slip_bifurcation_options how = slip_bifurcation_options_default();
        how.axis = &axis;
        how.period = "2*pi/w";
        for (how.carry = 0; how.carry < 2; how.carry++) {
            good(slip_bifurcation(ctx, model, &how, &diagram));
            assert_true(series(diagram, "values.multiple")[0] == 1);
            near(remainder(series(diagram, "x")[0] - x[0], 2 * pi), 0, 1e-5, "point");
            assert_true(fabs(series(diagram, "x")[0]) <= pi * (1 + 1e-9));
            near(series(diagram, "x'")[0], x[1], 1e-5, "point");
            slip_result_destroy(diagram);
        }
        slip_result_destroy(orbit);
        slip_result_destroy(run);
        slip_model_destroy(model);
    }
}

/* A body with a damper under a load that has a mean drifts with F/c; around that the damper and the mass give
 * amplitude and lag. */
static void fundamental_of_a_drift(void **state)
{
    slip_model *model = parse("slipstick: 1\nparameters: {w: 1.7}\ncoordinates: [x]\nmass: [[1]]\ndamping: "
                              "[[0.3]]\nforces: {x: 0.9 + sin(w*t)}\nsimulate: {time: [0.4, 9], initial: {x: "
                              "5}, steady: {period: 2*pi/w, within: 400}}\n");
    slip_result *run = NULL;
    const double w = 1.7, c = 0.3;
    int64_t count;
    (void)state;
    good(slip_run(ctx, model, NULL, &run));
    const double *v = slip_result_series(run, "x'", &count), *t = series(run, "t");
    near(v[count - 1], 0.9 / c + sin(w * t[count - 1] - atan2(w, c)) / hypot(w, c), 1e-7, "velocity");
    near(slip_result_number(run, "steady.amplitude.x"), 1 / (w * hypot(w, c)), 1e-7, "amplitude");
    near(slip_result_number(run, "steady.phase_lag.x"), atan2(w, c) + pi / 2, 1e-7, "lag");
    slip_result_destroy(run);
    slip_model_destroy(model);
}

/* ---- Two discs on a shaft that drift away together: what is between them repeats, as that of one
 * coordinate, the difference, alone. */

static void discs_drift_together(void **state)
{
    slip_model *discs =
                   parse("slipstick: 1\nparameters: {w: 1.3}\ncoordinates: [a, b]\nmass: [[1, 0], [0, "
                         "1]]\nsprings: [{between: [a, b], stiffness: 2, damping: 0.1}]\nforces: {a: "
                         "cos(w*t) + 0.001*sin(b - a), b: -cos(w*t) - 0.001*sin(b - a)}\n"
                         "simulate: {time: [0, 60], initial: {\"a'\": 0.7, \"b'\": 0.7}}\norbit: {period: "
                         "2*pi/w, tolerance: 1e-12}\nbasin: {period: 2*pi/w}\n"),
               *one = parse(
                   "slipstick: 1\nparameters: {w: 1.3}\ncoordinates: [d]\nmass: [[0.5]]\nstiffness: "
                   "[[2]]\ndamping: [[0.1]]\nforces: {d: cos(w*t) - 0.001*sin(d)}\nsimulate: {time: [0, "
                   "60]}\norbit: {period: 2*pi/w, tolerance: 1e-12}\n");
    slip_result *both = NULL, *single = NULL, *ends = NULL;
    (void)state;
    good(slip_orbit_find(ctx, discs, NULL, &both));
    good(slip_orbit_find(ctx, one, NULL, &single));
    near(series(both, "a")[0] - series(both, "b")[0], series(single, "d")[0], 1e-9, "difference");
    const double *pair = series(both, "multipliers.real"), *alone = series(single, "multipliers.real");
    near(pair[0], 1, 1e-9, "the common velocity stays");
    near(pair[1], alone[0], 1e-9, "multiplier");
    near(fabs(series(both, "multipliers.imaginary")[1]), fabs(series(single, "multipliers.imaginary")[0]),
         1e-9, "multiplier");
    near(pair[3], 0, 1e-12, "the common angle is put back");
    const slip_axis axis = {.name = "a", .from = -1, .to = 1, .count = 3};
    slip_basin_options options = slip_basin_options_default();
    options.axes = &axis;
    options.axis_count = 1;
    good(slip_basin(ctx, discs, &options, &ends));
    assert_int_equal(slip_result_number(ends, "attractors"), 1);
    assert_string_equal(slip_result_word(ends, "attractor", 0), "cycle 1");
    assert_true(series(ends, "end.a")[1] == 0);
    slip_result_destroy(ends);
    slip_result_destroy(both);
    slip_result_destroy(single);
    slip_model_destroy(discs);
    slip_model_destroy(one);
}

/* A pendulum whose angle counts from the upright comes to rest at pi from both sides, and after any turns:
 * one equilibrium. With friction it stops in one band around that. */
static void rest_on_both_sides_of_half_a_turn(void **state)
{
    static const char *const hinges[] = {"", "contacts: {hinge: {kind: friction, slip: \"x'\", normal_force: "
                                             "1, law: {type: coulomb, mu: 0.2}}}\n"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.3]]\nforces: {x: sin(x)}\n%s"
                 "simulate: {time: [0, 60]}\n",
                 hinges[k]);
        slip_model *model = parse(text);
        const slip_axis axes[] = {{.name = "x", .from = 1.95, .to = 17, .count = 15},
                                  {.name = "x'", .from = -3, .to = 3.1, .count = 4}};
        slip_basin_options options = slip_basin_options_default();
        slip_result *result = NULL;
        options.axes = axes;
        options.axis_count = 2;
        good(slip_basin(ctx, model, &options, &result));
        for (int i = 0; i < 60; i++) {
            if (k > 0)
                expect_band(result, i, sin(series(result, "end.x")[i]), 0.2);
            else
                near(pi - fabs(series(result, "end.x")[i]), 0, 1e-4,
                     slip_result_word(result, "attractor", i));
        }
        assert_int_equal(slip_result_number(result, "attractors"), 1 + k);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* The stiffness that the model has, zero, lets x drift; that of the starts does not. All rest elsewhere. */
static void shifts_are_those_of_the_parameters_of_a_start(void **state)
{
    (void)state;
    slip_model *model = parse("slipstick: 1\nparameters: {k: 0, h: 1}\ncoordinates: [x]\nmass: [[1]]\n"
                              "damping: [[2]]\nforces: {x: h - k*x}\nsimulate: {time: [0, 30]}\n");
    const slip_axis axes[] = {{.name = "h", .from = 1, .to = 3, .count = 3},
                              {.name = "k", .from = 1, .to = 1.1, .count = 2},
                              {.name = "x", .from = -1, .to = 1, .count = 2}};
    for (int labels = 0; labels < 2; labels++) {
        slip_result *result = NULL;
        slip_basin_options options = slip_basin_options_default();
        options.axes = axes;
        options.axis_count = 3;
        options.labels = labels;
        good(slip_basin(ctx, model, &options, &result));
        assert_int_equal(slip_result_number(result, "attractors"), 6);
        for (int i = 0; i < 12 && !labels; i++)
            near(series(result, "end.x")[i], series(result, "h")[i] / series(result, "k")[i], 1e-5, "rest");
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

/* ---- Periods of loads. */

#define ONE "slipstick: 1\nparameters: {w: 1.7, v: 2.55}\ncoordinates: [x]\nmass: [[1]]\n"

static double period_of(const char *text)
{
    slip_model *model = parse(text), *bound = NULL;
    const slip_model *ready = NULL;
    double period = -1;
    good(slip_model_ready(ctx, model, NULL, &bound, &ready));
    good(slip_system_period(ctx, ready->system, &period));
    slip_model_destroy(bound);
    slip_model_destroy(model);
    return period;
}

/* 0: nothing changes with time; NAN: no period. */
static void periods_in_closed_form(void **state)
{
    static const struct {
        const char *text;
        double turns; /* the period in units of 2 pi */
    } cases[] = {
        {"forces: {x: -x}\n", 0},
        {"forces: {x: cos(w*t)}\n", 1 / 1.7},
        {"forces: {x: cos(-w*t + x)*x'}\n", 1 / 1.7},
        {"forces: {x: cos(w*t) + sin(3*w*t)}\n", 1 / 1.7},
        {"forces: {x: cos(2*w*t) + sin(3*w*t)}\n", 1 / 1.7},
        {"forces: {x: cos(w*t) + sin(v*t)}\n", 2 / 1.7},
        {"forces: {x: 'cos(w*t) + sin(sqrt(2)*w*t)'}\n", NAN},
        {"forces: {x: t}\n", NAN},
        {"forces: {x: cos(w*t^2)}\n", NAN},
        {"forces: {x: exp(-t)*cos(w*t)}\n", NAN},
        {"forces: {x: 'if(t < 3, 1, 0)'}\n", NAN},
        {"forces: {x: 'if(sin(t) > 0, 1, cos(2*x))'}\n", 1},
        {"forces: {x: 'mod(t, 4*pi)'}\n", 2},
        {"forces: {x: cos(t)}\ncontacts: {c: {kind: friction, slip: \"x' - sin(2*t/3)\", normal_force: 2 + "
         "cos(t/5), law: {type: coulomb, mu: 0.2}}}\n",
         15},
        {"contacts: {c: {kind: unilateral, gap: \"x + cos(4*t)\", restitution: 0.2}}\n", 0.25},
        {"states: {s: {rate: 'cos(t/2) - s', initial: 0}}\n", 2},
        {"inputs: {road: {points: [[0, 0], [1, 1], [2, 0]]}}\nforces: {x: road(t)}\n", NAN},
        {"inputs: {road: {points: [[0, 0], [1, 1], [2, 0]]}}\nforces: {x: 'road(mod(t, 2))'}\n",
         1 / 3.14159265358979323846}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500];
        snprintf(text, sizeof text, ONE "%s", cases[k].text);
        const double period = period_of(text), expected = 2 * pi * cases[k].turns;
        if (isnan(expected) ? !isnan(period) : !(fabs(period - expected) <= 1e-14 * expected))
            fail_msg("%s: the period is %.17g, expected %.17g", cases[k].text, period, expected);
    }
    assert_true(
        fabs(period_of("slipstick: 1\ncoordinates: [a]\nenergy: {kinetic: \"(2 + cos(3*t))*a'^2\"}\n") -
             2 * pi / 3) < 1e-14);
}

/* Studies without a period take that one. */
static void studies_find_the_period(void **state)
{
    static const char text[] = ONE "damping: [[0.3]]\nstiffness: [[1]]\n"
                                   "forces: {x: 2*cos(w*t) + 0.3*cos(v*t)}\nsimulate: {time: [0, 40]}\n";
    slip_model *model = parse(text);
    slip_orbit_options options = slip_orbit_options_default();
    slip_branch_options branch = slip_branch_options_default();
    slip_axis axis = {.name = "k", .from = 1, .to = 1.1, .count = 2};
    slip_result *found = NULL, *given = NULL;
    (void)state;
    good(slip_orbit_find(ctx, model, NULL, &found));
    options.period = "4*pi/w";
    good(slip_orbit_find(ctx, model, &options, &given));
    assert_true(slip_result_number(found, "period") == slip_result_number(given, "period"));
    assert_true(fabs(slip_result_number(found, "final.x") - slip_result_number(given, "final.x")) < 1e-12);
    slip_result_destroy(found);
    slip_result_destroy(given);
    found = NULL;
    /* over a frequency the period follows it; here both change, and only one: then there is none */
    axis = (slip_axis){.name = "v", .from = 2.55, .to = 2.6, .count = 2};
    branch.axis = &axis;
    assert_true(slip_branch_follow(ctx, model, &branch, &found) < 0);
    slip_result_destroy(found);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods_in_closed_form),
        cmocka_unit_test(studies_find_the_period),
        cmocka_unit_test(groups_in_closed_form),
        cmocka_unit_test(symmetries_of_energies),
        cmocka_unit_test(shifts_change_no_random_expression),
        cmocka_unit_test(a_whirl_is_a_cycle),
        cmocka_unit_test(a_basin_of_whirls),
        cmocka_unit_test(turns_that_take_long),
        cmocka_unit_test(basins_of_driven_motions),
        cmocka_unit_test(orbits_of_driven_motions),
        cmocka_unit_test(fundamental_of_a_drift),
        cmocka_unit_test(discs_drift_together),
        cmocka_unit_test(rest_on_both_sides_of_half_a_turn),
        cmocka_unit_test(shifts_are_those_of_the_parameters_of_a_start),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
