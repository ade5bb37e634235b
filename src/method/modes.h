/* Which modes come next: found for all contacts together, from the accelerations.
 *
 * At an event some contacts have a choice: one at rest may stick or start to slip either way, one that
 * touches may stay closed or open. A choice for all of them fixes the accelerations and the forces
 * (slip_system_constrain). It is consistent when
 *
 *     stick: |force| <= hold N,   slip from rest: the slip velocity grows in its direction,
 *     closed: N >= 0,             open: the gap does not close.
 *
 * These are the conditions of a linear complementarity problem with friction. Where one of them holds with
 * equality, as for the contact whose limit caused the event, the next order decides: the conditions are
 * looked at again a short time ahead.
 *
 * Rules where more than one choice is consistent: all lead to the same accelerations (forces that are not
 * unique): the first in the order stick, slip, open. Static friction above kinetic friction: stick. Otherwise
 * the motion itself is not unique, which is reported. */
#ifndef SLIP_METHOD_MODES_H
#define SLIP_METHOD_MODES_H

#include "system/system.h"

/* What is known of a contact at this instant, beyond rounding. */
typedef struct slip_standing {
    bool touching; /* gap and gap rate are zero */
    bool resting;  /* the slip velocity is zero */
} slip_standing;

typedef struct slip_modes slip_modes;

int slip_modes_create(slip_context *ctx, const slip_system *system, slip_workspace *work, slip_modes **modes);
void slip_modes_destroy(slip_modes *modes);

/* True when the contact's mode is decided here: set-valued friction, or a unilateral contact. */
bool slip_modes_concerns(const slip_contact *contact);

enum {
    SLIP_MODES_NONE = -201,    /* no choice is consistent */
    SLIP_MODES_SEVERAL = -202, /* choices with different accelerations are */
    SLIP_MODES_UNDEFINED = -203
};

/* Sets the branches (mode, piece) of the contacts concerned. On entry they have the modes that are expected,
 * those before but for what has just ended; a good guess saves a search and never changes the answer. `ahead`
 * is a time over which the motion changes little. Returns SLIP_OK, one of the above
 * (*contact then names a contact involved) or an error. */
int slip_modes_decide(slip_modes *modes, double t, const double *q, const double *v,
                      const slip_standing *standing, double ahead, slip_branch *branches, int *contact);

/* By how much the branches' modes violate the conditions at this instant, relative to the size of what is
 * compared; at most zero when they hold. For checks. */
double slip_modes_violation(slip_modes *modes, double t, const double *q, const double *v,
                            const slip_standing *standing, const slip_branch *branches);

/* The accelerations of the last call of slip_modes_violation or slip_modes_decide. */
const double *slip_modes_acceleration(const slip_modes *modes);

#endif
