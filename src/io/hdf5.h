/* HDF5 files of named series. The only place that knows the HDF5 library. Written whole or not at all. */
#ifndef SLIP_IO_HDF5_H
#define SLIP_IO_HDF5_H

#include "base/context.h"

typedef struct slip_h5 slip_h5;

/* ---- Writing. Paths have the form "contact/pad/force"; missing groups are created, and record the order of
 * creation of their members.
 */

/* _create begins a file, which has a temporary name until slip_h5_commit; _create_for does so for attributes
 * (slip_h5_write_text) of up to longest_text bytes, else at most 64 KB; _write adds a dataset of numbers. */
int slip_h5_create(slip_context *ctx, const char *path, slip_h5 **file);
/* See slip_h5_create. */
int slip_h5_create_for(slip_context *ctx, const char *path, size_t longest_text, slip_h5 **file);
int slip_h5_write(slip_h5 *file, const char *name, const double *values, int64_t count);
/* Small whole numbers, stored as 8-bit integers. */
int slip_h5_write_small(slip_h5 *file, const char *name, const double *values, int64_t count);
/* Adds a string attribute to a dataset or group; "/" is the file itself. */
int slip_h5_write_text(slip_h5 *file, const char *object, const char *name, const char *text);
/* Closes the file and puts it under its name. Frees; also when it fails. */
int slip_h5_commit(slip_h5 *file);

/* ---- Reading. */

int slip_h5_open(slip_context *ctx, const char *path, slip_h5 **file);
/* The whole one-dimensional dataset in freshly allocated memory. */
int slip_h5_read(slip_h5 *file, const char *name, double **values, int64_t *count);
/* The same for a dataset that must have `count` numbers; *values is NULL after a failure. */
int slip_h5_read_exactly(slip_h5 *file, const char *name, int64_t count, double **values);
/* Fail unless all numbers read from `name` are finite, or whole numbers from low to high. The messages have
 * file, dataset, index and the expected range. */
int slip_h5_check_finite(slip_h5 *file, const char *name, const double *values, int64_t count);
int slip_h5_check_whole(slip_h5 *file, const char *name, const double *values, int64_t count, double low,
                        double high);
/* Fails with the file, the place and "found VALUE, expected ...". */
int slip_h5_fail_value(slip_h5 *file, const char *name, int64_t index, double value, const char *expected);
/* Reads a string attribute into the arena; *text is NULL if there is none. */
int slip_h5_read_text(slip_h5 *file, const char *object, const char *name, slip_arena *arena, char **text);
/* The names of a group's members in the order of creation; none for a missing group. */
int slip_h5_list(slip_h5 *file, const char *group, slip_arena *arena, char ***names, int *count);

/* The places of all datasets of the file, in groups or not. */
int slip_h5_datasets(slip_h5 *file, slip_arena *arena, char ***places, int *count);

/* Closes a file; a file being written is discarded. Takes NULL. */
void slip_h5_close(slip_h5 *file);
SLIP_OWNED(slip_h5, slip_h5_close)

#endif
