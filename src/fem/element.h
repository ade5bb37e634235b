/* Finite elements of the plane, of space, and of their faces: a table of types, one for each shape of cell. A
 * new formulation is one file and one row. Everything below follows from a row: isoparametric elements
 *
 *     x = sum of N_a x_a,    u = sum of N_a u_a,    K = integral of B^T D B,    M_ab = density integral of
 * N_a N_b.
 *
 * Elements of first order are integrated as usual (quad4 2 x 2, hex8 2 x 2 x 2, tri3 and tet4 one point),
 * those of second order fully: quad8 3 x 3, hex20 3 x 3 x 3, tri6 three points, tet10 four. These are
 * CalculiX's CPE3, CPE4, CPE6, CPE8, C3D4, C3D8 (with incompatible modes C3D8I), C3D10, C3D20 and their CPS.
 * Masses and loads have rules that are exact for straight elements. */
#ifndef SLIP_FEM_ELEMENT_H
#define SLIP_FEM_ELEMENT_H

#include "io/mesh/mesh.h"

enum { slip_element_strains_max = 6, slip_element_unknowns_max = 3 * slip_cell_nodes_max };

/* Isotropic elasticity. */
typedef enum slip_elastic_kind { SLIP_PLANE_STRAIN, SLIP_PLANE_STRESS, SLIP_SOLID } slip_elastic_kind;

typedef struct slip_elastic {
    slip_elastic_kind kind;
    double young, poisson, density;
    double thickness;  /* 1 in space */
    bool incompatible; /* bricks of eight nodes have incompatible modes (fem/hex8.h) */
    /* Stress = matrix . strain. The components are xx, yy, xy in the plane and xx, yy, zz, xy, yz, zx in
     * space; the shear strain is the angle. */
    int strain_count;
    double matrix[slip_element_strains_max * slip_element_strains_max];
} slip_elastic;

/* Elastic constants with density 0 and without incompatible modes; both fields may be set afterwards. */
slip_elastic slip_elastic_make(slip_elastic_kind kind, double young, double poisson, double thickness);
/* The stress zz normal to the plane, from the stresses xx and yy. */
double slip_elastic_stress_zz(const slip_elastic *elastic, double xx, double yy);

/* A Gauss rule: `point` writes the reference coordinates of point g and returns its weight. */
typedef struct slip_gauss {
    int count;
    double (*point)(int g, double *at);
} slip_gauss;

typedef struct slip_element_type {
    const slip_cell *cell;
    const double (*nodes)[3]; /* reference places of the nodes */
    /* Shape functions at a reference place, and their slopes (dimension numbers for each node). */
    void (*shape)(const struct slip_element_type *type, const double *at, double *value, double *slope);
    const slip_gauss *rule, *exact; /* of the stiffness; of masses and loads */
    /* Stresses are computed at the reference points centre + scale (corner - centre), where they are most
     * accurate, and extrapolated by the shape functions of the element of first order with the same corners.
     */
    const struct slip_element_type *first_order;
    double centre, scale;
    /* Stiffness, row by row and symmetric; the unknowns are the displacements of the first node, then of the
     * second, ... `points` are the coordinates of the nodes. The Jacobian must be positive. */
    void (*stiffness)(const struct slip_element_type *type, const double *points, const slip_elastic *elastic,
                      double *matrix);
    /* Stresses at those points, strain_count numbers each. */
    void (*stress)(const struct slip_element_type *type, const double *points, const slip_elastic *elastic,
                   const double *displacements, double *stress);
} slip_element_type;

const slip_element_type *slip_element_find(const slip_cell *cell); /* NULL: no element has this shape */

/* ---- The generic functions of rows. */

void slip_element_stiffness(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                            double *matrix);
void slip_element_stress(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                         const double *displacements, double *stress);

/* ---- Quantities that follow from a row. */

/* Slopes by x, y, z at a reference place; returns the determinant of the Jacobian. */
double slip_element_gradient(const slip_element_type *type, const double *points, const double *at,
                             double *value, double *gradient);

/* The smallest determinant of the Jacobian at nodes and Gauss points, divided by the mean size. It is not
 * positive where the element is inverted, has a corner of 180 degrees or more, a middle node too near to a
 * corner, or no volume. *worst, which may be NULL, is the node where it is smallest (of a Gauss point: the
 * nearest node). */
double slip_element_quality(const slip_element_type *type, const double *points, int *worst);

/* Integrals of N_a N_b, node_count x node_count: the consistent mass for unit density (and thickness), the
 * same for each direction. */
void slip_element_mass(const slip_element_type *type, const double *points, double *matrix);
/* The lumped volume of each node. First order: row sums of the mass. For second order these would be zero or
 * negative at corners, so the diagonal of the mass is scaled to the element's volume (Hinton, Rock,
 * Zienkiewicz 1976). */
void slip_element_lumps(const slip_element_type *type, const double *points, double *lumps);

/* Stresses at the nodes (strain_count numbers each). */
void slip_element_stresses(const slip_element_type *type, const double *points, const slip_elastic *elastic,
                           const double *displacements, double *stresses);

/* Calls the function at every Gauss point of the exact rule with the shape functions there, the place, and
 * the volume (weight times Jacobian). `dimension` is that of the points. For a face it exceeds that of the
 * element, and the volume is a length or area. */
typedef void (*slip_element_visit)(void *user, const double *value, const double *place, double volume);
void slip_element_integrate(const slip_element_type *type, int dimension, const double *points,
                            slip_element_visit visit, void *user);

/* The coordinates of an element's nodes, one after the other. */
void slip_element_points(const slip_mesh *mesh, int element, double *points);

#endif
