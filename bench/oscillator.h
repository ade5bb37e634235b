/* What the programs of `bench/run` share: the numbers of the oscillator, the clock, the line they print. Also
 * included from C++. */
#ifndef BENCH_OSCILLATOR_H
#define BENCH_OSCILLATOR_H

#include <math.h>
#include <stdio.h>
#include <time.h>

#define OSCILLATOR_PI 3.14159265358979323846

/* u'' + damping u' + u = load sin t - friction Sign(u') */
static const double oscillator_damping = 0.1, oscillator_load = 4, oscillator_friction = 3.2;
enum { oscillator_periods = 50 };

/* Closed forms: the displacement that is held in the steady state, the first slip, the first stick. */
static const double oscillator_amplitude = 0.774878712706875795;
static const double oscillator_switches[2] = {0.9272952180016122, 2.6543667075490123};

typedef struct oscillator_turn {
    long steps, events;
    double seconds;
    double amplitude_error; /* largest over the last ten periods */
    double time_error;      /* of the first slip and the first stick */
} oscillator_turn;

static inline double oscillator_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Takes the displacement held at the end of half period k = 1, 2, ... */
static inline void oscillator_held(oscillator_turn *turn, int k, double u)
{
    if (k > 2 * (oscillator_periods - 10))
        turn->amplitude_error = fmax(turn->amplitude_error, fabs(fabs(u) - oscillator_amplitude));
}

/* Takes the time of switch k = 0, 1, ... */
static inline void oscillator_switched(oscillator_turn *turn, int k, double t)
{
    if (k < 2)
        turn->time_error = fmax(turn->time_error, fabs(t - oscillator_switches[k]));
}

static inline void oscillator_print(const oscillator_turn *turn)
{
    printf("%ld %ld %.9g %.3g %.3g\n", turn->steps, turn->events, turn->seconds, turn->amplitude_error,
           turn->time_error);
}

#endif
