/* Periodic motions against values that were found in two independent ways each, and against runs that have
 * settled. */
#include "base/embedded.h"
#include "motion_test.h"
#include "slipstick/slipstick.h"

#define OSCILLATOR "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
#define DEN_HARTOG                                                                                           \
    OSCILLATOR "parameters: {w: 0.7, mu: 0.5}\nforces: {x: cos(w*t)}\n"                                      \
               "contacts: {c: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"                   \
               "simulate: {time: [0, 40], initial: {x: 0.3, x': 1}}\norbit: {period: 2*pi/w}\n"
#define BELT                                                                                                 \
    OSCILLATOR                                                                                               \
    "parameters: {c: 0.1, mu: 0.5, velocity: 0.5, exponent: 1, vb: 0.6, P: 0, w: 0.6}\ndamping: [[c]]\n"     \
    "forces: {x: P*cos(w*t)}\n"                                                                              \
    "contacts: {c: {kind: friction, slip: x' - vb, law: {type: stribeck, mu: mu, static_ratio: 2, "          \
    "velocity: "                                                                                             \
    "velocity, exponent: exponent}}}\n"                                                                      \
    "simulate: {time: [0, 60], initial: {x: 0.9, x': vb}}\norbit: {period: auto, tolerance: 1e-12}\n"
#define STOP                                                                                                 \
    OSCILLATOR "parameters: {z: 0.05, s: 0.5, r: 0.8, w: 1.8}\ndamping: [[2*z]]\nforces: {x: cos(w*t)}\n"    \
               "contacts: {c: {kind: unilateral, gap: s - x, restitution: r}}\n"                             \
               "simulate: {time: [0, 100], initial: {x: -3}}\norbit: {period: 2*pi/w}\n"

static const double pi = 3.14159265358979323846;

static slip_result *find(const char *text, const char *const *settings, slip_orbit_options options)
{
    slip_model *model = parse_with(text, settings);
    slip_result *orbit = NULL;
    good(slip_orbit_find(ctx, model, &options, &orbit));
    slip_model_destroy(model);
    return orbit;
}

static slip_result *find_with(const char *text, const char *const *settings)
{
    return find(text, settings, slip_orbit_options_default());
}

/* The k-th multiplier, the largest first. */
static void expect_multiplier(const slip_result *orbit, int k, double real, double imaginary, double error)
{
    near(slip_result_series(orbit, "multipliers.real", NULL)[k], real, error, "multiplier, real");
    near(fabs(slip_result_series(orbit, "multipliers.imaginary", NULL)[k]), fabs(imaginary), error,
         "multiplier, imaginary");
}

static void expect_events(slip_result *orbit, const char *signature, double stable)
{
    assert_string_equal(slip_result_text(orbit, "signature"), signature);
    assert_true(slip_result_number(orbit, "stable") == stable);
    assert_true(slip_result_number(orbit, "residual") < 1e-10);
}

/* The first event of this kind: its time. */
static double time_of(const slip_result *orbit, slip_mode from, slip_mode to)
{
    for (int64_t k = 0; k < slip_result_event_count(orbit); k++)
        if (slip_result_event(orbit, k)->from == from && slip_result_event(orbit, k)->to == to)
            return slip_result_event(orbit, k)->time;
    fail();
    return NAN;
}

/* A series at the time of an event: as it was before that. */
static double at(const slip_result *orbit, const char *name, double time)
{
    int64_t count;
    const double *t = slip_result_series(orbit, "t", &count), *values = slip_result_series(orbit, name, NULL);
    for (int64_t k = 0; k < count; k++)
        if (fabs(t[k] - time) < 1e-12 * (1 + fabs(time)))
            return values[k];
    fail();
    return NAN;
}

static double phase(double time, double w)
{
    return fmod(w * time, 2 * pi);
}

