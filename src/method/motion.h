/* A method on a system, whatever that is made of. Where coordinates have no mass (system/massless/massless.h)
 * the method moves the system that takes its place, and observers see the coordinates that were given.
 * Compliant contacts, whose normal force is a load to methods, open and close as events. */
#ifndef SLIP_METHOD_MOTION_H
#define SLIP_METHOD_MOTION_H

#include "method/method.h"

typedef struct slip_motion slip_motion;

/* As the functions of slip_method_type. */
int slip_motion_open(slip_context *ctx, const slip_method_type *type, const slip_system *system,
                     const slip_method_options *options, double t, const double *q, const double *v,
                     slip_motion **motion);
int slip_motion_advance(slip_motion *motion, double end, const slip_observer *observer);
void slip_motion_state(slip_motion *motion, double *t, double *q, double *v);
/* What contacts do whose modes no method decides; the others stay. */
void slip_motion_tell_modes(const slip_motion *motion, slip_mode *modes);
void slip_motion_remember(const slip_motion *motion, slip_method_memory *memory);
void slip_motion_counters(const slip_motion *motion, slip_method_counters *counters);
void slip_motion_close(slip_motion *motion);
SLIP_OWNED(slip_motion, slip_motion_close)
/* Of a method that has them. */
void slip_motion_keep(slip_motion *motion, struct slip_keeper *keeper);
int slip_motion_look(slip_motion *motion, slip_sample *now);
int slip_motion_adopt(slip_motion *motion, const slip_system *system);
int slip_motion_numbers(slip_motion *motion, const slip_number_sink *sink); /* of any method */

/* Whether the motion shows another state, or other events of contacts, than the method that moves the system.
 */
bool slip_motion_shows(const slip_system *system);

/* Whether a contact can be open; events tell when it opens and closes. */
bool slip_motion_opens(const slip_contact *contact);

#endif
