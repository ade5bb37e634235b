/* The examples with gears among coordinates: true stick of a clutch, balances, an idler between two wheels.
 */
#include "test.h"

#include "gear/train/train.h"
#include "model/model.h"
#include "study/run.h"

#include <stdlib.h>
#include <string.h>

static slip_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

static slip_result *run(const char *example, const char *const *settings)
{
    char path[500];
    slip_model *model = NULL;
    slip_result *r = NULL;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SLIPSTICK_SOURCE_DIR, example);
    if (slip_model_load_with(ctx, path, settings, &model) < 0 || slip_run(ctx, model, NULL, &r) < 0)
        fail_msg("%s", slip_context_message(ctx));
    double residual; /* of the contact laws, at every record */
    assert_int_equal(slip_result_residual(ctx, model->system, r, &residual), SLIP_OK);
    assert_true(residual < 1e-9);
    assert_true(slip_result_number(r, "residual") <= residual); /* of some records, in the summary */
    slip_model_destroy(model);
    return r;
}

static const double *series(const slip_result *r, const char *name, int64_t *count)
{
    const double *x = slip_result_series(r, name, count);
    if (!x)
        fail_msg("no series %s", name);
    return x;
}

static double last(const slip_result *r, const char *name)
{
    int64_t count;
    const double *x = series(r, name, &count);
    return x[count - 1];
}

/* The clutch slips, then both of its sides have one speed, to the last bit, for hundreds of samples. The
 * brake holds the load until the mesh presses, and takes what it can hold from then on. */
static void drivetrain(void **state)
{
    (void)state;
    slip_result *r = run("drivetrain", NULL);
    int64_t count, stuck = 0, held = 0;
    const double *motor = series(r, "motor'", &count), *input = series(r, "input'", NULL),
                 *load = series(r, "load'", NULL), *clutch = series(r, "clutch.mode", NULL),
                 *brake = series(r, "brake.mode", NULL), *force = series(r, "clutch.force", NULL);
    for (int64_t i = 0; i < count; i++) {
        if (clutch[i] == SLIP_MODE_STICK) {
            assert_true(fabs(motor[i] - input[i]) <= 4e-15 * fabs(motor[i]));
            assert_true(fabs(force[i]) <= 15 * (1 + 1e-9));
            stuck++;
        } else {
            assert_close(fabs(force[i]), 15, 1e-11);
        }
        if (brake[i] == SLIP_MODE_STICK) {
            assert_true(load[i] == 0);
            held++;
        }
    }
    assert_true(stuck > count / 4 && stuck < count);
    assert_true(held > 0 && held < count / 2);
    assert_close(slip_result_number(r, "energy.balance"), 0, 1e-6);
    assert_true(slip_result_number(r, "contacts.clutch.dissipation") > 0.1);
    assert_true(slip_result_number(r, "contacts.mesh.normal") > 500);
    assert_close(last(r, "output'") / last(r, "input'"), -17. / 23, 0.1);
    slip_result_destroy(r);
}

/* The integral of a series over time; records have both sides of events. */
static double integral(const slip_result *r, const char *name)
{
    int64_t count;
    const double *t = series(r, "t", &count), *x = series(r, name, NULL);
    double sum = 0;
    for (int64_t i = 1; i < count; i++)
        sum += (t[i] - t[i - 1]) * (x[i] + x[i - 1]) / 2;
    return sum;
}

static double gained(const slip_result *r, const char *name)
{
    return last(r, name) - series(r, name, NULL)[0];
}

/* What a body gains is what acts on it: the motor its torque less that of the clutch, the load what the shaft
 * brings less the brake. Of the gears test_train has the momentum (momentum_grows_by_the_flanks). */
static void momentum_of_a_drivetrain(void **state)
{
    static const char *const fine[] = {"simulate.record={points: 8000}", NULL};
    (void)state;
    slip_result *r = run("drivetrain", fine);
    const double time = 4e-3, motor = 4e-4 * gained(r, "motor'"), load = 6e-4 * gained(r, "load'");
    const double clutch = integral(r, "clutch.force"), brake = integral(r, "brake.force");
    const double shaft = 4000 * (integral(r, "output") - integral(r, "load")) +
                         0.3 * (gained(r, "output") - gained(r, "load"));
    assert_close(motor, 6 * time + clutch, 2e-5 * fabs(clutch));
    assert_close(load, shaft + brake, 1e-4 * fabs(shaft));
    assert_true(fabs(clutch) > 0.01 && fabs(brake) > 1e-3 && fabs(shaft) > 0.01);
    slip_result_destroy(r);
}

static void refuse_static(const char *example, const char *const *settings, const char *message)
{
    char path[500];
    slip_model *model = NULL;
    slip_result *r = NULL;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", SLIPSTICK_SOURCE_DIR, example);
    assert_int_equal(slip_model_load_with(ctx, path, settings, &model), SLIP_OK);
    assert_int_equal(slip_run(ctx, model, NULL, &r), SLIP_ERROR_MODEL);
    if (!strstr(slip_context_message(ctx), message))
        fail_msg("%s", slip_context_message(ctx));
    slip_result_destroy(r);
    slip_model_destroy(model);
}

