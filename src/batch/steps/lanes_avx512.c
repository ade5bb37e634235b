/* Lanes by Dormand-Prince on vectors of 8 lanes, for any shape, or for that which the file that includes this
 * has fixed. */
#ifndef SLIP_STEPS_RUN
#define SLIP_STEPS_RUN slip_steps_run_avx512
#endif
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#define LANES 8
#include "batch/steps/steps_lanes.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int SLIP_STEPS_RUN; /* for other processors there is none */
#endif
