/* Models of bodies built in C: the same as from a file, written and read back, and refused where wrong. */
#include "model_test.h"
#include "slipstick/body.h"
#include "test_folder.h"

static const slip_body_support left = {"left", 1, 1};

static slip_model *two_blocks(void)
{
    const slip_body_traction tractions[] = {{"top", {NULL, "-6 - x/3"}}, {"right", {"2", "2"}}};
    slip_body_options upper = slip_body_options_default();
    slip_surface_options joint = slip_surface_options_default();
    slip_model *model = NULL;
    upper.name = "upper";
    upper.x[1] = 3;
    upper.y[0] = 1;
    upper.y[1] = 2;
    upper.elements[0] = 30;
    upper.elements[1] = 10;
    upper.young = 21190;
    upper.poisson = 0.277;
    upper.supports = &left;
    upper.support_count = 1;
    upper.tractions = tractions;
    upper.traction_count = 2;
    slip_body_options lower = upper;
    lower.name = "lower";
    lower.y[0] = 0;
    lower.y[1] = 1;
    lower.young = 211900;
    lower.traction_count = 0;
    joint.name = "joint";
    joint.first = "upper.bottom";
    joint.second = "lower.top";
    joint.friction = "F";
    assert_int_equal(slip_model_create_bodies(ctx, &model), SLIP_OK);
    assert_int_equal(slip_model_set_parameter(ctx, model, "F", 0.3), SLIP_OK);
    assert_int_equal(slip_model_add_body(ctx, model, &upper), SLIP_OK);
    assert_int_equal(slip_model_add_body(ctx, model, &lower), SLIP_OK);
    assert_int_equal(slip_model_add_surface(ctx, model, &joint), SLIP_OK);
    return model;
}

static void built_is_as_read(void **state)
{
    enum { m = 30, rows = 2 * m };
    static double a[rows * rows], b[rows * rows], v[rows], w[rows], u[2 * 682], stress[4 * 682];
    const char *const loads[] = {"bodies.upper.tractions.top=[0, -6 - x/3]",
                                 "bodies.upper.tractions.right=[2, 2]", NULL};
    slip_model *built = two_blocks(), *read = parse_with(slip_example_text("two-blocks"), loads);
    slip_contact_point point;
    double energy;
    (void)state;
    assert_int_equal(slip_bodies_point_count(built), m);
    assert_int_equal(slip_bodies_node_count(built), 682);
    assert_int_equal(slip_bodies_condense(ctx, built, a, v), SLIP_OK);
    assert_int_equal(slip_bodies_condense(ctx, read, b, w), SLIP_OK);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(v, w, sizeof v);
    assert_int_equal(slip_bodies_point(ctx, built, 29, &point), SLIP_OK);
    assert_string_equal(point.name, "joint[30]");
    assert_close(point.place[0], 3, 1e-14);
    assert_close(point.normal[1], -1, 1e-14);
    assert_close(point.gap, 0, 1e-14);
    assert_int_equal(slip_bodies_point(ctx, built, 30, &point), SLIP_ERROR_USAGE);
    assert_int_equal(slip_bodies_displacements(ctx, built, NULL, u), SLIP_OK);
    assert_int_equal(slip_bodies_stresses(ctx, built, u, stress, &energy), SLIP_OK);
    assert_true(energy > 0.01);
    slip_model_destroy(built);
    slip_model_destroy(read);
}

static void built_can_be_written(void **state)
{
    slip_model *model = two_blocks();
    slip_body_options more = slip_body_options_default();
    slip_surface_options floor_contact = slip_surface_options_default();
    const slip_body_support supports[] = {{"top", 0, 1}, {"left", 1, 0}};
    (void)state;
    more.name = "more";
    more.x[0] = 5;
    more.x[1] = 6;
    more.y[1] = 1;
    more.elements[0] = more.elements[1] = 2;
    more.young = 1;
    more.poisson = 0.1;
    more.thickness = 0.25;
    more.plane_stress = 1;
    more.supports = supports;
    more.support_count = 2;
    more.body_force[1] = "-F*y";
    assert_int_equal(slip_model_add_body(ctx, model, &more), SLIP_OK);
    floor_contact.name = "floor";
    floor_contact.first = "more.bottom";
    floor_contact.point[1] = "-0.1";
    floor_contact.gap = "0.01*(x - 5.5)^2";
    assert_int_equal(slip_model_add_surface(ctx, model, &floor_contact), SLIP_OK);
    expect_fixed_point(model, NULL);
    slip_model_destroy(model);
}

