/* The choice of the solver. */
#include "contact/problem.h"

#include "math/lcp.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

bool slip_contact_memory_create(slip_arena *arena, int m, bool planes, bool search,
                                slip_contact_memory *memory)
{
    const int part = m < slip_contact_pivot_most ? m : slip_contact_pivot_most;
    const int64_t all = m, unknowns = 3 * (int64_t)part,
                  numbers = larger(all * all + 3 * all,
                                   slip_lcp_numbers(3 * part) + unknowns * unknowns + 2 * unknowns) +
                            (planes ? slip_contact_rounds_numbers(m) : 0),
                  indices = slip_lcp_indices(3 * m) + 5 * all;
    memory->numbers =
        slip_arena_array(arena, larger(numbers, search ? slip_contact_search_numbers(m) : 1), sizeof(double));
    memory->indices =
        slip_arena_array(arena, larger(indices, search ? slip_contact_search_indices(m) : 1), sizeof(int));
    memory->blocks = slip_arena_array(arena, planes ? 2 * all + 1 : 1, sizeof(slip_block));
    memory->states = slip_arena_array(arena, planes ? all + 1 : 1, sizeof(slip_block_state));
    memory->flags = slip_arena_array(arena, search ? 4 * all + 1 : 1, sizeof(bool));
    memory->saved = slip_arena_array(arena, search ? all + 1 : 1, sizeof(double));
    memory->equations = slip_arena_array(arena, 2 * all * all + all + 1, sizeof(double));
    memory->pivots = slip_arena_array(arena, all + 1, sizeof(int));
    if (!memory->equations)
        return false;
    memory->factors = memory->equations + all * all;
    memory->scales = memory->factors + all * all;
    memory->known = 0;
    memory->sure = false;
    return memory->pivots && memory->numbers && memory->indices && memory->blocks && memory->states &&
           memory->flags && memory->saved;
}

/* ---- Closed forms. */

static double solve_one(const slip_contact_problem *problem, slip_contact_solution *s)
{
    const double g = problem->gram[0], b = problem->initial[0];
    s->p[0] = slip_block_alone(&problem->rows[0], g, b, 1, &s->states[0]);
    s->y[0] = b + g * s->p[0];
    if (s->states[0] == SLIP_BLOCK_ZERO)
        s->y[0] = 0; /* p is -b/g to rounding: nothing is left to judge */
    return 0;
}

/* A normal that is closed, with its tangent sliding in direction `side` (0: no friction): p_t = -side slide
 * (p_n - offset). False when the state is not consistent. */
static bool try_slide(const slip_contact_problem *problem, slip_contact_solution *s, int side)
{
    const double *g = problem->gram, *b = problem->initial, k = side * problem->rows[1].slide;
    const double offset = problem->rows[1].offset, bottom = g[0] - k * g[1];
    double normal = -(b[0] + k * g[1] * offset) / bottom, load = normal - offset, y;
    if (!(bottom > 0) || !(normal >= 0) || (side != 0) != (load > 0))
        return false;
    y = b[1] + g[2] * normal - k * g[3] * load;
    if (side * y < 0)
        return false;
    s->p[0] = normal;
    s->p[1] = -k * load;
    s->y[0] = 0;
    s->y[1] = y;
    s->states[0] = SLIP_BLOCK_ZERO;
    s->states[1] = y > 0 ? SLIP_BLOCK_PLUS : y < 0 ? SLIP_BLOCK_MINUS : SLIP_BLOCK_ZERO;
    if (side != 0)
        s->states[1] = side > 0 ? SLIP_BLOCK_PLUS : SLIP_BLOCK_MINUS;
    return true;
}

static bool try_stick(const slip_contact_problem *problem, slip_contact_solution *s)
{
    const double *g = problem->gram, *b = problem->initial, bottom = g[0] * g[3] - g[1] * g[2];
    double normal = (-b[0] * g[3] + b[1] * g[1]) / bottom, tangent = (-b[1] * g[0] + b[0] * g[2]) / bottom;
    double load = normal - problem->rows[1].offset;
    if (!(bottom > 1e-14 * g[0] * g[3]) || !(normal >= 0) ||
        !(fabs(tangent) <= problem->rows[1].hold * (load > 0 ? load : 0)))
        return false;
    s->p[0] = normal;
    s->p[1] = tangent;
    s->y[0] = s->y[1] = 0;
    s->states[0] = s->states[1] = SLIP_BLOCK_ZERO;
    return true;
}

