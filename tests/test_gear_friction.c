/* Friction on the flanks of gears: forces of many contacts at once, energy, the limit of steep laws, and
 * steps that nobody gave. */
#include "gear_test.h"

#include "base/context.h"
#include "gear/condensed/gear_friction.h"

#include <string.h>

/* ---- The solver. */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* V = A A^T of a given rank, normal forces over two decades, any slip. */
typedef struct contacts {
    int count;
    double answer[40 * 40], normal[20], slip[40], force[40];
} contacts;

static contacts make_contacts(int count, int rank, uint64_t *seed)
{
    contacts c = {.count = count};
    double a[40][40];
    for (int i = 0; i < 2 * count; i++)
        for (int k = 0; k < rank; k++)
            a[i][k] = uniform(seed) - 0.5;
    for (int i = 0; i < 2 * count; i++) {
        for (int j = 0; j < 2 * count; j++)
            for (int k = 0; k < rank; k++)
                c.answer[i * 2 * count + j] += 1e-3 * a[i][k] * a[j][k];
        c.slip[i] = 0.02 * (uniform(seed) - 0.5);
    }
    for (int s = 0; s < count; s++)
        c.normal[s] = pow(10, 2 * uniform(seed));
    return c;
}

static int solve(const slip_law_kernel *law, contacts *c)
{
    double *numbers = calloc((size_t)slip_friction_numbers(c->count), sizeof(double));
    int pivots[40];
    const slip_law_kernel *laws[20];
    for (int s = 0; s < c->count; s++)
        laws[s] = law;
    int status =
        slip_friction_solve(laws, c->count, c->answer, c->normal, c->slip, c->force, numbers, pivots);
    free(numbers);
    return status;
}

/* The slip that is left must give the forces: of steep laws seen from the slip that a force asks for. */
static void judge(const slip_law_kernel *law, const contacts *c)
{
    int n = 2 * c->count;
    double most = 0;
    for (int s = 0; s < c->count; s++)
        most = fmax(most, c->normal[s]);
    for (int s = 0; s < c->count; s++) {
        double w[2], f, slope, size = 0;
        for (int i = 0; i < 2; i++) {
            w[i] = c->slip[2 * s + i];
            size += fabs(w[i]);
            for (int j = 0; j < n; j++) {
                w[i] += c->answer[(2 * s + i) * n + j] * c->force[j];
                size += fabs(c->answer[(2 * s + i) * n + j] * c->force[j]);
            }
        }
        double speed = hypot(w[0], w[1]), force = hypot(c->force[2 * s], c->force[2 * s + 1]);
        slip_law_force(law, slip_law_piece(law, speed), speed, &f, &slope);
        double off =
            1e-14 * size + 1e-9 * most * (c->answer[2 * s * (n + 1)] + c->answer[(2 * s + 1) * (n + 1)]);
        double rounding = off * c->normal[s] * fmax(fabs(slope), f / fmax(speed, 1e-300));
        assert_close(force, c->normal[s] * f, 1e-7 * c->normal[s] + rounding);
        assert_true(force <= c->normal[s] * law->law.mu * (1 + 1e-9));
        assert_true(c->force[2 * s] * w[0] + c->force[2 * s + 1] * w[1] <= 1e-9 * c->normal[s] * size);
    }
}

static void forces_fit_to_the_slip(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    const char *const laws[] = {"tanh", "arctan"};
    uint64_t seed = 5;
    for (int trial = 0; trial < 300; trial++) {
        slip_law law = slip_law_default(laws[trial % 2]);
        slip_law_kernel kernel;
        int count = 1 + trial % 20, rank = trial % 3 ? 2 * count : 1 + count; /* the latter: V is singular */
        contacts c = make_contacts(count, rank, &seed);
        law.mu = 0.1 + uniform(&seed);
        law.velocity = pow(10, -1 - 6 * uniform(&seed));
        assert_int_equal(slip_law_prepare(ctx, &law, &kernel), SLIP_OK);
        assert_int_equal(solve(&kernel, &c), SLIP_FRICTION_FOUND);
        judge(&kernel, &c);
    }
    slip_context_destroy(ctx);
}

