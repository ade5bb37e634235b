#include "math/compressed.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int slip_compressed_check(slip_context *ctx, const slip_compressed *m, int64_t size, const char *name)
{
    if (m->size != size || !m->start || m->start[0] != 0)
        return slip_fail(ctx, SLIP_ERROR_USAGE, "the %s matrix has size %lld, expected %lld", name,
                         (long long)m->size, (long long)size);
    for (int64_t j = 0; j < size; j++) {
        if (m->start[j + 1] < m->start[j])
            return slip_fail(ctx, SLIP_ERROR_USAGE,
                             "the %s matrix: column %lld ends before it starts (%lld to %lld)", name,
                             (long long)j, (long long)m->start[j], (long long)m->start[j + 1]);
        for (int64_t k = m->start[j]; k < m->start[j + 1]; k++)
            if (m->row[k] < 0 || m->row[k] >= size || !isfinite(m->value[k]))
                return slip_fail(
                    ctx, SLIP_ERROR_USAGE,
                    "the %s matrix: column %lld has %g in row %lld, expected a finite number in row "
                    "0 to %lld",
                    name, (long long)j, m->value[k], (long long)m->row[k], (long long)size - 1);
    }
    return SLIP_OK;
}

void slip_compressed_multiply(const slip_compressed *m, bool transposed, int64_t count, const double *x,
                              double *product)
{
#pragma omp parallel for schedule(static) if (count > 1 && count * m->start[m->size] > 1000000)
    for (int64_t k = 0; k < count; k++) {
        const double *from = x + k * m->size;
        double *to = product + k * m->size;
        if (transposed) {
            for (int64_t j = 0; j < m->size; j++) {
                double sum = 0;
                for (int64_t i = m->start[j]; i < m->start[j + 1]; i++)
                    sum += m->value[i] * from[m->row[i]];
                to[j] = sum;
            }
            continue;
        }
        memset(to, 0, sizeof(double) * (size_t)m->size);
        for (int64_t j = 0; j < m->size; j++)
            for (int64_t i = m->start[j]; i < m->start[j + 1] && from[j] != 0; i++)
                to[m->row[i]] += m->value[i] * from[j];
    }
}

/* The transpose, rows in order; its lists are allocated one by one. */
static bool transpose(const slip_compressed *m, slip_compressed *to)
{
    const int64_t size = m->size, entries = m->start[size];
    int64_t *start = slip_alloc(size + 2, sizeof *start), *row = slip_alloc(entries + 1, sizeof *row);
    double *value = slip_alloc(entries + 1, sizeof *value);
    *to = (slip_compressed){size, start, row, value};
    if (!start || !row || !value)
        return false;
    for (int64_t k = 0; k < entries; k++)
        start[m->row[k] + 2]++;
    for (int64_t j = 0; j < size; j++)
        start[j + 2] += start[j + 1];
    for (int64_t j = 0; j < size; j++)
        for (int64_t k = m->start[j]; k < m->start[j + 1]; k++) {
            const int64_t at = start[m->row[k] + 1]++;
            row[at] = j;
            value[at] = m->value[k];
        }
    return true;
}

static void release(slip_compressed *m)
{
    free((void *)m->start);
    free((void *)m->row);
    free((void *)m->value);
}

static int by_row(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static double smaller(double a, double b)
{
    return (a > 0) == (b > 0) ? (fabs(a) < fabs(b) ? a : b) : 0;
}

/* One column of the result: rows from the diagonal on, in order. `place` has -1 for every row; the sums are
 * of A, of its transpose and of B. */
static int64_t gather(const slip_compressed *const parts[3], double shift, int64_t j, int64_t *place,
                      double (*sums)[3], int64_t *rows)
{
    int64_t count = 0;
    rows[count++] = j;
    place[j] = 0;
    memset(sums[j], 0, sizeof sums[j]);
    for (int p = 0; p < 3; p++)
        for (int64_t k = parts[p]->start[j]; k < parts[p]->start[j + 1]; k++) {
            const int64_t i = parts[p]->row[k];
            if (i < j)
                continue;
            if (place[i] < 0) {
                place[i] = count;
                memset(sums[i], 0, sizeof sums[i]);
                rows[count++] = i;
            }
            sums[i][p] += parts[p]->value[k];
        }
    qsort(rows, (size_t)count, sizeof *rows, by_row);
    for (int64_t k = 0; k < count; k++) {
        double *own = sums[rows[k]];
        own[0] = smaller(own[0], own[1]) + shift * own[2];
        place[rows[k]] = -1;
    }
    return count;
}

int slip_compressed_symmetric(slip_context *ctx, const slip_compressed *a, double shift,
                              const slip_compressed *b, slip_sparse **symmetric)
{
    const int64_t size = a->size;
    slip_compressed turned = {0};
    slip_sparse *to = slip_alloc(1, sizeof *to);
    int64_t *place = slip_alloc(2 * size + 1, sizeof *place), *rows = place ? place + size : NULL;
    double(*sums)[3] = slip_alloc(size + 1, sizeof *sums);
    int64_t row_capacity = 0, value_capacity = 0, used = 0;
    int status;
    SLIP_TRY(to && place && sums && transpose(a, &turned) ? SLIP_OK : slip_fail_memory(ctx));
    const slip_compressed *const parts[3] = {a, &turned, b};
    to->size = size;
    to->start = slip_alloc(size + 1, sizeof *to->start);
    SLIP_TRY(to->start ? SLIP_OK : slip_fail_memory(ctx));
    for (int64_t i = 0; i < size; i++)
        place[i] = -1;
    for (int64_t j = 0; j < size; j++) {
        const int64_t count = gather(parts, shift, j, place, sums, rows);
        SLIP_TRY(slip_array_reserve(&to->row, &row_capacity, used + count, sizeof *to->row) &&
                         slip_array_reserve(&to->value, &value_capacity, used + count, sizeof *to->value)
                     ? SLIP_OK
                     : slip_fail_memory(ctx));
        for (int64_t k = 0; k < count; k++) {
            to->row[used] = rows[k];
            to->value[used++] = sums[rows[k]][0];
        }
        to->start[j + 1] = used;
    }
    *symmetric = to;
    to = NULL;
done:
    slip_sparse_destroy(to);
    release(&turned);
    free(place);
    free(sums);
    return status;
}
