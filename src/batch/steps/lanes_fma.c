/* Lanes by Dormand-Prince one by one, with fused products that the processor has. */
#define SLIP_STEPS_RUN slip_steps_run_fma
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("fma"))), apply_to = function)
#else
#pragma GCC target("fma")
#endif
#include "batch/steps/steps_lanes.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int SLIP_STEPS_RUN; /* for other processors there is none */
#endif
