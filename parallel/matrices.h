/* Stiffness and mass of bodies as matrices of PETSc, whose rows are spread over the processes. */
#ifndef SLIP_PARALLEL_MATRICES_H
#define SLIP_PARALLEL_MATRICES_H

#include <petscmat.h>

#include "slipstick/pieces.h"

/* Every process assembles the elements whose first unknown is in its rows. `mass` may be NULL. *mean, unless
 * NULL, is the trace of the stiffness over that of the mass. */
PetscErrorCode matrices_assemble(const slip_pieces *pieces, Mat *stiffness, Mat *mass, double *mean);

#endif
