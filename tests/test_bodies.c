/* Model files with bodies: what is read, what is refused and where, what is written; contacts between edges
 * of all kinds. */
#include "fem/plane/types.h"
#include "io/file.h"
#include "math/dense.h"
#include "model_test.h"
#include "test_folder.h"

#define MATERIAL "    material: {young: 1000, poisson: 0.3}\n"
#define BLOCK(text) "    mesh: {block: {" text "}}\n"
#define UNIT BLOCK("x: [0, 1], y: [0, 1], elements: [2, 2]")
#define BODY(name, mesh, more) "  " name ":\n" mesh MATERIAL more
#define FIXED "    fix: [bottom]\n"
#define ONE(mesh, more) "slipstick: 1\nbodies:\n" BODY("a", mesh, more)

static slip_plane *finished(slip_model *model)
{
    if (slip_plane_finish(ctx, model->plane) < 0) {
        print_error("%s\n", slip_context_message(ctx));
        fail();
    }
    return model->plane;
}

/* ---- what is read ---- */

static void the_example_is_read(void **state)
{
    slip_model *model = parse(slip_example_text("two-blocks"));
    const char *text = slip_model_describe(ctx, model);
    (void)state;
    assert_non_null(model->plane);
    assert_int_equal(slip_model_coordinate_count(model), 0);
    assert_int_equal(slip_model_contact_count(model), 1);
    assert_string_equal(slip_model_contact_name(model, 0), "joint");
    assert_null(slip_model_contact_name(model, 1));
    assert_non_null(strstr(text, "upper: 341 nodes, 300 quad4 elements, x 0 to 3, y 1 to 2\n"));
    assert_non_null(strstr(text, "traction on top [top_x, top_y + top_slope*x]\n"));
    assert_non_null(strstr(text, "unknowns      1320\n"));
    assert_non_null(
        strstr(text, "joint: surface, 30 points of upper.bottom against lower.top, distance 0 to 0\n"));
    assert_non_null(strstr(text, "law coulomb: mu = F\n"));
    expect_fixed_point(model, NULL);
    assert_close_relative(slip_plane_compliance(finished(model))[0], 7.936864304916134e-05, 1e-10);
    slip_model_destroy(model);
}

/* Bodies are for statics: a run says so. */
static void a_run_is_refused(void **state)
{
    slip_model *model = parse(slip_example_text("two-blocks"));
    slip_result *result = NULL;
    (void)state;
    assert_int_equal(slip_run(ctx, model, NULL, &result), SLIP_ERROR_MODEL);
    expect_message("", "a model of elastic bodies is for statics");
    slip_model_destroy(model);
}

/* The same rectangle as a block, by corners, by expressions and with parameters. */
static void blocks_of_all_kinds_agree(void **state)
{
    static const char *const meshes[] = {BLOCK("x: [0, 2], y: [0, 1], elements: [4, 3]"),
                                         BLOCK("corners: [[0, 0], [2, 0], [2, 1], [0, 1]], elements: [4, 3]"),
                                         BLOCK("x: 2*r, y: s, elements: [4, 3]"),
                                         BLOCK("x: l*r, y: [0, 1], elements: [4, 3]"),
                                         BLOCK("x: [0, l], y: [0, l/2], elements: [2*l, 3]")};
    (void)state;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        char text[1000];
        slip_model *model;
        const slip_mesh *mesh;
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {l: 2, p: 1}\nbodies:\n  a:\n%s" MATERIAL FIXED, meshes[i]);
        if (i == 3) {
            refuse_with(text, NULL, "m.yaml:5:23: block: x: found `l*r`, expected a list such as [0, 1]");
            continue;
        }
        model = parse(text);
        mesh = slip_plane_body_mesh(model->plane, 0);
        assert_int_equal(mesh->node_count, 20);
        assert_close(mesh->points[2 * 7], 1, 1e-15);
        assert_close(mesh->points[2 * 7 + 1], 1.0 / 3, 1e-15);
        assert_int_equal(slip_plane_is_structural(model->plane, 0), i == 4);
        assert_false(slip_plane_is_structural(model->plane, 1));
        slip_model_destroy(model);
    }
}

/* Loads follow the parameters, also through parameters that are computed from others, and their rates are
 * right: against differences. `linear` loads and others take different ways. */
