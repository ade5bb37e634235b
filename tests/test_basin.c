/* Basins: every start leads where closed forms, reference grids and long runs say. */
#include "basin_reference.h"
#include "basin_test.h"

#include "slipstick/simulation.h"
#include "slipstick/sweep.h"
#include "test_folder.h"

#include <stdlib.h>
#include <unistd.h>

static char base[test_path_size];

#define IMPACT                                                                                               \
    "slipstick: 1\nparameters: {w: 1.88, s: 0.5, z: 0.05}\ncoordinates: [x]\nmass: [[1]]\n"                  \
    "damping: [[2*z]]\nstiffness: [[1]]\nforces: {x: cos(w*t)}\n"                                            \
    "contacts: {stop: {kind: unilateral, gap: s - x, restitution: 0.8}}\n"

static const double *series(const slip_result *result, const char *name)
{
    const double *values = slip_result_series(result, name, NULL);
    if (!values)
        fail_msg("no series %s", name);
    return values;
}

static bool is_word(const slip_result *result, const char *name, int64_t row, const char *word)
{
    return strcmp(slip_result_word(result, name, row), word) == 0;
}

static slip_result *over_two(const slip_model *model, double x0, double x1, double v0, double v1,
                             int64_t count, int refine, int threads)
{
    const slip_axis axes[] = {{.name = "x", .from = x0, .to = x1, .count = count},
                              {.name = "x'", .from = v0, .to = v1, .count = count}};
    slip_basin_options options = slip_basin_options_default();
    options.axes = axes;
    options.axis_count = 2;
    options.refine = refine;
    options.threads = threads;
    return basin(model, &options);
}

