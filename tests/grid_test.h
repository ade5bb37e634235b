/* Boxes of elements of any type for tests. */
#ifndef SLIP_TESTS_GRID_TEST_H
#define SLIP_TESTS_GRID_TEST_H

#include "io/mesh/mesh.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Edges whose middles are the nodes behind the corners, in the order of Abaqus. */
static const int grid_tri_edges[3][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int grid_quad_edges[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const int grid_tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int grid_hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                          {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static inline const int *grid_edge(const slip_cell *cell, int middle)
{
    const int k = middle - cell->corner_count;
    return cell->dimension == 2 ? (cell->corner_count == 3 ? grid_tri_edges[k] : grid_quad_edges[k])
                                : (cell->corner_count == 4 ? grid_tet_edges[k] : grid_hex_edges[k]);
}

typedef struct grid {
    const slip_cell *cell;
    int counts[3], lattice[3]; /* boxes, points of half boxes */
    double size[3], shake;
    int *number; /* of each lattice point, or -1 */
    slip_mesh *mesh;
} grid;

static inline int grid_at(const grid *g, const int p[3])
{
    return (p[2] * g->lattice[1] + p[1]) * g->lattice[0] + p[0];
}

/* Corners (even points): those inside are moved, always by the same. */
static inline void grid_place(const grid *g, const int p[3], double *place)
{
    uint64_t seed = 1000 + (uint64_t)grid_at(g, p);
    bool inside = true;
    for (int d = 0; d < g->cell->dimension; d++)
        inside = inside && p[d] > 0 && p[d] < 2 * g->counts[d];
    for (int d = 0; d < g->cell->dimension; d++)
        place[d] =
            g->size[d] * (p[d] / 2.0 + (inside ? test_random(&seed, -g->shake, g->shake) : 0)) / g->counts[d];
}

/* Corners of element `part` of the box at `box`. Returns false where there is no such part. */
static inline bool grid_corners(const slip_cell *cell, const int box[3], int part, int corners[8][3])
{
    static const int square[4][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    static const int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const int cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int tetrahedra[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                         {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    const bool split = cell->corner_count == cell->dimension + 1;
    if (part >= (!split ? 1 : cell->dimension == 2 ? 2 : 6))
        return false;
    for (int a = 0; a < cell->corner_count; a++) {
        const int k = !split ? a : cell->dimension == 2 ? triangles[part][a] : tetrahedra[part][a];
        for (int d = 0; d < 3; d++)
            corners[a][d] = 2 * (box[d] + (cell->dimension == 2 ? square[k][d] : cube[k][d]));
    }
    return true;
}

/* counts boxes of a box from 0 to size, each a quadrilateral, two triangles, a brick, or six tetrahedra.
 * Corners inside are moved by up to `shake` of a box; edges stay straight. Sets of nodes at the ends of x, y
 * (and z): left, right, bottom, top (, back, front). */
static inline slip_mesh *grid_make(slip_context *ctx, const slip_cell *cell, const int counts[3],
                                   const double size[3], double shake)
{
    static const char *const names[6] = {"left", "right", "bottom", "top", "back", "front"};
    grid g = {.cell = cell, .shake = shake};
    int total = 1, boxes = 1, nodes = 0, elements = 0, *list = NULL;
    for (int d = 0; d < 3; d++) {
        g.counts[d] = d < cell->dimension ? counts[d] : 0;
        g.size[d] = d < cell->dimension ? size[d] : 0;
        total *= g.lattice[d] = 2 * g.counts[d] + 1;
        boxes *= d < cell->dimension ? counts[d] : 1;
    }
    g.number = malloc((size_t)total * sizeof *g.number);
    memset(g.number, -1, (size_t)total * sizeof *g.number);
    for (int pass = 0; pass < 3; pass++) { /* which points are used; their numbers; the elements */
        if (pass == 1) {
            for (int i = 0; i < total; i++)
                g.number[i] = g.number[i] >= 0 ? nodes++ : -1;
            assert_int_equal(slip_mesh_create(ctx, cell->dimension, nodes, &g.mesh), SLIP_OK);
            assert_int_equal(slip_mesh_add_group(ctx, g.mesh, cell, elements, &list), SLIP_OK);
            continue;
        }
        for (int b = 0; b < boxes; b++) {
            const int box[3] = {b % counts[0], b / counts[0] % counts[1], b / counts[0] / counts[1]};
            int p[20][3], part = 0;
            for (; grid_corners(cell, box, part, p); part++) {
                for (int a = 0; a < cell->node_count; a++) {
                    double place[2][3];
                    const int *e = a < cell->corner_count ? (const int[]){a, a} : grid_edge(cell, a);
                    for (int d = 0; d < 3; d++)
                        p[a][d] = (p[e[0]][d] + p[e[1]][d]) / 2;
                    grid_place(&g, p[e[0]], place[0]);
                    grid_place(&g, p[e[1]], place[1]);
                    if (pass == 0)
                        g.number[grid_at(&g, p[a])] = 0;
                    for (int d = 0; d < cell->dimension && pass == 2; d++)
                        g.mesh->points[g.number[grid_at(&g, p[a])] * cell->dimension + d] =
                            (place[0][d] + place[1][d]) / 2;
                    if (pass == 2)
                        *list++ = g.number[grid_at(&g, p[a])];
                }
                elements += pass == 0;
            }
        }
    }
    for (int s = 0; s < 2 * cell->dimension; s++) {
        int count = 0, *items = NULL, d = s / 2;
        for (int pass = 0; pass < 2; pass++) {
            if (pass == 1)
                assert_int_equal(slip_mesh_add_set(ctx, g.mesh, names[s], SLIP_SET_NODES, count, &items),
                                 SLIP_OK);
            for (int i = 0; i < nodes; i++)
                if (g.mesh->points[i * cell->dimension + d] == (s % 2 ? size[d] : 0)) {
                    if (pass == 1)
                        *items++ = i;
                    count += pass == 0;
                }
        }
    }
    free(g.number);
    return g.mesh;
}

#endif
