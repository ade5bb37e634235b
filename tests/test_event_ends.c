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

/* ---- Grazes: limits that are reached, or passed by next to nothing, early and late. */

typedef struct graze {
    double t0, w, phase, share; /* share: of the limit, 1 but for rounding or a little */
} graze;

static graze any_graze(uint64_t *seed)
{
    static const double starts[] = {0, 0, 1e3, 1e5, 1e6};
    graze g = {.t0 = starts[(int)test_random(seed, 0, 5)], .w = test_random(seed, 0.3, 3), .share = 1};
    g.phase = test_random(seed, 0, 1) < 0.5 ? 0 : test_random(seed, 0, 6);
    if (test_random(seed, 0, 1) < 0.8)
        g.share += (test_random(seed, 0, 1) < 0.5 ? -1 : 1) * pow(10, test_random(seed, -17, -10));
    return g;
}

/* A load cos(wt) that is as large as what it works against: the weight of a body on a floor, or the friction
 * that holds it. Beyond the limit it moves by next to nothing, and comes to rest again. */
static void loads_graze_a_limit(void **state)
{
    uint64_t seed = 26;
    (void)state;
    for (int k = 0; k < test_cases(600); k++) {
        graze g = any_graze(&seed);
        const double zero = 0, span = 6.3 / g.w * test_random(&seed, 1, 12);
        char load[200];
        bench b = build(1, x_only);
        g.phase = test_random(&seed, 1, 5);
        snprintf(load, sizeof load, "%s%.17g*cos(%.17g*t + %.17g)", k % 2 ? "" : "-1 + ", g.share, g.w,
                 g.phase);
        add_force(&b, 0, load);
        if (k % 2)
            add_friction(&b, "pad", "x'", NULL, coulomb(1, 1));
        else
            add_unilateral(&b, "floor", "x", NULL, NULL, 0, false);
        check_done(&b, slip_system_finish(b.ctx, b.system));
        run_outcome o =
            run_method(&b, "event", (slip_method_options){.tolerance = 1e-10, .segments = "exact"}, g.t0,
                       &zero, &zero, g.t0 + span);
        check_done(&b, o.status);
        assert_close(o.q[0], 0, 1e-12);
        assert_close(o.v[0], 0, 1e-10);
        run_finish(&o);
        clear(&b);
    }
}

/* A floor that falls as fast as a body at most, or faster or slower by next to nothing: the body stays on it,
 * but for the shortest flights. */
static void a_floor_grazes_free_fall(void **state)
{
    uint64_t seed = 28;
    (void)state;
    for (int k = 0; k < test_cases(600); k++) {
        const graze g = any_graze(&seed);
        const double size = g.share / (g.w * g.w), at = g.w * g.t0 + g.phase, q = size * cos(at),
                     v = -size * g.w * sin(at), end = g.t0 + 6.3 / g.w * test_random(&seed, 1, 12);
        char gap[200];
        bench b = build(1, x_only);
        add_force(&b, 0, "-1");
        snprintf(gap, sizeof gap, "x - %.17g*cos(%.17g*t + %.17g)", size, g.w, g.phase);
        add_unilateral(&b, "floor", gap, NULL, NULL, k % 2 ? 0.5 : 0, false);
        check_done(&b, slip_system_finish(b.ctx, b.system));
        run_outcome o = run_method(
            &b, "event", (slip_method_options){.tolerance = 1e-10, .segments = "exact"}, g.t0, &q, &v, end);
        check_done(&b, o.status);
        assert_close(o.q[0], size * cos(g.w * end + g.phase), 1e-7 * (1 + size));
        run_finish(&o);
        clear(&b);
    }
}

/* A vibration x = mu/k + A cos(wt) against a belt that is as fast as it is at most: friction is mu all the
 * time, but for the instants at which it sticks or is passed by next to nothing. */
static void a_vibration_grazes_its_belt(void **state)
{
    uint64_t seed = 27;
    (void)state;
    for (int k = 0; k < test_cases(600); k++) {
        const graze g = any_graze(&seed);
        const double stiffness = test_random(&seed, 0.2, 4), a = test_random(&seed, 0.01, 3),
                     size = a / (stiffness - g.w * g.w), mu = test_random(&seed, 0.1, 1),
                     end = g.t0 + 6.3 / g.w * test_random(&seed, 1, 12);
        const double at = g.w * g.t0 + g.phase, q = mu / stiffness + size * cos(at),
                     v = -size * g.w * sin(at);
        char load[200], slip[100];
        bench b = build(1, x_only);
        /* slower, and it sticks for a while at each graze */
        snprintf(slip, sizeof slip, "x' - %.17g", fabs(size) * g.w * fmax(g.share, 1));
        snprintf(load, sizeof load, "%.17g*cos(%.17g*t + %.17g) - %.17g*x", a, g.w, g.phase, stiffness);
        add_force(&b, 0, load);
        add_friction(&b, "belt", slip, NULL, coulomb(mu, 1));
        check_done(&b, slip_system_finish(b.ctx, b.system));
        run_outcome o = run_method(
            &b, "event", (slip_method_options){.tolerance = 1e-10, .segments = "exact"}, g.t0, &q, &v, end);
        check_done(&b, o.status);
        assert_close(o.q[0], mu / stiffness + size * cos(g.w * end + g.phase), 1e-7 * (1 + fabs(size)));
        run_finish(&o);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_the_final_time),    cmocka_unit_test(a_sliding_ball_bounces),
        cmocka_unit_test(bounces_that_turn_the_slip),  cmocka_unit_test(a_table_with_many_feet),
        cmocka_unit_test(many_balls_at_once),          cmocka_unit_test(a_motion_without_bound),
        cmocka_unit_test(loads_graze_a_limit),         cmocka_unit_test(a_floor_grazes_free_fall),
        cmocka_unit_test(a_vibration_grazes_its_belt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
