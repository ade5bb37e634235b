/* Eigenmodes of lumped models against closed forms: structures, states, energies, contacts that hold and
 * slide. */
#include "model_test.h"
#include "slipstick/modes.h"

#include <math.h>
#include <string.h>

static slip_result *solve_about(const char *text, const char *const *settings, const char *about)
{
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(text, settings);
    slip_result *result = NULL;
    options.about = about;
    if (slip_modes_solve(ctx, model, &options, &result) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(result);
    slip_model_destroy(model);
    return result;
}

static slip_result *solve(const char *text)
{
    return solve_about(text, NULL, NULL);
}

static double at(const slip_result *result, const char *series, int mode)
{
    int64_t count;
    const double *values = slip_result_series(result, series, &count);
    assert_non_null(values);
    assert_true(mode >= 1 && mode <= count);
    return values[mode - 1];
}

/* s of a mode (from 1 on). */
static void expect(const slip_result *result, int mode, double real, double imaginary, double tolerance)
{
    const double re = at(result, "real", mode), im = at(result, "imaginary", mode);
    if (!(hypot(re - real, im - imaginary) <= tolerance))
        print_error("mode %d: found %.17g %.17g, expected %.17g %.17g\n", mode, re, im, real, imaginary);
    assert_true(hypot(re - real, im - imaginary) <= tolerance);
    assert_close(at(result, "frequency", mode), im / (2 * acos(-1)), 1e-15 * fabs(im));
}

static void expect_count(const slip_result *result, int count)
{
    assert_int_equal((int)slip_result_number(result, "count"), count);
}

/* ---- Structures. */

/* A chain between walls: omega_k = 2 sin(k pi/2/(n + 1)), and shapes sin(k i pi/(n + 1)). */
static void chain(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\ncoordinates: [a, b, c, d]\n"
              "springs: [{between: [a, ground], stiffness: 1}, {between: [a, b], stiffness: 1},\n"
              "  {between: [b, c], stiffness: 1}, {between: [c, d], stiffness: 1}, {between: [d, "
              "ground], stiffness: 1}]\nmass: {diagonal: [1, 1, 1, 1]}\n");
    expect_count(r, 4);
    for (int k = 1; k <= 4; k++) {
        expect(r, k, 0, 2 * sin(k * acos(-1) / 10), 1e-14);
        assert_true(at(r, "real", k) == 0);
        const double *shape = slip_result_series(r, "shapes.real", NULL) + 4 * (k - 1),
                     *part = slip_result_series(r, "shapes.participation", NULL) + 4 * (k - 1);
        for (int i = 0; i < 4; i++) {
            const double s = sin(k * (i + 1) * acos(-1) / 5), s0 = sin(k * acos(-1) / 5);
            assert_close(fabs(shape[i] / shape[0]), fabs(s / s0), 1e-13);
            assert_close(part[i], s * s / 2.5, 1e-13);
        }
    }
    assert_non_null(strstr(slip_result_summary(ctx, r), "\"symmetric\": true"));
    slip_result_destroy(r);
}

static void damped_oscillator(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\ncoordinates: [x]\nmass: [[2]]\ndamping: [[0.4]]\nstiffness: [[50]]\n");
    const double w0 = 5, zeta = 0.4 / (2 * 2 * w0);
    expect_count(r, 1);
    expect(r, 1, -zeta * w0, w0 * sqrt(1 - zeta * zeta), 1e-14);
    assert_close(at(r, "damping_ratio", 1), zeta, 1e-15);
    slip_result_destroy(r);
    /* Overdamped: two real eigenvalues. */
    r = solve("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[5]]\nstiffness: [[4]]\n");
    expect_count(r, 2);
    expect(r, 1, -4, 0, 1e-14);
    expect(r, 2, -1, 0, 1e-14);
    slip_result_destroy(r);
}

/* A free body: zero to the last bit, also with damping between the masses, which makes the problem one of
 * first order. */
