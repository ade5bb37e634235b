/* Planes with other rows, solved in rounds: the other rows for given impulses of the planes, then one plane
 * after the other. If the sets of admissible impulses are convex this is block coordinate descent on p G p/2
 * + b p, which converges from any start, but slowly where a light body lies between heavy ones. Anderson's
 * acceleration reduces the number of rounds: with a round from p to g(p) and previous rounds, it continues
 * from the linear combination whose change g(p) - p is smallest. Where that diverges, plain rounds follow,
 * twice as many each time, so that convergence is guaranteed.
 *
 * Where the stick bound exceeds the slip bound (hold > slide) the sets are not convex, and the rounds may
 * oscillate: a body slips, another one follows and unloads it, it sticks, and the other one stays behind.
 * Then a sequence of convex problems is solved. In the first all rows have their stick bound in slip too.
 * Rows that slip in the solution get their slip bound, in stick as well, and the problem is solved again,
 * until no further row slips. The result satisfies the laws. */
#include "contact/plane.h"

#include "math/dense.h"

#include <string.h>

enum { quick_rounds = 60, sure_rounds = 20000, most_pairs = 8 };

typedef struct rounds {
    slip_contact_problem problem; /* with `blocks` as its rows, whose bounds change on the way */
    const slip_block *given;
    slip_block *blocks;
    slip_contact_solution *solution;
    slip_contact_memory inner;
    slip_contact_problem rest; /* the rows that are not of planes */
    double *rest_gram, *rest_initial;
    slip_block *rest_blocks;
    slip_contact_solution rest_solution;
    int *rest_row; /* in the problem, of each row of the rest */
    int *row;      /* of each number below */
    double residual;
    int size, most,
        count; /* numbers of a vector of the planes' impulses; pairs of vectors, how many there may be */
    double *before, *after, *change, *last_after, *last_change; /* a round, and the one before it */
    double *pairs, *scratch; /* differences between rounds: of the change, and of what came out */
} rounds;

int64_t slip_contact_rounds_numbers(int m)
{
    return (int64_t)m * m + (3 + 5 + 4 * most_pairs) * (int64_t)m;
}

/* Divides the memory, and the rows. */
static void open_rounds(rounds *r, slip_contact_memory *memory)
{
    const int m = r->problem.m;
    int *place = memory->indices + m + m;
    double *numbers = memory->numbers;
    r->inner = *memory;
    r->rest_row = memory->indices;
    r->row = memory->indices + m;
    r->inner.indices = place + m;
    r->blocks = memory->blocks;
    r->rest_blocks = memory->blocks + m;
    r->rest_solution.states = memory->states;
    memcpy(r->blocks, r->given, (size_t)m * sizeof *r->blocks);
    r->problem.rows = r->blocks;
    r->rest.rows = r->rest_blocks;
    for (int i = 0; i < m; i++) {
        place[i] = r->rest.m;
        if (r->blocks[i].kind == SLIP_BLOCK_PLANE || r->blocks[i].kind == SLIP_BLOCK_PART)
            r->row[r->size++] = i;
        else
            r->rest_row[r->rest.m++] = i;
    }
    double **vectors[] = {&r->rest_initial, &r->rest_solution.p, &r->rest_solution.y, &r->before,
                          &r->after,        &r->change,          &r->last_after,      &r->last_change};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++, numbers += m)
        *vectors[k] = numbers;
    r->most = r->size < most_pairs ? r->size : most_pairs;
    r->pairs = numbers;
    r->scratch = r->pairs + 2 * r->most * r->size;
    r->rest_gram = r->scratch + 2 * r->most * r->size;
    r->inner.numbers = r->rest_gram + (int64_t)r->rest.m * r->rest.m;
    r->rest.gram = r->rest_gram;
    r->rest.initial = r->rest_initial;
    for (int i = 0; i < r->rest.m; i++) {
        const int from = r->rest_row[i];
        r->rest_blocks[i] = r->blocks[from];
        if (r->rest_blocks[i].normal >= 0)
            r->rest_blocks[i].normal = place[r->rest_blocks[i].normal];
        r->rest_solution.p[i] = r->solution->p[from];
        r->rest_solution.states[i] = r->solution->states[from];
        for (int j = 0; j < r->rest.m; j++)
            r->rest_gram[i * r->rest.m + j] = r->problem.gram[(int64_t)from * m + r->rest_row[j]];
    }
}

