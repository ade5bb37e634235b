/* The contact problem, the one form in which forces and impulses of contacts are asked for:
 *
 *     y = G p + b
 *
 * with G = W^T M^-1 W (or a compliance), and laws between p and y: blocks, most of them of one row.
 *
 * - normal:   y >= 0, p >= 0, y p = 0;
 * - friction: p = -B sign(y) while y is not zero, |p| <= H at y = 0. The bounds are given numbers (`normal`
 *   is -1), or coefficients of the impulse of another row: B = slide max(0, p_normal - offset) and H = hold
 *   max(0, p_normal - offset). H >= B.
 * - linear:   p = -(slope y + constant), a smooth law around a point;
 * - plane:    friction of more than one dimension (plane.h), with bounds as above; it stands at its first
 * row, the others are parts of it.
 *
 * G is symmetric and at least positive semidefinite where contacts are physical; it need not be here. p are
 * impulses and y velocities, or forces and accelerations, or forces and displacements.
 *
 * One contact, or one normal with its friction, is solved in closed form; more of them by trying the states
 * of last time, by Newton's method from there (many rows), by block Gauss-Seidel with exact solution for the
 * states that it finds, and by Lemke's method. Impulses that are not unique are those nearest to the ones of
 * last time. Planes take turns with all other rows (rounds.c). */
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

/* What a row is doing. */
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
    int planes;   /* how many of them are planes */
    double floor; /* velocities much below this are rounding: what b is a difference of; or 0 */
} slip_contact_problem;

/* In: where to start. Out: the solution; y of a row in state ZERO is exactly zero. */
typedef struct slip_contact_solution {
    double *p, *y;
    slip_block_state *states;
} slip_contact_solution;

/* Larger problems do without Lemke's method, whose tableau would be huge. */
enum { slip_contact_pivot_most = 120 };

/* Memory for slip_contact_solve and its parts, of m rows at most; with planes among them or not, and for
 * slip_contact_search. */
typedef struct slip_contact_memory {
    double *numbers;
    int *indices;
    slip_block *blocks;
    slip_block_state *states;
    bool *flags;
    double *saved;
    /* Equations of the states that were solved last, and their factors. */
    int known; /* how many; 0: none */
    bool unique;
    double *equations, *factors, *scales;
    int *pivots;
    /* The last problem had planes and needed the way that is sure. Those like it settle better by the same
     * way: the caller forgets it where another one begins. */
    bool sure;
} slip_contact_memory;
/* With room for blocks of more than one row, and for slip_contact_search. */
bool slip_contact_memory_create(slip_arena *arena, int m, bool planes, bool search,
                                slip_contact_memory *memory);

/* Solves the problem and returns the residual, which the caller judges: 1e-12 of the velocities or so when
 * all is well. It is that of the rows of one dimension; planes are solved to rounding, or it is INFINITY (to
 * judge one that sticks takes as long as to solve it). */
double slip_contact_solve(const slip_contact_problem *problem, slip_contact_solution *solution,
                          slip_contact_memory *memory);

/* The same for itself, whatever came before (search.c): all sets of states are tried where they are few, and
 * impulses that are not unique are the least within their limits. Rows are normals, each followed by its
 * friction where it has some, and friction with given bounds; no linear ones. False when nothing obeys the
 * laws. */
bool slip_contact_search(const slip_contact_problem *problem, slip_contact_solution *solution,
                         slip_contact_memory *memory);

/* ---- The judge (judge.c): it knows nothing of states, modes or solvers. */

/* By how much p and y violate the law of a block, as a velocity: an impulse counts g times. `load` is 1 for
 * given bounds, else max(0, p_normal - offset). */
double slip_block_residual(const slip_block *block, double g, double load, double p, double y);

/* The largest of these, with the diagonal of G; and its row. */
double slip_contact_residual(const slip_contact_problem *problem, const double *p);
int slip_contact_worst(const slip_contact_problem *problem, const double *p);

/* ---- What its solvers share. */

/* The normal impulse that friction is in proportion to. */
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

/* The size of the velocities that the problem is about; residuals up to `accepted` are rounding. */
double slip_contact_size(const slip_contact_problem *problem);
static inline double slip_contact_accepted(const slip_contact_problem *problem)
{
    return 1e-11 * slip_contact_size(problem);
}

/* The velocities of the solution's impulses. */
void slip_contact_fill(const slip_contact_problem *problem, slip_contact_solution *solution);

/* One row alone, with r the velocity without its own impulse and g > 0 its diagonal entry of G; `load` is 1
 * for given bounds, else max(0, p_normal - offset). Returns the impulse. Inline: it is the innermost of
 * everything. */
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
    /* of a steep row the impulse is the small difference of large numbers, the velocity is not */
    return g * row->slope > 1 ? (y - r) / g : -(row->slope * y + row->constant);
}

/* Sweeps until nothing changes by more than tolerance * (largest velocity), at most `most`. Returns the
 * number of sweeps, or -1 when they were not enough. */
int slip_contact_sweep(const slip_contact_problem *problem, slip_contact_solution *solution, double tolerance,
                       int most);

/* newton.c: do the states say what impulses and velocities do, up to velocities of `slack`? */
bool slip_contact_consistent(const slip_contact_problem *problem, const slip_contact_solution *solution,
                             const double *p, double slack);

/* The exact solution for given states; false when it does not exist or violates the laws. */
bool slip_contact_direct(const slip_contact_problem *problem, slip_contact_solution *solution,
                         slip_contact_memory *memory);

/* Newton's method: solves for the states, corrects those that are contradicted, at most so many times. False
 * when that does not end; p and states are then those of its last turn. */
bool slip_contact_newton(const slip_contact_problem *problem, slip_contact_solution *solution,
                         slip_contact_memory *memory, int most);

/* pivot.c: the problem as a linear complementarity problem (each friction takes three unknowns: p+, p-, |y|),
 * by Lemke's method; false when that ends on a ray, when a row is linear, or when the problem is too large.
 */
bool slip_contact_pivot(const slip_contact_problem *problem, slip_contact_solution *solution,
                        slip_contact_memory *memory);

/* rounds.c: a problem with planes, and how much memory that takes. */
double slip_contact_rounds(const slip_contact_problem *problem, slip_contact_solution *solution,
                           slip_contact_memory *memory);
int64_t slip_contact_rounds_numbers(int m);
int64_t slip_contact_search_numbers(int m);
int64_t slip_contact_search_indices(int m);

#endif
