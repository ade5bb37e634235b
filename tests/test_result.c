/* The recorder on motions known in closed form, summaries, and run folders. */
#include "base/context.h"
#include "io/file.h"
#include "io/json.h"
#include "io/staging.h"
#include "result/result.h"
#include "test.h"
#include "test_folder.h"

#include <time.h>

static const char *const coordinate_names[] = {"x", "phi"};
static const char *const contact_names[] = {"pad", "brake"};

/* ---- A motion in closed form, cut into steps at random. */

static void motion(double t, double *q, double *v, double *a)
{
    q[0] = sin(t) + 0.3 * sin(3.1 * t + 0.4);
    v[0] = cos(t) + 0.93 * cos(3.1 * t + 0.4);
    a[0] = -sin(t) - 0.3 * 3.1 * 3.1 * sin(3.1 * t + 0.4);
    q[1] = 2 * cos(1.7 * t - 0.5) + 1;
    v[1] = -3.4 * sin(1.7 * t - 0.5);
    a[1] = -2 * 1.7 * 1.7 * cos(1.7 * t - 0.5);
}

static void forces(double t, double *force)
{
    force[0] = 1.5 * sin(1.3 * t) * cos(0.2 * t);
    force[1] = sin(t) > 0 ? -0.7 : -0.6;
}

static void motion_state(const void *self, double t, double *q, double *v)
{
    double a[2];
    (void)self;
    motion(t, q, v, a);
}

static void motion_sample(const void *self, double t, slip_sample *sample)
{
    double q[2], v[2], a[2], force[2];
    (void)self;
    motion(t, q, v, a);
    forces(t, force);
    for (int i = 0; i < 2; i++) {
        if (sample->q)
            sample->q[i] = q[i];
        if (sample->v)
            sample->v[i] = v[i];
        if (sample->a)
            sample->a[i] = a[i];
        if (sample->slip)
            sample->slip[i] = v[i];
        if (sample->normal)
            sample->normal[i] = 1 + i;
        if (sample->force)
            sample->force[i] = force[i];
        if (sample->mode)
            sample->mode[i] = v[i] > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS;
    }
}

static int send_step(const slip_observer *observer, double t0, double t1)
{
    double q0[2], v0[2], a0[2], q1[2], v1[2], a1[2];
    slip_step step = {.t0 = t0,
                      .t1 = t1,
                      .q0 = q0,
                      .v0 = v0,
                      .a0 = a0,
                      .q1 = q1,
                      .v1 = v1,
                      .a1 = a1,
                      .state = motion_state,
                      .sample = motion_sample};
    motion(t0, q0, v0, a0);
    motion(t1, q1, v1, a1);
    return observer->step(observer->user, &step);
}

static int send_motion(const slip_observer *observer, double start, double end, double longest,
                       uint64_t *seed)
{
    int status = SLIP_OK;
    for (double t = start; t < end && status == SLIP_OK;) {
        double next = t + test_random(seed, 0.01, 1) * longest;
        next = next < end ? next : end;
        status = send_step(observer, t, next);
        t = next;
    }
    return status;
}

typedef struct recording {
    slip_context *ctx;
    slip_result *result;
    slip_recorder *recorder;
    slip_observer observer;
} recording;

static recording begin(const slip_recorder_options *options)
{
    recording r = {.ctx = slip_context_create()};
    assert_int_equal(slip_result_create_run(r.ctx,
                                            &(slip_run_names){.n = 2,
                                                              .names = coordinate_names,
                                                              .contact_count = 2,
                                                              .contact_names = contact_names},
                                            &r.result),
                     SLIP_OK);
    assert_int_equal(slip_recorder_create(r.ctx, r.result, options, &r.recorder), SLIP_OK);
    r.observer = slip_recorder_observer(r.recorder);
    return r;
}

static void end(recording *r)
{
    slip_recorder_destroy(r->recorder);
    slip_result_destroy(r->result);
    slip_context_destroy(r->ctx);
}

/* ---- Samples. */

static void check_samples_are_the_motion(const slip_result *result)
{
    int64_t count;
    const double *t = slip_result_series(result, "t", &count);
    for (int64_t k = 0; k < count; k++) {
        double q[2], v[2], a[2], force[2];
        motion(t[k], q, v, a);
        forces(t[k], force);
        assert_true(slip_result_series(result, "x", NULL)[k] == q[0]);
        assert_true(slip_result_series(result, "x'", NULL)[k] == v[0]);
        assert_true(slip_result_series(result, "x''", NULL)[k] == a[0]);
        assert_true(slip_result_series(result, "phi", NULL)[k] == q[1]);
        assert_true(slip_result_series(result, "phi''", NULL)[k] == a[1]);
        assert_true(slip_result_series(result, "pad.slip", NULL)[k] == v[0]);
        assert_true(slip_result_series(result, "brake.normal", NULL)[k] == 2);
        assert_true(slip_result_series(result, "brake.force", NULL)[k] == force[1]);
        assert_true(slip_result_series(result, "pad.mode", NULL)[k] == (v[0] > 0 ? 2 : 3));
    }
}

