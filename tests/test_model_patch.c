/* Contacts of kind patch in model files: what is read, refused and written. */
#include "model_test.h"

#include "patch/patch.h"
#include "test_folder.h"

#include <math.h>

#define BODY                                                                                                 \
    "slipstick: 1\nparameters: {R: 2, k: 0.5}\ncoordinates: [x, y, phi]\n"                                   \
    "mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ncontacts:\n  pad:\n    kind: patch\n"
#define SLIP "    slip: {x: x' - 0.1, spin: phi'}\n"
#define AREA(text) BODY SLIP "    law: {type: coulomb, mu: 0.3}\n    area: " text "\n"
#define SURFACE(text)                                                                                        \
    BODY SLIP "    area: {shape: disc}\n    law: {type: coulomb, mu: 0.3, surface: " text "}\n"
#define PATCH_LAW(text) BODY SLIP "    area: {shape: disc}\n    law: " text "\n"

static const slip_patch *patch_of(const slip_model *model)
{
    const slip_patch *patch = slip_model_patch(model, 0);
    assert_non_null(patch);
    return patch;
}

/* The same area made in C: compared by what it does. */
static void expect_same(const char *text, const slip_patch_options *options)
{
    slip_model *model = parse(text);
    slip_patch *made;
    if (slip_patch_create(ctx, options, &made) < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(made);
    for (int i = 0; i < 20; i++) {
        const double velocity[3] = {cos(i), sin(2 * i), cos(3 * i) / 2};
        double found[3], wanted[3];
        slip_patch_evaluate(patch_of(model), velocity, found, NULL);
        slip_patch_evaluate(made, velocity, wanted, NULL);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(found[k] - wanted[k]) <= 1e-15);
    }
    assert_true(patch_of(model)->size == made->size);
    slip_patch_destroy(made);
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

static slip_patch_options shape(const char *name)
{
    slip_patch_options o = slip_patch_options_default();
    o.shape = name;
    return o;
}

static void every_shape_and_pressure_is_read(void **state)
{
    static const double corners[] = {0, 0, 3, 0, 3, 1, 1, 1, 1, 2, 0, 2};
    static const double rows[] = {0, 0, 1, 1, 0, 2, 0.3, 0.8, 1};
    slip_patch_options o;
    (void)state;
    o = shape("disc");
    o.radius = 1;
    expect_same(AREA("{shape: disc}"), &o);
    o.radius = 2;
    o.pressure = "hertz";
    expect_same(AREA("{shape: disc, radius: R, pressure: hertz}"), &o);
    o.size = 0.25;
    expect_same(AREA("{shape: disc, radius: R, pressure: hertz, size: k^2}"), &o);
    o = shape("annulus");
    o.inner = 0.5;
    o.outer = 2;
    o.pressure = "parabolic";
    expect_same(AREA("{shape: annulus, inner: k, outer: R, pressure: parabolic}"), &o);
    o = shape("ellipse");
    o.semi_axes[0] = 2;
    o.semi_axes[1] = 1;
    o.pressure = "linear";
    o.linear[0] = 0.25;
    o.linear[1] = -0.5;
    expect_same(AREA("{shape: ellipse, semi_axes: [R, R*k], pressure: {linear: [k/2, -k]}}"), &o);
    o = shape("rectangle");
    o.sides[0] = 4;
    o.sides[1] = 1;
    o.pressure = "expression";
    o.expression = "1 + 0.5*x^2 + 1e-1*y";
    expect_same(AREA("{shape: rectangle, sides: [4, 1], pressure: {expression: 1 + k*x^2 + 1e-1*y}}"), &o);
    o = shape("polygon");
    o.points = corners;
    o.point_count = 6;
    expect_same(AREA("{shape: polygon, points: [[0, 0], [3, 0], [R + 1, 1], [1, 1], [1, 2], [0, 2]]}"), &o);
    o = shape("table");
    o.points = rows;
    o.point_count = 3;
    expect_same(AREA("{shape: table, points: [[0, 0, 1], [1, 0, R], [0.3, 0.8, 1]]}"), &o);
}

static void every_surface_and_law_is_read(void **state)
{
    slip_patch_options o = shape("disc");
    (void)state;
    expect_same(PATCH_LAW("{type: coulomb, mu: k}"), &o);
    o.order[1] = 1;
    o.m = 1.5;
    o.b = 0.5;
    expect_same(SURFACE("{type: pade, order: [0, 1], m: 3*k, b: k}"), &o);
    o = shape("disc");
    o.order[0] = o.order[1] = 1;
    o.fit = 1;
    expect_same(SURFACE("{type: pade, order: [1, 1], fit: true}"), &o);
    o = shape("disc");
    o.surface = "integral";
    o.table_tolerance = 1e-8;
    expect_same(SURFACE("{type: integral}"), &o);
    o.table_tolerance = 1e-4;
    expect_same(SURFACE("{type: integral, tolerance: 1e-4}"), &o);
    o.table_tolerance = 0;
    expect_same(SURFACE("{type: integral, tolerance: 0}"), &o);
    o.epsilon = 0.1;
    o.b = 0.5;
    expect_same(PATCH_LAW("{type: sqrt, mu: 1, epsilon: 0.1, surface: {type: integral, tolerance: 0, b: k}}"),
                &o);
    o = shape("disc");
    o.epsilon = 0.1;
    o.static_ratio = 2;
    expect_same(PATCH_LAW("{type: sqrt, mu: 1, epsilon: 0.1, static_ratio: R}"), &o);
    o.static_ratio = NAN;
    o.eta_prime = 6.7627;
    expect_same(PATCH_LAW("{type: sqrt, mu: 1, epsilon: 0.1, eta_prime: 6.7627}"), &o);
}

static void the_integral_model_is_tabulated_with_a_stated_error(void **state)
{
    static const char *const round[] = {"contacts.pad.area={shape: annulus, inner: 0.5, outer: 1}", NULL};
    static const char *const square[] = {"contacts.pad.area={shape: rectangle, sides: [1, 1]}", NULL};
    slip_patch_info info;
    slip_model *model;
    (void)state;
    model = parse_with(SURFACE("{type: integral}"), round);
    info = slip_patch_describe(patch_of(model));
    assert_true(info.table_cells > 0 && info.table_error > 0 && info.table_error <= 1e-8);
    assert_non_null(strstr(slip_model_describe(ctx, model), "error at most"));
    slip_model_destroy(model);
    model = parse_with(SURFACE("{type: integral}"), square);
    info = slip_patch_describe(patch_of(model));
    assert_true(info.table_cells > 0 && info.table_error > 1e-8 && info.table_error <= 1e-5);
    slip_model_destroy(model);
}

static void test_file_write(const char *folder, const char *name, const char *text)
{
    char path[test_path_size];
    FILE *stream = fopen(test_path(path, folder, name), "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

static void a_table_is_looked_for_beside_the_model(void **state)
{
    static const char text[] = AREA("{shape: table, file: data/p.csv}");
    static const char table[] = "x;y;pressure  # a grid\n0;0;1\n1;0;1\n\n0;1;3 # corner\n1;1;3\n";
    char folder[test_path_size], path[test_path_size];
    slip_text written = {0};
    slip_model *model = NULL, *again = NULL;
    slip_patch_info info;
    double c010;
    (void)state;
    test_folder_make(folder);
    assert_int_equal(mkdir(test_path(path, folder, "data"), 0777), 0);
    test_file_write(folder, "data/p.csv", table);
    test_file_write(folder, "m.yaml", text);
    assert_int_equal(slip_model_load(ctx, test_path(path, folder, "m.yaml"), &model), SLIP_OK);
    info = slip_patch_describe(patch_of(model));
    assert_string_equal(info.treatment, "bilinear grid");
    assert_int_equal(slip_patch_moment(ctx, patch_of(model), 0, 1, 0, &c010), SLIP_OK);
    assert_true(fabs(c010 * info.size - 7.0 / 12) < 1e-12); /* of the pressure 1 + 2 y */
    /* What is written can be read from anywhere. */
    assert_int_equal(slip_model_write(ctx, model, NULL, &written), SLIP_OK);
    assert_int_equal(slip_model_parse(ctx, written.data, "elsewhere/model.yaml", NULL, &again), SLIP_OK);
    slip_model_destroy(again);
    slip_model_destroy(model);
    test_file_write(folder, "data/p.csv", "0 0 1\n1 0 one\n");
    assert_int_equal(slip_model_load(ctx, path, &model), SLIP_ERROR_MODEL);
    expect_message("", "m.yaml:10:11: ");
    expect_message("", "p.csv:2: found `1 0 one`, expected three numbers: x, y, pressure");
    test_file_write(folder, "data/p.csv",
                    "0 0 1o\n1 0 1\n0 1 1\n"); /* no heading, but a row with a mistake */
    assert_int_equal(slip_model_load(ctx, path, &model), SLIP_ERROR_MODEL);
    expect_message("", "p.csv:1: found `0 0 1o`, expected three numbers: x, y, pressure");
    test_file_write(folder, "m.yaml", AREA("{shape: table, file: none.csv}"));
    assert_int_equal(slip_model_load(ctx, path, &model), SLIP_ERROR_MODEL);
    expect_message("", "none.csv: No such file");
    slip_text_free(&written);
    test_folder_remove(folder);
}

/* Without a law there is no friction, in any method: x and phi move as if the patch were not there. */
static void a_patch_without_law_has_no_friction(void **state)
{
    static const char *const methods[] = {"event", "smooth", "moreau"};
    static const char text[] = BODY SLIP "    area: {shape: disc}\n"
                                         "stiffness: [[1, 0, 0], [0, 4, 0], [0, 0, 9]]\n"
                                         "simulate: {time: [0, 1], initial: {x: 1, phi': 0.3}}\n";
    (void)state;
    for (int k = 0; k < 3; k++) {
        slip_model *model = parse(text);
        slip_run_options options = slip_run_options_default();
        slip_result *result = NULL;
        const double tolerance = k == 2 ? 1e-5 : 1e-8;
        options.method = methods[k];
        options.tolerance = 1e-10;
        options.step = 1e-3;
        expect_fixed_point(model, NULL);
        assert_non_null(strstr(slip_model_describe(ctx, model), "no friction"));
        if (slip_run(ctx, model, &options, &result) < 0)
            print_error("%s\n", slip_context_message(ctx));
        assert_non_null(result);
        assert_close(slip_result_number(result, "final.x"), cos(1), tolerance);
        assert_close(slip_result_number(result, "final.phi"), 0.1 * sin(3), tolerance);
        assert_true(slip_result_number(result, "events.total") == 0);
        slip_result_destroy(result);
        slip_model_destroy(model);
    }
}

static void mistakes_are_refused_where_they_are(void **state)
{
    static const refusal refusals[] = {
        /* slip */
        {BODY "    area: {shape: disc}\n    law: {type: coulomb, mu: 1}\n",
         "m.yaml:7:5: contact `pad`: `slip` is missing, expected for example `slip: {x: x' - vb, spin"},
        {BODY "    slip: x'\n    area: {shape: disc}\n    law: {type: coulomb, mu: 1}\n",
         "m.yaml:8:11: slip: found `x'`, expected a mapping such as {x: x' - 0.1, spin: ...}"},
        {BODY "    slip: {x: x', z: 1}\n    area: {shape: disc}\n    law: {type: coulomb, mu: 1}\n",
         "m.yaml:8:19: unknown key `z`"},
        {BODY "    slip: {x: 1, spin: t}\n    area: {shape: disc}\n    law: {type: coulomb, mu: 1}\n",
         "m.yaml:8:11: slip: found no velocity in x, y and spin"},
        {BODY "    slip: {spin: phi'^2}\n    area: {shape: disc}\n    law: {type: coulomb, mu: 1}\n",
         "m.yaml:8:18: slip: spin: `phi'^2` is not linear in the velocities"},
        /* area */
        {BODY SLIP "    law: {type: coulomb, mu: 1}\n",
         "m.yaml:7:5: contact `pad`: `area` is missing, expected for example `area: {shape: disc, radius: "
         "1}`"},
        {AREA("disc"),
         "m.yaml:10:11: area: found `disc`, expected a mapping such as {shape: disc, radius: 1}"},
        {AREA("{radius: 1}"), "m.yaml:10:11: area: `shape` is missing, expected for example `shape: disc`"},
        {AREA("{shape: disk}"), "m.yaml:10:19: unknown shape `disk`; did you mean `disc`?"},
        {AREA("{shape: disc, sides: [1, 1]}"), "m.yaml:10:25: unknown key `sides`"},
        {AREA("{shape: disc, radius: -R}"),
         "m.yaml:10:33: area: radius: found `-R` = -2, expected more than 0"},
        {AREA("{shape: disc, radius: phi}"), "m.yaml:10:33: area: radius: found `phi`, expected a number"},
        {AREA("{shape: annulus, inner: 1}"), "m.yaml:10:11: area: `outer` is missing"},
        {AREA("{shape: annulus, inner: 2, outer: 1}"), "m.yaml:10:11: area: inner 2 and outer 1"},
        {AREA("{shape: ellipse, semi_axes: 2}"),
         "m.yaml:10:39: area: semi_axes: found `2`, expected a list such as [2, 1]"},
        {AREA("{shape: rectangle, sides: [1, 2, 3]}"),
         "m.yaml:10:37: area: sides: found a list of 3, expected one of 2, such as [2, 1]"},
        {AREA("{shape: polygon, points: [[0, 0], [1, 1], [0, 1], [1, 0]]}"), "m.yaml:10:11: area: polygon:"},
        {AREA("{shape: polygon, points: []}"), "m.yaml:10:36: area: points: found an empty list"},
        {AREA("{shape: polygon, points: [[0, 0, 1]]}"),
         "m.yaml:10:37: area: points: found a list of 3, expected one of 2"},
        {AREA("{shape: table}"), "m.yaml:10:11: area: a table has neither file nor points"},
        {AREA("{shape: table, file: a, points: [[0, 0, 1]]}"), "m.yaml:10:11: area: a table has both"},
        {AREA("{shape: disc, size: 0}"), "m.yaml:10:31: area: size: found 0, expected more than 0"},
        /* pressure */
        {AREA("{shape: disc, pressure: herz}"),
         "m.yaml:10:35: unknown pressure `herz`; did you mean `hertz`?"},
        {AREA("{shape: disc, pressure: linear}"), "m.yaml:10:35: pressure: expected {linear: [px, py]}"},
        {AREA("{shape: disc, pressure: {linear: [2, 0]}}"), "m.yaml:10:11: area: "},
        {AREA("{shape: disc, pressure: {liner: [2, 0]}}"),
         "m.yaml:10:36: unknown key `liner`; did you mean `linear`?"},
        {AREA("{shape: disc, pressure: {}}"),
         "m.yaml:10:35: pressure: expected either {linear: [px, py]} or"},
        {AREA("{shape: disc, pressure: {expression: 1 + z}}"), "m.yaml:10:52: pressure: unknown name `z`"},
        {AREA("{shape: disc, pressure: {expression: x}}"), "m.yaml:10:11: area: "},
        {AREA("{shape: polygon, points: [[0, 0], [1, 0], [0, 1]], pressure: hertz}"), "m.yaml:10:11: area: "},
        /* law */
        {PATCH_LAW("coulomb"), "m.yaml:10:10: law: found `coulomb`, expected a mapping"},
        {PATCH_LAW("{type: tanh, mu: 1}"),
         "m.yaml:10:17: unknown law of a patch `tanh`, expected one of `coulomb`, `sqrt`"},
        {PATCH_LAW("{type: coulomb}"), "m.yaml:10:10: law: `mu` is missing"},
        {PATCH_LAW("{type: coulomb, mu: -k}"),
         "m.yaml:10:30: law: mu: found `-k` = -0.5, expected at least 0"},
        {PATCH_LAW("{type: coulomb, mu: 1, epsilon: 1}"), "m.yaml:10:33: unknown key `epsilon`"},
        {PATCH_LAW("{type: coulomb, mu: 1, static_ratio: 0.5}"),
         "m.yaml:10:47: law: static_ratio: found 0.5, expected at least 1"},
        {PATCH_LAW("{type: sqrt, mu: 1}"), "m.yaml:10:10: law: `epsilon` is missing"},
        {PATCH_LAW("{type: sqrt, mu: 1, epsilon: 1, eta_prime: 1, static_ratio: 2}"),
         "m.yaml:10:10: patch: eta_prime 1"},
        /* surface */
        {SURFACE("pade"), "m.yaml:10:44: surface: found `pade`, expected a mapping"},
        {SURFACE("{order: [0, 0]}"), "m.yaml:10:44: surface: `type` is missing"},
        {SURFACE("{type: padé}"), "m.yaml:10:51: unknown surface `padé`; did you mean `pade`?"},
        {SURFACE("{type: pade, order: [0, 2]}"),
         "m.yaml:10:68: surface: order: found 2, expected at least 0 and"},
        {SURFACE("{type: pade, order: [k, 0]}"), "m.yaml:10:65: surface: order: found 0.5, expected 0 or 1"},
        {SURFACE("{type: pade, order: 1}"),
         "m.yaml:10:64: surface: order: found `1`, expected a list such as [2, 1]"},
        {SURFACE("{type: pade, order: [1, 1], m: 0.2}"), "m.yaml:10:44: surface: m 0.2 for order [1, 1]"},
        {SURFACE("{type: pade, fit: true, m: 1}"), "m.yaml:10:44: surface: either m and b or fit"},
        {SURFACE("{type: pade, fit: maybe}"),
         "m.yaml:10:62: surface: fit: found `maybe`, expected true or false"},
        {SURFACE("{type: pade, tolerance: 1}"),
         "m.yaml:10:57: surface: `tolerance` belongs to type integral, the type here is pade; leave it out"},
        {SURFACE("{type: integral, order: [0, 1]}"),
         "m.yaml:10:61: surface: `order` belongs to type pade, the type here is integral; leave it out, or "
         "replace the whole surface: --set 'contacts.pad.law.surface={type: integral}'"},
        {SURFACE("{type: integral, m: 2}"), "m.yaml:10:61: surface: `m` belongs to type pade"},
        {SURFACE("{type: integral, b: 2}"), "m.yaml:10:61: surface: `b` belongs to type pade"},
        {SURFACE("{type: integral, tolerance: -1}"), "m.yaml:10:72: surface: tolerance: found -1"},
    };
    (void)state;
    REFUSE_EACH(refusals);
}

static void a_patch_built_in_c_is_written_and_read(void **state)
{
    static const char *const names[] = {"x", "phi"};
    static const double mass[] = {1, 0, 0, 1}, rows[] = {0, 0, 1, 1, 0, 2, 0.3, 0.8, 1};
    slip_contact_options pad = slip_contact_options_default();
    slip_model *model;
    (void)state;
    pad.name = "pad";
    pad.kind = "patch";
    pad.slip = "x'";
    pad.spin = "phi'";
    pad.law.mu = 0.5;
    pad.area.shape = "table";
    pad.area.points = rows;
    pad.area.point_count = 3;
    pad.area.surface = "integral";
    assert_int_equal(slip_model_create(ctx, 2, names, &model), SLIP_OK);
    assert_int_equal(slip_model_set_mass(ctx, model, mass), SLIP_OK);
    assert_int_equal(slip_model_add_contact(ctx, model, &pad), SLIP_OK);
    assert_null(slip_model_patch(model, 1));
    assert_null(slip_model_patch(model, -1));
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_shape_and_pressure_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(every_surface_and_law_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(the_integral_model_is_tabulated_with_a_stated_error, setup, teardown),
        cmocka_unit_test_setup_teardown(a_table_is_looked_for_beside_the_model, setup, teardown),
        cmocka_unit_test_setup_teardown(a_patch_without_law_has_no_friction, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_are_refused_where_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(a_patch_built_in_c_is_written_and_read, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
