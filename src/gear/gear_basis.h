/* The residual attachment vectors of some nodes of a flank, as coordinates with unit mass.
 *
 * Of the directions A of these nodes: u = G_r,:A a, mass M_AA, stiffness G_AA. With a = Z p, Z^T M_AA Z = 1,
 *
 *     p'' + Omega^2 (p + d p') = (G_r,:A Z)^T f - w' Z^T rho_A + w^2 Z^T sigma_A
 *
 * for the nodal forces f of the flank; rho, sigma: gear_pair.h. Quasi-statically a = f_A. Amplitudes are
 * those of the right flank; on a left one y has the other sign, and rho all of it (gear_pair.h).
 *
 * Vectors change: of the field of the old ones A the new ones B keep what is nearest to it in the norm of the
 * strain energy, G_BB b = G_BA a, and of its velocity in that of the mass, M_BB b' = M_BA a'. Where B has all
 * of A that is: the old amplitudes stay, the new ones are 0. */
#ifndef SLIP_GEAR_GEAR_BASIS_H
#define SLIP_GEAR_GEAR_BASIS_H

#include "base/context.h"
#include "gear/gear_pair.h"

typedef struct slip_gear_basis {
    int count;                 /* of vectors and of directions */
    int *direction;            /* of the flank: 3 node + 0, 1, 2 */
    double *vectors;           /* Z: columns, one after the other */
    double *square;            /* Omega^2, ascending */
    double *rotation, *spread; /* Z^T rho, Z^T sigma */
} slip_gear_basis;

/* Memory for a flank of `size` directions, from the arena; vectors with `own` only. */
int slip_gear_basis_reserve(slip_context *ctx, slip_arena *arena, int size, bool own, slip_gear_basis *basis);

/* Makes the basis of a set of nodes (one byte each). scratch: 2 size^2 + size numbers. */
int slip_gear_basis_make(slip_context *ctx, const slip_gear_wheel *gear, const unsigned char *set,
                         double *scratch, slip_gear_basis *basis);

/* The displacement of some directions in the coordinates: rows of G_r,:A Z, row by row, with the signs of the
 * flank. scratch: size^2 numbers. */
void slip_gear_basis_rows(const slip_gear_wheel *gear, const slip_gear_basis *basis, bool left, int count,
                          const int *nodes, double *scratch, double *rows);

/* Amplitudes a = Z p. */
void slip_gear_basis_amplitudes(const slip_gear_basis *basis, const double *p, double *amplitudes);

/* p and momenta Z^T M_BA a' of what `to` keeps of amplitudes and rates of `from`. scratch: size numbers. */
void slip_gear_basis_carry(const slip_gear_wheel *gear, const slip_gear_basis *from, const double *amplitudes,
                           const double *rates, const slip_gear_basis *to, double *scratch, double *p,
                           double *momenta);

#endif
