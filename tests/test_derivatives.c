/* Derivatives of motions across events, where segments have a closed form; and some systems with names. */
#include "derivative_test.h"

static const char *const parameters[] = {"P", "w", "k", "vb", "mu", NULL};

static void one(const char *text, double end, double tolerance)
{
    uint64_t seed = 1;
    derivative_tally tally = {0};
    slip_model *model = parse(text);
    const derivative_case c = {model, "auto", 1e-12, 0, end};
    derivative_check(&c, parameters, 5, &seed, 100, 1e-4, tolerance, text, &tally);
    print_message("%d columns, %d rough, %d failed, %d events, worst %.2e\n", tally.columns, tally.rough,
                  tally.failed, (int)tally.events, tally.worst);
    slip_model_destroy(model);
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

static void random_closed_forms(void **state)
{
    (void)state;
    derivative_systems(1, test_many(2400), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_systems),
                                       cmocka_unit_test(random_closed_forms)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