static void samples_are_evenly_spaced(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int round = 0; round < 20; round++) {
        double start = test_random(&seed, -3, 3), every = test_random(&seed, 0.001, 0.4);
        int64_t parts = 1 + (int64_t)test_random(&seed, 0, 300);
        /* In odd rounds the last sample is at the end, up to rounding; else the end comes earlier. */
        double last = round % 2 ? start + (double)parts * every : start + ((double)parts + 0.6) * every;
        slip_recorder_options options = {.every = every, .from = start, .end = last};
        recording r = begin(&options);
        assert_int_equal(send_motion(&r.observer, start, last, 0.3, &seed), SLIP_OK);
        assert_int_equal(r.result->main.count, parts + 1);
        for (int64_t k = 0; k < parts; k++)
            assert_true(slip_series_values(r.result, 0)[k] == start + (double)k * every);
        assert_close(slip_series_values(r.result, 0)[parts], start + (double)parts * every, 1e-12);
        if (round % 2)
            assert_true(slip_series_values(r.result, 0)[parts] == last);
        check_samples_are_the_motion(r.result);
        end(&r);
    }
}

static void points_include_both_ends(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int64_t points = 2; points < 400; points += 37) {
        slip_recorder_options options = {.every = NAN, .points = points, .from = 0.1, .end = 7.3};
        recording r = begin(&options);
        assert_int_equal(send_motion(&r.observer, 0.1, 7.3, 0.5, &seed), SLIP_OK);
        assert_int_equal(r.result->main.count, points);
        assert_true(slip_series_values(r.result, 0)[0] == 0.1);
        assert_true(slip_series_values(r.result, 0)[points - 1] == 7.3);
        for (int64_t k = 0; k < points; k++)
            assert_close(slip_series_values(r.result, 0)[k], 0.1 + 7.2 * (double)k / (double)(points - 1),
                         1e-14);
        check_samples_are_the_motion(r.result);
        end(&r);
    }
}

static void every_step_is_recorded(void **state)
{
    slip_recorder_options options = {.every = NAN, .steps = true, .from = 0, .end = 3};
    recording r = begin(&options);
    (void)state;
    for (int k = 0; k < 6; k++)
        assert_int_equal(send_step(&r.observer, 0.5 * k, 0.5 * (k + 1)), SLIP_OK);
    assert_int_equal(r.result->main.count, 7);
    for (int k = 0; k <= 6; k++)
        assert_true(slip_series_values(r.result, 0)[k] == 0.5 * k);
    check_samples_are_the_motion(r.result);
    end(&r);
}

static void many_steps_grow_the_series(void **state)
{
    slip_recorder_options options = {.every = NAN, .steps = true, .from = 0, .end = 1000};
    recording r = begin(&options);
    (void)state;
    for (int k = 0; k < 20000; k++)
        assert_int_equal(send_step(&r.observer, 0.05 * k, 0.05 * (k + 1)), SLIP_OK);
    assert_int_equal(r.result->main.count, 20001);
    check_samples_are_the_motion(r.result);
    end(&r);
}

static void nothing_is_recorded_before_from(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int round = 0; round < 3; round++) {
        slip_recorder_options options = {.every = round == 0 ? 0.25 : NAN,
                                         .points = round == 1 ? 5 : 0,
                                         .steps = round == 2,
                                         .from = 2,
                                         .end = 3};
        recording r = begin(&options);
        slip_event early = {.time = 0.5, .contact = 1, .from = SLIP_MODE_STICK, .to = SLIP_MODE_SLIP_PLUS};
        assert_int_equal(r.observer.event(r.observer.user, &early), SLIP_OK);
        /* Past the end too: only the span counts. */
        assert_int_equal(send_motion(&r.observer, 0, 3.7, 0.7, &seed), SLIP_OK);
        slip_recorder_finish(r.recorder);
        assert_true(slip_series_values(r.result, 0)[0] == 2);
        assert_true(slip_series_values(r.result, 0)[r.result->main.count - 1] == 3);
        if (round < 2)
            assert_int_equal(r.result->main.count, 5);
        assert_int_equal(slip_result_event_count(r.result), 1);
        assert_int_equal(slip_result_event(r.result, 0)->contact, 1);
        assert_null(slip_result_event(r.result, 1));
        check_samples_are_the_motion(r.result);
        end(&r);
    }
}

