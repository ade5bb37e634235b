/* The equations are kept as r_i = sum over j <= i of L_ij q_j with orthonormal q_j; x0 = sum y_j q_j with
 * L y = e is the least x that obeys them, and P v = v - sum (q_j . v) q_j is what of v does not disturb them.
 * With the limits in the active set met as equations,
 *
 *     x = x0 - sum over active j of u_j P D_j,   S u = A x0 - c,   S_ij = A_i . P D_j. */
#include "math/least.h"

#include "math/dense.h"
#include "math/vector.h"

#include <math.h>
#include <string.h>

/* Sines of angles below these are dependence. */
static const double dependent_equation = 1e-10, dependent_limit = 1e-9;

typedef struct basis {
    int n, equation_count; /* the latter of those that are independent */
    int *equation;
    double *q, *l;    /* n x n */
    double *size;     /* of the rows of E, of all of them */
    double *pulled;   /* P D_j of all limits */
    double *schur;    /* A_i . P D_j of all limits */
    double *y, *rest; /* scratch of length n */
    /* Of the active limits. */
    int *active, active_count;
    double *matrix, *side; /* S, and a right side */
    double nearest;        /* as in the problem */
} basis;

int64_t slip_least_numbers(int n, int equation_count, int limit_count)
{
    int64_t k = n, m = limit_count, most = k < m ? k : m;
    return 2 * k * k + equation_count + m * k + m * m + 2 * k + most * most + m;
}

int64_t slip_least_indices(int n, int limit_count)
{
    return (int64_t)n + limit_count;
}

/* What of the row is not in the basis, into b->rest, and its length; its coefficients, into `l` (or NULL).
 * Twice is enough. */
static double remainder_of(const basis *b, const double *row, double *l)
{
    memcpy(b->rest, row, (size_t)b->n * sizeof(double));
    for (int j = 0; j < b->equation_count && l; j++)
        l[j] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < b->equation_count; j++) {
            double part = slip_dot(b->n, b->rest, b->q + j * b->n);
            if (l)
                l[j] += part;
            for (int i = 0; i < b->n; i++)
                b->rest[i] -= part * b->q[j * b->n + i];
        }
    return sqrt(slip_dot(b->n, b->rest, b->rest));
}

static bool in_use(const basis *b, int equation)
{
    for (int j = 0; j < b->equation_count; j++)
        if (b->equation[j] == equation)
            return true;
    return false;
}

/* Of the equations that are not in use the most independent one; of equals the first, also where rounding
 * makes them differ. -1: all depend. */
static int next_equation(const basis *b, const slip_least_problem *problem)
{
    int best = -1;
    double largest = dependent_equation;
    for (int i = 0; i < problem->equation_count; i++) {
        if (!(b->size[i] > 0) || in_use(b, i))
            continue;
        double ratio = remainder_of(b, problem->equations + i * b->n, NULL) / b->size[i];
        if (ratio > largest * (1 + 1e-9)) {
            largest = ratio;
            best = i;
        }
    }
    return best;
}

static void add_equations(basis *b, const slip_least_problem *problem)
{
    const int n = b->n;
    for (int i = 0; i < problem->equation_count; i++)
        b->size[i] = sqrt(slip_dot(n, problem->equations + i * n, problem->equations + i * n));
    while (b->equation_count < n) {
        int best = next_equation(b, problem), at = b->equation_count;
        double *l = b->l + at * n;
        if (best < 0)
            break;
        l[at] = remainder_of(b, problem->equations + best * n, l);
        for (int i = 0; i < n; i++)
            b->q[at * n + i] = b->rest[i] / l[at];
        b->equation[b->equation_count++] = best;
    }
}

