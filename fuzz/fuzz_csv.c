/* Any bytes as comma-separated values: rows end, fields lie in the text, and what is written from them is
 * read again as the same fields. As a file of two columns: what is read are finite numbers, what is refused
 * says why. */
#include "support.h"

#include "io/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { fields_max = 7 };

/* The fields of a row, written as csv.c writes them. */
static void write_row(FILE *stream, char *const *fields, int count)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            putc(',', stream);
        slip_csv_text(stream, fields[i]);
    }
    putc('\n', stream);
}

static void check_row(char *const *fields, int count)
{
    char *again[fields_max], *text = NULL, *at;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fuzz_require(stream != NULL, "memory");
    write_row(stream, fields, count);
    fclose(stream);
    at = text;
    fuzz_require(slip_csv_row(&at, again, fields_max) == count, "a written row has as many fields");
    for (int i = 0; i < count; i++)
        fuzz_require(strcmp(fields[i], again[i]) == 0, "a written field is read as it was");
    fuzz_require(*at == 0, "a written row is one row");
    free(text);
}

static void check_pairs(const uint8_t *data, size_t size)
{
    static const char *const wanted[][2] = {{NULL, NULL}, {"t", "z"}, {NULL, "z"}};
    const char *path = fuzz_path("pairs.csv");
    fuzz_write(path, data, size);
    for (int k = 0; k < 3; k++) {
        slip_context *ctx = slip_context_create();
        double *pairs = NULL;
        int count = 0;
        fuzz_require(ctx != NULL, "memory");
        if (slip_csv_pairs(ctx, path, wanted[k], &pairs, &count) < 0)
            fuzz_require(slip_context_message(ctx)[0] && !pairs,
                         "an error says something and leaves nothing");
        else
            for (int i = 0; i < 2 * count; i++)
                fuzz_require(isfinite(pairs[i]), "numbers are finite");
        free(pairs);
        slip_context_destroy(ctx);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *at = text, *fields[fields_max];
    const size_t length = strlen(text);
    for (;;) {
        const char *before = at;
        const int count = slip_csv_row(&at, fields, fields_max);
        if (count <= 0) {
            fuzz_require(at == before, "the end of the text and a quote that is not closed move nothing");
            break;
        }
        fuzz_require(at > before && at <= text + length, "a row ends behind its start and in the text");
        for (int i = 0; i < count && i < fields_max; i++)
            fuzz_require(fields[i] >= before && fields[i] + strlen(fields[i]) <= at,
                         "fields lie in their row");
        if (count <= fields_max)
            check_row(fields, count);
    }
    check_pairs(data, size);
    free(text);
    return 0;
}
