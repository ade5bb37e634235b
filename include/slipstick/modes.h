/* Slipstick: natural frequencies, damping and mode shapes of small motions about a state.
 *
 *     dq = Re(shape exp(s t)),  s = real + i imaginary,  frequency = imaginary/(2 pi)
 *
 * Contacts keep the mode that they have at the state: closed gaps and stick are constraints, sliding contacts
 * have the force of their law, open ones none. With friction s is complex: a positive real part is growth. */
#ifndef SLIPSTICK_MODES_H
#define SLIPSTICK_MODES_H

#include "slipstick/base.h"
#include "slipstick/model.h"
#include "slipstick/result.h"

SLIP_BEGIN_C

typedef struct slip_modes_options {
    size_t size;           /* of this struct; the default function sets it */
    const char *about;     /* "rest" (default): the initial state of the model, with its velocities; "static"
                            * or "sliding": an equilibrium, contacts at rest or sliding on what moves */
    const char *parameter; /* follows the modes over this parameter; default NULL: none */
    double low, high;      /* its range, from low to high */
    int points;            /* values in it, both ends included; default 51 */
    int count;             /* of a model with whole bodies: so many of the lowest modes; default 40 */
} slip_modes_options;
SLIP_OPTIONS_DEFAULT(slip_modes_options)

/* Finds all modes. On SLIP_OK, and over a parameter also on SLIP_INTERRUPTED and SLIP_ERROR_SOLVER, there is
 * a result (what was found until then), for slip_result_destroy. `options` NULL: the default. Frequencies are
 * in cycles, real and imaginary parts in radian, over the model's time.
 *
 * Its series, a record for each mode and value: "value" (of the parameter; NAN without one), "mode",
 * "frequency", "real", "imaginary", "damping_ratio". Modes are numbered by rising frequency; over a parameter
 * a number belongs to a branch. Table "shapes": "shapes.value", "shapes.mode", "shapes.name" (coordinates and
 * states), "shapes.real", "shapes.imaginary", "shapes.participation" (part of the kinetic energy). Table
 * "contacts", of those that rub: "contacts.value", "contacts.mode", "contacts.contact", "contacts.doing",
 * "contacts.slip" and "contacts.force" (amplitudes of slip velocity and friction force), "contacts.growth"
 * (contribution of the friction to the real part). Over a parameter there are labels: slip_result_label, with
 * "FL" where flutter begins or ends, "DV" where divergence does. slip_result_number: "count", "unstable",
 * "largest_real"; slip_result_text: "parameter". */
SLIP_API int slip_modes_solve(slip_context *ctx, const slip_model *model, const slip_modes_options *options,
                              slip_result **result);

SLIP_END_C

#endif
