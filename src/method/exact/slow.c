/* Motion whose fastest part has decayed.
 *
 * A light mass on a damper, or a stiff part of a structure, gives A eigenvalues whose motion soon decays, but
 * which keep steps short. The left invariant subspace of the eigenvalues that are much larger than all
 * others, in echelon form, shows that in the motion without them some entries of y follow from the others,
 *
 *     y_p = F y_f,   A_pp F + A_pf = F (A_ff + A_fp F),   w = y_p - F y_f,   w' = (A_pp - F A_fp) w.
 *
 * Where w has fallen below rounding, the motion goes on as y_f' = (A_ff + A_fp F) y_f, and every row over y
 * becomes a row over y_f: that is a set of its own, with its own rate, rungs and bounds, and perhaps with a
 * slower set in turn. Schur's form gives F in the balanced coordinates of y; the fixed-point iteration of the
 * equation above, which contracts by the ratio of the rates, makes small entries as good as large ones. */
#include "math/dense.h"
#include "method/exact/reduce.h"
#include "method/exact/types.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The least ratio of fast eigenvalues to the others, and the least decay rate of the fast ones. */
static const double apart = 4, least_decay = 1e-6;

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Selects the eigenvalues above the first gap in size, from above; the slowest of their decay rates is noted,
 * 0 where one does not decay. */
static void choose_fast(void *user, int n, const double *real, const double *imaginary, int *wanted)
{
    double least;
    double *decay = user;
    SLIP_FREED double *sizes = slip_alloc(n, sizeof *sizes);
    int count = 1;
    *decay = 0;
    if (!sizes)
        return;
    for (int i = 0; i < n; i++)
        sizes[i] = hypot(real[i], imaginary[i]);
    qsort(sizes, (size_t)n, sizeof *sizes, descending);
    while (count < n && sizes[count - 1] < apart * sizes[count])
        count++;
    least = count < n ? sizes[count - 1] : INFINITY;
    *decay = sizes[0];
    for (int i = 0; i < n; i++)
        if (hypot(real[i], imaginary[i]) >= least)
            *decay = fmin(*decay, -real[i]);
    if (count == n || !(*decay > least_decay * sizes[0]))
        *decay = 0;
    for (int i = 0; i < n; i++)
        wanted[i] = *decay > 0 && hypot(real[i], imaginary[i]) >= least;
}

/* Everything needed while a slower set is made. */
typedef struct draft {
    const slip_exact_set *set;
    slip_exact_set *slow;
    slip_arena arena;
    const double *generator, *position, *shown; /* dense rows of the set; for a wide set they are made here */
    int size, fast, rest;                       /* numbers of entries of y, of y_p, and of y_f */
    const int *place, *kept;                    /* indices of y_p and of y_f */
    double *follow;                             /* F, fast x rest */
    double *weight;                             /* of the entries y_p, in balanced coordinates */
} draft;

static double *new_rows(draft *d, int count, int length)
{
    return slip_arena_array(&d->arena, (int64_t)count * length + 1, sizeof(double));
}

/* Converts `count` rows over y to rows over y_f. */
static void restrict_rows(const draft *d, int count, const double *rows, double *result)
{
    for (int i = 0; i < count; i++, rows += d->size, result += d->rest) {
        for (int j = 0; j < d->rest; j++)
            result[j] = rows[d->kept[j]];
        for (int k = 0; k < d->fast; k++)
            for (int j = 0; j < d->rest && rows[d->place[k]] != 0; j++)
                result[j] += rows[d->place[k]] * d->follow[k * d->rest + j];
    }
}

/* Computes F from the balanced subspace; y_p is chosen among the coordinates, not the loads at the end. False
 * when there is no such subspace. */
static bool divide(draft *d, int loads)
{
    const int size = d->size;
    double *matrix = new_rows(d, size, size), *part = new_rows(d, size, size), *scale = new_rows(d, 1, size),
           *weight = new_rows(d, 1, size), *sizes = new_rows(d, 1, size);
    int *place = slip_arena_array(&d->slow->arena, size + 1, sizeof(int)),
        *kept = slip_arena_array(&d->slow->arena, size + 1, sizeof(int)),
        *candidate = slip_arena_array(&d->arena, size + 1, sizeof(int));
    if (!candidate || !matrix || !part || !scale || !weight || !sizes || !place || !kept)
        return false;
    memcpy(matrix, d->generator, (size_t)size * (size_t)size * sizeof(double));
    d->fast = slip_dense_invariant(size, matrix, scale, part, choose_fast, &d->slow->decay);
    if (d->fast <= 0 || d->fast >= size)
        return false;
    for (int j = 0; j < size - loads; j++)
        weight[j] = 1;
    if (slip_exact_echelon(d->fast, size, part, NULL, weight, place, sizes, candidate) != d->fast)
        return false;
    for (int j = 0; j < size; j++) {
        bool follows = false;
        for (int k = 0; k < d->fast; k++)
            follows |= place[k] == j;
        if (!follows)
            kept[d->rest++] = j;
    }
    d->place = place;
    d->kept = kept;
    d->weight = slip_arena_array(&d->slow->arena, d->fast + 1, sizeof(double));
    d->follow = slip_arena_array(&d->slow->arena, (int64_t)d->fast * d->rest + 1, sizeof(double));
    if (!d->weight || !d->follow)
        return false;
    for (int k = 0; k < d->fast; k++)
        d->weight[k] = scale[place[k]];
    for (int k = 0; k < d->fast; k++)
        for (int j = 0; j < d->rest; j++)
            d->follow[k * d->rest + j] = -part[k * size + kept[j]] * (scale[kept[j]] / scale[place[k]]);
    return true;
}

