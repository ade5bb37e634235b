/* Vectors of a reduced body. */
#include "flex/reduction.h"

#include "base/memory.h"
#include "math/columns.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/factor.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bodies up to this size are solved by dense matrices. */
enum { dense_max = 300 };
/* Vectors that are solved for, or multiplied, at a time. */
enum { strip = 64 };
/* An attachment vector is dropped where sin^2 of its angle to the span of the others is below this. */
static const double dependent = 1e-11;
/* As shares of the mean eigenvalue: the shift s for a body with rigid motions, and the bound below which an
 * eigenvalue is that of a rigid motion. */
static const double shift_part = 1e-8, rigid_part = 1e-13;

typedef struct work {
    slip_context *ctx;
    const slip_sparse *stiffness, *mass;
    slip_sparse *shifted; /* K + s M, where K is singular */
    slip_factor *factor;
    double mean; /* trace K over trace M */
    int64_t size;
    double *vectors, *square; /* the results so far, vectors one after the other */
    int64_t count, capacity;
} work;

static void free_work(work *w)
{
    slip_sparse_destroy(w->shifted);
    slip_factor_destroy(w->factor);
    free(w->vectors);
    free(w->square);
}

/* ---- matrices ---- */

/* Factors K, or K + s M where K is singular. */
static int factor(work *w)
{
    int64_t unknown = -1;
    int status = slip_factor_create(w->ctx, w->stiffness, NULL, &w->factor, &unknown);
    w->mean = slip_sparse_trace(w->stiffness) / slip_sparse_trace(w->mass);
    if (unknown < 0 && status >= 0) {
        /* rounding may leave a small positive pivot for a rigid motion: its eigenvalue shows it, but the
         * factor is useless */
        SLIP_FREED double *ones = slip_alloc(2 * w->size, sizeof *ones);
        double largest = 0, most = 0;
        SLIP_PASS(slip_allocated(w->ctx, ones));
        for (int64_t i = 0; i < w->size; i++)
            ones[i] = w->mass->value[w->mass->start[i]] * (1 + 0.3 * sin(1.7 * (double)i));
        status = slip_factor_solve(w->ctx, w->factor, 1, ones, ones + w->size);
        for (int64_t i = 0; i < w->size; i++) {
            largest = fmax(largest, fabs(ones[w->size + i]));
            most = fmax(most, fabs(ones[i] / w->mass->value[w->mass->start[i]]));
        }
        if (status < 0 || largest * w->mean * rigid_part * 10 < most)
            return status;
    } else if (unknown < 0) {
        return status;
    }
    slip_factor_destroy(w->factor);
    w->factor = NULL;
    status = slip_sparse_sum(w->ctx, 1, w->stiffness, shift_part * w->mean, w->mass, &w->shifted);
    return status < 0 ? status : slip_factor_create(w->ctx, w->shifted, NULL, &w->factor, &unknown);
}

static bool reserve(work *w, int64_t count)
{
    int64_t vectors = w->capacity * w->size, squares = w->capacity;
    if (count <= w->capacity)
        return true;
    if (!SLIP_ROOM(w->vectors, vectors, count * w->size) || !SLIP_ROOM(w->square, squares, count))
        return false;
    w->capacity = count;
    return true;
}

/* ---- eigenmodes ---- */

static int solve_block(void *user, int64_t count, const double *right, double *solution)
{
    work *w = user;
    return slip_factor_solve(w->ctx, w->factor, count, right, solution);
}

static void multiply_mass(void *user, int64_t count, const double *x, double *product)
{
    const work *w = user;
    for (int64_t k = 0; k < count; k++)
        slip_sparse_multiply(w->mass, x + k * w->size, product + k * w->size);
}

static int find_large(work *w, int64_t modes)
{
    const slip_eigen_problem problem = {w->size, w, solve_block, multiply_mass};
    slip_eigen_options options = slip_eigen_options_default();
    SLIP_FREED double *found = NULL;
    options.count = modes;
    SLIP_PASS(slip_eigen_lowest(w->ctx, &problem, &options, w->square, &found, NULL));
    memcpy(w->vectors, found, (size_t)(modes * w->size) * sizeof *found);
    if (w->shifted)
        for (int64_t k = 0; k < modes; k++)
            w->square[k] -= shift_part * w->mean;
    return SLIP_OK;
}

static void to_dense(const slip_sparse *matrix, double *dense)
{
    const int64_t n = matrix->size;
    memset(dense, 0, (size_t)(n * n) * sizeof *dense);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            dense[j * n + matrix->row[k]] = dense[matrix->row[k] * n + j] = matrix->value[k];
}

