/* Derivatives of motions across events, where segments have a closed form; and some systems with names. */
#include "derivative_test.h"

static const char *const parameters[] = {"P", "w", "k", "vb", "mu", NULL};

static void check_without(const char *text, double end, double tolerance, unsigned without)
{
    uint64_t seed = 1;
    derivative_tally tally = {0};
    slip_model *model = parse(text);
    const derivative_case c = {model, "auto", 1e-12, 0, end, without};
    derivative_check(&c, parameters, 5, &seed, 100, 1e-4, tolerance, text, &tally);
    print_message("%d columns, %d rough, %d failed, %d events, worst %.2e\n", tally.columns, tally.rough,
                  tally.failed, (int)tally.events, tally.worst);
    assert_true(tally.failed == 0 && 3 * tally.rough < tally.columns);
    slip_model_destroy(model);
}

static void one(const char *text, double end, double tolerance)
{
    check_without(text, end, tolerance, 0);
}

/* Coordinates without mass: the end of a spring on Coulomb friction, one that a damper moves with friction
 * and without, one that creeps, one between springs, and a motion of two coordinates in which neither mass
 * moves. */
static void without_mass(void **state)
{
#define MODEL "slipstick: 1\nparameters: {P: 1, w: 0.8, k: 2, vb: 0.1, mu: 0.5}\n"
#define PAIR MODEL "coordinates: [x, u]\nmass: {diagonal: [1, 0]}\n"
#define LOAD "forces: {x: P*cos(w*t)}\nsimulate: {initial: {x: 0.3, x': 1, u: 0.1}}\n"
#define SPRINGS                                                                                              \
    "springs: [{between: [x, ground], stiffness: 1, damping: 0.1}, {between: [x, u], stiffness: k}"
    (void)state;
    check_without(PAIR SPRINGS
                  "]\n" LOAD "contacts: {c: {kind: friction, slip: u' - vb, law: {type: coulomb, mu: mu}}}\n",
                  17, 1e-8, 8);
    check_without(PAIR SPRINGS ", {between: [u, ground], stiffness: 0, damping: 0.3}]\n" LOAD
                               "contacts: {c: {kind: friction, slip: u', law: {type: coulomb, mu: mu}}}\n",
                  9, 1e-6, 8);
    check_without(PAIR SPRINGS ", {between: [u, ground], stiffness: 0.5, damping: 0.3*mu}]\n" LOAD, 9, 1e-7,
                  8);
    check_without(
        PAIR SPRINGS
        "]\n" LOAD
        "contacts: {c: {kind: friction, slip: u' - vb, law: {type: tanh, mu: mu, velocity: 1.5}}}\n",
        9, 1e-6, 8);
    check_without(PAIR SPRINGS ", {between: [u, ground], stiffness: mu}]\n" LOAD, 9, 1e-7, 8);
    check_without(MODEL "coordinates: [x, u]\nmass: [[1, 1], [1, 1]]\nstiffness: [[k, 0.3], [0.3, 1]]\n"
                        "damping: [[0.1, 0], [0, 0]]\n" LOAD
                        "contacts: {c: {kind: friction, slip: x' + u' - vb, law: {type: coulomb, mu: mu}}}\n",
                  9, 1e-6, 12);
}

static void named_systems(void **state)
{
    (void)state;
    one("slipstick: 1\nparameters: {P: 1, w: 0.7, k: 1, vb: 0, mu: 0.5}\ncoordinates: [x]\nmass: "
        "[[1]]\nstiffness: [[k]]\n"
        "forces: {x: P*cos(w*t)}\ncontacts: {c: {kind: friction, slip: x' - vb, law: {type: coulomb, mu: "
        "mu}}}\n"
        "simulate: {initial: {x: 0.3, x': 1}}\n",
        17, 1e-9);
    one("slipstick: 1\nparameters: {P: 1, w: 0.9, k: 1, vb: 0.2, mu: 0.85}\ncoordinates: [x]\nmass: "
        "[[1]]\nstiffness: [[k]]\n"
        "forces: {x: P*cos(w*t)}\ncontacts: {c: {kind: friction, slip: x' - vb, law: {type: coulomb, mu: mu, "
        "static_ratio: 1.3}}}\n"
        "simulate: {initial: {x: 0.3, x': 1}}\n",
        17, 1e-9);
    one("slipstick: 1\nparameters: {P: 1, w: 1.8, k: 1, vb: 0.2, mu: 0.8}\ncoordinates: [x]\nmass: "
        "[[1]]\nstiffness: [[k]]\n"
        "forces: {x: P*cos(w*t)}\ncontacts: {c: {kind: unilateral, gap: 0.5 - x + vb*sin(t), restitution: "
        "mu}}\n"
        "simulate: {initial: {x: 0.3, x': 1}}\n",
        17, 1e-9);
    one("slipstick: 1\nparameters: {P: 1, w: 1.8, k: 1, vb: 0.6, mu: 0.5}\ncoordinates: [x]\nmass: "
        "[[1]]\nstiffness: [[k]]\n"
        "contacts: {c: {kind: friction, slip: x' - vb, law: {type: stribeck, mu: mu, static_ratio: 2, "
        "velocity: 0.5, exponent: 1}}}\n"
        "simulate: {initial: {x: 0.3, x': 0.4}}\n",
        17, 1e-6);
}

