#include "model/source.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_size(slip_context *ctx, const char *name, int64_t size)
{
    if (size > slip_source_size_max)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s: found %.1f MiB, expected a model file of at most %d MiB",
                         name, (double)size / (1 << 20), slip_source_size_max >> 20);
    return SLIP_OK;
}

static int read_all(slip_context *ctx, const char *path, FILE *file, int64_t expected, char **text,
                    size_t *size)
{
    char *data = slip_alloc(expected + 1, 1);
    SLIP_PASS(slip_allocated(ctx, data));
    *size = fread(data, 1, (size_t)expected, file);
    if (ferror(file)) {
        free(data);
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    }
    *text = data;
    return SLIP_OK;
}

/* A model file that is not there; perhaps its ending was left out, or is another one. */
static int fail_missing(slip_context *ctx, const char *path)
{
    const char *why = strerror(errno), *name = strrchr(path, '/'), *end = strrchr(name ? name : path, '.');
    const size_t lengths[] = {strlen(path), end ? (size_t)(end - path) : 0};
    for (int k = 0; k < 2; k++) {
        char other[1024];
        const int size = snprintf(other, sizeof other, "%.*s.yaml", (int)lengths[k], path);
        if (lengths[k] > 0 && size < (int)sizeof other && access(other, R_OK) == 0)
            return slip_fail(ctx, SLIP_ERROR_IO, "%s: cannot open: %s; did you mean `%s`?", path, why, other);
    }
    return slip_fail(ctx, SLIP_ERROR_IO, "%s: cannot open: %s", path, why);
}

int slip_source_load(slip_context *ctx, const char *path, char **text, size_t *size)
{
    struct stat info;
    FILE *file = NULL;
    int status = SLIP_OK;
    *text = NULL;
    /* Looked at before it is opened: opening a pipe would wait for ever. */
    if (stat(path, &info) != 0)
        return fail_missing(ctx, path);
    if (S_ISDIR(info.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: found a directory, expected a model file", path);
    if (!S_ISREG(info.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: found no regular file, expected a model file", path);
    SLIP_TRY(check_size(ctx, path, info.st_size));
    file = fopen(path, "rb");
    if (!file)
        return slip_fail(ctx, SLIP_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    SLIP_TRY(read_all(ctx, path, file, info.st_size, text, size));
done:
    if (file)
        fclose(file);
    return status;
}

/* The length of the UTF-8 sequence at `text` (of `left` bytes), or 0 when there is none: no overlong forms,
 * no surrogates, nothing above U+10FFFF (Unicode 15, table 3-7). */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    unsigned char first = text[0], low = 0x80, high = 0xBF;
    size_t length = first < 0x80   ? 1
                    : first < 0xC2 ? 0
                    : first < 0xE0 ? 2
                    : first < 0xF0 ? 3
                    : first < 0xF5 ? 4
                                   : 0;
    if (length == 0 || length > left)
        return 0;
    if (first == 0xE0)
        low = 0xA0;
    else if (first == 0xED)
        high = 0x9F;
    else if (first == 0xF0)
        low = 0x90;
    else if (first == 0xF4)
        high = 0x8F;
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xBF)
        if (text[i] < low || text[i] > high)
            return 0;
    return length;
}

static bool is_control(unsigned char c)
{
    return (c < 32 && c != '\t' && c != '\n' && c != '\r') || c == 127;
}

/* The first byte that is not text, or NULL; its line and column. */
static const unsigned char *first_bad(const char *text, size_t size, int *line, int *column)
{
    const unsigned char *c = (const unsigned char *)text, *end = c + size;
    size_t length;
    *line = *column = 1;
    while (c < end) {
        length = sequence_length(c, (size_t)(end - c));
        if (length == 0 || is_control(*c))
            return c;
        if (*c == '\n') {
            ++*line;
            *column = 0;
        }
        ++*column;
        c += length;
    }
    return NULL;
}

bool slip_source_is_text(const char *text, size_t size)
{
    int line, column;
    return !first_bad(text, size, &line, &column);
}

int slip_source_check(slip_context *ctx, const char *name, const char *text, size_t size)
{
    int line, column, status = check_size(ctx, name, (int64_t)size);
    if (status < 0)
        return status;
    if (size == 0)
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s:1:1: the file is empty, expected a model", name);
    const unsigned char *bad = first_bad(text, size, &line, &column);
    if (bad)
        return slip_fail(ctx, SLIP_ERROR_MODEL,
                         "%s:%d:%d: not a text file: found byte 0x%02X, expected UTF-8 text", name, line,
                         column, *bad);
    return SLIP_OK;
}
