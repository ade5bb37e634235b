/* Slipstick: devices that can move many motions at once. */
#ifndef SLIPSTICK_DEVICE_H
#define SLIPSTICK_DEVICE_H

#include "slipstick/base.h"

SLIP_BEGIN_C

typedef struct slip_device {
    size_t size;           /* of this struct; the caller sets it in each */
    char name[16];         /* as in options: "cpu", "cuda" */
    char description[240]; /* the device, or the reason why it cannot be used */
    int usable;            /* not zero: it is there and works */
    int side_by_side;      /* motions that one core or one launch moves at a time */
} slip_device;

/* Fills in at most `capacity` devices and returns how many there are, "cpu" first; negative: a
 * status. The array is the caller's. */
SLIP_API int slip_device_list(slip_context *ctx, slip_device *devices, int capacity);

SLIP_END_C

#endif
