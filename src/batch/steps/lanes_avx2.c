/* Lanes by Dormand-Prince on vectors of 4 lanes, for any shape, or for that which the file that includes this
 * has fixed. */
#ifndef SLIP_STEPS_RUN
#define SLIP_STEPS_RUN slip_steps_run_avx2
#endif
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define LANES 4
#include "batch/steps/steps_lanes.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int SLIP_STEPS_RUN; /* for other processors there is none */
#endif