/* The basis of the equations, and the products of the limits that are wanted (NULL: of all of them). */
static basis start(const slip_least_problem *problem, const bool *wanted, double *numbers, int *indices)
{
    const int n = problem->n, m = problem->limit_count, most = n < m ? n : m;
    basis b = {.n = n, .equation = indices, .active = indices + n, .q = numbers};
    b.nearest = problem->nearest > 0 ? problem->nearest : dependent_limit;
    b.l = b.q + n * n;
    b.size = b.l + n * n;
    b.pulled = b.size + problem->equation_count;
    b.schur = b.pulled + m * n;
    b.y = b.schur + m * m;
    b.rest = b.y + n;
    b.matrix = b.rest + n;
    b.side = b.matrix + most * most;
    add_equations(&b, problem);
    for (int j = 0; j < m; j++) {
        const double *pull = problem->pulls + j * n;
        if (wanted && !wanted[j])
            continue;
        /* what is left of a pull that the equations hold is rounding */
        if (!(remainder_of(&b, pull, NULL) > dependent_limit * sqrt(slip_dot(n, pull, pull))))
            memset(b.rest, 0, (size_t)n * sizeof(double));
        memcpy(b.pulled + j * n, b.rest, (size_t)n * sizeof(double));
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            if (!wanted || (wanted[i] && wanted[j]))
                b.schur[i * m + j] = slip_dot(n, problem->limits + i * n, b.pulled + j * n);
    return b;
}

/* x0 of right side number k. */
static void obey_equations(const basis *b, const slip_least_problem *problem, int k, double *x)
{
    const int n = b->n, count = problem->count;
    for (int i = 0; i < b->equation_count; i++) {
        double sum = problem->right[b->equation[i] * count + k];
        b->y[i] = (sum - slip_dot(i, b->l + i * n, b->y)) / b->l[i * n + i];
    }
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < b->equation_count; i++)
            sum += b->y[i] * b->q[i * n + j];
        x[j * count + k] = sum;
    }
}

/* S times what is asked for = b->side, in place. False when S is singular. */
static bool solve_active(const basis *b, int limit_count)
{
    for (int i = 0; i < b->active_count; i++)
        for (int j = 0; j < b->active_count; j++)
            b->matrix[i * b->active_count + j] = b->schur[b->active[i] * limit_count + b->active[j]];
    return slip_dense_solve_above(b->active_count, b->matrix, b->side, b->nearest);
}

/* From x0 to x, with multipliers. */
static bool obey_limits(const basis *b, const slip_least_problem *problem, int k, double *x,
                        double *multipliers)
{
    const int n = b->n, count = problem->count;
    for (int i = 0; i < b->active_count; i++) {
        const double *row = problem->limits + b->active[i] * n;
        b->side[i] = -problem->limit_right[b->active[i] * count + k];
        for (int j = 0; j < n; j++)
            b->side[i] += row[j] * x[j * count + k];
    }
    if (!solve_active(b, problem->limit_count))
        return false;
    for (int i = 0; i < b->active_count; i++) {
        const double *pulled = b->pulled + b->active[i] * n;
        multipliers[b->active[i] * count + k] = b->side[i];
        for (int j = 0; j < n; j++)
            x[j * count + k] -= b->side[i] * pulled[j];
    }
    return true;
}

int slip_least_fixed(const slip_least_problem *problem, const bool *active, double *x, double *multipliers,
                     double *numbers, int *indices)
{
    basis b = start(problem, active, numbers, indices);
    for (int i = 0; i < problem->limit_count; i++)
        if (active[i]) {
            if (b.active_count == problem->n)
                return -1;
            b.active[b.active_count++] = i;
        }
    memset(multipliers, 0, (size_t)(problem->limit_count * problem->count) * sizeof(double));
    for (int k = 0; k < problem->count; k++) {
        obey_equations(&b, problem, k, x);
        if (!obey_limits(&b, problem, k, x, multipliers))
            return -1;
    }
    return b.equation_count;
}

/* ---- Which limits are active. */

/* By how much x exceeds a limit, over the size of its row; nothing within the rounding of an x of this size.
 */
static double excess_of(const slip_least_problem *problem, int i, const double *x, double size)
{
    const double *row = problem->limits + i * problem->n, length = sqrt(slip_dot(problem->n, row, row));
    double excess = slip_dot(problem->n, row, x) - problem->limit_right[i];
    return excess > 1e-13 * (size * length + fabs(problem->limit_right[i])) ? excess / length : 0;
}

