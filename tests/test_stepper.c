/* The steppers on problems with a closed form: order, tolerance, dense output, time reversal, landing,
 * failure. */
#include "ode/root.h"
#include "ode/stepper.h"
#include "test.h"

#include <string.h>

/* Two oscillators, x'' + 0.2 x' + x = cos(2 t) and y'' + 4 y = 0; the second is there to have two scales. */
static bool oscillators(void *user, double t, const double *y, double *dy)
{
    int64_t *calls = user;
    if (calls)
        ++*calls;
    dy[0] = y[1];
    dy[1] = cos(2 * t) - 0.2 * y[1] - y[0];
    dy[2] = y[3];
    dy[3] = -4 * y[2];
    return true;
}

static bool oscillators_jacobian(void *user, double t, const double *y, double *jacobian)
{
    static const double constant[16] = {0, 1, 0, 0, -1, -0.2, 0, 0, 0, 0, 0, 1, 0, 0, -4, 0};
    (void)user, (void)t, (void)y;
    memcpy(jacobian, constant, sizeof constant);
    return true;
}

/* Closed form for the start x = 1, x' = -0.5, y = 0.3, y' = 1. */
static void exact(double t, double *y)
{
    /* particular solution A cos 2t + B sin 2t: (1-4) A + 0.4 B = 1, (1-4) B - 0.4 A = 0 */
    const double b = 0.4 / (9 + 0.16), a = -3 * b / 0.4, w = sqrt(1 - 0.01);
    const double p = 1 - a, r = (-0.5 - 2 * b + 0.1 * p) / w, decay = exp(-0.1 * t);
    y[0] = decay * (p * cos(w * t) + r * sin(w * t)) + a * cos(2 * t) + b * sin(2 * t);
    y[1] = decay * ((-0.1 * p + w * r) * cos(w * t) + (-0.1 * r - w * p) * sin(w * t)) - 2 * a * sin(2 * t) +
           2 * b * cos(2 * t);
    y[2] = 0.3 * cos(2 * t) + 0.5 * sin(2 * t);
    y[3] = -0.6 * sin(2 * t) + cos(2 * t);
}

static const slip_ode problem = {.m = 4, .rhs = oscillators, .jacobian = oscillators_jacobian};
static const slip_stepper_type *const all[] = {&slip_stepper_dopri, &slip_stepper_rk4, &slip_stepper_cvode,
                                               &slip_stepper_radau};

static slip_stepper *make(const slip_stepper_type *type, const slip_ode *ode, double tolerance, double step)
{
    slip_context *ctx = slip_context_create();
    slip_stepper *stepper = NULL;
    assert_int_equal(slip_stepper_create(ctx, type, ode, tolerance, step, &stepper), SLIP_OK);
    slip_context_destroy(ctx);
    return stepper;
}

static void run_to(slip_stepper *stepper, double end)
{
    while (stepper->x1 != end)
        assert_int_equal(slip_stepper_step(stepper, end), SLIP_OK);
}

static double error_of(const slip_stepper *stepper)
{
    double expected[4], largest = 0;
    exact(stepper->x1, expected);
    for (int i = 0; i < 4; i++)
        largest = fmax(largest, fabs(stepper->y1[i] - expected[i]));
    return largest;
}

/* Error at t = 4 with `count` equal steps. A tolerance that accepts anything makes dopri take them as they
 * are. */
static double fixed_error(const slip_stepper_type *type, int count)
{
    double start[4], h = 4.0 / count, error;
    slip_stepper *stepper = make(type, &problem, 1e30, h);
    exact(0, start);
    slip_stepper_start(stepper, 0, start, 4, h);
    for (int k = 1; k <= count; k++)
        assert_int_equal(slip_stepper_step(stepper, k * h), SLIP_OK);
    assert_int_equal(stepper->steps, count);
    error = error_of(stepper);
    slip_stepper_destroy(stepper);
    return error;
}

