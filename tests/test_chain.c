/* Chains of many masses and contacts by closed-form segments: against Dormand-Prince segments at a tight
 * tolerance, against the modes of a chain in closed form, and against the same chain without bystanders. */
#include "run_system.h"

static const double pi = 3.14159265358979323846;

/* x0, x1, ..; their names live as long as the program. */
static const char *const *names_of(int n)
{
    static char texts[run_most_n][8];
    static const char *names[run_most_n];
    for (int i = 0; i < n; i++) {
        snprintf(texts[i], sizeof texts[i], "x%d", i);
        names[i] = texts[i];
    }
    return names;
}

/* Unit masses in a row, with springs of stiffness 1 between neighbours and to the walls at both ends. */
static bench build_chain(int n)
{
    bench b = build(n, names_of(n));
    for (int i = 0; i < n; i++)
        b.system->stiffness[i * n + i] = 2;
    for (int i = 0; i + 1 < n; i++)
        b.system->stiffness[i * n + i + 1] = b.system->stiffness[(i + 1) * n + i] = -1;
    return b;
}

/* Friction of mass i on the ground, or on a belt. */
static void add_pad(bench *b, int i, const char *belt, slip_law law)
{
    char name[8], slip[40];
    snprintf(name, sizeof name, "c%d", i);
    snprintf(slip, sizeof slip, "x%d'%s", i, belt);
    add_friction(b, name, slip, NULL, law);
}

static void check_same(const run_outcome *a, const run_outcome *b, int n, double tolerance)
{
    assert_int_equal(a->status, SLIP_OK);
    assert_int_equal(b->status, SLIP_OK);
    assert_int_equal(a->w->count, b->w->count);
    for (int k = 0; k < a->w->count; k++) {
        const slip_event *one = &a->w->events[k], *other = &b->w->events[k];
        assert_int_equal(one->contact, other->contact);
        assert_int_equal(one->to, other->to);
        assert_close(one->time, other->time, tolerance);
    }
    for (int i = 0; i < n; i++) {
        assert_close(a->q[i], b->q[i], tolerance);
        assert_close(a->v[i], b->v[i], tolerance);
    }
}

/* A front that lets go one mass after the other; all others stick. */
static void front_of_a_long_chain(void **state)
{
    static const int counts[] = {65, 100};
    const double zeros[run_most_n] = {0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const int n = counts[k];
        bench b = build_chain(n);
        add_force(&b, 0, "sin(t)");
        for (int i = 0; i < n; i++)
            add_pad(&b, i, "", coulomb(0.05, 1));
        run_outcome exact = run_event(&b, "exact", 1e-12, zeros, zeros, k ? 1.5 : 3.5),
                    rk = run_event(&b, "rk", 1e-12, zeros, zeros, k ? 1.5 : 3.5);
        print_message("%d masses: %d events, %d evaluations\n", n, exact.w->count,
                      (int)exact.counters.evaluations);
        check_same(&exact, &rk, n, 1e-9);
        run_check_judge(&exact);
        /* modes are decided by a few evaluations, whatever the number of contacts */
        assert_true(exact.counters.evaluations <= 6 * (exact.w->count + 1));
        run_finish(&exact);
        run_finish(&rk);
        clear(&b);
    }
}

/* All masses slip and stick on a belt; with static friction above kinetic friction in every second case. */
static void chain_on_a_belt(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int n = 24;
        double q[run_most_n] = {0}, v[run_most_n] = {0};
        bench b = build_chain(n);
        for (int i = 0; i < n; i++) {
            add_pad(&b, i, " - 0.3", coulomb(0.2 + 0.01 * (i * 7 % 11), k % 2 ? 1.3 : 1));
            q[i] = test_random(&seed, -0.5, 0.5);
            v[i] = test_random(&seed, -0.5, 0.5);
        }
        run_outcome exact = run_event(&b, "exact", 1e-12, q, v, 4), rk = run_event(&b, "rk", 1e-12, q, v, 4);
        print_message("belt: %d events, %d evaluations\n", exact.w->count, (int)exact.counters.evaluations);
        check_same(&exact, &rk, n, 1e-9);
        run_check_judge(&exact);
        run_finish(&exact);
        run_finish(&rk);
        clear(&b);
    }
}

