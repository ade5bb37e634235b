/* Branches of motions that stick for a part of the period or all the time: dampers and chains. */
#include "branch_test.h"

/* The spring beside the sliders stays where it was hung up, in the middle of a motion that is symmetric. */
static void spring_beside_sliders(void **state)
{
    slip_result *branch = follow(
        "slipstick: 1\nparameters: {w: 0.788}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nsprings:\n"
        "  - {between: [x, ground], stiffness: 1, damping: 0.1}\n"
        "  - {between: [x, y], stiffness: 1.16, damping: 0.02}\nforces: {y: 1.93*cos(w*t)}\ncontacts:\n"
        "  h: {kind: friction, slip: x', normal_force: 1.05, law: {type: iwan, elements: [[3, 0.3], [2, "
        "0.4]], stiffness: 0.2}}\nsimulate: {time: [0, 150]}\norbit: {period: 2*pi/w}\n",
        "w=0.5:1.2", NAN, NAN, 0);
    int64_t count = 0;
    const double *high = slip_result_series(branch, "x.max", &count),
                 *low = slip_result_series(branch, "x.min", NULL);
    (void)state;
    assert_true(count > 10);
    for (int64_t k = 0; k < count; k++)
        assert_true(fabs(high[k] + low[k]) < 1e-9 * high[k]);
    EXPECT(branch, {"EP", 0.5, 0}, {"EP", 1.2, 0});
}

#define TWO_MASSES                                                                                           \
    "  - {between: [x1, ground], stiffness: 1, damping: 0.01}\n"                                             \
    "  - {between: [x2, ground], stiffness: 1, damping: 0.01}\n"                                             \
    "  - {between: [x1, x2], stiffness: 0.3}\n"
#define UNDER_LOAD                                                                                           \
    "forces: {x1: 0.1*cos(w*t)}\nsimulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n"                      \
    "slipstick: 1\nparameters: {w: 1.4}\n"

/* A friction damper that slips in both resonances, from either side of them and from within: its slider by a
 * law, and the same as a coordinate without mass. */
static void through_stick(void **state)
{
    static const char *const texts[] = {
        UNDER_LOAD "coordinates: [x1, x2]\nmass: {diagonal: [1, 1]}\nsprings:\n" TWO_MASSES
                   "contacts:\n  damper: {kind: friction, slip: x2', law: {type: jenkins, mu: 0.2, "
                   "stiffness: 0.5}}\n",
        UNDER_LOAD "coordinates: [x1, x2, u]\nmass: {diagonal: [1, 1, 0]}\nsprings:\n" TWO_MASSES
                   "  - {between: [x2, u], stiffness: 0.5}\ncontacts:\n  damper: {kind: friction, slip: "
                   "u', law: {type: coulomb, mu: 0.2}}\n"};
    /* where the force of the spring reaches the limit, of the linear system with the damper as a spring */
    const expected a = {"SL", 1.0361478203, 1e-7}, b = {"SL", 1.1273461950, 1e-7},
                   c = {"SL", 1.3525533947, 1e-7}, d = {"SL", 1.4233367716, 1e-7}, low = {"EP", 0.6, 0},
                   high = {"EP", 2, 0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        EXPECT(follow(texts[k], "w=0.6:2", 1.4, 0.02, 0), c, b, a, low, d, high);
        EXPECT(follow(texts[k], "w=0.6:2", 1, 0.02, 0), low, a, b, c, d, high);
        EXPECT(follow(texts[k], "w=0.6:2", 0.6, 0.02, 0), a, b, c, d, high);
    }
}

/* A slider without mass that slips where the period starts is at its limit but for the rounding of its place:
 * it does not stick there first, which would be an event more. */
static void slider_at_its_limit(void **state)
{
    (void)state;
    EXPECT(follow("slipstick: 1\nparameters: {w: 0.81222345874098223}\ncoordinates: [x, u]\n"
                  "mass: {diagonal: [1, 0]}\nsprings:\n"
                  "  - {between: [x, ground], stiffness: 1, damping: 0.05}\n"
                  "  - {between: [x, u], stiffness: 1.1080386607658177}\n"
                  "forces: {x: 1.9942117851779417*cos(w*t)}\ncontacts:\n"
                  "  foot: {kind: friction, slip: u', normal_force: 0.4054939737816822, law: {type: coulomb, "
                  "mu: 0.5}}\nsimulate: {time: [0, 120]}\norbit: {period: 2*pi/w}\n",
                  "w=0.5:1.5", NAN, NAN, 0),
           {"EP", 0.5, 0}, {"EP", 1.5, 0});
}

/* A block that sticks under a load too small for it is in the middle of where it may. With u = w^2 it begins
 * to slip where (2 - u)^2 + 0.01 u = 1 + 0.0025 u. */
