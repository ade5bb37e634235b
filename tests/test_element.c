/* Elements against what is known in closed form: patch test, rigid motions, beams; and how much a fully
 * integrated bilinear quadrilateral locks. */
#include "fem/element.h"
#include "plane_test.h"

/* ---- patch test ---- */

/* Two elements in each direction of the unit square, with the node in the middle moved. */
static slip_mesh *patch(slip_context *ctx)
{
    enum { side = 3 };
    const slip_cell *cell = &slip_cell_quad4;
    const slip_element_type *type = slip_element_find(cell);
    const double moved[2] = {0.61, 0.42};
    slip_mesh *mesh = NULL;
    int *list;
    plane_ok(ctx, slip_mesh_create(ctx, 2, side * side, &mesh));
    for (int i = 0; i < side * side; i++)
        for (int k = 0; k < 2; k++)
            mesh->points[i * 2 + k] = i == side * side / 2 ? moved[k] : (k ? i / side : i % side) / 2.0;
    plane_ok(ctx, slip_mesh_add_group(ctx, mesh, cell, 4, &list));
    for (int e = 0; e < 4; e++)
        for (int a = 0; a < 4; a++)
            *list++ = (e & 1) + (type->nodes[a][0] > 0) + side * ((e >> 1) + (type->nodes[a][1] > 0));
    return mesh;
}

/* Displacements that are linear in the place: u_i = sum over j of slope_ij x_j. */
static void linear_field(const slip_mesh *mesh, const double slope[2][2], double *u)
{
    const int d = mesh->dimension;
    for (int i = 0; i < mesh->node_count; i++)
        for (int k = 0; k < d; k++) {
            u[i * d + k] = 0;
            for (int j = 0; j < d; j++)
                u[i * d + k] += slope[k][j] * mesh->points[i * d + j];
        }
}

/* Every element has the constant stress of the linear field, and the node in the middle is in balance. */
static void check_patch(slip_context *ctx, slip_elastic_kind kind)
{
    enum { most = 2 * 9 };
    static const double slope[2][2] = {{1, 0.3}, {0.5, -0.7}};
    slip_mesh *mesh = patch(ctx);
    const int d = mesh->dimension, middle = mesh->node_count / 2;
    const slip_elastic elastic = slip_elastic_make(kind, 2.5, 0.3, 0.7);
    const slip_cell *cell = mesh->groups[0].cell;
    const slip_element_type *type = slip_element_find(cell);
    double u[most], force[most] = {0}, strain[3], largest = 0;
    linear_field(mesh, slope, u);
    for (int s = 0; s < elastic.strain_count; s++) {
        const int i = (s - d) % d, j = (i + 1) % d;
        strain[s] = s < d ? slope[s][s] : slope[i][j] + slope[j][i];
    }
    for (int e = 0; e < mesh->element_count; e++) {
        double points[slip_element_unknowns_max], own[slip_element_unknowns_max];
        double matrix[slip_element_unknowns_max * slip_element_unknowns_max], stress[12];
        const int *nodes = slip_mesh_nodes(mesh, e), n = d * cell->node_count;
        for (int i = 0; i < n; i++) {
            points[i] = mesh->points[nodes[i / d] * d + i % d];
            own[i] = u[nodes[i / d] * d + i % d];
        }
        assert_true(slip_element_quality(type, points, NULL) > 0.1);
        type->stiffness(type, points, &elastic, matrix);
        slip_element_stresses(type, points, &elastic, own, stress);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                force[nodes[i / d] * d + i % d] += matrix[i * n + j] * own[j];
        for (int a = 0; a < cell->node_count; a++)
            for (int s = 0; s < elastic.strain_count; s++) {
                double expected = 0;
                for (int k = 0; k < elastic.strain_count; k++)
                    expected += elastic.matrix[s * elastic.strain_count + k] * strain[k];
                assert_close(stress[a * elastic.strain_count + s], expected, 1e-13);
            }
    }
    for (int i = 0; i < d * mesh->node_count; i++)
        largest = fmax(largest, fabs(force[i]));
    assert_true(largest > 0.1); /* the boundary is loaded */
    for (int k = 0; k < d; k++)
        assert_close(force[middle * d + k], 0, 1e-14);
    slip_mesh_destroy(mesh);
}

