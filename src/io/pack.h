/* Series of numbers as short text, for pages that carry their data with them: whole numbers of steps from the
 * lowest value, predicted from those before them, deflated, in base64. */
#ifndef SLIP_IO_PACK_H
#define SLIP_IO_PACK_H

#include "base/context.h"
#include "base/text.h"

#include <stdint.h>

/* What a reader needs beside the text. */
typedef struct slip_packing {
    int64_t count;
    int order;   /* differences of this order are kept, 0 to 3; -1: the numbers as they are, bit for bit */
    double low;  /* of order 0 and above: value = low + step k */
    double step; /* 0 where all are the same */
} slip_packing;

/* Appends the packed numbers to `text`. `step` > 0 is the distance of the values that can be told apart, 0
 * asks for all bits. Numbers that are not finite come back as NAN where there is a step. */
int slip_pack(slip_context *ctx, const double *values, int64_t count, double step, slip_packing *packing,
              slip_text *text);

#endif