static void a_run_that_never_reaches_the_span_has_no_maxima(void **state)
{
    slip_recorder_options options = {.every = 0.1, .from = 5, .end = 6, .steady = true, .period = 1};
    recording r = begin(&options);
    (void)state;
    assert_int_equal(send_step(&r.observer, 0, 1), SLIP_OK);
    slip_recorder_finish(r.recorder);
    assert_int_equal(r.result->main.count, 0);
    assert_true(isnan(r.result->max_q[0]));
    assert_true(isnan(r.result->steady.amplitude[0]));
    assert_true(isnan(r.result->steady.max_force[0]));
    assert_non_null(slip_result_series(r.result, "x", NULL));
    end(&r);
}

static void wrong_options_are_refused(void **state)
{
    slip_recorder_options wrong[] = {
        {.every = NAN, .end = 1},
        {.every = 0.1, .points = 3, .end = 1},
        {.every = 0.1, .steps = true, .end = 1},
        {.every = 0.1, .from = 2, .end = 1},
        {.every = NAN, .points = 3, .end = INFINITY},
        {.every = 0.1, .end = 1, .steady = true, .period = NAN},
    };
    slip_context *ctx = slip_context_create();
    slip_result *result;
    slip_recorder *recorder;
    (void)state;
    slip_result_create_run(
        ctx,
        &(slip_run_names){
            .n = 2, .names = coordinate_names, .contact_count = 2, .contact_names = contact_names},
        &result);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        assert_int_equal(slip_recorder_create(ctx, result, &wrong[k], &recorder), SLIP_ERROR_USAGE);
        assert_null(recorder);
    }
    slip_result_destroy(result);
    slip_result_destroy(NULL);
    slip_recorder_destroy(NULL);
    slip_context_destroy(ctx);
}

static int stop_at_two(void *user, double t, const double *q, const double *v)
{
    (void)q, (void)v;
    ++*(int *)user;
    return t >= 2;
}

static int stop_at_event(void *user, const slip_event *event)
{
    (void)user;
    return event->to == SLIP_MODE_STICK;
}

static void observers_can_stop(void **state)
{
    int seen = 0;
    slip_recorder_options options = {.every = 0.5,
                                     .from = 1,
                                     .end = 3,
                                     .step_observer = stop_at_two,
                                     .event_observer = stop_at_event,
                                     .observer_user = &seen};
    recording r = begin(&options);
    slip_event go = {.time = 0.1, .contact = 0, .from = SLIP_MODE_STICK, .to = SLIP_MODE_SLIP_PLUS};
    slip_event stop = {.time = 0.2, .contact = 0, .from = SLIP_MODE_SLIP_PLUS, .to = SLIP_MODE_STICK};
    (void)state;
    for (int k = 0; k < 4; k++)
        assert_int_equal(send_step(&r.observer, 0.5 * k, 0.5 * (k + 1)), k == 3 ? SLIP_STOPPED : SLIP_OK);
    assert_int_equal(seen, 4);
    assert_int_equal(r.result->main.count, 3); /* 1, 1.5, 2: recorded before the observer is asked */
    assert_int_equal(r.observer.event(r.observer.user, &go), SLIP_OK);
    assert_int_equal(r.observer.event(r.observer.user, &stop), SLIP_STOPPED);
    assert_int_equal(slip_result_event_count(r.result), 2);
    end(&r);
}

/* ---- Maxima: the slow and obvious twin looks at two million points. */

static void largest_by_brute_force(double from, double to, double largest[8])
{
    enum { count = 1000000 };
    for (int k = 0; k < 8; k++)
        largest[k] = 0;
    for (int k = 0; k <= count; k++) {
        double now[8], t = from + (to - from) * k / count;
        motion(t, now, now + 2, now + 4);
        forces(t, now + 6);
        for (int j = 0; j < 8; j++)
            largest[j] = fabs(now[j]) > largest[j] ? fabs(now[j]) : largest[j];
    }
}

static void maxima_are_found_between_samples(void **state)
{
    uint64_t seed = 4;
    (void)state;
    for (int round = 0; round < 6; round++) {
        double from = test_random(&seed, 0, 2), to = from + test_random(&seed, 1, 18), largest[8];
        largest_by_brute_force(from, to, largest);
        for (int again = 0; again < 60; again++) {
            slip_recorder_options options = {
                .every = 10, .from = from, .end = to, .steady = true, .period = 1};
            recording r = begin(&options);
            send_motion(&r.observer, 0, to, again % 2 ? 0.1 : 0.6, &seed);
            slip_recorder_finish(r.recorder);
            for (int i = 0; i < 2; i++) {
                assert_close_relative(r.result->max_q[i], largest[i], 1e-9);
                assert_close_relative(r.result->max_v[i], largest[2 + i], 1e-9);
                assert_close_relative(r.result->max_a[i], largest[4 + i], 1e-9);
                assert_close_relative(r.result->steady.max_force[i], largest[6 + i], 1e-9);
                assert_true(r.result->steady.max_q[i] == r.result->max_q[i]);
            }
            end(&r);
        }
    }
}

