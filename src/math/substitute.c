#include "math/substitute.h"

#include "base/memory.h"
#include "base/threads.h"
#include "math/columns.h"

#include <stdlib.h>
#include <string.h>

enum {
    parts = 16, /* a subtree is at most this part of the factor */
    share = 8   /* columns that a thread takes above the subtrees, at least */
};

struct slip_substitution {
    slip_arena arena; /* of all but `space` */
    slip_supernodes l;
    int64_t *row_of;       /* of each unknown */
    int64_t *supernode_of; /* of each row */
    int64_t *tree_of;      /* of each supernode: its subtree, or -1 above them */
    int64_t tree_count;
    int64_t *begin, *root; /* first and last supernode of each subtree */
    int64_t *sum_place;    /* of each subtree: rows below the roots of those before it; tree_count + 1 */
    int64_t largest;       /* rows below a supernode, at most */
    bool *marked;          /* of each supernode: is on the way */
    double *space;         /* kept from one solve to the next */
    int64_t room;
};

/* One solve. x has the columns of each supernode's own rows one after the other, supernode after supernode;
 * `sums` the same of the rows below the root of each subtree. */
typedef struct pass {
    const slip_substitution *s;
    int64_t count;
    const bool *marked;       /* supernodes that take part; NULL: all */
    double *x, *sums, *below; /* `below`: for each thread, rows below a supernode */
} pass;

/* Whether threads are worth the time to meet: of small factors it is longer than the work. */
static bool many(const pass *p)
{
    return p->count > 1 && p->count * p->s->l.size > 5000;
}

static int64_t columns_of(const slip_supernodes *l, int64_t k)
{
    return l->first[k + 1] - l->first[k];
}

static int64_t below_of(const slip_supernodes *l, int64_t k)
{
    return l->row_start[k + 1] - l->row_start[k] - columns_of(l, k);
}

/* Rows below the supernode's own. */
static const int64_t *rows_of(const slip_supernodes *l, int64_t k)
{
    return l->row + l->row_start[k] + columns_of(l, k);
}

/* ---- the plan ---- */

/* The supernode of the first row below; -1 at a root. */
static int64_t parent_of(const slip_substitution *s, int64_t k)
{
    return below_of(&s->l, k) > 0 ? s->supernode_of[*rows_of(&s->l, k)] : -1;
}

/* `weight` is scratch, one for each supernode: entries of the factor in it and below it in the tree. Children
 * have lower numbers than their parents. */
static void cut_tree(slip_substitution *s, int64_t *weight)
{
    const slip_supernodes *l = &s->l;
    int64_t total = 0;
    for (int64_t k = 0; k < l->count; k++) {
        const int64_t parent = parent_of(s, k), own = columns_of(l, k) * (columns_of(l, k) + below_of(l, k));
        weight[k] += own;
        total += own;
        if (parent >= 0)
            weight[parent] += weight[k];
    }
    for (int64_t k = l->count - 1; k >= 0; k--) {
        const int64_t parent = parent_of(s, k);
        s->tree_of[k] = -1;
        if (parent >= 0 && s->tree_of[parent] >= 0) {
            s->tree_of[k] = s->tree_of[parent];
        } else if (weight[k] * parts <= total) {
            s->root[s->tree_count] = k;
            s->tree_of[k] = s->tree_count++;
        }
        if (s->tree_of[k] >= 0)
            s->begin[s->tree_of[k]] = k;
    }
    for (int64_t t = 0; t < s->tree_count; t++)
        s->sum_place[t + 1] = s->sum_place[t] + below_of(l, s->root[t]);
}

slip_substitution *slip_substitution_create(slip_supernodes factor)
{
    slip_substitution *s = slip_alloc(1, sizeof *s);
    int64_t *weight = slip_alloc(factor.count, sizeof *weight);
    if (s) {
        s->l = factor;
        s->row_of = slip_arena_array(&s->arena, factor.size, sizeof *s->row_of);
        s->marked = slip_arena_array(&s->arena, factor.count, sizeof *s->marked);
        s->supernode_of = slip_arena_array(&s->arena, factor.size, sizeof *s->supernode_of);
        s->tree_of = slip_arena_array(&s->arena, factor.count, sizeof *s->tree_of);
        s->begin = slip_arena_array(&s->arena, factor.count, sizeof *s->begin);
        s->root = slip_arena_array(&s->arena, factor.count, sizeof *s->root);
        s->sum_place = slip_arena_array(&s->arena, factor.count + 1, sizeof *s->sum_place);
    }
    if (!s || !weight || !s->row_of || !s->marked || !s->supernode_of || !s->tree_of || !s->begin ||
        !s->root || !s->sum_place) {
        free(weight);
        slip_substitution_destroy(s);
        return NULL;
    }
    for (int64_t k = 0; k < factor.count; k++) {
        s->largest = below_of(&factor, k) > s->largest ? below_of(&factor, k) : s->largest;
        for (int64_t row = factor.first[k]; row < factor.first[k + 1]; row++)
            s->supernode_of[row] = k;
    }
    for (int64_t row = 0; row < factor.size; row++)
        s->row_of[factor.order[row]] = row;
    cut_tree(s, weight);
    free(weight);
    return s;
}

