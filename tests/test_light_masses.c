/* Masses next to nothing: motions that die out in a moment beside others that go on. Closed forms against an
 * exponential in quadruple precision, against Dormand-Prince where that gets through, and against each other
 * as the mass vanishes. */
#include "run_system.h"

__extension__ typedef __float128 quad;
enum { most = 8 };

/* ---- exp(A t) y in quadruple precision: a short series for A t 2^-k, squared k times. */

static void multiply(int n, quad a[most][most], quad b[most][most], quad result[most][most])
{
    quad sum[most][most];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            sum[i][j] = 0;
            for (int k = 0; k < n; k++)
                sum[i][j] += a[i][k] * b[k][j];
        }
    memcpy(result, sum, sizeof sum);
}

static void propagate(int n, double a[most][most], double t, double *y)
{
    quad step[most][most] = {{0}}, power[most][most] = {{0}}, sum[most][most] = {{0}}, result[most];
    double norm = 0;
    int halvings = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            norm = fmax(norm, n * fabs(a[i][j]) * t);
    for (; norm > 1e-3; norm /= 2)
        halvings++;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            step[i][j] = (quad)a[i][j] * (quad)ldexp(t, -halvings);
        power[i][i] = sum[i][i] = 1;
    }
    for (int k = 1; k <= 14; k++) {
        multiply(n, power, step, power);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                power[i][j] /= k;
                sum[i][j] += power[i][j];
            }
    }
    for (int k = 0; k < halvings; k++)
        multiply(n, sum, sum, sum);
    for (int i = 0; i < n; i++) {
        result[i] = 0;
        for (int j = 0; j < n; j++)
            result[i] += sum[i][j] * (quad)y[j];
    }
    for (int i = 0; i < n; i++)
        y[i] = (double)result[i];
}

/* ---- Without contacts. */

static const char *const two[] = {"x0", "x1"};

/* A heavy mass and a light one with its damper, as given. */
static bench light_mass(double mass, double damper)
{
    bench b = build(2, two);
    b.system->mass[3] = mass;
    b.system->damping[0] = 0.1;
    b.system->damping[3] = damper;
    memcpy(b.system->stiffness, (const double[]){2, -1, -1, 1}, 4 * sizeof(double));
    return b;
}

