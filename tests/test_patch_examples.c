/* The examples with contact areas: against the reference values, against the equations integrated here in
 * another way, and against the limit surface. */
#include "slipstick/slipstick.h"
#include "test.h"

#include <string.h>

typedef struct example {
    slip_context *ctx;
    slip_model *model;
    slip_result *result;
    const slip_patch *patch;
} example;

static example run_with(const char *name, const char *const *settings)
{
    example e = {.ctx = slip_context_create()};
    int status = slip_model_parse(e.ctx, slip_example_text(name), name, settings, &e.model);
    if (status >= 0)
        status = slip_run(e.ctx, e.model, NULL, &e.result);
    if (status != SLIP_OK) {
        print_error("%s: %s\n", name, slip_context_message(e.ctx));
        fail();
    }
    e.patch = slip_model_patch(e.model, 0);
    assert_non_null(e.patch);
    return e;
}

static void finish(example *e)
{
    slip_result_destroy(e->result);
    slip_model_destroy(e->model);
    slip_context_destroy(e->ctx);
}

static const double *series(const example *e, const char *name, int64_t *count)
{
    const double *found = slip_result_series(e->result, name, count);
    assert_non_null(found);
    return found;
}

static double final(const example *e, const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "final.%s", name);
    return slip_result_number(e->result, path);
}

/* ---- disk on a belt ---- */

static void the_disk_slips_when_the_reference_says(void **state)
{
    static const char *const settings[] = {"simulate.time=[0, 300]", NULL};
    static const double durations[] = {102.4451912, 5.735156901, 131.6130058, 17.76819463};
    example e = run_with("disk-on-belt", settings);
    double last = 0;
    (void)state;
    assert_int_equal(slip_result_event_count(e.result), 4);
    for (int k = 0; k < 4; k++) {
        const slip_event *event = slip_result_event(e.result, k);
        assert_int_equal(event->to, k % 2 == 0 ? SLIP_MODE_SLIP : SLIP_MODE_STICK);
        assert_close(event->time - last, durations[k], 1e-6);
        last = event->time;
    }
    assert_close(final(&e, "phi"), -0.632200664899, 1e-6);
    finish(&e);
}

/* ---- bodies that come to rest ---- */

/* A free body on one area, T from the integrals themselves. With dt = (|v| + size |w|) ds it comes to rest
 * for s to infinity, exponentially: no end to be located. */
typedef struct body {
    const slip_patch *patch;
    double deceleration, inertia_ratio, size; /* mu g, mass/inertia */
} body;

typedef struct motion {
    double t, x, y, phi, vx, vy, w;
} motion;

static motion rate(const body *b, const motion *m)
{
    double c = cos(m->phi), s = sin(m->phi), speed = hypot(m->vx, m->vy) + b->size * fabs(m->w), T[3];
    const double slip[3] = {c * m->vx + s * m->vy, c * m->vy - s * m->vx, m->w};
    slip_patch_integral(b->patch, slip, T, NULL);
    return (motion){.t = speed,
                    .x = speed * m->vx,
                    .y = speed * m->vy,
                    .phi = speed * m->w,
                    .vx = -speed * b->deceleration * (c * T[0] - s * T[1]),
                    .vy = -speed * b->deceleration * (s * T[0] + c * T[1]),
                    .w = -speed * b->deceleration * b->inertia_ratio * T[2]};
}

static motion plus(const motion *m, const motion *r, double h)
{
    motion sum;
    const double *a = &m->t, *b = &r->t;
    double *to = &sum.t;
    for (int k = 0; k < 7; k++)
        to[k] = a[k] + h * b[k];
    return sum;
}

static motion come_to_rest(const body *b, motion m, double h, int steps)
{
    for (int i = 0; i < steps; i++) {
        motion k1 = rate(b, &m), m2 = plus(&m, &k1, h / 2), k2 = rate(b, &m2), m3 = plus(&m, &k2, h / 2),
               k3 = rate(b, &m3), m4 = plus(&m, &k3, h), k4 = rate(b, &m4);
        m = plus(&m, &k1, h / 6);
        m = plus(&m, &k2, h / 3);
        m = plus(&m, &k3, h / 3);
        m = plus(&m, &k4, h / 6);
    }
    return m;
}

