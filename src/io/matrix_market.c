#include "io/matrix_market.h"

#include "io/file.h"
#include "io/scan.h"

#include <math.h>
#include <string.h>

typedef struct layout {
    bool sparse, symmetric, skew;
} layout;

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

/* Adds an entry, and the one that symmetry puts on the other side. */
static void add(const layout *of, int n, int64_t row, int64_t column, double value, double *matrix)
{
    matrix[row * n + column] += value;
    if (row != column && (of->symmetric || of->skew))
        matrix[column * n + row] += of->skew ? -value : value;
}

static int read_value(slip_scan *scan, double *value)
{
    const int status = slip_scan_number(scan, "entry", value);
    if (status >= 0 && !isfinite(*value))
        return slip_scan_fail(scan, "found the entry %g, expected a finite number", *value);
    return status;
}

static int read_sparse(slip_scan *scan, const layout *of, int n, double *matrix)
{
    int64_t count, row, column;
    double value;
    int status;
    SLIP_TRY(slip_scan_integer(scan, "number of entries", 0, (int64_t)n * n, &count));
    for (int64_t k = 0; k < count; k++) {
        SLIP_TRY(slip_scan_integer(scan, "row", 1, n, &row));
        SLIP_TRY(slip_scan_integer(scan, "column", 1, n, &column));
        SLIP_TRY(read_value(scan, &value));
        add(of, n, row - 1, column - 1, value, matrix);
    }
done:
    return status;
}

/* Column by column; of a matrix with symmetry the lower half. */
static int read_dense(slip_scan *scan, const layout *of, int n, double *matrix)
{
    int status = SLIP_OK;
    double value;
    for (int column = 0; column < n; column++)
        for (int row = of->symmetric ? column : of->skew ? column + 1 : 0; row < n; row++) {
            SLIP_TRY(read_value(scan, &value));
            add(of, n, row, column, value, matrix);
        }
done:
    return status;
}

int slip_matrix_market_read(slip_context *ctx, const char *path, int n, double *matrix)
{
    const size_t limit = (size_t)256 << 20;
    slip_text text = {0};
    slip_scan scan = {.ctx = ctx, .file = path, .line = 1};
    layout of = {0};
    int status;
    memset(matrix, 0, (size_t)n * (size_t)n * sizeof *matrix);
    SLIP_TRY(slip_file_read(ctx, path, limit, &text));
    scan.at = text.data ? text.data : "";
    SLIP_TRY(read_header(&scan, &of));
    skip_comments(&scan);
    SLIP_TRY(read_size(&scan, "rows", n));
    SLIP_TRY(read_size(&scan, "columns", n));
    status = of.sparse ? read_sparse(&scan, &of, n, matrix) : read_dense(&scan, &of, n, matrix);
    if (status < 0)
        goto done;
    for (int i = 0; i < n * n && status >= 0; i++)
        if (!isfinite(matrix[i]))
            status = slip_scan_fail(&scan,
                                    "the entries of row %d, column %d add up to %g, expected a finite number",
                                    i / n + 1, i % n + 1, matrix[i]);
    slip_scan_skip(&scan);
    if (status >= 0 && *scan.at)
        status = slip_scan_fail(&scan, "found more than the entries that were announced, expected the end");
done:
    slip_text_free(&text);
    return status;
}
