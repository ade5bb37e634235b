/* Finite eigenvalues of A x = s E x, dense and of any kind, where E may be singular: constraints with their
 * forces, unknowns without mass. */
#ifndef SLIP_MATH_PENCIL_H
#define SLIP_MATH_PENCIL_H

#include "base/context.h"

typedef struct slip_pencil {
    int size;
    double *e, *a; /* size x size, row by row; overwritten */
} slip_pencil;

typedef struct slip_spectrum {
    int count; /* of finite eigenvalues; size - count of them are infinite */
    double *real, *imaginary;
    double *vectors; /* count x size: of a pair, which stands together with the positive imaginary part first,
                      * the real part and then the imaginary part */
} slip_spectrum;

/* As long as E is singular, x is restricted to those that the rows without E allow: each round lowers the
 * index of the differential-algebraic equation E x' = A x by one. What is left is a common eigenproblem.
 * *unknown gets the largest component of what is not determined, and the status is SLIP_ERROR_SOLVER without
 * a message, where the rows without E do not determine as much as they should (A - s E is singular for every
 * s); it may be NULL. The arrays are the arena's. */
int slip_pencil_solve(slip_context *ctx, slip_pencil *pencil, slip_arena *arena, slip_spectrum *to,
                      int *unknown);

#endif
