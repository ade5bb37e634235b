/* Pressure tables from files: rows of x, y and pressure, separated by commas, semicolons or blanks. A first
 * row that is no numbers is a header; what follows # is a comment. */
#include "patch/patch.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { file_size_max = 64 << 20 };

typedef struct reading {
    slip_context *ctx;
    const char *path;
    double *points;
    int64_t count, capacity; /* of numbers */
} reading;

/* Opening a pipe would wait for ever. */
static int check_file(slip_context *ctx, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return slip_fail_file(ctx, "cannot read", path, errno);
    if (!S_ISREG(info.st_mode))
        return slip_fail(ctx, SLIP_ERROR_IO, "cannot read %s: it is no regular file", path);
    return SLIP_OK;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

/* The numbers of a line: up to three are kept. -1 where something else stands. */
static int read_numbers(const char *line, const char *end, double row[3])
{
    int count = 0;
    for (;;) {
        const char *stop;
        double value;
        while (line < end && is_separator(*line))
            line++;
        if (line >= end || *line == '#')
            return count;
        if (!slip_number_read(line, &stop, &value) || (stop < end && !is_separator(*stop) && *stop != '#'))
            return -1;
        if (count < 3)
            row[count] = value;
        count++;
        line = stop;
    }
}

/* A first line of names: what begins with a number is a row, which must not be lost because of a letter in
 * it. */
static bool is_heading(const char *line, const char *end, int number)
{
    const char *stop;
    double value;
    while (line < end && is_separator(*line))
        line++;
    return number == 1 && !slip_number_read(line, &stop, &value);
}

static int take_line(reading *r, const char *line, const char *end, int number)
{
    double row[3];
    int count = read_numbers(line, end, row);
    if (count == 0 || (count < 0 && is_heading(line, end, number)))
        return SLIP_OK;
    if (count != 3)
        return slip_fail(r->ctx, SLIP_ERROR_MODEL,
                         "%s:%d: found `%.*s`, expected three numbers: x, y, pressure", r->path, number,
                         (int)(end - line > 60 ? 60 : end - line), line);
    SLIP_PASS(slip_allocated(r->ctx, SLIP_ROOM(r->points, r->capacity, r->count + 3)));
    memcpy(r->points + r->count, row, sizeof row);
    r->count += 3;
    return SLIP_OK;
}

int slip_patch_file_read(slip_context *ctx, const char *path, double **points, int *count)
{
    reading r = {.ctx = ctx, .path = path};
    slip_text text = {0};
    int status, number = 1;
    SLIP_TRY(check_file(ctx, path));
    SLIP_TRY(slip_file_read(ctx, path, file_size_max, &text));
    for (const char *line = text.data; line && *line; number++) {
        const char *end = line + strcspn(line, "\n");
        SLIP_TRY(take_line(&r, line, end, number));
        line = *end ? end + 1 : end;
    }
    *points = r.points;
    *count = (int)(r.count / 3);
    r.points = NULL;
done:
    free(r.points);
    slip_text_free(&text);
    return status;
}
