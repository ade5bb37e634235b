#include "math/arnoldi.h"

#include "base/memory.h"
#include "math/columns.h"
#include "math/dense.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { block_max = 64 };

/* Invariants: the first used + width columns of V are orthonormal, and A V[0 to used - 1] = V H, with H of
 * used columns and used + width rows. */
typedef struct process {
    slip_context *ctx;
    const slip_arnoldi_problem *problem;
    slip_arnoldi_options options;
    int n, used, width, most, stride;
    double *V;       /* n x stride */
    double *H;       /* stride x most, by columns */
    double *overlap; /* stride x block_max */
    double *scratch; /* n x block */
    double *ritz[2]; /* eigenvalues of the square part of H, */
    double *vectors; /* their vectors, used numbers each, */
    int64_t *order;  /* and which are wanted: those with an imaginary part that is not negative, falling */
    int found;       /* of these */
    double *error;
    uint64_t seed;
    slip_arnoldi_values *to;
} process;

slip_arnoldi_options slip_arnoldi_options_default(void)
{
    return (slip_arnoldi_options){.tolerance = 1e-10, .block = 8, .what = "complex modes"};
}

void slip_arnoldi_free(slip_arnoldi_values *v)
{
    free(v->real);
    free(v->imaginary);
    free(v->error);
    free(v->vectors);
    *v = (slip_arnoldi_values){0};
}

static slip_columns by(double *values, int stride)
{
    return (slip_columns){values, stride};
}

static double *column(const process *p, int k)
{
    return p->V + (int64_t)k * p->n;
}

/* ---- Orthogonalisation. */

/* Writes the block W of `count` vectors, n numbers each, as Q R, with orthonormal Q of *rank vectors in its
 * place and R (*rank x count, by columns with the stride block_max). What is shorter than `least` of its
 * vector is rounding and is left out; where that is NULL the block was orthonormal before something was taken
 * out of it, and a direction that lost half its length was rounding. */
static bool split(process *p, double *W, int count, const double *least, int *rank, double *R)
{
    double gram[block_max * block_max], values[block_max], length[block_max];
    slip_columns_multiply(true, count, count, p->n, 1, by(W, p->n), by(W, p->n), 0, by(gram, count));
    for (int k = 0; k < count; k++) {
        const double size = sqrt(fmax(gram[k * count + k], 0));
        length[k] = !least ? 1 : size > least[k] ? size : 0;
    }
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            gram[k * count + l] =
                length[k] > 0 && length[l] > 0 ? gram[k * count + l] / (length[k] * length[l]) : 0;
    if (!slip_dense_eigenvectors(count, gram, values))
        return false;
    *rank = 0;
    for (int k = 0; k < count; k++) {
        const double *u = gram + (int64_t)k * count;
        if (!(values[k] > (least ? 1e-13 : 0.25)))
            continue;
        for (int l = 0; l < count; l++) {
            p->overlap[(int64_t)*rank * block_max + l] =
                length[l] > 0 ? u[l] / (length[l] * sqrt(values[k])) : 0;
            R[l * block_max + *rank] = sqrt(values[k]) * u[l] * length[l];
        }
        ++*rank;
    }
    if (*rank == 0)
        return true;
    slip_columns_multiply(false, p->n, *rank, count, 1, by(W, p->n), by(p->overlap, block_max), 0,
                          by(p->scratch, p->n));
    memcpy(W, p->scratch, sizeof(double) * (size_t)p->n * (size_t)*rank);
    return true;
}

/* Takes out of W what the first `before` of the basis have of it; adds the coefficients times `weights`
 * (count x columns, by columns with the stride block_max; NULL: 1) to H from column `at` on. */
static void take_out(process *p, double *W, int count, int before, const double *weights, int columns, int at)
{
    slip_columns_multiply(true, before, count, p->n, 1, by(p->V, p->n), by(W, p->n), 0,
                          by(p->overlap, p->stride));
    slip_columns_multiply(false, p->n, count, before, -1, by(p->V, p->n), by(p->overlap, p->stride), 1,
                          by(W, p->n));
    for (int j = 0; j < columns; j++)
        for (int k = 0; k < count; k++) {
            const double weight = weights ? weights[j * block_max + k] : j == k;
            for (int i = 0; i < before && weight != 0 && at >= 0; i++)
                p->H[(int64_t)(at + j) * p->stride + i] += weight * p->overlap[(int64_t)k * p->stride + i];
        }
}

static int fail_lapack(const process *p)
{
    return slip_fail(p->ctx, SLIP_ERROR_SOLVER, "LAPACK found no eigenvalues of a block of vectors");
}

