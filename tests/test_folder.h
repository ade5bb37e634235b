/* A folder for a test to write into, and small looks at files. */
#ifndef SLIP_TESTS_TEST_FOLDER_H
#define SLIP_TESTS_TEST_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { test_path_size = 512 };

static inline void test_folder_make(char path[test_path_size])
{
    const char *base = getenv("TMPDIR");
    snprintf(path, test_path_size, "%s/slipstick-test-XXXXXX", base ? base : ".");
    if (!mkdtemp(path))
        abort();
}

static inline const char *test_path(char buffer[test_path_size], const char *folder, const char *name)
{
    if (snprintf(buffer, test_path_size, "%s/%s", folder, name) >= test_path_size)
        abort();
    return buffer;
}

static inline void test_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char inner[test_path_size];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        test_path(inner, path, entry->d_name);
        if (unlink(inner) != 0)
            test_folder_remove(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* The number of entries, hidden ones too but for the list of what the program has made there. */
static inline int test_folder_count(const char *path)
{
    DIR *folder = opendir(path);
    int count = -2;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".files") != 0;
    if (folder)
        closedir(folder);
    return count;
}

/* -1 when there is no such file. */
static inline long test_file_size(const char *folder, const char *name)
{
    char path[test_path_size];
    struct stat about;
    return stat(test_path(path, folder, name), &about) == 0 ? (long)about.st_size : -1;
}

#endif
