/* Largest |q|, |v|, |a| and |force| of a motion, between its recorded samples too, and the fundamental. */
#ifndef SLIP_RESULT_MAXIMA_H
#define SLIP_RESULT_MAXIMA_H

#include "base/memory.h"
#include "method/method.h"

typedef struct slip_maxima {
    int n, contact_count;
    double *q, *v, *a; /* largest so far; negative while nothing was seen */
    double *force;     /* of each contact; only slip_maxima_steady_step looks at it */
    /* Integrals of q cos(2 pi t / period) and q sin(2 pi t / period), and their length in time. */
    double period, *cosine, *sine, covered;
    double *scratch_q, *scratch_v, *scratch_a, *scratch_force;
} slip_maxima;

/* False when out of memory. Everything lives in the arena. */
bool slip_maxima_create(slip_maxima *maxima, slip_arena *arena, int n, int contact_count, double period);

/* Looks at one step. Cheap where no extremum is near: a few comparisons for each coordinate. */
void slip_maxima_step(slip_maxima *maxima, const slip_step *step);

/* Also forces and the fundamental; looks inside every step. */
void slip_maxima_steady_step(slip_maxima *maxima, const slip_step *step);

/* q_i ~ amplitude sin(2 pi t / period - lag), 0 <= lag < 2 pi. */
void slip_maxima_fundamental(const slip_maxima *maxima, int i, double *amplitude, double *lag);

#endif
