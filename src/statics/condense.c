#include "statics/condense.h"

#include "base/memory.h"
#include "math/dense.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double rank_tolerance = 1e-12;

static int rank_of(int n, const double *values)
{
    int rank = 0;
    while (rank < n && values[rank] > rank_tolerance * values[0] && values[rank] > 0)
        rank++;
    return rank;
}

int slip_condense_nullity(slip_context *ctx, int n, const double *stiffness, int *nullity)
{
    const int64_t square = (int64_t)n * n;
    SLIP_FREED double *numbers = slip_alloc(3 * square + n, sizeof(double));
    int status = SLIP_OK;
    SLIP_PASS(slip_allocated(ctx, numbers));
    memcpy(numbers, stiffness, sizeof(double) * (size_t)square);
    if (slip_dense_singular(n, numbers, numbers + 3 * square, numbers + square, numbers + 2 * square))
        *nullity = n - rank_of(n, numbers + 3 * square);
    else
        status = slip_fail(ctx, SLIP_ERROR_SOLVER, "the stiffness matrix has entries that are not finite");
    return status;
}

/* The sign of the determinant of an orthogonal matrix, which it overwrites. */
static int orientation(int n, double *matrix, int *pivots)
{
    double size;
    return slip_dense_invert_signed(n, matrix, pivots, &size);
}

typedef struct inverse {
    int n, nullity;
    double *left, *right, *values; /* singular vectors and values */
    double *work, *image;
} inverse;

/* A scalar product in which a result below the rounding error of its terms is set to zero: a contact along a
 * rigid motion must have no compliance rather than a tiny one. */
static double dot(int n, const double *a, const double *b, int stride)
{
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double term = a[i] * b[(int64_t)i * stride];
        sum += term;
        size = fmax(size, fabs(term));
    }
    return fabs(sum) > 1e-14 * size ? sum : 0;
}

/* K^+ b, from the sums over the singular vectors */
static void apply(const inverse *k, const double *b, double *x)
{
    const int n = k->n, rank = k->n - k->nullity;
    for (int v = 0; v < rank; v++)
        k->image[v] = dot(n, b, k->left + v, n) / k->values[v];
    for (int i = 0; i < n; i++)
        x[i] = dot(rank, k->image, k->right + (int64_t)i * n, 1);
}

static void fill(const slip_condense_input *in, const inverse *k, double *compliance, double *free,
                 double *base, double *recover)
{
    const int n = in->n, rows = in->row_count, all = rows + k->nullity, first = n - k->nullity;
    apply(k, in->load, base);
    for (int j = 0; j < rows; j++) {
        apply(k, in->rows + (int64_t)j * n, k->work);
        for (int i = 0; i < n; i++)
            recover[(int64_t)i * all + j] = k->work[i];
    }
    for (int v = 0; v < k->nullity; v++)
        for (int i = 0; i < n; i++)
            recover[(int64_t)i * all + rows + v] = k->right[(int64_t)i * n + first + v];
    for (int i = 0; i < rows; i++) {
        const double *row = in->rows + (int64_t)i * n;
        for (int j = 0; j < all; j++)
            compliance[(int64_t)i * all + j] = dot(n, row, recover + j, all);
        const double moved = dot(n, row, base, 1), sum = in->offset[i] + moved;
        free[i] = fabs(sum) > 1e-14 * fabs(moved) ? sum : 0;
    }
    for (int v = 0; v < k->nullity; v++) {
        double *to = compliance + (int64_t)(rows + v) * all;
        memset(to, 0, sizeof(double) * (size_t)all);
        for (int j = 0; j < rows; j++)
            to[j] = dot(n, in->rows + (int64_t)j * n, k->left + first + v, n);
        free[rows + v] = dot(n, in->load, k->left + first + v, n);
    }
}

int slip_condense(slip_context *ctx, const slip_condense_input *in, int nullity, double *compliance,
                  double *free_, double *base, double *recover, int *sign)
{
    const int n = in->n;
    const int64_t square = (int64_t)n * n;
    SLIP_FREED double *numbers = slip_alloc(3 * square + 3 * n, sizeof(double));
    SLIP_FREED int *pivots = slip_alloc(n, sizeof(int));
    SLIP_PASS(slip_allocated(ctx, numbers && pivots));
    double *const values = numbers + 3 * square;
    inverse k = {n, nullity, numbers + square, numbers + 2 * square, values, values + n, values + 2 * n};
    memcpy(numbers, in->stiffness, sizeof(double) * (size_t)square);
    if (!slip_dense_singular(n, numbers, k.values, k.left, k.right))
        return slip_fail(ctx, SLIP_ERROR_SOLVER, "the stiffness matrix has entries that are not finite");
    if (n - rank_of(n, k.values) != nullity)
        return slip_fail(ctx, SLIP_ERROR_SOLVER,
                         "the stiffness matrix is singular for some values of the parameter only");
    fill(in, &k, compliance, free_, base, recover);
    *sign = orientation(n, k.left, pivots) * orientation(n, k.right, pivots) * (nullity % 2 == 0 ? 1 : -1);
    return SLIP_OK;
}
