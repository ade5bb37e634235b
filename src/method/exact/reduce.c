#include "method/exact/reduce.h"

#include <math.h>

static void swap_rows(int n, double *a, double *b)
{
    for (int j = 0; j < n; j++) {
        double swap = a[j];
        a[j] = b[j];
        b[j] = swap;
    }
}

static void subtract_row(int n, double factor, const double *from, double *to)
{
    for (int j = 0; j < n; j++)
        to[j] -= factor * from[j];
}

static void scale_row(int n, double factor, double *row)
{
    for (int j = 0; j < n; j++)
        row[j] *= factor;
}

/* The entry of a row with the largest |entry| weight, if it exceeds `least` times the row's size; else -1.
 * Entries in columns of earlier pivots are zero. */
static int largest_entry(int n, const double *row, const double *weight, double size, double least)
{
    int column = -1;
    for (int j = 0; j < n && size > 0; j++)
        if (fabs(row[j]) * weight[j] > least * size) {
            least = fabs(row[j]) * weight[j] / size;
            column = j;
        }
    return column;
}

static void swap_numbers(int *a, int *b)
{
    const int swap = *a;
    *a = *b;
    *b = swap;
}

int slip_exact_echelon(int k, int n, double *rows, double *transform, const double *weight, int *pivot,
                       double *sizes, int *candidate)
{
    const double least = 1e-11;
    int rank = 0;
    for (int i = 0; i < k; i++) {
        sizes[i] = 0;
        for (int j = 0; j < n; j++)
            sizes[i] = fmax(sizes[i], fabs(rows[i * n + j]) * weight[j]);
        for (int j = 0; j < k && transform; j++)
            transform[i * k + j] = i == j;
        candidate[i] = largest_entry(n, rows + i * n, weight, sizes[i], least);
    }
    while (rank < k) {
        int row = -1, column = -1;
        double best = least;
        for (int i = rank; i < k; i++) {
            const int j = candidate[i];
            if (j >= 0 && fabs(rows[i * n + j]) * weight[j] > best * sizes[i]) {
                best = fabs(rows[i * n + j]) * weight[j] / sizes[i];
                row = i, column = j;
            }
        }
        if (row < 0)
            break;
        swap_numbers(&candidate[row], &candidate[rank]);
        swap_rows(n, rows + row * n, rows + rank * n);
        swap_rows(1, sizes + row, sizes + rank);
        double scale = 1 / rows[rank * n + column];
        scale_row(n, scale, rows + rank * n);
        rows[rank * n + column] = 1;
        if (transform) {
            swap_rows(k, transform + row * k, transform + rank * k);
            scale_row(k, scale, transform + rank * k);
        }
        for (int i = 0; i < k; i++) {
            double factor = rows[i * n + column];
            if (i == rank || factor == 0)
                continue;
            subtract_row(n, factor, rows + rank * n, rows + i * n);
            rows[i * n + column] = 0;
            if (i > rank)
                candidate[i] = largest_entry(n, rows + i * n, weight, sizes[i], least);
            if (transform)
                subtract_row(k, factor, transform + rank * k, transform + i * k);
        }
        pivot[rank++] = column;
    }
    return rank;
}

/* The row, from i on, whose entry in column i is largest relative to the size of the row. */
static int find_pivot(int m, const double *matrix, int i, double *ratio)
{
    int pivot = i;
    *ratio = 0;
    for (int j = i; j < m; j++) {
        double size = 0;
        for (int k = i; k < m && matrix[j * m + i] != 0; k++)
            size = fmax(size, fabs(matrix[j * m + k]));
        if (size > 0 && fabs(matrix[j * m + i]) / size > *ratio) {
            *ratio = fabs(matrix[j * m + i]) / size;
            pivot = j;
        }
    }
    return pivot;
}

bool slip_exact_solve(int m, double *matrix, int count, double *right)
{
    for (int i = 0; i < m; i++) {
        double ratio;
        int pivot = find_pivot(m, matrix, i, &ratio);
        /* the last entry could only be compared with itself, since the eliminated terms are gone */
        if (!(ratio > 1e-13))
            return false;
        if (pivot != i) {
            swap_rows(m, matrix + i * m, matrix + pivot * m);
            swap_rows(count, right + i * count, right + pivot * count);
        }
        for (int j = i + 1; j < m; j++) {
            double factor = matrix[j * m + i] / matrix[i * m + i], before = 0, after = 0;
            if (factor == 0)
                continue;
            for (int k = i + 1; k < m; k++) {
                before = fmax(before, fabs(matrix[j * m + k]));
                matrix[j * m + k] -= factor * matrix[i * m + k];
                after = fmax(after, fabs(matrix[j * m + k]));
            }
            if (!(after > 1e-13 * before))
                return false;
            matrix[j * m + i] = 0;
            subtract_row(count, factor, right + i * count, right + j * count);
        }
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            if (matrix[i * m + k] != 0)
                subtract_row(count, matrix[i * m + k], right + k * count, right + i * count);
        scale_row(count, 1 / matrix[i * m + i], right + i * count);
    }
    return true;
}

/* Rows of few entries stay in registers while products are added. */
static inline __attribute__((always_inline)) void add_products(int n, int m, const int count, double factor,
                                                               const double *matrix,
                                                               const double *restrict other,
                                                               double *restrict result)
{
    for (int i = 0; i < n; i++, matrix += m, result += count)
        for (int k = 0; k < m; k++) {
            const double entry = factor * matrix[k];
            if (entry == 0)
                continue;
            for (int j = 0; j < count; j++)
                result[j] += entry * other[k * count + j];
        }
}

void slip_exact_multiply_add(int n, int m, int count, double factor, const double *matrix,
                             const double *other, double *result)
{
    switch (count) {
    case 3:
        add_products(n, m, 3, factor, matrix, other, result);
        return;
    case 4:
        add_products(n, m, 4, factor, matrix, other, result);
        return;
    case 5:
        add_products(n, m, 5, factor, matrix, other, result);
        return;
    case 6:
        add_products(n, m, 6, factor, matrix, other, result);
        return;
    default:
        add_products(n, m, count, factor, matrix, other, result);
    }
}
