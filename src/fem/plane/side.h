/* One side of a contact between surfaces: its contact points, and the search for its point nearest to a given
 * one. In the plane it is an edge, in space a surface; for a body given by matrices only points. */
#ifndef SLIP_FEM_PLANE_SIDE_H
#define SLIP_FEM_PLANE_SIDE_H

#include "fem/edge.h"
#include "fem/plane/types.h"
#include "fem/skin.h"

typedef struct slip_side {
    const slip_plane_body *body; /* while the plane is built; NULL: it is a rigid line */
    const slip_mesh *mesh;
    slip_mesh *line; /* the mesh of a rigid line, owned; else NULL */
    int first_node;  /* in the numbering of all bodies */
    slip_edge edge;  /* in the plane */
    slip_skin skin;  /* in space; its list of points also in the plane */
} slip_side;

/* first: whether this is the first side, whose points are contact points. Error messages name the contact. */
int slip_side_create(slip_context *ctx, const slip_plane *plane, const char *contact, const char *body,
                     const char *edge, bool first, slip_side *side);
/* A rigid line through points x, y, with the other side on its left. Its nodes have no displacements. */
int slip_side_create_line(slip_context *ctx, const double *points, int count, slip_side *side);
void slip_side_free(slip_side *side);

double slip_side_longest(const slip_side *side); /* segment, or edge of a face */

/* The point of the undeformed side nearest to a place. */
slip_nearest slip_side_nearest(const slip_side *side, const double *place);

/* For a moving side: the number of its parts (segments or faces), the nodes of a part in the mesh, and the
 * search in one part, which replaces *best if it finds a nearer point. shape: present nodes and normals.
 * Points close to a node of an edge are not moved onto it. */
int slip_side_part_count(const slip_side *side);
int slip_side_part(const slip_side *side, int part, int nodes[slip_face_nodes_max]);
void slip_side_nearest_in_part(const slip_side *side, slip_shape shape, int part, const double place[3],
                               slip_nearest *best);
/* The undeformed shape; the length of its array of normals; the normals for nodes at other points. */
slip_shape slip_side_shape(const slip_side *side);
int slip_side_normal_count(const slip_side *side);
void slip_side_normals(const slip_side *side, const double *points, double *normals);

#endif