/* ---- One round. */

static void get_impulses(const rounds *r, double *impulses)
{
    for (int k = 0; k < r->size; k++)
        impulses[k] = r->solution->p[r->row[k]];
}

static void set_impulses(rounds *r, const double *impulses)
{
    for (int k = 0; k < r->size; k++)
        r->solution->p[r->row[k]] = impulses[k];
}

static void solve_rest(rounds *r)
{
    const slip_contact_problem *problem = &r->problem;
    for (int i = 0; i < r->rest.m; i++) {
        r->rest_initial[i] = problem->initial[r->rest_row[i]];
        for (int k = 0; k < r->size; k++)
            r->rest_initial[i] +=
                problem->gram[(int64_t)r->rest_row[i] * problem->m + r->row[k]] * r->solution->p[r->row[k]];
    }
    r->residual = slip_contact_solve(&r->rest, &r->rest_solution, &r->inner);
    for (int i = 0; i < r->rest.m; i++)
        r->solution->p[r->rest_row[i]] = r->rest_solution.p[i];
}

static bool solve_plane(rounds *r, slip_plane *plane)
{
    const slip_contact_problem *problem = &r->problem;
    double y[3], gram[9];
    for (int k = 0; k < plane->rank; k++) {
        const double *row = problem->gram + (int64_t)(plane->row + k) * problem->m;
        y[k] = slip_contact_velocity(problem, r->solution->p, plane->row + k);
        for (const slip_plane *one = plane; one; one = slip_plane_leads(plane) ? one->next : NULL)
            for (int l = 0; l < one->rank; l++)
                y[k] -= row[one->row + l] * r->solution->p[one->row + l];
        for (int l = 0; l < plane->rank; l++)
            gram[plane->rank * k + l] = row[plane->row + l];
    }
    return slip_plane_solve(plane, r->blocks, gram, y, r->solution->p);
}

/* False when a plane was not solved. */
static bool go_round(rounds *r)
{
    get_impulses(r, r->before);
    solve_rest(r);
    for (int k = 0; k < r->size; k++) {
        const slip_block *block = &r->blocks[r->row[k]];
        if (block->kind == SLIP_BLOCK_PLANE && !slip_plane_follows(block->plane) &&
            !solve_plane(r, block->plane)) {
            set_impulses(r, r->before);
            return false;
        }
    }
    return true;
}

/* The largest change of an impulse, relative to the impulses. */
static double measure(rounds *r)
{
    double largest = 0, scale = 0, limit = 0;
    get_impulses(r, r->after);
    for (int k = 0; k < r->size; k++) {
        const slip_block *block = &r->blocks[r->row[k]];
        if (block->kind == SLIP_BLOCK_PLANE)
            limit = r->given[r->row[k]].slide * slip_block_load(block, r->solution->p);
        r->change[k] = r->after[k] - r->before[k];
        scale = fmax(scale, fabs(r->after[k]) + limit);
        largest = fmax(largest, fabs(r->change[k]));
    }
    return largest > 0 ? largest / scale : 0;
}

/* ---- Acceleration. */

static void remember(rounds *r, bool first)
{
    const int size = r->size;
    if (first)
        r->count = 0;
    if (!first) {
        int kept = r->count < r->most ? r->count : r->most - 1;
        memmove(r->pairs + 2 * size, r->pairs, (size_t)(2 * size * kept) * sizeof(double));
        for (int i = 0; i < size; i++) {
            r->pairs[i] = r->change[i] - r->last_change[i];
            r->pairs[size + i] = r->after[i] - r->last_after[i];
        }
        r->count = kept + 1;
    }
    memcpy(r->last_after, r->after, (size_t)size * sizeof(double));
    memcpy(r->last_change, r->change, (size_t)size * sizeof(double));
}

/* Anderson's step: after - sum of c_j (differences of `after`), with the c_j that minimise |change - sum of
 * c_j (differences of `change`)|, by orthogonalisation, the newest first. Overwrites `change`. */