/* J. P. Den Hartog: motions without stops, and with one stop in each half period. */
static void den_hartog(void **state)
{
    static const struct {
        const char *settings[3];
        double w, amplitude, phase, real, imaginary;
    } free[] = {{{"w=0.7", "mu=0.5"},
                 0.7,
                 1.744253936248881,
                 0.4743944332930697,
                 -0.22240157114541945,
                 0.1381579581250621},
                {{"w=1.5", "mu=0.5"},
                 1.5,
                 0.5537749241945383,
                 2.335355123981056,
                 -0.1726262451558339,
                 0.39083431859154916},
                {{"w=0.8", "mu=0.3"},
                 0.8,
                 2.626104875723477,
                 0.33198346425216385,
                 0.022940452694048596,
                 0.6967002988634569},
                {{"w=2", "mu=0.2"}, 2, 0.31797973380564853, 2.8368999995743955, -0.7282459037463845, 0}};
    static const struct {
        const char *settings[3];
        double w, amplitude, phase, slip, stick, multiplier;
    } stops[] = {{{"w=0.9", "mu=0.85"},
                  0.9,
                  0.16021244196268075,
                  2.33199191518091,
                  2.2523669813882092,
                  1.2382915226004498,
                  0.39691706823989326},
                 {{"w=1.2", "mu=0.8"},
                  1.2,
                  0.1143645218552026,
                  2.3262726425890987,
                  1.830467199307551,
                  0.7875266786839435,
                  0.06592696726812965},
                 {{"w=0.6", "mu=0.7"},
                  0.6,
                  1.351930925994759,
                  0.8606682081139699,
                  4.61027189829624,
                  0.6257158576867491,
                  0.010391701792049415}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_result *orbit = find_with(DEN_HARTOG, free[k].settings);
        expect_events(orbit,
                      strstr(slip_result_text(orbit, "signature"), "c slip+>slip-; ")
                          ? "c slip+>slip-; c slip->slip+"
                          : "c slip->slip+; c slip+>slip-",
                      1);
        near(slip_result_number(orbit, "max.x"), free[k].amplitude, 1e-10, "amplitude");
        near(phase(time_of(orbit, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS), free[k].w), free[k].phase,
             1e-10, "phase");
        /* a double multiplier has the square root of the error */
        expect_multiplier(orbit, 0, free[k].real, free[k].imaginary, k == 3 ? 1e-6 : 1e-10);
        slip_result_destroy(orbit);
    }
    for (int k = 0; k < 3; k++) {
        slip_result *orbit = find_with(DEN_HARTOG, stops[k].settings);
        const double released = time_of(orbit, SLIP_MODE_STICK, SLIP_MODE_SLIP_MINUS),
                     rested = time_of(orbit, SLIP_MODE_SLIP_MINUS, SLIP_MODE_STICK);
        near(slip_result_number(orbit, "max.x"), stops[k].amplitude, 1e-10, "amplitude");
        near(phase(released, stops[k].w), stops[k].phase, 1e-10, "phase");
        near(fmod(rested - released + 2 * pi / stops[k].w, 2 * pi / stops[k].w), stops[k].slip, 1e-10,
             "slip time");
        expect_multiplier(orbit, 0, stops[k].multiplier, 0, 1e-10);
        expect_multiplier(orbit, 1, 0, 0, 1e-12);
        slip_result_destroy(orbit);
    }
}

static void impacts(void **state)
{
    /* from next to where they leave the stop: other motions have no impact there */
    const char *const light[] = {"z=0", "s=0", "w=2.5", NULL},
                      *const twice[] = {"w=2.6", "orbit.multiple=2", "simulate.time=[0.2145, 60]",
                                        "simulate.initial={x: 0.4999, x': -0.525}", NULL},
                      *const unstable[] = {"orbit.from=initial", "simulate.time=[-1.8374, 9]",
                                           "simulate.initial={x: 0.4999, x': -0.291}", NULL};
    slip_result *orbit = find_with(STOP, light);
    (void)state;
    expect_events(orbit, "c open>open", 1);
    near(phase(time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN), 2.5), 3.0056503737490265, 1e-10, "phase");
    near(at(orbit, "x'", time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN)), 0.6453521784141957, 1e-10, "x'");
    near(slip_result_number(orbit, "max.x"), 0.8005866086545517, 1e-10, "largest |x|");
    expect_multiplier(orbit, 0, -0.16494163592057814, -0.7828117632865793, 1e-10);
    slip_result_destroy(orbit);
    orbit = find_with(STOP, NULL);
    expect_events(orbit, "c open>open", 1);
    near(phase(time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN), 1.8), 1.1899808869087705, 1e-10, "phase");
    near(at(orbit, "x'", time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN)), 4.059162910900169, 1e-10, "x'");
    near(slip_result_number(orbit, "max.x"), 3.607261990228424, 1e-10, "largest |x|");
    expect_multiplier(orbit, 0, 0.6404419812277133, -0.2031155945872426, 1e-10);
    slip_result_destroy(orbit);
    orbit = find_with(STOP, twice);
    expect_events(orbit, "c open>open", 1);
    near(phase(time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN), 2.6), 0.5574416184498986, 1e-10, "phase");
    near(at(orbit, "x'", time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN)), 0.656975950109523, 1e-10, "x'");
    near(slip_result_number(orbit, "max.x"), 1.0552266048874248, 1e-10, "largest |x|");
    expect_multiplier(orbit, 0, -0.44499925538689367, -0.4434903091033021, 1e-10);
    slip_result_destroy(orbit);
    orbit = find_with(STOP, unstable);
    expect_events(orbit, "c open>open", 0);
    near(phase(time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN), 1.8), 2.9756706635169956, 1e-9, "phase");
    near(at(orbit, "x'", time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN)), 0.36391648508226265, 1e-9, "x'");
    near(slip_result_number(orbit, "max.x"), 0.7755116180196733, 1e-9, "largest |x|");
    expect_multiplier(orbit, 0, 3.213126758461262, 0, 1e-9);
    expect_multiplier(orbit, 1, 0.14049301817759274, 0, 1e-9);
    slip_result_destroy(orbit);
}

/* Where the period doubles: the speed at the impact, and a multiplier -1. */
static void doublings(void **state)
{
    static const struct {
        const char *settings[6];
        double speed;
    } cases[] = {{{"z=0", "s=0", "w=2.653347727855323"}, 0.44926470990389894},
                 {{"z=0", "s=0", "w=1.2606766415488824"}, 1.4289555167111783},
                 {{"w=2.45121078127777", "orbit.multiple=2", "orbit.from=initial", "simulate.time=[0.3, 60]",
                   "simulate.initial={x: 0.4999, x': -0.42}"},
                  0.5121326396898724}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_result *orbit = find_with(STOP, cases[k].settings);
        near(at(orbit, "x'", time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN)), cases[k].speed, 1e-9, "x'");
        expect_multiplier(orbit, 0, -1, 0, 1e-6);
        slip_result_destroy(orbit);
    }
}

