/* Curves over two parameters: where motions fold, double, graze, and lag a quarter of a period, against
 * closed forms. */
#include "motion_test.h"
#include "slipstick/slipstick.h"

static const double pi = 3.141592653589793238;

static slip_result *follow_by(double spacing, const char *text, const char *const *settings,
                              const char *first, const char *second, const char *curve, const char *resonance)
{
    slip_model *model = parse_with(text, settings);
    slip_branch_options options = slip_branch_options_default();
    slip_axis axes[2] = {{0}};
    slip_result *result = NULL;
    good(slip_axis_parse(ctx, first, &axes[0]));
    good(slip_axis_parse(ctx, second, &axes[1]));
    options.axis = &axes[0];
    options.second = &axes[1];
    options.curve = curve;
    options.resonance = resonance;
    options.spacing = spacing;
    good(slip_branch_follow(ctx, model, &options, &result));
    slip_axis_free(&axes[0]);
    slip_axis_free(&axes[1]);
    slip_model_destroy(model);
    return result;
}

static slip_result *follow(const char *text, const char *const *settings, const char *first,
                           const char *second, const char *curve, const char *resonance)
{
    return follow_by(0.1, text, settings, first, second, curve, resonance);
}

static const double *series(const slip_result *result, const char *name, int64_t *count)
{
    const double *values = slip_result_series(result, name, count);
    assert_non_null(values);
    assert_true(*count > 5);
    return values;
}

/* The curve begins at one end of the second parameter and ends at the other. */
static void expect_ends(const double *values, int64_t count, double low, double high)
{
    near(fmin(values[0], values[count - 1]), low, 1e-12, "lower end");
    near(fmax(values[0], values[count - 1]), high, 1e-12, "upper end");
}

/* A spring that slides from the force 0.2 on does so where the motion with it at rest has the amplitude
 * 0.2/0.6; one curve leaves the range of w before that of P, and both of them end at its rim. */
static void slides(void **state)
{
    static const double spacings[] = {0.1, 0.05, 0.03};
    (void)state;
    for (size_t m = 0; m < sizeof spacings / sizeof *spacings; m++) {
        slip_result *result = follow_by(
            spacings[m],
            "slipstick: 1\nparameters: {w: 0.8, P: 0.5}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
            "damping: [[0.03]]\nforces: {x: P*cos(w*t)}\ncontacts:\n"
            "  d: {kind: friction, slip: x', law: {type: jenkins, mu: 0.2, stiffness: 0.6}}\n"
            "simulate: {time: [0, 400]}\norbit: {period: 2*pi/w}\n",
            NULL, "w=0.3:2.5", "P=0.2:1", "SL", NULL);
        int64_t count;
        const double *P = series(result, "P", &count), *w = series(result, "w", &count);
        for (int64_t k = 0; k < count; k++) {
            assert_true(w[k] >= 0.3 && w[k] <= 2.5 && P[k] >= 0.2 && P[k] <= 1);
            near(P[k], hypot(1.6 - w[k] * w[k], 0.03 * w[k]) / 3, 1e-7, "load");
        }
        for (int64_t k = 0; k < slip_result_label_count(result); k++)
            assert_string_equal(slip_result_label(result, k)->note, "end of the range");
        near(slip_result_label(result, 1)->value, 0.3, 1e-12, "end");
        slip_result_destroy(result);
    }
}

/* A ball on a table A cos t, g = 1: one bounce in each period is possible from A = pi (1 - r)/(1 + r) on, and
 * doubles at A^2 = that^2 + 4 ((1 + r^2)/(1 + r)^2)^2. */
#define BALL                                                                                                 \
    "slipstick: 1\nparameters: {A: 0.78, r: 0.8}\ncoordinates: [x]\nmass: [[1]]\nforces: {x: -1}\n"          \
    "contacts: {table: {kind: unilateral, gap: x - A*cos(t), restitution: r}}\n"                             \
    "simulate: {initial: {x: 2.0476, x': 2.6776}}\norbit: {period: 2*pi, from: initial}\n"

static void ball(void **state)
{
    (void)state;
    for (int doubling = 0; doubling < 2; doubling++) {
        slip_result *result = follow(BALL, NULL, "A=0.1:1.9", "r=0.5:0.9", doubling ? "PD" : "LP", NULL);
        int64_t count;
        const double *r = series(result, "r", &count), *a = series(result, "A", &count);
        expect_ends(r, count, 0.5, 0.9);
        for (int64_t k = 0; k < count; k++) {
            const double fold = pi * (1 - r[k]) / (1 + r[k]),
                         more = 2 * (1 + r[k] * r[k]) / ((1 + r[k]) * (1 + r[k]));
            near(a[k], doubling ? hypot(fold, more) : fold, 1e-8, doubling ? "doubling" : "fold");
        }
        slip_result_destroy(result);
    }
}

