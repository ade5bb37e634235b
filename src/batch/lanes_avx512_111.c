/* The engine on vectors of 8 lanes, for one coordinate, one contact and one wave. */
#include "batch/lanes_111.h"
#define SLIP_BATCH_RUN slip_batch_run_avx512_111
#include "batch/lanes_avx512.c"
