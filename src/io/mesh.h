/* Meshes: nodes, elements by type, named sets; of dimension 2 or 3. A plain container that the readers of
 * mesh files fill, writers write, and finite elements use. */
#ifndef SLIP_IO_MESH_H
#define SLIP_IO_MESH_H

#include "base/context.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { slip_cell_nodes_max = 8, slip_cell_faces_max = 6, slip_face_nodes_max = 4 };

/* The shape of an element and what file formats call it. Nodes are numbered as in Gmsh, Abaqus and VTK (the
 * same for these shapes). A face of a plane element is an edge; its nodes run so that the element is on the
 * left of an edge, and the normal of a face in space points outwards. */
typedef struct slip_cell {
    const char *name; /* "line2", "quad4", "hex8" */
    int dimension;
    int node_count;
    int face_count, face_node_count;
    int faces[slip_cell_faces_max][slip_face_nodes_max];
    int gmsh, vtk;             /* numbers of the type */
    const char *const *abaqus; /* names of the type; NULL ends the list; the first is written */
} slip_cell;

extern const slip_cell *const slip_cells[]; /* NULL ends the table */
const slip_cell *slip_cell_find(const char *name);

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
    slip_arena arena; /* owns everything */
    int dimension;
    int node_count;
    double *points; /* `dimension` numbers for each node */
    int element_count;
    slip_mesh_group *groups;
    int group_count;
    slip_mesh_set *sets;
    int set_count;
} slip_mesh;

void slip_mesh_destroy(slip_mesh *mesh);

/* The set of that name and kind; NULL when there is none. */
const slip_mesh_set *slip_mesh_find(const slip_mesh *mesh, const char *name, slip_set_kind kind);

/* The group of an element and its nodes. */
const slip_mesh_group *slip_mesh_group_of(const slip_mesh *mesh, int element);
const int *slip_mesh_nodes(const slip_mesh *mesh, int element);

#endif