#define STOP                                                                                                 \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"                                        \
    "parameters: {z: 0.05, s: 0.5, r: 0.8, w: 2.2}\ndamping: [[2*z]]\nforces: {x: cos(w*t)}\n"               \
    "contacts: {c: {kind: unilateral, gap: s - x, restitution: r}}\n"                                        \
    "simulate: {time: [0, 60]}\norbit: {period: 2*pi/w}\n"

/* Without impact x has the amplitude 1/sqrt((1 - w^2)^2 + (2 z w)^2), which is s where it grazes. */
static void graze(void **state)
{
    slip_result *result = follow(STOP, NULL, "w=2.3:1.5", "s=0.3:0.75", "GR", NULL);
    int64_t count;
    const double *s = series(result, "s", &count), *w = series(result, "w", &count);
    (void)state;
    expect_ends(s, count, 0.3, 0.75);
    for (int64_t k = 0; k < count; k++)
        near(1 / hypot(1 - w[k] * w[k], 0.1 * w[k]), s[k], 1e-8, "graze");
    slip_result_destroy(result);
}

/* The fold of motions with one impact in a period: where a branch at another restitution has it. */
static void fold(void **state)
{
    slip_result *result = follow(STOP, NULL, "w=2.2:1.6", "r=0.4:1", "LP", NULL), *branch = NULL;
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    int64_t count, tested = 0;
    const double *r = series(result, "r", &count), *w = series(result, "w", &count);
    (void)state;
    expect_ends(r, count, 0.4, 1);
    for (int64_t k = 3; k < count; k += count / 2) {
        char setting[40];
        snprintf(setting, sizeof setting, "r=%.17g", r[k]);
        const char *const settings[] = {setting, NULL};
        slip_model *model = parse_with(STOP, settings);
        good(slip_axis_parse(ctx, "w=2.2:1.6", &axis));
        options.axis = &axis;
        good(slip_branch_follow(ctx, model, &options, &branch));
        for (int64_t l = 0; l < slip_result_label_count(branch); l++)
            if (strcmp(slip_result_label(branch, l)->type, "LP") == 0) {
                near(w[k], slip_result_label(branch, l)->value, 1e-8, setting);
                tested++;
            }
        slip_axis_free(&axis);
        slip_result_destroy(branch);
        slip_model_destroy(model);
    }
    assert_true(tested >= 2);
    slip_result_destroy(result);
}

/* x'' + x = cos w t with a stop at 0, one hit with velocity v in each period T: derivatives of the motion
 * from before a hit to before the next have the determinant r^2 and the trace -2 r C + (1 + r) S a/v, with C
 * = cos T, S = sin T and the acceleration a = (1 - w^2) (1 + r) v/(2 tan(T/2)) at the hit. It doubles where 1
 * + trace + determinant = 0. With damping 2 z the determinant is r^2 exp(-2 z T): a torus begins where it
 * is 1. */
static double doubles(double w, double r)
{
    const double c = cos(2 * pi / w);
    return 1 + r * r - 2 * r * c + 0.5 * (1 + r) * (1 + r) * (1 + c) * (1 - w * w);
}

static void hits(void **state)
{
    static const char *const light[] = {"z=0", "s=0", "w=2.5", "simulate.initial={x: -0.5}", NULL};
    (void)state;
    for (int lower = 0; lower < 2; lower++) {
        slip_result *result =
            follow(STOP, light, lower ? "w=2.5:1.15" : "w=2.5:2.8", "r=0.5:0.95", "PD", NULL);
        int64_t count;
        const double *r = series(result, "r", &count), *w = series(result, "w", &count);
        expect_ends(r, count, 0.5, 0.95);
        for (int64_t k = 0; k < count; k++)
            near(doubles(w[k], r[k]) / (doubles(w[k] + 5e-6, r[k]) - doubles(w[k] - 5e-6, r[k])) * 1e-5, 0,
                 1e-9, "doubling");
        slip_result_destroy(result);
    }
    slip_result *result = follow(STOP, light, "z=0.02:-0.2", "r=0.65:0.95", "NS", NULL);
    int64_t count;
    const double *r = series(result, "r", &count), *z = series(result, "z", &count);
    expect_ends(r, count, 0.65, 0.95);
    for (int64_t k = 0; k < count; k++)
        near(z[k], 2.5 * log(r[k]) / (2 * pi), 1e-9, "torus");
    slip_result_destroy(result);
}

