/* Finds the states of the rows from the problem alone, independently of previous states. Few sets of states
 * are tried in a fixed order; where there are many, the velocities of any solution decide.
 *
 * For given states the laws are linear. Unknown are the impulses of rows with y = 0 (state ZERO); friction
 * that slides comes with its normal impulse. Impulses that are not unique are shared like forces
 * (system/share.c): they are the least within their limits.
 *
 * A sliding plane has p = -slide load t(z), y = L z with L > 0. For given states of all other rows, 1/load is
 * linear in t, and so is y/load = b - K t: the direction z follows in the same way as that of slip that
 * starts from stick (patch/slide.c). Several sliding planes are iterated until no direction changes. */
#include "contact/plane.h"

#include "math/dense.h"
#include "math/least.h"

#include <string.h>

/* All sets of states are tried where they are few; up to a limit also where nothing else leads to a solution.
 * Impulses are shared by this many rows at most. */
enum { few_sets = 256, most_sets = 4096, most_sharing = 128 };

typedef struct search {
    const slip_contact_problem *problem;
    slip_contact_solution *s;
    slip_contact_memory *memory;
    int count;   /* unknowns, */
    int *active; /* their rows */
    int *place;  /* of a row among them, or -1 */
    double *matrix, *kept, *right, *kept_right;
    double slack; /* velocities below this are none */
} search;

static int limits_of(int m)
{
    return 2 * m;
}

int64_t slip_contact_search_numbers(int m)
{
    const int64_t n = m < most_sharing ? m : most_sharing, limits = limits_of((int)n);
    return 2 * (int64_t)m * m + 2 * (int64_t)m + 2 * limits * (n + 1) +
           slip_least_numbers((int)n, (int)n, (int)limits);
}

int64_t slip_contact_search_indices(int m)
{
    const int n = m < most_sharing ? m : most_sharing;
    return 2 * (int64_t)m + slip_least_indices(n, limits_of(n));
}

static search open_search(const slip_contact_problem *problem, slip_contact_solution *s,
                          slip_contact_memory *memory)
{
    const int64_t m = problem->m;
    search a = {.problem = problem, .s = s, .memory = memory, .slack = 1e-10 * slip_contact_size(problem)};
    a.active = memory->indices;
    a.place = a.active + m;
    a.matrix = memory->numbers;
    a.kept = a.matrix + m * m;
    a.right = a.kept + m * m;
    a.kept_right = a.right + m;
    return a;
}

/* ---- Given states. */

/* Replaces impulses that are not unique by the smallest ones within the limits of all rows of one dimension.
 */
