/* Generated meshes: blocks of quadrilaterals or triangles, in space of bricks or tetrahedra. */
#ifndef SLIP_FEM_BLOCK_H
#define SLIP_FEM_BLOCK_H

#include "io/mesh/mesh.h"

enum { slip_block_elements_max = 1000000 }; /* of a block */

/* Maps (r, s) of the unit square to a point of the plane. A negative return value is an error. */
typedef int (*slip_block_map)(void *user, double r, double s, double point[2]);

/* The cell of that dimension and name (NULL: "quad4" or "hex8"). If there is none: NULL, and *names lists all
 * names, ended by NULL. */
const slip_cell *slip_block_cell(int dimension, const char *name, const char *const **names);

/* columns x rows quadrilaterals, or as many pairs of triangles, whose diagonals alternate. Middle nodes are
 * mapped too: edges of second order follow a curved block. The sets (edges and their nodes) are `left` (r =
 * 0), `right` (r = 1), `bottom` (s = 0) and `top` (s = 1). */
int slip_block_create(slip_context *ctx, const slip_cell *cell, int columns, int rows, slip_block_map map,
                      void *user, slip_mesh **mesh);

/* elements[0] x elements[1] x elements[2] bricks, or six tetrahedra in each, over a cuboid (x from, x to, y
 * from, ...). The sets (faces and their nodes) are `left` and `right` along x, `front` and `back` along y,
 * `bottom` and `top` along z. */
int slip_block_create_solid(slip_context *ctx, const slip_cell *cell, const int elements[3],
                            const double range[6], slip_mesh **mesh);

/* Maps for a rectangle (user: const double[4], x from, x to, y from, y to) and for a quadrilateral by its
 * corners, counter-clockwise from the one of left and bottom (user: const double[8]). */
int slip_block_rectangle(void *user, double r, double s, double point[2]);
int slip_block_corners(void *user, double r, double s, double point[2]);

#endif
