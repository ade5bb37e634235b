/* Responses: amplitude and lag of forced motions over the frequency, for one and for many coordinates. */
#include "base/embedded.h"
#include "response_test.h"
#include "slipstick/slipstick.h"

#include <complex.h>

static int follow_points(const char *text, const char *const *settings, const char *over, double start,
                         int harmonics, int points, slip_result **branch)
{
    slip_model *model = parse_with(text, settings);
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    good(slip_axis_parse(ctx, over, &axis));
    options.axis = &axis;
    options.start = start;
    options.harmonics = harmonics;
    options.points = points;
    const int status = slip_branch_follow(ctx, model, &options, branch);
    slip_axis_free(&axis);
    slip_model_destroy(model);
    return status;
}

/* By harmonic balance where there are harmonics, and then few points: what is asked for is at the first. */
static int try_follow(const char *text, const char *const *settings, const char *over, double start,
                      int harmonics, slip_result **branch)
{
    return follow_points(text, settings, over, start, harmonics, harmonics > 0 ? 1 : 0, branch);
}

static slip_result *follow(const char *text, const char *const *settings, const char *over, double start)
{
    slip_result *branch = NULL;
    good(try_follow(text, settings, over, start, 0, &branch));
    return branch;
}

/* There is an end at the value. */
static void expect_end(const slip_result *branch, double value)
{
    for (int64_t k = 0; k < slip_result_label_count(branch); k++) {
        const slip_label *label = slip_result_label(branch, k);
        if (strcmp(label->type, "EP") == 0 && label->value == value)
            return;
    }
    print_error("no end at %g\n", value);
    fail();
}

/* Den Hartog's oscillator, x'' + x = cos w t - mu sgn x': the first harmonic of its exact motion. */
static void den_hartog(void **state)
{
    static const struct {
        const char *mu, *w, *over;
        double amplitude, lag, high;
    } cases[] = {
        {"mu=0.5", "w=0.7", "w=0.7:0.71", 1.77953369398206, 0.6738493793192064, 1.744253936248881},
        {"mu=0.5", "w=1.5", "w=1.5:1.51", 0.557940924299165, 2.4576339127971663, 0.5537749241945383},
        {"mu=0.3", "w=0.8", "w=0.8:0.81", 2.6307166706849108, 0.3912045574810185, 2.626104875723477},
        {"mu=0.2", "w=2.0", "w=2:2.01", 0.3183388851458068, 2.8844061388358107, 0.31797973380564853}};
    (void)state;
    for (int k = 0; k < 8;
         k++) { /* of one coordinate harmonic balance is exact, with any number of harmonics */
        const int harmonics = k < 4 ? 0 : 2 * (k % 4) + 1;
        const char *const settings[] = {cases[k % 4].mu, cases[k % 4].w, NULL};
        slip_result *branch = NULL;
        good(try_follow(
            "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nparameters: {w: 0.7, mu: 0.4}\n"
            "forces: {x: cos(w*t)}\n"
            "contacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"
            "simulate: {time: [0, 60]}\norbit: {period: 2*pi/w}\n",
            settings, cases[k % 4].over, NAN, harmonics, &branch));
        near(at(branch, "x.amplitude", 0), cases[k % 4].amplitude, 1e-10, cases[k % 4].w);
        near(at(branch, "x.lag", 0), cases[k % 4].lag, 1e-10, cases[k % 4].w);
        if (harmonics == 0)
            near(at(branch, "x.max", 0), cases[k].high, 1e-10, cases[k].w);
        slip_result_destroy(branch);
    }
}

#define CHAIN                                                                                                \
    "slipstick: 1\nparameters: {c: 0.02, w: 0.5, P: 0.1}\ncoordinates: [x1, x2]\n"                           \
    "mass: {diagonal: [1, 1]}\nforces: {x1: P*%s}\n"                                                         \
    "springs:\n  - {between: [x1, ground], stiffness: 1, damping: c}\n"                                      \
    "  - {between: [x2, ground], stiffness: 1, damping: c}\n  - {between: [x1, x2], stiffness: 0.3}\n"

/* Two masses without friction: the response is that of the dynamic stiffness, whatever phase the load has,
 * and at resonances, where the motion is many times as large as at the start, too. */
