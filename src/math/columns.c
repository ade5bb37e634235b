#include "math/columns.h"

#include <cblas.h>
#include <string.h>

void slip_columns_multiply(bool transpose, int rows, int columns, int inner, double alpha, slip_columns a,
                           slip_columns b, double beta, slip_columns c)
{
    cblas_dgemm(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, CblasNoTrans, rows, columns, inner,
                alpha, a.values, a.stride, b.values, b.stride, beta, c.values, c.stride);
}

void slip_columns_apply(bool transpose, int rows, int columns, double alpha, const double *a, int stride,
                        const double *x, double beta, double *y)
{
    cblas_dgemv(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, rows, columns, alpha, a, stride, x, 1,
                beta, y, 1);
}

void slip_columns_divide(int rows, int columns, slip_columns triangle, slip_columns x)
{
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, columns, 1,
                triangle.values, triangle.stride, x.values, x.stride);
}

double slip_columns_dot(int n, const double *x, int x_stride, const double *y, int y_stride)
{
    return cblas_ddot(n, x, x_stride, y, y_stride);
}

int slip_columns_threads(int count)
{
    int before = openblas_get_num_threads();
    openblas_set_num_threads(count);
    return before;
}

void slip_columns_add_product(int64_t rows, int n, const double *a, const double *b, double *sum)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, (int)rows, 1, a, n, b, n, 1, sum, n);
}

void slip_columns_forward(int64_t rows, int64_t columns, const double *factor, int n, double *own,
                          double *below)
{
    const int all = (int)rows, wide = (int)columns;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, wide, 1, factor, all, own,
                n);
    if (all > wide)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, all - wide, wide, 1, own, n, factor + wide,
                    all, 0, below, n);
}

/* y += a column times x, and the sum of products with a column, of `count` numbers. */
static inline void add_column(int count, const double *restrict column, double x, double *restrict y)
{
#pragma omp simd
    for (int i = 0; i < count; i++)
        y[i] += column[i] * x;
}

static inline double sum_column(int count, const double *restrict column, const double *restrict y)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; i++)
        sum += column[i] * y[i];
    return sum;
}

/* Of one right-hand side. Most blocks of a factor are a few columns wide, for which a call of BLAS takes
 * longer than its work; most numbers are in wide ones. */
static bool is_small(int rows, int columns)
{
    return rows * columns < 256;
}

static void climb_one(int wide, int low, const double *factor, double *own, double *rest)
{
    const int all = wide + low;
    const bool by_hand = is_small(low, wide);
    if (!is_small(wide, wide))
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, wide, factor, all, own, 1);
    else
        for (int c = 0; c < wide; c++) {
            const double *column = factor + (int64_t)c * all;
            own[c] /= column[c];
            add_column(wide - c - 1, column + c + 1, -own[c], own + c + 1);
        }
    if (!by_hand)
        cblas_dgemv(CblasColMajor, CblasNoTrans, low, wide, 1, factor + wide, all, own, 1, 0, rest, 1);
    else
        memset(rest, 0, (size_t)low * sizeof *rest);
    for (int c = 0; c < wide && by_hand; c++)
        add_column(low, factor + (int64_t)c * all + wide, own[c], rest);
}

static void descend_one(int wide, int low, const double *factor, double *own, double *rest)
{
    const int all = wide + low;
    const bool by_hand = is_small(low, wide);
    if (!by_hand)
        cblas_dgemv(CblasColMajor, CblasTrans, low, wide, -1, factor + wide, all, rest, 1, 1, own, 1);
    for (int c = 0; c < wide && by_hand; c++)
        own[c] -= sum_column(low, factor + (int64_t)c * all + wide, rest);
    if (!is_small(wide, wide))
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, wide, factor, all, own, 1);
    else
        for (int c = wide - 1; c >= 0; c--) {
            const double *column = factor + (int64_t)c * all;
            own[c] = (own[c] - sum_column(wide - c - 1, column + c + 1, own + c + 1)) / column[c];
        }
}

void slip_columns_substitute(bool backward, int64_t columns, int64_t below, int64_t n, const double *factor,
                             double *own, double *rest)
{
    const int wide = (int)columns, low = (int)below, all = wide + low, count = (int)n;
    const CBLAS_TRANSPOSE way = backward ? CblasTrans : CblasNoTrans;
    if (n == 1) {
        (backward ? descend_one : climb_one)(wide, low, factor, own, rest);
        return;
    }
    if (backward && low > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, wide, count, low, -1, factor + wide, all, rest,
                    low, 1, own, wide);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, way, CblasNonUnit, wide, count, 1, factor, all, own,
                wide);
    if (!backward && low > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, low, count, wide, 1, factor + wide, all, own,
                    wide, 0, rest, low);
}
