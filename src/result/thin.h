/* Which points of a long curve a picture needs. */
#ifndef SLIP_RESULT_THIN_H
#define SLIP_RESULT_THIN_H

#include <stdint.h>

/* Curves of up to this many points are drawn as they are. */
enum { slip_thin_limit = 10000 };

/* Sets keep[i] for the points that must be drawn, and leaves the other entries alone. A curve over a rising x
 * keeps the smallest and the largest y of each of some thousand pieces, which no eye can tell from all of
 * them; any other curve keeps what it needs to stay within a fraction of a pixel, and its outermost points.
 */
void slip_thin_mark(const double *x, const double *y, int64_t count, unsigned char *keep);

#endif
