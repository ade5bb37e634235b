/* What the benches share: a clock, and the end of a bench that cannot go on. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "slipstick/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CLOCK_MONOTONIC for time that passes, CLOCK_PROCESS_CPUTIME_ID for time of processors. */
static inline double bench_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double bench_seconds(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

_Noreturn static inline void bench_fail(const slip_context *ctx)
{
    fprintf(stderr, "%s\n", slip_context_message(ctx));
    exit(1);
}

static inline void bench_check(const slip_context *ctx, int status)
{
    if (status < 0)
        bench_fail(ctx);
}

#endif
