/* With P A P^T = L L^T and X = L^-1 P B^T, C = X^T X. A column of X is zero but for the supernodes on the way
 * from its entries to the root of the elimination tree, a few hundred rows of a plane mesh where the whole
 * solution has tens of thousands. Rows are taken in blocks, whose columns share most of the way; a block
 * keeps only what lies on it, and two blocks are multiplied where their ways meet. */
#include "math/condense.h"

#include "base/memory.h"
#include "math/columns.h"
#include "math/order.h"

#include <stdlib.h>

enum {
    width = 32,    /* columns of a block */
    worthwhile = 8 /* blocks: fewer are done before a thread has started */
};

/* A block of X: rows of its supernodes, one after the other, `width` numbers each. */
typedef struct block {
    int64_t count;
    int64_t *supernodes; /* ascending */
    int64_t *place;      /* of the first row of each in `values` */
    double *values;
} block;

struct slip_condensation {
    slip_supernodes l;
    int64_t *supernode_of; /* of each row */
    int64_t *row_of;       /* of each unknown: its row in P A P^T */
    int64_t largest;       /* rows of a supernode */
    int64_t count;
    const int64_t *start, *unknown; /* of the rows, while it is made */
    const double *value;
    block *blocks;
    int64_t block_count;
};

typedef struct slip_condensation condenser;

/* ---- the way to the root ---- */

/* The supernode of the first row below the supernode's own columns; -1 at a root. */
static int64_t parent_of(const condenser *c, int64_t k)
{
    const int64_t columns = c->l.first[k + 1] - c->l.first[k];
    if (c->l.row_start[k] + columns == c->l.row_start[k + 1])
        return -1;
    return c->supernode_of[c->l.row[c->l.row_start[k] + columns]];
}

/* Marks the way of every entry of the block's rows, place_of[k] = 0, and lists its supernodes; place_of is -1
 * elsewhere. */
static bool find_way(const condenser *c, int64_t first, int64_t last, int64_t *place_of, block *b)
{
    int64_t capacity = 0;
    for (int64_t at = c->start[first]; at < c->start[last]; at++) {
        int64_t k = c->supernode_of[c->row_of[c->unknown[at]]];
        for (; k >= 0 && place_of[k] < 0; k = parent_of(c, k)) {
            if (!SLIP_ROOM(b->supernodes, capacity, b->count + 1))
                return false;
            b->supernodes[b->count++] = k;
            place_of[k] = 0;
        }
    }
    if (b->count > 0)
        qsort(b->supernodes, (size_t)b->count, sizeof *b->supernodes, slip_order_integers);
    return true;
}

/* ---- forward substitution ---- */

/* `below` has room for the rows of the largest supernode. */
static void solve_supernode(const condenser *c, int64_t k, const int64_t *place_of, double *values,
                            double *below)
{
    const int64_t columns = c->l.first[k + 1] - c->l.first[k];
    const int64_t *row = c->l.row + c->l.row_start[k];
    const int64_t rows = c->l.row_start[k + 1] - c->l.row_start[k];
    slip_columns_forward(rows, columns, c->l.value + c->l.value_start[k], width, values + place_of[k] * width,
                         below);
    for (int64_t i = columns; i < rows; i++, below += width) {
        const int64_t above = c->supernode_of[row[i]];
        double *x = values + (place_of[above] + row[i] - c->l.first[above]) * width;
        for (int j = 0; j < width; j++)
            x[j] -= below[j];
    }
}

/* Columns number * width to the next block of X. `place_of` is all -1 before and after. */
static bool solve_block(const condenser *c, int64_t number, int64_t *place_of, double *below, block *b)
{
    const int64_t first = number * width, last = first + width < c->count ? first + width : c->count;
    int64_t rows = 0;
    bool complete = find_way(c, first, last, place_of, b);
    b->place = slip_alloc(b->count, sizeof *b->place);
    for (int64_t i = 0; i < b->count && b->place; i++) {
        const int64_t k = b->supernodes[i];
        b->place[i] = place_of[k] = rows;
        rows += c->l.first[k + 1] - c->l.first[k];
    }
    b->values = slip_alloc(rows * width, sizeof *b->values);
    complete = complete && b->place && b->values;
    for (int64_t column = first; column < last && complete; column++)
        for (int64_t at = c->start[column]; at < c->start[column + 1]; at++) {
            const int64_t row = c->row_of[c->unknown[at]], k = c->supernode_of[row];
            b->values[(place_of[k] + row - c->l.first[k]) * width + column - first] += c->value[at];
        }
    for (int64_t i = 0; i < b->count && complete; i++)
        solve_supernode(c, b->supernodes[i], place_of, b->values, below);
    for (int64_t i = 0; i < b->count; i++)
        place_of[b->supernodes[i]] = -1;
    return complete;
}

/* ---- products ---- */

/* Block `number` of columns against itself and those before it. */
static void multiply_block(const condenser *c, int64_t number, double *compliance)
{
    const block *a = &c->blocks[number];
    for (int64_t other = 0; other <= number; other++) {
        const block *b = &c->blocks[other];
        double sum[width * width] = {0};
        for (int64_t i = 0, j = 0; i < a->count && j < b->count;) {
            const int64_t k = a->supernodes[i];
            if (k == b->supernodes[j])
                slip_columns_add_product(c->l.first[k + 1] - c->l.first[k], width,
                                         a->values + a->place[i++] * width, b->values + b->place[j++] * width,
                                         sum);
            else if (k < b->supernodes[j])
                i++;
            else
                j++;
        }
        for (int64_t i = 0; i < width && number * width + i < c->count; i++)
            for (int64_t j = 0; j < width && other * width + j <= number * width + i; j++) {
                const int64_t row = number * width + i, column = other * width + j;
                compliance[row * c->count + column] = sum[i * width + j];
                compliance[column * c->count + row] = sum[i * width + j];
            }
    }
}

