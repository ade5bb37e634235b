/* Closed-form segments and their events: the published jack plane, closed forms, grazing, what is refused. */
#include "exact_builder.h"
#include "system/structure/structure.h"

/* ---- The published jack plane, its segments chained by hand. */

static slip_exact_condition ending(slip_mode mode, bool lifts)
{
    if (mode == SLIP_MODE_OPEN)
        return SLIP_EXACT_GAP;
    return mode == SLIP_MODE_STICK ? SLIP_EXACT_HOLD : lifts ? SLIP_EXACT_NORMAL : SLIP_EXACT_SLIP;
}

static void check_chain(bench *b, const expected_event *expected, int count, double end)
{
    slip_exact *exact = create(b);
    double t = 0, q[2] = {0, 0}, v[2] = {0, 0.1};
    for (int k = 0; k < count; k++) {
        slip_exact_event event = {0};
        bool lifts = k + 1 < count && expected[k + 1].before == SLIP_MODE_OPEN;
        check_done(b, slip_exact_start(exact, &expected[k].before, NULL, t, q, v));
        assert_int_equal(slip_exact_first_event(exact, end, &event), 1);
        assert_int_equal(event.contact, 0);
        assert_true(slip_exact_ended(exact, 0));
        assert_int_equal(event.condition, ending(expected[k].before, lifts));
        if (event.condition == SLIP_EXACT_HOLD && k + 1 < count)
            assert_int_equal(event.sign, expected[k + 1].before == SLIP_MODE_SLIP_PLUS ? -1 : 1);
        assert_close(event.t, expected[k].t, 1e-13 + 4e-15 * event.t);
        t = event.t;
        slip_exact_state(exact, t, q, v, NULL);
        assert_close(q[1], expected[k].x, 2e-14);
        assert_close(v[1], expected[k].v, 5e-14);
        if (event.condition == SLIP_EXACT_SLIP)
            v[1] = 0;
        if (event.condition == SLIP_EXACT_GAP)
            q[0] = v[0] = 0;
    }
    slip_exact_destroy(exact);
    clear(b);
}

static void published_events(void **state)
{
    bench a = jack_plane(0.4, "1.3"), b = jack_plane(0.3, "0.5");
    (void)state;
    check_chain(&a, events_a, sizeof events_a / sizeof *events_a, 400);
    check_chain(&b, events_b, sizeof events_b / sizeof *events_b, 400);
}

/* ---- Closed forms. */

static void start_one(bench *b, slip_exact *exact, slip_mode mode, double t, double q, double v)
{
    check_done(b, slip_exact_start(exact, &mode, NULL, t, &q, &v));
}

static void check_state(const slip_exact *exact, double t, double q, double v, double tolerance)
{
    double found_q, found_v;
    slip_exact_state(exact, t, &found_q, &found_v, NULL);
    assert_close(found_q, q, tolerance * fmax(1, fabs(q)));
    assert_close(found_v, v, tolerance * fmax(1, fabs(v)));
}

