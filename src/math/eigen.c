/* Block Lanczos with thick restarts. The method is in the header. */
#include "math/eigen.h"

#include "math/columns.h"
#include "math/dense.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { restarts_max = 300, strip_rows = 1024 };

/* Invariants: columns 0 to used - 1 of V are M-orthonormal, and so is the block behind them (columns used to
 * used + block - 1), which is orthogonal to them; `work` is M times that block. T is the projection of K^-1 M
 * on the first `used`, and K^-1 M V = V T + (block behind) R E^T, where R E^T is `coupling`: block x used.
 * Its columns before `coupled` are zero. */
typedef struct slip_lanczos {
    slip_context *ctx;
    const slip_eigen_problem *problem;
    slip_eigen_options options;
    int n, block, most, used, coupled, converged;
    double *V;            /* n x (most + block) */
    double *work;         /* n x block */
    double *T, *coupling; /* most x most; block x most */
    double *ritz, *S;     /* eigenvalues of T, descending, and their vectors */
    double *H;            /* (most + block) x block: coefficients of an orthogonalisation */
    double *strip;        /* strip_rows x most */
    double *residual;
    uint64_t seed;
    slip_eigen_report report;
} slip_lanczos;

slip_eigen_options slip_eigen_options_default(void)
{
    return (slip_eigen_options){.tolerance = 1e-10, .block = 16, .what = "eigenmodes"};
}

static slip_columns by(double *values, int stride)
{
    return (slip_columns){values, stride};
}

static double *column(const slip_lanczos *l, int k)
{
    return l->V + (size_t)k * (size_t)l->n;
}

/* x -= V[from to before - 1] H for the block x behind the first `before` columns. */
static void subtract(slip_lanczos *l, int from, int before, const double *H)
{
    slip_columns_multiply(false, l->n, l->block, before - from, -1, by(column(l, from), l->n),
                          by((double *)(uintptr_t)H, before - from), 1, by(column(l, before), l->n));
}

static void multiply_mass(slip_lanczos *l, int first)
{
    l->problem->mass(l->problem->user, l->block, column(l, first), l->work);
}

/* Makes the block behind the first `before` columns orthogonal to these; the coefficients are left in H. One
 * pass: enough where what it takes away is small. */
static void orthogonalise(slip_lanczos *l, int before)
{
    multiply_mass(l, before);
    slip_columns_multiply(true, before, l->block, l->n, 1, by(l->V, l->n), by(l->work, l->n), 0,
                          by(l->H, before));
    subtract(l, 0, before, l->H);
    multiply_mass(l, before);
}

/* The upper triangle R with x = q R, q M-orthonormal, from the Gram matrix; x and M x become q and M q.
 * Returns by how much that multiplies rounding errors of x, which are relative to `length` (squared, of each
 * vector; may be NULL) or to x itself. Infinite, and nothing done, where x is nearly dependent. */
static double cholesky_step(slip_lanczos *l, double *x, const double *length, double *R)
{
    int p = l->block;
    double size[64], growth = 1;
    slip_columns_multiply(true, p, p, l->n, 1, by(x, l->n), by(l->work, l->n), 0, by(R, p));
    for (int i = 0; i < p; i++)
        size[i] = sqrt(fmax(R[i * p + i], 0) + (length ? length[i] : 0));
    if (!slip_dense_triangle(p, R))
        return INFINITY;
    for (int i = 0; i < p; i++)
        growth = fmax(growth, size[i] / R[i * p + i]);
    if (growth > 1e7)
        return INFINITY;
    slip_columns_divide(l->n, p, by(R, p), by(x, l->n));
    slip_columns_divide(l->n, p, by(R, p), by(l->work, l->n));
    return growth;
}

/* One vector after the other, where the block is nearly dependent: what is dependent is replaced by a random
 * direction, with which it does not couple. */
