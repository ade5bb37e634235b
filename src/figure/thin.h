/* Selects the points of a long curve that a picture needs. */
#ifndef SLIP_FIGURE_THIN_H
#define SLIP_FIGURE_THIN_H

#include <stdbool.h>
#include <stdint.h>

/* Curves of up to this many points are drawn as they are. */
enum { slip_thin_limit = 10000 };

enum { slip_thin_drop, slip_thin_keep, slip_thin_keep_and_lift };

/* Fills keep[count]: which points must be drawn, and after which of them the line is interrupted. For
 * ascending x the smallest and the largest y of each of some thousand intervals are kept, which looks the
 * same as all points. Any other curve keeps the points that hold it within a fraction of a pixel and its
 * outermost points, and drops parts drawn over itself. False: out of memory. */
bool slip_thin_mark(const double *x, const double *y, int64_t count, unsigned char *keep);

#endif
