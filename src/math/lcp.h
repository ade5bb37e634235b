/* Linear complementarity problems: find z with
 *
 *     w = M z + q,   w >= 0,   z >= 0,   w . z = 0.
 *
 * Small and dense, matrices row by row. Memory is the caller's. */
#ifndef SLIP_MATH_LCP_H
#define SLIP_MATH_LCP_H

#include <stdbool.h>
#include <stdint.h>

typedef enum slip_lcp_outcome {
    SLIP_LCP_SOLVED = 0,
    SLIP_LCP_RAY = 1,  /* Lemke's path runs off to infinity; for a copositive-plus M: there is no solution */
    SLIP_LCP_LIMIT = 2 /* more pivots than a path of this size should take: rounding has led it astray */
} slip_lcp_outcome;

/* How many doubles and ints slip_lcp_lemke needs for n unknowns. */
int64_t slip_lcp_numbers(int n);
int64_t slip_lcp_indices(int n);

/* Lemke's method with the lexicographic ratio test, which cannot cycle. On anything but SLIP_LCP_SOLVED z is
 * zero. */
slip_lcp_outcome slip_lcp_lemke(int n, const double *matrix, const double *constant, double *z,
                                double *numbers, int *indices);

/* A symmetric positive definite M, which has exactly one solution: by exchanging free unknowns. `basic` says
 * which z are thought to be positive, for instance those of a problem like it, and in the end which are.
 * False where M is not positive definite, or a number is none. */
int64_t slip_lcp_definite_numbers(int n);
int64_t slip_lcp_definite_indices(int n);
bool slip_lcp_definite(int n, const double *matrix, const double *constant, bool *basic, double *z,
                       double *numbers, int *indices);

#endif
