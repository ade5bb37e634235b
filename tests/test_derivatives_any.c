/* Derivatives of motions across events: laws of every kind, curved gaps, compliant contacts, states. */
#include "base/embedded.h"
#include "derivative_test.h"

static void random_systems(void **state)
{
    (void)state;
    derivative_systems(2, test_many(600), false);
}

/* A load that jumps at a time which a parameter moves, s = pi/w: x' = 2 s - t and dx/ds = 2 (t - s) after it.
 */
static void jump_of_a_load(void **state)
{
    static const char *const w[] = {"w", NULL}, *const segments[] = {"auto", "rk"};
    slip_model *model = parse("slipstick: 1\nparameters: {w: 1.25}\ncoordinates: [x]\nmass: [[1]]\n"
                              "forces: {x: sign(sin(w*t))}\n");
    const double end = 4, rate = -acos(-1) / (1.25 * 1.25), s = acos(-1) / 1.25;
    (void)state;
    for (int k = 0; k < 2; k++) {
        double by_parameter[2];
        slip_simulation *simulation = NULL;
        derivative_run r = {0};
        slip_derivatives d = slip_derivatives_default();
        const derivative_case c = {model, segments[k], 1e-11, 0, end, 0};
        good(derivative_open(&c, NULL, NULL, 0, &r, &simulation));
        d.parameters = w;
        d.by_parameter = by_parameter;
        good(slip_simulation_differentiate(ctx, simulation, c.end, &d));
        assert_close(by_parameter[0], 2 * (end - s) * rate, 1e-9);
        assert_close(by_parameter[1], 2 * rate, 1e-9);
        slip_simulation_close(simulation);
    }
    slip_model_destroy(model);
}

/* In steady slip the deflection of `elastoplastic` is mu/stiffness, where its rate has a kink: on a floor
 * that is straight, and on a curved one, whose equation is differentiated by differences. */
