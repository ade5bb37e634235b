/* Feeds files to a fuzz target without libFuzzer, so that every compiler and every test run repeats them:
 *     replay_TARGET FILE|DIRECTORY...
 * A directory stands for the files in it; one that does not exist is empty. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0;
    if (!file) {
        perror(path);
        return -1;
    }
    while (!feof(file) && !ferror(file)) {
        if (size == capacity) {
            uint8_t *larger = realloc(data, capacity = 2 * capacity + 4096);
            if (!larger)
                break;
            data = larger;
        }
        size += fread(data + size, 1, capacity - size, file);
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one before a crash is the culprit */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

/* The number of files, or -1. */
static int replay_directory(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;
    if (!directory)
        return 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name ||
            replay_file(name) < 0) {
            count = -1;
            break;
        }
        count++;
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        const int count = stat(argv[i], &status) == 0 && S_ISREG(status.st_mode) ? replay_file(argv[i])
                                                                                 : replay_directory(argv[i]);
        if (count < 0)
            return EXIT_FAILURE;
        total += count;
    }
    if (total == 0) { /* a corpus that was not found must not pass for one without failures */
        fprintf(stderr, "no files to replay\n");
        return EXIT_FAILURE;
    }
    printf("%d files replayed\n", total);
    return EXIT_SUCCESS;
}
