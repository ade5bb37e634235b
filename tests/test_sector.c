/* One sector of a cyclic body against the whole body. */
#include "test.h"

#include "gear/geometry/gear_mesh.h"

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct whole_body {
    slip_context *ctx;
    slip_solid *solid;
    slip_factor *factor;
} whole_body;

static int whole_solve(void *user, int64_t count, const double *right, double *solution)
{
    whole_body *w = user;
    return slip_factor_solve(w->ctx, w->factor, count, right, solution);
}

static void whole_mass(void *user, int64_t count, const double *x, double *product)
{
    slip_solid_mass(((whole_body *)user)->solid, count, x, product);
}

/* The lowest eigenvalues of the whole body and of all waves together are the same. */
static void check_gear(int teeth, int width, bool compatible, bool lumped)
{
    enum { count = 40, each = 12 };
    slip_context *ctx = slip_context_create();
    slip_gear_options o = slip_gear_options_default();
    o.teeth = teeth;
    o.module = 0.005;
    o.profile_shift = 0.5;
    o.width = 0.02;
    o.bore = 0.5 * teeth * o.module;
    o.mesh = (slip_gear_mesh_options){
        .flank = 3, .fillet = 1, .thickness = 2, .root = 2, .rim = 2, .width = width};
    slip_solid_options solid = {210e9, 0.3, 7850, compatible, lumped};
    slip_gear_mesh *gear = NULL;
    slip_gear_sector *part = NULL;
    slip_sector *sector = NULL;
    whole_body whole = {ctx, NULL, NULL};
    assert_int_equal(slip_gear_mesh_create(ctx, &o, &gear), SLIP_OK);
    const slip_mesh_set *bore = slip_mesh_find(gear->mesh, "bore", SLIP_SET_NODES);
    assert_int_equal(slip_solid_create(ctx, "gear", gear->mesh, bore, &solid, &whole.solid), SLIP_OK);
    assert_int_equal(slip_factor_create(ctx, whole.solid->stiffness, NULL, &whole.factor, NULL), SLIP_OK);
    slip_eigen_problem problem = {3 * (int64_t)whole.solid->free_count, &whole, whole_solve, whole_mass};
    slip_eigen_options options = slip_eigen_options_default();
    options.count = count;
    double expected[count], found[2000];
    assert_int_equal(slip_eigen_lowest(ctx, &problem, &options, expected, NULL, NULL), SLIP_OK);

    assert_int_equal(slip_gear_sector_create(ctx, gear, &part), SLIP_OK);
    assert_int_equal(slip_sector_create(ctx, &part->mesh, &solid, &sector), SLIP_OK);
    int total = 0;
    for (int h = 0; h <= teeth / 2; h++)
        for (int antisymmetric = 0; antisymmetric <= (part->mesh.middle != NULL); antisymmetric++) {
            slip_wave *wave = NULL;
            assert_int_equal(slip_wave_create(ctx, sector, h, antisymmetric, &wave), SLIP_OK);
            slip_eigen_problem small = slip_wave_problem(wave);
            options.count = each;
            options.block = 4;
            assert_int_equal(slip_eigen_lowest(ctx, &small, &options, found + total, NULL, NULL), SLIP_OK);
            assert_true(found[total + each - 1] > expected[count - 1]); /* none can be missing */
            total += each;
            slip_wave_destroy(wave);
        }
    qsort(found, (size_t)total, sizeof *found, ascending);
    for (int i = 0; i < count; i++)
        assert_close_relative(found[i], expected[i], 1e-9);
    slip_sector_destroy(sector);
    slip_gear_sector_destroy(part);
    slip_factor_destroy(whole.factor);
    slip_solid_destroy(whole.solid);
    slip_gear_mesh_destroy(gear);
    slip_context_destroy(ctx);
}

static void sector_and_whole_agree(void **state)
{
    (void)state;
    check_gear(18, 2, false, false);
    if (!test_sanitized)
        check_gear(17, 3, false, false); /* odd numbers of teeth and layers */
    check_gear(12, 2, true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_of_numbers(sector_and_whole_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
