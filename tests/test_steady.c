/* Steady states: every claim that a motion has settled is true to within its tolerance, against closed forms
 * and long runs. */
#include "math/recurrence.h"
#include "slipstick/slipstick.h"
#include "study/settling.h"
#include "test.h"

#include <complex.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { most = 3 };

/* A chain of masses on springs and dampers, with a load that swings and may act on friction too. */
typedef struct chain {
    int n;
    double m[most], c[most], k[most], load[most], phase[most], q[most], v[most], friction[most];
    double w, tolerance;
} chain;

static double log_random(uint64_t *seed, double low, double high)
{
    return exp(test_random(seed, log(low), log(high)));
}

static chain random_chain(uint64_t *seed, bool friction)
{
    chain s = {.n = 1 + (int)test_random(seed, 0, most)};
    double largest = 0;
    for (int i = 0; i < s.n; i++) {
        double frequency = i == 0 ? 1 : log_random(seed, 0.3, 3), zeta = log_random(seed, 1e-5, 1);
        s.m[i] = i == 0 ? 1 : log_random(seed, 0.3, 3);
        s.k[i] = s.m[i] * frequency * frequency;
        s.c[i] = 2 * zeta * s.m[i] * frequency;
        s.load[i] = test_random(seed, -1, 1);
        s.phase[i] = test_random(seed, 0, 2 * pi);
        s.q[i] = test_random(seed, -2, 2) * log_random(seed, 1e-3, 1);
        s.v[i] = test_random(seed, -2, 2) * log_random(seed, 1e-3, 1);
        largest = fmax(largest, fabs(s.load[i]));
    }
    for (int i = 0; i < s.n && friction; i++)
        s.friction[i] = i == 0 || test_random(seed, 0, 1) < 0.5 ? largest * test_random(seed, 0.02, 0.7) : 0;
    s.w = log_random(seed, 0.01, 300);
    s.tolerance = log_random(seed, 1e-9, 1e-2);
    return s;
}

/* The matrix of a chain of springs or dampers. */
static double coupling(const chain *s, int i, int j, const double *of)
{
    double value = 0;
    if (i == j)
        value = of[i] + (i + 1 < s->n ? of[i + 1] : 0);
    else if (j == i + 1 || i == j + 1)
        value = -of[i > j ? i : j];
    return value;
}

static void write_matrix(char *text, size_t size, const chain *s, const char *name, const double *of,
                         bool diagonal)
{
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, size - at, "%s: [", name);
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++)
            at += (size_t)snprintf(text + at, size - at, "%s%.17g%s", j == 0 ? "[" : ", ",
                                   diagonal ? (i == j) * of[i] : coupling(s, i, j, of),
                                   j < s->n - 1   ? ""
                                   : i < s->n - 1 ? "], "
                                                  : "]]\n");
}

static void write_chain(char *text, size_t size, const chain *s, double sign, const char *simulate)
{
    char line[400];
    snprintf(text, size, "slipstick: 1\ncoordinates: [%s]\n",
             s->n == 1   ? "x0"
             : s->n == 2 ? "x0, x1"
                         : "x0, x1, x2");
    write_matrix(text, size, s, "mass", s->m, true);
    write_matrix(text, size, s, "damping", s->c, false);
    write_matrix(text, size, s, "stiffness", s->k, false);
    strcat(text, "forces:\n");
    for (int i = 0; i < s->n; i++) {
        snprintf(line, sizeof line, "  x%d: %.17g*sin(%.17g*t + %.17g)\n", i, sign * s->load[i], s->w,
                 s->phase[i]);
        strcat(text, line);
    }
    if (s->friction[0] > 0)
        strcat(text, "contacts:\n");
    for (int i = 0; i < s->n; i++)
        if (s->friction[i] > 0) {
            snprintf(
                line, sizeof line,
                "  f%d: {kind: friction, slip: x%d', normal_force: 1, law: {type: coulomb, mu: %.17g}}\n", i,
                i, s->friction[i]);
            strcat(text, line);
        }
    strcat(text, "simulate:\n  initial: {");
    for (int i = 0; i < s->n; i++) {
        snprintf(line, sizeof line, "%sx%d: %.17g, x%d': %.17g", i ? ", " : "", i, sign * s->q[i], i,
                 sign * s->v[i]);
        strcat(text, line);
    }
    strcat(text, "}\n");
    strcat(text, simulate);
}

typedef struct outcome {
    int status;
    double periods, x[most], v[most], amplitude[most], error;
    char message[1000];
} outcome;