/* A ball on a table A cos t, one bounce in each period. */
static void bouncing_ball(void **state)
{
    static const struct {
        const char *settings[4];
        double hit, before, real, imaginary;
    } cases[] = {{{"A=0.78", "r=0.8"},
                  5.819194739205538,
                  3.490658503988659,
                  -0.31000432627698604,
                  -0.7374939441714434},
                 {{"A=1.33", "r=0.5"},
                  5.37665970827656,
                  4.188790204786391,
                  -0.2974158192468347,
                  -0.40192515529851347}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char start[200];
        const char *settings[4] = {cases[k].settings[0], cases[k].settings[1], start, NULL};
        const double A = k ? 1.33 : 0.78, r = k ? 0.5 : 0.8, left = 2 * pi - cases[k].hit,
                     up = r * cases[k].before - A * sin(cases[k].hit);
        snprintf(start, sizeof start, "simulate.initial={x: %.3f, x': %.3f}",
                 A * cos(cases[k].hit) + up * left - left * left / 2, up - left);
        slip_result *orbit = find_with(
            "slipstick: 1\nparameters: {A: 1, r: 0.5}\ncoordinates: [x]\nmass: [[1]]\nforces: {x: -1}\n"
            "contacts: {table: {kind: unilateral, gap: x - A*cos(t), restitution: r}}\n"
            "simulate: {initial: {x: 3}}\norbit: {period: 2*pi, from: initial}\n",
            settings);
        expect_events(orbit, "table open>open", 1);
        near(time_of(orbit, SLIP_MODE_OPEN, SLIP_MODE_OPEN), cases[k].hit, 1e-10, "phase");
        expect_multiplier(orbit, 0, cases[k].real, cases[k].imaginary, 1e-10);
        slip_result_destroy(orbit);
    }
}

/* The largest value of a series, of the parabola through those next to it. */
static double peak(const slip_result *orbit, const char *name)
{
    int64_t count, best = 1;
    const double *t = slip_result_series(orbit, "t", &count), *y = slip_result_series(orbit, name, NULL);
    for (int64_t k = 1; k + 1 < count; k++)
        best = y[k] > y[best] ? k : best;
    const double left = (y[best] - y[best - 1]) / (t[best] - t[best - 1]),
                 right = (y[best + 1] - y[best]) / (t[best + 1] - t[best]),
                 bend = (right - left) / (t[best + 1] - t[best - 1]),
                 slope = left + bend * (t[best] - t[best - 1]);
    return y[best] - slope * slope / (4 * bend);
}

/* How long a block slips in a period, and where that begins and ends. */
static void expect_slip(const slip_result *orbit, double time, double released, double rested, double error)
{
    const double period = slip_result_number(orbit, "period"),
                 from = time_of(orbit, SLIP_MODE_STICK, SLIP_MODE_SLIP_MINUS),
                 to = time_of(orbit, SLIP_MODE_SLIP_MINUS, SLIP_MODE_STICK);
    near(fmod(to - from + period, period), time, error, "slip time");
    near(at(orbit, "x", from), released, error, "x at release");
    near(at(orbit, "x", to), rested, error, "x at rest on the belt");
}

/* A block on a belt whose friction falls with the slip velocity: cycles with stick, and the unstable ones
 * between these and steady sliding. */
static void belt(void **state)
{
    static const struct {
        const char *settings[9];
        double period, multiplier, error;
        const char *signature;
        double largest, slip, released, rested; /* without stick: largest x' */
    } cases[] = {{{"vb=0.6"},
                  6.758548507326905,
                  0,
                  1e-9,
                  "c stick>slip-; c slip->stick",
                  1.4635241252437372,
                  5.099422184146671,
                  0.94,
                  -0.05547579390814068},
                 {{"vb=1.3"},
                  6.3437834752003,
                  0,
                  1e-9,
                  "c stick>slip-; c slip->stick",
                  2.037729980608952,
                  5.652922715798044,
                  0.87,
                  -0.02811898722293231},
                 {{"vb=0.1", "c=0.05", "mu=0.25", "velocity=0.2", "exponent=2"},
                  9.940353609668037,
                  0,
                  1e-9,
                  "c stick>slip-; c slip->stick",
                  0.5909718063560894,
                  4.907438501862895,
                  0.495,
                  -0.008291510780514225},
                 {{"vb=0.6", "c=0.05", "mu=0.25", "velocity=0.2", "exponent=2"},
                  6.468962476421215,
                  0,
                  1e-9,
                  "c stick>slip-; c slip->stick",
                  1.0070158955501756,
                  5.388302102742118,
                  0.47,
                  -0.17839622420745796},
                 {{"vb=1.3", "simulate.initial={x: 1.36}", "orbit.from=initial", "orbit.guess=6.28"},
                  6.288906537457478,
                  1.1962296565390325,
                  1e-9,
                  "c slip-",
                  1.3651316973793977,
                  0.7906532299056447,
                  0,
                  0},
                 {{"vb=0.6", "c=0.05", "mu=0.25", "velocity=0.2", "exponent=2", "simulate.initial={x: 0.617}",
                   "orbit.guess=6.29", "orbit.from=initial"},
                  6.291396445705647,
                  1.714089640899211,
                  1e-9,
                  "c slip-",
                  0.6171117431821319,
                  0.3522325647069292,
                  0,
                  0}};
    (void)state;
    for (int k = 0; k < 6; k++) {
        slip_result *orbit = find_with(BELT, cases[k].settings);
        const bool unstable = cases[k].multiplier > 1;
        expect_events(orbit, cases[k].signature, !unstable);
        near(slip_result_number(orbit, "period"), cases[k].period, cases[k].error, "period");
        expect_multiplier(orbit, 0, unstable ? cases[k].multiplier : 1, 0, 1e-8);
        expect_multiplier(orbit, 1, unstable ? 1 : 0, 0, 1e-8);
        near(slip_result_number(orbit, "max.x"), cases[k].largest, 1e-8, "largest |x|");
        if (unstable)
            near(peak(orbit, "x'"), cases[k].slip, 1e-6, "largest x'");
        else
            expect_slip(orbit, cases[k].slip, cases[k].released, cases[k].rested, 1e-9);
        slip_result_destroy(orbit);
    }
}

