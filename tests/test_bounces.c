/* Bounces that accumulate: infinitely many in a finite time, wherever the floor is. Against closed forms and
 * a reference that adds up the flights one by one in extended precision; on Runge-Kutta and on closed-form
 * segments, upright and upside down. */
#include "run_system.h"

static const char *const kinds[] = {"rk", "exact"};
static const char *const x_and_y[] = {"x", "y"};
static const double heights[] = {0, 100, -1000, 1e6, 1e9};
enum { height_count = sizeof heights / sizeof *heights };

/* The last event that ends in contact. */
static int last_landing(const run_outcome *o)
{
    int found = -1;
    for (int k = 0; k < o->w->count; k++)
        if (o->w->events[k].from == SLIP_MODE_OPEN && o->w->events[k].to != SLIP_MODE_OPEN)
            found = k;
    assert_true(found >= 0);
    return found;
}

static void close_to(const char *what, double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        print_error("%s: %.15g, expected %.15g: off by %.3g\n", what, found, expected, found - expected);
    assert_true(fabs(found - expected) <= tolerance);
}

/* ---- A ball that slides while it bounces. It falls from height 1 with unit gravity, and rests after sqrt 2
 * (1
 * + e)/(1 - e). Without impact friction it keeps its speed until then; with it, friction takes mu times all
 * that gravity gives, bounces or not. */
static void slide(double h, int side, double e, bool rubs, const char *kind)
{
    const double rest = sqrt(2) * (1 + e) / (1 - e), end = rest + 2;
    const double q[2] = {0, h + side}, v[2] = {side * 100, 0};
    bench b = build(2, x_and_y);
    slip_law law = coulomb(0.5, 1);
    char gap[100];
    add_force(&b, 1, side > 0 ? "-1" : "1");
    snprintf(gap, sizeof gap, side > 0 ? "y - (%.17g)" : "(%.17g) - y", h);
    add_unilateral(&b, "floor", gap, "x'", &law, e, rubs);
    run_outcome o = run_event(&b, kind, 1e-10, q, v, end);
    check_done(&b, o.status);
    if (fabs(h) < 1e5) /* it looks at the coordinates */
        run_check_judge(&o);
    assert_int_equal(o.counters.accumulations, 1);
    assert_int_equal(o.w->events[last_landing(&o)].to, side > 0 ? SLIP_MODE_SLIP_PLUS : SLIP_MODE_SLIP_MINUS);
    /* rounding of each of the times adds up, the more the more bounces there are */
    const double tolerance = e < 0.95 ? 1e-11 : 1e-10;
    close_to("rest", o.w->events[last_landing(&o)].time, rest, tolerance);
    close_to("speed", side * o.v[0], 100 - 0.5 * (rubs ? end : 2), tolerance);
    assert_true(o.q[1] == h && o.v[1] == 0);
    run_finish(&o);
    clear(&b);
}

static void a_ball_slides_and_bounces(void **state)
{
    static const double restitutions[] = {1e-13, 1e-3, 0.1, 0.5, 0.9, 0.97};
    (void)state;
    for (int i = 0; i < height_count; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 8; j++)
                slide(heights[i], j & 1 ? -1 : 1, restitutions[k], j & 2, kinds[j / 4]);
}

/* ---- The same on a slope: the gap is made of two coordinates, both far from zero. */
static void a_ball_on_a_slope(void **state)
{
    (void)state;
    for (int i = 0; i < height_count; i++)
        for (int k = 0; k < 4; k++) {
            const int side = k & 1 ? -1 : 1;
            const double h = heights[i], e = 0.8, rest = sqrt(2) * (1 + e) / (1 - e), end = rest + 1;
            /* along the slope (0.8, -0.6), across it (0.6, 0.8) */
            const double q[2] = {side * 0.6 * (h + 1), side * 0.8 * (h + 1)}, v[2] = {side * 8, side * -6};
            const double height = 0.6 * (side * q[0]) + 0.8 * (side * q[1]) - h;
            bench b = build(2, x_and_y);
            slip_law law = coulomb(0.5, 1);
            char gap[100];
            add_force(&b, 0, side > 0 ? "-0.6" : "0.6");
            add_force(&b, 1, side > 0 ? "-0.8" : "0.8");
            snprintf(gap, sizeof gap, "%g*(0.6*x + 0.8*y) - (%.17g)", (double)side, h);
            add_unilateral(&b, "floor", gap, "0.8*x' - 0.6*y'", &law, e, false);
            run_outcome o = run_event(&b, kinds[k / 2], 1e-10, q, v, end);
            check_done(&b, o.status);
            assert_int_equal(o.counters.accumulations, 1);
            /* the height at the start is known to rounding of the coordinates */
            const double noise = 1e-11 + 4e-16 * fabs(h) * rest;
            close_to("rest", o.w->events[last_landing(&o)].time, rest * sqrt(height), noise);
            close_to("speed", side * (0.8 * o.v[0] - 0.6 * o.v[1]), 9.5, 2 * noise);
            run_finish(&o);
            clear(&b);
        }
}

