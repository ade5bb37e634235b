/* What one wave gives to a cyclic body: its modes, its part of the flexibility, its integrals. */
#ifndef SLIP_FLEX_CYCLIC_WAVE_H
#define SLIP_FLEX_CYCLIC_WAVE_H

#include "flex/cyclic.h"

/* What is known of one wave. */
typedef struct slip_wave_result {
    slip_arena of_modes, arena; /* of what is found anew with more modes, and of the rest */
    int harmonic;
    bool antisymmetric;
    bool flexible; /* its part of the flexibility is done */
    int have, want;
    int64_t most; /* unknowns: it cannot have more modes */
    double *values;
    double *vectors; /* real parts of all, then imaginary parts: each 3 node_count */
    bool complex;
    int64_t solves;
    double residual;
    double *flexibility, *inner; /* its part, weighted */
    double *imaginary;           /* of the flexibility; NULL where it is zero or not asked for */
    double *rotation, *spread;   /* of the modes; NULL where they are zero */
    double *coriolis, *softening;
    double *static_rotation, *static_spread; /* of the loaded nodes; NULL where zero */
    double *field;                           /* real part, then imaginary part: 3 node_count each */
    int status;
    char message[400];
} slip_wave_result;

/* Vectors of the basis for so many modes. */
int slip_wave_basis(int modes);

/* Finds `want` modes, and the flexibility unless it is there. One context for each thread. */
int slip_wave_result_solve(slip_context *ctx, const slip_sector *sector, const slip_cyclic_options *options,
                           slip_wave_result *result);
void slip_wave_result_free(slip_wave_result *result);

#endif