static void gram_schmidt(slip_lanczos *l, int before, double *R)
{
    int p = l->block;
    memset(R, 0, sizeof(double) * (size_t)(p * p));
    for (int k = 0; k < p; k++) {
        double *x = column(l, before + k), first = 0;
        bool replaced = false;
        for (int turn = 0; turn < 6; turn++) {
            l->problem->mass(l->problem->user, 1, x, l->work);
            if (turn == 0)
                first = sqrt(fmax(slip_columns_dot(l->n, x, 1, l->work, 1), 0));
            slip_columns_multiply(true, before + k, 1, l->n, 1, by(l->V, l->n), by(l->work, l->n), 0,
                                  by(l->H, before + p));
            slip_columns_multiply(false, l->n, 1, before + k, -1, by(l->V, l->n), by(l->H, before + p), 1,
                                  by(x, l->n));
            for (int i = 0; i < k && !replaced; i++)
                R[k * p + i] += l->H[before + i];
            l->problem->mass(l->problem->user, 1, x, l->work);
            double norm = sqrt(fmax(slip_columns_dot(l->n, x, 1, l->work, 1), 0));
            if (!replaced && !(norm > 1e-12 * first)) {
                replaced = true;
                slip_fill_random(&l->seed, l->n, x);
                continue;
            }
            if (turn < 2)
                continue;
            for (int i = 0; i < l->n; i++)
                x[i] /= norm;
            R[k * p + k] = replaced ? 0 : norm;
            break;
        }
    }
}

/* Makes the block behind `before` vectors orthonormal, which is orthogonal to them but for rounding errors of
 * vectors of the squared length `length`; `work` is M times the block before and after. R[block x block] gets
 * the triangle. */
static void orthonormalise(slip_lanczos *l, int before, const double *length, double *R)
{
    int p = l->block;
    double *x = column(l, before), second[64 * 64], first[64 * 64];
    const double growth = cholesky_step(l, x, length, first);
    if (isinf(growth)) {
        gram_schmidt(l, before, R);
        multiply_mass(l, before);
        return;
    }
    if (growth > 1e3 && before > 0)
        orthogonalise(l, before);
    if (isinf(cholesky_step(l, x, NULL, second))) {
        gram_schmidt(l, before, second);
        multiply_mass(l, before);
    }
    slip_columns_multiply(false, p, p, p, 1, by(second, p), by(first, p), 0, by(R, p));
}

/* x = K^-1 M (last block), less what the three-term recurrence says that it has of the basis: `coupling` of
 * the columns before, and H of its own block. `length` gets the squared norms of what was taken away. */
static int recur(slip_lanczos *l, double *x, double *own, double *length)
{
    int p = l->block, m = l->used, rows = m + p - l->coupled;
    double *H = l->H;
    SLIP_PASS(l->problem->solve(l->problem->user, p, l->work, x));
    l->report.solves += p;
    slip_columns_multiply(true, p, p, l->n, 1, by(l->work, l->n), by(x, l->n), 0, by(own, p));
    for (int k = 0; k < p; k++) {
        length[k] = 0;
        for (int i = 0; i < rows; i++) {
            int at = l->coupled + i;
            double value = at < m ? l->coupling[at * p + k] : own[k * p + at - m];
            H[k * rows + i] = value;
            length[k] += value * value;
        }
    }
    subtract(l, l->coupled, m + p, H);
    return SLIP_OK;
}

/* Takes the last block into the basis and makes the next one from it. Without rounding errors the recurrence
 * would make it orthogonal to all; the pass that follows removes what they leave. */
static int expand(slip_lanczos *l)
{
    int p = l->block, m = l->used, most = l->most;
    double own[64 * 64], R[64 * 64], length[64];
    /* Rows and columns of T that couple the block with what was there. */
    for (int k = 0; k < m; k++)
        for (int i = 0; i < p; i++)
            l->T[(size_t)k * (size_t)most + (size_t)(m + i)] =
                l->T[(size_t)(m + i) * (size_t)most + (size_t)k] = l->coupling[k * p + i];
    SLIP_PASS(recur(l, column(l, m + p), own, length));
    orthogonalise(l, m + p);
    for (int k = 0; k < p; k++)
        for (int i = 0; i < p; i++)
            own[k * p + i] += l->H[k * (m + p) + m + i];
    for (int k = 0; k < p; k++)
        for (int i = 0; i < p; i++)
            l->T[(size_t)(m + k) * (size_t)most + (size_t)(m + i)] = (own[k * p + i] + own[i * p + k]) / 2;
    orthonormalise(l, m + p, length, R);
    memset(l->coupling, 0, sizeof(double) * (size_t)(p * most));
    for (int k = 0; k < p; k++)
        memcpy(&l->coupling[(m + k) * p], &R[k * p], sizeof(double) * (size_t)p);
    l->coupled = m;
    l->used += p;
    return SLIP_OK;
}