/* ---- Floors and loads that move. */

/* A floor that rises faster and faster is one at rest under more gravity. */
static void a_floor_that_accelerates(void **state)
{
    (void)state;
    for (int i = 0; i < height_count; i++)
        for (int k = 0; k < 4; k++) {
            const int side = k & 1 ? -1 : 1;
            const double h = heights[i], e = 0.7, rest = sqrt(2 / 1.1) * (1 + e) / (1 - e);
            const double q[2] = {0, h + side}, v[2] = {0, 0};
            bench b = build(2, x_and_y);
            char gap[100];
            add_force(&b, 1, side > 0 ? "-1" : "1");
            snprintf(gap, sizeof gap, "%s*(y - (%.17g)) - 0.05*t^2", side > 0 ? "1" : "-1", h);
            add_unilateral(&b, "floor", gap, NULL, NULL, e, false);
            run_outcome o = run_event(&b, kinds[k / 2], 1e-11, q, v, 14);
            check_done(&b, o.status);
            assert_int_equal(o.counters.accumulations, 1);
            close_to("rest", o.w->events[last_landing(&o)].time, rest, 1e-11);
            run_finish(&o);
            clear(&b);
        }
}

/* sin u - u */
static long double sine_less(long double u)
{
    return fabsl(u) > 0.1L
               ? sinl(u) - u
               : -u * u * u / 6 * (1 - u * u / 20 * (1 - u * u / 42 * (1 - u * u / 72 * (1 - u * u / 110))));
}

/* Flight from the floor at t with speed v under the load -1 - 0.3 sin t: y and y' after u. */
static long double height_after(long double t, long double v, long double u, long double *rate)
{
    const long double half = sinl(u / 2);
    *rate = v - u + 0.3L * (cosl(t) * -2 * half * half - sinl(t) * (sine_less(u) + u));
    return v * u - u * u / 2 + 0.3L * (cosl(t) * sine_less(u) - sinl(t) * 2 * half * half);
}

/* Adds up all flights of a ball that leaves the floor at t = 0 with speed v. */
static double reference_rest(double speed, double e)
{
    long double t = 0, v = speed;
    while (v > 1e-17L) {
        long double u = 2 * v / (1 + 0.3L * sinl(t)), rate;
        for (int k = 0; k < 60; k++)
            u -= height_after(t, v, u, &rate) / rate;
        height_after(t, v, u, &rate);
        t += u;
        v = -e * rate;
    }
    return (double)t;
}

static void a_load_that_swings(void **state)
{
    (void)state;
    for (int i = 0; i < height_count; i++)
        for (int k = 0; k < 8; k++) {
            const int side = k & 1 ? -1 : 1;
            const double h = heights[i], e = k & 4 ? 0.9 : 0.6;
            const double q[2] = {0, h}, v[2] = {0, side * 0.8};
            bench b = build(2, x_and_y);
            char gap[100];
            add_force(&b, 1, side > 0 ? "-1 - 0.3*sin(t)" : "1 + 0.3*sin(t)");
            snprintf(gap, sizeof gap, side > 0 ? "y - (%.17g)" : "(%.17g) - y", h);
            add_unilateral(&b, "floor", gap, NULL, NULL, e, false);
            run_outcome o = run_event(&b, kinds[k / 2 % 2], 1e-12, q, v, 30);
            check_done(&b, o.status);
            assert_int_equal(o.counters.accumulations, 1);
            close_to("rest", o.w->events[last_landing(&o)].time, reference_rest(0.8, e),
                     k / 2 % 2 ? 1e-11 : 1e-9);
            run_finish(&o);
            clear(&b);
        }
}

