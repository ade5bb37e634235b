#include "math/sparse.h"

#include "base/memory.h"
#include "math/vector.h"

#include <stdlib.h>
#include <string.h>

/* ---- matrices ---- */

void slip_sparse_destroy(slip_sparse *matrix)
{
    if (!matrix)
        return;
    free(matrix->start);
    free(matrix->row);
    free(matrix->value);
    free(matrix);
}

/* A matrix with room for so many entries; freed by slip_sparse_destroy where it fails too. */
static int make(slip_context *ctx, int64_t size, int64_t entries, slip_sparse **result)
{
    slip_sparse *to = *result = slip_alloc(1, sizeof *to);
    SLIP_PASS(slip_allocated(ctx, to));
    to->size = size;
    to->start = slip_alloc(size + 1, sizeof *to->start);
    to->row = slip_alloc(entries + 1, sizeof *to->row);
    to->value = slip_alloc(entries + 1, sizeof *to->value);
    return to->start && to->row && to->value ? SLIP_OK : slip_fail_memory(ctx);
}

int slip_sparse_sum(slip_context *ctx, double a, const slip_sparse *first, double b,
                    const slip_sparse *second, slip_sparse **result)
{
    const int64_t size = first->size;
    const int status = make(ctx, size, first->start[size] + second->start[size], result);
    slip_sparse *to = *result;
    int64_t at = 0;
    for (int64_t j = 0; j < size && status >= 0; j++) {
        int64_t i = first->start[j], k = second->start[j];
        while (i < first->start[j + 1] || k < second->start[j + 1]) {
            const int64_t one = i < first->start[j + 1] ? first->row[i] : size,
                          other = k < second->start[j + 1] ? second->row[k] : size;
            to->row[at] = one < other ? one : other;
            to->value[at] = one <= other ? a * first->value[i++] : 0;
            to->value[at++] += other <= one ? b * second->value[k++] : 0;
        }
        to->start[j + 1] = at;
    }
    return status;
}

void slip_sparse_add(slip_sparse *to, double b, const slip_sparse *from, const int64_t *part)
{
    for (int64_t j = 0; j < from->size; j++) {
        const int64_t column = part ? part[j] : j;
        if (column < 0)
            continue;
        int64_t at = to->start[column];
        for (int64_t k = from->start[j]; k < from->start[j + 1]; k++) {
            const int64_t row = part ? part[from->row[k]] : from->row[k];
            if (row < 0)
                continue;
            while (to->row[at] < row)
                at++;
            to->value[at] += b * from->value[k];
        }
    }
}

int slip_sparse_part(slip_context *ctx, const slip_sparse *matrix, const int64_t *part, int64_t size,
                     slip_sparse **result)
{
    int64_t entries = 0;
    for (int64_t j = 0; j < matrix->size; j++)
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++)
            entries += part[j] >= 0 && part[matrix->row[k]] >= 0;
    const int status = make(ctx, size, entries, result);
    slip_sparse *to = *result;
    if (status < 0)
        return status;
    entries = 0;
    for (int64_t j = 0; j < matrix->size; j++) {
        if (part[j] < 0)
            continue;
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            if (part[matrix->row[k]] < 0)
                continue;
            to->row[entries] = part[matrix->row[k]];
            to->value[entries++] = matrix->value[k];
        }
        to->start[part[j] + 1] = entries;
    }
    return SLIP_OK;
}

/* A stable sort by keys below `size`: places[k] is the k-th of the items. */
static void count_sort(int64_t size, int64_t count, const int64_t *key, const int64_t *from, int64_t *start,
                       int64_t *places)
{
    for (int64_t i = 0; i <= size; i++)
        start[i] = 0;
    for (int64_t k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int64_t i = 0; i < size; i++)
        start[i + 1] += start[i];
    for (int64_t k = 0; k < count; k++) {
        const int64_t item = from ? from[k] : k;
        places[start[key[item]]++] = item;
    }
}

