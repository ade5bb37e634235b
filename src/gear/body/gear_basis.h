/* Attachment vectors of a flank as coordinates with unit mass: the kept ones of gear_kept.h, which are
 * combinations over the whole flank with the lowest frequencies, and those of some nodes.
 *
 * A is the set of directions of these nodes. G, M, rho and sigma are the flexibility, mass and couplings that
 * the kept vectors do not represent (the remainder of gear_kept.h). With amplitudes a the displacement is u =
 * G_:A a, the mass M_AA and the stiffness G_AA. With a = Z p, Z^T M_AA Z = 1,
 *
 *     p'' + Omega^2 (p + d p') = (G_:A Z)^T f - w' Z^T rho_A + w^2 Z^T sigma_A
 *
 * for the nodal forces f of the flank. Quasi-statically a = f_A. The kept vectors obey the same equation and
 * are orthogonal to the vectors of the nodes. Amplitudes are given for a right flank; on a left flank the y
 * components and the whole of rho change sign (gear_pair.h).
 *
 * Both kinds are needed: the attachment vectors of the loaded nodes represent all of the static displacement,
 * but not its vibration: a flank has natural frequencies just above those of the modes, and the shapes of
 * these vibrations need the nodes of the whole flank.
 *
 * Directions that are linearly dependent on the others are left out.
 *
 * When the set of nodes changes from A to B the kept vectors stay as they are. The displacement field of the
 * others is projected onto the new vectors in the norm of the strain energy, G_BB b = G_BA a, and its
 * velocity in the norm of the mass, M_BB b' = M_BA a'. If B contains A, the old amplitudes stay and new ones
 * are 0. */
#ifndef SLIP_GEAR_BODY_GEAR_BASIS_H
#define SLIP_GEAR_BODY_GEAR_BASIS_H

#include "base/context.h"
#include "gear/body/gear_kept.h"

/* What the bases of all flanks of a gear are built from: its kept vectors, and what these do not represent.
 */
typedef struct slip_gear_attachment {
    const slip_gear_wheel *gear;
    slip_gear_kept kept;
    slip_gear_remainder remainder; /* beside the kept vectors */
} slip_gear_attachment;

typedef struct slip_gear_basis {
    int count;                 /* of vectors */
    int kept;                  /* of them, the first ones: all of slip_gear_attachment or none */
    int directions;            /* count - kept */
    int *direction;            /* of the flank: 3 node + 0, 1, 2; ascending */
    double *vectors;           /* Z: columns, one after the other */
    double *square;            /* w^2 and Omega^2, ascending */
    double *rotation, *spread; /* Z^T rho, Z^T sigma */
} slip_gear_basis;

/* Keeps the `count` combinations of lowest frequency. gear->remainder must be filled and outlive the result.
 */
int slip_gear_attachment_make(slip_context *ctx, slip_arena *arena, const slip_gear_wheel *gear, int count,
                              slip_gear_attachment *attachment);

/* Memory for a flank of `size` directions, from the arena. */
int slip_gear_basis_reserve(slip_context *ctx, slip_arena *arena, int size, slip_gear_basis *basis);

static inline void slip_gear_basis_clear(slip_gear_basis *basis)
{
    basis->count = basis->kept = basis->directions = 0;
}

/* Saves the basis in a checkpoint, or restores it into memory for a flank of as many directions. */
void slip_gear_basis_keep(slip_gear_basis *basis, slip_keeper *keeper);

/* Makes the basis of a set of nodes (one byte each, 1: in the set), with the kept vectors where `keep` is
 * set. scratch: 2 size^2 + size numbers. */
int slip_gear_basis_make(slip_context *ctx, const slip_gear_attachment *attachment, bool keep,
                         const unsigned char *set, double *scratch, slip_gear_basis *basis);

/* The displacement of some nodes in the coordinates, row by row, with the signs of the flank. scratch: size^2
 * numbers. */
void slip_gear_basis_rows(const slip_gear_attachment *attachment, const slip_gear_basis *basis, bool left,
                          int count, const int *nodes, double *scratch, double *rows);

/* The displacement of all nodes of a right flank. scratch: size numbers. */
void slip_gear_basis_displace(const slip_gear_attachment *attachment, const slip_gear_basis *basis,
                              const double *p, double *scratch, double *displacement);

/* Amplitudes a = Z p of the directions. */
void slip_gear_basis_amplitudes(const slip_gear_basis *basis, const double *p, double *amplitudes);

/* Projects the motion in the basis `from` onto the basis `to`: coordinates p, and momenta Z^T M_BA a'.
 * scratch: 2 size numbers. */
void slip_gear_basis_carry(const slip_gear_attachment *attachment, const slip_gear_basis *from,
                           const double *coordinates, const double *rates, const slip_gear_basis *to,
                           double *scratch, double *p, double *momenta);

#endif