static void resonance_drift_and_critical_damping(void **state)
{
    static const char *const names[] = {"x"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b = build(1, names);
        b.system->stiffness[0] = k < 2;
        b.system->damping[0] = k == 1 ? 2 : 0;
        if (k == 0)
            add_force(&b, 0, "sin(t)");
        if (k == 2)
            add_force(&b, 0, "6*t - 2 + 4*cos(2*t)");
        slip_exact *exact = create(&b);
        check_done(&b, slip_exact_start(exact, NULL, NULL, 0, (double[]){0.3}, (double[]){-0.2}));
        assert_true(k != 3 || slip_exact_rate(exact) == 0);
        for (int i = 0; i <= 60; i++) {
            double t = i < 50 ? 0.37 * i : 17.0 * (i - 48), e = exp(-t);
            if (k == 0) /* resonance */
                check_state(exact, t, 0.3 * cos(t) - 0.2 * sin(t) + 0.5 * (sin(t) - t * cos(t)),
                            -0.3 * sin(t) - 0.2 * cos(t) + 0.5 * t * sin(t), 1e-13);
            if (k == 1) /* x = (0.3 + 0.1 t) e^-t */
                check_state(exact, t, (0.3 + 0.1 * t) * e, (-0.2 - 0.1 * t) * e, 4e-15);
            if (k == 2) /* a rigid body */
                check_state(exact, t, 1.3 - 0.2 * t + t * t * t - t * t - cos(2 * t),
                            -0.2 + 3 * t * t - 2 * t + 2 * sin(2 * t), 1e-14);
            if (k == 3)
                check_state(exact, t, 0.3 - 0.2 * t, -0.2, 4e-16);
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
}

/* Equal frequencies, coupled only by damping that is not proportional; and a chain of equal integrators,
 * whose generator has one eigenvalue and one eigenvector. */
/* q'' + 1e-4 q = t^3 from rest at t = 0: q = t^5/20 at first, however little that is beside what is to come.
 */
static void slow_motion_starts_exactly(void **state)
{
    static const double times[] = {1e-6, 1e-4, 1e-3, 5e-3, 0.02, 0.3, 1};
    static const char *const names[] = {"u"};
    const double k = 1e-4;
    bench b = build(1, names);
    (void)state;
    b.system->stiffness[0] = k;
    add_force(&b, 0, "t^3");
    slip_exact *exact = create(&b);
    start_one(&b, exact, SLIP_MODE_OPEN, 0, 0, 0);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double t = times[i], q, v, x = k * t * t;
        slip_exact_state(exact, t, &q, &v, NULL);
        double expected = pow(t, 5) / 20 * (1 - x / 42 * (1 - x / 72));
        assert_close(q, expected, 1e-11 * expected);
    }
    slip_exact_destroy(exact);
    clear(&b);
}

static void equal_eigenvalues(void **state)
{
    static const char *const names[] = {"x", "y"};
    const double damping[] = {2, 0, 0, 2}, stiffness[] = {1, 0, -1, 1}, q0[] = {1, 0}, v0[] = {0, 0};
    bench b = build(2, names);
    (void)state;
    memcpy(b.system->damping, damping, sizeof damping);
    memcpy(b.system->stiffness, stiffness, sizeof stiffness);
    slip_exact *exact = create(&b);
    check_done(&b, slip_exact_start(exact, NULL, NULL, 0, q0, v0));
    for (double t = 0; t < 20; t += 0.61) {
        double q[2], e = exp(-t);
        slip_exact_state(exact, t, q, NULL, NULL);
        assert_close(q[0], (1 + t) * e, 4e-15);
        assert_close(q[1], (t * t / 2 + t * t * t / 6) * e, 4e-15);
    }
    slip_exact_destroy(exact);
    clear(&b);
}

/* ---- Events with closed forms. */

static bool first(slip_exact *exact, double end, double *t)
{
    slip_exact_event event = {0};
    int found = slip_exact_first_event(exact, end, &event);
    *t = event.t;
    return found;
}

/* Slip that starts with zero velocity and zero acceleration, v = 1 - cos t: it touches zero after a period,
 * which is no event. With an acceleration c at the start, v = 1 - cos t + c sin t, it ends at 2 pi - 2 atan
 * c, with a lowest velocity of -c^2/2. */
static void slip_starts_at_zero_and_grazes(void **state)
{
    static const char *const names[] = {"x"};
    const double accelerations[] = {0, 1e-1, 1e-3, 1e-5, 3e-7};
    const double pi = 3.14159265358979323846;
    (void)state;
    for (int k = 0; k < 5; k++) {
        char load[60];
        double t, c = accelerations[k];
        bench b = build(1, names);
        b.system->stiffness[0] = 1;
        snprintf(load, sizeof load, "t + %.17g", c);
        add_force(&b, 0, load);
        add_friction(&b, "pad", "x'", NULL, coulomb(1, 1));
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_STICK, -0.5, 0, 0);
        assert_true(first(exact, 5, &t));
        assert_close(t, 1 - c, 1e-15);
        start_one(&b, exact, SLIP_MODE_SLIP_PLUS, 1, 0, 0);
        if (c == 0) {
            assert_false(first(exact, 1 + 2 * pi * 3.9, &t));
        } else {
            /* near a double root, rounding of v moves the root by rounding / c */
            assert_true(first(exact, 100, &t));
            assert_close(t, 1 + 2 * pi - 2 * atan(c), 1e-14 + 1e-15 / c);
            assert_false(first(exact, 1 + 2 * pi - 2.1 * atan(c) - 1e-14, &t));
        }
        /* the wrong direction is over at once */
        start_one(&b, exact, SLIP_MODE_SLIP_MINUS, 1, 0, 0);
        assert_true(first(exact, 100, &t));
        assert_true(t == 1);
        slip_exact_destroy(exact);
        clear(&b);
    }
}