/* A coordinate on which nothing depends goes on by T times its mean velocity, (1 + mean x)/0.5, and is left
 * out: of the load's period, and of that of the block on a belt. Its velocity is forgotten with the rate 0.5.
 */
static void drifting(void **state)
{
    static const struct {
        const char *rest;
        double period;
    } cases[] = {
        {"forces: {x: cos(0.7*t), y: 1 + x}\nsimulate: {time: [0, 40]}\norbit: {period: 2*pi/0.7}\n",
         2 * pi / 0.7},
        {"forces: {y: 1 + x}\n"
         "contacts: {c: {kind: friction, slip: x' - 0.6, law: {type: stribeck, mu: 0.5, static_ratio: 2, "
         "velocity: 0.5, exponent: 1}}}\n"
         "simulate: {time: [0, 60], initial: {x: 0.9, x': 0.6}}\norbit: {period: auto}\n",
         6.758548507326905}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nstiffness: {diagonal: [1, 0]}\n"
            "damping: {diagonal: [0.1, 0.5]}\n%s",
            cases[k].rest);
        slip_result *orbit = find_with(text, NULL);
        int64_t count;
        const double *y = slip_result_series(orbit, "y", &count), T = cases[k].period;
        near(slip_result_number(orbit, "period"), T, 1e-8, "period");
        assert_true(slip_result_number(orbit, "residual") < 1e-10 &&
                    slip_result_number(orbit, "stable") == 1);
        if (k == 0) {
            near(y[count - 1] - y[0], 2 * T, 1e-9, "drift");
            near(slip_result_series(orbit, "multipliers.real", NULL)[2], exp(-0.5 * T), 1e-10,
                 "of its velocity");
        } else {
            expect_multiplier(orbit, 0, 1, 0, 1e-7);
            expect_multiplier(orbit, 1, exp(-0.5 * T), 0, 1e-8);
        }
        expect_multiplier(orbit, 3, 0, 0, 1e-12);
        slip_result_destroy(orbit);
    }
}

/* A soft stop is touched as often as x passes it, or never, or is pressed all the time. */
static void soft_stop(void **state)
{
    static const char *const settings[] = {"P=1", "w=1.2", "P=0.1", "s=-5"};
    static const char *const signatures[] = {"c open>closed; c closed>open; c open>closed; c closed>open",
                                             "c open>closed; c closed>open", "c open", "c closed"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_result *orbit = find_with(
            OSCILLATOR "parameters: {w: 0.6, s: 0.3, P: 1}\ndamping: [[0.06]]\nforces: {x: P*cos(w*t)}\n"
                       "contacts: {c: {kind: unilateral, gap: s - x, normal: {stiffness: 8, damping: 0.1}}}\n"
                       "simulate: {time: [0, 400], initial: {x: -0.1}}\norbit: {period: 2*pi/w}\n",
            (const char *const[]){settings[k], NULL});
        int64_t count, passed = 0;
        const double *x = slip_result_series(orbit, "x", &count), s = k == 3 ? -5 : 0.3;
        for (int64_t i = 1; i < count; i++)
            passed += x[i - 1] < s && x[i] >= s;
        assert_int_equal(passed, k < 2 ? 2 - k : 0);
        expect_events(orbit, signatures[k], true);
        slip_result_destroy(orbit);
    }
}

/* A law whose slope at rest is infinite: slip comes from there and ends there. */
static void steep_belt(void **state)
{
    static const struct {
        const char *exponent;
        double period, error; /* NAN: not known otherwise */
    } cases[] = {{"exponent=0.8", 6.6629856357195, 1e-9},
                 {"exponent=0.7", 6.6076586113452, 1e-9},
                 {"exponent=0.5", NAN, 2e-8},
                 {"exponent=0.3", NAN, 1e-5}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_result *orbit = find_with(BELT, (const char *const[]){cases[k].exponent, NULL});
        expect_events(orbit, "c stick>slip-; c slip->stick", true);
        if (!isnan(cases[k].period))
            near(slip_result_number(orbit, "period"), cases[k].period, 1e-9, "period");
        expect_multiplier(orbit, 0, 1, 0, cases[k].error);
        expect_multiplier(orbit, 1, 0, 0, 1e-12);
        slip_result_destroy(orbit);
    }
}

