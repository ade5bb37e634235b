/* Processes that share the work of a study, where the program is built with MPI (SLIPSTICK_MPI). */
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include "slipstick/base.h"

/* Joins the processes that `mpirun` has started. NULL: this one is alone. */
const slip_crew *crew_begin(int *argc, char ***argv);
/* Leaves them. */
void crew_end(void);
/* The processes that crew_begin has found; NULL: this one is alone. */
const slip_crew *crew_of_program(void);

#endif
