/* An elastic body in space: unknowns, stiffness and mass of a mesh that is held at some nodes.
 *
 * Unknown 3 i + d is the displacement along direction d of the i-th node that is not held. The consistent
 * mass does not couple directions: it is kept as a matrix of the nodes. */
#ifndef SLIP_FEM_SOLID_H
#define SLIP_FEM_SOLID_H

#include "fem/element.h"
#include "math/sparse.h"

typedef struct slip_solid_options {
    double young, poisson, density;
    bool compatible; /* plain fully integrated bricks of eight nodes; default: with incompatible modes */
    bool lumped;     /* mass; default: consistent */
} slip_solid_options;

typedef struct slip_solid {
    slip_arena arena;
    const slip_mesh *mesh;
    slip_solid_options options;
    int free_count;         /* nodes that are not held */
    int *free;              /* of each node: its number among the free nodes, or -1 if held */
    int *node;              /* of each free node: its number in the mesh */
    slip_sparse *stiffness; /* of size 3 free_count */
    slip_sparse *mass;      /* of size free_count; NULL where lumped */
    double *lumps;          /* lumped mass of each free node, kg */
} slip_solid;

slip_elastic slip_solid_elastic(const slip_solid_options *options);

/* Fails unless the mesh is in space, has elements, and no element is inverted. */
int slip_solid_check(slip_context *ctx, const char *name, const slip_mesh *mesh);
/* The same; fails also where an element is not a brick of eight nodes. */
int slip_solid_check_bricks(slip_context *ctx, const char *name, const slip_mesh *mesh);

/* Checks the mesh (no element inverted, every part connected to held nodes) and assembles stiffness and mass.
 * name: of the body, for messages. The mesh must outlive the solid. */
int slip_solid_create(slip_context *ctx, const char *name, const slip_mesh *mesh, const slip_mesh_set *held,
                      const slip_solid_options *options, slip_solid **solid);
void slip_solid_destroy(slip_solid *solid);
SLIP_OWNED(slip_solid, slip_solid_destroy)

/* product = M x for `count` vectors of 3 free_count numbers, one after the other; no overlap. */
void slip_solid_mass(const slip_solid *solid, int64_t count, const double *x, double *product);

/* Total mass, centre of mass and inertia about the origin (xx, yy, zz, xy, yz, zx: integrals of x x, y y, ...
 * times density), held nodes included. */
void slip_solid_inertia(const slip_solid *solid, double *mass, double first[3], double second[6]);

/* load = M times the rotation field e_z x X about the z axis or, with `spread`, (x, y, 0). Held nodes
 * contribute through the mass that couples them to free ones. */
void slip_solid_plane_load(const slip_solid *solid, bool spread, double *load);

#endif
