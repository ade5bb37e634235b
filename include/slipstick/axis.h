/* Slipstick: values that a parameter or an initial value takes in a study. */
#ifndef SLIPSTICK_AXIS_H
#define SLIPSTICK_AXIS_H

#include "slipstick/base.h"

SLIP_BEGIN_C

/* `count` values from `from` to `to`, both included; or those of a list. The name is that of a parameter of
 * the model or, where the study takes it, of an initial value: "x", "x'", a state. */
typedef struct slip_axis {
    const char *name;
    double from, to;
    int64_t count;      /* 0: as many as the study takes by default */
    int logarithmic;    /* not zero: equal ratios instead of equal differences */
    const double *list; /* NULL, or `count` numbers: `from` and `to` are its ends */
} slip_axis;

/* Reads "NAME=FROM:TO", "NAME=FROM:TO:COUNT", "NAME=FROM:TO:COUNT:log" or "NAME=A,B,C". Name and list are
 * allocated for *axis, which is the caller's struct: slip_axis_free frees them. */
SLIP_API int slip_axis_parse(slip_context *ctx, const char *text, slip_axis *axis);
/* Frees name and list of an axis that slip_axis_parse filled, not the struct, which is zero then; NULL is
 * fine. Not for axes whose name the caller has set. */
SLIP_API void slip_axis_free(slip_axis *axis);

/* Value number `index`, from 0 to count - 1: others are not checked. */
SLIP_API double slip_axis_value(const slip_axis *axis, int64_t index);

SLIP_END_C

#endif
