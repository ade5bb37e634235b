/* States in memory and in checkpoints. */
#include "io/keep.h"

#include <string.h>

void slip_keep_bytes(slip_keeper *k, void *data, size_t size)
{
    if (k->status < 0 || size == 0)
        return;
    if (k->back && k->at + (int64_t)size > k->size)
        k->status = slip_fail(k->ctx, SLIP_ERROR_USAGE, "found the state of another model or method");
    else if (k->back)
        memcpy(data, k->bytes + k->at, size);
    else if (!SLIP_ROOM(k->bytes, k->capacity, k->at + (int64_t)size))
        k->status = slip_fail_memory(k->ctx);
    else
        memcpy(k->bytes + k->at, data, size);
    k->at += (int64_t)size;
    k->size = k->back ? k->size : k->at;
}

void slip_keep_blocks(slip_keeper *k, const slip_keep_block *blocks)
{
    for (; blocks->data; blocks++)
        slip_keep_bytes(k, blocks->data, blocks->size);
}

void slip_keep(slip_keeper *k, const char *name, double *values, int64_t count)
{
    SLIP_FREED double *found = NULL;
    if (!k->file) {
        slip_keep_bytes(k, values, sizeof(double) * (size_t)count);
        return;
    }
    if (k->status < 0)
        return;
    k->status = k->back ? slip_h5_read_exactly(k->file, name, count, &found)
                        : slip_h5_write(k->file, name, values, count);
    if (found)
        memcpy(values, found, sizeof(double) * (size_t)count);
}

void slip_keep_finite(slip_keeper *k, const char *name, double *values, int64_t count)
{
    slip_keep(k, name, values, count);
    if (slip_kept_read(k))
        k->status = slip_h5_check_finite(k->file, name, values, count);
}
