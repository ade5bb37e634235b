/* Strings, numbers and axes of gnuplot scripts, for the files that write them. */
#ifndef SLIP_FIGURE_AXIS_H
#define SLIP_FIGURE_AXIS_H

#include "base/text.h"

#include <stdint.h>

/* Appends a name or label in its printed form: Greek letters for their names, primes, powers (also of ten),
 * minus signs, products of units. */
void slip_script_print(slip_text *text, const char *string);
/* How many characters are printed. */
int slip_script_length(const char *string);
/* Lines of a script by a format, in which stand for
 *     %s %d %l   text as it is, an int, an int64_t;
 *     %n %p      numbers: with the digits that it takes; a place in parts of the whole picture, rounded;
 *     %q %f      strings of gnuplot: printed as above, or letter by letter, as the name of a file is. */
void slip_script_write(slip_text *text, const char *format, ...);
/* `set WHAT "string"`; unsets it where there is no string. */
void slip_script_text(slip_text *text, const char *what, const char *string);

/* Where a panel stands, in parts of the whole picture. */
void slip_script_margins(slip_text *text, double left, double right, double bottom, double top);

typedef struct slip_axis_range {
    double low, high;
    bool rising; /* every curve's x only grows: the axis ends where the curves end */
    bool log;    /* a logarithmic axis: what is not positive does not count */
} slip_axis_range;

/* Widens a range by the points of a curve. values: one coordinate of each point; beside: the other one.
 * Points that are not drawn (not finite) do not count. */
void slip_range_widen(slip_axis_range *r, const double *values, const double *beside, int64_t count);
/* That of numbers alone: from INFINITY to -INFINITY where there is none. */
slip_axis_range slip_range_of(const double *values, int64_t count);
/* Adds a margin around the curves. A constant (within the resolution of tics) gets a range of its own size;
 * an empty range becomes -1 to 1. */
slip_axis_range slip_range_finish(slip_axis_range r, bool tight);
/* The step of tics: 1, 2 or 5 times a power of ten, for at most `parts` intervals (3 to 10). */
double slip_range_step(slip_axis_range r, double parts);
/* The common power of ten of the numbers at an axis; 0: not needed. */
int slip_range_power(slip_axis_range r, double step);
/* Range and tics of an axis "x", "y" or "z", with or without numbers. */
void slip_script_axis(slip_text *text, const char *axis, slip_axis_range r, double step, bool numbered);

/* The colour of a value from 0 to 1 on the scale of images. */
void slip_scale_colour(double value, double rgb[3]);

#endif
