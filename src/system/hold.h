/* Held contacts and sliders: their friction limits are removed, so that they stick all the time.
 *
 * A contact that sticks for a whole period acts as a support, and a slider that does so as a spring. To find
 * such motions a study uses a system with raised friction limits, and checks afterwards that the forces are
 * within the true limits. */
#ifndef SLIP_SYSTEM_HOLD_H
#define SLIP_SYSTEM_HOLD_H

#include "system/system.h"

/* The length of arrays of flags `held`: the contacts, then the sliders. */
static inline int slip_held_count(const slip_system *system)
{
    return (int)(system->contact_count + system->slider_count);
}

/* Whether number i can stick for a whole period at a position that only friction determines: its limit may
 * depend on the motion through the normal force only, and its counterpart must not drift away. */
bool slip_held_may(const slip_system *system, int i);

/* The contact of number i; for a slider the contact that it belongs to. */
int slip_held_contact(const slip_system *system, int i);

/* The true limit of number i, also while it is held: for a contact the friction limit for unit normal force,
 * for a slider that of its deflection. */
double slip_held_limit_of(const slip_system *system, const bool *held, int i);

/* Raises the limits of held ones beyond reach. The system must not be shared. */
void slip_held_raise(slip_system *system, const bool *held);

/* Changes v so that held contacts do not slip at t. room: scratch, slip_held_room numbers. */
void slip_held_stop(const slip_system *system, const bool *held, double t, double *v, double *room);
int64_t slip_held_room(const slip_system *system);

#endif