/* Two coordinates that slide, coupled by -b and b: with the damping c of both they flutter from b^2 = ((k1 -
 * k2)/2)^2 + c^2 (k1 + k2)/2 on. */
static void flutter(void **state)
{
    slip_result *result =
        follow("slipstick: 1\ncoordinates: [x, y]\nmass: [[1, 0], [0, 1]]\nparameters: {b: 0.1, c: 0.2}\n"
               "damping: [[c, 0], [0, c]]\nstiffness: [[2, -b], [b, 1.2]]\nforces: {x: cos(0.7*t)}\n"
               "contacts: {f: {kind: friction, slip: 3 + x', law: {type: coulomb, mu: 0.3}}}\n"
               "simulate: {time: [0, 200]}\norbit: {period: 2*pi/0.7}\n",
               NULL, "b=0.1:1", "c=0.1:0.3", "NS", NULL);
    int64_t count;
    const double *b = series(result, "b", &count), *c = series(result, "c", &count);
    (void)state;
    expect_ends(c, count, 0.1, 0.3);
    for (int64_t k = 0; k < count; k++)
        near(b[k], sqrt(0.16 + 1.6 * c[k] * c[k]), 1e-9, "flutter");
    slip_result_destroy(result);
}

/* Den Hartog's oscillator with m = k = P = N = 1 begins to stop where w^2 A = mu, A^2 = V^2 - mu^2 U^2, with
 * V = 1/(1 - w^2) and U = sin(pi/w)/(w (1 + cos(pi/w))), as long as it does so at its reversals. */
static void stops(void **state)
{
    slip_result *result = follow_by(
        NAN,
        "slipstick: 1\nparameters: {w: 0.7, mu: 0.5}\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\n"
        "forces: {x: cos(w*t)}\ncontacts: {f: {kind: friction, slip: x', law: {type: coulomb, mu: mu}}}\n"
        "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n",
        NULL, "mu=0.3:0.95", "w=0.5:0.95", "SL", NULL);
    int64_t count;
    const double *w = series(result, "w", &count), *mu = series(result, "mu", &count);
    (void)state;
    expect_ends(w, count, 0.5, 0.95);
    for (int64_t k = 0; k < count; k++) {
        const double v = 1 / (1 - w[k] * w[k]), b = pi / w[k], u = sin(b) / (w[k] * (1 + cos(b)));
        /* next to half the natural frequency, at which there are motions of all sizes, none is found as well;
         * at this frequency rounding decides which of them it is */
        const double away = fabs(w[k] - 0.5);
        near(mu[k], v / sqrt(u * u + 1 / (w[k] * w[k] * w[k] * w[k])),
             away > 2e-3 ? 2e-11
             : away > 0  ? 1e-7
                         : 1e-10,
             "first stop");
    }
    slip_result_destroy(result);
}

/* Where the stick-slip cycle on a belt with a falling law touches stick only, and meets the cycle that always
 * slips: the reference for c = 0.1, and a branch at another damping. */
#define BELT                                                                                                 \
    "slipstick: 1\ncoordinates: [x]\nmass: [[1]]\nstiffness: [[1]]\nparameters: {c: 0.1, vb: 1.3}\n"         \
    "damping: [[c]]\ncontacts: {b: {kind: friction, slip: x' - vb, normal_force: 1, law: {type: stribeck,\n" \
    "  mu: 0.5, static_ratio: 2, velocity: 0.5, exponent: 1}}}\n"                                            \
    "simulate: {time: [0, 200], initial: {x: 0, x': 1.3}}\norbit: {period: auto}\n"

static double find_end(double c)
{
    char setting[40];
    snprintf(setting, sizeof setting, "c=%.17g", c);
    const char *const settings[] = {setting, NULL};
    slip_model *model = parse_with(BELT, settings);
    slip_branch_options options = slip_branch_options_default();
    slip_axis axis = {0};
    slip_result *branch = NULL;
    double found = NAN;
    good(slip_axis_parse(ctx, "vb=1.2:2.5", &axis));
    options.axis = &axis;
    good(slip_branch_follow(ctx, model, &options, &branch));
    for (int64_t k = 0; k < slip_result_label_count(branch); k++)
        if (strcmp(slip_result_label(branch, k)->type, "SL") == 0)
            found = slip_result_label(branch, k)->value;
    slip_axis_free(&axis);
    slip_result_destroy(branch);
    slip_model_destroy(model);
    return found;
}