static bool share(search *a)
{
    const int n = a->count, most = limits_of(n);
    double *rows = a->kept_right + a->problem->m, *pulls = rows + most * n, *right = pulls + most * n,
           *multipliers = right + most, *numbers = multipliers + most;
    bool *flags = a->memory->flags;
    int limits = 0;
    if (n > most_sharing)
        return false;
    memset(rows, 0, (size_t)(2 * most * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        const slip_block *block = &a->problem->rows[a->active[i]];
        const int normal = block->normal >= 0 ? a->place[block->normal] : -1;
        if (block->kind != SLIP_BLOCK_NORMAL && block->kind != SLIP_BLOCK_FRICTION)
            continue; /* looked at afterwards */
        for (int sign = -1; sign <= (block->kind == SLIP_BLOCK_NORMAL ? -1 : 1); sign += 2, limits++) {
            rows[limits * n + i] = pulls[limits * n + i] = sign;
            right[limits] = 0;
            if (block->kind == SLIP_BLOCK_FRICTION && normal >= 0) {
                rows[limits * n + normal] = -block->hold;
                right[limits] = -block->hold * block->offset;
            } else if (block->kind == SLIP_BLOCK_FRICTION) {
                right[limits] = block->hold;
            }
        }
    }
    const slip_least_problem problem = {.n = n,
                                        .equation_count = n,
                                        .limit_count = limits,
                                        .equations = a->kept,
                                        .limits = rows,
                                        .pulls = pulls,
                                        .right = a->kept_right,
                                        .limit_right = right,
                                        .count = 1};
    return slip_least_find(&problem, flags, flags + most, a->right, multipliers, numbers,
                           a->place + a->problem->m);
}

/* Friction that slides: p = factor times the load. */
static double factor_of(const search *a, int i)
{
    const slip_block *block = &a->problem->rows[i];
    const slip_block_state state = a->s->states[i];
    if (state == SLIP_BLOCK_PLUS || state == SLIP_BLOCK_MINUS)
        return state == SLIP_BLOCK_PLUS ? -block->slide : block->slide;
    if (state == SLIP_BLOCK_SMOOTH && block->plane)
        return -block->slide * block->plane->friction[i - block->plane->row];
    return 0;
}

/* The impulses of the states, into s->p; false where there are none. */
static bool find(search *a)
{
    const slip_contact_problem *problem = a->problem;
    const int m = problem->m;
    double *p = a->s->p;
    a->count = 0;
    for (int i = 0; i < m; i++) {
        const slip_block *block = &problem->rows[i];
        const bool free =
            block->kind == SLIP_BLOCK_NORMAL || block->normal < 0 || a->place[block->normal] >= 0;
        const bool held = a->s->states[i] == SLIP_BLOCK_ZERO && free;
        a->place[i] = held ? a->count : -1;
        if (held)
            a->active[a->count++] = i;
    }
    const int n = a->count;
    for (int i = 0; i < n; i++) {
        const double *g = problem->gram + (int64_t)a->active[i] * m;
        double *row = a->matrix + i * n;
        a->right[i] = -problem->initial[a->active[i]];
        for (int j = 0; j < n; j++)
            row[j] = g[a->active[j]];
        for (int t = 0; t < m; t++) {
            const slip_block *block = &problem->rows[t];
            const double along = g[t] * factor_of(a, t);
            if (block->normal < 0)
                a->right[i] -= along;
            else if (a->place[block->normal] >= 0) {
                row[a->place[block->normal]] += along;
                a->right[i] += along * block->offset;
            }
        }
    }
    memcpy(a->kept, a->matrix, (size_t)(n * n) * sizeof(double));
    memcpy(a->kept_right, a->right, (size_t)n * sizeof(double));
    if (n > 0 && !slip_dense_solve_above(n, a->matrix, a->right, 1e-9) && !share(a))
        return false;
    for (int i = 0; i < m; i++) {
        const int normal = problem->rows[i].normal;
        if (a->place[i] >= 0)
            p[i] = a->right[a->place[i]];
        else if (normal < 0)
            p[i] = factor_of(a, i);
        else
            p[i] = a->place[normal] >= 0 ? factor_of(a, i) * (p[normal] - problem->rows[i].offset) : 0;
    }
    return true;
}

/* ---- Directions of planes that slide. */

/* Whether a part of the slip velocity is given, so that friction does not depend on the direction of y alone.
 */
static bool is_carried(const slip_plane *plane)
{
    return plane->across[0] != 0 || plane->across[1] != 0 || plane->across[2] != 0;
}

/* Sets friction and direction of a plane that slides with y (only the direction of y counts unless
 * is_carried). Returns the change of its friction. */
static double aim(slip_plane *plane, const double *y)
{
    const int rank = plane->rank;
    const double length = is_carried(plane) ? 1 : sqrt(slip_dense_dot(rank, y, y));
    double w[3] = {plane->across[0], plane->across[1], plane->across[2]}, T[3], change = 0;
    for (int k = 0; k < rank; k++) {
        plane->z[k] = y[k] / length;
        for (int i = 0; i < 3; i++)
            w[i] += plane->z[k] * plane->basis[3 * k + i];
    }
    slip_patch_surface(plane->surface, w, T, NULL);
    for (int k = 0; k < rank; k++) {
        const double friction = slip_dense_dot(3, plane->basis + 3 * k, T);
        change = fmax(change, fabs(friction - plane->friction[k]));
        plane->friction[k] = friction;
    }
    return change;
}

/* y over the load, for a plane that slides in the direction z; z NULL: in its present direction. */
static bool slip_along(search *a, slip_plane *plane, const double *z, double *y)
{
    const int normal = a->problem->rows[plane->row].normal;
    if (z)
        aim(plane, z);
    if (!find(a) || (normal >= 0 && !(fabs(a->s->p[normal]) > 0)))
        return false;
    for (int k = 0; k < plane->rank; k++) {
        y[k] = slip_contact_velocity(a->problem, a->s->p, plane->row + k);
        if (z && normal >= 0)
            y[k] /= a->s->p[normal];
    }
    return true;
}

/* Computes the direction of a plane with those of all others fixed. b and K are found by trial slips along
 * the basis and against its first vector. */
static bool turn(search *a, slip_plane *plane, double *change)
{
    const int rank = plane->rank;
    double y[4][3], b[3], K[9], z[3], L, friction[9], before[3];
    if (is_carried(plane)) {
        if (!slip_along(a, plane, NULL, y[0]))
            return false;
        *change = aim(plane, y[0]);
        return true;
    }
    memcpy(z, plane->z, sizeof z);
    memcpy(before, plane->friction, sizeof before);
    for (int l = 0; l <= rank; l++) {
        double along[3] = {0, 0, 0};
        along[l < rank ? l : 0] = l < rank ? 1 : -1;
        if (!slip_along(a, plane, along, y[l]))
            return false;
        if (l < rank)
            memcpy(friction + rank * l, plane->friction, (size_t)rank * sizeof(double));
    }
    for (int j = 0; j < rank; j++) {
        double matrix[9], right[3];
        b[j] = 0.5 * (y[0][j] + y[rank][j]);
        for (int l = 0; l < rank; l++)
            right[l] = b[j] - y[l][j];
        memcpy(matrix, friction, sizeof matrix);
        if (!slip_dense_solve(rank, matrix, right))
            return false;
        memcpy(K + rank * j, right, (size_t)rank * sizeof *right);
    }
    if (!slip_patch_slide(plane->surface, rank, plane->basis, K, b, 1, z, &L))
        return false;
    memcpy(plane->friction, before, sizeof before);
    *change = aim(plane, z);
    return true;
}

/* The impulses of the states, with the directions in which planes slide; false where there are none. */
static bool find_with_directions(search *a)
{
    enum { rounds = 60 };
    double most = 1, change;
    for (int round = 0; round < rounds && most > 1e-13; round++) {
        int sliding = 0;
        most = 0;
        for (int i = 0; i < a->problem->m; i++) {
            slip_plane *plane = a->problem->rows[i].plane;
            if (a->problem->rows[i].kind != SLIP_BLOCK_PLANE || a->s->states[i] != SLIP_BLOCK_SMOOTH)
                continue;
            if (!turn(a, plane, &change))
                return false;
            most = fmax(most, change);
            sliding += 1 + is_carried(plane);
        }
        if (sliding < 2)
            break;
    }
    return find(a);
}

/* ---- All sets of states. */

/* Whether a solution obeys the laws. strict: friction with zero slip must be in stick, and a normal with zero
 * velocity must be closed, so that the choice does not depend on the order of the contacts. */
static bool obeys(const search *a, bool strict)
{
    const slip_contact_problem *problem = a->problem;
    for (int i = 0; i < problem->m; i++) {
        const slip_block *block = &problem->rows[i];
        double size = 0;
        for (int k = 0; k < (block->kind == SLIP_BLOCK_PLANE ? block->plane->rank : 1); k++)
            size = fmax(size, fabs(slip_contact_velocity(problem, a->s->p, i + k)));
        /* linearly dependent rows may have been left out of the equations, so they are checked */
        if (a->place[i] >= 0 && size > 10 * a->slack)
            return false;
        if (strict && a->s->states[i] != SLIP_BLOCK_ZERO && block->kind != SLIP_BLOCK_PART && size < a->slack)
            return false;
    }
    return slip_contact_consistent(problem, a->s, a->s->p, a->slack);
}

static void set_states(search *a, int row, slip_block_state state)
{
    const slip_block *block = &a->problem->rows[row];
    for (int k = 0; k < (block->kind == SLIP_BLOCK_PLANE ? block->plane->rank : 1); k++)
        a->s->states[row + k] = state;
}

/* The next state of friction; false where it is back at the first. */
static bool next_friction(search *a, int row)
{
    const bool plane = a->problem->rows[row].kind == SLIP_BLOCK_PLANE;
    const slip_block_state now = a->s->states[row];
    set_states(a, row,
               now == SLIP_BLOCK_ZERO   ? (plane ? SLIP_BLOCK_SMOOTH : SLIP_BLOCK_PLUS)
               : now == SLIP_BLOCK_PLUS ? SLIP_BLOCK_MINUS
                                        : SLIP_BLOCK_ZERO);
    return a->s->states[row] != SLIP_BLOCK_ZERO;
}

/* The same of a block: a normal has the states of its friction, the next row, and then is open. */
static bool next_state(search *a, int row)
{
    const slip_block *rows = a->problem->rows;
    if (rows[row].kind == SLIP_BLOCK_PART || (rows[row].kind != SLIP_BLOCK_NORMAL && rows[row].normal >= 0))
        return false;
    if (rows[row].kind != SLIP_BLOCK_NORMAL)
        return next_friction(a, row);
    const bool rubs = row + 1 < a->problem->m && rows[row + 1].normal == row;
    const bool open = a->s->states[row] == SLIP_BLOCK_OPEN;
    if (!open && rubs && next_friction(a, row + 1))
        return true;
    a->s->states[row] = open ? SLIP_BLOCK_ZERO : SLIP_BLOCK_OPEN;
    return !open;
}

static double count_sets(const slip_contact_problem *problem)
{
    double product = 1;
    for (int i = 0; i < problem->m; i++) {
        const slip_block *block = &problem->rows[i];
        const int ways = block->kind == SLIP_BLOCK_FRICTION ? 3 : block->kind == SLIP_BLOCK_PLANE ? 2 : 1;
        if (block->kind == SLIP_BLOCK_NORMAL)
            product *= i + 1 < problem->m && problem->rows[i + 1].normal == i ? 1 : 2;
        else if (block->kind != SLIP_BLOCK_PART)
            product *= ways + (block->normal >= 0);
    }
    return product;
}

/* Friction before any impulse, in the direction of the slip. */
static void start(search *a)
{
    for (int i = 0; i < a->problem->m; i++) {
        const slip_block *block = &a->problem->rows[i];
        const double *b = a->problem->initial + i;
        a->s->states[i] = SLIP_BLOCK_ZERO;
        a->s->p[i] = 0;
        if (block->kind == SLIP_BLOCK_PLANE)
            aim(block->plane, slip_dense_dot(block->plane->rank, b, b) > 0 || is_carried(block->plane)
                                  ? b
                                  : (const double[3]){1, 0, 0});
    }
}

/* The first set that obeys the laws. */
static bool try_all(search *a, bool strict)
{
    int row;
    start(a);
    do {
        if (find_with_directions(a) && obeys(a, strict))
            return true;
        for (row = 0; row < a->problem->m && !next_state(a, row);)
            row++;
    } while (row < a->problem->m);
    return false;
}

/* Reads the states off the velocities of any solution; these are unique more often than the impulses. */
static void read_states(search *a)
{
    for (int i = 0; i < a->problem->m; i++) {
        const slip_block *block = &a->problem->rows[i];
        const double *y = a->s->y + i;
        if (block->kind == SLIP_BLOCK_NORMAL)
            a->s->states[i] = *y > a->slack ? SLIP_BLOCK_OPEN : SLIP_BLOCK_ZERO;
        else if (block->kind == SLIP_BLOCK_FRICTION)
            a->s->states[i] = fabs(*y) <= a->slack ? SLIP_BLOCK_ZERO
                              : *y > 0             ? SLIP_BLOCK_PLUS
                                                   : SLIP_BLOCK_MINUS;
        else if (block->kind == SLIP_BLOCK_PLANE && a->s->states[i] != SLIP_BLOCK_ZERO)
            aim(block->plane, y);
    }
}

/* The smallest impulses for these states, or, where there are none, those of the solution. */
static bool by_velocities(search *a)
{
    const size_t size = (size_t)a->problem->m * sizeof(double);
    double *p = a->memory->saved;
    start(a);
    a->memory->sure = false;
    if (!(slip_contact_solve(a->problem, a->s, a->memory) < INFINITY))
        return false;
    memcpy(p, a->s->p, size);
    read_states(a);
    if (find(a) && (obeys(a, true) || obeys(a, false)))
        return true;
    memcpy(a->s->p, p, size);
    return obeys(a, false);
}

bool slip_contact_search(const slip_contact_problem *problem, slip_contact_solution *s,
                         slip_contact_memory *memory)
{
    search a = open_search(problem, s, memory);
    const double sets = count_sets(problem);
    if (!(sets > few_sets && by_velocities(&a)) &&
        !(sets <= most_sets && (try_all(&a, true) || try_all(&a, false))) &&
        !(sets <= few_sets && by_velocities(&a)))
        return false;
    for (int i = 0; i < problem->m; i++) {
        const int normal = problem->rows[i].normal;
        if (problem->rows[i].kind == SLIP_BLOCK_NORMAL && s->p[i] < 0)
            s->p[i] = 0;
        if (normal >= 0 && s->states[normal] == SLIP_BLOCK_OPEN) { /* it moves as the others let it */
            const double y = slip_contact_velocity(problem, s->p, i);
            s->states[i] = problem->rows[i].kind != SLIP_BLOCK_FRICTION ? SLIP_BLOCK_SMOOTH
                           : y > 0                                      ? SLIP_BLOCK_PLUS
                           : y < 0                                      ? SLIP_BLOCK_MINUS
                                                                        : SLIP_BLOCK_ZERO;
        }
    }
    slip_contact_fill(problem, s);
    return true;
}
