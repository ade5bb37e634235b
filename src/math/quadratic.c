#include "math/quadratic.h"

#include "base/memory.h"
#include "math/columns.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/factor.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { rounds_max = 60, few = 150 };

slip_quadratic_options slip_quadratic_options_default(void)
{
    return (slip_quadratic_options){.tolerance = 1e-9};
}

/* An eigenvalue of the projected problem with its vector: `used` numbers. */
typedef struct candidate {
    double complex s;
    double complex *y;
} candidate;

typedef struct solver {
    slip_context *ctx;
    const slip_quadratic *problem;
    slip_quadratic_options options;
    int n, used, most, wanted;
    slip_factor *factor; /* of P */
    double *V;           /* n x most: M-orthonormal */
    double *K, *C;       /* most x most, row by row: the projections; M's is 1 */
    double *X, *A, *B;   /* n x 2 wanted each: vectors, residuals, scratch */
    candidate *list;
    int64_t list_count;
    slip_arena round; /* what a round needs */
    slip_quadratic_modes *to;
} solver;

static slip_columns by(double *values, int stride)
{
    return (slip_columns){values, stride};
}

static double *column(const solver *s, double *block, int64_t k)
{
    return block + k * s->n;
}

static int apply_factor(solver *s, int64_t count, double *x)
{
    s->to->solves += count;
    return slip_factor_solve(s->ctx, s->factor, count, x, x);
}

/* ---- Real modes. */

static int solve_real(void *user, int64_t count, const double *right, double *solution)
{
    const solver *s = user;
    s->to->solves += count;
    return slip_factor_solve(s->ctx, s->factor, count, right, solution);
}

static void apply_mass(void *user, int64_t count, const double *x, double *product)
{
    slip_compressed_multiply(((const solver *)user)->problem->mass, true, count, x, product);
}

static double trace(const slip_compressed *m)
{
    double sum = 0;
    for (int64_t j = 0; j < m->size; j++)
        for (int64_t k = m->start[j]; k < m->start[j + 1]; k++)
            sum += m->row[k] == j ? fabs(m->value[k]) : 0;
    return sum;
}

/* The factor of P, what K and its transpose have in common; where that is not positive definite (a body that
 * is free) with a little of the mass. */
static int make_factor(solver *s)
{
    const slip_quadratic *q = s->problem;
    const double unit = trace(q->stiffness) / trace(q->mass);
    int status = SLIP_ERROR_SOLVER;
    for (double shift = 0; shift <= 1 && status == SLIP_ERROR_SOLVER; shift = shift > 0 ? 10 * shift : 1e-8) {
        slip_sparse *matrix = NULL;
        status = slip_compressed_symmetric(s->ctx, q->stiffness, shift * unit, q->mass, &matrix);
        if (status >= 0)
            status = slip_factor_create(s->ctx, matrix, NULL, &s->factor, NULL);
        slip_sparse_destroy(matrix);
    }
    return status;
}

static int find_real_modes(solver *s)
{
    slip_eigen_options options = slip_eigen_options_default();
    const slip_eigen_problem real = {s->n, s, solve_real, apply_mass};
    double *values = slip_alloc(s->options.real_modes, sizeof *values), *vectors = NULL;
    int status;
    SLIP_TRY(values ? SLIP_OK : slip_fail_memory(s->ctx));
    options.count = s->options.real_modes;
    options.tolerance = 1e-6; /* their errors are looked at later, with all others */
    SLIP_TRY(slip_eigen_lowest(s->ctx, &real, &options, values, &vectors, NULL));
    memcpy(s->V, vectors, sizeof(double) * (size_t)s->n * (size_t)options.count);
done:
    free(values);
    free(vectors);
    return status;
}

/* ---- The basis. */

/* The rows and columns of the projections that belong to basis vectors `first` to `last` - 1. */
static int project(solver *s, int first, int last)
{
    const int width = last - first, n = s->n;
    double *product = s->A, *part = slip_alloc((int64_t)last * width, sizeof *part);
    double *const targets[2] = {s->K, s->C};
    const slip_compressed *const matrices[2] = {s->problem->stiffness, s->problem->damping};
    if (!part)
        return slip_fail_memory(s->ctx);
    for (int m = 0; m < 2 && width > 0; m++)
        for (int turned = 0; turned < 2 && matrices[m]; turned++) {
            slip_compressed_multiply(matrices[m], turned, width, column(s, s->V, first), product);
            slip_columns_multiply(true, last, width, n, 1, by(s->V, n), by(product, n), 0, by(part, last));
            for (int j = 0; j < width; j++)
                for (int i = 0; i < last; i++) {
                    const int64_t row = turned ? first + j : i, place = turned ? i : first + j;
                    targets[m][row * s->most + place] = part[(int64_t)j * last + i];
                }
        }
    free(part);
    return SLIP_OK;
}

