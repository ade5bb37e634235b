/* The method rk4: balances of whole runs, reductions against each other and against the nonlinear finite
 * element model, what is refused. */
#include "gear_test.h"

#include <string.h>

static gear_fixture fixture;
static const double penalty = 1e9;

static int set_up(void **state)
{
    (void)state;
    gear_fixture_make(&fixture);
    return 0;
}

/* Runs that several tests look at, made when they are first asked for. */
static slip_result *kept[4];
static const char *const reductions[] = {"none", "all", "switch", "switch_teeth"};

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        slip_result_destroy(kept[i]);
    gear_fixture_free(&fixture);
    return 0;
}

static slip_result *run(const slip_gear_run_options *o)
{
    slip_result *r = NULL;
    if (slip_gear_run(fixture.ctx, fixture.gears, fixture.bodies, o, &r) < 0)
        fail_msg("%s", slip_context_message(fixture.ctx));
    return r;
}

static slip_result *run_impact(const char *reduction, double stiffness, int modes)
{
    slip_gear_run_options o = gear_impact(reduction, stiffness);
    o.side[0].modes = o.side[1].modes = modes;
    return run(&o);
}

static const slip_result *impact_with(const char *reduction)
{
    int i = 0;
    while (strcmp(reductions[i], reduction) != 0)
        i++;
    if (!kept[i])
        kept[i] = run_impact(reduction, penalty, -1);
    return kept[i];
}

static double number(const slip_result *r, const char *name)
{
    return slip_result_number(r, name);
}

/* The force at a time, linear between samples. */
static double force_at(const slip_result *r, double time)
{
    int64_t count, i = 1;
    const double *t = slip_result_series(r, "t", &count), *f = slip_result_series(r, "force", NULL);
    while (i < count - 1 && t[i] < time)
        i++;
    return f[i - 1] + (f[i] - f[i - 1]) * (time - t[i - 1]) / (t[i] - t[i - 1]);
}

typedef struct distance {
    double square, largest; /* root of the mean square over that of the force; over the peak */
} distance;

static distance compare(const slip_result *r, const slip_result *reference, double from)
{
    int64_t count;
    const double *t = slip_result_series(reference, "t", &count);
    const double *f = slip_result_series(reference, "force", NULL);
    double sum = 0, all = 0;
    distance d = {0};
    for (int64_t i = 0; i < count; i++) {
        double off = force_at(r, t[i]) - f[i];
        if (t[i] < from)
            continue;
        sum += off * off;
        all += f[i] * f[i];
        d.largest = fmax(d.largest, fabs(off) / number(reference, "peak_force"));
    }
    d.square = sqrt(sum / all);
    return d;
}

static void check_balance(const slip_result *r, double tolerance)
{
    assert_true(number(r, "energy.drift") < tolerance);
    assert_true(number(r, "momentum.pinion") < 1e-11);
    assert_true(number(r, "momentum.wheel") < 1e-11);
    assert_true(number(r, "peak_force") > 10);
    gear_check_contact(r, 1e-15);
}

/* ---- At rest. */

/* The pinion is held, the wheel has a torque: it stays where it is, with the force that condensed gears have.
 */
static void starts_in_equilibrium(void **state)
{
    (void)state;
    double force = 0;
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"condensed", "all", "switch", "none"};
        slip_gear_run_options o = gear_impact(names[i], penalty);
        o.initial = "static";
        o.side[0].speed = 0;
        o.side[0].driven = 1;
        o.side[1].torque = 20;
        o.step = i > 0 ? 4e-8 : 0;
        o.time = 4e-6;
        slip_result *r = run(&o);
        int64_t count;
        const double *moment = slip_result_series(r, "wheel.moment", &count),
                     *speed = slip_result_series(r, "wheel.speed", NULL);
        for (int64_t k = 0; k < count; k++) {
            assert_close_relative(moment[k], -20.0, 1e-7);
            assert_true(fabs(speed[k]) < 1e-6);
        }
        if (i == 0)
            force = slip_result_series(r, "force", NULL)[0];
        else if (i < 3)
            assert_close_relative(slip_result_series(r, "force", NULL)[0], force, 1e-6);
        assert_true(number(r, "energy.drift") < 1e-9);
        slip_result_destroy(r);
    }
}

/* ---- Balances. */

