/* Long arrays of numbers in a file without a name: the system writes them to the disk while they grow and
 * reads them back as they are needed, so that they take no more memory than there is to spare. */
#ifndef SLIP_IO_SPILL_H
#define SLIP_IO_SPILL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct slip_spill {
    bool opened;
    int file; /* negative: there can be none, and the arrays are in memory */
    int64_t end;
} slip_spill;

/* An array of zeros, in the file or, where the disk is full, in memory; NULL where there is none either. */
double *slip_spill_alloc(slip_spill *spill, int64_t count);
void slip_spill_free(double *values, int64_t count);
/* After the last array. Harmless on {0}. */
void slip_spill_close(slip_spill *spill);

#endif