/* Also one that rings (damping ratio 0.05) before it is still. */
static void linear_motion(void **state)
{
    static const double masses[] = {1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
    (void)state;
    for (int k = 0; k < 14; k++) {
        const double mass = masses[k / 2], damper = k % 2 ? 0.1 * sqrt(mass) : 0.01;
        /* y = (x0, x1, x0', x1', 1, cos t, sin t) */
        double a[most][most] = {{0, 0, 1}, {0, 0, 0, 1}, {-2, 1, -0.1, 0, 0, 0, 1}};
        const double light[] = {1 / mass, -1 / mass, 0, -damper / mass, 1 / mass, 1 / mass};
        const double q[2] = {1, 1}, v[2] = {0.5, 0.5};
        bench b = light_mass(mass, damper);
        add_force(&b, 0, "sin(t)");
        add_force(&b, 1, "1 + cos(t)");
        memcpy(a[3], light, sizeof light);
        a[5][6] = -1;
        a[6][5] = 1;
        for (double end = 1e-3; end < 20; end *= 100) {
            double y[most] = {1, 1, 0.5, 0.5, 1, 1, 0};
            run_outcome o = run_event(&b, "exact", 1e-10, q, v, end);
            check_done(&b, o.status);
            propagate(7, a, end, y);
            for (int i = 0; i < 2; i++) {
                assert_close(o.q[i], y[i], 1e-10);
                assert_close(o.v[i], y[2 + i], 1e-9 * (1 + fabs(y[2 + i])));
            }
            assert_true(o.counters.steps < 50000);
            run_finish(&o);
        }
        clear(&b);
    }
}

/* ---- With contacts. */

/* What a run ends with, and its events. */
typedef struct outline {
    int count;
    slip_event events[200];
    int64_t steps;
    double q[2], v[2];
} outline;

/* The light mass in the middle of what happens: it sticks and slips (which = 0), strikes a stop (1) that lets
 * it bounce (2), or stands by while the heavy one does (3 to 5). Mirrored: all signs are reversed. */
static outline run_contact(int which, double mass, double damper, const char *segments, bool mirrored)
{
    const double sign = mirrored ? -1 : 1, q[2] = {sign * 1, sign * 1}, v[2] = {sign * 0.5, sign * 0.5};
    static const char *const gaps[] = {"2.6 - x1", "x1 + 2.6", "2.2 - x0", "x0 + 2.2"};
    bench b = light_mass(mass, damper);
    outline found = {0};
    add_force(&b, 0, mirrored ? "-2*sin(t)" : "2*sin(t)");
    add_force(&b, 1, mirrored ? "-1 - cos(t)" : "1 + cos(t)");
    if (which % 3 == 0)
        add_friction(&b, "pad", which ? "x0'" : "x1'", NULL, coulomb(which ? 0.8 : 0.5, which ? 1 : 1.2));
    else
        add_unilateral(&b, "stop", gaps[2 * (which / 3) + mirrored], NULL, NULL, which % 3 == 2 ? 0.6 : 0,
                       false);
    run_outcome o = run_event(&b, segments, 1e-12, q, v, 20);
    check_done(&b, o.status);
    assert_true(o.w->count < 200);
    found.count = o.w->count;
    found.steps = o.counters.steps;
    memcpy(found.events, o.w->events, (size_t)o.w->count * sizeof *found.events);
    for (int i = 0; i < 2; i++) {
        found.q[i] = sign * o.q[i];
        found.v[i] = sign * o.v[i];
    }
    run_finish(&o);
    clear(&b);
    return found;
}

static bool is_bounce(const slip_event *event)
{
    return event->from == SLIP_MODE_OPEN && event->to == SLIP_MODE_OPEN;
}

/* Bounces of a series that accumulates may be told apart or not. */
static void compare(const char *what, const outline *a, const outline *b, bool bounces, bool mirrored,
                    double tolerance)
{
    int i = 0, j = 0, count = 0;
    for (;; i++, j++, count++) {
        while (i < a->count && is_bounce(&a->events[i]) && !bounces)
            i++;
        while (j < b->count && is_bounce(&b->events[j]) && !bounces)
            j++;
        if (i == a->count || j == b->count)
            break;
        if (fabs(a->events[i].time - b->events[j].time) > tolerance)
            print_error("%s: event %d at %.12g and %.12g\n", what, count, a->events[i].time,
                        b->events[j].time);
        assert_close(a->events[i].time, b->events[j].time, tolerance);
        if (!mirrored)
            assert_int_equal(a->events[i].to, b->events[j].to);
    }
    if (i != a->count || j != b->count)
        print_error("%s: %d and %d events\n", what, a->count, b->count);
    assert_true(i == a->count && j == b->count);
    assert_true(count > 1);
    for (int k = 0; k < 2; k++) {
        assert_close(a->q[k], b->q[k], 10 * tolerance);
        assert_close(a->v[k], b->v[k], (k == 0 ? 10 : 1e4) * tolerance); /* the light one is fast */
    }
}

static void closed_forms_and_runge_kutta(void **state)
{
    (void)state;
    for (int which = 0; which < 6; which++)
        for (int k = 0; k < (test_cases(8) < 8 ? 1 : 2); k++) {
            const double mass = k ? 1e-4 : 1e-2;
            outline exact = run_contact(which, mass, 0.02, "exact", false);
            outline rk = run_contact(which, mass, 0.02, "rk", false);
            outline mirror = run_contact(which, mass, 0.02, "exact", true);
            compare("rk", &exact, &rk, which == 5, false, 1e-8);
            compare("mirrored", &exact, &mirror, which == 5, true, 1e-9);
        }
}

/* As the mass vanishes the motion tends to that without it: the difference is proportional to the mass. */
static void vanishing_mass(void **state)
{
    (void)state;
    for (int which = 0; which < 6; which++) {
        outline before = run_contact(which, 1e-6, 0.02, "auto", false);
        for (double mass = 1e-8; mass > (1e-13); mass *= 1e-2) {
            outline now = run_contact(which, mass, 0.02, "auto", false);
            assert_true(now.steps < 200000);
            compare("vanishing", &before, &now, which == 5, false, 1e5 * mass + 1e-9);
            before = now;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_motion),
        cmocka_unit_test(closed_forms_and_runge_kutta),
        cmocka_unit_test_of_numbers(vanishing_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
