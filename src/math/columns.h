/* Large dense matrices by columns: what BLAS does best. The only place that calls it. */
#ifndef SLIP_MATH_COLUMNS_H
#define SLIP_MATH_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix by columns; `stride` is the distance from one column to the next. */
typedef struct slip_columns {
    double *values;
    int stride;
} slip_columns;

/* c = alpha op(a) b + beta c, op(a) is rows x inner: a, or its transpose. */
void slip_columns_multiply(bool transpose, int rows, int columns, int inner, double alpha, slip_columns a,
                           slip_columns b, double beta, slip_columns c);

/* y = alpha op(a) x + beta y, a is rows x columns: a, or its transpose. */
void slip_columns_apply(bool transpose, int rows, int columns, double alpha, const double *a, int stride,
                        const double *x, double beta, double *y);

/* x = x R^-1 for a triangle R (the upper one of a square matrix), x is rows x columns. */
void slip_columns_divide(int rows, int columns, slip_columns triangle, slip_columns x);

/* The sum of products of n numbers, at the given distances in memory. */
double slip_columns_dot(int n, const double *x, int x_stride, const double *y, int y_stride);

/* From the first hold to the last giving back BLAS uses one thread, then as many as before: for loops that
 * keep the processors busy themselves, and for small problems. OpenBLAS has one number of threads for the
 * whole process, so holds of several threads that overlap are one. */
void slip_columns_hold(void);
void slip_columns_give_back(void);

/* sum += a^T b for a and b of `rows` rows and n columns. */
void slip_columns_add_product(int64_t rows, int n, const double *a, const double *b, double *sum);

/* A step of forward substitution with a block of a triangular factor, rows x columns, column by column, whose
 * upper square is the triangle L11 and the rest L21: own := L11^-1 own, below := L21 own, with n right-hand
 * sides, row by row. */
void slip_columns_forward(int64_t rows, int64_t columns, const double *factor, int n, double *own,
                          double *below);

/* The same by columns: `factor` is (columns + below) x columns, own is columns x n, below is below x n, each
 * without gaps. Forward: own := L11^-1 own, rest := L21 own. Backward: own := L11^-T (own - L21^T rest). */
void slip_columns_substitute(bool backward, int64_t columns, int64_t below, int64_t n, const double *factor,
                             double *own, double *rest);

#endif
