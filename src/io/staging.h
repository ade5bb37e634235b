/* A set of files that is replaced as a whole. They are written into a hidden folder within the final one and
 * moved when all of them are complete: after a failure before that (a full disk, a kill) the old files are
 * unchanged. */
#ifndef SLIP_IO_STAGING_H
#define SLIP_IO_STAGING_H

#include "base/context.h"

typedef struct slip_staging {
    const char *folder; /* the final one */
    char *work;         /* where to write */
} slip_staging;

/* Makes both folders. The hidden one is ".NAME.PID.k.tmp". */
int slip_staging_begin(slip_context *ctx, const char *folder, const char *name, slip_staging *staging);

/* Moves all files to the final folder. last: the file that marks a complete folder; its old version is
 * removed first, its new version moved last. Files that the program has made there before are removed; the
 * folder has a list of them in ".files". */
int slip_staging_publish(slip_context *ctx, slip_staging *staging, const char *last);

/* Adds a file to the list ".files", if the folder has one. */
int slip_staging_note(slip_context *ctx, const char *folder, const char *name);

/* Removes the hidden folder with its contents. Returns `status`; in its message paths of the hidden folder
 * are replaced by the final ones. Does nothing for {0}. */
int slip_staging_end(slip_context *ctx, slip_staging *staging, int status);

#endif
