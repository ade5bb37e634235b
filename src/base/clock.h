/* A clock that only goes forward, in seconds. */
#ifndef SLIP_BASE_CLOCK_H
#define SLIP_BASE_CLOCK_H

#include <time.h>

static inline double slip_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
