/* Checks of a mesh before it is used, and its boundary. */
#ifndef SLIP_FEM_CHECK_H
#define SLIP_FEM_CHECK_H

#include "io/mesh/mesh.h"

/* Fails unless every element has a known type and a positive Jacobian, every node belongs to an element, no
 * face to more than two, and all elements are connected by faces. owner: start of the message ("body
 * `upper`"). (*boundary)[slip_cell_faces_max * element + face], allocated: the face is on the boundary. */
int slip_mesh_check(slip_context *ctx, const char *owner, const slip_mesh *mesh, bool **boundary);

#endif