void slip_substitution_destroy(slip_substitution *s)
{
    if (!s)
        return;
    slip_arena_free(&s->arena);
    free(s->space);
    free(s);
}

/* ---- one supernode, `count` columns from column `first` on ---- */

static double *own_of(const pass *p, int64_t k, int64_t first)
{
    return p->x + p->s->l.first[k] * p->count + first * columns_of(&p->s->l, k);
}

/* The end of the run of rows from i on that belong to one supernode, and its first row in x. */
static int64_t next_run(const pass *p, const int64_t *row, int64_t i, int64_t end, int64_t first, double **to,
                        int64_t *stride)
{
    const int64_t k = p->s->supernode_of[row[i]], last = p->s->l.first[k + 1];
    *to = own_of(p, k, first) - p->s->l.first[k];
    *stride = columns_of(&p->s->l, k);
    while (i < end && row[i] < last)
        i++;
    return i;
}

/* How many of the rows below are below row `end`. */
static int64_t rows_before(const int64_t *row, int64_t count, int64_t end)
{
    while (count > 0 && row[count - 1] >= end)
        count--;
    return count;
}

/* Takes the rows from `inside` on from the sums of the subtree, whose rows contain them. */
static void subtract_from_sums(const pass *p, int64_t tree, const int64_t *row, int64_t inside, int64_t rows,
                               const double *below)
{
    const int64_t root = p->s->root[tree], sum_rows = below_of(&p->s->l, root);
    const int64_t *sum_row = rows_of(&p->s->l, root);
    double *sums = p->sums + p->s->sum_place[tree] * p->count;
    for (int64_t i = inside, at = 0; i < rows; i++) {
        while (sum_row[at] < row[i])
            at++;
        for (int64_t j = 0; j < p->count; j++)
            sums[j * sum_rows + at] -= below[j * rows + i];
    }
}

/* own := L11^-1 own; rows below -= L21 own. */
static void step_up(const pass *p, int64_t k, int64_t first, int64_t count, double *below)
{
    const slip_supernodes *l = &p->s->l;
    const int64_t wide = columns_of(l, k), rows = below_of(l, k), tree = p->s->tree_of[k];
    const int64_t *row = rows_of(l, k);
    const double *factor = l->value + l->value_start[k];
    double *own = own_of(p, k, first), *to;
    slip_columns_substitute(false, wide, rows, count, factor, own, below);
    const int64_t inside = tree < 0 ? rows : rows_before(row, rows, l->first[p->s->root[tree] + 1]);
    for (int64_t i = 0, stride, end; i < inside; i = end) {
        end = next_run(p, row, i, inside, first, &to, &stride);
        for (int64_t j = 0; j < count; j++)
            for (int64_t r = i; r < end; r++)
                to[j * stride + row[r]] -= below[j * rows + r];
    }
    if (inside < rows)
        subtract_from_sums(p, tree, row, inside, rows, below);
}

/* own := L11^-T (own - L21^T rows below). */
static void step_down(const pass *p, int64_t k, int64_t first, int64_t count, double *below)
{
    const slip_supernodes *l = &p->s->l;
    const int64_t wide = columns_of(l, k), rows = below_of(l, k);
    const int64_t *row = rows_of(l, k);
    double *from;
    for (int64_t i = 0, stride, end; i < rows; i = end) {
        end = next_run(p, row, i, rows, first, &from, &stride);
        for (int64_t j = 0; j < count; j++)
            for (int64_t r = i; r < end; r++)
                below[j * rows + r] = from[j * stride + row[r]];
    }
    slip_columns_substitute(true, wide, rows, count, l->value + l->value_start[k], own_of(p, k, first),
                            below);
}

/* ---- all of them ---- */

static bool takes_part(const pass *p, int64_t k, int64_t tree)
{
    return p->s->tree_of[k] == tree && (!p->marked || p->marked[k]);
}

static double *scratch_of_thread(const pass *p)
{
    return p->below + slip_thread_number() * p->s->largest * p->count;
}

static void climb_trees(const pass *p)
{
    const slip_substitution *s = p->s;
    memset(p->sums, 0, sizeof(double) * (size_t)(s->sum_place[s->tree_count] * p->count));
#pragma omp parallel for schedule(dynamic) if (many(p))
    for (int64_t t = 0; t < s->tree_count; t++)
        for (int64_t k = s->begin[t]; k <= s->root[t]; k++)
            if (takes_part(p, k, t))
                step_up(p, k, 0, p->count, scratch_of_thread(p));
    for (int64_t t = 0; t < s->tree_count; t++) {
        const int64_t *row = rows_of(&s->l, s->root[t]), rows = below_of(&s->l, s->root[t]);
        const double *sums = p->sums + s->sum_place[t] * p->count;
        double *to;
        for (int64_t i = 0, stride, end; i < rows; i = end) {
            end = next_run(p, row, i, rows, 0, &to, &stride);
            for (int64_t j = 0; j < p->count; j++)
                for (int64_t r = i; r < end; r++)
                    to[j * stride + row[r]] += sums[j * rows + r];
        }
    }
}