static void free_bodies(void **state)
{
    (void)state;
    static const char *const dampings[] = {"0", "0.3"};
    for (int k = 0; k < 2; k++) {
        char text[400];
        const double c = k * 0.3, w0 = sqrt(3.0 * 3 / 2), real = -c * 1.5 / 2;
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\n"
                 "springs: [{between: [x, y], stiffness: 3, damping: %s}]\n",
                 dampings[k]);
        slip_result *r = solve(text);
        expect_count(r, 2);
        expect(r, 1, 0, 0, 0);
        expect(r, 2, real, sqrt(w0 * w0 - real * real), 1e-14);
        assert_close(slip_result_series(r, "shapes.real", NULL)[0], 1, 1e-13);
        assert_close(slip_result_series(r, "shapes.real", NULL)[1], 1, 1e-13);
        slip_result_destroy(r);
    }
    /* A body that only a damper slows: it stays anywhere, and its velocity dies out. */
    slip_result *r = solve("slipstick: 1\ncoordinates: [x]\nmass: [[2]]\ndamping: [[1]]\n");
    expect_count(r, 2);
    expect(r, 1, -0.5, 0, 1e-15);
    expect(r, 2, 0, 0, 0);
    slip_result_destroy(r);
}

/* Loads of coordinates and velocities count: a negative spring, a damper, a force across. */
static void loads(void **state)
{
    (void)state;
    slip_result *r = solve("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
                           "forces: {x: -9*x - 0.2*x' + 0.1*y^2, y: -4*sin(y) - y'*x}\n"
                           "simulate: {time: [0, 1], initial: {x: 0, y: 0}}\n");
    expect_count(r, 2);
    expect(r, 1, 0, 2, 1e-14);
    expect(r, 2, -0.1, sqrt(9 - 0.01), 1e-14);
    slip_result_destroy(r);
}

/* A state of first order: an integral controller on a mass, s^3 + 3 s^2 + 2 s + ... by its roots. */
static void states(void **state)
{
    (void)state;
    /* x'' = -11 x - 6 x' - 6 z, z' = x: (s + 1)(s + 2)(s + 3). */
    slip_result *r = solve("slipstick: 1\ncoordinates: [x]\nstates: {z: {rate: x, initial: 0}}\nmass: [[1]]\n"
                           "forces: {x: -11*x - 6*x' - 6*z}\n");
    expect_count(r, 3);
    for (int k = 1; k <= 3; k++)
        expect(r, k, k - 4, 0, 1e-12);
    slip_result_destroy(r);
    /* A filter that nothing reads back. */
    r = solve("slipstick: 1\ncoordinates: [x]\nstates: {z: {rate: (x - z)/2, initial: 0}}\nmass: [[1]]\n"
              "stiffness: [[9]]\n");
    expect_count(r, 2);
    expect(r, 1, -0.5, 0, 1e-15);
    expect(r, 2, 0, 3, 1e-14);
    slip_result_destroy(r);
}

/* ---- Energies. */

static const char pendulum[] = "slipstick: 1\nparameters: {g: 9.81, l: 0.7, start: 0}\ncoordinates: [p]\n"
                               "energy: {kinetic: l^2*p'^2/2, potential: -g*l*cos(p)}\n"
                               "simulate: {time: [0, 1], initial: {p: start}}\n";

static void pendulum_both_ways(void **state)
{
    (void)state;
    const double w = sqrt(9.81 / 0.7);
    slip_result *r = solve(pendulum);
    expect_count(r, 1);
    expect(r, 1, 0, w, 1e-14);
    slip_result_destroy(r);
    const char *const up[] = {"start=pi", NULL};
    r = solve_about(pendulum, up, NULL);
    expect_count(r, 2);
    expect(r, 1, -w, 0, 1e-14);
    expect(r, 2, w, 0, 1e-14);
    assert_int_equal((int)slip_result_number(r, "unstable"), 1);
    slip_result_destroy(r);
}

/* A bead on a hoop that turns: at cos(p) = g/(R W^2) it swings with W sin(p). */
static void bead_on_hoop(void **state)
{
    (void)state;
    slip_result *r = solve("slipstick: 1\nparameters: {g: 9.81, R: 0.5, W: 8}\ncoordinates: [p]\n"
                           "energy: {kinetic: R^2*(p'^2 + W^2*sin(p)^2)/2, potential: -g*R*cos(p)}\n"
                           "simulate: {time: [0, 1], initial: {p: acos(g/(R*W^2))}}\n");
    const double c = 9.81 / (0.5 * 64);
    expect(r, 1, 0, 8 * sqrt(1 - c * c), 1e-13);
    slip_result_destroy(r);
}

