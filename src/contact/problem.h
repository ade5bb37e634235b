/* The contact problem, the one form in which contact forces and impulses are computed:
 *
 *     y = G p + b
 *
 * with G = W^T M^-1 W (or a compliance matrix), and a law between p and y for each block of rows, most of one
 * row:
 *
 * - normal:   y >= 0, p >= 0, y p = 0;
 * - friction: p = -B sign(y) while y is not zero, |p| <= H at y = 0. The bounds are given numbers (`normal`
 *   is -1), or coefficients of the impulse of another row: B = slide max(0, p_normal - offset) and H = hold
 *   max(0, p_normal - offset). H >= B.
 * - linear:   p = -(slope y + constant), a smooth law around a point;
 * - plane: friction of more than one dimension (plane.h), with bounds as above. The first of its rows has
 * this kind, the others are of kind PART.
 *
 * Physical contacts have a symmetric positive semidefinite G; the solvers do not require it. p are impulses
 * and y velocities, or forces and accelerations, or forces and displacements.
 *
 * One contact, or one normal with its friction, is solved in closed form; more of them by trying the previous
 * states, by Newton's method from there (many rows), by block Gauss-Seidel with an exact solution for the
 * states that it finds, and by Lemke's method. Of several solutions the one nearest to the previous impulses
 * is taken. Planes and all other rows are solved alternately (rounds.c). */
#ifndef SLIP_CONTACT_PROBLEM_H
#define SLIP_CONTACT_PROBLEM_H

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum slip_block_kind {
    SLIP_BLOCK_NORMAL,
    SLIP_BLOCK_FRICTION,
    SLIP_BLOCK_LINEAR,
    SLIP_BLOCK_PLANE,
    SLIP_BLOCK_PART
} slip_block_kind;

typedef struct slip_block {
    slip_block_kind kind;
    int normal; /* of friction: the row of its normal impulse, or -1; a normal comes before its friction */
    double hold, slide, offset;
    double slope, constant; /* of a linear row; slope >= 0 */
    struct slip_plane *plane;
} slip_block;

/* The state of a row: which branch of its law it is on. */
typedef enum slip_block_state {
    SLIP_BLOCK_OPEN,  /* normal: p = 0 */
    SLIP_BLOCK_ZERO,  /* y = 0: a closed normal, friction that sticks, all rows of a plane that does */
    SLIP_BLOCK_PLUS,  /* friction: y > 0 */
    SLIP_BLOCK_MINUS, /* friction: y < 0 */
    SLIP_BLOCK_SMOOTH /* linear, or of a plane that slips */
} slip_block_state;

typedef struct slip_contact_problem {
    int m;
    const double *gram;    /* G, m x m */
    const double *initial; /* b */
    const slip_block *rows;
    int planes;   /* number of planes among the blocks */
    double floor; /* size of the terms of b, or 0: much smaller velocities are rounding errors */
} slip_contact_problem;

/* In: initial guess. Out: the solution; y of a row in state ZERO is exactly zero. */
typedef struct slip_contact_solution {
    double *p, *y;
    slip_block_state *states;
} slip_contact_solution;

/* Largest problem for Lemke's method, whose tableau grows with the square of the size. */
enum { slip_contact_pivot_most = 120 };

/* Working memory of slip_contact_solve and slip_contact_search. */
typedef struct slip_contact_memory {
    double *numbers;
    int *indices;
    slip_block *blocks;
    slip_block_state *states;
    bool *flags;
    double *saved;
    /* Equations of the last set of states, and their factors. */
    int known; /* number of equations; 0: none */
    bool unique;
    double *equations, *factors, *scales;
    int *pivots;
    /* The last problem had planes and needed the sequence of convex problems. Similar problems then begin
     * with it; the caller resets this for a different problem. */
    bool sure;
} slip_contact_memory;
/* Allocates the memory for at most m rows. planes: also for blocks of more than one row; search: also for
 * slip_contact_search. False: out of memory. */
bool slip_contact_memory_create(slip_arena *arena, int m, bool planes, bool search,
                                slip_contact_memory *memory);

/* Solves the problem and returns the residual, usually near 1e-12 of the velocities; the caller decides
 * whether it is acceptable. It covers the rows of one dimension; planes are solved to rounding, or it is
 * INFINITY (the judge of a sticking plane costs as much as its solution). */
double slip_contact_solve(const slip_contact_problem *problem, slip_contact_solution *solution,
                          slip_contact_memory *memory);

/* Solves the problem independently of previous states (search.c): all sets of states are tried where they are
 * few, and of several solutions the one with the smallest impulses within their limits is taken. Rows may be
 * normals, each followed by its friction if any, and friction with given bounds; not linear. False where no
 * solution was found. */
