/* Conversion of named sets of a mesh into what supports, loads and contacts need: nodes, boundary faces, and
 * edges as chains of nodes. */
#ifndef SLIP_FEM_EDGE_H
#define SLIP_FEM_EDGE_H

#include "fem/element.h"

/* Sets taken[node] for each node of a set. Fails if there is no such set, with the most similar name. */
int slip_set_nodes(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set, bool *taken);

/* The boundary faces of a set: its faces, or the boundary faces all of whose nodes are in it. *faces is
 * allocated. Fails when there is none, or when one of them is inside the body. */
int slip_set_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                   const char *set, int **faces, int *count);

/* The boundary faces that together have exactly the nodes of a set; none (count 0) where there are no such
 * faces, or the mesh has no elements (boundary NULL). *faces is allocated. Fails when there is no such set.
 */
int slip_set_cover(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                   const char *set, int **faces, int *count);

/* An edge of a body in the plane: chains of nodes, each along +x from its first to its last node (along +y
 * where that is no direction; a closed chain counter-clockwise, its first node is not repeated at its end). A
 * segment of second order has a node in its middle, which is in the chain between its ends. */
typedef struct slip_chain {
    int first, count; /* in slip_edge.nodes */
    bool closed;
    bool reversed; /* the body is on the right */
} slip_chain;

typedef struct slip_edge {
    slip_arena arena;
    int *nodes;
    int node_count;
    double *normals; /* outwards, of unit length, two numbers at each node: mean of the segments beside it */
    const slip_element_type *segment; /* shape of all segments: line2 or line3 */
    slip_chain *chains;
    int chain_count;
    double longest; /* distance of the ends of a segment */
} slip_edge;

enum { slip_segment_nodes_max = 3 };

int slip_edge_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_edge *edge);
void slip_edge_free(slip_edge *edge);

int slip_chain_segment_count(const slip_edge *edge, const slip_chain *chain);
/* The index in the chain of node i of segment k; i: 0 and 1 are the ends, 2 the middle. */
int slip_chain_place(const slip_edge *edge, const slip_chain *chain, int k, int i);
/* The nodes of segment k, in the chain's direction, and their coordinates by mesh_points. */
void slip_chain_segment(const slip_edge *edge, const slip_chain *chain, const double *mesh_points, int k,
                        int nodes[slip_segment_nodes_max], double points[2 * slip_segment_nodes_max]);
/* A point of a segment at -1 <= at <= 1: its shape functions, its place, the tangent d place/d at, and the
 * curvature d tangent/d at. */
typedef struct slip_segment_point {
    double value[slip_segment_nodes_max], place[2], tangent[2], bend[2];
} slip_segment_point;
slip_segment_point slip_segment_at(const slip_edge *edge, const double points[2 * slip_segment_nodes_max],
                                   double at);
/* The nodal normals (as slip_edge.normals) for nodes at these points. */
void slip_edge_normals(const slip_edge *edge, const double *mesh_points, double *normals);
/* The outward normal to a tangent, of the same length as the tangent. */
void slip_chain_normal(const slip_chain *chain, const double tangent[2], double normal[2]);

#endif
