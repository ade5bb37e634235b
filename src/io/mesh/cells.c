/* The shapes of elements. */
#include "io/mesh/mesh.h"

#include <stddef.h>

/* What differs between CPE4, CPS4 and their variants is the formulation, which the model file chooses. Lines
 * are what Gmsh writes of curves: they give sets. */
static const char *const no_names[] = {NULL};
static const char *const line2_names[] = {"T3D2", "T2D2", "B31", "B21", NULL};
static const char *const line3_names[] = {"T3D3", "T2D3", "B32", "B22", NULL};
static const char *const tri3_names[] = {"CPE3", "CPS3", NULL};
static const char *const tri6_names[] = {"CPE6", "CPS6", NULL};
static const char *const quad4_names[] = {"CPE4", "CPS4", NULL};
static const char *const quad8_names[] = {"CPE8", "CPS8", NULL};
static const char *const tet4_names[] = {"C3D4", NULL};
static const char *const tet10_names[] = {"C3D10", NULL};
static const char *const hex8_names[] = {"C3D8", NULL};
static const char *const hex20_names[] = {"C3D20", NULL};

/* Gmsh numbers the edges of a tetrahedron 01 12 20 03 23 13, of a brick 01 03 04 12 15 23 26 37 45 47 56 67.
 */
static const int line3_abaqus[] = {0, 2, 1}; /* the middle is between the ends */
static const int tet10_gmsh[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
static const int hex20_gmsh[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};

const slip_cell slip_cell_point1 = {
    .name = "point1", .node_count = 1, .corner_count = 1, .gmsh = 15, .vtk = 1, .abaqus = no_names};
const slip_cell slip_cell_line2 = {.name = "line2",
                                   .dimension = 1,
                                   .node_count = 2,
                                   .corner_count = 2,
                                   .gmsh = 1,
                                   .vtk = 3,
                                   .abaqus = line2_names};
const slip_cell slip_cell_line3 = {.name = "line3",
                                   .dimension = 1,
                                   .node_count = 3,
                                   .corner_count = 2,
                                   .gmsh = 8,
                                   .vtk = 21,
                                   .abaqus_order = line3_abaqus,
                                   .abaqus = line3_names};
const slip_cell slip_cell_tri3 = {.name = "tri3",
                                  .dimension = 2,
                                  .node_count = 3,
                                  .corner_count = 3,
                                  .face = &slip_cell_line2,
                                  .face_count = 3,
                                  .faces = {{0, 1}, {1, 2}, {2, 0}},
                                  .gmsh = 2,
                                  .vtk = 5,
                                  .abaqus = tri3_names};
const slip_cell slip_cell_tri6 = {.name = "tri6",
                                  .dimension = 2,
                                  .node_count = 6,
                                  .corner_count = 3,
                                  .face = &slip_cell_line3,
                                  .face_count = 3,
                                  .faces = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}},
                                  .gmsh = 9,
                                  .vtk = 22,
                                  .abaqus = tri6_names};
const slip_cell slip_cell_quad4 = {.name = "quad4",
                                   .dimension = 2,
                                   .node_count = 4,
                                   .corner_count = 4,
                                   .face = &slip_cell_line2,
                                   .face_count = 4,
                                   .faces = {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                                   .gmsh = 3,
                                   .vtk = 9,
                                   .abaqus = quad4_names};
const slip_cell slip_cell_quad8 = {.name = "quad8",
                                   .dimension = 2,
                                   .node_count = 8,
                                   .corner_count = 4,
                                   .face = &slip_cell_line3,
                                   .face_count = 4,
                                   .faces = {{0, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 0, 7}},
                                   .gmsh = 16,
                                   .vtk = 23,
                                   .abaqus = quad8_names};
const slip_cell slip_cell_tet4 = {.name = "tet4",
                                  .dimension = 3,
                                  .node_count = 4,
                                  .corner_count = 4,
                                  .face = &slip_cell_tri3,
                                  .face_count = 4,
                                  .faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                                  .gmsh = 4,
                                  .vtk = 10,
                                  .abaqus = tet4_names};
const slip_cell slip_cell_tet10 = {
    .name = "tet10",
    .dimension = 3,
    .node_count = 10,
    .corner_count = 4,
    .face = &slip_cell_tri6,
    .face_count = 4,
    .faces = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 3, 2, 7, 9, 6}},
    .gmsh = 11,
    .vtk = 24,
    .gmsh_order = tet10_gmsh,
    .abaqus = tet10_names};
const slip_cell slip_cell_hex8 = {
    .name = "hex8",
    .dimension = 3,
    .node_count = 8,
    .corner_count = 8,
    .face = &slip_cell_quad4,
    .face_count = 6,
    .faces = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    .gmsh = 5,
    .vtk = 12,
    .abaqus = hex8_names};
const slip_cell slip_cell_hex20 = {.name = "hex20",
                                   .dimension = 3,
                                   .node_count = 20,
                                   .corner_count = 8,
                                   .face = &slip_cell_quad8,
                                   .face_count = 6,
                                   .faces = {{0, 3, 2, 1, 11, 10, 9, 8},
                                             {4, 5, 6, 7, 12, 13, 14, 15},
                                             {0, 1, 5, 4, 8, 17, 12, 16},
                                             {1, 2, 6, 5, 9, 18, 13, 17},
                                             {2, 3, 7, 6, 10, 19, 14, 18},
                                             {3, 0, 4, 7, 11, 16, 15, 19}},
                                   .gmsh = 17,
                                   .vtk = 25,
                                   .gmsh_order = hex20_gmsh,
                                   .abaqus = hex20_names};

const slip_cell *const slip_cells[] = {&slip_cell_point1, &slip_cell_line2, &slip_cell_line3, &slip_cell_tri3,
                                       &slip_cell_tri6,   &slip_cell_quad4, &slip_cell_quad8, &slip_cell_tet4,
                                       &slip_cell_tet10,  &slip_cell_hex8,  &slip_cell_hex20, NULL};