/* Accelerations at the ends that are wrong by up to 1e-4, as those of a method's history may be: the largest
 * is still that of the equation, to a hundredth of that, and looking for it costs few samples. */
typedef struct rough_motion {
    double t1, *a1;
    bool rough1;
    int64_t samples;
} rough_motion;

static void rough_sample(const void *self, double t, slip_sample *sample)
{
    rough_motion *rough = (rough_motion *)(uintptr_t)self;
    rough->samples++;
    motion_sample(NULL, t, sample);
    if (t == rough->t1) {
        double q[2], v[2];
        motion(t, q, v, rough->a1);
        rough->rough1 = false;
    }
}

static int64_t send_rough_motion(const slip_observer *observer, rough_motion *rough, double end,
                                 uint64_t *seed)
{
    double q0[2], v0[2], a0[2], q1[2], v1[2], *a1 = rough->a1;
    int64_t steps = 0;
    motion(0, q1, v1, a1);
    rough->rough1 = false;
    for (double t0 = 0; t0 < end; t0 = rough->t1, steps++) {
        slip_step step = {.t0 = t0,
                          .q0 = q0,
                          .v0 = v0,
                          .a0 = a0,
                          .q1 = q1,
                          .v1 = v1,
                          .a1 = a1,
                          .rough0 = rough->rough1,
                          .rough1 = true,
                          .self = rough,
                          .state = motion_state,
                          .sample = rough_sample};
        step.t1 = rough->t1 = fmin(t0 + test_random(seed, 0.001, 0.1), end);
        memcpy(a0, a1, sizeof a0);
        motion(t0, q0, v0, a1);
        motion(rough->t1, q1, v1, a1);
        for (int i = 0; i < 2; i++)
            a1[i] *= 1 + test_random(seed, -1e-4, 1e-4);
        rough->rough1 = true;
        assert_int_equal(observer->step(observer->user, &step), SLIP_OK);
    }
    return steps;
}

static void rough_accelerations_do_not_spoil_maxima(void **state)
{
    uint64_t seed = 11;
    int64_t steps = 0;
    double a1[2];
    rough_motion rough = {.a1 = a1};
    (void)state;
    for (int round = 0; round < 6; round++) {
        double to = test_random(&seed, 1, 18), largest[8];
        largest_by_brute_force(0, to, largest);
        for (int again = 0; again < 60; again++) {
            slip_recorder_options options = {.every = 100, .from = 0, .end = to};
            recording r = begin(&options);
            steps += send_rough_motion(&r.observer, &rough, to, &seed);
            slip_recorder_finish(r.recorder);
            for (int i = 0; i < 2; i++) {
                assert_close_relative(r.result->max_q[i], largest[i], 1e-7);
                assert_close_relative(r.result->max_v[i], largest[2 + i], 1e-5);
                assert_close_relative(r.result->max_a[i], largest[4 + i], 1e-6);
            }
            end(&r);
        }
    }
    assert_true(rough.samples < steps);
}

/* Behind the break of an elliptic law the acceleration goes with the root of time: here a = -1 + t - sqrt(t),
 * with its largest size 1.25 at t = 1/4. */
static void cusp(double t, double *q, double *v, double *a)
{
    *a = -1 + t - sqrt(t);
    *v = 0.2 - t + t * t / 2 - 2.0 / 3 * pow(t, 1.5);
    *q = 0.1 + 0.2 * t - t * t / 2 + t * t * t / 6 - 4.0 / 15 * pow(t, 2.5);
}

static void cusp_state(const void *self, double t, double *q, double *v)
{
    double a;
    (void)self;
    cusp(t, q, v, &a);
}

static void cusp_sample(const void *self, double t, slip_sample *sample)
{
    double q, v, a;
    (void)self;
    cusp(t, &q, &v, &a);
    if (sample->q)
        *sample->q = q;
    if (sample->v)
        *sample->v = v;
    if (sample->a)
        *sample->a = a;
}