static void accelerate(rounds *r)
{
    const int size = r->size;
    int used = 0;
    for (int j = 0; j < r->count; j++) {
        double *own = r->scratch + 2 * size * used, before, length, part;
        memcpy(own, r->pairs + 2 * size * j, (size_t)(2 * size) * sizeof(double));
        before = sqrt(slip_dense_dot(size, own, own));
        for (int k = 0; k < used; k++) {
            const double *other = r->scratch + 2 * size * k;
            part = slip_dense_dot(size, own, other);
            for (int i = 0; i < 2 * size; i++)
                own[i] -= part * other[i];
        }
        length = sqrt(slip_dense_dot(size, own, own));
        if (!(length > 1e-6 * before))
            continue;
        for (int i = 0; i < 2 * size; i++)
            own[i] /= length;
        part = slip_dense_dot(size, own, r->change);
        for (int i = 0; i < size; i++) {
            r->change[i] -= part * own[i];
            r->after[i] -= part * own[size + i];
        }
        used++;
    }
    set_impulses(r, r->after);
}

/* Rounds until the changes are rounding errors, which is recognised by their not decreasing any more. */
static bool settle(rounds *r, int most)
{
    const double wanted = 1e-14, rounding = 1e-11;
    enum { patience = 50 };
    double least = INFINITY, near = INFINITY;
    int wait = 0, plain = 8, idle = 0;
    bool first = true;
    for (int round = 0; round < most; round++) {
        if (!go_round(r))
            return false;
        double change = measure(r);
        if (change <= wanted)
            return true;
        idle = change < 0.5 * least ? 0 : idle + 1;
        least = fmin(least, change);
        if (idle > patience && change <= rounding)
            return true;
        if (change > 2 * near) {
            wait = plain;
            plain *= 2;
            first = true;
        }
        near = first ? change : fmin(near, change);
        remember(r, first);
        first = false;
        if (wait > 0)
            wait--;
        else
            accelerate(r);
    }
    return false;
}

/* ---- All of it. */

/* Gives slipping rows their slip bound; false if all of them have it already. */
static bool release(rounds *r)
{
    bool some = false;
    for (int i = 0; i < r->problem.m; i++) {
        slip_block *block = &r->blocks[i];
        if (block->kind != SLIP_BLOCK_PLANE || block->plane->stuck || block->slide == r->given[i].slide)
            continue;
        block->hold = block->slide = r->given[i].slide;
        some = true;
    }
    for (int i = 0; i < r->rest.m; i++) {
        const slip_block_state state = r->rest_solution.states[i];
        const double slide = r->given[r->rest_row[i]].slide;
        if ((state != SLIP_BLOCK_PLUS && state != SLIP_BLOCK_MINUS) || r->rest_blocks[i].slide == slide)
            continue;
        r->rest_blocks[i].hold = r->rest_blocks[i].slide = slide;
        some = true;
    }
    return some;
}

static bool settle_surely(rounds *r)
{
    for (int i = 0; i < r->problem.m; i++)
        r->blocks[i].slide = r->blocks[i].hold;
    for (int i = 0; i < r->rest.m; i++)
        r->rest_blocks[i].slide = r->rest_blocks[i].hold;
    do
        if (!settle(r, sure_rounds))
            return false;
    while (release(r));
    return true;
}

/* The states of planes, and all velocities. */
static void read_states(const slip_contact_problem *problem, slip_contact_solution *s)
{
    for (int i = 0; i < problem->m; i++) {
        const slip_block *block = &problem->rows[i];
        if (block->kind == SLIP_BLOCK_PLANE)
            for (int k = 0; k < block->plane->rank; k++)
                s->states[i + k] = block->plane->stuck ? SLIP_BLOCK_ZERO : SLIP_BLOCK_SMOOTH;
    }
    slip_contact_fill(problem, s);
}

double slip_contact_rounds(const slip_contact_problem *problem, slip_contact_solution *s,
                           slip_contact_memory *memory)
{
    rounds r = {.problem = *problem, .given = problem->rows, .solution = s};
    bool solved;
    if (problem->rows[0].kind == SLIP_BLOCK_PLANE && problem->m == problem->rows[0].plane->rank) { /* alone */
        solved =
            slip_plane_solve(problem->rows[0].plane, problem->rows, problem->gram, problem->initial, s->p);
        read_states(problem, s);
        return solved ? 0 : INFINITY;
    }
    open_rounds(&r, memory);
    solved = !memory->sure && settle(&r, quick_rounds);
    memory->sure = !solved;
    solved = solved || settle_surely(&r);
    for (int i = 0; i < r.rest.m; i++)
        s->states[r.rest_row[i]] = r.rest_solution.states[i];
    read_states(problem, s);
    memory->known = r.inner.known;
    memory->unique = r.inner.unique;
    return solved ? r.residual : INFINITY;
}