static void read_outcome(outcome *o, int n, const slip_result *r, const char *prefix)
{
    char path[40];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%smax.x%d", prefix, i);
        o->x[i] = slip_result_number(r, path);
        snprintf(path, sizeof path, "%smax.x%d'", prefix, i);
        o->v[i] = slip_result_number(r, path);
        snprintf(path, sizeof path, "%samplitude.x%d", prefix, i);
        o->amplitude[i] = slip_result_number(r, path);
    }
    o->periods = slip_result_number(r, "steady.periods_run");
    o->error = slip_result_number(r, "steady.error");
}

static outcome run_text(const char *text, int n, const char *prefix)
{
    outcome o = {0};
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *r = NULL;
    if (slip_model_parse(ctx, text, "test", NULL, &model) != SLIP_OK) {
        print_error("%s\n%s\n", slip_context_message(ctx), text);
        fail();
    }
    o.status = slip_run(ctx, model, NULL, &r);
    snprintf(o.message, sizeof o.message, "%s", o.status < 0 ? slip_context_message(ctx) : "");
    assert_non_null(r);
    read_outcome(&o, n, r, prefix);
    slip_result_destroy(r);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return o;
}

/* |X| of (K - w^2 M + i w C) X = F. */
static void linear_truth(const chain *s, double *amplitude)
{
    double complex a[most][most], x[most];
    int n = s->n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i][j] = coupling(s, i, j, s->k) - (i == j) * s->m[i] * s->w * s->w +
                      I * s->w * coupling(s, i, j, s->c);
        x[i] = s->load[i] * cexp(I * s->phase[i]);
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double complex factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
        amplitude[k] = cabs(x[k]);
    }
}

static outcome run_steady(const chain *s, const char *segments, double sign, long within, double integration)
{
    char text[4000], simulate[300];
    snprintf(
        simulate, sizeof simulate,
        "  segments: %s\n  tolerance: %g\n  steady: {period: 2*pi/%.17g, tolerance: %.17g, within: %ld}\n",
        segments, integration, s->w, s->tolerance, within);
    write_chain(text, sizeof text, s, sign, simulate);
    return run_text(text, s->n, "steady.");
}

/* ---- Random systems. */

/* Claims are counted; each must be true. */
typedef struct tally {
    int cases, claims;
} tally;

static void check_claim(tally *t, const chain *s, const outcome *o, const double *x, const double *v)
{
    t->cases++;
    if (o->status != SLIP_OK) {
        assert_int_equal(o->status, SLIP_ERROR_SOLVER);
        assert_non_null(strstr(o->message, "did not settle"));
        return;
    }
    t->claims++;
    assert_true(o->error <= s->tolerance);
    for (int i = 0; i < s->n; i++) {
        assert_close(o->x[i], x[i], s->tolerance * x[i] + 1e-13); /* some die out */
        assert_close(o->v[i], v[i], s->tolerance * v[i] + 1e-13);
    }
}

/* How many periods an oscillator needs until its transient is within the tolerance, from its decay. */
static double needed_periods(const chain *s, double amplitude)
{
    double zeta = s->c[0] / 2, start = fabs(s->q[0]) + fabs(s->v[0]) + amplitude * (1 + s->w);
    return log(start / amplitude * fmax(1, 1 / s->w) / s->tolerance) / (2 * pi / s->w * zeta);
}

static void check_linear(tally *t, uint64_t *seed, const char *segments, long within, double integration)
{
    chain s = random_chain(seed, false);
    double x[most], v[most] = {0};
    outcome o;
    within = 20 + (long)((double)within * fmin(1, s.w)); /* many turns in a slow period take long */
    o = run_steady(&s, segments, test_random(seed, -1, 1) < 0 ? -1 : 1, within, integration);
    linear_truth(&s, x);
    for (int i = 0; i < s.n; i++)
        v[i] = s.w * x[i];
    check_claim(t, &s, &o, x, v);
    for (int i = 0; i < s.n && o.status == SLIP_OK; i++)
        assert_close_relative(o.amplitude[i], x[i], s.tolerance);
    if (s.n == 1 && integration <= 1e-13 && 1.3 * needed_periods(&s, x[0]) + 12 < (double)within) {
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.periods < 1.3 * needed_periods(&s, x[0]) + 12);
    }
}

static void linear_systems_by_closed_forms(void **state)
{
    uint64_t seed = 1;
    tally t = {0};
    (void)state;
    for (int k = 0; k < test_many(170); k++)
        check_linear(&t, &seed, "exact", 1500, 1e-13);
    print_message("%d of %d settled\n", t.claims, t.cases);
    assert_true(t.claims > t.cases / 3);
}

