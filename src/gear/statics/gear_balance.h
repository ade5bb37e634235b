/* Contact forces that balance a load. With the contact forces z the gaps of the contacts are
 *
 *     w = W z + r + m turn >= 0,    z >= 0,    w . z = 0,    m . z = load,
 *
 * W symmetric and positive definite, `turn` one free rotation. The solution minimises z.W z/2 + r.z under m .
 * z = load and z >= 0; -turn is the Lagrange multiplier of the load. It is found by the active set method of
 * Lawson and Hanson: every change of the set lowers the minimum, so that no set comes twice. */
#ifndef SLIP_GEAR_STATICS_GEAR_BALANCE_H
#define SLIP_GEAR_STATICS_GEAR_BALANCE_H

#include "base/context.h"

#include <stdbool.h>

typedef struct slip_gear_balance {
    int count;
    const double *matrix;   /* W, row by row */
    const double *constant; /* r */
    const double *arm;      /* m */
    double load;
    double tolerance; /* gaps down to minus this count as closed */
    bool *active;     /* in: initial active set; out: which contacts are closed */
    double *force;    /* z */
    double turn;
    double yield;    /* d turn / d load with the same active set */
    double *numbers; /* scratch: (count + 1)^2 + 4 (count + 1) */
    int *indices;    /* scratch: 2 (count + 1) */
} slip_gear_balance;

/* Fails with SLIP_ERROR_SOLVER where no contact can take the load. */
int slip_gear_balance_solve(slip_context *ctx, slip_gear_balance *problem);

#endif
