/* Whole runs through the public interface: the published oscillator, steady states, options, observers,
 * threads. */
#include "slipstick/slipstick.h"
#include "test.h"

#include <pthread.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static slip_model *parse(slip_context *ctx, const char *text, const char *const *settings)
{
    slip_model *model = NULL;
    int status = slip_model_parse(ctx, text, "test", settings, &model);
    if (status != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, SLIP_OK);
    return model;
}

static slip_result *run(slip_context *ctx, slip_model *model, const slip_run_options *options, int expected)
{
    slip_result *result = NULL;
    int status = slip_run(ctx, model, options, &result);
    if (status != expected)
        print_error("%s\n", slip_context_message(ctx));
    assert_int_equal(status, expected);
    return result;
}

/* ---- The published oscillator: steady state values of an independent computation, errors about 1e-12. */

typedef struct reference {
    const char *example, *setting;
    double u, v, a, force, amplitude, lag;
} reference;

static const reference references[] = {{"elliptic", "D=0.8", 1.3414512278822353, 1.6820395121788048,
                                        2.8901271629338336, 3.2, 1.419920505857255, 1.7822587165190507},
                                       {"elliptic", "D=0.4", 1.0865074983330143, 1.471986230224084,
                                        2.97375342793506, 3.2, 1.1785163202421791, 1.8532520479361234},
                                       {"elliptic-static", "D1=0.8", 19.519007766080513, 19.57227199694874,
                                        22.497500466515884, 3.2, 19.535779706574196, 1.5919862167192251}};

static void check_reference(const slip_result *r, const reference *expected, double tolerance,
                            double lag_tolerance)
{
    assert_close_relative(slip_result_number(r, "steady.max.u"), expected->u, tolerance);
    assert_close_relative(slip_result_number(r, "steady.max.u'"), expected->v, tolerance);
    assert_close_relative(slip_result_number(r, "steady.max.u''"), expected->a, tolerance);
    assert_close_relative(slip_result_number(r, "steady.max.force.H"), expected->force, tolerance);
    assert_close_relative(slip_result_number(r, "steady.amplitude.u"), expected->amplitude, tolerance);
    assert_close(slip_result_number(r, "steady.phase_lag.u"), expected->lag, lag_tolerance);
    assert_close(slip_result_number(r, "steady.period"), 2 * pi, 1e-14);
    assert_true(slip_result_number(r, "steady.multiple") == 1);
    assert_true(slip_result_number(r, "max.u") == slip_result_number(r, "steady.max.u"));
}

static void elliptic_steady_state(void **state)
{
    static const struct {
        const char *method;
        double tolerance, lag;
    } cases[] = {{"event", 1e-7, 1e-6}, {"smooth", 1e-7, 1e-6}, {"rk4", 1e-4, 1e-4}};
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            slip_context *ctx = slip_context_create();
            const char *settings[] = {references[k].setting, "simulate.step=2*pi/2000", NULL};
            slip_model *model = parse(ctx, slip_example_text(references[k].example), settings);
            slip_run_options options = slip_run_options_default();
            slip_result *r;
            int64_t count;
            const double *t;
            options.method = cases[m].method;
            options.record_events = 0;
            r = run(ctx, model, &options, SLIP_OK);
            check_reference(r, &references[k], cases[m].tolerance, cases[m].lag);
            t = slip_result_series(r, "t", &count);
            assert_int_equal(count, 2001);
            assert_close(t[count - 1] - t[0], 4 * pi, 1e-10); /* two periods are recorded */
            slip_result_destroy(r);
            slip_model_destroy(model);
            slip_context_destroy(ctx);
        }
}

/* In the steady state the load's work over a period is what friction and damping take: pi P A sin(lag) =
 * work. */
static void energy_balance_of_the_steady_state(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, slip_example_text("elliptic"), NULL);
    slip_result *r = run(ctx, model, NULL, SLIP_OK);
    const double *t, *v, *force;
    double taken = 0, given = pi * 4 * slip_result_number(r, "steady.amplitude.u") *
                              sin(slip_result_number(r, "steady.phase_lag.u"));
    int64_t count;
    (void)state;
    t = slip_result_series(r, "t", &count);
    v = slip_result_series(r, "u'", NULL);
    force = slip_result_series(r, "H.force", NULL);
    for (int64_t i = 0; i < count - 1; i++)
        taken += (t[i + 1] - t[i]) * (0.1 * v[i] * v[i] - force[i] * v[i]) / 2; /* of two periods: half */
    assert_close_relative(taken, given, 1e-5);
    slip_result_destroy(r);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* ---- Steady states of other kinds. */

