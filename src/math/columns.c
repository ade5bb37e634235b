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

/* What belongs to the number of threads of BLAS, of which a process has one. */
static struct {
    int holders, threads;
} blas;

void slip_columns_hold(void)
{
#pragma omp critical(blas)
    if (blas.holders++ == 0) {
        blas.threads = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
}

void slip_columns_give_back(void)
{
#pragma omp critical(blas)
    if (--blas.holders == 0)
        openblas_set_num_threads(blas.threads);
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

#define INLINE static inline __attribute__((always_inline))

/* Of one right-hand side a factor is read once and no more: what counts is that its columns come from memory
 * without a pause. Four are taken together, so that a right-hand side is loaded and stored once for them; the
 * last ones of a block one by one. `wide` is 4 or 1, known when this is compiled. */

/* y += columns times x, of `count` rows; and the sums of products with each column. */
INLINE void add_columns(const int wide, int count, const double *restrict column, int64_t stride,
                        const double *x, double *restrict y)
{
    const double a = x[0], b = wide > 1 ? x[1] : 0, c = wide > 1 ? x[2] : 0, d = wide > 1 ? x[3] : 0;
#pragma omp simd
    for (int i = 0; i < count; i++)
        y[i] += wide > 1 ? column[i] * a + column[stride + i] * b + column[2 * stride + i] * c +
                               column[3 * stride + i] * d
                         : column[i] * a;
}

INLINE void subtract_sums(const int wide, int count, const double *restrict column, int64_t stride,
                          const double *restrict y, double *restrict x)
{
    double a = 0, b = 0, c = 0, d = 0;
#pragma omp simd reduction(+ : a, b, c, d)
    for (int i = 0; i < count; i++) {
        a += column[i] * y[i];
        if (wide > 1) {
            b += column[stride + i] * y[i];
            c += column[2 * stride + i] * y[i];
            d += column[3 * stride + i] * y[i];
        }
    }
    x[0] -= a;
    if (wide > 1) {
        x[1] -= b;
        x[2] -= c;
        x[3] -= d;
    }
}

INLINE void climb_columns(const int wide, int left, int low, const double *column, int64_t stride,
                          double *own, double *rest)
{
    double minus[4];
    for (int c = 0; c < wide; c++) {
        for (int k = 0; k < c; k++)
            own[c] -= column[k * stride + c] * own[k];
        own[c] /= column[c * stride + c];
        minus[c] = -own[c];
    }
    add_columns(wide, left, column + wide, stride, minus, own + wide);
    add_columns(wide, low, column + wide + left, stride, own, rest);
}

INLINE void descend_columns(const int wide, int left, int low, const double *column, int64_t stride,
                            double *own, const double *rest)
{
    subtract_sums(wide, low, column + wide + left, stride, rest, own);
    subtract_sums(wide, left, column + wide, stride, own + wide, own);
    for (int c = wide - 1; c >= 0; c--) {
        for (int k = c + 1; k < wide; k++)
            own[c] -= column[c * stride + k] * own[k];
        own[c] /= column[c * stride + c];
    }
}

/* A factor is one piece of memory, and is read from one end to the other: what comes next is asked for while
 * this is worked on. */
INLINE void ask_for(const double *next, int64_t count)
{
    for (int64_t i = 0; i < count; i += 8)
        __builtin_prefetch(next + i);
}

INLINE void climb_one(int wide, int low, const double *factor, double *own, double *rest)
{
    const int64_t all = wide + low;
    int c = 0;
    memset(rest, 0, (size_t)low * sizeof *rest);
    for (; c + 4 <= wide; c += 4) {
        ask_for(factor + (c + 4) * all, 4 * all);
        climb_columns(4, wide - c - 4, low, factor + c * (all + 1), all, own + c, rest);
    }
    for (; c < wide; c++)
        climb_columns(1, wide - c - 1, low, factor + c * (all + 1), all, own + c, rest);
}

INLINE void descend_one(int wide, int low, const double *factor, double *own, const double *rest)
{
    const int64_t all = wide + low;
    int c = wide - 1;
    for (; c >= wide / 4 * 4; c--)
        descend_columns(1, wide - c - 1, low, factor + c * (all + 1), all, own + c, rest);
    for (c -= 3; c >= 0; c -= 4) {
        ask_for(factor + (c - 4) * all, 4 * all);
        descend_columns(4, wide - c - 4, low, factor + c * (all + 1), all, own + c, rest);
    }
}

INLINE void substitute_one(bool backward, int wide, int low, const double *factor, double *own, double *rest)
{
    if (backward)
        descend_one(wide, low, factor, own, rest);
    else
        climb_one(wide, low, factor, own, rest);
}

/* The same code for the widest vectors that pay here, where the processor has them. */
#if defined(__x86_64__)
static __attribute__((target("avx2,fma"))) void
substitute_wide(bool backward, int wide, int low, const double *factor, double *own, double *rest)
{
    substitute_one(backward, wide, low, factor, own, rest);
}
static bool has_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define substitute_wide substitute_one
static bool has_wide(void)
{
    return false;
}
#endif

void slip_columns_substitute(bool backward, int64_t columns, int64_t below, int64_t n, const double *factor,
                             double *own, double *rest)
{
    const int wide = (int)columns, low = (int)below, all = wide + low, count = (int)n;
    const CBLAS_TRANSPOSE way = backward ? CblasTrans : CblasNoTrans;
    if (n == 1) {
        if (has_wide())
            substitute_wide(backward, wide, low, factor, own, rest);
        else
            substitute_one(backward, wide, low, factor, own, rest);
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