static void every_reduction_balances(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const slip_result *r = impact_with(reductions[i]);
        check_balance(r, 1e-5);
        assert_true(number(r, "steps") == 2000 && number(r, "evaluations") >= 8000);
        assert_int_equal(number(r, "switches") > 0, i > 0);
        assert_true(number(r, "energy.switching") < 1e-3 * number(r, "energy.start"));
    }
}

/* Different reductions of the two gears, one pass, the other flanks, torques, a drive and friction. */
static void unusual_runs_balance(void **state)
{
    (void)state;
    slip_law law = slip_law_default("tanh");
    slip_gear_run_options o = gear_impact("switch", penalty);
    law.mu = 0.3;
    law.velocity = 0.1;
    o.side[0].reduction = "all";
    o.side[0].speed = -5;
    o.two_pass = 1;
    o.phase = 0.4;
    o.friction = &law;
    o.step = 1e-8;
    slip_result *r = run(&o);
    check_balance(r, 1e-4);
    int64_t count;
    const double *lost = slip_result_series(r, "lost", &count);
    assert_true(lost[count - 1] > 0.005 * number(r, "energy.start"));
    for (int64_t i = 1; i < count; i++)
        assert_true(lost[i] >= lost[i - 1] - 1e-12);
    slip_result_destroy(r);
    o = gear_impact("switch", penalty);
    o.side[0].driven = 1;
    o.side[1].torque = 5;
    o.side[1].inertia = 1e-4;
    r = run(&o);
    check_balance(r, 1e-5);
    const double *speed = slip_result_series(r, "pinion.speed", &count);
    const double *work = slip_result_series(r, "work", NULL);
    for (int64_t i = 0; i < count; i++)
        assert_close(speed[i], 5, 0);
    assert_true(work[count - 1] > 0.1 * number(r, "energy.start")); /* the drive pushes */
    slip_result_destroy(r);
}

/* The mirror image of a run is the same run on the other flanks. */
static void left_and_right_are_alike(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        slip_gear_run_options o = gear_impact(i ? "switch" : "all", penalty);
        const slip_result *left = impact_with(o.side[0].reduction);
        o.side[0].speed = -5;
        slip_result *right = run(&o);
        assert_true(compare(left, right, 0).largest < 1e-6);
        assert_close(number(left, "final.wheel.speed"), -number(right, "final.wheel.speed"), 1e-5);
        slip_result_destroy(right);
    }
}

/* ---- Reductions. */

static void against_the_nonlinear_model(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("none", penalty);
    o.method = "explicit";
    o.step = 0;
    o.samples = 201;
    slip_result *reference = run(&o), *alone = run_impact("none", penalty, 20);
    for (int i = 1; i < 4; i++) {
        const slip_result *r = impact_with(reductions[i]);
        assert_close_relative(number(r, "peak_force"), number(reference, "peak_force"), 0.03);
        assert_close_relative(number(r, "contact_time"), number(reference, "contact_time"), 0.02);
        assert_true(compare(r, reference, 0).square < 0.05);
    }
    assert_true(compare(alone, reference, 0).square > 0.3);
    assert_true(number(alone, "peak_force") > 1.3 * number(reference, "peak_force"));
    slip_result_destroy(alone);
    slip_result_destroy(reference);
}

/* Also with few eigenmodes, where the nodes in contact by themselves would have too little of the motion of
 * their teeth: then switching was 22 % of the peak off. */
static void switching_equals_all(void **state)
{
    (void)state;
    for (int few = 0; few < 2; few++) {
        slip_result *all = run_impact("all", penalty, few ? 10 : -1),
                    *some = run_impact("switch", penalty, few ? 10 : -1),
                    *teeth = run_impact("switch_teeth", penalty, few ? 10 : -1);
        assert_true(compare(some, all, 0).largest < 5e-3);
        assert_true(compare(some, all, 0).square < 1e-3);
        assert_true(compare(some, all, 1e-5).largest < 2e-4);
        assert_true(compare(teeth, all, 0).largest < 1e-3);
        assert_close_relative(number(some, "peak_force"), number(all, "peak_force"), 1e-3);
        assert_close_relative(number(some, "contact_time"), number(all, "contact_time"), 1e-3);
        assert_true(number(some, "energy.switching") < 3e-5 * number(some, "energy.start"));
        slip_result_destroy(all);
        slip_result_destroy(some);
        slip_result_destroy(teeth);
    }
}

