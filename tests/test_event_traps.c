/* The cases in which event-driven programs are known to fail, by name, on Runge-Kutta and on closed-form
 * segments. */
#include "run_system.h"

static const double pi = 3.14159265358979323846;
static const char *const kinds[] = {"rk", "exact"};
static const char *const x_only[] = {"x"};
static const char *const x_and_y[] = {"x", "y"};

/* ---- A ball in a narrow slot: it crosses many times while nothing else happens, and the error control,
 * which sees a straight line, would take the whole run as one step. */

static void several_roots_in_a_step(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 0, v = 1;
        bench b = build(1, x_only);
        run_outcome o;
        add_unilateral(&b, "left", "x + 0.01", NULL, NULL, 1, false);
        add_unilateral(&b, "right", "0.01 - x", NULL, NULL, 1, false);
        o = run_event(&b, kinds[k], 1e-9, &q, &v, 10);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 500); /* at 0.01, 0.03, ..., 9.99 */
        for (int i = 0; i < 500; i++)
            run_check_event(&o, i, "open>open", 0.01 + 0.02 * i, 1e-10);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* A load with two peaks close together, each of which lets the block go for a moment: 1.2 times the limit at
 * t = 1 and t = 1 + 2 pi / 400, in a run of 10. */
static void several_releases_in_a_step(void **state)
{
    const double zero = 0;
    bench b = build(1, x_only);
    run_outcome o;
    (void)state;
    add_force(&b, 0, "2*sin(400*t)");
    add_friction(&b, "pad", "x'", NULL, coulomb(1.9, 1));
    o = run_event(&b, "exact", 1e-9, &zero, &zero, 1);
    assert_int_equal(o.status, SLIP_OK);
    /* every half period of the load: release and stick */
    assert_int_equal(o.w->count, 2 * (int)floor(400 / pi) + (asin(0.95) < 400 - pi * floor(400 / pi)));
    run_check_event(&o, 0, "stick>slip+", asin(0.95) / 400, 1e-12);
    run_check_judge(&o);
    run_finish(&o);
    clear(&b);
}

/* ---- Conditions that are zero to begin with. */

static void condition_that_starts_at_zero(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double zero = 0;
        bench b = build(1, x_only), c = build(1, x_only), d = build(1, x_only);
        run_outcome o;
        /* the holding force is at its limit at t = 0, and grows: slip from the start */
        add_force(&b, 0, "1 + t");
        add_friction(&b, "pad", "x'", NULL, coulomb(1, 1));
        o = run_event(&b, kinds[k], 1e-10, &zero, &zero, 2);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 0); /* initial modes are not events */
        assert_close(o.q[0], 8.0 / 6, 1e-9);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
        /* at its limit, and falls: stick until the load has the other sign */
        add_force(&c, 0, "cos(t)");
        add_friction(&c, "pad", "x'", NULL, coulomb(1, 1));
        o = run_event(&c, kinds[k], 1e-10, &zero, &zero, 20);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 0);
        assert_true(o.q[0] == 0 && o.v[0] == 0);
        run_finish(&o);
        clear(&c);
        /* touches with zero velocity and zero force, and the load lifts it by t^3 */
        add_force(&d, 0, "t^3");
        add_unilateral(&d, "floor", "x", NULL, NULL, 0.5, false);
        o = run_event(&d, kinds[k], 1e-10, &zero, &zero, 2);
        assert_int_equal(o.status, SLIP_OK);
        assert_close(o.q[0], 32.0 / 20, 1e-9);
        run_finish(&o);
        clear(&d);
    }
}

/* A body with a damper and next to no mass: where the load lets it go, two forces of size 3.2 over 1e-12
 * cancel, and their growth of 2.4 in t is all there is. With r = t - asin(0.8), v = 24 (r - m/c) once m/c =
 * 1e-11 is past. */
