/* Bodies of every plane element: constant stress, bending, contact along edges with middle nodes. */
#include "fem/assemble.h"
#include "plane_test.h"

static slip_context *ctx;

static const slip_cell *const cells[] = {&slip_cell_tri3, &slip_cell_tri6, &slip_cell_quad4,
                                         &slip_cell_quad8};
enum { cell_count = 4 };

static int setup(void **state)
{
    (void)state;
    ctx = slip_context_create();
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    slip_context_destroy(ctx);
    return 0;
}

/* Bends the inside of the unit square; its edges stay. */
static int bent(void *user, double r, double s, double point[2])
{
    const double bump = 0.4 * r * (1 - r) * s * (1 - s);
    (void)user;
    point[0] = 2 * r + bump * (1 + s);
    point[1] = s - bump * (1 + r);
    return SLIP_OK;
}

/* Pulled by a uniform traction along x and pushed by a force in the volume that the traction on the left
 * carries: the first alone is exact on any mesh, also where edges are curved. */
static void pulled(void **state)
{
    const slip_support supports[] = {{"left", {true, false}}, {"bottom", {false, true}}};
    (void)state;
    for (int i = 0; i < cell_count; i++) {
        slip_traction traction = {.set = "right", .force = {plane_expression("3", NULL), NULL}};
        slip_body body = {.name = "block",
                          .young = 10,
                          .poisson = 0.3,
                          .thickness = 0.5,
                          .density = 2,
                          .plane_stress = true,
                          .supports = supports,
                          .support_count = 2,
                          .tractions = &traction,
                          .traction_count = 1};
        slip_plane *plane = NULL;
        plane_ok(ctx, slip_block_create(ctx, cells[i], 4, 3, bent, NULL, &body.mesh));
        plane_ok(ctx, slip_plane_create(ctx, 0, NULL, &plane));
        plane_ok(ctx, slip_plane_add_body(ctx, plane, &body));
        plane_ok(ctx, slip_plane_finish(ctx, plane));
        const int n = slip_plane_node_count(plane);
        const double *points = slip_plane_body_mesh(plane, 0)->points;
        double *u = slip_alloc(2 * n, sizeof *u), *stress = slip_alloc(4 * n, sizeof *stress), energy,
               reaction[2];
        plane_ok(ctx, slip_plane_displacements(ctx, plane, NULL, NULL, u));
        plane_ok(ctx, slip_plane_stresses(ctx, plane, u, stress));
        plane_ok(ctx, slip_plane_energy(ctx, plane, u, &energy));
        plane_ok(ctx, slip_plane_reactions(ctx, plane, NULL, NULL, u, reaction));
        for (int k = 0; k < n; k++) {
            assert_close(u[2 * k], 0.3 * points[2 * k], 1e-13);
            assert_close(u[2 * k + 1], -0.09 * points[2 * k + 1], 1e-13);
            for (int c = 0; c < 4; c++)
                assert_close(stress[4 * k + c], c == 0 ? 3 : 0, 1e-12);
        }
        assert_close(energy, 0.3 * 3 / 2 * 2 * 0.5, 1e-13);
        assert_close(reaction[0], -1.5, 1e-13);
        assert_close(slip_plane_body_elastic(plane, 0)->density, 2, 0);
        free(u);
        free(stress);
        slip_plane_destroy(plane);
    }
}

/* A quadrilateral beside two triangles, of either order: constant stress; and orders that do not fit. */
#define CORNERS "*NODE\n1, 0, 0\n2, 1, 0\n3, 2, 0\n4, 0, 1\n5, 1.2, 1\n6, 2, 1\n"
#define MIDDLES "7, .5, 0\n8, 1.1, .5\n9, .6, 1\n10, 0, .5\n11, 1.5, 0\n12, 2, .5\n13, 1.6, 1\n14, 1.6, .5\n"
#define SETS "*NSET, NSET=left\n1, 4\n*NSET, NSET=right\n3, 6\n*NSET, NSET=bottom\n1, 2, 3\n"