static void gap_grazes(void **state)
{
    static const char *const names[] = {"x"};
    const double depths[] = {-1e-3, -1e-12, 0, 1e-12, 1e-8, 1e-3};
    (void)state;
    for (int k = 0; k < 6; k++) {
        char gap[60];
        double t, depth = depths[k];
        bench b = build(1, names);
        b.system->stiffness[0] = 1;
        snprintf(gap, sizeof gap, "x + %.17g", 1 - depth);
        add_unilateral(&b, "stop", gap, NULL, NULL, 1, false);
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_OPEN, 0, 1, 0);
        if (depth > 0) {
            assert_true(first(exact, 100, &t));
            assert_close(t, acos(depth - 1), 1e-14 + 1e-15 / sqrt(depth));
        } else {
            assert_false(first(exact, 50, &t));
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
}

/* Flights: polynomials, over times from tiny to huge; a gap that opens from zero with its third rate. */
static void flights(void **state)
{
    static const char *const names[] = {"x"};
    double t;
    (void)state;
    for (int k = -12; k <= 12; k++) {
        double speed = pow(10, k);
        bench b = build(1, names);
        add_force(&b, 0, "-9.81");
        add_unilateral(&b, "ground", "x", NULL, NULL, 1, false);
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_OPEN, 0, 0, speed);
        assert_true(first(exact, speed, &t));
        assert_close_relative(t, 2 * speed / 9.81, 1e-15);
        assert_false(first(exact, 2 * speed / 9.81 * 0.999999, &t));
        start_one(&b, exact, SLIP_MODE_OPEN, 0, speed, 0);
        assert_true(first(exact, 1e3 * (1 + speed), &t));
        assert_close_relative(t, sqrt(2 * speed / 9.81), 1e-15);
        start_one(&b, exact, SLIP_MODE_OPEN, 2, 0, 0); /* falls at once */
        assert_true(first(exact, 3, &t));
        assert_true(t == 2);
        slip_exact_destroy(exact);
        clear(&b);
    }
    bench b = build(1, names);
    add_force(&b, 0, "-1 + t - 0.1*t^2");
    add_unilateral(&b, "ground", "x", NULL, NULL, 1, false);
    slip_exact *exact = create(&b);
    double lift = 5 - sqrt(15); /* the normal force 1 - t + t^2/10 vanishes */
    start_one(&b, exact, SLIP_MODE_CLOSED, 0, 0, 0);
    assert_true(first(exact, 10, &t));
    assert_close(t, lift, 4e-16);
    start_one(&b, exact, SLIP_MODE_OPEN, t, 0, 0);
    assert_true(first(exact, 100, &t));
    /* with u = t - lift the acceleration is c u - u^2/10, c = sqrt(15)/5, the gap c u^3/6 - u^4/120 */
    assert_close(t, lift + 4 * sqrt(15), 2e-14);
    slip_exact_destroy(exact);
    clear(&b);
}

/* A gap that closes with a constant speed, beside an oscillator: its time, and where the oscillator is then.
 */
static void flights_beside_an_oscillator(void **state)
{
    static const char *const names[] = {"x", "y"};
    static const slip_mode open = SLIP_MODE_OPEN;
    bench b = build(2, names);
    (void)state;
    b.system->stiffness[3] = 1;
    add_unilateral(&b, "wall", "x", NULL, NULL, 1, false);
    slip_exact *exact = create(&b);
    for (int k = 1; k <= 400; k++) {
        const double hit = 0.0137 * k, start_q[] = {0.3 * hit, 1}, start_v[] = {-0.3, 0};
        slip_exact_event event = {0};
        double q[2], v[2];
        check_done(&b, slip_exact_start(exact, &open, NULL, 0, start_q, start_v));
        assert_int_equal(slip_exact_first_event(exact, 40, &event), 1);
        assert_close(event.t, hit, 2e-15 * (1 + hit));
        slip_exact_state(exact, event.t, q, v, NULL);
        assert_close(q[1], cos(event.t), 1e-14);
        assert_close(v[1], -sin(event.t), 1e-14);
    }
    slip_exact_destroy(exact);
    clear(&b);
}

/* Two fast waves that beat: the gap dips below zero for a moment, many periods later. The slow and obvious
 * twin: extrema of the sum from its derivative's sign, finely sampled. */