static int most_violated(const basis *b, const slip_least_problem *problem, const double *x)
{
    int worst = -1;
    double largest = 0, size = sqrt(slip_dot(problem->n, x, x));
    for (int i = 0; i < problem->limit_count; i++) {
        double excess = excess_of(problem, i, x, size);
        for (int j = 0; j < b->active_count; j++)
            excess = b->active[j] == i ? 0 : excess;
        if (excess > largest * (1 + 1e-9)) {
            largest = excess;
            worst = i;
        }
    }
    return worst;
}

static void drop(basis *b, int at)
{
    b->active_count--;
    for (int i = at; i < b->active_count; i++)
        b->active[i] = b->active[i + 1];
}

/* Makes x obey limit p as well: lets its multiplier grow, and limits go whose multipliers vanish on the way.
 * False when that does not get there; b->side then tells how the active limits stand to p. */
static bool obey(basis *b, const slip_least_problem *problem, int p, double *x, double *u)
{
    const int n = b->n, m = problem->limit_count;
    const double *row = problem->limits + p * n, size = sqrt(slip_dot(n, row, row));
    for (int round = 0; round <= 2 * m; round++) {
        double rate = b->schur[p * m + p], step = INFINITY, last = INFINITY;
        int first = -1;
        for (int i = 0; i < b->active_count; i++)
            b->side[i] = b->schur[b->active[i] * m + p];
        if (!solve_active(b, m))
            return false;
        for (int i = 0; i < b->active_count; i++) {
            rate -= b->side[i] * b->schur[p * m + b->active[i]];
            if (b->side[i] > 1e-12 && u[b->active[i]] / b->side[i] < step) {
                step = u[b->active[i]] / b->side[i];
                first = i;
            }
        }
        if (rate > b->nearest * size * size && b->active_count + b->equation_count < n)
            last = (slip_dot(n, row, x) - problem->limit_right[p]) / rate;
        if (!isfinite(fmin(step, last)))
            return false;
        step = fmin(step, last);
        for (int i = 0; i < b->active_count; i++) {
            const double *pulled = b->pulled + b->active[i] * n;
            u[b->active[i]] = fmax(0, u[b->active[i]] - step * b->side[i]);
            for (int j = 0; j < n; j++)
                x[j] += step * b->side[i] * pulled[j];
        }
        u[p] += step;
        for (int j = 0; j < n; j++)
            x[j] -= step * b->pulled[p * n + j];
        if (step == last) {
            b->active[b->active_count++] = p;
            return true;
        }
        u[b->active[first]] = 0;
        drop(b, first);
    }
    return false;
}

bool slip_least_find(const slip_least_problem *problem, bool *active, bool *blocking, double *x,
                     double *multipliers, double *numbers, int *indices)
{
    const size_t flags = (size_t)problem->limit_count * sizeof(bool);
    basis b = start(problem, NULL, numbers, indices);
    bool exists = false;
    memset(active, 0, flags);
    memset(blocking, 0, flags);
    memset(multipliers, 0, (size_t)problem->limit_count * sizeof(double));
    obey_equations(&b, problem, 0, x);
    /* With D = A no set of active limits comes back; the bound is for other cases, and for rounding. */
    for (int round = 0; round < 10 * (problem->limit_count + 1); round++) {
        int p = most_violated(&b, problem, x);
        exists = p < 0;
        if (exists)
            break;
        if (!obey(&b, problem, p, x, multipliers)) {
            blocking[p] = true;
            for (int i = 0; i < b.active_count; i++)
                blocking[b.active[i]] = b.side[i] < -1e-9;
            break;
        }
        /* without what has added up on the way */
        obey_equations(&b, problem, 0, x);
        if (!obey_limits(&b, problem, 0, x, multipliers))
            break;
    }
    for (int i = 0; i < b.active_count; i++)
        active[b.active[i]] = true;
    return exists;
}
