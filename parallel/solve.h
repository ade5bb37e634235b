/* Eigenmodes and static displacements of bodies by SLEPc, PETSc and MUMPS. */
#ifndef SLIP_PARALLEL_SOLVE_H
#define SLIP_PARALLEL_SOLVE_H

#include <petscsys.h>

#include "slipstick/pieces.h"

/* The lowest `count` frequencies in Hz, ascending, on all processes; of rigid motions 0. Fails where fewer
 * are found. *residual is the largest |K x - omega^2 M x| over |omega^2 x|. */
PetscErrorCode solve_modes(const slip_pieces *pieces, int count, double *frequencies, double *residual);

/* Displacements of all unknowns under the loads, which are the same on all processes; on the first process,
 * elsewhere nothing is written. */
PetscErrorCode solve_statics(const slip_pieces *pieces, const double *load, double *displacements);

#endif
