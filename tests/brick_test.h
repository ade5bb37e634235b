/* Boxes of bricks for tests. */
#ifndef SLIP_TESTS_BRICK_TEST_H
#define SLIP_TESTS_BRICK_TEST_H

#include "io/mesh/mesh.h"
#include "test.h"

/* A box from -size/2 to size/2 of counts[0] x counts[1] x counts[2] bricks; nodes inside are moved by up to
 * `shake` of their distance. Sets: "low" and "high", the nodes at both ends of x. Node (i, j, k) is number (i
 * (ny+1) + j) (nz+1) + k. */
static inline slip_mesh *brick_box(slip_context *ctx, const int counts[3], const double size[3], double shake)
{
    uint64_t seed = 77;
    int n[3] = {counts[0] + 1, counts[1] + 1, counts[2] + 1}, *nodes, *ends[2];
    slip_mesh *mesh = NULL;
    assert_int_equal(slip_mesh_create(ctx, 3, n[0] * n[1] * n[2], &mesh), SLIP_OK);
    for (int i = 0; i < mesh->node_count; i++) {
        int at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        bool inside = true;
        for (int d = 0; d < 3; d++)
            inside = inside && at[d] > 0 && at[d] < counts[d];
        for (int d = 0; d < 3; d++)
            mesh->points[3 * i + d] =
                size[d] * ((at[d] + (inside ? test_random(&seed, -shake, shake) : 0)) / counts[d] - 0.5);
    }
    assert_int_equal(
        slip_mesh_add_group(ctx, mesh, &slip_cell_hex8, counts[0] * counts[1] * counts[2], &nodes), SLIP_OK);
    for (int e = 0; e < counts[0] * counts[1] * counts[2]; e++) {
        static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
        int at[3] = {e / (counts[1] * counts[2]), e / counts[2] % counts[1], e % counts[2]};
        for (int k = 0; k < 8; k++)
            *nodes++ = ((at[0] + corner[k][0]) * n[1] + at[1] + corner[k][1]) * n[2] + at[2] + corner[k][2];
    }
    for (int side = 0; side < 2; side++) {
        assert_int_equal(
            slip_mesh_add_set(ctx, mesh, side ? "high" : "low", SLIP_SET_NODES, n[1] * n[2], &ends[side]),
            SLIP_OK);
        for (int i = 0; i < n[1] * n[2]; i++)
            ends[side][i] = i + side * counts[0] * n[1] * n[2];
    }
    return mesh;
}

#endif