static void linear_systems_by_dormand_prince(void **state)
{
    uint64_t seed = 2;
    tally t = {0};
    (void)state;
    for (int k = 0; k < test_cases(20); k++)
        check_linear(&t, &seed, "rk", 300, k % 2 ? 1e-8 : 1e-11);
    print_message("%d of %d settled\n", t.claims, t.cases);
    assert_true(t.claims > t.cases / 8);
}

/* The same motion followed for much longer. */
static void friction_systems(void **state)
{
    uint64_t seed = 3;
    tally t = {0};
    (void)state;
    for (int k = 0; k < test_cases(80); k++) {
        chain s = random_chain(&seed, true);
        double sign = test_random(&seed, -1, 1) < 0 ? -1 : 1, long_run;
        outcome o = run_steady(&s, "auto", sign, 20 + (long)(600 * fmin(1, s.w)), 1e-8), later = {0};
        char text[4000], simulate[300];
        long_run = 2 * o.periods + 50 + 200 * fmin(1, s.w);
        if (o.status == SLIP_OK) {
            snprintf(simulate, sizeof simulate,
                     "  time: [0, %.0f*2*pi/%.17g]\n  record: {from: %.0f*2*pi/%.17g, points: 2}\n", long_run,
                     s.w, long_run - 32, s.w);
            write_chain(text, sizeof text, &s, sign, simulate);
            later = run_text(text, s.n, "");
        }
        check_claim(&t, &s, &o, later.x, later.v);
    }
    print_message("%d of %d settled\n", t.claims, t.cases);
    assert_true(t.claims > t.cases / 2);
}

/* ---- Two traps. */

/* Far above its resonance the change of the state once a period dips by chance. */
static void isolator_far_above_resonance(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        chain s = {.n = 1, .m = {1}, .c = {0.04}, .k = {1}, .load = {100.7 * 100.7}, .q = {0.3}, .v = {0.4}};
        double x[most];
        s.w = 100.7;
        s.tolerance = 1e-3;
        outcome o = run_steady(&s, k % 2 ? "rk" : "exact", k < 2 ? 1 : -1, 1000000, 1e-8);
        linear_truth(&s, x);
        assert_close(x[0], 1.0000986, 1e-7);
        assert_int_equal(o.status, SLIP_OK);
        assert_close_relative(o.x[0], x[0], 1e-3);
        assert_close_relative(o.amplitude[0], x[0], 1e-3);
        assert_in_range((int)o.periods, 5000, 12000); /* ln 1000 over the decay: 5535 */
    }
}

/* Free vibration dies out, however slowly: that is not known after 200 periods, and true in the end. */
static void slow_decay_is_not_steady(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        chain s = {.n = 1, .m = {1}, .c = {2e-5}, .k = {1}, .q = {1}, .w = 1, .tolerance = 1e-3};
        const char *segments = k % 2 ? "rk" : "exact";
        outcome o = run_steady(&s, segments, k < 2 ? 1 : -1, 200, 1e-8);
        assert_int_equal(o.status, SLIP_ERROR_SOLVER);
        assert_non_null(strstr(o.message, "did not settle within 200 periods"));
        assert_true(isnan(o.error) || o.error > 0.5);
        s.c[0] = 2e-3;
        o = run_steady(&s, segments, k < 2 ? 1 : -1, 20000, 1e-8);
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.x[0] < 1e-5);
    }
}

/* ---- The judge alone, on sequences whose limit is known. */

typedef struct mode {
    double size, decay, turn; /* size e^(-decay k) cos(turn k), and sin */
} mode;

static void add_modes(const mode *modes, int count, double k, double *y)
{
    for (int j = 0; j < count; j++) {
        y[j % 3] += modes[j].size * exp(-modes[j].decay * k) * cos(modes[j].turn * k);
        y[3] += modes[j].size * exp(-modes[j].decay * k) * sin(modes[j].turn * k);
    }
}

/* Feeds modes and a random part until the judge is content; returns its periods. The deviation at that time
 * is *left. */
