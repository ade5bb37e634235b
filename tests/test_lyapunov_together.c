/* Lyapunov exponents of points that lanes move together: known ones, those of single runs, the same bits for
 * any threads and parts; what is not taken goes by itself and says so. */
#include "model_test.h"
#include "slipstick/lyapunov.h"

static const double pi = 3.14159265358979323846;

#define ONE(numbers, damping, load)                                                                          \
    "slipstick: 1\nparameters: {" numbers                                                                    \
    "}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\ndamping: [[" damping "]]\nforces: {x: " load "}\n"
#define RUBS(slip, law) "contacts: {pad: {kind: friction, slip: \"" slip "\", law: {type: " law "}}}\n"
#define STOPS(r) "contacts: {stop: {kind: unilateral, gap: s - x, restitution: " r "}}\n"
#define FOR(time, interval)                                                                                  \
    "simulate: {time: [0, " time "], initial: {x: x0}}\nlyapunov: {interval: " interval "}\n"
#define FORCED FOR("60*pi/w", "2*pi/w")

static const char pad[] = ONE("w: 0.7, mu: 0.5, x0: 1", "0", "cos(w*t)") RUBS("x'", "coulomb, mu: mu") FORCED;
static const char stop[] = ONE("w: 2.5, s: 0, r: 0.8, z: 0, x0: -0.3", "2*z", "cos(w*t)") STOPS("r") FORCED;
static const char two[] =
    "slipstick: 1\nparameters: {vb: 0.3, mu: 0.4}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1.2]}\n"
    "damping: {diagonal: [0.1, 0.05]}\nstiffness: [[2.2, -1.2], [-1.2, 2.5]]\nforces: {x: 0.4*cos(0.8*t)}\n"
    "contacts:\n"
    "  a: {kind: friction, slip: \"x' - vb\", law: {type: coulomb, mu: mu, static_ratio: 1.5}}\n"
    "  b: {kind: friction, normal_force: 1.3, slip: \"y' - vb\", law: {type: coulomb, mu: mu}}\n"
    "  stop: {kind: unilateral, gap: 0.9 - x, restitution: 0.6}\n"
    "simulate: {time: [0, 100], initial: {x: 0.3}}\nlyapunov: {interval: 2.5*pi}\n";

/* ---- Points of one axis. */

typedef struct asked {
    const char *device;
    int threads, part, parts;
    int64_t intervals;
} asked;