static void test_patch(void **state)
{
    slip_context *ctx = slip_context_create();
    (void)state;
    check_patch(ctx, SLIP_PLANE_STRAIN);
    check_patch(ctx, SLIP_PLANE_STRESS);
    slip_context_destroy(ctx);
}

/* A turned and moved element has the same stiffness in its own directions, and rigid motions need no force.
 */
static void test_rigid(void **state)
{
    const slip_cell *cell = &slip_cell_quad4;
    const slip_element_type *type = slip_element_find(cell);
    const slip_elastic elastic = slip_elastic_make(SLIP_PLANE_STRAIN, 1, 0.25, 1);
    const double points[8] = {0, 0, 2, 0.1, 1.8, 1.2, -0.2, 0.9}, angle = 0.7;
    const double c = cos(angle), s = sin(angle);
    double turned[8], matrix[64], other[64], u[8], v[8], energy = 0, again = 0;
    uint64_t seed = 5;
    (void)state;
    for (int a = 0; a < 4; a++) {
        u[2 * a] = test_random(&seed, -1, 1);
        u[2 * a + 1] = test_random(&seed, -1, 1);
        turned[2 * a] = 5 + c * points[2 * a] - s * points[2 * a + 1];
        turned[2 * a + 1] = -3 + s * points[2 * a] + c * points[2 * a + 1];
        v[2 * a] = c * u[2 * a] - s * u[2 * a + 1];
        v[2 * a + 1] = s * u[2 * a] + c * u[2 * a + 1];
    }
    type->stiffness(type, points, &elastic, matrix);
    type->stiffness(type, turned, &elastic, other);
    for (int i = 0; i < 8; i++) {
        double spin = 0, shift = 0;
        for (int j = 0; j < 8; j++) {
            energy += u[i] * matrix[i * 8 + j] * u[j];
            again += v[i] * other[i * 8 + j] * v[j];
            assert_true(matrix[i * 8 + j] == matrix[j * 8 + i]);
            spin += matrix[i * 8 + j] * (j % 2 ? points[j - 1] : -points[j + 1]);
            shift += matrix[i * 8 + j] * (j % 2);
        }
        assert_close(spin, 0, 1e-14);
        assert_close(shift, 0, 1e-14);
    }
    assert_close_relative(again, energy, 1e-13);
}

static void test_inverted(void **state)
{
    const slip_cell *cell = &slip_cell_quad4;
    const slip_element_type *type = slip_element_find(cell);
    const double square[8] = {0, 0, 1, 0, 1, 1, 0, 1}, clockwise[8] = {0, 0, 0, 1, 1, 1, 1, 0};
    const double dart[8] = {0, 0, 1, 0, 0.2, 0.2, 0, 1}, crossed[8] = {0, 0, 1, 1, 1, 0, 0, 1};
    const double point[8] = {1, 1, 1, 1, 1, 1, 1, 1}, triangle[8] = {0, 0, 1, 0, 1, 0, 0, 1};
    (void)state;
    assert_close(slip_element_quality(type, square, NULL), 1, 1e-15);
    assert_true(slip_element_quality(type, clockwise, NULL) <= -0.9);
    assert_true(slip_element_quality(type, dart, NULL) < 0);
    assert_true(slip_element_quality(type, crossed, NULL) < 0);
    assert_true(slip_element_quality(type, point, NULL) <= 0);
    assert_true(slip_element_quality(type, triangle, NULL) <= 0);
}

/* ---- bodies ---- */

/* Moves the inner nodes of a block, so that no element is a rectangle. */
static void distort(slip_mesh *mesh, int columns, int rows, double amount)
{
    uint64_t seed = 9;
    for (int j = 1; j < rows; j++)
        for (int i = 1; i < columns; i++)
            for (int k = 0; k < 2; k++)
                mesh->points[2 * (j * (columns + 1) + i) + k] += test_random(&seed, -amount, amount);
}