/* Steady sliding where it begins to flutter: small changes turn with the angular frequency 1. */
static void hopf(void **state)
{
    static const char *const cases[][9] = {
        {"vb=1.151292546497023", "orbit.period=1", "simulate.initial={x: 0.55}", "orbit.from=initial"},
        {"vb=0.4328561463675626", "orbit.period=1", "simulate.initial={x: 0.25230864}", "orbit.from=initial",
         "c=0.05", "mu=0.25", "velocity=0.2", "exponent=2"}};
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_result *orbit = find_with(BELT, cases[k]);
        assert_string_equal(slip_result_text(orbit, "signature"), "c slip-");
        expect_multiplier(orbit, 0, cos(1), sin(1), 2e-8);
        slip_result_destroy(orbit);
    }
}

static void forced_belt(void **state)
{
    const char *const settings[] = {"vb=0.3", "P=0.3", "c=0.05", "orbit.period=2*pi/w", NULL};
    slip_result *orbit = find_with(BELT, settings);
    (void)state;
    near(phase(time_of(orbit, SLIP_MODE_STICK, SLIP_MODE_SLIP_MINUS), 0.6), 0.9675609319160831, 1e-9,
         "release");
    expect_slip(orbit, 4.639420247638823, 1.1551929400252399, -0.5945736392729064, 1e-9);
    expect_multiplier(orbit, 0, 0.4685857328374838, 0, 1e-9);
    expect_multiplier(orbit, 1, 0, 0, 1e-9);
    slip_result_destroy(orbit);
}

static void two_blocks(void **state)
{
    static const struct {
        const char *settings[2];
        double period, real, imaginary, durations[4], state[3];
    } cases[] = {{{"vb=0.5"},
                  3.6773776424509554,
                  -0.6018843116687722,
                  0.4809922351495855,
                  {1.031518600342744, 0.8563265845952688, 0.9326827459718185, 0.8568497115411242},
                  {0.7828420568814894, 0.6018771042827304, -0.6452228965427314}},
                 {{"vb=0.8"},
                  3.553591443758769,
                  -0.5282929654031454,
                  0.39854630394381174,
                  {1.1525295119055894, 0.663863300683087, 1.0777499588614492, 0.6594486723086433},
                  {0.7471574339550777, 0.5364552955843092, -0.9585764954005795}}};
    static const char *const names[] = {"x", "y", "y'"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const settings[] = {cases[k].settings[0], NULL};
        slip_result *orbit = find_with("slipstick: 1\nparameters: {vb: 0.5}\ncoordinates: [x, y]\nmass: [[1, "
                                       "0], [0, 1]]\nstiffness: [[2.2, -1.2], [-1.2, 2.2]]\n"
                                       "contacts:\n"
                                       "  a: {kind: friction, slip: x' - vb, normal_force: 1, law: {type: "
                                       "stribeck, mu: 0.5, static_ratio: 2, velocity: 0.5, exponent: 1}}\n"
                                       "  b: {kind: friction, slip: y' - vb, normal_force: 1.3, law: {type: "
                                       "stribeck, mu: 0.5, static_ratio: 2, velocity: 0.5, exponent: 1}}\n"
                                       "simulate: {time: [0, 100], initial: {x: 0.75, y: 0.55, y': "
                                       "-0.8}}\norbit: {period: auto, tolerance: 1e-12}\n",
                                       settings);
        expect_events(orbit, "a stick>slip-; b slip->stick; b stick>slip-; a slip->stick", 1);
        near(slip_result_number(orbit, "period"), cases[k].period, 1e-9, "period");
        expect_multiplier(orbit, 0, 1, 0, 1e-8);
        expect_multiplier(orbit, 1, cases[k].real, cases[k].imaginary, 1e-8);
        expect_multiplier(orbit, 3, 0, 0, 1e-8);
        int first = 0; /* the release of the first block */
        while (slip_result_event(orbit, first)->contact != 0 ||
               slip_result_event(orbit, first)->from != SLIP_MODE_STICK)
            first++;
        for (int i = 0; i < 4; i++) {
            const double from = slip_result_event(orbit, (first + i) % 4)->time,
                         to = slip_result_event(orbit, (first + i + 1) % 4)->time;
            near(fmod(to - from + cases[k].period, cases[k].period), cases[k].durations[i], 1e-9, "duration");
        }
        for (int i = 0; i < 3; i++)
            near(at(orbit, names[i], slip_result_event(orbit, first)->time), cases[k].state[i], 1e-9,
                 names[i]);
        slip_result_destroy(orbit);
    }
}

/* The jack plane: the cycle that its run settles on. */
static void jack_plane(void **state)
{
    slip_model *model = NULL;
    slip_orbit_options options = slip_orbit_options_default();
    slip_run_options how = slip_run_options_default();
    slip_result *orbit = NULL, *settled = NULL;
    (void)state;
    good(slip_model_load_with(ctx, SLIPSTICK_SOURCE_DIR "/examples/jack-plane.yaml", NULL, &model));
    options.period = "12*pi";
    good(slip_orbit_find(ctx, model, &options, &orbit));
    how.steady_period = 12 * pi;
    how.steady_tolerance = 1e-12;
    good(slip_run(ctx, model, &how, &settled));
    expect_events(orbit,
                  "plane stick>slip+; plane slip+>stick; plane stick>slip+; plane slip+>stick; plane "
                  "stick>slip-; plane slip->stick",
                  1);
    near(slip_result_number(orbit, "max.ut"), slip_result_number(settled, "steady.max.ut"), 1e-10, "max.ut");
    near(slip_result_number(orbit, "max.ut'"), slip_result_number(settled, "steady.max.ut'"), 1e-10,
         "max.ut'");
    expect_multiplier(orbit, 1, 0, 0, 1e-12);
    slip_result_destroy(settled);
    slip_result_destroy(orbit);
    slip_model_destroy(model);
}