static void maxima_are_found_behind_a_cusp(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 8;
    (void)state;
    for (int round = 0; round < 500; round++) {
        slip_recorder_options options = {.every = 1, .from = 0, .end = 0.8};
        slip_result *result;
        slip_recorder *recorder;
        slip_observer observer;
        assert_int_equal(slip_result_create_run(ctx,
                                                &(slip_run_names){.n = 1,
                                                                  .names = coordinate_names,
                                                                  .contact_count = 0,
                                                                  .contact_names = NULL},
                                                &result),
                         SLIP_OK);
        assert_int_equal(slip_recorder_create(ctx, result, &options, &recorder), SLIP_OK);
        observer = slip_recorder_observer(recorder);
        for (double t0 = 0, t1; t0 < 0.8; t0 = t1) {
            double q0, v0, a0, q1, v1, a1;
            slip_step step = {.t0 = t0,
                              .q0 = &q0,
                              .v0 = &v0,
                              .a0 = &a0,
                              .q1 = &q1,
                              .v1 = &v1,
                              .a1 = &a1,
                              .state = cusp_state,
                              .sample = cusp_sample};
            t1 = t0 + test_random(&seed, 0.001, round % 2 ? 0.1 : 0.7);
            step.t1 = t1 = t1 < 0.8 ? t1 : 0.8;
            cusp(t0, &q0, &v0, &a0);
            cusp(t1, &q1, &v1, &a1);
            assert_int_equal(observer.step(observer.user, &step), SLIP_OK);
        }
        slip_recorder_finish(recorder);
        assert_close(result->max_a[0], 1.25, 1.25e-9);
        slip_recorder_destroy(recorder);
        slip_result_destroy(result);
    }
    slip_context_destroy(ctx);
}

static void fundamental_has_amplitude_and_lag(void **state)
{
    /* x has sin t; phi has 1 + 2 cos(1.7 t - 0.5). Whole periods of one are none of the other. */
    const double two_pi = 6.283185307179586;
    uint64_t seed = 5;
    double lag_of_phi = 0.5 - two_pi / 4;
    (void)state;
    for (int round = 0; round < 10; round++) {
        double period = two_pi / 1.7, from = round == 0 ? 0 : test_random(&seed, 0, 40);
        slip_recorder_options options = {
            .every = 1, .from = from, .end = from + 3 * period, .steady = true, .period = period};
        recording r = begin(&options);
        send_motion(&r.observer, from - 1, options.end, 0.9, &seed);
        slip_recorder_finish(r.recorder);
        assert_close(r.result->steady.amplitude[1], 2, 1e-11);
        assert_close(r.result->steady.phase_lag[1], lag_of_phi + two_pi, 1e-11);
        end(&r);

        /* sin t + ... over 10 periods: 3.1 t makes 31 whole turns in them. */
        options = (slip_recorder_options){
            .every = 1, .from = from, .end = from + 10 * two_pi, .steady = true, .period = two_pi};
        r = begin(&options);
        send_motion(&r.observer, from, options.end, 0.5, &seed);
        slip_recorder_finish(r.recorder);
        assert_close(r.result->steady.amplitude[0], 1, 1e-11);
        assert_close(sin(r.result->steady.phase_lag[0]), 0, 1e-11);
        assert_in_range((int)(r.result->steady.phase_lag[0] * 1000), 0, 6284);
        end(&r);
    }
}

/* A step of the kind that a run has a million of. */
static void a_step_costs_little(void **state)
{
    enum { count = 300000 };
    slip_recorder_options options = {.every = 1e9, .from = 0, .end = 1e9};
    recording r = begin(&options);
    double q[2] = {0.5, 0.5}, v[2] = {0.1, 0.1}, a[2] = {0.1, -0.1}, end_q[2], end_v[2];
    slip_step step = {.t1 = 0.01,
                      .q0 = q,
                      .v0 = v,
                      .a0 = a,
                      .q1 = end_q,
                      .v1 = end_v,
                      .a1 = a,
                      .state = motion_state,
                      .sample = motion_sample};
    clock_t start;
    double nanoseconds;
    (void)state;
    for (int i = 0; i < 2; i++) {
        end_q[i] = q[i] + 0.01 * v[i];
        end_v[i] = v[i] + 0.01 * a[i];
    }
    send_step(&r.observer, 0, 6);
    step.t0 = 6, step.t1 = 6.01;
    start = clock();
    for (int k = 0; k < count; k++)
        r.observer.step(r.observer.user, &step);
    nanoseconds = (double)(clock() - start) / CLOCKS_PER_SEC / count * 1e9;
    print_message("recorder: %.1f ns a step of 2 coordinates\n", nanoseconds);
    assert_true(nanoseconds < 1000); /* only an accident is that slow, also under sanitizers */
    end(&r);
}

/* ---- Summary and folder. */