/* Gyroscopic forces: a plane oscillator in a frame that turns has omega0 +- W. */
static void turning_frame(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\nparameters: {W: 0.3, k: 4}\ncoordinates: [x, y]\n"
              "energy: {kinetic: ((x' - W*y)^2 + (y' + W*x)^2)/2, potential: k*(x^2 + y^2)/2}\n");
    expect_count(r, 2);
    expect(r, 1, 0, 1.7, 1e-14);
    expect(r, 2, 0, 2.3, 1e-14);
    /* Circles: y is x a quarter of a turn later or earlier. */
    for (int k = 0; k < 2; k++) {
        const double *re = slip_result_series(r, "shapes.real", NULL) + 2 * k,
                     *im = slip_result_series(r, "shapes.imaginary", NULL) + 2 * k;
        assert_close(re[0] * re[1] + im[0] * im[1], 0, 1e-13);
        assert_close(hypot(re[0], im[0]), hypot(re[1], im[1]), 1e-13);
    }
    slip_result_destroy(r);
}

/* ---- Contacts that hold. */

static void sticks(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\n"
              "stiffness: [[3, -3], [-3, 5]]\n"
              "contacts: {pad: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: "
              "0.3}}}\n");
    expect_count(r, 1);
    expect(r, 1, 0, sqrt(2.5), 1e-14);
    assert_string_equal(slip_result_word(r, "contacts.doing", 0), "stick");
    /* The pad's force is what holds x: 3 times the amplitude of y. */
    assert_close(slip_result_series(r, "contacts.force", NULL)[0], 3, 1e-13);
    slip_result_destroy(r);
}

/* The same held twice: the forces are not unique, the motion is. */
static void held_twice(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 2]}\n"
              "stiffness: [[3, -3], [-3, 5]]\n"
              "contacts:\n  a: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.3}}\n"
              "  b: {kind: friction, slip: 2*x', normal_force: 1, law: {type: coulomb, mu: 0.3}}\n");
    expect_count(r, 1);
    expect(r, 1, 0, sqrt(2.5), 1e-13);
    slip_result_destroy(r);
}

/* A bead in a bowl, free of friction: the force of the bowl turns with it, and it swings like a pendulum. */
static void bead_in_bowl(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\nparameters: {g: 9.81, R: 0.4}\ncoordinates: [x, y]\nmass: {diagonal: "
              "[3, 3]}\nforces: {y: -3*g}\n"
              "contacts: {bowl: {kind: unilateral, gap: 'R - hypot(x, y)'}}\n"
              "simulate: {time: [0, 1], initial: {x: 0, y: -R}}\n");
    expect_count(r, 1);
    expect(r, 1, 0, sqrt(9.81 / 0.4), 1e-13);
    slip_result_destroy(r);
}

/* Friction of a rigid contact follows its normal force, which follows the motion: x'' = -(k + mu k12) x. */
static void rigid_sliding(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\nparameters: {mu: 0.6}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
              "stiffness: [[2, 1.5], [1.5, 7]]\nforces: {y: -4}\n"
              "contacts: {belt: {kind: unilateral, gap: y, slip: x' - 1, law: {type: coulomb, mu: mu}}}\n"
              "simulate: {time: [0, 1], initial: {x: (mu*4)/(2 - mu*1.5)}}\n");
    /* N = 4 + 1.5 x, and the friction is mu N: x'' = -(2 - 0.6*1.5) x. */
    expect_count(r, 1);
    expect(r, 1, 0, sqrt(2 - 0.6 * 1.5), 1e-14);
    assert_string_equal(slip_result_word(r, "contacts.doing", 0), "slip-");
    assert_non_null(strstr(slip_result_summary(ctx, r), "\"equilibrium\": true"));
    slip_result_destroy(r);
}

/* The slope of the law is damping; where friction falls with speed the motion grows. */
static void falling_friction(void **state)
{
    (void)state;
    slip_result *r = solve("slipstick: 1\nparameters: {N: 2, vb: 0.5}\ncoordinates: [x]\nmass: [[1]]\n"
                           "damping: [[0.01]]\nstiffness: [[4]]\n"
                           "contacts: {belt: {kind: friction, slip: x' - vb, normal_force: N,\n"
                           "  law: {type: stribeck, mu: 0.2, static_ratio: 2, velocity: 0.4}}}\n"
                           "simulate: {time: [0, 1], initial: {x: 0}}\n");
    const double v = 0.5, slope = -0.2 * exp(-(v / 0.4) * (v / 0.4)) * 2 * v / 0.16;
    const double c = 0.01 + 2 * slope;
    expect_count(r, 1);
    expect(r, 1, -c / 2, sqrt(4 - c * c / 4), 1e-12);
    assert_true(c < 0 && at(r, "real", 1) > 0);
    /* What the contact adds: its part of -c/2. */
    assert_close(slip_result_series(r, "contacts.growth", NULL)[0], -slope, 1e-12);
    slip_result_destroy(r);
}

