/* Stiffness and mass of a mesh as sparse matrices, for the plane and for space. */
#ifndef SLIP_FEM_ASSEMBLE_H
#define SLIP_FEM_ASSEMBLE_H

#include "fem/element.h"
#include "math/sparse.h"

/* Stiffness and mass over all unknowns of a mesh, before any support: unknown dimension * node + direction.
 * The material is of the mesh's dimension (SLIP_SOLID in space) and has a density; `lumped` makes the mass
 * diagonal. Either may be NULL if it is not wanted; the caller destroys the matrices. The mesh must have
 * passed slip_mesh_check. */
int slip_mesh_matrices(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic, bool lumped,
                       slip_sparse **stiffness, slip_sparse **mass);

/* The same for some of the nodes: number[node] from 0 to count - 1, or negative where a node is left out with
 * its rows and columns; NULL for all of them. The mass has `each` uncoupled unknowns a node. */
int slip_assemble_stiffness(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic,
                            const int *number, int count, slip_sparse **stiffness);
int slip_assemble_mass(slip_context *ctx, const slip_mesh *mesh, const slip_elastic *elastic, int each,
                       const int *number, int count, slip_sparse **mass);

#endif
