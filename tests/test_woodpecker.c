/* The woodpecker toy: its cycle in full kinematics, by two methods, and in the linear kinematics of the
 * literature (Glocker 1995; Leine, Glocker, van Campen 2001). */
#include "base/embedded.h"
#include "model_test.h"
#include "slipstick/run.h"

#include <math.h>

static slip_result *run(const slip_model *model, const char *method, double step, double end,
                        double tolerance)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.step = step;
    options.end = end;
    options.tolerance = tolerance;
    if (slip_run(ctx, model, &options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

/* The time between the last of the beak's impacts and the one `cycles` before it, for one cycle. */
static double find_period(const slip_result *result, int cycles)
{
    double times[200];
    int count = 0;
    for (int64_t e = 0; e < slip_result_event_count(result) && count < 200; e++)
        if (slip_result_event(result, e)->contact == 0)
            times[count++] = slip_result_event(result, e)->time;
    assert_true(count > cycles);
    return (times[count - 1] - times[count - 1 - cycles]) / cycles;
}

static const double period = 0.130747524957;

static void full_kinematics(void **state)
{
    (void)state;
    slip_model *model = parse(slip_example_text("woodpecker"));
    for (int k = 0; k < 2; k++) {
        slip_result *result = run(model, "event", NAN, 2, k ? 1e-12 : 1e-9);
        assert_close(find_period(result, 1), period, k ? 1e-11 : 1e-9);
        assert_close(slip_result_number(result, "energy.balance"), 0, k ? 1e-10 : 1e-7);
        slip_result_destroy(result);
    }
    /* fixed steps are of order one with impacts */
    double coarse[2];
    for (int k = 0; k < 2; k++) {
        slip_result *result = run(model, "moreau", k ? 2e-5 : 4e-5, 1.2, NAN);
        coarse[k] = find_period(result, 3);
        slip_result_destroy(result);
    }
    assert_close(coarse[1], period, 1e-4);
    assert_close(2 * coarse[1] - coarse[0], period, 4e-5);
    slip_model_destroy(model);
}

/* Small angles: closed forms between events. The cycle passes the state from which published runs start
 * (lower edge closed, pS = -0.2788, y' = -0.3411, pS' = -7.4583) to half a percent. */
static void linear_kinematics(void **state)
{
    (void)state;
    slip_model *model = parse(
        "slipstick: 1\nparameters: {mM: 0.0003, JM: 5e-9, mS: 0.0045, JS: 7e-7, c: 0.0056, hM: 0.0058, lM: "
        "0.010, "
        "lG: 0.015, hS: 0.02, lS: 0.0201, rO: 0.0025, rM: 0.0031, g: 9.81}\ncoordinates: [y, pM, pS]\nmass: "
        "[[mS + mM, mS*lM, mS*lG], [mS*lM, JM + mS*lM^2, mS*lM*lG], [mS*lG, mS*lM*lG, JS + "
        "mS*lG^2]]\nstiffness: [[0, 0, 0], [0, c, -c], [0, -c, c]]\nforces: {y: -(mS + mM)*g, pM: -mS*g*lM, "
        "pS: "
        "-mS*g*lG}\ncontacts:\n"
        "  beak: {kind: unilateral, gap: lM + lG - lS - rO - hS*pS, slip: y' + lM*pM' + (lG - lS)*pS', law: "
        "{type: coulomb, mu: 0.3}, restitution: 0.5, impact_friction: coulomb}\n"
        "  lower: {kind: unilateral, gap: rM - rO + hM*pM, slip: y' + rM*pM', law: {type: coulomb, mu: 0.3}, "
        "impact_friction: coulomb}\n"
        "  upper: {kind: unilateral, gap: rM - rO - hM*pM, slip: y' + rM*pM', law: {type: coulomb, mu: 0.3}, "
        "impact_friction: coulomb}\n"
        "simulate: {time: [0, 12], initial: {pM: -0.1034, pS: -0.2788, y': -0.3411, pS': -7.4583}, record: "
        "{points: 60001}}\n");
    slip_result *result = run(model, "event", NAN, 12, NAN);
    int64_t count;
    const double *pS = slip_result_series(result, "pS", &count), *y1 = slip_result_series(result, "y'", NULL),
                 *pS1 = slip_result_series(result, "pS'", NULL);
    int64_t at = count - 1;
    while (at > 1 && !(pS[at - 1] > -0.2788 && pS[at] <= -0.2788))
        at--;
    assert_close(y1[at], -0.3411, 0.004);
    assert_close(pS1[at], -7.4583, 0.02);
    assert_close(find_period(result, 1), 0.145976, 1e-6);
    assert_close(slip_result_number(result, "energy.balance"), 0, 1e-9);
    slip_result_destroy(result);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_kinematics),
                                       cmocka_unit_test(linear_kinematics)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
