/* Finite elements in the plane: a table of types, each for one shape of cell. A new formulation is one file
 * and one row. The brick is in hex8.h: it has incompatible modes and is fast. */
#ifndef SLIP_FEM_ELEMENT_H
#define SLIP_FEM_ELEMENT_H

#include "io/mesh.h"

enum { slip_element_strains_max = 3, slip_element_unknowns_max = 8 };

/* Isotropic elasticity. */
typedef enum slip_elastic_kind { SLIP_PLANE_STRAIN, SLIP_PLANE_STRESS } slip_elastic_kind;

typedef struct slip_elastic {
    slip_elastic_kind kind;
    double young, poisson;
    double thickness;
    /* Stress = matrix . strain. The components are xx, yy, xy; the shear strain is the angle. */
    int strain_count;
    double matrix[slip_element_strains_max * slip_element_strains_max];
} slip_elastic;

slip_elastic slip_elastic_make(slip_elastic_kind kind, double young, double poisson, double thickness);
/* The stress across the plane, from the stresses xx and yy in it. */
double slip_elastic_stress_zz(const slip_elastic *elastic, double xx, double yy);

typedef struct slip_element_type {
    const char *cell;           /* name of the shape */
    const double (*corners)[2]; /* reference coordinates of the nodes, -1 or 1 */
    /* Stiffness, row by row; the unknowns are the displacements of the first node, then of the second, ...
     * `points` are the coordinates of the nodes. The Jacobian must be positive. */
    void (*stiffness)(const struct slip_element_type *type, const slip_cell *cell, const double *points,
                      const slip_elastic *elastic, double *matrix);
} slip_element_type;

const slip_element_type *slip_element_find(const slip_cell *cell); /* NULL: no element has this shape */

/* Shape functions at a place of the reference square, and their slopes by the reference coordinates
 * (dimension numbers for each node). */
void slip_element_shape(const slip_element_type *type, const slip_cell *cell, const double *at, double *value,
                        double *slope);

/* Slopes by x, y at a place; returns the determinant of the Jacobian. */
double slip_element_gradient(const slip_element_type *type, const slip_cell *cell, const double *points,
                             const double *at, double *value, double *gradient);

/* The smallest determinant of the Jacobian over the nodes, over the mean size: not positive where the element
 * is inside out, has a corner of 180 degrees or more, or no area. */
double slip_element_quality(const slip_element_type *type, const slip_cell *cell, const double *points);

/* Stresses at the nodes (strain_count numbers each): those of the Gauss points, extrapolated. */
void slip_element_stresses(const slip_element_type *type, const slip_cell *cell, const double *points,
                           const slip_elastic *elastic, const double *displacements, double *stresses);

/* Calls the function at every Gauss point with the shape functions there, the place, and the volume that it
 * stands for. */
typedef void (*slip_element_visit)(void *user, const double *value, const double *place, double volume);
void slip_element_integrate(const slip_element_type *type, const slip_cell *cell, const double *points,
                            double thickness, slip_element_visit visit, void *user);

#endif