static const char duffing[] = "slipstick: 1\n"
                              "parameters: {g: 0.28}\n"
                              "coordinates: [x]\n"
                              "mass: [[1]]\n"
                              "damping: [[0.3]]\n"
                              "forces: {x: x - x^3 + g*cos(1.2*t)}\n"
                              "simulate:\n"
                              "  initial: {x: 1}\n"
                              "  tolerance: 1e-9\n"
                              "  steady: {period: 2*pi/1.2, tolerance: 1e-7, within: 400}\n";

static void subharmonic_motion_is_recognised(void **state)
{
    static const struct {
        const char *setting;
        int multiple;
    } cases[] = {{"g=0.20", 1}, {"g=0.28", 2}, {"g=0.29", 4}, {"g=0.37", 5}, {"g=0.65", 2}};
    (void)state;
    for (int k = 0; k < 5; k++) {
        slip_context *ctx = slip_context_create();
        const char *settings[] = {cases[k].setting, NULL};
        slip_model *model = parse(ctx, duffing, settings);
        slip_result *r = run(ctx, model, NULL, SLIP_OK);
        int64_t count;
        const double *t = slip_result_series(r, "t", &count), *x = slip_result_series(r, "x", NULL);
        assert_int_equal((int)slip_result_number(r, "steady.multiple"), cases[k].multiple);
        assert_close(slip_result_number(r, "steady.period"), cases[k].multiple * 2 * pi / 1.2, 1e-12);
        assert_close(t[count - 1] - t[0], 2 * cases[k].multiple * 2 * pi / 1.2, 1e-9);
        assert_close(x[0], x[count / 2], 1e-6); /* after one period of the motion */
        assert_close(x[0], x[count - 1], 1e-6);
        slip_result_destroy(r);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

static void motion_that_does_not_settle_is_told(void **state)
{
    slip_context *ctx = slip_context_create();
    const char *settings[] = {"g=0.5", "simulate.steady.within=60", NULL}; /* chaotic */
    slip_model *model = parse(ctx, duffing, settings);
    slip_result *r = run(ctx, model, NULL, SLIP_ERROR_SOLVER);
    (void)state;
    assert_non_null(strstr(slip_context_message(ctx), "did not settle within 60 periods"));
    assert_true(slip_result_number(r, "steady.last_change") > 1e-3);
    assert_non_null(strstr(slip_result_summary(ctx, r), "\"settled\": false"));
    slip_result_destroy(r);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* A linear oscillator with light damping settles slowly: the estimate of what is still to come must count,
 * not the small change per period alone. Closed form of amplitude and lag. */
static void slow_settling_is_waited_for(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx,
                              "slipstick: 1\n"
                              "coordinates: [x]\n"
                              "mass: [[1]]\n"
                              "damping: [[0.004]]\n"
                              "stiffness: [[2]]\n"
                              "forces: {x: sin(1.3*t)}\n"
                              "simulate:\n"
                              "  tolerance: 1e-11\n"
                              "  steady: {period: 2*pi/1.3, tolerance: 1e-7, within: 5000}\n",
                              NULL);
    slip_result *r = run(ctx, model, NULL, SLIP_OK);
    double real = 2 - 1.3 * 1.3, imaginary = 0.004 * 1.3;
    (void)state;
    assert_close_relative(slip_result_number(r, "steady.amplitude.x"), 1 / hypot(real, imaginary), 2e-7);
    assert_close_relative(slip_result_number(r, "steady.max.x"), 1 / hypot(real, imaginary), 2e-7);
    assert_close(slip_result_number(r, "steady.phase_lag.x"), atan2(imaginary, real), 2e-7);
    slip_result_destroy(r);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* ---- A linear model against its closed form, by every method, built in C. */

static int load(void *user, double t, const double *q, const double *v, double *force, double *dforce_dq,
                double *dforce_dv)
{
    (void)q, (void)v, (void)dforce_dq, (void)dforce_dv;
    force[0] = *(double *)user * cos(2 * t);
    return 1; /* the derivatives, zero, are right as they are */
}

static void model_built_in_c_agrees_with_the_closed_form(void **state)
{
    static const char *const coordinates[] = {"x"};
    const double mass = 2, damping = 0.4, stiffness = 5, q = 0.3, v = -0.1;
    double amplitude = 3;
    (void)state;
    for (int k = 0; k < slip_method_count() && !slip_method_at(k)->gears; k++) {
        slip_context *ctx = slip_context_create();
        slip_model *model = NULL;
        slip_run_options options = slip_run_options_default();
        slip_result *r;
        /* x'' + 0.2 x' + 2.5 x = 1.5 cos 2 t */
        double g = 0.1, w = sqrt(2.5 - g * g), a = 1.5 * -1.5 / (2.25 + 0.16), b = 1.5 * 0.4 / (2.25 + 0.16);
        double p = q - a, s = (v - 2 * b + g * p) / w;
        assert_int_equal(slip_model_create(ctx, 1, coordinates, &model), SLIP_OK);
        assert_int_equal(slip_model_set_mass(ctx, model, &mass), SLIP_OK);
        assert_int_equal(slip_model_set_damping(ctx, model, &damping), SLIP_OK);
        assert_int_equal(slip_model_set_stiffness(ctx, model, &stiffness), SLIP_OK);
        assert_int_equal(slip_model_set_force_function(ctx, model, load, &amplitude), SLIP_OK);
        assert_int_equal(slip_model_set_initial(ctx, model, &q, &v), SLIP_OK);
        options.method = slip_method_at(k)->name;
        options.end = 7;
        options.step = 0.001;
        options.tolerance = 1e-10;
        options.record_every = 0.5;
        r = run(ctx, model, &options, SLIP_OK);
        int64_t count;
        const double *t = slip_result_series(r, "t", &count), *x = slip_result_series(r, "x", NULL);
        assert_int_equal(count, 15);
        for (int64_t i = 0; i < count; i++) {
            assert_true(t[i] == 0.5 * (double)i);
            assert_close(
                x[i],
                exp(-g * t[i]) * (p * cos(w * t[i]) + s * sin(w * t[i])) + a * cos(2 * t[i]) +
                    b * sin(2 * t[i]),
                strcmp(options.method, "moreau") == 0 || strncmp(options.method, "midpoint", 8) == 0 ||
                        strcmp(options.method, "exponential") == 0 || strcmp(options.method, "explicit") == 0
                    ? 3e-6 /* of order 2 */
                    : 2e-8);
        }
        slip_result_destroy(r);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
}

/* A law of one's own is the law that it imitates. */
static void own_tanh(void *user, double v, double *force, double *slope)
{
    double value = tanh(v / 0.1);
    (void)user;
    *force = 0.4 * value;
    *slope = 0.4 * (1 - value * value) / 0.1;
}

static void law_of_ones_own(void **state)
{
    static const char *const coordinates[] = {"x"};
    const double one = 1, zero = 0;
    double found[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_context *ctx = slip_context_create();
        slip_model *model = NULL;
        slip_run_options options = slip_run_options_default();
        slip_contact_options friction = slip_contact_options_default();
        slip_result *r;
        assert_int_equal(slip_model_create(ctx, 1, coordinates, &model), SLIP_OK);
        slip_model_set_mass(ctx, model, &one);
        slip_model_set_stiffness(ctx, model, &one);
        slip_model_set_initial(ctx, model, &one, &zero);
        friction.name = "pad";
        friction.row = &one;
        friction.offset = "-0.2";
        friction.law = slip_law_default(k ? "function" : "tanh");
        if (k) {
            friction.law.function = own_tanh;
        } else {
            friction.law.mu = 0.4;
            friction.law.velocity = 0.1;
        }
        assert_int_equal(slip_model_add_contact(ctx, model, &friction), SLIP_OK);
        options.method = "smooth";
        options.end = 10;
        r = run(ctx, model, &options, SLIP_OK);
        found[k] = slip_result_number(r, "final.x");
        slip_result_destroy(r);
        slip_model_destroy(model);
        slip_context_destroy(ctx);
    }
    assert_close(found[0], found[1], 1e-12);
}

/* ---- Options. */

static const char oscillator[] = "slipstick: 1\n"
                                 "coordinates: [x]\n"
                                 "mass: [[1]]\n"
                                 "stiffness: [[1]]\n"
                                 "simulate: {time: [0, 10], initial: {x: 1}, record: {points: 11}}\n";

static void options_come_before_the_model(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, oscillator, NULL);
    slip_run_options options = slip_run_options_default();
    slip_result *r = run(ctx, model, NULL, SLIP_OK);
    int64_t count;
    (void)state;
    slip_result_series(r, "t", &count);
    assert_int_equal(count, 11);
    assert_close(slip_result_number(r, "final.x"), cos(10), 1e-6);
    slip_result_destroy(r);
    options.end = 5;
    options.record_every = 0.25;
    options.record_from = 1;
    options.tolerance = 1e-12;
    r = run(ctx, model, &options, SLIP_OK);
    assert_true(slip_result_series(r, "t", &count)[0] == 1);
    assert_int_equal(count, 17);
    assert_close(slip_result_number(r, "final.x"), cos(5), 1e-10);
    assert_close(slip_result_number(r, "max.x"), 1, 1e-10); /* at t = pi, between records */
    slip_result_destroy(r);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void check_refused(const slip_run_options *options, int status, const char *fragment)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, oscillator, NULL);
    slip_result *r = run(ctx, model, options, status);
    assert_null(r);
    if (!strstr(slip_context_message(ctx), fragment)) {
        print_error("message: %s\nexpected: %s\n", slip_context_message(ctx), fragment);
        fail();
    }
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void wrong_options_are_refused(void **state)
{
    slip_run_options o;
    (void)state;
    o = slip_run_options_default();
    o.method = "evnet";
    check_refused(&o, SLIP_ERROR_USAGE, "did you mean `event`?");
    o = slip_run_options_default();
    o.method = "rk4";
    check_refused(&o, SLIP_ERROR_MODEL, "simulate.step");
    o = slip_run_options_default();
    o.tolerance = 0;
    check_refused(&o, SLIP_ERROR_USAGE, "tolerance is 0");
    o = slip_run_options_default();
    o.end = -1;
    check_refused(&o, SLIP_ERROR_USAGE, "end time is -1");
    o = slip_run_options_default();
    o.start = INFINITY;
    check_refused(&o, SLIP_ERROR_USAGE, "start time");
    o = slip_run_options_default();
    o.record_every = -2;
    check_refused(&o, SLIP_ERROR_USAGE, "record.every is -2");
    o = slip_run_options_default();
    o.record_every = 1;
    o.record_points = 5;
    check_refused(&o, SLIP_ERROR_USAGE, "more than one");
    o = slip_run_options_default();
    o.record_every = 1e-12;
    check_refused(&o, SLIP_ERROR_MODEL, "records, expected at most 1e+08: a larger `every`");
    o = slip_run_options_default();
    o.record_points = 200000000;
    check_refused(&o, SLIP_ERROR_MODEL, "asks for 2e+08 records");
    o = slip_run_options_default();
    o.record_from = 11;
    check_refused(&o, SLIP_ERROR_USAGE, "record.from");
    o.steady_period = 1;
    check_refused(&o, SLIP_ERROR_USAGE, "record.from is 11, beside a steady motion");
    o = slip_run_options_default();
    o.steady_period = -1;
    check_refused(&o, SLIP_ERROR_USAGE, "steady period is -1");
    o = slip_run_options_default();
}

/* ---- Motion that is not resolved by an absolute tolerance. */

static void keep_warning(void *user, slip_log_level level, const char *message)
{
    assert_int_equal(level, SLIP_LOG_WARNING);
    snprintf(user, 200, "%s", message);
}

/* x'' + x = P cos(2 t), from rest: |x| goes up to 2 P/3; `load` says whether it has a closed form. */
static void check_small(const char *method, const char *load, const char *amplitude, const char *tolerance,
                        bool warns)
{
    char text[600], warning[200] = "";
    slip_context *ctx = slip_context_create();
    slip_model *model;
    slip_context_set_log(ctx, keep_warning, warning);
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {P: %s}\ncoordinates: [x]\nmass: 1\nstiffness: 1\n"
             "forces: {x: %s}\nsimulate: {time: [0, 20], method: %s, tolerance: %s}\n",
             amplitude, load, method, tolerance);
    model = parse(ctx, text, NULL);
    slip_result_destroy(run(ctx, model, NULL, SLIP_OK));
    assert_int_equal(strstr(warning, "is an absolute error too") != NULL, warns);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void motion_below_the_tolerance_is_told(void **state)
{
    (void)state;
    check_small("smooth", "P*cos(2*t)", "1e-6", "1e-8", true);
    check_small("smooth", "P*cos(2*t)", "1e-6", "1e-12", false);
    check_small("smooth", "P*cos(2*t)", "1", "1e-8", false);
    check_small("smooth", "P*cos(2*t)", "0", "1e-8", false);   /* it does not move */
    check_small("event", "P*cos(2*t)", "1e-6", "1e-8", false); /* closed form */
    /* Dormand-Prince, whose errors are relative to the motion */
    check_small("event", "P*cos(2*t)*cos(sin(0)*x)", "1e-6", "1e-8", false);
}

/* ---- Observers. */

typedef struct seen {
    int64_t steps, events;
    double last, stop;
} seen;

static int see_step(void *user, double t, const double *q, const double *v)
{
    seen *s = user;
    (void)q, (void)v;
    s->steps++;
    s->last = t;
    return t > s->stop;
}

static int see_event(void *user, const slip_event *event)
{
    seen *s = user;
    assert_int_equal(event->contact, 0);
    assert_true(event->time <= s->last || event->time - s->last < 1e-12);
    s->events++;
    return 0;
}

static void observers_see_everything_and_can_stop(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, slip_example_text("elliptic"), NULL);
    slip_run_options options = slip_run_options_default();
    seen s = {.stop = 20};
    slip_result *r;
    (void)state;
    options.step_observer = see_step;
    options.event_observer = see_event;
    options.observer_user = &s;
    r = run(ctx, model, &options, SLIP_STOPPED);
    assert_true(s.last > 20 && s.last < 21);
    assert_int_equal(s.events, slip_result_event_count(r));
    assert_true((double)s.steps == slip_result_number(r, "steps"));
    assert_int_equal(s.events, 6);
    slip_result_destroy(r);
    slip_model_destroy(model);
    /* A segment in closed form is shown in pieces: to stop before its end is not to come to the event there.
     */
    model = parse(ctx, slip_example_text("stick-slip-belt"), NULL);
    s = (seen){.stop = 21};
    r = run(ctx, model, &options, SLIP_STOPPED);
    assert_true(s.last > 21 && s.last < 22);
    assert_int_equal(s.events, 6);
    assert_int_equal(slip_result_event_count(r), 6);
    slip_result_destroy(r);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

/* ---- Two threads, each with its own context, get the same bits as one. */

static void *run_in_thread(void *user)
{
    slip_context *ctx = slip_context_create();
    slip_model *model = NULL;
    slip_result *result = NULL;
    if (slip_model_parse(ctx, slip_example_text("elliptic"), "elliptic", NULL, &model) == SLIP_OK &&
        slip_run(ctx, model, NULL, &result) == SLIP_OK)
        *(double *)user = slip_result_number(result, "steady.max.u''");
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
    return NULL;
}

static void two_threads_get_the_same_bits(void **state)
{
    pthread_t threads[2];
    double alone = 0, found[2] = {0, 0};
    (void)state;
    run_in_thread(&alone);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, run_in_thread, &found[k]), 0);
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_join(threads[k], NULL), 0);
    assert_true(alone > 2 && alone == found[0] && alone == found[1]);
}