static int64_t feed(const mode *modes, int count, double noise, double drift, int subharmonic,
                    double tolerance, int64_t within, int *multiple, double *left)
{
    slip_settling s;
    slip_settling_estimate estimate;
    uint64_t seed = 7;
    assert_true(slip_settling_create(&s, 4, 0, within, 0, 64));
    for (int i = 0; i < 4; i++)
        s.scale[i] = 1;
    s.noise = 1e-15;
    *multiple = 0;
    while (s.periods + 1 < within && *multiple == 0) {
        double *y = slip_settling_next(&s), k = (double)(s.periods + 1);
        for (int i = 0; i < 4; i++)
            y[i] = (i == 1) + noise * test_random(&seed, -1, 1) + drift * k +
                   (subharmonic > 1 && (s.periods + 1) % subharmonic == 0);
        add_modes(modes, count, k, y);
        slip_settling_keep(&s);
        if (slip_settling_is_due(&s))
            *multiple = slip_settling_find(&s, tolerance, &estimate);
    }
    *left = 0;
    for (int64_t k = s.periods; k < s.periods + 2000; k++) {
        double e[4] = {0};
        add_modes(modes, count, (double)k, e);
        for (int i = 0; i < 4; i++)
            *left = fmax(*left, fabs(e[i]));
    }
    int64_t periods = s.periods + 1;
    slip_settling_free(&s);
    return periods;
}

static void judge_of_known_sequences(void **state)
{
    static const struct {
        mode modes[3];
        double noise, drift;
        int subharmonic;
        double tolerance;
        int multiple;
        int64_t least, within; /* periods that it must and may take */
    } cases[] = {
        {.modes = {{1, 0.3, 0}}, .tolerance = 1e-8, .multiple = 1, .least = 60, .within = 75},
        {.modes = {{1, 0.01, 0.02}}, .tolerance = 1e-6, .multiple = 1, .least = 1350, .within = 1800},
        /* a slow mode behind a fast one, in sight and hardly so */
        {.modes = {{1, 0.7, 1}, {1e-3, 1e-3, 0}},
         .tolerance = 1e-5,
         .multiple = 1,
         .least = 4500,
         .within = 6000},
        {.modes = {{1, 0.7, 1}, {1e-6, 1e-4, 0}},
         .tolerance = 1e-7,
         .multiple = 1,
         .least = 22000,
         .within = 30000},
        {.modes = {{1, 0.2, 0.5}, {0.3, 0.05, 3.1}, {0.1, 0.01, 0.001}},
         .tolerance = 1e-4,
         .multiple = 1,
         .least = 650,
         .within = 900},
        /* a slow approach from side to side, and one in three turns, are no subharmonics; this one is */
        {.modes = {{1, 0.01, 3.14159}}, .tolerance = 1e-6, .multiple = 1, .least = 1350, .within = 1800},
        {.modes = {{1, 0.01, 2.0944}}, .tolerance = 1e-6, .multiple = 1, .least = 1350, .within = 1800},
        {.modes = {{1, 0.3, 1}},
         .subharmonic = 3,
         .tolerance = 1e-6,
         .multiple = 3,
         .least = 40,
         .within = 120},
        /* what repeats from the beginning, to rounding or to noise */
        {.tolerance = 1e-12, .multiple = 1, .least = 1, .within = 10},
        {.noise = 1e-10, .tolerance = 1e-8, .multiple = 1, .least = 1, .within = 20},
        /* never: noise, drift, a decay that noise hides, no decay at all */
        {.noise = 1e-8, .tolerance = 1e-8, .within = 3000},
        {.drift = 1e-9, .tolerance = 1e-6, .within = 3000},
        {.modes = {{1, 1e-6, 0}}, .noise = 1e-8, .tolerance = 1e-3, .within = 3000},
        {.modes = {{1, 0, 0.01}}, .tolerance = 1e-3, .within = 3000},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int multiple;
        double left;
        int64_t periods = feed(cases[k].modes, 3, cases[k].noise, cases[k].drift, cases[k].subharmonic,
                               cases[k].tolerance, cases[k].within, &multiple, &left);
        if (multiple != cases[k].multiple ||
            (multiple > 0 && (left > cases[k].tolerance || periods < cases[k].least)))
            print_error("sequence %zu: multiple %d after %lld periods, %g left\n", k, multiple,
                        (long long)periods, left);
        assert_int_equal(multiple, cases[k].multiple);
        if (multiple > 0) {
            assert_true(left <= cases[k].tolerance);
            assert_true(periods >= cases[k].least);
        }
        if (multiple == 0 || cases[k].noise > 0)
            continue;
        /* errors far below the tolerance change next to nothing */
        const int64_t again = feed(cases[k].modes, 3, 1e-5 * cases[k].tolerance, 0, cases[k].subharmonic,
                                   cases[k].tolerance, 2 * cases[k].within, &multiple, &left);
        if (multiple != cases[k].multiple || 10 * llabs(again - periods) > periods + 10)
            print_error("sequence %zu: %lld periods, with noise %lld\n", k, (long long)periods,
                        (long long)again);
        assert_int_equal(multiple, cases[k].multiple);
        assert_true(10 * llabs(again - periods) <= periods + 10);
    }
}