/* Late in time a load lets a body at rest go, and throws it back within half a millisecond: its last flights
 * are lower than its gap is rounded. It rests until the load has its other sign, and so on. */
static void late_and_low(void **state)
{
    static const char *const x_only[] = {"x"};
    const double zero = 0, w = 1.8216000000000001, pi = acos(-1);
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b = build(1, x_only);
        add_force(&b, 0, "-0.5 - sin(1.8216000000000001*t)");
        add_unilateral(&b, "stop", "x", NULL, NULL, 0.8, false);
        check_done(&b, slip_system_finish(b.ctx, b.system));
        run_outcome o =
            run_method(&b, "event", (slip_method_options){.tolerance = 1e-11, .segments = kinds[k]}, 1000,
                       &zero, &zero, 1003);
        check_done(&b, o.status);
        int landing = 0;
        while (landing < o.w->count && o.w->events[landing].to == SLIP_MODE_OPEN)
            landing++;
        assert_true(landing + 1 < o.w->count && o.w->events[landing].time < 1000.0006);
        /* sin w t = -1/2, where it falls, for the first time after 1000 */
        const double turns = ceil((w * 1000 - 7 * pi / 6) / (2 * pi));
        close_to("lift-off", o.w->events[landing + 1].time, (7 * pi / 6 + 2 * pi * turns) / w, 1e-9);
        run_finish(&o);
        clear(&b);
    }
}

/* ---- More than one. */

/* A floor and a ceiling, in any order: the ball is thrown against the ceiling first, and rests on the floor.
 */
static void between_floor_and_ceiling(void **state)
{
    (void)state;
    for (int i = 0; i < height_count; i++)
        for (int k = 0; k < 8; k++) {
            const int side = k & 1 ? -1 : 1;
            const double h = heights[i], e = 0.8, q[2] = {0, h + side}, v[2] = {0, side * 2};
            /* up 1 from speed 2, then down 2 */
            const double up = 2 - sqrt(2), at_floor = sqrt(2 * e * e + 4);
            const double rest = up + at_floor - e * sqrt(2) + 2 * at_floor * e / (1 - e);
            bench b = build(2, x_and_y);
            char floor[100], ceiling[100];
            add_force(&b, 1, side > 0 ? "-1" : "1");
            snprintf(floor, sizeof floor, "%d*(y - (%.17g))", side, h);
            snprintf(ceiling, sizeof ceiling, "%d*((%.17g) - y)", side, h + 2 * side);
            for (int j = 0; j < 2; j++)
                add_unilateral(&b, j ? "second" : "first", j ^ (k & 4) / 4 ? ceiling : floor, NULL, NULL, e,
                               false);
            run_outcome o = run_event(&b, kinds[k / 2 % 2], 1e-10, q, v, 40);
            check_done(&b, o.status);
            assert_int_equal(o.counters.accumulations, 1);
            close_to("rest", o.w->events[last_landing(&o)].time, rest, 1e-10);
            run_finish(&o);
            clear(&b);
        }
}

/* Beside a much larger and faster neighbour that has nothing to do with it. */
static void beside_a_large_neighbour(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double e = 0.9, rest = sqrt(2) * (1 + e) / (1 - e), q[2] = {0, 1e3 + 1}, v[2] = {1e6, 0};
        bench b = build(2, x_and_y);
        b.system->stiffness[0] = 1;
        add_force(&b, 1, "-1");
        add_unilateral(&b, "floor", "y - 1000", NULL, NULL, e, false);
        run_outcome o = run_event(&b, kinds[k], 1e-10, q, v, 40);
        check_done(&b, o.status);
        assert_int_equal(o.counters.accumulations, 1);
        close_to("rest", o.w->events[last_landing(&o)].time, rest, 1e-9);
        run_finish(&o);
        clear(&b);
    }
}

