/* Two-sided Rayleigh quotient iteration (A. M. Ostrowski, Arch. Rational Mech. Anal. 3, 1959): with right and
 * left vectors x and y, s = y A x / y E x is good to the product of their errors. An error d of the matrices
 * moves s by y d x / y E x; taken entry by entry, with |d| <= eps |A|, that is the error which stays. */
#include "math/refine.h"

#include "base/memory.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Solves matrix x = right by elimination, with the largest pivot of a column measured against its row; both
 * are overwritten. A pivot that vanishes, as it should at an eigenvalue, is as small as rounding lets it. */
static void solve(int n, double complex *matrix, double complex *right)
{
    for (int i = 0; i < n; i++) { /* rows of size one */
        double size = 0;
        for (int j = 0; j < n; j++)
            size = fmax(size, cabs(matrix[i * n + j]));
        for (int j = 0; j < n && size > 0; j++)
            matrix[i * n + j] /= size;
        right[i] = size > 0 ? right[i] / size : right[i];
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = cabs(matrix[i * n + k]) > cabs(matrix[best * n + k]) ? i : best;
        for (int j = 0; j < n && best != k; j++) {
            const double complex swap = matrix[k * n + j];
            matrix[k * n + j] = matrix[best * n + j];
            matrix[best * n + j] = swap;
        }
        const double complex swap = right[k];
        right[k] = right[best];
        right[best] = swap;
        if (cabs(matrix[k * n + k]) < DBL_EPSILON * DBL_EPSILON)
            matrix[k * n + k] = DBL_EPSILON * DBL_EPSILON;
        for (int i = k + 1; i < n; i++) {
            const double complex factor = matrix[i * n + k] / matrix[k * n + k];
            for (int j = k + 1; j < n && factor != 0; j++)
                matrix[i * n + j] -= factor * matrix[k * n + j];
            right[i] -= factor * right[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            right[k] -= matrix[k * n + j] * right[j];
        right[k] /= matrix[k * n + k];
    }
}

/* vector = (A - s E)^-1 E vector, of the transposed matrices where `left`; of size one. */
static void iterate(int n, const double *e, const double *a, double complex s, bool left,
                    double complex *matrix, double complex *room, double complex *vector)
{
    double size = 0;
    for (int i = 0; i < n; i++) {
        room[i] = 0;
        for (int j = 0; j < n; j++) {
            const int at = left ? j * n + i : i * n + j;
            matrix[i * n + j] = a[at] - s * e[at];
            room[i] += e[at] * vector[j];
        }
    }
    solve(n, matrix, room);
    for (int i = 0; i < n; i++)
        size = fmax(size, cabs(room[i]));
    for (int i = 0; i < n; i++)
        vector[i] = size > 0 && isfinite(size) ? room[i] / size : 1;
}

/* y matrix x; *size is the sum of the sizes of its terms. */
static double complex form(int n, const double complex *y, const double *matrix, const double complex *x,
                           double *size)
{
    double complex sum = 0;
    *size = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double complex term = y[i] * matrix[i * n + j] * x[j];
            sum += term;
            *size += cabs(term);
        }
    return sum;
}

double slip_refine_eigenvalue(int n, const double *e, const double *a, double *real, double *imaginary)
{
    enum { rounds = 4 };
    double complex *matrix = slip_alloc((int64_t)n * n + 3 * (int64_t)n, sizeof *matrix), *x = matrix + n * n,
                   *y = x + n, *room = y + n, s = *real + I * *imaginary;
    double error = INFINITY;
    if (!matrix)
        return NAN;
    for (int i = 0; i < n; i++)
        x[i] = y[i] = 1 + 0.1 * i;
    for (int k = 0; k < rounds; k++) {
        double size_a, size_e;
        iterate(n, e, a, s, false, matrix, room, x);
        iterate(n, e, a, s, true, matrix, room, y);
        const double complex top = form(n, y, a, x, &size_a), bottom = form(n, y, e, x, &size_e);
        const double complex next = top / bottom;
        error = 2 * n * DBL_EPSILON * (size_a + cabs(s) * size_e) / cabs(bottom);
        if (!(cabs(next - s) <= 0.5 * cabs(s))) /* it went to another one */
            error = INFINITY;
        if (!isfinite(error))
            break;
        s = next;
    }
    free(matrix);
    if (!isfinite(error))
        return INFINITY;
    *real = creal(s);
    *imaginary = *imaginary == 0 ? 0 : cimag(s);
    return error;
}