/* Makes `count` vectors of the block W orthonormal in M, after what the first `used` of the basis have of
 * them is taken away, and appends what is left of them to the basis. */
static int append(solver *s, double *W, int count)
{
    const int n = s->n;
    double *numbers =
        slip_alloc((int64_t)count * count + (int64_t)(s->used + 1) * count + count, sizeof *numbers);
    int kept = 0, status = numbers ? SLIP_OK : slip_fail_memory(s->ctx);
    if (status < 0)
        return status;
    double *gram = numbers, *values = gram + (int64_t)count * count, *overlap = values + count;
    for (int pass = 0; pass < 2; pass++) {
        slip_compressed_multiply(s->problem->mass, true, count, W, s->A);
        slip_columns_multiply(true, s->used, count, n, 1, by(s->V, n), by(s->A, n), 0, by(overlap, s->used));
        slip_columns_multiply(false, n, count, s->used, -1, by(s->V, n), by(overlap, s->used), 1, by(W, n));
        slip_compressed_multiply(s->problem->mass, true, count, W, s->A);
        slip_columns_multiply(true, count, count, n, 1, by(W, n), by(s->A, n), 0, by(gram, count));
        for (int k = 0; k < count; k++) { /* to length one: then what depends on others shows */
            const double length = gram[(int64_t)k * count + k];
            values[k] = length > 0 ? 1 / sqrt(length) : 0;
        }
        for (int k = 0; k < count; k++)
            for (int l = 0; l < count; l++)
                gram[(int64_t)k * count + l] *= values[k] * values[l];
        for (int k = 0; k < count; k++)
            for (int i = 0; i < n; i++)
                W[(int64_t)k * n + i] *= values[k];
        if (!slip_dense_eigenvectors(count, gram, values)) {
            status = slip_fail(s->ctx, SLIP_ERROR_SOLVER, "LAPACK found no eigenvalues of %d vectors", count);
            goto done;
        }
        kept = 0;
        for (int k = count - 1; k >= 0 && values[k] > 1e-12; k--, kept++)
            for (int i = 0; i < count; i++)
                gram[(int64_t)k * count + i] /= sqrt(values[k]);
        kept = kept < s->most - s->used ? kept : s->most - s->used;
        if (kept > 0)
            slip_columns_multiply(false, n, kept, count, 1, by(W, n),
                                  by(gram + (int64_t)(count - kept) * count, count), 0, by(s->A, n));
        memcpy(W, s->A, sizeof(double) * (size_t)n * (size_t)kept);
        count = kept;
        if (kept == 0)
            break;
    }
    memcpy(column(s, s->V, s->used), W, sizeof(double) * (size_t)n * (size_t)kept);
    SLIP_TRY(project(s, s->used, s->used + kept));
    s->used += kept;
done:
    free(numbers);
    return status;
}

/* ---- The projected problem. */

static bool add_candidate(solver *s, double complex value, const double *re, const double *im, bool conjugate)
{
    candidate *c = &s->list[s->list_count++];
    c->s = value;
    c->y = slip_arena_array(&s->round, s->used, sizeof *c->y);
    double size = 0;
    for (int i = 0; c->y && i < s->used; i++) {
        c->y[i] = re[i] + (im ? I * (conjugate ? -im[i] : im[i]) : 0);
        size += creal(c->y[i] * conj(c->y[i]));
    }
    for (int i = 0; c->y && i < s->used && size > 0; i++)
        c->y[i] /= sqrt(size);
    return c->y != NULL;
}

static int by_size(const void *a, const void *b)
{
    const double x = cabs(((const candidate *)a)->s), y = cabs(((const candidate *)b)->s);
    return x < y ? -1 : x > y;
}

