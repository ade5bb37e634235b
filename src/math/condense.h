/* C = B A^-1 B^T for sparse rows B, from the factor of A. */
#ifndef SLIP_MATH_CONDENSE_H
#define SLIP_MATH_CONDENSE_H

#include "math/factor.h"

/* `count` rows: row i has the entries value[k] at unknown[k] for k from start[i] to start[i + 1] - 1. Rows
 * that are near each other in the problem should be near each other in the list. `compliance` is count x
 * count and exactly symmetric; the same bits for any number of our threads (those of OpenBLAS change
 * rounding). */
int slip_condense_rows(slip_context *ctx, const slip_factor *factor, int64_t count, const int64_t *start,
                       const int64_t *unknown, const double *value, double *compliance);

#endif