static void loads_follow_parameters(void **state)
{
    static const char *const loads[] = {"[p*x, q + 1]", "[sin(p*x), q^2]"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double values[3], rates[3], w[3][12], rate[12], *step[3] = {w[0], w[1], w[2]};
        const double h = 1e-5;
        slip_model *model;
        slip_plane *plane;
        char text[2000];
        snprintf(text, sizeof text,
                 "slipstick: 1\nparameters: {p: 0.7, q: 2*p, z: q*p}\nbodies:\n" BODY(
                     "a", UNIT,
                     "    fix: [top]\n"
                     "    tractions: {right: "
                     "%s}\n"
                     "    body_force: [q, 0]\n") "contacts:\n  c: {kind: surface, between: [a.bottom, "
                                                 "{point: [0, -z], normal: [0, 1]}]}\n",
                 loads[i]);
        model = parse(text);
        plane = finished(model);
        assert_int_equal(slip_plane_contact_count(plane), 3);
        assert_true(slip_plane_load_reads(plane, 0));
        for (int k = 0; k < 3; k++) {
            assert_int_equal(slip_model_parameters_at(ctx, model, 0, 0.7 + (k - 1) * h, values, rates),
                             SLIP_OK);
            assert_close(values[1], 2 * values[0], 1e-15);
            assert_int_equal(slip_plane_free_displacement(ctx, plane, values, rates, step[k], rate), SLIP_OK);
        }
        slip_model_parameters_at(ctx, model, 0, 0.7, values, rates);
        assert_true(rates[0] == 1 && rates[1] == 2);
        assert_close(rates[2], 4 * 0.7, 1e-14);
        slip_plane_free_displacement(ctx, plane, values, rates, w[1], rate);
        for (int k = 0; k < 6; k++)
            assert_close(rate[k], (w[2][k] - w[0][k]) / (2 * h), 1e-11);
        slip_plane_gap(ctx, plane, values, rates, w[0], rate);
        assert_close(w[0][1], 2 * 0.7 * 0.7, 1e-14); /* the plane is z below */
        assert_close(rate[1], 4 * 0.7, 1e-14);
        slip_model_destroy(model);
    }
}

/* A quarter of a thick ring under pressure from inside, mapped as docs/bodies.md shows: Lame's solution for
 * plane strain, u(r) = p a^2/(E (b^2 - a^2)) (1 + nu) ((1 - 2 nu) r + b^2/r), to the order of the elements.
 */
