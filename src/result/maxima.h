/* The largest |q|, |v| and |a| of a motion, also between recorded samples. */
#ifndef SLIP_RESULT_MAXIMA_H
#define SLIP_RESULT_MAXIMA_H

#include "base/memory.h"
#include "method/method.h"

typedef struct slip_maxima {
    int n;
    double *q, *v, *a; /* largest so far; negative before the first step */
    double *scratch_q, *scratch_v, *scratch_a;
    /* inside: accelerations at the points of a search through a whole step, shared by all coordinates;
     * looked: they are those of the present step. */
    double *inside;
    bool looked;
    int size; /* of the method's vectors: coordinates, then states */
    /* The first `searched` coordinates are searched inside steps (default: all); for the others, hundreds of
     * amplitudes of vectors of bodies, only the ends of steps count. */
    int searched;
} slip_maxima;

/* Of the first n of `size` coordinates. False when out of memory. Everything lives in the arena. */
bool slip_maxima_create(slip_maxima *maxima, slip_arena *arena, int n, int size);

/* Updates the maxima by one step. If no extremum is near it costs a few comparisons for each coordinate. */
void slip_maxima_step(slip_maxima *maxima, const slip_step *step);

/* Updates the largest contact forces by a step with `forces`: n is twice the number of contacts. */
void slip_maxima_forces(slip_maxima *maxima, const slip_step *step);

/* The largest value of a function in [low, high] by Brent's combination of golden section and parabolas (R.
 * P. Brent, Algorithms for minimization without derivatives, 1973, ch. 5). The time is found to 3e-5 of the
 * bracket, hence the value to about 1e-9 of its variation there. */
double slip_largest_inside(double (*f)(void *user, double t), void *user, double low, double high);

#endif
