/* A tree of bounding boxes around the parts (segments or faces) of a surface, to search the part nearest to a
 * point. The tree is built once for the undeformed parts; its boxes are updated as the parts move. The cost
 * of a search grows with the logarithm of the number of parts; its result does not depend on the tree. */
#ifndef SLIP_FEM_BOXES_H
#define SLIP_FEM_BOXES_H

#include "base/context.h"

typedef struct slip_boxes {
    int count;  /* parts */
    int *order; /* parts in the order of the leaves, from left to right */
} slip_boxes;

/* Builds the tree. centres: three numbers for each part. */
int slip_boxes_create(slip_context *ctx, int count, const double *centres, slip_boxes *boxes);
void slip_boxes_free(slip_boxes *boxes);

/* The length of the array `bounds` for all boxes of a tree: low and high x, y, z of each. */
static inline int64_t slip_boxes_size(const slip_boxes *boxes)
{
    return boxes->count > 0 ? 6 * (2 * (int64_t)boxes->count - 1) : 0;
}
/* Computes the bounds of all boxes from the boxes of the parts, which the callback returns. */
void slip_boxes_fit(const slip_boxes *boxes, const void *user,
                    void (*part)(const void *user, int part, double box[6]), double *bounds);

/* Calls `look` for each part that may be nearer to the place than the best distance so far, at first `best`.
 * The callback returns the new best distance. */
void slip_boxes_search(const slip_boxes *boxes, const double *bounds, const double place[3], double best,
                       void *user, double (*look)(void *user, int part));

#endif
