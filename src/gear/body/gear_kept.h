/* The attachment vectors of a flank in two parts: combinations with inertia (the kept vectors), and a
 * remainder that follows the forces without inertia.
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
 * where the sums are over the kept vectors, those of the lowest frequencies. With no kept vector G_r' is G_r;
 * with all vectors kept it is zero, and these are the equations of "all" (gear_modal.h). The rotation theta
 * of the gear and the vectors are coupled by their inertia, r = z^T rho (rho: gear_pair.h): the load on p is
 * -r theta'', that on theta -r.p''.
 *
 * Where the remainder has inertia too, it is the component of Psi that is orthogonal to the kept vectors. By
 * M z = g/w^2 its matrices are
 *
 *     G_r' as above,    M_r' = M_r - sum g g^T/w^4,    rho' = rho - sum g r/w^2,    sigma' likewise.
 *
 * All flanks of a gear have the same vectors; on a left flank the y components and r change sign. */
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

/* Keeps the vectors with w up to `highest` (rad/s), at most `most` of them. gear->remainder must be filled,
 * and must outlive the result. */
int slip_gear_kept_make(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *gear, double highest,
                        int most, slip_gear_kept *kept);

/* What the kept vectors do not represent, with its inertia: G_r', M_r', rho' and sigma'. */
int slip_gear_kept_remainder(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *gear,
                             const slip_gear_kept *kept, slip_gear_remainder *remainder);

/* to = g^T f, the load on the kept vectors, for one force that the listed nodes share. */
void slip_gear_kept_row(const slip_gear_kept *kept, int flank, int count, const int *nodes,
                        const double *share, const double force[3], double *to);
/* displacement += g p at the listed nodes. */
void slip_gear_kept_displace(const slip_gear_kept *kept, int flank, int count, const int *nodes,
                             const double *p, double *displacement);

/* The amplitudes of all attachment vectors that give the flank the same displacement as p and e: a = e + sum
 * z (p - g.e/w^2). scratch: `count` numbers. */
void slip_gear_kept_amplitudes(const slip_gear_kept *kept, int flank, int size, const double *p,
                               const double *e, double *scratch, double *amplitude);

#endif