/* One mass: |w| + V N f(|w|) = |w0|, and with steep laws stick or slide as Coulomb has it. */
static void one_contact(void **state)
{
    (void)state;
    slip_context *ctx = slip_context_create();
    slip_law law = slip_law_default("tanh");
    slip_law_kernel kernel;
    law.mu = 0.5;
    law.velocity = 1e-9;
    assert_int_equal(slip_law_prepare(ctx, &law, &kernel), SLIP_OK);
    contacts c = {.count = 1, .answer = {2, 0, 0, 2}, .normal = {10}, .slip = {3, 4}};
    assert_int_equal(solve(&kernel, &c), SLIP_FRICTION_FOUND); /* 2 N mu = 10 > 5: sticks */
    assert_close(c.force[0], -1.5, 1e-8);
    assert_close(c.force[1], -2, 1e-8);
    c.normal[0] = 1; /* 2 N mu = 1 < 5: slides with 4, against the slip */
    assert_int_equal(solve(&kernel, &c), SLIP_FRICTION_FOUND);
    assert_close(c.force[0], -0.3, 1e-8);
    assert_close(c.force[1], -0.4, 1e-8);
    memset(c.answer, 0, sizeof c.answer); /* nothing answers */
    assert_int_equal(solve(&kernel, &c), SLIP_FRICTION_FOUND);
    assert_close(c.force[0], -0.3, 1e-8);
    slip_context_destroy(ctx);
}

/* ---- Runs with `exponential`. */

static double number(const slip_result *r, const char *name)
{
    return slip_result_number(r, name);
}

static slip_result *run(gear_fixture *f, const slip_gear_run_options *o)
{
    slip_result *r = NULL;
    if (slip_gear_run(f->ctx, f->gears, f->bodies, o, &r) != SLIP_OK)
        fail_msg("%s", slip_context_message(f->ctx));
    return r;
}

static slip_gear_run_options rubbing(const char *reduction, const slip_law *law)
{
    slip_gear_run_options o = gear_impact(reduction, 1e9);
    o.step = 0;
    o.phase = 0.3; /* away from the pitch point: the flanks slide */
    o.friction = law;
    return o;
}

/* However steep the law: energy balances, what friction takes does not come back, no more steps are needed.
 * The error of the steps may be twice the tolerance in both: it is up to 1.05 of it with one kernel of
 * OpenBLAS or another, which round differently. */
static void steep_laws(void **state)
{
    gear_fixture *f = *state;
    slip_law law = slip_law_default("tanh");
    slip_gear_run_options o = rubbing("condensed", NULL);
    slip_result *smooth = run(f, &o);
    double steps = number(smooth, "steps");
    law.mu = 0.3;
    o.friction = &law;
    for (int i = 0; i < 3; i++) {
        law.velocity = (const double[]){1e-3, 1e-5, 1e-6}[i];
        slip_result *r = run(f, &o);
        int64_t count;
        const double *lost = slip_result_series(r, "lost", &count);
        assert_true(number(r, "energy.drift") < 2 * o.tolerance);
        assert_true(fabs(number(r, "momentum.pinion")) < 1e-9 && fabs(number(r, "momentum.wheel")) < 1e-9);
        assert_true(number(r, "steps") < 3 * steps);
        for (int64_t k = 1; k < count; k++)
            assert_true(lost[k] >= lost[k - 1] - 2 * o.tolerance * lost[count - 1]);
        slip_result_destroy(r);
    }
    slip_result_destroy(smooth);
}

/* Towards Coulomb's law forces and speeds go to a limit, monotonically and in proportion to the velocity. */
static void coulomb_is_the_limit(void **state)
{
    gear_fixture *f = *state;
    slip_law law = slip_law_default("tanh");
    slip_gear_run_options o = rubbing("condensed", &law);
    double value[4][2];
    law.mu = 0.3;
    o.tolerance = 1e-7;
    o.step = 8e-8; /* the same steps for all */
    for (int i = 0; i < 4; i++) {
        law.velocity = (const double[]){1e-3, 1e-4, 1e-5, 1e-8}[i];
        slip_result *r = run(f, &o);
        value[i][0] = number(r, "peak_force");
        value[i][1] = number(r, "final.wheel.speed");
        slip_result_destroy(r);
    }
    for (int k = 0; k < 2; k++) {
        double away[3];
        for (int i = 0; i < 3; i++)
            away[i] = value[i][k] / value[3][k] - 1;
        assert_true(away[1] / away[0] > 0 && away[1] / away[0] < 0.2);
        assert_true(away[2] / away[1] > 0 && away[2] / away[1] < 0.2);
        assert_true(fabs(away[0]) < 2e-3);
    }
}

