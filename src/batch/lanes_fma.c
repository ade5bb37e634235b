/* The engine for one lane on processors that round products and sums once by an instruction: elsewhere a
 * function does it, with the same bits. */
#ifdef __x86_64__
#define SLIP_BATCH_RUN slip_batch_run_fma
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("fma"))), apply_to = function)
#else
#pragma GCC target("fma")
#endif
#include "batch/engine_lanes.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int slip_batch_run_fma; /* for other processors there is none */
#endif
