/* Friction in the plane and of areas by fixed steps: impacts have the documented law at any theta, and slips
 * may have coefficients that vary. */
#include "model_test.h"
#include "slipstick/run.h"

#include <math.h>

static slip_result *run(const slip_model *model, const char *method, double step, double theta)
{
    slip_run_options options = slip_run_options_default();
    slip_result *result = NULL;
    options.method = method;
    options.step = step;
    options.theta = theta;
    if (slip_run(ctx, model, &options, &result) < 0)
        fail_msg("%s", slip_context_message(ctx));
    return result;
}

/* A point and a disc land on the floor, and masses couple all directions: the tangential impulse is mu times
 * the normal one and against the slip after the impact, which is not that before it. */
static void impacts_at_any_theta(void **state)
{
    (void)state;
    static const char *const contacts[] = {
        "kind: unilateral, slip: [x', y']",
        "kind: patch, slip: {x: x', y: y'}, area: {shape: disc, radius: 0.1}"};
    static const double thetas[] = {0.5, 0.6, 2. / 3, 1};
    for (int c = 0; c < 2; c++) {
        char text[700];
        snprintf(
            text, sizeof text,
            "slipstick: 1\ncoordinates: [x, y, z]\nmass: [[1, 0.3, 0.2], [0.3, 1.5, 0.4], [0.2, 0.4, "
            "1]]\ncontacts: {foot: {%s, gap: z, restitution: 0.5, impact_friction: coulomb, law: {type: "
            "coulomb, "
            "mu: 0.4}}}\nsimulate: {time: [0, 0.1], initial: {z: 0.05, x': 2, y': 0.9, z': -1}, tolerance: "
            "1e-11}\n",
            contacts[c]);
        slip_model *model = parse(text);
        slip_result *exact = run(model, "event", NAN, NAN);
        const double x = slip_result_number(exact, "final.x'"), y = slip_result_number(exact, "final.y'");
        const double change[3] = {x - 2, y - 0.9, slip_result_number(exact, "final.z'") + 1};
        /* impulses, by the masses */
        const double px = change[0] + 0.3 * change[1] + 0.2 * change[2],
                     py = 0.3 * change[0] + 1.5 * change[1] + 0.4 * change[2],
                     pz = 0.2 * change[0] + 0.4 * change[1] + change[2], slip = hypot(x, y);
        assert_close(px, -0.4 * pz * x / slip, 1e-12);
        assert_close(py, -0.4 * pz * y / slip, 1e-12);
        assert_close(slip_result_number(exact, "final.z'"), 0.5, 1e-12);
        for (int k = 0; k < 4; k++) {
            slip_result *result = run(model, "moreau", 1e-4, thetas[k]);
            assert_close(slip_result_number(result, "final.x'"), x, 1e-11);
            assert_close(slip_result_number(result, "final.y'"), y, 1e-11);
            slip_result_destroy(result);
        }
        slip_result_destroy(exact);
        slip_model_destroy(model);
    }
}

/* A blade that turns: its axes are those of friction, by coefficients cos p and sin p. With equal
 * coefficients nothing depends on how the axes are turned. */
static void axes_that_turn(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("slip: [\"cos(p)*x' + sin(p)*y'\", \"-sin(p)*x' + cos(p)*y'\"], "
         "law: {type: coulomb, mu: [0.05, 0.3]}"),
        "slip: [\"cos(p)*x' + sin(p)*y'\", \"-sin(p)*x' + cos(p)*y'\"], law: {type: coulomb, mu: 0.2}",
        "slip: [\"x'\", \"y'\"], law: {type: coulomb, mu: 0.2}"};
    static const char *const names[] = {"final.x", "final.y", "final.x'", "final.y'"};
    double ends[3][4];
    for (int i = 0; i < 3; i++) {
        double errors[2] = {0, 0};
        char text[700];
        snprintf(text, sizeof text,
                 "slipstick: 1\ncoordinates: [x, y, p]\nmass: {diagonal: [1, 1, 0.2]}\nstiffness: {diagonal: "
                 "[1, 1, "
                 "0.5]}\ncontacts: {blade: {kind: friction, normal_force: 1, %s}}\nsimulate: {time: [0, 3], "
                 "initial: "
                 "{x: 1, y': 0.5, p: 0.3, p': 2}, tolerance: 1e-11}\n",
                 texts[i]);
        slip_model *model = parse(text);
        slip_result *exact = run(model, "event", NAN, NAN);
        for (int j = 0; j < 4; j++)
            ends[i][j] = slip_result_number(exact, names[j]);
        for (int k = 0; k < 2; k++) {
            slip_result *result = run(model, "moreau", k ? 5e-4 : 1e-3, NAN);
            for (int j = 0; j < 4; j++)
                errors[k] = fmax(errors[k], fabs(slip_result_number(result, names[j]) - ends[i][j]));
            slip_result_destroy(result);
        }
        /* of order one where the axes turn, of order two where they do not */
        assert_true(errors[1] < (i < 2 ? 2e-4 : 2e-7));
        assert_true(errors[1] < (i < 2 ? 0.6 : 0.3) * errors[0]);
        slip_result_destroy(exact);
        slip_model_destroy(model);
    }
    for (int j = 0; j < 4; j++)
        assert_close(ends[1][j], ends[2][j], 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impacts_at_any_theta),
                                       cmocka_unit_test(axes_that_turn)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