/* Of second order with friction too, also with a law that is steeper than any step resolves. */
static void friction_is_of_second_order(void **state)
{
    gear_fixture *f = *state;
    slip_law law = slip_law_default("tanh");
    law.mu = 0.3;
    for (int steep = 0; steep < 2; steep++) {
        slip_gear_run_options o = rubbing("condensed", &law);
        law.velocity = steep ? 1e-6 : 3e-2;
        o.tolerance = 1e-7;
        o.time = 5e-5;
        o.step = 2e-8;
        slip_result *exact = run(f, &o);
        double error[2];
        for (int i = 0; i < 2; i++) {
            o.step = i ? 1e-7 : 4e-7;
            slip_result *r = run(f, &o);
            error[i] = fabs(number(r, "peak_force") / number(exact, "peak_force") - 1);
            slip_result_destroy(r);
        }
        assert_true(error[0] < 2e-3 && error[1] < error[0] / 6 + 2e-6);
        slip_result_destroy(exact);
    }
}

/* The same friction as with all attachment modes moving, by rk4. */
static void agrees_with_all(void **state)
{
    gear_fixture *f = *state;
    slip_law law = slip_law_default("tanh");
    law.mu = 0.3;
    law.velocity = 0.05;
    slip_gear_run_options o = rubbing("condensed", &law);
    slip_result *condensed = run(f, &o);
    o = rubbing("all", &law);
    slip_result *all = run(f, &o);
    int64_t count;
    const double *a = slip_result_series(condensed, "lost", &count);
    const double *b = slip_result_series(all, "lost", &count);
    assert_close_relative(number(condensed, "peak_force"), number(all, "peak_force"), 0.01);
    assert_close_relative(number(condensed, "contact_time"), number(all, "contact_time"), 0.01);
    assert_close_relative(a[count - 1], b[count - 1], 0.03);
    slip_result_destroy(condensed);
    slip_result_destroy(all);
}

/* ---- Steps that nobody gave. */

static void assert_same(const slip_result *a, const slip_result *b)
{
    for (int i = 0; i < slip_result_series_count(a); i++) {
        const char *name = slip_result_series_name(a, i);
        int64_t count, other;
        const double *x = slip_result_series(a, name, &count);
        const double *y = slip_result_series(b, name, &other);
        assert_int_equal(count, other);
        assert_memory_equal(x, y, sizeof(double) * (size_t)count);
    }
}

/* Friction is damping that the step has to stand, and how much is not known before the run. */
static void check_lowered_step(gear_fixture *f, slip_gear_run_options *o, double drift)
{
    slip_result *r = run(f, o), *again = run(f, o), *refused = NULL;
    double first = number(r, "first_step");
    assert_true(number(r, "step") < first && number(r, "step") > 0);
    assert_true(number(r, "steps") > o->time / first && number(r, "energy.drift") < drift);
    assert_true(fabs(number(r, "momentum.pinion")) < 1e-9 && fabs(number(r, "momentum.wheel")) < 1e-9);
    assert_same(r, again);
    /* The same step, given, is refused with the limit. */
    o->step = first;
    assert_int_equal(slip_gear_run(f->ctx, f->gears, f->bodies, o, &refused), SLIP_ERROR_SOLVER);
    assert_non_null(strstr(slip_context_message(f->ctx), "expected at most "));
    slip_result_destroy(r);
    slip_result_destroy(again);
    slip_result_destroy(refused);
}

static void rk4_lowers_its_step(void **state)
{
    gear_fixture *f = *state;
    slip_law law = slip_law_default("tanh");
    law.mu = 0.3;
    law.velocity = 1e-2;
    slip_gear_run_options o = rubbing("switch", &law);
    o.time = 4e-5;
    check_lowered_step(f, &o, 2e-5);
    /* Without friction nothing is lowered, and nothing is said of it. */
    o = rubbing("switch", NULL);
    o.time = 1e-5;
    slip_result *r = run(f, &o);
    assert_true(isnan(number(r, "first_step")) && number(r, "step") > 0);
    slip_result_destroy(r);
}

