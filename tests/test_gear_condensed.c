/* Gears with condensed attachment vectors by the exponential integrator: exact motion without contact, order,
 * balances, limits, symmetry, options, errors. */
#include "condensed_test.h"

#include "flex/floating.h"

#include <string.h>

/* ---- Without contact. */

/* The equations of flex/floating.h by Runge and Kutta: theta, w, q, q' of one gear under a torque. */
static void slope_of(slip_floating *f, double damping, double torque, const double *x, double *dx)
{
    const double *q = x + 2, *rate = x + 2 + f->modes;
    double coupling[modes + 1], load[modes + 1] = {0}, along = 0, square = 0;
    slip_floating_terms t = slip_floating_inertia(f, x[1], q, rate, coupling, load);
    for (int i = 0; i < f->modes; i++) {
        load[i] -= f->square[i] * (q[i] + damping * rate[i]);
        along += coupling[i] * load[i];
        square += coupling[i] * coupling[i];
    }
    double turn = (torque + t.torque - along) / (t.moment - square);
    dx[0] = x[1];
    dx[1] = turn;
    for (int i = 0; i < f->modes; i++) {
        dx[2 + i] = rate[i];
        dx[2 + f->modes + i] = load[i] - turn * coupling[i];
    }
}

static void integrate(slip_floating *f, double damping, double torque, double time, int steps, double *x)
{
    int n = 2 + 2 * f->modes;
    double h = time / steps, k[4][2 * modes + 6], at[2 * modes + 6];
    for (int s = 0; s < steps; s++) {
        for (int stage = 0; stage < 4; stage++) {
            double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
            for (int i = 0; i < n; i++)
                at[i] = x[i] + (stage ? share * h * k[stage - 1][i] : 0);
            slope_of(f, damping, torque, at, k[stage]);
        }
        for (int i = 0; i < n; i++)
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

/* Gears too far apart to touch. At rest the linear motion is exact; at 500 rad/s the rest of the inertia
 * counts. */
static void free_flight(void **state)
{
    const fixture *f = *state;
    for (int turn = 0; turn < 2; turn++) {
        slip_gear_run_options o = impact();
        slip_floating *frame = NULL;
        double x[2 * modes + 6] = {0};
        o.distance = 0.09;
        o.time = 2e-4;
        o.side[0].torque = 30;
        o.side[0].damping = 1e-8;
        o.side[0].inertia = 2e-5;
        o.side[0].speed = x[1] = turn ? 500 : 0;
        slip_result *r = run(f, &o);
        assert_int_equal(slip_floating_create(f->ctx, f->bodies[0], slip_reduced_mode_count(f->bodies[0]),
                                              o.side[0].inertia, &frame),
                         SLIP_OK);
        integrate(frame, 1e-8, 30, o.time, 8000, x);
        int64_t count;
        const double *angle = slip_result_series(r, "pinion.angle", &count);
        double change = x[1] - (turn ? 500 : 0), tolerance = turn ? 1e-5 : 1e-8;
        assert_close(number(r, "final.pinion.speed"), x[1], tolerance * fabs(change));
        assert_close_relative(angle[count - 1] - angle[0], x[0], tolerance);
        assert_true(number(r, "steps") < 60 && number(r, "peak_force") == 0);
        assert_true(fabs(number(r, "momentum.pinion")) < 1e-11);
        assert_true(number(r, "energy.drift") < 1e-6);
        slip_floating_destroy(frame);
        slip_result_destroy(r);
    }
}

/* ---- At rest. */

/* The pinion is held, the wheel has a torque. It stays where it is; the flanks have the torque; and by a
 * little more torque the energy of teeth, dents and springs grows by what the torque does: dU = T dtheta. */
static void starts_in_equilibrium(void **state)
{
    const fixture *f = *state;
    double energy[2], angle[2];
    const double torque[2] = {20, 20.2};
    slip_gear_run_options o = impact();
    o.initial = "static";
    o.side[0].speed = 0;
    o.side[0].driven = 1;
    o.time = 2e-5;
    for (int i = 0; i < 2; i++) {
        o.side[1].torque = torque[i];
        slip_result *r = run(f, &o);
        int64_t count;
        const double *moment = slip_result_series(r, "wheel.moment", &count),
                     *speed = slip_result_series(r, "wheel.speed", NULL);
        for (int64_t k = 0; k < count; k++) {
            assert_close_relative(moment[k], -torque[i], 1e-9);
            assert_true(fabs(speed[k]) < 1e-8);
        }
        angle[i] = slip_result_series(r, "wheel.angle", NULL)[0];
        energy[i] = number(r, "energy.start");
        assert_true(energy[i] > 0 && number(r, "energy.drift") < 1e-8);
        assert_int_equal(slip_result_event_count(r), 0);
        assert_close(number(r, "contact_time"), o.time, 1e-12);
        assert_true(number(r, "residual") < 1e-15);
        slip_result_destroy(r);
    }
    assert_close_relative(energy[1] - energy[0], 20.1 * (angle[1] - angle[0]), 1e-4);
}

/* ---- Accuracy. */

static void order_is_two(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-7;
    slip_result *exact = run(f, &o);
    double error[4];
    for (int i = 0; i < 4; i++) {
        o.step = 8e-7 / (1 << i);
        slip_result *r = run(f, &o);
        assert_close(number(r, "steps"), o.time / o.step, 1);
        error[i] = distance(r, exact, "wheel.speed");
        slip_result_destroy(r);
    }
    double order = log2(error[0] / error[3]) / 3;
    assert_true(order > 1.8 && order < 2.6);
    assert_true(error[3] < 2e-4);
    slip_result_destroy(exact);
}

static void error_follows_the_tolerance(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-7;
    slip_result *exact = run(f, &o);
    double before = INFINITY;
    for (o.tolerance = 1e-3; o.tolerance > 5e-6; o.tolerance /= 10) {
        slip_result *r = run(f, &o);
        double error = distance(r, exact, "wheel.speed");
        assert_true(error < 2 * o.tolerance && error < before / 3);
        assert_true(number(r, "energy.drift") < 2 * o.tolerance);
        assert_close_relative(number(r, "peak_force"), number(exact, "peak_force"), 5 * o.tolerance);
        assert_close_relative(number(r, "contact_time"), number(exact, "contact_time"), 4 * o.tolerance);
        for (int k = 0; k < 2; k++)
            assert_true(fabs(number(r, k ? "momentum.wheel" : "momentum.pinion")) < 1e-10);
        gear_check_contact(r, 1e-9 * o.tolerance);
        before = error;
        slip_result_destroy(r);
    }
    slip_result_destroy(exact);
}

/* The harder the flanks the larger the force and the shorter the contact, down to rigid ones. */
static void rigid_is_the_limit(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-5;
    for (int pass = 0; pass < 3; pass++) {
        double force = 0, time = INFINITY, gap = INFINITY;
        o.two_pass = pass / 2.0;
        o.penalty = INFINITY;
        slip_result *rigid = run(f, &o);
        assert_true(number(rigid, "energy.drift") < 1e-4);
        for (o.penalty = 1e8; o.penalty < 3e12; o.penalty *= 100) {
            slip_result *r = run(f, &o);
            double away = fabs(number(r, "peak_force") / number(rigid, "peak_force") - 1);
            assert_true(number(r, "peak_force") > force && number(r, "contact_time") < time && away < gap);
            force = number(r, "peak_force");
            time = number(r, "contact_time");
            gap = away;
            slip_result_destroy(r);
        }
        assert_true(gap < 1e-3 && time > number(rigid, "contact_time") * (1 - 1e-5));
        slip_result_destroy(rigid);
    }
}

/* ---- Symmetry. */

static void mirrored_and_exchanged(void **state)
{
    fixture *f = *state;
    slip_gear_run_options o = impact();
    o.tolerance = 1e-6;
    slip_result *first = run(f, &o);
    o.side[0].speed = -5;
    slip_result *back = run(f, &o);
    int64_t count;
    const double *speed = slip_result_series(first, "wheel.speed", &count);
    const double *mirrored = slip_result_series(back, "wheel.speed", &count);
    for (int64_t i = 0; i < count; i++)
        assert_close(mirrored[i], -speed[i], 1e-4);
    assert_close_relative(number(back, "peak_force"), number(first, "peak_force"), 1e-5);
    /* The wheel named first: its space is where the pinion's tooth was. The other gear is turned until they
     * touch, so that other places of the facets meet: half the backlash away. */
    fixture other = {
        .ctx = f->ctx, .gears = {f->gears[1], f->gears[0]}, .bodies = {f->bodies[1], f->bodies[0]}};
    slip_gear_side side = o.side[0];
    o.side[0] = o.side[1];
    o.side[1] = side;
    o.side[1].speed = 5;
    o.phase = 0.5;
    slip_result *exchanged = run(&other, &o);
    assert_close_relative(number(exchanged, "peak_force"), number(first, "peak_force"), 0.01);
    assert_close_relative(number(exchanged, "contact_time"), number(first, "contact_time"), 0.01);
    assert_true(distance(exchanged, first, "force") < 0.02);
    slip_result_destroy(exchanged);
    slip_result_destroy(back);
    slip_result_destroy(first);
}

/* ---- Options. */

static void one_gear_without_residuals(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    slip_result *both = run(f, &o);
    o.side[1].reduction = "none";
    slip_result *one = run(f, &o);
    /* Its flank is harder. */
    assert_true(number(one, "contact_time") < number(both, "contact_time"));
    assert_true(number(one, "energy.drift") < 4e-4);
    o.penalty = INFINITY;
    slip_result *rigid = run(f, &o);
    assert_true(number(rigid, "contact_time") < number(one, "contact_time"));
    slip_result_destroy(rigid);
    slip_result_destroy(one);
    slip_result_destroy(both);
}

/* Amplitudes are nodal forces: their sum along the normal is the contact force, on both gears. */
static void history_is_nodal_forces(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.history = 1;
    for (int k = 0; k < 2; k++)
        o.side[k].static_damping = 0;
    slip_result *r = run(f, &o);
    int64_t count;
    const double *force = slip_result_series(r, "force", &count);
    for (int k = 0; k < 2; k++) {
        slip_gear_participation p = slip_gear_result_participation(r, k ? "wheel" : "pinion");
        assert_true(p.surface >= 0 && p.samples == count);
        assert_int_equal(p.size, slip_reduced_attachment_at(f->bodies[k], 0).size);
        for (int64_t i = 0; i < count; i++) {
            double sum[3] = {0};
            for (int d = 0; d < p.size; d++)
                sum[d % 3] += p.amplitude[i * p.size + d];
            /* Normals of the nodes that touch differ by the turn from facet to facet. */
            assert_close(sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), force[i],
                         0.01 * force[i]);
        }
    }
    slip_result_destroy(r);
}

static void refuse(const fixture *f, const slip_gear_run_options *o, int status, const char *words)
{
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_result *r = NULL;
    assert_int_equal(slip_gear_run(f->ctx, f->gears, bodies, o, &r), status);
    if (!strstr(slip_context_message(f->ctx), words))
        fail_msg("found `%s`, expected `%s`", slip_context_message(f->ctx), words);
    slip_result_destroy(r);
}

static void no_number(void *user, double v, double *force, double *slope)
{
    int *left = user;
    *slope = 0;
    *force = --*left < 0 ? NAN : 0.1 * v;
}

static void bad_runs_are_refused(void **state)
{
    const fixture *f = *state;
    slip_gear_run_options o = impact();
    o.side[0].reduction = o.side[1].reduction = "none";
    o.method = "exponential";
    o.penalty = INFINITY;
    refuse(f, &o, SLIP_ERROR_MODEL, "penalty: found rigid with method exponential");
    o = impact();
    o.side[0].reduction = "all";
    o.method = "exponential";
    refuse(f, &o, SLIP_ERROR_MODEL, "expected condensed or none");
    o = impact();
    o.time = 1e-3;
    o.step = 2e-4;
    refuse(f, &o, SLIP_ERROR_MODEL, "above the stability limit");
    o = impact();
    o.initial = "static";
    refuse(f, &o, SLIP_ERROR_MODEL, "expected one gear with a drive, and a torque on the other one");
    o.side[0].driven = 1;
    refuse(f, &o, SLIP_ERROR_MODEL, "expected one gear with a drive, and a torque on the other one");
    o.side[1].torque = 5;
    o.initial = "rest";
    refuse(f, &o, SLIP_ERROR_MODEL, "found initial rest, expected static");
    slip_law coulomb = slip_law_default("coulomb");
    coulomb.mu = 0.1;
    o = impact();
    o.friction = &coulomb;
    refuse(f, &o, SLIP_ERROR_MODEL, "set-valued");
    /* What is not a number stops the run with time and node; what was before is kept. */
    int left = 20000;
    slip_law law = slip_law_default("function");
    law.function = no_number;
    law.user = &left;
    o.friction = &law;
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_result *r = NULL;
    assert_int_equal(slip_gear_run(f->ctx, f->gears, bodies, &o, &r), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(f->ctx), "t = "));
    assert_non_null(strstr(slip_context_message(f->ctx), "node"));
    int64_t count;
    slip_result_series(r, "force", &count);
    assert_true(count > 1 && count < o.samples && number(r, "peak_force") > 0);
    slip_result_destroy(r);
}