/* The same motion, cut into arcs. */
/* G. Kudra, J. Awrejcewicz 2016: a disk that sticks to a belt, slips and spins; beside it steady sliding, an
 * equilibrium, whose multipliers over a time of 1 are exp(lambda) of its eigenvalues. */
static void disk_on_belt(void **state)
{
    static const char text[] =
        "slipstick: 1\nparameters: {m: 90, vb: 0.15}\ncoordinates: [x, phi]\nmass: [[1, 0], [0, m]]\n"
        "damping: [[1e-4, 0], [0, 1e-4]]\nstiffness: [[1, 0.85], [0.85, 1]]\n"
        "contacts: {pad: {kind: patch, slip: {x: x' - vb, spin: phi'}, normal_force: 1, area: {shape: disc, "
        "radius: 1, "
        "pressure: uniform}, law: {type: coulomb, mu: 5, static_ratio: 4.98, surface: {type: pade, order: "
        "[0, 0], "
        "m: 2, b: 1}}}}\nsimulate: {time: [0, 2000], initial: {x': vb}}\norbit: {period: auto}\n";
    (void)state;
    slip_result *orbit = find_with(text, NULL);
    expect_events(orbit, "pad stick>slip; pad slip>stick", 1);
    near(slip_result_number(orbit, "period"), 131.13071130378543, 1e-8, "period");
    expect_multiplier(orbit, 0, 1, 0, 1e-7);
    expect_multiplier(orbit, 1, 0.8053576150024443, 0, 1e-8);
    expect_multiplier(orbit, 2, 0, 0, 1e-12);
    slip_result_destroy(orbit);
    orbit =
        find_with(text, (const char *const[]){"simulate.initial={x: 20, phi: -20}", "orbit.period=1", NULL});
    expect_events(orbit, "pad slip", 1);
    near(slip_result_series(orbit, "x", NULL)[0], 18.018018018018015, 1e-8, "x");
    near(slip_result_series(orbit, "phi", NULL)[0], -15.315315315315312, 1e-8, "phi");
    expect_multiplier(orbit, 0, 0.5365821544977383, 0.842683641252554, 2e-9);
    expect_multiplier(orbit, 2, 0.9868881385794538, 0, 2e-9);
    expect_multiplier(orbit, 3, 0.793064830319684, 0, 2e-9);
    slip_result_destroy(orbit);
}

static void arcs(void **state)
{
    slip_orbit_options options = slip_orbit_options_default();
    slip_result *one = find_with(STOP, NULL), *cut;
    (void)state;
    options.arcs = 4;
    cut = find(STOP, NULL, options);
    assert_true(slip_result_number(cut, "arcs") == 4);
    for (int k = 0; k < 2; k++)
        near(slip_result_series(cut, "multipliers.real", NULL)[k],
             slip_result_series(one, "multipliers.real", NULL)[k], 1e-10, "multiplier");
    near(slip_result_number(cut, "state.x"), slip_result_number(one, "state.x"), 1e-10, "x");
    slip_result_destroy(one);
    slip_result_destroy(cut);
}

/* How the time from peck to peck of the woodpecker approaches its limit: a ratio of differences. */
static double ratio_of_pecks(void)
{
    slip_run_options options = slip_run_options_default();
    slip_model *model = parse(slip_example_text("woodpecker"));
    slip_result *result = NULL;
    double times[9];
    int count = 0;
    options.end = 1.3;
    options.tolerance = 1e-13;
    good(slip_run(ctx, model, &options, &result));
    for (int64_t e = 0; e < slip_result_event_count(result) && count < 9; e++)
        if (slip_result_event(result, e)->contact == 0)
            times[count++] = slip_result_event(result, e)->time;
    assert_int_equal(count, 9);
    slip_result_destroy(result);
    slip_model_destroy(model);
    const double *t = times + 5;
    return (t[3] - 2 * t[2] + t[1]) / (t[2] - 2 * t[1] + t[0]);
}

/* Multipliers and signature are those of the cycle, wherever its period starts: also where a curved gap is
 * closed, and where a contact at it sticks. */
static void any_start(void **state)
{
    (void)state;
    const double ratio = ratio_of_pecks();
    for (int k = 0; k < 8; k++) {
        char time[60];
        snprintf(time, sizeof time, "simulate.time=[0, %.2f]", 1 + 0.02 * k);
        slip_result *orbit = find_with(slip_example_text("woodpecker"), (const char *const[]){time, NULL});
        expect_multiplier(orbit, 0, 1, 0, 1e-8);
        expect_multiplier(orbit, 1, ratio, 0, 3e-6);
        expect_multiplier(orbit, 1, -0.04924837, 0, 1e-8);
        expect_multiplier(orbit, 2, 0, 0, 1e-7);
        expect_events(orbit,
                      "beak open>open; lower open>open; lower open>slip-; lower slip->stick; lower "
                      "stick>slip-; lower slip->open",
                      1);
        slip_result_destroy(orbit);
    }
}

