/* The point of least size within limits that may depend on it. For given h the problem is convex: the x with
 * the smallest sum of squares that has
 *
 *     E x = e   and   D x <= h.
 *
 * Here h = c + (D - A) x, with the same x: limits A x <= c of which only the part D is felt by x. (Friction
 * is limited by the normal force, but does not change it where it comes to its limit.) With D = A it is the
 * point of least size in a polyhedron.
 *
 * Small and dense, matrices row by row. Where some of the limits are met with equality the others do not
 * matter, and x is a linear function of e and c: slip_least_fixed is that function. slip_least_find finds out
 * which, in the manner of the dual method of D. Goldfarb and A. Idnani (Math. Programming 27, 1983), which
 * needs no point to start from and tells when there is none. Memory is the caller's. */
#ifndef SLIP_MATH_LEAST_H
#define SLIP_MATH_LEAST_H

#include <stdbool.h>
#include <stdint.h>

typedef struct slip_least_problem {
    int n;              /* unknowns */
    int equation_count; /* may depend on each other: those that do are left out */
    int limit_count;
    const double *equations;   /* E */
    const double *limits;      /* A */
    const double *pulls;       /* D */
    const double *right;       /* e, `count` numbers for each row */
    const double *limit_right; /* c, likewise */
    int count;                 /* of right sides; slip_least_find takes one */
    double nearest;            /* squared sines of angles between limits that are dependence; 0: 1e-9 */
} slip_least_problem;

/* How many doubles and ints the functions below need. */
int64_t slip_least_numbers(int n, int equation_count, int limit_count);
int64_t slip_least_indices(int n, int limit_count);

/* x (n x count) with the `active` limits met as equations, and their multipliers u (limit_count x count, zero
 * where not active): x + E^T (...) + D^T u = 0. Returns how many of the equations are independent; -1 when an
 * active limit depends on them or on another one. */
int slip_least_fixed(const slip_least_problem *problem, const bool *active, double *x, double *multipliers,
                     double *numbers, int *indices);

/* Finds the active limits. False when there is no such point: then x violates a limit, and `blocking`
 * (limit_count entries, not read) says which limits exclude each other. `multipliers` as above. */
bool slip_least_find(const slip_least_problem *problem, bool *active, bool *blocking, double *x,
                     double *multipliers, double *numbers, int *indices);

#endif
