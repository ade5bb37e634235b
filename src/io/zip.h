/* Archives in the ZIP format (APPNOTE 6.3), deflated. The time of every
 * entry is the first of the format's, so that the same input makes the same bytes. */
#ifndef SLIP_IO_ZIP_H
#define SLIP_IO_ZIP_H

#include "io/file.h"

typedef struct slip_zip {
    slip_file file;
    slip_text directory; /* at the end of the archive: one record for each entry */
    int count;
    size_t offset; /* of the next entry */
} slip_zip;

/* Begins an archive, which has its name when it is committed. */
int slip_zip_create(slip_context *ctx, const char *path, slip_zip *zip);
/* Adds an entry; folders in its name are separated by slashes. */
int slip_zip_add(slip_context *ctx, slip_zip *zip, const char *name, const char *bytes, size_t size);
/* Puts the archive under its name. Frees also when it fails. */
int slip_zip_commit(slip_context *ctx, slip_zip *zip);
/* Forgets what was written. Harmless after a commit and on {0}. */
void slip_zip_discard(slip_zip *zip);

#endif
