/* Contacts of kind patch in the equation of motion: forces, derivatives, the C interface, what is recorded.
 */
#include "belt_disc.h"
#include "system_builder.h"
#include "test_folder.h"

#include <math.h>
#include <stdlib.h>

static slip_patch *make(bench *b, const slip_patch_options *options)
{
    slip_patch *patch = NULL;
    check_done(b, slip_patch_create(b->ctx, options, &patch));
    return patch;
}

static slip_patch_options smooth_area(const char *surface)
{
    slip_patch_options o = slip_patch_options_default();
    o.shape = "rectangle";
    o.sides[0] = 3;
    o.sides[1] = 1;
    o.pressure = "linear";
    o.linear[0] = 0.3;
    o.linear[1] = -0.2;
    o.surface = surface;
    o.epsilon = 0.3;
    o.static_ratio = 1.5;
    return o;
}

/* Three coordinates; slip velocities that mix them, with functions of time and place; N(t, q, v). */
static bench mixed(const slip_patch_options *options)
{
    static const char *const names[] = {"x", "y", "phi"};
    bench b = build(3, names);
    slip_patch_contact pad = {.name = "pad", .mu = 0.7};
    b.system->mass[1] = b.system->mass[3] = 0.2;
    b.system->stiffness[4] = 3;
    pad.slip[0] = compile(&b, "x' - 0.3*phi' - sin(t)*y");
    pad.slip[1] = compile(&b, "2*y' + 0.1*x^2");
    pad.slip[2] = compile(&b, "phi' - 0.5*t");
    pad.normal_force = compile(&b, "2 + x^2 + 0.1*y'*phi");
    pad.law = make(&b, options);
    check_done(&b, slip_system_add_patch(b.ctx, b.system, &pad));
    check_done(&b, slip_system_finish(b.ctx, b.system));
    return b;
}

static void test_forces_are_the_surface_times_mu_n(void **state)
{
    slip_patch_options o = smooth_area("pade");
    bench b = mixed(&o);
    slip_workspace *work = NULL;
    slip_patch *twin = make(&b, &o);
    const double t = 0.7, q[3] = {0.4, -0.2, 1.1}, v[3] = {0.3, 0.9, -0.8};
    const double slip[3] = {v[0] - 0.3 * v[2] - sin(t) * q[1], 2 * v[1] + 0.1 * q[0] * q[0], v[2] - 0.5 * t},
                 normal = 2 + q[0] * q[0] + 0.1 * v[1] * q[2];
    double a[3], T[3], force[3];
    (void)state;
    check_done(&b, slip_workspace_create(b.ctx, b.system, &work));
    assert_true(slip_system_acceleration(b.system, work, NULL, t, q, v, a));
    slip_patch_evaluate(twin, slip, T, NULL);
    force[0] = -0.7 * normal * T[0];
    force[1] = -0.7 * normal * 2 * T[1] - 3 * q[1];
    force[2] = -0.7 * normal * (T[2] - 0.3 * T[0]);
    assert_close(a[0] + 0.2 * a[1], force[0], 1e-13);
    assert_close(0.2 * a[0] + a[1], force[1], 1e-13);
    assert_close(a[2], force[2], 1e-13);
    assert_close(work->contacts[0].slip,
                 sqrt(slip[0] * slip[0] + slip[1] * slip[1] + 1.5 * 1.5 * slip[2] * slip[2]), 1e-14);
    for (int k = 0; k < 3; k++)
        assert_close(work->patches[0].force[k], -0.7 * normal * T[k], 1e-14);
    slip_patch_destroy(twin);
    slip_workspace_destroy(work);
    clear(&b);
}

