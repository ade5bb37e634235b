/* Reduced bodies from inside. What they are is told in slipstick/reduced.h.
 *
 * Shapes are kept for one sector, or its half below the mid-plane, as complex amplitudes: sector p moves by
 * Re(w exp(i p phi)) in its own frame, phi = 2 pi (nodal diameters) / sectors. A body that is not cyclic is
 * one sector, and its amplitudes are real.
 *
 * With M-orthonormal modes K^-1 M Phi = Phi Lambda^-1, so that
 *
 *     Psi^T K Psi = G - Phi Lambda^-1 Phi^T = G_r,    Psi^T M Psi = P - Phi Lambda^-2 Phi^T = M_r
 *
 * (between two sectors the same with the rows of each) with G and P the blocks of K^-1 and K^-1 M K^-1 of the
 * surface, and Phi the rows of the modes there. */
#ifndef SLIP_FLEX_REDUCED_H
#define SLIP_FLEX_REDUCED_H

#include "flex/cyclic.h"
#include "io/mesh/mesh.h"
#include "slipstick/reduced.h"

/* A side: a surface on which contact acts, of one sector. */
typedef struct slip_reduced_side {
    char *name; /* "left": of tooth 3 it is tooth3_left; of a body that is not cyclic the name itself */
    int node_count, facet_count, along, across, attachment;
    bool mirrored;
    int *nodes;  /* of the shape; + shape_nodes: the image above the mid-plane */
    int *facets; /* four each */
    double *points;
} slip_reduced_side;

/* The attachment vectors of a side. */
typedef struct slip_reduced_attached {
    int size;
    double *flexibility, *mass, *frequency, *vectors, *rotation, *spread;
    double *coupling; /* the part that the modes leave out of the displacement in sector p by loads in sector
                       * 0, p = 1 ... body's reach, size square each */
} slip_reduced_attached;

struct slip_reduced {
    slip_arena arena; /* owns everything below */
    char *name, *hash, *settings;
    double mass, moment;
    int sectors;
    int reach;   /* sectors whose coupling by attachment vectors is known */
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

/* Makes the attachment vectors of a side from G and P (which are overwritten; size square), and from K^-1 of
 * the loads of a rotation. */
int slip_reduced_take_attached(slip_context *ctx, slip_reduced *body, int side, double *flexibility,
                               double *inner, const double *rotation, const double *spread);

/* Makes the coupling by attachment vectors of the first side of sector p with that of sector 0 from the
 * flexibility between them, after slip_reduced_take_attached. */
int slip_reduced_take_coupling(slip_context *ctx, slip_reduced *body, int p, const double *flexibility);

/* Everything but the attachment vectors from a cyclic body. */
int slip_reduced_from_cyclic(slip_context *ctx, const slip_cyclic *cyclic, slip_reduced *body);

/* A mesh that is not cyclic: modes and attachment vectors of the surfaces, each a set of nodes or of faces of
 * the mesh.
 */
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

/* A number of the mesh: of points, elements and sides of the body. */
int slip_reduced_take_hash(slip_context *ctx, slip_reduced *body);

/* The mesh of the whole body, with its nodes as slip_reduced_points has them. */
int slip_reduced_mesh(slip_context *ctx, const slip_reduced *body, slip_mesh **mesh);

/* Of local variables: SLIP_FREED_BY(TYPE_drop). */
SLIP_OWNED(slip_reduced, slip_reduced_destroy)

#endif
