#include "io/mat.h"

#include "io/file.h"

#include <matio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Level 5 counts bytes of a variable in 32 bits. */
static const int64_t most_rows = (INT32_MAX - 1024) / (int64_t)sizeof(double);

static bool write_column(mat_t *mat, const char *name, const double *values, int64_t count)
{
    size_t dimensions[2] = {(size_t)count, 1};
    static const double nothing = 0;
    const double *source = values ? values : &nothing;
    /* matio takes a plain pointer, but with MAT_F_DONT_COPY_DATA it only reads. */
    union {
        const double *from;
        void *to;
    } data = {source};
    matvar_t *variable =
        Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dimensions, data.to, MAT_F_DONT_COPY_DATA);
    bool good = variable && Mat_VarWrite(mat, variable, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(variable);
    return good;
}

/* libmatio does not look whether its writes succeed; a full disk shows in the size only. */
static bool size_is_right(const char *path, int column_count, int64_t row_count)
{
    enum { header = 128 };
    struct stat about;
    return stat(path, &about) == 0 &&
           about.st_size >= header + (int64_t)column_count * row_count * (int64_t)sizeof(double);
}

int slip_mat_write(slip_context *ctx, const char *path, int column_count, const char *const *names,
                   const double *const *columns, int64_t row_count)
{
    char *temporary = NULL;
    bool good, interrupted = false;
    if (row_count > most_rows)
        return slip_fail(ctx, SLIP_ERROR_USAGE,
                         "%s: %lld records are too many for a MATLAB level 5 file (at most %lld): read "
                         "result.h5 with h5read, or record less",
                         path, (long long)row_count, (long long)most_rows);
    int status = slip_file_reserve(ctx, path, &temporary);
    if (status < 0)
        return status;
    mat_t *mat = Mat_CreateVer(temporary, NULL, MAT_FT_MAT5);
    good = mat != NULL;
    for (int j = 0; good && j < column_count; j++) {
        interrupted = slip_interrupted(ctx);
        good = !interrupted && write_column(mat, names[j], columns[j], row_count);
    }
    if (mat && Mat_Close(mat) != 0)
        good = false;
    if (good && size_is_right(temporary, column_count, row_count)) {
        status = slip_file_publish(ctx, temporary, path);
    } else {
        unlink(temporary);
        status = interrupted ? slip_interrupt_check(ctx)
                             : slip_fail(ctx, SLIP_ERROR_IO,
                                         "cannot write %s: libmatio could not write all of it", path);
    }
    free(temporary);
    return status;
}