static void check_jacobian(const char *surface)
{
    slip_patch_options o = smooth_area(surface);
    bench b = mixed(&o);
    slip_workspace *work = NULL;
    uint64_t seed = 5;
    check_done(&b, slip_workspace_create(b.ctx, b.system, &work));
    for (int round = 0; round < 20; round++) {
        double y[6], a[3], plus[3], minus[3], a_q[9], a_v[9], a_t[3], h = 1e-5, t = test_random(&seed, 0, 2);
        for (int i = 0; i < 6; i++)
            y[i] = test_random(&seed, -1, 1);
        assert_true(slip_system_jacobian(b.system, work, NULL, t, y, y + 3, a, a_q, a_v, a_t, NULL));
        for (int j = 0; j < 7; j++) {
            double keep = j < 6 ? y[j] : 0, dt = j < 6 ? 0 : h;
            if (j < 6)
                y[j] = keep + h;
            assert_true(slip_system_acceleration(b.system, work, NULL, t + dt, y, y + 3, plus));
            if (j < 6)
                y[j] = keep - h;
            assert_true(slip_system_acceleration(b.system, work, NULL, t - dt, y, y + 3, minus));
            if (j < 6)
                y[j] = keep;
            for (int i = 0; i < 3; i++) {
                double found = j < 3 ? a_q[3 * i + j] : j < 6 ? a_v[3 * i + j - 3] : a_t[i];
                assert_close(found, (plus[i] - minus[i]) / (2 * h), 2e-7);
            }
        }
    }
    slip_workspace_destroy(work);
    clear(&b);
}

static void test_jacobian_is_exact(void **state)
{
    (void)state;
    check_jacobian("pade");
    check_jacobian("integral");
}

/* Directions that turn with the coordinates: differences. */
static void test_directions_that_vary(void **state)
{
    static const char *const names[] = {"x", "phi"};
    bench b = build(2, names);
    slip_patch_options o = slip_patch_options_default();
    slip_patch_contact pad = {.name = "pad", .mu = 1};
    slip_workspace *work = NULL;
    const double q[2] = {0.2, 0.6}, v[2] = {0.5, -0.3};
    double a[2], T[3];
    (void)state;
    o.epsilon = 0.1;
    pad.slip[0] = compile(&b, "x'*cos(phi)");
    pad.slip[1] = compile(&b, "-x'*sin(phi)");
    pad.slip[2] = compile(&b, "phi'");
    pad.law = make(&b, &o);
    check_done(&b, slip_system_add_patch(b.ctx, b.system, &pad));
    check_done(&b, slip_system_finish(b.ctx, b.system));
    check_done(&b, slip_workspace_create(b.ctx, b.system, &work));
    assert_true(slip_system_acceleration(b.system, work, NULL, 0, q, v, a));
    slip_patch_evaluate(b.system->contacts[0].patch->law,
                        (double[]){v[0] * cos(q[1]), -v[0] * sin(q[1]), v[1]}, T, NULL);
    assert_close(a[0], -(cos(q[1]) * T[0] - sin(q[1]) * T[1]), 1e-14);
    assert_close(a[1], -T[2], 1e-14);
    slip_workspace_destroy(work);
    clear(&b);
}

/* ---- The C interface. */

