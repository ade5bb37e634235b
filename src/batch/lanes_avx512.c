/* The engine on vectors of 8 lanes, for any shape. */
#ifdef __x86_64__
#pragma GCC target("avx512f")
#define LANES 8
#define SLIP_BATCH_RUN slip_batch_run_avx512
#include "batch/engine_lanes.c"
#else
typedef int slip_batch_run_avx512; /* for other processors there is none */
#endif
