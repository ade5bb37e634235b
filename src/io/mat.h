/* MATLAB level 5 files. The only place that knows libmatio. Written whole or not at all. */
#ifndef SLIP_IO_MAT_H
#define SLIP_IO_MAT_H

#include "base/context.h"

#include <stdint.h>

/* One column vector for each name. The names must be valid names of MATLAB variables. */
int slip_mat_write(slip_context *ctx, const char *path, int column_count, const char *const *names,
                   const double *const *columns, int64_t row_count);

#endif