static void explicit_lowers_its_step(void **state)
{
    gear_fixture *f = *state;
    slip_law law = slip_law_default("tanh");
    law.mu = 0.3;
    law.velocity = 2e-2;
    slip_gear_run_options o = rubbing("none", &law);
    o.method = "explicit";
    o.threads = 1;
    o.time = 3e-5;
    o.samples = 61;
    check_lowered_step(f, &o, 5e-3);
    /* Without a penalty a node that lands has a force that no step would stand; it is held instead. */
    o.step = 0;
    o.penalty = INFINITY;
    law.velocity = 1e-5;
    slip_result *r = run(f, &o);
    assert_true(number(r, "energy.drift") < 5e-3 && isnan(number(r, "first_step")));
    slip_result_destroy(r);
}

/* ---- Energy. */

/* The drift is that of the steps, however few samples there are. */
static void drift_is_that_of_steps(void **state)
{
    gear_fixture *f = *state;
    static const char *const reductions[] = {"condensed", "switch"};
    for (int k = 0; k < 2; k++) {
        slip_gear_run_options o = gear_impact(reductions[k], 1e9);
        o.step = k ? 4e-8 : 4e-7;
        slip_result *many = run(f, &o);
        o.samples = 2;
        slip_result *few = run(f, &o);
        double drift = number(few, "energy.drift") / number(many, "energy.drift");
        assert_true(drift > 0.5 && drift <= 1);
        slip_result_destroy(many);
        slip_result_destroy(few);
    }
}

/* A motion that grows without bound stops with time and what moves, and what is kept is bounded. */
static void growth_is_stopped(void **state)
{
    gear_fixture *f = *state;
    const struct {
        const char *reduction;
        double speed, torque;
    } cases[] = {{"all", 1e6, 0}, {"switch", 1e6, 0}, {"condensed", 5, 1e12}, {"all", 5, 1e12}};
    int bounded = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slip_gear_run_options o = gear_impact(cases[i].reduction, 1e10);
        slip_result *r = NULL;
        o.step = 0;
        o.side[0].speed = cases[i].speed;
        o.side[0].torque = cases[i].torque;
        assert_int_equal(slip_gear_run(f->ctx, f->gears, f->bodies, &o, &r), SLIP_ERROR_SOLVER);
        const char *message = slip_context_message(f->ctx);
        /* From one step to the next it may also be too large for a number. */
        bounded += strstr(message, "the motion grows without bound") != NULL;
        if (!strstr(message, "t = ") || !(strstr(message, "pinion") || strstr(message, "wheel")))
            fail_msg("%s", message);
        int64_t count;
        const double *kinetic = slip_result_series(r, "kinetic", &count);
        const double *work = slip_result_series(r, "work", &count);
        double put_in = 0;
        assert_true(count >= 1);
        for (int64_t k = 0; k < count; k++) {
            put_in = fmax(put_in, fabs(work[k]));
            assert_true(kinetic[k] <= 3 * (kinetic[0] + put_in));
        }
        slip_result_destroy(r);
    }
    assert_true(bounded >= 2);
}

/* ---- */

static int set_up(void **state)
{
    *state = calloc(1, sizeof(gear_fixture));
    gear_fixture_make(*state);
    return 0;
}

static int tear_down(void **state)
{
    gear_fixture_free(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_fit_to_the_slip),
        cmocka_unit_test(one_contact),
        cmocka_unit_test(steep_laws),
        cmocka_unit_test_of_numbers(coulomb_is_the_limit),
        cmocka_unit_test_of_numbers(friction_is_of_second_order),
        cmocka_unit_test_of_numbers(agrees_with_all),
        cmocka_unit_test(rk4_lowers_its_step),
        cmocka_unit_test_of_all(explicit_lowers_its_step),
        cmocka_unit_test(drift_is_that_of_steps),
        cmocka_unit_test(growth_is_stopped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
