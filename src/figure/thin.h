/* Which points of a long curve a picture needs. */
#ifndef SLIP_FIGURE_THIN_H
#define SLIP_FIGURE_THIN_H

#include <stdbool.h>
#include <stdint.h>

/* Curves of up to this many points are drawn as they are. */
enum { slip_thin_limit = 10000 };

enum { slip_thin_drop, slip_thin_keep, slip_thin_keep_and_lift };

/* Fills keep[count] for a curve: which points must be drawn, and after which of them the pen is lifted. A
 * curve over a rising x keeps the smallest and the largest y of each of some thousand pieces, which no eye
 * can tell from all of them. Any other curve keeps what it needs to stay within a fraction of a pixel, leaves
 * out what would be drawn over itself, and keeps its outermost points. False when out of memory. */
bool slip_thin_mark(const double *x, const double *y, int64_t count, unsigned char *keep);

#endif