static void fixed_steps_converge_with_their_order(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        double order;
        if (k == 2)
            continue; /* orders of CVODE vary */
        order = log2(fixed_error(all[k], 40) / fixed_error(all[k], 80));
        assert_close(order, all[k]->order, 0.25);
    }
}

/* The error of one exact step's interpolation, the largest over the step; compared over halved steps. */
static double dense_error(const slip_stepper_type *type, double h)
{
    double start[4], found[4], expected[4], largest = 0;
    slip_stepper *stepper = make(type, &problem, 1e30, h);
    exact(0.3, start);
    slip_stepper_start(stepper, 0.3, start, 1, h);
    assert_int_equal(slip_stepper_step(stepper, 0.3 + h), SLIP_OK);
    for (int k = 0; k <= 16; k++) {
        slip_stepper_interpolate(stepper, 0.3 + h * k / 16, 0, 4, found);
        exact(0.3 + h * k / 16, expected);
        for (int i = 0; i < 4; i++)
            largest = fmax(largest, fabs(found[i] - expected[i]));
    }
    slip_stepper_destroy(stepper);
    return largest;
}

static void dense_output_converges_with_its_order(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        double order;
        if (k == 2)
            continue;
        order = log2(dense_error(all[k], 0.1) / dense_error(all[k], 0.05));
        assert_close(order, all[k]->dense_order + 1, 0.3); /* local error: one order more */
    }
}

static void interpolation_agrees_with_both_ends(void **state)
{
    double start[4], found[4];
    (void)state;
    exact(0, start);
    for (int k = 0; k < 4; k++) {
        slip_stepper *stepper = make(all[k], &problem, 1e-8, 0.05);
        slip_stepper_start(stepper, 0, start, 3, 0);
        for (int step = 0; step < 20; step++) {
            slip_stepper_step(stepper, 3);
            slip_stepper_interpolate(stepper, stepper->x1, 1, 2, found);
            assert_close(found[0], stepper->y1[1], 1e-13);
            assert_close(found[1], stepper->y1[2], 1e-13);
            slip_stepper_interpolate(stepper, stepper->x0, 0, 4, found);
            for (int i = 0; i < 4; i++)
                assert_close(found[i], stepper->y0[i], k == 2 ? 1e-7 : 1e-13);
        }
        slip_stepper_destroy(stepper);
    }
}

static double adaptive_error(const slip_stepper_type *type, double tolerance)
{
    double start[4], error;
    slip_stepper *stepper = make(type, &problem, tolerance, 0);
    exact(0, start);
    slip_stepper_start(stepper, 0, start, 20, 0);
    run_to(stepper, 20);
    error = error_of(stepper);
    slip_stepper_destroy(stepper);
    return error;
}

/* A hundredth of the tolerance gives about a hundredth of the error, and the error is not far from the
 * tolerance. */
static void error_is_proportional_to_tolerance(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k += k == 0 ? 2 : 1)
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 0.01) {
            double now = adaptive_error(all[k], tolerance), next = adaptive_error(all[k], 0.01 * tolerance);
            assert_true(now < 200 * tolerance);
            assert_true(next < (k == 2 ? 0.25 : 0.05) * now); /* low-order steps of CVODE are less regular */
            assert_true(next > 0.0005 * now);
        }
}

static void time_runs_backwards(void **state)
{
    double start[4], far[4];
    (void)state;
    exact(0, start);
    exact(5, far);
    for (int k = 0; k < 4; k++) {
        slip_stepper *stepper = make(all[k], &problem, 1e-10, 0.005);
        slip_stepper_start(stepper, 5, far, 0, 0);
        run_to(stepper, 0);
        assert_true(stepper->direction < 0);
        for (int i = 0; i < 4; i++)
            assert_close(stepper->y1[i], start[i], k == 2 ? 1e-7 : 2e-9);
        /* and forward again */
        slip_stepper_start(stepper, 0, start, 5, 0);
        run_to(stepper, 5);
        for (int i = 0; i < 4; i++)
            assert_close(stepper->y1[i], far[i], k == 2 ? 1e-7 : 2e-9);
        slip_stepper_destroy(stepper);
    }
}

