/* A surface of a body in space: its faces, and what a contact needs of them.
 *
 * Contact points are nodes, but on faces of eight nodes: a constant pressure pulls at their corners
 * (integral of N is -A/12 there, A/3 at the middles), so that corners that can only press would lift off.
 * There the points are the middles of the edges and of the faces, which carry A/6 and A/3, all of one sign,
 * and pass a constant pressure on exactly. At the corners of six-node faces that integral is zero: they are
 * points that carry nothing of a constant pressure. */
#ifndef SLIP_FEM_SKIN_H
#define SLIP_FEM_SKIN_H

#include "fem/element.h"

/* Integrals of the shape functions of a face or an edge: `user` of slip_element_integrate with that function.
 */
typedef struct slip_shape_sums {
    int count;
    double of[slip_face_nodes_max];
} slip_shape_sums;
void slip_shape_sums_add(void *sums, const double *value, const double *place, double area);

/* A point of a surface (in the plane: of an edge): a weighted mean of nodes of the mesh. */
typedef struct slip_surface_point {
    int node_count, nodes[slip_face_nodes_max];
    double weights[slip_face_nodes_max];
    double place[3], normal[3]; /* outwards, of unit length; mean of the faces around it */
    double area;                /* that it stands for, without the thickness of plane bodies */
    bool reversed;              /* on an edge: along its chain the body is on the right */
} slip_surface_point;

/* The point of a surface that is nearest to a place. */
typedef struct slip_nearest {
    double distance;
    double place[3], normal[3];                 /* outwards */
    int node_count, nodes[slip_face_nodes_max]; /* of the face, in the mesh */
    double weights[slip_face_nodes_max];        /* of these nodes */
    bool beyond;                                /* the place looked from is beyond the rim of the surface */
    bool corner; /* it is a node or an edge of the surface: the normal is a mean of what meets there */
} slip_nearest;

/* Where the nodes of a surface are, and the normals at them. */
typedef struct slip_shape {
    const double *points, *normals;
} slip_shape;

typedef struct slip_skin {
    slip_arena arena; /* of all lists but the faces */
    const slip_mesh *mesh;
    int *faces; /* slip_cell_faces_max * element + face */
    int face_count;
    bool *rim;       /* of the edges of each face, slip_face_corners_max: no other face has it */
    double *normals; /* outwards, of unit length, three numbers for each node of the mesh */
    slip_surface_point *points;
    int point_count;
    double longest; /* edge of a face */
} slip_skin;

/* Places along a face, relative to its size, that are taken for its edges. */
static const double slip_surface_snap = 1e-6;

int slip_skin_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_skin *skin);
void slip_skin_free(slip_skin *skin);

/* The normals of slip_skin of a mesh whose nodes are at these points. */
void slip_skin_normals(const slip_skin *skin, const double *points, double *normals);

/* The corners and other nodes of a face, in the mesh: returns how many. */
int slip_skin_face(const slip_skin *skin, int face, int nodes[slip_face_nodes_max]);

/* The point that is nearest to a place; and what one face does to the best that was found so far. */
slip_nearest slip_skin_look(const slip_skin *skin, slip_shape shape, const double place[3]);
void slip_skin_look_at(const slip_skin *skin, slip_shape shape, int face, const double place[3],
                       slip_nearest *best);

#endif