int slip_sparse_gather(slip_context *ctx, int64_t size, int64_t count, const int64_t *row,
                       const int64_t *column, const double *value, slip_sparse **result)
{
    const int64_t all = count + size; /* with a zero on every diagonal place */
    SLIP_FREED int64_t *keys = slip_alloc(4 * all + size + 1, sizeof *keys);
    int64_t *low = keys + all, *by_row = low + all, *order = by_row + all, *start = order + all;
    int status = keys ? SLIP_OK : slip_fail_memory(ctx);
    *result = NULL;
    for (int64_t k = 0; k < all && keys; k++) {
        const int64_t i = k < count ? row[k] : k - count, j = k < count ? column[k] : k - count;
        keys[k] = i > j ? i : j;
        low[k] = i > j ? j : i;
    }
    if (status >= 0) {
        count_sort(size, all, keys, NULL, start, by_row);
        count_sort(size, all, low, by_row, start, order);
        status = make(ctx, size, all, result);
    }
    int64_t entries = 0;
    for (int64_t k = 0; k < all && status >= 0; k++) {
        const int64_t item = order[k], before = k > 0 ? order[k - 1] : -1;
        if (before < 0 || low[before] != low[item] || keys[before] != keys[item]) {
            (*result)->row[entries] = keys[item];
            (*result)->value[entries++] = 0;
        }
        (*result)->value[entries - 1] += item < count ? value[item] : 0;
        (*result)->start[low[item] + 1] = entries;
    }
    return status;
}

double slip_sparse_form(const slip_sparse *matrix, const double *x, double *y)
{
    slip_sparse_multiply(matrix, x, y);
    return slip_dot(matrix->size, x, y);
}

double slip_sparse_trace(const slip_sparse *matrix)
{
    double sum = 0;
    for (int64_t j = 0; j < matrix->size; j++)
        sum += matrix->value[matrix->start[j]];
    return sum;
}

void slip_sparse_multiply(const slip_sparse *matrix, const double *x, double *y)
{
    for (int64_t i = 0; i < matrix->size; i++)
        y[i] = 0;
    for (int64_t j = 0; j < matrix->size; j++) {
        int64_t k = matrix->start[j], end = matrix->start[j + 1];
        double sum = matrix->value[k] * x[j];
        for (k++; k < end; k++) {
            const int64_t i = matrix->row[k];
            y[i] += matrix->value[k] * x[j];
            sum += matrix->value[k] * x[i];
        }
        y[j] += sum;
    }
}

void slip_sparse_multiply_two(const slip_sparse *matrix, const double *restrict x0, const double *restrict x1,
                              double *restrict y0, double *restrict y1)
{
    for (int64_t i = 0; i < matrix->size; i++)
        y0[i] = y1[i] = 0;
    for (int64_t j = 0; j < matrix->size; j++) {
        const int64_t first = matrix->start[j], count = matrix->start[j + 1] - first;
        const int64_t *restrict row = matrix->row + first;
        const double *restrict values = matrix->value + first, a = x0[j], b = x1[j];
        double sum0 = values[0] * a, sum1 = values[0] * b;
        for (int64_t k = 1; k < count; k++) {
            const int64_t i = row[k];
            const double value = values[k];
            y0[i] += value * a;
            y1[i] += value * b;
            sum0 += value * x0[i];
            sum1 += value * x1[i];
        }
        y0[j] += sum0;
        y1[j] += sum1;
    }
}

/* ---- colours ---- */

/* The colours that no unknown of the element has yet, as bits. */
static uint64_t free_colours(const slip_assembly *a, int64_t element, const uint64_t *taken)
{
    uint64_t used = 0;
    for (int64_t k = a->start[element]; k < a->start[element + 1]; k++)
        if (a->unknowns[k] >= 0)
            used |= taken[a->unknowns[k]];
    return ~used;
}

static int lowest_bit(uint64_t bits)
{
    int bit = 0;
    while (!(bits >> bit & 1))
        bit++;
    return bit;
}

/* Gives each element the first colour that is free at all of its unknowns. There are 64; an element for which
 * none is left (so many meet in one node) gets a colour of its own. */
static int64_t choose_colours(const slip_assembly *a, uint64_t *taken, int64_t *colour_of)
{
    enum { bits = 64 };
    int64_t count = 0, own = bits;
    for (int64_t e = 0; e < a->element_count; e++) {
        const uint64_t available = free_colours(a, e, taken);
        const int64_t colour = available ? lowest_bit(available) : own++;
        for (int64_t k = a->start[e]; k < a->start[e + 1] && available; k++)
            if (a->unknowns[k] >= 0)
                taken[a->unknowns[k]] |= UINT64_C(1) << colour;
        colour_of[e] = colour;
        count = colour >= count ? colour + 1 : count;
    }
    return count;
}

