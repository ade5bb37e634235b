/* The table of elements: shape functions, Gauss points, rows. Lines, squares and cubes go from -1 to 1 in
 * every direction, triangles and tetrahedra from 0 to 1. */
#include "fem/element.h"
#include "fem/hex8.h"

#include <math.h>
#include <stddef.h>

/* ---- shape functions ---- */

/* N_a = product over k of (1 + c_ak x_k)/2,     c_a: reference place of node a. */
static void shape_product(const slip_element_type *type, const double *at, double *value, double *slope)
{
    const int d = type->cell->dimension;
    for (int a = 0; a < type->cell->node_count; a++) {
        const double *c = type->nodes[a];
        double factor[3];
        value[a] = 1;
        for (int k = 0; k < d; k++) {
            factor[k] = (1 + c[k] * at[k]) / 2;
            value[a] *= factor[k];
        }
        for (int k = 0; k < d; k++) {
            slope[a * d + k] = c[k] / 2;
            for (int other = 0; other < d; other++)
                if (other != k)
                    slope[a * d + k] *= factor[other];
        }
    }
}

/* Serendipity: at corners product of (1 + c_k x_k)/2 times (sum of c_k x_k - d + 1), at the middle of an edge
 * along m (c_m = 0) (1 - x_m^2) times the product of (1 + c_k x_k)/2 over the others. Both are products of
 * factors f_k, corners with one more factor g. */
static void shape_serendipity(const slip_element_type *type, const double *at, double *value, double *slope)
{
    const int d = type->cell->dimension;
    for (int a = 0; a < type->cell->node_count; a++) {
        const bool corner = a < type->cell->corner_count;
        const double *c = type->nodes[a];
        double f[3], df[3], g = corner ? 1 - d : 1, product = 1;
        for (int k = 0; k < d; k++) {
            f[k] = c[k] == 0 ? 1 - at[k] * at[k] : (1 + c[k] * at[k]) / 2;
            df[k] = c[k] == 0 ? -2 * at[k] : c[k] / 2;
            g += corner ? c[k] * at[k] : 0;
            product *= f[k];
        }
        value[a] = product * g;
        for (int k = 0; k < d; k++) {
            double rest = df[k] * g + (corner ? f[k] * c[k] : 0);
            for (int other = 0; other < d; other++)
                if (other != k)
                    rest *= f[other];
            slope[a * d + k] = rest;
        }
    }
}

/* Coordinates L of a triangle or tetrahedron: L_0 = 1 - sum of x_k, L_k = x_(k-1). First order: N_a = L_a. */
static void shape_simplex(const slip_element_type *type, const double *at, double *value, double *slope)
{
    const int d = type->cell->dimension;
    value[0] = 1;
    for (int k = 0; k < d; k++) {
        value[0] -= at[k];
        value[k + 1] = at[k];
        slope[k] = -1;
        for (int a = 1; a <= d; a++)
            slope[a * d + k] = a == k + 1;
    }
}

/* Second order: L_a (2 L_a - 1) at corners, 4 L_a L_b at the middle of the edge ab. */
static void shape_simplex2(const slip_element_type *type, const double *at, double *value, double *slope)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    const int d = type->cell->dimension, corners = type->cell->corner_count;
    double l[4], dl[12];
    shape_simplex(type, at, l, dl);
    for (int a = 0; a < type->cell->node_count; a++) {
        const int p = a < corners ? a : edges[a - corners][0], q = a < corners ? a : edges[a - corners][1];
        value[a] = a < corners ? l[a] * (2 * l[a] - 1) : 4 * l[p] * l[q];
        for (int k = 0; k < d; k++)
            slope[a * d + k] = a < corners ? (4 * l[a] - 1) * dl[a * d + k]
                                           : 4 * (l[p] * dl[q * d + k] + l[q] * dl[p * d + k]);
    }
}

/* ---- reference places ---- */

static const double line_nodes[3][3] = {{-1}, {1}, {0}};
static const double square_nodes[8][3] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1},
                                          {0, -1},  {1, 0},  {0, 1}, {-1, 0}};
