/* C = B A^-1 B^T for sparse rows B, from the factor of A; and, with P A P^T = L L^T, X = L^-1 P B^T itself,
 * of which C = X^T X: whoever solves with A and needs the rows of the solution before the solution has them
 * from the way up, B A^-1 r = X^T y with y = L^-1 P r (math/substitute.h). */
#ifndef SLIP_MATH_CONDENSE_H
#define SLIP_MATH_CONDENSE_H

#include "math/factor.h"

/* `count` rows: row i has the entries value[k] at unknown[k] for k from start[i] to start[i + 1] - 1. Rows
 * that are near each other in the problem should be near each other in the list. `compliance` is count x
 * count and exactly symmetric; the same bits for any number of our threads (those of OpenBLAS change
 * rounding). */
int slip_condense_rows(slip_context *ctx, const slip_factor *factor, int64_t count, const int64_t *start,
                       const int64_t *unknown, const double *value, double *compliance);

typedef struct slip_condensation slip_condensation;

/* X of such rows. The factor outlives it; the lists need not. */
int slip_condensation_create(slip_context *ctx, const slip_factor *factor, int64_t count,
                             const int64_t *start, const int64_t *unknown, const double *value,
                             slip_condensation **condensed);
void slip_condensation_destroy(slip_condensation *condensed);

/* X^T X, count x count. */
void slip_condensation_product(const slip_condensation *condensed, double *compliance);
/* b = X^T y, and y += X p, with y in the order of the factor. */
void slip_condensation_rows(const slip_condensation *condensed, const double *y, double *b);
void slip_condensation_add(const slip_condensation *condensed, const double *p, double *y);

#endif