static slip_plane *one_body(slip_context *ctx, const slip_body *body)
{
    slip_plane *plane = NULL;
    plane_ok(ctx, slip_plane_create(ctx, 0, NULL, &plane));
    plane_ok(ctx, slip_plane_add_body(ctx, plane, body));
    plane_ok(ctx, slip_plane_finish(ctx, plane));
    return plane;
}

/* A block pulled by a uniform traction, held so that it can contract: exact on any mesh. */
static void check_pulled(bool plane_stress)
{
    slip_context *ctx = slip_context_create();
    const slip_support supports[] = {{"left", {true, false}}, {"bottom", {false, true}}};
    slip_traction traction = {.set = "right", .force = {plane_expression("3", NULL), NULL}};
    slip_body body = {.name = "block",
                      .mesh = plane_block(ctx, 0, 2, 0, 1, 4, 3),
                      .young = 10,
                      .poisson = 0.3,
                      .thickness = 0.5,
                      .plane_stress = plane_stress,
                      .supports = supports,
                      .support_count = 2,
                      .tractions = &traction,
                      .traction_count = 1};
    const double stiff = plane_stress ? 10 : 10 / (1 - 0.09), poisson = plane_stress ? 0.3 : 0.3 / 0.7;
    double u[2 * 20], stress[4 * 20], energy, reaction[2];
    const double *points;
    slip_plane *plane;
    distort(body.mesh, 4, 3, 0.08);
    plane = one_body(ctx, &body);
    points = slip_plane_body_mesh(plane, 0)->points;
    plane_ok(ctx, slip_plane_displacements(ctx, plane, NULL, NULL, u));
    plane_ok(ctx, slip_plane_stresses(ctx, plane, u, stress));
    for (int i = 0; i < 20; i++) {
        assert_close(u[2 * i], 3 / stiff * points[2 * i], 1e-13);
        assert_close(u[2 * i + 1], -poisson * 3 / stiff * points[2 * i + 1], 1e-13);
        assert_close(stress[4 * i], 3, 1e-12);
        assert_close(stress[4 * i + 1], 0, 1e-12);
        assert_close(stress[4 * i + 2], 0, 1e-12);
        assert_close(stress[4 * i + 3], plane_stress ? 0 : 0.9, 1e-12);
    }
    plane_ok(ctx, slip_plane_energy(ctx, plane, u, &energy));
    assert_close(energy, 9 / stiff / 2 * 2 * 0.5, 1e-13);
    plane_ok(ctx, slip_plane_reactions(ctx, plane, NULL, NULL, u, reaction));
    assert_close(reaction[0], -3 * 1 * 0.5, 1e-13);
    assert_close(reaction[1], 0, 1e-13);
    slip_plane_destroy(plane);
    slip_context_destroy(ctx);
}

static void test_pulled(void **state)
{
    (void)state;
    check_pulled(false);
    check_pulled(true);
}

/* Forces in the volume: the reactions carry the weight, and a column under its own weight has the closed form
 * u_y = -(q/E)(h y - y^2/2) at the nodes (linear elements are exact there for constant loads). */
static void test_weight(void **state)
{
    slip_context *ctx = slip_context_create();
    const slip_support supports[] = {
        {"left", {true, false}}, {"right", {true, false}}, {"bottom", {true, true}}};
    slip_body body = {.name = "column",
                      .mesh = plane_block(ctx, 0, 1, 0, 2, 1, 8),
                      .young = 10,
                      .poisson = 0,
                      .thickness = 2,
                      .supports = supports,
                      .support_count = 3,
                      .body_force = {NULL, plane_expression("-0.5", NULL)}};
    double u[2 * 18], reaction[2];
    slip_plane *plane = one_body(ctx, &body);
    (void)state;
    plane_ok(ctx, slip_plane_displacements(ctx, plane, NULL, NULL, u));
    for (int j = 0; j <= 8; j++) {
        const double y = 2.0 * j / 8;
        assert_close(u[2 * (2 * j) + 1], -0.05 * (2 * y - y * y / 2), 1e-14);
        assert_close(u[2 * (2 * j + 1) + 1], u[2 * (2 * j) + 1], 1e-14);
    }
    plane_ok(ctx, slip_plane_reactions(ctx, plane, NULL, NULL, u, reaction));
    assert_close(reaction[1], 0.5 * 2 * 2, 1e-13);
    slip_plane_destroy(plane);
    slip_context_destroy(ctx);
}

