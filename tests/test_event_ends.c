/* Where runs and bounces end: events at the final time, bounces that accumulate while a body slides, impacts
 * of many contacts at once, motions without bound. On Runge-Kutta and on closed-form segments. */
#include "run_system.h"

static const char *const kinds[] = {"rk", "exact"};
static const char *const x_only[] = {"x"};
static const char *const x_and_y[] = {"x", "y"};

/* ---- The final time. */

/* What ends at the final time is listed, whatever ends there: stick, slip or contact. */
static void events_at_the_final_time(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double zero = 0, one = 1;
        bench b = build(1, x_only), c = build(1, x_only), d = build(1, x_only);
        run_outcome o;
        add_force(&b, 0, "t");
        add_friction(&b, "pad", "x'", NULL, coulomb(0.5, 1));
        o = run_event(&b, kinds[k], 1e-10, &zero, &zero, 0.5);
        assert_int_equal(o.w->count, 1);
        run_check_event(&o, 0, "stick>slip+", 0.5, 1e-12);
        run_finish(&o);
        add_friction(&c, "pad", "x'", NULL, coulomb(0.5, 1));
        o = run_event(&c, kinds[k], 1e-10, &zero, &one, 2);
        assert_int_equal(o.w->count, 1);
        run_check_event(&o, 0, "slip+>stick", 2, 1e-12);
        assert_true(o.v[0] == 0);
        run_finish(&o);
        add_force(&d, 0, "t - 2");
        add_unilateral(&d, "floor", "x", NULL, NULL, 0, false);
        o = run_event(&d, kinds[k], 1e-10, &zero, &zero, 2);
        assert_int_equal(o.w->count, 1);
        run_check_event(&o, 0, "closed>open", 2, 1e-12);
        run_finish(&o);
        clear(&b);
        clear(&c);
        clear(&d);
    }
}

/* ---- Bounces. */

/* A ball that slides on while it bounces: g = 2, e = 1/2, height 1, so that it lies still from t = 3 on.
 * Without impact friction it keeps its speed 3 until then; with it every bounce takes mu times its impulse, 6
 * mu in all. From there on friction mu g. */
static void a_sliding_ball_bounces(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double q[2] = {0, 1}, v[2] = {3, 0};
        const bool rubs = k / 2;
        bench b = build(2, x_and_y);
        slip_law law = coulomb(0.2, 1);
        run_outcome o;
        add_force(&b, 1, "-2");
        add_unilateral(&b, "floor", "y", "x'", &law, 0.5, rubs);
        o = run_event(&b, kinds[k % 2], 1e-10, q, v, 8);
        check_done(&b, o.status);
        run_check_judge(&o);
        if (rubs) {
            run_check_event(&o, o.w->count - 2, "open>slip+", 3, 1e-11);
            run_check_event(&o, o.w->count - 1, "slip+>stick", 7.5, 1e-11);
        } else {
            run_check_event(&o, o.w->count - 1, "open>slip+", 3, 1e-11);
            assert_close(o.v[0], 1, 1e-11);
            assert_close(o.q[0], 19, 1e-10);
        }
        run_finish(&o);
        clear(&b);
    }
}

/* Gap and slip share mass, M = [1 0.3; 0.3 1], g = 9.81. Without impact friction x' + 0.3 y' = 5 is kept
 * until the bounces end at t0 (1 + e)/(1 - e), t0 = sqrt(2/ay), ay = g/0.91; then x'' = -mu g/(1 + 0.3 mu).
 * With impact friction the ball sticks in every impact from the third on, though it slips in flight, and at
 * the end of all. */