/* What a run has settled on, with a period of its own. */
static void steady_run(void **state)
{
    const char *const settings[] = {"simulate.steady={period: auto}", "simulate.tolerance=1e-11", NULL};
    slip_model *model = parse_with(BELT, settings);
    slip_run_options options = slip_run_options_default();
    slip_result *result = run_as_said(model);
    int64_t count = 0;
    (void)state;
    near(slip_result_number(result, "steady.period"), 6.758548507326905, 1e-8, "period");
    assert_true(slip_result_number(result, "steady.settled") == 1);
    near(slip_result_number(result, "steady.max.x"), 1.4635241252437372, 1e-7, "max.x");
    const double *t = slip_result_series(result, "t", &count), *x = slip_result_series(result, "x", NULL);
    near(t[count - 1] - t[0], 2 * 6.758548507326905, 1e-8, "two periods");
    near(x[count - 1], x[0], 1e-7, "it repeats");
    slip_result_destroy(result);
    options.method = "moreau";
    options.step = 1e-2;
    assert_true(slip_run(ctx, model, &options, &result) < 0);
    expect_message("moreau", "found by method `event`");
    slip_model_destroy(model);
}

/* Van der Pol's oscillator: a guess of 15 periods gives the least one. Its period for mu = 1 is that of a
 * Taylor series of order 24. */
