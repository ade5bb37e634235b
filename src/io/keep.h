/* The state of an object as a list of blocks. One function of the object walks the list, whichever way it
 * goes: into a copy in memory and back, or into a checkpoint file and back. */
#ifndef SLIP_IO_KEEP_H
#define SLIP_IO_KEEP_H

#include "io/hdf5.h"

#include <stdbool.h>

typedef struct slip_keeper {
    slip_context *ctx;
    slip_h5 *file;        /* of a checkpoint; NULL: memory */
    bool back;            /* from there into the object */
    int status;           /* of the first block that failed; those after it do nothing */
    unsigned char *bytes; /* of the copy in memory: whoever made the keeper frees it */
    int64_t size, capacity, at;
} slip_keeper;

/* Numbers that have a place in checkpoints. A file has to have as many; it can have any that are not checked.
 */
void slip_keep(slip_keeper *keeper, const char *name, double *values, int64_t count);
/* The same; numbers of a file have to be finite. */
void slip_keep_finite(slip_keeper *keeper, const char *name, double *values, int64_t count);

/* Of states that are kept in memory only. */
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

/* Whether the object has just got what was kept; from a file, where it is to be checked. */
static inline bool slip_kept_back(const slip_keeper *keeper)
{
    return keeper->back && keeper->status >= 0;
}
static inline bool slip_kept_read(const slip_keeper *keeper)
{
    return keeper->file && slip_kept_back(keeper);
}

#endif