static void middle(void **state)
{
    slip_result *branch =
        follow("slipstick: 1\nparameters: {w: 3}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nsprings:\n"
               "  - {between: [ground, x], stiffness: 1, damping: 0.05}\n"
               "  - {between: [x, y], stiffness: 1, damping: 0.05}\nforces: {x: 0.3*cos(w*t)}\ncontacts:\n"
               "  f: {kind: friction, slip: y', normal_force: 1, law: {type: coulomb, mu: 0.3}}\n"
               "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n",
               "w=0.3:3", 3, NAN, 0);
    int64_t count = 0;
    const double *y = slip_result_series(branch, "y.max", &count), *events;
    events = slip_result_series(branch, "events", NULL);
    (void)state;
    for (int64_t k = 0; k < count; k++)
        assert_true(events[k] > 0 || fabs(y[k]) < 1e-6);
    EXPECT(branch, {"SL", 1.7287940151, 1e-7}, {"SL", 1.617827246, 1e-8}, {"SL", 1.317096970, 1e-8},
           {"SL", 1.0018838522, 1e-7}, {"EP", 0.3, 0});
}

#define CHAIN                                                                                                \
    "slipstick: 1\nparameters: {w: 0.45, c: 0.05}\ncoordinates: [x, y, u]\nmass: {diagonal: [1, 1.2, "       \
    "0.8]}\nsprings:\n  - {between: [x, ground], stiffness: 1, damping: c}\n"                                \
    "  - {between: [x, y], stiffness: 0.7, damping: c}\n"                                                    \
    "  - {between: [y, u], stiffness: 0.9, damping: c}\nforces: {x: 0.6*cos(w*t)}\ncontacts:\n"              \
    "  a: {kind: friction, slip: y', law: {type: coulomb, mu: 0.2}}\n"                                       \
    "  b: {kind: friction, slip: u', law: {type: coulomb, mu: 0.1}}\n"                                       \
    "simulate: {time: [0, 400]}\norbit: {period: 2*pi/w}\n"

/* Three masses, of which one slides with stops and the last sticks in the middle of a range: it gives way
 * where the force of its springs in the motion of the other two (runs with the last one fixed) is its limit,
 * and the branch goes on there from within and from either side. */
static void out_of_stick(void **state)
{
    static const double starts[] = {0.45, 0.437, 0.49}, ends[] = {0.443002452030, 0.461217434974};
    (void)state;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        slip_result *branch = follow(CHAIN, "w=0.436:0.5", starts[k], NAN, 0);
        int found = 0;
        for (int64_t i = 0; i < slip_result_label_count(branch); i++) {
            const slip_label *label = slip_result_label(branch, i);
            found += fabs(label->value - ends[0]) < 1e-10 || fabs(label->value - ends[1]) < 1e-10;
            found += strcmp(label->note, "end of the range") == 0;
            assert_true(strcmp(label->type, "SL") == 0 || strcmp(label->note, "end of the range") == 0);
        }
        assert_int_equal(found, 4);
        slip_result_destroy(branch);
    }
}

/* The start of the period moves with the events, and stays at early instants: at late ones states turn fast
 * with the frequency, and the branch took 400 steps without coming to its end. There single orbits slip four
 * times in a period. */
static void slowly(void **state)
{
    slip_result *branch = follow(
        OSCILLATOR "damping: [[0.05]]\nparameters: {w: 0.5}\nforces: {x: cos(w*t)}\ncontacts:\n"
                   "  f: {kind: friction, slip: x', law: {type: coulomb, mu: 0.4, static_ratio: 1.3}}\n",
        "w=0.1:2", 0.5, NAN, 0);
    int64_t count;
    const double *events = slip_result_series(branch, "events", &count);
    (void)state;
    assert_true(count < 200);
    assert_close(events[0], 8, 0);
    assert_close(slip_result_series(branch, "w", NULL)[0], 0.1, 0);
    slip_result_destroy(branch);
}

/* Events that change their order in time: there the branch goes straight on, next to motions that are not of
 * it. Values are those on whose two sides single orbits have the two orders. */
static void orders(void **state)
{
    static const double starts[] = {0.55, 0.45, 0.43}, values[] = {0.4250905307, 0.442967282, 0.5716654};
    (void)state;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        slip_result *branch = follow(CHAIN, "w=0.42:0.6", starts[k], NAN, 0);
        int found = 0;
        for (int64_t i = 0; i < slip_result_label_count(branch); i++)
            for (size_t m = 0; m < sizeof values / sizeof *values; m++)
                found += fabs(slip_result_label(branch, i)->value - values[m]) < (m == 2 ? 1e-7 : 1e-9);
        assert_int_equal(found, 3);
        slip_result_destroy(branch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_of_numbers(through_stick),
                                       cmocka_unit_test_of_numbers(slider_at_its_limit),
                                       cmocka_unit_test_of_numbers(spring_beside_sliders),
                                       cmocka_unit_test(middle),
                                       cmocka_unit_test_of_numbers(out_of_stick),
                                       cmocka_unit_test_of_numbers(orders),
                                       cmocka_unit_test_of_numbers(slowly)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
