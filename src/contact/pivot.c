/* The friction problem of contacts in one direction as a linear complementarity problem: V. Acary, B.
 * Brogliato, Numerical methods for nonsmooth dynamical systems, Springer 2008, section 13.3. */
#include "contact/problem.h"

#include "math/lcp.h"

#include <float.h>
#include <string.h>

/* The indices of the unknowns of each row in the complementarity problem. */
typedef struct layout {
    int count;
    int *first;   /* normal: p; tangent: p+, p-, |y| */
    int *sliding; /* tangents that are known to slide: their bound is `slide`, of the others `hold` */
    /* Velocities are divided by `speed`, impulses by `impulse`, so that all numbers are of the size of one.
     */
    double speed, impulse;
} layout;

/* y_i in terms of the unknowns, times `sign`, into a row of the matrix. */
static void velocity_row(const slip_contact_problem *problem, const layout *at, int i, double sign,
                         double *matrix)
{
    for (int j = 0; j < problem->m; j++) {
        double g = sign * problem->gram[(int64_t)i * problem->m + j] * at->impulse / at->speed;
        matrix[at->first[j]] += g;
        if (problem->rows[j].kind == SLIP_BLOCK_FRICTION)
            matrix[at->first[j] + 1] -= g;
    }
}

static void tangent_rows(const slip_contact_problem *problem, const layout *at, int i, double *matrix,
                         double *right)
{
    const slip_block *row = &problem->rows[i];
    double bound = at->sliding[i] ? row->slide : row->hold;
    int k = at->first[i], count = at->count;
    double *plus = matrix + (int64_t)k * count, *minus = plus + count, *limit = minus + count;
    velocity_row(problem, at, i, 1, plus);
    velocity_row(problem, at, i, -1, minus);
    plus[k + 2] = minus[k + 2] = 1;
    limit[k] = limit[k + 1] = -1;
    right[k] = problem->initial[i] / at->speed;
    right[k + 1] = -right[k];
    right[k + 2] = (row->normal < 0 ? bound : -bound * row->offset) / at->impulse;
    if (row->normal >= 0)
        limit[at->first[row->normal]] = bound;
}

static bool solve_lcp(const slip_contact_problem *problem, const layout *at, slip_contact_solution *s,
                      slip_contact_memory *memory)
{
    const int64_t count = at->count;
    double *matrix = memory->numbers, *right = matrix + count * count, *z = right + count;
    memset(matrix, 0, (size_t)(count * count) * sizeof(double));
    for (int i = 0; i < problem->m; i++) {
        int k = at->first[i];
        if (problem->rows[i].kind == SLIP_BLOCK_FRICTION) {
            tangent_rows(problem, at, i, matrix, right);
        } else {
            velocity_row(problem, at, i, 1, matrix + k * count);
            right[k] = problem->initial[i] / at->speed;
        }
    }
    if (slip_lcp_lemke(at->count, matrix, right, z, z + count, memory->indices + 2 * problem->m) !=
        SLIP_LCP_SOLVED)
        return false;
    for (int i = 0; i < problem->m; i++) {
        int k = at->first[i];
        s->p[i] = at->impulse * (problem->rows[i].kind == SLIP_BLOCK_FRICTION ? z[k] - z[k + 1] : z[k]);
    }
    return true;
}

/* Reads the states off a solution. Returns whether a tangent slides that has not been marked as sliding. */
static bool read_states(const slip_contact_problem *problem, const layout *at, slip_contact_solution *s)
{
    bool news = false;
    double small = 1e-10 * slip_contact_size(problem);
    for (int i = 0; i < problem->m; i++) {
        const slip_block *row = &problem->rows[i];
        double y = slip_contact_velocity(problem, s->p, i);
        if (row->kind == SLIP_BLOCK_NORMAL) {
            s->states[i] = s->p[i] > 0 ? SLIP_BLOCK_ZERO : SLIP_BLOCK_OPEN;
            continue;
        }
        s->states[i] = y > small ? SLIP_BLOCK_PLUS : y < -small ? SLIP_BLOCK_MINUS : SLIP_BLOCK_ZERO;
        if (s->states[i] != SLIP_BLOCK_ZERO && !at->sliding[i]) {
            at->sliding[i] = 1;
            news |= row->slide < row->hold;
        }
    }
    return news;
}

/* Bounds of the tangents that slide are lowered from `hold` to `slide` until none is left to lower. */
bool slip_contact_pivot(const slip_contact_problem *problem, slip_contact_solution *s,
                        slip_contact_memory *memory)
{
    layout at = {0, memory->indices, memory->indices + problem->m, slip_contact_size(problem), 0};
    double largest = DBL_MIN;
    if (problem->m > slip_contact_pivot_most)
        return false;
    for (int i = 0; i < problem->m; i++) {
        if (problem->rows[i].kind == SLIP_BLOCK_LINEAR)
            return false;
        at.first[i] = at.count;
        at.sliding[i] = 0;
        largest = fmax(largest, problem->gram[(int64_t)i * (problem->m + 1)]);
        at.count += problem->rows[i].kind == SLIP_BLOCK_FRICTION ? 3 : 1;
    }
    at.impulse = at.speed / largest;
    do
        if (!solve_lcp(problem, &at, s, memory))
            return false;
    while (read_states(problem, &at, s));
    slip_contact_fill(problem, s);
    return true;
}
