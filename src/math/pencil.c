#include "math/pencil.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The problem of `size` unknowns that is left, x = basis^T c with `size` rows of `whole` numbers. */
typedef struct reduction {
    int whole, size;
    double *e, *a, *basis;
    double *values, *left, *right, *room; /* of a decomposition */
} reduction;

static int rank_of(int count, const double *values, int size)
{
    int rank = 0;
    while (rank < count && values[rank] > 16 * size * DBL_EPSILON * values[0])
        rank++;
    return rank;
}

/* to = x matrix, with x of rows x inner and the matrix of inner x columns. */
static void multiply(int rows, int inner, int columns, const double *x, const double *matrix, double *to)
{
    memset(to, 0, sizeof(double) * (size_t)rows * (size_t)columns);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            const double factor = x[(int64_t)i * inner + k], *row = matrix + (int64_t)k * columns;
            for (int j = 0; factor != 0 && j < columns; j++)
                to[(int64_t)i * columns + j] += factor * row[j];
        }
}

/* matrix = rows matrix columns^T; both have `kept` rows of `size` numbers. */
static void project(reduction *r, int kept, const double *rows, const double *columns, double *matrix)
{
    const int size = r->size;
    multiply(kept, size, size, rows, matrix, r->room);
    for (int i = 0; i < kept; i++)
        for (int j = 0; j < kept; j++)
            matrix[(int64_t)i * kept + j] =
                slip_dense_dot(size, r->room + (int64_t)i * size, columns + (int64_t)j * size);
}

/* Rows of the free equations, U0^T A, each of size one: then rounding is a part of one. */
static void free_rows(reduction *r, int rank)
{
    const int size = r->size, rest = size - rank;
    multiply(rest, size, size, r->left + (int64_t)rank * size, r->a, r->room);
    for (int i = 0; i < rest; i++) {
        double *row = r->room + (int64_t)i * size, length = sqrt(slip_dense_dot(size, row, row));
        for (int j = 0; j < size && length > 0; j++)
            row[j] /= length;
    }
}

/* Whether E is far from singular: pivots tell, in a tenth of the time of singular values. */
static bool is_regular(reduction *r, int *pivots)
{
    const int size = r->size;
    double least = INFINITY, most = 0;
    memcpy(r->room, r->e, sizeof(double) * (size_t)size * (size_t)size);
    if (!slip_dense_factor(size, r->room, pivots))
        return false;
    for (int i = 0; i < size; i++) {
        least = fmin(least, fabs(r->room[(int64_t)i * size + i]));
        most = fmax(most, fabs(r->room[(int64_t)i * size + i]));
    }
    return least > 1e-6 * most;
}

/* Beside errors. */
enum { reduced = 1, regular = 0, singular = 2 };

/* One round. */
static int reduce(reduction *r, double *kept_rows, int *pivots, int *unknown)
{
    const int size = r->size;
    const size_t square = (size_t)size * (size_t)size;
    if (is_regular(r, pivots))
        return regular;
    memcpy(r->room, r->e, sizeof(double) * square);
    SLIP_PASS(slip_dense_decompose(size, size, r->room, r->values, r->left, r->right));
    const int rank = size > 0 ? rank_of(size, r->values, size) : 0, rest = size - rank;
    if (rest == 0)
        return regular;
    memcpy(kept_rows, r->left, sizeof(double) * (size_t)rank * (size_t)size);
    free_rows(r, rank);
    SLIP_PASS(slip_dense_decompose(rest, size, r->room, r->values, r->left, r->right));
    if (rank_of(rest, r->values, size) < rest) {
        const double *loose = r->right + (int64_t)(size - 1) * size;
        double largest = -1;
        for (int i = 0; i < r->whole && unknown; i++) {
            double part = 0;
            for (int k = 0; k < size; k++)
                part += loose[k] * r->basis[(int64_t)k * r->whole + i];
            if (fabs(part) > largest) {
                largest = fabs(part);
                *unknown = i;
            }
        }
        return singular;
    }
    const double *allowed = r->right + (int64_t)rest * size;
    project(r, rank, kept_rows, allowed, r->e);
    project(r, rank, kept_rows, allowed, r->a);
    multiply(rank, size, r->whole, allowed, r->basis, r->room);
    memcpy(r->basis, r->room, sizeof(double) * (size_t)rank * (size_t)r->whole);
    r->size = rank;
    return reduced;
}

/* E^-1 A in place of A. */
static bool divide(reduction *r, int *pivots, double *column)
{
    const int size = r->size;
    const bool good = slip_dense_factor(size, r->e, pivots);
    for (int j = 0; good && j < size; j++) {
        for (int i = 0; i < size; i++)
            column[i] = r->a[(int64_t)i * size + j];
        slip_dense_substitute(size, r->e, pivots, column);
        for (int i = 0; i < size; i++)
            r->a[(int64_t)i * size + j] = column[i];
    }
    return good;
}

int slip_pencil_solve(slip_context *ctx, slip_pencil *pencil, slip_arena *arena, slip_spectrum *to,
                      int *unknown)
{
    const int64_t size = pencil->size, square = size * size;
    SLIP_FREED double *numbers = slip_alloc(5 * square + 2 * size + 1, sizeof *numbers);
    reduction r = {.whole = pencil->size, .size = pencil->size, .e = pencil->e, .a = pencil->a};
    int status = SLIP_OK, found = SLIP_OK;
    int round = reduced;
    SLIP_FREED int *pivots = slip_alloc(size + 1, sizeof *pivots);
    SLIP_PASS(slip_allocated(ctx, numbers && pivots));
    r.basis = numbers;
    r.left = numbers + square;
    r.right = numbers + 2 * square;
    r.room = numbers + 3 * square;
    double *kept_rows = numbers + 4 * square;
    r.values = numbers + 5 * square;
    for (int64_t i = 0; i < size; i++)
        r.basis[i * size + i] = 1;
    while (r.size > 0 && (round = reduce(&r, kept_rows, pivots, unknown)) == reduced)
        continue;
    to->count = r.size;
    to->real = slip_arena_array(arena, size + 1, sizeof(double));
    to->imaginary = slip_arena_array(arena, size + 1, sizeof(double));
    to->vectors = slip_arena_array(arena, square + 1, sizeof(double));
    if (!to->real || !to->imaginary || !to->vectors)
        status = slip_fail_memory(ctx);
    else if (round == singular)
        status = SLIP_ERROR_SOLVER;
    else if (round < 0)
        found = round;
    else if (r.size > 0 && !divide(&r, pivots, r.values))
        found = SLIP_ERROR_SOLVER;
    else if (r.size > 0)
        found = slip_dense_eigenvectors_any(r.size, r.a, to->real, to->imaginary, r.room);
    if (found == SLIP_ERROR_MEMORY)
        status = slip_fail_memory(ctx);
    else if (found < 0)
        status =
            slip_fail(ctx, SLIP_ERROR_SOLVER, "LAPACK found no eigenvalues of a matrix of size %d", r.size);
    else if (status >= 0)
        multiply(r.size, r.size, r.whole, r.room, r.basis, to->vectors);
    return status;
}