static void linear(void **state)
{
    static const char *const loads[] = {"cos(w*t)", "sin(w*t)", "(2 + cos(w*t + 0.7) + cos(3*w*t))"};
    (void)state;
    for (int l = 0; l < 3; l++) {
        char text[800];
        snprintf(text, sizeof text, CHAIN "simulate: {time: [0, 100]}\norbit: {period: 2*pi/w}\n", loads[l]);
        slip_result *branch = follow(text, NULL, "w=0.5:1.8", NAN);
        const int64_t count = points_of(branch);
        expect_end(branch, 1.8);
        for (int64_t k = 0; k < count; k++) {
            const double w = at(branch, "w", k);
            const double complex own = 1.3 - w * w + I * w * 0.02, det = own * own - 0.09;
            const double complex x[] = {0.1 * own / det, 0.1 * 0.3 / det};
            for (int i = 0; i < 2; i++) {
                const double lag = -carg(x[i]);
                near(at(branch, i ? "x2.amplitude" : "x1.amplitude", k), cabs(x[i]), 1e-9 * cabs(x[0]),
                     loads[l]);
                near(at(branch, i ? "x2.lag" : "x1.lag", k), lag < 0 ? lag + 6.283185307179586477 : lag, 1e-8,
                     loads[l]);
            }
        }
        slip_result_destroy(branch);
    }
}

