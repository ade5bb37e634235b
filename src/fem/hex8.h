/* The eight-node brick: stiffness, fully integrated or with incompatible modes.
 *
 * Stiffness is put together from 3 x 3 blocks (fem/blocks.h), 2 x 2 x 2 Gauss points.
 *
 * A fully integrated brick is too stiff in bending: its sides stay straight. With incompatible modes three
 * more shape functions 1 - xi^2, 1 - eta^2, 1 - zeta^2 have amplitudes inside the element only, which are
 * eliminated. Their gradients use the Jacobian J0 of the centre, scaled by det J0 / det J, so that a constant
 * stress does no work on them and the patch test holds for any shape (Taylor, Beresford, Wilson 1976). */
#ifndef SLIP_FEM_HEX8_H
#define SLIP_FEM_HEX8_H

#include <stdbool.h>

typedef struct slip_hex8_material {
    double lambda, mu; /* Lame's constants */
    bool incompatible; /* with incompatible modes */
} slip_hex8_material;

slip_hex8_material slip_hex8_material_make(double young, double poisson, bool incompatible);

/* matrix: 24 x 24, row by row, symmetric; the unknowns are x, y, z of the first node, then of the second ...
 * points: x, y, z of the nodes. The Jacobian must be positive. */
void slip_hex8_stiffness(const slip_hex8_material *material, const double points[24], double matrix[576]);

/* Values and slopes by x, y, z of the shape functions at a place of the reference cube; returns det J. */
double slip_hex8_gradient(const double points[24], const double at[3], double value[8], double slope[24]);

/* Stress (xx, yy, zz, xy, yz, zx) at the eight Gauss points for given displacements of the nodes; the
 * amplitudes of incompatible modes are recovered first. */
void slip_hex8_stress(const slip_hex8_material *material, const double points[24],
                      const double displacement[24], double stress[48]);

#endif
