/* Laws with memory against closed forms and reference numbers (two independent integrations each, with 12 and
 * more digits). */
#include "motion_test.h"
#include "slipstick/simulation.h"

#include <math.h>

static slip_simulation *open(const slip_model *model, const char *method, double step, double tolerance)
{
    slip_simulation_options options = slip_simulation_options_default();
    slip_simulation *s = NULL;
    options.method = method;
    options.step = step;
    options.tolerance = tolerance;
    good(slip_simulation_open(ctx, model, NULL, &options, &s));
    return s;
}

static double at(slip_simulation *s, double t, const char *name)
{
    good(slip_simulation_advance(ctx, s, t));
    return slip_simulation_number(s, name);
}

/* The next time at which the condition passes zero upward. */
static double next_up(slip_simulation *s, const char *condition, const char *rising, double limit)
{
    do
        if (slip_simulation_advance_until(ctx, s, limit, condition) != SLIP_STOPPED)
            fail_msg("%s", slip_context_message(ctx));
    while (slip_simulation_number(s, rising) < 0);
    return slip_simulation_time(s);
}

static const double pi = 3.14159265358979323846;

/* ---- Dahl. */

/* A slip velocity that is given, and no motion that would follow from it. */
#define DRIVEN(law, speed, states)                                                                           \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\n" states "contacts: {seat: {kind: friction, slip: " speed  \
    ", law: " law "}}\nsimulate: {time: [0, 1]}\n"

static void dahl_loops(void **state)
{
    (void)state;
    static const struct {
        const char *law, *speed, *work;
        double tip, middle, energy, virgin;
    } cases[] = {{"{type: dahl, mu: 1, stiffness: 100}", "0.02*cos(t)", "100*seat.z*0.02*cos(t)",
                  0.9640275800758169, 0.7341977711659203, 0.04143889679696733, 0.8646647167633873},
                 {"{type: dahl, mu: 1, stiffness: 100, exponent: 2}", "0.02*cos(t)", "100*seat.z*0.02*cos(t)",
                  0.7807764064044151, 0.6096117967977924, 0.038105749054777975, 0.6666666666666666},
                 {"{type: dahl, mu: 1, stiffness: 100}", "0.004*cos(t)", "100*seat.z*0.004*cos(t)",
                  0.3799489622552249, 0.07499254809424498, 0.0008020415097910046, 0.32967995396436073},
                 {"{type: dahl, mu: 1, stiffness: 100, exponent: 2}", "0.1*cos(t)", "100*seat.z*0.1*cos(t)",
                  0.9512492197250393, 0.9048750780274961, 0.3262099226202219, 0.9090909090909091}};
    static const char *const methods[] = {"event", "smooth"};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 4; k++) {
            char text[400];
            snprintf(text, sizeof text, DRIVEN("%s", "%s", "states: {e: %s}\n"), cases[k].work,
                     cases[k].speed, cases[k].law);
            slip_model *model = parse(text);
            slip_simulation *s = open(model, methods[m], NAN, m == 0 ? 1e-13 : 1e-12);
            const double error = m == 0 ? 1e-11 : 1e-10;
            assert_close(-at(s, 0.5 * pi, "seat.force"), cases[k].virgin, error);
            const double t = 60 * pi, before = at(s, t, "e");
            assert_close(100 * slip_simulation_number(s, "seat.z"), cases[k].middle, error);
            assert_close(100 * at(s, t + 0.5 * pi, "seat.z"), cases[k].tip, error);
            assert_close(at(s, t + 2 * pi, "e") - before, cases[k].energy, error);
            slip_simulation_close(s);
            slip_model_destroy(model);
        }
}

/* m x'' = -F from x' = 0.2: the first reversal. */
static void dahl_stops(void **state)
{
    (void)state;
    static const char *const methods[] = {"event", "smooth"};
    slip_model *model = parse(HEAD "contacts: {seat: {kind: friction, slip: x', law: {type: dahl, mu: 1, "
                                   "stiffness: 100}}}\nsimulate: {initial: {\"x'\": 0.2}}\n");
    for (int m = 0; m < 2; m++) {
        slip_simulation *s = open(model, methods[m], NAN, 1e-13);
        assert_int_equal(slip_simulation_advance_until(ctx, s, 1, "x'"), SLIP_STOPPED);
        assert_close(slip_simulation_time(s), 0.2575813408671843, 1e-11);
        assert_close(slip_simulation_number(s, "x"), 0.029475309025422856, 1e-12);
        assert_close(slip_simulation_number(s, "seat.z"), 0.009475309025422851, 1e-12);
        slip_simulation_close(s);
    }
    slip_model_destroy(model);
}