/* A point that slides in a plane: friction turns with the slip, which brakes across it with mu N/|v|; along
 * it nothing does. */
static void plane_sliding(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\nparameters: {v: 2, mu: 0.3, N: 5, m: 4, k: 9}\ncoordinates: [x, y]\n"
              "mass: {diagonal: [m, m]}\nstiffness: [[k, 0], [0, k]]\n"
              "contacts: {foot: {kind: friction, slip: [x' - v, y'], normal_force: N, law: {type: "
              "coulomb, mu: mu}}}\nsimulate: {time: [0, 1], initial: {x: mu*N/k}}\n");
    const double c = 0.3 * 5 / 2 / 4, w = 1.5;
    expect_count(r, 2);
    expect(r, 1, -c / 2, sqrt(w * w - c * c / 4), 1e-14);
    expect(r, 2, 0, w, 1e-14);
    slip_result_destroy(r);
    /* The same with a rigid floor below: normal force by the constraint. */
    r = solve(
        "slipstick: 1\nparameters: {v: 2, mu: 0.3, N: 5, m: 4, k: 9}\ncoordinates: [x, y, z]\n"
        "mass: {diagonal: [m, m, m]}\nstiffness: {diagonal: [k, k, 0]}\nforces: {z: -N}\n"
        "contacts: {foot: {kind: unilateral, gap: z, slip: [x' - v, y'], law: {type: coulomb, mu: mu}}}\n"
        "simulate: {time: [0, 1], initial: {x: mu*N/k}}\n");
    expect_count(r, 2);
    expect(r, 1, -c / 2, sqrt(w * w - c * c / 4), 1e-14);
    expect(r, 2, 0, w, 1e-14);
    slip_result_destroy(r);
}

/* A law with memory at rest is a spring and a damper, and its state stays where it is. */
static void bristles(void **state)
{
    (void)state;
    slip_result *r =
        solve("slipstick: 1\ncoordinates: [x]\nmass: [[2]]\nstiffness: [[10]]\n"
              "contacts: {seat: {kind: friction, slip: x', normal_force: 3, law: {type: lugre, mu: 1,\n"
              "  static_ratio: 1.5, velocity: 0.001, stiffness: 40, damping: 0.2, viscous: 0.1}}}\n");
    const double w2 = (10 + 3 * 40) / 2.0, a = 3 * (0.2 + 0.1) / 4;
    expect_count(r, 2);
    expect(r, 1, 0, 0, 0);
    expect(r, 2, -a, sqrt(w2 - a * a), 1e-13);
    slip_result_destroy(r);
}

/* ---- Coordinates without mass. */

static void without_mass(void **state)
{
    (void)state;
    /* Two springs in a row. */
    slip_result *r =
        solve("slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [2, 0]}\n"
              "springs: [{between: [x, u], stiffness: 3}, {between: [u, ground], stiffness: 6}]\n");
    expect_count(r, 1);
    expect(r, 1, 0, 1, 1e-14);
    assert_close(slip_result_series(r, "shapes.real", NULL)[1], 1.0 / 3, 1e-14);
    assert_int_equal((int)slip_result_number(r, "infinite"), 2);
    slip_result_destroy(r);
    /* A spring and a damper in a row: s (m c s^2 + m k s + k c) = 0. */
    r = solve(
        "slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [2, 0]}\n"
        "springs: [{between: [x, u], stiffness: 3}, {between: [u, ground], stiffness: 0, damping: 4}]\n");
    expect_count(r, 2);
    expect(r, 1, 0, 0, 0);
    expect(r, 2, -3.0 / 8, sqrt(1.5 - 9.0 / 64), 1e-14);
    assert_int_equal((int)slip_result_number(r, "infinite"), 1);
    slip_result_destroy(r);
    /* A mass matrix w w^T, w = (0.1, 1.9), whose Cholesky factor exists but for rounding: s^2 = -1/(w K^-1
     * w). */
    r = solve("slipstick: 1\ncoordinates: [x, y]\nmass: [[0.01, 0.19], [0.19, 3.61]]\n"
              "stiffness: [[2, 0.5], [0.5, 1]]\n");
    expect_count(r, 1);
    expect(r, 1, 0, sqrt(1.75 / 7.04), 1e-14);
    assert_int_equal((int)slip_result_number(r, "infinite"), 2);
    slip_result_destroy(r);
    /* A foot without mass: its spring counts while it sticks, and not while it slides on a belt. */
    static const char *const speeds[] = {"v=0", "v=1"};
    for (int k = 0; k < 2; k++) {
        const char *const settings[] = {speeds[k], NULL};
        r = solve_about(
            "slipstick: 1\nparameters: {v: 0}\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\n"
            "stiffness: [[5, -2], [-2, 2]]\n"
            "contacts: {foot: {kind: friction, slip: u' - v, normal_force: 1, law: {type: coulomb, mu: "
            "0.5}}}\n",
            settings, k ? "sliding" : "rest");
        expect_count(r, 1);
        expect(r, 1, 0, sqrt(k ? 3 : 5), 1e-13);
        slip_result_destroy(r);
    }
}

