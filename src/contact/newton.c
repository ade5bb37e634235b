/* The impulses for given states of all rows, and Newton's method, which alternates: impulses from states,
 * states from impulses, until both agree. */
#include "contact/problem.h"

#include "math/dense.h"

#include <string.h>

/* ---- Given states. */

/* Row i of the linear system that its state stands for. */
static void state_equation(const slip_contact_problem *problem, const slip_contact_solution *s, int i,
                           double *matrix, double *right)
{
    const slip_block *row = &problem->rows[i];
    const double *g = problem->gram + (int64_t)i * problem->m;
    const int m = problem->m;
    double side = s->states[i] == SLIP_BLOCK_PLUS ? 1 : -1, factor = 1;
    memset(matrix, 0, (size_t)m * sizeof(double));
    *right = 0;
    matrix[i] = 1;
    if (s->states[i] == SLIP_BLOCK_ZERO || s->states[i] == SLIP_BLOCK_SMOOTH) {
        /* y = 0, or p + slope y = -constant. The former is divided by g, so that rows have comparable sizes.
         */
        factor = s->states[i] == SLIP_BLOCK_ZERO ? 1 / g[i] : row->slope;
        if (s->states[i] == SLIP_BLOCK_ZERO)
            matrix[i] = 0;
        for (int j = 0; j < m; j++)
            matrix[j] += factor * g[j];
        *right = -factor * problem->initial[i] - (s->states[i] == SLIP_BLOCK_SMOOTH ? row->constant : 0);
    } else if (s->states[i] != SLIP_BLOCK_OPEN && row->normal < 0) {
        *right = -side * row->slide;
    } else if (s->states[i] != SLIP_BLOCK_OPEN && s->states[row->normal] != SLIP_BLOCK_OPEN &&
               (row->offset == 0 || s->p[row->normal] > row->offset)) {
        matrix[row->normal] = side * row->slide;
        *right = side * row->slide * row->offset;
    }
}

void slip_contact_fill(const slip_contact_problem *problem, slip_contact_solution *s)
{
    for (int i = 0; i < problem->m; i++)
        s->y[i] = s->states[i] == SLIP_BLOCK_ZERO ? 0 : slip_contact_velocity(problem, s->p, i);
}

bool slip_contact_consistent(const slip_contact_problem *problem, const slip_contact_solution *s,
                             const double *p, double slack)
{
    for (int i = 0; i < problem->m; i++) {
        const slip_block *row = &problem->rows[i];
        double g = problem->gram[(int64_t)i * (problem->m + 1)], y = slip_contact_velocity(problem, p, i);
        if (row->kind == SLIP_BLOCK_NORMAL && (g * p[i] < -slack || y < -slack))
            return false;
        if (row->kind == SLIP_BLOCK_FRICTION && s->states[i] == SLIP_BLOCK_ZERO &&
            g * (fabs(p[i]) - row->hold * slip_block_load(row, p)) > slack)
            return false;
        if ((s->states[i] == SLIP_BLOCK_PLUS && y < -slack) ||
            (s->states[i] == SLIP_BLOCK_MINUS && y > slack))
            return false;
    }
    return slip_contact_residual(problem, p) <= slack;
}

static bool states_fit(const slip_contact_problem *problem, const slip_contact_solution *s)
{
    for (int i = 0; i < problem->m; i++) {
        const slip_block *row = &problem->rows[i];
        if (!(problem->gram[(int64_t)i * (problem->m + 1)] > 0) ||
            (row->kind == SLIP_BLOCK_LINEAR) != (s->states[i] == SLIP_BLOCK_SMOOTH) ||
            (row->kind == SLIP_BLOCK_FRICTION && s->states[i] == SLIP_BLOCK_OPEN))
            return false;
    }
    return true;
}

/* Factorises the equations, or reuses the factors while no row has changed its state. Where rows are linearly
 * dependent a small number is added to the diagonal of those with y = 0. */
static bool factor(const slip_contact_problem *problem, const slip_contact_solution *s, const double *matrix,
                   slip_contact_memory *memory)
{
    const int m = problem->m;
    const size_t size = (size_t)m * (size_t)m * sizeof(double);
    if (memory->known == m && memcmp(memory->equations, matrix, size) == 0)
        return true;
    memory->known = 0;
    memcpy(memory->equations, matrix, size);
    memcpy(memory->factors, matrix, size);
    memory->unique = slip_dense_factor_above(m, memory->factors, memory->scales, memory->pivots, 1e-13);
    if (!memory->unique) {
        memcpy(memory->factors, matrix, size);
        for (int i = 0; i < m; i++)
            if (s->states[i] == SLIP_BLOCK_ZERO)
                memory->factors[(int64_t)i * (m + 1)] += 1e-8;
        if (!slip_dense_factor(m, memory->factors, memory->pivots))
            return false;
    }
    memory->known = m;
    return true;
}