static void mixed(void **state)
{
    static const char *const texts[] = {
        CORNERS "*ELEMENT, TYPE=CPS4\n1, 1, 2, 5, 4\n*ELEMENT, TYPE=CPS3\n2, 2, 3, 5\n3, 3, 6, 5\n" SETS,
        CORNERS MIDDLES
        "*ELEMENT, TYPE=CPS8\n1, 1, 2, 5, 4, 7, 8, 9, 10\n*ELEMENT, TYPE=CPS6\n2, 2, 3, 5, 11, 14, "
        "8\n3, 3, 6, 5, 12, 13, 14\n" SETS "*NSET, NSET=left\n10\n*NSET, NSET=right\n12\n"
        "*NSET, NSET=bottom\n7, 11\n",
        CORNERS MIDDLES
        "*ELEMENT, TYPE=CPS8\n1, 1, 2, 5, 4, 7, 8, 9, 10\n*ELEMENT, TYPE=CPS3\n2, 2, 3, 5\n3, 3, 6, "
        "5\n" SETS};
    const slip_support supports[] = {{"left", {true, false}}, {"bottom", {false, true}}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        slip_traction traction = {.set = "right", .force = {plane_expression("3", NULL), NULL}};
        slip_body body = {.name = "block",
                          .young = 10,
                          .poisson = 0.3,
                          .thickness = 0.5,
                          .plane_stress = true,
                          .supports = supports,
                          .support_count = 2,
                          .tractions = &traction,
                          .traction_count = 1};
        slip_plane *plane = NULL;
        double u[2 * 14], stress[4 * 14];
        plane_ok(ctx, slip_mesh_parse_abaqus(ctx, "mixed.inp", texts[i], strlen(texts[i]), &body.mesh));
        plane_ok(ctx, slip_plane_create(ctx, 0, NULL, &plane));
        if (i == 2) {
            plane_refused(ctx, slip_plane_add_body(ctx, plane, &body),
                          "share the corners of a face, but not its middle nodes");
        } else {
            plane_ok(ctx, slip_plane_add_body(ctx, plane, &body));
            plane_ok(ctx, slip_plane_finish(ctx, plane));
            plane_ok(ctx, slip_plane_displacements(ctx, plane, NULL, NULL, u));
            plane_ok(ctx, slip_plane_stresses(ctx, plane, u, stress));
            assert_int_equal(slip_plane_node_count(plane), i ? 14 : 6);
            for (int k = 0; k < 4 * slip_plane_node_count(plane); k++)
                assert_close(stress[k], k % 4 == 0 ? 3 : 0, 1e-12);
        }
        slip_plane_destroy(plane);
    }
}

/* Deflection of a cantilever of length 10 and height 1 under a parabolic shear load at its end, over that of
 * Timoshenko's beam. */