/* Every eighth point is what a run of many periods settles to. */
static void expect_runs(const slip_result *branch, const char *text, const char *name, double error)
{
    for (int64_t k = 0; k < points_of(branch); k += 8) {
        char value[40], largest[80], series[80];
        snprintf(value, sizeof value, "w=%.17g", at(branch, "w", k));
        snprintf(largest, sizeof largest, "steady.amplitude.%s", name);
        snprintf(series, sizeof series, "%s.amplitude", name);
        const char *const settings[] = {value, "simulate.steady={period: 2*pi/w, within: 4000}", NULL};
        slip_model *model = parse_with(text, settings);
        slip_result *result = run_as_said(model);
        const double amplitude = slip_result_number(result, largest);
        near(at(branch, series, k), amplitude, error * amplitude, value);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* Events in a period, at some points, beside those of settled runs. */
static void expect_events_of_runs(const slip_result *branch, const char *text)
{
    for (int64_t k = 2; k < points_of(branch); k += 20) {
        char value[40];
        snprintf(value, sizeof value, "w=%.17g", at(branch, "w", k));
        const char *const settings[] = {value, "simulate.time=[0, 120]", NULL};
        slip_model *model = parse_with(text, settings);
        slip_orbit_options options = slip_orbit_options_default();
        slip_result *orbit = NULL;
        good(slip_orbit_find(ctx, model, &options, &orbit));
        assert_true((double)slip_result_event_count(orbit) == at(branch, "events", k));
        slip_result_destroy(orbit);
        slip_model_destroy(model);
    }
}

/* A friction damper, a spring with a slider, on the second mass: away from the resonances the slider sticks
 * all the time, and motions with another force of the slider stand beside each other; in both resonances it
 * slips. */
static void damper(void **state)
{
    char text[800];
    (void)state;
    snprintf(text, sizeof text,
             CHAIN
             "contacts: {d: {kind: friction, slip: x2', law: {type: jenkins, mu: 0.2, stiffness: 0.5}}}\n"
             "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n",
             "cos(w*t)");
    slip_result *branch = follow(text, NULL, "w=0.6:2.2", 1.4);
    int64_t slips = 0;
    expect_end(branch, 0.6);
    expect_end(branch, 2.2);
    for (int64_t k = 0; k < points_of(branch); k++)
        slips += at(branch, "events", k) > 0;
    assert_true(slips > 20 && slips < points_of(branch) - 20);
    expect_runs(branch, text, "x1", 1e-5);
    slip_result_destroy(branch);
}

/* An elastic body by its modes, which rubs on a table: the response of a probe is that of the sum of modes.
 */
static void body(void **state)
{
    const char *const text =
        "slipstick: 1\nparameters: {w: 4}\nbodies:\n  bar:\n"
        "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [1, 1]}}\n"
        "    material: {young: 100, poisson: 0, density: 1}\n    fix: [left]\n"
        "    tractions: {top: [0, -1], right: [0.8*cos(w*t), 0]}\n    damping: {ratio: 0.02}\n"
        "    reduce: {modes: 4}\n    probes: {corner: [1, 0.5]}\n"
        "contacts:\n  c: {kind: surface, between: [bar.bottom, {point: [0, 0], normal: [0, 1]}],\n"
        "      law: {type: coulomb, mu: 0.3}}\n"
        "simulate: {method: event, time: [0, 20], initial: static}\norbit: {period: 2*pi/w}\n";
    slip_result *branch = follow(text, NULL, "w=3.75:4", NAN);
    (void)state;
    expect_end(branch, 3.75);
    assert_true(at(branch, "events", 0) > 0);
    expect_runs(branch, text, "bar_1", 1e-6);
    for (int64_t k = 0; k < points_of(branch); k++) {
        /* between a bar that is held by friction and one that is not, far below its resonance at 10 */
        assert_in_range(1e9 * at(branch, "bar.corner.x.amplitude", k), 1e6, 1.2e7);
        assert_true(at(branch, "bar.corner.x.lag", k) < 0.8);
    }
    slip_result_destroy(branch);
    /* Four signatures within a hundredth of the frequency, one of which comes twice: the branch goes straight
     * on and not back to where the signature was before. */
    branch = follow(text, NULL, "w=3.6:4.05", 4);
    expect_end(branch, 3.6);
    expect_end(branch, 4.05);
    for (int64_t k = 1; k < points_of(branch); k++)
        assert_true(at(branch, "w", k) >= at(branch, "w", k - 1) - 1e-9);
    assert_true(slip_result_label_count(branch) >= 6);
    expect_events_of_runs(branch, text);
    slip_result_destroy(branch);
}

/* A rod that strikes a stop: at the graze its harmonic motion is as large as the gap, and turns back there
 * with an impact, to fold into a stable one. */
static void striking_rod(void **state)
{
    static const char *const text =
        "slipstick: 1\nparameters: {w: 10}\nbodies:\n  rod:\n"
        "    mesh: {block: {x: [0, 1], y: [0, 0.5], elements: [1, 1]}}\n"
        "    material: {young: 100, poisson: 0, density: 1}\n    fix: [left, bottom]\n"
        "    tractions: {right: [cos(w*t), 0]}\n    damping: {ratio: 0.05}\n    reduce: {modes: 1}\n"
        "    probes: {tip: [1, 0.5]}\n"
        "contacts:\n  stop: {kind: surface, between: [rod.right, {point: [1.008, 0], normal: [-1, 0]}],\n"
        "      restitution: 0.7}\n"
        "simulate: {method: event, time: [0, 60], initial: static}\norbit: {period: 2*pi/w}\n";
    static const double starts[] = {15, 19};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *branch = follow(text, NULL, "w=14:20", starts[k]);
        double graze = NAN, fold = NAN;
        expect_end(branch, 14);
        expect_end(branch, 20);
        for (int64_t j = 0; j < slip_result_label_count(branch); j++) {
            const slip_label *label = slip_result_label(branch, j);
            if (strcmp(label->type, "GR") == 0)
                graze = label->value;
            else if (strcmp(label->type, "LP") == 0)
                fold = label->value;
        }
        assert_int_equal(slip_result_label_count(branch), 4);
        near(fold, 15.1656837571, 1e-7, "fold");
        for (int64_t j = 0; j < points_of(branch) && k == 0; j++)
            if (at(branch, "w", j) == graze)
                near(at(branch, "rod.tip.x.amplitude", j), 0.008, 1e-10, "amplitude at the graze");
        near(graze, 17.0893408184, k == 0 ? 1e-7 : 6e-3, "graze");
        slip_result_destroy(branch);
    }
}

/* By harmonic balance too a branch goes through the graze of a stop, where derivatives by differences need
 * a hundred times as many motions: x = A cos(w t - lag) grazes where A is the gap. */
static void grazing_balance(void **state)
{
    static const char *const text =
        "slipstick: 1\nparameters: {w: 2.9}\ncoordinates: [x]\nmass: 1\ndamping: 0.06\nstiffness: 1\n"
        "forces: {x: cos(w*t)}\ncontacts: {stop: {kind: unilateral, gap: 0.3 - x, restitution: 0.7}}\n"
        "simulate: {time: [0, 400], initial: {x: -1}}\norbit: {period: 2*pi/w}\n";
    const double z = 0.03, s = 0.3, b = 2 - 4 * z * z;
    slip_result *branch = NULL;
    (void)state;
    good(follow_points(text, NULL, "w=2.04:3", NAN, 9, 0, &branch));
    const slip_label *label = slip_result_label(branch, 0);
    assert_string_equal(label->type, "GR");
    near(label->value, sqrt((b + sqrt(b * b - 4 * (1 - 1 / (s * s)))) / 2), 1e-10, "graze");
    expect_end(branch, 2.04);
    expect_end(branch, 3);
    slip_result_destroy(branch);
}

#define MASSES                                                                                               \
    "slipstick: 1\nparameters: {w: 0.7, c: 0.02}\ncoordinates: [x1, x2, x3]\n"                               \
    "mass: {diagonal: [1, 1, 1]}\nforces: {x1: cos(w*t)}\nsimulate: {time: [0, 400]}\n"                      \
    "orbit: {period: 2*pi/w}\nsprings:\n  - {between: [x1, ground], stiffness: 1, damping: c}\n"             \
    "  - {between: [x1, x2], stiffness: 1, damping: c}\n  - {between: [x2, x3], stiffness: 1, damping: c}\n"

/* Three masses, and contacts on the last one or two: harmonic balance comes closer to shooting with more
 * harmonics, with the fourth power of their number where forces jump, and sees the same events. */
static void balance(void **state)
{
    static const struct {
        const char *contacts;
        double coarse, fine; /* errors of 4 and of 8 harmonics */
    } cases[] = {
        {"contacts: {pad: {kind: friction, slip: x3', law: {type: coulomb, mu: 0.3}}}\n", 4e-4, 2e-5},
        {"contacts: {pad: {kind: friction, slip: x3' - 0.1*cos(w*t), law: {type: stribeck, mu: 0.3,"
         " static_ratio: 1.2, velocity: 0.4}}}\n",
         4e-4, 2e-5},
        {"contacts: {damper: {kind: friction, slip: x3', law: {type: jenkins, mu: 0.2, stiffness: 0.5}}}\n",
         4e-4, 2e-5},
        {"contacts: {stop: {kind: unilateral, gap: 0.9 - x3, restitution: 0.6}}\n", 2e-3, 2e-4},
        {"contacts: {a: {kind: friction, slip: x2', law: {type: coulomb, mu: 0.1}},"
         " b: {kind: friction, slip: x3' - x2', law: {type: coulomb, mu: 0.15}}}\n",
         4e-4, 2e-5}};
    char text[1200];
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(text, sizeof text, MASSES "%s", cases[k].contacts);
        slip_result *shot = follow(text, NULL, "w=0.7:0.701", NAN);
        for (int turn = k > 0; turn < 2; turn++) {
            slip_result *balanced = NULL;
            good(try_follow(text, NULL, "w=0.7:0.701", NAN, turn ? 8 : 4, &balanced));
            const double error = turn ? cases[k].fine : cases[k].coarse;
            near(at(balanced, "x1.amplitude", 0), at(shot, "x1.amplitude", 0), error, cases[k].contacts);
            near(at(balanced, "x3.amplitude", 0), at(shot, "x3.amplitude", 0), error, cases[k].contacts);
            near(at(balanced, "x3.lag", 0), at(shot, "x3.lag", 0), error, cases[k].contacts);
            near(at(balanced, "x1.max", 0), at(shot, "x1.max", 0), 40 * error, cases[k].contacts);
            assert_true(at(balanced, "events", 0) == at(shot, "events", 0));
            assert_true(isnan(at(balanced, "multiplier", 0)));
            slip_result_destroy(balanced);
        }
        slip_result_destroy(shot);
    }
}

