/* The contribution of one wave to a cyclic body: its eigenmodes, flexibility and inertia integrals. */
#ifndef SLIP_FLEX_CYCLIC_WAVE_H
#define SLIP_FLEX_CYCLIC_WAVE_H

#include "flex/cyclic.h"

/* The results of one wave so far. */
typedef struct slip_wave_result {
    slip_arena of_modes, arena; /* of results that change with more modes; of all others */
    int harmonic;
    bool antisymmetric;
    bool flexible; /* its part of the flexibility has been computed */
    int have, want;
    int64_t most; /* number of unknowns, an upper limit of its modes */
    double *values;
    double *vectors; /* real parts of all, then imaginary parts: each 3 node_count */
    bool complex;
    int64_t solves;
    double residual;
    double *flexibility, *inner; /* its weighted parts of K^-1 and K^-1 M K^-1 */
    double *imaginary;           /* imaginary part of the flexibility; NULL where it is zero or not needed */
    double *rotation, *spread;   /* of the modes; NULL where they are zero */
    double *coriolis, *softening;
    double *static_rotation, *static_spread; /* of the loaded nodes; NULL where zero */
    double *field;                           /* real part, then imaginary part: 3 node_count each */
    int status;
    char message[400];
} slip_wave_result;

/* The number of Lanczos vectors for this number of modes. */
int slip_wave_basis(int modes);

/* Computes result->want modes, and the flexibility if it has not been computed yet. Each thread needs a
 * context of its own. */
int slip_wave_result_solve(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                           slip_wave_result *result);
void slip_wave_result_free(slip_wave_result *result);

#endif
