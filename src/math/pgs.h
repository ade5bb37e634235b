/* Contact problems of one instant or one time step: impulses p and velocities y with
 *
 *     y = G p + b,
 *
 * and one relation between p_i and y_i in each row:
 *
 * - normal:   y >= 0, p >= 0, y p = 0;
 * - tangent:  p = -B sign(y) while y is not zero, |p| <= H at y = 0. The bounds are given numbers (`normal`
 * is -1), or coefficients of the impulse of another row: B = slide max(0, p_normal - offset) and H = hold
 * max(0, p_normal - offset). H >= B.
 * - linear:   p = -(slope y + constant), a smooth law around a point.
 *
 * G is symmetric and at least positive semidefinite where contacts are physical; it need not be here. One
 * contact, or one normal with its tangent, is solved in closed form; more of them by trying the states of
 * last time, by Newton's method from there (many rows), by block Gauss-Seidel with exact solution for the
 * states that it finds, and by Lemke's method. Impulses that are not unique are those nearest to the ones of
 * last time.
 */
#ifndef SLIP_MATH_PGS_H
#define SLIP_MATH_PGS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum slip_pgs_kind { SLIP_PGS_NORMAL, SLIP_PGS_TANGENT, SLIP_PGS_LINEAR } slip_pgs_kind;

typedef struct slip_pgs_row {
    slip_pgs_kind kind;
    int normal; /* of a tangent: the row of its normal impulse, or -1; a normal comes before its tangent */
    double hold, slide, offset;
    double slope, constant; /* of a linear row; slope >= 0 */
} slip_pgs_row;

/* What a row is doing. */
typedef enum slip_pgs_state {
    SLIP_PGS_OPEN,  /* normal: p = 0 */
    SLIP_PGS_ZERO,  /* y = 0: a closed normal, a tangent that sticks */
    SLIP_PGS_PLUS,  /* tangent: y > 0 */
    SLIP_PGS_MINUS, /* tangent: y < 0 */
    SLIP_PGS_SMOOTH /* linear */
} slip_pgs_state;

typedef struct slip_pgs_problem {
    int m;
    const double *gram;    /* G, m x m */
    const double *initial; /* b */
    const slip_pgs_row *rows;
} slip_pgs_problem;

/* In: where to start. Out: the solution; y of a row in state ZERO is exactly zero. */
typedef struct slip_pgs_solution {
    double *p, *y;
    slip_pgs_state *states;
} slip_pgs_solution;

/* Larger problems do without Lemke's method, whose tableau would be huge. */
enum { slip_pgs_lemke_most = 120 };

/* Memory for slip_pgs_solve, and for its parts. */
typedef struct slip_pgs_memory {
    double *numbers;
    int *indices;
} slip_pgs_memory;
int64_t slip_pgs_numbers(int m);
int64_t slip_pgs_indices(int m);

/* Solves the problem and returns the residual, which the caller judges: 1e-12 of the velocities or so when
 * all is well. */
double slip_pgs_solve(const slip_pgs_problem *problem, slip_pgs_solution *solution, slip_pgs_memory *memory);

/* By how much p violates the relations, as a velocity: impulses are multiplied by the diagonal of G. */
double slip_pgs_residual(const slip_pgs_problem *problem, const double *p);

/* The row that violates them most. */
int slip_pgs_worst(const slip_pgs_problem *problem, const double *p);

/* One row alone, with r the velocity without its own impulse and g > 0 its diagonal entry of G; `load` is 1
 * for given bounds, else max(0, p_normal - offset). Returns the impulse. Inline: it is the innermost of
 * everything. */
static inline double slip_pgs_single(const slip_pgs_row *row, double g, double r, double load,
                                     slip_pgs_state *state)
{
    double y;
    if (row->kind == SLIP_PGS_TANGENT) {
        if (fabs(r) <= row->hold * load * g) {
            *state = SLIP_PGS_ZERO;
            return -r / g;
        }
        *state = r > 0 ? SLIP_PGS_PLUS : SLIP_PGS_MINUS;
        return r > 0 ? -row->slide * load : row->slide * load;
    }
    if (row->kind == SLIP_PGS_NORMAL) {
        *state = r < 0 ? SLIP_PGS_ZERO : SLIP_PGS_OPEN;
        return r < 0 ? -r / g : 0;
    }
    *state = SLIP_PGS_SMOOTH;
    y = (r - g * row->constant) / (1 + g * row->slope);
    /* of a steep row the impulse is the small difference of large numbers, the velocity is not */
    return g * row->slope > 1 ? (y - r) / g : -(row->slope * y + row->constant);
}

/* ---- Its parts, for tests. */

/* Sweeps until nothing changes by more than tolerance * (largest velocity), at most `most`. Returns the
 * number of sweeps, or -1 when they were not enough. */
int slip_pgs_sweep(const slip_pgs_problem *problem, slip_pgs_solution *solution, double tolerance, int most);

/* The exact solution for given states; false when it does not exist or violates the relations. */
bool slip_pgs_direct(const slip_pgs_problem *problem, slip_pgs_solution *solution, slip_pgs_memory *memory);

/* Newton's method: solves for the states, corrects those that are contradicted, at most so many times. False
 * when that does not end; p and states are then those of its last turn. */
bool slip_pgs_newton(const slip_pgs_problem *problem, slip_pgs_solution *solution, slip_pgs_memory *memory,
                     int most);

/* The problem as a linear complementarity problem (each tangent takes three unknowns: p+, p-, |y|), by
 * Lemke's method; false when that ends on a ray, when a row is linear, or when the problem is too large. */
bool slip_pgs_lemke(const slip_pgs_problem *problem, slip_pgs_solution *solution, slip_pgs_memory *memory);

#endif
