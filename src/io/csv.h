/* Comma-separated values (RFC 4180, with bare newlines). */
#ifndef SLIP_IO_CSV_H
#define SLIP_IO_CSV_H

#include "base/context.h"

#include <stdio.h>

/* One field, in quotes where it needs them. */
void slip_csv_text(FILE *stream, const char *field);

/* Where the rows begin: behind the mark of UTF-8, which some programs write first. */
char *slip_csv_begin(char *text);

/* Splits the row at `*text` in place into fields, without the blanks around them, and moves *text behind it.
 * Returns the number of fields in the row, of which at most `limit` are stored; 0 at the end of the text, -1
 * where a quote is not closed. */
int slip_csv_row(char **text, char **fields, int limit);

/* Reads two columns of numbers, row by row, from a file whose first row may name the columns; rows that are
 * empty or begin with # are left out. A column is wanted by name, or NULL: the first, and the second. The
 * pairs go to *pairs, which the caller frees. Messages have file, line and what was found. */
int slip_csv_pairs(slip_context *ctx, const char *path, const char *const wanted[2], double **pairs,
                   int *count);

#endif
