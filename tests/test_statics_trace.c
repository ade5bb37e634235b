/* Paths of equilibria of models that are not linear, against closed forms: folds, changes of modes,
 * crossings. */
#include "model_test.h"
#include "slipstick/slipstick.h"
#include "slipstick/statics.h"

static slip_result *follow(const char *text, const char *const *settings, const char *parameter, double low,
                           double high)
{
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = parse_with(text, settings);
    slip_result *result = NULL;
    options.parameter = parameter;
    options.low = low;
    options.high = high;
    options.spacing = 0.02;
    if (slip_continue(ctx, model, &options, &result) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(result);
    slip_model_destroy(model);
    return result;
}

/* A label of this type at this value is there once. */
static const slip_label *the_label(slip_result *result, const char *type, double value, double tolerance)
{
    const slip_label *found = NULL;
    for (int64_t k = 0; k < slip_result_label_count(result); k++) {
        const slip_label *label = slip_result_label(result, k);
        if (strcmp(label->type, type) != 0 || !(fabs(label->value - value) <= tolerance))
            continue;
        assert_null(found);
        found = label;
    }
    if (!found)
        print_error("no %s at %.17g\n", type, value);
    assert_non_null(found);
    return found;
}

static int count_labels(slip_result *result, const char *type)
{
    int count = 0;
    for (int64_t k = 0; k < slip_result_label_count(result); k++)
        count += strcmp(slip_result_label(result, k)->type, type) == 0;
    return count;
}

/* ---- Two bars: the load k (L0 - L) 2 y/L is largest where L^3 = L0 b^2; the stop at y = -1/4 takes over. */
static void truss_snaps_onto_a_stop(void **state)
{
    (void)state;
    slip_result *result =
        follow("slipstick: 1\nparameters: {k: 100, P: 0}\ncoordinates: [y]\n"
               "energy:\n  kinetic: y'^2/2\n  potential: k*(sqrt(1 + y^2) - sqrt(1.25))^2 + P*y\n"
               "contacts:\n  stop: {kind: unilateral, gap: y + 0.25}\nsimulate: {initial: {y: 0.5}}\n",
               NULL, "P", -10, 10);
    const double L0 = sqrt(1.25), L = cbrt(L0), y = sqrt(L * L - 1), end = sqrt(1.0625);
    the_label(result, "LP", 200 * (L0 - L) * y / L, 1e-12);
    const slip_label *landing = the_label(result, "LP", -200 * (L0 - end) * 0.25 / end, 1e-12);
    assert_string_equal(landing->from, "open");
    assert_string_equal(landing->to, "closed");
    assert_int_equal((int)slip_result_number(result, "branches"), 1);
    slip_result_destroy(result);
}

/* ---- A column that buckles: the states a = 0 and k a = P sin(a) cross at P = k; the stop takes over at
 * P = 1.2/sin(1.2). */
static void a_column_buckles(void **state)
{
    (void)state;
    slip_result *result = follow("slipstick: 1\nparameters: {k: 1, P: 0}\ncoordinates: [a]\n"
                                 "energy: {kinetic: a'^2/2, potential: k*a^2/2 + P*cos(a)}\n"
                                 "contacts:\n  stop: {kind: unilateral, gap: 1.2 - a}\n",
                                 NULL, "P", 0, 2);
    the_label(result, "BP", 1, 1e-9);
    the_label(result, "MC", 1.2 / sin(1.2), 1e-12);
    assert_int_equal(count_labels(result, "EP"), 6); /* three branches */
    slip_result_destroy(result);
}

/* ---- A ladder over the angle at which it is put up. */
#define LADDER(wall)                                                                                         \
    "slipstick: 1\nparameters: {m: 2, g: 10, l: 1.5, mu: 0.3, p0: 1.1}\ncoordinates: [x, y, p]\n"            \
    "energy: {kinetic: m*(x'^2 + y'^2)/2 + m*l^2/6*p'^2, potential: m*g*y}\n"                                \
    "contacts:\n  floor: {kind: unilateral, gap: y - l*sin(p), slip: rate(x + l*cos(p)), law: {type: "       \
    "coulomb, mu: mu}}\n"                                                                                    \
    "  wall: {kind: unilateral, gap: x - l*cos(p)" wall "}\n"                                                \
    "simulate: {initial: {x: l*cos(p0), y: l*sin(p0), p: p0}}\n"

static void ladder_over_its_angle(void **state)
{
    (void)state;
    slip_result *result = follow(LADDER(""), NULL, "p0", 0.3, 1.5);
    the_label(result, "LP", atan(1 / 0.6), 1e-12); /* held above, never below */
    slip_result_destroy(result);
    /* Rough at both ends: the two ends of the line of forces meet where it vanishes. */
    result = follow(LADDER(", slip: rate(y + l*sin(p)), law: {type: coulomb, mu: mu}"), NULL, "p0", 0.3, 1.5);
    the_label(result, "BP", atan((1 - 0.09) / 0.6), 1e-12);
    for (int64_t k = 0; k < slip_result_label_count(result); k++)
        assert_true(slip_result_label(result, k)->value > atan((1 - 0.09) / 0.6) - 1e-12);
    slip_result_destroy(result);
}

/* ---- A block on a cylinder, over the angle at which it is put down. */
static void cylinder_over_the_angle(void **state)
{
    (void)state;
    slip_result *result = follow(
        "slipstick: 1\nparameters: {a: 0.1, R: 2, mu: 0.4}\ncoordinates: [x, y]\n"
        "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
        "contacts:\n  top: {kind: unilateral, gap: sqrt(x^2 + y^2) - R, slip: 'rate(R*atan2(x, y))', law: "
        "{type: coulomb, mu: mu}}\n"
        "simulate: {initial: {x: R*sin(a), y: R*cos(a)}}\n",
        NULL, "a", 0, 0.6);
    the_label(result, "LP", atan(0.4), 1e-12);
    slip_result_destroy(result);
}

/* ---- A block on an incline that is pulled sideways by F and held by springs: the forces of friction and
 * weight are at right angles, so that it holds up to sqrt((mu N)^2 - (m g sin)^2). */
static void incline_pulled_sideways(void **state)
{
    (void)state;
    const double N = 9.81 * cos(0.3), W = 9.81 * sin(0.3);
    slip_result *result =
        follow("slipstick: 1\nparameters: {s: 0.3, mu: 0.5, F: 0, k: 3}\ncoordinates: [x, y]\n"
               "mass: {diagonal: [1, 1]}\nstiffness: {diagonal: [k, k]}\n"
               "forces: {x: 9.81*sin(s), y: F}\ncontacts:\n"
               "  block: {kind: friction, slip: [x', y'], normal_force: 9.81*cos(s), law: {type: coulomb, "
               "mu: mu}}\n",
               NULL, "F", 0, 10);
    const slip_label *label = the_label(result, "MC", sqrt(0.25 * N * N - W * W), 1e-12);
    assert_string_equal(label->from, "stick");
    assert_string_equal(label->to, "slip");
    int64_t count = 0;
    const double *force_x = slip_result_series(result, "block.force_x", &count),
                 *force_y = slip_result_series(result, "block.force_y", &count),
                 *x = slip_result_series(result, "x", &count), *y = slip_result_series(result, "y", &count),
                 *F = slip_result_series(result, "value", &count);
    int slipping = 0;
    for (int64_t k = 0; k < count; k++) {
        assert_close(force_x[k] + W - 3 * x[k], 0, 1e-11);
        assert_close(force_y[k] + F[k] - 3 * y[k], 0, 1e-11);
        if (F[k] < label->value + 1e-9)
            continue;
        slipping++; /* against the displacement, with mu N */
        assert_close(hypot(force_x[k], force_y[k]), 0.5 * N, 1e-11);
        assert_close(force_x[k] * y[k] - force_y[k] * x[k], 0, 1e-10);
    }
    assert_true(slipping > 10);
    slip_result_destroy(result);
}

/* ---- A static coefficient above the kinetic one: stick ends at +-static_ratio mu N with no way on, slip
 * begins at +-mu N in the middle of stick, and each is listed once. A linear spring and one that hardens. */
static void static_friction_gives_way(void **state)
{
    (void)state;
    for (int hard = 0; hard < 2; hard++) {
        char text[400];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {F: 0}\ncoordinates: [x]\nmass: 1\nforces: {x: F - x - %d*x^3}\n"
                 "contacts: {pad: {kind: friction, slip: x', normal_force: 2, law: {type: coulomb, mu: 0.3, "
                 "static_ratio: 1.5}}}\n",
                 hard);
        slip_result *result = follow(text, NULL, "F", -2, 2);
        int gave_way = 0, joined = 0;
        for (int64_t k = 0; k < slip_result_label_count(result); k++) {
            const slip_label *label = slip_result_label(result, k);
            gave_way += fabs(fabs(label->value) - 0.9) <= 1e-12;
            joined += fabs(fabs(label->value) - 0.6) <= 1e-9;
        }
        assert_int_equal(gave_way, 2);
        assert_true(joined == 2 || joined == 3); /* the other way of stick is a branch of its own */
        int64_t count = 0;
        const double *x = slip_result_series(result, "x", &count),
                     *F = slip_result_series(result, "value", &count),
                     *mode = slip_result_series(result, "pad.mode", &count);
        int seen[SLIP_MODE_CLOSED + 1] = {0};
        for (int64_t k = 0; k < count; k++) {
            const double side = mode[k] == SLIP_MODE_SLIP_PLUS ? 1 : -1;
            seen[(int)mode[k]]++;
            if (mode[k] == SLIP_MODE_STICK)
                assert_true(fabs(x[k]) <= 1e-14 && fabs(F[k]) <= 0.9 + 1e-9);
            else
                assert_close(x[k] + hard * x[k] * x[k] * x[k], F[k] - side * 0.6, 1e-12);
            assert_true(mode[k] == SLIP_MODE_STICK || side * x[k] >= -1e-12);
        }
        assert_true(seen[SLIP_MODE_STICK] > 10 && seen[SLIP_MODE_SLIP_PLUS] > 10 &&
                    seen[SLIP_MODE_SLIP_MINUS] > 10);
        slip_result_destroy(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truss_snaps_onto_a_stop), cmocka_unit_test(a_column_buckles),
        cmocka_unit_test(ladder_over_its_angle),   cmocka_unit_test_of_numbers(cylinder_over_the_angle),
        cmocka_unit_test(incline_pulled_sideways), cmocka_unit_test(static_friction_gives_way),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
