#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Blocks grow with the arena: most arenas stay small. Pages are what the system gives as such: zero, and not
 * touched before they are used; all else is cleared when it is handed out. */
enum { alignment = 16, first_block = 4096, largest_block = 8192, pages = 1 << 17 };

struct slip_arena_block {
    struct slip_arena_block *next;
    size_t used, size;
    _Alignas(alignment) unsigned char bytes[];
};

static size_t rounded(size_t size)
{
    return (size + alignment - 1) / alignment * alignment;
}

void *slip_arena_alloc(slip_arena *arena, size_t size)
{
    struct slip_arena_block *block = arena->blocks;
    if (size > PTRDIFF_MAX / 2)
        return NULL;
    size = rounded(size);
    if (!block || block->size - block->used < size) {
        size_t capacity = block ? 2 * block->size : first_block;
        if (capacity > largest_block)
            capacity = largest_block;
        if (capacity < size)
            capacity = size;
        block = capacity >= pages ? calloc(1, sizeof *block + capacity) : malloc(sizeof *block + capacity);
        if (!block)
            return NULL;
        block->used = 0;
        block->size = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *result = block->bytes + block->used;
    block->used += size;
    return block->size >= pages ? result : memset(result, 0, size);
}

void *slip_arena_array(slip_arena *arena, int64_t count, size_t item_size)
{
    size_t size;
    if (count < 0 || __builtin_mul_overflow((size_t)count, item_size, &size))
        return NULL;
    return slip_arena_alloc(arena, size);
}

bool slip_arena_divide(slip_arena *arena, int count, const slip_portion *portions)
{
    const int64_t pair = alignment / sizeof(double);
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        if (portions[i].count < 0 || __builtin_add_overflow(sum, portions[i].count + pair, &sum))
            return false;
    double *numbers = slip_arena_array(arena, sum, sizeof *numbers);
    for (int i = 0; i < count && numbers; i++) {
        *portions[i].to = numbers;
        numbers += (portions[i].count + pair - 1) / pair * pair;
    }
    return numbers != NULL;
}

char *slip_arena_string_bytes(slip_arena *arena, const char *text, size_t length)
{
    char *copy = slip_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *slip_arena_string(slip_arena *arena, const char *text)
{
    return slip_arena_string_bytes(arena, text, strlen(text));
}

void slip_arena_adopt(slip_arena *arena, slip_arena *other)
{
    struct slip_arena_block **end = &arena->blocks;
    while (*end)
        end = &(*end)->next;
    *end = other->blocks;
    other->blocks = NULL;
}

void slip_arena_free(slip_arena *arena)
{
    struct slip_arena_block *block = arena->blocks;
    while (block) {
        struct slip_arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}

bool slip_array_reserve(void *data, int64_t *capacity, int64_t needed, size_t item_size)
{
    void *old, *fresh;
    int64_t more = *capacity > 0 ? *capacity : 8;
    size_t size;
    if (needed <= *capacity)
        return true;
    while (more < needed)
        more += more / 2 + 1;
    if (__builtin_mul_overflow((size_t)more, item_size, &size))
        return false;
    memcpy(&old, data, sizeof old);
    fresh = realloc(old, size);
    if (!fresh)
        return false;
    memcpy(data, &fresh, sizeof fresh);
    *capacity = more;
    return true;
}

void *slip_alloc(int64_t count, size_t item_size)
{
    size_t size;
    if (count < 0 || __builtin_mul_overflow((size_t)count, item_size, &size))
        return NULL;
    return calloc(1, size > 0 ? size : 1);
}

/* The number behind a word in a file, or its first number (word ""); NAN: there is none. */
static double number_in(const char *path, const char *word)
{
    char line[300];
    double number = NAN;
    FILE *file = fopen(path, "r");
    while (file && isnan(number) && fgets(line, sizeof line, file))
        if (strncmp(line, word, strlen(word)) == 0 && sscanf(line + strlen(word), "%lf", &number) != 1)
            number = NAN;
    if (file)
        fclose(file);
    return number;
}

/* What a control group, as containers and batch systems set them, leaves of its limit. Files that it keeps
 * can be given back. */
static double left_in_group(const char *folder, const char *limit, const char *used, const char *files)
{
    char path[500];
    snprintf(path, sizeof path, "%.400s/%s", folder, limit);
    const double most = number_in(path, "");
    snprintf(path, sizeof path, "%.400s/%s", folder, used);
    const double now = number_in(path, "");
    snprintf(path, sizeof path, "%.400s/memory.stat", folder);
    const double kept = number_in(path, files);
    return isnan(most) || isnan(now) ? INFINITY : fmax(0, most - now + (isnan(kept) ? 0 : kept));
}

/* Of all groups that the process is in, from its own up to the root. */
static double left_in_groups(void)
{
    char line[300], folder[400];
    double least = INFINITY;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *own = strstr(line, ":memory:"), *end = line + strcspn(line, "\n");
        const bool old = own != NULL;
        *end = 0;
        own = old ? own + 8 : strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        for (char *slash; own; own = slash ? own : NULL) {
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", old ? "/memory" : "", own);
            least = fmin(least, old ? left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                                    "total_inactive_file")
                                    : left_in_group(folder, "memory.max", "memory.current", "inactive_file"));
            slash = strrchr(own, '/');
            if (slash)
                *slash = 0;
        }
    }
    if (file)
        fclose(file);
    return least;
}

/* Linux counts what it keeps of files as used, though it gives that back at once: its own estimate knows. */
double slip_memory_available(void)
{
    struct rlimit own;
    double most = fmin(1024 * number_in("/proc/meminfo", "MemAvailable:"), left_in_groups());
    if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
        most = fmin(most, fmax(0, (double)own.rlim_cur -
                                      (double)sysconf(_SC_PAGESIZE) * number_in("/proc/self/statm", "")));
    return isnan(most) ? INFINITY : most;
}