static void descend_trees(const pass *p)
{
    const slip_substitution *s = p->s;
#pragma omp parallel for schedule(dynamic) if (many(p))
    for (int64_t t = 0; t < s->tree_count; t++)
        for (int64_t k = s->root[t]; k >= s->begin[t]; k--)
            if (takes_part(p, k, t))
                step_down(p, k, 0, p->count, scratch_of_thread(p));
}

/* Above the subtrees: up, or down. */
static void pass_top(const pass *p, bool down)
{
    const int64_t supernodes = p->s->l.count, quarter = (p->count + 3) / 4,
                  each = quarter > share ? quarter : share;
#pragma omp parallel for schedule(dynamic) if (many(p))
    for (int64_t first = 0; first < p->count; first += each) {
        const int64_t count = p->count - first < each ? p->count - first : each;
        for (int64_t i = 0; i < supernodes; i++) {
            const int64_t k = down ? supernodes - 1 - i : i;
            if (takes_part(p, k, -1))
                (down ? step_down : step_up)(p, k, first, count, scratch_of_thread(p));
        }
    }
}

/* Between the order of the unknowns and x. */
static void copy_in(const pass *p, const double *right)
{
    const slip_supernodes *l = &p->s->l;
#pragma omp parallel for schedule(dynamic, 64) if (many(p))
    for (int64_t k = 0; k < l->count; k++) {
        double *x = own_of(p, k, 0);
        for (int64_t j = 0; j < p->count; j++)
            for (int64_t row = l->first[k]; row < l->first[k + 1]; row++)
                *x++ = right[j * l->size + l->order[row]];
    }
}

static void copy_out(const pass *p, double *solution)
{
    const slip_supernodes *l = &p->s->l;
#pragma omp parallel for schedule(dynamic, 64) if (many(p))
    for (int64_t k = 0; k < l->count; k++) {
        const double *x = own_of(p, k, 0);
        for (int64_t j = 0; j < p->count; j++)
            for (int64_t row = l->first[k]; row < l->first[k + 1]; row++)
                solution[j * l->size + l->order[row]] = *x++;
    }
}

/* Marks the supernodes from each of the unknowns to the root. NULL stays NULL. */
static const bool *mark(slip_substitution *s, const slip_unknowns *unknowns)
{
    if (!unknowns)
        return NULL;
    memset(s->marked, 0, (size_t)s->l.count * sizeof *s->marked);
    for (int64_t i = 0; i < unknowns->count; i++)
        for (int64_t k = s->supernode_of[s->row_of[unknowns->list[i]]]; k >= 0 && !s->marked[k];
             k = parent_of(s, k))
            s->marked[k] = true;
    return s->marked;
}

/* Room for x, the sums, and rows below a supernode for each thread. */
static bool reserve(slip_substitution *s, int64_t count, pass *p)
{
    const int64_t x = count * s->l.size, sums = count * s->sum_place[s->tree_count];
    const int64_t needed = x + sums + count * slip_threads(0) * s->largest;
    if (needed > s->room) {
        free(s->space);
        s->space = malloc((size_t)needed * sizeof *s->space);
        s->room = s->space ? needed : 0;
    }
    *p = (pass){.s = s, .count = count, .x = s->space, .sums = s->space + x, .below = s->space + x + sums};
    return s->space;
}

bool slip_substitution_up(slip_substitution *s, const double *right, double *y)
{
    pass p;
    if (!reserve(s, 1, &p))
        return false;
    slip_columns_hold(); /* one thread of BLAS for each of ours */
    p.x = y;             /* of one column in the order of the rows */
    copy_in(&p, right);
    climb_trees(&p);
    pass_top(&p, false);
    slip_columns_give_back();
    return true;
}

bool slip_substitution_down(slip_substitution *s, const double *y, double *solution)
{
    pass p;
    if (!reserve(s, 1, &p))
        return false;
    slip_columns_hold(); /* one thread of BLAS for each of ours */
    memcpy(p.x, y, (size_t)s->l.size * sizeof *y);
    pass_top(&p, true);
    descend_trees(&p);
    copy_out(&p, solution);
    slip_columns_give_back();
    return true;
}

bool slip_substitution_solve(slip_substitution *s, const slip_unknowns *from, const slip_unknowns *at,
                             int64_t count, const double *right, double *solution)
{
    pass p;
    if (!reserve(s, count, &p))
        return false;
    slip_columns_hold(); /* one thread of BLAS for each of ours */
    copy_in(&p, right);
    p.marked = mark(s, from);
    climb_trees(&p);
    pass_top(&p, false);
    p.marked = mark(s, at);
    pass_top(&p, true);
    descend_trees(&p);
    copy_out(&p, solution);
    slip_columns_give_back();
    return true;
}
