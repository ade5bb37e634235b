/* A surface of a body in space: its faces, contact points, normals, and the search for its nearest point.
 *
 * Contact points are the nodes, except on faces of eight nodes. There the consistent nodal forces of a
 * constant pressure are negative at the corners (integral of N: -A/12, and A/3 at the middles), so unilateral
 * corners would open. The contact points of such faces are the middles of the edges and of the faces, with
 * A/6 and A/3, which transfer a constant pressure exactly. At corners of six-node faces the integral is zero:
 * they are contact points without a share of a constant pressure. */
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
    double area;                /* tributary area (in the plane: length, without the thickness) */
    bool reversed;              /* on an edge: along its chain the body is on the right */
} slip_surface_point;

/* The point of a surface that is nearest to a place. */
typedef struct slip_nearest {
    double distance;
    double place[3], normal[3];                 /* outwards */
    int node_count, nodes[slip_face_nodes_max]; /* of the face, in the mesh */
    double weights[slip_face_nodes_max];        /* of these nodes */
    bool beyond;                                /* the given place is beyond the rim of the surface */
    bool corner; /* it is on a node or an edge of the surface: the normal is a mean over the faces there */
} slip_nearest;

/* The positions of the nodes of a mesh, and the normals at them. */
typedef struct slip_shape {
    const double *points, *normals;
} slip_shape;

typedef struct slip_skin {
    slip_arena arena; /* of all lists but the faces */
    const slip_mesh *mesh;
    int *faces; /* slip_cell_faces_max * element + face */
    int face_count;
    bool *rim;       /* for each edge of each face (slip_face_corners_max): it belongs to no other face */
    double *normals; /* outwards, of unit length, three numbers for each node of the mesh */
    slip_surface_point *points;
    int point_count;
    double longest; /* edge of a face */
} slip_skin;

/* Points nearer to an edge of a face than this, relative to its size, are moved onto the edge. */
static const double slip_surface_snap = 1e-6;

int slip_skin_create(slip_context *ctx, const char *owner, const slip_mesh *mesh, const bool *boundary,
                     const char *set, slip_skin *skin);
void slip_skin_free(slip_skin *skin);

/* The nodal normals (as slip_skin.normals) for nodes at these points. */
void slip_skin_normals(const slip_skin *skin, const double *points, double *normals);

/* The corners and other nodes of a face, in the mesh: returns how many. */
int slip_skin_face(const slip_skin *skin, int face, int nodes[slip_face_nodes_max]);

/* The point of the surface nearest to a place; and the search in one face, which updates *best. */
slip_nearest slip_skin_nearest(const slip_skin *skin, slip_shape shape, const double place[3]);
void slip_skin_nearest_in_face(const slip_skin *skin, slip_shape shape, int face, const double place[3],
                               slip_nearest *best);

#endif
