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

/* Begins a file that is to be called `path`: it is written under another name until it is committed. */
int slip_file_create(slip_context *ctx, const char *path, slip_file *file);
/* Puts the file under its name. Frees also when it fails; then the old file, if any, is untouched. */
int slip_file_commit(slip_context *ctx, slip_file *file);
/* Forgets what was written. Harmless after a commit and on {0}. */
void slip_file_discard(slip_file *file);

/* A file with this text, whole or not at all. */
int slip_file_write(slip_context *ctx, const char *path, const char *text, size_t length);

/* Adds the file's bytes to `text`; more than `limit` bytes are an error. */
int slip_file_read(slip_context *ctx, const char *path, size_t limit, slip_text *text);
/* The same of a file of a folder, which need not be there. */
int slip_file_read_in(slip_context *ctx, const char *folder, const char *name, size_t limit, slip_text *text);

/* For libraries that open files themselves: an empty file with a name of its own next to `path` (*temporary
 * is allocated), and its move to the final name, which removes it when that fails. */
int slip_file_reserve(slip_context *ctx, const char *path, char **temporary);
int slip_file_publish(slip_context *ctx, const char *temporary, const char *path);

/* slip_folder_create is public (slipstick/base.h); this makes the folder that a file is to go into. */
int slip_folder_create_for(slip_context *ctx, const char *path);

/* The path of a file that another file names: beside that one, unless it is absolute. Allocated; NULL when
 * out of memory. */
char *slip_path_beside(const char *file, const char *path);

/* "folder/name", allocated; NULL when out of memory. */
char *slip_path_join(const char *folder, const char *name);

/* Fails with "WHAT PATH: REASON", the reason from errno. */
int slip_fail_file(slip_context *ctx, const char *what, const char *path, int error);

#endif
