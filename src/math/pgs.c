/* See pgs.h. The planar friction problem as an LCP: V. Acary, B. Brogliato, Numerical methods for nonsmooth
 * dynamical systems, Springer 2008, section 13.3. */
#include "math/pgs.h"

#include "math/dense.h"

#include "math/lcp.h"

#include <float.h>
#include <math.h>
#include <string.h>

int64_t slip_pgs_numbers(int m)
{
    int part = m < slip_pgs_lemke_most ? m : slip_pgs_lemke_most;
    int64_t unknowns = 3 * (int64_t)part, direct = (int64_t)m * m + 3 * (int64_t)m;
    int64_t lemke = slip_lcp_numbers(3 * part) + unknowns * unknowns + 2 * unknowns;
    return direct > lemke ? direct : lemke;
}

int64_t slip_pgs_indices(int m)
{
    return slip_lcp_indices(3 * m) + 2 * (int64_t)m;
}

/* ---- Relations. */

static double load_of(const slip_pgs_row *row, const double *p)
{
    double load;
    if (row->normal < 0)
        return 1;
    load = p[row->normal] - row->offset;
    return load > 0 ? load : 0;
}

static double velocity_of(const slip_pgs_problem *problem, const double *p, int i)
{
    const double *g = problem->gram + (int64_t)i * problem->m;
    double y = problem->initial[i];
    for (int j = 0; j < problem->m; j++)
        y += g[j] * p[j];
    return y;
}

/* The size of the velocities that the problem is about. */
static double scale_of(const slip_pgs_problem *problem)
{
    double scale = DBL_MIN;
    for (int i = 0; i < problem->m; i++)
        scale = fmax(scale, fabs(problem->initial[i]));
    return scale;
}

static double tangent_residual(const slip_pgs_row *row, double g, double load, double p, double y)
{
    double stick = fmax(fabs(y), g * (fabs(p) - row->hold * load));
    double plus = fmax(g * fabs(p + row->slide * load), -y);
    double minus = fmax(g * fabs(p - row->slide * load), y);
    return fmin(fmax(stick, 0), fmin(plus, minus));
}

static double row_residual(const slip_pgs_problem *problem, const double *p, int i, double y)
{
    const slip_pgs_row *row = &problem->rows[i];
    double g = problem->gram[(int64_t)i * (problem->m + 1)];
    switch (row->kind) {
    case SLIP_PGS_NORMAL:
        return fabs(fmin(y, g * p[i]));
    case SLIP_PGS_TANGENT:
        return tangent_residual(row, g, load_of(row, p), p[i], y);
    default:
        return g * fabs(p[i] + row->slope * y + row->constant);
    }
}

int slip_pgs_worst(const slip_pgs_problem *problem, const double *p)
{
    double largest = -1;
    int worst = 0;
    for (int i = 0; i < problem->m; i++) {
        double own = row_residual(problem, p, i, velocity_of(problem, p, i));
        if (own > largest || isnan(own)) {
            largest = own;
            worst = i;
        }
    }
    return worst;
}

double slip_pgs_residual(const slip_pgs_problem *problem, const double *p)
{
    int worst = slip_pgs_worst(problem, p);
    return problem->m > 0 ? row_residual(problem, p, worst, velocity_of(problem, p, worst)) : 0;
}

/* ---- Closed forms. */

static double solve_one(const slip_pgs_problem *problem, slip_pgs_solution *s)
{
    const double g = problem->gram[0], b = problem->initial[0];
    s->p[0] = slip_pgs_single(&problem->rows[0], g, b, 1, &s->states[0]);
    s->y[0] = b + g * s->p[0];
    if (s->states[0] == SLIP_PGS_ZERO)
        s->y[0] = 0; /* p is -b/g to rounding: nothing is left to judge */
    return 0;
}

/* A normal that is closed, with its tangent sliding in direction `side` (0: no friction): p_t = -side slide
 * (p_n - offset). False when the state is not consistent. */
