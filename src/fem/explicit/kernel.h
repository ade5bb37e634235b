/* Forces of eight-node bricks at large displacements, several bricks at a time.
 *
 * Total Lagrangian, St. Venant-Kirchhoff: F = dx/dX, C = F^T F, E = (C - 1)/2,
 *
 *     S = lambda tr(E) 1 + 2 mu E = mu C + (lambda (tr C - 3)/2 - mu) 1,    P = F S,    2 x 2 x 2 Gauss
 * points.
 *
 * With the tangents T_m = dX/dxi_m, their cofactors c_0 = T_1 x T_2 ... and det = T_0 . c_0 is F = sum_m
 * dx/dxi_m c_m^T / det; and the force of node a, the sum over points of det P dN_a/dX, is the sum of (P c_m)
 * dN_a/dxi_m: no matrix has to be inverted. dx/dxi_m is the same at two points that differ only in xi_m, so
 * 12 tangents serve all 8 points; those of the undeformed brick are stored in `reference`.
 *
 * With one point (`hourglass` > 0; Flanagan and Belytschko 1981, here total Lagrangian): F from the mean
 * slopes b_a of the shape functions, sum of x_a b_a^T, and the stress of it times the volume V. Four patterns
 * Gamma_alpha of the nodes (hourglass patterns, the products of xi, eta, zeta) deform the brick without
 * changing F. The amplitudes of the positions in them,
 *
 *     q_alpha = sum_a Gamma_alpha,a x_a - F h_alpha,    h_alpha = sum_a Gamma_alpha,a X_a,
 *
 * are zero for a homogeneous deformation and rotate with the brick; they have the energy kappa |q|^2/2. For a
 * cube, kappa = hourglass (lambda + 2 mu) V b.b/72 with hourglass = 1 is the stiffness of full integration in
 * the pattern xi eta (without its shear). The kernel works in pattern coordinates: sums of x with the signs
 * of the 8 products of xi, eta, zeta (24 additions), and back. `reference` holds V, V b.b/72, the transforms
 * of b over 8 (7 vectors) and h (4 vectors): 35 numbers.
 *
 * An array of vectors: element after element of a batch in one lane each, [number][lane]. Nodes are in the
 * order of the tensor product: node i + 2 j + 4 k has the signs of xi by i, eta by j, zeta by k.
 *
 * The kernel is compiled for several widths of the machine's vectors and chosen at run time. Multiplications
 * and additions are not fused, so all of them give the same bits. */
#ifndef SLIP_FEM_EXPLICIT_KERNEL_H
#define SLIP_FEM_EXPLICIT_KERNEL_H

enum { slip_lanes = 8, slip_brick_reference = 36 };

/* The node of a hex8 that is number k of the tensor product. */
extern const int slip_brick_order[8];

/* Floating point operations for one brick, counted in the source: for benchmarks. */
enum { slip_brick_flops_one = 72 + 117 + 72 + 30 + 16 + 45 + 9 + 13 + 72 + 117 + 72 };
enum { slip_brick_flops = 252 + 264 + 8 * (27 + 5 + 1 + 54 + 30 + 14 + 45 + 45 + 9) };

typedef struct slip_brick_batch {
    const double *reference; /* 36 x lanes */
    double lambda, mu;
    double hourglass;       /* 0: fully integrated */
    const double *position; /* 24 x lanes: node by node, x y z */
    double *force;          /* 24 x lanes: internal force, to be subtracted */
    double *energy;         /* lanes; NULL: not wanted */
} slip_brick_batch;

typedef void (*slip_brick_kernel)(const slip_brick_batch *batch);

/* The fastest kernel that this machine can run. */
slip_brick_kernel slip_brick_kernel_choose(void);
/* All kernels that this machine can run, for tests; NULL ends the list. */
void slip_brick_kernel_list(slip_brick_kernel kernels[4]);

/* The 12 tangents of 8 points in tensor order, x y z each: values at [3 (4 m + point) + component]. */
void slip_brick_tangents(const double points[24], double tangents[slip_brick_reference]);
/* `reference` for integration with one point, from 8 points in tensor order. */
void slip_brick_means(const double points[24], double reference[slip_brick_reference]);

#endif