/* A run that cannot even start keeps the state that it should have started from. */
static void run_that_cannot_start_keeps_its_start(void **state)
{
    static const char text[] = "slipstick: 1\n"
                               "coordinates: [x, y]\n"
                               "mass: [[1, -0.8], [-0.8, 1]]\n"
                               "forces: {x: -1}\n"
                               "contacts:\n"
                               "  tip: {kind: unilateral, gap: x, slip: y', law: {type: coulomb, mu: 2}}\n"
                               "simulate: {time: [0, 1], initial: {y: 3, y': 1}}\n";
    slip_context *ctx = slip_context_create();
    slip_model *model = parse(ctx, text, NULL);
    slip_result *result = run(ctx, model, NULL, SLIP_ERROR_SOLVER);
    int64_t count = 0;
    const double *y = slip_result_series(result, "y", &count);
    (void)state;
    assert_non_null(strstr(slip_context_message(ctx), "no mode"));
    assert_int_equal(count, 1);
    assert_true(y[0] == 3 && slip_result_series(result, "y'", &count)[0] == 1);
    assert_true(isnan(slip_result_series(result, "y''", &count)[0]));
    assert_true(slip_result_number(result, "max.y") == 3);
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_steady_state),
        cmocka_unit_test(energy_balance_of_the_steady_state),
        cmocka_unit_test(subharmonic_motion_is_recognised),
        cmocka_unit_test(motion_that_does_not_settle_is_told),
        cmocka_unit_test(slow_settling_is_waited_for),
        cmocka_unit_test(model_built_in_c_agrees_with_the_closed_form),
        cmocka_unit_test(law_of_ones_own),
        cmocka_unit_test(options_come_before_the_model),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(motion_below_the_tolerance_is_told),
        cmocka_unit_test(observers_see_everything_and_can_stop),
        cmocka_unit_test(two_threads_get_the_same_bits),
        cmocka_unit_test(run_that_cannot_start_keeps_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
