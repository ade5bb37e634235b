/* Series of numbers as short text, for HTML pages that contain their data: integer multiples of a step above
 * the lowest value, predicted from previous ones, deflated, in base64. */
#ifndef SLIP_IO_PACK_H
#define SLIP_IO_PACK_H

#include "base/context.h"
#include "base/text.h"

#include <stdint.h>

/* What a reader needs beside the text. */
typedef struct slip_packing {
    int64_t count;
    int order;   /* differences of this order are stored, 0 to 3; -1: the numbers bit for bit */
    double low;  /* of order 0 and above: value = low + step k */
    double step; /* 0 where all are the same */
} slip_packing;

/* Appends the packed numbers to `text`. step: the resolution of the values; 0: all bits. With step > 0
 * numbers that are not finite are read back as NAN. */
int slip_pack(slip_context *ctx, const double *values, int64_t count, double step, slip_packing *packing,
              slip_text *text);

#endif