static bool try_slide(const slip_pgs_problem *problem, slip_pgs_solution *s, int side)
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
    s->states[0] = SLIP_PGS_ZERO;
    s->states[1] = y > 0 ? SLIP_PGS_PLUS : y < 0 ? SLIP_PGS_MINUS : SLIP_PGS_ZERO;
    if (side != 0)
        s->states[1] = side > 0 ? SLIP_PGS_PLUS : SLIP_PGS_MINUS;
    return true;
}

static bool try_stick(const slip_pgs_problem *problem, slip_pgs_solution *s)
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
    s->states[0] = s->states[1] = SLIP_PGS_ZERO;
    return true;
}

/* One contact: open, stick or slip. False when none of them is consistent (only for a coupling by friction
 * that is stronger than the contact itself). */
static bool solve_pair(const slip_pgs_problem *problem, slip_pgs_solution *s)
{
    const double *b = problem->initial;
    if (b[0] >= 0) {
        s->p[0] = s->p[1] = 0;
        s->y[0] = b[0];
        s->y[1] = b[1];
        s->states[0] = SLIP_PGS_OPEN;
        s->states[1] = b[1] > 0 ? SLIP_PGS_PLUS : b[1] < 0 ? SLIP_PGS_MINUS : SLIP_PGS_ZERO;
        return true;
    }
    return try_stick(problem, s) || try_slide(problem, s, 1) || try_slide(problem, s, -1) ||
           try_slide(problem, s, 0);
}

/* ---- Gauss-Seidel. */

int slip_pgs_sweep(const slip_pgs_problem *problem, slip_pgs_solution *s, double tolerance, int most)
{
    const double enough = tolerance * scale_of(problem);
    for (int sweep = 1; sweep <= most; sweep++) {
        double change = 0;
        for (int i = 0; i < problem->m; i++) {
            double g = problem->gram[(int64_t)i * (problem->m + 1)], old = s->p[i];
            double r = velocity_of(problem, s->p, i) - g * old;
            if (!(g > 0)) { /* nothing moves along this row */
                s->p[i] = 0;
                s->states[i] = problem->rows[i].kind == SLIP_PGS_NORMAL ? SLIP_PGS_OPEN : SLIP_PGS_ZERO;
                continue;
            }
            s->p[i] =
                slip_pgs_single(&problem->rows[i], g, r, load_of(&problem->rows[i], s->p), &s->states[i]);
            change = fmax(change, g * fabs(s->p[i] - old));
        }
        if (change <= enough)
            return sweep;
    }
    return -1;
}

/* ---- Given states. */

/* Row i of the linear system that its state stands for. */
static void state_equation(const slip_pgs_problem *problem, const slip_pgs_solution *s, int i, double *matrix,
                           double *right)
{
    const slip_pgs_row *row = &problem->rows[i];
    const double *g = problem->gram + (int64_t)i * problem->m;
    const int m = problem->m;
    double side = s->states[i] == SLIP_PGS_PLUS ? 1 : -1, factor = 1;
    memset(matrix, 0, (size_t)m * sizeof(double));
    *right = 0;
    matrix[i] = 1;
    if (s->states[i] == SLIP_PGS_ZERO || s->states[i] == SLIP_PGS_SMOOTH) {
        /* y = 0, or p + slope y = -constant; divided by g where it is y alone, so that rows compare. */
        factor = s->states[i] == SLIP_PGS_ZERO ? 1 / g[i] : row->slope;
        if (s->states[i] == SLIP_PGS_ZERO)
            matrix[i] = 0;
        for (int j = 0; j < m; j++)
            matrix[j] += factor * g[j];
        *right = -factor * problem->initial[i] - (s->states[i] == SLIP_PGS_SMOOTH ? row->constant : 0);
    } else if (s->states[i] != SLIP_PGS_OPEN && row->normal < 0) {
        *right = -side * row->slide;
    } else if (s->states[i] != SLIP_PGS_OPEN && s->states[row->normal] != SLIP_PGS_OPEN &&
               (row->offset == 0 || s->p[row->normal] > row->offset)) {
        matrix[row->normal] = side * row->slide;
        *right = side * row->slide * row->offset;
    }
}

static void fill_velocities(const slip_pgs_problem *problem, slip_pgs_solution *s)
{
    for (int i = 0; i < problem->m; i++)
        s->y[i] = s->states[i] == SLIP_PGS_ZERO ? 0 : velocity_of(problem, s->p, i);
}