/* ---- all of it ---- */

static bool prepare(condenser *c)
{
    c->supernode_of = slip_alloc(c->l.size, sizeof *c->supernode_of);
    c->row_of = slip_alloc(c->l.size, sizeof *c->row_of);
    c->block_count = (c->count + width - 1) / width;
    c->blocks = slip_alloc(c->block_count, sizeof *c->blocks);
    if (!c->supernode_of || !c->row_of || !c->blocks)
        return false;
    for (int64_t k = 0; k < c->l.count; k++) {
        const int64_t rows = c->l.row_start[k + 1] - c->l.row_start[k];
        c->largest = rows > c->largest ? rows : c->largest;
        for (int64_t row = c->l.first[k]; row < c->l.first[k + 1]; row++)
            c->supernode_of[row] = k;
    }
    for (int64_t row = 0; row < c->l.size; row++)
        c->row_of[c->l.order[row]] = row;
    return true;
}

static bool solve_blocks(const slip_context *ctx, condenser *c)
{
    bool failed = false;
#pragma omp parallel if (c->block_count > worthwhile)
    {
        int64_t *place_of = slip_alloc(c->l.count, sizeof *place_of);
        double *below = slip_alloc(c->largest * width, sizeof *below);
        for (int64_t k = 0; k < c->l.count && place_of; k++)
            place_of[k] = -1;
#pragma omp for schedule(dynamic)
        for (int64_t b = 0; b < c->block_count; b++)
            if (!place_of || !below || slip_interrupted(ctx) ||
                !solve_block(c, b, place_of, below, &c->blocks[b])) {
#pragma omp atomic write
                failed = true;
            }
        free(place_of);
        free(below);
    }
    return !failed;
}

int slip_condensation_create(slip_context *ctx, const slip_factor *factor, int64_t count,
                             const int64_t *start, const int64_t *unknown, const double *value,
                             slip_condensation **result)
{
    condenser *c = slip_alloc(1, sizeof *c);
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, c));
    c->l = slip_factor_supernodes(factor);
    c->count = count;
    c->start = start;
    c->unknown = unknown;
    c->value = value;
    if (prepare(c) && solve_blocks(ctx, c)) {
        *result = c;
        return SLIP_OK;
    }
    slip_condensation_destroy(c);
    return slip_interrupted(ctx) ? slip_interrupt_check(ctx) : slip_fail_memory(ctx);
}

void slip_condensation_destroy(slip_condensation *c)
{
    if (!c)
        return;
    for (int64_t b = 0; b < c->block_count && c->blocks; b++) {
        free(c->blocks[b].supernodes);
        free(c->blocks[b].place);
        free(c->blocks[b].values);
    }
    free(c->blocks);
    free(c->supernode_of);
    free(c->row_of);
    free(c);
}

void slip_condensation_product(const slip_condensation *c, double *compliance)
{
#pragma omp parallel for schedule(dynamic) if (c->block_count > worthwhile)
    for (int64_t b = c->block_count - 1; b >= 0; b--) /* the longest first */
        multiply_block(c, b, compliance);
}

void slip_condensation_rows(const slip_condensation *c, const double *y, double *b)
{
    for (int64_t number = 0; number < c->block_count; number++) {
        const block *own = &c->blocks[number];
        double sum[width] = {0};
        for (int64_t i = 0; i < own->count; i++) {
            const int64_t k = own->supernodes[i];
            const double *x = own->values + own->place[i] * width;
            for (int64_t row = c->l.first[k]; row < c->l.first[k + 1]; row++, x += width)
                for (int j = 0; j < width; j++)
                    sum[j] += x[j] * y[row];
        }
        for (int64_t j = 0; j < width && number * width + j < c->count; j++)
            b[number * width + j] = sum[j];
    }
}

void slip_condensation_add(const slip_condensation *c, const double *p, double *y)
{
    for (int64_t number = 0; number < c->block_count; number++) {
        const block *own = &c->blocks[number];
        double part[width] = {0};
        for (int64_t j = 0; j < width && number * width + j < c->count; j++)
            part[j] = p[number * width + j];
        for (int64_t i = 0; i < own->count; i++) {
            const int64_t k = own->supernodes[i];
            const double *x = own->values + own->place[i] * width;
            for (int64_t row = c->l.first[k]; row < c->l.first[k + 1]; row++, x += width) {
                double sum = 0;
#pragma omp simd reduction(+ : sum)
                for (int j = 0; j < width; j++)
                    sum += x[j] * part[j];
                y[row] += sum;
            }
        }
    }
}

int slip_condense_rows(slip_context *ctx, const slip_factor *factor, int64_t count, const int64_t *start,
                       const int64_t *unknown, const double *value, double *compliance)
{
    slip_condensation *c = NULL;
    const int status = slip_condensation_create(ctx, factor, count, start, unknown, value, &c);
    if (status >= 0)
        slip_condensation_product(c, compliance);
    slip_condensation_destroy(c);
    return status;
}