/* A ball that falls from x with v on a plate, on which it slides when its bounces have come to their end:
 * with the speed u of the first impact they do so after (v + u)/g + 2 r u/(g (1 - r)), and the speed along
 * the plate falls by mu g from then on; without restitution (k = 4, 5) too. Where impacts rub (k = 5) it
 * falls by mu times all that the plate has pushed, g t - v. */
static void bounces(void **state)
{
    static const char *const names[] = {"g", "r", "mu", NULL};
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double x = 0.3 + 0.1 * k, v = 0.4 - 0.2 * k, g = 1.2, r = k < 4 ? 0.3 + 0.15 * k : 0, mu = 0.2,
                     end = 8, u = sqrt(v * v + 2 * g * x), rest = (v + u) / g + 2 * r * u / (g * (1 - r)),
                     more = (1 + r) / (1 - r) / u;
        const double of_rest[] = {more, 1 / g + v * more / g, (x * more - rest) / g,
                                  2 * u / (g * (1 - r) * (1 - r)), 0};
        double by_state[16], by_parameter[12];
        char text[800];
        slip_simulation *s = NULL;
        derivative_run run = {0};
        slip_derivatives d = slip_derivatives_default();
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {g: %.17g, r: %.17g, mu: %.17g}\ncoordinates: [x, y]\n"
                 "mass: {diagonal: [1, 1]}\nforces: {x: -g}\ncontacts: {plate: {kind: unilateral, gap: x, "
                 "slip: y', restitution: r, impact_friction: %s, law: {type: coulomb, mu: mu}}}\n"
                 "simulate: {initial: {x: %.17g, x': %.17g, y': 3}}\n",
                 g, r, mu, k == 5 ? "coulomb" : "none", x, v);
        slip_model *model = parse(text);
        const derivative_case c = {model, "exact", 1e-11, 0, end, 0};
        good(derivative_open(&c, NULL, NULL, 0, &run, &s));
        d.by_state = by_state;
        d.parameters = names;
        d.by_parameter = by_parameter;
        good(slip_simulation_differentiate(ctx, s, end, &d));
        for (int i = 0; i < 5; i++) {
            const double own[] = {0, 0, -mu * (end - rest), 0, -g * (end - rest)},
                         rubbed[] = {0, mu, -mu * end, 0, v - g * end},
                         expected = k == 5 ? rubbed[i] : own[i] + mu * g * of_rest[i],
                         found = i < 2 ? by_state[12 + 2 * i] : by_parameter[9 + i - 2];
            /* differences by r to one side of 0 are rounded more */
            assert_true(fabs(found - expected) < (k < 4 ? 1e-11 : 1e-10) * fmax(1, fabs(expected)));
        }
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

static void random_closed_forms(void **state)
{
    (void)state;
    derivative_systems(1, test_many(2400), true);
}

/* At numbers beyond which there is no model: free of friction, where x = mu + (1 - mu) cos t; an impact at
 * t0 = acos(-1/4) that loses nothing of its speed, 0.8 sin t0; Coulomb's law without a static peak; and an
 * impact that takes all of the speed, after which the spring pulls the mass off its stop at once. */
static void at_limits(void **state)
{
    const double t0 = acos(-0.25), speed = 0.8 * sin(t0);
    const struct {
        const char *text, *parameter;
        double end, x, v;
    } cases[] = {
        {"parameters: {mu: 0}\ncontacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n",
         "mu", 2, 1 - cos(2), sin(2)},
        {"parameters: {r: 1}\nforces: {x: 0.2}\ncontacts: {c: {kind: unilateral, gap: x, restitution: r}}\n",
         "r", 2.5, speed * sin(2.5 - t0), speed * cos(2.5 - t0)},
        {"parameters: {s: 1}\ncontacts: {c: {kind: friction, slip: x' - 0.2, law: {type: coulomb, mu: 0.3, "
         "static_ratio: s}}}\n",
         "s", 1, 0, 0},
        {"parameters: {r: 0}\ncontacts: {c: {kind: unilateral, gap: x + 0.25, restitution: r}}\n", "r", 2.5,
         sin(t0) * sin(2.5 - t0), sin(t0) * cos(2.5 - t0)}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        double by[2];
        slip_derivatives d = slip_derivatives_default();
        slip_simulation *s = NULL;
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n%s"
                 "simulate: {time: [0, 3], initial: {x: 1}, method: event}\n",
                 cases[k].text);
        slip_model *model = parse(text);
        d.parameters = (const char *const[]){cases[k].parameter, NULL};
        d.by_parameter = by;
        good(slip_simulation_open(ctx, model, NULL, NULL, &s));
        good(slip_simulation_differentiate(ctx, s, cases[k].end, &d));
        assert_close(by[0], cases[k].x, 1e-8);
        assert_close(by[1], cases[k].v, 1e-8);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_systems), cmocka_unit_test(without_mass),
                                       cmocka_unit_test(bounces), cmocka_unit_test(at_limits),
                                       cmocka_unit_test(random_closed_forms)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
