/* A system with frozen expressions (math/expression/freeze.h): they are smooth as long as no switch is
 * changed.
 *
 * The present form of each switch is a slot of the workspace, after those of time, coordinates and
 * velocities, set by slip_frozen_set. */
#ifndef SLIP_SYSTEM_FREEZE_H
#define SLIP_SYSTEM_FREEZE_H

#include "math/expression/freeze.h"
#include "system/system.h"

typedef struct slip_frozen {
    slip_system *system; /* shares all but expressions with the system that was frozen */
    slip_switches switches;
    slip_expression **owned; /* the frozen expressions */
    int64_t owned_count, owned_capacity;
    slip_expression **varying; /* of the copy */
} slip_frozen;

/* Makes a frozen copy. *frozen is NULL where nothing switches. with_state false: only switches by time alone.
 */
int slip_system_freeze(slip_context *ctx, const slip_system *system, bool with_state, slip_frozen **frozen);
void slip_frozen_destroy(slip_frozen *frozen);

/* Sets the form of a switch: a side or a level. */
void slip_frozen_set(const slip_frozen *frozen, slip_workspace *work, int which, double form);

/* All expressions of forces, contacts and laws, by their index; NULL for indices without an expression. */
int64_t slip_system_expression_count(const slip_system *system);
const slip_expression *slip_system_expression(const slip_system *system, int64_t which);

/* Names the expression of a switch for messages: "the force on `x`, `-2*sign(x)`". */
void slip_frozen_describe(const slip_frozen *frozen, int which, char *text, size_t size);

#endif
