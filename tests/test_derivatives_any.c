/* Derivatives of motions across events: laws of every kind, curved gaps, compliant contacts, states. */
#include "derivative_test.h"

static void random_systems(void **state)
{
    (void)state;
    derivative_systems(2, test_many(600), false);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steady_slip), cmocka_unit_test(random_systems)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
