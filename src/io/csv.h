/* Comma-separated values (RFC 4180, with bare newlines). */
#ifndef SLIP_IO_CSV_H
#define SLIP_IO_CSV_H

#include "base/context.h"

#include <stdio.h>

/* Writes a field, in quotes if it needs them. */
void slip_csv_text(FILE *stream, const char *field);

/* The start of the rows: skips the UTF-8 byte order mark that some programs write. */
char *slip_csv_begin(char *text);

/* Splits the row at `*text` in place into fields, without blanks around them, and moves *text to the next
 * row. Returns the number of fields in the row, of which at most `limit` are stored; 0 at the end of the
 * text, -1 where a quote is not closed. */
int slip_csv_row(char **text, char **fields, int limit);

/* Reads two columns of numbers from a file whose first row may have their names; empty rows and rows that
 * begin with # are skipped. wanted: names of the columns; NULL: the first, the second. *pairs: the numbers
 * row by row, which the caller frees. Error messages have file, line and the text found. */
int slip_csv_pairs(slip_context *ctx, const char *path, const char *const wanted[2], double **pairs,
                   int *count);

#endif
