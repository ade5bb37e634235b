/* The only file that knows CHOLMOD. */
#include "math/factor.h"

#include "base/memory.h"

#include <suitesparse/cholmod.h>

#include <stdlib.h>
#include <string.h>

/* From this size on nested dissection: it fills less in space, and its short elimination tree is what
 * condensation lives on. Below, minimum degree is found sooner. */
enum { dissected = 10000 };

struct slip_factor {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *solution, *work, *more; /* kept from one solve to the next */
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

int slip_factor_analyse(slip_context *ctx, const slip_sparse *matrix, slip_factor **factor)
{
    slip_factor *f = *factor = slip_alloc(1, sizeof *f);
    cholmod_sparse view = view_matrix(matrix);
    int status;
    if (!f)
        return slip_fail_memory(ctx);
    cholmod_l_start(&f->common);
    f->common.supernodal = CHOLMOD_SUPERNODAL;
    f->common.final_ll = 1;
    f->common.print = 0;
    f->common.nmethods = 1;
    f->common.method[0].ordering = matrix->size < dissected ? CHOLMOD_AMD : CHOLMOD_METIS;
    f->factor = cholmod_l_analyze(&view, &f->common);
    if (f->factor && f->common.status >= CHOLMOD_OK)
        return SLIP_OK;
    status = fail(ctx, f);
    slip_factor_destroy(f);
    *factor = NULL;
    return status;
}

int slip_factor_compute(slip_context *ctx, const slip_sparse *matrix, slip_factor *f, int64_t *unknown)
{
    cholmod_sparse view = view_matrix(matrix);
    if (unknown)
        *unknown = -1;
    if (!cholmod_l_factorize(&view, f->factor, &f->common) || f->common.status < CHOLMOD_OK)
        return fail(ctx, f);
    if (f->common.status == CHOLMOD_NOT_POSDEF || f->factor->minor < f->factor->n) {
        int64_t at = ((const int64_t *)f->factor->Perm)[f->factor->minor];
        if (unknown)
            *unknown = at;
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "the matrix is not positive definite at unknown %lld",
                         (long long)at + 1);
    }
    return SLIP_OK;
}

int slip_factor_create(slip_context *ctx, const slip_sparse *matrix, slip_factor **factor, int64_t *unknown)
{
    if (unknown)
        *unknown = -1;
    int status = slip_factor_analyse(ctx, matrix, factor);
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
    cholmod_l_free_factor(&f->factor, &f->common);
    cholmod_l_free_dense(&f->solution, &f->common);
    cholmod_l_free_dense(&f->work, &f->common);
    cholmod_l_free_dense(&f->more, &f->common);
    cholmod_l_finish(&f->common);
    free(f);
}

int slip_factor_solve(slip_context *ctx, slip_factor *f, int64_t count, const double *right, double *solution)
{
    const size_t n = f->factor->n, total = n * (size_t)count;
    cholmod_dense view = {.nrow = n,
                          .ncol = (size_t)count,
                          .nzmax = total,
                          .d = n,
                          .x = (void *)(uintptr_t)right, /* read only */
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE};
    if (total == 0)
        return SLIP_OK;
    if (!cholmod_l_solve2(CHOLMOD_A, f->factor, &view, NULL, &f->solution, NULL, &f->work, &f->more,
                          &f->common))
        return fail(ctx, f);
    memcpy(solution, f->solution->x, total * sizeof *solution);
    return SLIP_OK;
}

slip_supernodes slip_factor_supernodes(const slip_factor *f)
{
    const cholmod_factor *l = f->factor;
    return (slip_supernodes){.size = (int64_t)l->n,
                             .count = (int64_t)l->nsuper,
                             .order = l->Perm,
                             .first = l->super,
                             .row_start = l->pi,
                             .value_start = l->px,
                             .row = l->s,
                             .value = l->x};
}

double slip_factor_reciprocal_condition(const slip_factor *f)
{
    cholmod_common common = f->common; /* which it writes its status to */
    return cholmod_l_rcond(f->factor, &common);
}

int64_t slip_factor_entries(const slip_factor *f)
{
    return (int64_t)f->factor->xsize;
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
