/* Largest |q|, |v| and |a| of a motion, between its recorded samples too. */
#ifndef SLIP_RESULT_MAXIMA_H
#define SLIP_RESULT_MAXIMA_H

#include "base/memory.h"
#include "method/method.h"

typedef struct slip_maxima {
    int n;
    double *q, *v, *a; /* largest so far; negative while nothing was seen */
    double *scratch_q, *scratch_v, *scratch_a;
    /* Accelerations at the places of a search through the whole step, which all coordinates share; whether
     * they are those of this step. */
    double *inside;
    bool looked;
    int size; /* of the method's vectors: coordinates, and states behind them */
    /* So many of the first ones are searched inside steps; of the others, hundreds of amplitudes of vectors
     * of bodies, the ends of steps count. All, unless somebody says otherwise. */
    int searched;
} slip_maxima;

/* Of the first n of `size` coordinates. False when out of memory. Everything lives in the arena. */
bool slip_maxima_create(slip_maxima *maxima, slip_arena *arena, int n, int size);

/* Looks at one step. Cheap where no extremum is near: a few comparisons for each coordinate. */
void slip_maxima_step(slip_maxima *maxima, const slip_step *step);

/* Largest forces of a step that can tell them: n is twice the number of contacts, q what slip_step has as
 * `forces`. */
void slip_maxima_forces(slip_maxima *maxima, const slip_step *step);

/* The largest value of a function in [low, high] by Brent's combination of golden section and parabolas (R.
 * P. Brent, Algorithms for minimization without derivatives, 1973, ch. 5). The place is found to 3e-5 of the
 * bracket, hence the value to about 1e-9 of its variation there. */
double slip_largest_inside(double (*f)(void *user, double t), void *user, double low, double high);

#endif
