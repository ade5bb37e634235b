/* Named sets of a body's mesh as what supports, loads and contacts need: nodes, boundary faces, and edges as
 * chains of nodes. */
#ifndef SLIP_FEM_EDGE_H
#define SLIP_FEM_EDGE_H

#include "io/mesh.h"

/* The nodes of a set: taken[node] is set for each. Fails when there is no such set, with the nearest name. */
int slip_set_nodes(slip_context *ctx, const char *owner, const slip_mesh *mesh, const char *set, bool *taken);

/* The boundary faces of a set: its faces, or the boundary faces all of whose nodes are in it. *faces is
 * allocated. Fails when there is none, or when one of them is inside the body. */
int slip_set_faces(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                   const char *set, int **faces, int *count);

/* An edge of a body in the plane: chains of nodes, each along +x from its first to its last node (along +y
 * where that is no direction; a closed chain counter-clockwise, its first node is not repeated at its end).
 */
typedef struct slip_chain {
    int first, count; /* in slip_edge.nodes */
    bool closed;
    bool reversed; /* the body is on the right */
} slip_chain;

typedef struct slip_edge {
    int *nodes;
    int node_count;
    double *normals; /* outwards, of unit length, two numbers at each node: mean of the segments beside it */
    slip_chain *chains;
    int chain_count;
    double longest; /* segment */
} slip_edge;

int slip_edge_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_edge *edge);
void slip_edge_free(slip_edge *edge);

/* The unit normal, outwards, of the segment between node k of a chain and the next. */
void slip_chain_segment(const slip_edge *edge, const slip_chain *chain, const slip_mesh *mesh, int k,
                        int nodes[2], double normal[2]);
int slip_chain_segment_count(const slip_chain *chain);

#endif