/* Ritz values, descending, and how far from eigenvalues they are. */
static int solve_projected(slip_lanczos *l)
{
    int m = l->used, p = l->block;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            l->S[k * m + i] = -l->T[(size_t)k * (size_t)l->most + (size_t)i];
    if (!slip_dense_eigenvectors(m, l->S, l->ritz))
        return slip_fail(l->ctx, SLIP_ERROR_SOLVER,
                         "the dense eigenvalue problem of size %d did not converge", m);
    l->converged = 0;
    bool all = true;
    l->report.residual = 0;
    for (int k = 0; k < m; k++) {
        double sum = 0;
        l->ritz[k] = -l->ritz[k];
        for (int i = 0; i < p; i++) {
            double entry = slip_columns_dot(m, &l->coupling[i], p, &l->S[k * m], 1);
            sum += entry * entry;
        }
        l->residual[k] = l->ritz[k] > 0 ? sqrt(sum) / l->ritz[k] : INFINITY;
        all = all && l->residual[k] <= l->options.tolerance;
        l->converged += all;
        if (k < l->options.count)
            l->report.residual = fmax(l->report.residual, l->residual[k]);
    }
    return SLIP_OK;
}

/* Replaces the first columns of V by the `keep` best Ritz vectors, in place and in strips of rows. */
static void rotate_basis(slip_lanczos *l, int keep)
{
    int m = l->used;
    for (int row = 0; row < l->n; row += strip_rows) {
        int rows = l->n - row < strip_rows ? l->n - row : strip_rows;
        slip_columns_multiply(false, rows, keep, m, 1, by(l->V + row, l->n), by(l->S, m), 0,
                              by(l->strip, rows));
        for (int k = 0; k < keep; k++)
            memcpy(column(l, k) + row, l->strip + (size_t)k * (size_t)rows, sizeof(double) * (size_t)rows);
    }
}

static void restart(slip_lanczos *l)
{
    int m = l->used, p = l->block, spare = m - (int)l->options.count;
    int keep = (int)l->options.count + (spare > 2 * p ? spare / 2 : 0);
    if (keep > m - p)
        keep = m - p;
    rotate_basis(l, keep);
    memmove(column(l, keep), column(l, m), sizeof(double) * (size_t)l->n * (size_t)p);
    double *old = l->H; /* block x m, which fits */
    memcpy(old, l->coupling, sizeof(double) * (size_t)(p * m));
    slip_columns_multiply(false, p, keep, m, 1, by(old, p), by(l->S, m), 0, by(l->coupling, p));
    memset(l->T, 0, sizeof(double) * (size_t)l->most * (size_t)l->most);
    for (int k = 0; k < keep; k++)
        l->T[(size_t)k * (size_t)l->most + (size_t)k] = l->ritz[k];
    l->used = keep;
    l->coupled = 0;
    l->report.restarts++;
}

static int allocate(slip_lanczos *l)
{
    size_t n = (size_t)l->n, most = (size_t)l->most, p = (size_t)l->block;
    l->V = malloc(sizeof(double) * n * (most + p));
    l->work = malloc(sizeof(double) * n * p);
    l->strip = malloc(sizeof(double) * strip_rows * most);
    l->T = calloc(most * most, sizeof(double));
    l->coupling = calloc(p * most, sizeof(double));
    l->ritz = calloc(most, sizeof(double));
    l->residual = calloc(most, sizeof(double));
    l->S = calloc(most * most, sizeof(double));
    l->H = calloc((most + p) * p, sizeof(double));
    bool fine = l->V && l->work && l->strip && l->T && l->coupling && l->ritz && l->residual && l->S && l->H;
    return fine ? SLIP_OK : slip_fail_memory(l->ctx);
}

