/* Friction in the plane and of areas does not depend on the unit of length: neither what happens, nor when,
 * nor how exactly it is found. Displacements, velocities, loads and normal forces are multiplied by it. */
#include "motion_test.h"

static const double units[] = {1, 1e-6, 1e-3, 1e6};
enum { unit_count = sizeof units / sizeof *units };

static slip_result *run_in(const char *text, double unit)
{
    char setting[40];
    const char *settings[] = {setting, NULL};
    snprintf(setting, sizeof setting, "L=%g", unit);
    slip_model *model = parse_with(text, settings);
    slip_result *result = run_as_said(model);
    slip_model_destroy(model);
    return result;
}

/* A block on an incline with a cross velocity stops at the same time, at L times the place. */
static void test_incline(void **state)
{
    static const char text[] = "slipstick: 1\nparameters: {L: 1}\ncoordinates: [x, y]\n"
                               "mass: {diagonal: [1, 1]}\nforces: {x: 9.81*L*sin(0.3)}\n"
                               "contacts: {block: {kind: friction, slip: [x', y'], normal_force: "
                               "9.81*L*cos(0.3), law: {type: coulomb, mu: 0.5}}}\n"
                               "simulate: {time: [0, 1], initial: {y': 2*L}, tolerance: 1e-12}\n";
    (void)state;
    for (int k = 0; k < unit_count; k++) {
        slip_result *result = run_in(text, units[k]);
        assert_int_equal(slip_result_event_count(result), 1);
        near(slip_result_event(result, 0)->time, 0.6914766235042755, 1e-10, "time of the stop");
        near(slip_result_number(result, "final.x") / units[k], 0.213898785407538, 1e-10, "x");
        near(slip_result_number(result, "final.y") / units[k], 0.47197257496895906, 1e-10, "y");
        slip_result_destroy(result);
    }
}

/* Stick and slip in the plane under loads that turn, from which a point and an area come to rest and go on
 * again: the same events at the same times. */
static void same_events(const char *contact)
{
    char text[1000];
    slip_result *first = NULL;
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {L: 1}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
             "damping: {diagonal: [0.05, 0.05]}\nstiffness: {diagonal: [2, 2]}\n"
             "forces: {x: L*(sin(1.3*t) + 0.2), y: 0.8*L*cos(2*t)}\n"
             "contacts: {b: %s}\nsimulate: {time: [0, 10], initial: {x': 0.7*L}, tolerance: 1e-10}\n",
             contact);
    for (int k = 0; k < unit_count; k++) {
        slip_result *result = run_in(text, units[k]);
        first = first ? first : result;
        assert_int_equal(slip_result_event_count(result), slip_result_event_count(first));
        assert_true(slip_result_event_count(result) > 2);
        for (int64_t i = 0; i < slip_result_event_count(result); i++)
            near(slip_result_event(result, i)->time, slip_result_event(first, i)->time, 1e-9, contact);
        near(slip_result_number(result, "final.x") / units[k], slip_result_number(first, "final.x"), 1e-9,
             contact);
        near(slip_result_number(result, "final.y") / units[k], slip_result_number(first, "final.y"), 1e-9,
             contact);
        if (k > 0)
            slip_result_destroy(result);
    }
    slip_result_destroy(first);
}

static void test_events(void **state)
{
    (void)state;
    same_events("{kind: friction, slip: [x', y'], normal_force: 1.5*L*(1 + 0.2*sin(t)), law: {type: coulomb, "
                "mu: 0.7}}");
    same_events("{kind: friction, slip: [x', y'], normal_force: 1.5*L, law: {type: coulomb, mu: [0.7, 0.5], "
                "static_ratio: 1.3}}");
    same_events(
        "{kind: patch, slip: {x: x', y: y'}, normal_force: 1.5*L, area: {shape: disc, radius: L}, law: "
        "{type: coulomb, mu: 0.7, static_ratio: 1.2}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_incline, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_events, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