/* One square by arrays. */
static slip_body_options square(const slip_node_set *sets)
{
    static const double points[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const int quads[] = {0, 1, 2, 3};
    slip_body_options o = slip_body_options_default();
    o.name = "square";
    o.node_count = 4;
    o.points = points;
    o.quad_count = 1;
    o.quads = quads;
    o.sets = sets;
    o.set_count = 1;
    o.young = 1;
    o.poisson = 0;
    o.supports = &left;
    o.support_count = 1;
    return o;
}

static void meshes_by_arrays(void **state)
{
    static const int nodes[] = {3, 0};
    const slip_node_set set = {"left", 2, nodes};
    slip_body_options o = square(&set);
    slip_model *model = NULL;
    slip_text text = {0};
    double u[8];
    char folder[test_path_size], path[test_path_size];
    (void)state;
    o.body_force[0] = "1";
    assert_int_equal(slip_model_create_bodies(ctx, &model), SLIP_OK);
    assert_int_equal(slip_model_add_body(ctx, model, &o), SLIP_OK);
    assert_int_equal(slip_bodies_displacements(ctx, model, NULL, u), SLIP_OK);
    assert_close(u[2], 0.5, 1e-14); /* pulled by its own weight: q l^2/(2 E) */
    assert_close(u[0], 0, 0);
    assert_int_equal(slip_model_write(ctx, model, NULL, &text), SLIP_OK);
    assert_non_null(strstr(text.data, "# The mesh was given by arrays, which cannot be written."));
    slip_text_free(&text);
    test_folder_make(folder);
    assert_int_equal(slip_bodies_save_vtu(ctx, model, u, NULL, test_path(path, folder, "a.vtu")), SLIP_OK);
    assert_int_equal(slip_bodies_plot(ctx, model, u, NULL, folder, "square"), SLIP_OK);
    assert_int_equal(access(test_path(path, folder, "square.png"), R_OK), 0);
    test_folder_remove(folder);
    slip_model_destroy(model);
}

static void expect_fails(int found, int status, const char *part)
{
    assert_int_equal(found, status);
    expect_message("", part);
}

static void mistakes_are_refused(void **state)
{
    static const int nodes[] = {3, 0}, beyond[] = {3, 4};
    const slip_node_set set = {"left", 2, nodes}, wrong = {"left", 2, beyond};
    slip_body_options o = square(&set), bad;
    slip_surface_options s = slip_surface_options_default();
    slip_model *model = NULL, *other = parse(HEAD);
    double number;
    (void)state;
    assert_int_equal(slip_model_create_bodies(ctx, &model), SLIP_OK);
    expect_fails(slip_bodies_condense(ctx, model, NULL, NULL), SLIP_ERROR_USAGE, "the model has no bodies");
    expect_fails(slip_model_add_body(ctx, other, &o), SLIP_ERROR_USAGE, "the model has coordinates");
    expect_fails(slip_model_set_mass(ctx, model, &number), SLIP_ERROR_USAGE, "it has no coordinates");
    expect_fails(slip_model_set_parameter(ctx, model, "x", 1), SLIP_ERROR_MODEL, "`x` is a place");
    bad = square(&wrong);
    expect_fails(slip_model_add_body(ctx, model, &bad), SLIP_ERROR_MODEL,
                 "set `left` has node 4, expected 0 to 3");
    bad = o;
    bad.mesh_file = "part.msh";
    expect_fails(slip_model_add_body(ctx, model, &bad), SLIP_ERROR_USAGE, "found 2 meshes, expected one of");
    bad = o;
    bad.name = "a body";
    expect_fails(slip_model_add_body(ctx, model, &bad), SLIP_ERROR_MODEL, "body `a body` is no name");
    bad = o;
    bad.young = NAN;
    expect_fails(slip_model_add_body(ctx, model, &bad), SLIP_ERROR_MODEL,
                 "young is nan, expected more than 0");
    bad = o;
    bad.body_force[0] = "2*z";
    expect_fails(slip_model_add_body(ctx, model, &bad), SLIP_ERROR_MODEL,
                 "force in body `square`: `2*z`: at character 3: unknown name `z`");
    bad = o;
    bad.support_count = 0;
    expect_fails(slip_model_add_body(ctx, model, &bad), SLIP_ERROR_MODEL, "is not held: nothing holds it");
    assert_int_equal(slip_model_add_body(ctx, model, &o), SLIP_OK);
    expect_fails(slip_model_add_body(ctx, model, &o), SLIP_ERROR_MODEL, "there are two bodies `square`");
    expect_fails(slip_model_set_parameter(ctx, model, "p", 1), SLIP_ERROR_USAGE, "`p` comes too late");
    s.name = "c";
    s.first = "square";
    expect_fails(slip_model_add_surface(ctx, model, &s), SLIP_ERROR_USAGE,
                 "found `square`, expected BODY.EDGE");
    s.first = "square.right";
    expect_fails(slip_model_add_surface(ctx, model, &s), SLIP_ERROR_MODEL, "there is no set `right`");
    s.first = "circle.left";
    expect_fails(slip_model_add_surface(ctx, model, &s), SLIP_ERROR_MODEL, "there is no body `circle`");
    slip_model_destroy(model);
    slip_model_destroy(other);
}

/* Statics of a model that was built is that of the file. */
static void built_holds_still_as_read(void **state)
{
    slip_model *built = two_blocks(), *read = parse(slip_example_text("two-blocks"));
    slip_statics *first = NULL, *second = NULL;
    (void)state;
    assert_int_equal(slip_statics_solve(ctx, built, NULL, &first), SLIP_OK);
    assert_int_equal(slip_statics_solve(ctx, read, NULL, &second), SLIP_OK);
    assert_int_equal(slip_statics_count(first), 1);
    assert_int_equal(slip_statics_count(second), 1);
    for (int k = 0; k < 30; k++)
        assert_close(slip_statics_at(first, 0)->state.normal[k], slip_statics_at(second, 0)->state.normal[k],
                     1e-11);
    slip_statics_destroy(first);
    slip_statics_destroy(second);
    slip_model_destroy(built);
    slip_model_destroy(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(built_is_as_read, setup, teardown),
        cmocka_unit_test_setup_teardown(built_holds_still_as_read, setup, teardown),
        cmocka_unit_test_setup_teardown(built_can_be_written, setup, teardown),
        cmocka_unit_test_setup_teardown(meshes_by_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_are_refused, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