static void belt(void **state)
{
    slip_result *result = follow(BELT, NULL, "vb=1.2:2.5", "c=0.08:0.14", "SL", NULL);
    int64_t count;
    const double *c = series(result, "c", &count), *vb = series(result, "vb", &count);
    (void)state;
    expect_ends(c, count, 0.08, 0.14);
    near(find_end(0.1), 1.8366009722079086, 2e-9, "end of the cycle");
    near(find_end(c[count / 4]), vb[count / 4], 2e-8, "curve");
    slip_result_destroy(result);
}

/* Backbone of a mass on a spring k = 1 with a slider of limit R behind a spring kd: as long as it sticks it
 * is at sqrt(1 + kd). Where it slips, without other damping, the load's work in a period is what the slider
 * takes, pi P A = 4 R (X - R/kd), with the amplitude A of the fundamental, which lags a quarter of a period,
 * and the largest x, X. */
#define DAMPER                                                                                               \
    "slipstick: 1\nparameters: {c: 0.02, kd: 0.5, R: 0.2, P: 0.02, w: 1.4}\ncoordinates: [x]\nmass: [[1]]\n" \
    "damping: [[c]]\nstiffness: [[1]]\nforces: {x: P*sin(w*t)}\n"                                            \
    "contacts: {d: {kind: friction, slip: x', law: {type: jenkins, mu: R, stiffness: kd}}}\n"                \
    "simulate: {time: [0, 300]}\norbit: {period: 2*pi/w}\n"

static void backbone(void **state)
{
    const char *const slipping[] = {"c=0", "P=0.15", NULL};
    slip_result *result = follow(DAMPER, NULL, "w=0.9:1.6", "P=0.005:0.3", "PR", "x");
    int64_t count, stuck = 0;
    const double *p = series(result, "P", &count), *w = series(result, "w", &count),
                 *lag = series(result, "x.lag", &count), *events = series(result, "events", &count),
                 *amplitude = series(result, "x.amplitude", &count), *high;
    (void)state;
    expect_ends(p, count, 0.005, 0.3);
    for (int64_t k = 0; k < count; k++) {
        near(lag[k], pi / 2, 1e-9, "lag");
        if (events[k] > 0)
            continue;
        near(w[k], sqrt(1.5), 1e-9, "stuck");
        near(amplitude[k], p[k] / (0.02 * w[k]), 1e-9, "amplitude");
        stuck++;
    }
    assert_true(stuck > 0);
    slip_result_destroy(result);
    result = follow(DAMPER, slipping, "w=1:1.3", "P=0.1:0.2", "PR", "x");
    p = series(result, "P", &count);
    amplitude = series(result, "x.amplitude", &count);
    high = series(result, "x.max", &count);
    expect_ends(p, count, 0.1, 0.2);
    for (int64_t k = 0; k < count; k++)
        near(pi * p[k] * amplitude[k], 0.8 * (high[k] - 0.4), 1e-9, "work");
    slip_result_destroy(result);
}

static void refusals(void **state)
{
    static const struct {
        const char *second, *curve, *resonance, *message;
    } cases[] = {{"r=0.1:0.5", "LP", NULL, "is 0.8 in the model"},
                 {"r=0.1:0.9", "XX", NULL, "found curve `XX`"},
                 {"r=0.1:0.9", NULL, NULL, "two parameters and no curve"},
                 {NULL, "LP", NULL, "a curve over one parameter"},
                 {"r=0.1:0.9", "PR", NULL, "expected resonance"},
                 {"r=0.1:0.9", "PR", "y", "found resonance `y`"},
                 {"r=0.1:0.9", "NS", NULL, "found no NS"}};
    slip_model *model = parse(STOP);
    (void)state;
    for (int k = 0; k < 7; k++) {
        slip_branch_options options = slip_branch_options_default();
        slip_axis axes[2] = {{0}};
        slip_result *result = NULL;
        good(slip_axis_parse(ctx, "w=2.2:2", &axes[0]));
        options.axis = &axes[0];
        if (cases[k].second) {
            good(slip_axis_parse(ctx, cases[k].second, &axes[1]));
            options.second = &axes[1];
        }
        options.curve = cases[k].curve;
        options.resonance = cases[k].resonance;
        assert_true(slip_branch_follow(ctx, model, &options, &result) < 0 && !result);
        expect_message("refused", cases[k].message);
        slip_axis_free(&axes[0]);
        slip_axis_free(&axes[1]);
    }
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(slides), cmocka_unit_test_of_numbers(ball),
        cmocka_unit_test_of_numbers(graze),  cmocka_unit_test_of_numbers(fold),
        cmocka_unit_test_of_numbers(hits),   cmocka_unit_test_of_numbers(flutter),
        cmocka_unit_test_of_numbers(stops),  cmocka_unit_test_of_all(belt),
        cmocka_unit_test_of_all(backbone),   cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
