/* Static condensation to the contact directions. */
#ifndef SLIP_STATICS_CONDENSE_H
#define SLIP_STATICS_CONDENSE_H

#include "base/context.h"

/* K q = f + sum over directions row_i lambda_i,   d_i = row_i . q + offset_i.
 *
 *     q = K^-1 f + K^-1 R^T lambda,   C = R K^-1 R^T,   w = R K^-1 f + offset.
 *
 * Where K is singular, with the left and right null vectors M and N: q = K^+ (f + R^T lambda) + N z, and 0 =
 * M^T (f + R^T lambda). z is appended to lambda, and the second equation to d, as held directions. */
typedef struct slip_condense_input {
    int n;                   /* coordinates */
    const double *stiffness; /* row by row */
    const double *load;
    int row_count;
    const double *rows; /* row_count x n */
    const double *offset;
} slip_condense_input;

/* Number of null vectors of K. */
int slip_condense_nullity(slip_context *ctx, int n, const double *stiffness, int *nullity);

/* Condenses K. nullity: from slip_condense_nullity. With N = row_count + nullity: compliance C, N x N; free:
 * w, N numbers; q = base + recover lambda with base n numbers and recover n x N. *sign: of the determinant of
 * the structure. */
int slip_condense(slip_context *ctx, const slip_condense_input *input, int nullity, double *compliance,
                  double *free, double *base, double *recover, int *sign);

#endif