/* The next block from the last one: H gets its columns. `width` is zero where the basis is invariant. */
static int expand(process *p)
{
    const int count = p->width, before = p->used + count;
    double first[block_max * block_max], second[block_max * block_max], least[block_max];
    double *W = column(p, before);
    int rank = 0, last = 0;
    SLIP_PASS(p->problem->apply(p->problem->user, count, column(p, p->used), W));
    p->to->applied += count;
    for (int k = 0; k < count; k++) {
        const double *x = W + (int64_t)k * p->n;
        least[k] = 1e-14 * sqrt(slip_columns_dot(p->n, x, 1, x, 1));
    }
    take_out(p, W, count, before, NULL, count, p->used);
    SLIP_PASS(split(p, W, count, least, &rank, first) ? SLIP_OK : fail_lapack(p));
    if (rank > 0) { /* once more, for what rounding left */
        take_out(p, W, rank, before, first, count, p->used);
        SLIP_PASS(split(p, W, rank, NULL, &last, second) ? SLIP_OK : fail_lapack(p));
    }
    for (int j = 0; j < count; j++)
        for (int i = 0; i < last; i++) {
            double sum = 0;
            for (int k = 0; k < rank; k++)
                sum += second[k * block_max + i] * first[j * block_max + k];
            p->H[(int64_t)(p->used + j) * p->stride + before + i] = sum;
        }
    p->used = before;
    p->width = last;
    return SLIP_OK;
}

/* ---- Eigenvalues. */

static int compare(const process *p, int64_t a, int64_t b)
{
    const double x = hypot(p->ritz[0][a], p->ritz[1][a]), y = hypot(p->ritz[0][b], p->ritz[1][b]);
    return x > y ? -1 : x < y;
}

/* The error of the Ritz vector k: what the rows of H behind the basis have of it. */
static double error_of(const process *p, int64_t k)
{
    const int m = p->used;
    const bool pair = p->ritz[1][k] != 0;
    double sum = 0, size = 0;
    for (int part = 0; part < (pair ? 2 : 1); part++) {
        const double *y = p->vectors + (k + part) * m;
        size += slip_columns_dot(m, y, 1, y, 1);
        for (int i = 0; i < p->width; i++) {
            const double entry = slip_columns_dot(m, p->H + m + i, p->stride, y, 1);
            sum += entry * entry;
        }
    }
    const double value = hypot(p->ritz[0][k], p->ritz[1][k]);
    return value > 0 && size > 0 ? sqrt(sum / size) / value : INFINITY;
}