/* Sorts the elements by colour, keeping their order within one. */
static int sort_by_colour(slip_context *ctx, slip_assembly *a, const int64_t *colour_of)
{
    a->colour = slip_arena_array(&a->arena, a->colour_count + 2, sizeof *a->colour);
    a->order = slip_arena_array(&a->arena, a->element_count, sizeof *a->order);
    SLIP_PASS(slip_allocated(ctx, a->colour && a->order));
    for (int64_t e = 0; e < a->element_count; e++)
        a->colour[colour_of[e] + 2]++;
    for (int64_t c = 0; c < a->colour_count; c++)
        a->colour[c + 2] += a->colour[c + 1];
    for (int64_t e = 0; e < a->element_count; e++)
        a->order[a->colour[colour_of[e] + 1]++] = e;
    return SLIP_OK;
}

static int colour_elements(slip_context *ctx, slip_assembly *a)
{
    SLIP_FREED uint64_t *taken = slip_alloc(a->unknown_count, sizeof *taken);
    SLIP_FREED int64_t *colour_of = slip_alloc(a->element_count, sizeof *colour_of);
    SLIP_PASS(slip_allocated(ctx, taken && colour_of));
    a->colour_count = choose_colours(a, taken, colour_of);
    return sort_by_colour(ctx, a, colour_of);
}

int slip_assembly_create(slip_context *ctx, int64_t unknown_count, int64_t element_count,
                         const int64_t *start, const int64_t *unknowns, slip_assembly **result)
{
    SLIP_FREED_BY(slip_assembly_drop) slip_assembly *a = slip_alloc(1, sizeof *a);
    const int64_t total = start[element_count];
    *result = NULL;
    SLIP_PASS(slip_allocated(ctx, a));
    a->unknown_count = unknown_count;
    a->element_count = element_count;
    a->start = slip_arena_array(&a->arena, element_count + 1, sizeof *a->start);
    a->unknowns = slip_arena_array(&a->arena, total, sizeof *a->unknowns);
    SLIP_PASS(slip_allocated(ctx, a->start && a->unknowns));
    memcpy(a->start, start, (size_t)(element_count + 1) * sizeof *start);
    memcpy(a->unknowns, unknowns, (size_t)total * sizeof *unknowns);
    for (int64_t e = 0; e < element_count; e++) {
        const int count = (int)(start[e + 1] - start[e]);
        a->largest = count > a->largest ? count : a->largest;
    }
    SLIP_PASS(colour_elements(ctx, a));
    SLIP_HAND(result, a);
    return SLIP_OK;
}

SLIP_DESTROY(slip_assembly)

/* ---- symbolic pass ---- */

/* The elements around each unknown: those of i are element[start[i]] to element[start[i + 1] - 1]. */
typedef struct around {
    int64_t *start, *element;
} around;

static bool find_around(const slip_assembly *a, around *list)
{
    const int64_t total = a->start[a->element_count];
    list->start = slip_alloc(a->unknown_count + 2, sizeof *list->start);
    list->element = slip_alloc(total, sizeof *list->element);
    if (!list->start || !list->element)
        return false;
    for (int64_t k = 0; k < total; k++)
        if (a->unknowns[k] >= 0)
            list->start[a->unknowns[k] + 2]++;
    for (int64_t i = 0; i < a->unknown_count; i++)
        list->start[i + 2] += list->start[i + 1];
    for (int64_t e = 0; e < a->element_count; e++)
        for (int64_t k = a->start[e]; k < a->start[e + 1]; k++)
            if (a->unknowns[k] >= 0)
                list->element[list->start[a->unknowns[k] + 1]++] = e;
    return true;
}

/* The unknowns up to i that share an element with i, i itself included, in no order; returns how many.
 * `mark` has i + 1 where an unknown was seen before. `found` may be NULL. */
static int64_t find_neighbours(const slip_assembly *a, const around *list, int64_t i, int64_t *mark,
                               int64_t *found)
{
    int64_t count = 0;
    mark[i] = i + 1;
    if (found)
        found[count] = i;
    count++;
    for (int64_t at = list->start[i]; at < list->start[i + 1]; at++) {
        const int64_t e = list->element[at];
        for (int64_t k = a->start[e]; k < a->start[e + 1]; k++) {
            const int64_t j = a->unknowns[k];
            if (j < 0 || j >= i || mark[j] == i + 1)
                continue;
            mark[j] = i + 1;
            if (found)
                found[count] = j;
            count++;
        }
    }
    return count;
}

