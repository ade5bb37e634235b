/* Large sliding: during a motion each contact point is paired with the nearest point of the other side at the
 * present positions of both sides.
 *
 * The gap is the signed distance to that point, which is continuous from segment to segment. The normal is
 * that of the present segment or face; at a convex corner inside the surface it is the direction from the
 * corner to the point. A point has no partner if it is beyond the rim of the surface, if its own normal does
 * not oppose that of the surface, or if it is deeper than the longest segment. */
#ifndef SLIP_FEM_PLANE_SLIDE_H
#define SLIP_FEM_PLANE_SLIDE_H

#include "fem/plane/plane.h"
#include "fem/skin.h"

/* A contact point of one side with its partner on the other side. */
typedef struct slip_pair {
    bool near;                          /* it has a partner */
    double gap;                         /* distance along n, without the model's `gap` */
    int node_count;                     /* nodes of both bodies, in the numbering of all bodies, */
    int nodes[2 * slip_face_nodes_max]; /* with weights, which are negative on the second side */
    double weights[2 * slip_face_nodes_max];
    double directions[3][3]; /* n, t, and in space the second tangent: w are displacements along these */
} slip_pair;

/* Makes the pair of a point at `place` and its nearest point `to`. first_node, second_node: of either body.
 */
void slip_pair_make(int dimension, const slip_surface_point *point, const double *place, int first_node,
                    const slip_nearest *to, int second_node, slip_pair *pair);

/* Whether two outward normals oppose each other, so that the sides face each other. */
bool slip_pair_faces(const double normal[3], const double other[3]);

typedef struct slip_slide slip_slide;
struct slip_side;

/* Makes the large sliding contact of a surface with one or two passes. Becomes the owner of both sides, also
 * on failure. */
int slip_slide_create(slip_context *ctx, int passes, struct slip_side *sides, slip_slide **slide);
void slip_slide_destroy(slip_slide *slide);
SLIP_OWNED(slip_slide, slip_slide_destroy)

/* Large sliding contact k of a plane; NULL where there are fewer. */
const slip_slide *slip_plane_slide(const slip_plane *plane, int k);

/* The number of the first of its points among the contacts of the plane. */
int slip_slide_first(const slip_slide *slide);
void slip_slide_set_first(slip_slide *slide, int contact);
int slip_slide_count(const slip_slide *slide);
/* Point i and its side. */
const slip_surface_point *slip_slide_point(const slip_slide *slide, int i, int *side);
/* The nodes that its rows can have, numbered over all bodies, each once for each side. Returns their number.
 */
int slip_slide_nodes(const slip_slide *slide, const int **nodes);

/* Working memory of a search, one for each thread. */
typedef struct slip_slide_search slip_slide_search;
slip_slide_search *slip_slide_open(const slip_slide *slide); /* NULL: out of memory */
void slip_slide_close(slip_slide_search *search);
SLIP_OWNED(slip_slide_search, slip_slide_close)

/* Finds all pairs. moved: the displacement of each node of slip_slide_nodes, `dimension` numbers each. */
void slip_slide_find(const slip_slide *slide, slip_slide_search *search, const double *moved,
                     slip_pair *pairs);

#endif