/* Three balls under one load, each with its own restitution and floor. */
static void three_balls(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int side = k & 1 ? -1 : 1;
        const double q[3] = {side, side * 1e6 + side * 2.0, -side * 1e3 + side * 2.0}, v[3] = {0};
        bench b = build(3, names);
        double found[3] = {0};
        for (int i = 0; i < 3; i++) {
            const double h = q[i] - side * (i > 0 ? 2 : 1);
            char gap[100];
            add_force(&b, i, side > 0 ? "-1" : "1");
            snprintf(gap, sizeof gap, "%d*(%s - (%.17g))", side, names[i], h);
            add_unilateral(&b, names[i], gap, NULL, NULL, i < 2 ? 0.9 : 0.8, false);
        }
        run_outcome o = run_event(&b, kinds[k / 2], 1e-10, q, v, 45);
        check_done(&b, o.status);
        assert_int_equal(o.counters.accumulations, 3);
        for (int j = 0; j < o.w->count; j++)
            found[o.w->events[j].contact] = o.w->events[j].time;
        close_to("a", found[0], sqrt(2) * 19, 1e-10);
        close_to("b", found[1], 2 * 19, 1e-10);
        close_to("c", found[2], 2 * 9, 1e-10);
        run_finish(&o);
        clear(&b);
    }
}

/* A bar that rattles on two feet until both rest. What it does depends on every bounce before; it must not
 * depend on where the floor is. */
static void a_bar_on_two_feet(void **state)
{
    static const char *const names[] = {"y", "phi"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double first = 0;
        for (int i = 0; i < 8; i++) {
            const int side = i & 1 ? -1 : 1;
            const double h = (double[]){0, 128, -1024, 1048576}[i / 2];
            const double q[2] = {h + side, 0}, v[2] = {0, 0.3};
            bench b = build(2, names);
            char left[100], right[100];
            b.system->mass[3] = 0.5;
            add_force(&b, 0, side > 0 ? "-1" : "1");
            snprintf(left, sizeof left, "%d*(y - (%.17g)) - phi", side, h);
            snprintf(right, sizeof right, "%d*(y - (%.17g)) + phi", side, h);
            add_unilateral(&b, "left", left, NULL, NULL, 0.5, false);
            add_unilateral(&b, "right", right, NULL, NULL, 0.5, false);
            run_outcome o = run_event(&b, kinds[k], 1e-12, q, v, 40);
            check_done(&b, o.status);
            assert_true(o.q[0] == h && fabs(o.q[1]) < 1e-12 && o.v[0] == 0 && o.v[1] == 0);
            double rest = o.w->events[last_landing(&o)].time;
            if (i == 0)
                first = rest;
            close_to("rest", rest, first, 1e-9);
            run_finish(&o);
            clear(&b);
        }
    }
}

/* ---- An oscillator that is shaken against a stop repeats its motion to the last digits: impacts without
 * end, all alike, and no series that ends. */
static void impacts_that_repeat(void **state)
{
    static const char *const x[] = {"x"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double w = 1.6934215976826015, period = 2 * 3.14159265358979323846 / w, q = -2, v = -1;
        const int periods = k == 0 ? 600 : 2000;
        bench b = build(1, x);
        add_force(&b, 0, "cos(1.6934215976826015*t) - x - 0.14967360463443846*x'");
        add_unilateral(&b, "stop", "0.01940303520271696 - x", NULL, NULL, 0.58207431783996255, false);
        run_outcome o = run_event(&b, kinds[k], 1e-10, &q, &v, periods * period);
        check_done(&b, o.status);
        assert_int_equal(o.counters.accumulations, 0);
        assert_in_range(o.w->count, periods - 1, periods + 1);
        run_finish(&o);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_slides_and_bounces),
        cmocka_unit_test(a_ball_on_a_slope),
        cmocka_unit_test(a_floor_that_accelerates),
        cmocka_unit_test(a_load_that_swings),
        cmocka_unit_test(late_and_low),
        cmocka_unit_test(between_floor_and_ceiling),
        cmocka_unit_test(beside_a_large_neighbour),
        cmocka_unit_test(three_balls),
        cmocka_unit_test(a_bar_on_two_feet),
        cmocka_unit_test(impacts_that_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
