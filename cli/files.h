/* Names of files and folders; tables. */
#ifndef SLIP_CLI_FILES_H
#define SLIP_CLI_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* The base name of a model file with another ending (".run"), in the current directory. Free it; NULL when
 * out of memory. */
char *folder_name(const char *model_path, const char *ending);

/* Can a folder of this name be made, or written into if it is there? Asked before a long run, so that a
 * mistyped name does not cost its results. Says why not; returns an exit code. */
int check_folder(const char *path);

/* A table that appears under its name whole or not at all. */
typedef struct cli_file {
    FILE *stream;
    char path[4096], temporary[4104];
} cli_file;

/* FOLDER/NAME; the folder is there. Exit codes. */
int file_begin(cli_file *file, const char *folder, const char *name);
/* `keep` false: as if it had not been begun. */
int file_end(cli_file *file, bool keep);

#endif