static double ring_error(int radial, int around)
{
    char text[1000];
    const double a = 1, b = 2, young = 1000, nu = 0.3, p = 5;
    double *u, worst = 0;
    slip_model *model;
    const slip_mesh *mesh;
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {p: 5}\nbodies:\n  ring:\n    mesh: {block: {x: (1 + r)*cos(pi/2*s), "
             "y: (1 + "
             "r)*sin(pi/2*s), elements: [%d, %d]}}\n" MATERIAL
             "    fix: {bottom: y, top: x}\n    tractions: {left: ['p*x/hypot(x, y)', 'p*y/hypot(x, y)']}\n",
             radial, around);
    model = parse(text);
    mesh = slip_plane_body_mesh(finished(model), 0);
    u = slip_alloc(2 * mesh->node_count, sizeof *u);
    assert_int_equal(slip_plane_displacements(ctx, model->plane, &p, NULL, u), SLIP_OK);
    for (int i = 0; i < mesh->node_count; i++) {
        const double *at = mesh->points + 2 * i, r = hypot(at[0], at[1]);
        const double exact =
            p * a * a / (young * (b * b - a * a)) * (1 + nu) * ((1 - 2 * nu) * r + b * b / r);
        worst = fmax(worst, fabs(hypot(u[2 * i], u[2 * i + 1]) / exact - 1));
    }
    free(u);
    slip_model_destroy(model);
    return worst;
}

static void a_ring_is_lames(void **state)
{
    const double coarse = ring_error(8, 12), fine = ring_error(16, 24);
    (void)state;
    assert_true(fine < 0.002);
    assert_close(coarse / fine, 4, 0.4);
}

/* ---- what is refused ---- */

#define TWO(second, edges)                                                                                   \
    "slipstick: 1\nbodies:\n" BODY("a", UNIT, "    fix: [top]\n")                                            \
        BODY("b", BLOCK(second), FIXED) "contacts:\n  c: {kind: surface, between: " edges "}\n"

static void mistakes_are_refused(void **state)
{
    static const refusal refusals[] = {
        {"slipstick: 1\nbodies: [a]\n", "m.yaml:2:9: bodies: found a list, expected a mapping (name: body)"},
        {"slipstick: 1\nbodies: {}\n",
         "m.yaml:2:9: bodies: found a mapping, expected a mapping (name: body) of 1"},
        {ONE(UNIT, ""), "m.yaml:4:5: body `a`: `fix` is missing, expected for example `fix: [left]`"},
        {ONE(UNIT, "    fix: bottom\n"), "m.yaml:6:10: fix: found `bottom`, expected a list such as [left]"},
        {ONE(UNIT, "    fix: [botom]\n"),
         "m.yaml:3:3: fix of body `a`: there is no set `botom`; did you mean `bottom`?"},
        {ONE(UNIT, "    fix: {bottom: z}\n"), "m.yaml:6:19: fix: found `z`, expected x, y or xy"},
        {ONE(UNIT, "    fix: []\n"), "m.yaml:3:3: body `a` is not held: nothing holds it"},
        {ONE(UNIT, "    fix: {bottom: y}\n"), "body `a` is not held: it can move along (1, 0)"},
        {ONE(UNIT, "    fix: {bottom: x}\n"), "body `a` is not held: it can both slide and turn"},
        {ONE(UNIT, FIXED "    tractions: {left: [1]}\n"),
         "m.yaml:7:23: traction on `left`: found a list of 1, expected one of 2, such as [0, -1]"},
        {ONE(UNIT, FIXED "    tractions: {middle: [1, 2]}\n"),
         "m.yaml:3:3: tractions of body `a`: there is no set `middle`; expected one of `left`, `right`, "
         "`bottom`, `top`"},
        {ONE(UNIT, FIXED "    tractions: {left: [z, 2]}\n"),
         "m.yaml:7:24: traction on `left`: unknown name `z`"},
        {ONE(UNIT, FIXED "    tractions: {left: [t, 2]}\n"),
         "m.yaml:7:24: traction on `left`: unknown name `t`"},
        {ONE(UNIT, FIXED "    plane: strian\n"),
         "m.yaml:7:12: plane: unknown word `strian`; did you mean `strain`?"},
        {ONE(UNIT, FIXED "    thickness: 0\n"), "m.yaml:7:16: thickness: found 0, expected more than 0"},
        {ONE(UNIT, FIXED "    thicknes: 1\n"),
         "m.yaml:7:5: unknown key `thicknes`; did you mean `thickness`?"},
        {ONE("", FIXED), "m.yaml:4:5: body `a`: `mesh` is missing"},
        {ONE("    mesh: {}\n", FIXED), "m.yaml:4:11: mesh: found neither block nor file"},
        {ONE("    mesh: {file: no.msh}\n", FIXED), "m.yaml:4:18: mesh: cannot read no.msh: No such file"},
        {ONE("    mesh: {file: part.stl}\n", FIXED), "mesh: part.stl: expected a file of Gmsh (.msh)"},
        {ONE(BLOCK("x: [0, 1], y: [1, 0], elements: [2, 2]"), FIXED),
         "m.yaml:4:34: block: y runs from 1 to 0, expected upwards"},
        {ONE(BLOCK("x: [0, 1], y: [0, 1], elements: [2, 2.5]"), FIXED),
         "block: elements: found 2.5, expected a whole number from 1"},
        {ONE(BLOCK("x: [0, 1], y: [0, 1], elements: [100000, 10000]"), FIXED),
         "block: found 100000 x 10000 elements, expected at most"},
        {ONE(BLOCK("x: [0, 1], y: [0, 1]"), FIXED), "block: `elements` is missing"},
        {ONE(BLOCK("x: 1/r, y: s, elements: [2, 2]"), FIXED), "block: `1/r` is inf at r = 0, s = 0"},
        {ONE(BLOCK("corners: [[0, 0], [0, 1], [1, 1], [1, 0]], elements: [2, 2]"), FIXED),
         "m.yaml:3:3: body `a`: element 1 at (0.25, 0.25) is inverted (smallest Jacobian -1 of the mean)"},
        {"slipstick: 1\nbodies:\n  a:\n" UNIT "    material: {young: 0, poisson: 0.3}\n" FIXED,
         "m.yaml:5:23: young: found 0, expected more than 0"},
        {"slipstick: 1\nbodies:\n  a:\n" UNIT "    material: {young: 1, poisson: 0.5}\n" FIXED,
         "m.yaml:5:35: poisson: found 0.5, expected more than -1 and less than 0.5"},
        {"slipstick: 1\nparameters: {x: 1}\nbodies:\n" BODY("a", UNIT, FIXED),
         "m.yaml:2:14: parameter `x` is a place in a model with bodies"},
        {"slipstick: 1\nparameters: {p: 1/0}\nbodies:\n" BODY("a", UNIT,
                                                              FIXED "    tractions: {top: [p, 2*p]}\n"),
         "m.yaml:2:17: parameter `p`: "},
        {"slipstick: 1\ncoordinates: [x]\nbodies:\n" BODY("a", UNIT, FIXED),
         "m.yaml:6:15: material: `density` is missing"},
        {ONE(UNIT, FIXED) "contacts:\n  c: {kind: friction, slip: x'}\n",
         "m.yaml:8:13: contact `c`: kind `friction` is for coordinates, expected `surface`"},
        {HEAD "contacts:\n  c: {kind: surface, between: [a.b, c.d]}\n",
         "m.yaml:5:13: contact `c`: kind `surface` is for bodies, but the model has none"},
        {ONE(UNIT, FIXED) "contacts:\n  c: {kind: surface}\n", "contact `c`: `between` is missing"},
        {ONE(UNIT, FIXED) "contacts:\n  c: {kind: surface, between: [a.top, b.top]}\n",
         "m.yaml:8:39: unknown body `b`; did you mean `a`?"},
        {ONE(UNIT, FIXED) "contacts:\n  c: {kind: surface, between: [top, a.top]}\n",
         "m.yaml:8:32: between: found `top`, expected BODY.EDGE, such as upper.bottom"},
        {ONE(UNIT,
             FIXED) "contacts:\n  c: {kind: surface, between: [a.top, {point: [0, 0], normal: [0, 0]}]}\n",
         "normal: found [0, 0], expected a direction"},
        {ONE(UNIT,
             FIXED) "contacts:\n  c: {kind: surface, between: [a.top, {point: [0, 2], normal: [0, 1]}]}\n",
         "m.yaml:8:6: contact `c`: a.top and the rigid plane do not face each other: of 3 nodes 3 look "
         "another "
         "way and 0 are beyond the end"},
        {ONE(UNIT,
             FIXED) "contacts:\n  c: {kind: surface, between: [a.bottom, {point: [0, 0], normal: [0, 1]}]}\n",
         "contact `c`: every pair of a.bottom and the rigid plane is held on both sides"},
        {TWO("x: [0, 1], y: [-1, 0], elements: [2, 2]", "[a.top, b.top]"),
         "contact `c`: a.top and b.top do not face each other: of 3 nodes 3 look another way"},
        {TWO("x: [0, 1], y: [-1, 0], elements: [2, 2]", "[a.right, b.top]"),
         "contact `c`: a.right and b.top do not face each other"},
        {TWO("x: [5, 6], y: [-1, 0], elements: [2, 2]", "[a.bottom, b.top]"),
         "contact `c`: a.bottom and b.top do not face each other: of 3 nodes 0 look another way and 3 are "
         "beyond the end"},
        {TWO("x: [0, 1], y: [-9, -8], elements: [2, 2]", "[a.top, b.bottom]"),
         "contact `c`: a.top and b.bottom do not face each other: the point (0, 1) is 10 behind the second "
         "edge"},
        {TWO("x: [0, 1], y: [-1, 0], elements: [2, 2]", "[a.bottom, b.tip]"),
         "contact `c`: body `b`: there is no set `tip`; did you mean `top`?"},
        {ONE(UNIT,
             "    fix: [top]\n") "contacts:\n  c:\n    kind: surface\n    between: [a.bottom, {point: [0, "
                                 "0], normal: [0, 1]}]\n    law: {type: tanh, mu: 0.1}\n",
         "m.yaml:11:17: law: found `tanh`, expected `coulomb`"},
        {ONE(UNIT,
             "    fix: [top]\n") "contacts:\n  c:\n    kind: surface\n    between: [a.bottom, {point: [0, "
                                 "0], normal: [0, 1]}]\n    law: {type: coulomb, mu: -0.1}\n",
         "m.yaml:11:30: mu: found -0.1, expected at least 0"},
        {ONE(UNIT,
             "    fix: [top]\n") "contacts:\n  c:\n    kind: surface\n    between: [a.bottom, {point: [0, "
                                 "0], normal: [0, 1]}]\n    law: {type: coulomb, mu: 1, viscous: 2}\n",
         "m.yaml:11:33: unknown key `viscous`"}};
    (void)state;
    REFUSE_EACH(refusals);
}

/* A node in two contacts has forces that nothing determines. */
static void dependent_contacts_are_refused(void **state)
{
    slip_model *model = parse(
        ONE(UNIT,
            "    fix: [top]\n") "contacts:\n"
                                "  c: {kind: surface, between: [a.bottom, {point: [0, 0], normal: [0, 1]}]}\n"
                                "  d: {kind: surface, between: [a.left, {point: [0, 0], normal: [1, 0]}]}\n");
    (void)state;
    assert_int_equal(slip_plane_finish(ctx, model->plane), SLIP_ERROR_MODEL);
    expect_message("", "contact `d[1]` at (0, 0): its normal motion follows from that of other contacts");
    assert_int_equal(slip_plane_finish(ctx, model->plane), SLIP_ERROR_MODEL); /* and again */
    expect_message("", "contact `d[1]` at (0, 0)");
    slip_model_destroy(model);
}

/* ---- contacts ---- */

static void check_point(const slip_plane_contact *c, double x, double y, double nx, double ny, double tx,
                        double ty)
{
    assert_close(c->place[0], x, 1e-14);
    assert_close(c->place[1], y, 1e-14);
    assert_close(c->normal[0], nx, 1e-14);
    assert_close(c->normal[1], ny, 1e-14);
    assert_close(c->tangent[0], tx, 1e-14);
    assert_close(c->tangent[1], ty, 1e-14);
}

/* Along +x on a horizontal edge, along +y on a vertical one, whichever body is named first. */
static void directions_are_as_documented(void **state)
{
    slip_model *model = parse(TWO("x: [0, 1], y: [-1, 0], elements: [2, 2]", "[b.top, a.bottom]"));
    const slip_plane_contact *c = slip_plane_contacts(finished(model));
    (void)state;
    assert_int_equal(slip_plane_contact_count(model->plane), 3);
    check_point(&c[0], 0, 0, 0, 1, 1, 0);
    check_point(&c[2], 1, 0, 0, 1, 1, 0);
    slip_model_destroy(model);
    model = parse(TWO("x: [1.5, 2], y: [0, 1], elements: [2, 2]", "[a.right, b.left]"));
    c = slip_plane_contacts(finished(model));
    assert_int_equal(slip_plane_contact_count(model->plane), 3);
    check_point(&c[0], 1, 0, 1, 0, 0, 1);
    check_point(&c[2], 1, 1, 1, 0, 0, 1);
    assert_non_null(strstr(slip_model_describe(ctx, model), "distance 0.5 to 0.5"));
    slip_model_destroy(model);
}

/* Symmetry planes: a pair that cannot slide has no tangential row, one that cannot part is dropped. */
static void held_directions_are_left_out(void **state)
{
    slip_model *model = parse("slipstick: 1\nbodies:\n" BODY("a", UNIT, "    fix: {top: y, left: x}\n")
                                  BODY("b", BLOCK("x: [0, 1], y: [-1, 0], elements: [2, 2]"),
                                       "    fix: {bottom: y, left: x}\n") "contacts:\n"
                                                                          "  c: {kind: surface, between: "
                                                                          "[a.bottom, b.top], law: {type: "
                                                                          "coulomb, mu: 0.5}}\n");
    slip_plane *plane = finished(model);
    const double *compliance = slip_plane_compliance(plane);
    double mu[3];
    (void)state;
    assert_int_equal(slip_plane_contact_count(plane), 3);
    assert_false(slip_plane_contacts(plane)[0].slides);
    assert_true(slip_plane_contacts(plane)[1].slides);
    for (int j = 0; j < 6; j++)
        assert_true(compliance[3 * 6 + j] == 0);
    slip_plane_friction(ctx, plane, NULL, NULL, mu, NULL);
    assert_true(mu[0] == 0 && mu[1] == 0.5);
    slip_model_destroy(model);
}

/* With contact everywhere closed and stuck, two blocks are one: lambda from w = 0 gives the displacements of
 * one block with a mesh through the joint. Matching meshes give it to rounding. */
static void solve_stuck(slip_plane *plane, double *lambda)
{
    const int rows = 2 * slip_plane_contact_count(plane);
    double *matrix = slip_alloc((int64_t)rows * rows, sizeof *matrix);
    int *pivots = slip_alloc(rows, sizeof *pivots);
    memcpy(matrix, slip_plane_compliance(plane), (size_t)(rows * rows) * sizeof *matrix);
    assert_int_equal(slip_plane_free_displacement(ctx, plane, NULL, NULL, lambda, NULL), SLIP_OK);
    for (int i = 0; i < rows; i++)
        lambda[i] = -lambda[i];
    /* Gauss without pivoting: the matrix is positive definite. */
    for (int k = 0; k < rows; k++)
        for (int i = k + 1; i < rows; i++) {
            const double factor = matrix[i * rows + k] / matrix[k * rows + k];
            for (int j = k; j < rows; j++)
                matrix[i * rows + j] -= factor * matrix[k * rows + j];
            lambda[i] -= factor * lambda[k];
        }
    for (int i = rows - 1; i >= 0; i--) {
        for (int j = i + 1; j < rows; j++)
            lambda[i] -= matrix[i * rows + j] * lambda[j];
        lambda[i] /= matrix[i * rows + i];
    }
    free(matrix);
    free(pivots);
}

/* Displacement of the corner at the upper right under a load on the upper block, tied to the lower. */
static double tied(const char *upper, const char *lower, double *sum)
{
    char text[2000];
    double *lambda, *u, result = NAN;
    slip_model *model;
    slip_plane *plane;
    const slip_mesh *mesh;
    snprintf(text, sizeof text,
             "slipstick: 1\nbodies:\n  a:\n    mesh: {block: {%s}}\n" MATERIAL
             "    fix: [left]\n    tractions: {top: [0.3, -1]}\n  b:\n    mesh: {block: {%s}}\n" MATERIAL
             "    fix: [left]\ncontacts:\n  c: {kind: surface, between: [a.bottom, b.top]}\n",
             upper, lower);
    model = parse(text);
    plane = finished(model);
    mesh = slip_plane_body_mesh(plane, 0);
    lambda = slip_alloc(2 * slip_plane_contact_count(plane), sizeof *lambda);
    u = slip_alloc(2 * slip_plane_node_count(plane), sizeof *u);
    solve_stuck(plane, lambda);
    assert_int_equal(slip_plane_displacements(ctx, plane, NULL, lambda, u), SLIP_OK);
    for (int i = 0; i < mesh->node_count; i++)
        if (mesh->points[2 * i] > 1.999 && mesh->points[2 * i + 1] > 1.999)
            result = u[2 * i + 1];
    *sum = 0;
    for (int i = 0; i < slip_plane_contact_count(plane); i++)
        *sum += lambda[i];
    free(lambda);
    free(u);
    slip_model_destroy(model);
    return result;
}

static double whole(void)
{
    slip_model *model =
        parse("slipstick: 1\nbodies:\n  a:\n    mesh: {block: {x: [0, 2], y: [0, 2], elements: [8, "
              "8]}}\n" MATERIAL "    fix: [left]\n    tractions: {top: [0.3, -1]}\n");
    slip_plane *plane = finished(model);
    double *u = slip_alloc(2 * slip_plane_node_count(plane), sizeof *u), result;
    assert_int_equal(slip_plane_displacements(ctx, plane, NULL, NULL, u), SLIP_OK);
    result = u[2 * 80 + 1];
    free(u);
    slip_model_destroy(model);
    return result;
}

static void tied_blocks_are_one_block(void **state)
{
    const double expected = whole();
    double sum, sum_fine, fine, coarse;
    (void)state;
    assert_close_relative(
        tied("x: [0, 2], y: [1, 2], elements: [8, 4]", "x: [0, 2], y: [0, 1], elements: [8, 4]", &sum),
        expected, 1e-12);
    /* Meshes that do not match: within the error of the mesh, whichever is finer. */
    coarse = tied("x: [0, 2], y: [1, 2], elements: [8, 4]", "x: [0, 2], y: [0, 1], elements: [13, 6]", &sum);
    fine =
        tied("x: [0, 2], y: [1, 2], elements: [13, 6]", "x: [0, 2], y: [0, 1], elements: [8, 4]", &sum_fine);
    assert_close_relative(coarse, expected, 0.03);
    assert_close_relative(fine, expected, 0.03);
    assert_close_relative(sum_fine, sum, 0.02);
}

/* Two blocks with an interference of 1/1000, free to widen: a uniform stress E/(1 - nu^2) 0.001/2, which
 * meshes that match give exactly and node to segment nearly; the reactions balance in any case. */
static double pressed(const char *lower)
{
    enum { most = 12 };
    char text[1000];
    slip_model *model;
    slip_plane *plane;
    double lambda[2 * most] = {0}, matrix[most * most], gap[most], u[4 * 18 * 2], reaction[4], sum = 0;
    int m;
    snprintf(
        text, sizeof text,
        "slipstick: 1\nbodies:\n  a:\n    mesh: {block: {x: [0, 1], y: [0, 1], elements: [5, 2]}}\n" MATERIAL
        "    fix: {top: y, left: x}\n  b:\n    mesh: {block: {x: [0, 1], y: [-1, 0], elements: "
        "%s}}\n" MATERIAL "    fix: {bottom: y, left: x}\n"
        "contacts:\n  c: {kind: surface, between: [a.bottom, b.top], gap: -0.001}\n",
        lower);
    model = parse(text);
    plane = finished(model);
    m = slip_plane_contact_count(plane);
    assert_int_equal(m, 6);
    assert_int_equal(slip_plane_gap(ctx, plane, NULL, NULL, gap, NULL), SLIP_OK);
    for (int i = 0; i < m; i++) {
        assert_close(gap[i], -0.001, 1e-16);
        lambda[i] = gap[i];
        for (int j = 0; j < m; j++)
            matrix[i * m + j] = slip_plane_compliance(plane)[i * 2 * m + j];
    }
    assert_true(slip_dense_solve(m, matrix, lambda));
    assert_int_equal(slip_plane_displacements(ctx, plane, NULL, lambda, u), SLIP_OK);
    assert_int_equal(slip_plane_reactions(ctx, plane, NULL, lambda, u, reaction), SLIP_OK);
    for (int i = 0; i < m; i++)
        sum += lambda[i];
    assert_close(reaction[1], sum, 1e-13);
    assert_close(reaction[3], -sum, 1e-13);
    slip_model_destroy(model);
    return -sum;
}

static void pressure_passes_a_joint(void **state)
{
    const double exact = 1000 / (1 - 0.09) * 0.001 / 2;
    (void)state;
    assert_close_relative(pressed("[5, 2]"), exact, 1e-12);
    assert_close_relative(pressed("[3, 2]"), exact, 0.01);
    assert_close_relative(pressed("[7, 2]"), exact, 0.01);
}

/* A ring on a rigid plane: a curved edge, of which only what faces the plane has contact points; gaps are
 * those of the circle, and the points run along +x. */
static void curved_edges_have_points_below(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nparameters: {h: 0.5}\nbodies:\n  ring:\n"
              "    mesh: {block: {x: (2 - s)*cos(2*pi*r*0.999), y: (2 - s)*sin(2*pi*r*0.999), elements: [64, "
              "3]}}\n" MATERIAL "    fix: [top]\ncontacts:\n"
              "  c: {kind: surface, between: [ring.bottom, {point: [0, -2 - h], normal: [0, 1]}], law: "
              "{type: coulomb, mu: "
              "0.1*(1 + x^2)}}\n");
    slip_plane *plane;
    const slip_plane_contact *c;
    double gap[64], mu[64], value[1] = {0.5};
    int count;
    (void)state;
    plane = finished(model);
    c = slip_plane_contacts(plane);
    count = slip_plane_contact_count(plane);
    assert_true(count > 20 && count < 32);
    slip_plane_gap(ctx, plane, value, NULL, gap, NULL);
    slip_plane_friction(ctx, plane, value, NULL, mu, NULL);
    for (int i = 0; i < count; i++) {
        assert_close(hypot(c[i].place[0], c[i].place[1]), 2, 1e-13);
        assert_close(gap[i], c[i].place[1] + 2.5, 1e-13);
        assert_close(mu[i], 0.1 * (1 + c[i].place[0] * c[i].place[0]), 1e-14);
        assert_true(fabs(c[i].tangent[0]) == 1 && c[i].normal[1] == -1);
        assert_true(i == 0 || (c[i].place[0] - c[i - 1].place[0]) * c[i].tangent[0] > 0);
    }
    slip_model_destroy(model);
}

