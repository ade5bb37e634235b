/* Closed-form cases in which a held contact was let go, or a contact was judged by the scales of another:
 * by closed forms and by Dormand-Prince, and mirrored (s = -1 reverses the signs of all forces, velocities
 * and places). */
#include "model/model.h"
#include "slipstick/slipstick.h"
#include "test.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct expected_row {
    double t;
    const char *contact, *change; /* with s = 1 */
} expected_row;

typedef struct expected_number {
    const char *series; /* its last value, times s where it is a coordinate */
    double value, size; /* to 1e-9 of the size */
} expected_number;

typedef struct trap {
    const char *text, *segments[4];
    const char *contacts[4];
    expected_row rows[6];
    expected_number numbers[8];
} trap;

/* slip+ and slip- change places in a mirror. */
static slip_mode mirrored(slip_mode mode, int s)
{
    if (s > 0 || (mode != SLIP_MODE_SLIP_PLUS && mode != SLIP_MODE_SLIP_MINUS))
        return mode;
    return mode == SLIP_MODE_SLIP_PLUS ? SLIP_MODE_SLIP_MINUS : SLIP_MODE_SLIP_PLUS;
}

static int check_rows(const trap *own, const slip_result *result, int s)
{
    const int64_t found = slip_result_event_count(result);
    int64_t count = 0;
    int wrong = 0;
    for (; own->rows[count].contact; count++) {
        const expected_row *row = &own->rows[count];
        const slip_event *event = count < found ? slip_result_event(result, count) : NULL;
        char change[40] = "";
        if (event)
            snprintf(change, sizeof change, "%s>%s", slip_mode_name(mirrored(event->from, s)),
                     slip_mode_name(mirrored(event->to, s)));
        if (event && strcmp(change, row->change) == 0 &&
            strcmp(own->contacts[event->contact], row->contact) == 0 && fabs(event->time - row->t) <= 1e-9)
            continue;
        print_error("row %d: found %.12g %s %s, expected %.12g %s %s\n", (int)count,
                    event ? event->time : NAN, event ? own->contacts[event->contact] : "none", change, row->t,
                    row->contact, row->change);
        wrong++;
    }
    if (found != count)
        print_error("%d rows, expected %d\n", (int)found, (int)count);
    return wrong + (found != count);
}

static int check_numbers(const trap *own, const slip_result *result, int s)
{
    int wrong = 0;
    for (const expected_number *number = own->numbers; number->series; number++) {
        int64_t count = 0;
        const double *series = slip_result_series(result, number->series, &count);
        assert_non_null(series);
        if (fabs(s * series[count - 1] - number->value) <= 1e-9 * number->size)
            continue;
        print_error("%s = %.12g, expected %.12g\n", number->series, s * series[count - 1], number->value);
        wrong++;
    }
    return wrong;
}

