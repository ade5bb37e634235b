/* The reduction of a gear: what other files of this folder call. */
#ifndef SLIP_GEAR_BODY_GEAR_REDUCE_H
#define SLIP_GEAR_BODY_GEAR_REDUCE_H

#include "base/context.h"
#include "slipstick/gear.h"

/* Fails where the body was not made from this gear: mesh, material or element differ. The number of its modes
 * and the use of symmetry are not compared. */
int slip_gear_check_body(slip_context *ctx, const slip_gear_options *gear, const slip_reduced *body);

#endif
