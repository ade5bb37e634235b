/* One equilibrium of a model with coordinates: at rest, or in steady sliding (on a belt, a rotating disc).
 * `initial: static` starts there, and eigenmodes are computed about it. */
#ifndef SLIP_SIMULATION_EQUILIBRIUM_H
#define SLIP_SIMULATION_EQUILIBRIUM_H

#include "model/model.h"

typedef struct slip_equilibrium {
    double *q, *v;          /* n each; in v zero velocities, then the states */
    double *slip;           /* of each contact of the system: its slip velocity */
    double *normal, *force; /* its normal force (compression positive), and the friction force along its slip,
                               as it acts on the coordinates */
    slip_mode *modes;       /* its contact mode: open, stick, slip+, ... */
    slip_patch_state *patches; /* of contacts with a vector slip, by contact->vector */
    int stability;             /* sign of the determinant of the set of contact modes; 0: not unique */
} slip_equilibrium;

/* Finds an equilibrium at the start of the time span; its arrays are allocated in the arena. Of several
 * solutions it takes one with positive determinant, and of these the one nearest to the initial coordinates
 * and states. Fails with SLIP_ERROR_MODEL where there is none. */
int slip_equilibrium_find(slip_context *ctx, const slip_model *model, slip_arena *arena,
                          slip_equilibrium *equilibrium);

#endif