/* F = A_pp^-1 (F (A_ff + A_fp F) - A_pf), by fixed-point iteration. False where it does not converge. */
static bool refine(draft *d)
{
    const int fast = d->fast, rest = d->rest, size = d->size;
    const double *a = d->generator;
    double *square = new_rows(d, fast, fast), *slow = new_rows(d, rest, rest),
           *next = new_rows(d, fast, rest), *rows = new_rows(d, rest, size), last = INFINITY;
    if (!square || !slow || !next || !rows)
        return false;
    for (int i = 0; i < rest; i++)
        memcpy(rows + i * size, a + d->kept[i] * size, (size_t)size * sizeof(double));
    for (int round = 0; round < 100; round++) {
        double change = 0;
        restrict_rows(d, rest, rows, slow);
        for (int k = 0; k < fast; k++) {
            for (int l = 0; l < fast; l++)
                square[k * fast + l] = a[d->place[k] * size + d->place[l]];
            for (int j = 0; j < rest; j++)
                next[k * rest + j] = -a[d->place[k] * size + d->kept[j]];
        }
        slip_exact_multiply_add(fast, rest, rest, 1, d->follow, slow, next);
        if (!slip_exact_solve(fast, square, rest, next))
            return false;
        for (int i = 0; i < fast * rest; i++)
            if (next[i] != 0 || d->follow[i] != 0)
                change = fmax(change, fabs(next[i] - d->follow[i]) / (fabs(next[i]) + fabs(d->follow[i])));
        memcpy(d->follow, next, (size_t)(fast * rest) * sizeof(double));
        if (change <= 4 * DBL_EPSILON || (change <= 1e-12 && change >= last))
            return true;
        last = change;
    }
    return false;
}

static bool fill_watches(draft *d)
{
    enum { terms = slip_exact_degree + 1 };
    const slip_exact_set *set = d->set;
    slip_exact_set *slow = d->slow;
    SLIP_FREED double *growth = slow->wide ? NULL : slip_exact_growth_create(slow);
    double *row = new_rows(d, 1, d->size), *reduced = new_rows(d, 2, d->rest);
    bool complete = (growth || slow->wide) && row && reduced;
    for (int i = 0; i < set->watch_count && complete; i++) {
        const slip_exact_watch *from = &set->watches[i];
        slip_exact_watch *to = &slow->watches[slow->watch_count++];
        int entries = 0;
        *to = (slip_exact_watch){.contact = from->contact, .sign = from->sign, .condition = from->condition};
        if (set->wide)
            slip_exact_sparse_give(&from->row, d->size, row);
        for (int j = 0; j < d->size && !set->wide; j++)
            row[j] = from->taylor[j * terms];
        restrict_rows(d, 1, row, reduced);
        for (int j = 0; j < d->rest; j++)
            entries += reduced[j] != 0;
        to->is_entry = from->is_entry && entries == 1;
        complete = slow->wide ? slip_exact_sparse_take(&slow->arena, 1, d->rest, reduced, &to->row)
                              : slip_exact_watch_build(slow, to, growth, reduced, reduced + d->rest);
    }
    return complete;
}

/* Takes the dense rows of the set; for a wide set, makes them from the sparse rows. */
static bool take_rows(draft *d, int n, int contacts)
{
    const slip_exact_set *set = d->set;
    d->generator = set->generator;
    d->position = set->position;
    d->shown = set->slip;
    if (!set->wide)
        return true;
    double *rows = new_rows(d, d->size + 3 * n + 4 * contacts, d->size);
    if (!rows)
        return false;
    d->generator = rows;
    d->position = rows + d->size * d->size;
    d->shown = d->position + 3 * n * d->size;
    slip_exact_sparse_give(&set->sparse, d->size, rows);
    slip_exact_sparse_give(&set->sparse_motion, d->size, rows + d->size * d->size);
    slip_exact_sparse_give(&set->sparse_contacts, d->size, rows + (d->size + 3 * n) * d->size);
    return true;
}

