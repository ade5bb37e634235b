#include "statics/polyhedron.h"

#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { edges_max = 2048 };

/* Edges of the cone: `size` numbers each with the largest of them 1, and which conditions are zero on it. */
typedef struct edges {
    int64_t count, capacity, zero_capacity;
    double *x;
    uint64_t *zero;
} edges;

typedef struct cone {
    const slip_polyhedron_conditions *conditions;
    int size, words; /* numbers of a vector; of a set of conditions */
    int line_count;
    double *lines;
    edges now, next;
    uint64_t *common;
    bool failed;
} cone;

static double *edge(const cone *c, const edges *of, int64_t k)
{
    return of->x + k * c->size;
}

static uint64_t *zeros(const cone *c, const edges *of, int64_t k)
{
    return of->zero + k * c->words;
}

static double product(const cone *c, const double *row, const double *x)
{
    return slip_dot(c->size, row, x);
}

/* The vector becomes x - factor y, with its largest number 1 again and rounding taken off. */
static void reduce(const cone *c, double *x, double factor, const double *y)
{
    double size = 0;
    for (int i = 0; i < c->size; i++) {
        const double larger = fmax(fabs(x[i]), fabs(factor * y[i]));
        x[i] -= factor * y[i];
        if (fabs(x[i]) <= 1e-14 * larger)
            x[i] = 0;
        size = fmax(size, fabs(x[i]));
    }
    for (int i = 0; i < c->size && size > 0; i++)
        x[i] /= size;
}

/* A new edge, whose numbers are still to be set; NULL when out of memory. */
static double *add_edge(cone *c, edges *to)
{
    if (!SLIP_ROOM(to->x, to->capacity, (to->count + 1) * c->size) ||
        !SLIP_ROOM(to->zero, to->zero_capacity, (to->count + 1) * c->words)) {
        c->failed = true;
        return NULL;
    }
    memset(zeros(c, to, to->count), 0, sizeof(uint64_t) * (size_t)c->words);
    return edge(c, to, to->count++);
}

static void copy_edge(cone *c, int64_t k, edges *to)
{
    double *x = add_edge(c, to);
    if (!x)
        return;
    memcpy(x, edge(c, &c->now, k), sizeof(double) * (size_t)c->size);
    memcpy(zeros(c, to, to->count - 1), zeros(c, &c->now, k), sizeof(uint64_t) * (size_t)c->words);
}

static void mark(const cone *c, edges *of, int64_t k, int condition)
{
    zeros(c, of, k)[condition / 64] |= (uint64_t)1 << (condition % 64);
}

/* All lines satisfy the previous conditions with equality. A line on which the next condition is not zero
 * becomes an edge (for an equation it is removed); all other lines and edges are moved along it into the
 * plane of the condition. */
static bool cut_line(cone *c, int condition)
{
    const double *row = c->conditions->rows + (int64_t)condition * c->size;
    int best = -1;
    double most = slip_polyhedron_rounding;
    for (int l = 0; l < c->line_count; l++) {
        const double value = fabs(product(c, row, c->lines + (int64_t)l * c->size));
        if (value > most) {
            most = value;
            best = l;
        }
    }
    if (best < 0)
        return false;
    double *line = c->lines + (int64_t)best * c->size, *last = c->lines + (int64_t)--c->line_count * c->size;
    for (int i = 0; i < c->size; i++) {
        const double swap = line[i];
        line[i] = last[i];
        last[i] = swap;
    }
    const double value = product(c, row, last);
    for (int l = 0; l < c->line_count; l++) {
        double *other = c->lines + (int64_t)l * c->size;
        reduce(c, other, product(c, row, other) / value, last);
    }
    for (int64_t k = 0; k < c->now.count; k++) {
        reduce(c, edge(c, &c->now, k), product(c, row, edge(c, &c->now, k)) / value, last);
        mark(c, &c->now, k, condition);
    }
    if (c->conditions->equal[condition])
        return true;
    double *x = add_edge(c, &c->now);
    if (!x)
        return true;
    for (int i = 0; i < c->size; i++)
        x[i] = value > 0 ? last[i] : -last[i];
    for (int k = 0; k < condition; k++)
        mark(c, &c->now, c->now.count - 1, k);
    return true;
}

