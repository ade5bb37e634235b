/* Points in a plane, and areas, that touch and lift off: closed forms. */
#include "point_test.h"

static const char *const names[] = {"x", "y", "z"};
static const double gravity = 10;

/* ---- A puck falls, slides in a straight line and stops. With restitution its bounces accumulate; without
 * impact friction it slides on as if it had rested since, since a flight takes no speed away. */

static void puck(double e, const char *method, double accuracy, double tolerance)
{
    const double q[3] = {0, 0, 0.2}, v[3] = {1.2, 0.9, 0}, mu = 0.3, speed = 1.5,
                 fall = sqrt(2 * q[2] / gravity), landed = fall * (1 + e) / (1 - e),
                 stop = landed + speed / (mu * gravity);
    bench b = build(3, names);
    patch_outcome o;
    add_force(&b, 2, "-10");
    add_pressed_point(&b, "puck", "z", "x'", "y'", coulomb(mu, 1), (const double[2]){mu, mu}, e, false);
    o = point_run(&b, method, accuracy, q, v, 2);
    patch_check_event(&o, o.w->count - 2, 0, "open>slip", landed, tolerance);
    patch_check_event(&o, o.w->count - 1, 0, "slip>stick", stop, tolerance);
    assert_close(o.q[0], 1.2 * (landed + 0.5 * speed / (mu * gravity)), tolerance);
    assert_close(o.q[1], 0.9 * (landed + 0.5 * speed / (mu * gravity)), tolerance);
    assert_true(o.v[0] == 0 && o.v[1] == 0);
    assert_true(fabs(o.q[2]) <= tolerance);
    if (strcmp(method, "event") == 0)
        assert_close(o.w->residual, 0, 1e-10);
    assert_true(o.w->power <= 0);
    patch_finish(&o);
    clear(&b);
}

static void test_puck(void **state)
{
    (void)state;
    puck(0, "event", 1e-12, 1e-9);
    puck(0.5, "event", 1e-12, 1e-7);
    puck(0, "moreau", 1e-4, 1e-3);
    puck(0, "midpoint_stabilised", 1e-4, 1e-3);
    puck(0.5, "moreau", 1e-4, 5e-3);
}

/* ---- The normal force follows from the friction: masses that couple x and y with z, as a body pushed off
 * its centre. Along the direction n of the coupling c, N = m g + c s'' and s'' = F - mu N. */

static void test_coupled(void **state)
{
    const double zero[3] = {0, 0, 0}, mu = 0.4, c = 0.5, m = 1.5;
    (void)state;
    for (int k = 0; k < 16; k++) {
        const double angle = 0.3 + 0.4 * k, n[2] = {cos(angle), sin(angle)}, ratio = k % 2 ? 1.25 : 1,
                     start = ratio * mu * m * gravity, end = start + 0.5, sign = k % 3 ? 1 : -1;
        /* F = sign t: from the onset on s'' = (F - sign mu m g)/(1 + sign mu c) */
        const double tau = end - start, over = start - mu * m * gravity,
                     way = sign * (over * tau * tau / 2 + tau * tau * tau / 6) / (1 + sign * mu * c);
        bench b = build(3, names);
        char text[60];
        patch_outcome o;
        for (int i = 0; i < 2; i++) {
            b.system->mass[3 * i + 2] = b.system->mass[6 + i] = c * n[i];
            snprintf(text, sizeof text, "%.17g*t", sign * n[i]);
            add_force(&b, i, text);
        }
        b.system->mass[8] = m;
        snprintf(text, sizeof text, "%.17g", -m * gravity);
        add_force(&b, 2, text);
        add_pressed_point(&b, "block", "z", "x'", "y'", coulomb(mu, ratio), (const double[2]){mu, mu}, 0,
                          false);
        o = point_run(&b, "event", 1e-11, zero, zero, end);
        assert_int_equal(o.w->count, 1);
        patch_check_event(&o, 0, 0, "stick>slip", start, 1e-10);
        assert_close(o.q[0] * n[0] + o.q[1] * n[1], way, 1e-8);
        assert_close(o.q[0] * n[1] - o.q[1] * n[0], 0, 1e-9);
        assert_close(o.w->residual, 0, 1e-9);
        patch_finish(&o);
        clear(&b);
    }
}