/* Eigenvalues of the projection; returns how many of those that are wanted have converged. */
static int look(process *p, int *converged)
{
    const int m = p->used;
    double *matrix = slip_alloc((int64_t)m * m, sizeof *matrix);
    SLIP_PASS(slip_allocated(p->ctx, matrix));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            matrix[(int64_t)i * m + j] = p->H[(int64_t)j * p->stride + i];
    const int status = slip_dense_eigenvectors_any(m, matrix, p->ritz[0], p->ritz[1], p->vectors);
    free(matrix);
    if (status < 0)
        return status == SLIP_ERROR_MEMORY ? slip_fail_memory(p->ctx) : fail_lapack(p);
    p->found = 0;
    for (int64_t k = 0; k < m; k++) {
        int at = p->found;
        if (p->ritz[1][k] < 0)
            continue;
        for (; at > 0 && compare(p, p->order[at - 1], k) > 0; at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = k;
        p->found++;
    }
    if (p->found > p->options.count)
        p->found = (int)p->options.count;
    *converged = 0;
    for (int i = 0; i < p->found; i++) {
        p->error[i] = error_of(p, p->order[i]);
        *converged += p->error[i] <= p->options.tolerance;
    }
    return SLIP_OK;
}

static int iterate(process *p)
{
    const int count = (int)p->options.count;
    double R[block_max * block_max], none[block_max] = {0};
    int converged = 0;
    slip_fill_random(&p->seed, (int64_t)p->n * p->width, column(p, p->width));
    /* removes what is of no interest */
    SLIP_PASS(p->problem->apply(p->problem->user, p->width, column(p, p->width), p->V));
    p->to->applied += p->width;
    for (int again = 0; again < 2; again++) /* a second time where the vectors were nearly alike */
        SLIP_PASS(split(p, p->V, p->width, again ? NULL : none, &p->width, R) ? SLIP_OK : fail_lapack(p));
    do {
        SLIP_PASS(slip_interrupt_check(p->ctx));
        SLIP_PASS(expand(p));
        if (p->used >= 2 * count || p->width == 0 || p->used + 2 * p->width > p->most)
            SLIP_PASS(look(p, &converged));
        if (slip_progress_due(p->ctx))
            slip_progress_report(p->ctx,
                                 &(slip_progress){.what = p->options.what,
                                                  .fraction = fmin(0.99, (double)p->used / (5.0 * count)),
                                                  .steps = p->to->applied});
    } while (converged < count && p->width > 0 && p->used + 2 * p->width <= p->most);
    if (converged < count && p->width > 0)
        return slip_fail(p->ctx, SLIP_ERROR_SOLVER,
                         "%s: of %d eigenvalues %d have converged with %d vectors; ask for fewer",
                         p->options.what, count, converged, p->used);
    return SLIP_OK;
}

/* ---- All of it. */

static int take(process *p)
{
    slip_arnoldi_values *to = p->to;
    const int count = p->found;
    to->real = slip_alloc(count, sizeof(double));
    to->imaginary = slip_alloc(count, sizeof(double));
    to->error = slip_alloc(count, sizeof(double));
    to->vectors = slip_alloc(2 * (int64_t)p->n * count, sizeof(double));
    SLIP_FREED double *y = slip_alloc(2 * (int64_t)p->used * count, sizeof(double));
    SLIP_PASS(slip_allocated(p->ctx, to->real && to->imaginary && to->error && to->vectors && y));
    for (int i = 0; i < count; i++) {
        const int64_t k = p->order[i];
        const bool pair = p->ritz[1][k] != 0;
        double size = 0;
        to->real[i] = p->ritz[0][k];
        to->imaginary[i] = p->ritz[1][k];
        to->error[i] = p->error[i];
        for (int part = 0; part < (pair ? 2 : 1); part++) {
            const double *from = p->vectors + (k + part) * p->used;
            memcpy(y + (int64_t)(2 * i + part) * p->used, from, sizeof(double) * (size_t)p->used);
            size += slip_columns_dot(p->used, from, 1, from, 1);
        }
        for (int64_t l = 0; l < 2 * (int64_t)p->used && size > 0; l++)
            y[2 * (int64_t)i * p->used + l] /= sqrt(size);
    }
    if (count > 0)
        slip_columns_multiply(false, p->n, 2 * count, p->used, 1, by(p->V, p->n), by(y, p->used), 0,
                              by(to->vectors, p->n));
    to->count = count;
    return SLIP_OK;
}

static int allocate(process *p, int block)
{
    const int64_t n = p->n, most = p->most, stride = p->stride;
    p->V = slip_alloc(n * stride, sizeof(double));
    p->H = slip_alloc(stride * most, sizeof(double));
    p->overlap = slip_alloc(stride * block_max, sizeof(double));
    p->scratch = slip_alloc(n * block, sizeof(double));
    p->ritz[0] = slip_alloc(most, sizeof(double));
    p->ritz[1] = slip_alloc(most, sizeof(double));
    p->vectors = slip_alloc(most * most, sizeof(double));
    p->order = slip_alloc(most + 1, sizeof *p->order);
    p->error = slip_alloc(most, sizeof(double));
    return p->V && p->H && p->overlap && p->scratch && p->ritz[0] && p->ritz[1] && p->vectors && p->order &&
                   p->error
               ? SLIP_OK
               : slip_fail_memory(p->ctx);
}

int slip_arnoldi_largest(slip_context *ctx, const slip_arnoldi_problem *problem,
                         const slip_arnoldi_options *options, slip_arnoldi_values *values)
{
    process p = {.ctx = ctx,
                 .problem = problem,
                 .options = *options,
                 .n = (int)problem->size,
                 .seed = 21,
                 .to = values};
    int status;
    if (options->count < 1 || problem->size < 1 || problem->size > INT32_MAX)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%lld eigenvalues of a matrix of size %lld: expected 1 to that size",
                         (long long)options->count, (long long)problem->size);
    int64_t block = options->block < 1 ? 1 : options->block > block_max ? block_max : options->block;
    int64_t most = options->basis > 0 ? options->basis : 12 * options->count + 8 * block;
    block = block < problem->size ? block : problem->size;
    most = most < problem->size ? most : problem->size;
    p.most = (int)(most + block); /* near the whole space the last block may be wider than what is left */
    p.stride = (int)(most + 3 * block);
    p.width = (int)block;
    SLIP_TRY(allocate(&p, (int)block));
    SLIP_TRY(iterate(&p));
    SLIP_TRY(take(&p));
done:
    free(p.V);
    free(p.H);
    free(p.overlap);
    free(p.scratch);
    free(p.ritz[0]);
    free(p.ritz[1]);
    free(p.vectors);
    free(p.order);
    free(p.error);
    return status;
}
