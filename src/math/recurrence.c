#include "math/recurrence.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

enum { longest = slip_recurrence_longest };

int slip_recurrence_numbers(int size, int count)
{
    return count * size * (longest + 1);
}

/* Householder's triangle of the matrix of `columns` columns with `rows` numbers each, one after the other;
 * below the diagonal zeros. */
static void triangle(int rows, int columns, double *matrix)
{
    for (int k = 0; k < columns && k < rows; k++) {
        double *v = matrix + k * rows, norm = 0, pivot;
        for (int i = k; i < rows; i++)
            norm += v[i] * v[i];
        norm = sqrt(norm);
        if (norm == 0)
            continue;
        pivot = v[k] > 0 ? -norm : norm;
        v[k] -= pivot; /* v is the mirror's normal now, v . v = 2 |pivot| |v_k| */
        for (int c = k + 1; c < columns; c++) {
            double *x = matrix + c * rows, dot = 0;
            for (int i = k; i < rows; i++)
                dot += v[i] * x[i];
            dot /= pivot * v[k];
            for (int i = k; i < rows; i++)
                x[i] += dot * v[i];
        }
        memset(v + k, 0, (size_t)(rows - k) * sizeof(double));
        v[k] = pivot;
    }
}

/* The equations of order r, weighted, by columns u_j .. u_(j+r) for j = 0 .. count - 1 - r. */
static void set_equations(int r, int size, int count, const double *vectors, double noise, double *matrix)
{
    int rows = (count - r) * size;
    for (int j = 0; j < count - r; j++) {
        double weight = 1 / (slip_largest((r + 1) * size, vectors + j * size) + noise);
        for (int c = 0; c <= r; c++)
            for (int i = 0; i < size; i++)
                matrix[c * rows + j * size + i] = weight * vectors[(j + c) * size + i];
    }
}

/* Solves the triangle for a[r] and finds the deviation of their sum; returns the mean square of a weighted
 * residual. */
static double solve(int r, int rows, const double *matrix, slip_recurrence *fit)
{
    const double *right = matrix + r * rows;
    double spread[longest] = {0}, sum = 0, square = 0, mean = right[r] * right[r] / (rows - r);
    for (int k = r - 1; k >= 0; k--) {
        double value = -right[k], diagonal = matrix[k * rows + k];
        for (int c = k + 1; c < r; c++)
            value -= matrix[c * rows + k] * fit->a[c];
        fit->a[k] = diagonal != 0 ? value / diagonal : 0;
    }
    /* The sum is 1 . a, its variance 1 . (R^T R)^-1 1 of that of a residual: R^T spread = 1. */
    for (int k = 0; k < r; k++) {
        double value = 1, diagonal = matrix[k * rows + k];
        for (int c = 0; c < k; c++)
            value -= matrix[k * rows + c] * spread[c];
        spread[k] = diagonal != 0 ? value / diagonal : 0;
        sum += fit->a[k];
        square += spread[k] * spread[k];
    }
    fit->order = r;
    fit->a[r] = 1;
    fit->sum = 1 + sum;
    fit->sum_error = sqrt(mean * square);
    return mean;
}

static double late_residual(int size, int count, const double *vectors, const slip_recurrence *fit)
{
    int r = fit->order;
    double most = 0;
    for (int j = (count - r) / 2; j < count - r; j++)
        for (int i = 0; i < size; i++) {
            double sum = 0;
            for (int c = 0; c <= r; c++)
                sum += fit->a[c] * vectors[(j + c) * size + i];
            most = fmax(most, fabs(sum));
        }
    return most;
}

int slip_recurrence_fit(int size, int count, const double *vectors, double noise, double *work,
                        slip_recurrence *fits)
{
    double mean[longest], least = INFINITY;
    int orders = 0, enough = 1;
    for (int r = 1; r <= longest && r <= size && r <= count / 2 && (count - r) * size > r; r++) {
        set_equations(r, size, count, vectors, noise, work);
        triangle((count - r) * size, r + 1, work);
        mean[r - 1] = solve(r, (count - r) * size, work, &fits[r - 1]);
        least = fmin(least, mean[r - 1]);
        orders = r;
    }
    while (enough < orders && mean[enough - 1] > 4 * least)
        enough++;
    for (int r = 1; r <= enough && r <= orders; r++)
        fits[r - 1].residual = late_residual(size, count, vectors, &fits[r - 1]);
    return orders > 0 ? enough : 0;
}