static int find_small(work *w, int64_t modes)
{
    const int64_t n = w->size;
    SLIP_FREED double *a = slip_alloc(n * n, sizeof *a), *b = slip_alloc(n * n, sizeof *b),
                      *values = slip_alloc(n, sizeof *values);
    SLIP_PASS(slip_allocated(w->ctx, a && b && values));
    to_dense(w->stiffness, a);
    to_dense(w->mass, b);
    if (!slip_dense_eigenvectors_pair((int)n, a, b, values))
        return slip_fail(w->ctx, SLIP_ERROR_SOLVER,
                         "the eigenmodes of a body were not found: its mass "
                         "matrix is not positive definite");
    memcpy(w->vectors, a, (size_t)(modes * n) * sizeof *a);
    memcpy(w->square, values, (size_t)modes * sizeof *values);
    return SLIP_OK;
}

/* Squares of rigid motions are zero but for rounding. */
static void clean_squares(work *w)
{
    for (int64_t k = 0; k < w->count; k++)
        if (w->square[k] < rigid_part * w->mean * (double)w->size)
            w->square[k] = 0;
}

/* Finds the lowest eigenmodes and stores them before all other vectors. */
static int find_modes(work *w, int64_t modes)
{
    SLIP_PASS(slip_allocated(w->ctx, reserve(w, modes)));
    SLIP_PASS(w->size <= dense_max || modes * 4 > w->size ? find_small(w, modes) : find_large(w, modes));
    w->count = modes;
    clean_squares(w);
    return SLIP_OK;
}

/* ---- vectors of the contact points ---- */

/* Removes the eigenmodes from x: x - Phi Phi^T M x, twice because of rounding; `product`: room for a vector.
 */
static void clear_of_modes(const work *w, double *x, double *product)
{
    for (int pass = 0; pass < 2; pass++) {
        slip_sparse_multiply(w->mass, x, product);
        for (int64_t k = 0; k < w->count; k++) {
            const double *mode = w->vectors + k * w->size;
            const double part = slip_dot(w->size, mode, product);
            for (int64_t i = 0; i < w->size; i++)
                x[i] -= part * mode[i];
        }
    }
}

/* a^T A b for vectors a and b, `count` of each; `product` has room for `strip` of them. */
static void project(const slip_sparse *matrix, int64_t count, double *vectors, double *product,
                    double *result)
{
    const int64_t n = matrix->size;
    for (int64_t first = 0; first < count; first += strip) {
        const int64_t width = count - first < strip ? count - first : strip, above = first + width;
#pragma omp parallel for schedule(static) if (n * width > 100000)
        for (int64_t j = 0; j < width; j++)
            slip_sparse_multiply(matrix, vectors + (first + j) * n, product + j * n);
        slip_columns_multiply(true, (int)above, (int)width, (int)n, 1, (slip_columns){vectors, (int)n},
                              (slip_columns){product, (int)n}, 0,
                              (slip_columns){result + first * count, (int)count});
    }
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < j; i++)
            result[i * count + j] = result[j * count + i];
}

/* to = from z: n x count times count x kept, z one vector after the other. */
static void combine(int64_t n, int64_t count, int64_t kept, double *from, double *z, double *to)
{
    slip_columns_multiply(false, (int)n, (int)kept, (int)count, 1, (slip_columns){from, (int)n},
                          (slip_columns){z, (int)count}, 0, (slip_columns){to, (int)n});
}

/* Turns *vectors (which are freed) into M-orthonormal vectors that diagonalise K, and appends them to the
 * results. At most two copies exist at a time, since at large sizes they take most of the memory. Their
 * stiffness is better conditioned than their mass, so they are first made K-orthonormal; linearly dependent
 * ones are dropped. */