static int count_bits(uint64_t set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* No third edge lies in all the planes that both lie in. (Neighbours span a plane, so the conditions that are
 * zero on both must leave only two dimensions besides the lines; if there are too few such conditions the
 * answer is no.) */
static bool are_neighbours(const cone *c, int64_t a, int64_t b)
{
    int planes = 0;
    for (int w = 0; w < c->words; w++) {
        c->common[w] = zeros(c, &c->now, a)[w] & zeros(c, &c->now, b)[w];
        planes += count_bits(c->common[w]);
    }
    if (planes < c->size - c->line_count - 2)
        return false;
    for (int64_t k = 0; k < c->now.count; k++) {
        bool within = k != a && k != b;
        for (int w = 0; w < c->words && within; w++)
            within = (c->common[w] & ~zeros(c, &c->now, k)[w]) == 0;
        if (within)
            return false;
    }
    return true;
}

/* Between an edge before the cut and one behind it: an edge in the cut. */
static void join(cone *c, int64_t a, int64_t b, double at_a, double at_b, int condition)
{
    double *x = add_edge(c, &c->next);
    if (!x)
        return;
    memcpy(x, edge(c, &c->now, a), sizeof(double) * (size_t)c->size);
    reduce(c, x, at_a / at_b, edge(c, &c->now, b));
    uint64_t *zero = zeros(c, &c->next, c->next.count - 1);
    for (int w = 0; w < c->words; w++)
        zero[w] = zeros(c, &c->now, a)[w] & zeros(c, &c->now, b)[w];
    mark(c, &c->next, c->next.count - 1, condition);
}

static void cut_edges(cone *c, int condition, double *values)
{
    const double *row = c->conditions->rows + (int64_t)condition * c->size;
    const bool equal = c->conditions->equal[condition];
    c->next.count = 0;
    for (int64_t k = 0; k < c->now.count; k++) {
        values[k] = product(c, row, edge(c, &c->now, k));
        if (fabs(values[k]) <= slip_polyhedron_rounding) {
            values[k] = 0;
            mark(c, &c->now, k, condition);
        }
        if (values[k] == 0 || (values[k] > 0 && !equal))
            copy_edge(c, k, &c->next);
    }
    for (int64_t a = 0; a < c->now.count && !c->failed; a++)
        for (int64_t b = 0; b < c->now.count && values[a] > 0; b++)
            if (values[b] < 0 && c->next.count <= edges_max && are_neighbours(c, a, b))
                join(c, a, b, values[a], values[b], condition);
    const edges swap = c->now;
    c->now = c->next;
    c->next = swap;
}

/* The rank of vectors, which are overwritten. */
static int rank_of(int count, int size, double *x)
{
    int rank = 0;
    for (int column = 0; column < size && rank < count; column++) {
        int best = rank;
        for (int k = rank; k < count; k++)
            if (fabs(x[k * size + column]) > fabs(x[best * size + column]))
                best = k;
        if (!(fabs(x[best * size + column]) > 10 * slip_polyhedron_rounding))
            continue;
        for (int i = 0; i < size; i++) {
            const double swap = x[best * size + i];
            x[best * size + i] = x[rank * size + i];
            x[rank * size + i] = swap;
        }
        for (int k = rank + 1; k < count; k++) {
            const double factor = x[k * size + column] / x[rank * size + column];
            for (int i = column; i < size; i++)
                x[k * size + i] -= factor * x[rank * size + i];
        }
        rank++;
    }
    return rank;
}

/* Edges with a nonzero first number give corners; edges with zero, and lines, give directions. */
static bool collect(slip_arena *arena, const cone *c, slip_polyhedron *to)
{
    const int n = c->size - 1;
    const int64_t most = c->now.count + 2 * (int64_t)c->line_count;
    to->corners = slip_arena_array(arena, c->now.count * n + 1, sizeof(double));
    to->directions = slip_arena_array(arena, most * n + 1, sizeof(double));
    SLIP_FREED double *copy = slip_alloc((most + c->now.count) * c->size, sizeof(double));
    if (!to->corners || !to->directions || !copy)
        return false;
    int count = 0;
    for (int64_t k = 0; k < c->now.count; k++) {
        const double *x = edge(c, &c->now, k);
        memcpy(copy + (int64_t)count++ * c->size, x, sizeof(double) * (size_t)c->size);
        if (x[0] > slip_polyhedron_rounding)
            for (int i = 0; i < n; i++)
                to->corners[(int64_t)to->corner_count * n + i] = x[1 + i] / x[0];
        else
            memcpy(to->directions + (int64_t)to->direction_count * n, x + 1, sizeof(double) * (size_t)n);
        *(x[0] > slip_polyhedron_rounding ? &to->corner_count : &to->direction_count) += 1;
    }
    for (int l = 0; l < c->line_count; l++) {
        const double *x = c->lines + (int64_t)l * c->size;
        memcpy(copy + (int64_t)count++ * c->size, x, sizeof(double) * (size_t)c->size);
        for (int sign = 1; sign >= -1; sign -= 2, to->direction_count++)
            for (int i = 0; i < n; i++)
                to->directions[(int64_t)to->direction_count * n + i] = sign * x[1 + i];
    }
    to->dimension = rank_of(count, c->size, copy) - 1;
    return true;
}

static void free_cone(cone *c)
{
    free(c->now.x);
    free(c->now.zero);
    free(c->next.x);
    free(c->next.zero);
}

bool slip_polyhedron_find(slip_arena *arena, const slip_polyhedron_conditions *conditions,
                          slip_polyhedron *to)
{
    /* The first condition is that the cone's first number is not negative. */
    const int size = conditions->dimension + 1, count = conditions->count + 1;
    SLIP_FREED_BY(slip_arena_free) slip_arena room = {0};
    double *rows = slip_arena_array(&room, (int64_t)count * size, sizeof(double));
    bool *equal = slip_arena_array(&room, count, sizeof(bool));
    double *values = slip_arena_array(&room, edges_max + 2, sizeof(double));
    const slip_polyhedron_conditions all = {conditions->dimension, count, rows, equal};
    SLIP_FREED_BY(free_cone)
    cone c = {.conditions = &all,
              .size = size,
              .words = (count + 63) / 64,
              .line_count = size,
              .lines = slip_arena_array(&room, (int64_t)size * size, sizeof(double))};
    c.common = slip_arena_array(&room, c.words, sizeof(uint64_t));
    *to = (slip_polyhedron){0};
    if (!rows || !equal || !c.lines || !values || !c.common)
        return false;
    rows[0] = 1;
    memcpy(rows + size, conditions->rows, sizeof(double) * (size_t)(conditions->count * size));
    memcpy(equal + 1, conditions->equal, sizeof(bool) * (size_t)conditions->count);
    for (int i = 0; i < size; i++)
        c.lines[(int64_t)i * size + i] = 1;
    for (int k = 0; k < count && !c.failed && !to->too_many; k++) {
        if (!cut_line(&c, k))
            cut_edges(&c, k, values);
        to->too_many = c.now.count > edges_max;
    }
    return !c.failed && (to->too_many || collect(arena, &c, to));
}
