/* Files that belong together. They are written into a hidden folder within the final one and move when all of
 * them are on the disk: whatever goes wrong before (a full disk, a kill), the old files are as they were. */
#ifndef SLIP_IO_STAGING_H
#define SLIP_IO_STAGING_H

#include "base/context.h"

typedef struct slip_staging {
    const char *folder; /* the final one */
    char *work;         /* where to write */
} slip_staging;

/* Makes both folders. The hidden one is ".NAME.PID.k.tmp". */
int slip_staging_begin(slip_context *ctx, const char *folder, const char *name, slip_staging *staging);

/* Puts everything in place. `last` says that the folder is complete: the old one goes first and the new one
 * comes last. What the program has made in the folder before goes too: the folder keeps a list of that, in
 * the file ".files". */
int slip_staging_publish(slip_context *ctx, slip_staging *staging, const char *last);

/* Adds a file to that list, where the folder has one. */
int slip_staging_note(slip_context *ctx, const char *folder, const char *name);

/* Removes the hidden folder with what is left in it; returns `status`, whose message names files by where
 * they were to go. Harmless on {0}. */
int slip_staging_end(slip_context *ctx, slip_staging *staging, int status);

#endif
