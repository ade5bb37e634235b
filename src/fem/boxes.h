/* A tree of boxes around the parts of a surface, for the search of the part that is nearest to a place: its
 * form is found once, where the parts are undeformed, and its boxes follow the parts as they move. The cost
 * of a search grows with the logarithm of their number, and the answer is the same whatever the boxes are. */
#ifndef SLIP_FEM_BOXES_H
#define SLIP_FEM_BOXES_H

#include "base/context.h"

typedef struct slip_boxes {
    int count;  /* parts */
    int *order; /* of the leaves from left to right */
} slip_boxes;

/* `centres` has three numbers for each part. */
int slip_boxes_create(slip_context *ctx, int count, const double *centres, slip_boxes *boxes);
void slip_boxes_free(slip_boxes *boxes);

/* Low and high x, y, z of all boxes of a tree: so many numbers, */
static inline int64_t slip_boxes_size(const slip_boxes *boxes)
{
    return boxes->count > 0 ? 6 * (2 * (int64_t)boxes->count - 1) : 0;
}
/* from those of the parts. */
void slip_boxes_fit(const slip_boxes *boxes, const void *user,
                    void (*part)(const void *user, int part, double box[6]), double *bounds);

/* Calls `look` for all parts that may be nearer than `best` to the place; it returns the least distance found
 * so far. */
void slip_boxes_look(const slip_boxes *boxes, const double *bounds, const double place[3], double best,
                     void *user, double (*look)(void *user, int part));

#endif