static double accepted(const slip_pgs_problem *problem)
{
    return 1e-11 * scale_of(problem);
}

/* Do the states say what the impulses and velocities do? */
static bool consistent(const slip_pgs_problem *problem, const slip_pgs_solution *s, const double *p)
{
    const double slack = accepted(problem);
    for (int i = 0; i < problem->m; i++) {
        const slip_pgs_row *row = &problem->rows[i];
        double g = problem->gram[(int64_t)i * (problem->m + 1)], y = velocity_of(problem, p, i);
        if (row->kind == SLIP_PGS_NORMAL && (g * p[i] < -slack || y < -slack))
            return false;
        if (row->kind == SLIP_PGS_TANGENT && s->states[i] == SLIP_PGS_ZERO &&
            g * (fabs(p[i]) - row->hold * load_of(row, p)) > slack)
            return false;
        if ((s->states[i] == SLIP_PGS_PLUS && y < -slack) || (s->states[i] == SLIP_PGS_MINUS && y > slack))
            return false;
    }
    return slip_pgs_residual(problem, p) <= slack;
}

static bool states_fit(const slip_pgs_problem *problem, const slip_pgs_solution *s)
{
    for (int i = 0; i < problem->m; i++) {
        const slip_pgs_row *row = &problem->rows[i];
        if (!(problem->gram[(int64_t)i * (problem->m + 1)] > 0) ||
            (row->kind == SLIP_PGS_LINEAR) != (s->states[i] == SLIP_PGS_SMOOTH) ||
            (row->kind == SLIP_PGS_TANGENT && s->states[i] == SLIP_PGS_OPEN))
            return false;
    }
    return true;
}

/* Contacts that share a force between them leave it open: of all solutions, the one nearest to s->p. A little
 * is added to the diagonal of the rows with y = 0, and taken back by iteration. The result is in `p`. */
static bool solve_nearest(const slip_pgs_problem *problem, const slip_pgs_solution *s, double *p,
                          slip_pgs_memory *memory)
{
    enum { turns = 3 };
    const int m = problem->m;
    double *matrix = memory->numbers, *row = p + m, *change = row + m;
    for (int i = 0; i < m; i++) {
        state_equation(problem, s, i, matrix + (int64_t)i * m, &change[i]);
        if (s->states[i] == SLIP_PGS_ZERO)
            matrix[(int64_t)i * (m + 1)] += 1e-8;
    }
    if (!slip_dense_factor(m, matrix, memory->indices))
        return false;
    memcpy(p, s->p, (size_t)m * sizeof(double));
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < m; i++) {
            state_equation(problem, s, i, row, &change[i]);
            for (int j = 0; j < m; j++)
                change[i] -= row[j] * p[j];
        }
        slip_dense_substitute(m, matrix, memory->indices, change);
        for (int i = 0; i < m; i++)
            p[i] += change[i];
    }
    return true;
}

/* The impulses that the states stand for, or NULL. */
static double *solve_states(const slip_pgs_problem *problem, const slip_pgs_solution *s,
                            slip_pgs_memory *memory)
{
    const int m = problem->m;
    double *matrix = memory->numbers, *p = matrix + (int64_t)m * m;
    for (int i = 0; i < m; i++)
        state_equation(problem, s, i, matrix + (int64_t)i * m, &p[i]);
    return slip_dense_solve(m, matrix, p) || solve_nearest(problem, s, p, memory) ? p : NULL;
}

static void accept(const slip_pgs_problem *problem, slip_pgs_solution *s, const double *p)
{
    for (int i = 0; i < problem->m; i++)
        s->p[i] = problem->rows[i].kind == SLIP_PGS_NORMAL && p[i] < 0 ? 0 : p[i];
    fill_velocities(problem, s);
}

bool slip_pgs_direct(const slip_pgs_problem *problem, slip_pgs_solution *s, slip_pgs_memory *memory)
{
    const double *p = states_fit(problem, s) ? solve_states(problem, s, memory) : NULL;
    if (!p || !consistent(problem, s, p))
        return false;
    accept(problem, s, p);
    return true;
}