/* What harmonic balance does not take is refused with the reason. */
static void refused(void **state)
{
    static const struct {
        const char *text, *over, *says;
        int harmonics;
    } cases[] = {
        {MASSES "contacts: {stop: {kind: unilateral, gap: 0.9 - x3^2}}\n", "w=0.7:0.8", "contact `stop`", 3},
        {MASSES, "w=0.7:0.8", "no contact", 3},
        {MASSES "contacts: {pad: {kind: friction, slip: x3', normal_force: 2 + x1, law: {type: coulomb, mu: "
                "0.3}}}\n",
         "w=0.7:0.8", "normal force depends on the motion", 3},
        {MASSES "contacts: {pad: {kind: friction, slip: x3', law: {type: coulomb, mu: 0.3}}}\n", "w=0.7:0.8",
         "branch.harmonics: found 61", 61},
        {"slipstick: 1\nparameters: {a: 1}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nforces: {x: "
         "-a*x^3}\n"
         "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 0.3}}}\n"
         "simulate: {time: [0, 10]}\norbit: {period: 6}\n",
         "a=1:2", "is not linear", 3}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_result *branch = NULL;
        assert_true(try_follow(cases[k].text, NULL, cases[k].over, NAN, cases[k].harmonics, &branch) < 0);
        assert_null(branch);
        assert_non_null(strstr(slip_context_message(ctx), cases[k].says));
    }
}

/* In wide steps changes of the signature are found from points that are far off; one was told at 0.0579988
 * here, as near as those come to it. The value is that of steps a tenth as long. */
static void chain_in_wide_steps(void **state)
{
    slip_result *branch = NULL;
    bool found = false;
    (void)state;
    good(follow_points(slip_example_text("harmonic-balance"), NULL, "w=0.05:0.3", NAN, 7, 3000, &branch));
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        found = found || fabs(slip_result_label(branch, k)->value - 0.05796007320) < 1e-9;
    assert_true(found);
    slip_result_destroy(branch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(den_hartog),
                                       cmocka_unit_test_of_numbers(balance),
                                       cmocka_unit_test_of_numbers(grazing_balance),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(linear),
                                       cmocka_unit_test_of_numbers(damper),
                                       cmocka_unit_test_of_numbers(body),
                                       cmocka_unit_test_of_numbers(striking_rod),
                                       cmocka_unit_test_of_numbers(chain_in_wide_steps)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
