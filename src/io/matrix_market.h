/* Matrices in files of the Matrix Market format. */
#ifndef SLIP_IO_MATRIX_MARKET_H
#define SLIP_IO_MATRIX_MARKET_H

#include "base/context.h"

/* Reads a square matrix of n rows, dense or sparse in the file, into matrix[n*n], row by row. Fields `real`
 * and `integer`; symmetry `general`, `symmetric` and `skew-symmetric`. Entries that are there twice are
 * added. Messages have file and line. */
int slip_matrix_market_read(slip_context *ctx, const char *path, int n, double *matrix);

#endif