/* ---- About equilibria. */

/* The equilibrium is found: a pendulum hangs, from wherever it starts. */
static void hanging(void **state)
{
    (void)state;
    const char *const aside[] = {"start=0.4", NULL};
    slip_result *r = solve_about(pendulum, aside, "static");
    expect_count(r, 1);
    expect(r, 1, 0, sqrt(9.81 / 0.7), 1e-12);
    assert_non_null(strstr(slip_result_summary(ctx, r), "\"equilibrium\": true"));
    slip_result_destroy(r);
}

/* A contact sticks, another one is pressed open: what is left swings. */
static void static_contacts(void **state)
{
    (void)state;
    slip_result *r = solve_about(
        "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 2, 5]}\n"
        "stiffness: [[3, -3, 0], [-3, 5, -1], [0, -1, 4]]\nforces: {x: 0.1, z: 2}\n"
        "contacts:\n  pad: {kind: friction, slip: x', normal_force: 1, law: {type: coulomb, mu: 0.9}}\n"
        "  stop: {kind: unilateral, gap: z + 0.1}\n",
        NULL, "static");
    /* y and z: (5 - 2 w)(4 - 5 w) = 1, w = s^2 */
    const double b = 33, root = sqrt(b * b - 4 * 10 * 19);
    expect_count(r, 2);
    expect(r, 1, 0, sqrt((b - root) / 20), 1e-13);
    expect(r, 2, 0, sqrt((b + root) / 20), 1e-13);
    slip_result_destroy(r);
}

/* Steady sliding is found: on a belt by a law that falls with speed, and in a plane over a rigid floor. */
static void steady_sliding(void **state)
{
    (void)state;
    slip_result *r =
        solve_about("slipstick: 1\nparameters: {N: 2, vb: 0.5}\ncoordinates: [x]\nmass: [[1]]\n"
                    "damping: [[0.01]]\nstiffness: [[4]]\n"
                    "contacts: {belt: {kind: friction, slip: x' - vb, normal_force: N*(1 + x^2),\n"
                    "  law: {type: stribeck, mu: 0.2, static_ratio: 2, velocity: 0.4}}}\n",
                    NULL, "sliding");
    /* 4 x = f N (1 + x^2), f = law(0.5) */
    const double v = 0.5, e = exp(-(v / 0.4) * (v / 0.4)), f = 0.2 * (1 + e), slope = -0.2 * e * 2 * v / 0.16;
    const double x = (4 - sqrt(16 - 4 * 4 * f * f)) / (4 * f), c = 0.01 + 2 * (1 + x * x) * slope,
                 k = 4 - 2 * f * 2 * x;
    expect_count(r, 1);
    expect(r, 1, -c / 2, sqrt(k - c * c / 4), 1e-11);
    slip_result_destroy(r);
    r = solve_about(
        "slipstick: 1\nparameters: {v: 2, mu: 0.3, N: 5, m: 4, k: 9}\ncoordinates: [x, y, z]\n"
        "mass: {diagonal: [m, m, m]}\nstiffness: {diagonal: [k, k, 0]}\nforces: {z: -N}\n"
        "contacts: {foot: {kind: unilateral, gap: z, slip: [x' - v, y'], law: {type: coulomb, mu: mu}}}\n",
        NULL, "sliding");
    const double across = 0.3 * 5 / 2 / 4;
    expect_count(r, 2);
    expect(r, 1, -across / 2, sqrt(2.25 - across * across / 4), 1e-13);
    expect(r, 2, 0, 1.5, 1e-13);
    slip_result_destroy(r);
}