/* What the modes in use leave out is in the attachment vectors: with fewer modes nearly the same. */
static void fewer_modes_with_residuals(void **state)
{
    (void)state;
    const slip_result *many = impact_with("all"), *alone = impact_with("none");
    slip_result *fewer = run_impact("all", penalty, 40), *few = run_impact("none", penalty, 40);
    assert_true(compare(fewer, many, 0).square < 0.04);
    assert_close_relative(number(fewer, "peak_force"), number(many, "peak_force"), 0.03);
    assert_true(compare(few, alone, 0).square > 4 * compare(fewer, many, 0).square);
    slip_result_destroy(fewer);
    slip_result_destroy(few);
}

/* With attachment vectors a penalty that is high enough no longer matters, without them it always does. */
static void penalty_matters_to_modes_alone(void **state)
{
    (void)state;
    slip_result *r[2];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++)
            r[k] = run_impact(reductions[i], k ? 4e9 : 2e10, -1);
        double change = number(r[0], "peak_force") / number(r[1], "peak_force") - 1;
        double longer = number(r[0], "contact_time") / number(r[1], "contact_time") - 1;
        if (i > 0)
            assert_true(fabs(change) < 0.03 && fabs(longer) < 0.04);
        else
            assert_true(change > 0.5 && longer < -0.3);
        slip_result_destroy(r[0]);
        slip_result_destroy(r[1]);
    }
}

/* ---- History. */

/* Attachment modes of a flank that is touched take the contact forces. */
static void history_of_attachment_modes(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", penalty);
    o.history = 1;
    o.side[1].reduction = "all";
    slip_result *r = run(&o);
    int64_t count;
    const double *force = slip_result_series(r, "force", &count);
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(r, k ? "wheel" : "pinion");
        assert_int_equal(p.samples, count);
        assert_int_equal(p.size, 3 * 7 * 3);
        int64_t middle = count * 3 / 8;
        double sum[3] = {0};
        int on = 0;
        for (int i = 0; i < p.size; i++) {
            sum[i % 3] += p.amplitude[middle * p.size + i];
            on += p.active[middle * p.size + i] != 0;
            assert_close(p.amplitude[i], 0, 0);
            assert_true(p.active[i] == 0);
        }
        assert_true(k ? on == p.size : on > 0 && on < p.size);
        /* Quasi-static: a = f. */
        assert_close_relative(sqrt(sum[0] * sum[0] + sum[1] * sum[1]), force[middle], 0.05);
    }
    slip_result_destroy(r);
}

/* Gears at rest start on the flanks that the torque presses together: one sense is the mirror image of the
 * other. */
static void torque_says_which_flanks(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        slip_gear_run_options o = gear_impact("none", penalty);
        slip_result *r[2];
        o.side[0].speed = 0;
        o.time = 3e-5;
        for (int i = 0; i < 2; i++) {
            o.side[k].torque = i ? -20 : 20;
            r[i] = run(&o);
        }
        assert_true(number(r[0], "peak_force") > 10);
        assert_close_relative(number(r[1], "peak_force"), number(r[0], "peak_force"), 1e-6);
        assert_close_relative(number(r[1], "final.wheel.speed"), -number(r[0], "final.wheel.speed"), 1e-6);
        slip_result_destroy(r[0]);
        slip_result_destroy(r[1]);
    }
}

/* ---- What is refused. */

static void expect_failure(const slip_gear_run_options *o, int status, const char *text)
{
    slip_result *r = NULL;
    int found = slip_gear_run(fixture.ctx, fixture.gears, fixture.bodies, o, &r);
    if (found != status || !strstr(slip_context_message(fixture.ctx), text))
        fail_msg("status %d: %s", found, slip_context_message(fixture.ctx));
    slip_result_destroy(r);
}

