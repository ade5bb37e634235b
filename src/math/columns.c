#include "math/columns.h"

#include <cblas.h>

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

void slip_columns_substitute(bool backward, int64_t columns, int64_t below, int64_t n, const double *factor,
                             double *own, double *rest)
{
    const int wide = (int)columns, low = (int)below, all = wide + low, count = (int)n;
    if (backward && low > 0)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, wide, count, low, -1, factor + wide, all, rest,
                    low, 1, own, wide);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, backward ? CblasTrans : CblasNoTrans, CblasNonUnit,
                wide, count, 1, factor, all, own, wide);
    if (!backward && low > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, low, count, wide, 1, factor + wide, all, own,
                    wide, 0, rest, low);
}