static void bounces_that_turn_the_slip(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double q[2] = {0, 1}, v[2] = {5, 0}, rest = 9 * sqrt(2 * 0.91 / 9.81);
        const bool rubs = k / 2;
        bench b = build(2, x_and_y);
        slip_law law = coulomb(0.3, 1);
        run_outcome o;
        b.system->mass[1] = b.system->mass[2] = 0.3;
        add_force(&b, 1, "-9.81");
        add_unilateral(&b, "floor", "y", "x'", &law, 0.8, rubs);
        o = run_event(&b, kinds[k % 2], 1e-10, q, v, 6);
        check_done(&b, o.status);
        run_check_judge(&o);
        run_check_event(&o, o.w->count - (rubs ? 1 : 2), rubs ? "open>stick" : "open>slip+", rest, 1e-11);
        if (!rubs)
            run_check_event(&o, o.w->count - 1, "slip+>stick", rest + 5 * 1.09 / (0.3 * 9.81), 1e-11);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Many at once. */

/* A table falls flat on its feet and slides: with impact friction it loses mu times its speed of fall, then
 * mu g. However many feet there are, none of the choices of what each foot does may have to be tried. */
static void a_table_with_many_feet(void **state)
{
    static const char *const names[] = {"x", "y", "phi"};
    (void)state;
    for (int k = 0; k < (test_cases(8) < 8 ? 4 : 6); k++) { /* many feet are slow under the sanitizers */
        static const int feet[] = {5, 12, 40};
        const int count = feet[k / 2];
        const double q[3] = {0, 1, 0}, v[3] = {2, 0, 0};
        bench b = build(3, names);
        slip_law law = coulomb(0.3, 1);
        run_outcome o;
        add_force(&b, 1, "-2");
        b.system->mass[8] = 0.5;
        for (int i = 0; i < count; i++) {
            char name[20], gap[60];
            snprintf(name, sizeof name, "foot%d", i);
            snprintf(gap, sizeof gap, "y + %.17g*phi", 2.0 * i / (count - 1) - 1);
            add_unilateral(&b, name, gap, "x'", &law, 0, true);
        }
        o = run_event(&b, kinds[k % 2], 1e-10, q, v, 4);
        check_done(&b, o.status);
        run_check_judge(&o);
        assert_int_equal(o.w->count, 2 * count);
        for (int i = 0; i < count; i++) {
            run_check_event(&o, i, "open>slip+", 1, 1e-9);
            run_check_event(&o, count + i, "slip+>stick", 1 + 1.4 / 0.6, 1e-8);
        }
        run_finish(&o);
        clear(&b);
    }
}

/* Sixteen balls land at the same time, each with its own restitution. */
static void many_balls_at_once(void **state)
{
    enum { count = 16 };
    static const char *const names[count] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                             "i", "j", "k", "l", "m", "n", "o", "p"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double q[count], v[count] = {0};
        bench b = build(count, names);
        run_outcome o;
        for (int i = 0; i < count; i++) {
            q[i] = 1;
            add_force(&b, i, "-2");
            add_unilateral(&b, names[i], names[i], NULL, NULL, 0.5 + i / 32.0, false);
        }
        o = run_event(&b, kinds[k], 1e-10, q, v, 1.5);
        check_done(&b, o.status);
        assert_int_equal(o.w->count, count);
        for (int i = 0; i < count; i++) {
            run_check_event(&o, i, "open>open", 1, 1e-12);
            assert_close(o.v[i], 2 * (0.5 + i / 32.0) - 1, 1e-9);
        }
        run_finish(&o);
        clear(&b);
    }
}

/* ---- Without bound. */

static void a_motion_without_bound(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double one = 1, zero = 0;
        bench b = build(1, x_only);
        run_outcome o;
        b.system->stiffness[0] = -100;
        add_friction(&b, "pad", "x'", NULL, coulomb(0.1, 1));
        o = run_event(&b, kinds[k], 1e-9, &one, &zero, 300);
        assert_int_equal(o.status, SLIP_ERROR_SOLVER);
        assert_non_null(strstr(slip_context_message(b.ctx), "`x` grew without bound"));
        assert_true(o.t > 30 && o.t < 80);
        run_finish(&o);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_the_final_time),   cmocka_unit_test(a_sliding_ball_bounces),
        cmocka_unit_test(bounces_that_turn_the_slip), cmocka_unit_test(a_table_with_many_feet),
        cmocka_unit_test(many_balls_at_once),         cmocka_unit_test(a_motion_without_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
