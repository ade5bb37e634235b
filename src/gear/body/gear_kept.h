/* The attachment vectors of a flank in two parts: combinations with inertia, and a rest that follows the
 * forces without inertia.
 *
 * Attachment vectors Psi have the stiffness G_r and the mass M_r (gear_pair.h). Of their
 * combinations
 *
 *     M_r z = w^-2 G_r z,    z^T M_r z = 1,
 *
 * each vector Psi z has unit mass and the stiffness w^2, and is orthogonal in both to the others and to the
 * eigenmodes. It displaces the flank by g = G_r z, so nodal forces f load it by g^T f:
 *
 *     p'' + t_r w^2 p' + w^2 p = g^T f,    u = Phi q + sum g p + G_r' e,    G_r' = G_r - sum g g^T/w^2,
 *
 * where the sums are over the vectors that are kept, those of the lowest frequencies. With none of them G_r'
 * is G_r; with all of them it is zero, and these are the equations of "all" (gear_modal.h). The rotation
 * theta of the gear moves the vectors and they move it, by r = z^T rho (rho: gear_pair.h): loads -r theta''
 * on p and -r.p'' on theta.
 *
 * If the rest has inertia too: the component of Psi that is orthogonal to the kept vectors has, by M z =
 * g/w^2,
 *
 *     G_r' as above,    M_r' = M_r - sum g g^T/w^4,    rho' = rho - sum g r/w^2,    sigma' likewise.
 *
 * All flanks of a gear have the same vectors; on a left one y has the other sign, and r too. */
#ifndef SLIP_GEAR_BODY_GEAR_KEPT_H
#define SLIP_GEAR_BODY_GEAR_KEPT_H

#include "gear/body/gear_pair.h"

typedef struct slip_gear_kept {
    int count;
    double *square;            /* w^2, ascending */
    double *rotation, *spread; /* r = z^T rho and z^T sigma of a right flank */
    double *vectors;           /* z of a right flank: one after the other */
    double *rows;              /* g: for each direction of a right flank `count` numbers */
    const double *flexibility; /* G_r' of a right flank; NULL where the gear has no attachment vectors */
} slip_gear_kept;

/* Keeps the vectors with w up to `highest`, at most `most`. gear->rest has to be there, and to stay. */
int slip_gear_kept_make(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *gear, double highest,
                        int most, slip_gear_kept *kept);

/* The rest as vectors that move. */
int slip_gear_kept_rest(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *gear,
                        const slip_gear_kept *kept, slip_gear_rest *rest);

/* to = g^T f for shares of one force at the listed nodes. */
void slip_gear_kept_row(const slip_gear_kept *kept, int flank, int count, const int *nodes,
                        const double *share, const double force[3], double *to);
/* displacement += g p at the listed nodes. */
void slip_gear_kept_displace(const slip_gear_kept *kept, int flank, int count, const int *nodes,
                             const double *p, double *displacement);

/* The amplitudes of all attachment modes that displace the flank as p and e do: a = e + sum z (p - g.e/w^2).
 * scratch: `count` numbers. */
void slip_gear_kept_amplitudes(const slip_gear_kept *kept, int flank, int size, const double *p,
                               const double *e, double *scratch, double *amplitude);

#endif
