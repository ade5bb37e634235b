/* Processes that share the work of a study, where the program is built with MPI (SLIPSTICK_MPI). */
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include "slipstick/base.h"

/* Initialises MPI and returns the processes started by `mpirun`; NULL: this is the only one. */
const slip_crew *crew_begin(int *argc, char ***argv);
/* Finalises MPI. */
void crew_end(void);
/* The processes returned by crew_begin; NULL: this is the only one. */
const slip_crew *crew_of_program(void);

#endif
