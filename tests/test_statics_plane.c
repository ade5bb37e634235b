/* Statics of friction in the plane, of areas, and of bodies that only contact holds, against closed forms. */
#include "model_test.h"
#include "slipstick/patch.h"
#include "slipstick/slipstick.h"
#include "slipstick/statics.h"

static slip_statics *solve(const char *text, const char *const *settings, slip_model **model)
{
    slip_statics *statics = NULL;
    *model = parse_with(text, settings);
    if (slip_statics_solve(ctx, *model, NULL, &statics) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(statics);
    return statics;
}

/* The value of F up to which the model rests: the label where `contact` starts to slip, after which the state
 * goes on without end. */
static double limit_of(const char *text, const char *const *settings, double high)
{
    slip_continue_options options = slip_continue_options_default();
    slip_model *model = parse_with(text, settings);
    slip_result *result = NULL;
    double limit = NAN;
    options.parameter = "F";
    options.low = 0;
    options.high = high;
    options.spacing = 0.05;
    options.restarts = 1;
    if (slip_continue(ctx, model, &options, &result) != SLIP_OK)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(result);
    for (int64_t k = 0; k < slip_result_label_count(result); k++) {
        const slip_label *label = slip_result_label(result, k);
        if (strcmp(label->type, "MC") != 0 || strcmp(label->from, "stick") != 0)
            continue;
        assert_true(isnan(limit));
        assert_string_equal(label->to, "slip");
        limit = label->value;
    }
    slip_result_destroy(result);
    slip_model_destroy(model);
    return limit;
}

#define POINT(slip, mu, fx, fy)                                                                              \
    "slipstick: 1\nparameters: {F: 0, c: 0.6, s: 0.8}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"      \
    "forces: {x: " fx ", y: " fy "}\ncontacts:\n"                                                            \
    "  pad: {kind: friction, slip: " slip ", normal_force: 10, law: {type: coulomb, mu: " mu "}}\n"

static void a_point_in_the_plane(void **state)
{
    (void)state;
    /* The cone is round: turned axes are no other contact. */
    assert_close(limit_of(POINT("[x', y']", "0.4", "0.28*F", "0.96*F"), NULL, 10), 4, 1e-12);
    assert_close(limit_of(POINT("[c*x' + s*y', c*y' - s*x']", "0.4", "0.28*F", "0.96*F"), NULL, 10), 4,
                 1e-12);
    /* An elliptic one. */
    assert_close(limit_of(POINT("[x', y']", "[0.4, 0.2]", "0.28*F", "0.96*F"), NULL, 10),
                 1 / hypot(0.28 / 4, 0.96 / 2), 1e-12);
    /* Along a line it is a contact of one direction. */
    assert_close(limit_of(POINT("[x', 0.5*x']", "0.4", "F", "-y"), NULL, 10), 4 * hypot(1, 0.5), 1e-11);
}

/* At rest below the limit; above it there is nothing. */
static void held_or_not(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *const settings[] = {k == 0 ? "F=3.9" : "F=4.1", NULL};
        slip_model *model;
        slip_statics *statics = solve(POINT("[x', y']", "0.4", "0.6*F", "0.8*F"), settings, &model);
        assert_int_equal(slip_statics_count(statics), k == 0);
        if (k == 0) {
            const slip_statics_solution *s = slip_statics_at(statics, 0);
            assert_int_equal(s->modes[0], 1 << SLIP_MODE_STICK);
            assert_close(s->state.plane[3], -0.6 * 3.9, 1e-12);
            assert_close(s->state.plane[4], -0.8 * 3.9, 1e-12);
            assert_close(s->state.tangential[0], 3.9, 1e-12);
        }
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* ---- An area under a force and a moment: the limit surface. */
#define AREA(fx, fy, m)                                                                                      \
    "slipstick: 1\nparameters: {F: 0}\ncoordinates: [x, y, p]\nmass: {diagonal: [1, 1, 1]}\n"                \
    "forces: {x: " fx ", y: " fy ", p: " m "}\ncontacts:\n"                                                  \
    "  pad: {kind: patch, slip: {x: x', y: y', spin: p'}, normal_force: 10, area: {shape: disc, radius: "    \
    "0.3, "                                                                                                  \
    "pressure: uniform}, law: {type: coulomb, mu: 0.4, surface: {type: integral}}}\n"

static void an_area_under_force_and_moment(void **state)
{
    (void)state;
    assert_close(limit_of(AREA("0", "0", "F"), NULL, 2), 2.0 / 3 * 4 * 0.3, 1e-10);
    assert_close(limit_of(AREA("0.6*F", "0.8*F", "0"), NULL, 10), 4, 1e-10);
    slip_patch_options options = slip_patch_options_default();
    slip_patch *patch = NULL;
    double ratio, direction[3];
    options.shape = "disc";
    options.radius = 0.3;
    options.surface = "integral";
    assert_int_equal(slip_patch_create(ctx, &options, &patch), SLIP_OK);
    assert_int_equal(
        slip_patch_limit(ctx, patch, (const double[]){0.5 / 4, 0.2 / 4, 0.06 / 4}, &ratio, direction),
        SLIP_OK);
    assert_close(limit_of(AREA("0.5*F", "0.2*F", "0.06*F"), NULL, 20), 1 / ratio, 1e-6);
    slip_patch_destroy(patch);
}

/* ---- A foot that its weight presses on the floor: nothing else holds it. */
static void a_foot_on_the_floor(void **state)
{
    (void)state;
    assert_close(
        limit_of("slipstick: 1\nparameters: {F: 0}\ncoordinates: [x, y, z]\nmass: {diagonal: [1, 1, 1]}\n"
                 "forces: {x: 0.6*F, y: 0, z: 0.8*F - 10}\ncontacts:\n"
                 "  foot: {kind: unilateral, gap: z, slip: [x', y'], law: {type: coulomb, mu: 0.5}}\n",
                 NULL, 11),
        5, 1e-11); /* 0.6 F = 0.5 (10 - 0.8 F) */
}

/* Two feet share a load in many ways: one continuum, with states on its boundary. */
static void two_feet_share_a_load(void **state)
{
    (void)state;
    slip_model *model;
    slip_statics *statics =
        solve("slipstick: 1\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\nforces: {x: 3, y: 1}\ncontacts:\n"
              "  a: {kind: friction, slip: [x', y'], normal_force: 10, law: {type: coulomb, mu: 0.25}}\n"
              "  b: {kind: friction, slip: [x', y'], normal_force: 10, law: {type: coulomb, mu: 0.2}}\n",
              NULL, &model);
    int continua = 0;
    for (int k = 0; k < slip_statics_count(statics); k++) {
        const slip_statics_solution *s = slip_statics_at(statics, k);
        if (s->dimension != 2)
            continue;
        continua++;
        assert_int_equal(s->end_count, 4);
        for (int e = 0; e < s->end_count; e++) {
            const double *a = s->ends[e].plane, *b = s->ends[e].plane + 6;
            const double left = 2.5 - hypot(a[3], a[4]), right = 2 - hypot(b[3], b[4]);
            assert_close(a[3] + b[3], -3, 1e-11);
            assert_close(a[4] + b[4], -1, 1e-11);
            assert_close(fmin(left, right), 0, 1e-9);
        }
    }
    assert_int_equal(continua, 1);
    assert_int_equal(slip_statics_count(statics), 1);
    slip_statics_destroy(statics);
    slip_model_destroy(model);
}

/* ---- A ball in a groove of half angle a holds a torque up to mu r W/((1 + mu^2) cos a). */
static void a_ball_in_a_groove(void **state)
{
    (void)state;
    const double limit = 0.3 * 10 / ((1 + 0.09) * cos(0.5));
    for (int k = -1; k <= 1; k += 2) {
        char torque[40];
        const char *const settings[] = {torque, NULL};
        slip_model *model;
        snprintf(torque, sizeof torque, "T=%.17g", limit * (1 + 1e-6 * k));
        slip_statics *statics =
            solve("slipstick: 1\nparameters: {r: 1, al: 0.5, mu: 0.3, T: 0}\ncoordinates: [x, y, p]\n"
                  "mass: {diagonal: [1, 1, 1]}\nforces: {y: -10, p: T}\ncontacts:\n"
                  "  left: {kind: unilateral, gap: y*cos(al) + x*sin(al), slip: x'*cos(al) - y'*sin(al) + "
                  "r*p', law: "
                  "{type: coulomb, mu: mu}}\n"
                  "  right: {kind: unilateral, gap: y*cos(al) - x*sin(al), slip: x'*cos(al) + y'*sin(al) + "
                  "r*p', law: "
                  "{type: coulomb, mu: mu}}\n",
                  settings, &model);
        assert_true(slip_statics_complete(statics));
        assert_int_equal(slip_statics_count(statics), k < 0);
        if (k < 0)
            assert_int_equal(slip_statics_at(statics, 0)->dimension, 1);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

/* ---- A wedge without load is held where its angle is at most twice that of friction: then forces of any
 * size hold each other, and else none. */
static void a_wedge_locks_itself(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k += 2) {
        char angle[40];
        const char *const settings[] = {angle, NULL};
        slip_model *model;
        bool unbounded = false;
        snprintf(angle, sizeof angle, "al=%.17g", 2 * atan(0.3) + 1e-4 * k);
        slip_statics *statics = solve(
            "slipstick: 1\nparameters: {al: 0.5, mu: 0.3}\ncoordinates: [x, y]\nmass: {diagonal: [1, 1]}\n"
            "contacts:\n  below: {kind: unilateral, gap: y, slip: x', law: {type: coulomb, mu: mu}}\n"
            "  above: {kind: unilateral, gap: -x*sin(al) - y*cos(al), slip: x'*cos(al) - y'*sin(al), law: "
            "{type: coulomb, mu: mu}}\n",
            settings, &model);
        for (int j = 0; j < slip_statics_count(statics); j++) {
            const slip_statics_solution *s = slip_statics_at(statics, j);
            for (int part = 0; part < s->part_count; part++)
                unbounded =
                    unbounded || (s->parts[part].unbounded && s->parts[part].modes[0] == SLIP_MODE_STICK &&
                                  s->parts[part].modes[1] == SLIP_MODE_STICK);
        }
        assert_int_equal(unbounded, k < 0);
        slip_statics_destroy(statics);
        slip_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_in_the_plane),           cmocka_unit_test(held_or_not),
        cmocka_unit_test(an_area_under_force_and_moment), cmocka_unit_test(a_foot_on_the_floor),
        cmocka_unit_test(two_feet_share_a_load),          cmocka_unit_test(a_ball_in_a_groove),
        cmocka_unit_test(a_wedge_locks_itself),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
