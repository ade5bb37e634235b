/* The engine on vectors of 4 lanes, for any shape. */
#ifdef __x86_64__
#pragma GCC target("avx2")
#define LANES 4
#define SLIP_BATCH_RUN slip_batch_run_avx2
#include "batch/engine_lanes.c"
#else
typedef int slip_batch_run_avx2; /* for other processors there is none */
#endif
