/* Lanes by Dormand-Prince on vectors of 4 lanes, for one coordinate and one contact. */
#include "batch/lanes_111.h"
#define SLIP_STEPS_RUN slip_steps_run_avx2_11
#include "batch/steps/lanes_avx2.c"
