/* One equilibrium of a model with coordinates: at rest, or sliding steadily on what moves (a belt, a disc
 * that turns). `initial: static` starts there, and small motions are looked at about it. */
#ifndef SLIP_SIMULATION_EQUILIBRIUM_H
#define SLIP_SIMULATION_EQUILIBRIUM_H

#include "model/model.h"

typedef struct slip_equilibrium {
    double *q, *v;             /* n each; velocities are zero, the states stand behind them */
    double *slip;              /* of each contact of the system: its slip velocity */
    double *normal, *force;    /* its compression, and the force on the coordinates along its slip */
    slip_mode *modes;          /* what it is doing: open, stick, slip+, ... */
    slip_patch_state *patches; /* by contact->vector */
    int stability;             /* sign of the determinant of the set of modes; 0 where it has none */
} slip_equilibrium;

/* Finds one at the first instant of `time`; its arrays are in the arena. Of several solutions the one whose
 * determinant is positive and whose coordinates and states are nearest to the given initial ones is taken.
 * Fails with SLIP_ERROR_MODEL where there is none. */
int slip_equilibrium_find(slip_context *ctx, const slip_model *model, slip_arena *arena,
                          slip_equilibrium *equilibrium);

#endif