static void steady_slip(void **state)
{
    (void)state;
    static const char *const mu[] = {"mu", NULL}, *const floors[] = {"y", "y + 0.1*x^2"};
    for (int k = 0; k < 2; k++) {
        char text[800];
        double by_parameter[5];
        slip_simulation *s = NULL;
        derivative_run r = {0};
        slip_derivatives d = slip_derivatives_default();
        snprintf(
            text, sizeof text,
            "slipstick: 1\nparameters: {mu: 0.5}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
            "stiffness: {diagonal: [1, 0]}\nforces: {y: -1}\ncontacts:\n"
            "  floor: {kind: unilateral, gap: %s}\n"
            "  pad: {kind: friction, slip: x' - 2, normal_force: 0.5, law: {type: elastoplastic, mu: mu, "
            "static_ratio: 1, velocity: 0.3, stiffness: 10, damping: 0.5, breakaway: 0.002}}\n",
            floors[k]);
        slip_model *model = parse(text);
        const derivative_case c = {model, "auto", 1e-11, 0, 1, 0};
        good(derivative_open(&c, NULL, NULL, 0, &r, &s));
        d.parameters = mu;
        d.by_parameter = by_parameter;
        good(slip_simulation_differentiate(ctx, s, c.end, &d));
        assert_close(by_parameter[4], -0.1, 2e-7);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* What holds has no change along it, whatever the change of the start was: a slip whose direction turns with
 * the coordinate that a gap behind it in the list holds, and a gap that is not linear. */
static void held_directions(void **state)
{
    (void)state;
    double by_state[36];
    slip_simulation *s = NULL;
    derivative_run r = {0};
    slip_derivatives d = slip_derivatives_default();
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, y, z]\nmass: [[1, 0.2, 0], [0.2, 1, 0.1], [0, 0.1, 1]]\n"
              "forces: {x: 0.3*cos(t), y: -5, z: sin(t)}\ncontacts:\n"
              "  pad: {kind: friction, slip: x' + (2*y + z)*z', normal_force: 9, law: {type: "
              "coulomb, mu: 1}}\n"
              "  floor: {kind: unilateral, gap: y + 0.3*z^2 - 0.2*z*x}\n"
              "simulate: {initial: {z': 0.5}}\n");
    const derivative_case c = {model, "auto", 1e-12, 0, 0.7, 0};
    good(derivative_open(&c, NULL, NULL, 0, &r, &s));
    d.by_state = by_state;
    good(slip_simulation_differentiate(ctx, s, c.end, &d));
    double q[3], v[3];
    slip_simulation_state(s, q, v);
    assert_int_equal(slip_simulation_mode(s, "pad"), SLIP_MODE_STICK);
    assert_int_equal(slip_simulation_mode(s, "floor"), SLIP_MODE_CLOSED);
    const double gap[] = {-0.2 * q[2], 1, 0.6 * q[2] - 0.2 * q[0]}, w = 2 * q[1] + q[2];
    const double turn[] = {-0.2 * v[2], 0, 0.6 * v[2] - 0.2 * v[0]};
    for (int k = 0; k < 6; k++) {
        const double *dq = by_state + k, *dv = by_state + 18 + k; /* numbers are 6 apart */
        assert_close(gap[0] * dq[0] + gap[1] * dq[6] + gap[2] * dq[12], 0, 1e-9);
        assert_close(gap[0] * dv[0] + gap[1] * dv[6] + gap[2] * dv[12] + turn[0] * dq[0] + turn[2] * dq[12],
                     0, 1e-9);
        assert_close(dv[0] + w * dv[12] + v[2] * (2 * dq[6] + dq[12]), 0, 1e-9);
    }
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* The rates of a motion are a small change of it: in flight, and across impacts with friction, curved gaps,
 * slip and stick, where columns are some sixty times as large as they are. */
static void rates_are_carried(void **state)
{
    (void)state;
    slip_model *model = parse(slip_example_text("woodpecker"));
    for (int k = 0; k < 8; k++) {
        const double start = k > 0 ? 1 + 0.02 * (k - 1) : 1, span = k > 0 ? 0.13 : 0.005,
                     error = k > 0 ? 2e-8 : 1e-9;
        double by_start[6], by_end[6];
        slip_simulation *s = NULL;
        derivative_run r = {0};
        slip_derivatives d = slip_derivatives_default();
        const derivative_case c = {model, "auto", 1e-12, 0, 0, 0};
        good(derivative_open(&c, NULL, NULL, 0, &r, &s));
        good(slip_simulation_advance(ctx, s, start));
        d.by_start = by_start;
        d.by_end = by_end;
        good(slip_simulation_differentiate(ctx, s, start + span, &d));
        for (int i = 0; i < 6; i++)
            near(by_start[i], -by_end[i], error * derivative_size(3, by_end + i / 3 * 3), "rate");
        slip_simulation_close(s);
    }
    slip_model_destroy(model);
}

/* Two masses on a spring; and the second one held by another. */
#define TWO                                                                                                  \
    "slipstick: 1\nparameters: {P: 0.4, w: 0.9, k: 1.1, vb: 0.35, mu: 0.5}\ncoordinates: [x0, x1]\n"         \
    "mass: {diagonal: [1, 0.7]}\nsprings:\n  - {between: [x0, x1], stiffness: k, damping: 0.05}\n"
#define TWO_HELD TWO "  - {between: [x1, ground], stiffness: 1.3}\n"

/* Where two impulses of friction have one direction, slip starts in the instant of an impact or far from
 * scale, and a direction of slip vanishes (the dead centre of a crank). */
static void rare_events(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double end, tolerance;
    } cases[] = {
        /* a point that sticks in an impact on a curved floor and slips at once */
        {"slipstick: 1\n"
         "parameters: {P: 0.7963, w: 2.0754, k: 0.5653, vb: 0.1419, mu: 0.3595, s: 0.5119}\n"
         "coordinates: [x0, x1, x2]\n"
         "mass: {diagonal: [1, 1.2, 0.9]}\n"
         "forces: {x0: \"P*cos(w*t+2.696)\", x1: \"0.4*sin(t)-k*x1\", x2: \"-3\"}\n"
         "contacts:\n"
         "  c0: {kind: unilateral, gap: \"x2 - 0.2*x0^2 - 0.3*x1^2 + 0.05*x0*x1\", slip: [x0' - vb, x1'], "
         "restitution: 0.000, law: {type: coulomb, mu: mu}, impact_friction: coulomb}\n"
         "simulate: {initial: {x0: -0.055, x1: 0.181, x2: 0.6, x0': 0.737, x1': -0.610}}\n",
         3, 2e-06},
        /* the same with a floor that is as curved, from which slip follows an impact at once */
        {"slipstick: 1\n"
         "parameters: {P: 0.9066, w: 1.0786, k: 1.8503, vb: 0.0000, mu: 0.2651, s: 0.4897}\n"
         "coordinates: [x0, x1, x2]\n"
         "mass: {diagonal: [1, 1.2, 0.9]}\n"
         "forces: {x0: \"P*cos(w*t+0.598)\", x1: \"0.4*sin(t)-k*x1\", x2: \"-3\"}\n"
         "contacts:\n"
         "  c0: {kind: unilateral, gap: \"x2 - 0.2*x0^2 - 0.3*x1^2 + 0.05*x0*x1\", slip: [\"x0' + 0.2*x0*x2' "
         "- vb\", \"x1' + 0.3*x1*x2'\"], restitution: 0.000, law: {type: coulomb, mu: mu}, impact_friction: "
         "coulomb}\n"
         "simulate: {initial: {x0: 0.078, x1: -0.130, x2: 0.6, x0': 0.374, x1': -0.319}}\n",
         2, 1e-8},
        /* a law with an infinite slope where slip begins and ends */
        {TWO_HELD "forces: {x0: P*cos(w*t + 1), x1: 0.1*sin(t)}\n"
                  "contacts:\n"
                  "  c0: {kind: friction, slip: x0' - vb, normal_force: 1, law: {type: stribeck, mu: mu, "
                  "static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
                  "simulate: {initial: {x0: 0.2, x0': 0.1, x1': -0.2}}\n",
         8, 1e-8},
        /* the same on a belt with an acceleration */
        {TWO_HELD
         "forces: {x0: P*cos(w*t + 1), x1: 0.1*sin(t)}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: x0' - vb*(1 + 0.2*sin(1.3*t)), normal_force: 1, law: {type: stribeck, "
         "mu: mu, static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "simulate: {initial: {x0: 0.2, x0': 0.1, x1': -0.2}}\n",
         8, 5e-7},
        /* beside a contact that sticks to a belt with another acceleration */
        {TWO_HELD
         "forces: {x0: P*cos(w*t + 1)}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: x0' - vb, normal_force: 1, law: {type: stribeck, mu: mu, "
         "static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "  c1: {kind: friction, slip: x1' - 0.3*sin(1.3*t), normal_force: 50, law: {type: coulomb, mu: 1}}\n"
         "simulate: {initial: {x0: 0.2, x0': 0.1, x1': 0.5}}\n",
         8, 5e-8},
        /* and beside a gap that is closed on ground that moves */
        {TWO "forces: {x0: P*cos(w*t + 1), x1: -9}\n"
             "contacts:\n"
             "  c0: {kind: friction, slip: x0' - vb, normal_force: 1, law: {type: stribeck, mu: mu, "
             "static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
             "  c1: {kind: unilateral, gap: x1 + 0.2*cos(1.3*t) - 0.2}\n"
             "simulate: {initial: {x0: 0.2, x1: 0.01, x0': 0.1}}\n",
         8, 1e-8},
        /* two such contacts that slip side by side */
        {TWO_HELD
         "forces: {x0: P*cos(w*t + 1), x1: 0.1*sin(t)}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: x0' - vb*(1 + 0.2*sin(1.3*t)), normal_force: 1, law: {type: stribeck, "
         "mu: mu, static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "  c1: {kind: friction, slip: x1' - vb*(1 + 0.2*sin(1.3*t)), normal_force: 0.7, law: {type: "
         "stribeck, mu: mu, static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "simulate: {initial: {x0: 0.2, x0': 0.1, x1': -0.2}}\n",
         8, 5e-8},
        /* one beside a law in its chart, on the ground and on the same belt */
        {TWO_HELD
         "forces: {x0: P*cos(w*t + 1), x1: 0.1*sin(t)}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: x0' - vb*(1 + 0.2*sin(1.3*t)), normal_force: 1, law: {type: stribeck, "
         "mu: mu, static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "  c1: {kind: friction, slip: x1', normal_force: 0.5, law: {type: elliptic, mu: mu, width: 0.5}}\n"
         "simulate: {initial: {x0: 0.2, x0': 0.1, x1': -0.2}}\n",
         8, 2e-7},
        {TWO_HELD
         "forces: {x0: P*cos(w*t + 1), x1: 0.1*sin(t)}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: x0' - vb*(1 + 0.2*sin(1.3*t)), normal_force: 1, law: {type: stribeck, "
         "mu: mu, static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "  c1: {kind: friction, slip: x1' - vb*(1 + 0.2*sin(1.3*t)), normal_force: 0.5, law: {type: "
         "elliptic, mu: mu, width: 0.5}}\n"
         "simulate: {initial: {x0: 0.2, x0': 0.1, x1': -0.2}}\n",
         8, 2e-7},
        /* and beside friction in the plane */
        {"slipstick: 1\n"
         "parameters: {P: 0.4, w: 0.9, k: 1.1, vb: 0.35, mu: 0.5}\n"
         "coordinates: [x0, x1, x2]\n"
         "mass: {diagonal: [1, 0.7, 0.8]}\n"
         "springs:\n"
         "  - {between: [x0, x1], stiffness: k, damping: 0.05}\n"
         "  - {between: [x1, ground], stiffness: 1.3}\n"
         "  - {between: [x2, x0], stiffness: 0.9}\n"
         "forces: {x0: P*cos(w*t + 1), x1: 0.1*sin(t)}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: x0' - vb, normal_force: 1, law: {type: stribeck, mu: mu, "
         "static_ratio: 1.5, velocity: 0.4, exponent: 0.5}}\n"
         "  c1: {kind: friction, slip: [x1' - vb, x2'], normal_force: 0.5, law: {type: coulomb, mu: mu}}\n"
         "simulate: {initial: {x0: 0.2, x0': 0.1, x1': -0.2, x2': 0.3}}\n",
         5, 1e-7},
        /* an impact of two edges whose friction directions are the same there */
        {"slipstick: 1\n"
         "parameters: {P: 1.9325, w: 1.6890, k: 1.4639, vb: 0.0000, mu: 0.4430, s: 0.5352}\n"
         "coordinates: [x0, x1, x2]\n"
         "energy: {kinetic: \"(x0'^2+x1'^2)/2+0.2*x2'^2/2\", potential: \"x1*2 + k*x0^2/4\"}\n"
         "forces: {x0: \"P*cos(w*t+5.331)\", x2: \"0.2*sin(t)\"}\n"
         "contacts:\n"
         "  c0: {kind: unilateral, gap: \"x1 + 0.6*sin(x2) - 0.1*cos(x2)\", slip: \"rate(x0 + 0.6*cos(x2) + "
         "0.1*sin(x2)) - vb*(1+0.2*sin(1.5*t))\", restitution: 0.000, law: {type: coulomb, mu: mu}, "
         "impact_friction: coulomb}\n"
         "  c1: {kind: unilateral, gap: \"x1 - 0.6*sin(x2) - 0.1*cos(x2)\", slip: \"rate(x0 - 0.6*cos(x2) + "
         "0.1*sin(x2)) - vb*(1+0.2*sin(1.5*t))\", restitution: 0.623, law: {type: coulomb, mu: "
         "mu*(1+0.2*sin(t))}, impact_friction: coulomb}\n"
         "simulate: {initial: {x0: 0.040, x1: 0.957, x2: -0.289, x0': -0.450, x1': -0.824, x2': -0.468}}\n",
         3, 1e-08},
        /* a slip whose direction vanishes */
        {"slipstick: 1\n"
         "parameters: {P: 1.8289, w: 1.7910, k: 1.8697, vb: 0.2488, mu: 0.5538, s: 0.7907}\n"
         "coordinates: [x0, x1]\n"
         "energy: {kinetic: \"1.3*x0'^2/2 + 0.6/2*(rate(x0+0.8*sin(x1))^2+rate(0.8*cos(x1))^2)\", potential: "
         "\"k*x0^2/2 - 0.6*2*0.8*cos(x1)\", dissipation: \"0.05*x1'^2\"}\n"
         "forces: {x0: \"P*cos(w*t+5.735)\", x1: \"0.2*sin(t)\"}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: \"x1' - vb*(1+0.3*sin(t))\", normal_force: \"0.961\", law: {type: "
         "stribeck, mu: mu, static_ratio: 1.6, velocity: 0.4, exponent: 1}}\n"
         "  c1: {kind: unilateral, gap: \"s - (x0+0.8*sin(x1)) + 0.1*sin(1.3*t)\", slip: "
         "\"rate(0.8*cos(x1))\", law: {type: stribeck, mu: mu, static_ratio: 1.6, velocity: 0.4, exponent: "
         "1}}\n"
         "simulate: {initial: {x0: -0.082, x1: 0.064, x0': 0.549, x1': 0.351}}\n",
         3, 1e-08},
        /* a law with an infinite slope along a direction that turns */
        {"slipstick: 1\n"
         "parameters: {P: 1.3278, w: 0.9099, k: 1.9006, vb: 0.0000, mu: 0.1345, s: 0.4000}\n"
         "coordinates: [x0, x1]\n"
         "energy: {kinetic: \"1.3*x0'^2/2 + 0.6/2*(rate(x0+0.8*sin(x1))^2+rate(0.8*cos(x1))^2)\", potential: "
         "\"k*x0^2/2 - 0.6*2*0.8*cos(x1)\", dissipation: \"0.05*x1'^2\"}\n"
         "forces: {x0: \"P*cos(w*t+0.500)\", x1: \"0.2*sin(t)\"}\n"
         "contacts:\n"
         "  c0: {kind: friction, slip: \"rate(x0+0.8*sin(x1)) - vb*(1+0.3*sin(t))\", normal_force: "
         "\"1.449\", law: {type: elliptic, mu: mu, width: 0.5}}\n"
         "simulate: {initial: {x0: 0.027, x1: -0.149, x0': 0.950, x1': 0.643}}\n",
         3, 1e-06},
    };
    static const char *const parameters[] = {"P", "k", "vb", "mu", NULL};
    uint64_t seed = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        derivative_tally tally = {0};
        slip_model *model = parse(cases[k].text);
        const derivative_case c = {model, "auto", 1e-12, 0, cases[k].end, 0};
        derivative_check(&c, parameters, 4, &seed, 12, 2e-5, cases[k].tolerance, cases[k].text, &tally);
        assert_true(tally.columns >= 8 && tally.rough < 2 && tally.failed == 0);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jump_of_a_load),  cmocka_unit_test(steady_slip),
                                       cmocka_unit_test(held_directions), cmocka_unit_test(rates_are_carried),
                                       cmocka_unit_test(rare_events),     cmocka_unit_test(random_systems)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
