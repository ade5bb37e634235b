/* Surfaces that slide far on each other: in motion every contact point looks for the nearest point of the
 * other side where both sides are now.
 *
 * The gap is the distance from that point, with its sign: so it goes on without a jump from segment to
 * segment. Along a segment or a face its normal is that of the undeformed one's place now; where a segment
 * or face ends inside the surface, at a convex corner, it turns with the direction from the corner. A point
 * beyond the rim of the surface meets nothing, nor does one that looks the same way as the surface, or that
 * is deeper in it than its longest segment. */
#ifndef SLIP_FEM_PLANE_SLIDE_H
#define SLIP_FEM_PLANE_SLIDE_H

#include "fem/plane/plane.h"
#include "fem/skin.h"

/* A point of one side and what it meets of the other one. */
typedef struct slip_pair {
    bool near;                          /* there is something in front of it */
    double gap;                         /* distance along n, without what the model adds */
    int node_count;                     /* of both bodies, in the numbering of all, */
    int nodes[2 * slip_face_nodes_max]; /* with weights, which are negative on the second side */
    double weights[2 * slip_face_nodes_max];
    double directions[3][3]; /* n, t, in space the second one: displacements along them are w */
} slip_pair;

/* The pair of a point that is at `place`; nodes of its body and of the other one begin at these numbers. */
void slip_pair_make(int dimension, const slip_surface_point *point, const double *place, int first_node,
                    const slip_nearest *to, int second_node, slip_pair *pair);

/* True where the outward normals of both sides say that they face each other. */
bool slip_pair_faces(const double normal[3], const double other[3]);

typedef struct slip_slide slip_slide;
struct slip_side;

/* Of a surface with such passes. Takes over both sides, also when it fails. */
int slip_slide_create(slip_context *ctx, int passes, struct slip_side *sides, slip_slide **slide);
void slip_slide_destroy(slip_slide *slide);
SLIP_OWNED(slip_slide, slip_slide_destroy)

/* One of those of a plane; NULL where there are fewer. */
const slip_slide *slip_plane_slide(const slip_plane *plane, int k);

/* Its points are contacts of the plane, from this number on: */
int slip_slide_first(const slip_slide *slide);
void slip_slide_set_first(slip_slide *slide, int contact);
int slip_slide_count(const slip_slide *slide);
/* point number i and the side that it is of. */
const slip_surface_point *slip_slide_point(const slip_slide *slide, int i, int *side);
/* The nodes that rows can have, in the numbering of all bodies; each once for each side. Returns how many. */
int slip_slide_nodes(const slip_slide *slide, const int **nodes);

/* What a search writes: one for each thread. */
typedef struct slip_slide_search slip_slide_search;
slip_slide_search *slip_slide_open(const slip_slide *slide); /* NULL: out of memory */
void slip_slide_close(slip_slide_search *search);
SLIP_OWNED(slip_slide_search, slip_slide_close)

/* All pairs, where `moved` has the displacement of each listed node, `dimension` numbers one after the other.
 */
void slip_slide_find(const slip_slide *slide, slip_slide_search *search, const double *moved,
                     slip_pair *pairs);

#endif
