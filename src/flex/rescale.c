/* Reductions of bodies whose matrices are multiples of those of another one. With K = a K_0 and M = b M_0
 * modes and attachment vectors stay as they are, but for their length: v = v_0/sqrt(b), omega^2 = omega_0^2
 * a/b. */
#include "base/memory.h"
#include "flex/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the largest entry: what rounding does to multiples. */
static const double rounding = 1e-13;

int slip_reduction_note(slip_context *ctx, const slip_directions *directions,
                        const slip_reduction_options *options, slip_reduction *to)
{
    const int64_t count = directions->count, entries = count > 0 ? directions->start[count] : 0;
    to->options = *options;
    to->direction_count = count;
    to->start = slip_alloc(count + 1, sizeof *to->start);
    to->unknown = slip_alloc(entries, sizeof *to->unknown);
    to->value = slip_alloc(entries, sizeof *to->value);
    if (!to->start || !to->unknown || !to->value)
        return slip_fail_memory(ctx);
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

/* Whether b is a multiple of a: which one; else 0. */
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
    slip_reduction *to = *reduction = slip_alloc(1, sizeof *to);
    if (!to)
        return slip_fail_memory(ctx);
    *to = (slip_reduction){.size = from->size, .count = from->count, .moving = from->moving};
    const int64_t numbers = from->size * from->count;
    to->vectors = slip_alloc(numbers, sizeof *to->vectors);
    to->square = slip_alloc(from->count, sizeof *to->square);
    int status =
        to->vectors && to->square ? slip_reduction_note(ctx, directions, options, to) : slip_fail_memory(ctx);
    for (int64_t i = 0; i < numbers && status >= 0; i++)
        to->vectors[i] = from->vectors[i] / sqrt(b);
    for (int k = 0; k < from->count && status >= 0; k++)
        to->square[k] = from->square[k] * a / b;
    if (status < 0) {
        slip_reduction_destroy(to);
        *reduction = NULL;
    }
    return status;
}