/* A foot on springs is open where nothing presses it, at F = 0.03 and above: a label, and no sliding contact.
 */
static void compliant_foot(void **state)
{
    (void)state;
    const char *text =
        "slipstick: 1\nparameters: {F: 1, mu: 0.2}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
        "stiffness: [[2, 0.3], [0.3, 1]]\nforces: {y: F}\ncontacts:\n"
        "  belt: {kind: friction, slip: x' - 1, normal_force: 1, law: {type: coulomb, mu: mu}}\n"
        "  foot: {kind: unilateral, gap: y, normal: {stiffness: 3}, slip: x' - 1, law: {type: tanh, mu: mu, "
        "velocity: 0.5}}\nsimulate: {time: [0, 1], initial: {x: 0.1, y: 1}}\n";
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(text, NULL);
    slip_result *r = solve_about(text, NULL, "static");
    assert_string_equal(slip_result_word(r, "contacts.doing", 1), "open");
    slip_result_destroy(r);
    options.about = "sliding";
    options.parameter = "F";
    options.low = -1;
    options.high = 1;
    options.points = 11;
    assert_int_equal(slip_modes_solve(ctx, model, &options, &r), SLIP_OK);
    assert_int_equal(slip_result_label_count(r), 1);
    assert_string_equal(slip_result_label(r, 0)->type, "MC");
    assert_string_equal(slip_result_label(r, 0)->from, "slip-");
    assert_string_equal(slip_result_label(r, 0)->to, "open");
    assert_close(slip_result_label(r, 0)->value, 0.03, 1e-10);
    slip_result_destroy(r);
    slip_model_destroy(model);
}

/* Of two equilibria with the same coordinates that are stable, the one next to the initial state: z' has the
 * slope -6 at 4 and -3 at 1. */
static void nearest_state(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *r = solve_about("slipstick: 1\nparameters: {z0: 4.1}\ncoordinates: [x]\nmass: [[1]]\n"
                                     "stiffness: [[4]]\nforces: {x: 1}\n"
                                     "states: {z: {rate: -(z - 1)*(z - 2)*(z - 4), initial: z0}}\n",
                                     k ? (const char *const[]){"z0=0.8", NULL} : NULL, "static");
        expect_count(r, 2);
        expect(r, 1, k ? -3 : -6, 0, 1e-12);
        expect(r, 2, 0, 2, 1e-14);
        slip_result_destroy(r);
    }
}

/* Where friction takes away all stiffness there is no equilibrium at the very value, on both sides of it
 * there is; where there is none any more, what was found until then is kept. */
static void equilibria_that_are_missing(void **state)
{
    (void)state;
    const char *text =
        "slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1.3]]\n"
        "forces: {x: -5*mu}\ncontacts:\n  belt: {kind: friction, slip: 0.7*x' - 1, "
        "normal_force: 5/0.7 + 3.1*x, law: {type: coulomb, mu: mu}}\n";
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(text, NULL);
    slip_result *r = NULL;
    int64_t count;
    options.about = "sliding";
    options.parameter = "mu";
    options.high = 2;
    options.points = 11;
    if (slip_modes_solve(ctx, model, &options, &r) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(r);
    assert_int_equal(slip_result_label_count(r), 1);
    assert_string_equal(slip_result_label(r, 0)->type, "DV");
    assert_close(slip_result_label(r, 0)->value, 1.3 / (0.7 * 3.1), 1e-8);
    slip_result_destroy(r);
    slip_model_destroy(model);
    /* the normal force 1 - mu is gone */
    model =
        parse_with("slipstick: 1\nparameters: {mu: 0.3}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[4]]\n"
                   "contacts:\n  belt: {kind: friction, slip: x' - 1, normal_force: 1 - mu, law: {type: "
                   "coulomb, mu: 0.5}}\n",
                   NULL);
    r = NULL;
    assert_int_equal(slip_modes_solve(ctx, model, &options, &r), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(ctx), "at mu = 1.2: "));
    assert_non_null(r);
    slip_result_series(r, "real", &count);
    assert_int_equal((int)count, 6);
    slip_result_destroy(r);
    slip_model_destroy(model);
}

/* ---- What is refused. */

