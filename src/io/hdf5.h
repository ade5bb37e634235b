/* HDF5 files of named series. The only place that knows the HDF5 library. Written whole or not at all. */
#ifndef SLIP_IO_HDF5_H
#define SLIP_IO_HDF5_H

#include "base/context.h"

typedef struct slip_h5 slip_h5;

/* ---- Writing. Paths are like "contact/pad/force"; groups are made on the way and keep the order in which
 * their members were made. */

/* Begins a file, which has its name when it is committed; adds a list of numbers to it. */
int slip_h5_create(slip_context *ctx, const char *path, slip_h5 **file);
/* The same for texts (slip_h5_write_text) of up to so many bytes; otherwise they end at 64 KB. */
int slip_h5_create_for(slip_context *ctx, const char *path, size_t longest_text, slip_h5 **file);
int slip_h5_write(slip_h5 *file, const char *name, const double *values, int64_t count);
/* Small whole numbers, stored as 8-bit integers. */
int slip_h5_write_small(slip_h5 *file, const char *name, const double *values, int64_t count);
/* A string that belongs to a dataset or group; "/" is the file itself. */
int slip_h5_write_text(slip_h5 *file, const char *object, const char *name, const char *text);
/* Closes the file and puts it under its name. Frees; also when it fails. */
int slip_h5_commit(slip_h5 *file);

/* ---- Reading. */

int slip_h5_open(slip_context *ctx, const char *path, slip_h5 **file);
/* The whole one-dimensional dataset in freshly allocated memory. */
int slip_h5_read(slip_h5 *file, const char *name, double **values, int64_t *count);
/* The same of a dataset that has to have `count` numbers; NULL where it fails. */
int slip_h5_read_exactly(slip_h5 *file, const char *name, int64_t count, double **values);
/* Checks of numbers that were read as `name`; their errors tell the file, the place and what was expected
 * there: finite ones; whole ones from low to high. */
int slip_h5_check_finite(slip_h5 *file, const char *name, const double *values, int64_t count);
int slip_h5_check_whole(slip_h5 *file, const char *name, const double *values, int64_t count, double low,
                        double high);
/* Fails with the file, the place and "found VALUE, expected ...". */
int slip_h5_fail_value(slip_h5 *file, const char *name, int64_t index, double value, const char *expected);
/* NULL in *text when there is no such attribute. */
int slip_h5_read_text(slip_h5 *file, const char *object, const char *name, slip_arena *arena, char **text);
/* The names of a group's members in the order in which they were made; a group that is not there has none. */
int slip_h5_list(slip_h5 *file, const char *group, slip_arena *arena, char ***names, int *count);

/* The places of all datasets of the file, in groups or not. */
int slip_h5_datasets(slip_h5 *file, slip_arena *arena, char ***places, int *count);

/* Ends reading; ends writing and forgets what was written. Takes NULL. */
void slip_h5_close(slip_h5 *file);
SLIP_OWNED(slip_h5, slip_h5_close)

#endif