/* A brake that holds, and the motor's torque through clutch, flanks and shaft to it: nothing moves, the
 * clutch has the torque of the motor, and the brake, which has that of the wheel, takes its work along a
 * virtual turn: 6 N m times the ratio of the gears, but for the facets. */
static void starts_in_equilibrium(void **state)
{
    (void)state;
    static const char *const held[] = {"simulate.initial=static", "brake_torque=20",
                                       "simulate.time=[0, 2e-4]", "simulate.record={points: 50}", NULL};
    static const char *const weak[] = {"simulate.initial=static", NULL};
    static const char *const speeds[] = {"motor'", "input'", "output'", "load'"};
    slip_result *r = run("drivetrain", held);
    int64_t count;
    for (int k = 0; k < 4; k++) {
        const double *v = series(r, speeds[k], &count);
        for (int64_t i = 0; i < count; i++)
            assert_true(fabs(v[i]) < 1e-8);
    }
    const double *normal = series(r, "mesh.normal", &count);
    for (int64_t i = 0; i < count; i++)
        assert_close_relative(normal[i], normal[0], 1e-8);
    assert_true(normal[0] > 200);
    assert_int_equal(slip_result_event_count(r), 0);
    assert_close_relative(fabs(last(r, "clutch.force")), 6.0, 1e-8);
    assert_close_relative(fabs(last(r, "brake.force")), 6 * 23. / 17, 0.02);
    assert_close_relative(fabs(last(r, "brake.force")), 4000 * fabs(last(r, "output") - last(r, "load")),
                          1e-8);
    slip_result_destroy(r);
    refuse_static("drivetrain", weak, "contact `brake` would have to hold 8.0");
    refuse_static("idler", weak, "no static solution near its initial coordinates");
}

/* The wheels turn alike but for the play, which the load does not close, and the dents. */
static void idler(void **state)
{
    (void)state;
    slip_result *r = run("idler", NULL);
    assert_true(last(r, "first") > 5e-3);
    assert_close(last(r, "last"), last(r, "first"), 3e-4);
    assert_close(last(r, "idler"), -23. / 17 * last(r, "first"), 3e-4);
    assert_close(slip_result_number(r, "energy.balance"), 0, 1e-6);
    assert_true(slip_result_number(r, "contacts.driving.normal") > 100);
    assert_true(slip_result_number(r, "contacts.driven.normal") > 100);
    slip_result_destroy(r);
}

#define GEAR "module: 0.003, width: 0.012, profile_shift: 0.2, backlash: 5e-5}, "
#define MORE                                                                                                 \
    "mesh: {flank: 8, fillet: 1, thickness: 2, root: 2, rim: 2, width: 1}, "                                 \
    "reduce: {modes: 40, contact: none}, damping: {modes: 5e-8, static: 5e-8}, "

/* With the last wheel out of the mesh, and without it, the other two move as ever; the wheel that is away
 * keeps its angular momentum. */
static void the_third_gear_is_away(void **state)
{
    (void)state;
    static const char *const removed[] = {
        "contacts={driving: {kind: flanks, between: [left, middle], penalty: penalty}}",
        "units={first: rad}",
        "simulate.method=rk4",
        "simulate.step=1e-7",
        "simulate.time=[0, 2e-4]",
        "simulate.initial={last': 3}",
        "forces.last=0",
        "bodies={left: {gear: {teeth: 23, bore: 0.03, " GEAR MORE "turn: first}, "
        "middle: {gear: {teeth: 17, bore: 0.024, " GEAR MORE "turn: idler}}",
        NULL};
    const char *away[8];
    memcpy(away, removed, sizeof away);
    away[7] = NULL; /* with all bodies of the example */
    slip_result *one = run("idler", away), *other = run("idler", removed);
    assert_close_relative(last(one, "first'"), last(other, "first'"), 1e-12);
    assert_close_relative(last(one, "idler'"), last(other, "idler'"), 1e-12);
    assert_true(fabs(last(one, "idler")) > 1e-5);
    assert_close_relative(last(one, "last"), 3 * 2e-4, 1e-9);
    slip_result_destroy(one);
    slip_result_destroy(other);
}

/* ---- The kernel of `rk4`. */

/* The gears of the idler's example alone, without shafts, by the steps of the method `rk4`: the first one is
 * pressed into the middle one, and the last one too, or it is turned back from it. */
static slip_gear_modal *open_gears(const slip_model *model, bool away)
{
    slip_gear_modal *m = NULL;
    if (slip_train_open_modal(ctx, model->bodies->train, &m) < 0)
        fail_msg("%s", slip_context_message(ctx));
    slip_gear_modal_start(m, 2e-4);
    m->state[m->gear[2].at] -= away ? -4e-4 : 2e-4;
    m->state[m->count + m->gear[1].at] = -7;
    return m;
}

