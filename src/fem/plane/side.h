/* One side of a contact between surfaces: its contact points, and the point of it that is nearest to a place.
 * In the plane an edge, in space a surface; of a body by matrices only points. */
#ifndef SLIP_FEM_PLANE_SIDE_H
#define SLIP_FEM_PLANE_SIDE_H

#include "fem/edge.h"
#include "fem/plane/types.h"
#include "fem/skin.h"

typedef struct slip_side {
    const slip_plane_body *body; /* while the plane is built; NULL: it is a rigid line */
    const slip_mesh *mesh;
    slip_mesh *line; /* of such a one, which owns it; else NULL */
    int first_node;  /* in the numbering of all bodies */
    slip_edge edge;  /* in the plane */
    slip_skin skin;  /* in space; of both the points */
} slip_side;

/* `first`: it carries the points of the only pass. Errors name the contact. */
int slip_side_create(slip_context *ctx, const slip_plane *plane, const char *contact, const char *body,
                     const char *edge, bool first, slip_side *side);
/* A rigid line through points x, y, of which the other side is on the left: no displacements are those of its
 * nodes. */
int slip_side_create_line(slip_context *ctx, const double *points, int count, slip_side *side);
void slip_side_free(slip_side *side);

double slip_side_longest(const slip_side *side); /* segment, or edge of a face */

/* The point that is nearest to a place, of the undeformed body. */
slip_nearest slip_side_look(const slip_side *side, const double *place);

/* In motion: its parts (segments, faces), their nodes in the mesh, and what one of them does to the best
 * point that was found so far, where nodes and normals are these. Nothing is snapped to nodes of an edge. */
int slip_side_part_count(const slip_side *side);
int slip_side_part(const slip_side *side, int part, int nodes[slip_face_nodes_max]);
void slip_side_look_at(const slip_side *side, slip_shape shape, int part, const double place[3],
                       slip_nearest *best);
/* The shape as it is undeformed; how many numbers the normals are, and those of nodes at other points. */
slip_shape slip_side_shape(const slip_side *side);
int slip_side_normal_count(const slip_side *side);
void slip_side_normals(const slip_side *side, const double *points, double *normals);

#endif
