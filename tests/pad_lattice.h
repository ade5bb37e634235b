/* A pad as a lattice of masses and springs on a belt: matrices of any size for tests and benchmarks of modes.
 */
#ifndef SLIP_TESTS_PAD_LATTICE_H
#define SLIP_TESTS_PAD_LATTICE_H

#include "math/compressed.h"

#include <stdlib.h>

/* Triplets that become a matrix by columns. */
typedef struct pad_matrix {
    int64_t size, count, capacity, *rows, *columns;
    double *values;
    slip_compressed compressed;
} pad_matrix;

static inline void pad_add(pad_matrix *m, int64_t i, int64_t j, double value)
{
    if (m->count == m->capacity) {
        m->capacity = 2 * m->capacity + 1000;
        m->rows = realloc(m->rows, sizeof *m->rows * (size_t)m->capacity);
        m->columns = realloc(m->columns, sizeof *m->columns * (size_t)m->capacity);
        m->values = realloc(m->values, sizeof *m->values * (size_t)m->capacity);
    }
    m->rows[m->count] = i;
    m->columns[m->count] = j;
    m->values[m->count++] = value;
}

static inline void pad_close(pad_matrix *m)
{
    int64_t *start = calloc((size_t)m->size + 2, sizeof *start),
            *row = malloc(sizeof *row * (size_t)(m->count + 1));
    double *value = malloc(sizeof *value * (size_t)(m->count + 1));
    for (int64_t k = 0; k < m->count; k++)
        start[m->columns[k] + 2]++;
    for (int64_t j = 0; j < m->size; j++)
        start[j + 2] += start[j + 1];
    for (int64_t k = 0; k < m->count; k++) {
        const int64_t at = start[m->columns[k] + 1]++;
        row[at] = m->rows[k];
        value[at] = m->values[k];
    }
    int64_t used = 0; /* entries that are there twice become one */
    for (int64_t j = 0, from = 0; j < m->size; j++) {
        const int64_t first = used, end = start[j + 1];
        for (; from < end; from++) {
            const int64_t i = row[from];
            const double own = value[from];
            int64_t at = first;
            while (at < used && row[at] != i)
                at++;
            if (at == used) {
                row[used] = i;
                value[used++] = own;
            } else {
                value[at] += own;
            }
        }
        start[j + 1] = used;
    }
    m->compressed = (slip_compressed){m->size, start, row, value};
    free(m->rows);
    free(m->columns);
    free(m->values);
}

static inline void pad_free(pad_matrix *m)
{
    free((void *)m->compressed.start);
    free((void *)m->compressed.row);
    free((void *)m->compressed.value);
}

/* A spring of this stiffness (or damper) along (dx, dy) between two nodes; -1: the ground. */
static inline void pad_spring(pad_matrix *m, int64_t a, int64_t b, double dx, double dy, double stiffness)
{
    const double d[2] = {dx, dy};
    const int64_t ends[2] = {a, b};
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    if (ends[p] >= 0 && ends[q] >= 0 && d[i] * d[j] != 0)
                        pad_add(m, 2 * ends[p] + i, 2 * ends[q] + j,
                                (p == q ? 1 : -1) * stiffness * d[i] * d[j]);
}

/* columns x rows nodes with two displacements each, held at the top; at the bottom springs of stiffness
 * `contact` press on a belt that it slides on with coefficient mu: a force mu N along the belt. Damping is
 * `damping` times the mass, and of the contact's slip `slope`. All three matrices are {0}. */
static inline void pad_build(int columns, int rows, double contact, double mu, double damping, double slope,
                             pad_matrix *mass, pad_matrix *damper, pad_matrix *stiffness)
{
    const double half = 0.70710678118654752;
    mass->size = damper->size = stiffness->size = 2 * (int64_t)columns * rows;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            const int64_t node = y * columns + x, right = x + 1 < columns ? node + 1 : -2,
                          up = y + 1 < rows ? node + columns : -1;
            const double m = 1.0 / columns / rows;
            for (int i = 0; i < 2; i++) {
                pad_add(mass, 2 * node + i, 2 * node + i, m);
                pad_add(damper, 2 * node + i, 2 * node + i, damping * m);
            }
            if (right >= 0)
                pad_spring(stiffness, node, right, 1, 0, 1);
            pad_spring(stiffness, node, up, 0, 1, 1);
            if (up < 0)
                pad_spring(stiffness, node, up, 1, 0, 1);
            if (right >= 0 && up >= 0) {
                pad_spring(stiffness, node, up + 1, half, half, 0.7);
                pad_spring(stiffness, right, up, -half, half, 0.7);
            }
            if (y == 0) {
                pad_add(stiffness, 2 * node + 1, 2 * node + 1, contact / columns);
                pad_add(stiffness, 2 * node, 2 * node + 1, mu * contact / columns);
                pad_add(damper, 2 * node, 2 * node, slope / columns);
            }
        }
    pad_close(mass);
    pad_close(damper);
    pad_close(stiffness);
}

#endif
