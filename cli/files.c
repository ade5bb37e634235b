#include "files.h"

#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *folder_name(const char *model_path, const char *ending)
{
    const char *slash = strrchr(model_path, '/');
    const char *base = slash ? slash + 1 : model_path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    char *name = malloc(length + strlen(ending) + 1);
    if (!name)
        return NULL;
    memcpy(name, base, length);
    memcpy(name + length, ending, strlen(ending) + 1);
    return name;
}

/* Shortens the path to its parent: "a/b//" to "a", "a" to ".", "/a" to "/". */
static void to_parent(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length == 0)
        path[length++] = '.';
    path[length] = '\0';
}

int check_folder(const char *path)
{
    if (!*path) {
        errno = ENOENT;
        return fail_io("cannot write to a folder without a name");
    }
    char *at = strdup(path);
    if (!at)
        return fail_memory();
    struct stat info;
    int found;
    while ((found = stat(at, &info)) != 0 && errno == ENOENT && strcmp(at, ".") != 0 && strcmp(at, "/") != 0)
        to_parent(at);
    if (found == 0 && !S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        found = -1;
    } else if (found == 0) {
        found = access(at, W_OK | X_OK);
    }
    const int code = found == 0 ? exit_done : fail_io("cannot write to folder `%s`", path);
    free(at);
    return code;
}

int file_begin(cli_file *file, const char *folder, const char *name)
{
    snprintf(file->path, sizeof file->path, "%.3000s/%.500s", folder, name);
    snprintf(file->temporary, sizeof file->temporary, "%s.tmp", file->path);
    file->stream = fopen(file->temporary, "w");
    return file->stream ? exit_done : fail_io("cannot write %s", file->path);
}

int file_end(cli_file *file, bool keep)
{
    const bool failed = ferror(file->stream) != 0;
    const bool good = fclose(file->stream) == 0 && !failed;
    if (good && keep && rename(file->temporary, file->path) == 0)
        return exit_done;
    const int error = errno;
    remove(file->temporary);
    errno = error;
    return keep ? fail_io("cannot write %s", file->path) : exit_done;
}
