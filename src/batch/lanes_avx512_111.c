/* The engine on vectors of 8 lanes, for one coordinate, one contact and one wave. */
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif
#define LANES 8
#define SLIP_BATCH_RUN slip_batch_run_avx512_111
#define SHAPE_Q 1
#define SHAPE_C 1
#define SHAPE_WAVES 1
#define ROOM_Q 1
#define ROOM_C 1
#define ROOM_WAVES 1
#include "batch/engine_lanes.c"
#ifdef __clang__
#pragma clang attribute pop
#endif
#else
typedef int slip_batch_run_avx512_111; /* for other processors there is none */
#endif
