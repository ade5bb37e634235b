/* The limit surface where only some velocities of an area are possible. */
#include "patch_test.h"

static slip_patch *some_patch(int kind)
{
    slip_patch_options o = slip_patch_options_default();
    o.shape = "rectangle";
    o.sides[0] = 2;
    o.sides[1] = 0.7;
    o.pressure = "linear";
    o.linear[0] = 0.6;
    o.linear[1] = -0.3;
    o.surface = kind < 4 ? "pade" : "integral";
    o.order[0] = kind < 4 ? kind & 1 : 0;
    o.order[1] = kind < 4 ? kind / 2 & 1 : 0;
    o.fit = kind < 4;
    if (kind == 5)
        o.table_tolerance = 1e-5;
    return make_patch(&o);
}

/* Two or three orthonormal vectors. */
static void random_basis(uint64_t *seed, double basis[9])
{
    for (int k = 0; k < 3; k++) {
        double length = 0;
        for (int i = 0; i < 3; i++)
            basis[3 * k + i] = test_random(seed, -1, 1);
        for (int l = 0; l < k; l++) {
            double overlap = 0;
            for (int i = 0; i < 3; i++)
                overlap += basis[3 * k + i] * basis[3 * l + i];
            for (int i = 0; i < 3; i++)
                basis[3 * k + i] -= overlap * basis[3 * l + i];
        }
        for (int i = 0; i < 3; i++)
            length += basis[3 * k + i] * basis[3 * k + i];
        for (int i = 0; i < 3; i++)
            basis[3 * k + i] /= sqrt(length);
    }
}

/* -ratio B^T T(B z) is the load again. */
static void check_gives_load(const slip_patch *patch, int rank, const double *basis, const double *u,
                             double ratio, const double *z)
{
    double q[3] = {0, 0, 0}, T[3], length = 0;
    for (int k = 0; k < rank; k++) {
        length += z[k] * z[k];
        for (int i = 0; i < 3; i++)
            q[i] += z[k] * basis[3 * k + i];
    }
    assert_close(length, 1, 1e-12);
    slip_patch_surface(patch, q, T, NULL);
    for (int k = 0; k < rank; k++) {
        double force = 0;
        for (int i = 0; i < 3; i++)
            force += basis[3 * k + i] * T[i];
        assert_close(-ratio * force, u[k], patch->table ? 1e-4 : 1e-9);
    }
}