static void stop(void *user, const slip_progress *progress)
{
    (void)progress;
    slip_context_interrupt(user);
}

static void can_be_interrupted(void **state)
{
    const fixture *f = *state;
    const slip_reduced *const bodies[2] = {f->bodies[0], f->bodies[1]};
    slip_gear_run_options o = impact();
    slip_result *r = NULL;
    slip_context *ctx = slip_context_create();
    o.time = 1;
    o.samples = 2000001;
    slip_context_set_progress(ctx, stop, ctx);
    assert_int_equal(slip_gear_run(ctx, f->gears, bodies, &o, &r), SLIP_INTERRUPTED);
    int64_t count;
    slip_result_series(r, "force", &count);
    assert_true(count >= 1 && count < o.samples);
    slip_result_destroy(r);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight),
        cmocka_unit_test_of_numbers(starts_in_equilibrium),
        cmocka_unit_test_of_numbers(order_is_two),
        cmocka_unit_test_of_numbers(error_follows_the_tolerance),
        cmocka_unit_test_of_numbers(rigid_is_the_limit),
        cmocka_unit_test_of_numbers(mirrored_and_exchanged),
        cmocka_unit_test(one_gear_without_residuals),
        cmocka_unit_test(history_is_nodal_forces),
        cmocka_unit_test(bad_runs_are_refused),
        cmocka_unit_test(can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
