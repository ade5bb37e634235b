/* The object behind slip_reduced. slipstick/reduced.h explains what a reduced body is.
 *
 * The shapes of modes are stored for one sector, or its half below the mid-plane, as complex amplitudes:
 * sector p moves by Re(w exp(i p phi)) in its own frame, phi = 2 pi (nodal diameters) / sectors. A body that
 * is not cyclic has one sector and real amplitudes.
 *
 * With M-orthonormal modes K^-1 M Phi = Phi Lambda^-1, so that
 *
 *     Psi^T K Psi = G - Phi Lambda^-1 Phi^T = G_r,    Psi^T M Psi = P - Phi Lambda^-2 Phi^T = M_r
 *
 * G and P are the blocks of K^-1 and K^-1 M K^-1 of the surface, and Phi the rows of the modes there. Between
 * two sectors the same holds with the rows of each. */
#ifndef SLIP_FLEX_REDUCED_H
#define SLIP_FLEX_REDUCED_H

#include "flex/cyclic.h"
#include "io/mesh/mesh.h"
#include "slipstick/reduced.h"

/* A side: a contact surface of one sector. */
typedef struct slip_reduced_side {
    char *name; /* "left" is the surface tooth3_left on tooth 3; of a body that is not cyclic, the surface's
                   name */
    int node_count, facet_count, along, across, attachment;
    bool mirrored;
    int *nodes;  /* indices of the shape's nodes; + shape_nodes: the image above the mid-plane */
    int *facets; /* four each */
    double *points;
} slip_reduced_side;

/* The attachment vectors of a side. */
typedef struct slip_reduced_attached {
    int size;
    double *flexibility, *mass, *frequency, *vectors, *rotation, *spread;
    double *coupling; /* residual flexibility (without the modes' part) between sector p and loads in sector
                         0, p = 1 ... body's reach, size square each */
} slip_reduced_attached;

struct slip_reduced {
    slip_arena arena; /* owns everything below */
    char *name, *hash, *settings;
    double mass, moment;
    int sectors;
    int reach;   /* largest distance of sectors for which `coupling` is stored */
    bool halved; /* at the mid-plane */
    int mode_count;
    slip_reduced_mode *modes;
    double *coriolis, *softening;
    int shape_nodes, element_count;
    double *points; /* of the shape */
    int *elements;  /* eight nodes each; + shape_nodes: of the next sector */
    bool *middle;   /* nodes on the mid-plane; NULL unless halved */
    double *real;   /* mode_count times 3 shape_nodes */
    double *imaginary;
    double *attachment; /* of the whole body: attachment vector of a load in the middle of the first side,
                         * for pictures; NULL without attachment vectors */
    int side_count;
    slip_reduced_side *sides;
    char **surface_names; /* sectors x side_count */
    int attached_count;
    slip_reduced_attached *attached;
};

/* A reduced body with a name and nothing else yet. */
int slip_reduced_create(slip_context *ctx, const char *name, slip_reduced **body);

/* Memory for modes, shapes, sides or attachment vectors, after their counts are set. */
int slip_reduced_allocate_modes(slip_context *ctx, slip_reduced *body);
int slip_reduced_allocate_side(slip_context *ctx, slip_reduced *body, slip_reduced_side *side);
/* After everything else: names of the surfaces. */
int slip_reduced_finish(slip_context *ctx, slip_reduced *body);

/* Makes the attachment vectors of a side from G and P (size square, both overwritten), and from K^-1 of the
 * inertia loads of a rotation and of a spread. */
int slip_reduced_take_attached(slip_context *ctx, slip_reduced *body, int side, double *flexibility,
                               double *inner, const double *rotation, const double *spread);

/* Makes the coupling by attachment vectors of the first side of sector p with that of sector 0 from the
 * flexibility between them, after slip_reduced_take_attached. */
int slip_reduced_take_coupling(slip_context *ctx, slip_reduced *body, int p, const double *flexibility);

/* Fills a reduced body from a cyclic one, except its attachment vectors. */
int slip_reduced_from_cyclic(slip_context *ctx, const slip_cyclic *cyclic, slip_reduced *body);

/* Reduction of a mesh that is not cyclic: modes, and attachment vectors of surfaces, each a set of nodes or
 * of faces of the mesh. */
typedef struct slip_reduced_mesh_options {
    slip_solid_options solid;
    const char *held; /* the set of nodes that is held */
    int modes;
    double tolerance;
    const char *const *surfaces; /* names; NULL ends the list */
    bool attachment;
    bool check;
    double memory; /* bytes that may be used; 0: what the machine has free */
} slip_reduced_mesh_options;
int slip_reduced_from_mesh(slip_context *ctx, const slip_mesh *mesh, const slip_reduced_mesh_options *options,
                           slip_reduced *body);

/* slip_reduced_rows of the lowest modes: rows of `modes` numbers. */
void slip_reduced_rows_of(const slip_reduced *body, int surface, int modes, double *rows);

/* Sets the body's hash, by which files are compared: over points, elements and sides. */
int slip_reduced_take_hash(slip_context *ctx, slip_reduced *body);

/* The mesh of the whole body, with its nodes as slip_reduced_points has them. */
int slip_reduced_mesh(slip_context *ctx, const slip_reduced *body, slip_mesh **mesh);

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_reduced, slip_reduced_destroy)

#endif