/* Upper triangle by columns, rows in no order: where each column starts, and its rows. */
static bool find_upper(const slip_assembly *a, const around *list, int64_t *start, int64_t **rows)
{
    SLIP_FREED int64_t *mark = slip_alloc(a->unknown_count, sizeof *mark);
    if (!mark)
        return false;
    for (int64_t i = 0; i < a->unknown_count; i++)
        start[i + 1] = start[i] + find_neighbours(a, list, i, mark, NULL);
    memset(mark, 0, (size_t)a->unknown_count * sizeof *mark);
    *rows = slip_alloc(start[a->unknown_count], sizeof **rows);
    for (int64_t i = 0; i < a->unknown_count && *rows; i++)
        find_neighbours(a, list, i, mark, *rows + start[i]);
    return *rows != NULL;
}

/* The lower triangle is the transpose of the upper one, which puts its rows into order. */
static bool transpose(int64_t size, const int64_t *start, const int64_t *rows, slip_sparse *matrix)
{
    SLIP_FREED int64_t *next = slip_alloc(size + 1, sizeof *next);
    matrix->row = slip_alloc(start[size], sizeof *matrix->row);
    matrix->value = slip_alloc(start[size], sizeof *matrix->value);
    if (!next || !matrix->row || !matrix->value)
        return false;
    for (int64_t k = 0; k < start[size]; k++)
        matrix->start[rows[k] + 1]++;
    for (int64_t j = 0; j < size; j++) {
        matrix->start[j + 1] += matrix->start[j];
        next[j] = matrix->start[j];
    }
    for (int64_t i = 0; i < size; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            matrix->row[next[rows[k]]++] = i;
    return true;
}

int slip_sparse_create(slip_context *ctx, const slip_assembly *a, slip_sparse **result)
{
    SLIP_FREED_BY(slip_sparse_drop) slip_sparse *matrix = slip_alloc(1, sizeof *matrix);
    around list = {0};
    SLIP_FREED int64_t *start = slip_alloc(a->unknown_count + 1, sizeof *start), *rows = NULL;
    int status = SLIP_OK;
    *result = NULL;
    if (matrix) {
        matrix->size = a->unknown_count;
        matrix->start = slip_alloc(a->unknown_count + 1, sizeof *matrix->start);
    }
    if (!matrix || !start || !matrix->start || !find_around(a, &list) ||
        !find_upper(a, &list, start, &rows) || !transpose(a->unknown_count, start, rows, matrix)) {
        status = slip_fail_memory(ctx);
    } else {
        SLIP_HAND(result, matrix);
    }
    free(list.start);
    free(list.element);
    return status;
}

/* ---- numbers ---- */

/* Where the entry is; every entry that an element has is there. */
static int64_t find_entry(const slip_sparse *matrix, int64_t row, int64_t column)
{
    int64_t low = matrix->start[column], high = matrix->start[column + 1] - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (matrix->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_element(slip_sparse *matrix, int64_t count, const int64_t *unknowns, const double *element)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t a = unknowns[i], b = unknowns[j];
            if (a < 0 || b < 0)
                continue;
            matrix->value[find_entry(matrix, a > b ? a : b, a > b ? b : a)] += element[i * count + j];
        }
}

int slip_sparse_assemble(slip_context *ctx, const slip_assembly *a, slip_element_function function,
                         const void *user, slip_sparse *matrix)
{
    enum { worthwhile = 5000 }; /* elements: starting threads costs more than a small matrix */
    bool failed = false;
#pragma omp parallel if (a->element_count > worthwhile)
    {
        double *element = slip_alloc((int64_t)a->largest * a->largest, sizeof *element);
        if (!element) {
#pragma omp atomic write
            failed = true;
        }
        for (int64_t c = 0; c < a->colour_count; c++) {
#pragma omp for schedule(static)
            for (int64_t k = a->colour[c]; k < a->colour[c + 1]; k++) {
                const int64_t e = a->order[k], first = a->start[e];
                if (!element)
                    continue;
                function(user, e, element);
                add_element(matrix, a->start[e + 1] - first, a->unknowns + first, element);
            }
        }
        free(element);
    }
    return failed ? slip_fail_memory(ctx) : SLIP_OK;
}