static int iterate(slip_lanczos *l)
{
    int count = (int)l->options.count;
    double R[64 * 64];
    for (int k = 0; k < l->block; k++)
        slip_fill_random(&l->seed, l->n, column(l, k));
    SLIP_PASS(l->problem->solve(l->problem->user, l->block, l->V, l->V)); /* removes what is of no interest */
    multiply_mass(l, 0);
    orthonormalise(l, 0, NULL, R);
    do {
        if (slip_interrupted(l->ctx))
            return slip_fail(l->ctx, SLIP_INTERRUPTED, "interrupted");
        if (l->used + l->block > l->most)
            restart(l);
        SLIP_PASS(expand(l));
        /* Looking at the projected problem costs little beside a block, except while hopeless. */
        if (l->used >= count || l->used + l->block > l->most)
            SLIP_PASS(solve_projected(l));
        /* Blocks are slow: each is worth a report. Before anything converges the basis tells how far it is.
         */
        slip_progress_report(
            l->ctx, &(slip_progress){.what = l->options.what,
                                     .fraction = fmin(0.99, 0.5 * fmin(1, (double)l->used / count) +
                                                                0.5 * (double)l->converged / (double)count),
                                     .steps = l->report.solves});
    } while (l->converged < count && l->report.restarts < restarts_max);
    if (l->converged < count)
        return slip_fail(l->ctx, SLIP_ERROR_SOLVER, "only %d of %d eigenvalues converged", l->converged,
                         count);
    return SLIP_OK;
}

/* Small problems, and those of which nearly everything is wanted: M K^-1 M x = 1/lambda M x as dense
 * matrices. */
static int solve_dense(slip_lanczos *l, double *values)
{
    int n = l->n, count = (int)l->options.count, status = SLIP_OK;
    size_t square = (size_t)n * (size_t)n;
    SLIP_FREED double *mass = calloc(square, sizeof *mass), *a = malloc(sizeof(double) * square);
    SLIP_FREED double *ritz = malloc(sizeof(double) * (size_t)n), *work = malloc(sizeof(double) * square);
    SLIP_PASS(slip_allocated(l->ctx, mass && a && ritz && work));
    for (int k = 0; k < n; k++)
        mass[(size_t)k * (size_t)n + (size_t)k] = 1;
    l->problem->mass(l->problem->user, n, mass, work);
    SLIP_PASS(status = l->problem->solve(l->problem->user, n, work, mass));
    l->report.solves = n;
    l->problem->mass(l->problem->user, n, mass, a);
    memcpy(mass, work, sizeof(double) * square);
    for (size_t i = 0; i < square; i++)
        a[i] = -a[i]; /* ascending eigenvalues are wanted */
    if (!slip_dense_eigenvectors_pair(n, a, mass, ritz))
        return slip_fail(l->ctx, SLIP_ERROR_SOLVER, "the mass matrix is not positive definite");
    for (int k = 0; k < count; k++)
        values[k] = -1 / ritz[k];
    l->V = a;
    a = NULL;
    return status;
}

int slip_eigen_lowest(slip_context *ctx, const slip_eigen_problem *problem, const slip_eigen_options *options,
                      double *values, double **vectors, slip_eigen_report *report)
{
    slip_lanczos l = {.ctx = ctx, .problem = problem, .options = *options, .seed = 20};
    int status;
    if (vectors)
        *vectors = NULL;
    if (options->count < 1 || options->count > problem->size || problem->size > INT32_MAX)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%lld eigenvalues of a matrix of size %lld: expected 1 to that size",
                         (long long)options->count, (long long)problem->size);
    l.n = (int)problem->size;
    l.block = (int)(options->block < 1 ? 1 : options->block > 64 ? 64 : options->block);
    int64_t most = options->basis > 0 ? options->basis : 2 * options->count + 4 * l.block;
    if (most < options->count + 2 * l.block)
        most = options->count + 2 * l.block;
    if (most > l.n - l.block || l.n < 200) {
        SLIP_TRY(solve_dense(&l, values));
        goto take;
    }
    l.most = (int)most;
    SLIP_TRY(allocate(&l));
    SLIP_TRY(iterate(&l));
    for (int k = 0; k < options->count; k++)
        values[k] = 1 / l.ritz[k];
    if (vectors)
        rotate_basis(&l, (int)options->count);
take:
    if (vectors) { /* a block that shrinks may stay where it is; where it cannot it is large enough */
        double *shrunk = realloc(l.V, sizeof(double) * (size_t)l.n * (size_t)options->count);
        *vectors = shrunk ? shrunk : l.V;
        l.V = NULL;
    }
done:
    if (report)
        *report = l.report;
    free(l.V);
    free(l.work);
    free(l.strip);
    free(l.T);
    free(l.coupling);
    free(l.ritz);
    free(l.residual);
    free(l.S);
    free(l.H);
    return status;
}
