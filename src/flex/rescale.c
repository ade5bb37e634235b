/* Reductions of a body with other values of its parameters, such that coordinates keep their meaning.
 *
 * Where both matrices are multiples of the old ones, K = a K_0 and M = b M_0, eigenmodes and attachment
 * vectors only change their length: v = v_0/sqrt(b), omega^2 = omega_0^2 a/b. Otherwise the vectors are
 * computed anew and replaced by orthogonal combinations near the old ones. */
#include "base/memory.h"
#include "flex/reduction.h"
#include "math/columns.h"
#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding errors of multiples, over the largest entry. */
static const double rounding = 1e-13;

int slip_reduction_note(slip_context *ctx, const slip_directions *directions,
                        const slip_reduction_options *options, slip_reduction *to)
{
    const int64_t count = directions->count, entries = count > 0 ? directions->start[count] : 0;
    to->options = *options;
    to->direction_count = count;
    to->start = slip_arena_array(&to->arena, count + 1, sizeof *to->start);
    to->unknown = slip_arena_array(&to->arena, entries, sizeof *to->unknown);
    to->value = slip_arena_array(&to->arena, entries, sizeof *to->value);
    SLIP_PASS(slip_allocated(ctx, to->start && to->unknown && to->value));
    if (count > 0)
        memcpy(to->start, directions->start, (size_t)(count + 1) * sizeof *to->start);
    if (entries > 0) {
        memcpy(to->unknown, directions->unknown, (size_t)entries * sizeof *to->unknown);
        memcpy(to->value, directions->value, (size_t)entries * sizeof *to->value);
    }
    return SLIP_OK;
}

static bool same_numbers(int64_t count, const double *a, const double *b, double factor)
{
    double largest = 0, off = 0;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(b[i]));
        off = fmax(off, fabs(b[i] - factor * a[i]));
    }
    return off <= rounding * largest;
}

/* The factor b/a where b is a multiple of a, else 0. */
static double multiple(const slip_sparse *a, const slip_sparse *b)
{
    int64_t at = 0;
    if (!a || a->size != b->size || a->size == 0 ||
        memcmp(a->start, b->start, (size_t)(a->size + 1) * sizeof *a->start) != 0)
        return 0;
    const int64_t count = a->start[a->size];
    for (int64_t k = 0; k < count; k++) {
        if (a->row[k] != b->row[k])
            return 0;
        if (fabs(a->value[k]) > fabs(a->value[at]))
            at = k;
    }
    const double factor = b->value[at] / a->value[at];
    return factor > 0 && same_numbers(count, a->value, b->value, factor) ? factor : 0;
}

static bool same_directions(const slip_reduction *from, const slip_directions *to)
{
    const int64_t count = from->direction_count;
    if (count != to->count)
        return false;
    if (count == 0)
        return true;
    return memcmp(from->start, to->start, (size_t)(count + 1) * sizeof *to->start) == 0 &&
           memcmp(from->unknown, to->unknown, (size_t)to->start[count] * sizeof *to->unknown) == 0 &&
           same_numbers(to->start[count], from->value, to->value, 1);
}

int slip_reduction_rescale(slip_context *ctx, const slip_reduction *from, const slip_sparse *from_stiffness,
                           const slip_sparse *from_mass, const slip_sparse *stiffness,
                           const slip_sparse *mass, const slip_directions *directions,
                           const slip_reduction_options *options, slip_reduction **reduction)
{
    const slip_reduction_options *before = &from->options;
    *reduction = NULL;
    if (before->modes != options->modes || before->contact != options->contact ||
        before->loads != options->loads || !same_directions(from, directions))
        return SLIP_OK;
    const double a = multiple(from_stiffness, stiffness), b = multiple(from_mass, mass);
    if (!(a > 0) || !(b > 0))
        return SLIP_OK;
    SLIP_FREED_BY(slip_reduction_drop) slip_reduction *to = slip_alloc(1, sizeof *to);
    SLIP_PASS(slip_allocated(ctx, to));
    *to = (slip_reduction){.size = from->size, .count = from->count, .moving = from->moving};
    const int64_t numbers = from->size * from->count;
    to->vectors = slip_alloc(numbers, sizeof *to->vectors);
    to->square = slip_alloc(from->count, sizeof *to->square);
    const int64_t mixed = from->mix ? (int64_t)from->count * from->count : 0;
    to->mix = from->mix ? slip_arena_array(&to->arena, mixed, sizeof *to->mix) : NULL;
    SLIP_PASS(slip_allocated(ctx, to->vectors && to->square && (to->mix || !from->mix)));
    SLIP_PASS(slip_reduction_note(ctx, directions, options, to));
    if (mixed > 0)
        memcpy(to->mix, from->mix, (size_t)mixed * sizeof *to->mix);
    for (int64_t i = 0; i < numbers; i++)
        to->vectors[i] = from->vectors[i] / sqrt(b);
    for (int k = 0; k < from->count; k++)
        to->square[k] = from->square[k] * a / b;
    SLIP_HAND(reduction, to);
    return SLIP_OK;
}

