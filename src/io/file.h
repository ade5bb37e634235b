/* Files that are written whole or not at all: to a temporary name in the same folder, synchronised, renamed.
 */
#ifndef SLIP_IO_FILE_H
#define SLIP_IO_FILE_H

#include "base/context.h"
#include "base/text.h"

#include <stdio.h>

typedef struct slip_file {
    FILE *stream;
    char *path;
    char *temporary; /* NULL for a device or pipe, which is written directly */
    int error;       /* errno of a write that failed, where the writer knows it */
} slip_file;

/* Begins a file `path`, which has a temporary name until slip_file_commit. */
int slip_file_create(slip_context *ctx, const char *path, slip_file *file);
/* Completes and renames the file. Frees *file, also on failure; then an old file is unchanged. */
int slip_file_commit(slip_context *ctx, slip_file *file);
/* Deletes the temporary file. Does nothing after a commit and for {0}. */
void slip_file_discard(slip_file *file);

/* Writes a file with this text. */
int slip_file_write(slip_context *ctx, const char *path, const char *text, size_t length);

/* Adds the file's bytes to `text`; more than `limit` bytes are an error. */
int slip_file_read(slip_context *ctx, const char *path, size_t limit, slip_text *text);
/* The same for a file in a folder; a missing file is not an error. */
int slip_file_read_in(slip_context *ctx, const char *folder, const char *name, size_t limit, slip_text *text);

/* For libraries that open files by name: _reserve creates an empty temporary file beside `path` (its name
 * *temporary is allocated); _publish renames it, or deletes it if that fails. */
int slip_file_reserve(slip_context *ctx, const char *path, char **temporary);
int slip_file_publish(slip_context *ctx, const char *temporary, const char *path);

/* Creates the folder of a file `path`. (slip_folder_create is public, slipstick/base.h.) */
int slip_folder_create_for(slip_context *ctx, const char *path);

/* Resolves a path that is written in `file`: relative to the folder of `file`, unless it is absolute.
 * Allocated; NULL: out of memory. */
char *slip_path_beside(const char *file, const char *path);

/* "folder/name", allocated; NULL when out of memory. */
char *slip_path_join(const char *folder, const char *name);

/* Fails with "WHAT PATH: REASON", the reason from errno. */
int slip_fail_file(slip_context *ctx, const char *what, const char *path, int error);

#endif