static void expect_rest(const example *e, const motion *wanted, double tolerance)
{
    const slip_event *event = slip_result_event(e->result, 0);
    assert_int_equal(slip_result_event_count(e->result), 1);
    assert_int_equal(event->from, SLIP_MODE_SLIP);
    assert_int_equal(event->to, SLIP_MODE_STICK);
    assert_close(event->time, wanted->t, tolerance);
    assert_close(final(e, "x"), wanted->x, tolerance);
    assert_close(final(e, "y"), wanted->y, tolerance);
    assert_close(final(e, "phi"), wanted->phi, 20 * tolerance);
    assert_true(final(e, "x'") == 0 && final(e, "y'") == 0 && final(e, "phi'") == 0);
}

/* Shortly before the end it still does both: neither has ended before the other. */
static void expect_both_until_the_end(const example *e, const char *contact)
{
    int64_t count;
    char name[40];
    const double *t = series(e, "t", &count), end = slip_result_event(e->result, 0)->time;
    snprintf(name, sizeof name, "%s.slip_x", contact);
    const double *x = series(e, name, NULL);
    snprintf(name, sizeof name, "%s.slip_y", contact);
    const double *y = series(e, name, NULL);
    snprintf(name, sizeof name, "%s.spin", contact);
    const double *spin = series(e, name, NULL);
    for (int64_t i = 0; i < count; i++) {
        assert_true(t[i] >= end || (hypot(x[i], y[i]) > 0 && spin[i] > 0));
        /* the state before the event is still that of slip, of next to none */
        const double most = t[i] == end && i + 1 < count && t[i + 1] == end ? 1e-9 : 0;
        assert_true(t[i] < end || (hypot(x[i], y[i]) <= most && fabs(spin[i]) <= most));
    }
}

static void the_curling_stone_stops_sliding_and_spinning_at_once(void **state)
{
    static const char *const straight[] = {"w0=0", NULL};
    const double mu_g = 0.011 * 9.81;
    example e = run_with("curling-stone", NULL), other = run_with("curling-stone", straight);
    body stone = {e.patch, mu_g, 1 / (0.145 * 0.145 / 2), 0.066};
    motion rest = come_to_rest(&stone, (motion){.vx = 2.2, .w = 1.5}, 0.03, 25000);
    (void)state;
    assert_true(rest.vx < 1e-9 && rest.w < 1e-9);
    expect_rest(&e, &rest, 2e-6);
    expect_both_until_the_end(&e, "ring");
    assert_close(slip_result_event(other.result, 0)->time, 2.2 / mu_g, 1e-7);
    assert_close(final(&other, "x"), 2.2 * 2.2 / (2 * mu_g), 1e-7);
    assert_true(final(&e, "x") > final(&other, "x"));
    finish(&e);
    finish(&other);
}

static void the_spinning_block_stops_sliding_and_spinning_at_once(void **state)
{
    static const char *const straight[] = {"w0=0", NULL};
    example e = run_with("spinning-block", NULL), other = run_with("spinning-block", straight);
    body block = {e.patch, 0.5 * 9.81, 12 / (0.2 * 0.2 + 0.1 * 0.1), 0.1};
    motion rest = come_to_rest(&block, (motion){.vx = 1, .w = 20}, 0.002, 8000);
    (void)state;
    assert_true(rest.vx < 1e-9 && rest.w < 1e-9);
    expect_rest(&e, &rest, 1e-8);
    expect_both_until_the_end(&e, "floor");
    assert_close(slip_result_event(other.result, 0)->time, 1 / (0.5 * 9.81), 1e-9);
    finish(&e);
    finish(&other);
}

/* ---- brake pad ---- */

