/* Long arrays of numbers in an unnamed file mapped to memory: the operating system moves them between memory
 * and disk, so that they may be larger than the free memory. */
#ifndef SLIP_IO_SPILL_H
#define SLIP_IO_SPILL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct slip_spill {
    bool opened;
    int file; /* negative: no file can be created, arrays are in memory */
    int64_t end;
} slip_spill;

/* An array of zeros, in the file or, if the disk is full, in memory; NULL: out of memory. */
double *slip_spill_alloc(slip_spill *spill, int64_t count);
void slip_spill_free(double *values, int64_t count);
/* After the last array. Harmless on {0}. */
void slip_spill_close(slip_spill *spill);

#endif
