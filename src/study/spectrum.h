/* Lyapunov exponents: how lengths, areas, ... of small deviations grow on the average.
 *
 * The derivative D of the state over an interval, across its events (simulation/derivatives.c), takes an
 * orthonormal basis Q to D Q = Q' R: Q' is the next basis, and the averages of ln R_ii over time are the
 * exponents (G. Benettin et al., Meccanica 15, 1980). A contact that sticks, or closes without a bounce,
 * makes D singular: what differs in its slip is forgotten for good. Then R_ii is zero, for a generic basis
 * those behind the rank of D, and the exponent is minus infinity. */
#ifndef SLIP_STUDY_SPECTRUM_H
#define SLIP_STUDY_SPECTRUM_H

#include "simulation/simulation.h"

typedef struct slip_spectrum {
    int n;
    double *numbers;      /* owns the next three */
    double *basis, *next; /* n columns of n */
    double *derivative;   /* n rows of n */
    double *logs;         /* ln R_ii of each interval, n after n */
    int64_t count, capacity;
    int64_t skipped; /* intervals whose derivative is not finite: they graze */
    bool *lost;      /* minus infinity */
} slip_spectrum;

/* A basis that has nothing to do with the coordinates. Fails when out of memory; is closed in any case. */
int slip_spectrum_open(slip_context *ctx, int n, slip_spectrum *spectrum);
void slip_spectrum_close(slip_spectrum *spectrum);

/* Advances the simulation to a time and follows the basis. *rank is that of the derivative. */
int slip_spectrum_advance(slip_context *ctx, slip_spectrum *spectrum, slip_simulation *simulation,
                          double time, int *rank);

/* Follows the basis over an interval whose derivative, n rows of n, is known. */
int slip_spectrum_take(slip_context *ctx, slip_spectrum *spectrum, const double *derivative, int *rank);

/* Forgets the intervals so far, not the basis. */
void slip_spectrum_restart(slip_spectrum *spectrum);

/* Averages over intervals of this length, in falling order, those that are lost last; and standard
 * deviations, from blocks that are long enough to be independent of each other. */
void slip_spectrum_estimate(const slip_spectrum *spectrum, double interval, double *exponents,
                            double *errors);

#endif