static void a_very_light_body_is_let_go(void **state)
{
    const double zero = 0, release = asin(0.8), late = 2e-9;
    bench b = build(1, x_only);
    run_outcome o;
    (void)state;
    b.system->mass[0] = 1e-12;
    b.system->damping[0] = 0.1;
    b.system->stiffness[0] = 1;
    add_force(&b, 0, "4*sin(t)");
    add_friction(&b, "pad", "x'", NULL, coulomb(3.2, 1));
    o = run_event(&b, "exact", 1e-10, &zero, &zero, release + late);
    assert_int_equal(o.status, SLIP_OK);
    assert_int_equal(o.w->count, 1);
    run_check_event(&o, 0, "stick>slip+", release, 1e-15);
    assert_close(o.v[0], 24 * (late - 1e-11), 24 * late * 1e-6); /* t is known to 1e-16 */
    run_finish(&o);
    clear(&b);
}

/* ---- Grazing: x = a cos t about zero with a stop at 1. */

static run_outcome swing(bench *b, const char *segments, double amplitude, double e, double end)
{
    const double zero = 0;
    *b = build(1, x_only);
    b->system->stiffness[0] = 1;
    add_unilateral(b, "stop", "1 - x", NULL, NULL, e, false);
    return run_event(b, segments, 1e-12, &zero, &amplitude, end);
}

static void grazing_contact(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double above = 1e-2; above > 1e-10; above *= 0.01) {
            bench b;
            run_outcome o = swing(&b, kinds[k], 1 + above, 1, 19);
            /* x = a sin t reaches 1 at asin(1/a), and is thrown back to where it came from */
            double reach = asin(1 / (1 + above));
            assert_int_equal(o.status, SLIP_OK);
            assert_int_equal(o.w->count, 3);
            for (int i = 0; i < 3; i++)
                run_check_event(&o, i, "open>open", reach + (pi + 2 * reach) * i,
                                1e-10 + 1e-11 / sqrt(above));
            run_check_judge(&o);
            run_finish(&o);
            clear(&b);
            o = swing(&b, kinds[k], 1 - above, 1, 20);
            assert_int_equal(o.status, SLIP_OK);
            assert_int_equal(o.w->count, 0);
            assert_close(o.q[0], (1 - above) * sin(20), 1e-10);
            run_finish(&o);
            clear(&b);
        }
    /* exactly: whether or not it is an event, the motion is the same */
    for (int k = 0; k < 2; k++) {
        bench b;
        run_outcome o = swing(&b, kinds[k], 1, 0.5, 20);
        assert_int_equal(o.status, SLIP_OK);
        assert_close(o.q[0], sin(20), 1e-6);
        assert_in_range(o.w->count, 0, 8);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- After an event the state must be on the right side of the root, or the event is found again. A long
 * run of bounces and of stick and slip: every event once, none reported twice, none lost. */

static void wrong_side_of_a_root(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 1, zero = 0, out = 3.05;
        bench b = build(1, x_only), c = build(1, x_only);
        run_outcome o;
        add_force(&b, 0, "-1");
        add_unilateral(&b, "floor", "x", NULL, NULL, 1, false);
        o = run_event(&b, kinds[k], 1e-12, &q, &zero, 1000);
        assert_int_equal(o.w->count, 354); /* sqrt 2 (2 k + 1) < 1000 */
        for (int i = 0; i < o.w->count; i++)
            run_check_event(&o, i, "open>open", sqrt(2) * (2 * i + 1), 1e-7);
        run_finish(&o);
        clear(&b);
        /* x'' = -x - 0.1 sign(x'): half swings of length pi, each 0.2 shorter, until within +-0.1 */
        c.system->stiffness[0] = 1;
        add_friction(&c, "pad", "x'", NULL, coulomb(0.1, 1));
        o = run_event(&c, kinds[k], 1e-12, &out, &zero, 100);
        assert_int_equal(o.w->count, 15);
        for (int i = 0; i < 14; i++)
            run_check_event(&o, i, i % 2 ? "slip+>slip-" : "slip->slip+", pi * (i + 1), 1e-8);
        run_check_event(&o, 14, "slip->stick", pi * 15, 1e-8);
        assert_close(o.q[0], -(3.05 - 0.2 * 15), 1e-9);
        assert_true(o.v[0] == 0);
        run_check_judge(&o);
        run_finish(&o);
        clear(&c);
    }
}

