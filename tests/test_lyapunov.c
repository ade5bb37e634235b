/* Lyapunov exponents against closed forms, multipliers of periodic motions, and references of chaotic ones.
 */
#include "base/embedded.h"
#include "model_test.h"

#include "slipstick/basin.h"
#include "slipstick/bifurcation.h"
#include "slipstick/branch.h"
#include "slipstick/lyapunov.h"
#include "slipstick/simulation.h"
#include "slipstick/sweep.h"

#include <stddef.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

#define ONE "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
#define IMPACT                                                                                               \
    "slipstick: 1\nparameters: {z: 0, s: 0, r: 0.8, w: 2.8, x0: -0.3}\ncoordinates: [x]\nmass: [[1]]\n"      \
    "damping: [[2*z]]\nstiffness: [[1]]\nforces: {x: cos(w*t)}\n"                                            \
    "contacts: {stop: {kind: unilateral, gap: s - x, restitution: r}}\n"                                     \
    "simulate: {time: [0, 150], initial: {x: x0}}\nlyapunov: {interval: 2*pi/w}\n"
#define BELT(vb, law, more)                                                                                  \
    ONE "parameters: {vb: " vb                                                                               \
        ", x0: 0.3}\ncontacts: {belt: {kind: friction, slip: \"x' - vb\", law: {type: "                      \
        "stribeck, " law ", exponent: 1}}}\nsimulate: {time: [0, 150], initial: {x: x0}}\n" more

