/* The lowest eigenmodes of a system with a field (field.h), by shift and invert.
 *
 *     (s^2 M + s C + K) x = G^T l,  J x = 0
 *
 * with sparse M, C, K of whole bodies, dense ones of the n coordinates, constraint rows J of contacts and the
 * columns G of their forces. At a real shift sigma each body has a Cholesky factor of sigma^2 M + sigma C +
 * K, since its damping is a M + b K. Only contacts make the problem nonsymmetric; their forces f follow from
 * a small dense problem, the compliance of their rows. So the inverse at the shift is that of the bodies plus
 * a correction by f, and no nonsymmetric matrix has to be factorised. The eigenvalues nearest to the shift
 * are those of largest size of the inverse (math/arnoldi.h): without damping of -(K + sigma^2 M)^-1 M, 1/(s^2
 * - sigma^2); else of the first-order operator
 *
 *     (x, v) -> (-A^-1 ((2 sigma M + C) x + M v), x),     1/(s - sigma),     A = sigma^2 M + sigma C + K.
 *
 * The shift is zero where the bodies are held, and below their frequencies where they are not. */
#ifndef SLIP_SYSTEM_VIBRATION_FIELD_H
#define SLIP_SYSTEM_VIBRATION_FIELD_H

#include "system/vibration/vibration.h"

typedef struct slip_field_motion {
    const slip_system *system; /* with the field */
    /* The linear motion of a system with the same contacts, in which whole bodies are reduced */
    const slip_linear_motion *motion;
    const int *place; /* index there of each of the n of `system` */
} slip_field_motion;

/* The reason, as text for a message, why the modes cannot be computed; NULL: they can. */
const char *slip_vibration_field_obstacle(const slip_field_motion *given);

/* Computes the `count` lowest eigenmodes. *to must be {0}; the caller calls slip_arena_free(&to->arena) in
 * any case. Fails with SLIP_ERROR_SOLVER where they do not converge or contacts hold the same motion twice.
 */
int slip_vibration_solve_field(slip_context *ctx, const slip_field_motion *given, int64_t count,
                               slip_vibration *to);

#endif