/* ---- Chatter: a load that pushes a block back and forth across its limit faster and faster must neither
 * stop the clock nor be answered by events without number at one instant. */

static void chatter_that_freezes_time(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 0, v = 0;
        bench b = build(1, x_only);
        run_outcome o;
        /* held by two pads at once, whose forces are not unique: one slipping set may hide another */
        add_force(&b, 0, "3.5*sin(t)");
        add_friction(&b, "one", "x'", "1", coulomb(1, 1));
        add_friction(&b, "two", "x'", "3", coulomb(1, 1));
        o = run_event(&b, kinds[k], 1e-9, &q, &v, 30);
        if (o.status != SLIP_OK)
            print_error("%s\n", slip_context_message(b.ctx));
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.t == 30);
        assert_close(o.q[0], 0, 1e-9); /* together they hold 4 */
        assert_true(o.counters.steps < 5000);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Events at the very end. */

static void bounce_at_the_final_time(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 0.5, zero = 0;
        bench b = build(1, x_only);
        run_outcome o;
        add_force(&b, 0, "-1");
        add_unilateral(&b, "floor", "x", NULL, NULL, 0.5, false);
        o = run_event(&b, kinds[k], 1e-12, &q, &zero, 1); /* lands at t = 1 */
        assert_int_equal(o.status, SLIP_OK);
        assert_true(o.t == 1);
        assert_close(o.q[0], 0, 1e-12);
        assert_int_equal(o.w->count, 1);
        run_check_event(&o, 0, "open>open", 1, 1e-15);
        assert_close(o.v[0], 0.5, 1e-10);
        run_finish(&o);
        /* a moment before, there is none */
        o = run_event(&b, kinds[k], 1e-12, &q, &zero, 1 - 1e-9);
        assert_int_equal(o.w->count, 0);
        run_finish(&o);
        o = run_event(&b, kinds[k], 1e-12, &q, &zero, 1 + 1e-9);
        assert_int_equal(o.w->count, 1);
        assert_close(o.v[0], 0.5, 1e-8);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- A ball on a floor that moves. */

static void accumulating_bounces_on_a_moving_floor(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        /* a floor that rises steadily: as at rest, seen from the floor */
        const double q = 1, v = 0.3, zero = 0;
        bench b = build(1, x_only), c = build(1, x_only);
        run_outcome o;
        double end = sqrt(2) * 3;
        add_force(&b, 0, "-1");
        add_unilateral(&b, "floor", "x - 0.3*t", NULL, NULL, 0.5, false);
        o = run_event(&b, kinds[k], 1e-11, &q, &v, 10);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.counters.accumulations, 1);
        run_check_event(&o, o.w->count - 1, "open>closed", end, 1e-8);
        assert_close(o.q[0], 3, 1e-12);
        assert_close(o.v[0], 0.3, 1e-14);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
        /* one that swings, gently enough to keep the ball: it comes to rest on it */
        add_force(&c, 0, "-1");
        add_unilateral(&c, "floor", "x - 0.2*sin(t)", NULL, NULL, 0.4, false);
        o = run_event(&c, kinds[k], 1e-11, &q, &zero, 40);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.counters.accumulations, 1);
        assert_close(o.q[0], 0.2 * sin(40), 1e-10);
        run_check_judge(&o);
        run_finish(&o);
        clear(&c);
    }
}

/* ---- Nothing moves, and then a short pulse. Closed-form segments cannot miss it where they apply (sums of
 * harmonics and polynomials have no pulses; a fast harmonic is above). Much shorter pulses are in
 * test_event_jumps.c. */

static void stick_phase_with_a_late_fast_load(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        const double zero = 0, at = 70 + 1.37 * k;
        bench b = build(1, x_only);
        char load[100];
        run_outcome o;
        /* 3 exp(-((t - at) / 0.6)^2) is above 1 for 1.26: 1.3 % of the run */
        snprintf(load, sizeof load, "3*exp(-((t - %.9g)/0.6)^2)", at);
        add_force(&b, 0, load);
        add_friction(&b, "pad", "x'", NULL, coulomb(1, 1));
        o = run_event(&b, "rk", 1e-9, &zero, &zero, 100);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 2);
        run_check_event(&o, 0, "stick>slip+", at - 0.6 * sqrt(log(3)), 1e-7);
        assert_true(o.q[0] > 0.1);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Several things at one instant. */