static void own_periods_are_the_least(void **state)
{
    slip_orbit_options o = slip_orbit_options_default();
    slip_model *model = NULL;
    slip_result *result = NULL;
    (void)state;
    o.guess = 100;
    assert_int_equal(
        slip_model_parse(ctx,
                         "slipstick: 1\ncoordinates: [x]\nmass: 1\nstiffness: 1\n"
                         "forces: {x: \"(1-x^2)*x'\"}\nsimulate: {time: [0, 60], initial: {x: 1}}\n",
                         "vdp", NULL, &model),
        SLIP_OK);
    assert_int_equal(slip_orbit_find(ctx, model, &o, &result), SLIP_OK);
    assert_close(slip_result_number(result, "period"), 6.6632868593231, 1e-9);
    assert_close(slip_result_number(result, "least_period"), 6.6632868593231, 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void refusals(void **state)
{
    static const struct {
        const char *text, *setting, *message;
    } cases[] = {{STOP, "orbit.period=-1", "orbit.period: found -1, expected more than 0"},
                 {STOP, "orbit.period=2*q", "orbit.period"},
                 {STOP, "orbit.from=there", "expected one of `run`, `initial`"},
                 {BELT, "vb=0", "nothing moves any more"},
                 {OSCILLATOR "damping: [[0.2]]\nforces: {x: 3}\nsimulate: {time: [0, 20]}\n",
                  "orbit.period=auto", "the system is at rest"},
                 {OSCILLATOR "damping: [[0.5]]\nsimulate: {time: [0, 200], initial: {x: 1}}\n",
                  "orbit.period=auto", "the system is at rest"},
                 {OSCILLATOR "simulate: {initial: {x: 1}}\n", "orbit.period=auto", "simulate.time"},
                 {OSCILLATOR "damping: [[0.1]]\nforces: {x: 0.1*t}\nsimulate: {time: [0, 10]}\n",
                  "orbit.period=1", "the load has not the period 1"},
                 /* a load that turns: the same motion at any phase, and as often as one likes a period */
                 {"slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nstiffness: {diagonal: [1, "
                  "1]}\ndamping: {diagonal: [0.2, 0.2]}\nforces: {x: cos(1.5*t), y: sin(1.5*t)}\n"
                  "simulate: {time: [0, 200]}\n",
                  "orbit.period=auto", "the model changes with time"},
                 {"slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[1]]\nstiffness: [[0.1]]\nforces: "
                  "{x: -2 + 0.1*cos(2*pi*t) + 1e-6*sqrt(x)}\nsimulate: {initial: {x: 10}}\n",
                  "orbit={period: 1, from: initial}",
                  " of the motion, and motions next to the last one fail (at t = "}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const char *const settings[] = {cases[k].setting, NULL};
        slip_model *model = NULL;
        slip_result *orbit = NULL;
        int status = slip_model_parse(ctx, cases[k].text, "m.yaml", settings, &model);
        if (status >= 0)
            status = slip_orbit_find(ctx, model, NULL, &orbit);
        assert_true(status < 0 && !orbit);
        expect_message(cases[k].setting, cases[k].message);
        slip_model_destroy(model);
    }
}

/* An oscillator with a Jenkins element: multipliers of (x, x', z), one of them zero since the slider yields.
 */
static void jenkins_oscillator(void **state)
{
    (void)state;
    slip_result *orbit =
        find_with(OSCILLATOR
                  "damping: [[0.04]]\nforces: {x: cos(1.1*t)}\ncontacts: {c: {kind: friction, slip: x', law: "
                  "{type: jenkins, mu: 0.5, stiffness: 1}}}\nsimulate: {time: [0, 60]}\norbit: {period: "
                  "2*pi/1.1}\n",
                  NULL);
    expect_multiplier(orbit, 0, 0.6430550336872547, 0.35196181309364116, 1e-9);
    expect_multiplier(orbit, 1, 0.6430550336872547, 0.35196181309364116, 1e-9);
    expect_multiplier(orbit, 2, 0, 0, 1e-12);
    slip_result_destroy(orbit);
    /* the same, with the slider as a coordinate without mass */
    orbit = find_with(
        "slipstick: 1\ncoordinates: [x, u]\nmass: {diagonal: [1, 0]}\n"
        "springs: [{between: [x, ground], stiffness: 1, damping: 0.04}, {between: [x, u], stiffness: 1}]\n"
        "forces: {x: cos(1.1*t)}\ncontacts: {c: {kind: friction, slip: u', law: {type: coulomb, mu: 0.5}}}\n"
        "simulate: {time: [0, 60]}\norbit: {period: 2*pi/1.1}\n",
        NULL);
    expect_events(orbit, "c stick>slip+; c slip+>stick; c stick>slip-; c slip->stick", 1);
    expect_multiplier(orbit, 0, 0.6430550336872547, 0.35196181309364116, 1e-9);
    expect_multiplier(orbit, 1, 0.6430550336872547, 0.35196181309364116, 1e-9);
    expect_multiplier(orbit, 2, 0, 0, 1e-12);
    expect_multiplier(orbit, 3, 0, 0, 1e-12);
    slip_result_destroy(orbit);
}

/* By its name, with what the section says: the same bits. */
/* Bouc-Wen: what a small change of (x, x', z) grows by in size is exp(-c T) times that along z, where dz/dx =
 * g(z) on the way from a reversal to the next: g at its end over g at its start. Derivatives of g of some
 * order jump at z = 0. */
static void hysteresis(void **state)
{
    (void)state;
    const double a = 1.2, beta = 1.5, gamma = 0.7;
    for (int n = 1; n <= 3; n++) {
        char exponent[80];
        const char *settings[] = {exponent, NULL};
        snprintf(exponent, sizeof exponent, "contacts.c.law.exponent=%d", n);
        slip_result *orbit = find_with(
            OSCILLATOR
            "damping: [[0.03]]\nforces: {x: 0.9*cos(0.8*t)}\ncontacts: {c: {kind: friction, slip: x', "
            "law: {type: boucwen, stiffness: 2, a: 1.2, beta: 1.5, gamma: 0.7, exponent: 1}}}\n"
            "simulate: {time: [0, 300]}\norbit: {period: 2*pi/0.8}\n",
            settings);
        const double high = at(orbit, "c.z", time_of(orbit, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS)),
                     low = at(orbit, "c.z", time_of(orbit, SLIP_MODE_SLIP_MINUS, SLIP_MODE_SLIP_PLUS));
        const double top = pow(high, n), bottom = pow(-low, n), opened = a - (gamma - beta) * bottom,
                     up = (a - (gamma + beta) * top) / opened,
                     down = (a - (gamma + beta) * bottom) / (a - (gamma - beta) * top);
        const double *real = slip_result_series(orbit, "multipliers.real", NULL),
                     *imaginary = slip_result_series(orbit, "multipliers.imaginary", NULL);
        double re = 1, im = 0;
        for (int k = 0; k < 3; k++) {
            const double r = re * real[k] - im * imaginary[k];
            im = re * imaginary[k] + im * real[k];
            re = r;
        }
        near(re, exp(-0.03 * 2 * pi / 0.8) * up * down, 1e-9, "product of multipliers");
        near(im, 0, 1e-12, "its imaginary part");
        slip_result_destroy(orbit);
    }
}

static void by_name(void **state)
{
    slip_model *model = parse_with(DEN_HARTOG, NULL);
    slip_result *direct = NULL, *named = NULL;
    bool listed = false;
    (void)state;
    good(slip_orbit_find(ctx, model, NULL, &direct));
    good(slip_study_run(ctx, model, "orbit", &named));
    assert_true(slip_result_number(named, "period") == slip_result_number(direct, "period"));
    assert_string_equal(slip_result_text(named, "signature"), slip_result_text(direct, "signature"));
    slip_result_destroy(direct);
    slip_result_destroy(named);
    assert_int_equal(slip_study_run(ctx, model, "orbits", &named), SLIP_ERROR_USAGE);
    assert_string_equal(slip_context_message(ctx),
                        "there is no study `orbits`, expected one such as `orbit`");
    assert_null(named);
    for (int k = 0; k < slip_study_count(); k++)
        listed = listed || strcmp(slip_study_name(k), "orbit") == 0;
    assert_true(listed && !slip_study_name(-1) && !slip_study_name(slip_study_count()));
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(den_hartog),
                                       cmocka_unit_test(hysteresis),
                                       cmocka_unit_test(by_name),
                                       cmocka_unit_test(impacts),
                                       cmocka_unit_test(jenkins_oscillator),
                                       cmocka_unit_test(bouncing_ball),
                                       cmocka_unit_test(belt),
                                       cmocka_unit_test(steep_belt),
                                       cmocka_unit_test(soft_stop),
                                       cmocka_unit_test(drifting),
                                       cmocka_unit_test(forced_belt),
                                       cmocka_unit_test(two_blocks),
                                       cmocka_unit_test(hopf),
                                       cmocka_unit_test(doublings),
                                       cmocka_unit_test(jack_plane),
                                       cmocka_unit_test(disk_on_belt),
                                       cmocka_unit_test(arcs),
                                       cmocka_unit_test(any_start),
                                       cmocka_unit_test(steady_run),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(own_periods_are_the_least)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