static void gives_the_load_back(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 11;
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        slip_patch *patch = some_patch(kind);
        for (int round = 0; round < test_many(90); round++) {
            double basis[9], u[3], ratio, z[3];
            int rank = 1 + round % 3;
            random_basis(&seed, basis);
            for (int k = 0; k < rank; k++)
                u[k] = test_random(&seed, -2, 2);
            assert_int_equal(slip_patch_limit_within(ctx, patch, rank, basis, u, &ratio, z), SLIP_OK);
            assert_true(ratio > 0);
            check_gives_load(patch, rank, basis, u, ratio, z);
        }
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* An off-centre load on a guide along y: the guide takes the moment, and the limit is that of a point. */
static void guide_takes_the_moment(void **state)
{
    slip_context *ctx = slip_context_create();
    slip_patch *patch = some_patch(4);
    const double along_y[3] = {0, 1, 0}, u = -0.8;
    double ratio, z, full, direction[3];
    (void)state;
    assert_int_equal(slip_patch_limit_within(ctx, patch, 1, along_y, &u, &ratio, &z), SLIP_OK);
    assert_close(ratio, 0.8, 1e-13);
    assert_true(z == 1);
    assert_int_equal(slip_patch_limit(ctx, patch, (double[]){0, u, 0}, &full, direction), SLIP_OK);
    assert_true(full > 0.8 + 1e-3); /* without it the body turns */
    slip_patch_destroy(patch);
    slip_context_destroy(ctx);
}

/* L z = b - K t(z) for loads beyond the limit; K symmetric and positive. */
static void slides_against_a_load(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 12;
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        slip_patch *patch = some_patch(kind);
        for (int round = 0; round < test_many(90); round++) {
            double basis[9], root[9], K[9], load[3], b[3], ratio, z[3], L, q[3] = {0, 0, 0}, T[3];
            int rank = 1 + round % 3;
            random_basis(&seed, basis);
            for (int k = 0; k < 9; k++)
                root[k] = test_random(&seed, -1, 1) + 2 * (k % (rank + 1) == 0);
            for (int k = 0; k < rank; k++)
                load[k] = test_random(&seed, -1, 1);
            assert_int_equal(slip_patch_limit_within(ctx, patch, rank, basis, load, &ratio, z), SLIP_OK);
            double beyond = test_random(&seed, 1.001, 3);
            for (int k = 0; k < rank; k++)
                load[k] *= -beyond / ratio;
            for (int k = 0; k < rank; k++) {
                b[k] = 0;
                for (int l = 0; l < rank; l++) {
                    K[rank * k + l] = 0;
                    for (int i = 0; i < rank; i++)
                        K[rank * k + l] += root[rank * k + i] * root[rank * l + i];
                    b[k] += K[rank * k + l] * load[l];
                }
            }
            assert_true(slip_patch_slide(patch, rank, basis, K, b, 1, z, &L));
            assert_true(L > 0);
            for (int k = 0; k < rank; k++)
                for (int i = 0; i < 3; i++)
                    q[i] += z[k] * basis[3 * k + i];
            slip_patch_surface(patch, q, T, NULL);
            for (int k = 0; k < rank; k++) {
                double sum = b[k];
                for (int l = 0; l < rank; l++)
                    for (int i = 0; i < 3; i++)
                        sum -= K[rank * k + l] * basis[3 * l + i] * T[i];
                assert_close(sum, L * z[k], 1e-10);
            }
        }
        slip_patch_destroy(patch);
    }
    slip_context_destroy(ctx);
}

/* Two areas of one body as one: its derivative, and loads on its limit surface. */
static void sums_are_surfaces(void **state)
{
    slip_context *ctx = slip_context_create();
    uint64_t seed = 13;
    (void)state;
    for (int round = 0; round < test_many(60); round++) {
        slip_patch *first = some_patch(round % 3), *second = some_patch(3 + round % 2), sum;
        const double x = test_random(&seed, -1, 1), y = test_random(&seed, -1, 1),
                     weight = test_random(&seed, 0.1, 0.9);
        slip_patch_part parts[2] = {{first, weight, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                                    {second, 1 - weight, {1, 0, -y, 0, 1, x, 0, 0, 1.3}}};
        double q[3], T[3], D[9], ahead[3], behind[3], basis[9], u[3], ratio, z[3];
        const int rank = 1 + round % 3;
        slip_patch_sum_prepare(&sum, 2, parts);
        for (int i = 0; i < 3; i++)
            q[i] = test_random(&seed, -1, 1);
        slip_patch_surface(&sum, q, T, D);
        for (int j = 0; j < 3; j++) {
            const double h = 1e-5, at = q[j];
            q[j] = at + h;
            slip_patch_surface(&sum, q, ahead, NULL);
            q[j] = at - h;
            slip_patch_surface(&sum, q, behind, NULL);
            q[j] = at;
            for (int i = 0; i < 3; i++)
                assert_close(D[3 * i + j], (ahead[i] - behind[i]) / (2 * h), 1e-4 * (1 + fabs(D[3 * i + j])));
        }
        random_basis(&seed, basis);
        for (int k = 0; k < rank; k++)
            u[k] = test_random(&seed, -2, 2);
        assert_int_equal(slip_patch_limit_within(ctx, &sum, rank, basis, u, &ratio, z), SLIP_OK);
        assert_true(ratio > 0);
        check_gives_load(&sum, rank, basis, u, ratio, z);
        slip_patch_destroy(first);
        slip_patch_destroy(second);
    }
    slip_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_load_back),
        cmocka_unit_test(guide_takes_the_moment),
        cmocka_unit_test(sums_are_surfaces),
        cmocka_unit_test(slides_against_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