/* How much is wrong. */
static int spring_trap(const trap *own, const char *const *more)
{
    int wrong = 0;
    for (int k = 0; k < 8; k++) {
        const int s = k % 2 ? -1 : 1;
        const char *settings[5] = {s > 0 ? "parameters.s=1" : "parameters.s=-1"},
                   *segments = own->segments[k / 2];
        char set[60];
        slip_context *ctx = slip_context_create();
        slip_model *model = NULL;
        slip_result *result = NULL;
        slip_run_options options = slip_run_options_default();
        int status;
        if (!segments) {
            slip_context_destroy(ctx);
            break;
        }
        snprintf(set, sizeof set, "simulate.segments=%s", segments);
        settings[1] = set;
        for (int i = 0; more && more[i]; i++)
            settings[2 + i] = more[i];
        if (slip_model_parse(ctx, own->text, "m.yaml", settings, &model) < 0) {
            print_error("%s\n", slip_context_message(ctx));
            fail();
        }
        options.tolerance = 1e-12;
        status = slip_run(ctx, model, &options, &result);
        if (status != SLIP_OK)
            print_error("%s\n", slip_context_message(ctx));
        int here = status != SLIP_OK ? 1 : check_rows(own, result, s) + check_numbers(own, result, s);
        if (here)
            print_error("  by %s, s = %d%s%s\n", segments, s, more ? ", " : "", more ? more[0] : "");
        wrong += here;
        slip_result_destroy(result);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
    return wrong;
}

/* The foot's load is 1.5 -+ 0.3, never above 1.8, and its static limit is 2: a = 0 for ever. b is an
 * oscillator with friction 0.3: half periods about -+0.3, of which each takes 0.6 of the amplitude. */
static void a_held_block_is_held(void **state)
{
    const double r = sqrt(9.09), t1 = pi / 2 - asin(0.3 / r);
    const trap own = {
        "slipstick: 1\n"
        "parameters: {s: 1}\n"
        "coordinates: [a, b]\n"
        "mass: [[1, 0], [0, 1]]\n"
        "stiffness: [[0, 0], [0, 1]]\n"
        "forces: {a: 1.5*s}\n"
        "contacts:\n"
        "  ground: {kind: friction, slip: a', normal_force: 1, law: {type: coulomb, mu: 1, static_ratio: "
        "2}}\n"
        "  top: {kind: friction, slip: b' - a', normal_force: 1, law: {type: coulomb, mu: 0.3}}\n"
        "simulate:\n"
        "  time: [0, 10]\n"
        "  initial: {b': 3*s}\n",
        {"exact", "rk", "auto"},
        {"ground", "top"},
        {{t1, "top", "slip+>slip-"}, {t1 + pi, "top", "slip->slip+"}, {t1 + 2 * pi, "top", "slip+>slip-"}},
        {{"a", 0, 1},
         {"a'", 0, 1},
         {"b", 0.3 + (r - 1.8) * cos(10 - t1 - 2 * pi), 1},
         {"b'", -(r - 1.8) * sin(10 - t1 - 2 * pi), 1}}};
    (void)state;
    assert_close(own.numbers[2].value, -0.459123, 1e-6);
    assert_int_equal(spring_trap(&own, NULL), 0);
}

/* The belt holds x until 2 - cos t = 2, whatever y does. */
static void an_event_elsewhere_releases_nothing(void **state)
{
    const double late = 3 - pi / 2;
    const trap own = {
        "slipstick: 1\n"
        "parameters: {s: 1}\n"
        "coordinates: [x, y]\n"
        "mass: [[1, 0], [0, 1]]\n"
        "forces: {x: 2*s, y: s*(-1 + t)}\n"
        "contacts:\n"
        "  belt: {kind: friction, slip: x' - s*sin(t), normal_force: 1, law: {type: coulomb, mu: 1, "
        "static_ratio: 2}}\n"
        "  floor: {kind: unilateral, gap: s*y}\n"
        "simulate:\n"
        "  time: [0, 3]\n",
        {"exact", "rk", "auto"},
        {"belt", "floor"},
        {{1, "floor", "closed>open"}, {pi / 2, "belt", "stick>slip+"}},
        {{"x", 1 + late + late * late / 2, 1}, {"x'", 1 + late, 1}, {"y", 8.0 / 6, 1}, {"y'", 2, 1}}};
    (void)state;
    assert_int_equal(spring_trap(&own, NULL), 0);
}

/* The plate presses with 1 - 0.1 sin t, so that its static limit stays above 1.8, and 1.5 is held. The floor
 * is closed from the start: no row says that it closes. */
static void a_moving_plate_holds_its_block(void **state)
{
    const trap own = {
        "slipstick: 1\n"
        "parameters: {s: 1}\n"
        "coordinates: [x, h, y]\n"
        "mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
        "forces: {x: 1.5*s, h: -s, y: s*(-1 + t)}\n"
        "contacts:\n"
        "  plate: {kind: unilateral, gap: s*h - 0.1*sin(t), slip: x', law: {type: coulomb, mu: 1, "
        "static_ratio: 2}}\n"
        "  floor: {kind: unilateral, gap: s*y}\n"
        "simulate:\n"
        "  time: [0, 3]\n"
        "  initial: {h': 0.1*s}\n",
        {"exact", "rk", "auto"},
        {"plate", "floor"},
        {{1, "floor", "closed>open"}},
        {{"x", 0, 1}, {"x'", 0, 1}, {"h", 0.1 * sin(3), 1}, {"h'", 0.1 * cos(3), 1}, {"y", 8.0 / 6, 1}}};
    (void)state;
    assert_int_equal(spring_trap(&own, NULL), 0);
}

/* The same with h' = 0 at the start, as the plate comes up with speed 0.1: it strikes the block, which is
 * closed after that; the floor was closed before and is no party to it. */
static void a_plate_that_strikes_at_the_start(void **state)
{
    const trap own = {
        "slipstick: 1\n"
        "parameters: {s: 1}\n"
        "coordinates: [x, h, y]\n"
        "mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
        "forces: {x: 1.5*s, h: -s, y: s*(-1 + t)}\n"
        "contacts:\n"
        "  plate: {kind: unilateral, gap: s*h - 0.1*sin(t), slip: x', law: {type: coulomb, mu: 1, "
        "static_ratio: 2}}\n"
        "  floor: {kind: unilateral, gap: s*y}\n"
        "simulate:\n"
        "  time: [0, 3]\n",
        {"exact", "rk", "auto"},
        {"plate", "floor"},
        {{0, "plate", "open>stick"}, {1, "floor", "closed>open"}},
        {{"x", 0, 1}, {"x'", 0, 1}, {"h", 0.1 * sin(3), 1}, {"h'", 0.1 * cos(3), 1}, {"y", 8.0 / 6, 1}}};
    (void)state;
    assert_int_equal(spring_trap(&own, NULL), 0);
}

/* The pad sticks at t1, where 0.5 - 3.7 t = 0; both slide on with -1.35 until b comes to rest at t2; there
 * the pad slips back with -1.2, because 1.2 + 1 is more than it holds, and the ground holds b. */
static void a_pad_slips_back_from_what_stops(void **state)
{
    const double t1 = 0.5 / 3.7, v1 = 2.5 + 0.5 * t1, t2 = t1 + v1 / 1.35, late = 4 - t2;
    const double b = 2.5 * t1 + 0.25 * t1 * t1 + v1 * v1 / 2.7,
                 a = 3 * t1 - 1.6 * t1 * t1 + v1 * v1 / 2.7 - 0.6 * late * late;
#define PADS(pad, ground)                                                                                    \
    "slipstick: 1\n"                                                                                         \
    "parameters: {s: 1}\n"                                                                                   \
    "coordinates: [a, b]\n"                                                                                  \
    "mass: [[1, 0], [0, 1]]\n"                                                                               \
    "forces: {a: -2.2*s, b: s}\n"                                                                            \
    "contacts:\n"                                                                                            \
    "  pad: " pad ", normal_force: 1, law: {type: coulomb, mu: 1}}\n"                                        \
    "  ground: " ground ", normal_force: 1, law: {type: coulomb, mu: 1.5}}\n"                                \
    "simulate:\n"                                                                                            \
    "  time: [0, 4]\n"                                                                                       \
    "  initial: {a': 3*s, b': 2.5*s}\n"
#define DISC(slip) "{kind: patch, slip: {x: " slip "}, area: {shape: disc}"
#define POINT(slip) "{kind: friction, slip: " slip
    static const char *const texts[] = {
        PADS(DISC("a' - b'"), POINT("b'")), PADS(POINT("a' - b'"), POINT("b'")),
        PADS(DISC("a' - b'"), DISC("b'")), PADS(POINT("a' - b'"), DISC("b'"))};
    int wrong = 0;
    (void)state;
    assert_close(a, 0.5058836614, 1e-10);
    assert_close(b, 2.7840340340, 1e-10);
    for (int k = 0; k < 4; k++) {
        const bool pad = k % 2 == 0, ground = k >= 2;
        const trap own = {texts[k],
                          {"rk", pad || ground ? "auto" : "exact"},
                          {"pad", "ground"},
                          {{t1, "pad", pad ? "slip>stick" : "slip+>stick"},
                           {t2, "pad", pad ? "stick>slip" : "stick>slip-"},
                           {t2, "ground", ground ? "slip>stick" : "slip+>stick"}},
                          {{"a", a, 1}, {"a'", -1.2 * late, 1}, {"b", b, 1}, {"b'", 0, 1}}};
        wrong += spring_trap(&own, NULL);
    }
    assert_int_equal(wrong, 0);
}

/* y lifts off at t = 1 whatever the size of its neighbour's load, and with whatever slope of its own. */
static void a_body_lifts_off_beside_a_large_one(void **state)
{
    static const char *const large[] = {"1e-6", "1", "100", "1e6", "1e10", "1e14"};
    static const char *const slopes[] = {"1", "1e-4", "1e-8"};
    int wrong = 0;
    (void)state;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 3; i++) {
            char load[40], slope[40];
            const char *const more[] = {load, slope, NULL};
            const double size = strtod(large[k], NULL), rise = strtod(slopes[i], NULL);
            const trap own = {"slipstick: 1\n"
                              "parameters: {s: 1, L: 1e6, r: 1}\n"
                              "coordinates: [y, z]\n"
                              "mass: [[1, 0], [0, 1]]\n"
                              "forces: {y: s*r*(-1 + t), z: s*L*cos(t)}\n"
                              "contacts:\n"
                              "  floor: {kind: unilateral, gap: s*y}\n"
                              "simulate:\n"
                              "  time: [0, 3]\n",
                              {"exact", "rk", "auto"},
                              {"floor"},
                              {{1, "floor", "closed>open"}},
                              {{"y", 8.0 / 6 * rise, 1},
                               {"y'", 2 * rise, 1},
                               {"z", size * (1 - cos(3)), fmax(size, 1e-3)},
                               {"z'", size * sin(3), fmax(size, 1e-3)}}};
            snprintf(load, sizeof load, "parameters.L=%s", large[k]);
            snprintf(slope, sizeof slope, "parameters.r=%s", slopes[i]);
            wrong += spring_trap(&own, more);
        }
    assert_int_equal(wrong, 0);
}