/* An approach from side to side, or in turns, is no subharmonic, whatever its decay and its turn. */
static void approaches_in_turns_have_one_period(void **state)
{
    (void)state;
    for (int k = 0; k < 60 * 12; k++) {
        const double tolerance = 1e-7;
        const mode modes[] = {{1, 0.05 + 0.02 * (k / 60), 2 + 0.04 * (k % 60)}, {1, 0.7, 1}};
        int multiple;
        double left;
        const int64_t periods = feed(modes, 2, 0, 0, 0, tolerance, 2000, &multiple, &left);
        if (multiple != 1)
            print_error("sequence %d: multiple %d after %lld periods, %g left\n", k, multiple,
                        (long long)periods, left);
        assert_int_equal(multiple, 1);
    }
}

/* What is worth waiting for after 200 periods: a motion of one, two or five periods that is approached
 * slowly, also with errors, and not chaos (x -> r x (1 - x)), nor what turns without end. */
static void what_decays(void **state)
{
    static const struct {
        int multiple;
        double decay, turn, noise, map;
        bool waits;
    } cases[] = {{1, 0.05, 0, 0, 0, true},     {1, 0.004, 3.1415926, 1e-9, 0, true},
                 {2, 0.05, 0, 0, 0, true},     {2, 0.02, 0, 1e-9, 0, true},
                 {2, 0.004, 0, 1e-9, 0, true}, {5, 0.01, 1, 1e-9, 0, true},
                 {1, 0, 0, 0, 3.9, false},     {1, 0, 0, 0, 3.99, false},
                 {1, 0, 1, 0, 0, false},       {3, 0, 0.7, 0, 0, false},
                 {1, -0.02, 0, 0, 0, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slip_settling s;
        uint64_t seed = 3;
        double x = 0.3;
        assert_true(slip_settling_create(&s, 2, 0, 2000, 5, 4));
        s.noise = 1e-13;
        s.scale[0] = s.scale[1] = 1;
        for (int j = 0; j < 200; j++) {
            double *y = slip_settling_next(&s);
            y[0] = y[1] = x = cases[k].map * x * (1 - x);
            y[0] += (j % cases[k].multiple == 0) + 0.1 * exp(-cases[k].decay * j) * cos(cases[k].turn * j);
            y[1] += 0.1 * exp(-cases[k].decay * j) * sin(1 + cases[k].turn * j);
            y[0] += cases[k].noise * test_random(&seed, -1, 1);
            slip_settling_keep(&s);
        }
        if (slip_settling_is_on_its_way(&s) != cases[k].waits)
            fail_msg("case %zu", k);
        slip_settling_free(&s);
    }
}

static void recurrence_has_the_modes_as_roots(void **state)
{
    enum { size = 3, count = 12 };
    double vectors[count * size],
        *work = malloc((size_t)slip_recurrence_numbers(size, count) * sizeof(double));
    slip_recurrence fits[slip_recurrence_longest], fit;
    (void)state;
    assert_non_null(work);
    for (int j = 0; j < count; j++) {
        vectors[j * size] = pow(0.9, j) * cos(0.3 * j);
        vectors[j * size + 1] = pow(0.9, j) * sin(0.3 * j) - pow(-0.5, j);
        vectors[j * size + 2] = 2 * pow(-0.5, j);
    }
    assert_int_equal(slip_recurrence_fit(size, count, vectors, 1e-15, work, fits), 3);
    fit = fits[2];
    assert_int_equal(fit.order, 3); /* (z^2 - 1.8 cos 0.3 z + 0.81) (z + 0.5) */
    assert_close(fit.a[0], 0.405, 1e-12);
    assert_close(fit.a[1], 0.81 - 0.9 * cos(0.3), 1e-12);
    assert_close(fit.a[2], 0.5 - 1.8 * cos(0.3), 1e-12);
    assert_close(fit.sum, 1.5 * (1.81 - 1.8 * cos(0.3)), 1e-12);
    assert_true(fit.sum_error < 1e-12 && fit.residual < 1e-14);
    assert_int_equal(slip_recurrence_fit(size, 1, vectors, 1e-15, work, fits), 0);
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recurrence_has_the_modes_as_roots),
        cmocka_unit_test(judge_of_known_sequences),
        cmocka_unit_test(approaches_in_turns_have_one_period),
        cmocka_unit_test(what_decays),
        cmocka_unit_test(isolator_far_above_resonance),
        cmocka_unit_test(slow_decay_is_not_steady),
        cmocka_unit_test(linear_systems_by_closed_forms),
        cmocka_unit_test(linear_systems_by_dormand_prince),
        cmocka_unit_test(friction_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