/* ---- Newton: states from impulses from states. */

static slip_pgs_state better_state(const slip_pgs_problem *problem, const slip_pgs_solution *s,
                                   const double *p, int i)
{
    const slip_pgs_row *row = &problem->rows[i];
    const double g = problem->gram[(int64_t)i * (problem->m + 1)];
    const slip_pgs_state now = s->states[i];
    if (row->kind == SLIP_PGS_NORMAL && now == SLIP_PGS_ZERO)
        return p[i] < 0 ? SLIP_PGS_OPEN : now;
    if (now == SLIP_PGS_ZERO && g * (fabs(p[i]) - row->hold * load_of(row, p)) > accepted(problem))
        return p[i] > 0 ? SLIP_PGS_MINUS : SLIP_PGS_PLUS;
    if (now == SLIP_PGS_ZERO || now == SLIP_PGS_SMOOTH)
        return now;
    return velocity_of(problem, p, i) * (now == SLIP_PGS_MINUS ? -1 : 1) < -accepted(problem) ? SLIP_PGS_ZERO
                                                                                              : now;
}

bool slip_pgs_newton(const slip_pgs_problem *problem, slip_pgs_solution *s, slip_pgs_memory *memory, int most)
{
    if (!states_fit(problem, s))
        return false;
    for (int turn = 0; turn < most; turn++) {
        const double *p = solve_states(problem, s, memory);
        bool changed = false;
        if (!p)
            return false;
        if (consistent(problem, s, p)) {
            accept(problem, s, p);
            return true;
        }
        if (turn + 1 == most)
            return false; /* one turn leaves the start as it was */
        for (int i = 0; i < problem->m; i++) {
            slip_pgs_state next = better_state(problem, s, p, i);
            changed |= next != s->states[i];
            s->states[i] = next;
        }
        memcpy(s->p, p, (size_t)problem->m * sizeof(double));
        if (!changed)
            return false;
    }
    return false;
}

/* ---- Lemke. */

/* Where the unknowns of each row are in the complementarity problem. */
typedef struct layout {
    int count;
    int *first;   /* normal: p; tangent: p+, p-, |y| */
    int *sliding; /* tangents that are known to slide: their bound is `slide`, of the others `hold` */
    /* Velocities are divided by `speed`, impulses by `impulse`, so that all numbers are of the size of one.
     */
    double speed, impulse;
} layout;

/* y_i in terms of the unknowns, times `sign`, into a row of the matrix. */
static void velocity_row(const slip_pgs_problem *problem, const layout *at, int i, double sign,
                         double *matrix)
{
    for (int j = 0; j < problem->m; j++) {
        double g = sign * problem->gram[(int64_t)i * problem->m + j] * at->impulse / at->speed;
        matrix[at->first[j]] += g;
        if (problem->rows[j].kind == SLIP_PGS_TANGENT)
            matrix[at->first[j] + 1] -= g;
    }
}

