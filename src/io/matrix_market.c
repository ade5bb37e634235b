#include "io/matrix_market.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct layout {
    bool sparse, symmetric, skew;
} layout;

/* Where the entries go. */
typedef void (*slip_take)(void *user, const layout *of, int64_t row, int64_t column, double value);

/* The next word of the header, in lower case. */
static void next_word(slip_scan *scan, char *word, size_t size)
{
    size_t length = 0;
    while (*scan->at == ' ' || *scan->at == '\t')
        scan->at++;
    for (; *scan->at && !strchr(" \t\r\n", *scan->at); scan->at++)
        if (length + 1 < size)
            word[length++] = (char)(*scan->at >= 'A' && *scan->at <= 'Z' ? *scan->at - 'A' + 'a' : *scan->at);
    word[length] = 0;
}

static int read_header(slip_scan *scan, layout *of)
{
    static const char expected[] = "expected `%%MatrixMarket matrix coordinate real general` or the like";
    char words[6][32];
    for (int k = 0; k < 6; k++)
        next_word(scan, words[k], sizeof words[k]);
    if (strcmp(words[0], "%%matrixmarket") != 0 || strcmp(words[1], "matrix") != 0)
        return slip_scan_fail(scan, "found `%.20s %.20s`, %s", words[0], words[1], expected);
    of->sparse = strcmp(words[2], "coordinate") == 0;
    if (!of->sparse && strcmp(words[2], "array") != 0)
        return slip_scan_fail(scan, "found format `%.20s`, expected coordinate or array", words[2]);
    if (strcmp(words[3], "real") != 0 && strcmp(words[3], "integer") != 0)
        return slip_scan_fail(scan, "found field `%.20s`, expected real or integer", words[3]);
    of->symmetric = strcmp(words[4], "symmetric") == 0;
    of->skew = strcmp(words[4], "skew-symmetric") == 0;
    if (!of->symmetric && !of->skew && strcmp(words[4], "general") != 0)
        return slip_scan_fail(scan, "found symmetry `%.20s`, expected general, symmetric or skew-symmetric",
                              words[4]);
    if (words[5][0])
        return slip_scan_fail(scan, "found `%.20s` after the symmetry, expected the end of the line",
                              words[5]);
    return SLIP_OK;
}

/* Comments stand between the header and the sizes. */
static void skip_comments(slip_scan *scan)
{
    slip_scan_line(scan);
    slip_scan_skip(scan);
    while (*scan->at == '%') {
        slip_scan_line(scan);
        slip_scan_skip(scan);
    }
}

static int read_size(slip_scan *scan, const char *what, int n)
{
    int64_t count;
    const int status = slip_scan_integer(scan, what, 0, INT32_MAX, &count);
    if (status >= 0 && count != n)
        return slip_scan_fail(scan, "found %lld %s, expected %d: one for each coordinate", (long long)count,
                              what, n);
    return status;
}

typedef struct full {
    int n;
    double *matrix;
} full;

/* Adds an entry, and the one that symmetry puts on the other side. */
static void add_full(void *user, const layout *of, int64_t row, int64_t column, double value)
{
    const full *to = user;
    to->matrix[row * to->n + column] += value;
    if (row != column && (of->symmetric || of->skew))
        to->matrix[column * to->n + row] += of->skew ? -value : value;
}

static void add_listed(void *user, const layout *of, int64_t row, int64_t column, double value)
{
    slip_matrix_entries *to = user;
    (void)of;
    to->row[to->count] = row;
    to->column[to->count] = column;
    to->value[to->count++] = value;
}

static int read_value(slip_scan *scan, double *value)
{
    const int status = slip_scan_number(scan, "entry", value);
    if (status >= 0 && !isfinite(*value))
        return slip_scan_fail(scan, "found the entry %g, expected a finite number", *value);
    return status;
}

static int read_sparse(slip_scan *scan, const layout *of, int64_t n, int64_t count, slip_take take,
                       void *user)
{
    int64_t row, column;
    double value;
    for (int64_t k = 0; k < count; k++) {
        SLIP_PASS(slip_scan_integer(scan, "row", 1, n, &row));
        SLIP_PASS(slip_scan_integer(scan, "column", 1, n, &column));
        SLIP_PASS(read_value(scan, &value));
        take(user, of, row - 1, column - 1, value);
    }
    return SLIP_OK;
}