static void bad_runs_are_refused(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", penalty);
    slip_reduce_options plain = slip_reduce_options_default();
    slip_reduced *bare = NULL;
    o.step = 1e-6;
    expect_failure(&o, SLIP_ERROR_MODEL, "found step 1e-06 s, which is above the stability limit");
    /* What it says is true: just below the limit it runs, and it is stable. */
    const char *limit = strstr(slip_context_message(fixture.ctx), "expected at most ");
    assert_non_null(limit);
    o.step = 0.99 * strtod(limit + strlen("expected at most "), NULL);
    slip_result *r = run(&o);
    check_balance(r, 0.02);
    slip_result_destroy(r);
    /* Without a step it takes the usual one, or less where that is above the limit. */
    o = gear_impact("all", penalty);
    o.side[0].static_damping = 1e-5;
    o.step = 0;
    o.time = 1e-6;
    r = run(&o);
    assert_true(number(r, "steps") > 100);
    slip_result_destroy(r);
    o = gear_impact("all", penalty);
    o.side[0].static_damping = 1e3;
    o.step = 0;
    expect_failure(&o, SLIP_ERROR_MODEL, "expected at most 1e+12 steps");
    o = gear_impact("all", penalty);
    o.time = 1e300;
    expect_failure(&o, SLIP_ERROR_MODEL, "found time 1e+300 s");
    o = gear_impact("switch", penalty);
    o.distance = 0.068;
    expect_failure(&o, SLIP_ERROR_MODEL, "the tip of a gear is inside the root of the other");
    o.distance = 0.0703;
    expect_failure(&o, SLIP_ERROR_MODEL, "one inside the other");
    o = gear_impact("condensed", penalty);
    o.method = "rk4";
    expect_failure(&o, SLIP_ERROR_MODEL, "found `static: condensed` with method rk4");
    o = gear_impact("switch", penalty);
    fixture.bodies[1] = fixture.made[0];
    expect_failure(&o, SLIP_ERROR_MODEL, "wheel: the reduced body was made from another gear");
    plain.attachment = 0;
    assert_int_equal(slip_gear_reduce(fixture.ctx, &fixture.gears[1], &plain, &bare), SLIP_OK);
    fixture.bodies[1] = bare;
    expect_failure(&o, SLIP_ERROR_MODEL, "wheel: its reduced body has no attachment modes");
    o.side[1].reduction = "none";
    o.time = 1e-6;
    slip_result_destroy(run(&o)); /* needs none */
    fixture.bodies[1] = fixture.made[1];
    slip_reduced_destroy(bare);
}

/* A load that no number can hold: time and place are named, and what was computed is kept. */
static void overflow_is_found(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("switch", penalty);
    slip_result *r = NULL;
    int64_t count = 0;
    o.side[1].torque = 1e160;
    assert_int_equal(slip_gear_run(fixture.ctx, fixture.gears, fixture.bodies, &o, &r), SLIP_ERROR_SOLVER);
    if (!strstr(slip_context_message(fixture.ctx), "at t = 4e-08 s the rotation of "))
        fail_msg("%s", slip_context_message(fixture.ctx));
    slip_result_series(r, "t", &count);
    assert_true(count >= 1);
    slip_result_destroy(r);
}

static void stop_soon(void *user, const slip_progress *progress)
{
    if (progress->time > 5e-6)
        slip_context_interrupt(user);
}

static void interrupted_runs_keep_results(void **state)
{
    (void)state;
    slip_gear_run_options o = gear_impact("none", penalty);
    slip_result *r = NULL;
    int64_t count = 0;
    o.time = 1; /* for ever */
    o.samples = 1000001;
    slip_context_set_progress(fixture.ctx, stop_soon, fixture.ctx);
    assert_int_equal(slip_gear_run(fixture.ctx, fixture.gears, fixture.bodies, &o, &r), SLIP_INTERRUPTED);
    slip_context_set_progress(fixture.ctx, NULL, NULL);
    const double *t = slip_result_series(r, "t", &count);
    assert_true(count > 1 && t[count - 1] > 0);
    assert_true(number(r, "steps") > 0);
    slip_result_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_of_numbers(starts_in_equilibrium),
        cmocka_unit_test(every_reduction_balances),
        cmocka_unit_test(unusual_runs_balance),
        cmocka_unit_test(left_and_right_are_alike),
        cmocka_unit_test_of_numbers(against_the_nonlinear_model),
        cmocka_unit_test(switching_equals_all),
        cmocka_unit_test(fewer_modes_with_residuals),
        cmocka_unit_test(penalty_matters_to_modes_alone),
        cmocka_unit_test(history_of_attachment_modes),
        cmocka_unit_test(torque_says_which_flanks),
        cmocka_unit_test(bad_runs_are_refused),
        cmocka_unit_test(overflow_is_found),
        cmocka_unit_test(interrupted_runs_keep_results),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