bool slip_contact_search(const slip_contact_problem *problem, slip_contact_solution *solution,
                         slip_contact_memory *memory);

/* ---- The judge (judge.c), independent of states, modes and solvers. */

/* The violation of a block's law by p and y, as a velocity: impulses are multiplied by g. load: 1 for given
 * bounds, else max(0, p_normal - offset). */
double slip_block_residual(const slip_block *block, double g, double load, double p, double y);

/* The largest residual of all blocks, with g from the diagonal of G; and the row where it occurs. */
double slip_contact_residual(const slip_contact_problem *problem, const double *p);
int slip_contact_worst(const slip_contact_problem *problem, const double *p);

/* ---- Functions for the solvers. */

/* The load of a friction row: the normal impulse to which it is proportional, or 1. */
static inline double slip_block_load(const slip_block *row, const double *p)
{
    double load;
    if (row->normal < 0)
        return 1;
    load = p[row->normal] - row->offset;
    return load > 0 ? load : 0;
}

/* y of row i. */
static inline double slip_contact_velocity(const slip_contact_problem *problem, const double *p, int i)
{
    const double *g = problem->gram + (int64_t)i * problem->m;
    double y = problem->initial[i];
    for (int j = 0; j < problem->m; j++)
        y += g[j] * p[j];
    return y;
}

/* The reference size of velocities; residuals up to slip_contact_accepted are rounding errors. */
double slip_contact_size(const slip_contact_problem *problem);
static inline double slip_contact_accepted(const slip_contact_problem *problem)
{
    return 1e-11 * slip_contact_size(problem);
}

/* Computes y from p. */
void slip_contact_fill(const slip_contact_problem *problem, slip_contact_solution *solution);

/* One row alone, with r the velocity without its own impulse and g > 0 its diagonal entry of G; `load` is 1
 * for given bounds, else max(0, p_normal - offset). Returns the impulse. Inline, since it is the innermost
 * function of the sweeps. */
static inline double slip_block_alone(const slip_block *row, double g, double r, double load,
                                      slip_block_state *state)
{
    double y;
    if (row->kind == SLIP_BLOCK_FRICTION) {
        if (fabs(r) <= row->hold * load * g) {
            *state = SLIP_BLOCK_ZERO;
            return -r / g;
        }
        *state = r > 0 ? SLIP_BLOCK_PLUS : SLIP_BLOCK_MINUS;
        return r > 0 ? -row->slide * load : row->slide * load;
    }
    if (row->kind == SLIP_BLOCK_NORMAL) {
        *state = r < 0 ? SLIP_BLOCK_ZERO : SLIP_BLOCK_OPEN;
        return r < 0 ? -r / g : 0;
    }
    *state = SLIP_BLOCK_SMOOTH;
    y = (r - g * row->constant) / (1 + g * row->slope);
    /* for a steep law the impulse would be a small difference of large numbers, so it is computed from y */
    return g * row->slope > 1 ? (y - r) / g : -(row->slope * y + row->constant);
}

/* Sweeps until nothing changes by more than tolerance * (largest velocity), at most `most`. Returns the
 * number of sweeps, or -1 when they were not enough. */
int slip_contact_sweep(const slip_contact_problem *problem, slip_contact_solution *solution, double tolerance,
                       int most);

/* newton.c: whether the states agree with impulses and velocities, up to velocities of `slack`. */
bool slip_contact_consistent(const slip_contact_problem *problem, const slip_contact_solution *solution,
                             const double *p, double slack);

/* The exact solution for given states; false when it does not exist or violates the laws. */
bool slip_contact_direct(const slip_contact_problem *problem, slip_contact_solution *solution,
                         slip_contact_memory *memory);

/* Newton's method: solves for given states, changes states that contradict the solution, and repeats, at most
 * `most` times. False where it does not end; p and states are then those of the last iteration. */
bool slip_contact_newton(const slip_contact_problem *problem, slip_contact_solution *solution,
                         slip_contact_memory *memory, int most);

/* pivot.c: the problem as a linear complementarity problem (each friction takes three unknowns: p+, p-, |y|),
 * by Lemke's method; false where it ends on a ray, for linear rows, and for problems above
 * slip_contact_pivot_most. */
bool slip_contact_pivot(const slip_contact_problem *problem, slip_contact_solution *solution,
                        slip_contact_memory *memory);

/* rounds.c: solves a problem with planes; the numbers of scratch that rounds and search need. */
double slip_contact_rounds(const slip_contact_problem *problem, slip_contact_solution *solution,
                           slip_contact_memory *memory);
int64_t slip_contact_rounds_numbers(int m);
int64_t slip_contact_search_numbers(int m);
int64_t slip_contact_search_indices(int m);

#endif
