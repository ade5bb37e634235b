/* Bodies element by element: matrices put together from them are those of the library, whose static
 * displacements they balance; masses are those of the volumes. */
#include "model_test.h"
#include "slipstick/slipstick.h"

#include <stdlib.h>

enum { most = 3 * slip_pieces_nodes_max };

/* product += K u or M u of all elements, over the unknowns; u is over all displacements of all nodes. */
static void multiply(const slip_pieces *pieces, bool mass, const double *u, double *product)
{
    const slip_pieces_counts counts = slip_pieces_size(pieces);
    const int d = counts.dimension;
    for (int64_t e = 0; e < counts.elements; e++) {
        double stiffness[most * most], of_mass[slip_pieces_nodes_max * slip_pieces_nodes_max];
        int64_t nodes[slip_pieces_nodes_max];
        const int n = slip_pieces_element(pieces, e, nodes, mass ? NULL : stiffness, mass ? of_mass : NULL);
        for (int i = 0; i < d * n; i++)
            for (int j = 0; j < d * n; j++) {
                const int64_t row = slip_pieces_unknown(pieces, nodes[i / d], i % d);
                const double entry = !mass            ? stiffness[i * d * n + j]
                                     : i % d == j % d ? of_mass[i / d * n + j / d]
                                                      : 0;
                if (row >= 0)
                    product[row] += entry * u[d * nodes[j / d] + j % d];
            }
    }
}

/* K u = f for the displacements that the library finds. */
static void balances(const char *text)
{
    slip_model *model = parse(text);
    slip_pieces *pieces = NULL;
    assert_int_equal(slip_pieces_create(ctx, model, NULL, &pieces), SLIP_OK);
    const slip_pieces_counts counts = slip_pieces_size(pieces);
    double *u = calloc((size_t)(counts.dimension * counts.nodes), sizeof *u),
           *f = calloc((size_t)counts.unknowns, sizeof *f),
           *found = calloc((size_t)counts.unknowns, sizeof *f);
    double worst = 0, largest = 0;
    assert_int_equal(counts.nodes, slip_bodies_node_count(model));
    assert_int_equal(slip_pieces_force(ctx, pieces, f), SLIP_OK);
    assert_int_equal(slip_bodies_displacements(ctx, model, NULL, u), SLIP_OK);
    multiply(pieces, false, u, found);
    for (int64_t i = 0; i < counts.unknowns; i++) {
        worst = fmax(worst, fabs(found[i] - f[i]));
        largest = fmax(largest, fabs(f[i]));
    }
    assert_true(largest > 0);
    if (!(worst < 1e-9 * largest))
        fail_msg("forces differ by %g of %g", worst, largest);
    free(u);
    free(f);
    free(found);
    slip_pieces_destroy(pieces);
    slip_model_destroy(model);
}

static void static_displacements(void **state)
{
    (void)state;
    balances(
        "slipstick: 1\nparameters: {p: 2}\nbodies:\n"
        "  a: {mesh: {block: {x: [0, 2], y: [0, 1], elements: [4, 3], element: quad8}}, material: {young: "
        "100, "
        "poisson: 0.3}, fix: [left], tractions: {top: [0, -p - x]}}\n"
        "  b: {mesh: {block: {x: [0, 2], y: [2, 3], elements: [4, 3], element: tri3}}, material: {young: 50, "
        "poisson: 0.2}, fix: {bottom: y, left: x}, tractions: {right: [p, 0]}}\n");
    balances(
        "slipstick: 1\nbodies:\n"
        "  a: {mesh: {block: {x: [0, 2], y: [0, 1], z: [0, 1], elements: [3, 2, 2]}}, material: {young: 100, "
        "poisson: 0.3}, fix: [left], tractions: {top: [0, 0, -1 - x]}}\n");
}