static const double triangle_nodes[6][3] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
static const double tetrahedron_nodes[10][3] = {{0, 0, 0},     {1, 0, 0},     {0, 1, 0},   {0, 0, 1},
                                                {0.5, 0, 0},   {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5},
                                                {0.5, 0, 0.5}, {0, 0.5, 0.5}};
static const double cube_nodes[20][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1},
                                         {1, -1, 1},   {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
                                         {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},
                                         {-1, 0, 1},   {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0}};

/* ---- Gauss points ---- */

#define TWO_POINTS 0.57735026918962576451        /* 1/sqrt(3) */
#define THREE_POINTS 0.77459666924148337704      /* sqrt(3/5) */
#define TETRAHEDRON_SCALE 0.44721359549995793928 /* 1/sqrt(5) */

/* Two in each direction, in the order of the corners. */
static double corner_point(const double *corner, int d, double *at)
{
    for (int k = 0; k < d; k++)
        at[k] = corner[k] * TWO_POINTS;
    return 1;
}

static double line_2(int g, double *at)
{
    return corner_point(line_nodes[g], 1, at);
}

static double square_2(int g, double *at)
{
    return corner_point(square_nodes[g], 2, at);
}

static double cube_2(int g, double *at)
{
    return corner_point(cube_nodes[g], 3, at);
}

/* Three in each direction, with the weights 5/9, 8/9, 5/9. */
static double three_each(int g, int d, double *at)
{
    double weight = 1;
    for (int k = 0; k < d; k++, g /= 3) {
        at[k] = (g % 3 - 1) * THREE_POINTS;
        weight *= g % 3 == 1 ? 8.0 / 9 : 5.0 / 9;
    }
    return weight;
}

static double line_3(int g, double *at)
{
    return three_each(g, 1, at);
}

static double square_3(int g, double *at)
{
    return three_each(g, 2, at);
}

static double cube_3(int g, double *at)
{
    return three_each(g, 3, at);
}

/* The place whose coordinates L are all `others` but number g, which makes up the rest; of triangles (d = 2)
 * and tetrahedra. */
static void simplex_place(int g, int d, double others, double *at)
{
    for (int k = 0; k < d; k++)
        at[k] = g == k + 1 ? 1 - d * others : others;
}

static double triangle_1(int g, double *at)
{
    simplex_place(g, 2, 1.0 / 3, at);
    return 0.5;
}

/* Of degree 2. */
static double triangle_3(int g, double *at)
{
    simplex_place(g, 2, 1.0 / 6, at);
    return 1.0 / 6;
}

/* Of degree 4 (D. A. Dunavant 1985). */
static double triangle_6(int g, double *at)
{
    simplex_place(g % 3, 2, g < 3 ? 0.44594849091596488632 : 0.09157621350977074346, at);
    return g < 3 ? 0.22338158967801146570 / 2 : 0.10995174365532186764 / 2;
}

static double tetrahedron_1(int g, double *at)
{
    simplex_place(g, 3, 0.25, at);
    return 1.0 / 6;
}

/* Of degree 2. */
static double tetrahedron_4(int g, double *at)
{
    simplex_place(g, 3, (1 - TETRAHEDRON_SCALE) / 4, at);
    return 1.0 / 24;
}

/* Of degree 5 (P. Keast 1986): the middle, four near the faces, four near the corners, six near the edges. */
static double tetrahedron_15(int g, double *at)
{
    static const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    if (g < 9) {
        simplex_place((g + 3) % 4, 3, g == 0 ? 0.25 : g < 5 ? 1.0 / 3 : 1.0 / 11, at);
        return (g == 0 ? 6544.0 / 36015 : g < 5 ? 81.0 / 2240 : 161051.0 / 2304960) / 6;
    }
    for (int k = 0; k < 3; k++) {
        const bool near = pairs[g - 9][0] == k + 1 || pairs[g - 9][1] == k + 1;
        at[k] = (1 + (near ? 1 : -1) * sqrt(7.0 / 13)) / 4;
    }
    return 338.0 / 5145 / 6;
}

