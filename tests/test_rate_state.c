/* Friction of rate and state that is pushed to and fro. At rest it is so steep that the instant at which the
 * creep turns is not known to a rounding: what is left of forces there may turn it back for less than a step.
 */
#include "motion_test.h"

static slip_result *run_in(const char *evolution, double unit, way how)
{
    char text[1000];
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {L: %g}\ncoordinates: [x, y]\nmass: {diagonal: [1, 0.7]}\n"
             "damping: {diagonal: [0.05, 0.1]}\nstiffness: [[2, -1], [-1, 1.5]]\n"
             "forces: {x: L*(sin(1.3*t) + 0.2), y: 0.3*L*cos(2*t)}\n"
             "contacts: {b: {kind: friction, slip: x', normal_force: 1.5*L*(1 + 0.2*sin(t)), law: {type: "
             "rate_state, mu: 0.4, a: 0.02, b: %s, length: 0.1*L, velocity: 0.1*L, evolution: %s}}}\n"
             "simulate: {time: [0, 10], initial: {x': 0.7*L}, record: {points: 3}}\n",
             unit, evolution[0] == 's' ? "0.03" : "0.01", evolution);
    slip_model *model = parse(text);
    slip_result *result = run(model, how);
    slip_model_destroy(model);
    return result;
}

static void test_turns_where_it_creeps(void **state)
{
    static const char *const evolutions[] = {"aging", "slip"};
    static const way ways[] = {{"event", NULL, NAN, 1e-11, 1e-9}, {"event", NULL, NAN, 1e-8, 1e-7},
                               {"event", NULL, NAN, 1e-6, 1e-5},  {"smooth", NULL, NAN, 1e-10, 1e-8},
                               {"smooth", NULL, NAN, 1e-8, 1e-6}, {"smooth", NULL, NAN, 1e-6, 1e-5}};
    (void)state;
    for (int e = 0; e < 2; e++) {
        slip_result *truth = run_in(evolutions[e], 1, (way){"smooth", NULL, NAN, 1e-12, 0});
        for (int k = 0; k < 6; k++)
            for (int u = 0; u < 3; u++) {
                /* by `smooth` the absolute part of the tolerance is in the units of the model */
                const double unit = u == 0 ? 1 : u == 1 ? 1e6 : ways[k].method[0] == 'e' ? 1e-6 : 1e-2;
                slip_result *result = run_in(evolutions[e], unit, ways[k]);
                near(slip_result_number(result, "final.x") / unit, slip_result_number(truth, "final.x"),
                     ways[k].error * (u == 2 ? 10 : 1), ways[k].method);
                slip_result_destroy(result);
            }
        slip_result_destroy(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turns_where_it_creeps, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