/* Without damping: eigenvalues -s^2 of the projection of K. What is zero up to `rounding` is zero. */
static bool take_squares(solver *s, int k, double rounding, const double *real, const double *imaginary,
                         const double *vectors)
{
    const double *re = vectors + (int64_t)k * s->used, *im = imaginary[k] != 0 ? re + s->used : NULL;
    if (hypot(real[k], imaginary[k]) <= rounding)
        return add_candidate(s, 0, re, NULL, false);
    const double complex square = -(real[k] + I * imaginary[k]), root = csqrt(square);
    if (imaginary[k] == 0 && real[k] >= 0)
        return add_candidate(s, I * sqrt(real[k]), re, NULL, false);
    /* Of s and -s, and of the conjugate pair of s^2: those with a positive imaginary part. */
    const bool up = cimag(root) >= 0;
    return add_candidate(s, up ? root : -root, re, im, false) &&
           add_candidate(s, up ? -conj(root) : conj(root), re, im, true);
}

static int solve_projected(solver *s)
{
    const int64_t used = s->used, size = s->problem->damping ? 2 * used : used;
    double *matrix = slip_arena_array(&s->round, size * size, sizeof *matrix),
           *vectors = slip_arena_array(&s->round, size * size, sizeof *vectors),
           *real = slip_arena_array(&s->round, size, sizeof *real),
           *imaginary = slip_arena_array(&s->round, size, sizeof *imaginary);
    s->list = slip_arena_array(&s->round, 2 * size, sizeof *s->list);
    s->list_count = 0;
    if (!matrix || !vectors || !real || !imaginary || !s->list)
        return slip_fail_memory(s->ctx);
    for (int64_t i = 0; i < used; i++)
        for (int64_t j = 0; j < used; j++) {
            if (!s->problem->damping) {
                matrix[i * size + j] = s->K[i * s->most + j];
                continue;
            }
            matrix[(used + i) * size + j] = -s->K[i * s->most + j];
            matrix[(used + i) * size + used + j] = -s->C[i * s->most + j];
        }
    for (int64_t i = 0; i < used && s->problem->damping; i++)
        matrix[i * size + used + i] = 1;
    const int found = slip_dense_eigenvectors_any((int)size, matrix, real, imaginary, vectors);
    if (found == SLIP_ERROR_MEMORY)
        return slip_fail_memory(s->ctx);
    if (found < 0)
        return slip_fail(s->ctx, SLIP_ERROR_SOLVER, "LAPACK found no eigenvalues of a matrix of size %d",
                         (int)size);
    bool good = true;
    double largest = 0;
    for (int64_t k = 0; k < size; k++)
        largest = fmax(largest, hypot(real[k], imaginary[k]));
    for (int k = 0; k < (int)size && good; k++) {
        if (imaginary[k] < 0)
            continue;
        if (!s->problem->damping)
            good = take_squares(s, k, 16 * (double)size * DBL_EPSILON * largest, real, imaginary, vectors);
        else
            good = add_candidate(s, real[k] + I * imaginary[k], vectors + k * size,
                                 imaginary[k] != 0 ? vectors + (k + 1) * size : NULL, false);
    }
    qsort(s->list, (size_t)s->list_count, sizeof *s->list, by_size);
    return good ? SLIP_OK : slip_fail_memory(s->ctx);
}

/* ---- Residuals. */

/* Two columns of X for each of `count` candidates: real and imaginary part of V y. */
static int find_vectors(solver *s, int count)
{
    double *y = slip_arena_array(&s->round, 2 * (int64_t)count * s->used, sizeof *y);
    if (!y)
        return slip_fail_memory(s->ctx);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < s->used; i++) {
            y[(int64_t)(2 * k) * s->used + i] = creal(s->list[k].y[i]);
            y[(int64_t)(2 * k + 1) * s->used + i] = cimag(s->list[k].y[i]);
        }
    slip_columns_multiply(false, s->n, 2 * count, s->used, 1, by(s->V, s->n), by(y, s->used), 0,
                          by(s->X, s->n));
    return SLIP_OK;
}

/* A += factor (product of a matrix with X), by pairs of columns that are complex numbers. */
static void add_scaled(solver *s, const slip_compressed *matrix, int count, int power)
{
    slip_compressed_multiply(matrix, false, 2 * count, s->X, s->B);
#pragma omp parallel for schedule(static) if ((int64_t)count * s->n > 1000000)
    for (int k = 0; k < count; k++) {
        const double complex value = s->list[k].s, factor = power == 2   ? value * value
                                                            : power == 1 ? value
                                                                         : 1;
        const double *re = column(s, s->B, 2 * k), *im = column(s, s->B, 2 * k + 1), a = creal(factor),
                     b = cimag(factor);
        double *to_re = column(s, s->A, 2 * k), *to_im = column(s, s->A, 2 * k + 1);
        for (int i = 0; i < s->n; i++) {
            to_re[i] += a * re[i] - b * im[i];
            to_im[i] += a * im[i] + b * re[i];
        }
    }
}