/* One contact: open, stick or slip. False where none of them is consistent, which requires a coupling of
 * friction and normal stronger than the diagonal. */
static bool solve_pair(const slip_contact_problem *problem, slip_contact_solution *s)
{
    const double *b = problem->initial;
    if (b[0] >= 0) {
        s->p[0] = s->p[1] = 0;
        s->y[0] = b[0];
        s->y[1] = b[1];
        s->states[0] = SLIP_BLOCK_OPEN;
        s->states[1] = b[1] > 0 ? SLIP_BLOCK_PLUS : b[1] < 0 ? SLIP_BLOCK_MINUS : SLIP_BLOCK_ZERO;
        return true;
    }
    return try_stick(problem, s) || try_slide(problem, s, 1) || try_slide(problem, s, -1) ||
           try_slide(problem, s, 0);
}

/* ---- Gauss-Seidel. */

int slip_contact_sweep(const slip_contact_problem *problem, slip_contact_solution *s, double tolerance,
                       int most)
{
    const double enough = tolerance * slip_contact_size(problem);
    for (int sweep = 1; sweep <= most; sweep++) {
        double change = 0;
        for (int i = 0; i < problem->m; i++) {
            double g = problem->gram[(int64_t)i * (problem->m + 1)], old = s->p[i];
            double r = slip_contact_velocity(problem, s->p, i) - g * old;
            if (!(g > 0)) { /* nothing moves along this row */
                s->p[i] = 0;
                s->states[i] = problem->rows[i].kind == SLIP_BLOCK_NORMAL ? SLIP_BLOCK_OPEN : SLIP_BLOCK_ZERO;
                continue;
            }
            s->p[i] = slip_block_alone(&problem->rows[i], g, r, slip_block_load(&problem->rows[i], s->p),
                                       &s->states[i]);
            change = fmax(change, g * fabs(s->p[i] - old));
        }
        if (change <= enough)
            return sweep;
    }
    return -1;
}

/* ---- All together. */

/* The last resort: many sweeps; their residual is reported. */
static double last_resort(const slip_contact_problem *problem, slip_contact_solution *s)
{
    slip_contact_sweep(problem, s, 1e-15, 5000);
    slip_contact_fill(problem, s);
    return slip_contact_residual(problem, s->p);
}

static double solve_many(const slip_contact_problem *problem, slip_contact_solution *s,
                         slip_contact_memory *memory)
{
    static const int rounds[] = {2, 6, 20, 80};
    enum { few = 24, tries = 12 };
    /* For few rows sweeps are cheap, and of several solutions they find the nearest one. */
    if (slip_contact_newton(problem, s, memory, problem->m > few ? tries : 1))
        return slip_contact_residual(problem, s->p);
    for (int k = 0; k < 4; k++) {
        bool settled = slip_contact_sweep(problem, s, 1e-15, rounds[k]) > 0;
        if (settled && slip_contact_residual(problem, s->p) <= slip_contact_accepted(problem)) {
            slip_contact_direct(problem, s, memory);
            slip_contact_fill(problem, s);
            return slip_contact_residual(problem, s->p);
        }
        if (slip_contact_direct(problem, s, memory))
            return slip_contact_residual(problem, s->p);
    }
    if (slip_contact_newton(problem, s, memory, tries))
        return slip_contact_residual(problem, s->p);
    if (slip_contact_pivot(problem, s, memory) &&
        slip_contact_residual(problem, s->p) <= slip_contact_accepted(problem)) {
        slip_contact_direct(problem, s, memory);
        return slip_contact_residual(problem, s->p);
    }
    return last_resort(problem, s);
}

double slip_contact_solve(const slip_contact_problem *problem, slip_contact_solution *s,
                          slip_contact_memory *memory)
{
    const slip_block *rows = problem->rows;
    if (problem->planes > 0)
        return slip_contact_rounds(problem, s, memory);
    if (problem->m == 1 && problem->gram[0] > 0)
        return solve_one(problem, s);
    if (problem->m == 2 && rows[0].kind == SLIP_BLOCK_NORMAL && rows[1].kind == SLIP_BLOCK_FRICTION &&
        rows[1].normal == 0 && problem->gram[0] > 0 && problem->gram[3] > 0 && solve_pair(problem, s))
        return slip_contact_residual(problem, s->p);
    return problem->m > 0 ? solve_many(problem, s, memory) : 0;
}
