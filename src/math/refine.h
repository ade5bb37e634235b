/* One eigenvalue of A x = s E x, dense and of any kind, to the accuracy that its own entries allow. */
#ifndef SLIP_MATH_REFINE_H
#define SLIP_MATH_REFINE_H

/* Improves an eigenvalue by inverse iteration and the Rayleigh quotient of both vectors, and returns the
 * error that rounding of each entry of A and E by itself makes of it. Where entries lie many decades apart
 * that is far less than a part of the largest eigenvalue, which is all that a common solver promises.
 * Infinite, with the eigenvalue as it was, where that does not converge; NAN when out of memory. Matrices row
 * by row. */
double slip_refine_eigenvalue(int size, const double *e, const double *a, double *real, double *imaginary);

#endif
