/* Forward and backward substitution with a supernodal factor, for blocks of right-hand sides and in parallel.
 *
 * The elimination tree is cut into subtrees of about a sixteenth of the factor each, and the few supernodes
 * above them. Subtrees are independent of each other: each is worked through by one thread. What one adds to
 * rows above it falls on the rows of its root, and is summed up there. Above, threads share the columns. The
 * cuts do not depend on the number of threads, nor does a bit of the solution. */
#ifndef SLIP_MATH_SUBSTITUTE_H
#define SLIP_MATH_SUBSTITUTE_H

#include "math/factor.h"

typedef struct slip_substitution slip_substitution;

/* Keeps the pointers of the factor, which must outlive it. NULL: no memory. */
slip_substitution *slip_substitution_create(slip_supernodes factor);
void slip_substitution_destroy(slip_substitution *substitution);

/* As slip_factor_solve. Where `from` is given, the right-hand sides are zero but for these unknowns: the way
 * up needs only the supernodes between them and the root of the tree. Where `at` is given, the solution is
 * wanted there only, and the rest of it is of no use: the same holds for the way down. Either may be NULL:
 * all. False: no memory. */
bool slip_substitution_solve(slip_substitution *substitution, const slip_unknowns *from,
                             const slip_unknowns *at, int64_t count, const double *right, double *solution);

/* The two halves of a solve for one right-hand side: y = L^-1 P right in the order of the factor, and
 * solution = P^T L^-T y. False: no memory, in the first call only. */
bool slip_substitution_up(slip_substitution *substitution, const double *right, double *y);
bool slip_substitution_down(slip_substitution *substitution, const double *y, double *solution);

#endif