/* A rocking mass between two stops: when it leaves one it lands on the other, with no play between them. */
static void release_and_landing_at_the_same_instant(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q[2] = {0, 0}, v[2] = {0, 0};
        bench b = build(2, x_and_y);
        run_outcome o;
        add_force(&b, 0, "-sin(t)");
        add_force(&b, 1, "-1");
        add_unilateral(&b, "left", "x", NULL, NULL, 0, false);
        add_unilateral(&b, "right", "-x", NULL, NULL, 0, false);
        add_unilateral(&b, "floor", "y + x", NULL, NULL, 0, false);
        o = run_event(&b, kinds[k], 1e-10, q, v, 20);
        if (o.status != SLIP_OK)
            print_error("%s\n", slip_context_message(b.ctx));
        assert_int_equal(o.status, SLIP_OK);
        assert_close(o.q[0], 0, 1e-9);
        assert_close(o.q[1], 0, 1e-9);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* Two blocks that do not know of each other, and two that a spring ties together: released together. */
static void two_contacts_released_together(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double zero[2] = {0, 0}, coupling[] = {1, -1, -1, 1};
        bench b = build(2, x_and_y);
        run_outcome o;
        if (k >= 2)
            memcpy(b.system->stiffness, coupling, sizeof coupling);
        add_force(&b, 0, "t");
        add_force(&b, 1, "t");
        add_friction(&b, "one", "x'", NULL, coulomb(1, 1));
        add_friction(&b, "two", "y'", NULL, coulomb(1, 1));
        o = run_event(&b, kinds[k % 2], 1e-11, zero, zero, 3);
        assert_int_equal(o.status, SLIP_OK);
        assert_int_equal(o.w->count, 2);
        run_check_event(&o, 0, "stick>slip+", 1, 1e-9);
        run_check_event(&o, 1, "stick>slip+", 1, 1e-9);
        assert_close(o.q[0], 8.0 / 6, 1e-9);
        assert_close(o.q[1], 8.0 / 6, 1e-9);
        run_check_judge(&o);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Infinitely many switches in finite time cannot happen with Coulomb friction against a spring; a bounce
 * between two stops that close in on each other has them. It must end with an error that says when, not hang.
 */
static void infinitely_many_switches(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 0, v = 1;
        bench b = build(1, x_only);
        run_outcome o;
        add_unilateral(&b, "left", "x + 1 - t", NULL, NULL, 1, false);
        add_unilateral(&b, "right", "1 - t - x", NULL, NULL, 1, false);
        o = run_event(&b, kinds[k], 1e-9, &q, &v, 2);
        assert_int_equal(o.status, SLIP_ERROR_SOLVER);
        assert_true(o.t <= 1 + 1e-6);
        assert_true(o.t > 0.9);
        run_finish(&o);
        clear(&b);
    }
}

/* Walls that close in slowly on an elastic ball: its speed times their distance is all but constant, so that
 * it bounces without end before they meet, at t = 5. */
static void walls_that_close_in(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double q = 0.3, v = 1;
        bench b = build(1, x_only);
        run_outcome o;
        add_unilateral(&b, "left", "x - 0.1*t", NULL, NULL, 1, false);
        add_unilateral(&b, "right", "2 - 2*x - 0.2*t", NULL, NULL, 1, false);
        o = run_event(&b, kinds[k], 1e-9, &q, &v, 10);
        assert_int_equal(o.status, SLIP_ERROR_SOLVER);
        assert_non_null(strstr(slip_context_message(b.ctx), "`left`"));
        assert_non_null(strstr(slip_context_message(b.ctx), "`right`"));
        assert_non_null(strstr(slip_context_message(b.ctx), "close in"));
        assert_non_null(strstr(slip_context_message(b.ctx), "before t = 5;"));
        assert_non_null(strstr(slip_context_message(b.ctx), "restitution below 1"));
        assert_true(o.t > 4.9 && o.t < 5);
        assert_in_range(o.w->count, 9000, 20000);
        run_finish(&o);
        clear(&b);
    }
}