static void begin_step(slip_gear_modal *m, double *slope)
{
    bool changed;
    assert_int_equal(slip_gear_modal_follow(ctx, m), SLIP_OK);
    slip_gear_modal_evaluate(m, m->state, slope);
    assert_int_equal(slip_gear_modal_switch(ctx, m, &changed), SLIP_OK);
    assert_false(m->missed);
    if (changed) {
        slip_gear_modal_evaluate(m, m->state, slope);
        slip_gear_modal_settle(m);
    }
}

static void move(slip_gear_modal *m, int steps, double h)
{
    static const double next[3] = {0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const size_t most = 2 * (size_t)m->capacity + (size_t)slip_modal_sums(m);
    double *slope = calloc(3 * most, sizeof *slope), *stage = slope + most, *sum = stage + most;
    for (int i = 0; i < steps; i++) {
        begin_step(m, slope);
        const int n = 2 * m->count + slip_modal_sums(m);
        memcpy(sum, m->state, sizeof(double) * (size_t)n);
        slip_modal_add(n, weight[0] * h, slope, sum);
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < n; j++)
                stage[j] = m->state[j] + next[k] * h * slope[j];
            slip_gear_modal_evaluate(m, stage, slope);
            slip_modal_add(n, weight[k + 1] * h, slope, sum);
        }
        memcpy(m->state, sum, sizeof(double) * (size_t)n);
    }
    begin_step(m, slope);
    free(slope);
}

/* Energy, and the angular momentum of every gear, by its impulse; three gears in two pairs, of which one has
 * attachment vectors that come with its first contact. */
static void any_number_of_gears(void **state)
{
    (void)state;
    static const char *const settings[] = {"bodies.left.reduce={modes: 15, contact: attachment}",
                                           "bodies.middle.reduce.modes=15", "bodies.right.reduce.modes=15",
                                           NULL};
    char path[500];
    slip_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/idler.yaml", SLIPSTICK_SOURCE_DIR);
    if (slip_model_load_with(ctx, path, settings, &model) < 0)
        fail_msg("%s", slip_context_message(ctx));
    double turned[2];
    for (int away = 0; away < 2; away++) {
        slip_gear_modal *m = open_gears(model, away);
        double *slope = calloc(2 * (size_t)m->capacity + (size_t)slip_modal_sums(m), sizeof *slope), begun[3];
        begin_step(m, slope);
        const slip_modal_account first = slip_gear_modal_measure(m);
        const double start =
            first.kinetic + first.strain + m->totals.energy + m->state[2 * m->count + SLIP_MODAL_LOST];
        for (int k = 0; k < 3; k++)
            begun[k] = m->gear[k].momentum - m->state[2 * m->count + SLIP_MODAL_IMPULSE + k];
        assert_int_equal(m->gear_count, 3);
        assert_true(m->pairs[0].pair->totals.touching > 0);
        assert_int_equal(m->pairs[1].pair->totals.touching > 0, !away);
        move(m, 300, 1e-8);
        const slip_modal_account last = slip_gear_modal_measure(m);
        const double *sums = m->state + 2 * m->count;
        assert_close_relative(last.kinetic + last.strain + m->totals.energy + sums[SLIP_MODAL_LOST], start,
                              1e-6);
        for (int k = 0; k < 3; k++) {
            assert_close(m->gear[k].momentum - sums[SLIP_MODAL_IMPULSE + k], begun[k],
                         1e-10 * fabs(begun[1]));
            assert_true(fabs(sums[SLIP_MODAL_IMPULSE + k]) > 0 || (away && k == 2));
        }
        turned[away] = m->state[m->gear[0].at];
        free(slope);
        slip_gear_modal_destroy(m);
    }
    assert_true(turned[0] != turned[1]);
    slip_model_destroy(model);
}

/* The impact goes through the idler: by condensed gears nearly as by the whole nonlinear ones, and each shaft
 * gains the angular momentum that its flanks bring. */
static void impact_through_an_idler(void **state)
{
    static const char *const shafts[] = {"momentum.first", "momentum.idler", "momentum.last"};
    static const char *const whole[] = {"simulate.method=explicit", "simulate.step=1e-7",
                                        "bodies.left.reduce=none",  "bodies.middle.reduce=none",
                                        "bodies.right.reduce=none", NULL};
    slip_result *r[2] = {run("idler-impact", NULL), run("idler-impact", whole)};
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            assert_close(slip_result_number(r[k], shafts[i]), 0, 1e-9);
        assert_true(slip_result_number(r[k], "energy.drift") < 2e-3);
        assert_true(slip_result_number(r[k], "contacts.driven.normal") > 500);
        assert_true(last(r[k], "last'") > 4.4 && last(r[k], "first'") < 0);
    }
    assert_close_relative(last(r[0], "last'"), last(r[1], "last'"), 0.01);
    assert_close(last(r[0], "first"), last(r[1], "first"), 5e-5);
    for (int k = 0; k < 2; k++)
        slip_result_destroy(r[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drivetrain),
        cmocka_unit_test(momentum_of_a_drivetrain),
        cmocka_unit_test(impact_through_an_idler),
        cmocka_unit_test(starts_in_equilibrium),
        cmocka_unit_test(idler),
        cmocka_unit_test(the_third_gear_is_away),
        cmocka_unit_test(any_number_of_gears),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