static void tangent_rows(const slip_pgs_problem *problem, const layout *at, int i, double *matrix,
                         double *right)
{
    const slip_pgs_row *row = &problem->rows[i];
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

static bool solve_lcp(const slip_pgs_problem *problem, const layout *at, slip_pgs_solution *s,
                      slip_pgs_memory *memory)
{
    const int64_t count = at->count;
    double *matrix = memory->numbers, *right = matrix + count * count, *z = right + count;
    memset(matrix, 0, (size_t)(count * count) * sizeof(double));
    for (int i = 0; i < problem->m; i++) {
        int k = at->first[i];
        if (problem->rows[i].kind == SLIP_PGS_TANGENT) {
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
        s->p[i] = at->impulse * (problem->rows[i].kind == SLIP_PGS_TANGENT ? z[k] - z[k + 1] : z[k]);
    }
    return true;
}

/* The states that a solution stands for. Returns whether a tangent slides that was not known to. */
static bool read_states(const slip_pgs_problem *problem, const layout *at, slip_pgs_solution *s)
{
    bool news = false;
    double small = 1e-10 * scale_of(problem);
    for (int i = 0; i < problem->m; i++) {
        const slip_pgs_row *row = &problem->rows[i];
        double y = velocity_of(problem, s->p, i);
        if (row->kind == SLIP_PGS_NORMAL) {
            s->states[i] = s->p[i] > 0 ? SLIP_PGS_ZERO : SLIP_PGS_OPEN;
            continue;
        }
        s->states[i] = y > small ? SLIP_PGS_PLUS : y < -small ? SLIP_PGS_MINUS : SLIP_PGS_ZERO;
        if (s->states[i] != SLIP_PGS_ZERO && !at->sliding[i]) {
            at->sliding[i] = 1;
            news |= row->slide < row->hold;
        }
    }
    return news;
}

/* Bounds of the tangents that slide are lowered from `hold` to `slide` until none is left to lower. */
bool slip_pgs_lemke(const slip_pgs_problem *problem, slip_pgs_solution *s, slip_pgs_memory *memory)
{
    layout at = {0, memory->indices, memory->indices + problem->m, scale_of(problem), 0};
    double largest = DBL_MIN;
    if (problem->m > slip_pgs_lemke_most)
        return false;
    for (int i = 0; i < problem->m; i++) {
        if (problem->rows[i].kind == SLIP_PGS_LINEAR)
            return false;
        at.first[i] = at.count;
        at.sliding[i] = 0;
        largest = fmax(largest, problem->gram[(int64_t)i * (problem->m + 1)]);
        at.count += problem->rows[i].kind == SLIP_PGS_TANGENT ? 3 : 1;
    }
    at.impulse = at.speed / largest;
    do
        if (!solve_lcp(problem, &at, s, memory))
            return false;
    while (read_states(problem, &at, s));
    fill_velocities(problem, s);
    return true;
}

/* ---- All together. */

/* What cannot be solved by anything else: many sweeps, and what they leave is reported. */
static double last_resort(const slip_pgs_problem *problem, slip_pgs_solution *s)
{
    slip_pgs_sweep(problem, s, 1e-15, 5000);
    fill_velocities(problem, s);
    return slip_pgs_residual(problem, s->p);
}

static double solve_many(const slip_pgs_problem *problem, slip_pgs_solution *s, slip_pgs_memory *memory)
{
    static const int rounds[] = {2, 6, 20, 80};
    enum { few = 24, tries = 12 };
    /* Of few rows sweeps cost nothing, and find the nearest solution where there are several. */
    if (slip_pgs_newton(problem, s, memory, problem->m > few ? tries : 1))
        return slip_pgs_residual(problem, s->p);
    for (int k = 0; k < 4; k++) {
        bool settled = slip_pgs_sweep(problem, s, 1e-15, rounds[k]) > 0;
        if (settled && slip_pgs_residual(problem, s->p) <= accepted(problem)) {
            slip_pgs_direct(problem, s, memory);
            fill_velocities(problem, s);
            return slip_pgs_residual(problem, s->p);
        }
        if (slip_pgs_direct(problem, s, memory))
            return slip_pgs_residual(problem, s->p);
    }
    if (slip_pgs_newton(problem, s, memory, tries))
        return slip_pgs_residual(problem, s->p);
    if (slip_pgs_lemke(problem, s, memory) && slip_pgs_residual(problem, s->p) <= accepted(problem)) {
        slip_pgs_direct(problem, s, memory);
        return slip_pgs_residual(problem, s->p);
    }
    return last_resort(problem, s);
}

double slip_pgs_solve(const slip_pgs_problem *problem, slip_pgs_solution *s, slip_pgs_memory *memory)
{
    const slip_pgs_row *rows = problem->rows;
    if (problem->m == 1 && problem->gram[0] > 0)
        return solve_one(problem, s);
    if (problem->m == 2 && rows[0].kind == SLIP_PGS_NORMAL && rows[1].kind == SLIP_PGS_TANGENT &&
        rows[1].normal == 0 && problem->gram[0] > 0 && problem->gram[3] > 0 && solve_pair(problem, s))
        return slip_pgs_residual(problem, s->p);
    return problem->m > 0 ? solve_many(problem, s, memory) : 0;
}
