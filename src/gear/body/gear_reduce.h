/* The reduction of a gear, from inside. */
#ifndef SLIP_GEAR_BODY_GEAR_REDUCE_H
#define SLIP_GEAR_BODY_GEAR_REDUCE_H

#include "base/context.h"
#include "slipstick/gear.h"

/* Fails where the body was not made from this gear: mesh, material or element differ. How many modes it has
 * and whether symmetry was used does not matter. */
int slip_gear_check_body(slip_context *ctx, const slip_gear_options *gear, const slip_reduced *body);

#endif
