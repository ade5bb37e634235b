/* Saving and restoring the state of an object as a list of blocks. The object has one function that passes
 * all blocks to a keeper; the keeper copies them to memory or to a checkpoint file, or back into the object.
 */
#ifndef SLIP_IO_KEEP_H
#define SLIP_IO_KEEP_H

#include "io/hdf5.h"

#include <stdbool.h>

typedef struct slip_keeper {
    slip_context *ctx;
    slip_h5 *file;        /* of a checkpoint; NULL: memory */
    bool back;            /* true: restore the object; false: save it */
    int status;           /* of the first block that failed; those after it do nothing */
    unsigned char *bytes; /* the copy in memory; freed by the creator of the keeper */
    int64_t size, capacity, at;
} slip_keeper;

/* Saves or restores numbers, as dataset `name` of a checkpoint. A file must have as many; values are not
 * checked. */
void slip_keep(slip_keeper *keeper, const char *name, double *values, int64_t count);
/* The same; numbers read from a file must be finite. */
void slip_keep_finite(slip_keeper *keeper, const char *name, double *values, int64_t count);

/* Saves or restores bytes; for keepers in memory only. */
void slip_keep_bytes(slip_keeper *keeper, void *data, size_t size);
#define SLIP_KEEP(keeper, variable) slip_keep_bytes(keeper, &(variable), sizeof(variable))

/* A list of them: SLIP_KEEP_ALL(keeper, SLIP_BLOCK(a), SLIP_BLOCK(b)). */
typedef struct slip_keep_block {
    void *data;
    size_t size;
} slip_keep_block;
#define SLIP_BLOCK(variable)                                                                                 \
    {                                                                                                        \
        &(variable), sizeof(variable)                                                                        \
    }
#define SLIP_KEEP_ALL(keeper, ...) slip_keep_blocks(keeper, (const slip_keep_block[]){__VA_ARGS__, {NULL, 0}})
void slip_keep_blocks(slip_keeper *keeper, const slip_keep_block *blocks); /* NULL ends them */

/* Whether the object has just been restored; whether from a file, so that its values have to be checked. */
static inline bool slip_kept_back(const slip_keeper *keeper)
{
    return keeper->back && keeper->status >= 0;
}
static inline bool slip_kept_read(const slip_keeper *keeper)
{
    return keeper->file && slip_kept_back(keeper);
}

#endif
