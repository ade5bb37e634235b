/* Names of files and folders; tables. */
#ifndef SLIP_CLI_FILES_H
#define SLIP_CLI_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* The base name of a model file with another ending (".run"), in the current directory; freed by the caller.
 * NULL: out of memory. */
char *folder_name(const char *model_path, const char *ending);

/* Checks before a long run that a folder can be created or written into, so that results are not lost by a
 * mistyped name. Prints the reason if not. Returns an exit code. */
int check_folder(const char *path);

/* A table file that appears under its name complete or not at all. */
typedef struct cli_file {
    FILE *stream;
    char path[4096], temporary[4104];
} cli_file;

/* Begins the file FOLDER/NAME; the folder must exist. Returns an exit code. */
int file_begin(cli_file *file, const char *folder, const char *name);
/* Completes the file or, with keep false, discards it. Returns an exit code. */
int file_end(cli_file *file, bool keep);

#endif
