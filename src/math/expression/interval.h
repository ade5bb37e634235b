/* Bounds of expressions over an interval of time. */
#ifndef SLIP_MATH_EXPRESSION_INTERVAL_H
#define SLIP_MATH_EXPRESSION_INTERVAL_H

#include "math/expression/expression.h"

typedef struct slip_interval {
    double low, high;
} slip_interval;

static inline double slip_interval_width(slip_interval a)
{
    return a.high - a.low;
}

/* How many intervals of scratch memory the bounds of an expression need. */
int slip_expression_bounds_scratch(const slip_expression *expression);

/* Encloses the values of the expression, and of its derivative with respect to slot `time`, while that slot
 * runs through the interval `during` and the others have the given values. Interval arithmetic, rounded
 * outward: the true range is inside, and the bounds tighten with the interval. Infinite where nothing is
 * known: division by an interval with zero in it, the derivative at a jump. */
void slip_expression_bounds(const slip_expression *expression, const double *slots, int time,
                            slip_interval during, slip_interval *scratch, slip_interval *value,
                            slip_interval *rate);

#endif