/* A gap that starts a little below zero, by rounding of the model's numbers: it starts at zero. */
static void gap_that_starts_below_zero(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int way = -1; way <= 1; way++) {
            const double q = -5e-10, v = way;
            bench b = build(1, x_only);
            run_outcome o;
            add_force(&b, 0, "-1");
            add_unilateral(&b, "floor", "x", NULL, NULL, 0.5, false);
            o = run_event(&b, kinds[k], 1e-10, &q, &v, 0.5);
            assert_int_equal(o.status, SLIP_OK);
            if (way == 0) {
                assert_int_equal(o.w->count, 0);
                assert_true(o.q[0] == 0);
            } else {
                /* thrown up with 1 or, after an impact, with 0.5 */
                double speed = way > 0 ? 1 : 0.5;
                assert_close(o.q[0], speed * 0.5 - 0.125, 1e-12);
            }
            run_check_judge(&o);
            run_finish(&o);
            clear(&b);
        }
}

/* ---- More than one set of modes, and none. */

/* A block jammed in a wedge-like guide: pressed against the wall by its own friction it may hold or slide
 * off. N and friction along coupled coordinates with a large coefficient. */
static void more_than_one_consistent_mode(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double zero[2] = {0, 0}, mass[] = {1, -0.8, -0.8, 1};
        slip_law law = coulomb(2, 1);
        bench b = build(2, x_and_y);
        run_outcome o;
        memcpy(b.system->mass, mass, sizeof mass);
        /* stick: N = 1 and 1.5 <= 2 N; free: x'' = (-1 + 0.8 * 1.5) / 0.36 > 0 */
        add_force(&b, 0, "-1");
        add_force(&b, 1, "1.5");
        add_unilateral(&b, "guide", "x", "y'", &law, 0, false);
        o = run_event(&b, kinds[k], 1e-9, zero, zero, 1);
        assert_int_equal(o.status, SLIP_ERROR_SOLVER);
        assert_non_null(strstr(slip_context_message(b.ctx), "more than one set of modes"));
        assert_non_null(strstr(slip_context_message(b.ctx), "`guide`"));
        run_finish(&o);
        clear(&b);
    }
}

static void painleve(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        /* slides with y' = 1; a = M^-1 (f + N (1, -2)): the gap closes all the faster the more it pushes */
        const double q[2] = {0, 0}, v[2] = {0, 1}, mass[] = {1, -0.8, -0.8, 1};
        slip_law law = coulomb(2, 1);
        bench b = build(2, x_and_y);
        run_outcome o;
        memcpy(b.system->mass, mass, sizeof mass);
        add_force(&b, 0, "-1");
        add_unilateral(&b, "tip", "x", "y'", &law, 0, false);
        o = run_event(&b, kinds[k], 1e-9, q, v, 1);
        assert_int_equal(o.status, SLIP_ERROR_SOLVER);
        assert_non_null(strstr(slip_context_message(b.ctx), "no mode"));
        assert_non_null(strstr(slip_context_message(b.ctx), "`tip`"));
        assert_true(o.t == 0);
        run_finish(&o);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_roots_in_a_step),
        cmocka_unit_test(several_releases_in_a_step),
        cmocka_unit_test(condition_that_starts_at_zero),
        cmocka_unit_test(a_very_light_body_is_let_go),
        cmocka_unit_test(grazing_contact),
        cmocka_unit_test(wrong_side_of_a_root),
        cmocka_unit_test(chatter_that_freezes_time),
        cmocka_unit_test(bounce_at_the_final_time),
        cmocka_unit_test(accumulating_bounces_on_a_moving_floor),
        cmocka_unit_test(stick_phase_with_a_late_fast_load),
        cmocka_unit_test(release_and_landing_at_the_same_instant),
        cmocka_unit_test(two_contacts_released_together),
        cmocka_unit_test(infinitely_many_switches),
        cmocka_unit_test(walls_that_close_in),
        cmocka_unit_test(gap_that_starts_below_zero),
        cmocka_unit_test(more_than_one_consistent_mode),
        cmocka_unit_test(painleve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
