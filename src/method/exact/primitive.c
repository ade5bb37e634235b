/* Integrals of quadratic forms along y' = A y, from their ends alone.
 *
 * The products p = (y_i y_j, i <= j) satisfy p' = L^T p, so that the derivative of a form f . p is (L f) . p.
 * Where
 *
 *     f = L x + r,   L r = 0,       int_0^d f . p = x . p(d) - x . p(0) + d r . p(0).
 *
 * Such x and r exist for every f where zero is no defective eigenvalue of L: without resonance and without
 * drift. With L = C F, F its rows in echelon form and C its columns at the pivots,
 *
 *     w = (F C)^-1 F f,   x = C (F C)^-1 w,   r = f - C w
 *
 * (the group inverse; A. Ben-Israel, T. Greville, Generalized inverses, 2003, ch. 4). */
#include "math/dense.h"
#include "method/exact/reduce.h"
#include "method/exact/types.h"

#include <math.h>
#include <string.h>

enum { size_most = slip_exact_ends_most, most = size_most * (size_most + 1) / 2 };

static int place_of(int size, int i, int j)
{
    const int low = i < j ? i : j, high = i < j ? j : i;
    return low * size - low * (low - 1) / 2 + high - low;
}

/* Typical sizes of the products of entries, from sizes of the entries with |A| sizes ~ rate sizes. */
static void list_sizes(const slip_exact_set *set, double *products)
{
    enum { rounds = 8 };
    double sizes[size_most];
    for (int i = 0; i < set->size; i++)
        sizes[i] = 1;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < set->size; i++) {
            double sum = sizes[i];
            for (int j = 0; j < set->size; j++)
                sum += fabs(set->generator[i * set->size + j]) / set->rate * sizes[j];
            sizes[i] = 0.5 * sum;
        }
    for (int i = 0; i < set->size; i++)
        for (int j = i; j < set->size; j++)
            *products++ = sizes[i] * sizes[j];
}

static void fill(const slip_exact_set *set, int count, double *matrix)
{
    const int size = set->size;
    memset(matrix, 0, (size_t)(count * count) * sizeof *matrix);
    for (int i = 0, at = 0; i < size; i++)
        for (int j = i; j < size; j++, at++)
            for (int k = 0; k < size; k++) {
                matrix[place_of(size, k, j) * count + at] += set->generator[i * size + k];
                matrix[place_of(size, i, k) * count + at] += set->generator[j * size + k];
            }
}

/* Whether L r is zero, to rounding of f and of f - r. */
static bool is_kept(int count, const double *matrix, const double *f, const double *r)
{
    for (int i = 0; i < count; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < count; j++) {
            sum += matrix[i * count + j] * r[j];
            size += fabs(matrix[i * count + j]) * (fabs(f[j]) + fabs(f[j] - r[j]));
        }
        if (!(fabs(sum) <= 1e-13 * size))
            return false;
    }
    return true;
}

bool slip_exact_primitive(const slip_exact_set *set, int forms, int stride, const double *form, double *x,
                          double *r)
{
    double matrix[most * most], rows[most * most], columns[most * most], product[most * most], w[most],
        sizes[most];
    int pivot[most], candidate[most];
    const int count = set->size * (set->size + 1) / 2;
    if (set->size > size_most || set->rate == 0)
        return false;
    fill(set, count, matrix);
    memcpy(rows, matrix, sizeof rows);
    list_sizes(set, product);
    const int rank = slip_exact_echelon(count, count, rows, NULL, product, pivot, sizes, candidate);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < rank; k++)
            columns[i * rank + k] = matrix[i * count + pivot[k]];
    memset(product, 0, sizeof product);
    slip_exact_multiply_add(rank, count, rank, 1, rows, columns, product);
    if (rank > 0 && !slip_dense_factor(rank, product, pivot))
        return false;
    for (; forms > 0; forms--, form += stride, x += stride, r += stride) {
        memset(w, 0, sizeof w);
        slip_exact_multiply_add(rank, count, 1, 1, rows, form, w);
        slip_dense_substitute(rank, product, pivot, w);
        memcpy(r, form, (size_t)count * sizeof *r);
        slip_exact_multiply_add(count, rank, 1, -1, columns, w, r);
        slip_dense_substitute(rank, product, pivot, w);
        memset(x, 0, (size_t)count * sizeof *x);
        slip_exact_multiply_add(count, rank, 1, 1, columns, w, x);
        if (!is_kept(count, matrix, form, r))
            return false;
    }
    return true;
}
