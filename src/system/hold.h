/* Contacts and sliders that are held: nothing lets them slip.
 *
 * A contact that sticks for a whole period is a support, and a slider that does so a spring. Whoever looks
 * for such motions moves a system whose friction limits are raised beyond reach, and asks afterwards whether
 * the forces stayed within those that it has. */
#ifndef SLIP_SYSTEM_HOLD_H
#define SLIP_SYSTEM_HOLD_H

#include "system/system.h"

/* How many there are that may be held: flags of them are those of the contacts, and then of the sliders. */
static inline int slip_held_count(const slip_system *system)
{
    return (int)(system->contact_count + system->slider_count);
}

/* Whether number i can stick for a whole period at a place that nothing but friction decides: it has a limit
 * that does not depend on the motion but by a normal force, and what it sticks to does not go away for good.
 */
bool slip_held_may(const slip_system *system, int i);

/* The contact of number i, that of the slider. */
int slip_held_contact(const slip_system *system, int i);

/* Its limit: of a contact for unit normal force, of a slider that of the deflection; where it is held, the
 * one that it had before. */
double slip_held_limit_of(const slip_system *system, const bool *held, int i);

/* Puts the limits of those that are held out of reach; the system is the caller's alone. */
void slip_held_raise(slip_system *system, const bool *held);

/* Moves velocities so that the contacts that are held do not slip at t. `room` has 1 + 2 n numbers and what
 * their slips need as scratch (slip_held_room). */
void slip_held_stop(const slip_system *system, const bool *held, double t, double *v, double *room);
int64_t slip_held_room(const slip_system *system);

#endif