static slip_result *exponents(const char *text, const char *const *settings, const char *over, asked a)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    slip_axis axis = {0};
    slip_result *result = NULL;
    slip_model *model = parse_with(text, settings);
    assert_int_equal(slip_axis_parse(ctx, over, &axis), SLIP_OK);
    options.axes = &axis;
    options.axis_count = 1;
    options.intervals = a.intervals;
    options.device = a.device;
    options.threads = a.threads;
    options.part = a.parts > 0 ? a.part : 1;
    options.parts = a.parts > 0 ? a.parts : 1;
    if (slip_lyapunov(ctx, model, &options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    slip_axis_free(&axis);
    slip_model_destroy(model);
    return result;
}

static void expect_together(slip_result *result, double together, double alone, const char *because)
{
    const char *text = slip_result_text(result, "alone_because");
    assert_true(slip_result_number(result, "together") == together);
    assert_true(slip_result_number(result, "alone") == alone);
    if (!because)
        assert_null(text);
    else if (!text || !strstr(text, because))
        fail_msg("found `%s`, expected `%s`", text ? text : "", because);
}

/* ---- Known exponents (orbits.json of the references): logarithms of multipliers. */

typedef struct known {
    const char *text, *settings[5], *over;
    double multiplier[2], w; /* its real and imaginary part; with none of this stick forgets the other */
} known;

static void known_exponents(void **state)
{
    static const known cases[] = {
        {pad, {NULL}, "x0=0.9:1.1:16", {-0.22240157114541945, 0.1381579581250621}, 0.7},
        {pad, {"w=1.5", NULL}, "x0=0.9:1.1:16", {-0.1726262451558339, 0.39083431859154916}, 1.5},
        {pad, {"mu=0.3", "w=0.8", NULL}, "x0=0.9:1.1:16", {0.022940452694048596, 0.6967002988634569}, 0.8},
        {pad, {"mu=0.85", "w=0.9", NULL}, "x0=0.9:1.1:16", {0.39691706823989326, 0}, 0.9},
        {pad, {"mu=0.8", "w=1.2", NULL}, "x0=0.9:1.1:16", {0.06592696726812965, 0}, 1.2},
        {stop, {NULL}, "x0=-0.31:-0.29:16", {-0.16494163592057814, 0.7828117632865793}, 2.5},
        {stop,
         {"z=0.05", "s=0.5", "w=1.8", NULL},
         "x0=0.38:0.4:16",
         {0.6404419812277133, 0.2031155945872426},
         1.8}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const known *c = &cases[k];
        slip_result *result =
            exponents(c->text, c->settings, c->over, (asked){.device = "cpu", .intervals = 400});
        const double *first = slip_result_series(result, "exponent1", NULL),
                     *second = slip_result_series(result, "exponent2", NULL),
                     *error = slip_result_series(result, "error1", NULL),
                     *lost = slip_result_series(result, "lost", NULL),
                     expected = log(hypot(c->multiplier[0], c->multiplier[1])) * c->w / (2 * pi);
        expect_together(result, 16, 0, NULL);
        for (int i = 0; i < 16; i++) {
            if (!(fabs(first[i] - expected) <= 4 * error[i] + 1e-9))
                fail_msg("case %zu: %.12g with error %.3g, expected %.12g", k, first[i], error[i], expected);
            if (c->multiplier[1] == 0 ? !isinf(second[i]) || lost[i] != 1
                                      : !(fabs(first[i] + second[i] - 2 * expected) <= 1e-9))
                fail_msg("case %zu: %.12g and %.12g, expected %.12g", k, first[i], second[i], expected);
        }
        slip_result_destroy(result);
    }
}

/* Chaos: the average of motions from 16 starts. */
static void known_chaos(void **state)
{
    const int64_t intervals = test_sanitized ? 300 : 3000;
    slip_result *result = exponents(stop, (const char *const[]){"w=2.8", NULL}, "x0=-1:-0.3:16",
                                    (asked){.device = "cpu", .intervals = intervals});
    const double *first = slip_result_series(result, "exponent1", NULL),
                 *second = slip_result_series(result, "exponent2", NULL),
                 *error = slip_result_series(result, "error1", NULL);
    double sums[2] = {0}, squares = 0;
    (void)state;
    assert_true(slip_result_number(result, "together") > 8);
    for (int k = 0; k < 16; k++) {
        sums[0] += first[k] / 16;
        sums[1] += second[k] / 16;
        squares += error[k] * error[k] / 256;
    }
    print_message("%g and %g, error %g\n", sums[0], sums[1], sqrt(squares));
    assert_true(fabs(sums[0] - 0.1419397354125) < 4 * sqrt(squares));
    assert_true(fabs(sums[1] + 0.352235187225) < 4 * sqrt(squares));
    slip_result_destroy(result);
}

/* ---- As one by one. */

typedef struct pair {
    const char *text, *settings[5], *over;
    double least; /* how many go together */
} pair;

/* Those that are not chaotic agree, to the errors that the study reports and nearly all to 1e-9; chaotic ones
 * to the errors of both. */
static void compare(const pair *c, int *points, int *close)
{
    const asked lanes = {.device = "cpu", .intervals = 150}, single = {.device = "none", .intervals = 150};
    slip_result *a = exponents(c->text, c->settings, c->over, lanes),
                *b = exponents(c->text, c->settings, c->over, single);
    int64_t count;
    const double *lost[] = {slip_result_series(a, "lost", &count), slip_result_series(b, "lost", NULL)},
                 *skipped = slip_result_series(a, "skipped", NULL),
                 *time[] = {slip_result_series(a, "time", NULL), slip_result_series(b, "time", NULL)};
    if (!(slip_result_number(a, "together") >= c->least))
        fail_msg("%g together: %s\n%s", slip_result_number(a, "together"),
                 slip_result_text(a, "alone_because"), c->text);
    assert_true(isnan(slip_result_number(b, "together")));
    for (int k = 0; k < count; k++) {
        bool equal = lost[0][k] == lost[1][k], chaotic = false;
        if (isnan(lost[0][k]) && isnan(lost[1][k])) {
            assert_string_equal(slip_result_word(a, "message", k), slip_result_word(b, "message", k));
            print_message("%s\n", slip_result_word(a, "message", k));
            continue;
        }
        for (int i = 1; i <= (strstr(c->text, "y'") ? 4 : 2); i++) {
            char name[20];
            snprintf(name, sizeof name, "exponent%d", i);
            const double one = slip_result_series(a, name, NULL)[k],
                         other = slip_result_series(b, name, NULL)[k];
            snprintf(name, sizeof name, "error%d", i);
            const double error = slip_result_series(a, name, NULL)[k] + slip_result_series(b, name, NULL)[k];
            chaotic = chaotic || fmax(one, other) > error + 1e-9;
            equal = equal && (one == other || fabs(one - other) < 1e-9);
            if (!chaotic && !(one == other || fabs(one - other) <= error + 1e-9))
                fail_msg("point %d, exponent %d: %.12g and %.12g, errors %.3g\n%s", k, i, one, other, error,
                         c->text);
            if (isfinite(one) && isfinite(other))
                assert_true(fabs(one - other) <= 8 * error + 1e-9);
        }
        assert_true(chaotic || lost[0][k] == lost[1][k]);
        assert_true(skipped[k] == 0 && time[0][k] == time[1][k]);
        *points += 1;
        *close += equal;
    }
    slip_result_destroy(a);
    slip_result_destroy(b);
}

static void as_one_by_one(void **state)
{
    static const pair cases[] = {
        {pad, {NULL}, "mu=0.05:0.9:24", 20},
        {ONE("w: 1.1, mu: 0.4, x0: 1", "0.1", "cos(w*t) + 0.3*sin(2*w*t)")
             RUBS("x'", "coulomb, mu: mu, static_ratio: 1.4, viscous: 0.05") FORCED,
         {NULL},
         "mu=0.05:0.9:24",
         20},
        {ONE("vb: 0.3, mu: 0.4, x0: 1", "0.05", "0.2") RUBS("x' - vb", "coulomb, mu: mu, static_ratio: 1.6")
             FOR("50", "3"),
         {NULL},
         "vb=0.05:1:20",
         18},
        {stop, {"z=0.05", NULL}, "w=1.8:3.2:32", 24},
        {stop, {"r=0", "s=0.2", NULL}, "w=1.7:2.4:20", 16}, /* without restitution */
        {ONE("w: 0.9, s: 0, x0: -0.3", "0.05", "0.6 + 0.8*cos(w*t)") STOPS("0.4") FORCED,
         {NULL},
         "w=0.5:1.3:20",
         16}, /* bounces that accumulate */
        {two, {NULL}, "vb=0.05:0.8:24", 18},
        {two, {"lyapunov.transient=0", NULL}, "mu=0.1:0.6:16", 10},
    };
    int points = 0, close = 0;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        compare(&cases[k], &points, &close);
    print_message("%d points, %d equal to 1e-9\n", points, close);
    assert_true(close > 0.8 * points);
}

/* ---- The same bits. */

static void same_bits(void **state)
{
    static const char *const names[] = {"exponent1", "exponent4", "error1", "dimension"};
    slip_result *first = exponents(two, NULL, "vb=0.05:0.8:24", (asked){.threads = 1, .intervals = 64}),
                *other = exponents(two, NULL, "vb=0.05:0.8:24", (asked){.threads = 2, .intervals = 64}),
                *part = exponents(two, NULL, "vb=0.05:0.8:24",
                                  (asked){.threads = 2, .part = 2, .parts = 5, .intervals = 64});
    int64_t count;
    (void)state;
    assert_true(slip_result_number(first, "together") >= 18);
    for (int k = 0; k < 4; k++) {
        const double *a = slip_result_series(first, names[k], &count);
        assert_memory_equal(a, slip_result_series(other, names[k], NULL), (size_t)count * sizeof *a);
        assert_int_equal(count, 24);
        const double *some = slip_result_series(part, names[k], &count);
        for (int i = 0; i < count; i++)
            assert_memory_equal(&some[i], &a[1 + 5 * i], sizeof *a);
    }
    slip_result_destroy(first);
    slip_result_destroy(other);
    slip_result_destroy(part);
}

/* ---- What goes one by one. */

static void says_what_goes_one_by_one(void **state)
{
    slip_lyapunov_options options = slip_lyapunov_options_default();
    const slip_axis axis = {.name = "x0", .from = 0.1, .to = 0.2, .count = 2};
    slip_result *result = exponents(ONE("mu: 0.3, x0: 1", "0.1", "cos(t)")
                                        RUBS("x'", "tanh, mu: mu, velocity: 0.1") FOR("20", "2*pi"),
                                    NULL, "mu=0.1:0.3:16", (asked){.intervals = 64});
    (void)state;
    expect_together(result, 0, 16, "law `tanh`");
    slip_result_destroy(result);
    /* of an interval that is too long all points fail, and say so as by themselves */
    result = exponents(ONE("mu: 0.3, x0: 1", "3", "cos(t)") RUBS("x'", "coulomb, mu: mu") FOR("20", "12*pi"),
                       NULL, "mu=0.01:0.02:16", (asked){.intervals = 64});
    expect_together(result, 0, 16, "shrink to nothing");
    assert_true(slip_result_number(result, "failed") == 16);
    assert_non_null(strstr(slip_result_word(result, "message", 3), "expected a shorter interval"));
    slip_result_destroy(result);
    result = exponents(pad, NULL, "mu=0.2:0.4:15", (asked){.intervals = 64}); /* few */
    assert_true(isnan(slip_result_number(result, "together")));
    slip_result_destroy(result);
    slip_model *model = parse(pad);
    options.axes = &axis;
    options.axis_count = 1;
    options.device = "cuda";
    assert_int_equal(slip_lyapunov(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "carries no derivatives"));
    options.device = "gpu";
    assert_int_equal(slip_lyapunov(ctx, model, &options, &result), SLIP_ERROR_USAGE);
    assert_non_null(strstr(slip_context_message(ctx), "expected cpu"));
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_exponents),
        cmocka_unit_test(known_chaos),
        cmocka_unit_test(as_one_by_one),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(says_what_goes_one_by_one),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
