/* Names of files and folders. */
#ifndef SLIP_CLI_FILES_H
#define SLIP_CLI_FILES_H

#include <stdbool.h>

/* The base name of a model file with another ending (".run"), in the current directory. Free it; NULL when
 * out of memory. */
char *folder_name(const char *model_path, const char *ending);

/* Can a folder of this name be made, or written into if it is there? Asked before a long run, so that a
 * mistyped name does not cost its results. Says why not; returns an exit code. */
int check_folder(const char *path);

#endif