/* The orthogonal factor of C, m x m by columns, into `r`: C (C^T C)^(-1/2). False where C is next to
 * singular. `scratch` has room for 2 m^2 + m numbers. */
static bool polar(int m, double *c, double *r, double *scratch)
{
    const double least = 1e-4; /* of the squares of cosines */
    double *square = scratch, *root = square + (int64_t)m * m, *values = root + (int64_t)m * m;
    slip_columns_multiply(true, m, m, m, 1, (slip_columns){c, m}, (slip_columns){c, m}, 0,
                          (slip_columns){square, m});
    if (!slip_dense_eigenvectors(m, square, values) || !(values[0] > least * values[m - 1]))
        return false;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            root[k + (int64_t)m * i] = square[i + (int64_t)m * k] / sqrt(sqrt(values[k]));
    slip_columns_multiply(true, m, m, m, 1, (slip_columns){root, m}, (slip_columns){root, m}, 0,
                          (slip_columns){square, m});
    slip_columns_multiply(false, m, m, m, 1, (slip_columns){c, m}, (slip_columns){square, m}, 0,
                          (slip_columns){r, m});
    return true;
}

/* Vectors `first` to `first + m - 1`. */
static bool align_block(const slip_reduction *from, const slip_sparse *mass, int first, int m,
                        slip_reduction *to, double *product, double *scratch)
{
    const int n = (int)to->size;
    double *own = to->vectors + (int64_t)first * n, *c = scratch, *r = c + (int64_t)m * m;
    if (m == 0)
        return true;
    for (int k = 0; k < m; k++)
        slip_sparse_multiply(mass, from->vectors + (int64_t)(first + k) * n, product + (int64_t)k * n);
    slip_columns_multiply(true, m, m, n, 1, (slip_columns){own, n}, (slip_columns){product, n}, 0,
                          (slip_columns){c, m});
    if (!polar(m, c, r, r + (int64_t)m * m))
        return false;
    slip_columns_multiply(false, n, m, m, 1, (slip_columns){own, n}, (slip_columns){r, m}, 0,
                          (slip_columns){product, n});
    for (int j = 0; j < m; j++)
        memcpy(to->mix + (int64_t)(first + j) * to->count + first, r + (int64_t)j * m, (size_t)m * sizeof *r);
    memcpy(own, product, (size_t)n * (size_t)m * sizeof *own);
    return true;
}

int slip_reduction_align(slip_context *ctx, const slip_reduction *from, const slip_sparse *mass,
                         slip_reduction *to)
{
    const int64_t m = to->count;
    if (from->size != to->size || from->count != to->count || from->moving != to->moving || m == 0)
        return SLIP_OK;
    SLIP_FREED double *product = slip_alloc(to->size * m, sizeof *product),
                      *scratch = slip_alloc(4 * m * m + m, sizeof *scratch),
                      *kept = slip_alloc(to->size * m, sizeof *kept);
    to->mix = slip_arena_array(&to->arena, m * m, sizeof *to->mix);
    SLIP_PASS(slip_allocated(ctx, product && scratch && kept && to->mix));
    memcpy(kept, to->vectors, (size_t)(to->size * m) * sizeof *kept);
    if (!align_block(from, mass, 0, to->moving, to, product, scratch) ||
        !align_block(from, mass, to->moving, to->count - to->moving, to, product, scratch)) {
        memcpy(to->vectors, kept, (size_t)(to->size * m) * sizeof *kept);
        to->mix = NULL;
    }
    return SLIP_OK;
}

void slip_reduction_spread(const slip_reduction *reduction, const double *values, int64_t stride,
                           double *matrix)
{
    const int count = reduction->count;
    const double *mix = reduction->mix;
    for (int i = 0; i < count && !mix; i++)
        matrix[i * (stride + 1)] += values[i];
    for (int i = 0; i < count && mix; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < count; k++)
                sum += mix[(int64_t)i * count + k] * values[k] * mix[(int64_t)j * count + k];
            matrix[i * stride + j] += sum;
            matrix[j * stride + i] += i == j ? 0 : sum;
        }
}