/* Bouc and Wen with exponent 1: exponential functions of the way, with a kink where z passes zero. */
static void boucwen_passes_zero(void **state)
{
    (void)state;
    static const char *const methods[] = {"event", "smooth"};
    const double first = (1 - exp(-10 * 0.2)) / 10, zero = 0.2 + log(0.5 / (first + 0.5)) / 2;
    for (int m = 0; m < 2; m++) {
        slip_model *model =
            parse(DRIVEN("{type: boucwen, stiffness: 1, beta: 6, gamma: 4}", "0.2*cos(t)", ""));
        slip_simulation *s = open(model, methods[m], NAN, 1e-11);
        assert_close(at(s, pi / 2, "seat.z"), first, 1e-10);
        assert_close(at(s, 2, "seat.z"), (first + 0.5) * exp(2 * (0.2 * sin(2) - 0.2)) - 0.5, 1e-10);
        assert_close(at(s, 4, "seat.z"), (exp(10 * (0.2 * sin(4) - zero)) - 1) / 10, 1e-10);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* With exponent 1/2 the force is a parabola over the way, u = sqrt(1 - sgn(v) F/mu) falls by stiffness/(2 mu)
 * times the way: it comes to mu at 2 mu/stiffness, and stays. */
static void dahl_saturates(void **state)
{
    (void)state;
    static const char *const methods[] = {"event", "smooth", "moreau"};
    static const double times[] = {0.2, 1, 2, 2.5, 4, 5};
    for (int m = 0; m < 3; m++) {
        slip_model *model =
            parse(DRIVEN("{type: dahl, mu: 1, stiffness: 100, exponent: 0.5}", "0.05*cos(t)", ""));
        slip_simulation *s = open(model, methods[m], 1e-4, 1e-10);
        for (int k = 0; k < 6; k++) {
            const double x = 0.05 * sin(times[k]), first = fmax(1 - 50 * x, 0),
                         back = fmax(sqrt(2) - 50 * (0.05 - x), 0),
                         again = fmax(sqrt(2) - 50 * (x + 0.05), 0);
            const double force = times[k] < pi / 2     ? 1 - first * first
                                 : times[k] < 1.5 * pi ? back * back - 1
                                                       : 1 - again * again;
            assert_close(100 * at(s, times[k], "seat.z"), force, m == 2 ? 1e-5 : 1e-8);
        }
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
    /* and in an oscillator, where the event method once took millions of steps */
    double place[2];
    for (int m = 0; m < 2; m++) {
        slip_model *model =
            parse(HEAD "stiffness: 1\nforces: {x: 3*sin(t)}\ncontacts: {seat: {kind: friction, slip: x', "
                       "law: {type: dahl, mu: 1, stiffness: 10, exponent: 0.1}}}\nsimulate: {time: [0, "
                       "20]}\n");
        slip_result *result = run_by(model, methods[m], NAN, 1e-9);
        place[m] = slip_result_number(result, "final.x");
        assert_true(slip_result_number(result, "steps") < 5000);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    assert_close(place[0], place[1], 1e-6);
}

/* ---- LuGre. */

#define BRISTLES                                                                                             \
    "mu: 1, static_ratio: 1.5, velocity: 1e-3, stiffness: 1e5, damping: 316.22776601683796, viscous: 0.4}"
#define LUGRE "{type: lugre, " BRISTLES
#define SEAT(law) "contacts: {seat: {kind: friction, slip: x', law: " law "}}\n"

static void lugre_slip_that_varies(void **state)
{
    (void)state;
    static const struct {
        double w, largest, smallest, rising, falling;
    } cases[] = {{1, 1.001965243333934, 1.389335364255279, 1.0539229746232859, 1.052703214930949},
                 {10, 1.0019668923142615, 1.3699985015267, 1.0610879924243215, 1.0483069863817607},
                 {25, 1.0019773477215896, 1.3215123277539107, 1.0795640731814153, 1.043470328265122}};
    for (int k = 0; k < 3; k++) {
        char text[400];
        snprintf(text, sizeof text, "parameters: {w: %.17g}\n" DRIVEN(LUGRE, "0.0015 + 0.001*sin(w*t)", ""),
                 cases[k].w);
        slip_model *model = parse(text);
        slip_simulation *s = open(model, "smooth", NAN, 1e-13);
        const double period = 2 * pi / cases[k].w, t = 4 * period;
        assert_close(-at(s, t, "seat.force"), cases[k].rising, 1e-9);
        assert_close(-at(s, t + 0.25 * period, "seat.force"), cases[k].largest, 1e-9);
        assert_close(-at(s, t + 0.5 * period, "seat.force"), cases[k].falling, 1e-9);
        assert_close(-at(s, t + 0.75 * period, "seat.force"), cases[k].smallest, 1e-9);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* A triangular load: loops before it slides. */
static void lugre_loops(void **state)
{
    (void)state;
    static const double corners[] = {4.487823444322146e-05, -9.818685884389344e-06, 4.487823444322146e-05,
                                     -9.818685884389401e-06},
                        zeros[] = {3.5062715166636887e-05, -3.166607804760434e-09, 3.506271516663682e-05};
    slip_model *model = parse(
        HEAD "inputs: {load: {points: [[0, 0], [14.25, 1.425], [42.75, -1.425], [71.25, 1.425], [99.75, "
             "-1.425], [128.25, 1.425]]}}\nforces: {x: load(t)}\n" SEAT(LUGRE));
    slip_simulation *s = open(model, "smooth", NAN, 1e-13);
    for (int k = 0; k < 4; k++) {
        assert_close(at(s, 14.25 + 28.5 * k, "x"), corners[k], 1e-12);
        if (k < 3)
            assert_close(at(s, 28.5 + 28.5 * k, "x"), zeros[k], 1e-12);
    }
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* The load at which v reaches the velocity of the law, and the largest force until then. */
static void lugre_breaks_away(void **state)
{
    (void)state;
    static const double cases[][3] = {{1, 1.432415027184419, 1.4607344712421868},
                                      {2, 1.394415947296277, 1.4362598890470575},
                                      {5, 1.313208595796983, 1.3799273379081511},
                                      {10, 1.2199518059057524, 1.3070592115580477},
                                      {20, NAN, 1.1890847940877785},
                                      {50, NAN, 0.8524140796387983}};
    for (int k = 0; k < 6; k++) {
        char text[400];
        snprintf(text, sizeof text, HEAD "forces: {x: %g*t}\n" SEAT(LUGRE), cases[k][0]);
        slip_model *model = parse(text);
        slip_simulation *s = open(model, "smooth", NAN, 1e-13);
        assert_int_equal(slip_simulation_advance_until(ctx, s, 2, "x' - 1e-3"), SLIP_STOPPED);
        assert_close(cases[k][0] * slip_simulation_time(s), cases[k][2], 1e-9);
        if (!isnan(cases[k][1])) {
            slip_run_options options = slip_run_options_default();
            slip_result *result = NULL;
            options.method = "smooth";
            options.tolerance = 1e-13;
            options.end = slip_simulation_time(s);
            good(slip_run(ctx, model, &options, &result));
            assert_close(slip_result_number(result, "contacts.seat.force"), cases[k][1], 1e-9);
            slip_result_destroy(result);
        }
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* A mass drawn by a spring: the cycle of stick and slip. */
static void lugre_sticks_and_slips(void **state)
{
    (void)state;
    static const char *const methods[] = {"smooth", "event"};
    slip_model *model = parse(HEAD "forces: {x: 2*(0.1*t - x)}\n" SEAT(LUGRE));
    for (int m = 0; m < 2; m++) {
        slip_simulation *s = open(model, methods[m], NAN, 1e-12);
        good(slip_simulation_advance(ctx, s, 40));
        const double begin = next_up(s, "x' - 1e-3", "x''", 80);
        assert_int_equal(slip_simulation_advance_until(ctx, s, 80, "x' - 1e-3"), SLIP_STOPPED);
        const double slip = slip_simulation_time(s) - begin,
                     period = next_up(s, "x' - 1e-3", "x''", 80) - begin;
        assert_close(slip, 2.82515246871962, 1e-8);
        assert_close(period, 6.362719821065817, 1e-8);
        slip_simulation_close(s);
    }
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    slip_model_destroy(model);
    model = parse(HEAD "forces: {x: 2*(0.1*t - x)}\noutputs: {spring: 2*(0.1*t - x)}\n" SEAT(LUGRE));
    options.method = "smooth";
    options.tolerance = 1e-12;
    options.record_from = 40;
    options.end = 50;
    good(slip_run(ctx, model, &options, &result));
    assert_close(slip_result_number(result, "max.spring"), 1.507987833554375, 1e-8);
    assert_close(slip_result_number(result, "max.x'"), 0.3698159989105944, 1e-8);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* PID control of a position, with friction: it hunts. */
static void lugre_hunts(void **state)
{
    (void)state;
    slip_model *model = parse(HEAD "states: {i: x - 1}\nforces: {x: -6*x' - 3*(x - 1) - 4*i}\n" SEAT(LUGRE));
    slip_simulation *s = open(model, "smooth", NAN, 1e-12);
    good(slip_simulation_advance(ctx, s, 200));
    const double begin = next_up(s, "x - 1", "x'", 400), period = next_up(s, "x - 1", "x'", 400) - begin;
    assert_close(period, 24.436786455993314, 1e-8);
    assert_int_equal(slip_simulation_advance_until(ctx, s, 400, "x' + 1e-9"), SLIP_STOPPED);
    assert_close(slip_simulation_number(s, "x") - 1, 0.06390251033254944, 1e-9);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* ---- A load that vibrates makes lugre creep, and the elasto-plastic law not. */

#define VIBRATING "forces: {x: \"0.4*min(t, 1) + if(t > 1, 0.2*sin(2*pi*(t - 1)), 0)\"}\n"

static void drift(void **state)
{
    (void)state;
    static const double expected[2][2] = {{4.635035014705593e-06, 2.807141037055525e-05},
                                          {3.987334889359326e-06, 3.96019571333455e-06}};
    static const char *const laws[] = {LUGRE, "{type: elastoplastic, breakaway: 7e-6, " BRISTLES};
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text, HEAD VIBRATING SEAT("%s"), laws[k]);
        slip_model *model = parse(text);
        slip_simulation *s = open(model, "smooth", NAN, 1e-13);
        assert_close(at(s, 1, "x"), expected[k][0], 1e-12);
        const double ninth = at(s, 10, "x"), tenth = at(s, 11, "x");
        assert_close(tenth, expected[k][1], 1e-12);
        assert_close(tenth - ninth, k == 0 ? 2.3473563326708655e-06 : 0, 1e-12);
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

static void elastoplastic_loads(void **state)
{
    (void)state;
    static const double corners[] = {1.634057260113607e-05, -1.2918574648196402e-05, 1.634057260113607e-05,
                                     -1.2918574648196404e-05, 1.6340572601136068e-05};
    const char *law = "{type: elastoplastic, breakaway: 7e-6, " BRISTLES;
    char text[700];
    snprintf(text, sizeof text, HEAD "forces: {x: t}\n" SEAT("%s"), law);
    slip_model *model = parse(text);
    slip_simulation *s = open(model, "smooth", NAN, 1e-12);
    assert_int_equal(slip_simulation_advance_until(ctx, s, 2, "x' - 1e-3"), SLIP_STOPPED);
    assert_close(slip_simulation_time(s), 1.4728753593379058, 1e-9);
    slip_simulation_close(s);
    slip_model_destroy(model);
    snprintf(text, sizeof text,
             HEAD "inputs: {load: {points: [[0, 0], [2.6, 1.3], [7.8, -1.3], [13, 1.3], [18.2, -1.3], [23.4, "
                  "1.3]]}}\nforces: {x: load(t)}\n" SEAT("%s"),
             law);
    model = parse(text);
    s = open(model, "smooth", NAN, 1e-12);
    for (int k = 0; k < 5; k++)
        assert_close(at(s, 2.6 + 5.2 * k, "x"), corners[k], 1e-12);
    slip_simulation_close(s);
    slip_model_destroy(model);
}

/* ---- Bouc-Wen: an oscillator with a hysteretic spring, steady amplitudes. */

static void boucwen_oscillates(void **state)
{
    (void)state;
    static const struct {
        double w, amplitude;
    } cases[] = {{0.5, 0.815375463982154},
                 {0.8, 1.7539370320300403},
                 {1, 1.2742170908004835},
                 {1.5, 0.3737102108936731},
                 {0.8, 1.4690502822899665}};
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 5; k++) {
            const bool second = k == 4;
            char text[700];
            snprintf(
                text, sizeof text,
                "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[%g]]\nstiffness: [[%g]]\nforces: "
                "{x: "
                "%g*cos(%g*t)}\ncontacts: {spring: {kind: friction, slip: x', normal_force: %g, law: {type: "
                "boucwen, stiffness: 1, beta: %g, gamma: %g, exponent: %d}}}\nsimulate: {time: [0, "
                "302*pi/%g], record: {from: 300*pi/%g, points: 2}}\n",
                second ? 0.05 : 0.1, second ? 0.1 : 0.2, second ? 0.6 : 0.5, cases[k].w, second ? 0.9 : 0.8,
                second ? 1 : 0.5, second ? -0.4 : 0.5, second ? 2 : 1, cases[k].w, cases[k].w);
            slip_model *model = parse(text);
            slip_result *result = run_by(model, m == 0 ? "event" : "smooth", NAN, m == 0 ? 1e-12 : 1e-11);
            assert_close(slip_result_number(result, "max.x"), cases[k].amplitude, m == 0 ? 1e-9 : 2e-8);
            slip_result_destroy(result);
            slip_model_destroy(model);
        }
}

/* ---- Rate and state. */

static void rate_state_force(void **state)
{
    (void)state;
    static const double v[] = {1e-8, 1e-9, -1e-7, 0, 1e-5}, theta[] = {100, 1e4, 1e3, 1e3, 10},
                        expected[] = {0.00038522046589685454, 0.0003852204658968546, -0.011532669956484458, 0,
                                      0.05013341698173343};
    for (int k = 0; k < 5; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: [[1e30]]\ncontacts: {seat: {kind: friction, slip: x' + "
            "%.17g, law: {type: rate_state, mu: 0.05, a: 0.02, b: 0.01, length: 1e-3, velocity: "
            "1e-6}}}\nsimulate: {time: [0, 1], initial: {seat.theta: %.17g}}\n",
            v[k], theta[k]);
        slip_model *model = parse(text);
        slip_simulation *s = open(model, "smooth", NAN, 1e-10);
        assert_close(-slip_simulation_number(s, "seat.force"), expected[k],
                     1e-15 + 1e-13 * fabs(expected[k]));
        slip_simulation_close(s);
        slip_model_destroy(model);
    }
}

/* Steady sliding on a spring: at the critical stiffness small oscillations neither grow nor decay. */
static void rate_state_critical_stiffness(void **state)
{
    (void)state;
    static const double cases[][4] = {{0.05, 0, 0.03, 0.7071067811865475},
                                      {0.02, 0.001, 0.011272727272727273, 0.6030226891555273}};
    for (int c = 0; c < 2; c++)
        for (int side = -1; side <= 1; side++) {
            const double k = cases[c][2] * (1 + 0.02 * side), period = 2 * pi / cases[c][3];
            double size[2];
            char text[700];
            snprintf(text, sizeof text,
                     "slipstick: 1\ncoordinates: [x]\nmass: [[%g]]\nforces: {x: %.17g*(t - x)}\ncontacts: "
                     "{fault: {kind: "
                     "friction, slip: x', law: {type: rate_state, mu: 0.6, a: 0.01, b: 0.015, length: 1, "
                     "velocity: 1, "
                     "viscous: %g}}}\noutputs: {d: x' - 1}\nsimulate: {time: [0, 1], initial: {x: %.17g, "
                     "\"x'\": 1.0001, "
                     "fault.theta: 1}}\n",
                     cases[c][0], k, cases[c][1], -(0.6 + cases[c][1]) / k);
            slip_model *model = parse(text);
            for (int i = 0; i < 2; i++) {
                slip_run_options options = slip_run_options_default();
                slip_result *result = NULL;
                options.method = "smooth";
                options.tolerance = 1e-11;
                options.record_from = (5 + 20 * i) * period;
                options.end = options.record_from + 2 * period;
                good(slip_run(ctx, model, &options, &result));
                size[i] = slip_result_number(result, "max.d");
                slip_result_destroy(result);
            }
            if (side == 0) {
                slip_simulation *s = open(model, "smooth", NAN, 1e-11);
                good(slip_simulation_advance(ctx, s, 5 * period));
                const double begin = next_up(s, "x' - 1", "x''", 100 * period);
                for (int i = 0; i < 9; i++)
                    next_up(s, "x' - 1", "x''", 100 * period);
                assert_close_relative(next_up(s, "x' - 1", "x''", 100 * period) - begin, 10 * period, 1e-5);
                assert_close(size[1] / size[0], 1, 1e-3);
                slip_simulation_close(s);
            } else {
                assert_true((size[1] > 1.05 * size[0]) == (side < 0));
                assert_true((size[1] < 0.95 * size[0]) == (side > 0));
            }
            slip_model_destroy(model);
        }
}

/* Earthquake cycles over nine decades of velocity: recurrence and largest velocity. */
/* Rock at rest: asinh is linear below velocities of 1e-32, and its slope there is 1e30. A load that rises
 * from zero, and turns, is followed through all decades. */
static void rock_at_rest_and_reversal(void **state)
{
    (void)state;
    static const char *const methods[] = {"event", "smooth"};
    double place[2];
    for (int m = 0; m < 2; m++) {
        slip_model *model = parse(
            HEAD "stiffness: 100\nforces: {x: sin(t)}\ncontacts: {seat: {kind: friction, slip: x', law: "
                 "{type: rate_state, mu: 0.6, a: 0.01, b: 0.006, length: 1e-5, velocity: 1e-6}}}\n"
                 "simulate: {time: [0, 4]}\n");
        slip_result *result = run_by(model, methods[m], NAN, 1e-6);
        assert_int_equal(slip_result_event_count(result), 1);
        assert_close(slip_result_event(result, 0)->time, 2.744895, 1e-5);
        place[m] = slip_result_number(result, "final.x");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    assert_close(place[0], place[1], 1e-7);
}

static void rate_state_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *evolution, *initial; /* on the cycle */
        double recurrence, fastest;
    } cases[] = {
        {"aging", "x: -0.2627654152903769, \"x'\": 1.2605189585127478e-11, fault.theta: 82057091.3291502",
         98288504.01338531, 0.21916735056653763},
        {"slip", "x: -0.20835848569838145, \"x'\": 1.7057161332110234e-11, fault.theta: 7734.631933593231",
         87285091.34256695, 0.21374495266386384}};
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: [[4e6]]\nforces: {x: 125000000.000001*(1e-9*t - "
            "x)}\ncontacts: {fault: {kind: friction, slip: x', normal_force: 5e7, law: {type: rate_state, "
            "mu: "
            "0.6, a: 0.01, b: 0.015, length: 1e-3, velocity: 1e-6, evolution: %s}}}\nsimulate: {time: [0, "
            "2e8], record: {steps: true}, initial: {%s}}\n",
            cases[k].evolution, cases[k].initial);
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "smooth", NAN, 1e-10);
        int64_t count;
        const double *t = slip_result_series(result, "t", &count),
                     *v = slip_result_series(result, "x'", NULL);
        double last = NAN, recurrence = NAN;
        for (int64_t i = 1; i < count; i++)
            if (v[i - 1] < 1e-3 && v[i] >= 1e-3) {
                recurrence = t[i] - last;
                last = t[i];
            }
        assert_close_relative(recurrence, cases[k].recurrence, 1e-6);
        assert_close_relative(slip_result_number(result, "max.x'"), cases[k].fastest, 1e-6);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* ---- Laws that are expressions. */

static void laws_that_are_expressions(void **state)
{
    (void)state;
    static const char *const laws[] = {"{type: tanh, mu: 0.3, velocity: 0.01, viscous: 0.1}",
                                       "{type: function, force: m*tanh(v/0.01), viscous: 0.1}",
                                       "{type: function, force: m*tanh(v/0.01) + curve(v)}"};
    double x[3];
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            HEAD
            "parameters: {m: 0.3}\ninputs: {curve: {points: [[-10, -1], [10, 1]]}}\nstiffness: "
            "[[1]]\ncontacts: "
            "{pad: {kind: friction, slip: x' - 0.2, law: %s}}\nsimulate: {time: [0, 10], initial: {x: 1}}\n",
            laws[k]);
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "event", NAN, 1e-12);
        x[k] = slip_result_number(result, "final.x");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    assert_true(x[0] != 0);
    assert_close(x[1], x[0], 1e-12);
    assert_close(x[2], x[0], 1e-12);
    refuse_with(LAW("{type: function}"), NULL, "`force` is missing");
    refuse_with(LAW("{type: function, force: x}"), NULL, "unknown name `x`");
    refuse_with(LAW("{type: function, mu: 1, force: v}"), NULL, "unknown key `mu`");
}

/* ---- Impacts. An elastic stop turns the slip round, and takes nothing: a law with a break at v = 0 is on
 * its other side then. */
static void stops_turn_the_slip_round(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "{type: dahl, mu: 0.3, stiffness: 200}", "{type: lugre, mu: 0.3, velocity: 0.1, stiffness: 200}",
        "{type: boucwen, stiffness: 60, beta: 100, gamma: 100}", "{type: jenkins, mu: 0.3, stiffness: 200}",
        "{type: elliptic, mu: 0.3, width: 0.1}"};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 HEAD "contacts:\n  pad: {kind: friction, slip: x', law: %s}\n"
                      "  wall: {kind: unilateral, gap: 1 - x, restitution: 1}\n"
                      "simulate: {time: [0, 0.9], initial: {\"x'\": 2}}\n",
                 laws[k]);
        slip_model *model = parse(text);
        slip_result *result = run_by(model, "event", NAN, 1e-10);
        assert_close(slip_result_number(result, "energy.impacts"), 0, 1e-12);
        assert_close(slip_result_number(result, "energy.balance"), 0, 1e-8);
        assert_true(slip_result_number(result, "final.x'") < -1.6);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* From rest, rock rises within 2e-29: fixed steps would stay there for ever, and say so instead. */
static void rock_is_not_for_fixed_steps(void **state)
{
    (void)state;
    slip_model *model =
        parse(HEAD "contacts: {seat: {kind: friction, slip: x', law: {type: rate_state, mu: 0.6, a: "
                   "0.01, b: 0.015, length: 0.01, velocity: 1e-3}}}\nforces: {x: 1}\n"
                   "simulate: {time: [0, 1], step: 1e-3}\n");
    static const char *const methods[] = {"moreau", "midpoint", "midpoint_stabilised"};
    for (int m = 0; m < 3; m++) {
        slip_run_options options = slip_run_options_default();
        slip_result *result = NULL;
        options.method = methods[m];
        assert_int_equal(slip_run(ctx, model, &options, &result), SLIP_ERROR_MODEL);
        assert_non_null(strstr(slip_context_message(ctx), "cannot resolve; use `smooth`"));
        slip_result_destroy(result);
    }
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_turn_the_slip_round),
        cmocka_unit_test(rock_is_not_for_fixed_steps),
        cmocka_unit_test_of_numbers(dahl_loops),
        cmocka_unit_test(dahl_stops),
        cmocka_unit_test(lugre_slip_that_varies),
        cmocka_unit_test(lugre_loops),
        cmocka_unit_test(lugre_breaks_away),
        cmocka_unit_test(lugre_sticks_and_slips),
        cmocka_unit_test(lugre_hunts),
        cmocka_unit_test(drift),
        cmocka_unit_test(elastoplastic_loads),
        cmocka_unit_test_of_numbers(boucwen_oscillates),
        cmocka_unit_test(rate_state_force),
        cmocka_unit_test(rate_state_critical_stiffness),
        cmocka_unit_test(rate_state_cycles),
        cmocka_unit_test(rock_at_rest_and_reversal),
        cmocka_unit_test(dahl_saturates),
        cmocka_unit_test(boucwen_passes_zero),
        cmocka_unit_test(laws_that_are_expressions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
