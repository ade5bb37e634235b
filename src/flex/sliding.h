/* Elastic bodies that slide far on each other, as a detector (system/detector.h): the pairs are those of
 * fem/plane/slide.h at the displacements of reduced and of whole bodies. */
#ifndef SLIP_FLEX_SLIDING_H
#define SLIP_FLEX_SLIDING_H

#include "fem/plane/slide.h"
#include "flex/plane_motion.h"
#include "system/detector.h"

/* Makes the detector for a system of n coordinates, in which those of the bodies begin at index `first`.
 * added: a constant that the model adds to the gap of each point, m. Plane and motion must outlive it. */
int slip_sliding_create(slip_context *ctx, const slip_plane *plane, const slip_plane_motion *motion,
                        const slip_slide *slide, int n, int first, const double *added,
                        slip_detector *detector);

#endif
