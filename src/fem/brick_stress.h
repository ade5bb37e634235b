/* Stress of bricks at large displacements, for pictures. */
#ifndef SLIP_FEM_BRICK_STRESS_H
#define SLIP_FEM_BRICK_STRESS_H

#include "io/mesh/mesh.h"

/* Cauchy stress of a brick (eight nodes as in hex8, before and after the motion) at a point of (xi, eta,
 * zeta): xx, yy, zz, yz, zx, xy. St. Venant-Kirchhoff: sigma = F S F^T/det F. */
void slip_brick_stress(const double points[24], const double moved[24], const double at[3], double lambda,
                       double mu, double stress[6]);

/* The same at the nodes: extrapolated from the Gauss points by the shape functions or, with one_point, the
 * stress at the centre. */
void slip_brick_nodal_stresses(const double points[24], const double moved[24], bool one_point, double lambda,
                               double mu, double nodal[8][6]);

/* Von Mises stress at the nodes of a mesh of bricks that are now at `position`: that of the stresses at the
 * Gauss points, extrapolated by the shape functions, mean of the bricks around a node. one_point: those of
 * the middle of each brick. */
int slip_brick_mises(slip_context *ctx, const slip_mesh *mesh, const double *position, double young,
                     double poisson, bool one_point, double *mises);

#endif
