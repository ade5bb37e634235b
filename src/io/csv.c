#include "io/csv.h"

#include "io/file.h"
#include "io/number.h"

#include <string.h>

void slip_csv_text(FILE *stream, const char *field)
{
    if (!strpbrk(field, ",\"\r\n")) {
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

enum { rows_between = 1 << 14 };

static int write_table(slip_context *ctx, const char *path, int column_count, const char *const *names,
                       const double *const *columns, int64_t row_count, bool interruptible)
{
    char buffer[slip_number_size];
    slip_file file;
    int status = slip_file_create(ctx, path, &file);
    if (status < 0)
        return status;
    for (int j = 0; j < column_count; j++) {
        if (j > 0)
            putc(',', file.stream);
        slip_csv_text(file.stream, names[j]);
    }
    putc('\n', file.stream);
    for (int64_t i = 0; i < row_count; i++) {
        for (int j = 0; j < column_count; j++) {
            if (j > 0)
                putc(',', file.stream);
            fputs(slip_number_write(buffer, columns[j][i]), file.stream);
        }
        putc('\n', file.stream);
        if (interruptible && i % rows_between == 0 && slip_interrupted(ctx)) {
            slip_file_discard(&file);
            return slip_interrupt_check(ctx);
        }
    }
    return slip_file_commit(ctx, &file);
}

int slip_csv_write(slip_context *ctx, const char *path, int column_count, const char *const *names,
                   const double *const *columns, int64_t row_count)
{
    return write_table(ctx, path, column_count, names, columns, row_count, false);
}

int slip_csv_export(slip_context *ctx, const char *path, int column_count, const char *const *names,
                    const double *const *columns, int64_t row_count)
{
    return write_table(ctx, path, column_count, names, columns, row_count, true);
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

int slip_csv_row(char **text, char **fields, int limit)
{
    char *at = *text;
    int count = 0;
    if (!*at)
        return 0;
    for (;;) {
        char *field = at, end;
        if (*at == '"') {
            at = unquote(at, &field);
            if (!at)
                return -1;
        }
        at += strcspn(at, ",\r\n");
        end = *at;
        *at = 0;
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