static void refusals(void **state)
{
    (void)state;
    slip_modes_options options = slip_modes_options_default();
    slip_model *model = parse_with(pendulum, NULL);
    slip_result *result = NULL;
    options.about = "slidin";
    assert_int_equal(slip_modes_solve(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "`sliding`"));
    options.about = "sliding";
    assert_int_equal(slip_modes_solve(ctx, model, &options, &result), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(ctx), "no contact slides"));
    options.about = NULL;
    options.parameter = "mu";
    assert_int_equal(slip_modes_solve(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    options.parameter = "g";
    options.low = 1;
    options.high = 1;
    assert_int_equal(slip_modes_solve(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    options.high = 2;
    options.points = 1;
    assert_int_equal(slip_modes_solve(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_null(result);
    slip_model_destroy(model);
}

/* Rate and state: the stiffness below which steady sliding is unstable, and the angular frequency there, with
 * inertia, with radiation damping, and with both; in units of the fault and in those of rock. */
static void critical_stiffness(void **state)
{
    (void)state;
    static const struct {
        double normal, length, velocity, belt, damping, mass, stiffness, omega;
    } cases[] = {{5e7, 1e-3, 1e-6, 1e-9, 5e6, 0, 249999995.0, 7.071067705799458e-07},
                 {5e7, 1e-3, 1e-6, 1e-9, 0, 4e6, 250000000.000002, 7.071067811865476e-07},
                 {1, 1, 1, 1, 0.002, 0, 0.002999999999999999, 0.4999999999999999},
                 {1, 1, 1, 1, 0, 0.05, 0.029999999999999995, 0.7071067811865475},
                 {1, 1, 1, 1, 0.001, 0.02, 0.011272727272727273, 0.6030226891555273}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double exact = cases[k].stiffness;
        slip_modes_options options = slip_modes_options_default();
        slip_result *result = NULL;
        char text[700];
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {k: %.17g}\ncoordinates: [x]\nmass: %.17g\ndamping: %.17g\n"
            "stiffness: k\ncontacts: {fault: {kind: friction, slip: x' - %.17g, normal_force: %.17g, law: "
            "{type: rate_state, mu: 0.6, a: 0.01, b: 0.015, length: %.17g, velocity: %.17g}}}\n",
            exact, cases[k].mass, cases[k].damping, cases[k].belt, cases[k].normal, cases[k].length,
            cases[k].velocity);
        slip_model *model = parse(text);
        options.about = "sliding";
        options.parameter = "k";
        options.low = 0.8 * exact;
        options.high = 1.25 * exact;
        options.points = 11;
        if (slip_modes_solve(ctx, model, &options, &result) != SLIP_OK)
            print_error("%s\n", slip_context_message(ctx));
        assert_non_null(result);
        /* with the mass of rock the other eigenvalue is -1.25e8, fourteen decades away */
        assert_int_equal(slip_result_label_count(result), 1);
        assert_string_equal(slip_result_label(result, 0)->type, "FL");
        assert_close(slip_result_label(result, 0)->value / exact, 1, 1e-9);
        slip_result_destroy(result);
        result = solve_about(text, NULL, "sliding");
        double nearest = INFINITY;
        for (int mode = 1; mode <= (int)slip_result_number(result, "count"); mode++)
            nearest = fmin(nearest,
                           hypot(at(result, "real", mode), at(result, "imaginary", mode) - cases[k].omega));
        assert_true(nearest <= 1e-6 * cases[k].omega);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain),
        cmocka_unit_test(critical_stiffness),
        cmocka_unit_test(damped_oscillator),
        cmocka_unit_test(free_bodies),
        cmocka_unit_test(loads),
        cmocka_unit_test(states),
        cmocka_unit_test(pendulum_both_ways),
        cmocka_unit_test(bead_on_hoop),
        cmocka_unit_test(turning_frame),
        cmocka_unit_test(sticks),
        cmocka_unit_test(held_twice),
        cmocka_unit_test(bead_in_bowl),
        cmocka_unit_test(rigid_sliding),
        cmocka_unit_test(falling_friction),
        cmocka_unit_test(plane_sliding),
        cmocka_unit_test(without_mass),
        cmocka_unit_test(hanging),
        cmocka_unit_test(static_contacts),
        cmocka_unit_test(steady_sliding),
        cmocka_unit_test(bristles),
        cmocka_unit_test(compliant_foot),
        cmocka_unit_test(nearest_state),
        cmocka_unit_test(equilibria_that_are_missing),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