static const slip_gauss line_of_2 = {2, line_2}, line_of_3 = {3, line_3};
static const slip_gauss square_of_2 = {4, square_2}, square_of_3 = {9, square_3};
static const slip_gauss cube_of_2 = {8, cube_2}, cube_of_3 = {27, cube_3};
static const slip_gauss triangle_of_1 = {1, triangle_1}, triangle_of_3 = {3, triangle_3};
static const slip_gauss triangle_of_6 = {6, triangle_6};
static const slip_gauss tetrahedron_of_1 = {1, tetrahedron_1}, tetrahedron_of_4 = {4, tetrahedron_4};
static const slip_gauss tetrahedron_of_15 = {15, tetrahedron_15};

/* ---- bricks of eight nodes ---- */

static void brick_stiffness(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                            double *matrix)
{
    const slip_hex8_material m =
        slip_hex8_material_make(elastic->young, elastic->poisson, elastic->incompatible);
    (void)type;
    slip_hex8_stiffness(&m, points, matrix);
}

static void brick_stress(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                         const double *displacements, double *stress)
{
    const slip_hex8_material m =
        slip_hex8_material_make(elastic->young, elastic->poisson, elastic->incompatible);
    (void)type;
    slip_hex8_stress(&m, points, displacements, stress);
}

/* ---- the table ---- */

enum { LINE2, LINE3, TRI3, TRI6, QUAD4, QUAD8, TET4, TET10, HEX8, HEX20, TYPE_COUNT };

static const slip_element_type types[TYPE_COUNT] = {
    /* Lines are faces only. */
    [LINE2] = {.cell = &slip_cell_line2, .nodes = line_nodes, .shape = shape_product, .exact = &line_of_2},
    [LINE3] = {.cell = &slip_cell_line3,
               .nodes = line_nodes,
               .shape = shape_serendipity,
               .exact = &line_of_3},
    [TRI3] = {&slip_cell_tri3, triangle_nodes, shape_simplex, &triangle_of_1, &triangle_of_3, &types[TRI3],
              1.0 / 3, 0.5, slip_element_stiffness, slip_element_stress},
    [TRI6] = {&slip_cell_tri6, triangle_nodes, shape_simplex2, &triangle_of_3, &triangle_of_6, &types[TRI3],
              1.0 / 3, 0.5, slip_element_stiffness, slip_element_stress},
    [QUAD4] = {&slip_cell_quad4, square_nodes, shape_product, &square_of_2, &square_of_2, &types[QUAD4], 0,
               TWO_POINTS, slip_element_stiffness, slip_element_stress},
    [QUAD8] = {&slip_cell_quad8, square_nodes, shape_serendipity, &square_of_3, &square_of_3, &types[QUAD4],
               0, TWO_POINTS, slip_element_stiffness, slip_element_stress},
    [TET4] = {&slip_cell_tet4, tetrahedron_nodes, shape_simplex, &tetrahedron_of_1, &tetrahedron_of_4,
              &types[TET4], 0.25, TETRAHEDRON_SCALE, slip_element_stiffness, slip_element_stress},
    [TET10] = {&slip_cell_tet10, tetrahedron_nodes, shape_simplex2, &tetrahedron_of_4, &tetrahedron_of_15,
               &types[TET4], 0.25, TETRAHEDRON_SCALE, slip_element_stiffness, slip_element_stress},
    [HEX8] = {&slip_cell_hex8, cube_nodes, shape_product, &cube_of_2, &cube_of_2, &types[HEX8], 0, TWO_POINTS,
              brick_stiffness, brick_stress},
    [HEX20] = {&slip_cell_hex20, cube_nodes, shape_serendipity, &cube_of_3, &cube_of_3, &types[HEX8], 0,
               TWO_POINTS, slip_element_stiffness, slip_element_stress}};

const slip_element_type *slip_element_find(const slip_cell *cell)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (types[i].cell == cell)
            return &types[i];
    return NULL;
}