static int add_vectors(work *w, int64_t count, double **vectors)
{
    const int64_t n = w->size;
    SLIP_FREED double *gram = slip_alloc(count * count, sizeof *gram),
                      *values = slip_alloc(count, sizeof *values),
                      *product = slip_alloc(n * (count < strip ? count : strip), sizeof *product),
                      *y = slip_alloc(n * count, sizeof *y);
    double *x = *vectors;
    int64_t kept = 0;
    SLIP_PASS(slip_allocated(w->ctx, gram && values && product && y));
    project(w->shifted ? w->shifted : w->stiffness, count, x, product, gram);
    for (int64_t j = 0; j < count; j++) {
        const double scale = gram[j * count + j] > 0 ? 1 / sqrt(gram[j * count + j]) : 0;
        for (int64_t i = 0; i < n; i++)
            x[j * n + i] *= scale;
        values[j] = scale;
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++)
            gram[i * count + j] *= values[i] * values[j];
    if (!slip_dense_eigenvectors((int)count, gram, values))
        return slip_fail(w->ctx, SLIP_ERROR_SOLVER, "the attachment vectors of a body were not found");
    for (int64_t j = 0; j < count; j++) {
        if (!(values[j] > dependent * values[count - 1]))
            continue;
        for (int64_t i = 0; i < count; i++)
            gram[kept * count + i] = gram[j * count + i] / sqrt(values[j]);
        kept++;
    }
    combine(n, count, kept, x, gram, y);
    free(x);
    *vectors = NULL;
    project(w->mass, kept, y, product, gram);
    if (kept > 0 && !slip_dense_eigenvectors((int)kept, gram, values))
        return slip_fail(w->ctx, SLIP_ERROR_SOLVER, "the attachment vectors of a body were not found");
    /* the largest mass for unit stiffness is the lowest frequency */
    for (int64_t j = 0; j < kept / 2; j++) {
        const double value = values[j];
        values[j] = values[kept - 1 - j];
        values[kept - 1 - j] = value;
        for (int64_t i = 0; i < kept; i++) {
            const double entry = gram[j * kept + i];
            gram[j * kept + i] = gram[(kept - 1 - j) * kept + i];
            gram[(kept - 1 - j) * kept + i] = entry;
        }
    }
    while (kept > 0 && !(values[kept - 1] > 0))
        kept--;
    SLIP_PASS(slip_allocated(w->ctx, reserve(w, w->count + kept)));
    for (int64_t j = 0; j < kept; j++)
        w->square[w->count + j] = 1 / values[j] - (w->shifted ? shift_part * w->mean : 0);
    combine(n, kept, kept, y, gram, w->vectors + w->count * n);
    for (int64_t j = 0; j < kept; j++)
        for (int64_t i = 0; i < n; i++)
            w->vectors[(w->count + j) * n + i] /= sqrt(values[j]);
    w->count += kept;
    return SLIP_OK;
}

/* x = K^-1 x for `count` vectors, in place. In strips: a solve needs scratch memory as large as its vectors.
 */
static int solve_strips(work *w, int64_t count, double *x)
{
    for (int64_t k = 0; k < count; k += strip)
        SLIP_PASS(slip_factor_solve(w->ctx, w->factor, count - k < strip ? count - k : strip, x + k * w->size,
                                    x + k * w->size));
    return SLIP_OK;
}

static int add_attachment(work *w, const slip_directions *directions)
{
    const int64_t n = w->size, count = directions->count;
    SLIP_FREED double *x = slip_alloc(n * count + n, sizeof *x);
    SLIP_PASS(slip_allocated(w->ctx, x));
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = directions->start[j]; k < directions->start[j + 1]; k++)
            x[j * n + directions->unknown[k]] += directions->value[k];
    SLIP_PASS(solve_strips(w, count, x));
    for (int64_t j = 0; j < count; j++)
        clear_of_modes(w, x + j * n, x + n * count);
    return count > 0 ? add_vectors(w, count, &x) : SLIP_OK;
}

/* The modes of the body with the marked unknowns held, into `x`, zero there. */
static int find_held_modes(const work *w, const bool *held, int64_t modes, double *x)
{
    SLIP_FREED_BY(free_work) work inside = {.ctx = w->ctx, .mean = w->mean};
    SLIP_FREED int64_t *part = slip_alloc(w->size, sizeof *part);
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *stiffness = NULL, *mass = NULL;
    SLIP_PASS(slip_allocated(w->ctx, part));
    for (int64_t i = 0; i < w->size; i++)
        part[i] = held[i] ? -1 : inside.size++;
    if (modes > inside.size)
        return slip_fail(w->ctx, SLIP_ERROR_MODEL,
                         "%lld modes with held contact points are asked for, but only %lld unknowns are left",
                         (long long)modes, (long long)inside.size);
    SLIP_PASS(slip_sparse_part(w->ctx, w->stiffness, part, inside.size, &stiffness));
    SLIP_PASS(slip_sparse_part(w->ctx, w->mass, part, inside.size, &mass));
    inside.stiffness = stiffness;
    inside.mass = mass;
    SLIP_PASS(factor(&inside));
    SLIP_PASS(find_modes(&inside, modes));
    for (int64_t k = 0; k < modes; k++)
        for (int64_t i = 0; i < w->size; i++)
            x[k * w->size + i] = part[i] < 0 ? 0 : inside.vectors[k * inside.size + part[i]];
    return SLIP_OK;
}

