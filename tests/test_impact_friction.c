/* Friction in impacts, of whatever law the contact has: impulses obey Coulomb's law with its mu. A body flies
 * against a floor, without any load, so that its velocities after the impact are in closed form and stay. */
#include "motion_test.h"
#include "slipstick/simulation.h"

static const char *const laws[] = {"{type: coulomb, mu: 0.3, static_ratio: 1.7}",
                                   "{type: stribeck, mu: 0.3, static_ratio: 1.7, velocity: 1}",
                                   "{type: tanh, mu: 0.3, velocity: 2}",
                                   "{type: sqrt, mu: 0.3, epsilon: 0.5, static_ratio: 1.4}",
                                   "{type: dahl, mu: 0.3, stiffness: 5}",
                                   "{type: lugre, mu: 0.3, static_ratio: 1.5, velocity: 1, stiffness: 5}",
                                   "{type: jenkins, mu: 0.3, stiffness: 5}"};
static const bool in_plane[] = {true, false, true, true, true, true, true};

static void expect_after(const char *text, const char *method, const double v[3])
{
    slip_model *model = parse(text);
    slip_result *result = run_by(model, method, 1e-3, NAN);
    static const char *const names[] = {"final.x'", "final.y'", "final.z'"};
    for (int i = 0; i < 3; i++)
        near(slip_result_number(result, names[i]), v[i], 1e-12, text);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Speed 1 towards the floor, s along it. The impulses are 1 + e and at most 0.3 of it. */
static void test_after_an_impact(void **state)
{
    static const char *const methods[] = {"event", "moreau", "midpoint_stabilised"};
    static const double speeds[] = {1, 0.2}, e = 0.5;
    (void)state;
    for (int k = 0; k < (int)(sizeof laws / sizeof *laws); k++)
        for (int plane = 0; plane <= in_plane[k]; plane++)
            for (int m = 0; m < 3; m++)
                for (int s = 0; s < 2; s++) {
                    char text[900];
                    const double rest = fmax(0, speeds[s] - 0.3 * (1 + e)), along = plane ? 0.6 : 1;
                    snprintf(text, sizeof text,
                             "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\n"
                             "contacts: {floor: {kind: unilateral, gap: z, slip: %s, restitution: %g, "
                             "impact_friction: coulomb, law: %s}}\n"
                             "simulate: {time: [0, 1], initial: {z: 0.50037, z': -1, x': %g, y': %g}}\n",
                             plane ? "[x', y']" : "x'", e, laws[k], along * speeds[s],
                             plane ? 0.8 * speeds[s] : 0);
                    expect_after(text, methods[m],
                                 (const double[3]){along * rest, plane ? 0.8 * rest : 0, e});
                }
}

/* An area of a smooth law, which slides without a spin. */
static void test_area(void **state)
{
    static const char *const methods[] = {"event", "moreau", "midpoint_stabilised"};
    (void)state;
    for (int m = 0; m < 3; m++)
        expect_after(
            "slipstick: 1\ncoordinates: [x, y, z, p]\nmass: {diagonal: [1, 1, 1, 1]}\n"
            "contacts: {pad: {kind: patch, gap: z, slip: {x: x', y: y', spin: p'}, area: {shape: disc, "
            "radius: 0.2}, restitution: 0.5, impact_friction: coulomb, law: {type: sqrt, mu: 0.3, "
            "epsilon: 0.5}}}\n"
            "simulate: {time: [0, 1], initial: {z: 0.50037, z': -1, x': 0.6, y': 0.8}}\n",
            methods[m], (const double[3]){0.6 * 0.55, 0.8 * 0.55, 0.5});
}

/* A block slides on a floor, without a force between them, and is struck from above: the impulse goes through
 * it to the floor, whose friction in impacts slows it down. */
static void test_through_a_block(void **state)
{
    static const char *const methods[] = {"event", "moreau", "midpoint_stabilised"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int k = 2; k < (int)(sizeof laws / sizeof *laws); k++) {
            char text[900];
            snprintf(text, sizeof text,
                     "slipstick: 1\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\n"
                     "contacts:\n"
                     "  floor: {kind: unilateral, gap: y, slip: x', impact_friction: coulomb, law: %s}\n"
                     "  top: {kind: unilateral, gap: z - y}\n"
                     "simulate: {time: [0, 0.501], initial: {z: 0.50037, z': -1, x': 1}}\n",
                     laws[k]);
            expect_after(text, methods[m], (const double[3]){0.7, 0, 0});
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_after_an_impact, setup, teardown),
        cmocka_unit_test_setup_teardown(test_area, setup, teardown),
        cmocka_unit_test_setup_teardown(test_through_a_block, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
