/* What fuzz targets share: checks that stay in every build, a folder in memory, and HDF5 files with edits.
 *
 * Bytes that libFuzzer changes in an HDF5 file would test libhdf5. Here the input is a list of edits, one a
 * line, of a sound file that the program itself wrote, so that what arrives at our readers is a well-formed
 * file with wrong contents:
 *
 *     NAME = 1 2.5 nan 0*12      the numbers of a dataset, made where there is none; V*N stands for N times V
 *     NAME[3] = 1e9              one number of it
 *     NAME ~ 7                   as many numbers as this, from the start and over again
 *     NAME x 2                   the same numbers in rows of two
 *     NAME@ATTRIBUTE = text      an attribute ("/" is the file)
 *     - NAME                     takes a dataset, a group or (- NAME@ATTRIBUTE) an attribute away
 *
 * Lines that are none of these, or that cannot be done, are passed over. */
#ifndef SLIP_FUZZ_SUPPORT_H
#define SLIP_FUZZ_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program unless it holds. Unlike assert this stays in every build. */
void fuzz_require(bool holds, const char *what);

/* Reads all these numbers, for the sanitizer to see whether they are there. */
void fuzz_touch(const double *values, int64_t count);

/* The input with a zero behind it; to be freed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* PATH/name in a folder of this process, in memory where the machine has such a place; the folder is removed
 * when the program ends. The result is good until the eighth call after it. */
const char *fuzz_path(const char *name);
void fuzz_write(const char *path, const void *data, size_t size);
/* The bytes of a file, to be freed. */
char *fuzz_read(const char *path, size_t *size);

/* Writes the HDF5 file `image` with these edits to `path`. */
void fuzz_edit_h5(const char *image, size_t size, const char *edits, const char *path);

#endif