/* ---- files ---- */

/* The block of the example's upper body as Gmsh would write it: an entity for each edge and one for the
 * inside. */
static void write_gmsh(const slip_mesh *mesh, const char *path)
{
    static const char *const edges[] = {"bottom", "right", "top", "left"};
    slip_text text = {0};
    int tag = 1;
    slip_text_append(&text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n");
    for (int i = 0; i < 4; i++)
        slip_text_printf(&text, "1 %d \"%s\"\n", i + 1, edges[i]);
    slip_text_append(&text, "2 9 \"inside\"\n$EndPhysicalNames\n$Entities\n0 4 1 0\n");
    for (int i = 0; i < 4; i++)
        slip_text_printf(&text, "%d 0 0 0 3 2 0 1 %d 0\n", i + 1, i + 1);
    slip_text_printf(&text, "1 0 0 0 3 2 0 1 9 4 1 2 3 4\n$EndEntities\n$Nodes\n1 %d 1 %d\n2 1 0 %d\n",
                     mesh->node_count, 2 * mesh->node_count, mesh->node_count);
    for (int i = 0; i < mesh->node_count; i++)
        slip_text_printf(&text, "%d\n", 2 * i + 1); /* tags with holes */
    for (int i = 0; i < mesh->node_count; i++)
        slip_text_printf(&text, "%.17g %.17g 0\n", mesh->points[2 * i], mesh->points[2 * i + 1]);
    slip_text_append(&text, "$EndNodes\n$Elements\n5 380 1 380\n");
    for (int i = 0; i < 4; i++) {
        const slip_mesh_set *set = slip_mesh_find(mesh, edges[i], SLIP_SET_FACES);
        slip_text_printf(&text, "1 %d 1 %d\n", i + 1, set->count);
        for (int k = 0; k < set->count; k++) {
            int nodes[slip_face_nodes_max];
            slip_mesh_face_nodes(mesh, set->items[k], nodes);
            slip_text_printf(&text, "%d %d %d\n", tag++, 2 * nodes[0] + 1, 2 * nodes[1] + 1);
        }
    }
    slip_text_printf(&text, "2 1 3 %d\n", mesh->element_count);
    for (int e = 0; e < mesh->element_count; e++) {
        const int *n = slip_mesh_nodes(mesh, e);
        slip_text_printf(&text, "%d %d %d %d %d\n", tag++, 2 * n[0] + 1, 2 * n[1] + 1, 2 * n[2] + 1,
                         2 * n[3] + 1);
    }
    slip_text_append(&text, "$EndElements\n");
    assert_int_equal(slip_file_write(ctx, path, text.data, text.length), SLIP_OK);
    slip_text_free(&text);
}

/* A model whose bodies are read from files of Gmsh and Abaqus beside it gives the same as one with generated
 * blocks. */
static void imported_meshes_give_the_same(void **state)
{
    const char *const loads[] = {"bodies.upper.tractions.top=[0, -6 - x/3]",
                                 "bodies.upper.tractions.right=[2, 2]", NULL};
    slip_model *made = parse_with(slip_example_text("two-blocks"), loads), *read = NULL;
    slip_plane *plane = finished(made), *other;
    const int rows = 2 * slip_plane_contact_count(plane);
    char folder[test_path_size], path[test_path_size], text[2000];
    double *w, *v;
    (void)state;
    test_folder_make(folder);
    write_gmsh(slip_plane_body_mesh(plane, 0), test_path(path, folder, "upper.msh"));
    assert_int_equal(
        slip_mesh_write_abaqus(ctx, slip_plane_body_mesh(plane, 1), test_path(path, folder, "lower.inp")),
        SLIP_OK);
    snprintf(text, sizeof text,
             "slipstick: 1\nparameters: {F: 0.3}\nbodies:\n  upper:\n    mesh: {file: upper.msh}\n"
             "    material: {young: 21190, poisson: 0.277}\n    fix: [left]\n"
             "    tractions: {top: [0, -6 - x/3], right: [2, 2]}\n  lower:\n    mesh: {file: ./lower.inp}\n"
             "    material: {young: 211900, poisson: 0.277}\n    fix: [left]\ncontacts:\n"
             "  joint: {kind: surface, between: [upper.bottom, lower.top], law: {type: coulomb, mu: F}}\n");
    assert_int_equal(slip_file_write(ctx, test_path(path, folder, "model.yaml"), text, strlen(text)),
                     SLIP_OK);
    if (slip_model_load(ctx, path, &read) < 0)
        print_error("%s\n", slip_context_message(ctx));
    assert_non_null(read);
    other = finished(read);
    assert_memory_equal(slip_plane_compliance(plane), slip_plane_compliance(other),
                        (size_t)(rows * rows) * sizeof(double));
    w = slip_alloc(rows, sizeof *w);
    v = slip_alloc(rows, sizeof *v);
    slip_plane_free_displacement(ctx, plane, slip_plane_parameter_values(plane), NULL, w, NULL);
    slip_plane_free_displacement(ctx, other, slip_plane_parameter_values(other), NULL, v, NULL);
    assert_memory_equal(w, v, (size_t)rows * sizeof *w);
    free(w);
    free(v);
    slip_model_destroy(made);
    slip_model_destroy(read);
    test_folder_remove(folder);
}

/* Files with elements that do not hang together, or have no sets. */
static void bad_files_are_refused(void **state)
{
    static const char *const files[][2] = {
        {"*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, 2, 1\n6, 2, 2\n7, 1, 2\n*ELEMENT, TYPE=CPE4\n70, 1, "
         "2, 3, "
         "4\n12, 3, 5, 6, 7\n*NSET, NSET=bottom\n1, 2\n",
         "model.yaml:3:3: body `a`: the mesh has parts that share no edge: element 70 at (0.5, 0.5) and "
         "element 12 "
         "at (1.5, 1.5)"},
        {"*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPE4\n33, 1, 4, 3, 2\n*NSET, "
         "NSET=bottom\n1, 2\n",
         "body `a`: element 33 at (0.5, 0.5) is inverted"},
        {"*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, 2, 0\n6, 2, 1\n7, 3, 0\n8, 3, 1\n*ELEMENT, "
         "TYPE=CPE4\n1, 1, "
         "2, 3, 4\n2, 2, 5, 6, 3\n3, 2, 7, 8, 3\n*NSET, NSET=bottom\n1, 2\n",
         "body `a`: more than two elements share a face"},
        {"*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, "
         "1, "
         "1\n*ELEMENT, TYPE=C3D8\n1, 1, 2, 3, 4, 5, 6, 7, 8\n",
         "there is no set `bottom`"},
        {"*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPE4\n1, 1, 2, 3, 4\n*NSET, "
         "NSET=bottom\n1\n",
         "body `a` is not held: it can turn about (0, 0)"}};
    char folder[test_path_size], path[test_path_size];
    static const char text[] = "slipstick: 1\nbodies:\n  a:\n    mesh: {file: a.inp}\n" MATERIAL FIXED;
    (void)state;
    test_folder_make(folder);
    assert_int_equal(slip_file_write(ctx, test_path(path, folder, "model.yaml"), text, strlen(text)),
                     SLIP_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        slip_model *model;
        assert_int_equal(
            slip_file_write(ctx, test_path(path, folder, "a.inp"), files[i][0], strlen(files[i][0])),
            SLIP_OK);
        assert_int_equal(slip_model_load(ctx, test_path(path, folder, "model.yaml"), &model),
                         SLIP_ERROR_MODEL);
        expect_message(files[i][0], files[i][1]);
    }
    test_folder_remove(folder);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(the_example_is_read),
                                       TEST(a_run_is_refused),
                                       TEST(blocks_of_all_kinds_agree),
                                       TEST(loads_follow_parameters),
                                       TEST(a_ring_is_lames),
                                       TEST(mistakes_are_refused),
                                       TEST(dependent_contacts_are_refused),
                                       TEST(directions_are_as_documented),
                                       TEST(held_directions_are_left_out),
                                       TEST(tied_blocks_are_one_block),
                                       TEST(pressure_passes_a_joint),
                                       TEST(curved_edges_have_points_below),
                                       TEST(imported_meshes_give_the_same),
                                       TEST(bad_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
