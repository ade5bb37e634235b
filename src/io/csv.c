#include "io/csv.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

void slip_csv_text(FILE *stream, const char *field)
{
    const size_t length = strlen(field);
    if (!strpbrk(field, ",\"\r\n") && !(length > 0 && (is_blank(field[0]) || is_blank(field[length - 1])))) {
        fputs(field, stream);
        return;
    }
    putc('"', stream);
    for (; *field; field++) {
        if (*field == '"')
            putc('"', stream);
        putc(*field, stream);
    }
    putc('"', stream);
}

/* Copies the quoted field over itself without its quotes; returns what follows, or NULL. */
static char *unquote(char *from, char **field)
{
    char *to = from;
    *field = from;
    for (from++;; from++) {
        if (*from == 0)
            return NULL;
        if (*from == '"' && *++from != '"')
            break;
        *to++ = *from;
    }
    if (to < from)
        *to = 0;
    return from;
}

char *slip_csv_begin(char *text)
{
    return text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

int slip_csv_row(char **text, char **fields, int limit)
{
    char *at = *text;
    int count = 0;
    if (!*at)
        return 0;
    for (;;) {
        char *field = at += strspn(at, " \t"), *last, end;
        const bool quoted = *at == '"';
        if (quoted) {
            at = unquote(at, &field);
            if (!at)
                return -1;
        }
        at += strcspn(at, ",\r\n");
        for (last = at; !quoted && last > field && is_blank(last[-1]);)
            last--;
        end = *at;
        *at = *last = 0;
        if (count < limit)
            fields[count] = field;
        count++;
        if (end == '\r' && at[1] == '\n')
            at++;
        if (end == 0)
            break;
        at++;
        if (end != ',')
            break;
    }
    *text = at;
    return count;
}

/* ---- Pairs of numbers. */

enum { most_columns = 1000, most_rows = 1000000 };

static bool is_number(const char *field, double *value)
{
    const char *end = field, *digits = field + (*field == '+');
    return slip_number_read(digits, &end, value) && end > field && !*end;
}

/* Where the wanted columns are, from the names of the first row. */
static int find_columns(slip_context *ctx, const char *path, int line, char **fields, int count,
                        const char *const wanted[2], int columns[2])
{
    for (int k = 0; k < 2; k++) {
        const char *names[most_columns + 1] = {NULL}, *nearest;
        int at = 0;
        for (int j = 0; j < count; j++)
            names[j] = fields[j];
        while (wanted[k] && at < count && strcmp(wanted[k], fields[at]) != 0)
            at++;
        columns[k] = wanted[k] ? at : k;
        if (columns[k] < count)
            continue;
        if (!wanted[k])
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s:%d: found one column, expected two with a comma between them", path, line);
        nearest = slip_text_nearest(wanted[k], names);
        return slip_fail(ctx, SLIP_ERROR_MODEL, "%s:%d: there is no column `%.60s`; %s `%.60s`%s", path, line,
                         wanted[k], nearest ? "did you mean" : "the first is", nearest ? nearest : fields[0],
                         nearest ? "?" : "");
    }
    return SLIP_OK;
}

static int read_pair(slip_context *ctx, const char *path, int line, char **fields, int count,
                     const int columns[2], double *pair)
{
    for (int k = 0; k < 2; k++) {
        const char *field = columns[k] < count ? fields[columns[k]] : "";
        if (!is_number(field, &pair[k]) || !isfinite(pair[k]))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s:%d: column %d: found %s%.40s%s, expected a finite number", path, line,
                             columns[k] + 1, *field ? "`" : "nothing", field, *field ? "`" : "");
    }
    return SLIP_OK;
}

static int read_pairs(slip_context *ctx, const char *path, char *text, const char *const wanted[2],
                      double **pairs, int *count)
{
    char *fields[most_columns];
    int columns[2] = {0, 1}, found;
    int64_t capacity = 0;
    bool first = true;
    double value;
    for (int line = 1;; line++) {
        char *start = text;
        found = slip_csv_row(&text, fields, most_columns);
        if (found == 0)
            return SLIP_OK;
        if (found < 0)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s:%d: a quote is not closed", path, line);
        found = found < most_columns ? found : most_columns;
        if (*start == '#' || (found == 1 && !*fields[0]))
            continue;
        const bool header = first && !is_number(fields[0], &value);
        if (first && !header && (wanted[0] || wanted[1]))
            return slip_fail(ctx, SLIP_ERROR_MODEL,
                             "%s:%d: found numbers, expected the names of the columns, among them `%.60s`",
                             path, line, wanted[0] ? wanted[0] : wanted[1]);
        first = false;
        if (header) {
            SLIP_PASS(find_columns(ctx, path, line, fields, found, wanted, columns));
            continue;
        }
        if (*count >= most_rows)
            return slip_fail(ctx, SLIP_ERROR_MODEL, "%s:%d: found more than %d rows", path, line, most_rows);
        SLIP_PASS(slip_allocated(ctx, SLIP_ROOM(*pairs, capacity, 2 * (int64_t)*count + 2)));
        SLIP_PASS(read_pair(ctx, path, line, fields, found, columns, *pairs + 2 * (ptrdiff_t)*count));
        ++*count;
    }
    return SLIP_OK;
}

int slip_csv_pairs(slip_context *ctx, const char *path, const char *const wanted[2], double **pairs,
                   int *count)
{
    const size_t limit = (size_t)256 << 20;
    slip_text text = {0};
    int status;
    *pairs = NULL;
    *count = 0;
    SLIP_TRY(slip_file_read(ctx, path, limit, &text));
    if (text.data)
        status = read_pairs(ctx, path, slip_csv_begin(text.data), wanted, pairs, count);
done:
    if (status < 0) {
        free(*pairs);
        *pairs = NULL;
    }
    slip_text_free(&text);
    return status;
}