static slip_result *example(slip_context *ctx)
{
    slip_recorder_options options = {
        .every = 0.01, .from = 0, .end = 2 * 6.283185307179586, .steady = true, .period = 6.283185307179586};
    slip_event events[] = {{1.0 / 3, 0, SLIP_MODE_SLIP_PLUS, SLIP_MODE_STICK},
                           {2.0 / 3, 0, SLIP_MODE_STICK, SLIP_MODE_SLIP_MINUS},
                           {0.7, 1, SLIP_MODE_OPEN, SLIP_MODE_CLOSED},
                           {0.8, 0, SLIP_MODE_SLIP_PLUS, SLIP_MODE_STICK}};
    slip_result *result;
    slip_recorder *recorder;
    slip_observer observer;
    uint64_t seed = 6;
    slip_result_create_run(
        ctx,
        &(slip_run_names){
            .n = 2, .names = coordinate_names, .contact_count = 2, .contact_names = contact_names},
        &result);
    slip_recorder_create(ctx, result, &options, &recorder);
    observer = slip_recorder_observer(recorder);
    send_motion(&observer, 0, options.end, 0.2, &seed);
    for (int k = 0; k < 4; k++)
        observer.event(observer.user, &events[k]);
    slip_recorder_finish(recorder);
    slip_recorder_destroy(recorder);
    result->method = "smooth";
    result->title = slip_arena_string(&result->arena, "A title");
    result->model_text = slip_arena_string(&result->arena, "slipstick: 1\n# \xc3\xa9\n");
    result->counters.steps = 1234567890123;
    result->counters.evaluations = 42;
    result->final_t = options.end;
    motion(options.end, result->final_q, result->final_v, (double[2]){0});
    result->steady.asked = result->steady.settled = true;
    result->steady.forcing_period = options.period / 3;
    result->steady.multiple = 3;
    result->steady.periods_run = 17;
    result->steady.last_change = 1e-9;
    result->steady.error = 3e-9;
    result->wall_seconds = 0.25;
    return result;
}

static void summary_has_the_keys(void **state)
{
    static const char *const numbers[] = {"steps",
                                          "evaluations",
                                          "events.total",
                                          "final.t",
                                          "final.x",
                                          "final.x'",
                                          "final.phi",
                                          "final.phi'",
                                          "max.x",
                                          "max.x'",
                                          "max.x''",
                                          "max.phi''",
                                          "steady.period",
                                          "steady.multiple",
                                          "steady.periods_run",
                                          "steady.last_change",
                                          "steady.error",
                                          "steady.max.x",
                                          "steady.max.x'",
                                          "steady.max.x''",
                                          "steady.max.force.pad",
                                          "steady.max.force.brake",
                                          "steady.amplitude.x",
                                          "steady.phase_lag.phi",
                                          "wall_seconds"};
    slip_context *ctx = slip_context_create();
    slip_result *result = example(ctx), *unwritten = example(ctx);
    slip_arena arena = {0};
    const slip_json *json;
    const char *text = slip_result_summary(ctx, result);
    (void)state;
    assert_int_equal(slip_json_parse(ctx, &arena, "summary", text, strlen(text), &json), SLIP_OK);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        const slip_json *found = slip_json_find_path(json, numbers[k]);
        assert_non_null(found);
        assert_int_equal(found->type, SLIP_JSON_NUMBER);
        assert_true(found->number == slip_result_number(result, numbers[k]));
        assert_true(found->number == slip_result_number(unwritten, numbers[k]));
    }
    slip_result_destroy(unwritten);
    assert_string_equal(slip_json_find(json, "method")->string, "smooth");
    assert_true(slip_json_find_path(json, "steady.settled")->number == 1);
    assert_true(slip_result_number(result, "steps") == 1234567890123);
    assert_true(slip_result_number(result, "events.total") == 4);
    assert_true(slip_result_number(result, "events.contacts.pad.slip+>stick") == 2);
    assert_true(slip_result_number(result, "events.contacts.pad.stick>slip-") == 1);
    assert_true(slip_result_number(result, "events.contacts.brake.open>closed") == 1);
    assert_close(slip_result_number(result, "steady.period"), 6.283185307179586, 1e-14);
    assert_true(isnan(slip_result_number(result, "steady.max.force.none")));
    assert_true(isnan(slip_result_number(result, "final")));
    assert_true(isnan(slip_result_number(result, "")));
    assert_null(slip_json_find(json, "ended"));
    slip_arena_free(&arena);
    slip_result_destroy(result);
    slip_context_destroy(ctx);
}