static void limits_are_reached_exactly_and_steps_go_on_from_there(void **state)
{
    double start[4];
    (void)state;
    exact(0, start);
    for (int k = 0; k < 4; k++) {
        slip_stepper *stepper = make(all[k], &problem, 1e-9, 0.01);
        slip_stepper_start(stepper, 0, start, 10, 0);
        for (int period = 1; period <= 7; period++) {
            run_to(stepper, period * 1.1);
            assert_true(stepper->x1 == period * 1.1);
            assert_true(error_of(stepper) < 1e-6);
        }
        slip_stepper_destroy(stepper);
    }
}

static void retaken_step_is_the_step_of_that_length(void **state)
{
    double start[4], expected[4];
    (void)state;
    exact(0, start);
    exact(0.03, expected);
    for (int k = 0; k < 4; k += 3) {
        slip_stepper *stepper = make(all[k], &problem, 1e30, 0);
        slip_stepper_start(stepper, 0, start, 1, 0.1);
        slip_stepper_step(stepper, 0.1);
        assert_true(stepper->type->retake(stepper, 0.03));
        assert_true(stepper->x1 == 0.03);
        for (int i = 0; i < 4; i++)
            assert_close(stepper->y1[i], expected[i], 1e-10);
        slip_stepper_destroy(stepper);
    }
}

/* y' = -1e6 (y - cos x) - sin x follows cos x; from elsewhere it falls onto it at once. */
static bool attracted(void *user, double x, const double *y, double *dy)
{
    (void)user;
    dy[0] = -1e6 * (y[0] - cos(x)) - sin(x);
    return true;
}

static bool attracted_jacobian(void *user, double x, const double *y, double *jacobian)
{
    (void)user, (void)x, (void)y;
    jacobian[0] = -1e6;
    return true;
}

/* Van der Pol's oscillator in the time of its slow phases, mu = 1e6: the reference is of E. Hairer's test
 * set. */
static bool van_der_pol(void *user, double x, const double *y, double *dy)
{
    (void)user, (void)x;
    dy[0] = y[1];
    dy[1] = 1e6 * ((1 - y[0] * y[0]) * y[1] - y[0]);
    return true;
}

static bool van_der_pol_jacobian(void *user, double x, const double *y, double *jacobian)
{
    (void)user, (void)x;
    jacobian[0] = 0;
    jacobian[1] = 1;
    jacobian[2] = -1e6 * (2 * y[0] * y[1] + 1);
    jacobian[3] = 1e6 * (1 - y[0] * y[0]);
    return true;
}

static void stiff_equations_take_few_steps(void **state)
{
    const slip_ode follow = {.m = 1, .rhs = attracted, .jacobian = attracted_jacobian},
                   relax = {.m = 2, .rhs = van_der_pol, .jacobian = van_der_pol_jacobian};
    const double two = 2, start[2] = {2, -0.66};
    slip_stepper *stepper = make(&slip_stepper_radau, &follow, 1e-8, 0);
    (void)state;
    slip_stepper_start(stepper, 0, &two, 10, 0);
    run_to(stepper, 10);
    assert_close(stepper->y1[0], cos(10), 1e-8);
    assert_true(stepper->steps < 100);
    slip_stepper_destroy(stepper);
    stepper = make(&slip_stepper_radau, &relax, 1e-9, 0);
    slip_stepper_start(stepper, 0, start, 2, 0);
    run_to(stepper, 2);
    assert_close(stepper->y1[0], 0.1706167732170483e1, 1e-6);
    assert_close(stepper->y1[1], -0.8928097010247975, 1e-6);
    assert_true(stepper->steps < 2000);
    slip_stepper_destroy(stepper);
}

