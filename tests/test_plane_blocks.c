/* The published example of two blocks: compliance, contact displacements and fields against reference
 * numbers. */
#include "blocks_reference.h"
#include "fem/plane/types.h"
#include "math/dense.h"
#include "plane_test.h"

enum { m = 30, rows = 2 * m };

/* Load A times `a`, as the reference has it. */
static const char *const parameters[] = {"F", "a", NULL};

static slip_plane *two_blocks(slip_context *ctx)
{
    const double values[] = {0.3, 1};
    const slip_support left = {"left", {true, true}};
    slip_plane *plane = NULL;
    slip_traction tractions[2] = {{.set = "top"}, {.set = "right"}};
    slip_body upper = {.name = "upper",
                       .mesh = plane_block(ctx, 0, 3, 1, 2, 30, 10),
                       .young = 21190,
                       .poisson = 0.277,
                       .thickness = 1,
                       .supports = &left,
                       .support_count = 1,
                       .tractions = tractions,
                       .traction_count = 2};
    slip_body lower = {.name = "lower",
                       .mesh = plane_block(ctx, 0, 3, 0, 1, 30, 10),
                       .young = 211900,
                       .poisson = 0.277,
                       .thickness = 1,
                       .supports = &left,
                       .support_count = 1};
    slip_plane_surface joint = {.name = "joint",
                                .first_body = "upper",
                                .first_edge = "bottom",
                                .second_body = "lower",
                                .second_edge = "top",
                                .friction = plane_expression("F", parameters)};
    tractions[0].force[1] = plane_expression("a*(-6 - x/3)", parameters);
    tractions[1].force[0] = plane_expression("2*a", parameters);
    tractions[1].force[1] = plane_expression("2*a", parameters);
    plane_ok(ctx, slip_plane_create(ctx, 2, values, &plane));
    plane_ok(ctx, slip_plane_add_body(ctx, plane, &upper));
    plane_ok(ctx, slip_plane_add_body(ctx, plane, &lower));
    plane_ok(ctx, slip_plane_add_surface(ctx, plane, &joint));
    plane_ok(ctx, slip_plane_finish(ctx, plane));
    return plane;
}

static void test_compliance(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_plane *plane = two_blocks(ctx);
    const double *c = slip_plane_compliance(plane);
    static double copy[rows * rows], values[rows];
    double trace = 0, square = 0;
    (void)state;
    assert_int_equal(slip_plane_contact_count(plane), m);
    assert_int_equal(slip_plane_unknown_count(plane), 1320);
    assert_int_equal(slip_plane_node_count(plane), 2 * 31 * 11);
    assert_close_relative(c[0], reference_c_nn_11, 1e-10);
    assert_close_relative(c[29 * rows + 29], reference_c_nn_30_30, 1e-10);
    assert_close_relative(c[59 * rows + 59], reference_c_tt_30_30, 1e-10);
    assert_close_relative(c[29 * rows + 59], reference_c_nt_30_30, 1e-10);
    assert_close_relative(c[14 * rows + 44], reference_c_nt_15_15, 1e-10);
    for (int i = 0; i < rows; i++) {
        trace += c[i * rows + i];
        for (int j = 0; j < rows; j++) {
            square += c[i * rows + j] * c[i * rows + j];
            assert_true(c[i * rows + j] == c[j * rows + i]);
        }
    }
    assert_close_relative(trace, reference_trace, 1e-10);
    assert_close_relative(sqrt(square), reference_frob, 1e-10);
    memcpy(copy, c, sizeof copy);
    assert_true(slip_dense_eigenvalues(rows, copy, values));
    assert_close_relative(values[rows - 1] / values[0], reference_cond, 1e-8);
    slip_plane_destroy(plane);
    slip_context_destroy(ctx);
}

