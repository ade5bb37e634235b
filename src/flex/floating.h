/* The floating frame of a body that turns about its axis and vibrates: one rotation theta, small elastic
 * displacements u = Phi q in the frame that turns with it (w = theta').
 *
 *     T = w^2 (J + 2 s.q + q.S q)/2 + w (r.q' + q'.C q) + q'.q'/2,
 *
 * r = Phi^T M (e_z x X), s = Phi^T M (x, y, 0), C = Phi^T M (e_z x Phi), which is antisymmetric, S = Phi^T M
 * Phi without the components along the axis (slipstick/reduced.h). So with p = r + C q
 *
 *     q'' + w' p = Q - Lambda q - 2 w C q' + w^2 (s + S q),
 *     w' (J + 2 s.q + q.S q) + p.q'' = torque - 2 w (s + S q).q'.
 *
 * C and S couple only modes of the same wave, so they are stored as sparse matrices. */
#ifndef SLIP_FLEX_FLOATING_H
#define SLIP_FLEX_FLOATING_H

#include "base/context.h"
#include "slipstick/reduced.h"

/* A sparse square matrix, by rows. */
typedef struct slip_floating_matrix {
    int *first; /* index of the first entry of each row, and the end of the last row */
    int *column;
    double *value;
} slip_floating_matrix;

typedef struct slip_floating {
    slip_arena arena;
    int modes;
    double moment;  /* J, with the added inertia, kg m^2 */
    double *square; /* Lambda: squares of the angular frequencies */
    double *rotation, *spread;
    slip_floating_matrix coriolis, softening;
    double *scratch; /* 2 x modes */
} slip_floating;

/* The floating frame for the `modes` lowest modes of a body. inertia: moment of inertia of parts that turn
 * with the body but do not belong to it, kg m^2. */
int slip_floating_create(slip_context *ctx, const slip_reduced *body, int modes, double inertia,
                         slip_floating **frame);
void slip_floating_destroy(slip_floating *frame);
SLIP_OWNED(slip_floating, slip_floating_destroy)

/* The terms of the equations above that depend on the motion. */
typedef struct slip_floating_terms {
    double moment; /* J + 2 s.q + q.S q */
    double torque; /* - 2 w (s + S q).q' */
} slip_floating_terms;
/* coupling = p; load += -2 w C q' + w^2 (s + S q). */
slip_floating_terms slip_floating_inertia(slip_floating *frame, double speed, const double *q,
                                          const double *rate, double *coupling, double *load);

typedef struct slip_floating_account {
    double kinetic, strain;
    double momentum; /* angular, about the axis: w (J + 2 s.q + q.S q) + p.q' */
} slip_floating_account;
slip_floating_account slip_floating_measure(slip_floating *frame, double speed, const double *q,
                                            const double *rate);

#endif
