/* Elastic bodies that slide far on each other, as a detector (system/detector.h): the pairs are those of
 * fem/plane/slide.h at the displacements of reduced and of whole bodies. */
#ifndef SLIP_FLEX_SLIDING_H
#define SLIP_FLEX_SLIDING_H

#include "fem/plane/slide.h"
#include "flex/plane_motion.h"
#include "system/detector.h"

/* The detector of surfaces that slide far, for a system of n in which the coordinates of bodies begin at
 * number `first`; `added` is what the model adds to the gap of each point. Plane and motion outlive it. */
int slip_sliding_create(slip_context *ctx, const slip_plane *plane, const slip_plane_motion *motion,
                        const slip_slide *slide, int n, int first, const double *added,
                        slip_detector *detector);

#endif