static slip_result *exponents(const slip_model *model, int64_t intervals)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_result *result = NULL;
    options.intervals = intervals;
    if (slip_lyapunov(ctx, model, &options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

/* The numbers are within `times` their errors of what is expected. */
static void expect(const slip_result *result, int count, const double *expected, double times, double besides)
{
    int64_t found;
    const double *value = slip_result_series(result, "exponents.value", &found),
                 *error = slip_result_series(result, "exponents.error", NULL);
    assert_int_equal(found, count);
    for (int i = 0; i < count; i++)
        if (isinf(expected[i]) ? value[i] != expected[i]
                               : !(fabs(value[i] - expected[i]) <= times * error[i] + besides))
            fail_msg("exponent %d: %.12g with error %.3g, expected %.12g", i + 1, value[i], error[i],
                     expected[i]);
}

static void check(const char *text, int count, const double *expected, double sum, double exact)
{
    slip_model *model = parse(text);
    slip_result *result = exponents(model, 1000);
    expect(result, count, expected, 4, 1e-9);
    if (!(fabs(slip_result_number(result, "sum") - sum) < exact))
        fail_msg("sum %.15g, expected %.15g", slip_result_number(result, "sum"), sum);
    assert_true(slip_result_number(result, "skipped") == 0);
    assert_true(slip_result_number(result, "chaotic") == 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- Closed forms: real parts of eigenvalues; the sum is the trace. */

static void linear_systems(void **state)
{
    (void)state;
    check(ONE "damping: [[0.2]]\nsimulate: {time: [0, 50], initial: {x: 1}}\n", 2,
          (const double[]){-0.1, -0.1}, -0.2, 1e-12);
    check(ONE "damping: [[3]]\nsimulate: {time: [0, 50], initial: {x: 1}}\n", 2,
          (const double[]){-0.3819660112501051, -2.618033988749895}, -3, 1e-11);
    check(
        "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\ndamping: [[0.2, -0.1], [-0.1, 0.2]]\n"
        "stiffness: [[2, -1], [-1, 2]]\nstates: {s: x - 0.5*s}\nsimulate: {time: [0, 50], initial: {x: 1}}\n",
        5, (const double[]){-0.05, -0.05, -0.15, -0.15, -0.5}, -0.9, 1e-10);
}

/* ---- Periodic motions: logarithms of multipliers over the period. */

static void periodic_motions(void **state)
{
    static const char *const stop[] = {"z=0.05", "s=0.5", "w=1.8", "x0=0.4", "simulate.time=[0, 400]", NULL};
    const double impacts = -0.11392591857932566;
    (void)state;
    /* Den Hartog's oscillator without stops: areas shrink where the velocity turns. */
    check(ONE "forces: {x: cos(0.7*t)}\ncontacts: {floor: {kind: friction, slip: x', law: {type: coulomb, "
              "mu: 0.5}}}\n"
              "simulate: {time: [0, 200], initial: {x: 1}}\nlyapunov: {interval: 2*pi/0.7}\n",
          2, (const double[]){-0.1492979595519009, -0.1492979595519009}, -2 * 0.1492979595519009, 1e-9);
    /* One impact in each period of the load. */
    slip_model *model = parse_with(IMPACT, stop);
    slip_result *result = exponents(model, 1000);
    expect(result, 2, (const double[]){impacts, impacts}, 4, 0);
    assert_true(fabs(slip_result_number(result, "sum") - 2 * impacts) < 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* The cycle of a block on a belt: along itself nothing grows, and stick forgets the rest. */
static void stick_forgets(void **state)
{
    static const char *const own[] = {"simulate.steady.period=auto", NULL}; /* says nothing of the interval */
    slip_model *model =
        parse_with(BELT("0.6", "mu: 0.5, static_ratio: 2, velocity: 0.5", "damping: [[0.1]]\n"), own);
    slip_result *result = exponents(model, 500);
    (void)state;
    expect(result, 2, (const double[]){0, -INFINITY}, 1, 1e-4);
    assert_int_equal(slip_result_number(result, "lost"), 1);
    assert_non_null(strstr(slip_result_summary(ctx, result), "\"belt\""));
    assert_true(fabs(slip_result_number(result, "dimension") - 1) < 1e-12);
    slip_result_destroy(result);
    slip_model_destroy(model);
    /* At rest in stick: the place stays as it is, velocities are forgotten. */
    model = parse(ONE "contacts: {floor: {kind: friction, slip: x', law: {type: coulomb, mu: 0.5}}}\n"
                      "simulate: {time: [0, 50], initial: {x: 0.2}}\n");
    result = exponents(model, 64);
    expect(result, 2, (const double[]){0, -INFINITY}, 0, 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* What has no mass has no state of its own: eigenvalues are those of x'' + x + 2 (x - u) = 0, 0.7 u' = 2 (x -
 * u). Deflections of elements that yield are forgotten, of both. Beside stick no other exponent is lost: one
 * that is too small for the interval, -6 - sqrt(35), is refused. */
static void only_what_is_forgotten_is_lost(void **state)
{
    static const char apart[] = "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nstiffness: "
                                "{diagonal: [1, 1]}\ndamping: "
                                "{diagonal: [0, 12]}\nforces: {x: 2*cos(0.5*t)}\ncontacts: {f: {kind: "
                                "friction, slip: x', law: {type: "
                                "coulomb, mu: 0.9}}}\nsimulate: {time: [0, 100], initial: {x: 1, y: "
                                "0.1}}\nlyapunov: {interval: 0.5}\n";
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\nsprings: [{between: [x, ground], "
              "stiffness: 1}, {between: [x, u], stiffness: 2}, {between: [u, ground], damping: 0.7}]\n"
              "simulate: {time: [0, 10], initial: {x: 1}}\nlyapunov: {interval: 1}\n");
    slip_result *result = exponents(model, 500);
    (void)state;
    /* of l^3 + 2/0.7 l^2 + 3 l + 2/0.7 */
    expect(result, 4, (const double[]){-0.39110140, -0.39110140, -2.07494007, -INFINITY}, 4, 1e-7);
    slip_result_destroy(result);
    slip_model_destroy(model);
    model =
        parse(ONE "forces: {x: cos(0.8*t)}\ndamping: [[0.2]]\ncontacts: {foot: {kind: friction, slip: x', "
                  "law: {type: iwan, elements: [[2, 0.2], [1, 0.3]]}}}\n"
                  "simulate: {time: [0, 50], initial: {x: 1}}\nlyapunov: {interval: 1}\n");
    result = exponents(model, 500);
    assert_int_equal(slip_result_number(result, "lost"), 2);
    slip_result_destroy(result);
    slip_model_destroy(model);
    model = parse(apart);
    result = exponents(model, 400);
    assert_int_equal(slip_result_number(result, "lost"), 1);
    assert_close(slip_result_series(result, "exponents.value", NULL)[2], -6 - sqrt(35), 1e-9);
    slip_result_destroy(result);
    options.interval = "4*pi";
    assert_int_equal(slip_lyapunov(ctx, model, &options, &result), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(ctx), "expected a shorter interval"));
    slip_model_destroy(model);
}

/* ---- Chaos. */

static int count_impacts(void *user, const slip_event *event)
{
    double *from = user;
    from[1] += event->time > from[0];
    return 0;
}

/* An impact oscillator without damping: areas shrink by r^2 at each impact, so that the sum is known from
 * their number; the largest exponent is 0.142, and errors are what they say. */
/* Without restitution, and off the stop again at once: after each impact the motion has the state (s, 0), and
 * all that differs is when. With x = p(t) + A cos(t - t0) + B sin(t - t0), p = c cos(w t), from one impact,
 * at w t0 = f, to the next, T later: s (1 - cos T) = c cos(f) (1 - cos T) + c w sin(f) sin T, and an instant
 * that is later by d is later by d a sin T/v then: a after an impact, v before. */
static void impacts_without_restitution(void **state)
{
    static const char *const w[] = {"w=1.8", "w=2.2"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double rate = k == 0 ? 1.8 : 2.2, T = 2 * pi / rate, c = 1 / (1 - rate * rate), s = 0.2,
                     even = c * (1 - cos(T)), odd = c * rate * sin(T),
                     f = atan2(odd, even) - acos(s * (1 - cos(T)) / hypot(even, odd)),
                     v = c * rate * sin(f) * (cos(T) - 1) - (s - c * cos(f)) * sin(T),
                     expected[] = {log(fabs((cos(f) - s) * sin(T) / v)) / T, -INFINITY};
        slip_model *model = parse_with(IMPACT, (const char *const[]){"r=0", "s=0.2", w[k], NULL});
        slip_result *result = exponents(model, 200);
        expect(result, 2, expected, 4, 1e-9);
        assert_true(slip_result_number(result, "lost") == 1);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

static void a_chaotic_impact_oscillator(void **state)
{
    const int starts = test_sanitized ? 1 : 6;
    double squares = 0;
    (void)state;
    for (int k = 0; k < starts; k++) {
        char set[40];
        snprintf(set, sizeof set, "x0=%g", -0.3 - 0.05 * k);
        slip_model *model = parse_with(IMPACT, (const char *const[]){set, NULL});
        const int64_t intervals = test_sanitized ? 200 : 1500;
        slip_result *result = exponents(model, intervals), *run_result = NULL;
        expect(result, 2, (const double[]){0.14193973541, -0.352235187}, 4, 0.005);
        assert_true(slip_result_number(result, "chaotic") == 1 || test_sanitized);
        assert_int_equal(slip_result_number(result, "lost"), 0);
        const double value = slip_result_series(result, "exponents.value", NULL)[0],
                     error = slip_result_series(result, "exponents.error", NULL)[0];
        squares += (value - 0.14193973541) * (value - 0.14193973541) / (error * error) / starts;
        if (k == 0) {
            const double period = 2 * pi / 2.8;
            double from[2] = {150 + 6 * period, 0};
            slip_run_options run = slip_run_options_default();
            run.event_observer = count_impacts;
            run.observer_user = from;
            slip_result_destroy(result);
            slip_lyapunov_options options = slip_lyapunov_options_default();
            options.intervals = 64; /* shorter, so that both go the same way */
            options.transient = 150;
            assert_int_equal(slip_lyapunov(ctx, model, &options, &result), SLIP_OK);
            run.end = from[0] + 64 * period;
            assert_int_equal(slip_run(ctx, model, &run, &run_result), SLIP_OK);
            slip_result_destroy(run_result);
            const double sum = 2 * log(0.8) * from[1] / (64 * period);
            if (!(fabs(slip_result_number(result, "sum") - sum) < 1e-9))
                fail_msg("sum %.15g, expected %.15g", slip_result_number(result, "sum"), sum);
        }
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    print_message("deviations over their errors: %g\n", sqrt(squares));
    assert_true(sqrt(squares) < 2);
}

/* What chaotic motions do on the average: impacts in a unit of time; phases of stick in a period of the load,
 * and how much of the time they take. */
typedef struct counts {
    double from, last, events, stuck;
} counts;

static int count_phases(void *user, const slip_event *event)
{
    counts *c = user;
    if (event->time < c->from)
        return 0;
    c->events += event->to == SLIP_MODE_STICK || event->from == SLIP_MODE_OPEN;
    if (event->to == SLIP_MODE_STICK)
        c->last = event->time;
    else if (event->from == SLIP_MODE_STICK && c->last > 0)
        c->stuck += event->time - c->last;
    return 0;
}

static counts count(const char *text, double from, double end)
{
    slip_model *model = parse(text);
    counts c = {.from = from};
    slip_run_options run = slip_run_options_default();
    slip_result *result = NULL;
    run.event_observer = count_phases;
    run.observer_user = &c;
    run.end = end;
    assert_int_equal(slip_run(ctx, model, &run, &result), SLIP_OK);
    slip_result_destroy(result);
    slip_model_destroy(model);
    return c;
}

static void averages(void **state)
{
    const double time = 40000 * 2 * pi / 1.9;
    (void)state;
    const counts impacts = count(IMPACT, 150, 20150),
                 phases = count(BELT("0.2", "mu: 0.4, static_ratio: 2.5, velocity: 0.3",
                                     "forces: {x: 0.5*cos(1.9*t)}\n"),
                                150, 150 + time);
    print_message("%g impacts in a unit of time; %g phases of stick in a period, %g of the time\n",
                  impacts.events / 20000, phases.events / 40000, phases.stuck / time);
    assert_true(fabs(impacts.events / 20000 - 0.4712111341875) < 0.002);
    assert_true(fabs(phases.events / 40000 - 0.741975) < 0.005);
    assert_true(fabs(phases.stuck / time - 0.45895) < 0.003);
}

/* A body that leaves its stop from rest just where the load passes zero, late in time: the time is rounded,
 * and with it the load, which is all that there is to compare with. */
static void lift_off_from_rest(void **state)
{
    slip_model *model = parse_with(IMPACT, (const char *const[]){"w=2.9", "x0=-0.5", NULL});
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_result *result = NULL;
    (void)state;
    options.intervals = 500;
    options.transient = 100;
    if (slip_lyapunov(ctx, model, &options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    assert_int_equal(slip_result_number(result, "lost"), 2); /* at rest it forgets where it was */
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void a_chaotic_friction_oscillator(void **state)
{
    slip_model *model = parse(BELT("0.2", "mu: 0.4, static_ratio: 2.5, velocity: 0.3",
                                   "forces: {x: 0.5*cos(1.9*t)}\nlyapunov: {interval: 2*pi/1.9}\n"));
    slip_result *result = exponents(model, test_sanitized ? 200 : 2000);
    (void)state;
    expect(result, 2, (const double[]){0.110818358825, -INFINITY}, 4, 0.002);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Duffing's oscillator has no events: the sum is minus the damping; two runs next to each other part as the
 * largest exponent says. */
static void a_smooth_oscillator(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nparameters: {x0: 0}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.15]]\n"
              "forces: {x: x - x^3 + 0.3*cos(t)}\nsimulate: {time: [0, 200], initial: {x: x0}}\n"
              "lyapunov: {interval: 2*pi}\n");
    const int64_t intervals = test_sanitized ? 100 : 600;
    slip_result *result = exponents(model, intervals);
    const double value = slip_result_series(result, "exponents.value", NULL)[0],
                 error = slip_result_series(result, "exponents.error", NULL)[0];
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    double q, v, dq = 1e-7, dv = 0, sum = 0;
    (void)state;
    assert_true(fabs(slip_result_number(result, "sum") + 0.15) < 1e-7);
    assert_int_equal(slip_simulation_open(ctx, model, NULL, &options, &s), SLIP_OK);
    assert_int_equal(slip_simulation_advance(ctx, s, 200), SLIP_OK);
    for (int64_t k = 0; k < intervals; k++) {
        const double t = 200 + 2 * pi * (double)k, end = 200 + 2 * pi * (double)(k + 1);
        double q0, v0;
        slip_simulation_state(s, &q0, &v0);
        q = q0 + dq;
        v = v0 + dv;
        assert_int_equal(slip_simulation_set_state(ctx, s, t, &q, &v), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s, end), SLIP_OK);
        slip_simulation_state(s, &q, &v);
        assert_int_equal(slip_simulation_set_state(ctx, s, t, &q0, &v0), SLIP_OK);
        assert_int_equal(slip_simulation_advance(ctx, s, end), SLIP_OK);
        slip_simulation_state(s, &q0, &v0);
        const double size = hypot(q - q0, v - v0);
        sum += log(size / 1e-7);
        dq = (q - q0) / size * 1e-7;
        dv = (v - v0) / size * 1e-7;
    }
    print_message("%g with error %.2g; two runs: %g\n", value, error, sum / (2 * pi * (double)intervals));
    assert_true(fabs(sum / (2 * pi * (double)intervals) - value) < 6 * error && value > 4 * error);
    slip_simulation_close(s);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- Requests. */

/* x = -cos 2t comes to the stop at rest in each period. */
#define GRAZING                                                                                              \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nforces: {x: 3*cos(2*t)}\n"               \
    "contacts: {stop: {kind: unilateral, gap: 1 - x, restitution: 0.7}}\n"                                   \
    "simulate: {method: event, time: [0, pi], initial: {x: -1}}\n"

static void wrong_requests_are_refused(void **state)
{
    static const struct {
        const char *text;
        slip_lyapunov_options options;
        int status;
        const char *message;
    } cases[] = {
        {ONE, {.transient = NAN}, SLIP_ERROR_USAGE, "expected more than 0: --interval"},
        {ONE, {.interval = "-1", .transient = NAN}, SLIP_ERROR_USAGE, "the interval is -1"},
        {ONE, {.interval = "1/y", .transient = NAN}, SLIP_ERROR_USAGE, "y"},
        {ONE, {.interval = "1", .transient = -1}, SLIP_ERROR_USAGE, "transient"},
        {ONE, {.interval = "1", .transient = NAN, .intervals = 10}, SLIP_ERROR_USAGE, "expected at least 64"},
        {ONE "damping: [[3]]\n",
         {.interval = "20", .transient = 0},
         SLIP_ERROR_SOLVER,
         "expected a shorter interval"},
        {GRAZING, {.transient = NAN}, SLIP_ERROR_SOLVER, "the motion grazes"},
        {ONE "simulate: {method: moreau, step: 0.01, time: [0, 10]}\n",
         {.transient = NAN},
         SLIP_ERROR_MODEL,
         "method `event`"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_model *model = parse(cases[k].text);
        slip_lyapunov_options options = cases[k].options;
        slip_result *result = NULL;
        options.size = sizeof options;
        options.intervals = options.intervals > 0 ? options.intervals : -1;
        assert_int_equal(slip_lyapunov(ctx, model, &options, &result), cases[k].status);
        assert_null(result);
        expect_message(cases[k].text, cases[k].message);
        slip_model_destroy(model);
    }
    refuse_with(IMPACT "units: {}\nlyapunov: {}\n", NULL, "lyapunov");
    refuse_with(ONE "lyapunov: {interval: 2*pi/w}\n", NULL, "w");
    refuse_with(ONE "lyapunov: {intervals: 5}\n", NULL, "intervals");
}

/* Over an axis each point has the numbers of a study of its own, bit for bit, and parts of it too. */
static void over_axes(void **state)
{
    static const double w[] = {2.5, 2.8, 2.65};
    const slip_axis axis = {.name = "w", .list = w, .count = 3};
    slip_model *model = parse(IMPACT), *one;
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_result *all = NULL, *part = NULL;
    int64_t count;
    (void)state;
    options.intervals = 100;
    options.axes = &axis;
    options.axis_count = 1;
    options.threads = 2;
    assert_int_equal(slip_lyapunov(ctx, model, &options, &all), SLIP_OK);
    assert_string_equal(slip_result_kind(all), "exponents");
    const double *first = slip_result_series(all, "exponent1", &count),
                 *second = slip_result_series(all, "exponent2", NULL),
                 *error = slip_result_series(all, "error1", NULL),
                 *time = slip_result_series(all, "time", NULL);
    assert_int_equal(count, 3);
    for (int k = 0; k < 3; k++) {
        char text[30];
        snprintf(text, sizeof text, "w=%.17g", w[k]);
        assert_int_equal(slip_model_parse(ctx, IMPACT, "test", (const char *const[]){text, NULL}, &one),
                         SLIP_OK);
        slip_result *alone = exponents(one, 100);
        assert_true(slip_result_series(alone, "exponents.value", NULL)[0] == first[k]);
        assert_true(slip_result_series(alone, "exponents.value", NULL)[1] == second[k]);
        assert_true(slip_result_series(alone, "exponents.error", NULL)[0] == error[k]);
        assert_close(time[k], 100 * 2 * pi / w[k], 1e-12);
        slip_result_destroy(alone);
        slip_model_destroy(one);
    }
    assert_true(first[1] > 0.05); /* chaotic at 2.8 */
    options.part = options.parts = 3;
    assert_int_equal(slip_lyapunov(ctx, model, &options, &part), SLIP_OK);
    assert_true(slip_result_series(part, "exponent1", &count)[0] == first[2]);
    assert_int_equal(count, 1);
    slip_result_destroy(part);
    slip_result_destroy(all);
    slip_model_destroy(model);
}

/* Options of runs and orbits that stand in those of studies may be those of a program that was compiled
 * before their last fields: what is behind them in its memory is not looked at. */
static void options_inside_options_may_be_older(void **state)
{
    slip_model *model = parse(IMPACT);
    const double w[2] = {2.7, 2.8}, x[2] = {-0.3, -0.2};
    const slip_axis over = {.name = "w", .from = 2.7, .to = 2.8, .count = 2, .list = w},
                    from = {.name = "x", .from = -0.3, .to = -0.2, .count = 2, .list = x},
                    range = {.name = "w", .from = 2.5, .to = 2.6};
    const size_t known = offsetof(slip_run_options, start_q), of_orbit = offsetof(slip_orbit_options, values);
    slip_run_options run = slip_run_options_default();
    slip_orbit_options orbit = slip_orbit_options_default();
    slip_result *results[5] = {0};
    (void)state;
    memset((char *)&run + known, 0xff, sizeof run - known);
    run.size = known;
    memset((char *)&orbit + of_orbit, 0xff, sizeof orbit - of_orbit);
    orbit.size = of_orbit;
    orbit.period = "2*pi/w";
    slip_lyapunov_options lyapunov = slip_lyapunov_options_default();
    lyapunov.run = &run;
    lyapunov.intervals = 64;
    assert_int_equal(slip_lyapunov(ctx, model, &lyapunov, &results[0]), SLIP_OK);
    slip_sweep_options sweep = slip_sweep_options_default();
    sweep.run = &run;
    sweep.axes = &over;
    sweep.axis_count = 1;
    assert_int_equal(slip_sweep(ctx, model, &sweep, &results[1]), SLIP_OK);
    slip_bifurcation_options bifurcation = slip_bifurcation_options_default();
    bifurcation.run = &run;
    bifurcation.axis = &over;
    bifurcation.period = "2*pi/w";
    bifurcation.points = 2;
    assert_int_equal(slip_bifurcation(ctx, model, &bifurcation, &results[2]), SLIP_OK);
    slip_basin_options basin = slip_basin_options_default();
    basin.run = &run;
    basin.axes = &from;
    basin.axis_count = 1;
    basin.period = "2*pi/w";
    basin.within = 5;
    assert_int_equal(slip_basin(ctx, model, &basin, &results[3]), SLIP_OK);
    slip_branch_options branch = slip_branch_options_default();
    branch.orbit = &orbit;
    branch.axis = &range;
    branch.points = 2;
    if (slip_branch_follow(ctx, model, &branch, &results[4]) < 0)
        fail_msg("%s", slip_context_message(ctx));
    for (int k = 0; k < 5; k++)
        slip_result_destroy(results[k]);
    slip_model_destroy(model);
}

/* A cycle of impacts, slip and stick at curved gaps: along itself deviations stay as they are, which is no
 * chaos, across they shrink by its multiplier (test_orbit), and three ways are forgotten. */
static void a_cycle_in_large_motion(void **state)
{
    (void)state;
    const double period = 0.130747524957;
    slip_model *model = parse(slip_example_text("woodpecker"));
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_result *result = NULL;
    options.interval = "0.130747524957";
    options.transient = 2;
    options.intervals = 64;
    if (slip_lyapunov(ctx, model, &options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    const double *value = slip_result_series(result, "exponents.value", NULL);
    assert_close(value[0], 0, 1e-6);
    assert_close(value[1], 0, 1e-5);
    assert_close(value[2], log(0.0492483677) / period, 2e-5);
    assert_true(slip_result_number(result, "lost") == 3);
    assert_true(slip_result_number(result, "chaotic") == 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_systems),
        cmocka_unit_test(periodic_motions),
        cmocka_unit_test(a_cycle_in_large_motion),
        cmocka_unit_test(stick_forgets),
        cmocka_unit_test(impacts_without_restitution),
        cmocka_unit_test(only_what_is_forgotten_is_lost),
        cmocka_unit_test(a_chaotic_impact_oscillator),
        cmocka_unit_test_of_numbers(averages),
        cmocka_unit_test(lift_off_from_rest),
        cmocka_unit_test(a_chaotic_friction_oscillator),
        cmocka_unit_test(a_smooth_oscillator),
        cmocka_unit_test(over_axes),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(options_inside_options_may_be_older),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