/* ---- Pulled up it opens where the load is gone, slipping or sticking; and lands again. */

static void test_lifts_off(void **state)
{
    const double q[3] = {0, 0, 0}, mu = 0.3;
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double v[3] = {k ? 5 : 0, 0, 0}, lift = asin(1 / 1.5);
        bench b = build(3, names);
        patch_outcome o;
        add_force(&b, 2, "-10 + 15*sin(t)");
        add_pressed_point(&b, "block", "z", "x'", "y'", coulomb(mu, 1), (const double[2]){mu, mu}, 0, false);
        o = point_run(&b, "event", 1e-11, q, v, 6);
        assert_true(o.w->count >= 2);
        patch_check_event(&o, 0, 0, k ? "slip>open" : "stick>open", lift, 1e-9);
        assert_true(o.w->events[1].from == SLIP_MODE_OPEN);
        /* friction until then takes mu times the impulse of the normal force */
        if (k == 1)
            assert_close(o.w->states[0][2], 5 - mu * (10 * lift - 15 * (1 - cos(lift))), 1e-9);
        assert_close(o.w->residual, 0, 1e-9);
        patch_finish(&o);
        clear(&b);
    }
}

/* ---- Three legs of one body: statics says what each carries, as long as none lifts off. */

static void test_legs(void **state)
{
    static const char *const body[] = {"x", "y", "z", "a", "b"}; /* a, b: turns about the axes x and y */
    static const double places[3][2] = {{1, 0}, {-0.5, 0.8}, {-0.5, -0.8}};
    const double q[5] = {0}, v[5] = {1, 0.7, 0, 0, 0}, mu = 0.2, height = 0.4;
    bench b = build(5, body);
    patch_outcome o;
    double speed = hypot(v[0], v[1]);
    (void)state;
    b.system->mass[3 * 6] = b.system->mass[4 * 6] = 0.3;
    add_force(&b, 2, "-10");
    for (int k = 0; k < 3; k++) {
        char name[2] = {(char)('p' + k), 0}, gap[100], x[60], y[60];
        snprintf(gap, sizeof gap, "z + %.17g*a - %.17g*b", places[k][1], places[k][0]);
        snprintf(x, sizeof x, "x' - %.17g*b'", height);
        snprintf(y, sizeof y, "y' + %.17g*a'", height);
        add_pressed_point(&b, name, gap, x, y, coulomb(mu, 1), (const double[2]){mu, mu}, 0, false);
    }
    o = point_run(&b, "event", 1e-11, q, v, 2);
    /* all slide with one velocity: together mu m g against it */
    assert_int_equal(o.w->count, 3);
    for (int k = 0; k < 3; k++)
        patch_check_event(&o, k, o.w->events[k].contact, "slip>stick", speed / (mu * gravity), 1e-8);
    assert_close(o.q[0], v[0] * speed / (2 * mu * gravity), 1e-8);
    assert_close(o.q[1], v[1] * speed / (2 * mu * gravity), 1e-8);
    assert_close(o.w->residual, 0, 1e-8);
    patch_finish(&o);
    clear(&b);
}

/* The same on an incline with a cross velocity, about a centre of mass next to the ground: as one point under
 * the whole load, whose direction turns until it rests. */
