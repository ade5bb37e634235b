/* Meshes: nodes, elements by type, named sets; of dimension 2 or 3. A plain container that the readers of
 * mesh files fill, writers write, and finite elements use. */
#ifndef SLIP_IO_MESH_H
#define SLIP_IO_MESH_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    slip_cell_nodes_max = 20,
    slip_cell_faces_max = 6,
    slip_face_nodes_max = 8,
    slip_face_corners_max = 4
};

/* The shape of an element and what file formats call it. Corners come first, then the middles of the edges.
 * Nodes are numbered as in Abaqus and VTK (the same for these shapes), faces as in Abaqus. A face of a plane
 * element is an edge; the element is on its left. Seen from outside, the nodes of a face in space run
 * counter-clockwise: its corners, then its middles, as in the face's own shape. */
typedef struct slip_cell {
    const char *name; /* "point1", "line2", ... "hex20" */
    int dimension;
    int node_count, corner_count;
    const struct slip_cell *face; /* the shape of its faces; NULL for points and lines */
    int face_count;
    int faces[slip_cell_faces_max][slip_face_nodes_max];
    int gmsh, vtk;             /* numbers of the type */
    const int *gmsh_order;     /* where Gmsh has each of our nodes; NULL: at the same place */
    const int *abaqus_order;   /* the same for Abaqus */
    const char *const *abaqus; /* names of the type without letters of its variants (R, I, H, M); NULL ends
                                  the list; the first is written */
} slip_cell;

extern const slip_cell slip_cell_point1, slip_cell_line2, slip_cell_line3, slip_cell_tri3, slip_cell_tri6,
    slip_cell_quad4, slip_cell_quad8, slip_cell_tet4, slip_cell_tet10, slip_cell_hex8, slip_cell_hex20;
extern const slip_cell *const slip_cells[]; /* all of them; NULL ends the table */

/* Elements of one type. Element number e of the mesh is element e - first of its group. */
typedef struct slip_mesh_group {
    const slip_cell *cell;
    int first, count;
    int *nodes; /* count x cell->node_count, from 0 */
} slip_mesh_group;

typedef enum slip_set_kind { SLIP_SET_NODES, SLIP_SET_ELEMENTS, SLIP_SET_FACES } slip_set_kind;

typedef struct slip_mesh_set {
    const char *name;
    slip_set_kind kind;
    int count;
    int *items; /* node, element, or slip_cell_faces_max * element + face */
} slip_mesh_set;

typedef struct slip_mesh {
    slip_arena arena; /* owns points, nodes, names and items */
    int dimension;
    int node_count;
    double *points; /* `dimension` numbers for each node */
    int element_count;
    slip_mesh_group *groups;
    int group_count;
    int64_t group_capacity;
    slip_mesh_set *sets;
    int set_count;
    int64_t set_capacity;
    const char **unused_sets; /* sets of nodes in the file, all outside the elements */
    int unused_count;
    int64_t unused_capacity;
    /* The numbers of nodes and elements in the file, for messages; NULL: from 1. */
    int64_t *node_labels, *element_labels;
} slip_mesh;

/* ---- Building: nodes first, then elements by type, then sets. Arrays that the functions return for the
 * caller to fill are zero and belong to the mesh.
 */

int slip_mesh_create(slip_context *ctx, int dimension, int node_count, slip_mesh **mesh);
void slip_mesh_destroy(slip_mesh *mesh);
SLIP_OWNED(slip_mesh, slip_mesh_destroy)
int slip_mesh_add_group(slip_context *ctx, slip_mesh *mesh, const slip_cell *cell, int count, int **nodes);
int slip_mesh_add_set(slip_context *ctx, slip_mesh *mesh, const char *name, slip_set_kind kind, int count,
                      int **items);
int slip_mesh_add_unused(slip_context *ctx, slip_mesh *mesh, const char *name);

/* ---- Queries. */

/* The set of that name and kind; NULL when there is none. */
const slip_mesh_set *slip_mesh_find(const slip_mesh *mesh, const char *name, slip_set_kind kind);
/* Whether the file has a set of this name, none of whose nodes belongs to an element. */
bool slip_mesh_is_unused(const slip_mesh *mesh, const char *name);

/* The numbers that messages give. */
long long slip_mesh_node_label(const slip_mesh *mesh, int node);
long long slip_mesh_element_label(const slip_mesh *mesh, int element);

const slip_mesh_group *slip_mesh_group_of(const slip_mesh *mesh, int element);
const int *slip_mesh_nodes(const slip_mesh *mesh, int element);
/* The nodes of a face (slip_cell_faces_max * element + face), corners first; returns how many. */
int slip_mesh_face_nodes(const slip_mesh *mesh, int face, int nodes[slip_face_nodes_max]);

/* ---- Faces by their corners, to find neighbouring elements. */

typedef struct slip_face {
    int key[slip_face_corners_max]; /* corners, ascending; -1 after the last */
    int item;                       /* slip_cell_faces_max * element + face */
} slip_face;

/* All faces of all elements, sorted by their corners: two elements that share a face are next to each other.
 * NULL when out of memory. */
slip_face *slip_mesh_faces(const slip_mesh *mesh, int64_t *count);
/* The first face with these corners, in any order, or -1. */
int64_t slip_face_find(const slip_face *faces, int64_t count, const int *corners, int corner_count);
/* Whether face i of the sorted list is shared by another element, so that it is inside the body. */
bool slip_face_is_shared(const slip_face *faces, int64_t count, int64_t i);

/* ---- Files. Errors of a mesh file have its name and line (of a binary file its byte). */

/* By the ending of the name: .msh (Gmsh 4.1 or 2, ASCII or binary) or .inp (Abaqus, CalculiX). */
int slip_mesh_read(slip_context *ctx, const char *path, slip_mesh **mesh);
/* The same from the bytes of a file, followed by a zero byte; name: the file, for messages. */
int slip_mesh_parse_gmsh(slip_context *ctx, const char *name, const char *text, size_t length,
                         slip_mesh **mesh);
int slip_mesh_parse_abaqus(slip_context *ctx, const char *name, const char *text, size_t length,
                           slip_mesh **mesh);

/* Abaqus/CalculiX input: nodes, elements, sets, surfaces. Nodes and elements are numbered from 1. */
int slip_mesh_write_abaqus(slip_context *ctx, const slip_mesh *mesh, const char *path);

#endif