/* Column by column; of a matrix with symmetry the lower half. */
static int read_dense(slip_scan *scan, const layout *of, int64_t n, slip_take take, void *user)
{
    double value;
    for (int64_t column = 0; column < n; column++)
        for (int64_t row = of->symmetric ? column : of->skew ? column + 1 : 0; row < n; row++) {
            SLIP_PASS(read_value(scan, &value));
            take(user, of, row, column, value);
        }
    return SLIP_OK;
}

static int check_end(slip_scan *scan)
{
    slip_scan_skip(scan);
    return *scan->at
               ? slip_scan_fail(scan, "found more than the entries that were announced, expected the end")
               : SLIP_OK;
}

int slip_matrix_market_read(slip_context *ctx, const char *path, int n, double *matrix)
{
    const size_t limit = (size_t)256 << 20;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_scan scan = {.ctx = ctx, .file = path, .line = 1};
    layout of = {0};
    full to = {n, matrix};
    int64_t count = 0;
    int status = SLIP_OK;
    memset(matrix, 0, (size_t)n * (size_t)n * sizeof *matrix);
    SLIP_PASS(slip_file_read(ctx, path, limit, &text));
    scan.at = text.data ? text.data : "";
    SLIP_PASS(read_header(&scan, &of));
    skip_comments(&scan);
    SLIP_PASS(read_size(&scan, "rows", n));
    SLIP_PASS(read_size(&scan, "columns", n));
    if (of.sparse)
        SLIP_PASS(slip_scan_integer(&scan, "number of entries", 0, (int64_t)n * n, &count));
    SLIP_PASS(of.sparse ? read_sparse(&scan, &of, n, count, add_full, &to)
                        : read_dense(&scan, &of, n, add_full, &to));
    for (int i = 0; i < n * n && status >= 0; i++)
        if (!isfinite(matrix[i]))
            status = slip_scan_fail(&scan,
                                    "the entries of row %d, column %d add up to %g, expected a finite number",
                                    i / n + 1, i % n + 1, matrix[i]);
    if (status >= 0)
        return check_end(&scan);
    return status;
}

void slip_matrix_entries_free(slip_matrix_entries *entries)
{
    free(entries->row);
    free(entries->column);
    free(entries->value);
    *entries = (slip_matrix_entries){0};
}

int slip_matrix_market_list(slip_context *ctx, const char *path, slip_matrix_entries *entries)
{
    const size_t limit = (size_t)4 << 30;
    SLIP_FREED_BY(slip_text_free) slip_text text = {0};
    slip_scan scan = {.ctx = ctx, .file = path, .line = 1};
    layout of = {0};
    int64_t columns, count;
    *entries = (slip_matrix_entries){0};
    SLIP_PASS(slip_file_read(ctx, path, limit, &text));
    scan.at = text.data ? text.data : "";
    SLIP_PASS(read_header(&scan, &of));
    skip_comments(&scan);
    SLIP_PASS(slip_scan_integer(&scan, "rows", 1, 100000000, &entries->size));
    SLIP_PASS(slip_scan_integer(&scan, "columns", 1, 100000000, &columns));
    const int64_t n = entries->size;
    if (columns != n || of.skew)
        SLIP_PASS(slip_scan_fail(&scan, "found %lld rows and %lld columns%s, expected a square matrix%s",
                                 (long long)n, (long long)columns, of.skew ? " (skew-symmetric)" : "",
                                 of.skew ? " that is general or symmetric" : ""));
    count = of.symmetric ? n * (n + 1) / 2 : n * n;
    if (of.sparse)
        SLIP_PASS(slip_scan_integer(&scan, "number of entries", 0, count, &count));
    /* an entry takes two bytes at least: a number of entries that the file cannot have asks for no memory */
    if (count > (int64_t)text.length / 2 + 1)
        SLIP_PASS(slip_scan_fail(&scan, "found fewer entries than %lld", (long long)count));
    entries->symmetric = of.symmetric;
    entries->row = slip_alloc(count, sizeof *entries->row);
    entries->column = slip_alloc(count, sizeof *entries->column);
    entries->value = slip_alloc(count, sizeof *entries->value);
    if (!entries->row || !entries->column || !entries->value)
        SLIP_PASS(slip_fail_memory(ctx));
    SLIP_PASS(of.sparse ? read_sparse(&scan, &of, n, count, add_listed, entries)
                        : read_dense(&scan, &of, n, add_listed, entries));
    return check_end(&scan);
}