/* The impulses for the given states, or NULL. Where they are not unique, iteration with the regularised
 * diagonal leads to the solution nearest to s->p. */
static double *solve_states(const slip_contact_problem *problem, const slip_contact_solution *s,
                            slip_contact_memory *memory)
{
    enum { turns = 3 };
    const int m = problem->m;
    double *matrix = memory->numbers, *right = matrix + (int64_t)m * m, *p = right + m, *change = p + m;
    for (int i = 0; i < m; i++)
        state_equation(problem, s, i, matrix + (int64_t)i * m, &right[i]);
    if (!factor(problem, s, matrix, memory))
        return NULL;
    if (memory->unique) {
        slip_dense_solve_factored(m, memory->factors, memory->scales, memory->pivots, right);
        return right;
    }
    memcpy(p, s->p, (size_t)m * sizeof(double));
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < m; i++) {
            const double *row = matrix + (int64_t)i * m;
            change[i] = right[i];
            for (int j = 0; j < m; j++)
                change[i] -= row[j] * p[j];
        }
        slip_dense_substitute(m, memory->factors, memory->pivots, change);
        for (int i = 0; i < m; i++)
            p[i] += change[i];
    }
    return p;
}

static void accept(const slip_contact_problem *problem, slip_contact_solution *s, const double *p)
{
    for (int i = 0; i < problem->m; i++)
        s->p[i] = problem->rows[i].kind == SLIP_BLOCK_NORMAL && p[i] < 0 ? 0 : p[i];
    slip_contact_fill(problem, s);
}

bool slip_contact_direct(const slip_contact_problem *problem, slip_contact_solution *s,
                         slip_contact_memory *memory)
{
    const double *p = states_fit(problem, s) ? solve_states(problem, s, memory) : NULL;
    if (!p || !slip_contact_consistent(problem, s, p, slip_contact_accepted(problem)))
        return false;
    accept(problem, s, p);
    return true;
}

/* ---- Newton: states from impulses from states. */

static slip_block_state better_state(const slip_contact_problem *problem, const slip_contact_solution *s,
                                     const double *p, int i)
{
    const slip_block *row = &problem->rows[i];
    const double g = problem->gram[(int64_t)i * (problem->m + 1)];
    const slip_block_state now = s->states[i];
    if (row->kind == SLIP_BLOCK_NORMAL && now == SLIP_BLOCK_ZERO)
        return p[i] < 0 ? SLIP_BLOCK_OPEN : now;
    if (now == SLIP_BLOCK_ZERO &&
        g * (fabs(p[i]) - row->hold * slip_block_load(row, p)) > slip_contact_accepted(problem))
        return p[i] > 0 ? SLIP_BLOCK_MINUS : SLIP_BLOCK_PLUS;
    if (now == SLIP_BLOCK_ZERO || now == SLIP_BLOCK_SMOOTH)
        return now;
    return slip_contact_velocity(problem, p, i) * (now == SLIP_BLOCK_MINUS ? -1 : 1) <
                   -slip_contact_accepted(problem)
               ? SLIP_BLOCK_ZERO
               : now;
}

bool slip_contact_newton(const slip_contact_problem *problem, slip_contact_solution *s,
                         slip_contact_memory *memory, int most)
{
    if (!states_fit(problem, s))
        return false;
    for (int turn = 0; turn < most; turn++) {
        const double *p = solve_states(problem, s, memory);
        bool changed = false;
        if (!p)
            return false;
        if (slip_contact_consistent(problem, s, p, slip_contact_accepted(problem))) {
            accept(problem, s, p);
            return true;
        }
        if (turn + 1 == most)
            return false; /* one turn leaves the start as it was */
        for (int i = 0; i < problem->m; i++) {
            slip_block_state next = better_state(problem, s, p, i);
            changed |= next != s->states[i];
            s->states[i] = next;
        }
        memcpy(s->p, p, (size_t)problem->m * sizeof(double));
        if (!changed)
            return false;
    }
    return false;
}