static void test_legs_turn(void **state)
{
    static const char *const body[] = {"x", "y", "z", "a", "b"};
    static const double places[3][2] = {{1, 0}, {-0.5, 0.8}, {-0.5, -0.8}};
    const double q[5] = {0}, v[5] = {0, 1.5, 0, 0, 0}, mu = 0.3;
    bench b = build(5, body), c = build(2, body);
    patch_outcome o, one;
    (void)state;
    b.system->mass[3 * 6] = b.system->mass[4 * 6] = 0.3;
    add_force(&b, 2, "-10");
    add_force(&b, 0, "1.5");
    add_force(&c, 0, "1.5");
    for (int k = 0; k < 3; k++) {
        char name[2] = {(char)('p' + k), 0}, gap[100];
        snprintf(gap, sizeof gap, "z + %.17g*a - %.17g*b", places[k][1], places[k][0]);
        add_pressed_point(&b, name, gap, "x' - 0.1*b'", "y' + 0.1*a'", coulomb(mu, 1),
                          (const double[2]){mu, mu}, 0, false);
    }
    add_round_point(&c, "all", "x'", "y'", "10", mu, 1);
    o = point_run(&b, "event", 1e-10, q, v, 2);
    one = point_run(&c, "event", 1e-10, q, v, 2);
    assert_int_equal(o.w->count, 3);
    assert_close(o.w->events[0].time, one.w->events[0].time, 1e-8);
    for (int i = 0; i < 2; i++)
        assert_close(o.q[i], one.q[i], 1e-8);
    patch_finish(&o);
    patch_finish(&one);
    clear(&b);
    clear(&c);
}

/* ---- Impacts with friction: Coulomb's law for the impulses, in the plane. */

/* A ball that strikes the floor at an angle. What it takes of the slip is mu (1 + e) v_n, or all of it; with
 * a mass that couples the directions the normal impulse follows from the friction. Fixed steps come to the
 * same. */
static void test_oblique_impact(void **state)
{
    (void)state;
    for (int k = 0; k < 24; k++) {
        const double angle = 0.2 + 0.55 * k, n[2] = {cos(angle), sin(angle)}, e = k % 3 == 0 ? 0 : 0.4,
                     mu = k % 2 ? 0.3 : 0.15, c = k % 4 < 2 ? 0 : 0.3, down = 2,
                     along = k % 5 == 4 ? 0.1 : 1.5;
        const double q[3] = {0, 0, 0.1}, v[3] = {along * n[0], along * n[1], -down};
        /* s' + c z' = P_t, c s' + z' = P_n for the changes s', z': stick, or slip to the side of sign */
        const double z = (1 + e) * down, held = -along + c * z, pressed = z - c * along,
                     sign = held > 0 ? -1 : 1;
        const double slip =
            fabs(held) <= mu * pressed ? 0 : along - z * (c + sign * mu) / (1 + sign * mu * c);
        bench b = build(3, names);
        patch_outcome o, small;
        for (int i = 0; i < 2; i++)
            b.system->mass[3 * i + 2] = b.system->mass[6 + i] = c * n[i];
        add_pressed_point(&b, "ball", "z", "x'", "y'", coulomb(mu, 1), (const double[2]){mu, mu}, e, true);
        o = point_run(&b, "event", 1e-11, q, v, 0.06);
        assert_true(o.w->count >= 1);
        assert_close(o.w->events[0].time, 0.05, 1e-10);
        assert_close(o.v[2], e * down, 1e-11);
        assert_close(o.v[0] * n[0] + o.v[1] * n[1], slip, 1e-11);
        assert_close(o.v[0] * n[1] - o.v[1] * n[0], 0, 1e-12);
        for (int method = 0; method < 2; method++) {
            small = point_run(&b, method ? "midpoint_stabilised" : "moreau", 1e-4, q, v, 0.06);
            for (int i = 0; i < 3; i++)
                assert_close(small.v[i], o.v[i], 1e-9);
            patch_finish(&small);
        }
        patch_finish(&o);
        clear(&b);
    }
}