/* In slip the force is on the limit surface, in stick within 1.3 times of it; stick ends there. */
static void the_brake_pad_sticks_within_its_limit_surface(void **state)
{
    example e = run_with("brake-pad", NULL);
    int64_t count;
    const double *mode = series(&e, "pad.mode", &count), *fx = series(&e, "pad.force_x", NULL),
                 *fy = series(&e, "pad.force_y", NULL), *moment = series(&e, "pad.moment", NULL);
    const double strength = 0.35 * 4000;
    double largest = 0;
    int sticking = 0;
    (void)state;
    for (int64_t i = 0; i < count; i++) {
        const double load[3] = {-fx[i] / strength, -fy[i] / strength, -moment[i] / strength};
        double ratio, direction[3];
        assert_int_equal(slip_patch_limit(e.ctx, e.patch, load, &ratio, direction), SLIP_OK);
        if (mode[i] == SLIP_MODE_SLIP) {
            assert_close(ratio, 1, 1e-8);
            continue;
        }
        sticking++;
        largest = fmax(largest, ratio);
    }
    assert_true(sticking > 500 && sticking < count - 500);
    assert_true(largest <= 1.3 + 1e-9 && largest > 1.25);
    assert_true(slip_result_event_count(e.result) > 50);
    finish(&e);
}

static void the_fast_brake_pad_slides_steadily(void **state)
{
    static const char *const settings[] = {"w=20", "simulate.time=[0, 1]", NULL};
    example e = run_with("brake-pad", settings);
    const double w = 20, x = final(&e, "x"), y = final(&e, "y"), phi = final(&e, "phi");
    const double slip[3] = {w * y, -w * (0.11 + x), -w};
    double T[3];
    (void)state;
    slip_patch_evaluate(e.patch, slip, T, NULL);
    assert_int_equal(slip_result_event_count(e.result), 0);
    assert_close(2e6 * x, -0.35 * 4000 * T[0], 1e-4);
    assert_close(1e6 * y, -0.35 * 4000 * T[1], 1e-4);
    assert_close(800 * phi, -0.35 * 4000 * T[2], 1e-5);
    assert_close(y, 1.4075e-3, 5e-8); /* what the example says */
    finish(&e);
}

static double steps_on_the_belt(const char *ratio, const char *tolerance, int events)
{
    const char *const settings[] = {ratio, "simulate.time=[0, 1000]", tolerance, NULL};
    example e = run_with("disk-on-belt", settings);
    double steps = slip_result_number(e.result, "steps");
    assert_int_equal(slip_result_number(e.result, "events.total"), events);
    finish(&e);
    return steps;
}

/* A looser tolerance does not cost more: slip that decays next to a stiff direction is left to implicit
 * steps, also where a long step came near rest early. */
static void looser_tolerances_take_fewer_steps(void **state)
{
    static const char *const tolerances[] = {"simulate.tolerance=1e-3", "simulate.tolerance=1e-4",
                                             "simulate.tolerance=1e-6", "simulate.tolerance=1e-8"};
    double before = 0;
    (void)state;
    for (int k = 0; k < 4; k++) {
        double steps = steps_on_the_belt("contacts.pad.law.static_ratio=2.7", tolerances[k], 32);
        assert_true(steps > before && steps < 2500);
        before = steps;
        assert_true(steps_on_the_belt("contacts.pad.law.static_ratio=4.98", tolerances[k], 14) < 1500);
    }
}

/* A file that names a step says that it is for fixed-step methods too. */
static void steps_are_named_for_methods_that_run(void **state)
{
    static const char *const names[] = {"disk-on-belt", "curling-stone", "spinning-block", "brake-pad"};
    static const char *const settings[] = {"simulate.method=moreau", "simulate.time=[0, 0.01]", NULL};
    int steps_named = 0;
    (void)state;
    for (int k = 0; k < 4; k++) {
        if (!strstr(slip_example_text(names[k]), "\n  step:"))
            continue;
        example e = run_with(names[k], settings);
        assert_close(final(&e, "t"), 0.01, 0);
        finish(&e);
        steps_named++;
    }
    assert_int_equal(steps_named, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_slips_when_the_reference_says),
        cmocka_unit_test(the_curling_stone_stops_sliding_and_spinning_at_once),
        cmocka_unit_test(the_spinning_block_stops_sliding_and_spinning_at_once),
        cmocka_unit_test(the_brake_pad_sticks_within_its_limit_surface),
        cmocka_unit_test(the_fast_brake_pad_slides_steadily),
        cmocka_unit_test(steps_are_named_for_methods_that_run),
        cmocka_unit_test(looser_tolerances_take_fewer_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
