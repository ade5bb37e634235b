/* Any bytes as a matrix of the Matrix Market format, for one to four coordinates: what is read has finite
 * numbers and the symmetry that the file promises, what is refused says why. */
#include "support.h"

#include "io/matrix_market.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int n = size > 0 ? 1 + data[size - 1] % 4 : 1;
    const char *path = fuzz_path("matrix.mtx");
    char *text = fuzz_text(data, size);
    double matrix[16];
    slip_context *ctx = slip_context_create();
    fuzz_require(ctx != NULL, "memory");
    fuzz_write(path, data, size);
    if (slip_matrix_market_read(ctx, path, n, matrix) < 0) {
        fuzz_require(slip_context_message(ctx)[0], "an error says something");
    } else {
        const bool symmetric = strstr(text, " symmetric") != NULL && !strstr(text, "general");
        for (int i = 0; i < n * n; i++)
            fuzz_require(isfinite(matrix[i]), "numbers are finite");
        for (int i = 0; i < n && symmetric; i++)
            for (int j = 0; j < i; j++)
                fuzz_require(matrix[i * n + j] == matrix[j * n + i], "a symmetric matrix is symmetric");
    }
    slip_matrix_entries entries;
    if (slip_matrix_market_list(ctx, path, &entries) < 0)
        fuzz_require(slip_context_message(ctx)[0], "an error says something");
    for (int64_t i = 0; i < entries.count; i++)
        fuzz_require(entries.row[i] >= 0 && entries.row[i] < entries.size && entries.column[i] >= 0 &&
                         entries.column[i] < entries.size && isfinite(entries.value[i]),
                     "entries are inside of the matrix, and finite");
    slip_matrix_entries_free(&entries);
    slip_context_destroy(ctx);
    free(text);
    return 0;
}
