/* Slipstick: elastic bodies reduced from finite element meshes to modes and attachment vectors, for contact.
 *
 * The body is held at its bore. Its displacement is Phi q plus, for a load f on the nodes of a surface, the
 * part of the static response that the modes do not represent,
 *
 *     u = Phi q + Psi f,   Psi = (K^-1 - Phi Lambda^-1 Phi^T) B,   residual flexibility G_r = B^T Psi.
 *
 * The attachment vectors Psi (one for each node and direction, B their unit loads) have the stiffness G_r and
 * a mass M_r, and are orthogonal to the modes in both. The combinations Psi Z have the unit matrix as mass
 * and the squares of their frequencies as stiffness. */
#ifndef SLIPSTICK_REDUCED_H
#define SLIPSTICK_REDUCED_H

#include "slipstick/base.h"

SLIP_BEGIN_C

typedef struct slip_reduced slip_reduced;

/* A mode, scaled to modal mass 1. */
typedef struct slip_reduced_mode {
    double frequency;   /* Hz */
    int nodal_diameter; /* -1 where the body is not cyclic */
    int antisymmetric;  /* at the mid-plane; 0 where there is none */
    /* Integrals of density times mode times the fields of a rotation about the axis: e_z x X (torque per
     * modal acceleration) and (x, y, 0) (load by the square of the speed). */
    double rotation, spread;
} slip_reduced_mode;

/* A surface on which contact forces act: a flank. Its frame is turned by `turn` about the axis against the
 * body's: points, rows and matrices are in the surface's frame, so that those of all teeth are the same. */
typedef struct slip_reduced_surface {
    const char *name;     /* "tooth3_left", or the set of a mesh file */
    int tooth;            /* from 0; 0 where the body is not cyclic */
    double turn;          /* radian */
    int node_count;       /* numbers below are for node 0, 1, ...; 3 directions each */
    const double *points; /* x, y, z of each, at rest */
    int facet_count;
    const int *facets; /* four nodes each, counter-clockwise seen from outside */
    int along, across; /* the nodes are a grid: node k is at k % along from foot to tip, k / along across the
                        * width; both 0 where they are not */
    int attachment;    /* which attachment vectors it has; -1: none were asked for */
    int mirrored;      /* y of the directions of its attachment vectors has the other sign on this surface */
} slip_reduced_surface;

/* The attachment vectors Psi of a surface; size = 3 node_count. Matrices are symmetric, size square. */
typedef struct slip_reduced_attachment {
    int size;
    const double *flexibility; /* G_r: displacement of the nodes by a unit load, and stiffness of Psi */
    const double *mass;        /* M_r: mass of Psi */
    const double *frequency;   /* Hz, ascending, of Psi Z */
    const double *vectors;     /* Z: its columns, one after the other */
    const double *rotation;    /* integrals of Psi as those of the modes */
    const double *spread;
} slip_reduced_attachment;

/* NULL is fine. */
SLIP_API void slip_reduced_destroy(slip_reduced *body);

/* The HDF5 file: written whole or not at all. What is loaded is the caller's, for slip_reduced_destroy. */
SLIP_API int slip_reduced_save(slip_context *ctx, const slip_reduced *body, const char *path);
SLIP_API int slip_reduced_load(slip_context *ctx, const char *path, slip_reduced **body);

/* ---- Looking. A body may not be NULL. What is returned lives as long as it; numbers of modes, surfaces and
 * attachments are from 0 and not checked. Arrays that are filled in are the caller's. */
SLIP_API const char *slip_reduced_name(const slip_reduced *body);
SLIP_API const char *slip_reduced_mesh_hash(const slip_reduced *body); /* 16 hexadecimal digits */
SLIP_API const char *slip_reduced_settings(const slip_reduced *body);  /* what it was made with, as text */
SLIP_API double slip_reduced_mass(const slip_reduced *body);           /* kg */
SLIP_API double slip_reduced_moment(const slip_reduced *body);         /* about the axis, kg m^2 */

SLIP_API int slip_reduced_mode_count(const slip_reduced *body);
/* An array of mode_count modes, by rising frequency. */
SLIP_API const slip_reduced_mode *slip_reduced_modes(const slip_reduced *body);
/* mode_count square, row by row: integrals of density times mode k times (e_z x mode l), and times mode l
 * without its part along the axis: what Coriolis and centrifugal forces couple. */
SLIP_API const double *slip_reduced_coriolis(const slip_reduced *body);
SLIP_API const double *slip_reduced_softening(const slip_reduced *body);

SLIP_API int slip_reduced_surface_count(const slip_reduced *body);
SLIP_API slip_reduced_surface slip_reduced_surface_at(const slip_reduced *body, int index);
/* Displacement of the surface's nodes in the modes: 3 node_count rows of mode_count. */
SLIP_API void slip_reduced_rows(const slip_reduced *body, int surface, double *rows);

SLIP_API int slip_reduced_attachment_count(const slip_reduced *body);
SLIP_API slip_reduced_attachment slip_reduced_attachment_at(const slip_reduced *body, int index);
/* G_r of a surface with the signs of its side: 9 node_count^2 numbers. */
SLIP_API void slip_reduced_flexibility(const slip_reduced *body, int surface, double *matrix);
/* The displacement of surface `at` that the modes leave out under unit loads on surface `by`, each in its own
 * frame: 9 node_count^2 numbers, row by row. It is known for a surface itself and, where the body is cyclic,
 * for the same sides of teeth that are at most 3 apart: else the result is 0 and the matrix zero. */
SLIP_API int slip_reduced_flexibility_between(const slip_reduced *body, int at, int by, double *matrix);

/* The whole body again: its nodes and, of each mode, the displacement of each node; 3 numbers a node, in the
 * body's frame. */
SLIP_API int slip_reduced_node_count(const slip_reduced *body);
SLIP_API void slip_reduced_points(const slip_reduced *body, double *points);
SLIP_API void slip_reduced_shape(const slip_reduced *body, int mode, double *displacement);

/* VTU of a mode (from 0), and pictures NAME-modes of at most 8 modes in three views each (modes NULL: the
 * lowest, one of each pair of equal ones) and, with attachment vectors, NAME-attachment; PNG and SVG.
 * `written` is called with the path of each picture; may be NULL. */
SLIP_API int slip_reduced_save_vtu(slip_context *ctx, const slip_reduced *body, int mode, const char *path);
SLIP_API int slip_reduced_plot(slip_context *ctx, const slip_reduced *body, const int *modes, int mode_count,
                               const char *folder, slip_path_function written, void *user);

SLIP_END_C

#endif