static void short_dips_are_not_passed_over(void **state)
{
    static const char *const names[] = {"x"};
    uint64_t seed = 3;
    (void)state;
    for (int k = 0; k < 30; k++) {
        char gap[200];
        double w1 = test_random(&seed, 5, 40), w2 = test_random(&seed, 5, 40), level = 1.9, t, expected = NAN,
               previous = 1;
        snprintf(gap, sizeof gap, "x + %.17g + cos(%.17g*t) + sin(%.17g*t)", level + 0.0999 * (k % 2), w1,
                 w2);
        bench b = build(1, names);
        add_unilateral(&b, "stop", gap, NULL, NULL, 1, false);
        slip_exact *exact = create(&b);
        start_one(&b, exact, SLIP_MODE_OPEN, 0, 0, 0);
        for (int i = 0; i < 800000 && isnan(expected); i++) {
            double at = 20.0 * i / 800000, g = level + 0.0999 * (k % 2) + cos(w1 * at) + sin(w2 * at);
            if (g < 0 && previous >= 0)
                expected = at;
            previous = g;
        }
        bool found = first(exact, 20, &t);
        if (!isnan(expected)) {
            assert_true(found);
            assert_true(t <= expected && (t > expected - 2.6e-5 || t < expected));
            assert_close(level + 0.0999 * (k % 2) + cos(w1 * t) + sin(w2 * t), 0, 1e-12);
        } else if (found) {
            assert_close(level + 0.0999 * (k % 2) + cos(w1 * t) + sin(w2 * t), 0, 1e-12);
        }
        slip_exact_destroy(exact);
        clear(&b);
    }
}

/* ---- The rest. */

/* The same pad twice: each takes half of the force. */
static void forces_that_are_not_unique_are_least(void **state)
{
    static const char *const names[] = {"x", "y"};
    const slip_mode modes[] = {SLIP_MODE_STICK, SLIP_MODE_STICK, SLIP_MODE_STICK};
    const double q[] = {0.5, 0.25}, v[] = {0, 0};
    double slip[3], force[3], a[2];
    bench b = build(2, names);
    (void)state;
    b.system->stiffness[0] = b.system->stiffness[3] = 4;
    add_force(&b, 0, "3*cos(t)");
    add_friction(&b, "one", "x'", NULL, coulomb(3, 1));
    add_friction(&b, "two", "x'", NULL, coulomb(2, 1));
    add_friction(&b, "three", "y'", NULL, coulomb(2, 1));
    slip_exact *exact = create(&b);
    check_done(&b, slip_exact_start(exact, modes, NULL, 0, q, v));
    slip_exact_state(exact, 0.7, NULL, NULL, a);
    slip_exact_contacts(exact, 0.7, slip, NULL, force, NULL);
    assert_close(force[0], 1 - 1.5 * cos(0.7), 1e-15);
    assert_close(force[1], 1 - 1.5 * cos(0.7), 1e-15);
    assert_close(force[2], 1, 1e-15);
    assert_true(a[0] == 0 && a[1] == 0 && slip[0] == 0 && slip[1] == 0);
    slip_exact_destroy(exact);
    clear(&b);
}

/* More mode sets than are kept: what is made again is the same, bit by bit. */
static void many_mode_sets(void **state)
{
    static const slip_mode all[] = {SLIP_MODE_STICK, SLIP_MODE_SLIP_PLUS, SLIP_MODE_SLIP_MINUS};
    double first_round[81][4];
    bench b = build(4, coordinate_names);
    (void)state;
    for (int i = 0; i < 4; i++) {
        char slip[30];
        b.system->stiffness[i * 5] = 2;
        snprintf(slip, sizeof slip, "%s' - %s'", coordinate_names[i], coordinate_names[(i + 1) % 4]);
        add_friction(&b, coordinate_names[i], i < 3 ? slip : "d'", NULL, coulomb(1, 1));
        add_force(&b, i, "cos(t)");
    }
    slip_exact *exact = create(&b);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 81; k++) {
            const slip_mode modes[] = {all[k % 3], all[k / 3 % 3], all[k / 9 % 3], all[k / 27]};
            double q[] = {0.1, 0.2, 0.3, 0.4}, v[] = {0, 0, 0, 0};
            check_done(&b, slip_exact_start(exact, modes, NULL, 0, q, v));
            slip_exact_state(exact, 2, q, v, NULL);
            if (round == 0)
                memcpy(first_round[k], q, sizeof q);
            assert_memory_equal(first_round[k], q, sizeof q);
        }
    slip_exact_destroy(exact);
    clear(&b);
}

