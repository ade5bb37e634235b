/* The only file that knows CHOLMOD. */
#include "math/factor.h"

#include "base/memory.h"
#include "base/threads.h"
#include "math/substitute.h"

#include <suitesparse/cholmod.h>

#include <stdlib.h>
#include <string.h>

/* From this size on nested dissection: it fills less in space, and its short elimination tree is what
 * condensation lives on. Below, minimum degree is found sooner. */
enum { dissected = 10000 };

/* From so many right-hand sides on they are solved for together. */
enum { several = 4 };

/* CHOLMOD's supernodal module is under the GPL, all else that is called here under the LGPL: a build without
 * it (CMake option SLIPSTICK_SUPERNODAL) is slower and has no GPL in it. */
#ifdef SLIPSTICK_SIMPLICIAL
static const int form = CHOLMOD_SIMPLICIAL;
#else
static const int form = CHOLMOD_SUPERNODAL;
#endif

struct slip_factor {
    cholmod_common common;
    cholmod_factor *factor;
    int64_t *columns;                      /* 0, 1, ...: of a factor without supernodes, where each begins */
    cholmod_dense *solution, *work, *more; /* kept from one solve to the next */
    slip_substitution *substitution;       /* NULL until many columns are solved for */
};

_Static_assert(sizeof(SuiteSparse_long) == sizeof(int64_t), "indices are passed on as they are");