/* P^-1 r of each candidate into A, its size into errors. */
static int find_errors(solver *s, int count, double *errors)
{
    const slip_quadratic *q = s->problem;
    int status;
    SLIP_TRY(find_vectors(s, count));
    memset(s->A, 0, sizeof(double) * 2 * (size_t)count * (size_t)s->n);
    add_scaled(s, q->stiffness, count, 0);
    add_scaled(s, q->mass, count, 2);
    if (q->damping)
        add_scaled(s, q->damping, count, 1);
    SLIP_TRY(apply_factor(s, 2 * count, s->A));
    slip_compressed_multiply(q->mass, true, 2 * count, s->A, s->B);
    for (int k = 0; k < count; k++) {
        double sum = 0;
        for (int part = 0; part < 2; part++)
            sum += slip_columns_dot(s->n, column(s, s->A, 2 * k + part), 1, column(s, s->B, 2 * k + part), 1);
        errors[k] = sqrt(fmax(sum, 0));
    }
done:
    return status;
}

/* ---- Rounds. */

/* Begins again with the vectors of the lowest candidates. */
static int restart(solver *s, int count)
{
    int status;
    SLIP_TRY(find_vectors(s, count));
    s->used = 0;
    SLIP_TRY(append(s, s->X, 2 * count));
done:
    return status;
}

/* The corrections of what has not converged join the basis: t = P^-1 r (in A), and one term more of the
 * series of (P + s^2 M)^-1 r, t - s^2 P^-1 M t, for which M t is in B. */
static int widen(solver *s, const double *errors, int count)
{
    int width = 0, status;
    for (int k = 0; k < count; k++) {
        const double complex square = s->list[k].s * s->list[k].s;
        const double *re = column(s, s->B, 2 * k), *im = column(s, s->B, 2 * k + 1), a = creal(square),
                     b = cimag(square);
        for (int part = 0; part < 2 && errors[k] > s->options.tolerance; part++)
            if (part == 0 || cimag(s->list[k].s) != 0) {
                double *to = column(s, s->X, width++);
                for (int i = 0; i < s->n; i++)
                    to[i] = part == 0 ? a * re[i] - b * im[i] : a * im[i] + b * re[i];
            }
    }
    SLIP_TRY(apply_factor(s, width, s->X));
    width = 0;
    for (int k = 0; k < count; k++)
        for (int part = 0; part < 2 && errors[k] > s->options.tolerance; part++)
            if (part == 0 || cimag(s->list[k].s) != 0) {
                double *to = column(s, s->X, width++);
                const double *first = column(s, s->A, 2 * k + part);
                for (int i = 0; i < s->n; i++)
                    to[i] = first[i] - to[i];
            }
    SLIP_TRY(append(s, s->X, width));
done:
    return status;
}

static bool converged(const solver *s, const double *errors, int count)
{
    for (int k = 0; k < count; k++)
        if (!(errors[k] <= s->options.tolerance))
            return false;
    return true;
}

static int iterate(solver *s)
{
    slip_quadratic_modes *to = s->to;
    int status = SLIP_OK;
    for (to->rounds = 1;; to->rounds++) {
        slip_arena_free(&s->round);
        SLIP_TRY(slip_interrupt_check(s->ctx));
        SLIP_TRY(solve_projected(s));
        const int count = (int)(s->list_count < s->wanted ? s->list_count : s->wanted);
        SLIP_TRY(find_errors(s, count, to->error));
        if (to->rounds == 1)
            memcpy(to->before, to->error, sizeof(double) * (size_t)count);
        to->count = count;
        if (converged(s, to->error, count))
            return SLIP_OK;
        if (slip_progress_due(s->ctx))
            slip_progress_report(s->ctx, &(slip_progress){.what = "complex modes", .fraction = -1});
        if (to->rounds == rounds_max) {
            double worst = 0;
            for (int k = 0; k < count; k++)
                worst = fmax(worst, to->error[k]);
            status =
                slip_fail(s->ctx, SLIP_ERROR_SOLVER,
                          "complex modes have not converged in %d rounds: errors up to %.3g, tolerance %g",
                          rounds_max, worst, s->options.tolerance);
            goto done;
        }
        if (s->used + 2 * count > s->most) {
            SLIP_TRY(restart(s, count));
            continue;
        }
        const int before = s->used;
        SLIP_TRY(widen(s, to->error, count));
        if (s->used == before) { /* nothing new: as good as rounding lets it be */
            status =
                slip_fail(s->ctx, SLIP_ERROR_SOLVER,
                          "complex modes: rounding stops them before the tolerance %g; take a larger one",
                          s->options.tolerance);
            goto done;
        }
    }
done:
    return status;
}