/* y' = -1 / sqrt(y) reaches zero at t = 2/3 and is not defined beyond. */
static bool falls(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = -1 / sqrt(y[0]);
    return y[0] > 0;
}

static bool falls_jacobian(void *user, double t, const double *y, double *jacobian)
{
    (void)user, (void)t;
    jacobian[0] = 0.5 * pow(fabs(y[0]), -1.5);
    return y[0] > 0;
}

static void undefined_equation_ends_the_steps_and_keeps_the_state(void **state)
{
    const slip_ode ode = {.m = 1, .rhs = falls, .jacobian = falls_jacobian};
    const double one = 1;
    (void)state;
    for (int k = 0; k < 4; k++) {
        slip_stepper *stepper = make(all[k], &ode, 1e-8, 0.01);
        int status = slip_stepper_start(stepper, 0, &one, 1, 0), steps = 0;
        while (status == SLIP_OK && stepper->x1 < 1 && steps++ < 100000)
            status = slip_stepper_step(stepper, 1);
        assert_true(status == SLIP_STEP_UNDEFINED || status == SLIP_STEP_TOO_SMALL);
        if (k != 1) {
            assert_close(stepper->x1, 2.0 / 3, 1e-3);
            assert_close(stepper->x1, (1 - pow(fabs(stepper->y1[0]), 1.5)) / 1.5, 1e-5);
        }
        slip_stepper_destroy(stepper);
    }
}

static void evaluations_per_step_are_those_of_the_method(void **state)
{
    int64_t calls = 0;
    slip_ode ode = {.m = 4, .rhs = oscillators, .user = &calls};
    double start[4];
    slip_stepper *stepper = make(&slip_stepper_dopri, &ode, 1e-9, 0);
    (void)state;
    exact(0, start);
    slip_stepper_start(stepper, 0, start, 20, 0);
    run_to(stepper, 20);
    assert_int_equal(calls, 2 + 6 * (stepper->steps + stepper->rejected));
    slip_stepper_destroy(stepper);
}

/* The history of a lazy multistep method has f at the end of each step, without an evaluation. */
static void lazy_steps_know_their_rate(void **state)
{
    int64_t calls = 0, lazy_calls = 0;
    slip_ode counted = {.m = 4, .rhs = oscillators, .jacobian = oscillators_jacobian, .user = &calls};
    (void)state;
    for (int lazy = 1; lazy >= 0; lazy--) {
        slip_stepper *stepper = make(&slip_stepper_cvode, &counted, 1e-9, 0);
        double start[4], rate[4];
        int64_t steps;
        assert_true(stepper->type->knows_rate);
        stepper->lazy = lazy;
        exact(0, start);
        calls = 0;
        slip_stepper_start(stepper, 0, start, 20, 0);
        while (stepper->x1 < 20) {
            assert_int_equal(slip_stepper_step(stepper, 20), SLIP_OK);
            oscillators(NULL, stepper->x1, stepper->y1, rate);
            for (int i = 0; i < 4; i++)
                assert_close(stepper->f1[i], rate[i], lazy ? 1e-6 : 0);
        }
        steps = stepper->steps;
        if (lazy)
            lazy_calls = calls;
        else
            assert_int_equal(calls, lazy_calls + steps);
        slip_stepper_destroy(stepper);
    }
}

/* ---- Roots. */

static double cubic(void *user, double x)
{
    return (x - *(double *)user) * (1 + x * x);
}

static double steep(void *user, double x)
{
    double d = x - *(double *)user;
    return d > 0 ? sqrt(d) : -sqrt(-d);
}

static double flat(void *user, double x)
{
    double d = x - *(double *)user;
    return d * d * d;
}

