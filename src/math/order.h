/* Numbers in ascending order, for qsort. */
#ifndef SLIP_MATH_ORDER_H
#define SLIP_MATH_ORDER_H

#include <stdint.h>

static inline int slip_order_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int slip_order_integers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

#endif