/* Makes the matrices of a narrow set. */
static bool make_matrices(draft *d, int n, int contacts)
{
    slip_exact_set *slow = d->slow;
    slow->motion = slip_arena_array(&slow->arena, (int64_t)slow->motion_rows * d->rest + 1, sizeof(double));
    slow->contacts =
        slip_arena_array(&slow->arena, (int64_t)slow->contact_rows * d->rest + 1, sizeof(double));
    if (!slow->motion || !slow->contacts)
        return false;
    for (int j = 0; j < d->rest; j++) {
        for (int i = 0; i < 3 * n; i++)
            slow->motion[j * slow->motion_rows + i] = slow->position[i * d->rest + j];
        for (int i = 0; i < 4 * contacts; i++)
            slow->contacts[j * slow->contact_rows + i] = slow->slip[i * d->rest + j];
    }
    return slip_exact_ladder_build(slow);
}

static bool fill(draft *d, int loads, int n, int contacts)
{
    const slip_exact_set *set = d->set;
    slip_exact_set *slow = d->slow;
    double *rows;
    if (!take_rows(d, n, contacts) || !divide(d, loads) || !refine(d))
        return false;
    slow->size = d->rest;
    slow->padded = d->rest + d->rest % 2;
    slow->wide = slow->size > slip_exact_narrow;
    slow->late_terms = set->late_terms;
    slow->watches_gaps = set->watches_gaps;
    slow->motion_rows = set->motion_rows;
    slow->contact_rows = set->contact_rows;
    slip_arena *arena = slow->wide ? &d->arena : &slow->arena;
    slow->generator = slip_arena_array(arena, (int64_t)d->rest * d->rest + 1, sizeof(double));
    slow->position = slip_arena_array(arena, (int64_t)(3 * n) * d->rest + 1, sizeof(double));
    slow->slip = slip_arena_array(arena, (int64_t)(4 * contacts) * d->rest + 1, sizeof(double));
    slow->watches = slip_arena_array(&slow->arena, set->watch_count + 1, sizeof *slow->watches);
    rows = new_rows(d, d->rest, d->size);
    if (!slow->generator || !slow->position || !slow->slip || !slow->watches || !rows)
        return false;
    for (int i = 0; i < d->rest; i++)
        memcpy(rows + i * d->size, d->generator + d->kept[i] * d->size, (size_t)d->size * sizeof(double));
    restrict_rows(d, d->rest, rows, slow->generator);
    restrict_rows(d, 3 * n, d->position, slow->position);
    restrict_rows(d, 4 * contacts, d->shown, slow->slip);
    return (slow->wide ? slip_exact_wide_build(slow, n, contacts) : make_matrices(d, n, contacts)) &&
           slow->rate < set->rate && fill_watches(d);
}

/* Makes the slower set of a set, once; it stays NULL where there is none. */
static void make_slow(const slip_exact *exact, slip_exact_set *set)
{
    draft d = {.set = set, .size = set->size, .slow = calloc(1, sizeof *d.slow)};
    set->slow_tried = true;
    if (!d.slow)
        return;
    const bool made = fill(&d, exact->loads.count, exact->system->n, (int)exact->system->contact_count);
    d.slow->follow = d.follow;
    d.slow->place = d.place;
    d.slow->kept = d.kept;
    d.slow->fast = d.fast;
    d.slow->weight = d.weight;
    slip_arena_free(&d.arena);
    if (d.slow->wide)
        d.slow->generator = d.slow->position = d.slow->slip = NULL;
    if (made)
        set->slow = d.slow;
    else
        slip_exact_set_destroy(d.slow);
}

/* Whether y_p = F y_f to rounding. Rounding errors of fast entries spread to the others; in balanced
 * coordinates all entries count alike. */
static bool has_died_out(const slip_exact_set *slow, const double *y)
{
    double left = 0, size = 0;
    for (int k = 0; k < slow->fast; k++) {
        double rest = y[slow->place[k]], sum = fabs(rest);
        for (int j = 0; j < slow->size; j++) {
            const double part = slow->follow[k * slow->size + j] * y[slow->kept[j]];
            rest -= part;
            sum += fabs(part);
        }
        left = fmax(left, fabs(rest) * slow->weight[k]);
        size = fmax(size, sum * slow->weight[k]);
    }
    return left <= 512 * DBL_EPSILON * size;
}

void slip_exact_slow_down(slip_exact *exact)
{
    for (;;) {
        slip_exact_set *set = exact->set, *slow;
        if (!set->slow_tried && set->rate > 0)
            make_slow(exact, set);
        slow = set->slow;
        if (!slow || !has_died_out(slow, exact->y0))
            return;
        for (int j = 0; j < slow->size; j++)
            exact->y0[j] = exact->y0[slow->kept[j]];
        if (slow->padded > slow->size)
            exact->y0[slow->size] = 0;
        exact->set = slow;
        exact->looked = false;
    }
}

double slip_exact_patience(const slip_exact *exact)
{
    const slip_exact_set *set = exact->set;
    if (!set->slow_tried)
        return 2000 / set->rate;
    return set->slow ? 45 / set->slow->decay : INFINITY;
}