static void roots_are_found_to_rounding(void **state)
{
    slip_scalar_function functions[] = {cubic, steep, flat};
    uint64_t seed = 7;
    (void)state;
    for (int k = 0; k < 3000; k++) {
        slip_scalar_function f = functions[k % 3];
        double root = test_random(&seed, -3, 3), a = root - test_random(&seed, 0, 4),
               b = root + test_random(&seed, 0, 4), found;
        found = slip_root_bracketed(f, &root, a, f(&root, a), b, f(&root, b));
        assert_close(found, root, f == flat ? 1e-5 : 4e-15 * (1 + fabs(root)));
        found = slip_root_bracketed(f, &root, b, f(&root, b), a, f(&root, a));
        assert_close(found, root, f == flat ? 1e-5 : 4e-15 * (1 + fabs(root)));
    }
}

static double bowl(void *user, double x)
{
    double d = x - *(double *)user;
    return d * d - 1;
}

static void minima_are_found(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (int k = 0; k < 300; k++) {
        double at = test_random(&seed, -3, 3), value;
        double x = slip_minimum_bracketed(bowl, &at, at - test_random(&seed, 0, 4),
                                          at + test_random(&seed, 0, 4), &value);
        assert_close(x, at, 2e-7);
        assert_close(value, -1, 1e-12);
    }
}

/* The oscillators, and behind their right side the rates of y'^2 and of x y. */
static bool with_integrals(void *user, double t, const double *y, double *dy)
{
    dy[4] = y[3] * y[3];
    dy[5] = y[2] * y[3];
    return oscillators(user, t, y, dy);
}

/* y = 0.3 cos 2t + 0.5 sin 2t: the integral of y' y is (y^2 - 0.09)/2, that of y'^2 is in closed form. */
static double integral_error(const slip_stepper_type *type, int count)
{
    const slip_ode ode = {.m = 4, .integrals = 2, .rhs = with_integrals};
    const double h = 4.0 / count, c = cos(16), s = sin(16);
    const double expected[2] = {0.36 * (2 - s / 8) - 1.2 * (1 - c) / 8 + (2 + s / 8),
                                0.5 * (pow(0.3 * cos(8) + 0.5 * sin(8), 2) - 0.09)};
    double start[4], sum[2] = {0};
    slip_stepper *stepper = make(type, &ode, type->adaptive ? 1e9 : 0, h);
    exact(0, start);
    slip_stepper_start(stepper, 0, start, 4, h);
    for (int k = 1; k <= count; k++) {
        assert_int_equal(slip_stepper_step(stepper, k == count ? 4 : k * h), SLIP_OK);
        sum[0] += stepper->integral[0];
        sum[1] += stepper->integral[1];
    }
    slip_stepper_destroy(stepper);
    return fmax(fabs(sum[0] - expected[0]), fabs(sum[1] - expected[1]));
}

static void integrals_converge_with_the_order_of_the_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        if (!all[k]->integrates)
            continue;
        const double coarse = integral_error(all[k], 40), fine = integral_error(all[k], 80);
        assert_true(fine < 1e-5);
        assert_true(log2(coarse / fine) > all[k]->order - 0.3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_converge_with_their_order),
        cmocka_unit_test(dense_output_converges_with_its_order),
        cmocka_unit_test(interpolation_agrees_with_both_ends),
        cmocka_unit_test(error_is_proportional_to_tolerance),
        cmocka_unit_test(time_runs_backwards),
        cmocka_unit_test(limits_are_reached_exactly_and_steps_go_on_from_there),
        cmocka_unit_test(retaken_step_is_the_step_of_that_length),
        cmocka_unit_test(integrals_converge_with_the_order_of_the_steps),
        cmocka_unit_test(stiff_equations_take_few_steps),
        cmocka_unit_test(undefined_equation_ends_the_steps_and_keeps_the_state),
        cmocka_unit_test(evaluations_per_step_are_those_of_the_method),
        cmocka_unit_test(lazy_steps_know_their_rate),
        cmocka_unit_test(roots_are_found_to_rounding),
        cmocka_unit_test(minima_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