static void check_reason(bench *b, const char *expected)
{
    char reason[300] = "";
    slip_exact *exact = NULL;
    bool applies = slip_exact_applies(b->system, reason, sizeof reason);
    if (applies || !strstr(reason, expected)) {
        print_error("reason: %s\nexpected: %s\n", reason, expected);
        fail();
    }
    check_done(b, slip_system_finish(b->ctx, b->system));
    assert_int_equal(slip_exact_create(b->ctx, b->system, NULL, &exact), SLIP_ERROR_MODEL);
    assert_non_null(strstr(slip_context_message(b->ctx), expected));
    clear(b);
}

static void push_back(const slip_system *system, slip_workspace *workspace, double t, const double *q,
                      const double *v, double *force)
{
    (void)system, (void)workspace, (void)t, (void)v;
    force[0] -= q[0];
}

static void says_why_it_does_not_apply(void **state)
{
    static const char *const names[] = {"x"};
    slip_law law = coulomb(1, 1), smooth = slip_law_default("tanh");
    (void)state;
    smooth.mu = smooth.velocity = 1;
    bench b = build(1, names);
    add_force(&b, 0, "x^2");
    check_reason(&b, "force on `x`: `x^2`");
    b = build(1, names);
    add_force(&b, 0, "exp(-t)");
    check_reason(&b, "`exp(-t)` is not a sum of harmonics");
    b = build(1, names);
    add_force(&b, 0, "t^8");
    check_reason(&b, "`t^8`");
    b = build(1, names);
    add_friction(&b, "pad", "x'", NULL, smooth);
    check_reason(&b, "contact `pad`: law `tanh`");
    b = build(1, names);
    add_friction(&b, "pad", "x'", "1 + x", law);
    check_reason(&b, "contact `pad`: normal_force `1 + x`");
    b = build(1, names);
    add_friction(&b, "pad", "x'*cos(t)", NULL, law);
    check_reason(&b, "contact `pad`: the coefficients of slip");
    b = build(1, names);
    law.viscous = 0.1;
    add_friction(&b, "pad", "x'", "1 + t", law);
    check_reason(&b, "contact `pad`: viscous");
    b = build(1, names);
    add_unilateral(&b, "stop", "x + exp(t)", NULL, NULL, 0, false);
    check_reason(&b, "contact `stop`: gap");
    b = build(1, names);
    slip_structure pushing = *b.system->structure;
    pushing.push = push_back;
    b.system->structure = &pushing;
    check_reason(&b, "has forces of its own");
}

/* `exact` demands closed forms, `auto` and `rk` do without where there are none. */
static void segments_can_be_demanded(void **state)
{
    static const char *const names[] = {"x"}, *const words[] = {"exact", "auto", "rk", NULL};
    const slip_method_type *type = slip_method_find("event");
    const double zero = 0;
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_method_options options = {.tolerance = 1e-8, .span = 1, .segments = words[k]};
        slip_observer none = {0};
        void *self = NULL;
        bench b = build(1, names);
        add_force(&b, 0, "exp(-t)");
        check_done(&b, slip_system_finish(b.ctx, b.system));
        int status = type->open(b.ctx, b.system, &options, 0, &zero, &zero, &self);
        assert_int_equal(status, k == 0 ? SLIP_ERROR_MODEL : SLIP_OK);
        if (k == 0)
            assert_non_null(strstr(slip_context_message(b.ctx), "segments: `exact` is not possible here: "
                                                                "force on `x`"));
        else
            check_done(&b, type->advance(self, 1, &none));
        type->close(self);
        clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_events),
        cmocka_unit_test(resonance_drift_and_critical_damping),
        cmocka_unit_test(slow_motion_starts_exactly),
        cmocka_unit_test(equal_eigenvalues),
        cmocka_unit_test(slip_starts_at_zero_and_grazes),
        cmocka_unit_test(gap_grazes),
        cmocka_unit_test(flights),
        cmocka_unit_test(flights_beside_an_oscillator),
        cmocka_unit_test(short_dips_are_not_passed_over),
        cmocka_unit_test(forces_that_are_not_unique_are_least),
        cmocka_unit_test(many_mode_sets),
        cmocka_unit_test(says_why_it_does_not_apply),
        cmocka_unit_test(segments_can_be_demanded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