/* A view of our matrix; CHOLMOD takes pointers that are not const but leaves the matrix alone. */
static cholmod_sparse view_matrix(const slip_sparse *matrix)
{
    return (cholmod_sparse){.nrow = (size_t)matrix->size,
                            .ncol = (size_t)matrix->size,
                            .nzmax = (size_t)matrix->start[matrix->size],
                            .p = matrix->start,
                            .i = matrix->row,
                            .x = matrix->value,
                            .stype = -1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static int fail(slip_context *ctx, const slip_factor *f)
{
    if (f->common.status == CHOLMOD_OUT_OF_MEMORY || f->common.status == CHOLMOD_TOO_LARGE)
        return slip_fail_memory(ctx);
    return slip_fail(ctx, SLIP_ERROR_SOLVER, "the sparse factorisation failed (CHOLMOD status %d)",
                     f->common.status);
}

/* ---- ordering by groups ---- */

/* Entry (a, b) of the upper triangle of the graph of the groups. */
static void add_link(cholmod_triplet *links, int64_t a, int64_t b)
{
    ((int64_t *)links->i)[links->nnz] = a < b ? a : b;
    ((int64_t *)links->j)[links->nnz++] = a < b ? b : a;
}

/* Each pair of groups that share an entry, at least once. `last` is for each group the column that it was
 * seen in last, from 1. */
static void link_groups(const slip_sparse *matrix, const int64_t *group, int64_t *last,
                        cholmod_triplet *links)
{
    links->nnz = 0;
    for (int64_t j = 0; j < matrix->size; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            const int64_t other = group[matrix->row[k]];
            if (last[other] == j + 1)
                continue;
            last[other] = j + 1;
            add_link(links, group[j], other);
        }
}

/* From an order of the groups to one of the unknowns: sorted by the place of their groups, by counting. */
static void expand_order(int64_t size, const int64_t *group, int64_t count, const int64_t *groups,
                         int64_t *place, int64_t *order)
{
    int64_t sum = 0;
    memset(place, 0, (size_t)count * sizeof *place);
    for (int64_t i = 0; i < size; i++)
        place[group[i]]++;
    for (int64_t k = 0; k < count; k++) {
        const int64_t members = place[groups[k]];
        place[groups[k]] = sum;
        sum += members;
    }
    for (int64_t i = 0; i < size; i++)
        order[place[group[i]]++] = i;
}

static int64_t count_groups(int64_t size, const int64_t *group)
{
    int64_t count = 0;
    for (int64_t i = 0; i < size; i++)
        count = group[i] >= count ? group[i] + 1 : count;
    return count;
}

/* Nested dissection of the graph of the groups, by METIS down to small parts, which are ordered by minimum
 * degree with the separators last: some 5 % less in the factor than METIS alone. */
static bool order_by_groups(slip_factor *f, const slip_sparse *matrix, const int64_t *group, int64_t *order)
{
    const int64_t count = count_groups(matrix->size, group);
    cholmod_triplet *links = cholmod_l_allocate_triplet(
        (size_t)count, (size_t)count, (size_t)matrix->start[matrix->size], 1, CHOLMOD_PATTERN, &f->common);
    SLIP_FREED int64_t *work = slip_alloc(count, sizeof *work), *groups = slip_alloc(count, sizeof *groups);
    SLIP_FREED int64_t *parent = slip_alloc(count, sizeof *parent);
    cholmod_sparse *graph = NULL;
    bool done = false;
    if (links && work && groups && parent) {
        link_groups(matrix, group, work, links);
        graph = cholmod_l_triplet_to_sparse(links, 0, &f->common);
        f->common.method[0].nd_small = 50;
        f->common.method[0].nd_compress = 0; /* the groups are */
        done = graph && cholmod_l_nested_dissection(graph, NULL, 0, groups, parent, work, &f->common) >= 0;
    }
    if (done)
        expand_order(matrix->size, group, count, groups, work, order);
    cholmod_l_free_triplet(&links, &f->common);
    cholmod_l_free_sparse(&graph, &f->common);
    return done;
}

/* ---- factor ---- */

/* Chooses an order and finds the structure of the factor. */
static int analyse(slip_context *ctx, slip_factor *f, const slip_sparse *matrix, const int64_t *group)
{
    cholmod_sparse view = view_matrix(matrix);
    const bool large = matrix->size >= dissected, given = large && group;
    SLIP_FREED int64_t *order = given ? slip_alloc(matrix->size, sizeof *order) : NULL;
    if (given && (!order || !order_by_groups(f, matrix, group, order)))
        return slip_fail_memory(ctx);
    f->common.nmethods = 1;
    f->common.method[0].ordering = given ? CHOLMOD_GIVEN : large ? CHOLMOD_METIS : CHOLMOD_AMD;
    f->factor = cholmod_l_analyze_p(&view, order, NULL, 0, &f->common);
    return f->factor && f->common.status >= CHOLMOD_OK ? SLIP_OK : fail(ctx, f);
}

static int factorise(slip_context *ctx, slip_factor *f, const slip_sparse *matrix, int64_t *unknown)
{
    cholmod_sparse view = view_matrix(matrix);
    const bool alone = slip_threads_alone();    /* else there are threads enough, and the setting is theirs */
    slip_substitution_destroy(f->substitution); /* it knows where the numbers were */
    f->substitution = NULL;
    /* CHOLMOD starts four threads for each supernode whatever the machine has, to copy a few numbers; the
     * threads that bring something are those of BLAS. */
    const int held = alone ? slip_threads_hold() : 0;
    const bool done = cholmod_l_factorize(&view, f->factor, &f->common);
    if (alone)
        slip_threads_give_back(held);
    if (!done || f->common.status < CHOLMOD_OK)
        return fail(ctx, f);
    if (f->common.status == CHOLMOD_NOT_POSDEF || f->factor->minor < f->factor->n) {
        *unknown = ((const int64_t *)f->factor->Perm)[f->factor->minor];
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "the matrix is not positive definite at unknown %lld",
                         (long long)*unknown + 1);
    }
    return SLIP_OK;
}

int slip_factor_analyse(slip_context *ctx, const slip_sparse *matrix, const int64_t *group,
                        slip_factor **factor)
{
    slip_factor *f = *factor = slip_alloc(1, sizeof *f);
    SLIP_PASS(slip_allocated(ctx, f));
    cholmod_l_start(&f->common);
    f->common.supernodal = form;
    f->common.final_ll = 1;
    f->common.print = 0;
    int status = analyse(ctx, f, matrix, group);
    if (status >= 0 && !f->factor->is_super) {
        f->columns = slip_alloc(matrix->size + 1, sizeof *f->columns);
        for (int64_t j = 0; f->columns && j <= matrix->size; j++)
            f->columns[j] = j;
        status = f->columns ? SLIP_OK : slip_fail_memory(ctx);
    }
    if (status < 0) {
        slip_factor_destroy(f);
        *factor = NULL;
    }
    return status;
}

int slip_factor_compute(slip_context *ctx, const slip_sparse *matrix, slip_factor *factor, int64_t *unknown)
{
    int64_t at = -1;
    int status = slip_interrupt_check(ctx);
    if (status == SLIP_OK)
        status = factorise(ctx, factor, matrix, &at);
    if (unknown)
        *unknown = at;
    return status;
}

int slip_factor_create(slip_context *ctx, const slip_sparse *matrix, const int64_t *group,
                       slip_factor **factor, int64_t *unknown)
{
    if (unknown)
        *unknown = -1;
    int status = slip_factor_analyse(ctx, matrix, group, factor);
    if (status >= 0)
        status = slip_factor_compute(ctx, matrix, *factor, unknown);
    if (status < 0) {
        slip_factor_destroy(*factor);
        *factor = NULL;
    }
    return status;
}

void slip_factor_destroy(slip_factor *f)
{
    if (!f)
        return;
    slip_substitution_destroy(f->substitution);
    cholmod_l_free_factor(&f->factor, &f->common);
    cholmod_l_free_dense(&f->solution, &f->common);
    cholmod_l_free_dense(&f->work, &f->common);
    cholmod_l_free_dense(&f->more, &f->common);
    cholmod_l_finish(&f->common);
    free(f->columns);
    free(f);
}

/* CHOLMOD's own multiplies by vectors where there is one column, but its threads are those of BLAS. */
static int solve_few(slip_context *ctx, slip_factor *f, int64_t count, const double *right, double *solution)
{
    const size_t n = f->factor->n, total = n * (size_t)count;
    cholmod_dense view = {.nrow = n,
                          .ncol = (size_t)count,
                          .nzmax = total,
                          .d = n,
                          .x = (void *)(uintptr_t)right, /* read only */
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE};
    if (!cholmod_l_solve2(CHOLMOD_A, f->factor, &view, NULL, &f->solution, NULL, &f->work, &f->more,
                          &f->common))
        return fail(ctx, f);
    memcpy(solution, f->solution->x, total * sizeof *solution);
    return SLIP_OK;
}

static int solve_many(slip_context *ctx, slip_factor *f, const slip_unknowns *from, const slip_unknowns *at,
                      int64_t count, const double *right, double *solution)
{
    if (!f->substitution)
        f->substitution = slip_substitution_create(slip_factor_supernodes(f));
    if (f->substitution && slip_substitution_solve(f->substitution, from, at, count, right, solution))
        return SLIP_OK;
    return slip_fail_memory(ctx);
}

int slip_factor_solve(slip_context *ctx, slip_factor *f, int64_t count, const double *right, double *solution)
{
    if (f->factor->n == 0 || count == 0)
        return SLIP_OK;
    return count < several ? solve_few(ctx, f, count, right, solution)
                           : solve_many(ctx, f, NULL, NULL, count, right, solution);
}

int slip_factor_solve_from(slip_context *ctx, slip_factor *f, slip_unknowns unknowns, int64_t count,
                           const double *right, double *solution)
{
    return solve_many(ctx, f, &unknowns, NULL, count, right, solution);
}

int slip_factor_solve_at(slip_context *ctx, slip_factor *f, slip_unknowns unknowns, int64_t count,
                         const double *right, double *solution)
{
    return solve_many(ctx, f, NULL, &unknowns, count, right, solution);
}

/* A factor without supernodes has those of one column each: its arrays are the same. */
slip_supernodes slip_factor_supernodes(const slip_factor *f)
{
    const cholmod_factor *l = f->factor;
    if (!l->is_super)
        return (slip_supernodes){.size = (int64_t)l->n,
                                 .count = (int64_t)l->n,
                                 .order = l->Perm,
                                 .first = f->columns,
                                 .row_start = l->p,
                                 .value_start = l->p,
                                 .row = l->i,
                                 .value = l->x};
    return (slip_supernodes){.size = (int64_t)l->n,
                             .count = (int64_t)l->nsuper,
                             .order = l->Perm,
                             .first = l->super,
                             .row_start = l->pi,
                             .value_start = l->px,
                             .row = l->s,
                             .value = l->x};
}

int64_t slip_factor_entries(const slip_factor *f)
{
    return (int64_t)(f->factor->is_super ? f->factor->xsize : f->factor->nzmax);
}

double slip_factor_flops(const slip_factor *f)
{
    return f->common.fl;
}

/* Sylvester: L D L^T has as many negative pivots as the matrix has negative eigenvalues. The simplicial form
 * keeps D as the first entry of each column. */
int slip_factor_negatives(slip_context *ctx, const slip_sparse *matrix, int64_t *count)
{
    slip_factor f = {0};
    cholmod_sparse view = view_matrix(matrix);
    int status = SLIP_OK;
    cholmod_l_start(&f.common);
    f.common.supernodal = CHOLMOD_SIMPLICIAL;
    f.common.print = 0;
    f.common.nmethods = 1;
    f.common.method[0].ordering = matrix->size < dissected ? CHOLMOD_AMD : CHOLMOD_METIS;
    f.factor = cholmod_l_analyze(&view, &f.common);
    if (!f.factor || f.common.status < CHOLMOD_OK || !cholmod_l_factorize(&view, f.factor, &f.common) ||
        f.common.status < CHOLMOD_OK) {
        status = fail(ctx, &f);
    } else if (f.factor->minor < f.factor->n) {
        status = slip_fail(ctx, SLIP_ERROR_SOLVER, "the shifted matrix is singular");
    } else {
        const int64_t *start = f.factor->p;
        const double *value = f.factor->x;
        *count = 0;
        for (int64_t j = 0; j < matrix->size; j++)
            *count += value[start[j]] < 0;
    }
    cholmod_l_free_factor(&f.factor, &f.common);
    cholmod_l_finish(&f.common);
    return status;
}
