/* Tables of the integral model. */
#ifndef SLIP_LAW_PATCH_TABLE_H
#define SLIP_LAW_PATCH_TABLE_H

#include "patch/patch.h"

/* The table of one variable, for circular areas: v/|w| where it is at most 1, else |w|/v. table.c has that of
 * two variables, for all areas. */
typedef struct slip_table_line slip_table_line;
int slip_table_line_build(slip_context *ctx, const slip_patch *patch, double tolerance,
                          slip_table_line **table, double *error);
void slip_table_line_destroy(slip_table_line *table);
void slip_table_line_evaluate(const slip_table_line *table, const double q[3], double T[3],
                              double *derivative);
int slip_table_line_cells(const slip_table_line *table);

enum { slip_table_cells_max = 120000 };

#endif