/* ---- locking ---- */

/* Deflection of a cantilever of length 10 and height 1 under a parabolic shear load at its end, over that of
 * Timoshenko's beam, P l^3/(3 E I) + 6 P l/(5 G A). */
static double cantilever(int columns, int rows, double poisson, bool plane_stress)
{
    slip_context *ctx = slip_context_create();
    const slip_support support = {"left", {true, true}};
    slip_traction traction = {.set = "right", .force = {NULL, plane_expression("6*y*(1 - y)", NULL)}};
    slip_body body = {.name = "beam",
                      .mesh = plane_block(ctx, 0, 10, 0, 1, columns, rows),
                      .young = 1000,
                      .poisson = poisson,
                      .thickness = 1,
                      .plane_stress = plane_stress,
                      .supports = &support,
                      .support_count = 1,
                      .tractions = &traction,
                      .traction_count = 1};
    const double young = plane_stress ? 1000 : 1000 / (1 - poisson * poisson), shear = 500 / (1 + poisson);
    const double beam = 1000 / (3 * young / 12) + 6 * 10 / (5 * shear);
    slip_plane *plane = one_body(ctx, &body);
    double *u = slip_alloc(2 * slip_plane_node_count(plane), sizeof *u), mean = 0;
    plane_ok(ctx, slip_plane_displacements(ctx, plane, NULL, NULL, u));
    for (int j = 0; j <= rows; j++) {
        const double weight = j == 0 || j == rows ? 0.5 : 1;
        mean += weight / rows * u[2 * (j * (columns + 1) + columns) + 1];
    }
    free(u);
    slip_plane_destroy(plane);
    slip_context_destroy(ctx);
    return mean / beam;
}

/* The numbers of docs/bodies.md. In bending an element with sides a (along the beam) and b is too stiff by
 * the factor (1 + (1 - nu)/2 (a/b)^2)/(1 - nu^2), since its edges cannot bend; over several elements the
 * excess goes down with the square of their size. Near poisson = 1/2 plane strain locks altogether. */
static void test_locking(void **state)
{
    const double one = 1 / cantilever(10, 1, 0.3, true), two = 1 / cantilever(20, 2, 0.3, true);
    const double four = 1 / cantilever(40, 4, 0.3, true), eight = 1 / cantilever(80, 8, 0.3, true);
    (void)state;
    assert_close(one, (1 + 0.35) / (1 - 0.09), 5e-3);
    assert_close((two - four) / (one - two), 0.25, 0.01);
    assert_close((four - eight) / (two - four), 0.25, 0.01);
    assert_close(1 / one, 0.6736, 1e-4);
    assert_close(1 / two, 0.8883, 1e-4);
    assert_close(1 / four, 0.9677, 1e-4);
    assert_close(1 / eight, 0.9902, 1e-4);
    assert_close(cantilever(5, 2, 0.3, true), 0.3879, 1e-4);
    assert_close(cantilever(10, 4, 0.3, true), 0.7146, 1e-4);
    assert_close(cantilever(40, 4, 0.3, false), 0.9596, 1e-4);
    assert_close(cantilever(40, 4, 0.49, false), 0.5415, 1e-4);
    assert_close(cantilever(40, 4, 0.4999, false), 0.0214, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patch),    cmocka_unit_test(test_rigid),
                                       cmocka_unit_test(test_inverted), cmocka_unit_test(test_pulled),
                                       cmocka_unit_test(test_weight),   cmocka_unit_test(test_locking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