static void test_records_forces_and_moment(void **state)
{
    static const char *const parts[] = {"slip_x", "slip_y", "spin", "force_x", "force_y", "moment"};
    char folder[test_path_size], name[40];
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(1e-3, 13.7627);
    slip_model *model = belt_model(ctx, &pad);
    slip_run_options run = slip_run_options_default();
    slip_result *result = NULL, *again = NULL;
    const double *series[6], *v[2], *slip, *force, *mode, *normal;
    int64_t count, other;
    (void)state;
    run.method = "smooth";
    run.end = 120;
    run.record_every = 0.5;
    belt_check(ctx, slip_run(ctx, model, &run, &result));
    for (int k = 0; k < 6; k++) {
        snprintf(name, sizeof name, "pad.%s", parts[k]);
        series[k] = slip_result_series(result, name, &count);
        assert_non_null(series[k]);
        assert_int_equal(count, 241);
    }
    v[0] = slip_result_series(result, "x'", NULL);
    v[1] = slip_result_series(result, "phi'", NULL);
    slip = slip_result_series(result, "pad.slip", NULL);
    force = slip_result_series(result, "pad.force", NULL);
    mode = slip_result_series(result, "pad.mode", NULL);
    normal = slip_result_series(result, "pad.normal", NULL);
    for (int64_t i = 0; i < count; i++) {
        assert_close(series[0][i], v[0][i] - 0.15, 1e-15);
        assert_true(series[1][i] == 0 && series[4][i] == 0);
        assert_true(series[2][i] == v[1][i]);
        assert_close(slip[i], hypot(v[0][i] - 0.15, v[1][i]), 1e-15);
        assert_close(force[i], -hypot(series[3][i], series[5][i]), 1e-14);
        assert_true(series[3][i] * series[0][i] + series[5][i] * series[2][i] <= 0);
        assert_true(normal[i] == 1);
        assert_true(mode[i] == (i == 0 ? SLIP_MODE_STICK : SLIP_MODE_SLIP));
    }
    test_folder_make(folder);
    belt_check(ctx, slip_result_save(ctx, result, folder));
    belt_check(ctx, slip_result_load(ctx, folder, &again));
    assert_int_equal(slip_result_series_count(again), slip_result_series_count(result));
    for (int k = 0; k < slip_result_series_count(result); k++) {
        const char *own = slip_result_series_name(result, k);
        const double *before = slip_result_series(result, own, &count), *after;
        after = slip_result_series(again, own, &other);
        assert_non_null(after);
        assert_true(other == count && memcmp(before, after, (size_t)count * sizeof(double)) == 0);
    }
    belt_check(ctx, slip_export(ctx, folder, "csv", NULL));
    test_folder_remove(folder);
    slip_result_destroy(again);
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void expect_message(slip_context *ctx, const char *part)
{
    if (!strstr(slip_context_message(ctx), part)) {
        print_error("found:    %s\nexpected: ...%s...\n", slip_context_message(ctx), part);
        fail();
    }
}

static void test_says_what_is_wrong(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(0, 4.98);
    slip_model *model = belt_model(ctx, &pad);
    slip_run_options run = slip_run_options_default();
    slip_result *result = NULL;
    (void)state;
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "contact `pad` is already there");
    pad.name = "other";
    pad.law.mu = NAN;
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "contact `other`: law: `mu` is missing");
    pad.law.mu = 1;
    pad.slip = "x'^2";
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "contact `other`: slip: x: `x'^2` is not linear in the velocities");
    pad.slip = "x' + nothing";
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "contact `other`: slip: x: `x' + nothing`: at character 6");
    pad.slip = "vb";
    pad.spin = NULL;
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "contact `other`: slip: found no velocity in x, y and spin");
    pad.slip = "x'";
    pad.area.radius = -1;
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "radius");
    pad.area.radius = 1;
    pad.normal_force = "-2";
    assert_true(slip_model_add_contact(ctx, model, &pad) < 0);
    expect_message(ctx, "contact `other`: normal_force: found -2, expected at least 0");
    assert_int_equal(slip_model_contact_count(model), 1);
    run.end = 1;
    run.method = "smooth";
    assert_true(slip_run(ctx, model, &run, &result) < 0);
    expect_message(ctx,
                   "contact `pad`: the law `coulomb` of a patch is set-valued at rest, and method `smooth` "
                   "needs a smooth one; use `sqrt`");
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

static void test_describes_and_writes(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_contact_options pad = belt_patch(1e-3, 13.7627);
    slip_model *model = belt_model(ctx, &pad);
    slip_run_options run = slip_run_options_default();
    slip_result *result = NULL;
    char folder[test_path_size], path[test_path_size + 20], text[4000];
    const char *said;
    FILE *file;
    (void)state;
    said = slip_model_describe(ctx, model);
    assert_non_null(strstr(said, "pad: patch, slip_x x' - vb, spin phi', normal force 1"));
    assert_non_null(strstr(said, "surface pade: order (0, 0), m = 2, b = 1"));
    run.method = "smooth";
    run.end = 1;
    belt_check(ctx, slip_run(ctx, model, &run, &result));
    test_folder_make(folder);
    belt_check(ctx, slip_result_save(ctx, result, folder));
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(text, "    kind: patch\n    slip: {x: x' - vb, spin: phi'}\n"));
    assert_non_null(strstr(text, "    area: {shape: disc, pressure: uniform}\n"));
    assert_non_null(strstr(text,
                           "      type: sqrt\n      mu: 5\n      epsilon: 0.001\n      eta_prime: 13.7627\n"
                           "      surface: {type: pade, order: [0, 0], m: 2, b: 1}\n"));
    test_folder_remove(folder);
    slip_result_destroy(result);
    slip_model_destroy(model);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_are_the_surface_times_mu_n),
        cmocka_unit_test(test_jacobian_is_exact),
        cmocka_unit_test(test_directions_that_vary),
        cmocka_unit_test(test_records_forces_and_moment),
        cmocka_unit_test(test_says_what_is_wrong),
        cmocka_unit_test(test_describes_and_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