/* ---- All of it. */

static int allocate(solver *s)
{
    const int64_t n = s->n, wanted = s->options.count,
                  width = 2 * wanted > s->options.real_modes ? 2 * wanted : s->options.real_modes;
    slip_quadratic_modes *to = s->to;
    s->V = slip_alloc(n * s->most, sizeof(double));
    s->K = slip_alloc((int64_t)s->most * s->most, sizeof(double));
    s->C = slip_alloc((int64_t)s->most * s->most, sizeof(double));
    s->X = slip_alloc(n * width, sizeof(double));
    s->A = slip_alloc(n * width, sizeof(double));
    s->B = slip_alloc(n * width, sizeof(double));
    to->real = slip_alloc(wanted, sizeof(double));
    to->imaginary = slip_alloc(wanted, sizeof(double));
    to->error = slip_alloc(wanted, sizeof(double));
    to->before = slip_alloc(wanted, sizeof(double));
    return s->V && s->K && s->C && s->X && s->A && s->B && to->real && to->imaginary && to->error &&
                   to->before
               ? SLIP_OK
               : slip_fail_memory(s->ctx);
}

static int check(slip_context *ctx, const slip_quadratic *q, const slip_quadratic_options *o)
{
    int status = SLIP_OK;
    if (o->count < 1 || o->count > q->size || q->size > INT32_MAX)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%lld modes of matrices of size %lld: expected 1 to that size", (long long)o->count,
                         (long long)q->size);
    SLIP_TRY(slip_compressed_check(ctx, q->mass, q->size, "mass"));
    SLIP_TRY(slip_compressed_check(ctx, q->stiffness, q->size, "stiffness"));
    if (q->damping)
        SLIP_TRY(slip_compressed_check(ctx, q->damping, q->size, "damping"));
done:
    return status;
}

void slip_quadratic_free(slip_quadratic_modes *m)
{
    free(m->real);
    free(m->imaginary);
    free(m->error);
    free(m->before);
    free(m->vectors);
    *m = (slip_quadratic_modes){0};
}

int slip_quadratic_lowest(slip_context *ctx, const slip_quadratic *problem,
                          const slip_quadratic_options *options, slip_quadratic_modes *to)
{
    solver s = {.ctx = ctx, .problem = problem, .options = *options, .n = (int)problem->size, .to = to};
    int status;
    SLIP_TRY(check(ctx, problem, options));
    if (s.options.real_modes < 1) /* of few unknowns all: then the projection is the problem itself */
        s.options.real_modes = problem->size <= few ? problem->size : 2 * s.options.count + 20;
    if (s.options.real_modes > problem->size)
        s.options.real_modes = problem->size;
    if (s.options.basis < 1)
        s.options.basis = s.options.real_modes + 8 * s.options.count + 40;
    if (s.options.basis > problem->size)
        s.options.basis = problem->size;
    s.most = (int)s.options.basis;
    s.wanted = (int)s.options.count;
    SLIP_TRY(make_factor(&s));
    SLIP_TRY(allocate(&s));
    SLIP_TRY(find_real_modes(&s));
    s.used = (int)s.options.real_modes;
    SLIP_TRY(project(&s, 0, s.used));
    SLIP_TRY(iterate(&s));
    for (int64_t k = 0; k < to->count; k++) {
        to->real[k] = creal(s.list[k].s);
        to->imaginary[k] = cimag(s.list[k].s);
    }
    SLIP_TRY(find_vectors(&s, (int)to->count));
    to->vectors = s.X;
    s.X = NULL;
done:
    slip_factor_destroy(s.factor);
    slip_arena_free(&s.round);
    free(s.V);
    free(s.K);
    free(s.C);
    free(s.X);
    free(s.A);
    free(s.B);
    return status;
}
