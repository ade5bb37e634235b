/* Matrices in files of the Matrix Market format. */
#ifndef SLIP_IO_MATRIX_MARKET_H
#define SLIP_IO_MATRIX_MARKET_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads a square matrix of n rows, dense or sparse in the file, into matrix[n*n], row by row. Fields `real`
 * and `integer`; symmetry `general`, `symmetric` and `skew-symmetric`. Repeated entries are added. Error
 * messages have file and line. */
int slip_matrix_market_read(slip_context *ctx, const char *path, int n, double *matrix);

/* Entries of a square matrix, indices from 0; repeated entries are to be added. */
typedef struct slip_matrix_entries {
    int64_t size, count;
    int64_t *row, *column;
    double *value;
    bool symmetric; /* only one triangle is listed */
} slip_matrix_entries;

/* The same as a list, of any size. Freed by slip_matrix_entries_free, also when it fails. */
int slip_matrix_market_list(slip_context *ctx, const char *path, slip_matrix_entries *entries);
void slip_matrix_entries_free(slip_matrix_entries *entries);

#endif