/* Whatever the masses and the cone: the impulse obeys the law, and with e = 0 no energy is gained. */
static void test_random_impacts(void **state)
{
    uint64_t seed = 77;
    (void)state;
    for (int k = 0; k < test_cases(300); k++) {
        const double mu[2] = {test_random(&seed, 0.1, 0.8), test_random(&seed, 0.1, 0.8)},
                     hold = fmax(mu[0], mu[1]);
        const double q[3] = {0, 0, 0.02}, v[3] = {test_random(&seed, -2, 2), test_random(&seed, -2, 2), -1};
        double before = 0, after = 0, P[3] = {0, 0, 0}, away, limit;
        bench b = build(3, names);
        patch_outcome o;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                b.system->mass[3 * i + j] = b.system->mass[3 * j + i] = test_random(&seed, -0.3, 0.3);
        add_pressed_point(&b, "ball", "z", "x'", "y'", coulomb(hold, 1), mu, 0, true);
        o = point_run(&b, "event", 1e-11, q, v, 0.02 + 1e-9);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                P[i] += b.system->mass[3 * i + j] * (o.v[j] - v[j]);
                before += 0.5 * v[i] * b.system->mass[3 * i + j] * v[j];
                after += 0.5 * o.v[i] * b.system->mass[3 * i + j] * o.v[j];
            }
        limit = hypot(P[0] / mu[0], P[1] / mu[1]);
        away = hypot(o.v[0], o.v[1]);
        assert_true(after <= before + 1e-12);
        assert_close(o.v[2], 0, 1e-12);
        assert_true(P[2] > 0 && limit <= P[2] * (1 + 1e-7));
        if (away > 1e-6) { /* it slides: on the cone, and against the slip as it dissipates most */
            const double s = hypot(mu[0] * o.v[0], mu[1] * o.v[1]);
            assert_close(P[0], -P[2] * mu[0] * mu[0] * o.v[0] / s, 1e-7);
            assert_close(P[1], -P[2] * mu[1] * mu[1] * o.v[1] / s, 1e-7);
        }
        patch_finish(&o);
        clear(&b);
    }
}

/* ---- An area: a disc that falls, slides and spins; from the landing on it is one with a given normal force.
 */

static void test_disc(void **state)
{
    static const char *const disc[] = {"x", "y", "phi", "z"};
    const double q[4] = {0, 0, 0, 0.2}, v[4] = {1, 0.3, 2, 0}, fall = 0.2;
    slip_patch_options area = slip_patch_options_default();
    bench b = build(4, disc), c = build(4, disc);
    slip_patch_contact pad = {.name = "pad", .mu = 0.3};
    patch_outcome o, flat;
    (void)state;
    area.radius = 0.5;
    add_force(&b, 3, "-10");
    b.system->mass[2 * 5] = c.system->mass[2 * 5] = 0.125;
    pad.slip[0] = compile(&b, "x'");
    pad.slip[1] = compile(&b, "y'");
    pad.slip[2] = compile(&b, "phi'");
    pad.gap = compile(&b, "z");
    check_done(&b, slip_patch_create(b.ctx, &area, &pad.law));
    check_done(&b, slip_system_add_patch(b.ctx, b.system, &pad));
    add_patch(&c, "pad", "x'", "y'", "phi'", "10", 0.3, &area);
    o = point_run(&b, "event", 1e-11, q, v, 2);
    flat = point_run(&c, "event", 1e-11, q, v, 2 - fall);
    assert_int_equal(o.w->count, 2);
    patch_check_event(&o, 0, 0, "open>slip", fall, 1e-10);
    patch_check_event(&o, 1, 0, "slip>stick", fall + flat.w->events[0].time, 1e-9);
    for (int i = 0; i < 3; i++)
        assert_close(o.q[i], flat.q[i] + fall * v[i], 1e-9);
    assert_close(o.w->residual, 0, 1e-9);
    patch_finish(&o);
    patch_finish(&flat);
    clear(&b);
    clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_puck),           cmocka_unit_test(test_coupled),
        cmocka_unit_test(test_lifts_off),      cmocka_unit_test(test_legs),
        cmocka_unit_test(test_legs_turn),      cmocka_unit_test(test_oblique_impact),
        cmocka_unit_test(test_random_impacts), cmocka_unit_test(test_disc)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