/* Contacts that start to slip with a rate of zero, static friction being no larger than kinetic friction, on
 * belts that accelerate; the unit of time is 1/T. The first steps after it move them by rounding only. */
static void slips_from_zero_rate(void **state)
{
    static const char text[] =
        "slipstick: 1\n"
        "parameters: {T: 1}\n"
        "coordinates: [x, y, z, u]\n"
        "mass: [[0.432*T^2, 0, 0, 0], [0, 1.803*T^2, 0, 0], [0, 0, 2.235*T^2, 0], [0, 0, 0, 0.812*T^2]]\n"
        "stiffness: [[0, 0, 0, 0], [0, 1.738, -1.738, 0], [0, -1.738, 3.793, 0], [0, 0, 0, 0]]\n"
        "forces: {x: 1.26 + 1.803*sin(1.824/T*t - 2.909), y: 0.678*sin(2.241/T*t + 1.473) - 0.198,\n"
        "         z: 1.512*sin(1.618/T*t - 1.123) - 0.505, u: 1.3 + 0.071*sin(0.314/T*t + 2.174)}\n"
        "contacts:\n"
        "  a: {kind: friction, slip: x' - 0.155/T*sin(1.241/T*t), normal_force: 1.159,"
        " law: {type: coulomb, mu: 1}}\n"
        "  b: {kind: friction, slip: y' - x', normal_force: 0.365, law: {type: coulomb, mu: 1}}\n"
        "  c: {kind: friction, slip: z' - 0.328/T*sin(0.555/T*t), normal_force: 1.99,"
        " law: {type: coulomb, mu: 1, static_ratio: 1.119}}\n"
        "  d: {kind: friction, slip: u' - z', normal_force: 1.543, law: {type: coulomb, mu: 1}}\n"
        "  e: {kind: friction, slip: u', normal_force: 0.665,"
        " law: {type: coulomb, mu: 1, static_ratio: 2.683}}\n"
        "simulate: {time: [0, 6*T], initial: {x: 0.875, y: -0.304, u: 0.362, u': -1.624/T}}\n";
    slip_context *ctx = slip_context_create();
    int wrong = 0;
    (void)state;
    for (int k = 0; k < 40; k++) {
        const double T = pow(10, 0.25 * k);
        char set[60];
        const char *settings[] = {set, NULL};
        slip_model *model = NULL;
        slip_result *result = NULL;
        slip_run_options options = slip_run_options_default();
        options.tolerance = k % 2 ? 1e-11 : 1e-8;
        options.segments = k > 0 ? "rk" : "exact";
        snprintf(set, sizeof set, "T=%.17g", T);
        assert_int_equal(slip_model_parse(ctx, text, "m.yaml", settings, &model), SLIP_OK);
        const int status = slip_run(ctx, model, &options, &result);
        const int64_t events = slip_result_event_count(result);
        if (status != SLIP_OK || events != 14) {
            print_error("T = %.9g: %d events, expected 14. %s\n", T, (int)events, slip_context_message(ctx));
            wrong++;
        }
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    slip_context_destroy(ctx);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_from_zero_rate),
        cmocka_unit_test(a_held_block_is_held),
        cmocka_unit_test(an_event_elsewhere_releases_nothing),
        cmocka_unit_test(a_moving_plate_holds_its_block),
        cmocka_unit_test(a_plate_that_strikes_at_the_start),
        cmocka_unit_test(a_pad_slips_back_from_what_stops),
        cmocka_unit_test(a_body_lifts_off_beside_a_large_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