static double cantilever(const slip_cell *cell, int columns, int rows, double poisson, bool plane_stress)
{
    const slip_support support = {"left", {true, true}};
    slip_traction traction = {.set = "right", .force = {NULL, plane_expression("6*y*(1 - y)", NULL)}};
    slip_body body = {.name = "beam",
                      .mesh = plane_block_of(ctx, cell, 0, 10, 0, 1, columns, rows),
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
    slip_plane *plane = NULL;
    double mean = 0;
    plane_ok(ctx, slip_plane_create(ctx, 0, NULL, &plane));
    plane_ok(ctx, slip_plane_add_body(ctx, plane, &body));
    plane_ok(ctx, slip_plane_finish(ctx, plane));
    const slip_mesh_set *end = slip_mesh_find(slip_plane_body_mesh(plane, 0), "right", SLIP_SET_NODES);
    double *u = slip_alloc(2 * slip_plane_node_count(plane), sizeof *u);
    plane_ok(ctx, slip_plane_displacements(ctx, plane, NULL, NULL, u));
    for (int k = 0; k < end->count; k++)
        mean += (k == 0 || k == end->count - 1 ? 0.5 : 1) / (end->count - 1) * u[2 * end->items[k] + 1];
    free(u);
    slip_plane_destroy(plane);
    return mean / beam;
}

/* The numbers of docs/bodies.md. */
static void bending(void **state)
{
    (void)state;
    static const double expected[cell_count][5] = {{0.2870, 0.6234, 0.8664, 0.1735, 0.6670},
                                                   {0.9905, 0.9967, 0.9978, 0.9861, 0.9533},
                                                   {0.6736, 0.8883, 0.9677, 0.3879, 0.0128},
                                                   {0.9905, 0.9966, 0.9977, 0.9884, 0.9517}};
    for (int i = 0; i < cell_count; i++) {
        const double found[5] = {
            cantilever(cells[i], 10, 1, 0.3, true), cantilever(cells[i], 20, 2, 0.3, true),
            cantilever(cells[i], 40, 4, 0.3, true), cantilever(cells[i], 5, 2, 0.3, true),
            cantilever(cells[i], 20, 2, 0.4999, false)};
        for (int k = 0; k < 5; k++)
            assert_close(found[k], expected[i][k], 6e-5);
    }
}

/* ---- contact ---- */

/* Two columns, one on the other, their far ends held and pressed together by a negative gap: with poisson 0
 * the pressure is constant, p = E delta/(h1 + h2). Contact forces are the consistent ones of p, and all
 * points have closed exactly. The upper body touches the lower one, or a rigid plane where `lower` is NULL.
 */
static void check_pressed(const slip_cell *upper, const slip_cell *lower, double gap_size)
{
    const double young = 100, thickness = 0.5;
    const slip_support top = {"top", {true, true}}, bottom = {"bottom", {true, true}};
    char gap[40];
    slip_body bodies[2] = {{.name = "upper",
                            .mesh = plane_block_of(ctx, upper, 0, 3, 1, 2, 4, 3),
                            .young = young,
                            .thickness = thickness,
                            .supports = &top,
                            .support_count = 1},
                           {.name = "lower",
                            .mesh = lower ? plane_block_of(ctx, lower, 0, 3, 0, 1, 4, 2) : NULL,
                            .young = young,
                            .thickness = thickness,
                            .supports = &bottom,
                            .support_count = 1}};
    snprintf(gap, sizeof gap, "-%g", gap_size);
    slip_plane_surface surface = {
        .name = "joint",
        .first_body = "upper",
        .first_edge = "bottom",
        .second_body = lower ? "lower" : NULL,
        .second_edge = lower ? "top" : NULL,
        .point = {lower ? NULL : plane_expression("0", NULL), lower ? NULL : plane_expression("1", NULL)},
        .normal = {0, 1},
        .gap = plane_expression(gap, NULL)};
    const int order = upper->node_count > upper->corner_count ? 2 : 1, points = 4 * order + 1;
    const double pressure = young * gap_size / (lower ? 2 : 1), length = 3.0 / 4;
    slip_plane *plane = NULL;
    double gaps[20], lambda[40] = {0};
    plane_ok(ctx, slip_plane_create(ctx, 0, NULL, &plane));
    plane_ok(ctx, slip_plane_add_body(ctx, plane, &bodies[0]));
    if (lower)
        plane_ok(ctx, slip_plane_add_body(ctx, plane, &bodies[1]));
    plane_ok(ctx, slip_plane_add_surface(ctx, plane, &surface));
    plane_ok(ctx, slip_plane_finish(ctx, plane));
    assert_int_equal(slip_plane_contact_count(plane), points);
    plane_ok(ctx, slip_plane_gap(ctx, plane, NULL, NULL, gaps, NULL));
    for (int k = 0; k < points; k++) {
        const bool end = k == 0 || k == points - 1, middle = order == 2 && k % 2 == 1;
        const double share = order == 1 ? (end ? 0.5 : 1) : middle ? 4.0 / 6 : (end ? 1.0 / 6 : 2.0 / 6);
        lambda[k] = -pressure * thickness * length * share;
        assert_close(slip_plane_contacts(plane)[k].place[0], 3.0 * k / (points - 1), 1e-15);
        assert_close(slip_plane_contacts(plane)[k].normal[1], -1, 1e-15);
        assert_close(gaps[k], -gap_size, 1e-15);
    }
    for (int i = 0; i < 2 * points; i++) {
        double w = 0;
        for (int j = 0; j < 2 * points; j++)
            w += slip_plane_compliance(plane)[i * 2 * points + j] * lambda[j];
        assert_close(w, i < points ? -gap_size : 0, 1e-14);
    }
    slip_plane_destroy(plane);
}

static void pressed(void **state)
{
    (void)state;
    for (int i = 0; i < cell_count; i++) {
        check_pressed(cells[i], NULL, 0.01);
        check_pressed(cells[i], cells[i], 0.01);
    }
    check_pressed(&slip_cell_tri6, &slip_cell_quad8, 0.01);
    check_pressed(&slip_cell_quad8, &slip_cell_tri6, 0.01);
    check_pressed(&slip_cell_tri3, &slip_cell_quad4, 0.01);
}

/* A ring of radii 1 and 2 in one of 2.1 and 3, a quarter of each, with other elements: gap 0.1 and normals
 * along the radius, with the error of a polygon (h^2/8) or of parabolas (h^4). */
static int ring(void *user, double r, double s, double point[2])
{
    const double *radii = user, angle = 1.57079632679489661923 * s;
    point[0] = (radii[0] + (radii[1] - radii[0]) * r) * cos(angle);
    point[1] = (radii[0] + (radii[1] - radii[0]) * r) * sin(angle);
    return SLIP_OK;
}

/* Returns the largest error of the gap. */
static double check_rings(const slip_cell *cell, int inner_count, int outer_count, double *turned_by)
{
    double radii[2][2] = {{1, 2}, {2.1, 3}}, gaps[64], worst = 0, turned = 0;
    const slip_support inside = {"left", {true, true}}, outside = {"right", {true, true}};
    slip_body bodies[2] = {{.name = "inner", .supports = &inside}, {.name = "outer", .supports = &outside}};
    slip_plane_surface surface = {.name = "joint",
                                  .first_body = "inner",
                                  .first_edge = "right",
                                  .second_body = "outer",
                                  .second_edge = "left"};
    slip_plane *plane = NULL;
    plane_ok(ctx, slip_plane_create(ctx, 0, NULL, &plane));
    for (int b = 0; b < 2; b++) {
        bodies[b].young = 1;
        bodies[b].thickness = 1;
        bodies[b].support_count = 1;
        plane_ok(ctx, slip_block_create(ctx, cell, 2, b ? outer_count : inner_count, ring, radii[b],
                                        &bodies[b].mesh));
        plane_ok(ctx, slip_plane_add_body(ctx, plane, &bodies[b]));
    }
    plane_ok(ctx, slip_plane_add_surface(ctx, plane, &surface));
    plane_ok(ctx, slip_plane_finish(ctx, plane));
    plane_ok(ctx, slip_plane_gap(ctx, plane, NULL, NULL, gaps, NULL));
    const int order = cell->node_count > cell->corner_count ? 2 : 1;
    assert_int_equal(slip_plane_contact_count(plane), order * inner_count + 1);
    for (int k = 0; k < slip_plane_contact_count(plane); k++) {
        const slip_plane_contact *c = &slip_plane_contacts(plane)[k];
        worst = fmax(worst, fabs(gaps[k] - 0.1));
        turned = fmax(turned, fabs(c->normal[0] * c->place[1] - c->normal[1] * c->place[0]) / 2);
    }
    *turned_by = turned;
    slip_plane_destroy(plane);
    return worst;
}

static void rings(void **state)
{
    (void)state;
    for (int i = 0; i < cell_count; i++) {
        const bool second = cells[i]->node_count > cells[i]->corner_count;
        double turned[2];
        const double coarse = check_rings(cells[i], 6, 10, &turned[0]);
        const double fine = check_rings(cells[i], 12, 20, &turned[1]);
        assert_true(coarse < (second ? 3e-6 : 2.1 * 0.157 * 0.157 / 8));
        assert_close(log2(coarse / fine), second ? 4 : 2, 0.05);
        assert_close(log2(turned[0] / turned[1]), second ? 3 : 1, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(pulled, setup, teardown),
                                       cmocka_unit_test_setup_teardown(mixed, setup, teardown),
                                       cmocka_unit_test_setup_teardown(bending, setup, teardown),
                                       cmocka_unit_test_setup_teardown(pressed, setup, teardown),
                                       cmocka_unit_test_setup_teardown(rings, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
