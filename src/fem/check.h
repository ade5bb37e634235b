/* Checks of a mesh before it is used, and its boundary. */
#ifndef SLIP_FEM_CHECK_H
#define SLIP_FEM_CHECK_H

#include "io/mesh/mesh.h"

/* Every element has a known type and is not inside out, every node belongs to an element, no face to more
 * than two, and all elements hang together by their faces. `owner` ("body `upper`") starts the message.
 * (*boundary)[slip_cell_faces_max * element + face], allocated, says that no other element has this face. */
int slip_mesh_check(slip_context *ctx, const char *owner, const slip_mesh *mesh, bool **boundary);

#endif