/* The static vectors have the span of the responses to unit forces on the held unknowns. */
static int find_craig_bampton(work *w, const slip_directions *directions, int64_t modes)
{
    const int64_t n = w->size;
    SLIP_FREED bool *held = slip_alloc(n, sizeof *held);
    SLIP_FREED double *x = NULL;
    int64_t count = modes;
    SLIP_PASS(slip_allocated(w->ctx, held));
    for (int64_t k = 0; k < directions->start[directions->count]; k++)
        held[directions->unknown[k]] = true;
    for (int64_t i = 0; i < n; i++)
        count += held[i];
    x = slip_alloc(n * count, sizeof *x);
    SLIP_PASS(slip_allocated(w->ctx, x));
    SLIP_PASS(find_held_modes(w, held, modes, x));
    for (int64_t i = 0, k = modes; i < n; i++)
        if (held[i])
            x[k++ * n + i] = 1;
    if (count > modes)
        SLIP_PASS(solve_strips(w, count - modes, x + modes * n));
    SLIP_PASS(add_vectors(w, count, &x));
    clean_squares(w);
    return SLIP_OK;
}

/* ---- the whole ---- */

/* Sorts all vectors by frequency, in place. Eigenmodes and attachment vectors are orthogonal already. */
static int sort_vectors(work *w)
{
    SLIP_FREED double *kept = slip_alloc(w->size, sizeof *kept);
    SLIP_FREED int64_t *from = slip_alloc(w->count, sizeof *from); /* of each place: where its vector is */
    const size_t size = (size_t)w->size * sizeof *kept;
    SLIP_PASS(slip_allocated(w->ctx, kept && from));
    for (int64_t k = 0; k < w->count; k++)
        from[k] = k;
    for (int64_t k = 1; k < w->count; k++)
        for (int64_t i = k; i > 0 && w->square[i] < w->square[i - 1]; i--) {
            const double square = w->square[i];
            const int64_t at = from[i];
            w->square[i] = w->square[i - 1];
            w->square[i - 1] = square;
            from[i] = from[i - 1];
            from[i - 1] = at;
        }
    for (int64_t k = 0; k < w->count; k++) { /* cycle by cycle */
        int64_t to = k;
        if (from[k] == k)
            continue;
        memcpy(kept, w->vectors + k * w->size, size);
        for (int64_t next = from[k]; next != k; next = from[to]) {
            memcpy(w->vectors + to * w->size, w->vectors + next * w->size, size);
            from[to] = to;
            to = next;
        }
        memcpy(w->vectors + to * w->size, kept, size);
        from[to] = to;
    }
    return SLIP_OK;
}

static int hand_over(work *w, slip_reduction **result)
{
    slip_reduction *to = *result = slip_alloc(1, sizeof *to);
    SLIP_PASS(slip_allocated(w->ctx, to));
    *to = (slip_reduction){.size = w->size,
                           .count = (int)w->count,
                           .vectors = w->vectors,
                           .square = w->square,
                           .moving = (int)w->count};
    w->vectors = w->square = NULL;
    return SLIP_OK;
}

int slip_reduction_create(slip_context *ctx, const slip_sparse *stiffness, const slip_sparse *mass,
                          const slip_directions *directions, const slip_reduction_options *options,
                          slip_reduction **reduction)
{
    SLIP_FREED_BY(free_work)
    work w = {.ctx = ctx, .stiffness = stiffness, .mass = mass, .size = stiffness->size};
    SLIP_FREED_BY(slip_reduction_drop) slip_reduction *made = NULL;
    const int64_t modes = options->modes > 0 ? options->modes : w.size;
    *reduction = NULL;
    if (modes > w.size)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%lld modes are asked for, but there are only %lld unknowns",
                         (long long)modes, (long long)w.size);
    SLIP_PASS(factor(&w));
    if (options->contact == SLIP_REDUCTION_CRAIG_BAMPTON && modes < w.size) {
        SLIP_PASS(find_craig_bampton(&w, directions, modes));
    } else {
        SLIP_PASS(find_modes(&w, modes));
        if (options->contact != SLIP_REDUCTION_NONE && modes < w.size)
            SLIP_PASS(add_attachment(&w, directions));
    }
    SLIP_PASS(sort_vectors(&w));
    SLIP_PASS(hand_over(&w, &made));
    SLIP_PASS(slip_reduction_note(ctx, directions, options, made));
    if (options->contact == SLIP_REDUCTION_CONDENSED)
        made->moving = (int)modes; /* attachment vectors are above: they are orthogonal to the lowest modes */
    SLIP_HAND(reduction, made);
    return SLIP_OK;
}

void slip_reduction_destroy(slip_reduction *reduction)
{
    if (!reduction)
        return;
    free(reduction->vectors);
    free(reduction->square);
    slip_arena_free(&reduction->arena);
    free(reduction);
}