/* Masses that hit stops and their neighbours. */
static void chain_between_stops(void **state)
{
    uint64_t seed = 11;
    const int n = 20;
    double q[run_most_n] = {0}, v[run_most_n] = {0};
    bench b = build_chain(n);
    (void)state;
    for (int i = 0; i < n; i++) {
        char name[8], gap[40];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(gap, sizeof gap, i % 2 ? "x%d + 0.1" : "x%d - x%d + 0.15", i, i > 0 ? i - 1 : 1);
        add_unilateral(&b, name, gap, NULL, NULL, 0.5, false);
        v[i] = test_random(&seed, -1, 1);
    }
    run_outcome exact = run_event(&b, "exact", 1e-12, q, v, 3), rk = run_event(&b, "rk", 1e-12, q, v, 3);
    print_message("stops: %d events\n", exact.w->count);
    assert_true(exact.w->count > 15);
    check_same(&exact, &rk, n, 1e-8);
    run_check_judge(&exact);
    run_finish(&exact);
    run_finish(&rk);
    clear(&b);
}

/* Without contacts, over hundreds of radians: one mass displaced, by the modes of the chain. */
static void free_chain_by_its_modes(void **state)
{
    const int n = 100;
    const double end = 300;
    double q[run_most_n] = {1}, v[run_most_n] = {0};
    bench b = build_chain(n);
    (void)state;
    run_outcome o = run_event(&b, "exact", 1e-9, q, v, end);
    assert_int_equal(o.status, SLIP_OK);
    for (int i = 0; i < n; i++) {
        double x = 0, rate = 0;
        for (int j = 1; j <= n; j++) {
            const double turn = pi * j / (n + 1), w = 2 * sin(0.5 * turn),
                         part = 2.0 / (n + 1) * sin(turn) * sin(turn * (i + 1));
            x += part * cos(w * end);
            rate -= part * w * sin(w * end);
        }
        assert_close(o.q[i], x, 1e-12);
        assert_close(o.v[i], rate, 1e-12);
    }
    run_finish(&o);
    clear(&b);
}

/* A light mass on a damper at the end of a chain: after a moment its motion has died out, and costs no more
 * steps. */
static void fast_part_dies_out(void **state)
{
    const int n = 12, last = n * n - 1;
    const double end = 12;
    double q[run_most_n] = {0}, v[run_most_n] = {0};
    bench b = build_chain(n);
    (void)state;
    q[n - 1] = 0.5;
    b.system->mass[last] = 1e-3;
    b.system->damping[last] = 1;
    add_force(&b, 0, "sin(t)");
    add_pad(&b, 0, "", coulomb(0.3, 1));
    run_outcome exact = run_event(&b, "exact", 1e-12, q, v, end), rk = run_event(&b, "rk", 1e-12, q, v, end);
    print_message("light mass: %d events, %d steps\n", exact.w->count, (int)exact.counters.steps);
    assert_true(exact.w->count > 3);
    check_same(&exact, &rk, n, 1e-9);
    assert_true(exact.counters.steps < 1000 * (exact.w->count + 1)); /* twelve thousand radians */
    run_finish(&exact);
    run_finish(&rk);
    clear(&b);
}

/* Three masses whose sets of modes have matrices, and the same three beside masses that have nothing to do
 * with them, whose sets have none. */
static void bystanders_change_nothing(void **state)
{
    run_outcome o[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        const int n = k ? 15 : 3;
        double q[run_most_n] = {0.3, -0.2, 0.1}, v[run_most_n] = {0};
        bench b = build_chain(n);
        for (int i = 3; i < n; i++) {
            b.system->stiffness[i * n + i - 1] = b.system->stiffness[(i - 1) * n + i] = 0;
            b.system->damping[i * n + i] = 0.01;
            q[i] = 0.1 * i;
        }
        add_force(&b, 0, "2*cos(1.3*t)");
        for (int i = 0; i < 3; i++)
            add_pad(&b, i, " - 0.2", coulomb(0.3 + 0.1 * i, 1.2));
        o[k] = run_event(&b, "exact", 1e-9, q, v, 60);
        clear(&b);
    }
    print_message("bystanders: %d events\n", o[0].w->count);
    assert_true(o[0].w->count > 60);
    check_same(&o[0], &o[1], 3, 1e-11);
    run_finish(&o[0]);
    run_finish(&o[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_of_a_long_chain), cmocka_unit_test(chain_on_a_belt),
        cmocka_unit_test(chain_between_stops),   cmocka_unit_test(free_chain_by_its_modes),
        cmocka_unit_test(fast_part_dies_out),    cmocka_unit_test(bystanders_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