/* A translation has the mass of the body: x^T M x, over all nodes where nothing is held. */
static void masses(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nbodies:\n  a: {mesh: {block: {x: [0, 2], y: [0, 1], elements: [4, 3]}}, "
              "material: {young: 100, poisson: 0.3, density: 3}, thickness: 0.5, reduce: {modes: 4}}\n"
              "simulate: {method: moreau, step: 1e-3, time: [0, 1]}\n");
    slip_pieces *pieces = NULL;
    double u[2 * 20], found[2 * 20] = {0}, sum = 0;
    (void)state;
    assert_int_equal(slip_pieces_create(ctx, model, NULL, &pieces), SLIP_OK);
    assert_int_equal(slip_pieces_size(pieces).unknowns, 2 * 20);
    for (int i = 0; i < 40; i++)
        u[i] = i % 2 == 0;
    multiply(pieces, true, u, found);
    for (int i = 0; i < 40; i++)
        sum += u[i] * found[i];
    assert_close(sum, 3 * 0.5 * 2, 1e-12);
    slip_pieces_destroy(pieces);
    slip_model_destroy(model);
}

/* A gear is held at its bore, its mass that of the reduced body. */
static void gears(void **state)
{
    slip_model *model =
        parse("slipstick: 1\ngears:\n  pinion: {teeth: 18, module: 0.005, width: 0.038, bore: 0.05, "
              "modes: 3, mesh: {flank: 2, fillet: 1, thickness: 2, root: 2, rim: 2, width: 2}}\n");
    slip_reduce_options options = slip_reduce_options_default();
    slip_reduced *body = NULL;
    slip_pieces *pieces = NULL;
    double sum = 0, place[3];
    (void)state;
    options.attachment = 0;
    assert_int_equal(slip_gear_reduce(ctx, slip_model_gear(model, 0), &options, &body), SLIP_OK);
    assert_int_equal(slip_pieces_create(ctx, model, "pinion", &pieces), SLIP_OK);
    const slip_pieces_counts counts = slip_pieces_size(pieces);
    for (int64_t e = 0; e < counts.elements; e++) {
        double mass[slip_pieces_nodes_max * slip_pieces_nodes_max];
        int64_t nodes[slip_pieces_nodes_max];
        const int n = slip_pieces_element(pieces, e, nodes, NULL, mass);
        for (int k = 0; k < n * n; k++)
            sum += mass[k];
    }
    assert_close(sum, slip_reduced_mass(body), 1e-12 * sum);
    for (int64_t node = 0; node < counts.nodes; node++) {
        slip_pieces_place(pieces, node, place);
        const bool bore = hypot(place[0], place[1]) < 0.025 * (1 + 1e-9);
        for (int d = 0; d < 3; d++)
            assert_true((slip_pieces_unknown(pieces, node, d) < 0) == bore);
    }
    slip_pieces_destroy(pieces);
    assert_int_equal(slip_pieces_create(ctx, model, "wheel", &pieces), SLIP_ERROR_USAGE);
    assert_null(pieces);
    assert_int_equal(slip_pieces_create(ctx, model, NULL, &pieces), SLIP_ERROR_MODEL);
    assert_null(pieces);
    slip_reduced_destroy(body);
    slip_model_destroy(model);
}

static void loads_that_change(void **state)
{
    slip_model *model =
        parse("slipstick: 1\nbodies:\n  a: {mesh: {block: {x: [0, 2], y: [0, 1], elements: [4, 3]}}, "
              "material: {young: 100, poisson: 0.3, density: 3}, fix: [left], tractions: {top: [0, "
              "sin(t)]}, reduce: {modes: 4}}\nsimulate: {method: moreau, step: 1e-3, time: [0, 1]}\n");
    slip_pieces *pieces = NULL;
    double force[100];
    (void)state;
    assert_int_equal(slip_pieces_create(ctx, model, NULL, &pieces), SLIP_OK);
    assert_true(slip_pieces_size(pieces).unknowns <= 100);
    assert_int_equal(slip_pieces_force(ctx, pieces, force), SLIP_ERROR_MODEL);
    slip_pieces_destroy(pieces);
    slip_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(static_displacements),
        cmocka_unit_test(masses),
        cmocka_unit_test(gears),
        cmocka_unit_test(loads_that_change),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