/* A method that solves the contact laws tells its residual, also zero; another one only if it has one. */
static void residual_is_told_and_comes_back(void **state)
{
    static const struct {
        const char *method;
        double residual;
        bool judged, told;
    } cases[] = {{"smooth", 0, false, false},
                 {"smooth", 2e-15, false, true},
                 {"moreau", 0, true, true},
                 {"midpoint", 3e-12, true, true}};
    slip_context *ctx = slip_context_create();
    char folder[test_path_size];
    (void)state;
    test_folder_make(folder);
    for (int k = 0; k < 4; k++) {
        slip_result *result = example(ctx), *back;
        result->method = cases[k].method;
        result->counters.residual = cases[k].residual;
        result->judged = cases[k].judged;
        assert_true(isnan(slip_result_number(result, "residual")) != cases[k].told);
        assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
        assert_int_equal(slip_result_load(ctx, folder, &back), SLIP_OK);
        assert_true(cases[k].told ? slip_result_number(back, "residual") == cases[k].residual
                                  : isnan(slip_result_number(back, "residual")));
        slip_result_destroy(result);
        slip_result_destroy(back);
    }
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

static void an_early_end_is_told(void **state)
{
    static const int statuses[] = {SLIP_ERROR_SOLVER, SLIP_INTERRUPTED, SLIP_STOPPED};
    static const char *const words[] = {"solver", "interrupted", "stopped"};
    slip_context *ctx = slip_context_create();
    char folder[test_path_size];
    (void)state;
    test_folder_make(folder);
    for (int k = 0; k < 3; k++) {
        slip_result *result = example(ctx), *back;
        result->status = statuses[k];
        result->message = slip_arena_string(&result->arena, "pad, t = 1: \"try\" a smaller step");
        result->steady.settled = false;
        assert_string_equal(slip_result_text(result, "ended"), words[k]);
        assert_true(isnan(slip_result_number(result, "steady.period")));
        assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
        assert_int_equal(slip_result_load(ctx, folder, &back), SLIP_OK);
        assert_string_equal(slip_result_text(back, "ended"), words[k]);
        assert_string_equal(slip_result_text(back, "message"), result->message);
        slip_result_destroy(result);
        slip_result_destroy(back);
    }
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

static void folder_comes_back_bit_for_bit(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_result *result = example(ctx), *back;
    char folder[test_path_size], inner[test_path_size];
    (void)state;
    test_folder_make(folder);
    test_path(inner, folder, "new/run");
    assert_int_equal(slip_result_save(ctx, result, inner), SLIP_OK);
    assert_int_equal(test_folder_count(inner), 4);
    assert_int_equal(slip_result_load(ctx, inner, &back), SLIP_OK);
    assert_int_equal(slip_result_series_count(back), slip_result_series_count(result));
    assert_int_equal(back->main.count, result->main.count);
    for (int k = 0; k < result->main.column_count; k++) {
        assert_string_equal(slip_result_series_name(back, k), slip_result_series_name(result, k));
        assert_memory_equal(slip_series_values(back, k), slip_series_values(result, k),
                            (size_t)result->main.count * sizeof(double));
    }
    assert_int_equal(back->event_count, result->event_count);
    for (int64_t k = 0; k < back->event_count; k++) {
        const slip_event *a = slip_result_event(back, k), *b = slip_result_event(result, k);
        assert_true(a->time == b->time && a->contact == b->contact && a->from == b->from && a->to == b->to);
    }
    assert_string_equal(slip_result_summary(ctx, back), slip_result_summary(ctx, result));
    assert_string_equal(back->model_text, result->model_text);
    assert_string_equal(back->title, "A title");
    assert_string_equal(back->method, "smooth");
    slip_result_destroy(back);
    slip_result_destroy(result);
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

static void empty_result_comes_back(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_result *result, *back;
    char folder[test_path_size];
    (void)state;
    test_folder_make(folder);
    slip_result_create_run(
        ctx, &(slip_run_names){.n = 1, .names = coordinate_names, .contact_count = 0, .contact_names = NULL},
        &result);
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    assert_int_equal(slip_result_load(ctx, folder, &back), SLIP_OK);
    assert_int_equal(back->n, 1);
    assert_int_equal(back->contact_count, 0);
    assert_int_equal(back->main.count, 0);
    assert_null(back->model_text);
    slip_result_destroy(back);
    slip_result_destroy(result);
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

/* What an earlier run left must not pass for the new one; what is not ours stays. */
static void saving_clears_what_an_earlier_run_left(void **state)
{
    static const char *const stale[] = {"plot.gp", "plot.dat", "history.png", "phase.svg", "result.mat"};
    slip_context *ctx = slip_context_create();
    slip_result *result = example(ctx);
    char folder[test_path_size], path[test_path_size];
    (void)state;
    test_folder_make(folder);
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    for (int k = 0; k < 5; k++) {
        slip_file_write(ctx, test_path(path, folder, stale[k]), "old", 3);
        assert_int_equal(slip_staging_note(ctx, folder, stale[k]), SLIP_OK);
    }
    slip_file_write(ctx, test_path(path, folder, "notes.txt"), "mine", 4);
    assert_int_equal(slip_staging_note(ctx, folder, "../notes.txt"), SLIP_OK); /* nothing of ours */
    result->model_text = NULL;
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    for (int k = 0; k < 5; k++)
        assert_int_equal(test_file_size(folder, stale[k]), -1);
    assert_int_equal(test_file_size(folder, "model.yaml"), -1);
    assert_int_equal(test_file_size(folder, "notes.txt"), 4);
    slip_result_destroy(result);
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

static void check_load_fails(slip_context *ctx, const char *folder, const char *first, const char *second)
{
    slip_result *back;
    assert_int_equal(slip_result_load(ctx, folder, &back), SLIP_ERROR_IO);
    assert_null(back);
    if (!strstr(slip_context_message(ctx), first) || !strstr(slip_context_message(ctx), second)) {
        print_error("message: %s\n", slip_context_message(ctx));
        fail();
    }
}

static void broken_folders_are_told_apart(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_result *result = example(ctx);
    slip_text whole = {0};
    char folder[test_path_size], path[test_path_size];
    (void)state;
    test_folder_make(folder);
    check_load_fails(ctx, test_path(path, folder, "none"), "No such file", path);
    slip_file_write(ctx, test_path(path, folder, "file"), "x", 1);
    check_load_fails(ctx, path, "is a file", "expected a run folder");
    check_load_fails(ctx, folder, "not a complete run folder", "result.h5");

    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    test_path(path, folder, "result.h5");
    assert_int_equal(slip_file_read(ctx, path, 1 << 30, &whole), SLIP_OK);
    for (size_t part = 0; part < 10; part++) {
        assert_int_equal(slip_file_write(ctx, path, whole.data, whole.length * part / 10), SLIP_OK);
        check_load_fails(ctx, folder, "result.h5", "HDF5");
    }
    slip_text_free(&whole);

    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    test_path(path, folder, "summary.json");
    slip_file_write(ctx, path, "{\"method\"", 9);
    check_load_fails(ctx, folder, "summary.json:1:10", "':'");
    slip_file_write(ctx, path, "[]", 2);
    check_load_fails(ctx, folder, "summary.json", "expected an object");
    unlink(path);
    check_load_fails(ctx, folder, "not a complete run folder", "summary.json");
    slip_result_destroy(result);
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

/* A file of the run cannot be put in place: the earlier one stays as it was, and there are no rests of files.
 */
static void failed_save_keeps_what_was_there(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_result *result = example(ctx);
    slip_result *back = NULL;
    char folder[test_path_size], path[test_path_size], aside[test_path_size];
    (void)state;
    test_folder_make(folder);
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_OK);
    test_path(path, folder, "events.csv");
    snprintf(aside, sizeof aside, "%.400s.csv", folder);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(slip_folder_create(ctx, path), SLIP_OK);
    assert_int_equal(slip_result_save(ctx, result, folder), SLIP_ERROR_IO);
    assert_non_null(strstr(slip_context_message(ctx), path));
    assert_int_equal(test_folder_count(folder), 4);
    assert_true(rmdir(path) == 0 && rename(aside, path) == 0);
    assert_int_equal(slip_result_load(ctx, folder, &back), SLIP_OK);
    assert_string_equal(slip_result_summary(ctx, back), slip_result_summary(ctx, result));
    slip_result_destroy(back);
    slip_result_destroy(result);
    test_folder_remove(folder);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_evenly_spaced),
        cmocka_unit_test(points_include_both_ends),
        cmocka_unit_test(every_step_is_recorded),
        cmocka_unit_test(many_steps_grow_the_series),
        cmocka_unit_test(nothing_is_recorded_before_from),
        cmocka_unit_test(a_run_that_never_reaches_the_span_has_no_maxima),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(observers_can_stop),
        cmocka_unit_test(maxima_are_found_between_samples),
        cmocka_unit_test_of_numbers(rough_accelerations_do_not_spoil_maxima),
        cmocka_unit_test(maxima_are_found_behind_a_cusp),
        cmocka_unit_test(fundamental_has_amplitude_and_lag),
        cmocka_unit_test(a_step_costs_little),
        cmocka_unit_test(summary_has_the_keys),
        cmocka_unit_test(residual_is_told_and_comes_back),
        cmocka_unit_test(an_early_end_is_told),
        cmocka_unit_test(folder_comes_back_bit_for_bit),
        cmocka_unit_test(empty_result_comes_back),
        cmocka_unit_test(saving_clears_what_an_earlier_run_left),
        cmocka_unit_test(broken_folders_are_told_apart),
        cmocka_unit_test(failed_save_keeps_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