static void same_tables(const slip_result *a, const slip_result *b)
{
    assert_int_equal(slip_result_series_count(a), slip_result_series_count(b));
    for (int k = 0; k < slip_result_series_count(a); k++) {
        const char *name = slip_result_series_name(a, k);
        int64_t of_a, of_b;
        const double *x = slip_result_series(a, name, &of_a), *y = slip_result_series(b, name, &of_b);
        assert_int_equal(of_a, of_b);
        for (int64_t i = 0; i < of_a; i++)
            if (slip_result_word(a, name, i))
                assert_string_equal(slip_result_word(a, name, i), slip_result_word(b, name, i));
            else
                assert_true(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
    }
}

/* ---- Reference grids, point by point; every second point under the sanitizers. */

static void the_grid_of_the_belt(void **state)
{
    const int64_t count = test_sanitized ? 21 : 41, every = 40 / (count - 1);
    slip_model *model = parse(BELT);
    slip_result *result = over_two(model, -1.5, 2.5, -2.05, 1.95, count, 0, 0);
    int64_t sliding = 0;
    (void)state;
    for (int64_t k = 0; k < count * count; k++) {
        const bool slides = belt_labels[every * (k % count)][every * (k / count)] == 'E';
        if (!is_word(result, "kind", k, slides ? "sliding" : "cycle"))
            fail_msg("x = %g, x' = %g: %s", series(result, "x")[k], series(result, "x'")[k],
                     slip_result_word(result, "attractor", k));
        sliding += slides;
    }
    assert_true(test_sanitized || sliding == 198);
    assert_int_equal(slip_result_number(result, "attractors"), 2);
    /* The cycle: its period and its largest x; and where steady sliding is. */
    const double *period = series(result, "attractors.period"), *x = series(result, "attractors.end.x");
    assert_true(is_word(result, "attractors.name", 0, "cycle 1") &&
                is_word(result, "attractors.name", 1, "sliding 1"));
    assert_true(fabs(period[0] - 6.3437834752003) < 1e-6 && fabs(x[0] - 2.037729980608952) < 1e-6);
    assert_true(isnan(period[1]) && fabs(x[1] - 0.5 * (1 + exp(-2.6))) < 1e-5);
    assert_string_equal(slip_result_word(result, "attractors.signature", 0),
                        "belt stick>slip-; belt slip->stick");
    slip_result_destroy(result);
    slip_model_destroy(model);
}

static void the_grid_of_the_impact_oscillator(void **state)
{
    const int64_t count = test_sanitized ? 21 : 41, every = 40 / (count - 1);
    slip_model *model = parse(IMPACT); /* the period is that of the load */
    slip_result *result = over_two(model, -2.5, 0.48, -2.5, 2.5, count, 0, 0);
    int64_t without = 0;
    (void)state;
    for (int64_t k = 0; k < count * count; k++) {
        const bool none = impact_labels[every * (k % count)][every * (k / count)] == 'N';
        if (!is_word(result, "signature", k, none ? "stop open" : "stop open>open"))
            fail_msg("x = %g, x' = %g: %s", series(result, "x")[k], series(result, "x'")[k],
                     slip_result_word(result, "attractor", k));
        without += none;
    }
    assert_true(test_sanitized || without == 253);
    assert_int_equal(slip_result_number(result, "attractors"), 2);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* ---- Closed forms. */

/* A block with Coulomb friction stops after half swings that become shorter by 2 mu N/k, anywhere in the band
 * in which the spring is too weak: all these are one set. */
static void stops_in_stick_are_one_set(void **state)
{
    const slip_axis axis = {.name = "x", .from = -3.05, .to = 2.95, .count = 61};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ncontacts: {floor: "
              "{kind: friction, slip: x', law: {type: coulomb, mu: 0.2}}}\nsimulate: {time: [0, "
              "30]}\n");
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    for (int64_t k = 0; k < 61; k++) {
        double x = slip_axis_value(&axis, k);
        while (fabs(x) > 0.2)
            x = -x + (x > 0 ? 0.4 : -0.4);
        assert_string_equal(slip_result_word(result, "attractor", k), "stick set 1");
        if (fabs(series(result, "end.x")[k] - x) > 1e-12)
            fail_msg("start %g: %.17g, expected %.17g", slip_axis_value(&axis, k), series(result, "end.x")[k],
                     x);
    }
    assert_true(series(result, "attractors.fraction")[0] == 1 && series(result, "attractors.error")[0] == 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Where a block with dry friction between two wells stops, in small steps. */
static double stop_in_well(double x, double v, double mu)
{
    const double h = 2e-5;
    for (int side = 0;;) {
        const double force = x - x * x * x;
        if (side == 0 && v == 0 && fabs(force) <= mu)
            return x;
        if (side == 0)
            side = v != 0 ? (v > 0 ? 1 : -1) : force > 0 ? 1 : -1;
        v += h * (force - side * mu);
        if (v * side <= 0)
            v = side = 0;
        x += h * v;
    }
}

#define WELLS                                                                                                \
    "slipstick: 1\nparameters: {mu: 0.1}\ncoordinates: [x]\nmass: [[1]]\nforces: {x: x - x^3}\ncontacts: "   \
    "{floor: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\nsimulate: {time: [0, 30]}\n"

/* It stops within |x - x^3| <= mu: three bands, or one where friction holds it everywhere between the wells.
 */
static void bands_of_stick_are_told_apart(void **state)
{
    slip_model *model = parse(WELLS), *rough;
    const char *const set[] = {"mu=0.5", NULL};
    slip_result *result = over_two(model, -1.9, 1.9, -1.5, 1.7, 13, 0, 0);
    int named[3] = {-1, -1, -1}; /* after the left band, that of the hill, the right one */
    (void)state;
    assert_int_equal(slip_result_number(result, "attractors"), 3);
    for (int64_t k = 0; k < 13 * 13; k++) {
        const double x = stop_in_well(series(result, "x")[k], series(result, "x'")[k], 0.1);
        const int band = x < -0.5 ? 0 : x < 0.5 ? 1 : 2, name = (int)series(result, "attractor")[k];
        named[band] = named[band] < 0 ? name : named[band];
        if (fabs(series(result, "end.x")[k] - x) > 1e-2 || name != named[band])
            fail_msg("start %d: stops at %g in %s, expected %g", (int)k, series(result, "end.x")[k],
                     slip_result_word(result, "attractor", k), x);
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
    rough = parse_with(WELLS, set);
    result = over_two(rough, -1.9, 1.9, -1.5, 1.7, 13, 0, 0);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    slip_result_destroy(result);
    slip_model_destroy(rough);
}

/* Rest without contacts: the wells of a double-well potential, reached by turning and by creeping, and a
 * start that stands on the top between them. */
static void equilibria_are_told_apart(void **state)
{
    static const double starts[] = {-1.5, -0.3, 0, 0.2, 1.2};
    static const double dampings[] = {0.2, 1, 6};
    const slip_axis axes[] = {{.name = "c", .count = 3, .list = dampings},
                              {.name = "x", .count = 5, .list = starts}};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model =
        parse("slipstick: 1\nparameters: {c: 1}\ncoordinates: [x]\nmass: [[1]]\ndamping: [[c]]\n"
              "forces: {x: x - x^3}\nsimulate: {time: [0, 40]}\n");
    (void)state;
    options.axes = axes;
    options.axis_count = 2;
    slip_result *result = basin(model, &options);
    for (int64_t k = 0; k < 15; k++) {
        const double x = series(result, "end.x")[k];
        assert_string_equal(slip_result_word(result, "kind", k), "equilibrium");
        assert_true(fabs(fabs(x) - (starts[k % 5] != 0)) < 1e-5);
        if (k >= 10 || k % 5 == 2) /* creeping: no swing to the other side */
            assert_true(x * starts[k % 5] >= 0);
        assert_string_equal(slip_result_word(result, "attractor", k), x < -0.5  ? "equilibrium 1"
                                                                      : x > 0.5 ? "equilibrium 3"
                                                                                : "equilibrium 2");
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* One impact in two periods of the load: stable at w = 2.6, with x' = 0.656975950109523 before it. */
static void a_motion_of_two_periods(void **state)
{
    static const char *const settings[] = {"w=2.6", NULL};
    slip_model *model = parse_with(IMPACT "simulate: {steady: {period: 2*pi/w}}\n", settings);
    slip_result *result = over_two(model, -2, 0.4, -1, 1, 5, 0, 0);
    bool found = false;
    (void)state;
    for (int64_t k = 0; k < (int64_t)slip_result_number(result, "attractors"); k++)
        if (series(result, "attractors.multiple")[k] == 2 &&
            is_word(result, "attractors.signature", k, "stop open>open")) {
            double q = series(result, "attractors.end.x")[k], v = series(result, "attractors.end.x'")[k];
            slip_run_options run = slip_run_options_default();
            slip_result *one = NULL;
            found = true;
            assert_true(fabs(series(result, "attractors.period")[k] - 4 * 3.14159265358979 / 2.6) < 1e-12);
            run.start_q = &q;
            run.start_v = &v;
            run.steady_period = NAN;
            run.start = 0;
            run.end = 4 * 3.14159265358979 / 2.6;
            assert_int_equal(slip_run(ctx, model, &run, &one), SLIP_OK);
            assert_true(fabs(slip_result_number(one, "contacts.stop.impulse") - 1.8 * 0.656975950109523) <
                        1e-5);
            slip_result_destroy(one);
        }
    assert_true(found);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* A mass that sticks beside one that is shaken: places of rest are a continuum, and one attractor. A shaken
 * mass in stick alone is at rest. */
static void cycles_beside_stick_are_one_set(void **state)
{
    const slip_axis axis = {.name = "x", .from = -0.5, .to = 0.5, .count = 11};
    slip_basin_options options = slip_basin_options_default();
    static const char *const far[] = {"P=0.1", NULL};
    static const char two[] =
        "slipstick: 1\nparameters: {P: 0.3}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
        "damping: [[0, 0], [0, 0.3]]\nstiffness: [[0.1, 0], [0, 1]]\nforces: {x: P*cos(2*t), y: P*cos(2*t)}\n"
        "contacts: {floor: {kind: friction, slip: x', law: {type: coulomb, mu: 0.4}}}\n"
        "simulate: {steady: {period: pi}}\n";
    slip_model *model = parse(two);
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "kind", 5), "cycle set");
    for (int64_t k = 0; k < 11; k++)
        assert_true(fabs(series(result, "end.x")[k] - slip_axis_value(&axis, k)) < 1e-15);
    slip_result_destroy(result);
    slip_model_destroy(model);
    model = parse_with(
        "slipstick: 1\nparameters: {P: 0.3}\ncoordinates: [x]\nmass: [[1]]\n"
        "forces: {x: P*cos(2*t)}\ncontacts: {floor: {kind: friction, slip: x', law: {type: coulomb, "
        "mu: 0.4}}}\nsimulate: {steady: {period: pi}}\n",
        far);
    result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "kind", 5), "stick set");
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* Rest on a table that shakes weakly, and jumping on it once a period, are both stable. */
static void a_ball_on_a_table(void **state)
{
    const slip_axis axis = {.name = "y'", .from = -3, .to = 3, .count = 13};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model =
        parse("slipstick: 1\nparameters: {A: 0.78}\ncoordinates: [y]\nmass: [[1]]\nforces: {y: -1}\n"
              "contacts: {table: {kind: unilateral, gap: y - A*cos(t), restitution: 0.8}}\n"
              "simulate: {initial: {y: 4.5}}\nbasin: {period: 2*pi}\n");
    int64_t jumps = 0, rests = 0;
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    for (int64_t k = 0; k < 13; k++) {
        jumps += is_word(result, "signature", k, "table open>open");
        rests += is_word(result, "signature", k, "table closed");
        assert_true(!is_word(result, "kind", k, "failed"));
    }
    print_message("%d of 13 jump, %d rest on the table\n", (int)jumps, (int)rests);
    assert_true(jumps > 0 && rests > 0);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* On a table that throws a ball of small restitution most starts are chaotic, and pass by unstable cycles of
 * many periods: one of these starts came as close as 1e-8 to one of 13 periods. The stable cycles, by a ball
 * that flies on parabolas: 2 periods with 2, 8 or 14 impacts, 3 periods with 3. */
static void chaos_passes_by_cycles(void **state)
{
    const slip_axis axis = {.name = "y'", .from = -2, .to = 2, .count = 31};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [y]\nmass: [[1]]\nforces: {y: -1}\n"
              "contacts: {table: {kind: unilateral, gap: y - 0.1*sin(4*t), restitution: 0.5}}\n"
              "simulate: {initial: {y: 0.076333333333333322}}\nbasin: {period: pi/2}\n");
    int64_t chaotic = 0;
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    for (int64_t k = 0; k < 31; k++) {
        const double multiple = series(result, "multiple")[k];
        if (is_word(result, "kind", k, "cycle") && multiple != 2 && multiple != 3)
            fail_msg("start %d is a cycle of %g periods", (int)k, multiple);
        chaotic += is_word(result, "kind", k, "chaotic");
    }
    print_message("%d of 31 are chaotic\n", (int)chaotic);
    assert_true(chaotic > 3);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* The velocity of the section jumps through zero where a ball hits a ceiling from below: it is thrown up
 * again by a spring of the floor, and both losses and the push are the same in each round. */
static void a_section_is_passed_by_a_jump(void **state)
{
    const slip_axis axis = {.name = "y'", .from = 2, .to = 4, .count = 5};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model = parse("slipstick: 1\ncoordinates: [y]\nmass: [[1]]\n"
                              "forces: {y: \"if(y < 0, -40*y + 2*sign(y'), 0)\"}\n"
                              "contacts: {roof: {kind: unilateral, gap: 1 - y, restitution: 0.7}}\n"
                              "simulate: {time: [0, 20], initial: {y: 0.5}}\n");
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "attractors.signature", 0), "roof open>open");
    /* With the velocity u above the floor: down at e u; the spring takes it to rest at depth d, with 2 d of
     * friction that drives: 40 d^2/2 = e^2 u^2/2 + 2 d, and back: u^2/2 = 40 d^2/2 + 2 d. */
    const double u = -series(result, "attractors.end.y'")[0] / 0.7;
    double d = (2 + sqrt(4 + 40 * 0.49 * u * u)) / 40;
    assert_true(fabs(series(result, "attractors.end.y")[0] - 1) < 1e-9);
    assert_true(fabs(u * u - 40 * d * d - 4 * d) < 1e-4);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* A ball bounces to rest: infinitely many maxima, and none of them repeats. */
static void bounces_end_at_rest(void **state)
{
    const slip_axis axis = {.name = "y", .from = 0.2, .to = 3, .count = 8};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model = parse("slipstick: 1\ncoordinates: [y]\nmass: [[1]]\nforces: {y: -9.81}\n"
                              "contacts: {floor: {kind: unilateral, gap: y, restitution: 0.8}}\n"
                              "simulate: {time: [0, 5]}\n");
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "attractors.kind", 0), "equilibrium");
    assert_string_equal(slip_result_word(result, "attractors.signature", 0), "floor closed");
    for (int64_t k = 0; k < 8; k++) /* the fall and all bounces */
        assert_true(series(result, "time")[k] >=
                    sqrt(2 * slip_axis_value(&axis, k) / 9.81) * 1.8 / 0.2 - 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* A block without a spring on a table that shakes unevenly walks, from every place at the same pace; one that
 * is drawn against viscous friction comes to a velocity. */
static void free_coordinates_drift(void **state)
{
    static const double starts[] = {-2, 0.1, 5};
    const slip_axis axis = {.name = "x", .count = 3, .list = starts};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model =
        parse("slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ncontacts: {table: {kind: friction, slip: \"x' - "
              "0.5*cos(3*t) - 0.3*cos(6*t)\", law: {type: coulomb, mu: 0.3}}}\nbasin: {period: 2*pi/3}\n");
    (void)state;
    options.axes = &axis;
    options.axis_count = 1;
    slip_result *result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "attractors.kind", 0), "cycle");
    slip_result_destroy(result);
    slip_model_destroy(model);
    model = parse(
        "slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\ndamping: [[0.5, 0], [0, 0.3]]\n"
        "stiffness: [[0, 0], [0, 1]]\nforces: {x: \"1\"}\nsimulate: {time: [0, 20], initial: {y: 1}}\n");
    result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "attractors.kind", 0), "equilibrium");
    assert_true(fabs(series(result, "attractors.end.x'")[0] - 2) < 1e-5);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* The woodpecker toy falls down its pole, in a cycle of 0.130747524957 s from either start. */
static void a_woodpecker_comes_down(void **state)
{
    static const double starts[] = {0, 0.01};
    const slip_axis axis = {.name = "pM", .count = 2, .list = starts};
    slip_basin_options options = slip_basin_options_default();
    slip_model *model = NULL;
    (void)state;
    assert_int_equal(slip_model_load(ctx, SLIPSTICK_SOURCE_DIR "/examples/woodpecker.yaml", &model), SLIP_OK);
    options.axes = &axis;
    options.axis_count = 1;
    options.within = 20;
    slip_result *result = basin(model, &options);
    assert_int_equal(slip_result_number(result, "attractors"), 1);
    assert_string_equal(slip_result_word(result, "attractors.kind", 0), "cycle");
    assert_true(fabs(series(result, "attractors.period")[0] - 0.130747524957) < 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

/* What does not settle: an impact oscillator is chaotic, one without damping goes on with two frequencies. */
static void motions_that_do_not_settle(void **state)
{
    static const char *const chaos[] = {"z=0", "s=0", "w=2.8", NULL}, *const two[] = {"z=0", "s=50", "w=1.3",
                                                                                      NULL};
    for (int k = 0; k < 2; k++) {
        const slip_axis axis = {.name = "x", .from = -0.5, .to = -0.1, .count = 4};
        slip_basin_options options = slip_basin_options_default();
        slip_model *model = parse_with(IMPACT "basin: {period: 2*pi/w, within: 100}\n", k ? two : chaos);
        (void)state;
        options.axes = &axis;
        options.axis_count = 1;
        slip_result *result = basin(model, &options);
        assert_int_equal(slip_result_number(result, "attractors"), 1);
        assert_string_equal(slip_result_word(result, "attractors.name", 0), k ? "undecided" : "chaotic");
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

/* ---- Against long runs. */

static double distance(const double *a, const double *b, const double *size)
{
    return fmax(fabs(a[0] - b[0]) / size[0], fabs(a[1] - b[1]) / size[1]);
}

/* Oscillators with dry friction and a stop, shaken: where a start leads, 300 periods lead, too. */
static void long_runs_lead_to_the_same(void **state)
{
    const int systems = test_cases(16);
    int64_t settled = 0, all = 0, several = 0;
    (void)state;
    srand(5);
    for (int k = 0; k < systems; k++) {
        char text[1000];
        const double r[5] = {rand() / (double)RAND_MAX, rand() / (double)RAND_MAX, rand() / (double)RAND_MAX,
                             rand() / (double)RAND_MAX, rand() / (double)RAND_MAX};
        const double w = 0.5 + 2.5 * r[0], period = 2 * 3.14159265358979323846 / w;
        char floor[200] = "";
        if (k % 2)
            snprintf(floor, sizeof floor,
                     ", floor: {kind: friction, slip: x', law: {type: coulomb, mu: %.17g}}", 0.3 * r[4]);
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[%.17g]]\nstiffness: [[1]]\n"
            "forces: {x: cos(%.17g*t)}\ncontacts: {stop: {kind: unilateral, gap: %.17g - x, restitution: "
            "%.17g}%s}\nsimulate: {time: [0, 1], tolerance: 1e-10}\nbasin: {period: 2*pi/%.17g}\n",
            0.02 + 0.2 * r[1], w, 1.2 * r[2], 0.3 + 0.6 * r[3], floor, w);
        slip_model *model = parse(text);
        slip_result *result = over_two(model, -2, 0, -1, 1, 3, 0, 1);
        several += slip_result_number(result, "attractors") > 1;
        for (int64_t row = 0; row < 9; row++, all++) {
            const double start[2] = {series(result, "x")[row], series(result, "x'")[row]},
                         size[2] = {series(result, "size.x")[row], series(result, "size.x'")[row]};
            double mark[2] = {series(result, "end.x")[row], series(result, "end.x'")[row]},
                   nearest = INFINITY;
            slip_run_options run = slip_run_options_default();
            slip_result *one = NULL;
            if (is_word(result, "kind", row, "undecided"))
                continue;
            run.start_q = &start[0];
            run.start_v = &start[1];
            run.end = 300 * period;
            run.record_points = 2;
            assert_int_equal(slip_run(ctx, model, &run, &one), SLIP_OK);
            const double end[2] = {slip_result_number(one, "final.x"), slip_result_number(one, "final.x'")};
            slip_result_destroy(one);
            for (int m = 0; m < fmax(1, series(result, "multiple")[row]); m++) {
                nearest = fmin(nearest, distance(mark, end, size));
                run.start_q = &mark[0];
                run.start_v = &mark[1];
                run.end = period;
                assert_int_equal(slip_run(ctx, model, &run, &one), SLIP_OK);
                mark[0] = slip_result_number(one, "final.x");
                mark[1] = slip_result_number(one, "final.x'");
                slip_result_destroy(one);
            }
            if (nearest > 1e-4)
                fail_msg("%s\nstart %g %g leads to %s, the run to %g %g", text, start[0], start[1],
                         slip_result_word(result, "attractor", row), end[0], end[1]);
            settled++;
        }
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    print_message("%d of %d starts settle, %d systems of %d have several attractors\n", (int)settled,
                  (int)all, (int)several, systems);
    assert_true(4 * settled > 3 * all);
}

/* Blocks on belts with falling friction: a long run ends at the same place, or has the same maxima. */
static void long_runs_on_belts(void **state)
{
    const int systems = test_cases(16);
    int64_t cycles = 0, sliding = 0, others = 0;
    (void)state;
    srand(11);
    for (int k = 0; k < systems; k++) {
        char text[1000];
        double r[5];
        for (int i = 0; i < 5; i++)
            r[i] = rand() / (double)RAND_MAX;
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[%.17g]]\nstiffness: [[1]]\n"
                 "contacts: {belt: {kind: friction, slip: \"x' - %.17g\", law: {type: stribeck, mu: %.17g, "
                 "static_ratio: %.17g, velocity: %.17g, exponent: 1}}}\nsimulate: {time: [0, 60]}\n",
                 0.05 + 0.1 * r[0], 0.3 + 1.2 * r[1], 0.3 + 0.3 * r[2], 1.5 + r[3], 0.3 + 0.3 * r[4]);
        slip_model *model = parse(text);
        slip_result *result = over_two(model, -1, 2, -1.2, 0.8, 3, 0, 1);
        for (int64_t row = 0; row < 9; row++) {
            const double end = series(result, "end.x")[row], q = series(result, "x")[row],
                         v = series(result, "x'")[row];
            slip_simulation_options options = slip_simulation_options_default();
            slip_simulation *s = NULL;
            double x, most = -INFINITY;
            assert_int_equal(slip_simulation_open(ctx, model, NULL, &options, &s), SLIP_OK);
            assert_int_equal(slip_simulation_set_state(ctx, s, 0, &q, &v), SLIP_OK);
            for (double time = 500; time < 20000 && !(fabs(most - end) < 1e-3);
                 time *= 3) { /* some are slow */
                assert_int_equal(slip_simulation_advance(ctx, s, time), SLIP_OK);
                most = -INFINITY;
                for (int turn = 0; turn < 4; turn++) {
                    slip_simulation_advance_until(ctx, s, slip_simulation_time(s) + 20, "x'");
                    slip_simulation_state(s, &x, NULL);
                    most = fmax(most, x);
                }
            }
            slip_simulation_close(s);
            if (!(fabs(most - end) < 1e-3))
                fail_msg("%s\nstart %g %g leads to %s at %.9g, the run to %.9g", text, q, v,
                         slip_result_word(result, "attractor", row), end, most);
            cycles += is_word(result, "kind", row, "cycle");
            sliding += is_word(result, "kind", row, "sliding");
            others += !is_word(result, "kind", row, "cycle") && !is_word(result, "kind", row, "sliding");
        }
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
    print_message("%d lead to cycles, %d to steady sliding\n", (int)cycles, (int)sliding);
    assert_true(others == 0 && cycles > 0 && sliding > 0);
}

/* ---- The grid. */

static void cells_between_attractors_are_divided(void **state)
{
    slip_model *model = parse(BELT);
    slip_result *fine = over_two(model, -1.5, 2.5, -2.05, 1.95, test_sanitized ? 13 : 25, 0, 0),
                *refined = over_two(model, -1.5, 2.5, -2.05, 1.95, 7, test_sanitized ? 1 : 2, 0);
    int64_t count, all, k = 0;
    const double *run = slip_result_series(refined, "run", &count);
    (void)state;
    slip_result_series(fine, "run", &all);
    assert_int_equal(all, test_sanitized ? 13 * 13 : 25 * 25);
    assert_true(count > 49 && (double)count < 0.8 * (double)all);
    for (int64_t i = 0; i < count; i++, k++) {
        const int64_t at = (int64_t)run[i] - 1;
        assert_true(series(refined, "x")[i] == series(fine, "x")[at] &&
                    series(refined, "x'")[i] == series(fine, "x'")[at]);
        assert_string_equal(slip_result_word(refined, "kind", i), slip_result_word(fine, "kind", at));
    }
    /* Every boundary cell was divided down to the finest: the fractions are those of the fine grid. */
    for (int a = 0; a < 2; a++) {
        assert_true(fabs(series(refined, "attractors.fraction")[a] - series(fine, "attractors.fraction")[a]) <
                    1e-12);
        assert_true(fabs(series(refined, "attractors.error")[a] - series(fine, "attractors.error")[a]) <
                    1e-12);
    }
    slip_result_destroy(fine);
    slip_result_destroy(refined);
    slip_model_destroy(model);
}

/* The unstable cycle that bounds the basin of steady sliding has an area. Grids that lie elsewhere find it to
 * within what they say. */
static void fractions_are_as_good_as_they_say(void **state)
{
    slip_model *model = parse(BELT);
    slip_result *fine = over_two(model, -0.5, 1.6, -1, 1, 9, 3, 0);
    const double area = series(fine, "attractors.fraction")[1] * 2.1 * 2,
                 known = series(fine, "attractors.error")[1] * 4.2;
    double squares = 0;
    const int grids = test_all() ? 6 : 3;
    (void)state;
    assert_string_equal(slip_result_word(fine, "attractors.kind", 1), "sliding");
    for (int k = 0; k < grids; k++) {
        slip_result *one =
            over_two(model, -0.5 - 0.03 * k, 1.6 + 0.02 * k, -1 - 0.02 * k, 1 + 0.031 * k, 13, 0, 0);
        const double box = (2.1 + 0.05 * k) * (2 + 0.051 * k),
                     wrong = series(one, "attractors.fraction")[1] * box - area,
                     error = series(one, "attractors.error")[1] * box;
        assert_true(fabs(wrong) < 4 * error + known);
        squares += wrong * wrong / (error * error) / grids;
        slip_result_destroy(one);
    }
    print_message("area %g, error %.2g; deviations over their errors: %g\n", area, known, sqrt(squares));
    assert_true(sqrt(squares) < 2);
    slip_result_destroy(fine);
    slip_model_destroy(model);
}

/* ---- The same bits. */

static void threads_and_parts_change_nothing(void **state)
{
    slip_model *model =
        parse(IMPACT "basin: {period: 2*pi/w, over: {x: {from: -2, to: 0.4, count: 4}, \"x'\": {list: "
                     "[-0.5, 0, 1]}}}\n");
    slip_basin_options options = slip_basin_options_default();
    char folder[5][test_path_size + 40];
    const char *folders[5];
    slip_result *whole = NULL;
    (void)state;
    options.threads = 1;
    slip_result *first = basin(model, &options);
    options.threads = 3;
    slip_result *other = basin(model, &options);
    same_tables(first, other);
    for (int k = 0; k < 5; k++) {
        snprintf(folder[k], sizeof folder[k], "%s/part-%d", base, k);
        folders[k] = folder[k];
        options.part = k + 1;
        options.parts = 5;
        slip_result *part = basin(model, &options);
        assert_int_equal(slip_result_save(ctx, part, folder[k]), SLIP_OK);
        slip_result_destroy(part);
    }
    assert_int_equal(slip_sweep_merge(ctx, 5, folders, &whole), SLIP_OK);
    same_tables(first, whole);
    slip_result_destroy(whole);
    /* A journal: what is finished is not followed again, and other options are refused. */
    options = slip_basin_options_default();
    options.folder = folder[0];
    slip_result_destroy(other);
    other = basin(model, &options);
    same_tables(first, other);
    slip_result_destroy(other);
    other = basin(model, &options);
    same_tables(first, other);
    options.tolerance = 1e-7;
    assert_int_equal(slip_basin(ctx, model, &options, &whole), SLIP_ERROR_USAGE);
    expect_message("tolerance", "--restart");
    slip_result_destroy(first);
    slip_result_destroy(other);
    slip_model_destroy(model);
}

static void wrong_requests_are_refused(void **state)
{
    const slip_axis axis = {.name = "x", .from = -1, .to = 0, .count = 3};
    const struct {
        const char *text;
        slip_basin_options options;
        const char *message;
    } cases[] = {
        {BELT, {.axis_count = 0}, "nothing to vary"},
        {BELT, {.axes = &axis, .axis_count = 1, .section = "y"}, "expected a coordinate such as `x`"},
        {BELT, {.axes = &axis, .axis_count = 1, .refine = 1, .parts = 2}, "expected one of both"},
        {BELT, {.axes = &axis, .axis_count = 1, .tolerance = 1}, "tolerance"},
        {BELT, {.axes = &axis, .axis_count = 1, .period = "-vb"}, "period"},
        {BELT, {.axes = &axis, .axis_count = 1, .refine = 13}, "basin.refine: found 13"},
        {IMPACT "inputs: {hum: {points: [[0, 0], [1, 1]]}}\nstates: {b: {rate: hum(t), initial: 0}}\n",
         {.axes = &axis, .axis_count = 1},
         "no period is found"},
        {"slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n",
         {.axes = &axis, .axis_count = 1},
         "expected `simulate: {time: [0, T]}`"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_model *model = parse(cases[k].text);
        slip_basin_options options = cases[k].options;
        slip_result *result = NULL;
        options.size = sizeof options;
        options.part = 1;
        options.parts = options.parts > 0 ? options.parts : 1;
        options.tolerance = options.tolerance > 0 ? options.tolerance : NAN;
        assert_int_equal(slip_basin(ctx, model, &options, &result), SLIP_ERROR_USAGE);
        assert_null(result);
        expect_message(cases[k].text, cases[k].message);
        slip_model_destroy(model);
    }
    refuse_with(BELT "basin: {periods: 3}\n", NULL, "did you mean `period`");
    refuse_with(BELT "basin: {period: 2*pi/w}\n", NULL, "w");
    refuse_with(BELT "basin: {within: 0}\n", NULL, "within");
    refuse_with(BELT "basin: {over: {y: {from: 0, to: 1, count: 2}}}\n", NULL, "nor is it an initial value");
}

/* ---- Starts side by side: every start leads where it leads by itself. */

static const char *const together_models[] = {
    IMPACT "simulate: {time: [0, 10], steady: {period: 2*pi/w}}\n", /* two cycles, bounces */
    /* all starts come to one cycle in which the pad sticks for a while */
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: [[1]]\nforces: {x: "
    "cos(0.7*t)}\n"
    "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 0.4, static_ratio: 1.2}}}\n"
    "simulate: {time: [0, 10], steady: {period: 2*pi/0.7}}\n",
    /* the pad holds against the load: a set of states */
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: [[1]]\nforces: {x: "
    "0.1*cos(t)}\n"
    "contacts: {pad: {kind: friction, slip: x', law: {type: coulomb, mu: 0.5}}}\n"
    "simulate: {time: [0, 10], steady: {period: 2*pi}}\n",
    /* Stribeck's law and a spring that hardens: by Dormand-Prince */
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\ndamping: [[0.1]]\nstiffness: [[1]]\nforces: {x: cos(0.7*t) "
    "- 0.3*x^3}\n"
    "contacts: {pad: {kind: friction, slip: x', law: {type: stribeck, mu: 0.3, static_ratio: 1.3, velocity: "
    "0.2}}}\nsimulate: {time: [0, 10], steady: {period: 2*pi/0.7}}\n"};

static void starts_side_by_side_lead_where_they_lead_alone(void **state)
{
    const slip_axis axes[] = {{.name = "x", .from = -1.5, .to = 0.45, .count = 9},
                              {.name = "x'", .from = -1.2, .to = 1.3, .count = 9}};
    (void)state;
    for (size_t m = 0; m < sizeof together_models / sizeof *together_models; m++) {
        slip_model *model = parse(together_models[m]);
        slip_basin_options options = slip_basin_options_default();
        slip_result *found[2];
        options.axes = axes;
        options.axis_count = 2;
        options.within = 300;
        for (int k = 0; k < 2; k++) {
            options.device = k ? "cpu" : "none";
            found[k] = basin(model, &options);
        }
        assert_true(slip_result_number(found[1], "together") >= 60);
        assert_true(slip_result_number(found[1], "together") + slip_result_number(found[1], "alone") == 81);
        for (int64_t row = 0; row < 81; row++) {
            for (int k = 0; k < 3; k++) {
                static const char *const words[] = {"attractor", "kind", "signature"};
                assert_string_equal(slip_result_word(found[0], words[k], row),
                                    slip_result_word(found[1], words[k], row));
            }
            for (int k = 0; k < 3; k++) {
                static const char *const numbers[] = {"multiple", "end.x", "end.x'"};
                if (!is_word(found[0], "kind", row, "chaotic"))
                    assert_close(series(found[1], numbers[k])[row], series(found[0], numbers[k])[row], 1e-4);
            }
        }
        for (int k = 0; k < 2; k++)
            slip_result_destroy(found[k]);
        slip_model_destroy(model);
    }
}

static void says_why_starts_go_one_by_one(void **state)
{
    (void)state;
    const slip_axis axis = {.name = "x", .from = 0, .to = 1, .count = 3};
    slip_model *model = parse(BELT);
    slip_basin_options options = slip_basin_options_default();
    slip_result *result;
    options.axes = &axis;
    options.axis_count = 1;
    options.device = "cpu";
    result = basin(model, &options);
    assert_true(slip_result_number(result, "together") == 0 && slip_result_number(result, "alone") == 3);
    assert_string_equal(slip_result_text(result, "alone_because"), "the model has no period");
    slip_result_destroy(result);
    options.device = "gpu";
    assert_int_equal(slip_basin(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "`gpu`, expected cpu, cuda, auto or none"));
    slip_model_destroy(model);
}

/* A damped oscillator rests at 1/k from everywhere, however small beside that the last of its motion is. */
static void what_dies_out_is_no_cycle(void **state)
{
    (void)state;
    slip_model *model = parse("slipstick: 1\nparameters: {k: 2}\ncoordinates: [x]\nmass: [[1]]\ndamping: "
                              "[[0.5]]\nforces: {x: 1 - k*x}\nsimulate: {time: [0, 30]}\n");
    const slip_axis axes[] = {{.name = "k", .list = (const double[]){0.5, 1, 2, 4, 8}, .count = 5},
                              {.name = "x", .from = -1, .to = 1, .count = 6}};
    slip_basin_options options = slip_basin_options_default();
    slip_result *result = NULL;
    options.axes = axes;
    options.axis_count = 2;
    assert_int_equal(slip_basin(ctx, model, &options, &result), SLIP_OK);
    assert_int_equal(slip_result_number(result, "attractors"), 5);
    for (int i = 0; i < 30; i++)
        assert_non_null(strstr(slip_result_word(result, "attractor", i), "equilibrium"));
    slip_result_destroy(result);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grid_of_the_belt),
        cmocka_unit_test(the_grid_of_the_impact_oscillator),
        cmocka_unit_test(stops_in_stick_are_one_set),
        cmocka_unit_test(equilibria_are_told_apart),
        cmocka_unit_test(a_motion_of_two_periods),
        cmocka_unit_test(cycles_beside_stick_are_one_set),
        cmocka_unit_test(a_ball_on_a_table),
        cmocka_unit_test(chaos_passes_by_cycles),
        cmocka_unit_test(bands_of_stick_are_told_apart),
        cmocka_unit_test(a_section_is_passed_by_a_jump),
        cmocka_unit_test(bounces_end_at_rest),
        cmocka_unit_test(free_coordinates_drift),
        cmocka_unit_test_of_numbers(a_woodpecker_comes_down),
        cmocka_unit_test_of_numbers(motions_that_do_not_settle),
        cmocka_unit_test(long_runs_lead_to_the_same),
        cmocka_unit_test(long_runs_on_belts),
        cmocka_unit_test(cells_between_attractors_are_divided),
        cmocka_unit_test_of_numbers(fractions_are_as_good_as_they_say),
        cmocka_unit_test(threads_and_parts_change_nothing),
        cmocka_unit_test(starts_side_by_side_lead_where_they_lead_alone),
        cmocka_unit_test(says_why_starts_go_one_by_one),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(what_dies_out_is_no_cycle),
    };
    test_folder_make(base);
    const int failed = cmocka_run_group_tests(tests, setup, teardown);
    test_folder_remove(base);
    return failed;
}
