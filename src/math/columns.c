#include "math/columns.h"

#include <cblas.h>

void slip_columns_multiply(bool transpose, int rows, int columns, int inner, double alpha, slip_columns a,
                           slip_columns b, double beta, slip_columns c)
{
    cblas_dgemm(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, CblasNoTrans, rows, columns, inner,
                alpha, a.values, a.stride, b.values, b.stride, beta, c.values, c.stride);
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