static void test_contacts(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_plane *plane = two_blocks(ctx);
    const slip_plane_contact *contacts = slip_plane_contacts(plane);
    double gap[m], mu[m], rate[m];
    const double direction[] = {1, 0};
    char name[80];
    (void)state;
    plane_ok(ctx, slip_plane_gap(ctx, plane, slip_plane_parameter_values(plane), NULL, gap, NULL));
    plane_ok(ctx, slip_plane_friction(ctx, plane, slip_plane_parameter_values(plane), direction, mu, rate));
    for (int k = 0; k < m; k++) {
        snprintf(name, sizeof name, "joint[%d]", k + 1);
        assert_string_equal(contacts[k].name, name);
        assert_close(contacts[k].place[0], 0.1 * (k + 1), 1e-14);
        assert_close(contacts[k].place[1], 1, 1e-14);
        assert_close(contacts[k].normal[1], -1, 1e-14);
        assert_close(contacts[k].tangent[0], 1, 1e-14);
        assert_true(contacts[k].slides);
        assert_close(gap[k], 0, 1e-15);
        assert_true(mu[k] == 0.3 && rate[k] == 1);
    }
    const slip_expression *friction = plane->surfaces[0].friction;
    assert_true(slip_expression_reads(friction, slip_plane_slot_parameter));
    assert_false(slip_expression_reads(friction, slip_plane_slot_parameter + 1));
    assert_true(slip_plane_load_reads(plane, 1) && !slip_plane_load_reads(plane, 0));
    slip_plane_destroy(plane);
    slip_context_destroy(ctx);
}

/* With the reference's contact forces the contact displacements, the energy and the largest displacement are
 * the reference's. */
static void check_solution(slip_context *ctx, slip_plane *plane, const reference_solution *s)
{
    const double values[] = {s->friction, 1};
    const double *c = slip_plane_compliance(plane);
    double w[rows], lambda[rows], energy[2], reaction[4], largest = 0;
    static double u[2 * 2 * 31 * 11];
    plane_ok(ctx, slip_plane_free_displacement(ctx, plane, values, NULL, w, NULL));
    for (int k = 0; k < m; k++) {
        lambda[k] = s->table[k][0];
        lambda[m + k] = s->table[k][1];
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            w[i] += c[i * rows + j] * lambda[j];
    for (int k = 0; k < m; k++) {
        assert_close(w[k], s->table[k][2], 1e-13);
        assert_close(w[m + k], s->table[k][3], 1e-13);
    }
    plane_ok(ctx, slip_plane_displacements(ctx, plane, values, lambda, u));
    for (int k = 0; k < m; k++) {
        const int upper = slip_plane_contacts(plane)[k].node, lower = 31 * 11 + 10 * 31 + k + 1;
        assert_close(u[2 * lower + 1] - u[2 * upper + 1], s->table[k][2], 1e-13);
        assert_close(u[2 * upper] - u[2 * lower], s->table[k][3], 1e-13);
    }
    for (int i = 0; i < 2 * 31 * 11; i++)
        largest = fmax(largest, hypot(u[2 * i], u[2 * i + 1]));
    assert_close_relative(largest, s->largest_displacement, 1e-9);
    plane_ok(ctx, slip_plane_energy(ctx, plane, u, energy));
    assert_close_relative(energy[0] + energy[1], s->energy, 1e-9);
    plane_ok(ctx, slip_plane_reactions(ctx, plane, values, lambda, u, reaction));
    assert_close(reaction[0], -2 - s->sum_tangential, 1e-9);
    assert_close(reaction[1], 17.5 + s->sum_normal, 1e-9);
    assert_close(reaction[2], s->sum_tangential, 1e-9);
    assert_close(reaction[3], -s->sum_normal, 1e-9);
}

static void test_solutions(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_plane *plane = two_blocks(ctx);
    (void)state;
    for (size_t i = 0; i < sizeof reference_solutions / sizeof *reference_solutions; i++)
        check_solution(ctx, plane, &reference_solutions[i]);
    slip_plane_destroy(plane);
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compliance), cmocka_unit_test(test_contacts),
                                       cmocka_unit_test(test_solutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
